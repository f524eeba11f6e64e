//! The one way by which configuration is read: open documents first, then the disk.

use std::io;
use std::sync::Arc;

use crate::parse_file;
use crate::profile::{Profile, feature};

/// Where files come from. Paths are absolute, with `/` as separator.
pub trait Files {
    /// The names of the files in a directory, without those of directories in it.
    fn list(&self, dir: &str) -> io::Result<Vec<String>>;

    fn read(&self, path: &str) -> io::Result<Arc<str>>;

    /// The parsed file. Who keeps documents parsed answers from there.
    fn parse(&self, path: &str) -> io::Result<syntax::File> {
        Ok(parse_file(path, &self.read(path)?))
    }
}

/// The files as they are on disk.
#[derive(Clone, Copy, Debug)]
pub struct DiskFiles;

impl Files for DiskFiles {
    fn list(&self, dir: &str) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in std::fs::read_dir(dir)? {
            let entry = entry?;
            // A symbolic link counts as what it points to.
            let is_dir = match entry.file_type()? {
                kind if kind.is_symlink() => entry.path().is_dir(),
                kind => kind.is_dir(),
            };
            if !is_dir && let Ok(name) = entry.file_name().into_string() {
                names.push(name);
            }
        }
        Ok(names)
    }

    fn read(&self, path: &str) -> io::Result<Arc<str>> {
        std::fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into())
    }
}

/// How a file of configuration is called that OpenTofu alone reads, in the place of `name`.
pub(crate) fn tofu_name(name: &str) -> Option<String> {
    let (base, json) = match name.strip_suffix(".json") {
        Some(native) => (native, ".json"),
        None => (name, ""),
    };
    Some(format!("{}.tofu{json}", base.strip_suffix(".tf")?))
}

/// Whether OpenTofu alone reads a file of this name.
pub fn is_named_for_opentofu(name: &str) -> bool {
    let base = name.strip_suffix(".json").unwrap_or(name);
    let extensions = [".tofu", ".tofutest.hcl", ".tofutest"];
    extensions.iter().any(|it| base.ends_with(it)) && !name.starts_with('.')
}

/// Whether a file of this name holds tests of a module, which are no part of it.
pub fn is_test(name: &str) -> bool {
    let name = name.strip_suffix(".json").unwrap_or(name);
    let name = name.strip_suffix(".hcl").unwrap_or(name);
    name.ends_with(".tftest") || name.ends_with(".tofutest")
}

/// What a file of a module directory is, by its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileKind {
    Primary,
    /// Merged into the declarations of the primary files.
    Override,
}

/// Whether a file of this name is configuration, or values for variables.
pub fn is_configuration(path: &str) -> bool {
    let path = path.strip_suffix(".json").unwrap_or(path);
    let extensions = [".tf", ".tofu", ".tfvars"];
    extensions.iter().any(|extension| path.ends_with(extension))
}

impl FileKind {
    /// `None` for files that are no configuration of this product, and for an editor's temporary files.
    pub fn of(name: &str, profile: Profile) -> Option<FileKind> {
        let is_temporary = name.starts_with('.')
            || name.ends_with('~')
            || (name.starts_with('#') && name.ends_with('#'));
        if is_temporary {
            return None;
        }
        let extensions: &[&str] = match profile.has(feature::TOFU_FILES) {
            true => &[".tf", ".tofu"],
            false => &[".tf"],
        };
        let native = name.strip_suffix(".json").unwrap_or(name);
        let base = extensions
            .iter()
            .find_map(|extension| native.strip_suffix(extension))?;
        let is_override = base == "override" || base.ends_with("_override");
        Some(if is_override {
            FileKind::Override
        } else {
            FileKind::Primary
        })
    }
}
