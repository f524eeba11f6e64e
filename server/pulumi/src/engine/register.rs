//! One resource of the program: asked about, decided and bound to its name.

use std::collections::BTreeSet;
use std::sync::Arc;

use sha2::{Digest, Sha256};
use text::Problem;

use super::goal::{Goal, Inherited};
use super::memo::{MemoDependencies, ResourceMemo, stamps};
use super::providers::{PROVIDER_READ, difference, is_default, refusal, undecided};
use super::types::{package, place_of};
use super::{REPLACES_DELETED_WITH, Run};
use crate::ask::{
    Autonaming, Changes, CheckRequest, Checked, CreateRequest, DiffRequest, Package, Plugin,
    PluginError, Plugins,
};
use crate::builtin::PackageHost;
use crate::caveat::Caveat;
use crate::evaluate::{Binding, Reads, Registered};
use crate::expr::{ExprKind, Property};
use crate::host;
use crate::options::ResourceOptions;
use crate::path::{Path, PathStep};
use crate::plan::NewResource;
use crate::program::{Declared, ResourceDecl, package_of};
use crate::schema::{ResourceType, Schema};
use crate::state::OldResource;
use crate::step::{
    Decision, EarlyDecision, OldObject, Op, ResourceKind, Situation, decide, decide_early,
};
use crate::structural_diff::{structural, with_old};
use crate::urn::{STACK_REFERENCE, Urn};
use crate::value::{Object, Resource, Value, masked};

/// A resource on its way.
pub(super) struct Registration<'a> {
    pub declared: &'a Declared<ResourceDecl>,
    pub goal: Goal,
    pub urn: Urn,
    pub provider: Urn,
    /// Whether that is the one of the stack's configuration.
    pub has_default_provider: bool,
    /// As the host registers them.
    pub registered: Object,
    /// The same, with the old values of those whose changes are ignored.
    pub inputs: Object,
    pub added: host::Added,
    pub old: Option<OldResource>,
    pub autonaming: Option<Autonaming>,
    /// The names of the properties of its type.
    pub properties: Vec<String>,
}

impl Registration<'_> {
    /// Gives its inputs the old values of those whose changes are ignored.
    pub fn ignore_changes(&mut self) {
        let Some(old) = &self.old else {
            return;
        };
        let paths = self.declared.decl.options.ignore_changes.iter();
        for path in paths.filter_map(|it| Path::parse(it).ok()) {
            with_old(&mut self.inputs, &old.inputs, &path);
        }
    }
}

/// The object that a resource takes over, where the state does not have that yet.
pub(super) fn import(options: &ResourceOptions, old: Option<&OldResource>) -> Option<String> {
    let import = options.import.as_ref()?;
    let old = old.filter(|old| !old.is_external);
    let known = old.map(|old| old.import_id.as_ref().unwrap_or(&old.id));
    (known != Some(import)).then(|| import.clone())
}

/// Why a registration ends early.
pub(super) enum RegistrationError {
    /// It is reported.
    Failed,
    Plugin(PluginError),
}

impl From<PluginError> for RegistrationError {
    fn from(error: PluginError) -> RegistrationError {
        RegistrationError::Plugin(error)
    }
}

impl<P: Plugins> Run<'_, P> {
    pub(super) async fn resource(&mut self, index: usize) {
        let declared = &self.inputs.program.resources[index];
        if !self.is_ended() && self.is_kept(declared).await {
            return;
        }
        self.reads = Reads::default();
        let depends = self.planned(declared).await;
        let reads = std::mem::take(&mut self.reads);
        let outcome = self.commit();
        if let Some(depends) = depends {
            let kept = ResourceMemo {
                declared: declared.clone(),
                stamps: stamps(&self.inputs.dir, &reads),
                reads,
                depends,
                outcome,
            };
            self.memo.resources.insert(declared.name.clone(), kept);
        }
    }

    /// Plans a resource. Returns the dependencies of the plan if it may be kept.
    async fn planned(
        &mut self,
        declared: &Arc<Declared<ResourceDecl>>,
    ) -> Option<MemoDependencies<P::Plugin>> {
        let inputs = self.inputs;
        let decl = &declared.decl;
        let goal = self.goal(declared).await;
        // The host evaluates every resource, also after an error.
        let is_registered = !self.misfits.contains(&declared.name) && !self.is_ended();
        let Some(goal) = goal.filter(|_| is_registered) else {
            self.failed(declared);
            return None;
        };
        let name = decl.name.as_deref().unwrap_or(&declared.name);
        if name.is_empty() {
            let message = "resource name argument (for URN creation) cannot be empty";
            let at = Some(declared.span(declared.at));
            self.error(None, "missing-name", message, at);
            self.outcome.is_stopped = true;
            self.failed(declared);
            return None;
        }
        if decl.is_provider() {
            let urn = inputs.stack.urn(Some(&goal.parent), &decl.type_name, name);
            if let Some(get) = &decl.get {
                let at = Some(declared.span(get.at));
                self.error(Some(&urn), "read", PROVIDER_READ, at);
                self.outcome.is_stopped = true;
                self.failed(declared);
                return None;
            }
            let (op, properties) = self.declared_provider(declared, goal, urn.clone()).await;
            self.bind_provider(&declared.name, urn, op, properties);
            return None;
        }
        if let Some(caveat) = self.unplanned_kind(declared) {
            let urn = inputs.stack.urn(Some(&goal.parent), &decl.type_name, name);
            self.unplanned(declared, &urn, caveat);
            return None;
        }
        let package = self.requested(package(decl, &inputs.locks));
        let Some(schema) = self.schema(&package).await else {
            let caveat = self.unknown_schemas.get(&package).cloned();
            let caveat = caveat.unwrap_or(Caveat::Failed(package.name));
            self.left_alone(declared, caveat);
            return None;
        };
        let Some(token) = schema.resource_token(&decl.type_name).map(str::to_owned) else {
            self.failed(declared);
            return None;
        };
        let urn = inputs.stack.urn(Some(&goal.parent), &token, name);
        let resource = schema.resource(&token)?;
        if resource.is_component() {
            self.unplanned(declared, &urn, Caveat::Component(declared.name.clone()));
            return None;
        }
        if self.registered.contains(&urn) {
            let message = format!("Duplicate resource URN '{urn}'; try giving it a unique name");
            let at = Some(declared.span(declared.at));
            self.error(Some(&urn), "duplicate-urn", message, at);
            self.outcome.is_stopped = true;
            self.outcome
                .bind(&declared.name, self.failure(&declared.name));
            return None;
        }
        let registration = self
            .registration(declared, goal, urn, resource, &package)
            .await;
        let Some(registration) = registration else {
            self.outcome.is_stopped = true;
            self.failed(declared);
            return None;
        };
        if let Some(stacks) = inputs.stacks.as_ref().filter(|_| token == STACK_REFERENCE) {
            self.refer(registration, stacks);
            return None;
        }
        if let (Some(_), Some(world)) = (&decl.get, inputs.options.world) {
            self.read(registration, world).await;
            return None;
        }
        if self.is_claimed_twice(&registration) {
            self.outcome.is_stopped = true;
            self.failed(declared);
            return None;
        }
        let import = import(&decl.options, registration.old.as_ref());
        if let Some(id) = import.filter(|_| self.is_target(&registration.urn)) {
            self.take_over(registration, &id).await;
            return None;
        }
        let depends = self.depends(&registration, package, &schema);
        self.register(registration).await.then_some(depends?)
    }

    /// Whether another resource has taken over its object in the state; reports that.
    fn is_claimed_twice(&mut self, registration: &Registration<'_>) -> bool {
        let old = registration.old.as_ref();
        let Some((old, other)) = old.and_then(|it| Some((it, self.claimed.get(&it.urn)?))) else {
            return false;
        };
        let (alias, urn) = (&old.urn, &registration.urn);
        // A resource that is not planned keeps the place of its children.
        if other == urn {
            return false;
        }
        let message = match alias == urn {
            true => format!(
                "Duplicate resource URN '{urn}' conflicting with alias on resource with URN '{other}'"
            ),
            false => {
                let other = if other == alias { urn } else { other };
                format!(
                    "Duplicate resource alias '{alias}' applied to resource with URN '{urn}' conflicting with resource with URN '{other}'"
                )
            }
        };
        let at = registration.declared.place();
        self.error(Some(urn), "claimed-alias", message, Some(at));
        true
    }

    /// The dependencies of the plan of a resource.
    fn depends(
        &self,
        registration: &Registration<'_>,
        package: Package,
        schema: &Arc<Schema>,
    ) -> Option<MemoDependencies<P::Plugin>> {
        let goal = &registration.goal;
        let provider = &registration.provider;
        let others = goal.replace_with.iter().chain(&goal.deleted_with);
        Some(MemoDependencies {
            urn: registration.urn.clone(),
            in_program: self.provider_in_program(&package.name),
            package,
            schema: schema.clone(),
            has_default_provider: registration.has_default_provider,
            provider: (provider.clone(), self.providers.get(provider)?.clone()),
            parent: goal.parent.clone(),
            parent_aliases: self.alias_parents(goal),
            inherited: self.inherited.get(&goal.parent).cloned(),
            replaced: others
                .map(|urn| (urn.clone(), self.replaced.contains(urn)))
                .collect(),
            is_deleted_before: self.deleted_before.contains(&registration.urn),
        })
    }

    /// The URN of the default provider that the program declares for a package.
    pub(super) fn provider_in_program(&self, package: &str) -> Option<Urn> {
        let inputs = self.inputs;
        let index = inputs.program.default_provider(package)?;
        let declared = &inputs.program.resources[index];
        match self.bindings.get(&declared.name).map(|it| &**it) {
            Some(Binding::Resource(provider)) => Some(provider.urn.clone()),
            _ => {
                let name = declared.decl.name.as_deref().unwrap_or(&declared.name);
                Some(inputs.stack.urn(None, &declared.decl.type_name, name))
            }
        }
    }

    /// A resource that cannot be planned because of its own errors. If the plan goes on, it stays as it is.
    pub(super) fn failed(&mut self, declared: &Declared<ResourceDecl>) {
        let ends_here = self.inputs.options.stops_at_faults && self.outcome.is_stopped;
        if ends_here || self.is_ended() {
            return self.outcome.bind(&declared.name, Binding::Failed);
        }
        self.left_alone(declared, Caveat::Failed(declared.name.clone()));
    }

    /// A resource whose URN is uncertain. All objects in the state that may be its own stay as they are.
    fn left_alone(&mut self, declared: &Declared<ResourceDecl>, caveat: Caveat) {
        let decl = &declared.decl;
        let schema = self.memo.schemas.get(&package(decl, &self.inputs.locks));
        let token = schema.and_then(|it| it.resource_token(&decl.type_name));
        let token = token.unwrap_or(&decl.type_name).to_owned();
        let name = decl.name.as_deref().unwrap_or(&declared.name);
        let names = [vec![name.to_owned()], former_names(decl)].concat();
        let is_it = |old: &&OldResource| {
            let type_name = old.urn.type_name();
            let is_of_type = type_name == token
                || decl.type_name.is_empty()
                || schema.is_none() && package_of(type_name) == decl.package();
            !old.is_to_delete && is_of_type
        };
        let mut olds: Vec<Urn> = Vec::new();
        for name in &names {
            let by_urn = self.find_old(&Urn::new(name), &[]);
            let named = self.former.named(name).chain(by_urn).filter(is_it);
            olds.extend(named.map(|it| it.urn.clone()));
        }
        let urn = match olds.first() {
            Some(urn) => urn.clone(),
            None => self.inputs.stack.urn(None, &token, name),
        };
        for old in olds {
            self.outcome.claimed.push((old, urn.clone()));
        }
        self.unplanned(declared, &urn, caveat);
    }

    /// Kinds of resources that are not planned.
    fn unplanned_kind(&self, declared: &Declared<ResourceDecl>) -> Option<Caveat> {
        let decl = &declared.decl;
        let name = &declared.name;
        if decl.type_name == STACK_REFERENCE && self.inputs.stacks.is_none() {
            return Some(Caveat::StackReference(name.clone()));
        }
        if self.inputs.program.components.contains(&decl.type_name) {
            return Some(Caveat::Component(name.clone()));
        }
        let is_read = decl.get.is_some() && self.inputs.options.world.is_none();
        is_read.then(|| Caveat::Read(name.clone()))
    }

    /// A resource that stays as it is, with all its children.
    pub(super) fn unplanned(
        &mut self,
        declared: &Declared<ResourceDecl>,
        urn: &Urn,
        caveat: Caveat,
    ) {
        let old = self.find_old(urn, &[]).cloned();
        let mut kept: Vec<Urn> = self.former.below(urn);
        kept.extend(old.as_ref().map(|it| it.urn.clone()));
        // Nor is a provider deleted that they may still have.
        let providers = kept
            .iter()
            .filter_map(|it| self.find_old(it, &[])?.provider_urn());
        let providers: Vec<Urn> = providers.collect();
        for urn in kept.into_iter().chain(providers) {
            self.outcome.claimed.push((urn.clone(), urn));
        }
        let decision = undecided();
        let caveats = BTreeSet::from([caveat.clone()]);
        let new = NewResource {
            is_custom: true,
            ..NewResource::default()
        };
        let span = declared.place();
        self.push(urn, old, Some(new), decision, caveats, Some(span));
        self.bind_unknown(&declared.name, urn, caveat);
    }

    fn bind_provider(&mut self, name: &str, urn: Urn, op: Op, properties: Vec<String>) {
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
            properties,
            caveats: BTreeSet::new(),
            urn,
        };
        self.outcome
            .bind(name, Binding::Resource(Box::new(registered)));
    }

    /// Gives a resource the options that its parent hands on to it. Answers those that it hands on itself. `own`: its provider,
    /// or the one that the host names for it.
    ///
    /// Source: `mergeProviders` in `sdk/go/pulumi/context.go` of Pulumi.
    pub(super) fn inherit(
        &self,
        goal: &mut Goal,
        options: &ResourceOptions,
        own: Option<&Urn>,
    ) -> Inherited {
        let from_parent = self.inherited.get(&goal.parent).cloned();
        let from_parent = from_parent.unwrap_or_default();
        if options.protect.is_none() {
            goal.is_protected = from_parent.is_protected;
        }
        if options.retain_on_delete.is_none() {
            goal.is_retained_on_delete = from_parent.is_retained_on_delete;
        }
        goal.deleted_with = goal.deleted_with.take().or(from_parent.deleted_with);
        let mut providers = from_parent.providers;
        for provider in own.into_iter().chain(&goal.providers) {
            if let Some(package) = provider.package_of_provider() {
                providers.insert(package.to_owned(), provider.clone());
            }
        }
        Inherited {
            providers,
            own_provider: None,
            deleted_with: goal.deleted_with.clone(),
            is_protected: goal.is_protected,
            is_retained_on_delete: goal.is_retained_on_delete,
        }
    }

    /// Why a resource may not have the default provider of a package.
    fn refused_default_provider(&self, package: &str, urn: &Urn) -> Option<String> {
        match self.inputs.config.disables_default_provider(package) {
            Ok(false) => None,
            Ok(true) => Some(format!(
                "Default provider for '{package}' disabled. '{urn}' must use an explicit provider."
            )),
            Err(why) => Some(why),
        }
    }

    async fn registration<'d>(
        &mut self,
        declared: &'d Declared<ResourceDecl>,
        goal: Goal,
        urn: Urn,
        resource: ResourceType<'_>,
        package: &Package,
    ) -> Option<Registration<'d>> {
        let in_program = self.provider_in_program(&package.name);
        let mut goal = goal;
        let options = &declared.decl.options;
        let own = goal.provider.clone().or(in_program);
        let handed_on = self.inherit(&mut goal, options, own.as_ref());
        let of_package = |it: &Urn| it.package_of_provider() == Some(&package.name);
        let of_parent = || {
            let parent = self.inherited.get(&goal.parent)?;
            let provider = parent.own_provider.clone();
            provider.filter(|it| declared.decl.get.is_none() && of_package(it))
        };
        let explicit = own
            .filter(of_package)
            .or_else(|| handed_on.providers.get(&package.name).cloned())
            .or_else(of_parent);
        self.outcome.inherited = Some((urn.clone(), handed_on));
        let has_default_provider = explicit.is_none();
        let refused = match has_default_provider {
            true => self.refused_default_provider(&package.name, &urn),
            false => None,
        };
        if let Some(message) = refused {
            let at = declared.span(declared.decl.type_at);
            self.error(Some(&urn), "configuration-value", message, Some(at));
            return None;
        }
        let provider = match &explicit {
            Some(provider) => provider.clone(),
            // The host reads objects without a version or an address of the plugin.
            None if declared.decl.get.is_some() => {
                let package = self.inputs.locks.package(&package.name, None);
                let package = self.requested(package);
                self.default_provider(&package, None).await
            }
            None => {
                let url = declared.decl.options.plugin_download_url.as_deref();
                self.default_provider(package, url).await
            }
        };
        if let Some((_, handed_on)) = &mut self.outcome.inherited {
            handed_on.own_provider = declared.decl.get.is_none().then(|| provider.clone());
        }
        goal.take_members(resource);
        if is_default(&provider) && self.inputs.config.has_environment {
            // It may configure the provider.
            goal.caveats.insert(Caveat::Environment);
        }
        let mut added = host::added(resource);
        let more = options.additional_secret_outputs.iter().cloned();
        let more: Vec<String> = more.collect();
        added.secret_outputs.retain(|it| !more.contains(it));
        added.secret_outputs.splice(0..0, more);
        let paths = options
            .replace_on_changes
            .iter()
            .filter_map(|it| Path::parse(it).ok());
        added.replace_on_changes = paths.chain(added.replace_on_changes).collect();
        if declared.decl.get.is_some() {
            // The engine reads objects without the aliases of the program.
            goal.aliases.clear();
            added.alias_types.clear();
        }
        let aliases = self.alias_urns(&urn, &goal, &added.alias_types);
        let old = self.find_old(&urn, &aliases).cloned();
        let registered = host::inputs(resource, goal.inputs.clone());
        let autonaming = self
            .memo
            .basis()
            .naming
            .as_ref()
            .ok()
            .and_then(|it| it.of(&urn));
        let mut registration = Registration {
            declared,
            autonaming,
            goal,
            urn,
            provider,
            has_default_provider,
            inputs: registered.clone(),
            registered,
            added,
            old,
            properties: resource.properties().map(str::to_owned).collect(),
        };
        registration.ignore_changes();
        Some(registration)
    }

    /// Answers whether the plan of it may be kept.
    pub(super) async fn register(&mut self, registration: Registration<'_>) -> bool {
        let declared = registration.declared;
        let urn = registration.urn.clone();
        let plugin = match self.plugin(&registration) {
            Ok(plugin) => plugin,
            Err(caveat) => {
                self.unplanned(declared, &urn, caveat);
                return false;
            }
        };
        match self.decided(&plugin, registration).await {
            Ok(()) => return true,
            Err(RegistrationError::Failed) => {
                self.outcome.is_stopped = true;
                self.failed(declared);
                // It isn't deleted, whatever is wrong with it.
                self.outcome.claimed.push((urn.clone(), urn));
            }
            Err(RegistrationError::Plugin(PluginError { why, is_answer })) => {
                let why = masked(&why, self.reads.secret_texts());
                if is_answer {
                    let message = format!("Preview failed: {why}");
                    let at = Some(declared.place());
                    let problem = Problem::error("invalid-input", message, "", at);
                    self.report(Some(&urn), problem);
                    self.outcome.is_stopped = true;
                    self.failed(declared);
                    self.outcome.claimed.push((urn.clone(), urn));
                    return false;
                }
                let name = package_of(urn.type_name()).to_owned();
                self.unplanned(declared, &urn, Caveat::Provider { name, why });
            }
        }
        false
    }

    /// The configured plugin that is asked, or why none can be.
    pub(super) fn plugin(
        &self,
        registration: &Registration<'_>,
    ) -> Result<Arc<PackageHost<P::Plugin>>, Caveat> {
        if registration
            .old
            .as_ref()
            .is_some_and(OldResource::is_sealed)
        {
            return Err(self.sealed());
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
        plugin: &PackageHost<P::Plugin>,
        registration: Registration<'_>,
    ) -> Result<(), RegistrationError> {
        let urn = registration.urn.clone();
        let old = registration.old.clone();
        let is_requested = self.is_replace_requested(&urn, old.as_ref());
        let was_deleted = self.deleted_before.contains(&urn);
        let is_fresh = is_requested || was_deleted && self.waits_for_deleted(&registration);
        let olds = old.as_ref().filter(|old| !old.is_external && !is_fresh);
        let checked = self.checked(plugin, &registration, olds).await?;
        let situation = self.situation(&registration, is_requested).await;
        let diff_options = &registration.added.replace_on_changes;
        let mut decision = match (decide_early(&situation), &old) {
            (EarlyDecision::Decided(decision), _) => decision,
            (EarlyDecision::Diff, None) => undecided(),
            (EarlyDecision::Diff, Some(old)) => {
                let ignored = &registration.declared.decl.options.ignore_changes;
                let diff = self.diff(plugin, &urn, old, &checked, ignored).await?;
                if diff.changes == Changes::Some {
                    check_paths(&registration.declared.decl.options.replace_on_changes)?;
                }
                decide(&situation, diff.replacing_on(diff_options))
            }
        };
        let is_replaced = matches!(decision.op, Op::Replace { .. });
        if let Some(old) = old.as_ref().filter(|_| is_replaced) {
            self.warn_of_import(&registration, old, &checked, &decision);
        }
        if was_deleted && !matches!(decision.op, Op::Replace { .. }) {
            decision = Decision::plain(Op::Replace {
                deletes_first: false,
            });
        }
        let mut inputs = checked;
        if let Op::Replace { deletes_first } = decision.op {
            // Names that the provider makes up have to be new ones.
            if olds.is_some() {
                inputs = self.checked(plugin, &registration, None).await?;
            }
            if let Some(old) = &old {
                self.refuse_protected(&registration, old);
                // One that is itself deleted for another is created again, and nothing more (`deletes` in `step_generator.go`).
                if deletes_first && !was_deleted {
                    let at = registration.declared.place();
                    self.delete_dependents(plugin, &urn, old, Some(at)).await?;
                }
            }
            self.outcome.replaced.push(urn.clone());
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
        plugin: &PackageHost<P::Plugin>,
        registration: &Registration<'_>,
        olds: Option<&OldResource>,
    ) -> Result<Object, RegistrationError> {
        let urn = &registration.urn;
        // Changes are only ignored while there is something that they are changes of.
        let news = match olds {
            Some(_) => &registration.inputs,
            None => &registration.registered,
        };
        let request = CheckRequest {
            urn: urn.clone(),
            olds: olds.map(|it| it.inputs.clone()).unwrap_or_default(),
            news: news.clone(),
            seed: Sha256::digest(urn.as_str()).to_vec(),
            autonaming: registration.autonaming.clone(),
        };
        let Checked { inputs, failures } = plugin.check(request).await?;
        for failure in &failures {
            let declared = registration.declared;
            let path = Path::parse(&failure.property).unwrap_or(Path(Vec::new()));
            // Pulumi shows the values of whole properties alone.
            let shown = shown(registration.inputs.get(&failure.property));
            let property = self.masked(&failure.property, &registration.inputs);
            let reason = self.masked(&failure.reason, &registration.inputs);
            let message = refusal(urn, &property, &shown, &reason);
            let at = declared.span(place_of(declared, path.root()));
            self.report(
                Some(urn),
                Problem::error("invalid-input", message, "", Some(at)),
            );
        }
        match failures.is_empty() {
            true => Ok(inputs),
            false => Err(RegistrationError::Failed),
        }
    }

    /// A text of a provider or of a path, without the secrets of a resource and of all that it has read.
    fn masked(&self, text: &str, inputs: &Object) -> String {
        let mut secrets = self.reads.secret_texts();
        inputs.values().for_each(|it| it.secret_texts(&mut secrets));
        masked(text, secrets)
    }

    /// The keys of secret objects may be secrets themselves: removed keys, and keys of values that were read.
    fn without_secret_keys(
        &self,
        decision: Decision,
        old: Option<&OldResource>,
        inputs: &Object,
    ) -> Decision {
        let Some(detailed) = decision.detailed else {
            return decision;
        };
        let shown = |text: String| {
            let Ok(path) = Path::parse(&text) else {
                return self.masked(&text, inputs);
            };
            let is_secret = |end: usize, object: &Object| {
                let around = Path(path.0[..end].to_vec());
                matches!(around.get(object), Some(Value::Secret(_)))
            };
            let secret = (1..path.0.len()).find(|end| {
                is_secret(*end, inputs)
                    || old.is_some_and(|it| {
                        is_secret(*end, &it.inputs) || is_secret(*end, &it.outputs)
                    })
            });
            let Some(secret) = secret else {
                return text;
            };
            let is_gone = path.get(inputs).is_none();
            let hidden = |(nth, step): (usize, &PathStep)| match step {
                PathStep::Name(name) if nth >= secret => {
                    let masked = self.masked(name, inputs);
                    let is_hidden = is_gone || masked != *name;
                    PathStep::Name(if is_hidden {
                        "[secret]".to_owned()
                    } else {
                        masked
                    })
                }
                other => other.clone(),
            };
            Path(path.0.iter().enumerate().map(hidden).collect()).to_string()
        };
        let detailed = detailed.into_iter().map(|(path, diff)| (shown(path), diff));
        Decision {
            detailed: Some(detailed.collect()),
            ..decision
        }
    }

    /// Whether an option or the state asks for a replacement.
    ///
    /// Source: `isTargetedReplace` in `step_generator.go` of Pulumi's engine.
    pub(super) fn is_replace_requested(&self, urn: &Urn, old: Option<&OldResource>) -> bool {
        self.inputs.options.replace.contain(urn) || old.is_some_and(|it| it.is_tainted)
    }

    /// Reasons to replace a resource, whatever its properties are.
    pub(super) fn causes(&self, goal: &Goal, old: Option<&OldResource>) -> Causes {
        let before = old.and_then(|it| it.replacement_trigger.as_ref());
        let now = goal.replacement_trigger.as_ref();
        let is_triggered = triggers_replacement(now, before);
        let is_replaced = |urn: &Urn| self.replaced.contains(urn);
        let deleted_with = goal.deleted_with.as_ref().filter(|it| is_replaced(it));
        let is_cascade = self.inputs.options.release >= Some(REPLACES_DELETED_WITH);
        Causes {
            is_triggered,
            is_replaced_with: goal.replace_with.iter().any(is_replaced),
            is_deleted_with: is_cascade && deleted_with.is_some(),
        }
    }

    async fn situation(
        &mut self,
        registration: &Registration<'_>,
        is_requested: bool,
    ) -> Situation {
        let old = registration.old.as_ref();
        let Causes {
            is_triggered,
            is_replaced_with,
            is_deleted_with,
        } = self.causes(&registration.goal, old);
        Situation {
            old: old.map(OldObject::of),
            kind: ResourceKind::Custom,
            is_deleted_before: self.deleted_before.contains(&registration.urn)
                && self.waits_for_deleted(registration),
            is_targeted: self.is_target(&registration.urn),
            is_replace_requested: is_requested,
            is_triggered,
            is_replaced_with,
            is_deleted_with,
            deletes_before_replace: match &registration.autonaming {
                // The new one would have the name of the old one.
                Some(naming) if !naming.is_random => Some(true),
                _ => registration.declared.decl.options.delete_before_replace,
            },
            has_new_provider: match old {
                Some(old) => {
                    self.is_replaced_by_provider(old, &registration.provider)
                        .await
                }
                None => false,
            },
        }
    }

    pub(super) async fn diff(
        &self,
        plugin: &PackageHost<P::Plugin>,
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
            // The engine reads the path of each difference.
            if diff.changes == Changes::Some {
                check_paths(diff.detailed.iter().flatten().map(|(path, _)| path))?;
            }
            return Ok(diff);
        }
        let ignored: Vec<Path> = ignored
            .iter()
            .filter_map(|it| Path::parse(it).ok())
            .collect();
        Ok(structural(&old.inputs, news, &ignored))
    }

    /// Warns of a replacement that the update refuses, as it gives the resource another id than the one to import.
    ///
    /// Source: `generateStepsFromDiff` in `step_generator.go` of Pulumi's engine.
    fn warn_of_import(
        &mut self,
        registration: &Registration<'_>,
        old: &OldResource,
        inputs: &Object,
        decision: &Decision,
    ) {
        let declared = registration.declared;
        if declared.decl.options.import.is_none() {
            return;
        }
        let keys = decision.replace_keys.iter().map(|key| {
            let (before, after) = (shown(old.inputs.get(key)), shown(inputs.get(key)));
            format!("\n{key}: {{{before}}} => {{{after}}}")
        });
        let message = format!(
            "previously-imported resources that still specify an ID may not be replaced; please remove the `import` declaration from your program;{}",
            keys.collect::<String>()
        );
        let at = Some(declared.place());
        let warning = Problem {
            severity: text::Severity::Warning,
            ..Problem::error("replaced-import", message, "", at)
        };
        self.report(Some(&registration.urn), warning);
    }

    fn refuse_protected(&mut self, registration: &Registration<'_>, old: &OldResource) {
        if !old.is_protected || !registration.goal.is_protected {
            return;
        }
        let urn = &registration.urn;
        let message = format!(
            "unable to replace resource \"{urn}\"\nas it is currently marked for protection. To unprotect the resource, remove the `protect` flag from the resource in your Pulumi program and run `pulumi up`"
        );
        let at = registration.declared.span(registration.declared.at);
        self.error(Some(urn), "protected-resource", message, Some(at));
    }

    /// The known outputs of a resource after the update. `None` if nothing changes.
    async fn outputs_of(
        &self,
        plugin: &PackageHost<P::Plugin>,
        registration: &Registration<'_>,
        decision: &Decision,
        inputs: &Object,
    ) -> Result<Option<Object>, PluginError> {
        let urn = &registration.urn;
        let outputs = match (decision.op, &registration.old) {
            (Op::Same | Op::Delete | Op::Read | Op::Discard | Op::Import, _) => return Ok(None),
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
        // Without previews, its outputs are its inputs.
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
            mut goal,
            urn,
            provider,
            added,
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
        self.outcome
            .bind(&declared.name, Binding::Resource(Box::new(registered)));
        let options = &declared.decl.options;
        let is_created_first = decision.op
            == Op::Replace {
                deletes_first: false,
            }
            && !self.deleted_before.contains(&urn);
        // Those of the program as they are written.
        let written = &options.replace_on_changes;
        let of_program = written.iter().filter(|it| Path::parse(it).is_ok()).count();
        let paths = added.replace_on_changes.iter().skip(of_program);
        let paths = written.iter().cloned().chain(paths.map(Path::to_string));
        let caveats = std::mem::take(&mut goal.caveats);
        let new = NewResource {
            id,
            inputs,
            outputs: outputs.filter(|_| is_created_first),
            provider: reference.unwrap_or_default(),
            additional_secret_outputs: added.secret_outputs,
            replace_on_changes: paths.collect(),
            import_id: options.import.clone(),
            ..goal.new_resource(options)
        };
        let span = declared.place();
        let decision = self.without_secret_keys(decision, old.as_ref(), &new.inputs);
        // It stays as it was taken over.
        let is_done = self.outcome.steps.iter().any(|it| it.urn == urn);
        if decision.op != Op::Same || !is_done {
            self.push(&urn, old, Some(new), decision, caveats, Some(span));
        }
    }
}

/// Refuses invalid paths, in the words of the engine. The engine reads paths when something differs.
fn check_paths<'a>(paths: impl IntoIterator<Item = &'a String>) -> Result<(), PluginError> {
    match paths.into_iter().find_map(|it| Path::parse(it).err()) {
        None => Ok(()),
        Some(why) => Err(PluginError {
            why: why.to_string(),
            is_answer: true,
        }),
    }
}

/// An input, in a message.
fn shown(input: Option<&Value>) -> String {
    match input {
        Some(value) if value.has_secret() => "[secret]".to_owned(),
        Some(value) => crate::functions::formatted(value),
        None => "<nil>".to_owned(),
    }
}

/// A trigger that comes, goes, or becomes secret replaces nothing.
///
/// Source: `shouldTriggerReplace` in `step_generator.go` of Pulumi.
fn triggers_replacement(now: Option<&Value>, before: Option<&Value>) -> bool {
    let given = |it: &Value| Some(it.without_secrets()).filter(|it| *it != Value::Null);
    match (now.and_then(given), before.and_then(given)) {
        (Some(now), _) if now.has_unknown_part() => true,
        (Some(now), Some(before)) => !is_same_trigger(&now, &before),
        _ => false,
    }
}

/// Whether two triggers are equal. An unknown id of a resource is equal to every value.
///
/// Source: `ResourceReference.Equal` in `sdk/go/property/reference.go` of Pulumi.
fn is_same_trigger(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Array(one), Value::Array(other)) => {
            let mut pairs = one.iter().zip(other);
            one.len() == other.len() && pairs.all(|(one, other)| is_same_trigger(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let mut pairs = one.values().zip(other.values());
            one.keys().eq(other.keys()) && pairs.all(|(one, other)| is_same_trigger(one, other))
        }
        (Value::Resource(one), Value::Resource(other)) => {
            let is_unknown = |it: &Resource| it.id.as_deref() == Some(&Value::Unknown);
            one.urn == other.urn && (one.id == other.id || is_unknown(one) || is_unknown(other))
        }
        _ => one == other,
    }
}

/// Reasons to replace a resource beside its properties.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Causes {
    pub is_triggered: bool,
    pub is_replaced_with: bool,
    pub is_deleted_with: bool,
}

impl OldResource {
    /// Whether it holds something that cannot be decrypted.
    fn is_sealed(&self) -> bool {
        let values = self.inputs.values().chain(self.outputs.values());
        values.into_iter().any(Value::is_sealed)
    }
}

/// The names and URNs in the aliases of a resource, as far as the text shows them.
fn former_names(decl: &ResourceDecl) -> Vec<String> {
    let Some(ExprKind::List(aliases)) = decl.options.aliases.as_ref().map(|it| &it.kind) else {
        return Vec::new();
    };
    let names = aliases.iter().filter_map(|alias| match alias.properties() {
        Some(properties) => {
            let named = |it: &&Property| matches!(it.key.as_str(), Some("name" | "urn"));
            properties.iter().find(named)?.value.as_str()
        }
        None => alias.as_str(),
    });
    names.map(str::to_owned).collect()
}

/// With the outputs of these names as secrets.
pub(super) fn marked(mut outputs: Object, secret: &[String]) -> Object {
    for name in secret {
        if let Some(value) = outputs.get_mut(name) {
            *value = Value::secret(std::mem::take(value));
        }
    }
    outputs
}
