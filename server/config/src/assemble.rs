//! Puts the declarations of all files together; override files are merged last.

mod merge;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::Hash;
use std::mem::discriminant;
use std::sync::Arc;

use text::{Diagnostic, Span};

use crate::addr::{ProviderAddr, ResourceInstanceAddr};
use crate::declare::{DeclaredItem, Settings};
use crate::language_release::feature;
use crate::load::FileDecls;
use crate::module::{Backend, Check, Decl, Import, Module, Provider, ProviderRef, Resource};
use crate::read::PLACE;
use crate::table::Table;
use crate::{Product, Profile};

pub(crate) fn assemble(
    files: &[FileDecls],
    module: &mut Module,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let mut imports = HashMap::new();
    for file in files {
        let mut overridden = merge::FileSettings::default();
        let mut checks = Vec::new();
        for segment in &file.segments {
            // Terraform refuses check blocks in override files without reading them.
            let is_unread =
                file.is_override && matches!(segment.items[..], [DeclaredItem::Check(_)]);
            if !is_unread {
                diagnostics.extend(segment.diagnostics.iter().cloned());
            }
            for item in &segment.items {
                match item {
                    _ if file.is_override => {
                        merge::merge(module, &mut overridden, item, diagnostics);
                    }
                    DeclaredItem::Check(check) => checks.push(check),
                    _ => append(module, item, &mut imports, diagnostics),
                }
            }
        }
        // Their data sources come after all others of the file.
        for check in checks {
            append_check(module, check, diagnostics);
        }
    }
    check_implied_names(module, diagnostics);
}

/// Provider blocks and resources whose name implies a provider that is required under another name.
///
/// Source: `validateProviderConfigs` of OpenTofu's `internal/configs/provider_validation.go`.
fn check_implied_names(module: &Module, diagnostics: &mut Vec<Diagnostic>) {
    for (name, requirement) in module.required_providers.iter() {
        let Some(source) = &requirement.source else {
            continue;
        };
        let implied = &source.r#type;
        let host = module.profile.product.registry();
        if module.required_providers.contains_key(implied)
            || *source != ProviderAddr::implied_on(host, implied)
        {
            continue;
        }
        if module.providers.keys().any(|it| it.name == *implied) {
            let display = source.for_display();
            diagnostics.push(required_twice(
                format!(
                    "Provider {display} with the local name \"{name}\" was implicitly required via a configuration block as \"{implied}\". The provider configuration block name must match the name used in required_providers."
                ),
                requirement.span.clone(),
            ));
        }
        let resources = module.resources.values().filter(|it| it.provider.is_none());
        for resource in resources.filter(|it| it.addr.implied_provider() == implied.as_str()) {
            let addr = &resource.addr;
            diagnostics.push(required_twice(
                format!(
                    "Provider \"{source}\" was implicitly required via resource \"{addr}\", but listed in required_providers as \"{name}\". Either the local name in required_providers must match the resource name, or the \"{name}\" provider must be assigned within the resource block."
                ),
                resource.decl.span.clone(),
            ));
        }
    }
}

fn required_twice(detail: String, at: Span) -> Diagnostic {
    let summary = "Duplicate required provider";
    Diagnostic::warning("duplicate-declaration", summary, detail, at)
}

/// Puts `after` in the place of `before`, provided that the rest of the module can't tell the difference; false if it may.
/// The module had no duplicates before.
pub(crate) fn replace(module: &mut Module, before: &DeclaredItem, after: &DeclaredItem) -> bool {
    fn put<K: Hash + Eq, T>(
        table: &mut Table<K, T>,
        key: &K,
        before: &Arc<T>,
        after: &Arc<T>,
    ) -> bool {
        // It is another one when an override file was merged into it.
        match table
            .get_mut(key)
            .filter(|known| Arc::ptr_eq(known, before))
        {
            Some(known) => {
                *known = after.clone();
                true
            }
            None => false,
        }
    }
    match (before, after) {
        (DeclaredItem::Variable(b), DeclaredItem::Variable(a)) if b.name.text == a.name.text => {
            put(&mut module.variables, &a.name.text, b, a)
        }
        (DeclaredItem::Local(b), DeclaredItem::Local(a)) if b.name.text == a.name.text => {
            put(&mut module.locals, &a.name.text, b, a)
        }
        (DeclaredItem::Output(b), DeclaredItem::Output(a)) if b.name.text == a.name.text => {
            put(&mut module.outputs, &a.name.text, b, a)
        }
        // Which keys the references of others need depends on the kind of repetition.
        (DeclaredItem::Resource(b), DeclaredItem::Resource(a))
            if b.addr == a.addr
                && b.provider == a.provider
                && discriminant(&b.repetition) == discriminant(&a.repetition) =>
        {
            put(&mut module.resources, &a.addr, b, a)
        }
        _ => false,
    }
}

fn append(
    module: &mut Module,
    item: &DeclaredItem,
    imports: &mut HashMap<ResourceInstanceAddr, Span>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    match item {
        DeclaredItem::Settings(settings) => append_settings(module, settings, diagnostics),
        DeclaredItem::Variable(variable) => {
            let name = variable.name.text.clone();
            insert(
                &mut module.variables,
                &mut module.duplicates.variables,
                name,
                variable,
                |v| &v.decl,
                diagnostics,
                |v| {
                    (
                        "Duplicate variable declaration".into(),
                        format!(
                            "A variable named \"{}\" was already declared at {PLACE}. Variable names must be unique within a module.",
                            v.name.text
                        ),
                    )
                },
            );
        }
        DeclaredItem::Local(local) => {
            // A local value is reported by the whole argument.
            let name = local.name.text.clone();
            let at = |local: &crate::module::Local| local.decl.full_span.clone();
            if let Some(existing) = module.locals.insert(name.clone(), local.clone()) {
                let detail = format!(
                    "A local value named \"{name}\" was already defined at {PLACE}. Local value names must be unique within a module."
                );
                let summary = "Duplicate local value definition";
                diagnostics.push(duplicate(summary.into(), detail, at(local), at(existing)));
                module.duplicates.locals.push(local.clone());
            }
        }
        DeclaredItem::Output(output) => {
            let name = output.name.text.clone();
            insert(
                &mut module.outputs,
                &mut module.duplicates.outputs,
                name,
                output,
                |o| &o.decl,
                diagnostics,
                |o| {
                    (
                        "Duplicate output definition".into(),
                        format!(
                            "An output named \"{}\" was already defined at {PLACE}. Output names must be unique within a module.",
                            o.name.text
                        ),
                    )
                },
            );
        }
        DeclaredItem::Provider(provider) => {
            let key = provider_ref(provider);
            insert(
                &mut module.providers,
                &mut module.duplicates.providers,
                key,
                provider,
                |p| &p.decl,
                diagnostics,
                |p| {
                    let name = &p.name.text;
                    let detail = match &p.alias {
                        None => format!(
                            "A default (non-aliased) provider configuration for \"{name}\" was already given at {PLACE}. If multiple configurations are required, set the \"alias\" argument for alternative configurations."
                        ),
                        Some(alias) => format!(
                            "A provider configuration for \"{name}\" with alias \"{}\" was already given at {PLACE}. Each configuration for the same provider must have a distinct alias.",
                            alias.text
                        ),
                    };
                    ("Duplicate provider configuration".into(), detail)
                },
            );
        }
        DeclaredItem::ModuleCall(call) => {
            let name = call.name.text.clone();
            insert(
                &mut module.module_calls,
                &mut module.duplicates.module_calls,
                name,
                call,
                |c| &c.decl,
                diagnostics,
                |c| {
                    (
                        "Duplicate module call".into(),
                        format!(
                            "A module call named \"{}\" was already defined at {PLACE}. Module calls must have unique names within a module.",
                            c.name.text
                        ),
                    )
                },
            );
        }
        DeclaredItem::Resource(resource) => {
            let addr = resource.addr.clone();
            insert(
                &mut module.resources,
                &mut module.duplicates.resources,
                addr,
                resource,
                |r| &r.decl,
                diagnostics,
                |r| {
                    let (summary, what) = resource_words(r);
                    (
                        summary,
                        format!(
                            "{what} named \"{}\" was already declared at {PLACE}. Resource names must be unique per type in each module.",
                            r.addr.name
                        ),
                    )
                },
            );
        }
        DeclaredItem::Check(_) => {}
        DeclaredItem::Moved(moved) => module.moved.push(moved.clone()),
        DeclaredItem::Removed(removed) => module.removed.push(removed.clone()),
        DeclaredItem::Import(import) => append_import(module, import, imports, diagnostics),
    }
}

/// Adds a declaration, or reports that there is one with this key.
fn insert<K: Clone + Hash + Eq, T>(
    table: &mut Table<K, T>,
    duplicates: &mut Vec<Arc<T>>,
    key: K,
    item: &Arc<T>,
    decl: fn(&T) -> &Decl,
    diagnostics: &mut Vec<Diagnostic>,
    words: impl FnOnce(&T) -> (String, String),
) {
    if let Some(existing) = table.insert(key, item.clone()) {
        let (summary, detail) = words(item);
        let (at, first) = (decl(item).span.clone(), decl(existing).span.clone());
        diagnostics.push(duplicate(summary, detail, at, first));
        duplicates.push(item.clone());
    }
}

fn duplicate(summary: String, detail: String, at: Span, first: Span) -> Diagnostic {
    Diagnostic::error("duplicate-declaration", summary, detail, at)
        .with_related(first, "first declaration")
}

fn provider_ref(provider: &Provider) -> ProviderRef {
    let alias = provider.alias.as_ref().map(|alias| alias.text.clone());
    ProviderRef {
        name: provider.name.text.clone(),
        alias,
    }
}

/// The summary of a duplicate, and the words for the first declaration.
fn resource_words(resource: &Resource) -> (String, String) {
    use crate::addr::ResourceMode::{Action, Data, Ephemeral, Managed};
    let r#type = &resource.addr.r#type;
    let (block, what) = match resource.addr.mode {
        Managed => ("resource", format!("A {type} resource")),
        Data => ("data", format!("A {type} data resource")),
        Ephemeral => ("ephemeral resource", format!("A {type} ephemeral resource")),
        Action => ("action", "An action".to_owned()),
    };
    (format!("Duplicate {block} \"{type}\" configuration"), what)
}

/// Two blocks that name one instance are reported without evaluation, if it takes none to see it. `named` has the places
/// of those before.
fn append_import(
    module: &mut Module,
    import: &Arc<Import>,
    named: &mut HashMap<ResourceInstanceAddr, Span>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    module.imports.push(import.clone());
    let instance = import.target.instance();
    let names_object = import.id.is_some()
        || import.identity.is_some()
        || module.profile.has(feature::IMPORTS_OF_NOTHING);
    let Some(addr) = instance.filter(|_| import.for_each.is_none() && names_object) else {
        return;
    };
    match named.entry(addr) {
        Entry::Vacant(place) => {
            place.insert(import.decl.span.clone());
        }
        Entry::Occupied(first) => {
            let addr = match module.profile.is_opentofu() {
                true => first.key().to_string(),
                false => import.target.config().to_string(),
            };
            diagnostics.push(duplicate(
                format!("Duplicate import configuration for {addr:?}"),
                format!(
                    "An import block for the resource \"{addr}\" was already declared at {PLACE}. A resource can have only one import block."
                ),
                match module.profile.is_opentofu() {
                    true => import.decl.span.clone(),
                    false => import.to_span.clone(),
                },
                first.get().clone(),
            ));
        }
    }
}

fn append_check(module: &mut Module, check: &Arc<Check>, diagnostics: &mut Vec<Diagnostic>) {
    if let Some(data) = &check.data
        && let Some(existing) = module.resource(&data.addr)
    {
        let (summary, kind) = resource_words(data);
        let detail = format!(
            "A {} {kind} named \"{}\" was already declared at {PLACE}. Resource names must be unique per type in each module, including within check blocks.",
            data.addr.r#type, data.addr.name
        );
        diagnostics.push(duplicate(
            summary,
            detail,
            data.decl.span.clone(),
            existing.decl.span.clone(),
        ));
        module.duplicates.checks.push(check.clone());
        return;
    }
    let name = check.name.text.clone();
    insert(
        &mut module.checks,
        &mut module.duplicates.checks,
        name,
        check,
        |c| &c.decl,
        diagnostics,
        |c| {
            let name = &c.name.text;
            (
                format!("Duplicate check \"{name}\" configuration"),
                format!(
                    "A check block named \"{name}\" was already declared at {PLACE}. Check blocks must be unique within each module."
                ),
            )
        },
    );
}

fn append_settings(module: &mut Module, settings: &Settings, diagnostics: &mut Vec<Diagnostic>) {
    module
        .required_version
        .extend(settings.required_version.clone());
    module
        .compatible_with
        .extend(settings.compatible_with.clone());
    for block in &settings.required_providers {
        if let Some(first) = &module.required_providers_span {
            let detail = format!(
                "A module may have only one required providers configuration. The required providers were previously configured at {PLACE}."
            );
            let summary = "Duplicate required providers configuration".into();
            diagnostics.push(duplicate(
                summary,
                detail,
                block.span.clone(),
                first.clone(),
            ));
            continue;
        }
        module.required_providers_span = Some(block.span.clone());
        let mut known: HashMap<&ProviderAddr, &str> = HashMap::new();
        for requirement in &block.requirements {
            let source = requirement.source.as_ref();
            if let Some(source) = source
                && let Some(first) = known.get(source)
            {
                diagnostics.push(required_twice(
                    format!(
                        "Provider {} with the local name \"{}\" was previously required as \"{first}\". A provider can only be required once within required_providers.",
                        source.for_display(),
                        requirement.name.text,
                    ),
                    requirement.span.clone(),
                ));
            }
            if let Some(source) = source {
                known.entry(source).or_insert(&requirement.name.text);
            }
            module
                .required_providers
                .insert(requirement.name.text.clone(), requirement.clone());
        }
    }
    for backend in &settings.backends {
        match &module.backend {
            None => module.backend = Some(backend.clone()),
            Some(first) => diagnostics.push(second_backend(first, backend, module.profile)),
        }
    }
    for encryption in &settings.encryptions {
        match module.encryption.first() {
            None => module.encryption.push(encryption.clone()),
            Some(first) => diagnostics.push(duplicate(
                "Duplicate encryption configuration".into(),
                format!(
                    "A module may have only one encryption configuration. Encryption was previously configured at {PLACE}."
                ),
                encryption.decl.span.clone(),
                first.decl.span.clone(),
            )),
        }
    }
    for meta in &settings.provider_metas {
        let name = meta.provider.text.clone();
        insert(
            &mut module.provider_metas,
            &mut module.duplicates.provider_metas,
            name,
            meta,
            |m| &m.decl,
            diagnostics,
            |m| {
                (
                    "Duplicate provider_meta block".into(),
                    format!(
                        "A provider_meta block for provider \"{}\" was already declared at {PLACE}. Providers may only have one provider_meta block per module.",
                        m.provider.text
                    ),
                )
            },
        );
    }
}

fn second_backend(first: &Backend, second: &Backend, profile: Profile) -> Diagnostic {
    let is_quoting = profile.has(feature::QUOTED_BACKENDS);
    let (at, place) = (second.decl.span.clone(), first.decl.span.clone());
    let (cloud, backend) = match (first.r#type == "cloud", second.r#type == "cloud") {
        (false, false) => {
            let detail = format!(
                "A module may have only one backend configuration. The backend was previously configured at {PLACE}."
            );
            let summary = match is_quoting {
                true => "Duplicate 'backend' configuration block",
                false => "Duplicate backend configuration",
            };
            return duplicate(summary.into(), detail, at, place);
        }
        (true, true) => {
            let detail = format!(
                "A module may have only one 'cloud' block configuring HCP Terraform or Terraform Enterprise. The 'cloud' block was previously configured at {PLACE}."
            );
            let summary = match profile.product {
                Product::Terraform => "Duplicate HCP Terraform configurations",
                Product::OpenTofu => "Duplicate cloud configurations",
            };
            return duplicate(summary.into(), detail, at, place);
        }
        (true, false) => (place, at),
        (false, true) => (at, place),
    };
    let detail = format!(
        "A module may declare either one 'cloud' block OR one 'backend' block configuring a state backend. The 'cloud' block is configured at {PLACE}; a backend is configured at {PLACE}. Remove the backend block to configure HCP Terraform or Terraform Enteprise."
    );
    let summary = match profile.product {
        Product::Terraform if is_quoting => {
            "Conflicting 'cloud' and 'backend' configuration blocks are present"
        }
        Product::Terraform => "Both a backend and cloud configuration are present",
        Product::OpenTofu => "Both a backend and a cloud configuration are present",
    };
    Diagnostic::error("duplicate-declaration", summary, detail, backend.clone())
        .with_related(cloud, "the cloud block")
        .with_related(backend, "the backend block")
}
