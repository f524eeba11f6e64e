//! The state of a stack: a checkpoint or an export of version 3.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};

use crate::json::{from_json, object_from_json};
use crate::secrets::{Keys, SealedReason};
use crate::urn::Urn;
use crate::value::{Object, Value};

#[derive(Clone, PartialEq, Debug, Default)]
pub struct State {
    /// In the order of their creation.
    pub resources: Vec<OldResource>,
    /// Why secrets could not be decrypted, if there are any that could not.
    pub sealed: Option<SealedReason>,
}

/// A resource as the last update left it.
#[derive(Clone, PartialEq, Debug)]
pub struct OldResource {
    pub urn: Urn,
    /// Whether a provider has it; otherwise it is a component.
    pub is_custom: bool,
    pub id: String,
    pub inputs: Object,
    pub outputs: Object,
    pub parent: Option<Urn>,
    /// `URN::ID` of the provider.
    pub provider: String,
    pub dependencies: Vec<Urn>,
    pub property_dependencies: BTreeMap<String, Vec<Urn>>,
    pub additional_secret_outputs: Vec<String>,
    pub aliases: Vec<Urn>,
    pub replace_on_changes: Vec<String>,
    pub ignore_changes: Vec<String>,
    pub init_errors: Vec<String>,
    pub replace_with: Vec<Urn>,
    pub deleted_with: Option<Urn>,
    pub replacement_trigger: Option<Value>,
    pub import_id: Option<String>,
    pub hide_diffs: Vec<String>,
    /// In seconds.
    pub custom_timeouts: BTreeMap<String, f64>,
    pub is_protected: bool,
    pub is_external: bool,
    pub is_retained_on_delete: bool,
    /// Already replaced, and only to be deleted.
    pub is_to_delete: bool,
    /// Deleted before its replacement was created.
    pub is_pending_replacement: bool,
    /// The next update replaces it, as `pulumi state taint` says.
    pub is_tainted: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum StateError {
    #[error("not valid JSON: {0}")]
    Syntax(#[from] serde_json::Error),
    #[error("the state has version {0}; only version 3 is supported")]
    Version(u64),
    #[error("{0}")]
    Shape(&'static str),
}

impl State {
    /// Reads the state of a local backend, or the output of `pulumi stack export`. An empty state has no resources.
    pub fn read(text: &[u8], keys: &Keys) -> Result<State, StateError> {
        let json: Json = serde_json::from_slice(text)?;
        let version = json.get("version").and_then(Json::as_u64);
        let version = version.ok_or(StateError::Shape("no version"))?;
        if version != 3 {
            return Err(StateError::Version(version));
        }
        let deployment = match json.get("checkpoint") {
            Some(checkpoint) => checkpoint.get("latest"),
            None => json.get("deployment"),
        };
        let deployment = match deployment {
            None | Some(Json::Null) => return Ok(State::default()),
            Some(deployment) => deployment,
        };
        let mut sealed = None;
        // A key takes a fraction of a second to derive.
        let has_secrets = text.windows(10).any(|it| it == b"ciphertext");
        let decrypter = match has_secrets {
            true => decrypter(deployment, keys),
            false => Ok(None),
        };
        let decrypter = match decrypter {
            Ok(decrypter) => decrypter,
            Err(reason) => {
                sealed = Some(reason);
                None
            }
        };
        let decrypt = |text: &str| decrypter.as_ref()?.decrypt(text).ok();
        let resources = deployment.get("resources").and_then(Json::as_array);
        let resources = resources.map(Vec::as_slice).unwrap_or_default();
        let resources = resources
            .iter()
            .map(|json| OldResource::read(json, &decrypt));
        Ok(State {
            resources: resources.collect::<Result<_, _>>()?,
            sealed,
        })
    }
}

fn decrypter(
    deployment: &Json,
    keys: &Keys,
) -> Result<Option<passphrase::Decrypter>, SealedReason> {
    let Some(secrets) = deployment.get("secrets_providers") else {
        return Ok(None);
    };
    match secrets.get("type").and_then(Json::as_str) {
        Some("passphrase") => {
            let salt = secrets.pointer("/state/salt").and_then(Json::as_str);
            keys.decrypter(salt.unwrap_or_default()).map(Some)
        }
        Some("" | "b64") | None => Ok(None),
        Some(other) => Err(SealedReason::Provider(other.to_owned())),
    }
}

impl OldResource {
    fn read(
        json: &Json,
        decrypt: &dyn Fn(&str) -> Option<String>,
    ) -> Result<OldResource, StateError> {
        let json = json
            .as_object()
            .ok_or(StateError::Shape("a resource is not an object"))?;
        let text = |key: &str| {
            json.get(key)
                .and_then(Json::as_str)
                .filter(|it| !it.is_empty())
        };
        let is = |key: &str| json.get(key).and_then(Json::as_bool).unwrap_or_default();
        let texts = |key: &str| texts(json.get(key));
        let urns = |key: &str| texts(key).iter().map(|it| Urn::new(it)).collect();
        let properties = |key: &str| match json.get(key).and_then(Json::as_object) {
            Some(object) => object_from_json(object, decrypt),
            None => Object::new(),
        };
        let urn = text("urn").ok_or(StateError::Shape("a resource without a URN"))?;
        Ok(OldResource {
            urn: Urn::new(urn),
            is_custom: is("custom"),
            id: text("id").unwrap_or_default().to_owned(),
            inputs: properties("inputs"),
            outputs: properties("outputs"),
            parent: text("parent").map(Urn::new),
            provider: text("provider").unwrap_or_default().to_owned(),
            dependencies: urns("dependencies"),
            property_dependencies: property_dependencies(json),
            additional_secret_outputs: texts("additionalSecretOutputs"),
            aliases: urns("aliases"),
            replace_on_changes: texts("replaceOnChanges"),
            ignore_changes: texts("ignoreChanges"),
            init_errors: texts("initErrors"),
            replace_with: urns("replaceWith"),
            deleted_with: text("deletedWith").map(Urn::new),
            replacement_trigger: json
                .get("replacementTrigger")
                .map(|it| from_json(it, decrypt)),
            import_id: text("importID").map(str::to_owned),
            hide_diffs: texts("hideDiff"),
            custom_timeouts: custom_timeouts(json),
            is_protected: is("protect"),
            is_external: is("external"),
            is_retained_on_delete: is("retainOnDelete"),
            is_to_delete: is("delete"),
            is_pending_replacement: is("pendingReplacement"),
            is_tainted: is("taint"),
        })
    }

    /// One that has nothing but a name.
    pub fn new(urn: Urn) -> OldResource {
        OldResource {
            urn,
            is_custom: true,
            id: String::new(),
            inputs: Object::new(),
            outputs: Object::new(),
            parent: None,
            provider: String::new(),
            dependencies: Vec::new(),
            property_dependencies: BTreeMap::new(),
            additional_secret_outputs: Vec::new(),
            aliases: Vec::new(),
            replace_on_changes: Vec::new(),
            ignore_changes: Vec::new(),
            init_errors: Vec::new(),
            replace_with: Vec::new(),
            deleted_with: None,
            replacement_trigger: None,
            import_id: None,
            hide_diffs: Vec::new(),
            custom_timeouts: BTreeMap::new(),
            is_protected: false,
            is_external: false,
            is_retained_on_delete: false,
            is_to_delete: false,
            is_pending_replacement: false,
            is_tainted: false,
        }
    }

    /// The URN of its provider.
    pub fn provider_urn(&self) -> Option<Urn> {
        let (urn, _) = self.provider.rsplit_once("::")?;
        Some(Urn::new(urn))
    }
}

fn texts(json: Option<&Json>) -> Vec<String> {
    let elements = json.and_then(Json::as_array).map(Vec::as_slice);
    let texts = elements.unwrap_or_default().iter().filter_map(Json::as_str);
    texts.map(str::to_owned).collect()
}

/// In seconds.
fn custom_timeouts(json: &Map<String, Json>) -> BTreeMap<String, f64> {
    let timeouts = json.get("customTimeouts").and_then(Json::as_object);
    let timeouts = timeouts.into_iter().flatten();
    let timeouts = timeouts.filter_map(|(key, it)| Some((key.clone(), it.as_f64()?)));
    timeouts.collect()
}

fn property_dependencies(json: &Map<String, Json>) -> BTreeMap<String, Vec<Urn>> {
    let properties = json.get("propertyDependencies").and_then(Json::as_object);
    let properties = properties.into_iter().flatten();
    let urns = |json: &Json| texts(Some(json)).iter().map(|it| Urn::new(it)).collect();
    properties
        .map(|(key, value)| (key.clone(), urns(value)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Secret;

    const RESOURCE: &str = r#"{"urn": "urn:pulumi:dev::p::t:index:T::a", "custom": true, "id": "i", "type": "t:index:T",
        "inputs": {"x": 1}, "outputs": {"s": {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
        "ciphertext": "v1:kgJaRKeBqhvjM4LE:oCf//tLp4vxMgw6ZuqSOZg7vUIkqM5p6afHvug=="}},
        "provider": "urn:pulumi:dev::p::pulumi:providers:t::default::1-2", "protect": true,
        "propertyDependencies": {"x": ["urn:pulumi:dev::p::t:index:T::b"], "y": null}}"#;

    const SECRETS: &str = r#""secrets_providers": {"type": "passphrase",
        "state": {"salt": "v1:uzozjoNw5yg=:v1:ftUs3IkQPcEHPrI4:yUp/H2oPUQBMgeRDyol7HEx4+jYa6g=="}}"#;

    fn export() -> String {
        format!(r#"{{"version": 3, "deployment": {{{SECRETS}, "resources": [{RESOURCE}]}}}}"#)
    }

    fn checkpoint() -> String {
        format!(
            r#"{{"version": 3, "checkpoint": {{"stack": "dev", "latest": {{{SECRETS}, "resources": [{RESOURCE}]}}}}}}"#
        )
    }

    #[test]
    fn a_checkpoint_and_an_export_are_the_same_state() {
        let keys = Keys::new(Some("lens".to_owned()));
        let state = State::read(export().as_bytes(), &keys).unwrap();
        assert_eq!(state, State::read(checkpoint().as_bytes(), &keys).unwrap());
        let resource = &state.resources[0];
        assert_eq!(resource.outputs["s"], Value::secret("gen-b-0001".into()));
        assert_eq!(resource.provider_urn().unwrap().name(), "default");
        assert_eq!(resource.property_dependencies["x"][0].name(), "b");
        assert!(resource.is_protected && resource.property_dependencies["y"].is_empty());
    }

    #[test]
    fn without_the_passphrase_secrets_stay_sealed() {
        for (passphrase, reason) in [
            (None, SealedReason::NoPassphrase),
            (
                Some("other"),
                SealedReason::Passphrase(passphrase::DecryptError::Incorrect),
            ),
        ] {
            let keys = Keys::new(passphrase.map(str::to_owned));
            let state = State::read(export().as_bytes(), &keys).unwrap();
            assert_eq!(state.sealed, Some(reason));
            let secret = &state.resources[0].outputs["s"];
            assert!(matches!(secret, Value::Secret(Secret::Sealed(_))));
        }
    }

    #[test]
    fn an_invalid_state_is_refused() {
        let keys = Keys::default();
        for (text, expected) in [
            (
                "",
                "not valid JSON: EOF while parsing a value at line 1 column 0",
            ),
            ("{}", "no version"),
            (
                r#"{"version": 4}"#,
                "the state has version 4; only version 3 is supported",
            ),
            (
                r#"{"version": 3, "deployment": {"resources": [{}]}}"#,
                "a resource without a URN",
            ),
        ] {
            let error = State::read(text.as_bytes(), &keys).unwrap_err();
            assert_eq!(error.to_string(), expected);
        }
        let empty = State::read(br#"{"version": 3, "checkpoint": {"latest": null}}"#, &keys);
        assert_eq!(empty.unwrap(), State::default());
    }
}
