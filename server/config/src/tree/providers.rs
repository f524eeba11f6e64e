//! How provider configurations are passed from module to module.
//!
//! Follows `validateProviderConfigs` of OpenTofu's `internal/configs`.

use std::collections::HashSet;

use indexmap::IndexMap;
use smol_str::SmolStr;
use syntax::ast::{self, ExprKind, StepKind};
use text::{Diagnostic, Severity, Span};

use super::ModuleTree;
use crate::addr::{ModuleAddr, ProviderAddr, ProviderConfigAddr, ResourceMode};
use crate::language_release::feature;
use crate::module::{Module, ModuleCall, ProviderRef, Repetition};

pub(super) fn check(tree: &ModuleTree, diagnostics: &mut Vec<Diagnostic>) {
    let before = diagnostics.len();
    for (addr, module) in tree.iter() {
        let module = &*module.module;
        check_passed_on(tree, addr, module, diagnostics);
        if module.profile.is_opentofu() {
            check_keys(module, diagnostics);
        }
        if let Some(callee) = callee(tree, addr, module) {
            callee.check_own(repeated(tree, addr), diagnostics);
            callee.check_passed(diagnostics);
            callee.check_types(diagnostics);
            callee.check_empty(diagnostics);
        }
    }
    // Terraform looks for the configurations that are passed when the calls themselves are right.
    let mut found = diagnostics[before..].iter();
    if !found.any(|it| it.severity == Severity::Error) {
        for (addr, module) in tree.iter() {
            if let Some(callee) = callee(tree, addr, &module.module) {
                callee.check_given(tree, diagnostics);
            }
        }
    }
}

fn callee<'a>(
    tree: &'a ModuleTree,
    addr: &'a ModuleAddr,
    module: &'a Module,
) -> Option<Callee<'a>> {
    let (caller, call) = tree.call(addr)?;
    Some(Callee {
        addr,
        module,
        caller,
        call,
    })
}

/// A called module, with its call.
struct Callee<'a> {
    addr: &'a ModuleAddr,
    module: &'a Module,
    caller: &'a Module,
    call: &'a ModuleCall,
}

/// Names that a module passes on have to mean something in it. An alias is checked where it is received.
fn check_passed_on(
    tree: &ModuleTree,
    addr: &ModuleAddr,
    module: &Module,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let received = tree.call(addr).map(|(_, call)| call);
    for call in module.module_calls.values() {
        for (child, passed) in call.providers.iter().filter(|(_, it)| it.alias.is_none()) {
            let name = &passed.name;
            let is_configured = is_configured(module, passed);
            let is_required = module.required_providers.contains_key(name);
            let default = ProviderAddr::implied(name).for_display();
            if !is_configured && !is_required {
                let detail = format!(
                    "There is no explicit declaration for local provider name \"{name}\" in {}, so Terraform is assuming you mean to pass a configuration for provider \"{default}\".\n\nTo clarify your intent and silence this warning, add to {} a required_providers entry named \"{name}\" with source = \"{default}\", or a different source address if appropriate.",
                    in_words(addr),
                    in_words(&addr.parent().unwrap_or_default()),
                );
                diagnostics.push(warning(
                    "Reference to undefined provider",
                    detail,
                    place(call, child),
                ));
            } else if let Some(received) = received
                && !is_configured
                && !received.providers.iter().any(|(child, _)| child == passed)
            {
                let detail = format!(
                    "The configuration for {} expects to inherit a configuration for provider {default} with local name \"{name}\", but {} doesn't pass a configuration under that name.\n\nTo satisfy this requirement, add an entry for \"{name}\" to the \"providers\" argument in the module \"{}\" block.",
                    in_words(addr),
                    in_words(&addr.parent().unwrap_or_default()),
                    received.name.text,
                );
                let summary = "Missing required provider configuration";
                diagnostics.push(warning(summary, detail, received.decl.span.clone()));
            }
        }
    }
}

/// A configuration with `for_each` is named with a key, and no other one is.
///
/// Follows `InstanceValidation` of OpenTofu's `internal/configs/resource.go`.
fn check_keys(module: &Module, diagnostics: &mut Vec<Diagnostic>) {
    let calls = module.module_calls.values().flat_map(|call| {
        let places = call.providers.iter().zip(&call.provider_spans);
        places.map(move |((child, passed), at)| {
            let mut keys = call.provider_keys.iter();
            let is_keyed = keys.any(|(name, _)| name == child);
            ("module", passed, is_keyed, at)
        })
    });
    let resources = module.resources.values().filter_map(|resource| {
        let (provider, at) = (
            resource.provider.as_ref()?,
            resource.provider_span.as_ref()?,
        );
        Some(("resource", provider, resource.provider_key.is_some(), at))
    });
    for (kind, provider, is_keyed, at) in calls.chain(resources) {
        let block = module.providers.get(provider);
        let is_instanced = block.is_some_and(|block| block.for_each.is_some());
        let detail = match (&provider.alias, is_keyed) {
            (None, true) => "An instance key can be specified only for a provider configuration which has an alias and uses for_each.".to_owned(),
            (Some(alias), true) if !is_instanced && !is_configured(module, provider) => format!(
                "This module doesn't declare a provider \"{}\" block with alias = \"{alias}\", which is required for use with for_each.",
                provider.name
            ),
            (Some(_), true) if !is_instanced => "An instance key can be specified only for a provider configuration that uses for_each.".to_owned(),
            (_, false) if is_instanced => "A reference to a provider configuration which uses for_each requires an instance key. Passing a collection of provider instances into a child module is not allowed.".to_owned(),
            _ => continue,
        };
        let summary = format!("Invalid {kind} provider configuration");
        diagnostics.push(error(&summary, detail, at.clone()));
    }
    warn_of_equal_keys(module, diagnostics);
}

/// Resources that lose their provider configuration together with an element of a collection.
///
/// Follows `providerIterationIdenticalWarning` of OpenTofu's `internal/configs/provider_validation.go`.
fn warn_of_equal_keys(module: &Module, diagnostics: &mut Vec<Diagnostic>) {
    let mut warn = |kind: &str, target: String, provider: &ProviderRef, repetition: &Repetition| {
        let keys = module
            .providers
            .get(provider)
            .and_then(|block| block.for_each.as_ref());
        if let (Some(keys), Repetition::ForEach(own)) = (keys, repetition)
            && crate::has_variables(&own.ast)
            && is_equal(&own.ast, &keys.ast)
        {
            let detail = format!(
                "This provider configuration uses the same for_each expression as a {kind}, which means that subsequent removal of elements from this collection would cause a planning error.\n\nOpenTofu relies on a provider instance to destroy resource instances that are associated with it, and so the provider instance must outlive all of its resource instances by at least one plan/apply round. For removal of instances to succeed in future you must structure the configuration so that the provider block's for_each expression can produce a superset of the instances of the resources associated with the provider configuration. Refer to the OpenTofu documentation for specific suggestions.\n\nTo destroy this object before removing the provider configuration, consider first performing a targeted destroy:\n    tofu apply -destroy -target={target}"
            );
            let summary = format!("Provider configuration for_each matches {kind}");
            diagnostics.push(warning(&summary, detail, own.span()));
        }
    };
    for call in module.module_calls.values() {
        for (child, passed) in &call.providers {
            if call.provider_keys.iter().any(|(name, _)| name == child) {
                let target = format!("module.{}", call.name.text);
                warn("module", target, passed, &call.repetition);
            }
        }
    }
    for resource in module.resources.values() {
        if let (Some(provider), true, ResourceMode::Managed) = (
            &resource.provider,
            resource.provider_key.is_some(),
            resource.addr.mode,
        ) {
            let target = resource.addr.to_string();
            warn("resource", target, provider, &resource.repetition);
        }
    }
}

/// Whether two expressions have the same text. Expressions that bind names never do.
fn is_equal(a: &ast::Expr, b: &ast::Expr) -> bool {
    match (&a.kind, &b.kind) {
        (ExprKind::Parens(a), _) => is_equal(a, b),
        (_, ExprKind::Parens(b)) => is_equal(a, b),
        (ExprKind::Traversal(a), ExprKind::Traversal(b)) => {
            let step = |step: &ast::Step| match &step.kind {
                StepKind::Attr(name) => format!(".{}", name.name),
                StepKind::Index(key) => format!("[{key:?}]"),
                StepKind::LegacyIndex(index) => format!(".{index}"),
            };
            a.root.name == b.root.name && a.steps.iter().map(step).eq(b.steps.iter().map(step))
        }
        (ExprKind::Call(a), ExprKind::Call(b)) => {
            let mut arguments = a.args.iter().zip(&b.args);
            a.name == b.name
                && a.args.len() == b.args.len()
                && arguments.all(|(a, b)| is_equal(a, b))
        }
        (ExprKind::Tuple(a), ExprKind::Tuple(b)) => {
            let mut elements = a.iter().zip(b);
            a.len() == b.len() && elements.all(|(a, b)| is_equal(a, b))
        }
        (ExprKind::Template(_), ExprKind::Template(_)) => {
            let text = a.as_literal_string();
            text.is_some() && text == b.as_literal_string()
        }
        _ => false,
    }
}

impl Callee<'_> {
    /// Configurations that the module has itself. `repeated` says where the module, or one that calls it, may have
    /// several instances.
    fn check_own(&self, repeated: Option<Span>, diagnostics: &mut Vec<Diagnostic>) {
        if let Some(at) = repeated
            && self.module.providers.values().any(|it| !it.body.is_empty())
        {
            let source = self.call.source.as_deref().unwrap_or_default();
            let detail = format!(
                "The module at {} is a legacy module which contains its own local provider configurations, and so calls to it may not use the count, for_each, or depends_on arguments.\n\nIf you also control the module \"{source}\", consider updating this module to instead expect provider configurations to be passed by its caller.",
                self.addr,
            );
            let summary = match self.caller.profile.has(feature::ENABLED) {
                true => "Module is incompatible with count, for_each, enabled and depends_on",
                false => "Module is incompatible with count, for_each, and depends_on",
            };
            diagnostics.push(error(summary, detail, at));
        }
        for (child, _) in &self.call.providers {
            if is_configured(self.module, child) {
                let detail = format!(
                    "The configuration of {} has its own local configuration for {child}, and so it cannot accept an overridden configuration provided by {}.",
                    self.addr,
                    self.caller_in_words(),
                );
                let summary = "Cannot override provider configuration";
                diagnostics.push(error(summary, detail, place(self.call, child)));
            }
        }
    }

    /// An alias that the module expects has to be passed, and a passed one has to be expected.
    fn check_passed(&self, diagnostics: &mut Vec<Diagnostic>) {
        let expected: HashSet<&ProviderRef> = expected_aliases(self.module).collect();
        for alias in expected_aliases(self.module) {
            if self.call.providers.contains_key(alias) || is_configured(self.module, alias) {
                continue;
            }
            let provider = self.module.provider_addr(&alias.name).for_display();
            let detail = format!(
                "The child module requires an additional configuration for provider {provider}, with the local name \"{alias}\".\n\nRefer to the module's documentation to understand the intended purpose of this additional provider configuration, and then add an entry for {alias} in the \"providers\" meta-argument in the module block to choose which provider configuration the module should use for that purpose.",
            );
            let summary = "Missing required provider configuration";
            diagnostics.push(error(summary, detail, self.call.decl.span.clone()));
        }
        for (child, _) in &self.call.providers {
            let is_required =
                child.alias.is_none() && self.module.required_providers.contains_key(&child.name);
            // A block, also an empty one, declares the name.
            if is_required || expected.contains(child) || self.module.providers.contains_key(child)
            {
                continue;
            }
            let provider = self.module.provider_addr(&child.name);
            let shown = provider.for_display();
            let summary = "Reference to undefined provider";
            diagnostics.push(if is_default(&provider, self.module) {
                let detail = format!(
                    "There is no explicit declaration for local provider name \"{child}\" in {}, so Terraform is assuming you mean to pass a configuration for \"{shown}\".\n\nIf you also control the child module, add a required_providers entry named \"{child}\" with the source address \"{shown}\".",
                    self.addr,
                );
                warning(summary, detail, place(self.call, child))
            } else {
                let detail = format!(
                    "The child module does not declare any provider requirement with the local name \"{child}\".\n\nIf you also control the child module, you can add a required_providers entry named \"{child}\" with the source address \"{shown}\" to accept this provider configuration.",
                );
                error(summary, detail, place(self.call, child))
            });
        }
    }

    fn check_types(&self, diagnostics: &mut Vec<Diagnostic>) {
        for (child, passed) in &self.call.providers {
            let expected = self.module.provider_addr(&child.name);
            let given = self.caller.provider_addr(&passed.name);
            if expected == given {
                continue;
            }
            let mut required = self.module.required_providers.iter();
            let other = required.find(|(_, it)| it.source.as_ref() == Some(&given));
            let (expected, given) = (expected.for_display(), given.for_display());
            let caller = self.caller_in_words();
            let detail = match other {
                Some((other, _)) => format!(
                    "The assigned configuration is for provider \"{given}\", but local name \"{}\" in {caller} represents \"{expected}\".\n\nTo pass this configuration to the child module, use the local name \"{other}\" instead.",
                    child.name,
                ),
                None => format!(
                    "The local name \"{passed}\" in {caller} represents provider \"{given}\", but \"{child}\" in {addr} represents \"{expected}\".\n\nEach provider has its own distinct configuration schema and provider types, so this module's \"{child}\" can be assigned only a configuration for {expected}, which is not required by {addr}.",
                    addr = self.addr,
                ),
            };
            diagnostics.push(error(
                "Provider type mismatch",
                detail,
                place(self.call, child),
            ));
        }
    }

    /// A configuration that is passed on has to be in the calling module, or passed to it.
    fn check_given(&self, tree: &ModuleTree, diagnostics: &mut Vec<Diagnostic>) {
        let addr = self.addr.parent().unwrap_or_default();
        let received = tree.call(&addr).map(|(_, call)| &call.providers);
        let expected: HashSet<&ProviderRef> = expected_aliases(self.caller).collect();
        for (child, passed) in &self.call.providers {
            // Only the root module has an implied configuration for a requirement.
            let is_required = addr.is_root()
                && passed.alias.is_none()
                && self.caller.required_providers.contains_key(&passed.name);
            let is_there = is_required
                || expected.contains(passed)
                || self.caller.providers.contains_key(passed)
                || received.is_some_and(|it| it.contains_key(passed));
            if !is_there {
                let missing = ProviderConfigAddr {
                    module: addr.clone(),
                    provider: self.caller.provider_addr(&passed.name),
                    alias: passed.alias.clone(),
                };
                let summary = format!("missing provider {missing}");
                diagnostics.push(error(&summary, String::new(), place(self.call, child)));
            }
        }
    }

    /// Blocks without content, by which modules once said that they expect a configuration.
    fn check_empty(&self, diagnostics: &mut Vec<Diagnostic>) {
        let mut by_name: IndexMap<&SmolStr, Vec<(&ProviderRef, &Span)>> = IndexMap::new();
        for (name, block) in &self.module.providers {
            if block.body.is_empty() {
                let found = by_name.entry(&name.name).or_default();
                found.push((name, &block.decl.span));
            }
        }
        for (name, mut blocks) in by_name {
            blocks.sort_by_key(|(name, _)| *name);
            let mut example = format!(
                "    {name} = {{\n      source = \"{}\"\n",
                self.module.provider_addr(name).for_display()
            );
            if blocks.iter().any(|(name, _)| name.alias.is_some()) {
                example += "      configuration_aliases = [\n";
                for (name, _) in &blocks {
                    example += &format!("        {name},\n");
                }
                example += "      ]\n";
            }
            let detail = format!(
                "Earlier versions of Terraform used empty provider blocks (\"proxy provider configurations\") for child modules to declare their need to be passed a provider configuration by their callers. That approach was ambiguous and is now deprecated.\n\nIf you control this module, you can migrate to the new declaration syntax by removing all of the empty provider \"{name}\" blocks and then adding or updating an entry like the following to the required_providers block of {}:\n{example}    }}",
                self.addr,
            );
            if let Some((_, at)) = blocks.first() {
                let summary = "Redundant empty provider block";
                diagnostics.push(warning(summary, detail, Span::clone(at)));
            }
        }
    }

    fn caller_in_words(&self) -> String {
        in_words(&self.addr.parent().unwrap_or_default())
    }
}

/// Whether the module has a provider block of this name with arguments.
fn is_configured(module: &Module, name: &ProviderRef) -> bool {
    let block = module.providers.get(name);
    block.is_some_and(|it| !it.body.is_empty())
}

/// The aliases that a module wants to be passed.
fn expected_aliases(module: &Module) -> impl Iterator<Item = &ProviderRef> {
    let required = module.required_providers.values();
    required.flat_map(|requirement| &requirement.configuration_aliases)
}

/// Where it is said that a module, or one that calls it, may have several instances or waits for others.
fn repeated(tree: &ModuleTree, addr: &ModuleAddr) -> Option<Span> {
    let mut addr = Some(addr.clone());
    while let Some(module) = addr {
        let (_, call) = tree.call(&module)?;
        let depends_on = || {
            call.depends_on
                .first()
                .map(|reference| reference.span.clone())
        };
        let at = match call.repetition.expr() {
            Some(expr) => Some(expr.span()),
            None => depends_on(),
        };
        if at.is_some() {
            return at;
        }
        addr = module.parent();
    }
    None
}

/// Whether it is the default provider of a local name that nothing declares.
fn is_default(provider: &ProviderAddr, module: &Module) -> bool {
    provider.host == module.profile.product.registry() && provider.namespace == "hashicorp"
}

fn in_words(addr: &ModuleAddr) -> String {
    match addr.is_root() {
        true => "the root module".to_owned(),
        false => addr.to_string(),
    }
}

/// Where a call passes the configuration that the called module calls `child`.
fn place(call: &ModuleCall, child: &ProviderRef) -> Span {
    let nth = call.providers.get_index_of(child);
    let span = nth.and_then(|nth| call.provider_spans.get(nth));
    span.unwrap_or(&call.decl.span).clone()
}

fn error(summary: &str, detail: String, at: Span) -> Diagnostic {
    Diagnostic::error("provider-wiring", summary, detail, at)
}

fn warning(summary: &str, detail: String, at: Span) -> Diagnostic {
    Diagnostic::warning("provider-wiring", summary, detail, at)
}
