//! The language of a root module: which product and release it is planned as, and why.

use std::collections::HashSet;
use std::sync::Arc;

use config::language_release::{Choice, Constraint, Signs, choose, feature};
use config::{
    Attribute, Files, Module, ModuleAddr, ModuleTree, Product, Profile, TreeModule, Version,
    is_named_for_opentofu,
};
use text::{Diagnostic, Severity};

/// The choices of the user and the machine.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LanguageChoice {
    /// Chosen by the user. `None`: the module's files and the machine decide.
    pub product: Option<Product>,
    pub version: Option<Version>,
    /// The programs on the PATH.
    pub installed: Vec<Profile>,
}

impl LanguageChoice {
    /// This one, regardless of files and programs.
    pub fn pinned(profile: Profile) -> LanguageChoice {
        LanguageChoice {
            product: Some(profile.product),
            version: Some(profile.version),
            installed: Vec::new(),
        }
    }

    /// Whether the installed programs count.
    pub fn asks_machine(&self) -> bool {
        self.product.is_none() || self.version.is_none()
    }

    /// The release that would run: the one that the user chose, else the one that is installed.
    fn release(&self, product: Product) -> Option<Version> {
        let mut installed = self.installed.iter();
        let installed = installed.find(|profile| profile.product == product);
        self.version
            .or_else(|| installed.map(|profile| profile.version))
    }

    /// The profile of a module of which nothing is read yet.
    pub(crate) fn before_reading(&self) -> Profile {
        let signs = Signs {
            product: self.product,
            version: self.version,
            installed: self.installed.clone(),
            ..Signs::default()
        };
        choose(&signs).profile
    }

    /// The profile of the module in `dir`, as far as its files were read.
    pub(crate) fn choose(
        &self,
        files: &dyn Files,
        dir: &str,
        lock_file: Option<Arc<str>>,
        module: &Module,
    ) -> Choice {
        let names = files.list(dir).unwrap_or_default();
        let required = requirements(module).map(|(is_own, it)| Some((is_own, literal(it)?)));
        let mut seen = HashSet::new();
        let required = required.flatten().filter(|it| seen.insert(it.clone()));
        choose(&Signs {
            product: self.product,
            version: self.version,
            tofu_file: names
                .into_iter()
                .filter(|name| is_named_for_opentofu(name))
                .min(),
            lock_file,
            required: required.take(REQUIREMENTS).collect(),
            installed: self.installed.clone(),
        })
    }
}

/// So many different requirements of a module choose its release.
const REQUIREMENTS: usize = 100;

/// The requirements of the module, each with whether it is meant for OpenTofu alone.
fn requirements(module: &Module) -> impl Iterator<Item = (bool, &Attribute)> {
    let required = module.required_version.iter();
    let required = required.map(|it| (is_named_for_opentofu(it.origin.file.name()), it));
    required.chain(module.compatible_with.iter().map(|it| (true, it)))
}

fn literal(requirement: &Attribute) -> Option<String> {
    requirement.ast.expr.as_literal_string().map(Into::into)
}

/// The requirements that the release which would run does not meet. Without one there are none.
pub(crate) fn unmet(
    language: &LanguageChoice,
    tree: &ModuleTree,
    severity: Severity,
) -> Vec<Diagnostic> {
    let product = tree.root().profile.product;
    let Some(version) = language.release(product) else {
        return Vec::new();
    };
    let release = Profile { product, version };
    let of_module = |(addr, module): (&ModuleAddr, &TreeModule)| {
        let call = tree.call(addr).and_then(|(_, call)| call.source.as_deref());
        let whose = call.map(|source| format!("Module {addr} (from {source})"));
        let whose = whose.unwrap_or_else(|| "This configuration".to_owned());
        unmet_by(&module.module, release, &whose)
    };
    let unmet = tree.iter().flat_map(of_module);
    unmet.map(|it| Diagnostic { severity, ..it }).collect()
}

fn unmet_by(module: &Module, release: Profile, whose: &str) -> Vec<Diagnostic> {
    let own_only = release.has(feature::OWN_REQUIRED_VERSION);
    let counted = requirements(module).filter(|(is_own, _)| *is_own || !own_only);
    let problems = counted.flat_map(|(_, requirement)| {
        let text = literal(requirement).unwrap_or_default();
        let problems = problems(&text, release, whose).into_iter();
        problems.map(|(summary, detail)| {
            Diagnostic::error("unsupported-version", summary, detail, requirement.span())
        })
    });
    problems.collect()
}

/// Summary and detail of the errors of a requirement, in Terraform's words.
fn problems(text: &str, release: Profile, whose: &str) -> Vec<(String, String)> {
    let Profile { product, version } = release;
    let Some(constraint) = Constraint::parse(text) else {
        return Vec::new();
    };
    let prereleases: Vec<&str> = text.split(',').filter(|part| part.contains('-')).collect();
    if !prereleases.is_empty() && product == Product::Terraform {
        let prereleases = prereleases.into_iter().map(|part| {
            let summary = "Invalid required_version constraint".to_owned();
            let detail = format!(
                "Prerelease version constraints are not supported: {part}. Remove the prerelease information from the constraint. Prerelease versions of terraform will match constraints using their version core only."
            );
            (summary, detail)
        });
        return prereleases.collect();
    }
    if constraint.allows(version) {
        return Vec::new();
    }
    // `checkVersionRequirements` of OpenTofu's `internal/configs` says it of the module, without its name.
    let (summary, unsupported) = match release.has(feature::OWN_REQUIRED_VERSION) {
        true => (
            "Incompatible module".to_owned(),
            format!("This module is not compatible with {product} v{version}.\n\n"),
        ),
        false => (
            format!("Unsupported {product} Core version"),
            format!("{whose} does not support {product} version {version}. "),
        ),
    };
    let detail = format!(
        "{unsupported}To proceed, either choose another supported {product} version or update this version constraint. Version constraints are normally set for good reason, so updating the constraint may lead to other errors or unexpected behavior."
    );
    vec![(summary, detail)]
}
