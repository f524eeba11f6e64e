//! The syntax of one HCL file: a lossless, error-tolerant, incremental tree and its typed AST.

pub mod ast;
pub mod dump;
mod edit;
mod effort;
mod file;
mod format;
pub mod json;
mod kind;
mod lexer;
mod parser;
mod recovery;
mod standalone;
mod string;
pub mod walk;

pub use edit::Edit;
pub use file::{File, FileBody, ParsedSegment, Segment, parse, parse_as_reference, parse_json};
pub use format::{MAX_SPACES, format, format_file, format_range, indent_line};
pub use kind::{GreenNode, Hcl, SyntaxElement, SyntaxKind, SyntaxNode, SyntaxToken, TokenAtOffset};
pub use standalone::{Parsed, parse_expression, parse_template, parse_traversal_abs};
