//! A recorded plan: what it was made from, and what came out.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;
use std::sync::Arc;

use config::{Files, ModuleAddr, Profile, ProviderAddr};
use plan::VarOption;
use serde_json::Value as Json;

use crate::replay::Call;

/// Where the root module is said to be.
pub const DIR: &str = "/module";

/// Whose language the recorded configurations are written in.
pub const PROFILE: Profile = Profile::NEWEST_OPENTOFU;

pub struct Scenario {
    /// Says what the scenario is about: equal content, equal name.
    pub name: String,
    /// What of the language it uses, for the histogram.
    pub features: Vec<&'static str>,
    pub files: Texts,
    pub variables: Vec<VarOption>,
    pub options: Options,
    pub calls: Vec<Call>,
    pub schemas: Vec<Json>,
    pub changes: Vec<Json>,
    pub outputs: Vec<Json>,
    /// The summary of each.
    pub errors: BTreeSet<String>,
    pub is_errored: bool,
}

#[derive(Default)]
pub struct Options {
    pub mode: String,
    pub is_refresh_skipped: bool,
    pub targets: Vec<String>,
    pub excludes: Vec<String>,
    pub force_replace: Vec<String>,
}

impl Scenario {
    pub fn read(case: &Json) -> Scenario {
        let sources: Vec<(ModuleAddr, String, String)> = entries(&case["files"])
            .filter_map(|(key, text)| {
                let (module, name) = key.split_once("::")?;
                Some((
                    module.parse().ok()?,
                    name.to_owned(),
                    text.as_str()?.to_owned(),
                ))
            })
            .collect();
        let mut files = Texts::default();
        for (module, name, text) in &sources {
            files.set(&format!("{}/{name}", dir(module, &sources)), text);
        }
        let modules: BTreeSet<&ModuleAddr> = sources.iter().map(|(module, _, _)| module).collect();
        files.set(
            &format!("{DIR}/.terraform/modules/modules.json"),
            &manifest(&modules, &sources).to_string(),
        );
        if let Some(state) = case["state"].as_str() {
            files.set(&format!("{DIR}/terraform.tfstate"), state);
        }
        let opts = &case["opts"];
        let variables = entries(&opts["vars"]).filter_map(|(name, json)| {
            Some(VarOption::Value {
                name: name.to_owned(),
                value: cty::testing::value(json)?,
            })
        });
        let rpc = list(&case["rpc"]);
        let mut schemas: Vec<Json> = Vec::new();
        for call in rpc.iter().filter(|call| call["rpc"] == "GetProviderSchema") {
            if !schemas.contains(&call["resp"]) {
                schemas.push(call["resp"].clone());
            }
        }
        let text = |json: &Json| json.as_str().unwrap_or_default().to_owned();
        let strings = |json: &Json| list(json).iter().map(text).collect::<Vec<String>>();
        let options = Options {
            mode: text(&opts["mode"]),
            is_refresh_skipped: opts["skipRefresh"] == true,
            targets: strings(&opts["targets"]),
            excludes: strings(&opts["excludes"]),
            force_replace: strings(&opts["forceReplace"]),
        };
        Scenario {
            name: name(case),
            features: features(&sources, &options),
            files,
            variables: variables.collect(),
            options,
            calls: rpc.iter().filter_map(Call::read).collect(),
            schemas,
            changes: list(&case["changes"]).to_vec(),
            outputs: list(&case["outputs"]).to_vec(),
            errors: list(&case["diags"])
                .iter()
                .filter(|json| json["sev"] == "Error" && !is_of_the_harness(json))
                .map(|json| in_words_of_the_cli(text(&json["summary"])))
                .collect(),
            is_errored: case["errored"] == true,
        }
    }

    pub fn is_destroy(&self) -> bool {
        self.options.mode == "DestroyMode"
    }

    /// The providers that may be asked, with the local names that mean them.
    pub fn providers(&self) -> BTreeSet<ProviderAddr> {
        let mut addrs = BTreeSet::new();
        let mut cache = config::ModuleCache::new(PROFILE);
        for dir in self.files.dirs() {
            let (module, _) =
                config::load_module(&self.files, &mut cache, &dir, &ModuleAddr::root());
            let nested = module
                .checks
                .values()
                .filter_map(|check| check.data.as_ref());
            let imported = module.imports.iter().map(|import| match &import.provider {
                Some(provider) => provider.name.clone(),
                None => import.target.resource.implied_provider().into(),
            });
            addrs.extend(imported.map(|name| module.provider_addr(&name)));
            let resources = module.resources.values().chain(nested);
            addrs.extend(resources.map(|r| module.provider_of(r).0));
            addrs.extend(
                module
                    .providers
                    .keys()
                    .map(|p| module.provider_addr(&p.name)),
            );
            addrs.extend(
                module
                    .required_providers
                    .keys()
                    .map(|p| module.provider_addr(p)),
            );
        }
        if let Ok(state) = self.files.read(&format!("{DIR}/terraform.tfstate"))
            && let Ok(state) = state::read(&state)
        {
            addrs.extend(
                state
                    .resources
                    .values()
                    .map(|r| r.provider.provider.clone()),
            );
        }
        addrs.remove(&ProviderAddr::builtin());
        addrs
    }
}

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Options {
            mode,
            is_refresh_skipped,
            targets,
            excludes,
            force_replace,
        } = &self.options;
        writeln!(
            f,
            "=== {}: {mode} refresh {} targets {targets:?} excludes {excludes:?} replace {force_replace:?}",
            self.name, !is_refresh_skipped,
        )?;
        for (path, file) in &self.files.0 {
            writeln!(f, "#- {path}\n{}", file.text())?;
        }
        for call in &self.calls {
            writeln!(f, "{call}")?;
        }
        for change in &self.changes {
            writeln!(
                f,
                "{} {} {}",
                change["addr"], change["action"], change["reason"]
            )?;
        }
        for summary in &self.errors {
            writeln!(f, "Error: {summary}")?;
        }
        Ok(())
    }
}

/// The recorded plans were made without the command line, which gives each variable a value. That none was given is
/// told as a bug of the product beside what the plan is about.
fn is_of_the_harness(diagnostic: &Json) -> bool {
    let detail = diagnostic["detail"].as_str().unwrap_or_default();
    detail.contains("This is a bug in OpenTofu")
}

/// The command line finds out before the plan that a variable has no value.
fn in_words_of_the_cli(summary: String) -> String {
    match summary.as_str() {
        "Required variable not set" => "No value for required variable".to_owned(),
        _ => summary,
    }
}

/// The same sixteen digits for the same content, by FNV-1a.
fn name(case: &Json) -> String {
    let content = format!(
        "{}{}{}{}",
        case["files"], case["state"], case["opts"], case["rpc"]
    );
    let hash = content
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
    format!("{hash:016x}")
}

type Sources = [(ModuleAddr, String, String)];

/// What a module calls, and from where.
fn source_of(module: &ModuleAddr, sources: &Sources) -> Option<String> {
    let parent = module.parent()?;
    let call = module.calls().last()?;
    let of_parent = sources.iter().filter(|(addr, ..)| *addr == parent);
    of_parent
        .flat_map(|(_, name, text)| sources_in(name, text))
        .find_map(|(name, source)| (name == call.as_str()).then_some(source))
}

fn sources_in(name: &str, text: &str) -> Vec<(String, String)> {
    let mut files = Texts::default();
    files.set(&format!("/{name}"), text);
    let mut cache = config::ModuleCache::new(PROFILE);
    let (module, _) = config::load_module(&files, &mut cache, "", &ModuleAddr::root());
    let calls = module.module_calls.values();
    let source = |call: &Arc<config::ModuleCall>| {
        Some((
            call.name.text.to_string(),
            call.source.as_ref()?.to_string(),
        ))
    };
    calls.filter_map(source).collect()
}

/// The folder of a module: as its caller names it if that is a path.
fn dir(module: &ModuleAddr, sources: &Sources) -> String {
    let Some(parent) = module.parent() else {
        return DIR.to_owned();
    };
    let mut steps: Vec<String> = Vec::new();
    let path = match source_of(module, sources) {
        Some(source) if source.starts_with('.') => format!("{}/{source}", dir(&parent, sources)),
        _ => format!("{DIR}/.terraform/modules/{}", module.calls().join(".")),
    };
    for step in path.split('/') {
        match step {
            "." | "" => {}
            ".." => drop(steps.pop()),
            step => steps.push(step.to_owned()),
        }
    }
    format!("/{}", steps.join("/"))
}

/// As `terraform init` lists installed modules.
fn manifest(modules: &BTreeSet<&ModuleAddr>, sources: &Sources) -> Json {
    let entry = |module: &&ModuleAddr| {
        let dir = dir(module, sources);
        serde_json::json!({
            "Key": module.calls().join("."),
            "Source": source_of(module, sources).unwrap_or_default(),
            "Dir": dir.strip_prefix(DIR).map_or(&*dir, |dir| dir.trim_start_matches('/')),
        })
    };
    serde_json::json!({ "Modules": modules.iter().map(entry).collect::<Vec<_>>() })
}

fn features(sources: &Sources, options: &Options) -> Vec<&'static str> {
    let uses = |what: &str| {
        let is_used = |line: &str| line.trim_start().starts_with(what);
        sources.iter().any(|(_, _, text)| text.lines().any(is_used))
    };
    let has_modules = sources.iter().any(|(module, ..)| !module.is_root());
    let features = [
        ("modules", has_modules),
        ("data", uses("data \"")),
        ("moved", uses("moved {")),
        ("removed", uses("removed {")),
        ("import", uses("import {")),
        ("check", uses("check \"")),
        ("ephemeral", uses("ephemeral")),
        ("conditions", uses("precondition") || uses("postcondition")),
        ("enabled", uses("enabled")),
        ("target", !options.targets.is_empty()),
        ("exclude", !options.excludes.is_empty()),
        ("replace", !options.force_replace.is_empty()),
        ("destroy", options.mode == "DestroyMode"),
        ("refresh-only", options.mode == "RefreshOnlyMode"),
    ];
    let used = features.into_iter().filter(|(_, is_used)| *is_used);
    used.map(|(name, _)| name).collect()
}

fn list(json: &Json) -> &[Json] {
    json.as_array().map_or(&[], Vec::as_slice)
}

fn entries(json: &Json) -> impl Iterator<Item = (&str, &Json)> {
    let entries = json.as_object().into_iter().flatten();
    entries.map(|(name, json)| (name.as_str(), json))
}

/// Files in memory.
#[derive(Debug, Clone, Default)]
pub struct Texts(BTreeMap<String, syntax::File>);

impl Texts {
    fn set(&mut self, path: &str, text: &str) {
        self.0
            .insert(path.to_owned(), config::parse_file(path, text));
    }

    fn dirs(&self) -> BTreeSet<String> {
        let dir = |path: &String| Some(path.rsplit_once('/')?.0.to_owned());
        self.0.keys().filter_map(dir).collect()
    }
}

impl Files for Texts {
    fn list(&self, dir: &str) -> io::Result<Vec<String>> {
        let names = self.0.keys().filter_map(|path| {
            let name = path.strip_prefix(dir)?.strip_prefix('/')?;
            (!name.contains('/')).then(|| name.to_owned())
        });
        Ok(names.collect())
    }

    fn read(&self, path: &str) -> io::Result<Arc<str>> {
        Ok(self.parse(path)?.text().clone())
    }

    fn parse(&self, path: &str) -> io::Result<syntax::File> {
        let file = self.0.get(path).cloned();
        file.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))
    }
}
