//! `import` blocks.

use std::sync::Arc;

use smol_str::SmolStr;
use syntax::ast::{self, ExprKind, Key, StepKind};

use super::refactor::RESERVED_ROOTS;
use crate::addr::{InstanceKey, ResourceAddr};
use crate::language_release::{Product, feature};
use crate::module::{Import, ImportKey, ImportTarget};
use crate::read::{BodySpec, Reader};
use crate::scope::{AvailableNames, FoundReferences};
use crate::source::{Attribute, Block, Expr};

const INVALID_IMPORT: &str = "Invalid import block";

const IMPORT: BodySpec = BodySpec {
    required: &["to"],
    optional: &["id", "identity", "provider", "for_each"],
    blocks: &[],
};

pub(super) fn import(reader: &mut Reader, block: &Block) -> Option<Import> {
    let body = reader.content(block, &IMPORT);
    let id = body.attribute("id").map(Attribute::expr);
    let identity = body.attribute("identity").map(Attribute::expr);
    let has_identity = identity.is_some() && reader.profile.has(feature::IDENTITIES_IN_JSON);
    if id.is_none() && !has_identity && !reader.is_override {
        let (summary, detail) = match reader.profile.product {
            Product::OpenTofu => (
                "Missing required import argument",
                "One of 'id' or 'identity' must be specified in an import block to identify the resource instance to import.",
            ),
            Product::Terraform => (
                INVALID_IMPORT,
                "At least one of 'id' or 'identity' must be specified.",
            ),
        };
        match reader.profile.has(feature::IDENTITIES_IN_JSON) {
            true => reader.error("missing-argument", summary, detail, block.header_span()),
            false => reader.missing_argument("id", body.missing_item.clone()),
        }
    }
    let ways = ["id", "identity"].map(|name| body.attribute(name));
    if let [Some(_), Some(_)] = ways
        && reader.profile.product == Product::Terraform
        && reader.profile.has(feature::IDENTITIES_IN_JSON)
    {
        let detail = "Only one of 'id' or 'identity' can be specified.";
        let at = block.header_span();
        reader.error("invalid-import", INVALID_IMPORT, detail, at);
    } else if let [Some(id), Some(identity)] = ways
        && reader.profile.is_opentofu()
    {
        let first = match identity.ast.range.start() < id.ast.range.start() {
            true => identity,
            false => id,
        };
        reader.error(
            "invalid-import",
            "Conflicting import arguments",
            "Only one of 'id' or 'identity' can be specified in an import block. 'id' identifies the resource instance by its ID, while 'identity' identifies the resource instance by its Resource Identity. Choose one method to identify the resource instance to import.",
            first.span(),
        );
    }
    let to = body.attribute("to")?;
    let for_each = body.attribute("for_each").map(Attribute::expr);
    let expr = to.expr();
    // In JSON syntax the address is in a string.
    let expr = Expr::new(&expr.origin, expr.ast.unwrapped().into_owned().into());
    let target = match target(&expr) {
        Ok(target) => target,
        Err(problem) => {
            report(reader, to, problem);
            return None;
        }
    };
    let is_dynamic = for_each.is_some() || reader.profile.has(feature::DYNAMIC_IMPORT_KEYS);
    if !is_dynamic && target.key_exprs().next().is_some() {
        reader.static_traversal(&expr.ast);
        // As for an empty address: `ParseAbsResourceInstance` of Terraform's `internal/addrs`.
        reader.error(
            "invalid-import",
            "Invalid address",
            "Resource specification must include a resource type and name.",
            expr.span(),
        );
        return None;
    }
    let mut found = FoundReferences::default();
    let scope = AvailableNames {
        each: for_each.is_some(),
        ..AvailableNames::default()
    };
    if let Some(expr) = &for_each {
        found.expr(expr, AvailableNames::default());
    }
    for expr in id.iter().chain(&identity).chain(target.key_exprs()) {
        found.expr(expr, scope);
    }
    let provider = body.attribute("provider");
    Some(Import {
        target,
        to_span: expr.span(),
        id,
        identity,
        for_each,
        provider: provider.and_then(|a| reader.provider_instance(&a.ast.expr, "provider").0),
        decl: found.into_decl(block),
    })
}

/// Why an expression is no address of something to import.
enum Problem {
    /// Not even the shape of an address; whoever parsed it may have said so.
    NoAddress,
    Reserved(SmolStr),
    /// The text behind the name of the resource is no key.
    NoKey,
    /// A data source, a module, or too little.
    NotManaged,
}

fn report(reader: &mut Reader, to: &Attribute, problem: Problem) {
    let is_terraform = !reader.profile.is_opentofu();
    let mut error = |summary: &str, detail: &str| {
        reader.error("invalid-import", summary, detail, to.span());
    };
    if is_terraform || matches!(problem, Problem::NotManaged) {
        error(
            "Invalid import address",
            "Only managed resources can be imported.",
        );
    }
    match problem {
        Problem::NotManaged => {}
        Problem::NoAddress if is_terraform => {
            reader.static_traversal(&to.ast.expr);
        }
        Problem::NoAddress => error(
            "Invalid import address expression",
            "Import address must be a reference to a resource's address, and only allows for indexing with dynamic keys. For example: module.my_module[expression1].aws_s3_bucket.my_buckets[expression2] for resources inside of modules, or simply aws_s3_bucket.my_bucket for a resource in the root module",
        ),
        Problem::NoKey => error(
            "Invalid address",
            "Resource instance key must be given in square brackets.",
        ),
        Problem::Reserved(root) => error(
            "Invalid address",
            &format!(
                "The keyword \"{root}\" is reserved and cannot be used to target a resource address. If you are targeting a resource type that uses a reserved keyword, please prefix your address with \"resource.\"."
            ),
        ),
    }
}

/// A step of an address.
enum ImportStep {
    Name(SmolStr),
    Key(ImportKey),
}

fn target(to: &Expr) -> Result<ImportTarget, Problem> {
    let mut parts = Vec::new();
    flatten(to, &to.ast, &mut parts).ok_or(Problem::NoAddress)?;
    let mut parts = parts.into_iter().peekable();
    let key = |parts: &mut std::iter::Peekable<std::vec::IntoIter<ImportStep>>| match parts
        .next_if(|part| matches!(part, ImportStep::Key(_)))
    {
        Some(ImportStep::Key(key)) => key,
        _ => ImportKey::Static(InstanceKey::None),
    };
    let name = |part: Option<ImportStep>| match part {
        Some(ImportStep::Name(name)) => Ok(name),
        _ => Err(Problem::NotManaged),
    };
    let mut modules = Vec::new();
    let mut first = name(parts.next())?;
    while first == "module" {
        let call = name(parts.next())?;
        modules.push((call, key(&mut parts)));
        first = name(parts.next())?;
    }
    if RESERVED_ROOTS.contains(&first.as_str()) {
        return Err(Problem::Reserved(first));
    }
    let r#type = match first.as_str() {
        "data" | "ephemeral" => return Err(Problem::NotManaged),
        "resource" => name(parts.next())?,
        _ => first,
    };
    let resource = ResourceAddr::managed(r#type, name(parts.next())?);
    let key = key(&mut parts);
    match parts.next() {
        None => Ok(ImportTarget {
            modules,
            resource,
            key,
        }),
        Some(_) => Err(Problem::NoKey),
    }
}

/// The steps of an address; `None` where something else is in it.
fn flatten(whole: &Expr, expr: &ast::Expr, parts: &mut Vec<ImportStep>) -> Option<()> {
    match &expr.kind {
        ExprKind::Traversal(traversal) => {
            parts.push(ImportStep::Name(traversal.root.name.clone()));
            push_steps(&traversal.steps, parts)
        }
        ExprKind::RelativeTraversal { source, steps } => {
            flatten(whole, source, parts)?;
            push_steps(steps, parts)
        }
        ExprKind::Index { collection, key } => {
            flatten(whole, collection, parts)?;
            let key = Expr::new(&whole.origin, Arc::new(ast::Expr::clone(key)));
            parts.push(ImportStep::Key(ImportKey::Expr(key)));
            Some(())
        }
        _ => None,
    }
}

fn push_steps(steps: &[ast::Step], parts: &mut Vec<ImportStep>) -> Option<()> {
    for step in steps {
        parts.push(match &step.kind {
            StepKind::Attr(name) => ImportStep::Name(name.name.clone()),
            StepKind::Index(Key::String(key)) => {
                ImportStep::Key(ImportKey::Static(InstanceKey::String(key.clone())))
            }
            StepKind::Index(Key::Number(number)) | StepKind::LegacyIndex(number) => {
                ImportStep::Key(ImportKey::Static(InstanceKey::Int(number.parse().ok()?)))
            }
            StepKind::Index(Key::Bool(_) | Key::Null) => return None,
        });
    }
    Some(())
}
