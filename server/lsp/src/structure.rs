//! `textDocument/foldingRange`, `selectionRange` and `documentLink`

use ide::{DiskFiles, FoldKind, LinkTarget};
use serde_json::{Value, json};
use text::TextRange;

use crate::context::RequestContext;
use crate::convert::{Convert, uri};
use crate::params::{AtPositions, InDocument};
use crate::shown::title;

pub(crate) fn folds(context: &RequestContext, params: InDocument) -> Option<Vec<Value>> {
    let (file, convert) = context.document(&params.text_document)?;
    let folds = context
        .answers()
        .folds(&file)
        .into_iter()
        .filter_map(|fold| {
            let range = convert.range(fold.range);
            let (start, mut end) = (range.start.line, range.end.line);
            // The line of the closing bracket stays in sight.
            if fold.kind == FoldKind::Code {
                end = end.saturating_sub(1);
            }
            let mut value = json!({ "startLine": start, "endLine": end });
            match fold.kind {
                FoldKind::Code => {}
                FoldKind::Comment => value["kind"] = json!("comment"),
                FoldKind::Region => value["kind"] = json!("region"),
            }
            (start < end).then_some(value)
        });
    Some(folds.collect())
}

pub(crate) fn selections(context: &RequestContext, params: AtPositions) -> Option<Vec<Value>> {
    let (file, convert) = context.document(&params.text_document)?;
    let chains = params.positions.into_iter().map(|position| {
        let ranges = context
            .answers()
            .selections(&file, convert.offset(position));
        selection(&ranges, &convert)
    });
    Some(chains.collect())
}

/// From the widest, which has no parent, to the narrowest.
fn selection(ranges: &[TextRange], convert: &Convert<'_>) -> Value {
    ranges.iter().rev().fold(Value::Null, |parent, range| {
        let range = convert.range(*range);
        match parent.is_null() {
            true => json!({ "range": range }),
            false => json!({ "range": range, "parent": parent }),
        }
    })
}

pub(crate) fn links(context: &RequestContext, params: InDocument) -> Option<Vec<Value>> {
    let (file, convert) = context.document(&params.text_document)?;
    let links = context
        .answers()
        .links(&file, &DiskFiles)
        .into_iter()
        .filter_map(|link| {
            let target = match link.target {
                LinkTarget::Page(page) => page,
                LinkTarget::File(file) => uri(&file)?.to_string(),
            };
            let range = convert.range(link.range);
            Some(json!({ "range": range, "target": target, "tooltip": title(&link.tooltip) }))
        });
    Some(links.collect())
}
