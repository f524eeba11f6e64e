//! Hovers on a block, an argument or a reference.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use config::{
    ActionEvent, Decl, InstanceKey, Module, ModuleCall, Origin, Output, Referenceable, Resource,
};
use cty::{Path, PathStep, Value};
use plan::{Action, ActionInvocation, OutputChange, Plan, ResourceInstanceChange, ResourceResult};
use schema::{Block, NestedType, Nesting};
use syntax::ast::{Expr, ExprKind, Key, ObjectKey, Step, StepKind};
use text::{FileId, SegmentId, Span};

use super::value_text::NO_VALUE;
use super::{FactInputs, FactsBuilder, instances, object, value_text};
use crate::any_engine::MASKED;
use crate::code_lenses::module_call;
use crate::hover_text::Text;
use crate::module_context::types_of;
use crate::{ChangeKind, Hover, Settings};

/// Characters of a value that a hover shows.
const VALUE_LIMIT: usize = 1500;
/// Changes in a called module that a hover on the call lists.
const LISTED_OF_MODULE: usize = 20;
/// Instances whose plan a hover on their resource shows.
const INSTANCE_LIMIT: usize = 3;

/// What hovers over the files of a module are made from, when somebody hovers.
#[derive(Debug)]
pub(crate) enum HoverSource {
    OfModule {
        plan: Arc<Plan>,
        module: Arc<Module>,
        settings: Settings,
    },
    /// Of the instances of a module, by name.
    OfInstances(Vec<(String, Arc<HoverSource>)>),
}

impl HoverSource {
    pub(super) fn of(planned: &FactInputs<'_>) -> HoverSource {
        HoverSource::OfModule {
            plan: planned.plan.clone(),
            module: planned.module.clone(),
            settings: planned.settings.clone(),
        }
    }

    /// The hovers in one segment of a file: the first that holds the cursor is shown.
    pub(crate) fn hovers(&self, file: &FileId, segment: SegmentId) -> Vec<Hover> {
        match self {
            HoverSource::OfModule {
                plan,
                module,
                settings,
            } => {
                let planned = FactInputs {
                    plan,
                    module,
                    settings,
                    tree: None,
                };
                of_segment(&planned, file, segment)
            }
            HoverSource::OfInstances(instances) => {
                let hovers = instances.iter();
                let hovers = hovers.map(|(name, it)| (name.clone(), it.hovers(file, segment)));
                instances::merged_hovers(&hovers.collect::<Vec<_>>())
            }
        }
    }
}

/// The hovers in one segment of a file of the module that was planned. The narrowest come first.
fn of_segment(planned: &FactInputs<'_>, file: &FileId, segment: SegmentId) -> Vec<Hover> {
    let is_at = |decl: &Decl| decl.full_span.file == *file && decl.full_span.segment == segment;
    // A block of an override file is part of a declaration in another file.
    let is_whole = planned.module.declarations().any(is_at);
    let is_wanted = |decl: &Decl| !is_whole || is_at(decl);
    let mut facts = FactsBuilder::default();
    for resource in planned.plan.resources.values() {
        let written = planned.declared(resource).map(|it| &it.decl);
        if let Some(decl) = written.filter(|it| is_wanted(it)) {
            add_references(planned, decl, &mut facts);
        }
        let is_own = resource.addr.module.is_root();
        let config = resource.config.as_ref().filter(|_| is_own);
        if let Some(config) = config.filter(|it| is_wanted(&it.decl)) {
            add_resource(planned, resource, config, &mut facts);
        }
    }
    add_of_module(planned, is_wanted, &mut facts);
    let mut segments = facts.files.remove(file).unwrap_or_default();
    let found = segments.remove(&segment).unwrap_or_default();
    found.hovers.clone()
}

fn add_resource(
    planned: &FactInputs<'_>,
    resource: &ResourceResult,
    config: &Resource,
    facts: &mut FactsBuilder,
) {
    let schema = schema(planned, resource);
    if let Some(schema) = schema {
        let arguments = Arguments {
            resource: Some(resource),
        };
        arguments.add(&config.body, schema, Some(&Path::new()), facts);
    }
    add_header(planned, resource, config, schema, facts);
}

/// Hovers that belong to no resource.
fn add_of_module(
    planned: &FactInputs<'_>,
    is_wanted: impl Fn(&Decl) -> bool,
    facts: &mut FactsBuilder,
) {
    let module = planned.module;
    // The narrowest come first: the first hover that holds the cursor is shown.
    let locals = module.locals.values().map(|local| &local.decl);
    let outputs = module.outputs.values().map(|output| &output.decl);
    let variables = module.variables.values().map(|variable| &variable.decl);
    let providers = module.providers.values().map(|provider| &provider.decl);
    let all = locals.chain(outputs).chain(variables).chain(providers);
    for decl in all.filter(|it| is_wanted(it)) {
        add_references(planned, decl, facts);
    }
    let providers = module.providers.values();
    for provider in providers.filter(|it| is_wanted(&it.decl)) {
        let addr = module.provider_addr(&provider.name.text);
        if let Some(schema) = planned.plan.schemas.get(&addr) {
            let block = &schema.provider.block;
            Arguments { resource: None }.add(&provider.body, block, None, facts);
            let mut text = Text::default();
            text.code(&format!("provider {addr}"));
            text.documentation(&block.description);
            push(&provider.decl.span, text, facts);
        }
    }
    let calls = module.module_calls.values();
    for call in calls.filter(|it| is_wanted(&it.decl)) {
        add_call(planned, call, facts);
    }
    for (name, value) in &planned.plan.variables {
        let variable = module.variables.get(name);
        if let Some(variable) = variable.filter(|it| is_wanted(&it.decl)) {
            let title = format!("var.{name}");
            let text = match planned.plan.is_unset(name) {
                true => Text::without_value(&title, NO_VALUE, description(planned, name)),
                false => Text::value(&title, value, description(planned, name)),
            };
            push(&variable.decl.span, text, facts);
        }
    }
    for (name, value) in &planned.plan.locals {
        let local = module.locals.get(name);
        if let Some(local) = local.filter(|it| is_wanted(&it.decl)) {
            let text = Text::value(&format!("local.{name}"), value, "");
            push(&local.name.span, text, facts);
        }
    }
    for change in &planned.plan.outputs {
        let output = module.outputs.get(&change.name);
        if let Some(output) = output.filter(|it| is_wanted(&it.decl)) {
            push(&output.decl.span, Text::output(output, change), facts);
        }
    }
}

/// The plan of the module that is called.
fn add_call(planned: &FactInputs<'_>, call: &ModuleCall, facts: &mut FactsBuilder) {
    let Some((title, _)) = module_call::headline(planned, call) else {
        return;
    };
    let mut text = Text::default();
    text.code(&format!("module.{}", call.name.text));
    text.paragraph(&title);
    let resources = planned.plan.resources.values();
    let changes = resources.filter(|it| module_call::is_within(it, call));
    let changes = changes.flat_map(|it| it.changes());
    let changes: Vec<_> = changes.filter(|it| it.action != Action::NoOp).collect();
    if !changes.is_empty() {
        let lines = changes.iter().take(LISTED_OF_MODULE);
        let lines =
            lines.map(|it| format!("{:>3} {}", ChangeKind::from(it.action).symbol(), it.addr));
        let mut lines: Vec<String> = lines.collect();
        if changes.len() > LISTED_OF_MODULE {
            lines.push(format!("    and {} more", changes.len() - LISTED_OF_MODULE));
        }
        text.diff(lines.join("\n"));
    }
    push(&call.decl.span, text, facts);
}

/// Hovers for references: the subject's value, and after each further step the value up to that step.
fn add_references(planned: &FactInputs<'_>, decl: &Decl, facts: &mut FactsBuilder) {
    for reference in &decl.references {
        let mut title = match &reference.subject {
            Referenceable::Var(name) => format!("var.{name}"),
            Referenceable::Local(name) => format!("local.{name}"),
            Referenceable::Resource(addr) => addr.to_string(),
            Referenceable::ResourceInstance(addr, key) => format!("{addr}{key}"),
            Referenceable::Module(_)
            | Referenceable::ModuleInstance(..)
            | Referenceable::ModuleOutput { .. }
            | Referenceable::Count(_)
            | Referenceable::Each(_)
            | Referenceable::Self_
            | Referenceable::Path(_)
            | Referenceable::Terraform(_)
            | Referenceable::Tofu(_) => continue,
        };
        let Some(mut value) = referenced(planned, &reference.subject) else {
            continue;
        };
        let description = match &reference.subject {
            Referenceable::Var(name) => description(planned, name),
            _ => "",
        };
        if (!value.is_known() || planned.is_stale(reference))
            && let Some(label) = planned.known_sooner(reference)
        {
            let text = Text::without_value(&title, label, description);
            let last = reference.remaining.last().map(|step| step.range);
            let span = Span {
                range: last.map_or(reference.span.range, |it| it.cover(reference.span.range)),
                ..reference.span.clone()
            };
            push(&span, text, facts);
            continue;
        }
        push(
            &reference.span,
            Text::value(&title, &value, description),
            facts,
        );
        for step in &reference.remaining {
            let range = step.range;
            let name = match &step.kind {
                StepKind::Attr(name) => format!(".{}", name.name),
                StepKind::Index(Key::String(key)) => format!("[{key:?}]"),
                StepKind::Index(Key::Number(key)) | StepKind::LegacyIndex(key) => {
                    format!("[{key}]")
                }
                StepKind::Index(Key::Bool(_) | Key::Null) => break,
            };
            let Some(step) = path_step(step) else { break };
            // The inside of a masked value is masked.
            value = match value.is_marked() {
                true => value,
                false => match step.apply(&value) {
                    Ok(value) => value,
                    Err(_) => break,
                },
            };
            title.push_str(&name);
            let span = Span {
                range,
                ..reference.span.clone()
            };
            push(&span, Text::value(&title, &value, ""), facts);
        }
    }
}

/// The step into a value that is written, where it is one.
pub(super) fn path_step(step: &Step) -> Option<PathStep> {
    Some(match &step.kind {
        StepKind::Attr(name) => PathStep::GetAttr(name.name.clone()),
        StepKind::Index(Key::String(key)) => PathStep::Index(Value::string(key)),
        StepKind::Index(Key::Number(key)) | StepKind::LegacyIndex(key) => {
            PathStep::Index(Value::int(key.parse().ok()?))
        }
        StepKind::Index(Key::Bool(_) | Key::Null) => return None,
    })
}

pub(super) fn referenced(planned: &FactInputs<'_>, subject: &Referenceable) -> Option<Value> {
    let plan = planned.plan;
    match subject {
        Referenceable::Var(name) => plan.variables.get(name).cloned(),
        Referenceable::Local(name) => plan.locals.get(name).cloned(),
        Referenceable::Resource(addr) => Some(plan.resources.of_root(addr)?.value.clone()),
        Referenceable::ResourceInstance(addr, key) => {
            let value = &plan.resources.of_root(addr)?.value;
            let step = match key {
                InstanceKey::None => return Some(value.clone()),
                InstanceKey::Int(index) => Value::int(i64::try_from(*index).ok()?),
                InstanceKey::String(key) => Value::string(key),
            };
            PathStep::Index(step).apply(value).ok()
        }
        _ => None,
    }
}

fn description<'a>(planned: &FactInputs<'a>, variable: &str) -> &'a str {
    let variable = planned.module.variables.get(variable);
    variable
        .and_then(|variable| variable.description.as_deref())
        .unwrap_or_default()
}

/// The schema of a resource's block: known also where nothing of it is planned.
fn schema<'a>(planned: &FactInputs<'a>, resource: &ResourceResult) -> Option<&'a Block> {
    let provider = planned.plan.schemas.get(&resource.provider)?;
    let types = types_of(provider, resource.addr.resource.mode);
    Some(&types.get(&resource.addr.resource.r#type)?.block)
}

/// The inputs of the descriptions of arguments.
struct Arguments<'a> {
    /// `None` outside of resources.
    resource: Option<&'a ResourceResult>,
}

impl Arguments<'_> {
    /// `path` is that of the block's object, or `None` where the object of the plan can't be found.
    fn add(
        &self,
        body: &config::Body,
        schema: &Block,
        path: Option<&Path>,
        facts: &mut FactsBuilder,
    ) {
        let body = eval::content(body, schema);
        for attribute in &body.attributes {
            let Some(schema) = schema.attributes.get(attribute.name()) else {
                continue;
            };
            if let Some(nested) = &schema.nested_type {
                add_elements(&attribute.origin, &attribute.ast.expr, nested, facts);
            }
            let mut text = Text::argument(attribute.name(), schema);
            if let (Some(resource), Some(path)) = (self.resource, path) {
                let path = path.attr(attribute.name());
                text.changes(resource, &path);
                text.outside(resource, &path);
            }
            text.attribute(schema);
            // The value too, behind all that is known about parts of it.
            push(&attribute.span(), text, facts);
        }
        let mut counts: BTreeMap<&str, i64> = BTreeMap::new();
        for nested in &body.blocks {
            let kind = nested.effective_kind();
            let Some(schema) = schema.block_types.get(kind) else {
                continue;
            };
            let is_dynamic = nested.kind() == "dynamic";
            let nth = counts.entry(kind).or_default();
            let inner = path
                .filter(|_| !is_dynamic)
                .map(|path| path.attr(kind))
                .and_then(|path| match schema.nesting {
                    Nesting::Single | Nesting::Group => Some(path),
                    Nesting::List => Some(path.index(Value::int(*nth))),
                    Nesting::Map => Some(path.index(Value::string(&nested.label(0)?.text))),
                    Nesting::Set => None,
                });
            // How many blocks a dynamic one makes is not known here.
            *nth += if is_dynamic { i64::from(i32::MAX) } else { 1 };
            match is_dynamic {
                false => self.add(&nested.body(), &schema.block, inner.as_ref(), facts),
                true => {
                    if let Some(content) = eval::dynamic_content(nested) {
                        self.add(&content, &schema.block, None, facts);
                    }
                }
            }
            push(
                &nested.header_span(),
                Text::nested_block(kind, schema),
                facts,
            );
        }
    }
}

/// The documentation of attributes inside of objects.
fn add_elements(origin: &Origin, expr: &Expr, nested: &NestedType, facts: &mut FactsBuilder) {
    match (&expr.kind, nested.nesting) {
        (ExprKind::Tuple(items), Nesting::List | Nesting::Set) => {
            for item in items {
                add_object(origin, item, nested, facts);
            }
        }
        (ExprKind::Object(items), Nesting::Map) => {
            for item in items {
                add_object(origin, &item.value, nested, facts);
            }
        }
        (ExprKind::Object(_), Nesting::Single | Nesting::Group) => {
            add_object(origin, expr, nested, facts);
        }
        _ => {}
    }
}

fn add_object(origin: &Origin, expr: &Expr, nested: &NestedType, facts: &mut FactsBuilder) {
    let ExprKind::Object(items) = &expr.kind else {
        return;
    };
    for item in items {
        let (name, range) = match &item.key {
            ObjectKey::Name(name) => (Some(name.name.clone()), name.range),
            ObjectKey::Expr(key) => (key.as_literal_string(), key.range),
        };
        let named = name.and_then(|name| nested.attributes.get_key_value(&name));
        let Some((name, schema)) = named else {
            continue;
        };
        if let Some(nested) = &schema.nested_type {
            add_elements(origin, &item.value, nested, facts);
        }
        let mut text = Text::argument(name, schema);
        text.attribute(schema);
        push(&origin.span(range), text, facts);
    }
}

/// An invocation of an action and the change that it belongs to.
fn invoked(invocation: &ActionInvocation<'_>) -> String {
    let triggered = invocation.triggered;
    let (when, what) = match triggered.event {
        ActionEvent::BeforeCreate => ("before", "created"),
        ActionEvent::AfterCreate => ("after", "created"),
        ActionEvent::BeforeUpdate => ("before", "updated"),
        ActionEvent::AfterUpdate => ("after", "updated"),
    };
    let (action, resource) = (invocation.addr, &triggered.resource);
    format!("{action} is invoked {when} {resource} is {what}")
}

fn add_header(
    planned: &FactInputs<'_>,
    resource: &ResourceResult,
    config: &Resource,
    schema: Option<&Block>,
    facts: &mut FactsBuilder,
) {
    let mut text = Text::default();
    text.code(&resource.addr.to_string());
    match &resource.caveat {
        Some(caveat) => text.paragraph(&caveat.to_string()),
        None => text.paragraph(&object::headline(resource).0),
    }
    let room = plan::OutputBudget::of_hover();
    let changes: Vec<&ResourceInstanceChange> = resource
        .changes()
        .filter(|change| change.action != Action::NoOp)
        .collect();
    for change in changes.iter().take(INSTANCE_LIMIT) {
        text.diff(plan::render_change(change, planned.plan.product, &room));
    }
    if changes.len() > INSTANCE_LIMIT {
        text.paragraph(&format!(
            "and {} more instances",
            changes.len() - INSTANCE_LIMIT
        ));
    }
    let invocations: Vec<_> = resource.action_invocations().collect();
    for invocation in invocations.iter().take(INSTANCE_LIMIT) {
        text.paragraph(&invoked(invocation));
    }
    if invocations.len() > INSTANCE_LIMIT {
        let more = invocations.len() - INSTANCE_LIMIT;
        text.paragraph(&format!("and {more} more times"));
    }
    let outside: Vec<_> = object::drift(resource).collect();
    if !outside.is_empty() {
        text.paragraph("Changed outside since the last apply:");
    }
    for drift in outside.iter().take(INSTANCE_LIMIT) {
        text.diff(plan::render_drift(drift, &room));
    }
    if outside.len() > INSTANCE_LIMIT {
        let more = outside.len() - INSTANCE_LIMIT;
        text.paragraph(&format!("and {more} more instances"));
    }
    if let Some(schema) = schema {
        text.documentation(&schema.description);
        text.documentation(&schema.deprecation_message);
    }
    push(&config.decl.span, text, facts);
}

fn push(span: &Span, text: Text, facts: &mut FactsBuilder) {
    facts.at(span).hovers.push(text.at(span.range));
}

impl Text {
    fn without_value(title: &str, label: &str, description: &str) -> Text {
        let mut text = Text::default();
        text.code(&format!("{title} = {label}"));
        text.documentation(description);
        text
    }

    fn value(title: &str, value: &Value, description: &str) -> Text {
        let mut text = Text::default();
        text.code(&format!(
            "{title} = {}",
            value_text::long(value, VALUE_LIMIT)
        ));
        // The names of other types say nothing.
        if value.ty().is_primitive() || value.ty().is_collection() {
            text.paragraph(&value.ty().friendly_name());
        }
        text.documentation(description);
        text
    }

    fn output(output: &Output, change: &OutputChange) -> Text {
        let show = |value: &Value| match change.is_sensitive || output.sensitive {
            true => MASKED.to_owned(),
            false => value_text::long(value, VALUE_LIMIT),
        };
        let (before, after) = (show(&change.before), show(&change.after));
        let mut text = Text::default();
        match change.action {
            Action::Update if before != after => {
                text.code(&format!("{} = {before} -> {after}", change.name));
            }
            _ => text.code(&format!("{} = {after}", change.name)),
        }
        text.documentation(output.description.as_deref().unwrap_or_default());
        text
    }

    /// The values of an argument before and after: once, if they are the same for all instances.
    fn changes(&mut self, resource: &ResourceResult, path: &Path) {
        let mut shown: Vec<(String, Vec<String>)> = Vec::new();
        let changes = resource.changes();
        for change in changes.filter(|it| it.deposed.is_none() && !it.after.is_null()) {
            let line = Text::change(change, path);
            let key = change.addr.key.to_string();
            match shown.iter_mut().find(|(known, _)| *known == line) {
                Some((_, keys)) => keys.push(key),
                None => shown.push((line, vec![key])),
            }
        }
        let is_same = shown.len() == 1;
        for (line, keys) in shown.iter().take(INSTANCE_LIMIT) {
            match is_same {
                true => self.code(line),
                false => self.code(&format!("# {}\n{line}", keys.join(", "))),
            }
        }
        if shown.len() > INSTANCE_LIMIT {
            self.paragraph(&format!("and {} more values", shown.len() - INSTANCE_LIMIT));
        }
    }

    /// Changes of the argument outside, by any instance.
    fn outside(&mut self, resource: &ResourceResult, path: &Path) {
        let changed = object::drift(resource).filter(|it| it.action == Action::Update);
        let lines = changed.map(|drift| (Text::change(drift, path), drift.shown()));
        let differs = |(before, after): &(Value, Value)| {
            let at = |value| Some(path.apply(value).ok()?.unmark_deep().0);
            at(before) != at(after)
        };
        let lines = lines.filter(|(_, shown)| differs(shown));
        let lines: BTreeSet<String> = lines.map(|(line, _)| line).collect();
        for line in lines.iter().take(INSTANCE_LIMIT) {
            self.paragraph(&format!("changed outside: {line}"));
        }
    }

    fn change(change: &ResourceInstanceChange, path: &Path) -> String {
        let shown = |value: &Value| match path.apply(value) {
            Ok(value) => value_text::long(&value, VALUE_LIMIT),
            Err(_) => "null".to_owned(),
        };
        let (before, after) = change.shown();
        let (before, after) = (shown(&before), shown(&after));
        let forces = match change.is_forced_by(path) {
            true => "  # forces replacement",
            false => "",
        };
        match change.before.is_null() || before == after {
            true => format!("{after}{forces}"),
            false => format!("{before} -> {after}{forces}"),
        }
    }
}
