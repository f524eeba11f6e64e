//! Prints differences of strings: by line where they have lines, and as JSON where they are that.

use cty::{Value, quote};
use text::visible;

use super::align::{self, Aligned};
use super::diff::{self, Diff, DiffKind};
use super::print::{PrintMode, Printer};
use crate::Action;

/// How a string is read.
enum Reading<'a> {
    Null,
    Json(Value),
    Lines(&'a str),
    Line(&'a str),
}

impl Reading<'_> {
    fn of(text: Option<&str>) -> Reading<'_> {
        let Some(text) = text else {
            return Reading::Null;
        };
        if text.starts_with(['{', '['])
            && let Ok(json) = cty::json::decode_implied(text)
        {
            return Reading::Json(json);
        }
        match text.contains('\n') {
            true => Reading::Lines(text.trim()),
            false => Reading::Line(text),
        }
    }
}

impl<'a> Reading<'a> {
    fn lines(self) -> Vec<&'a str> {
        match self {
            Reading::Null | Reading::Json(_) => vec!["null"],
            Reading::Lines(text) | Reading::Line(text) => text.split('\n').collect(),
        }
    }
}

impl Printer<'_> {
    /// The difference between two strings; `None` is null.
    pub(super) fn string(
        self,
        diff: &Diff,
        before: Option<&str>,
        after: Option<&str>,
        mode: PrintMode,
    ) -> String {
        let (null, forces) = (self.null(diff, mode), self.forces(diff, mode));
        let one = match diff.action {
            Action::Create | Action::NoOp => after.or(before),
            Action::Delete => before,
            _ => return self.changed_string(diff, before, after, mode),
        };
        match Reading::of(one) {
            Reading::Null => format!("{}{forces}", self.style.null()),
            Reading::Json(json) => {
                let before = (diff.action != Action::Create).then(|| json.clone());
                let after = (diff.action != Action::Delete).then_some(json);
                self.json(diff, before, after, mode)
            }
            Reading::Lines(text) => {
                let lines = text
                    .split('\n')
                    .map(|line| self.deeper_line(Action::NoOp, line));
                self.heredoc(&lines.collect::<String>(), &forces, &null)
            }
            Reading::Line(text) => format!("{}{null}{forces}", quote(text)),
        }
    }

    fn changed_string(
        self,
        diff: &Diff,
        before: Option<&str>,
        after: Option<&str>,
        mode: PrintMode,
    ) -> String {
        let forces = self.forces(diff, mode);
        let (old, new) = match (Reading::of(before), Reading::of(after)) {
            (Reading::Json(before), Reading::Json(after)) => {
                return self.json(diff, Some(before), Some(after), mode);
            }
            (Reading::Json(_), _) | (_, Reading::Json(_)) => {
                let mode = PrintMode {
                    hides_null: true,
                    ..mode
                };
                let part = |action| Diff {
                    action,
                    forces_replacement: false,
                    kind: DiffKind::Primitive(None, None),
                };
                let old = self.string(&part(Action::Delete), before, None, mode);
                let new = self.string(&part(Action::Create), None, after, mode);
                return format!("{old} {} {new}", self.style.arrow());
            }
            (Reading::Null | Reading::Line(_), Reading::Null | Reading::Line(_)) => {
                let line = |text: Option<&str>| text.map_or_else(|| self.style.null(), quote);
                let (old, new) = (line(before), line(after));
                return format!("{old} {} {new}{forces}", self.style.arrow());
            }
            (old, new) => (old.lines(), new.lines()),
        };
        let aligned = align::by_content(&old, &new, |a, b| a == b, |_, _| false);
        let lines = aligned.into_iter().map(|aligned| match aligned {
            Aligned::Both(at, _) => self.deeper_line(Action::NoOp, old[at]),
            Aligned::Before(at) => self.deeper_line(Action::Delete, old[at]),
            Aligned::After(at) => self.deeper_line(Action::Create, new[at]),
        });
        self.heredoc(&lines.collect::<String>(), &forces, "")
    }

    fn heredoc(self, lines: &str, forces: &str, null: &str) -> String {
        format!("<<-EOT{forces}\n{lines}{}{null}", self.end("EOT"))
    }

    /// A line of a string. Terraform writes it as it is; a terminal would act on it.
    fn deeper_line(self, action: Action, text: &str) -> String {
        self.deeper().line(action, &visible(text))
    }

    /// As the call that makes such a string. Only the change of the content is shown, or that it is
    /// only the white space that changes.
    fn json(
        self,
        diff: &Diff,
        before: Option<Value>,
        after: Option<Value>,
        mode: PrintMode,
    ) -> String {
        let content = diff::of_elements(before, after);
        let (null, mut forces) = (self.null(diff, mode), self.forces(diff, mode));
        let is_update = diff.action == Action::Update;
        let mut note = "";
        if is_update && content.action == Action::NoOp {
            note = match forces.is_empty() {
                true => " # whitespace changes",
                false => " # whitespace changes force replacement",
            };
            forces.clear();
        }
        let shows_unchanged = mode.shows_unchanged || !note.is_empty();
        let inside = PrintMode {
            hides_null: true,
            shows_unchanged,
            ..PrintMode::default()
        };
        let inner = self.deeper();
        let text = inner.diff(&content, inside);
        if !text.contains('\n') {
            return format!("jsonencode({text}){note}{forces}");
        }
        let symbol = match is_update && note.is_empty() {
            true => Action::Update,
            false => Action::NoOp,
        };
        let line = inner.line(symbol, &format!("{text}{forces}"));
        format!("jsonencode({note}\n{line}{}{null}", self.end(")"))
    }
}
