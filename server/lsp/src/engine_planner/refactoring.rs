//! Refactorings, with the plans before and after them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use config::{Files, ModuleTree};
use plan::{OpenFiles, Plan};
use refactor::{Edits, Kind, Modules, Name, Proof, Refactoring, Refusal, Scene};
use text::FileId;
use tokio::sync::OwnedMutexGuard;

use super::{OpenRoot, Shared};
use crate::refactoring::{Place, Refactored, Refused};
use crate::trust::canonical;

/// A root module that nobody else plans meanwhile.
struct Held {
    dir: PathBuf,
    files: Vec<FileId>,
    root: OwnedMutexGuard<OpenRoot>,
    tree: Arc<ModuleTree>,
}

impl Shared {
    /// The root modules of the open documents, as they read now.
    async fn held(&self, place: &Place, open: &OpenFiles) -> Vec<Held> {
        let mut held = Vec::new();
        for (dir, files) in self.root_modules(&place.snapshot).with_all_callers() {
            let root = self.root(&dir, &place.snapshot);
            let mut root = root.lock_owned().await;
            self.load(&mut root, &dir, &files, &place.snapshot, open)
                .await;
            let tree = root.root.tree().cloned().unwrap_or_default();
            held.push(Held {
                dir,
                files,
                root,
                tree,
            });
        }
        held
    }

    pub(super) async fn renamable(&self, place: Place) -> Result<Name, Refused> {
        let open = self.open_files(&place.snapshot);
        let held = self.held(&place, &open).await;
        let modules = Modules::of(held.iter().map(|held| &*held.tree));
        Ok(refactor::renamable(
            &modules,
            &open,
            &place.file,
            place.range.start(),
        )?)
    }

    pub(super) async fn refactor(&self, place: Place, kind: Kind) -> Result<Refactored, Refused> {
        let open = self.open_files(&place.snapshot);
        let mut held = self.held(&place, &open).await;
        let modules = Modules::of(held.iter().map(|held| &*held.tree));
        let reads = kind == Kind::GenerateImported;
        if reads {
            let is_saved = held
                .iter()
                .flat_map(|held| &held.files)
                .all(|file| open.is_saved(file.path()));
            let is_trusted = held
                .iter()
                .all(|held| place.snapshot.is_trusted(&canonical(&held.dir)));
            if !is_saved || !is_trusted {
                let message = "Objects are read for saved files of a trusted workspace only.";
                return Err(Refused(message.to_owned()));
            }
        }
        let mut before: Vec<Plan> = Vec::new();
        for held in &mut held {
            let Held {
                dir, files, root, ..
            } = held;
            if reads {
                root.world.generate(true);
                self.load(root, dir, files, &place.snapshot, &open).await;
            }
            before.push(root.root.plan(&mut |_| {}).await);
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
        place: &Place,
        kind: &Kind,
        modules: &Modules,
        open: &OpenFiles,
        held: &mut [Held],
        before: &[Plan],
    ) -> Result<Refactored, Refused> {
        let refactoring = made(place, kind, modules, open, held, before)?;
        if let Some(file) = refactoring
            .edits
            .files
            .keys()
            .find(|file| is_read_only(file))
        {
            let message = format!("{} is read-only, and would be changed.", file.name());
            return Err(Refused(message));
        }
        let (texts, edited) = edited(open, &refactoring.edits);
        let mut proof = Proof::default();
        for (held, before) in held.iter_mut().zip(before) {
            let Held {
                dir,
                files,
                root,
                tree,
            } = held;
            if concerns(tree, &refactoring.edits) {
                self.load(root, dir, files, &place.snapshot, &edited).await;
                let after = root.root.plan(&mut |_| {}).await;
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
    place: &Place,
    kind: &Kind,
    modules: &Modules,
    files: &OpenFiles,
    held: &[Held],
    before: &[Plan],
) -> Result<Refactoring, Refusal> {
    let plans = held.iter().zip(before);
    let plans: Vec<_> = plans.map(|(held, plan)| (&*held.tree, plan)).collect();
    let scene = Scene {
        modules,
        files,
        plans: &plans,
        blocks: &place.snapshot.settings().moved,
    };
    refactor::refactor(&scene, &place.file, place.range, kind)
}

/// Whether the file may not be written.
fn is_read_only(file: &FileId) -> bool {
    let metadata = std::fs::metadata(file.path());
    metadata.is_ok_and(|it| it.permissions().readonly())
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
        documents.insert(file.path().to_owned(), before.reparse(&after).0);
        texts.insert(file.clone(), before.text().clone());
    }
    for (file, text) in &edits.created {
        documents.insert(
            file.path().to_owned(),
            config::parse_file(file.path(), text),
        );
    }
    (texts, open.with_documents(documents))
}
