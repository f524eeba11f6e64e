//! Reading blocks of the language itself: which arguments and nested blocks they may have, and literal values.
//!
//! Wording follows `terraform validate` for the same mistake.

use std::sync::Arc;

use smol_str::SmolStr;
use syntax::ast::{self, ExprKind, Key, StepKind, TemplatePart};
use text::{Diagnostic, Missing, Span, Suggestion, TextRange, did_you_mean};

use crate::addr::{InstanceKey, provider_part};
use crate::body::{Body, Expected};
use crate::language_release::{self, Profile, feature};
use crate::literal::{Literal, literal};
use crate::module::{CheckRule, ImportKey, ProviderRef};
use crate::source::{Attribute, Block, Expr, Name, Origin};

/// Reads the blocks of one segment and collects their errors.
pub(crate) struct Reader {
    pub origin: Origin,
    /// Override files may leave out arguments that are required elsewhere.
    pub is_override: bool,
    pub profile: Profile,
    pub diagnostics: Vec<Diagnostic>,
}

/// The valid content of a block of the language.
pub(crate) struct BodySpec {
    pub required: &'static [&'static str],
    pub optional: &'static [&'static str],
    pub blocks: &'static [BlockSpec],
}

pub(crate) struct BlockSpec {
    pub kind: &'static str,
    pub labels: &'static [&'static str],
}

pub(crate) const fn block(kind: &'static str, labels: &'static [&'static str]) -> BlockSpec {
    BlockSpec { kind, labels }
}

/// The detail of the error where only a reference may stand. The sentence is that of `hcl.AbsTraversalForExpr`.
pub const NOT_STATIC: &str = "A single static variable reference is required: only attribute access and indexing with constant keys. No calculations, function calls, template expressions, etc are allowed here.";

pub(crate) const BAD_NAME: &str = "A name must start with a letter or underscore and may contain only letters, digits, underscores, and dashes.";

impl BodySpec {
    fn arguments(&self) -> impl Iterator<Item = &'static str> {
        self.required.iter().chain(self.optional).copied()
    }
}

pub(crate) fn variables_not_allowed(at: Span) -> Diagnostic {
    let detail = "Variables may not be used here.";
    Diagnostic::error("variables-not-allowed", "Variables not allowed", detail, at)
}

pub(crate) fn calls_not_allowed(at: Span) -> Diagnostic {
    let summary = "Function calls not allowed";
    let detail = "Functions may not be called here.";
    Diagnostic::error("calls-not-allowed", summary, detail, at)
}

impl Reader {
    pub fn error(
        &mut self,
        code: &'static str,
        summary: &str,
        detail: impl Into<String>,
        at: Span,
    ) {
        self.diagnostics
            .push(Diagnostic::error(code, summary, detail, at));
    }

    pub fn span(&self, range: TextRange) -> Span {
        self.origin.span(range)
    }

    pub fn block(&self, ast: &Arc<ast::Block>) -> Block {
        Block {
            origin: self.origin.clone(),
            ast: ast.clone(),
        }
    }

    /// All of the block's content must be known to `spec`. Answers the blocks with fitting labels.
    pub fn content(&mut self, block: &Block, spec: &BodySpec) -> Body {
        let (known, rest) = self.partial_content(block, spec);
        self.refuse(&rest, &known, spec);
        known
    }

    /// Splits the block's content into the part that `spec` knows and the rest.
    pub fn partial_content(&mut self, block: &Block, spec: &BodySpec) -> (Body, Body) {
        let expected = |name: &str| {
            let block = || spec.blocks.iter().find(|block| block.kind == name);
            match spec.arguments().any(|argument| argument == name) {
                true => Some(Expected::Attribute),
                false => block().map(|block| Expected::Block(block.labels)),
            }
        };
        let body = block.body();
        let (body, diagnostics) = body.content(&expected);
        self.diagnostics.extend(diagnostics);
        let mut known = body.into_owned();
        let mut rest = known.clone();
        known.members.clear();
        known
            .attributes
            .retain(|a| spec.arguments().any(|name| name == a.name()));
        rest.attributes
            .retain(|a| spec.arguments().all(|name| name != a.name()));
        let find = |b: &Block| spec.blocks.iter().find(|spec| spec.kind == b.kind());
        rest.blocks.retain(|b| find(b).is_none());
        if !self.is_override {
            for name in spec.required {
                if known.attribute(name).is_none() {
                    self.missing_argument(name, known.missing_item.clone());
                }
            }
        }
        known
            .blocks
            .retain(|b| find(b).is_some_and(|spec| self.check_labels(&b.ast, spec)));
        self.check_profile(block.kind(), &known);
        (known, rest)
    }

    /// Reports arguments that the profile lacks. They take effect all the same, so that nothing else is reported for them.
    fn check_profile(&mut self, kind: &str, body: &Body) {
        for attribute in &body.attributes {
            self.check_since(attribute, language_release::item(kind, attribute.name()));
        }
        for block in &body.blocks {
            self.check_block(kind, block.kind(), block.kind_span());
        }
    }

    /// Reports a block outside of all others if the profile has not got it.
    pub fn check_root_block(&mut self, block: &ast::Block) {
        let at = self.span(block.kind.range);
        self.check_block("", &block.kind.name, at);
    }

    fn check_block(&mut self, parent: &str, kind: &str, at: Span) {
        if let Some(why) = language_release::item(parent, kind).missing_in(self.profile) {
            let detail = format!("Blocks of type \"{kind}\" are not expected here: it {why}.");
            self.error("unsupported-block", "Unsupported block type", detail, at);
        }
    }

    /// Reports an argument that the profile has not got.
    pub fn check_since(&mut self, attribute: &Attribute, since: language_release::Since) {
        if let Some(why) = since.missing_in(self.profile) {
            let name = attribute.name();
            let detail = format!("An argument named \"{name}\" is not expected here: it {why}.");
            let at = attribute.name_span();
            self.error("unsupported-argument", "Unsupported argument", detail, at);
        }
    }

    pub fn missing_argument(&mut self, name: &str, at: Span) {
        let detail = format!("The argument \"{name}\" is required, but no definition was found.");
        let missing =
            Diagnostic::error("missing-argument", "Missing required argument", detail, at);
        self.diagnostics
            .push(missing.with_fault(Missing::Argument(name.to_owned())));
    }

    fn refuse(&mut self, rest: &Body, known: &Body, spec: &BodySpec) {
        for attribute in &rest.attributes {
            let name = attribute.name();
            let missing = spec
                .arguments()
                .filter(|name| known.attribute(name).is_none());
            let meant = did_you_mean(name, missing);
            let hint = match spec.blocks.iter().any(|block| block.kind == name) {
                true if meant.is_none() => {
                    format!(" Did you mean to define a block of type \"{name}\"?")
                }
                _ => meant.to_string(),
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
        for member in &rest.members {
            let name = member.name();
            let missing = spec
                .arguments()
                .filter(|name| known.attribute(name).is_none());
            let blocks = spec.blocks.iter().map(|block| block.kind);
            self.unexpected_member(name, missing.chain(blocks), member.name_span());
        }
        for block in &rest.blocks {
            let kind = block.kind();
            let meant = did_you_mean(kind, spec.blocks.iter().map(|block| block.kind));
            let hint = match spec.arguments().any(|name| name == kind) {
                true if meant.is_none() => format!(
                    " Did you mean to define argument \"{kind}\"? If so, use the equals sign to assign it a value."
                ),
                _ => meant.to_string(),
            };
            self.unsupported_block(kind, meant, &hint, block.kind_span());
        }
    }

    pub fn unexpected_member<'n>(
        &mut self,
        name: &str,
        expected: impl Iterator<Item = &'n str>,
        at: Span,
    ) {
        let hint = did_you_mean(name, expected);
        let detail = format!("No argument or block type is named \"{name}\".{hint}");
        let summary = "Extraneous JSON object property";
        let unexpected = Diagnostic::error("unexpected-property", summary, detail, at);
        self.diagnostics.push(unexpected.with_fault(hint));
    }

    /// The arguments of a body that has nothing else.
    pub fn just_attributes(&mut self, body: &Body) -> Vec<Attribute> {
        for block in &body.blocks {
            let summary = format!("Unexpected \"{}\" block", block.kind());
            let detail = "Blocks are not allowed here.";
            self.error("unsupported-block", &summary, detail, block.kind_span());
        }
        let (body, diagnostics) = body.just_attributes();
        self.diagnostics.extend(diagnostics);
        body.into_owned().attributes
    }

    /// `hint` says more, or which block was perhaps meant.
    pub fn unsupported_block(&mut self, kind: &str, meant: Suggestion<'_>, hint: &str, at: Span) {
        let detail = format!("Blocks of type \"{kind}\" are not expected here.{hint}");
        let unsupported =
            Diagnostic::error("unsupported-block", "Unsupported block type", detail, at);
        self.diagnostics.push(unsupported.with_fault(meant));
    }

    /// Whether the block has as many labels as it must have.
    pub fn check_labels(&mut self, block: &ast::Block, spec: &BlockSpec) -> bool {
        let (kind, count) = (spec.kind, spec.labels.len());
        let names = spec.labels.join(", ");
        if let Some(extra) = block.labels.get(count) {
            let detail = if count == 0 {
                format!("No labels are expected for {kind} blocks.")
            } else {
                format!("Only {count} labels ({names}) are expected for {kind} blocks.")
            };
            let at = self.span(extra.range);
            self.error(
                "extraneous-label",
                &format!("Extraneous label for {kind}"),
                detail,
                at,
            );
            return false;
        }
        if let Some(missing) = spec.labels.get(block.labels.len()) {
            let detail = format!("All {kind} blocks must have {count} labels ({names}).");
            let at = self.span(block.open_brace.unwrap_or(block.header_range));
            self.error(
                "missing-label",
                &format!("Missing {missing} for {kind}"),
                detail,
                at,
            );
            return false;
        }
        true
    }

    pub fn check_name(&mut self, name: &Name, summary: &str) {
        if !is_identifier(&name.text) {
            self.error("invalid-name", summary, BAD_NAME, name.span.clone());
        }
    }

    pub fn check_local_name(&mut self, name: &str, at: Span) {
        let detail = match provider_part(name) {
            Ok(normal) if normal == name => return,
            Ok(normal) => format!(
                "Provider names must be normalized. Replace \"{name}\" with \"{normal}\" to fix this error."
            ),
            Err(why) => format!("{name} is an invalid provider local name: {why}"),
        };
        self.error("invalid-name", "Invalid provider local name", detail, at);
    }

    pub fn label(&self, block: &ast::Block, index: usize) -> Name {
        match block.labels.get(index) {
            Some(label) => Name {
                text: label.text.clone(),
                span: self.span(label.range),
            },
            None => Name {
                text: SmolStr::default(),
                span: self.span(block.header_range),
            },
        }
    }

    /// Reports the second and every further block; `what` names their owner.
    pub fn only_one(&mut self, first: &mut Option<Block>, block: &Block, what: &str) -> bool {
        let Some(first) = first else {
            *first = Some(block.clone());
            return true;
        };
        let kind = block.kind();
        let detail = format!("This {what} already has a {kind} block at {PLACE}.");
        let summary = format!("Duplicate {kind} block");
        self.diagnostics.push(
            Diagnostic::error("duplicate-block", summary, detail, block.header_span())
                .with_related(first.header_span(), "first block"),
        );
        false
    }

    pub fn optional_bool(&mut self, body: &Body, name: &str) -> Option<bool> {
        let expr = body.attribute(name)?.expr();
        match literal(&expr.ast) {
            Literal::Bool(value) => Some(value),
            Literal::String(text) => match text.as_str() {
                "true" | "1" => Some(true),
                "false" | "0" => Some(false),
                _ => self.unsuitable(&expr, "a bool is required"),
            },
            Literal::Number(_) | Literal::Other => self.unsuitable(&expr, "bool required"),
            Literal::Null => self.unsuitable(&expr, "null value is not allowed"),
            Literal::Variables(root) => self.variables_not_allowed(&expr, root),
            Literal::Call => self.calls_not_allowed(&expr),
            Literal::Calculated => None,
        }
    }

    pub fn optional_string(&mut self, body: &Body, name: &str) -> Option<SmolStr> {
        let expr = body.attribute(name)?.expr();
        match literal(&expr.ast) {
            Literal::String(text) | Literal::Number(text) => Some(text),
            Literal::Bool(value) => Some(if value { "true" } else { "false" }.into()),
            Literal::Other => self.unsuitable(&expr, "string required"),
            Literal::Null => self.unsuitable(&expr, "null value is not allowed"),
            Literal::Variables(root) => self.variables_not_allowed(&expr, root),
            Literal::Call => self.calls_not_allowed(&expr),
            Literal::Calculated => None,
        }
    }

    fn unsuitable<T>(&mut self, expr: &Expr, why: &str) -> Option<T> {
        let detail = format!("Unsuitable value: {why}");
        let at = self.span(start(&expr.ast));
        self.error("unsuitable-value", "Unsuitable value type", detail, at);
        None
    }

    fn variables_not_allowed<T>(&mut self, expr: &Expr, root: TextRange) -> Option<T> {
        self.refuse_variables(expr.origin.span(root));
        self.unknown(expr)
    }

    fn calls_not_allowed<T>(&mut self, expr: &Expr) -> Option<T> {
        self.refuse_call(expr.span());
        self.unknown(expr)
    }

    /// OpenTofu's version of HCL says nothing more.
    fn unknown<T>(&mut self, expr: &Expr) -> Option<T> {
        match self.profile.is_opentofu() {
            true => None,
            false => self.unsuitable(expr, "value must be known"),
        }
    }

    pub fn refuse_variables(&mut self, at: Span) {
        self.diagnostics.push(variables_not_allowed(at));
    }

    pub fn refuse_call(&mut self, at: Span) {
        self.diagnostics.push(calls_not_allowed(at));
    }

    /// The elements of a list that is written as one.
    pub fn static_list<'a>(&mut self, expr: &'a Expr) -> &'a [ast::Expr] {
        match &expr.ast.kind {
            ExprKind::Tuple(elements) => elements,
            ExprKind::Error(_) => &[],
            _ => {
                let at = self.span(start(&expr.ast));
                let detail = "A static list expression is required.";
                self.error("invalid-expression", "Invalid expression", detail, at);
                &[]
            }
        }
    }

    /// A reference that is fully known without evaluation; also in quotes, as of old.
    pub fn static_traversal_or_quoted(&mut self, expr: &ast::Expr) -> Option<ast::Traversal> {
        match self.quoted_traversal(expr) {
            Some(traversal) => Some(traversal),
            None => self.static_traversal(expr),
        }
    }

    /// A reference that is fully known without evaluation.
    pub fn static_traversal(&mut self, expr: &ast::Expr) -> Option<ast::Traversal> {
        if let ExprKind::Error(_) = expr.kind {
            return None;
        }
        if let Some(traversal) = expr.as_traversal() {
            return Some(traversal.into_owned());
        }
        self.error(
            "invalid-expression",
            "Invalid expression",
            NOT_STATIC,
            self.span(expr.range),
        );
        None
    }

    fn quoted_traversal(&mut self, expr: &ast::Expr) -> Option<ast::Traversal> {
        let text = expr.as_quoted_string()?;
        let parsed = syntax::parse_traversal_abs(&text);
        let mut traversal = parsed.tree.filter(|_| parsed.errors.is_empty())?;
        // The steps are as good as the whole string: an escape may have moved them.
        traversal.root.range = expr.range;
        traversal
            .steps
            .iter_mut()
            .for_each(|step| step.range = expr.range);
        self.diagnostics.push(Diagnostic::warning(
            "quoted-reference",
            "Quoted references are deprecated",
            "In this context, references are expected literally rather than in quotes. Terraform 0.11 and earlier required quotes, but quoted references are now deprecated and will be removed in a future version of Terraform. Remove the quotes surrounding this reference to silence this warning.",
            self.span(expr.range),
        ));
        Some(traversal)
    }

    /// `aws` or `aws.east`, in the argument called `argument`.
    pub fn provider_ref(&mut self, expr: &ast::Expr, argument: &str) -> Option<ProviderRef> {
        if let ExprKind::Error(_) = expr.kind {
            return None;
        }
        let traversal = match expr.as_traversal() {
            Some(traversal) => Some(traversal.into_owned()),
            None => self.quoted_traversal(expr),
        };
        if let Some(traversal) = &traversal {
            self.check_local_name(&traversal.root.name, self.span(traversal.root.range));
        }
        let found = traversal.and_then(|traversal| match traversal.steps.as_slice() {
            [] => Some(ProviderRef {
                name: traversal.root.name,
                alias: None,
            }),
            [
                ast::Step {
                    kind: StepKind::Attr(alias),
                    ..
                },
            ] => Some(ProviderRef {
                name: traversal.root.name,
                alias: Some(alias.name.clone()),
            }),
            _ => None,
        });
        if found.is_none() {
            let detail = format!(
                "The {argument} argument requires a provider type name, optionally followed by a period and then a configuration alias."
            );
            let at = self.span(expr.range);
            self.error(
                "invalid-provider-reference",
                "Invalid provider configuration reference",
                detail,
                at,
            );
        }
        found
    }

    /// A provider configuration, or one of those that it has with `for_each`: `aws.by_region["eu"]`.
    pub fn provider_instance(
        &mut self,
        expr: &ast::Expr,
        argument: &str,
    ) -> (Option<ProviderRef>, Option<ImportKey>) {
        if !self.profile.has(feature::PROVIDER_FOR_EACH) {
            return (self.provider_ref(expr, argument), None);
        }
        // A text of JSON syntax holds the reference itself, not a template of it.
        let is_template =
            matches!(&expr.kind, ExprKind::Json(string) if string.value().contains("${"));
        let unwrapped = expr.unwrapped();
        let expr = if is_template { expr } else { &*unwrapped };
        match &expr.kind {
            ExprKind::Index { collection, key } => {
                let key = Expr::new(&self.origin, Arc::new(ast::Expr::clone(key)));
                let key = Some(ImportKey::Expr(key));
                (self.provider_ref(collection, argument), key)
            }
            ExprKind::Traversal(traversal) => match traversal.steps.as_slice() {
                [
                    ast::Step {
                        kind: StepKind::Attr(alias),
                        ..
                    },
                    ast::Step {
                        kind: StepKind::Index(Key::String(key) | Key::Number(key)),
                        ..
                    },
                ] => {
                    let (name, at) = (&traversal.root.name, traversal.root.range);
                    self.check_local_name(name, self.span(at));
                    let provider = ProviderRef {
                        name: name.clone(),
                        alias: Some(alias.name.clone()),
                    };
                    let key = ImportKey::Static(InstanceKey::String(key.clone()));
                    (Some(provider), Some(key))
                }
                _ => (self.provider_ref(expr, argument), None),
            },
            _ => (self.provider_ref(expr, argument), None),
        }
    }

    /// A block with `condition` and `error_message`.
    pub fn check_rule(&mut self, block: &Block) -> CheckRule {
        if self.is_override {
            let kind = block.kind();
            self.error(
                "unsupported-block",
                &format!("Can't override {kind} blocks"),
                format!("Override files cannot override {:?} blocks.", kind.as_str()),
                block.header_span(),
            );
            return CheckRule {
                condition: None,
                error_message: None,
                span: block.header_span(),
            };
        }
        let body = self.content(block, &CHECK_RULE);
        let condition = body.attribute("condition").map(Attribute::expr);
        if let Some(condition) = &condition
            && !crate::refs::has_variables(&condition.ast)
            && !matches!(condition.ast.kind, ExprKind::Error(_))
        {
            self.error(
                "invalid-condition",
                &format!("Invalid {} expression", block.kind()),
                "The condition expression must refer to at least one object from elsewhere in the configuration, or else its result would not be checking anything.",
                condition.span(),
            );
        }
        CheckRule {
            condition,
            error_message: body.attribute("error_message").map(Attribute::expr),
            span: block.header_span(),
        }
    }
}

const CHECK_RULE: BodySpec = BodySpec {
    required: &["condition", "error_message"],
    optional: &[],
    blocks: &[],
};

/// Stands in a diagnostic's detail for the place of a related span, until the module is complete and lines can be
/// counted. The first mark is the first span.
pub(crate) const PLACE: &str = "\u{fffc}";

/// Where HCL reports an expression as a whole: brackets by their first character, strings by their first part.
pub(crate) fn start(expr: &ast::Expr) -> TextRange {
    match &expr.kind {
        ExprKind::Template(template) => match template.parts.first() {
            Some(TemplatePart::Literal(_, range)) => *range,
            Some(TemplatePart::Interpolation(inner)) => start(inner),
            Some(TemplatePart::If(_) | TemplatePart::For(_)) | None => expr.range,
        },
        ExprKind::TemplateWrap(inner) => start(inner),
        ExprKind::Call(call) => call.name_range.cover(call.open_paren),
        ExprKind::Tuple(_) | ExprKind::Object(_) | ExprKind::For(_) | ExprKind::Parens(_) => {
            TextRange::at(expr.range.start(), 1.into())
        }
        _ => expr.range,
    }
}

/// Whether a name can stand unquoted.
pub fn is_identifier(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && chars.all(|c| c.is_alphanumeric() || c == '_' || c == '-')
}
