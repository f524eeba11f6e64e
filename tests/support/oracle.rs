//! The real programs that planlens is compared with.

use std::fs;
use std::path::{Path, PathBuf};

use super::{command, program};

/// A program of one version.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Oracle {
    Terraform111,
    Terraform115,
    Tofu112,
}

impl Oracle {
    pub const ALL: [Oracle; 3] = [Oracle::Terraform111, Oracle::Terraform115, Oracle::Tofu112];

    /// Its product and release: the name of the files with its recorded answers.
    pub fn name(self) -> &'static str {
        match self {
            Oracle::Terraform111 => "terraform-1.11",
            Oracle::Terraform115 => "terraform-1.15",
            Oracle::Tofu112 => "tofu-1.12",
        }
    }

    /// Whose plans are recorded in a workspace: those that the file `oracles` names.
    pub fn recorded_in(workspace: &Path) -> Vec<Oracle> {
        let Ok(names) = fs::read_to_string(workspace.join("oracles")) else {
            return vec![Oracle::Terraform111];
        };
        let named = |name| Oracle::ALL.into_iter().find(|it| it.name() == name);
        let named = names
            .lines()
            .map(|name| named(name).expect("an oracle of this name"));
        named.collect()
    }

    /// A recorded answer: `plan.json` or `plan.txt`.
    pub fn answer(self, workspace: &Path, file: &str) -> PathBuf {
        workspace.join(match self {
            Oracle::Terraform111 => file.to_owned(),
            Oracle::Terraform115 | Oracle::Tofu112 => format!("{}.{file}", self.name()),
        })
    }

    pub fn version(self) -> &'static str {
        match self {
            Oracle::Terraform111 => "1.11.4",
            Oracle::Terraform115 => "1.15.0",
            Oracle::Tofu112 => "1.12.6",
        }
    }

    /// Its language, as the `-language` option names it.
    pub fn language(self) -> String {
        let product = match self {
            Oracle::Terraform111 | Oracle::Terraform115 => "terraform",
            Oracle::Tofu112 => "opentofu",
        };
        format!("{product}@{}", self.version())
    }

    /// The executable: terraform 1.11.4 on the PATH, the others as `tests/oracles/build` makes them.
    pub fn program(self, cache: &Path) -> Option<PathBuf> {
        match self {
            Oracle::Terraform111 => {
                let terraform = program("terraform")?;
                let version = command(&terraform, cache).arg("version").output().ok()?;
                let version = String::from_utf8_lossy(&version.stdout).into_owned();
                version.contains("v1.11.4").then_some(terraform)
            }
            Oracle::Terraform115 | Oracle::Tofu112 => {
                let built = cache.join("oracles").join(self.name());
                built.is_file().then_some(built)
            }
        }
    }

    /// The folder with a lock file, a CLI configuration, and providers below the registry that its addresses mean.
    pub fn providers(self, cache: &Path) -> PathBuf {
        match self {
            Oracle::Terraform111 | Oracle::Terraform115 => cache.to_owned(),
            Oracle::Tofu112 => cache.join("opentofu"),
        }
    }
}
