//! Errors in the modules around the open files that need neither a plan nor a provider: found at once, at every edit.
//!
//! Errors of loading are taken over. The rest are checks of one declaration each, kept as long as the declaration and
//! its references stay the same, and checks of how the declarations fit together.

mod bodies;
mod deprecated;
mod providers;
mod scope;
mod style;
mod suggestions;
mod unused;
mod variable_files;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use config::language_release::feature;
use config::{ModuleAddr, ModuleTree, ProviderAddr};
use eval::Functions;
use schema::ProviderSchema;
use text::{Diagnostic, FileId, SegmentId, Severity};

use crate::Substitutes;
use bodies::BodiesCache;
use providers::ProvidersCache;
use scope::CheckScope;
use style::StyleCache;
use unused::UnusedCache;

/// The input of the checks.
pub struct Checked<'a> {
    pub tree: &'a ModuleTree,
    /// The errors of loading.
    pub problems: &'a [Diagnostic],
    /// Of the providers whose schema is known.
    pub schemas: &'a BTreeMap<ProviderAddr, Arc<ProviderSchema>>,
    /// Schemas of providers that are not installed: of the version that the lock file selects.
    pub substitutes: &'a Substitutes,
    pub functions: &'a Functions,
    /// The open files of the modules. Only modules with an open file are checked beyond `problems`: the
    /// others belong to someone else or are not being edited.
    pub open: &'a [FileId],
    /// Files with values for the root module's variables that are open, whether a plan reads them or not.
    pub variable_files: &'a [(FileId, syntax::File)],
}

/// The findings, by file. Places are relative to segments.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Checks {
    found: BTreeMap<FileId, BTreeMap<SegmentId, Vec<Diagnostic>>>,
    /// The open files that were checked.
    files: BTreeSet<FileId>,
}

/// The maximum number of diagnostics per block.
const MAX_PER_SEGMENT: usize = 200;

/// By the folder of the root module.
pub type ChecksOfRoots = BTreeMap<PathBuf, Arc<Checks>>;

/// Earlier findings that still hold. Use one for each root module.
#[derive(Default)]
pub struct ChecksCache {
    modules: BTreeMap<ModuleAddr, ModuleCache>,
    style: StyleCache,
}

#[derive(Default)]
struct ModuleCache {
    bodies: BodiesCache,
    providers: ProvidersCache,
    unused: UnusedCache,
}

/// Checks the modules of a tree.
pub fn check(checked: &Checked<'_>, cache: &mut ChecksCache) -> Checks {
    let mut found = Checks::default();
    // Before the errors of loading: these make no suggestions.
    for (file, syntax) in checked.variable_files {
        found.files.insert(file.clone());
        variable_files::check(checked, file, syntax, &mut found);
    }
    let product = checked.tree.root().profile.product;
    for problem in checked.problems {
        let mut problem = suggestions::with_suggestion(checked.tree, problem);
        problem.detail = product.detail_of(&problem);
        found.add(problem);
    }
    let open: BTreeSet<&Path> = checked
        .open
        .iter()
        .filter_map(|file| Path::new(file.path()).parent())
        .collect();
    let mut seen = BTreeSet::new();
    for (addr, module) in checked.tree.iter() {
        let is_open = module.module.files.keys().any(|file| {
            Path::new(file.path())
                .parent()
                .is_some_and(|dir| open.contains(dir))
        });
        // A folder that is called more than once is checked once.
        if !is_open || !seen.insert(&module.dir) {
            continue;
        }
        let scope = CheckScope {
            addr,
            module: &module.module,
            checked,
        };
        let known = cache.modules.entry(addr.clone()).or_default();
        known.bodies.check(&scope, &mut found);
        providers::check(&scope, &mut known.providers, &mut found);
        unused::check(&module.module, &mut known.unused, &mut found);
        if let Some(ignored) = ignored_imports(&scope) {
            found.add(ignored);
        }
        for (file, syntax) in &module.module.files {
            if checked.open.contains(file) {
                found.files.insert(file.clone());
                cache.style.check(file, syntax, &mut found);
            }
        }
    }
    found
}

/// Terraform 1.15 ignores `import` blocks in called modules without a word.
fn ignored_imports(scope: &CheckScope<'_>) -> Option<Diagnostic> {
    let module = scope.module;
    let import = module
        .imports
        .first()
        .filter(|_| !scope.addr.is_root() && module.profile.has(feature::IMPORTS_IN_MODULES))?;
    Some(Diagnostic::warning(
        "import-in-module",
        "Import block is ignored",
        "This release ignores import blocks in called modules. Move the block to the root module.",
        import.decl.span.clone(),
    ))
}

impl Checks {
    /// The findings of an engine without a plan, in the files that are open.
    pub fn of(
        files: BTreeSet<FileId>,
        diagnostics: impl IntoIterator<Item = Diagnostic>,
    ) -> Checks {
        let mut checks = Checks {
            found: BTreeMap::new(),
            files,
        };
        diagnostics.into_iter().for_each(|it| checks.add(it));
        checks
    }

    /// The findings of several engines as one.
    pub(crate) fn joined(parts: &[Arc<Checks>]) -> Arc<Checks> {
        if let [only] = parts {
            return only.clone();
        }
        let mut joined = Checks::default();
        for part in parts {
            joined.files.extend(part.files.iter().cloned());
            joined.found.extend(part.found.clone());
        }
        Arc::new(joined)
    }

    /// The findings in a file, in no order.
    pub fn of_file(&self, file: &FileId) -> impl Iterator<Item = &Diagnostic> {
        let segments = self.found.get(file).into_iter().flat_map(BTreeMap::values);
        segments.flatten()
    }

    pub(crate) fn has(&self, file: &FileId) -> bool {
        self.files.contains(file)
    }

    /// The files in which something was found.
    pub fn files(&self) -> impl Iterator<Item = &FileId> {
        self.found.keys()
    }

    /// Adds a diagnostic with a place, once, unless another error is reported there already.
    fn add(&mut self, diagnostic: Diagnostic) {
        let Some(subject) = &diagnostic.subject else {
            return;
        };
        let known = self.found.entry(subject.file.clone()).or_default();
        let known = known.entry(subject.segment).or_default();
        let is_known = |known: &Vec<Diagnostic>| {
            let mut known = known.iter();
            known.any(|known| is_same_fault(known, &diagnostic))
        };
        if known.len() < MAX_PER_SEGMENT && !is_known(known) {
            known.push(diagnostic);
        }
    }

    fn extend(&mut self, diagnostics: impl IntoIterator<Item = Diagnostic>) {
        diagnostics.into_iter().for_each(|it| self.add(it));
    }
}

/// Whether two diagnostics report the same: an error of a reference shows again where it is evaluated.
fn is_same_fault(a: &Diagnostic, b: &Diagnostic) -> bool {
    let (Some(one), Some(other)) = (&a.subject, &b.subject) else {
        return false;
    };
    if (&one.file, one.segment) != (&other.file, other.segment) {
        return false;
    }
    let meets = one.range.intersect(other.range).is_some();
    // A taken name says nothing about the declaration itself.
    let is_fault =
        |it: &Diagnostic| it.severity == Severity::Error && it.code != "duplicate-declaration";
    let is_error = is_fault(a) && is_fault(b);
    match a.code == b.code {
        true => {
            let is_same_text = a.detail == b.detail || gains_suggestion(a.code);
            one.range == other.range && a.summary == b.summary && is_same_text
        }
        false => is_error && meets && (is_of_references(a.code) != is_of_references(b.code)),
    }
}

/// Whether the checks report it with a suggestion, which loading and a plan do not know.
pub(crate) fn gains_suggestion(code: &str) -> bool {
    code == "undeclared-variable"
}

/// Whether loading says it of references without evaluating them.
pub(crate) fn is_of_references(code: &str) -> bool {
    matches!(
        code,
        "count-without-count"
            | "each-without-for-each"
            | "instance-key"
            | "invalid-count-attribute"
            | "invalid-each-attribute"
            | "invalid-index-key"
            | "invalid-path-attribute"
            | "invalid-reference"
            | "invalid-self"
            | "invalid-terraform-attribute"
            | "reserved-symbol"
            | "undeclared-reference"
    )
}
