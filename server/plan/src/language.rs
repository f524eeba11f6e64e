//! The language of a root module: which product and release it is planned as, and why.

use std::sync::Arc;

use config::profile::{Choice, Constraint, Signs, choose, feature};
use config::{
    Expr, Files, Module, ModuleAddr, ModuleTree, Product, Profile, TreeModule, Version,
    is_named_for_opentofu,
};
use text::Diagnostic;

/// What the user and the machine say about it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Language {
    /// Chosen by the user. `None`: the module's files and the machine decide.
    pub product: Option<Product>,
    pub version: Option<Version>,
    /// What the programs on the PATH are.
    pub installed: Vec<Profile>,
}

impl Language {
    /// This one, whatever files and machine say.
    pub fn pinned(profile: Profile) -> Language {
        Language {
            product: Some(profile.product),
            version: Some(profile.version),
            installed: Vec::new(),
        }
    }

    /// Whether what is installed can have a say.
    pub fn asks_machine(&self) -> bool {
        self.product.is_none() || self.version.is_none()
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
        let required = requirements(module).map(|(is_own, expr)| Some((is_own, literal(expr)?)));
        choose(&Signs {
            product: self.product,
            version: self.version,
            tofu_file: names
                .into_iter()
                .filter(|name| is_named_for_opentofu(name))
                .min(),
            lock_file,
            required: required.flatten().collect(),
            installed: self.installed.clone(),
        })
    }
}

/// What the module requires, with whether it is meant for OpenTofu alone.
fn requirements(module: &Module) -> impl Iterator<Item = (bool, &Expr)> {
    let required = module.required_version.iter();
    let required = required.map(|expr| (is_named_for_opentofu(expr.origin.file.name()), expr));
    required.chain(module.compatible_with.iter().map(|expr| (true, expr)))
}

fn literal(expr: &Expr) -> Option<String> {
    expr.ast.as_literal_string().map(Into::into)
}

/// The requirements that the modules' own profile does not fulfil.
pub(crate) fn unfulfilled(tree: &ModuleTree) -> Vec<Diagnostic> {
    let of_module = |(addr, module): (&ModuleAddr, &TreeModule)| {
        let call = tree.call(addr).and_then(|(_, call)| call.source.as_deref());
        let whose = call.map(|source| format!("Module {addr} (from {source})"));
        let whose = whose.unwrap_or_else(|| "This configuration".to_owned());
        unfulfilled_by(&module.module, &whose)
    };
    tree.iter().flat_map(of_module).collect()
}

fn unfulfilled_by(module: &Module, whose: &str) -> Vec<Diagnostic> {
    let Profile { product, version } = module.profile;
    let own_only = module.profile.has(feature::OWN_REQUIRED_VERSION);
    let counted = requirements(module).filter(|(is_own, _)| *is_own || !own_only);
    let is_unfulfilled = |expr: &&Expr| {
        let constraint = literal(expr).and_then(|text| Constraint::parse(&text));
        constraint.is_some_and(|constraint| !constraint.allows(version))
    };
    counted
        .map(|(_, expr)| expr)
        .filter(is_unfulfilled)
        .map(|expr| {
            let detail = format!(
                "{whose} does not support {product} version {version}. To proceed, either choose another supported {product} version or update this version constraint. Version constraints are normally set for good reason, so updating the constraint may lead to other errors or unexpected behavior."
            );
            let summary = format!("Unsupported {product} Core version");
            Diagnostic::error("unsupported-version", summary, detail, expr.span())
        })
        .collect()
}
