//! YAML as Pulumi programs use it: segments that versions share, ranges, and recovery that ends at the entry with the mistake.

mod accepted;
mod file;
pub mod merge;
mod parse;
mod repair;
mod resolve;
mod split;
mod tree;

pub use file::{File, KeyValue, Parsed, Segment};
pub use parse::{Parse, parse, resolved, resolved_document};
pub use resolve::Resolved;
pub use split::SegmentRole;
pub use tree::{MappingEntry, Node, NodeKind, Places, Scalar, Style, Tagged};
