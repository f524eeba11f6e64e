//! Semantic tokens of an open file.

use text::{FileId, TextRange};

use crate::{SemanticToken, Snapshot, TextSegment};

impl Snapshot {
    /// The words of the segments that `within` touches, in the order of the text.
    pub fn semantic_tokens(&self, file: &FileId, within: TextRange) -> Vec<SemanticToken> {
        let Some(source) = self.file(file) else {
            return Vec::new();
        };
        let parsed = source.parsed();
        let placed = |segment: TextSegment<'_>| {
            let tokens = parsed.tokens(&segment).into_iter();
            tokens.map(move |token| SemanticToken {
                range: token.range + segment.offset,
                ..token
            })
        };
        let tokens = parsed.segments_touching(within).flat_map(placed);
        tokens
            .filter(|token| within.intersect(token.range).is_some())
            .collect()
    }
}
