//! What `planlens doctor` looks at, in the order of the page.

use std::collections::BTreeSet;
use std::path::Path;

use config::{Files, Module, ModuleAddr, ProviderAddr, ProviderConfigAddr};
use disk::Limit;
use plan::{OpenFiles, Request, Root, Surroundings};
use process::Variables;
use provider::{Environment, Installation, Providers};
use state::Location;

use super::Section;

const INIT: &str = "run `terraform init` (or `tofu init`) in this folder";

/// Everything about the root module of these surroundings.
pub(super) async fn all(surroundings: Surroundings) -> Vec<Section> {
    let files = OpenFiles::default();
    let dir = surroundings.dir.to_string_lossy().into_owned();
    let programs = state::programs(&surroundings.dir, &surroundings.variables);
    let mut root = Root::new(surroundings.clone());
    root.load(&files, &Request::default());
    let module = root.module().cloned().unwrap_or_default();
    let environment = Environment {
        root_module: surroundings.dir.clone(),
        variables: surroundings.variables.clone(),
    };
    let mut sections = vec![
        planlens(&surroundings),
        language(&root, &programs),
        configuration(&module, &dir),
        state(&files, &root, &surroundings),
        modules(&module, &environment),
    ];
    sections.push(providers(&surroundings, &environment, &module).await);
    sections.push(cli_configuration(&environment));
    sections.push(variables(&surroundings.variables));
    sections
}

fn planlens(surroundings: &Surroundings) -> Section {
    let mut section = Section::new("planlens");
    let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
    section.fine(format!(
        "version {} on {os} {arch}",
        env!("CARGO_PKG_VERSION")
    ));
    section.fine(match &surroundings.cache_dir {
        Some(dir) if dir.is_dir() => format!("keeps schemas in {}", dir.display()),
        Some(dir) => format!("keeps schemas in {}, which is to be made", dir.display()),
        None => "keeps no schemas: there is no folder for caches".to_owned(),
    });
    section
}

fn language(root: &Root, programs: &[state::Program]) -> Section {
    let mut section = Section::new("language");
    if let Some(choice) = root.choice() {
        section.fine(format!("planned as {}", choice.profile));
        section.fine(format!("because {}", choice.why()));
    }
    for program in programs {
        let path = program.path.display();
        match &program.profile {
            Ok(profile) => section.fine(format!("{path} is {profile}")),
            Err(why) => {
                section.problem(format!("{path}: {why}"), "see what it says when you run it")
            }
        }
    }
    if programs.is_empty() {
        section.fine("neither terraform nor tofu is on the PATH");
    }
    section
}

fn configuration(module: &Module, dir: &str) -> Section {
    let mut section = Section::new("configuration");
    section.fine(dir);
    let count = module.files.len();
    match count {
        0 => section.problem(
            "there is no configuration in this folder",
            "name the folder of a root module",
        ),
        _ => section.fine(format!(
            "{count} files, {} resources and data sources, {} module calls",
            module.resources.len(),
            module.module_calls.len()
        )),
    }
    for (file, syntax) in &module.files {
        if syntax.errors().next().is_some() {
            let text = format!("{} can't be parsed", file.name());
            section.problem(text, "`planlens plan` shows where");
        }
    }
    section
}

fn state(files: &OpenFiles, root: &Root, surroundings: &Surroundings) -> Section {
    let mut section = Section::new("workspace and state");
    let cache_dir = surroundings.cache_dir.as_deref();
    if let Some(given) = cache_dir.and_then(|it| host::noted(it, root.dir())) {
        section.fine(format!("the editor plans it with {given}"));
    }
    let Some(location) = root.state_location() else {
        return section;
    };
    section.fine(format!("workspace {}", location.workspace()));
    match location {
        Location::File { path, .. } => {
            section.fine(format!("backend local, in {path}"));
            if Files::read(files, path)
                .is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
            {
                section.fine("there is no state yet");
                return section;
            }
        }
        Location::Backend { r#type, .. } => {
            let product = root.choice().map(|choice| choice.profile.product);
            let command = product.unwrap_or(config::Product::Terraform).command();
            section.fine(format!(
                "backend {}, which is read by `{command} state pull`",
                r#type
            ));
            return section;
        }
    }
    match state::load(files, location) {
        Ok(state) => {
            section.fine(format!(
                "lineage {}, serial {}",
                state.lineage, state.serial
            ));
            section.fine(format!(
                "{} resources, written by version {}",
                state.resources.len(),
                state.terraform_version
            ));
        }
        Err(error) => section.problem(
            error.to_string(),
            "until it can be, nothing is said to be created",
        ),
    }
    section
}

/// The module calls of the root module.
fn modules(module: &Module, environment: &Environment) -> Section {
    let mut section = Section::new("modules");
    let manifest = environment.data_dir().join("modules/modules.json");
    let manifest = disk::read_text(&manifest, Limit::CONFIGURATION).unwrap_or_default();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap_or_default();
    let installed = |name: &str| {
        let entries = manifest["Modules"].as_array().into_iter().flatten();
        let dir = entries
            .filter(|entry| entry["Key"] == *name)
            .find_map(|entry| entry["Dir"].as_str())?;
        environment
            .root_module
            .join(dir)
            .is_dir()
            .then(|| dir.to_owned())
    };
    for (name, call) in &module.module_calls {
        let source = call.source.as_deref().unwrap_or_default();
        let is_local = source.starts_with("./") || source.starts_with("../");
        if is_local && environment.root_module.join(source).is_dir() {
            section.fine(format!("{name} is {source}"));
        } else if is_local {
            section.problem(
                format!("{name}: there is no folder {source}"),
                "correct the source",
            );
        } else if let Some(dir) = installed(name) {
            section.fine(format!("{name} is in {dir}"));
        } else {
            section.problem(format!("{name} is not installed"), INIT);
        }
    }
    if module.module_calls.is_empty() {
        section.fine("none is called");
    }
    section
}

async fn providers(
    surroundings: &Surroundings,
    environment: &Environment,
    module: &Module,
) -> Section {
    let mut section = Section::new("providers");
    let used = module
        .resources
        .values()
        .map(|resource| module.provider_of(resource).0);
    let required = module
        .required_providers
        .keys()
        .map(|name| module.provider_addr(name));
    let addrs: BTreeSet<ProviderAddr> = used.chain(required).collect();
    // Without a cache of schemas, so that each has to start.
    let version = module.profile.version.to_string();
    let providers = Providers::new(provider::Config {
        environment: environment.clone(),
        cache_dir: None,
        terraform_version: version,
        approved: surroundings.approved.clone(),
        limit: Default::default(),
    });
    for addr in &addrs {
        if addr.is_builtin() {
            section.fine(format!("{addr} is part of planlens"));
            continue;
        }
        examine(&mut section, environment, module, addr);
        let config = ProviderConfigAddr {
            module: ModuleAddr::root(),
            provider: addr.clone(),
            alias: None,
        };
        match providers.provider(&config).schema().await {
            Ok(schema) => {
                let types = schema.resources.len();
                let protocol = providers.protocol(addr);
                let protocol =
                    protocol.map_or_else(String::new, |number| format!(", protocol {number}"));
                section.fine(format!("  starts{protocol}; {types} types of resources"));
            }
            // It was said where it was looked for.
            Err(error) if error.is_not_installed() => {}
            Err(error) => {
                section.problem(format!("  {error}"), "its log shows more with TF_LOG=debug")
            }
        }
    }
    providers.shutdown().await;
    if addrs.is_empty() {
        section.fine("none is required");
    }
    section
}

/// Where a provider is, before it starts.
fn examine(section: &mut Section, environment: &Environment, module: &Module, addr: &ProviderAddr) {
    let examined = provider::examine(environment, addr);
    let requirement = module
        .required_providers
        .iter()
        .find(|(name, _)| module.provider_addr(name) == *addr)
        .and_then(|(_, requirement)| requirement.version.clone());
    let required = requirement.map_or_else(|| "any version".to_owned(), |text| text.to_string());
    let locked = examined.locked.as_deref().unwrap_or("none");
    let text = format!("{addr}: required {required}, locked {locked}");
    match examined.installation {
        Ok(found) => {
            section.fine(text);
            section.fine(match found {
                Installation::Attached => "  a process of yours (TF_REATTACH_PROVIDERS)".to_owned(),
                Installation::Development { executable } => {
                    format!(
                        "  {} (dev_overrides, not verified)",
                        short(&executable, environment)
                    )
                }
                Installation::Package { executable, hash } => {
                    format!("  {}, verified: {hash}", short(&executable, environment))
                }
            });
        }
        Err(error) => {
            section.fine(text);
            section.problem(format!("  {error}"), INIT);
        }
    }
}

/// Relative to the root module, if it is in there.
fn short(path: &Path, environment: &Environment) -> String {
    let short = path.strip_prefix(&environment.root_module).unwrap_or(path);
    short.display().to_string()
}

fn cli_configuration(environment: &Environment) -> Section {
    let mut section = Section::new("CLI configuration");
    let found = provider::cli_configuration(environment);
    for path in &found.files {
        section.fine(path.display().to_string());
    }
    if found.files.is_empty() {
        section.fine("there is none");
    }
    for problem in found.problems {
        // Terraform goes on without it, and so does planlens.
        section.fine(format!("{problem}; it is passed over"));
    }
    section
}

/// The variables whose values are shown; of the others that matter only the names are.
const SHOWN: &[&str] = &[
    "PLANLENS_LANGUAGE",
    "PLANLENS_CACHE_DIR",
    "PLANLENS_STATE_DIR",
    "TF_CLI_CONFIG_FILE",
    "TF_DATA_DIR",
    "TF_PLUGIN_CACHE_DIR",
    "TF_WORKSPACE",
];

const NAMED: &[&str] = &[
    "AWS_",
    "ARM_",
    "AZURE_",
    "CLOUDSDK_",
    "DIGITALOCEAN_",
    "GITHUB_",
    "GITLAB_",
    "GOOGLE_",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "KUBE",
    "NO_PROXY",
    "OCI_",
    "TF_",
    "TOFU_",
    "VAULT_",
];

fn variables(variables: &Variables) -> Section {
    let mut section = Section::new("environment");
    for (name, value) in variables.iter() {
        let (name, value) = (name.to_string_lossy(), value.to_string_lossy());
        if SHOWN.contains(&name.as_ref()) {
            section.fine(format!("{name}={value}"));
        } else if NAMED.iter().any(|prefix| name.starts_with(prefix)) {
            section.fine(format!("{name} is set"));
        }
    }
    if section.lines.is_empty() {
        section.fine("nothing that planning depends on is set");
    }
    section
}
