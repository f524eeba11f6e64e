//! Where the state of a workspace is.

use std::collections::BTreeMap;
use std::io::{self, Read as _};
use std::sync::Arc;

use config::{Files, Module};
use serde::Deserialize;
use smol_str::SmolStr;
use syntax::ast;

use crate::file::{read_with, unreadable};
use crate::plan_file::{MAGIC, state_of_plan_file};
use crate::{State, StateError, StateUnavailable, read};

/// The environment variables that have a say in it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LocationVariables {
    /// `TF_DATA_DIR`; otherwise `.terraform`.
    pub data_dir: Option<String>,
    /// `TF_WORKSPACE`
    pub workspace: Option<String>,
}

/// Where the state of the selected workspace is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Location {
    /// A file, which may not exist yet. The path is absolute if the root module's directory is.
    File { path: String, workspace: SmolStr },
    /// Somewhere else. `config` is what the backend was initialized with, as JSON; it may hold secrets. Empty if it was
    /// not.
    Backend {
        r#type: SmolStr,
        workspace: SmolStr,
        config: Arc<str>,
    },
}

impl Location {
    pub fn workspace(&self) -> &SmolStr {
        match self {
            Location::File { workspace, .. } | Location::Backend { workspace, .. } => workspace,
        }
    }

    /// The type of a backend that `init` has not made ready: its state can't be read.
    pub fn uninitialized(&self) -> Option<&SmolStr> {
        match self {
            Location::Backend { r#type, config, .. } if config.is_empty() => Some(r#type),
            Location::File { .. } | Location::Backend { .. } => None,
        }
    }

    /// Why the plan can't know what exists as long as the state was not pulled from there.
    pub fn caveat(&self) -> Option<StateUnavailable> {
        match self {
            Location::File { .. } => None,
            Location::Backend { r#type, .. } => Some(StateUnavailable::InBackend(r#type.clone())),
        }
    }
}

/// Finds the state of the root module in `dir`: the backend that it declares or was initialized with, and the
/// selected workspace. Reads two small files of the data directory. `evaluated` gives the settings of the backend that are
/// not written as they are.
pub fn locate(
    files: &dyn Files,
    module: &Module,
    dir: &str,
    environment: &LocationVariables,
    evaluated: &BTreeMap<SmolStr, String>,
) -> Location {
    let data_dir = data_dir(dir, environment);
    let workspace = workspace(files, dir, environment);
    let initialized = initialized_backend(files, &data_dir);
    let declared = module.backend.as_deref();
    let r#type = match (declared, &initialized) {
        (Some(declared), _) => declared.r#type.clone(),
        (None, Some(initialized)) => initialized.r#type.clone(),
        (None, None) => "local".into(),
    };
    if r#type != "local" {
        let config = initialized.as_ref().map(|backend| &backend.config);
        let config = config.and_then(|config| serde_json::to_string(config).ok());
        return Location::Backend {
            r#type,
            workspace,
            config: config.unwrap_or_default().into(),
        };
    }
    let settings = declared.map(|backend| backend.body.just_attributes().0);
    let setting = |name: &str| {
        let written = settings.as_ref().and_then(|body| body.attribute(name));
        let written = written.and_then(|attribute| literal(&attribute.ast.expr));
        let initialized = initialized
            .as_ref()
            .filter(|backend| backend.r#type == "local");
        written
            .or_else(|| evaluated.get(name).cloned())
            .or_else(|| initialized?.config.get(name)?.as_str().map(str::to_owned))
            .filter(|text| !text.is_empty())
    };
    let path = if workspace == "default" {
        setting("path").unwrap_or_else(|| "terraform.tfstate".to_owned())
    } else {
        let workspace_dir =
            setting("workspace_dir").unwrap_or_else(|| "terraform.tfstate.d".to_owned());
        format!("{workspace_dir}/{workspace}/terraform.tfstate")
    };
    Location::File {
        path: within(dir, &path),
        workspace,
    }
}

/// Why Terraform would ask for `init` although the state is in a file: another backend was made ready, or none.
pub fn backend_to_initialize(
    files: &dyn Files,
    module: &Module,
    dir: &str,
    environment: &LocationVariables,
) -> Option<String> {
    let initialized = initialized_backend(files, &data_dir(dir, environment));
    match (module.backend.as_deref(), initialized) {
        (Some(declared), None) => Some(format!("backend {:?} is not initialized", declared.r#type)),
        (Some(declared), Some(before)) if declared.r#type != before.r#type => Some(format!(
            "backend {:?} is initialized, and {:?} is declared",
            before.r#type, declared.r#type
        )),
        (Some(declared), Some(before)) => {
            let written = declared.body.just_attributes().0;
            let differs = |name: &&str| {
                let written = written.attribute(name);
                let written = written.and_then(|attribute| literal(&attribute.ast.expr));
                let before = before.config.get(*name).and_then(|it| it.as_str());
                written.as_deref() != before
            };
            let changed = ["path", "workspace_dir"].into_iter().find(differs)?;
            let r#type = &declared.r#type;
            Some(format!("{changed} of backend {type:?} has changed"))
        }
        (None, _) => None,
    }
}

/// The plain text of a state file.
pub type Decrypt<'a> = &'a dyn Fn(&str) -> Result<String, StateError>;

/// Reads the state at a location. A missing file is the empty state, and so is what lies elsewhere: see
/// [`Location::caveat`]. `decrypt`: the configuration says how states are encrypted.
pub fn load(
    files: &dyn Files,
    location: &Location,
    decrypt: Option<Decrypt>,
) -> Result<State, StateError> {
    let Location::File { path, .. } = location else {
        return Ok(State::default());
    };
    match plan_file(files, path) {
        Ok(Some(content)) => {
            let text = state_of_plan_file(&content)?;
            drop(content);
            read(&text)
        }
        Ok(None) => match decrypt {
            Some(decrypt) => {
                let text = text_of(files, path).map_err(|error| unreadable(path, &error))?;
                read(&decrypt(&text)?)
            }
            None => read_with(path, &|| files.open_state(path)),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(State::default()),
        Err(error) => Err(unreadable(path, &error)),
    }
}

fn text_of(files: &dyn Files, path: &str) -> io::Result<String> {
    let mut text = String::new();
    files.open_state(path)?.read_to_string(&mut text)?;
    Ok(text)
}

/// The content of the file at `path` if it is a plan file.
fn plan_file(files: &dyn Files, path: &str) -> io::Result<Option<Vec<u8>>> {
    let mut file = files.open_state(path)?;
    let mut content = Vec::new();
    file.by_ref()
        .take(MAGIC.len() as u64)
        .read_to_end(&mut content)?;
    if content != MAGIC {
        return Ok(None);
    }
    file.read_to_end(&mut content)?;
    Ok(Some(content))
}

fn within(dir: &str, path: &str) -> String {
    let path = text::path(path);
    if text::root_of_path(&path).is_some() {
        path.into_owned()
    } else {
        let path = path.strip_prefix("./").unwrap_or(&path);
        format!("{}/{path}", dir.trim_end_matches('/'))
    }
}

fn data_dir(dir: &str, environment: &LocationVariables) -> String {
    within(dir, environment.data_dir.as_deref().unwrap_or(".terraform"))
}

/// The workspace that is selected for the root module in `dir`.
pub fn workspace(files: &dyn Files, dir: &str, environment: &LocationVariables) -> SmolStr {
    if let Some(workspace) = environment
        .workspace
        .as_deref()
        .filter(|name| !name.is_empty())
    {
        return workspace.into();
    }
    let selected = files
        .read(&format!("{}/environment", data_dir(dir, environment)))
        .unwrap_or_default();
    match selected.trim() {
        "" => "default".into(),
        selected => selected.into(),
    }
}

/// The backend of the last `terraform init`, with the configuration it was given from all sides.
#[derive(Deserialize)]
struct InitializedBackend {
    r#type: SmolStr,
    #[serde(default)]
    config: serde_json::Map<String, serde_json::Value>,
}

fn initialized_backend(files: &dyn Files, data_dir: &str) -> Option<InitializedBackend> {
    #[derive(Deserialize)]
    struct DataFile {
        backend: Option<InitializedBackend>,
    }
    let text = files.read(&format!("{data_dir}/terraform.tfstate")).ok()?;
    serde_json::from_str::<DataFile>(&text).ok()?.backend
}

fn literal(expr: &ast::Expr) -> Option<String> {
    expr.as_literal_string().map(Into::into)
}
