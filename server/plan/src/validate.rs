//! Errors of a resource whatever values there are: nothing is planned, and no object is looked at.
//!
//! Follows `NodeValidatableResource` of OpenTofu's `internal/tofu`.

use std::sync::Arc;

use config::{IgnoreChanges, InstanceKey, Resource, ResourceMode};
use cty::{Mark, PathStep, Value};
use eval::{Expansion, Unexpanded, Variables};
use schema::{Block, Schema};
use syntax::ast;
use text::{Diagnostic, Span, Suggestion};

use crate::condition::{self, Whose, has_errors};
use crate::inputs::Inputs;
use crate::instance::{DesiredInstance, InstanceOptions, PreventDestroy, Reading};
use crate::objchange::IgnoreChanges as Ignored;
use crate::provisioners;
use crate::removal_action::RemovalAction;
use crate::resolved_provider::ResolvedProvider;
use crate::resource::{Prepared, Work, missing_schema};
use crate::result::{ModuleInstance, ResourceResult};
use crate::scope::DeclarationScope;
use crate::{PlanMode, prevent_destroy, trigger};

/// One instance stands for all.
pub(crate) fn prepare(
    inputs: &Inputs,
    module: &ModuleInstance,
    config: &Arc<Resource>,
    served: ResolvedProvider<'_>,
    scope: &DeclarationScope<'_>,
    task: InstanceOptions,
) -> Prepared {
    let addr = module.addr.resource(config.addr.clone());
    let (expansion, found) = eval::expand(&config.repetition, scope.context());
    let mut result = ResourceResult {
        addr: addr.clone(),
        provider: served.provider.clone(),
        config: Some(config.clone()),
        instances: Vec::new(),
        value: match config.addr.mode {
            ResourceMode::Ephemeral => Value::dynamic().mark(Mark::Ephemeral),
            ResourceMode::Managed | ResourceMode::Data => Value::dynamic(),
        },
        diagnostics: Vec::new(),
        caveat: None,
        is_state_unread: false,
        written: None,
    };
    if expansion != Expansion::Unknown(Unexpanded::Unknown) {
        result.diagnostics.extend(found);
    }
    let profile = inputs.environment.functions.profile;
    let (_, found) = prevent_destroy::evaluate(config, &addr, profile, scope);
    result.diagnostics.extend(found);
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
    let scope = scope.for_unknown_instance(&config.repetition);
    let lifecycle = &config.lifecycle;
    let with_self = scope.child(Variables::from([("self".into(), Value::dynamic())]));
    let rules = [
        (&lifecycle.preconditions, Whose::Precondition, &scope),
        (&lifecycle.postconditions, Whose::Postcondition, &with_self),
    ];
    for (rules, whose, scope) in rules {
        let found = condition::check(rules, whose, PlanMode::Validate, scope);
        result.diagnostics.extend(found);
    }
    result.diagnostics.extend(not_to_ignore(config, &schema));
    result
        .diagnostics
        .extend(provisioners::check(config, &with_self));
    let (block, ty) = (&schema.block, schema.implied_type());
    let decoded = eval::decode_as(&config.body, block, ty, &scope);
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
    };
    Prepared::Ask(Box::new(Work::of_one(result, desired)))
}

/// Entries of `ignore_changes` that name nothing.
fn not_to_ignore(config: &Resource, schema: &Schema) -> Vec<Diagnostic> {
    let IgnoreChanges::Paths(paths) = &config.lifecycle.ignore_changes else {
        return Vec::new();
    };
    let is_managed = config.addr.mode == ResourceMode::Managed;
    let problem = |ignored: &config::IgnoredPath| {
        let steps = trigger::path_of(&ignored.traversal).0;
        misread(&schema.block, &steps, |step| match step.checked_sub(1) {
            None => within(&ignored.span, ignored.traversal.root.range),
            Some(step) => within(&ignored.span, ignored.traversal.steps[step].range),
        })
    };
    paths
        .iter()
        .filter(|_| is_managed)
        .filter_map(problem)
        .collect()
}

/// A range of the segment that `span` is in.
fn within(span: &Span, range: text::TextRange) -> Span {
    Span {
        range,
        ..span.clone()
    }
}

/// Errors of steps into an object of this block, as far as the schema shows; `at` names the place of a step.
pub(crate) fn misread(
    block: &Block,
    steps: &[PathStep],
    at: impl Fn(usize) -> Span,
) -> Option<Diagnostic> {
    let traversed = match block.traverse(steps) {
        Ok(traversed) => traversed,
        Err(error) => {
            let at = at(error.step);
            let code = "unsupported-attribute";
            let unsupported = Diagnostic::error(code, error.summary, error.detail, at);
            let meant = Suggestion(error.meant.as_deref());
            return Some(unsupported.with_fault(meant));
        }
    };
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
                return Some(unsupported.with_fault(problem.fault));
            }
        };
    }
    None
}

/// The steps behind a reference as a path.
pub(crate) fn path_of_steps(steps: &[ast::Step]) -> Vec<PathStep> {
    steps.iter().map(trigger::step).collect()
}
