//! The inputs of a root module's plan: the settings of its folder, and the environment that was chosen for it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use config::Files;
use disk::joined;
use serde_json::Value as Json;

use crate::{EnvironmentSettings, RootSettings, Settings, Snapshot};

/// The inputs of a root module beside its files.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RootInputs {
    /// The name of the environment.
    pub environment: Option<String>,
    /// `-var-file`, absolute, before `variables`.
    pub var_files: Vec<PathBuf>,
    /// `-var`
    pub variables: BTreeMap<String, String>,
    /// `TF_WORKSPACE`
    pub workspace: Option<String>,
    /// `-state`, absolute.
    pub state_path: Option<PathBuf>,
    /// Further environment variables.
    pub env: BTreeMap<String, String>,
}

/// An environment that can be chosen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListedEnvironment {
    pub name: String,
    /// The inputs, in the words of `terraform plan`; no values.
    pub detail: String,
    pub is_chosen: bool,
}

/// The key for all root modules without a key of their own.
const EVERY_ROOT: &str = "*";

/// The name of a workspace's environment that no setting names.
const WORKSPACE: &str = "workspace ";

/// The name of a stack's environment.
const STACK: &str = "stack ";

impl RootInputs {
    /// The inputs, in the words of `terraform plan`; of those that may be secret only the names.
    pub fn described(&self, root: &Path) -> String {
        let short = |path: &Path| {
            let short = path.strip_prefix(root).unwrap_or(path);
            short.display().to_string()
        };
        let workspace = self.workspace.iter().map(|it| format!("workspace {it}"));
        let files = self.var_files.iter();
        let files = files.map(|path| format!("-var-file={}", short(path)));
        let variables = self.variables.keys().map(|name| format!("-var {name}"));
        let state = self.state_path.iter();
        let state = state.map(|path| format!("-state={}", short(path)));
        let env = self.env.keys().map(|name| format!("{name} is set"));
        let all = workspace.chain(files).chain(variables);
        all.chain(state).chain(env).collect::<Vec<_>>().join(", ")
    }

    fn add(&mut self, settings: &EnvironmentSettings, root: &Path) {
        let files = settings.var_files.iter();
        self.var_files.extend(files.map(|path| joined(root, path)));
        let variables = settings.variables.iter();
        let variables = variables.map(|(name, value)| (name.clone(), argument(value)));
        self.variables.extend(variables);
        if let Some(workspace) = &settings.workspace {
            self.workspace = Some(workspace.clone());
        }
        if let Some(path) = &settings.state_path {
            self.state_path = Some(joined(root, path));
        }
    }
}

impl Snapshot {
    /// The inputs of the root module in the folder `root`.
    pub fn given(&self, root: &Path) -> RootInputs {
        let chosen = self.data.environments.get(root);
        let settings = self.root_settings(root);
        let name = match chosen {
            Some(chosen) => chosen.clone(),
            None => settings.and_then(|it| it.environment.clone()),
        };
        self.given_by(root, name.as_deref())
    }

    /// The environments of a root module: those that the settings name, and without any its files of values and its
    /// workspaces.
    pub fn environments(&self, root: &Path, files: &dyn Files) -> Vec<ListedEnvironment> {
        let chosen = self.given(root).environment;
        let names = match self.root_settings(root) {
            Some(settings) if !settings.environments.is_empty() => {
                settings.environments.keys().cloned().collect()
            }
            _ => {
                let folder = self.folders_planned().get(root);
                let own = folder.and_then(|folder| folder.environments());
                own.unwrap_or_else(|| found(root, files))
            }
        };
        let list = |name: String| ListedEnvironment {
            detail: self.given_by(root, Some(&name)).described(root),
            is_chosen: chosen.as_ref() == Some(&name),
            name,
        };
        names.into_iter().map(list).collect()
    }

    fn root_settings(&self, root: &Path) -> Option<&RootSettings> {
        let roots = &self.settings().roots;
        let mut own = roots.iter().filter(|(key, _)| self.names(key, root));
        own.next()
            .map(|(_, settings)| settings)
            .or_else(|| roots.get(EVERY_ROOT))
    }

    pub(crate) fn given_by(&self, root: &Path, name: Option<&str>) -> RootInputs {
        let mut given = RootInputs::default();
        let settings = self.root_settings(root);
        if let Some(settings) = settings {
            given.add(&settings.always, root);
        }
        let named = name.and_then(|name| {
            let settings = settings.and_then(|it| it.environments.get(name)).cloned();
            Some((name, settings.or_else(|| by_name(name))?))
        });
        if let Some((name, settings)) = &named {
            given.add(settings, root);
            given.environment = Some((*name).to_owned());
        }
        let Settings { env, .. } = self.settings();
        let is_for = |key: &str, folder: &dyn Fn(&str) -> bool| match key.rsplit_once('@') {
            Some((key, environment)) if given.environment.as_deref() == Some(environment) => {
                folder(key)
            }
            _ => folder(key),
        };
        let of_all = |key: &str| key == EVERY_ROOT;
        let of_root = |key: &str| self.names(key, root);
        let mut variables = BTreeMap::new();
        for folder in [&of_all as &dyn Fn(&str) -> bool, &of_root] {
            // `FOLDER@ENVIRONMENT` comes after `FOLDER`.
            for (_, more) in env.iter().filter(|(key, _)| is_for(key, folder)) {
                variables.extend(more.clone());
            }
        }
        given.env = variables;
        given
    }

    /// Whether a key of the settings stands for a folder: it is absolute, below `~`, or below a folder of the
    /// workspace.
    fn names(&self, key: &str, folder: &Path) -> bool {
        let below_home = key.strip_prefix("~/");
        match (below_home, self.data.home.as_deref()) {
            (Some(rest), Some(home)) => return joined(home, rest) == folder,
            (Some(_), None) => return false,
            (None, _) => {}
        }
        let mut folders = self.data.folders.iter();
        match Path::new(key).is_absolute() {
            true => joined(folder, key) == folder,
            false => key != EVERY_ROOT && folders.any(|it| joined(it, key) == folder),
        }
    }
}

/// The inputs of an environment that no setting names: a file of values, or a workspace.
fn by_name(name: &str) -> Option<EnvironmentSettings> {
    let mut settings = EnvironmentSettings::default();
    if is_variable_file(name) {
        settings.var_files.push(name.to_owned());
    } else {
        let workspace = name.strip_prefix(WORKSPACE).or(name.strip_prefix(STACK))?;
        settings.workspace = Some(workspace.to_owned());
    }
    Some(settings)
}

/// The files of values that Terraform does not read by itself, and the workspaces that have a local state.
fn found(root: &Path, files: &dyn Files) -> Vec<String> {
    let list = |dir: &Path| {
        let names = dir.to_str().and_then(|dir| files.list(dir).ok());
        names.unwrap_or_default().into_iter()
    };
    let is_automatic = |name: &str| {
        let name = name.strip_suffix(".json").unwrap_or(name);
        name == "terraform.tfvars" || name.ends_with(".auto.tfvars")
    };
    let own = list(root).filter(|name| is_variable_file(name) && !is_automatic(name));
    let mut names: Vec<String> = own.collect();
    for folder in folders(root) {
        let below = root.join(&folder);
        let values = list(&below).filter(|name| is_variable_file(name));
        names.extend(values.map(|name| format!("{folder}/{name}")));
    }
    let workspaces = folders(&root.join("terraform.tfstate.d")).into_iter();
    names.sort();
    names.extend(workspaces.map(|name| format!("{WORKSPACE}{name}")));
    names
}

/// The names of the folders in a folder, without hidden ones.
fn folders(dir: &Path) -> Vec<String> {
    let entries = disk::list(dir).unwrap_or_default().into_iter();
    let names = entries
        .filter(|entry| entry.file_type.is_dir())
        .filter_map(|entry| entry.name.into_string().ok());
    let mut names: Vec<String> = names.filter(|name| !name.starts_with('.')).collect();
    names.sort();
    names
}

fn is_variable_file(name: &str) -> bool {
    name.ends_with(".tfvars") || name.ends_with(".tfvars.json")
}

/// A value as `-var` takes it: a string as it is, others as an expression.
fn argument(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        other => expression(other),
    }
}

fn expression(value: &Json) -> String {
    match value {
        Json::String(text) => config::quote(text),
        Json::Array(items) => {
            let items: Vec<String> = items.iter().map(expression).collect();
            format!("[{}]", items.join(", "))
        }
        Json::Object(items) => {
            let item = |(key, value): (&String, &Json)| {
                format!("{} = {}", config::quote(key), expression(value))
            };
            let items: Vec<String> = items.iter().map(item).collect();
            format!("{{ {} }}", items.join(", "))
        }
        Json::Null | Json::Bool(_) | Json::Number(_) => value.to_string(),
    }
}
