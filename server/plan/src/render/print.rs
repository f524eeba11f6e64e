//! Prints a tree of differences.

use std::collections::BTreeMap;

use cty::{KNOWN_AFTER_APPLY, Value, quote};
use smol_str::SmolStr;
use text::{padded, visible};

use super::diff::{Blocks, Described, Diff, DiffKind, Sensitive};
use super::output_budget::OutputBudget;
use super::style::{Paint, Style};
use crate::Action;

/// Attributes that are shown even where they don't change: people know their objects by them.
const IMPORTANT: [&str; 3] = ["id", "name", "tags"];

/// How a difference is printed, by the place where it stands.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PrintMode {
    /// A deleted value needs no `-> null`: that is said of the container.
    pub hides_null: bool,
    /// Unchanged values are shown.
    pub shows_unchanged: bool,
    /// The container forces the replacement, and is marked here.
    pub forces_replacement: bool,
}

impl PrintMode {
    /// The mode of the inside, unless given.
    fn inside(self) -> PrintMode {
        PrintMode {
            forces_replacement: false,
            ..self
        }
    }
}

/// Prints at a depth of indentation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Printer<'a> {
    pub style: Style,
    pub depth: usize,
    pub budget: &'a OutputBudget,
}

impl Printer<'_> {
    pub(super) fn deeper(self) -> Self {
        Printer {
            depth: self.depth + 1,
            ..self
        }
    }

    /// A line in this depth, and those that its value has below it. Nothing, where the budget has no bytes for any of them.
    pub(super) fn line(self, action: Action, text: &str) -> String {
        let indent = "    ".repeat(self.depth);
        let end = text.find('\n');
        // It is copied once for each level around it.
        let length = indent.len() + end.unwrap_or(text.len());
        let has_room = self.budget.take(length * (self.depth + 1));
        if !has_room && end.is_none() {
            return String::new();
        }
        match self.style.hides_symbols {
            true => format!("{indent}{text}\n"),
            false => format!("{indent}{} {text}\n", self.style.symbol(action)),
        }
    }

    /// The last line, which closes the first one.
    pub(super) fn end(self, text: &str) -> String {
        let depth = self.depth + usize::from(!self.style.hides_symbols);
        format!("{}{text}", "    ".repeat(depth))
    }

    /// The difference from behind the `=` on, without a line end.
    pub(super) fn diff(self, diff: &Diff, mode: PrintMode) -> String {
        if self.budget.is_full() {
            return String::new();
        }
        match &diff.kind {
            DiffKind::Primitive(before, after) => self.primitive(diff, before, after, mode),
            DiffKind::Object(described, attributes) => {
                let hides_null = *described == Described::AsType;
                let inside = PrintMode {
                    hides_null,
                    ..mode.inside()
                };
                self.object(diff, attributes, inside, mode)
            }
            DiffKind::Map(described, elements) => self.map(diff, elements, *described, mode),
            DiffKind::List(described, elements) => self.list(diff, elements, *described, mode),
            DiffKind::Set(described, elements) => self.set(diff, elements, *described, mode),
            DiffKind::Block { attributes, blocks } => self.block(diff, attributes, blocks, mode),
            DiffKind::TypeChange(before, after) => {
                let inside = PrintMode {
                    hides_null: true,
                    ..mode
                };
                let (before, after) = (self.diff(before, inside), self.diff(after, inside));
                format!("{before} {} {after}", self.style.arrow())
            }
            DiffKind::Unknown(before) => {
                let inside = PrintMode {
                    hides_null: true,
                    ..mode.inside()
                };
                let before = before
                    .iter()
                    .map(|before| self.diff(before, inside) + " -> ");
                let before: String = before.collect();
                let forces = self.forces(diff, mode);
                format!("{before}{KNOWN_AFTER_APPLY}{forces}")
            }
            DiffKind::Sensitive(sensitive) if sensitive.is_block => {
                let forces = self.forces(diff, mode);
                let why =
                    self.end("  # At least one attribute in this block is (or was) sensitive,");
                let what = self.end("  # so its contents will not be displayed.");
                format!("{{{forces}\n{why}\n{what}\n{}", self.end("}"))
            }
            DiffKind::Sensitive(_) => {
                let suffix = self.null(diff, mode) + &self.forces(diff, mode);
                format!("(sensitive value){suffix}")
            }
            DiffKind::WriteOnly { is_sensitive } => {
                let sensitive = if *is_sensitive { "sensitive, " } else { "" };
                let suffix = self.null(diff, mode) + &self.forces(diff, mode);
                format!("({sensitive}write-only attribute){suffix}")
            }
        }
    }

    fn primitive(
        self,
        diff: &Diff,
        before: &Option<Value>,
        after: &Option<Value>,
        mode: PrintMode,
    ) -> String {
        let text = |value: &Option<Value>| value.as_ref()?.as_str().map(str::to_owned);
        let (old, new) = (text(before), text(after));
        if old.is_some() || new.is_some() {
            return self.string(diff, old.as_deref(), new.as_deref(), mode);
        }
        let (old, new) = (self.value(before), self.value(after));
        let forces = self.forces(diff, mode);
        match diff.action {
            Action::Create => format!("{new}{forces}"),
            Action::Delete if before.as_ref().is_none_or(Value::is_null) => {
                format!("{old}{forces}")
            }
            Action::Delete => format!("{old}{}{forces}", self.null(diff, mode)),
            Action::NoOp => format!("{old}{forces}"),
            _ => format!("{old} {} {new}{forces}", self.style.arrow()),
        }
    }

    /// A number, a boolean or null.
    fn value(self, value: &Option<Value>) -> String {
        let Some(value) = value.as_ref().filter(|value| !value.is_null()) else {
            return self.style.null();
        };
        match (value.as_number(), value.as_bool()) {
            (Some(number), _) => number.to_string(),
            (_, Some(value)) => value.to_string(),
            _ => format!("({})", value.ty().friendly_name()),
        }
    }

    fn object(
        self,
        diff: &Diff,
        attributes: &BTreeMap<SmolStr, Diff>,
        inside: PrintMode,
        mode: PrintMode,
    ) -> String {
        let (null, forces) = (self.null(diff, mode), self.forces(diff, mode));
        if attributes.is_empty() {
            return format!("{{}}{null}{forces}");
        }
        let attributes = self.deeper().attributes(attributes, inside);
        format!("{{{forces}\n{attributes}{}{null}", self.end("}"))
    }

    /// The lines of the attributes that are to be shown, and how many are not.
    fn attributes(self, attributes: &BTreeMap<SmolStr, Diff>, mode: PrintMode) -> String {
        let names = attributes
            .keys()
            .map(|name| match config::is_identifier(name) {
                true => name.to_string(),
                false => quote(name),
            });
        let names: Vec<String> = names.collect();
        let width = names.iter().map(String::len).max().unwrap_or_default();
        let mut lines = String::new();
        let mut hidden = 0;
        for (name, (key, attribute)) in names.iter().zip(attributes) {
            let is_important = IMPORTANT.contains(&key.as_str());
            if attribute.action == Action::NoOp && !is_important && !mode.shows_unchanged {
                hidden += 1;
                continue;
            }
            let shows_unchanged = mode.shows_unchanged || is_important;
            let value = self.diff(
                attribute,
                PrintMode {
                    shows_unchanged,
                    ..mode
                },
            );
            lines += &self.warning(attribute);
            lines += &self.line(
                attribute.action,
                &format!("{} = {value}", padded(name, width)),
            );
        }
        lines + &self.hidden(hidden, "attribute")
    }

    fn map(
        self,
        diff: &Diff,
        elements: &BTreeMap<SmolStr, Diff>,
        described: Described,
        mode: PrintMode,
    ) -> String {
        let is_nested = described == Described::ByAttribute;
        let null = self.null(diff, mode);
        let forces = if is_nested {
            String::new()
        } else {
            self.forces(diff, mode)
        };
        if elements.is_empty() {
            return format!("{{}}{null}{forces}");
        }
        let inside = PrintMode {
            hides_null: is_nested || diff.action == Action::Delete,
            forces_replacement: is_nested && diff.forces_replacement,
            ..mode
        };
        let inner = self.deeper();
        let keys: Vec<String> = elements.keys().map(|key| quote(key)).collect();
        let width = match is_nested {
            true => 0,
            false => keys.iter().map(String::len).max().unwrap_or_default(),
        };
        let mut text = format!("{{{forces}\n");
        let mut hidden = 0;
        for (key, element) in keys.iter().zip(elements.values()) {
            if element.action == Action::NoOp && !mode.shows_unchanged {
                hidden += 1;
                continue;
            }
            let comma = if matches!(element.kind, DiffKind::Object(..)) {
                ","
            } else {
                ""
            };
            let value = inner.diff(element, inside);
            text += &inner.warning(element);
            let key = padded(key, width);
            text += &inner.line(element.action, &format!("{key} = {value}{comma}"));
        }
        text + &inner.hidden(hidden, "element") + &self.end("}") + &null
    }

    fn list(self, diff: &Diff, elements: &[Diff], described: Described, mode: PrintMode) -> String {
        // The elements before and behind a change are shown too.
        let has_context = described == Described::AsType;
        let (null, forces) = (self.null(diff, mode), self.forces(diff, mode));
        if elements.is_empty() {
            return format!("[]{null}{forces}");
        }
        let inner = self.deeper();
        let changed = PrintMode {
            hides_null: true,
            ..mode.inside()
        };
        let unchanged = PrintMode {
            shows_unchanged: true,
            ..mode.inside()
        };
        let element = |element: &Diff, mode: PrintMode| {
            let value = inner.diff(element, mode);
            inner.warning(element) + &inner.line(element.action, &format!("{value},"))
        };
        let mut text = format!("[{forces}\n");
        let mut waiting: Vec<&Diff> = Vec::new();
        let mut follows_change = false;
        for next in elements {
            let is_unchanged = next.action == Action::NoOp;
            if is_unchanged && !follows_change && !mode.shows_unchanged {
                waiting.push(next);
                continue;
            }
            if has_context && let Some(last) = waiting.pop() {
                text += &inner.hidden(waiting.len(), "element");
                text += &element(last, unchanged);
                waiting.clear();
            }
            let as_context = has_context && is_unchanged;
            text += &element(next, if as_context { unchanged } else { changed });
            follows_change = has_context && !is_unchanged;
        }
        text + &inner.hidden(waiting.len(), "element") + &self.end("]") + &null
    }

    fn set(self, diff: &Diff, elements: &[Diff], described: Described, mode: PrintMode) -> String {
        let is_nested = described == Described::ByAttribute;
        let null = self.null(diff, mode);
        let forces = if is_nested {
            String::new()
        } else {
            self.forces(diff, mode)
        };
        if elements.is_empty() {
            return format!("[]{null}{forces}");
        }
        let inside = PrintMode {
            hides_null: true,
            forces_replacement: is_nested && diff.forces_replacement,
            ..mode
        };
        let inner = self.deeper();
        let mut text = format!("[{forces}\n");
        let mut hidden = 0;
        for element in elements {
            if element.action == Action::NoOp && !mode.shows_unchanged {
                hidden += 1;
                continue;
            }
            let value = inner.diff(element, inside);
            text += &inner.warning(element);
            text += &inner.line(element.action, &format!("{value},"));
        }
        text + &inner.hidden(hidden, "element") + &self.end("]") + &null
    }

    fn block(
        self,
        diff: &Diff,
        attributes: &BTreeMap<SmolStr, Diff>,
        blocks: &BTreeMap<SmolStr, Blocks>,
        mode: PrintMode,
    ) -> String {
        let forces = self.forces(diff, mode);
        if attributes.is_empty() && blocks.is_empty() {
            return format!("{{}}{forces}");
        }
        let inner = self.deeper();
        let mut text = format!("{{{forces}\n");
        text += &inner.attributes(attributes, mode.inside());
        let mut hidden = 0;
        for (name, group) in blocks {
            let is_shown = |diff: &Diff| diff.action != Action::NoOp || mode.shows_unchanged;
            let inside = PrintMode {
                forces_replacement: group.forces_replacement,
                ..mode
            };
            let mut shown = String::new();
            for (label, block) in &group.blocks {
                if !is_shown(block) {
                    hidden += 1;
                    continue;
                }
                let label: String = label
                    .iter()
                    .map(|label| format!(" {}", quote(label)))
                    .collect();
                let body = inner.diff(block, inside);
                shown += &inner.warning(block);
                shown += &inner.line(block.action, &format!("{}{label} {body}", visible(name)));
            }
            if !shown.is_empty() && !attributes.is_empty() {
                text.push('\n');
            }
            text += &shown;
        }
        if hidden > 0 {
            text.push('\n');
            text += &inner.hidden(hidden, "block");
        }
        text + &self.end("}")
    }

    /// The line with the number of hidden elements, if there are any.
    fn hidden(self, count: usize, what: &str) -> String {
        match count {
            0 => String::new(),
            _ => self.line(Action::NoOp, &self.style.hidden(count, what)),
        }
    }

    /// The note that an unchanged value becomes sensitive, or stops being sensitive.
    fn warning(self, diff: &Diff) -> String {
        let DiffKind::Sensitive(sensitive) = &diff.kind else {
            return String::new();
        };
        let Sensitive {
            action,
            was_sensitive,
            becomes_sensitive,
            is_block,
        } = **sensitive;
        let stays = matches!(action, Action::NoOp | Action::Update);
        if was_sensitive == becomes_sensitive || !stays {
            return String::new();
        }
        let warning = self.style.paint(Paint::Yellow, "Warning");
        let what = if is_block { "block" } else { "attribute value" };
        let indent = "    ".repeat(self.depth);
        let unchanged = match action == Action::NoOp && !is_block {
            true => " The value is unchanged.",
            false => "",
        };
        let (first, second) = match becomes_sensitive {
            true => (
                "will be marked as sensitive and will not",
                "display in UI output after applying this change.",
            ),
            false => (
                "will no longer be marked as sensitive",
                "after applying this change.",
            ),
        };
        format!("{indent}  # {warning}: this {what} {first}\n{indent}  # {second}{unchanged}\n")
    }

    pub(super) fn null(self, diff: &Diff, mode: PrintMode) -> String {
        match diff.action == Action::Delete && !mode.hides_null && !self.style.hides_symbols {
            true => format!(" {}", self.style.paint(Paint::Gray, "-> null")),
            false => String::new(),
        }
    }

    pub(super) fn forces(self, diff: &Diff, mode: PrintMode) -> String {
        match diff.forces_replacement || mode.forces_replacement {
            true => format!(" {}", self.style.paint(Paint::Red, "# forces replacement")),
            false => String::new(),
        }
    }
}
