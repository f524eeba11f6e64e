//! From a name to its declaration and to its uses.

use ide::{Definition, Location, PlaceInFile, References, Snapshot, SymbolKind, WorkspaceSymbol};
use pulumi::expr::{Access, Expr};
use pulumi::program::{Declared, Program};
use text::{Diagnostic, FileId, Severity, TextRange, TextSize};

use super::typed::CursorContext;
use crate::language::{FilePurpose, YamlFile};

/// A name under the cursor.
pub(crate) struct NameUnderCursor {
    pub range: TextRange,
    pub named: Named,
}

pub(crate) enum Named {
    /// Of a declaration, or of a reference to one.
    Declared(String),
    /// Any other key.
    Key,
}

pub(crate) fn definition(at: &PlaceInFile<'_>) -> Option<Definition> {
    let known = CursorContext::at(at)?;
    let found = named(at, &known)?;
    let Named::Declared(name) = &found.named else {
        return None;
    };
    let (target, full) = declaration(at, &known, name)?;
    Some(Definition {
        origin: found.range,
        target,
        full,
    })
}

pub(crate) fn references(at: &PlaceInFile<'_>) -> References {
    let found = CursorContext::at(at).and_then(|known| Some((named(at, &known)?, known)));
    let Some((found, known)) = found else {
        return References::default();
    };
    let Named::Declared(name) = &found.named else {
        return References::default();
    };
    let mut uses = Vec::new();
    let mut texts = Texts::of(at.snapshot);
    each_access(&known.program, &mut |file, segment, access| {
        if stripped(&access.root, &known) == *name
            && let Some(segment) = texts.file(file).and_then(|it| it.segment(segment))
        {
            uses.push(Location {
                file: file.clone(),
                range: root_range(&segment.parsed.text, access) + segment.offset,
            });
        }
    });
    uses.extend(in_stacks(at, &known, name));
    References {
        declaration: declaration(at, &known, name).map(|(target, _)| target),
        uses,
    }
}

/// Where a name is declared, and all that belongs to it. A file that is not open has places all the same.
fn declaration(
    at: &PlaceInFile<'_>,
    known: &CursorContext<'_>,
    name: &str,
) -> Option<(Location, Location)> {
    let program = &known.program;
    let spans = declarations(program);
    let (_, file, segment, range) = spans.into_iter().find(|(it, ..)| *it == name)?;
    let parsed = parsed(at.snapshot, &file)?;
    let segment = parsed.segment(segment)?;
    let whole = TextSize::of(segment.parsed.text.trim_end());
    let full = TextRange::new(range.start().min(whole), whole);
    let location = |range: TextRange| Location {
        file: file.clone(),
        range: range + segment.offset,
    };
    Some((location(range), location(full)))
}

/// Files as the editor has them, or else as the disk has them: each is read once.
struct Texts<'a> {
    snapshot: &'a Snapshot,
    files: Vec<(FileId, Option<yaml::File>)>,
}

impl<'a> Texts<'a> {
    fn of(snapshot: &'a Snapshot) -> Texts<'a> {
        let files = Vec::new();
        Texts { snapshot, files }
    }

    fn file(&mut self, file: &FileId) -> Option<&yaml::File> {
        let known = self.files.iter().position(|(it, _)| it == file);
        let index = known.unwrap_or_else(|| {
            self.files.push((file.clone(), parsed(self.snapshot, file)));
            self.files.len() - 1
        });
        self.files[index].1.as_ref()
    }
}

fn parsed(snapshot: &Snapshot, file: &FileId) -> Option<yaml::File> {
    let open = snapshot.file(file);
    if let Some(yaml) = open.and_then(|source| YamlFile::of(source.parsed())) {
        return Some(yaml.file.clone());
    }
    let path = std::path::Path::new(file.path());
    let text = disk::read_text(path, disk::Limit::CONFIGURATION).ok()?;
    Some(yaml::File::parse(&text))
}

/// Everything that a program declares, for the symbols of the workspace.
pub(crate) fn declared(snapshot: &Snapshot, program: &Program) -> Vec<WorkspaceSymbol> {
    fn of<T>(kind: SymbolKind, declared: &Declared<T>) -> (SymbolKind, &str, text::Span) {
        (kind, &declared.name, declared.place())
    }
    let resources = program.resources.iter();
    let resources = resources.map(|it| of(SymbolKind::Resource, it));
    let variables = program.variables.iter();
    let variables = variables.map(|it| of(SymbolKind::Variable, it));
    let config = program.config.iter();
    let config = config.map(|it| of(SymbolKind::Variable, it));
    let outputs = program.outputs.iter();
    let outputs = outputs.map(|it| of(SymbolKind::Output, it));
    let all = resources.chain(variables).chain(config).chain(outputs);
    let mut texts = Texts::of(snapshot);
    let symbols = all.filter_map(|(kind, name, span)| {
        let segment = texts.file(&span.file)?.segment(span.segment)?;
        Some(WorkspaceSymbol {
            name: name.to_owned(),
            kind,
            location: Location {
                file: span.file,
                range: span.range + segment.offset,
            },
        })
    });
    symbols.collect()
}

/// Variables and configuration without references. Empty while anything is half-typed.
pub(crate) fn unused(program: &Program, project: &str) -> Vec<Diagnostic> {
    if program.problems.iter().any(|it| it.is_error()) {
        return Vec::new();
    }
    let mut used = std::collections::HashSet::new();
    each_access(program, &mut |_, _, access| {
        let root = access.root.as_str();
        used.insert(own_name(root, project).unwrap_or(root).to_owned());
    });
    let hint = |code, what: String, at| Diagnostic {
        severity: Severity::Hint,
        ..Diagnostic::warning(code, what, "", at)
    };
    let mut found = Vec::new();
    for it in program
        .variables
        .iter()
        .filter(|it| !used.contains(&it.name))
    {
        let what = format!("The variable {} is not used", it.name);
        found.push(hint("unused-program-variable", what, it.place()));
    }
    // Keys of packages configure their providers.
    let config = program.config.iter().filter(|it| !it.name.contains(':'));
    for it in config.filter(|it| !used.contains(&it.name)) {
        let what = format!("The configuration value {} is not used", it.name);
        found.push(hint("unused-configuration", what, it.place()));
    }
    found
}

pub(crate) fn is_declared(program: &Program, name: &str) -> bool {
    declarations(program).iter().any(|(it, ..)| *it == name)
}

type Declaration<'a> = (&'a str, FileId, text::SegmentId, TextRange);

fn declarations(program: &Program) -> Vec<Declaration<'_>> {
    fn of<T>(declared: &Declared<T>) -> Declaration<'_> {
        let place = declared.place();
        (&declared.name, place.file, place.segment, place.range)
    }
    let config = program.config.iter().map(|it| of(it));
    let variables = program.variables.iter().map(|it| of(it));
    let resources = program.resources.iter().map(|it| of(it));
    config.chain(variables).chain(resources).collect()
}

/// The name under the cursor.
pub(crate) fn named(at: &PlaceInFile<'_>, known: &CursorContext<'_>) -> Option<NameUnderCursor> {
    if let Some((access, range)) = accesses(known, at.file, at.offset) {
        let name = stripped(&access.root, known);
        return Some(NameUnderCursor {
            range,
            named: Named::Declared(name),
        });
    }
    let key = known.yaml.file.segments().find_map(|segment| {
        let range = segment.range();
        range.contains_inclusive(at.offset).then_some(())?;
        let keys = segment.parsed.entries.iter().map(|it| &it.key);
        let mut keys = keys.map(|it| (it.text().unwrap_or_default(), it.range + segment.offset));
        keys.find(|(_, range)| range.contains_inclusive(at.offset))
    });
    if let Some((name, range)) = key {
        if let FilePurpose::Stack(_) = known.role {
            return Some(NameUnderCursor {
                named: Named::Declared(config_name(known, name)?),
                range,
            });
        }
        let named = match is_declared(&known.program, name) {
            true => Named::Declared(name.to_owned()),
            false => Named::Key,
        };
        return Some(NameUnderCursor { range, named });
    }
    None
}

/// The declaration that a key of a stack's configuration is for.
fn config_name(known: &CursorContext<'_>, key: &str) -> Option<String> {
    let own = own_name(key, known.project());
    let mut config = known.program.config.iter();
    let found = config.find(|it| {
        let declared = it.decl.key.as_deref().unwrap_or(&it.name);
        declared == key || Some(declared) == own
    })?;
    Some(found.name.clone())
}

/// Where the stacks configure a name.
fn in_stacks(at: &PlaceInFile<'_>, known: &CursorContext<'_>, name: &str) -> Vec<Location> {
    let Some(folder) = known.folder else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for stack in &folder.stacks {
        let path = folder.dir.join(format!("Pulumi.{stack}.yaml"));
        let file = FileId::new(path.to_string_lossy());
        let Some(yaml) = parsed(at.snapshot, &file) else {
            continue;
        };
        for item in yaml.entries("config") {
            if config_name(known, item.name()).as_deref() == Some(name) {
                found.push(Location {
                    file: file.clone(),
                    range: item.key.range + item.segment.offset,
                });
            }
        }
    }
    found
}

/// Without the name of the project, unless it is declared with that.
fn stripped(root: &str, known: &CursorContext<'_>) -> String {
    let is_declared = is_declared(&known.program, root);
    let own = own_name(root, known.project());
    own.filter(|_| !is_declared).unwrap_or(root).to_owned()
}

/// The name after that of the project.
pub(crate) fn own_name<'a>(key: &'a str, project: &str) -> Option<&'a str> {
    key.strip_prefix(project)?.strip_prefix(':')
}

/// The name at the beginning of `${...}`, in its segment.
fn root_range(text: &str, access: &Access) -> TextRange {
    let written = text.get(std::ops::Range::<usize>::from(access.at));
    let at = written.and_then(|it| it.find(&*access.root)).unwrap_or(2);
    let start = access.at.start() + TextSize::new(at as u32);
    TextRange::at(start, TextSize::of(&*access.root))
}

/// The `${...}` around a place, with the range of its name.
pub(crate) fn accesses(
    known: &CursorContext<'_>,
    file: &FileId,
    offset: TextSize,
) -> Option<(Access, TextRange)> {
    let mut found = None;
    each_access(&known.program, &mut |of, segment, access| {
        if of != file || found.is_some() {
            return;
        }
        if let Some(segment) = known.yaml.file.segment(segment)
            && (access.at + segment.offset).contains_inclusive(offset)
        {
            let range = root_range(&segment.parsed.text, access) + segment.offset;
            found = Some((access.clone(), range));
        }
    });
    found
}

fn each_access(program: &Program, found: &mut dyn FnMut(&FileId, text::SegmentId, &Access)) {
    let mut of = |file: &FileId, segment, expr: &Expr| {
        let mut accesses = Vec::new();
        expr.accesses(&mut accesses);
        for access in accesses {
            found(file, segment, access);
        }
    };
    for it in &program.config {
        let default = it.decl.default.iter();
        default.for_each(|expr| of(&it.file, it.segment, expr));
    }
    for it in program.variables.iter().chain(&program.outputs) {
        of(&it.file, it.segment, &it.decl);
    }
    for it in &program.resources {
        it.decl
            .exprs()
            .for_each(|expr| of(&it.file, it.segment, expr));
    }
}
