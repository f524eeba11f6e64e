//! Paths as text, in one form on all systems: `/` between the parts, drives in upper case (`C:/a`), hosts behind two slashes
//! (`//host/share/a`). Windows takes it as it is.

use std::borrow::Cow;
use std::path::Path;

/// A path of the system in this form. What is not UTF-8 is replaced.
pub fn path_text(path: &Path) -> Cow<'_, str> {
    let text = path.to_string_lossy();
    match cfg!(windows) {
        true => from_windows(&text).into(),
        false => text,
    }
}

/// A path in this form that may have been written in another one.
pub fn path(written: &str) -> Cow<'_, str> {
    match cfg!(windows) {
        true => from_windows(written).into(),
        false => written.into(),
    }
}

/// What a path in this form begins with if it is absolute, and the rest.
pub fn root_of_path(path: &str) -> Option<(&str, &str)> {
    let length = match path.as_bytes() {
        [b'/', b'/', next, ..] if cfg!(windows) && *next != b'/' => 2,
        [b'/', ..] => 1,
        [letter, b':', b'/', ..] if cfg!(windows) && letter.is_ascii_alphabetic() => 3,
        _ => return None,
    };
    Some(path.split_at(length))
}

fn from_windows(written: &str) -> String {
    let path = written.replace('\\', "/");
    // `\\?\` says that a path is to be taken as it is.
    let path = match path.strip_prefix("//?/") {
        Some(rest) => match rest.strip_prefix("UNC/") {
            Some(rest) => format!("//{rest}"),
            None => rest.to_owned(),
        },
        None => path,
    };
    match path.as_bytes() {
        [drive @ b'a'..=b'z', b':', ..] => {
            format!("{}{}", drive.to_ascii_uppercase() as char, &path[1..])
        }
        _ => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_windows_have_one_form() {
        for (written, path) in [
            (r"C:\a b\main.tf", "C:/a b/main.tf"),
            (r"c:/a\b", "C:/a/b"),
            (r"\\?\C:\a", "C:/a"),
            (r"\\?\UNC\host\share\a", "//host/share/a"),
            (r"\\host\share\a", "//host/share/a"),
            (r"..\a", "../a"),
            ("untitled:Untitled-1", "untitled:Untitled-1"),
            ("é", "é"),
            ("", ""),
        ] {
            assert_eq!(from_windows(written), path, "{written}");
        }
    }

    #[test]
    fn absolute_paths_follow_the_system() {
        assert_eq!(root_of_path("/a/b"), Some(("/", "a/b")));
        assert_eq!(root_of_path("a/b"), None);
        let only_windows =
            |path: Option<(&'static str, &'static str)>| path.filter(|_| cfg!(windows));
        assert_eq!(root_of_path("C:/a"), only_windows(Some(("C:/", "a"))));
        assert_eq!(root_of_path("C:a"), None);
        if cfg!(windows) {
            assert_eq!(root_of_path("//host/share"), Some(("//", "host/share")));
        }
    }
}
