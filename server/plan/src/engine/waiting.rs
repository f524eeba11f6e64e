//! A plan in the making: the questions to providers, and a label at each resource that waits for an answer.

use std::collections::{HashMap, HashSet};
use std::pin::pin;
use std::sync::Arc;

use config::{ModuleAddr, Resource};
use cty::budget::Cancel;
use futures_util::future::{BoxFuture, Either, select};
use futures_util::stream::{BoxStream, FuturesUnordered};
use futures_util::{FutureExt, StreamExt, stream};

use super::Engine;
use crate::caveat::Caveat;
use crate::inputs::Inputs;
use crate::node::{Dependencies, NodeId, NodeObject};
use crate::result::NodeResult;
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
pub struct PublishRequests(BoxStream<'static, PublishRequest>);

impl PublishRequests {
    pub fn none() -> PublishRequests {
        PublishRequests(stream::pending().boxed())
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

impl<S: futures_util::Stream<Item = PublishRequest> + Send + 'static> From<S> for PublishRequests {
    fn from(asks: S) -> PublishRequests {
        PublishRequests(asks.chain(stream::pending()).boxed())
    }
}

/// A node and its result. Without a result, the node is evaluated again.
pub(super) type PendingAnswer = BoxFuture<'static, (NodeId, Option<NodeResult>)>;

/// The questions to providers that are not answered yet. A provider works on all of them at the same time, so those outside
/// of the focus wait until the focus is planned, unless that takes so long that much more of the plan is asked for.
pub(super) struct Unanswered {
    asked: FuturesUnordered<PendingAnswer>,
    held_back: Vec<PendingAnswer>,
    is_focus_alone: bool,
    nodes: HashSet<NodeId>,
}

impl Unanswered {
    pub(super) fn new(is_focus_alone: bool) -> Unanswered {
        Unanswered {
            asked: FuturesUnordered::new(),
            held_back: Vec::new(),
            is_focus_alone,
            nodes: HashSet::new(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub(super) fn nodes(&self) -> &HashSet<NodeId> {
        &self.nodes
    }

    pub(super) fn ask(&mut self, node: NodeId, answer: PendingAnswer) {
        self.nodes.insert(node);
        self.asked.push(answer);
    }

    pub(super) fn ask_after_focus(&mut self, node: NodeId, answer: PendingAnswer) {
        match self.is_focus_alone {
            true => {
                self.nodes.insert(node);
                self.held_back.push(answer);
            }
            false => self.ask(node, answer),
        }
    }

    /// Nothing is held back any more.
    pub(super) fn ask_rest(&mut self) {
        self.is_focus_alone = false;
        self.asked.extend(self.held_back.drain(..));
    }

    /// The next answers, or a request for the plan so far. Without `is_busy`, which says that other nodes can be evaluated
    /// meanwhile, it waits for one of them.
    pub(super) async fn next(
        &mut self,
        is_busy: bool,
        asks: &mut PublishRequests,
    ) -> (Vec<(NodeId, Option<NodeResult>)>, Option<PublishRequest>) {
        if !is_busy && self.asked.is_empty() {
            self.asked.extend(self.held_back.drain(..));
        }
        let (mut answered, mut asked) = (Vec::new(), None);
        if is_busy {
            tokio::task::yield_now().await;
            while let Some(Some(answer)) = self.asked.next().now_or_never() {
                answered.push(answer);
            }
            asked = asks.at_once();
        } else {
            match select(self.asked.next(), pin!(asks.next())).await {
                Either::Left((answer, _)) => answered.extend(answer),
                Either::Right((ask, _)) => asked = Some(ask),
            }
        }
        // The first request may come before anything could be asked.
        if asked.is_some_and(|it| it != PublishRequest::Planned) {
            self.ask_rest();
        }
        for (node, _) in &answered {
            self.nodes.remove(node);
        }
        (answered, asked)
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
            let NodeObject::Resource(addr) = &node.object else {
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
            NodeObject::Provider(provider) | NodeObject::ProviderConfig(provider, _) => {
                provider.clone()
            }
            NodeObject::Resource(addr) => {
                let module = inputs.tree.module(&node.module)?;
                let config = module.resource(addr)?;
                inputs.tree.provider_of(&node.module, config).provider
            }
            _ => return None,
        };
        Some(provider.for_display())
    }
}
