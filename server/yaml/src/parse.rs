//! Text to tree, by the events of saphyr-parser.

use std::borrow::Cow;
use std::collections::HashSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use saphyr_parser::{Event, Parser, ScalarStyle};
use text::{Problem, TextRange, TextSize};

use crate::accepted::{UNKNOWN_ESCAPE, as_go_accepts, escape, value_as_written, with_spaces};
use crate::merge::Anchors;
use crate::{MappingEntry, Node, NodeKind, Resolved, Scalar, Style, Tagged};

/// A parsed text.
#[derive(Clone, PartialEq, Debug)]
pub struct Parse {
    /// `None` where there is nothing, or nothing that parses.
    pub root: Option<Node>,
    pub errors: Vec<Problem>,
}

/// Parses a text as one document, without recovery.
pub fn parse(text: &str) -> Parse {
    match strict(text) {
        Ok(Some(root)) => Parse {
            errors: refused(&root),
            root: Some(root),
        },
        Ok(None) => Parse {
            root: None,
            errors: Vec::new(),
        },
        Err(problem) => Parse {
            root: None,
            errors: vec![problem],
        },
    }
}

/// Parses a text whose aliases stand for what they refer to, whose merge keys are merged, and whose binary scalars are decoded.
///
/// Source: `mapping`, `scalar` and `merge` in `decode.go` of `gopkg.in/yaml.v3`.
pub fn resolved(text: &str) -> Result<Option<Node>, Problem> {
    Ok(tree(text, true)?.root)
}

/// The same for a text that is one document. `None` for any other.
pub fn resolved_document(text: &str) -> Option<Node> {
    let tree = tree(text, true).ok()?;
    tree.root.filter(|_| !tree.is_followed)
}

/// Deeper trees are no configuration.
const MAX_DEPTH: usize = 200;

enum Open {
    Sequence(TextSize, Vec<Node>),
    Mapping(TextSize, Vec<MappingEntry>, Option<Node>),
}

/// The tree of a text in which only tabs are accepted as Go accepts them: many texts are tried where one is repaired.
pub(crate) fn exact(text: &str) -> Result<Option<Node>, Problem> {
    refuse_text(text)?;
    let spaced = with_spaces(text);
    Ok(tree_of(text, spaced.as_deref().unwrap_or(text), false)?.root)
}

/// The tree, or the first error.
pub(crate) fn strict(text: &str) -> Result<Option<Node>, Problem> {
    Ok(tree(text, false)?.root)
}

/// The first document of a text.
struct Tree {
    root: Option<Node>,
    /// Whether there is another document.
    is_followed: bool,
}

/// `resolves` says that aliases are replaced.
fn tree(text: &str, resolves: bool) -> Result<Tree, Problem> {
    refuse_text(text)?;
    let tree = tree_of(text, text, resolves);
    match tree.is_err().then(|| as_go_accepts(text)).flatten() {
        Some(accepted) => tree_of(text, &accepted, resolves).or(tree),
        None => tree,
    }
}

/// Refuses another version of YAML, and control characters.
fn refuse_text(text: &str) -> Result<(), Problem> {
    incompatible(text)?;
    match text.char_indices().find(|(_, c)| !is_allowed(*c)) {
        Some((at, c)) => {
            let at = TextRange::at(TextSize::new(at as u32), TextSize::of(c));
            Err(error_at(at, "control characters are not allowed"))
        }
        None => Ok(()),
    }
}

/// The tree of `text`, read from `accepted`, which has the same number of characters.
fn tree_of(text: &str, accepted: &str, resolves: bool) -> Result<Tree, Problem> {
    let offsets = Offsets::of(text);
    let mut anchors = resolves.then(Anchors::default);
    let mut root = None;
    let mut open: Vec<(Open, usize)> = Vec::new();
    let mut documents = 0;
    for event in Parser::new_from_str(accepted) {
        let (event, span) = event.map_err(|error| {
            let at = TextRange::empty(offsets.byte(error.marker().index()));
            error_at(at, error.info())
        })?;
        let range = TextRange::new(
            offsets.byte(span.start.index()),
            offsets.byte(span.end.index().max(span.start.index())),
        );
        let mut anchor = anchor_of(&event);
        if let Some((Open::Sequence(..), _)) = open.last() {
            tab_behind_dash(text, range.start())?;
        }
        let mut node = match event {
            Event::DocumentStart(_) => {
                documents += 1;
                // Of several documents the first is read.
                if documents > 1 {
                    break;
                }
                continue;
            }
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => continue,
            Event::Alias(of) => match &mut anchors {
                Some(anchors) => anchors.alias(of, range)?,
                None => Node {
                    range,
                    kind: NodeKind::Alias,
                },
            },
            Event::Scalar(value, style, _, tag) => {
                // As Go's yaml.v3: `!` alone says nothing.
                let tag = tag.filter(|it| !(it.handle.is_empty() && it.suffix == "!"));
                let tag = tag.map(|it| (it.is_yaml_core_schema(), it.suffix.clone()));
                let mut value = without_line_end(value, style, text, range);
                let binary = tag.as_ref().is_some_and(|(_, name)| name == "binary");
                let range = trimmed(text, range);
                if style == ScalarStyle::DoubleQuoted {
                    unknown_escape(text, range)?;
                }
                if matches!(style, ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted) {
                    value = value_as_written(value);
                }
                if let Some((Open::Sequence(start, _) | Open::Mapping(start, ..), _)) = open.last()
                    && style == ScalarStyle::Plain
                {
                    question_mark(text, *start, range)?;
                }
                match anchors.is_some() && binary {
                    true => scalar(&decoded(&value, range)?, style, tag.as_ref(), range)?,
                    false => scalar(value.as_ref(), style, tag.as_ref(), range)?,
                }
            }
            Event::SequenceStart(..) => {
                open.push((Open::Sequence(range.start(), Vec::new()), anchor));
                too_deep(&open, range)?;
                continue;
            }
            Event::MappingStart(..) => {
                open.push((Open::Mapping(range.start(), Vec::new(), None), anchor));
                too_deep(&open, range)?;
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some((closed, of)) => {
                    anchor = of;
                    closed.node(text, range.end())
                }
                None => continue,
            },
        };
        if let Some(anchors) = &mut anchors {
            anchors.finish(&mut node, anchor)?;
        }
        match open.last_mut().map(|(open, _)| open) {
            None => root = Some(node),
            Some(Open::Sequence(_, elements)) => elements.push(node),
            Some(Open::Mapping(_, entries, key)) => match key.take() {
                Some(key) => entries.push(MappingEntry { key, value: node }),
                None => {
                    too_long(text, &node)?;
                    *key = Some(node);
                }
            },
        }
    }
    Ok(Tree {
        root,
        is_followed: documents > 1,
    })
}

/// Refuses another version of YAML than Go's parser knows.
///
/// Source: `yaml_parser_process_directives` in `parserc.go` of `gopkg.in/yaml.v3`.
fn incompatible(text: &str) -> Result<(), Problem> {
    let mut at = TextSize::new(0);
    for line in text.split_inclusive('\n') {
        let range = TextRange::at(at, TextSize::of(line.trim_end()));
        at += TextSize::of(line);
        match line.strip_prefix("%YAML") {
            Some(version) if version.trim() != "1.1" => {
                return Err(error_at(range, "found incompatible YAML document"));
            }
            None if !line.trim().is_empty() && !line.starts_with(['#', '%']) => break,
            _ => {}
        }
    }
    Ok(())
}

/// The lines of a block, without a line end that the text does not have either.
fn without_line_end<'a>(
    value: Cow<'a, str>,
    style: ScalarStyle,
    text: &str,
    range: TextRange,
) -> Cow<'a, str> {
    let is_block = matches!(style, ScalarStyle::Literal | ScalarStyle::Folded);
    let is_last = || usize::from(range.end()) >= text.trim_end().len();
    match is_block && !text.ends_with(['\n', '\r']) && is_last() {
        true => Cow::Owned(value.trim_end_matches('\n').to_owned()),
        false => value,
    }
}

/// The text of a binary scalar.
fn decoded(text: &str, at: TextRange) -> Result<String, Problem> {
    let plain = text.replace(['\r', '\n'], "");
    let bytes = STANDARD.decode(plain);
    let bytes = bytes.map_err(|_| error_at(at, "!!binary value contains invalid base64 data"))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Whether YAML allows this character without an escape.
///
/// Source: the reader of `gopkg.in/yaml.v3`.
fn is_allowed(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{a0}'..='\u{fffd}' | '\u{10000}'..)
}

/// Refuses the escape `\/`, which Go's parser does not know.
///
/// Source: `yaml_parser_scan_flow_scalar` in `scannerc.go` of `gopkg.in/yaml.v3`.
fn unknown_escape(text: &str, scalar: TextRange) -> Result<(), Problem> {
    let Some(at) = escape(&text[std::ops::Range::<usize>::from(scalar)], '/') else {
        return Ok(());
    };
    let at = scalar.start() + TextSize::new(at as u32);
    let range = TextRange::at(at, TextSize::new(2));
    Err(error_at(range, UNKNOWN_ESCAPE))
}

/// Refuses a tab between the dash of an element and the element, where a key may begin.
fn tab_behind_dash(text: &str, start: TextSize) -> Result<(), Problem> {
    let before = &text[..usize::from(start)];
    let lead = before.trim_end_matches([' ', '\t']);
    let Some(tab) = before[lead.len()..]
        .find('\t')
        .filter(|_| lead.ends_with('-'))
    else {
        return Ok(());
    };
    let at = TextRange::at(
        TextSize::of(lead) + TextSize::new(tab as u32),
        TextSize::new(1),
    );
    Err(error_at(at, "found character that cannot start any token"))
}

/// Refuses a question mark inside of a plain scalar of a collection in flow style, which begins at `open`: it would begin
/// a key.
///
/// Source: `yaml_parser_scan_plain_scalar` in `scannerc.go` of `gopkg.in/yaml.v3`.
fn question_mark(text: &str, open: TextSize, scalar: TextRange) -> Result<(), Problem> {
    let close = match text[usize::from(open)..].chars().next() {
        Some('[') => ']',
        Some('{') => '}',
        _ => return Ok(()),
    };
    let written = &text[std::ops::Range::<usize>::from(scalar)];
    let Some(mark) = written.rfind('?').filter(|at| *at > 0) else {
        return Ok(());
    };
    let at = TextRange::at(
        scalar.start() + TextSize::new(mark as u32),
        TextSize::new(1),
    );
    Err(error_at(
        at,
        &format!("did not find expected ',' or '{close}'"),
    ))
}

/// The number of the anchor that stands at what begins here, or 0.
fn anchor_of(event: &Event<'_>) -> usize {
    match event {
        Event::Scalar(_, _, anchor, _)
        | Event::SequenceStart(anchor, _)
        | Event::MappingStart(anchor, _) => *anchor,
        _ => 0,
    }
}

/// A scalar with a tag that says that it is one of YAML's own, and its name.
fn scalar(
    text: &str,
    style: ScalarStyle,
    tag: Option<&(bool, String)>,
    range: TextRange,
) -> Result<Node, Problem> {
    let tag = tag.map(|(is_own, name)| if *is_own { name.as_str() } else { "" });
    let scalar = Scalar {
        text: text.into(),
        style: style_of(style),
        tagged: match tag {
            None => Tagged::No,
            Some("int" | "float" | "bool" | "null") => Tagged::Value,
            Some(_) => Tagged::Text,
        },
    };
    if let Some(wanted) = tag.filter(|_| scalar.tagged == Tagged::Value) {
        let found = match scalar.resolve() {
            Resolved::Null => "null",
            Resolved::Bool(_) => "bool",
            Resolved::Number(number) if number.fract() == 0.0 => "int",
            Resolved::Number(_) => "float",
            Resolved::String => "str",
        };
        if found != wanted && (found, wanted) != ("int", "float") {
            let what = format!("cannot decode !!{found} `{text}` as a !!{wanted}");
            return Err(error_at(range, &what));
        }
    }
    Ok(Node {
        range,
        kind: NodeKind::Scalar(scalar),
    })
}

/// Refuses a key without a question mark that is longer than those of Go's parser.
///
/// Source: `yaml_simple_key_is_valid` in `scannerc.go` of `gopkg.in/yaml.v3`.
fn too_long(text: &str, key: &Node) -> Result<(), Problem> {
    const MAX_KEY: usize = 1024;
    let written = &text[std::ops::Range::<usize>::from(key.range)];
    let is_simple = || {
        let before = &text[..usize::from(key.range.start())];
        !before.trim_end().ends_with('?')
    };
    match written.len() > MAX_KEY && written.chars().count() > MAX_KEY && is_simple() {
        true => Err(error_at(key.range, "could not find expected ':'")),
        false => Ok(()),
    }
}

fn too_deep(open: &[(Open, usize)], range: TextRange) -> Result<(), Problem> {
    match open.len() > MAX_DEPTH {
        true => Err(error_at(range, "nested too deeply")),
        false => Ok(()),
    }
}

impl Open {
    /// `end` is that of what closed it, which for block style is something behind it.
    fn node(self, text: &str, end: TextSize) -> Node {
        let start = match &self {
            Open::Sequence(start, _) | Open::Mapping(start, ..) => *start,
        };
        let is_flow = text[usize::from(start)..].starts_with(['[', '{']);
        let last = match &self {
            Open::Sequence(_, elements) => elements.last().map(|it| it.range.end()),
            Open::Mapping(_, entries, _) => entries.last().map(|it| it.value.range.end()),
        };
        let end = match is_flow {
            true => end,
            false => last.unwrap_or(end),
        };
        Node {
            range: TextRange::new(start, end.max(start)),
            kind: match self {
                Open::Sequence(_, elements) => NodeKind::Sequence(elements),
                Open::Mapping(_, entries, _) => NodeKind::Mapping(entries),
            },
        }
    }
}

/// Without the white space that the parser counts to a scalar.
fn trimmed(text: &str, range: TextRange) -> TextRange {
    let part =
        text[std::ops::Range::<usize>::from(range)].trim_end_matches([' ', '\t', '\r', '\n']);
    TextRange::at(range.start(), TextSize::of(part))
}

fn style_of(style: ScalarStyle) -> Style {
    match style {
        ScalarStyle::Plain => Style::Plain,
        ScalarStyle::SingleQuoted => Style::SingleQuoted,
        ScalarStyle::DoubleQuoted => Style::DoubleQuoted,
        ScalarStyle::Literal => Style::Literal,
        ScalarStyle::Folded => Style::Folded,
    }
}

pub(crate) fn error_at(at: TextRange, what: &str) -> Problem {
    Problem::error("yaml-syntax", "Invalid YAML", what, at)
}

/// What Pulumi's host refuses although it is YAML.
///
/// Source: `UnmarshalYAMLNode` in `syntax/encoding/yaml.go` of Pulumi's YAML host.
pub(crate) fn refused(node: &Node) -> Vec<Problem> {
    let mut found = Vec::new();
    look(node, &mut found);
    found
}

fn look(node: &Node, found: &mut Vec<Problem>) {
    match &node.kind {
        NodeKind::Scalar(_) => {}
        NodeKind::Alias => found.push(error_at(node.range, "alias nodes are not supported")),
        NodeKind::Sequence(elements) => elements.iter().for_each(|it| look(it, found)),
        NodeKind::Mapping(entries) => {
            let mut keys = HashSet::new();
            for entry in entries {
                match &entry.key.kind {
                    NodeKind::Scalar(key) if key.resolve() == Resolved::String => {
                        if !keys.insert(&*key.text) {
                            found.push(repeated(&entry.key));
                        }
                    }
                    _ => found.push(error_at(entry.key.range, "mapping keys must be strings")),
                }
                look(&entry.value, found);
            }
        }
    }
}

/// A key that its mapping has already.
pub(crate) fn repeated(key: &Node) -> Problem {
    let what = format!(
        "the key {:?} is already defined",
        key.text().unwrap_or_default()
    );
    error_at(key.range, &what)
}

/// The parser counts characters.
enum Offsets {
    Same(usize),
    Of(Vec<u32>),
}

impl Offsets {
    fn of(text: &str) -> Offsets {
        if text.is_ascii() {
            return Offsets::Same(text.len());
        }
        let starts = text.char_indices().map(|(offset, _)| offset as u32);
        Offsets::Of(starts.chain([text.len() as u32]).collect())
    }

    fn byte(&self, char: usize) -> TextSize {
        TextSize::new(match self {
            Offsets::Same(len) => char.min(*len) as u32,
            Offsets::Of(starts) => {
                let last = starts.last().copied().unwrap_or_default();
                starts.get(char).copied().unwrap_or(last)
            }
        })
    }
}
