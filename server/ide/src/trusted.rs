//! Which folders are trusted, and the answers of the user between runs.

mod kept;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

pub use kept::{ApprovalFile, ApprovalStamp, ApprovedProvider, TrustedFolder};

/// The marks of a folder that is a repository: one inside of a folder is trusted by itself.
const REPOSITORY: [&str; 3] = [".git", ".hg", ".jj"];

/// The folders that the user trusts: their configuration may read files outside of them, is given to providers, and
/// decides where `terraform` runs. Which plugins may start is another question: see [`plan::Approved`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Trusted {
    Everywhere,
    /// By the path without links, with the folder's creation where that is known.
    These(BTreeMap<PathBuf, Option<SystemTime>>),
}

/// A folder that may be trusted. A folder re-created at the same path is a different one.
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

/// A folder's path without links, as far as there is one.
pub fn canonical(folder: &Path) -> PathBuf {
    disk::real(folder).unwrap_or_else(|_| folder.to_owned())
}

impl TrustFolder {
    /// The folder to trust for the root module in `dir`: the innermost folder around it that is `open`, or a repository
    /// that lies in there, or else the root module itself.
    pub(crate) fn around(dir: &Path, open: &[PathBuf]) -> TrustFolder {
        let dir = canonical(dir);
        let open: BTreeSet<PathBuf> = open.iter().map(|it| canonical(it)).collect();
        let is_repository = |dir: &Path| REPOSITORY.iter().any(|it| dir.join(it).exists());
        let around = dir.ancestors().find(|it| open.contains(*it));
        let path = around.map_or(&*dir, |folder| {
            let mut inside = dir.ancestors().take_while(|it| *it != folder);
            inside.find(|it| is_repository(it)).unwrap_or(folder)
        });
        TrustFolder {
            created: fs::metadata(path).and_then(|it| it.created()).ok(),
            path: path.to_owned(),
        }
    }
}
