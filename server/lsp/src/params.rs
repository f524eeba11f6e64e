//! The parameters of requests and notifications, read leniently: a client's odd number is no reason to lose an edit.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use text::Position;

#[derive(Deserialize, Debug)]
pub(crate) struct DocumentId {
    pub(crate) uri: String,
    #[serde(default)]
    pub(crate) version: Option<WholeNumber>,
}

#[derive(Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Open {
    pub(crate) text_document: OpenDocument,
}

#[derive(Deserialize, Debug)]
pub(crate) struct OpenDocument {
    pub(crate) uri: String,
    #[serde(default)]
    pub(crate) version: Option<WholeNumber>,
    pub(crate) text: String,
}

#[derive(Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DocumentChange {
    pub(crate) text_document: DocumentId,
    /// Each is read by itself, so that one unreadable change does not hide the others.
    pub(crate) content_changes: Vec<Value>,
}

#[derive(Deserialize, Debug)]
pub(crate) struct ContentChange {
    #[serde(default)]
    pub(crate) range: Option<Range>,
    pub(crate) text: String,
}

#[derive(Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Save {
    pub(crate) text_document: DocumentId,
    #[serde(default)]
    pub(crate) text: Option<String>,
}

/// Of requests about a whole document, and of `didClose`.
#[derive(Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InDocument {
    pub(crate) text_document: DocumentId,
}

#[derive(Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AtPosition {
    pub(crate) text_document: DocumentId,
    pub(crate) position: Point,
}

#[derive(Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InRange {
    pub(crate) text_document: DocumentId,
    pub(crate) range: Range,
}

#[derive(Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AtPositions {
    pub(crate) text_document: DocumentId,
    pub(crate) positions: Vec<Point>,
}

#[derive(Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
pub(crate) struct References {
    pub(crate) text_document: DocumentId,
    pub(crate) position: Point,
    pub(crate) context: ReferenceContext,
}

#[derive(Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReferenceContext {
    pub(crate) include_declaration: bool,
}

#[derive(Deserialize, Debug)]
pub(crate) struct Query {
    pub(crate) query: String,
}

/// Of `semanticTokens/full/delta`.
#[derive(Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SinceTokens {
    pub(crate) text_document: DocumentId,
    pub(crate) previous_result_id: String,
}

/// Of `onTypeFormatting`: `position` is after the typed text.
#[derive(Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Typed {
    pub(crate) text_document: DocumentId,
    pub(crate) position: Point,
    pub(crate) ch: String,
}

#[derive(Deserialize, Debug)]
pub(crate) struct WatchedFiles {
    pub(crate) changes: Vec<WatchedFile>,
}

#[derive(Deserialize, Debug)]
pub(crate) struct WatchedFile {
    pub(crate) uri: String,
}

/// Of `workspace/didChangeWorkspaceFolders`.
#[derive(Deserialize)]
pub(crate) struct FoldersChanged {
    pub(crate) event: FoldersEvent,
}

#[derive(Deserialize)]
pub(crate) struct FoldersEvent {
    #[serde(default)]
    pub(crate) added: Vec<WatchedFile>,
    #[serde(default)]
    pub(crate) removed: Vec<WatchedFile>,
}

#[derive(Deserialize, Debug)]
pub(crate) struct ExecuteCommand {
    pub(crate) command: String,
    #[serde(default)]
    pub(crate) arguments: Vec<Value>,
}

/// The subject of a what-if plan: addresses, or the resource at a position.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WhatIfSubject {
    #[serde(default)]
    pub(crate) addresses: Vec<String>,
    #[serde(default)]
    pub(crate) text_document: Option<DocumentId>,
    #[serde(default)]
    pub(crate) position: Option<Point>,
}

#[derive(Deserialize, Debug, Clone, Copy)]
pub(crate) struct Range {
    pub(crate) start: Point,
    pub(crate) end: Point,
}

#[derive(Serialize, Deserialize, Debug, Clone, Copy)]
pub(crate) struct Point {
    line: WholeNumber,
    character: WholeNumber,
}

impl Point {
    pub(crate) fn position(self) -> Position {
        Position::new(self.line.at_least_zero(), self.character.at_least_zero())
    }
}

/// A number that should be whole. Any number is taken for the nearest that fits.
#[derive(Serialize, Debug, Clone, Copy)]
pub(crate) struct WholeNumber(i64);

impl WholeNumber {
    pub(crate) fn at_least_zero(self) -> u32 {
        self.0.clamp(0, u32::MAX.into()) as u32
    }

    pub(crate) fn version(self) -> i32 {
        self.0.clamp(i32::MIN.into(), i32::MAX.into()) as i32
    }
}

impl<'de> Deserialize<'de> for WholeNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<WholeNumber, D::Error> {
        let number = serde_json::Number::deserialize(deserializer)?;
        // A float beyond the integers becomes the greatest or the least of them.
        Ok(WholeNumber(number.as_i64().unwrap_or_else(|| {
            number.as_f64().unwrap_or(f64::MAX) as i64
        })))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn odd_numbers_are_taken_for_the_nearest_place() {
        let position = |value| Point::deserialize(value).map(Point::position).unwrap();
        assert_eq!(
            position(json!({ "line": -1, "character": 2.9 })),
            Position::new(0, 2)
        );
        assert_eq!(
            position(json!({ "line": 1e30, "character": 5_000_000_000u64 })),
            Position::new(u32::MAX, u32::MAX)
        );
        assert!(Point::deserialize(json!({ "line": "1", "character": 0 })).is_err());
    }
}

#[derive(Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Rename {
    pub(crate) text_document: DocumentId,
    pub(crate) position: Point,
    pub(crate) new_name: String,
}
