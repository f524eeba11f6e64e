//! The causes of a change in a text, in words.

use std::fmt;

use text::Span;

/// Changed values, and the one place where the text gives them.
#[derive(Clone, PartialEq, Debug)]
pub struct Cause {
    pub span: Span,
    /// The argument that it is in, if it is in one.
    pub argument: Option<Span>,
    pub changed: Vec<Changed>,
}

/// The narrowest value that differs.
#[derive(Clone, PartialEq, Debug)]
pub struct Changed {
    /// Its path, as the text would write it.
    pub path: String,
    /// The last step of its path.
    pub name: String,
    pub before: ValueText,
    pub after: ValueText,
    /// Whether the text at the cause's place is this value itself, not something around it.
    pub is_own_place: bool,
}

/// A value, as it may be shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ValueText {
    /// On one line, with sensitive parts masked.
    Known(String),
    /// Only the apply will tell.
    Unknown(String),
    /// All of it is sensitive.
    Masked,
    /// Too long for a line.
    Long,
}

/// In the place of a sensitive value.
pub(crate) const MASKED: &str = "(sensitive value)";

/// Changed values that one sentence names.
const NAMED: usize = 3;

impl Cause {
    /// The change in at most `limit` characters: `"old" -> "new"`, else `was "old"`, else the
    /// name of the changed attribute.
    pub(crate) fn summary(&self, limit: usize) -> Option<String> {
        let fits = |text: &String| text.chars().count() <= limit;
        match self.changed.as_slice() {
            [] => None,
            [changed] if changed.is_own_place => changed.forms().into_iter().find(fits),
            [changed] => {
                let forms = changed.forms().into_iter();
                forms
                    .map(|form| format!("{}: {form}", changed.name))
                    .chain([changed.name.clone()])
                    .find(fits)
            }
            several => {
                let names: Vec<&str> = several.iter().map(|it| it.name.as_str()).collect();
                Some(names.join(", ")).filter(fits)
            }
        }
    }

    /// `argument "old" -> "new"` for everything that changed.
    pub(crate) fn sentence(&self) -> String {
        named(&self.changed.iter().collect::<Vec<_>>())
    }
}

/// `argument "old" -> "new"` for the first of the values that changed, and how many more there are.
pub(super) fn named(changed: &[&Changed]) -> String {
    let mut parts: Vec<String> = changed
        .iter()
        .take(NAMED)
        .map(|changed| {
            let forms = changed.forms().into_iter();
            let change = forms
                .take(1)
                .find(|form| form.chars().count() <= 120 && form != known_after_apply());
            let path = &changed.path;
            match change {
                Some(change) if change == MASKED => format!("{path} changes {change}"),
                Some(change) => format!("{path} {change}"),
                None => format!("{path} changes"),
            }
        })
        .collect();
    if changed.len() > NAMED {
        parts.push(format!("{} more", changed.len() - NAMED));
    }
    parts.join(", ")
}

/// The text to follow other words, without the parentheses.
fn known_after_apply() -> &'static str {
    cty::KNOWN_AFTER_APPLY.trim_matches(['(', ')'])
}

impl Changed {
    /// Ways to tell the change, the best first.
    fn forms(&self) -> Vec<String> {
        let is_unknown = matches!(self.after, ValueText::Unknown(_));
        let (before, after) = (self.before.text(), self.after.text());
        let mut forms = Vec::new();
        if let (Some(before), Some(after)) = (before, after) {
            match before == after {
                // Masked on both sides.
                true => forms.push(before.to_owned()),
                false => forms.push(format!("{before} -> {after}")),
            }
        }
        forms.extend(is_unknown.then(|| known_after_apply().to_owned()));
        forms.extend(before.map(|before| format!("was {before}")));
        forms
    }
}

impl fmt::Display for ValueText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text().unwrap_or("…"))
    }
}

impl ValueText {
    fn text(&self) -> Option<&str> {
        match self {
            ValueText::Known(text) | ValueText::Unknown(text) => Some(text),
            ValueText::Masked => Some(MASKED),
            ValueText::Long => None,
        }
    }
}
