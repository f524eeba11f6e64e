//! `resource`, `data` and `ephemeral` blocks: meta-arguments apart from the provider's arguments.

use syntax::ast::ExprKind;
use text::Diagnostic;

use super::action::action_trigger;
use crate::addr::{ResourceAddr, ResourceMode};
use crate::language_release::{self, Profile, feature};
use crate::module::{
    CheckRule, IgnoreChanges, IgnoredPath, ImportKey, Lifecycle, Repetition, Resource,
};
use crate::read::{BodySpec, PLACE, Reader, block};
use crate::refs::{self, Reference, Referenceable};
use crate::scope::{AvailableNames, FoundReferences};
use crate::source::{Attribute, Block, Body, Expr};

const META: &[&str] = &["count", "for_each", "provider", "depends_on"];

const RESOURCE: BodySpec = BodySpec {
    required: &[],
    optional: META,
    blocks: &[
        block("locals", &[]),
        block("lifecycle", &[]),
        block("connection", &[]),
        block("provisioner", &["type"]),
        block("_", &[]),
    ],
};

const DATA: BodySpec = BodySpec {
    required: &[],
    optional: META,
    blocks: &[
        block("locals", &[]),
        block("lifecycle", &[]),
        block("_", &[]),
    ],
};

const LIFECYCLE: BodySpec = BodySpec {
    required: &[],
    optional: &[
        "create_before_destroy",
        "prevent_destroy",
        "ignore_changes",
        "replace_triggered_by",
        "enabled",
        "destroy",
    ],
    blocks: &[
        block("precondition", &[]),
        block("postcondition", &[]),
        block("action_trigger", &[]),
    ],
};

/// `is_nested`: inside a `check` block, where there is no repetition and no life cycle.
pub(super) fn resource(reader: &mut Reader, block: &Block, is_nested: bool) -> Resource {
    let (mode, spec) = match block.kind().as_str() {
        "data" => (ResourceMode::Data, &DATA),
        "ephemeral" => (ResourceMode::Ephemeral, &DATA),
        _ => (ResourceMode::Managed, &RESOURCE),
    };
    let r#type = reader.label(&block.ast, 0);
    let name = reader.label(&block.ast, 1);
    let (type_summary, name_summary) = match mode {
        ResourceMode::Managed | ResourceMode::Action => {
            ("Invalid resource type name", "Invalid resource name")
        }
        ResourceMode::Data => ("Invalid data source name", "Invalid data resource name"),
        ResourceMode::Ephemeral => (
            "Invalid ephemeral resource type",
            "Invalid ephemeral resource name",
        ),
    };
    reader.check_name(&r#type, type_summary);
    reader.check_name(&name, name_summary);
    let addr = ResourceAddr::new(mode, r#type.text.clone(), name.text.clone());

    let (meta, mut body) = reader.partial_content(block, spec);
    let provider = meta.attribute("provider");
    let mut lifecycle = Lifecycle::default();
    let mut enabled = None;
    let mut provisioning = Vec::new();
    let (mut first_lifecycle, mut first_connection, mut first_escape) = (None, None, None);
    for block in &meta.blocks {
        match block.kind().as_str() {
            "lifecycle" if is_nested => reader.error(
                "unsupported-block",
                "Invalid lifecycle block",
                "Nested data blocks do not support \"lifecycle\" blocks as the lifecycle is managed by the containing block.",
                block.header_span(),
            ),
            "lifecycle" => {
                if reader.only_one(&mut first_lifecycle, block, "resource") {
                    let body = reader.content(block, &LIFECYCLE);
                    enabled = body.attribute("enabled").cloned();
                    lifecycle = read_lifecycle(reader, block, &body, &addr);
                }
            }
            "connection" => {
                if reader.only_one(&mut first_connection, block, "resource") {
                    provisioning.push(block.clone());
                }
            }
            "provisioner" => {
                super::provisioner::check_provisioner(reader, block);
                provisioning.push(block.clone());
            }
            "_" => escaping_block(reader, &mut first_escape, block, &mut body),
            kind => {
                let detail = format!(
                    "The block type name \"{kind}\" is reserved for use by Terraform in a future version."
                );
                let summary = format!("Reserved block type name in {} block", addr.mode.block_type());
                reader.error("reserved-name", &summary, detail, block.kind_span());
            }
        }
    }
    if provisioning.iter().any(super::provisioner::is_for_destroy) {
        for connection in provisioning
            .iter()
            .filter(|block| block.kind() == "connection")
        {
            super::provisioner::only_own_references(reader, &connection.body());
        }
    }
    let repetition = if is_nested {
        refuse_repetition(reader, &meta);
        Repetition::Single
    } else {
        reader.repetition(&meta, enabled.as_ref())
    };
    let mut found = FoundReferences::default();
    let depends_on = reader.depends_on(&meta, AvailableNames::default(), &mut found);
    let (provider_ref, provider_key) = match provider {
        Some(attribute) => reader.provider_instance(&attribute.ast.expr, "provider"),
        None => (None, None),
    };
    let mut resource = Resource {
        addr,
        r#type,
        name,
        repetition,
        provider: provider_ref,
        provider_key,
        provider_span: provider.map(|a| a.expr().span()),
        depends_on,
        lifecycle,
        provisioning,
        has_body: true,
        body,
        decl: found.into_decl(block),
    };
    resource_references(&mut resource);
    resource
}

/// Collects the references of the resource again, after `depends_on`, which is read with the block.
pub(crate) fn resource_references(resource: &mut Resource) {
    let mut found = FoundReferences {
        references: resource.depends_on.clone(),
        ..FoundReferences::default()
    };
    let inner = match &resource.repetition {
        Repetition::Single => AvailableNames::default(),
        Repetition::Enabled(enabled) => {
            found.expr(enabled, AvailableNames::default());
            AvailableNames::default()
        }
        Repetition::Count(count) => {
            found.expr(count, AvailableNames::default());
            AvailableNames {
                count: true,
                ..AvailableNames::default()
            }
        }
        Repetition::ForEach(for_each) => {
            found.expr(for_each, AvailableNames::default());
            AvailableNames {
                each: true,
                ..AvailableNames::default()
            }
        }
    };
    found.body(&resource.body, inner);
    if let Some(key) = resource.provider_key.as_ref().and_then(ImportKey::expr) {
        found.expr(key, inner);
    }
    for rule in &resource.lifecycle.preconditions {
        found.rule(rule, inner);
    }
    for rule in &resource.lifecycle.postconditions {
        found.rule(rule, inner.with_self());
    }
    for trigger in &resource.lifecycle.replace_triggered_by {
        found.expr(trigger, inner);
    }
    if let Some(prevent_destroy) = &resource.lifecycle.prevent_destroy {
        // The plan refuses names of an instance.
        found.expr(prevent_destroy, AvailableNames::INSTANCE);
    }
    for block in &resource.provisioning {
        let mut body = block.body();
        // Keywords, not references.
        let is_reference = |name: &str| name != "when" && name != "on_failure";
        body.attributes.retain(|a| is_reference(a.name()));
        body.members.retain(|a| is_reference(a.name()));
        found.body(&body, inner.with_self());
    }
    resource.decl.references = found.references;
    resource.decl.problems.extend(found.problems);
    resource.decl.type_problems = found.type_problems;
}

fn refuse_repetition(reader: &mut Reader, meta: &Body) {
    for name in ["count", "for_each"] {
        if let Some(attribute) = meta.attribute(name) {
            reader.error(
                "unsupported-argument",
                &format!("Invalid \"{name}\" attribute"),
                "The \"count\" and \"for_each\" meta-arguments are not supported within nested data blocks.",
                attribute.name_span(),
            );
        }
    }
}

fn escaping_block(reader: &mut Reader, first: &mut Option<Block>, block: &Block, body: &mut Body) {
    if let Some(first) = first {
        let detail = format!(
            "The special block type \"_\" can be used to force particular arguments to be interpreted as resource-type-specific rather than as meta-arguments, but each resource block can have only one such block. The first escaping block was at {PLACE}."
        );
        reader.diagnostics.push(
            Diagnostic::error(
                "duplicate-block",
                "Duplicate escaping block",
                detail,
                block.header_span(),
            )
            .with_related(first.header_span(), "first escaping block"),
        );
        return;
    }
    *first = Some(block.clone());
    body.extend(block.body());
}

fn read_lifecycle(
    reader: &mut Reader,
    block: &Block,
    body: &Body,
    addr: &ResourceAddr,
) -> Lifecycle {
    let rules = |reader: &mut Reader, kind: &str| -> Vec<CheckRule> {
        let rules: Vec<_> = body
            .blocks_of(kind)
            .map(|block| reader.check_rule(block))
            .collect();
        refuse_own_address(reader, &rules, kind, addr);
        rules
    };
    let preconditions = rules(reader, "precondition");
    let postconditions = rules(reader, "postcondition");
    let mut lifecycle = Lifecycle {
        preconditions,
        postconditions,
        span: Some(block.header_span()),
        ..Lifecycle::default()
    };
    if addr.mode != ResourceMode::Managed {
        for attribute in body.attributes.iter().filter(|a| a.name() != "enabled") {
            refuse_lifecycle_argument(reader, attribute, addr.mode, block);
        }
        return lifecycle;
    }
    // In earlier releases the block itself is the error.
    let has_actions = language_release::item("lifecycle", "action_trigger").is_in(reader.profile);
    for trigger in body.blocks_of("action_trigger").filter(|_| has_actions) {
        lifecycle
            .action_triggers
            .push(action_trigger(reader, trigger));
    }
    lifecycle.create_before_destroy = reader.optional_bool(body, "create_before_destroy");
    lifecycle.prevent_destroy = prevent_destroy(reader, body);
    if let Some(attribute) = body.attribute("destroy") {
        reader.check_since(attribute, feature::LIFECYCLE_DESTROY);
        lifecycle.destroy = destroy(reader, &attribute.expr());
    }
    if let Some(attribute) = body.attribute("ignore_changes") {
        lifecycle.ignore_changes = ignore_changes(reader, &attribute.expr());
    }
    if let Some(attribute) = body.attribute("replace_triggered_by") {
        lifecycle.replace_triggered_by = replace_triggered_by(reader, &attribute.expr());
    }
    lifecycle
}

/// A literal: `skipDestroyValueFromConstantExpression` of OpenTofu's `internal/tofu`.
fn destroy(reader: &mut Reader, expr: &Expr) -> Option<bool> {
    if let ExprKind::Bool(value) = expr.ast.unwrapped().kind {
        return Some(value);
    }
    reader.error(
        "unsuitable-value",
        "Invalid lifecycle destroy expression",
        "The lifecycle destroy expression must be a boolean constant.",
        expr.span(),
    );
    None
}

fn prevent_destroy(reader: &mut Reader, body: &Body) -> Option<Expr> {
    let expr = body.attribute("prevent_destroy")?.expr();
    match reader.profile.has(feature::DYNAMIC_PREVENT_DESTROY) {
        true => Some(expr),
        false => reader.optional_bool(body, "prevent_destroy").map(|_| expr),
    }
}

fn refuse_own_address(reader: &mut Reader, rules: &[CheckRule], kind: &str, addr: &ResourceAddr) {
    for expr in rules.iter().flat_map(CheckRule::exprs) {
        if expr
            .references()
            .iter()
            .any(|reference| reference.subject.resource() == Some(addr))
        {
            let detail = format!("Configuration for {addr} may not refer to itself.");
            let summary = format!("Invalid reference in {kind}");
            reader.error("self-reference", &summary, detail, expr.span());
        }
    }
}

fn ignore_changes(reader: &mut Reader, expr: &Expr) -> IgnoreChanges {
    if expr.ast.as_keyword().is_some_and(|name| name == "all") {
        return IgnoreChanges::All;
    }
    let mut paths = Vec::new();
    let mut wildcard = None;
    for element in reader.static_list(expr) {
        if element.as_literal_string().is_some_and(|text| text == "*") {
            reader.error(
                "invalid-ignore-changes",
                "Invalid ignore_changes wildcard",
                "The [\"*\"] form of ignore_changes wildcard is was deprecated and is now invalid. Use \"ignore_changes = all\" to ignore changes to all attributes.",
                expr.span(),
            );
            wildcard = Some(reader.span(element.range));
            continue;
        }
        if let Some(traversal) = reader.static_traversal_or_quoted(element) {
            paths.push(IgnoredPath {
                traversal,
                span: reader.span(element.range),
            });
        }
    }
    let Some(wildcard) = wildcard else {
        return IgnoreChanges::Paths(paths);
    };
    if !paths.is_empty() {
        let detail = "Cannot mix wildcard string \"*\" with non-wildcard references.";
        let summary = "Invalid ignore_changes ruleset";
        reader.error("invalid-ignore-changes", summary, detail, wildcard);
    }
    IgnoreChanges::All
}

/// Reports an argument of the `lifecycle` of a data source or of an ephemeral resource.
fn refuse_lifecycle_argument(
    reader: &mut Reader,
    attribute: &Attribute,
    mode: ResourceMode,
    lifecycle: &Block,
) {
    let name = attribute.name();
    let what = match mode {
        ResourceMode::Ephemeral => "ephemeral",
        ResourceMode::Data | ResourceMode::Managed | ResourceMode::Action => "data",
    };
    let (summary, detail, at) = match reader.profile.is_opentofu() && what == "ephemeral" {
        // `decodeEphemeralBlock` of OpenTofu's `internal/configs`.
        true => (
            "Invalid lifecycle configuration for ephemeral resource".to_owned(),
            format!(
                "The lifecycle argument \"{name}\" cannot be used in ephemeral resources. This is meant to be used strictly in \"resource\" blocks."
            ),
            lifecycle.header_span(),
        ),
        false => (
            format!("Invalid {what} resource lifecycle argument"),
            format!(
                "The lifecycle argument \"{name}\" is defined only for managed resources (\"resource\" blocks), and is not valid for {what} resources."
            ),
            attribute.name_span(),
        ),
    };
    reader.error("unsupported-argument", &summary, detail, at);
}

/// Terraform stops at the first mistake; OpenTofu reports all.
fn replace_triggered_by(reader: &mut Reader, list: &Expr) -> Vec<Expr> {
    let mut triggers = Vec::new();
    for element in reader.static_list(list) {
        let expr = Expr::new(&list.origin, element.unwrapped().into_owned().into());
        let problems = trigger_problems(&expr, reader.profile);
        if problems.is_empty() {
            triggers.push(expr);
            continue;
        }
        reader.diagnostics.extend(problems);
        if !reader.profile.is_opentofu() {
            break;
        }
    }
    triggers
}

fn trigger_problems(expr: &Expr, profile: Profile) -> Vec<Diagnostic> {
    const INVALID: &str = "Invalid replace_triggered_by expression";
    let mut found = FoundReferences::default();
    found.expr(expr, AvailableNames::INSTANCE);
    let mut problems = found.problems.into_iter();
    if let Some(unreadable) = problems.find(|it| it.code == "invalid-reference") {
        return vec![unreadable];
    }
    let references = &found.references;
    let wrong = references.iter().filter_map(|it| match &it.subject {
        Referenceable::Each(name) if name != "key" => Some((
            "Invalid each reference in replace_triggered_by expression",
            "Only each.key may be used in replace_triggered_by.",
        )),
        subject if !may_trigger(subject) => Some((
            "Invalid reference in replace_triggered_by expression",
            "Only resources, count.index, and each.key may be used in replace_triggered_by.",
        )),
        _ => None,
    });
    let many = match profile.is_opentofu() {
        true => usize::MAX,
        false => 1,
    };
    let mut problems: Vec<(&str, &str)> = wrong.take(many).collect();
    let resources = references.iter().filter_map(|it| it.subject.resource());
    match resources.count() {
        0 if !matches!(expr.ast.kind, ExprKind::Error(_)) => {
            let missing = "Missing resource reference in replace_triggered_by expression.";
            problems.push((INVALID, missing));
        }
        0 | 1 => {}
        _ => {
            let several = "Multiple resource references in replace_triggered_by expression.";
            problems.push((INVALID, several));
        }
    }
    let error =
        |(summary, detail)| Diagnostic::error("invalid-trigger", summary, detail, expr.span());
    problems.into_iter().map(error).collect()
}

fn may_trigger(subject: &Referenceable) -> bool {
    matches!(
        subject,
        Referenceable::Resource(_)
            | Referenceable::ResourceInstance(..)
            | Referenceable::Count(_)
            | Referenceable::Each(_)
    )
}

impl Reader {
    /// `count`, `for_each`, or the `enabled` of the life cycle.
    pub(super) fn repetition(&mut self, meta: &Body, enabled: Option<&Attribute>) -> Repetition {
        let count = meta.attribute("count");
        let for_each = meta.attribute("for_each");
        let has_enabled = self.profile.has(feature::ENABLED);
        let enabled_here = enabled.filter(|_| has_enabled);
        let given: Vec<&Attribute> = [count, enabled_here, for_each]
            .into_iter()
            .flatten()
            .collect();
        let place = match has_enabled {
            true => given
                .iter()
                .map(|it| it.name_span())
                .min_by_key(|it| it.range.start()),
            false => for_each.map(|it| it.name_span()),
        };
        if let (Some(place), 2..) = (place, given.len()) {
            let names: Vec<String> = given.iter().map(|it| format!("{:?}", it.name())).collect();
            let names = match &names[..] {
                [first, second, third] => format!("{first}, {second}, and {third}"),
                names => names.join(" and "),
            };
            let detail = format!(
                "The {names} meta-arguments are mutually-exclusive, only one should be used to be explicit about the number of resources to be created."
            );
            let summary = format!("Invalid combination of {names}");
            self.error("invalid-combination", &summary, detail, place);
        }
        match (for_each, count, enabled) {
            (Some(for_each), ..) => Repetition::ForEach(for_each.expr()),
            (None, Some(count), _) => Repetition::Count(count.expr()),
            (None, None, Some(enabled)) => Repetition::Enabled(enabled.expr()),
            (None, None, None) => Repetition::Single,
        }
    }

    /// `depends_on`; an element that is not a reference to a whole object is reported.
    pub(super) fn depends_on(
        &mut self,
        body: &Body,
        scope: AvailableNames,
        found: &mut FoundReferences,
    ) -> Vec<Reference> {
        let Some(attribute) = body.attribute("depends_on") else {
            return Vec::new();
        };
        let expr = attribute.expr();
        let before = found.references.len();
        for element in self.static_list(&expr) {
            let Some(traversal) = self.static_traversal_or_quoted(element) else {
                continue;
            };
            found.traversal(&expr.origin, &traversal, scope);
            if let Ok(reference) = refs::parse(&expr.origin, &traversal)
                && let (Some(first), Some(last)) =
                    (reference.remaining.first(), reference.remaining.last())
            {
                let at = self.span(first.range.cover(last.range));
                self.error(
                    "invalid-depends-on",
                    "Invalid depends_on reference",
                    "References in depends_on must be to a whole object (resource, etc), not to an attribute of an object.",
                    at,
                );
            }
        }
        found.references[before..].to_vec()
    }
}
