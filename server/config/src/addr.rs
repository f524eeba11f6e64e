//! Addresses: names of modules, resources, resource instances and provider configurations.
//!
//! `Display` prints addresses as Terraform does, `FromStr` reads them back, and `Ord` is Terraform's order.
//! All of them are cheap to clone.

mod endpoint;
mod parse;
mod provider;

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use smol_str::SmolStr;

pub use endpoint::{MoveEndpoint, Moveable, StepPattern};
pub use parse::{AddrError, Target, quote};
pub(crate) use provider::provider_part;
pub use provider::{ProviderAddr, ProviderConfigAddr};

/// Distinguishes one instance of a module or resource from its siblings. Sorts as Terraform does.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum InstanceKey {
    /// The only instance of an object without `count` and `for_each`.
    #[default]
    None,
    Int(u64),
    String(SmolStr),
}

impl fmt::Display for InstanceKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InstanceKey::None => Ok(()),
            InstanceKey::Int(index) => write!(f, "[{index}]"),
            InstanceKey::String(key) => write!(f, "[{}]", quote(key)),
        }
    }
}

/// A module as the configuration names it: the names of the calls from the root, without instance keys.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct ModuleAddr(Arc<[SmolStr]>);

impl ModuleAddr {
    pub fn root() -> ModuleAddr {
        ModuleAddr::default()
    }

    pub fn new(calls: impl IntoIterator<Item = impl Into<SmolStr>>) -> ModuleAddr {
        ModuleAddr(calls.into_iter().map(Into::into).collect())
    }

    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    pub fn calls(&self) -> &[SmolStr] {
        &self.0
    }

    pub fn child(&self, call: impl Into<SmolStr>) -> ModuleAddr {
        self.0.iter().cloned().chain([call.into()]).collect()
    }

    /// The calling module; `None` for the root.
    pub fn parent(&self) -> Option<ModuleAddr> {
        let (_, calls) = self.0.split_last()?;
        Some(ModuleAddr(calls.into()))
    }
}

impl FromIterator<SmolStr> for ModuleAddr {
    fn from_iter<I: IntoIterator<Item = SmolStr>>(calls: I) -> ModuleAddr {
        ModuleAddr(calls.into_iter().collect())
    }
}

impl Ord for ModuleAddr {
    fn cmp(&self, other: &ModuleAddr) -> Ordering {
        self.0
            .len()
            .cmp(&other.0.len())
            .then_with(|| self.0.cmp(&other.0))
    }
}

impl PartialOrd for ModuleAddr {
    fn partial_cmp(&self, other: &ModuleAddr) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for ModuleAddr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, call) in self.0.iter().enumerate() {
            let dot = if i == 0 { "" } else { "." };
            write!(f, "{dot}module.{call}")?;
        }
        Ok(())
    }
}

/// One call on the way from the root to a module instance.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ModuleStep {
    pub call: SmolStr,
    pub key: InstanceKey,
}

/// One instance of a module.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct ModuleInstanceAddr(Arc<[ModuleStep]>);

impl ModuleInstanceAddr {
    pub fn root() -> ModuleInstanceAddr {
        ModuleInstanceAddr::default()
    }

    pub fn new(steps: impl IntoIterator<Item = ModuleStep>) -> ModuleInstanceAddr {
        ModuleInstanceAddr(steps.into_iter().collect())
    }

    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    pub fn steps(&self) -> &[ModuleStep] {
        &self.0
    }

    pub fn child(&self, call: impl Into<SmolStr>, key: InstanceKey) -> ModuleInstanceAddr {
        let step = ModuleStep {
            call: call.into(),
            key,
        };
        ModuleInstanceAddr(self.0.iter().cloned().chain([step]).collect())
    }

    /// The calling module instance; `None` for the root.
    pub fn parent(&self) -> Option<ModuleInstanceAddr> {
        let (_, steps) = self.0.split_last()?;
        Some(ModuleInstanceAddr(steps.into()))
    }

    /// The module that this is an instance of.
    pub fn module(&self) -> ModuleAddr {
        self.0.iter().map(|step| step.call.clone()).collect()
    }

    /// Whether it is an instance of `module`: [`ModuleInstanceAddr::module`] without making an address.
    pub fn is_of(&self, module: &ModuleAddr) -> bool {
        let calls = self.0.iter().map(|step| &step.call);
        self.0.len() == module.0.len() && calls.eq(module.0.iter())
    }

    pub fn resource(&self, resource: ResourceAddr) -> AbsResourceAddr {
        AbsResourceAddr {
            module: self.clone(),
            resource,
        }
    }
}

impl Ord for ModuleInstanceAddr {
    fn cmp(&self, other: &ModuleInstanceAddr) -> Ordering {
        self.0
            .len()
            .cmp(&other.0.len())
            .then_with(|| self.0.cmp(&other.0))
    }
}

impl PartialOrd for ModuleInstanceAddr {
    fn partial_cmp(&self, other: &ModuleInstanceAddr) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for ModuleInstanceAddr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, step) in self.0.iter().enumerate() {
            let dot = if i == 0 { "" } else { "." };
            write!(f, "{dot}module.{}{}", step.call, step.key)?;
        }
        Ok(())
    }
}

/// In the order in which addresses sort.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ResourceMode {
    Ephemeral,
    Data,
    Managed,
    Action,
}

impl ResourceMode {
    /// The mode of resources that a block of this type declares; `None` where it declares none.
    pub fn of_block_type(block_type: &str) -> Option<ResourceMode> {
        match block_type {
            "resource" => Some(ResourceMode::Managed),
            "data" => Some(ResourceMode::Data),
            "ephemeral" => Some(ResourceMode::Ephemeral),
            "action" => Some(ResourceMode::Action),
            _ => None,
        }
    }

    /// The type of the block that declares such a resource.
    pub fn block_type(self) -> &'static str {
        match self {
            ResourceMode::Data => "data",
            ResourceMode::Managed => "resource",
            ResourceMode::Ephemeral => "ephemeral",
            ResourceMode::Action => "action",
        }
    }
}

/// A resource within its module.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ResourceAddr {
    pub mode: ResourceMode,
    pub r#type: SmolStr,
    pub name: SmolStr,
}

impl ResourceAddr {
    pub fn new(
        mode: ResourceMode,
        r#type: impl Into<SmolStr>,
        name: impl Into<SmolStr>,
    ) -> ResourceAddr {
        ResourceAddr {
            mode,
            r#type: r#type.into(),
            name: name.into(),
        }
    }

    pub fn managed(r#type: impl Into<SmolStr>, name: impl Into<SmolStr>) -> ResourceAddr {
        ResourceAddr::new(ResourceMode::Managed, r#type, name)
    }

    /// The local name of the provider that the type's name implies: the part before the first `_`.
    pub fn implied_provider(&self) -> &str {
        self.r#type.split('_').next().unwrap_or(&self.r#type)
    }
}

impl fmt::Display for ResourceAddr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.mode {
            ResourceMode::Managed => {}
            ResourceMode::Data => f.write_str("data.")?,
            ResourceMode::Ephemeral => f.write_str("ephemeral.")?,
            ResourceMode::Action => f.write_str("action.")?,
        }
        write!(f, "{}.{}", self.r#type, self.name)
    }
}

/// A resource as the configuration names it: in a module, without instance keys.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ConfigResourceAddr {
    pub module: ModuleAddr,
    pub resource: ResourceAddr,
}

impl fmt::Display for ConfigResourceAddr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_under(f, &self.module, self.module.is_root(), &self.resource)
    }
}

/// A resource, with all its instances, in one instance of its module.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AbsResourceAddr {
    pub module: ModuleInstanceAddr,
    pub resource: ResourceAddr,
}

impl AbsResourceAddr {
    pub fn instance(&self, key: InstanceKey) -> ResourceInstanceAddr {
        ResourceInstanceAddr {
            module: self.module.clone(),
            resource: self.resource.clone(),
            key,
        }
    }

    pub fn config(&self) -> ConfigResourceAddr {
        ConfigResourceAddr {
            module: self.module.module(),
            resource: self.resource.clone(),
        }
    }
}

impl fmt::Display for AbsResourceAddr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_under(f, &self.module, self.module.is_root(), &self.resource)
    }
}

/// One instance of a resource, anywhere in the module tree.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ResourceInstanceAddr {
    pub module: ModuleInstanceAddr,
    pub resource: ResourceAddr,
    pub key: InstanceKey,
}

impl ResourceInstanceAddr {
    /// The resource that this is an instance of.
    pub fn resource(&self) -> AbsResourceAddr {
        AbsResourceAddr {
            module: self.module.clone(),
            resource: self.resource.clone(),
        }
    }

    pub fn config(&self) -> ConfigResourceAddr {
        ConfigResourceAddr {
            module: self.module.module(),
            resource: self.resource.clone(),
        }
    }
}

impl fmt::Display for ResourceInstanceAddr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_under(f, &self.module, self.module.is_root(), &self.resource)?;
        self.key.fmt(f)
    }
}

fn write_under(
    f: &mut fmt::Formatter<'_>,
    module: &dyn fmt::Display,
    is_root: bool,
    resource: &ResourceAddr,
) -> fmt::Result {
    let dot = if is_root { "" } else { "." };
    write!(f, "{module}{dot}{resource}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instance(text: &str) -> ResourceInstanceAddr {
        text.parse().unwrap()
    }

    #[test]
    fn addresses_print_as_they_are_read() {
        for text in [
            "random_pet.a",
            "random_pet.a[0]",
            r#"random_pet.a["x"]"#,
            r#"random_pet.a["\" \\ \n $${x} %%{y} $x"]"#,
            "data.local_file.f",
            "ephemeral.random_password.p",
            r#"module.m["eu"].module.n[1].module.o.data.local_file.f[3]"#,
        ] {
            assert_eq!(instance(text).to_string(), text);
        }
    }

    #[test]
    fn addresses_sort_as_terraform_does() {
        let sorted = [
            "ephemeral.b.b",
            "data.b.b",
            "a.a",
            "a.b",
            "a.b[0]",
            "a.b[2]",
            "a.b[10]",
            r#"a.b["0"]"#,
            "b.a",
            "module.z.a.a",
            "module.z[0].a.a",
            "module.a.module.a.a.a",
        ];
        let mut addrs: Vec<_> = sorted.iter().rev().map(|text| instance(text)).collect();
        addrs.sort();
        let printed: Vec<_> = addrs.iter().map(|addr| addr.to_string()).collect();
        assert_eq!(printed, sorted);
    }

    #[test]
    fn an_address_of_no_resource_instance_is_refused_with_a_reason() {
        for (text, message) in [
            ("", "Must begin with a variable name."),
            (
                "random_pet",
                "Resource specification must include a resource type and name.",
            ),
            (
                "module.m",
                "A resource instance address is required here. The module path must be followed by a resource instance specification.",
            ),
            (
                "random_pet.a.b",
                "Resource instance key must be given in square brackets.",
            ),
            (
                "random_pet.a[1.5]",
                "Index brackets must contain either a literal number or a literal string.",
            ),
            (
                "random_pet.a[-1]",
                "Index brackets must contain either a literal number or a literal string.",
            ),
            ("random_pet.a[\"x", "unterminated string"),
            (
                "random_pet.a[\"${x}\"]",
                "an instance key may not contain a template",
            ),
            ("random_pet[0].a", "A resource name is required."),
        ] {
            assert_eq!(
                text.parse::<ResourceInstanceAddr>()
                    .unwrap_err()
                    .to_string(),
                message,
                "{text}"
            );
        }
    }
}
