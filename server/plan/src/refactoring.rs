//! Errors of `moved`, `removed` and `import` blocks that only a plan finds.

use std::collections::{BTreeMap, BTreeSet};

use config::{
    AbsResourceAddr, InstanceKey, ModuleInstanceAddr, Product, ResourceInstanceAddr, Target,
};
use text::{Diagnostic, Span, line_breaks};

use crate::caveat::Caveat;
use crate::expansion::Shape;
use crate::inputs::Inputs;
use crate::moves::{DeclaredInstances, unresolved, validate};
use crate::node::NodeId;
use crate::result::NodeResult;
use crate::{Plan, PlanMode, condition, import, removed};

type Results = BTreeMap<NodeId, NodeResult>;

pub(crate) fn problems(inputs: &Inputs, plan: &Plan, results: &Results) -> Vec<Diagnostic> {
    let modules = inputs.modules();
    let product = inputs.environment.functions.profile.product;
    if inputs.options.mode == PlanMode::Validate {
        let mut problems = import::validate_targets(&modules, product);
        problems.extend(config::unpassed_aliases(inputs.tree.root()));
        return problems;
    }
    // Nothing is planned then.
    if let Some(left_out) = moves_left_out(inputs) {
        return vec![left_out];
    }
    let mut problems = removed::validate(&modules, product);
    let is_generated = inputs.options.generate_config;
    problems.extend(import::validate(&modules, is_generated, product));
    if !inputs.move_statements.is_empty() {
        let statements = &inputs.move_statements;
        let declared = declared(inputs, plan, results);
        problems.extend(validate(statements, &modules, &declared, &|span| {
            place(inputs, span)
        }));
    }
    let has_errors = condition::has_errors(&problems) || plan.has_errors();
    if !(has_errors && inputs.options.leaves_out()) {
        problems.extend(unresolved(&inputs.moves));
    }
    problems
}

/// The `moved` blocks of the root module without an object to move. An empty state says nothing of them: the objects may
/// be in another one.
pub(crate) fn idle_moves(inputs: &Inputs) -> Vec<Span> {
    if inputs.state.resources.is_empty() {
        return Vec::new();
    }
    let statements = inputs.move_statements.iter().enumerate();
    let idle = statements.filter(|(index, statement)| {
        !statement.is_implied
            && statement.from.module.is_root()
            && inputs.moves.idle.contains(index)
    });
    idle.map(|(_, statement)| statement.span.clone()).collect()
}

/// Objects that moved have to be planned at both addresses, whatever the plan is said to be about.
///
/// Follows `prePlanVerifyTargetedMoves` of OpenTofu's `internal/tofu`.
fn moves_left_out(inputs: &Inputs) -> Option<Diagnostic> {
    let options = &inputs.options;
    let is_named = |targets: &[Target], addr: &ResourceInstanceAddr| {
        targets.iter().any(|target| target.contains(addr))
    };
    let is_left_out = |addr: &ResourceInstanceAddr| match options.targets.is_empty() {
        true => is_named(&options.excludes, addr),
        false => !is_named(&options.targets, addr),
    };
    let moved = inputs.moves.moved.iter();
    let left_out = moved.flat_map(|(to, moved)| [&moved.from, to]);
    let left_out = left_out.filter(|addr| is_left_out(addr));
    let left_out: BTreeSet<AbsResourceAddr> =
        left_out.map(ResourceInstanceAddr::resource).collect();
    if left_out.is_empty() {
        return None;
    }
    let product = inputs.environment.functions.profile.product;
    let (option, problem, remedy, effect) = match options.targets.is_empty() {
        true => (
            "-exclude",
            "exclude some of those resource instances",
            "just specifically remove the following options",
            "removing",
        ),
        false => (
            "-target",
            "do not fully cover all of those resource instances",
            "add the following additional target options",
            "adding",
        ),
    };
    let list: String = left_out
        .iter()
        .map(|addr| format!("\n  {option}=\"{addr}\""))
        .collect();
    let detail = format!(
        "Resource instances in your current state have moved to new addresses in the latest configuration. {product} must include those resource instances while planning in order to ensure a correct result, but your {option}=... options {problem}.\n\nTo create a valid plan, either remove your {option}=... options altogether or {remedy}:{list}\n\nNote that {effect} these options may include further additional resource instances in your plan, in order to respect object dependencies."
    );
    let summary = "Moved resource instances excluded by targeting";
    Some(Diagnostic::error("targeted-move", summary, detail, None))
}

/// The instances that were planned.
fn declared(inputs: &Inputs, plan: &Plan, results: &Results) -> DeclaredInstances {
    let mut declared = DeclaredInstances::default();
    declared.modules.insert(ModuleInstanceAddr::root());
    for result in results.values() {
        if let NodeResult::Call(call) = result {
            // The instance that stands for unknown ones is not declared.
            let known = call
                .shapes
                .iter()
                .filter(|(_, shape)| **shape != Shape::Unknown);
            let instances = known.flat_map(|(caller, _)| call.instances_of(caller));
            let addrs = instances.map(|instance| instance.addr.clone());
            declared.modules.extend(addrs);
        }
    }
    for instance in &declared.modules {
        let module = inputs.tree.module(&instance.module());
        let calls = module
            .into_iter()
            .flat_map(|module| module.module_calls.keys());
        let calls = calls.map(|call| (instance.clone(), call.clone()));
        declared.calls.extend(calls);
    }
    for resource in plan.resources.values() {
        let caveat = resource.caveat.as_ref();
        if resource.config.is_none() || caveat.is_some_and(Caveat::is_about_instances) {
            continue;
        }
        let wanted = resource.instances.iter().filter(|it| it.is_wanted());
        let keys = wanted.map(|instance| instance.key.clone()).collect();
        declared.resources.insert(resource.addr.clone(), keys);
    }
    declare_import_targets(inputs, &mut declared);
    declared
}

/// Terraform takes an import target that nothing declares for a resource with a single instance.
///
/// Follows `ConfigTransformer` of Terraform's `internal/terraform/transform_config.go`.
fn declare_import_targets(inputs: &Inputs, declared: &mut DeclaredInstances) {
    if inputs.environment.functions.profile.product != Product::Terraform {
        return;
    }
    for import in &inputs.tree.root().imports {
        let target = import.target.config();
        for instance in &declared.modules {
            if instance.module() == target.module {
                let addr = instance.resource(target.resource.clone());
                let keys = declared.resources.entry(addr);
                keys.or_insert_with(|| BTreeSet::from([InstanceKey::None]));
            }
        }
    }
}

/// `main.tf:1,1`: the file as seen from the root module, and where in it the span begins.
fn place(inputs: &Inputs, span: &Span) -> String {
    let root = inputs.environment.functions.base_dir.to_string_lossy();
    let path = span.file.path();
    let name = path
        .strip_prefix(&*root)
        .map_or(path, |name| name.trim_start_matches('/'));
    let file = inputs
        .tree
        .iter()
        .find_map(|(_, module)| module.module.files.get(&span.file));
    let Some((file, range)) = file.and_then(|file| Some((file, file.resolve(span)?))) else {
        return name.to_owned();
    };
    let before = &file.text()[..usize::from(range.start())];
    let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
    format!("{name}:{},{column}", line_breaks(before) + 1)
}
