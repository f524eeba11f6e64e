//! References across declarations: undeclared names, and instance keys that can't be right.

use std::collections::HashMap;
use std::sync::Arc;

use text::{Diagnostic, Fault, InstanceKeyFault, Span, did_you_mean};

use crate::addr::{
    ConfigResourceAddr, InstanceKey, ModuleAddr, ProviderConfigAddr, ResourceAddr, ResourceMode,
};
use crate::declare::DeclaredItem;
use crate::language_release::{self, feature};
use crate::module::{Check, Decl, Module, ProviderRef, ProviderRequirement, Repetition, Resource};
use crate::refs::{Reference, Referenceable};
use crate::source::Expr;

/// Declarations are not checked behind so many errors and warnings: only some of them are shown.
const ENOUGH: usize = 5_000;

/// The attributes of the object `tofu`.
const TOFU_ATTRIBUTES: [&str; 2] = ["workspace", "applying"];

/// Reports errors in the references of all declarations.
pub(crate) fn check(module: &Module, addr: &ModuleAddr, diagnostics: &mut Vec<Diagnostic>) {
    let scoped = scoped(module);
    for decl in decls(module) {
        if diagnostics.len() > ENOUGH {
            return;
        }
        check_decl(module, addr, decl, diagnostics);
        diagnostics.extend(scoped_references(&scoped, decl));
    }
    for decl in module.duplicates.declarations() {
        check_decl(module, addr, decl, diagnostics);
    }
    let duplicates = &module.duplicates.resources;
    let resources = || module.resources.values().chain(duplicates);
    for resource in resources() {
        diagnostics.extend(missing_provider_config(module, addr, resource));
        diagnostics.extend(undeclared_actions(module, resource));
    }
    name_undeclared_triggers(module, addr, resources().map(|it| &**it), diagnostics);
}

/// Reports errors in the references of some variables, local values, outputs and resources.
pub(crate) fn check_items(
    module: &Module,
    addr: &ModuleAddr,
    items: &[DeclaredItem],
    diagnostics: &mut Vec<Diagnostic>,
) {
    for item in items {
        match item {
            DeclaredItem::Variable(variable) => {
                check_decl(module, addr, &variable.decl, diagnostics)
            }
            DeclaredItem::Local(local) => check_decl(module, addr, &local.decl, diagnostics),
            DeclaredItem::Output(output) => check_decl(module, addr, &output.decl, diagnostics),
            DeclaredItem::Resource(resource) => {
                check_decl(module, addr, &resource.decl, diagnostics);
                diagnostics.extend(missing_provider_config(module, addr, resource));
                diagnostics.extend(undeclared_actions(module, resource));
            }
            DeclaredItem::Settings(_)
            | DeclaredItem::Provider(_)
            | DeclaredItem::ModuleCall(_)
            | DeclaredItem::Check(_)
            | DeclaredItem::Moved(_)
            | DeclaredItem::Removed(_)
            | DeclaredItem::Import(_) => {}
        }
    }
    let resources = items.iter().filter_map(|item| match item {
        DeclaredItem::Resource(resource) => Some(&**resource),
        _ => None,
    });
    name_undeclared_triggers(module, addr, resources, diagnostics);
}

/// OpenTofu has an error of its own for an undeclared resource in `replace_triggered_by`.
fn name_undeclared_triggers<'a>(
    module: &Module,
    addr: &ModuleAddr,
    resources: impl Iterator<Item = &'a Resource>,
    diagnostics: &mut [Diagnostic],
) {
    if !module.profile.has(feature::UNDEFINED_RESOURCES) {
        return;
    }
    let mut undeclared: HashMap<Span, (&Resource, ResourceAddr)> = HashMap::new();
    for resource in resources {
        let triggers = &resource.lifecycle.replace_triggered_by;
        for reference in triggers.iter().flat_map(Expr::references) {
            if is_undeclared(module, &reference)
                && let Some(named) = reference.subject.resource()
            {
                undeclared.insert(reference.span, (resource, named.clone()));
            }
        }
    }
    if undeclared.is_empty() {
        return;
    }
    for diagnostic in diagnostics {
        let subject = diagnostic.subject.as_ref();
        if let Some((resource, named)) = subject.and_then(|at| undeclared.get(at)) {
            let resource = ConfigResourceAddr {
                module: addr.clone(),
                resource: resource.addr.clone(),
            };
            diagnostic.summary = "Undeclared resource in replace_triggered_by".into();
            diagnostic.detail = format!(
                "Resource {resource} refers to {named} in replace_triggered_by, but it is not declared in this module."
            );
        }
    }
}

fn check_decl(module: &Module, addr: &ModuleAddr, decl: &Decl, diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.extend(decl.wrong_references(module.profile).cloned());
    for reference in &decl.references {
        diagnostics.extend(check_reference(module, addr, reference));
    }
}

/// The data sources inside of `check` blocks, which only the block itself may refer to.
type Scoped<'a> = HashMap<&'a ResourceAddr, Vec<&'a Check>>;

fn scoped(module: &Module) -> Scoped<'_> {
    let mut scoped = Scoped::new();
    for check in module.checks.values() {
        if let Some(data) = &check.data {
            scoped.entry(&data.addr).or_default().push(check);
        }
    }
    scoped
}

fn scoped_references(scoped: &Scoped<'_>, decl: &Decl) -> Vec<Diagnostic> {
    // The block has the references of its data source as well.
    let is_own = |check: &Check| {
        let mut data = check.data.iter();
        check.decl.span == decl.span || data.any(|it| it.decl.span == decl.span)
    };
    let error = |reference: &Reference| {
        let addr = reference.subject.resource()?;
        let mut checks = scoped.get(addr)?.iter();
        checks.any(|check| !is_own(check)).then_some(())?;
        let detail = format!(
            "The referenced data resource \"{}\" \"{}\" is not available from this context.",
            addr.r#type, addr.name
        );
        Some(undeclared(
            reference,
            "Reference to scoped resource",
            detail,
        ))
    };
    decl.references.iter().filter_map(error).collect()
}

/// Actions that an `action_trigger` block names and the module lacks. Follows `checkModule` of Terraform's
/// `internal/configs/config.go`.
fn undeclared_actions<'a>(
    module: &'a Module,
    resource: &'a Resource,
) -> impl Iterator<Item = Diagnostic> + 'a {
    let triggers = resource.lifecycle.action_triggers.iter();
    let named = triggers.flat_map(|trigger| &trigger.actions);
    let named = named.filter_map(|action| Some((action.addr.as_ref()?, action)));
    let undeclared = named.filter(|(addr, _)| !module.resources.contains_key(*addr));
    undeclared.map(|(addr, action)| {
        let detail = format!(
            "The lifecycle action_trigger actions list contains a reference to the action \"{addr}\" that does not exist in the configuration of this module."
        );
        let summary = "action_trigger actions references non-existent action";
        Diagnostic::error("undeclared-reference", summary, detail, action.expr.span())
    })
}

/// A resource that asks for an aliased provider configuration which nobody declares.
fn missing_provider_config(
    module: &Module,
    addr: &ModuleAddr,
    resource: &Resource,
) -> Option<Diagnostic> {
    let provider = resource
        .provider
        .as_ref()
        .filter(|provider| provider.alias.is_some())?;
    let is_passed =
        |requirement: &ProviderRequirement| requirement.configuration_aliases.contains(provider);
    if module.providers.contains_key(provider)
        || module
            .required_providers
            .get(&provider.name)
            .is_some_and(|r| is_passed(r))
    {
        return None;
    }
    Some(not_present(module, addr, resource, provider))
}

fn not_present(
    module: &Module,
    addr: &ModuleAddr,
    resource: &Resource,
    provider: &ProviderRef,
) -> Diagnostic {
    let config = ProviderConfigAddr {
        module: addr.clone(),
        provider: module.provider_addr(&provider.name),
        alias: provider.alias.clone(),
    };
    let resource_addr = ConfigResourceAddr {
        module: addr.clone(),
        resource: resource.addr.clone(),
    };
    let detail = format!(
        "To work with {resource_addr} its original provider configuration at {config} is required, but it has been removed. This occurs when a provider configuration is removed while objects created by that provider still exist in the state. Re-add the provider configuration to destroy {resource_addr}, after which you can remove the provider configuration again."
    );
    let summary = "Provider configuration not present";
    Diagnostic::error(
        "missing-provider-config",
        summary,
        detail,
        resource.provider_span.clone(),
    )
}

/// Resources of a root module that ask for a configuration which its caller would have to pass.
pub fn unpassed_aliases(module: &Module) -> Vec<Diagnostic> {
    let resources = module.resources.values();
    let unpassed = resources.filter_map(|resource| {
        let provider = resource.provider.as_ref()?;
        let requirement = module.required_providers.get(&provider.name)?;
        let is_expected = requirement.configuration_aliases.contains(provider);
        (is_expected && !module.providers.contains_key(provider))
            .then(|| not_present(module, &ModuleAddr::root(), resource, provider))
    });
    unpassed.collect()
}

fn decls(module: &Module) -> impl Iterator<Item = &Decl> {
    let variables = module.variables.values().map(|v| &v.decl);
    let locals = module.locals.values().map(|l| &l.decl);
    let outputs = module.outputs.values().map(|o| &o.decl);
    let providers = module.providers.values().map(|p| &p.decl);
    let resources = module.resources.values().map(|r| &r.decl);
    let calls = module.module_calls.values().map(|c| &c.decl);
    let checks = module.checks.values().map(|c| &c.decl);
    let scoped = module
        .checks
        .values()
        .filter_map(|c| c.data.as_ref())
        .map(|d| &d.decl);
    let imports = module.imports.iter().map(|i| &i.decl);
    variables
        .chain(locals)
        .chain(outputs)
        .chain(providers)
        .chain(resources)
        .chain(calls)
        .chain(checks)
        .chain(scoped)
        .chain(imports)
}

/// The errors of one reference in a module.
pub fn check_reference(
    module: &Module,
    addr: &ModuleAddr,
    reference: &Reference,
) -> Option<Diagnostic> {
    let resource = reference.subject.resource();
    if let Some(action) = resource.filter(|addr| addr.mode == ResourceMode::Action) {
        return Some(reference_to_action(module, addr, reference, action));
    }
    if !is_undeclared(module, reference) {
        let Referenceable::ResourceInstance(resource, key) = &reference.subject else {
            return None;
        };
        let repetition = &declared(module, resource)?.repetition;
        return check_key(reference, resource, key, repetition);
    }
    Some(match &reference.subject {
        Referenceable::Var(name) => {
            let meant = did_you_mean(name, module.variables.keys().map(|name| name.as_str()));
            let hint = match meant.is_none() {
                true => {
                    format!(" This variable can be declared with a variable \"{name}\" {{}} block.")
                }
                false => meant.to_string(),
            };
            let detail =
                format!("An input variable with the name \"{name}\" has not been declared.{hint}");
            undeclared(reference, "Reference to undeclared input variable", detail)
                .with_fault(meant)
        }
        Referenceable::Local(name) => {
            let hint = did_you_mean(name, module.locals.keys().map(|name| name.as_str()));
            let detail =
                format!("A local value with the name \"{name}\" has not been declared.{hint}");
            undeclared(reference, "Reference to undeclared local value", detail).with_fault(hint)
        }
        Referenceable::Module(call)
        | Referenceable::ModuleInstance(call, _)
        | Referenceable::ModuleOutput { call, .. } => {
            let hint = did_you_mean(call, module.module_calls.keys().map(|name| name.as_str()));
            let detail = format!(
                "No module call named \"{call}\" is declared in {}.{hint}",
                in_words(addr)
            );
            undeclared(reference, "Reference to undeclared module", detail).with_fault(hint)
        }
        Referenceable::Resource(resource) | Referenceable::ResourceInstance(resource, _) => {
            undeclared_resource(module, addr, reference, resource)
        }
        Referenceable::Tofu(name) => match feature::TOFU_OBJECT.missing_in(module.profile) {
            Some(why) => {
                let detail = format!(
                    "A managed resource \"tofu\" \"{name}\" has not been declared in {}. The \"tofu\" object {why}.",
                    in_words(addr)
                );
                undeclared(reference, "Reference to undeclared resource", detail)
            }
            None if TOFU_ATTRIBUTES.contains(&name.as_str()) => return None,
            None => Diagnostic::error(
                "invalid-terraform-attribute",
                "Invalid \"tofu\" attribute",
                format!(
                    "The \"tofu\" object does not have an attribute named \"{name}\". The only supported attributes are tofu.workspace and tofu.applying"
                ),
                reference.span.clone(),
            ),
        },
        Referenceable::Count(_)
        | Referenceable::Each(_)
        | Referenceable::Self_
        | Referenceable::Path(_)
        | Referenceable::Terraform(_) => return None,
    })
}

/// Whether the module declares no object of this name. Some objects depend on its release of the language.
pub fn is_undeclared(module: &Module, reference: &Reference) -> bool {
    match &reference.subject {
        Referenceable::Var(name) => !module.variables.contains_key(name),
        Referenceable::Local(name) => !module.locals.contains_key(name),
        Referenceable::Module(call)
        | Referenceable::ModuleInstance(call, _)
        | Referenceable::ModuleOutput { call, .. } => !module.module_calls.contains_key(call),
        Referenceable::Resource(resource) | Referenceable::ResourceInstance(resource, _) => {
            declared(module, resource).is_none()
        }
        Referenceable::Tofu(name) => {
            !module.profile.has(feature::TOFU_OBJECT) || !TOFU_ATTRIBUTES.contains(&name.as_str())
        }
        Referenceable::Count(_)
        | Referenceable::Each(_)
        | Referenceable::Self_
        | Referenceable::Path(_)
        | Referenceable::Terraform(_) => false,
    }
}

/// A resource of the module, also one that only a duplicate declares, for itself.
fn declared<'a>(module: &'a Module, addr: &ResourceAddr) -> Option<&'a Arc<Resource>> {
    let duplicates = module.duplicates.checks.iter();
    let mut scoped = duplicates.filter_map(|check| check.data.as_ref());
    module
        .resource(addr)
        .or_else(|| scoped.find(|data| data.addr == *addr))
}

fn in_words(addr: &ModuleAddr) -> String {
    if addr.is_root() {
        "the root module".to_owned()
    } else {
        addr.to_string()
    }
}

fn undeclared(reference: &Reference, summary: &str, detail: String) -> Diagnostic {
    Diagnostic::error(
        "undeclared-reference",
        summary,
        detail,
        reference.span.clone(),
    )
}

/// Releases without actions read a resource type of that name.
fn reference_to_action(
    module: &Module,
    addr: &ModuleAddr,
    reference: &Reference,
    action: &ResourceAddr,
) -> Diagnostic {
    if language_release::item("", "action").is_in(module.profile) {
        let detail = "Actions can not be referenced in this context. They can only be referenced from within a resource's lifecycle actions list.";
        return undeclared(reference, "Invalid reference", detail.to_owned());
    }
    let read = ResourceAddr::managed("action", action.r#type.clone());
    undeclared_resource(module, addr, reference, &read)
}

fn undeclared_resource(
    module: &Module,
    addr: &ModuleAddr,
    reference: &Reference,
    resource: &ResourceAddr,
) -> Diagnostic {
    let (article, kind) = match resource.mode {
        ResourceMode::Managed => ("A", "managed"),
        ResourceMode::Data => ("A", "data"),
        ResourceMode::Ephemeral => ("An", "ephemeral"),
        ResourceMode::Action => ("An", "action"),
    };
    let as_data = ResourceAddr {
        mode: ResourceMode::Data,
        ..resource.clone()
    };
    let hint = if resource.mode == ResourceMode::Managed && module.resource(&as_data).is_some() {
        format!("\n\nDid you mean the data resource {as_data}?")
    } else {
        String::new()
    };
    let profile = module.profile;
    let named = format!(
        "{kind} resource \"{}\" \"{}\"",
        resource.r#type, resource.name
    );
    let module = in_words(addr);
    let detail = match profile.has(feature::UNDEFINED_RESOURCES) {
        true => format!("There is no {named} definition in {module}.{hint}"),
        false => format!("{article} {named} has not been declared in {module}.{hint}"),
    };
    undeclared(reference, "Reference to undeclared resource", detail)
}

fn check_key(
    reference: &Reference,
    resource: &ResourceAddr,
    key: &InstanceKey,
    repetition: &Repetition,
) -> Option<Diagnostic> {
    let (argument, example, fault) = match (repetition, key) {
        (
            Repetition::Single | Repetition::Enabled(_),
            InstanceKey::Int(_) | InstanceKey::String(_),
        ) => {
            let detail = format!(
                "Because {resource} does not have \"count\" or \"for_each\" set, references to it must not include an index key. Remove the bracketed index to refer to the single instance of this resource."
            );
            let summary = "Unexpected resource instance key";
            let unexpected =
                Diagnostic::error("instance-key", summary, detail, reference.span.clone());
            let fault = Fault::InstanceKey(InstanceKeyFault::Unexpected);
            return Some(unexpected.with_fault(fault));
        }
        (Repetition::Count(_), InstanceKey::None) => {
            ("count", "count.index", InstanceKeyFault::MissingIndex)
        }
        (Repetition::ForEach(_), InstanceKey::None) => {
            ("for_each", "each.key", InstanceKeyFault::MissingKey)
        }
        (
            Repetition::Single
            | Repetition::Count(_)
            | Repetition::ForEach(_)
            | Repetition::Enabled(_),
            _,
        ) => return None,
    };
    let detail = format!(
        "Because {resource} has \"{argument}\" set, its attributes must be accessed on specific instances.\n\nFor example, to correlate with indices of a referring resource, use:\n    {resource}[{example}]"
    );
    let summary = "Missing resource instance key";
    let missing = Diagnostic::error("instance-key", summary, detail, reference.span.clone());
    Some(missing.with_fault(Fault::InstanceKey(fault)))
}
