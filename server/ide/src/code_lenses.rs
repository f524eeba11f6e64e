//! What will happen to a block, and how often it is referred to, above it.

use config::{ResourceAddr, ResourceMode};
use syntax::ast::{Block, Item};
use text::FileId;

use crate::planned::lenses;
use crate::{CodeLens, Command, Known, Snapshot};

impl Snapshot {
    /// The code lenses of an open file: what is planned, in the order of the text, and then counts.
    ///
    /// A block that reads otherwise than when it was planned, or is half-typed, keeps what was last said of it, marked:
    /// the lines below it would jump if it had no lens for a moment.
    pub fn code_lenses(&self, file: &FileId) -> Vec<CodeLens> {
        let Some(source) = self.file(file) else {
            return Vec::new();
        };
        let known = self.known(file);
        let planned = self.facts(file);
        let parsed = source.parsed();
        let mut lenses = Vec::new();
        for segment in parsed.segments() {
            let facts = planned.and_then(|planned| planned.get(segment.id));
            let planned = facts.map_or(&[][..], |facts| &facts.code_lenses);
            lenses.extend(planned.iter().map(|lens| CodeLens {
                range: lens.range + segment.offset,
                ..lens.clone()
            }));
            if planned.is_empty() && (facts.is_none() || parsed.is_broken(segment.id)) {
                let block = source.hcl().and_then(|it| it.segment_at(segment.offset));
                let items = block.into_iter().flat_map(|it| &it.parsed.items);
                let blocks = items.filter_map(|item| match item {
                    Item::Block(block) => Some(block),
                    Item::Attribute(_) | Item::Member(_) => None,
                });
                lenses.extend(blocks.filter_map(|block| {
                    Some(CodeLens {
                        range: block.header_range + segment.offset,
                        title: format!("{} …", last_title(block, &known)?),
                        command: Some(Command::Replan),
                    })
                }));
            }
        }
        if self.settings().lens.references {
            lenses.extend(self.reference_counts(file));
        }
        lenses
    }
}

/// What the last plan said of a resource's block.
fn last_title(block: &Block, known: &Known) -> Option<String> {
    let [r#type, name] = block.labels.as_slice() else {
        return None;
    };
    let mode = ResourceMode::of_block_type(&block.kind.name)?;
    let addr = ResourceAddr::new(mode, r#type.text.clone(), name.text.clone());
    known
        .resource(&addr)
        .map(|resource| lenses::title(resource))
}
