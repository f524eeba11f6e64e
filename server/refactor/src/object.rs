//! The declarations of a module.

use config::{InstanceKey, ModuleInstanceAddr, ProviderRef, ResourceAddr, Target, quote};
use smol_str::SmolStr;

/// Something that a module declares.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Symbol {
    /// The folder of the module.
    pub dir: SmolStr,
    pub object: SymbolObject,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum SymbolObject {
    Variable(SmolStr),
    Local(SmolStr),
    Output(SmolStr),
    Resource(ResourceAddr),
    ModuleCall(SmolStr),
    /// A provider configuration that has an alias.
    Provider(ProviderRef),
    /// An instance of a resource, by its key in `for_each`.
    ResourceKey(ResourceAddr, SmolStr),
    /// An instance of a module call, by its key in `for_each`.
    CallKey(SmolStr, SmolStr),
    /// A key of the object that a local value is.
    LocalKey(SmolStr, SmolStr),
}

impl SymbolObject {
    pub fn name(&self) -> &SmolStr {
        match self {
            SymbolObject::Variable(name)
            | SymbolObject::Local(name)
            | SymbolObject::Output(name)
            | SymbolObject::ModuleCall(name)
            | SymbolObject::ResourceKey(_, name)
            | SymbolObject::CallKey(_, name)
            | SymbolObject::LocalKey(_, name) => name,
            SymbolObject::Resource(addr) => &addr.name,
            SymbolObject::Provider(provider) => provider.alias.as_ref().unwrap_or(&provider.name),
        }
    }

    /// The same kind of object with another name.
    pub fn renamed(&self, name: &str) -> SymbolObject {
        match self {
            SymbolObject::Variable(_) => SymbolObject::Variable(name.into()),
            SymbolObject::Local(_) => SymbolObject::Local(name.into()),
            SymbolObject::Output(_) => SymbolObject::Output(name.into()),
            SymbolObject::ModuleCall(_) => SymbolObject::ModuleCall(name.into()),
            SymbolObject::ResourceKey(addr, _) => {
                SymbolObject::ResourceKey(addr.clone(), name.into())
            }
            SymbolObject::CallKey(call, _) => SymbolObject::CallKey(call.clone(), name.into()),
            SymbolObject::LocalKey(local, _) => SymbolObject::LocalKey(local.clone(), name.into()),
            SymbolObject::Resource(addr) => {
                SymbolObject::Resource(ResourceAddr::new(addr.mode, addr.r#type.clone(), name))
            }
            SymbolObject::Provider(provider) => SymbolObject::Provider(ProviderRef {
                name: provider.name.clone(),
                alias: Some(name.into()),
            }),
        }
    }

    /// The address of its objects, for a `moved` block; `None` if it has none.
    pub fn address(&self) -> Option<Target> {
        let in_root = |addr: &ResourceAddr| ModuleInstanceAddr::root().resource(addr.clone());
        let call = |call: &SmolStr, key| {
            Target::Module(ModuleInstanceAddr::root().child(call.clone(), key))
        };
        let key = |key: &SmolStr| InstanceKey::String(key.clone());
        match self {
            SymbolObject::Resource(addr) => Some(Target::Resource(in_root(addr))),
            SymbolObject::ResourceKey(addr, of) => {
                Some(Target::Instance(in_root(addr).instance(key(of))))
            }
            SymbolObject::ModuleCall(name) => Some(call(name, InstanceKey::None)),
            SymbolObject::CallKey(name, of) => Some(call(name, key(of))),
            SymbolObject::Variable(_)
            | SymbolObject::Local(_)
            | SymbolObject::LocalKey(..)
            | SymbolObject::Output(_)
            | SymbolObject::Provider(_) => None,
        }
    }

    /// For a sentence: `resource aws_vpc.a`.
    pub fn described(&self) -> String {
        match self {
            SymbolObject::Variable(name) => format!("variable {name:?}"),
            SymbolObject::Local(name) => format!("local value {name:?}"),
            SymbolObject::Output(name) => format!("output {name:?}"),
            SymbolObject::ModuleCall(name) => format!("module call {name:?}"),
            SymbolObject::Resource(addr) => format!("{addr}"),
            SymbolObject::Provider(provider) => format!("provider configuration {provider}"),
            SymbolObject::ResourceKey(addr, key) => format!("{addr}[{}]", quote(key)),
            SymbolObject::CallKey(call, key) => format!("module.{call}[{}]", quote(key)),
            SymbolObject::LocalKey(local, key) => format!("local.{local}.{key}"),
        }
    }
}
