//! Refactorings that are proven by a plan. The offer looks at the text alone; they are made when they are chosen.

use refactor::{Modules, RefactoringKind};
use smol_str::SmolStr;
use text::TextRange;

use super::context::ActionContext;
use super::{Action, ActionKind, Effect};
use crate::OfferedRefactoring;

pub(super) fn offers(place: &ActionContext<'_>, range: TextRange) -> Vec<Action> {
    let module = &place.known.module;
    let loaded = module.files.get(place.file);
    let dir = place.dir().to_str().map(SmolStr::from);
    let Some(dir) = dir.filter(|_| loaded.is_some_and(|it| it.has_text(&place.text))) else {
        return Vec::new();
    };
    let modules = Modules::of_one(&dir, module.clone());
    let offers = refactor::offers(&modules, place.file, range).into_iter();
    let action = |offer: refactor::Offer| {
        Some(Action {
            kind: kind(&offer.kind),
            effect: Effect::Refactoring(OfferedRefactoring(serde_json::to_value(offer.kind).ok()?)),
            title: offer.title,
            fixes: Vec::new(),
            is_preferred: false,
            is_safe: false,
        })
    };
    offers.filter_map(action).collect()
}

fn kind(kind: &RefactoringKind) -> ActionKind {
    match kind {
        RefactoringKind::Rename(_)
        | RefactoringKind::Repeat(_)
        | RefactoringKind::Forget
        | RefactoringKind::ToLocal
        | RefactoringKind::ToVariable
        | RefactoringKind::MergeMoved
        | RefactoringKind::SplitMoved
        | RefactoringKind::SortBlocks
        | RefactoringKind::UpdateRequirements
        | RefactoringKind::GenerateImported => ActionKind::Rewrite,
        RefactoringKind::ToFile(_) => ActionKind::Move,
        RefactoringKind::IntoModule(_) => ActionKind::Extract,
        RefactoringKind::InlineModule => ActionKind::Inline,
    }
}
