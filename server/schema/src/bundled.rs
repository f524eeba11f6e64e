//! Schemas of well-known providers, for modules whose own are not installed yet: `schemas/bundled`.

use std::collections::BTreeMap;
use std::io::Read;
use std::sync::{Arc, LazyLock};

use serde::Deserialize;
use smol_str::SmolStr;

use crate::{ProviderSchema, provider_schemas_from_json};

static COMPRESSED: &[u8] = include_bytes!("../../../schemas/bundled/schemas.json.gz");

/// By namespace and type, like `hashicorp/random`, each with the version that it is of. Good to tell what there may be,
/// not what is wrong: the version that will be installed may be another one.
pub fn bundled() -> &'static BTreeMap<SmolStr, Arc<ProviderSchema>> {
    static SCHEMAS: LazyLock<BTreeMap<SmolStr, Arc<ProviderSchema>>> = LazyLock::new(|| {
        read().expect("schemas.json.gz is part of this program, and a test reads it")
    });
    &SCHEMAS
}

#[derive(Deserialize)]
struct Versions {
    versions: BTreeMap<SmolStr, SmolStr>,
}

fn read() -> Option<BTreeMap<SmolStr, Arc<ProviderSchema>>> {
    let mut json = String::new();
    let mut reader = flate2::read::GzDecoder::new(COMPRESSED);
    reader.read_to_string(&mut json).ok()?;
    let Versions { versions } = serde_json::from_str(&json).ok()?;
    let schemas = provider_schemas_from_json(&json).ok()?;
    let named = schemas.into_iter().map(|(addr, schema)| {
        let version = versions.get(&addr).cloned();
        let (_, name) = addr.split_once('/')?;
        Some((name.into(), Arc::new(ProviderSchema { version, ..schema })))
    });
    named.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_its_version() {
        let names: Vec<&str> = bundled().keys().map(SmolStr::as_str).collect();
        let expected = ["local", "null", "random", "time", "tls"];
        assert_eq!(names, expected.map(|name| format!("hashicorp/{name}")));
        assert!(bundled().values().all(|schema| schema.version.is_some()));
        assert!(
            bundled()["hashicorp/random"]
                .resources
                .contains_key("random_pet")
        );
    }
}
