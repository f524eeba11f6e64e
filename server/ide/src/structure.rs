//! Folding ranges, and the steps of a growing selection.

use std::collections::BTreeMap;

use syntax::{SyntaxKind, SyntaxToken};
use text::{FileId, TextRange, TextSize};

use crate::Snapshot;

/// Lines that can be folded into their first one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fold {
    pub range: TextRange,
    pub kind: FoldKind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FoldKind {
    Code,
    Comment,
    /// Between `#region` and `#endregion`.
    Region,
}

impl Snapshot {
    pub fn folds(&self, file: &FileId) -> Vec<Fold> {
        let Some(source) = self.hcl_file(file) else {
            return Vec::new();
        };
        let syntax = source.syntax();
        let text = syntax.text();
        let mut folds = Folds {
            text,
            open: Vec::new(),
            regions: Vec::new(),
            comment: None,
            found: Vec::new(),
        };
        for segment in syntax.segments() {
            let tokens = segment.parsed.syntax().descendants_with_tokens();
            for token in tokens.filter_map(|element| element.into_token()) {
                folds.token(&token, token.text_range() + segment.offset);
            }
            folds.open.clear();
        }
        folds.end_comment();
        // Of several folds in one line the first, which is the largest.
        let mut by_line = BTreeMap::new();
        folds
            .found
            .sort_by_key(|fold| (fold.range.start(), std::cmp::Reverse(fold.range.end())));
        for fold in folds.found {
            let start = usize::from(fold.range.start());
            let line = text[..start].rfind('\n');
            by_line.entry(line).or_insert(fold);
        }
        by_line.into_values().collect()
    }

    /// The ranges around `offset`, from the narrowest to the whole file.
    pub fn selections(&self, file: &FileId, offset: TextSize) -> Vec<TextRange> {
        let Some(source) = self.file(file) else {
            return Vec::new();
        };
        let syntax = source.syntax();
        let mut ranges = Vec::new();
        if let Some((segment, tokens)) = syntax.syntax_at(offset) {
            let token = tokens.max_by_key(|token| usize::from(token.kind() == SyntaxKind::Ident));
            if let Some(token) = token {
                if !is_blank(&token) {
                    ranges.push(token.text_range() + segment.offset);
                }
                let nodes = token.parent_ancestors();
                ranges.extend(nodes.map(|node| trimmed(&node) + segment.offset));
            }
        }
        let end = match source.hcl() {
            Some(syntax) => TextSize::of(&**syntax.text()),
            None => source.document().line_index().len(),
        };
        ranges.push(TextRange::up_to(end));
        ranges.retain(|range| range.contains_inclusive(offset));
        ranges.sort_by_key(|range| range.len());
        ranges.dedup();
        // Each one is around the one before.
        let mut nested: Vec<TextRange> = Vec::new();
        for range in ranges {
            if nested
                .last()
                .is_none_or(|inner| range.contains_range(*inner))
            {
                nested.push(range);
            }
        }
        if nested.len() > MAX_SELECTIONS {
            let whole = nested.pop();
            nested.truncate(MAX_SELECTIONS - 1);
            nested.extend(whole);
        }
        nested
    }
}

/// One is nested in the other in a message, and many editors read no more than 128 levels.
const MAX_SELECTIONS: usize = 64;

struct Folds<'a> {
    text: &'a str,
    open: Vec<(SyntaxKind, TextSize)>,
    regions: Vec<TextSize>,
    /// The comment lines so far.
    comment: Option<TextRange>,
    found: Vec<Fold>,
}

impl Folds<'_> {
    fn token(&mut self, token: &SyntaxToken, range: TextRange) {
        use SyntaxKind as K;
        match token.kind() {
            K::LineComment => return self.line_comment(token.text(), range),
            K::Space | K::Newline => {
                if token.text().matches('\n').count() > 1 {
                    self.end_comment();
                }
                return;
            }
            K::BlockComment => self.add(range, FoldKind::Comment),
            K::OpenBrace | K::OpenBracket | K::OpenParen | K::OpenHeredoc => {
                self.open.push((token.kind(), range.start()));
            }
            K::CloseBrace => self.close(K::OpenBrace, range),
            K::CloseBracket => self.close(K::OpenBracket, range),
            K::CloseParen => self.close(K::OpenParen, range),
            K::CloseHeredoc => self.close(K::OpenHeredoc, range),
            _ => {}
        }
        self.end_comment();
    }

    fn close(&mut self, open: SyntaxKind, range: TextRange) {
        let Some(at) = self.open.iter().rposition(|(kind, _)| *kind == open) else {
            return;
        };
        let (_, start) = self.open[at];
        self.open.truncate(at);
        self.add(TextRange::new(start, range.end()), FoldKind::Code);
    }

    fn line_comment(&mut self, text: &str, range: TextRange) {
        let words = text.trim_start_matches(['#', '/']).trim_start();
        if words.starts_with("region") {
            self.end_comment();
            return self.regions.push(range.start());
        }
        if words.starts_with("endregion") {
            self.end_comment();
            if let Some(start) = self.regions.pop() {
                self.add(TextRange::new(start, range.end()), FoldKind::Region);
            }
            return;
        }
        self.comment = Some(match self.comment {
            Some(before) => before.cover(range),
            None => range,
        });
    }

    fn end_comment(&mut self) {
        if let Some(range) = self.comment.take() {
            self.add(range, FoldKind::Comment);
        }
    }

    fn add(&mut self, range: TextRange, kind: FoldKind) {
        let text = &self.text[usize::from(range.start())..usize::from(range.end())];
        if text.trim_end().contains('\n') {
            self.found.push(Fold { range, kind });
        }
    }
}

fn is_blank(token: &SyntaxToken) -> bool {
    matches!(token.kind(), SyntaxKind::Space | SyntaxKind::Newline)
}

/// A node without the blanks and newlines around it.
fn trimmed(node: &syntax::SyntaxNode) -> TextRange {
    let text = node.text().to_string();
    let range = node.text_range();
    let start = TextSize::of(&text[..text.len() - text.trim_start().len()]);
    let end = TextSize::of(text.trim_end());
    match start < end {
        true => TextRange::new(range.start() + start, range.start() + end),
        false => range,
    }
}
