//! A canonical text form of the typed tree, for comparing it with other parsers' trees.
//!
//! Shows the meaning of the configuration and not its spelling: no ranges, strings by value, numbers by value.

use std::fmt::Write;

use crate::FileBody;
use crate::ast::{
    Attribute, BinaryOp, Block, Body, Expr, ExprKind, For, Ident, Key, ObjectKey, Splat, SplatKind,
    Step, StepKind, TemplatePart, UnaryOp,
};

/// All attributes, then all blocks.
pub fn dump_file(body: FileBody<'_>) -> String {
    let mut out = String::from("(body");
    body.attributes()
        .for_each(|(_, attribute)| dump_attribute(&mut out, attribute));
    body.blocks()
        .for_each(|(_, block)| dump_block(&mut out, block));
    out.push(')');
    out
}

pub fn dump_body(body: &Body) -> String {
    let mut out = String::new();
    write_body(&mut out, body);
    out
}

pub fn dump_expr(expr: &Expr) -> String {
    let mut out = String::new();
    write_expr(&mut out, expr);
    out
}

fn write_body(out: &mut String, body: &Body) {
    out.push_str("(body");
    body.attributes
        .iter()
        .for_each(|attribute| dump_attribute(out, attribute));
    body.blocks.iter().for_each(|block| dump_block(out, block));
    let members = body.members.iter().flatten();
    members.for_each(|member| dump_attribute(out, member.attribute()));
    out.push(')');
}

fn dump_attribute(out: &mut String, attribute: &Attribute) {
    out.push_str(" (attr ");
    write_string(out, &attribute.name.name);
    out.push(' ');
    write_expr(out, &attribute.expr);
    out.push(')');
}

fn dump_block(out: &mut String, block: &Block) {
    out.push_str(" (block ");
    write_string(out, &block.kind.name);
    for label in &block.labels {
        out.push(' ');
        write_string(out, &label.text);
    }
    out.push(' ');
    write_body(out, &block.body);
    out.push(')');
}

fn write_all<'a>(out: &mut String, head: &str, exprs: impl IntoIterator<Item = &'a Expr>) {
    out.push('(');
    out.push_str(head);
    for expr in exprs {
        out.push(' ');
        write_expr(out, expr);
    }
    out.push(')');
}

fn write_expr(out: &mut String, expr: &Expr) {
    match &expr.kind {
        ExprKind::Number(text) => write_number(out, text),
        ExprKind::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        ExprKind::Null => out.push_str("null"),
        ExprKind::Template(template) => write_template(out, &template.parts),
        ExprKind::Json(string) => write_all(out, "json", [&string.template]),
        ExprKind::TemplateWrap(expr) => write_all(out, "wrap", [&**expr]),
        ExprKind::Traversal(traversal) => {
            out.push_str("(var ");
            write_string(out, &traversal.root.name);
            write_steps(out, &traversal.steps);
            out.push(')');
        }
        ExprKind::RelativeTraversal { source, steps } => {
            out.push_str("(rel ");
            write_expr(out, source);
            write_steps(out, steps);
            out.push(')');
        }
        ExprKind::Index { collection, key } => write_all(out, "index", [&**collection, &**key]),
        ExprKind::Splat(splat) => write_splat(out, splat),
        ExprKind::SplatItem => out.push('@'),
        ExprKind::Call(call) => {
            out.push_str("(call ");
            write_string(out, &call.name);
            call.args.iter().for_each(|arg| {
                out.push(' ');
                write_expr(out, arg);
            });
            out.push_str(if call.expand_final { " ...)" } else { ")" });
        }
        ExprKind::Tuple(elements) => write_all(out, "tuple", elements),
        ExprKind::Object(items) => {
            out.push_str("(object");
            for item in items {
                out.push_str(" (");
                match &item.key {
                    ObjectKey::Name(name) => write_string(out, &name.name),
                    ObjectKey::Expr(key) => write_expr(out, key),
                }
                out.push(' ');
                write_expr(out, &item.value);
                out.push(')');
            }
            out.push(')');
        }
        ExprKind::For(kind) => write_for(out, kind),
        ExprKind::Conditional(kind) => {
            write_all(
                out,
                "if",
                [&kind.condition, &kind.true_result, &kind.false_result],
            );
        }
        ExprKind::Binary {
            op, left, right, ..
        } => {
            write_all(out, binary_symbol(*op), [&**left, &**right]);
        }
        ExprKind::Unary {
            op: UnaryOp::Negate,
            operand,
            ..
        } => write_all(out, "neg", [&**operand]),
        ExprKind::Unary {
            op: UnaryOp::Not,
            operand,
            ..
        } => write_all(out, "not", [&**operand]),
        ExprKind::Parens(inner) => write_all(out, "parens", [&**inner]),
        ExprKind::Error(partial) => write_all(out, "error", partial.as_deref()),
    }
}

fn write_splat(out: &mut String, splat: &Splat) {
    let head = match splat.kind {
        // The reference's tree does not distinguish them either: what matters is where `each` ends.
        SplatKind::AttributeOnly | SplatKind::Full => "splat",
    };
    write_all(out, head, [&splat.source, &splat.each]);
}

fn write_for(out: &mut String, kind: &For) {
    let For {
        key_var,
        value_var,
        collection,
        key,
        value,
        condition,
        group,
    } = kind;
    write_for_head(out, key_var.as_ref(), value_var, collection);
    for part in [key.as_ref(), Some(value), condition.as_ref()] {
        out.push(' ');
        match part {
            Some(part) => write_expr(out, part),
            None => out.push('-'),
        }
    }
    out.push_str(if *group { " ...)" } else { ")" });
}

fn write_for_head(out: &mut String, key: Option<&Ident>, value: &Ident, collection: &Expr) {
    out.push_str("(for ");
    write_string(out, key.map_or("", |key| &key.name));
    out.push(' ');
    write_string(out, &value.name);
    out.push(' ');
    write_expr(out, collection);
}

fn write_template(out: &mut String, parts: &[TemplatePart]) {
    out.push_str("(template");
    if parts.is_empty() {
        out.push_str(" \"\"");
    }
    for part in parts {
        out.push(' ');
        match part {
            TemplatePart::Literal(text, _) => write_string(out, text),
            TemplatePart::Interpolation(expr) => write_expr(out, expr),
            TemplatePart::If(part) => {
                out.push_str("(if ");
                write_expr(out, &part.condition);
                out.push(' ');
                write_template(out, &part.then_parts);
                out.push(' ');
                write_template(out, &part.else_parts);
                out.push(')');
            }
            TemplatePart::For(part) => {
                out.push_str("(join ");
                write_for_head(
                    out,
                    part.key_var.as_ref(),
                    &part.value_var,
                    &part.collection,
                );
                out.push_str(" - ");
                write_template(out, &part.parts);
                out.push_str(" -))");
            }
        }
    }
    out.push(')');
}

fn write_steps(out: &mut String, steps: &[Step]) {
    for step in steps {
        match &step.kind {
            StepKind::Attr(name) => {
                out.push_str(" .");
                write_string(out, &name.name);
            }
            StepKind::LegacyIndex(number) => {
                out.push(' ');
                write_number(out, number);
            }
            StepKind::Index(key) => {
                out.push(' ');
                match key {
                    Key::String(text) => write_string(out, text),
                    Key::Number(text) => write_number(out, text),
                    Key::Bool(true) => out.push_str("true"),
                    Key::Bool(false) => out.push_str("false"),
                    Key::Null => out.push_str("null"),
                }
            }
        }
    }
}

fn binary_symbol(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Or => "||",
        BinaryOp::And => "&&",
        BinaryOp::Equal => "==",
        BinaryOp::NotEqual => "!=",
        BinaryOp::Greater => ">",
        BinaryOp::GreaterOrEqual => ">=",
        BinaryOp::Less => "<",
        BinaryOp::LessOrEqual => "<=",
        BinaryOp::Add => "+",
        BinaryOp::Subtract => "-",
        BinaryOp::Multiply => "*",
        BinaryOp::Divide => "/",
        BinaryOp::Modulo => "%",
    }
}

/// Printable ASCII as it is, other bytes in hexadecimal.
fn write_string(out: &mut String, text: &str) {
    out.push('"');
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => {
                out.push('\\');
                out.push(char::from(byte));
            }
            b' '..=b'~' => out.push(char::from(byte)),
            _ => {
                let _ = write!(out, "\\x{byte:02x}");
            }
        }
    }
    out.push('"');
}

/// Scientific notation with one digit before the point and no zeros at the end: `1.5e+01`.
fn write_number(out: &mut String, text: &str) {
    let (mantissa, exponent) = match text.find(['e', 'E']) {
        Some(at) => (&text[..at], text[at + 1..].parse::<i64>().unwrap_or(0)),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let significant = digits.trim_start_matches('0');
    let point = whole.len() as i64 - (digits.len() - significant.len()) as i64;
    let significant = significant.trim_end_matches('0');
    let Some(first) = significant.chars().next() else {
        out.push_str("0e+00");
        return;
    };
    let rest = &significant[1..];
    let exponent = point - 1 + exponent;
    let sign = if exponent < 0 { '-' } else { '+' };
    let dot = if rest.is_empty() { "" } else { "." };
    let _ = write!(out, "{first}{dot}{rest}e{sign}{:02}", exponent.abs());
}
