//! Who calls a module, and whom it calls.

use std::path::{Path, PathBuf};

use smol_str::SmolStr;
use text::{FileId, TextRange, TextSize};

use crate::module_context::ModuleContext;
use crate::referent::{Location, Referent, local_module};
use crate::{Snapshot, module_context};

/// A module, by its folder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CalledModule {
    pub dir: PathBuf,
    /// The file that stands for it: `main.tf`, or else its first.
    pub file: FileId,
}

/// A `module` block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ModuleCall {
    pub name: SmolStr,
    /// As it is written.
    pub source: Option<SmolStr>,
    pub version: Option<SmolStr>,
    /// Where it leads, if that is a folder that is known.
    pub module: Option<CalledModule>,
    /// Its label.
    pub place: Location,
}

impl Snapshot {
    /// The module that is called at `offset`, or else the one that the file belongs to.
    pub fn module_around(&self, file: &FileId, offset: TextSize) -> Option<CalledModule> {
        let called = self.subject_at(file, offset).and_then(|named| {
            let source = match named.subject {
                Referent::Source(source) => source,
                Referent::ModuleCall(call) => {
                    let module = &self.known(file).module;
                    module.module_calls.get(&call)?.source.clone()?
                }
                _ => return None,
            };
            self.called_module(&local_module(file, &source)?)
        });
        called.or_else(|| {
            module_context::of_file(self.known_modules(), file)?;
            self.called_module(Path::new(file.path()).parent()?)
        })
    }

    /// The module in a folder.
    pub fn called_module(&self, dir: &Path) -> Option<CalledModule> {
        let known = self.known_modules().get(dir)?;
        let mut files = known.module.files.keys();
        let main = files.clone().find(|file| file.name() == "main.tf");
        Some(CalledModule {
            dir: dir.to_owned(),
            file: main.or_else(|| files.next())?.clone(),
        })
    }

    /// All calls in the module of a folder.
    pub fn calls_of(&self, dir: &Path) -> Vec<ModuleCall> {
        let known = self.known_modules().get(dir);
        known.map_or_else(Vec::new, |known| self.calls(known))
    }

    /// The modules that call the one in `dir`, each with its calls of it.
    pub fn callers_of(&self, dir: &Path) -> Vec<(CalledModule, Vec<ModuleCall>)> {
        let callers = self.known_modules().iter().filter_map(|(caller, known)| {
            let mut calls = self.calls(known);
            calls.retain(|call| call.module.as_ref().is_some_and(|it| it.dir == dir));
            let caller = self.called_module(caller).filter(|_| !calls.is_empty())?;
            Some((caller, calls))
        });
        callers.collect()
    }

    fn calls(&self, known: &ModuleContext) -> Vec<ModuleCall> {
        let module = &known.module;
        let calls = module.module_calls.values().filter_map(|call| {
            let place = self.place(&call.name.span, module)?;
            let source = call.source.clone();
            let dir = source
                .as_ref()
                .and_then(|source| local_module(&place.file, source));
            Some(ModuleCall {
                name: call.name.text.clone(),
                version: call.version.clone(),
                module: dir.and_then(|dir| self.called_module(&dir)),
                source,
                place,
            })
        });
        calls.collect()
    }

    /// The whole text of a known file.
    pub fn whole_range(&self, file: &FileId) -> TextRange {
        let text = self.text_of(file);
        text.map_or_else(TextRange::default, |text| {
            TextRange::up_to(TextSize::of(&*text))
        })
    }
}
