//! `textDocument/completion` and `completionItem/resolve`

use ide::{Completion, CompletionKind, Documented};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tower_lsp_server::ls_types::{
    Command, CompletionItem, CompletionItemKind, CompletionItemTag, CompletionList,
    CompletionOptions, CompletionTextEdit, InsertTextFormat, Range, TextEdit,
};

use crate::context::RequestContext;
use crate::convert::{Convert, file_id};
use crate::params::{AtPosition, Point};
use crate::shown::{documentation, title};

pub(crate) fn options() -> CompletionOptions {
    CompletionOptions {
        resolve_provider: Some(true),
        trigger_characters: Some([".", "[", "\"", "{", "(", "/"].map(str::to_owned).to_vec()),
        ..CompletionOptions::default()
    }
}

/// Where an item comes from: its documentation is made when the editor asks for it. It is sent as one text, as there
/// may be thousands.
#[derive(Serialize, Deserialize)]
struct Origin {
    uri: String,
    at: Point,
}

/// A list with what most of its items have in common.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct List {
    #[serde(flatten)]
    list: CompletionList,
    #[serde(skip_serializing_if = "Option::is_none")]
    item_defaults: Option<ItemDefaults>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ItemDefaults {
    edit_range: Range,
    data: Value,
}

pub(crate) fn answer(context: &RequestContext, params: AtPosition) -> Option<List> {
    let snapshot = &context.snapshot;
    if !snapshot.settings().enable.completion {
        return None;
    }
    let file = file_id(&params.text_document.uri);
    let convert = Convert::new(snapshot.file(&file)?.document(), &context.capabilities);
    let client = &context.capabilities.completion;
    let documented = match client.resolves_documentation {
        true => Documented::Later,
        false => Documented::All,
    };
    let offset = convert.offset(params.position);
    let inputs = context.completion_inputs(&file, documented);
    let completions = context.answers().completions(&file, offset, inputs);
    let origin = Origin {
        uri: params.text_document.uri,
        at: params.position,
    };
    let origin = serde_json::to_string(&origin).map(Value::from).ok()?;
    let first = completions.items.first().map(|item| item.range);
    let range = first.filter(|_| client.has_defaults);
    let items = completions.items.into_iter().map(|mut item| {
        let text = std::mem::take(&mut item.documentation);
        let is_common = range == Some(item.range);
        let mut item = convert.completion(item, is_common);
        match client.resolves_documentation {
            true => item.data = range.is_none().then(|| origin.clone()),
            false => item.documentation = documentation(&text, client.format),
        }
        item
    });
    Some(List {
        list: CompletionList {
            is_incomplete: completions.is_incomplete,
            items: items.collect(),
        },
        item_defaults: range.map(|range| ItemDefaults {
            edit_range: convert.range(range),
            data: origin,
        }),
    })
}

pub(crate) fn resolve(context: &RequestContext, mut item: CompletionItem) -> CompletionItem {
    let data = item.data.as_ref().and_then(Value::as_str);
    let Some(Origin { uri, at }) = data.and_then(|data| serde_json::from_str(data).ok()) else {
        return item;
    };
    let file = file_id(&uri);
    if let Some(source) = context.snapshot.file(&file) {
        let convert = Convert::new(source.document(), &context.capabilities);
        let inputs = context.completion_inputs(&file, Documented::Only(&item.label));
        let completions = context
            .answers()
            .completions(&file, convert.offset(at), inputs);
        let is_same =
            |it: &&Completion| title(&it.label) == item.label && Some(kind(it.kind)) == item.kind;
        let format = context.capabilities.completion.format;
        let found = completions.items.iter().find(is_same);
        item.documentation = found.and_then(|it| documentation(&it.documentation, format));
    }
    item
}

impl Convert<'_> {
    /// `is_common`: its range is that of the list.
    fn completion(&self, item: Completion, is_common: bool) -> CompletionItem {
        let client = &self.client().completion;
        let is_snippet = client.snippets && item.snippet.contains('$');
        let new_text = match is_snippet {
            true => item.snippet.clone(),
            false => ide::snippet_as_text(&item.snippet),
        };
        // Editors put small edits before others with the same beginning: the rank decides the order.
        let sort_text = Some(format!("{}{}", item.rank, item.label));
        // What replaces the range of the list is the label, unless the item says its own edit.
        let label = title(&item.label);
        let has_edit = !is_common || new_text != label;
        let text_edit = has_edit.then(|| {
            let range = self.range(item.range);
            CompletionTextEdit::Edit(TextEdit { range, new_text })
        });
        let has_other_text = item.snippet.starts_with(['"', '[']) || label != item.label;
        let filter_text = has_other_text.then_some(item.label);
        let command = (item.asks_again && client.triggers_suggestions).then(|| Command {
            title: "Suggest".to_owned(),
            command: "editor.action.triggerSuggest".to_owned(),
            arguments: None,
        });
        CompletionItem {
            kind: Some(kind(item.kind)),
            detail: item.detail.as_deref().map(title),
            sort_text,
            filter_text,
            insert_text_format: is_snippet.then_some(InsertTextFormat::SNIPPET),
            text_edit,
            tags: (item.is_deprecated && client.tags).then(|| vec![CompletionItemTag::DEPRECATED]),
            label,
            command,
            ..CompletionItem::default()
        }
    }
}

fn kind(kind: CompletionKind) -> CompletionItemKind {
    match kind {
        CompletionKind::Argument => CompletionItemKind::PROPERTY,
        CompletionKind::Block => CompletionItemKind::STRUCT,
        CompletionKind::Type => CompletionItemKind::CLASS,
        CompletionKind::Variable | CompletionKind::Local => CompletionItemKind::VARIABLE,
        CompletionKind::Resource => CompletionItemKind::REFERENCE,
        CompletionKind::Module => CompletionItemKind::MODULE,
        CompletionKind::Function => CompletionItemKind::FUNCTION,
        CompletionKind::Keyword => CompletionItemKind::KEYWORD,
        CompletionKind::Literal => CompletionItemKind::ENUM_MEMBER,
        CompletionKind::Member => CompletionItemKind::FIELD,
        CompletionKind::Provider => CompletionItemKind::INTERFACE,
        CompletionKind::File => CompletionItemKind::FILE,
    }
}
