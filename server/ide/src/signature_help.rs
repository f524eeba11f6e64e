//! The parameters of the function whose arguments are being typed.

use text::{FileId, TextSize};

use crate::cursor::Cursor;
use crate::json_as_native::NativeText;
use crate::{Markdown, Snapshot};

/// A function, and which of its parameters the cursor is at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SignatureHelp {
    pub label: String,
    pub documentation: Markdown,
    /// The part of the label that each parameter is, in bytes.
    pub parameters: Vec<std::ops::Range<usize>>,
    /// `None` after the last one.
    pub active: Option<usize>,
}

impl Snapshot {
    pub fn signature_help(&self, file: &FileId, offset: TextSize) -> Option<SignatureHelp> {
        let source = self.hcl_file(file)?;
        if file.name().ends_with(".json") {
            let native = NativeText::at(file, source.syntax().text(), offset, &self.known(file))?;
            let snapshot = self.with_file(native.file.clone(), &native.text);
            return snapshot.signature_help(&native.file, native.offset);
        }
        let cursor = Cursor::at(source, offset);
        let call = cursor.calls.last()?;
        let signature = self.known(file).signature(&call.function)?;
        let label = signature.title(&call.function);
        let close = label.rfind(") -> ")?;
        let mut start = call.function.len() + 1;
        let mut parameters = Vec::new();
        let count = signature.parameters.len() + usize::from(signature.variadic.is_some());
        // A type may hold commas: each parameter begins with its name.
        let names = signature.parameters.iter().chain(&signature.variadic);
        let mut names = names
            .map(|parameter| format!(", {}: ", parameter.name))
            .skip(1);
        for _ in 0..count {
            let rest = label.get(start..close)?;
            let end = names
                .next()
                .and_then(|next| rest.find(&next))
                .map_or(close, |end| start + end);
            parameters.push(start..end);
            start = end + 2;
        }
        let last = count.checked_sub(1);
        let active = match &signature.variadic {
            Some(_) => last.map(|last| call.index.min(last)),
            None => Some(call.index).filter(|index| *index < count),
        };
        Some(SignatureHelp {
            label,
            documentation: Markdown::documentation(&signature.description),
            parameters,
            active,
        })
    }
}
