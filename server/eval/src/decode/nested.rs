//! Nested blocks: one value for all blocks of one type.

use config::Body;
use cty::{Type, Value};
use schema::{Block, NestedBlock, Nesting};
use smol_str::SmolStr;
use text::{Diagnostic, Missing, Related, RelatedRole, Span};

use super::dynamic::Instance;
use super::{BodyScope, Decoder};
use crate::Variables;

impl Decoder<'_> {
    /// `ty` is the type that the schema implies for all these blocks together.
    pub(super) fn nested(
        &mut self,
        body: &Body,
        name: &SmolStr,
        nested: &NestedBlock,
        ty: &Type,
        scope: &BodyScope<'_>,
    ) -> Value {
        match nested.nesting {
            Nesting::Single | Nesting::Group => self.single(body, name, nested, ty, scope),
            Nesting::List | Nesting::Set => self.sequence(body, name, nested, ty, scope),
            Nesting::Map => self.mapping(body, name, nested, ty, scope),
        }
    }

    fn single(
        &mut self,
        body: &Body,
        name: &SmolStr,
        nested: &NestedBlock,
        ty: &Type,
        scope: &BodyScope<'_>,
    ) -> Value {
        let mut value: Option<(Value, Span)> = None;
        self.instances(
            body,
            name,
            false,
            scope,
            &mut |decoder, instance, scope| match &value {
                None => {
                    let block = decoder.body(instance.body, &nested.block, ty, scope);
                    value = Some((block, instance.header.clone()));
                }
                Some((_, first)) => {
                    decoder.duplicate(
                        name,
                        format!("Only one block of type \"{name}\" is allowed."),
                        instance,
                    );
                    if let Some(diagnostic) = decoder.diagnostics.last_mut() {
                        diagnostic.related.push(Related {
                            span: first.clone(),
                            message: "first defined here".into(),
                            role: RelatedRole::Other,
                        });
                    }
                }
            },
        );
        match (value, nested.nesting) {
            (Some((value, _)), _) => value,
            (None, Nesting::Group) => nested.block.empty_value(),
            (None, _) => {
                if nested.min_items == 1 {
                    let detail = format!("A block of type \"{name}\" is required here.");
                    let summary = format!("Missing {name} block");
                    let at = body.missing_item.clone();
                    self.missing_block("missing-block", summary, detail, name, at);
                }
                Value::null(ty.clone())
            }
        }
    }

    fn sequence(
        &mut self,
        body: &Body,
        name: &SmolStr,
        nested: &NestedBlock,
        ty: &Type,
        scope: &BodyScope<'_>,
    ) -> Value {
        let element = element_type(nested, ty);
        let mut values = Vec::new();
        let mut starts = Vec::new();
        let mut has_unknown = false;
        self.instances(body, name, false, scope, &mut |decoder, instance, scope| {
            if has_unknown {
                return;
            }
            values.push(decoder.element(instance, &nested.block, &element, scope));
            starts.push(instance.body.missing_item.clone());
            has_unknown = scope.is_unknown;
        });
        if has_unknown {
            return Value::unknown(ty.clone());
        }
        self.check_count(body, name, nested, &starts);
        match ty {
            Type::List(_) => Value::list(element, values),
            Type::Set(_) => Value::set(element, values),
            _ => Value::tuple(values),
        }
    }

    fn mapping(
        &mut self,
        body: &Body,
        name: &SmolStr,
        nested: &NestedBlock,
        ty: &Type,
        scope: &BodyScope<'_>,
    ) -> Value {
        let element = element_type(nested, ty);
        let mut values = Variables::new();
        let mut has_unknown = false;
        self.instances(body, name, true, scope, &mut |decoder, instance, scope| {
            has_unknown |= scope.is_unknown;
            let Some(label) = instance.label.filter(|_| !has_unknown) else {
                return;
            };
            let value = decoder.element(instance, &nested.block, &element, scope);
            if values.contains_key(label) {
                let detail = format!(
                    "A block for {name} \"{label}\" was already defined. The {name} labels must be unique."
                );
                decoder.duplicate(name, detail, instance);
            } else {
                values.insert(label.clone(), value);
            }
        });
        match (has_unknown, ty) {
            (true, _) => Value::unknown(ty.clone()),
            (false, Type::Map(_)) => Value::map(element, values),
            (false, _) => Value::object(values),
        }
    }

    fn missing_block(
        &mut self,
        code: &'static str,
        summary: String,
        detail: String,
        kind: &str,
        at: Span,
    ) {
        let missing = Diagnostic::error(code, summary, detail, at);
        self.diagnostics
            .push(missing.with_fault(Missing::Block(kind.to_owned())));
    }

    fn duplicate(&mut self, name: &str, detail: String, instance: &Instance<'_>) {
        let summary = format!("Duplicate {name} block");
        self.error("duplicate-block", summary, detail, instance.header.clone());
    }

    /// The value of one block of several.
    fn element(
        &mut self,
        instance: &Instance<'_>,
        block: &Block,
        ty: &Type,
        scope: &BodyScope<'_>,
    ) -> Value {
        let value = self.body(instance.body, block, ty, scope);
        // For a legacy schema the marks are on the attributes alone.
        match scope.marks.is_empty() || self.legacy.is_legacy() {
            true => value,
            false => value.mark_all(&scope.marks),
        }
    }

    /// `starts` are the places where the bodies of the blocks begin: `content` of those that a `dynamic` block makes.
    fn check_count(&mut self, body: &Body, name: &SmolStr, nested: &NestedBlock, starts: &[Span]) {
        let (min, max) = (nested.min_items, nested.max_items);
        if (starts.len() as u64) < min {
            let detail = format!("At least {min} \"{name}\" blocks are required.");
            let summary = format!("Insufficient {name} blocks");
            let at = body.missing_item.clone();
            self.missing_block("too-few-blocks", summary, detail, name, at);
        } else if max > 0
            && let Some(start) = usize::try_from(max).ok().and_then(|max| starts.get(max))
        {
            let detail = format!("No more than {max} \"{name}\" blocks are allowed");
            let summary = format!("Too many {name} blocks");
            self.error("too-many-blocks", summary, detail, start.clone());
        }
    }

    /// The values of blocks that stand for the elements of an attribute.
    pub(super) fn elements_of_blocks(
        &mut self,
        body: &Body,
        name: &SmolStr,
        element: &Type,
        block: &Block,
        scope: &BodyScope<'_>,
    ) -> (Value, Option<Span>) {
        let mut values = Vec::new();
        let mut header = None;
        self.instances(body, name, false, scope, &mut |decoder, instance, scope| {
            header.get_or_insert_with(|| instance.header.clone());
            values.push(decoder.body(instance.body, block, element, scope));
        });
        let value = match element.has_dynamic() {
            true => Value::tuple(values),
            false => Value::list(element.clone(), values),
        };
        (value, header)
    }
}

/// The type of one block of several. Where blocks need not have one type, the schema's type does not tell it.
fn element_type(nested: &NestedBlock, ty: &Type) -> Type {
    match ty.element_type() {
        Some(element) => element.clone(),
        None => nested.block.implied_type(),
    }
}
