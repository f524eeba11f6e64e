//! The names of parameters, before arguments whose text does not explain them.

use eval::functions::Signature;
use syntax::ast::{Call, Expr, ExprKind};
use text::{TextRange, TextSize};

use crate::{HintKind, InlayHint, ModuleContext, SourceFile};
use syntax::walk::{Visitor, walk_items};

/// The hints in the segments that `range` meets.
pub(crate) fn parameter_hints(
    source: &SourceFile,
    known: &ModuleContext,
    range: TextRange,
) -> Vec<InlayHint> {
    let mut hints = Vec::new();
    for segment in source.syntax().segments_touching(range) {
        let mut found = HintVisitor {
            known,
            offset: segment.offset,
            hints: &mut hints,
        };
        walk_items(&segment.parsed.items, &mut found);
    }
    hints
}

struct HintVisitor<'a> {
    known: &'a ModuleContext,
    offset: TextSize,
    hints: &'a mut Vec<InlayHint>,
}

impl Visitor for HintVisitor<'_> {
    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::Call(call) = &expr.kind
            && let Some(signature) = self.known.signature(&call.name)
        {
            self.call(call, &signature);
        }
    }
}

impl HintVisitor<'_> {
    fn call(&mut self, call: &Call, signature: &Signature) {
        // One parameter needs no name, and of many alike it says nothing.
        if signature.parameters.len() + usize::from(signature.variadic.is_some()) < 2 {
            return;
        }
        let named = call.args.iter().zip(&signature.parameters);
        for (argument, parameter) in named.filter(|(argument, _)| is_literal(argument)) {
            let offset = self.offset + argument.range.start();
            let label = format!("{}:", parameter.name);
            let hint = InlayHint::new(offset, label, HintKind::Parameter, None);
            self.hints.push(hint);
        }
    }
}

fn is_literal(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Number(_) | ExprKind::Bool(_) | ExprKind::Null => true,
        ExprKind::Unary { operand, .. } => is_literal(operand),
        ExprKind::Template(template) => template.as_literal().is_some(),
        _ => false,
    }
}
