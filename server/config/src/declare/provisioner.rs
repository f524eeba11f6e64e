//! `provisioner` blocks. They have no part in a plan, but their mistakes are reported.

use text::Diagnostic;

use crate::read::{BodySpec, PLACE, Reader, block};
use crate::refs::{self, Referenceable};
use crate::source::{Attribute, Block, Body};

const PROVISIONER: BodySpec = BodySpec {
    required: &[],
    optional: &["when", "on_failure"],
    blocks: &[
        block("_", &[]),
        block("connection", &[]),
        block("lifecycle", &[]),
        block("locals", &[]),
    ],
};

const REMOVED: &[&str] = &["chef", "habitat", "puppet", "salt-masterless"];

pub(super) fn check_provisioner(reader: &mut Reader, block: &Block) {
    let name = reader.label(&block.ast, 0);
    if REMOVED.contains(&name.text.as_str()) {
        let summary = format!("The \"{}\" provisioner has been removed", name.text);
        let detail = format!(
            "The \"{}\" provisioner was deprecated in Terraform 0.13.4 has been removed from Terraform. Visit https://learn.hashicorp.com/collections/terraform/provision for alternatives to using provisioners that are a better fit for the Terraform workflow.",
            name.text
        );
        return reader.error("removed-provisioner", &summary, detail, name.span);
    }
    let (meta, body) = reader.partial_content(block, &PROVISIONER);
    let when = keyword(reader, &meta, "when", &["create", "destroy"]);
    keyword(reader, &meta, "on_failure", &["continue", "fail"]);
    let mut first_connection: Option<Block> = None;
    let mut first_escape: Option<Block> = None;
    for block in &meta.blocks {
        match (block.kind().as_str(), &first_connection) {
            ("connection", None) => first_connection = Some(block.clone()),
            ("connection", Some(first)) => {
                let detail = format!("This provisioner already has a connection block at {PLACE}.");
                let at = block.header_span();
                reader.diagnostics.push(
                    Diagnostic::error("duplicate-block", "Duplicate connection block", detail, at)
                        .with_related(first.header_span(), "first block"),
                );
            }
            ("_", _) => match &first_escape {
                None => first_escape = Some(block.clone()),
                Some(first) => {
                    let detail = format!(
                        "The special block type \"_\" can be used to force particular arguments to be interpreted as provisioner-typpe-specific rather than as meta-arguments, but each provisioner block can have only one such block. The first escaping block was at {PLACE}."
                    );
                    let at = block.header_span();
                    reader.diagnostics.push(
                        Diagnostic::error(
                            "duplicate-block",
                            "Duplicate escaping block",
                            detail,
                            at,
                        )
                        .with_related(first.header_span(), "first escaping block"),
                    );
                }
            },
            (kind, _) => {
                let detail = format!(
                    "The block type name \"{kind}\" is reserved for use by Terraform in a future version."
                );
                let summary = "Reserved block type name in provisioner block";
                reader.error("reserved-name", summary, detail, block.kind_span());
            }
        }
    }
    if when {
        only_own_references(reader, &body);
        if let Some(connection) = first_connection {
            only_own_references(reader, &connection.body());
        }
    }
}

/// Whether the provisioner runs when the resource instance is destroyed.
pub(super) fn is_for_destroy(block: &Block) -> bool {
    let when = block.ast.body.attribute("when");
    let when = when.filter(|_| block.kind() == "provisioner");
    when.is_some_and(|when| {
        let expr = &when.expr;
        let keyword = expr.as_quoted_string().or_else(|| expr.as_keyword());
        keyword.is_some_and(|keyword| keyword == "destroy")
    })
}

/// Whether the argument is there and `destroy`.
fn keyword(reader: &mut Reader, meta: &Body, name: &str, known: &[&str; 2]) -> bool {
    let Some(expr) = meta.attribute(name).map(Attribute::expr) else {
        return false;
    };
    let quoted = expr.ast.as_quoted_string();
    if quoted.is_some() {
        let detail = "In this context, keywords are expected literally rather than in quotes. Terraform 0.11 and earlier required quotes, but quoted keywords are now deprecated and will be removed in a future version of Terraform. Remove the quotes surrounding this keyword to silence this warning.";
        let summary = "Quoted keywords are deprecated";
        reader.diagnostics.push(Diagnostic::warning(
            "quoted-keyword",
            summary,
            detail,
            expr.span(),
        ));
    }
    let keyword = quoted.or_else(|| expr.ast.as_keyword()).unwrap_or_default();
    if !known.contains(&keyword.as_str()) {
        let detail = format!(
            "The \"{name}\" argument requires one of the following keywords: {} or {}.",
            known[0], known[1]
        );
        let summary = format!("Invalid \"{name}\" keyword");
        reader.error("invalid-keyword", &summary, detail, expr.span());
    }
    keyword == "destroy"
}

/// Reports references to anything but the resource instance itself.
pub(super) fn only_own_references(reader: &mut Reader, body: &Body) {
    let (body, _) = body.just_attributes();
    for attribute in &body.attributes {
        let expr = attribute.expr();
        let is_own = |subject: &Referenceable| {
            matches!(
                subject,
                Referenceable::Self_
                    | Referenceable::Count(_)
                    | Referenceable::Each(_)
                    | Referenceable::Path(_)
                    | Referenceable::Terraform(_)
                    | Referenceable::Tofu(_)
            )
        };
        let references = refs::references(&expr.origin, &expr.ast);
        if references
            .iter()
            .all(|reference| is_own(&reference.subject))
        {
            continue;
        }
        reader.error(
            "invalid-destroy-reference",
            "Invalid reference from destroy provisioner",
            "Destroy-time provisioners and their connection configurations may only reference attributes of the related resource, via 'self', 'count.index', or 'each.key'.\n\nReferences to other resources during the destroy phase can cause dependency cycles and interact poorly with create_before_destroy.",
            expr.span(),
        );
    }
}
