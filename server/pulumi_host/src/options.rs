//! Options of a resource, written into its text.

use ide::Refused;
use text::{Replacement, TextRange, TextSize};
use yaml::{MappingEntry, Node, NodeKind, Segment};

/// The wanted value of an option.
#[derive(Clone, Copy)]
pub(crate) enum OptionValue<'a> {
    /// Exactly this.
    Value(&'a str),
    /// Among others: as an element of a list in lines, and of one between brackets.
    Element { line: &'a str, flow: &'a str },
}

/// A resource in the text of its file.
pub(crate) struct Resource<'a> {
    text: &'a str,
    offset: TextSize,
    entry: &'a MappingEntry,
}

impl<'a> Resource<'a> {
    pub(crate) fn find(text: &'a str, segment: Segment<'a>, name: &str) -> Option<Resource<'a>> {
        let mut entries = segment.parsed.entries.iter();
        let entry = entries.find(|it| it.key.text() == Some(name))?;
        Some(Resource {
            text,
            offset: segment.offset,
            entry,
        })
    }

    fn own(&self, range: TextRange) -> TextRange {
        range + self.offset
    }

    /// Whether a value is written between brackets or braces.
    fn is_flow(&self, range: TextRange) -> bool {
        self.text[usize::from(self.own(range).start())..].starts_with(['{', '['])
    }

    fn line_start(&self, offset: TextSize) -> usize {
        let before = &self.text[..usize::from(offset)];
        before.rfind('\n').map_or(0, |it| it + 1)
    }

    fn column(&self, offset: TextSize) -> usize {
        usize::from(offset) - self.line_start(offset)
    }

    /// Inserts whole lines, where a line begins or the text ends.
    fn lines(&self, at: usize, lines: &str) -> Replacement {
        let is_behind_line = at == 0 || self.text[..at].ends_with('\n');
        let lines = match is_behind_line {
            true => lines.to_owned(),
            false => format!("\n{}", lines.trim_end_matches('\n')),
        };
        Replacement::insert(TextSize::new(at as u32), lines)
    }

    /// Behind the line of an offset.
    fn behind(&self, offset: TextSize) -> usize {
        let rest = &self.text[usize::from(offset)..];
        let end = rest.find('\n').map_or(rest.len(), |it| it + 1);
        usize::from(offset) + end
    }

    /// The edit that gives an option its wanted value.
    pub(crate) fn option(
        &self,
        key: &str,
        wanted: OptionValue<'_>,
    ) -> Result<Replacement, Refused> {
        let value = &self.entry.value;
        let first = value.entries().first().ok_or_else(unparsed)?;
        let edit = match value.get("options") {
            Some(options) if !options.value.is_null() => {
                self.among_options(&options.value, key, wanted)?
            }
            Some(_) if self.is_flow(value.range) => return Err(unparsed()),
            Some(options) => {
                let columns = self.column(self.own(options.key.range).start()) + 2;
                self.below(options, &in_lines(key, wanted, columns), columns)
            }
            // Directly after the type, where nothing is in the way.
            None if self.is_flow(value.range) => {
                let above = value
                    .get("type")
                    .map_or(first.value.range, |it| it.value.range);
                let written = format!(", options: {{{}}}", in_braces(key, wanted));
                Replacement::insert(self.own(above).end(), written)
            }
            None => {
                let columns = self.column(self.own(first.key.range).start());
                let (one, two) = (" ".repeat(columns), " ".repeat(columns + 2));
                let lines = format!("{one}options:\n{two}{}", in_lines(key, wanted, columns + 2));
                let above = value
                    .get("type")
                    .map_or(first.value.range, |it| it.value.range);
                self.lines(self.behind(self.own(above).end()), &lines)
            }
        };
        Ok(with_line_ends(self.text, edit))
    }

    fn among_options(
        &self,
        options: &Node,
        key: &str,
        wanted: OptionValue<'_>,
    ) -> Result<Replacement, Refused> {
        let Some(known) = options.get(key) else {
            if self.is_flow(options.range) {
                let comma = if options.entries().is_empty() {
                    ""
                } else {
                    ", "
                };
                let written = format!("{}{comma}", in_braces(key, wanted));
                return Ok(Replacement::insert(self.inside(options.range), written));
            }
            let first = options.entries().first().ok_or_else(unparsed)?;
            let start = self.own(first.key.range).start();
            let columns = self.column(start);
            let lines = format!("{}{}", " ".repeat(columns), in_lines(key, wanted, columns));
            return Ok(self.lines(self.line_start(start), &lines));
        };
        let is_flow = self.is_flow(options.range);
        match wanted {
            _ if known.value.is_null() && is_flow => Err(unparsed()),
            OptionValue::Value(value) if known.value.is_null() => {
                let start = self.own(known.key.range).start();
                let columns = self.column(start) + 2;
                Ok(self.below(known, &format!("{value}\n"), columns))
            }
            OptionValue::Value(value) => {
                Ok(Replacement::replace(self.own(known.value.range), value))
            }
            OptionValue::Element { line, .. } if known.value.is_null() => {
                let columns = self.column(self.own(known.key.range).start()) + 2;
                Ok(self.below(known, &format!("- {line}\n"), columns))
            }
            OptionValue::Element { line, flow } => {
                let at = self.own(known.value.range).start();
                let NodeKind::Sequence(elements) = &known.value.kind else {
                    return Err(Refused(format!("`{key}` is not a list here.")));
                };
                if self.is_flow(known.value.range) {
                    let comma = if elements.is_empty() { "" } else { ", " };
                    let written = format!("{flow}{comma}");
                    return Ok(Replacement::insert(self.inside(known.value.range), written));
                }
                // Before the first, with its dash.
                let dash = self.line_start(at);
                let own = &self.text[dash..];
                let dashes = " ".repeat(own.len() - own.trim_start().len());
                Ok(self.lines(dash, &format!("{dashes}- {line}\n")))
            }
        }
    }

    /// Behind an opening bracket or brace.
    fn inside(&self, range: TextRange) -> TextSize {
        self.own(range).start() + TextSize::new(1)
    }

    /// Lines below a key whose value is null: they replace a written `null`.
    fn below(&self, entry: &MappingEntry, lines: &str, columns: usize) -> Replacement {
        let lines = format!("{}{lines}", " ".repeat(columns));
        let value = self.own(entry.value.range);
        match value.is_empty() {
            true => self.lines(self.behind(self.own(entry.key.range).end()), &lines),
            false => Replacement::replace(value, format!("\n{}", lines.trim_end_matches('\n'))),
        }
    }

    /// The edit that adds a line for each property, with nothing after the colon.
    pub(crate) fn properties(&self, names: &[&str]) -> Option<Replacement> {
        let edit = self.properties_edit(names)?;
        Some(with_line_ends(self.text, edit))
    }

    fn properties_edit(&self, names: &[&str]) -> Option<Replacement> {
        let value = &self.entry.value;
        let first = value
            .entries()
            .first()
            .filter(|_| !self.is_flow(value.range))?;
        let columns = self.column(self.own(first.key.range).start());
        let lines = |columns: usize| -> String {
            let lines = names.iter();
            lines
                .map(|name| format!("{}{name}:\n", " ".repeat(columns)))
                .collect()
        };
        let Some(properties) = value.get("properties") else {
            let header = format!("{}properties:\n{}", " ".repeat(columns), lines(columns + 2));
            let last = value
                .get("type")
                .map_or(first.value.range, |it| it.value.range);
            return Some(self.lines(self.behind(self.own(last).end()), &header));
        };
        if self.is_flow(properties.value.range) {
            return None;
        }
        let Some(first) = properties.value.entries().first() else {
            let below = self.behind(self.own(properties.key.range).end());
            return Some(self.lines(below, &lines(columns + 2)));
        };
        let start = self.own(first.key.range).start();
        Some(self.lines(self.line_start(start), &lines(self.column(start))))
    }
}

fn unparsed() -> Refused {
    Refused("The text of the resource does not parse.".to_owned())
}

/// An edit whose lines end as those of the text do.
pub(crate) fn with_line_ends(text: &str, edit: Replacement) -> Replacement {
    match text.contains("\r\n") {
        true => Replacement {
            text: edit.text.replace('\n', "\r\n"),
            ..edit
        },
        false => edit,
    }
}

fn in_lines(key: &str, wanted: OptionValue<'_>, columns: usize) -> String {
    match wanted {
        OptionValue::Value(value) => format!("{key}: {value}\n"),
        OptionValue::Element { line, .. } => {
            format!("{key}:\n{}- {line}\n", " ".repeat(columns + 2))
        }
    }
}

fn in_braces(key: &str, wanted: OptionValue<'_>) -> String {
    match wanted {
        OptionValue::Value(value) => format!("{key}: {value}"),
        OptionValue::Element { flow, .. } => format!("{key}: [{flow}]"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, key: &str, wanted: OptionValue<'_>, expected: &str) {
        let file = yaml::File::parse(text);
        let edited = file.segments().find_map(|segment| {
            let edit = Resource::find(text, segment, "a")?.option(key, wanted);
            Some(text::apply(text, &[edit.unwrap()]))
        });
        assert_eq!(edited.as_deref(), Some(expected));
    }

    #[test]
    fn options_are_added_however_the_resource_is_written() {
        let protect = OptionValue::Value("true");
        let alias = OptionValue::Element {
            line: "name: b",
            flow: "{name: b}",
        };
        let base = "resources:\n  a:\n    type: t:T\n";
        let at = |more: &str| format!("{base}{more}");
        check(
            base,
            "protect",
            protect,
            &at("    options:\n      protect: true\n"),
        );
        check(
            base.trim_end(),
            "aliases",
            alias,
            at("    options:\n      aliases:\n        - name: b\n").trim_end(),
        );
        let with = at("    options:\n      dependsOn: [x]\n  b:\n    type: t:T\n");
        let expected =
            at("    options:\n      protect: true\n      dependsOn: [x]\n  b:\n    type: t:T\n");
        check(&with, "protect", protect, &expected);
        let set = at("    options:\n      protect: false\n");
        check(
            &set,
            "protect",
            protect,
            &at("    options:\n      protect: true\n"),
        );
        let listed = at("    options:\n      aliases:\n      - name: c\n");
        let expected = at("    options:\n      aliases:\n      - name: b\n      - name: c\n");
        check(&listed, "aliases", alias, &expected);
        let flow = at("    options: {aliases: [{name: c}]}\n");
        check(
            &flow,
            "aliases",
            alias,
            &at("    options: {aliases: [{name: b}, {name: c}]}\n"),
        );
        check(
            &flow,
            "protect",
            protect,
            &at("    options: {protect: true, aliases: [{name: c}]}\n"),
        );
    }

    #[test]
    fn options_are_added_where_keys_have_no_value_and_between_braces() {
        let protect = OptionValue::Value("true");
        let alias = OptionValue::Element {
            line: "name: b",
            flow: "{name: b}",
        };
        let base = "resources:\n  a:\n    type: t:T\n";
        let at = |more: &str| format!("{base}{more}");
        for (text, key, wanted, expected) in [
            (
                "    options:\n",
                "protect",
                protect,
                "    options:\n      protect: true\n",
            ),
            (
                "    options: {}\n",
                "protect",
                protect,
                "    options: {protect: true}\n",
            ),
            (
                "    options: {\n      dependsOn: [x]\n    }\n",
                "aliases",
                alias,
                "    options: {aliases: [{name: b}], \n      dependsOn: [x]\n    }\n",
            ),
            (
                "    options:\n      aliases:\n      protect: true\n",
                "aliases",
                alias,
                "    options:\n      aliases:\n        - name: b\n      protect: true\n",
            ),
            (
                "    options:\n      aliases: []\n",
                "aliases",
                alias,
                "    options:\n      aliases: [{name: b}]\n",
            ),
        ] {
            check(&at(text), key, wanted, &at(expected));
        }
        check(
            "resources:\n  a: {type: t:T, properties: {x: 1}}\n",
            "aliases",
            alias,
            "resources:\n  a: {type: t:T, options: {aliases: [{name: b}]}, properties: {x: 1}}\n",
        );
    }

    #[test]
    fn lines_end_as_those_of_the_text() {
        check(
            "resources:\r\n  a:\r\n    type: t:T\r\n",
            "protect",
            OptionValue::Value("true"),
            "resources:\r\n  a:\r\n    type: t:T\r\n    options:\r\n      protect: true\r\n",
        );
    }

    #[test]
    fn properties_are_added_above_the_others() {
        for (more, expected) in [
            ("", "    properties:\n      x:\n      y:\n"),
            ("    properties:\n", "    properties:\n      x:\n      y:\n"),
            (
                "    properties:\n        z: 1\n",
                "    properties:\n        x:\n        y:\n        z: 1\n",
            ),
        ] {
            let text = format!("resources:\n  a:\n    type: t:T\n{more}");
            let file = yaml::File::parse(&text);
            let edited = file.segments().find_map(|segment| {
                let edit = Resource::find(&text, segment, "a")?.properties(&["x", "y"]);
                Some(text::apply(&text, &[edit.unwrap()]))
            });
            assert_eq!(
                edited,
                Some(format!("resources:\n  a:\n    type: t:T\n{expected}"))
            );
        }
    }
}
