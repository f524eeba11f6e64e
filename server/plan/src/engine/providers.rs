//! Provider configurations, and which of them serves a resource.

use std::collections::BTreeSet;

use config::{
    ImportKey, InstanceKey, ModuleAddr, ModuleInstanceAddr, ProviderAddr, ProviderConfigAddr,
    ProviderKey, Resource,
};
use eval::{Expansion, Unexpanded};
use futures_util::future::join_all;
use schema::Block;
use text::Diagnostic;

use super::{Engine, Evaluation};
use crate::caveat::Caveat;
use crate::expansion::keys;
use crate::inputs::Inputs;
use crate::node::NodeId;
use crate::provider_config::{self, Configuring, WithholdReason};
use crate::resolved_provider::{ConfigChoice, ResolvedProvider, key_of};
use crate::result::{
    ModuleInstance, NodeResult, ProviderConfigResult, ProviderConfigs, ProviderResult,
};
use crate::{PlanMode, provider_meta};

/// Why a provider does not get its configuration.
fn withheld(
    inputs: &Inputs,
    addr: &ProviderConfigAddr,
    block: &Block,
    says_nothing: bool,
) -> Option<WithholdReason> {
    let takes_nothing = block.attributes.is_empty() && block.block_types.is_empty();
    // A provider without arguments gets nothing half-typed.
    let is_ready = inputs.may_configure && (inputs.is_saved || takes_nothing);
    match () {
        // Configuring the builtin provider reaches nothing.
        () if addr.provider.is_builtin() => None,
        () if !inputs.is_trusted && !says_nothing => Some(WithholdReason::UntilTrusted),
        () if !is_ready => Some(WithholdReason::UntilSaved),
        () => None,
    }
}

impl Engine {
    pub(super) fn evaluate_provider_config(
        &self,
        inputs: &Inputs,
        addr: ProviderConfigAddr,
    ) -> Evaluation {
        let node = NodeId::provider_config(&addr);
        let mut before = match self.results.get(&node) {
            Some(NodeResult::ProviderConfig(before)) => before.by_key.clone(),
            _ => Default::default(),
        };
        let (schema, provider_generation) =
            match self.results.get(&NodeId::provider(&addr.provider)) {
                Some(NodeResult::Provider(ProviderResult {
                    schema: Ok(schema),
                    generation,
                })) => (schema.clone(), *generation),
                other => {
                    let obstacle = match other {
                        Some(NodeResult::Provider(ProviderResult {
                            schema: Err(error), ..
                        })) => Caveat::Provider(error.clone()),
                        _ => Caveat::MissingProvider {
                            provider: addr.provider.to_string(),
                        },
                    };
                    let before = before.values().map(|before| before.generation).max();
                    let generation = before.unwrap_or(0) + 1;
                    let provider = inputs.provider(&addr);
                    let blocked = ProviderConfigResult::blocked(provider, generation, obstacle);
                    return Evaluation::Done(NodeResult::ProviderConfig(blocked.into()));
                }
            };
        let module = inputs.tree.module(&addr.module);
        let block =
            module.and_then(|module| module.provider_block(&addr.provider, addr.alias.as_ref()));
        let is_empty = block.is_none_or(|block| block.body.is_empty());
        if inputs.options.mode == PlanMode::Validate && is_empty {
            let provider = inputs.provider(&addr);
            let result = ProviderConfigResult {
                schema: Some(schema),
                obstacle: None,
                ..ProviderConfigResult::blocked(provider, provider_generation, Caveat::NotTargeted)
            };
            return Evaluation::Done(NodeResult::ProviderConfig(result.into()));
        }
        let block_schema = &schema.provider.block;
        // A module with a configuration of its own has but one instance.
        let instance = self.instances(&addr.module).first();
        let scope = block.zip(instance).map(|(block, instance)| {
            let scope = self.scope(inputs, &instance.addr, &block.decl.references);
            (block, scope)
        });
        let for_each = block.and_then(|block| block.for_each.as_ref());
        let repetition = for_each.map(|it| config::Repetition::ForEach(it.clone()));
        let (mut expansion, mut diagnostics) = match (&repetition, &scope) {
            (Some(repetition), Some((_, scope))) => eval::expand(repetition, scope.context()),
            (_, _) => (Expansion::Single, Vec::new()),
        };
        // Where no variable has a value, one configuration represents all.
        let any = repetition.as_ref().filter(|_| {
            inputs.options.mode == PlanMode::Validate
                && expansion == Expansion::Unknown(Unexpanded::Unknown)
        });
        if any.is_some() {
            expansion = Expansion::Single;
        }
        // Errors of a wrong `for_each` were reported while the files were read.
        if any.is_some() || for_each.is_some_and(|it| inputs.wrong.have_one_beside(&it.span())) {
            diagnostics.clear();
        }
        let says_nothing = block.is_none_or(|block| block.body.is_empty());
        let withheld = withheld(inputs, &addr, block_schema, says_nothing);
        let configuring = keys(expansion).into_iter().map(|(key, each_value)| {
            let decoded = match &scope {
                Some((block, scope)) => {
                    let context = match any {
                        Some(repetition) => scope.for_unknown_instance(repetition),
                        None => scope.for_instance(&key, each_value),
                    };
                    eval::decode(&block.body, block_schema, &context)
                }
                None => eval::Decoded {
                    value: block_schema.empty_value(),
                    diagnostics: provider_config::missing(block_schema),
                },
            };
            let configuring = Configuring {
                addr: addr.clone(),
                provider: inputs.provider_instance(&addr, &key),
                config: decoded.value.unmark_deep().0,
                schema: schema.clone(),
                block: block.map(|block| (block.body.clone(), block.decl.span.clone())),
                diagnostics: decoded.diagnostics,
                before: before.remove(&key),
                provider_generation,
                withheld,
            };
            async move { (key, configuring.run().await) }
        });
        let configuring: Vec<_> = configuring.collect();
        Evaluation::Ask(Box::pin(async move {
            let by_key = join_all(configuring).await.into_iter().collect();
            let configs = ProviderConfigs {
                by_key,
                diagnostics,
            };
            (node, NodeResult::ProviderConfig(configs))
        }))
    }

    /// Whether a provider could not be given its configuration.
    pub(crate) fn has_refusals(&self) -> bool {
        let configs = self.provider_configs.iter();
        let mut configs = configs.filter_map(|addr| self.provider_configs_of(addr));
        configs.any(|configs| configs.by_key.values().any(|it| it.is_refused))
    }

    /// The providers that would get their configuration if the folder were trusted.
    pub(crate) fn awaiting_trust(&self) -> BTreeSet<ProviderAddr> {
        let used = self.provider_configs.iter();
        let waits = |addr: &&ProviderConfigAddr| {
            let configs = self.provider_configs_of(addr);
            let mut configs = configs.into_iter().flat_map(|it| it.by_key.values());
            configs.any(ProviderConfigResult::awaits_trust)
        };
        used.filter(waits)
            .map(|addr| addr.provider.clone())
            .collect()
    }

    /// The provider of a resource that a module declares, in one instance of it.
    pub(super) fn served<'a>(
        &'a self,
        inputs: &'a Inputs,
        instance: &ModuleInstance,
        resource: &'a Resource,
        provider: &ProviderConfigAddr,
    ) -> ResolvedProvider<'a> {
        let addr = &instance.addr;
        let configs = self.provider_configs_of(provider);
        let schema = configs
            .and_then(ProviderConfigs::first)
            .and_then(|config| config.schema.as_ref());
        let module = inputs.tree.module(&addr.module());
        let block = module.and_then(|module| module.provider_meta(&provider.provider));
        let (meta, mut problems) = match (block, schema) {
            (Some(block), Some(schema)) => {
                let scope = self.scope(inputs, addr, &block.decl.references);
                let needed_for = &resource.addr;
                provider_meta::evaluate(block, &provider.provider, schema, needed_for, &scope)
            }
            (_, _) => (None, Vec::new()),
        };
        let chosen = match inputs.tree.provider_key_of(&addr.module(), resource) {
            None => ConfigChoice::Key(InstanceKey::None),
            Some(ProviderKey::OfResource(key)) => ConfigChoice::ByInstance(key),
            Some(ProviderKey::OfCall(module, key)) => {
                let key = self.key_of_call(inputs, addr, &module, key);
                ConfigChoice::Key(key.unwrap_or_else(|found| {
                    problems.extend(found);
                    InstanceKey::None
                }))
            }
        };
        ResolvedProvider {
            provider: provider.provider.clone(),
            configs,
            chosen,
            meta,
            problems,
        }
    }

    /// The key that the call of `module` has in the instance of it that `within` lies in.
    fn key_of_call(
        &self,
        inputs: &Inputs,
        within: &ModuleInstanceAddr,
        module: &ModuleAddr,
        key: &ImportKey,
    ) -> Result<InstanceKey, Vec<Diagnostic>> {
        let depth = module.calls().len();
        let steps = within.steps().iter().take(depth);
        let called = steps.fold(ModuleInstanceAddr::root(), |addr, step| {
            addr.child(step.call.clone(), step.key.clone())
        });
        let (Some(caller), Some(step)) = (called.parent(), called.steps().last()) else {
            return Ok(InstanceKey::None);
        };
        let references = key.expr().map(config::Expr::references).unwrap_or_default();
        let scope = self.scope(inputs, &caller, &references);
        let instances = self.instances(module);
        let instance = instances.binary_search_by(|it| it.addr.cmp(&called));
        let instance = instance.ok().map(|index| &instances[index]);
        let each_value = instance.and_then(|instance| instance.each_value.clone());
        key_of(key, &scope.for_instance(&step.key, each_value))
    }

    pub(super) fn provider_configs_of(
        &self,
        addr: &ProviderConfigAddr,
    ) -> Option<&ProviderConfigs> {
        match self.results.get(&NodeId::provider_config(addr)) {
            Some(NodeResult::ProviderConfig(configs)) => Some(configs),
            _ => None,
        }
    }
}

pub(super) fn ask_schema(inputs: &Inputs, addr: &ProviderAddr) -> Evaluation {
    let provider = inputs.provider(&ProviderConfigAddr {
        module: ModuleAddr::root(),
        provider: addr.clone(),
        alias: None,
    });
    let generation = inputs.providers_revision;
    let node = NodeId::provider(addr);
    Evaluation::Ask(Box::pin(async move {
        let schema = provider.schema().await;
        (
            node,
            NodeResult::Provider(ProviderResult { schema, generation }),
        )
    }))
}
