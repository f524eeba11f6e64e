//! The kinds of words in a program: names in `${...}`, functions, types and declarations.

use ide::{SemanticToken, TokenKind};
use pulumi::expr::Reader;
use pulumi::program::SETTINGS;
use text::{TextRange, TextSize};
use yaml::{Node, NodeKind, Parsed, SegmentRole};

/// The words of a segment, in the order of its text.
pub(crate) fn tokens(parsed: &Parsed) -> Vec<SemanticToken> {
    let mut tokens = Tokens {
        text: &parsed.text,
        found: Vec::new(),
    };
    let section = match &parsed.role {
        SegmentRole::Entry(section) => Some(&**section),
        _ => None,
    };
    for entry in &parsed.entries {
        let inside = match section {
            Some(section) => {
                tokens.entry(section, entry);
                continue;
            }
            None => entry.key.text().unwrap_or_default(),
        };
        for entry in entry.value.entries() {
            tokens.entry(inside, entry);
        }
    }
    tokens.found.sort_by_key(|it| it.range.start());
    tokens.found.dedup_by_key(|it| it.range.start());
    tokens.found
}

struct Tokens<'a> {
    text: &'a str,
    found: Vec<SemanticToken>,
}

impl Tokens<'_> {
    fn add(&mut self, range: TextRange, kind: TokenKind, is_declaration: bool) {
        let written = self.text.get(std::ops::Range::<usize>::from(range));
        if written.is_some_and(|it| !it.is_empty() && !it.contains('\n')) {
            self.found.push(SemanticToken {
                range,
                kind,
                is_declaration,
            });
        }
    }

    /// The declarations of a section.
    fn entry(&mut self, section: &str, entry: &yaml::MappingEntry) {
        let kind = match section {
            "resources" => TokenKind::Class,
            "variables" => TokenKind::Variable,
            "config" | "configuration" => TokenKind::Parameter,
            "outputs" => TokenKind::Property,
            _ => return,
        };
        self.add(entry.key.range, kind, true);
        if section == "resources"
            && let Some(of) = entry.value.get("type")
        {
            self.add(of.value.range, TokenKind::Type, false);
        }
        self.value(&entry.value);
    }

    fn value(&mut self, node: &Node) {
        match &node.kind {
            NodeKind::Scalar(scalar) => {
                if scalar.text.contains("${") {
                    self.references(node);
                }
            }
            NodeKind::Sequence(elements) => elements.iter().for_each(|it| self.value(it)),
            NodeKind::Mapping(entries) => {
                for entry in entries {
                    if entry.key.text().is_some_and(|it| it.starts_with("fn::")) {
                        self.add(entry.key.range, TokenKind::Function, false);
                    }
                    self.value(&entry.key);
                    self.value(&entry.value);
                }
            }
            NodeKind::Alias => {}
        }
    }

    /// The names between `${` and `}`.
    fn references(&mut self, node: &Node) {
        let mut reader = Reader {
            source: self.text,
            problems: &mut Vec::new(),
        };
        let expr = reader.expr(node);
        let mut accesses = Vec::new();
        expr.accesses(&mut accesses);
        for access in accesses {
            let Some(written) = self.text.get(std::ops::Range::<usize>::from(access.at)) else {
                continue;
            };
            let mut at = 0;
            let is_name = |c: char| !".[]\"{}$".contains(c);
            let mut kind = match access.root == SETTINGS {
                true => TokenKind::Namespace,
                false => TokenKind::Variable,
            };
            while let Some(start) = written[at..].find(is_name) {
                let start = at + start;
                let rest = &written[start..];
                let end = start + rest.find(|c| !is_name(c)).unwrap_or(rest.len());
                let size = |offset: usize| TextSize::new(offset as u32);
                let range = TextRange::new(size(start), size(end)) + access.at.start();
                let is_index = written[start..end].bytes().all(|it| it.is_ascii_digit());
                let own = if is_index { TokenKind::Number } else { kind };
                self.add(range, own, false);
                kind = TokenKind::Property;
                at = end;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn semantic_tokens_of_a_program() {
        let text = "variables:\n  v:\n    fn::join: ['-', ['${a.tags[\"x y\"]}', 'b ${pulumi.stack}']]\nresources:\n  a:\n    type: t:T\n    properties:\n      n: ${v[0].z}\n";
        let file = yaml::File::parse(text);
        let mut found = Vec::new();
        for segment in file.segments() {
            for token in tokens(segment.parsed) {
                let word = &text[token.range + segment.offset];
                let mark = if token.is_declaration { "!" } else { "" };
                found.push(format!("{word} {:?}{mark}", token.kind));
            }
        }
        assert_eq!(
            found,
            [
                "v Variable!",
                "fn::join Function",
                "a Variable",
                "tags Property",
                "x y Property",
                "pulumi Namespace",
                "stack Property",
                "a Class!",
                "t:T Type",
                "v Variable",
                "0 Number",
                "z Property",
            ]
        );
    }
}
