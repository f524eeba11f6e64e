//! From a place in a decoded value back to the text.

use config::{Block, Body};
use cty::{Path, PathStep, Value};
use schema::{NestedBlock, Nesting};
use syntax::ast::{Expr, ExprKind, ObjectKey};
use text::{Span, TextRange};

use super::content;
use super::dynamic::{dynamic_content, is_dynamic};

/// The place in the text for `path` of the decoded value: the expression of the attribute or element there, else
/// the nearest attribute or block header around it. `None`: nothing in this body is about it.
pub fn locate(body: &Body, schema: &schema::Block, path: &Path) -> Option<Span> {
    in_body(body, schema, path.steps())
}

fn in_body(body: &Body, schema: &schema::Block, steps: &[PathStep]) -> Option<Span> {
    let (first, rest) = steps.split_first()?;
    let body = content(body, schema);
    let name = match first {
        PathStep::GetAttr(name) => name.as_str(),
        PathStep::Index(key) => key.as_str()?,
    };
    if let Some(attribute) = body.attribute(name) {
        let expr = attribute.expr();
        return Some(expr.origin.span(in_expr(&expr.ast, rest)));
    }
    if let Some(nested) = schema.block_types.get(name) {
        return in_blocks(&body, name, nested, rest);
    }
    // An attribute that is written as blocks.
    let attribute = schema.attributes.get(name)?;
    let element = attribute
        .ty
        .element_type()
        .filter(|element| element.is_object())?;
    let nesting = if attribute.ty.is_set() {
        Nesting::Set
    } else {
        Nesting::List
    };
    let nested = NestedBlock {
        block: schema::Block::of_object(element),
        nesting,
        min_items: 0,
        max_items: 0,
    };
    in_blocks(&body, name, &nested, rest)
}

fn in_blocks(body: &Body, name: &str, nested: &NestedBlock, steps: &[PathStep]) -> Option<Span> {
    let blocks: Vec<&Block> = body
        .blocks
        .iter()
        .filter(|block| block.kind() == name || is_dynamic(block, name))
        .collect();
    let first = blocks.first()?;
    let (key, inner) = match nested.nesting {
        Nesting::Single | Nesting::Group => (None, steps),
        Nesting::List | Nesting::Set | Nesting::Map => match steps.split_first() {
            Some((PathStep::Index(key), inner)) => (Some(key), inner),
            Some((PathStep::GetAttr(_), _)) | None => return Some(first.header_span()),
        },
    };
    let Some(block) = choose(&blocks, nested.nesting, key) else {
        return Some(first.header_span());
    };
    let content = match block.kind() == name {
        true => Some(block.body()),
        false => dynamic_content(block),
    };
    let inside = content.and_then(|content| in_body(&content, &nested.block, inner));
    Some(inside.unwrap_or_else(|| block.header_span()))
}

/// The block in the text that is the one with this key. How many blocks a `dynamic` one makes is not known here, so
/// its position among them is unknown; elements of sets have no keys that could show it.
fn choose<'a>(blocks: &[&'a Block], nesting: Nesting, key: Option<&Value>) -> Option<&'a Block> {
    if let [only] = blocks {
        return Some(only);
    }
    match nesting {
        Nesting::Single | Nesting::Group => blocks.first().copied(),
        Nesting::List => {
            let index = usize::try_from(key?.as_i64()?).ok()?;
            let block = blocks.get(index)?;
            let is_static = blocks
                .iter()
                .take(index + 1)
                .all(|block| block.kind() != "dynamic");
            is_static.then_some(*block)
        }
        Nesting::Map => {
            let key = key?.as_str()?;
            let mut blocks = blocks.iter().filter(|block| block.kind() != "dynamic");
            blocks
                .find(|block| block.label(0).is_some_and(|label| label.text == key))
                .copied()
        }
        Nesting::Set => None,
    }
}

/// The element that the steps lead to, as far as constructors show it.
fn in_expr(expr: &Expr, steps: &[PathStep]) -> TextRange {
    let Some((step, rest)) = steps.split_first() else {
        return expr.range;
    };
    let element = match &expr.kind {
        ExprKind::Parens(inner) | ExprKind::TemplateWrap(inner) => return in_expr(inner, steps),
        ExprKind::Object(items) => {
            let name = match step {
                PathStep::GetAttr(name) => Some(name.as_str()),
                PathStep::Index(key) => key.as_str(),
            };
            let is_wanted = |key: &ObjectKey| name.is_some() && literal_key(key).as_deref() == name;
            // Of equal keys the last counts.
            items
                .iter()
                .rev()
                .find(|item| is_wanted(&item.key))
                .map(|item| &item.value)
        }
        ExprKind::Tuple(items) => match step {
            PathStep::Index(key) => key
                .as_i64()
                .and_then(|index| usize::try_from(index).ok())
                .and_then(|index| items.get(index)),
            PathStep::GetAttr(_) => None,
        },
        _ => None,
    };
    element.map_or(expr.range, |element| in_expr(element, rest))
}

fn literal_key(key: &ObjectKey) -> Option<smol_str::SmolStr> {
    match key {
        ObjectKey::Name(name) => Some(name.name.clone()),
        ObjectKey::Expr(expr) => expr.as_literal_string(),
    }
}
