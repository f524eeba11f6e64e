//! Cuts a text by its indentation, which half-typed text disturbs least: into top-level keys, and those of the large sections
//! into their entries.

use std::collections::BTreeMap;

use text::{TextRange, TextSize};

use crate::accepted::closing_quote;

/// What a piece of a text is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum SegmentRole {
    /// Comments, empty lines and document markers.
    Loose,
    /// A word where a key is expected that is none yet.
    Stray,
    /// A whole document in flow style, as JSON is.
    Document,
    /// A top-level key with its value.
    Key,
    /// The first line of a section whose entries are pieces of their own.
    Header,
    /// An entry of the section of this name.
    Entry(Box<str>),
}

/// Sections whose entries are found one by one.
const SECTIONS: [&str; 6] = [
    "resources",
    "variables",
    "config",
    "configuration",
    "outputs",
    "components",
];

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Piece {
    pub role: SegmentRole,
    pub range: TextRange,
}

/// Cuts a text into pieces that together are the text.
pub(crate) fn split(text: &str) -> Vec<Piece> {
    let mut lines = Line::of(text);
    let end = lines.split_off(end_of_first(&lines));
    let content = lines.iter().find(|line| line.is_content());
    if content.is_some_and(|line| line.text.trim_start().starts_with(['{', '['])) {
        return vec![Piece {
            role: SegmentRole::Document,
            range: TextRange::up_to(TextSize::of(text)),
        }];
    }
    let mut cutter = Cutter {
        lines: &lines,
        pieces: Vec::new(),
        start: 0,
    };
    let tops: Vec<usize> = (0..lines.len()).filter(|&at| lines[at].is_top()).collect();
    for (nth, &at) in tops.iter().enumerate() {
        let end = tops.get(nth + 1).copied().unwrap_or(lines.len());
        let end = cutter.before_comments(end, at + 1, 0);
        cutter.until_key(cutter.before_comments(at, cutter.start, 0));
        cutter.top(at, end);
    }
    cutter.loose_until(lines.len());
    let mut pieces = cutter.pieces;
    if let (Some(first), Some(last)) = (end.first(), end.last()) {
        let range = TextRange::new(first.start, last.end());
        let role = SegmentRole::Loose;
        pieces.push(Piece { role, range });
    }
    pieces
}

/// Whether the first line with content is a directive.
pub(crate) fn begins_with_directive(text: &str) -> bool {
    let lines = Line::of(text);
    let first = lines.iter().find(|it| !it.is_blank);
    first.is_some_and(Line::is_directive)
}

/// The line with which the first document ends: others are not read.
fn end_of_first(lines: &[Line<'_>]) -> usize {
    let content = lines.iter().position(Line::is_content);
    let start = content.unwrap_or(lines.len());
    let end = lines[start..].iter().position(Line::is_marker);
    end.map_or(lines.len(), |end| start + end)
}

struct Line<'a> {
    /// With its end.
    text: &'a str,
    start: TextSize,
    /// In spaces.
    indent: usize,
    /// Empty or a comment.
    is_blank: bool,
    /// Whether quoted text goes on here.
    is_quoted: bool,
}

impl<'a> Line<'a> {
    fn of(text: &'a str) -> Vec<Line<'a>> {
        let mut start = TextSize::new(0);
        let mut lines: Vec<Line<'_>> = text
            .split_inclusive('\n')
            .map(|text| {
                let rest = text.trim_start_matches(' ');
                let line = Line {
                    text,
                    start,
                    indent: text.len() - rest.len(),
                    is_blank: rest.trim().is_empty() || rest.starts_with('#'),
                    is_quoted: false,
                };
                start += TextSize::of(text);
                line
            })
            .collect();
        let mut at = 0;
        while at < lines.len() {
            let count = quoted_below(text, &lines[at..]).unwrap_or_default();
            for line in &mut lines[at + 1..=at + count] {
                line.is_quoted = true;
                line.is_blank = false;
            }
            at += count + 1;
        }
        lines
    }

    fn content(&self) -> &'a str {
        self.text.trim()
    }

    fn end(&self) -> TextSize {
        self.start + TextSize::of(self.text)
    }

    fn is_comment(&self) -> bool {
        !self.is_quoted && self.content().starts_with('#')
    }

    /// Whether a key begins here, at whatever indentation.
    fn begins_key(&self) -> bool {
        let is_nested = self.content().starts_with(['-', ',', '}', ']', '\t']);
        let is_indented_by_tab = self.text[self.indent..].starts_with('\t');
        !self.is_blank
            && !self.is_quoted
            && !is_nested
            && !is_indented_by_tab
            && !self.is_directive()
    }

    /// Whether a top-level key begins here. A word at the left without a colon is about to become one, and must not take what
    /// follows it out of its section.
    fn is_top(&self) -> bool {
        self.indent == 0 && self.begins_key() && !self.is_marker() && self.key().is_some()
    }

    /// Whether a word stands at the left that isn't a key yet. It ends what is above it.
    fn is_stray(&self) -> bool {
        self.indent == 0 && self.begins_key() && !self.is_marker() && self.key().is_none()
    }

    /// Whether a document begins or ends here.
    fn is_marker(&self) -> bool {
        self.text.starts_with("---") || self.text.starts_with("...")
    }

    fn is_content(&self) -> bool {
        !self.is_blank && !self.is_marker() && !self.is_directive()
    }

    /// Whether the line is a directive, such as `%YAML 1.1`.
    fn is_directive(&self) -> bool {
        self.text.starts_with('%')
    }

    /// The key of the line, if it is complete.
    fn key(&self) -> Option<&'a str> {
        let (key, _) = cut(self.content())?;
        Some(key.trim().trim_matches(['"', '\'']))
    }

    /// The text after the key, without a comment.
    fn behind_key(&self) -> &'a str {
        let rest = cut(self.content()).map_or("", |(_, rest)| rest.trim());
        match rest.starts_with('#') {
            true => "",
            false => rest,
        }
    }

    /// The text after the key, or after the dash of an element.
    fn value(&self) -> &'a str {
        let content = self.content();
        let element = content.trim_start_matches("- ");
        let is_quoted = element.starts_with(['"', '\'']) && element.len() < content.len();
        if is_quoted {
            element
        } else {
            self.behind_key()
        }
    }
}

/// The text before and after the colon that ends the key of a line.
fn cut(content: &str) -> Option<(&str, &str)> {
    let quote = content.chars().next().filter(|c| "\"'".contains(*c));
    let quoted = quote.and_then(|quote| Some(content[1..].find(quote)? + 2));
    let start = quoted.unwrap_or_default();
    let colons = content.match_indices(':').map(|(at, _)| at);
    let is_end = |at: &usize| {
        let rest = &content[at + 1..];
        *at >= start && (rest.is_empty() || rest.starts_with([' ', '\t']))
    };
    let at = colons.into_iter().find(is_end)?;
    Some((&content[..at], &content[at + 1..]))
}

/// How many lines quoted text goes on below the first line, which it begins in. `None` if it is about to be closed: it must not
/// take the keys below it.
fn quoted_below(text: &str, lines: &[Line<'_>]) -> Option<usize> {
    let (first, below) = lines.split_first()?;
    if !first.text.contains(['"', '\'']) {
        return None;
    }
    let value = first.value();
    let value = &value[open_quote(value)?..];
    let start = usize::from(first.start) + first.text.trim_end().len() - value.len();
    let close = start + closing_quote(&text[start..])?;
    let behind = text[close + 1..].lines().next()?.trim_start();
    let is_end = behind.is_empty() || behind.starts_with(['#', ',', '}', ']']);
    let below = below.iter().take_while(|it| usize::from(it.start) <= close);
    let ends_it = |it: &Line<'_>| {
        let quoted = &text[usize::from(it.start)..close.min(usize::from(it.end()))];
        it.is_marker() || it.indent <= first.indent && cut(quoted.trim()).is_some()
    };
    (is_end && !below.clone().any(ends_it)).then(|| below.count())
}

/// The place in a value of the quote whose text is not closed in this line.
fn open_quote(value: &str) -> Option<usize> {
    let is_flow = value.starts_with(['{', '[']);
    let mut at = 0;
    loop {
        let next = value[at..].find(['"', '\''])?;
        if next > 0 && !is_flow {
            return None;
        }
        at += next;
        match closing_quote(&value[at..]) {
            Some(close) => at += close + 1,
            None => return Some(at),
        }
    }
}

struct Cutter<'a> {
    lines: &'a [Line<'a>],
    pieces: Vec<Piece>,
    /// The first line that is in no piece.
    start: usize,
}

impl Cutter<'_> {
    /// The line at which a piece begins whose first line of content is `at`: comments directly above belong to it.
    fn before_comments(&self, at: usize, first: usize, level: usize) -> usize {
        let is_of_it = |line: &Line<'_>| line.is_comment() && line.indent <= level;
        let mut begin = at;
        while begin > first && is_of_it(&self.lines[begin - 1]) {
            begin -= 1;
        }
        begin
    }

    fn push(&mut self, role: SegmentRole, end: usize) {
        if end <= self.start {
            return;
        }
        let range = TextRange::new(self.lines[self.start].start, self.lines[end - 1].end());
        self.pieces.push(Piece { role, range });
        self.start = end;
    }

    fn loose_until(&mut self, end: usize) {
        self.push(SegmentRole::Loose, end);
    }

    /// What stands above a top-level key.
    fn until_key(&mut self, end: usize) {
        let mut lines = self.lines[self.start..end.max(self.start)].iter();
        let role = match lines.any(Line::is_stray) {
            true => SegmentRole::Stray,
            false => SegmentRole::Loose,
        };
        self.push(role, end);
    }

    /// A top-level key at the line `at`, with what belongs to it up to `end`.
    fn top(&mut self, at: usize, end: usize) {
        let head = &self.lines[at];
        let section = head.key().filter(|key| SECTIONS.contains(key));
        let section = section.filter(|_| head.behind_key().is_empty());
        let Some((section, level)) = section.zip(self.level(at + 1, end)) else {
            let stray = (at + 1..end).filter(|&line| self.lines[line].is_stray());
            for line in stray.collect::<Vec<_>>() {
                self.push(self.role_at_start(SegmentRole::Key), line);
            }
            return self.push(self.role_at_start(SegmentRole::Key), end);
        };
        let entries: Vec<usize> = (at + 1..end)
            .filter(|&line| self.lines[line].begins_key())
            .filter(|&line| self.lines[line].indent == level || self.lines[line].is_stray())
            .collect();
        let first = entries.first().copied().unwrap_or(end);
        let first_of_content = (at + 1..end).find(|&line| !self.lines[line].is_blank);
        self.push(
            SegmentRole::Header,
            self.before_comments(first_of_content.unwrap_or(end), at + 1, level),
        );
        let role = SegmentRole::Entry(section.into());
        // What stands above the first entry at another level.
        if first_of_content.is_some_and(|line| line < first) {
            self.push(role.clone(), self.before_comments(first, self.start, level));
        }
        for nth in 0..entries.len() {
            let next = entries.get(nth + 1).copied().unwrap_or(end);
            let until = self.before_comments(next, entries[nth] + 1, level);
            self.push(self.role_at_start(role.clone()), until);
        }
    }

    /// The role of a piece that begins with the first line that is in none.
    fn role_at_start(&self, role: SegmentRole) -> SegmentRole {
        let content = self.lines[self.start..].iter().find(|line| !line.is_blank);
        match content.is_some_and(|line| line.begins_key() && line.key().is_none()) {
            true => SegmentRole::Stray,
            false => role,
        }
    }

    /// The indentation of a section's entries: the least that the first line or more than one line has.
    fn level(&self, start: usize, end: usize) -> Option<usize> {
        let keys = self.lines[start..end]
            .iter()
            .filter(|line| line.begins_key());
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        let mut first = None;
        for indent in keys.map(|line| line.indent).filter(|it| *it > 0) {
            first.get_or_insert(indent);
            *counts.entry(indent).or_default() += 1;
        }
        let is_common = |(indent, count): &(usize, usize)| Some(*indent) == first || *count > 1;
        counts.into_iter().find(is_common).map(|(indent, _)| indent)
    }
}
