//! Everything that one provider declares.

use std::collections::BTreeMap;
use std::sync::Arc;

use cty::Type;
use smol_str::SmolStr;

use crate::{DescriptionKind, Schema};

/// The schemas of a provider's configuration and of all its types. Resource types differ in size by
/// a factor of a thousand, so each is shared by itself.
#[derive(Debug, Clone, PartialEq)]
pub struct ProviderSchema {
    /// Of the package that the lock file selects; `None` for what has no package, or no lock.
    pub version: Option<SmolStr>,
    pub provider: Arc<Schema>,
    pub resources: BTreeMap<SmolStr, Arc<Schema>>,
    pub data_sources: BTreeMap<SmolStr, Arc<Schema>>,
    pub ephemeral: BTreeMap<SmolStr, Arc<Schema>>,
    /// Of the `config` blocks of actions.
    pub actions: BTreeMap<SmolStr, Arc<Schema>>,
    /// What identifies a remote object, by resource type: an attribute is `required` or `optional` for an import.
    pub identities: BTreeMap<SmolStr, Arc<Schema>>,
    pub functions: BTreeMap<SmolStr, Arc<FunctionSignature>>,
    /// Of `provider_meta` blocks, where the provider takes any.
    pub provider_meta: Option<Arc<Schema>>,
    pub capabilities: Capabilities,
}

/// What a provider says it can do beyond the calls that all have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Capabilities {
    /// PlanResourceChange may be asked about a deletion. Where not, it must not be.
    pub plan_destroy: bool,
    pub get_provider_schema_optional: bool,
    pub move_resource_state: bool,
    pub generate_resource_config: bool,
}

/// A function that a provider defines, called as `provider::NAME::FUNCTION`.
#[derive(Debug, Clone, PartialEq)]
pub struct FunctionSignature {
    pub parameters: Vec<FunctionParameter>,
    pub variadic_parameter: Option<FunctionParameter>,
    pub return_type: Type,
    pub summary: SmolStr,
    pub description: SmolStr,
    pub description_kind: DescriptionKind,
    pub deprecation_message: SmolStr,
}

#[derive(Debug, Clone, PartialEq)]
pub struct FunctionParameter {
    pub name: SmolStr,
    pub ty: Type,
    pub allow_null_value: bool,
    pub allow_unknown_values: bool,
    pub description: SmolStr,
    pub description_kind: DescriptionKind,
}
