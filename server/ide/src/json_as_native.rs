//! JSON syntax up to a place, translated to native syntax: a question at the place is answered by the translation.

use std::ops::Range;

use config::FileRole;
use schema::ArgumentKind;
use text::{FileId, TextRange, TextSize};

use crate::body::{self, ArgumentSchema, BodySchema};
use crate::cursor::Header;
use crate::module_context::ModuleContext;

/// A place in JSON syntax, and the same in native syntax.
pub(crate) struct NativeText {
    pub(crate) file: FileId,
    pub(crate) text: String,
    /// Where the place is in `text`.
    pub(crate) offset: TextSize,
    pub(crate) part: JsonPart,
    /// The string or word around the place, in JSON; without its quotes.
    pub(crate) word: TextRange,
    /// Whether the word stands between quotes.
    pub(crate) is_quoted: bool,
    /// Offsets in `text` after each character of the word, with those in JSON.
    places: Vec<(usize, usize)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum JsonPart {
    /// The name of an argument or a block, or a label.
    Key,
    /// A value that is a template where it is text.
    Value,
    /// A value that is a word or an address, and text in JSON.
    Word,
}

impl NativeText {
    pub(crate) fn at(
        file: &FileId,
        json: &str,
        offset: TextSize,
        known: &ModuleContext,
    ) -> Option<NativeText> {
        let name = file.path().strip_suffix(".json")?;
        let file = FileId::new(name);
        let scan = Scan::until(json, offset.into());
        let mut writer = Writer {
            known,
            role: FileRole::of(file.name()),
            text: String::new(),
            blocks: Vec::new(),
            within: In::Body,
            kind: ArgumentKind::Any,
        };
        for frame in &scan.frames {
            writer.enter(frame);
        }
        Some(writer.finish(file, json, offset.into(), &scan))
    }

    /// A range of the native text, in JSON.
    pub(crate) fn range(&self, range: TextRange) -> TextRange {
        let place = |offset: TextSize| {
            let mut places = self.places.iter();
            let found = places.find(|(native, _)| *native >= usize::from(offset));
            found.map_or(self.word.end(), |(_, json)| size(*json))
        };
        TextRange::new(place(range.start()), place(range.end()))
    }
}

/// Before each item inside of a block: at the start of a line it might be taken for another block.
const LINE: &str = "\n  ";

/// The open frames at the place.
struct Scan {
    frames: Vec<Frame>,
    /// The string or word that the place is in, with its quote.
    word: Range<usize>,
    is_quoted: bool,
}

struct Frame {
    is_array: bool,
    /// The keys before, with their values as native syntax has them, where it can.
    others: Vec<(String, Option<String>)>,
    key: Option<String>,
    is_value: bool,
    /// Where the value begins.
    start: usize,
}

impl Scan {
    /// Reads up to `offset`. Errors are passed over.
    fn until(json: &str, offset: usize) -> Scan {
        let mut scan = Scan {
            frames: Vec::new(),
            word: offset..offset,
            is_quoted: false,
        };
        let mut at = 0;
        while at < offset {
            let rest = &json[at..];
            let Some(first) = rest.chars().next() else {
                break;
            };
            let len = match first {
                '"' => string_len(rest),
                c if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
                c => c.len_utf8(),
            };
            let is_inside = match first {
                // Behind its closing quote nothing of a string is written any more.
                '"' => offset < at + len || !is_closed(&rest[..len]),
                c => is_word(c) && offset <= at + len,
            };
            if is_inside {
                scan.word = at..at + len;
                scan.is_quoted = first == '"';
                return scan;
            }
            scan.token(first, at..at + len, json);
            at += len;
        }
        scan
    }

    fn token(&mut self, first: char, at: Range<usize>, json: &str) {
        match first {
            '{' | '[' => self.frames.push(Frame {
                is_array: first == '[',
                others: Vec::new(),
                key: None,
                is_value: false,
                start: at.end,
            }),
            '}' | ']' => drop(self.frames.pop()),
            _ => {}
        }
        let Some(frame) = self.frames.last_mut().filter(|frame| !frame.is_array) else {
            return;
        };
        match first {
            '"' if !frame.is_value => frame.key = Some(json[at].trim_matches('"').to_owned()),
            ':' if !frame.is_value => {
                frame.is_value = true;
                frame.start = at.end;
                frame
                    .others
                    .extend(frame.key.clone().map(|key| (key, None)));
            }
            ',' => {
                if let Some((_, value)) = frame.others.last_mut() {
                    *value = native_value(json[frame.start..at.start].trim());
                }
                frame.is_value = false;
                frame.key = None;
            }
            _ => {}
        }
    }
}

/// Longer values are left out: nothing at the place follows from them.
const LONGEST_VALUE: usize = 4096;

/// A value of JSON in native syntax. `None` where strings of the two differ.
fn native_value(json: &str) -> Option<String> {
    if json.is_empty() || json.len() > LONGEST_VALUE {
        return None;
    }
    if !json.contains('\\') {
        return Some(json.replace(['\n', '\r'], " "));
    }
    let text: String = serde_json::from_str(json).ok()?;
    // Between braces quotes need no escapes.
    let is_wrap = text.starts_with("${") && text.ends_with('}') && !text.contains('\n');
    is_wrap.then(|| format!("\"{text}\""))
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.')
}

/// The length of the string that `text` begins with; it ends with its line at the latest.
fn string_len(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '\n' | '\r' => return at,
            '"' if !is_escaped => return at + 1,
            _ => is_escaped = c == '\\' && !is_escaped,
        }
    }
    text.len()
}

fn is_closed(string: &str) -> bool {
    string.len() > 1 && string.ends_with('"')
}

/// The meaning of the next object.
enum In {
    Body,
    /// A label of a block.
    Labels(Header),
    Value,
}

struct Writer<'a> {
    known: &'a ModuleContext,
    role: FileRole,
    text: String,
    blocks: Vec<Header>,
    within: In,
    kind: ArgumentKind,
}

impl Writer<'_> {
    fn enter(&mut self, frame: &Frame) {
        if frame.is_array {
            // Several blocks are written as an array.
            if let In::Value = self.within {
                self.text.push_str("[ ");
            }
            return;
        }
        let key = frame.key.as_deref().filter(|_| frame.is_value);
        match std::mem::replace(&mut self.within, In::Value) {
            In::Body => {
                for (other, value) in &frame.others {
                    if Some(other.as_str()) != key {
                        self.other(other, value.as_deref());
                    }
                }
                self.within = match key {
                    Some(key) => self.item(key),
                    None => In::Body,
                };
            }
            In::Labels(mut header) => {
                self.within = match key {
                    Some(key) => {
                        header.labels.push(key.into());
                        self.block(header)
                    }
                    None => In::Labels(header),
                };
            }
            In::Value => {
                self.text.push('{');
                self.text.push_str(LINE);
                for (other, _) in &frame.others {
                    if Some(other.as_str()) != key {
                        self.text.push_str(&format!("\"{other}\" = null{LINE}"));
                    }
                }
                if let Some(key) = key {
                    self.text.push_str(&format!("\"{key}\" = "));
                }
            }
        }
    }

    fn schema(&self) -> Option<BodySchema<'_>> {
        BodySchema::of(self.known, self.role, &self.blocks)
    }

    fn is_block(&self, name: &str) -> bool {
        match self.blocks.is_empty() {
            true => body::blocks_of(self.role).is_some_and(|blocks| blocks.contains_key(name)),
            false => self.schema().is_some_and(|schema| {
                schema
                    .language
                    .is_some_and(|it| it.blocks.contains_key(name))
                    || schema.provider.as_ref().is_some_and(|it| {
                        it.block_types.contains_key(name)
                            || name == "dynamic" && !it.block_types.is_empty()
                    })
            }),
        }
    }

    /// Another item of the body.
    fn other(&mut self, name: &str, value: Option<&str>) {
        let item = match self.is_block(name) {
            true => format!("{name} {{\n  }}{LINE}"),
            false => format!("{name} = {}{LINE}", value.unwrap_or("null")),
        };
        // The other entries of the top level are known already.
        if !self.blocks.is_empty() || self.role == FileRole::Values {
            self.text.push_str(&item);
        }
    }

    fn item(&mut self, name: &str) -> In {
        if self.is_block(name) {
            return self.block(Header {
                kind: name.into(),
                labels: Vec::new(),
            });
        }
        self.kind = match self.schema().and_then(|schema| schema.argument(name)) {
            Some(ArgumentSchema::Language(argument)) => argument.kind,
            Some(ArgumentSchema::Provider(_)) | None => ArgumentKind::Any,
        };
        self.text.push_str(&format!("{name} = "));
        In::Value
    }

    /// A block opens when it has its labels.
    fn block(&mut self, header: Header) -> In {
        if body::label(self.known, self.role, &self.blocks, &header).is_some() {
            return In::Labels(header);
        }
        self.text.push_str(&opening(&header));
        self.text.push_str(" {");
        self.text.push_str(LINE);
        self.blocks.push(header);
        In::Body
    }

    fn part(&self) -> JsonPart {
        use ArgumentKind as K;
        let is_word = matches!(
            self.kind,
            K::Type
                | K::Keyword
                | K::Keywords
                | K::References
                | K::IgnoreChanges
                | K::ReplaceTriggeredBy
                | K::Provider
                | K::Providers
                | K::Address
                | K::StateAddress
        );
        if is_word {
            JsonPart::Word
        } else {
            JsonPart::Value
        }
    }

    fn finish(mut self, file: FileId, json: &str, at: usize, scan: &Scan) -> NativeText {
        let is_key = match scan.frames.last() {
            Some(frame) => !frame.is_array && !frame.is_value,
            None => true,
        };
        let part = match is_key {
            true => JsonPart::Key,
            false => self.part(),
        };
        if let In::Labels(header) = &self.within {
            self.text.push_str(&opening(header));
            self.text.push_str(" \"");
        } else if part == JsonPart::Value && scan.is_quoted {
            self.text.push('"');
        }
        let quote = usize::from(scan.is_quoted);
        let raw = &json[scan.word.clone()];
        let is_closed = scan.is_quoted && is_closed(raw);
        let content = scan.word.start + quote..scan.word.end - usize::from(is_closed);
        let mut places = vec![(self.text.len(), content.start)];
        let mut chars = json[content.clone()].char_indices();
        while let Some((start, c)) = chars.next() {
            let (c, end) = match c {
                '\\' => match chars.next() {
                    Some((start, escaped)) => (escaped, start + escaped.len_utf8()),
                    None => break,
                },
                c => (c, start + c.len_utf8()),
            };
            self.text.push(c);
            places.push((self.text.len(), content.start + end));
        }
        // The rest is whole, so it is read as it is.
        if matches!(self.within, In::Labels(_)) || part == JsonPart::Value && scan.is_quoted {
            self.text.push('"');
        }
        let before = places.iter().filter(|(_, in_json)| *in_json <= at);
        let offset = before.map(|(native, _)| *native).max().unwrap_or(0);
        NativeText {
            file,
            text: self.text,
            offset: size(offset),
            part,
            word: TextRange::new(size(content.start), size(content.end)),
            is_quoted: scan.is_quoted,
            places,
        }
    }
}

fn size(offset: usize) -> TextSize {
    TextSize::try_from(offset).unwrap_or_default()
}

fn opening(header: &Header) -> String {
    let labels = header.labels.iter().map(|label| format!(" \"{label}\""));
    std::iter::once(header.kind.to_string())
        .chain(labels)
        .collect()
}
