//! One resource of the program: asked about, decided and bound to its name.

use std::collections::BTreeSet;
use std::sync::Arc;

use sha2::{Digest, Sha256};
use text::Problem;

use super::Run;
use super::goal::Goal;
use super::providers::{difference, undecided};
use super::types::place_of;
use crate::ask::{
    Changes, CheckRequest, Checked, CreateRequest, DiffRequest, Package, Plugin, PluginError,
    Plugins,
};
use crate::builtin::Served;
use crate::caveat::Caveat;
use crate::diff::{structural, with_old};
use crate::evaluate::{Binding, Registered};
use crate::host;
use crate::path::Path;
use crate::plan::NewResource;
use crate::program::{Declared, ResourceDecl};
use crate::schema::ResourceType;
use crate::state::OldResource;
use crate::step::{Decision, Early, Kind, Old, Op, Situation, decide, decide_early};
use crate::urn::{PROVIDER_PREFIX, Urn};
use crate::value::{Object, Value};

/// A resource on its way.
struct Registration<'a> {
    declared: &'a Declared<ResourceDecl>,
    goal: Goal,
    urn: Urn,
    provider: Urn,
    /// As the host registers them.
    inputs: Object,
    added: host::Added,
    aliases: Vec<Urn>,
    old: Option<OldResource>,
    /// What its type has.
    properties: Vec<String>,
}

/// Why a registration ends early.
enum Stop {
    /// It is reported.
    Failed,
    Plugin(PluginError),
}

impl From<PluginError> for Stop {
    fn from(error: PluginError) -> Stop {
        Stop::Plugin(error)
    }
}

impl<P: Plugins> Run<'_, P> {
    pub(super) async fn resource(&mut self, index: usize) {
        let inputs = self.inputs;
        let declared = &inputs.program.resources[index];
        let decl = &declared.decl;
        let Some(goal) = self.goal(declared) else {
            return self.fail(&declared.name);
        };
        let name = decl.name.as_deref().unwrap_or(&declared.name);
        if decl.type_name.starts_with(PROVIDER_PREFIX) {
            let urn = inputs.stack.urn(Some(&goal.parent), &decl.type_name, name);
            let op = self.declared_provider(declared, goal, urn.clone()).await;
            return self.bind_provider(&declared.name, urn, op);
        }
        if let Some(caveat) = self.unplanned_kind(declared) {
            let urn = inputs.stack.urn(Some(&goal.parent), &decl.type_name, name);
            return self.unplanned(declared, &urn, caveat);
        }
        let package = Package {
            name: decl.package().to_owned(),
            version: decl.options.version.clone(),
        };
        let Some(schema) = self.schema(&package).await else {
            let urn = inputs.stack.urn(Some(&goal.parent), &decl.type_name, name);
            let why = "its schema is not known".to_owned();
            let name = package.name.clone();
            return self.unplanned(declared, &urn, Caveat::Provider { name, why });
        };
        let Some(token) = schema.resource_token(&decl.type_name).map(str::to_owned) else {
            let type_name = &decl.type_name;
            let message = format!(
                "error resolving type of resource {}: resource type {type_name} not found in package {}",
                declared.name, package.name
            );
            self.error(
                None,
                "unknown-type",
                message,
                Some(declared.span(decl.type_at)),
            );
            self.is_stopped = true;
            return self.fail(&declared.name);
        };
        let urn = inputs.stack.urn(Some(&goal.parent), &token, name);
        let Some(resource) = schema.resource(&token) else {
            return self.fail(&declared.name);
        };
        if resource.is_component() {
            return self.unplanned(declared, &urn, Caveat::Component(declared.name.clone()));
        }
        if self.registered.contains(&urn) {
            let message = format!("Duplicate resource URN '{urn}'; try giving it a unique name");
            self.error(
                Some(&urn),
                "duplicate-urn",
                message,
                Some(declared.span(declared.at)),
            );
            self.is_stopped = true;
            return self.fail(&declared.name);
        }
        let registration = self
            .registration(declared, goal, urn, resource, &package)
            .await;
        self.register(registration).await;
    }

    /// What is not planned by its kind.
    pub(super) fn unplanned_kind(&self, declared: &Declared<ResourceDecl>) -> Option<Caveat> {
        let decl = &declared.decl;
        let name = &declared.name;
        if decl.type_name == "pulumi:pulumi:StackReference" {
            return Some(Caveat::StackReference(name.clone()));
        }
        if self.inputs.program.components.contains(&decl.type_name) {
            return Some(Caveat::Component(name.clone()));
        }
        if decl.get.is_some() {
            return Some(Caveat::Read(name.clone()));
        }
        let is_import = decl.options.import.is_some();
        is_import.then(|| Caveat::Import(name.clone()))
    }

    /// A resource that is left as it is, and everything below it.
    fn unplanned(&mut self, declared: &Declared<ResourceDecl>, urn: &Urn, caveat: Caveat) {
        let old = self.find_old(urn, &[]).cloned();
        let mut kept: Vec<Urn> = self.below(urn);
        kept.extend(old.as_ref().map(|it| it.urn.clone()));
        // Nor is a provider deleted that they may still have.
        let providers = kept
            .iter()
            .filter_map(|it| self.find_old(it, &[])?.provider_urn());
        let providers: Vec<Urn> = providers.collect();
        for urn in kept.into_iter().chain(providers) {
            self.claimed.insert(urn.clone(), urn);
        }
        let decision = undecided();
        let caveats = BTreeSet::from([caveat.clone()]);
        let new = NewResource {
            is_custom: true,
            ..NewResource::default()
        };
        let span = declared.span(declared.at);
        self.push(urn, old, Some(new), decision, caveats, Some(span));
        self.bind_unknown(&declared.name, urn, caveat);
    }

    /// The resources of the state whose parent, or a parent of it, this is.
    fn below(&self, urn: &Urn) -> Vec<Urn> {
        let mut found = vec![urn.clone()];
        // Parents come before their children.
        for old in &self.inputs.state.resources {
            if old
                .parent
                .as_ref()
                .is_some_and(|parent| found.contains(parent))
            {
                found.push(old.urn.clone());
            }
        }
        found.remove(0);
        found
    }

    fn bind_provider(&mut self, name: &str, urn: Urn, op: Op) {
        let provider = self.providers.get(&urn);
        let id =
            provider.and_then(|it| it.reference.rsplit_once("::").map(|(_, id)| id.to_owned()));
        let registered = Registered {
            name: urn.name().to_owned(),
            type_name: urn.type_name().to_owned(),
            id: Some(match (op, id) {
                (Op::Same | Op::Update, Some(id)) => Value::String(id),
                _ => Value::Unknown,
            }),
            outputs: provider.map(|it| it.inputs.clone()).unwrap_or_default(),
            properties: Vec::new(),
            caveats: BTreeSet::new(),
            urn,
        };
        self.bindings
            .insert(name.to_owned(), Binding::Resource(Box::new(registered)));
    }

    async fn registration<'d>(
        &mut self,
        declared: &'d Declared<ResourceDecl>,
        goal: Goal,
        urn: Urn,
        resource: ResourceType<'_>,
        package: &Package,
    ) -> Registration<'d> {
        let inputs = self.inputs;
        let in_program = inputs.program.default_provider(&package.name);
        let in_program = in_program.map(|index| {
            let declared = &inputs.program.resources[index];
            let name = declared.decl.name.as_deref().unwrap_or(&declared.name);
            inputs.stack.urn(None, &declared.decl.type_name, name)
        });
        let inherited = self.inherited.get(&goal.parent).cloned();
        let inherited = inherited.filter(|it| {
            it.type_name().strip_prefix(PROVIDER_PREFIX) == Some(package.name.as_str())
        });
        let explicit = goal.provider.clone().or(inherited).or(in_program);
        let provider = match &explicit {
            Some(provider) => provider.clone(),
            None => self.default_provider(package).await,
        };
        if let Some(explicit) = explicit {
            self.inherited.insert(urn.clone(), explicit);
        }
        let mut added = host::added(resource);
        let options = &declared.decl.options;
        let more = options.additional_secret_outputs.iter().cloned();
        added.secret_outputs = more.chain(added.secret_outputs).collect();
        added.secret_outputs.sort();
        added.secret_outputs.dedup();
        let paths = options
            .replace_on_changes
            .iter()
            .filter_map(|it| Path::parse(it).ok());
        added.replace_on_changes = paths.chain(added.replace_on_changes).collect();
        let aliases = self.alias_urns(&urn, &goal, &added.alias_types);
        let old = self.find_old(&urn, &aliases).cloned();
        let mut registered = host::inputs(resource, goal.inputs.clone());
        if let Some(old) = &old {
            for path in options
                .ignore_changes
                .iter()
                .filter_map(|it| Path::parse(it).ok())
            {
                with_old(&mut registered, &old.inputs, &path);
            }
        }
        Registration {
            declared,
            goal,
            urn,
            provider,
            inputs: registered,
            added,
            aliases,
            old,
            properties: resource.properties().map(str::to_owned).collect(),
        }
    }

    async fn register(&mut self, registration: Registration<'_>) {
        let declared = registration.declared;
        let plugin = match self.plugin(&registration) {
            Ok(plugin) => plugin,
            Err(caveat) => return self.unplanned(declared, &registration.urn, caveat),
        };
        let urn = registration.urn.clone();
        match self.decided(&plugin, registration).await {
            Ok(()) => {}
            Err(Stop::Failed) => {
                self.is_stopped = true;
                // It isn't deleted, whatever is wrong with it.
                self.claimed.insert(urn.clone(), urn);
                self.fail(&declared.name);
            }
            Err(Stop::Plugin(PluginError(why))) => {
                let name = urn
                    .type_name()
                    .split(':')
                    .next()
                    .unwrap_or_default()
                    .to_owned();
                self.unplanned(declared, &urn, Caveat::Provider { name, why });
            }
        }
    }

    /// The configured plugin that is asked, or why none can be.
    fn plugin(&self, registration: &Registration<'_>) -> Result<Arc<Served<P::Plugin>>, Caveat> {
        if registration
            .old
            .as_ref()
            .is_some_and(OldResource::is_sealed)
        {
            let reason = self.inputs.state.sealed.as_ref();
            return Err(Caveat::Sealed(
                reason.map(ToString::to_string).unwrap_or_default(),
            ));
        }
        let Some(provider) = self.providers.get(&registration.provider) else {
            return Err(Caveat::Failed(registration.provider.name().to_owned()));
        };
        match (&provider.plugin, &provider.caveat) {
            (Some(plugin), None) => Ok(plugin.clone()),
            (_, Some(caveat)) => Err(caveat.clone()),
            (None, None) => Err(Caveat::Failed(registration.provider.name().to_owned())),
        }
    }

    async fn decided(
        &mut self,
        plugin: &Served<P::Plugin>,
        registration: Registration<'_>,
    ) -> Result<(), Stop> {
        let urn = registration.urn.clone();
        let old = registration.old.clone();
        let is_requested = self
            .inputs
            .options
            .replace
            .iter()
            .any(|it| it == urn.as_str());
        let is_fresh = is_requested || self.deleted_before.contains(&urn);
        let olds = old.as_ref().filter(|old| !old.is_external && !is_fresh);
        let checked = self.checked(plugin, &registration, olds).await?;
        let situation = self.situation(&registration, is_requested).await;
        let diff_options = &registration.added.replace_on_changes;
        let mut decision = match (decide_early(&situation), &old) {
            (Early::Decided(decision), _) => decision,
            (Early::Diff, None) => undecided(),
            (Early::Diff, Some(old)) => {
                let ignored = &registration.declared.decl.options.ignore_changes;
                let diff = self.diff(plugin, &urn, old, &checked, ignored).await?;
                decide(&situation, diff.replacing_on(diff_options))
            }
        };
        let mut inputs = checked;
        if let Op::Replace { deletes_first } = decision.op {
            // Names that the provider makes up have to be new ones.
            if olds.is_some() {
                inputs = self.checked(plugin, &registration, None).await?;
            }
            self.replaced.insert(urn.clone());
            if let Some(old) = &old {
                self.refuse_protected(&registration, old);
                if deletes_first {
                    self.delete_dependents(plugin, old).await?;
                }
            }
        }
        if !self.is_target(&urn) && old.is_none() {
            decision.op = Op::Same;
        }
        let outputs = self
            .outputs_of(plugin, &registration, &decision, &inputs)
            .await?;
        self.finish(registration, decision, inputs, outputs);
        Ok(())
    }

    /// The inputs with the provider's defaults.
    async fn checked(
        &mut self,
        plugin: &Served<P::Plugin>,
        registration: &Registration<'_>,
        olds: Option<&OldResource>,
    ) -> Result<Object, Stop> {
        let urn = &registration.urn;
        let request = CheckRequest {
            urn: urn.clone(),
            olds: olds.map(|it| it.inputs.clone()).unwrap_or_default(),
            news: registration.inputs.clone(),
            seed: Sha256::digest(urn.as_str()).to_vec(),
        };
        let Checked { inputs, failures } = plugin.check(request).await?;
        for failure in &failures {
            let declared = registration.declared;
            let path = Path::parse(&failure.property).unwrap_or(Path(Vec::new()));
            let value = path.get(&registration.inputs);
            let shown = match value {
                Some(value) if value.has_secret() => "[secret]".to_owned(),
                Some(value) => crate::functions::formatted(value),
                None => String::new(),
            };
            let reason = masked(&failure.reason, &registration.inputs);
            let message = format!(
                "{} resource '{}': property {} value {{{shown}}} has a problem: {reason}",
                urn.type_name(),
                urn.name(),
                failure.property,
            );
            let at = declared.span(place_of(declared, path.root()));
            self.report(
                Some(urn),
                Problem::error("invalid-input", message, "", Some(at)),
            );
        }
        match failures.is_empty() {
            true => Ok(inputs),
            false => Err(Stop::Failed),
        }
    }

    async fn situation(
        &mut self,
        registration: &Registration<'_>,
        is_requested: bool,
    ) -> Situation {
        let options = &self.inputs.options;
        let goal = &registration.goal;
        let old = registration.old.as_ref();
        // A trigger that comes or goes replaces nothing.
        let before = old.and_then(|it| it.replacement_trigger.as_ref());
        let is_triggered = match (&goal.replacement_trigger, before) {
            (Some(now), _) if now.has_unknown() => true,
            (Some(now), Some(before)) => now != before,
            _ => false,
        };
        let is_replaced = |urn: &Urn| self.replaced.contains(urn);
        let is_replaced_with = goal.replace_with.iter().any(is_replaced);
        let deleted_with = goal.deleted_with.as_ref();
        let is_deleted_with =
            options.replaces_deleted_with && deleted_with.is_some_and(is_replaced);
        Situation {
            old: old.map(Old::of),
            kind: Kind::Custom,
            is_deleted_before: self.deleted_before.contains(&registration.urn),
            is_targeted: self.is_target(&registration.urn),
            is_replace_requested: is_requested,
            is_triggered,
            is_replaced_with,
            is_deleted_with,
            deletes_before_replace: registration.declared.decl.options.delete_before_replace,
            has_new_provider: match old {
                Some(old) => {
                    self.is_replaced_by_provider(old, &registration.provider)
                        .await
                }
                None => false,
            },
        }
    }

    async fn diff(
        &self,
        plugin: &Served<P::Plugin>,
        urn: &Urn,
        old: &OldResource,
        news: &Object,
        ignored: &[String],
    ) -> Result<crate::ask::Diffed, PluginError> {
        let request = DiffRequest {
            ignore_changes: ignored.to_vec(),
            ..difference(urn, old, news)
        };
        let diff = plugin.diff(request).await?;
        if diff.changes != Changes::Unknown {
            return Ok(diff);
        }
        let ignored: Vec<Path> = ignored
            .iter()
            .filter_map(|it| Path::parse(it).ok())
            .collect();
        Ok(structural(&old.inputs, news, &ignored))
    }

    fn refuse_protected(&mut self, registration: &Registration<'_>, old: &OldResource) {
        if !old.is_protected || !registration.goal.is_protected {
            return;
        }
        let urn = &registration.urn;
        let message = format!(
            "unable to replace resource \"{urn}\"\nas it is currently marked for protection. To unprotect the resource, remove the `protect` flag from the resource in your Pulumi program and run `pulumi up`, or use the command:\n`pulumi state unprotect '{urn}'`"
        );
        let at = registration.declared.span(registration.declared.at);
        self.error(Some(urn), "protected-resource", message, Some(at));
    }

    /// What a resource has after the update, as far as it is known. `None` where nothing changes.
    async fn outputs_of(
        &self,
        plugin: &Served<P::Plugin>,
        registration: &Registration<'_>,
        decision: &Decision,
        inputs: &Object,
    ) -> Result<Option<Object>, PluginError> {
        let urn = &registration.urn;
        let outputs = match (decision.op, &registration.old) {
            (Op::Same | Op::Delete, _) => return Ok(None),
            (Op::Update, Some(old)) => {
                let ignored = &registration.declared.decl.options.ignore_changes;
                let request = DiffRequest {
                    ignore_changes: ignored.clone(),
                    ..difference(urn, old, inputs)
                };
                plugin.preview_update(request).await?
            }
            (Op::Create | Op::Update | Op::Replace { .. }, _) => {
                let request = CreateRequest {
                    urn: urn.clone(),
                    properties: inputs.clone(),
                };
                plugin.preview_create(request).await?
            }
        };
        // Without previews it has what it is given.
        let outputs = outputs.unwrap_or_else(|| inputs.clone());
        Ok(Some(marked(outputs, &registration.added.secret_outputs)))
    }

    fn finish(
        &mut self,
        registration: Registration<'_>,
        decision: Decision,
        inputs: Object,
        outputs: Option<Object>,
    ) {
        let Registration {
            declared,
            goal,
            urn,
            provider,
            added,
            aliases,
            old,
            properties,
            ..
        } = registration;
        let reference = self.providers.get(&provider).map(|it| it.reference.clone());
        let is_kept = matches!(decision.op, Op::Same | Op::Update);
        let id = old.as_ref().filter(|_| is_kept).map(|old| old.id.clone());
        // Whatever holds something unknown is unknown to the program, as the language host asks for whole values.
        let known = match (&outputs, &old) {
            (Some(outputs), _) => {
                let known = outputs.iter().filter(|(_, value)| !value.has_unknown());
                known
                    .map(|(key, value)| (key.clone(), value.clone()))
                    .collect()
            }
            (None, Some(old)) => marked(old.outputs.clone(), &added.secret_outputs),
            (None, None) => Object::new(),
        };
        let registered = Registered {
            urn: urn.clone(),
            name: urn.name().to_owned(),
            type_name: urn.type_name().to_owned(),
            id: Some(id.clone().map_or(Value::Unknown, Value::String)),
            outputs: known,
            properties,
            caveats: goal.caveats.clone(),
        };
        self.bindings.insert(
            declared.name.clone(),
            Binding::Resource(Box::new(registered)),
        );
        let options = &declared.decl.options;
        let is_created_first = decision.op
            == Op::Replace {
                deletes_first: false,
            };
        let paths = added.replace_on_changes.iter().map(Path::to_string);
        let new = NewResource {
            is_custom: true,
            id,
            inputs,
            outputs: outputs.filter(|_| is_created_first),
            parent: Some(goal.parent),
            provider: reference.unwrap_or_default(),
            dependencies: goal.dependencies,
            property_dependencies: goal.property_dependencies,
            additional_secret_outputs: added.secret_outputs,
            replace_on_changes: paths.collect(),
            ignore_changes: options.ignore_changes.clone(),
            aliases: aliases.clone(),
            is_protected: goal.is_protected,
            is_retained_on_delete: options.is_retained_on_delete,
            deleted_with: goal.deleted_with,
            replace_with: goal.replace_with,
            replacement_trigger: goal.replacement_trigger,
        };
        self.aliases.insert(urn.clone(), aliases);
        let span = declared.span(declared.at);
        self.push(&urn, old, Some(new), decision, goal.caveats, Some(span));
    }

    /// What has to be deleted with a resource that is deleted before it is replaced: by the dependencies of the state, those
    /// whose replacement follows when everything that depends on it is unknown.
    async fn delete_dependents(
        &mut self,
        plugin: &Served<P::Plugin>,
        root: &OldResource,
    ) -> Result<(), PluginError> {
        let inputs = self.inputs;
        let mut gone: BTreeSet<Urn> = BTreeSet::from([root.urn.clone()]);
        for old in &inputs.state.resources {
            let provider = old.provider_urn();
            if provider.is_some_and(|it| gone.contains(&it)) {
                gone.insert(old.urn.clone());
                continue;
            }
            let depends = |urns: &Vec<Urn>| urns.iter().any(|urn| gone.contains(urn));
            if old.is_to_delete || !depends(&old.dependencies) {
                continue;
            }
            let mut news = old.inputs.clone();
            for (name, urns) in &old.property_dependencies {
                if depends(urns) {
                    news.insert(name.clone(), Value::Unknown);
                }
            }
            let diff = self.diff(plugin, &old.urn, old, &news, &[]).await?;
            let paths = old
                .replace_on_changes
                .iter()
                .filter_map(|it| Path::parse(it).ok());
            if diff.replacing_on(&paths.collect::<Vec<_>>()).is_replace() {
                gone.insert(old.urn.clone());
            }
        }
        gone.remove(&root.urn);
        self.deleted_before.extend(gone);
        Ok(())
    }
}

impl OldResource {
    /// Whether it holds something that cannot be decrypted.
    fn is_sealed(&self) -> bool {
        let values = self.inputs.values().chain(self.outputs.values());
        values.into_iter().any(Value::is_sealed)
    }
}

/// With the outputs of these names as secrets.
fn marked(mut outputs: Object, secret: &[String]) -> Object {
    for name in secret {
        if let Some(value) = outputs.get_mut(name) {
            *value = Value::secret(std::mem::take(value));
        }
    }
    outputs
}

/// A text of a provider without the secrets that it was given.
fn masked(text: &str, inputs: &Object) -> String {
    let mut secrets = Vec::new();
    inputs.values().for_each(|it| it.secret_texts(&mut secrets));
    // A longer one may hold a shorter one.
    secrets.sort_by_key(|it| std::cmp::Reverse(it.len()));
    secrets.iter().fold(text.to_owned(), |text, secret| {
        text.replace(secret.as_str(), "[secret]")
    })
}
