//! A root module in a folder of its own, with providers installed as `terraform init` would from a mirror.

#![allow(dead_code)]

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;
use std::{env, fs};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use config::{ModuleAddr, ProviderConfigAddr};
use cty::Value;
use process::Variables;
use provider::{
    Approved, Config, Environment, PlanRequest, PlanResponse, Problem, Provider, Providers,
};
use schema::{ProviderSchema, Schema};
use sha2::{Digest, Sha256};
use smol_str::SmolStr;
use tempfile::TempDir;

pub struct Root {
    folder: TempDir,
    mirror: PathBuf,
    variables: Variables,
}

#[allow(clippy::print_stdout)]
pub fn report(line: &str) {
    println!("{line}");
}

impl Root {
    /// None, and a line that says so, where the providers haven't been built.
    pub fn new(providers: &[&str]) -> Option<Root> {
        let Some(mirror) = mirror().filter(|mirror| mirror.is_dir()) else {
            report("SKIPPED: no test providers on this machine (tests/providers/build makes them)");
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        let root = Root {
            folder,
            mirror,
            variables: Variables::default(),
        };
        for name in ["w", "tmp", "cache"] {
            fs::create_dir(root.folder.path().join(name)).unwrap();
        }
        let mut lock = String::new();
        for name in providers {
            let package = root.package(name)?;
            let address = format!("registry.terraform.io/{name}");
            let version = package
                .parent()
                .unwrap()
                .file_name()
                .unwrap()
                .to_str()
                .unwrap();
            let platform = package.file_name().unwrap();
            let installed = root
                .dir()
                .join(".terraform/providers")
                .join(&address)
                .join(version);
            fs::create_dir_all(&installed).unwrap();
            install(&package, &installed.join(platform));
            let hash = package_hash(&package);
            lock += &format!(
                "provider \"{address}\" {{\n  version = \"{version}\"\n  hashes = [\n    \"{hash}\",\n  ]\n}}\n"
            );
        }
        fs::write(root.dir().join(".terraform.lock.hcl"), lock).unwrap();
        Some(root)
    }

    pub fn dir(&self) -> PathBuf {
        self.folder.path().join("w")
    }

    pub fn set(&mut self, variable: &str, value: impl Into<String>) {
        self.variables.insert(variable.to_owned(), value.into());
    }

    /// `MIRROR` stands for the mirror, `PACKAGE` for the folder of the executable of hashicorp/random.
    pub fn set_cli_config(&mut self, text: &str) {
        let package = self.package("hashicorp/random").unwrap();
        let text = text
            .replace("MIRROR", self.mirror.to_str().unwrap())
            .replace("PACKAGE", package.to_str().unwrap());
        let file = self.folder.path().join("terraformrc");
        fs::write(&file, text).unwrap();
        self.set("TF_CLI_CONFIG_FILE", file.to_str().unwrap());
    }

    pub fn edit_lock_file(&self, edit: impl Fn(String) -> String) {
        let file = self.dir().join(".terraform.lock.hcl");
        fs::write(&file, edit(fs::read_to_string(&file).unwrap())).unwrap();
    }

    /// Has test providers write down their calls.
    pub fn log_calls(&mut self) -> Calls {
        let file = self.folder.path().join("calls");
        self.set("LAB_CALLS", file.to_str().unwrap());
        Calls(file)
    }

    pub fn providers(&self, approved: Approved) -> Providers {
        self.providers_with_temporary_dir(approved, &self.folder.path().join("tmp"))
    }

    pub fn providers_with_temporary_dir(&self, approved: Approved, temporary: &Path) -> Providers {
        let mut variables = self.variables.clone();
        variables.insert("TMPDIR".to_owned(), temporary.to_str().unwrap().to_owned());
        Providers::new(Config {
            environment: Environment {
                root_module: self.dir(),
                variables,
            },
            cache_dir: Some(self.folder.path().join("cache")),
            terraform_version: "1.11.4".to_owned(),
            approved,
            limit: Arc::default(),
        })
    }

    pub fn provider(&self, providers: &Providers, name: &str) -> Arc<dyn Provider> {
        providers.provider(&ProviderConfigAddr {
            module: ModuleAddr::root(),
            provider: name.parse().unwrap(),
            alias: None,
        })
    }

    /// What `terraform providers schema -json` prints in a root module with the same providers.
    pub fn terraform_schemas(&self) -> Option<BTreeMap<SmolStr, ProviderSchema>> {
        let lock = fs::read_to_string(self.dir().join(".terraform.lock.hcl")).unwrap();
        let sources = lock
            .lines()
            .filter_map(|line| line.strip_prefix("provider \""));
        let required: String = sources
            .filter_map(|rest| rest.split('"').next())
            .map(|source| {
                let name = source.rsplit('/').next().unwrap();
                format!("    {name} = {{ source = \"{source}\" }}\n")
            })
            .collect();
        let text = format!("terraform {{\n  required_providers {{\n{required}  }}\n}}\n");
        fs::write(self.dir().join("main.tf"), text).unwrap();
        let cli_config = self.folder.path().join("empty");
        fs::write(&cli_config, "disable_checkpoint = true\n").unwrap();
        let output = Command::new("terraform")
            .args(["providers", "schema", "-json"])
            .current_dir(self.dir())
            .env("TF_CLI_CONFIG_FILE", cli_config)
            .output()
            .ok()?;
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let text = String::from_utf8(output.stdout).unwrap();
        Some(schema::provider_schemas_from_json(&text).unwrap())
    }

    /// The running plugins of this root module, by process id.
    pub fn plugins(&self) -> Vec<i32> {
        plugins_in(&self.dir())
    }

    /// Starts a provider as its developer would in a debugger, and says so in the environment.
    pub fn start_by_hand(&mut self, name: &str) -> Child {
        self.start_by_hand_on(name, |socket| ("unix", socket.to_owned()))
    }

    /// The same; `listening` makes the socket into the network and the address that are told.
    pub fn start_by_hand_on(
        &mut self,
        name: &str,
        listening: impl FnOnce(&str) -> (&str, String),
    ) -> Child {
        let package = self.package(name).unwrap();
        let executable = files(&package).pop().unwrap();
        let cookie = "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2";
        let mut child = Command::new(executable)
            .env("TF_PLUGIN_MAGIC_COOKIE", cookie)
            .env("PLUGIN_PROTOCOL_VERSIONS", "6")
            .env("PLUGIN_UNIX_SOCKET_DIR", self.folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap())
            .read_line(&mut line)
            .unwrap();
        let socket = line.split('|').nth(3).unwrap();
        let (network, address) = listening(socket);
        let entry = format!(
            r#"{{"{name}":{{"Protocol":"grpc","ProtocolVersion":6,"Pid":{},"Test":true,"Addr":{{"Network":"{network}","String":"{address}"}}}}}}"#,
            child.id()
        );
        self.set("TF_REATTACH_PROVIDERS", entry);
        child
    }

    /// How many were killed.
    pub fn kill_plugins(&self) -> usize {
        let plugins = self.plugins();
        for id in &plugins {
            assert!(
                Command::new("kill")
                    .args(["-9", &id.to_string()])
                    .status()
                    .unwrap()
                    .success()
            );
        }
        plugins.len()
    }

    /// What is left in the folder of sockets.
    pub fn leftovers(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path().join("tmp"))
            .unwrap()
            .flatten();
        entries
            .map(|entry| entry.file_name().into_string().unwrap())
            .collect()
    }

    pub fn cache_files(&self) -> Vec<PathBuf> {
        files(&self.folder.path().join("cache"))
    }

    /// All that was written, by name.
    pub fn all_files(&self) -> Vec<(String, String)> {
        let read = |path: PathBuf| {
            let content = fs::read(&path).unwrap_or_default();
            (
                path.display().to_string(),
                String::from_utf8_lossy(&content).into_owned(),
            )
        };
        files(self.folder.path()).into_iter().map(read).collect()
    }

    pub fn workspace_files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let read = |path: PathBuf| (path.clone(), fs::read(path).unwrap());
        files(&self.dir()).into_iter().map(read).collect()
    }

    fn package(&self, name: &str) -> Option<PathBuf> {
        let versions = self.mirror.join("registry.terraform.io").join(name);
        let mut found: Vec<PathBuf> = files(&versions);
        found.sort();
        match found.pop() {
            Some(executable) => executable.parent().map(Path::to_owned),
            None => {
                report(&format!(
                    "SKIPPED: no test provider {name} (tests/providers/build makes it)"
                ));
                None
            }
        }
    }
}

#[cfg(unix)]
fn install(package: &Path, to: &Path) {
    std::os::unix::fs::symlink(package, to).unwrap();
}

/// Packages are copied there.
#[cfg(windows)]
fn install(package: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for file in files(package) {
        fs::copy(&file, to.join(file.file_name().unwrap())).unwrap();
    }
}

pub fn trusted(root: &Root) -> Providers {
    root.providers(Approved::All)
}

/// The calls that a test provider wrote down.
pub struct Calls(PathBuf);

impl Calls {
    pub async fn wait_for(&self, call: &str, times: usize) {
        let seen = async {
            while self.count(call) < times {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        let in_time = tokio::time::timeout(Duration::from_secs(60), seen).await;
        assert!(in_time.is_ok(), "{call} was not called {times} times");
    }

    fn count(&self, call: &str) -> usize {
        let text = fs::read_to_string(&self.0).unwrap_or_default();
        text.lines().filter(|line| *line == call).count()
    }
}

/// An empty body with some attributes.
pub fn block_with(schema: &Schema, given: &[(&str, Value)]) -> Value {
    let empty = schema.block.empty_value();
    let mut attributes = BTreeMap::from(empty.as_map().unwrap());
    for (name, value) in given {
        attributes.insert((*name).into(), value.clone());
    }
    Value::object(attributes)
}

pub fn plan_request(
    type_name: &str,
    schema: &Schema,
    prior: Option<&Value>,
    config: Value,
) -> PlanRequest {
    PlanRequest {
        type_name: type_name.into(),
        prior_state: prior.cloned().unwrap_or_else(|| schema.null_value()),
        proposed_new_state: config.clone(),
        config: match prior {
            Some(_) => without_computed(schema, &config),
            None => config,
        },
        prior_private: Bytes::new(),
        provider_meta: None,
        prior_identity: None,
    }
}

/// A plan without errors.
pub async fn plan(
    provider: &Arc<dyn Provider>,
    type_name: &str,
    schema: &Schema,
    prior: Option<&Value>,
    config: Value,
) -> PlanResponse {
    let request = plan_request(type_name, schema, prior, config);
    let response = provider.plan_resource_change(request).await.unwrap();
    let is_wrong = response.diagnostics.iter().any(Problem::is_error);
    assert!(!is_wrong, "{:?}", response.diagnostics);
    response
}

fn without_computed(schema: &Schema, value: &Value) -> Value {
    let attributes = value.as_map().unwrap().iter().map(|(name, value)| {
        let is_computed = schema
            .block
            .attributes
            .get(name)
            .is_some_and(|a| !a.is_argument());
        let value = if is_computed {
            Value::null(value.ty().clone())
        } else {
            value.clone()
        };
        (name.clone(), value)
    });
    Value::object(attributes)
}

/// The processes that run in a folder.
pub fn plugins_in(dir: &Path) -> Vec<i32> {
    let dir = dir.canonicalize().unwrap();
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let ids = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    ids.filter(|id| {
        fs::read_link(format!("/proc/{id}/cwd")).is_ok_and(|cwd| cwd == dir)
            && !fs::read(format!("/proc/{id}/cmdline"))
                .unwrap_or_default()
                .is_empty()
    })
    .collect()
}

fn mirror() -> Option<PathBuf> {
    let cache = match env::var_os("PLANLENS_TEST_CACHE") {
        Some(cache) => PathBuf::from(cache),
        None => PathBuf::from(env::var_os("HOME")?).join(".cache/planlens-test"),
    };
    Some(cache.join("mirror"))
}

fn files(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        match entry.file_type().unwrap() {
            kind if kind.is_dir() => found.extend(files(&entry.path())),
            kind if kind.is_file() => found.push(entry.path()),
            _ => {}
        }
    }
    found.sort();
    found
}

fn package_hash(package: &Path) -> String {
    let summary: String = files(package)
        .into_iter()
        .map(|file| {
            let digest = Sha256::digest(fs::read(&file).unwrap());
            let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("{hex}  {}\n", file.strip_prefix(package).unwrap().display())
        })
        .collect();
    format!("h1:{}", STANDARD.encode(Sha256::digest(summary)))
}

/// All that is logged in this process, from the first call on.
pub fn record_logs() -> &'static Logs {
    static LOGS: OnceLock<Logs> = OnceLock::new();
    LOGS.get_or_init(|| {
        let logs = Logs::default();
        let writer = logs.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(tracing::Level::TRACE)
            .with_writer(move || writer.clone())
            .finish();
        tracing::subscriber::set_global_default(subscriber).unwrap();
        logs
    })
}

#[derive(Clone, Default)]
pub struct Logs(Arc<Mutex<Vec<u8>>>);

impl Logs {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap()).into_owned()
    }
}

impl Write for Logs {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
