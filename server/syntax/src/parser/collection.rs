//! Terms that hold expressions between brackets: calls, tuples, objects, `for`.

use smol_str::SmolStr;
use text::TextRange;

use super::Parser;
use super::resume::track;
use crate::SyntaxKind;
use crate::ast::{Call, Expr, ExprKind, For, Ident, ObjectItem, ObjectKey, Traversal};

const INVALID_FOR: &str = "Invalid 'for' expression";

impl Parser<'_> {
    pub(super) fn call(&mut self, first: Ident) -> Expr {
        let start = first.range.start();
        let mut name = String::from(first.name.as_str());
        while self.eat(SyntaxKind::DoubleColon).is_some() {
            name.push_str("::");
            if self.at(SyntaxKind::Ident) {
                name.push_str(&self.ident().name);
            } else {
                self.fail_always(
                    "Missing function name",
                    "Function scope resolution symbol :: must be followed by a function name in this \
                     scope.",
                );
            }
        }
        let name_range = self.since(start);
        let Some(open_paren) = self.eat(SyntaxKind::OpenParen) else {
            self.fail_always(
                "Missing open parenthesis",
                "Function selector must be followed by an open parenthesis to begin the function call.",
            );
            let root = Ident {
                name: SmolStr::from(name),
                range: name_range,
            };
            let kind = ExprKind::Traversal(Traversal {
                root,
                steps: Vec::new(),
            });
            let partial = Expr {
                kind,
                range: name_range,
            };
            return Expr {
                kind: ExprKind::Error(Some(Box::new(partial))),
                range: name_range,
            };
        };
        self.newlines.push(false);
        let (args, expand_final, close_paren, height) = self.arguments(name_range);
        self.newlines.pop();
        let call = Call {
            name: SmolStr::from(name),
            name_range,
            args,
            expand_final,
            open_paren: open_paren.range,
            close_paren,
        };
        let range = self.since(start);
        self.raised(
            height,
            Expr {
                kind: ExprKind::Call(Box::new(call)),
                range,
            },
        )
    }

    fn arguments(&mut self, name: TextRange) -> (Vec<Expr>, bool, Option<TextRange>, u32) {
        let mut args = Vec::new();
        let mut height = 0;
        loop {
            if let Some(close) = self.eat(SyntaxKind::CloseParen) {
                return (args, false, Some(close.range), height);
            }
            args.push(self.part(&mut height));
            match self.peek() {
                SyntaxKind::Comma => {
                    self.bump();
                }
                SyntaxKind::CloseParen => {}
                SyntaxKind::Ellipsis => {
                    let ellipsis = self.bump().range;
                    let close = self.eat(SyntaxKind::CloseParen);
                    if close.is_none() {
                        self.fail_at(
                            ellipsis,
                            "Missing closing parenthesis",
                            "An expanded function argument (with ...) must be immediately followed by \
                             closing parentheses.",
                        );
                    }
                    return (args, true, close.map(|token| token.range), height);
                }
                SyntaxKind::EndOfFile => {
                    self.fail_always_at(
                        name,
                        "Unterminated function call",
                        "There is no closing parenthesis for this function call before the end of the \
                         file. This may be caused by incorrect parenthesis nesting elsewhere in this \
                         file.",
                    );
                    return (args, false, None, height);
                }
                _ => {
                    self.fail_always(
                        "Missing argument separator",
                        "A comma is required to separate each function argument from the next.",
                    );
                    return (args, false, None, height);
                }
            }
        }
    }

    pub(super) fn tuple(&mut self) -> Expr {
        let checkpoint = self.checkpoint();
        let open = self.bump().range;
        self.newlines.push(false);
        let expr = if self.at_keyword("for") {
            self.for_expression(open, SyntaxKind::CloseBracket)
        } else {
            self.elements(open)
        };
        self.newlines.pop();
        let kind = match expr.kind {
            ExprKind::Tuple(_) => SyntaxKind::Tuple,
            _ => SyntaxKind::For,
        };
        self.wrap(checkpoint, kind);
        expr
    }

    fn elements(&mut self, open: TextRange) -> Expr {
        let mut elements = Vec::new();
        let mut height = 0;
        while self.eat(SyntaxKind::CloseBracket).is_none() {
            elements.push(self.part(&mut height));
            match self.peek() {
                SyntaxKind::Comma => {
                    self.bump();
                }
                SyntaxKind::CloseBracket => {}
                SyntaxKind::EndOfFile => {
                    self.fail_at(
                        open,
                        "Unterminated tuple constructor expression",
                        "There is no corresponding closing bracket before the end of the file. This may \
                         be caused by incorrect bracket nesting elsewhere in this file.",
                    );
                    break;
                }
                _ => {
                    self.fail(
                        "Missing item separator",
                        "Expected a comma to mark the beginning of the next item.",
                    );
                    break;
                }
            }
        }
        elements.shrink_to_fit();
        let range = self.since(open.start());
        self.raised(
            height,
            Expr {
                kind: ExprKind::Tuple(elements),
                range,
            },
        )
    }

    pub(super) fn object(&mut self) -> Expr {
        let checkpoint = self.checkpoint();
        let open = self.bump().range;
        self.newlines.push(false);
        let is_for = self.at_keyword("for");
        let (kind, expr) = if is_for {
            (
                SyntaxKind::For,
                self.for_expression(open, SyntaxKind::CloseBrace),
            )
        } else {
            self.newlines.push(true);
            let expr = self.object_items(open);
            self.newlines.pop();
            (SyntaxKind::Object, expr)
        };
        self.newlines.pop();
        self.wrap(checkpoint, kind);
        expr
    }

    fn object_items(&mut self, open: TextRange) -> Expr {
        let mut items = Vec::new();
        let mut height = 0;
        loop {
            match self.peek() {
                SyntaxKind::Newline => {
                    self.bump();
                    continue;
                }
                SyntaxKind::CloseBrace => {
                    self.bump();
                    break;
                }
                _ => {}
            }
            let first = self.next_index();
            let checkpoint = self.checkpoint();
            let (item, is_whole) = self.object_item(open, &mut height);
            self.wrap(checkpoint, SyntaxKind::ObjectItem);
            items.push(item);
            if is_whole {
                match self.peek() {
                    SyntaxKind::Comma | SyntaxKind::Newline => {
                        self.bump();
                    }
                    SyntaxKind::CloseBrace => {}
                    SyntaxKind::EndOfFile => self.unterminated_object(open),
                    _ => self.fail(
                        "Missing attribute separator",
                        "Expected a newline or comma to mark the beginning of the next attribute.",
                    ),
                }
            }
            if self.is_stopped && !self.resume_object(first) {
                break;
            }
        }
        items.shrink_to_fit();
        let range = self.since(open.start());
        self.raised(
            height,
            Expr {
                kind: ExprKind::Object(items),
                range,
            },
        )
    }

    /// An item, and whether it has a value.
    fn object_item(&mut self, open: TextRange, height: &mut u32) -> (ObjectItem, bool) {
        let key = object_key(self.part(height));
        let separator_detail =
            "Expected an equals sign (\"=\") to mark the beginning of the attribute value.";
        match self.peek() {
            SyntaxKind::Equal | SyntaxKind::Colon => {
                self.bump();
                let value = self.part(height);
                return (ObjectItem { key, value }, true);
            }
            SyntaxKind::Newline | SyntaxKind::Comma => self.fail(
                "Missing attribute value",
                "Expected an attribute value, introduced by an equals sign (\"=\").",
            ),
            SyntaxKind::Ident => self.fail(
                "Missing key/value separator",
                format!(
                    "{separator_detail} If you intended to given an attribute name containing periods \
                     or spaces, write the name in quotes to create a string literal."
                ),
            ),
            SyntaxKind::EndOfFile => self.unterminated_object(open),
            _ => self.fail("Missing key/value separator", separator_detail),
        }
        (
            ObjectItem {
                key,
                value: Expr::error(self.end),
            },
            false,
        )
    }

    fn unterminated_object(&mut self, open: TextRange) {
        self.fail_at(
            open,
            "Unterminated object constructor expression",
            "There is no corresponding closing brace before the end of the file. This may be caused by \
             incorrect brace nesting elsewhere in this file.",
        );
    }

    /// After an error in an item of an object: goes to the item after it, if there is one.
    fn resume_object(&mut self, first: usize) -> bool {
        if !self.is_recovering {
            return false;
        }
        let mut open = Vec::new();
        for index in first..self.pos {
            track(&mut open, self.raw(index).kind);
        }
        let mut end = self.pos;
        loop {
            let kind = self.raw(end).kind;
            if kind == SyntaxKind::EndOfFile || self.limit.is_some_and(|limit| end >= limit) {
                return false;
            }
            let is_end = matches!(
                kind,
                SyntaxKind::Newline | SyntaxKind::Comma | SyntaxKind::CloseBrace
            );
            if is_end && open.is_empty() {
                break;
            }
            track(&mut open, kind);
            end += 1;
        }
        self.is_stopped = false;
        if self.pos < end {
            self.open_here(SyntaxKind::Error);
            while self.pos < end {
                self.take_raw();
            }
            self.close();
        }
        if self.at(SyntaxKind::Comma) {
            self.bump();
        }
        true
    }

    /// After `[` or `{`, at `for`.
    fn for_expression(&mut self, open: TextRange, closer: SyntaxKind) -> Expr {
        self.bump();
        let is_object = closer == SyntaxKind::CloseBrace;
        let mut height = 0;
        let (key_var, value_var) = self.for_names(
            INVALID_FOR,
            "For expression requires variable name after 'for'.",
            "For expression requires value variable name after comma.",
            "For expression requires the 'in' keyword after its name declarations.",
        );
        let collection = self.part(&mut height);
        if self.eat(SyntaxKind::Colon).is_none() {
            self.fail(
                INVALID_FOR,
                "For expression requires a colon after the collection expression.",
            );
        }
        let mut value = self.part(&mut height);
        let mut key = None;
        if self.eat(SyntaxKind::FatArrow).is_some() {
            key = Some(value);
            value = self.part(&mut height);
        }
        let ellipsis = self.eat(SyntaxKind::Ellipsis);
        let condition = self.at_keyword("if").then(|| {
            self.bump();
            self.part(&mut height)
        });
        if self.eat(closer).is_none() {
            self.fail(
                INVALID_FOR,
                "Extra characters after the end of the 'for' expression.",
            );
        }
        match (&key, is_object) {
            (Some(key), false) => self.report(
                key.range,
                INVALID_FOR,
                "Key expression is not valid when building a tuple.",
            ),
            (None, true) => self.report(
                value.range,
                INVALID_FOR,
                "Key expression is required when building an object.",
            ),
            _ => {}
        }
        if let (Some(ellipsis), false) = (ellipsis, is_object) {
            self.report(
                ellipsis.range,
                INVALID_FOR,
                "Grouping ellipsis (...) cannot be used when building a tuple.",
            );
        }
        let range = self.since(open.start());
        let group = ellipsis.is_some();
        let kind = For {
            key_var,
            value_var,
            collection,
            key,
            value,
            condition,
            group,
        };
        self.raised(
            height,
            Expr {
                kind: ExprKind::For(Box::new(kind)),
                range,
            },
        )
    }

    /// The names of a `for`, up to and with `in`.
    pub(super) fn for_names(
        &mut self,
        summary: &'static str,
        name_required: &str,
        value_required: &str,
        in_required: &str,
    ) -> (Option<Ident>, Ident) {
        let mut key = None;
        let mut value = self.required_ident(summary, name_required);
        if self.eat(SyntaxKind::Comma).is_some() {
            key = Some(value);
            value = self.required_ident(summary, value_required);
        }
        if self.at_keyword("in") {
            self.bump();
        } else {
            self.fail(summary, in_required);
        }
        (key, value)
    }

    fn required_ident(&mut self, summary: &'static str, detail: &str) -> Ident {
        if self.at(SyntaxKind::Ident) {
            return self.ident();
        }
        self.fail(summary, detail);
        Ident {
            name: SmolStr::default(),
            range: TextRange::empty(self.end),
        }
    }
}

fn object_key(key: Expr) -> ObjectKey {
    let keyword = |name: &str| Ident {
        name: SmolStr::new(name),
        range: key.range,
    };
    match &key.kind {
        ExprKind::Traversal(traversal) if traversal.steps.is_empty() => {
            ObjectKey::Name(traversal.root.clone())
        }
        ExprKind::Bool(true) => ObjectKey::Name(keyword("true")),
        ExprKind::Bool(false) => ObjectKey::Name(keyword("false")),
        ExprKind::Null => ObjectKey::Name(keyword("null")),
        _ => ObjectKey::Expr(key),
    }
}
