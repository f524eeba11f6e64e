//! The instances of modules, and the scope inside of one.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::{Arc, LazyLock};

use config::language_release::feature;
use config::{InstanceKey, Module, ModuleAddr, ModuleInstanceAddr, Profile, ResourceAddr};
use cty::{Mark, Type, Value, budget};
use eval::{Expansion, Unexpanded};
use smol_str::SmolStr;
use text::Diagnostic;

use super::Engine;
use crate::PlanMode;
use crate::caveat::{Caveat, Unevaluated};
use crate::expansion::{Shape, keys};
use crate::inputs::Inputs;
use crate::node::{NodeId, NodeObject};
use crate::result::{CallResult, Evaluated, ModuleInstance, NodeResult, PerInstance};
use crate::scope::{DeclarationScope, Values};

/// Whether the configuration wants a module instance.
pub(super) enum Existence {
    Wanted,
    Unwanted,
    /// The instances that it wants cannot be determined.
    Unknown,
}

impl Engine {
    /// The instances of a module, in the order of their addresses; one that stands for all where they are not known.
    pub(super) fn instances(&self, module: &ModuleAddr) -> &[ModuleInstance] {
        static ROOT: LazyLock<ModuleInstance> = LazyLock::new(ModuleInstance::default);
        match NodeId::call_of(module).map(|call| self.results.get(&call)) {
            None => std::slice::from_ref(&*ROOT),
            Some(Some(NodeResult::Call(call))) => &call.instances,
            Some(_) => &[],
        }
    }

    pub(super) fn in_each<T>(
        &self,
        module: &ModuleAddr,
        result: impl FnMut(&ModuleInstance) -> T,
    ) -> PerInstance<T> {
        let instances = self.instances(module);
        let addrs = instances.iter().map(|instance| instance.addr.clone());
        addrs.zip(instances.iter().map(result)).collect()
    }

    /// A value for each instance of the module; an error that several of them share is reported once.
    pub(super) fn evaluate_in_each(
        &self,
        module: &ModuleAddr,
        mut evaluate: impl FnMut(&ModuleInstance) -> (Value, Vec<Diagnostic>),
    ) -> Evaluated {
        let mut diagnostics = Vec::new();
        let values = self.in_each(module, |instance| {
            let (value, found) = evaluate(instance);
            add_new(&mut diagnostics, found);
            value
        });
        Evaluated {
            values,
            diagnostics,
        }
    }

    pub(super) fn existence(&self, instance: &ModuleInstanceAddr) -> Existence {
        let mut known = ModuleInstanceAddr::root();
        for step in instance.steps() {
            let call = NodeObject::Call(step.call.clone()).of(&known.module());
            let Some(NodeResult::Call(call)) = self.results.get(&call) else {
                return Existence::Unwanted;
            };
            let next = known.child(step.call.clone(), step.key.clone());
            match call.shapes.get(&known) {
                Some(Shape::Unknown) => return Existence::Unknown,
                None => return Existence::Unwanted,
                Some(_) if call.instance(&next).is_none() => {
                    return Existence::Unwanted;
                }
                Some(_) => known = next,
            }
        }
        Existence::Wanted
    }

    pub(super) fn evaluate_call(
        &self,
        inputs: &Inputs,
        module: &ModuleAddr,
        name: &SmolStr,
    ) -> CallResult {
        let node = NodeObject::Call(name.clone()).of(module);
        let Some(call) = inputs
            .tree
            .module(module)
            .and_then(|module| module.module_calls.get(name))
        else {
            return CallResult::default();
        };
        if let Some(NodeResult::Call(before)) = self.results.get(&node)
            && inputs.is_broken(&call.decl.span)
        {
            return before.clone();
        }
        let references = call.repetition.expr().map(config::Expr::references);
        let references = references.unwrap_or_default();
        let mut result = CallResult::default();
        result.shapes = self.in_each(module, |caller| {
            let scope = self.scope(inputs, &caller.addr, &references);
            let (mut expansion, found) = eval::expand(&call.repetition, scope.context());
            let is_unknown = expansion == Expansion::Unknown(Unexpanded::Unknown);
            let is_validated = inputs.options.mode == PlanMode::Validate;
            let unread = is_unknown
                .then(|| self.behind_unread(inputs, &node))
                .flatten();
            if is_unknown && (is_validated || self.follows_a_failure(&node)) {
                expansion = Expansion::Unknown(Unexpanded::Invalid);
            } else if unread.is_none() {
                add_new(&mut result.diagnostics, found);
            }
            if is_validated && expansion != Expansion::Single {
                expansion = Expansion::Unknown(Unexpanded::Unknown);
            }
            let child = |key: InstanceKey| caller.addr.child(name.clone(), key);
            let unknown = match (&caller.stands_for_unknown, &expansion) {
                (Some(why), _) => Some(why.clone()),
                (None, Expansion::Unknown(why)) => {
                    let unexpanded = || Caveat::unexpanded(*why, &child(InstanceKey::None));
                    Some(unread.unwrap_or_else(unexpanded))
                }
                (None, _) => None,
            };
            if let Some(why) = unknown {
                result.instances.push(ModuleInstance {
                    addr: child(InstanceKey::None),
                    each_value: None,
                    stands_for_unknown: Some(why),
                });
                return match expansion {
                    Expansion::Single => Shape::Single,
                    _ => Shape::Unknown,
                };
            }
            let shape = Shape::of(&expansion);
            let instances = keys(expansion).into_iter();
            result
                .instances
                .extend(instances.map(|(key, each_value)| ModuleInstance {
                    addr: child(key),
                    each_value,
                    stands_for_unknown: None,
                }));
            shape
        });
        result.instances.sort_by(|a, b| a.addr.cmp(&b.addr));
        result
    }

    /// The caveat of a node whose values may be unknown because of a data source that a refresh would read.
    pub(super) fn behind_unread(&self, inputs: &Inputs, node: &NodeId) -> Option<Caveat> {
        if self.unread.is_empty() && inputs.distrusted.is_empty() {
            return None;
        }
        let mut seen = HashSet::from([node]);
        let mut stack = vec![node];
        while let Some(node) = stack.pop() {
            for before in self.graph.dependencies(node) {
                let distrusted = || inputs.distrusted.get(before);
                if let Some(addr) = self.unread.get(before).or_else(distrusted) {
                    let addr = addr.clone();
                    return Some(Caveat::BehindUnread { addr });
                }
                if before.passes_unread_on() && seen.insert(before) {
                    stack.push(before);
                }
            }
        }
        None
    }

    /// Whether something that the node depends on has failed: then its values may be unknown because of that, which
    /// was said there.
    pub(super) fn follows_a_failure(&self, node: &NodeId) -> bool {
        let mut seen = HashSet::from([node]);
        let mut stack = vec![node];
        while let Some(node) = stack.pop() {
            for before in self.graph.dependencies(node) {
                if seen.insert(before) {
                    if self.results.get(before).is_some_and(NodeResult::has_errors) {
                        return true;
                    }
                    stack.push(before);
                }
            }
        }
        false
    }

    /// A call whose instances cannot be determined, and why.
    pub(super) fn unknown_call(
        &self,
        module: &ModuleAddr,
        name: &SmolStr,
        why: Unevaluated,
    ) -> CallResult {
        let addr = module.child(name.clone()).to_string();
        let why = Caveat::UnevaluatedCall { addr, why };
        let instances = self.instances(module).iter();
        CallResult {
            shapes: self.in_each(module, |_| Shape::Unknown),
            instances: instances
                .map(|caller| ModuleInstance {
                    addr: caller.addr.child(name.clone(), InstanceKey::None),
                    each_value: None,
                    stands_for_unknown: Some(why.clone()),
                })
                .collect(),
            diagnostics: Vec::new(),
        }
    }

    /// The value of a reference to a whole called module.
    pub(super) fn evaluate_called(
        &self,
        inputs: &Inputs,
        module: &ModuleAddr,
        name: &SmolStr,
    ) -> Evaluated {
        let called = inputs.tree.module(&module.child(name.clone()));
        let outputs = called.map(|called| called.outputs.keys().cloned().collect());
        let outputs = outputs.unwrap_or_default();
        self.evaluate_in_each(module, |caller| {
            let value = self.called_value(inputs, &caller.addr, name, &outputs);
            (value, Vec::new())
        })
    }

    /// A called module with these of its outputs, as an instance of the calling module sees it.
    fn called_value(
        &self,
        inputs: &Inputs,
        caller: &ModuleInstanceAddr,
        name: &SmolStr,
        outputs: &BTreeSet<SmolStr>,
    ) -> Value {
        let module = caller.module();
        let called = module.child(name.clone());
        let call = self
            .results
            .get(&NodeObject::Call(name.clone()).of(&module));
        let (Some(NodeResult::Call(call)), Some(declared)) = (call, inputs.tree.module(&called))
        else {
            return Value::dynamic();
        };
        if inputs.options.mode == PlanMode::Validate {
            let declared_call = inputs.tree.call(&called);
            let profile = inputs.environment.functions.profile;
            return declared_call.map_or_else(Value::dynamic, |(_, call)| {
                any_value(call, declared, profile)
            });
        }
        let Some(shape) = call.shapes.get(caller) else {
            return Value::dynamic();
        };
        let result = |output: &SmolStr| match self
            .results
            .get(&NodeObject::Output(output.clone()).of(&called))
        {
            Some(NodeResult::Output(evaluated, _)) => Some(&evaluated.values),
            _ => None,
        };
        let is_trusted = |output: &SmolStr| {
            let node = NodeObject::Output(output.clone()).of(&called);
            inputs.distrusted.is_empty() || !inputs.distrusted.contains_key(&node)
        };
        let result = |output: &SmolStr| result(output).filter(|_| is_trusted(output));
        let results: Vec<(&SmolStr, Option<&PerInstance<Value>>)> = outputs
            .iter()
            .filter(|output| declared.outputs.contains_key(*output))
            .map(|output| (output, result(output)))
            .collect();
        let profile = inputs.environment.functions.profile;
        // OpenTofu finds the instances of a module by the values of its outputs.
        if declared.outputs.is_empty() && profile.is_opentofu() {
            match shape {
                Shape::Tuple(_) => return Shape::Tuple(0).value([]),
                Shape::Object => return Shape::Object.value([]),
                Shape::Single | Shape::Disabled | Shape::Unknown => {}
            }
        }
        let depth = caller.steps().len();
        let value = shape.value(call.instances_of(caller).iter().map(|instance| {
            let value = |values: Option<&PerInstance<Value>>| {
                let value = values.and_then(|values| values.get(&instance.addr));
                value.cloned().unwrap_or_else(Value::dynamic)
            };
            let attributes = results.iter().map(|(name, values)| (*name, value(*values)));
            (&instance.addr.steps()[depth].key, Value::object(attributes))
        }));
        let have_types = || declared.outputs.values().all(has_known_type);
        match shape {
            Shape::Tuple(_) | Shape::Object
                if profile.has(feature::CALLED_OBJECTS) && have_types() =>
            {
                as_collection(value)
            }
            _ => value,
        }
    }

    pub(super) fn scope<'a>(
        &self,
        inputs: &'a Inputs,
        instance: &ModuleInstanceAddr,
        references: &[config::Reference],
    ) -> DeclarationScope<'a> {
        DeclarationScope::new(inputs, references, &self.view(inputs, instance))
    }

    /// The scope of an instance of a module.
    pub(super) fn view<'e>(
        &'e self,
        inputs: &'e Inputs,
        instance: &'e ModuleInstanceAddr,
    ) -> View<'e> {
        View {
            engine: self,
            inputs,
            module: instance.module(),
            instance,
            itself: None,
            scoped: None,
        }
    }
}

fn has_known_type(output: &Arc<config::Output>) -> bool {
    eval::variables::output_type(output).is_some_and(|it| !it.has_dynamic())
}

/// The tuple or object of the instances of a module whose outputs have types, as a list or a map.
///
/// Follows `GetModule` of Terraform's `internal/terraform/evaluate.go`.
fn as_collection(instances: Value) -> Value {
    let of_object = instances.as_map();
    let elements: Vec<Value> = match of_object {
        Some(elements) => elements.values().cloned().collect(),
        None => instances.as_slice().unwrap_or_default().to_vec(),
    };
    let Some(ty) = elements.first().map(|it| it.ty().clone()) else {
        return instances;
    };
    if elements.iter().any(|it| *it.ty() != ty) {
        return instances;
    }
    match of_object {
        Some(entries) => Value::map(ty, BTreeMap::from(entries)),
        None => Value::list(ty, elements),
    }
}

/// The properties of a called module that hold whatever its values are.
///
/// Follows `GetModule` of Terraform's `internal/terraform/evaluate.go`.
fn any_value(call: &config::ModuleCall, called: &Module, profile: Profile) -> Value {
    let has_types = profile.has(feature::CALLED_OBJECTS);
    let declared = |output| eval::variables::output_type(output).filter(|_| has_types);
    let outputs: Vec<(SmolStr, Option<Type>)> = called
        .outputs
        .iter()
        .map(|(name, output)| (name.clone(), declared(output)))
        .collect();
    let has_declared = outputs.iter().any(|(_, ty)| ty.is_some());
    let outputs = outputs
        .into_iter()
        .map(|(name, ty)| (name, ty.unwrap_or(Type::Dynamic)));
    let repeated = |of: fn(Type) -> Type| {
        let instance = Type::object(outputs.clone());
        match has_declared && instance.has_dynamic() {
            true => Value::dynamic(),
            false => Value::unknown(of(instance)),
        }
    };
    match &call.repetition {
        config::Repetition::Single if has_types => {
            Value::object(outputs.map(|(name, ty)| (name, Value::unknown(ty))))
        }
        config::Repetition::Single | config::Repetition::Enabled(_) => {
            Value::unknown(Type::object(outputs))
        }
        config::Repetition::Count(_) => repeated(Type::list),
        config::Repetition::ForEach(_) => repeated(Type::map),
    }
}

/// The objects of one module instance.
pub(super) struct View<'e> {
    engine: &'e Engine,
    inputs: &'e Inputs,
    module: ModuleAddr,
    instance: &'e ModuleInstanceAddr,
    /// An object that is seen with another value than its result's, or with none.
    itself: Option<(NodeObject, Option<Value>)>,
    /// The data source of the `check` block that looks: only the block itself sees it.
    scoped: Option<&'e ResourceAddr>,
}

impl View<'_> {
    pub(super) fn with(self, object: NodeObject, value: Option<Value>) -> Self {
        View {
            itself: Some((object, value)),
            ..self
        }
    }
}

impl<'e> View<'e> {
    /// As a `check` block sees it.
    pub(super) fn of_check(self, data: Option<&'e ResourceAddr>) -> View<'e> {
        View {
            scoped: data,
            ..self
        }
    }

    fn is_hidden(&self, object: &NodeObject) -> bool {
        let NodeObject::Resource(addr) = object else {
            return false;
        };
        let module = self.inputs.tree.module(&self.module);
        let is_of_module = module.is_some_and(|module| module.resources.contains_key(addr));
        !is_of_module && self.scoped != Some(addr)
    }
}

impl Values for View<'_> {
    fn module(&self) -> Arc<Module> {
        let module = self.inputs.tree.module(&self.module);
        module.cloned().unwrap_or_default()
    }

    fn path(&self) -> &str {
        let module = self.inputs.tree.get(&self.module);
        module.map_or("", |module| &module.path)
    }

    fn value(&self, object: &NodeObject) -> Option<Value> {
        if let Some((itself, value)) = &self.itself
            && itself == object
        {
            return value.clone();
        }
        if self.is_hidden(object) {
            return None;
        }
        let node = object.clone().of(&self.module);
        if self.inputs.distrusted.contains_key(&node) {
            return Some(Value::dynamic());
        }
        match self.engine.results.get(&node)? {
            NodeResult::Value(evaluated) | NodeResult::Output(evaluated, _) => {
                evaluated.values.get(self.instance).cloned()
            }
            NodeResult::Resource(resources) => Some(resources.get(self.instance)?.value.clone()),
            NodeResult::Call(_) | NodeResult::Provider(_) | NodeResult::ProviderConfig(_) => None,
        }
    }

    fn called(&self, call: &SmolStr, outputs: &BTreeSet<SmolStr>) -> Value {
        self.engine
            .called_value(self.inputs, self.instance, call, outputs)
    }
}

/// An output value as the calling module sees it. Some releases of Terraform hide only the values that derive from
/// sensitive ones, and none that are declared to be sensitive.
pub(super) fn seen_by_caller(output: &config::Output, value: Value, profile: Profile) -> Value {
    let is_hidden = profile.has(feature::SENSITIVE_MODULE_OUTPUTS);
    let value = match output.sensitive && is_hidden {
        true => value.mark(Mark::Sensitive),
        false => value,
    };
    match output.ephemeral {
        true => value.mark(Mark::Ephemeral),
        false => value,
    }
}

pub(super) fn add_new(diagnostics: &mut Vec<Diagnostic>, found: Vec<Diagnostic>) {
    for diagnostic in found {
        budget::spend(diagnostics.len());
        diagnostic.add_to(diagnostics);
    }
}
