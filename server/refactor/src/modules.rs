//! The modules that a refactoring sees: those of all root modules that are known, each folder once.

use std::collections::BTreeMap;
use std::sync::Arc;

use config::{Module, ModuleTree};
use smol_str::SmolStr;
use text::FileId;

/// Modules by their folder, absolute, and which folder each call means.
#[derive(Clone, Debug, Default)]
pub struct Modules {
    modules: BTreeMap<SmolStr, Arc<Module>>,
    called: BTreeMap<(SmolStr, SmolStr), SmolStr>,
}

impl Modules {
    pub fn of<'a>(trees: impl IntoIterator<Item = &'a ModuleTree>) -> Modules {
        let mut found = Modules::default();
        for tree in trees {
            for (addr, module) in tree.iter() {
                found
                    .modules
                    .entry(module.dir.clone())
                    .or_insert_with(|| module.module.clone());
                let caller = addr.parent().and_then(|parent| tree.get(&parent));
                if let (Some(caller), Some(call)) = (caller, addr.calls().last()) {
                    let call = (caller.dir.clone(), call.clone());
                    found.called.insert(call, module.dir.clone());
                }
            }
        }
        found
    }

    /// A module alone.
    pub fn of_one(dir: &SmolStr, module: Arc<Module>) -> Modules {
        Modules {
            modules: BTreeMap::from([(dir.clone(), module)]),
            called: BTreeMap::new(),
        }
    }

    pub fn get(&self, dir: &str) -> Option<&Arc<Module>> {
        self.modules.get(dir)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&SmolStr, &Arc<Module>)> {
        self.modules.iter()
    }

    /// The folder of the module that a call in `dir` means.
    pub fn called(&self, dir: &SmolStr, call: &SmolStr) -> Option<&SmolStr> {
        self.called.get(&(dir.clone(), call.clone()))
    }

    /// How many calls mean the module in a folder.
    pub fn calls_of(&self, dir: &SmolStr) -> usize {
        self.called.values().filter(|called| *called == dir).count()
    }

    /// The folder of the module that a file belongs to: its own.
    pub fn dir_of(&self, file: &FileId) -> Option<&SmolStr> {
        let (dir, _) = file.path().rsplit_once('/')?;
        Some(self.modules.get_key_value(dir)?.0)
    }

    pub fn file(&self, file: &FileId) -> Option<&syntax::File> {
        self.modules.get(self.dir_of(file)?)?.files.get(file)
    }
}
