//! The modules around the open files: declarations, schemas and values, from the last time they were
//! loaded and planned.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use config::{
    AbsResourceAddr, FileRole, InstanceKey, Module, ModuleInstanceAddr, Profile, ProviderAddr,
    Reference, Referenceable, Repetition, ResourceAddr, ResourceMode,
};
use cty::{Type, Value};
use eval::functions::Signature;
use eval::{EvalContext, Functions, Roots, Variables};
use plan::{ModuleValues, ResourceResult};
use schema::{Bundled, ProviderSchema, Schema};
use smol_str::SmolStr;
use syntax::ast::Expr;
use text::{FileId, Span};

use crate::{ListedCaller, ModulePlan, PlanNumbers};

/// Local values of local values whose type is derived from their expressions.
const LOCALS_LIMIT: usize = 8;

/// One module.
#[derive(Clone, Debug, Default)]
pub struct ModuleContext {
    pub module: Arc<Module>,
    pub plan: ModulePlan,
    /// The numbers of the plan, if they are counted already.
    pub counted: Option<PlanNumbers>,
    /// Whether it is a root module, not one that is called.
    pub is_root: bool,
    /// Packages of providers on this machine.
    pub local_providers: Arc<LocalProviders>,
    /// Stand-ins for the schemas of providers that are not installed.
    pub substitutes: Arc<Substitutes>,
    /// The reads that the plan is made from, and their ages: `state read 5 minutes ago`.
    pub read: Vec<String>,
    /// The places that removed objects are reported at, but for those whose declaration was never seen.
    pub removed: Arc<RemovedPlaces>,
    /// The options of the plan, where it supposes something.
    pub what_if: Vec<String>,
    /// The name of the environment that it is planned with.
    pub environment: Option<String>,
    /// The workspace of Terraform that is selected.
    pub workspace: String,
    /// Of a called module: its callers, and all their instances.
    pub callers: Vec<ListedCaller>,
    /// Variables of a root module without a value: their dependents are unknown.
    pub unset: Vec<SmolStr>,
}

/// Versions of providers, the newest first.
pub type LocalProviders = BTreeMap<ProviderAddr, Vec<String>>;

/// Schemas of providers that are not installed, from other modules on this machine.
pub type Substitutes = BTreeMap<ProviderAddr, Arc<ProviderSchema>>;

/// The former blocks of resources, or the calls of the modules that they were in.
pub type RemovedPlaces = BTreeMap<AbsResourceAddr, Span>;

/// By folder.
pub type ModuleContexts = BTreeMap<PathBuf, Arc<ModuleContext>>;

/// The module that a file belongs to: of values and tests, that of the nearest folder above that has one.
pub(crate) fn of_file<'a>(
    modules: &'a ModuleContexts,
    file: &FileId,
) -> Option<&'a Arc<ModuleContext>> {
    let mut dirs = Path::new(file.path()).ancestors().skip(1);
    let above = match FileRole::of(file.name()) {
        FileRole::Module | FileRole::Lock => 1,
        FileRole::Values | FileRole::Tests | FileRole::Mocks => FOLDERS_ABOVE,
        FileRole::Other => 0,
    };
    dirs.by_ref().take(above).find_map(|dir| modules.get(dir))
}

/// In how many folders, its own and those above, the module of a file of values or tests is looked for.
pub const FOLDERS_ABOVE: usize = 8;

impl ModuleContext {
    /// The title of the chosen caller, if any; of a module that is planned as a root module, `nobody`.
    pub(crate) fn chosen_caller(&self) -> Option<String> {
        let chosen = self.callers.iter().find(|it| it.is_chosen)?;
        Some(match self.is_root {
            true => "nobody".to_owned(),
            false => chosen.caller.title(),
        })
    }

    /// Whose language a file of the module is written in; also before the module is loaded.
    pub(crate) fn profile(&self, file: &FileId) -> Profile {
        let profile = self.module.profile;
        match config::is_named_for_opentofu(file.name()) && !profile.is_opentofu() {
            true => Profile::NEWEST_OPENTOFU,
            false => profile,
        }
    }

    /// The schema of a resource type, where its provider's schema is known.
    pub(crate) fn resource_schema(&self, mode: ResourceMode, r#type: &str) -> Option<&Arc<Schema>> {
        let provider = self.provider_of_type(mode, r#type);
        let own = self
            .schema_of(&provider)
            .and_then(|it| types_of(it, mode).get(r#type));
        own.or_else(|| {
            self.plan
                .schemas
                .values()
                .find_map(|it| types_of(it, mode).get(r#type))
        })
    }

    /// All types of a mode, each with the provider that has it.
    pub(crate) fn resource_types(
        &self,
        mode: ResourceMode,
    ) -> impl Iterator<Item = (ProviderAddr, &SmolStr, &Arc<Schema>)> {
        self.schemas_in_use()
            .flat_map(move |(provider, schema)| of_mode(provider, schema, mode))
    }

    /// The types of providers that the module doesn't use, but would with a type that begins like `typed`.
    pub(crate) fn implied_types(
        &self,
        mode: ResourceMode,
        typed: &str,
    ) -> impl Iterator<Item = (ProviderAddr, &SmolStr, &Arc<Schema>)> {
        let begins = |name: &str| {
            let rest = typed.strip_prefix(name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
        };
        let used = self.module.providers_in_use();
        let implied = self.implied_providers();
        let implied = implied.filter(move |(_, addr, _)| !used.contains(addr));
        implied
            .filter(move |(name, ..)| begins(name))
            .filter_map(|(_, addr, bundled)| Some((addr, bundled.schema()?)))
            .flat_map(move |(provider, schema)| of_mode(provider, schema, mode))
    }

    /// The bundled providers that a local name means which the module doesn't declare.
    pub(crate) fn implied_providers(
        &self,
    ) -> impl Iterator<Item = (&'static str, ProviderAddr, &'static Bundled)> {
        let registry = self.module.profile.product.registry();
        schema::bundled().iter().filter_map(move |(name, bundled)| {
            let (namespace, name) = name.split_once('/')?;
            let addr = ProviderAddr::new(registry, namespace, name);
            (self.module.provider_addr(name) == addr).then_some((name, addr, bundled))
        })
    }

    /// The schema of a provider: of the version that is installed, or else of one that this machine has met, or else of
    /// the one that comes with this program.
    fn schema_of(&self, addr: &ProviderAddr) -> Option<&Arc<ProviderSchema>> {
        let installed = self.plan.schemas.get(addr);
        installed.or_else(|| self.substitute(addr))
    }

    fn substitute(&self, addr: &ProviderAddr) -> Option<&Arc<ProviderSchema>> {
        let met = self.substitutes.get(addr);
        met.or_else(|| addr.bundled()?.schema())
    }

    /// The schemas of the providers that are installed, and those that stand in for the others.
    fn schemas_in_use(&self) -> impl Iterator<Item = (ProviderAddr, &Arc<ProviderSchema>)> {
        let installed = self.plan.schemas.iter();
        let installed = installed.map(|(addr, schema)| (addr.clone(), schema));
        let missing = self.module.providers_in_use().into_iter();
        let missing = missing.filter(|addr| !self.plan.schemas.contains_key(addr));
        installed.chain(missing.filter_map(|addr| {
            let schema = self.substitute(&addr)?;
            Some((addr, schema))
        }))
    }

    /// A note where the schema of a type is not of the version that the module uses.
    pub(crate) fn not_installed(&self, mode: ResourceMode, r#type: &str) -> Option<String> {
        let provider = self.provider_of_type(mode, r#type);
        let is_installed = self.plan.schemas.contains_key(&provider);
        let is_known = !is_installed && self.substitute(&provider).is_some();
        is_known.then(|| format!("From {}.", self.provider_title(&provider)))
    }

    /// The provider of a type, with the version that its schema is of.
    pub(crate) fn provider_of_schema(&self, mode: ResourceMode, r#type: &str) -> String {
        self.provider_title(&self.provider_of_type(mode, r#type))
    }

    fn provider_of_type(&self, mode: ResourceMode, r#type: &str) -> ProviderAddr {
        let declared = self.module.resources.values();
        let mut declared = declared.filter(|it| it.addr.mode == mode && it.addr.r#type == r#type);
        match declared.next() {
            Some(resource) => self.module.provider_of(resource).0,
            None => {
                let addr = ResourceAddr::new(mode, r#type, "");
                self.module.provider_addr(addr.implied_provider())
            }
        }
    }

    /// A provider with the version that its schema is of: `hashicorp/random 3.9.0`.
    pub(crate) fn provider_title(&self, addr: &ProviderAddr) -> String {
        let version = self.schema_of(addr).and_then(|it| it.version.as_ref());
        let marked = match self.plan.schemas.contains_key(addr) {
            true => "",
            false => ", not from a plugin of this folder",
        };
        match version {
            Some(version) => format!("{} {version}{marked}", addr.for_display()),
            None => addr.for_display(),
        }
    }

    pub(crate) fn provider_schema(&self, local_name: &str) -> Option<&schema::ProviderSchema> {
        let addr = self.module.provider_addr(local_name);
        self.schema_of(&addr).map(|schema| &**schema)
    }

    /// The functions of the module's providers, as they are called: `provider::local::direxists`.
    pub(crate) fn provider_functions(&self) -> impl Iterator<Item = (String, Signature)> {
        self.schemas_in_use().flat_map(|(addr, schema)| {
            let mut required = self.module.required_providers.iter();
            let required = required.find(|(_, it)| it.source.as_ref() == Some(&addr));
            let local_name = required.map_or(addr.r#type, |(name, _)| name.clone());
            schema.functions.iter().map(move |(name, function)| {
                let name = format!("provider::{local_name}::{name}");
                (name, Signature::of_provider(function))
            })
        })
    }

    /// The signature of a function of the language or of a provider.
    pub(crate) fn signature(&self, name: &str) -> Option<Signature> {
        let own = eval::functions::signatures().get(name).cloned();
        own.or_else(|| {
            let mut functions = self.provider_functions();
            functions.find(|(it, _)| it == name).map(|(_, it)| it)
        })
    }

    pub(crate) fn resource(&self, addr: &ResourceAddr) -> Option<&Arc<ResourceResult>> {
        self.plan.resources.of_root(addr)
    }

    /// The value of references to `subject`, where it is known.
    pub(crate) fn value(&self, subject: &Referenceable) -> Option<Value> {
        match subject {
            Referenceable::Var(name) => self.plan.variables.get(name).cloned(),
            Referenceable::Local(name) => self.plan.locals.get(name).cloned(),
            Referenceable::Resource(addr) | Referenceable::ResourceInstance(addr, _) => {
                self.resource_value(addr)
            }
            Referenceable::Module(call) => {
                let outputs = &self.called(call)?.outputs;
                Some(Value::object(
                    outputs
                        .iter()
                        .map(|(name, value)| (name.clone(), value.clone())),
                ))
            }
            Referenceable::ModuleOutput { call, output, .. } => {
                self.called(call)?.outputs.get(output).cloned()
            }
            _ => None,
        }
    }

    /// The values of a called module that is called once.
    fn called(&self, call: &SmolStr) -> Option<&ModuleValues> {
        let addr = ModuleInstanceAddr::root().child(call.clone(), InstanceKey::None);
        self.plan.modules.get(&addr).map(|it| &**it)
    }

    fn resource_value(&self, addr: &ResourceAddr) -> Option<Value> {
        let planned = self.resource(addr).map(|resource| resource.value.clone());
        // Without instances, the plan has no type of one.
        let has_type = |value: &Value| match value.ty() {
            Type::Tuple(elements) => !elements.is_empty(),
            Type::Object(object) => !object.attributes.is_empty(),
            ty => !ty.is_dynamic(),
        };
        planned.filter(has_type).or_else(|| {
            let schema = self.resource_schema(addr.mode, &addr.r#type)?;
            Some(self.unplanned_value(addr, schema.implied_type()))
        })
    }

    /// The value of a resource without a plan, whose instances are of a type: with their keys, where these are known.
    ///
    /// It is a list or a map, where Terraform has a tuple or an object, so an element is known by its type also where
    /// its key is not known.
    fn unplanned_value(&self, addr: &ResourceAddr, instance: &Type) -> Value {
        let written = self.resource(addr).and_then(|it| it.written.as_deref());
        let keys = written.map_or(&[][..], |written| &written.keys);
        let unknown = || Value::unknown(instance.clone());
        let declared = self.module.resources.get(addr);
        match declared.map(|resource| &resource.repetition) {
            None | Some(Repetition::Single | Repetition::Enabled(_)) => unknown(),
            Some(Repetition::Count(_)) if keys.is_empty() => {
                Value::unknown(Type::list(instance.clone()))
            }
            Some(Repetition::Count(_)) => {
                Value::list(instance.clone(), keys.iter().map(|_| unknown()).collect())
            }
            Some(Repetition::ForEach(_)) if keys.is_empty() => {
                Value::unknown(Type::map(instance.clone()))
            }
            Some(Repetition::ForEach(_)) => {
                let named = keys.iter().filter_map(|key| match key {
                    InstanceKey::String(key) => Some((key, unknown())),
                    InstanceKey::None | InstanceKey::Int(_) => None,
                });
                Value::map(instance.clone(), named)
            }
        }
    }

    /// The value of an expression that refers to `references`; `names` are bound around it.
    pub(crate) fn evaluate(
        &self,
        expr: &Expr,
        references: &[Reference],
        names: Variables,
    ) -> Value {
        let values = references
            .iter()
            .filter_map(|it| Some((&it.subject, self.value(&it.subject)?)));
        evaluate(expr, values, names)
    }

    /// The same, where only the types of all names are known.
    pub(crate) fn evaluate_types(
        &self,
        expr: &Expr,
        references: &[Reference],
        names: Variables,
    ) -> Value {
        let names = names.into_iter().map(|(name, it)| (name, typed(&it)));
        self.evaluate_types_within(expr, references, names.collect(), LOCALS_LIMIT)
    }

    fn evaluate_types_within(
        &self,
        expr: &Expr,
        references: &[Reference],
        names: Variables,
        depth: usize,
    ) -> Value {
        let values = references.iter().filter_map(|it| {
            let value = self.value(&it.subject);
            let value = value.filter(|it| !it.ty().is_dynamic());
            let value = value.or_else(|| self.local_by_type(&it.subject, depth))?;
            Some((&it.subject, typed(&value)))
        });
        evaluate(expr, values, names)
    }

    /// A local value whose type the plan does not have.
    fn local_by_type(&self, subject: &Referenceable, depth: usize) -> Option<Value> {
        let Referenceable::Local(name) = subject else {
            return None;
        };
        let expr = &self.module.locals.get(name).filter(|_| depth > 0)?.value;
        let references = config::refs::references(&expr.origin, &expr.ast);
        Some(self.evaluate_types_within(&expr.ast, &references, Variables::new(), depth - 1))
    }
}

fn typed(value: &Value) -> Value {
    Value::unknown(value.ty().clone())
}

fn evaluate<'a>(
    expr: &Expr,
    values: impl Iterator<Item = (&'a Referenceable, Value)>,
    names: Variables,
) -> Value {
    let mut roots = Roots::default();
    for (subject, value) in values {
        roots.set(subject, value);
    }
    let mut variables = roots.into_variables();
    variables.extend(names);
    let functions = Functions::without_surroundings();
    eval::evaluate(expr, &EvalContext::new(variables, &functions)).value
}

fn of_mode(
    provider: ProviderAddr,
    schema: &Arc<ProviderSchema>,
    mode: ResourceMode,
) -> impl Iterator<Item = (ProviderAddr, &SmolStr, &Arc<Schema>)> {
    let types = types_of(schema, mode).iter();
    types.map(move |(name, schema)| (provider.clone(), name, schema))
}

pub(crate) fn types_of(
    provider: &schema::ProviderSchema,
    mode: ResourceMode,
) -> &BTreeMap<SmolStr, Arc<Schema>> {
    match mode {
        ResourceMode::Managed => &provider.resources,
        ResourceMode::Data => &provider.data_sources,
        ResourceMode::Ephemeral => &provider.ephemeral,
        ResourceMode::Action => &provider.actions,
    }
}
