//! The expressions of an object that are evaluated together: one reference that can't be right keeps all of them from being
//! evaluated.
//!
//! Follows `Scope.EvalContext` and `Scope.ExpandBlock` of OpenTofu's `internal/lang/eval.go`.

use config::{Block, Body, CheckRule, Expr, Module, Reference};
use smol_str::SmolStr;
use text::Span;

use crate::node::{NodeId, NodeObject};

/// The groups of one object. What is in none of them is in its body.
#[derive(Default)]
pub(super) struct EvaluationGroups {
    groups: Vec<Vec<Span>>,
    /// Conditions and messages, which are evaluated whatever is wrong about their references.
    pub(super) rules: Vec<Expr>,
    /// Outer blocks come first.
    pub(super) dynamic: Vec<Dynamic>,
}

/// A `dynamic` block. Its `for_each` is evaluated whatever is wrong about its references.
pub(super) struct Dynamic {
    pub(super) for_each: Expr,
    /// The iterators of the blocks around it.
    pub(super) iterators: Vec<SmolStr>,
    pub(super) content: Vec<Span>,
}

impl EvaluationGroups {
    pub(super) fn of(module: &Module, node: &NodeId) -> EvaluationGroups {
        let mut all = EvaluationGroups::default();
        match &node.object {
            NodeObject::Output(name) => {
                let output = module.outputs.get(name);
                for rule in output.iter().flat_map(|it| &it.preconditions) {
                    all.add_rule(rule);
                    all.rules.extend(rule.exprs().cloned());
                }
                all.add_alone(output.iter().flat_map(|it| &it.depends_on));
            }
            NodeObject::Check(name) => {
                let check = module.checks.get(name);
                for rule in check.iter().flat_map(|it| &it.asserts) {
                    all.add_rule(rule);
                    // A validation does not evaluate the condition.
                    all.rules.extend(rule.error_message.clone());
                }
            }
            NodeObject::Resource(addr) => {
                if let Some(resource) = module.resource(addr) {
                    let lifecycle = &resource.lifecycle;
                    let rules = lifecycle.preconditions.iter();
                    let rules = rules.chain(&lifecycle.postconditions);
                    all.rules = rules.flat_map(CheckRule::exprs).cloned().collect();
                    all.add_alone(&resource.depends_on);
                    let rules = all.rules.iter().map(|expr| vec![expr.span()]);
                    all.groups.extend(rules);
                    let alone = resource.repetition.expr().into_iter();
                    let alone = alone.chain(&lifecycle.prevent_destroy);
                    let alone = alone.chain(&lifecycle.replace_triggered_by);
                    all.groups.extend(alone.map(|expr| vec![expr.span()]));
                    let provisioning = resource.provisioning.iter();
                    all.groups.extend(provisioning.map(|it| vec![it.span()]));
                    all.add_dynamic(&resource.body, &[]);
                    let expansions = all.dynamic.iter().map(|it| it.for_each.span());
                    all.groups.push(expansions.collect());
                }
            }
            _ => {}
        }
        all
    }

    /// The condition and the message of a rule have one scope.
    fn add_rule(&mut self, rule: &CheckRule) {
        self.groups.push(rule.exprs().map(Expr::span).collect());
    }

    /// References that are not evaluated.
    fn add_alone<'a>(&mut self, references: impl IntoIterator<Item = &'a Reference>) {
        let references = references.into_iter();
        self.groups
            .extend(references.map(|it| vec![it.span.clone()]));
    }

    fn add_dynamic(&mut self, body: &Body, iterators: &[SmolStr]) {
        for block in body.layers().flat_map(|layer| &layer.blocks) {
            let inner = block.body();
            let mut inside = iterators.to_vec();
            if block.kind() == "dynamic"
                && let Some(for_each) = inner.attribute("for_each")
            {
                self.dynamic.push(Dynamic {
                    for_each: for_each.expr(),
                    iterators: iterators.to_vec(),
                    content: inner.blocks_of("content").map(Block::span).collect(),
                });
            }
            inside.extend(block.iterator());
            self.add_dynamic(&inner, &inside);
        }
    }

    /// The number of the group of an expression; `None` is the body.
    pub(super) fn group_of(&self, at: &Span) -> Option<usize> {
        let is_in = |spans: &Vec<Span>| spans.iter().any(|it| it.contains(at));
        self.groups.iter().position(is_in)
    }
}
