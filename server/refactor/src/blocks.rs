//! Blocks that are new.

use hcl_edit::Ident;
use hcl_edit::expr::Expression;
use hcl_edit::structure::{Attribute, Block, BlockBuilder, Body};

/// A block of the top level as `terraform fmt` would have it, with the end of its last line. Arguments are expressions
/// as they are written.
pub(crate) fn block(kind: &str, labels: &[&str], arguments: &[(&str, &str)]) -> String {
    text(build(kind, labels, arguments))
}

/// The same with blocks in it.
pub(crate) fn outer_block(kind: &str, arguments: &[(&str, &str)], inner: Vec<Block>) -> String {
    let outer = inner
        .into_iter()
        .fold(build(kind, &[], arguments), BlockBuilder::block);
    text(outer)
}

pub(crate) fn inner_block(kind: &str, arguments: &[(&str, &str)]) -> Block {
    build(kind, &[], arguments).build()
}

fn build(kind: &str, labels: &[&str], arguments: &[(&str, &str)]) -> BlockBuilder {
    let argument = |(name, text): &(&str, &str)| {
        let expression: Expression = text.parse().ok()?;
        Some(Attribute::new(Ident::new(*name), expression))
    };
    Block::builder(Ident::new(kind))
        .labels(labels.iter().copied())
        .attributes(arguments.iter().filter_map(argument))
}

fn text(block: BlockBuilder) -> String {
    let text = Body::builder().block(block).build().to_string();
    syntax::format(&text).unwrap_or(text)
}
