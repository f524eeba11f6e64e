//! `terraform` and `provider` blocks.

use std::sync::Arc;

use smol_str::SmolStr;
use syntax::ast::{self, ExprKind, ObjectKey};
use text::{Diagnostic, Span};

use crate::addr::ProviderAddr;
use crate::files::is_named_for_opentofu;
use crate::language_release::feature;
use crate::literal::{Literal, literal};
use crate::module::{
    Backend, Encryption, Provider, ProviderMeta, ProviderRef, ProviderRequirement,
};
use crate::read::{BAD_NAME, BodySpec, Reader, block, is_identifier};
use crate::scope::{AvailableNames, FoundReferences};
use crate::source::{Attribute, Block, Expr, Name};

/// One `terraform` block.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Settings {
    pub required_version: Option<Attribute>,
    /// The requirement of a `language` block for OpenTofu.
    pub compatible_with: Option<Attribute>,
    pub required_providers: Vec<RequiredProviders>,
    /// `backend` and `cloud` blocks.
    pub backends: Vec<Arc<Backend>>,
    pub encryptions: Vec<Arc<Encryption>>,
    pub provider_metas: Vec<Arc<ProviderMeta>>,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct RequiredProviders {
    pub requirements: Vec<Arc<ProviderRequirement>>,
    pub span: Span,
}

const TERRAFORM: BodySpec = BodySpec {
    required: &[],
    optional: &["required_version", "experiments", "language"],
    blocks: &[
        block("backend", &["type"]),
        block("cloud", &[]),
        block("required_providers", &[]),
        block("provider_meta", &["provider"]),
        block("encryption", &[]),
    ],
};

pub(super) fn settings(reader: &mut Reader, block: &Block) -> Settings {
    let body = reader.content(block, &TERRAFORM);
    let required_version = body.attribute("required_version").cloned();
    let is_for_terraform = reader.profile.has(feature::OWN_REQUIRED_VERSION)
        && !is_named_for_opentofu(block.origin.file.name());
    if let Some(required) = &required_version
        && !is_for_terraform
    {
        version_constraint(reader, &required.ast.expr);
    }
    let mut settings = Settings {
        required_version,
        compatible_with: None,
        required_providers: Vec::new(),
        backends: Vec::new(),
        encryptions: Vec::new(),
        provider_metas: Vec::new(),
    };
    // OpenTofu passes over Terraform's experiments.
    let experiments = body.attribute("experiments");
    if let Some(experiments) =
        experiments.filter(|_| !reader.profile.has(feature::OWN_REQUIRED_VERSION))
    {
        reader.error(
            "experiments",
            "Module uses experimental features",
            "Experimental features are intended only for gathering early feedback on new language designs, and so are available only in alpha releases of Terraform.",
            experiments.name_span(),
        );
    }
    // Terraform's backends may refer to nothing.
    let profile = reader.profile;
    let is_evaluated = profile.is_opentofu() && profile.has(feature::STATIC_EVALUATION);
    for block in &body.blocks {
        let mut found = FoundReferences::default();
        if is_evaluated && matches!(block.kind().as_str(), "backend" | "cloud") {
            found.body(&block.body(), AvailableNames::default());
        }
        let decl = found.into_decl(block);
        match block.kind().as_str() {
            "backend" => {
                let r#type = reader.label(&block.ast, 0).text;
                settings.backends.push(Arc::new(Backend {
                    r#type,
                    body: block.body(),
                    decl,
                }));
            }
            "cloud" => {
                let r#type = "cloud".into();
                settings.backends.push(Arc::new(Backend {
                    r#type,
                    body: block.body(),
                    decl,
                }));
            }
            "encryption" => settings.encryptions.push(Arc::new(Encryption {
                body: block.body(),
                decl,
            })),
            "required_providers" => {
                let requirements = reader.just_attributes(&block.body());
                settings.required_providers.push(RequiredProviders {
                    requirements: requirements
                        .iter()
                        .filter_map(|attribute| requirement(reader, attribute))
                        .map(Arc::new)
                        .collect(),
                    span: block.header_span(),
                });
            }
            _ => {
                let provider = reader.label(&block.ast, 0);
                reader.check_local_name(&provider.text, block.header_span());
                let meta = ProviderMeta {
                    provider,
                    body: block.body(),
                    decl,
                };
                for attribute in reader.just_attributes(&block.body()) {
                    let expr = attribute.expr();
                    match literal(&expr.ast) {
                        Literal::Variables(root) => reader.refuse_variables(expr.origin.span(root)),
                        Literal::Call => reader.refuse_call(expr.span()),
                        _ => {}
                    }
                }
                settings.provider_metas.push(Arc::new(meta));
            }
        }
    }
    settings
}

const LANGUAGE: BodySpec = BodySpec {
    required: &[],
    optional: &["edition", "experiments"],
    blocks: &[block("compatible_with", &[])],
};

/// OpenTofu's `language` block; of `compatible_with` its own argument alone counts.
pub(super) fn language(reader: &mut Reader, block: &Block) -> Settings {
    let body = reader.content(block, &LANGUAGE);
    let compatible_with = body
        .blocks
        .iter()
        .find_map(|block| block.body().attribute("opentofu").cloned());
    if let Some(compatible) = &compatible_with {
        version_constraint(reader, &compatible.ast.expr);
    }
    Settings {
        required_version: None,
        compatible_with,
        required_providers: Vec::new(),
        backends: Vec::new(),
        encryptions: Vec::new(),
        provider_metas: Vec::new(),
    }
}

/// `name = { source = "...", version = "..." }`, or of old only the version.
fn requirement(reader: &mut Reader, attribute: &Attribute) -> Option<ProviderRequirement> {
    let expr = &attribute.ast.expr;
    let name = Name {
        text: attribute.name().clone(),
        span: attribute.name_span(),
    };
    reader.check_local_name(&name.text, reader.span(expr.range));
    let mut requirement = ProviderRequirement {
        name,
        source: None,
        version: None,
        configuration_aliases: Vec::new(),
        span: attribute.span(),
    };
    match (&expr.kind, literal(expr)) {
        (ExprKind::Error(_), _) => return None,
        (ExprKind::Object(items), _) => {
            for item in items {
                requirement_item(reader, &mut requirement, item);
            }
        }
        (_, Literal::String(_)) => requirement.version = version_constraint(reader, expr),
        (_, Literal::Number(version)) => requirement.version = Some(version),
        _ => {
            let detail = "required_providers entries must be strings or objects.";
            let at = reader.span(expr.range);
            reader.error(
                "invalid-required-providers",
                "Invalid required_providers object",
                detail,
                at,
            );
            return None;
        }
    }
    Some(requirement)
}

fn requirement_item(
    reader: &mut Reader,
    requirement: &mut ProviderRequirement,
    item: &ast::ObjectItem,
) {
    let (key, key_range) = match &item.key {
        ObjectKey::Name(name) => (Some(name.name.clone()), name.range),
        ObjectKey::Expr(expr) => (expr.as_literal_string(), expr.range),
    };
    let at = reader.span(item.value.range);
    match key.as_deref() {
        Some("version") => requirement.version = version_constraint(reader, &item.value),
        Some("source") => match item
            .value
            .as_literal_string()
            .map(|text| ProviderAddr::parse_on(reader.profile.product.registry(), &text))
        {
            Some(Ok(source)) => requirement.source = Some(source),
            Some(Err(why)) => {
                let summary = if why.0.starts_with("Provider source") {
                    "Invalid provider type"
                } else {
                    "Invalid provider source string"
                };
                let mut why = why.0;
                why[..1].make_ascii_uppercase();
                reader.error("invalid-source", summary, why, at);
            }
            None => {
                let detail = "Source must be specified as a string.";
                reader.error("invalid-source", "Invalid source", detail, at);
            }
        },
        Some("configuration_aliases") => {
            let list = Expr::new(&reader.origin.clone(), item.value.clone().into());
            for element in reader.static_list(&list) {
                configuration_alias(reader, requirement, element, list.span());
            }
        }
        _ => {
            let at = reader.span(key_range);
            reader.error(
                "invalid-required-providers",
                "Invalid required_providers object",
                "required_providers objects can only contain \"version\", \"source\" and \"configuration_aliases\" attributes. To configure a provider, use a \"provider\" block.",
                at,
            );
        }
    }
}

fn configuration_alias(
    reader: &mut Reader,
    requirement: &mut ProviderRequirement,
    element: &ast::Expr,
    list: Span,
) {
    let Some(alias) = reader.provider_ref(element, "configuration_aliases") else {
        return;
    };
    if alias.name == requirement.name.text {
        requirement.configuration_aliases.push(alias);
        return;
    }
    let ProviderRef { name: found, .. } = alias;
    let detail = format!(
        "Configuration aliases must be prefixed with the provider name. Expected \"{}\", but found \"{found}\".",
        requirement.name.text
    );
    reader.error(
        "invalid-alias",
        "Invalid configuration_aliases value",
        detail,
        list,
    );
}

/// The text of a version constraint; a wrong one is reported.
pub(super) fn version_constraint(reader: &mut Reader, expr: &ast::Expr) -> Option<SmolStr> {
    let at = reader.span(expr.range);
    match literal(expr) {
        Literal::String(text) if is_version_constraint(&text) => Some(text),
        Literal::String(_) => {
            let detail = "This string does not use correct version constraint syntax.";
            reader.error(
                "invalid-version-constraint",
                "Invalid version constraint",
                detail,
                at,
            );
            None
        }
        Literal::Variables(root) => {
            reader.refuse_variables(reader.span(root));
            None
        }
        Literal::Call => {
            reader.refuse_call(at);
            None
        }
        Literal::Calculated => None,
        Literal::Number(_) | Literal::Bool(_) | Literal::Null | Literal::Other => {
            let detail = "Version must be specified as a string.";
            reader.error(
                "invalid-version-constraint",
                "Invalid version constraint",
                detail,
                at,
            );
            None
        }
    }
}

/// `>= 1.2, < 2.0.0-beta1` and its like. The empty text sets no constraint.
pub(crate) fn is_version_constraint(text: &str) -> bool {
    text.is_empty()
        || text.split(',').all(|part| {
            let part = part.trim();
            let version = part.trim_start_matches(['=', '!', '>', '<', '~']);
            let operator = &part[..part.len() - version.len()];
            let is_operator = ["", "=", "!=", ">", ">=", "<", "<=", "~>"].contains(&operator);
            is_operator && is_version(version.trim_start())
        })
}

fn is_version(text: &str) -> bool {
    let text = text.strip_prefix('v').unwrap_or(text);
    let (numbers, rest) = text.split_at(text.find(['-', '+']).unwrap_or(text.len()));
    let is_number = |number: &str| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    let is_label = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '~' | '+');
    numbers.split('.').all(is_number) && rest.len() != 1 && rest.chars().all(is_label)
}

const PROVIDER: BodySpec = BodySpec {
    required: &[],
    optional: &[
        "version",
        "alias",
        "count",
        "depends_on",
        "for_each",
        "source",
    ],
    blocks: &[
        block("_", &[]),
        block("lifecycle", &[]),
        block("locals", &[]),
    ],
};

pub(super) fn provider(reader: &mut Reader, block: &Block) -> Provider {
    let name = reader.label(&block.ast, 0);
    let (meta, mut body) = reader.partial_content(block, &PROVIDER);
    reader.check_local_name(&name.text, block.header_span());
    let (mut alias, mut for_each, mut version) = (None, None, None);
    for attribute in &meta.attributes {
        let at = attribute.expr().span();
        match attribute.name().as_str() {
            "alias" => {
                let reported = reader.diagnostics.len();
                let text = reader.optional_string(&meta, "alias");
                // A value that can't be read leaves an empty name.
                let is_unread = reader.diagnostics.len() > reported;
                if is_unread || text.as_ref().is_some_and(|text| !is_identifier(text)) {
                    let detail = format!("An alias must be a valid name. {BAD_NAME}");
                    reader.error(
                        "invalid-name",
                        "Invalid provider configuration alias",
                        detail,
                        at.clone(),
                    );
                }
                alias = text.map(|text| Name { text, span: at });
            }
            "version" => {
                reader.diagnostics.push(Diagnostic::warning(
                    "deprecated-argument",
                    "Version constraints inside provider configuration blocks are deprecated",
                    "Terraform 0.13 and earlier allowed provider version constraints inside the provider configuration block, but that is now deprecated and will be removed in a future version of Terraform. To silence this warning, move the provider version constraint into the required_providers block.",
                    at,
                ));
                version = version_constraint(reader, &attribute.ast.expr);
            }
            "for_each" if reader.profile.has(feature::PROVIDER_FOR_EACH) => {
                for_each = Some(attribute.expr());
            }
            reserved => {
                let detail = format!(
                    "The provider argument name \"{reserved}\" is reserved for use by Terraform in a future version."
                );
                let summary = "Reserved argument name in provider block";
                reader.error("reserved-name", summary, detail, attribute.name_span());
            }
        }
    }
    for block in &meta.blocks {
        if block.kind() == "_" {
            body.extend(block.body());
            continue;
        }
        let kind = block.kind();
        let detail = format!(
            "The block type name \"{kind}\" is reserved for use by Terraform in a future version."
        );
        let summary = "Reserved block type name in provider block";
        reader.error("reserved-name", summary, detail, block.kind_span());
    }
    if let Some(for_each) = for_each.as_ref().filter(|_| alias.is_none()) {
        reader.error(
            "missing-alias",
            "Alias required when using \"for_each\"",
            "The for_each argument is allowed only for provider configurations with an alias.",
            for_each.span(),
        );
    }
    let mut found = FoundReferences::default();
    if let Some(for_each) = &for_each {
        found.expr(for_each, AvailableNames::default());
    }
    let inner = AvailableNames {
        each: for_each.is_some(),
        ..AvailableNames::default()
    };
    found.body(&body, inner);
    Provider {
        name,
        alias,
        for_each,
        version,
        body,
        decl: found.into_decl(block),
    }
}
