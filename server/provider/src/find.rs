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

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use config::ProviderAddr;

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

/// The hashes that schemas of `addr` may be cached under, without a look at the package itself.
pub(crate) fn locked_hashes(environment: &Environment, addr: &ProviderAddr) -> Vec<String> {
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
        } else {
            Err(mismatch(format!("its hash {hash} is not listed")))
        }
    }
}

fn locked(environment: &Environment, addr: &ProviderAddr) -> Result<Locked, ProviderError> {
    let text = match fs::read_to_string(environment.resolve(LOCK_FILE)) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Err(not_installed(addr)),
        Err(error) => {
            return Err(ProviderError::LockMismatch {
                provider: addr.to_string(),
                package: environment.resolve(LOCK_FILE),
                reason: format!("the lock file can't be read: {error}"),
            });
        }
    };
    let mut lock = lock_file::parse(&text);
    lock.providers
        .remove(&addr.to_string())
        .ok_or_else(|| not_installed(addr))
}

/// The folders that may hold the package of `version`, best first.
fn package_dirs(
    environment: &Environment,
    cli_config: &CliConfig,
    addr: &ProviderAddr,
    version: &str,
) -> Vec<PathBuf> {
    let mirrors = cli_config
        .mirrors
        .iter()
        .filter(|mirror| mirror.offers(addr));
    let implied = environment
        .home()
        .map(|home| home.join(".terraform.d/plugins"));
    [environment.data_dir().join("providers")]
        .into_iter()
        .chain(cli_config.plugin_cache_dir.clone())
        .chain(mirrors.map(|mirror| mirror.path.clone()))
        .chain(implied)
        .map(|dir| dir.join(addr.to_string()).join(version).join(platform()))
        .collect()
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
