//! The plan beside the text: `workspace/textDocumentContent` for `planlens-plan:` documents, the request
//! `planlens/plan`, and the notification `planlens/status`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use ide::{
    ChangedAttribute, CountedPlans, ListedChange, ListedGuess, PlanState, PlanSummary, ValueText,
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::client::Question;
use crate::context::RequestContext;
use crate::convert::file_id;
use crate::navigation::Places;
use crate::shown::{shown, title};
use crate::state::State;

/// The scheme of plan documents: `planlens-plan:FOLDER/NAME.planlens-plan`.
pub(crate) const SCHEME: &str = "planlens-plan";

#[derive(Deserialize)]
pub(crate) struct Content {
    uri: String,
}

/// Which folder's plan; of all of them where none is named.
#[derive(Deserialize)]
pub(crate) struct Folder {
    #[serde(default)]
    folder: Option<String>,
}

/// The messages and requests of clients so far.
#[derive(Default)]
pub(crate) struct PlanView {
    sent: Vec<PlanSummary>,
    counted: CountedPlans,
    /// Plan documents that the client has read.
    documents: BTreeSet<String>,
}

pub(crate) fn content(context: &RequestContext, params: Content) -> Value {
    let text = folder_of(&params.uri).and_then(|folder| context.snapshot.plan_document(&folder));
    let text = text.unwrap_or_else(|| "# Nothing is planned here yet.\n".to_owned());
    json!({ "text": shown(&text) })
}

/// The folder in a plan document's URI.
fn folder_of(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix(SCHEME)?.strip_prefix(':')?;
    let path = file_id(&format!("file://{}", rest.trim_start_matches("//")));
    Path::new(path.path()).parent().map(Path::to_owned)
}

/// The plans with all their changes.
pub(crate) fn plans(context: &RequestContext, params: Folder) -> Value {
    let folder = params
        .folder
        .as_deref()
        .map(|uri| PathBuf::from(file_id(uri).path()));
    let summaries = context.snapshot.plan_summaries();
    let wanted = summaries
        .iter()
        .filter(|it| folder.as_ref().is_none_or(|folder| *folder == it.folder));
    let mut places = Places::new(context);
    let plans = wanted.map(|summary| {
        let changes = context.snapshot.planned_changes(&summary.folder);
        let changes: Vec<Value> = changes.iter().map(|it| change(&mut places, it)).collect();
        let mut value = summary_value(summary);
        value["changes"] = changes.into();
        let outputs = context.snapshot.output_changes(&summary.folder);
        value["outputChanges"] = shown(&outputs).into();
        let guesses = context.snapshot.guesses(&summary.folder);
        let guesses = guesses.iter().map(|it| guess(&mut places, it));
        value["guessed"] = guesses.collect();
        value
    });
    json!({ "plans": plans.collect::<Vec<_>>() })
}

fn change(places: &mut Places<'_>, change: &ListedChange) -> Value {
    json!({
        "address": title(&change.address),
        "object": title(&change.object),
        "actions": change.kind.steps(),
        "symbol": change.kind.symbol(),
        "reason": change.reason,
        "diff": shown(&change.diff),
        "attributes": change.attributes.iter().map(attribute).collect::<Vec<_>>(),
        "location": change.location.as_ref().and_then(|it| places.location(it)),
    })
}

fn attribute(attribute: &ChangedAttribute) -> Value {
    let value = |it: &Option<ValueText>| it.as_ref().map(|it| title(&it.to_string()));
    json!({
        "path": title(&attribute.path),
        "before": value(&attribute.before),
        "after": value(&attribute.after),
        "isUnknown": attribute.is_unknown(),
        "forcesReplacement": attribute.forces_replacement,
    })
}

fn guess(places: &mut Places<'_>, guess: &ListedGuess) -> Value {
    json!({
        "address": title(&guess.address),
        "why": shown(&guess.why),
        "cure": guess.cure.map(|cure| cure.name()),
        "location": guess.location.as_ref().and_then(|it| places.location(it)),
    })
}

fn summary_value(summary: &PlanSummary) -> Value {
    let folder = crate::convert::uri(&text::FileId::new(summary.folder.to_string_lossy()));
    let (counts, about) = (summary.counts, &summary.about);
    json!({
        "folder": folder.map(|uri| uri.to_string()),
        "isRoot": about.is_root,
        "state": match summary.state {
            PlanState::Fresh => "fresh",
            PlanState::Stale => "stale",
            PlanState::Off => "off",
        },
        "add": counts.add,
        "change": counts.change,
        "destroy": counts.destroy,
        "replace": counts.replace,
        "guesses": about.guesses,
        "errors": about.errors,
        "read": titles(&about.read),
        "whatIf": titles(&about.what_if),
        "environment": about.environment.as_deref().map(title),
        "workspace": title(&about.workspace),
        "caller": about.caller.as_deref().map(title),
        "unset": about.unset,
        "stateUnread": about.is_state_unread,
    })
}

fn titles(texts: &[String]) -> Vec<String> {
    texts.iter().map(|text| title(text)).collect()
}

impl State {
    /// Remembers that the client shows a plan document, to tell it when there is another text.
    pub(crate) fn plan_document_is_read(&mut self, params: &Value) {
        if let Some(uri) = params["uri"].as_str() {
            self.plan_view.documents.insert(uri.to_owned());
        }
    }

    /// Sends the status of the plans if it changed.
    pub(crate) fn send_plan_status(&mut self) {
        let is_wanted = self.capabilities.plan_status || !self.plan_view.documents.is_empty();
        if !is_wanted || self.client.is_behind() {
            return;
        }
        let snapshot = self.snapshot();
        let summaries = snapshot.plan_summaries_beside(&mut self.plan_view.counted);
        if summaries == self.plan_view.sent {
            return;
        }
        if self.capabilities.plan_status {
            let plans: Vec<Value> = summaries.iter().map(summary_value).collect();
            self.client
                .notify("planlens/status", json!({ "plans": plans }));
        }
        self.plan_view.sent = summaries;
    }

    /// The plan changed: so did the documents that show it.
    pub(crate) fn refresh_plan_documents(&mut self) {
        for uri in &self.plan_view.documents {
            let method = "workspace/textDocumentContent/refresh";
            self.client
                .ask(method, json!({ "uri": uri }), Question::Courtesy);
        }
    }
}
