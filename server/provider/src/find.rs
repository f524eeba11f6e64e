//! Where a provider's executable is, and whether it is the one that the lock file selected.

mod cli_config;
mod environment;
mod lock_file;
mod package_hash;
mod reader;
mod reattach;

pub use environment::Environment;
pub(crate) use package_hash::{file_digest, hex};
pub(crate) use reattach::Attached;

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use config::{ProviderAddr, Version};

use crate::ProviderError;
pub(crate) use cli_config::{CliConfig, files as cli_configuration_files};
use lock_file::{LOCK_FILE, Locked};

/// How a provider is reached.
#[derive(Debug, Clone)]
pub(crate) enum Origin {
    /// A process that the user started and named in `TF_REATTACH_PROVIDERS`.
    Attached(Attached),
    /// An executable that the user builds (`dev_overrides`). Nothing vouches for it but the user's own CLI configuration.
    Development {
        executable: PathBuf,
    },
    Package(Package),
}

/// An installed package, and what the lock file says of it.
#[derive(Debug, Clone)]
pub(crate) struct Package {
    pub dir: PathBuf,
    pub executable: PathBuf,
    pub hashes: Vec<String>,
}

/// Finds `addr` in the order that Terraform looks: reattached, overridden, installed; then, for a root module that is
/// not initialized yet, what an initialization would take from the plugin cache and from mirrors on this machine.
pub(crate) fn find(
    environment: &Environment,
    addr: &ProviderAddr,
) -> Result<Origin, ProviderError> {
    if let Some(attached) = reattach::attached(environment, addr) {
        return Ok(Origin::Attached(attached));
    }
    let cli_config = CliConfig::load(environment);
    if let Some(dir) = cli_config.dev_override(addr) {
        return match executable_in(dir, addr) {
            Some(executable) => Ok(Origin::Development { executable }),
            None => Err(not_installed(addr)),
        };
    }
    let locked = locked(environment, addr)?;
    package_dirs(environment, &cli_config, addr, &locked.version)
        .into_iter()
        .find_map(|dir| {
            let executable = executable_in(&dir, addr)?;
            Some(Origin::Package(Package {
                dir,
                executable,
                hashes: locked.hashes.clone(),
            }))
        })
        .ok_or_else(|| not_installed(addr))
}

/// The version that the lock file selects.
pub(crate) fn locked_version(environment: &Environment, addr: &ProviderAddr) -> Option<String> {
    locked(environment, addr).ok().map(|locked| locked.version)
}

/// The hashes that schemas of `addr` may be cached under, without a look at the package itself. None where another
/// program takes the place of the package.
pub(crate) fn locked_hashes(environment: &Environment, addr: &ProviderAddr) -> Vec<String> {
    if reattach::attached(environment, addr).is_some()
        || CliConfig::load(environment).dev_override(addr).is_some()
    {
        return Vec::new();
    }
    locked(environment, addr)
        .map(|locked| locked.hashes)
        .unwrap_or_default()
}

impl Package {
    /// Hashes the package. Fails where the lock file doesn't list the result.
    pub fn verify(&self, addr: &ProviderAddr) -> Result<String, ProviderError> {
        let mismatch = |reason: String| ProviderError::LockMismatch {
            provider: addr.to_string(),
            package: self.dir.clone(),
            reason,
        };
        let hash = package_hash::package_hash(&self.dir)
            .map_err(|error| mismatch(format!("can't be read: {error}")))?;
        if self.hashes.contains(&hash) {
            Ok(hash)
        } else if !self.hashes.iter().any(|hash| hash.starts_with("h1:")) {
            Err(mismatch(
                "it lists no hash of an unpacked package (h1:), so what is installed can't be verified; `init` adds it"
                    .to_owned(),
            ))
        } else {
            Err(mismatch(format!("its hash {hash} is not listed")))
        }
    }
}

fn locked(environment: &Environment, addr: &ProviderAddr) -> Result<Locked, ProviderError> {
    let unreadable = |reason: String| ProviderError::LockUnreadable {
        provider: addr.to_string(),
        reason,
    };
    let text = match fs::read_to_string(environment.resolve(LOCK_FILE)) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Err(not_installed(addr)),
        Err(error) => return Err(unreadable(error.to_string())),
    };
    let mut lock = lock_file::parse(&text).map_err(unreadable)?;
    lock.providers
        .remove(&addr.to_string())
        .ok_or_else(|| not_installed(addr))
}

/// The folders with packages, of `addr` or of any provider, best first.
fn installed_from(
    environment: &Environment,
    cli_config: &CliConfig,
    addr: Option<&ProviderAddr>,
) -> Vec<PathBuf> {
    let mirrors = cli_config.mirrors.iter();
    let mirrors = mirrors.filter(|mirror| addr.is_none_or(|addr| mirror.offers(addr)));
    let implied = environment
        .home()
        .map(|home| home.join(".terraform.d/plugins"));
    [environment.data_dir().join("providers")]
        .into_iter()
        .chain(cli_config.plugin_cache_dir.clone())
        .chain(mirrors.map(|mirror| mirror.path.clone()))
        .chain(implied)
        .collect()
}

/// The folders that may hold the package of `version`, best first.
fn package_dirs(
    environment: &Environment,
    cli_config: &CliConfig,
    addr: &ProviderAddr,
    version: &str,
) -> Vec<PathBuf> {
    installed_from(environment, cli_config, Some(addr))
        .into_iter()
        .map(|dir| dir.join(addr.to_string()).join(version).join(platform()))
        .collect()
}

/// The versions of all packages for this machine in the folders that providers are installed from, newest first.
pub fn packages(environment: &Environment) -> BTreeMap<ProviderAddr, Vec<String>> {
    let cli_config = CliConfig::load(environment);
    let mut found: BTreeMap<ProviderAddr, Vec<String>> = BTreeMap::new();
    for dir in installed_from(environment, &cli_config, None) {
        for (host, dir) in folders(&dir) {
            for (namespace, dir) in folders(&dir) {
                for (r#type, dir) in folders(&dir) {
                    let addr = ProviderAddr::new(&host, &namespace, &r#type);
                    let versions = folders(&dir).into_iter();
                    let here = versions.filter(|(_, dir)| dir.join(platform()).is_dir());
                    let known = found.entry(addr).or_default();
                    known.extend(here.map(|(version, _)| version));
                }
            }
        }
    }
    found.retain(|_, versions| {
        versions.sort_by_key(|version| std::cmp::Reverse(Version::parse(version)));
        versions.dedup();
        !versions.is_empty()
    });
    found
}

fn folders(dir: &Path) -> Vec<(String, PathBuf)> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let named = entries.map(|entry| {
        (
            entry.file_name().to_string_lossy().into_owned(),
            entry.path(),
        )
    });
    named.filter(|(_, path)| path.is_dir()).collect()
}

/// A package has one file whose name begins with the provider's.
fn executable_in(dir: &Path, addr: &ProviderAddr) -> Option<PathBuf> {
    let address = addr.to_string();
    let prefix = format!("terraform-provider-{}", address.rsplit('/').next()?);
    let mut candidates: Vec<PathBuf> = fs::read_dir(dir)
        .ok()?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| {
            let name = path
                .file_name()
                .and_then(|name| name.to_str())
                .unwrap_or_default();
            let rest = name.strip_prefix(&prefix);
            rest.is_some_and(|rest| rest.is_empty() || rest == ".exe" || rest.starts_with('_'))
                && path.is_file()
        })
        .collect();
    candidates.sort();
    candidates.into_iter().next()
}

/// This machine, as packages name it.
fn platform() -> String {
    let os = match std::env::consts::OS {
        "macos" => "darwin",
        os => os,
    };
    let arch = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "x86" => "386",
        "aarch64" => "arm64",
        arch => arch,
    };
    format!("{os}_{arch}")
}

fn not_installed(addr: &ProviderAddr) -> ProviderError {
    ProviderError::NotInstalled {
        provider: addr.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_for_this_machine_are_listed_with_the_newest_first() {
        let dir = tempfile::tempdir().unwrap();
        let package = |folder: &str, version: &str, platform: &str| {
            let address = "example.com/acme/robot";
            let path = dir
                .path()
                .join(folder)
                .join(address)
                .join(version)
                .join(platform);
            fs::create_dir_all(path).unwrap();
        };
        package(".terraform/providers", "1.9.0", &platform());
        package("cache", "1.10.0", &platform());
        package("cache", "1.9.0", &platform());
        package("cache", "3.0.0", "plan9_68000");
        let cache = dir.path().join("cache").to_string_lossy().into_owned();
        let environment = Environment {
            root_module: dir.path().to_owned(),
            variables: BTreeMap::from([("TF_PLUGIN_CACHE_DIR".to_owned(), cache)]),
        };
        let robot = ProviderAddr::new("example.com", "acme", "robot");
        let expected = BTreeMap::from([(robot, vec!["1.10.0".to_owned(), "1.9.0".to_owned()])]);
        assert_eq!(packages(&environment), expected);
    }
}
