//! Files whose paths match a pattern: `*`, `?`, `[a-z]`, `{a,b}`, and `**` for any number of folders.

use std::io;
use std::path::{Path, PathBuf};

use cty::budget;

use crate::function::{FileKind, Files};

/// More folders and files than this are not looked at.
const MAX_VISITS: usize = 200_000;

/// The costs of a look at a folder, in steps of the evaluation's budget.
const STEPS_OF_LOOK: usize = 10;

/// Folders deeper than this are not looked into.
const MAX_DEPTH: usize = 200;

/// A longer pattern matches no path that a system has. The patterns that braces stand for may be so many times as long
/// together.
const MAX_PATTERN: usize = 4096;
const MAX_PATTERNS: usize = 1000;

/// Why there is no list of files.
#[derive(Debug)]
pub(super) enum GlobError {
    /// The pattern is no pattern.
    Syntax,
    /// The limit, for a person to read.
    Limit(String),
    /// A folder on the way can't be listed for a reason that has to be reported.
    Unreadable(io::Error),
}

/// The regular files that match an absolute, clean pattern.
pub(super) fn glob(pattern: &str, files: &dyn Files) -> Result<Vec<PathBuf>, GlobError> {
    let mut search = Search {
        files,
        found: Vec::new(),
        visits: 0,
    };
    for pattern in patterns(pattern)? {
        let (root, below) = text::root_of_path(&pattern).unwrap_or(("", &pattern));
        let components: Option<Vec<Component>> = below
            .split('/')
            .filter(|name| !name.is_empty())
            .map(Component::read)
            .collect();
        search.visit(Path::new(root), &components.ok_or(GlobError::Syntax)?, 0)?;
    }
    search.found.sort();
    search.found.dedup();
    Ok(search.found)
}

/// The patterns that result from each choice in braces.
fn patterns(pattern: &str) -> Result<Vec<String>, GlobError> {
    let limit = |what: String| Err(GlobError::Limit(what));
    if pattern.len() > MAX_PATTERN {
        return limit(format!("the pattern is longer than {MAX_PATTERN} bytes"));
    }
    match expand_braces(pattern) {
        Some(patterns) if patterns.len() > MAX_PATTERNS => limit(format!(
            "the braces stand for more than {MAX_PATTERNS} patterns"
        )),
        Some(patterns) => Ok(patterns),
        None => Err(GlobError::Syntax),
    }
}

struct Search<'a> {
    files: &'a dyn Files,
    found: Vec<PathBuf>,
    visits: usize,
}

impl Search<'_> {
    fn visit(
        &mut self,
        folder: &Path,
        components: &[Component],
        depth: usize,
    ) -> Result<(), GlobError> {
        self.looks()?;
        if depth > MAX_DEPTH {
            let limit = format!("stopped at folders that are {MAX_DEPTH} deep");
            return Err(GlobError::Limit(limit));
        }
        let Some((component, rest)) = components.split_first() else {
            return Ok(());
        };
        let tokens = match component {
            Component::Name(name) => return self.take(folder.join(name), rest, depth),
            Component::AnyFolders => {
                for name in self.list(folder)? {
                    let path = folder.join(name);
                    match self.kind(&path)? {
                        Some(FileKind::Directory) => self.visit(&path, components, depth + 1)?,
                        Some(FileKind::File) if rest.is_empty() => self.found.push(path),
                        Some(FileKind::File | FileKind::Other(_)) | None => {}
                    }
                }
                return self.visit(folder, rest, depth);
            }
            Component::Pattern(tokens) => tokens,
        };
        for name in self.list(folder)? {
            self.looks()?;
            budget::spend(tokens.len());
            if matches(tokens, &name) {
                self.take(folder.join(name), rest, depth)?;
            }
        }
        Ok(())
    }

    fn take(&mut self, path: PathBuf, rest: &[Component], depth: usize) -> Result<(), GlobError> {
        if !rest.is_empty() {
            return self.visit(&path, rest, depth + 1);
        }
        if self.kind(&path)? == Some(FileKind::File) {
            self.found.push(path);
        }
        Ok(())
    }

    /// One more file or folder is looked at.
    fn looks(&mut self) -> Result<(), GlobError> {
        budget::spend(STEPS_OF_LOOK);
        self.visits += 1;
        match self.visits > MAX_VISITS {
            true => Err(GlobError::Limit(format!(
                "stopped after {MAX_VISITS} files and folders"
            ))),
            false => Ok(()),
        }
    }

    /// The names in a folder; none where it can't be listed, or is not a folder.
    fn list(&mut self, folder: &Path) -> Result<Vec<String>, GlobError> {
        self.looks()?;
        Ok(readable(self.files.list(folder))?.unwrap_or_default())
    }

    fn kind(&mut self, path: &Path) -> Result<Option<FileKind>, GlobError> {
        self.looks()?;
        readable(self.files.kind(path))
    }
}

/// A file that can't be read is passed over, as Terraform does, unless the reason is not the file system's.
fn readable<T>(answer: io::Result<T>) -> Result<Option<T>, GlobError> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(error) if error.get_ref().is_some() => Err(GlobError::Unreadable(error)),
        Err(_) => Ok(None),
    }
}

/// One more than [`MAX_PATTERNS`] at most. `None`: the pattern is no pattern.
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
                    if expanded.len() > MAX_PATTERNS {
                        expanded.truncate(MAX_PATTERNS + 1);
                        break;
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

/// Whether a name matches one component.
fn matches(tokens: &[Token], name: &str) -> bool {
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
            return false;
        };
        star = Some((after_star, taken + 1));
        (token, position) = (after_star, taken + 1);
    }
    tokens[token..]
        .iter()
        .all(|token| matches!(token, Token::Star))
}

/// The part between two slashes.
enum Component {
    Name(String),
    /// `**`
    AnyFolders,
    Pattern(Vec<Token>),
}

impl Component {
    fn read(text: &str) -> Option<Component> {
        let tokens = tokens(text)?;
        Some(match text {
            "**" => Component::AnyFolders,
            _ if text.contains(['*', '?', '[', '\\']) => Component::Pattern(tokens),
            name => Component::Name(name.to_owned()),
        })
    }
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
