//! Gives a value to a variable that has none: by an environment, a default, a file of values or the settings.

use std::path::Path;

use config::Files;
use refactor::{Edit, Edits};
use smol_str::SmolStr;
use text::{FileId, TextRange, TextSize};

use super::context::ActionContext;
use super::missing::{empty_value, insert_lines};
use super::{Action, ActionKind, Effect};
use crate::environments::RootInputs;
use crate::referent::Referent;
use crate::{Shown, Snapshot};

/// More environments than these are too many for a menu: there is a command to choose among all.
const ENVIRONMENTS: usize = 5;

/// As many are looked at. Each may have a file to be read.
const LOOKED_AT: usize = 50;

pub(super) fn offers(
    place: &ActionContext<'_>,
    range: TextRange,
    files: &dyn Files,
) -> Vec<Action> {
    let known = &place.known;
    let unset = variable(place, range).filter(|it| known.unset.contains(it));
    let (Some(name), Some(root)) = (unset, place.snapshot.root_of(place.file)) else {
        return Vec::new();
    };
    let reported = place.diagnostics().iter();
    let reported = reported.filter(|it| it.diagnostic.code == "no-variable-value");
    let fixes: Vec<Shown> = reported
        .filter(|it| it.range.intersect(range).is_some())
        .cloned()
        .collect();
    let action = |title: String, effect: Effect| Action {
        title,
        kind: ActionKind::QuickFix,
        fixes: fixes.clone(),
        is_preferred: false,
        is_safe: false,
        effect,
    };
    let environments = environments(place.snapshot, root, &name, files);
    let environments = environments.into_iter().map(|it| {
        let title = format!("Plan with {it}, which sets `{name}`");
        action(title, Effect::Environment(it))
    });
    let default = default(place, &name).map(|edits| {
        let title = format!("Add a default to `{name}`");
        action(title, Effect::Edit(edits))
    });
    let (file, edits) = in_file(place, root, &name, files);
    let title = format!("Set `{name}` in {file}");
    let set = action(title, Effect::Edit(edits));
    let title = format!("Set `{name}` for this workspace in the settings");
    let setting = action(title, Effect::Setting(root.to_owned(), name.clone()));
    environments.chain(default).chain([set, setting]).collect()
}

/// The variable that is named or declared there.
fn variable(place: &ActionContext<'_>, range: TextRange) -> Option<SmolStr> {
    let named = place.snapshot.subject_at(place.file, range.start());
    if let Some(Referent::Variable(name)) = named.map(|it| it.subject) {
        return Some(name);
    }
    let around = place.around(range.start())?;
    let block = around.top().filter(|it| it.kind.name == "variable")?;
    (block.header_range + around.offset).intersect(range)?;
    Some(block.labels.first()?.text.clone())
}

/// The environments that give the variable a value.
fn environments(
    snapshot: &Snapshot,
    root: &Path,
    variable: &str,
    files: &dyn Files,
) -> Vec<String> {
    let listed = snapshot.environments(root, files).into_iter();
    let others = listed.filter(|it| !it.is_chosen).take(LOOKED_AT);
    let names = others.map(|it| it.name);
    let giving = names.filter(|it| gives(&snapshot.given_by(root, Some(it)), variable, files));
    giving.take(ENVIRONMENTS).collect()
}

fn gives(given: &RootInputs, variable: &str, files: &dyn Files) -> bool {
    let sets = |path: &Path| {
        let parsed = path.to_str().and_then(|path| files.parse(path).ok());
        let segments = parsed.iter().flat_map(|file| file.segments());
        let mut items = segments.flat_map(|it| &it.parsed.items);
        items.any(|item| match item {
            syntax::ast::Item::Attribute(it) => it.name.name == variable,
            syntax::ast::Item::Member(it) => it.name() == variable,
            syntax::ast::Item::Block(_) => false,
        })
    };
    given.variables.contains_key(variable)
        || given.env.contains_key(&format!("TF_VAR_{variable}"))
        || given.var_files.iter().any(|path| sets(path))
}

/// A default to be filled in, where the declaration is open.
fn default(place: &ActionContext<'_>, name: &SmolStr) -> Option<Edits> {
    let module = &place.known.module;
    let span = &module.variables.get(name)?.decl.full_span;
    let at = place.snapshot.place(span, module)?;
    let home = ActionContext::new(place.snapshot, &at.file)?;
    let line = format!("default = {}", empty(place, name));
    let edit = insert_lines(&home, &home.around(at.range.start())?, &line)?;
    let is_native = !at.file.name().ends_with(".json");
    is_native.then(|| Edits::of(&at.file, vec![edit]))
}

fn empty(place: &ActionContext<'_>, variable: &SmolStr) -> String {
    let variable = place.known.module.variables.get(variable);
    let ty = variable.map(|it| eval::variables::constraint(it).0.ty);
    empty_value(&ty.unwrap_or(cty::Type::Dynamic))
}

/// A value to be filled in, in a file that is read without being named; and the name of that file.
fn in_file(
    place: &ActionContext<'_>,
    root: &Path,
    variable: &SmolStr,
    files: &dyn Files,
) -> (String, Edits) {
    let names = files.list(&root.to_string_lossy()).unwrap_or_default();
    let is_usual = |name: &&String| *name == USUAL;
    let usual = names.iter().find(is_usual);
    let existing = usual.or_else(|| names.iter().find(|name| name.ends_with(".auto.tfvars")));
    let name = existing.map_or(USUAL, |it| it);
    let file = FileId::new(root.join(name).to_string_lossy());
    let line = format!("{variable} = {}\n", empty(place, variable));
    let mut edits = Edits::default();
    match existing.and_then(|_| place.snapshot.text_or_read(&file, files)) {
        Some(text) => {
            let is_ended = text.is_empty() || text.ends_with('\n');
            let gap = if is_ended { "" } else { "\n" };
            let end = TextSize::of(&*text);
            let edit = Edit::insert(end, format!("{gap}{line}"));
            edits = Edits::of(&file, vec![edit]);
        }
        None => drop(edits.created.insert(file, line)),
    }
    (name.to_owned(), edits)
}

const USUAL: &str = "terraform.tfvars";
