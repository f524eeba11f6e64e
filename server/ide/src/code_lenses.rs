//! What will happen to a block, above it.

use text::FileId;

use crate::{CodeLens, Snapshot};

impl Snapshot {
    /// The code lenses of an open file, in the order of the text.
    pub fn code_lenses(&self, file: &FileId) -> Vec<CodeLens> {
        let mut lenses = Vec::new();
        for (segment, facts) in self.planned(file) {
            lenses.extend(facts.code_lenses.iter().map(|lens| CodeLens {
                range: lens.range + segment.offset,
                ..lens.clone()
            }));
        }
        lenses
    }
}
