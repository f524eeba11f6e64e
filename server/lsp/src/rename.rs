//! `textDocument/prepareRename` and `textDocument/rename`
//!
//! Both wait for the planner: the subject of a name is known by the modules that it has read, and the effect of a new name
//! by a plan of it.

use ide::{Intent, Selection};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use text::{FileId, TextRange};
use tower_lsp_server::jsonrpc::{Error, Id, Result};
use tower_lsp_server::ls_types::{OneOf, RenameOptions};

use crate::capabilities::ClientCapabilities;
use crate::context::RequestContext;
use crate::convert::{Convert, file_id};
use crate::event::Reply;
use crate::params::{AtPosition, DocumentId, Point, Rename};
use crate::refactoring::refused;
use crate::state::State;

pub(crate) fn options(client: &ClientCapabilities) -> OneOf<bool, RenameOptions> {
    match client.edits.prepares_rename {
        true => OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: Default::default(),
        }),
        false => OneOf::Left(true),
    }
}

impl State {
    pub(crate) fn prepare_rename(&mut self, id: Id, params: Value, reply: Reply) {
        let context = self.context();
        let place = read::<AtPosition>(params)
            .and_then(|params| context.place(&params.text_document, params.position));
        let planner = self.options.planner.clone();
        self.answer_later(id, reply, async move {
            let place = place?;
            let snapshot = place.snapshot.clone();
            let file = place.file.clone();
            let name = planner.renamable(place).await.map_err(refused)?;
            let convert = context.convert(&snapshot, &file)?;
            Ok(json!({
                "range": convert.range(name.range),
                "placeholder": name.name,
            }))
        });
    }

    pub(crate) fn rename(&mut self, id: Id, params: Value, reply: Reply) {
        let context = self.context();
        let params = read::<Rename>(params);
        let made = self.refactoring();
        self.answer_later(id, reply, async move {
            let params = params?;
            let place = context.place(&params.text_document, params.position)?;
            let refactored = made(place, Intent::Rename(params.new_name)).await?;
            Ok(context.refactoring(&refactored, &params.text_document.uri))
        });
    }
}

fn read<P: DeserializeOwned>(params: Value) -> Result<P> {
    serde_json::from_value(params).map_err(|error| Error::invalid_params(error.to_string()))
}

impl RequestContext {
    fn convert(&self, snapshot: &ide::Snapshot, file: &FileId) -> Result<Convert<'_>> {
        let source = snapshot.file(file);
        let source = source.ok_or_else(|| Error::invalid_params("the document is not open"))?;
        Ok(Convert::new(source.document(), &self.capabilities))
    }

    fn place(&self, document: &DocumentId, position: Point) -> Result<Selection> {
        let file = file_id(&document.uri);
        let offset = self.convert(&self.snapshot, &file)?.offset(position);
        Ok(Selection {
            snapshot: self.snapshot.clone(),
            file,
            range: TextRange::empty(offset),
        })
    }
}
