//! `action` blocks, and the `action_trigger` blocks of resources that invoke them.
//!
//! Follows Terraform's `internal/configs/action.go`.

use syntax::ast::{self, ExprKind, StepKind};

use super::resource::resource_references;
use crate::addr::{ResourceAddr, ResourceMode};
use crate::body::Body;
use crate::module::{ActionEvent, ActionReference, ActionTrigger, Lifecycle, Resource};
use crate::read::{BodySpec, Reader, block};
use crate::refs::Referenceable;
use crate::scope::{AvailableNames, FoundReferences};
use crate::source::{Attribute, Block, Expr, Origin};

const ACTION: BodySpec = BodySpec {
    required: &[],
    optional: &["count", "for_each", "provider"],
    blocks: &[block("config", &[])],
};

/// An action is declared as a resource is, except that its arguments stand in a block of their own.
pub(super) fn action(reader: &mut Reader, block: &Block) -> Resource {
    let r#type = reader.label(&block.ast, 0);
    let name = reader.label(&block.ast, 1);
    reader.check_name(&r#type, "Invalid action type name");
    reader.check_name(&name, "Invalid action name");
    let addr = ResourceAddr::new(ResourceMode::Action, r#type.text.clone(), name.text.clone());
    let content = reader.content(block, &ACTION);
    let mut configs = content.blocks_of("config");
    let config = configs.next().cloned();
    if let Some(second) = configs.next() {
        let detail = "An action must contain only one nested \"config\" block.";
        let at = second.header_span();
        reader.error("duplicate-block", "Duplicate config block", detail, at);
    }
    let provider = content.attribute("provider");
    let (provider_ref, provider_key) = match provider {
        Some(attribute) => reader.provider_instance(&attribute.ast.expr, "provider"),
        None => (None, None),
    };
    let mut action = Resource {
        addr,
        r#type,
        name,
        repetition: reader.repetition(&content, None),
        provider: provider_ref,
        provider_key,
        provider_span: provider.map(|attribute| attribute.expr().span()),
        depends_on: Vec::new(),
        lifecycle: Lifecycle::default(),
        provisioning: Vec::new(),
        has_body: config.is_some(),
        body: config.map_or_else(
            || Body::of_attributes(Vec::new(), block.header_span()),
            |config| config.body(),
        ),
        decl: FoundReferences::default().into_decl(block),
    };
    resource_references(&mut action);
    action
}

const ACTION_TRIGGER: BodySpec = BodySpec {
    required: &["events", "actions"],
    optional: &["condition"],
    blocks: &[],
};

/// An `action_trigger` block.
pub(super) fn action_trigger(reader: &mut Reader, block: &Block) -> ActionTrigger {
    let body = reader.content(block, &ACTION_TRIGGER);
    let elements = |name: &str| {
        let list = body.attribute(name).map(Attribute::expr);
        list.map_or(Some(Vec::new()), |list| match &list.ast.unwrapped().kind {
            ExprKind::Tuple(elements) => Some(elements.clone()),
            _ => None,
        })
    };
    let (events, actions) = (elements("events"), elements("actions"));
    let mut known: Vec<ActionEvent> = Vec::new();
    for event in events.iter().flatten() {
        let keyword = event.unwrapped().as_keyword().unwrap_or_default();
        let at = reader.span(event.range);
        match ActionEvent::of_keyword(&keyword) {
            None => {
                let summary = format!("Invalid \"event\" value {keyword}");
                let detail = "The \"event\" argument supports the following values: before_create, after_create, before_update, after_update.";
                reader.error("action", &summary, detail, at);
            }
            Some(event) if known.contains(&event) => {
                let summary = format!("Duplicate \"{keyword}\" event");
                let detail = "The event is already defined in this action_trigger block.";
                reader.error("action", &summary, detail, at);
            }
            Some(event) => known.push(event),
        }
    }
    let mut missing = |summary: &str, what: &str| {
        let detail = format!("At least one {what} must be specified for an action_trigger.");
        reader.error("action", summary, detail, block.header_span());
    };
    if actions.as_ref().is_some_and(Vec::is_empty) {
        missing("No actions specified", "action");
    }
    if known.is_empty() && events.is_some() {
        missing("No events specified", "event");
    }
    let list = body.attribute("actions").map(|list| list.origin.clone());
    let actions = actions.unwrap_or_default();
    let actions = list.map_or_else(Vec::new, |origin| {
        let actions = actions.iter();
        let actions = actions.map(|action| action_reference(reader, &origin, action));
        actions.collect()
    });
    let condition = body.attribute("condition").map(Attribute::expr);
    ActionTrigger {
        references: condition.as_ref().map_or_else(Vec::new, Expr::references),
        condition,
        events: known,
        actions,
    }
}

/// `action.TYPE.NAME`, with or without a key.
fn action_reference(reader: &mut Reader, origin: &Origin, expr: &ast::Expr) -> ActionReference {
    let unwrapped = expr.unwrapped();
    let root = match &unwrapped.kind {
        ExprKind::Index { collection, .. } => collection,
        _ => expr,
    };
    let traversal = root.as_traversal();
    let is_action = |it: &ast::Traversal| it.root.name == "action";
    let names = traversal.filter(|it| is_action(it)).and_then(|traversal| {
        let [r#type, name, ..] = &traversal.steps[..] else {
            return None;
        };
        match (&r#type.kind, &name.kind) {
            (StepKind::Attr(r#type), StepKind::Attr(name)) => {
                Some((r#type.name.clone(), name.name.clone()))
            }
            _ => None,
        }
    });
    let expr = Expr::new(origin, unwrapped.into_owned().into());
    let mut found = FoundReferences::default();
    found.expr(&expr, AvailableNames::default());
    let mut count = 0;
    for reference in &found.references {
        let (summary, detail) = match &reference.subject {
            Referenceable::Resource(addr) | Referenceable::ResourceInstance(addr, _)
                if addr.mode == ResourceMode::Action =>
            {
                count += 1;
                continue;
            }
            Referenceable::Resource(_) | Referenceable::ResourceInstance(..) => (
                "Invalid action argument inside action_triggers",
                "action_triggers.actions must only refer to actions in the current module.",
            ),
            Referenceable::Module(_)
            | Referenceable::ModuleInstance(..)
            | Referenceable::ModuleOutput { .. } => (
                "Invalid reference to action outside this module",
                "Actions can only be referenced in the module they are declared in.",
            ),
            _ => continue,
        };
        reader.error("action", summary, detail, expr.span());
    }
    let wrong = match count {
        0 => Some((
            "No actions specified",
            "At least one action must be specified for an action_trigger.",
        )),
        1 => None,
        _ => Some((
            "Invalid action expression",
            "Multiple action references in actions expression.",
        )),
    };
    if let Some((summary, detail)) = wrong {
        reader.error("action", summary, detail, expr.span());
    }
    ActionReference {
        addr: names
            .filter(|_| count == 1)
            .map(|(r#type, name)| ResourceAddr::new(ResourceMode::Action, r#type, name)),
        expr,
    }
}
