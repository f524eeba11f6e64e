//! Completion in JSON syntax: the items of native syntax at the same place, written as JSON.

use text::{FileId, TextSize};

use super::{Completion, CompletionInputs, CompletionKind, Completions, escaped};
use crate::json_as_native::{JsonPart, NativeText};
use crate::{Snapshot, SourceFile};

impl Snapshot {
    pub(super) fn completions_in_json(
        &self,
        file: &FileId,
        source: &SourceFile,
        offset: TextSize,
        inputs: CompletionInputs<'_>,
    ) -> Completions {
        let json = source.syntax().text();
        let Some(native) = NativeText::at(file, json, offset, &self.known(file)) else {
            return Completions::default();
        };
        let snapshot = self.with_file(native.file.clone(), &native.text);
        let mut completions = snapshot.completions_of(&native.file, native.offset, inputs);
        for item in &mut completions.items {
            native.write(item);
        }
        completions
    }
}

impl NativeText {
    /// Makes JSON of an item of native syntax.
    fn write(&self, item: &mut Completion) {
        let written = match (self.part, self.is_quoted) {
            (JsonPart::Key, true) => escaped(&item.label),
            (JsonPart::Key, false) => {
                let value = match item.kind {
                    CompletionKind::Argument => "",
                    _ => "{\n  $0\n}",
                };
                format!("\"{}\": {value}", escaped(&item.label))
            }
            (JsonPart::Value | JsonPart::Word, true) => {
                item.range = self.range(item.range);
                item.snippet = in_string(&item.snippet);
                return;
            }
            (JsonPart::Word, false) => format!("\"{}\"", in_string(&item.snippet)),
            (JsonPart::Value, false) => value(item),
        };
        item.snippet = written;
        item.range = self.word;
    }
}

/// A value that is no text yet.
fn value(item: &Completion) -> String {
    match item.label.chars().next() {
        Some('"') => item.snippet.clone(),
        Some('[') => "[$0]".to_owned(),
        Some('{') => "{$0}".to_owned(),
        _ if ["true", "false", "null"].contains(&item.label.as_str()) => item.snippet.clone(),
        _ => format!("\"\\${{{}\\}}\"", in_string(&item.snippet)),
    }
}

/// A snippet between the quotes of a string.
fn in_string(snippet: &str) -> String {
    let lines: Vec<&str> = snippet.lines().map(str::trim).collect();
    lines.join(" ").replace('"', "\\\\\"")
}
