//! What a provider says about its types: blocks, attributes, nested types and the types they imply.

mod block;
mod bundled;
mod empty;
mod implied;
mod json;
mod language;
mod legacy;
mod lookup;
mod paths;
mod provider;
mod removed;
mod traverse;

pub use block::{
    Attribute, Block, DescriptionKind, LazyBlock, NestedBlock, NestedType, Nesting, Schema,
    TypeSummary,
};
pub use bundled::{Bundled, bundled};
pub use json::{JsonError, provider_schemas_from_json};
pub use language::{
    Argument, ArgumentKind, Label, LanguageBlock, LanguageSchema, SchemaSource, Since,
};
pub use provider::{Capabilities, FunctionParameter, FunctionSignature, ProviderSchema};
pub use removed::strip_removed_attributes;
pub use traverse::{DeprecatedStep, TraversalError, Traversed};
