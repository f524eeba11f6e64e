//! Programs on the PATH.

use std::path::PathBuf;

use crate::{Variables, is_executable};

/// The program of this name. Relative folders of the PATH are passed over: a file in a workspace is no program of the
/// user's.
pub fn find(name: &str, variables: &Variables) -> Option<PathBuf> {
    let names = file_names(name, variables);
    std::env::split_paths(variables.get("PATH")?)
        .filter(|dir| dir.is_absolute())
        .flat_map(|dir| names.iter().map(move |name| dir.join(name)))
        .find(|path| path.metadata().is_ok_and(|it| is_executable(&it)))
}

/// The endings on Windows where PATHEXT is not set, of files that it can start itself.
const WINDOWS: &str = ".COM;.EXE;.BAT;.CMD";

/// The files that a program may be called, best first.
fn file_names(name: &str, variables: &Variables) -> Vec<String> {
    if !cfg!(windows) {
        return vec![name.to_owned()];
    }
    let extensions = variables.text("PATHEXT").unwrap_or(WINDOWS).split(';');
    let known = |it: &&str| {
        WINDOWS
            .split(';')
            .any(|known| known.eq_ignore_ascii_case(it))
    };
    let extensions = extensions.map(str::trim).filter(known);
    extensions
        .map(|it| format!("{name}{}", it.to_ascii_lowercase()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_have_the_names_that_the_system_gives_them() {
        let variables = Variables::from([("PATHEXT", ".EXE; .cmd;.JS")]);
        let names = file_names("tofu", &variables);
        match cfg!(windows) {
            true => assert_eq!(names, ["tofu.exe", "tofu.cmd"]),
            false => assert_eq!(names, ["tofu"]),
        }
    }
}
