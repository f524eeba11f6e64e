//! The one way by which configuration is read: open documents first, then the disk.

use std::io;
use std::path::Path;
use std::sync::Arc;

use crate::language_release::{Profile, feature};
use crate::{decode, parse_decoded, parse_file};
use disk::{Limit, Stamp};

/// Where files come from. Paths are absolute, with `/` as separator.
pub trait Files {
    /// The names of the files in a directory, without those of directories in it.
    fn list(&self, dir: &str) -> io::Result<Vec<String>>;

    fn read(&self, path: &str) -> io::Result<Arc<str>>;

    /// Which version of a file there is. Who reads from the disk doesn't read it for that.
    fn version(&self, path: &str) -> io::Result<FileVersion> {
        self.read(path).map(FileVersion::Text)
    }

    /// A file that holds a state. It may be long, so it is read part by part.
    fn open_state(&self, path: &str) -> io::Result<Box<dyn io::Read>> {
        self.read(path).map(opened)
    }

    /// The names of the directories in a directory, where that is known.
    fn folders(&self, _dir: &str) -> io::Result<Vec<String>> {
        Ok(Vec::new())
    }

    /// True for a link. Implementations that know no links answer false.
    fn is_link(&self, _path: &str) -> bool {
        false
    }

    /// The parsed file. Who keeps documents parsed answers from there.
    fn parse(&self, path: &str) -> io::Result<syntax::File> {
        Ok(parse_file(path, &self.read(path)?))
    }

    /// How long the files of a root module may be together, with those of all modules that it calls.
    fn limit(&self) -> Limit {
        Limit::CONFIGURATIONS
    }

    /// Whether an editor has the file open.
    fn is_open(&self, _path: &str) -> bool {
        false
    }
}

/// Equal for a file that has not changed.
#[derive(Clone, PartialEq, Debug)]
pub enum FileVersion {
    Text(Arc<str>),
    OnDisk(Stamp),
}

/// The files as they are on disk.
#[derive(Clone, Copy, Debug)]
pub struct DiskFiles;

impl Files for DiskFiles {
    fn list(&self, dir: &str) -> io::Result<Vec<String>> {
        entries(dir, false)
    }

    fn folders(&self, dir: &str) -> io::Result<Vec<String>> {
        entries(dir, true)
    }

    fn is_link(&self, path: &str) -> bool {
        Path::new(path).is_symlink()
    }

    fn read(&self, path: &str) -> io::Result<Arc<str>> {
        Ok(String::from_utf8_lossy(&configuration(path)?).into())
    }

    fn version(&self, path: &str) -> io::Result<FileVersion> {
        Stamp::of(Path::new(path)).map(FileVersion::OnDisk)
    }

    fn open_state(&self, path: &str) -> io::Result<Box<dyn io::Read>> {
        Ok(Box::new(disk::open(Path::new(path), Limit::STATE)?))
    }

    fn parse(&self, path: &str) -> io::Result<syntax::File> {
        let (text, invalid) = decode(&configuration(path)?);
        Ok(parse_decoded(path, &text, invalid))
    }
}

/// A text to be read as a file.
pub fn opened(text: Arc<str>) -> Box<dyn io::Read> {
    Box::new(io::Cursor::new(Arc::<[u8]>::from(text)))
}

fn configuration(path: &str) -> io::Result<Vec<u8>> {
    disk::read(Path::new(path), Limit::CONFIGURATION)
}

/// The names in a directory, of directories or of all else.
fn entries(dir: &str, of_directories: bool) -> io::Result<Vec<String>> {
    let entries = disk::list(Path::new(dir))?.into_iter();
    let wanted = entries.filter(|entry| entry.is_folder() == of_directories);
    Ok(wanted
        .filter_map(|entry| entry.name.into_string().ok())
        .collect())
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

/// Whose blocks a file may hold, by its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileRole {
    /// Configuration of a module.
    Module,
    /// Values for variables.
    Values,
    /// Tests of a module, which are no part of it.
    Tests,
    /// Mocks for tests.
    Mocks,
    /// The dependency lock file.
    Lock,
    /// HCL for something else.
    Other,
}

impl FileRole {
    /// A document without an extension, as editors open new ones, is taken for configuration.
    pub fn of(name: &str) -> FileRole {
        let native = name.strip_suffix(".json").unwrap_or(name);
        let native = native.strip_suffix(".hcl").unwrap_or(native);
        match native.rsplit_once('.').map(|(_, extension)| extension) {
            Some("tf" | "tofu") => FileRole::Module,
            Some("tfvars") => FileRole::Values,
            Some("tftest" | "tofutest") => FileRole::Tests,
            Some("tfmock" | "tofumock") => FileRole::Mocks,
            Some("lock") if name == ".terraform.lock.hcl" => FileRole::Lock,
            None if native == name => FileRole::Module,
            _ => FileRole::Other,
        }
    }
}

/// The role of a file in a module directory, by its name.
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
