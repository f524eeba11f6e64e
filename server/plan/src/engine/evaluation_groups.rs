//! The expressions of an object that are evaluated together: one reference that can't be right keeps all of them from being
//! evaluated.
//!
//! Follows `Scope.EvalContext` and `Scope.ExpandBlock` of OpenTofu's `internal/lang/eval.go`.

use config::{Block, Body, CheckRule, Expr, Module, Reference};
use text::Span;

use crate::node::{NodeId, Object};

/// The groups of one object. What is in none of them is in its body.
#[derive(Default)]
pub(super) struct EvaluationGroups {
    groups: Vec<Vec<Span>>,
    dynamic: Vec<Dynamic>,
}

/// A `dynamic` block.
struct Dynamic {
    for_each: Span,
    content: Vec<Span>,
}

impl EvaluationGroups {
    pub(super) fn of(module: &Module, node: &NodeId) -> EvaluationGroups {
        let mut all = EvaluationGroups::default();
        match &node.object {
            Object::Output(name) => {
                let output = module.outputs.get(name);
                all.add_rules(output.iter().flat_map(|it| &it.preconditions));
                all.add_alone(output.iter().flat_map(|it| &it.depends_on));
            }
            Object::Check(name) => {
                let check = module.checks.get(name);
                all.add_rules(check.iter().flat_map(|it| &it.asserts));
            }
            Object::Resource(addr) => {
                if let Some(resource) = module.resource(addr) {
                    let lifecycle = &resource.lifecycle;
                    all.add_rules(&lifecycle.preconditions);
                    all.add_rules(&lifecycle.postconditions);
                    all.add_alone(&resource.depends_on);
                    let alone = resource.repetition.expr().into_iter();
                    let alone = alone.chain(&lifecycle.prevent_destroy);
                    let alone = alone.chain(&lifecycle.replace_triggered_by);
                    all.groups.extend(alone.map(|expr| vec![expr.span()]));
                    let provisioning = resource.provisioning.iter();
                    all.groups.extend(provisioning.map(|it| vec![it.span()]));
                    all.add_dynamic(&resource.body);
                    let expansions = all.dynamic.iter().map(|it| it.for_each.clone());
                    all.groups.push(expansions.collect());
                }
            }
            _ => {}
        }
        all
    }

    /// The condition and the message of a rule have one scope.
    fn add_rules<'a>(&mut self, rules: impl IntoIterator<Item = &'a CheckRule>) {
        let of_rule = |rule: &CheckRule| rule.exprs().map(Expr::span).collect();
        self.groups.extend(rules.into_iter().map(of_rule));
    }

    /// References that are not evaluated.
    fn add_alone<'a>(&mut self, references: impl IntoIterator<Item = &'a Reference>) {
        let references = references.into_iter();
        self.groups
            .extend(references.map(|it| vec![it.span.clone()]));
    }

    fn add_dynamic(&mut self, body: &Body) {
        for block in body.layers().flat_map(|layer| &layer.blocks) {
            let inner = block.body();
            if block.kind() == "dynamic"
                && let Some(for_each) = inner.attribute("for_each")
            {
                self.dynamic.push(Dynamic {
                    for_each: for_each.expr().span(),
                    content: inner.blocks_of("content").map(Block::span).collect(),
                });
            }
            self.add_dynamic(&inner);
        }
    }

    /// The number of the group of an expression; `None` is the body.
    pub(super) fn group_of(&self, at: &Span) -> Option<usize> {
        let is_in = |spans: &Vec<Span>| spans.iter().any(|it| it.contains(at));
        self.groups.iter().position(is_in)
    }

    /// The contents of `dynamic` blocks that are not made because of their `for_each`.
    pub(super) fn unmade(&self, is_refused: impl Fn(&Span) -> bool) -> Vec<&Span> {
        let refused = self.dynamic.iter().filter(|it| is_refused(&it.for_each));
        refused.flat_map(|it| &it.content).collect()
    }
}
