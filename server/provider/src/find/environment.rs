//! What of the outside decides where providers come from. It is passed in, never asked for here.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Where a root module is, and the variables of the environment it is worked on in.
#[derive(Debug, Clone)]
pub struct Environment {
    /// Absolute. Providers run in it: they read relative paths against it.
    pub root_module: PathBuf,
    /// Providers inherit them: many take their credentials from there.
    pub variables: BTreeMap<String, String>,
}

impl Environment {
    /// Empty values count as unset, as they do for Terraform.
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.variables
            .get(name)
            .map(String::as_str)
            .filter(|value| !value.is_empty())
    }

    /// Where `terraform init` puts what it installs.
    pub fn data_dir(&self) -> PathBuf {
        self.resolve(self.variable("TF_DATA_DIR").unwrap_or(".terraform"))
    }

    pub(crate) fn home(&self) -> Option<&Path> {
        self.variable("HOME")
            .or(self.variable("USERPROFILE"))
            .map(Path::new)
    }

    pub(crate) fn temporary_dir(&self) -> PathBuf {
        self.variable("TMPDIR")
            .map_or_else(|| PathBuf::from("/tmp"), PathBuf::from)
    }

    pub(crate) fn resolve(&self, path: impl AsRef<Path>) -> PathBuf {
        self.root_module.join(path)
    }
}
