//! The steps after a term: attributes, indexes, splats. And traversals that stand alone.

use smol_str::SmolStr;
use text::TextRange;

use super::Parser;
use crate::SyntaxKind;
use crate::ast::{Expr, ExprKind, Key, Splat, SplatKind, Step, StepKind, Traversal};
use crate::string;

const INVALID_LEGACY_INDEX: &str = "Invalid legacy index syntax";
const INVALID_ATTRIBUTE_NAME: (&str, &str) = (
    "Invalid attribute name",
    "An attribute name is required after a dot.",
);

impl Parser<'_> {
    pub(super) fn traversals(&mut self, mut expr: Expr) -> Expr {
        loop {
            expr = match self.peek() {
                SyntaxKind::Dot => self.dot(expr),
                SyntaxKind::OpenBracket => self.bracket(expr),
                _ => return expr,
            };
        }
    }

    fn dot(&mut self, source: Expr) -> Expr {
        let checkpoint = self.checkpoint();
        let dot = self.bump().range;
        match self.peek() {
            SyntaxKind::Ident | SyntaxKind::Number => {
                let kind = self.dot_step("Use the proper index syntax instead, like");
                self.wrap(checkpoint, SyntaxKind::Step);
                self.extended(source, kind, dot)
            }
            SyntaxKind::Star => {
                let splat = self.attribute_splat(source, dot);
                self.wrap(checkpoint, SyntaxKind::Splat);
                splat
            }
            _ => {
                self.fail_always(INVALID_ATTRIBUTE_NAME.0, INVALID_ATTRIBUTE_NAME.1);
                self.wrap(checkpoint, SyntaxKind::Error);
                let range = source.range.cover(dot);
                let kind = ExprKind::Error(Some(Box::new(source)));
                self.raised(self.height, Expr { kind, range })
            }
        }
    }

    /// The name or number after a dot.
    fn dot_step(&mut self, chained: &str) -> StepKind {
        if self.at(SyntaxKind::Ident) {
            return StepKind::Attr(self.ident());
        }
        let range = self.bump().range;
        let number = self.slice(range);
        if let Some((first, second)) = number.split_once('.') {
            self.report(
                range,
                INVALID_LEGACY_INDEX,
                format!(
                    "When using the legacy index syntax, chaining two indexes together is not \
                     permitted. {chained} [{first}][{second}]."
                ),
            );
        } else {
            self.check_number(range);
        }
        StepKind::LegacyIndex(SmolStr::new(number))
    }

    /// `.*` and the attributes after it.
    fn attribute_splat(&mut self, source: Expr, dot: TextRange) -> Expr {
        let marker = dot.cover(self.bump().range);
        let height = self.height;
        let item = Expr {
            kind: ExprKind::SplatItem,
            range: marker,
        };
        let mut each = item;
        self.height = 1;
        while self.at(SyntaxKind::Dot) {
            let checkpoint = self.checkpoint();
            let dot = self.bump().range;
            match self.peek() {
                SyntaxKind::Ident | SyntaxKind::Number => {
                    let kind = self.dot_step(
                        "Use the proper index syntax with a full splat expression [*] instead, like",
                    );
                    each = self.extended(each, kind, dot);
                    self.wrap(checkpoint, SyntaxKind::Step);
                }
                SyntaxKind::Star => {
                    self.fail(
                        "Nested splat expression not allowed",
                        "A splat expression (*) cannot be used inside another attribute-only splat \
                         expression.",
                    );
                    self.wrap(checkpoint, SyntaxKind::Error);
                }
                _ => {
                    self.fail(INVALID_ATTRIBUTE_NAME.0, INVALID_ATTRIBUTE_NAME.1);
                    self.wrap(checkpoint, SyntaxKind::Error);
                    let range = each.range.cover(dot);
                    each = Expr {
                        kind: ExprKind::Error(Some(Box::new(each))),
                        range,
                    };
                }
            }
        }
        let height = height.max(self.height);
        self.splat(SplatKind::AttributeOnly, source, each, marker, height)
    }

    fn splat(
        &mut self,
        kind: SplatKind,
        source: Expr,
        each: Expr,
        marker: TextRange,
        height: u32,
    ) -> Expr {
        let range = source.range.cover(marker).cover(each.range);
        let splat = Splat {
            kind,
            source,
            each,
            marker,
        };
        self.raised(
            height,
            Expr {
                kind: ExprKind::Splat(Box::new(splat)),
                range,
            },
        )
    }

    fn fail_to_close_bracket(&mut self, summary: &'static str, detail: &str) {
        if self.reference.is_some() {
            self.fail_at_closing_bracket(summary, detail);
        } else {
            self.fail(summary, detail);
        }
    }

    fn bracket(&mut self, source: Expr) -> Expr {
        let mut height = self.height;
        let checkpoint = self.checkpoint();
        let open = self.bump().range;
        if self.eat(SyntaxKind::Star).is_some() {
            if self.eat(SyntaxKind::CloseBracket).is_none() {
                self.fail_to_close_bracket(
                    "Missing close bracket on splat index",
                    "The star for a full splat operator must be immediately followed by a closing \
                     bracket (\"]\").",
                );
            }
            self.wrap(checkpoint, SyntaxKind::Splat);
            let marker = self.since(open.start());
            let item = Expr {
                kind: ExprKind::SplatItem,
                range: marker,
            };
            self.height = 1;
            let each = self
                .nested(|p| p.traversals(item))
                .unwrap_or_else(|| Expr::error(self.end));
            height = height.max(self.height);
            return self.splat(SplatKind::Full, source, each, marker, height);
        }
        self.newlines.push(false);
        let key = self.part(&mut height);
        if self.eat(SyntaxKind::CloseBracket).is_none() {
            self.fail_to_close_bracket(
                "Missing close bracket on index",
                "The index operator must end with a closing bracket (\"]\").",
            );
        }
        self.newlines.pop();
        self.wrap(checkpoint, SyntaxKind::Index);
        match literal_key(&key) {
            Some(literal) => {
                self.height = height;
                self.extended(source, StepKind::Index(literal), open)
            }
            None => {
                let range = source.range.cover(self.since(open.start()));
                let kind = ExprKind::Index {
                    collection: Box::new(source),
                    key: Box::new(key),
                };
                self.raised(height, Expr { kind, range })
            }
        }
    }

    /// `source` with one more static step, which began at `start` and ends here.
    fn extended(&mut self, source: Expr, kind: StepKind, start: TextRange) -> Expr {
        let step = Step {
            kind,
            range: self.since(start.start()),
        };
        let range = source.range.cover(step.range);
        match source.kind {
            ExprKind::Traversal(mut traversal) => {
                traversal.steps.push(step);
                Expr {
                    kind: ExprKind::Traversal(traversal),
                    range,
                }
            }
            ExprKind::RelativeTraversal { source, mut steps } => {
                steps.push(step);
                Expr {
                    kind: ExprKind::RelativeTraversal { source, steps },
                    range,
                }
            }
            _ => {
                let kind = ExprKind::RelativeTraversal {
                    source: Box::new(source),
                    steps: vec![step],
                };
                self.raised(self.height, Expr { kind, range })
            }
        }
    }

    pub(super) fn traversal_abs(&mut self) -> Option<Traversal> {
        if !self.at(SyntaxKind::Ident) {
            self.fail("Variable name required", "Must begin with a variable name.");
            return None;
        }
        let mut traversal = Traversal {
            root: self.ident(),
            steps: Vec::new(),
        };
        loop {
            let start = self.start();
            let kind = match self.peek() {
                SyntaxKind::EndOfFile => return Some(traversal),
                SyntaxKind::Dot => self.traversal_attribute(),
                SyntaxKind::OpenBracket => self.traversal_index(),
                _ => {
                    let detail = "Expected an attribute access or an index operator.";
                    self.fail("Invalid character", detail);
                    None
                }
            };
            if let Some(kind) = kind {
                traversal.steps.push(Step {
                    kind,
                    range: self.since(start),
                });
            }
        }
    }

    fn traversal_attribute(&mut self) -> Option<StepKind> {
        self.bump();
        match self.peek() {
            SyntaxKind::Ident => return Some(StepKind::Attr(self.ident())),
            SyntaxKind::Star => self.fail(
                "Attribute name required",
                "Splat expressions (.*) may not be used here.",
            ),
            _ => self.fail(
                "Attribute name required",
                "Dot must be followed by attribute name.",
            ),
        }
        None
    }

    fn traversal_index(&mut self) -> Option<StepKind> {
        self.bump();
        let key = match self.peek() {
            SyntaxKind::Number => {
                let range = self.bump().range;
                self.check_number(range);
                Key::Number(SmolStr::new(self.slice(range)))
            }
            SyntaxKind::OpenQuote => Key::String(string::normalize(&self.quoted_string())),
            SyntaxKind::Star => {
                let detail = "Splat expressions ([*]) may not be used here.";
                self.fail("Attribute name required", detail);
                return None;
            }
            _ => {
                self.fail(
                    "Index value required",
                    "Index brackets must contain either a literal number or a literal string.",
                );
                return None;
            }
        };
        if self.eat(SyntaxKind::CloseBracket).is_none() {
            let detail = "Index key must be followed by a closing bracket.";
            self.fail("Unclosed index brackets", detail);
        }
        Some(StepKind::Index(key))
    }
}

fn literal_key(key: &Expr) -> Option<Key> {
    match &key.kind {
        ExprKind::Number(text) => Some(Key::Number(text.clone())),
        ExprKind::Bool(value) => Some(Key::Bool(*value)),
        ExprKind::Null => Some(Key::Null),
        ExprKind::Template(template) => template.as_literal().map(Key::String),
        _ => None,
    }
}
