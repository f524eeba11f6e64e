//! Another name for what a program declares: at its declaration, at all its uses, and as an alias, so that what the state has of a
//! resource is taken over.

use std::collections::BTreeMap;
use std::sync::Arc;

use ide::{ChangeKind, PlaceInFile, Proof, Refactored, Refused, Renamable, Selection};
use pulumi::plan::Plan;
use pulumi::program::{Declared, ResourceDecl};
use text::{Edits, FileId, TextRange, TextSize};

use crate::features::names::{self, Named};
use crate::features::typed::CursorContext;
use crate::folder::ProgramFolder;
use crate::language::FilePurpose;
use crate::options::{OptionValue, Resource};

/// The name at a place, if it can be changed.
pub(crate) fn renamable(place: &Selection) -> Result<Renamable, Refused> {
    let nothing = || Refused("Nothing here can be renamed.".to_owned());
    let at = at(place).ok_or_else(nothing)?;
    let known = CursorContext::at(&at).ok_or_else(nothing)?;
    let found = names::named(&at, &known).ok_or_else(nothing)?;
    let Named::Declared(name) = found.named else {
        return Err(nothing());
    };
    let old = NameToChange::of(&known, &name)?;
    let text = text_of(place, &place.file)?;
    let range = old.range(&text, found.range).ok_or_else(|| {
        let why = format!("The program gives this key the name `{name}`: change it there.");
        Refused(why)
    })?;
    Ok(Renamable {
        range,
        name: old.own.to_owned(),
    })
}

/// A declared name that is to change.
struct NameToChange<'a> {
    /// The name of the project with its colon, where the program writes that.
    prefix: &'a str,
    /// The part that changes.
    own: &'a str,
    /// Whether the stacks know the value by another key.
    has_other_key: bool,
}

impl<'a> NameToChange<'a> {
    fn of(known: &CursorContext<'_>, name: &'a str) -> Result<NameToChange<'a>, Refused> {
        let own = names::own_name(name, known.project()).unwrap_or(name);
        let mut config = known.program.config.iter();
        let declared = config.find(|it| it.name == name);
        if let Some((package, _)) = own.split_once(':').filter(|_| declared.is_some()) {
            let why =
                format!("`{name}` is a key of the package {package}, which defines its name.");
            return Err(Refused(why));
        }
        Ok(NameToChange {
            prefix: &name[..name.len() - own.len()],
            own,
            has_other_key: declared.is_some_and(|it| it.decl.key.is_some()),
        })
    }

    /// Where the part that changes stands in a written name.
    fn range(&self, text: &str, written: TextRange) -> Option<TextRange> {
        let name = text.get(std::ops::Range::<usize>::from(written))?;
        let start = name.rfind(self.own)?;
        let start = written.start() + TextSize::new(start as u32);
        Some(TextRange::at(start, TextSize::of(self.own)))
    }
}

fn at(place: &Selection) -> Option<PlaceInFile<'_>> {
    PlaceInFile::of(&place.snapshot, &place.file, place.range.start())
}

/// The edits of a rename, and the texts that they are made in.
pub(crate) struct Renamed {
    pub old: String,
    pub new: String,
    pub edits: Edits,
    pub texts: BTreeMap<FileId, Arc<str>>,
}

pub(crate) fn renamed(place: &Selection, new: &str) -> Result<Renamed, Refused> {
    renamable(place)?;
    let at = at(place).ok_or_else(Refused::unplanned)?;
    let known = CursorContext::at(&at).ok_or_else(Refused::unplanned)?;
    let folder = known.folder.ok_or_else(Refused::unplanned)?;
    let found = names::named(&at, &known).ok_or_else(Refused::unplanned)?;
    let Named::Declared(name) = &found.named else {
        return Err(Refused::unplanned());
    };
    if !known.program.is_parsed() {
        let why = "A part of the program does not parse, so not all uses of the name are known.";
        return Err(Refused(why.to_owned()));
    }
    let old = NameToChange::of(&known, name)?;
    let new = names::own_name(new, known.project()).unwrap_or(new);
    let is_word = |c: char| c.is_alphanumeric() || "_-".contains(c);
    let begins = new
        .chars()
        .next()
        .is_some_and(|c| c.is_alphabetic() || c == '_');
    if !begins || !new.chars().all(is_word) {
        return Err(Refused(format!(
            "{new:?} is not a valid name: use only letters, digits, - and _."
        )));
    }
    let whole = format!("{}{new}", old.prefix);
    let is_taken = |name: &str| names::is_declared(&known.program, name);
    if is_taken(&whole) || is_taken(new) || new == pulumi::program::SETTINGS {
        return Err(Refused(format!("{new} already exists.")));
    }
    let mut edits = Edits::default();
    let found = names::references(&at);
    for location in found.declaration.iter().chain(&found.uses) {
        let is_key = matches!(FilePurpose::of(&location.file), Some(FilePurpose::Stack(_)));
        if is_key && old.has_other_key {
            continue;
        }
        let text = text_of(place, &location.file)?;
        let range = old.range(&text, location.range);
        edits.replace(&location.file, range.ok_or_else(Refused::unplanned)?, new);
    }
    let resource = known.program.resources.iter().find(|it| it.name == *name);
    if let Some(resource) = resource.filter(|it| may_exist(folder, it)) {
        let text = text_of(place, &resource.file)?;
        add_alias(&mut edits, &text, &known, resource)?;
    }
    let mut texts = BTreeMap::new();
    for file in edits.files.keys() {
        texts.insert(file.clone(), text_of(place, file)?);
    }
    Ok(Renamed {
        old: name.clone(),
        new: whole,
        edits,
        texts,
    })
}

fn text_of(place: &Selection, file: &FileId) -> Result<Arc<str>, Refused> {
    if let Some(text) = place.snapshot.text_of(file) {
        return Ok(text);
    }
    let path = std::path::Path::new(file.path());
    let text = disk::read_text(path, disk::Limit::CONFIGURATION);
    text.map(Arc::from)
        .map_err(|error| Refused(format!("{}: {error}", file.name())))
}

/// Whether a state may have a resource under the name that is its key: that of this stack, or of one that was not read.
fn may_exist(folder: &ProgramFolder, resource: &Declared<ResourceDecl>) -> bool {
    let place = resource.place();
    let mut steps = folder.plan.steps.iter();
    let step = steps.find(|step| step.declared.as_ref() == Some(&place));
    let exists = step.is_some_and(|step| step.old.is_some());
    let is_unread = folder.objects.about.is_state_unread || folder.stacks.len() > 1;
    resource.decl.name.is_none() && (exists || is_unread)
}

/// Adds the former name to the aliases of a resource.
fn add_alias(
    edits: &mut Edits,
    text: &str,
    known: &CursorContext<'_>,
    resource: &Declared<ResourceDecl>,
) -> Result<(), Refused> {
    let refused = || Refused("The text of the resource does not parse.".to_owned());
    let segment = known.yaml.file.segment(resource.segment);
    let written = segment.and_then(|it| Resource::find(text, it, &resource.name));
    let line = format!("name: {}", resource.name);
    let wanted = OptionValue::Element {
        line: &line,
        flow: &format!("{{{line}}}"),
    };
    let edit = written.ok_or_else(refused)?.option("aliases", wanted)?;
    edits.replace(&resource.file, edit.range, edit.text);
    Ok(())
}

/// An alias for a resource of the state, with the text before.
pub(crate) fn aliased(
    place: &Selection,
    name: &str,
    line: &str,
) -> Result<(Edits, Arc<str>), Refused> {
    let at = at(place).ok_or_else(Refused::unplanned)?;
    let known = CursorContext::at(&at).ok_or_else(Refused::unplanned)?;
    let text = text_of(place, &place.file)?;
    let mut resources = known.program.resources.iter();
    let resource = resources.find(|it| it.name == name && it.file == place.file);
    let segment = resource.and_then(|it| known.yaml.file.segment(it.segment));
    let written = segment.and_then(|it| Resource::find(&text, it, name));
    let is_object = line.contains(": ");
    let flow = match is_object {
        true => format!("{{{line}}}"),
        false => format!("{line:?}"),
    };
    let wanted = OptionValue::Element { line, flow: &flow };
    let edit = written
        .ok_or_else(Refused::unplanned)?
        .option("aliases", wanted)?;
    Ok((Edits::of(&place.file, vec![edit]), text))
}

pub(crate) fn existing_unknown(why: &str) -> String {
    format!("existing resources are unknown: {why}")
}

/// Whether a second plan does the same to existing objects, which are unknown where the state is `unread`.
pub(crate) fn proof(
    before: &Plan,
    after: &Plan,
    (old, new): (&str, &str),
    unread: Option<String>,
) -> Proof {
    let name = |step: &pulumi::plan::Step, is_before: bool| {
        let name = step.urn.name();
        let name = match is_before && name == old {
            true => new,
            false => name,
        };
        (step.urn.qualified_type().to_owned(), name.to_owned())
    };
    let kinds = |plan: &Plan, is_before: bool| {
        let steps = plan
            .steps
            .iter()
            .filter(|it| it.urn.type_name() != pulumi::urn::STACK_TYPE);
        let kinds =
            steps.map(|step| (name(step, is_before), crate::planned_objects::kind(step.op)));
        kinds
            .collect::<Vec<((String, String), ChangeKind)>>()
            .into_iter()
    };
    let errors = |plan: &Plan| {
        let errors = plan.problems.iter().filter(|it| it.problem.is_error());
        errors
            .map(|it| it.problem.summary.to_string())
            .collect::<Vec<_>>()
    };
    let (errors_before, errors_after) = (errors(before), errors(after));
    let mut proof = Proof::of(
        [&mut kinds(before, true), &mut kinds(after, false)],
        |(_, name)| name.clone(),
        [
            &mut errors_before.iter().map(String::as_str),
            &mut errors_after.iter().map(String::as_str),
        ],
    );
    let unplanned = after.steps.iter().find(|step| !step.is_planned());
    let unplanned = unplanned.map(|step| {
        let why = step
            .caveats
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>();
        format!("{} is not planned: {}", step.urn.name(), why.join("; "))
    });
    let unread = unread.map(|why| existing_unknown(&why));
    proof.unplanned = unread.or(unplanned);
    proof
}

/// In words, with its proof.
pub(crate) fn refactored(renamed: Renamed, proof: Proof) -> Refactored {
    Refactored {
        title: format!("Rename {} to {}", renamed.old, renamed.new),
        edits: renamed.edits,
        texts: renamed.texts,
        proof,
    }
}
