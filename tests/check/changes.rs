//! Changes that could hide their effect from `planlens check`, and repositories that attack it.

use std::fs;
use std::path::PathBuf;
use std::process::Output;

use super::support::{printed, scratch};
use super::{check, commit, git, state, write};

const RESOURCE: &str = "resource \"terraform_data\" \"x\" {\n  input            = \"one\"\n  triggers_replace = \"t\"\n}\n";

/// A repository with a resource in the folder `m` and in its state.
fn with_state(test: &str) -> PathBuf {
    let folder = scratch(test).join("repository");
    write(&folder, "m/main.tf", RESOURCE);
    write(&folder, "m/terraform.tfstate", &state(&[("x", "one", "t")]));
    let folder = folder.canonicalize().unwrap();
    git(&folder, &["init", "-q", "-b", "main"]);
    commit(&folder);
    folder
}

fn assert_fails(output: &Output, message: &str) {
    assert_eq!(output.status.code(), Some(1), "{}", printed(output));
    assert!(printed(output).contains(message), "{}", printed(output));
}

#[cfg(unix)]
#[test]
fn an_unreadable_file_beside_empty_ones_is_an_error() {
    let folder = with_state("an_unreadable_file");
    write(&folder, "m/main.tf", "");
    std::os::unix::fs::symlink("nothing", folder.join("m/x.tf")).unwrap();
    for options in [&[][..], &["-diff=main"]] {
        assert_fails(
            &check(&folder, options),
            "m:1:1: error: Failed to read file: ",
        );
    }
    fs::remove_file(folder.join("m/main.tf")).unwrap();
    for options in [&[][..], &["-diff=main"]] {
        assert_fails(
            &check(&folder, options),
            "m/x.tf:1:1: error: Failed to read file: ",
        );
    }
    fs::remove_file(folder.join("m/x.tf")).unwrap();
    write(&folder, "m/main.tf", "");
    write(&folder, "m/terraform.tfstate", "{");
    assert_fails(&check(&folder, &[]), "m:1:1: error: State can't be read");
}
