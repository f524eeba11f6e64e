//! Evaluating nodes.

use std::collections::BTreeMap;
use std::sync::Arc;

use config::language_release::feature;
use config::{
    AbsResourceAddr, CheckRule, ConfigResourceAddr, Import, ModuleAddr, ModuleInstanceAddr,
    Product, ProviderConfigAddr, Reference, ResourceAddr, ResourceMode, Variable,
};
use cty::{Mark, Value};
use eval::variables::InputValue;
use eval::{RuleKind, RuleResult, Variables, evaluate_rule};
use futures_util::future::join_all;
use smol_str::SmolStr;
use text::Diagnostic;

use super::modules::Existence;
use super::{Engine, Evaluation, providers};
use crate::action_trigger::ActionTriggers;
use crate::caveat::Caveat;
use crate::inputs::Inputs;
use crate::instance::{InstanceOptions, PreventDestroy};
use crate::node::{Dependencies, NodeId, NodeObject};
use crate::resolved_provider::{ConfigChoice, ResolvedProvider};
use crate::resource::{self, Imports, Prepared, ResourceRequest};
use crate::result::{
    CallResult, Evaluated, ModuleInstance, NodeResult, PerInstance, ProviderConfigResult,
    ResourceResult,
};
use crate::scope::{DeclarationScope, Values};
use crate::{ActionReason, PlanMode, condition, import, prevent_destroy, validate};

impl Engine {
    pub(super) fn evaluate(&self, inputs: &Inputs, node: &NodeId) -> Evaluation {
        let module = &node.module;
        if let Some(left_out) = self.left_out(inputs, node) {
            return Evaluation::Done(left_out);
        }
        Evaluation::Done(match &node.object {
            NodeObject::Variable(name) => self.evaluate_variable(inputs, module, name),
            NodeObject::Local(name) => self.evaluate_local(inputs, module, name),
            NodeObject::Output(name) => self.evaluate_output(inputs, module, name),
            NodeObject::Call(name) => NodeResult::Call(self.evaluate_call(inputs, module, name)),
            NodeObject::Called(name) => {
                NodeResult::Value(self.evaluate_called(inputs, module, name))
            }
            NodeObject::Check(name) => self.evaluate_check(inputs, module, name),
            NodeObject::Provider(addr) => return providers::ask_schema(inputs, addr),
            NodeObject::ProviderConfig(provider, alias) => {
                return self.evaluate_provider_config(
                    inputs,
                    ProviderConfigAddr {
                        module: module.clone(),
                        provider: provider.clone(),
                        alias: alias.clone(),
                    },
                );
            }
            NodeObject::Resource(addr) => return self.evaluate_resource(inputs, module, addr),
        })
    }

    /// The result of a node that the plan leaves out.
    fn left_out(&self, inputs: &Inputs, node: &NodeId) -> Option<NodeResult> {
        let selected = self
            .selected
            .as_ref()
            .filter(|selected| !selected.has(node))?;
        match &node.object {
            NodeObject::Variable(_) if node.module.is_root() => None,
            NodeObject::Call(_) if selected.is_empty() => {
                Some(NodeResult::Call(CallResult::default()))
            }
            NodeObject::Call(_) | NodeObject::Provider(_) => None,
            NodeObject::Variable(_)
            | NodeObject::Local(_)
            | NodeObject::Called(_)
            | NodeObject::Check(_) => Some(NodeResult::Value(Evaluated::default())),
            NodeObject::Output(_) => Some(NodeResult::Output(Evaluated::default(), None)),
            NodeObject::Resource(_) => Some(NodeResult::Resource(PerInstance::default())),
            NodeObject::ProviderConfig(provider, alias) => {
                let provider = inputs.provider(&ProviderConfigAddr {
                    module: node.module.clone(),
                    provider: provider.clone(),
                    alias: alias.clone(),
                });
                let blocked = ProviderConfigResult::blocked(provider, 0, Caveat::NotTargeted);
                Some(NodeResult::ProviderConfig(blocked.into()))
            }
        }
    }

    fn evaluate_variable(
        &self,
        inputs: &Inputs,
        module: &ModuleAddr,
        name: &SmolStr,
    ) -> NodeResult {
        let Some(variable) = inputs
            .tree
            .module(module)
            .and_then(|m| m.variables.get(name))
        else {
            return NodeResult::Value(Evaluated::default());
        };
        NodeResult::Value(self.evaluate_in_each(module, |instance| {
            let (given, mut diagnostics) = match module.is_root() {
                true => (inputs.variables.get(name).cloned(), Vec::new()),
                false => self.argument(inputs, instance, name),
            };
            let is_validated = inputs.options.mode == PlanMode::Validate;
            let node = NodeObject::Variable(name.clone()).of(module);
            let is_gone = inputs.options.mode == PlanMode::Destroy && !inputs.options.refresh;
            let is_needed = !is_gone && self.selected.as_ref().is_none_or(|it| it.has(&node));
            let (value, found) = match (&given, &variable.default) {
                (None, None) if is_validated => {
                    let (constraint, found) = eval::variables::constraint(variable);
                    let ty = constraint.ty.without_optional_attributes();
                    (Value::unknown(ty), found)
                }
                // The call lacks the argument, which is said there.
                (None, None) if !module.is_root() => {
                    let (constraint, found) = eval::variables::constraint(variable);
                    let ty = constraint.ty.without_optional_attributes();
                    (Value::unknown(ty), found)
                }
                _ => eval::variables::final_value(variable, given.as_ref()),
            };
            diagnostics.extend(found);
            let product = inputs.environment.functions.profile.product;
            // OpenTofu refuses such a value where it validates; its plan walk takes it.
            if is_validated || product == Product::Terraform {
                diagnostics.extend(ephemeral_argument(variable, given.as_ref(), product));
            }
            let marked = |value| eval::variables::marked(variable, &value);
            // Validation asks for no values: those of the root module's variables are unknown.
            let any = is_validated.then(|| {
                let ty = eval::variables::constraint(variable).0.ty;
                marked(Value::unknown(ty.without_optional_attributes()))
            });
            let value = match &any {
                Some(any) if module.is_root() => any.clone(),
                _ => marked(value),
            };
            // All variables of the root module have values, but only those that the plan needs have to be right.
            if diagnostics.is_empty() && is_needed {
                diagnostics = self.validate(inputs, instance, variable, given.as_ref(), &value);
            }
            let profile = inputs.environment.functions.profile;
            if profile.has(feature::IGNORED_ATTRIBUTES) {
                let is_right = diagnostics.is_empty();
                diagnostics.extend(eval::ignored_in_default(variable));
                let call = inputs.tree.call(&instance.addr.module());
                let argument = call.and_then(|(_, call)| call.argument(name));
                if let Some(argument) = argument.filter(|_| is_right) {
                    diagnostics.extend(eval::ignored_in_argument(variable, &argument.expr()));
                }
            }
            if let Some(given) = &given
                && (!is_validated || !module.is_root())
            {
                diagnostics.extend(deprecated(variable, given, product));
            }
            let value = any.unwrap_or(value);
            (value, diagnostics)
        }))
    }

    fn validate(
        &self,
        inputs: &Inputs,
        instance: &ModuleInstance,
        variable: &Variable,
        given: Option<&InputValue>,
        value: &Value,
    ) -> Vec<Diagnostic> {
        let itself = NodeObject::Variable(variable.name.text.clone());
        let view = self.view(inputs, &instance.addr);
        let view = view.with(itself, Some(value.clone()));
        let scope = DeclarationScope::new(inputs, &variable.decl.references, &view);
        eval::variables::validate(variable, given, scope.context())
    }

    /// The value that the call of a module instance gives a variable.
    fn argument(
        &self,
        inputs: &Inputs,
        instance: &ModuleInstance,
        variable: &SmolStr,
    ) -> (Option<InputValue>, Vec<Diagnostic>) {
        let call = inputs.tree.call(&instance.addr.module());
        let (Some(caller), Some(step), Some((_, call))) =
            (instance.addr.parent(), instance.addr.steps().last(), call)
        else {
            return (None, Vec::new());
        };
        let Some(argument) = call.argument(variable) else {
            return (None, Vec::new());
        };
        let expr = argument.expr();
        let scope = self.scope(inputs, &caller, &expr.references());
        let context = match instance.stands_for_unknown {
            Some(_) => scope.for_unknown_instance(&call.repetition),
            None => scope.for_instance(&step.key, instance.each_value.clone()),
        };
        let (value, diagnostics) = eval::evaluate_expr(&expr, &context);
        (Some(InputValue::Argument(value, expr.span())), diagnostics)
    }

    fn evaluate_local(&self, inputs: &Inputs, module: &ModuleAddr, name: &SmolStr) -> NodeResult {
        let Some(local) = inputs.tree.module(module).and_then(|m| m.locals.get(name)) else {
            return NodeResult::Value(Evaluated::default());
        };
        if inputs.is_broken(&local.decl.span)
            && let Some(before) = self
                .results
                .get(&NodeObject::Local(name.clone()).of(module))
        {
            return before.clone();
        }
        NodeResult::Value(self.evaluate_in_each(module, |instance| {
            let scope = self.scope(inputs, &instance.addr, &local.decl.references);
            eval::evaluate_expr(&local.value, scope.context())
        }))
    }

    /// Only its diagnostics count.
    fn evaluate_check(&self, inputs: &Inputs, module: &ModuleAddr, name: &SmolStr) -> NodeResult {
        let check = inputs.tree.module(module).and_then(|m| m.checks.get(name));
        let Some(check) = check.filter(|_| inputs.options.mode != PlanMode::Destroy) else {
            return NodeResult::Value(Evaluated::default());
        };
        NodeResult::Value(self.evaluate_in_each(module, |instance| {
            let data = check.data.as_ref();
            let data = data.and_then(|data| self.resource(&instance.addr, &data.addr));
            if data.is_some_and(resource::could_not_be_read) {
                return (Value::dynamic(), Vec::new());
            }
            let view = self.view(inputs, &instance.addr);
            let view = view.of_check(check.data.as_ref().map(|data| &data.addr));
            let scope = DeclarationScope::new(inputs, &check.decl.references, &view);
            let broken = condition::check(
                &check.asserts,
                condition::ConditionKind::Assertion,
                inputs.options.mode,
                scope.context(),
            );
            (Value::dynamic(), broken)
        }))
    }

    /// The result of a test's assertion in the plan that was made last. It sees the root module, outputs and all.
    pub(crate) fn assert(&self, rule: &CheckRule, references: &[Reference]) -> Option<RuleResult> {
        let inputs = self.inputs.as_ref()?;
        let root = ModuleInstanceAddr::root();
        let view = self.view(inputs, &root);
        let outputs = inputs.tree.root().outputs.keys().map(|name| {
            let value = view.value(&NodeObject::Output(name.clone()));
            (name.clone(), value.unwrap_or_else(Value::dynamic))
        });
        let of_test = Variables::from([
            ("output".into(), Value::object(outputs)),
            // The outputs of earlier runs.
            ("run".into(), Value::dynamic()),
        ]);
        let scope = DeclarationScope::new(inputs, references, &view);
        let context = scope.context().child(of_test);
        Some(evaluate_rule(rule, RuleKind::Condition, &context))
    }

    fn evaluate_resource(
        &self,
        inputs: &Inputs,
        module: &ModuleAddr,
        addr: &ResourceAddr,
    ) -> Evaluation {
        let node = NodeObject::Resource(addr.clone()).of(module);
        let before = match self.results.get(&node) {
            Some(NodeResult::Resource(before)) => before.clone(),
            _ => PerInstance::default(),
        };
        let config = inputs.tree.module(module).and_then(|m| m.resource(addr));
        let is_broken = config.is_some_and(|config| inputs.is_broken(&config.decl.span));
        let was_declared = before.iter().any(|(_, it)| it.config.is_some());
        if is_broken && was_declared {
            return Evaluation::Done(NodeResult::Resource(before));
        }
        let stored = ConfigResourceAddr {
            module: module.clone(),
            resource: addr.clone(),
        };
        let mut prepared: Vec<(ModuleInstanceAddr, Prepared)> = Vec::new();
        let mut has_orphans = addr.mode == ResourceMode::Managed;
        if let Some(config) = config {
            let mut imports = self.imports(inputs, &stored, config);
            // Terraform plans no object of a resource with a wrong import.
            let is_refused = imports.values().any(|it| it.is_refused);
            let profile = inputs.environment.functions.profile;
            has_orphans &= !is_refused || profile.is_opentofu();
            prepared.extend(self.instances(module).iter().map(|instance| {
                let imports = imports.remove(&instance.addr).unwrap_or_default();
                (
                    instance.addr.clone(),
                    self.prepare_resource(inputs, instance, config, imports),
                )
            }));
        }
        let wanted = prepared.len();
        // A data source that was read is simply no longer there.
        let stored = self.stored.get(&stored).filter(|_| has_orphans);
        for stored in stored.into_iter().flatten() {
            if prepared[..wanted]
                .iter()
                .all(|(instance, _)| instance != stored)
            {
                let orphan = self.prepare_orphan(inputs, stored, addr, config.is_some());
                prepared.extend(orphan.map(|orphan| (stored.clone(), orphan)));
            }
        }
        let (mut done, mut asked) = (Vec::new(), Vec::new());
        for (instance, prepared) in prepared {
            match prepared {
                Prepared::Done(result) => done.push((instance, Arc::new(*result))),
                Prepared::Ask(work) => {
                    let before = before.get(&instance).cloned();
                    asked.push(async move { (instance, Arc::new(work.plan(before).await)) });
                }
            }
        }
        if asked.is_empty() {
            return Evaluation::Done(NodeResult::Resource(done.into_iter().collect()));
        }
        Evaluation::Ask(Box::pin(async move {
            let planned = join_all(asked).await;
            let results = done.into_iter().chain(planned).collect();
            (node, NodeResult::Resource(results))
        }))
    }

    fn prepare_resource(
        &self,
        inputs: &Inputs,
        instance: &ModuleInstance,
        config: &Arc<config::Resource>,
        imports: Imports,
    ) -> Prepared {
        let module = instance.addr.module();
        let provider = inputs.tree.provider_of(&module, config);
        let node = NodeObject::Resource(config.addr.clone()).of(&module);
        let task = self.task(inputs, &instance.addr.resource(config.addr.clone()));
        let served = self.served(inputs, instance, config, &provider);
        if !task.is_planned {
            let addr = instance.addr.resource(config.addr.clone());
            let profile = inputs.environment.functions.profile;
            let scope = self.scope_of_resource(inputs, &instance.addr, config);
            let (prevent_destroy, mut found) =
                prevent_destroy::evaluate(config, &addr, profile, &scope);
            found.extend(served.problems);
            return resource::prepare_orphan(
                inputs,
                &addr,
                Some(config),
                prevent_destroy,
                ResolvedProvider {
                    configs: served
                        .configs
                        .filter(|_| config.addr.mode == ResourceMode::Managed),
                    problems: found,
                    ..served
                },
                task,
                ActionReason::DeleteBecauseNoResourceConfig,
            );
        }
        let scope = self.scope_of_resource(inputs, &instance.addr, config);
        if task.mode == PlanMode::Validate {
            let found = imports.diagnostics;
            return validate::prepare(inputs, instance, config, served, &scope, task, found);
        }
        let request = ResourceRequest {
            inputs,
            module: instance,
            config,
            provider: &provider,
            served,
            scope: &scope,
            is_create_before_destroy_forced: self.create_before_destroy.contains(&node),
            has_pending_dependencies: self.has_pending_dependencies(inputs, &instance.addr, config),
            task,
            follows_a_failure: &|| self.follows_a_failure(&node),
            behind_unread: &|| self.behind_unread(inputs, &node),
            planned: &|other| {
                let other = (*other != config.addr).then_some(other)?;
                self.resource(&instance.addr, other)
            },
        };
        resource::prepare(
            &request,
            imports,
            self.action_triggers(inputs, instance, config),
        )
    }

    /// The triggers of the instances of an action; none for other resources.
    fn action_triggers(
        &self,
        inputs: &Inputs,
        instance: &ModuleInstance,
        action: &config::Resource,
    ) -> ActionTriggers {
        let mut triggers = ActionTriggers::default();
        if action.addr.mode != ResourceMode::Action {
            return triggers;
        }
        let module = &instance.addr.module();
        let declared = inputs.tree.module(module);
        for resource in declared
            .into_iter()
            .flat_map(|it| it.triggering(&action.addr))
        {
            let planned = self.resource(&instance.addr, &resource.addr);
            // Nothing comes of the changes of a resource that failed.
            if let Some(planned) = planned.filter(|it| !condition::has_errors(&it.diagnostics)) {
                let scope =
                    |references: &[Reference]| self.scope(inputs, &instance.addr, references);
                let follows_from = || self.refers_to(inputs, module, action, &resource.addr);
                triggers.add(&action.addr, resource, planned, &scope, &follows_from);
            }
        }
        triggers
    }

    /// True if the arguments of an action need the object of a resource.
    fn refers_to(
        &self,
        inputs: &Inputs,
        module: &ModuleAddr,
        action: &config::Resource,
        resource: &ResourceAddr,
    ) -> bool {
        let resource = NodeObject::Resource(resource.clone()).of(module);
        let tree = &*inputs.tree;
        let needed = Dependencies { tree, module }.of_action_alone(action);
        self.graph.with_dependencies(&needed).contains(&resource)
    }

    /// The import targets of a resource in each instance of its module.
    fn imports(
        &self,
        inputs: &Inputs,
        addr: &ConfigResourceAddr,
        config: &config::Resource,
    ) -> BTreeMap<ModuleInstanceAddr, Imports> {
        let mut imports: BTreeMap<ModuleInstanceAddr, Imports> = BTreeMap::new();
        let instances = self.instances(&addr.module);
        let into_it = || inputs.tree.imports_into(&addr.module, &addr.resource);
        let (Some(first), Some(_)) = (instances.first(), into_it().next()) else {
            return imports;
        };
        let provider = inputs.tree.provider_of(&addr.module, config).provider;
        let schema = match self.results.get(&NodeId::provider(&provider)) {
            Some(NodeResult::Provider(provider)) => provider.schema.as_ref().ok(),
            _ => None,
        };
        // Nothing is said of a provider that can't be asked.
        let Some(schema) = schema else {
            return imports;
        };
        let identity = schema.identities.get(&addr.resource.r#type);
        let product = inputs.environment.functions.profile.product;
        let mut found = Vec::new();
        let is_misaddressed = |import: &Arc<Import>| {
            import::missing_key(import, &config.repetition, product).is_some()
        };
        // Terraform compares the addresses when it reads the configuration.
        if into_it().any(is_misaddressed) {
            return imports;
        }
        for import in into_it() {
            let root = ModuleInstanceAddr::root();
            let scope = self.scope(inputs, &root, &import.decl.references);
            if inputs.options.mode == PlanMode::Validate {
                found.extend(import::validate_ids(import, scope.context()));
                continue;
            }
            let (targets, mut diagnostics) =
                import::targets(import, identity.map(|it| &**it), scope.context());
            for target in targets {
                let module = &target.addr.module;
                let key = &target.addr.key;
                if let Some(wrong) = import::wrong_key(key, import, &config.repetition, product) {
                    diagnostics.push(wrong);
                } else if instances.iter().any(|instance| instance.addr == *module) {
                    let imports = imports.entry(module.clone()).or_default();
                    let key = target.addr.key.clone();
                    if let Some(first) = imports.targets.insert(key, target) {
                        diagnostics.push(import::duplicate(&first, import, product));
                    }
                } else {
                    diagnostics.push(import::undeclared(&target.addr));
                }
            }
            found.extend(diagnostics);
        }
        if condition::has_errors(&found) {
            for instance in instances {
                let imports = imports.entry(instance.addr.clone()).or_default();
                imports.is_refused = true;
            }
        }
        if !found.is_empty() {
            imports.entry(first.addr.clone()).or_default().diagnostics = found;
        }
        imports
    }

    /// Objects of a resource, or of an instance of its module, that the configuration doesn't have. `None` where it
    /// cannot be determined which objects it wants.
    fn prepare_orphan(
        &self,
        inputs: &Inputs,
        instance: &ModuleInstanceAddr,
        addr: &ResourceAddr,
        is_declared: bool,
    ) -> Option<Prepared> {
        let reason = match (is_declared, self.existence(instance)) {
            (true, Existence::Unknown) => return None,
            (true, _) => ActionReason::DeleteBecauseNoModule,
            (false, _) => ActionReason::DeleteBecauseNoResourceConfig,
        };
        let module = instance.module();
        let declared = inputs.tree.module(&module).filter(|_| is_declared);
        // The configuration goes before the state.
        let provider = match declared.and_then(|it| it.resource(addr)) {
            Some(resource) => inputs.tree.provider_of(&module, resource),
            None => {
                if let Some(gone) = resource::without_provider_config(inputs, instance, addr) {
                    return Some(Prepared::Done(Box::new(gone)));
                }
                resource::state_provider(inputs, &instance.resource(addr.clone()))?
            }
        };
        Some(resource::prepare_orphan(
            inputs,
            &instance.resource(addr.clone()),
            None,
            PreventDestroy::No,
            ResolvedProvider {
                configs: self.provider_configs_of(&provider),
                provider: provider.provider,
                chosen: ConfigChoice::ByState,
                meta: None,
                problems: Vec::new(),
            },
            self.task(inputs, &instance.resource(addr.clone())),
            reason,
        ))
    }

    /// The task for the objects of a resource.
    pub(super) fn task(&self, inputs: &Inputs, addr: &AbsResourceAddr) -> InstanceOptions {
        let node = &NodeObject::Resource(addr.resource.clone()).of(&addr.module.module());
        let product = inputs.environment.functions.profile.product;
        let mut task = InstanceOptions::of(&inputs.options, product);
        if let Some(selected) = &self.selected {
            task.is_planned &= selected.is_planned(node);
            task.is_destroyed &= selected.is_deleted(node);
            task.is_whole = selected.is_deleted_whole(addr);
        }
        task.refresh &= task.is_planned;
        task
    }

    pub(super) fn resource(
        &self,
        instance: &ModuleInstanceAddr,
        addr: &ResourceAddr,
    ) -> Option<&ResourceResult> {
        let node = NodeObject::Resource(addr.clone()).of(&instance.module());
        match self.results.get(&node) {
            Some(NodeResult::Resource(results)) => results.get(instance).map(|result| &**result),
            _ => None,
        }
    }

    /// Of itself a resource sees nothing, least of all how it was planned before.
    pub(super) fn scope_of_resource<'a>(
        &self,
        inputs: &'a Inputs,
        instance: &ModuleInstanceAddr,
        config: &config::Resource,
    ) -> DeclarationScope<'a> {
        let itself = NodeObject::Resource(config.addr.clone());
        let view = self.view(inputs, instance).with(itself, None);
        DeclarationScope::new(inputs, &config.decl.references, &view)
    }
}

/// A variable takes ephemeral values only if it says so.
fn ephemeral_argument(
    variable: &Variable,
    given: Option<&InputValue>,
    product: Product,
) -> Option<Diagnostic> {
    let Some(InputValue::Argument(value, at)) = given else {
        return None;
    };
    if variable.ephemeral || !value.contains_mark(&Mark::Ephemeral) {
        return None;
    }
    let (summary, detail) = match product {
        Product::Terraform => (
            "Ephemeral value not allowed",
            "This input variable is not declared as accepting a ephemeral values, so it cannot be set to a result derived from an ephemeral value.".to_owned(),
        ),
        Product::OpenTofu => (
            "Variable does not allow ephemeral value",
            format!(
                "The value used for the variable {:?} is ephemeral, but it is not configured to allow one.",
                variable.name.text
            ),
        ),
    };
    Some(Diagnostic::error(
        "ephemeral-value",
        summary,
        detail,
        at.clone(),
    ))
}

/// The warning where a deprecated variable is given a value.
///
/// Follows OpenTofu's `internal/tofu/eval_variable.go` and `context_plan.go`; Terraform says it in words of its own.
fn deprecated(variable: &Variable, given: &InputValue, product: Product) -> Option<Diagnostic> {
    let deprecation = variable.deprecated.as_ref()?;
    let (name, message) = (&variable.name.text, &deprecation.message);
    let is_null = given.as_given(variable).is_some_and(|it| it.is_null());
    let (summary, detail, at) = match (given, product) {
        (_, Product::Terraform) if is_null => return None,
        (InputValue::Argument(_, at), Product::Terraform) => {
            ("Deprecated variable got a value", message.to_string(), at)
        }
        (_, Product::Terraform) => (
            "Deprecated variable got a value",
            message.to_string(),
            &deprecation.span,
        ),
        (InputValue::Argument(_, at), Product::OpenTofu) => (
            "Variable marked as deprecated by the module author",
            format!(
                "Variable \"{name}\" is marked as deprecated with the following message:\n{message}"
            ),
            at,
        ),
        (_, Product::OpenTofu) => (
            "Deprecated variable used from the root module",
            format!(
                "The root variable \"{name}\" is deprecated with the following message: {message}"
            ),
            &variable.decl.span,
        ),
    };
    let code = "deprecated-variable";
    Some(Diagnostic::warning(code, summary, detail, at.clone()))
}
