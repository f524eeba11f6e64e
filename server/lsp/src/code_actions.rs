//! `textDocument/codeAction` and `codeAction/resolve`

use ide::{Action, ActionKind, Effect, FileEdit, WorkspaceEdit};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use text::FileId;
use tower_lsp_server::ls_types::{CodeActionKind, CodeActionOptions};

use crate::convert::{Convert, file_id, uri};
use crate::params::{DocumentId, Range};
use crate::requests::Context;

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
    context: Wanted,
}

#[derive(Deserialize, Debug, Default)]
struct Wanted {
    only: Option<Vec<String>>,
}

/// What an action without an edit carries along, so that the edit can be made when it is chosen.
#[derive(Serialize, Deserialize)]
struct Data {
    uri: String,
    kind: String,
}

pub(crate) fn answer(context: &Context, params: Params) -> Option<Vec<Value>> {
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
        // What works on the whole file is offered to those who ask for it.
        None => kind != ActionKind::FixAll,
    };
    let range = convert.text_range(params.range);
    let actions = snapshot.actions(&file, range, &is_wanted).into_iter();
    let actions =
        actions.filter_map(|action| converted(context, &convert, &file, &document_uri, action));
    Some(actions.collect())
}

/// An action that is chosen, with its edit.
pub(crate) fn resolve(context: &Context, mut action: Value) -> Value {
    if let Ok(data) = serde_json::from_value::<Data>(action["data"].take())
        && let Some(kind) = ActionKind::ALL
            .into_iter()
            .find(|kind| kind.name() == data.kind)
        && let Some(edit) = context.snapshot.resolve_action(&file_id(&data.uri), kind)
        && let Some(edit) = workspace_edit(context, &data.uri, &edit)
    {
        action["edit"] = edit;
    }
    action
}

fn converted(
    context: &Context,
    convert: &Convert<'_>,
    file: &FileId,
    document_uri: &str,
    action: Action,
) -> Option<Value> {
    let mut json = json!({ "title": action.title, "kind": action.kind.name() });
    if action.is_preferred {
        json["isPreferred"] = true.into();
    }
    if !action.fixes.is_empty() {
        let fixes = action.fixes.into_iter();
        let fixes = fixes.map(|it| convert.diagnostic(it, &context.snapshot));
        json["diagnostics"] = serde_json::to_value(fixes.collect::<Vec<_>>()).ok()?;
    }
    let edit = match action.effect {
        Effect::Edit(edit) => edit,
        Effect::Later if context.capabilities.edits.resolves_actions => {
            let kind = action.kind.name().to_string();
            let uri = document_uri.to_string();
            json["data"] = serde_json::to_value(Data { uri, kind }).ok()?;
            return Some(json);
        }
        Effect::Later => context.snapshot.resolve_action(file, action.kind)?,
        Effect::Command(command, dir) => {
            let folder = uri(&FileId::new(dir.to_string_lossy()))?;
            json["command"] = json!({
                "title": json["title"],
                "command": command.name(),
                "arguments": [folder.as_str()],
            });
            return Some(json);
        }
    };
    json["edit"] = workspace_edit(context, document_uri, &edit)?;
    Some(json)
}

/// In the form that the client reads. `None`: it can't be told.
fn workspace_edit(context: &Context, document_uri: &str, edit: &WorkspaceEdit) -> Option<Value> {
    let mut documents = Vec::new();
    let mut changes = Map::new();
    for file in &edit.files {
        let uri = match file.file == file_id(document_uri) {
            // As the client writes it.
            true => document_uri.to_string(),
            false => uri(&file.file)?.as_str().to_string(),
        };
        let edits = text_edits(context, file);
        if context.capabilities.edits.versioned {
            if context.snapshot.text_of(&file.file).is_none() {
                let options = json!({ "ignoreIfExists": true });
                documents.push(json!({ "kind": "create", "uri": uri, "options": options }));
            }
            let document = json!({ "uri": uri, "version": file.version });
            documents.push(json!({ "textDocument": document, "edits": edits }));
        } else {
            changes.insert(uri, edits);
        }
    }
    Some(match context.capabilities.edits.versioned {
        true => json!({ "documentChanges": documents }),
        false => json!({ "changes": changes }),
    })
}

fn text_edits(context: &Context, file: &FileEdit) -> Value {
    let text = context.snapshot.text_of(&file.file).unwrap_or_default();
    let convert = Convert::of_text(&text, &context.capabilities);
    let edits = file.edits.iter();
    let edits = edits.map(|it| json!({ "range": convert.range(it.range), "newText": it.text }));
    edits.collect()
}
