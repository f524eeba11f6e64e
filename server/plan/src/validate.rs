//! Errors of a resource whatever values there are: nothing is planned, and no object is looked at.
//!
//! Follows `NodeValidatableResource` of OpenTofu's `internal/tofu`.

use std::sync::Arc;

use config::language_release::feature;
use config::{
    IgnoreChanges, InstanceKey, Product, Profile, Reference, Repetition, Resource, ResourceMode,
};
use cty::{Mark, Path, PathStep, Value};
use eval::{Expansion, Unexpanded, Variables};
use schema::{Block, DeprecatedStep, Schema};
use syntax::ast;
use text::{Diagnostic, Span, Suggestion};

use crate::condition::{self, ConditionKind, has_errors};
use crate::inputs::Inputs;
use crate::instance::{DesiredInstance, InstanceOptions, PreventDestroy, Reading};
use crate::objchange::IgnoreChanges as Ignored;
use crate::provisioners;
use crate::removal_action::RemovalAction;
use crate::resolved_provider::ResolvedProvider;
use crate::resource::{Prepared, Work, missing_schema};
use crate::result::{ModuleInstance, ResourceResult};
use crate::scope::DeclarationScope;
use crate::{PlanMode, deprecated, prevent_destroy, trigger, unread};

/// One instance represents all. The problems of its imports are known already.
pub(crate) fn prepare(
    inputs: &Inputs,
    module: &ModuleInstance,
    config: &Arc<Resource>,
    served: ResolvedProvider<'_>,
    scope: &DeclarationScope<'_>,
    task: InstanceOptions,
    of_imports: Vec<Diagnostic>,
) -> Prepared {
    let addr = module.addr.resource(config.addr.clone());
    let profile = inputs.environment.functions.profile;
    let (expansion, found) = eval::expand(&config.repetition, scope.context());
    let mut result = ResourceResult {
        addr: addr.clone(),
        provider: served.provider.clone(),
        config: Some(config.clone()),
        instances: Vec::new(),
        value: value(config, None, profile),
        diagnostics: of_imports,
        caveat: None,
        is_state_unread: false,
        written: None,
    };
    let is_left_to_plan = match (&config.repetition, profile.product) {
        // OpenTofu reports no error of an expression without a value before it plans.
        (Repetition::ForEach(_), Product::OpenTofu) => {
            let has_value =
                |it: &Diagnostic| ["invalid-for-each", "duplicate-key"].contains(&it.code);
            has_errors(&found) && !found.iter().all(has_value)
        }
        _ => false,
    };
    if expansion != Expansion::Unknown(Unexpanded::Unknown) && !is_left_to_plan {
        result.diagnostics.extend(found);
    }
    let of_prevent_destroy = prevent_destroy::validate(config, &addr, scope);
    result.diagnostics.extend(of_prevent_destroy);
    let Some(provider_config) = served.any() else {
        return Prepared::Done(Box::new(result));
    };
    let schema = match missing_schema(provider_config, config, &served.provider) {
        Ok(schema) => schema,
        Err(problem) => {
            result.diagnostics.extend(problem.map(|it| *it));
            return Prepared::Done(Box::new(result));
        }
    };
    result.value = value(config, Some(&schema), profile);
    let scope = scope.for_unknown_instance(&config.repetition);
    let lifecycle = &config.lifecycle;
    let with_self = scope.child(Variables::from([("self".into(), Value::dynamic())]));
    let rules = [
        (
            &lifecycle.preconditions,
            ConditionKind::Precondition,
            &scope,
        ),
        (
            &lifecycle.postconditions,
            ConditionKind::Postcondition,
            &with_self,
        ),
    ];
    for (rules, whose, scope) in rules {
        let found = condition::check(rules, whose, PlanMode::Validate, scope);
        result.diagnostics.extend(found);
    }
    result
        .diagnostics
        .extend(not_to_ignore(config, &schema.block, profile));
    let object = Value::unknown(schema.implied_type().clone());
    let of_object = scope.child(Variables::from([("self".into(), object)]));
    let found = provisioners::check(config, &of_object);
    result.diagnostics.extend(found);
    let (block, ty) = (&schema.block, schema.implied_type());
    let decoded = eval::decode_as(&config.body, block, ty, &scope);
    // Terraform evaluates no body that refers wrongly, which is reported for itself.
    let unread = unread::unread(&config.body, &decoded.diagnostics);
    if refers_wrongly(inputs, module, config, &unread) {
        return Prepared::Done(Box::new(result));
    }
    let is_fine = !has_errors(&decoded.diagnostics);
    result.diagnostics.extend(decoded.diagnostics);
    if config.addr.mode != ResourceMode::Ephemeral {
        let ephemeral = eval::reject_ephemeral(&config.body, block, &decoded.value, profile);
        let ephemeral = ephemeral.into_iter().map(|it| it.about(&addr.config()));
        result.diagnostics.extend(ephemeral);
    }
    if !is_fine {
        return Prepared::Done(Box::new(result));
    }
    let desired = DesiredInstance {
        addr: addr.instance(InstanceKey::None),
        previous_addr: None,
        provider_addr: served.provider,
        provider: provider_config.provider.clone(),
        provider_meta: None,
        provider_generation: provider_config.generation,
        schema,
        each_value: None,
        config: decoded.value,
        prior: None,
        moved_from: None,
        import: None,
        generated: None,
        ignore_changes: Ignored::Paths(Vec::new()),
        create_before_destroy: false,
        prevent_destroy: PreventDestroy::No,
        removal_action: RemovalAction::Destroyed,
        force_replace: None,
        task,
        is_in_check: false,
        reading: Reading::PutOff,
        triggered: Vec::new(),
    };
    Prepared::Ask(Box::new(Work::of_one(result, desired)))
}

/// The value of a resource for others, as `GetResource` of OpenTofu's and Terraform's `evaluate.go` has it.
fn value(config: &Resource, schema: Option<&Schema>, profile: Profile) -> Value {
    let is_ephemeral = config.addr.mode == ResourceMode::Ephemeral;
    let has_types = profile.has(feature::RESOURCE_TYPES_IN_VALIDATION)
        && (profile.is_opentofu() || !is_ephemeral);
    let value = match (schema.filter(|_| has_types), &config.repetition) {
        (None, _) | (_, Repetition::Count(_) | Repetition::ForEach(_)) => Value::dynamic(),
        (Some(schema), Repetition::Single | Repetition::Enabled(_)) => {
            let unknown = Value::unknown(schema.implied_type().clone());
            let attributes = unknown_attributes(schema);
            match (profile.product, &config.repetition) {
                (Product::Terraform, _) => attributes,
                (Product::OpenTofu, Repetition::Single) => {
                    let marked = schema.block.mark_sensitive(&attributes, []);
                    if marked.contains_marked() {
                        marked
                    } else {
                        unknown
                    }
                }
                (Product::OpenTofu, _) => unknown,
            }
        }
    };
    match is_ephemeral {
        true => value.mark(Mark::Ephemeral),
        false => value,
    }
}

fn unknown_attributes(schema: &Schema) -> Value {
    let attributes = schema.implied_type().attributes().into_iter().flatten();
    Value::object(attributes.map(|(name, ty)| (name.clone(), Value::unknown(ty.clone()))))
}

/// Whether the arguments of a resource that its schema has contain an undeclared or invalid reference. Such a resource is not
/// evaluated.
fn refers_wrongly(
    inputs: &Inputs,
    module: &ModuleInstance,
    config: &Resource,
    unread: &[Span],
) -> bool {
    let addr = module.addr.module();
    let declared = inputs.tree.module(&addr);
    let is_wrong = |reference: &Reference| {
        declared.is_some_and(|it| config::check_reference(it, &addr, reference).is_some())
    };
    let is_read = |it: &&Reference| !unread::is_unread(unread, &it.span);
    config::refs::has_misread(&config.body)
        || config::refs::body_references(&config.body)
            .iter()
            .filter(is_read)
            .any(is_wrong)
}

/// Entries of `ignore_changes` that name nothing, something deprecated, or an attribute that only the provider sets.
pub(crate) fn not_to_ignore(config: &Resource, block: &Block, profile: Profile) -> Vec<Diagnostic> {
    let IgnoreChanges::Paths(paths) = &config.lifecycle.ignore_changes else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for ignored in paths
        .iter()
        .filter(|_| config.addr.mode == ResourceMode::Managed)
    {
        let steps = trigger::path_of(&ignored.traversal).0;
        let warn = |step: &DeprecatedStep, at| deprecated::ignored(step, profile, at);
        found.extend(misread(block, &steps, warn, |step| {
            match step.checked_sub(1) {
                None => within(&ignored.span, ignored.traversal.root.range),
                Some(step) => within(&ignored.span, ignored.traversal.steps[step].range),
            }
        }));
        let path = Path(steps);
        let decided = block
            .attribute_at(&path)
            .filter(|it| it.computed && !it.optional);
        if !has_errors(&found) && decided.is_some() {
            let path = path.to_string();
            let detail = format!(
                "Adding an attribute name to ignore_changes tells Terraform to ignore future changes to the argument in configuration after the object has been created, retaining the value originally configured.\n\nThe attribute {} is decided by the provider alone and therefore there can be no configured value to compare with. Including this attribute in ignore_changes has no effect. Remove the attribute from ignore_changes to quiet this warning.",
                path.trim_start_matches('.')
            );
            let summary = "Redundant ignore_changes element";
            let at = config.r#type.span.clone();
            found.push(Diagnostic::warning("redundant-ignore", summary, detail, at));
        }
    }
    found
}

/// A range of the segment that `span` is in.
fn within(span: &Span, range: text::TextRange) -> Span {
    Span {
        range,
        ..span.clone()
    }
}

/// Faults of steps into an object of this block, as far as the schema shows; `at` names the place of a step.
pub(crate) fn misread(
    block: &Block,
    steps: &[PathStep],
    warn: impl Fn(&DeprecatedStep, Span) -> Option<Diagnostic>,
    at: impl Fn(usize) -> Span,
) -> Vec<Diagnostic> {
    let traversed = match block.traverse(steps) {
        Ok(traversed) => traversed,
        Err(error) => {
            let at = at(error.step);
            let code = "unsupported-attribute";
            let unsupported = Diagnostic::error(code, error.summary, error.detail, at);
            let meant = Suggestion(error.meant.as_deref());
            return vec![unsupported.with_fault(meant)];
        }
    };
    let mut found = Vec::new();
    if let Some(deprecated) = &traversed.deprecated {
        found.extend(warn(deprecated, at(deprecated.step)));
    }
    let mut value = Value::unknown(traversed.ty);
    for (index, step) in steps.iter().enumerate().skip(traversed.steps) {
        let span = at(index);
        let taken = match step {
            PathStep::GetAttr(name) => eval::get_attr(&value, name, span.range),
            PathStep::Index(key) => eval::index(&value, key, span.range),
        };
        value = match taken {
            Ok(value) => value,
            Err(problem) => {
                let code = "unsupported-attribute";
                let unsupported = Diagnostic::error(code, problem.summary, problem.detail, span);
                found.push(unsupported.with_fault(problem.fault));
                break;
            }
        };
    }
    found
}

/// The steps behind a reference as a path.
pub(crate) fn path_of_steps(steps: &[ast::Step]) -> Vec<PathStep> {
    steps.iter().map(trigger::step).collect()
}
