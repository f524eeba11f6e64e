//! What the tests on real programs share: the cache folder, copies of workspaces, running with a limit.

#![allow(dead_code, reason = "each test program uses a part of it")]

pub mod agent;
pub mod backend;
pub mod beside;
pub mod cases;
pub mod client;
pub mod editor;
pub mod oracle;
pub mod pulumi;
pub mod random;
pub mod recorded;

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Seconds after which a program that a test started is killed: far more than any of them needs, also where much else
/// runs.
const LIMIT: &str = "600";

/// The root of the repository.
pub fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Says that a test cannot run here. The lines are counted by `tests/run`, so they go past the
/// capture of the test harness.
pub fn skipped(test: &str, reason: &str) {
    let _ = writeln!(std::io::stderr(), "SKIPPED {test}: {reason}");
}

/// The folder that `tests/providers/build` fills, if it has done so.
pub fn cache() -> Result<PathBuf, String> {
    let folder = std::env::var_os("PLANLENS_TEST_CACHE")
        .map(PathBuf::from)
        .unwrap_or_else(|| {
            PathBuf::from(std::env::var_os("HOME").unwrap_or_default()).join(".cache/planlens-test")
        });
    if folder.join("terraform.lock.hcl").exists() {
        Ok(folder)
    } else {
        Err("the test providers are not built: run tests/providers/build".into())
    }
}

/// The first program of this name on the PATH.
pub fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

/// The first lines of a language in a document of ours.
pub fn documented(document: &str, language: &str) -> String {
    let text = fs::read_to_string(repository().join(document)).unwrap();
    let (_, rest) = text
        .split_once(&format!("```{language}\n"))
        .expect("the document has such lines");
    rest.split_once("```").unwrap().0.to_owned()
}

/// An empty folder for the test of this name.
pub fn scratch(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    if folder.exists() {
        fs::remove_dir_all(&folder).unwrap();
    }
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Copies what a root module consists of: not what was recorded about it, nor its past.
pub fn copy_module(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().and_then(OsStr::to_str).unwrap();
        let to = to.join(name);
        let is_recorded = name.ends_with("plan.json") || name.ends_with("plan.txt");
        if path.is_file() && !is_recorded && !matches!(name, "env" | "options" | "oracles") {
            fs::copy(&path, to).unwrap();
        } else if path.is_dir() && name != "before" {
            copy_module(&path, &to);
        }
    }
}

/// Lays out the providers as `terraform init` does with an unpacked mirror: links to the packages,
/// and a lock file with their hashes.
pub fn install_providers(cache: &Path, module: &Path) {
    fs::copy(
        cache.join("terraform.lock.hcl"),
        module.join(".terraform.lock.hcl"),
    )
    .unwrap();
    // HOST/NAMESPACE/TYPE/VERSION/PLATFORM
    link_folders(
        &cache.join("mirror"),
        &module.join(".terraform/providers"),
        5,
    );
}

fn link_folders(from: &Path, to: &Path, depth: usize) {
    if depth == 0 {
        std::os::unix::fs::symlink(from, to).unwrap();
        return;
    }
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        link_folders(&entry.path(), &to.join(entry.file_name()), depth - 1);
    }
}

/// A sample of cases that take long together: one of `of`, another one with each `PLANLENS_TEST_SEED`, which `tests/run` sets. All of
/// them with `PLANLENS_TEST_LONG`, which `tests/run --long` sets.
pub fn sample<T>(cases: impl IntoIterator<Item = T>, of: usize) -> Vec<T> {
    if std::env::var_os("PLANLENS_TEST_LONG").is_some() {
        return cases.into_iter().collect();
    }
    cases.into_iter().skip(seed() % of).step_by(of).collect()
}

/// Whether the sample of this run has the test of this name.
pub fn is_sampled(name: &str, of: usize) -> bool {
    let sum = name.bytes().map(usize::from).sum::<usize>();
    std::env::var_os("PLANLENS_TEST_LONG").is_some() || (sum + seed() % of).is_multiple_of(of)
}

fn seed() -> usize {
    let seed = std::env::var("PLANLENS_TEST_SEED").ok();
    seed.and_then(|it| it.parse().ok()).unwrap_or(0)
}

/// Each file below a folder with its content. Links are not followed.
pub fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    folders.retain(|folder| folder.is_dir());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let kind = entry.file_type().unwrap();
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() {
                found.insert(entry.path(), fs::read(entry.path()).unwrap());
            }
        }
    }
    found
}

/// What was left on disk holds no secret of the test workspaces.
pub fn no_secret_below(folder: &Path) {
    for (path, content) in files(folder) {
        let text = String::from_utf8_lossy(&content);
        assert!(
            !text.contains(client::SECRET),
            "{} holds a secret",
            path.display()
        );
    }
}

/// The variables that a file of `NAME=value` lines sets; a value may stand in single quotes.
pub fn environment(file: &Path) -> Vec<(String, String)> {
    let text = fs::read_to_string(file).unwrap_or_default();
    text.lines()
        .filter_map(|line| line.split_once('='))
        .map(|(name, value)| {
            let quoted = value
                .strip_prefix('\'')
                .and_then(|value| value.strip_suffix('\''));
            (name.to_owned(), quoted.unwrap_or(value).to_owned())
        })
        .collect()
}

/// A command that is killed after a while, does not read, and sees nothing of the user's Terraform settings.
pub fn command(program: impl AsRef<OsStr>, folder: &Path) -> Command {
    let mut command = Command::new("timeout");
    command
        .args(["-k", "5", LIMIT])
        .arg(program)
        .current_dir(folder)
        .stdin(Stdio::null());
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy().into_owned();
        if name.starts_with("TF_") || name.starts_with("LAB_") {
            command.env_remove(name);
        }
    }
    command.env("CHECKPOINT_DISABLE", "1").env("NO_COLOR", "1");
    command
}

/// The `planlens` of this build, or the one that `PLANLENS_TEST_SERVER` names.
pub fn server() -> OsString {
    let named = std::env::var_os("PLANLENS_TEST_SERVER");
    named.unwrap_or_else(|| env!("CARGO_BIN_EXE_planlens").into())
}

/// `planlens` in a folder, in the language of the recorded answers, whatever is installed here.
pub fn planlens(folder: &Path) -> Command {
    let mut command = command(server(), folder);
    command.env("PLANLENS_LANGUAGE", "terraform@1.11.4");
    command
}

/// Whether this `planlens` has a subcommand.
pub fn has_subcommand(name: &str) -> Result<(), String> {
    let output = planlens(repository())
        .args([name, "--help"])
        .output()
        .unwrap();
    if output.status.success() && String::from_utf8_lossy(&output.stdout).contains(name) {
        Ok(())
    } else {
        Err(format!("`planlens {name} --help` does not answer"))
    }
}

/// What a program printed, for the message of a failed test.
pub fn printed(output: &Output) -> String {
    format!(
        "{}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

/// A number's sign, digits without zeros at either end, and the power of ten of the last one.
pub fn decimal(text: &str) -> (bool, String, i64) {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{}{fraction}", whole.trim_start_matches('-'));
    let significant = digits.trim_end_matches('0');
    let power = exponent.parse::<i64>().unwrap() - fraction.len() as i64
        + (digits.len() - significant.len()) as i64;
    match significant.trim_start_matches('0') {
        "" => (false, String::new(), 0),
        significant => (whole.starts_with('-'), significant.to_owned(), power),
    }
}
