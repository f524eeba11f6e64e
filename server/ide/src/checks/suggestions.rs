//! Names that were perhaps meant, where Terraform gives none.

use config::{Module, ModuleTree, Reference, Referenceable, ResourceAddr};
use text::{Diagnostic, similar};

/// The problem with a suggestion, if it is a reference to something undeclared that is called nearly like something.
pub(super) fn with_suggestion(tree: &ModuleTree, problem: &Diagnostic) -> Diagnostic {
    let mut problem = problem.clone();
    if problem.code == "undeclared-reference"
        && !problem.detail.contains("Did you mean")
        && let Some(meant) = meant(tree, &problem)
    {
        problem.detail += &format!(" Did you mean \"{meant}\"?");
    }
    problem
}

fn meant(tree: &ModuleTree, problem: &Diagnostic) -> Option<ResourceAddr> {
    let subject = problem.subject.as_ref()?;
    let mut modules = tree.iter().map(|(_, module)| &module.module);
    let module = modules.find(|module| module.files.contains_key(&subject.file))?;
    let is_it = |reference: &&Reference| reference.span == *subject;
    match &module.all_references().find(is_it)?.subject {
        Referenceable::Resource(addr) | Referenceable::ResourceInstance(addr, _) => {
            similar_resource(module, addr)
        }
        _ => None,
    }
}

/// A resource whose name or type is nearly the same.
fn similar_resource(module: &Module, wrong: &ResourceAddr) -> Option<ResourceAddr> {
    let of_mode = || module.resources.keys().filter(|it| it.mode == wrong.mode);
    let of_type = of_mode().filter(|it| it.r#type == wrong.r#type);
    let name = similar(&wrong.name, of_type.map(|it| it.name.as_str()));
    if let Some(name) = name {
        return Some(ResourceAddr::new(wrong.mode, wrong.r#type.clone(), name));
    }
    let of_name = of_mode().filter(|it| it.name == wrong.name);
    let r#type = similar(&wrong.r#type, of_name.map(|it| it.r#type.as_str()))?;
    Some(ResourceAddr::new(wrong.mode, r#type, wrong.name.clone()))
}
