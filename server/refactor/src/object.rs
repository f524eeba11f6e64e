//! The declarations of a module.

use config::{InstanceKey, ModuleInstanceAddr, ProviderRef, ResourceAddr, Target, quote};
use smol_str::SmolStr;

/// Something that a module declares.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Symbol {
    /// The folder of the module.
    pub dir: SmolStr,
    pub object: Object,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Object {
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

impl Object {
    pub fn name(&self) -> &SmolStr {
        match self {
            Object::Variable(name)
            | Object::Local(name)
            | Object::Output(name)
            | Object::ModuleCall(name)
            | Object::ResourceKey(_, name)
            | Object::CallKey(_, name)
            | Object::LocalKey(_, name) => name,
            Object::Resource(addr) => &addr.name,
            Object::Provider(provider) => provider.alias.as_ref().unwrap_or(&provider.name),
        }
    }

    /// The same kind of object with another name.
    pub fn renamed(&self, name: &str) -> Object {
        match self {
            Object::Variable(_) => Object::Variable(name.into()),
            Object::Local(_) => Object::Local(name.into()),
            Object::Output(_) => Object::Output(name.into()),
            Object::ModuleCall(_) => Object::ModuleCall(name.into()),
            Object::ResourceKey(addr, _) => Object::ResourceKey(addr.clone(), name.into()),
            Object::CallKey(call, _) => Object::CallKey(call.clone(), name.into()),
            Object::LocalKey(local, _) => Object::LocalKey(local.clone(), name.into()),
            Object::Resource(addr) => {
                Object::Resource(ResourceAddr::new(addr.mode, addr.r#type.clone(), name))
            }
            Object::Provider(provider) => Object::Provider(ProviderRef {
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
            Object::Resource(addr) => Some(Target::Resource(in_root(addr))),
            Object::ResourceKey(addr, of) => {
                Some(Target::Instance(in_root(addr).instance(key(of))))
            }
            Object::ModuleCall(name) => Some(call(name, InstanceKey::None)),
            Object::CallKey(name, of) => Some(call(name, key(of))),
            Object::Variable(_)
            | Object::Local(_)
            | Object::LocalKey(..)
            | Object::Output(_)
            | Object::Provider(_) => None,
        }
    }

    /// For a sentence: `resource aws_vpc.a`.
    pub fn described(&self) -> String {
        match self {
            Object::Variable(name) => format!("variable {name:?}"),
            Object::Local(name) => format!("local value {name:?}"),
            Object::Output(name) => format!("output {name:?}"),
            Object::ModuleCall(name) => format!("module call {name:?}"),
            Object::Resource(addr) => format!("{addr}"),
            Object::Provider(provider) => format!("provider configuration {provider}"),
            Object::ResourceKey(addr, key) => format!("{addr}[{}]", quote(key)),
            Object::CallKey(call, key) => format!("module.{call}[{}]", quote(key)),
            Object::LocalKey(local, key) => format!("local.{local}.{key}"),
        }
    }
}
