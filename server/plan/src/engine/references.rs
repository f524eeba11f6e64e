//! References into resources and the entries of `ignore_changes`, checked by schema: whether the attributes that they name
//! can exist, whatever the values are.
//!
//! Follows `StaticValidateReferences` of OpenTofu's `internal/tofu`.

use std::collections::HashMap;
use std::sync::Arc;

use config::{Module, ModuleAddr, Reference, Referenceable, Resource, ResourceAddr, ResourceMode};
use cty::{PathStep, Value};
use eval::{EvalContext, Variables};
use schema::{DeprecatedStep, Schema};
use text::{Diagnostic, Severity, Span};

use super::Engine;
use super::evaluation_groups::EvaluationGroups;
use crate::PlanMode;
use crate::deprecated;
use crate::inputs::Inputs;
use crate::node::{NodeId, NodeObject, declaration};
use crate::plan::is_repeated;
use crate::result::NodeResult;
use crate::unread;
use crate::validate::{misread, not_to_ignore, path_of_steps};

/// The faults of references.
#[derive(Default)]
struct Misread {
    found: Vec<Diagnostic>,
    /// References whose instance key is missing or too much, which is reported without the schema.
    keyed: Vec<Span>,
    /// References that the loader reports for another reason.
    refused: Vec<Refused>,
}

/// A reference that can't be right.
struct Refused {
    at: Span,
    stage: Stage,
}

/// The stages in which references are checked: an error in one stage hides those of the later ones.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// The parts of the reference. An error hides the evaluation alone.
    Parts,
    /// The resource or the module.
    Objects,
    /// The value of a variable, a local value, or an attribute of `path` and the like.
    Values,
}

impl Stage {
    fn of(reference: &Reference) -> Stage {
        match reference.subject {
            Referenceable::Resource(_)
            | Referenceable::ResourceInstance(..)
            | Referenceable::Module(_)
            | Referenceable::ModuleInstance(..)
            | Referenceable::ModuleOutput { .. }
            | Referenceable::Self_ => Stage::Objects,
            _ => Stage::Values,
        }
    }

    /// Of a reference with an error that its declaration shows.
    fn of_error(error: &Diagnostic) -> Stage {
        match error.code {
            "invalid-self" => Stage::Objects,
            "invalid-reference" | "invalid-index-key" | "reserved-symbol" => Stage::Parts,
            _ => Stage::Values,
        }
    }
}

impl Misread {
    fn is_empty(&self) -> bool {
        self.found.is_empty() && self.keyed.is_empty() && self.refused.is_empty()
    }

    /// Forgets the references in parts that are not read.
    fn leave_out(&mut self, unread: &[Span]) {
        let is_read = |at: &Span| !unread::is_unread(unread, at);
        self.found
            .retain(|it| it.subject.as_ref().is_none_or(is_read));
        self.keyed.retain(is_read);
        self.refused.retain(|it| is_read(&it.at));
    }
}

fn errors_in(found: &[Diagnostic]) -> impl Iterator<Item = &Span> {
    let errors = found.iter().filter(|it| it.severity == Severity::Error);
    errors.filter_map(|it| it.subject.as_ref())
}

/// The expressions of an object that are not evaluated, because references beside them can't be right.
#[derive(Default)]
struct NotEvaluated {
    groups: EvaluationGroups,
    /// With the earliest stage that has an error. `None` is the body.
    refused: HashMap<Option<usize>, Stage>,
    /// The contents of `dynamic` blocks, and the value of an output behind a wrong precondition.
    unmade: Vec<Span>,
    /// Errors of conditions, messages and `for_each` that are evaluated in a scope without names.
    nameless: Vec<Diagnostic>,
}

impl NotEvaluated {
    fn of(inputs: &Inputs, node: &NodeId, misread: &Misread) -> NotEvaluated {
        let module = inputs.tree.module(&node.module);
        let groups = module.map(|module| EvaluationGroups::of(module, node));
        let mut all = NotEvaluated {
            groups: groups.unwrap_or_default(),
            ..NotEvaluated::default()
        };
        let objects = errors_in(&misread.found).chain(&misread.keyed);
        let objects = objects.map(|at| (at, Stage::Objects));
        let refused = misread.refused.iter().map(|it| (&it.at, it.stage));
        let (in_body, others): (Vec<_>, Vec<_>) = objects
            .chain(refused)
            .map(|(at, stage)| (all.groups.group_of(at), at, stage))
            .partition(|(group, ..)| group.is_none());
        for (group, _, stage) in others {
            all.refuse(group, stage);
        }
        if let NodeObject::Output(name) = &node.object
            && all
                .groups
                .rules
                .iter()
                .any(|rule| all.stage(&rule.span()).is_some())
        {
            let output = module.and_then(|module| module.outputs.get(name));
            let value = output.and_then(|output| output.value.as_ref());
            all.unmade.extend(value.map(config::Expr::span));
        }
        let nameless = EvalContext::new(Variables::new(), &inputs.environment.functions);
        for rule in &all.groups.rules {
            if all.stage(&rule.span()) == Some(&Stage::Objects) {
                all.nameless.extend(eval::evaluate_expr(rule, &nameless).1);
            }
        }
        let expansion = all.expand(misread, &nameless);
        for (group, at, stage) in in_body {
            if !all.is_unmade(at) {
                all.refuse(group, stage);
            }
        }
        // A body with wrong references is not decoded, and its blocks are made then.
        if !all.refused.contains_key(&None) {
            all.nameless.extend(expansion);
        }
        all
    }

    fn refuse(&mut self, group: Option<usize>, stage: Stage) {
        let known = self.refused.entry(group).or_insert(stage);
        if stage == Stage::Objects {
            *known = stage;
        }
    }

    /// Finds the blocks that are not made, with the errors of the `for_each` that are evaluated without names.
    fn expand(&mut self, misread: &Misread, nameless: &EvalContext<'_>) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        for block in &self.groups.dynamic {
            let at = block.for_each.span();
            if self.is_unmade(&at) {
                continue;
            }
            let is_refused = match self.stage(&at) {
                Some(Stage::Objects) => {
                    let iterators = block.iterators.iter().cloned();
                    let iterators = iterators.map(|it| (it, Value::dynamic()));
                    let scope = nameless.child(iterators.collect());
                    let errors = eval::evaluate_expr(&block.for_each, &scope).1;
                    let is_refused = !errors.is_empty();
                    found.extend(errors);
                    is_refused
                }
                _ => misread.refused.iter().any(|it| at.contains(&it.at)),
            };
            if is_refused {
                self.unmade.extend(block.content.iter().cloned());
            }
        }
        found
    }

    fn stage(&self, at: &Span) -> Option<&Stage> {
        self.refused.get(&self.groups.group_of(at))
    }

    fn is_unmade(&self, at: &Span) -> bool {
        self.unmade.iter().any(|it| it.contains(at))
    }

    /// True if nothing is evaluated at that place.
    fn has(&self, at: &Span) -> bool {
        let is_rule = || self.groups.rules.iter().any(|it| it.span().contains(at));
        let is_hidden = self
            .stage(at)
            .is_some_and(|it| *it != Stage::Values || !is_rule());
        is_hidden || self.is_unmade(at)
    }

    /// True if other errors hide that of the reference.
    fn hides(&self, refused: &Refused) -> bool {
        let is_behind =
            || refused.stage == Stage::Values && self.stage(&refused.at) == Some(&Stage::Objects);
        is_behind() || self.is_unmade(&refused.at)
    }
}

/// Whether the node is a deprecated output.
fn is_deprecated_output(module: &Module, node: &NodeId) -> bool {
    match &node.object {
        NodeObject::Output(name) => module
            .outputs
            .get(name)
            .is_some_and(|it| it.deprecated.is_some()),
        _ => false,
    }
}

impl Engine {
    /// Adds the errors to the result of a node, and replaces those of evaluation about the same.
    pub(super) fn check_references(
        &mut self,
        inputs: &Inputs,
        node: &NodeId,
        result: &mut NodeResult,
    ) {
        self.note_unread_parts(inputs, node, result);
        let mut misread = self.misread_references(inputs, node);
        misread.found.extend(self.deprecated_parts(inputs, node));
        if self.selected.as_ref().is_some_and(|it| !it.has(node)) {
            misread.found.retain(|it| it.severity == Severity::Error);
        }
        match misread.refused.is_empty() && misread.keyed.is_empty() {
            true => self.refused.remove(node),
            false => self.refused.insert(node.clone()),
        };
        if misread.is_empty() {
            return;
        }
        // An editor shows what else is wrong.
        let not_evaluated = match inputs.options.refuses() {
            true => NotEvaluated::of(inputs, node, &misread),
            false => NotEvaluated::default(),
        };
        let loaded: Vec<&Span> = misread.refused.iter().map(|it| &it.at).collect();
        let is_not_evaluated = |it: &Diagnostic| {
            let subject = it.subject.as_ref();
            subject
                .filter(|_| it.severity == Severity::Error)
                .is_some_and(|at| not_evaluated.has(at))
                && !is_repeated(it, &loaded)
        };
        let wrong: Vec<&Span> = errors_in(&misread.found).chain(&misread.keyed).collect();
        let found = [misread.found.clone(), not_evaluated.nameless.clone()].concat();
        let fresh = |diagnostics: &mut Vec<Diagnostic>, found: Vec<Diagnostic>| {
            diagnostics.retain(|it| !is_repeated(it, &wrong) && !is_not_evaluated(it));
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
                    let found = match index {
                        0 => found.clone(),
                        _ => Vec::new(),
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
        let mut misread = self.misread_in(inputs, node, module);
        if let Some(decl) = declaration(module, node) {
            let wrong = decl.wrong_references(module.profile).filter_map(|error| {
                Some(Refused {
                    at: error.subject.clone()?,
                    stage: Stage::of_error(error),
                })
            });
            misread.refused.extend(wrong);
        }
        if let Some(unread) = self.unread_parts.get(node) {
            misread.leave_out(unread);
        }
        misread
    }

    /// Remembers which parts of a resource its schema does not have.
    fn note_unread_parts(&mut self, inputs: &Inputs, node: &NodeId, result: &NodeResult) {
        let (NodeObject::Resource(addr), NodeResult::Resource(resources)) = (&node.object, result)
        else {
            return;
        };
        let diagnostics = resources.values().flat_map(|it| &it.diagnostics);
        let module = inputs.tree.module(&node.module);
        let declared = module.and_then(|module| module.resource(addr));
        let parts = declared.map(|it| unread::unread(&it.body, diagnostics));
        match parts.filter(|it| !it.is_empty()) {
            Some(parts) => self.unread_parts.insert(node.clone(), parts),
            None => self.unread_parts.remove(node),
        };
    }

    /// The places of references whose errors Terraform does not get to, because of others that are evaluated with them.
    pub(super) fn hidden_references(&self, inputs: &Inputs) -> Vec<(ModuleAddr, Span)> {
        let mut hidden = Vec::new();
        for node in &self.refused {
            let misread = self.misread_references(inputs, node);
            let not_evaluated = NotEvaluated::of(inputs, node, &misread);
            let refused = misread.refused.into_iter();
            let refused = refused.filter(|it| not_evaluated.hides(it)).map(|it| it.at);
            let keyed = misread.keyed.into_iter();
            let keyed = keyed.filter(|at| not_evaluated.is_unmade(at));
            // A variable gets its value in the calling module.
            let module = match &node.object {
                NodeObject::Variable(_) => node.module.parent().unwrap_or_default(),
                _ => node.module.clone(),
            };
            hidden.extend(refused.chain(keyed).map(|at| (module.clone(), at)));
        }
        for (node, parts) in &self.unread_parts {
            hidden.extend(parts.iter().map(|part| (node.module.clone(), part.clone())));
        }
        hidden
    }

    fn misread_in(&self, inputs: &Inputs, node: &NodeId, module: &Module) -> Misread {
        let check = |node: &NodeId, declared: &Module, references: &[Reference]| {
            let mut keyed = Vec::new();
            let mut refused = Vec::new();
            for reference in references {
                match config::check_reference(declared, &node.module, reference) {
                    Some(it) if it.code == "instance-key" => keyed.push(reference.span.clone()),
                    Some(it) if it.severity == Severity::Error => refused.push(Refused {
                        at: reference.span.clone(),
                        stage: Stage::of(reference),
                    }),
                    _ => {}
                }
            }
            let misread = |reference| self.misread_reference(inputs, node, declared, reference);
            Misread {
                found: references.iter().flat_map(misread).collect(),
                keyed,
                refused,
            }
        };
        let is_opentofu = inputs.environment.functions.profile.is_opentofu();
        match &node.object {
            NodeObject::Called(_) | NodeObject::Provider(_) => Misread::default(),
            NodeObject::Call(name) => {
                let call = module.module_calls.get(name);
                let expr = call.and_then(|call| call.repetition.expr());
                expr.map_or_else(Misread::default, |expr| {
                    check(node, module, &expr.references())
                })
            }
            NodeObject::Variable(name) => {
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
            NodeObject::Resource(addr) => {
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
            // Of an output, a validation of OpenTofu knows nothing.
            if profile.is_opentofu() && inputs.options.mode == PlanMode::Validate {
                return Vec::new();
            }
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
    pub(super) fn schema_of(
        &self,
        inputs: &Inputs,
        node: &NodeId,
        config: &Resource,
    ) -> Option<&Arc<Schema>> {
        let provider = inputs.tree.provider_of(&node.module, config).provider;
        let NodeResult::Provider(provider) = self.results.get(&NodeId::provider(&provider))? else {
            return None;
        };
        let provider = provider.schema.as_ref().ok()?;
        let types = match config.addr.mode {
            ResourceMode::Managed => &provider.resources,
            ResourceMode::Data => &provider.data_sources,
            ResourceMode::Ephemeral => &provider.ephemeral,
            ResourceMode::Action => &provider.actions,
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
