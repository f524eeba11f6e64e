//! Values as a person reads them: as in the configuration, with sensitive parts masked, and `(known after apply)` or its like for
//! unknown ones.

use std::fmt::Write;

use config::Reference;
use cty::{KNOWN_AFTER_APPLY, Type, Value, is_secret, quote};
use text::Span;

use super::{FactInputs, hovers};
use crate::Policy;
use crate::any_engine::MASKED;

/// The value of a variable without one, and of its dependents.
pub(super) const NO_VALUE: &str = "(no value)";

/// Shown for values that depend on a data source that only a refresh reads.
const UNREAD: &str = "(not read yet)";
/// The same, if the settings forbid reading.
const NEVER_READ: &str = "(not read)";

/// On one line; `None` where it would be longer than `limit` characters.
pub(crate) fn short(value: &Value, limit: usize) -> Option<String> {
    let mut text = String::new();
    write(value, None, limit + 1, &mut text);
    (text.chars().count() <= limit && !text.contains('\n')).then_some(text)
}

/// On as many lines as it needs, but cut at `limit` characters.
pub(crate) fn long(value: &Value, limit: usize) -> String {
    let mut text = String::new();
    write(value, Some(0), limit, &mut text);
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// `indent`: the depth of the lines, `None` for all on one. Nothing is added once the text is longer than `limit`.
fn write(value: &Value, indent: Option<usize>, limit: usize, text: &mut String) {
    if text.len() > limit * 4 {
        return;
    }
    if is_secret(value.marks()) {
        return text.push_str(MASKED);
    }
    let (value, _) = value.unmark();
    if !value.is_known() {
        return text.push_str(KNOWN_AFTER_APPLY);
    }
    if value.is_null() {
        return text.push_str("null");
    }
    match value.ty() {
        Type::Bool => text.push_str(if value.as_true() { "true" } else { "false" }),
        Type::Number => {
            let _ = write!(
                text,
                "{}",
                value
                    .as_number()
                    .map(ToString::to_string)
                    .unwrap_or_default()
            );
        }
        Type::String => text.push_str(&quote(value.as_str().unwrap_or_default())),
        Type::List(_) | Type::Set(_) | Type::Tuple(_) => {
            let items = value.as_slice().unwrap_or_default();
            write_items(
                items.iter().map(|item| (None, item)),
                ['[', ']'],
                indent,
                limit,
                text,
            );
        }
        Type::Map(_) => {
            let items = value.as_map().into_iter().flatten();
            let items = items.map(|(key, item)| (Some(Key::Quoted(key)), item));
            write_items(items, ['{', '}'], indent, limit, text);
        }
        Type::Object(_) => {
            let items = value.as_map().into_iter().flatten();
            let items = items.map(|(key, item)| (Some(Key::Bare(key)), item));
            write_items(items, ['{', '}'], indent, limit, text);
        }
        Type::Dynamic | Type::Capsule(_) => text.push('…'),
    }
}

enum Key<'a> {
    Quoted(&'a str),
    /// Bare where it is a name.
    Bare(&'a str),
}

fn write_items<'a>(
    items: impl Iterator<Item = (Option<Key<'a>>, &'a Value)>,
    [open, close]: [char; 2],
    indent: Option<usize>,
    limit: usize,
    text: &mut String,
) {
    text.push(open);
    let mut is_empty = true;
    for (key, item) in items {
        match indent {
            Some(depth) => {
                text.push('\n');
                text.extend(std::iter::repeat_n("  ", depth + 1));
            }
            None if is_empty && open == '{' => text.push(' '),
            None if is_empty => {}
            None => text.push_str(", "),
        }
        is_empty = false;
        match key {
            Some(Key::Bare(key)) if config::is_identifier(key) => {
                text.push_str(key);
                text.push_str(" = ");
            }
            Some(Key::Quoted(key) | Key::Bare(key)) => {
                text.push_str(&quote(key));
                text.push_str(" = ");
            }
            None => {}
        }
        write(item, indent.map(|depth| depth + 1), limit, text);
        if indent.is_some() && open == '[' {
            text.push(',');
        }
    }
    match indent {
        Some(depth) if !is_empty => {
            text.push('\n');
            text.extend(std::iter::repeat_n("  ", depth));
        }
        None if !is_empty && open == '{' => text.push(' '),
        _ => {}
    }
    text.push(close);
}

impl FactInputs<'_> {
    /// The text for something unknown at `span`.
    pub(super) fn unknown(&self, span: &Span, references: &[Reference]) -> &'static str {
        let references = references.iter().filter(|it| span.contains(&it.span));
        let mut known_sooner = references.filter_map(|it| self.known_sooner(it));
        known_sooner.next().unwrap_or(KNOWN_AFTER_APPLY)
    }

    /// The text for a reference without a value, if it gets one sooner than by an apply.
    pub(super) fn known_sooner(&self, reference: &Reference) -> Option<&'static str> {
        if self.plan.is_without_value(reference) {
            return Some(NO_VALUE);
        }
        let is_unread = self.plan.is_unread(reference) || self.is_stale(reference);
        let unread = match self.settings.data_sources {
            Policy::Off => NEVER_READ,
            Policy::OnCommand | Policy::OnSave => UNREAD,
        };
        is_unread.then_some(unread)
    }

    /// Whether the state lacks this part of an object that a refresh would read.
    pub(super) fn is_stale(&self, reference: &Reference) -> bool {
        self.plan.is_standing_in(reference)
            && hovers::referenced(self, &reference.subject).is_some_and(|value| {
                let mut steps = reference.remaining.iter();
                let applied = steps.try_fold(value, |value, step| match value.is_marked() {
                    true => Some(value),
                    false => hovers::path_step(step)?.apply(&value).ok(),
                });
                applied.is_none()
            })
    }

    /// Whether the value at `span` may be unknown only because it, or a reference in it, has errors.
    pub(super) fn is_in_doubt(&self, span: &Span, references: &[Reference]) -> bool {
        let mut references = references.iter().filter(|it| span.contains(&it.span));
        references.any(|reference| self.plan.is_in_doubt(reference))
            || self.plan.has_errors_within(span)
    }
}

#[cfg(test)]
mod tests {
    use cty::Mark;

    use super::*;

    #[test]
    fn a_value_reads_as_in_the_configuration() {
        let value = Value::object([
            ("name", Value::string("we\"b")),
            (
                "ports",
                Value::list(Type::Number, vec![Value::int(80), Value::int(443)]),
            ),
            (
                "tags",
                Value::map(Type::String, [("a b", Value::string("x"))]),
            ),
            ("id", Value::unknown(Type::String)),
            ("password", Value::string("hunter2").mark(Mark::Sensitive)),
        ]);
        assert_eq!(
            short(&value, 200).unwrap(),
            r#"{ id = (known after apply), name = "we\"b", password = (sensitive value), ports = [80, 443], tags = { "a b" = "x" } }"#
        );
        assert_eq!(short(&value, 20), None);
        assert_eq!(
            long(
                &Value::list(Type::Number, vec![Value::int(80), Value::int(443)]),
                100
            ),
            "[\n  80,\n  443,\n]"
        );
    }

    #[test]
    fn keys_that_are_no_names_are_quoted() {
        let value = Value::object([("\n```\n![](x)", Value::string("\u{1b}[2J\u{202e}"))]);
        assert_eq!(
            short(&value, 200).unwrap(),
            r#"{ "\n```\n![](x)" = "\x1b[2J\u202e" }"#
        );
    }

    #[test]
    fn something_sensitive_inside_is_masked_too() {
        let secret = Value::tuple(vec![Value::string("hunter2").mark(Mark::Sensitive)]);
        assert!(!long(&secret, 100).contains("hunter2"));
    }
}
