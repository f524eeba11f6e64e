//! `dynamic` blocks: from one block in the text to as many as its `for_each` says.

use config::{Block, Body, Expected};
use cty::{Type, Value, convert};
use smol_str::SmolStr;
use syntax::ast::{Expr, ExprKind};
use text::{Diagnostic, Missing, Span};

use super::{BodyScope, Decoder};
use crate::Variables;
use crate::diagnose::{evaluate_expr, has_errors};
use crate::wording::{did_you_mean, why};

/// A block as the schema sees it: written as it is, or made by a `dynamic` block.
pub(super) struct Instance<'a> {
    pub(super) body: &'a Body,
    /// Of a block type that has one.
    pub(super) label: Option<&'a SmolStr>,
    /// Where the block is named.
    pub(super) header: &'a Span,
}

/// Decodes an instance in its own scope.
type Visit<'v> = &'v mut dyn FnMut(&mut Decoder<'_>, &Instance<'_>, &BodyScope<'_>);

/// A `dynamic` block that can be expanded.
struct Dynamic {
    iterator: SmolStr,
    for_each: Value,
    label: Option<config::Expr>,
    content: Body,
    header: Span,
}

const INVALID_FOR_EACH: &str = "Invalid dynamic for_each value";

impl Decoder<'_> {
    /// Visits the blocks of one type in the order of the text, `dynamic` ones expanded.
    pub(super) fn instances(
        &mut self,
        body: &Body,
        kind: &SmolStr,
        has_label: bool,
        scope: &BodyScope<'_>,
        visit: Visit<'_>,
    ) {
        for block in &body.blocks {
            if block.kind() == kind {
                self.written(block, has_label, scope, visit);
            } else if is_dynamic(block, kind)
                && let Some(dynamic) = self.dynamic(block, kind, has_label, scope)
            {
                self.expand(&dynamic, scope, visit);
            }
        }
    }

    fn written(&mut self, block: &Block, has_label: bool, scope: &BodyScope<'_>, visit: Visit<'_>) {
        if !self.check_labels(block, has_label) {
            return;
        }
        let inner = BodyScope {
            context: scope.context,
            marks: Default::default(),
            is_unknown: scope.is_unknown,
        };
        let label = block.label(0).map(|label| label.text);
        let (body, header) = (block.body(), block.header_span());
        let instance = Instance {
            body: &body,
            label: label.as_ref(),
            header: &header,
        };
        visit(self, &instance, &inner);
    }

    fn check_labels(&mut self, block: &Block, has_label: bool) -> bool {
        let kind = block.kind();
        let (wanted, given) = (usize::from(has_label), block.ast.labels.len());
        if let Some(extra) = block.label(wanted) {
            let detail = match has_label {
                true => format!("Only 1 labels (key) are expected for {kind} blocks."),
                false => format!("No labels are expected for {kind} blocks."),
            };
            let summary = format!("Extraneous label for {kind}");
            self.error("extraneous-label", summary, detail, extra.span);
        } else if given < wanted {
            let detail = format!("All {kind} blocks must have 1 labels (key).");
            self.error(
                "missing-label",
                format!("Missing key for {kind}"),
                detail,
                block.header_span(),
            );
        }
        given == wanted
    }

    /// Reports the errors of a `dynamic` block's label.
    pub(super) fn check_dynamic_label(
        &mut self,
        block: &Block,
        is_block: &dyn Fn(&SmolStr) -> bool,
    ) {
        let Some(label) = block.label(0) else {
            let detail = "All dynamic blocks must have 1 labels (type).";
            return self.error(
                "missing-label",
                "Missing type for dynamic",
                detail,
                block.header_span(),
            );
        };
        if let Some(extra) = block.label(1) {
            let detail = "Only 1 labels (type) are expected for dynamic blocks.";
            return self.error(
                "extraneous-label",
                "Extraneous label for dynamic",
                detail,
                extra.span,
            );
        }
        if !is_block(&label.text) {
            let detail = format!("Blocks of type \"{}\" are not expected here.", label.text);
            self.error(
                "unsupported-block",
                "Unsupported block type",
                detail,
                label.span,
            );
        }
    }

    fn expand(&mut self, dynamic: &Dynamic, scope: &BodyScope<'_>, visit: Visit<'_>) {
        let (for_each, marks) = dynamic.for_each.unmark();
        let mut one = |decoder: &mut Decoder<'_>, key: Value, value: Value, is_unknown: bool| {
            let iterator = Value::object([("key", key), ("value", value)]);
            let context = scope
                .context
                .child(Variables::from([(dynamic.iterator.clone(), iterator)]));
            let label = match &dynamic.label {
                Some(expr) if !is_unknown => match decoder.dynamic_label(expr, &context) {
                    Some(label) => Some(label),
                    None => return,
                },
                _ => None,
            };
            let inner = BodyScope {
                context: &context,
                marks: marks.clone(),
                is_unknown,
            };
            let instance = Instance {
                body: &dynamic.content,
                label: label.as_ref(),
                header: &dynamic.header,
            };
            visit(decoder, &instance, &inner);
        };
        match for_each.is_known() {
            true => {
                for (key, value) in for_each.elements() {
                    one(self, key, value.clone(), scope.is_unknown);
                }
            }
            false => one(self, Value::dynamic(), Value::dynamic(), true),
        }
    }

    /// Reads the content of a `dynamic` block. `None`: it can't be expanded, and a diagnostic gives the reason.
    fn dynamic(
        &mut self,
        block: &Block,
        kind: &SmolStr,
        has_label: bool,
        scope: &BodyScope<'_>,
    ) -> Option<Dynamic> {
        let body = block.body();
        let (body, diagnostics) = body.content(&|name| match name {
            "for_each" | "iterator" | "labels" => Some(Expected::Attribute),
            "content" => Some(Expected::Block(&[])),
            _ => None,
        });
        self.diagnostics.extend(diagnostics);
        self.check_dynamic_body(&body, has_label)?;
        let iterator = match body.attribute("iterator") {
            Some(attribute) => self.iterator(&attribute.expr())?,
            None => kind.clone(),
        };
        let for_each = self.dynamic_for_each(&body.attribute("for_each")?.expr(), scope)?;
        let label = match body.attribute("labels").map(|labels| labels.expr()) {
            Some(labels) => Some(self.only_label(&labels, kind)?),
            None => None,
        };
        let mut contents = body.blocks_of("content");
        let Some(content) = contents.next() else {
            let detail = "A dynamic block must have a nested block of type \"content\" to describe the body of each \
                          generated block.";
            self.error(
                "missing-content",
                "Missing dynamic content block",
                detail,
                body.missing_item.clone(),
            );
            return None;
        };
        if let Some(extra) = contents.next() {
            let detail = "Only one nested content block is allowed for each dynamic block.";
            self.error(
                "extraneous-content",
                "Extraneous dynamic content block",
                detail,
                extra.header_span(),
            );
            return None;
        }
        let content = content.body();
        Some(Dynamic {
            iterator,
            for_each,
            label,
            content,
            header: block.header_span(),
        })
    }

    fn check_dynamic_body(&mut self, body: &Body, has_label: bool) -> Option<()> {
        let before = self.diagnostics.len();
        let names: &[&str] = match has_label {
            true => &["for_each", "iterator", "labels"],
            false => &["for_each", "iterator"],
        };
        if body.attribute("for_each").is_none() {
            let detail = "The argument \"for_each\" is required, but no definition was found.";
            let missing = Diagnostic::error(
                "missing-argument",
                "Missing required argument",
                detail,
                body.missing_item.clone(),
            );
            self.diagnostics
                .push(missing.with_fault(Missing::Argument("for_each".to_owned())));
        }
        for attribute in body
            .attributes
            .iter()
            .filter(|attribute| !names.contains(&attribute.name().as_str()))
        {
            let hint = did_you_mean(attribute.name(), names.iter().copied());
            let detail = format!(
                "An argument named \"{}\" is not expected here.{hint}",
                attribute.name()
            );
            let unsupported = Diagnostic::error(
                "unsupported-argument",
                "Unsupported argument",
                detail,
                attribute.name_span(),
            );
            self.diagnostics.push(unsupported.with_fault(hint));
        }
        for member in &body.members {
            let hint = did_you_mean(member.name(), names.iter().copied().chain(["content"]));
            let detail = format!(
                "No argument or block type is named \"{}\".{hint}",
                member.name()
            );
            let summary = "Extraneous JSON object property";
            let at = member.name_span();
            let unexpected = Diagnostic::error("unexpected-property", summary, detail, at);
            self.diagnostics.push(unexpected.with_fault(hint));
        }
        for block in body.blocks.iter().filter(|block| block.kind() != "content") {
            let hint = did_you_mean(block.kind(), ["content"]);
            let detail = format!(
                "Blocks of type \"{}\" are not expected here.{hint}",
                block.kind()
            );
            let unsupported = Diagnostic::error(
                "unsupported-block",
                "Unsupported block type",
                detail,
                block.kind_span(),
            );
            self.diagnostics.push(unsupported.with_fault(hint));
        }
        (self.diagnostics.len() == before).then_some(())
    }

    fn iterator(&mut self, expr: &config::Expr) -> Option<SmolStr> {
        if let Some(name) = expr.ast.as_keyword() {
            return Some(name);
        }
        match expr.ast.as_traversal() {
            Some(_) => {
                let detail = "Dynamic iterator must be a single variable name.";
                self.error(
                    "invalid-iterator",
                    "Invalid dynamic iterator name",
                    detail,
                    expr.span(),
                );
            }
            None => {
                self.error(
                    "invalid-iterator",
                    "Invalid expression",
                    config::NOT_STATIC,
                    expr.span(),
                );
            }
        }
        None
    }

    fn dynamic_for_each(&mut self, expr: &config::Expr, scope: &BodyScope<'_>) -> Option<Value> {
        let (value, diagnostics) = evaluate_expr(expr, scope.context);
        let is_wrong = has_errors(&diagnostics);
        self.diagnostics.extend(diagnostics);
        if is_wrong {
            return None;
        }
        let ty = value.ty();
        let detail = if !ty.is_collection() && !ty.is_structural() && !ty.is_dynamic() {
            let name = ty.friendly_name();
            format!("Cannot use a {name} value in for_each. An iterable collection is required.")
        } else if value.is_null() {
            "Cannot use a null value in for_each.".into()
        } else {
            return Some(value);
        };
        self.error("invalid-for-each", INVALID_FOR_EACH, detail, expr.span());
        None
    }

    /// The one expression of a `labels` argument.
    fn only_label(&mut self, labels: &config::Expr, kind: &str) -> Option<config::Expr> {
        let items: &[Expr] = match &labels.ast.kind {
            ExprKind::Tuple(items) => items,
            _ => &[],
        };
        match items {
            [label] => Some(config::Expr::new(
                &labels.origin,
                std::sync::Arc::new(label.clone()),
            )),
            _ => {
                let summary = match items.len() {
                    0 => "Insufficient dynamic block labels",
                    _ => "Extraneous dynamic block label",
                };
                let detail = format!("Blocks of type \"{kind}\" require 1 label(s).");
                self.error("invalid-labels", summary, detail, labels.span());
                None
            }
        }
    }

    fn dynamic_label(
        &mut self,
        expr: &config::Expr,
        context: &crate::EvalContext<'_>,
    ) -> Option<SmolStr> {
        let (value, diagnostics) = evaluate_expr(expr, context);
        let is_wrong = has_errors(&diagnostics);
        self.diagnostics.extend(diagnostics);
        if is_wrong {
            return None;
        }
        let detail = match convert(&value, &Type::String) {
            Err(error) => format!("Cannot use this value as a dynamic block label: {why}.", why = why(&error)),
            Ok(label) => match label.as_str() {
                Some(label) => return Some(label.into()),
                None if label.is_null() => "Cannot use a null value as a dynamic block label.".into(),
                None if !label.is_known() => {
                    "This value is not yet known. Dynamic block labels must be immediately-known values.".into()
                }
                None => "This value has dynamic marks that make it unsuitable for use as a block label.".into(),
            },
        };
        self.error(
            "invalid-labels",
            "Invalid dynamic block label",
            detail,
            expr.span(),
        );
        None
    }
}

/// Whether this is a `dynamic` block for blocks of this type.
pub(super) fn is_dynamic(block: &Block, kind: &str) -> bool {
    block.kind() == "dynamic"
        && block.ast.labels.len() == 1
        && block.label(0).is_some_and(|label| label.text == kind)
}

/// The body that a `dynamic` block repeats.
pub fn dynamic_content(block: &Block) -> Option<Body> {
    let content = block.ast.body.blocks_of("content").into_iter().next()?;
    let origin = block.origin.clone();
    let content = Block {
        origin,
        ast: content,
    };
    Some(content.body())
}
