//! The texts before a change: of the repository, its submodules, and through its links.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use anyhow::ensure;
use disk::MAX_ENTRIES;

use super::git::{EntryKind, Repository, native};

/// Links that a path may lead through, as on Linux.
const LINKS: usize = 40;

/// The base of a change.
pub(super) struct DiffBase {
    /// The revision as given on the command line.
    pub name: String,
    /// The files that the change adds, changes or deletes, with their texts before: `None` where there were none.
    pub files: BTreeMap<PathBuf, Option<String>>,
    /// Files and submodules whose content before the change can't be read, and why.
    pub unread: BTreeMap<PathBuf, String>,
    /// Changed files that select a state or modules, with the folder of the root module: both plans are made with their content
    /// of now.
    pub selections: BTreeMap<PathBuf, PathBuf>,
}

impl DiffBase {
    /// The revision that the change to the files of now started from.
    pub(super) fn of(name: &str, cwd: &Path) -> anyhow::Result<DiffBase> {
        ensure!(
            !name.starts_with('-'),
            "-diff takes a revision of git, not {name:?}"
        );
        let repository = Repository::of(cwd)?;
        let revision = repository.base(name)?;
        let mut tree = Tree {
            top: repository.top.clone(),
            ..Tree::default()
        };
        tree.add(repository, Some(&revision))?;
        tree.read_links();
        let mut base = DiffBase {
            name: name.to_owned(),
            files: BTreeMap::new(),
            unread: std::mem::take(&mut tree.unread),
            selections: std::mem::take(&mut tree.selections),
        };
        for path in &tree.changed {
            base.add(&tree, path, path);
        }
        for path in tree.links.keys() {
            base.add_behind_link(&tree, path);
        }
        for path in tree.changed.iter().filter(|it| it.is_symlink()) {
            base.add_new_behind_link(path);
        }
        Ok(base)
    }

    /// Adds a file, with the text that another path had.
    fn add(&mut self, tree: &Tree, file: &Path, path: &Path) {
        let text = match tree.resolved(path) {
            Some(at) => tree.text(&at),
            None => Err("it is a link out of the repository".to_owned()),
        };
        match text {
            Ok(text) => drop(self.files.insert(file.to_owned(), text)),
            Err(why) => drop(self.unread.insert(file.to_owned(), why)),
        }
    }

    /// Adds the files that a link of the base led to, if they changed.
    fn add_behind_link(&mut self, tree: &Tree, link: &Path) {
        let Some(before) = tree.resolved(link) else {
            return;
        };
        let now = link.canonicalize().ok();
        let is_same = now.as_ref() == Some(&before);
        let is_dangling = now.is_none() && !tree.exists(&before);
        if tree.entries.contains_key(&before) || !tree.exists(&before) {
            if tree.changed.contains(&before) || !is_same && !is_dangling {
                self.add(tree, link, &before);
            }
            return;
        }
        let mut files: BTreeSet<&PathBuf> = below(&tree.changed, &before).collect();
        if !is_same {
            let entries = tree.entries.range(before.clone()..).map(|(path, _)| path);
            files.extend(entries.take_while(|it| it.starts_with(&before)));
        }
        for path in files {
            let rest = path.strip_prefix(&before).unwrap_or(path);
            self.add(tree, &link.join(rest), path);
        }
    }

    /// Adds the files that a link shows where the change made it: none of them was there, except as added before.
    fn add_new_behind_link(&mut self, link: &Path) {
        let (mut waiting, mut left) = (vec![link.to_owned()], MAX_ENTRIES);
        while let Some(dir) = waiting.pop() {
            for entry in disk::list(&dir).unwrap_or_default() {
                if left == 0 {
                    let why = format!("the link leads to more than {MAX_ENTRIES} entries");
                    self.unread.insert(link.to_owned(), why);
                    return;
                }
                left -= 1;
                match entry.file_type.is_dir() {
                    true => waiting.push(entry.path),
                    false => drop(self.files.entry(entry.path).or_insert(None)),
                }
            }
        }
    }
}

/// The files of the base, by their paths of now, and those that changed.
#[derive(Default)]
struct Tree {
    top: PathBuf,
    repositories: Vec<Repository>,
    entries: BTreeMap<PathBuf, Blob>,
    /// The targets of links.
    links: BTreeMap<PathBuf, PathBuf>,
    changed: BTreeSet<PathBuf>,
    unread: BTreeMap<PathBuf, String>,
    selections: BTreeMap<PathBuf, PathBuf>,
}

/// A file or a link of the base.
struct Blob {
    /// Its index.
    repository: usize,
    object: String,
    is_link: bool,
}

impl Tree {
    /// Adds a repository and its submodules. Without a revision, all its files are new.
    fn add(&mut self, repository: Repository, revision: Option<&str>) -> anyhow::Result<()> {
        let top = repository.top.clone();
        let mut submodules: BTreeMap<PathBuf, [Option<String>; 2]> = BTreeMap::new();
        let before = revision.map(|it| repository.tree(it)).transpose()?;
        for entry in before.into_iter().flatten() {
            let path = top.join(&entry.path);
            if entry.kind == EntryKind::Submodule {
                submodules.entry(path).or_default()[0] = Some(entry.object);
                continue;
            }
            let blob = Blob {
                repository: self.repositories.len(),
                object: entry.object,
                is_link: entry.kind == EntryKind::Link,
            };
            self.entries.insert(path, blob);
        }
        for entry in repository.index()? {
            let path = top.join(&entry.path);
            match (entry.kind, revision) {
                (EntryKind::Submodule, _) => {
                    submodules.entry(path).or_default()[1] = Some(entry.object)
                }
                (_, None) => drop(self.changed.insert(path)),
                (_, Some(_)) => {}
            }
        }
        let changed = match revision {
            Some(revision) => repository.changed(revision)?,
            None => Vec::new(),
        };
        for path in changed.iter().map(|it| top.join(it)) {
            if let Some(root) = selects(&path).map(Path::to_owned) {
                self.selections.insert(path, root);
            }
        }
        let new = repository.untracked()?;
        let changed = changed.into_iter().chain(new).map(|it| top.join(it));
        self.changed
            .extend(changed.filter(|it| !submodules.contains_key(it)));
        self.repositories.push(repository);
        for (path, [before, now]) in submodules {
            if let Err(why) = self.add_submodule(&path, before.as_deref(), now.as_deref()) {
                self.unread.insert(path, format!("{why:#}"));
            }
        }
        Ok(())
    }

    fn add_submodule(
        &mut self,
        path: &Path,
        before: Option<&str>,
        now: Option<&str>,
    ) -> anyhow::Result<()> {
        // Elsewhere, git would answer for the repository around it.
        if path.join(".git").exists() {
            return self.add(Repository::of_submodule(path)?, before);
        }
        ensure!(
            before == now || before.is_none(),
            "the submodule changed, but it is not checked out"
        );
        Ok(())
    }

    fn read_links(&mut self) {
        for (path, blob) in self.entries.iter().filter(|(_, it)| it.is_link) {
            match self.repositories[blob.repository].blob(&blob.object) {
                Ok(target) => drop(self.links.insert(path.clone(), native(&target))),
                Err(why) => drop(self.unread.insert(path.clone(), format!("{why:#}"))),
            }
        }
    }

    /// The place that a path led to. `None`: out of the repository, or in a circle.
    fn resolved(&self, path: &Path) -> Option<PathBuf> {
        let parts = |path: &Path| {
            let parts = path.components().rev();
            parts
                .map(|it| it.as_os_str().to_owned())
                .collect::<Vec<OsString>>()
        };
        let mut at = self.top.clone();
        let mut waiting = parts(path.strip_prefix(&self.top).ok()?);
        let mut links = 0;
        while let Some(part) = waiting.pop() {
            match Path::new(&part).components().next()? {
                Component::CurDir => continue,
                Component::ParentDir if at == self.top => return None,
                Component::ParentDir => drop(at.pop()),
                Component::Prefix(_) | Component::RootDir => return None,
                Component::Normal(name) => at.push(name),
            }
            if let Some(target) = self.links.get(&at) {
                links += 1;
                match target.strip_prefix(&self.top) {
                    _ if links > LINKS => return None,
                    Ok(target) => {
                        at = self.top.clone();
                        waiting.extend(parts(target));
                    }
                    Err(_) => {
                        at.pop();
                        waiting.extend(parts(target));
                    }
                }
            }
        }
        Some(at)
    }

    /// Whether the base had a file or a folder at this path.
    fn exists(&self, path: &Path) -> bool {
        let mut rest = self.entries.range(path.to_owned()..);
        rest.next().is_some_and(|(it, _)| it.starts_with(path))
    }

    /// The text of a file, if there was one. Bytes that are not UTF-8 are replaced, so that the rest of it is compared.
    fn text(&self, path: &Path) -> Result<Option<String>, String> {
        let Some(blob) = self.entries.get(path) else {
            return Ok(None);
        };
        let content = self.repositories[blob.repository].blob(&blob.object);
        let content = content.map_err(|why| format!("{why:#}"))?;
        Ok(Some(String::from_utf8_lossy(&content).into_owned()))
    }
}

/// The folder whose state or modules the file selects, as `terraform workspace select` and `terraform init` write it.
fn selects(path: &Path) -> Option<&Path> {
    const FILES: [&str; 3] = ["environment", "terraform.tfstate", "modules/modules.json"];
    let is_one = |dir: &&Path| FILES.iter().any(|it| dir.join(it) == path);
    let dir = path.ancestors().take(4).find(is_one)?;
    dir.parent().filter(|_| dir.ends_with(".terraform"))
}

fn below<'a>(paths: &'a BTreeSet<PathBuf>, dir: &'a Path) -> impl Iterator<Item = &'a PathBuf> {
    let rest = paths.range(dir.to_owned()..);
    rest.take_while(move |it| it.starts_with(dir))
}
