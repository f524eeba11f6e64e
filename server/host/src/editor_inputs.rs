//! A note of the inputs that an editor gives a root module beside its files, for `planlens doctor`.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

use disk::Limit;
use ide::RootInputs;

/// Notes the inputs that the editor gives a root module, in the folder for caches: for a person who asks why the command line plans
/// something else. Names only, no values.
pub(crate) fn note(cache_dir: &Path, root: &Path, given: &RootInputs) -> io::Result<()> {
    let path = path(cache_dir, root);
    if *given == RootInputs::default() {
        let removed = fs::remove_file(path);
        return removed.or_else(|error| match error.kind() {
            io::ErrorKind::NotFound => Ok(()),
            _ => Err(error),
        });
    }
    let described = given.described(root);
    let text = match &given.environment {
        Some(name) => format!("environment {name}: {described}"),
        None => described,
    };
    disk::write_private(&path, &[text.as_bytes()])
}

/// The inputs that an editor last gave the root module in a folder beside its files, in one line; `None`: nothing.
pub fn noted(cache_dir: &Path, root: &Path) -> Option<String> {
    disk::read_text(&path(cache_dir, root), Limit::CONFIGURATION).ok()
}

fn path(cache_dir: &Path, root: &Path) -> PathBuf {
    let mut hasher = DefaultHasher::new();
    root.hash(&mut hasher);
    cache_dir
        .join("given")
        .join(format!("{:016x}", hasher.finish()))
}
