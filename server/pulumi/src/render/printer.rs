//! Values and their differences as lines.

use std::collections::BTreeMap;

use text::padded;

use super::difference::{Difference, Differing, ElementDiff, Key, Update};
use super::lines::chunks;
use crate::config::is_timestamp;
use crate::functions::exponential;
use crate::path::Path;
use crate::value::{Archive, Object, Source, Value};

/// The symbol before a line.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Mark {
    None,
    Same,
    Add,
    Delete,
    Update,
}

impl Mark {
    fn text(self) -> &'static str {
        match self {
            Mark::None | Mark::Same => "  ",
            Mark::Add => "+ ",
            Mark::Delete => "- ",
            Mark::Update => "~ ",
        }
    }
}

/// Deeper levels are not indented further, as the text of a value would grow with the square of its depth.
const DEEPEST: usize = 64;

pub(super) struct Printer<'a> {
    text: &'a mut String,
    indent: usize,
    mark: Mark,
}

impl Printer<'_> {
    pub(super) fn new(text: &mut String, indent: usize) -> Printer<'_> {
        Printer {
            text,
            indent,
            mark: Mark::None,
        }
    }

    pub(super) fn marked(&mut self, mark: Mark) -> Printer<'_> {
        Printer {
            text: self.text,
            indent: self.indent,
            mark,
        }
    }

    fn indented(&mut self, more: usize) -> Printer<'_> {
        Printer {
            text: self.text,
            indent: self.indent + more,
            mark: self.mark,
        }
    }

    fn indentation(&self) -> String {
        " ".repeat(4 * self.indent.min(DEEPEST))
    }

    /// The beginning of a line with its mark.
    fn lead(&mut self) {
        let indent = self.indentation();
        self.text
            .push_str(&indent[..indent.len().saturating_sub(2)]);
        self.text.push_str(self.mark.text());
    }

    fn line(&mut self, text: &str) {
        self.lead();
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// The end of a block that was opened on an earlier line.
    fn close(&mut self, text: &str) {
        let indent = self.indentation();
        self.text.push_str(&indent);
        self.text.push_str(text);
    }

    fn title(&mut self, name: &str, width: usize) {
        self.lead();
        self.text.push_str(&padded(name, width));
        self.text.push_str(": ");
    }

    /// Properties that a person did not make are left out, but they count for the width.
    pub(super) fn object(&mut self, object: &Object) {
        let width = width(object.keys());
        for (key, value) in object {
            if !key.starts_with("__") {
                self.title(key, width);
                self.value(value);
            }
        }
    }

    /// Outputs that say something.
    pub(super) fn outputs(&mut self, outputs: &Object) {
        let width = width(outputs.keys());
        for (key, value) in outputs {
            if !key.starts_with("__") && says_something(value) {
                self.title(key, width);
                self.value(value);
            }
        }
    }

    fn value(&mut self, value: &Value) {
        self.value_in_line(value);
        self.text.push('\n');
    }

    fn value_in_line(&mut self, value: &Value) {
        match value {
            Value::Array(elements) if elements.is_empty() => self.text.push_str("[]"),
            Value::Array(elements) => {
                self.text.push_str("[\n");
                for (index, element) in elements.iter().enumerate() {
                    self.lead();
                    self.text.push_str(&format!("    [{index}]: "));
                    self.indented(1).value(element);
                }
                self.close("]");
            }
            Value::Object(object) if object.is_empty() => self.text.push_str("{}"),
            Value::Object(object) => {
                self.text.push_str("{\n");
                self.indented(1).object(object);
                self.close("}");
            }
            Value::Asset(asset) => self.content("asset", &asset.hash, &asset.source),
            Value::Archive(archive) => self.content("archive", &archive.hash, &archive.source),
            Value::Resource(resource) => {
                self.text.push_str("{\n");
                let mut inner = self.indented(1);
                inner.title("URN", 3);
                inner.text.push_str(&quoted(&resource.urn));
                inner.text.push('\n');
                inner.title("ID", 3);
                inner.value(resource.id.as_deref().unwrap_or(&Value::Null));
                inner.title("PackageVersion", 3);
                inner.text.push_str("\"\"\n");
                self.close("}");
            }
            Value::Null
            | Value::NullOutput
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Unknown
            | Value::Secret(_) => self.primitive(value),
        }
    }

    fn primitive(&mut self, value: &Value) {
        let text = match value {
            Value::Bool(value) => value.to_string(),
            Value::Number(value) => number(*value),
            Value::String(text) => match decoded(text) {
                Some((value, kind)) => {
                    self.text.push_str(&format!("({kind}) "));
                    return self.value(&value);
                }
                None => quoted(text),
            },
            Value::Unknown => "[unknown]".to_owned(),
            Value::Secret(_) => "[secret]".to_owned(),
            _ => "<null>".to_owned(),
        };
        self.text.push_str(&text);
    }

    fn content(&mut self, kind: &str, hash: &str, source: &Source) {
        let hash = short(hash);
        match source {
            // The engine leaves the text out of all that it shows.
            Source::Text(_) => {
                self.text.push_str(&format!("{kind}(text:{hash}) {{\n"));
                self.close("    <contents elided>\n");
                self.close("}");
            }
            Source::Path(path) => {
                self.text
                    .push_str(&format!("{kind}(file:{hash}) {{ {path} }}"));
            }
            Source::Uri(uri) => self
                .text
                .push_str(&format!("{kind}(uri:{hash}) {{ {uri} }}")),
            Source::Assets(assets) => {
                self.text.push_str(&format!("{kind}(assets:{hash}) {{\n"));
                for (name, asset) in assets {
                    self.lead();
                    self.text.push_str(&format!("    \"{name}\": "));
                    self.indented(1).value(asset);
                }
                self.close("}");
            }
        }
    }

    /// The differences; only those of `keys`, if there are any.
    pub(super) fn differences(
        &mut self,
        difference: &Difference,
        keys: &[String],
        hidden: &[String],
    ) {
        for path in hidden {
            self.marked(Mark::Update).line(&format!("{path} (hidden)"));
        }
        let parts = difference.parts.iter();
        let meant: BTreeMap<&str, &ElementDiff> = parts
            .filter_map(|(key, part)| match key {
                Key::Name(name) if keys.is_empty() || keys.contains(name) => {
                    Some((name.as_str(), part))
                }
                Key::Name(_) | Key::Index(_) => None,
            })
            .collect();
        let width = width(meant.keys());
        for (name, part) in meant {
            self.part(part, &|printer| printer.title(name, width));
        }
    }

    /// The differences of outputs, without equal parts.
    pub(super) fn changed(&mut self, difference: &Difference) {
        let names = difference.parts.keys().filter_map(|it| match it {
            Key::Name(name) => Some(name),
            Key::Index(_) => None,
        });
        let width = width(names);
        for (key, part) in &difference.parts {
            if let (Key::Name(name), false) = (key, matches!(part, ElementDiff::Same(_))) {
                self.part(part, &|printer| printer.title(name, width));
            }
        }
    }

    fn part(&mut self, part: &ElementDiff, title: &dyn Fn(&mut Printer<'_>)) {
        match part {
            ElementDiff::Same(value) if !says_something(value) => {}
            ElementDiff::Same(value) => self.titled(Mark::None, title, value),
            ElementDiff::Add(value) => self.titled(Mark::Add, title, value),
            ElementDiff::Delete(value) => self.titled(Mark::Delete, title, value),
            ElementDiff::Update(update) => self.marked(Mark::Update).update(update, title),
        }
    }

    fn titled(&mut self, mark: Mark, title: &dyn Fn(&mut Printer<'_>), value: &Value) {
        let mut printer = self.marked(mark);
        title(&mut printer);
        printer.value(value);
    }

    fn update(&mut self, update: &Update, title: &dyn Fn(&mut Printer<'_>)) {
        match update {
            Update::Inside(difference) if difference.is_list => {
                title(self);
                self.text.push_str("[\n");
                for (key, part) in &difference.parts {
                    let Key::Index(index) = key else {
                        continue;
                    };
                    let title = |printer: &mut Printer<'_>| {
                        printer.indent -= 1;
                        printer.lead();
                        printer.indent += 1;
                        printer.text.push_str(&format!("[{index}]: "));
                    };
                    let mut inner = self.indented(2);
                    match part {
                        ElementDiff::Same(value) => inner.titled(Mark::None, &title, value),
                        other => inner.part(other, &title),
                    }
                }
                self.close("]\n");
            }
            Update::Inside(difference) => {
                title(self);
                self.text.push_str("{\n");
                self.indented(1).differences(difference, &[], &[]);
                self.close("}\n");
            }
            Update::Whole { old, new } => self.whole(old, new, title),
        }
    }

    fn whole(&mut self, old: &Value, new: &Value, title: &dyn Fn(&mut Printer<'_>)) {
        let says = (says_something(old), says_something(new));
        match (old, new) {
            (Value::Archive(old), Value::Archive(new)) if self.archives(old, new, title) => {}
            (Value::String(old), Value::String(new)) if says == (true, true) => {
                title(self);
                self.texts(old, new);
            }
            _ if says == (true, true) && is_primitive(old) && is_primitive(new) => {
                title(self);
                self.marked(Mark::Delete).primitive(old);
                self.text.push_str(" => ");
                self.marked(Mark::Add).primitive(new);
                self.text.push('\n');
            }
            _ => {
                if says.0 {
                    self.titled(Mark::Delete, title, old);
                }
                if says.1 {
                    self.titled(Mark::Add, title, new);
                }
            }
        }
    }

    /// Archives of one kind, without their unchanged parts.
    fn archives(&mut self, old: &Archive, new: &Archive, title: &dyn Fn(&mut Printer<'_>)) -> bool {
        let hash = change(short(&old.hash), short(&new.hash));
        let kind = match (&old.source, &new.source) {
            (Source::Path(_), Source::Path(_)) => "file",
            (Source::Uri(_), Source::Uri(_)) => "uri",
            (Source::Assets(olds), Source::Assets(news)) => {
                title(self);
                self.text.push_str(&format!("archive(assets:{hash}) {{\n"));
                self.indented(1).assets(olds, news);
                self.close("}\n");
                return true;
            }
            _ => return false,
        };
        let (Source::Path(old) | Source::Uri(old), Source::Path(new) | Source::Uri(new)) =
            (&old.source, &new.source)
        else {
            return false;
        };
        title(self);
        let source = change(old, new);
        self.text
            .push_str(&format!("archive({kind}:{hash}) {{ {source} }}\n"));
        true
    }

    fn assets(&mut self, olds: &Object, news: &Object) {
        let names: std::collections::BTreeSet<&String> = olds.keys().chain(news.keys()).collect();
        let width = width(names.iter()) + 2;
        for name in names {
            let name = name.as_str();
            let title = |printer: &mut Printer<'_>| printer.title(&format!("\"{name}\""), width);
            match (olds.get(name), news.get(name)) {
                (Some(old), Some(new)) if content_hash(old) == content_hash(new) => {}
                (Some(Value::Archive(old)), Some(Value::Archive(new))) => {
                    if !self.marked(Mark::Update).archives(old, new, &title) {
                        self.titled(Mark::Delete, &title, &Value::Archive(old.clone()));
                        self.titled(Mark::Add, &title, &Value::Archive(new.clone()));
                    }
                }
                (Some(Value::Asset(old)), Some(Value::Asset(new))) => {
                    let hash = change(short(&old.hash), short(&new.hash));
                    let mut printer = self.marked(Mark::Update);
                    match (&old.source, &new.source) {
                        (Source::Path(a), Source::Path(b)) | (Source::Uri(a), Source::Uri(b)) => {
                            title(&mut printer);
                            let kind = match old.source {
                                Source::Path(_) => "file",
                                _ => "uri",
                            };
                            let source = change(a, b);
                            printer
                                .text
                                .push_str(&format!("asset({kind}:{hash}) {{ {source} }}\n"));
                        }
                        (Source::Text(_), Source::Text(_)) => {
                            title(&mut printer);
                            printer.text.push_str(&format!("asset(text:{hash}) {{"));
                            printer.indented(1).texts(ELIDED, ELIDED);
                            printer.close("}\n");
                        }
                        _ => {
                            printer.titled(Mark::Delete, &title, &Value::Asset(old.clone()));
                            printer.titled(Mark::Add, &title, &Value::Asset(new.clone()));
                        }
                    }
                }
                (Some(old), Some(new)) => {
                    self.titled(Mark::Delete, &title, old);
                    self.titled(Mark::Add, &title, new);
                }
                (Some(old), None) => self.indented(1).titled(Mark::Delete, &title, old),
                (None, Some(new)) => self.indented(1).titled(Mark::Add, &title, new),
                (None, None) => {}
            }
        }
    }

    /// Two texts, up to the end of the line.
    fn texts(&mut self, old: &str, new: &str) {
        match (decoded(old), decoded(new)) {
            (Some((a, _)), Some((b, _))) if a == b => {
                return self.texts(&quoted(old), &quoted(new));
            }
            (Some((old, of_old)), Some((new, of_new))) => {
                self.text.push_str(&match of_old == of_new {
                    true => format!("({of_old}) "),
                    false => format!("({of_old} => {of_new}) "),
                });
                return match Differing::default().values(&old, &new, &Path(Vec::new())) {
                    Some(update) => self.update(&update, &|_| {}),
                    None => self.value(&old),
                };
            }
            _ => {}
        }
        if !old.contains('\n') && !new.contains('\n') {
            let line = format!("{} => {}\n", quoted(old), quoted(new));
            return self.text.push_str(&line);
        }
        self.text.push('\n');
        self.indented(1).lines(old, new);
    }

    /// The lines that differ, with two around them.
    fn lines(&mut self, old: &str, new: &str) {
        const AROUND: usize = 2;
        let chunks = chunks(old, new);
        let last = chunks.len().saturating_sub(1);
        for (nth, (mark, lines)) in chunks.iter().enumerate() {
            let lines: Vec<&str> = lines
                .iter()
                .copied()
                .filter(|it| !it.trim().is_empty())
                .collect();
            let mut printer = self.marked(*mark);
            let mut print = |lines: &[&str]| lines.iter().for_each(|line| printer.line(line));
            let (head, tail) = (lines.len().min(AROUND), lines.len().saturating_sub(AROUND));
            match mark {
                Mark::None if nth == 0 && lines.len() > AROUND + 1 => {
                    print(&["..."]);
                    print(&lines[tail..]);
                }
                Mark::None if nth == last && lines.len() > AROUND + 1 => {
                    print(&lines[..head]);
                    print(&["..."]);
                }
                Mark::None if nth != 0 && nth != last && lines.len() > 2 * AROUND + 1 => {
                    print(&lines[..head]);
                    print(&["..."]);
                    print(&lines[tail..]);
                }
                _ => print(&lines),
            }
        }
    }
}

const ELIDED: &str = "<contents elided>";

fn width(keys: impl Iterator<Item = impl AsRef<str>>) -> usize {
    // Pulumi counts bytes for the longest and characters to fill up the others.
    keys.map(|key| key.as_ref().len()).max().unwrap_or_default()
}

/// Nulls and empty values would only be noise.
fn says_something(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(elements) => !elements.is_empty(),
        Value::Object(object) => !object.is_empty(),
        _ => true,
    }
}

fn is_primitive(value: &Value) -> bool {
    !matches!(
        value,
        Value::Array(_)
            | Value::Object(_)
            | Value::Asset(_)
            | Value::Archive(_)
            | Value::Resource(_)
    )
}

fn content_hash(value: &Value) -> Option<(bool, &str)> {
    match value {
        Value::Asset(asset) => Some((true, &asset.hash)),
        Value::Archive(archive) => Some((false, &archive.hash)),
        _ => None,
    }
}

fn short(hash: &str) -> &str {
    hash.get(..7).unwrap_or(hash)
}

fn change(old: &str, new: &str) -> String {
    match old == new {
        true => old.to_owned(),
        false => format!("{old}->{new}"),
    }
}

/// As Go's `%.f` has whole numbers and `%g` others.
fn number(value: f64) -> String {
    match value {
        _ if value.is_nan() => "NaN".to_owned(),
        f64::INFINITY => "+Inf".to_owned(),
        f64::NEG_INFINITY => "-Inf".to_owned(),
        // All digits, of however large a number.
        _ if value.fract() == 0.0 => format!("{value:.0}"),
        _ => exponential(value, -4, 6).unwrap_or_else(|| value.to_string()),
    }
}

/// As Go has it: marks that join the character before them are printed.
fn is_printable(c: char) -> bool {
    c.escape_debug().eq([c]) || format!("a{c}").escape_debug().eq(['a', c])
}

/// As Go's `%q`.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\u{7}' => quoted.push_str("\\a"),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{b}' => quoted.push_str("\\v"),
            '\u{c}' => quoted.push_str("\\f"),
            '\0'..' ' | '\u{7f}' => quoted.push_str(&format!("\\x{:02x}", u32::from(c))),
            _ if !is_printable(c) && c != '\'' => {
                let code = u32::from(c);
                quoted.push_str(&match code > 0xffff {
                    true => format!("\\U{code:08x}"),
                    false => format!("\\u{code:04x}"),
                });
            }
            _ => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// The object or list that a text holds in JSON, or in YAML if it has several lines.
fn decoded(text: &str) -> Option<(Value, &'static str)> {
    let text = text.trim();
    let is_structure = |value: &Value| matches!(value, Value::Array(_) | Value::Object(_));
    if text.starts_with(['{', '['])
        && let Ok(json) = serde_json::from_str::<serde_json::Value>(text)
    {
        let value = of_json(json);
        return is_structure(&value).then_some((value, "json"));
    }
    if !text.contains(['\r', '\n']) {
        return None;
    }
    let root = yaml::resolved_document(text)?;
    let value = of_yaml(&root)?;
    is_structure(&value).then_some((value, "yaml"))
}

/// Nothing in it has a special meaning, as a secret has elsewhere.
fn of_json(json: serde_json::Value) -> Value {
    match json {
        serde_json::Value::Null => Value::Null,
        serde_json::Value::Bool(value) => Value::Bool(value),
        serde_json::Value::Number(number) => Value::Number(number.as_f64().unwrap_or(f64::NAN)),
        serde_json::Value::String(text) => Value::String(text),
        serde_json::Value::Array(elements) => {
            Value::Array(elements.into_iter().map(of_json).collect())
        }
        serde_json::Value::Object(object) => {
            let entries = object.into_iter();
            Value::Object(entries.map(|(key, it)| (key, of_json(it))).collect())
        }
    }
}

/// Keys of mappings are texts and numbers.
///
/// Source: `translateYAMLValue` in `backend/display/object_diff.go` of Pulumi.
fn of_yaml(node: &yaml::Node) -> Option<Value> {
    Some(match &node.kind {
        yaml::NodeKind::Scalar(scalar) => match scalar.resolve() {
            yaml::Resolved::Null => Value::Null,
            yaml::Resolved::Bool(value) => Value::Bool(value),
            yaml::Resolved::Number(value) => Value::Number(value),
            // A time in Go, which has no members that others see.
            yaml::Resolved::String if is_timestamp(scalar) => Value::Object(Object::new()),
            yaml::Resolved::String => Value::String(scalar.text.to_string()),
        },
        yaml::NodeKind::Sequence(elements) => {
            let elements: Option<Vec<Value>> = elements.iter().map(of_yaml).collect();
            Value::Array(elements?)
        }
        yaml::NodeKind::Mapping(entries) => {
            let key = |scalar: &yaml::Scalar| match scalar.resolve() {
                yaml::Resolved::String if is_timestamp(scalar) => None,
                yaml::Resolved::String => Some(scalar.text.to_string()),
                yaml::Resolved::Number(value) => Some(number(value)),
                yaml::Resolved::Null | yaml::Resolved::Bool(_) => None,
            };
            let entries = entries.iter();
            let entries = entries.map(|it| Some((key(it.key.scalar()?)?, of_yaml(&it.value)?)));
            let entries: Option<Object> = entries.collect();
            Value::Object(entries?)
        }
        yaml::NodeKind::Alias => return None,
    })
}
