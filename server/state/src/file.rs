//! Reading a state file of format version 4.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;

use base64::Engine;
use config::{
    InstanceKey, ModuleInstanceAddr, ProviderAddr, ProviderConfigAddr, ResourceAddr, ResourceMode,
};
use cty::{Path, PathStep, Type, Value};
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::error::Category;
use serde_json::value::RawValue;
use smol_str::SmolStr;

use crate::{Instance, Object, Output, RawJson, Resource, State, StateError};

/// Reads the text of a state file. The empty text is the empty state.
pub fn read(text: &str) -> Result<State, StateError> {
    read_with("", &|| Ok(Box::new(text.as_bytes())))
}

/// Reads a state file part by part: its text, which may be hundreds of megabytes long, is never in memory as a whole.
/// `open` is called again for a text that is not a state of version 4, to say what it is. `path` is for messages.
pub(crate) fn read_with<'a>(
    path: &str,
    open: &dyn Fn() -> io::Result<Box<dyn Read + 'a>>,
) -> Result<State, StateError> {
    let opened = || {
        let file = open().map_err(|error| unreadable(path, &error))?;
        Ok(BufReader::with_capacity(1 << 16, file))
    };
    let mut text = opened()?;
    if is_blank(&mut text).map_err(|error| unreadable(path, &error))? {
        return Ok(State::default());
    }
    let file: StateV4 = parse(path, text).or_else(|error| {
        refuse_others(&parse(path, opened()?)?)?;
        Err(error)
    })?;
    refuse_others(&file.head())?;
    state(file)
}

/// Whether nothing but space is left. Passes over buffers full of it.
fn is_blank(text: &mut impl BufRead) -> io::Result<bool> {
    loop {
        let part = text.fill_buf()?;
        if part.is_empty() || !part.trim_ascii().is_empty() {
            return Ok(part.is_empty());
        }
        let blank = part.len();
        text.consume(blank);
    }
}

pub(crate) fn unreadable(path: &str, error: &io::Error) -> StateError {
    StateError::Unreadable {
        path: path.to_owned(),
        why: error.to_string(),
    }
}

fn parse<T: DeserializeOwned>(path: &str, text: impl Read) -> Result<T, StateError> {
    serde_json::from_reader(text).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        // Only what kind of mistake it is: the file's values may be secret.
        let why = match error.classify() {
            Category::Eof => return StateError::Truncated { line },
            Category::Io => return unreadable(path, &error.into()),
            Category::Data => "an unexpected kind of value",
            Category::Syntax => "a syntax error",
        };
        StateError::Syntax {
            line,
            column,
            why: why.to_owned(),
        }
    })
}

/// Only version 4 is read.
fn refuse_others(head: &Head) -> Result<(), StateError> {
    match head.version {
        _ if head.encryption_version.is_some() || head.encrypted_data.is_some() => {
            Err(StateError::Encrypted)
        }
        None if head.format_version.is_some() => Err(StateError::Shown),
        None => Err(StateError::NotState),
        Some(4) => Ok(()),
        Some(version) if version < 4 => Err(StateError::TooOld { version }),
        Some(version) => Err(StateError::TooNew { version }),
    }
}

#[derive(Deserialize)]
struct Head {
    version: Option<u64>,
    format_version: Option<IgnoredAny>,
    encryption_version: Option<IgnoredAny>,
    encrypted_data: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct StateV4 {
    version: Option<u64>,
    format_version: Option<IgnoredAny>,
    encryption_version: Option<IgnoredAny>,
    encrypted_data: Option<IgnoredAny>,
    #[serde(default)]
    terraform_version: SmolStr,
    #[serde(default)]
    serial: u64,
    #[serde(default)]
    lineage: SmolStr,
    #[serde(default)]
    outputs: Option<BTreeMap<SmolStr, OutputV4>>,
    #[serde(default)]
    resources: Option<Vec<ResourceV4>>,
}

impl StateV4 {
    fn head(&self) -> Head {
        Head {
            version: self.version,
            format_version: self.format_version,
            encryption_version: self.encryption_version,
            encrypted_data: self.encrypted_data,
        }
    }
}

#[derive(Deserialize)]
struct OutputV4 {
    value: serde_json::Value,
    r#type: serde_json::Value,
    #[serde(default)]
    sensitive: bool,
}

#[derive(Deserialize)]
struct ResourceV4 {
    #[serde(default)]
    module: SmolStr,
    mode: SmolStr,
    r#type: SmolStr,
    name: SmolStr,
    /// OpenTofu has it with each instance where the configuration of the provider has instances.
    #[serde(default)]
    provider: SmolStr,
    #[serde(default)]
    instances: Vec<StoredInstance>,
}

/// An instance, brought into the form in which it is kept as soon as it is read.
#[derive(Deserialize)]
#[serde(from = "InstanceV4")]
struct StoredInstance {
    key: Result<InstanceKey, &'static str>,
    deposed: Option<SmolStr>,
    provider: SmolStr,
    dependencies: Vec<SmolStr>,
    /// Without its dependencies.
    object: Result<Object, &'static str>,
}

impl From<InstanceV4> for StoredInstance {
    fn from(mut stored: InstanceV4) -> StoredInstance {
        StoredInstance {
            key: instance_key(stored.index_key.take()),
            deposed: stored.deposed.take().filter(|key| !key.is_empty()),
            provider: stored.provider.clone(),
            dependencies: stored.dependencies.clone().unwrap_or_default(),
            object: object(stored),
        }
    }
}

#[derive(Deserialize)]
struct InstanceV4 {
    index_key: Option<serde_json::Value>,
    status: Option<SmolStr>,
    deposed: Option<SmolStr>,
    #[serde(default)]
    schema_version: u64,
    /// Also null.
    #[serde(default, deserialize_with = "given")]
    attributes: Option<Box<RawValue>>,
    attributes_flat: Option<BTreeMap<String, String>>,
    sensitive_attributes: Option<Vec<Vec<PathStepV4>>>,
    identity: Option<Box<RawValue>>,
    identity_schema_version: Option<u64>,
    private: Option<String>,
    dependencies: Option<Vec<SmolStr>>,
    create_before_destroy: Option<bool>,
    /// OpenTofu's.
    #[serde(default)]
    provider: SmolStr,
    #[serde(default)]
    skip_destroy: bool,
}

#[derive(Deserialize)]
struct PathStepV4 {
    r#type: SmolStr,
    value: serde_json::Value,
}

fn invalid(what: impl ToString, why: impl ToString) -> StateError {
    StateError::Invalid {
        what: what.to_string(),
        why: why.to_string(),
    }
}

fn state(file: StateV4) -> Result<State, StateError> {
    let mut state = State {
        lineage: file.lineage,
        serial: file.serial,
        terraform_version: file.terraform_version,
        ..State::default()
    };
    for (name, stored) in file.outputs.unwrap_or_default() {
        let what = format!("output {name}");
        let ty = Type::from_json(&stored.r#type).map_err(|why| invalid(&what, why))?;
        let value = cty::json::decode(&stored.value, &ty)
            .map_err(|_| invalid(&what, "its value is not of its type"))?;
        state.outputs.insert(
            name,
            Output {
                value,
                sensitive: stored.sensitive,
            },
        );
    }
    let mut known = ReadAddresses::default();
    for stored in file.resources.unwrap_or_default() {
        add_resource(&mut state, stored, &mut known)?;
    }
    Ok(state)
}

/// Addresses that were read already: a large state repeats a few providers and dependencies.
#[derive(Default)]
struct ReadAddresses {
    providers: HashMap<SmolStr, ProviderConfigAddr>,
    dependencies: HashMap<SmolStr, config::ConfigResourceAddr>,
}

/// One resource may be listed in several parts.
fn add_resource(
    state: &mut State,
    stored: ResourceV4,
    known: &mut ReadAddresses,
) -> Result<(), StateError> {
    let what = format!("resource {}.{}", stored.r#type, stored.name);
    let mode = match stored.mode.as_str() {
        "managed" => ResourceMode::Managed,
        "data" => ResourceMode::Data,
        "ephemeral" => ResourceMode::Ephemeral,
        mode => return Err(invalid(what, format!("unknown resource mode {mode:?}"))),
    };
    let module: ModuleInstanceAddr = stored.module.parse().map_err(|why| invalid(&what, why))?;
    let provider = match stored.instances.first() {
        Some(instance) if stored.provider.is_empty() => &instance.provider,
        _ => &stored.provider,
    };
    let provider = match known.providers.get(provider) {
        Some(provider) => provider.clone(),
        None => {
            let text = without_instance_key(provider);
            let read = text.parse().or_else(|why| legacy_provider(text).ok_or(why));
            let addr: ProviderConfigAddr = read.map_err(|why| invalid(&what, why))?;
            known.providers.insert(provider.clone(), addr.clone());
            addr
        }
    };
    let addr = module.resource(ResourceAddr::new(mode, stored.r#type, stored.name));
    let resource = state.resources.entry(addr.clone()).or_insert_with(|| {
        Arc::new(Resource {
            addr: addr.clone(),
            provider,
            instances: BTreeMap::new(),
        })
    });
    let resource = Arc::make_mut(resource);
    for stored in stored.instances {
        let key = stored.key.map_err(|why| invalid(&addr, why))?;
        let with_dependencies = |object| {
            let dependencies = dependencies(stored.dependencies, known)?;
            Ok(Object {
                dependencies,
                ..object
            })
        };
        let object = stored.object.and_then(with_dependencies);
        let object = object.map_err(|why| invalid(addr.instance(key.clone()), why))?;
        let named = addr.instance(key.clone());
        let instance = resource.instances.entry(key).or_default();
        let added = instance.add(stored.deposed, Arc::new(object));
        added.map_err(|why| invalid(named, why))?;
    }
    Ok(())
}

/// The address of a provider configuration as Terraform before 0.13 wrote it: `module.m.provider.aws.east`. Terraform
/// takes the provider for one of the namespace `-`.
fn legacy_provider(text: &str) -> Option<ProviderConfigAddr> {
    let (module, provider) = match text.strip_prefix("provider.") {
        Some(provider) => ("", provider),
        None => text.split_once(".provider.")?,
    };
    let (name, alias) = match provider.split_once('.') {
        Some((name, alias)) => (name, Some(alias.into())),
        None => (provider, None),
    };
    let is_name = !name.is_empty() && !name.contains(['"', '[', ' ']);
    is_name.then_some(ProviderConfigAddr {
        module: module.parse().ok()?,
        provider: ProviderAddr::new(ProviderAddr::DEFAULT_HOST, "-", name),
        alias,
    })
}

impl Instance {
    /// Follows `prepareStateV4` of OpenTofu's `internal/states/statefile/version4.go`.
    fn add(&mut self, deposed: Option<SmolStr>, object: Arc<Object>) -> Result<(), &'static str> {
        let before = match deposed {
            Some(key) => self.deposed.insert(key, object),
            None => self.current.replace(object),
        };
        match before {
            Some(_) => Err("the state has it more than once"),
            None => Ok(()),
        }
    }
}

/// The address of a provider configuration of which the text names an instance: `provider["..."].alias["key"]`.
fn without_instance_key(provider: &str) -> &str {
    match provider.rfind('[') {
        Some(start) if !provider[..start].ends_with("provider") => &provider[..start],
        _ => provider,
    }
}

/// The key after such an address.
fn provider_key(provider: &str) -> InstanceKey {
    let rest = &provider[without_instance_key(provider).len()..];
    let key = rest
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    match key.map(serde_json::from_str::<String>) {
        Some(Ok(key)) => InstanceKey::String(key.into()),
        Some(Err(_)) | None => InstanceKey::None,
    }
}

fn instance_key(key: Option<serde_json::Value>) -> Result<InstanceKey, &'static str> {
    match key {
        None | Some(serde_json::Value::Null) => Ok(InstanceKey::None),
        Some(serde_json::Value::String(key)) => Ok(InstanceKey::String(key.into())),
        Some(serde_json::Value::Number(index)) => index
            .as_u64()
            .map(InstanceKey::Int)
            .ok_or("an instance key is not a whole number"),
        Some(_) => Err("an instance key is neither a number nor a string"),
    }
}

fn object(stored: InstanceV4) -> Result<Object, &'static str> {
    let fingerprint = fingerprint(&stored);
    let is_tainted = match stored.status.as_deref() {
        None | Some("") => false,
        Some("tainted") => true,
        Some(_) => return Err("an object has an unknown status"),
    };
    let private = match &stored.private {
        Some(text) => base64::engine::general_purpose::STANDARD
            .decode(text)
            .map_err(|_| "the provider's private data is not valid base64")?,
        None => Vec::new(),
    };
    let (attributes, attributes_flat) = match (stored.attributes, stored.attributes_flat) {
        (Some(attributes), _) => (attributes.into(), None),
        (None, Some(flat)) => (RawJson("null".into()), Some(flat)),
        (None, None) => (RawJson("{}".into()), None),
    };
    let paths = stored.sensitive_attributes.unwrap_or_default();
    Ok(Object {
        schema_version: stored.schema_version,
        attributes,
        attributes_flat,
        sensitive_paths: paths
            .into_iter()
            .map(path)
            .collect::<Option<_>>()
            .ok_or("a path of a sensitive attribute can't be read")?,
        identity: stored.identity.map(RawJson::from),
        identity_schema_version: stored.identity_schema_version.unwrap_or(0),
        private: private.into(),
        is_tainted,
        create_before_destroy: stored.create_before_destroy.unwrap_or(false),
        skip_destroy: stored.skip_destroy,
        provider_key: provider_key(&stored.provider),
        dependencies: Vec::new(),
        fingerprint,
    })
}

fn dependencies(
    stored: Vec<SmolStr>,
    known: &mut ReadAddresses,
) -> Result<Vec<config::ConfigResourceAddr>, &'static str> {
    let read = |text: SmolStr| match known.dependencies.get(&text) {
        Some(addr) => Ok(addr.clone()),
        None => {
            let addr: config::ConfigResourceAddr = text
                .parse()
                .map_err(|_| "a dependency is not a resource address")?;
            known.dependencies.insert(text, addr.clone());
            Ok(addr)
        }
    };
    stored.into_iter().map(read).collect()
}

fn path(steps: Vec<PathStepV4>) -> Option<Path> {
    let step = |step: PathStepV4| match (step.r#type.as_str(), step.value) {
        ("get_attr", serde_json::Value::String(name)) => Some(PathStep::GetAttr(name.into())),
        // An index has its type beside it.
        ("index", serde_json::Value::Object(mut typed)) => index(typed.remove("value")?),
        ("index", plain) => index(plain),
        _ => None,
    };
    steps
        .into_iter()
        .map(step)
        .collect::<Option<Vec<_>>>()
        .map(Path::from)
}

fn index(key: serde_json::Value) -> Option<PathStep> {
    match key {
        serde_json::Value::String(key) => Some(PathStep::Index(Value::string(key))),
        serde_json::Value::Number(number) => number.as_i64().map(Value::int).map(PathStep::Index),
        _ => None,
    }
}

/// A value that may be null.
fn given<'de, D: serde::Deserializer<'de>>(value: D) -> Result<Option<Box<RawValue>>, D::Error> {
    Box::deserialize(value).map(Some)
}

fn raw(json: &Option<Box<RawValue>>) -> Option<&str> {
    json.as_deref().map(RawValue::get)
}

fn fingerprint(stored: &InstanceV4) -> u64 {
    let mut hasher = DefaultHasher::new();
    stored.status.hash(&mut hasher);
    stored.schema_version.hash(&mut hasher);
    raw(&stored.attributes).hash(&mut hasher);
    stored.attributes_flat.hash(&mut hasher);
    raw(&stored.identity).hash(&mut hasher);
    stored.identity_schema_version.hash(&mut hasher);
    stored.private.hash(&mut hasher);
    stored.dependencies.hash(&mut hasher);
    stored.create_before_destroy.hash(&mut hasher);
    for step in stored.sensitive_attributes.iter().flatten().flatten() {
        step.r#type.hash(&mut hasher);
        step.value.to_string().hash(&mut hasher);
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATE: &str = r#"{
  "version": 4, "terraform_version": "1.11.4", "serial": 3, "lineage": "f00",
  "outputs": {},
  "resources": [
    {"mode": "managed", "type": "random_pet", "name": "a", "each": "map",
     "provider": "provider[\"registry.terraform.io/hashicorp/random\"].east",
     "instances": [
       {"index_key": "x", "status": "tainted", "schema_version": 2,
        "attributes": {"length": 2, "big": 12345678901234567890.10},
        "sensitive_attributes": [[{"type": "get_attr", "value": "list"}, {"type": "index", "value": {"value": 0, "type": "number"}}]],
        "private": "YWJj", "dependencies": ["module.m.random_id.b"], "create_before_destroy": true},
       {"index_key": "x", "deposed": "00000001", "schema_version": 2, "attributes": {}}
     ]},
    {"module": "module.m[0]", "mode": "data", "type": "local_file", "name": "f",
     "provider": "provider[\"registry.terraform.io/hashicorp/local\"]",
     "instances": [{"schema_version": 0, "attributes": {}}]}
  ],
  "check_results": null
}"#;

    #[test]
    fn objects_are_found_by_address() {
        let state = read(STATE).unwrap();
        assert_eq!((state.serial, state.lineage.as_str()), (3, "f00"));
        let addrs: Vec<_> = state
            .instances()
            .map(|(addr, _)| addr.to_string())
            .collect();
        assert_eq!(
            addrs,
            [r#"random_pet.a["x"]"#, "module.m[0].data.local_file.f"]
        );

        let addr = r#"random_pet.a["x"]"#.parse().unwrap();
        let object = state.object(&addr).unwrap();
        assert_eq!(
            object.attributes.get(),
            r#"{"length":2,"big":12345678901234567890.10}"#
        );
        assert!(object.is_tainted && object.create_before_destroy);
        assert_eq!(object.schema_version, 2);
        assert_eq!(&object.private[..], b"abc");
        assert_eq!(object.dependencies[0].to_string(), "module.m.random_id.b");
        assert_eq!(
            object.sensitive_paths,
            [Path::from(vec![
                PathStep::GetAttr("list".into()),
                PathStep::Index(Value::int(0))
            ])]
        );
        let instance = state.instance(&addr).unwrap();
        assert_eq!(instance.deposed.keys().collect::<Vec<_>>(), ["00000001"]);
        let provider = &state.resource(&addr.resource()).unwrap().provider;
        assert_eq!(
            provider.to_string(),
            r#"provider["registry.terraform.io/hashicorp/random"].east"#
        );
        assert!(state.object(&"random_pet.a".parse().unwrap()).is_none());
    }

    #[test]
    fn changes_between_two_reads_are_listed_per_resource() {
        let before = read(STATE).unwrap();
        assert!(read(STATE).unwrap().changed_resources(&before).is_empty());
        let after = read(&STATE.replace("\"length\": 2", "\"length\": 3")).unwrap();
        let changed: Vec<_> = after
            .changed_resources(&before)
            .iter()
            .map(|a| a.to_string())
            .collect();
        assert_eq!(changed, ["random_pet.a"]);
    }

    fn with_instances(provider: &str, instances: &str) -> String {
        format!(
            r#"{{"version": 4, "resources": [{{"mode": "managed", "type": "null_resource", "name": "a",
                "provider": {provider:?}, "instances": [{instances}]}}]}}"#
        )
    }

    const NULL: &str = "provider[\"registry.terraform.io/hashicorp/null\"]";

    #[test]
    fn an_object_without_attributes_is_empty_or_flat() {
        let attributes = |instance: &str| {
            let state = read(&with_instances(NULL, instance)).unwrap();
            let object = state.object(&"null_resource.a".parse().unwrap()).unwrap();
            let flat = object.attributes_flat.as_ref().map(|it| it["id"].clone());
            (object.attributes.get().to_owned(), flat)
        };
        assert_eq!(attributes("{}"), ("{}".to_owned(), None));
        assert_eq!(
            attributes(r#"{"attributes": null}"#),
            ("null".to_owned(), None)
        );
        assert_eq!(
            attributes(r#"{"attributes_flat": {"id": "1"}}"#),
            ("null".to_owned(), Some("1".to_owned()))
        );
    }

    #[test]
    fn providers_of_terraform_before_0_13_have_no_namespace() {
        let provider = |text: &str| {
            let state = read(&with_instances(text, "{}")).unwrap();
            let addr: config::AbsResourceAddr = "null_resource.a".parse().unwrap();
            state.resource(&addr).unwrap().provider.to_string()
        };
        assert_eq!(
            provider("provider.null"),
            r#"provider["registry.terraform.io/-/null"]"#
        );
        assert_eq!(
            provider("module.m.provider.null.east"),
            r#"module.m.provider["registry.terraform.io/-/null"].east"#
        );
    }

    #[test]
    fn an_object_is_in_a_state_once() {
        let why = |instances: &str| {
            read(&with_instances(NULL, instances))
                .unwrap_err()
                .to_string()
        };
        assert!(why("{}, {}").contains("null_resource.a: the state has it more than once"));
        let deposed = r#"{"deposed": "00000001"}"#;
        assert!(why(&format!("{deposed}, {deposed}")).contains("more than once"));
    }

    #[test]
    fn unreadable_state_files_have_a_reason() {
        let message = |text: &str| read(text).unwrap_err().to_string();
        assert_eq!(read("").unwrap(), State::default());
        assert_eq!(
            message(&STATE[..STATE.len() / 2]),
            "the state file ends too early at line 10; is it still being written?"
        );
        assert_eq!(
            message("{\n  \"version\": 4,,\n}"),
            "the state file is not valid JSON at line 2, column 16: a syntax error"
        );
        assert_eq!(
            message("{}"),
            "the file is not a state file: it has no format version"
        );
        assert!(message(r#"{"format_version": "1.2", "values": {}}"#).contains("show -json"));
        assert!(message("[]").starts_with("the state file is not valid JSON"));
        assert!(message(r#"{"version": 3}"#).contains("format version 3"));
        assert!(message(r#"{"version": 5}"#).contains("newer than this planlens"));
        assert_eq!(
            message(r#"{"meta": {}, "encrypted_data": "x", "encryption_version": "v0"}"#),
            "the state file is encrypted and can not be read without an encryption configuration"
        );
        assert_eq!(
            message(&STATE.replace("YWJj", "?")),
            "the state file is not valid: random_pet.a[\"x\"]: the provider's private data is not valid base64"
        );
        assert_eq!(
            message(&STATE.replace("module.m[0]", "modul.m[0]")),
            "the state file is not valid: resource local_file.f: a module address is required here"
        );
    }

    #[test]
    fn no_cut_and_no_single_broken_byte_panics() {
        for end in (0..STATE.len()).filter(|end| STATE.is_char_boundary(*end)) {
            let _ = read(&STATE[..end]);
            let mut broken = STATE.as_bytes().to_vec();
            broken[end] = b'0';
            let _ = read(&String::from_utf8_lossy(&broken));
        }
    }

    #[test]
    fn ten_megabytes_are_read() {
        let instance = |i: usize| {
            format!(
                r#"{{"mode": "managed", "type": "terraform_data", "name": "r{i}", "provider": "provider[\"terraform.io/builtin/terraform\"]", "instances": [{{"schema_version": 0, "attributes": {{"id": "{i}", "text": "{}"}}}}]}}"#,
                "x".repeat(900)
            )
        };
        let resources: Vec<_> = (0..10_000).map(instance).collect();
        let text = format!(
            r#"{{"version": 4, "resources": [{}]}}"#,
            resources.join(",")
        );
        assert!(text.len() > 10_000_000);
        let state = read(&text).unwrap();
        assert_eq!(state.resources.len(), 10_000);
        assert!(
            state
                .object(&"terraform_data.r9999".parse().unwrap())
                .is_some()
        );
    }
}
