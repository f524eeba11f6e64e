//! The modules of the workspace that no plan knows, read when something is looked for in all of them.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use config::{FileRole, Files, ModuleAddr, ModuleCache, Profile};

use crate::{ModuleContext, Snapshot};

/// How many folders of a workspace are looked through, and how deep below its own: more would take seconds.
pub const FOLDERS_SEARCHED: usize = 4000;
pub const DEPTH_SEARCHED: usize = 10;

/// Whether a folder of this name holds copies and caches, and no configuration of the user's.
pub fn is_passed_over(folder: &str) -> bool {
    folder.starts_with('.') || folder == "node_modules"
}

impl Snapshot {
    /// This snapshot with all modules below the folders of the workspace, of which those that are not open are read
    /// anew: nothing of them is kept.
    pub fn with_whole_workspace(&self, files: &dyn Files) -> Snapshot {
        let mut known = self.known_modules().clone();
        self.visit_folders(files, &mut |dir, path, names| {
            let is_module =
                |name: &String| FileRole::of(name) == FileRole::Module && name.contains('.');
            if known.contains_key(dir) || !names.iter().any(is_module) {
                return;
            }
            let mut cache = ModuleCache::new(Profile::default());
            let (module, _) = config::load_module(files, &mut cache, path, &ModuleAddr::root());
            let context = ModuleContext {
                module,
                ..ModuleContext::default()
            };
            known.insert(dir.to_owned(), Arc::new(context));
        });
        let mut snapshot = self.clone();
        let data = Arc::make_mut(&mut snapshot.data);
        Arc::make_mut(&mut data.plans).known = known;
        snapshot
    }

    /// Visits the folders of the workspace: each as a path, as text, and with the names of its files.
    pub(crate) fn visit_folders(
        &self,
        files: &dyn Files,
        visit: &mut dyn FnMut(&Path, &str, &[String]),
    ) {
        // The root of the file system is no workspace.
        let folders = self.folders().iter().filter(|it| it.parent().is_some());
        let mut next: VecDeque<(PathBuf, usize)> =
            folders.map(|folder| (folder.clone(), 0)).collect();
        let mut count = 0;
        while let Some((dir, depth)) = next.pop_front() {
            count += 1;
            let Some(path) = dir.to_str().filter(|_| count <= FOLDERS_SEARCHED) else {
                continue;
            };
            visit(&dir, path, &files.list(path).unwrap_or_default());
            let below = files.folders(path).unwrap_or_default();
            let below = below.iter().filter(|name| !is_passed_over(name));
            let below = below.map(|name| dir.join(name));
            // A link may lead out of the workspace, or back into it.
            let is_own = |it: &PathBuf| it.to_str().is_some_and(|it| !files.is_link(it));
            if depth < DEPTH_SEARCHED {
                next.extend(below.filter(is_own).map(|it| (it, depth + 1)));
            }
        }
    }
}
