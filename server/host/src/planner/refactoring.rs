//! Refactorings, with the plans before and after them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use config::{Files, ModuleTree};
use ide::{
    CalledFacts, DiskFiles, Intent, OfferedRefactoring, Refactored, Refused, Renamable, Selection,
};
use plan::{OpenFiles, Plan};
use refactor::{
    Edit, Edits, Modules, Proof, Refactoring, RefactoringContext, RefactoringKind, Refusal,
    SymbolObject,
};
use text::{FileId, TextRange};
use tokio::sync::OwnedMutexGuard;
use tokio::time::timeout;

use super::callers::RootModules;
use super::{OpenRoot, Shared};

/// The time limit for a refactoring, including waiting for plans in progress.
const LIMIT: Duration = Duration::from_secs(10);

/// How long a root module is waited for that has no module in common with the one that is edited.
const UNCONCERNED: Duration = Duration::from_millis(500);

/// The result of work in a thread of its own, unless that takes too long or fails.
pub(super) async fn in_time<T>(
    made: impl Future<Output = Option<Result<T, Refused>>>,
) -> Result<T, Refused> {
    let made = timeout(LIMIT, made).await;
    made.unwrap_or_else(|_| Some(Err(Refused::too_slow())))
        .unwrap_or_else(|| Err(Refused::unplanned()))
}

/// A root module with exclusive access.
struct LockedRoot {
    dir: PathBuf,
    files: Vec<FileId>,
    root: OwnedMutexGuard<OpenRoot>,
    tree: Arc<ModuleTree>,
}

impl Shared {
    /// The root modules of the open documents, as they read now; of those that have nothing to do with the edited module,
    /// the ones that are not being planned for long.
    async fn held(&self, place: &Selection, open: &OpenFiles) -> Vec<LockedRoot> {
        let mut held = Vec::new();
        let modules = self.root_modules(&place.snapshot, open);
        let concerned = self.concerned(&modules, &place.file);
        for (dir, files) in modules.with_all_callers() {
            let root = self.root(&dir, &place.snapshot);
            let mut root = match concerned.contains(&dir) {
                true => root.lock_owned().await,
                false => match timeout(UNCONCERNED, root.lock_owned()).await {
                    Ok(root) => root,
                    Err(_) => continue,
                },
            };
            self.load(&mut root, &dir, &files, &place.snapshot, open)
                .await;
            let tree = root.root.tree().cloned().unwrap_or_default();
            held.push(LockedRoot {
                dir,
                files,
                root,
                tree,
            });
        }
        held
    }

    /// The root modules that have the module of a file, or one in common with a root module that has it.
    fn concerned(&self, modules: &RootModules, file: &FileId) -> BTreeSet<PathBuf> {
        let folder = Path::new(file.path()).parent().unwrap_or(Path::new(""));
        let mut concerned = modules.of.get(folder).cloned().unwrap_or_default();
        concerned.insert(folder.to_owned());
        let called = self.called.lock().unwrap_or_else(PoisonError::into_inner);
        let of_root = |root: &PathBuf| Some(&called.get(root)?.facts);
        let of_concerned = concerned.iter().filter_map(of_root);
        let shared: BTreeSet<&String> = of_concerned.flat_map(BTreeMap::keys).collect();
        let has_shared = |of_root: &CalledFacts| of_root.keys().any(|it| shared.contains(it));
        let others = called
            .iter()
            .filter(|(_, of_root)| has_shared(&of_root.facts));
        concerned.extend(others.map(|(root, _)| root.clone()));
        concerned
    }

    pub(super) async fn renamable(&self, place: Selection) -> Result<Renamable, Refused> {
        let open = self.open_files(&place.snapshot);
        let held = self.held(&place, &open).await;
        let modules = Modules::of(held.iter().map(|held| &*held.tree));
        let name = refactor::renamable(&modules, &open, &place.file, place.range.start())?;
        Ok(Renamable {
            range: name.range,
            name: name.symbol.object.name().to_string(),
        })
    }

    pub(super) async fn refactor(
        &self,
        place: Selection,
        intent: Intent,
    ) -> Result<Refactored, Refused> {
        let kind = match intent {
            Intent::Rename(name) => RefactoringKind::Rename(name),
            Intent::OfferedRefactoring(OfferedRefactoring(kind)) => {
                let unknown = |_| Refused("Unknown refactoring.".to_owned());
                serde_json::from_value(kind).map_err(unknown)?
            }
        };
        let open = self.open_files(&place.snapshot);
        let mut held = self.held(&place, &open).await;
        let modules = Modules::of(held.iter().map(|held| &*held.tree));
        let reads = kind == RefactoringKind::GenerateImported;
        if reads {
            let is_saved = held
                .iter()
                .flat_map(|held| &held.files)
                .all(|file| open.is_saved(file.path()));
            let is_trusted = held.iter().all(|held| place.snapshot.trusts(&held.dir));
            if !is_saved || !is_trusted {
                let message = "Objects are read only for saved files in a trusted workspace.";
                return Err(Refused(message.to_owned()));
            }
        }
        let mut before: Vec<Plan> = Vec::new();
        for held in &mut held {
            let LockedRoot {
                dir, files, root, ..
            } = held;
            // Consequences elsewhere have to be seen as well.
            let was_partial = root.shown_modules.take().is_some();
            if reads {
                root.world.generate(true);
            }
            if reads || was_partial {
                self.load(root, dir, files, &place.snapshot, &open).await;
            }
            before.push(root.root.plan_supposed().await);
        }
        let refactored = self
            .refactored(&place, &kind, &modules, &open, &mut held, &before)
            .await;
        for held in held.iter_mut().filter(|_| reads) {
            held.root.world.generate(false);
        }
        refactored
    }

    async fn refactored(
        &self,
        place: &Selection,
        kind: &RefactoringKind,
        modules: &Modules,
        open: &OpenFiles,
        held: &mut [LockedRoot],
        before: &[Plan],
    ) -> Result<Refactored, Refused> {
        let mut refactoring = made(place, kind, modules, open, held, before)?;
        if let RefactoringKind::Rename(new) = kind {
            let name = refactor::renamable(modules, open, &place.file, place.range.start())?;
            if let SymbolObject::Variable(old) = &name.symbol.object {
                let dir = Path::new(name.symbol.dir.as_str());
                let inputs = place.snapshot.terragrunt_inputs(dir, old, &DiskFiles);
                rename_inputs(inputs, new, open, &mut refactoring.edits);
            }
        }
        for file in refactoring.edits.files.keys() {
            let why = match file {
                file if is_read_only(file) => "would change, but is read-only",
                file if leads_away(file, place.snapshot.folders()) => {
                    "would change, but a link leads to it outside of the workspace"
                }
                _ => continue,
            };
            return Err(Refused(format!("{} {why}.", file.name())));
        }
        let (texts, edited) = edited(open, &refactoring.edits);
        let mut proof = Proof::default();
        for (held, before) in held.iter_mut().zip(before) {
            let LockedRoot {
                dir,
                files,
                root,
                tree,
            } = held;
            if concerns(tree, &refactoring.edits) {
                self.load(root, dir, files, &place.snapshot, &edited).await;
                let after = root.root.plan_supposed().await;
                proof = proof.and(refactoring.prove(tree, before, &after));
            }
        }
        Ok(Refactored {
            title: refactoring.title,
            edits: refactoring.edits,
            texts,
            proof,
        })
    }
}

fn made(
    place: &Selection,
    kind: &RefactoringKind,
    modules: &Modules,
    files: &OpenFiles,
    held: &[LockedRoot],
    before: &[Plan],
) -> Result<Refactoring, Refusal> {
    let plans = held.iter().zip(before);
    let plans: Vec<_> = plans.map(|(held, plan)| (&*held.tree, plan)).collect();
    let scene = RefactoringContext {
        modules,
        files,
        plans: &plans,
        blocks: &place.snapshot.settings().moved,
    };
    refactor::refactor(&scene, &place.file, place.range, kind)
}

/// Gives inputs of Terragrunt's units another name.
fn rename_inputs(
    inputs: Vec<(FileId, TextRange)>,
    new: &str,
    files: &OpenFiles,
    edits: &mut Edits,
) {
    let mut by_file: BTreeMap<FileId, Vec<Edit>> = BTreeMap::new();
    for (file, range) in inputs {
        let text = new.to_owned();
        by_file.entry(file).or_default().push(Edit { range, text });
    }
    for (file, renamed) in by_file {
        if let Ok(syntax) = files.parse(file.path()) {
            let renamed = refactor::lay_out(&syntax, renamed);
            edits.files.insert(file, renamed);
        }
    }
}

/// Whether the file may not be written.
fn is_read_only(file: &FileId) -> bool {
    let metadata = std::fs::metadata(file.path());
    metadata.is_ok_and(|it| it.permissions().readonly())
}

/// True if the file, or a folder above it, is a link that leads out of `folders` and of their repositories: the target may
/// belong to somebody else.
fn leads_away(file: &FileId, folders: &[PathBuf]) -> bool {
    let path = Path::new(file.path());
    let target = match disk::real(path) {
        Ok(target) => target,
        // A link without a target.
        Err(_) if path.is_symlink() => return true,
        // A new file.
        Err(_) => match (path.parent().map(disk::real), path.file_name()) {
            (Some(Ok(dir)), Some(name)) => dir.join(name),
            _ => return false,
        },
    };
    if target == path {
        return false;
    }
    let mut within = folders.iter().map(|folder| ide::canonical(folder));
    let is_within =
        within.any(|folder| target.starts_with(disk::repository_of(&folder).unwrap_or(&folder)));
    !is_within
}

/// Whether a module of the tree has files that are edited.
fn concerns(tree: &ModuleTree, edits: &Edits) -> bool {
    let dirs = edits
        .files
        .keys()
        .filter_map(|file| Path::new(file.path()).parent());
    let mut dirs = dirs.filter_map(Path::to_str);
    dirs.any(|dir| tree.iter().any(|(_, module)| module.dir == dir))
}

/// The texts before the edits, and the files after them.
fn edited(open: &OpenFiles, edits: &Edits) -> (BTreeMap<FileId, Arc<str>>, OpenFiles) {
    let mut texts = BTreeMap::new();
    let mut documents = open.documents().clone();
    for file in edits.files.keys() {
        let Ok(before) = open.parse(file.path()) else {
            continue;
        };
        let after = edits.applied(file, before.text());
        let after = before.reparse(&after).0;
        documents.insert(file.path().to_owned(), Arc::new(after));
        texts.insert(file.clone(), before.text().clone());
    }
    for (file, text) in &edits.created {
        let created = config::parse_file(file.path(), text);
        documents.insert(file.path().to_owned(), Arc::new(created));
    }
    (texts, open.with_documents(documents))
}
