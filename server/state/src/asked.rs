//! What programs answered for their version, kept where the folder makes no difference.
//!
//! A version manager stands in the place of the program and chooses by the files of the folder, so it is asked in each. Terraform
//! and OpenTofu themselves answer the same everywhere, and say in the program what they are: Go notes the package it was built of.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use config::Version;
use disk::{Limit, Stamp};
use memchr::memmem::Finder;

/// What precedes the name of the package, and the packages.
const PACKAGES: [&str; 2] = [
    "path\tgithub.com/hashicorp/terraform\n",
    "path\tgithub.com/opentofu/opentofu/cmd/tofu\n",
];

static CACHED: Mutex<BTreeMap<PathBuf, CachedVersion>> = Mutex::new(BTreeMap::new());

struct CachedVersion {
    stamp: Stamp,
    version: Version,
    /// Whether it is no version manager; looked at when it is wanted a second time.
    is_itself: Option<bool>,
}

/// The version of a program, where it was asked already and any folder gets the same answer.
pub(crate) fn version(program: &Path) -> Option<Version> {
    let stamp = Stamp::of(program).ok()?;
    let mut all = CACHED.lock().unwrap_or_else(PoisonError::into_inner);
    let asked = all.get_mut(program).filter(|it| it.stamp == stamp)?;
    let is_itself = *asked.is_itself.get_or_insert_with(|| is_itself(program));
    is_itself.then_some(asked.version)
}

pub(crate) fn keep(program: &Path, version: Version) {
    let Ok(stamp) = Stamp::of(program) else {
        return;
    };
    let mut all = CACHED.lock().unwrap_or_else(PoisonError::into_inner);
    let is_known = all.get(program).is_some_and(|it| it.stamp == stamp);
    if !is_known {
        let is_itself = None;
        let asked = CachedVersion {
            stamp,
            version,
            is_itself,
        };
        all.insert(program.to_owned(), asked);
    }
}

fn is_itself(program: &Path) -> bool {
    let finders = PACKAGES.map(Finder::new);
    let longest = PACKAGES.map(str::len).into_iter().max().unwrap_or_default();
    let (mut seen, mut is_found) = (Vec::new(), false);
    let read = disk::read_parts(program, Limit::HASHED, &mut |part| {
        // With the end of the part before: a name may stand across.
        seen.drain(..seen.len().saturating_sub(longest));
        seen.extend_from_slice(part);
        is_found |= finders.iter().any(|it| it.find(&seen).is_some());
    });
    read.is_ok() && is_found
}
