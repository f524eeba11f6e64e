//! A plan in the making, with a label at each resource that waits for a provider.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use config::{ModuleAddr, Resource};
use cty::budget::Cancel;
use futures_util::stream::BoxStream;
use futures_util::{FutureExt, StreamExt, stream};

use super::Engine;
use crate::caveat::Caveat;
use crate::inputs::Inputs;
use crate::node::{Dependencies, NodeId, Object};
use crate::{Plan, resource};

/// Asks a plan in the making for all that it knows so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PublishRequest {
    Planned,
    /// The same, if that is much more than what was known last.
    MuchMore,
    /// The same, with labels at the resources that wait for a provider.
    Waiting,
}

/// Requests to a plan in the making.
pub struct Asks(BoxStream<'static, PublishRequest>);

impl Asks {
    pub fn none() -> Asks {
        Asks(stream::pending().boxed())
    }

    /// The next one, however long that takes.
    pub(super) async fn next(&mut self) -> PublishRequest {
        match self.0.next().await {
            Some(ask) => ask,
            None => std::future::pending().await,
        }
    }

    pub(super) fn at_once(&mut self) -> Option<PublishRequest> {
        self.next().now_or_never()
    }
}

impl<S: futures_util::Stream<Item = PublishRequest> + Send + 'static> From<S> for Asks {
    fn from(asks: S) -> Asks {
        Asks(asks.chain(stream::pending()).boxed())
    }
}

impl Engine {
    /// The plan as far as it is known, while `pending` waits for providers.
    pub(super) fn plan_so_far(
        &mut self,
        inputs: &Inputs,
        ask: PublishRequest,
        pending: &HashSet<NodeId>,
        cancel: &Cancel,
    ) -> Plan {
        let mut plan = self.plan(inputs, false);
        if ask != PublishRequest::Waiting {
            return plan;
        }
        let behind = self.graph.dependents(pending);
        let itself = pending.iter().map(|node| (node.clone(), node));
        let waiting: HashMap<NodeId, &NodeId> = behind.into_iter().chain(itself).collect();
        let mut labelled = Vec::new();
        for (node, cause) in &waiting {
            let Object::Resource(addr) = &node.object else {
                continue;
            };
            let Some(provider) = self.provider_name(inputs, cause) else {
                continue;
            };
            let in_each = self.in_each(&node.module, |instance| {
                let provider = provider.clone();
                let caveat = Caveat::Waiting { provider };
                let mut result = resource::without_plan(inputs, &instance.addr, addr, caveat);
                let written = self.limited(inputs, cancel, |engine| {
                    let config = result.config.as_ref()?;
                    let config = engine.without_waiting(inputs, config, &node.module, &waiting);
                    let scope = engine.scope_of_resource(inputs, &instance.addr, &config);
                    resource::written(&config, &scope)
                });
                result.written = written.ok().and_then(|(written, _)| written).map(Arc::new);
                Arc::new(result)
            });
            labelled.extend(in_each.iter().map(|(_, resource)| resource.clone()));
        }
        plan.resources.extend(labelled);
        plan
    }

    /// The resource without the references whose values are not of this text yet: they are unknown.
    fn without_waiting(
        &self,
        inputs: &Inputs,
        config: &Resource,
        module: &ModuleAddr,
        waiting: &HashMap<NodeId, &NodeId>,
    ) -> Resource {
        let tree = &inputs.tree;
        let mut config = config.clone();
        config.decl.references.retain(|reference| {
            let nodes =
                Dependencies { tree, module }.of_references(std::slice::from_ref(reference));
            !nodes.iter().any(|node| waiting.contains_key(node))
        });
        config
    }

    /// The provider that a node is about.
    fn provider_name(&self, inputs: &Inputs, node: &NodeId) -> Option<String> {
        let provider = match &node.object {
            Object::Provider(provider) | Object::ProviderConfig(provider, _) => provider.clone(),
            Object::Resource(addr) => {
                let module = inputs.tree.module(&node.module)?;
                let config = module.resource(addr)?;
                inputs.tree.provider_of(&node.module, config).provider
            }
            _ => return None,
        };
        Some(provider.for_display())
    }
}
