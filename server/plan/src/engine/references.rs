//! References into resources and the entries of `ignore_changes`, checked by schema: whether the attributes that they name
//! can exist, whatever the values are.
//!
//! Follows `StaticValidateReferences` of OpenTofu's `internal/tofu`.

use std::sync::Arc;

use config::{CheckRule, Module, Reference, Referenceable, Resource, ResourceAddr, ResourceMode};
use cty::PathStep;
use schema::{DeprecatedStep, Schema};
use text::{Diagnostic, Severity, Span};

use super::Engine;
use crate::deprecated;
use crate::inputs::Inputs;
use crate::node::{NodeId, Object, declaration};
use crate::plan::is_repeated;
use crate::result::NodeResult;
use crate::validate::{misread, not_to_ignore, path_of_steps};

/// The faults of references.
#[derive(Default)]
struct Misread {
    found: Vec<Diagnostic>,
    /// References whose instance key is missing or too much, which is reported without the schema.
    keyed: Vec<Span>,
}

/// Whether the node is a deprecated output.
fn is_deprecated_output(module: &Module, node: &NodeId) -> bool {
    match &node.object {
        Object::Output(name) => module
            .outputs
            .get(name)
            .is_some_and(|it| it.deprecated.is_some()),
        _ => false,
    }
}

/// The expressions of an object that are evaluated each by itself; the others of its body are evaluated together.
fn evaluated_alone(module: &Module, node: &NodeId) -> Vec<Span> {
    let of_rule = |rule: &CheckRule| {
        let exprs = rule.condition.iter().chain(&rule.error_message);
        exprs.map(config::Expr::span).collect::<Vec<_>>()
    };
    match &node.object {
        Object::Output(name) => {
            let output = module.outputs.get(name);
            let rules = output.iter().flat_map(|it| &it.preconditions);
            rules.flat_map(of_rule).collect()
        }
        Object::Resource(addr) => module.resource(addr).map_or_else(Vec::new, |resource| {
            let lifecycle = &resource.lifecycle;
            let rules = lifecycle
                .preconditions
                .iter()
                .chain(&lifecycle.postconditions);
            let exprs = resource.repetition.expr().into_iter();
            let exprs = exprs.chain(&lifecycle.replace_triggered_by);
            exprs
                .map(config::Expr::span)
                .chain(rules.flat_map(of_rule))
                .collect()
        }),
        _ => Vec::new(),
    }
}

impl Engine {
    /// Adds the errors to the result of a node, and replaces those of evaluation about the same.
    pub(super) fn check_references(&self, inputs: &Inputs, node: &NodeId, result: &mut NodeResult) {
        let Misread { found, keyed } = self.misread_references(inputs, node);
        if found.is_empty() && keyed.is_empty() {
            return;
        }
        let errors = found.iter().filter(|it| it.severity == Severity::Error);
        let errors = errors.filter_map(|it| it.subject.as_ref());
        let wrong: Vec<&Span> = errors.clone().chain(&keyed).collect();
        let alone = inputs.tree.module(&node.module);
        let alone = alone.map_or_else(Vec::new, |module| evaluated_alone(module, node));
        let whole_of = |at: &Span| alone.iter().find(|whole| whole.contains(at));
        let unread: Vec<Option<&Span>> = errors.map(whole_of).collect();
        // Nothing is evaluated beside an attribute that can't exist.
        let is_unread = |it: &Diagnostic| {
            let subject = it
                .subject
                .as_ref()
                .filter(|_| it.severity == Severity::Error);
            subject.is_some_and(|at| unread.contains(&whole_of(at)))
        };
        let fresh = |diagnostics: &mut Vec<Diagnostic>, found: Vec<Diagnostic>| {
            diagnostics.retain(|it| !is_repeated(it, &wrong) && !is_unread(it));
            diagnostics.extend(found);
        };
        match result {
            NodeResult::Value(evaluated) | NodeResult::Output(evaluated, _) => {
                fresh(&mut evaluated.diagnostics, found.clone());
            }
            NodeResult::Call(call) => fresh(&mut call.diagnostics, found.clone()),
            NodeResult::ProviderConfig(config) => fresh(&mut config.diagnostics, found.clone()),
            NodeResult::Provider(_) => {}
            NodeResult::Resource(resources) => {
                for (index, (_, resource)) in resources.values_mut().enumerate() {
                    let found = if index == 0 {
                        found.clone()
                    } else {
                        Vec::new()
                    };
                    fresh(&mut Arc::make_mut(resource).diagnostics, found);
                }
            }
        }
    }

    fn misread_references(&self, inputs: &Inputs, node: &NodeId) -> Misread {
        let Some(module) = inputs.tree.module(&node.module) else {
            return Misread::default();
        };
        let check = |node: &NodeId, declared: &Module, references: &[Reference]| {
            let keyed = references.iter().filter(|reference| {
                let problem = config::check_reference(declared, &node.module, reference);
                problem.is_some_and(|it| it.code == "instance-key")
            });
            let misread = |reference| self.misread_reference(inputs, node, declared, reference);
            Misread {
                found: references.iter().flat_map(misread).collect(),
                keyed: keyed.map(|reference| reference.span.clone()).collect(),
            }
        };
        let is_opentofu = inputs.environment.functions.profile.is_opentofu();
        match &node.object {
            Object::Called(_) | Object::Provider(_) => Misread::default(),
            Object::Call(name) => {
                let call = module.module_calls.get(name);
                let expr = call.and_then(|call| call.repetition.expr());
                expr.map_or_else(Misread::default, |expr| {
                    check(node, module, &expr.references())
                })
            }
            Object::Variable(name) => {
                let argument = inputs.tree.call(&node.module).and_then(|(caller, call)| {
                    Some((caller, call.argument(name)?.expr().references()))
                });
                let caller = node.module.parent();
                match argument.zip(caller) {
                    None => Misread::default(),
                    Some(((declared, references), caller)) => {
                        check(&node.object.clone().of(&caller), declared, &references)
                    }
                }
            }
            Object::Resource(addr) => {
                let Some(resource) = module.resource(addr) else {
                    return Misread::default();
                };
                // A trigger that can't exist triggers nothing.
                let triggers = &resource.lifecycle.replace_triggered_by;
                let in_trigger = |it: &&Reference| {
                    let mut spans = triggers.iter().map(config::Expr::span);
                    spans.any(|trigger| trigger.contains(&it.span))
                };
                let references = resource.decl.references.iter();
                let references = references.filter(|it| !in_trigger(it)).cloned();
                let mut misread = check(node, module, &references.collect::<Vec<_>>());
                if let Some(schema) = self.schema_of(inputs, node, resource) {
                    let profile = inputs.environment.functions.profile;
                    let ignored = not_to_ignore(resource, &schema.block, profile);
                    misread.found.extend(ignored);
                }
                misread
            }
            _ => match declaration(module, node) {
                // With Terraform one deprecated output may give another one.
                Some(decl) if !is_opentofu && is_deprecated_output(module, node) => {
                    let mut misread = check(node, module, &decl.references);
                    misread.found.retain(|it| it.severity == Severity::Error);
                    misread
                }
                Some(decl) => check(node, module, &decl.references),
                None => Misread::default(),
            },
        }
    }

    /// `node` is in the module of the reference. Of a key that is missing or too much it is said elsewhere.
    fn misread_reference(
        &self,
        inputs: &Inputs,
        node: &NodeId,
        module: &Module,
        reference: &Reference,
    ) -> Vec<Diagnostic> {
        let profile = inputs.environment.functions.profile;
        if let Referenceable::ModuleOutput { call, output, .. } = &reference.subject {
            let called = inputs.tree.module(&node.module.child(call.clone()));
            let output = called.and_then(|called| called.outputs.get(output));
            let at = reference.span.clone();
            let found = output.and_then(|it| deprecated::output(it, call, profile, at));
            return found.into_iter().collect();
        }
        let Referenceable::ResourceInstance(addr, _) = &reference.subject else {
            return Vec::new();
        };
        let config = module.resource(addr);
        let config = config.filter(|_| !reference.remaining.is_empty());
        let Some(schema) = config.and_then(|it| self.schema_of(inputs, node, it)) else {
            return Vec::new();
        };
        let steps = path_of_steps(&reference.remaining);
        if matches!(steps.first(), Some(PathStep::GetAttr(name)) if name == "count") {
            return vec![count_attribute(addr, reference.span.clone())];
        }
        let warn = |step: &DeprecatedStep, at| deprecated::attribute(step, addr, profile, at);
        misread(&schema.block, &steps, warn, |step| Span {
            range: reference.remaining[step].range,
            ..reference.span.clone()
        })
    }

    /// The schema of a resource in the module of `node`.
    fn schema_of(&self, inputs: &Inputs, node: &NodeId, config: &Resource) -> Option<&Arc<Schema>> {
        let provider = inputs.tree.provider_of(&node.module, config).provider;
        let NodeResult::Provider(provider) = self.results.get(&NodeId::provider(&provider))? else {
            return None;
        };
        let provider = provider.schema.as_ref().ok()?;
        let types = match config.addr.mode {
            ResourceMode::Managed => &provider.resources,
            ResourceMode::Data => &provider.data_sources,
            ResourceMode::Ephemeral => &provider.ephemeral,
        };
        types.get(&config.addr.r#type)
    }
}

/// Every resource once had an attribute `count` (`staticValidateResourceReference` of OpenTofu's `internal/tofu`).
fn count_attribute(addr: &ResourceAddr, at: Span) -> Diagnostic {
    let detail = format!(
        "The special \"count\" attribute is no longer supported after Terraform v0.12. Instead, use length({addr}) to count resource instances."
    );
    let summary = "Invalid resource count attribute";
    Diagnostic::error("unsupported-attribute", summary, detail, at)
}
