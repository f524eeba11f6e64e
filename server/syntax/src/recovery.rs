//! Guesses about broken text, made from how people lay out configuration. Never used for text without errors.

use crate::effort::Effort;
use crate::lexer::identifier_len;

/// Blocks of Terraform's top level, which start an item even when their line is not complete.
const TOP_LEVEL: &[&str] = &[
    "action",
    "check",
    "data",
    "ephemeral",
    "import",
    "list",
    "locals",
    "module",
    "moved",
    "output",
    "provider",
    "removed",
    "resource",
    "run",
    "terraform",
    "variable",
];

/// Whether the line that `text` starts with looks like the header of a block: `resource "a" "b" {`.
pub(crate) fn is_header_line(text: &str) -> bool {
    let line = first_line(text);
    let Some(len) = identifier_len(line) else {
        return false;
    };
    let keyword = &line[..len];
    let mut rest = line[len..].trim_start();
    if TOP_LEVEL.contains(&keyword) && rest.starts_with(['"', '{']) {
        return true;
    }
    loop {
        if rest.starts_with('{') {
            return true;
        }
        rest = match rest.strip_prefix('"') {
            Some(label) => match label.find('"') {
                Some(end) => label[end + 1..].trim_start(),
                None => return false,
            },
            None => match identifier_len(rest) {
                Some(len) => rest[len..].trim_start(),
                None => return false,
            },
        };
    }
}

/// Whether the line that `text` starts with looks like `name = ...`.
pub(crate) fn is_attribute_line(text: &str) -> bool {
    let line = first_line(text);
    let Some(len) = identifier_len(line) else {
        return false;
    };
    let rest = line[len..].trim_start();
    rest.starts_with('=') && !rest.starts_with("==") && !rest.starts_with("=>")
}

/// Whether a heredoc with this marker, whose first line `text` starts with, is closed. A second opener of the
/// same marker before that says that the closing one is not ours.
pub(crate) fn heredoc_ends(text: &str, marker: &str, effort: &Effort) -> bool {
    for line in text.split_inclusive('\n') {
        effort.spend(line.len());
        if line.trim() == marker {
            return line.ends_with('\n');
        }
        let opener = line.trim_end().strip_suffix(marker);
        if opener.is_some_and(|line| line.ends_with("<<") || line.ends_with("<<-")) {
            return false;
        }
    }
    false
}

fn first_line(text: &str) -> &str {
    text.split('\n').next().unwrap_or(text)
}
