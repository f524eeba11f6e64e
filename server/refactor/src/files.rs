//! Where blocks stand: in which file, and in which order.

use text::{FileId, TextRange};

use crate::edits::append;
use crate::kind::{Offer, Refactoring, RefactoringContext};
use crate::site::{Site, size_range};
use crate::{Edits, Modules, RefactoringKind, Refusal};

/// More files than these are too many for a menu.
const FILES: usize = 6;

pub(crate) fn offers(modules: &Modules, site: &Site<'_>, range: TextRange) -> Vec<Offer> {
    if site
        .absolute(site.block.header_range)
        .intersect(range)
        .is_none()
    {
        return Vec::new();
    }
    let others = site.module.files.keys();
    let others = others.filter(|it| *it != site.file && !it.name().ends_with(".json"));
    let others: Vec<&str> = others.map(FileId::name).collect();
    let mut names: Vec<String> = Vec::new();
    names.extend(
        usual_file(site)
            .filter(|it| *it != site.file.name())
            .map(str::to_owned),
    );
    if others.len() <= FILES {
        names.extend(others.iter().map(|it| (*it).to_owned()));
    }
    names.sort();
    names.dedup();
    let to_file = |name: String| Offer {
        title: file_title(&name),
        kind: RefactoringKind::ToFile(name),
    };
    let mut offers: Vec<Offer> = names.into_iter().map(to_file).collect();
    let sites = Site::all(modules, site.file);
    if sites.len() > 1 && order(&sites) != (0..sites.len()).collect::<Vec<_>>() {
        offers.push(Offer {
            kind: RefactoringKind::SortBlocks,
            title: SORT.to_owned(),
        });
    }
    offers
}

fn file_title(name: &str) -> String {
    format!("Move the block to {name}")
}

const SORT: &str = "Sort and group the blocks of the file";

/// As the standard module structure of the language's documentation has it.
fn usual_file(site: &Site<'_>) -> Option<&'static str> {
    match site.block.kind.name.as_str() {
        "variable" => Some("variables.tf"),
        "output" => Some("outputs.tf"),
        "provider" => Some("providers.tf"),
        "terraform" => Some("versions.tf"),
        "locals" => Some("locals.tf"),
        _ => None,
    }
}

pub(crate) fn to_file(
    scene: &RefactoringContext<'_>,
    site: &Site<'_>,
    name: &str,
) -> Result<Refactoring, Refusal> {
    let file = FileId::new(format!("{}/{name}", site.dir));
    if file == *site.file {
        return Err(Refusal::NoName);
    }
    let text = site.syntax.text();
    let block = &text[std::ops::Range::<usize>::from(site.with_comments())];
    let block = block.replace("\r\n", "\n");
    let mut edits = Edits::default();
    edits.replace(site.file, site.paragraph(), "");
    append(
        &mut edits,
        scene.modules,
        &file,
        &format!("{}\n", block.trim_end()),
    );
    Ok(Refactoring {
        title: file_title(name),
        edits,
        moves: Vec::new(),
    })
}

/// The blocks by kind, and those that have only a name by that. Blocks of other kinds stay in their order.
fn order(sites: &[Site<'_>]) -> Vec<usize> {
    let key = |site: &Site<'_>| {
        let kind = site.block.kind.name.as_str();
        let place = KINDS.iter().position(|it| it.contains(&kind));
        let name = site
            .block
            .labels
            .first()
            .filter(|_| ["variable", "output"].contains(&kind));
        let name = name.map(|label| label.text.clone()).unwrap_or_default();
        (place.unwrap_or(KINDS.len()), name)
    };
    let mut order: Vec<usize> = (0..sites.len()).collect();
    order.sort_by_key(|at| key(&sites[*at]));
    order
}

/// Declarations before their uses.
const KINDS: [&[&str]; 9] = [
    &["terraform"],
    &["provider"],
    &["variable"],
    &["locals"],
    &["data", "resource", "ephemeral"],
    &["module"],
    &["check"],
    &["output"],
    &["import", "moved", "removed"],
];

pub(crate) fn sort(
    scene: &RefactoringContext<'_>,
    site: &Site<'_>,
) -> Result<Refactoring, Refusal> {
    let sites = Site::all(scene.modules, site.file);
    let text = site.syntax.text();
    // The text between two blocks goes with the second one; the first lines of the file stay, if they stand alone.
    let first = sites
        .first()
        .ok_or(Refusal::NoName)?
        .with_comments()
        .start();
    let mut start = first;
    let mut parts = Vec::new();
    for site in &sites {
        let end = site.with_comments().end();
        parts.push(text[start.into()..end.into()].trim().to_owned());
        start = end;
    }
    let order = order(&sites).into_iter().map(|at| parts[at].as_str());
    let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let sorted = order.collect::<Vec<_>>().join(&line_end.repeat(2));
    let mut edits = Edits::default();
    let whole = size_range(first.into(), start.into());
    edits.replace(site.file, whole, format!("{sorted}{line_end}"));
    Ok(Refactoring {
        title: SORT.to_owned(),
        edits,
        moves: Vec::new(),
    })
}
