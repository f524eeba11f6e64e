//! Renames, with the plans before and after them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use config::{Files, ModuleTree};
use plan::{OpenFiles, Plan};
use refactor::{Edits, Modules, Name, Proof, Stored};
use text::FileId;
use tokio::sync::OwnedMutexGuard;

use super::{OpenRoot, Shared};
use crate::rename::{Place, Refactored, Refused};

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
        for (dir, files) in self.root_modules(&place.snapshot) {
            let root = self.root(&dir, place.snapshot.is_trusted());
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
            place.offset,
        )?)
    }

    pub(super) async fn rename(
        &self,
        place: Place,
        new_name: String,
    ) -> Result<Refactored, Refused> {
        let open = self.open_files(&place.snapshot);
        let mut held = self.held(&place, &open).await;
        let modules = Modules::of(held.iter().map(|held| &*held.tree));
        let name = refactor::renamable(&modules, &open, &place.file, place.offset)?;
        let mut rename = refactor::rename(&modules, &open, &name.symbol, &new_name)?;
        held.retain(|held| concerns(&held.tree, &rename.edits));
        let mut before: Vec<Plan> = Vec::new();
        for held in &mut held {
            before.push(held.root.root.plan(&mut |_| {}).await);
        }
        let moved = rename.moved.clone();
        if let Some(moved) = &moved {
            let mut stored = Stored::default();
            for (held, plan) in held.iter().zip(&before) {
                stored.look(plan, &held.tree, moved);
            }
            let blocks = &place.snapshot.settings().moved;
            moved.write(&mut rename.edits, &modules, stored, blocks)?;
        }
        let (texts, edited) = edited(&open, &rename.edits);
        let mut proof = Proof::default();
        for (held, before) in held.iter_mut().zip(&before) {
            let Held {
                dir, files, root, ..
            } = held;
            self.load(root, dir, files, &place.snapshot, &edited).await;
            let after = root.root.plan(&mut |_| {}).await;
            let modules = moved.as_ref().map(|moved| moved.modules(&held.tree));
            let found = refactor::prove(before, &after, |addr| {
                moved.as_ref()?.applied(modules.as_ref()?, addr)
            });
            proof = proof.and(found);
        }
        Ok(Refactored {
            title: format!("Rename {} to {new_name}", name.symbol.object.described()),
            edits: rename.edits,
            texts,
            proof,
        })
    }
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
