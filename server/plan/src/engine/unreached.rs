//! The places where the loader reports references, and a command does not get to.

use std::collections::HashSet;

use config::{CheckRule, Expr, ProviderConfigAddr};
use text::{Places, Span};

use super::Engine;
use crate::PlanMode;
use crate::inputs::Inputs;
use crate::node::{NodeId, Object, declaration};

impl Engine {
    pub(super) fn unreached(&self, inputs: &Inputs, left_out: &HashSet<NodeId>) -> Places {
        // The outputs of a module have the declarations of their own.
        let declared = left_out
            .iter()
            .filter(|it| !matches!(it.object, Object::Called(_)));
        let declared = declared.flat_map(|node| places_of(inputs, node));
        let unused = self.unused_configs(inputs);
        let hidden = self.hidden_references(inputs);
        let all: Vec<Span> = declared.chain(unused).chain(hidden).collect();
        all.iter().collect()
    }

    /// The provider configurations that no object of a plan uses: Terraform does not evaluate them, only `validate` does.
    fn unused_configs(&self, inputs: &Inputs) -> Vec<Span> {
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
                    unused.push(block.decl.full_span.clone());
                }
            }
        }
        unused
    }
}

/// The places of a declaration. The data source of a check is one of its own.
fn places_of(inputs: &Inputs, node: &NodeId) -> Vec<Span> {
    let Some(module) = inputs.tree.module(&node.module) else {
        return Vec::new();
    };
    if let Object::Check(name) = &node.object {
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
