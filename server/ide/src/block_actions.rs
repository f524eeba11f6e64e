//! The planned actions of the blocks of a file: as code lenses above them, or after their headers.

use config::{ResourceAddr, ResourceMode};
use syntax::ast::{Block, Item};
use text::{FileId, TextRange, TextSize};

use crate::code_lenses::Headline;
use crate::source::Segments;
use crate::terraform_plan::object;
use crate::{
    ActionPlace, CodeLens, Command, HintKind, InlayHint, LensKind, MAX_HINT_LABEL, Markdown,
    ModuleContext, Parsed, ShownActions, Snapshot, Tone,
};

impl Snapshot {
    /// The code lenses of an open file: planned actions in the order of the text, and then counts.
    pub fn code_lenses(&self, file: &FileId) -> Vec<CodeLens> {
        let is_above = self.settings().actions.place == ActionPlace::Lens;
        let mut lenses = self.notes(file);
        if is_above {
            lenses.extend(self.shown_actions(file, None, " …"));
            lenses.sort_by_key(|lens| lens.range.start());
        }
        if self.settings().lens.references {
            lenses.extend(self.reference_counts(file));
        }
        lenses
    }

    /// The actions that the settings want to be shown, of the blocks that touch `range` or of all.
    pub(crate) fn shown_actions(
        &self,
        file: &FileId,
        range: Option<TextRange>,
        outdated: &str,
    ) -> Vec<CodeLens> {
        let mut actions = match self.settings().actions.show {
            ShownActions::Off => Vec::new(),
            ShownActions::All | ShownActions::Changes => self.actions_of(file, range, outdated),
        };
        if self.settings().actions.show == ShownActions::Changes {
            actions.retain(|action| matches!(action.kind, LensKind::Change(_)));
        }
        actions
    }

    /// The notes above blocks, which the settings do not hide.
    pub(crate) fn notes(&self, file: &FileId) -> Vec<CodeLens> {
        let mut all = self.planned_lenses(file, None);
        all.retain(|lens| lens.kind == LensKind::Note);
        all
    }

    /// The action of each block, in the order of the text.
    ///
    /// A block that differs from the planned one, or is half-typed, keeps its last action, with
    /// `outdated` behind it: text that comes and goes with each key is seen before anything else.
    pub(crate) fn actions_of(
        &self,
        file: &FileId,
        range: Option<TextRange>,
        outdated: &str,
    ) -> Vec<CodeLens> {
        let Some(source) = self.file(file) else {
            return Vec::new();
        };
        let known = self.known(file);
        let mut actions = self.planned_lenses(file, range);
        actions.retain(|lens| lens.kind != LensKind::Note);
        let planned = self.facts(file);
        let parsed = source.parsed();
        for segment in segments(parsed, range) {
            let facts = planned.and_then(|planned| planned.get(segment.id));
            let has_actions = facts.is_some_and(|facts| !facts.code_lenses.is_empty());
            let is_broken = parsed.is_broken(segment.id);
            if has_actions || (facts.is_some() && !is_broken) {
                continue;
            }
            let block = source.hcl().and_then(|it| it.segment_at(segment.offset));
            let items = block.into_iter().flat_map(|it| &it.parsed.items);
            let blocks = items.filter_map(|item| match item {
                Item::Block(block) => Some(block),
                Item::Attribute(_) | Item::Member(_) => None,
            });
            actions.extend(blocks.filter_map(|block| {
                let (title, kind) = last_headline(block, &known)?;
                Some(CodeLens {
                    range: block.header_range + segment.offset,
                    title: format!("{title}{outdated}"),
                    kind,
                    command: Some(Command::Replan),
                })
            }));
        }
        actions.sort_by_key(|action| action.range.start());
        actions
    }

    fn planned_lenses(&self, file: &FileId, range: Option<TextRange>) -> Vec<CodeLens> {
        let (Some(source), Some(planned)) = (self.file(file), self.facts(file)) else {
            return Vec::new();
        };
        let found = segments(source.parsed(), range).flat_map(|segment| {
            let facts = planned.get(segment.id);
            let lenses = facts.map_or(&[][..], |facts| &facts.code_lenses);
            lenses.iter().map(move |lens| CodeLens {
                range: lens.range + segment.offset,
                ..lens.clone()
            })
        });
        found.collect()
    }

    /// The same as hints after the block headers; omitted where the line has a more specific hint.
    pub(crate) fn action_hints(
        &self,
        file: &FileId,
        range: TextRange,
        others: &[InlayHint],
    ) -> Vec<InlayHint> {
        let Some(source) = self.file(file) else {
            return Vec::new();
        };
        let mut hints: Vec<(TextSize, Vec<String>, Option<Tone>)> = Vec::new();
        let parsed = source.parsed();
        for action in self.shown_actions(file, Some(range), "") {
            let start = action.range.start();
            let end = line_end(parsed, start);
            let tone = match action.kind {
                LensKind::Change(tone) => Some(tone),
                LensKind::NoChange | LensKind::Note => None,
            };
            let is_taken = |hint: &InlayHint| (start..=end).contains(&hint.offset);
            if others.iter().any(is_taken) {
                continue;
            }
            match hints.last_mut() {
                // The instances of a module differ.
                Some((place, titles, most)) if *place == end => {
                    titles.push(action.title);
                    *most = tone.max(*most);
                }
                Some(_) | None => hints.push((end, vec![action.title], tone)),
            }
        }
        let hints = hints.into_iter().map(|(end, titles, tone)| {
            let title = titles.join(", ");
            let is_cut = title.chars().count() > MAX_HINT_LABEL;
            let tooltip = is_cut.then(|| Markdown::code(title.clone()));
            InlayHint::new(end, title, HintKind::Action(tone), tooltip)
        });
        hints.collect()
    }
}

fn segments(parsed: &dyn Parsed, range: Option<TextRange>) -> Segments<'_> {
    match range {
        Some(range) => parsed.segments_touching(range),
        None => parsed.segments(),
    }
}

/// The end of the line of `offset`.
fn line_end(parsed: &dyn Parsed, offset: TextSize) -> TextSize {
    let mut touching = parsed.segments_touching(TextRange::empty(offset));
    let segment = touching.find(|segment| segment.range().contains(offset));
    let rest = segment.and_then(|it| it.text.get(usize::from(offset - it.offset)..));
    let line = rest.and_then(|rest| rest.split('\n').next());
    offset + TextSize::of(line.unwrap_or_default().trim_end())
}

/// The action of a resource's block in the last plan.
fn last_headline(block: &Block, known: &ModuleContext) -> Option<Headline> {
    let [r#type, name] = block.labels.as_slice() else {
        return None;
    };
    let mode = ResourceMode::of_block_type(&block.kind.name)?;
    let addr = ResourceAddr::new(mode, r#type.text.clone(), name.text.clone());
    known
        .resource(&addr)
        .map(|resource| object::headline(resource))
}
