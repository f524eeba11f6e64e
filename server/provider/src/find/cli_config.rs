//! The CLI configuration (`.terraformrc`): where providers are installed from, and which are being developed.

use std::path::{Path, PathBuf};

use config::ProviderAddr;
use disk::Limit;

use super::Environment;
use super::reader::{self, Body};

#[derive(Debug, Clone, Default)]
pub(crate) struct CliConfig {
    pub plugin_cache_dir: Option<PathBuf>,
    pub mirrors: Vec<Mirror>,
    pub dev_overrides: Vec<DevOverride>,
}

#[derive(Debug, Clone)]
pub(crate) struct DevOverride {
    /// The address as written.
    pub written: String,
    /// The folder that holds the executable.
    pub dir: PathBuf,
    /// Whether a root module has no say in it: neither this folder nor the file that names it is relative to one.
    pub is_of_user: bool,
}

#[derive(Debug, Clone)]
pub(crate) struct Mirror {
    pub path: PathBuf,
    /// Patterns like `registry.example.com/*/*`; none: all.
    include: Option<Vec<String>>,
    exclude: Vec<String>,
}

impl Mirror {
    pub fn offers(&self, addr: &ProviderAddr) -> bool {
        let any = |patterns: &[String]| patterns.iter().any(|pattern| matches(pattern, addr));
        self.include.as_deref().is_none_or(any) && !any(&self.exclude)
    }
}

impl CliConfig {
    pub fn load(environment: &Environment) -> CliConfig {
        let mut config = CliConfig::default();
        let is_of_user = is_of_user(environment);
        for text in files(environment)
            .iter()
            .filter_map(|path| disk::read_text(path, Limit::CONFIGURATION).ok())
        {
            config.add(&reader::read(&text), environment, is_of_user);
        }
        if let Some(dir) = environment.variable("TF_PLUGIN_CACHE_DIR") {
            config.plugin_cache_dir = Some(environment.resolve(dir));
        }
        config
    }

    pub fn dev_override(&self, addr: &ProviderAddr) -> Option<&DevOverride> {
        let mut overrides = self.dev_overrides.iter();
        overrides.find(|it| matches(&it.written, addr))
    }

    fn add(&mut self, body: &Body, environment: &Environment, is_of_user: bool) {
        if let Some(dir) = body.text("plugin_cache_dir") {
            self.plugin_cache_dir = Some(environment.resolve(expand(dir, environment)));
        }
        for installation in body.blocks("provider_installation") {
            for mirror in installation.body.blocks("filesystem_mirror") {
                let Some(path) = mirror.body.text("path") else {
                    continue;
                };
                self.mirrors.push(Mirror {
                    path: environment.resolve(path),
                    include: mirror.body.texts("include"),
                    exclude: mirror.body.texts("exclude").unwrap_or_default(),
                });
            }
            for overrides in installation.body.blocks("dev_overrides") {
                for address in overrides.body.arguments.keys() {
                    let Some(dir) = overrides.body.text(address) else {
                        continue;
                    };
                    self.dev_overrides.push(DevOverride {
                        written: address.clone(),
                        dir: environment.resolve(dir),
                        is_of_user: is_of_user && Path::new(dir).is_absolute(),
                    });
                }
            }
        }
    }
}

/// The file that the environment puts in the place of the user's.
fn named(environment: &Environment) -> Option<&str> {
    environment
        .variable("TF_CLI_CONFIG_FILE")
        .or(environment.variable("TERRAFORM_CONFIG"))
}

/// Whether the files lie where no root module can bring its own.
fn is_of_user(environment: &Environment) -> bool {
    let place = named(environment)
        .map(Path::new)
        .or(environment.users_dir());
    place.is_some_and(Path::is_absolute)
}

/// The files that are read, later ones winning.
pub(crate) fn files(environment: &Environment) -> Vec<PathBuf> {
    if let Some(path) = named(environment) {
        return vec![environment.resolve(path)];
    }
    let (Some(user), Some(more)) = (environment.users_dir(), environment.terraform_dir()) else {
        return Vec::new();
    };
    let names = match cfg!(windows) {
        true => ["terraform.rc", "tofu.rc"],
        false => [".terraformrc", ".tofurc"],
    };
    let mut files: Vec<PathBuf> = names
        .map(|name| user.join(name))
        .into_iter()
        .filter(|path| path.is_file())
        .take(1)
        .collect();
    let mut more: Vec<PathBuf> = disk::list(&more)
        .into_iter()
        .flatten()
        .map(|entry| entry.path)
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "tfrc")
        })
        .collect();
    more.sort();
    files.extend(more);
    files
}

/// Whether a pattern of two or three parts, each a name or `*`, covers an address.
pub(crate) fn matches(pattern: &str, addr: &ProviderAddr) -> bool {
    let full = addr.to_string();
    let parts: Vec<&str> = full.split('/').collect();
    let written: Vec<&str> = pattern.split('/').collect();
    let Some(host) = parts.first() else {
        return false;
    };
    let is_default_host = matches!(*host, "registry.terraform.io" | "registry.opentofu.org");
    let parts = if written.len() == 2 && is_default_host {
        &parts[1..]
    } else {
        &parts[..]
    };
    written.len() == parts.len()
        && written
            .iter()
            .zip(parts)
            .all(|(w, part)| *w == "*" || w.eq_ignore_ascii_case(part))
}

/// Replaces `$NAME` and `${NAME}` by the environment's variables.
fn expand(text: &str, environment: &Environment) -> String {
    let mut expanded = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        expanded.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let name = match rest
            .strip_prefix('{')
            .and_then(|braced| braced.split_once('}'))
        {
            Some((name, after)) => {
                rest = after;
                name
            }
            None => {
                let end = rest
                    .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                    .unwrap_or(rest.len());
                let (name, after) = rest.split_at(end);
                rest = after;
                name
            }
        };
        expanded.push_str(environment.variable(name).unwrap_or_default());
    }
    expanded + rest
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// The user's file and folder, and a path from the root, as the system has them.
    const FILE: &str = if cfg!(windows) {
        "terraform.rc"
    } else {
        ".terraformrc"
    };
    const FOLDER: &str = if cfg!(windows) {
        "terraform.d"
    } else {
        ".terraform.d"
    };
    const ABSOLUTE: &str = if cfg!(windows) { "C:/bin" } else { "/bin" };

    fn environment(home: &Path, variables: &[(&str, &str)]) -> Environment {
        let home = home.to_str().unwrap();
        let homes = [("HOME", home), ("APPDATA", home)];
        let variables = variables.iter().copied().chain(homes);
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
        Environment {
            root_module: PathBuf::from("/code/module"),
            variables: variables.collect(),
        }
    }

    #[test]
    fn the_users_files_are_read_unless_another_is_named() {
        let home = tempfile::tempdir().unwrap();
        fs::write(
            home.path().join(FILE),
            "plugin_cache_dir = \"$HOME/c/${X}\"",
        )
        .unwrap();
        fs::create_dir(home.path().join(FOLDER)).unwrap();
        let more =
            "provider_installation { filesystem_mirror { path = \"m\" exclude = [\"a/*\"] } }";
        fs::write(home.path().join(FOLDER).join("more.tfrc"), more).unwrap();
        let config = CliConfig::load(&environment(home.path(), &[("X", "x")]));
        assert_eq!(config.plugin_cache_dir, Some(home.path().join("c/x")));
        assert_eq!(config.mirrors[0].path, Path::new("/code/module/m"));
        assert!(config.mirrors[0].offers(&"b/c".parse().unwrap()));
        assert!(!config.mirrors[0].offers(&"a/c".parse().unwrap()));
        let none = environment(home.path(), &[("TF_CLI_CONFIG_FILE", "none")]);
        assert!(CliConfig::load(&none).mirrors.is_empty());
    }

    #[test]
    fn an_override_that_a_root_module_could_bring_is_not_the_users() {
        let folder = tempfile::tempdir().unwrap();
        let is_of_user = |file: &str, variable: &str, dir: &str| {
            let text =
                format!("provider_installation {{ dev_overrides {{ \"a/b\" = \"{dir}\" }} }}");
            fs::write(folder.path().join(file), text).unwrap();
            let variables = [("TF_CLI_CONFIG_FILE", variable)];
            let environment = Environment {
                root_module: folder.path().to_owned(),
                ..environment(folder.path(), &variables)
            };
            let config = CliConfig::load(&environment);
            let found = config.dev_override(&"a/b".parse().unwrap()).unwrap();
            found.is_of_user
        };
        let own = folder.path().join("own.tfrc");
        assert!(is_of_user("own.tfrc", own.to_str().unwrap(), ABSOLUTE));
        assert!(is_of_user(FILE, "", ABSOLUTE));
        assert!(!is_of_user("own.tfrc", own.to_str().unwrap(), "bin"));
        assert!(!is_of_user("brought.tfrc", "brought.tfrc", ABSOLUTE));
    }

    #[test]
    fn patterns_may_leave_out_the_default_host() {
        let random = ProviderAddr::implied("random");
        let own: ProviderAddr = "example.com/hashicorp/random".parse().unwrap();
        for (pattern, ours, theirs) in [
            ("hashicorp/random", true, false),
            ("*/*", true, false),
            ("*/*/*", true, true),
            ("example.com/*/*", false, true),
            ("registry.terraform.io/hashicorp/null", false, false),
            ("random", false, false),
        ] {
            assert_eq!(matches(pattern, &random), ours, "{pattern}");
            assert_eq!(matches(pattern, &own), theirs, "{pattern}");
        }
    }
}
