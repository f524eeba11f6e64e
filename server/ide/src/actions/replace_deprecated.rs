//! Writes an argument under the name that its provider now wants.

use refactor::Edit;
use text::Fault;

use super::Action;
use super::context::ActionContext;
use crate::Shown;

pub(super) fn fixes(place: &ActionContext<'_>, shown: &Shown) -> Vec<Action> {
    let Fault::Deprecated { instead: Some(new) } = &shown.diagnostic.fault else {
        return Vec::new();
    };
    let around = place.around(shown.range.start());
    let Some((attribute, offset)) = around.and_then(|it| it.attribute.zip(Some(it.offset))) else {
        return Vec::new();
    };
    let name = attribute.name.range + offset;
    let title = format!("Replace `{}` with `{new}`", attribute.name.name);
    let edits = vec![Edit::replace(name, new.as_str())];
    vec![place.fix(title, shown, edits).preferred()]
}
