//! Files whose paths match a pattern: `*`, `?`, `[a-z]`, `{a,b}`, and `**` for any number of folders.

use std::path::{Path, PathBuf};

use crate::function::{FileKind, Files};

/// More folders and files than this are not looked at.
const MAX_VISITS: usize = 200_000;

/// The regular files that match an absolute, clean pattern. `None`: the pattern is no pattern.
pub(super) fn glob(pattern: &str, files: &dyn Files) -> Option<Vec<PathBuf>> {
    let mut search = Search {
        files,
        found: Vec::new(),
        visits: 0,
    };
    for pattern in expand_braces(pattern)? {
        let components: Vec<&str> = pattern.split('/').filter(|name| !name.is_empty()).collect();
        for component in &components {
            matches(component, "")?;
        }
        let root = if pattern.starts_with('/') {
            PathBuf::from("/")
        } else {
            PathBuf::new()
        };
        search.visit(&root, &components);
    }
    search.found.sort();
    search.found.dedup();
    Some(search.found)
}

struct Search<'a> {
    files: &'a dyn Files,
    found: Vec<PathBuf>,
    visits: usize,
}

impl Search<'_> {
    fn visit(&mut self, folder: &Path, components: &[&str]) {
        self.visits += 1;
        if self.visits > MAX_VISITS {
            return;
        }
        let Some((component, rest)) = components.split_first() else {
            return;
        };
        if !component.contains(['*', '?', '[', '\\']) {
            return self.take(folder.join(component), rest);
        }
        let Ok(names) = self.files.list(folder) else {
            return;
        };
        if *component == "**" {
            for name in &names {
                let path = folder.join(name);
                match self.files.kind(&path) {
                    Ok(FileKind::Directory) => self.visit(&path, components),
                    Ok(FileKind::File) if rest.is_empty() => self.found.push(path),
                    Ok(FileKind::File | FileKind::Other(_)) | Err(_) => {}
                }
            }
            return self.visit(folder, rest);
        }
        for name in names {
            if matches(component, &name) == Some(true) {
                self.take(folder.join(name), rest);
            }
        }
    }

    fn take(&mut self, path: PathBuf, rest: &[&str]) {
        if !rest.is_empty() {
            self.visit(&path, rest);
        } else if matches!(self.files.kind(&path), Ok(FileKind::File)) {
            self.found.push(path);
        }
    }
}

/// The patterns that result from each choice in braces.
fn expand_braces(pattern: &str) -> Option<Vec<String>> {
    let mut depth = 0;
    let mut open = 0;
    let mut choices: Vec<&str> = Vec::new();
    let mut choice_start = 0;
    let mut is_escaped = false;
    for (position, c) in pattern.char_indices() {
        if std::mem::take(&mut is_escaped) {
            continue;
        }
        match c {
            '\\' => is_escaped = true,
            '{' => {
                depth += 1;
                if depth == 1 {
                    (open, choice_start) = (position, position + 1);
                }
            }
            ',' if depth == 1 => {
                choices.push(&pattern[choice_start..position]);
                choice_start = position + 1;
            }
            '}' if depth == 1 => {
                choices.push(&pattern[choice_start..position]);
                let mut expanded = Vec::new();
                for choice in choices {
                    let chosen =
                        format!("{}{choice}{}", &pattern[..open], &pattern[position + 1..]);
                    expanded.extend(expand_braces(&chosen)?);
                    if expanded.len() > 10_000 {
                        return None;
                    }
                }
                return Some(expanded);
            }
            '}' if depth > 1 => depth -= 1,
            _ => {}
        }
    }
    (depth == 0).then(|| vec![pattern.to_owned()])
}

/// Whether a name matches one component. `None`: it is no pattern.
fn matches(component: &str, name: &str) -> Option<bool> {
    let tokens = tokens(component)?;
    let name: Vec<char> = name.chars().collect();
    // Where to go back to when the rest does not match: after the last star, with one more character.
    let (mut token, mut position) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while position < name.len() {
        match tokens.get(token) {
            Some(Token::Star) => {
                star = Some((token + 1, position));
                token += 1;
                continue;
            }
            Some(one) if one.matches(name[position]) => {
                token += 1;
                position += 1;
                continue;
            }
            Some(_) | None => {}
        }
        let Some((after_star, taken)) = star else {
            return Some(false);
        };
        star = Some((after_star, taken + 1));
        (token, position) = (after_star, taken + 1);
    }
    Some(
        tokens[token..]
            .iter()
            .all(|token| matches!(token, Token::Star)),
    )
}

enum Token {
    Star,
    Any,
    Char(char),
    Class {
        is_negated: bool,
        ranges: Vec<(char, char)>,
    },
}

impl Token {
    fn matches(&self, c: char) -> bool {
        match self {
            Token::Star => false,
            Token::Any => true,
            Token::Char(wanted) => c == *wanted,
            Token::Class { is_negated, ranges } => {
                ranges.iter().any(|(low, high)| (*low..=*high).contains(&c)) != *is_negated
            }
        }
    }
}

fn tokens(component: &str) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut chars = component.chars().peekable();
    while let Some(c) = chars.next() {
        tokens.push(match c {
            '*' => Token::Star,
            '?' => Token::Any,
            '\\' => Token::Char(chars.next()?),
            '[' => {
                let is_negated = chars.next_if(|c| matches!(c, '^' | '!')).is_some();
                let mut ranges = Vec::new();
                loop {
                    let bound = |chars: &mut std::iter::Peekable<std::str::Chars<'_>>| match chars
                        .next(
                    )? {
                        '\\' => chars.next(),
                        c => Some(c),
                    };
                    if !ranges.is_empty() && chars.next_if_eq(&']').is_some() {
                        break;
                    }
                    let low = bound(&mut chars)?;
                    let high = match chars.next_if_eq(&'-') {
                        Some(_) => bound(&mut chars)?,
                        None => low,
                    };
                    ranges.push((low, high));
                }
                Token::Class { is_negated, ranges }
            }
            c => Token::Char(c),
        });
    }
    Some(tokens)
}
