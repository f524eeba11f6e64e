//! Where in a program the cursor is, by the lines around it: so it is known in text that does not parse.

use text::{TextRange, TextSize};

/// A place in a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    /// The keys around it, from the top; elements of lists are `-`.
    pub path: Vec<String>,
    pub kind: PlaceKind,
    /// What is typed there, up to the cursor.
    pub typed: String,
    /// What an insertion replaces.
    pub word: TextRange,
    /// The keys beside it.
    pub siblings: Vec<String>,
    /// What follows on the line.
    pub rest: String,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum PlaceKind {
    /// Of a mapping.
    Key,
    /// Of this key; of an element of a list, the key is `-`.
    Value { key: String, is_quoted: bool },
    /// Between `${` and the cursor: what stands before the last dot.
    Reference { path: String },
}

/// A line that says something.
struct Line<'a> {
    start: usize,
    /// Where its key begins, behind dashes.
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

    /// Its key, and what stands behind the colon.
    fn key(&self) -> Option<(&'a str, &'a str)> {
        let (key, rest) = key_of(self.content)?;
        Some((key, &self.content[rest..]))
    }
}

/// The key that a text begins with, and where what follows its colon begins.
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
        let mut path = around(&own, &above);
        let size = |at: usize| TextSize::new(at as u32);
        let range = |from: usize, to: usize| TextRange::new(size(from), size(to));
        let make = |path, kind, typed: &str, siblings| Place {
            path,
            kind,
            word: range(offset - typed.len(), offset + word_length(rest)),
            typed: typed.to_owned(),
            siblings,
            rest: rest.to_owned(),
        };
        let reference = line.rfind("${").filter(|at| !line[*at..].contains('}'));
        if let Some(at) = reference.filter(|at| !line[..*at].ends_with('$')) {
            let written = &line[at + 2..];
            let cut = written.rfind('.').map_or(0, |dot| dot + 1);
            let kind = PlaceKind::Reference {
                path: written[..cut].trim_end_matches('.').to_owned(),
            };
            if let Some((key, _)) = key_of(own.content) {
                path.push(key.to_owned());
            }
            return Some(make(path, kind, &written[cut..], Vec::new()));
        }
        // What stands behind the key, as it is: a space at the end counts.
        let content = &line[own.column.min(line.len())..];
        if let Some((key, behind)) = key_of(content) {
            if content[behind..].is_empty() {
                return None;
            }
            let value = content[behind..].trim_start();
            let is_quoted = value.starts_with(['"', '\'']);
            let value = value.trim_start_matches(['"', '\'']);
            let kind = PlaceKind::Value {
                key: key.to_owned(),
                is_quoted,
            };
            return Some(make(path, kind, value, Vec::new()));
        }
        if path.last().is_some_and(|it| it == "-") && !content.is_empty() || own.is_element() {
            // Either an element or the first key of one.
            let kind = PlaceKind::Value {
                key: "-".to_owned(),
                is_quoted: content.starts_with(['"', '\'']),
            };
            let typed = content.trim_start_matches(['"', '\'']);
            let siblings = siblings(&own, &above, &below);
            return Some(make(path, kind, typed, siblings));
        }
        let siblings = siblings(&own, &above, &below);
        let typed = content.trim_start_matches(['"', '\'']);
        Some(make(path, PlaceKind::Key, typed, siblings))
    }
}

impl Line<'_> {
    fn is_element(&self) -> bool {
        !self.dashes.is_empty()
    }
}

fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with('#') || line.contains(" #")
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
    // The colon that ends a key is none of its letters.
    rest[..end].trim_end_matches(':').len()
}

/// The keys around a line.
fn around(own: &Line<'_>, above: &[&Line<'_>]) -> Vec<String> {
    let mut path = Vec::new();
    // Elements on its own line.
    let mut limit = match own.dashes.first() {
        Some(first) => {
            path.extend(own.dashes.iter().map(|_| "-".to_owned()));
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
                    path.push("-".to_owned());
                    limit = first + 1;
                }
                continue;
            };
            if !value.trim().is_empty() && !value.trim().starts_with(['&', '!', '#', '|', '>']) {
                // It has a value, so nothing is below it.
                if first.is_none() {
                    limit = limit.min(line.column);
                    // A key at the same level: what is around it is around this.
                    limit = limit.max(line.column);
                }
                continue;
            }
            path.push(key.to_owned());
            limit = line.column;
            for dash in line.dashes.iter().rev() {
                path.push("-".to_owned());
                limit = dash + 1;
            }
        } else if line.column == limit && first.is_some() {
            // The first key of the element that this one is in.
            for dash in line.dashes.iter().rev() {
                path.push("-".to_owned());
                limit = dash + 1;
            }
        }
    }
    path.reverse();
    path
}

/// The other keys of the mapping that a line is in.
fn siblings(own: &Line<'_>, above: &[&Line<'_>], below: &[&Line<'_>]) -> Vec<String> {
    let mut found = Vec::new();
    if own.dashes.is_empty() {
        for line in above.iter().rev() {
            if line.column < own.column {
                break;
            }
            if line.column == own.column {
                found.extend(line.key().map(|(key, _)| key.to_owned()));
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
            found.extend(line.key().map(|(key, _)| key.to_owned()));
        }
    }
    found
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
                let kind = match &place.kind {
                    PlaceKind::Key => format!("key beside {:?}", place.siblings),
                    PlaceKind::Value { key, .. } => format!("value of {key}"),
                    PlaceKind::Reference { path } => format!("reference in {path:?}"),
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
}
