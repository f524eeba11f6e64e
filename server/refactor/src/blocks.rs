//! Blocks that are new.

use config::quote;

/// A block of the top level as `terraform fmt` would have it, with the end of its last line. Arguments are expressions
/// as they are written; one that is no expression is left out.
pub(crate) fn block(kind: &str, labels: &[&str], arguments: &[(&str, &str)]) -> String {
    formatted(unformatted(kind, labels, arguments, &[]))
}

/// The same with blocks in it, as [`inner_block`] makes them.
pub(crate) fn outer_block(kind: &str, arguments: &[(&str, &str)], inner: &[String]) -> String {
    formatted(unformatted(kind, &[], arguments, inner))
}

pub(crate) fn inner_block(kind: &str, arguments: &[(&str, &str)]) -> String {
    unformatted(kind, &[], arguments, &[])
}

fn unformatted(
    kind: &str,
    labels: &[&str],
    arguments: &[(&str, &str)],
    inner: &[String],
) -> String {
    let labels: String = labels.iter().map(|it| format!("{} ", quote(it))).collect();
    let is_expression =
        |(_, text): &&(&str, &str)| syntax::parse_expression(text).errors.is_empty();
    let arguments: String = arguments
        .iter()
        .filter(is_expression)
        .map(|(name, text)| format!("{name} = {}\n", text.trim_end()))
        .collect();
    let body = [arguments, inner.concat()].concat();
    format!("{kind} {labels}{{\n{body}}}\n")
}

fn formatted(text: String) -> String {
    syntax::format(&text).unwrap_or(text)
}
