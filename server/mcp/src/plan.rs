//! `plan` and `compare`: the effect of a configuration, and the effect of an edit on the plan.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use change::{ChangeKind, Proof};
use ide::{ChangedAttribute, ListedChange, PlanSummary, Snapshot};
use rmcp::model::CallToolResult;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use text::counted;

use crate::answer::{ListEntry, Page, ToolAnswer, shown};
use crate::session::{CallArguments, PlannedProposal, Session};
use crate::validate::errors;

#[derive(Deserialize)]
pub(crate) struct Plan {
    #[serde(flatten)]
    asked: CallArguments,
    #[serde(flatten)]
    page: Page,
    /// Whether each change is shown as `terraform plan` prints it.
    #[serde(default)]
    details: bool,
}

#[derive(Deserialize)]
pub(crate) struct Compare {
    #[serde(flatten)]
    asked: CallArguments,
    #[serde(flatten)]
    page: Page,
}

/// Guesses and errors that a plan lists; `validate` lists all errors.
const LISTED: usize = 8;

/// Variables without a value that a plan names.
const NAMED: usize = 100;

/// Lines of a change that is shown without its details.
const LINES: usize = 8;

pub(crate) async fn plan(session: &mut Session, asked: Plan) -> anyhow::Result<CallToolResult> {
    let planned = session.planned(&asked.asked).await?;
    let summary = summary(&planned)?;
    let kinds = planned.snapshot.planned_kinds(&planned.dir);
    let order = order(&kinds);
    let (head, data) = head(&planned, &summary);
    let answer = ToolAnswer {
        head,
        data,
        name: "changes",
        count: order.len(),
    };
    Ok(answer.of(asked.page, |range| {
        let changes = some(&planned.snapshot, &planned.dir, &order[range]);
        let entries = changes.iter().map(|it| entry(&planned, it, asked.details));
        entries.collect()
    }))
}

/// Destroyed objects come first, then changed ones, then new ones; each in the order of the plan.
fn order(kinds: &[ChangeKind]) -> Vec<usize> {
    let rank = |kind: ChangeKind| match kind {
        ChangeKind::Delete => 0,
        ChangeKind::Forget => 2,
        ChangeKind::Update => 3,
        ChangeKind::Create => 4,
        ChangeKind::Import | ChangeKind::Refresh => 5,
        ChangeKind::Read | ChangeKind::NoOp => 6,
        ChangeKind::DeleteThenCreate
        | ChangeKind::CreateThenDelete
        | ChangeKind::ForgetThenCreate => 1,
    };
    let mut order: Vec<usize> = (0..kinds.len()).collect();
    order.sort_by_key(|number| rank(kinds[*number]));
    order
}

/// The changes of these numbers, in this order.
fn some(snapshot: &Snapshot, dir: &Path, numbers: &[usize]) -> Vec<ListedChange> {
    let changes = snapshot.some_planned_changes(dir, &|it| numbers.contains(&it));
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable();
    let mut by_number: BTreeMap<usize, ListedChange> = sorted.into_iter().zip(changes).collect();
    numbers
        .iter()
        .filter_map(|it| by_number.remove(it))
        .collect()
}

pub(crate) fn summary(planned: &PlannedProposal) -> anyhow::Result<PlanSummary> {
    let summaries = planned.snapshot.plan_summaries().into_iter();
    let mut summaries = summaries.filter(|it| it.folder == planned.dir);
    let summary = summaries.next();
    summary.ok_or_else(|| anyhow::anyhow!("nothing in this folder can be planned"))
}

/// The lines about the plan as a whole.
pub(crate) fn head(
    planned: &PlannedProposal,
    summary: &PlanSummary,
) -> (String, Map<String, Value>) {
    let (counts, about) = (summary.counts, &summary.about);
    let name = planned.dir.strip_prefix(&planned.workspace).ok();
    let name = name.filter(|it| !it.as_os_str().is_empty());
    let name = name.map_or(".".into(), |it| it.to_string_lossy());
    let of = match planned.proposed.is_empty() {
        true => "the saved text",
        false => "the proposed text, which is not written",
    };
    let replaced = match counts.replace {
        0 => String::new(),
        count => format!(" ({count} of them replaced)"),
    };
    let mut text = format!(
        "Plan of {name} with {of}: {} to add, {} to change, {} to destroy{replaced}.\n",
        counts.add, counts.change, counts.destroy
    );
    let mut data = Map::new();
    for (key, count) in [
        ("add", counts.add),
        ("change", counts.change),
        ("destroy", counts.destroy),
        ("replace", counts.replace),
    ] {
        data.insert(key.to_owned(), count.into());
    }
    if about.is_state_unread {
        text += "The state was not read, so objects that are shown as created may already exist.\n";
        data.insert("stateUnread".to_owned(), true.into());
    }
    if !about.unset.is_empty() {
        let unset = about.unset.iter().take(NAMED);
        let names: Vec<String> = unset.clone().map(|it| format!("var.{it}")).collect();
        let _ = writeln!(
            text,
            "No value for {}{}: dependent values are unknown. Pass values in \"variables\".",
            names.join(", "),
            match about.unset.len() - names.len() {
                0 => String::new(),
                more => format!(" and {more} more"),
            }
        );
        data.insert("unset".to_owned(), unset.map(|it| it.as_str()).collect());
    }
    if let Some(needed) = &planned.needed {
        let _ = writeln!(text, "{needed}");
        data.insert("needed".to_owned(), needed.as_str().into());
    }
    let (count, errors) = errors(planned, LISTED);
    if count > 0 {
        let _ = writeln!(text, "{}:", counted(count, "error"));
        for error in errors {
            let _ = writeln!(text, "  {}", error.trim_end());
        }
        data.insert("errors".to_owned(), count.into());
    }
    let guesses = planned.snapshot.guesses(&planned.dir);
    if !guesses.is_empty() {
        text += &match guesses.len() {
            1 => "The plan of 1 object is a guess:\n".to_owned(),
            count => format!("The plans of {count} objects are guesses:\n"),
        };
        for guess in guesses.iter().take(LISTED) {
            let _ = writeln!(text, "  {}: {}", guess.address, guess.why);
        }
        data.insert("guesses".to_owned(), guesses.len().into());
    }
    (text, data)
}

/// The action on an object, and its reasons.
pub(crate) fn entry(
    planned: &PlannedProposal,
    change: &ListedChange,
    has_details: bool,
) -> ListEntry {
    let place = change.location.as_ref();
    let place = place.map(|it| planned.place(&it.file, it.range));
    let at = place
        .as_ref()
        .map(|it| format!("  ({it})"))
        .unwrap_or_default();
    let mut text = format!("{} {}{at}\n", change.kind.symbol(), change.address);
    let mut causes = Vec::new();
    for cause in &change.causes {
        let place = cause.location.as_ref();
        let place = place.map(|it| planned.place(&it.file, it.range));
        let at = place
            .as_ref()
            .map(|it| format!("  ({it})"))
            .unwrap_or_default();
        let _ = writeln!(text, "    forces replacement: {}{at}", cause.what);
        causes.push(json!({ "what": shown(&cause.what), "at": place.map(|it| it.data()) }));
    }
    if let Some(why) = &change.why {
        let _ = writeln!(text, "    because {why}");
    }
    let is_told_anyway = change.kind.is_replace() || change.kind == ChangeKind::Update;
    let lines = match is_told_anyway {
        true => changed_lines(&change.attributes),
        false => Vec::new(),
    };
    if has_details {
        let _ = writeln!(text, "{}", change.diff.trim_end());
    } else {
        text.extend(lines.iter().map(|line| format!("    {line}\n")));
    }
    let mut data = json!({
        "address": shown(&change.address),
        "actions": change.kind.steps(),
        "unknown": change.attributes.iter().filter(|it| it.is_unknown()).count(),
    });
    for (key, value) in [
        ("reason", change.reason.map(Value::from)),
        ("why", change.why.as_ref().map(|it| shown(it).into())),
        ("at", place.map(|it| it.data())),
        (
            "causes",
            (!causes.is_empty()).then_some(Value::from(causes)),
        ),
        ("lines", (!lines.is_empty()).then(|| some_of(&lines))),
    ] {
        if let Some(value) = value {
            data[key] = value;
        }
    }
    ListEntry { text, data }
}

/// Lines for data, none of which is long.
fn some_of(lines: &[String]) -> Value {
    const CHARACTERS: usize = 160;
    let line = |it: &String| shown(&it.chars().take(CHARACTERS).collect::<String>());
    lines.iter().map(line).collect::<Vec<_>>().into()
}

/// The first values that differ, each as a line; those that force a replacement come first, those that are known only after apply last.
fn changed_lines(attributes: &[ChangedAttribute]) -> Vec<String> {
    let mut ranked: Vec<&ChangedAttribute> = attributes.iter().collect();
    ranked.sort_by_key(|it| (!it.forces_replacement, it.is_unknown()));
    let listed = ranked.into_iter().take(LINES);
    let mut listed: Vec<String> = listed.map(ToString::to_string).collect();
    if attributes.len() > LINES {
        listed.push(format!("… ({} more values)", attributes.len() - LINES));
    }
    listed
}

/// Characters of the changes of outputs that a comparison has room for.
const LONGEST_OUTPUTS: usize = 3_000;

pub(crate) async fn compare(
    session: &mut Session,
    asked: Compare,
) -> anyhow::Result<CallToolResult> {
    anyhow::ensure!(!asked.asked.edits.is_empty(), "compare needs edits");
    let before = session
        .planned(&CallArguments {
            edits: Vec::new(),
            ..asked.asked.clone()
        })
        .await?;
    let after = session.planned(&asked.asked).await?;
    let compared = Compared::of(&before.snapshot, &after.snapshot, &after.dir);
    let summary = summary(&after)?;
    let (head, mut data) = head(&after, &summary);
    let [former, now] = [&before, &after].map(|it| errors(it, 0).0);
    let new_errors = now.saturating_sub(former);
    let mut text = match compared.0.len() {
        0 => "The edit does not change what happens to any object.\n".to_owned(),
        1 => "The edit changes what happens to 1 object.\n".to_owned(),
        count => format!("The edit changes what happens to {count} objects.\n"),
    };
    if new_errors > 0 {
        let _ = writeln!(text, "It causes {new_errors} more errors.");
    }
    let outputs = [&before, &after].map(|it| it.snapshot.output_changes(&it.dir));
    if outputs[0] != outputs[1] {
        let _ = match outputs[1].as_str() {
            "" => writeln!(text, "With the edit, outputs no longer change."),
            after => {
                let shown: String = after.chars().take(LONGEST_OUTPUTS).collect();
                let rest = if shown == after { "" } else { "…" };
                let shown = shown.trim_end();
                writeln!(
                    text,
                    "Outputs change differently. With the edit:\n{shown}{rest}"
                )
            }
        };
    }
    let is_same = compared.0.is_empty() && new_errors == 0 && outputs[0] == outputs[1];
    data.insert("isSame".to_owned(), is_same.into());
    let answer = ToolAnswer {
        head: text + &head,
        data,
        name: "differences",
        count: compared.0.len(),
    };
    Ok(answer.of(asked.page, |range| {
        let entries = compared.0[range].iter().map(|it| it.entry(&after));
        entries.collect()
    }))
}

/// The difference of two plans.
struct Compared(Vec<Difference>);

struct Difference {
    address: String,
    before: Option<ChangeKind>,
    after: Option<ChangeKind>,
    /// How the second plan changes it.
    change: Option<ListedChange>,
}

impl Compared {
    fn of(before: &Snapshot, after: &Snapshot, dir: &Path) -> Compared {
        let [before, after] = [before, after].map(|it| it.planned_changes(dir));
        let kinds = |changes: &[ListedChange]| {
            let kinds = changes.iter().map(|it| (it.address.clone(), it.kind));
            kinds.collect::<Vec<_>>()
        };
        let proof = Proof::of(
            [
                &mut kinds(&before).into_iter(),
                &mut kinds(&after).into_iter(),
            ],
            |address| address.clone(),
            [&mut std::iter::empty(), &mut std::iter::empty()],
        );
        let former: BTreeMap<&str, &ListedChange> =
            before.iter().map(|it| (it.address.as_str(), it)).collect();
        let mut now: BTreeMap<String, ListedChange> = after
            .into_iter()
            .map(|it| (it.address.clone(), it))
            .collect();
        let mut found: Vec<Difference> = Vec::new();
        for it in proof.differences {
            found.push(Difference {
                change: now.remove(&it.addr),
                address: it.addr,
                before: it.before,
                after: it.after,
            });
        }
        for (address, change) in now {
            let former = former.get(address.as_str());
            if former.is_some_and(|it| it.diff != change.diff) {
                found.push(Difference {
                    address,
                    before: Some(change.kind),
                    after: Some(change.kind),
                    change: Some(change),
                });
            }
        }
        Compared(found)
    }
}

impl Difference {
    fn entry(&self, planned: &PlannedProposal) -> ListEntry {
        let steps = |kind: Option<ChangeKind>| {
            kind.map_or("no change".to_owned(), |it| it.steps().join(", then "))
        };
        let what = match self.before == self.after {
            true => format!("{}, with different values", steps(self.after)),
            false => format!("{} -> {}", steps(self.before), steps(self.after)),
        };
        let mut text = format!("{}: {what}\n", self.address);
        let data_of =
            |kind: Option<ChangeKind>| kind.map_or(json!(["no-op"]), |it| json!(it.steps()));
        let mut data = json!({
            "address": shown(&self.address),
            "before": data_of(self.before),
            "after": data_of(self.after),
        });
        if let Some(change) = &self.change {
            let entry = entry(planned, change, false);
            text += entry.text.split_once('\n').map_or("", |(_, rest)| rest);
            for key in ["causes", "why", "at", "lines"] {
                if !entry.data[key].is_null() {
                    data[key] = entry.data[key].clone();
                }
            }
        }
        ListEntry { text, data }
    }
}
