//! Walking over everything in a segment.

use crate::ast::{Attribute, Block, Body, Expr, ExprKind, Item, ObjectKey, TemplatePart};

/// Visits the nodes, from the outside to the inside.
pub trait Visitor {
    fn block(&mut self, _block: &Block) {}
    fn attribute(&mut self, _attribute: &Attribute) {}
    fn expr(&mut self, _expr: &Expr) {}
}

/// Everything in the items of a segment.
pub fn walk_items(items: &[Item], visitor: &mut dyn Visitor) {
    for item in items {
        match item {
            Item::Attribute(attribute) => walk_attribute(attribute, visitor),
            Item::Block(block) => walk_block(block, visitor),
            Item::Member(member) => walk_attribute(member.attribute(), visitor),
        }
    }
}

fn walk_body(body: &Body, visitor: &mut dyn Visitor) {
    for attribute in &body.attributes {
        walk_attribute(attribute, visitor);
    }
    for block in &body.blocks {
        walk_block(block, visitor);
    }
    for member in body.members.iter().flatten() {
        walk_attribute(member.attribute(), visitor);
    }
}

fn walk_block(block: &Block, visitor: &mut dyn Visitor) {
    visitor.block(block);
    walk_body(&block.body, visitor);
}

fn walk_attribute(attribute: &Attribute, visitor: &mut dyn Visitor) {
    visitor.attribute(attribute);
    walk_expr(&attribute.expr, visitor);
}

/// An expression and those in it.
pub fn walk_expr(expr: &Expr, visitor: &mut dyn Visitor) {
    visitor.expr(expr);
    match &expr.kind {
        ExprKind::Number(_)
        | ExprKind::Bool(_)
        | ExprKind::Null
        | ExprKind::Traversal(_)
        | ExprKind::SplatItem
        | ExprKind::Error(None) => {}
        ExprKind::Json(string) => walk_expr(&string.template, visitor),
        ExprKind::Template(template) => walk_parts(&template.parts, visitor),
        ExprKind::TemplateWrap(inner) | ExprKind::Parens(inner) | ExprKind::Error(Some(inner)) => {
            walk_expr(inner, visitor);
        }
        ExprKind::RelativeTraversal { source, .. } => walk_expr(source, visitor),
        ExprKind::Index { collection, key } => {
            walk_expr(collection, visitor);
            walk_expr(key, visitor);
        }
        ExprKind::Splat(splat) => {
            walk_expr(&splat.source, visitor);
            walk_expr(&splat.each, visitor);
        }
        ExprKind::Call(call) => call.args.iter().for_each(|arg| walk_expr(arg, visitor)),
        ExprKind::Tuple(elements) => elements.iter().for_each(|it| walk_expr(it, visitor)),
        ExprKind::Object(items) => {
            for item in items {
                if let ObjectKey::Expr(key) = &item.key {
                    walk_expr(key, visitor);
                }
                walk_expr(&item.value, visitor);
            }
        }
        ExprKind::For(it) => {
            walk_expr(&it.collection, visitor);
            it.key.iter().for_each(|key| walk_expr(key, visitor));
            walk_expr(&it.value, visitor);
            it.condition.iter().for_each(|it| walk_expr(it, visitor));
        }
        ExprKind::Conditional(it) => {
            walk_expr(&it.condition, visitor);
            walk_expr(&it.true_result, visitor);
            walk_expr(&it.false_result, visitor);
        }
        ExprKind::Binary { left, right, .. } => {
            walk_expr(left, visitor);
            walk_expr(right, visitor);
        }
        ExprKind::Unary { operand, .. } => walk_expr(operand, visitor),
    }
}

fn walk_parts(parts: &[TemplatePart], visitor: &mut dyn Visitor) {
    for part in parts {
        match part {
            TemplatePart::Literal(..) => {}
            TemplatePart::Interpolation(expr) => walk_expr(expr, visitor),
            TemplatePart::If(it) => {
                walk_expr(&it.condition, visitor);
                walk_parts(&it.then_parts, visitor);
                walk_parts(&it.else_parts, visitor);
            }
            TemplatePart::For(it) => {
                walk_expr(&it.collection, visitor);
                walk_parts(&it.parts, visitor);
            }
        }
    }
}
