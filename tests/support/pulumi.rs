//! The engine of Pulumi with its host for YAML and a provider, as `tests/pulumi/build` makes them.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// The folder with the engine, its host and the provider.
pub fn tools() -> Result<PathBuf, String> {
    let cache = std::env::var_os("PLANLENS_TEST_CACHE").map(PathBuf::from);
    let home = || PathBuf::from(std::env::var_os("HOME").unwrap_or_default());
    let folder = cache.unwrap_or_else(|| home().join(".cache/planlens-test"));
    let folder = folder.join("pulumi");
    match folder.join("stamp").exists() {
        true => Ok(folder),
        false => Err("Pulumi's engine is not built: run tests/pulumi/build".to_owned()),
    }
}

/// With the tools on the PATH, and nothing of the user's own.
pub fn prepared(mut command: Command, tools: &Path, folder: &Path) -> Command {
    let backend = format!("file://{}", folder.join("backend").display());
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::iter::once(tools.to_owned()).chain(std::env::split_paths(&path));
    command
        .env("PATH", std::env::join_paths(path).unwrap())
        .env("PULUMI_HOME", folder.join("home"))
        .env("PULUMI_CONFIG_PASSPHRASE", "lab")
        .env("PULUMI_BACKEND_URL", backend)
        .env("LAB_WORLD", folder.join("world"));
    command
}

pub fn engine(tools: &Path, folder: &Path, mode: &str, state: &Path) -> Output {
    let command = Command::new(tools.join("pulumi-engine"));
    let mut command = prepared(command, tools, folder);
    command.arg(mode).arg(folder.join("work")).arg(state);
    command.output().unwrap()
}

/// The engine's preview. Under load the engine sometimes ends before it has written anything; then it is asked once more.
pub fn engine_preview(tools: &Path, folder: &Path, state: &Path) -> Value {
    let output = engine(tools, folder, "preview", state);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| {
        let output = engine(tools, folder, "preview", state);
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
    })
}

/// Two resources, the second of which has an output of the first.
pub const DISKS: &str = "name: shop\nruntime: yaml\nresources:\n  a:\n    type: lab:Disk\n    properties:\n      size: small\n  b:\n    type: lab:Disk\n    properties:\n      size: small\n      zone: ${a.handle}\n";
