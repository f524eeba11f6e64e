//! Modules without a plan; their declarations still serve navigation.

use std::path::Path;
use std::sync::Arc;

use config::{ModuleAddr, ModuleCache, load_module};
use plan::{OpenDocument, OpenFiles, Reach};

use crate::{ModuleContext, Snapshot};

/// A module of a language like Terraform's, read again when its files change.
pub struct DeclaredModule {
    files: OpenFiles,
    cache: ModuleCache,
}

impl Default for DeclaredModule {
    fn default() -> DeclaredModule {
        DeclaredModule {
            files: OpenFiles::for_editor(),
            cache: ModuleCache::default(),
        }
    }
}

impl DeclaredModule {
    /// The declarations in a folder, as the editor has them.
    pub fn read(&mut self, snapshot: &Snapshot, dir: &Path) -> Arc<ModuleContext> {
        let files = snapshot.in_front_of(&self.files);
        let dir = dir.to_string_lossy();
        let (module, _) = load_module(&files, &mut self.cache, &dir, &ModuleAddr::root());
        Arc::new(ModuleContext {
            module,
            ..ModuleContext::default()
        })
    }
}

impl Snapshot {
    /// The documents of the editor in front of the files on the disk.
    pub fn in_front_of(&self, files: &OpenFiles) -> OpenFiles {
        let documents = self.files().filter(|(_, it)| it.is_hcl());
        let documents = documents.map(|(file, it)| {
            let document: Arc<dyn OpenDocument> = it.clone();
            (file.path().to_owned(), document)
        });
        let absent = self.absent().iter().map(|it| it.path().to_owned());
        let files = files.with_documents(documents.collect());
        let files = files.without(absent.collect());
        match self.is_confined() {
            true => {
                let folders = self.folders().iter();
                let reach = Reach::within(folders.map(|it| it.as_path()));
                files.within(reach)
            }
            false => files,
        }
    }
}
