//! Keeps the documents as the editor has them.

use std::ops::ControlFlow;

use serde::de::DeserializeOwned;
use serde_json::Value;
use text::{Document, Edit, FileId};

use crate::client::MessageKind;
use crate::convert::file_id;
use crate::params::{ContentChange, DocumentChange, InDocument, Open, Save, WholeNumber};
use crate::state::State;
use crate::transport::END_OF_INPUT;

/// A document that the editor has open.
pub(crate) struct OpenDocument {
    /// The editor's own spelling of the name.
    pub(crate) uri: String,
    pub(crate) document: Document,
    /// A change of it could not be read, so the editor may have another text. Ends with the next whole text.
    pub(crate) is_doubtful: bool,
}

impl State {
    pub(crate) fn notification(&mut self, method: &str, params: Value) -> ControlFlow<bool> {
        match method {
            "exit" => return ControlFlow::Break(self.was_shut_down()),
            END_OF_INPUT => return self.input_ended(),
            "initialized" => self.initialized(),
            "$/cancelRequest" => self.requests.cancel(&params["id"]),
            _ if self.refusal().is_some() => tracing::warn!(method, "not now"),
            "textDocument/didOpen" => self.with(method, params, State::did_open),
            "textDocument/didChange" => self.with(method, params, State::did_change),
            "textDocument/didSave" => self.with(method, params, State::did_save),
            "textDocument/didClose" => self.with(method, params, State::did_close),
            "workspace/didChangeConfiguration" => self.configuration_changed(&params),
            "workspace/didChangeWorkspaceFolders" => {
                self.with(method, params, State::folders_changed);
            }
            "workspace/didChangeWatchedFiles" => {
                self.with(method, params, State::watched_files_changed);
            }
            _ => tracing::debug!(method, "notification of no interest"),
        }
        ControlFlow::Continue(())
    }

    fn with<P: DeserializeOwned>(
        &mut self,
        method: &str,
        params: Value,
        handle: impl FnOnce(&mut State, P),
    ) {
        match serde_json::from_value(params) {
            Ok(params) => handle(self, params),
            // The error would quote the unreadable text.
            Err(_) => tracing::warn!(method, "unreadable notification"),
        }
    }

    fn did_open(
        &mut self,
        Open {
            text_document: opened,
        }: Open,
    ) {
        let document = Document::new(opened.version.map_or(0, WholeNumber::version), &opened.text);
        let file = file_id(&opened.uri);
        self.documents.insert(
            file.clone(),
            OpenDocument {
                uri: opened.uri,
                document: document.clone(),
                is_doubtful: false,
            },
        );
        self.look_beside(&file);
        self.text_changed(file, document);
    }

    fn did_change(&mut self, change: DocumentChange) {
        self.release_places();
        let file = file_id(&change.text_document.uri);
        let Some(open) = self.documents.get_mut(&file) else {
            tracing::warn!(?file, "change of a document that is not open");
            return;
        };
        let mut is_unreadable = false;
        for change in change.content_changes {
            match serde_json::from_value::<ContentChange>(change) {
                Ok(ContentChange { range, text }) => {
                    let range = range.map(|range| (range.start.position(), range.end.position()));
                    open.is_doubtful &= range.is_some();
                    open.document
                        .edit(&Edit { range, text }, self.capabilities.encoding);
                }
                Err(_) => is_unreadable = true,
            }
        }
        if let Some(version) = change.text_document.version {
            open.document.version = version.version();
        }
        let document = open.document.clone();
        if is_unreadable && !std::mem::replace(&mut open.is_doubtful, true) {
            tracing::warn!(?file, "unreadable change");
            let message = format!(
                "planlens could not read a change of {}; until the file is saved, planlens may show wrong results",
                file.name()
            );
            self.client.show_message(MessageKind::Warning, &message);
        }
        self.text_changed(file, document);
    }

    fn did_save(&mut self, save: Save) {
        let file = file_id(&save.text_document.uri);
        if let Some(open) = self.documents.get_mut(&file)
            && let Some(text) = save.text
        {
            open.is_doubtful = false;
            if open.document != *text.as_str() {
                tracing::warn!(?file, "the saved text is not what the changes gave");
                open.document = Document::new(open.document.version, &text);
                let document = open.document.clone();
                self.text_changed(file.clone(), document);
            }
        }
        self.workspace.saved(&file);
    }

    fn did_close(&mut self, InDocument { text_document }: InDocument) {
        let file = file_id(&text_document.uri);
        if let Some(closed) = self.documents.remove(&file) {
            self.workspace.close_document(&file);
            self.unpublish(&file, &closed.uri);
            self.sent_tokens.forget(&file);
        }
    }

    fn text_changed(&mut self, file: FileId, document: Document) {
        self.workspace.set_document(file.clone(), document);
        self.publisher.look_at(file);
    }
}
