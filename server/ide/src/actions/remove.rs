//! Removes unused and unexpected declarations.

use refactor::Edit;
use text::TextRange;

use super::Action;
use super::context::ActionContext;
use crate::{Shown, Snapshot};

pub(super) fn fixes(place: &ActionContext<'_>, shown: &Shown) -> Vec<Action> {
    let range = shown.range;
    let Some(around) = place.around(range.start()) else {
        return Vec::new();
    };
    let of_block = |block: &syntax::ast::Block| block.range + around.offset;
    let removal: Option<(String, TextRange)> = match shown.diagnostic.code {
        "unused-variable" => around.top().and_then(|block| {
            let name = block.labels.first()?.text.clone();
            // Who calls the module would give a value to nothing.
            let is_given = is_given(place.snapshot, place, &name);
            let title = format!("Remove the variable `{name}`");
            (!is_given).then(|| (title, place.paragraph(of_block(block))))
        }),
        "unused-data-source" => around.top().map(|block| {
            let title = "Remove the data source".to_owned();
            (title, place.paragraph(of_block(block)))
        }),
        "unused-local" => around
            .top()
            .zip(around.attribute)
            .map(|(block, attribute)| {
                let title = format!("Remove the local value `{}`", attribute.name.name);
                let is_last = block.body.attributes.len() == 1 && block.body.blocks.is_empty();
                let range = match is_last {
                    true => place.paragraph(of_block(block)),
                    false => place.whole_lines(attribute.range + around.offset),
                };
                (title, range)
            }),
        "unsupported-argument" | "undeclared-variable" | "duplicate-argument" => {
            around.attribute.map(|attribute| {
                let title = format!("Remove `{}`", attribute.name.name);
                (title, place.whole_lines(attribute.range + around.offset))
            })
        }
        "unsupported-block" | "duplicate-block" => around.innermost().map(|block| {
            let title = format!("Remove the block `{}`", block.kind.name);
            (title, place.whole_lines(of_block(block)))
        }),
        "duplicate-object-key" => return Vec::new(),
        _ => None,
    };
    let action = removal.map(|(title, range)| {
        let action = place.fix(title, shown, vec![Edit::delete(range)]);
        match shown.diagnostic.code.starts_with("unused") {
            true => action.preferred(),
            false => action,
        }
    });
    action.into_iter().collect()
}

/// Whether a known call of the module gives the variable a value.
fn is_given(snapshot: &Snapshot, place: &ActionContext<'_>, variable: &str) -> bool {
    let modules = snapshot.known_modules().values();
    let mut calls = modules.flat_map(|known| known.module.module_calls.values());
    calls.any(|call| {
        let source = call.source.as_deref().unwrap_or_default();
        let dir = crate::referent::local_module(&call.decl.span.file, source);
        dir.is_some_and(|dir| dir == place.dir())
            && call.arguments.iter().any(|it| it.name() == variable)
    })
}
