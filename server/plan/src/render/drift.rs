//! Changes outside of Terraform since the last apply, as `terraform plan` prints them.

use std::borrow::Cow;

use super::output_budget::OutputBudget;
use super::style::{Paint, Style};
use super::{body, in_words_of, moved_from};
use crate::relevant::relevant_drift;
use crate::{Action, Plan, PlanMode, ResourceInstanceChange};

/// The drift and the advice about it, up to the line under it; nothing, if there is none. Unless the plan is about nothing
/// else, only drift that its changes follow from is shown.
pub(super) fn section(plan: &Plan, style: Style, budget: &OutputBudget) -> String {
    let is_complete = plan.mode == PlanMode::RefreshOnly;
    let shown = plan.drift().filter_map(|drift| match is_complete {
        true => Some(Cow::Borrowed(drift)),
        false => relevant_drift(&plan.relevant_attributes, drift).map(Cow::Owned),
    });
    let blocks: Vec<String> = shown.map(|drift| block(&drift, style, budget)).collect();
    if blocks.is_empty() {
        return String::new();
    }
    let note = style.paint(Paint::Bold, &style.paint(Paint::Cyan, "Note:"));
    let words = |text: &str| in_words_of(plan.product, text);
    let title = words("Objects have changed outside of Terraform");
    let title = style.paint(Paint::Bold, &title);
    let head =
        words("Terraform detected the following changes made outside of Terraform since the");
    let command = plan.product.command();
    let advice = match plan.mode {
        PlanMode::RefreshOnly => {
            "This is a refresh-only plan, so Terraform will not take any actions to undo\n\
             these. If you were expecting these changes then you can apply this plan to\n\
             record the updated values in the Terraform state without changing any remote\n\
             objects."
        }
        PlanMode::Normal | PlanMode::Destroy | PlanMode::Validate => {
            "Unless you have made equivalent changes to your configuration, or ignored the\n\
             relevant attributes using ignore_changes, the following plan may include\n\
             actions to undo or respond to these changes."
        }
    };
    format!(
        "\n{note} {title}\n\n\
         {head}\n\
         last \"{command} apply\" which may have affected this plan:\n\
         {}\n\n{}\n\n{}\n",
        blocks.concat(),
        words(advice),
        "─".repeat(77),
    )
}

pub(super) fn block(drift: &ResourceInstanceChange, style: Style, budget: &OutputBudget) -> String {
    let addr = drift.addr.to_string();
    let named = |text: &str| style.paint(Paint::Bold, &format!("  # {text}"));
    let header = match (drift.action, &drift.previous_addr) {
        (Action::NoOp, Some(previous)) => {
            let addr = style.paint(Paint::Bold, &addr);
            format!("{} has moved to {addr}\n", named(&previous.to_string()))
        }
        (Action::Delete, _) => format!("{} has been deleted\n", named(&addr)),
        (_, _) => format!("{} has changed\n{}", named(&addr), moved_from(drift)),
    };
    format!("\n{header}{}\n", body(drift, style, budget))
}
