//! Which attributes of objects the planned changes follow from: changes of those made outside of Terraform are worth
//! telling.
//!
//! Follows OpenTofu's `internal/lang/globalref` and `relevantResourceAttrsForPlan` of its `internal/tofu`.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use config::language_release::feature;
use config::{
    AbsResourceAddr, Block, Body, Expr, InstanceKey, Module, ModuleInstanceAddr, ModuleTree,
    Reference, Referenceable, Repetition, Resource, ResourceAddr, ResourceMode,
};
use cty::{Type, Value};
use schema::{NestedBlock, Nesting, ProviderSchema, Schema};
use syntax::ast::{Key, Step, StepKind};
use text::{Diagnostic, Severity};

use crate::inputs::Inputs;
use crate::resource::types;
use crate::{
    Action, Plan, PlanMode, RelevantAttribute, RelevantStep, ResourceInstanceChange, ResourceResult,
};

/// The attributes that the changes of `plan` follow from, directly or through others. As no state has the outputs of
/// called modules, all of those that have a value are changes, unless an error is in them. A plan that destroys also deletes the data sources of the
/// state, which it does not show (`dataResourceExecute` in `node_resource_plan_destroy.go`); after a refresh the state has those
/// that were read.
pub(crate) fn relevant_attributes(plan: &Plan, inputs: &Inputs) -> Vec<RelevantAttribute> {
    let analyzer = Analyzer {
        plan,
        tree: &inputs.tree,
    };
    let mut pending: Vec<FoundReference> = Vec::new();
    for change in plan.changes().filter(|it| it.action != Action::NoOp) {
        let addr = &change.addr;
        pending.extend(analyzer.of_resource(&addr.module, &addr.resource, &[]));
    }
    let options = &inputs.options;
    let is_deleting = plan.mode == PlanMode::Destroy && !options.is_selective();
    let deleted: Vec<&AbsResourceAddr> = match (is_deleting, options.refresh) {
        (false, _) => Vec::new(),
        (true, false) => inputs.state.resources.keys().collect(),
        (true, true) => {
            let is_read = |it: &&ResourceResult| {
                let mut values = it.instances.iter().map(|it| &it.plan.value);
                values.any(|it| it.is_wholly_known() && !it.is_null())
            };
            let resources = plan.resources.values().map(|it| &**it);
            resources.filter(is_read).map(|it| &it.addr).collect()
        }
    };
    for addr in deleted {
        if addr.resource.mode == ResourceMode::Data {
            pending.extend(analyzer.of_resource(&addr.module, &addr.resource, &[]));
        }
    }
    let changed = plan.output_changes().filter(|it| it.action != Action::NoOp);
    for output in changed {
        pending.extend(analyzer.of_outputs(&ModuleInstanceAddr::root(), Some(&output.name)));
    }
    let is_walked = plan.mode != PlanMode::Destroy;
    for (instance, values) in plan.modules.iter().filter(|_| is_walked) {
        let given = values.outputs.iter().filter(|(_, value)| !value.is_null());
        for (name, _) in given.filter(|(name, _)| !analyzer.has_failed(instance, name)) {
            pending.extend(analyzer.of_outputs(instance, Some(name)));
        }
    }
    let profile = inputs.environment.functions.profile;
    let stops_at_any = profile.has(feature::RELEVANT_WITHIN_SCHEMA);
    let mut relevant = BTreeSet::new();
    let mut visited = HashSet::new();
    while let Some(found) = pending.pop() {
        if !visited.insert(found.identity()) {
            continue;
        }
        relevant.extend(found.attribute().and_then(|it| match stops_at_any {
            true => analyzer.within_schema(&found.module, it),
            false => Some(it),
        }));
        pending.extend(analyzer.behind(&found));
    }
    relevant.into_iter().collect()
}

/// The drift to show: attributes that nothing follows from stay as they were. `None`: nothing is left to show.
pub(crate) fn relevant_drift(
    relevant: &[RelevantAttribute],
    drift: &ResourceInstanceChange,
) -> Option<ResourceInstanceChange> {
    let of_object = relevant.iter().filter(|it| it.resource == drift.addr);
    let paths: Vec<&[RelevantStep]> = of_object.map(|it| it.path.as_slice()).collect();
    if paths.is_empty() {
        return None;
    }
    // Of an object that is gone, too, only that is shown.
    let is_gone = drift.action == Action::Delete;
    let nulls = || {
        let before = drift.before.unmark_deep().0;
        let null = |value: &Value| Value::null(value.ty().clone());
        let attributes = before.as_map()?.iter();
        Some(Value::object(
            attributes.map(|(name, value)| (name, null(value))),
        ))
    };
    let after = match is_gone && paths.iter().all(|path| !path.is_empty()) {
        true => nulls()?,
        false => drift.after.clone(),
    };
    let after = only(&paths, &drift.before, &after);
    let (before, now) = (drift.before.unmark_deep().0, after.unmark_deep().0);
    (is_gone || !now.raw_equals(&before)).then(|| ResourceInstanceChange {
        after,
        ..drift.clone()
    })
}

/// `after` at the paths, `before` elsewhere.
fn only(paths: &[&[RelevantStep]], before: &Value, after: &Value) -> Value {
    if paths.is_empty() {
        return before.clone();
    }
    if paths.iter().any(|path| path.is_empty()) {
        return after.clone();
    }
    let within = |step: &dyn Fn(&RelevantStep) -> bool| -> Vec<&[RelevantStep]> {
        let inner = paths.iter().filter(|path| step(&path[0]));
        inner.map(|path| &path[1..]).collect()
    };
    let (old, _) = before.unmark();
    let (new, marks) = after.unmark();
    let merged = match (new.ty(), old.as_map(), new.as_map()) {
        (Type::Object(_) | Type::Map(_), Some(old), Some(new_elements)) => {
            let mut elements = BTreeMap::new();
            for name in old.keys().chain(new_elements.keys()) {
                let paths = within(&|step| *step == RelevantStep::Name(name.to_string()));
                let merged = match (old.get(name), new_elements.get(name)) {
                    (Some(old), Some(new)) => Some(only(&paths, old, new)),
                    (old, _) if paths.is_empty() => old.cloned(),
                    (_, new) => new.cloned(),
                };
                elements.extend(merged.map(|merged| (name.clone(), merged)));
            }
            match new.ty() {
                Type::Map(element) => Value::map((**element).clone(), elements),
                _ => Value::object(elements),
            }
        }
        (Type::List(_) | Type::Tuple(_), ..) => match (old.as_slice(), new.as_slice()) {
            (Some(old), Some(elements)) if old.len() == elements.len() => {
                let pairs = old.iter().zip(elements).enumerate();
                let merged = pairs.map(|(index, (old, new))| {
                    let is_here = |step: &RelevantStep| *step == RelevantStep::Index(index as i64);
                    only(&within(&is_here), old, new)
                });
                match new.ty() {
                    Type::List(element) => Value::list((**element).clone(), merged.collect()),
                    _ => Value::tuple(merged.collect()),
                }
            }
            _ => new.clone(),
        },
        _ => new.clone(),
    };
    merged.mark_all(&marks)
}

/// A reference with the place where it was found.
#[derive(Debug, Clone)]
struct FoundReference {
    module: ModuleInstanceAddr,
    /// The resource in whose block it stands, which defines `each` and `count`.
    within: Option<ResourceAddr>,
    reference: Reference,
}

impl FoundReference {
    /// Equal for references that mean the same.
    fn identity(
        &self,
    ) -> (
        ModuleInstanceAddr,
        Option<ResourceAddr>,
        Referenceable,
        String,
    ) {
        let subject = self.reference.subject.clone();
        let is_repeated = matches!(subject, Referenceable::Count(_) | Referenceable::Each(_));
        let within = self.within.clone().filter(|_| is_repeated);
        let remaining = steps_text(&self.reference.remaining);
        (self.module.clone(), within, subject, remaining)
    }

    fn attribute(&self) -> Option<RelevantAttribute> {
        let (addr, key) = match &self.reference.subject {
            Referenceable::Resource(addr) => (addr, &InstanceKey::None),
            Referenceable::ResourceInstance(addr, key) => (addr, key),
            _ => return None,
        };
        Some(RelevantAttribute {
            resource: self.module.resource(addr.clone()).instance(key.clone()),
            path: self.reference.remaining.iter().map(step).collect(),
        })
    }
}

fn found<'a>(
    module: &ModuleInstanceAddr,
    exprs: impl IntoIterator<Item = &'a Expr>,
) -> Vec<FoundReference> {
    let references = exprs.into_iter().flat_map(Expr::references);
    references
        .map(|reference| FoundReference {
            module: module.clone(),
            within: None,
            reference,
        })
        .collect()
}

fn step(step: &Step) -> RelevantStep {
    let number = |text: &str| match text.parse() {
        Ok(index) => RelevantStep::Index(index),
        Err(_) => RelevantStep::Name(text.to_owned()),
    };
    match &step.kind {
        StepKind::Attr(name) => RelevantStep::Name(name.name.to_string()),
        StepKind::Index(Key::String(key)) => RelevantStep::Name(key.to_string()),
        StepKind::Index(Key::Number(text)) | StepKind::LegacyIndex(text) => number(text),
        StepKind::Index(Key::Bool(key)) => RelevantStep::Name(key.to_string()),
        StepKind::Index(Key::Null) => RelevantStep::Name(String::new()),
    }
}

/// Steps as addresses have them.
pub(crate) fn steps_text(steps: &[Step]) -> String {
    let text = |it: &Step| match (&it.kind, step(it)) {
        (StepKind::Attr(name), _) => format!(".{}", name.name),
        (_, RelevantStep::Name(key)) => format!("[{}]", cty::quote(&key)),
        (_, RelevantStep::Index(index)) => format!("[{index}]"),
    };
    steps.iter().map(text).collect()
}

struct Analyzer<'a> {
    plan: &'a Plan,
    tree: &'a ModuleTree,
}

impl Analyzer<'_> {
    /// Whether there is no value of an output because of an error in it.
    fn has_failed(&self, called: &ModuleInstanceAddr, name: &str) -> bool {
        let module = self.tree.module(&called.module());
        let Some(output) = module.and_then(|module| module.outputs.get(name)) else {
            return false;
        };
        let declared = &output.decl.span;
        let is_of_it = |it: &Diagnostic| {
            let at = it.subject.as_ref().map(|at| (&at.file, at.segment));
            it.severity == Severity::Error && at == Some((&declared.file, declared.segment))
        };
        self.plan.diagnostics.iter().any(is_of_it)
    }

    /// The references of the object itself.
    fn behind(&self, found_at: &FoundReference) -> Vec<FoundReference> {
        let (at, reference) = (&found_at.module, &found_at.reference);
        let Some(module) = self.tree.module(&at.module()) else {
            return Vec::new();
        };
        match &reference.subject {
            Referenceable::Var(name) => {
                let call = self.tree.call(&at.module());
                match (call, at.parent()) {
                    (Some((_, call)), Some(caller)) => {
                        let argument = call.argument(name).map(|it| it.expr());
                        found(&caller, &argument)
                    }
                    _ => Vec::new(),
                }
            }
            Referenceable::Local(name) => {
                found(at, module.locals.get(name).map(|local| &local.value))
            }
            Referenceable::ModuleOutput { call, key, output } => {
                self.of_outputs(&at.child(call.clone(), key.clone()), Some(output))
            }
            Referenceable::Module(call) => {
                self.of_outputs(&at.child(call.clone(), InstanceKey::None), None)
            }
            Referenceable::ModuleInstance(call, key) => {
                self.of_outputs(&at.child(call.clone(), key.clone()), None)
            }
            Referenceable::Count(_) | Referenceable::Each(_) => {
                let within = found_at.within.as_ref();
                let resource = within.and_then(|addr| module.resource(addr));
                let repetition = resource.map(|resource| &resource.repetition);
                let repetition = repetition.filter(|it| !matches!(it, Repetition::Enabled(_)));
                found(at, repetition.and_then(Repetition::expr))
            }
            Referenceable::Resource(addr) | Referenceable::ResourceInstance(addr, _) => {
                self.of_resource(at, addr, &reference.remaining)
            }
            Referenceable::Self_
            | Referenceable::Path(_)
            | Referenceable::Terraform(_)
            | Referenceable::Tofu(_) => Vec::new(),
        }
    }

    fn of_outputs(
        &self,
        called: &ModuleInstanceAddr,
        name: Option<&smol_str::SmolStr>,
    ) -> Vec<FoundReference> {
        let Some(module) = self.tree.module(&called.module()) else {
            return Vec::new();
        };
        let outputs = module.outputs.iter();
        let outputs = outputs.filter(|(output, _)| name.is_none_or(|name| name == *output));
        found(
            called,
            outputs.filter_map(|(_, output)| output.value.as_ref()),
        )
    }

    fn schema(&self, module: &Module, resource: &Resource) -> Option<&Schema> {
        let provider = module.provider_of(resource).0;
        let schemas: &ProviderSchema = self.plan.schemas.get(&provider)?;
        types(schemas, resource.addr.mode)
            .get(&resource.addr.r#type)
            .map(|it| &**it)
    }

    /// Without the steps into an attribute of any type. `None`: no resource, as is the element of a `dynamic` block.
    fn within_schema(
        &self,
        at: &ModuleInstanceAddr,
        found: RelevantAttribute,
    ) -> Option<RelevantAttribute> {
        let module = self.tree.module(&at.module())?;
        let resource = module.resource(&found.resource.resource)?;
        let schema = self.schema(module, resource);
        let mut path = found.path;
        if let (Some(schema), Some(RelevantStep::Name(name))) = (schema, path.first())
            && let Some(attribute) = schema.block.attributes.get(name.as_str())
            && attribute.implied_type().is_dynamic()
        {
            path.truncate(1);
        }
        Some(RelevantAttribute { path, ..found })
    }

    /// The references of a resource's configuration, as far as the steps into it lead to them.
    fn of_resource(
        &self,
        at: &ModuleInstanceAddr,
        addr: &ResourceAddr,
        steps: &[Step],
    ) -> Vec<FoundReference> {
        let module = self.tree.module(&at.module());
        let resource = module.and_then(|module| Some((module, module.resource(addr)?)));
        let Some((module, resource)) = resource else {
            return Vec::new();
        };
        let Some(schema) = self.schema(module, resource) else {
            return Vec::new();
        };
        let references = references_at(&resource.body, &schema.block, steps);
        references
            .into_iter()
            .map(|reference| FoundReference {
                module: at.clone(),
                within: Some(addr.clone()),
                reference,
            })
            .collect()
    }
}

/// The references of a value's configuration. Into blocks that form a list, a set or a map Terraform doesn't look
/// further: an element of such a block has no references, and all of them have those of the body around.
fn references_at(body: &Body, schema: &schema::Block, steps: &[Step]) -> Vec<Reference> {
    let mut bodies: Vec<Body> = vec![body.clone()];
    let mut exprs: Vec<Expr> = Vec::new();
    let mut schema = schema;
    let mut steps = steps.iter();
    while let Some(next) = steps.next() {
        let RelevantStep::Name(name) = step(next) else {
            return Vec::new();
        };
        let content: Vec<_> = bodies.iter().map(|it| eval::content(it, schema)).collect();
        if schema.attributes.contains_key(name.as_str()) {
            let written = content.iter().filter_map(|body| body.attribute(&name));
            exprs.extend(written.map(|attribute| attribute.expr()));
            return exprs.iter().flat_map(Expr::references).collect();
        }
        let Some(NestedBlock { block, nesting, .. }) = schema.block_types.get(name.as_str()) else {
            return exprs.iter().flat_map(Expr::references).collect();
        };
        match nesting {
            Nesting::Single | Nesting::Group => {
                let blocks = content.iter().flat_map(|body| &body.blocks);
                let blocks = blocks.filter(|block| block.effective_kind() == name);
                let parts: Vec<_> = blocks.map(parts).collect();
                exprs.extend(parts.iter().flat_map(|(_, exprs)| exprs.clone()));
                bodies = parts.into_iter().filter_map(|(body, _)| body).collect();
                schema = block;
            }
            Nesting::List | Nesting::Set | Nesting::Map => match steps.next() {
                Some(_) => return Vec::new(),
                None => break,
            },
        }
        if bodies.is_empty() && steps.len() > 0 {
            return Vec::new();
        }
    }
    let in_bodies = bodies.iter().flat_map(config::refs::body_references);
    exprs
        .iter()
        .flat_map(Expr::references)
        .chain(in_bodies)
        .collect()
}

/// The content of a block; of a `dynamic` one also the expressions for its repetition.
fn parts(block: &Block) -> (Option<Body>, Vec<Expr>) {
    let body = block.body();
    if block.kind() != "dynamic" {
        return (Some(body), Vec::new());
    }
    let arguments = ["for_each", "labels"].into_iter();
    let arguments = arguments.filter_map(|name| body.attribute(name));
    let exprs = arguments.map(|it| it.expr()).collect();
    (body.blocks_of("content").next().map(Block::body), exprs)
}
