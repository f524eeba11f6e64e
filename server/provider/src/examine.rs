//! A root module's providers before any of them starts: for people who look for a mistake.

use std::path::{Path, PathBuf};

use config::ProviderAddr;

use crate::ProviderError;
use crate::find::{self, Environment, Origin, cli_configuration_files};

/// Where a provider comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Installation {
    /// A process that the user started (`TF_REATTACH_PROVIDERS`).
    Attached,
    /// An executable that the user builds (`dev_overrides`).
    Development { executable: PathBuf },
    /// A package, whose hash the lock file lists.
    Package { executable: PathBuf, hash: String },
}

/// A provider before it starts.
#[derive(Debug, Clone)]
pub struct Examined {
    /// The version that the lock file selects.
    pub locked: Option<String>,
    pub installation: Result<Installation, ProviderError>,
}

/// Finds and verifies a provider, as it is done before its start. Reads the whole package.
pub fn examine(environment: &Environment, addr: &ProviderAddr) -> Examined {
    let installation = find::find(environment, addr).and_then(|origin| match origin {
        Origin::Attached(_) => Ok(Installation::Attached),
        Origin::Development { executable, .. } => Ok(Installation::Development { executable }),
        Origin::Package(package) => Ok(Installation::Package {
            hash: package.verify(addr)?,
            executable: package.executable,
        }),
    });
    Examined {
        locked: find::locked_version(environment, addr),
        installation,
    }
}

/// The files of the CLI configuration that are read, and the missing files that they name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CliConfiguration {
    pub files: Vec<PathBuf>,
    /// In words, each with the path that it is about.
    pub problems: Vec<String>,
}

pub fn cli_configuration(environment: &Environment) -> CliConfiguration {
    let files = cli_configuration_files(environment);
    let config = find::CliConfig::load(environment);
    let missing = |what: &str, path: &Path| {
        (!path.exists()).then(|| format!("{what} {} does not exist", path.display()))
    };
    let of_files = files.iter().filter_map(|path| missing("the file", path));
    let of_cache = config.plugin_cache_dir.iter();
    let of_cache = of_cache.filter_map(|path| missing("plugin_cache_dir", path));
    let mirrors = config.mirrors.iter();
    let of_mirrors = mirrors.filter_map(|mirror| missing("the mirror", &mirror.path));
    let overrides = config.dev_overrides.iter();
    let of_overrides =
        overrides.filter_map(|it| missing(&format!("the folder of {}", it.written), &it.dir));
    let problems = of_files
        .chain(of_cache)
        .chain(of_mirrors)
        .chain(of_overrides)
        .collect();
    CliConfiguration { files, problems }
}
