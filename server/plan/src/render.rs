//! Changes as `terraform plan` prints them.

mod align;
mod diff;
mod drift;
mod output_budget;
mod pair;
mod print;
mod string;
mod style;

use config::{InstanceKey, Product, ResourceMode};
use cty::{Mark, Value, quote};
use provider::ImportTarget;
use text::{counted, one_line, padded, visible};

use crate::{
    Action, ActionInvocation, ActionReason, Plan, PlanMode, ResourceInstanceChange, plain,
};
use diff::Diff;
pub use output_budget::OutputBudget;
use print::{PrintMode, Printer};
use style::{Paint, Style};

/// The block of one change, from its `# ...` line on, without an end of line at the end.
pub fn render_change(
    change: &ResourceInstanceChange,
    product: Product,
    budget: &OutputBudget,
) -> String {
    block(change, Style::new(product, false), budget)
}

/// A change that was made outside of Terraform, in the same way.
pub fn render_drift(drift: &ResourceInstanceChange, budget: &OutputBudget) -> String {
    let block = drift::block(drift, Style::new(Product::Terraform, false), budget);
    block.trim_matches('\n').to_owned()
}

/// The whole plan, with colours for a terminal if they are wanted. `write` gets it change by change: the text of all may be
/// as long as the state file.
pub fn render_plan(plan: &Plan, colors: bool, write: &mut dyn FnMut(&str)) {
    let style = Style::new(plan.product, colors);
    render(
        plan,
        style,
        Preamble::Shown,
        &OutputBudget::of_command(),
        write,
    );
}

/// The plan for the plan view: without the legend.
pub fn render_document(plan: &Plan) -> String {
    let mut text = String::new();
    let style = Style::new(plan.product, false);
    let budget = OutputBudget::of_message();
    render(plan, style, Preamble::LeftOut, &budget, &mut |part| {
        text += part;
    });
    text
}

/// The changes of outputs: the lines below `Changes to Outputs:`.
pub fn render_outputs(plan: &Plan) -> String {
    outputs(
        plan,
        Style::new(plan.product, false),
        &OutputBudget::of_message(),
    )
}

/// The lines that explain the symbols and announce the changes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Preamble {
    Shown,
    LeftOut,
}

fn render(
    plan: &Plan,
    style: Style,
    preamble: Preamble,
    budget: &OutputBudget,
    write: &mut dyn FnMut(&str),
) {
    let changes: Vec<&ResourceInstanceChange> = plan.changes().filter(is_shown).collect();
    let invocations = plan.action_invocations();
    let outputs = outputs(plan, style, budget);
    let is_empty = changes.is_empty() && outputs.is_empty();
    let stays =
        |it: &&ResourceInstanceChange| it.action == Action::NoOp && it.previous_addr.is_none();
    let is_quiet = changes.iter().all(stays) && outputs.is_empty();
    let drift = match is_quiet && plan.mode != PlanMode::RefreshOnly {
        true => String::new(),
        false => drift::section(plan, style, budget),
    };
    if is_empty && drift.is_empty() {
        write(&in_words_of(plan.product, &nothing(plan, style)));
        return;
    }
    write(&drift);
    let is_real = changes.iter().any(|change| change.action != Action::NoOp);
    if is_real && preamble == Preamble::Shown {
        write(&in_words_of(plan.product, &legend(&changes, style)));
    }
    if !changes.is_empty() {
        let head = match (plan.has_errors(), preamble) {
            (true, _) => {
                "\nTerraform planned the following actions, but then encountered a problem:\n"
            }
            (false, Preamble::Shown) => "\nTerraform will perform the following actions:\n",
            (false, Preamble::LeftOut) => "",
        };
        write(&in_words_of(plan.product, head));
        for (index, change) in changes.iter().enumerate() {
            if budget.is_full() {
                let count = changes.len() - index;
                write(&format!(
                    "\n  # ({} more, too long to be shown)\n",
                    counted(count, "change")
                ));
                break;
            }
            write("\n");
            write(&block(change, style, budget));
            write("\n");
            write(&invoked(&invocations, change, style, budget));
        }
        let counts = plan.counts();
        let import = match counts.import {
            0 => String::new(),
            count => format!("{count} to import, "),
        };
        let is_forgotten = |it: &&&ResourceInstanceChange| {
            matches!(it.action, Action::Forget | Action::ForgetThenCreate)
        };
        let forget = match changes.iter().filter(is_forgotten).count() {
            0 => String::new(),
            _ if plan.product == Product::Terraform => String::new(),
            count => format!(", {count} to forget"),
        };
        let invoke = match invocations.len() {
            0 => String::new(),
            count => format!(" Actions: {count} to invoke."),
        };
        write(&format!(
            "\n{} {import}{} to add, {} to change, {} to destroy{forget}.{invoke}\n",
            style.paint(Paint::Bold, "Plan:"),
            counts.add,
            counts.change,
            counts.destroy
        ));
    }
    if !outputs.is_empty() {
        write(&format!("\nChanges to Outputs:\n{outputs}"));
        if !is_real {
            let advice = "\nYou can apply this plan to save these new output values to the Terraform\n\
                          state, without changing any real infrastructure.\n";
            write(&in_words_of(plan.product, advice));
        }
    }
}

/// A text of Terraform's as the product has it, whose lines are as long as they may be.
fn in_words_of(product: Product, text: &str) -> String {
    if product == Product::Terraform {
        return text.to_owned();
    }
    let text = text.replace("Terraform", product.name());
    // OpenTofu's name moves a word to the line before.
    let text = text.replace("configuration\nand found", "configuration and\nfound");
    text.replace(
        "update in-place\n",
        "update in-place (current -> planned)\n",
    )
}

/// The text of a plan without changes.
fn nothing(plan: &Plan, style: Style) -> String {
    let (paint, first, rest, more) = if plan.has_errors() {
        let rest = "Terraform encountered an error while generating this plan.";
        (Paint::Red, "Planning failed.", rest, "")
    } else if plan.mode == PlanMode::RefreshOnly {
        let rest = "Your infrastructure still matches the configuration.";
        let more = "\nTerraform has checked that the real remote objects still match the result of\n\
                    your most recent changes, and found no differences.\n";
        (Paint::Green, "No changes.", rest, more)
    } else if plan.mode == PlanMode::Destroy {
        let more = "\nEither you have not created any objects yet or the existing objects were\n\
                    already deleted outside of Terraform.\n";
        (
            Paint::Green,
            "No changes.",
            "No objects need to be destroyed.",
            more,
        )
    } else if plan.caveats().next().is_none() {
        let rest = "Your infrastructure matches the configuration.";
        let more = "\nTerraform has compared your real infrastructure against your configuration\n\
                    and found no differences, so no changes are needed.\n";
        (Paint::Green, "No changes.", rest, more)
    } else {
        let rest = "Everything that could be planned matches the configuration.";
        (Paint::Yellow, "No changes so far.", rest, "")
    };
    let (first, rest) = (style.paint(paint, first), style.paint(Paint::Bold, rest));
    format!("\n{} {rest}\n{more}", style.paint(Paint::Bold, &first))
}

fn is_shown(change: &&ResourceInstanceChange) -> bool {
    match change.action {
        Action::NoOp => change.previous_addr.is_some() || change.importing.is_some(),
        Action::Delete => change.addr.resource.mode == ResourceMode::Managed,
        Action::Create
        | Action::Read
        | Action::Update
        | Action::DeleteThenCreate
        | Action::CreateThenDelete
        | Action::Forget
        | Action::ForgetThenCreate => true,
    }
}

/// The symbols that occur, and their meaning.
fn legend(changes: &[&ResourceInstanceChange], style: Style) -> String {
    const MEANINGS: [(Action, &str); 8] = [
        (Action::Create, "create"),
        (Action::Update, "update in-place"),
        (Action::Delete, "destroy"),
        (
            Action::DeleteThenCreate,
            "destroy and then create replacement",
        ),
        (
            Action::CreateThenDelete,
            "create replacement and then destroy",
        ),
        (Action::Read, "read (data resources)"),
        (
            Action::ForgetThenCreate,
            "forget and then create replacement",
        ),
        (Action::Forget, "forget"),
    ];
    let mut text = "\nTerraform used the selected providers to generate the following execution\n\
                    plan. Resource actions are indicated with the following symbols:\n"
        .to_owned();
    for (action, meaning) in MEANINGS {
        // Terraform does not explain its symbol.
        let is_explained = action != Action::Forget || style.product == Product::OpenTofu;
        if is_explained && changes.iter().any(|change| change.action == action) {
            text += &format!("{} {meaning}\n", style.symbol(action));
        }
    }
    text
}

fn block(change: &ResourceInstanceChange, style: Style, budget: &OutputBudget) -> String {
    let header = header(change, style);
    format!("{header}{}", body(change, style, budget))
}

/// The actions that a change invokes, before it and after it.
fn invoked(
    invocations: &[ActionInvocation<'_>],
    change: &ResourceInstanceChange,
    style: Style,
    budget: &OutputBudget,
) -> String {
    let from = invocations.partition_point(|it| it.triggered.resource < change.addr);
    let own = invocations[from..]
        .iter()
        .take_while(|it| it.triggered.resource == change.addr && change.deposed.is_none());
    let section = |is_before: bool| {
        let actions: String = own
            .clone()
            .filter(|it| it.triggered.event.is_before() == is_before)
            .map(|it| invocation(it, style, budget))
            .collect();
        let when = if is_before { "before" } else { "after" };
        let head = format!("    # Actions to be invoked {when} this change in order:");
        match actions.is_empty() {
            true => String::new(),
            false => format!("\n{}\n{actions}\n", style.paint(Paint::Bold, &head)),
        }
    };
    section(true) + &section(false)
}

fn invocation(invocation: &ActionInvocation<'_>, style: Style, budget: &OutputBudget) -> String {
    let config = invocation.marked_config();
    let block = &invocation.schema.block;
    let diff = diff::of_block(&config.unknown_as_null(), &config, block, &[]);
    let mode = PrintMode {
        shows_unchanged: true,
        ..PrintMode::default()
    };
    let style = Style {
        hides_symbols: true,
        ..style
    };
    let config = printed(&diff, mode, style, budget);
    let action = &invocation.addr.resource;
    format!(
        "    action {} {} {{\n        config {}\n    }}\n",
        quote(&action.r#type),
        quote(&action.name),
        config.replace('\n', "\n        ")
    )
}

fn body(change: &ResourceInstanceChange, style: Style, budget: &OutputBudget) -> String {
    let before = change.with_schema_marks(&change.before);
    // To OpenTofu it is gone, to Terraform the same as before.
    let is_gone = change.action == Action::Forget && style.product == Product::OpenTofu;
    let after = match change.action {
        Action::Forget if !is_gone => before.clone(),
        _ => change.with_schema_marks(&change.after),
    };
    let diff = diff::of_block(
        &before,
        &after,
        &change.schema.block,
        change.forcing_paths(),
    );
    let mode = PrintMode {
        shows_unchanged: change.importing.is_some(),
        ..PrintMode::default()
    };
    let own_style = Style {
        hides_symbols: is_gone,
        ..style
    };
    // OpenTofu indents this symbol here, but not where it explains it.
    let indent = match (change.action, style.product) {
        (Action::ForgetThenCreate, Product::OpenTofu) => "  ",
        _ => "",
    };
    let resource = &change.addr.resource;
    let kind = match resource.mode {
        ResourceMode::Managed => "resource",
        ResourceMode::Data => "data",
        ResourceMode::Ephemeral => "ephemeral",
        ResourceMode::Action => "action",
    };
    format!(
        "{indent}{} {kind} {} {} {}",
        style.symbol(change.action),
        quote(&resource.r#type),
        quote(&resource.name),
        printed(&diff, mode, own_style, budget)
    )
}

/// The difference of a whole change, as far as the budget allows.
fn printed(diff: &Diff, mode: PrintMode, style: Style, budget: &OutputBudget) -> String {
    let depth = 0;
    budget.change(|budget| {
        Printer {
            style,
            depth,
            budget,
        }
        .diff(diff, mode)
    })
}

/// The lines that name an object, its action and the reason.
fn header(change: &ResourceInstanceChange, style: Style) -> String {
    let addr = match &change.deposed {
        Some(key) => format!(
            "{} (deposed object {})",
            change.addr,
            one_line(key.as_str())
        ),
        None => change.addr.to_string(),
    };
    let is_opentofu = style.product == Product::OpenTofu;
    // Terraform indents forgotten objects as the symbol for that: by one.
    let comment = match change.action {
        Action::Forget if !is_opentofu => " #",
        _ => "  #",
    };
    let named = |addr: &str| style.paint(Paint::Bold, &format!("{comment} {addr}"));
    let alarming = |text: &str| style.paint(Paint::Bold, &style.paint(Paint::Red, text));
    let what = match (change.action, change.reason, &change.previous_addr) {
        (Action::Create, ..) => "will be created".to_owned(),
        (Action::Read, ..) => "will be read during apply".to_owned(),
        (Action::Update, ..) => "will be updated in-place".to_owned(),
        (
            Action::DeleteThenCreate | Action::CreateThenDelete | Action::ForgetThenCreate,
            reason,
            _,
        ) => {
            let replaced = alarming("replaced");
            let why = match reason {
                Some(ActionReason::ReplaceBecauseTainted) if is_opentofu => {
                    format!("is tainted, so it must be {replaced}")
                }
                Some(ActionReason::ReplaceBecauseTainted) => {
                    format!("is tainted, so must be {replaced}")
                }
                Some(ActionReason::ReplaceByRequest) => {
                    format!("will be {replaced}, as requested")
                }
                Some(ActionReason::ReplaceByTriggers) => {
                    format!("will be {replaced} due to changes in replace_triggered_by")
                }
                _ => format!("must be {replaced}"),
            };
            match change.action {
                Action::ForgetThenCreate => {
                    format!(
                        "{why} - older instance will not be destroyed (lifecycle.destroy = false)"
                    )
                }
                _ => why,
            }
        }
        (Action::Delete, ..) => format!("will be {}", alarming("destroyed")),
        (Action::Forget, ..) if is_opentofu => {
            let kept = alarming("but will not be destroyed");
            format!("will be removed from the OpenTofu state {kept}")
        }
        (Action::Forget, ..) => {
            let kept = alarming("will not be destroyed");
            format!("will no longer be managed by Terraform, but {kept}")
        }
        (Action::NoOp, _, Some(previous)) => {
            let addr = style.paint(Paint::Bold, &addr);
            return format!("{} has moved to {addr}\n", named(&previous.to_string()));
        }
        (Action::NoOp, _, None) if change.importing.is_some() => "will be imported".to_owned(),
        (Action::NoOp, _, None) => "has no changes".to_owned(),
    };
    let mut text = format!("{} {what}\n", named(&addr));
    if change.action == Action::Forget {
        text = match style.product {
            Product::Terraform => {
                format!("{text}{comment} (destroy = false is set in the configuration)\n")
            }
            Product::OpenTofu => forgotten_because(change, style, &text),
        };
    }
    if change.action == Action::Delete
        && let Some(why) = why_deleted(change)
    {
        text += &format!("  # (because {why})\n");
    }
    if let Some(why) = why_read(change) {
        text += &format!("  # ({why})\n");
    }
    if change.deposed.is_some() {
        text += "  # (left over from a partially-failed replacement of this instance)\n";
    }
    text += &moved_from(change);
    let importing = change.importing.as_ref();
    if change.action == Action::NoOp && importing.is_some() && change.generated_config.is_some() {
        text += "  # (config will be generated)\n";
    }
    if let Some(target) = importing.filter(|_| change.action != Action::NoOp) {
        text += &imported_from(target);
        if change.action.is_replace() && change.action != Action::ForgetThenCreate {
            let warning = alarming("Warning: this will destroy the imported resource");
            text += &format!("  # {warning}\n");
        }
    }
    text
}

/// The header of an object that OpenTofu forgets, with the setting that keeps it from being destroyed.
fn forgotten_because(change: &ResourceInstanceChange, style: Style, header: &str) -> String {
    let when = match change.reason {
        Some(ActionReason::ForgotBecauseLifecycleDestroyInState) => {
            "was configured before this resource was removed from the configuration"
        }
        Some(ActionReason::ForgotBecauseLifecycleDestroyInConfig) => "is set in the configuration",
        _ => return header.to_owned(),
    };
    let setting = style.paint(Paint::Bold, "lifecycle.destroy = false");
    format!(
        "{} \n (because {setting} {when})\n",
        header.trim_end_matches('\n')
    )
}

fn imported_from(target: &ImportTarget) -> String {
    match target {
        ImportTarget::Id(id) => format!("  # (imported from \"{}\")\n", one_line(id)),
        ImportTarget::Identity(identity) => {
            let json = format!("{:#}", plain(identity)).replace('\n', "\n  # ");
            let json = visible(&json);
            format!("  # imported using resource identity: {json}\n")
        }
    }
}

fn moved_from(change: &ResourceInstanceChange) -> String {
    let from = |previous| format!("  # (moved from {previous})\n");
    change.previous_addr.as_ref().map(from).unwrap_or_default()
}

fn why_deleted(change: &ResourceInstanceChange) -> Option<String> {
    let key = &change.addr.key;
    Some(match change.reason? {
        ActionReason::DeleteBecauseNoResourceConfig => {
            format!("{} is not in configuration", change.addr.resource)
        }
        ActionReason::DeleteBecauseNoModule => {
            format!("{} is not in configuration", change.addr.module)
        }
        ActionReason::DeleteBecauseNoMoveTarget => {
            let previous = change.previous_addr.as_ref()?;
            let addr = &change.addr;
            format!("{previous} was moved to {addr}, which is not in configuration")
        }
        ActionReason::DeleteBecauseWrongRepetition => match key {
            InstanceKey::None => "resource uses count or for_each".to_owned(),
            InstanceKey::Int(_) => "resource does not use count".to_owned(),
            InstanceKey::String(_) => "resource does not use for_each".to_owned(),
        },
        ActionReason::DeleteBecauseCountIndex => format!("index {key} is out of range for count"),
        ActionReason::DeleteBecauseEachKey => format!("key {key} is not in for_each map"),
        ActionReason::DeleteBecauseEnabledFalse => "enabled is false".to_owned(),
        ActionReason::ReadBecauseConfigUnknown
        | ActionReason::ReadBecauseDependencyPending
        | ActionReason::ReadBecauseCheckNested
        | ActionReason::ReplaceBecauseCannotUpdate
        | ActionReason::ReplaceBecauseTainted
        | ActionReason::ReplaceByRequest
        | ActionReason::ReplaceByTriggers
        | ActionReason::ForgotBecauseLifecycleDestroyInConfig
        | ActionReason::ForgotBecauseLifecycleDestroyInState => return None,
    })
}

/// Why a data source can't be read yet.
fn why_read(change: &ResourceInstanceChange) -> Option<&'static str> {
    match change.reason? {
        ActionReason::ReadBecauseConfigUnknown => Some("config refers to values not yet known"),
        ActionReason::ReadBecauseDependencyPending => {
            Some("depends on a resource or a module with changes pending")
        }
        ActionReason::ReadBecauseCheckNested => {
            Some("config will be reloaded to verify a check block")
        }
        _ => None,
    }
}

/// The lines of the outputs that change.
fn outputs(plan: &Plan, style: Style, budget: &OutputBudget) -> String {
    let mut changed: Vec<(&str, Diff)> = Vec::new();
    for output in plan.output_changes() {
        let marked = |value: &Value| match output.is_sensitive {
            true => value.mark(Mark::Sensitive),
            false => value.clone(),
        };
        let diff = diff::of_values(&marked(&output.before), &marked(&output.after));
        changed.push((&output.name, diff));
    }
    let width = changed
        .iter()
        .map(|(name, _)| name.len())
        .max()
        .unwrap_or_default();
    changed.retain(|(_, diff)| diff.action != Action::NoOp);
    let line = |(name, diff): &(&str, Diff)| {
        let depth = 0;
        if budget.is_full() {
            return String::new();
        }
        let value = printed(diff, PrintMode::default(), style, budget);
        let printer = Printer {
            style,
            depth,
            budget,
        };
        printer.line(diff.action, &format!("{} = {value}", padded(name, width)))
    };
    changed.iter().map(line).collect()
}
