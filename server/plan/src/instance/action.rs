//! An instance of an action: nothing comes of it but its invocations.

use config::Product;
use cty::{Mark, Value};
use text::Severity;

use super::provider_requests::{
    InstanceFailed, InstancePlace, InstanceProblem, ProviderRequests, error,
};
use super::{DesiredInstance, InstancePlan};
use crate::options::PlanMode;

/// Asks the provider about the configuration, and about the invocation if there is one.
///
/// Follows `nodeActionTriggerPlanInstance.Execute` of Terraform's `internal/terraform`.
pub(super) async fn fill(
    desired: &DesiredInstance,
    plan: &mut InstancePlan,
) -> Result<(), InstanceFailed> {
    let context = ProviderRequests {
        provider: &*desired.provider,
        addr: &desired.addr,
        provider_addr: &desired.provider_addr,
        provider_meta: None,
        product: Product::Terraform,
    };
    let (config, _) = desired.config.unmark_deep();
    context.validate(&config, &mut plan.diagnostics).await?;
    if desired.task.mode == PlanMode::Validate {
        return Ok(());
    }
    // A provider takes ephemeral values out of the objects that it plans, but it plans no object here.
    plan.value = cty::transform(&desired.config, &mut |_, value| match value
        .has_mark(&Mark::Ephemeral)
    {
        true => Value::null(value.ty().clone()),
        false => value,
    });
    if desired.triggered.is_empty() {
        return Ok(());
    }
    let found = context.plan_action(&config, &mut plan.diagnostics).await?;
    if found.is_empty() {
        return Ok(());
    }
    let is_error = found.iter().any(|it| it.severity == Severity::Error);
    let (severity, summary) = match is_error {
        true => (Severity::Error, "Failed to plan action"),
        false => (Severity::Warning, "Warnings when planning action"),
    };
    let detail = in_one_text(&found, is_error);
    let mut told = Vec::new();
    for triggered in &desired.triggered {
        let entry = (&triggered.resource, triggered.block, triggered.index);
        if told.contains(&entry) {
            continue;
        }
        told.push(entry);
        plan.diagnostics.push(InstanceProblem {
            severity,
            at: InstancePlace {
                named_at: Some(triggered.at.clone()),
                ..InstancePlace::default()
            },
            ..error("provider", summary, detail.clone())
        });
    }
    Ok(())
}

/// The problems of an invocation as Terraform puts them into one.
fn in_one_text(problems: &[provider::Problem], has_errors: bool) -> String {
    let line = |problem: &provider::Problem| match problem.detail.is_empty() {
        true => problem.summary.to_string(),
        false => format!("{}: {}", problem.summary, problem.detail),
    };
    match problems {
        [problem] => line(problem),
        _ => {
            let kind = if has_errors { "problems" } else { "warnings" };
            let lines: String = problems
                .iter()
                .map(|it| format!("\n- {}", line(it)))
                .collect();
            format!("{} {kind}:\n{lines}", problems.len())
        }
    }
}
