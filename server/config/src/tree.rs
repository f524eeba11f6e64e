//! A root module with all the modules that it calls, directly and through others.

mod check;
mod installed;
mod load;
mod module_source;
mod providers;

use std::collections::{BTreeMap, HashMap};
use std::iter::successors;
use std::sync::{Arc, OnceLock};

use smol_str::SmolStr;
use text::FileId;

use crate::addr::{ModuleAddr, ProviderAddr, ProviderConfigAddr, ResourceAddr};
use crate::module::{Import, ImportKey, Module, ModuleCall, ProviderRef, Resource};
pub use check::check_arguments;
pub use installed::{InstalledModule, installed_modules, not_as_installed};
pub use load::{StaticEvaluator, TreeCache, load_tree};
pub use module_source::is_local;

/// The modules of a configuration by address. A call whose module can't be read has none.
#[derive(Clone, Debug)]
pub struct ModuleTree {
    modules: BTreeMap<ModuleAddr, TreeModule>,
    /// The import blocks of the root module by their resource, whatever its module.
    imports: OnceLock<HashMap<ResourceAddr, Vec<Arc<Import>>>>,
}

/// A module at one place of the tree. One directory may be called from several.
#[derive(Clone, Debug, Default)]
pub struct TreeModule {
    pub module: Arc<Module>,
    /// Where its files are, absolute.
    pub dir: SmolStr,
    /// `path.module`: as Terraform prints it, relative to where it runs.
    pub path: SmolStr,
}

/// Chooses among the configurations that a provider has with `for_each`.
#[derive(Clone, Debug)]
pub enum ProviderKey<'a> {
    /// Given by each instance of the resource.
    OfResource(&'a ImportKey),
    /// Given by each instance of the call of this module.
    OfCall(ModuleAddr, &'a ImportKey),
}

impl Default for ModuleTree {
    fn default() -> ModuleTree {
        ModuleTree::of_root(Arc::default())
    }
}

impl ModuleTree {
    /// A root module alone.
    pub fn of_root(module: Arc<Module>) -> ModuleTree {
        let root = TreeModule {
            module,
            dir: SmolStr::default(),
            path: ".".into(),
        };
        ModuleTree {
            modules: BTreeMap::from([(ModuleAddr::root(), root)]),
            imports: OnceLock::new(),
        }
    }

    pub fn root(&self) -> &Arc<Module> {
        &self.modules[&ModuleAddr::root()].module
    }

    pub fn get(&self, addr: &ModuleAddr) -> Option<&TreeModule> {
        self.modules.get(addr)
    }

    pub fn module(&self, addr: &ModuleAddr) -> Option<&Arc<Module>> {
        self.modules.get(addr).map(|module| &module.module)
    }

    /// All modules, a caller before those that it calls.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&ModuleAddr, &TreeModule)> {
        self.modules.iter()
    }

    /// The import blocks of the root module into a resource, in order.
    pub fn imports_into<'a>(
        &'a self,
        module: &'a ModuleAddr,
        resource: &ResourceAddr,
    ) -> impl Iterator<Item = &'a Arc<Import>> {
        let all = self.imports.get_or_init(|| {
            let mut all: HashMap<ResourceAddr, Vec<Arc<Import>>> = HashMap::new();
            for import in &self.root().imports {
                let resource = import.target.resource.clone();
                all.entry(resource).or_default().push(import.clone());
            }
            all
        });
        let imports = all.get(resource).into_iter().flatten();
        imports.filter(|import| {
            let calls = import.target.modules.iter().map(|(call, _)| call);
            calls.eq(module.calls())
        })
    }

    /// The call that `addr` is the module of, and the calling module; `None` for the root.
    pub fn call(&self, addr: &ModuleAddr) -> Option<(&Arc<Module>, &Arc<ModuleCall>)> {
        let caller = self.module(&addr.parent()?)?;
        let call = caller.module_calls.get(addr.calls().last()?)?;
        Some((caller, call))
    }

    /// The provider configuration that serves a resource of the module `addr`.
    pub fn provider_of(&self, addr: &ModuleAddr, resource: &Resource) -> ProviderConfigAddr {
        let (name, alias) = match &resource.provider {
            Some(provider) => (provider.name.as_str(), provider.alias.clone()),
            None => (resource.addr.implied_provider(), None),
        };
        self.provider_config(addr, name, alias)
    }

    /// The provider configuration that `name` and `alias` mean in the module `addr`: its own, or the one that its
    /// caller passes or has. Follows `ProviderConfigTransformer` of OpenTofu's `internal/tofu`.
    pub fn provider_config(
        &self,
        addr: &ModuleAddr,
        name: &str,
        alias: Option<SmolStr>,
    ) -> ProviderConfigAddr {
        let provider = match self.module(addr) {
            Some(module) => module.provider_addr(name),
            None => ProviderAddr::implied(name),
        };
        self.inherited(ProviderConfigAddr {
            module: addr.clone(),
            provider,
            alias,
        })
    }

    /// Where the configuration that a module knows as `wanted` stands: there, or in a calling module. A module that is
    /// no longer called has none of its own.
    pub fn inherited(&self, wanted: ProviderConfigAddr) -> ProviderConfigAddr {
        self.resolve(wanted).0
    }

    /// Which of the configurations with `for_each` serves a resource of the module `addr`, where one is chosen: the
    /// module in whose instances the key is given, itself for that of the resource, or a called one for that of its
    /// call.
    pub fn provider_key_of<'a>(
        &'a self,
        addr: &ModuleAddr,
        resource: &'a Resource,
    ) -> Option<ProviderKey<'a>> {
        if let Some(key) = &resource.provider_key {
            return Some(ProviderKey::OfResource(key));
        }
        // Nothing calls the root module.
        addr.parent()?;
        let (name, alias) = match &resource.provider {
            Some(provider) => (provider.name.as_str(), provider.alias.clone()),
            None => (resource.addr.implied_provider(), None),
        };
        let provider = self.module(addr)?.provider_addr(name);
        let wanted = ProviderConfigAddr {
            module: addr.clone(),
            provider,
            alias,
        };
        let (module, key) = self.resolve(wanted).1?;
        Some(ProviderKey::OfCall(module, key))
    }

    fn resolve(
        &self,
        mut wanted: ProviderConfigAddr,
    ) -> (ProviderConfigAddr, Option<(ModuleAddr, &ImportKey)>) {
        let mut instance = None;
        while let Some(parent) = wanted.module.parent() {
            if let (Some(module), Some((caller, call))) =
                (self.module(&wanted.module), self.call(&wanted.module))
            {
                let passed = passed(call, module, &wanted);
                let block = module.provider_block(&wanted.provider, wanted.alias.as_ref());
                // A block without content stands for the configuration that the caller passes.
                if block.is_some_and(|block| passed.is_none() || !block.body.is_empty()) {
                    return (wanted, instance);
                }
                if let Some((child, passed)) = passed {
                    let mut keys = call.provider_keys.iter();
                    let key = keys.find(|(of, _)| of == child);
                    instance = key.map(|(_, key)| (wanted.module.clone(), key));
                    wanted.alias = passed.alias.clone();
                    wanted.provider = caller.provider_addr(&passed.name);
                }
            }
            wanted.module = parent;
        }
        (wanted, instance)
    }

    /// Whether the state's address of a provider configuration still means one. The default configuration of the root
    /// module is always there. Follows `ProviderTransformer` of OpenTofu's `internal/tofu`.
    pub fn has_provider_config(&self, wanted: &ProviderConfigAddr) -> bool {
        let Some(module) = self.module(&wanted.module) else {
            return false;
        };
        let is_default = wanted.module.is_root() && wanted.alias.is_none();
        let alias = wanted.alias.as_ref();
        is_default
            || module.provider_block(&wanted.provider, alias).is_some()
            || self
                .call(&wanted.module)
                .is_some_and(|(_, call)| passed(call, module, wanted).is_some())
    }

    /// The file as it was read.
    pub fn file(&self, id: &FileId) -> Option<&syntax::File> {
        let mut modules = self.modules.values();
        modules.find_map(|module| module.module.files.get(id))
    }

    /// Whether files of a module, or of a module that calls it, could not be read.
    pub fn is_partial(&self, addr: &ModuleAddr) -> bool {
        let mut callers = successors(Some(addr.clone()), ModuleAddr::parent);
        callers.any(|addr| self.module(&addr).is_some_and(|it| !it.unread.is_empty()))
    }

    /// Whether a module, or one that calls it, is called but could not be read.
    pub fn is_missing(&self, addr: &ModuleAddr) -> bool {
        let mut known = ModuleAddr::root();
        for name in addr.calls() {
            let called = known.child(name.clone());
            if self.module(&called).is_none() {
                let caller = self.module(&known);
                return caller.is_some_and(|caller| caller.module_calls.contains_key(name));
            }
            known = called;
        }
        false
    }

    /// Whether `path.module` is the same everywhere.
    pub fn has_same_paths(&self, other: &ModuleTree) -> bool {
        let path = |(addr, module): (&ModuleAddr, &TreeModule)| {
            let path = other.get(addr).map(|other| &other.path);
            path.is_none_or(|path| *path == module.path)
        };
        self.iter().all(path)
    }
}

/// The provider configuration that a call passes to the called module.
fn passed<'a>(
    call: &'a ModuleCall,
    module: &Module,
    wanted: &ProviderConfigAddr,
) -> Option<(&'a ProviderRef, &'a ProviderRef)> {
    let is_wanted = |child: &ProviderRef| {
        child.alias == wanted.alias && module.provider_addr(&child.name) == wanted.provider
    };
    let mut passed = call.providers.iter();
    passed.find(|(child, _)| is_wanted(child))
}
