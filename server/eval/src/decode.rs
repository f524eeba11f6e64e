//! A body as a schema describes it, to one object value; and from a place in that value back to the text.

mod blocks_as_attributes;
mod dynamic;
mod ephemeral;
mod locate;
mod nested;

use std::borrow::Cow;
use std::cell::LazyCell;
use std::collections::{BTreeSet, HashSet};

use config::{Body, Expected};
use cty::{Marks, Type, Value, convert};
use schema::{Attribute, Block, NestedType, Nesting};
use smol_str::SmolStr;
use text::{Diagnostic, Missing};

use crate::diagnose::evaluate_expr;
use crate::wording::{did_you_mean, why, wrong_type};
use crate::{EvalContext, Variables};

use blocks_as_attributes::Legacy;

pub use dynamic::dynamic_content;
pub use ephemeral::reject_ephemeral;
pub use locate::locate;

/// The value of a body and its errors. Its type is the schema's implied type, save that where that is
/// dynamic the type is that of the configuration's value; null and unknown values have exactly that type.
#[derive(Debug, Clone)]
pub struct Decoded {
    pub value: Value,
    pub diagnostics: Vec<Diagnostic>,
}

/// Decodes the body of a block by its schema, with `dynamic` blocks expanded.
///
/// Parts with errors are unknown in the value. Ephemeral values are let through: see [`reject_ephemeral`].
pub fn decode(body: &Body, schema: &Block, context: &EvalContext<'_>) -> Decoded {
    decode_as(body, schema, &schema.implied_type(), context)
}

/// `decode` for a schema whose implied type is at hand. That is worth much for large schemas, of which a body mostly
/// has little.
pub fn decode_as(body: &Body, schema: &Block, ty: &Type, context: &EvalContext<'_>) -> Decoded {
    let mut decoder = Decoder {
        diagnostics: Vec::new(),
        legacy: Legacy::of(schema),
    };
    let scope = BodyScope {
        context,
        marks: Marks::new(),
        is_unknown: false,
    };
    let value = decoder.body(body, schema, ty, &scope);
    Decoded {
        value,
        diagnostics: decoder.diagnostics,
    }
}

/// The body as its schema reads it, which is another one only in JSON syntax.
pub fn content<'b>(body: &'b Body, schema: &Block) -> Cow<'b, Body> {
    if body.is_decided() {
        return Cow::Borrowed(body);
    }
    let as_blocks = Legacy::of(schema).written_as_blocks(body, schema);
    content_as(body, schema, &as_blocks).0
}

/// `as_blocks` are the attributes that are written as blocks.
fn content_as<'b>(
    body: &'b Body,
    schema: &Block,
    as_blocks: &BTreeSet<SmolStr>,
) -> (Cow<'b, Body>, Vec<Diagnostic>) {
    body.content(&|name| match schema.block_types.get(name) {
        _ if as_blocks.contains(name) => Some(Expected::Block(&[])),
        _ if schema.attributes.contains_key(name) => Some(Expected::Attribute),
        Some(nested) if nested.nesting == Nesting::Map => Some(Expected::Block(&["key"])),
        Some(_) => Some(Expected::Block(&[])),
        None if name == "dynamic" => Some(Expected::Block(&["type"])),
        None => None,
    })
}

struct Decoder<'s> {
    diagnostics: Vec<Diagnostic>,
    legacy: Legacy<'s>,
}

/// The scope of the expressions of a body, and the iterators of the `dynamic` block around it.
struct BodyScope<'a> {
    context: &'a EvalContext<'a>,
    /// Of the `for_each` of a `dynamic` block whose content this is.
    marks: Marks,
    /// Whether it is not known how often this content occurs, so that nothing in it is.
    is_unknown: bool,
}

impl Decoder<'_> {
    fn error(
        &mut self,
        code: &'static str,
        summary: impl Into<String>,
        detail: impl Into<String>,
        subject: text::Span,
    ) {
        self.diagnostics
            .push(Diagnostic::error(code, summary, detail, subject));
    }

    /// `ty` is the schema's implied type.
    fn body(&mut self, body: &Body, schema: &Block, ty: &Type, scope: &BodyScope<'_>) -> Value {
        let as_blocks = self.legacy.written_as_blocks(body, schema);
        let (body, diagnostics) = content_as(body, schema, &as_blocks);
        self.diagnostics.extend(diagnostics);
        let body = &*body;
        self.check_names(body, schema, &as_blocks);
        let mut values = Variables::new();
        for (name, attribute) in &schema.attributes {
            let value = match as_blocks.contains(name) {
                true => self.attribute_from_blocks(body, name, attribute, scope),
                false => self.attribute(body, name, attribute, scope),
            };
            values.insert(name.clone(), value);
        }
        for (name, nested) in &schema.block_types {
            if !values.contains_key(name) {
                let ty = ty.attribute_type(name).unwrap_or(&Type::Dynamic);
                let value = self.nested(body, name, nested, ty, scope);
                values.insert(name.clone(), value);
            }
        }
        Value::object(values)
    }

    fn attribute(
        &mut self,
        body: &Body,
        name: &SmolStr,
        attribute: &Attribute,
        scope: &BodyScope<'_>,
    ) -> Value {
        let null = || Value::null(attribute.implied_type());
        let Some(given) = body.attribute(name) else {
            if attribute.required {
                let detail =
                    format!("The argument \"{name}\" is required, but no definition was found.");
                let missing = Diagnostic::error(
                    "missing-argument",
                    "Missing required argument",
                    detail,
                    body.missing_item.clone(),
                );
                self.diagnostics
                    .push(missing.with_fault(Missing::Argument(name.to_string())));
            }
            return null();
        };
        let expr = given.expr();
        let value = match scope.is_unknown {
            true => Value::dynamic(),
            false => {
                let (value, diagnostics) = evaluate_expr(&expr, scope.context);
                self.diagnostics.extend(diagnostics);
                value
            }
        };
        self.convert_attribute(value.mark_all(&scope.marks), name, attribute, expr.span())
    }

    fn convert_attribute(
        &mut self,
        value: Value,
        name: &str,
        attribute: &Attribute,
        subject: text::Span,
    ) -> Value {
        let ty = attribute_constraint(attribute);
        if *value.ty() == ty {
            return value;
        }
        convert(&value, &ty).unwrap_or_else(|error| {
            let detail = format!(
                "Inappropriate value for attribute \"{name}\": {why}.",
                why = why(&error)
            );
            let incorrect = Diagnostic::error(
                "incorrect-type",
                "Incorrect attribute value type",
                detail,
                subject,
            );
            self.diagnostics
                .push(incorrect.with_fault(wrong_type(&value, &ty)));
            Value::unknown(attribute.implied_type())
        })
    }

    /// Says which arguments and blocks of the body the schema does not have.
    fn check_names(&mut self, body: &Body, schema: &Block, as_blocks: &BTreeSet<SmolStr>) {
        let is_attribute =
            |name: &SmolStr| schema.attributes.contains_key(name) && !as_blocks.contains(name);
        let is_block =
            |name: &SmolStr| schema.block_types.contains_key(name) || as_blocks.contains(name);
        // Of few bodies: those with names that the schema does not have.
        let given = LazyCell::new(|| -> HashSet<&SmolStr> {
            body.attributes.iter().map(|it| it.name()).collect()
        });
        for attribute in body
            .attributes
            .iter()
            .filter(|attribute| !is_attribute(attribute.name()))
        {
            let name = attribute.name();
            let free = schema.attributes.keys();
            let free = free.filter(|other| is_attribute(other) && !given.contains(other));
            let meant = did_you_mean(name, free.map(SmolStr::as_str));
            let hint = match meant.is_none() && is_block(name) {
                true => format!(" Did you mean to define a block of type \"{name}\"?"),
                false => meant.to_string(),
            };
            let detail = format!("An argument named \"{name}\" is not expected here.{hint}");
            let unsupported = Diagnostic::error(
                "unsupported-argument",
                "Unsupported argument",
                detail,
                attribute.name_span(),
            );
            self.diagnostics.push(unsupported.with_fault(meant));
        }
        for member in body.all_members() {
            let free = schema.attributes.keys();
            let free = free.filter(|name| !given.contains(name));
            let known = free.chain(schema.block_types.keys()).map(SmolStr::as_str);
            let hint = did_you_mean(member.name(), known);
            let detail = format!(
                "No argument or block type is named \"{}\".{hint}",
                member.name()
            );
            let summary = "Extraneous JSON object property";
            let at = member.name_span();
            let unexpected = Diagnostic::error("unexpected-property", summary, detail, at);
            self.diagnostics.push(unexpected.with_fault(hint));
        }
        for block in body.blocks.iter().filter(|block| !is_block(block.kind())) {
            let kind = block.kind();
            if kind == "dynamic" {
                self.check_dynamic_label(block, &is_block);
                continue;
            }
            let known = schema
                .block_types
                .keys()
                .chain(as_blocks)
                .map(SmolStr::as_str);
            let meant = did_you_mean(kind, known.chain(["dynamic"]));
            let hint = match meant.is_none() && is_attribute(kind) {
                true => format!(
                    " Did you mean to define argument \"{kind}\"? If so, use the equals sign to assign it a value."
                ),
                false => meant.to_string(),
            };
            let detail = format!("Blocks of type \"{kind}\" are not expected here.{hint}");
            let unsupported = Diagnostic::error(
                "unsupported-block",
                "Unsupported block type",
                detail,
                block.kind_span(),
            );
            self.diagnostics.push(unsupported.with_fault(meant));
        }
    }
}

/// The type that an argument is converted to, in which attributes of nested objects may be left out.
fn attribute_constraint(attribute: &Attribute) -> Type {
    match &attribute.nested_type {
        Some(nested) => nested_constraint(nested),
        None => attribute.ty.clone(),
    }
}

fn nested_constraint(nested: &NestedType) -> Type {
    let attributes = nested.attributes.iter();
    let optional = nested
        .attributes
        .iter()
        .filter(|(_, attribute)| attribute.optional || attribute.computed);
    let object = Type::object_with_optional(
        attributes.map(|(name, attribute)| (name, attribute_constraint(attribute))),
        optional.map(|(name, _)| name),
    );
    match nested.nesting {
        Nesting::Single | Nesting::Group => object,
        Nesting::List => Type::list(object),
        Nesting::Set => Type::set(object),
        Nesting::Map => Type::map(object),
    }
}
