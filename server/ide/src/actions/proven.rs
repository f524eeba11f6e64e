//! Refactorings that are proven by a plan. The offer looks at the text alone; they are made when they are chosen.

use refactor::{Kind, Modules};
use smol_str::SmolStr;
use text::TextRange;

use super::place::Place;
use super::{Action, ActionKind, Effect};
use crate::Offered;

pub(super) fn offers(place: &Place<'_>, range: TextRange) -> Vec<Action> {
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
            effect: Effect::Refactoring(Offered(serde_json::to_value(offer.kind).ok()?)),
            title: offer.title,
            fixes: Vec::new(),
            is_preferred: false,
            is_safe: false,
        })
    };
    offers.filter_map(action).collect()
}

fn kind(kind: &Kind) -> ActionKind {
    match kind {
        Kind::Rename(_)
        | Kind::Repeat(_)
        | Kind::Forget
        | Kind::ToLocal
        | Kind::ToVariable
        | Kind::MergeMoved
        | Kind::SplitMoved
        | Kind::SortBlocks
        | Kind::UpdateRequirements
        | Kind::GenerateImported => ActionKind::Rewrite,
        Kind::ToFile(_) => ActionKind::Move,
        Kind::IntoModule(_) => ActionKind::Extract,
        Kind::InlineModule => ActionKind::Inline,
    }
}
