//! Whose plan is shown in the files of a module that others call.

use std::path::{Path, PathBuf};

/// The caller that was chosen for a module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Caller {
    /// The folder of the root module; the module's own where it is planned by itself.
    pub root: PathBuf,
    /// `module.a["x"]`; without it, all that the root module calls.
    pub instance: Option<String>,
}

/// A caller that can be chosen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListedCaller {
    pub caller: Caller,
    pub is_chosen: bool,
}

impl Caller {
    /// `live`, or `live: module.a["x"]`.
    pub fn title(&self) -> String {
        let name = folder_name(&self.root);
        match &self.instance {
            Some(instance) => format!("{name}: {instance}"),
            None => name,
        }
    }
}

/// The name of a folder among others.
pub fn folder_name(folder: &Path) -> String {
    let name = folder.file_name().unwrap_or(folder.as_os_str());
    name.to_string_lossy().into_owned()
}
