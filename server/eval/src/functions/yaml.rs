//! YAML as Terraform reads and writes it: `yamlencode` in libyaml's block style with all strings quoted,
//! `yamldecode` with the scalars of YAML 1.1.

use std::collections::BTreeMap;

use config::language_release::feature;
use cty::{Number, Type, Value, budget, convert};
use saphyr_parser::{Event, Parser, ScalarStyle, Tag};

use super::encoding::decode_base64;
use super::{elements, quoted, text, time};
use crate::function::{CallContext, CallError, Function, Param};

pub(super) fn functions() -> Vec<Function> {
    vec![
        Function::new("yamldecode", yamldecode)
            .takes(Param::string("src"))
            // Reading gives the type together with the value.
            .returns(Type::Dynamic),
        Function::new("yamlencode", yamlencode)
            .takes(Param::any("value").or_null().or_dynamic())
            .returns(Type::String),
    ]
}

fn yamlencode(args: &[Value], ty: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    if !args[0].is_wholly_known() {
        return Ok(Value::unknown(ty.clone()));
    }
    let mut emitter = Emitter {
        is_whitespace: true,
        is_indention: true,
        ..Emitter::default()
    };
    emitter.node(&args[0], None, NodePosition::Root);
    if emitter.column > 0 || !emitter.out.ends_with('\n') {
        emitter.line_break();
    }
    if emitter.is_open_ended {
        emitter.out.push_str("...\n");
    }
    Ok(Value::string(emitter.out))
}

/// Writes YAML as libyaml does.
#[derive(Default)]
struct Emitter {
    out: String,
    /// In characters.
    column: usize,
    is_whitespace: bool,
    /// Whether only indentation and the marks of nested blocks stand on the line.
    is_indention: bool,
    /// Whether the document is a scalar without quotes, so that its end must be marked.
    is_open_ended: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum NodePosition {
    Root,
    InSequence,
    SimpleKey,
    InMapping,
}

/// Lines are broken at the first space after this column.
const BEST_WIDTH: usize = 80;
/// Longer keys are written with `?`.
const LONGEST_SIMPLE_KEY: usize = 128;

impl Emitter {
    fn put(&mut self, c: char) {
        self.out.push(c);
        self.column += 1;
    }

    fn line_break(&mut self) {
        self.out.push('\n');
        self.column = 0;
    }

    fn indent(&mut self, indent: usize) {
        if !self.is_indention
            || self.column > indent
            || (self.column == indent && !self.is_whitespace)
        {
            self.line_break();
        }
        while self.column < indent {
            self.put(' ');
        }
        self.is_whitespace = true;
        self.is_indention = true;
    }

    fn indicator(
        &mut self,
        indicator: &str,
        needs_space: bool,
        is_whitespace: bool,
        is_indention: bool,
    ) {
        if needs_space && !self.is_whitespace {
            self.put(' ');
        }
        indicator.chars().for_each(|c| self.put(c));
        self.is_whitespace = is_whitespace;
        self.is_indention &= is_indention;
        self.is_open_ended = false;
    }

    /// `indent` is that of the surrounding block; the root has no indent.
    fn node(&mut self, value: &Value, indent: Option<usize>, place: NodePosition) {
        let scalar_indent = indent.map_or(2, |indent| indent + 2);
        budget::allocate(scalar_indent + value.as_str().map_or(0, str::len));
        if value.is_null() {
            return self.plain("null", place);
        }
        match value.ty() {
            Type::String => self.string(text(value), scalar_indent, place),
            Type::Number => {
                let number = value.as_number().map(Number::to_string).unwrap_or_default();
                self.plain(&number, place);
            }
            Type::Bool => self.plain(if value.as_true() { "true" } else { "false" }, place),
            Type::Map(_) | Type::Object(_) => self.mapping(value, indent),
            Type::List(_) | Type::Set(_) | Type::Tuple(_) => self.sequence(value, indent, place),
            Type::Dynamic | Type::Capsule(_) => self.plain("null", place),
        }
    }

    fn sequence(&mut self, value: &Value, indent: Option<usize>, place: NodePosition) {
        if elements(value).is_empty() {
            self.indicator("[", true, true, false);
            return self.indicator("]", false, false, false);
        }
        let indent = match indent {
            None => 0,
            // After `key:` the items stand below the key itself.
            Some(indent) if place == NodePosition::InMapping && !self.is_indention => indent,
            Some(indent) => indent + 2,
        };
        for element in elements(value) {
            self.indent(indent);
            self.indicator("-", true, false, true);
            self.node(element, Some(indent), NodePosition::InSequence);
        }
    }

    fn mapping(&mut self, value: &Value, indent: Option<usize>) {
        let entries = value.as_map().filter(|entries| !entries.is_empty());
        let Some(entries) = entries else {
            self.indicator("{", true, true, false);
            return self.indicator("}", false, false, false);
        };
        let indent = indent.map_or(0, |indent| indent + 2);
        for (key, value) in entries {
            budget::allocate(key.len());
            self.indent(indent);
            if key.len() <= LONGEST_SIMPLE_KEY && !key.contains(is_break) {
                self.string(key, indent + 2, NodePosition::SimpleKey);
                self.indicator(":", false, false, false);
            } else {
                self.indicator("?", true, false, true);
                self.string(key, indent + 2, NodePosition::InMapping);
                self.indent(indent);
                self.indicator(":", true, false, true);
            }
            self.node(value, Some(indent), NodePosition::InMapping);
        }
    }

    fn plain(&mut self, scalar: &str, place: NodePosition) {
        if !self.is_whitespace {
            self.put(' ');
        }
        scalar.chars().for_each(|c| self.put(c));
        self.is_whitespace = false;
        self.is_indention = false;
        self.is_open_ended = place == NodePosition::Root;
    }

    fn string(&mut self, string: &str, indent: usize, place: NodePosition) {
        match string.contains('\n') && place != NodePosition::SimpleKey && can_be_block(string) {
            true => self.literal(string, indent),
            false => self.double_quoted(string, indent, place != NodePosition::SimpleKey),
        }
    }

    fn literal(&mut self, string: &str, indent: usize) {
        self.indicator("|", true, false, false);
        if string.starts_with(|c| c == ' ' || is_break(c)) {
            self.indicator("2", false, false, false);
        }
        let mut from_end = string.chars().rev();
        match (from_end.next().is_some_and(is_break), from_end.next()) {
            (false, _) => self.indicator("-", false, false, false),
            (true, Some(before)) if !is_break(before) => {}
            (true, _) => {
                self.indicator("+", false, false, false);
            }
        }
        self.line_break();
        self.is_indention = true;
        self.is_whitespace = true;
        let mut is_line_start = true;
        for c in string.chars() {
            if c == '\n' {
                self.line_break();
                self.is_indention = true;
                is_line_start = true;
            } else if is_break(c) {
                self.out.push(c);
                self.column = 0;
                self.is_indention = true;
                is_line_start = true;
            } else {
                if is_line_start {
                    self.indent(indent);
                }
                self.put(c);
                self.is_indention = false;
                is_line_start = false;
            }
        }
    }

    fn double_quoted(&mut self, string: &str, indent: usize, may_break: bool) {
        self.indicator("\"", true, false, false);
        let mut after_space = false;
        let mut chars = string.char_indices().peekable();
        while let Some((position, c)) = chars.next() {
            if c == ' ' {
                let is_inside = position > 0 && position + 1 < string.len();
                if may_break && !after_space && self.column > BEST_WIDTH && is_inside {
                    self.indent(indent);
                    if chars.peek().is_some_and(|(_, next)| *next == ' ') {
                        self.put('\\');
                    }
                } else {
                    self.put(' ');
                }
                after_space = true;
                continue;
            }
            after_space = false;
            match c {
                '"' | '\\' => {
                    self.put('\\');
                    self.put(c);
                }
                c if is_printable(c) && !is_break(c) => self.put(c),
                c => escape(c).chars().for_each(|c| self.put(c)),
            }
        }
        self.indicator("\"", false, false, false);
    }
}

fn is_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn is_printable(c: char) -> bool {
    matches!(c, '\n' | ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}')
        && c != '\u{feff}'
}

/// Whether the text comes back the same from a block without quotes and escapes.
fn can_be_block(string: &str) -> bool {
    let mut after_space = false;
    for c in string.chars() {
        if !is_printable(c) || (is_break(c) && after_space) {
            return false;
        }
        after_space = c == ' ';
    }
    !after_space
}

fn escape(c: char) -> String {
    let short = match c {
        '\0' => '0',
        '\u{7}' => 'a',
        '\u{8}' => 'b',
        '\t' => 't',
        '\n' => 'n',
        '\u{b}' => 'v',
        '\u{c}' => 'f',
        '\r' => 'r',
        '\u{1b}' => 'e',
        '\u{85}' => 'N',
        '\u{a0}' => '_',
        '\u{2028}' => 'L',
        '\u{2029}' => 'P',
        c if (c as u32) <= 0xff => return format!("\\x{:02X}", c as u32),
        c if (c as u32) <= 0xffff => return format!("\\u{:04X}", c as u32),
        c => return format!("\\U{:08X}", c as u32),
    };
    format!("\\{short}")
}

fn yamldecode(args: &[Value], _: &Type, context: &CallContext<'_>) -> Result<Value, CallError> {
    let mut reader = Reader {
        parser: Parser::new_from_str(text(&args[0])),
        anchors: BTreeMap::new(),
        merges_sequences: context.profile.has(feature::YAML_MERGE_SEQUENCE),
    };
    loop {
        match reader.next()? {
            Event::StreamStart | Event::Nothing => {}
            Event::DocumentStart(_) => break,
            _ => return Err("on line 1, column 1: missing start of document".into()),
        }
    }
    let first = reader.next()?;
    let value = reader.value(first, 0)?;
    loop {
        match reader.next()? {
            Event::DocumentStart(_) => return Err("only a single document is allowed".into()),
            Event::StreamEnd => return Ok(value),
            _ => {}
        }
    }
}

struct Reader<'a> {
    parser: Parser<'a, saphyr_parser::StrInput<'a>>,
    /// By number; `None` inside of its own definition.
    anchors: BTreeMap<usize, Option<Value>>,
    /// Whether `<<` takes a list of mappings too.
    merges_sequences: bool,
}

/// An event of the parser costs about as much as so many values.
const STEPS_PER_EVENT: usize = 8;

/// Deeper nesting is refused.
const MAX_DEPTH: usize = 200;

impl<'a> Reader<'a> {
    fn next(&mut self) -> Result<Event<'a>, CallError> {
        budget::spend(STEPS_PER_EVENT);
        match self.parser.next() {
            Some(Ok((event, _))) => Ok(event),
            Some(Err(error)) => {
                let mark = error.marker();
                Err(format!(
                    "on line {}, column {}: {}",
                    mark.line(),
                    mark.col() + 1,
                    error.info()
                )
                .into())
            }
            None => Ok(Event::StreamEnd),
        }
    }

    fn value(&mut self, event: Event<'a>, depth: usize) -> Result<Value, CallError> {
        if depth > MAX_DEPTH {
            return Err("exceeded max depth".into());
        }
        match event {
            Event::Scalar(source, style, anchor, tag) => {
                let value = scalar(&source, style, tag.as_deref())?;
                self.anchors.insert(anchor, Some(value.clone()));
                Ok(value)
            }
            Event::Alias(anchor) => match self.anchors.get(&anchor) {
                Some(Some(value)) => Ok(value.clone()),
                Some(None) => {
                    Err("cannot refer to an anchor from inside its own definition".into())
                }
                None => Err("reference to undefined anchor".into()),
            },
            Event::SequenceStart(anchor, tag) => {
                check_tag(tag.as_deref(), "seq", "sequence")?;
                self.anchors.insert(anchor, None);
                let mut elements = Vec::new();
                loop {
                    match self.next()? {
                        Event::SequenceEnd => break,
                        event => elements.push(self.value(event, depth + 1)?),
                    }
                }
                let value = Value::tuple(elements);
                self.anchors.insert(anchor, Some(value.clone()));
                Ok(value)
            }
            Event::MappingStart(anchor, tag) => {
                check_tag(tag.as_deref(), "map", "mapping")?;
                self.anchors.insert(anchor, None);
                let value = self.mapping(depth)?;
                self.anchors.insert(anchor, Some(value.clone()));
                Ok(value)
            }
            Event::DocumentStart(_) => Err("only a single document is allowed".into()),
            Event::StreamEnd => Err("expecting value but found end of stream".into()),
            Event::Nothing
            | Event::StreamStart
            | Event::DocumentEnd
            | Event::SequenceEnd
            | Event::MappingEnd => Err("unexpected content".into()),
        }
    }

    fn mapping(&mut self, depth: usize) -> Result<Value, CallError> {
        let mut entries: BTreeMap<String, Value> = BTreeMap::new();
        loop {
            let (source, style, tag) = match self.next()? {
                Event::MappingEnd => return Ok(Value::object(entries)),
                Event::Scalar(source, style, _, tag) => (source, style, tag),
                _ => return Err("only strings are allowed as mapping keys".into()),
            };
            let is_merge = source == "<<" && style == ScalarStyle::Plain && tag.is_none();
            let event = self.next()?;
            let value = self.value(event, depth + 1)?;
            if is_merge {
                let (merged, place) = match value.as_slice().filter(|_| self.merges_sequences) {
                    Some(mappings) => (mappings, " (from sequence)"),
                    None => (std::slice::from_ref(&value), ""),
                };
                for mapping in merged {
                    let Some(merged) = mapping.as_map() else {
                        let found = mapping.ty().friendly_name();
                        return Err(format!("cannot merge {found}{place} into mapping").into());
                    };
                    budget::spend(2 * merged.len());
                    let merged = merged.iter();
                    entries.extend(merged.map(|(key, value)| (key.to_string(), value.clone())));
                }
                continue;
            }
            let key = scalar(&source, style, tag.as_deref())?;
            if key.is_null() {
                return Err("mapping key cannot be null".into());
            }
            match convert(&key, &Type::String) {
                Ok(key) => entries.insert(text(&key).to_owned(), value),
                Err(_) => return Err("only strings are allowed as mapping keys".into()),
            };
        }
    }
}

/// The part of a tag after YAML's own prefix; other tags come whole.
fn tag_name(tag: &Tag) -> String {
    match tag.handle.as_str() {
        "tag:yaml.org,2002:" | "!!" => tag.suffix.clone(),
        handle => format!("{handle}{}", tag.suffix),
    }
}

fn check_tag(tag: Option<&Tag>, wanted: &str, what: &str) -> Result<(), CallError> {
    match tag.map(tag_name) {
        Some(name) if name != wanted => Err(format!("can't interpret {what} as {name}").into()),
        Some(_) | None => Ok(()),
    }
}

/// The value of a scalar. Without tag, a text without quotes may be a number, bool, null or time.
fn scalar(source: &str, style: ScalarStyle, tag: Option<&Tag>) -> Result<Value, CallError> {
    let tag = tag.map(tag_name);
    let cannot = |tag: &str| {
        Err(CallError::call(format!(
            "cannot parse {} as !!{tag}",
            quoted(source)
        )))
    };
    match tag.as_deref() {
        None if style != ScalarStyle::Plain => Ok(Value::string(source)),
        None => match constant(source)
            .or_else(|| timestamp(source))
            .or_else(|| plain_number(source))
        {
            Some(value) => Ok(value),
            None if matches!(source, ".nan" | ".NaN" | ".NAN") => {
                Err("floating point NaN is not supported".into())
            }
            None => Ok(Value::string(source)),
        },
        Some("str") => Ok(Value::string(source)),
        Some("binary") => match decode_base64(source) {
            Some(_) => Ok(Value::string(source)),
            None => Err(format!(
                "cannot parse {} as !!binary: not valid base64",
                quoted(source)
            )
            .into()),
        },
        Some("null") => Ok(Value::null(Type::Dynamic)),
        Some("bool") => match constant(source).filter(|value| value.as_bool().is_some()) {
            Some(value) => Ok(value),
            None => cannot("bool"),
        },
        Some(tag @ ("int" | "float")) => match number(source) {
            Some(value) => Ok(value),
            None => cannot(tag),
        },
        Some("timestamp") => match timestamp(source) {
            Some(value) => Ok(value),
            None => cannot("timestamp"),
        },
        Some(tag) => Err(format!("unsupported tag {}", quoted(tag)).into()),
    }
}

fn constant(source: &str) -> Option<Value> {
    Some(match source {
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            Value::bool(true)
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            Value::bool(false)
        }
        "" | "~" | "null" | "Null" | "NULL" => Value::null(Type::Dynamic),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => {
            Value::number(Number::try_from(f64::INFINITY).ok()?)
        }
        "-.inf" | "-.Inf" | "-.INF" => Value::number(Number::try_from(f64::NEG_INFINITY).ok()?),
        _ => return None,
    })
}

/// The numbers that need no tag: decimal ones, `0x1f` and `0o17`.
fn plain_number(source: &str) -> Option<Value> {
    let is_decimal = |c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | 'e' | 'E');
    match source.starts_with("0x") || source.starts_with("0o") || source.chars().all(is_decimal) {
        true if !source.contains('_') => number(source),
        _ => None,
    }
}

/// Numbers in any notation, as a tag allows: integers as in Go, and decimal fractions.
fn number(source: &str) -> Option<Value> {
    if !source.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.')) {
        return None;
    }
    let plain = source.replace('_', "");
    let (is_negative, digits) = match plain.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, plain.strip_prefix('+').unwrap_or(&plain)),
    };
    let (mantissa, exponent) = match digits.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent.trim_start_matches(['+', '-']))),
        None => (digits, None),
    };
    let is_digits = |text: &str| text.bytes().all(|c| c.is_ascii_digit());
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let is_decimal = is_digits(whole)
        && is_digits(fraction)
        && !(whole.is_empty() && fraction.is_empty())
        && exponent.is_none_or(|exponent| !exponent.is_empty() && is_digits(exponent));
    if !is_decimal {
        let prefixes = [
            ("0x", 16),
            ("0X", 16),
            ("0o", 8),
            ("0O", 8),
            ("0b", 2),
            ("0B", 2),
        ];
        let prefixed = prefixes
            .into_iter()
            .find_map(|(prefix, radix)| Some((digits.strip_prefix(prefix)?, radix)));
        if let Some((digits, radix)) = prefixed
            && !digits.starts_with(['+', '-'])
            && let Ok(integer) = i64::from_str_radix(digits, radix)
        {
            return Some(Value::int(if is_negative { -integer } else { integer }));
        }
        return None;
    }
    let sign = if is_negative { "-" } else { "" };
    let whole = if whole.is_empty() { "0" } else { whole };
    let fraction = if fraction.is_empty() { "0" } else { fraction };
    let exponent = match digits.split_once(['e', 'E']) {
        Some((_, exponent)) => format!("e{exponent}"),
        None => String::new(),
    };
    Number::parse(&format!("{sign}{whole}.{fraction}{exponent}")).map(Value::number)
}

/// A date or a date with a time, as RFC 3339 text.
fn timestamp(source: &str) -> Option<Value> {
    if source.as_bytes().get(4) != Some(&b'-') {
        return None;
    }
    let (date, clock) = match source.find(['T', 't', ' ']) {
        Some(at) => (&source[..at], Some((&source[at..=at], &source[at + 1..]))),
        None => (source, None),
    };
    let two_digits = |part: &str| match part.len() {
        1 | 2 if part.bytes().all(|c| c.is_ascii_digit()) => Some(format!("{part:0>2}")),
        _ => None,
    };
    let mut date_parts = date.splitn(3, '-');
    let (year, month, day) = (date_parts.next()?, date_parts.next()?, date_parts.next()?);
    let (month, day) = (two_digits(month)?, two_digits(day)?);
    let clock = match clock {
        None => "00:00:00Z".to_owned(),
        Some((separator, clock)) => {
            let zone_at = clock.find(['Z', '+', '-']).unwrap_or(clock.len());
            let (clock, zone) = clock.split_at(zone_at);
            let zone = match (separator, zone) {
                (" ", "") => "Z",
                (" ", _) | (_, "") => return None,
                (_, zone) => zone,
            };
            let (clock, fraction) = match clock.split_once('.') {
                Some((clock, fraction)) => (clock, format!(".{fraction}")),
                None => (clock, String::new()),
            };
            let mut parts = clock.splitn(3, ':');
            let (hour, minute, second) = (parts.next()?, parts.next()?, parts.next()?);
            let (hour, minute, second) =
                (two_digits(hour)?, two_digits(minute)?, two_digits(second)?);
            format!("{hour}:{minute}:{second}{fraction}{zone}")
        }
    };
    time::normalized(&format!("{year}-{month}-{day}T{clock}")).map(Value::string)
}
