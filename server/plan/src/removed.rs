//! The effect of `removed` blocks.

use config::{AbsResourceAddr, ConfigResourceAddr, Module, ModuleAddr, Product, Removed, Target};
use text::Diagnostic;

use crate::moves::Modules;
use crate::{Action, Plan, PlanMode, ResourceInstanceChange};

/// Whether the objects of a resource without configuration are to be destroyed, if a block decides it. Of several the last one
/// counts in OpenTofu. In Terraform it is the first one of each address, and one address that is forgotten is enough.
pub(crate) fn destroys(
    modules: &Modules<'_>,
    addr: &AbsResourceAddr,
    product: Product,
) -> Option<bool> {
    let addr = addr.config();
    let named = statements(modules).filter_map(|(module, removed)| {
        let from = from(module, removed);
        let is_named = match &from {
            Endpoint::Resource(from) => *from == addr,
            Endpoint::Module(from) => addr.module.calls().starts_with(from.calls()),
        };
        is_named.then_some((from, removed.destroy))
    });
    match product {
        Product::Terraform => {
            let mut seen = Vec::new();
            let first = named.filter(|(from, _)| {
                let is_first = !seen.contains(from);
                seen.push(from.clone());
                is_first
            });
            first
                .map(|(_, destroy)| destroy)
                .reduce(|all, one| all && one)
        }
        Product::OpenTofu => named.map(|(_, destroy)| destroy).last(),
    }
}

/// Errors of blocks whose target is still declared.
pub(crate) fn validate(modules: &Modules<'_>, product: Product) -> Vec<Diagnostic> {
    let problem = |(module, removed): (&ModuleAddr, &Removed)| {
        let (what, addr, at) = match from(module, removed) {
            Endpoint::Resource(addr) => {
                let declared = modules.get(&addr.module)?.resources.get(&addr.resource)?;
                ("resource", addr.to_string(), &declared.decl.span)
            }
            Endpoint::Module(addr) => {
                let caller = modules.get(&addr.parent()?)?;
                let call = caller.module_calls.get(addr.calls().last()?)?;
                ("module", addr.to_string(), &call.decl.span)
            }
        };
        let (summary, detail) = match product {
            Product::Terraform => (
                format!("Removed {what} still exists"),
                format!(
                    "This statement declares that {addr} was removed, but it is still declared in configuration."
                ),
            ),
            Product::OpenTofu => (
                format!("Removed {what} block still exists"),
                format!(
                    "This statement declares a removal of the {what} {addr}, but this {what} block still exists in the configuration. Please remove the {what} block."
                ),
            ),
        };
        let code = "removed-still-exists";
        let at = match product {
            Product::Terraform => at,
            Product::OpenTofu => &removed.decl.span,
        };
        Some(Diagnostic::error(code, summary, detail, at.clone()))
    };
    statements(modules).filter_map(problem).collect()
}

/// The warnings that some objects will be left alone: OpenTofu has one for each, but where all is destroyed.
pub(crate) fn forgotten(plan: &Plan) -> Vec<Diagnostic> {
    let forgotten = plan
        .changes()
        .filter(|change| change.action == Action::Forget);
    match plan.product {
        Product::Terraform => forgotten_together(forgotten).into_iter().collect(),
        Product::OpenTofu if plan.mode == PlanMode::Destroy => Vec::new(),
        Product::OpenTofu => forgotten.map(forgotten_alone).collect(),
    }
}

fn forgotten_alone(change: &ResourceInstanceChange) -> Diagnostic {
    let detail = format!(
        "After this plan is applied, the resource {} will not be managed anymore by OpenTofu.\n\nIn case you want to manage the resource again, you will have to import it.",
        change.addr
    );
    Diagnostic::warning(
        "forgotten",
        "Resource will be removed from the state",
        detail,
        None,
    )
}

fn forgotten_together<'a>(
    forgotten: impl Iterator<Item = &'a ResourceInstanceChange>,
) -> Option<Diagnostic> {
    let mut lines: Vec<String> = forgotten
        .map(|change| match &change.deposed {
            Some(key) => format!("\n - {} (deposed object {key})", change.addr),
            None => format!("\n - {}", change.addr),
        })
        .collect();
    if lines.is_empty() {
        return None;
    }
    lines.sort();
    let detail = format!(
        "If you apply this plan, Terraform will discard its tracking information for the following objects, but it will not delete them:{}\n\nAfter applying this plan, Terraform will no longer manage these objects. You will need to import them into Terraform to manage them again.",
        lines.concat()
    );
    Some(Diagnostic::warning(
        "forgotten",
        "Some objects will no longer be managed by Terraform",
        detail,
        None,
    ))
}

#[derive(Clone, PartialEq)]
enum Endpoint {
    Resource(ConfigResourceAddr),
    Module(ModuleAddr),
}

fn statements<'a>(modules: &'a Modules<'_>) -> impl Iterator<Item = (&'a ModuleAddr, &'a Removed)> {
    let of_module = |(addr, module): (&&'a ModuleAddr, &&'a Module)| {
        let addr = *addr;
        module.removed.iter().map(move |removed| (addr, &**removed))
    };
    modules.iter().flat_map(of_module)
}

/// The target of a block in `module`, from the root on.
fn from(module: &ModuleAddr, removed: &Removed) -> Endpoint {
    let within = |inner: &ModuleAddr| -> ModuleAddr {
        module
            .calls()
            .iter()
            .chain(inner.calls())
            .cloned()
            .collect()
    };
    let resource = |addr: ConfigResourceAddr| {
        Endpoint::Resource(ConfigResourceAddr {
            module: within(&addr.module),
            resource: addr.resource,
        })
    };
    match &removed.from {
        Target::Module(addr) => Endpoint::Module(within(&addr.module())),
        Target::Resource(addr) => resource(addr.config()),
        Target::Instance(addr) => resource(addr.config()),
    }
}
