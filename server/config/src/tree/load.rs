//! Reading a module tree: modules at local paths where they are, others where `terraform init` has put them.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock};

use indexmap::IndexSet;
use smol_str::{SmolStr, ToSmolStr};
use text::Diagnostic;

use super::installed::{self, DATA_DIR, InstalledModules, NOT_YET};
use super::module_source::{is_local, is_no_address, package_of};
use super::{ModuleTree, TreeModule, check, providers};
use crate::addr::ModuleAddr;
use crate::declare::{is_version_constraint, local_with_version};
use crate::files::Files;
use crate::language_release::{Product, Profile};
use crate::load::{ModuleCache, load_module};
use crate::module::{Module, ModuleCall};
use crate::source::Expr;

/// The part of a tree that is kept between two loads.
#[derive(Debug)]
pub struct TreeCache {
    profile: Profile,
    /// By directory, however often it is called.
    modules: HashMap<String, ModuleCache>,
    /// The results of checking the modules against each other, as long as none of them changes.
    checked: Option<(Vec<Arc<Module>>, Vec<Diagnostic>)>,
    pub(super) installed: InstalledModules,
    /// Modules as they were read, and with the evaluated arguments of their calls.
    evaluated: HashMap<ModuleAddr, (Arc<Module>, Arc<Module>)>,
}

/// Evaluates values that are needed before all modules are read.
pub trait StaticEvaluator {
    /// The text of an argument of the call `call` in the module `addr`; `None` for null. All modules above it, and it itself,
    /// are in `tree`.
    fn text(
        &self,
        tree: &ModuleTree,
        addr: &ModuleAddr,
        subject: &str,
        expr: &Expr,
    ) -> Result<Option<SmolStr>, Vec<Diagnostic>>;

    /// Whether a command asks, which also reports the errors that only follow from another error.
    fn is_for_command(&self) -> bool;
}

impl TreeCache {
    /// Nothing yet; modules are read in the language of `profile`.
    pub fn new(profile: Profile) -> TreeCache {
        TreeCache {
            profile,
            modules: HashMap::new(),
            checked: None,
            installed: InstalledModules::default(),
            evaluated: HashMap::new(),
        }
    }
}

/// More modules are not read: each of a few may call the next one twice.
const MAX_MODULES: usize = 4_096;
const MAX_DEPTH: usize = 64;

/// Reads the root module in `dir`, and all modules that it calls. `data_dir` is the value of `TF_DATA_DIR`.
/// Without `early`, calls whose source has to be evaluated are passed over.
///
/// Always answers with the understood part. Use one `cache` per root module.
pub fn load_tree(
    files: &dyn Files,
    cache: &mut TreeCache,
    dir: &str,
    data_dir: Option<&str>,
    early: Option<&dyn StaticEvaluator>,
) -> (ModuleTree, Vec<Diagnostic>) {
    let mut loader = Loader {
        files,
        dir,
        data_dir: data_dir.unwrap_or(DATA_DIR),
        missing: 0,
        before: std::mem::take(&mut cache.modules),
        read: HashMap::new(),
        cache,
        early,
        tree: ModuleTree {
            modules: BTreeMap::new(),
            imports: OnceLock::new(),
        },
        diagnostics: IndexSet::new(),
    };
    loader.load(ModuleAddr::root(), ".".into(), &mut vec![dir.to_owned()]);
    let mut diagnostics: Vec<Diagnostic> = loader.diagnostics.into_iter().collect();
    let tree = loader.tree;
    let root = tree.root();
    let has_keys = root.profile.is_opentofu() && !root.providers.is_empty();
    if tree.modules.len() > 1 || has_keys {
        let modules: Vec<_> = tree.modules.values().map(|it| it.module.clone()).collect();
        let known = cache.checked.take().filter(|(known, _)| {
            let pairs = known.iter().zip(&modules);
            known.len() == modules.len() && pairs.into_iter().all(|(a, b)| Arc::ptr_eq(a, b))
        });
        let (_, found) = cache.checked.insert(known.unwrap_or_else(|| {
            let mut found = Vec::new();
            check::check(&tree, &mut found);
            providers::check(&tree, &mut found);
            (modules, found)
        }));
        diagnostics.extend(found.iter().cloned());
    }
    (tree, diagnostics)
}

struct Loader<'a> {
    files: &'a dyn Files,
    dir: &'a str,
    data_dir: &'a str,
    /// How many local modules were looked for and have no directory.
    missing: usize,
    before: HashMap<String, ModuleCache>,
    /// Modules without errors, by directory. An error names the call, so the module is read again for another one.
    read: HashMap<String, Arc<Module>>,
    cache: &'a mut TreeCache,
    early: Option<&'a dyn StaticEvaluator>,
    tree: ModuleTree,
    /// An error in a module is reported once, however often the module is called.
    diagnostics: IndexSet<Diagnostic>,
}

impl Loader<'_> {
    /// Reads the module in the last of `dirs`; the others are those of its callers.
    fn load(&mut self, addr: ModuleAddr, path: SmolStr, dirs: &mut Vec<String>) {
        let Some(dir) = dirs.last().cloned() else {
            return;
        };
        let module = match self.read.get(&dir) {
            Some(module) => module.clone(),
            None => self.read_module(&addr, &dir),
        };
        let place = TreeModule {
            module: module.clone(),
            dir: dir.as_str().into(),
            path: path.clone(),
        };
        self.tree.modules.insert(addr.clone(), place);
        let module = self.evaluated(&addr, module);
        if addr.is_root() && !module.module_calls.is_empty() {
            let installed = &mut self.cache.installed;
            installed.update(self.files, self.dir, self.data_dir);
        }
        for (name, call) in &module.module_calls {
            let child = addr.child(name.clone());
            let Some((child_path, dir)) = self.locate(&child, call, &path, dirs) else {
                continue;
            };
            dirs.push(dir);
            self.load(child, child_path, dirs);
            dirs.pop();
        }
    }

    fn read_module(&mut self, addr: &ModuleAddr, dir: &str) -> Arc<Module> {
        let profile = self.cache.profile;
        let known = self.cache.modules.entry(dir.to_owned());
        let cache = known.or_insert_with(|| {
            let before = self.before.remove(dir);
            before.unwrap_or_else(|| ModuleCache::new(profile))
        });
        let (module, found) = load_module(self.files, cache, dir, addr);
        if found.is_empty() {
            self.read.insert(dir.to_owned(), module.clone());
        }
        self.diagnostics.extend(found);
        module
    }

    /// The module with the sources and versions that had to be evaluated.
    fn evaluated(&mut self, addr: &ModuleAddr, module: Arc<Module>) -> Arc<Module> {
        let has_some =
            |call: &ModuleCall| call.source_expr.is_some() || call.version_expr.is_some();
        let Some(early) = self.early else {
            return module;
        };
        if !module.module_calls.values().any(|call| has_some(call)) {
            return module;
        }
        let mut evaluated = module.as_ref().clone();
        for (name, call) in &module.module_calls {
            let mut text = |argument: &str, expr: &Option<Expr>| {
                let subject = format!("module.{name}.{argument}");
                let text = early.text(&self.tree, addr, &subject, expr.as_ref()?);
                text.unwrap_or_else(|found| {
                    self.diagnostics.extend(found);
                    None
                })
            };
            let source = text("source", &call.source_expr);
            let version = text("version", &call.version_expr);
            let is_wrong = |version: &SmolStr| !is_version_constraint(version);
            if let Some(expr) = call
                .version_expr
                .as_ref()
                .filter(|_| version.as_ref().is_some_and(is_wrong))
            {
                let detail = "This string does not use correct version constraint syntax.";
                let summary = "Invalid version constraint";
                let found =
                    Diagnostic::error("invalid-version-constraint", summary, detail, expr.span());
                self.diagnostics.insert(found);
            }
            if let Some(call) = evaluated
                .module_calls
                .get_mut(name)
                .filter(|it| has_some(it))
            {
                let call = Arc::make_mut(call);
                call.source = source.or(call.source.take());
                call.version = version.or(call.version.take());
                if call.version.is_some() {
                    self.diagnostics.extend(local_with_version(call));
                }
            }
        }
        let before = self.cache.evaluated.remove(addr);
        let is_same = |(read, known): &(Arc<Module>, Arc<Module>)| {
            let pairs = known
                .module_calls
                .values()
                .zip(evaluated.module_calls.values());
            Arc::ptr_eq(read, &module)
                && pairs
                    .into_iter()
                    .all(|(a, b)| a.source == b.source && a.version == b.version)
        };
        let known = match before.filter(is_same) {
            Some((_, known)) => known,
            None => Arc::new(evaluated),
        };
        let kept = (module, known.clone());
        self.cache.evaluated.insert(addr.clone(), kept);
        if let Some(place) = self.tree.modules.get_mut(addr) {
            place.module = known.clone();
        }
        known
    }

    /// The called module's path as Terraform prints it, and its directory.
    fn locate(
        &mut self,
        addr: &ModuleAddr,
        call: &ModuleCall,
        caller_path: &str,
        dirs: &[String],
    ) -> Option<(SmolStr, String)> {
        // Where the source is missing or no text, that is said already.
        let Some(source) = call.source.as_deref() else {
            if self.early.is_some_and(|it| it.is_for_command())
                && self.cache.profile.is_opentofu()
                && call.source_expr.is_some()
            {
                self.installed_or_told(addr, call);
            }
            return None;
        };
        let path = match is_local(source) {
            true => join(caller_path, source),
            false if source.is_empty() => {
                let invalid = match self.cache.profile.product {
                    Product::Terraform => "invalid source address: .",
                    Product::OpenTofu => "invalid source string: .",
                };
                let detail = format!("Failed to parse module source address: {invalid}");
                self.invalid_source(call, detail);
                return None;
            }
            false if is_no_address(source) => {
                let package = package_of(source);
                let detail = format!(
                    "Terraform failed to determine your intended installation method for remote module package {package:?}.\n\nIf you intended this as a path relative to the current module, use {:?} instead. The \"./\" prefix indicates that the address is a relative filesystem path.",
                    format!("./{package}")
                );
                self.invalid_source(call, detail);
                return None;
            }
            false => join(".", &self.installed_or_told(addr, call)?),
        };
        let dir = absolute(self.dir, &path);
        if dirs.contains(&dir) {
            let detail = format!(
                "The source {source:?} leads back to a module that calls this one, so the modules would call each other without end."
            );
            self.error(call, "module-cycle", "Module calls itself", detail);
            return None;
        }
        if self.tree.modules.len() + self.missing >= MAX_MODULES || dirs.len() > MAX_DEPTH {
            let detail = format!(
                "At most {MAX_MODULES} modules are read, and at most {MAX_DEPTH} that call each other in a row."
            );
            self.error(call, "too-many-modules", "Too many modules", detail);
            return None;
        }
        if !self.read.contains_key(&dir) && self.files.list(&dir).is_err() {
            self.missing += 1;
            let why = format!("This module's directory {path} could not be read.");
            self.not_installed(call, &why);
            return None;
        }
        Some((path, dir))
    }

    /// Where `terraform init` has put a module, relative to the root module.
    fn installed(&self, addr: &ModuleAddr) -> Option<String> {
        Some(self.cache.installed.get(addr.calls())?.dir.clone())
    }

    /// The folder of an installed module. Reports an error if the module is not installed.
    fn installed_or_told(&mut self, addr: &ModuleAddr, call: &ModuleCall) -> Option<String> {
        let dir = self.installed(addr);
        if dir.is_none() {
            self.not_installed(call, NOT_YET);
        }
        dir
    }

    fn invalid_source(&mut self, call: &ModuleCall, detail: String) {
        let summary = "Invalid module source address";
        self.error(call, "invalid-source", summary, detail);
        // It finds the address while it loads the module.
        if self.cache.profile.is_opentofu() {
            self.not_installed(call, NOT_YET);
        }
    }

    fn not_installed(&mut self, call: &ModuleCall, why: &str) {
        let diagnostic = installed::not_installed(call, why, self.cache.profile.product);
        self.diagnostics.insert(diagnostic);
    }

    fn error(&mut self, call: &ModuleCall, code: &'static str, summary: &str, detail: String) {
        let at = call
            .source_span
            .clone()
            .unwrap_or_else(|| call.decl.span.clone());
        let diagnostic = Diagnostic::error(code, summary, detail, at);
        self.diagnostics.insert(diagnostic);
    }
}

pub(super) fn absolute(dir: &str, path: &str) -> String {
    match text::root_of_path(&text::path(path)) {
        Some((root, rest)) => format!("{root}{rest}"),
        None => join(dir, path).to_string(),
    }
}

/// `path` as seen from `base`, without `.` and, as far as possible, without `..`.
pub(super) fn join(base: &str, path: &str) -> SmolStr {
    let path = path.replace('\\', "/");
    let (root, base) = text::root_of_path(base).unwrap_or(("", base));
    let mut parts: Vec<&str> = Vec::new();
    for part in base.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            ".." if !root.is_empty() => {}
            part => parts.push(part),
        }
    }
    match parts.join("/") {
        path if path.is_empty() && root.is_empty() => ".".into(),
        path => format!("{root}{path}").to_smolstr(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_joined_as_terraform_prints_them() {
        for (base, path, joined) in [
            (".", "./modules/a", "modules/a"),
            ("modules/a", "../b", "modules/b"),
            (".", "../shared", "../shared"),
            ("../shared", "./../../x", "../../x"),
            ("/base/dir", "../x/./y", "/base/x/y"),
            ("/", "../x", "/x"),
            ("a", "..", "."),
        ] {
            assert_eq!(join(base, path), joined, "{base} {path}");
        }
    }
}
