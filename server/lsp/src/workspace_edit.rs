//! Edits in the form that a client takes.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use text::{Edits, FileId, TextRange};

use crate::context::RequestContext;
use crate::convert::{Convert, file_id, uri};
use crate::shown::{shown, title};

/// The description of an edit, for the person who is shown it.
pub(crate) struct Annotation {
    pub(crate) label: String,
    pub(crate) needs_confirmation: bool,
    /// Why it has to be confirmed.
    pub(crate) details: String,
}

/// The id of the annotation in the edits of an answer.
const ANNOTATION: &str = "refactoring";

impl RequestContext {
    /// `text` knows the files that are edited, as they are; a file without a text is left out. The document that was
    /// asked about keeps the URI that the client gave it.
    pub(crate) fn workspace_edit(
        &self,
        edits: &Edits,
        text: &dyn Fn(&FileId) -> Option<Arc<str>>,
        document_uri: &str,
        annotation: Option<&Annotation>,
    ) -> Value {
        let annotation = annotation.filter(|_| self.capabilities.edits.annotated);
        let annotated = |mut json: Value| {
            if annotation.is_some() {
                json["annotationId"] = json!(ANNOTATION);
            }
            json
        };
        let edit = |convert: &Convert<'_>, range: TextRange, text: &str| {
            annotated(json!({ "range": convert.range(range), "newText": text }))
        };
        let mut changes: Vec<(&FileId, bool, Vec<Value>)> = Vec::new();
        for (file, edits) in &edits.files {
            let Some(text) = text(file) else { continue };
            let convert = Convert::of_text(&text, &self.capabilities);
            let edits = edits.iter().map(|it| edit(&convert, it.range, &it.text));
            changes.push((file, false, edits.collect()));
        }
        for (file, text) in &edits.created {
            let convert = Convert::of_text("", &self.capabilities);
            let start = edit(&convert, TextRange::default(), text);
            changes.push((file, true, vec![start]));
        }
        let document = file_id(document_uri);
        let uri = |file: &FileId| match *file == document {
            true => Some(document_uri.to_string()),
            false => Some(uri(file)?.as_str().to_string()),
        };
        // Where a file can't be made by name, an edit of it makes it.
        let able = self.capabilities.edits;
        if !able.versioned || !edits.created.is_empty() && !able.creates {
            let changes = changes
                .into_iter()
                .filter_map(|(file, _, edits)| Some((uri(file)?, Value::Array(edits))));
            return json!({ "changes": changes.collect::<Map<_, _>>() });
        }
        let mut operations = Vec::new();
        for (file, is_new, edits) in changes {
            let Some(uri) = uri(file) else { continue };
            if is_new {
                let options = json!({ "ignoreIfExists": true });
                let create = json!({ "kind": "create", "uri": uri, "options": options });
                operations.push(annotated(create));
            }
            let version = self.snapshot.file(file).map(|it| it.document().version);
            let document = json!({ "uri": uri, "version": version });
            operations.push(json!({ "textDocument": document, "edits": edits }));
        }
        let mut edit = json!({ "documentChanges": operations });
        if let Some(annotation) = annotation {
            let mut json = json!({
                "label": title(&annotation.label),
                "needsConfirmation": annotation.needs_confirmation,
            });
            if annotation.needs_confirmation {
                json["description"] = json!(shown(&annotation.details));
            }
            edit["changeAnnotations"] = json!({ ANNOTATION: json });
        }
        edit
    }
}
