//! A place between brackets and braces, read from where they open: so it is known in text that does not parse.

use super::place::{PlaceKind, unquoted};

/// The innermost brackets or braces around a place.
pub(super) struct Flow<'a> {
    /// The way into them, with where its steps end in the text.
    pub path: Vec<(String, usize)>,
    is_mapping: bool,
    /// The key whose value the place is in.
    pub key: Option<String>,
    pub typed: &'a str,
    pub siblings: Vec<(String, String)>,
    is_quoted: bool,
}

impl Flow<'_> {
    pub(super) fn kind(&self) -> PlaceKind {
        let key = match (self.is_mapping, &self.key) {
            (true, None) => return PlaceKind::Key,
            (true, Some(key)) => key.clone(),
            (false, _) => "-".to_owned(),
        };
        PlaceKind::Value {
            key,
            is_quoted: self.is_quoted,
        }
    }
}

/// Brackets or braces that are open.
struct Open {
    at: usize,
    is_mapping: bool,
    key: Option<(String, usize)>,
    /// Where the key or the value that is read begins.
    start: usize,
    siblings: Vec<(String, String)>,
}

impl Open {
    fn new(at: usize, is_mapping: bool) -> Open {
        Open {
            at,
            is_mapping,
            key: None,
            start: at + 1,
            siblings: Vec::new(),
        }
    }

    /// Ends the key or the value at an offset.
    fn end_item(&mut self, text: &str, at: usize) {
        let written = unquoted(&text[self.start..at]);
        if let Some((key, _)) = self.key.take() {
            self.siblings.push((key, written.to_owned()));
        } else if self.is_mapping && !written.is_empty() {
            self.siblings.push((written.to_owned(), String::new()));
        }
        self.start = at + 1;
    }
}

/// The innermost brackets or braces that are open at an offset, read from another one on. `None`: everything is closed.
pub(super) fn at(text: &str, from: usize, offset: usize) -> Option<Flow<'_>> {
    let mut stack = Vec::new();
    read(text, from, offset, &mut stack);
    let (inner, outer) = stack.split_last_mut()?;
    let step = |it: &Open| match &it.key {
        Some((key, end)) => (key.clone(), *end),
        None => ("-".to_owned(), it.at),
    };
    let mut path: Vec<(String, usize)> = outer.iter().map(step).collect();
    if !inner.is_mapping {
        path.push(("-".to_owned(), inner.at));
    }
    let written = text[inner.start..offset].trim_start();
    let mut siblings = std::mem::take(&mut inner.siblings);
    if inner.is_mapping {
        siblings.extend(behind(text, offset));
    }
    Some(Flow {
        path,
        is_mapping: inner.is_mapping,
        key: inner.key.as_ref().map(|(key, _)| key.clone()),
        typed: written.trim_start_matches(['"', '\'']),
        siblings,
        is_quoted: written.starts_with(['"', '\'']),
    })
}

/// The keys in the same braces after the entry that contains an offset.
fn behind(text: &str, offset: usize) -> Vec<(String, String)> {
    /// Braces are rarely longer.
    const LENGTH: usize = 10_000;
    let end = text[offset..].find([',', '}', ']', '\n']);
    let comma = end.map(|it| offset + it);
    let Some(comma) = comma.filter(|it| text[*it..].starts_with(',')) else {
        return Vec::new();
    };
    let limit = text.floor_char_boundary(comma + LENGTH);
    let mut stack = vec![Open::new(comma, true)];
    let closed = read(text, comma + 1, limit, &mut stack);
    closed.map_or_else(Vec::new, |it| it.siblings)
}

/// Reads up to an offset, or until everything is closed: then it answers with the outermost.
fn read(text: &str, from: usize, until: usize, stack: &mut Vec<Open>) -> Option<Open> {
    let mut at = from;
    while let Some(c) = text[at..until].chars().next() {
        let rest = &text[at..until];
        let is_start = |it: &Open| text[it.start..at].trim().is_empty();
        let skipped = match c {
            '"' | '\'' if stack.last().is_some_and(is_start) => Some(quoted_end(rest, c)),
            '$' if rest.starts_with("${") => Some(rest.find(['}', '\n']).map(|it| it + 1)),
            '#' if text[..at].ends_with([' ', '\t', '\n']) => Some(rest.find('\n')),
            _ => None,
        };
        if let Some(skipped) = skipped {
            at += skipped.unwrap_or(rest.len());
            continue;
        }
        match (c, stack.last_mut()) {
            ('{' | '[', _) => stack.push(Open::new(at, c == '{')),
            ('}' | ']', Some(open)) => {
                open.end_item(text, at);
                let open = stack.pop();
                if stack.is_empty() {
                    return open;
                }
            }
            (',', Some(open)) => open.end_item(text, at),
            (':', Some(open)) if open.is_mapping && open.key.is_none() => {
                let is_behind_quote = text[..at].ends_with(['"', '\'']);
                let ends = [' ', '\t', '\n', '\r', ',', '{', '[', '}', ']'];
                if is_behind_quote || rest[1..].starts_with(ends) {
                    let key = unquoted(&text[open.start..at]).to_owned();
                    open.key = Some((key, at));
                    open.start = at + 1;
                }
            }
            _ => {}
        }
        at += c.len_utf8();
    }
    None
}

/// How long a text in quotes is, with them.
fn quoted_end(text: &str, quote: char) -> Option<usize> {
    let mut chars = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        if c == '\\' && quote == '"' {
            chars.next();
        } else if c == quote {
            match chars.peek() {
                Some((_, next)) if *next == quote && quote == '\'' => drop(chars.next()),
                _ => return Some(at + 1),
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `$0` is the cursor.
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let offset = text.find("$0").unwrap();
        let text = text.replace("$0", "");
        let found = at(&text, 0, offset).map(|flow| {
            let path: Vec<&str> = flow.path.iter().map(|(key, _)| &**key).collect();
            let siblings: Vec<&str> = flow.siblings.iter().map(|(key, _)| &**key).collect();
            let kind = match flow.kind() {
                PlaceKind::Value { key, .. } => format!("value of {key}"),
                _ => "key".to_owned(),
            };
            format!("{} {kind} {:?} {siblings:?}", path.join("."), flow.typed)
        });
        assert_eq!(found.as_deref().unwrap_or("nothing"), expected, "{text}");
    }

    #[test]
    fn places_are_found_between_brackets_and_braces() {
        check("{$0", " key \"\" []");
        check("{a: 1, b$0}", " key \"b\" [\"a\"]");
        check(
            "{a: 1, b$0, c: 2, d: {e: 1}}",
            " key \"b\" [\"a\", \"c\", \"d\"]",
        );
        check("{a: $0}", " value of a \"\" []");
        check("{a: [x, y$0", "a.- value of - \"y\" []");
        check("[{p: tcp,\n  n$0}\n]", "- key \"n\" [\"p\"]");
        check(
            "{a: '}', \"b\": \"it, {\", fn::j$0",
            " key \"fn::j\" [\"a\", \"b\"]",
        );
        check("{a: ${b.c}, d: {e: ${f$0", "d value of e \"${f\" []");
        check("{a: 1}$0", "nothing");
        check("{a: 1 # {\n, b$0", " key \"b\" [\"a\"]");
        check("[ä, ${x$0", "- value of - \"${x\" []");
    }
}
