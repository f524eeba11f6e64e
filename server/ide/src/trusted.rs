//! Which folders are trusted.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Where provider plugins may be started. All paths are without links.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Trusted {
    Everywhere,
    In {
        /// The folders that the editor has open.
        folders: Vec<PathBuf>,
        /// Some of these, and root modules outside of them. A folder inside of one that is trusted is not, where the editor
        /// has it open by itself.
        trusted: BTreeSet<PathBuf>,
    },
}

impl Default for Trusted {
    fn default() -> Trusted {
        Trusted::In {
            folders: Vec::new(),
            trusted: BTreeSet::new(),
        }
    }
}

impl Trusted {
    /// What has to be trusted for the root module in `dir`: the innermost open folder around it, or itself.
    pub fn place<'a>(&'a self, dir: &'a Path) -> &'a Path {
        let folders = match self {
            Trusted::Everywhere => &[],
            Trusted::In { folders, .. } => &folders[..],
        };
        let around = folders.iter().filter(|folder| dir.starts_with(folder));
        around
            .max_by_key(|folder| folder.components().count())
            .map_or(dir, |folder| folder)
    }

    pub(crate) fn takes(&self, dir: &Path) -> bool {
        match self {
            Trusted::Everywhere => true,
            Trusted::In { trusted, .. } => trusted.contains(self.place(dir)),
        }
    }

    /// Whether `other` may leave out something that this takes.
    pub(crate) fn takes_more_than(&self, other: &Trusted) -> bool {
        match (self, other) {
            (_, Trusted::Everywhere) => false,
            (Trusted::Everywhere, Trusted::In { .. }) => true,
            (Trusted::In { trusted, .. }, Trusted::In { .. }) => {
                trusted.iter().any(|dir| !other.takes(dir))
            }
        }
    }
}
