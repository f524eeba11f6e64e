//! Real editors on the real server: what a user sees after typing, with the configuration that the
//! README gives. What the server says to them is as the protocol wants it.

mod support;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use support::recorded::{check_recorded, recording};
use support::{cache, command, has_subcommand, printed, program, repository, scratch, skipped};

#[test]
fn neovim_shows_what_an_unsaved_change_forces() {
    let test = "neovim_shows_what_an_unsaved_change_forces";
    let trusted = |lua: &str| lua.replace("trust = 'ask'", "trust = 'always'");
    in_neovim(test, "nvim.lua", trusted);
}

#[test]
fn neovim_starts_no_plugin_before_the_user_says_yes() {
    let test = "neovim_starts_no_plugin_before_the_user_says_yes";
    in_neovim(test, "nvim-trust.lua", str::to_owned);
}

/// Runs a journey in a real Neovim, with the README's lines as `configured`.
fn in_neovim(test: &str, journey: &str, configured: impl Fn(&str) -> String) {
    let ready = has_subcommand("lsp").and_then(|()| Ok((cache()?, neovim()?)));
    let (cache, neovim) = match ready {
        Ok(ready) => ready,
        Err(reason) => return skipped(test, &reason),
    };
    let folder = scratch(test);
    let module = keepers_module(&cache, &folder);
    // The repository that the module is in.
    fs::create_dir(folder.join(".git")).unwrap();
    let init = folder.join("init.lua");
    fs::write(&init, configured(&readme_init())).unwrap();

    let before = support::files(&module);
    let recorded = recording(&folder);
    let scripts = repository().join("tests/editors");
    let output = command(neovim, &folder)
        .args(["--headless", "--clean", "-S"])
        .arg(scripts.join(journey))
        .env("SUPPORT", scripts.join("support.lua"))
        .env("PATH", path_with(&recorded))
        .env("HOME", &folder)
        .env("XDG_STATE_HOME", folder.join("state"))
        .env("XDG_CACHE_HOME", folder.join("cache"))
        .env("TF_CLI_CONFIG_FILE", cache.join("terraformrc"))
        .env("INIT", &init)
        .env("PLUGIN", repository().join("editors/nvim"))
        .env("MODULE", &module)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}{}",
        printed(&output),
        log(&folder)
    );
    let _ = writeln!(std::io::stdout(), "{}", printed(&output));
    assert!(check_recorded(&recorded) > 0, "the server says something");
    assert!(
        before == support::files(&module),
        "planning changed files of the module"
    );
    support::no_secret_below(&folder.join("cache/planlens"));
    support::no_secret_below(&folder.join("state/planlens"));
}

#[test]
fn vs_code_shows_what_an_unsaved_change_forces() {
    let test = "vs_code_shows_what_an_unsaved_change_forces";
    let Some(journey) = Journey::new(test) else {
        return;
    };
    journey.run("journey.js", &journey.module, &[]);
}

#[test]
fn vs_code_starts_no_plugin_in_a_restricted_workspace() {
    let test = "vs_code_starts_no_plugin_in_a_restricted_workspace";
    let Some(journey) = Journey::new(test) else {
        return;
    };
    // A second folder, whose state is in another place.
    let other = journey.folder.join("other");
    fs::create_dir(&other).unwrap();
    let text = "terraform {\n  backend \"http\" {\n    address = \"http://127.0.0.1:1/state\"\n  }\n}\n\nresource \"terraform_data\" \"it\" {\n}\n";
    fs::write(other.join("main.tf"), text).unwrap();
    let workspace = journey.folder.join("two.code-workspace");
    let folders = r#"{ "folders": [{ "path": "module" }, { "path": "other" }] }"#;
    fs::write(&workspace, folders).unwrap();
    let flags = ["--trust", "--light", "--width=1100"];
    journey.run("trust.js", &workspace, &flags);
}

/// What a journey in a real VS Code begins with.
struct Journey {
    cache: PathBuf,
    code: PathBuf,
    /// The test's: pictures are kept in it, in `pictures`.
    folder: PathBuf,
    /// A root module on hashicorp/random whose plan has no changes.
    module: PathBuf,
}

impl Journey {
    /// Says that the test is skipped where something is missing.
    fn new(test: &str) -> Option<Journey> {
        let ready = has_subcommand("lsp").and_then(|()| Ok((cache()?, vs_code_folder()?)));
        let (cache, code) = match ready {
            Ok(ready) => ready,
            Err(reason) => {
                skipped(test, &reason);
                return None;
            }
        };
        let folder = scratch(test);
        let module = keepers_module(&cache, &folder);
        Some(Journey {
            cache,
            code,
            folder,
            module,
        })
    }

    /// Runs a journey in the workspace.
    fn run(&self, journey: &str, workspace: &Path, flags: &[&str]) {
        let before = support::files(&self.module);
        let recorded = recording(&self.folder);
        let scripts = repository().join("tests/editors/vscode");
        let output = command("node", &self.folder)
            .arg(scripts.join("run.mjs"))
            .arg(&self.code)
            .arg(repository().join("vscode-extension"))
            .arg(scripts.join(journey))
            .args([workspace, &self.folder.join("pictures")])
            .args(flags)
            .env("PLANLENS", recorded.join("planlens"))
            .env("TF_CLI_CONFIG_FILE", self.cache.join("terraformrc"))
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", printed(&output));
        let _ = writeln!(std::io::stdout(), "{}", printed(&output));
        assert!(check_recorded(&recorded) > 0, "the server says something");
        assert!(
            before == support::files(&self.module),
            "planning changed files of the module"
        );
    }
}

/// The VS Code that `tests/run` fetched, where all that the journey needs is there.
fn vs_code_folder() -> Result<PathBuf, String> {
    let folder = cache()?.join("vscode-4.100.3");
    if !folder.join("done").is_file() {
        return Err("no VS Code: run tests/editors/install-vscode".into());
    }
    if program("chromium").is_none() {
        return Err("no chromium: apt-get install chromium".into());
    }
    match repository()
        .join("vscode-extension/dist/extension.js")
        .is_file()
    {
        true => Ok(folder),
        false => {
            Err("the extension is not built: npm ci && npm run build in vscode-extension".into())
        }
    }
}

/// A copy of a root module on hashicorp/random whose plan has no changes.
fn keepers_module(cache: &Path, folder: &Path) -> PathBuf {
    let module = folder.join("module");
    let keepers = repository().join("tests/workspaces/keepers");
    support::copy_module(&keepers.join("before"), &module);
    let state = "terraform.tfstate";
    fs::copy(keepers.join(state), module.join(state)).unwrap();
    support::install_providers(cache, &module);
    module
}

/// The lines of Lua that the README gives.
fn readme_init() -> String {
    let readme = fs::read_to_string(repository().join("README.md")).unwrap();
    let (_, rest) = readme
        .split_once("```lua\n")
        .expect("the README has lines of Lua");
    let (lua, _) = rest.split_once("```").unwrap();
    assert!(
        lua.lines().count() <= 5,
        "five lines of Lua are enough:\n{lua}"
    );
    assert!(
        lua.contains("trust = 'ask'"),
        "the README says how trust is set"
    );
    lua.to_owned()
}

/// The Neovim that `tests/run` found or fetched, else that of the PATH.
fn neovim() -> Result<PathBuf, String> {
    let named = std::env::var_os("PLANLENS_NVIM")
        .filter(|path| !path.is_empty())
        .map(PathBuf::from);
    let fetched = cache()
        .ok()
        .map(|cache| cache.join("neovim-trixie/nvim"))
        .filter(|path| path.is_file());
    named
        .or(fetched)
        .or_else(|| program("nvim"))
        .ok_or_else(|| "no Neovim: run tests/editors/install".into())
}

fn path_with(folder: &Path) -> std::ffi::OsString {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(
        [folder.to_owned()]
            .into_iter()
            .chain(std::env::split_paths(&path)),
    )
    .unwrap()
}

/// The end of Neovim's log of the conversation.
fn log(folder: &Path) -> String {
    let text = fs::read_to_string(folder.join("state/nvim/lsp.log")).unwrap_or_default();
    let lines: Vec<&str> = text.lines().rev().take(40).collect();
    lines.into_iter().rev().collect::<Vec<_>>().join("\n")
}
