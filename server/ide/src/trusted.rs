//! Which folders are trusted.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::SystemTime;

/// The folders that the user trusts: their configuration may read what lies outside of them, is given to providers, and
/// says what `terraform` runs on. Which plugins may start is another question: see [`plan::Approved`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Trusted {
    Everywhere,
    /// By the path without links, with the folder's creation where that is known.
    These(BTreeMap<PathBuf, Option<SystemTime>>),
}

/// A folder that may be trusted. One that was made anew under the same path is another.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct TrustFolder {
    /// Without links.
    pub path: PathBuf,
    /// `None` where the file system does not tell.
    pub created: Option<SystemTime>,
}

impl Default for Trusted {
    fn default() -> Trusted {
        Trusted::These(BTreeMap::new())
    }
}

impl Trusted {
    pub fn takes(&self, folder: &TrustFolder) -> bool {
        match self {
            Trusted::Everywhere => true,
            Trusted::These(these) => these
                .get(&folder.path)
                .is_some_and(|created| created.is_none() || *created == folder.created),
        }
    }

    /// Whether `other` may leave out something that this takes.
    pub(crate) fn takes_more_than(&self, other: &Trusted) -> bool {
        match (self, other) {
            (_, Trusted::Everywhere) => false,
            (Trusted::Everywhere, Trusted::These(_)) => true,
            (Trusted::These(these), Trusted::These(others)) => these
                .iter()
                .any(|(path, created)| others.get(path) != Some(created)),
        }
    }
}
