//! Files that change outside the editor.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use disk::Stamp;
use serde_json::json;
use text::FileId;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use crate::convert::file_id;
use crate::event::{DiskCheck, Event, OnDisk};
use crate::lifecycle::Phase;
use crate::params::WatchedFiles;
use crate::state::State;

/// The files that a plan reads from disk, wherever they are below the workspace's folders.
const WATCHED: [&str; 9] = [
    "**/*.tf",
    "**/*.tf.json",
    "**/*.tofu",
    "**/*.tofu.json",
    "**/*.tfvars",
    "**/*.tfvars.json",
    "**/terraform.tfstate",
    "**/.terraform.lock.hcl",
    "**/.terraform/environment",
];

/// How often the server looks itself: some editors watch no files, and some that say so tell only what they write.
const LOOK_EACH: Duration = Duration::from_secs(2);

impl State {
    pub(crate) fn register_watchers(&mut self) {
        if !self.capabilities.registers_watchers {
            return;
        }
        let watchers = WATCHED.map(|glob| json!({ "globPattern": glob }));
        self.client.register(
            "planlens-files",
            "workspace/didChangeWatchedFiles",
            json!({ "watchers": watchers }),
        );
    }

    pub(crate) fn watched_files_changed(&mut self, WatchedFiles { changes }: WatchedFiles) {
        let mut folders = BTreeSet::new();
        for change in changes {
            let file = file_id(&change.uri);
            folders.extend(Path::new(file.path()).parent().map(Path::to_owned));
            // The editor's text of an open document counts, not the disk's.
            if !self.documents.contains_key(&file) {
                self.workspace.files_changed_on_disk();
            }
        }
        // They need not be found again.
        self.on_disk.retain(|folder, _| !folders.contains(folder));
        self.look_at_folders(folders, DiskCheck::Now);
    }

    /// Looks at the folder of a file that was opened, to know what changes there from here on.
    pub(crate) fn look_beside(&self, file: &FileId) {
        if let Some(folder) = Path::new(file.path()).parent()
            && !self.on_disk.contains_key(folder)
        {
            self.look_at_folders(BTreeSet::from([folder.to_owned()]), DiskCheck::Now);
        }
    }

    /// Looks at the folders that are open or planned, again and again.
    pub(crate) fn keep_looking_at_disk(&self) {
        let open = self.documents.keys();
        let open = open.filter_map(|file| Path::new(file.path()).parent());
        let snapshot = self.snapshot();
        let folders = open.chain(snapshot.planned_paths());
        self.look_at_folders(folders.map(Path::to_owned).collect(), DiskCheck::Again);
    }

    fn look_at_folders(&self, folders: BTreeSet<PathBuf>, look: DiskCheck) {
        let events = self.events.clone();
        tokio::spawn(async move {
            if look == DiskCheck::Again {
                sleep(LOOK_EACH).await;
            }
            let read = move || -> OnDisk { folders.into_iter().map(on_disk).collect() };
            if let Ok(on_disk) = spawn_blocking(read).await {
                events.send(Event::LookedAtDisk { on_disk, look });
            }
        });
    }

    pub(crate) fn looked_at_disk(&mut self, on_disk: OnDisk, look: DiskCheck) {
        let is_open = |path: &Path| {
            let file = FileId::new(path.to_string_lossy());
            self.documents.contains_key(&file)
        };
        let is_changed = |(folder, files): (&PathBuf, &BTreeMap<PathBuf, Stamp>)| {
            let before = self.on_disk.get(folder);
            before.is_some_and(|before| differs(before, files, is_open))
        };
        let is_changed = on_disk.iter().any(is_changed);
        self.on_disk.extend(on_disk);
        if is_changed {
            self.workspace.files_changed_on_disk();
        }
        if look == DiskCheck::Again && self.phase == Phase::Running {
            self.keep_looking_at_disk();
        }
    }
}

/// Whether files were created, changed or deleted that the editor does not have open.
fn differs(
    before: &BTreeMap<PathBuf, Stamp>,
    after: &BTreeMap<PathBuf, Stamp>,
    is_open: impl Fn(&Path) -> bool,
) -> bool {
    let is_other = |(path, stamp): &(&PathBuf, &Stamp), in_these: &BTreeMap<PathBuf, Stamp>| {
        in_these.get(*path) != Some(*stamp) && !is_open(path)
    };
    before.iter().any(|it| is_other(&it, after)) || after.iter().any(|it| is_other(&it, before))
}

/// The watched files of a folder.
fn on_disk(folder: PathBuf) -> (PathBuf, BTreeMap<PathBuf, Stamp>) {
    let named = disk::list(&folder).unwrap_or_default().into_iter();
    let named = named
        .map(|entry| entry.path)
        .filter(|path| is_watched(path));
    let kept = folder.join(".terraform").join("environment");
    let files = named.chain([kept]);
    let stamps = files.filter_map(|path| Some((path.clone(), Stamp::of(&path).ok()?)));
    let stamps = stamps.collect();
    (folder, stamps)
}

fn is_watched(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut names = WATCHED.iter().filter_map(|glob| glob.strip_prefix("**/"));
    names.any(|wanted| match wanted.strip_prefix('*') {
        Some(extension) => name.ends_with(extension),
        None => name == wanted,
    })
}
