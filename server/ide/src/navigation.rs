//! From a name to its declaration and to its uses.

use config::{FileRole, Reference};
use text::{FileId, TextRange, TextSize};

use crate::referent::{Location, Named, Referent, subject_of};
use crate::{ModuleContext, Snapshot};

/// Where a name leads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Definition {
    /// The name that was asked about.
    pub origin: TextRange,
    pub target: Location,
    /// The declaration around the target.
    pub full: Location,
}

/// A use of a name in its own file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Highlight {
    pub range: TextRange,
    /// Whether the name is given a meaning here.
    pub is_write: bool,
}

impl Snapshot {
    pub fn definition(&self, file: &FileId, offset: TextSize) -> Option<Definition> {
        let named = self.subject_at(file, offset);
        let named = named.or_else(|| self.subject_before(file, offset))?;
        let origin = named.range;
        if let Referent::Source(source) = &named.subject {
            let module = self.module_at(file, source)?;
            let main = module
                .module
                .files
                .keys()
                .find(|file| file.name() == "main.tf");
            let main = main.or_else(|| module.module.files.keys().next())?;
            let start = Location {
                file: main.clone(),
                range: TextRange::default(),
            };
            return Some(Definition {
                origin,
                target: start.clone(),
                full: start,
            });
        }
        let (known, subject) = self.owner(file, &named.subject)?;
        let (name, whole) = subject.declaration(&known.module)?;
        Some(Definition {
            origin,
            target: self.place(name, &known.module)?,
            full: self.place(whole, &known.module)?,
        })
    }

    /// All uses of the name at `offset`, in all modules that are known.
    pub fn references(
        &self,
        file: &FileId,
        offset: TextSize,
        with_declaration: bool,
    ) -> Vec<Location> {
        let Some(named) = self.subject_at(file, offset) else {
            return Vec::new();
        };
        let Some((owner, subject)) = self.owner(file, &named.subject) else {
            return Vec::new();
        };
        let mut found = self.uses_in(&owner, &subject);
        for (dir, known) in self.known_modules() {
            found.extend(self.uses_by_caller(dir, known, &owner, &subject));
        }
        if with_declaration && let Some((name, _)) = subject.declaration(&owner.module) {
            found.extend(self.place(name, &owner.module));
        }
        found.sort_by_key(|it| (it.file.clone(), it.range.start(), it.range.end()));
        found.dedup();
        found
    }

    pub fn highlights(&self, file: &FileId, offset: TextSize) -> Vec<Highlight> {
        let Some(named) = self.subject_at(file, offset) else {
            return Vec::new();
        };
        let uses = self.references(file, offset, false);
        let in_file = uses.into_iter().filter(|it| it.file == *file);
        let mut found: Vec<Highlight> = in_file
            .map(|it| Highlight {
                range: it.range,
                is_write: false,
            })
            .collect();
        found.extend(self.declared_here(file, &named));
        found
    }

    fn declared_here(&self, file: &FileId, named: &Named) -> Option<Highlight> {
        let (owner, subject) = self.owner(file, &named.subject)?;
        let (name, _) = subject.declaration(&owner.module)?;
        let place = self.place(name, &owner.module)?;
        (place.file == *file).then_some(Highlight {
            range: place.range,
            is_write: true,
        })
    }

    /// The uses of something inside of the module that declares it.
    fn uses_in(&self, known: &ModuleContext, subject: &Referent) -> Vec<Location> {
        let module = &known.module;
        let is_meant =
            |reference: &&Reference| subject_of(&reference.subject).as_ref() == Some(subject);
        let references = module.all_references().filter(is_meant);
        let mut found: Vec<Location> = references
            .filter_map(|reference| self.place(&reference.span, module))
            .collect();
        if let Referent::Resource(addr) = subject {
            let triggering = module.triggering(addr);
            let named = triggering.flat_map(|resource| resource.entries_of(addr));
            found.extend(named.filter_map(|expr| self.place(&expr.span(), module)));
        }
        if let Referent::Provider(provider) = subject {
            let resources = module.resources.values();
            let resources = resources.filter(|it| it.provider.as_ref() == Some(provider));
            let spans = resources.filter_map(|it| it.provider_span.as_ref());
            found.extend(spans.filter_map(|span| self.place(span, module)));
        }
        found.extend(self.uses_beside(known, subject));
        found
    }

    /// The uses in open files of values and of tests, which are no part of the module.
    fn uses_beside(&self, known: &ModuleContext, subject: &Referent) -> Vec<Location> {
        let is_beside = |file: &FileId| {
            matches!(
                FileRole::of(file.name()),
                FileRole::Values | FileRole::Tests
            ) && std::ptr::eq(&*self.known(file), known)
        };
        let files = self.files().filter(|(file, _)| is_beside(file));
        files
            .flat_map(|(file, source)| {
                let named = crate::referent::names(source, file).into_iter();
                let named = named.filter(|it| it.subject == *subject);
                named.map(|it| Location {
                    file: file.clone(),
                    range: it.range,
                })
            })
            .collect()
    }

    /// The uses of a variable or an output by a module that calls its owner.
    fn uses_by_caller(
        &self,
        dir: &std::path::Path,
        caller: &ModuleContext,
        owner: &ModuleContext,
        subject: &Referent,
    ) -> Vec<Location> {
        let module = &caller.module;
        let beside = FileId::new(format!("{}/main.tf", dir.display()));
        let calls_owner = |source: &str| {
            let called = self.module_at(&beside, source);
            called.is_some_and(|called| std::ptr::eq(&*called, owner))
        };
        let calls = module.module_calls.values();
        let calls = calls.filter(|call| call.source.as_deref().is_some_and(calls_owner));
        let mut found = Vec::new();
        for call in calls {
            match subject {
                Referent::Variable(input) => {
                    let given = call.arguments.iter().filter(|it| it.name() == input);
                    found.extend(given.filter_map(|it| self.place(&it.name_span(), module)));
                }
                Referent::Output(output) => {
                    let subject = Referent::CalledOutput {
                        call: call.name.text.clone(),
                        output: output.clone(),
                    };
                    found.extend(self.uses_in(caller, &subject));
                }
                _ => {}
            }
        }
        found
    }
}
