//! Environment variables.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// The variables of an environment, as the system has them: a value may be any bytes, and programs get it as it is. On
/// Windows the case of a name makes no difference.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Variables(BTreeMap<OsString, Variable>);

#[derive(Clone, PartialEq, Eq)]
struct Variable {
    name: OsString,
    value: OsString,
}

/// Names that are the same variable have the same key.
fn key(name: &OsStr) -> OsString {
    match cfg!(windows) {
        true => name.to_ascii_uppercase(),
        false => name.to_owned(),
    }
}

impl Variables {
    /// Those of this process.
    pub fn of_this_process() -> Variables {
        std::env::vars_os().collect()
    }

    pub fn get(&self, name: impl AsRef<OsStr>) -> Option<&OsStr> {
        let variable = self.0.get(&key(name.as_ref()))?;
        Some(&variable.value)
    }

    /// A value that is a path. None: it is not set, or empty.
    pub fn path(&self, name: &str) -> Option<&Path> {
        let value = self.get(name).filter(|value| !value.is_empty());
        value.map(Path::new)
    }

    /// The user's own folder.
    pub fn home(&self) -> Option<&Path> {
        let windows = || self.path("USERPROFILE").filter(|_| cfg!(windows));
        self.path("HOME").or_else(windows)
    }

    /// The folder for temporary files, and the variable that names it.
    pub fn temporary_dir(&self) -> (&Path, &'static str) {
        let names: &[&str] = match cfg!(windows) {
            true => &["TMP", "TEMP", "USERPROFILE"],
            false => &["TMPDIR"],
        };
        let mut named = names
            .iter()
            .filter_map(|name| Some((self.path(name)?, *name)));
        let default = match cfg!(windows) {
            true => "C:/Windows/Temp",
            false => "/tmp",
        };
        named.next().unwrap_or((Path::new(default), names[0]))
    }

    /// A value that is read as text. None: it is not set, or not UTF-8.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.to_str()
    }

    pub fn insert(&mut self, name: impl Into<OsString>, value: impl Into<OsString>) {
        let (name, value) = (name.into(), value.into());
        self.0.insert(key(&name), Variable { name, value });
    }

    pub fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        let all = self.0.values();
        all.map(|it| (it.name.as_os_str(), it.value.as_os_str()))
    }
}

impl<N: Into<OsString>, V: Into<OsString>> Extend<(N, V)> for Variables {
    fn extend<I: IntoIterator<Item = (N, V)>>(&mut self, variables: I) {
        for (name, value) in variables {
            self.insert(name, value);
        }
    }
}

impl<N: Into<OsString>, V: Into<OsString>> FromIterator<(N, V)> for Variables {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(variables: I) -> Variables {
        let mut all = Variables::default();
        all.extend(variables);
        all
    }
}

impl<N: Into<OsString>, V: Into<OsString>, const COUNT: usize> From<[(N, V); COUNT]> for Variables {
    fn from(variables: [(N, V); COUNT]) -> Variables {
        variables.into_iter().collect()
    }
}

/// Values may be secret.
impl std::fmt::Debug for Variables {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = self.iter().map(|(name, _)| name);
        f.debug_set().entries(names).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_case_of_a_name_counts_where_it_does_for_the_system() {
        let variables = Variables::from([("Path", "a"), ("PATH", "b"), ("TF_VAR_Name", "c")]);
        let names: Vec<&OsStr> = variables.iter().map(|(name, _)| name).collect();
        match cfg!(windows) {
            true => {
                assert_eq!(names, ["PATH", "TF_VAR_Name"]);
                assert_eq!(variables.text("path"), Some("b"));
            }
            false => {
                assert_eq!(names, ["PATH", "Path", "TF_VAR_Name"]);
                assert_eq!(variables.text("path"), None);
            }
        }
    }

    #[test]
    fn folders_of_the_user_are_named_as_the_system_does() {
        let none = Variables::default();
        let windows = Variables::from([("UserProfile", "C:/Users/a"), ("Temp", "D:/temp")]);
        let unix = Variables::from([("HOME", "/home/a"), ("TMPDIR", "/var/tmp")]);
        let places = |variables: &Variables| {
            let home = variables.home().map(|it| it.display().to_string());
            let (temporary, name) = variables.temporary_dir();
            (home, temporary.display().to_string(), name)
        };
        let text = str::to_owned;
        match cfg!(windows) {
            true => {
                assert_eq!(places(&none), (None, text("C:/Windows/Temp"), "TMP"));
                let expected = (Some(text("C:/Users/a")), text("D:/temp"), "TEMP");
                assert_eq!(places(&windows), expected);
            }
            false => {
                assert_eq!(places(&none), (None, text("/tmp"), "TMPDIR"));
                assert_eq!(places(&windows), (None, text("/tmp"), "TMPDIR"));
                let expected = (Some(text("/home/a")), text("/var/tmp"), "TMPDIR");
                assert_eq!(places(&unix), expected);
            }
        }
    }
}
