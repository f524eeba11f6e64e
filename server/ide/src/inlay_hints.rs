//! Inlay hints: the plan inside the lines that cause it, and the names of parameters.

use text::{FileId, TextRange};

use crate::parameter_hints::parameter_hints;
use crate::{ActionPlace, HintKind, InlayHint, Snapshot};

impl Snapshot {
    /// The hints inside `range`, in the order of the text.
    pub fn inlay_hints(&self, file: &FileId, range: TextRange) -> Vec<InlayHint> {
        let mut hints = Vec::new();
        for (segment, facts) in self.planned_at(file, range) {
            let shown = facts
                .inlay_hints
                .iter()
                .filter(|hint| self.shows(hint.kind));
            let placed = shown.map(|hint| hint.at(segment.offset + hint.offset));
            hints.extend(placed.filter(|hint| range.contains_inclusive(hint.offset)));
        }
        if self.settings().hints.parameter_names
            && let Some(source) = self.hcl_file(file)
        {
            let known = self.known(file);
            let names = parameter_hints(source, &known, range).into_iter();
            hints.extend(names.filter(|hint| range.contains_inclusive(hint.offset)));
        }
        if self.settings().actions.place == ActionPlace::Line {
            hints.extend(self.action_hints(file, range, &hints));
        }
        hints.sort_by_key(|hint| hint.offset);
        hints
    }

    fn shows(&self, kind: HintKind) -> bool {
        let hints = &self.settings().hints;
        match kind {
            HintKind::Action(_) => true,
            HintKind::ForcesReplacement => hints.forces_replacement,
            HintKind::Updated => hints.updates,
            HintKind::ChangedOutside => hints.changed_outside,
            HintKind::KnownAfterApply => hints.known_after_apply,
            HintKind::Value => hints.values,
            HintKind::Instances => hints.instances,
            HintKind::Parameter => hints.parameter_names,
        }
    }
}
