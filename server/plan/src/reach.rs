//! Where functions such as `file` may look.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use eval::OutsideWorkspace;

/// Where functions may look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    Everywhere,
    /// In folders alone: those of a workspace that is not trusted.
    Within(Vec<Folder>),
    /// The same, but without files that hold secrets by their names: the reader may be a stranger's text.
    Confined(Vec<Folder>),
}

/// A folder by the path that it is known by, and without links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folder {
    known: PathBuf,
    real: PathBuf,
}

/// More links on the way to a file are no way, as for the system.
const MAX_LINKS: usize = 40;

impl Reach {
    /// Of `folders` alone, which are absolute.
    pub fn within<'a>(folders: impl IntoIterator<Item = &'a Path>) -> Reach {
        let folders = folders.into_iter().map(|known| Folder {
            real: disk::real(known).unwrap_or_else(|_| known.to_owned()),
            known: known.to_owned(),
        });
        Reach::Within(folders.collect())
    }

    /// The same, without files that hold secrets by their names.
    pub fn confined(self) -> Reach {
        match self {
            Reach::Within(folders) => Reach::Confined(folders),
            reach => reach,
        }
    }

    /// Whether functions may look at an absolute, clean path. A path outside is not even asked for: a look may mount
    /// a folder, or tell a server elsewhere who is looking.
    pub(crate) fn check(&self, path: &Path) -> io::Result<()> {
        match self {
            Reach::Everywhere => Ok(()),
            Reach::Within(folders) => PathResolver::new(folders, path).follow().map(drop),
            Reach::Confined(folders) => {
                let real = PathResolver::new(folders, path).follow()?;
                // Of the way to a folder itself nobody asks.
                let is_secret = |path: &Path| {
                    let inside = folders.iter().filter_map(|folder| {
                        let inside = path.strip_prefix(&folder.real);
                        inside.or(path.strip_prefix(&folder.known)).ok()
                    });
                    inside
                        .min_by_key(|it| it.as_os_str().len())
                        .is_none_or(is_secret)
                };
                match is_secret(path) || is_secret(&real) {
                    true => Err(OutsideWorkspace.into()),
                    false => Ok(()),
                }
            }
        }
    }
}

/// Whether a file is a state, a plan, values for variables, a key, or in a hidden place: those may hold secrets.
fn is_secret(path: &Path) -> bool {
    let mut names = path.components().filter_map(|it| it.as_os_str().to_str());
    let has_secrets = |name: &str| {
        let name = name.to_lowercase();
        let endings = [
            ".asc", ".env", ".gpg", ".jks", ".kdbx", ".key", ".ovpn", ".p12", ".pem", ".pfx",
            ".plan", ".ppk", ".rc",
        ];
        let names = ["kubeconfig", "crash.log", "plan.out"];
        let stem = name.split('.').next().unwrap_or_default();
        name.starts_with('.') && !matches!(&*name, "." | "..")
            || [".tfstate", ".tfvars", ".tfrc", "tfplan"]
                .iter()
                .any(|it| name.contains(it))
            || endings.iter().any(|it| name.ends_with(it))
            || names.contains(&&*name)
            || ["credentials", "secrets"].contains(&stem)
            || name.starts_with("pulumi.") && name.ends_with(".yaml")
            || name.starts_with("id_") && !name.ends_with(".pub")
    };
    names.any(has_secrets)
}

/// The way to a file, followed as the system does.
struct PathResolver<'a> {
    folders: &'a [Folder],
    /// Where it has got to: a path without links.
    real: PathBuf,
    /// The names that are left, the next one last.
    rest: Vec<OsString>,
    links: usize,
}

impl<'a> PathResolver<'a> {
    fn new(folders: &'a [Folder], path: &Path) -> PathResolver<'a> {
        let mut way = PathResolver {
            folders,
            real: PathBuf::new(),
            rest: Vec::new(),
            links: 0,
        };
        way.go_to(path);
        way
    }

    /// Goes on from here, or from the root, to `path`, before the rest.
    fn go_to(&mut self, path: &Path) {
        let known = self
            .folders
            .iter()
            .find(|folder| path.starts_with(&folder.known));
        let (start, rest) = match known {
            Some(folder) => (
                Some(folder.real.clone()),
                path.strip_prefix(&folder.known).unwrap_or(path),
            ),
            None => (path.has_root().then(PathBuf::new), path),
        };
        self.real = start.unwrap_or_else(|| std::mem::take(&mut self.real));
        let names = rest.components().rev().map(|it| it.as_os_str().to_owned());
        self.rest.extend(names);
    }

    /// The file that it leads to.
    fn follow(mut self) -> io::Result<PathBuf> {
        while let Some(name) = self.rest.pop() {
            match Path::new(&name).components().next() {
                None | Some(Component::CurDir) => continue,
                Some(Component::ParentDir) => {
                    self.real.pop();
                    continue;
                }
                Some(Component::Normal(_) | Component::RootDir | Component::Prefix(_)) => {
                    self.real.push(&name);
                }
            }
            if self.is_on_the_way() {
                continue;
            }
            if !self.is_inside() {
                return Err(OutsideWorkspace.into());
            }
            if let Ok(target) = fs::read_link(&self.real) {
                self.links += 1;
                if self.links > MAX_LINKS {
                    return Err(OutsideWorkspace.into());
                }
                self.real.pop();
                self.go_to(&target);
            }
        }
        match self.is_inside() {
            true => Ok(self.real),
            false => Err(OutsideWorkspace.into()),
        }
    }

    fn is_inside(&self) -> bool {
        let mut folders = self.folders.iter();
        folders.any(|folder| self.real.starts_with(&folder.real))
    }

    /// Whether it is one of the folders, or above one: these are known to be no links.
    fn is_on_the_way(&self) -> bool {
        let mut folders = self.folders.iter();
        folders.any(|folder| folder.real.starts_with(&self.real))
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn secret_folders_are_out_of_a_confined_reach() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::write(at("terraform.tfstate"), "{}").unwrap();
        symlink("terraform.tfstate", at("harmless.json")).unwrap();
        let reach = Reach::within([dir.path()]).confined();
        for name in [
            "terraform.tfstate",
            "terraform.tfstate.backup",
            "harmless.json",
            "prod.auto.tfvars",
            "prod.tfvars.json",
            ".env",
            ".git/config",
            "keys/server.pem",
            "id_rsa",
        ] {
            assert!(reach.check(&at(name)).is_err(), "{name}");
        }
        for name in ["user_data.tpl", "keys/id_rsa.pub", "a/b.json"] {
            assert!(reach.check(&at(name)).is_ok(), "{name}");
        }
        assert!(reach.check(Path::new("/etc/passwd")).is_err());
        let open = Reach::within([dir.path()]);
        assert!(open.check(&at("terraform.tfstate")).is_ok());
    }

    #[test]
    fn links_are_followed_only_as_far_as_they_stay_inside() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        for folder in ["open/a", "other", "outside/b"] {
            fs::create_dir_all(at(folder)).unwrap();
        }
        symlink(at("open"), at("known")).unwrap();
        for (name, target) in [
            ("open/in", "a"),
            ("open/around", "../open/a"),
            ("open/over", "../other"),
            ("open/absolute", at("known/a").to_str().unwrap()),
            ("open/out", "../outside"),
            ("open/far", "/etc"),
            ("open/up", ".."),
            ("open/loop", "loop"),
            ("open/twice", "out/b/../../open"),
        ] {
            symlink(target, at(name)).unwrap();
        }
        let reach = Reach::within([&*at("known"), &*at("other")]);
        let is_inside = |name: &str| reach.check(&at(name)).is_ok();
        for name in [
            "known",
            "known/x",
            "known/a/x",
            "open/x",
            "known/in/x",
            "known/around/x",
            "known/over/x",
            "known/absolute/x",
            "other/x",
        ] {
            assert!(is_inside(name), "{name}");
        }
        for name in [
            "outside/b",
            "known/out",
            "known/out/b",
            "known/far/passwd",
            "known/up",
            "known/up/outside/b",
            "known/loop",
            "known/twice/a",
            "opener",
            "",
        ] {
            assert!(!is_inside(name), "{name}");
        }
        assert!(reach.check(Path::new("/")).is_err());
        assert!(Reach::Everywhere.check(Path::new("/")).is_ok());
    }
}
