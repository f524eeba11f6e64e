//! Environment variables.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

/// The variables of an environment, as the system has them: a value may be any bytes, and programs get it as it is.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Variables(BTreeMap<OsString, OsString>);

impl Variables {
    /// Those of this process.
    pub fn of_this_process() -> Variables {
        std::env::vars_os().collect()
    }

    pub fn get(&self, name: impl AsRef<OsStr>) -> Option<&OsStr> {
        self.0.get(name.as_ref()).map(OsString::as_os_str)
    }

    /// A value that is read as text. None: it is not set, or not UTF-8.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.to_str()
    }

    pub fn insert(&mut self, name: impl Into<OsString>, value: impl Into<OsString>) {
        self.0.insert(name.into(), value.into());
    }

    pub fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.0
            .iter()
            .map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }
}

impl<N: Into<OsString>, V: Into<OsString>> Extend<(N, V)> for Variables {
    fn extend<I: IntoIterator<Item = (N, V)>>(&mut self, variables: I) {
        let variables = variables.into_iter();
        self.0
            .extend(variables.map(|(name, value)| (name.into(), value.into())));
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
        f.debug_set().entries(self.0.keys()).finish()
    }
}
