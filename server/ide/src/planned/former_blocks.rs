//! Where the blocks stood whose objects will be destroyed.

use std::collections::BTreeMap;

use config::{ModuleCall, Resource, ResourceAddr, Table};
use plan::ResourceResult;
use smol_str::SmolStr;
use text::{FileId, Span, TextRange, TextSize};

use super::Planned;

/// The declarations of a module when it was last planned, and the places of those that are gone.
#[derive(Default)]
pub(super) struct FormerBlocks {
    files: BTreeMap<FileId, syntax::File>,
    resources: Table<ResourceAddr, Resource>,
    calls: Table<SmolStr, ModuleCall>,
    gone: BTreeMap<Declared, FormerPlace>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Declared {
    Resource(ResourceAddr),
    Call(SmolStr),
}

/// Between two others, which are known by their first lines: their inside may change.
struct FormerPlace {
    file: FileId,
    before: Option<String>,
    after: Option<String>,
}

impl FormerBlocks {
    /// Notes the current declarations, and the places of `removed`.
    pub(super) fn update(&mut self, planned: &Planned<'_>, removed: &[&ResourceResult]) {
        let module = planned.module;
        self.gone.retain(|declared, _| match declared {
            Declared::Resource(addr) => module.resources.get(addr).is_none(),
            Declared::Call(name) => module.module_calls.get(name).is_none(),
        });
        let follow = |place: &mut FormerPlace| {
            let (Some(old), Some(now)) =
                (self.files.get(&place.file), module.files.get(&place.file))
            else {
                return;
            };
            let (old, now) = (first_lines(old), first_lines(now));
            place.before = still_there(place.before.take(), old.iter().rev(), &now);
            place.after = still_there(place.after.take(), old.iter(), &now);
        };
        self.gone.values_mut().for_each(follow);
        for resource in removed {
            let declared = declared(resource);
            if !self.gone.contains_key(&declared)
                && let Some(mut place) = self.place_of(&declared)
            {
                follow(&mut place);
                self.gone.insert(declared, place);
            }
        }
        let files = module.files.iter();
        self.files = files.map(|(id, file)| (id.clone(), file.clone())).collect();
        self.resources = module.resources.clone();
        self.calls = module.module_calls.clone();
    }

    fn place_of(&self, declared: &Declared) -> Option<FormerPlace> {
        let span = match declared {
            Declared::Resource(addr) => &self.resources.get(addr)?.decl.span,
            Declared::Call(name) => &self.calls.get(name)?.decl.span,
        };
        let file = self.files.get(&span.file)?;
        let lines = first_lines(file);
        let at = file.segments().position(|it| it.id == span.segment)?;
        let line = |at: Option<usize>| Some((*lines.get(at?)?).to_owned());
        Some(FormerPlace {
            file: span.file.clone(),
            before: line(at.checked_sub(1)),
            after: line(Some(at + 1)),
        })
    }

    /// The place to report that an object without a declaration will be destroyed: the call of its module, or behind the block
    /// before its own.
    pub(super) fn find(&self, planned: &Planned<'_>, removed: &ResourceResult) -> Option<Span> {
        let declared = declared(removed);
        if let Declared::Call(name) = &declared
            && let Some(call) = planned.module.module_calls.get(name)
        {
            return Some(call.decl.span.clone());
        }
        let place = self.gone.get(&declared)?;
        let file = planned.module.files.get(&place.file)?;
        let find = |line: &Option<String>| {
            let line = line.as_deref()?;
            file.segments()
                .find(|it| first_line(&it.parsed.text) == line)
        };
        let (segment, line) = match find(&place.before) {
            Some(before) => (before, before.parsed.text.trim_end().lines().next_back()?),
            None => {
                let after = find(&place.after)?;
                (after, first_line(&after.parsed.text))
            }
        };
        let text = &segment.parsed.text;
        let start = line.as_ptr() as usize - text.as_ptr() as usize;
        Some(Span {
            file: place.file.clone(),
            segment: segment.id,
            range: TextRange::at(TextSize::try_from(start).ok()?, TextSize::of(line)),
        })
    }
}

/// The declaration of an object: a resource of the module, or the call of the module that it is in.
fn declared(resource: &ResourceResult) -> Declared {
    match resource.addr.module.steps().first() {
        Some(step) => Declared::Call(step.call.clone()),
        None => Declared::Resource(resource.addr.resource.clone()),
    }
}

fn first_lines(file: &syntax::File) -> Vec<&str> {
    let segments = file.segments();
    segments.map(|it| first_line(&it.parsed.text)).collect()
}

/// The line, or the next one of `old` that is there `now`.
fn still_there<'a>(
    line: Option<String>,
    old: impl Iterator<Item = &'a &'a str>,
    now: &[&str],
) -> Option<String> {
    let line = line?;
    let mut onwards = old.skip_while(|it| **it != line);
    match now.contains(&line.as_str()) {
        true => Some(line),
        false => onwards
            .find(|it| now.contains(it))
            .map(|it| (*it).to_owned()),
    }
}

fn first_line(text: &str) -> &str {
    let line = text.trim_start().lines().next();
    line.unwrap_or_default().trim_end()
}
