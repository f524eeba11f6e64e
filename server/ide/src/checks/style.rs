//! Expressions that could be simpler, or are written as older releases wanted them.

use std::collections::{BTreeMap, HashMap, HashSet};

use config::Origin;
use syntax::Segment;
use syntax::ast::{BinaryOp, Expr, ExprKind, ObjectItem, ObjectKey, StepKind, UnaryOp};
use text::{Diagnostic, FileId, SegmentId, Severity, TextRange};

use super::Checks;
use syntax::walk::{Visitor, walk_items};

/// The findings in each file, as it then was, by segment; segments without any are not kept.
#[derive(Default)]
pub(super) struct StyleCache(HashMap<FileId, (syntax::File, OfSegments)>);

type OfSegments = BTreeMap<SegmentId, Vec<Diagnostic>>;

impl StyleCache {
    pub(super) fn check(&mut self, file: &FileId, syntax: &syntax::File, found: &mut Checks) {
        // In JSON syntax each expression is a template in a string.
        if file.name().ends_with(".json") {
            return;
        }
        let (before, known) = self.0.entry(file.clone()).or_default();
        let (gone, come) = before.difference(syntax);
        for segment in before.segments_from(gone.start).take(gone.len()) {
            known.remove(&segment.id);
        }
        for segment in syntax.segments_from(come.start).take(come.len()) {
            let of_segment = check_segment(file, &segment);
            if !of_segment.is_empty() {
                known.insert(segment.id, of_segment);
            }
        }
        *before = syntax.clone();
        found.extend(known.values().flatten().cloned());
    }
}

fn check_segment(file: &FileId, segment: &Segment<'_>) -> Vec<Diagnostic> {
    let origin = Origin {
        file: file.clone(),
        segment: segment.id,
    };
    let mut style = Style {
        origin,
        keys: HashSet::new(),
        found: Vec::new(),
    };
    walk_items(&segment.parsed.items, &mut style);
    style.found
}

struct Style {
    origin: Origin,
    /// Keys of objects, in which a template is the way to write a value.
    keys: HashSet<TextRange>,
    found: Vec<Diagnostic>,
}

impl Style {
    fn add(
        &mut self,
        severity: Severity,
        code: &'static str,
        what: &str,
        detail: &str,
        at: TextRange,
    ) {
        let at = self.origin.span(at);
        self.found.push(Diagnostic {
            severity,
            ..Diagnostic::warning(code, what, detail, at)
        });
    }

    fn object(&mut self, items: &[ObjectItem]) {
        let mut names = HashSet::new();
        for item in items {
            let (name, range) = match &item.key {
                ObjectKey::Name(name) => (Some(name.name.clone()), name.range),
                ObjectKey::Expr(key) => {
                    self.keys.insert(key.range);
                    (key.as_quoted_string(), key.range)
                }
            };
            if let Some(name) = name
                && !names.insert(name.clone())
            {
                let what = format!("the key \"{name}\" appears twice; the later value is used");
                self.add(Severity::Warning, "duplicate-object-key", &what, "", range);
            }
        }
    }
}

impl Visitor for Style {
    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::TemplateWrap(inner) if !self.keys.contains(&expr.range) => {
                // One line from quote to quote; a heredoc is no string that could just be unwrapped.
                let is_quoted = usize::from(inner.range.start() - expr.range.start()) >= 3;
                if is_quoted {
                    let what = "the string contains only this expression";
                    let detail = "\"${...}\" around a whole expression has not been needed since Terraform 0.12";
                    self.add(
                        Severity::Hint,
                        "interpolation-only",
                        what,
                        detail,
                        expr.range,
                    );
                }
            }
            ExprKind::Traversal(traversal) => self.legacy_steps(&traversal.steps),
            ExprKind::RelativeTraversal { steps, .. } => self.legacy_steps(steps),
            ExprKind::Object(items) => self.object(items),
            ExprKind::Conditional(it) => {
                let of = |expr: &Expr| match expr.kind {
                    ExprKind::Bool(value) => Some(value),
                    _ => None,
                };
                if let (Some(yes), Some(no)) = (of(&it.true_result), of(&it.false_result))
                    && yes != no
                {
                    let what = match yes {
                        true => "the conditional can be replaced by its condition",
                        false => "the conditional can be replaced by the negation of its condition",
                    };
                    self.add(
                        Severity::Hint,
                        "redundant-conditional",
                        what,
                        "",
                        expr.range,
                    );
                }
            }
            ExprKind::Binary {
                op: BinaryOp::Equal | BinaryOp::NotEqual,
                left,
                right,
                ..
            } => {
                let is_bool = |it: &Expr| matches!(it.kind, ExprKind::Bool(_));
                if is_bool(left) != is_bool(right) {
                    let what = "the comparison with true or false is redundant";
                    let detail =
                        "use the value itself or its negation, unless the value can be null";
                    self.add(
                        Severity::Hint,
                        "comparison-with-bool",
                        what,
                        detail,
                        expr.range,
                    );
                }
            }
            ExprKind::Unary {
                op: UnaryOp::Not,
                operand,
                ..
            } => {
                let inner = match &operand.kind {
                    ExprKind::Parens(inner) => inner,
                    _ => operand,
                };
                let direct = match inner.kind {
                    ExprKind::Binary {
                        op: BinaryOp::Equal,
                        ..
                    } => Some("!="),
                    ExprKind::Binary {
                        op: BinaryOp::NotEqual,
                        ..
                    } => Some("=="),
                    _ => None,
                };
                if let Some(direct) = direct {
                    let what = format!("the comparison is negated: use {direct} instead");
                    self.add(Severity::Hint, "negated-comparison", &what, "", expr.range);
                }
            }
            _ => {}
        }
    }
}

impl Style {
    fn legacy_steps(&mut self, steps: &[syntax::ast::Step]) {
        for step in steps {
            if let StepKind::LegacyIndex(index) = &step.kind {
                let what =
                    format!("an index after a dot is Terraform 0.11 syntax: write [{index}]");
                self.add(Severity::Hint, "legacy-index", &what, "", step.range);
            }
        }
    }
}
