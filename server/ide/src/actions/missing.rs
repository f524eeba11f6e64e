//! Adds missing parts of a body: arguments and blocks, with values of the right type to be filled in.

use cty::Type;
use refactor::Edit;
use schema::{Attribute, Block};
use text::{Fault, Missing, TextSize};

use super::Action;
use super::context::{ActionContext, Around};
use crate::Shown;
use crate::body::ArgumentSchema;

pub(super) fn fixes(place: &ActionContext<'_>, shown: &Shown) -> Vec<Action> {
    let Fault::Missing(wanted) = &shown.diagnostic.fault else {
        return Vec::new();
    };
    let title = match wanted {
        Missing::Argument(name) => format!("Add the missing argument `{name}`"),
        Missing::Block(kind) => format!("Add the missing block `{kind}`"),
    };
    let Some(around) = place.around(shown.range.start()) else {
        return Vec::new();
    };
    let here = place.diagnostics().iter();
    let all: Vec<(Shown, Missing)> = here
        .filter(|it| it.range == shown.range)
        .filter_map(|it| match it.diagnostic.fault.clone() {
            Fault::Missing(missing) => Some((it.clone(), missing)),
            _ => None,
        })
        .collect();
    let mut actions = Vec::new();
    if all.len() > 1 {
        let everything = all.iter().map(|(_, missing)| missing);
        if let Some(edit) = insert(place, &around, everything) {
            let title = format!("Add all missing arguments and blocks ({})", all.len());
            let mut action = place.fix(title, shown, vec![edit]).preferred();
            action.fixes = all.iter().map(|(it, _)| it.clone()).collect();
            actions.push(action);
        }
    }
    if let Some(edit) = insert(place, &around, [wanted]) {
        let action = place.fix(title, shown, vec![edit]);
        actions.push(match all.len() {
            0 | 1 => action.preferred(),
            _ => action,
        });
    }
    actions
}

/// Puts them at the end of the block around.
fn insert<'m>(
    place: &ActionContext<'_>,
    around: &Around<'_>,
    missing: impl IntoIterator<Item = &'m Missing>,
) -> Option<Edit> {
    let schema = around.schema(&place.known);
    let mut text = String::new();
    for missing in missing {
        text += &match missing {
            Missing::Argument(name) => {
                let argument = schema.as_ref().and_then(|schema| schema.argument(name));
                let value = argument_value(place, around, name, argument);
                format!("{name} = {value}\n")
            }
            Missing::Block(kind) => {
                let provider = schema.as_ref().and_then(|it| it.provider.as_ref());
                let nested = provider.and_then(|it| it.block_types.get(kind.as_str()));
                block_text(kind, nested.map(|it| &it.block))
            }
        };
    }
    insert_lines(place, around, &text)
}

/// Puts lines at the end of the block around.
pub(super) fn insert_lines(
    place: &ActionContext<'_>,
    around: &Around<'_>,
    text: &str,
) -> Option<Edit> {
    let block = around.innermost()?;
    let open = block.open_brace? + around.offset;
    let close = block.close_brace? + around.offset;
    let outer = place.indentation(block.range.start() + around.offset);
    let lines = text.lines().map(|line| format!("{outer}  {line}\n"));
    let lines: String = lines.collect();
    let inside = place.slice(text::TextRange::new(open.end(), close.start()));
    // The closing brace keeps its line if it has one.
    let (at, text) = match inside.rfind('\n') {
        Some(newline) => {
            let at = usize::from(open.end()) + newline + 1;
            (TextSize::try_from(at).ok()?, lines)
        }
        None if inside.trim().is_empty() => {
            let range = text::TextRange::new(open.end(), close.start());
            return Some(Edit::replace(range, format!("\n{lines}{outer}")));
        }
        // `a { b = 1 }`: one argument is all that fits in a line.
        None => {
            let range = text::TextRange::new(open.end(), close.start());
            let text = format!("\n{outer}  {}\n{lines}{outer}", inside.trim());
            return Some(Edit::replace(range, text));
        }
    };
    Some(Edit::insert(at, text))
}

fn argument_value(
    place: &ActionContext<'_>,
    around: &Around<'_>,
    name: &str,
    argument: Option<ArgumentSchema<'_>>,
) -> String {
    match argument {
        Some(ArgumentSchema::Provider(attribute)) => value_of(&attribute),
        Some(ArgumentSchema::Language(_)) => "\"\"".into(),
        None => {
            // An input of a called module.
            let variable = around.top().and_then(|call| {
                let source = call.body.attribute("source")?.expr.as_literal_string()?;
                let called = place.snapshot.module_at(place.file, &source)?;
                called.module.variables.get(name).cloned()
            });
            let ty = variable.map(|variable| eval::variables::constraint(&variable).0.ty);
            ty.map_or_else(|| "\"\"".into(), |ty| empty_value(&ty))
        }
    }
}

fn value_of(attribute: &Attribute) -> String {
    empty_value(&attribute.ty)
}

/// A block with its required arguments and blocks.
fn block_text(name: &str, schema: Option<&Block>) -> String {
    let mut lines = String::new();
    if let Some(schema) = schema {
        for (name, attribute) in schema.attributes.iter().filter(|(_, it)| it.required) {
            lines += &format!("  {name} = {}\n", value_of(attribute));
        }
        for (name, nested) in schema.block_types.iter().filter(|(_, it)| it.min_items > 0) {
            for line in block_text(name, Some(&nested.block)).lines() {
                lines += &format!("  {line}\n");
            }
        }
    }
    format!("{name} {{\n{lines}}}\n")
}

/// The simplest value of a type, as it is written.
pub(super) fn empty_value(ty: &Type) -> String {
    match ty {
        Type::String | Type::Dynamic | Type::Capsule(_) => "\"\"".into(),
        Type::Number => "0".into(),
        Type::Bool => "false".into(),
        Type::List(_) | Type::Set(_) => "[]".into(),
        Type::Map(_) => "{}".into(),
        Type::Tuple(elements) => {
            let elements: Vec<String> = elements.iter().map(empty_value).collect();
            format!("[{}]", elements.join(", "))
        }
        Type::Object(object) => {
            let attributes = object.attributes.iter();
            let required = attributes.filter(|(name, _)| !object.optional.contains(*name));
            let items: Vec<String> = required
                .map(|(name, ty)| format!("{name} = {}", empty_value(ty)))
                .collect();
            match items.is_empty() {
                true => "{}".into(),
                false => format!("{{ {} }}", items.join(", ")),
            }
        }
    }
}
