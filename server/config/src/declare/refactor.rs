//! `moved` and `removed` blocks.

use smol_str::SmolStr;
use syntax::ast::{self, Key, StepKind};
use text::{Diagnostic, Span, TextRange};

use super::provisioner::is_for_destroy;
use crate::addr::{
    InstanceKey, ModuleInstanceAddr, ModuleStep, ResourceAddr, ResourceInstanceAddr, ResourceMode,
    Target,
};
use crate::module::{Decl, Moved, Removed};
use crate::read::{BodySpec, Reader, block};
use crate::refs;
use crate::scope::FoundReferences;
use crate::source::{Attribute, Block, Body};

const MOVED: BodySpec = BodySpec {
    required: &["from", "to"],
    optional: &[],
    blocks: &[],
};

pub(super) fn moved(reader: &mut Reader, block: &Block) -> Option<Moved> {
    let body = reader.content(block, &MOVED);
    let from = body.attribute("from").map(Attribute::expr);
    let to = body.attribute("to").map(Attribute::expr);
    let from_target = from.as_ref().and_then(|expr| endpoint(reader, &expr.ast));
    let to_target = to.as_ref().and_then(|expr| endpoint(reader, &expr.ast));
    if reader.profile.is_opentofu() {
        refuse_endpoints(reader, block, &from_target, &to_target);
    }
    let (from, to) = (from?.span(), to?.span());
    let (from_target, to_target) = (from_target?, to_target?);
    if kind(&from_target).is_none() != kind(&to_target).is_none() {
        reader.error(
            "invalid-moved",
            "Invalid \"moved\" addresses",
            "The \"from\" and \"to\" addresses must either both refer to resources or both refer to modules.",
            block.header_span(),
        );
        return None;
    }
    Some(Moved {
        from: from_target,
        to: to_target,
        from_span: from,
        to_span: to,
        decl: FoundReferences::default().into_decl(block),
    })
}

/// Reports ephemeral resources, and endpoints that are not valid addresses a second time, at the block (`decodeMovedBlock` of
/// OpenTofu's `internal/configs`).
fn refuse_endpoints(
    reader: &mut Reader,
    block: &Block,
    from: &Option<Target>,
    to: &Option<Target>,
) {
    for (name, target) in [("from", from), ("to", to)] {
        let is_ephemeral = |it: &Target| kind(it) == Some(ResourceMode::Ephemeral);
        if target.as_ref().is_none_or(is_ephemeral) {
            let detail = format!(
                "The resource referenced by the \"{name}\" attribute is not allowed to be moved."
            );
            let summary = "Invalid \"moved\" address";
            reader.error("invalid-moved", summary, detail, block.header_span());
        }
    }
}

/// The mode of the resource that is meant; `None` for a module.
fn kind(target: &Target) -> Option<ResourceMode> {
    match target {
        Target::Module(_) => None,
        Target::Resource(addr) => Some(addr.resource.mode),
        Target::Instance(addr) => Some(addr.resource.mode),
    }
}

const REMOVED: BodySpec = BodySpec {
    required: &["from"],
    optional: &[],
    blocks: &[
        block("lifecycle", &[]),
        block("connection", &[]),
        block("provisioner", &["type"]),
    ],
};

/// OpenTofu knows no connection of all provisioners here (`removedBlockSchema` of its `internal/configs`).
const REMOVED_BY_OPENTOFU: BodySpec = BodySpec {
    blocks: &[block("lifecycle", &[]), block("provisioner", &["type"])],
    ..REMOVED
};

const REMOVED_LIFECYCLE: BodySpec = BodySpec {
    required: &[],
    optional: &["destroy"],
    blocks: &[],
};

/// The error about a target that is not managed: its summary and detail.
fn not_removable(
    mode: Option<ResourceMode>,
    is_opentofu: bool,
) -> Option<(&'static str, &'static str)> {
    Some(match (mode?, is_opentofu) {
        (ResourceMode::Managed | ResourceMode::Action, _) => return None,
        (ResourceMode::Data, true) => (
            "Data source address is not allowed",
            "Data sources cannot be destroyed, and therefore, 'removed' blocks are not allowed to target them. To remove data sources from the state, you should remove the data source block from the configuration.",
        ),
        (ResourceMode::Data, false) => (
            "Data source address not allowed",
            "Data sources are never destroyed, so they are not valid targets of removed blocks. To remove the data source from state, remove the data source block from configuration.",
        ),
        (ResourceMode::Ephemeral, true) => (
            "Ephemeral resource address is not allowed",
            "Ephemeral resources cannot be destroyed, and therefore, 'removed' blocks are not allowed to target them. To remove ephemeral resources from the state, you should remove the ephemeral resource block from the configuration.",
        ),
        // Terraform takes the address for that of an instance.
        (ResourceMode::Ephemeral, false) => (
            "Resource instance keys not allowed",
            "Resource address must be a resource (e.g. \"test_instance.foo\"), not a resource instance (e.g. \"test_instance.foo[1]\").",
        ),
    })
}

pub(super) fn removed(reader: &mut Reader, block: &Block) -> Option<Removed> {
    // OpenTofu forgets objects that Terraform destroys.
    let is_opentofu = reader.profile.is_opentofu();
    let spec = match is_opentofu {
        true => REMOVED_BY_OPENTOFU,
        false => REMOVED,
    };
    let body = reader.content(block, &spec);
    let problems_before = reader.diagnostics.len();
    let mut written = None;
    for lifecycle in body.blocks_of("lifecycle") {
        let body = reader.content(lifecycle, &REMOVED_LIFECYCLE);
        written = reader.optional_bool(&body, "destroy").or(written);
    }
    let destroy = written.unwrap_or(!is_opentofu);
    let from = body.attribute("from")?.expr();
    let traversal = reader.static_traversal(&from.ast)?;
    if let Some((what, like, at)) = first_key(&traversal) {
        let article = if what == "Resource" {
            "test_instance"
        } else {
            "module"
        };
        let (summary, detail) = match (reader.profile.is_opentofu(), what) {
            (true, "Resource") => (
                "Resource instance address with keys is not allowed".to_owned(),
                "Resource address cannot be a resource instance (e.g. \"null_resource.a[0]\"), it must be a resource instead (e.g. \"null_resource.a\").".to_owned(),
            ),
            (true, _) => (
                "Module instance address with keys is not allowed".to_owned(),
                "Module address cannot be a module instance (e.g. \"module.a[0]\"), it must be a module instead (e.g. \"module.a\").".to_owned(),
            ),
            (false, _) => (
                format!("{what} instance keys not allowed"),
                format!(
                    "{what} address must be a {like} (e.g. \"{article}.foo\"), not a {like} instance (e.g. \"{article}.foo[1]\")."
                ),
            ),
        };
        let at = reader.span(at);
        reader.error("invalid-removed", &summary, detail, at);
        return None;
    }
    let target = target(reader, &traversal)?;
    if let Some((summary, detail)) = not_removable(kind(&target), is_opentofu) {
        reader.error("invalid-removed", summary, detail, from.span());
    }
    if kind(&target) == Some(ResourceMode::Ephemeral) {
        return None;
    }
    let is_managed = kind(&target) == Some(ResourceMode::Managed);
    if kind(&target).is_none() || !is_managed && !is_opentofu {
        for provisioner in body.blocks_of("provisioner") {
            let (summary, detail, at) = match is_opentofu {
                true => (
                    "Invalid \"removed\" block",
                    "\"removed\" blocks containing \"provisioner\"s can only target resources. Found one block that is targeting a module",
                    block.header_span(),
                ),
                false => (
                    "Invalid provisioner block",
                    "Provisioners are valid only when a removed block targets a managed resource.",
                    provisioner.header_span(),
                ),
            };
            reader.error("invalid-removed", summary, detail, at);
        }
    }
    for provisioner in body.blocks_of("provisioner") {
        let (summary, detail) = match is_opentofu {
            _ if is_for_destroy(provisioner) => continue,
            true => (
                "Invalid \"removed.provisioner\" block",
                "\"removed\" blocks can only contain destroy provisioners. \"removed.provisioner.when = destroy\" expected",
            ),
            false if is_managed => (
                "Invalid provisioner block",
                "Only destroy-time provisioners are valid in \"removed\" blocks. To declare a destroy-time provisioner, use:\n    when = destroy",
            ),
            false => continue,
        };
        reader.error(
            "invalid-removed",
            summary,
            detail,
            provisioner.header_span(),
        );
    }
    if kind(&target) == Some(ResourceMode::Data) {
        return None;
    }
    let decl = FoundReferences::default().into_decl(block);
    if is_opentofu {
        check_end(reader, &body, written, &decl, problems_before);
    }
    Some(Removed {
        from: target,
        from_span: from.span(),
        destroy,
        decl,
    })
}

/// The warnings of OpenTofu about the `lifecycle` and the provisioners of a `removed` block without errors.
///
/// Follows `decodeRemovedBlock` of its `internal/configs`.
fn check_end(
    reader: &mut Reader,
    body: &Body,
    destroy: Option<bool>,
    decl: &Decl,
    problems_before: usize,
) {
    let has_errors = reader.diagnostics.len() > problems_before;
    let has_provisioners = body.blocks_of("provisioner").next().is_some();
    let (code, summary, detail) = match destroy {
        _ if has_errors => return,
        None => (
            "forgotten",
            "Missing lifecycle from the removed block",
            "It is recommended for each 'removed' block configured to have also the 'lifecycle' block defined. By not specifying if the resource should be destroyed or not, could lead to unwanted behavior.",
        ),
        Some(false) if has_provisioners => (
            "removed-provisioner",
            "Removed block provisioners will not be executed",
            "The 'removed' block has marked the resource to be forgotten and not destroyed. Therefore, the provisioners configured for it will not be executed.",
        ),
        Some(_) => return,
    };
    let at = decl.span.clone();
    let warning = Diagnostic::warning(code, summary, detail, at);
    reader.diagnostics.push(warning);
}

/// The first instance key in an address: whose it is, and where.
fn first_key(traversal: &ast::Traversal) -> Option<(&'static str, &'static str, TextRange)> {
    let step = traversal
        .steps
        .iter()
        .find(|step| !matches!(step.kind, StepKind::Attr(_)))?;
    let names = traversal
        .steps
        .iter()
        .take_while(|step| matches!(step.kind, StepKind::Attr(_)));
    // `module.a.module.b[0]` has an odd number of names before the key.
    let is_module = traversal.root.name == "module" && {
        let mut names = names.map(|step| match &step.kind {
            StepKind::Attr(name) => name.name.as_str(),
            StepKind::Index(_) | StepKind::LegacyIndex(_) => "",
        });
        names.next();
        loop {
            match (names.next(), names.next()) {
                (None, _) => break true,
                (Some("module"), Some(_)) => {}
                (Some(_), _) => break false,
            }
        }
    };
    Some(if is_module {
        ("Module", "module", step.range)
    } else {
        ("Resource", "resource", step.range)
    })
}

fn endpoint(reader: &mut Reader, expr: &ast::Expr) -> Option<Target> {
    let traversal = reader.static_traversal(expr)?;
    target(reader, &traversal)
}

pub(super) const RESERVED_ROOTS: &[&str] = &[
    "count",
    "each",
    "local",
    "path",
    "self",
    "terraform",
    "var",
    "template",
    "lazy",
    "arg",
];

/// Reads the address of a module, a resource or an instance, relative to the module.
fn target(reader: &mut Reader, traversal: &ast::Traversal) -> Option<Target> {
    let whole = refs::range(traversal);
    let root = ast::Step {
        kind: StepKind::Attr(traversal.root.clone()),
        range: traversal.root.range,
    };
    let steps: Vec<&ast::Step> = std::iter::once(&root).chain(&traversal.steps).collect();
    let mut path = Vec::new();
    let mut rest = steps.as_slice();
    while let [first, call, after @ ..] = rest
        && name(first).is_some_and(|name| name == "module")
    {
        let Some(call) = name(call) else {
            return invalid(
                reader,
                "Prefix \"module.\" must be followed by a module name.",
                call.range,
            );
        };
        let key = after.first().and_then(|step| key(step));
        rest = if key.is_some() { &after[1..] } else { after };
        path.push(ModuleStep {
            call: call.clone(),
            key: key.unwrap_or_default(),
        });
    }
    let module = ModuleInstanceAddr::new(path);
    if rest.is_empty() {
        return Some(Target::Module(module));
    }
    // OpenTofu reserves no keyword here.
    if let Some(root) = name(rest[0])
        && !reader.profile.is_opentofu()
        && RESERVED_ROOTS.contains(&root.as_str())
    {
        let detail = format!(
            "The keyword \"{root}\" is reserved and cannot be used to target a resource address. If you are targeting a resource type that uses a reserved keyword, please prefix your address with \"resource.\"."
        );
        return invalid(reader, detail, whole);
    }
    let mode = match name(rest[0]).map(SmolStr::as_str) {
        Some("data") => ResourceMode::Data,
        Some("ephemeral") => ResourceMode::Ephemeral,
        _ => ResourceMode::Managed,
    };
    let is_prefixed =
        mode != ResourceMode::Managed || name(rest[0]).is_some_and(|n| n == "resource");
    let rest = if is_prefixed { &rest[1..] } else { rest };
    let [r#type, resource, rest @ ..] = rest else {
        let detail = "Resource specification must include a resource type and name.";
        return invalid(reader, detail, whole);
    };
    let Some(r#type) = name(r#type) else {
        return invalid(reader, "A resource type name is required.", r#type.range);
    };
    let Some(resource) = name(resource) else {
        return invalid(reader, "A resource name is required.", resource.range);
    };
    let resource = ResourceAddr::new(mode, r#type.clone(), resource.clone());
    match rest {
        [] => Some(Target::Resource(module.resource(resource))),
        [step] => match key(step) {
            Some(key) => Some(Target::Instance(ResourceInstanceAddr {
                module,
                resource,
                key,
            })),
            None => invalid(reader, no_key(step), step.range),
        },
        [_, extra, ..] => invalid(
            reader,
            "Unexpected extra operators after address.",
            extra.range,
        ),
    }
}

fn invalid<T>(reader: &mut Reader, detail: impl Into<String>, at: TextRange) -> Option<T> {
    let at: Span = reader.span(at);
    reader.error("invalid-address", "Invalid address", detail, at);
    None
}

fn name(step: &ast::Step) -> Option<&SmolStr> {
    match &step.kind {
        StepKind::Attr(ident) => Some(&ident.name),
        StepKind::Index(_) | StepKind::LegacyIndex(_) => None,
    }
}

/// The reason why a step behind the name of a resource is no key.
fn no_key(step: &ast::Step) -> &'static str {
    match &step.kind {
        StepKind::Index(Key::Bool(_) | Key::Null) => {
            "Invalid resource instance key: either a string or an integer is required."
        }
        StepKind::Index(Key::String(_) | Key::Number(_)) | StepKind::LegacyIndex(_) => {
            "Invalid resource instance key: value must be a whole number, between -9223372036854775808 and 9223372036854775807."
        }
        StepKind::Attr(_) => "Resource instance key must be given in square brackets.",
    }
}

fn key(step: &ast::Step) -> Option<InstanceKey> {
    match &step.kind {
        StepKind::Index(Key::String(key)) => Some(InstanceKey::String(key.clone())),
        StepKind::Index(Key::Number(number)) | StepKind::LegacyIndex(number) => {
            number.parse().ok().map(InstanceKey::Int)
        }
        StepKind::Index(Key::Bool(_) | Key::Null) | StepKind::Attr(_) => None,
    }
}
