//! Which plugins may start: those that the user approved, by their content.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use disk::{Limit, Stamp};
use ide::{Approved, Package, PluginAddr, Snapshot, Untrusted};
use pulumi::ask::BasePlugin;
use pulumi_provider::Gate;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// The user's answers, and open questions.
#[derive(Default)]
pub(crate) struct Trust {
    answer: Mutex<CurrentTrust>,
    digests: Mutex<HashMap<PathBuf, (Stamp, String)>>,
}

#[derive(Default)]
struct CurrentTrust {
    approved: Approved,
    is_trusted: bool,
    needed: Untrusted,
}

impl Trust {
    pub(crate) fn take(&self, snapshot: &Snapshot, dir: &Path) {
        *locked(&self.answer) = CurrentTrust {
            approved: snapshot.approved().clone(),
            is_trusted: snapshot.trusts(dir),
            needed: Untrusted::default(),
        };
    }

    /// Refusals since the last answer of the user.
    pub(crate) fn needed(&self) -> Untrusted {
        locked(&self.answer).needed.clone()
    }

    /// The digest of an executable, which is computed again when the file changes.
    fn digest(&self, path: &Path) -> Option<String> {
        let stamp = Stamp::of(path).ok()?;
        if let Some((known, digest)) = locked(&self.digests).get(path)
            && *known == stamp
        {
            return Some(digest.clone());
        }
        let mut hasher = Sha256::new();
        disk::read_parts(path, Limit::PACKAGE, &mut |part| hasher.update(part)).ok()?;
        let digest = shown(hasher);
        locked(&self.digests).insert(path.to_owned(), (stamp, digest.clone()));
        Some(digest)
    }
}

impl Trust {
    /// The digest of a plugin with its parameter, which may be the path of another program that it starts.
    fn digest_of_base(&self, plugin: &str, base: &BasePlugin, dir: &Path) -> String {
        let mut hasher = Sha256::new();
        hasher.update(plugin);
        hasher.update(&base.parameter);
        let parameter: Result<Value, _> = serde_json::from_slice(&base.parameter);
        let parameter = parameter.unwrap_or_default();
        if let Some(path) = parameter["local"]["path"].as_str()
            && let Some(digest) = self.digest(&disk::joined(dir, path))
        {
            hasher.update(digest);
        }
        shown(hasher)
    }
}

fn shown(hasher: Sha256) -> String {
    let bytes = hasher.finalize();
    let hex: String = bytes.iter().map(|it| format!("{it:02x}")).collect();
    format!("sha256:{hex}")
}

impl Gate for Trust {
    fn check(
        &self,
        package: &pulumi::ask::Package,
        path: Option<&Path>,
        dir: &Path,
    ) -> Result<(), String> {
        const WAITS: &str = "its plugin does not start until you trust this workspace";
        let (approved, is_trusted) = {
            let answer = locked(&self.answer);
            (answer.approved.clone(), answer.is_trusted)
        };
        // Plugins of Pulumi have no address; they are known by their names.
        let address: PluginAddr = format!("get.pulumi.com/plugins/{}", package.name)
            .parse()
            .map_err(|_| format!("{:?} is not the name of a package", package.name))?;
        let Some(path) = path else {
            // Somebody else runs it, and is given the configuration of the folder.
            return match is_trusted {
                true => Ok(()),
                false => {
                    locked(&self.answer).needed.configured.insert(address);
                    Err(WAITS.to_owned())
                }
            };
        };
        let is_started = match &approved {
            Approved::All => true,
            Approved::Nothing => return Err("its plugin may not start".to_owned()),
            Approved::These(these) => {
                let hash = self.digest(path).ok_or("its plugin cannot be read")?;
                let hash = match &package.base {
                    Some(base) => self.digest_of_base(&hash, base, dir),
                    None => hash,
                };
                let wanted = Package {
                    provider: address.clone(),
                    hash,
                };
                let is_approved = these.take(&wanted);
                if !is_approved {
                    let needed = &mut locked(&self.answer).needed;
                    needed.places.insert(address.clone(), path.to_owned());
                    needed.packages.insert(wanted);
                }
                is_approved
            }
        };
        if !is_trusted {
            locked(&self.answer).needed.configured.insert(address);
        }
        match is_started && is_trusted {
            true => Ok(()),
            false => Err(WAITS.to_owned()),
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_plugin_that_is_told_something_else_is_asked_about_again() {
        let dir = tempfile::tempdir().unwrap();
        let program = dir.path().join("terraform-provider-x");
        fs::write(&program, "one").unwrap();
        let trust = Trust::default();
        let digest = |parameter: &str| {
            let base = BasePlugin {
                plugin: "terraform-provider".to_owned(),
                version: None,
                parameter: parameter.as_bytes().to_vec(),
            };
            trust.digest_of_base("sha256:0", &base, dir.path())
        };
        let local = r#"{"local": {"path": "./terraform-provider-x"}}"#;
        let first = digest(local);
        assert_eq!(first, digest(local));
        assert_ne!(first, digest(r#"{"remote": {"url": "x", "version": "1"}}"#));
        fs::write(&program, "another").unwrap();
        assert_ne!(first, digest(local));
    }
}
