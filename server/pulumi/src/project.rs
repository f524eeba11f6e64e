//! A project on the disk: its files, which stack is chosen, and where the stack's state is.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use disk::Limit;
use serde_json::Value as Json;
use sha1::{Digest, Sha1};
use text::FileId;
use yaml::{File, Item, Kind, Node, Resolved, Scalar};

use crate::config::Config;
use crate::engine::{Inputs, Options};
use crate::functions::hex;
use crate::program::Program;
use crate::project_config::ProjectConfig;
use crate::release::Release;
use crate::secrets::Keys;
use crate::state::{State, StateError};
use crate::urn::StackName;

/// A project file, and what it says.
#[derive(Clone, Debug)]
pub struct Project {
    pub dir: PathBuf,
    /// The project file.
    pub path: PathBuf,
    pub name: String,
    /// The language of the program.
    pub runtime: String,
    /// Plugins that it names itself: the package, its version and where it is.
    pub plugins: Vec<(String, Option<String>, PathBuf)>,
    /// The folders that plugins of all kinds are said to be in, by the name of the plugin.
    plugin_folders: Vec<(String, PathBuf)>,
    /// What of it has another shape than Pulumi allows.
    misshapen: Option<String>,
    main: Option<String>,
    backend: Option<String>,
    config_dir: Option<String>,
    config: ProjectConfig,
    /// What runs before the program is read; it is never run here.
    has_compiler: bool,
    text: String,
}

/// Environment variables that are read as text.
pub type Variables<'a> = &'a dyn Fn(&str) -> Option<String>;

#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    #[error("{0}: {1}")]
    Read(String, std::io::Error),
    #[error("{0}: {1}")]
    State(String, StateError),
    #[error("no stack is selected: choose one with -stack=NAME, or with `pulumi stack select`")]
    NoStack,
    #[error("the state is in {0}")]
    Backend(String),
    #[error(
        "the state is in {0}, and `pulumi stack export` could not read it: {1}. A file that it has written elsewhere is taken by -state=FILE"
    )]
    Exported(String, String),
    #[error(
        "{0} has a program in {1}, which is not planned: only programs in YAML (`runtime: yaml`) are"
    )]
    Runtime(String, String),
    #[error("{0} is made by a compiler, which is not run here")]
    Compiler(String),
    #[error("could not validate '{0}': {1}")]
    Invalid(String, String),
    #[error("parsing plugin options for '{0}': {1}")]
    Plugin(String, String),
    #[error("project 'main' could not be read: stat {0}: no such file or directory")]
    Main(String),
    #[error("reading template Main.json: missing template file in {0}")]
    NoProgram(String),
}

/// Names of project files, in the order in which they are looked for.
pub const FILES: [&str; 3] = ["Pulumi.yaml", "Pulumi.yml", "Pulumi.json"];

impl Project {
    /// The project of a folder, if it has one.
    pub fn open(dir: &Path) -> Option<Result<Project, ProjectError>> {
        let path = Project::find(dir)?;
        let text = read(&path);
        Some(text.map(|text| Project::parse(dir, path, text)))
    }

    /// The project file of a folder.
    pub fn find(dir: &Path) -> Option<PathBuf> {
        let mut paths = FILES.iter().map(|name| dir.join(name));
        paths.find(|path| path.is_file())
    }

    /// The project in a folder whose file has this text.
    pub fn parse(dir: &Path, path: PathBuf, text: String) -> Project {
        let file = File::parse(&text);
        Project::read(dir, path, text, &file)
    }

    /// The project that a file declares, from its text and what was parsed of that.
    pub fn read(dir: &Path, path: PathBuf, text: String, file: &File) -> Project {
        let text_of =
            |item: Option<Item<'_>>| item.and_then(|it| it.value.text().map(str::to_owned));
        let runtime = file.key("runtime");
        let inside = |key: &str| runtime.and_then(|it| Some(it.value.get(key)?.value.clone()));
        let name = inside("name").and_then(|it| it.text().map(str::to_owned));
        let has_compiler = inside("options").is_some_and(|it| it.get("compiler").is_some());
        let backend = file
            .key("backend")
            .and_then(|it| Some(it.value.get("url")?.value.text()?.to_owned()));
        let project = text_of(file.key("name")).unwrap_or_default();
        let plugins = plugins(&file);
        let id = FileId::new(path.display().to_string());
        Project {
            dir: dir.to_owned(),
            config: ProjectConfig::read(&id, file, &project),
            name: project,
            runtime: name.or(text_of(runtime)).unwrap_or_default(),
            plugins: providers(&plugins, dir),
            plugin_folders: folders(&plugins, dir),
            misshapen: misshapen(file, &plugins),
            main: text_of(file.key("main")).filter(|it| !it.is_empty()),
            backend,
            config_dir: text_of(file.key("stackConfigDir")),
            has_compiler,
            path,
            text,
        }
    }

    /// Refuses what cannot be planned at all.
    pub fn plannable(&self) -> Result<(), ProjectError> {
        let path = self.path.display().to_string();
        if self.runtime != "yaml" {
            return Err(ProjectError::Runtime(path, self.runtime.clone()));
        }
        if self.has_compiler {
            return Err(ProjectError::Compiler(path));
        }
        if let Some(why) = &self.misshapen {
            return Err(ProjectError::Invalid(path, why.clone()));
        }
        let wrong =
            |it: &Option<String>| it.as_ref().is_some_and(|it| Release::parse(it).is_none());
        if let Some((name, ..)) = self.plugins.iter().find(|(_, version, _)| wrong(version)) {
            let why = "No Major.Minor.Patch elements found".to_owned();
            return Err(ProjectError::Plugin(name.clone(), why));
        }
        for (name, folder) in &self.plugin_folders {
            let shown = folder.display();
            let why = match folder.is_dir() {
                true => continue,
                false if folder.exists() => format!("provider folder '{shown}' is not a directory"),
                false => format!("no folder at path '{shown}'"),
            };
            return Err(ProjectError::Plugin(name.clone(), why));
        }
        let main = self.main.as_ref().map(|main| inside(&self.dir, main));
        if let Some(main) = main.filter(|it| !it.exists()) {
            return Err(ProjectError::Main(main.display().to_string()));
        }
        match self.program_path().is_file() {
            true => Ok(()),
            false => Err(ProjectError::NoProgram(
                self.program_dir().display().to_string(),
            )),
        }
    }

    /// Where the program runs: the folder that `main` names, or the one of the file that it names.
    ///
    /// Source: `getPwdMain` in `pkg/engine/project.go` of Pulumi.
    pub fn program_dir(&self) -> PathBuf {
        let Some(main) = &self.main else {
            return self.dir.clone();
        };
        let main = inside(&self.dir, main);
        match main.parent() {
            Some(parent) if main.is_file() => parent.to_owned(),
            _ => main,
        }
    }

    /// The file that has the program.
    pub fn program_path(&self) -> PathBuf {
        let dir = self.program_dir();
        let main = ["Main.json", "Main.yaml"].map(|name| dir.join(name));
        let main = main.into_iter().find(|path| path.is_file());
        main.unwrap_or_else(|| match dir == self.dir {
            true => self.path.clone(),
            false => dir.join(FILES[0]),
        })
    }

    pub fn program(&self) -> Result<Program, ProjectError> {
        let path = self.program_path();
        let text = match path == self.path {
            true => self.text.clone(),
            false => read(&path)?,
        };
        let id = FileId::new(path.display().to_string());
        Ok(Program::read(&id, &File::parse(&text)))
    }

    /// The name of the chosen stack and its organization.
    pub fn stack(
        &self,
        given: Option<&str>,
        variables: Variables<'_>,
    ) -> Result<(String, String), ProjectError> {
        let qualified = given
            .map(str::to_owned)
            .or_else(|| variables("PULUMI_STACK"));
        let qualified = qualified
            .or_else(|| self.selected(variables))
            .ok_or(ProjectError::NoStack)?;
        let parts: Vec<&str> = qualified.split('/').collect();
        let name = parts.last().copied().unwrap_or_default().to_owned();
        let organization = match parts.as_slice() {
            [organization, _, _] | [organization, _] => (*organization).to_owned(),
            _ => "organization".to_owned(),
        };
        Ok((name, organization))
    }

    /// What `pulumi stack select` has noted.
    fn selected(&self, variables: Variables<'_>) -> Option<String> {
        let path = self.path.display().to_string();
        let name = format!("{}-{}-workspace.json", self.name, hex(&Sha1::digest(path)));
        let text = disk::read_text(
            &home(variables)?.join("workspaces").join(name),
            Limit::CONFIGURATION,
        );
        let json: Json = serde_json::from_str(&text.ok()?).ok()?;
        let backend = self.backend(variables);
        let by_backend = json["stacks"].get(backend.as_deref().unwrap_or_default());
        let found = by_backend.and_then(Json::as_str).or(json["stack"].as_str());
        found.map(str::to_owned)
    }

    /// The address of the backend that holds the states.
    fn backend(&self, variables: Variables<'_>) -> Option<String> {
        let logged_in = || {
            let path = home(variables)?.join("credentials.json");
            let text = disk::read_text(&path, Limit::CONFIGURATION).ok()?;
            let json: Json = serde_json::from_str(&text).ok()?;
            json["current"].as_str().map(str::to_owned)
        };
        let set = variables("PULUMI_BACKEND_URL").filter(|it| !it.is_empty());
        set.or_else(|| self.backend.clone()).or_else(logged_in)
    }

    /// Whether the backend is Pulumi Cloud, or one like it, which has policies for stacks.
    pub fn may_have_policies(&self, variables: Variables<'_>) -> bool {
        let backend = self.backend(variables);
        backend.is_some_and(|it| it.starts_with("http://") || it.starts_with("https://"))
    }

    /// Where a local backend keeps the state of a stack. The file need not be there.
    pub fn state_file(
        &self,
        stack: &str,
        variables: Variables<'_>,
    ) -> Result<PathBuf, ProjectError> {
        let backend = self
            .backend(variables)
            .unwrap_or_else(|| "https://api.pulumi.com".to_owned());
        let Some(root) = backend.strip_prefix("file://") else {
            return Err(ProjectError::Backend(backend));
        };
        let root = match (root, root.strip_prefix("~")) {
            (_, Some(rest)) => {
                let home = variables("HOME").unwrap_or_default();
                PathBuf::from(home).join(rest.trim_start_matches('/'))
            }
            (root, None) => self.dir.join(root),
        };
        let stacks = root.join(".pulumi/stacks");
        let file = format!("{stack}.json");
        let in_project = stacks.join(&self.name).join(&file);
        // States of before 2023 lie beside each other.
        let places = [in_project.clone(), stacks.join(file)];
        let mut found = places.iter().filter_map(|path| newest(path));
        Ok(found.next().unwrap_or(in_project))
    }

    /// Everything that a plan of a stack depends on. `state` is an exported state to take in the place of the backend's;
    /// `export` asks a backend for that of a stack which is in no file.
    pub fn inputs(
        &self,
        stack: Option<&str>,
        state: Option<&Path>,
        options: Options,
        variables: Variables<'_>,
        export: &dyn Fn(&str) -> Result<String, String>,
    ) -> Result<Inputs, ProjectError> {
        self.plannable()?;
        let given = stack;
        let (stack, organization) = self.stack(given, variables)?;
        let keys = Keys::new(passphrase(variables));
        let state = match state {
            Some(path) => self.state(path, &keys)?,
            None => match self.state_file(&stack, variables) {
                Ok(path) if path.exists() => self.state(&path, &keys)?,
                Ok(_) => State::default(),
                Err(ProjectError::Backend(backend)) => {
                    let text = export(given.unwrap_or(&stack));
                    let text = text.map_err(|why| ProjectError::Exported(backend.clone(), why))?;
                    let state = State::read(text.as_bytes(), &keys);
                    state.map_err(|error| ProjectError::State(backend, error))?
                }
                Err(error) => return Err(error),
            },
        };
        let text = match self.config_path(&stack) {
            Some(path) => read(&path)?,
            None => String::new(),
        };
        let config = Config::read(&text, &self.name, &keys);
        let config = self.configured(config, &stack);
        Ok(Inputs {
            program: self.program()?,
            config,
            state: Arc::new(state),
            stack: StackName {
                stack,
                project: self.name.clone(),
            },
            organization,
            dir: self.program_dir(),
            root_dir: self.dir.clone(),
            options,
            is_saved: true,
            may_have_policies: self.may_have_policies(variables),
        })
    }

    /// The configuration of a stack, with what the project says of it.
    pub fn configured(&self, mut config: Config, stack: &str) -> Config {
        self.config.merge_into(&mut config, stack);
        config
    }

    fn config_dir(&self) -> PathBuf {
        let dir = self.config_dir.as_ref();
        dir.map_or(self.dir.clone(), |it| self.dir.join(it))
    }

    /// The file with the configuration of a stack, if it has one.
    pub fn config_path(&self, stack: &str) -> Option<PathBuf> {
        let dir = self.config_dir();
        let mut paths = ["yaml", "yml"].map(|it| dir.join(format!("Pulumi.{stack}.{it}")));
        paths
            .iter_mut()
            .find(|path| path.is_file())
            .map(std::mem::take)
    }

    /// The stacks that have a file with configuration.
    pub fn stacks(&self) -> Vec<String> {
        let entries = disk::list(&self.config_dir()).unwrap_or_default();
        let names = entries.iter().filter_map(|it| it.name.to_str());
        let stacks = names.filter_map(|name| {
            let name = name.strip_prefix("Pulumi.")?;
            name.strip_suffix(".yaml").or(name.strip_suffix(".yml"))
        });
        let mut stacks: Vec<String> = stacks.map(str::to_owned).collect();
        stacks.sort();
        stacks.dedup();
        stacks
    }

    /// The names of all values that a stack of the project has, as programs refer to them.
    pub fn configured_names(&self) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        let paths = self.stacks().into_iter();
        for path in paths.filter_map(|stack| self.config_path(&stack)) {
            if let Ok(text) = read(&path) {
                let config = Config::read(&text, &self.name, &Keys::default());
                names.extend(config.names(&self.name).map(|(name, _)| name.to_owned()));
            }
        }
        names
    }

    pub fn state(&self, path: &Path, keys: &Keys) -> Result<State, ProjectError> {
        let shown = || path.display().to_string();
        let bytes = disk::read(path, Limit::STATE).and_then(unpacked);
        let bytes = bytes.map_err(|error| ProjectError::Read(shown(), error))?;
        State::read(&bytes, keys).map_err(|error| ProjectError::State(shown(), error))
    }
}

/// The file of a state: as it is, or compressed. Of both, the one that was written last.
fn newest(path: &Path) -> Option<PathBuf> {
    let packed = path.with_extension("json.gz");
    let written = |path: &Path| path.metadata().and_then(|it| it.modified()).ok();
    match (written(path), written(&packed)) {
        (Some(plain), Some(other)) if other > plain => Some(packed),
        (None, Some(_)) => Some(packed),
        (Some(_), _) => Some(path.to_owned()),
        (None, None) => None,
    }
}

/// A state that is compressed, as it was before.
fn unpacked(bytes: Vec<u8>) -> std::io::Result<Vec<u8>> {
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return Ok(bytes);
    }
    let mut whole = Vec::new();
    let mut reader = flate2::read::GzDecoder::new(&*bytes).take(Limit::STATE.bytes() + 1);
    reader.read_to_end(&mut whole)?;
    match whole.len() as u64 > Limit::STATE.bytes() {
        true => Err(std::io::Error::other("it is too long when it is unpacked")),
        false => Ok(whole),
    }
}

fn read(path: &Path) -> Result<String, ProjectError> {
    let text = disk::read_text(path, Limit::CONFIGURATION);
    text.map_err(|error| ProjectError::Read(path.display().to_string(), error))
}

/// Where Pulumi keeps what belongs to the user.
fn home(variables: Variables<'_>) -> Option<PathBuf> {
    let set = |name: &str| variables(name).filter(|it| !it.is_empty());
    let own = set("PULUMI_HOME").map(PathBuf::from);
    own.or_else(|| Some(PathBuf::from(set("HOME")?).join(".pulumi")))
}

/// The passphrase of secrets, from the environment or the file that it names.
pub fn passphrase(variables: Variables<'_>) -> Option<String> {
    if let Some(passphrase) = variables("PULUMI_CONFIG_PASSPHRASE") {
        return Some(passphrase);
    }
    let file = variables("PULUMI_CONFIG_PASSPHRASE_FILE")?;
    let text = disk::read_text(Path::new(&file), Limit::CONFIGURATION).ok()?;
    Some(text.trim().to_owned())
}

fn plugins(file: &File) -> Vec<(String, &Node)> {
    let kinds = ["providers", "analyzers", "languages"].into_iter();
    let lists = kinds.filter_map(|kind| {
        let list = file.key("plugins")?.value.get(kind)?;
        Some(
            list.value
                .elements()
                .iter()
                .enumerate()
                .map(move |(nth, it)| (format!("#/plugins/{kind}/{nth}"), it)),
        )
    });
    lists.flatten().collect()
}

fn providers(plugins: &[(String, &Node)], dir: &Path) -> Vec<(String, Option<String>, PathBuf)> {
    let providers = plugins
        .iter()
        .filter(|(at, _)| at.starts_with("#/plugins/providers/"));
    let named = providers.filter_map(|(_, node)| {
        let version = text_at(node, "version");
        Some((
            text_at(node, "name")?,
            version,
            inside(dir, &text_at(node, "path")?),
        ))
    });
    named.collect()
}

fn folders(plugins: &[(String, &Node)], dir: &Path) -> Vec<(String, PathBuf)> {
    let folders = plugins.iter().filter_map(|(_, node)| {
        Some((text_at(node, "name")?, inside(dir, &text_at(node, "path")?)))
    });
    folders.collect()
}

fn text_at(node: &Node, key: &str) -> Option<String> {
    node.get(key)?.value.text().map(str::to_owned)
}

/// Source: `project.json` in `sdk/go/common/workspace` of Pulumi.
fn misshapen(file: &File, plugins: &[(String, &Node)]) -> Option<String> {
    let main = file.key("main").filter(|it| !it.value.is_null());
    if let Some(main) = main
        && !matches!(
            main.value.scalar().map(Scalar::resolve),
            Some(Resolved::String)
        )
    {
        return Some("#/main: expected string or null".to_owned());
    }
    let kinds = file.key("plugins").map(|it| &it.value.kind);
    if !matches!(kinds, None | Some(Kind::Mapping(_))) {
        return Some("#/plugins: expected object".to_owned());
    }
    plugins.iter().find_map(|(at, node)| {
        let missing = ["name", "path"]
            .into_iter()
            .find(|key| node.get(key).is_none());
        missing.map(|key| format!("{at}: missing properties: '{key}'"))
    })
}

/// A path in a folder, without the steps that lead nowhere.
fn inside(dir: &Path, path: &str) -> PathBuf {
    let mut inside = PathBuf::new();
    for step in dir.join(path).components() {
        match step {
            Component::CurDir => {}
            Component::ParentDir => drop(inside.pop()),
            step => inside.push(step),
        }
    }
    inside
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::fs;

    use super::*;

    fn project(dir: &Path, text: &str) -> Project {
        fs::write(dir.join("Pulumi.yaml"), text).unwrap();
        Project::open(dir).unwrap().unwrap()
    }

    #[test]
    fn the_chosen_stack_and_its_state_are_found() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().join("home");
        let project = project(
            dir.path(),
            "name: shop\nruntime: yaml\nbackend:\n  url: file://state\n",
        );
        let digest = hex(&Sha1::digest(project.path.display().to_string()));
        fs::create_dir_all(home.join("workspaces")).unwrap();
        fs::write(
            home.join(format!("workspaces/shop-{digest}-workspace.json")),
            r#"{"stacks": {"file://state": "organization/shop/dev", "file://other": "x/y/z"}}"#,
        )
        .unwrap();
        let mut variables = HashMap::from([("PULUMI_HOME", home.display().to_string())]);
        let stack = |variables: &HashMap<&str, String>, given| {
            let variables = |name: &str| variables.get(name).cloned();
            project
                .stack(given, &variables)
                .map(|(name, _)| name)
                .map_err(|it| it.to_string())
        };
        assert_eq!(stack(&variables, None), Ok("dev".to_owned()));
        assert_eq!(
            stack(&variables, Some("acme/shop/prod")),
            Ok("prod".to_owned())
        );
        variables.insert("PULUMI_STACK", "test".to_owned());
        assert_eq!(stack(&variables, None), Ok("test".to_owned()));
        let get = |name: &str| variables.get(name).cloned();
        let file = project.state_file("dev", &get).unwrap();
        assert_eq!(file, dir.path().join("state/.pulumi/stacks/shop/dev.json"));
        let inputs = project
            .inputs(None, None, Options::default(), &get, &unasked)
            .unwrap();
        assert!(inputs.state.resources.is_empty());
    }

    fn unasked(_: &str) -> Result<String, String> {
        Err("nobody is asked".to_owned())
    }

    #[test]
    fn the_state_that_was_written_last_counts_and_may_be_compressed() {
        let dir = tempfile::tempdir().unwrap();
        let project = project(dir.path(), "name: shop\nbackend:\n  url: file://.\n");
        let stacks = dir.path().join(".pulumi/stacks/shop");
        fs::create_dir_all(&stacks).unwrap();
        let state = r#"{"version": 3, "checkpoint": {"latest": {"resources": [{"urn": "urn:pulumi:dev::shop::t:T::a"}]}}}"#;
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), Default::default());
        std::io::Write::write_all(&mut packer, state.as_bytes()).unwrap();
        fs::write(stacks.join("dev.json.gz"), packer.finish().unwrap()).unwrap();
        let nothing = |_: &str| None;
        let path = project.state_file("dev", &nothing).unwrap();
        assert_eq!(path, stacks.join("dev.json.gz"));
        let found = project.state(&path, &Keys::default()).unwrap();
        assert_eq!(found.resources.len(), 1);
        fs::write(stacks.join("dev.json"), state).unwrap();
        let later = std::time::SystemTime::now() + std::time::Duration::from_secs(60);
        let file = fs::File::options()
            .write(true)
            .open(stacks.join("dev.json"));
        file.unwrap().set_modified(later).unwrap();
        let path = project.state_file("dev", &nothing).unwrap();
        assert_eq!(path, stacks.join("dev.json"));
    }

    #[test]
    fn the_state_of_another_backend_is_exported() {
        let dir = tempfile::tempdir().unwrap();
        let project = project(
            dir.path(),
            "name: a\nruntime: yaml\nbackend: {url: s3://b}\n",
        );
        let nothing = |_: &str| None;
        let export = |stack: &str| {
            assert_eq!(stack, "acme/dev");
            Ok(r#"{"version": 3, "deployment": {"resources": [{"urn": "urn:pulumi:dev::a::t:T::a"}]}}"#.to_owned())
        };
        let inputs = project.inputs(
            Some("acme/dev"),
            None,
            Options::default(),
            &nothing,
            &export,
        );
        assert_eq!(inputs.unwrap().state.resources.len(), 1);
    }

    #[test]
    fn a_state_that_is_empty_or_cut_off_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let project = project(dir.path(), "name: shop\n");
        for (text, expected) in [
            ("", "not valid JSON"),
            (
                r#"{"version": 3, "checkpoint": {"latest": {"resources": [{"#,
                "not valid JSON",
            ),
            ("{}", "no version"),
            (r#"{"version": 4}"#, "a state of version 4"),
            (
                r#"{"version": 3, "deployment": {"resources": [1]}}"#,
                "a resource is not an object",
            ),
        ] {
            let path = dir.path().join("state.json");
            fs::write(&path, text).unwrap();
            let error = project
                .state(&path, &Keys::default())
                .unwrap_err()
                .to_string();
            assert!(
                error.contains(expected) && error.contains("state.json"),
                "{error}"
            );
        }
    }

    /// As Pulumi 3.259.0 answered.
    #[test]
    fn projects_that_pulumi_refuses_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("empty")).unwrap();
        let at = |name: &str| dir.path().join(name).display().to_string();
        let (nowhere, file) = (at("nowhere"), at("Pulumi.yaml"));
        let plugin = "parsing plugin options for 'lab'";
        for (text, expected) in [
            ("plugins: 5", "#/plugins: expected object".to_owned()),
            (
                "plugins: {providers: [{name: lab}]}",
                "#/plugins/providers/0: missing properties: 'path'".to_owned(),
            ),
            (
                "plugins: {analyzers: [{path: x}]}",
                "#/plugins/analyzers/0: missing properties: 'name'".to_owned(),
            ),
            (
                "plugins: {providers: [{name: lab, path: ./nowhere}]}",
                format!("{plugin}: no folder at path '{nowhere}'"),
            ),
            (
                "plugins: {languages: [{name: lab, path: nowhere}]}",
                format!("{plugin}: no folder at path '{nowhere}'"),
            ),
            (
                "plugins: {providers: [{name: lab, path: Pulumi.yaml}]}",
                format!("{plugin}: provider folder '{file}' is not a directory"),
            ),
            (
                "plugins: {providers: [{name: lab, path: empty, version: many}]}",
                format!("{plugin}: No Major.Minor.Patch elements found"),
            ),
            ("main: 5", "#/main: expected string or null".to_owned()),
            (
                "main: ./nowhere/",
                format!(
                    "project 'main' could not be read: stat {nowhere}: no such file or directory"
                ),
            ),
            (
                "main: empty",
                format!("missing template file in {}", at("empty")),
            ),
        ] {
            let project = project(dir.path(), &format!("name: shop\nruntime: yaml\n{text}\n"));
            let refused = project.plannable().unwrap_err().to_string();
            assert!(refused.contains(&expected), "{text}: {refused}");
        }
        for text in [
            "main: ''",
            "main:",
            "main: Pulumi.yaml",
            "plugins: {providers: [{name: lab, path: empty}]}",
        ] {
            let project = project(dir.path(), &format!("name: shop\nruntime: yaml\n{text}\n"));
            assert!(project.plannable().is_ok(), "{text}");
        }
    }

    #[test]
    fn a_program_is_in_the_folder_that_main_names_or_beside_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let inner = dir.path().join("inner");
        fs::create_dir(&inner).unwrap();
        let read = |main: &str| {
            project(
                dir.path(),
                &format!("name: shop\nruntime: yaml\nmain: {main}\n"),
            )
            .program_path()
        };
        fs::write(inner.join("Pulumi.yaml"), "").unwrap();
        assert_eq!(read("inner"), inner.join("Pulumi.yaml"));
        fs::write(inner.join("Main.yaml"), "").unwrap();
        for main in ["inner", "./inner/", "inner/Main.yaml", "inner/Pulumi.yaml"] {
            assert_eq!(read(main), inner.join("Main.yaml"), "{main}");
        }
    }

    #[test]
    fn unsupported_parts_of_a_project_are_named() {
        let dir = tempfile::tempdir().unwrap();
        let nothing = |_: &str| None;
        for (text, expected) in [
            ("name: a\nruntime: nodejs\n", "has a program in nodejs"),
            ("name: a\nruntime:\n  name: hcl\n", "has a program in hcl"),
            (
                "name: a\nruntime:\n  name: yaml\n  options:\n    compiler: cue export\n",
                "is made by a compiler",
            ),
            ("name: a\nruntime: yaml\n", "no stack is selected"),
        ] {
            let error = project(dir.path(), text);
            let error = error.inputs(None, None, Options::default(), &nothing, &unasked);
            let error = error.err().unwrap().to_string();
            assert!(error.contains(expected), "{error}");
        }
        let other = project(
            dir.path(),
            "name: a\nruntime: yaml\nbackend: {url: s3://b}\n",
        );
        let error = other
            .inputs(Some("dev"), None, Options::default(), &nothing, &unasked)
            .err()
            .unwrap();
        assert!(
            error.to_string().contains("the state is in s3://b"),
            "{error}"
        );
        assert!(Project::open(&dir.path().join("nothing")).is_none());
    }
}
