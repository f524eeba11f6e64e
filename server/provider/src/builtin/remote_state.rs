//! `terraform_remote_state`: the outputs of another root module, from its state. As Terraform 1.11 has it, for the
//! backend `local`; the state of other backends is not read here.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path as FilePath;

use cty::{Path, Type, Value, convert};
use disk::Limit;
use smol_str::SmolStr;
use state::StateError;
use text::Severity;

use super::NAME;
use crate::{Problem, ProviderError, ReadDataSourceResponse, Rpc, said};

/// The backends of Terraform 1.11.
const BACKENDS: [&str; 12] = [
    "azurerm",
    "consul",
    "cos",
    "gcs",
    "http",
    "inmem",
    "kubernetes",
    "local",
    "oss",
    "pg",
    "remote",
    "s3",
];

/// The backends of other releases, and `cloud`.
const OTHER_BACKENDS: [&str; 7] = [
    "artifactory",
    "cloud",
    "etcd",
    "etcdv3",
    "manta",
    "oci",
    "swift",
];

/// True if some release of Terraform or OpenTofu has a backend of this type.
pub fn is_backend(r#type: &str) -> bool {
    BACKENDS.contains(&r#type) || OTHER_BACKENDS.contains(&r#type)
}

pub(super) fn validate(config: &Value) -> Vec<Problem> {
    let mut found = Vec::new();
    let attribute = |name: &str| config.get(name).filter(|value| value.is_known());
    if let Some(backend) = attribute("backend").and_then(Value::as_str) {
        if !BACKENDS.contains(&backend) {
            let detail = format!("There is no backend type named \"{backend}\".");
            found.push(error("backend", "Invalid backend configuration", detail));
        } else if backend == "local"
            && let Some(Err(reason)) = attribute("config").map(local_config)
        {
            let detail =
                format!("The given configuration is not valid for backend \"local\": {reason}.");
            found.push(error("config", "Invalid backend configuration", detail));
        }
    }
    let defaults =
        attribute("defaults").filter(|value| !value.is_null() && value.ty() != &Type::Dynamic);
    if defaults.is_some_and(|value| !value.ty().is_object() && !value.ty().is_map()) {
        let detail = "Defaults must be given in an object value.".to_owned();
        found.push(error("defaults", "Invalid default values", detail));
    }
    found
}

/// Relative paths start in `root_module`.
pub(super) fn read(
    root_module: &FilePath,
    config: Value,
) -> Result<ReadDataSourceResponse, ProviderError> {
    let mut diagnostics = validate(&config);
    let text = |name: &str| config.get(name).and_then(Value::as_str);
    let backend = text("backend").unwrap_or_default();
    let mut outputs = BTreeMap::new();
    if diagnostics.is_empty() {
        if backend != "local" {
            return Err(ProviderError::Request {
                provider: NAME.to_owned(),
                doing: Rpc::ReadDataSource.name(),
                reason: format!("the state of the backend \"{backend}\" is not read"),
            });
        }
        let given = config
            .get("config")
            .map_or(Ok(Local::default()), local_config);
        let path = given
            .unwrap_or_default()
            .path(text("workspace").unwrap_or("default"));
        let defaults = config.get("defaults").and_then(Value::as_map).cloned();
        outputs.extend(defaults.unwrap_or_default());
        match stored(&root_module.join(path)) {
            Ok(stored) => outputs.extend(stored),
            Err((summary, detail)) => diagnostics.push(match summary {
                NOT_FOUND => error("workspace", summary, detail),
                _ => crate::error(summary, detail),
            }),
        }
    }
    let mut state = config.as_map().map(BTreeMap::from).unwrap_or_default();
    state.insert("outputs".into(), Value::object(outputs));
    Ok(ReadDataSourceResponse {
        state: Value::object(state),
        deferred: None,
        diagnostics,
    })
}

/// The arguments of the backend `local`.
#[derive(Default)]
struct Local {
    path: Option<String>,
    workspace_dir: Option<String>,
}

impl Local {
    fn path(self, workspace: &str) -> String {
        match workspace {
            "default" => self.path.unwrap_or_else(|| "terraform.tfstate".to_owned()),
            _ => {
                let dir = self
                    .workspace_dir
                    .unwrap_or_else(|| "terraform.tfstate.d".to_owned());
                format!("{dir}/{workspace}/terraform.tfstate")
            }
        }
    }
}

fn local_config(config: &Value) -> Result<Local, String> {
    let mut local = Local::default();
    if config.is_null() || config.ty() == &Type::Dynamic {
        return Ok(local);
    }
    let arguments = config.as_map().ok_or("an object is required")?;
    for (name, value) in arguments {
        let place = match name.as_str() {
            "path" => &mut local.path,
            "workspace_dir" => &mut local.workspace_dir,
            _ => return Err(format!("unexpected attribute \"{name}\"")),
        };
        let text =
            convert(value, &Type::String).map_err(|_| format!(".{name}: string required"))?;
        *place = text
            .as_str()
            .filter(|text| !text.is_empty())
            .map(str::to_owned);
    }
    Ok(local)
}

const NOT_FOUND: &str = "Unable to find remote state";

type StoredOutputs = BTreeMap<SmolStr, Value>;

fn stored(path: &FilePath) -> Result<StoredOutputs, (&'static str, String)> {
    let text = match disk::read_text(path, Limit::STATE) {
        Ok(text) if !text.trim().is_empty() => text,
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err((
                "Error loading state error",
                format!("error loading the remote state: {error}"),
            ));
        }
        _ => {
            let detail = "No stored state was found for the given workspace in the given backend.";
            return Err((NOT_FOUND, detail.to_owned()));
        }
    };
    match state::read(&text) {
        Ok(state) => Ok(state
            .outputs
            .iter()
            .map(|(name, output)| (name.clone(), output.value.clone()))
            .collect()),
        Err(
            error @ (StateError::Truncated { .. }
            | StateError::Syntax { .. }
            | StateError::NotState
            | StateError::TooNew { .. }),
        ) => Err(("Unsupported state file format", error.to_string())),
        Err(error) => Err((
            "Error loading state error",
            format!("error loading the remote state: {error}"),
        )),
    }
}

fn error(attribute: &str, summary: &str, detail: String) -> Problem {
    let at = Some(Path::new().attr(attribute));
    said(Severity::Error, summary, detail, at)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATE: &str = r#"{"version": 4, "terraform_version": "1.11.4", "serial": 1, "lineage": "x",
        "outputs": {"plain": {"value": {"a": [1, "x"]}, "type": ["object", {"a": ["tuple", ["number", "string"]]}]},
                    "secret": {"value": "s", "type": "string", "sensitive": true}},
        "resources": [], "check_results": null}"#;

    fn config(backend: &str, workspace: Value, config: Value, defaults: Value) -> Value {
        Value::object([
            ("backend", Value::string(backend)),
            ("config", config),
            ("defaults", defaults),
            ("outputs", Value::null(Type::Dynamic)),
            ("workspace", workspace),
        ])
    }

    fn none() -> Value {
        Value::null(Type::Dynamic)
    }

    fn lines(found: &[Problem]) -> Vec<String> {
        let line = |d: &Problem| format!("{:?} {}", d.at.as_ref().map(|a| a.to_string()), d.detail);
        found.iter().map(line).collect()
    }

    /// Terraform's plan for the same.
    #[test]
    fn outputs_of_a_state_hide_the_defaults() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("dirs/w")).unwrap();
        std::fs::write(dir.path().join("a.tfstate"), STATE).unwrap();
        std::fs::write(dir.path().join("dirs/w/terraform.tfstate"), STATE).unwrap();
        let defaults =
            Value::object([("extra", Value::bool(true)), ("plain", Value::string("no"))]);
        let path = Value::object([("path", Value::string("a.tfstate"))]);
        let dirs = Value::object([("workspace_dir", Value::string("dirs"))]);
        let null = Value::null(Type::String);
        for config in [
            config("local", null, path, defaults.clone()),
            config("local", Value::string("w"), dirs, defaults),
        ] {
            let read = read(dir.path(), config.clone()).unwrap();
            assert_eq!(read.diagnostics, []);
            let outputs = read.state.get("outputs").unwrap();
            let plain = outputs.get("plain").unwrap().get("a").unwrap().clone();
            assert_eq!(plain, Value::tuple(vec![Value::int(1), Value::string("x")]));
            assert_eq!(outputs.get("secret"), Some(&Value::string("s")));
            assert_eq!(outputs.get("extra"), Some(&Value::bool(true)));
            assert_eq!(read.state.get("config"), config.get("config"));
        }
    }

    #[test]
    fn an_unreadable_remote_state_has_terraforms_words() {
        let dir = tempfile::tempdir().unwrap();
        let null = || Value::null(Type::String);
        let of =
            |backend: &str, given: Value, defaults: Value| config(backend, null(), given, defaults);
        let missing = read(dir.path(), of("local", none(), none())).unwrap();
        assert_eq!(
            missing.diagnostics[0].summary,
            "Unable to find remote state"
        );
        let wrong = |name: &str| Value::object([(name, Value::tuple(Vec::new()))]);
        for (config, expected) in [
            (
                of("nope", none(), none()),
                "Some(\".backend\") There is no backend type named \"nope\".",
            ),
            (
                of("local", wrong("pat"), none()),
                "Some(\".config\") The given configuration is not valid for backend \"local\": unexpected attribute \"pat\".",
            ),
            (
                of("local", Value::string("x"), none()),
                "Some(\".config\") The given configuration is not valid for backend \"local\": an object is required.",
            ),
            (
                of("local", wrong("workspace_dir"), none()),
                "Some(\".config\") The given configuration is not valid for backend \"local\": .workspace_dir: string required.",
            ),
            (
                of("local", none(), Value::string("x")),
                "Some(\".defaults\") Defaults must be given in an object value.",
            ),
        ] {
            assert_eq!(lines(&validate(&config)), [expected]);
        }
        let refused = read(dir.path(), of("s3", none(), none()));
        assert!(refused.unwrap_err().to_string().contains("s3"));
    }
}
