//! Expressions: operators, and the terms that they join.

use smol_str::SmolStr;
use text::TextRange;

use super::{MAX_HEIGHT, Parser};
use crate::SyntaxKind;
use crate::ast::{BinaryOp, Conditional, Expr, ExprKind, Traversal, UnaryOp};
use crate::string;

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Expr {
        self.nested(Self::conditional).unwrap_or_else(|| {
            self.height = 1;
            Expr::error(self.end)
        })
    }

    /// A part of a larger expression, whose height it adds to.
    pub(super) fn part(&mut self, height: &mut u32) -> Expr {
        let expr = self.expression();
        *height = self.height.max(*height);
        expr
    }

    /// Puts a level on the tree.
    pub(super) fn raised(&mut self, below: u32, expr: Expr) -> Expr {
        self.height = below + 1;
        if self.height <= MAX_HEIGHT {
            return expr;
        }
        self.fail_at(
            expr.range,
            "Nesting too deep",
            format!("An expression may be {MAX_HEIGHT} operations high."),
        );
        self.height = 1;
        Expr {
            kind: ExprKind::Error(None),
            range: expr.range,
        }
    }

    fn conditional(&mut self) -> Expr {
        let checkpoint = self.checkpoint();
        let condition = self.binary(1);
        if !self.at(SyntaxKind::Question) {
            return condition;
        }
        let mut height = self.height;
        self.bump();
        let true_result = self.part(&mut height);
        let false_result = if self.eat(SyntaxKind::Colon).is_some() {
            self.part(&mut height)
        } else {
            let summary = "Missing false expression in conditional";
            let detail = "The conditional operator (...?...:...) requires a false expression, \
                          delimited by a colon.";
            if self.reference.is_some() {
                let next = self.next_token().range;
                self.report(next, summary, detail);
            } else {
                self.fail(summary, detail);
            }
            Expr::error(self.end)
        };
        self.wrap(checkpoint, SyntaxKind::Conditional);
        let range = condition.range.cover(false_result.range);
        let conditional = Conditional {
            condition,
            true_result,
            false_result,
        };
        self.raised(
            height,
            Expr {
                kind: ExprKind::Conditional(Box::new(conditional)),
                range,
            },
        )
    }

    /// Operators that bind at least as strongly as `power`; all of them are left-associative.
    fn binary(&mut self, power: u8) -> Expr {
        let checkpoint = self.checkpoint();
        let mut left = self.operand();
        loop {
            let (op, op_power) = match binary_op(self.peek()) {
                Some((op, op_power)) if op_power >= power => (op, op_power),
                _ => return left,
            };
            let mut height = self.height;
            let op_range = self.bump().range;
            let right = self.binary(op_power + 1);
            height = height.max(self.height);
            self.wrap(checkpoint, SyntaxKind::Binary);
            let range = left.range.cover(right.range);
            let kind = ExprKind::Binary {
                op,
                left: Box::new(left),
                right: Box::new(right),
                op_range,
            };
            left = self.raised(height, Expr { kind, range });
        }
    }

    /// A term with the traversal steps after it.
    pub(super) fn operand(&mut self) -> Expr {
        let checkpoint = self.checkpoint();
        let term = self.term();
        let end = self.pos;
        let expr = self.traversals(term);
        if self.pos > end {
            self.wrap(checkpoint, SyntaxKind::Traversal);
        }
        expr
    }

    fn term(&mut self) -> Expr {
        self.height = 1;
        match self.peek() {
            SyntaxKind::OpenParen => self.parens(),
            SyntaxKind::Number => {
                let checkpoint = self.checkpoint();
                let range = self.bump().range;
                self.wrap(checkpoint, SyntaxKind::Literal);
                self.check_number(range);
                Expr {
                    kind: ExprKind::Number(SmolStr::new(self.slice(range))),
                    range,
                }
            }
            SyntaxKind::Ident => self.name(),
            SyntaxKind::OpenQuote | SyntaxKind::OpenHeredoc => self.template(),
            SyntaxKind::Minus => self.unary(UnaryOp::Negate),
            SyntaxKind::Bang => self.unary(UnaryOp::Not),
            SyntaxKind::OpenBracket => self.tuple(),
            SyntaxKind::OpenBrace => self.object(),
            // Behind other errors the reference does not report this one, and goes on.
            _ if self.has_failed() => Expr::error(self.end),
            SyntaxKind::EndOfFile => {
                self.fail(
                    "Missing expression",
                    "Expected the start of an expression, but found the end of the file.",
                );
                Expr::error(self.end)
            }
            _ => {
                self.fail(
                    "Invalid expression",
                    "Expected the start of an expression, but found an invalid expression token.",
                );
                Expr::error(self.end)
            }
        }
    }

    pub(super) fn check_number(&mut self, range: TextRange) {
        if !string::is_number(self.slice(range)) {
            self.report(
                range,
                "Invalid number literal",
                "Failed to recognize the value of this number literal.",
            );
        }
    }

    fn parens(&mut self) -> Expr {
        self.open(SyntaxKind::Parens);
        let start = self.bump().range.start();
        self.newlines.push(false);
        let mut height = 0;
        let inner = self.part(&mut height);
        if self.eat(SyntaxKind::CloseParen).is_none() {
            let is_first = !self.is_stopped;
            self.fail_always(
                "Unbalanced parentheses",
                "Expected a closing parenthesis to terminate the expression.",
            );
            if is_first {
                self.close_paren_anyway();
            }
        }
        self.newlines.pop();
        self.close();
        let range = self.since(start);
        self.raised(
            height,
            Expr {
                kind: ExprKind::Parens(Box::new(inner)),
                range,
            },
        )
    }

    fn unary(&mut self, op: UnaryOp) -> Expr {
        self.open(SyntaxKind::Unary);
        let op_range = self.bump().range;
        let operand = self
            .nested(Self::operand)
            .unwrap_or_else(|| Expr::error(self.end));
        self.close();
        let range = op_range.cover(operand.range);
        let kind = ExprKind::Unary {
            op,
            operand: Box::new(operand),
            op_range,
        };
        self.raised(self.height, Expr { kind, range })
    }

    /// A keyword, a function call, or the root of a traversal.
    fn name(&mut self) -> Expr {
        let checkpoint = self.checkpoint();
        let name = self.ident();
        if matches!(self.peek(), SyntaxKind::OpenParen | SyntaxKind::DoubleColon) {
            let call = self.call(name);
            self.wrap(checkpoint, SyntaxKind::Call);
            return call;
        }
        let range = name.range;
        let (node, kind) = match name.name.as_str() {
            "true" => (SyntaxKind::Literal, ExprKind::Bool(true)),
            "false" => (SyntaxKind::Literal, ExprKind::Bool(false)),
            "null" => (SyntaxKind::Literal, ExprKind::Null),
            _ => {
                let traversal = Traversal {
                    root: name,
                    steps: Vec::new(),
                };
                (SyntaxKind::Name, ExprKind::Traversal(traversal))
            }
        };
        self.wrap(checkpoint, node);
        Expr { kind, range }
    }
}

fn binary_op(kind: SyntaxKind) -> Option<(BinaryOp, u8)> {
    Some(match kind {
        SyntaxKind::Or => (BinaryOp::Or, 1),
        SyntaxKind::And => (BinaryOp::And, 2),
        SyntaxKind::EqualEqual => (BinaryOp::Equal, 3),
        SyntaxKind::NotEqual => (BinaryOp::NotEqual, 3),
        SyntaxKind::Greater => (BinaryOp::Greater, 4),
        SyntaxKind::GreaterOrEqual => (BinaryOp::GreaterOrEqual, 4),
        SyntaxKind::Less => (BinaryOp::Less, 4),
        SyntaxKind::LessOrEqual => (BinaryOp::LessOrEqual, 4),
        SyntaxKind::Plus => (BinaryOp::Add, 5),
        SyntaxKind::Minus => (BinaryOp::Subtract, 5),
        SyntaxKind::Star => (BinaryOp::Multiply, 6),
        SyntaxKind::Slash => (BinaryOp::Divide, 6),
        SyntaxKind::Percent => (BinaryOp::Modulo, 6),
        _ => return None,
    })
}
