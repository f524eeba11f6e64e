//! The outline of a file, its folds, and the steps of a growing selection.

use ide::{Fold, FoldKind, Symbol, SymbolKind};
use text::{TextRange, TextSize};
use yaml::{File, MappingEntry, Node, NodeKind, SegmentRole};

pub(crate) fn symbols(file: &File) -> Vec<Symbol> {
    let mut found: Vec<Symbol> = Vec::new();
    for segment in file.segments() {
        let entries = segment.parsed.entries.iter();
        let own: Vec<Symbol> = entries
            .map(|entry| {
                let section = match &segment.parsed.role {
                    SegmentRole::Entry(section) => Some(&**section),
                    _ => None,
                };
                symbol(entry, section, segment.offset)
            })
            .collect();
        match &segment.parsed.role {
            SegmentRole::Entry(section) => {
                let around = found.iter_mut().rev().find(|it| *it.name == **section);
                match around {
                    Some(around) => {
                        let end = own.last().map_or(around.range.end(), |it| it.range.end());
                        let end = end.max(around.range.end());
                        around.range = TextRange::new(around.range.start(), end);
                        around.children.extend(own);
                    }
                    None => found.extend(own),
                }
            }
            SegmentRole::Loose
            | SegmentRole::Stray
            | SegmentRole::Document
            | SegmentRole::Key
            | SegmentRole::Header => {
                found.extend(own);
            }
        }
    }
    found
}

fn symbol(entry: &MappingEntry, section: Option<&str>, offset: TextSize) -> Symbol {
    let name = entry.key.text().unwrap_or_default();
    let kind = match section {
        Some("resources") => SymbolKind::Resource,
        Some("variables" | "config" | "configuration") => SymbolKind::Variable,
        Some("outputs") => SymbolKind::Output,
        Some("components") => SymbolKind::Module,
        None if !entry.value.entries().is_empty() => SymbolKind::Block,
        Some(_) | None => SymbolKind::Argument,
    };
    let sections = ["resources", "variables", "config", "outputs", "components"];
    let is_section = section.is_none() && sections.contains(&name);
    let children = entry.value.entries().iter();
    let children = children.map(|it| symbol(it, is_section.then_some(name), offset));
    Symbol {
        name: name.to_owned(),
        kind,
        detail: String::new(),
        range: whole(entry) + offset,
        name_range: entry.key.range + offset,
        children: children.collect(),
    }
}

fn whole(entry: &MappingEntry) -> TextRange {
    entry.key.range.cover(entry.value.range)
}

pub(crate) fn folds(file: &File) -> Vec<Fold> {
    let text = file.text();
    let mut found = Vec::new();
    let mut add = |range: TextRange| {
        let range = trimmed(&text, range);
        let lines = text.get(std::ops::Range::<usize>::from(range));
        if lines.is_some_and(|it| it.contains('\n')) {
            found.push(Fold {
                range,
                kind: FoldKind::Code,
            });
        }
    };
    for symbol in symbols(file) {
        fold(&symbol, &mut add);
    }
    found
}

fn fold(symbol: &Symbol, add: &mut impl FnMut(TextRange)) {
    add(symbol.range);
    for child in &symbol.children {
        fold(child, add);
    }
}

/// Without white space at the end.
fn trimmed(text: &str, range: TextRange) -> TextRange {
    let written = text.get(std::ops::Range::<usize>::from(range));
    let length = written.map_or(0, |it| it.trim_end().len());
    TextRange::at(range.start(), TextSize::new(length as u32))
}

pub(crate) fn selections(file: &File, offset: TextSize) -> Vec<TextRange> {
    let mut found = Vec::new();
    let mut segments = file.segments();
    let Some(segment) = segments.find(|it| it.range().contains_inclusive(offset)) else {
        return found;
    };
    for entry in &segment.parsed.entries {
        around(entry, offset - segment.offset, &mut found);
    }
    let text = file.text();
    found
        .iter()
        .map(|it| trimmed(&text, *it + segment.offset))
        .collect()
}

fn around(entry: &MappingEntry, offset: TextSize, found: &mut Vec<TextRange>) {
    for range in [whole(entry), entry.key.range, entry.value.range] {
        if range.contains_inclusive(offset) && !range.is_empty() {
            found.push(range);
        }
    }
    inside(&entry.value, offset, found);
}

fn inside(node: &Node, offset: TextSize, found: &mut Vec<TextRange>) {
    match &node.kind {
        NodeKind::Mapping(entries) => entries.iter().for_each(|it| around(it, offset, found)),
        NodeKind::Sequence(elements) => {
            for element in elements {
                if element.range.contains_inclusive(offset) {
                    found.push(element.range);
                    inside(element, offset, found);
                }
            }
        }
        NodeKind::Scalar(_) | NodeKind::Alias => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "name: a\nresources:\n  x:\n    type: t:T\n    properties:\n      size: 1\n\n  y:\n    type: t:T\noutputs: {o: 1}\n";

    fn lines(text: &str, range: TextRange) -> (usize, usize) {
        let line = |at: TextSize| text[..usize::from(at)].matches('\n').count();
        (line(range.start()), line(range.end()))
    }

    #[test]
    fn entries_stand_below_their_sections() {
        fn shown(symbol: &Symbol) -> String {
            let inner: Vec<String> = symbol.children.iter().map(shown).collect();
            format!("{:?} {} {inner:?}", symbol.kind, symbol.name).replace('"', "")
        }
        let found: Vec<String> = symbols(&File::parse(TEXT)).iter().map(shown).collect();
        assert_eq!(
            found,
            [
                "Argument name []",
                "Argument resources [Resource x [Argument type [], Block properties [Argument size []]], Resource y [Argument type []]]",
                "Block outputs [Output o []]",
            ]
        );
    }

    #[test]
    fn nodes_of_several_lines_fold() {
        let file = File::parse(TEXT);
        let found: Vec<_> = folds(&file)
            .iter()
            .map(|it| lines(TEXT, it.range))
            .collect();
        assert_eq!(found, [(1, 8), (2, 5), (4, 5), (7, 8)]);
    }

    #[test]
    fn a_selection_grows() {
        let file = File::parse(TEXT);
        let offset = TextSize::new(TEXT.find("size").unwrap() as u32 + 1);
        let found = selections(&file, offset);
        let mut found: Vec<&str> = found.iter().map(|it| &TEXT[*it]).collect();
        found.sort_by_key(|it| it.len());
        assert_eq!(found[..2], ["size", "size: 1"]);
        assert!(found.last().unwrap().starts_with("x:"));
    }
}
