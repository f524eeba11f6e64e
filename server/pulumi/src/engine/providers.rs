//! Provider resources: those of the program, and the default ones that stand for the configuration of the stack.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use text::{Problem, Span};

use super::Run;
use super::goal::Goal;
use crate::ask::{
    CheckRequest, Checked, ConfigureRequest, DiffRequest, Package, Plugin, PluginError, Plugins,
};
use crate::builtin::{self, Served};
use crate::caveat::Caveat;
use crate::json::UNKNOWN;
use crate::plan::{NewResource, Step};
use crate::program::{Declared, ResourceDecl};
use crate::schema::Schema;
use crate::state::OldResource;
use crate::step::{Decision, Early, Kind, Old, Op, Situation, decide, decide_early};
use crate::urn::{PROVIDER_PREFIX, Urn};
use crate::value::{Object, Value};

/// A provider with its configuration.
pub(super) struct Provider<T> {
    /// `URN::ID`.
    pub reference: String,
    pub inputs: Object,
    /// `None` where it could not be started or configured.
    pub plugin: Option<Arc<T>>,
    /// Why what it says is no plan.
    pub caveat: Option<Caveat>,
    /// Whether the change of its configuration replaces what it has.
    pub replaces: BTreeMap<String, bool>,
}

/// Whether no program declares it.
pub(super) fn is_default(urn: &Urn) -> bool {
    let is_provider = urn.type_name().starts_with(PROVIDER_PREFIX);
    is_provider && (urn.name() == "default" || urn.name().starts_with("default_"))
}

impl<P: Plugins> Run<'_, P> {
    /// A plugin that is not configured.
    async fn start(&mut self, package: &Package) -> Result<Arc<Served<P::Plugin>>, PluginError> {
        match self.spare.remove(package) {
            Some(plugin) => Ok(plugin),
            None if package.name == builtin::PACKAGE => Ok(Arc::new(Served::Builtin)),
            None => {
                let plugin = self.plugins.start(package).await?;
                Ok(Arc::new(Served::Plugin(plugin)))
            }
        }
    }

    /// The schema of a package, if its plugin tells one.
    pub(super) async fn schema(&mut self, package: &Package) -> Option<Arc<Schema>> {
        if let Some(schema) = self.schemas.get(package) {
            return schema.clone();
        }
        let schema = match self.load_schema(package).await {
            Ok(schema) => Some(Arc::new(schema)),
            Err(PluginError(why)) => {
                let name = package.name.clone();
                self.plan.caveats.insert(Caveat::Provider { name, why });
                None
            }
        };
        self.schemas.insert(package.clone(), schema.clone());
        schema
    }

    async fn load_schema(&mut self, package: &Package) -> Result<Schema, PluginError> {
        let plugin = self.start(package).await?;
        let text = plugin.schema().await?;
        self.spare.insert(package.clone(), plugin);
        Schema::parse(&text)
            .map_err(|error| PluginError(format!("its schema is not valid: {error}")))
    }

    /// The provider that a package has without anything in the program.
    pub(super) async fn default_provider(&mut self, package: &Package) -> Urn {
        let name = match &package.version {
            Some(version) => format!("default_{}", version.replace(['.', '-', '+'], "_")),
            None => "default".to_owned(),
        };
        let type_name = format!("{PROVIDER_PREFIX}{}", package.name);
        let urn = self.inputs.stack.urn(None, &type_name, &name);
        if self.providers.contains_key(&urn) {
            return urn;
        }
        let mut inputs = Object::new();
        for (key, value) in self.inputs.config.of_package(&package.name) {
            let text = match &value.text {
                Some(text) => Value::String(text.clone()),
                None => Value::String(crate::functions::json(&value.value)),
            };
            let text = match value.is_secret {
                true => Value::secret(text),
                false => text,
            };
            inputs.insert(key.to_owned(), text);
        }
        if let Some(version) = &package.version {
            inputs.insert("version".to_owned(), Value::String(version.clone()));
        }
        let new = NewResource {
            is_custom: true,
            ..NewResource::default()
        };
        self.provider(package, &urn, inputs, new, None, BTreeSet::new())
            .await;
        urn
    }

    /// A provider that the program declares.
    pub(super) async fn declared_provider(
        &mut self,
        declared: &Declared<ResourceDecl>,
        goal: Goal,
        urn: Urn,
    ) -> Op {
        let decl = &declared.decl;
        let package = Package {
            name: decl.package().to_owned(),
            version: decl.options.version.clone(),
        };
        let schema = self.schema(&package).await;
        let resource = schema.as_ref().and_then(|it| it.resource(&decl.type_name));
        let inputs = match resource {
            Some(resource) => crate::host::inputs(resource, goal.inputs.clone()),
            None => goal.inputs.clone(),
        };
        // Configuration travels as text.
        let inputs = inputs.into_iter().map(|(key, value)| (key, as_text(value)));
        let new = NewResource {
            is_custom: true,
            parent: Some(goal.parent.clone()),
            dependencies: goal.dependencies.clone(),
            property_dependencies: goal.property_dependencies.clone(),
            is_protected: goal.is_protected,
            ..NewResource::default()
        };
        let span = declared.span(declared.at);
        self.provider(
            &package,
            &urn,
            inputs.collect(),
            new,
            Some(span),
            goal.caveats,
        )
        .await
    }

    async fn provider(
        &mut self,
        package: &Package,
        urn: &Urn,
        inputs: Object,
        new: NewResource,
        declared: Option<Span>,
        mut caveats: BTreeSet<Caveat>,
    ) -> Op {
        let old = self.find_old(urn, &[]).cloned();
        let started = self.start(package).await;
        let (decision, inputs, plugin) = match started {
            Ok(plugin) => match self.asked(&plugin, urn, inputs.clone(), old.as_ref()).await {
                Ok((decision, inputs)) => (decision, inputs, Some(plugin)),
                Err(PluginError(why)) => {
                    let name = package.name.clone();
                    caveats.insert(Caveat::Provider { name, why });
                    (undecided(), inputs, None)
                }
            },
            Err(PluginError(why)) => {
                let name = package.name.clone();
                caveats.insert(Caveat::Provider { name, why });
                (undecided(), inputs, None)
            }
        };
        let id = match (&decision.op, &old) {
            (Op::Same | Op::Update, Some(old)) => Some(old.id.clone()),
            _ => None,
        };
        let mut provider = Provider {
            reference: format!("{urn}::{}", id.as_deref().unwrap_or(UNKNOWN)),
            inputs: inputs.clone(),
            plugin: None,
            caveat: caveats.iter().next().cloned(),
            replaces: BTreeMap::new(),
        };
        if let Some(plugin) = plugin {
            let request = ConfigureRequest {
                urn: urn.clone(),
                id: id.clone(),
                inputs: inputs.clone(),
            };
            let is_known = !inputs.values().any(Value::has_unknown);
            match is_known {
                true => match plugin.configure(request).await {
                    Ok(()) => provider.plugin = Some(plugin),
                    Err(PluginError(why)) => {
                        let name = package.name.clone();
                        provider.caveat = Some(Caveat::Provider { name, why });
                    }
                },
                false => {
                    let name = package.name.clone();
                    let why = "its configuration is known after the update".to_owned();
                    provider.caveat = Some(Caveat::Provider { name, why });
                }
            }
        }
        let step_new = NewResource { id, inputs, ..new };
        if matches!(decision.op, Op::Replace { .. }) {
            self.replaced.insert(urn.clone());
        }
        self.providers.insert(urn.clone(), provider);
        let op = decision.op;
        self.push(urn, old, Some(step_new), decision, caveats, declared);
        op
    }

    /// What the plugin says about a configuration.
    async fn asked(
        &mut self,
        plugin: &Served<P::Plugin>,
        urn: &Urn,
        inputs: Object,
        old: Option<&OldResource>,
    ) -> Result<(Decision, Object), PluginError> {
        let request = CheckRequest {
            urn: urn.clone(),
            olds: old.map(|it| it.inputs.clone()).unwrap_or_default(),
            news: inputs,
            seed: Vec::new(),
        };
        let Checked { inputs, failures } = plugin.check_config(request).await?;
        for failure in &failures {
            let message = format!("{}: {}", failure.property, failure.reason);
            self.report(
                Some(urn),
                Problem::error("invalid-input", message, "", None),
            );
            self.is_stopped = true;
        }
        let situation = Situation {
            old: old.map(Old::of),
            kind: Kind::Custom,
            is_deleted_before: false,
            is_targeted: true,
            is_replace_requested: self
                .inputs
                .options
                .replace
                .iter()
                .any(|it| it == urn.as_str()),
            is_triggered: false,
            is_replaced_with: false,
            is_deleted_with: false,
            has_new_provider: false,
            deletes_before_replace: None,
        };
        let decision = match (decide_early(&situation), old) {
            (Early::Decided(decision), _) => decision,
            (Early::Diff, old) => {
                let old = old
                    .cloned()
                    .unwrap_or_else(|| OldResource::new(urn.clone()));
                let diff = plugin.diff_config(difference(urn, &old, &inputs)).await?;
                decide(&situation, diff)
            }
        };
        Ok((decision, inputs))
    }

    /// Whether a resource that had another provider, or the same with another identity, is replaced for that.
    pub(super) async fn is_replaced_by_provider(
        &mut self,
        old: &OldResource,
        provider: &Urn,
    ) -> bool {
        let Some(new) = self.providers.get(provider) else {
            return false;
        };
        if old.provider == new.reference {
            return false;
        }
        if old.provider.is_empty() {
            return true;
        }
        if let Some(known) = new.replaces.get(&old.provider) {
            return *known;
        }
        let before = old.provider_urn();
        let before = before.and_then(|urn| self.find_old(&urn, &[]).cloned());
        let replaces = match (before, &new.plugin) {
            (Some(before), Some(plugin)) => {
                let request = difference(provider, &before, &new.inputs);
                plugin
                    .diff_config(request)
                    .await
                    .is_ok_and(|diff| diff.is_replace())
            }
            _ => false,
        };
        if let Some(new) = self.providers.get_mut(provider) {
            new.replaces.insert(old.provider.clone(), replaces);
        }
        replaces
    }

    pub(super) fn push(
        &mut self,
        urn: &Urn,
        old: Option<OldResource>,
        new: Option<NewResource>,
        decision: Decision,
        caveats: BTreeSet<Caveat>,
        declared: Option<Span>,
    ) {
        if let Some(old) = &old {
            self.claimed.insert(old.urn.clone(), urn.clone());
        }
        self.registered.insert(urn.clone());
        self.plan.steps.push(Step {
            is_refused: false,
            urn: urn.clone(),
            op: decision.op,
            old,
            new,
            replace_keys: decision.replace_keys,
            diff_keys: decision.diff_keys,
            detailed: decision.detailed,
            caveats,
            is_default_provider: is_default(urn),
            declared,
        });
    }
}

/// Where nobody can be asked, all stays as it is.
pub(super) fn undecided() -> Decision {
    Decision {
        op: Op::Same,
        replace_keys: Vec::new(),
        diff_keys: Vec::new(),
        detailed: None,
    }
}

pub(super) fn difference(urn: &Urn, old: &OldResource, news: &Object) -> DiffRequest {
    DiffRequest {
        urn: urn.clone(),
        id: old.id.clone(),
        olds: old.outputs.clone(),
        old_inputs: old.inputs.clone(),
        news: news.clone(),
        ignore_changes: Vec::new(),
    }
}

fn as_text(value: Value) -> Value {
    match value {
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)
            if !value.has_unknown() =>
        {
            let text = Value::String(crate::functions::json(&value));
            match value.has_secret() {
                true => Value::secret(text),
                false => text,
            }
        }
        Value::Array(_) | Value::Object(_) => Value::Unknown,
        other => other,
    }
}

impl Old {
    pub(super) fn of(old: &OldResource) -> Old {
        Old {
            is_external: old.is_external,
            is_pending_replacement: old.is_pending_replacement,
            has_init_errors: !old.init_errors.is_empty(),
        }
    }
}
