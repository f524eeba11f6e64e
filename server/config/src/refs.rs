//! References: which objects an expression speaks of.
//!
//! References are static: they are found without evaluating anything. Names that the expression itself binds, in
//! `for` and in `dynamic` blocks, are none.

use smol_str::SmolStr;
use syntax::ast::{self, ExprKind, Key, ObjectKey, StepKind, TemplatePart};
use syntax::json;
use text::{Diagnostic, Span, TextRange};

use crate::addr::{InstanceKey, ResourceAddr, ResourceMode};
use crate::source::{Body, Expr, Origin};

/// A reference found in an expression: its subject, and the steps that follow.
#[derive(Clone, PartialEq, Debug)]
pub struct Reference {
    pub subject: Referenceable,
    /// The steps into the subject.
    pub remaining: Vec<ast::Step>,
    /// Of the subject only.
    pub span: Span,
}

/// The subject of a reference. A resource instance or module instance is known only as far as it is written.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Referenceable {
    Var(SmolStr),
    Local(SmolStr),
    /// A whole resource: all its instances, or its only one.
    Resource(ResourceAddr),
    /// An instance with its key as written, or without one the only instance.
    ResourceInstance(ResourceAddr, InstanceKey),
    /// A whole module call: all its instances, or its only one.
    Module(SmolStr),
    ModuleInstance(SmolStr, InstanceKey),
    ModuleOutput {
        call: SmolStr,
        key: InstanceKey,
        output: SmolStr,
    },
    /// `count.index`
    Count(SmolStr),
    /// `each.key` and `each.value`
    Each(SmolStr),
    Self_,
    /// `path.module` and its like
    Path(SmolStr),
    /// `terraform.workspace` and its like
    Terraform(SmolStr),
    /// `tofu.workspace`: the same in OpenTofu
    Tofu(SmolStr),
}

impl Referenceable {
    /// The resource that is meant, whole or in part.
    pub fn resource(&self) -> Option<&ResourceAddr> {
        match self {
            Referenceable::Resource(addr) | Referenceable::ResourceInstance(addr, _) => Some(addr),
            _ => None,
        }
    }

    /// The name of the module call that is meant, whole or in part.
    pub fn module_call(&self) -> Option<&SmolStr> {
        match self {
            Referenceable::Module(call)
            | Referenceable::ModuleInstance(call, _)
            | Referenceable::ModuleOutput { call, .. } => Some(call),
            _ => None,
        }
    }
}

/// The references of an expression, in source order. Traversals that are no references are left out: see [`parse`].
pub fn references(origin: &Origin, expr: &ast::Expr) -> Vec<Reference> {
    let mut found = Vec::new();
    each_traversal(expr, &mut |traversal| {
        found.extend(parse(origin, traversal).ok())
    });
    found
}

/// The references of everything in a body, also in nested and `dynamic` blocks.
pub fn body_references(body: &Body) -> Vec<Reference> {
    let mut found = Vec::new();
    each_body_traversal(body, &mut |origin, traversal| {
        found.extend(parse(origin, traversal).ok())
    });
    found
}

/// Whether a body has a traversal that is no valid reference.
pub fn has_misread(body: &Body) -> bool {
    let mut is_misread = false;
    each_body_traversal(body, &mut |origin, traversal| {
        is_misread |= parse(origin, traversal).is_err();
    });
    is_misread
}

impl Expr {
    pub fn references(&self) -> Vec<Reference> {
        references(&self.origin, &self.ast)
    }
}

/// Whether the expression refers to anything.
pub fn has_variables(expr: &ast::Expr) -> bool {
    let mut found = false;
    each_traversal(expr, &mut |_| found = true);
    found
}

/// Calls `visit` with each traversal whose root the expression doesn't bind itself. Looks into no broken part.
pub fn each_traversal(expr: &ast::Expr, visit: &mut dyn FnMut(&ast::Traversal)) {
    each_in_expr(expr, &mut outside_types(visit));
}

/// [`each_traversal`], and those in a type that `convert` takes, with `true`.
pub(crate) fn each_in_expr(expr: &ast::Expr, visit: &mut dyn FnMut(&ast::Traversal, bool)) {
    Walk::new(visit).expr(expr);
}

fn outside_types(visit: &mut dyn FnMut(&ast::Traversal)) -> impl FnMut(&ast::Traversal, bool) {
    |traversal, is_in_type| {
        if !is_in_type {
            visit(traversal);
        }
    }
}

/// Calls `visit` with each traversal in the body and the blocks in it; also in parts that an override file replaces, where only
/// a schema could tell that.
pub fn each_body_traversal(body: &Body, visit: &mut dyn FnMut(&Origin, &ast::Traversal)) {
    each_in_body(body, &mut |origin, traversal, is_in_type| {
        if !is_in_type {
            visit(origin, traversal);
        }
    });
}

/// [`each_body_traversal`], and those in a type that `convert` takes, with `true`.
pub(crate) fn each_in_body(body: &Body, visit: &mut dyn FnMut(&Origin, &ast::Traversal, bool)) {
    body.layers()
        .for_each(|layer| each_own_traversal(layer, visit));
}

fn each_own_traversal(body: &Body, visit: &mut dyn FnMut(&Origin, &ast::Traversal, bool)) {
    for attribute in &body.attributes {
        let mut visit = |traversal: &_, is_in_type| visit(&attribute.origin, traversal, is_in_type);
        Walk::new(&mut visit).expr(&attribute.ast.expr);
    }
    for block in &body.blocks {
        let mut visit = |traversal: &_, is_in_type| visit(&block.origin, traversal, is_in_type);
        Walk::new(&mut visit).block(&block.ast);
    }
    for member in &body.members {
        let mut visit = |traversal: &_, is_in_type| visit(&member.origin, traversal, is_in_type);
        Walk::new(&mut visit).member(&member.json);
    }
}

struct Walk<'a> {
    /// Names that hide the objects of the module.
    bound: Vec<SmolStr>,
    is_in_type: bool,
    visit: &'a mut dyn FnMut(&ast::Traversal, bool),
}

impl<'a> Walk<'a> {
    fn new(visit: &'a mut dyn FnMut(&ast::Traversal, bool)) -> Walk<'a> {
        Walk {
            bound: Vec::new(),
            is_in_type: false,
            visit,
        }
    }

    fn block(&mut self, block: &ast::Block) {
        if block.kind.name == "dynamic" && block.labels.len() == 1 {
            self.dynamic(block);
        } else {
            self.body(&block.body);
        }
    }

    fn body(&mut self, body: &ast::Body) {
        for attribute in &body.attributes {
            self.expr(&attribute.expr);
        }
        for block in &body.blocks {
            self.block(block);
        }
        for member in body.members.iter().flatten() {
            self.member(member);
        }
    }

    /// A property of JSON that may be an attribute or blocks, so that `dynamic` blocks may be anywhere in it.
    fn member(&mut self, member: &json::Member) {
        match member.name().as_str() {
            "dynamic" => {
                for block in member.blocks(&["type"], &mut Vec::new()) {
                    self.block(&block);
                }
            }
            "//" => {}
            _ => self.value(&member.value),
        }
    }

    fn value(&mut self, value: &json::Value) {
        match &value.kind {
            json::ValueKind::Array(values) => values.iter().for_each(|value| self.value(value)),
            json::ValueKind::Object(members) => {
                for member in members.iter() {
                    self.expr(&member.name_expr());
                    self.member(member);
                }
            }
            json::ValueKind::String(_) => self.expr(&value.expr()),
            json::ValueKind::Null
            | json::ValueKind::Bool(_)
            | json::ValueKind::Number(_)
            | json::ValueKind::Invalid => {}
        }
    }

    fn dynamic(&mut self, block: &ast::Block) {
        let iterator = match block.body.attribute("iterator") {
            // Without a name for its iterator, the block can't be read.
            Some(attribute) => match attribute.expr.as_traversal() {
                Some(traversal) => traversal.root.name.clone(),
                None => return,
            },
            None => block.labels[0].text.clone(),
        };
        if let Some(for_each) = block.body.attribute("for_each") {
            self.expr(&for_each.expr);
        }
        self.bound.push(iterator);
        if let Some(labels) = block.body.attribute("labels") {
            self.expr(&labels.expr);
        }
        for content in block.body.blocks_of("content") {
            self.body(&content.body);
        }
        self.bound.pop();
    }

    fn binding(&mut self, names: [Option<&ast::Ident>; 2], inside: impl FnOnce(&mut Self)) {
        let outer = self.bound.len();
        self.bound
            .extend(names.into_iter().flatten().map(|ident| ident.name.clone()));
        inside(self);
        self.bound.truncate(outer);
    }

    fn expr(&mut self, expr: &ast::Expr) {
        match &expr.kind {
            ExprKind::Number(_)
            | ExprKind::Bool(_)
            | ExprKind::Null
            | ExprKind::SplatItem
            | ExprKind::Error(_) => {}
            ExprKind::Json(string) => self.expr(&string.template),
            ExprKind::Template(template) => self.parts(&template.parts),
            ExprKind::TemplateWrap(inner) | ExprKind::Parens(inner) => self.expr(inner),
            ExprKind::Traversal(traversal) => {
                if !self.bound.contains(&traversal.root.name) {
                    (self.visit)(traversal, self.is_in_type);
                }
            }
            ExprKind::RelativeTraversal { source, .. } => self.expr(source),
            ExprKind::Index { collection, key } => {
                self.expr(collection);
                self.expr(key);
            }
            ExprKind::Splat(splat) => {
                self.expr(&splat.source);
                self.expr(&splat.each);
            }
            // The second argument of `convert` is a type.
            ExprKind::Call(call) if matches!(call.name.as_str(), "convert" | "core::convert") => {
                call.args.iter().take(1).for_each(|arg| self.expr(arg));
                let is_in_type = std::mem::replace(&mut self.is_in_type, true);
                call.args.iter().skip(1).for_each(|arg| self.expr(arg));
                self.is_in_type = is_in_type;
            }
            ExprKind::Call(call) => call.args.iter().for_each(|arg| self.expr(arg)),
            ExprKind::Tuple(elements) => elements.iter().for_each(|element| self.expr(element)),
            ExprKind::Object(items) => {
                for item in items {
                    if let ObjectKey::Expr(key) = &item.key {
                        self.expr(key);
                    }
                    self.expr(&item.value);
                }
            }
            ExprKind::For(r#for) => {
                self.expr(&r#for.collection);
                self.binding([r#for.key_var.as_ref(), Some(&r#for.value_var)], |walk| {
                    let inner = [
                        r#for.key.as_ref(),
                        Some(&r#for.value),
                        r#for.condition.as_ref(),
                    ];
                    inner.into_iter().flatten().for_each(|expr| walk.expr(expr));
                });
            }
            ExprKind::Conditional(conditional) => {
                self.expr(&conditional.condition);
                self.expr(&conditional.true_result);
                self.expr(&conditional.false_result);
            }
            ExprKind::Binary { left, right, .. } => {
                self.expr(left);
                self.expr(right);
            }
            ExprKind::Unary { operand, .. } => self.expr(operand),
        }
    }

    fn parts(&mut self, parts: &[TemplatePart]) {
        for part in parts {
            match part {
                TemplatePart::Literal(..) => {}
                TemplatePart::Interpolation(expr) => self.expr(expr),
                TemplatePart::If(r#if) => {
                    self.expr(&r#if.condition);
                    self.parts(&r#if.then_parts);
                    self.parts(&r#if.else_parts);
                }
                TemplatePart::For(r#for) => {
                    self.expr(&r#for.collection);
                    self.binding([r#for.key_var.as_ref(), Some(&r#for.value_var)], |walk| {
                        walk.parts(&r#for.parts);
                    });
                }
            }
        }
    }
}

/// Reads a traversal as a reference, as `addrs.ParseRef` does.
pub fn parse(origin: &Origin, traversal: &ast::Traversal) -> Result<Reference, Box<Diagnostic>> {
    let root = traversal.root.name.as_str();
    let single = |subject: fn(SmolStr) -> Referenceable| single(origin, traversal, subject);
    match root {
        "var" => single(Referenceable::Var),
        "local" => single(Referenceable::Local),
        "count" => single(Referenceable::Count),
        "each" => single(Referenceable::Each),
        "path" => single(Referenceable::Path),
        "terraform" => single(Referenceable::Terraform),
        "tofu" => single(Referenceable::Tofu),
        "module" => module(origin, traversal),
        "self" => Ok(Reference {
            subject: Referenceable::Self_,
            remaining: traversal.steps.clone(),
            span: origin.span(traversal.root.range),
        }),
        "data" => {
            let detail = "The \"data\" object must be followed by two attribute names: the data source type and the resource name.";
            prefixed(origin, traversal, ResourceMode::Data, detail)
        }
        "ephemeral" => {
            let detail = "The \"ephemeral\" object must be followed by two attribute names: the ephemeral resource type and the resource name.";
            prefixed(origin, traversal, ResourceMode::Ephemeral, detail)
        }
        "action" => {
            let detail = "The \"action\" object must be followed by two attribute names: the action type and the action name.";
            prefixed(origin, traversal, ResourceMode::Action, detail)
        }
        "resource" => {
            let detail = "The \"resource\" object must be followed by two attribute names: the resource type and the resource name.";
            prefixed(origin, traversal, ResourceMode::Managed, detail)
        }
        "template" | "lazy" | "arg" => Err(Box::new(Diagnostic::error(
            "reserved-symbol",
            "Reserved symbol name",
            format!(
                "The symbol name \"{root}\" is reserved for use in a future Terraform version. If you are using a provider that already uses this as a resource type name, add the prefix \"resource.\" to force interpretation as a resource type name."
            ),
            origin.span(traversal.root.range),
        ))),
        _ => resource(
            origin,
            ResourceMode::Managed,
            &traversal.root,
            &traversal.steps,
            traversal.root.range,
        ),
    }
}

fn invalid<T>(detail: impl Into<String>, at: Span) -> Result<T, Box<Diagnostic>> {
    Err(Box::new(Diagnostic::error(
        "invalid-reference",
        "Invalid reference",
        detail,
        at,
    )))
}

/// The whole traversal, from its root to its last step.
pub fn range(traversal: &ast::Traversal) -> TextRange {
    let end = traversal
        .steps
        .last()
        .map_or(traversal.root.range, |step| step.range);
    traversal.root.range.cover(end)
}

fn single(
    origin: &Origin,
    traversal: &ast::Traversal,
    subject: fn(SmolStr) -> Referenceable,
) -> Result<Reference, Box<Diagnostic>> {
    let root = &traversal.root;
    match traversal.steps.split_first() {
        Some((
            ast::Step {
                kind: StepKind::Attr(attr),
                range,
            },
            remaining,
        )) => Ok(Reference {
            subject: subject(attr.name.clone()),
            remaining: remaining.to_vec(),
            span: origin.span(root.range.cover(*range)),
        }),
        Some((step, _)) => invalid(
            format!(
                "The \"{}\" object does not support this operation.",
                root.name
            ),
            origin.span(step.range),
        ),
        None => invalid(
            format!(
                "The \"{}\" object cannot be accessed directly. Instead, access one of its attributes.",
                root.name
            ),
            origin.span(root.range),
        ),
    }
}

fn prefixed(
    origin: &Origin,
    traversal: &ast::Traversal,
    mode: ResourceMode,
    too_short: &str,
) -> Result<Reference, Box<Diagnostic>> {
    match traversal.steps.as_slice() {
        [first, rest @ ..] if !rest.is_empty() => match &first.kind {
            StepKind::Attr(r#type) => resource(origin, mode, r#type, rest, traversal.root.range),
            StepKind::Index(_) | StepKind::LegacyIndex(_) => {
                let detail = format!(
                    "The \"{}\" object does not support this operation.",
                    traversal.root.name
                );
                invalid(detail, origin.span(first.range))
            }
        },
        _ => invalid(too_short, origin.span(range(traversal))),
    }
}

fn resource(
    origin: &Origin,
    mode: ResourceMode,
    r#type: &ast::Ident,
    steps: &[ast::Step],
    start: TextRange,
) -> Result<Reference, Box<Diagnostic>> {
    let what = match mode {
        ResourceMode::Managed => "a resource type",
        ResourceMode::Data => "a data source",
        ResourceMode::Ephemeral => "an ephemeral resource type",
        ResourceMode::Action => "an action type",
    };
    let (name, at, rest) = match steps.split_first() {
        Some((
            ast::Step {
                kind: StepKind::Attr(name),
                range,
            },
            rest,
        )) => (name, *range, rest),
        other => {
            let detail = format!(
                "A reference to {what} must be followed by at least one attribute access, specifying the resource name."
            );
            return invalid(
                detail,
                origin.span(other.map_or(r#type.range, |(step, _)| step.range)),
            );
        }
    };
    let addr = ResourceAddr::new(mode, r#type.name.clone(), name.name.clone());
    let span = origin.span(start.cover(at));
    let Some((first, remaining)) = rest.split_first() else {
        return Ok(Reference {
            subject: Referenceable::Resource(addr),
            remaining: Vec::new(),
            span,
        });
    };
    match instance_key(origin, first, "resource instance")? {
        Some(key) => Ok(Reference {
            subject: Referenceable::ResourceInstance(addr, key),
            remaining: remaining.to_vec(),
            span: origin.span(start.cover(first.range)),
        }),
        None => Ok(Reference {
            subject: Referenceable::ResourceInstance(addr, InstanceKey::None),
            remaining: rest.to_vec(),
            span,
        }),
    }
}

fn module(origin: &Origin, traversal: &ast::Traversal) -> Result<Reference, Box<Diagnostic>> {
    let whole = single(origin, traversal, Referenceable::Module)?;
    let Referenceable::Module(call) = &whole.subject else {
        return Ok(whole);
    };
    let call = call.clone();
    let start = traversal.root.range;
    let Some((first, after)) = whole.remaining.split_first() else {
        return Ok(whole);
    };
    let (key, rest) = match instance_key(origin, first, "module instance")? {
        Some(key) if after.is_empty() => {
            return Ok(Reference {
                subject: Referenceable::ModuleInstance(call, key),
                remaining: Vec::new(),
                span: origin.span(start.cover(first.range)),
            });
        }
        Some(key) => (key, after),
        None => (InstanceKey::None, whole.remaining.as_slice()),
    };
    match rest.split_first() {
        Some((
            ast::Step {
                kind: StepKind::Attr(output),
                range,
            },
            remaining,
        )) => Ok(Reference {
            subject: Referenceable::ModuleOutput {
                call,
                key,
                output: output.name.clone(),
            },
            remaining: remaining.to_vec(),
            span: origin.span(start.cover(*range)),
        }),
        Some((step, _)) => invalid(
            "Module instance objects do not support this operation.",
            origin.span(step.range),
        ),
        None => Ok(whole),
    }
}

/// The key when the step is an index, `None` when it is a name.
fn instance_key(
    origin: &Origin,
    step: &ast::Step,
    what: &str,
) -> Result<Option<InstanceKey>, Box<Diagnostic>> {
    let number = match &step.kind {
        StepKind::Attr(_) => return Ok(None),
        StepKind::Index(Key::String(key)) => return Ok(Some(InstanceKey::String(key.clone()))),
        StepKind::Index(Key::Number(number)) | StepKind::LegacyIndex(number) => Some(number),
        StepKind::Index(Key::Bool(_) | Key::Null) => None,
    };
    if let Some(index) = number.and_then(|number| number.parse().ok()) {
        return Ok(Some(InstanceKey::Int(index)));
    }
    let why = match number {
        Some(_) => {
            "value must be a whole number, between -9223372036854775808 and 9223372036854775807"
        }
        None => "either a string or an integer is required",
    };
    let detail = format!("Invalid index for {what}: {why}.");
    let at = origin.span(step.range);
    Err(Box::new(Diagnostic::error(
        "invalid-index-key",
        "Invalid index key",
        detail,
        at,
    )))
}
