//! The plan, collected from the results of the nodes.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use config::language_release::feature;
use config::{ModuleInstanceAddr, Product, ProviderAddr, ResourceMode};
use cty::{Type, Value};
use provider::ProviderError;
use smol_str::SmolStr;
use text::Diagnostic;

use crate::inputs::Inputs;
use crate::node::{NodeId, NodeObject};
use crate::relevant::relevant_attributes;
use crate::result::NodeResult;
use crate::{Action, ModuleValues, Options, OutputChange, Plan, PlanMode, Resources};

/// The values of called modules among the results, by instance.
#[derive(Clone, Default)]
pub(super) struct Values(BTreeMap<ModuleInstanceAddr, Arc<ModuleValues>>);

impl Values {
    /// Takes in the result of a node.
    pub(super) fn add(&mut self, node: &NodeId, result: &NodeResult) {
        for (instance, value) in values_of(node, result) {
            let module = Arc::make_mut(self.0.entry(instance.clone()).or_default());
            if let Some((values, name)) = place(module, &node.object) {
                values.insert(name.clone(), value.clone());
            }
        }
    }

    /// Forgets the result of a node.
    pub(super) fn remove(&mut self, node: &NodeId, result: &NodeResult) {
        for (instance, _) in values_of(node, result) {
            let Some(module) = self.0.get_mut(instance) else {
                continue;
            };
            let module = Arc::make_mut(module);
            if let Some((values, name)) = place(module, &node.object) {
                values.remove(name);
            }
            if module.variables.is_empty() && module.locals.is_empty() && module.outputs.is_empty()
            {
                self.0.remove(instance);
            }
        }
    }
}

/// The values of a declaration in a called module, by instance.
fn values_of<'a>(
    node: &NodeId,
    result: &'a NodeResult,
) -> impl Iterator<Item = (&'a ModuleInstanceAddr, &'a Value)> {
    let is_listed = matches!(
        node.object,
        NodeObject::Variable(_) | NodeObject::Local(_) | NodeObject::Output(_)
    );
    let evaluated = match result {
        NodeResult::Value(evaluated) | NodeResult::Output(evaluated, _) => Some(evaluated),
        _ => None,
    };
    let evaluated = evaluated.filter(|_| is_listed && !node.module.is_root());
    evaluated.into_iter().flat_map(|it| it.values.iter())
}

fn place<'a>(
    module: &'a mut ModuleValues,
    object: &'a NodeObject,
) -> Option<(&'a mut BTreeMap<SmolStr, Value>, &'a SmolStr)> {
    match object {
        NodeObject::Variable(name) => Some((&mut module.variables, name)),
        NodeObject::Local(name) => Some((&mut module.locals, name)),
        NodeObject::Output(name) => Some((&mut module.outputs, name)),
        _ => None,
    }
}

/// All results, without those in `left_out`; `resources` is without them already. `modules` is the values among them.
pub(super) fn collect(
    inputs: &Inputs,
    resources: Resources,
    results: &BTreeMap<NodeId, NodeResult>,
    modules: &Values,
    left_out: &HashSet<NodeId>,
) -> Plan {
    let product = inputs.environment.functions.profile.product;
    let mut plan = Plan {
        mode: inputs.options.mode,
        product,
        applies_moves_alone: !inputs
            .environment
            .functions
            .profile
            .has(feature::MOVES_ARE_NO_REFRESH),
        resources,
        is_state_unread: inputs.state_caveat.is_some(),
        ..Plan::default()
    };
    // Resources are the last of all nodes.
    let is_resource = |node: &NodeId| matches!(node.object, NodeObject::Resource(_));
    let values = results.iter().take_while(|(node, _)| !is_resource(node));
    for (node, result) in values.filter(|(node, _)| !left_out.contains(node)) {
        add_diagnostics(&mut plan, result);
        add_result(&mut plan, node, result, product);
    }
    let mut modules = modules.clone();
    for (node, result) in left_out.iter().filter_map(|it| results.get_key_value(it)) {
        modules.remove(node, result);
    }
    plan.modules = modules.0;
    add_given(&mut plan, inputs);
    let is_selective = inputs.options.is_selective();
    if is_selective {
        plan.is_partial = true;
        plan.diagnostics.push(targeted(&inputs.options, product));
    }
    let is_generated = |plan: &Plan| plan.changes().any(|it| it.generated_config.is_some());
    if inputs.options.generate_config && is_generated(&plan) {
        plan.diagnostics.push(Diagnostic::warning(
            "config-generation",
            "Config generation is experimental",
            "Generating configuration during import is currently experimental, and the generated configuration format may change in future versions.",
            None,
        ));
    }
    let root = inputs.tree.root();
    let is_whole = !is_selective && root.unread.is_empty();
    for (name, stored) in &inputs.state.outputs {
        if is_whole && !root.outputs.contains_key(name) {
            plan.outputs.push(OutputChange {
                name: name.clone(),
                action: Action::Delete,
                before: stored.value.clone(),
                after: Value::null(Type::Dynamic),
                is_sensitive: stored.sensitive,
            });
        }
    }
    plan.is_reread = rereads_numbers(inputs, &plan);
    plan.outputs.sort_by(|a, b| a.name.cmp(&b.name));
    if inputs.options.refresh {
        plan.relevant_attributes = relevant_attributes(&plan, inputs);
    }
    plan
}

/// Whether the values that plugins read again hold a number, where that is a change.
fn rereads_numbers(inputs: &Inputs, plan: &Plan) -> bool {
    let profile = inputs.environment.functions.profile;
    if plan.mode != PlanMode::RefreshOnly || profile.has(feature::NUMBERS_READ_AGAIN) {
        return false;
    }
    let resources = plan.resources.values();
    let mut managed = resources
        .filter(|it| it.addr.resource.mode == ResourceMode::Managed && !it.provider.is_builtin());
    managed.any(|resource| {
        let mut values = resource.instances.iter().map(|it| &it.plan.value);
        values.any(|value| {
            let mut has_number = false;
            cty::walk(value, &mut |_, inner| {
                has_number |= *inner.ty() == Type::Number && inner.is_known() && !inner.is_null();
                !has_number
            });
            has_number
        })
    })
}

fn add_diagnostics(plan: &mut Plan, result: &NodeResult) {
    let diagnostics = match result {
        NodeResult::Value(evaluated) | NodeResult::Output(evaluated, _) => &*evaluated.diagnostics,
        NodeResult::Call(call) => &*call.diagnostics,
        NodeResult::ProviderConfig(configs) => {
            // Several instances with the same mistake report it once.
            for diagnostic in configs.diagnostics() {
                diagnostic.clone().add_to(&mut plan.diagnostics);
            }
            &[]
        }
        NodeResult::Provider(_) | NodeResult::Resource(_) => &[],
    };
    plan.diagnostics.extend(diagnostics.iter().cloned());
}

fn add_result(plan: &mut Plan, node: &NodeId, result: &NodeResult, product: Product) {
    match (&node.object, result) {
        (NodeObject::Provider(addr), NodeResult::Provider(provider)) => match &provider.schema {
            Ok(schema) => {
                plan.schemas.insert(addr.clone(), schema.clone());
            }
            Err(error) if plan.mode == PlanMode::Validate => {
                plan.diagnostics.push(unavailable(addr, error, product));
            }
            Err(_) => {}
        },
        (_, NodeResult::Output(_, change)) => plan.outputs.extend(change.clone()),
        (NodeObject::Variable(name), NodeResult::Value(evaluated)) if node.module.is_root() => {
            let value = evaluated.values.values().next();
            plan.variables
                .extend(value.map(|it| (name.clone(), it.clone())));
        }
        (NodeObject::Local(name), NodeResult::Value(evaluated)) if node.module.is_root() => {
            let value = evaluated.values.values().next();
            plan.locals
                .extend(value.map(|it| (name.clone(), it.clone())));
        }
        _ => {}
    }
}

/// The values that the root module's variables were given, or their defaults.
fn add_given(plan: &mut Plan, inputs: &Inputs) {
    for (name, variable) in &inputs.tree.root().variables {
        let given = match (inputs.variables.get(name), &variable.default) {
            // An ephemeral value is in no plan. Terraform's has the default all the same, which the text says.
            (Some(_), Some(_)) if variable.ephemeral => {
                let (default, _) = eval::variables::final_value(variable, None);
                Some(default.unmark_deep().0)
            }
            (Some(_), None) if variable.ephemeral => None,
            (Some(given), _) => given.as_given(variable),
            (None, Some(_)) => {
                let value = plan.variables.get(name).cloned();
                let value = value.unwrap_or_else(|| eval::variables::final_value(variable, None).0);
                Some(value.unmark_deep().0)
            }
            (None, None) => None,
        };
        plan.given.extend(given.map(|given| (name.clone(), given)));
    }
}

/// A provider that the configuration needs and can't have.
fn unavailable(addr: &ProviderAddr, error: &ProviderError, product: Product) -> Diagnostic {
    let (summary, detail) = match error {
        ProviderError::NotInstalled { .. } => (
            "Missing required provider",
            format!(
                "This configuration requires provider {addr}, but that provider isn't available. You may be able to install it automatically by running:\n  {} init",
                product.command()
            ),
        ),
        error => ("Failed to load plugin schemas", format!("{error}.")),
    };
    Diagnostic::error("provider", summary, detail, None)
}

/// As Terraform reminds of it.
fn targeted(options: &Options, product: Product) -> Diagnostic {
    let (one, all, is) = match (product, options.targets.is_empty()) {
        (Product::Terraform, true) => ("the -exclude option", "-exclude option is", "is"),
        (Product::Terraform, false) => ("the -target option", "-target option is", "is"),
        (Product::OpenTofu, _) => (
            "either the -target option or the -exclude option",
            "-target and -exclude options are",
            "are",
        ),
    };
    let name = product.name();
    Diagnostic::warning(
        "targeted",
        "Resource targeting is in effect",
        format!(
            "You are creating a plan with {one}, which means that the result of this plan may not represent all of the changes requested by the current configuration.\n\nThe {all} not for routine use, and {is} provided only for exceptional situations such as recovering from errors or mistakes, or when {name} specifically suggests to use it as part of an error message."
        ),
        None,
    )
}
