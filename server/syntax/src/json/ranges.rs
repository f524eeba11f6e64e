//! All ranges of an expression, to be changed.

use text::TextRange;

use crate::ast::{Expr, ExprKind, Ident, ObjectKey, Step, StepKind, TemplatePart, Traversal};

type Visit<'v> = &'v mut dyn FnMut(&mut TextRange);

/// Calls `visit` with each range in the expression, once.
pub(super) fn each_range(expr: &mut Expr, visit: Visit<'_>) {
    visit(&mut expr.range);
    match &mut expr.kind {
        ExprKind::Number(_)
        | ExprKind::Bool(_)
        | ExprKind::Null
        | ExprKind::SplatItem
        | ExprKind::Error(None) => {}
        // Made where they stand.
        ExprKind::Json(_) => {}
        ExprKind::Template(template) => parts(&mut template.parts, visit),
        ExprKind::TemplateWrap(inner) | ExprKind::Parens(inner) | ExprKind::Error(Some(inner)) => {
            each_range(inner, visit)
        }
        ExprKind::Traversal(it) => traversal(it, visit),
        ExprKind::RelativeTraversal { source, steps: it } => {
            each_range(source, visit);
            steps(it, visit);
        }
        ExprKind::Index { collection, key } => {
            each_range(collection, visit);
            each_range(key, visit);
        }
        ExprKind::Splat(splat) => {
            each_range(&mut splat.source, visit);
            each_range(&mut splat.each, visit);
            visit(&mut splat.marker);
        }
        ExprKind::Call(call) => {
            visit(&mut call.name_range);
            visit(&mut call.open_paren);
            call.close_paren.iter_mut().for_each(&mut *visit);
            call.args.iter_mut().for_each(|arg| each_range(arg, visit));
        }
        ExprKind::Tuple(elements) => elements.iter_mut().for_each(|it| each_range(it, visit)),
        ExprKind::Object(items) => {
            for item in items {
                match &mut item.key {
                    ObjectKey::Name(name) => visit(&mut name.range),
                    ObjectKey::Expr(key) => each_range(key, visit),
                }
                each_range(&mut item.value, visit);
            }
        }
        ExprKind::For(it) => {
            names([it.key_var.as_mut(), Some(&mut it.value_var)], visit);
            each_range(&mut it.collection, visit);
            each_range(&mut it.value, visit);
            let others = it.key.iter_mut().chain(&mut it.condition);
            others.for_each(|expr| each_range(expr, visit));
        }
        ExprKind::Conditional(it) => {
            for expr in [&mut it.condition, &mut it.true_result, &mut it.false_result] {
                each_range(expr, visit);
            }
        }
        ExprKind::Binary {
            left,
            right,
            op_range,
            ..
        } => {
            each_range(left, visit);
            each_range(right, visit);
            visit(op_range);
        }
        ExprKind::Unary {
            operand, op_range, ..
        } => {
            each_range(operand, visit);
            visit(op_range);
        }
    }
}

fn names(names: [Option<&mut Ident>; 2], visit: Visit<'_>) {
    for name in names.into_iter().flatten() {
        visit(&mut name.range);
    }
}

fn traversal(traversal: &mut Traversal, visit: Visit<'_>) {
    visit(&mut traversal.root.range);
    steps(&mut traversal.steps, visit);
}

fn steps(steps: &mut [Step], visit: Visit<'_>) {
    for step in steps {
        visit(&mut step.range);
        if let StepKind::Attr(name) = &mut step.kind {
            visit(&mut name.range);
        }
    }
}

fn parts(those: &mut [TemplatePart], visit: Visit<'_>) {
    for part in those {
        match part {
            TemplatePart::Literal(_, range) => visit(range),
            TemplatePart::Interpolation(expr) => each_range(expr, visit),
            TemplatePart::If(it) => {
                visit(&mut it.range);
                each_range(&mut it.condition, visit);
                parts(&mut it.then_parts, visit);
                parts(&mut it.else_parts, visit);
            }
            TemplatePart::For(it) => {
                visit(&mut it.range);
                names([it.key_var.as_mut(), Some(&mut it.value_var)], visit);
                each_range(&mut it.collection, visit);
                parts(&mut it.parts, visit);
            }
        }
    }
}
