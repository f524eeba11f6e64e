//! Paths: of files that functions read, and of modules.

use std::path::{Path, PathBuf};

use config::{FileKind, FileRole};

use super::{Completion, CompletionContext, CompletionKind};

/// Functions whose first argument is the path of a file.
const OF_FILES: [&str; 10] = [
    "file",
    "filebase64",
    "filebase64sha256",
    "filebase64sha512",
    "fileexists",
    "filemd5",
    "filesha1",
    "filesha256",
    "filesha512",
    "templatefile",
];

impl CompletionContext<'_> {
    /// Paths for the function around the cursor, if it reads a file or a folder.
    pub(super) fn read_paths(&self, items: &mut Vec<Completion>) {
        let call = self.cursor.calls.last().filter(|call| call.index == 0);
        let with_files = match call.map(|call| call.function.as_str()) {
            Some("fileset") => false,
            Some(function) if OF_FILES.contains(&function) => true,
            _ => return,
        };
        // Relative to the folder where the command runs, which is the root module's.
        let root = || self.root.map(Path::to_owned).or_else(|| self.folder());
        let text = self.source.syntax().text();
        let before = &text[..usize::from(self.word().start())];
        let behind_folder = match before {
            _ if before.ends_with('"') => None,
            _ if before.ends_with("${path.module}") => Some(self.folder()),
            _ if before.ends_with("${path.root}") || before.ends_with("${path.cwd}") => {
                Some(root())
            }
            _ => return,
        };
        let typed = self.typed_folder();
        let (folder, shown) = match behind_folder {
            Some(folder) if typed.is_empty() => (folder, "/"),
            Some(folder) => (folder, typed),
            None => (root(), typed),
        };
        let (Some(files), Some(folder)) = (self.files, folder) else {
            return;
        };
        let below = shown.trim_matches('/');
        let dir = folder.join(below).display().to_string();
        for name in listed(files.folders(&dir)) {
            items.push(self.folder_item(format!("{shown}{name}/")));
        }
        for name in listed(files.list(&dir)).filter(|_| with_files) {
            items.push(self.item(CompletionKind::File, format!("{shown}{name}")));
        }
    }

    /// Folders as sources of modules: those that are known, and those on the way of the typed path.
    pub(super) fn module_folders(&self, items: &mut Vec<Completion>) {
        // Tests name folders as the module does that they test.
        let here = match self.role() {
            FileRole::Tests => {
                let of_module = self.known.module.files.keys().next();
                of_module.and_then(|file| PathBuf::from(file.path()).parent().map(Path::to_owned))
            }
            _ => self.folder(),
        };
        let Some(here) = here else { return };
        let others = self.modules.iter().filter(|(dir, _)| **dir != here);
        for (dir, _) in others.filter(|(_, known)| !known.module.files.is_empty()) {
            let source = match dir.strip_prefix(&here) {
                Ok(below) => format!("./{}", below.display()),
                Err(_) => match here.parent().and_then(|above| dir.strip_prefix(above).ok()) {
                    Some(beside) => format!("../{}", beside.display()),
                    None => continue,
                },
            };
            // Installed modules have another source.
            if source.contains("/.terraform/") {
                continue;
            }
            items.push(self.item(CompletionKind::Module, source));
        }
        let typed = match self.typed_folder() {
            "" => "./",
            typed if typed.starts_with('.') => typed,
            _ => return,
        };
        let Some(files) = self.files else { return };
        let dir = format!("{}/{typed}", here.display());
        for name in listed(files.folders(&dir)) {
            let profile = self.known.profile(self.file);
            let inside = files.list(&format!("{dir}{name}")).unwrap_or_default();
            let is_module = inside.iter().any(|it| FileKind::of(it, profile).is_some());
            let source = format!("{typed}{name}");
            items.push(match is_module {
                true => self.item(CompletionKind::Module, source),
                false => self.folder_item(format!("{source}/")),
            });
        }
        if typed.trim_start_matches("../").is_empty() || typed == "./" {
            let above = format!("{}../", typed.trim_start_matches("./"));
            items.push(self.folder_item(above));
        }
    }

    fn folder_item(&self, path: String) -> Completion {
        let mut item = self.item(CompletionKind::File, path);
        item.rank = 6;
        item.asks_again = true;
        item
    }

    /// The typed path, up to its last slash.
    fn typed_folder(&self) -> &str {
        let typed = self.cursor.typed.as_str();
        typed.rfind('/').map_or("", |slash| &typed[..=slash])
    }

    /// The folder of the file.
    fn folder(&self) -> Option<PathBuf> {
        Path::new(self.file.path()).parent().map(Path::to_owned)
    }
}

/// The names that a person would look for: nothing that is hidden.
fn listed(names: std::io::Result<Vec<String>>) -> impl Iterator<Item = String> {
    let names = names.unwrap_or_default().into_iter();
    names.filter(|name| !name.starts_with('.'))
}
