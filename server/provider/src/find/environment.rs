//! What of the outside decides where providers come from. It is passed in, never asked for here.

use std::path::{Path, PathBuf};

use process::Variables;

/// Where a root module is, and the variables of the environment it is worked on in.
#[derive(Debug, Clone)]
pub struct Environment {
    /// Absolute. Providers run in it: they read relative paths against it.
    pub root_module: PathBuf,
    /// Providers inherit them: many take their credentials from there.
    pub variables: Variables,
}

impl Environment {
    /// Empty values count as unset, as they do for Terraform; those that are not UTF-8, too.
    pub fn variable(&self, name: &str) -> Option<&str> {
        let value = self.variables.text(name);
        value.filter(|value| !value.is_empty())
    }

    /// A value that is a path.
    fn path(&self, name: &str) -> Option<&Path> {
        let value = self.variables.get(name);
        value.filter(|value| !value.is_empty()).map(Path::new)
    }

    /// Where `terraform init` puts what it installs.
    pub fn data_dir(&self) -> PathBuf {
        self.resolve(self.path("TF_DATA_DIR").unwrap_or(Path::new(".terraform")))
    }

    pub(crate) fn home(&self) -> Option<&Path> {
        self.path("HOME").or(self.path("USERPROFILE"))
    }

    /// Fails for a relative path: planlens runs in another folder than providers do.
    pub(crate) fn temporary_dir(&self) -> Result<&Path, String> {
        let dir = self.path("TMPDIR").unwrap_or(Path::new("/tmp"));
        match dir.is_absolute() {
            true => Ok(dir),
            false => Err(format!("TMPDIR is not an absolute path: {}", dir.display())),
        }
    }

    pub(crate) fn resolve(&self, path: impl AsRef<Path>) -> PathBuf {
        self.root_module.join(path)
    }
}
