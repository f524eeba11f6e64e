//! Override files: their explicit arguments take the place of those of the primary files.

use std::sync::Arc;

use text::{Diagnostic, Span};

use super::provider_ref;
use crate::addr::ResourceMode;
use crate::declare::{
    DeclaredItem, Settings, module_references, output_references, resource_references,
};
use crate::module::{
    IgnoreChanges, Lifecycle, Module, ModuleCall, Output, OverriddenDefault, Repetition, Resource,
    Variable,
};
use crate::read::PLACE;
use crate::refs::Reference;

/// The configuration of one override file so far.
#[derive(Default)]
pub(super) struct FileSettings {
    backend: Option<Span>,
    encryption: Option<Span>,
}

pub(super) fn merge(
    module: &mut Module,
    file: &mut FileSettings,
    item: &DeclaredItem,
    diagnostics: &mut Vec<Diagnostic>,
) {
    match item {
        DeclaredItem::Settings(settings) => merge_settings(module, file, settings, diagnostics),
        DeclaredItem::Variable(over) => match module.variables.get_mut(&over.name.text) {
            Some(base) => merge_variable(Arc::make_mut(base), over),
            None => diagnostics.push(missing_base(
                "Missing base variable declaration to override",
                format!("There is no variable named \"{}\". An override file can only override a variable that was already declared in a primary configuration file.", over.name.text),
                &over.decl.span,
            )),
        },
        DeclaredItem::Local(over) => match module.locals.get_mut(&over.name.text) {
            Some(base) => *base = over.clone(),
            None => diagnostics.push(missing_base(
                "Missing base local value definition to override",
                format!("There is no local value named \"{}\". An override file can only override a local value that was already defined in a primary configuration file.", over.name.text),
                &over.decl.full_span,
            )),
        },
        DeclaredItem::Output(over) => match module.outputs.get_mut(&over.name.text) {
            Some(base) => merge_output(Arc::make_mut(base), over, diagnostics),
            None => diagnostics.push(missing_base(
                "Missing base output definition to override",
                format!("There is no output named \"{}\". An override file can only override an output that was already defined in a primary configuration file.", over.name.text),
                &over.decl.span,
            )),
        },
        DeclaredItem::Provider(over) => match (module.providers.get_mut(&provider_ref(over)), &over.alias) {
            (Some(base), _) => {
                let base = Arc::make_mut(base);
                base.body.merge(&over.body);
                base.decl.references.extend(over.decl.references.iter().cloned());
                base.decl.problems.extend(over.decl.problems.iter().cloned());
            }
            // No configuration means an empty one, which may be overridden.
            (None, None) => {
                module.providers.insert(provider_ref(over), over.clone());
            }
            (None, Some(alias)) => diagnostics.push(missing_base(
                "Missing base provider configuration for override",
                format!("There is no {} provider configuration with the alias \"{}\". An override file can only override an aliased provider configuration that was already defined in a primary configuration file.", over.name.text, alias.text),
                &over.decl.span,
            )),
        },
        DeclaredItem::ModuleCall(over) => match module.module_calls.get_mut(&over.name.text) {
            Some(base) => merge_call(Arc::make_mut(base), over, diagnostics),
            None => diagnostics.push(missing_base(
                "Missing module call to override",
                format!("There is no module call named \"{}\". An override file can only override a module call that was defined in a primary configuration file.", over.name.text),
                &over.decl.span,
            )),
        },
        // Terraform forgets them: `mergeFile` in its `internal/configs/module.go`.
        DeclaredItem::Resource(over)
            if over.addr.mode == ResourceMode::Ephemeral && !module.profile.is_opentofu() => {}
        DeclaredItem::Resource(over) => match module.resources.get_mut(&over.addr) {
            Some(base) => merge_resource(Arc::make_mut(base), over, diagnostics),
            None if over.addr.mode == ResourceMode::Action => diagnostics.push(missing_base(
                "Missing resource to override",
                format!("There is no action named \"{}\". An override file can only override a resource block defined in a primary configuration file.", over.addr.name),
                &over.decl.span,
            )),
            None => {
                let (what, block) = match over.addr.mode {
                    ResourceMode::Managed | ResourceMode::Action => ("resource", "resource"),
                    ResourceMode::Data => ("data resource", "data"),
                    ResourceMode::Ephemeral => ("ephemeral resource", "ephemeral"),
                };
                diagnostics.push(missing_base(
                    &format!("Missing {what} to override"),
                    format!("There is no {} {what} named \"{}\". An override file can only override a {block} block defined in a primary configuration file.", over.addr.r#type, over.addr.name),
                    &over.decl.span,
                ));
            }
        },
        DeclaredItem::Check(check) => diagnostics.push(missing_base(
            "Can't override check blocks",
            "Override files cannot override check blocks.".into(),
            &check.decl.span,
        )),
        DeclaredItem::Moved(moved) => diagnostics.push(missing_base(
            "Cannot override 'moved' blocks",
            "Records of moved objects can appear only in normal files, not in override files.".into(),
            &moved.decl.span,
        )),
        // In Terraform they have no effect.
        DeclaredItem::Removed(_) if !module.profile.is_opentofu() => {}
        DeclaredItem::Removed(removed) => diagnostics.push(missing_base(
            "Cannot override 'Removed' blocks",
            "Removed blocks can appear only in normal files, not in override files.".into(),
            &removed.decl.span,
        )),
        DeclaredItem::Import(import) => diagnostics.push(missing_base(
            "Cannot override 'import' blocks",
            "Import blocks can appear only in normal files, not in override files.".into(),
            &import.decl.span,
        )),
    }
}

fn missing_base(summary: &str, detail: String, at: &Span) -> Diagnostic {
    Diagnostic::error("invalid-override", summary, detail, at.clone())
}

fn refuse_depends_on(depends_on: &[Reference], diagnostics: &mut Vec<Diagnostic>) {
    if let Some(first) = depends_on.first() {
        let detail = "The depends_on argument may not be overridden.".into();
        diagnostics.push(missing_base("Unsupported override", detail, &first.span));
    }
}

fn merge_variable(base: &mut Variable, over: &Variable) {
    let (has_type, has_default) = (over.r#type.is_some(), over.default.is_some());
    if has_type || has_default {
        let before = base.overridden.take();
        let first_type = match &before {
            Some(before) => before.first_type.clone(),
            None => base.r#type.clone(),
        };
        base.overridden = Some(OverriddenDefault {
            has_type,
            has_default,
            default_type: match (has_default, before) {
                (true, _) => over.r#type.clone(),
                (false, Some(before)) => before.default_type,
                (false, None) => first_type.clone(),
            },
            first_type,
            span: over.decl.span.clone(),
        });
    }
    base.r#type = over.r#type.clone().or(base.r#type.take());
    base.default = over.default.clone().or(base.default.take());
    base.description = over.description.clone().or(base.description.take());
    base.deprecated = over.deprecated.clone().or(base.deprecated.take());
    for given in &over.given {
        match given.as_str() {
            "sensitive" => base.sensitive = over.sensitive,
            "ephemeral" => base.ephemeral = over.ephemeral,
            "nullable" => base.nullable = over.nullable,
            _ => {}
        }
    }
}

fn merge_output(base: &mut Output, over: &Output, diagnostics: &mut Vec<Diagnostic>) {
    base.r#type = over.r#type.clone().or(base.r#type.take());
    base.description = over.description.clone().or(base.description.take());
    base.deprecated = over.deprecated.clone().or(base.deprecated.take());
    if over.value.is_some() {
        base.value = over.value.clone();
        output_references(base);
    }
    for given in &over.given {
        match given.as_str() {
            "sensitive" => base.sensitive = over.sensitive,
            "ephemeral" => base.ephemeral = over.ephemeral,
            _ => {}
        }
    }
    refuse_depends_on(&over.depends_on, diagnostics);
}

fn merge_call(base: &mut ModuleCall, over: &ModuleCall, diagnostics: &mut Vec<Diagnostic>) {
    if over.source.is_some() || over.source_expr.is_some() {
        base.source = over.source.clone();
        base.source_span = over.source_span.clone();
        base.source_expr = over.source_expr.clone();
    }
    if over.version.is_some() || over.version_expr.is_some() {
        base.version = over.version.clone();
        base.version_expr = over.version_expr.clone();
    }
    merge_repetition(&mut base.repetition, &over.repetition);
    if !over.providers.is_empty() {
        base.providers = over.providers.clone();
        base.provider_keys = over.provider_keys.clone();
    }
    let mut body = base.body();
    body.merge(&over.body());
    base.arguments = body.attributes;
    refuse_depends_on(&over.depends_on, diagnostics);
    base.decl.problems.clear();
    module_references(base);
}

/// Both stay, if the files say different ones, and `count` comes first.
fn merge_repetition(base: &mut Repetition, over: &Repetition) {
    match (&base, over) {
        (_, Repetition::Single) | (Repetition::Count(_), Repetition::ForEach(_)) => {}
        (_, Repetition::Count(_) | Repetition::ForEach(_) | Repetition::Enabled(_)) => {
            *base = over.clone();
        }
    }
}

fn merge_resource(base: &mut Resource, over: &Resource, diagnostics: &mut Vec<Diagnostic>) {
    merge_repetition(&mut base.repetition, &over.repetition);
    if over.provider.is_some() {
        base.provider = over.provider.clone();
        base.provider_span = over.provider_span.clone();
        base.provider_key = over.provider_key.clone();
    }
    if !over.provisioning.is_empty() {
        base.provisioning = over.provisioning.clone();
    }
    merge_lifecycle(&mut base.lifecycle, &over.lifecycle);
    base.body.merge(&over.body);
    refuse_depends_on(&over.depends_on, diagnostics);
    base.decl.problems.clear();
    resource_references(base);
}

/// Conditions and `replace_triggered_by` of an override file have no effect in Terraform.
fn merge_lifecycle(base: &mut Lifecycle, over: &Lifecycle) {
    base.create_before_destroy = over.create_before_destroy.or(base.create_before_destroy);
    if over.prevent_destroy.is_some() {
        base.prevent_destroy = over.prevent_destroy.clone();
    }
    base.destroy = over.destroy.or(base.destroy);
    if over.ignore_changes != IgnoreChanges::default() {
        base.ignore_changes = over.ignore_changes.clone();
    }
}

fn merge_settings(
    module: &mut Module,
    file: &mut FileSettings,
    settings: &Settings,
    diagnostics: &mut Vec<Diagnostic>,
) {
    if let Some(version) = &settings.required_version {
        module.required_version = vec![version.clone()];
    }
    for requirement in settings
        .required_providers
        .iter()
        .flat_map(|block| &block.requirements)
    {
        module
            .required_providers
            .insert(requirement.name.text.clone(), requirement.clone());
    }
    for backend in &settings.backends {
        if let Some(first) = file.backend.replace(backend.decl.span.clone()) {
            let (summary, detail) = if backend.r#type == "cloud" {
                (
                    "Duplicate HCP Terraform configurations",
                    format!(
                        "A module may have only one 'cloud' block configuring HCP Terraform or Terraform Enterprise. The 'cloud' block was previously configured at {PLACE}."
                    ),
                )
            } else {
                (
                    "Duplicate backend configuration",
                    format!(
                        "Each override file may have only one backend configuration. A backend was previously configured at {PLACE}."
                    ),
                )
            };
            let at = backend.decl.span.clone();
            diagnostics.push(super::duplicate(summary.into(), detail, at, first));
            continue;
        }
        module.backend = Some(backend.clone());
    }
    for encryption in &settings.encryptions {
        if let Some(first) = file.encryption.replace(encryption.decl.span.clone()) {
            let detail = format!(
                "Each override file may have only one encryption configuration. Encryption was previously configured at {PLACE}."
            );
            let at = encryption.decl.span.clone();
            let summary = "Duplicate encryption configuration".into();
            diagnostics.push(super::duplicate(summary, detail, at, first));
            continue;
        }
        module.encryption.push(encryption.clone());
    }
}
