//! Questions to `git`, which writes nothing for them, fetches nothing and starts no program that the repository configures.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, bail};
use process::{Limits, Printed};

const LIMITS: Limits = Limits {
    within: Duration::from_secs(60),
    output: 64 << 20,
};

/// Programs that a repository can configure, and bare repositories among the files of another one.
const SAFE: [&str; 6] = [
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "safe.bareRepository=explicit",
];

const ENVIRONMENT: [(&str, &str); 4] = [
    // Not even the index of the repository is written.
    ("GIT_OPTIONAL_LOCKS", "0"),
    // Objects that are missing are not fetched: only newer releases know the first.
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_ALLOW_PROTOCOL", ""),
    (NOTHING, ""),
];

/// A variable with an empty value, for `--config-env`.
const NOTHING: &str = "PLANLENS_NOTHING";

/// Variables that name one repository. A hook of git has them.
const OF_ONE_REPOSITORY: [&str; 8] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_PREFIX",
    "GIT_NAMESPACE",
];

/// A repository with a work tree.
pub(super) struct Repository {
    pub top: PathBuf,
    is_submodule: bool,
    /// Options that leave its filters out.
    without_filters: Vec<OsString>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum EntryKind {
    File,
    Link,
    Submodule,
}

/// An entry of a tree or of the index. Of a submodule, the object is its commit.
pub(super) struct GitEntry {
    pub path: PathBuf,
    pub kind: EntryKind,
    pub object: String,
}

impl Repository {
    pub(super) fn of(dir: &Path) -> anyhow::Result<Repository> {
        Repository::at(dir, false).context("-diff needs a git repository")
    }

    pub(super) fn of_submodule(dir: &Path) -> anyhow::Result<Repository> {
        Repository::at(dir, true)
    }

    fn at(dir: &Path, is_submodule: bool) -> anyhow::Result<Repository> {
        let mut repository = Repository {
            top: dir.to_owned(),
            is_submodule,
            without_filters: Vec::new(),
        };
        let top = repository.asked(&["rev-parse", "--show-toplevel"])?;
        let top = native(top.strip_suffix(b"\n").unwrap_or(&top));
        repository.top = top.canonicalize().context("finding the repository")?;
        repository.without_filters = repository.filters()?;
        Ok(repository)
    }

    /// Comparing the files with the index runs the filters of those that look edited.
    fn filters(&self) -> anyhow::Result<Vec<OsString>> {
        let names = r"^filter\..*\.(clean|smudge|process|required)$";
        // git fails if it finds none.
        let found = self.run(&["config", "--name-only", "-z", "--get-regexp", names])?;
        let options = paths(&found.output).map(|name| {
            let mut option = OsString::from("--config-env=");
            option.push(name);
            option.push("=");
            option.push(NOTHING);
            option
        });
        Ok(options.collect())
    }

    /// The commit that the files of now started from: where the history of `name` and of now part.
    pub(super) fn base(&self, name: &str) -> anyhow::Result<String> {
        let revision = match self.asked(&["merge-base", name, "HEAD"]) {
            Ok(parted) => parted,
            // A history that shares nothing.
            Err(_) => self
                .asked(&["rev-parse", "--verify", "--end-of-options", name])
                .map_err(|_| {
                    anyhow::anyhow!(
                        "git has no revision {name:?} here; a shallow clone may lack it"
                    )
                })?,
        };
        let revision = String::from_utf8(revision).context("the output of git is not UTF-8")?;
        Ok(revision.trim().to_owned())
    }

    /// All files of a revision.
    pub(super) fn tree(&self, revision: &str) -> anyhow::Result<Vec<GitEntry>> {
        let listed = self.asked(&["ls-tree", "-r", "-z", "--full-tree", revision])?;
        listed.split(|it| *it == 0).filter_map(entry).collect()
    }

    /// The files of the index.
    pub(super) fn index(&self) -> anyhow::Result<Vec<GitEntry>> {
        let listed = self.asked(&["ls-files", "--stage", "-z"])?;
        listed.split(|it| *it == 0).filter_map(entry).collect()
    }

    /// The files that differ from a revision, without submodules.
    pub(super) fn changed(&self, revision: &str) -> anyhow::Result<Vec<PathBuf>> {
        let listed = self.asked(&[
            "diff",
            "--name-only",
            "--no-renames",
            "--no-ext-diff",
            "--no-textconv",
            "--ignore-submodules=all",
            "-z",
            revision,
        ])?;
        Ok(paths(&listed).collect())
    }

    /// The files that git neither tracks nor ignores.
    pub(super) fn untracked(&self) -> anyhow::Result<Vec<PathBuf>> {
        let listed = self.asked(&["ls-files", "--others", "--exclude-standard", "-z"])?;
        Ok(paths(&listed).collect())
    }

    /// The content of a file, or the target of a link.
    pub(super) fn blob(&self, object: &str) -> anyhow::Result<Vec<u8>> {
        self.asked(&["cat-file", "blob", object])
    }

    fn asked(&self, arguments: &[&str]) -> anyhow::Result<Vec<u8>> {
        let printed = self.run(arguments)?;
        match printed.is_success {
            true => Ok(printed.output),
            false => bail!("git {}: {}", arguments[0], printed.errors.trim()),
        }
    }

    fn run(&self, arguments: &[&str]) -> anyhow::Result<Printed> {
        let mut command = Command::new("git");
        command.current_dir(&self.top).args(SAFE);
        command.args(&self.without_filters).args(arguments);
        command.envs(ENVIRONMENT);
        if self.is_submodule {
            for name in OF_ONE_REPOSITORY {
                command.env_remove(name);
            }
        }
        let printed = process::run(command, LIMITS);
        printed.map_err(|why| anyhow::anyhow!("git {}: {why}", arguments[0]))
    }
}

/// Reads `MODE [TYPE ]OBJECT[ STAGE]<TAB>PATH`.
fn entry(line: &[u8]) -> Option<anyhow::Result<GitEntry>> {
    let tab = line.iter().position(|it| *it == b'\t')?;
    let (about, path) = (String::from_utf8_lossy(&line[..tab]), &line[tab + 1..]);
    let words: Vec<&str> = about.split(' ').collect();
    let object = words.iter().find(|it| it.len() >= 40);
    let Some(object) = object else {
        return Some(Err(anyhow::anyhow!("git lists an entry without an object")));
    };
    Some(Ok(GitEntry {
        path: native(path),
        kind: match words[0] {
            "120000" => EntryKind::Link,
            "160000" => EntryKind::Submodule,
            _ => EntryKind::File,
        },
        object: (*object).to_owned(),
    }))
}

/// Paths, each with a zero byte behind it.
fn paths(listed: &[u8]) -> impl Iterator<Item = PathBuf> {
    let paths = listed.split(|it| *it == 0);
    paths.filter(|it| !it.is_empty()).map(native)
}

/// A path as git has it. On Unix it may be any bytes.
#[cfg(unix)]
pub(super) fn native(path: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(std::ffi::OsStr::from_bytes(path))
}

#[cfg(not(unix))]
pub(super) fn native(path: &[u8]) -> PathBuf {
    PathBuf::from(&*String::from_utf8_lossy(path))
}
