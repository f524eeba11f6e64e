//! A plan as the text of `pulumi preview --diff`.
//!
//! Source: `pkg/backend/display/diff.go` and `object_diff.go` of Pulumi's engine.

mod difference;
mod lines;
mod printer;

use std::collections::HashMap;

use crate::json::UNKNOWN;
use crate::path::Path;
use crate::plan::{NewResource, Plan, Step};
use crate::preview::is_shown;
use crate::state::OldResource;
use crate::step::Op;
use crate::urn::{STACK_TYPE, Urn};
use crate::value::{Object, Value};

use difference::{Difference, Differing};
use printer::{Mark, Printer};

/// The text. Secrets are masked.
pub fn text(plan: &Plan) -> String {
    let mut text = String::new();
    refresh(&mut text, plan);
    let mut depths: HashMap<&Urn, usize> = HashMap::new();
    for step in &plan.steps {
        shown(&mut text, step, &mut depths);
    }
    stack_outputs(&mut text, plan);
    summary(&mut text, plan);
    text
}

/// The objects that were changed or deleted outside. Unchanged objects count as levels, too.
fn refresh(text: &mut String, plan: &Plan) {
    let Some((stored, changes)) = &plan.refreshed else {
        return;
    };
    let mut depths: HashMap<&Urn, usize> = HashMap::new();
    for old in &stored.resources {
        let depth = old.parent.as_ref().and_then(|it| depths.get(it));
        let depth = depth.map_or(0, |it| it + 1);
        depths.insert(&old.urn, depth);
        let change = changes.get(&old.urn);
        if change.is_none() && old.urn.type_name() != STACK_TYPE {
            continue;
        }
        let lock = if old.is_protected { " 🔒" } else { "" };
        let title = format!("~ {}: (refresh){lock}", old.urn.type_name());
        head(text, &title, &old.id, &old.urn, depth);
        provider(text, Some(&old.provider), None, depth + 1);
        if let Some(change) = change {
            let after = change.after.clone().unwrap_or_default();
            outputs_of(text, Op::Update, Some(&old.outputs), &after, depth + 1);
        }
    }
}

/// Longer texts of one resource are cut.
const LONG: usize = 32 << 10;

/// The lines of one resource, as an editor shows them.
pub fn step(step: &Step) -> String {
    let mut text = String::new();
    resource(&mut text, step, 0);
    let whole = text.trim_end();
    let cut = whole.get(..whole.floor_char_boundary(LONG));
    match cut.and_then(|it| it.rsplit_once('\n')) {
        Some((shown, _)) if whole.len() > LONG => format!("{shown}\n..."),
        _ => whole.to_owned(),
    }
}

/// `depths`: those of the children of the resources so far.
fn shown<'a>(text: &mut String, step: &'a Step, depths: &mut HashMap<&'a Urn, usize>) {
    let depth = parent(step).and_then(|it| depths.get(it)).copied();
    let depth = depth.unwrap_or_default();
    depths.insert(&step.urn, depth + usize::from(has_level(step)));
    if !is_printed(step) {
        return;
    }
    resource(text, step, depth);
    let outputs = step.new.as_ref().and_then(|it| it.outputs.as_ref());
    if let (Op::Read, Some(outputs), Some(new)) = (step.op, outputs, &step.new) {
        let is_given = |key: &String| {
            new.inputs
                .get(key)
                .is_some_and(|it| outputs.get(key) == Some(it))
        };
        let only_read = |all: &Object| -> Object {
            let all = all.iter().filter(|(key, _)| !is_given(key));
            all.map(|(key, it)| (key.clone(), it.clone())).collect()
        };
        let old = step.old.as_ref().map(|it| only_read(&it.outputs));
        outputs_of(text, step.op, old.as_ref(), &only_read(outputs), depth + 1);
    }
}

fn is_printed(step: &Step) -> bool {
    is_shown(step) && step.is_planned()
}

/// Whether its children stand below it. The others stand beside it, below the nearest parent that is shown.
fn has_level(step: &Step) -> bool {
    // The engine shows the last of several steps of one resource, which is hidden where the old one goes first: then nothing
    // is known of the new one yet.
    let is_created_first = step.new.as_ref().is_some_and(|it| it.outputs.is_some());
    let is_hidden = matches!(step.op, Op::Replace { .. }) && !is_created_first;
    is_printed(step) && !is_hidden
}

fn parent(step: &Step) -> Option<&Urn> {
    match (&step.new, &step.old) {
        (Some(new), _) => new.parent.as_ref(),
        (None, Some(old)) => old.parent.as_ref(),
        (None, None) => None,
    }
}

fn mark(op: Op) -> &'static str {
    match op {
        Op::Same => "  ",
        Op::Create => "+ ",
        Op::Update => "~ ",
        Op::Replace { .. } => "+-",
        Op::Delete => "- ",
        Op::Read => "> ",
        Op::Discard => "< ",
        Op::Import => "= ",
    }
}

fn resource(text: &mut String, step: &Step, depth: usize) {
    let type_name = step.urn.type_name();
    let was_locked = step.old.as_ref().is_some_and(|it| it.is_protected);
    let lock = match step.new.as_ref().map(|it| it.is_protected) {
        Some(false) if was_locked => " 🔓",
        Some(true) => " 🔒",
        None if was_locked => " 🔒",
        Some(false) | None => "",
    };
    let is_retained = step.old.as_ref().is_some_and(|it| it.is_retained_on_delete)
        && matches!(step.op, Op::Delete | Op::Replace { .. });
    let retained = if is_retained { "[retain]" } else { "" };
    let title = format!(
        "{}{type_name}: ({}{retained}){lock}",
        mark(step.op),
        step.op.name()
    );
    let id = step.old.as_ref().map(|old| old.id.as_str());
    head(text, &title, id.unwrap_or_default(), &step.urn, depth);
    let old = step.old.as_ref().map(|it| it.provider.as_str());
    let new = step.new.as_ref().map(|it| it.provider.as_str());
    provider(text, old, new, depth + 1);
    details(text, step, depth + 1);
}

fn head(text: &mut String, title: &str, id: &str, urn: &Urn, depth: usize) {
    let indent = "    ".repeat(depth);
    text.push_str(&format!("{indent}{title}\n"));
    if !id.is_empty() {
        text.push_str(&format!("{indent}    [id={id}]\n"));
    }
    text.push_str(&format!("{indent}    [urn={urn}]\n"));
}

/// The default provider goes without saying.
fn provider(text: &mut String, old: Option<&str>, new: Option<&str>, indent: usize) {
    let inner = "    ".repeat(indent);
    let of_step = new.or(old).unwrap_or_default();
    if of_step.is_empty() {
        return;
    }
    match (old, new) {
        (Some(old), Some(new)) if old != new => {
            let new = new.replace(UNKNOWN, "[unknown]");
            text.push_str(&format!("{inner}[provider: {old} => {new}]\n"));
        }
        _ => {
            let urn = of_step.rsplit_once("::").map_or(of_step, |(urn, _)| urn);
            if !urn.ends_with("::default") {
                text.push_str(&format!("{inner}[provider={of_step}]\n"));
            }
        }
    }
}

fn details(text: &mut String, step: &Step, indent: usize) {
    let mut printer = Printer::new(text, indent);
    match (step.op, &step.old, &step.new) {
        (Op::Same, ..) | (_, None, None) => {}
        (_, None, Some(new)) => printer.object(&new.inputs),
        (_, Some(old), None) | (Op::Import, Some(old), _) => printer.object(&old.inputs),
        (Op::Read | Op::Discard, Some(old), Some(new)) => {
            differing(&mut printer, &old.inputs, &new.inputs, &[], &new.hide_diffs);
        }
        (_, Some(old), Some(new)) => changes(&mut printer, step, old, new),
    }
}

/// The differences: by the provider's details, or else between the known outputs, or between the inputs.
fn changes(printer: &mut Printer<'_>, step: &Step, old: &OldResource, new: &NewResource) {
    if let Some(detailed) = &step.detailed {
        let (difference, hidden) = Difference::detailed(
            detailed,
            &old.inputs,
            &old.outputs,
            &new.inputs,
            &hidden(&new.hide_diffs),
        );
        return match (difference, hidden.is_empty()) {
            (Some(difference), _) => printer.differences(&difference, &[], &hidden),
            (None, _) => printer.marked(Mark::Same).object(&old.inputs),
        };
    }
    match new.outputs.as_ref().filter(|it| !it.is_empty()) {
        Some(outputs) => {
            // Unknown parts of secret outputs are secret, too.
            let mut outputs = outputs.clone();
            for (key, value) in &mut outputs {
                if new.additional_secret_outputs.contains(key) {
                    *value = Value::secret(std::mem::take(value));
                }
            }
            differing(printer, &old.outputs, &outputs, &[], &new.hide_diffs);
        }
        None => differing(
            printer,
            &old.inputs,
            &new.inputs,
            &step.diff_keys,
            &new.hide_diffs,
        ),
    }
}

fn hidden(paths: &[String]) -> Vec<Path> {
    let paths = paths.iter().filter_map(|it| Path::parse(it).ok());
    paths.collect()
}

/// Two objects beside each other; only `keys`, if there are any.
fn differing(
    printer: &mut Printer<'_>,
    old: &Object,
    new: &Object,
    keys: &[String],
    hide: &[String],
) {
    let mut differing = Differing::hiding(hidden(hide));
    let difference = differing.objects(old, new, &Path(Vec::new()));
    let hidden = differing.hidden();
    match difference {
        Some(difference) => printer.differences(&difference, keys, &hidden),
        None if !hidden.is_empty() => printer.differences(&Difference::default(), keys, &hidden),
        None => printer.marked(Mark::Same).object(new),
    }
}

/// The outputs of the stack that differ from before.
pub fn outputs(plan: &Plan) -> String {
    let mut text = String::new();
    stack_outputs(&mut text, plan);
    text
}

/// The outputs of the stack.
fn stack_outputs(text: &mut String, plan: &Plan) {
    let is_stack = |step: &&std::sync::Arc<Step>| step.urn.type_name() == STACK_TYPE;
    if let Some(stack) = plan.steps.iter().find(is_stack) {
        let old = stack.old.as_ref().map(|it| &it.outputs);
        // A program that failed did not come to the others.
        let reached = old.filter(|_| plan.has_errors()).map(|old| {
            let mut reached = old.clone();
            reached.retain(|name, _| plan.outputs.contains_key(name));
            reached
        });
        outputs_of(text, stack.op, reached.as_ref().or(old), &plan.outputs, 1);
    }
}

/// Those that differ from before, or all if there were none.
fn outputs_of(text: &mut String, op: Op, old: Option<&Object>, outputs: &Object, indent: usize) {
    let mut inner = String::new();
    let mut printer = Printer::new(&mut inner, indent);
    match old {
        None => printer.outputs(outputs),
        Some(old) => {
            let difference = Differing::default().objects(old, outputs, &Path(Vec::new()));
            let difference = match op {
                // Values that are not known yet are not printed.
                Op::Same => difference.map(Difference::without_unknown_updates),
                _ => difference,
            };
            if let Some(difference) = difference {
                printer.changed(&difference);
            }
        }
    }
    if !inner.is_empty() {
        text.push_str(&format!("{}--outputs:--\n{inner}", "    ".repeat(indent)));
    }
}

fn summary(text: &mut String, plan: &Plan) {
    text.push_str("Resources:\n");
    let counts = plan.counts();
    let replace = Op::Replace {
        deletes_first: false,
    };
    let (mut changes, mut kinds) = (0, 0);
    for op in [Op::Create, Op::Update, Op::Delete, replace, Op::Import] {
        if let Some(count) = counts.get(&op) {
            text.push_str(&format!("    {}{count} to {}\n", mark(op), op.name()));
            changes += count;
            kinds += 1;
        }
    }
    let unchanged = counts
        .get(&Op::Same)
        .map(|count| format!("{count} unchanged"));
    let changes = (kinds > 1).then(|| format!("{changes} changes"));
    let unplanned = plan.steps.iter().filter(|step| !step.is_planned()).count();
    let unplanned = (unplanned > 0).then(|| format!("{unplanned} not planned"));
    let parts = [changes, unchanged, unplanned].into_iter().flatten();
    let parts: Vec<String> = parts.collect();
    if !parts.is_empty() {
        text.push_str(&format!("    {}\n", parts.join(". ")));
    }
}
