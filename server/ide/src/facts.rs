//! Things to show in a file, in bytes and free of any editor's protocol.

use std::borrow::Cow;

use change::ChangeKind;
use text::{Diagnostic, TextRange, TextSize};

use crate::{Command, Markdown};

/// The longest label, in characters, that every editor shows whole.
pub const MAX_HINT_LABEL: usize = 43;

/// Where a diagnostic is in the text of its file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shown {
    pub range: TextRange,
    pub diagnostic: Diagnostic,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tag {
    Unnecessary,
    Deprecated,
}

/// A short text shown inside a line, after `offset`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InlayHint {
    pub offset: TextSize,
    label: HintLabel,
    pub kind: HintKind,
    pub tooltip: Option<Markdown>,
}

/// The text of a hint: `= ` and a value, or the effect of a value and the value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HintLabel {
    lead: Cow<'static, str>,
    text: Cow<'static, str>,
}

impl HintLabel {
    pub fn new(
        lead: impl Into<Cow<'static, str>>,
        text: impl Into<Cow<'static, str>>,
    ) -> HintLabel {
        HintLabel {
            lead: lead.into(),
            text: text.into(),
        }
    }
}

impl From<&'static str> for HintLabel {
    fn from(text: &'static str) -> HintLabel {
        HintLabel::new("", text)
    }
}

impl From<String> for HintLabel {
    fn from(text: String) -> HintLabel {
        HintLabel::new("", text)
    }
}

/// The meaning of something shown, where an editor has a color for it. The most drastic last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Tone {
    Unknown,
    Read,
    Create,
    Update,
    Replace,
    Destroy,
}

impl Tone {
    /// Of a change; `None` for no change.
    pub fn of(kind: ChangeKind) -> Option<Tone> {
        match kind {
            ChangeKind::NoOp => None,
            ChangeKind::Read | ChangeKind::Forget | ChangeKind::Import => Some(Tone::Read),
            ChangeKind::Create => Some(Tone::Create),
            ChangeKind::Update | ChangeKind::Refresh => Some(Tone::Update),
            ChangeKind::DeleteThenCreate
            | ChangeKind::CreateThenDelete
            | ChangeKind::ForgetThenCreate => Some(Tone::Replace),
            ChangeKind::Delete => Some(Tone::Destroy),
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Tone::Unknown => "unknown",
            Tone::Read => "read",
            Tone::Create => "create",
            Tone::Update => "update",
            Tone::Replace => "replace",
            Tone::Destroy => "destroy",
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HintKind {
    /// The action of a block, after its header.
    Action(Option<Tone>),
    ForcesReplacement,
    /// An argument that is changed in place.
    Updated,
    /// The value of an object that something else changed, in the place of the value of the text.
    ChangedOutside,
    KnownAfterApply,
    Value,
    /// How many instances there are, or which.
    Instances,
    /// The name of a parameter, before its argument.
    Parameter,
}

impl HintKind {
    pub fn tone(self) -> Option<Tone> {
        match self {
            HintKind::Action(tone) => tone,
            HintKind::ForcesReplacement => Some(Tone::Replace),
            HintKind::Updated | HintKind::ChangedOutside => Some(Tone::Update),
            HintKind::KnownAfterApply => Some(Tone::Unknown),
            HintKind::Value | HintKind::Instances | HintKind::Parameter => None,
        }
    }
}

impl InlayHint {
    /// A label longer than [`MAX_HINT_LABEL`] is cut and ends with an ellipsis.
    pub fn new(
        offset: TextSize,
        label: impl Into<HintLabel>,
        kind: HintKind,
        tooltip: Option<Markdown>,
    ) -> InlayHint {
        let HintLabel { lead, text } = label.into();
        let room = MAX_HINT_LABEL.saturating_sub(lead.chars().count());
        InlayHint {
            offset,
            label: HintLabel::new(lead, shorten(text, room)),
            kind,
            tooltip,
        }
    }

    pub fn label(&self) -> String {
        [&*self.label.lead, &*self.label.text].concat()
    }

    /// The beginning of its text.
    pub fn lead(&self) -> &str {
        &self.label.lead
    }

    pub fn text(&self) -> &str {
        &self.label.text
    }

    pub(crate) fn at(&self, offset: TextSize) -> InlayHint {
        InlayHint {
            offset,
            ..self.clone()
        }
    }
}

/// A line of text above `range`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CodeLens {
    pub range: TextRange,
    pub title: String,
    pub kind: LensKind,
    /// The effect of a click; `None` for a title alone.
    pub command: Option<Command>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LensKind {
    /// The action of a block that will change, or may.
    Change(Tone),
    /// Of a block that does not change or is not planned.
    NoChange,
    /// Something that is always shown.
    Note,
}

/// The knowledge about a part of the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hover {
    pub range: TextRange,
    pub text: Markdown,
}

fn shorten(label: Cow<'static, str>, room: usize) -> Cow<'static, str> {
    match label.char_indices().nth(room) {
        None => label,
        Some(_) => label
            .chars()
            .take(room.saturating_sub(1))
            .chain(['…'])
            .collect::<String>()
            .into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_label_is_cut_at_a_character() {
        let label = |n| {
            let hint = InlayHint::new(0.into(), "ö".repeat(n), HintKind::Value, None);
            (hint.label().chars().count(), hint.label().ends_with('…'))
        };
        assert_eq!(label(MAX_HINT_LABEL), (MAX_HINT_LABEL, false));
        assert_eq!(label(MAX_HINT_LABEL + 1), (MAX_HINT_LABEL, true));
    }
}
