//! The texts before a change, asked from `git`, which writes nothing for that.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use process::{Limits, Printed};

const LIMITS: Limits = Limits {
    within: Duration::from_secs(60),
    output: 64 << 20,
};

/// The base of a change.
pub(super) struct Base {
    /// The revision as given on the command line.
    pub name: String,
    /// The files that the change adds, changes or deletes, with their texts before: `None` where there were none.
    pub files: BTreeMap<PathBuf, Option<String>>,
}

impl Base {
    /// The revision that the change to the files of now started from: where the history of `name` and of now part.
    pub(super) fn of(name: &str, cwd: &Path) -> anyhow::Result<Base> {
        ensure!(
            !name.starts_with('-'),
            "-diff takes a revision of git, not {name:?}"
        );
        let top = asked(cwd, &["rev-parse", "--show-toplevel"])
            .context("-diff needs a git repository")?;
        let top = PathBuf::from(top.trim_end_matches('\n'));
        let top = top.canonicalize().context("finding the repository")?;
        let revision = match asked(cwd, &["merge-base", name, "HEAD"]) {
            Ok(parted) => parted,
            // A history that shares nothing.
            Err(_) => {
                asked(cwd, &["rev-parse", "--verify", "--end-of-options", name]).map_err(|_| {
                    anyhow::anyhow!(
                        "git has no revision {name:?} here; a shallow clone may lack it"
                    )
                })?
            }
        };
        let revision = revision.trim();
        let changed = asked(
            &top,
            &["diff", "--name-only", "--no-renames", "-z", revision],
        )?;
        let new = asked(&top, &["ls-files", "--others", "--exclude-standard", "-z"])?;
        let mut files = BTreeMap::new();
        for path in changed
            .split('\0')
            .chain(new.split('\0'))
            .filter(|it| !it.is_empty())
        {
            let object = format!("{revision}:{path}");
            let text = run(&top, &["cat-file", "blob", &object])?;
            files.insert(top.join(path), text.is_success.then_some(text.output));
        }
        Ok(Base {
            name: name.to_owned(),
            files,
        })
    }
}

fn asked(dir: &Path, arguments: &[&str]) -> anyhow::Result<String> {
    let printed = run(dir, arguments)?;
    match printed.is_success {
        true => Ok(printed.output),
        false => bail!("git {}: {}", arguments[0], printed.errors.trim()),
    }
}

fn run(dir: &Path, arguments: &[&str]) -> anyhow::Result<Printed> {
    let mut command = Command::new("git");
    command.current_dir(dir).args(arguments);
    // Not even the index of the repository is written.
    command.env("GIT_OPTIONAL_LOCKS", "0");
    let printed = process::run(command, LIMITS);
    printed.map_err(|why| anyhow::anyhow!("git {}: {why}", arguments[0]))
}
