//! Starts `terraform` and `tofu`. Nothing else of planlens does.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::{StateError, asked};

use config::{Product, Profile, Version};
use process::{Limits, Printed, Variables};
use serde::Deserialize;

/// A program that was found on the PATH.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    pub path: PathBuf,
    /// Which release it is, or why it could not be asked.
    pub profile: Result<Profile, String>,
}

const LOCK_FILE: &str = ".terraform.lock.hcl";

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
        needs_init: why.contains(&product.init(true)),
        command: format!("{name} state pull"),
        why,
    };
    let program = process::find(name, variables);
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
        true => answer.text().map_err(not_pulled),
        false => Err(not_pulled(errors(&answer.errors))),
    }
}

/// Errors that one message names.
const NAMED: usize = 3;

/// Characters that are shown of each.
const SHOWN: usize = 600;

/// The errors that a program printed, each with the first paragraph about it; warnings and frames are left out. Of a program
/// that names no error it is what it said of a failure, or else first.
fn errors(printed: &str) -> String {
    const ERROR: &str = "Error: ";
    let lines = without_frames(printed);
    let is_title = |line: &str| line.starts_with(ERROR) || line.starts_with(WARNING);
    let blocks = lines.chunk_by(|_, next| !is_title(next));
    let of_errors = blocks.filter(|block| block[0].starts_with(ERROR));
    let mut errors: Vec<String> = of_errors.map(one_error).collect();
    if errors.is_empty() {
        let failure = lines.iter().position(|line| line.starts_with("Failed "));
        let lines = &lines[failure.unwrap_or_default()..];
        let said = paragraphs(lines).next();
        return match said {
            Some(said) if said.ends_with(':') => one_error(lines),
            Some(said) => said.trim_end_matches('.').to_owned(),
            None => "it failed without a message".to_owned(),
        };
    }
    let more = errors.len().saturating_sub(NAMED);
    errors.truncate(NAMED);
    if more > 0 {
        errors.push(format!("{more} more"));
    }
    let errors = errors.iter().map(|error| error.trim_start_matches(ERROR));
    errors.collect::<Vec<_>>().join("; ")
}

const WARNING: &str = "Warning: ";

/// The lines without the frames around errors, without framed warnings, and without what announces those.
fn without_frames(printed: &str) -> Vec<&str> {
    let (mut lines, mut start) = (Vec::new(), 0);
    for line in printed.lines() {
        if line.starts_with('╷') {
            start = lines.len();
        }
        lines.push(line.trim_start_matches(['╷', '│', '╵', ' ']).trim());
        let mut framed = lines[start..].iter().filter(|line| !line.is_empty());
        if line.starts_with('╵') && framed.next().is_some_and(|it| it.starts_with(WARNING)) {
            lines.truncate(start);
        }
    }
    lines.retain(|line| *line != "There are some problems with the CLI configuration:");
    lines
}

/// `title: paragraph`, with the place in a file after the title. A text that ends in a colon continues.
fn one_error(lines: &[&str]) -> String {
    let mut paragraphs = paragraphs(lines).peekable();
    let mut text = paragraphs.next().unwrap_or_default();
    let is_place = |it: &String| it.starts_with("on ") && it.contains(" line ");
    if let Some(place) = paragraphs.next_if(is_place) {
        // Behind the colon is the line itself.
        text += &format!(" ({})", place.split(':').next().unwrap_or(&place));
    }
    if let Some(about) = paragraphs.next() {
        text = format!("{}: {about}", text.trim_end_matches(':'));
    }
    while text.ends_with(':')
        && let Some(next) = paragraphs.next()
    {
        text += &format!(" {next}");
    }
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.trim_end_matches('.').to_owned(),
    }
}

/// Each in one line.
fn paragraphs(lines: &[&str]) -> impl Iterator<Item = String> {
    let paragraphs = lines.split(|line| line.is_empty());
    let paragraphs = paragraphs.map(|lines| lines.join(" "));
    paragraphs.filter(|paragraph| !paragraph.is_empty())
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

/// Runs [`Product::init`] in the folder of a root module. It writes there and fetches what the configuration names, so
/// only somebody who was asked may have it run. Answers with what it said when it fails.
pub fn init(
    product: Product,
    with_backend: bool,
    dir: &Path,
    variables: &Variables,
) -> Result<(), String> {
    let name = product.command();
    let program = process::find(name, variables);
    let program = program.ok_or_else(|| format!("{name} is not on the PATH"))?;
    let mut arguments = vec!["init", "-input=false", "-no-color"];
    arguments.extend((!with_backend).then_some("-backend=false"));
    let answer = run(&program, &arguments, dir, variables, INIT)?;
    match answer.is_success {
        true => Ok(()),
        false => Err(errors(&answer.errors)),
    }
}

fn installed(product: Product, dir: &Path, variables: &Variables) -> Option<Program> {
    let path = process::find(product.command(), variables)?;
    let version = match asked::version(&path) {
        Some(known) => Ok(known),
        None => version(&path, dir, variables).inspect(|it| asked::keep(&path, *it)),
    };
    let profile = version.map(|version| Profile { product, version });
    Some(Program { path, profile })
}

fn version(program: &Path, dir: &Path, variables: &Variables) -> Result<Version, String> {
    // The program reads it for its answer, whatever it is and however long.
    if let Err(error) = disk::open(&dir.join(LOCK_FILE), disk::Limit::DOCUMENT)
        && error.kind() != std::io::ErrorKind::NotFound
    {
        return Err(format!("{LOCK_FILE} can't be read: {error}"));
    }
    let answer = run(program, &["version", "-json"], dir, variables, VERSION)?;
    #[derive(Deserialize)]
    struct Answer {
        terraform_version: String,
    }
    let unreadable = || "its answer to `version -json` can't be read".to_owned();
    let answer: Answer = serde_json::from_slice(&answer.output).map_err(|_| unreadable())?;
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
    fn init_runs_in_the_folder_and_reports_its_errors() {
        let run = |dir: &Path, variables: &_| {
            let result = init(Product::OpenTofu, true, dir, variables);
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
    fn the_program_itself_is_asked_once_and_a_version_manager_in_each_folder() {
        let answer = r#"echo x >> asked; echo "{\"terraform_version\": \"1.10.2\"}""#;
        let times = |script: &str| {
            let ask = |dir: &Path, variables: &_| {
                for _ in 0..3 {
                    let found = installed(Product::OpenTofu, dir, variables);
                    let profile = found.and_then(|it| it.profile.ok());
                    assert_eq!(profile, Some(Profile::opentofu(1, 10, 2)));
                }
                let asked = std::fs::read_to_string(dir.join("asked"));
                asked.unwrap_or_default().lines().count()
            };
            with_program(script, ask)
        };
        assert_eq!(times(answer), 3);
        // Across two of the parts that are read at a time.
        for before in [0, (1 << 16) - answer.len() - 25] {
            let note = "path\tgithub.com/opentofu/opentofu/cmd/tofu\n";
            let itself = format!("{answer}\nexit\n{}\n{note}", "#".repeat(before));
            assert_eq!(times(&itself), 1, "{before}");
        }
    }

    #[test]
    fn the_error_is_reported_without_the_warnings_before_it() {
        let printed = "There are some problems with the CLI configuration:\n╷\n│ Warning: Unable to open it\n│ \n│ It does not exist.\n╵\n\n\nError: Backend initialization required, please run \"terraform init\"\n\nReason: Initial configuration of the requested backend\n\"s3\"\n\nThe \"backend\" is the interface.\n";
        assert_eq!(
            errors(printed),
            "Backend initialization required, please run \"terraform init\": Reason: Initial configuration of the requested backend \"s3\""
        );
        assert_eq!(errors("\nno such file\n"), "no such file");
        assert_eq!(errors(""), "it failed without a message");
    }

    /// As Terraform 1.11.4 prints them.
    #[test]
    fn each_error_is_reported_with_its_cause() {
        let two = "\nError: No valid credential sources found\n\nPlease see https://example.com/s3\nfor more information.\n\nError: failed to refresh cached credentials, no EC2 IMDS role found,\noperation error ec2imds\n\nWarning: Deprecated\n\nDon't.\n";
        assert_eq!(
            errors(two),
            "No valid credential sources found: Please see https://example.com/s3 for more information; failed to refresh cached credentials, no EC2 IMDS role found, operation error ec2imds"
        );
        let list = "There are some problems with the CLI configuration:\n╷\n│ Warning: Unable to open it\n│ \n│ It does not exist.\n╵\n\nFailed to refresh state: 2 problems:\n\n- The state file could not be parsed.\n- It has no version.\n";
        assert_eq!(
            errors(list),
            "Failed to refresh state: 2 problems: - The state file could not be parsed. - It has no version"
        );
        let placed = "\nError: Unsupported argument\n\n  on main.tf line 3, in terraform:\n   3:  bogus=1\n\nAn argument named \"bogus\" is not expected here.\n";
        assert_eq!(
            errors(placed),
            "Unsupported argument (on main.tf line 3, in terraform): An argument named \"bogus\" is not expected here"
        );
        let many = "Error: a\nError: b\nError: c\nError: d\n";
        assert_eq!(errors(many), "a; b; c; 1 more");
        let long = format!("Error: {}", "ö".repeat(2000));
        assert_eq!(errors(&long).chars().count(), SHOWN + 1 - "Error: ".len());
    }

    #[test]
    fn a_missing_program_is_no_error() {
        let variables = Variables::from([("PATH", "/nowhere:bin")]);
        assert_eq!(
            installed(Product::Terraform, Path::new("/"), &variables),
            None
        );
    }
}
