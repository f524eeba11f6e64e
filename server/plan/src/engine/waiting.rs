//! A plan in the making, with a label at each resource that waits for a provider.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use futures_util::stream::BoxStream;
use futures_util::{FutureExt, StreamExt, stream};

use super::Engine;
use crate::caveat::Caveat;
use crate::inputs::Inputs;
use crate::node::{NodeId, Object};
use crate::{Plan, resource};

/// Asks a plan in the making for all that it knows so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ask {
    Planned,
    /// The same, with labels at the resources that wait for a provider.
    Waiting,
}

/// Requests to a plan in the making.
pub struct Asks(BoxStream<'static, Ask>);

impl Asks {
    pub fn none() -> Asks {
        Asks(stream::pending().boxed())
    }

    /// The next one, however long that takes.
    pub(super) async fn next(&mut self) -> Ask {
        match self.0.next().await {
            Some(ask) => ask,
            None => std::future::pending().await,
        }
    }

    pub(super) fn at_once(&mut self) -> Option<Ask> {
        self.next().now_or_never()
    }
}

impl<S: futures_util::Stream<Item = Ask> + Send + 'static> From<S> for Asks {
    fn from(asks: S) -> Asks {
        Asks(asks.chain(stream::pending()).boxed())
    }
}

impl Engine {
    /// The plan as far as it is known, while `pending` waits for providers.
    pub(super) fn plan_so_far(
        &mut self,
        inputs: &Inputs,
        ask: Ask,
        pending: &HashSet<NodeId>,
    ) -> Plan {
        let mut plan = self.plan(inputs, false);
        if ask == Ask::Planned {
            return plan;
        }
        let behind = self.graph.dependents(pending);
        let itself = pending.iter().map(|node| (node.clone(), node));
        let waiting: HashMap<NodeId, &NodeId> = behind.into_iter().chain(itself).collect();
        let mut labelled = Vec::new();
        for (node, cause) in waiting {
            let Object::Resource(addr) = &node.object else {
                continue;
            };
            let Some(provider) = self.provider_name(inputs, cause) else {
                continue;
            };
            let in_each = self.in_each(&node.module, |instance| {
                let provider = provider.clone();
                let caveat = Caveat::Waiting { provider };
                let waiting = resource::without_plan(inputs, &instance.addr, addr, caveat);
                Arc::new(waiting)
            });
            labelled.extend(in_each.iter().map(|(_, resource)| resource.clone()));
        }
        plan.resources.extend(labelled);
        plan
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
