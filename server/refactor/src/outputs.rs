//! Outputs of called modules that an expression reaches through all instances of a call: `module.a[*].id`,
//! `values(module.a)[0].id`, `[for one in module.a : one.id]`, `module.a[each.key].id`.
//!
//! References are static and end at the call there; the steps into its instances are followed here, as far as they are
//! written in one expression.

use smol_str::SmolStr;
use syntax::ast::{Block, Body, Expr, ExprKind, For, ObjectKey, Step, StepKind, TemplatePart};
use text::TextRange;

/// The name of an output at a place in the segment.
pub(crate) struct Reached {
    pub call: SmolStr,
    pub output: SmolStr,
    pub range: TextRange,
}

/// All that a block reaches.
pub(crate) fn reached(block: &Block) -> Vec<Reached> {
    let mut walk = Walk::default();
    walk.body(&block.body);
    walk.found
}

#[derive(Default)]
struct Walk {
    /// Names that an expression binds, the innermost last, with the call whose instance each is.
    bound: Vec<(SmolStr, Option<SmolStr>)>,
    found: Vec<Reached>,
}

impl Walk {
    fn body(&mut self, body: &Body) {
        for attribute in &body.attributes {
            self.expr(&attribute.expr);
        }
        for block in &body.blocks {
            let iterator = block
                .labels
                .first()
                .filter(|_| block.kind.name == "dynamic");
            self.bound
                .extend(iterator.map(|label| (label.text.clone(), None)));
            self.body(&block.body);
            self.bound
                .truncate(self.bound.len() - usize::from(iterator.is_some()));
        }
        for member in body.members.iter().flatten() {
            self.expr(&member.value.expr());
        }
    }

    fn all<'a>(&mut self, exprs: impl IntoIterator<Item = &'a Expr>) {
        for expr in exprs {
            self.expr(expr);
        }
    }

    /// Looks into an expression. Answers the call whose instances, or one of them, it is.
    fn expr(&mut self, expr: &Expr) -> Option<SmolStr> {
        match &expr.kind {
            ExprKind::Traversal(traversal) => {
                let root = &traversal.root.name;
                let bound = self.bound.iter().rfind(|(name, _)| name == root);
                if let Some((_, call)) = bound {
                    let call = call.clone()?;
                    return self.steps(call, &traversal.steps);
                }
                match traversal.steps.as_slice() {
                    [call] if root == "module" => Some(attr(call)?.0),
                    [call, key] if root == "module" && attr(key).is_none() => Some(attr(call)?.0),
                    _ => None,
                }
            }
            ExprKind::RelativeTraversal { source, steps } => {
                let call = self.expr(source)?;
                self.steps(call, steps)
            }
            ExprKind::Index { collection, key } => {
                self.expr(key);
                self.expr(collection)
            }
            ExprKind::Splat(splat) => {
                let call = self.expr(&splat.source);
                self.bound.push((SmolStr::new_static(SPLAT), call.clone()));
                let each = self.expr(&splat.each);
                self.bound.pop();
                each
            }
            ExprKind::SplatItem => {
                let (_, call) = self.bound.iter().rfind(|(name, _)| name == SPLAT)?;
                call.clone()
            }
            ExprKind::Call(call) => {
                let mut meant = None;
                for (at, arg) in call.args.iter().enumerate() {
                    let found = self.expr(arg);
                    meant = meant.or(found.filter(|_| at == 0));
                }
                meant.filter(|_| matches!(call.name.as_str(), "values" | "one" | "element"))
            }
            ExprKind::For(it) => self.for_expr(it),
            ExprKind::Conditional(it) => {
                self.expr(&it.condition);
                let one = self.expr(&it.true_result);
                let other = self.expr(&it.false_result);
                one.or(other)
            }
            ExprKind::Parens(inner) | ExprKind::TemplateWrap(inner) => self.expr(inner),
            ExprKind::Json(string) => self.expr(&string.template),
            ExprKind::Template(template) => {
                self.parts(&template.parts);
                None
            }
            ExprKind::Tuple(elements) => {
                self.all(elements);
                None
            }
            ExprKind::Object(items) => {
                for item in items {
                    if let ObjectKey::Expr(key) = &item.key {
                        self.expr(key);
                    }
                    self.expr(&item.value);
                }
                None
            }
            ExprKind::Binary { left, right, .. } => {
                self.all([&**left, &**right]);
                None
            }
            ExprKind::Unary { operand, .. } => {
                self.expr(operand);
                None
            }
            ExprKind::Number(_) | ExprKind::Bool(_) | ExprKind::Null | ExprKind::Error(_) => None,
        }
    }

    /// The output that steps into the instances of a call name, behind any number of keys.
    fn steps(&mut self, call: SmolStr, steps: &[Step]) -> Option<SmolStr> {
        match steps.iter().find_map(attr) {
            Some((output, range)) => {
                self.found.push(Reached {
                    call,
                    output,
                    range,
                });
                None
            }
            None => Some(call),
        }
    }

    fn for_expr(&mut self, it: &For) -> Option<SmolStr> {
        let call = self.expr(&it.collection);
        let before = self.bound.len();
        self.bound
            .extend(it.key_var.iter().map(|key| (key.name.clone(), None)));
        self.bound.push((it.value_var.name.clone(), call));
        self.all(it.key.iter().chain(&it.condition));
        let value = self.expr(&it.value);
        self.bound.truncate(before);
        value
    }

    fn parts(&mut self, parts: &[TemplatePart]) {
        for part in parts {
            match part {
                TemplatePart::Literal(..) => {}
                TemplatePart::Interpolation(expr) => {
                    self.expr(expr);
                }
                TemplatePart::If(it) => {
                    self.expr(&it.condition);
                    self.parts(&it.then_parts);
                    self.parts(&it.else_parts);
                }
                TemplatePart::For(it) => {
                    let call = self.expr(&it.collection);
                    let before = self.bound.len();
                    self.bound
                        .extend(it.key_var.iter().map(|key| (key.name.clone(), None)));
                    self.bound.push((it.value_var.name.clone(), call));
                    self.parts(&it.parts);
                    self.bound.truncate(before);
                }
            }
        }
    }
}

/// The element of a splat, which has no name.
const SPLAT: &str = "*";

fn attr(step: &Step) -> Option<(SmolStr, TextRange)> {
    match &step.kind {
        StepKind::Attr(name) => Some((name.name.clone(), name.range)),
        StepKind::Index(_) | StepKind::LegacyIndex(_) => None,
    }
}
