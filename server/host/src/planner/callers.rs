//! Which root modules a module belongs to: those that call it, directly or through others.
//!
//! Callers among the open folders and those above them are read at each edit, as the texts are; the others of the
//! workspace when something changed on disk.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use config::{Profile, TreeCache};
use disk::{Limit, joined};
use ide::{DEPTH_SEARCHED, FOLDERS_SEARCHED, Snapshot, is_passed_over};
use plan::OpenFiles;
use text::FileId;

/// How far above a module its caller is looked for outside of the workspace.
pub(super) const CALLERS_ABOVE: usize = 4;

/// How many root modules are planned for one module: each has its engine, its state and its plugins.
pub(super) const PLANNED_CALLERS: usize = 32;

/// How many calls of a file that is not open are followed.
const CALLS_READ: usize = 1_000;

/// The root modules of the open documents.
#[derive(Clone, Default, PartialEq)]
pub(super) struct RootModules {
    /// To be planned, with their open files.
    pub planned: BTreeMap<PathBuf, Vec<FileId>>,
    /// Those among `planned` that are there for called modules alone, one of several each: with the folders of these.
    pub partial: BTreeMap<PathBuf, BTreeSet<String>>,
    /// Of each folder with an open document that is called, all root modules that do.
    pub of: BTreeMap<PathBuf, BTreeSet<PathBuf>>,
}

impl RootModules {
    /// Those to plan, and those that only the choice of a caller left out.
    pub(super) fn with_all_callers(mut self) -> BTreeMap<PathBuf, Vec<FileId>> {
        for root in self.of.into_values().flatten() {
            self.planned.entry(root).or_default();
        }
        self.planned
    }
}

#[derive(Default)]
pub(super) struct Callers {
    trees: HashMap<PathBuf, TreeCache>,
    scanned: Scanned,
}

/// The calls by local paths in the folders of the workspace.
#[derive(Default)]
struct Scanned {
    /// The folders and disk revision it was computed from.
    of: Option<(Vec<PathBuf>, u64)>,
    folders: HashMap<PathBuf, ScannedFolder>,
}

struct ScannedFolder {
    files: Vec<Stamp>,
    calls: BTreeSet<PathBuf>,
}

type Stamp = (PathBuf, Option<SystemTime>, u64);

impl Callers {
    /// The root modules of the documents that `open` has by folder, as far as the user wants to see them.
    pub(super) fn root_modules(
        &mut self,
        open: &BTreeMap<PathBuf, Vec<FileId>>,
        files: &OpenFiles,
        snapshot: &Snapshot,
        data_dir: Option<&str>,
    ) -> RootModules {
        self.scanned.look(snapshot);
        let mut callers: BTreeMap<&Path, BTreeSet<&Path>> = BTreeMap::new();
        let mut candidates: BTreeSet<&Path> = BTreeSet::new();
        for dir in open.keys() {
            candidates.extend(dir.ancestors().skip(1).take(CALLERS_ABOVE));
            candidates.extend((open.len() > 1).then_some(dir.as_path()));
        }
        self.trees
            .retain(|dir, _| candidates.contains(dir.as_path()));
        let mut called = Vec::new();
        for candidate in candidates {
            let dirs = called_from(&mut self.trees, files, candidate, data_dir);
            called.extend(dirs.into_iter().map(|dir| (dir, candidate)));
        }
        let is_read = |dir: &Path| called.iter().any(|(_, caller)| *caller == dir);
        let scanned = self.scanned.folders.iter();
        let scanned = scanned.filter(|(caller, _)| !is_read(caller));
        let calls = scanned.flat_map(|(caller, it)| it.calls.iter().map(move |dir| (dir, caller)));
        for (dir, caller) in calls {
            callers.entry(dir).or_default().insert(caller);
        }
        for (dir, caller) in &called {
            callers.entry(dir).or_default().insert(caller);
        }
        let mut modules = RootModules::default();
        let mut whole: BTreeSet<PathBuf> = open.keys().cloned().collect();
        for (dir, files) in open {
            let roots = roots_of(dir, &callers);
            let chosen = snapshot.caller(dir).map(|caller| caller.root.as_path());
            let chosen = chosen.filter(|root| *root == dir || roots.contains(*root));
            let wanted: BTreeSet<&Path> = match chosen {
                Some(chosen) => BTreeSet::from([chosen]),
                None if roots.is_empty() => BTreeSet::from([dir.as_path()]),
                None => {
                    let all = roots.iter().map(PathBuf::as_path);
                    all.take(PLANNED_CALLERS).collect()
                }
            };
            if let [root] = Vec::from_iter(&wanted)[..] {
                whole.insert(root.to_path_buf());
            }
            for root in wanted {
                let shown = modules.partial.entry(root.to_owned()).or_default();
                shown.insert(dir.to_string_lossy().into_owned());
                let of_root = modules.planned.entry(root.to_owned()).or_default();
                of_root.extend(files.iter().cloned());
            }
            if !roots.is_empty() {
                modules.of.insert(dir.clone(), roots);
            }
        }
        modules.partial.retain(|root, _| !whole.contains(root));
        modules
    }
}

/// The root modules that call `dir`, directly or not.
fn roots_of(dir: &Path, callers: &BTreeMap<&Path, BTreeSet<&Path>>) -> BTreeSet<PathBuf> {
    let mut roots = BTreeSet::new();
    let mut seen = BTreeSet::from([dir]);
    let mut next = vec![dir];
    while let Some(dir) = next.pop() {
        for caller in callers.get(dir).into_iter().flatten() {
            let is_root = !callers.contains_key(caller);
            match is_root {
                true => drop(roots.insert(caller.to_path_buf())),
                false if seen.insert(caller) => next.push(caller),
                false => {}
            }
        }
    }
    roots
}

/// The folders of the modules that the configuration in `dir` calls, directly and through others.
fn called_from(
    trees: &mut HashMap<PathBuf, TreeCache>,
    files: &OpenFiles,
    dir: &Path,
    data_dir: Option<&str>,
) -> Vec<PathBuf> {
    let Some(path) = dir.to_str().filter(|path| has_calls(path, files)) else {
        trees.remove(dir);
        return Vec::new();
    };
    let new = || TreeCache::new(Profile::default());
    let cache = trees.entry(dir.to_owned()).or_insert_with(new);
    let (tree, _) = config::load_tree(files, cache, path, data_dir, None);
    let called = tree.iter().filter(|(addr, _)| !addr.is_root());
    let dirs: BTreeSet<&str> = called.map(|(_, module)| module.dir.as_str()).collect();
    dirs.into_iter().map(PathBuf::from).collect()
}

/// Whether the configuration in `dir` calls modules. If it calls none, it is not loaded here: all plans wait for this search.
fn has_calls(dir: &str, files: &OpenFiles) -> bool {
    let is_call = |item: &syntax::ast::Item| match item {
        syntax::ast::Item::Block(block) => block.kind.name == "module",
        syntax::ast::Item::Member(_) => true,
        syntax::ast::Item::Attribute(_) => false,
    };
    let names = config::Files::list(files, dir).unwrap_or_default();
    let mut names = names.iter().filter(|name| is_of_module(name));
    names.any(|name| {
        let path = format!("{dir}/{name}");
        // Of most files the tree is not needed.
        files.mentions(&path, "module")
            && config::Files::parse(files, &path)
                .is_ok_and(|file| file.body().items().any(|(_, item)| is_call(item)))
    })
}

impl Scanned {
    /// Looks through the folders of the workspace again, if something changed there; only files that did are read.
    fn look(&mut self, snapshot: &Snapshot) {
        let of = (snapshot.folders().to_vec(), snapshot.changes_on_disk());
        if self.of.as_ref() == Some(&of) {
            return;
        }
        let mut before = std::mem::take(&mut self.folders);
        let mut next: VecDeque<(PathBuf, usize)> = VecDeque::new();
        next.extend(of.0.iter().map(|folder| (folder.clone(), 0)));
        let mut count = 0;
        while let Some((dir, depth)) = next.pop_front() {
            count += 1;
            if count > FOLDERS_SEARCHED {
                tracing::warn!(
                    FOLDERS_SEARCHED,
                    "callers are not looked for in further folders"
                );
                break;
            }
            let mut files = Vec::new();
            for entry in disk::list(&dir).unwrap_or_default() {
                let name = entry.name.to_string_lossy();
                let kind = entry.file_type;
                if kind.is_dir() && !is_passed_over(&name) && depth < DEPTH_SEARCHED {
                    next.push_back((entry.path, depth + 1));
                } else if kind.is_file() && is_of_module(&name) {
                    let metadata = entry.path.symlink_metadata().ok();
                    let modified = metadata.as_ref().and_then(|it| it.modified().ok());
                    let len = metadata.map_or(0, |it| it.len());
                    files.push((entry.path, modified, len));
                }
            }
            if files.is_empty() {
                continue;
            }
            files.sort();
            let known = before.remove(&dir).filter(|known| known.files == files);
            let folder = known.unwrap_or_else(|| ScannedFolder {
                calls: files.iter().flat_map(|(path, ..)| calls(path)).collect(),
                files,
            });
            self.folders.insert(dir, folder);
        }
        self.of = Some(of);
    }
}

pub(super) fn is_of_module(name: &str) -> bool {
    let native = name.strip_suffix(".json").unwrap_or(name);
    native.ends_with(".tf") || native.ends_with(".tofu")
}

/// The folders that a file of configuration calls by local paths.
fn calls(path: &Path) -> Vec<PathBuf> {
    let text = disk::read(path, Limit::CONFIGURATION).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    if !text.contains("module") {
        return Vec::new();
    }
    let file = config::parse_file(&path.to_string_lossy(), &text);
    let dir = path.parent().unwrap_or(path);
    let called = file.body().blocks().filter_map(|(_, block)| {
        let mut attributes = block.body.attributes.iter();
        let is_call = block.kind.name == "module";
        let source = attributes.find(|it| is_call && it.name.name == "source")?;
        let source = source.expr.as_literal_string()?;
        config::is_local(&source).then(|| joined(dir, &source))
    });
    called.take(CALLS_READ).collect()
}
