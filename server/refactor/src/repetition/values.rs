//! The values that decide the number of instances, as far as they are known.

use std::collections::BTreeSet;

use config::ModuleInstanceAddr;
use cty::Value;
use plan::Plan;
use smol_str::SmolStr;
use syntax::ast::{Expr, ExprKind, StepKind};

use crate::kind::RefactoringContext;
use crate::site::Site;

/// The instances of the module that a block is in.
pub(crate) fn instances<'a>(
    scene: &RefactoringContext<'a>,
    site: &Site<'a>,
) -> impl Iterator<Item = (ModuleInstanceAddr, &'a Plan)> {
    scene.plans.iter().flat_map(|(tree, plan)| {
        let here = tree.iter().filter(|(_, module)| module.dir == *site.dir);
        here.flat_map(|(addr, _)| match addr.is_root() {
            true => vec![(ModuleInstanceAddr::root(), *plan)],
            false => {
                let all = plan.instances_of(addr).into_iter();
                all.map(|it| (it.clone(), *plan)).collect()
            }
        })
    })
}

/// The argument of `toset`.
pub fn of_set(expr: &Expr) -> Option<&Expr> {
    match &expr.kind {
        ExprKind::Call(call) if call.name == "toset" => call.args.first(),
        _ => None,
    }
}

/// Strings that are spelled out.
pub fn literals(expr: &Expr) -> Option<Vec<SmolStr>> {
    match &expr.kind {
        ExprKind::Tuple(elements) => elements.iter().map(Expr::as_quoted_string).collect(),
        _ => None,
    }
}

/// The value of the only element of an object that is spelled out.
pub fn only_value(site: &Site<'_>, expr: &Expr) -> Option<String> {
    let ExprKind::Object(items) = &expr.kind else {
        return None;
    };
    let [item] = items.as_slice() else {
        return None;
    };
    let text = site.text(item.value.range);
    Some(match item.value.kind {
        ExprKind::Binary { .. } | ExprKind::Conditional(_) | ExprKind::Unary { .. } => {
            format!("({text})")
        }
        _ => text.to_owned(),
    })
}

/// The values that an expression has in the instances of the module: of a literal, or of a whole variable or local value.
pub fn values(scene: &RefactoringContext<'_>, site: &Site<'_>, expr: &Expr) -> Vec<Value> {
    if !config::refs::has_variables(expr) {
        return vec![eval::evaluate(expr, &eval::EvalContext::empty()).value];
    }
    let named = expr.as_traversal().and_then(|traversal| {
        let [step] = traversal.steps.as_slice() else {
            return None;
        };
        match &step.kind {
            StepKind::Attr(name) => Some((traversal.root.name.clone(), name.name.clone())),
            StepKind::Index(_) | StepKind::LegacyIndex(_) => None,
        }
    });
    let Some((root, name)) = named else {
        return Vec::new();
    };
    let value = |(module, plan): (ModuleInstanceAddr, &Plan)| {
        let of_module = plan.modules.get(&module);
        let values = match (root.as_str(), module.is_root()) {
            ("var", true) => &plan.variables,
            ("local", true) => &plan.locals,
            ("var", false) => &of_module?.variables,
            ("local", false) => &of_module?.locals,
            _ => return None,
        };
        values.get(&name).cloned()
    };
    instances(scene, site).filter_map(value).collect()
}

/// Of `length(LIST)`: the list as it is written, and its strings, which are all different and the same everywhere.
pub fn listed(
    scene: &RefactoringContext<'_>,
    site: &Site<'_>,
    expr: &Expr,
) -> Option<(String, Vec<SmolStr>)> {
    let list = match &expr.kind {
        ExprKind::Call(call) if call.name == "length" => call.args.first()?,
        _ => return None,
    };
    let strings = |value: Value| -> Option<Vec<SmolStr>> {
        let value = value.unmark_deep().0;
        let is_list = value.ty().is_list() || value.ty().is_tuple();
        let is_known = is_list && value.is_wholly_known();
        let mut elements = value.elements().filter(|_| is_known);
        is_known.then_some(())?;
        elements
            .by_ref()
            .map(|(_, it)| it.as_str().map(SmolStr::from))
            .collect()
    };
    let mut all: Vec<_> = values(scene, site, list)
        .into_iter()
        .map(strings)
        .collect::<Option<_>>()?;
    all.dedup();
    let [strings] = all.as_slice() else {
        return None;
    };
    let different: BTreeSet<_> = strings.iter().collect();
    (different.len() == strings.len()).then(|| (site.text(list.range).to_owned(), strings.clone()))
}
