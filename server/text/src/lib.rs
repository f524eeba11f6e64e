//! Positions, ranges, diagnostics and the open document: what every stage says about text.

mod chunks;
mod diagnostic;
mod document;
mod edits;
mod position;
mod span;
mod suggest;
mod visible;

pub use chunks::Chunks;
pub use diagnostic::{Diagnostic, Related, Severity};
pub use document::{Document, Edit};
pub use edits::{Edits, Replacement, apply};
pub use position::{LineIndex, Position, PositionEncoding};
pub use span::{FileId, SegmentId, Span};
pub use suggest::{did_you_mean, similar, suggestion};
pub use text_size::{TextRange, TextSize};
pub use visible::{one_line, visible};
