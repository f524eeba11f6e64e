//! Renaming a declaration, wherever it is named.

use config::{Files, Referenceable, is_identifier};
use smol_str::SmolStr;
use text::{FileId, TextSize};

use crate::names::{Name, NameRole, names, names_beside, static_key};
use crate::{Edits, Modules, Move, Refactoring, Symbol, SymbolObject};

/// Why something can't be renamed, for the person who asked.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refusal {
    #[error("Nothing here can be renamed.")]
    NoName,
    #[error("{0} is not declared in this workspace.")]
    NotDeclared(String),
    #[error("{0} belongs to an installed module: the next init would undo the change.")]
    Installed(String),
    #[error(
        "{0:?} is not a name. A name starts with a letter or underscore and may contain only letters, digits, underscores, and dashes."
    )]
    NotAName(String),
    #[error("{0:?} is a reserved name here.")]
    Reserved(String),
    #[error("{0} already exists.")]
    Exists(String),
    #[error("{0} could not be read, so the names in it are not known.")]
    Unread(String),
    #[error("{0} has a syntax error, so not all names in it are known.")]
    Broken(String),
    #[error(
        "{file} has a syntax error in a block that mentions {name:?}, so not all of its uses are known."
    )]
    BrokenUse { file: String, name: String },
    #[error(
        "{address} is a former address of {now}, as a moved block in {file} says. Remove that block first."
    )]
    FormerAddress {
        address: String,
        now: String,
        file: String,
    },
    #[error("The instances of {0} are not known.")]
    UnknownInstances(String),
    #[error("The instances of {0} have other keys in another instance of its module.")]
    VariousInstances(String),
    #[error("{0} has {1} instances. Without count and for_each it would have only one.")]
    ManyInstances(String, usize),
    #[error("{0} is in JSON syntax, where planlens can change only names.")]
    UsedInJson(String),
    #[error("{0} is called several times, so its resources would exist several times.")]
    CalledSeveralTimes(String),
    #[error("An override file changes {0}.")]
    Overridden(String),
    #[error(
        "{0} has a depends_on or replace_triggered_by that names an object outside the module."
    )]
    OrderedByOthers(String),
    #[error("{0} gets a value in {1}.")]
    IsGiven(String, String),
    #[error("{0} is ephemeral or has a validation. A local value can have neither.")]
    MoreThanValue(String),
    #[error("The object to import to {0} could not be read.")]
    NotRead(String),
    #[error("{0} is not a constant.")]
    NotConstant(String),
    #[error("{0} is used as a whole.")]
    UsedAsWhole(String),
    #[error("A replace_triggered_by names {0}, but it can't name an object in a module.")]
    Triggers(String),
    #[error("{0} would need another provider configuration.")]
    OtherProvider(String),
}

/// The name at a place, if its subject can be renamed.
pub fn renamable(
    modules: &Modules,
    files: &dyn Files,
    file: &FileId,
    offset: TextSize,
) -> Result<Name, Refusal> {
    let dir = dir_beside(modules, file).ok_or(Refusal::NoName)?;
    let is_configuration = modules.file(file).is_some();
    let all = match is_configuration {
        true => names(modules, dir),
        false => names_beside(modules, files, dir),
    };
    let mut here = all.into_iter().filter(|name| {
        name.file == *file && name.role != NameRole::Moved && name.range.contains_inclusive(offset)
    });
    let name = here.next().ok_or(Refusal::NoName)?;
    declared(modules, &name.symbol)?;
    Ok(name)
}

/// The module that a file belongs to: of its folder, or of the one above if that holds tests.
fn dir_beside<'a>(modules: &'a Modules, file: &FileId) -> Option<&'a SmolStr> {
    modules.dir_of(file).or_else(|| {
        let (dir, _) = file.path().rsplit_once('/')?;
        modules.dir_of(&FileId::new(format!("{}/x", dir.strip_suffix("/tests")?)))
    })
}

/// Gives `symbol` another name.
pub(crate) fn rename(
    modules: &Modules,
    files: &dyn Files,
    symbol: &Symbol,
    new_name: &str,
) -> Result<Refactoring, Refusal> {
    declared(modules, symbol)?;
    let is_key = matches!(
        symbol.object,
        SymbolObject::ResourceKey(..) | SymbolObject::CallKey(..)
    );
    if !is_key && !is_identifier(new_name) {
        return Err(Refusal::NotAName(new_name.to_owned()));
    }
    if is_reserved(&symbol.object, new_name) {
        return Err(Refusal::Reserved(new_name.to_owned()));
    }
    let mut edits = Edits::default();
    let to = symbol.object.renamed(new_name);
    if to == symbol.object {
        return Ok(Refactoring::default());
    }
    if let (SymbolObject::LocalKey(local, _), Some(module)) =
        (&symbol.object, modules.get(&symbol.dir))
    {
        let whole = Referenceable::Local(local.clone());
        let mut uses = module.all_references().filter(|it| it.subject == whole);
        if uses.any(|it| static_key(it).is_none()) {
            return Err(Refusal::UsedAsWhole(format!("local.{local}")));
        }
    }
    for dir in concerned(modules, symbol) {
        refuse_unread(modules, dir)?;
        if let Some(file) = broken_with(modules, dir, symbol.object.name()) {
            return Err(Refusal::BrokenUse {
                file: file.name().to_owned(),
                name: symbol.object.name().to_string(),
            });
        }
        for name in names(modules, dir) {
            if name.symbol.object == to
                && name.symbol.dir == symbol.dir
                && name.role == NameRole::Declaration
            {
                return Err(Refusal::Exists(to.described()));
            }
            take(&mut edits, modules, &name, symbol, new_name);
        }
    }
    for name in names_beside(modules, files, &symbol.dir) {
        take(&mut edits, modules, &name, symbol, new_name);
    }
    let title = format!("Rename {} to {new_name}", symbol.object.described());
    let ends = symbol.object.address().zip(to.address());
    let moves = ends.map(|(from, to)| Move {
        dir: symbol.dir.clone(),
        from,
        to,
    });
    Ok(Refactoring {
        title,
        edits,
        moves: moves.into_iter().collect(),
    })
}

fn take(edits: &mut Edits, modules: &Modules, name: &Name, symbol: &Symbol, new_name: &str) {
    if name.symbol != *symbol || name.role == NameRole::Moved {
        return;
    }
    let is_key = matches!(
        symbol.object,
        SymbolObject::ResourceKey(..) | SymbolObject::CallKey(..)
    );
    let text = modules.file(&name.file).map(|file| file.text().clone());
    let before = text
        .as_deref()
        .and_then(|text| text.get(..name.range.start().into()));
    let is_quoted = before.is_some_and(|before| before.ends_with('"'));
    let quoted = config::quote(new_name);
    let new_text = match (is_key, is_quoted) {
        (true, true) => &quoted[1..quoted.len() - 1],
        (true, false) if !is_identifier(new_name) => &quoted,
        _ => new_name,
    };
    edits.replace(&name.file, name.range, new_text);
}

/// The modules whose files may name the symbol: all, for addresses reach into called modules.
fn concerned<'a>(modules: &'a Modules, symbol: &'a Symbol) -> Vec<&'a SmolStr> {
    let is_local = matches!(
        symbol.object,
        SymbolObject::Local(_) | SymbolObject::LocalKey(..)
    );
    let all = modules.iter().map(|(dir, _)| dir);
    all.filter(|dir| !is_local || **dir == symbol.dir).collect()
}

/// Refuses if a file of the module could not be read: it may have the same names.
pub(crate) fn refuse_unread(modules: &Modules, dir: &str) -> Result<(), Refusal> {
    let mut unread = modules.get(dir).into_iter().flat_map(|it| &it.unread);
    match unread.next() {
        Some(file) => Err(Refusal::Unread(file.name().to_owned())),
        None => Ok(()),
    }
}

/// A file with a syntax error.
pub(crate) fn broken<'a>(modules: &'a Modules, dir: &str) -> Option<&'a FileId> {
    broken_where(modules, dir, |_| true)
}

/// A file with a syntax error in a block that has `name` as a word.
fn broken_with<'a>(modules: &'a Modules, dir: &str, name: &str) -> Option<&'a FileId> {
    let is_in_name = |c: char| is_identifier(&format!("a{c}"));
    broken_where(modules, dir, |text| {
        text.match_indices(name).any(|(at, _)| {
            let before = text[..at].chars().next_back();
            let after = text[at + name.len()..].chars().next();
            !before.is_some_and(is_in_name) && !after.is_some_and(is_in_name)
        })
    })
}

/// A file with a syntax error in a block whose text `is_meant`.
fn broken_where<'a>(
    modules: &'a Modules,
    dir: &str,
    is_meant: impl Fn(&str) -> bool,
) -> Option<&'a FileId> {
    let mut files = modules.get(dir)?.files.iter();
    let (file, _) = files.find(|(_, syntax)| {
        let mut broken = syntax.errors().filter_map(|(id, _)| syntax.segment(id));
        broken.any(|segment| is_meant(&segment.parsed.text))
    })?;
    Some(file)
}

fn declared(modules: &Modules, symbol: &Symbol) -> Result<(), Refusal> {
    let described = || symbol.object.described();
    let module = modules.get(&symbol.dir);
    let is_declared = module.is_some_and(|module| match &symbol.object {
        SymbolObject::Variable(name) => module.variables.contains_key(name),
        SymbolObject::Local(name) | SymbolObject::LocalKey(name, _) => {
            module.locals.contains_key(name)
        }
        SymbolObject::Output(name) => module.outputs.contains_key(name),
        SymbolObject::Resource(addr) | SymbolObject::ResourceKey(addr, _) => {
            module.resource(addr).is_some()
        }
        SymbolObject::ModuleCall(name) | SymbolObject::CallKey(name, _) => {
            module.module_calls.contains_key(name)
        }
        SymbolObject::Provider(provider) => module.providers.contains_key(provider),
    });
    if !is_declared {
        return Err(Refusal::NotDeclared(described()));
    }
    if symbol.dir.contains("/.terraform/modules/") {
        return Err(Refusal::Installed(described()));
    }
    Ok(())
}

/// Names that mean something else where they would stand: as arguments of a call, or as a whole reference.
fn is_reserved(object: &SymbolObject, name: &str) -> bool {
    matches!(object, SymbolObject::Variable(_)) && RESERVED_VARIABLES.contains(&name)
}

/// As `internal/configs/named_values.go` of OpenTofu has them.
pub(crate) const RESERVED_VARIABLES: [&str; 8] = [
    "source",
    "version",
    "providers",
    "count",
    "for_each",
    "lifecycle",
    "depends_on",
    "locals",
];
