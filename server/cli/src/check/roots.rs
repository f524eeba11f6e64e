//! The root modules below some folders: those with configuration that nothing calls, or with a state of their own.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::Context;
use config::FileRole;
use disk::{Limit, joined};
use syntax::ast::Item;
use text::one_line;

/// Folders that are looked through, and how deep: more than any repository has.
const FOLDERS: usize = 100_000;
const DEPTH: usize = 24;

/// Files of a module that is planned by itself, though another one calls it.
const OF_ROOT: [&str; 2] = [".terraform.lock.hcl", "terraform.tfstate"];

/// The root modules in these folders and below.
pub(super) fn find(places: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut waiting: Vec<(PathBuf, usize)> = places.iter().map(|it| (it.clone(), 0)).collect();
    let (mut modules, mut called, mut with_state) =
        (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let mut seen = 0;
    while let Some((dir, depth)) = waiting.pop() {
        seen += 1;
        anyhow::ensure!(
            seen <= FOLDERS,
            "there are more than {FOLDERS} folders: name some of them"
        );
        let entries = disk::list(&dir)
            .with_context(|| format!("listing {}", one_line(&dir.to_string_lossy())))?;
        for entry in entries {
            let name = entry.name.to_string_lossy().into_owned();
            if entry.is_folder() && !entry.path.is_symlink() {
                if !name.starts_with('.') && name != "node_modules" && depth < DEPTH {
                    waiting.push((entry.path, depth + 1));
                }
            } else if is_module_file(&name) {
                modules.insert(dir.clone());
                let references = calls(&entry.path);
                called.extend(references.sources.iter().map(|it| joined(&dir, it)));
                if references.has_backend {
                    with_state.insert(dir.clone());
                }
            } else if OF_ROOT.contains(&name.as_str()) {
                with_state.insert(dir.clone());
            }
        }
    }
    let is_root =
        |dir: &PathBuf| !called.contains(dir) || with_state.contains(dir) || places.contains(dir);
    Ok(modules.into_iter().filter(is_root).collect())
}

pub(super) fn is_module_file(name: &str) -> bool {
    FileRole::of(name) == FileRole::Module && name.contains('.') && !name.starts_with('.')
}

/// A path as reports have it.
pub(super) fn shown(path: &Path, cwd: &Path) -> String {
    let from = path.strip_prefix(cwd).unwrap_or(path);
    match from.as_os_str().is_empty() {
        true => ".".to_owned(),
        false => from.to_string_lossy().replace('\\', "/"),
    }
}

#[derive(Default)]
struct References {
    sources: Vec<String>,
    has_backend: bool,
}

/// The modules that a file calls by a path, and whether it configures a backend.
fn calls(file: &Path) -> References {
    let text = disk::read_text(file, Limit::CONFIGURATION).unwrap_or_default();
    match file.extension().is_some_and(|it| it == "json") {
        true => in_json(&text),
        false => in_text(&text),
    }
}

fn in_text(text: &str) -> References {
    let mut references = References::default();
    // Most files neither call nor say where the state is.
    if !["module", "backend", "cloud"]
        .iter()
        .any(|it| text.contains(it))
    {
        return references;
    }
    for segment in syntax::parse(text).segments() {
        for item in segment.parsed.items.iter() {
            let Item::Block(block) = item else { continue };
            if block.kind.name == "module" {
                let mut attributes = block.body.attributes.iter();
                let source = attributes.find(|it| it.name.name == "source");
                let source = source.and_then(|it| it.expr.as_literal_string());
                references.sources.extend(
                    source
                        .filter(|it| it.starts_with('.'))
                        .map(|it| it.to_string()),
                );
            }
            let is_of_state = |name: &str| name == "backend" || name == "cloud";
            references.has_backend |= block.kind.name == "terraform"
                && block
                    .body
                    .blocks
                    .iter()
                    .any(|it| is_of_state(&it.kind.name));
        }
    }
    references
}

fn in_json(text: &str) -> References {
    let value: serde_json::Value = serde_json::from_str(text).unwrap_or_default();
    let modules = value["module"].as_object().into_iter().flatten();
    let sources = modules.filter_map(|(_, it)| it["source"].as_str());
    References {
        sources: sources
            .filter(|it| it.starts_with('.'))
            .map(str::to_owned)
            .collect(),
        has_backend: !value["terraform"]["backend"].is_null(),
    }
}

/// The folders of a root module and of all that it calls by a path, as they are and as they were: `before` has texts of files
/// before a change.
pub(super) fn tree(
    root: &Path,
    before: &BTreeMap<PathBuf, Option<String>>,
    known: &mut BTreeMap<PathBuf, BTreeSet<PathBuf>>,
) -> BTreeSet<PathBuf> {
    let (mut found, mut waiting) = (BTreeSet::new(), vec![root.to_owned()]);
    while let Some(dir) = waiting.pop() {
        if !found.insert(dir.clone()) {
            continue;
        }
        let called = known.entry(dir.clone()).or_insert_with(|| {
            let entries = disk::list(&dir).unwrap_or_default().into_iter();
            let files = entries.filter(|it| is_module_file(&it.name.to_string_lossy()));
            let now = files.flat_map(|it| calls(&it.path).sources);
            let was = before
                .iter()
                .filter(|(path, _)| path.parent() == Some(&dir));
            let was = was.filter_map(|(path, text)| Some((path, text.as_deref()?)));
            let was = was.flat_map(|(path, text)| {
                match path.extension().is_some_and(|it| it == "json") {
                    true => in_json(text).sources,
                    false => in_text(text).sources,
                }
            });
            let sources: Vec<String> = now.chain(was).collect();
            sources.iter().map(|it| joined(&dir, it)).collect()
        });
        waiting.extend(called.iter().cloned());
    }
    found
}
