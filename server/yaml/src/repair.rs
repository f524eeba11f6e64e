//! The meaning of an entry that doesn't parse: single lines are repaired or left out until the rest does.

use text::{Problem, TextRange, TextSize};

use crate::parse::{error_at, exact};
use crate::{MappingEntry, Node, NodeKind, Scalar, Style, Tagged};

/// Longer entries are repaired around their error alone.
const MAX_LINES: usize = 150;

/// So many mistakes are worked around.
const MAX_MISTAKES: usize = 3;

/// Each attempt reads the whole entry, so of a longer one fewer lines are tried. In bytes, for all attempts.
const MAX_READ: usize = 32 << 20;

/// What can be understood of a text whose first error is `error`.
pub(crate) fn repair(text: &str, error: &Problem) -> Option<Node> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let at = line_at(&lines, error.at.start());
    // Each line is repaired, and left out.
    let affordable = MAX_READ / (2 * MAX_MISTAKES * text.len().max(1));
    let most = MAX_LINES.min(affordable);
    let near = match lines.len() > most {
        true => at.saturating_sub(most / 2)..(at + most / 2).min(lines.len()),
        false => 0..lines.len(),
    };
    let mut attempt = Attempt::of(&lines);
    for _ in 0..MAX_MISTAKES {
        let mut best: Option<(usize, Node)> = None;
        let mut furthest: Option<(TextSize, Attempt)> = None;
        for line in near.clone() {
            for next in [attempt.repaired(line), attempt.without(line)]
                .into_iter()
                .flatten()
            {
                match next.parse() {
                    Ok(node) => {
                        let size = node.size();
                        if best.as_ref().is_none_or(|(most, _)| size > *most) {
                            best = Some((size, node));
                        }
                    }
                    Err(error) => {
                        let reached = error.at.start();
                        if furthest.as_ref().is_none_or(|(most, _)| reached > *most) {
                            furthest = Some((reached, next));
                        }
                    }
                }
            }
        }
        if let Some((_, node)) = best {
            return Some(node);
        }
        let Some((_, next)) = furthest else {
            break;
        };
        attempt = next;
    }
    Attempt::of(&lines).all_repaired().parse().ok()
}

/// An entry of which nothing parses still has its name.
pub(crate) fn name_alone(text: &str) -> Option<Node> {
    let mut start = TextSize::new(0);
    for line in text.split_inclusive('\n') {
        let content = line.trim_start();
        let is_content = !content.is_empty() && !content.starts_with('#');
        if let Some((key, _)) = content.split_once(':').filter(|_| is_content) {
            let lead = TextSize::of(line) - TextSize::of(content);
            let range = TextRange::at(start + lead, TextSize::of(key.trim_end()));
            let key = Node {
                range,
                kind: NodeKind::Scalar(Scalar {
                    text: key.trim().trim_matches(['"', '\'']).into(),
                    style: Style::Plain,
                    tagged: Tagged::No,
                }),
            };
            let value = Node::nothing(range.end());
            return Some(Node {
                range,
                kind: NodeKind::Mapping(vec![MappingEntry { key, value }]),
            });
        }
        if is_content {
            return None;
        }
        start += TextSize::of(line);
    }
    None
}

fn line_at(lines: &[&str], offset: TextSize) -> usize {
    let mut end = 0;
    let ends = lines.iter().map(|line| {
        end += line.len();
        end
    });
    let index = ends.take_while(|end| *end <= usize::from(offset)).count();
    index.min(lines.len().saturating_sub(1))
}

/// A text of which some lines are others.
#[derive(Clone)]
struct Attempt {
    lines: Vec<Box<str>>,
    /// Of each line as it is written.
    lengths: Vec<usize>,
}

impl Attempt {
    fn of(lines: &[&str]) -> Attempt {
        Attempt {
            lines: lines.iter().map(|line| (*line).into()).collect(),
            lengths: lines.iter().map(|line| line.len()).collect(),
        }
    }

    /// With one line repaired, if it needs to be.
    fn repaired(&self, at: usize) -> Option<Attempt> {
        let repaired = repaired(&self.lines[at])?;
        let mut next = self.clone();
        next.lines[at] = repaired.into();
        Some(next)
    }

    fn all_repaired(&self) -> Attempt {
        let mut next = self.clone();
        for line in &mut next.lines {
            if let Some(repaired) = repaired(line) {
                *line = repaired.into();
            }
        }
        next
    }

    /// Without a line and what is nested below it. The first line is the name of the entry.
    fn without(&self, at: usize) -> Option<Attempt> {
        if is_blank(&self.lines[at]) || at == 0 {
            return None;
        }
        let mut next = self.clone();
        let level = indent(&self.lines[at]);
        next.lines[at] = "\n".into();
        for line in at + 1..next.lines.len() {
            if !is_blank(&self.lines[line]) && indent(&self.lines[line]) <= level {
                break;
            }
            next.lines[line] = "\n".into();
        }
        Some(next)
    }

    /// The tree, with ranges in the text as it is written.
    fn parse(&self) -> Result<Node, Problem> {
        let text = self.lines.concat();
        let mut node = exact(&text)?
            .filter(|node| !node.entries().is_empty())
            .ok_or_else(|| error_at(TextRange::empty(TextSize::new(0)), "nothing"))?;
        let place = |offset: TextSize| {
            let (mut here, mut written) = (0, 0);
            for (line, length) in self.lines.iter().zip(&self.lengths) {
                let within = usize::from(offset) - here;
                if within < line.len() {
                    let end =
                        length.saturating_sub(usize::from(*length > 0 && line.ends_with('\n')));
                    return TextSize::new((written + within.min(end)) as u32);
                }
                here += line.len();
                written += length;
            }
            TextSize::new(written as u32)
        };
        node.place(&place);
        Ok(node)
    }
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

fn is_blank(line: &str) -> bool {
    let content = line.trim();
    content.is_empty() || content.starts_with('#')
}

/// A line as it may have been meant: a half-typed key, a value that begins with a mark of YAML's own or is not closed, tabs.
fn repaired(line: &str) -> Option<String> {
    let written = line.trim_end();
    let content = written.trim_start();
    if is_blank(line) {
        return None;
    }
    let lead = written[..written.len() - content.len()].replace('\t', "  ");
    let (dash, content) = match content.strip_prefix("- ") {
        Some(rest) => ("- ", rest),
        None => ("", content),
    };
    let is_word = |c: char| c.is_alphanumeric() || "_-:.$/".contains(c);
    let is_half_key = content.chars().all(is_word) && !content.ends_with(':') && content != "-";
    let mended = match content.split_once(": ") {
        _ if is_half_key => format!("{content}:"),
        Some((key, value)) => {
            let value = value.trim();
            let begins_badly =
                value.starts_with(['@', '`', '%', '*', '&', '!', '{', '[', '"', '\'', '|', '>']);
            let is_bad = begins_badly || value.contains(": ") || value.ends_with(':');
            match is_bad {
                true => format!("{key}: '{}'", value.replace('\'', "''")),
                false => content.to_owned(),
            }
        }
        None => content.to_owned(),
    };
    let end = if line.ends_with('\n') { "\n" } else { "" };
    let mended = format!("{lead}{dash}{mended}{end}");
    (mended != line).then_some(mended)
}
