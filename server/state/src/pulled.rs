//! States that were pulled from a backend, kept between runs.
//!
//! What is kept is a state file, which may hold secrets: only the user may read it.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;
use std::{fs, io};

use disk::{Limit, write_private};
use serde::Deserialize;

use crate::Location;

/// A state as its backend had it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pulled {
    pub location: Location,
    /// A state file; empty where nothing was stored yet.
    pub text: Arc<str>,
    pub at: SystemTime,
}

impl Pulled {
    /// Whether both are the same version of the same state.
    pub fn is_same_version(&self, other: &Pulled) -> bool {
        self.location == other.location
            && match (version(&self.text), version(&other.text)) {
                (Some(one), Some(another)) => one == another,
                _ => self.text == other.text,
            }
    }
}

/// Lineage and serial.
fn version(text: &str) -> Option<(String, u64)> {
    #[derive(Deserialize)]
    struct Version {
        lineage: String,
        serial: u64,
    }
    let version: Version = serde_json::from_str(text).ok()?;
    Some((version.lineage, version.serial))
}

/// The state that was last pulled from `location` for the root module in `dir`, if it is kept in `cache_dir`.
pub fn kept(cache_dir: &Path, dir: &Path, location: &Location) -> Option<Pulled> {
    let path = path(cache_dir, dir, location);
    let at = fs::metadata(&path).ok()?.modified().ok()?;
    let text = disk::read_text(&path, Limit::STATE).ok()?;
    Some(Pulled {
        location: location.clone(),
        text: text.into(),
        at,
    })
}

/// Keeps a state in `cache_dir`, in place of the one that was pulled before.
pub fn keep(cache_dir: &Path, dir: &Path, pulled: &Pulled) -> io::Result<()> {
    let path = path(cache_dir, dir, &pulled.location);
    write_private(&path, &[pulled.text.as_bytes()])
}

/// A file for each folder, backend and workspace.
fn path(cache_dir: &Path, dir: &Path, location: &Location) -> PathBuf {
    let mut hasher = DefaultHasher::new();
    (dir, format!("{location:?}")).hash(&mut hasher);
    let name = format!("{:016x}.tfstate", hasher.finish());
    cache_dir.join("states").join(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pulled(text: &str) -> Pulled {
        Pulled {
            location: Location::Backend {
                r#type: "http".into(),
                workspace: "default".into(),
                config: "{}".into(),
            },
            text: text.into(),
            at: SystemTime::UNIX_EPOCH,
        }
    }

    #[test]
    fn a_kept_state_is_found_for_its_folder() {
        let cache = std::env::temp_dir().join(format!("planlens-pulled-{}", std::process::id()));
        let dir = Path::new("/module");
        let first = pulled(r#"{"lineage": "a", "serial": 1}"#);
        let second = pulled(r#"{"lineage": "a", "serial": 2}"#);
        keep(&cache, dir, &first).unwrap();
        keep(&cache, dir, &second).unwrap();
        let found = kept(&cache, dir, &second.location).unwrap();
        assert_eq!(found.text, second.text);
        assert_eq!(kept(&cache, Path::new("/other"), &second.location), None);
        fs::remove_dir_all(cache).unwrap();
    }

    #[test]
    fn lineage_and_serial_tell_versions_apart() {
        let one = pulled(r#"{"lineage": "a", "serial": 1, "outputs": {}}"#);
        assert!(one.is_same_version(&pulled(r#"{"lineage": "a", "serial": 1}"#)));
        assert!(!one.is_same_version(&pulled(r#"{"lineage": "a", "serial": 2}"#)));
        assert!(!one.is_same_version(&pulled(r#"{"lineage": "b", "serial": 1}"#)));
        assert!(!one.is_same_version(&pulled("")));
    }
}
