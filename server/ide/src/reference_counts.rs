//! The number of references to each declaration of a file, above it.

use std::collections::HashMap;
use std::path::Path;

use text::FileId;

use crate::referent::{Referent, subject_of};
use crate::{CodeLens, LensKind, Snapshot};

impl Snapshot {
    /// One lens for each declaration of the file. Counted are the references of its module and of those that call it.
    pub(crate) fn reference_counts(&self, file: &FileId) -> Vec<CodeLens> {
        let known = self.known(file);
        let module = &known.module;
        let mut counts: HashMap<Referent, usize> = HashMap::new();
        let mut count = |subject| *counts.entry(subject).or_default() += 1;
        for reference in module.all_references() {
            subject_of(&reference.subject)
                .into_iter()
                .for_each(&mut count);
        }
        let dir = Path::new(file.path()).parent().unwrap_or(Path::new(""));
        for (caller, calls) in self.callers_of(dir) {
            let caller = self.known(&caller.file);
            let called = |name: &str| calls.iter().any(|call| call.name == name);
            for call in caller
                .module
                .module_calls
                .values()
                .filter(|it| called(&it.name.text))
            {
                for argument in &call.arguments {
                    count(Referent::Variable(argument.name().clone()));
                }
            }
            for reference in caller.module.all_references() {
                if let Some(Referent::CalledOutput { call, output }) =
                    subject_of(&reference.subject)
                    && called(&call)
                {
                    count(Referent::Output(output));
                }
            }
        }
        let variables = module.variables.keys().cloned().map(Referent::Variable);
        let declared = variables
            .chain(module.locals.keys().cloned().map(Referent::Local))
            .chain(module.outputs.keys().cloned().map(Referent::Output))
            .chain(module.resources.keys().cloned().map(Referent::Resource))
            .chain(
                module
                    .module_calls
                    .keys()
                    .cloned()
                    .map(Referent::ModuleCall),
            );
        let mut lenses: Vec<CodeLens> = declared
            .filter_map(|subject| {
                let (name, _) = subject.declaration(module)?;
                let place = (name.file == *file).then(|| self.place(name, module))??;
                let count = counts.get(&subject).copied().unwrap_or(0);
                Some(CodeLens {
                    range: place.range,
                    title: text::counted(count, "reference"),
                    kind: LensKind::Note,
                    command: None,
                })
            })
            .collect();
        lenses.sort_by_key(|lens| lens.range.start());
        lenses
    }
}
