//! The declarations of one module. They are shared between versions of a module: an edit makes new ones only for
//! the segment it touches.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use indexmap::IndexMap;
use smol_str::SmolStr;
use syntax::ast;
use text::{Diagnostic, FileId, Span};

use crate::addr::{
    ConfigResourceAddr, InstanceKey, ModuleInstanceAddr, ModuleStep, ProviderAddr, ResourceAddr,
    ResourceInstanceAddr, Target,
};
use crate::language_release::{Profile, feature};
use crate::refs::{Reference, Referenceable};
use crate::source::{Attribute, Block, Body, Expr, Name};
use crate::table::Table;

/// The declarations of all files of one directory, override files merged in. In source order.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// In whose language it is written.
    pub profile: Profile,
    /// The files that were read, in the order of reading.
    pub files: IndexMap<FileId, syntax::File>,
    /// The files that could not be read, so that the module may declare more.
    pub unread: Vec<FileId>,
    pub variables: Table<SmolStr, Variable>,
    pub locals: Table<SmolStr, Local>,
    pub outputs: Table<SmolStr, Output>,
    pub required_providers: IndexMap<SmolStr, Arc<ProviderRequirement>>,
    /// The header of the first `required_providers` block.
    pub required_providers_span: Option<Span>,
    pub providers: Table<ProviderRef, Provider>,
    /// Managed resources, data sources, ephemeral resources and actions, but not the data sources inside of `check` blocks.
    pub resources: Table<ResourceAddr, Resource>,
    pub module_calls: Table<SmolStr, ModuleCall>,
    pub checks: Table<SmolStr, Check>,
    pub moved: Vec<Arc<Moved>>,
    pub removed: Vec<Arc<Removed>>,
    pub imports: Vec<Arc<Import>>,
    pub required_version: Vec<Attribute>,
    /// The requirements of `language` blocks for OpenTofu.
    pub compatible_with: Vec<Attribute>,
    pub backend: Option<Arc<Backend>>,
    /// OpenTofu's: the first block, and those of override files, whose parts replace its own.
    pub encryption: Vec<Arc<Encryption>>,
    pub provider_metas: Table<SmolStr, ProviderMeta>,
    pub duplicates: Duplicates,
}

/// Declarations of names that are taken. They have no effect, and are checked all the same.
#[derive(Clone, Debug, Default)]
pub struct Duplicates {
    pub variables: Vec<Arc<Variable>>,
    pub locals: Vec<Arc<Local>>,
    pub outputs: Vec<Arc<Output>>,
    pub providers: Vec<Arc<Provider>>,
    pub resources: Vec<Arc<Resource>>,
    pub module_calls: Vec<Arc<ModuleCall>>,
    pub checks: Vec<Arc<Check>>,
    pub provider_metas: Vec<Arc<ProviderMeta>>,
}

impl Module {
    /// The resources whose changes may invoke an action.
    pub fn triggering(&self, action: &ResourceAddr) -> impl Iterator<Item = &Arc<Resource>> {
        self.resources
            .values()
            .filter(move |resource| resource.triggers().any(|(_, it)| it == action))
    }

    /// The provider that a local name means in this module.
    pub fn provider_addr(&self, local_name: &str) -> ProviderAddr {
        self.required_providers
            .get(local_name)
            .and_then(|requirement| requirement.source.clone())
            .unwrap_or_else(|| {
                ProviderAddr::implied_on(self.profile.product.registry(), local_name)
            })
    }

    /// The `provider_meta` block for a provider.
    pub fn provider_meta(&self, provider: &ProviderAddr) -> Option<&ProviderMeta> {
        let mut blocks = self.provider_metas.values();
        let block = blocks.find(|it| self.provider_addr(&it.provider.text) == *provider)?;
        Some(block)
    }

    /// The provider and the alias that a resource uses: its `provider` argument, or else the provider that its type implies.
    pub fn provider_of(&self, resource: &Resource) -> (ProviderAddr, Option<SmolStr>) {
        match &resource.provider {
            Some(provider) => (self.provider_addr(&provider.name), provider.alias.clone()),
            None => (self.provider_addr(resource.addr.implied_provider()), None),
        }
    }

    /// The providers that this module requires, configures or has resources of, but for the builtin one.
    pub fn providers_in_use(&self) -> BTreeSet<ProviderAddr> {
        let required = self.required_providers.keys().map(SmolStr::as_str);
        let configured = self.providers.keys().map(|it| it.name.as_str());
        let names: BTreeSet<&str> = required.chain(configured).collect();
        let named = names.into_iter().map(|name| self.provider_addr(name));
        let mut implied: BTreeSet<&str> = BTreeSet::new();
        let mut last = None;
        // Most resources are of the type of the one before: of thousands, only the addresses are read.
        for (addr, resource) in self.resources.iter() {
            if last != Some(&addr.r#type) && resource.provider.is_none() {
                implied.insert(addr.implied_provider());
                last = Some(&addr.r#type);
            }
        }
        let implied = implied.into_iter().map(|name| self.provider_addr(name));
        named.chain(implied).filter(|it| !it.is_builtin()).collect()
    }

    /// The references of this module's declarations.
    pub fn all_references(&self) -> impl Iterator<Item = &Reference> {
        let resources = self.resources.values();
        let triggers = resources.flat_map(|resource| &resource.lifecycle.action_triggers);
        self.declarations()
            .flat_map(|decl| &decl.references)
            .chain(triggers.flat_map(|trigger| &trigger.references))
    }

    /// All declarations, those of one kind together.
    pub fn declarations(&self) -> impl Iterator<Item = &Decl> {
        (self.locals.values().map(|it| &it.decl))
            .chain(self.outputs.values().map(|it| &it.decl))
            .chain(self.resources.values().map(|it| &it.decl))
            .chain(self.declarations_of_few())
    }

    /// All but local values, outputs and resources, of which a module may have thousands.
    pub fn declarations_of_few(&self) -> impl Iterator<Item = &Decl> {
        let data = self.checks.values().filter_map(|check| check.data.as_ref());
        (self.variables.values().map(|it| &it.decl))
            .chain(self.providers.values().map(|it| &it.decl))
            .chain(self.module_calls.values().map(|it| &it.decl))
            .chain(self.checks.values().map(|it| &it.decl))
            .chain(data.map(|it| &it.decl))
            .chain(self.moved.iter().map(|it| &it.decl))
            .chain(self.removed.iter().map(|it| &it.decl))
            .chain(self.imports.iter().map(|it| &it.decl))
            .chain(self.backend.iter().map(|it| &it.decl))
            .chain(self.encryption.iter().map(|it| &it.decl))
            .chain(self.provider_metas.values().map(|it| &it.decl))
            .chain(self.duplicates.declarations())
    }

    /// The `provider` block of a provider configuration.
    pub fn provider_block(
        &self,
        addr: &ProviderAddr,
        alias: Option<&SmolStr>,
    ) -> Option<&Arc<Provider>> {
        let is_meant =
            |r: &ProviderRef| r.alias.as_ref() == alias && self.provider_addr(&r.name) == *addr;
        let mut blocks = self.providers.iter();
        Some(blocks.find(|(r, _)| is_meant(r))?.1)
    }

    /// The subject of a reference in this module. `module.call.name` is an instance of a call with `for_each` and not an output:
    /// the value of the call is an object with an attribute for each key (`GetModule` in OpenTofu's `internal/tofu/evaluate.go`).
    pub fn subject<'r>(&self, reference: &'r Reference) -> Cow<'r, Referenceable> {
        if let Referenceable::ModuleOutput {
            call,
            key: InstanceKey::None,
            ..
        } = &reference.subject
            && let Some(declared) = self.module_calls.get(call)
            && matches!(declared.repetition, Repetition::ForEach(_))
        {
            return Cow::Owned(Referenceable::Module(call.clone()));
        }
        Cow::Borrowed(&reference.subject)
    }

    /// A resource of this module, also one inside of a `check` block.
    pub fn resource(&self, addr: &ResourceAddr) -> Option<&Arc<Resource>> {
        self.resources.get(addr).or_else(|| {
            let mut scoped = self.checks.values().filter_map(|check| check.data.as_ref());
            scoped.find(|data| data.addr == *addr)
        })
    }
}

impl Duplicates {
    pub fn is_empty(&self) -> bool {
        self.declarations().next().is_none()
    }

    pub(crate) fn declarations(&self) -> impl Iterator<Item = &Decl> {
        let data = self.checks.iter().filter_map(|check| check.data.as_ref());
        (self.variables.iter().map(|it| &it.decl))
            .chain(self.locals.iter().map(|it| &it.decl))
            .chain(self.outputs.iter().map(|it| &it.decl))
            .chain(self.providers.iter().map(|it| &it.decl))
            .chain(self.resources.iter().map(|it| &it.decl))
            .chain(self.module_calls.iter().map(|it| &it.decl))
            .chain(self.checks.iter().map(|it| &it.decl))
            .chain(data.map(|it| &it.decl))
            .chain(self.provider_metas.iter().map(|it| &it.decl))
    }
}

/// A `variable` block.
#[derive(Clone, PartialEq, Debug)]
pub struct Variable {
    pub name: Name,
    /// The type constraint as written; reading it is the evaluator's.
    pub r#type: Option<Expr>,
    pub default: Option<Expr>,
    pub description: Option<SmolStr>,
    pub sensitive: bool,
    pub ephemeral: bool,
    /// Whether null is a value of its own; otherwise it means the default.
    pub nullable: bool,
    /// Whether its value is known before anything is planned, where that is written.
    pub is_const: Option<bool>,
    pub deprecated: Option<Deprecation>,
    pub validations: Vec<CheckRule>,
    /// The names of the arguments that are written.
    pub(crate) given: Vec<SmolStr>,
    /// The last override of its type or its default.
    pub overridden: Option<OverriddenDefault>,
    pub decl: Decl,
}

/// An override of the type or the default of a variable, after which the two may not fit.
#[derive(Clone, PartialEq, Debug)]
pub struct OverriddenDefault {
    pub has_type: bool,
    pub has_default: bool,
    /// The type that stands beside the default that counts: its optional attributes are in that default.
    pub default_type: Option<Expr>,
    /// The type of the primary file: the defaults of its optional attributes count for given values.
    pub first_type: Option<Expr>,
    /// The header of the overriding block.
    pub span: Span,
}

/// The `deprecated` argument of a variable or an output.
#[derive(Clone, PartialEq, Debug)]
pub struct Deprecation {
    /// The advice to its users.
    pub message: SmolStr,
    pub span: Span,
}

/// One argument of a `locals` block.
#[derive(Clone, PartialEq, Debug)]
pub struct Local {
    pub name: Name,
    pub value: Expr,
    pub decl: Decl,
}

/// An `output` block. `value` is missing only when the block is incomplete.
#[derive(Clone, PartialEq, Debug)]
pub struct Output {
    pub name: Name,
    pub value: Option<Expr>,
    pub description: Option<SmolStr>,
    pub sensitive: bool,
    pub ephemeral: bool,
    /// The type constraint as written.
    pub r#type: Option<Expr>,
    pub deprecated: Option<Deprecation>,
    pub depends_on: Vec<Reference>,
    pub preconditions: Vec<CheckRule>,
    /// The names of the arguments that are written.
    pub(crate) given: Vec<SmolStr>,
    pub decl: Decl,
}

/// The common part of all declarations: their place, and their references.
#[derive(Clone, PartialEq, Debug)]
pub struct Decl {
    /// The block type with its labels; of a local value its name.
    pub span: Span,
    /// From the block type to the closing brace; of a local value the whole argument.
    pub full_span: Span,
    /// Everything that any expression of the declaration refers to, also in meta-arguments.
    pub references: Vec<Reference>,
    /// Errors of references that the declaration alone shows.
    pub(crate) problems: Vec<Diagnostic>,
    /// Errors of the types that `convert` takes, where it does not exist.
    pub(crate) type_problems: Vec<Diagnostic>,
}

impl Decl {
    /// The errors of references that can't be right in a release of the language, whatever else is declared.
    pub fn wrong_references(&self, profile: Profile) -> impl Iterator<Item = &Diagnostic> {
        // Without `convert`, a type is a reference as in any other call.
        let in_types = (!profile.has(feature::CONVERT)).then_some(&self.type_problems);
        self.problems.iter().chain(in_types.into_iter().flatten())
    }
}

/// `condition` and `error_message` of a `validation`, `precondition`, `postcondition` or `assert` block.
#[derive(Clone, PartialEq, Debug)]
pub struct CheckRule {
    pub condition: Option<Expr>,
    pub error_message: Option<Expr>,
    pub span: Span,
}

impl CheckRule {
    /// The condition and the message.
    pub fn exprs(&self) -> impl Iterator<Item = &Expr> {
        self.condition.iter().chain(&self.error_message)
    }
}

/// An entry of `required_providers`.
#[derive(Clone, PartialEq, Debug)]
pub struct ProviderRequirement {
    pub name: Name,
    /// `None` when it is not given, or no valid address.
    pub source: Option<ProviderAddr>,
    pub version: Option<SmolStr>,
    pub configuration_aliases: Vec<ProviderRef>,
    pub span: Span,
}

/// A provider configuration by the name it has in a module: `aws` or `aws.east`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ProviderRef {
    pub name: SmolStr,
    pub alias: Option<SmolStr>,
}

impl std::fmt::Display for ProviderRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.alias {
            Some(alias) => write!(f, "{}.{alias}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

/// A `provider` block.
#[derive(Clone, PartialEq, Debug)]
pub struct Provider {
    pub name: Name,
    pub alias: Option<Name>,
    /// OpenTofu's: one configuration for each element.
    pub for_each: Option<Expr>,
    /// The deprecated constraint, which counts beside that of `required_providers`.
    pub version: Option<SmolStr>,
    /// Without `alias`, `version` and `for_each`.
    pub body: Body,
    pub decl: Decl,
}

/// How many instances an object has.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Repetition {
    #[default]
    Single,
    Count(Expr),
    ForEach(Expr),
    /// OpenTofu's `enabled`: one, or none.
    Enabled(Expr),
}

impl Repetition {
    /// The expression for the number of instances.
    pub fn expr(&self) -> Option<&Expr> {
        match self {
            Repetition::Single => None,
            Repetition::Count(expr) | Repetition::ForEach(expr) | Repetition::Enabled(expr) => {
                Some(expr)
            }
        }
    }
}

/// A `resource`, `data`, `ephemeral` or `action` block.
#[derive(Clone, PartialEq, Debug)]
pub struct Resource {
    pub addr: ResourceAddr,
    pub r#type: Name,
    pub name: Name,
    pub repetition: Repetition,
    pub provider: Option<ProviderRef>,
    pub provider_span: Option<Span>,
    /// Which of the configurations that `provider` has with `for_each`.
    pub provider_key: Option<ImportKey>,
    pub depends_on: Vec<Reference>,
    pub lifecycle: Lifecycle,
    /// `provisioner` and `connection` blocks, which have no part in a plan.
    pub provisioning: Vec<Block>,
    /// False for an action without a `config` block: its configuration is null.
    pub has_body: bool,
    /// Without meta-arguments. Of an action its `config` block.
    pub body: Body,
    pub decl: Decl,
}

impl Resource {
    /// The entries of `action_trigger` blocks that name an action.
    pub fn entries_of(&self, action: &ResourceAddr) -> impl Iterator<Item = &Expr> {
        let triggers = self.lifecycle.action_triggers.iter();
        let entries = triggers.flat_map(|trigger| &trigger.actions);
        entries
            .filter(move |entry| entry.addr.as_ref() == Some(action))
            .map(|entry| &entry.expr)
    }

    /// The `action_trigger` blocks, and the actions that they name.
    pub fn triggers(&self) -> impl Iterator<Item = (&ActionTrigger, &ResourceAddr)> {
        let triggers = self.lifecycle.action_triggers.iter();
        triggers.flat_map(|trigger| {
            let actions = trigger.actions.iter();
            actions.filter_map(move |action| Some((trigger, action.addr.as_ref()?)))
        })
    }
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Lifecycle {
    pub create_before_destroy: Option<bool>,
    /// An expression of a boolean; refers to something only where the language allows that.
    pub prevent_destroy: Option<Expr>,
    /// OpenTofu's `destroy`: whether the object is destroyed in the end, or only forgotten.
    pub destroy: Option<bool>,
    pub ignore_changes: IgnoreChanges,
    pub replace_triggered_by: Vec<Expr>,
    pub action_triggers: Vec<ActionTrigger>,
    pub preconditions: Vec<CheckRule>,
    pub postconditions: Vec<CheckRule>,
    /// The block's header, if there is one.
    pub span: Option<Span>,
}

/// An `action_trigger` block.
#[derive(Clone, PartialEq, Debug)]
pub struct ActionTrigger {
    pub condition: Option<Expr>,
    /// Those of the condition. The resource itself does not wait for them.
    pub references: Vec<Reference>,
    pub events: Vec<ActionEvent>,
    pub actions: Vec<ActionReference>,
}

/// An action that an `action_trigger` block names.
#[derive(Clone, PartialEq, Debug)]
pub struct ActionReference {
    /// `None`: it names something else.
    pub addr: Option<ResourceAddr>,
    /// With the key of the instance.
    pub expr: Expr,
}

/// A change of a resource instance that invokes actions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ActionEvent {
    BeforeCreate,
    AfterCreate,
    BeforeUpdate,
    AfterUpdate,
}

impl ActionEvent {
    pub fn of_keyword(keyword: &str) -> Option<ActionEvent> {
        match keyword {
            "before_create" => Some(ActionEvent::BeforeCreate),
            "after_create" => Some(ActionEvent::AfterCreate),
            "before_update" => Some(ActionEvent::BeforeUpdate),
            "after_update" => Some(ActionEvent::AfterUpdate),
            _ => None,
        }
    }

    /// True if the actions run before the change is made.
    pub fn is_before(self) -> bool {
        matches!(self, ActionEvent::BeforeCreate | ActionEvent::BeforeUpdate)
    }
}

#[derive(Clone, PartialEq, Debug)]
pub enum IgnoreChanges {
    All,
    /// Relative to the resource: the first step is the name of an argument.
    Paths(Vec<IgnoredPath>),
}

impl Default for IgnoreChanges {
    fn default() -> IgnoreChanges {
        IgnoreChanges::Paths(Vec::new())
    }
}

#[derive(Clone, PartialEq, Debug)]
pub struct IgnoredPath {
    pub traversal: ast::Traversal,
    pub span: Span,
}

/// A `module` block.
#[derive(Clone, PartialEq, Debug)]
pub struct ModuleCall {
    pub name: Name,
    /// The literal text, or the value of [`ModuleCall::source_expr`].
    pub source: Option<SmolStr>,
    pub source_span: Option<Span>,
    /// A source that has to be evaluated before the called module can be read.
    pub source_expr: Option<Expr>,
    pub version: Option<SmolStr>,
    /// A version that has to be evaluated.
    pub version_expr: Option<Expr>,
    pub repetition: Repetition,
    /// From the name in the called module to the name in this one.
    pub providers: IndexMap<ProviderRef, ProviderRef>,
    /// The places of `providers`, in the same order.
    pub provider_spans: Vec<Span>,
    /// By the name in the called module: which of the configurations that are meant with `for_each`.
    pub provider_keys: Vec<(ProviderRef, ImportKey)>,
    pub depends_on: Vec<Reference>,
    /// Values for the called module's variables.
    pub arguments: Vec<Attribute>,
    pub decl: Decl,
}

/// A `check` block.
#[derive(Clone, PartialEq, Debug)]
pub struct Check {
    pub name: Name,
    pub data: Option<Arc<Resource>>,
    pub asserts: Vec<CheckRule>,
    pub decl: Decl,
}

/// A `moved` block; addresses are relative to the module.
#[derive(Clone, PartialEq, Debug)]
pub struct Moved {
    pub from: Target,
    pub to: Target,
    pub from_span: Span,
    pub to_span: Span,
    pub decl: Decl,
}

/// A `removed` block; the address is relative to the module and has no instance keys.
#[derive(Clone, PartialEq, Debug)]
pub struct Removed {
    pub from: Target,
    pub from_span: Span,
    /// Whether the object is destroyed, or only forgotten.
    pub destroy: bool,
    pub decl: Decl,
}

/// An `import` block.
#[derive(Clone, PartialEq, Debug)]
pub struct Import {
    pub target: ImportTarget,
    pub to_span: Span,
    pub id: Option<Expr>,
    pub identity: Option<Expr>,
    pub for_each: Option<Expr>,
    pub provider: Option<ProviderRef>,
    pub decl: Decl,
}

/// Which instances of one resource an `import` block means. Instance keys may have to be evaluated.
#[derive(Clone, PartialEq, Debug)]
pub struct ImportTarget {
    pub modules: Vec<(SmolStr, ImportKey)>,
    pub resource: ResourceAddr,
    pub key: ImportKey,
}

#[derive(Clone, PartialEq, Debug)]
pub enum ImportKey {
    Static(InstanceKey),
    Expr(Expr),
}

impl ImportKey {
    /// `None` where it needs no evaluation.
    pub fn expr(&self) -> Option<&Expr> {
        match self {
            ImportKey::Static(_) => None,
            ImportKey::Expr(expr) => Some(expr),
        }
    }
}

impl ImportTarget {
    /// The resource, without instance keys.
    pub fn config(&self) -> ConfigResourceAddr {
        ConfigResourceAddr {
            module: self.modules.iter().map(|(call, _)| call.clone()).collect(),
            resource: self.resource.clone(),
        }
    }

    /// The only instance that is meant, if that is known without evaluation.
    pub fn instance(&self) -> Option<ResourceInstanceAddr> {
        let known = |key: &ImportKey| match key {
            ImportKey::Static(key) => Some(key.clone()),
            ImportKey::Expr(_) => None,
        };
        let step = |(call, key): &(SmolStr, ImportKey)| {
            Some(ModuleStep {
                call: call.clone(),
                key: known(key)?,
            })
        };
        let steps: Option<Vec<ModuleStep>> = self.modules.iter().map(step).collect();
        let resource = ModuleInstanceAddr::new(steps?).resource(self.resource.clone());
        Some(resource.instance(known(&self.key)?))
    }

    pub(crate) fn key_exprs(&self) -> impl Iterator<Item = &Expr> {
        let keys = self.modules.iter().map(|(_, key)| key);
        keys.chain([&self.key]).filter_map(|key| match key {
            ImportKey::Expr(expr) => Some(expr),
            ImportKey::Static(_) => None,
        })
    }
}

/// A `backend` block, or the `cloud` block, whose type is `cloud`.
#[derive(Clone, PartialEq, Debug)]
pub struct Backend {
    pub r#type: SmolStr,
    pub body: Body,
    pub decl: Decl,
}

/// An `encryption` block.
#[derive(Clone, PartialEq, Debug)]
pub struct Encryption {
    pub body: Body,
    pub decl: Decl,
}

/// A `provider_meta` block.
#[derive(Clone, PartialEq, Debug)]
pub struct ProviderMeta {
    pub provider: Name,
    pub body: Body,
    pub decl: Decl,
}
