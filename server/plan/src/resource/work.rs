//! The remaining questions to a provider, and the effect of its answers on the resource as a whole.

use std::sync::Arc;

use cty::Value;
use eval::Variables;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt};
use provider::ProviderError;
use text::Diagnostic;

use super::Work;
use crate::caveat::Caveat;
use crate::expansion::Shape;
use crate::instance::{
    DesiredInstance, InstancePlace, InstancePlan, InstanceProblem, NOT_ASKED, PROVIDER_FAILED,
    TypeCapabilities, plan_delete, plan_instance,
};
use crate::result::{PlannedInstance, ResourceResult};
use crate::scope::DeclarationScope;
use crate::{PlanMode, condition};

impl Work {
    /// One instance of which nothing is in the state.
    pub(crate) fn of_one(result: ResourceResult, desired: DesiredInstance) -> Work {
        Work {
            result,
            desired: vec![Box::new(desired)],
            orphans: Vec::new(),
            type_capabilities: TypeCapabilities::default(),
            shape: Shape::Unknown,
            failed: Vec::new(),
            unselected: Vec::new(),
        }
    }

    /// Asks the provider about each instance, except those that nothing changed for since `before`.
    pub(crate) async fn plan(self, before: Option<Arc<ResourceResult>>) -> ResourceResult {
        let Work {
            mut result,
            desired,
            orphans,
            type_capabilities,
            shape,
            failed,
            unselected,
        } = self;
        let type_capabilities = &type_capabilities;
        let is_refresh_only = orphans
            .iter()
            .any(|orphan| orphan.task.mode == PlanMode::RefreshOnly && orphan.deposed.is_none());
        let mut tasks = orphans.iter().map(|orphan| orphan.task.mode);
        let is_destroy = tasks.any(|mode| mode == PlanMode::Destroy);
        let before = before
            .as_deref()
            .map_or(&[][..], |before| &before.instances);
        let (mut kept, mut asked) = (Vec::new(), Vec::new());
        for mut desired in desired {
            let known = known(before, &desired);
            if let Some((old, _)) = known {
                desired.config = old.config.clone();
            }
            match known.filter(|(_, plan)| plan.is_final()) {
                Some((_, plan)) => kept.push(PlannedInstance {
                    key: desired.addr.key.clone(),
                    desired: Some(desired),
                    plan: plan.clone(),
                }),
                None => asked.push(desired),
            }
        }
        let wanted = all(
            kept.first(),
            asked.into_iter().map(|desired| {
                async move {
                    PlannedInstance {
                        key: desired.addr.key.clone(),
                        plan: Arc::new(plan_instance(&desired, type_capabilities).await),
                        desired: Some(desired),
                    }
                }
                .boxed()
            }),
        );
        let unwanted = all(
            None,
            orphans.into_iter().map(|orphan| {
                async move {
                    let plan = Arc::new(plan_delete(&orphan, type_capabilities).await);
                    PlannedInstance {
                        key: orphan.addr.key,
                        desired: None,
                        plan,
                    }
                }
                .boxed()
            }),
        );
        let (mut wanted, mut unwanted) = futures_util::future::join(wanted, unwanted).await;
        wanted.append(&mut kept);
        wanted.sort_by(|a, b| a.key.cmp(&b.key));
        // The current object of an instance comes first.
        unwanted.sort_by_cached_key(|it| it.plan.change.as_ref()?.deposed.clone());
        let is_state_read = !matches!(result.caveat, Some(Caveat::StateNotRead(_)));
        let is_absent = |instance: &PlannedInstance| is_state_read && instance.is_absent();
        let planned: Vec<_> = wanted
            .iter()
            .filter(|instance| !is_absent(instance))
            .map(|instance| (&instance.key, instance.plan.value.clone()))
            .collect();
        let failed = failed.iter().map(|key| (key, Value::dynamic()));
        let unselected = unselected.iter().map(|(key, value)| (key, value.clone()));
        // Where all is destroyed, existing objects are seen; where only the state changes, all that stays in it.
        let stored: Vec<_> = unwanted
            .iter()
            .filter(|_| is_destroy || is_refresh_only)
            .map(|instance| (&instance.key, instance.plan.value.clone()))
            .collect();
        let keys = planned.iter().chain(&stored).map(|(key, _)| *key);
        let shape = match (shape, wanted.iter().any(is_absent)) {
            (Shape::Tuple(_), true) => Shape::Tuple(0).with(keys),
            (shape, _) if is_refresh_only => shape.with(keys),
            (shape, _) => shape,
        };
        if shape != Shape::Unknown {
            result.value = shape.value(
                planned
                    .into_iter()
                    .chain(failed)
                    .chain(unselected)
                    .chain(stored),
            );
        }
        result.instances = wanted;
        result.instances.extend(unwanted);
        result.instances.shrink_to_fit();
        result.instances.sort_by(|a, b| a.key.cmp(&b.key));
        result.excuse_unconfigured();
        result.explain_not_asked();
        let located = located_diagnostics(&result);
        result.diagnostics.extend(located);
        result
    }
}

impl ResourceResult {
    /// A provider without its configuration that crashes or hangs is to be configured, not to be mended.
    fn excuse_unconfigured(&mut self) {
        let mut plans = self.instances.iter().map(|instance| &instance.plan);
        let has_failed = plans.any(|plan| !plan.is_final());
        if has_failed && matches!(self.caveat, Some(Caveat::Unconfigured(_))) {
            self.caveat = Some(Caveat::NeedsConfiguration {
                provider: self.provider.to_string(),
            });
        }
    }

    fn explain_not_asked(&mut self) {
        if self.instances.iter().any(|it| it.plan.is_not_asked()) {
            self.caveat = Some(Caveat::Provider(ProviderError::AsksService {
                provider: self.provider.to_string(),
                type_name: self.addr.resource.r#type.to_string(),
            }));
        }
    }
}

/// How many instances of a resource are planned at the same time. A provider is asked about fewer; each of them takes some
/// KiB meanwhile.
const AT_ONCE: usize = 256;

/// The instances, planned, in any order. Those that are alike share their common part, also with `sibling`.
async fn all<'a>(
    sibling: Option<&PlannedInstance>,
    planning: impl Iterator<Item = BoxFuture<'a, PlannedInstance>>,
) -> Vec<PlannedInstance> {
    let mut waiting = planning;
    let mut running = FuturesUnordered::new();
    let mut planned: Vec<PlannedInstance> = Vec::new();
    loop {
        running.extend(waiting.by_ref().take(AT_ONCE - running.len()));
        let Some(mut instance) = running.next().await else {
            return planned;
        };
        instance.share(sibling.or(planned.first()));
        planned.push(instance);
    }
}

/// The earlier input of an instance, and its plan, if planning it would repeat the same requests.
fn known<'a>(
    before: &'a [PlannedInstance],
    desired: &DesiredInstance,
) -> Option<(&'a DesiredInstance, &'a Arc<InstancePlan>)> {
    let key = &desired.addr.key;
    let from = before.partition_point(|instance| instance.key < *key);
    let same_key = before[from..].iter().take_while(|it| it.key == *key);
    let mut wanted = same_key.filter_map(|it| Some((it.desired.as_deref()?, &it.plan)));
    wanted.find(|(old, _)| old.is_same(desired))
}

/// Adds the results of the postconditions for the planned objects. `scope` is that of the resource's declaration.
pub(crate) fn check_postconditions(result: &mut ResourceResult, scope: &DeclarationScope<'_>) {
    let Some(config) = result.config.clone() else {
        return;
    };
    for instance in &result.instances {
        let Some(desired) = &instance.desired else {
            continue;
        };
        // Nothing more is known of an instance that could not be planned, and a validation has looked at the rules already.
        if !instance.plan.is_planned() || desired.task.mode == PlanMode::Validate {
            continue;
        }
        let scope = scope.for_instance(&instance.key, desired.each_value.clone());
        // With `-destroy` it is looked at as it would be without.
        let itself = match desired.task.mode {
            PlanMode::Destroy => instance.plan.value.clone(),
            PlanMode::Normal | PlanMode::RefreshOnly | PlanMode::Validate => {
                instance.value().clone()
            }
        };
        let scope = scope.child(Variables::from([("self".into(), itself)]));
        let postconditions = &config.lifecycle.postconditions;
        let found = condition::check(
            postconditions,
            condition::ConditionKind::Postcondition,
            desired.task.mode,
            &scope,
        );
        // Its dependents must not report the same errors again.
        if condition::has_errors(&found) {
            result.value = Value::dynamic();
        }
        for diagnostic in found {
            diagnostic.add_to(&mut result.diagnostics);
        }
    }
}

/// The diagnostics of the instances, each once, at the argument that they are about.
fn located_diagnostics(result: &ResourceResult) -> Vec<Diagnostic> {
    let mut located: Vec<Diagnostic> = Vec::new();
    let is_excused = |code: &str| match code {
        PROVIDER_FAILED => matches!(result.caveat, Some(Caveat::NeedsConfiguration { .. })),
        code => code == NOT_ASKED,
    };
    for instance in &result.instances {
        let problems = instance.plan.diagnostics.iter();
        for problem in problems.filter(|it| !is_excused(it.code)) {
            let diagnostic = locate(result, instance, problem);
            // Several instances with the same mistake report it for the first.
            match located.iter_mut().find(|known| known.is_same(&diagnostic)) {
                Some(known) => known.repeats += 1,
                None => located.push(diagnostic),
            }
        }
    }
    located
}

fn locate(
    result: &ResourceResult,
    instance: &PlannedInstance,
    problem: &InstanceProblem,
) -> Diagnostic {
    let schema = instance.desired.as_ref().map(|desired| &desired.schema);
    let place = |place: InstancePlace| {
        if place.named_at.is_some() {
            return place.named_at;
        }
        let config = result.config.as_ref()?;
        let prevent_destroy = config.lifecycle.prevent_destroy.as_ref();
        if let Some(argument) = prevent_destroy.filter(|_| place.is_prevent_destroy) {
            return Some(argument.span());
        }
        let at_attribute = (place.attribute.zip(schema))
            .and_then(|(path, schema)| eval::locate(&config.body, &schema.block, &path));
        Some(at_attribute.unwrap_or_else(|| config.decl.span.clone()))
    };
    Diagnostic {
        address: problem.at.address.clone(),
        ..problem.clone().located(place)
    }
}
