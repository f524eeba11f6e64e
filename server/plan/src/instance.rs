//! The plan of one resource instance.
//!
//! Follows "Resource Instance Change Lifecycle" in Terraform's documentation and, for the order of the steps,
//! `NodeAbstractResourceInstance.plan` of OpenTofu's `internal/tofu`.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use bytes::Bytes;
use config::{ProviderAddr, ResourceInstanceAddr};
use cty::{Mark, Marks, Path, PathMarks, Value};
use provider::{PlanRequest, PlanResponse, Provider, ProviderDiagnostic, ProviderError};
use schema::{Capabilities, Schema};
use text::Severity;

use crate::objchange::{
    IgnoreChanges, InvalidPlan, assert_plan_valid, attribute_by_path, ignore_changes, proposed_new,
    revert_ignored,
};
use crate::{Action, ActionReason, ResourceInstanceChange};

/// Everything that the plan of one resource instance is made from. Equal inputs give equal plans.
#[derive(Clone)]
pub struct DesiredInstance {
    pub addr: ResourceInstanceAddr,
    /// Where the state has the object, if that is not `addr`.
    pub previous_addr: Option<ResourceInstanceAddr>,
    pub provider_addr: ProviderAddr,
    pub provider: Arc<dyn Provider>,
    /// Counts up whenever the provider may answer differently: it was configured anew or replaced by another.
    pub provider_generation: u64,
    pub schema: Arc<Schema>,
    /// What `each.value` is for it.
    pub each_value: Option<Value>,
    /// Of the schema's implied type, with marks and unknowns.
    pub config: Value,
    pub prior: Option<Arc<state::Object>>,
    pub ignore_changes: IgnoreChanges,
    pub create_before_destroy: bool,
    pub prevent_destroy: bool,
    /// A trigger or a request by the user replaces the object whatever its attributes say.
    pub force_replace: Option<ActionReason>,
}

impl DesiredInstance {
    /// Whether planning `other` would repeat the same requests.
    pub fn is_same(&self, other: &DesiredInstance) -> bool {
        self.provider_generation == other.provider_generation
            && Arc::ptr_eq(&self.schema, &other.schema)
            && self.ignore_changes == other.ignore_changes
            && self.create_before_destroy == other.create_before_destroy
            && self.prevent_destroy == other.prevent_destroy
            && self.force_replace == other.force_replace
            && self.prior == other.prior
            && self.previous_addr == other.previous_addr
            && self.config.raw_equals(&other.config)
    }
}

/// A problem with one resource instance, at an attribute where there is one.
#[derive(Debug, Clone, PartialEq)]
pub struct InstanceDiagnostic {
    pub severity: Severity,
    pub code: &'static str,
    pub summary: String,
    pub detail: String,
    pub attribute: Option<Path>,
}

/// The plan of one resource instance, as far as it could be made.
#[derive(Debug, Clone)]
pub struct InstancePlan {
    /// `None` where planning stopped at an error.
    pub change: Option<ResourceInstanceChange>,
    /// What references see: the planned object. Of a replaced one it lacks the marks that only the schema demands,
    /// because Terraform forgets them too: a value derived from it is shown in Terraform's plan.
    pub(crate) value: Value,
    pub diagnostics: Vec<InstanceDiagnostic>,
}

impl InstancePlan {
    /// Whether asking again can only give the same answer: what failed at the provider may succeed the next time.
    pub(crate) fn is_final(&self) -> bool {
        self.diagnostics
            .iter()
            .all(|diagnostic| diagnostic.code != PROVIDER_FAILED)
    }
}

const PROVIDER_FAILED: &str = "provider-failed";

/// A prior object, upgraded to the provider's present schema.
#[derive(Debug, Clone)]
struct Prior {
    /// With the marks that the state records and the schema demands.
    value: Value,
    private: Bytes,
    is_tainted: bool,
}

/// Why planning of an instance stopped; its diagnostics tell.
struct Stop;

/// Plans an instance that the configuration wants.
pub async fn plan_instance(desired: &DesiredInstance) -> InstancePlan {
    let mut diagnostics = Vec::new();
    match plan(desired, &mut diagnostics).await {
        Ok((change, value)) => InstancePlan {
            change: Some(change),
            value,
            diagnostics,
        },
        Err(Stop) => InstancePlan {
            change: None,
            value: Value::dynamic(),
            diagnostics,
        },
    }
}

/// Plans the deletion of an object that the configuration no longer wants.
pub async fn plan_delete(orphan: &OrphanInstance, capabilities: Capabilities) -> InstancePlan {
    let mut diagnostics = Vec::new();
    let change = delete(orphan, capabilities, &mut diagnostics).await.ok();
    InstancePlan {
        change,
        value: Value::dynamic(),
        diagnostics,
    }
}

/// An object in the state that nothing in the configuration asks for.
#[derive(Clone)]
pub struct OrphanInstance {
    pub addr: ResourceInstanceAddr,
    pub deposed: Option<smol_str::SmolStr>,
    pub provider_addr: ProviderAddr,
    pub provider: Arc<dyn Provider>,
    pub schema: Arc<Schema>,
    pub prior: Arc<state::Object>,
    /// `None` for deposed objects.
    pub reason: Option<ActionReason>,
    pub prevent_destroy: bool,
}

async fn delete(
    orphan: &OrphanInstance,
    capabilities: Capabilities,
    diagnostics: &mut Vec<InstanceDiagnostic>,
) -> Result<ResourceInstanceChange, Stop> {
    let context = Asked {
        provider: &*orphan.provider,
        addr: &orphan.addr,
        provider_addr: &orphan.provider_addr,
    };
    let prior = upgrade(&context, &orphan.schema, &orphan.prior, diagnostics).await?;
    let after = Value::null(orphan.schema.implied_type().clone());
    if capabilities.plan_destroy {
        let response = context
            .plan(
                PlanRequest {
                    type_name: orphan.addr.resource.r#type.clone(),
                    prior_state: prior.value.unmark_deep().0,
                    proposed_new_state: after.clone(),
                    config: after.clone(),
                    prior_private: prior.private,
                    provider_meta: None,
                },
                diagnostics,
            )
            .await?;
        if !response.planned_state.is_null() {
            diagnostics.push(
                context.invalid_plan("planned a value for an object that is to be deleted", None),
            );
            return Err(Stop);
        }
    }
    if orphan.prevent_destroy {
        diagnostics.push(prevented(&orphan.addr, &[]));
    }
    Ok(ResourceInstanceChange {
        addr: orphan.addr.clone(),
        previous_addr: None,
        deposed: orphan.deposed.clone(),
        provider: orphan.provider_addr.clone(),
        schema: orphan.schema.clone(),
        action: Action::Delete,
        reason: orphan.reason,
        before: prior.value,
        after,
        replace_paths: Vec::new(),
    })
}

async fn plan(
    desired: &DesiredInstance,
    diagnostics: &mut Vec<InstanceDiagnostic>,
) -> Result<(ResourceInstanceChange, Value), Stop> {
    let context = Asked {
        provider: &*desired.provider,
        addr: &desired.addr,
        provider_addr: &desired.provider_addr,
    };
    let schema = &desired.schema;
    let null = Value::null(schema.implied_type().clone());
    let stored = match &desired.prior {
        Some(object) => Some(upgrade(&context, schema, object, diagnostics).await?),
        None => None,
    };
    // A tainted object is planned like a new one, which is then shown as replacing it.
    let (prior, prior_private) = match &stored {
        Some(prior) if !prior.is_tainted => (prior.value.clone(), prior.private.clone()),
        _ => (null.clone(), Bytes::new()),
    };
    let (config, _) = desired.config.unmark_deep();
    context.validate(&config, diagnostics).await?;

    let held = ignore_changes(
        &desired.ignore_changes,
        &schema.block,
        &prior,
        &desired.config,
    );
    let (held, config_marks) = held.unmark_deep_with_paths();
    let (prior_unmarked, prior_marks) = prior.unmark_deep_with_paths();
    let response = context
        .plan(
            PlanRequest {
                type_name: desired.addr.resource.r#type.clone(),
                proposed_new_state: proposed_new(&schema.block, &prior_unmarked, &held),
                prior_state: prior_unmarked.clone(),
                config: held.clone(),
                prior_private,
                provider_meta: None,
            },
            diagnostics,
        )
        .await?;
    let mut planned = response.planned_state;
    context.check_conforms(schema, &planned, diagnostics)?;
    if !response.legacy_type_system {
        let marked = config_marks.iter().chain(&prior_marks);
        let secrets: Vec<Path> = marked
            .map(|at| at.path.clone())
            .chain(schema.block.sensitive_paths(&planned))
            .collect();
        let errors = assert_plan_valid(&schema.block, &prior_unmarked, &held, &planned);
        context.report_invalid(errors, &secrets, diagnostics)?;
    } else if !desired.ignore_changes.is_nothing() {
        planned = revert_ignored(&desired.ignore_changes, &prior_unmarked, &planned);
    }
    let config_marks = without_ephemeral(config_marks);
    let marked = |planned: &Value| {
        let schema_marks = schema.block.sensitive_paths(planned).into_iter();
        let marks = config_marks
            .iter()
            .cloned()
            .chain(schema_marks.map(sensitive));
        planned.mark_with_paths(&marks.collect::<Vec<PathMarks>>())
    };
    let mut after = marked(&planned);
    let mut value = after.clone();

    let replace_paths = context.required_replaces(
        schema,
        &prior_unmarked,
        &planned,
        response.requires_replace,
        diagnostics,
    )?;
    let is_equal = planned.equals(&prior_unmarked).as_bool() == Some(true);
    let replace = if desired.create_before_destroy {
        Action::CreateThenDelete
    } else {
        Action::DeleteThenCreate
    };
    let touches_write_only = replace_paths
        .iter()
        .any(|path| attribute_by_path(&schema.block, path).is_some_and(|a| a.write_only));
    let (mut action, mut reason) = if prior.is_null() {
        (Action::Create, None)
    } else if let Some(reason) = desired.force_replace {
        (replace, Some(reason))
    } else if is_equal && !touches_write_only {
        (Action::NoOp, None)
    } else if !replace_paths.is_empty() {
        (replace, Some(ActionReason::ReplaceBecauseCannotUpdate))
    } else {
        (Action::Update, None)
    };

    if action.is_replace() {
        let planned = context
            .plan_replacement(schema, &config, response.planned_private, diagnostics)
            .await?;
        after = marked(&planned);
        value = planned.mark_with_paths(&config_marks);
    }
    let mut before = prior;
    if let Some(tainted) = stored.filter(|prior| prior.is_tainted && action == Action::Create) {
        action = replace;
        reason = Some(ActionReason::ReplaceBecauseTainted);
        before = tainted.value;
    }
    if action == Action::NoOp && sensitive_paths(&before) != sensitive_paths(&after) {
        action = Action::Update;
    }
    if desired.prevent_destroy && action.is_replace() {
        diagnostics.push(prevented(&desired.addr, &replace_paths));
    }
    let change = ResourceInstanceChange {
        addr: desired.addr.clone(),
        previous_addr: desired.previous_addr.clone(),
        deposed: None,
        provider: desired.provider_addr.clone(),
        schema: schema.clone(),
        action,
        reason,
        before,
        after,
        replace_paths,
    };
    Ok((change, value))
}

/// Decodes a stored object through the provider, which also sees objects that have its present version.
async fn upgrade(
    context: &Asked<'_>,
    schema: &Schema,
    object: &state::Object,
    diagnostics: &mut Vec<InstanceDiagnostic>,
) -> Result<Prior, Stop> {
    if object.schema_version > schema.version.unsigned_abs() {
        diagnostics.push(InstanceDiagnostic {
            severity: Severity::Error,
            code: "newer-provider",
            summary: "Resource instance managed by newer provider version".to_owned(),
            detail: format!(
                "The current state of {} was created by a newer provider version than is currently selected. Upgrade the {} provider to work with this state.",
                context.addr, context.provider_addr.r#type,
            ),
            attribute: None,
        });
        return Err(Stop);
    }
    let attributes = raw_attributes(schema, object);
    let answer = context
        .provider
        .upgrade_resource_state(
            &context.addr.resource.r#type,
            i64::try_from(object.schema_version).unwrap_or(i64::MAX),
            attributes.as_bytes(),
        )
        .await;
    let response = context.answer(answer, diagnostics)?;
    context.report(response.diagnostics, diagnostics)?;
    let value = response.upgraded_state;
    let recorded = object.sensitive_paths.iter().cloned();
    let marks: Vec<PathMarks> = recorded
        .chain(schema.block.sensitive_paths(&value))
        .map(sensitive)
        .collect();
    Ok(Prior {
        value: value.mark_with_paths(&marks),
        private: object.private.clone(),
        is_tainted: object.is_tainted,
    })
}

/// The stored attributes as the provider is given them: an object of the present schema version may still have
/// attributes that the schema had when it was stored.
fn raw_attributes<'a>(schema: &Schema, object: &'a state::Object) -> Cow<'a, str> {
    let text = object.attributes.get();
    if object.schema_version != schema.version.unsigned_abs() {
        return text.into();
    }
    match serde_json::from_str::<serde_json::Value>(text) {
        Ok(mut json) => {
            schema::strip_removed_attributes(&mut json, schema.implied_type());
            json.to_string().into()
        }
        Err(_) => text.into(),
    }
}

/// The provider, and what it is asked about.
struct Asked<'a> {
    provider: &'a dyn Provider,
    addr: &'a ResourceInstanceAddr,
    provider_addr: &'a ProviderAddr,
}

impl Asked<'_> {
    async fn validate(
        &self,
        config: &Value,
        diagnostics: &mut Vec<InstanceDiagnostic>,
    ) -> Result<(), Stop> {
        let type_name = &self.addr.resource.r#type;
        let answer = self
            .provider
            .validate_resource_config(type_name, config)
            .await;
        let problems = self.answer(answer, diagnostics)?;
        self.report(problems, diagnostics)
    }

    async fn plan(
        &self,
        request: PlanRequest,
        diagnostics: &mut Vec<InstanceDiagnostic>,
    ) -> Result<PlanResponse, Stop> {
        let answer = self.provider.plan_resource_change(request).await;
        let mut response = self.answer(answer, diagnostics)?;
        self.report(std::mem::take(&mut response.diagnostics), diagnostics)?;
        if response.deferred.is_some() {
            diagnostics.push(self.error(
                "deferred-not-allowed",
                "Provider deferred changes when Terraform did not allow deferrals",
                format!(
                    "The provider signaled a deferred action for {:?}, but in this context deferrals are disabled. This is a bug in the provider, please file an issue with the provider developers.",
                    self.addr.to_string(),
                ),
            ));
            return Err(Stop);
        }
        Ok(response)
    }

    /// Plans the new object of a replacement, as if there were none before it. Warnings have been given by the first
    /// plan already.
    async fn plan_replacement(
        &self,
        schema: &Schema,
        config: &Value,
        prior_private: Bytes,
        diagnostics: &mut Vec<InstanceDiagnostic>,
    ) -> Result<Value, Stop> {
        let null = Value::null(schema.implied_type().clone());
        let mut problems = Vec::new();
        let request = PlanRequest {
            type_name: self.addr.resource.r#type.clone(),
            proposed_new_state: proposed_new(&schema.block, &null, config),
            prior_state: null,
            config: config.clone(),
            prior_private,
            provider_meta: None,
        };
        let response = self
            .plan(request, &mut problems)
            .await
            .inspect_err(|Stop| {
                diagnostics.append(&mut problems);
            })?;
        self.check_conforms(schema, &response.planned_state, diagnostics)?;
        Ok(response.planned_state)
    }

    /// The paths whose values really change, and those of write-only attributes, whose values can't be compared.
    fn required_replaces(
        &self,
        schema: &Schema,
        prior: &Value,
        planned: &Value,
        paths: Vec<Path>,
        diagnostics: &mut Vec<InstanceDiagnostic>,
    ) -> Result<Vec<Path>, Stop> {
        if prior.is_null() {
            return Ok(Vec::new());
        }
        let mut required: Vec<Path> = Vec::new();
        let mut is_broken = false;
        for path in paths {
            let (before, after) = (path.apply(prior), path.apply(planned));
            let is_changed = match (before, after) {
                (Err(_), Err(_)) => {
                    is_broken = true;
                    diagnostics.push(self.error(
                        "invalid-plan",
                        "Provider produced invalid plan",
                        format!(
                            "Provider {:?} has indicated \"requires replacement\" on {} for a non-existent attribute path {path}.\n\nThis is a bug in the provider, which should be reported in the provider's own issue tracker.",
                            self.provider_addr.to_string(),
                            self.addr,
                        ),
                    ));
                    continue;
                }
                (Ok(before), Ok(after)) => after.equals(&before).as_bool() != Some(true),
                (Ok(value), Err(_)) | (Err(_), Ok(value)) => !value.is_null(),
            };
            let is_write_only =
                attribute_by_path(&schema.block, &path).is_some_and(|a| a.write_only);
            if (is_changed || is_write_only) && !required.contains(&path) {
                required.push(path);
            }
        }
        if is_broken { Err(Stop) } else { Ok(required) }
    }

    fn check_conforms(
        &self,
        schema: &Schema,
        planned: &Value,
        diagnostics: &mut Vec<InstanceDiagnostic>,
    ) -> Result<(), Stop> {
        let errors = cty::test_conformance(planned.ty(), schema.implied_type());
        for error in &errors {
            diagnostics.push(self.invalid_plan(&error.to_string(), None));
        }
        for path in schema.block.write_only_paths(planned) {
            if path.apply(planned).is_ok_and(|value| !value.is_null()) {
                diagnostics.push(
                    self.invalid_plan("write-only attribute must be null in the plan", Some(path)),
                );
                return Err(Stop);
            }
        }
        if errors.is_empty() { Ok(()) } else { Err(Stop) }
    }

    /// Messages show values, so those about secrets are left out.
    fn report_invalid(
        &self,
        errors: Vec<InvalidPlan>,
        secrets: &[Path],
        diagnostics: &mut Vec<InstanceDiagnostic>,
    ) -> Result<(), Stop> {
        let is_valid = errors.is_empty();
        for InvalidPlan { path, message } in errors {
            let is_secret = secrets.iter().any(|secret| {
                secret.steps().starts_with(path.steps()) || path.steps().starts_with(secret.steps())
            });
            let message = match is_secret {
                true => "sensitive planned value does not match config value",
                false => &message,
            };
            diagnostics.push(self.invalid_plan(message, Some(path)));
        }
        if is_valid { Ok(()) } else { Err(Stop) }
    }

    fn answer<T>(
        &self,
        answer: Result<T, ProviderError>,
        diagnostics: &mut Vec<InstanceDiagnostic>,
    ) -> Result<T, Stop> {
        answer.map_err(|error| {
            diagnostics.push(self.error(
                PROVIDER_FAILED,
                "Provider can't be asked",
                format!("{} is not planned: {error}.", self.addr),
            ));
            Stop
        })
    }

    fn report(
        &self,
        problems: Vec<ProviderDiagnostic>,
        diagnostics: &mut Vec<InstanceDiagnostic>,
    ) -> Result<(), Stop> {
        let has_error = problems.iter().any(ProviderDiagnostic::is_error);
        diagnostics.extend(problems.into_iter().map(|problem| InstanceDiagnostic {
            severity: match problem.severity {
                provider::Severity::Error => Severity::Error,
                provider::Severity::Warning => Severity::Warning,
            },
            code: "provider",
            summary: problem.summary,
            detail: problem.detail,
            attribute: problem.attribute,
        }));
        if has_error { Err(Stop) } else { Ok(()) }
    }

    fn error(&self, code: &'static str, summary: &str, detail: String) -> InstanceDiagnostic {
        InstanceDiagnostic {
            severity: Severity::Error,
            code,
            summary: summary.to_owned(),
            detail,
            attribute: None,
        }
    }

    fn invalid_plan(&self, problem: &str, attribute: Option<Path>) -> InstanceDiagnostic {
        let path = attribute.as_ref().map(Path::to_string).unwrap_or_default();
        InstanceDiagnostic {
            attribute,
            ..self.error(
                "invalid-plan",
                "Provider produced invalid plan",
                format!(
                    "Provider {:?} planned an invalid value for {}{path}: {problem}.\n\nThis is a bug in the provider, which should be reported in the provider's own issue tracker.",
                    self.provider_addr.to_string(),
                    self.addr,
                ),
            )
        }
    }
}

fn prevented(addr: &ResourceInstanceAddr, replace_paths: &[Path]) -> InstanceDiagnostic {
    InstanceDiagnostic {
        severity: Severity::Error,
        code: "prevent-destroy",
        summary: "Instance cannot be destroyed".to_owned(),
        detail: format!(
            "Resource {addr} has lifecycle.prevent_destroy set, but the plan calls for this resource to be destroyed. To avoid this error and continue with the plan, either disable lifecycle.prevent_destroy or reduce the scope of the plan using the -target option.",
        ),
        attribute: replace_paths.first().cloned(),
    }
}

fn sensitive(path: Path) -> PathMarks {
    PathMarks {
        path,
        marks: Marks::from([Mark::Sensitive]),
    }
}

fn without_ephemeral(mut marks: Vec<PathMarks>) -> Vec<PathMarks> {
    for at in &mut marks {
        at.marks.remove(&Mark::Ephemeral);
    }
    marks.retain(|at| !at.marks.is_empty());
    marks
}

/// Where a value is sensitive.
fn sensitive_paths(value: &Value) -> HashSet<Path> {
    let (_, marks) = value.unmark_deep_with_paths();
    let is_sensitive = |at: &PathMarks| at.marks.contains(&Mark::Sensitive);
    marks
        .into_iter()
        .filter(is_sensitive)
        .map(|at| at.path)
        .collect()
}
