//! Starts `terraform` and `tofu`. Nothing else of planlens does.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::StateError;

use config::{Product, Profile, Version};
use process::{Limits, Printed, Variables, is_executable};
use serde::Deserialize;

/// A program that was found on the PATH.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    pub path: PathBuf,
    /// Which release it is, or why it could not be asked.
    pub profile: Result<Profile, String>,
}

/// A version manager may look for its program first; who waits longer has a broken one.
const VERSION: Limits = Limits {
    within: Duration::from_secs(5),
    output: 1 << 20,
};

/// A backend may be far away and its state large; who waits longer has no connection.
const STATE: Limits = Limits {
    within: Duration::from_secs(60),
    output: 1 << 30,
};

/// The newest state of the backend that the root module in `dir` was initialized with, as `state pull` prints it: empty
/// where there is none yet. It is neither locked nor written.
///
/// Waits for the backend. `variables` are the environment's.
pub fn pull(product: Product, dir: &Path, variables: &Variables) -> Result<String, StateError> {
    let name = product.command();
    let not_pulled = |why: String| StateError::NotPulled {
        command: format!("{name} state pull"),
        why,
    };
    let program = variables.get("PATH").and_then(|path| find(name, path));
    let program = program.ok_or_else(|| not_pulled(format!("{name} is not on the PATH")))?;
    let answer = run(
        &program,
        &["state", "pull", "-no-color"],
        dir,
        variables,
        STATE,
    );
    let answer = answer.map_err(not_pulled)?;
    match answer.is_success {
        true => Ok(answer.output),
        false => Err(not_pulled(summary(&answer.errors))),
    }
}

/// The first of the errors that a program printed, with the first paragraph about it: without warnings, and without the
/// frame around it.
fn summary(errors: &str) -> String {
    const ERROR: &str = "Error: ";
    let lines = errors.lines();
    let lines = lines.map(|line| line.trim_start_matches(['╷', '│', '╵', ' ']).trim());
    let mut lines = lines.peekable();
    let has_error = errors.contains(ERROR);
    let is_before = |line: &&str| match has_error {
        true => !line.starts_with(ERROR),
        false => line.is_empty(),
    };
    while lines.next_if(is_before).is_some() {}
    let title = lines.next().unwrap_or("it failed without a word");
    let title = title.strip_prefix(ERROR).unwrap_or(title);
    let paragraph = lines.skip_while(|line| line.is_empty());
    let paragraph: Vec<&str> = paragraph.take_while(|line| !line.is_empty()).collect();
    match paragraph.is_empty() {
        true => title.to_owned(),
        false => format!("{title}: {}", paragraph.join(" ")),
    }
}

/// Terraform and OpenTofu, as far as they are on the PATH; both are asked at the same time.
///
/// They are asked in the folder `dir`, as version managers choose by files there. Waits for the answers, so this is not
/// for the path of an edit. `variables` are the environment's.
pub fn programs(dir: &Path, variables: &Variables) -> Vec<Program> {
    std::thread::scope(|scope| {
        let ask = |product| {
            let ask = move || installed(product, dir, variables);
            // Without another thread, one after the other.
            std::thread::Builder::new()
                .spawn_scoped(scope, ask)
                .map_err(|_| ask())
        };
        [Product::Terraform, Product::OpenTofu]
            .map(ask)
            .into_iter()
            .filter_map(|asked| match asked {
                Ok(asked) => asked.join().ok().flatten(),
                Err(answer) => answer,
            })
            .collect()
    })
}

/// It fetches providers and modules.
const INIT: Limits = Limits {
    within: Duration::from_secs(20 * 60),
    output: 16 << 20,
};

/// Runs `init` of the product that is installed, in the folder of a root module. It writes there and fetches what the
/// configuration names, so only somebody who was asked may have it run. Answers with what it said when it fails.
pub fn init(product: Product, dir: &Path, variables: &Variables) -> Result<(), String> {
    let name = product.command();
    let program = variables.get("PATH").and_then(|path| find(name, path));
    let program = program.ok_or_else(|| format!("{name} is not on the PATH"))?;
    let arguments = ["init", "-input=false", "-no-color"];
    let answer = run(&program, &arguments, dir, variables, INIT)?;
    match answer.is_success {
        true => Ok(()),
        false => Err(summary(&answer.errors)),
    }
}

fn installed(product: Product, dir: &Path, variables: &Variables) -> Option<Program> {
    let path = find(product.command(), variables.get("PATH")?)?;
    let profile = version(&path, dir, variables).map(|version| Profile { product, version });
    Some(Program { path, profile })
}

/// Relative folders of the PATH are passed over: what lies in a workspace is no program of the user's.
fn find(name: &str, path: &OsStr) -> Option<PathBuf> {
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(path)
        .filter(|dir| dir.is_absolute())
        .map(|dir| dir.join(&name))
        .find(|path| path.metadata().is_ok_and(|it| is_executable(&it)))
}

fn version(program: &Path, dir: &Path, variables: &Variables) -> Result<Version, String> {
    let answer = run(program, &["version", "-json"], dir, variables, VERSION)?;
    #[derive(Deserialize)]
    struct Answer {
        terraform_version: String,
    }
    let unreadable = || "its answer to `version -json` can't be read".to_owned();
    let answer: Answer = serde_json::from_str(&answer.output).map_err(|_| unreadable())?;
    Version::parse(&answer.terraform_version).ok_or_else(unreadable)
}

fn run(
    program: &Path,
    arguments: &[&str],
    dir: &Path,
    variables: &Variables,
    limits: Limits,
) -> Result<Printed, String> {
    let passed_on = variables.iter().filter(|(name, _)| {
        let name = name.as_encoded_bytes();
        !name.starts_with(b"TF_LOG") && !name.starts_with(b"TF_CLI_ARGS")
    });
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(dir)
        .env_clear()
        .envs(passed_on)
        // It neither asks, calls home nor installs anything for the question.
        .envs([
            ("CHECKPOINT_DISABLE", "1"),
            ("TF_IN_AUTOMATION", "1"),
            ("TF_INPUT", "0"),
            ("TFENV_AUTO_INSTALL", "false"),
            ("TENV_AUTO_INSTALL", "false"),
        ]);
    process::run(command, limits)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn asked(script: &str) -> Option<Result<Profile, String>> {
        let ask = |dir: &Path, variables: &_| installed(Product::OpenTofu, dir, variables);
        with_program(script, ask).map(|program| program.profile)
    }

    /// What `ask` answers where tofu is this script.
    fn with_program<T>(script: &str, ask: impl FnOnce(&Path, &Variables) -> T) -> T {
        let dir = std::env::temp_dir().join(format!(
            "planlens-command-{}-{}",
            std::process::id(),
            script.len()
        ));
        std::fs::create_dir_all(&dir).unwrap();
        let program = dir.join("tofu");
        std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let path = format!("relative:{}:/bin:/usr/bin", dir.display());
        let variables =
            Variables::from([("PATH", path.as_str()), ("TF_CLI_ARGS_version", "-wrong")]);
        let answer = ask(&dir, &variables);
        std::fs::remove_dir_all(&dir).unwrap();
        answer
    }

    #[test]
    fn init_runs_in_the_folder_and_says_why_it_failed() {
        let run = |dir: &Path, variables: &_| {
            let result = init(Product::OpenTofu, dir, variables);
            (result, std::fs::read_to_string(dir.join("asked")).ok())
        };
        let (result, asked) = with_program("echo \"$@\" > asked", run);
        assert_eq!(result, Ok(()));
        assert_eq!(asked.as_deref(), Some("init -input=false -no-color\n"));
        let failing = "echo 'Error: no such provider' >&2; exit 1";
        let (result, _) = with_program(failing, run);
        assert_eq!(result, Err("no such provider".to_owned()));
    }

    #[test]
    fn a_program_is_asked_for_its_version() {
        let answer = r#"echo "{\"terraform_version\": \"1.10.2\", \"platform\": \"$1$2$TF_CLI_ARGS_version\"}""#;
        assert_eq!(asked(answer), Some(Ok(Profile::opentofu(1, 10, 2))));
        assert_eq!(
            asked("echo no version"),
            Some(Err("its answer to `version -json` can't be read".into()))
        );
        assert_eq!(
            asked("exit 1"),
            Some(Err("its answer to `version -json` can't be read".into()))
        );
    }

    #[test]
    fn the_error_is_told_and_not_the_warnings_before_it() {
        let printed = "There are some problems with the CLI configuration:\n╷\n│ Warning: Unable to open it\n│ \n│ It does not exist.\n╵\n\n\nError: Backend initialization required, please run \"terraform init\"\n\nReason: Initial configuration of the requested backend\n\"s3\"\n\nThe \"backend\" is the interface.\n";
        assert_eq!(
            summary(printed),
            "Backend initialization required, please run \"terraform init\": Reason: Initial configuration of the requested backend \"s3\""
        );
        assert_eq!(summary("\nno such file\n"), "no such file");
        assert_eq!(summary(""), "it failed without a word");
    }

    #[test]
    fn a_program_that_is_not_there_is_none() {
        let variables = Variables::from([("PATH", "/nowhere:bin")]);
        assert_eq!(
            installed(Product::Terraform, Path::new("/"), &variables),
            None
        );
    }
}
