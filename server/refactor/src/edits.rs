//! Edits of modules: with the layout and the line ends of their files.

use std::ops::Range;

use syntax::Segment;
use text::{Edits, FileId, Replacement as Edit, TextRange, TextSize};

use crate::Modules;

/// Adds blocks at the end of a file of a module, or makes the file.
pub(crate) fn append(edits: &mut Edits, modules: &Modules, file: &FileId, blocks: &str) {
    let Some(syntax) = modules.file(file) else {
        let text = edits.created.entry(file.clone()).or_default();
        let gap = if text.is_empty() { "" } else { "\n" };
        text.push_str(&format!("{gap}{blocks}"));
        return;
    };
    let before = syntax.text();
    let gap = match before.as_ref() {
        text if text.trim().is_empty() => "",
        text if text.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    let text = with_line_ends_of(modules, file, &format!("{gap}{blocks}"));
    let end = TextRange::empty(syntax.len());
    let edits = edits.files.entry(file.clone()).or_default();
    match edits.last_mut().filter(|last| last.range == end) {
        Some(last) => last.text.push_str(&text),
        None => edits.push(Edit { range: end, text }),
    }
}

/// Where the edits shift text in the layout of `terraform fmt`, lays it out again; and ends lines as their file
/// does.
pub(crate) fn keep_layout(edits: &mut Edits, modules: &Modules) {
    for (file, edits) in &mut edits.files {
        let native = modules
            .file(file)
            .filter(|_| !file.name().ends_with(".json"));
        if let Some(syntax) = native {
            if syntax.text().contains("\r\n") {
                for edit in edits.iter_mut() {
                    edit.text = edit.text.replace("\r\n", "\n").replace('\n', "\r\n");
                }
            }
            *edits = lay_out(syntax, std::mem::take(edits));
        }
    }
}

/// The text as it is written in a file whose lines may end in another way.
pub(crate) fn with_line_ends_of(modules: &Modules, file: &FileId, text: &str) -> String {
    match modules.file(file) {
        Some(syntax) if syntax.text().contains("\r\n") => text.replace('\n', "\r\n"),
        _ => text.to_owned(),
    }
}

/// The edits of a file in native syntax, with those that lay out again the segments that were in layout before. `edits` are in
/// order.
pub fn lay_out(file: &syntax::File, edits: Vec<Edit>) -> Vec<Edit> {
    let mut all = Vec::with_capacity(edits.len());
    let mut rest = edits.into_iter().peekable();
    while let Some(first) = rest.next() {
        let segment = file.segment_at(first.range.start());
        let holds = |segment: &Segment<'_>| first.range.end() <= segment.range().end();
        let Some(segment) = segment.filter(holds) else {
            all.push(first);
            continue;
        };
        let end = segment.range().end();
        let mut inside = vec![first];
        inside.extend(std::iter::from_fn(|| {
            rest.next_if(|it| it.range.end() <= end)
        }));
        all.extend(laid_out(&segment, &inside).unwrap_or(inside));
    }
    all
}

/// The edits of a segment with those that lay it out again: of whole lines. `None` where there is nothing to add.
fn laid_out(segment: &Segment<'_>, edits: &[Edit]) -> Option<Vec<Edit>> {
    let before = &*segment.parsed.text;
    if syntax::format(before)? != before {
        return None;
    }
    let inside: Vec<Edit> = edits
        .iter()
        .map(|edit| Edit {
            range: edit.range - segment.offset,
            text: edit.text.clone(),
        })
        .collect();
    let after = text::apply(before, &inside);
    let formatted = syntax::format(&after).filter(|formatted| *formatted != after)?;
    let old: Vec<&str> = before.split_inclusive('\n').collect();
    let new: Vec<&str> = formatted.split_inclusive('\n').collect();
    Some(match old.len() == new.len() {
        true => (0..old.len())
            .filter(|&line| old[line] != new[line])
            .map(|line| lines_edit(segment, &old, line..line + 1, new[line].to_owned()))
            .collect(),
        false => {
            let same = |(old, new): &(&&str, &&str)| old == new;
            let front = old.iter().zip(&new).take_while(same).count();
            let pairs = old[front..].iter().rev().zip(new[front..].iter().rev());
            let back = pairs.take_while(same).count();
            let text = new[front..new.len() - back].concat();
            vec![lines_edit(segment, &old, front..old.len() - back, text)]
        }
    })
}

/// Replaces some of the lines of a segment.
fn lines_edit(segment: &Segment<'_>, lines: &[&str], replaced: Range<usize>, text: String) -> Edit {
    let len = |lines: &[&str]| {
        lines
            .iter()
            .map(|line| TextSize::of(*line))
            .sum::<TextSize>()
    };
    let start = segment.offset + len(&lines[..replaced.start]);
    let range = TextRange::at(start, len(&lines[replaced]));
    Edit { range, text }
}
