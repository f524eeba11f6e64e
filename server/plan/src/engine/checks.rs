//! The results of each object that has conditions, for the plan as JSON.
//!
//! Follows OpenTofu's `internal/checks`.

use std::collections::HashSet;

use config::{Check, CheckRule, InstanceKey, ModuleAddr, ModuleInstanceAddr, Product, Resource};
use eval::{EvalContext, RuleKind, RuleStatus, Variables, evaluate_rule};
use text::Fault;

use super::Engine;
use crate::checked::{CheckStatus, Checkable, Checked, CheckedInstance};
use crate::inputs::Inputs;
use crate::node::{NodeId, NodeObject};
use crate::resource;
use crate::result::{NodeResult, ResourceResult};
use crate::scope::DeclarationScope;
use crate::{ActionReason, PlanMode, trigger};

/// The conditions of one object, one after the other.
#[derive(Default)]
struct Outcome {
    status: CheckStatus,
    problems: Vec<String>,
}

impl Outcome {
    fn unknown() -> Outcome {
        Outcome {
            status: CheckStatus::Unknown,
            problems: Vec::new(),
        }
    }

    fn add(&mut self, rules: &[CheckRule], kind: RuleKind, context: &EvalContext<'_>) {
        for rule in rules {
            let is_of_variable = matches!(kind, RuleKind::Validation);
            let is_opentofu = context.profile().is_opentofu();
            let result = evaluate_rule(rule, kind, context);
            let mut problems = result.diagnostics.iter();
            let status = match result.status {
                RuleStatus::Pass => CheckStatus::Pass,
                RuleStatus::Unknown => CheckStatus::Unknown,
                // The value is wrong whatever the message is (`evalVariableValidation` of OpenTofu's `internal/tofu`).
                RuleStatus::Error
                    if is_of_variable
                        && is_opentofu
                        && problems.any(|it| it.fault == Fault::UnknownUntilApply) =>
                {
                    CheckStatus::Fail
                }
                RuleStatus::Error => CheckStatus::Error,
                RuleStatus::Fail(message) => {
                    self.problems.extend(message);
                    CheckStatus::Fail
                }
            };
            self.status = self.status.max(status);
            // OpenTofu looks at no rule behind one that is broken.
            let is_broken = matches!(status, CheckStatus::Fail | CheckStatus::Error);
            if is_broken && is_of_variable && is_opentofu {
                break;
            }
        }
    }

    fn of(self, module: &ModuleInstanceAddr, key: &InstanceKey) -> CheckedInstance {
        CheckedInstance {
            module: module.clone(),
            key: key.clone(),
            status: self.status,
            problems: self.problems,
        }
    }
}

impl Engine {
    /// The results of all conditions in the last run, without those that are not reached because of failures.
    pub(super) fn checks(&self, inputs: &Inputs) -> Vec<Checked> {
        let behind: HashSet<NodeId> = match inputs.options.leaves_out() {
            true => self.behind_failures(inputs).into_keys().collect(),
            false => HashSet::new(),
        };
        let is_destroy = inputs.options.mode == PlanMode::Destroy;
        let is_planned = |node: &NodeId| {
            let selected = self.selected.as_ref();
            selected.is_none_or(|it| it.is_planned(node)) && !is_destroy
        };
        let is_reached = |node: &NodeId| is_planned(node) && !behind.contains(node);
        let mut all = Vec::new();
        for (addr, module) in inputs.tree.iter() {
            let module = &module.module;
            let mut add =
                |object, checkable, instances: &dyn Fn() -> Option<Vec<CheckedInstance>>| {
                    let node = NodeObject::of(object, addr);
                    let is_evaluated = is_reached(&node) && self.has_value(inputs, &node);
                    all.push(Checked {
                        module: addr.clone(),
                        object: checkable,
                        instances: match is_evaluated {
                            true => instances(),
                            false => self.unevaluated(inputs, &node, is_planned(&node)),
                        },
                    });
                };
            for (name, variable) in &module.variables {
                if !variable.validations.is_empty() {
                    let object = NodeObject::Variable(name.clone());
                    add(object.clone(), Checkable::Variable(name.clone()), &|| {
                        self.checked_in_each(addr, |instance, outcome| {
                            let value = self.value_in(&object, instance)?;
                            let view = self.view(inputs, instance);
                            let view = view.with(object.clone(), Some(value));
                            let scope =
                                DeclarationScope::new(inputs, &variable.decl.references, &view);
                            outcome.add(
                                &variable.validations,
                                RuleKind::Validation,
                                scope.context(),
                            );
                            Some(())
                        })
                    });
                }
            }
            for (name, output) in &module.outputs {
                if !output.preconditions.is_empty() {
                    let object = NodeObject::Output(name.clone());
                    add(object, Checkable::Output(name.clone()), &|| {
                        self.checked_in_each(addr, |instance, outcome| {
                            let scope = self.scope(inputs, instance, &output.decl.references);
                            outcome.add(
                                &output.preconditions,
                                RuleKind::Condition,
                                scope.context(),
                            );
                            Some(())
                        })
                    });
                }
            }
            for (name, check) in &module.checks {
                let object = NodeObject::Check(name.clone());
                let node = object.clone().of(addr);
                let check_in_each = |instance: &ModuleInstanceAddr, outcome: &mut Outcome| {
                    if !is_reached(&node) {
                        return None;
                    }
                    self.run_check(inputs, instance, check, outcome);
                    Some(())
                };
                let instances = match is_planned(&node) {
                    true => self.checked_in_each(addr, check_in_each),
                    false => None,
                };
                all.push(Checked {
                    module: addr.clone(),
                    object: Checkable::Check(name.clone()),
                    instances,
                });
            }
            let mut add = |config: &Resource| {
                let node = NodeObject::Resource(config.addr.clone()).of(addr);
                let instances = match is_reached(&node) {
                    true => self.checked_resource(inputs, addr, config),
                    false => None,
                };
                all.push(Checked {
                    module: addr.clone(),
                    object: Checkable::Resource(config.addr.clone()),
                    instances,
                });
            };
            for resource in module.resources.values() {
                let lifecycle = &resource.lifecycle;
                if !lifecycle.preconditions.is_empty() || !lifecycle.postconditions.is_empty() {
                    add(resource);
                }
            }
        }
        all
    }

    /// OpenTofu knows no instance of a variable whose value is wrong.
    fn has_value(&self, inputs: &Inputs, node: &NodeId) -> bool {
        let is_variable = matches!(node.object, NodeObject::Variable(_));
        !is_variable
            || !node.module.is_root()
            || inputs.environment.functions.profile.product == Product::Terraform
            || self
                .value_in(&node.object, &ModuleInstanceAddr::root())
                .is_some()
    }

    /// The instances that are known although no condition is evaluated: a destruction visits the outputs of the root module,
    /// and Terraform knows the value of a variable before it looks at its rules.
    fn unevaluated(
        &self,
        inputs: &Inputs,
        node: &NodeId,
        is_planned: bool,
    ) -> Option<Vec<CheckedInstance>> {
        let is_destroy = inputs.options.mode == PlanMode::Destroy;
        let is_terraform = inputs.environment.functions.profile.product == Product::Terraform;
        let is_known = match &node.object {
            NodeObject::Output(_) => is_destroy,
            NodeObject::Variable(_) => is_terraform && is_planned,
            _ => false,
        };
        match is_known && node.module.is_root() {
            true => self.checked_in_each(&node.module, |_, _| None),
            false => None,
        }
    }

    /// Evaluates the assertions of a `check` block in an instance of its module.
    fn run_check(
        &self,
        inputs: &Inputs,
        instance: &ModuleInstanceAddr,
        check: &Check,
        outcome: &mut Outcome,
    ) {
        let data = check.data.as_ref();
        let data = data.and_then(|data| self.resource(instance, &data.addr));
        if let Some(data) = data.filter(|data| resource::could_not_be_read(data)) {
            outcome.status = CheckStatus::Fail;
            outcome.problems = data
                .diagnostics
                .iter()
                .map(|it| format!("{}: {}", it.summary, it.detail))
                .collect();
            return;
        }
        let view = self.view(inputs, instance);
        let view = view.of_check(check.data.as_ref().map(|data| &data.addr));
        let scope = DeclarationScope::new(inputs, &check.decl.references, &view);
        outcome.add(&check.asserts, RuleKind::Condition, scope.context());
        if data.is_some_and(is_put_off) {
            outcome.status = outcome.status.max(CheckStatus::Unknown);
        }
    }

    /// `None`: it isn't known in that instance.
    fn checked_in_each(
        &self,
        module: &ModuleAddr,
        check: impl Fn(&ModuleInstanceAddr, &mut Outcome) -> Option<()>,
    ) -> Option<Vec<CheckedInstance>> {
        let instances = self.instances(module);
        if instances.iter().any(|it| it.stands_for_unknown.is_some()) {
            return None;
        }
        let instances = instances.iter().map(|instance| {
            let mut outcome = Outcome::default();
            if check(&instance.addr, &mut outcome).is_none() {
                outcome = Outcome::unknown();
            }
            outcome.of(&instance.addr, &InstanceKey::None)
        });
        Some(instances.collect())
    }

    fn value_in(&self, object: &NodeObject, instance: &ModuleInstanceAddr) -> Option<cty::Value> {
        let node = object.clone().of(&instance.module());
        match self.results.get(&node)? {
            NodeResult::Value(evaluated) => evaluated.values.get(instance).cloned(),
            _ => None,
        }
    }

    fn checked_resource(
        &self,
        inputs: &Inputs,
        module: &ModuleAddr,
        config: &Resource,
    ) -> Option<Vec<CheckedInstance>> {
        let mut all = Vec::new();
        for instance in self.instances(module) {
            let scope = self.scope_of_resource(inputs, &instance.addr, config);
            let (expansion, _) = eval::expand(&config.repetition, scope.context());
            if instance.stands_for_unknown.is_some()
                || matches!(expansion, eval::Expansion::Unknown(_))
            {
                return None;
            }
            let planned = self.resource(&instance.addr, &config.addr);
            let addr = instance.addr.resource(config.addr.clone());
            let task = self.task(inputs, &addr);
            let is_selected =
                |key: &InstanceKey| task.selects(&inputs.options, &addr.instance(key.clone()));
            for (key, each_value) in crate::expansion::keys(expansion) {
                let scope = scope.for_instance(&key, each_value);
                let mut outcome = Outcome::default();
                let lifecycle = &config.lifecycle;
                // Terraform looks for triggers of a replacement first.
                let has_wrong_trigger = planned.is_some_and(|it| {
                    it.diagnostics
                        .iter()
                        .any(|it| it.code == trigger::WITHOUT_CHANGE)
                });
                if has_wrong_trigger || !is_selected(&key) {
                    all.push(Outcome::unknown().of(&instance.addr, &key));
                    continue;
                }
                outcome.add(&lifecycle.preconditions, RuleKind::Condition, &scope);
                let planned = planned.into_iter().flat_map(|it| &it.instances);
                let mut planned = planned.filter(|it| it.key == key && it.is_wanted());
                match planned.next().filter(|it| it.plan.is_planned()) {
                    Some(planned) => {
                        let itself = match &planned.plan.change {
                            Some(change) => change.after.clone(),
                            None => planned.plan.value.clone(),
                        };
                        let scope = scope.child(Variables::from([("self".into(), itself)]));
                        outcome.add(&lifecycle.postconditions, RuleKind::Condition, &scope);
                    }
                    None if lifecycle.postconditions.is_empty() => {}
                    None => outcome.status = outcome.status.max(CheckStatus::Unknown),
                }
                all.push(outcome.of(&instance.addr, &key));
            }
        }
        Some(all)
    }
}

/// Whether only the apply can read it.
fn is_put_off(data: &ResourceResult) -> bool {
    let is_put_off = |reason| {
        let unknown = ActionReason::ReadBecauseConfigUnknown;
        reason == unknown || reason == ActionReason::ReadBecauseDependencyPending
    };
    data.changes()
        .filter_map(|change| change.reason)
        .any(is_put_off)
}
