//! Schemas of well-known providers, for modules whose own are not installed yet: `schemas/bundled/schemas.bin`, whose
//! format `schemas/bundled/build` describes. Nothing of it is read before it is asked for.

use std::collections::BTreeMap;
use std::io::Read;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};

use flate2::read::ZlibDecoder;
use lru::LruCache;
use serde::Deserialize;
use smol_str::SmolStr;

use crate::json::{self, JsonFunctions, JsonIdentities};
use crate::{Block, ProviderSchema, Schema, TypeSummary};

static FILE: &[u8] = include_bytes!("../../../schemas/bundled/schemas.bin");
const FORMAT: &[u8] = b"planlens schemas 2\n";

/// A provider that comes with this program.
#[derive(Debug, Deserialize)]
pub struct Bundled {
    pub version: SmolStr,
    /// Whether the schemas are what the provider itself says. Others help to write, but don't tell what is wrong.
    pub is_exact: bool,
    index: (usize, usize),
    #[serde(skip)]
    schema: OnceLock<Option<Arc<ProviderSchema>>>,
}

/// By namespace and type, like `hashicorp/random`.
pub fn bundled() -> &'static BTreeMap<SmolStr, Bundled> {
    &CONTENT.0
}

static CONTENT: LazyLock<(BTreeMap<SmolStr, Bundled>, Source)> =
    LazyLock::new(|| content().expect("schemas.bin is part of this program, and a test reads it"));

impl Bundled {
    pub fn schema(&'static self) -> Option<&'static Arc<ProviderSchema>> {
        let schema = self.schema.get_or_init(|| {
            let read = self.read();
            if read.is_none() {
                tracing::error!(version = %self.version, "bundled schema unreadable");
            }
            Some(Arc::new(read?))
        });
        schema.as_ref()
    }

    fn read(&self) -> Option<ProviderSchema> {
        let source = &CONTENT.1;
        let index: Index = serde_json::from_slice(&source.section(self.index)?).ok()?;
        let types = |places: BTreeMap<SmolStr, TypePlace>| {
            let types = places.into_iter();
            let types = types.map(|(name, (section, at, end, text, is_deprecated))| {
                let about = TypeSummary {
                    description: usize::try_from(text)
                        .map(|number| source.text(number))
                        .unwrap_or_default(),
                    deprecated: is_deprecated != 0,
                };
                (name, source.schema(section, at..end, about))
            });
            types.collect()
        };
        let (section, at, end) = index.provider;
        Some(ProviderSchema {
            version: Some(self.version.clone()),
            provider: source.schema(section, at..end, TypeSummary::default()),
            resources: types(index.resources),
            data_sources: types(index.data_sources),
            ephemeral: types(index.ephemeral),
            actions: BTreeMap::new(),
            identities: json::identities(index.identities).ok()?,
            functions: json::functions(index.functions).ok()?,
            provider_meta: None,
            capabilities: crate::Capabilities::default(),
        })
    }
}

#[derive(Deserialize)]
struct Head {
    providers: BTreeMap<SmolStr, Bundled>,
    sections: Vec<(usize, usize)>,
    /// Each begins with the text of this number.
    texts: Vec<(usize, usize, usize)>,
}

/// Section, begin, end, number of the description or -1, whether it is deprecated.
type TypePlace = (usize, usize, usize, i64, u8);

#[derive(Deserialize)]
struct Index {
    provider: (usize, usize, usize),
    resources: BTreeMap<SmolStr, TypePlace>,
    data_sources: BTreeMap<SmolStr, TypePlace>,
    ephemeral: BTreeMap<SmolStr, TypePlace>,
    identities: JsonIdentities,
    functions: JsonFunctions,
}

/// Where the types of all providers are read from.
struct Source {
    packed: &'static [u8],
    sections: Vec<(usize, usize)>,
    texts: Vec<(usize, usize, usize)>,
    read_sections: Latest<Vec<u8>>,
    read_texts: Latest<Vec<SmolStr>>,
}

/// The parts that were read last, by number. Neighbours are often asked for together.
type Latest<T> = Mutex<LruCache<usize, Arc<T>>>;

/// A list of the types of google-beta reads texts of google too.
const KEPT: NonZeroUsize = NonZeroUsize::new(4).unwrap();

impl Source {
    fn schema(&'static self, section: usize, at: Range<usize>, about: TypeSummary) -> Arc<Schema> {
        // Stored forms are those of the installed provider alone.
        Arc::new(Schema::lazy(0, about, move || {
            self.block(section, at).unwrap_or_else(|| {
                tracing::error!(section, "bundled type unreadable");
                Block::default()
            })
        }))
    }

    fn block(&self, number: usize, at: Range<usize>) -> Option<Block> {
        let place = *self.sections.get(number)?;
        let types = latest(&self.read_sections, number, || self.section(place))?;
        json::numbered_block(types.get(at)?, &|number| self.text(number)).ok()
    }

    fn text(&self, number: usize) -> SmolStr {
        let found = || {
            let after = self.texts.partition_point(|(first, ..)| *first <= number);
            let &(first, begin, end) = self.texts.get(after.checked_sub(1)?)?;
            let texts = latest(&self.read_texts, first, || {
                let text = String::from_utf8(self.section((begin, end))?).ok()?;
                Some(text.split('\0').map(SmolStr::new).collect())
            })?;
            texts.get(number - first).cloned()
        };
        found().unwrap_or_default()
    }

    fn section(&self, (begin, end): (usize, usize)) -> Option<Vec<u8>> {
        let mut read = Vec::new();
        let mut decoder = ZlibDecoder::new(self.packed.get(begin..end)?);
        decoder.read_to_end(&mut read).ok()?;
        Some(read)
    }
}

fn latest<T>(parts: &Latest<T>, number: usize, read: impl FnOnce() -> Option<T>) -> Option<Arc<T>> {
    let mut parts = parts.lock().unwrap_or_else(PoisonError::into_inner);
    let read = || read().map(Arc::new).ok_or(());
    parts.try_get_or_insert(number, read).ok().cloned()
}

/// The providers, and where their types are read from.
fn content() -> Option<(BTreeMap<SmolStr, Bundled>, Source)> {
    let (length, rest) = FILE.strip_prefix(FORMAT)?.split_first_chunk::<4>()?;
    let (head, packed) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    let head: Head = serde_json::from_slice(head).ok()?;
    let source = Source {
        packed,
        sections: head.sections,
        texts: head.texts,
        read_sections: Mutex::new(LruCache::new(KEPT)),
        read_texts: Mutex::new(LruCache::new(KEPT)),
    };
    Some((head.providers, source))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_sections_can_be_read() {
        for (name, bundled) in bundled() {
            let schema = bundled.schema().unwrap_or_else(|| panic!("{name}"));
            let kinds = [&schema.resources, &schema.data_sources, &schema.ephemeral];
            let types = kinds.into_iter().flatten();
            // Each section holds more than ten types, and a mistake in one is a mistake in many.
            for (r#type, schema) in types.step_by(10) {
                let has_something =
                    !schema.block.attributes.is_empty() || !schema.block.block_types.is_empty();
                assert!(has_something, "{name}: {}", r#type);
            }
            assert_eq!(schema.version.as_ref(), Some(&bundled.version), "{name}");
        }
    }

    #[test]
    fn well_known_providers_are_there() {
        for name in [
            "cloudflare/cloudflare",
            "datadog/datadog",
            "hashicorp/archive",
            "hashicorp/aws",
            "hashicorp/azuread",
            "hashicorp/azurerm",
            "hashicorp/external",
            "hashicorp/google",
            "hashicorp/google-beta",
            "hashicorp/helm",
            "hashicorp/http",
            "hashicorp/kubernetes",
            "hashicorp/local",
            "hashicorp/null",
            "hashicorp/random",
            "hashicorp/time",
            "hashicorp/tls",
            "integrations/github",
        ] {
            assert!(bundled().contains_key(name), "{name}");
        }
        let schema = |name: &str| bundled()[name].schema().unwrap();
        let aws = schema("hashicorp/aws");
        let types = (aws.resources.len(), aws.data_sources.len());
        assert!(types.0 >= 1_400 && types.1 >= 550, "{types:?}");
        let instance = &aws.resources["aws_instance"].block;
        assert!(instance.attributes["instance_type"].optional);
        assert!(instance.block_types.contains_key("root_block_device"));
        assert!(aws.provider.block.attributes.contains_key("region"));
        assert!(aws.provider.block.block_types.contains_key("default_tags"));
        let keepers = &schema("hashicorp/random").resources["random_pet"]
            .block
            .attributes["keepers"];
        assert!(keepers.description.contains("Arbitrary map"), "{keepers:?}");
        let bucket = &schema("hashicorp/google").resources["google_storage_bucket"];
        assert!(!bucket.block.attributes["location"].description.is_empty());
    }

    #[test]
    fn the_file_is_small() {
        assert!(FILE.len() < 2 << 20, "{}", FILE.len());
    }
}
