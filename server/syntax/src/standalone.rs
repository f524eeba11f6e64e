//! Texts that are not configuration files: one expression, one template, one traversal.

use text::Problem;

use crate::ast::{Expr, Traversal};
use crate::parser;

/// The understood part and the errors, side by side. Ranges are relative to the start of the text.
#[derive(Clone, Debug)]
pub struct Parsed<T> {
    pub tree: T,
    pub errors: Vec<Problem>,
}

/// Parses a single expression, such as the value of a variable on the command line.
pub fn parse_expression(text: &str) -> Parsed<Expr> {
    let (tree, errors) = parser::parse_expression(text);
    Parsed { tree, errors }
}

/// Parses the text of a template file.
pub fn parse_template(text: &str) -> Parsed<Expr> {
    let (tree, errors) = parser::parse_template(text);
    Parsed { tree, errors }
}

/// Parses an absolute traversal: `aws_instance.web[0].id`. `None` when not even the root could be read.
pub fn parse_traversal_abs(text: &str) -> Parsed<Option<Traversal>> {
    let (tree, errors) = parser::parse_traversal_abs(text);
    Parsed { tree, errors }
}
