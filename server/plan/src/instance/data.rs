//! A data source or an ephemeral resource: read or opened while planning, or put off until the apply.
//!
//! Follows `planDataSource` and `readDataSource` of OpenTofu's `internal/tofu`.

use config::{Product, ResourceMode};
use cty::{Mark, Value};
use text::Severity;

use super::provider_requests::{InstanceFailed, InstanceProblem, ProviderRequests, error};
use super::{DesiredInstance, InstancePlan, Reading, without_ephemeral};
use crate::objchange::planned_unknown_object;
use crate::options::PlanMode;
use crate::{Action, ActionReason, ResourceInstanceChange};

/// Reads the data source if its configuration is known and nothing that it depends on will change, and if it may be
/// read; plans to read it otherwise.
pub(super) async fn fill(
    desired: &DesiredInstance,
    plan: &mut InstancePlan,
) -> Result<(), InstanceFailed> {
    let context = ProviderRequests {
        provider: &*desired.provider,
        addr: &desired.addr,
        provider_addr: &desired.provider_addr,
        provider_meta: desired.provider_meta.as_ref(),
        product: desired.task.product,
    };
    let (config, marks) = desired.config.unmark_deep_with_paths();
    let is_ephemeral = desired.addr.resource.mode == ResourceMode::Ephemeral;
    let diagnostics = &mut plan.diagnostics;
    context.validate(&config, diagnostics).await?;
    if desired.task.mode == PlanMode::Validate {
        return Ok(());
    }
    let marks = without_ephemeral(marks);
    let marked = |value: &Value, is_put_off: bool| {
        let by_schema = || desired.schema.block.mark_sensitive(value, marks.clone());
        match (is_ephemeral, desired.task.product) {
            (false, _) => by_schema(),
            (true, Product::OpenTofu) if !is_put_off => by_schema().mark(Mark::Ephemeral),
            // The sensitive parts of the schema do not count.
            (true, _) => value.mark_with_paths(&marks).mark(Mark::Ephemeral),
        }
    };
    let put_off = match &desired.reading {
        _ if !config.is_wholly_known() => Some(ActionReason::ReadBecauseConfigUnknown),
        Reading::PutOff => Some(ActionReason::ReadBecauseDependencyPending),
        Reading::Now | Reading::Not(_) => None,
    };
    if let Some(reason) = put_off {
        let after = marked(
            &planned_unknown_object(&desired.schema.block, &config),
            true,
        );
        plan.value = after.clone();
        // Only an apply could read it.
        if desired.task.mode == PlanMode::Normal && !is_ephemeral {
            plan.change = Some(read_change(desired, reason, after));
        }
        return Ok(());
    }
    if let Reading::Not(stand_in) = &desired.reading {
        plan.value = match stand_in {
            Some(stand_in) => marked(stand_in, false),
            None => Value::dynamic(),
        };
        return Ok(());
    }
    let read = read(&context, desired, &config, &mut plan.diagnostics).await;
    if !desired.is_in_check {
        plan.value = marked(&read?, false);
        return Ok(());
    }
    for diagnostic in &mut plan.diagnostics {
        diagnostic.severity = Severity::Warning;
    }
    let read = match read {
        Ok(read) => read,
        Err(InstanceFailed) => planned_unknown_object(&desired.schema.block, &config),
    };
    plan.value = marked(&read, false);
    if desired.task.mode == PlanMode::Normal {
        let after = plan.value.clone();
        let reason = ActionReason::ReadBecauseCheckNested;
        plan.change = Some(read_change(desired, reason, after));
    }
    Ok(())
}

async fn read(
    context: &ProviderRequests<'_>,
    desired: &DesiredInstance,
    config: &Value,
    diagnostics: &mut Vec<InstanceProblem>,
) -> Result<Value, InstanceFailed> {
    let value = match desired.addr.resource.mode {
        ResourceMode::Ephemeral => context.open(config, diagnostics).await?,
        ResourceMode::Data | ResourceMode::Managed | ResourceMode::Action => {
            context.read_data(config, diagnostics).await?
        }
    };
    let errors = cty::test_conformance(value.ty(), desired.schema.implied_type());
    let problem = match errors.first() {
        Some(error) => Some((
            "object",
            format!("an invalid value for {}: {error}", desired.addr),
        )),
        None if value.is_null() => Some(("null", format!("a null value for {}", desired.addr))),
        None if !value.is_wholly_known() => Some((
            "object",
            format!("a value for {} that is not wholly known", desired.addr),
        )),
        None => None,
    };
    let Some((kind, problem)) = problem else {
        return Ok(value);
    };
    let summary = match kind {
        "null" => "Provider produced null object",
        _ => "Provider produced invalid object",
    };
    let detail = format!(
        "Provider {:?} produced {problem}.\n\nThis is a bug in the provider, which should be reported in the provider's own issue tracker.",
        desired.provider_addr.to_string(),
    );
    diagnostics.push(error("invalid-object", summary, detail));
    Err(InstanceFailed)
}

fn read_change(
    desired: &DesiredInstance,
    reason: ActionReason,
    after: Value,
) -> ResourceInstanceChange {
    ResourceInstanceChange {
        addr: desired.addr.clone(),
        previous_addr: desired.previous_addr.clone(),
        deposed: None,
        provider: desired.provider_addr.clone(),
        schema: desired.schema.clone(),
        action: Action::Read,
        reason: Some(reason),
        before: Value::null(desired.schema.implied_type().clone()),
        after,
        replace_paths: Vec::new(),
        importing: None,
        identity: None,
        generated_config: None,
    }
}
