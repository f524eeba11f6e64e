//! Ephemeral values, which must not be stored.

use config::{Body, Product, Profile};
use cty::{Mark, Path, PathStep, Value};
use schema::{Attribute, Block};
use text::Diagnostic;

use super::locate;

/// Reports ephemeral parts of a decoded value that are not write-only. For values that are stored in a plan or state:
/// resources and data sources, but not provider configurations and ephemeral resources.
pub fn reject_ephemeral(
    body: &Body,
    schema: &Block,
    value: &Value,
    profile: Profile,
) -> Vec<Diagnostic> {
    if !value.contains_mark(&Mark::Ephemeral) {
        return Vec::new();
    }
    let (_, marks) = value.unmark_deep_with_paths();
    let mut diagnostics: Vec<Diagnostic> = Vec::new();
    for marked in marks
        .iter()
        .filter(|marked| marked.marks.contains(&Mark::Ephemeral))
    {
        let Some(attribute) = stored_attribute(schema, marked.path.steps()) else {
            continue;
        };
        let (summary, detail) = match profile.product {
            Product::Terraform => (
                "Invalid use of ephemeral value",
                format!(
                    "Ephemeral values are not valid for \"{}\", because it is not a write-only attribute and must be \
                     persisted to state.",
                    attribute.to_string().trim_start_matches('.')
                ),
            ),
            Product::OpenTofu => (
                "Ephemeral value used in non-ephemeral context",
                format!(
                    "Attribute \"{}\" is referencing an ephemeral value but ephemeral values can be referenced only by \
                     other ephemeral attributes or by write-only ones.",
                    marked.path
                ),
            ),
        };
        let subject = locate(body, schema, &attribute).unwrap_or_else(|| body.missing_item.clone());
        let diagnostic = Diagnostic::error("ephemeral-value", summary, detail, subject);
        // Several parts of one attribute are one mistake.
        if !diagnostics.contains(&diagnostic) {
            diagnostics.push(diagnostic);
        }
    }
    diagnostics
}

/// The path as far as to an attribute that the schema describes. `None`: it is or is inside a write-only attribute.
fn stored_attribute(schema: &Block, steps: &[PathStep]) -> Option<Path> {
    let mut place = BodyItem::Block(schema);
    let mut path = Vec::new();
    for step in steps {
        path.push(step.clone());
        let PathStep::GetAttr(name) = step else {
            continue;
        };
        place = match place {
            BodyItem::Block(block) => {
                match (block.attributes.get(name), block.block_types.get(name)) {
                    (Some(attribute), _) => BodyItem::Attribute(attribute),
                    (None, Some(nested)) => BodyItem::Block(&nested.block),
                    (None, None) => break,
                }
            }
            BodyItem::Attribute(attribute) => {
                match attribute
                    .nested_type
                    .as_ref()
                    .and_then(|nested| nested.attributes.get(name))
                {
                    Some(attribute) => BodyItem::Attribute(attribute),
                    None => break,
                }
            }
        };
        match place {
            BodyItem::Attribute(attribute) if attribute.write_only => return None,
            BodyItem::Attribute(Attribute {
                nested_type: None, ..
            }) => break,
            _ => {}
        }
    }
    Some(Path::from(path))
}

enum BodyItem<'a> {
    Block(&'a Block),
    Attribute(&'a Attribute),
}
