//! The user's yeses between runs: folders that are trusted and packages that may start.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use disk::Limit;
use plan::Package;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{TrustFolder, Trusted};

/// In the state folder. Before version 2 it was a list of the paths of folders.
const FILE: &str = "trusted.json";
const VERSION: u32 = 2;

/// Held while the file is changed: two servers may be answered at the same time.
const LOCK: &str = "trusted.lock";

/// All that was answered with yes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ApprovalFile {
    version: u32,
    pub folders: Vec<TrustedFolder>,
    pub providers: Vec<ApprovedProvider>,
}

/// A folder that is trusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustedFolder {
    /// Without links.
    pub path: PathBuf,
    /// When the folder was made, in nanoseconds since 1970. None: the folder counts by its path alone.
    #[serde(default)]
    created: Option<u64>,
    /// When it was answered, in seconds since 1970. None: before answers had a time.
    #[serde(default)]
    pub at: Option<u64>,
}

/// A package of a provider that may start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApprovedProvider {
    /// With its host.
    pub address: String,
    pub hash: String,
    /// The folder that it was first approved for.
    pub folder: PathBuf,
    /// When, in seconds since 1970.
    pub at: u64,
}

/// Shows whether the file was changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ApprovalStamp(Option<(Option<SystemTime>, u64, u64)>);

impl ApprovalStamp {
    pub fn of(state_dir: &Path) -> ApprovalStamp {
        let stamp = |it: Metadata| (it.modified().ok(), it.len(), inode(&it));
        ApprovalStamp(fs::metadata(state_dir.join(FILE)).ok().map(stamp))
    }
}

/// Each change makes another file.
fn inode(metadata: &Metadata) -> u64 {
    #[cfg(unix)]
    return std::os::unix::fs::MetadataExt::ino(metadata);
    #[cfg(not(unix))]
    return metadata.len();
}

impl ApprovalFile {
    /// The content of the file. A part that can't be read counts as never answered.
    pub fn read(state_dir: &Path) -> ApprovalFile {
        let text = disk::read(&state_dir.join(FILE), Limit::CONFIGURATION).unwrap_or_default();
        match serde_json::from_slice(&text).unwrap_or_default() {
            Value::Array(paths) => ApprovalFile {
                folders: readable(Value::Array(paths), |path| TrustedFolder {
                    path,
                    created: None,
                    at: None,
                }),
                ..ApprovalFile::default()
            },
            mut said => {
                let mut list = |name| said.get_mut(name).map(Value::take).unwrap_or_default();
                ApprovalFile {
                    version: VERSION,
                    folders: readable(list("folders"), |it| it),
                    providers: readable(list("providers"), |it| it),
                }
            }
        }
    }

    /// Changes the content of the file.
    pub fn change(state_dir: &Path, change: impl FnOnce(&mut ApprovalFile)) -> io::Result<()> {
        // Where there are no locks, the last one to write wins.
        let lock = disk::lock_private(&state_dir.join(LOCK));
        let _lock = lock.inspect_err(|error| tracing::debug!(%error, "no lock"));
        let before = ApprovalFile::read(state_dir);
        let mut kept = before.clone();
        change(&mut kept);
        if kept == before {
            return Ok(());
        }
        kept.version = VERSION;
        let text = serde_json::to_vec_pretty(&kept)?;
        disk::write_private(&state_dir.join(FILE), &[&text])
    }

    /// Adds a yes for these packages, asked for this folder.
    pub fn add(&mut self, folder: &TrustFolder, packages: &BTreeSet<Package>) {
        let since_1970 = |time: SystemTime| time.duration_since(SystemTime::UNIX_EPOCH).ok();
        let at = since_1970(SystemTime::now()).unwrap_or_default().as_secs();
        let created = folder.created.and_then(since_1970);
        self.folders.retain(|it| it.path != folder.path);
        self.folders.push(TrustedFolder {
            path: folder.path.clone(),
            created: created.and_then(|it| it.as_nanos().try_into().ok()),
            at: Some(at),
        });
        let known = self.packages();
        let new = packages.difference(&known);
        self.providers.extend(new.map(|package| ApprovedProvider {
            address: package.provider.to_string(),
            hash: package.hash.clone(),
            folder: folder.path.clone(),
            at,
        }));
    }

    pub fn trusted(&self) -> Trusted {
        let time = |nanos| SystemTime::UNIX_EPOCH + Duration::from_nanos(nanos);
        let folders = self.folders.iter();
        let folders = folders.map(|it| (it.path.clone(), it.created.map(time)));
        Trusted::These(folders.collect::<BTreeMap<_, _>>())
    }

    pub fn packages(&self) -> BTreeSet<Package> {
        let packages = self.providers.iter().filter_map(|it| {
            Some(Package {
                provider: it.address.parse().ok()?,
                hash: it.hash.clone(),
            })
        });
        packages.collect()
    }
}

/// The valid elements of a list.
fn readable<T: for<'a> Deserialize<'a>, U>(list: Value, made: impl Fn(T) -> U) -> Vec<U> {
    let list: Vec<Value> = serde_json::from_value(list).unwrap_or_default();
    let readable = list
        .into_iter()
        .filter_map(|it| serde_json::from_value(it).ok());
    readable.map(made).collect()
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn package(address: &str, hash: &str) -> Package {
        Package {
            provider: address.parse().unwrap(),
            hash: hash.to_owned(),
        }
    }

    fn folder(path: &str) -> TrustFolder {
        TrustFolder {
            path: path.into(),
            created: Some(SystemTime::UNIX_EPOCH + Duration::new(1_700_000_000, 123_456_789)),
        }
    }

    #[test]
    fn a_yes_is_kept_with_the_packages_that_it_named_for_the_user_alone() {
        let dir = tempfile::tempdir().unwrap();
        let [good, other] = ["acme/good", "acme/other"].map(|it| package(it, "h1:1"));
        let both = BTreeSet::from([good.clone(), other]);
        ApprovalFile::change(dir.path(), |kept| {
            kept.add(&folder("/a"), &BTreeSet::from([good]))
        })
        .unwrap();
        ApprovalFile::change(dir.path(), |kept| kept.add(&folder("/b"), &both)).unwrap();
        let kept = ApprovalFile::read(dir.path());
        assert_eq!(kept.packages(), both);
        assert!(kept.trusted().takes(&folder("/a")) && kept.trusted().takes(&folder("/b")));
        let first: Vec<_> = kept.providers.iter().map(|it| it.folder.to_str()).collect();
        assert_eq!(first, [Some("/a"), Some("/b")]);
        for name in [FILE, LOCK] {
            let mode = fs::metadata(dir.path().join(name))
                .unwrap()
                .permissions()
                .mode();
            assert_eq!(mode & 0o777, 0o600, "{name}");
        }
    }

    #[test]
    fn a_folder_that_was_made_anew_under_the_same_path_is_not_trusted() {
        let mut kept = ApprovalFile::default();
        kept.add(&folder("/a"), &BTreeSet::new());
        let anew = |created| TrustFolder {
            created,
            ..folder("/a")
        };
        assert!(kept.trusted().takes(&folder("/a")));
        assert!(!kept.trusted().takes(&anew(Some(SystemTime::UNIX_EPOCH))));
        assert!(!kept.trusted().takes(&anew(None)));
    }

    #[test]
    fn a_file_of_the_older_format_trusts_folders_and_names_no_package() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(FILE), r#"["/a", "/b"]"#).unwrap();
        let kept = ApprovalFile::read(dir.path());
        assert!(kept.trusted().takes(&folder("/a")) && kept.packages().is_empty());
        let good = BTreeSet::from([package("acme/good", "h1:1")]);
        ApprovalFile::change(dir.path(), |kept| kept.add(&folder("/a"), &good)).unwrap();
        let kept = ApprovalFile::read(dir.path());
        assert!(kept.trusted().takes(&folder("/b")));
        assert_eq!(kept.packages(), good);
    }

    #[test]
    fn an_invalid_trust_answer_counts_as_none_and_is_rewritten() {
        let dir = tempfile::tempdir().unwrap();
        let deep = "[".repeat(100_000);
        for garbage in [
            "",
            "{",
            "null",
            "[1, {}]",
            "\u{0}",
            "{\"folders\": 1, \"providers\": {}}",
            &deep,
        ] {
            fs::write(dir.path().join(FILE), garbage).unwrap();
            let kept = ApprovalFile::read(dir.path());
            assert!(
                kept.folders.is_empty() && kept.providers.is_empty(),
                "{garbage}"
            );
        }
        ApprovalFile::change(dir.path(), |kept| kept.add(&folder("/a"), &BTreeSet::new())).unwrap();
        assert!(
            ApprovalFile::read(dir.path())
                .trusted()
                .takes(&folder("/a"))
        );
    }

    #[test]
    fn an_incomplete_trust_entry_leaves_the_others() {
        let dir = tempfile::tempdir().unwrap();
        let text = r#"{"version": 2, "folders": [{"path": 1}, {"path": "/a"}], "providers": [
            {"address": "acme/good"},
            {"address": "not/an/address/at/all", "hash": "h1:1", "folder": "/a", "at": 1},
            {"address": "registry.terraform.io/acme/good", "hash": "h1:1", "folder": "/a", "at": 1}]}"#;
        fs::write(dir.path().join(FILE), text).unwrap();
        let kept = ApprovalFile::read(dir.path());
        assert_eq!(
            kept.packages(),
            BTreeSet::from([package("acme/good", "h1:1")])
        );
        assert!(kept.trusted().takes(&folder("/a")));
    }

    #[test]
    fn answers_that_are_kept_at_the_same_time_are_all_kept() {
        let dir = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for n in 0..8 {
                let dir = dir.path();
                scope.spawn(move || {
                    let one = BTreeSet::from([package("acme/good", &format!("h1:{n}"))]);
                    ApprovalFile::change(dir, |kept| kept.add(&folder("/a"), &one)).unwrap();
                });
            }
        });
        assert_eq!(ApprovalFile::read(dir.path()).packages().len(), 8);
    }
}
