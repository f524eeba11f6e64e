//! What a state holds.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use config::{
    AbsResourceAddr, ConfigResourceAddr, InstanceKey, ProviderConfigAddr, ResourceInstanceAddr,
};
use cty::{Path, Value};
use indexmap::IndexMap;
use serde_json::value::RawValue;
use smol_str::SmolStr;

/// A snapshot of everything that Terraform manages in one workspace. The default is the empty state.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct State {
    /// Identifies the workspace's state through all its versions.
    pub lineage: SmolStr,
    /// Counts the versions of the state.
    pub serial: u64,
    pub terraform_version: SmolStr,
    pub outputs: BTreeMap<SmolStr, Output>,
    /// In the order of the file, which is that of addresses.
    pub resources: IndexMap<AbsResourceAddr, Arc<Resource>>,
}

/// An output value of the root module.
#[derive(Clone, PartialEq, Debug)]
pub struct Output {
    pub value: Value,
    pub sensitive: bool,
}

/// The objects of one resource.
#[derive(Clone, PartialEq, Debug)]
pub struct Resource {
    pub addr: AbsResourceAddr,
    /// The provider configuration that last worked on it.
    pub provider: ProviderConfigAddr,
    pub instances: BTreeMap<InstanceKey, Instance>,
}

/// The objects of one resource instance.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Instance {
    pub current: Option<Arc<Object>>,
    /// Objects that wait for their destruction, by their deposed key.
    pub deposed: BTreeMap<SmolStr, Arc<Object>>,
}

/// A remote object as the provider last described it.
///
/// Its attributes are kept as text: only the provider can read those of an older schema version.
#[derive(Clone, Debug)]
pub struct Object {
    pub schema_version: u64,
    /// A JSON object, or null when there is only [`Object::attributes_flat`].
    pub attributes: RawJson,
    /// The form of Terraform before 0.12.
    pub attributes_flat: Option<BTreeMap<String, String>>,
    /// Marked sensitive when the object was written.
    pub sensitive_paths: Vec<Path>,
    pub identity: Option<RawJson>,
    pub identity_schema_version: u64,
    /// The provider's own data.
    pub private: Bytes,
    /// To be replaced at the next occasion.
    pub is_tainted: bool,
    pub create_before_destroy: bool,
    /// OpenTofu's: to be forgotten where it would be destroyed.
    pub skip_destroy: bool,
    /// OpenTofu's: which instance of the provider's configuration last worked on it.
    pub provider_key: InstanceKey,
    pub dependencies: Vec<ConfigResourceAddr>,
    /// Equal for objects whose text in the file is equal.
    pub fingerprint: u64,
}

/// `sensitive_paths` are compared by the fingerprint.
impl PartialEq for Object {
    fn eq(&self, other: &Object) -> bool {
        self.fingerprint == other.fingerprint
            && self.schema_version == other.schema_version
            && self.is_tainted == other.is_tainted
            && self.private == other.private
            && self.create_before_destroy == other.create_before_destroy
            && self.skip_destroy == other.skip_destroy
            && self.provider_key == other.provider_key
            && self.dependencies == other.dependencies
            && self.attributes_flat == other.attributes_flat
            && self.attributes == other.attributes
            && self.identity == other.identity
    }
}

/// The text of a JSON value as a state file has it, without the space between its parts: a file is two thirds space.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct RawJson(pub(crate) Box<str>);

impl RawJson {
    pub fn get(&self) -> &str {
        &self.0
    }
}

impl From<Box<RawValue>> for RawJson {
    fn from(value: Box<RawValue>) -> RawJson {
        let mut text = String::from(Box::<str>::from(value));
        let (mut is_in_string, mut is_escaped) = (false, false);
        // In its place: an object may be as long as all others together.
        text.retain(|c| {
            match (is_in_string, c) {
                (true, '\\') => is_escaped = !is_escaped,
                (true, '"') if !is_escaped => is_in_string = false,
                (true, _) => is_escaped = false,
                (false, '"') => is_in_string = true,
                (false, _) => return !c.is_ascii_whitespace(),
            }
            true
        });
        RawJson(text.into())
    }
}

impl State {
    pub fn is_empty(&self) -> bool {
        self.resources.is_empty() && self.outputs.is_empty()
    }

    pub fn resource(&self, addr: &AbsResourceAddr) -> Option<&Arc<Resource>> {
        self.resources.get(addr)
    }

    pub fn instance(&self, addr: &ResourceInstanceAddr) -> Option<&Instance> {
        self.resources
            .get(&addr.resource())?
            .instances
            .get(&addr.key)
    }

    /// The current object of an instance.
    pub fn object(&self, addr: &ResourceInstanceAddr) -> Option<&Arc<Object>> {
        self.instance(addr)?.current.as_ref()
    }

    /// All instances with their addresses.
    pub fn instances(&self) -> impl Iterator<Item = (ResourceInstanceAddr, &Instance)> {
        self.resources.iter().flat_map(|(addr, resource)| {
            let instances = resource.instances.iter();
            instances.map(|(key, instance)| (addr.instance(key.clone()), instance))
        })
    }

    /// Resources that `self` and `other` do not have alike. Outputs are not looked at.
    pub fn changed_resources(&self, other: &State) -> Vec<AbsResourceAddr> {
        let differs = |addr: &AbsResourceAddr, resource: &Arc<Resource>| {
            let counterpart = other.resources.get(addr);
            counterpart.is_none_or(|other| !Arc::ptr_eq(other, resource) && other != resource)
        };
        let ours = self
            .resources
            .iter()
            .filter(|(addr, resource)| differs(addr, resource));
        let gone = other
            .resources
            .keys()
            .filter(|addr| !self.resources.contains_key(*addr));
        ours.map(|(addr, _)| addr).chain(gone).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_space_between_the_parts_of_a_value_is_left_out_and_no_other() {
        for (written, kept) in [
            ("{ \"a b\" : [ 1 ,\n\t-2.50e3 ] }", "{\"a b\":[1,-2.50e3]}"),
            (r#"" \" { \\" "#, r#"" \" { \\""#),
            (
                r#"{"a": "\\", "b": " é\u00e9 "}"#,
                r#"{"a":"\\","b":" é\u00e9 "}"#,
            ),
            ("[ true , null ]", "[true,null]"),
            ("\"\"", "\"\""),
        ] {
            let value: Box<RawValue> = serde_json::from_str(written).unwrap();
            assert_eq!(RawJson::from(value).get(), kept);
        }
    }
}
