//! Where a provider's executable is, and whether it is the one that the lock file selected.

mod archive;
mod cli_config;
mod environment;
mod hosts;
mod identity;
mod lock_check;
mod lock_file;
mod package_hash;
mod reader;
mod reattach;

pub use environment::Environment;
pub(crate) use hosts::{Host, Hosts};
pub(crate) use identity::{Executable, PackageIdentity};
pub(crate) use lock_check::faults as lock_faults;
pub(crate) use package_hash::{file_digest, hex};
pub(crate) use reattach::Attached;

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use config::{ProviderAddr, Version};
use disk::{FolderEntry, Limit};

use crate::ProviderError;
pub(crate) use cli_config::{CliConfig, files as cli_configuration_files, matches};
use lock_file::{LOCK_FILE, Locked};

/// How a provider is reached.
#[derive(Debug, Clone)]
pub(crate) enum Origin {
    /// A process that the user started and named in `TF_REATTACH_PROVIDERS`.
    Attached(Attached),
    /// An executable that the user builds (`dev_overrides`). Nothing vouches for it but the user's own CLI configuration.
    Development {
        executable: PathBuf,
        /// Neither the folder of the executable nor the CLI configuration is named relative to the root module, which
        /// could bring it.
        is_of_user: bool,
    },
    Package(Package),
}

/// An installed package, and its entry in the lock file.
#[derive(Debug, Clone)]
pub(crate) struct Package {
    pub dir: PathBuf,
    pub executable: PathBuf,
    pub hashes: Vec<String>,
    /// Where mirrors would have the archive that it was unpacked from.
    archives: Vec<PathBuf>,
    /// The user allows it although nothing vouches for it.
    is_allowed: bool,
}

/// Names packages, like `hashicorp/random example.com/acme/robot`, that may start although the lock file has no hash for
/// them that can be checked.
const ALLOWED_VARIABLE: &str = "PLANLENS_ALLOW_UNVERIFIED";

/// Finds `addr` in the order that Terraform looks: reattached, overridden, installed; then, for a root module that is
/// not initialized yet, the packages that an initialization would take from the plugin cache and from mirrors on this
/// machine, and those of the root modules beside it.
pub(crate) fn find(
    environment: &Environment,
    addr: &ProviderAddr,
) -> Result<Origin, ProviderError> {
    if let Some(attached) = reattach::attached(environment, addr) {
        return Ok(Origin::Attached(attached));
    }
    let cli_config = CliConfig::load(environment);
    if let Some(dev_override) = cli_config.dev_override(addr) {
        return match executable_in(&dev_override.dir, addr) {
            Some(executable) => Ok(Origin::Development {
                executable,
                is_of_user: dev_override.is_of_user,
            }),
            None => Err(not_installed(addr)),
        };
    }
    let locked = locked(environment, addr)?;
    let archives = archives(&cli_config, addr, &locked.version);
    let allowed = environment.variable(ALLOWED_VARIABLE).unwrap_or_default();
    let is_allowed = allowed
        .split_whitespace()
        .any(|it| it.parse().is_ok_and(|it: ProviderAddr| it == *addr));
    let package = package_folder(addr, &locked.version);
    package_dirs(environment, &cli_config, addr, &locked.version)
        .into_iter()
        .chain(beside(environment).map(|dir| dir.join(&package)))
        .find_map(|dir| {
            let executable = executable_in(&dir, addr)?;
            Some(Origin::Package(Package {
                dir,
                executable,
                hashes: locked.hashes.clone(),
                archives: archives.clone(),
                is_allowed,
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

impl Origin {
    /// Whether only the user's own configuration selects it.
    pub fn is_of_user(&self) -> bool {
        match self {
            Origin::Attached(_) => true,
            Origin::Development { is_of_user, .. } => *is_of_user,
            Origin::Package(_) => false,
        }
    }
}

impl Package {
    /// Hashes the package. Fails where the lock file neither lists the result nor an archive with the same content.
    pub fn verify(&self, addr: &ProviderAddr) -> Result<String, ProviderError> {
        let mismatch = |reason: String| ProviderError::LockMismatch {
            provider: addr.to_string(),
            package: self.dir.clone(),
            reason,
        };
        let hash = package_hash::package_hash(&self.dir)
            .map_err(|error| mismatch(format!("can't be read: {error}")))?;
        let archives = self.archives.iter();
        let mut listed = archives.filter_map(|it| archive::listed_package_hash(it, &self.hashes));
        let is_verifiable = self.hashes.iter().any(|hash| hash.starts_with("h1:"));
        let is_listed = self.hashes.contains(&hash) || listed.any(|listed| listed == hash);
        if is_listed || (!is_verifiable && self.is_allowed) {
            Ok(hash)
        } else if !is_verifiable {
            Err(mismatch(format!(
                "it lists no hash of an unpacked package (h1:), so the installed package can't be verified: run `init` \
                 to add the hash, or name the provider in {ALLOWED_VARIABLE}"
            )))
        } else {
            Err(mismatch(format!(
                "its hash {hash} is not listed; `init` installs the selected package again"
            )))
        }
    }
}

fn locked(environment: &Environment, addr: &ProviderAddr) -> Result<Locked, ProviderError> {
    let unreadable = |reason: String| ProviderError::LockUnreadable {
        provider: addr.to_string(),
        reason,
    };
    let path = environment.resolve(LOCK_FILE);
    let text = match disk::read_text(&path, Limit::DOCUMENT) {
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
    let implied = environment.terraform_dir().map(|dir| dir.join("plugins"));
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
        .map(|dir| dir.join(package_folder(addr, version)))
        .collect()
}

/// Where a package is in a folder with packages.
fn package_folder(addr: &ProviderAddr, version: &str) -> PathBuf {
    PathBuf::from(addr.to_string())
        .join(version)
        .join(platform())
}

/// Where the root modules beside this one install packages, the first of many.
fn beside(environment: &Environment) -> impl Iterator<Item = PathBuf> {
    const MOST: usize = 1_000;
    let above = environment.root_module.parent();
    // Only once nothing else has the package.
    let folders = std::iter::once_with(move || above.map(folders).unwrap_or_default());
    let folders = folders.flatten().take(MOST);
    folders.map(|(_, dir)| dir.join(".terraform").join("providers"))
}

/// Where mirrors may have the archive of `version`, in the packed layout.
fn archives(cli_config: &CliConfig, addr: &ProviderAddr, version: &str) -> Vec<PathBuf> {
    let address = addr.to_string();
    let name = address.rsplit('/').next().unwrap_or_default();
    let file = format!("terraform-provider-{name}_{version}_{}.zip", platform());
    let mirrors = cli_config.mirrors.iter();
    mirrors
        .filter(|mirror| mirror.offers(addr))
        .map(|mirror| mirror.path.join(&address).join(&file))
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
    let entries = disk::list(dir).unwrap_or_default().into_iter();
    let folders = entries.filter(FolderEntry::is_folder);
    folders
        .map(|entry| (entry.name.to_string_lossy().into_owned(), entry.path))
        .collect()
}

/// A package has one file whose name begins with the provider's.
fn executable_in(dir: &Path, addr: &ProviderAddr) -> Option<PathBuf> {
    let address = addr.to_string();
    let prefix = format!("terraform-provider-{}", address.rsplit('/').next()?);
    let mut candidates: Vec<PathBuf> = disk::list(dir)
        .ok()?
        .into_iter()
        .map(|entry| entry.path)
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
    use std::fs;

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
            variables: [("TF_PLUGIN_CACHE_DIR", cache)].into(),
        };
        let robot = ProviderAddr::new("example.com", "acme", "robot");
        let expected = BTreeMap::from([(robot, vec!["1.10.0".to_owned(), "1.9.0".to_owned()])]);
        assert_eq!(packages(&environment), expected);
    }

    #[test]
    fn a_locked_package_is_found_in_a_root_module_beside() {
        let dir = tempfile::tempdir().unwrap();
        let robot = ProviderAddr::new("example.com", "acme", "robot");
        let package = package_folder(&robot, "1.0.0");
        let package = dir.path().join("live/.terraform/providers").join(package);
        fs::create_dir_all(&package).unwrap();
        fs::write(package.join("terraform-provider-robot"), "program").unwrap();
        let found = |version: &str| {
            let lock = format!("provider \"{robot}\" {{\n  version = \"{version}\"\n}}\n");
            fs::create_dir_all(dir.path().join("test")).unwrap();
            fs::write(dir.path().join("test").join(LOCK_FILE), lock).unwrap();
            let environment = Environment {
                root_module: dir.path().join("test"),
                variables: Default::default(),
            };
            find(&environment, &robot)
        };
        assert!(matches!(found("1.0.0"), Ok(Origin::Package(it)) if it.dir == package));
        assert!(matches!(
            found("1.0.1"),
            Err(ProviderError::NotInstalled { .. })
        ));
    }

    #[test]
    fn a_package_is_verified_by_the_archive_that_it_was_unpacked_from() {
        let dir = tempfile::tempdir().unwrap();
        let addr = ProviderAddr::new("example.com", "acme", "robot");
        let write = |path: &str, content: &[u8]| {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        };
        let package = format!(".terraform/providers/{addr}/1.0.0/{}", platform());
        let program = format!("{package}/terraform-provider-robot");
        write(&program, b"program");
        let archive = archive::tests::archive(&[("terraform-provider-robot", b"program")]);
        let zip = format!(
            "mirror/{addr}/terraform-provider-robot_1.0.0_{}.zip",
            platform()
        );
        write(&zip, &archive);
        let zh = hex(&file_digest(&dir.path().join(&zip)).unwrap());
        let lock =
            format!("provider \"{addr}\" {{\n version = \"1.0.0\"\n hashes = [\"zh:{zh}\"]\n}}\n");
        write(LOCK_FILE, lock.as_bytes());
        let mirror = b"provider_installation { filesystem_mirror { path = \"mirror\" } }";
        write("terraformrc", mirror);
        let verified = |variables: &[(&str, &str)]| {
            let variables = variables
                .iter()
                .chain(&[("TF_CLI_CONFIG_FILE", "terraformrc")]);
            let environment = Environment {
                root_module: dir.path().to_owned(),
                variables: variables.copied().collect(),
            };
            match find(&environment, &addr).unwrap() {
                Origin::Package(package) => package.verify(&addr),
                other => panic!("{other:?}"),
            }
        };
        verified(&[]).unwrap();
        write(&program, b"another program");
        let error = verified(&[]).unwrap_err().to_string();
        assert!(error.contains("run `init`"), "{error}");
        // Who may start it says so for this provider.
        verified(&[(ALLOWED_VARIABLE, "acme/other")]).unwrap_err();
        verified(&[(ALLOWED_VARIABLE, "acme/other example.com/acme/robot")]).unwrap();
        // Not where there is a hash that could be checked.
        write(LOCK_FILE, lock.replace("zh:", "h1:").as_bytes());
        let error = verified(&[(ALLOWED_VARIABLE, "example.com/acme/robot")]).unwrap_err();
        assert!(error.to_string().contains("`init` installs"), "{error}");
    }
}
