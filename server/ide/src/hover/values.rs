//! Words inside of values: references, literals, keys of objects, and types.

use config::Referenceable;
use cty::Type;
use schema::ArgumentKind;
use syntax::ast::{Expr, ExprKind, Ident, ObjectKey, Step, StepKind, Traversal};
use text::{TextRange, TextSize};

use crate::SourceFile;
use crate::completion::CompletionContext;
use crate::cursor::{ValuePlace, Within};
use crate::hover_text::Text;
use syntax::walk::{Visitor, walk_items};

/// The value of the word at `offset`, and its range; both relative to the segment.
pub(super) fn value(
    context: &CompletionContext<'_>,
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
    if expected.kind == ArgumentKind::Provider
        && let Some(expr) = &found.traversal
        && let Some(traversal) = expr.as_traversal()
    {
        let addr = context.known.module.provider_addr(&traversal.root.name);
        let mut text = Text::default();
        text.code(&format!("provider {}", context.written(expr)));
        text.paragraph(&context.known.provider_title(&addr));
        return Some((text, expr.range));
    }
    if let Some(traversal) = &found.traversal
        && let Some(text) = reference(context, traversal)
    {
        return Some((text, traversal.range));
    }
    if let Some((base, name)) = &found.member
        && let Some(text) = member(context, *base, name)
    {
        return Some((text, name.range));
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
    /// An attribute after an index that is evaluated, a call or a splat: the range of all before its name, and the name.
    member: Option<(TextRange, Ident)>,
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

impl InnermostExpressions {
    /// One of the steps at the end of an expression.
    fn step(&mut self, expr: &Expr, steps: &[Step]) {
        let names = steps.iter().filter_map(|step| match &step.kind {
            StepKind::Attr(name) => Some(name),
            StepKind::Index(_) | StepKind::LegacyIndex(_) => None,
        });
        let mut names = names.filter(|name| name.range.contains_inclusive(self.offset));
        if let Some(name) = names.next() {
            let base = TextRange::new(expr.range.start(), name.range.start());
            self.member = Some((base, name.clone()));
            self.traversal = None;
        }
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
            ExprKind::Traversal(_) => {
                self.traversal = Some(expr.clone());
                self.member = None;
            }
            ExprKind::Splat(splat) => {
                if let ExprKind::RelativeTraversal { steps, .. } = &splat.each.kind {
                    self.step(expr, steps);
                }
            }
            // Inside of a splat, all of which was looked at.
            ExprKind::RelativeTraversal { source, .. }
                if matches!(source.kind, ExprKind::SplatItem) => {}
            ExprKind::RelativeTraversal { steps, .. } => self.step(expr, steps),
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
        "any" => "Any type: the value decides.",
        "list" => "A sequence of values of one type, identified by an index that starts at 0.",
        "set" => "Distinct values of one type, without an order.",
        "map" => "Values of one type, identified by string keys.",
        "tuple" => "A sequence of values, each with its own type.",
        "object" => "Named attributes, each with its own type.",
        "optional" => {
            "An optional attribute. Without a value it is null, or the default in the second argument."
        }
        _ => return None,
    })
}

fn reference(context: &CompletionContext<'_>, expr: &Expr) -> Option<Text> {
    let traversal = expr.as_traversal()?;
    if let Some(text) = iterator(context, expr, &traversal) {
        return Some(text);
    }
    let reference = config::refs::parse(&context.origin(), &traversal).ok()?;
    let value = context.evaluate(expr);
    let ty = value.ty();
    let written = context.written(expr);
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

/// The key or the value of the element that a block is made for by `dynamic`.
fn iterator(context: &CompletionContext<'_>, expr: &Expr, traversal: &Traversal) -> Option<Text> {
    let root = &traversal.root.name;
    if !context
        .dynamic_blocks()
        .iter()
        .any(|(name, _)| name == root)
    {
        return None;
    }
    let about = match &traversal.steps.first()?.kind {
        StepKind::Attr(name) if name.name == "key" => "The key of the element in `for_each`.",
        StepKind::Attr(name) if name.name == "value" => "The element of `for_each` for this block.",
        _ => return None,
    };
    let value = context.evaluate(expr);
    let written = context.written(expr);
    let mut text = Text::default();
    match value.ty().is_dynamic() {
        true => text.code(written),
        false => text.code(&format!("{written} : {}", value.ty().friendly_name())),
    }
    text.documentation(about);
    Some(text)
}

/// An attribute of the value before it; after a splat, of an element.
fn member(context: &CompletionContext<'_>, base: TextRange, name: &Ident) -> Option<Text> {
    let (ty, attribute) = context.member(base, &name.name)?;
    let mut text = Text::default();
    text.code(&format!("{} : {}", name.name, ty.friendly_name()));
    if let Some(attribute) = attribute {
        text.documentation(&attribute.description);
    }
    Some(text)
}

/// The documentation of the subject of a reference, or of the step into it.
fn about(
    context: &CompletionContext<'_>,
    subject: &Referenceable,
    steps: &[Step],
) -> Option<String> {
    let module = &context.known.module;
    let text = match subject {
        Referenceable::Var(name) => module.variables.get(name)?.description.as_deref()?,
        Referenceable::ModuleOutput { call, output, .. } => {
            let called = context.called_by(call)?;
            called.module.outputs.get(output)?.description.as_deref()?
        }
        Referenceable::Count(_) => "The index of the instance, starting at 0.",
        Referenceable::Each(name) if name == "key" => {
            "The map key or the set element of this instance."
        }
        Referenceable::Each(_) => "The map value or the set element of this instance.",
        Referenceable::Path(name) => match name.as_str() {
            "module" => "The folder of this module.",
            "root" => "The folder of the root module.",
            "cwd" => "The folder in which Terraform was started.",
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
                StepKind::Attr(name) => schema.block.attributes.get(&name.name),
                _ => None,
            });
            attribute.map_or(&*schema.block.description, |it| &*it.description)
        }
        _ => return None,
    };
    Some(text.to_owned())
}
