//! Positions, ranges, diagnostics and the open document: what every stage says about text.

mod chunks;
mod diagnostic;
mod document;
mod edits;
mod fault;
mod path;
mod places;
mod position;
mod problem;
mod span;
mod suggest;
mod visible;
mod wording;

pub use chunks::{Chunks, PerChunk};
pub use diagnostic::{Diagnostic, Related, RelatedRole, Severity};
pub use document::{Document, Edit};
pub use edits::{Edits, Replacement, apply};
pub use fault::{Fault, InstanceKeyFault, Missing, MovedFault, WantedType};
pub use path::{path, path_text, root_of_path};
pub use places::Places;
pub use position::{LineIndex, Position, PositionEncoding, line_breaks};
pub use problem::Problem;
pub use span::{FileId, SegmentId, Span};
pub use suggest::{Suggestion, did_you_mean, distance, first_similar, similar};
pub use text_size::{TextRange, TextSize};
pub use visible::{cut, one_line, padded, visible};
#[cfg(feature = "scramble")]
pub use wording::scrambled;
pub use wording::{counted, for_people};
