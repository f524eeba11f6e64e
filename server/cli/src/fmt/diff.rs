//! The changes of formatting, as `diff -u` shows them. The edits name the lines: there is nothing to search for.

use std::fmt::Write;
use std::ops::Range;

use text::Replacement;

/// Lines around a change.
const CONTEXT: usize = 3;

/// Lines of the old text that become lines of the new one.
#[derive(Clone)]
struct LineChange {
    old: Range<usize>,
    new: Range<usize>,
}

pub(super) fn unified(name: &str, old: &str, new: &str, edits: &[Replacement]) -> String {
    let old_lines: Vec<&str> = old.split_inclusive('\n').collect();
    let new_lines: Vec<&str> = new.split_inclusive('\n').collect();
    let changes = changes(&old_lines, &new_lines, edits);
    let mut out = format!("--- old/{name}\n+++ new/{name}\n");
    for hunk in changes.chunk_by(|a, b| b.old.start - a.old.end <= 2 * CONTEXT) {
        write_hunk(&mut out, hunk, &old_lines, &new_lines);
    }
    out
}

fn changes(old_lines: &[&str], new_lines: &[&str], edits: &[Replacement]) -> Vec<LineChange> {
    let mut ends = Vec::with_capacity(old_lines.len());
    let mut end = 0;
    for line in old_lines {
        end += line.len();
        ends.push(end);
    }
    let line_of = |offset: usize| ends.partition_point(|end| *end <= offset);
    let mut changes: Vec<LineChange> = Vec::new();
    // How many lines the text has grown by before the edit.
    let mut growth = 0_isize;
    for edit in edits {
        let (start, end) = (
            usize::from(edit.range.start()),
            usize::from(edit.range.end()),
        );
        let old = line_of(start)..(line_of(end) + 1).min(old_lines.len());
        let old = old.start.min(old.end)..old.end;
        let removed: usize = (line_of(end) - line_of(start)).min(old.len());
        let added = edit.text.matches('\n').count();
        let before = growth;
        growth += added as isize - removed as isize;
        let new_start = old.start.saturating_add_signed(before);
        let new_end = old.end.saturating_add_signed(growth).min(new_lines.len());
        match changes.last_mut() {
            Some(last) if old.start <= last.old.end => {
                last.old.end = last.old.end.max(old.end);
                last.new.end = last.new.end.max(new_end);
            }
            _ => changes.push(LineChange {
                old,
                new: new_start.min(new_end)..new_end,
            }),
        }
    }
    for change in &mut changes {
        trim(change, old_lines, new_lines);
    }
    changes
}

/// Leaves out the same lines at both ends.
fn trim(change: &mut LineChange, old_lines: &[&str], new_lines: &[&str]) {
    let LineChange { old, new } = change;
    let (old_part, new_part) = (&old_lines[old.clone()], &new_lines[new.clone()]);
    let is_same = |(a, b): &(&&str, &&str)| a == b;
    let same = old_part.iter().zip(new_part).take_while(is_same).count();
    let (old_part, new_part) = (&old_part[same..], &new_part[same..]);
    let behind = old_part.iter().rev().zip(new_part.iter().rev());
    let same_behind = behind.take_while(is_same).count();
    *old = old.start + same..old.end - same_behind;
    *new = new.start + same..new.end - same_behind;
}

fn write_hunk(out: &mut String, hunk: &[LineChange], old_lines: &[&str], new_lines: &[&str]) {
    let (Some(first), Some(last)) = (hunk.first(), hunk.last()) else {
        return;
    };
    let before = first.old.start.min(CONTEXT);
    let after = (old_lines.len() - last.old.end).min(CONTEXT);
    let old = first.old.start - before..last.old.end + after;
    let new = first.new.start - before..last.new.end + after;
    let _ = writeln!(out, "@@ -{} +{} @@", place(&old), place(&new));
    let mut done = old.start;
    for change in hunk {
        write_lines(out, ' ', &old_lines[done..change.old.start]);
        write_lines(out, '-', &old_lines[change.old.clone()]);
        write_lines(out, '+', &new_lines[change.new.clone()]);
        done = change.old.end;
    }
    write_lines(out, ' ', &old_lines[done..old.end]);
}

/// Lines count from 1; an empty range names the line before it.
fn place(lines: &Range<usize>) -> String {
    match lines.len() {
        0 => format!("{},0", lines.start),
        1 => format!("{}", lines.start + 1),
        len => format!("{},{len}", lines.start + 1),
    }
}

fn write_lines(out: &mut String, sign: char, lines: &[&str]) {
    for line in lines {
        out.push(sign);
        out.push_str(line);
        if !line.ends_with('\n') {
            out.push_str("\n\\ No newline at end of file\n");
        }
    }
}
