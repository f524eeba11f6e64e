//! The places where the loader reports references, and a command does not get to.

use std::collections::{HashMap, HashSet};

use config::{CheckRule, Expr, ModuleAddr, ProviderConfigAddr};
use text::{Places, Span};

use super::Engine;
use crate::PlanMode;
use crate::inputs::Inputs;
use crate::node::{NodeId, NodeObject, declaration};

impl Engine {
    pub(super) fn unreached(&self, inputs: &Inputs, left_out: &HashSet<NodeId>) -> Places {
        // The outputs of a module have the declarations of their own.
        let declared = left_out
            .iter()
            .filter(|it| !matches!(it.object, NodeObject::Called(_)));
        let declared = declared.flat_map(|node| {
            let places = places_of(inputs, node).into_iter();
            places.map(|it| (node.module.clone(), it))
        });
        let unused = self.unused_configs(inputs);
        let hidden = self.hidden_references(inputs);
        let all = declared.chain(unused).chain(hidden);
        let all = in_all_calls(inputs, all);
        all.iter().collect()
    }

    /// The provider configurations that no object of a plan uses: Terraform does not evaluate them, only `validate` does.
    fn unused_configs(&self, inputs: &Inputs) -> Vec<(ModuleAddr, Span)> {
        let mut unused = Vec::new();
        if inputs.options.mode == PlanMode::Validate {
            return unused;
        }
        for (addr, module) in inputs.tree.iter() {
            for (named, block) in &module.module.providers {
                let config = ProviderConfigAddr {
                    module: addr.clone(),
                    provider: module.module.provider_addr(&named.name),
                    alias: named.alias.clone(),
                };
                if !self.provider_configs.contains(&config) {
                    unused.push((addr.clone(), block.decl.full_span.clone()));
                }
            }
        }
        unused
    }
}

/// The places that are not reached in any call of their module: the calls of a directory share its files.
fn in_all_calls(inputs: &Inputs, places: impl Iterator<Item = (ModuleAddr, Span)>) -> Vec<Span> {
    let mut calls: HashMap<&str, usize> = HashMap::new();
    for (_, module) in inputs.tree.iter() {
        *calls.entry(&module.dir).or_default() += 1;
    }
    let mut unreached: HashMap<Span, HashSet<ModuleAddr>> = HashMap::new();
    for (addr, place) in places {
        unreached.entry(place).or_default().insert(addr);
    }
    let is_in_all = |addrs: &HashSet<ModuleAddr>| {
        let addr = addrs.iter().next();
        let module = addr.and_then(|addr| inputs.tree.get(addr));
        module.is_some_and(|it| calls.get(&*it.dir) == Some(&addrs.len()))
    };
    let unreached = unreached.into_iter().filter(|(_, addrs)| is_in_all(addrs));
    unreached.map(|(place, _)| place).collect()
}

/// The places of a declaration. The data source of a check is one of its own.
fn places_of(inputs: &Inputs, node: &NodeId) -> Vec<Span> {
    let Some(module) = inputs.tree.module(&node.module) else {
        return Vec::new();
    };
    if let NodeObject::Check(name) = &node.object {
        let asserts = module
            .checks
            .get(name)
            .into_iter()
            .flat_map(|it| &it.asserts);
        return asserts.flat_map(CheckRule::exprs).map(Expr::span).collect();
    }
    let decl = declaration(module, node);
    decl.map(|it| it.full_span.clone()).into_iter().collect()
}
