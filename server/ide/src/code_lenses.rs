//! Code lenses: the planned action of a block and its number of references, above it.

use text::FileId;

use crate::{ActionPlace, CodeLens, Snapshot};

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
}
