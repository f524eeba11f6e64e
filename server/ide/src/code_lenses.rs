//! What will happen to a block, and how often it is referred to, above it.

use text::FileId;

use crate::{CodeLens, Snapshot};

impl Snapshot {
    /// The code lenses of an open file: what is planned, in the order of the text, and then counts.
    pub fn code_lenses(&self, file: &FileId) -> Vec<CodeLens> {
        let mut lenses = Vec::new();
        for (segment, facts) in self.planned(file) {
            lenses.extend(facts.code_lenses.iter().map(|lens| CodeLens {
                range: lens.range + segment.offset,
                ..lens.clone()
            }));
        }
        if self.settings().lens.references {
            lenses.extend(self.reference_counts(file));
        }
        lenses
    }
}
