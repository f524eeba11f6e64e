//! `textDocument/codeAction` and `codeAction/resolve`

use std::path::Path;

use ide::{Action, ActionKind, Command, DiskFiles, Effect, Intent, OfferedRefactoring, Selection};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use text::{Edits, FileId, TextRange};
use tower_lsp_server::jsonrpc::{Error, Id};
use tower_lsp_server::ls_types::{CodeAction, CodeActionKind, CodeActionOptions};

use crate::context::RequestContext;
use crate::convert::{Convert, file_id, uri};
use crate::event::Reply;
use crate::params::{DocumentId, Range};
use crate::shown::title;
use crate::state::State;

pub(crate) fn options() -> CodeActionOptions {
    let kind = |kind: ActionKind| CodeActionKind::from(kind.name().to_string());
    CodeActionOptions {
        code_action_kinds: Some(ActionKind::ALL.map(kind).to_vec()),
        resolve_provider: Some(true),
        ..CodeActionOptions::default()
    }
}

#[derive(Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Params {
    text_document: DocumentId,
    range: Range,
    #[serde(default)]
    context: RequestedKinds,
}

#[derive(Deserialize, Debug, Default)]
struct RequestedKinds {
    only: Option<Vec<String>>,
}

/// The data of an action without an edit, so that the edit can be made when it is chosen.
#[derive(Serialize, Deserialize)]
struct Data {
    uri: String,
    kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    refactoring: Option<Refactoring>,
}

/// The kind and place of an edit to be made, and the version of the document.
#[derive(Serialize, Deserialize)]
struct Refactoring {
    what: OfferedRefactoring,
    start: u32,
    end: u32,
    version: i32,
}

pub(crate) fn answer(context: &RequestContext, params: Params) -> Option<Vec<Value>> {
    let snapshot = &context.snapshot;
    if !snapshot.settings().enable.diagnostics {
        return None;
    }
    let document_uri = params.text_document.uri;
    let file = file_id(&document_uri);
    let convert = Convert::new(snapshot.file(&file)?.document(), &context.capabilities);
    let only = params.context.only;
    let is_wanted = |kind: ActionKind| match &only {
        Some(only) => only.iter().any(|name| kind.is_a(name)),
        // An action on the whole file is offered to those who ask for it.
        None => kind != ActionKind::FixAll,
    };
    let range = convert.text_range(params.range);
    let answers = context.answers();
    let actions = answers.actions(&file, range, &DiskFiles, &is_wanted);
    let asked = ActionRequest {
        context,
        convert: &convert,
        file: &file,
        uri: &document_uri,
        range,
    };
    let actions = actions.into_iter();
    Some(
        actions
            .filter_map(|action| converted(&asked, action))
            .collect(),
    )
}

/// An action that is chosen, with its edit.
pub(crate) fn resolve(context: &RequestContext, mut action: CodeAction) -> Value {
    let data = action.data.take();
    let mut action = json!(action);
    if let Ok(data) = serde_json::from_value::<Data>(data.unwrap_or_default())
        && let Some(kind) = ActionKind::ALL
            .into_iter()
            .find(|kind| kind.name() == data.kind)
        && let Some(edits) = context.snapshot.resolve_action(&file_id(&data.uri), kind)
    {
        action["edit"] = edit(context, &data.uri, &edits);
    }
    action
}

/// Whether an action is made by the planner.
pub(crate) fn is_refactoring(action: &Value) -> bool {
    !action["data"]["refactoring"].is_null()
}

impl State {
    /// Makes the refactoring of an action, with the result of its plan in the title.
    pub(crate) fn resolve_refactoring(&mut self, id: Id, mut action: Value, reply: Reply) {
        let context = self.context();
        let made = self.refactoring();
        self.answer_later(id, reply, async move {
            let data = serde_json::from_value::<Data>(action["data"].clone()).ok();
            let wanted = data.and_then(|data| Some((data.uri, data.refactoring?)));
            let (uri, wanted) = wanted.ok_or_else(|| Error::invalid_params("not our data"))?;
            let file = file_id(&uri);
            let snapshot = context.snapshot.clone();
            let open = snapshot.file(&file).map(|it| it.document().version);
            if open != Some(wanted.version) {
                return Err(Error::content_modified());
            }
            let range = TextRange::new(wanted.start.into(), wanted.end.into());
            let place = Selection {
                snapshot,
                file,
                range,
            };
            let refactored = made(place, Intent::OfferedRefactoring(wanted.what)).await?;
            let titled = format!("{}: {}", refactored.title, refactored.proof);
            action["title"] = title(&titled).into();
            action["edit"] = context.refactoring(&refactored, &uri);
            Ok(action)
        });
    }
}

/// Where actions were asked for.
struct ActionRequest<'a> {
    context: &'a RequestContext,
    convert: &'a Convert<'a>,
    file: &'a FileId,
    uri: &'a str,
    range: TextRange,
}

fn converted(asked: &ActionRequest<'_>, action: Action) -> Option<Value> {
    let context = asked.context;
    let mut json = json!({ "title": title(&action.title), "kind": action.kind.name() });
    if action.is_preferred {
        json["isPreferred"] = true.into();
    }
    if !action.fixes.is_empty() {
        let fixes = action.fixes.into_iter();
        let fixes = fixes.map(|it| asked.convert.diagnostic(it, &context.snapshot));
        json["diagnostics"] = serde_json::to_value(fixes.collect::<Vec<_>>()).ok()?;
    }
    let data = |refactoring| Data {
        uri: asked.uri.to_string(),
        kind: action.kind.name().to_string(),
        refactoring,
    };
    let resolves = context.capabilities.edits.resolves_actions;
    let edits = match action.effect {
        Effect::Edit(edits) => edits,
        Effect::Later if resolves => {
            json["data"] = serde_json::to_value(data(None)).ok()?;
            return Some(json);
        }
        Effect::Later => context.snapshot.resolve_action(asked.file, action.kind)?,
        // It takes a plan, so it isn't made before it is chosen.
        Effect::Refactoring(_) if !resolves => return None,
        Effect::Refactoring(what) => {
            let refactoring = Refactoring {
                what,
                start: asked.range.start().into(),
                end: asked.range.end().into(),
                version: context.snapshot.file(asked.file)?.document().version,
            };
            json["data"] = serde_json::to_value(data(Some(refactoring))).ok()?;
            return Some(json);
        }
        Effect::Command(it, dir) => {
            let folder = folder(&dir)?;
            json["command"] = command(&json["title"], it.name(), folder.into());
            return Some(json);
        }
        Effect::Environment(name) => {
            let choice = json!({ "textDocument": { "uri": asked.uri }, "environment": name });
            json["command"] = command(&json["title"], Command::SetEnvironment.name(), choice);
            return Some(json);
        }
        Effect::Setting(..) if !context.capabilities.writes_settings => return None,
        Effect::Setting(root, variable) => {
            let about = json!({ "folder": folder(&root)?, "variable": variable.as_str() });
            json["command"] = command(&json["title"], SET_VARIABLE, about);
            return Some(json);
        }
    };
    json["edit"] = edit(context, asked.uri, &edits);
    Some(json)
}

/// A command of the client: asks for the value of a variable, and keeps it in the settings of the workspace.
pub(crate) const SET_VARIABLE: &str = "planlens.setVariable";

fn command(title: &Value, name: &str, argument: Value) -> Value {
    json!({ "title": title, "command": name, "arguments": [argument] })
}

fn folder(dir: &Path) -> Option<String> {
    Some(uri(&FileId::new(dir.to_string_lossy()))?.to_string())
}

fn edit(context: &RequestContext, document_uri: &str, edits: &Edits) -> Value {
    let text = |file: &FileId| context.snapshot.text_or_read(file, &DiskFiles);
    context.workspace_edit(edits, &text, document_uri, None)
}
