//! The modules that `terraform init` has installed, and whether they are those that a configuration calls.

use std::collections::HashMap;
use std::sync::Arc;

use serde::Deserialize;
use smol_str::SmolStr;
use text::{Diagnostic, Severity};

use super::load::{absolute, join};
use super::module_source::is_source_of;
use super::{ModuleTree, TreeCache};
use crate::files::Files;
use crate::language_release::{Constraint, Product, Version};
use crate::module::ModuleCall;

/// The folder in which `init` installs, unless `TF_DATA_DIR` names another.
pub(super) const DATA_DIR: &str = ".terraform";

/// A module that `terraform init` has installed: an entry of `modules.json`.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct InstalledModule {
    /// The calls that lead to it, joined by dots.
    pub key: String,
    /// Where it is, relative to the root module.
    pub dir: String,
    /// With its registry, if it comes from one.
    #[serde(default)]
    pub source: String,
    /// Of a module from a registry.
    #[serde(default)]
    pub version: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Manifest {
    modules: Vec<InstalledModule>,
}

/// The modules that are installed for the root module in `dir`; `data_dir` is `.terraform`, or its replacement. Empty where
/// nothing can be read.
pub fn installed_modules(files: &dyn Files, dir: &str, data_dir: &str) -> Vec<InstalledModule> {
    parse(&read(files, dir, data_dir))
}

fn read(files: &dyn Files, dir: &str, data_dir: &str) -> Arc<str> {
    let path = absolute(dir, &join(data_dir, "modules/modules.json"));
    files.read(&path).unwrap_or_default()
}

fn parse(text: &str) -> Vec<InstalledModule> {
    let manifest = serde_json::from_str::<Manifest>(text);
    manifest.unwrap_or_default().modules
}

/// The installed modules by their keys, with the text that lists them.
#[derive(Debug, Default)]
pub(super) struct InstalledModules {
    text: Arc<str>,
    by_key: HashMap<String, InstalledModule>,
}

impl InstalledModules {
    /// Reads them again if the text has changed.
    pub fn update(&mut self, files: &dyn Files, dir: &str, data_dir: &str) {
        let text = read(files, dir, data_dir);
        if text != self.text {
            let modules = parse(&text).into_iter();
            self.by_key = modules.map(|it| (it.key.clone(), it)).collect();
            self.text = text;
        }
    }

    pub fn get(&self, calls: &[SmolStr]) -> Option<&InstalledModule> {
        self.by_key.get(&calls.join("."))
    }
}

/// The calls of `tree` that would make Terraform ask for `init` although their modules can be read: those that are not listed as
/// installed, or with another source or version. None where `init` never installed modules, as planlens plans local
/// modules without it. `cache` is the one that the tree was loaded with: it has their list.
///
/// Source: `moduleWalkerLoad` of OpenTofu's `internal/configs/configload/loader_load.go`.
pub fn not_as_installed(
    tree: &ModuleTree,
    cache: &TreeCache,
    severity: Severity,
) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let product = tree.root().profile.product;
    if tree.iter().len() == 1 {
        return found;
    }
    let installed = &cache.installed;
    if installed.by_key.is_empty() {
        return found;
    }
    for (addr, _) in tree.iter() {
        let Some((_, call)) = tree.call(addr) else {
            continue;
        };
        let calls = addr.calls();
        let Some(module) = installed.get(calls) else {
            // Terraform does not look into a module that is not installed.
            let is_in_another =
                (1..calls.len()).any(|count| installed.get(&calls[..count]).is_none());
            if !is_in_another {
                let diagnostic = not_installed(call, NOT_YET, product);
                found.push(Diagnostic {
                    severity,
                    ..diagnostic
                });
            }
            continue;
        };
        found.extend(changed(call, module, product).map(|(summary, detail)| {
            let detail = format!("{detail}. {}", run_init(product));
            let at = call.source_span.clone();
            let at = at.unwrap_or_else(|| call.decl.span.clone());
            Diagnostic {
                severity,
                ..Diagnostic::error(CODE, summary, detail, at)
            }
        }));
    }
    found
}

const CODE: &str = "module-not-installed";

pub(super) const NOT_YET: &str = "This module is not yet installed.";

fn run_init(product: Product) -> String {
    let init = product.init(true);
    format!("Run \"{init}\" to install all modules required by this configuration.")
}

pub(super) fn not_installed(call: &ModuleCall, why: &str, product: Product) -> Diagnostic {
    let detail = format!("{why} {}", run_init(product));
    let at = call.decl.span.clone();
    Diagnostic::error(CODE, "Module not installed", detail, at)
}

/// The summary and the sentence about an installed module that does not meet its call.
fn changed(
    call: &ModuleCall,
    installed: &InstalledModule,
    product: Product,
) -> Option<(&'static str, String)> {
    let source = call.source.as_deref()?;
    if !is_source_of(source, &installed.source) {
        let was = match product {
            Product::Terraform => String::new(),
            Product::OpenTofu => format!(" from {:?} to {source:?}", installed.source),
        };
        let detail = format!("The source address was changed{was} since this module was installed");
        return Some(("Module source has changed", detail));
    }
    let constraint = Constraint::parse(call.version.as_deref()?)?;
    let version = installed.version.as_deref();
    if version.is_some_and(|it| Version::parse(it).is_none_or(|it| constraint.allows(it))) {
        return None;
    }
    let version = version.map_or_else(String::new, |it| format!(" ({it})"));
    let detail = format!(
        "The version requirements have changed since this module was installed and the installed version{version} is no longer acceptable"
    );
    Some(("Module version requirements have changed", detail))
}
