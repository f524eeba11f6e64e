//! Code actions at a place in the text.
//!
//! Each fix is a file of its own: it looks at a diagnostic and answers with actions that mend it. An action says its
//! kind, its title, the diagnostics that it mends and its effect; the protocol of editors is not known here.

mod context;
mod convert_type;
mod declare;
mod did_you_mean;
mod extract;
mod init;
mod inline;
mod instance_key;
mod missing;
mod moved;
mod proven;
mod remove;
mod renamed;
mod replace_deprecated;
mod simplify;
mod trust;
mod value;

use std::path::PathBuf;

use config::Files;
use refactor::{Edit, Edits};
use smol_str::SmolStr;
use text::{Fault, FileId, TextRange};

use crate::{Command, OfferedRefactoring, Shown, Snapshot};
use context::ActionContext;

/// Something that the user can choose to have done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Action {
    /// As a menu shows it. Two actions for one place have different titles.
    pub title: String,
    pub kind: ActionKind,
    /// The diagnostics that it mends.
    pub fixes: Vec<Shown>,
    /// Whether nearly everybody would choose it.
    pub is_preferred: bool,
    /// Whether it may be done without looking, because the meaning stays the same.
    pub is_safe: bool,
    pub effect: Effect,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ActionKind {
    QuickFix,
    /// Gives something a name.
    Extract,
    /// Takes a name away.
    Inline,
    /// Says the same in another way.
    Rewrite,
    /// Puts it elsewhere.
    Move,
    /// All safe fixes of a file at once.
    FixAll,
}

impl ActionKind {
    pub const ALL: [ActionKind; 6] = [
        ActionKind::QuickFix,
        ActionKind::Extract,
        ActionKind::Inline,
        ActionKind::Rewrite,
        ActionKind::Move,
        ActionKind::FixAll,
    ];

    /// The name that editors have for it. A name with a dot is a kind of the name before the dot.
    pub fn name(self) -> &'static str {
        match self {
            ActionKind::QuickFix => "quickfix",
            ActionKind::Extract => "refactor.extract",
            ActionKind::Inline => "refactor.inline",
            ActionKind::Rewrite => "refactor.rewrite",
            ActionKind::Move => "refactor.move",
            ActionKind::FixAll => "source.fixAll.planlens",
        }
    }

    /// Whether it is of the kind of this name.
    pub fn is_a(self, name: &str) -> bool {
        let rest = self.name().strip_prefix(name);
        name.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Effect {
    Edit(Edits),
    /// A command of the server, for a folder.
    Command(Command, PathBuf),
    /// An edit that takes its time: [`Snapshot::resolve_action`] makes it.
    Later,
    /// An environment to plan the root module of the file with.
    Environment(String),
    /// A value that the user is asked for, for a variable of the root module in a folder, in the settings of the
    /// workspace.
    Setting(PathBuf, SmolStr),
    /// A refactoring, which is made and proven by a plan when it is chosen.
    Refactoring(OfferedRefactoring),
}

/// Looks at one diagnostic and answers how it can be mended.
type Fix = fn(&ActionContext<'_>, &Shown) -> Vec<Action>;

/// In the order in which a menu lists them.
const FIXES: [Fix; 11] = [
    did_you_mean::fixes,
    missing::fixes,
    convert_type::fixes,
    instance_key::fixes,
    simplify::fixes,
    replace_deprecated::fixes,
    declare::fixes,
    moved::fixes,
    remove::fixes,
    init::fixes,
    trust::fixes,
];

impl Snapshot {
    /// The actions for `range` of an open file, of the kinds that are wanted.
    pub fn actions(
        &self,
        file: &FileId,
        range: TextRange,
        files: &dyn Files,
        is_wanted: &dyn Fn(ActionKind) -> bool,
    ) -> Vec<Action> {
        let Some(place) = ActionContext::new(self, file) else {
            return Vec::new();
        };
        let diagnostics = place.diagnostics();
        let mut actions: Vec<Action> = Vec::new();
        if is_wanted(ActionKind::QuickFix) {
            let here = |it: &&Shown| is_about(&place, it, range);
            for shown in diagnostics.iter().filter(here) {
                for action in fixes(&place, shown) {
                    add(&mut actions, action);
                }
            }
            actions.extend(renamed::offers(&place, range));
            actions.extend(value::offers(&place, range, files));
        }
        if is_wanted(ActionKind::Extract) {
            actions.extend(extract::offers(&place, range));
        }
        if is_wanted(ActionKind::Inline) {
            actions.extend(inline::offers(&place, range));
        }
        let proven = proven::offers(&place, range).into_iter();
        actions.extend(proven.filter(|it| is_wanted(it.kind)));
        if is_wanted(ActionKind::FixAll) && diagnostics.iter().any(|it| is_mendable(&place, it)) {
            actions.push(Action {
                title: "Apply all safe fixes".into(),
                kind: ActionKind::FixAll,
                fixes: Vec::new(),
                is_preferred: false,
                is_safe: true,
                effect: Effect::Later,
            });
        }
        actions
    }

    /// The edit of an action whose effect is [`Effect::Later`].
    pub fn resolve_action(&self, file: &FileId, kind: ActionKind) -> Option<Edits> {
        let place = ActionContext::new(self, file)?;
        match kind {
            ActionKind::FixAll => {
                let safe = place
                    .diagnostics()
                    .iter()
                    .filter_map(|it| safe_fix(&place, it));
                Some(place.edit(without_overlaps(safe.flatten().collect())))
            }
            ActionKind::QuickFix
            | ActionKind::Extract
            | ActionKind::Inline
            | ActionKind::Rewrite
            | ActionKind::Move => None,
        }
    }
}

/// Whether a diagnostic is about a part of `range`. A missing argument concerns the whole header, a wrong `moved` block the
/// whole block.
fn is_about(place: &ActionContext<'_>, shown: &Shown, range: TextRange) -> bool {
    let of_block = || {
        let around = place.around(shown.range.start())?;
        let block = around.innermost()?;
        let end = match shown.diagnostic.fault {
            Fault::Missing(_) => block.open_brace.unwrap_or(block.header_range).end(),
            Fault::Moved(_) => block.range.end(),
            _ => return None,
        };
        Some(TextRange::new(block.range.start(), end) + around.offset)
    };
    let mut ranges = std::iter::once(shown.range).chain(of_block());
    ranges.any(|it| it.intersect(range).is_some())
}

fn fixes(place: &ActionContext<'_>, shown: &Shown) -> Vec<Action> {
    let fixes = FIXES.iter().flat_map(|fix| fix(place, shown));
    fixes.collect()
}

fn is_mendable(place: &ActionContext<'_>, shown: &Shown) -> bool {
    safe_fix(place, shown).is_some()
}

/// The edits of a fix that changes this file alone and no meaning.
fn safe_fix(place: &ActionContext<'_>, shown: &Shown) -> Option<Vec<Edit>> {
    let safe = fixes(place, shown).into_iter().find(|it| it.is_safe)?;
    match safe.effect {
        Effect::Edit(edits) => Some(edits.files.into_values().next()?),
        Effect::Command(..)
        | Effect::Later
        | Effect::Environment(_)
        | Effect::Setting(..)
        | Effect::Refactoring(_) => None,
    }
}

/// An edit that overlaps an earlier one waits for another time.
fn without_overlaps(mut edits: Vec<Edit>) -> Vec<Edit> {
    edits.sort_by_key(|edit| (edit.range.start(), edit.range.end()));
    let mut kept: Vec<Edit> = Vec::new();
    for edit in edits {
        if kept
            .last()
            .is_none_or(|last| last.range.end() <= edit.range.start())
        {
            kept.push(edit);
        }
    }
    kept
}

/// One action for all that it mends.
fn add(actions: &mut Vec<Action>, new: Action) {
    let same = |known: &&mut Action| known.title == new.title && known.effect == new.effect;
    match actions.iter_mut().find(same) {
        Some(known) => known.fixes.extend(new.fixes),
        None => actions.push(new),
    }
}
