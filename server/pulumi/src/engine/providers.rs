//! Provider resources: those of the program, and the default ones for the configuration of the stack.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use text::{Problem, Span};

use super::Run;
use super::goal::Goal;
use super::register::{Causes, RegistrationError, import};
use super::types::package;
use crate::ask::{
    Changes, CheckRequest, Checked, ConfigureRequest, DiffRequest, Package, Plugin, PluginError,
    Plugins,
};
use crate::builtin::{self, PackageHost};
use crate::caveat::Caveat;
use crate::json::UNKNOWN;
use crate::path::Path;
use crate::plan::{NewResource, PlanProblem, Step};
use crate::program::{Declared, ResourceDecl};
use crate::schema::Schema;
use crate::state::OldResource;
use crate::step::{
    Decision, EarlyDecision, OldObject, Op, ResourceKind, Situation, decide, decide_early,
};
use crate::structural_diff::with_old;
use crate::urn::{PROVIDER_PREFIX, Urn};
use crate::value::{Object, Value, masked};

/// The engine's message for a provider with `get` or `import`.
pub(super) const PROVIDER_READ: &str = "Preview failed: provider resources may not be read";

/// A provider with its configuration.
pub(super) struct Provider<T> {
    /// `URN::ID`.
    pub reference: String,
    pub inputs: Object,
    /// `None` where it could not be started or configured.
    pub plugin: Option<Arc<PackageHost<T>>>,
    /// Why its answers are not a plan.
    pub caveat: Option<Caveat>,
    /// Whether the change of its configuration replaces its resources.
    replaces: Mutex<BTreeMap<String, bool>>,
}

/// A provider that an earlier plan has asked and configured.
pub(super) struct KeptProvider<T> {
    given: ProviderOrigin,
    inputs: Object,
    decision: Decision,
    problems: Vec<PlanProblem>,
    pub provider: Arc<Provider<T>>,
}

/// A plugin that ends this often is not started again.
const MAX_ENDS: usize = 5;

/// A provider that stands in the program.
struct Declaration {
    span: Span,
    replacing: Replacing,
}

/// The origin of a provider.
#[derive(Clone, PartialEq)]
pub(super) struct ProviderOrigin {
    package: Package,
    inputs: Object,
    old: Option<OldResource>,
    is_replace_requested: bool,
    /// Together with a resource that is deleted before it is replaced.
    is_deleted_before: bool,
    caveats: BTreeSet<Caveat>,
    replacing: Replacing,
}

impl ProviderOrigin {
    /// A provider that was deleted is made again, also if nothing differs.
    ///
    /// Source: `ContinueStepsFromDiff` in `step_generator.go` of Pulumi.
    fn decided(&self, decision: Decision) -> Decision {
        match self.is_deleted_before {
            false => decision,
            true => Decision::plain(Op::Replace {
                deletes_first: false,
            }),
        }
    }
}

/// The options of a provider for its replacement.
#[derive(Clone, PartialEq, Default)]
struct Replacing {
    causes: Causes,
    deletes_first: Option<bool>,
    on_changes: Vec<Path>,
}

/// A provider that is configured as the state says.
pub(super) struct FormerProvider<T> {
    inputs: Object,
    plugin: Arc<PackageHost<T>>,
}

/// A provider's refusal of a property, or of the whole resource, if it names none.
///
/// Source: `issueCheckFailures` in `step_generator.go` of Pulumi.
pub(super) fn refusal(urn: &Urn, property: &str, shown: &str, reason: &str) -> String {
    let place = match property {
        "" => String::new(),
        _ => format!(": property {property} value {{{shown}}}"),
    };
    let (type_name, name) = (urn.type_name(), urn.name());
    format!("{type_name} resource '{name}'{place} has a problem: {reason}")
}

/// Whether no program declares it.
pub(super) fn is_default(urn: &Urn) -> bool {
    let is_provider = urn.type_name().starts_with(PROVIDER_PREFIX);
    is_provider && (urn.name() == "default" || urn.name().starts_with("default_"))
}

impl<P: Plugins> Run<'_, P> {
    /// A plugin that is not configured.
    async fn start(
        &mut self,
        package: &Package,
    ) -> Result<Arc<PackageHost<P::Plugin>>, PluginError> {
        if self
            .memo
            .ends
            .get(package)
            .is_some_and(|ends| *ends >= MAX_ENDS)
        {
            return Err(PluginError::new(format!(
                "its plugin ended {MAX_ENDS} times during calls"
            )));
        }
        let spare = self.memo.spare.remove(package);
        match spare.filter(|it| it.is_running()) {
            Some(plugin) => Ok(plugin),
            None if package.name == builtin::PACKAGE => Ok(Arc::new(PackageHost::Builtin)),
            None => {
                let plugin = self.plugins.start(package).await?;
                Ok(Arc::new(PackageHost::Plugin(plugin)))
            }
        }
    }

    /// A provider with the configuration of the state, for a resource whose provider the program has not come to yet.
    ///
    /// Source: `EnsureProvider` in `deployment.go` of Pulumi.
    pub(super) async fn former_provider(
        &mut self,
        urn: &Urn,
    ) -> Result<Arc<PackageHost<P::Plugin>>, PluginError> {
        let Some(old) = self.find_old(urn, &[]) else {
            let why = format!("could not find provider {urn}");
            return Err(PluginError::new(why));
        };
        if let Some(former) = self.memo.former.get(urn)
            && former.inputs == old.inputs
            && former.plugin.is_running()
        {
            return Ok(former.plugin.clone());
        }
        let version = old.inputs.get("version").and_then(Value::as_str);
        let name = urn.package_of_provider().unwrap_or_default();
        let version = version.map(str::to_owned);
        let package = self.inputs.locks.package(name, version.as_ref());
        let plugin = self.start(&package).await?;
        let request = ConfigureRequest {
            urn: urn.clone(),
            id: Some(old.id.clone()),
            inputs: old.inputs.clone(),
        };
        plugin.configure(request).await?;
        let former = FormerProvider {
            inputs: old.inputs.clone(),
            plugin: plugin.clone(),
        };
        self.memo.former.insert(urn.clone(), former);
        Ok(plugin)
    }

    /// The schema of a package, if its plugin returns one.
    pub(super) async fn schema(&mut self, package: &Package) -> Option<Arc<Schema>> {
        if let Some(schema) = self.memo.schemas.get(package) {
            return Some(schema.clone());
        }
        if self.unknown_schemas.contains_key(package) {
            return None;
        }
        match self.load_schema(package).await {
            Ok(schema) => {
                let schema = Arc::new(schema);
                self.memo.schemas.insert(package.clone(), schema.clone());
                Some(schema)
            }
            Err(PluginError { why, .. }) => {
                let name = package.name.clone();
                let caveat = Caveat::Provider { name, why };
                self.plan.caveats.insert(caveat.clone());
                self.unknown_schemas.insert(package.clone(), caveat);
                None
            }
        }
    }

    async fn load_schema(&mut self, package: &Package) -> Result<Schema, PluginError> {
        let lock = self.inputs.locks.of(&package.name);
        if let Some(extension) = lock.and_then(|it| it.extension.as_ref()) {
            let why = format!("it is extended by {extension}, which is not planned");
            return Err(PluginError::new(why));
        }
        let plugin = self.start(package).await?;
        let text = plugin.schema().await?;
        self.memo.spare.insert(package.clone(), plugin);
        Schema::parse(&text)
            .map_err(|error| PluginError::new(format!("its schema is not valid: {error}")))
    }

    /// A package in the version that serves all of it that name none: that of the first thing that needs the package.
    pub(super) fn requested(&self, package: Package) -> Package {
        let release = self.releases.get(&package.name);
        Package {
            version: package.version.or_else(|| release?.version.clone()),
            ..package
        }
    }

    /// The provider that a package has without anything in the program. `url` is where the plugin comes from, if that is said.
    pub(super) async fn default_provider(&mut self, package: &Package, url: Option<&str>) -> Urn {
        let release = self.releases.get(&package.name);
        let url = url.or_else(|| release?.url.as_deref()).map(str::to_owned);
        let mut name = "default".to_owned();
        if let Some(version) = &package.version {
            name.push('_');
            name.push_str(&version.replace(['.', '-', '+'], "_"));
        }
        if let Some(url) = &url {
            name.push('_');
            name.push_str(&qualified_name(url));
        }
        let type_name = format!("{PROVIDER_PREFIX}{}", package.name);
        let urn = self.inputs.stack.urn(None, &type_name, &name);
        if self.providers.contains_key(&urn) {
            return urn;
        }
        let mut inputs = Object::new();
        let mut caveats = BTreeSet::new();
        for (key, value) in self.inputs.config.of_package(&package.name) {
            if value.value.is_sealed() {
                caveats.insert(self.sealed());
            }
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
        name_plugin(&mut inputs, package, url.as_deref(), Object::new());
        let new = NewResource {
            is_custom: true,
            ..NewResource::default()
        };
        // It counts as a thing of its own, whichever resource needs it first.
        let (outer, before) = (std::mem::take(&mut self.outcome), self.before.take());
        self.provider(package, &urn, inputs, new, None, caveats)
            .await;
        self.commit();
        (self.outcome, self.before) = (outer, before);
        urn
    }

    /// A provider that the program declares, and the names of the properties of its type.
    pub(super) async fn declared_provider(
        &mut self,
        declared: &Declared<ResourceDecl>,
        goal: Goal,
        urn: Urn,
    ) -> (Op, Vec<String>) {
        let decl = &declared.decl;
        let options = &decl.options;
        let package = package(decl, &self.inputs.locks);
        let release = self.releases.get(&package.name);
        let release =
            release.filter(|_| options.version.is_none() && options.plugin_download_url.is_none());
        let version = package.version.clone().or_else(|| release?.version.clone());
        let url = options.plugin_download_url.clone();
        let url = url.or_else(|| release?.url.clone());
        let plugin_version = release.and_then(|it| it.version.clone());
        let package = Package {
            version: version.clone(),
            ..package
        };
        let schema = self.schema(&package).await;
        let resource = schema.as_ref().and_then(|it| it.resource(&decl.type_name));
        let mut goal = goal;
        if let Some(resource) = resource {
            goal.take_members(resource);
        }
        let own = goal.provider.clone();
        let handed_on = self.inherit(&mut goal, options, own.as_ref());
        self.outcome.inherited = Some((urn.clone(), handed_on));
        let properties = resource.map(|it| it.properties().map(str::to_owned).collect());
        let added = resource.map(crate::host::added).unwrap_or_default();
        let mut inputs = match resource {
            Some(resource) => crate::host::inputs(resource, goal.inputs.clone()),
            None => goal.inputs.clone(),
        };
        let mappings = std::mem::take(&mut goal.env_var_mappings);
        name_plugin(&mut inputs, &package, url.as_deref(), mappings);
        if package.base.is_some()
            && let Some(version) = plugin_version.as_deref()
        {
            // The engine takes the version of the plugin for that of the package.
            inputs.insert("version".to_owned(), Value::from(version));
        }
        let written = options.replace_on_changes.iter();
        let on_changes = written.filter_map(|it| Path::parse(it).ok());
        let on_changes: Vec<Path> = on_changes.chain(added.replace_on_changes).collect();
        let aliases = self.alias_urns(&urn, &goal, &[]);
        let old = self.find_old(&urn, &aliases);
        let replacing = Replacing {
            causes: self.causes(&goal, old),
            deletes_first: options.delete_before_replace,
            on_changes,
        };
        if let Some(old) = old {
            let paths = options.ignore_changes.iter();
            for path in paths.filter_map(|it| Path::parse(it).ok()) {
                with_old(&mut inputs, &old.inputs, &path);
            }
        }
        if import(options, old).is_some() {
            self.error(Some(&urn), "read", PROVIDER_READ, Some(declared.place()));
            self.outcome.is_stopped = true;
        }
        let caveats = std::mem::take(&mut goal.caveats);
        let new = NewResource {
            aliases,
            additional_secret_outputs: added.secret_outputs,
            replace_on_changes: replacing.on_changes.iter().map(Path::to_string).collect(),
            ..goal.new_resource(options)
        };
        let declaration = Declaration {
            span: declared.place(),
            replacing,
        };
        let op = self
            .provider(&package, &urn, inputs, new, Some(declaration), caveats)
            .await;
        (op, properties.unwrap_or_default())
    }

    async fn provider(
        &mut self,
        package: &Package,
        urn: &Urn,
        inputs: Object,
        new: NewResource,
        declared: Option<Declaration>,
        caveats: BTreeSet<Caveat>,
    ) -> Op {
        let old = self.find_old(urn, &new.aliases).cloned();
        let (declared, replacing) = match declared {
            Some(declared) => (Some(declared.span), declared.replacing),
            None => (None, Replacing::default()),
        };
        let given = ProviderOrigin {
            package: package.clone(),
            inputs,
            old: old.clone(),
            is_replace_requested: self.is_replace_requested(urn, old.as_ref()),
            is_deleted_before: self.deleted_before.contains(urn),
            caveats: caveats.clone(),
            replacing,
        };
        let kept = self.memo.providers.remove(urn);
        if kept.as_ref().is_some_and(|it| !it.provider.is_running()) {
            *self.memo.ends.entry(package.clone()).or_default() += 1;
        }
        if self.inputs.is_saved {
            self.memo.saved.insert(urn.clone(), given.clone());
        }
        let kept = match kept.filter(|it| it.provider.is_running()) {
            Some(kept) if kept.given == given => kept,
            // A plugin that was restarted is configured again with the saved text.
            kept if self.memo.saved.get(urn) != Some(&given)
                && given.package.name != builtin::PACKAGE =>
            {
                // The configured one serves again once the text is unchanged.
                let unsaved = KeptProvider::unsaved(urn, given);
                if let Some(kept) = kept {
                    self.memo.providers.insert(urn.clone(), kept);
                }
                unsaved
            }
            _ => self.configured(urn, given).await,
        };
        let decision = kept.decision.clone();
        let id = match (&decision.op, &old) {
            (Op::Same | Op::Update, Some(old)) => Some(old.id.clone()),
            _ => None,
        };
        self.outcome.problems.extend(kept.problems.iter().cloned());
        let is_refused = !kept.problems.is_empty();
        self.outcome.is_stopped |= is_refused;
        let mut outputs = None;
        if let Op::Replace { deletes_first } = decision.op {
            self.outcome.replaced.push(urn.clone());
            match (deletes_first, &old, &kept.provider.plugin) {
                (false, ..) => outputs = Some(kept.inputs.clone()),
                // A provider without a plugin stays as it is.
                (true, Some(old), Some(plugin)) => {
                    let deleted = self
                        .delete_dependents(plugin, urn, old, declared.clone())
                        .await;
                    self.outcome.is_stopped |= matches!(deleted, Err(RegistrationError::Failed));
                }
                (true, ..) => {}
            }
        }
        let step_new = NewResource {
            id,
            inputs: kept.inputs.clone(),
            outputs,
            ..new
        };
        let caveats = caveats.into_iter().chain(kept.provider.caveat.clone());
        let caveats = caveats.collect();
        self.providers.insert(urn.clone(), kept.provider.clone());
        // Asks again after a failure.
        if kept.provider.plugin.is_some() {
            self.memo.providers.insert(urn.clone(), kept);
        }
        let op = decision.op;
        // A configuration that is refused leads to no step.
        if !is_refused {
            self.push(urn, old, Some(step_new), decision, caveats, declared);
        }
        op
    }

    /// Asks about a configuration and gives it to a plugin.
    async fn configured(&mut self, urn: &Urn, given: ProviderOrigin) -> KeptProvider<P::Plugin> {
        let name = given.package.name.clone();
        let mut caveat = given.caveats.iter().next().cloned();
        let reported = self.outcome.problems.len();
        let asked = match self.start(&given.package).await {
            Ok(plugin) => {
                let answer = self.asked(&plugin, urn, &given).await;
                answer.map(|(decision, inputs)| (decision, inputs, plugin))
            }
            Err(error) => Err(error),
        };
        let problems = self.outcome.problems.split_off(reported);
        let (decision, inputs, plugin) = match asked {
            Ok((decision, inputs, plugin)) => (given.decided(decision), inputs, Some(plugin)),
            Err(PluginError { why, .. }) => {
                let name = name.clone();
                caveat = caveat.or(Some(Caveat::Provider { name, why }));
                (undecided(), given.inputs.clone(), None)
            }
        };
        let id = match (&decision.op, &given.old) {
            (Op::Same | Op::Update, Some(old)) => Some(old.id.clone()),
            _ => None,
        };
        let mut configured = None;
        if let Some(plugin) = plugin {
            let request = ConfigureRequest {
                urn: urn.clone(),
                id: id.clone(),
                inputs: inputs.clone(),
            };
            match (inputs.values().any(Value::has_unknown), &*plugin) {
                (true, PackageHost::Plugin(plugin)) => {
                    configured = Some(Arc::new(PackageHost::Unconfigured(plugin.clone())));
                }
                _ => match plugin.configure(request).await {
                    Ok(()) => configured = Some(plugin),
                    Err(PluginError { why, .. }) => caveat = Some(Caveat::Provider { name, why }),
                },
            }
        }
        let provider = Provider {
            reference: format!("{urn}::{}", id.as_deref().unwrap_or(UNKNOWN)),
            inputs: inputs.clone(),
            plugin: configured,
            caveat,
            replaces: Mutex::default(),
        };
        KeptProvider {
            given,
            inputs,
            decision,
            problems,
            provider: Arc::new(provider),
        }
    }

    /// The plugin's answer about a configuration.
    async fn asked(
        &mut self,
        plugin: &PackageHost<P::Plugin>,
        urn: &Urn,
        given: &ProviderOrigin,
    ) -> Result<(Decision, Object), PluginError> {
        let old = given.old.as_ref();
        let request = CheckRequest {
            urn: urn.clone(),
            olds: old.map(|it| it.inputs.clone()).unwrap_or_default(),
            news: own_settings(&given.inputs),
            seed: Vec::new(),
            autonaming: None,
        };
        let Checked {
            mut inputs,
            failures,
        } = plugin.check_config(request).await?;
        // Keeps the engine's own entries about the plugin.
        for key in ["version", INTERNAL] {
            if let Some(value) = given.inputs.get(key) {
                inputs.insert(key.to_owned(), value.clone());
            }
        }
        for failure in &failures {
            let mut secrets = Vec::new();
            let values = given.inputs.values().chain(inputs.values());
            values.for_each(|it| it.secret_texts(&mut secrets));
            let shown = match given.inputs.get(&failure.property) {
                Some(value) => crate::functions::formatted(value),
                None => "<nil>".to_owned(),
            };
            let message = refusal(urn, &failure.property, &shown, &failure.reason);
            let message = masked(&message, secrets);
            self.report(
                Some(urn),
                Problem::error("invalid-input", message, "", None),
            );
        }
        let situation = Situation {
            old: old.map(OldObject::of),
            kind: ResourceKind::Custom,
            is_deleted_before: false,
            is_targeted: true,
            is_replace_requested: given.is_replace_requested,
            is_triggered: given.replacing.causes.is_triggered,
            is_replaced_with: given.replacing.causes.is_replaced_with,
            is_deleted_with: given.replacing.causes.is_deleted_with,
            has_new_provider: false,
            deletes_before_replace: given.replacing.deletes_first,
        };
        let decision = match (decide_early(&situation), old) {
            (EarlyDecision::Decided(decision), _) => decision,
            (EarlyDecision::Diff, old) => {
                let old = old
                    .cloned()
                    .unwrap_or_else(|| OldResource::new(urn.clone()));
                let request = configuration_difference(urn, &old, &inputs);
                let mut diff = plugin.diff_config(request, false).await?;
                if diff.changes == Changes::Unknown {
                    diff.changes = match old.outputs == own_settings(&inputs) {
                        true => Changes::None,
                        false => Changes::Some,
                    };
                }
                decide(&situation, diff.replacing_on(&given.replacing.on_changes))
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
        let Some(new) = self.providers.get(provider).cloned() else {
            return false;
        };
        if old.provider == new.reference {
            return false;
        }
        if old.provider.is_empty() {
            return true;
        }
        if let Some(known) = new.replaces().get(&old.provider) {
            return *known;
        }
        let before = old.provider_urn();
        let is_renamed =
            |before: &Urn| before != provider && self.claimed.get(before) == Some(provider);
        if before.as_ref().is_some_and(is_renamed) {
            return false;
        }
        let before = before.and_then(|urn| self.find_old(&urn, &[]).cloned());
        let replaces = match (before, &new.plugin) {
            (Some(before), Some(plugin)) => {
                let request = configuration_difference(provider, &before, &new.inputs);
                plugin
                    .diff_config(request, true)
                    .await
                    .is_ok_and(|diff| diff.is_replace())
            }
            _ => false,
        };
        new.replaces().insert(old.provider.clone(), replaces);
        replaces
    }

    pub(super) fn push(
        &mut self,
        urn: &Urn,
        old: Option<OldResource>,
        mut new: Option<NewResource>,
        decision: Decision,
        caveats: BTreeSet<Caveat>,
        declared: Option<Span>,
    ) {
        if let Some(new) = &mut new {
            // The state keeps the one that it was found by.
            let former = old.iter().map(|old| old.urn.clone());
            new.aliases = former.filter(|it| it != urn).collect();
        }
        if let Some(old) = &old {
            self.outcome.claimed.push((old.urn.clone(), urn.clone()));
            if old.urn != *urn {
                self.outcome.alias = Some((urn.clone(), old.urn.clone()));
            }
        }
        self.outcome.registered.push(urn.clone());
        self.outcome.steps.push(Arc::new(Step {
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
        }));
    }
}

impl<T> KeptProvider<T> {
    fn unsaved(urn: &Urn, given: ProviderOrigin) -> KeptProvider<T> {
        let caveat = Caveat::Provider {
            name: given.package.name.clone(),
            why: "its configuration is not saved".to_owned(),
        };
        let inputs = given.inputs.clone();
        KeptProvider {
            decision: undecided(),
            problems: Vec::new(),
            provider: Arc::new(Provider {
                reference: format!("{urn}::{UNKNOWN}"),
                inputs: inputs.clone(),
                plugin: None,
                caveat: Some(caveat),
                replaces: Mutex::default(),
            }),
            inputs,
            given,
        }
    }
}

impl<T: Plugin> Provider<T> {
    fn replaces(&self) -> MutexGuard<'_, BTreeMap<String, bool>> {
        self.replaces.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn is_running(&self) -> bool {
        self.plugin.as_ref().is_some_and(|it| it.is_running())
    }
}

/// Without a plugin, nothing changes.
pub(super) fn undecided() -> Decision {
    Decision {
        op: Op::Same,
        replace_keys: Vec::new(),
        diff_keys: Vec::new(),
        detailed: None,
    }
}

/// The key of the engine's own entries about a plugin. The plugin never sees them.
const INTERNAL: &str = "__internal";

/// Writes the plugin of a provider, and the names of its environment variables, into the inputs.
fn name_plugin(inputs: &mut Object, package: &Package, url: Option<&str>, mappings: Object) {
    let version = package.version.as_deref();
    if version.is_none() && url.is_none() && mappings.is_empty() {
        return;
    }
    let mut internal = Object::new();
    let mut insert = |key: &str, value: &str| {
        internal.insert(key.to_owned(), Value::from(value));
    };
    if let Some(url) = url {
        insert("pluginDownloadURL", url);
    }
    if let Some(base) = &package.base {
        insert("name", &base.plugin);
        insert("parameterization", &STANDARD.encode(&base.parameter));
        if let Some(version) = &base.version {
            insert("version", version);
        }
    }
    if !mappings.is_empty() {
        internal.insert("envVarMappings".to_owned(), Value::Object(mappings));
    }
    inputs.insert(INTERNAL.to_owned(), Value::Object(internal));
    if let Some(version) = version {
        inputs.insert("version".to_owned(), Value::from(version));
    }
}

fn own_settings(inputs: &Object) -> Object {
    let own = inputs.iter().filter(|(key, _)| *key != INTERNAL);
    own.map(|(key, value)| (key.clone(), value.clone()))
        .collect()
}

pub(super) fn configuration_difference(urn: &Urn, old: &OldResource, news: &Object) -> DiffRequest {
    let request = difference(urn, old, &own_settings(news));
    DiffRequest {
        old_inputs: own_settings(&request.old_inputs),
        ..request
    }
}

/// An address as a part of a name, as the engine writes it: parts between slashes, each of letters, digits and `_ . -`.
fn qualified_name(url: &str) -> String {
    let parts = url.split('/').filter(|it| !it.is_empty());
    let parts = parts.map(|part| {
        let allowed = |(nth, c): (usize, char)| match c {
            '-' if nth == 0 => '_',
            '_' | '.' | '-' => c,
            _ if c.is_ascii_alphanumeric() => c,
            _ => '_',
        };
        part.chars().enumerate().map(allowed).collect::<String>()
    });
    parts.collect::<Vec<_>>().join("/")
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

impl OldObject {
    pub(super) fn of(old: &OldResource) -> OldObject {
        OldObject {
            is_external: old.is_external,
            is_pending_replacement: old.is_pending_replacement,
            has_init_errors: !old.init_errors.is_empty(),
        }
    }
}
