//! The places of a label that change together while it is typed.

use config::ResourceMode;
use text::{FileId, TextRange, TextSize};

use crate::Snapshot;
use crate::referent::Referent;

impl Snapshot {
    /// The name at `offset`, wherever it stands, if all that use it are in this file. Names that others may use from
    /// outside are not changed so: variables and outputs.
    pub fn linked_ranges(&self, file: &FileId, offset: TextSize) -> Option<Vec<TextRange>> {
        let named = self.subject_at(file, offset)?;
        let (nth, name) = match &named.subject {
            Referent::Local(name) | Referent::ModuleCall(name) => (1, name),
            Referent::Resource(addr) => match addr.mode {
                ResourceMode::Managed => (1, &addr.name),
                ResourceMode::Data | ResourceMode::Ephemeral | ResourceMode::Action => {
                    (2, &addr.name)
                }
            },
            _ => return None,
        };
        let places = self.references(file, offset, true);
        if places.len() < 2 || places.iter().any(|place| place.file != *file) {
            return None;
        }
        let text = self.hcl_file(file)?.syntax().text();
        let mut ranges = Vec::new();
        for place in places {
            let written = &text[std::ops::Range::from(place.range)];
            let at = match written.trim_matches('"') == name {
                true => written.find(name.as_str())?,
                false => part(written, nth, name)?,
            };
            let start = place.range.start() + TextSize::try_from(at).ok()?;
            ranges.push(TextRange::at(start, TextSize::of(name.as_str())));
        }
        let is_on_name = ranges.iter().any(|range| range.contains_inclusive(offset));
        is_on_name.then_some(ranges)
    }
}

/// The range of the part after the `nth` dot, if that is `name`.
fn part(reference: &str, nth: usize, name: &str) -> Option<usize> {
    let reference = reference.split('[').next()?;
    // `resource.` may stand before a type.
    let nth = nth + usize::from(reference.starts_with("resource."));
    let parts: Vec<&str> = reference.split('.').collect();
    let before: usize = parts.get(..nth)?.iter().map(|part| part.len() + 1).sum();
    (parts.get(nth)? == &name).then_some(before)
}
