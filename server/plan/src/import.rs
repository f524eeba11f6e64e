//! The targets of `import` blocks.

use std::collections::HashSet;
use std::sync::Arc;

use config::language_release::feature;
use config::{
    Import, ImportKey, InstanceKey, ModuleInstanceAddr, ModuleStep, Product, Repetition, Resource,
    ResourceInstanceAddr,
};
use cty::{Mark, Type, Value};
use eval::{EvalContext, Variables, evaluate_expr, evaluate_expr_as};
use provider::ImportTarget as Named;
use schema::Schema;
use smol_str::SmolStr;
use text::{Diagnostic, Fault, Span};

use crate::moves::Modules;

/// An object that an instance takes over.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ImportTarget {
    pub addr: ResourceInstanceAddr,
    pub by: Named,
    /// The header of the block.
    pub block: Span,
}

/// The objects that a block means; `context` is that of the root module, `identity` how the provider names objects of
/// this type, if it does so otherwise than by an id.
pub(crate) fn targets(
    import: &Import,
    identity: Option<&Schema>,
    context: &EvalContext<'_>,
) -> (Vec<ImportTarget>, Vec<Diagnostic>) {
    let (each, mut diagnostics) = match &import.for_each {
        Some(expr) => each(expr, context),
        None => (vec![Variables::new()], Vec::new()),
    };
    // In Terraform the keys of an address have a scope of their own.
    let keys = EvalContext::empty().with_profile(context.profile());
    let is_opentofu = context.profile().is_opentofu();
    let mut targets = Vec::new();
    for variables in each {
        let keys = match is_opentofu {
            true => context.child(variables.clone()),
            false => keys.child(variables.clone()),
        };
        match target(import, identity, &keys, &context.child(variables)) {
            Ok(target) => targets.extend(target),
            Err(problems) => diagnostics.extend(problems),
        }
    }
    if !is_opentofu {
        targets = last_of_each_address(targets);
    }
    (targets, diagnostics)
}

/// In Terraform one block may give an instance several objects: the last one counts.
fn last_of_each_address(targets: Vec<ImportTarget>) -> Vec<ImportTarget> {
    let mut addrs = HashSet::new();
    let mut last: Vec<ImportTarget> = targets
        .into_iter()
        .rev()
        .filter(|target| addrs.insert(target.addr.clone()))
        .collect();
    last.reverse();
    last
}

/// The errors of the ids of a block whatever the values of variables are.
///
/// Follows `validateImportTargets` of Terraform's `internal/terraform/node_resource_validate.go`.
pub(crate) fn validate_ids(import: &Import, context: &EvalContext<'_>) -> Vec<Diagnostic> {
    let Some(expr) = import
        .id
        .as_ref()
        .filter(|_| !context.profile().is_opentofu())
    else {
        return Vec::new();
    };
    let (each, mut diagnostics) = match &import.for_each {
        Some(expr) => each(expr, context),
        None => (vec![Variables::new()], Vec::new()),
    };
    for variables in each {
        if let Err(found) = id(expr, &context.child(variables)) {
            diagnostics.extend(found);
        }
    }
    diagnostics.retain(|it| it.fault != Fault::UnknownUntilApply);
    diagnostics
}

/// `each` for every element: unlike those of resources they may come from a list, too. Terraform takes sensitive ones.
fn each(expr: &config::Expr, context: &EvalContext<'_>) -> (Vec<Variables>, Vec<Diagnostic>) {
    let (value, mut diagnostics) = evaluate_expr(expr, context);
    let mut fail = |detail: &str| {
        diagnostics.push(Diagnostic::error(
            "invalid-for-each",
            "Invalid for_each argument",
            detail,
            expr.span(),
        ));
    };
    let is_opentofu = context.profile().is_opentofu();
    if value.has_mark(&Mark::Sensitive) && is_opentofu {
        fail(
            "Sensitive values, or values derived from sensitive values, cannot be used as for_each arguments. If used, the sensitive value could be exposed as a resource instance key.",
        );
        return (Vec::new(), diagnostics);
    }
    let value = value.unmark().0;
    if !value.is_known() || !is_opentofu && !value.is_wholly_known() {
        fail(
            "The \"for_each\" expression includes values derived from other resource attributes that cannot be determined until apply, and so Terraform cannot determine the full set of values that might be used to import this resource.",
        );
        if let Some(unknown) = diagnostics.last_mut() {
            unknown.fault = Fault::UnknownUntilApply;
        }
        return (Vec::new(), diagnostics);
    }
    if value.is_null() && is_opentofu {
        fail(
            "The given \"for_each\" argument value is unsuitable: the given \"for_each\" argument value is null.",
        );
        return (Vec::new(), diagnostics);
    }
    if value.ty().is_set() && !value.is_wholly_known() && is_opentofu {
        fail(
            "The \"for_each\" set includes values derived from resource attributes that cannot be determined until apply, and so OpenTofu cannot determine the full set of keys that will identify the instances of this resource.",
        );
        if let Some(unknown) = diagnostics.last_mut() {
            unknown.fault = Fault::UnknownUntilApply;
        }
        return (Vec::new(), diagnostics);
    }
    let is_collection = value.as_slice().is_some() || value.as_map().is_some();
    if !value.is_null() && (!is_collection || is_opentofu && value.ty().is_list()) {
        fail(&match is_opentofu {
            true => format!(
                "The given \"for_each\" argument value is unsuitable: the \"for_each\" argument must be a map, set of strings, or a tuple, and you have provided a value of type {}.",
                value.ty().friendly_name()
            ),
            false => "The \"for_each\" expression must be a collection.".to_owned(),
        });
        return (Vec::new(), diagnostics);
    }
    let variables = |key: Value, value: &Value| eval::each(key, value.clone());
    let elements = value.as_slice().into_iter().flatten();
    let each = match value.ty() {
        Type::Set(_) => elements
            .map(|value| variables(value.clone(), value))
            .collect(),
        Type::List(_) | Type::Tuple(_) => elements
            .zip(0..)
            .map(|(value, index)| variables(Value::int(index), value))
            .collect(),
        _ => value
            .as_map()
            .into_iter()
            .flatten()
            .map(|(key, value)| variables(Value::string(key), value))
            .collect(),
    };
    (each, diagnostics)
}

/// One object; none where the error was reported without evaluation. `keys` is the scope of the keys in its address.
fn target(
    import: &Import,
    identity: Option<&Schema>,
    keys: &EvalContext<'_>,
    context: &EvalContext<'_>,
) -> Result<Option<ImportTarget>, Vec<Diagnostic>> {
    let step = |(call, key): &(SmolStr, ImportKey)| {
        Ok(ModuleStep {
            call: call.clone(),
            key: instance_key(key, keys)?,
        })
    };
    let steps: Result<Vec<ModuleStep>, Vec<Diagnostic>> =
        import.target.modules.iter().map(step).collect();
    let resource = ModuleInstanceAddr::new(steps?).resource(import.target.resource.clone());
    let addr = resource.instance(instance_key(&import.target.key, keys)?);
    let by = match (&import.id, &import.identity) {
        (Some(expr), _) => match id(expr, context)? {
            // OpenTofu imports nothing then.
            Named::Id(id) if id.is_empty() => return Ok(None),
            named => named,
        },
        (None, Some(expr)) => identity_of(expr, &addr, identity, context)?,
        (None, None) => return Ok(None),
    };
    let block = import.decl.span.clone();
    Ok(Some(ImportTarget { addr, by, block }))
}

fn id(expr: &config::Expr, context: &EvalContext<'_>) -> Result<Named, Vec<Diagnostic>> {
    let (value, diagnostics) = evaluate_expr_as(expr, &Type::String, context);
    if !diagnostics.is_empty() {
        return Err(diagnostics);
    }
    let error = |detail: &str| {
        let summary = "Invalid import id argument";
        vec![Diagnostic::error(
            "invalid-import",
            summary,
            detail,
            expr.span(),
        )]
    };
    let is_opentofu = context.profile().is_opentofu();
    if is_opentofu && value.has_mark(&Mark::Ephemeral) {
        return Err(error("The import ID cannot be ephemeral."));
    }
    if is_opentofu && value.has_mark(&Mark::Sensitive) && value.unmark().0.is_known() {
        return Err(error("The import id cannot be sensitive."));
    }
    let value = value.unmark().0;
    if value.is_null() {
        return Err(error("The import ID cannot be null."));
    }
    match value.as_str() {
        None => Err(until_apply(error(
            "The import block \"id\" argument depends on resource attributes that cannot be determined until apply, so Terraform cannot plan to import this resource.",
        ))),
        Some("") if !is_opentofu => Err(error(
            "The import ID value evaluates to an empty string, please provide a non-empty value.",
        )),
        Some(id) => Ok(Named::Id(id.to_owned())),
    }
}

fn until_apply(diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let unknown = |it: Diagnostic| it.with_fault(Fault::UnknownUntilApply);
    diagnostics.into_iter().map(unknown).collect()
}

/// Follows `evaluateImportIdentityExpression` of OpenTofu's `internal/tofu`.
fn identity_of(
    expr: &config::Expr,
    addr: &ResourceInstanceAddr,
    identity: Option<&Schema>,
    context: &EvalContext<'_>,
) -> Result<Named, Vec<Diagnostic>> {
    let error = |summary: &str, detail: &str| {
        vec![Diagnostic::error(
            "invalid-import",
            summary,
            detail,
            expr.span(),
        )]
    };
    let Some(identity) = identity else {
        let detail = format!(
            "The provider does not provide an identity schema for the resource type {:?}, which is required when trying to import the resource \"{addr}\" using identity-based import. Please ensure the resource type supports identity-based import.",
            addr.resource.r#type.as_str(),
        );
        let summary = "Unable to determine identity schema for import identity";
        return Err(error(summary, &detail));
    };
    let attributes = identity.block.attributes.iter();
    let types = attributes
        .clone()
        .map(|(name, it)| (name.clone(), it.ty.clone()));
    let optional = attributes.filter(|(_, it)| !it.required);
    let ty = Type::object_with_optional(types, optional.map(|(name, _)| name));
    let (value, diagnostics) = evaluate_expr_as(expr, &ty, context);
    if !diagnostics.is_empty() {
        return Err(diagnostics);
    }
    let wrong = |detail: &str| error("Invalid import identity argument", detail);
    let (value, marks) = value.unmark_deep();
    if value.is_null() {
        return Err(wrong("The import identity cannot be null."));
    }
    if !value.is_wholly_known() {
        return Err(until_apply(wrong(
            "The import block \"identity\" argument depends on resource attributes that cannot be determined until apply, so the import cannot be planned.",
        )));
    }
    if marks.contains(&Mark::Sensitive) {
        return Err(wrong("The import identity cannot be sensitive."));
    }
    if marks.contains(&Mark::Ephemeral) {
        return Err(wrong("The import identity cannot be ephemeral."));
    }
    Ok(Named::Identity(value))
}

/// Follows `parseImportToKeyExpression` of Terraform's `internal/terraform/eval_import.go`, and
/// `evaluateImportKeyExpression` of OpenTofu's `internal/tofu/eval_import.go`.
fn instance_key(
    key: &ImportKey,
    context: &EvalContext<'_>,
) -> Result<InstanceKey, Vec<Diagnostic>> {
    let expr = match key {
        ImportKey::Static(key) => return Ok(key.clone()),
        ImportKey::Expr(expr) => expr,
    };
    let is_opentofu = context.profile().is_opentofu();
    let (value, mut diagnostics) = evaluate_expr(expr, context);
    if !diagnostics.is_empty() {
        for it in diagnostics
            .iter_mut()
            .filter(|it| it.code == "unknown-variable" && !is_opentofu)
        {
            it.detail.push_str(
                "Only \"each.key\" and \"each.value\" can be used in import address index expressions.",
            );
        }
        return Err(diagnostics);
    }
    let error = |summary: &str, detail: &str| {
        vec![Diagnostic::error(
            "invalid-import",
            summary,
            detail,
            expr.span(),
        )]
    };
    let invalid_key = |detail: &str| {
        let summary = "Import block 'to' address contains an invalid key";
        let detail = format!("Import block contained a resource address using an index {detail}");
        error(summary, &detail)
    };
    if value.has_mark(&Mark::Sensitive) {
        return Err(match is_opentofu {
            true => invalid_key(
                "which is sensitive. Please ensure indexes used in the resource address of an import target are not sensitive",
            ),
            false => error(
                "Invalid index expression",
                "Import address index expression cannot be sensitive.",
            ),
        });
    }
    let value = value.unmark().0;
    if is_opentofu && !value.is_known() {
        return Err(invalid_key(
            "that will only be known after apply. Please ensure to use expressions that are known at plan time for the index of an import target",
        ));
    }
    if is_opentofu && value.is_null() {
        return Err(invalid_key(
            "which is null. Please ensure the expression for the index is not null",
        ));
    }
    let index = value.as_i64().and_then(|index| u64::try_from(index).ok());
    match (value.as_str(), index) {
        (Some(key), _) => Ok(InstanceKey::String(key.into())),
        (None, Some(index)) => Ok(InstanceKey::Int(index)),
        (None, None) if is_opentofu => Err(invalid_key("which is not valid")),
        (None, None) => Err(error(
            "Invalid address",
            "Invalid resource instance key: either a string or an integer is required.",
        )),
    }
}

/// The import blocks of the root module, and those that a release refuses in other modules.
fn imports_of<'a>(modules: &'a Modules<'_>) -> impl Iterator<Item = &'a Arc<Import>> {
    let counted = modules.iter().filter(|(addr, module)| {
        addr.is_root() || !module.profile.has(feature::IMPORTS_IN_MODULES)
    });
    counted.flat_map(|(_, module)| &module.imports)
}

/// Errors of import blocks that need no evaluation: they need a resource to import into, or, where its
/// configuration is to be generated, a place for one.
pub(crate) fn validate(
    modules: &Modules<'_>,
    is_generated: bool,
    product: Product,
) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let imports = imports_of(modules);
    for import in imports {
        let addr = import.target.config();
        match modules
            .get(&addr.module)
            .map(|it| it.resources.get(&addr.resource))
        {
            Some(Some(config)) => {
                diagnostics.extend(missing_key(import, &config.repetition, product));
                diagnostics.extend(other_provider(import, config, product));
            }
            Some(None) if is_generated => diagnostics.extend(not_generated(import, product)),
            Some(None) => diagnostics.push(without_resource(import, true, product)),
            None if is_generated && product == Product::OpenTofu => {
                diagnostics.extend(not_generated(import, product));
            }
            None => diagnostics.push(without_resource(import, false, product)),
        }
    }
    diagnostics
}

/// The error for a target that is not declared, in a module that is or is not.
fn without_resource(import: &Import, has_module: bool, product: Product) -> Diagnostic {
    let addr = import.target.config();
    let detail = match product {
        Product::Terraform if has_module && !can_be_generated(import) => {
            return not_generable(import);
        }
        Product::OpenTofu => format!(
            "The configuration for the given import {addr} does not exist. All target instances must have an associated configuration to be imported."
        ),
        Product::Terraform if addr.module.is_root() => format!(
            "The configuration for the given import target {addr} does not exist. If you wish to automatically generate config for this resource, use the -generate-config-out option within terraform plan. Otherwise, make sure the target resource exists within your configuration. For example:\n\n  terraform plan -generate-config-out=generated.tf"
        ),
        Product::Terraform => format!(
            "The configuration for the given import target {addr} does not exist. All target instances must have an associated configuration to be imported."
        ),
    };
    let at = match product {
        Product::Terraform => import.to_span.clone(),
        Product::OpenTofu => import.decl.span.clone(),
    };
    let summary = "Configuration for import target does not exist";
    Diagnostic::error("import-without-resource", summary, detail, at)
}

/// Terraform's error for a target that no configuration could be generated for.
fn not_generable(import: &Import) -> Diagnostic {
    let addr = import.target.config();
    let detail = match addr.module.is_root() {
        true => {
            "The given import block is not compatible with config generation. The -generate-config-out option cannot be used with import blocks which use for_each, or resources which use for_each or count.".to_owned()
        }
        false => format!(
            "Resource {addr} not found. Only resources within the root module are eligible for config generation."
        ),
    };
    let summary = "Configuration for import target does not exist";
    let at = import.to_span.clone();
    Diagnostic::error("import-without-resource", summary, detail, at)
}

/// An import into a resource that is declared uses the provider of that resource.
///
/// Follows `Config.addProviderRequirements` of OpenTofu's `internal/configs/config.go`.
fn other_provider(import: &Import, config: &Resource, product: Product) -> Option<Diagnostic> {
    let given = import.provider.as_ref()?;
    if !import.target.modules.is_empty() || config.provider.as_ref() == Some(given) {
        return None;
    }
    let detail = match (product, &config.provider) {
        (Product::Terraform, _) => {
            "The provider argument can only be specified in import blocks that will generate configuration.\n\nUse the provider argument in the target resource block to configure the provider for a resource with explicit provider configuration."
        }
        (Product::OpenTofu, None) => {
            "The provider argument in the target resource block must be specified and match the import block."
        }
        (Product::OpenTofu, Some(_)) => {
            "The provider argument in the target resource block must match the import block."
        }
    };
    let summary = "Invalid import provider argument";
    let at = import.to_span.clone();
    Some(Diagnostic::error("invalid-import", summary, detail, at))
}

/// Why no configuration can be generated for the target of a block, if that is so.
fn not_generated(import: &Import, product: Product) -> Option<Diagnostic> {
    if can_be_generated(import) {
        return None;
    }
    if product == Product::Terraform {
        return Some(not_generable(import));
    }
    let addr = import.target.config();
    let (summary, detail) = match addr.module.is_root() {
        true => (
            "Configuration generation for count and for_each resources not supported",
            format!(
                "The configuration for the given import {addr} does not exist. Configuration generation is only possible for resources that do not use count or for_each"
            ),
        ),
        false => (
            "Cannot generate configuration for resource inside sub-module",
            format!(
                "The configuration for the given import {addr} does not exist. Configuration generation is only possible for resources in the root module, and not possible for resources in sub-modules."
            ),
        ),
    };
    let at = import.decl.span.clone();
    Some(Diagnostic::error(
        "import-without-resource",
        summary,
        detail,
        at,
    ))
}

/// Whether a block imports one object of a resource without instances in the root module.
pub(crate) fn can_be_generated(import: &Import) -> bool {
    let target = &import.target;
    let has_no_key = target.key == ImportKey::Static(InstanceKey::None);
    has_no_key && target.modules.is_empty() && import.for_each.is_none()
}

/// Errors of import blocks that Terraform finds before it plans anything.
pub(crate) fn validate_targets(modules: &Modules<'_>, product: Product) -> Vec<Diagnostic> {
    let imports = imports_of(modules);
    let problem = |import: &Arc<Import>| {
        let addr = import.target.config();
        let module = modules.get(&addr.module);
        let is_terraform = product == Product::Terraform;
        match module.map(|it| it.resources.get(&addr.resource)) {
            Some(Some(config)) => missing_key(import, &config.repetition, product),
            None if is_terraform => Some(without_resource(import, false, product)),
            Some(None) if is_terraform && !can_be_generated(import) => Some(not_generable(import)),
            None | Some(None) => None,
        }
    };
    imports.filter_map(problem).collect()
}

/// With Terraform, a resource with several instances is imported into one of them, and any other one into no key.
pub(crate) fn missing_key(
    import: &Import,
    repetition: &Repetition,
    product: Product,
) -> Option<Diagnostic> {
    match &import.target.key {
        ImportKey::Static(key) => wrong_key(key, import, repetition, product),
        ImportKey::Expr(_) => None,
    }
}

/// The same for the key that an expression turned out to be.
pub(crate) fn wrong_key(
    key: &InstanceKey,
    import: &Import,
    repetition: &Repetition,
    product: Product,
) -> Option<Diagnostic> {
    let detail = match (key, repetition) {
        // OpenTofu says of any key that the configuration has no such instance.
        _ if product == Product::OpenTofu => return None,
        (InstanceKey::None, Repetition::Count(_)) => "The target resource is using count.",
        (InstanceKey::None, Repetition::ForEach(_)) => "The target resource is using for_each.",
        (InstanceKey::None, Repetition::Single | Repetition::Enabled(_))
        | (InstanceKey::Int(_), Repetition::Count(_))
        | (InstanceKey::String(_), Repetition::ForEach(_)) => return None,
        (InstanceKey::Int(_), _) => "The target resource does not use count.",
        (InstanceKey::String(_), _) => "The target resource does not use for_each.",
    };
    let summary = "Invalid import 'to' expression";
    let at = import.to_span.clone();
    Some(Diagnostic::error("invalid-import", summary, detail, at))
}

/// The error for a second object of the same instance, where evaluation showed that it is the same. OpenTofu shows the
/// first block, Terraform the address in the second one.
pub(crate) fn duplicate(first: &ImportTarget, second: &Import, product: Product) -> Diagnostic {
    let addr = &first.addr;
    Diagnostic::error(
        "duplicate-declaration",
        format!("Duplicate import configuration for {:?}", addr.to_string()),
        format!(
            "An import block for the resource \"{addr}\" was already declared. A resource can have only one import block."
        ),
        match product {
            Product::OpenTofu => first.block.clone(),
            Product::Terraform => second.to_span.clone(),
        },
    )
}

/// An instance that the resource of its name doesn't have.
pub(crate) fn undeclared(addr: &ResourceInstanceAddr) -> Diagnostic {
    Diagnostic::error(
        "import-without-resource",
        "Configuration for import target does not exist",
        format!(
            "The configuration for the given import {addr} does not exist. All target instances must have an associated configuration to be imported."
        ),
        None,
    )
}
