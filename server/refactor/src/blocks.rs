//! Blocks that are new.

use config::quote;

/// A block of the top level as `terraform fmt` would have it, with the end of its last line. Arguments are expressions
/// as they are written.
pub(crate) fn block(kind: &str, labels: &[&str], arguments: &[(&str, &str)]) -> String {
    formatted(build(kind, labels, arguments, &[]))
}

/// The same with blocks in it.
pub(crate) fn outer_block(kind: &str, arguments: &[(&str, &str)], inner: &[String]) -> String {
    formatted(build(kind, &[], arguments, inner))
}

pub(crate) fn inner_block(kind: &str, arguments: &[(&str, &str)]) -> String {
    build(kind, &[], arguments, &[])
}

fn build(kind: &str, labels: &[&str], arguments: &[(&str, &str)], inner: &[String]) -> String {
    let labels: String = labels.iter().map(|it| quote(it) + " ").collect();
    let arguments = arguments
        .iter()
        .map(|(name, expression)| format!("{name} = {expression}\n"))
        .filter(|argument| is_one_argument(argument));
    let body: String = arguments.chain(inner.iter().cloned()).collect();
    format!("{kind} {labels}{{\n{body}}}\n")
}

/// Nothing else gets into a block with the text of an expression.
fn is_one_argument(text: &str) -> bool {
    let file = syntax::parse(text);
    file.errors().next().is_none()
        && file.body().attributes().count() == 1
        && file.body().items().count() == 1
}

fn formatted(text: String) -> String {
    syntax::format(&text).unwrap_or(text)
}
