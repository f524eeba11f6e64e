//! Lines that are the same, gone or new.
//!
//! Source: `diffmatchpatch/diff.go` of `sergi/go-diff`, as Pulumi's engine uses it: without a deadline, so without half matches.

use std::collections::HashMap;

use super::printer::Mark;

/// Longer texts are shown as wholly other ones.
const MAX_PAIRS: usize = 4_000_000;

/// A line, by its number among those that differ.
type Line = u32;

/// Lines in a row with one mark: that of lines that are the same is `Mark::None`.
#[derive(Clone, PartialEq, Debug)]
struct Run {
    mark: Mark,
    lines: Vec<Line>,
}

pub(super) fn chunks<'a>(old: &'a str, new: &'a str) -> Vec<(Mark, Vec<&'a str>)> {
    let mut texts: Vec<&str> = Vec::new();
    let mut numbers: HashMap<&str, Line> = HashMap::new();
    let mut numbered = |text: &'a str| -> Vec<Line> {
        let lines = text.split_inclusive('\n').map(|line| {
            *numbers.entry(line).or_insert_with(|| {
                texts.push(line.trim_end_matches('\n'));
                texts.len() as Line - 1
            })
        });
        lines.collect()
    };
    let (olds, news) = (numbered(old), numbered(new));
    let runs = compared(&olds, &news).into_iter();
    let chunks = runs.map(|run| {
        let lines = run.lines.iter().map(|it| texts[*it as usize]);
        (run.mark, lines.collect())
    });
    chunks.collect()
}

fn run(mark: Mark, lines: &[Line]) -> Run {
    Run {
        mark,
        lines: lines.to_vec(),
    }
}

fn compared(old: &[Line], new: &[Line]) -> Vec<Run> {
    if old == new {
        let whole = (!old.is_empty()).then(|| run(Mark::None, old));
        return Vec::from_iter(whole);
    }
    let (head, old, new) = split_head(old, new);
    let (tail, old, new) = split_tail(old, new);
    let mut runs = Vec::new();
    if !head.is_empty() {
        runs.push(run(Mark::None, head));
    }
    runs.extend(without_ends(old, new));
    if !tail.is_empty() {
        runs.push(run(Mark::None, tail));
    }
    merged(runs)
}

/// The common lines at the beginning, and the rests.
fn split_head<'a>(a: &'a [Line], b: &'a [Line]) -> (&'a [Line], &'a [Line], &'a [Line]) {
    let length = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    (&a[..length], &a[length..], &b[length..])
}

/// The common lines at the end, and the rests.
fn split_tail<'a>(a: &'a [Line], b: &'a [Line]) -> (&'a [Line], &'a [Line], &'a [Line]) {
    let both = a.iter().rev().zip(b.iter().rev());
    let length = both.take_while(|(a, b)| a == b).count();
    let (a, tail) = a.split_at(a.len() - length);
    (tail, a, &b[..b.len() - length])
}

/// Of texts that neither begin nor end with the same line.
fn without_ends(old: &[Line], new: &[Line]) -> Vec<Run> {
    if old.is_empty() {
        return vec![run(Mark::Add, new)];
    }
    if new.is_empty() {
        return vec![run(Mark::Delete, old)];
    }
    let (long, short, mark) = match old.len() > new.len() {
        true => (old, new, Mark::Delete),
        false => (new, old, Mark::Add),
    };
    if let Some(at) = long.windows(short.len()).position(|it| it == short) {
        return vec![
            run(mark, &long[..at]),
            run(Mark::None, short),
            run(mark, &long[at + short.len()..]),
        ];
    }
    let middle = match short.len() > 1 && old.len().saturating_mul(new.len()) <= MAX_PAIRS {
        true => middle(old, new),
        false => None,
    };
    let Some((x, y)) = middle else {
        return vec![run(Mark::Delete, old), run(Mark::Add, new)];
    };
    let mut runs = compared(&old[..x], &new[..y]);
    runs.extend(compared(&old[x..], &new[y..]));
    runs
}

/// A search from one end of both texts.
struct Search {
    /// How far it has come on each diagonal, -1 where it has not been.
    reached: Vec<isize>,
    /// Diagonals that have left the grid, at both ends.
    left_out: (isize, isize),
}

impl Search {
    fn new(length: isize) -> Search {
        let mut reached = vec![-1; 2 * length as usize];
        reached[length as usize + 1] = 0;
        Search {
            reached,
            left_out: (0, 0),
        }
    }

    fn at(&self, offset: isize) -> Option<isize> {
        let reached = self.reached.get(usize::try_from(offset).ok()?)?;
        (*reached != -1).then_some(*reached)
    }

    /// One step on the diagonal `k` of the step `d`, and then along lines that are the same.
    fn step(
        &mut self,
        offset: isize,
        (k, d): (isize, isize),
        is_same: &dyn Fn(isize, isize) -> bool,
    ) -> (isize, isize) {
        let reached = |offset: isize| self.reached[offset as usize];
        let is_down = k == -d || (k != d && reached(offset - 1) < reached(offset + 1));
        let mut x = match is_down {
            true => reached(offset + 1),
            false => reached(offset - 1) + 1,
        };
        let mut y = x - k;
        while is_same(x, y) {
            (x, y) = (x + 1, y + 1);
        }
        self.reached[offset as usize] = x;
        (x, y)
    }
}

/// Where two texts are divided, by the middle snake of Myers' algorithm. `None`: they have no line in common.
fn middle(old: &[Line], new: &[Line]) -> Option<(usize, usize)> {
    let (olds, news) = (old.len() as isize, new.len() as isize);
    let length = (olds + news + 1) / 2;
    let delta = olds - news;
    let meets_forward = delta % 2 != 0;
    let is_inside = |x: isize, y: isize| x < olds && y < news;
    let forward = |x: isize, y: isize| is_inside(x, y) && old[x as usize] == new[y as usize];
    let backward = |x: isize, y: isize| {
        is_inside(x, y) && old[(olds - x - 1) as usize] == new[(news - y - 1) as usize]
    };
    let (mut head, mut tail) = (Search::new(length), Search::new(length));
    let found = |x: isize, y: isize| Some((x.clamp(0, olds) as usize, y.clamp(0, news) as usize));
    for d in 0..length {
        let mut k = -d + head.left_out.0;
        while k <= d - head.left_out.1 {
            let (x, y) = head.step(length + k, (k, d), &forward);
            if x > olds {
                head.left_out.1 += 2;
            } else if y > news {
                head.left_out.0 += 2;
            } else if meets_forward
                && let Some(other) = tail.at(length + delta - k)
                && x >= olds - other
            {
                return found(x, y);
            }
            k += 2;
        }
        let mut k = -d + tail.left_out.0;
        while k <= d - tail.left_out.1 {
            let (x, y) = tail.step(length + k, (k, d), &backward);
            if x > olds {
                tail.left_out.1 += 2;
            } else if y > news {
                tail.left_out.0 += 2;
            } else if !meets_forward
                && let Some(other) = head.at(length + delta - k)
                && other >= olds - x
            {
                return found(other, other - (delta - k));
            }
            k += 2;
        }
    }
    None
}

/// Joins what stands side by side, and moves edits sideways where that saves a run of equal lines.
fn merged(runs: Vec<Run>) -> Vec<Run> {
    let mut runs = gathered(runs);
    match shift(&mut runs) {
        true => merged(runs),
        false => runs,
    }
}

/// Joins deletions and additions side by side, without lines that both have at their ends.
fn gathered(runs: Vec<Run>) -> Vec<Run> {
    let mut found: Vec<Run> = Vec::new();
    let mut edits: Vec<Run> = Vec::new();
    for mut same in runs.into_iter().chain([run(Mark::None, &[])]) {
        if same.mark != Mark::None {
            edits.push(same);
            continue;
        }
        match (edits.len(), found.last_mut()) {
            (0, Some(last)) => last.lines.extend(same.lines),
            (0 | 1, _) => {
                found.append(&mut edits);
                found.push(same);
            }
            _ => {
                let (head, edits, tail) = joined(std::mem::take(&mut edits));
                if !head.is_empty() {
                    match found.last_mut() {
                        Some(last) => last.lines.extend(head),
                        None => found.push(run(Mark::None, &head)),
                    }
                }
                found.extend(edits);
                same.lines.splice(0..0, tail);
                found.push(same);
            }
        }
    }
    if found.last().is_some_and(|it| it.lines.is_empty()) {
        found.pop();
    }
    found
}

/// One deletion and one addition of several, and the lines that both had at their beginning and end.
fn joined(edits: Vec<Run>) -> (Vec<Line>, Vec<Run>, Vec<Line>) {
    let all = |mark: Mark| -> Option<Vec<Line>> {
        let mut edits = edits.iter().filter(|it| it.mark == mark).peekable();
        edits.peek()?;
        Some(edits.flat_map(|it| it.lines.iter().copied()).collect())
    };
    match (all(Mark::Delete), all(Mark::Add)) {
        (Some(deleted), Some(added)) => {
            let (head, deleted, added) = split_head(&deleted, &added);
            let (tail, deleted, added) = split_tail(deleted, added);
            let edits = vec![run(Mark::Delete, deleted), run(Mark::Add, added)];
            (head.to_vec(), edits, tail.to_vec())
        }
        (deleted, added) => {
            let deleted = deleted.map(|it| run(Mark::Delete, &it));
            let added = added.map(|it| run(Mark::Add, &it));
            let edits = deleted.into_iter().chain(added).collect();
            (Vec::new(), edits, Vec::new())
        }
    }
}

/// Moves edits between equal lines over those before or behind them. Answers whether there was one.
fn shift(runs: &mut Vec<Run>) -> bool {
    let mut is_changed = false;
    let mut at = 1;
    while at + 1 < runs.len() {
        let (before, behind) = (runs[at - 1].clone(), runs[at + 1].clone());
        if before.mark == Mark::None && behind.mark == Mark::None {
            let lines = &mut runs[at].lines;
            if lines.ends_with(&before.lines) {
                lines.rotate_right(before.lines.len());
                runs[at + 1].lines.splice(0..0, before.lines);
                runs.remove(at - 1);
                is_changed = true;
            } else if lines.starts_with(&behind.lines) {
                lines.rotate_left(behind.lines.len());
                runs[at - 1].lines.extend(behind.lines);
                runs.remove(at + 1);
                is_changed = true;
            }
        }
        at += 1;
    }
    is_changed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(old: &str, new: &str) -> String {
        let chunks = chunks(old, new).into_iter();
        let lines = chunks.flat_map(|(mark, lines)| {
            lines.into_iter().map(move |line| match mark {
                Mark::Delete => format!("-{line}"),
                Mark::Add => format!("+{line}"),
                _ => line.to_owned(),
            })
        });
        lines.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn lines_are_compared_as_the_engine_does() {
        for (old, new, expected) in [
            ("a b", "a b", "a b"),
            ("a b", "a a b", "+a a b"),
            ("a a b", "a b", "-a a b"),
            ("a b c", "a x c", "a -b +x c"),
            ("a b c d e", "b x d y", "-a b -c +x d -e +y"),
            ("a b", "c d", "-a -b +c +d"),
            ("", "a b", "+a +b"),
            ("a b c a b", "a b", "a b -c -a -b"),
        ] {
            let lines = |text: &str| -> String {
                let words = text.split_whitespace();
                words.map(|it| format!("{it}\n")).collect()
            };
            let found = marked(&lines(old), &lines(new));
            assert_eq!(found, expected, "{old} => {new}");
        }
    }
}
