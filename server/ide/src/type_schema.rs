//! The schema of a type, by its name.

use std::path::Path;
use std::sync::Arc;

use config::ResourceMode;
use schema::Schema;

use crate::{ModuleContext, Snapshot};

/// A type of resources, with the provider and the version that it is of.
#[derive(Clone, Debug)]
pub struct TypeSchema {
    pub mode: ResourceMode,
    /// `hashicorp/random 3.9.0`
    pub provider: String,
    pub schema: Arc<Schema>,
}

const MODES: [ResourceMode; 4] = [
    ResourceMode::Managed,
    ResourceMode::Data,
    ResourceMode::Ephemeral,
    ResourceMode::Action,
];

impl Snapshot {
    /// The schemas of the providers of the module in `dir` for a type: those that are installed, or else those of this
    /// program.
    pub fn type_schemas(&self, dir: &Path, r#type: &str) -> Vec<TypeSchema> {
        let known = self.known_of(dir);
        let of_mode = |mode| {
            Some(TypeSchema {
                mode,
                provider: known.provider_of_schema(mode, r#type),
                schema: known.resource_schema(mode, r#type)?.clone(),
            })
        };
        MODES.into_iter().filter_map(of_mode).collect()
    }

    /// The names of all types whose schema is known in the module in `dir`, in their order.
    pub fn type_names(&self, dir: &Path) -> Vec<String> {
        let known = self.known_of(dir);
        let types = MODES
            .into_iter()
            .flat_map(|mode| known.resource_types(mode));
        let mut names: Vec<String> = types.map(|(_, name, _)| name.to_string()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    fn known_of(&self, dir: &Path) -> Arc<ModuleContext> {
        self.known_modules().get(dir).cloned().unwrap_or_default()
    }
}
