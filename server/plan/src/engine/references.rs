//! References into resources, checked by schema: whether the attributes that they name can exist, whatever the values are.
//!
//! Follows `StaticValidateReferences` of OpenTofu's `internal/tofu`.

use std::sync::Arc;

use config::{InstanceKey, Module, Reference, Referenceable, Repetition, ResourceMode};
use schema::Schema;
use text::{Diagnostic, Span};

use super::Engine;
use crate::inputs::Inputs;
use crate::node::{NodeId, Object, declaration};
use crate::plan::is_repeated;
use crate::result::NodeResult;
use crate::validate::{misread, path_of_steps};

impl Engine {
    /// Adds the errors to the result of a node, and replaces those of evaluation about the same.
    pub(super) fn check_references(&self, inputs: &Inputs, node: &NodeId, result: &mut NodeResult) {
        let found = self.misread_references(inputs, node);
        if found.is_empty() {
            return;
        }
        let wrong: Vec<&Span> = found.iter().filter_map(|it| it.subject.as_ref()).collect();
        let fresh = |diagnostics: &mut Vec<Diagnostic>, found: Vec<Diagnostic>| {
            diagnostics.retain(|it| !is_repeated(it, &wrong));
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

    fn misread_references(&self, inputs: &Inputs, node: &NodeId) -> Vec<Diagnostic> {
        let Some(module) = inputs.tree.module(&node.module) else {
            return Vec::new();
        };
        let check = |module: &NodeId, declared: &Module, references: &[Reference]| {
            let problems = references.iter();
            let problem = |reference| self.misread_reference(inputs, module, declared, reference);
            problems.filter_map(problem).collect::<Vec<Diagnostic>>()
        };
        match &node.object {
            Object::Called(_) | Object::Provider(_) => Vec::new(),
            Object::Call(name) => {
                let call = module.module_calls.get(name);
                let expr = call.and_then(|call| call.repetition.expr());
                expr.map_or_else(Vec::new, |expr| check(node, module, &expr.references()))
            }
            Object::Variable(name) => {
                let argument = inputs.tree.call(&node.module).and_then(|(caller, call)| {
                    Some((caller, call.argument(name)?.expr().references()))
                });
                let caller = node.module.parent();
                match argument.zip(caller) {
                    None => Vec::new(),
                    Some(((declared, references), caller)) => {
                        check(&node.object.clone().of(&caller), declared, &references)
                    }
                }
            }
            Object::Resource(addr) => {
                let Some(resource) = module.resource(addr) else {
                    return Vec::new();
                };
                // A trigger that can't exist triggers nothing.
                let triggers = &resource.lifecycle.replace_triggered_by;
                let in_trigger = |it: &&Reference| {
                    let span = &it.span;
                    triggers.iter().map(config::Expr::span).any(|trigger| {
                        trigger.segment == span.segment
                            && trigger.file == span.file
                            && trigger.range.contains_range(span.range)
                    })
                };
                let references = resource.decl.references.iter();
                let references = references.filter(|it| !in_trigger(it)).cloned();
                check(node, module, &references.collect::<Vec<_>>())
            }
            _ => match declaration(module, node) {
                Some(decl) => check(node, module, &decl.references),
                None => Vec::new(),
            },
        }
    }

    /// `node` is in the module of the reference.
    fn misread_reference(
        &self,
        inputs: &Inputs,
        node: &NodeId,
        module: &Module,
        reference: &Reference,
    ) -> Option<Diagnostic> {
        let Referenceable::ResourceInstance(addr, key) = &reference.subject else {
            return None;
        };
        let config = module.resource(addr)?;
        // Of a key that is missing or too much it is said elsewhere.
        let is_single = matches!(
            config.repetition,
            Repetition::Single | Repetition::Enabled(_)
        );
        if reference.remaining.is_empty() || is_single != (*key == InstanceKey::None) {
            return None;
        }
        let provider = inputs.tree.provider_of(&node.module, config).provider;
        let Some(NodeResult::Provider(provider)) = self.results.get(&NodeId::provider(&provider))
        else {
            return None;
        };
        let provider = provider.schema.as_ref().ok()?;
        let types = match addr.mode {
            ResourceMode::Managed => &provider.resources,
            ResourceMode::Data => &provider.data_sources,
            ResourceMode::Ephemeral => &provider.ephemeral,
        };
        let schema: &Arc<Schema> = types.get(&addr.r#type)?;
        let steps = path_of_steps(&reference.remaining);
        misread(&schema.block, &steps, |step| Span {
            range: reference.remaining[step].range,
            ..reference.span.clone()
        })
    }
}
