//! `variable`, `locals`, `output` and `check` blocks.

use std::sync::Arc;

use smol_str::SmolStr;
use syntax::ast::{self, ExprKind};
use text::{Diagnostic, Severity};

use crate::addr::ResourceAddr;
use crate::language_release::{self, feature};
use crate::module::{Check, CheckRule, Deprecation, Local, Output, Resource, Variable};
use crate::read::{BodySpec, PLACE, Reader, block};
use crate::refs::{Referenceable, references};
use crate::scope::{AvailableNames, FoundReferences};
use crate::source::{Attribute, Block, Body, Expr, Name};

const VARIABLE: BodySpec = BodySpec {
    required: &[],
    optional: &[
        "description",
        "default",
        "type",
        "sensitive",
        "ephemeral",
        "nullable",
        "const",
        "deprecated",
    ],
    blocks: &[block("validation", &[])],
};

/// Names that a `module` block could not pass a value to.
const RESERVED_VARIABLES: &[&str] = &[
    "source",
    "version",
    "providers",
    "count",
    "for_each",
    "lifecycle",
    "depends_on",
    "locals",
];

pub(super) fn variable(reader: &mut Reader, block: &Block) -> Variable {
    let name = reader.label(&block.ast, 0);
    reader.check_name(&name, "Invalid variable name");
    if RESERVED_VARIABLES.contains(&name.text.as_str()) {
        let detail = format!(
            "The variable name \"{}\" is reserved due to its special meaning inside module blocks.",
            name.text
        );
        reader.error(
            "invalid-name",
            "Invalid variable name",
            detail,
            name.span.clone(),
        );
    }
    let body = reader.content(block, &VARIABLE);
    let mut found = FoundReferences::default();
    let validations: Vec<_> = body
        .blocks
        .iter()
        .map(|block| reader.check_rule(block))
        .collect();
    for rule in &validations {
        found.rule(rule, AvailableNames::default());
        let Some(condition) = &rule.condition else {
            continue;
        };
        let refers_to_itself = references(&condition.origin, &condition.ast)
            .iter()
            .any(|reference| reference.subject == Referenceable::Var(name.text.clone()));
        if !refers_to_itself {
            let detail = format!(
                "The condition for variable \"{0}\" must refer to var.{0} in order to test incoming values.",
                name.text
            );
            let at = condition.span();
            reader.error(
                "invalid-condition",
                "Invalid variable validation condition",
                detail,
                at,
            );
        }
    }
    let default = body.attribute("default").map(Attribute::expr);
    // In JSON syntax it is not evaluated, so it refers to nothing.
    let is_native = block.ast.body.members.is_none();
    let r#type = body.attribute("type").map(Attribute::expr);
    let own = default.iter().map(|it| (&it.origin, &*it.ast));
    let own = own.filter(|_| is_native);
    let of_attributes = r#type.iter().flat_map(|it| {
        let defaults = attribute_defaults(&it.ast).into_iter();
        defaults.map(|default| (&it.origin, default))
    });
    for (origin, default) in own.chain(of_attributes) {
        crate::refs::each_traversal(default, &mut |traversal| {
            let at = origin.span(traversal.root.range);
            let detail = "Variables may not be used here.";
            reader.error("variables-not-allowed", "Variables not allowed", detail, at);
        });
    }
    let mut flag = |name: &str| reader.optional_bool(&body, name);
    let (sensitive, ephemeral) = (
        flag("sensitive") == Some(true),
        flag("ephemeral") == Some(true),
    );
    let (nullable, is_const) = (flag("nullable") != Some(false), flag("const"));
    let is_static = reader.profile.has(feature::STATIC_EVALUATION);
    if is_const == Some(true) && is_static && !reader.profile.is_opentofu() {
        let refused = [
            (sensitive, "sensitive", "Const variable cannot be sensitive"),
            (ephemeral, "ephemeral", "Const variable cannot be ephemeral"),
        ];
        for (_, other, summary) in refused.into_iter().filter(|(is_set, ..)| *is_set) {
            reader.error(
                "unsupported-argument",
                summary,
                format!(
                    "A variable that is marked as \"const\" cannot also be marked as \"{other}\"."
                ),
                block.kind_span(),
            );
        }
    }
    Variable {
        overridden: None,
        r#type,
        default,
        description: reader.optional_string(&body, "description"),
        sensitive,
        ephemeral,
        nullable,
        is_const,
        deprecated: deprecation(reader, &body, Some(&name)),
        given: given(&body),
        validations,
        decl: found.into_decl(block),
        name,
    }
}

/// The defaults of the optional attributes in a type constraint.
fn attribute_defaults(constraint: &ast::Expr) -> Vec<&ast::Expr> {
    match &constraint.kind {
        ExprKind::Call(call) if call.name == "optional" => {
            let of_type = call.args.first().into_iter();
            let of_type = of_type.flat_map(attribute_defaults);
            of_type.chain(call.args.get(1)).collect()
        }
        ExprKind::Call(call) => call.args.iter().flat_map(attribute_defaults).collect(),
        ExprKind::Tuple(items) => items.iter().flat_map(attribute_defaults).collect(),
        ExprKind::Object(items) => {
            let types = items.iter().map(|item| &item.value);
            types.flat_map(attribute_defaults).collect()
        }
        _ => Vec::new(),
    }
}

/// OpenTofu refuses one without a message: of a variable at its name. Nothing is read before the release that has it.
fn deprecation(reader: &mut Reader, body: &Body, variable: Option<&Name>) -> Option<Deprecation> {
    let kind = variable.map_or("output", |_| "variable");
    if !language_release::item(kind, "deprecated").is_in(reader.profile) {
        return None;
    }
    let message = reader.optional_string(body, "deprecated")?;
    let attribute = body.attribute("deprecated")?;
    let span = attribute.span();
    if reader.profile.is_opentofu() && message.trim().is_empty() {
        let (summary, what, at) = match variable {
            Some(name) => ("value", "variable", name.span.clone()),
            None => ("attribute", "output value", attribute.expr().span()),
        };
        let detail = format!(
            "The \"deprecated\" argument must not be empty, and should provide instructions on how to migrate away from usage of this deprecated {what}."
        );
        let summary = format!("Invalid `deprecated` {summary}");
        reader.error("unsuitable-value", &summary, detail, at);
    }
    Some(Deprecation { message, span })
}

fn given(body: &Body) -> Vec<SmolStr> {
    body.attributes
        .iter()
        .map(|attribute| attribute.name().clone())
        .collect()
}

pub(super) fn locals(reader: &mut Reader, block: &Block) -> Vec<Local> {
    let attributes = reader.just_attributes(&block.body());
    let declare = |attribute: &Attribute| {
        let value = attribute.expr();
        let mut found = FoundReferences::default();
        found.expr(&value, AvailableNames::default());
        let name = Name {
            text: attribute.name().clone(),
            span: attribute.name_span(),
        };
        reader.check_name(&name, "Invalid local value name");
        Local {
            name,
            value,
            decl: found.into_decl_at(attribute.name_span(), attribute.span()),
        }
    };
    attributes.iter().map(declare).collect()
}

const OUTPUT: BodySpec = BodySpec {
    required: &["value"],
    optional: &[
        "description",
        "depends_on",
        "sensitive",
        "ephemeral",
        "deprecated",
        "type",
    ],
    blocks: &[block("precondition", &[]), block("postcondition", &[])],
};

pub(super) fn output(reader: &mut Reader, block: &Block) -> Output {
    let name = reader.label(&block.ast, 0);
    reader.check_name(&name, "Invalid output name");
    let body = reader.content(block, &OUTPUT);
    for block in body.blocks_of("postcondition") {
        reader.error(
            "unsupported-block",
            "Postconditions are not allowed",
            "Output values can only have preconditions, not postconditions.",
            block.kind_span(),
        );
    }
    let value = body.attribute("value").map(Attribute::expr);
    let preconditions: Vec<_> = body
        .blocks_of("precondition")
        .map(|block| reader.check_rule(block))
        .collect();
    let mut found = FoundReferences::default();
    of_output(value.as_ref(), &preconditions, &mut found);
    Output {
        value,
        description: reader.optional_string(&body, "description"),
        sensitive: reader.optional_bool(&body, "sensitive").unwrap_or(false),
        ephemeral: reader.optional_bool(&body, "ephemeral").unwrap_or(false),
        r#type: body.attribute("type").map(Attribute::expr),
        deprecated: deprecation(reader, &body, None),
        given: given(&body),
        depends_on: reader.depends_on(&body, AvailableNames::default(), &mut found),
        preconditions,
        decl: found.into_decl(block),
        name,
    }
}

/// Collects the references of an output again. An override file replaces its value, and keeps its preconditions.
pub(crate) fn output_references(output: &mut Output) {
    let mut found = FoundReferences {
        references: output.depends_on.clone(),
        ..FoundReferences::default()
    };
    of_output(output.value.as_ref(), &output.preconditions, &mut found);
    let decl = &output.decl;
    output.decl = found.into_decl_at(decl.span.clone(), decl.full_span.clone());
}

/// Adds the references of a value and its preconditions.
fn of_output(value: Option<&Expr>, preconditions: &[CheckRule], found: &mut FoundReferences) {
    if let Some(value) = value {
        found.expr(value, AvailableNames::default());
    }
    for rule in preconditions {
        found.rule(rule, AvailableNames::default());
    }
}

const CHECK: BodySpec = BodySpec {
    required: &[],
    optional: &[],
    blocks: &[block("data", &["type", "name"]), block("assert", &[])],
};

/// Whether the rule is about one of these resources.
fn refers_to(rule: &CheckRule, resources: &[ResourceAddr]) -> bool {
    let exprs = rule.exprs();
    let mut references = exprs.flat_map(Expr::references);
    references.any(|it| {
        it.subject
            .resource()
            .is_some_and(|addr| resources.contains(addr))
    })
}

pub(super) fn check(reader: &mut Reader, block: &Block) -> Check {
    let name = reader.label(&block.ast, 0);
    reader.check_name(&name, "Invalid check block name");
    let body = reader.content(block, &CHECK);
    let mut found = FoundReferences::default();
    let (mut data, mut passed_over) = (None, Vec::new());
    let mut first: Option<Block> = None;
    for block in body.blocks_of("data") {
        if let Some(first) = &first {
            let detail =
                format!("This check block already has a data resource defined at {PLACE}.");
            let summary = "Multiple data resource blocks";
            reader.diagnostics.push(
                Diagnostic::error("duplicate-block", summary, detail, block.header_span())
                    .with_related(first.header_span(), "first data resource"),
            );
            continue;
        }
        let before = reader.diagnostics.len();
        let read = Arc::new(super::resource::resource(reader, block, true));
        passed_over.extend(data.replace(read).map(|it: Arc<Resource>| it.addr.clone()));
        // One that is wrong is passed over (`decodeCheckBlock` of OpenTofu's `internal/configs`).
        let is_error = |it: &Diagnostic| it.severity == Severity::Error;
        if !reader.diagnostics[before..].iter().any(is_error) {
            first = Some(block.clone());
        }
    }
    let mut asserts = Vec::new();
    let mut is_any_valid = false;
    for block in body.blocks_of("assert") {
        let before = reader.diagnostics.len();
        let rule = reader.check_rule(block);
        is_any_valid |= reader.diagnostics.len() == before;
        if !refers_to(&rule, &passed_over) {
            asserts.push(rule);
        }
    }
    asserts
        .iter()
        .for_each(|rule| found.rule(rule, AvailableNames::default()));
    if !is_any_valid && !reader.is_override {
        reader.error(
            "missing-block",
            "Zero assert blocks",
            "Check blocks must have at least one assert block.",
            block.header_span(),
        );
    }
    Check {
        name,
        data,
        asserts,
        decl: found.into_decl(block),
    }
}
