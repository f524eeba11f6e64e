//! Words inside of values: references, literals, keys of objects, and types.

use config::Referenceable;
use cty::Type;
use schema::ArgumentKind;
use syntax::ast::{Expr, ExprKind, ObjectKey};
use text::{TextRange, TextSize};

use crate::SourceFile;
use crate::completion::Context;
use crate::cursor::{ValuePlace, Within};
use crate::hover_text::Text;
use syntax::walk::{Visitor, walk_items};

/// The value of the word at `offset`, and its range; both relative to the segment.
pub(super) fn value(
    context: &Context<'_>,
    place: &ValuePlace,
    offset: TextSize,
) -> Option<(Text, TextRange)> {
    let mut found = InnermostExpressions {
        offset,
        ..InnermostExpressions::default()
    };
    let segment = context.source.syntax().segment_at(context.cursor.segment)?;
    walk_items(&segment.parsed.items, &mut found);
    let expected = context.expected(place);
    if expected.kind == ArgumentKind::Type {
        return r#type(&found);
    }
    if let (Some(Within::Key { .. }), Some((key, range))) = (place.within.last(), &found.item) {
        return Some((context.key(place, key)?, *range));
    }
    if let Some(traversal) = &found.traversal
        && let Some(text) = reference(context, traversal)
    {
        return Some((text, traversal.range));
    }
    found.literal()
}

/// A number, in which nothing can be completed.
pub(super) fn number(source: &SourceFile, offset: TextSize) -> Option<(Text, TextRange)> {
    let segment = source.syntax().segment_at(offset)?;
    let mut found = InnermostExpressions {
        offset: offset - segment.offset,
        ..InnermostExpressions::default()
    };
    walk_items(&segment.parsed.items, &mut found);
    let is_number = |(ty, _): &(Type, TextRange)| *ty == Type::Number;
    found.literal = found.literal.take().filter(is_number);
    found.literal()
}

/// The innermost expressions of some kinds around an offset.
#[derive(Default)]
struct InnermostExpressions {
    offset: TextSize,
    /// The item whose key it is in: the key, and the range of the item.
    item: Option<(String, TextRange)>,
    traversal: Option<Expr>,
    literal: Option<(Type, TextRange)>,
    /// The literal, where it is short.
    written: String,
    /// Type constraints may stand anywhere in their argument.
    constraint: Option<Expr>,
}

impl InnermostExpressions {
    fn literal(&self) -> Option<(Text, TextRange)> {
        let (ty, range) = self.literal.as_ref()?;
        let mut text = Text::default();
        match ty {
            Type::String => text.paragraph("string"),
            ty => text.code(&format!("{} : {}", self.written, ty.friendly_name())),
        }
        Some((text, *range))
    }
}

impl Visitor for InnermostExpressions {
    fn expr(&mut self, expr: &Expr) {
        if !expr.range.contains_inclusive(self.offset) {
            return;
        }
        match &expr.kind {
            ExprKind::Object(items) => {
                for item in items {
                    let (key, range) = match &item.key {
                        ObjectKey::Name(name) => (Some(name.name.clone()), name.range),
                        ObjectKey::Expr(key) => (key.as_literal_string(), key.range),
                    };
                    if let Some(key) = key.filter(|_| range.contains_inclusive(self.offset)) {
                        self.item = Some((key.to_string(), range.cover(item.value.range)));
                        self.constraint = Some(item.value.clone());
                        return;
                    }
                }
            }
            ExprKind::Traversal(_) => self.traversal = Some(expr.clone()),
            ExprKind::Number(number) => {
                self.literal = Some((Type::Number, expr.range));
                self.written = number.to_string();
            }
            ExprKind::Bool(word) => {
                self.literal = Some((Type::Bool, expr.range));
                self.written = word.to_string();
            }
            ExprKind::Template(_) if expr.as_literal_string().is_some() => {
                self.literal = Some((Type::String, expr.range));
            }
            _ => {}
        }
        if matches!(expr.kind, ExprKind::Traversal(_) | ExprKind::Call(_)) {
            self.constraint = Some(expr.clone());
            self.item = None;
        }
    }
}

fn r#type(found: &InnermostExpressions) -> Option<(Text, TextRange)> {
    let constraint = found.constraint.as_ref()?;
    let is_optional = matches!(&constraint.kind, ExprKind::Call(call) if call.name == "optional");
    let written = match &constraint.kind {
        ExprKind::Call(call) if is_optional => call.args.first()?,
        _ => constraint,
    };
    let ty = eval::types::variable_type(written).0.ty;
    let name = ty.friendly_name_for_constraint();
    let mut text = Text::default();
    let word = match (&found.item, &constraint.kind) {
        (Some((key, range)), _) => {
            text.code(&format!("{key} = {name}"));
            text.paragraph(if is_optional { "Optional" } else { "Required" });
            return Some((text, *range));
        }
        (None, ExprKind::Call(call)) => call.name.clone(),
        (None, _) => constraint.as_keyword()?,
    };
    text.code(&name);
    text.documentation(about_type(&word)?);
    Some((text, constraint.range))
}

fn about_type(word: &str) -> Option<&'static str> {
    Some(match word {
        "string" => "Text: a sequence of Unicode characters.",
        "number" => "A number, whole or with a fraction.",
        "bool" => "`true` or `false`.",
        "any" => "Any type: the one that the value has.",
        "list" => "A sequence of values of one type, by their index from 0.",
        "set" => "Distinct values of one type, in no order.",
        "map" => "Values of one type, by text keys.",
        "tuple" => "A sequence of values, each of a type of its own.",
        "object" => "Named attributes, each of a type of its own.",
        "optional" => {
            "An attribute that may be left out: it is null then, or the default that the second argument gives."
        }
        _ => return None,
    })
}

fn reference(context: &Context<'_>, expr: &Expr) -> Option<Text> {
    let reference = config::refs::parse(&context.origin(), &*expr.as_traversal()?).ok()?;
    let value = context.evaluate(expr);
    let ty = value.ty();
    let source = context.source.syntax().text();
    let range = expr.range + context.cursor.segment;
    let written = &source[usize::from(range.start())..usize::from(range.end())];
    let mut text = Text::default();
    let about = about(context, &reference.subject, &reference.remaining);
    match (&about, ty.is_dynamic()) {
        (None, true) => return None,
        (_, true) => text.code(written),
        (_, false) => text.code(&format!("{written} : {}", ty.friendly_name())),
    }
    text.documentation(&about.unwrap_or_default());
    Some(text)
}

/// The documentation of the subject of a reference, or of the step into it.
fn about(
    context: &Context<'_>,
    subject: &Referenceable,
    steps: &[syntax::ast::Step],
) -> Option<String> {
    let module = &context.known.module;
    let text = match subject {
        Referenceable::Var(name) => module.variables.get(name)?.description.as_deref()?,
        Referenceable::ModuleOutput { call, output, .. } => {
            let called = context.called_by(call)?;
            called.module.outputs.get(output)?.description.as_deref()?
        }
        Referenceable::Count(_) => "The number of the instance, from 0.",
        Referenceable::Each(name) if name == "key" => {
            "The key of the instance: of the map, or the element of the set."
        }
        Referenceable::Each(_) => "The value of the instance in `for_each`.",
        Referenceable::Path(name) => match name.as_str() {
            "module" => "The folder of this module.",
            "root" => "The folder of the root module.",
            "cwd" => "The folder that Terraform was started in.",
            _ => return None,
        },
        Referenceable::Terraform(name) => match name.as_str() {
            "workspace" => "The name of the selected workspace.",
            "applying" => "Whether a plan is being applied.",
            _ => return None,
        },
        Referenceable::Resource(addr) | Referenceable::ResourceInstance(addr, _) => {
            let schema = context.known.resource_schema(addr.mode, &addr.r#type)?;
            let attribute = steps.iter().find_map(|step| match &step.kind {
                syntax::ast::StepKind::Attr(name) => schema.block.attributes.get(&name.name),
                _ => None,
            });
            attribute.map_or(&*schema.block.description, |it| &*it.description)
        }
        _ => return None,
    };
    Some(text.to_owned())
}
