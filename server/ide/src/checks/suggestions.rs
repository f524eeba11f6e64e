//! Names that were perhaps meant, where Terraform gives none.

use config::{Module, ModuleTree, Reference, Referenceable, ResourceAddr, ResourceMode};
use text::{Diagnostic, Fault, Suggestion, similar};

/// The problem with a suggestion, if it is a reference to something undeclared that is called nearly like something.
pub(super) fn with_suggestion(tree: &ModuleTree, problem: &Diagnostic) -> Diagnostic {
    let mut problem = problem.clone();
    if problem.code == "undeclared-reference"
        && problem.fault == Fault::Other
        && let Some(meant) = meant(tree, &problem)
    {
        let meant = meant.to_string();
        let hint = Suggestion(Some(&meant));
        problem.detail += &hint.to_string();
        problem.fault = hint.into();
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

/// A resource whose name or type is nearly the same, unless there is a data resource that is called so.
fn similar_resource(module: &Module, wrong: &ResourceAddr) -> Option<ResourceAddr> {
    let as_data = ResourceAddr {
        mode: ResourceMode::Data,
        ..wrong.clone()
    };
    if module.resource(&as_data).is_some() {
        return None;
    }
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
