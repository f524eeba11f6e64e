//! `textDocument/documentSymbol` and `workspace/symbol`

use ide::{Symbol, SymbolKind};
use serde_json::{Value, json};
use tower_lsp_server::ls_types;

use crate::context::RequestContext;
use crate::convert::Convert;
use crate::navigation::Places;
use crate::params::{InDocument, Query};
use crate::shown::title;

/// Symbols in each other, or one list for clients that know no outline.
pub(crate) fn of_document(context: &RequestContext, params: InDocument) -> Option<Vec<Value>> {
    let (file, convert) = context.document(&params.text_document)?;
    let symbols = context.answers().symbols(&file);
    if context.capabilities.nested_symbols {
        return Some(symbols.iter().map(|it| nested(it, &convert, 0)).collect());
    }
    let flat = symbols.iter().map(|symbol| {
        let location =
            json!({ "uri": params.text_document.uri, "range": convert.range(symbol.range) });
        json!({ "name": title(&symbol.name), "kind": kind(symbol.kind), "location": location })
    });
    Some(flat.collect())
}

/// Each level is two in the message, and many editors read no more than 128 of them.
const MAX_DEPTH: usize = 40;

fn nested(symbol: &Symbol, convert: &Convert<'_>, depth: usize) -> Value {
    let children = symbol.children.iter().filter(|_| depth < MAX_DEPTH);
    let children = children.map(|it| nested(it, convert, depth + 1));
    let children: Vec<Value> = children.collect();
    let mut nested = json!({
        "name": title(&symbol.name),
        "kind": kind(symbol.kind),
        "range": convert.range(symbol.range),
        "selectionRange": convert.range(symbol.name_range),
        "children": children,
    });
    if !symbol.detail.is_empty() {
        nested["detail"] = title(&symbol.detail).into();
    }
    nested
}

pub(crate) fn of_workspace(context: &RequestContext, params: Query) -> Option<Vec<Value>> {
    if !context.snapshot.settings().enable.navigation {
        return None;
    }
    let context = &context.with_whole_workspace();
    let found = context.answers().workspace_symbols(&params.query);
    let mut places = Places::new(context);
    let symbols = found.into_iter().filter_map(|symbol| {
        let location = places.location(&symbol.location)?;
        Some(
            json!({ "name": title(&symbol.name), "kind": kind(symbol.kind), "location": location }),
        )
    });
    Some(symbols.collect())
}

fn kind(kind: SymbolKind) -> ls_types::SymbolKind {
    match kind {
        SymbolKind::Resource => ls_types::SymbolKind::CLASS,
        SymbolKind::Variable => ls_types::SymbolKind::VARIABLE,
        SymbolKind::Output => ls_types::SymbolKind::FIELD,
        SymbolKind::Module => ls_types::SymbolKind::MODULE,
        SymbolKind::Block => ls_types::SymbolKind::STRUCT,
        SymbolKind::Argument => ls_types::SymbolKind::PROPERTY,
    }
}
