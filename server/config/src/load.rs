//! A directory of files becomes a [`Module`].
//!
//! The declarations of a segment are kept in a [`ModuleCache`] as long as its text stays the same, so loading again after an
//! edit reads one segment and puts the rest together from shared declarations.

use std::collections::HashMap;
use std::sync::Arc;

use text::{Diagnostic, FileId, SegmentId, Severity, Span, TextSize};

use crate::addr::ModuleAddr;
use crate::assemble::{assemble, replace};
use crate::check::{check, check_items};
use crate::declare::{SegmentDecls, declare};
use crate::files::{FileKind, Files, tofu_name};
use crate::language_release::{Profile, feature};
use crate::module::Module;
use crate::read::PLACE;
use crate::source::Origin;

/// The part of a module's directory that is kept between two loads.
#[derive(Debug, Default)]
pub struct ModuleCache {
    profile: Profile,
    /// In the order of reading.
    files: Vec<FileDecls>,
    /// The module of these files.
    loaded: Option<Loaded>,
}

/// The result of a load.
#[derive(Debug)]
struct Loaded {
    addr: ModuleAddr,
    /// The problems with the files themselves.
    of_files: Vec<Diagnostic>,
    module: Arc<Module>,
    diagnostics: Vec<Diagnostic>,
}

impl ModuleCache {
    /// Nothing yet; files are read in the language of `profile`.
    pub fn new(profile: Profile) -> ModuleCache {
        ModuleCache {
            profile,
            ..ModuleCache::default()
        }
    }
}

/// One file's declarations.
#[derive(Debug)]
pub(crate) struct FileDecls {
    id: FileId,
    syntax: syntax::File,
    pub is_override: bool,
    /// Of each segment, in source order.
    pub segments: Vec<Arc<SegmentDecls>>,
}

/// Segments of a file that stand in the place of others.
struct Edit {
    removed: Vec<Arc<SegmentDecls>>,
    added: Vec<Arc<SegmentDecls>>,
}

/// Reads all configuration files of a directory. `addr` is how messages call the module.
///
/// Always answers with the understood part. Use one `cache` per directory.
pub fn load_module(
    files: &dyn Files,
    cache: &mut ModuleCache,
    dir: &str,
    addr: &ModuleAddr,
) -> (Arc<Module>, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let mut before: HashMap<FileId, FileDecls> = std::mem::take(&mut cache.files)
        .into_iter()
        .map(|file| (file.id.clone(), file))
        .collect();
    let mut edits = Some(Vec::new());
    let mut unread = Vec::new();
    for (name, kind) in file_set(files, dir, cache.profile, &mut diagnostics) {
        let id = FileId::new(format!("{}/{name}", dir.trim_end_matches('/')));
        let syntax = match files.parse(id.path()) {
            Ok(syntax) => syntax,
            Err(error) => {
                let detail = format!("The file \"{}\" could not be read: {error}.", id.path());
                unread.push(id);
                diagnostics.push(Diagnostic::error(
                    "unreadable-file",
                    "Failed to read file",
                    detail,
                    None,
                ));
                continue;
            }
        };
        report_syntax_errors(&id, &syntax, &mut diagnostics);
        let is_override = kind == FileKind::Override;
        let mut file = match before.remove(&id) {
            Some(known) => known,
            None => {
                edits = None;
                FileDecls::new(id, is_override)
            }
        };
        let edit = file.update(syntax, cache.profile);
        if let Some(edits) = &mut edits {
            edits.extend(edit);
        }
        cache.files.push(file);
    }
    let of_files = diagnostics.clone();
    let known = cache.loaded.take().zip(edits).filter(|_| before.is_empty());
    if let Some((loaded, edits)) = &known
        && edits.is_empty()
        && loaded.addr == *addr
        && loaded.of_files == of_files
    {
        let result = (loaded.module.clone(), loaded.diagnostics.clone());
        cache.loaded = known.map(|(loaded, _)| loaded);
        return result;
    }
    let known = known.filter(|(loaded, _)| loaded.diagnostics.is_empty());
    let edited = known.and_then(|(loaded, edits)| {
        edited(loaded.module, &edits, &cache.files, addr, &mut diagnostics)
    });
    let module = edited.unwrap_or_else(|| {
        let mut module = Module {
            profile: cache.profile,
            unread,
            ..Module::default()
        };
        for file in &cache.files {
            module.files.insert(file.id.clone(), file.syntax.clone());
        }
        assemble(&cache.files, &mut module, &mut diagnostics);
        check(&module, addr, &mut diagnostics);
        Arc::new(module)
    });
    if !module.unread.is_empty() {
        let undeclared = diagnostics.iter_mut();
        for diagnostic in undeclared.filter(|it| it.code == "undeclared-reference") {
            let detail = &mut diagnostic.detail;
            detail.push_str("\n\nIt may be declared in a file that could not be read.");
        }
    }
    leave_out(&mut diagnostics);
    name_places(files, &module, &mut diagnostics);
    cache.loaded = Some(Loaded {
        addr: addr.clone(),
        of_files,
        module: module.clone(),
        diagnostics: diagnostics.clone(),
    });
    (module, diagnostics)
}

/// Nobody reads more than some, and each is copied several times on its way to the editor.
fn leave_out(diagnostics: &mut Vec<Diagnostic>) {
    const SHOWN: usize = 1_000;
    let count = diagnostics.len();
    if count <= SHOWN {
        return;
    }
    let is_warning = |it: &Diagnostic| it.severity == Severity::Warning;
    diagnostics.sort_by_key(is_warning);
    diagnostics.truncate(SHOWN);
    diagnostics.shrink_to_fit();
    let detail = format!(
        "The module has at least {count} errors and warnings. Only {SHOWN} of them are shown, errors first."
    );
    let severity = match is_warning(&diagnostics[0]) {
        true => Severity::Warning,
        false => Severity::Error,
    };
    diagnostics.push(Diagnostic {
        severity,
        ..Diagnostic::error(
            "too-many-errors",
            "Too many errors and warnings",
            detail,
            None,
        )
    });
}

/// The module after `edits`, if it differs from `before` only by the contents of one segment's declarations: the usual
/// case while somebody types. There was no error before, so any error after is in that segment.
fn edited(
    before: Arc<Module>,
    edits: &[Edit],
    files: &[FileDecls],
    addr: &ModuleAddr,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Arc<Module>> {
    let (before_edit, after_edit) = match edits {
        [] => return Some(before),
        [Edit { removed, added }] => match (removed.as_slice(), added.as_slice()) {
            ([removed], [added]) => (removed, added),
            _ => return None,
        },
        _ => return None,
    };
    if before_edit.items.len() != after_edit.items.len() {
        return None;
    }
    let mut module = Module::clone(&before);
    for (before, after) in before_edit.items.iter().zip(&after_edit.items) {
        if !replace(&mut module, before, after) {
            return None;
        }
    }
    for file in files {
        module.files.insert(file.id.clone(), file.syntax.clone());
    }
    diagnostics.extend(after_edit.diagnostics.iter().cloned());
    check_items(&module, addr, &after_edit.items, diagnostics);
    Some(Arc::new(module))
}

impl FileDecls {
    fn new(id: FileId, is_override: bool) -> FileDecls {
        FileDecls {
            id,
            syntax: syntax::parse(""),
            is_override,
            segments: Vec::new(),
        }
    }

    /// Takes in another version of the file and answers how they differ.
    fn update(&mut self, syntax: syntax::File, profile: Profile) -> Option<Edit> {
        let (changed, new) = self.syntax.difference(&syntax);
        let known: HashMap<SegmentId, &Arc<SegmentDecls>> = self
            .syntax
            .segments_from(changed.start)
            .map(|segment| segment.id)
            .zip(&self.segments[changed.clone()])
            .collect();
        let added: Vec<_> = syntax
            .segments_from(new.start)
            .take(new.len())
            .map(|segment| match known.get(&segment.id) {
                Some(known) => Arc::clone(known),
                None => {
                    let origin = Origin {
                        file: self.id.clone(),
                        segment: segment.id,
                    };
                    let items = &segment.parsed.items;
                    Arc::new(declare(&origin, items, self.is_override, profile))
                }
            })
            .collect();
        let is_edit = !changed.is_empty() || !added.is_empty();
        self.syntax = syntax;
        let removed = self
            .segments
            .splice(changed, added.iter().cloned())
            .collect();
        is_edit.then_some(Edit { removed, added })
    }
}

/// Primary files in the order of their names, then override files.
fn file_set(
    files: &dyn Files,
    dir: &str,
    profile: Profile,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<(String, FileKind)> {
    let Ok(names) = files.list(dir) else {
        let detail = format!("Module directory {dir} does not exist or cannot be read.");
        let summary = "Failed to read module directory";
        diagnostics.push(Diagnostic::error(
            "unreadable-directory",
            summary,
            detail,
            None,
        ));
        return Vec::new();
    };
    // `main.tofu` is read in the place of `main.tf`.
    let is_replaced = |name: &str| {
        let own = tofu_name(name).filter(|_| profile.has(feature::TOFU_FILES));
        own.is_some_and(|own| names.contains(&own))
    };
    let mut set: Vec<_> = names
        .iter()
        .filter(|name| !is_replaced(name))
        .filter_map(|name| FileKind::of(name, profile).map(|kind| (name.clone(), kind)))
        .collect();
    set.sort_by(|(a, a_kind), (b, b_kind)| {
        let is_override = |kind: &FileKind| *kind == FileKind::Override;
        (is_override(a_kind), a).cmp(&(is_override(b_kind), b))
    });
    set
}

fn report_syntax_errors(id: &FileId, syntax: &syntax::File, diagnostics: &mut Vec<Diagnostic>) {
    for (segment, error) in syntax.reported_errors() {
        diagnostics.push(error.clone().located(|range| Span {
            file: id.clone(),
            segment,
            range,
        }));
    }
}

/// Fills in where earlier declarations stand, as `main.tf:1,1-30`: each mark stands for the next related span.
fn name_places(files: &dyn Files, module: &Module, diagnostics: &mut [Diagnostic]) {
    let mut lines = HashMap::new();
    for Diagnostic {
        detail, related, ..
    } in diagnostics
    {
        for related in related {
            if !detail.contains(PLACE) {
                break;
            }
            *detail = detail.replacen(PLACE, &place(files, module, &mut lines, &related.span), 1);
        }
    }
}

/// `lines` keeps the lines of the files that were read.
fn place(
    files: &dyn Files,
    module: &Module,
    lines: &mut HashMap<FileId, Option<Lines>>,
    span: &Span,
) -> String {
    let name = span.file.name();
    let syntax = module.files.get(&span.file);
    let lines = lines
        .entry(span.file.clone())
        .or_insert_with(|| files.read(span.file.path()).ok().map(Lines::new));
    let (Some(range), Some(lines)) = (syntax.and_then(|it| it.resolve(span)), lines) else {
        return name.to_owned();
    };
    let (start, end) = (lines.position(range.start()), lines.position(range.end()));
    if start.0 == end.0 {
        format!("{name}:{},{}-{}", start.0, start.1, end.1)
    } else {
        format!("{name}:{},{}-{},{}", start.0, start.1, end.0, end.1)
    }
}

/// The lines of a text. They end at `\n` alone.
struct Lines {
    text: Arc<str>,
    starts: Vec<usize>,
}

impl Lines {
    fn new(text: Arc<str>) -> Lines {
        let behind_breaks = text.match_indices('\n').map(|(at, _)| at + 1);
        let starts = std::iter::once(0).chain(behind_breaks).collect();
        Lines { text, starts }
    }

    /// Counted from one, columns in characters.
    fn position(&self, offset: TextSize) -> (usize, usize) {
        let offset = usize::from(offset).min(self.text.len());
        let line = self.starts.partition_point(|start| *start <= offset);
        let before = self.text.get(self.starts[line - 1]..offset);
        (line, before.unwrap_or_default().chars().count() + 1)
    }
}
