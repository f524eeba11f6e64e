//! The files that a plan reads: open documents first, then the disk, where each version of a file is read once.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};

use config::FileVersion;
use disk::{Limit, Stamp};
use text::TextSize;

use crate::reach::Reach;

/// A document that the editor has open. It may be parsed only when somebody asks for its text or tree.
pub trait OpenDocument: Send + Sync {
    fn syntax(&self) -> &syntax::File;

    /// Whether its text has the word. Does not parse it.
    fn mentions(&self, word: &str) -> bool {
        self.syntax().text().contains(word)
    }
}

impl OpenDocument for syntax::File {
    fn syntax(&self) -> &syntax::File {
        self
    }
}

/// Open documents, by absolute path.
pub type OpenDocuments = HashMap<String, Arc<dyn OpenDocument>>;

/// Open documents in front of the disk. Cheap to clone.
#[derive(Clone, Default)]
pub struct OpenFiles {
    documents: Arc<OpenDocuments>,
    /// Files on the disk that do not count, by absolute path.
    absent: Arc<BTreeSet<String>>,
    disk: Arc<DiskCache>,
    /// Where configuration and states are looked for, if not everywhere.
    reach: Option<Arc<Reach>>,
    /// Whether an editor or an agent reads them again and again.
    is_for_editor: bool,
    /// Whether a file with syntax errors is parsed as Terraform does.
    reads_as_terraform: bool,
}

/// Files and folders that were read, by path, each with its stamp: one with the same stamp is not read again.
#[derive(Default)]
struct DiskCache {
    files: Mutex<HashMap<String, (Stamp, SourceText)>>,
    folders: Mutex<HashMap<String, (Stamp, Vec<String>)>>,
}

/// A file as it was read.
#[derive(Clone)]
struct SourceText {
    text: Arc<str>,
    /// Where bytes begin that are not UTF-8.
    invalid: Option<TextSize>,
    /// Once somebody asked for it: of most open documents the disk's text is only compared.
    syntax: Arc<OnceLock<syntax::File>>,
}

impl OpenFiles {
    /// These documents, beside the files that were read from disk already.
    pub fn with_documents(&self, documents: OpenDocuments) -> OpenFiles {
        OpenFiles {
            documents: Arc::new(documents),
            ..self.clone()
        }
    }

    /// The same, of documents that are parsed already.
    pub fn with_parsed(&self, documents: HashMap<String, syntax::File>) -> OpenFiles {
        let documents = documents.into_iter().map(|(path, file)| {
            let file: Arc<dyn OpenDocument> = Arc::new(file);
            (path, file)
        });
        self.with_documents(documents.collect())
    }

    /// For an editor or an agent, which reads them again and again.
    pub fn for_editor() -> OpenFiles {
        OpenFiles {
            is_for_editor: true,
            ..OpenFiles::default()
        }
    }

    /// For a command, which reports the errors that Terraform reports.
    pub fn as_terraform_reads() -> OpenFiles {
        OpenFiles {
            reads_as_terraform: true,
            ..OpenFiles::default()
        }
    }

    /// The same, as if these files were not on the disk.
    pub fn without(self, absent: BTreeSet<String>) -> OpenFiles {
        OpenFiles {
            absent: Arc::new(absent),
            ..self
        }
    }

    /// The same, which look for configuration and states in `reach` alone.
    pub fn within(self, reach: Reach) -> OpenFiles {
        OpenFiles {
            reach: Some(Arc::new(reach)),
            ..self
        }
    }

    fn check(&self, path: &str) -> io::Result<()> {
        self.check_present(path)?;
        let mut reach = self.reach.iter();
        reach.try_for_each(|reach| reach.check(Path::new(path)))
    }

    fn check_present(&self, path: &str) -> io::Result<()> {
        match !self.absent.is_empty() && self.absent.contains(&*text::path(path)) {
            true => Err(io::ErrorKind::NotFound.into()),
            false => Ok(()),
        }
    }

    /// Takes out of the names in a folder what is absent, and adds `counted` of the way to each document below.
    fn complete(&self, names: &mut Vec<String>, dir: &str, counted: fn(&str) -> Option<&str>) {
        let prefix = below(dir);
        if !self.absent.is_empty() {
            names.retain(|name| self.check_present(&format!("{prefix}{name}")).is_ok());
        }
        let ways = self
            .documents
            .keys()
            .filter_map(|it| it.strip_prefix(&prefix));
        for name in ways.filter_map(counted) {
            // A document that was never saved is part of its folder too.
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
    }

    fn has_documents_below(&self, dir: &str) -> bool {
        let prefix = below(dir);
        self.documents.keys().any(|path| path.starts_with(&prefix))
    }

    fn document(&self, path: &str) -> Option<&syntax::File> {
        let document = self.documents.get(&*text::path(path))?;
        Some(document.syntax())
    }

    /// Whether the text at `path` has the word. Does not parse it.
    pub fn mentions(&self, path: &str, word: &str) -> bool {
        match self.documents.get(&*text::path(path)) {
            Some(document) => document.mentions(word),
            None => self.on_disk(path).is_ok_and(|it| it.text.contains(word)),
        }
    }

    fn has_document(&self, path: &str) -> bool {
        self.documents.contains_key(&*text::path(path))
    }

    pub fn documents(&self) -> &OpenDocuments {
        &self.documents
    }

    /// Whether the document at `path` reads as the disk does. A file that isn't open is as saved.
    pub fn is_saved(&self, path: &str) -> bool {
        match self.document(path) {
            Some(document) => self
                .on_disk(path)
                .is_ok_and(|saved| document.has_text(&saved.text)),
            None => true,
        }
    }

    fn on_disk(&self, path: &str) -> io::Result<SourceText> {
        self.check(path)?;
        let stamp = Stamp::of(Path::new(path))?;
        if let Some(source) = known(&self.disk.files, path, stamp) {
            return Ok(source);
        }
        // Others need not wait for it.
        let limit = match self.is_for_editor {
            true => Limit::DOCUMENT,
            false => Limit::CONFIGURATION,
        };
        let bytes = disk::read(Path::new(path), limit)?;
        let (text, invalid) = config::decode(&bytes);
        let source = SourceText {
            text,
            invalid,
            syntax: Arc::default(),
        };
        let kept = (stamp, source.clone());
        locked(&self.disk.files).insert(path.to_owned(), kept);
        Ok(source)
    }

    /// The names of the files in a folder.
    fn listed(&self, dir: &str) -> io::Result<Vec<String>> {
        self.check(dir)?;
        let stamp = Stamp::of(Path::new(dir))?;
        if let Some(names) = known(&self.disk.folders, dir, stamp) {
            return Ok(names);
        }
        let names = config::Files::list(&config::DiskFiles, dir)?;
        if stamp.is_settled() {
            let kept = (stamp, names.clone());
            locked(&self.disk.folders).insert(dir.to_owned(), kept);
        }
        Ok(names)
    }
}

/// The prefix of paths in a folder.
fn below(dir: &str) -> String {
    format!("{}/", text::path(dir).trim_end_matches('/'))
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The kept text of `path`, if it still has this stamp.
fn known<T: Clone>(kept: &Mutex<HashMap<String, (Stamp, T)>>, path: &str, now: Stamp) -> Option<T> {
    let kept = locked(kept);
    let (stamp, value) = kept.get(path)?;
    (*stamp == now).then(|| value.clone())
}

/// The files of a root module while it is loaded: each folder is listed once and each file parsed once, and those that
/// nobody edits have a limit together.
pub(crate) struct RootFiles<'a> {
    files: &'a dyn config::Files,
    listed: RefCell<HashMap<String, Vec<String>>>,
    parsed: RefCell<HashMap<String, syntax::File>>,
    /// How many more bytes may be parsed.
    room: Cell<u64>,
}

impl<'a> RootFiles<'a> {
    pub(crate) fn new(files: &'a dyn config::Files) -> RootFiles<'a> {
        RootFiles {
            files,
            listed: RefCell::default(),
            parsed: RefCell::default(),
            room: Cell::new(files.limit().bytes()),
        }
    }
}

impl config::Files for RootFiles<'_> {
    fn list(&self, dir: &str) -> io::Result<Vec<String>> {
        if let Some(names) = self.listed.borrow().get(dir) {
            return Ok(names.clone());
        }
        let names = self.files.list(dir)?;
        let mut listed = self.listed.borrow_mut();
        listed.insert(dir.to_owned(), names.clone());
        Ok(names)
    }

    fn read(&self, path: &str) -> io::Result<Arc<str>> {
        self.files.read(path)
    }

    fn version(&self, path: &str) -> io::Result<FileVersion> {
        self.files.version(path)
    }

    fn open_state(&self, path: &str) -> io::Result<Box<dyn io::Read>> {
        self.files.open_state(path)
    }

    fn parse(&self, path: &str) -> io::Result<syntax::File> {
        if let Some(parsed) = self.parsed.borrow().get(path) {
            return Ok(parsed.clone());
        }
        if self.files.is_open(path) {
            return self.files.parse(path);
        }
        let full = || {
            let limit = self.files.limit();
            io::Error::other(format!(
                "the files of the root module have more than {limit}"
            ))
        };
        let room = self.room.get();
        if room == 0 {
            return Err(full());
        }
        let file = self.files.parse(path)?;
        let len = u64::from(u32::from(file.len()));
        self.room.set(room.saturating_sub(len));
        if len > room {
            return Err(full());
        }
        let mut parsed = self.parsed.borrow_mut();
        parsed.insert(path.to_owned(), file.clone());
        Ok(file)
    }

    fn limit(&self) -> Limit {
        self.files.limit()
    }
}

/// The files that functions such as `file` read, with a note that something was read: the reader has to look again at the
/// next plan.
pub(crate) struct FunctionFiles {
    files: RwLock<Arc<dyn eval::Files + Send + Sync>>,
    reach: RwLock<Reach>,
    was_read: AtomicBool,
    noted: Arc<AtomicBool>,
    looks: AtomicUsize,
    was_refused: AtomicBool,
}

impl FunctionFiles {
    pub(crate) fn new(files: Arc<dyn eval::Files + Send + Sync>, reach: Reach) -> FunctionFiles {
        FunctionFiles {
            files: RwLock::new(files),
            reach: RwLock::new(reach),
            was_read: AtomicBool::new(false),
            noted: Arc::default(),
            looks: AtomicUsize::new(0),
            was_refused: AtomicBool::new(false),
        }
    }

    /// From now on functions read these.
    pub(crate) fn set(&self, files: Arc<dyn eval::Files + Send + Sync>) {
        *self.files.write().unwrap_or_else(PoisonError::into_inner) = files;
    }

    pub(crate) fn reach(&self) -> Reach {
        let reach = self.reach.read().unwrap_or_else(PoisonError::into_inner);
        reach.clone()
    }

    /// From now on functions look there.
    pub(crate) fn set_reach(&self, new: Reach) {
        let mut reach = self.reach.write().unwrap_or_else(PoisonError::into_inner);
        if *reach != new {
            *reach = new;
            self.was_refused.store(false, Ordering::Relaxed);
        }
    }

    /// Whether anything was refused because it is out of reach.
    pub(crate) fn was_refused(&self) -> bool {
        self.was_refused.load(Ordering::Relaxed)
    }

    /// Whether anything was read since this was last asked.
    pub(crate) fn take_was_read(&self) -> bool {
        self.was_read.swap(false, Ordering::Relaxed)
    }

    /// Set when something is read, until whoever asks for it takes it back.
    pub(crate) fn noted(&self) -> Arc<AtomicBool> {
        self.noted.clone()
    }

    /// The files to look at `path`, if that is in reach.
    fn reading(&self, path: &Path) -> io::Result<Arc<dyn eval::Files + Send + Sync>> {
        self.was_read.store(true, Ordering::Relaxed);
        self.noted.store(true, Ordering::Relaxed);
        self.looks.fetch_add(1, Ordering::Relaxed);
        let reach = self.reach.read().unwrap_or_else(PoisonError::into_inner);
        reach.check(path).inspect_err(|_| {
            self.was_refused.store(true, Ordering::Relaxed);
        })?;
        let files = self.files.read();
        Ok(files.unwrap_or_else(PoisonError::into_inner).clone())
    }
}

impl eval::Files for FunctionFiles {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.reading(path)?.read(path)
    }

    fn read_parts(&self, path: &Path, take: &mut dyn FnMut(&[u8])) -> io::Result<()> {
        self.reading(path)?.read_parts(path, take)
    }

    fn kind(&self, path: &Path) -> io::Result<eval::FileKind> {
        self.reading(path)?.kind(path)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<String>> {
        self.reading(path)?.list(path)
    }

    fn looks(&self) -> usize {
        self.looks.load(Ordering::Relaxed)
    }
}

impl config::Files for OpenFiles {
    fn list(&self, dir: &str) -> io::Result<Vec<String>> {
        let mut names = match self.listed(dir) {
            Err(_) if self.has_documents_below(dir) => Vec::new(),
            names => names?,
        };
        self.complete(&mut names, dir, |way| (!way.contains('/')).then_some(way));
        Ok(names)
    }

    fn read(&self, path: &str) -> io::Result<Arc<str>> {
        match self.document(path) {
            Some(document) => Ok(document.text().clone()),
            None => self.on_disk(path).map(|source| source.text),
        }
    }

    fn version(&self, path: &str) -> io::Result<FileVersion> {
        match self.document(path) {
            Some(document) => Ok(FileVersion::Text(document.text().clone())),
            None => {
                self.check(path)?;
                config::DiskFiles.version(path)
            }
        }
    }

    fn open_state(&self, path: &str) -> io::Result<Box<dyn io::Read>> {
        match self.document(path) {
            Some(document) => Ok(config::opened(document.text().clone())),
            None => {
                self.check(path)?;
                config::DiskFiles.open_state(path)
            }
        }
    }

    fn parse(&self, path: &str) -> io::Result<syntax::File> {
        match self.document(path) {
            Some(document) => Ok(document.clone()),
            None => {
                let source = self.on_disk(path)?;
                let parse = || {
                    let file = config::parse_decoded(path, &source.text, source.invalid);
                    let is_broken = source.invalid.is_none() && file.errors().next().is_some();
                    match is_broken && self.reads_as_terraform && !path.ends_with(".json") {
                        true => syntax::parse_as_reference(&source.text),
                        false => file,
                    }
                };
                Ok(source.syntax.get_or_init(parse).clone())
            }
        }
    }

    fn limit(&self) -> Limit {
        match self.is_for_editor {
            true => Limit::DOCUMENT,
            false => Limit::CONFIGURATIONS,
        }
    }

    fn is_open(&self, path: &str) -> bool {
        self.has_document(path)
    }
}

impl eval::Files for OpenFiles {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let name = path.to_string_lossy();
        match self.document(&name) {
            Some(document) => Ok(document.text().as_bytes().to_vec()),
            None => {
                self.check_present(&name)?;
                disk::read(path, Limit::VALUE)
            }
        }
    }

    fn read_parts(&self, path: &Path, take: &mut dyn FnMut(&[u8])) -> io::Result<()> {
        let name = path.to_string_lossy();
        match self.document(&name) {
            Some(document) => take(document.text().as_bytes()),
            None => {
                self.check_present(&name)?;
                disk::read_parts(path, Limit::HASHED, take)?;
            }
        }
        Ok(())
    }

    fn kind(&self, path: &Path) -> io::Result<eval::FileKind> {
        let name = path.to_string_lossy();
        self.check_present(&name)?;
        let file_type = match std::fs::metadata(path) {
            Ok(found) => found.file_type(),
            Err(_) if self.has_document(&name) => return Ok(eval::FileKind::File),
            Err(_) if self.has_documents_below(&name) => return Ok(eval::FileKind::Directory),
            Err(error) => return Err(error),
        };
        Ok(if file_type.is_dir() {
            eval::FileKind::Directory
        } else if file_type.is_file() {
            eval::FileKind::File
        } else {
            eval::FileKind::Other(disk::special(file_type))
        })
    }

    fn list(&self, path: &Path) -> io::Result<Vec<String>> {
        let dir = path.to_string_lossy();
        let mut names = match disk::list(path) {
            Err(_) if self.has_documents_below(&dir) => Vec::new(),
            entries => entries?
                .into_iter()
                .map(|entry| entry.name.to_string_lossy().into_owned())
                .collect(),
        };
        self.complete(&mut names, &dir, |way| way.split('/').next());
        Ok(names)
    }
}
