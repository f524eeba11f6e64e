//! The external inputs that decide where providers come from. They are passed in, never asked for here.

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

    /// The folder of `terraform init` for packages and modules.
    pub fn data_dir(&self) -> PathBuf {
        self.resolve(
            self.variables
                .path("TF_DATA_DIR")
                .unwrap_or(Path::new(".terraform")),
        )
    }

    /// Where the user's CLI configuration is.
    pub(crate) fn users_dir(&self) -> Option<&Path> {
        match cfg!(windows) {
            true => self.variables.path("APPDATA"),
            false => self.variables.home(),
        }
    }

    /// Where the user has more of it, and plugins.
    pub(crate) fn terraform_dir(&self) -> Option<PathBuf> {
        let name = match cfg!(windows) {
            true => "terraform.d",
            false => ".terraform.d",
        };
        Some(self.users_dir()?.join(name))
    }

    /// Fails for a relative path: planlens runs in another folder than providers do.
    pub(crate) fn temporary_dir(&self) -> Result<&Path, String> {
        let (dir, variable) = self.variables.temporary_dir();
        match dir.is_absolute() {
            true => Ok(dir),
            false => Err(format!(
                "{variable} is not an absolute path: {}",
                dir.display()
            )),
        }
    }

    pub(crate) fn resolve(&self, path: impl AsRef<Path>) -> PathBuf {
        self.root_module.join(path)
    }
}
