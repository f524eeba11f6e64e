//! Where in a program the cursor is, by the lines around it: so it is known in text that does not parse.

use text::{TextRange, TextSize};

use super::flow::{self, Flow};

/// A place in a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    /// The keys around it, from the top; elements of lists are `-`.
    pub path: Vec<String>,
    /// Where the steps of the path end in the text: after their keys.
    pub ends: Vec<usize>,
    pub kind: PlaceKind,
    /// The typed text, up to the cursor.
    pub typed: String,
    /// The range that an insertion replaces.
    pub word: TextRange,
    /// The keys beside it, with their values as text.
    pub siblings: Vec<(String, String)>,
    /// The rest of the line.
    pub rest: String,
    /// Whether it is between brackets or braces.
    pub is_flow: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum PlaceKind {
    /// Of a mapping.
    Key,
    /// Of this key; of an element of a list, the key is `-`.
    Value { key: String, is_quoted: bool },
    /// Between `${` and the cursor: the path before the last dot or bracket.
    Reference { path: String, is_bracketed: bool },
}

const OPENING: [char; 2] = ['{', '['];

/// A line that says something.
struct Line<'a> {
    start: usize,
    /// Where its key begins, after dashes.
    column: usize,
    /// Of its dashes.
    dashes: Vec<usize>,
    content: &'a str,
}

impl<'a> Line<'a> {
    fn of(text: &'a str, start: usize) -> Line<'a> {
        let mut column = text.len() - text.trim_start_matches([' ', '\t']).len();
        let mut dashes = Vec::new();
        while let Some(rest) = text[column..].strip_prefix('-') {
            if !rest.is_empty() && !rest.starts_with([' ', '\n', '\r']) {
                break;
            }
            dashes.push(column);
            column += 1 + (rest.len() - rest.trim_start_matches(' ').len());
        }
        Line {
            start,
            column,
            dashes,
            content: text[column..].trim_end(),
        }
    }

    fn is_blank(&self) -> bool {
        self.content.is_empty() && self.dashes.is_empty() || self.content.starts_with('#')
    }

    /// Its key, and the text after the colon.
    fn key(&self) -> Option<(&'a str, &'a str)> {
        let (key, rest) = key_of(self.content)?;
        Some((key, &self.content[rest..]))
    }

    /// Where its key ends in the text.
    fn key_end(&self) -> usize {
        let behind = key_of(self.content).map_or(0, |(_, rest)| rest - 1);
        self.start + self.column + behind
    }

    /// Where brackets or braces open on it, with the key before them.
    fn opening(&self) -> Option<(Option<&'a str>, usize)> {
        let (key, behind) = match key_of(self.content).filter(|(key, _)| !key.starts_with(OPENING))
        {
            Some((key, behind)) => (Some(key), behind),
            None => (None, 0),
        };
        let value = &self.content[behind..];
        let spaces = value.len() - value.trim_start().len();
        let at = self.start + self.column + behind + spaces;
        value[spaces..].starts_with(OPENING).then_some((key, at))
    }
}

/// The key that a text begins with, and where its colon ends.
fn key_of(content: &str) -> Option<(&str, usize)> {
    let quote = content.chars().next().filter(|c| "\"'".contains(*c));
    if let Some(quote) = quote {
        let end = content[1..].find(quote)? + 1;
        return (content[end + 1..].starts_with(':')).then(|| (&content[1..end], end + 2));
    }
    let colons = content.match_indices(':').map(|(at, _)| at);
    let mut colons = colons.filter(|at| {
        let rest = &content[at + 1..];
        rest.is_empty() || rest.starts_with([' ', '\t', '\r', '\n'])
    });
    let at = colons.next()?;
    Some((content[..at].trim_end(), at + 1))
}

impl Place {
    pub(crate) fn at(text: &str, offset: TextSize) -> Option<Place> {
        let offset = usize::from(offset);
        let before = text.get(..offset)?;
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        let end = text[offset..]
            .find('\n')
            .map_or(text.len(), |end| offset + end);
        let (line, rest) = (&text[start..offset], &text[offset..end]);
        if is_comment(line) {
            return None;
        }
        let own = Line::of(line, start);
        let lines = lines(text);
        let above: Vec<&Line<'_>> = lines.iter().filter(|it| it.start < start).collect();
        let below: Vec<&Line<'_>> = lines.iter().filter(|it| it.start > start).collect();
        let flow = flow_around(text, offset, &own, &above);
        let is_flow = flow.is_some();
        let (steps, in_flow) = match flow {
            Some((steps, flow)) => (steps, Some(flow)),
            None => (around(&own, &above), None),
        };
        let (mut path, mut ends): (Vec<String>, Vec<usize>) = steps.into_iter().unzip();
        let size = |at: usize| TextSize::new(at as u32);
        let range = |from: usize, to: usize| TextRange::new(size(from), size(to));
        let make = |path, ends, kind, typed: &str, siblings| Place {
            path,
            ends,
            kind,
            word: range(offset - typed.len(), offset + word_length(rest)),
            typed: typed.to_owned(),
            siblings,
            rest: rest.to_owned(),
            is_flow,
        };
        let reference = line.rfind("${").filter(|at| !line[*at..].contains('}'));
        if let Some(at) = reference.filter(|at| !line[..*at].ends_with('$')) {
            let written = &line[at + 2..];
            let bracket = written.rfind("[\"").map_or(0, |it| it + 2);
            let cut = written.rfind('.').map_or(0, |dot| dot + 1).max(bracket);
            let kind = PlaceKind::Reference {
                path: written[..cut].trim_end_matches(['.', '[', '"']).to_owned(),
                is_bracketed: bracket > 0 && cut == bracket,
            };
            let key = match &in_flow {
                Some(flow) => flow.key.as_deref(),
                None => key_of(own.content).map(|(key, _)| key),
            };
            if let Some(key) = key {
                path.push(key.to_owned());
                ends.push(own.key_end());
            }
            return Some(make(path, ends, kind, &written[cut..], Vec::new()));
        }
        if let Some(flow) = in_flow {
            let kind = flow.kind();
            return Some(make(path, ends, kind, flow.typed, flow.siblings));
        }
        // The text after the key, with a space at the end.
        let content = &line[own.column.min(line.len())..];
        let is_behind_colon = |behind: &usize| !content[*behind..].is_empty();
        if let Some((key, behind)) = key_of(content).filter(|(_, it)| is_behind_colon(it)) {
            let value = content[behind..].trim_start();
            let is_quoted = value.starts_with(['"', '\'']);
            let value = value.trim_start_matches(['"', '\'']);
            let kind = PlaceKind::Value {
                key: key.to_owned(),
                is_quoted,
            };
            let siblings = siblings(&own, &above, &below);
            return Some(make(path, ends, kind, value, siblings));
        }
        let siblings = siblings(&own, &above, &below);
        let typed = content.trim_start_matches(['"', '\'']);
        if path.last().is_some_and(|it| it == "-") && !content.is_empty() || own.is_element() {
            // Either an element or the first key of one.
            let kind = PlaceKind::Value {
                key: "-".to_owned(),
                is_quoted: content.starts_with(['"', '\'']),
            };
            return Some(make(path, ends, kind, typed, siblings));
        }
        Some(make(path, ends, PlaceKind::Key, typed, siblings))
    }

    /// The value of a key in the mapping that is around this one at a depth of the path.
    pub(crate) fn beside(&self, text: &str, depth: usize, key: &str) -> Option<String> {
        let end = TextSize::new(*self.ends.get(depth)? as u32);
        let place = Place::at(text, end)?;
        let mut siblings = place.siblings.into_iter();
        Some(siblings.find(|(name, _)| name == key)?.1)
    }
}

/// The brackets and braces around an offset, with the path to them and in them.
fn flow_around<'a>(
    text: &'a str,
    offset: usize,
    own: &Line<'_>,
    above: &[&Line<'_>],
) -> Option<(Vec<(String, usize)>, Flow<'a>)> {
    /// They rarely go over more lines.
    const LINES: usize = 200;
    let opened = |line: &Line<'_>, above: &[&Line<'_>]| {
        let (key, from) = line.opening()?;
        let flow = flow::at(text, from, offset)?;
        let mut path = around(line, above);
        path.extend(key.map(|key| (key.to_owned(), line.key_end())));
        path.extend(flow.path.iter().cloned());
        Some((path, flow))
    };
    let mut found = opened(own, above);
    let mut limit = own.column;
    for (index, line) in above.iter().enumerate().rev().take(LINES) {
        if line.column >= limit {
            continue;
        }
        limit = line.column;
        match opened(line, &above[..index]) {
            Some(outer) => found = Some(outer),
            None if line.key().is_some() => break,
            None => {}
        }
    }
    found
}

impl Line<'_> {
    fn is_element(&self) -> bool {
        !self.dashes.is_empty()
    }
}

/// Whether a comment begins on a line, which it does not between quotes.
fn is_comment(line: &str) -> bool {
    let mut quote = None;
    let mut before = ' ';
    for c in line.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if c == '#' && before.is_whitespace() => return true,
            None if "\"'".contains(c) && !before.is_alphanumeric() => quote = Some(c),
            None => {}
        }
        before = c;
    }
    false
}

fn lines(text: &str) -> Vec<Line<'_>> {
    let mut start = 0;
    let lines = text.split_inclusive('\n').map(|line| {
        let found = Line::of(line, start);
        start += line.len();
        found
    });
    lines.filter(|line| !line.is_blank()).collect()
}

/// How much of a text belongs to the word that it continues.
fn word_length(rest: &str) -> usize {
    let is_of_word = |c: char| c.is_alphanumeric() || "_-:/.".contains(c);
    let end = rest.find(|c: char| !is_of_word(c)).unwrap_or(rest.len());
    // The colon after a key is not part of it.
    rest[..end].trim_end_matches(':').len()
}

/// The keys around a line, with where they end.
fn around(own: &Line<'_>, above: &[&Line<'_>]) -> Vec<(String, usize)> {
    let element = |at: usize| ("-".to_owned(), at);
    let mut path = Vec::new();
    // Elements on its own line.
    let mut limit = match own.dashes.first() {
        Some(first) => {
            path.extend(own.dashes.iter().rev().map(|it| element(own.start + it)));
            // A list may stand below its key.
            first + 1
        }
        None => own.column,
    };
    for line in above.iter().rev() {
        if limit == 0 {
            break;
        }
        let first = line.dashes.first().copied();
        if line.column < limit {
            let Some((key, value)) = line.key() else {
                // An element, or text that is no key.
                if let Some(first) = first.filter(|first| *first < limit) {
                    path.push(element(line.start + first));
                    limit = first + 1;
                }
                continue;
            };
            if !value.trim().is_empty() && !value.trim().starts_with(['&', '!', '#', '|', '>']) {
                // It has a value, so nothing is below it.
                if first.is_none() {
                    limit = limit.min(line.column);
                    // A key at the same level: both are in the same mapping.
                    limit = limit.max(line.column);
                }
                continue;
            }
            path.push((key.to_owned(), line.key_end()));
            limit = line.column;
            for dash in line.dashes.iter().rev() {
                path.push(element(line.start + dash));
                limit = dash + 1;
            }
        } else if line.column == limit && first.is_some() {
            // The first key of the element that this one is in.
            for dash in line.dashes.iter().rev() {
                path.push(element(line.start + dash));
                limit = dash + 1;
            }
        }
    }
    path.reverse();
    path
}

/// The other keys of the mapping that a line is in.
fn siblings(own: &Line<'_>, above: &[&Line<'_>], below: &[&Line<'_>]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let written = |(key, value): (&str, &str)| (key.to_owned(), unquoted(value).to_owned());
    if own.dashes.is_empty() {
        for line in above.iter().rev() {
            if line.column < own.column {
                break;
            }
            if line.column == own.column {
                found.extend(line.key().map(written));
                if line.is_element() {
                    break;
                }
            }
        }
    }
    for line in below {
        let is_other = line.column == own.column && line.is_element();
        if line.column < own.column
            || is_other
            || line.dashes.first().is_some_and(|it| *it < own.column)
        {
            break;
        }
        if line.column == own.column {
            found.extend(line.key().map(written));
        }
    }
    found
}

pub(super) fn unquoted(text: &str) -> &str {
    text.trim().trim_matches(['"', '\''])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `$0` is the cursor.
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let offset = text.find("$0").unwrap();
        let text = text.replace("$0", "");
        let found = match Place::at(&text, TextSize::new(offset as u32)) {
            None => "nothing".to_owned(),
            Some(place) => {
                let siblings = place.siblings.iter().map(|(key, _)| key);
                let kind = match &place.kind {
                    PlaceKind::Key => format!("key beside {:?}", siblings.collect::<Vec<_>>()),
                    PlaceKind::Value { key, .. } => format!("value of {key}"),
                    PlaceKind::Reference { path, .. } => format!("reference in {path:?}"),
                };
                format!("{} {kind} {:?}", place.path.join("."), place.typed)
            }
        };
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn the_path_of_the_cursor_comes_from_the_lines_above() {
        let base = "name: shop\nresources:\n  a:\n    type: t:T\n    properties:\n      size: 1\n      rules:\n        - port: 80\n          name: x\n";
        let at = |more: &str| format!("{base}{more}");
        check(&at("$0"), " key beside [\"resources\", \"name\"] \"\"");
        check(
            &at("res$0"),
            " key beside [\"resources\", \"name\"] \"res\"",
        );
        check(&at("  $0"), "resources key beside [\"a\"] \"\"");
        check(
            &at("    op$0"),
            "resources.a key beside [\"properties\", \"type\"] \"op\"",
        );
        check(
            &at("      s$0"),
            "resources.a.properties key beside [\"rules\", \"size\"] \"s\"",
        );
        check(
            &at("          $0"),
            "resources.a.properties.rules.- key beside [\"name\", \"port\"] \"\"",
        );
        check(
            &at("        - $0"),
            "resources.a.properties.rules.- value of - \"\"",
        );
        check(
            &at("        - po$0"),
            "resources.a.properties.rules.- value of - \"po\"",
        );
        check(
            &at("      size: sm$0"),
            "resources.a.properties value of size \"sm\"",
        );
        check(
            &at("      size: $0"),
            "resources.a.properties value of size \"\"",
        );
        check(
            &at("      size: ${a.b$0"),
            "resources.a.properties.size reference in \"a\" \"b\"",
        );
        check(
            &at("      size: x-${$0}"),
            "resources.a.properties.size reference in \"\" \"\"",
        );
        check(&at("      # $0"), "nothing");
        check(
            "resources:\n  b:\n    options:\n      ignoreChanges:\n      - si$0\n",
            "resources.b.options.ignoreChanges.- value of - \"si\"",
        );
        check(
            "resources:\n  b:\n    type: x\n    $0\n    properties:\n      a: 1\n  c:\n    name: x\n",
            "resources.b key beside [\"type\", \"properties\"] \"\"",
        );
    }

    #[test]
    fn the_path_goes_on_between_brackets_and_braces() {
        let base = "resources:\n  a:\n    type: t:T\n";
        let at = |more: &str| format!("{base}{more}");
        for (text, expected) in [
            (
                "    properties: {size: 1, z$0}\n",
                "resources.a.properties key beside [\"size\"] \"z\"",
            ),
            (
                "    properties:\n      rules:\n        - {port: 80, n$0\n",
                "resources.a.properties.rules.- key beside [\"port\"] \"n\"",
            ),
            (
                "    properties:\n      size: 1\n      rules: [\n        {port: 80,\n         n$0}\n      ]\n",
                "resources.a.properties.rules.- key beside [\"port\"] \"n\"",
            ),
            (
                "    options: {dependsOn: [\"${b$0\"]}\n",
                "resources.a.options.dependsOn.- reference in \"\" \"b\"",
            ),
            (
                "    properties:\n      tags: {a: 1\n      s$0\n",
                "resources.a.properties key beside [\"tags\"] \"s\"",
            ),
            (
                "    properties:\n      size: \"# ${a.$0\"\n",
                "resources.a.properties.size reference in \"a\" \"\"",
            ),
            (
                "    properties:\n      size:\n        fn::$0\n",
                "resources.a.properties.size key beside [] \"fn::\"",
            ),
            (
                "    properties:\n      size: ${a[\"b$0\n",
                "resources.a.properties.size reference in \"a\" \"b\"",
            ),
        ] {
            check(&at(text), expected);
        }
    }
}
