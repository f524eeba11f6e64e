//! Lock files: which plugins serve the packages of a program, and which of them become a package by a parameter.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use disk::Limit;
use yaml::{Node, Resolved};

use crate::ask::{BasePlugin, Package};
use crate::release::strict;

/// The content of lock files, by the name of the package.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Locks {
    packages: BTreeMap<String, Lock>,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Lock {
    /// Of the package.
    pub version: Option<String>,
    pub url: Option<String>,
    pub base: Option<Arc<BasePlugin>>,
    /// The name of the extension that adds types to the package.
    pub extension: Option<String>,
}

impl Lock {
    /// The version of the plugin itself.
    pub(crate) fn plugin_version(&self) -> Option<String> {
        match &self.base {
            Some(base) => base.version.clone(),
            None => self.version.clone(),
        }
    }
}

/// A folder with more files, or more to read, is searched no further.
const MAX_FILES: usize = 20_000;
const MAX_BYTES: usize = 64 << 20;

/// These hold the work of others, and no lock files.
const SKIPPED: [&str; 2] = [".git", "node_modules"];

impl Locks {
    /// Those of a program: in its folder, and in all below it.
    ///
    /// Source: `SearchPackageDecls` in `pkg/pulumiyaml/packages/file.go` of Pulumi's host for YAML.
    pub fn find(dir: &Path) -> Result<Locks, String> {
        // In reverse order, since the next one is taken from the end.
        let entries = |folder: &Path| {
            let mut entries = disk::list(folder).unwrap_or_default();
            entries.sort_by(|a, b| b.name.cmp(&a.name));
            entries
        };
        let mut locks = Locks::default();
        let mut rest = entries(dir);
        let (mut files, mut bytes) = (0, 0);
        while let Some(entry) = rest.pop() {
            files += 1;
            if files > MAX_FILES || bytes > MAX_BYTES {
                break;
            }
            let is_skipped = SKIPPED.iter().any(|it| entry.name == **it);
            if entry.file_type.is_dir() && !is_skipped {
                rest.extend(entries(&entry.path));
            } else if entry.path.extension().is_some_and(|it| it == "yaml")
                && let Ok(text) = disk::read_text(&entry.path, Limit::CONFIGURATION)
            {
                bytes += text.len();
                let shown = || entry.path.display();
                let added = locks.add(&text);
                added.map_err(|why| format!("validating {}: {why}", shown()))?;
            }
        }
        Ok(locks)
    }

    /// Reads a file, if it is a lock file.
    pub fn add(&mut self, text: &str) -> Result<(), String> {
        if !text.contains("packageDeclarationVersion") {
            return Ok(());
        }
        let parse = yaml::parse(text);
        let Some(root) = parse.root.filter(|_| parse.errors.is_empty()) else {
            return Ok(());
        };
        if number_at(&root, "packageDeclarationVersion") != Some(1.0) {
            return Ok(());
        }
        let name = text_at(&root, "name").ok_or("package name is required")?;
        let version = text_at(&root, "version");
        let url = text_at(&root, "downloadUrl");
        let parameter = parameter(&root, "parameterization")?;
        let extension = self::parameter(&root, "extension")?.map(|(name, ..)| name);
        if parameter.is_some() && extension.is_some() {
            return Err("package cannot declare both parameterization and extension".to_owned());
        }
        let (package, version, base) = match parameter {
            Some((package, own_version, parameter)) => {
                let base = BasePlugin {
                    plugin: name,
                    version,
                    parameter,
                };
                (package, Some(own_version), Some(Arc::new(base)))
            }
            None => (name, version, None),
        };
        let lock = Lock {
            version,
            url,
            base,
            extension,
        };
        let of_plugin = lock.base.as_ref().and_then(|it| it.version.as_ref());
        for version in lock.version.iter().chain(of_plugin) {
            let parsed = strict(version);
            parsed
                .map_err(|why| format!("parsing version {version} for package {package}: {why}"))?;
        }
        let known = self.packages.entry(package).or_insert_with(|| lock.clone());
        // A plugin of the package itself goes before its extensions. Of several the last counts.
        let extension = known.extension.take().or(lock.extension.clone());
        if lock.extension.is_none() {
            *known = lock;
        }
        known.extension = extension;
        Ok(())
    }

    pub(crate) fn of(&self, package: &str) -> Option<&Lock> {
        self.packages.get(package)
    }

    /// A package with its plugin. `version` is the one that the program asks for.
    pub fn package(&self, name: &str, version: Option<&String>) -> Package {
        let lock = self.of(name).filter(|_| version.is_none());
        Package {
            name: name.to_owned(),
            version: version.cloned().or_else(|| lock?.version.clone()),
            base: lock.and_then(|it| it.base.clone()),
        }
    }
}

fn text_at(node: &Node, key: &str) -> Option<String> {
    let text = node.get(key)?.value.text()?;
    (!text.is_empty()).then(|| text.to_owned())
}

fn number_at(node: &Node, key: &str) -> Option<f64> {
    match node.get(key)?.value.scalar()?.resolve() {
        Resolved::Number(number) => Some(number.trunc()),
        Resolved::Null | Resolved::Bool(_) | Resolved::String => None,
    }
}

/// The name, the version and the value of a plugin's parameter.
fn parameter(root: &Node, key: &str) -> Result<Option<(String, String, Vec<u8>)>, String> {
    let Some(entry) = root.get(key).filter(|it| !it.value.is_null()) else {
        return Ok(None);
    };
    let required = |inner: &str| {
        text_at(&entry.value, inner).ok_or_else(|| format!("{key} {inner} is required"))
    };
    let (name, version) = (required("name")?, required("version")?);
    let value = text_at(&entry.value, "value").unwrap_or_default();
    let value = STANDARD.decode(value);
    let value =
        value.map_err(|error| format!("decoding {key} value for package {name}: {error}"))?;
    Ok(Some((name, version, value)))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const RANDOM: &str = "packageDeclarationVersion: 1\nname: terraform-provider\nversion: 1.0.0\nparameterization:\n  name: random\n  version: 3.9.0\n  value: e30=\n";

    #[test]
    fn lock_files_are_found_below_the_program() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("sdks/random")).unwrap();
        fs::create_dir_all(dir.path().join("node_modules")).unwrap();
        fs::write(dir.path().join("sdks/random/random.yaml"), RANDOM).unwrap();
        fs::write(
            dir.path().join("node_modules/x.yaml"),
            "packageDeclarationVersion: 1\n",
        )
        .unwrap();
        fs::write(dir.path().join("Pulumi.yaml"), "name: shop\n").unwrap();
        let plain =
            "packageDeclarationVersion: 1\nname: lab\nversion: 1.2.0\ndownloadUrl: https://a/b\n";
        fs::write(dir.path().join("lab.yaml"), plain).unwrap();
        let locks = Locks::find(dir.path()).unwrap();
        let random = locks.package("random", None);
        assert_eq!(random.version.as_deref(), Some("3.9.0"));
        assert_eq!(random.plugin(), ("terraform-provider", Some("1.0.0")));
        assert_eq!(random.base.unwrap().parameter, b"{}");
        let lab = locks.package("lab", None);
        assert_eq!(lab.plugin(), ("lab", Some("1.2.0")));
        assert_eq!(locks.of("lab").unwrap().url.as_deref(), Some("https://a/b"));
        let other = locks.package("random", Some(&"1.0.0".to_owned()));
        assert_eq!(other.plugin(), ("random", Some("1.0.0")));
        assert_eq!(locks.package("aws", None).plugin(), ("aws", None));
    }

    #[test]
    fn faulty_lock_files_are_refused_and_other_files_are_not_read() {
        let version = "packageDeclarationVersion: 1\n";
        for (text, expected) in [
            ("name: [\npackageDeclarationVersion: 1", Ok(())),
            ("packageDeclarationVersion: 2\n", Ok(())),
            ("{}", Err("package name is required")),
            (
                "name: a\nparameterization: {version: 1.0.0}",
                Err("parameterization name is required"),
            ),
            (
                "name: a\nversion: v1.0.0",
                Err(
                    "parsing version v1.0.0 for package a: Invalid character(s) found in major number \"v1\"",
                ),
            ),
            (
                "name: a\nversion: '1.0'",
                Err("parsing version 1.0 for package a: No Major.Minor.Patch elements found"),
            ),
            (
                "name: a\nextension: {name: b}",
                Err("extension version is required"),
            ),
            (
                "name: a\nextension: {name: b, version: 1.0.0}\nparameterization: {name: b, version: 1.0.0}",
                Err("package cannot declare both parameterization and extension"),
            ),
        ] {
            let text = match (text.contains("packageDeclaration"), text) {
                (true, text) => text.to_owned(),
                (false, "{}") => version.to_owned(),
                (false, text) => format!("{version}{text}\n"),
            };
            let added = Locks::default().add(&text);
            assert_eq!(added, expected.map_err(str::to_owned), "{text}");
        }
    }

    #[test]
    fn an_extension_is_known_beside_the_package_that_it_extends() {
        let version = "packageDeclarationVersion: 1\n";
        let extension = format!("{version}name: k\nextension: {{name: crds, version: 1.0.0}}\n");
        let own = format!("{version}name: k\nversion: 2.0.0\n");
        for texts in [[&extension, &own], [&own, &extension]] {
            let mut locks = Locks::default();
            texts.into_iter().for_each(|it| locks.add(it).unwrap());
            let lock = locks.of("k").unwrap();
            assert_eq!(lock.extension.as_deref(), Some("crds"));
            assert_eq!(lock.version.as_deref(), Some("2.0.0"));
        }
    }
}
