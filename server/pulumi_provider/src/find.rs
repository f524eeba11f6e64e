//! Where plugins are installed, in the order of Pulumi's engine.

use std::path::{Path, PathBuf};

use process::{Variables, is_executable};
use pulumi::ask::Package;

/// The inputs for starting plugins.
#[derive(Clone, Debug)]
pub struct Environment {
    pub variables: Variables,
    /// Of the project.
    pub dir: PathBuf,
    /// Plugins that the project names itself: the package, its version and the folder.
    pub named: Vec<(String, Option<String>, PathBuf)>,
}

/// A plugin is not installed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("its plugin is not installed; `pulumi plugin install resource {package}` installs it")]
pub struct Missing {
    pub package: String,
}

/// How a plugin is reached.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum PluginLocation {
    Executable(PathBuf),
    /// Somebody else started it; it serves at this port.
    Running(u16),
}

impl Environment {
    /// Where a plugin is, for a person to read.
    pub fn place(&self, package: &Package) -> Result<String, Missing> {
        Ok(match self.find(package)? {
            PluginLocation::Executable(path) => path.display().to_string(),
            PluginLocation::Running(port) => format!("running already, at port {port}"),
        })
    }

    pub(crate) fn find(&self, package: &Package) -> Result<PluginLocation, Missing> {
        let (name, version) = package.plugin();
        if let Some(port) = self.running(name) {
            return Ok(PluginLocation::Running(port));
        }
        let binary = format!("pulumi-resource-{name}{}", std::env::consts::EXE_SUFFIX);
        let named = self.named.iter().filter(|(of, named, _)| {
            let named = named.as_deref();
            of == name && (named.is_none() || version.is_none() || named == version)
        });
        let named = named.map(|(.., path)| match path.is_dir() {
            true => path.join(&binary),
            false => path.clone(),
        });
        let found = named
            .chain(self.on_path(&binary))
            .chain(self.in_cache(name, version, &binary));
        let mut found = found;
        let found = found.find(|path| {
            path.metadata()
                .is_ok_and(|it| it.is_file() && is_executable(&it))
        });
        found
            .map(PluginLocation::Executable)
            .ok_or_else(|| Missing {
                package: name.to_owned(),
            })
    }

    /// As `PULUMI_DEBUG_PROVIDERS=NAME:PORT,..` says.
    fn running(&self, name: &str) -> Option<u16> {
        let all = self.variables.text("PULUMI_DEBUG_PROVIDERS")?;
        let mut pairs = all.split(',').filter_map(|it| it.trim().split_once(':'));
        let (_, port) = pairs.find(|(of, _)| of == &name)?;
        port.trim().parse().ok()
    }

    fn on_path(&self, binary: &str) -> Vec<PathBuf> {
        let is_ignored = self.variables.text("PULUMI_IGNORE_AMBIENT_PLUGINS");
        if is_ignored.is_some_and(|it| it == "true" || it == "1") {
            return Vec::new();
        }
        let path = self.variables.get("PATH").unwrap_or_default();
        std::env::split_paths(path)
            .filter(|dir| dir.is_absolute())
            .map(|dir| dir.join(binary))
            .collect()
    }

    /// In the user's cache: the version that is wanted, or else the newest.
    fn in_cache(&self, name: &str, version: Option<&str>, binary: &str) -> Vec<PathBuf> {
        let Some(home) = self.home() else {
            return Vec::new();
        };
        let plugins = home.join("plugins");
        let prefix = format!("resource-{name}-v");
        let folder = |version: &str| plugins.join(format!("{prefix}{version}")).join(binary);
        if let Some(version) = version {
            return vec![folder(version)];
        }
        let entries = disk::list(&plugins).unwrap_or_default();
        let names = entries.iter().filter_map(|it| it.name.to_str());
        let complete = |name: &&str| !plugins.join(format!("{name}.partial")).exists();
        let versions = names
            .filter(complete)
            .filter_map(|it| it.strip_prefix(&prefix));
        let mut versions: Vec<&str> = versions.collect();
        versions.sort_by_key(|it| std::cmp::Reverse(order(it)));
        versions.into_iter().map(folder).collect()
    }

    /// The packages whose plugins are installed.
    pub fn installed(&self) -> Vec<String> {
        const PREFIX: &str = "pulumi-resource-";
        let path = self.variables.get("PATH").unwrap_or_default();
        let names = |dir: &Path| {
            let entries = disk::list(dir).unwrap_or_default().into_iter();
            entries.filter_map(|it| it.name.into_string().ok())
        };
        let on_path = std::env::split_paths(path).flat_map(|dir| names(&dir).collect::<Vec<_>>());
        let on_path = on_path.filter_map(|name| Some(name.strip_prefix(PREFIX)?.to_owned()));
        let cached = self.home().map(|home| home.join("plugins"));
        let cached = cached.iter().flat_map(|dir| names(dir));
        let cached = cached.filter_map(|name| {
            let (package, _) = name.strip_prefix("resource-")?.rsplit_once("-v")?;
            Some(package.to_owned())
        });
        let named = self.named.iter().map(|(name, ..)| name.clone());
        let mut found: Vec<String> = named.chain(on_path).chain(cached).collect();
        found.sort();
        found.dedup();
        found
    }

    /// `PULUMI_HOME`, or `.pulumi` in the user's folder.
    pub fn home(&self) -> Option<PathBuf> {
        let named = self.variables.path("PULUMI_HOME").map(Path::to_owned);
        named.or_else(|| Some(self.variables.home()?.join(".pulumi")))
    }
}

/// Releases come behind their candidates, and before the next number.
fn order(version: &str) -> (Vec<u64>, bool, String) {
    let (numbers, candidate) = match version.split_once('-') {
        Some((numbers, candidate)) => (numbers, candidate),
        None => (version, ""),
    };
    let parts = numbers.split('.').map(|it| it.parse().unwrap_or_default());
    (parts.collect(), candidate.is_empty(), candidate.to_owned())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn install(path: &Path) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "#!/bin/sh\n").unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn package(version: Option<&str>) -> Package {
        Package::new("lens", version.map(str::to_owned))
    }

    #[test]
    fn plugins_are_found_in_the_order_of_the_engine() {
        let dir = tempfile::tempdir().unwrap();
        let cached = |version: &str| {
            let folder = format!("home/plugins/resource-lens-v{version}");
            dir.path().join(folder).join("pulumi-resource-lens")
        };
        for version in ["1.2.0", "1.10.0", "1.11.0-beta", "2.0.0"] {
            install(&cached(version));
        }
        fs::write(
            dir.path().join("home/plugins/resource-lens-v2.0.0.partial"),
            "",
        )
        .unwrap();
        let mut environment = Environment {
            variables: Variables::from([
                ("PULUMI_HOME", dir.path().join("home").into_os_string()),
                ("PATH", dir.path().join("bin").into_os_string()),
            ]),
            dir: dir.path().to_owned(),
            named: Vec::new(),
        };
        let found = |environment: &Environment, version| environment.find(&package(version));
        assert_eq!(
            found(&environment, None),
            Ok(PluginLocation::Executable(cached("1.11.0-beta")))
        );
        assert_eq!(
            found(&environment, Some("1.2.0")),
            Ok(PluginLocation::Executable(cached("1.2.0")))
        );
        assert!(found(&environment, Some("1.3.0")).is_err());
        let on_path = dir.path().join("bin/pulumi-resource-lens");
        install(&on_path);
        assert_eq!(
            found(&environment, Some("1.2.0")),
            Ok(PluginLocation::Executable(on_path))
        );
        environment
            .variables
            .insert("PULUMI_IGNORE_AMBIENT_PLUGINS", "true");
        assert_eq!(
            found(&environment, Some("1.2.0")),
            Ok(PluginLocation::Executable(cached("1.2.0")))
        );
        let named = dir.path().join("here/pulumi-resource-lens");
        install(&named);
        environment.named = vec![("lens".to_owned(), None, dir.path().join("here"))];
        assert_eq!(
            found(&environment, None),
            Ok(PluginLocation::Executable(named))
        );
        environment
            .variables
            .insert("PULUMI_DEBUG_PROVIDERS", "aws:1, lens:234");
        assert_eq!(found(&environment, None), Ok(PluginLocation::Running(234)));
    }
}
