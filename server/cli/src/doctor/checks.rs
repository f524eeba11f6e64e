//! The sections of `planlens doctor`, in the order of the page.

use std::collections::BTreeSet;
use std::path::Path;

use config::language_release::Constraint;
use config::{
    InstalledModule, Module, ModuleAddr, ModuleTree, ProviderAddr, ProviderConfigAddr,
    ResourceMode, Version,
};
use plan::{OpenFiles, Options, Root, Surroundings};
use process::Variables;
use provider::{Environment, Examined, Installation, ProviderError};
use state::{Location, StateUnavailable};
use text::counted;

use super::Section;
use super::attempt::{Attempt, attempt};

pub(super) const INIT: &str = "run `terraform init` (or `tofu init`) in this folder";

/// The inputs of the sections.
struct Looked<'a> {
    root: &'a Root,
    tree: &'a ModuleTree,
    environment: Environment,
    files: &'a OpenFiles,
}

/// Everything about the root module of these surroundings, with a plan of it.
pub(super) async fn all(surroundings: Surroundings, options: Options) -> Vec<Section> {
    let files = OpenFiles::default();
    let programs = state::programs(&surroundings.dir, &surroundings.variables);
    // Without a cache of schemas, so that each provider has to start.
    let mut root = Root::new(Surroundings {
        cache_dir: None,
        ..surroundings.clone()
    });
    let attempt = attempt(&mut root, &files, options).await;
    let looked = Looked {
        root: &root,
        tree: &root.tree().cloned().unwrap_or_default(),
        environment: Environment {
            root_module: surroundings.dir.clone(),
            variables: surroundings.variables.clone(),
        },
        files: &files,
    };
    let examined = looked.examined();
    let mut sections = vec![
        planlens(&surroundings),
        language(&root, &programs, &attempt),
        configuration(looked.tree.root(), &surroundings.dir.to_string_lossy()),
        looked.state(surroundings.cache_dir.as_deref()),
        looked.modules(),
        looked.providers(&examined).await,
        cli_configuration(&looked.environment),
        variables(&surroundings.variables),
    ];
    sections.extend(looked.uninitialized(&examined));
    if !looked.tree.root().files.is_empty() {
        let rest = attempt.section(&sections);
        sections.push(rest);
    }
    root.providers().shutdown().await;
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
        Some(dir) => format!(
            "keeps schemas in {}, which does not exist yet",
            dir.display()
        ),
        None => "keeps no schemas: no cache folder".to_owned(),
    });
    section
}

/// The titles of sections that have obstacles of a plan, too.
pub(super) const LANGUAGE: &str = "language";
pub(super) const STATE: &str = "workspace and state";
pub(super) const MODULES: &str = "modules";
pub(super) const PROVIDERS: &str = "providers";

fn language(root: &Root, programs: &[state::Program], attempt: &Attempt) -> Section {
    let mut section = Section::new(LANGUAGE);
    if let Some(choice) = root.choice() {
        section.fine(format!("planned as {}", choice.profile));
        section.fine(format!("because {}", choice.why()));
    }
    for program in programs {
        let path = program.path.display();
        match &program.profile {
            Ok(profile) => section.fine(format!("{path} is {profile}")),
            Err(why) => section.problem(format!("{path}: {why}"), "run it to see the error"),
        }
    }
    if programs.is_empty() {
        section.fine("neither terraform nor tofu is on the PATH");
    }
    for text in &attempt.unsupported {
        section.problem(
            text,
            "choose a release that is supported, or change the constraint",
        );
    }
    section
}

fn configuration(module: &Module, dir: &str) -> Section {
    let mut section = Section::new("configuration");
    section.fine(dir);
    let count = module.files.len();
    let modes = |mode| {
        let resources = module.resources.values();
        resources.filter(|it| it.addr.mode == mode).count()
    };
    match count {
        0 => section.problem(
            "this folder contains no configuration",
            "run the command in the folder of a root module, or name that folder",
        ),
        _ => section.fine(format!(
            "{}, {}, {}, {}",
            counted(count, "file"),
            counted(modes(ResourceMode::Managed), "resource"),
            counted(modes(ResourceMode::Data), "data source"),
            counted(module.module_calls.len(), "module call")
        )),
    }
    for (file, syntax) in &module.files {
        if syntax.errors().next().is_some() {
            let text = format!("{} can't be parsed", file.name());
            section.problem(
                text,
                "`planlens plan` shows where, with the same options and folder",
            );
        }
    }
    section
}

impl Looked<'_> {
    fn state(&self, cache_dir: Option<&Path>) -> Section {
        let mut section = Section::new(STATE);
        if let Some(given) = cache_dir.and_then(|it| host::noted(it, self.root.dir())) {
            section.fine(format!("the editor plans this folder with {given}"));
        }
        let Some(location) = self.root.state_location() else {
            return section;
        };
        section.fine(format!(
            "workspace {}",
            text::one_line(location.workspace())
        ));
        match location {
            Location::File { path, .. } => {
                section.fine(format!("backend local, in {}", text::one_line(path)))
            }
            Location::Backend { r#type, .. } => {
                let product = self.tree.root().profile.product.command();
                section.fine(format!("backend {type}, read by `{product} state pull`"));
            }
        }
        match (self.root.state(), location) {
            (None, _) => {}
            (Some(Err(why)), _) => {
                let text = match why {
                    StateUnavailable::Failed(error) => error.to_string(),
                    StateUnavailable::InBackend(_) => why.to_string(),
                };
                let hint = match location.uninitialized().is_some() || why.needs_init() {
                    true => INIT,
                    false => "until then, planlens does not know which objects exist",
                };
                section.problem(without_secrets(&text), hint);
            }
            (_, Location::File { path, .. }) if !Path::new(path).exists() => {
                section.fine("there is no state yet");
            }
            (Some(Ok(state)), _) if state.lineage.is_empty() => {
                section.fine("there is no state yet");
            }
            (Some(Ok(state)), _) => {
                section.fine(format!(
                    "lineage {}, serial {}",
                    state.lineage, state.serial
                ));
                section.fine(format!(
                    "{}, written by version {}",
                    counted(state.resources.len(), "resource"),
                    state.terraform_version
                ));
            }
        }
        section
    }

    /// The module calls of the root module.
    fn modules(&self) -> Section {
        let mut section = Section::new(MODULES);
        let dir = &self.environment.root_module;
        let manifest = self.manifest();
        let installed = |name: &str| {
            let found = manifest.iter().find(|it| it.key == *name)?;
            dir.join(&found.dir).is_dir().then(|| found.dir.clone())
        };
        let module = self.tree.root();
        for (name, call) in &module.module_calls {
            let source = call.source.as_deref().unwrap_or_default();
            let is_local = config::is_local(source);
            if is_local && dir.join(source).is_dir() {
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
            section.fine("no modules are called");
        }
        section
    }

    /// The modules that `init` has listed.
    fn manifest(&self) -> Vec<InstalledModule> {
        let dir = self.environment.root_module.to_string_lossy();
        let data_dir = self.environment.data_dir();
        config::installed_modules(self.files, &dir, &data_dir.to_string_lossy())
    }

    /// The providers of all modules and of the state, with where they are. Builtin ones are nowhere.
    fn examined(&self) -> Vec<(ProviderAddr, Option<Examined>)> {
        let modules = self.tree.iter().map(|(_, called)| &called.module);
        let addrs = modules.flat_map(|module| {
            let used = module.resources.values();
            let used = used.map(|resource| module.provider_of(resource).0);
            let required = module.required_providers.keys();
            used.chain(required.map(|name| module.provider_addr(name)))
        });
        let state = self.root.state().and_then(Result::ok);
        let stored = state.into_iter().flat_map(|state| state.resources.values());
        let stored = stored.map(|resource| resource.provider.provider.clone());
        let addrs: BTreeSet<ProviderAddr> = addrs.chain(stored).collect();
        let examine = |addr: ProviderAddr| {
            let is_plugin = !addr.is_builtin();
            let examined = is_plugin.then(|| provider::examine(&self.environment, &addr));
            (addr, examined)
        };
        addrs.into_iter().map(examine).collect()
    }

    async fn providers(&self, examined: &[(ProviderAddr, Option<Examined>)]) -> Section {
        let mut section = Section::new(PROVIDERS);
        let providers = self.root.providers();
        for (addr, examined) in examined {
            let Some(examined) = examined else {
                section.fine(format!("{addr} is built into planlens"));
                continue;
            };
            self.found(&mut section, addr, examined);
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
                    section.fine(format!("  starts{protocol}; {types} resource types"));
                }
                // It was said where it was looked for.
                Err(error) if error.is_not_installed() => {}
                Err(error) => {
                    section.problem(
                        format!("  {error}"),
                        "set TF_LOG=debug for a more detailed log",
                    );
                }
            }
        }
        if examined.is_empty() {
            section.fine("no providers are required");
        }
        section
    }

    /// Where a provider is, before it starts.
    fn found(&self, section: &mut Section, addr: &ProviderAddr, examined: &Examined) {
        let required = self.required(addr);
        let required = match required.is_empty() {
            true => "any version".to_owned(),
            false => required.join(", "),
        };
        let locked = examined.locked.as_deref().unwrap_or("none");
        section.fine(format!("{addr}: required {required}, locked {locked}"));
        match &examined.installation {
            Ok(found) => section.fine(match found {
                Installation::Attached => {
                    "  a process that is already running (TF_REATTACH_PROVIDERS)".to_owned()
                }
                Installation::Development { executable } => {
                    format!("  {} (dev_overrides, not verified)", self.short(executable))
                }
                Installation::Package { executable, hash } => {
                    format!("  {}, verified: {hash}", self.short(executable))
                }
            }),
            // The remedy stands behind it.
            Err(error @ ProviderError::NotInstalled { .. }) => {
                section.problem(format!("  {}", error.brief()), INIT);
            }
            Err(error) => section.problem(format!("  {error}"), INIT),
        }
    }

    /// The versions that modules require of a provider, as they are written.
    fn required(&self, addr: &ProviderAddr) -> Vec<String> {
        let modules = self.tree.iter().map(|(_, called)| &called.module);
        let required = modules.flat_map(|module| {
            let required = module.required_providers.iter();
            let of_it = required.filter(|(name, _)| module.provider_addr(name) == *addr);
            of_it.filter_map(|(_, required)| Some(required.version.as_ref()?.to_string()))
        });
        let required: BTreeSet<String> = required.collect();
        required.into_iter().collect()
    }

    /// The parts that are planned all the same, although Terraform would ask for `init`.
    fn uninitialized(&self, examined: &[(ProviderAddr, Option<Examined>)]) -> Option<Section> {
        let mut missing = Vec::new();
        for (addr, examined) in examined {
            if let Some(examined) = examined
                && let Ok(Installation::Package { executable, .. }) = &examined.installation
            {
                missing.extend(self.not_selected(addr, examined));
                let installed = self.environment.data_dir().join("providers");
                let [path, folder] = [executable, &installed].map(|it| self.short(it));
                if !executable.starts_with(&installed) {
                    missing.push(format!("{addr} is in {path}, not in {folder}"));
                }
            }
        }
        // Where `init` installed some, the plan reports the others.
        if self.manifest().is_empty() {
            let called = self.tree.iter().map(|(addr, _)| addr);
            let called = called.filter(|addr| !addr.is_root());
            missing.extend(called.map(|addr| format!("{addr} is not listed as installed")));
        }
        missing.extend(self.root.backend_to_initialize(self.files));
        let command = self.tree.root().profile.product.command();
        let mut section = Section::new("init");
        for text in missing {
            let text = format!("{command} would ask for `{command} init`: {text}");
            section.note(text, INIT);
        }
        (!section.lines.is_empty()).then_some(section)
    }

    /// Requirements of a module for a provider that the lock file does not select.
    fn not_selected(&self, addr: &ProviderAddr, examined: &Examined) -> Vec<String> {
        let locked = examined.locked.as_deref().unwrap_or_default();
        let Some(version) = Version::parse(locked) else {
            return Vec::new();
        };
        let mut required = self.required(addr);
        required.retain(|it| Constraint::parse(it).is_some_and(|it| !it.allows(version)));
        let required = required.into_iter();
        required
            .map(|required| format!("{addr} is required as {required}, and locked at {locked}"))
            .collect()
    }

    /// Relative to the root module, if it is in there.
    fn short(&self, path: &Path) -> String {
        let short = path.strip_prefix(&self.environment.root_module);
        short.unwrap_or(path).display().to_string()
    }
}

/// The words of other programs, without parts of an address that identify the user.
fn without_secrets(text: &str) -> String {
    let words = text.split(' ').map(|word| {
        let Some((scheme, rest)) = word.split_once("://") else {
            return word.to_owned();
        };
        let rest = rest
            .split_once('?')
            .map_or(rest.to_owned(), |(rest, _)| format!("{rest}?..."));
        let (host, path) = rest.split_once('/').unwrap_or((&rest, ""));
        let host = host.rsplit('@').next().unwrap_or(host);
        match path {
            "" => format!("{scheme}://{host}"),
            path => format!("{scheme}://{host}/{path}"),
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

fn cli_configuration(environment: &Environment) -> Section {
    let mut section = Section::new("CLI configuration");
    let found = provider::cli_configuration(environment);
    for path in &found.files {
        section.fine(path.display().to_string());
    }
    if found.files.is_empty() {
        section.fine("no file");
    }
    for problem in found.problems {
        // Terraform goes on without it, and so does planlens.
        section.fine(format!("{problem}; it is ignored"));
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
        section.fine("no variable that affects planning is set");
    }
    section
}
