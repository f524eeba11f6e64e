//! Starts `pulumi` for answers that only it can give. None of the commands changes anything.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use process::{Limits, Printed, Variables};
use pulumi::release::Release;

/// A backend may be far away and its state large; who waits longer has no connection.
const EXPORT: Limits = Limits {
    within: Duration::from_secs(60),
    output: 1 << 30,
};

const VERSION: Limits = Limits {
    within: Duration::from_secs(10),
    output: 1 << 20,
};

/// The state of a stack, as `pulumi stack export` writes it, with its secrets in clear where the user may read them.
///
/// Waits for the backend. `variables` are the environment's.
pub fn export(dir: &Path, stack: &str, variables: &Variables) -> Result<String, String> {
    let arguments = ["stack", "export", "--stack", stack, "--non-interactive"];
    let with_secrets = [&arguments[..], &["--show-secrets"]].concat();
    let printed = run(&with_secrets, dir, variables, EXPORT)?;
    if printed.is_success {
        return printed.text();
    }
    // Whoever may not decrypt them sees the rest.
    let printed = run(&arguments, dir, variables, EXPORT)?;
    match printed.is_success {
        true => printed.text(),
        false => Err(first_error(&printed.errors)),
    }
}

/// Which release of the engine is on the PATH.
pub fn version(dir: &Path, variables: &Variables) -> Option<Release> {
    let printed = run(&["version"], dir, variables, VERSION).ok()?;
    Release::parse(printed.text().ok()?.trim().strip_prefix('v')?)
}

fn run(
    arguments: &[&str],
    dir: &Path,
    variables: &Variables,
    limits: Limits,
) -> Result<Printed, String> {
    let program = process::find("pulumi", variables);
    let program = program.ok_or_else(|| "pulumi is not on the PATH".to_owned())?;
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(dir)
        .env_clear()
        .envs(variables.iter())
        // It doesn't look for newer releases of itself.
        .env("PULUMI_SKIP_UPDATE_CHECK", "true");
    process::run(command, limits)
}

/// Its error message, in one line.
fn first_error(printed: &str) -> String {
    let lines = printed.lines().map(str::trim);
    let mut lines = lines.filter(|it| !it.is_empty() && !it.starts_with("warning:"));
    match lines.next() {
        Some(line) => line.trim_start_matches("error: ").to_owned(),
        None => "it failed without a message".to_owned(),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn with_pulumi<T>(script: &str, ask: impl FnOnce(&Path, &Variables) -> T) -> T {
        let dir = tempfile::tempdir().unwrap();
        let program = dir.path().join("pulumi");
        fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let path = format!("{}:/bin:/usr/bin", dir.path().display());
        ask(dir.path(), &Variables::from([("PATH", path)]))
    }

    #[test]
    fn a_state_is_exported_with_its_secrets_or_without_them() {
        let ask = |dir: &Path, variables: &Variables| export(dir, "dev", variables);
        let all = with_pulumi("echo \"$@\"", ask);
        let expected = "stack export --stack dev --non-interactive --show-secrets\n";
        assert_eq!(all.as_deref(), Ok(expected));
        let sealed = "case \"$*\" in *--show-secrets) exit 1;; esac; echo '{}'";
        assert_eq!(with_pulumi(sealed, ask).as_deref(), Ok("{}\n"));
        let failing = "echo 'warning: old' >&2; echo 'error: no stack named dev' >&2; exit 1";
        assert_eq!(
            with_pulumi(failing, ask),
            Err("no stack named dev".to_owned())
        );
        let none = Variables::from([("PATH", "/nowhere")]);
        assert_eq!(
            ask(Path::new("/"), &none),
            Err("pulumi is not on the PATH".to_owned())
        );
    }

    #[test]
    fn the_release_of_the_engine_is_known() {
        assert_eq!(
            with_pulumi("echo v3.260.1-dev", version),
            Some(Release(3, 260, 1))
        );
        assert_eq!(with_pulumi("echo hello", version), None);
    }
}
