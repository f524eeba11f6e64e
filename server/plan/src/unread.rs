//! Arguments and blocks that a schema does not have. Terraform looks for references by the schema, so those in them do not
//! count: they are neither checked nor waited for.
//!
//! Source: `ReferencesInBlock` of OpenTofu's `internal/lang/references.go`.

use std::collections::HashSet;

use config::Body;
use text::{Diagnostic, Span};

/// The unexpected arguments and blocks of a body, according to the errors of its evaluation.
pub(crate) fn unread<'a>(
    body: &Body,
    diagnostics: impl IntoIterator<Item = &'a Diagnostic>,
) -> Vec<Span> {
    let codes = [
        "unsupported-argument",
        "unsupported-block",
        "unexpected-property",
    ];
    let unexpected = diagnostics
        .into_iter()
        .filter(|it| codes.contains(&it.code));
    let names: HashSet<&Span> = unexpected.filter_map(|it| it.subject.as_ref()).collect();
    let mut found = Vec::new();
    if !names.is_empty() {
        add(body, &names, &mut found);
    }
    found
}

/// Whether a place is in one of the parts that are not read.
pub(crate) fn is_unread(parts: &[Span], at: &Span) -> bool {
    parts.iter().any(|part| part.contains(at))
}

fn add(body: &Body, names: &HashSet<&Span>, found: &mut Vec<Span>) {
    let members: Vec<_> = body.all_members().map(|it| it.attribute()).collect();
    let arguments = body.attributes.iter().chain(&members);
    let unexpected = arguments.filter(|it| names.contains(&it.name_span()));
    found.extend(unexpected.map(|it| it.span()));
    for block in &body.blocks {
        match names.contains(&block.kind_span()) {
            true => found.push(block.span()),
            false => add(&block.body(), names, found),
        }
    }
}
