//! The completion of `planlens` in real shells, its manual page, and its answer to an unknown word.

mod support;

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use support::{command, planlens, printed, program, repository, scratch, skipped};

/// The typed text, with a tab where one is pressed, and the text that then stands there.
const TYPED: [(&str, &str); 9] = [
    ("planlens val\t", "planlens validate"),
    (
        "planlens plan -detailed-e\t",
        "planlens plan -detailed-exitcode",
    ),
    (
        "planlens plan --detailed-e\t",
        "planlens plan --detailed-exitcode",
    ),
    (
        "planlens plan -gener\t",
        "planlens plan -generate-config-out=",
    ),
    (
        "planlens plan -var-file=val\t",
        "planlens plan -var-file=values.tfvars",
    ),
    (
        "planlens plan -var-file val\t",
        "planlens plan -var-file values.tfvars",
    ),
    (
        "planlens plan -language=ter\t",
        "planlens plan -language=terraform",
    ),
    ("planlens -chdir=my-\t", "planlens -chdir=my-modules/"),
    (
        "planlens plan my-modules/net\t",
        "planlens plan my-modules/network/",
    ),
];

/// How long a shell may take to show the completed text.
const PATIENCE: Duration = Duration::from_secs(60);

/// A folder with a few names, and a PATH on which this `planlens` is.
fn place(test: &str) -> (PathBuf, std::ffi::OsString) {
    let folder = scratch(test);
    fs::create_dir_all(folder.join("my-modules/network")).unwrap();
    fs::write(folder.join("values.tfvars"), "").unwrap();
    fs::create_dir(folder.join("bin")).unwrap();
    let binary = planlens(&folder).get_args().nth(3).unwrap().to_owned();
    std::os::unix::fs::symlink(binary, folder.join("bin/planlens")).unwrap();
    let mut path = std::ffi::OsString::from(folder.join("bin"));
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap());
    (folder, path)
}

/// Types into an interactive shell on a terminal: each line, then a command that shows it in the place of running it.
fn type_into(shell: &str, folder: &Path, path: &std::ffi::OsStr) {
    let mut child = Command::new("script")
        .args(["-qefc", shell, "/dev/null"])
        .current_dir(folder)
        .env("PATH", path)
        .env("HOME", folder)
        .env("ZDOTDIR", folder)
        .env("TERM", "dumb")
        .env_remove("TMUX")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut keys = child.stdin.take().unwrap();
    let mut screen = child.stdout.take().unwrap();
    let (sender, received) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = [0; 4096];
        while let Ok(count @ 1..) = screen.read(&mut bytes) {
            if sender.send(bytes[..count].to_vec()).is_err() {
                break;
            }
        }
    });
    let mut seen = String::new();
    let mut until = |what: &str| {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(at) = seen.find(what) {
                let before = seen[..at].to_owned();
                seen.drain(..at + what.len());
                return before;
            }
            match received.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(bytes) => seen += &String::from_utf8_lossy(&bytes),
                Err(_) => panic!("{shell}: no {what:?} in {seen:?}"),
            }
        }
    };
    for (typed, expected) in TYPED {
        until("READY>");
        keys.write_all(typed.as_bytes()).unwrap();
        // To the begin of the line, which is then printed.
        keys.write_all(b"\x01echo \"[\x05]\"\r").unwrap();
        until("\n");
        until("[");
        let completed = until("]");
        // A word that goes on has no space behind it.
        let completed = match expected.ends_with(['=', '/']) {
            true => completed.as_str(),
            false => completed.trim_end(),
        };
        assert_eq!(completed, expected, "{shell}: {typed:?}");
    }
    keys.write_all(b"\x15exit\r").unwrap();
    drop(keys);
    child.wait().unwrap();
}

#[test]
fn bash_completes_commands_options_and_paths() {
    let test = "bash_completes_commands_options_and_paths";
    if program("bash").is_none() || program("script").is_none() {
        return skipped(test, "no bash or no script on the PATH");
    }
    let (folder, path) = place(test);
    let lines = "PS1='READY>'\neval \"$(planlens completions bash)\"\n";
    fs::write(folder.join("bashrc"), lines).unwrap();
    type_into("bash --noprofile --rcfile bashrc -i", &folder, &path);
}

#[test]
fn zsh_completes_commands_options_and_paths() {
    let test = "zsh_completes_commands_options_and_paths";
    if program("zsh").is_none() || program("script").is_none() {
        return skipped(
            test,
            "no zsh or no script on the PATH (Debian: apt-get install zsh)",
        );
    }
    let (folder, path) = place(test);
    let lines = "PS1='READY>'\nbindkey -e\nunsetopt prompt_cr prompt_sp\nautoload -U compinit\ncompinit -u -D\neval \"$(planlens completions zsh)\"\n";
    fs::write(folder.join(".zshrc"), lines).unwrap();
    type_into("zsh -o no_global_rcs -i", &folder, &path);
}

#[test]
fn fish_completes_commands_options_and_paths() {
    let test = "fish_completes_commands_options_and_paths";
    if program("fish").is_none() {
        return skipped(test, "no fish on the PATH (Debian: apt-get install fish)");
    }
    let (folder, path) = place(test);
    let script = planlens(&folder)
        .args(["completions", "fish"])
        .output()
        .unwrap();
    fs::write(folder.join("planlens.fish"), script.stdout).unwrap();
    for (typed, expected) in TYPED {
        let ask = format!("source planlens.fish; complete -C '{}'", typed.trim_end());
        let output = command("fish", &folder)
            .args(["--no-config", "-c", &ask])
            .env("PATH", &path)
            .env("HOME", &folder)
            .output()
            .unwrap();
        let last = expected.rsplit(' ').next().unwrap();
        let offered = String::from_utf8_lossy(&output.stdout).into_owned();
        let words: Vec<&str> = offered
            .lines()
            .map(|line| line.split('\t').next().unwrap())
            .collect();
        assert_eq!(words, [last], "{typed:?}: {}", printed(&output));
    }
}

#[test]
fn powershell_completes_commands_options_and_paths() {
    let test = "powershell_completes_commands_options_and_paths";
    if program("pwsh").is_none() {
        return skipped(test, "no pwsh on the PATH");
    }
    let (folder, path) = place(test);
    for (typed, expected) in TYPED {
        let typed = typed.trim_end();
        let ask = format!(
            "planlens completions powershell | Out-String | Invoke-Expression; (TabExpansion2 '{typed}' {}).CompletionMatches.CompletionText",
            typed.len()
        );
        let output = command("pwsh", &folder)
            .args(["-NoProfile", "-NonInteractive", "-Command", &ask])
            .env("PATH", &path)
            .env("HOME", &folder)
            .output()
            .unwrap();
        let last = expected.rsplit(' ').next().unwrap();
        assert_eq!(
            String::from_utf8_lossy(&output.stdout).trim(),
            last,
            "{typed:?}: {}",
            printed(&output)
        );
    }
}

/// The commands that the help lists.
fn commands() -> Vec<String> {
    let help = planlens(repository()).arg("--help").output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let (_, list) = help.split_once("Commands:\n").unwrap();
    let (list, _) = list.split_once("\n\n").unwrap();
    let names = list.lines().filter(|line| !line.starts_with("   "));
    names
        .map(|line| line.split_whitespace().next().unwrap().to_owned())
        .collect()
}

#[test]
fn the_manual_page_renders_with_every_command_and_option() {
    let test = "the_manual_page_renders_with_every_command_and_option";
    if program("groff").is_none() {
        return skipped(test, "no groff on the PATH (Debian: apt-get install groff)");
    }
    let folder = scratch(test);
    let page = planlens(&folder).arg("man").output().unwrap();
    fs::write(folder.join("planlens.1"), page.stdout).unwrap();
    let output = command("groff", &folder)
        .args(["-man", "-Tutf8", "-ww", "-P-cbou", "planlens.1"])
        .output()
        .unwrap();
    assert!(output.stderr.is_empty(), "{}", printed(&output));
    let rendered = String::from_utf8(output.stdout)
        .unwrap()
        .replace(['‐', '−'], "-");
    for name in commands() {
        assert!(
            rendered.contains(&format!("\n   {name}\n")),
            "{name}: {rendered}"
        );
        let help = planlens(&folder).args([&name, "--help"]).output().unwrap();
        for line in String::from_utf8(help.stdout).unwrap().lines() {
            let option = line.trim_start().split(' ').next().unwrap();
            if line.starts_with("  -") {
                assert!(rendered.contains(option), "{name} {option}: {rendered}");
            }
        }
    }
}

#[test]
fn a_folder_without_configuration_is_not_planned() {
    let folder = scratch("a_folder_without_configuration_is_not_planned");
    let plan = |options: &[&str]| {
        let mut command = planlens(&folder);
        command.arg("plan").args(options).output().unwrap()
    };
    for options in [&[][..], &["-refresh-only"], &["-json"]] {
        let output = plan(options);
        assert_eq!(output.status.code(), Some(1), "{}", printed(&output));
        assert!(printed(&output).contains("No configuration files"));
    }
    let output = plan(&["-destroy"]);
    assert!(output.status.success(), "{}", printed(&output));
}

#[test]
fn options_of_terraform_are_accepted_and_a_plan_file_is_refused() {
    let folder = scratch("what_scripts_pass_to_terraform");
    fs::write(folder.join("main.tf"), "output \"a\" {\n  value = 1\n}\n").unwrap();
    let plain = planlens(&folder).arg("plan").output().unwrap();
    let options = [
        "-parallelism=5",
        "-parallelism",
        "5",
        "-lock",
        "-lock=true",
        "-lock-timeout=3s",
        "-input=false",
        "--input=true",
        "-compact-warnings",
        "-no-color",
    ];
    let with_options = planlens(&folder)
        .arg("plan")
        .args(options)
        .output()
        .unwrap();
    assert!(plain.status.success());
    assert_eq!(printed(&with_options), printed(&plain));
    let options = ["-no-tests", "-test-directory=tests", "-no-color"];
    let output = planlens(&folder)
        .arg("validate")
        .args(options)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", printed(&output));

    let refused = planlens(&folder)
        .args(["plan", "-out=plan.bin"])
        .output()
        .unwrap();
    assert_eq!(refused.status.code(), Some(1));
    let received = String::from_utf8(refused.stderr).unwrap();
    assert!(
        received.starts_with("planlens: -out is not supported: planlens applies nothing"),
        "{received}"
    );
    assert!(!folder.join("plan.bin").exists());
}

#[test]
fn an_unknown_word_is_refused_with_a_suggestion() {
    for (words, expected) in [
        (
            vec!["pln"],
            "planlens: there is no command \"pln\": did you mean plan? See planlens --help\n",
        ),
        (
            vec!["plan", "-target-dir=x"],
            "planlens: plan has no option -target-dir: did you mean -target? See planlens plan --help\n",
        ),
        (
            vec!["plan", "a", "b"],
            "planlens: plan takes only one folder: remove \"b\"\n",
        ),
        (
            vec!["trust", "lst"],
            "planlens: trust takes list or revoke, not \"lst\": see planlens trust --help\n",
        ),
        (
            vec!["trust"],
            "planlens: trust needs list or revoke: see planlens trust --help\n",
        ),
        (
            vec!["trust", "list", "a"],
            "planlens: trust list takes no argument: remove \"a\"\n",
        ),
        (
            vec!["-jsn"],
            "planlens: lsp has no option -jsn: see planlens lsp --help\n",
        ),
        (
            vec!["-chdir", "plan"],
            "planlens: -chdir needs a folder: -chdir=DIR\n",
        ),
        (
            vec!["completions", "tcsh"],
            "planlens: completions takes one of bash, zsh, fish, powershell, not \"tcsh\": see planlens completions --help\n",
        ),
    ] {
        let output = planlens(repository()).args(&words).output().unwrap();
        assert_eq!(
            String::from_utf8_lossy(&output.stderr),
            expected,
            "{words:?}"
        );
        assert_eq!(output.status.code(), Some(1));
    }
}

#[test]
fn each_command_has_help_in_lines_that_fit() {
    for name in commands().into_iter().chain(["--help".to_owned()]) {
        let mut said = Vec::new();
        for spelling in ["--help", "-help", "-h"] {
            let output = planlens(repository())
                .args([&name, spelling])
                .output()
                .unwrap();
            assert!(output.status.success());
            said.push(String::from_utf8(output.stdout).unwrap());
        }
        said.dedup();
        assert_eq!(said.len(), 1, "{name}");
        assert!(said[0].starts_with("Usage: planlens "), "{}", said[0]);
        assert!(
            said[0].lines().all(|line| line.chars().count() <= 121),
            "{}",
            said[0]
        );
    }
}
