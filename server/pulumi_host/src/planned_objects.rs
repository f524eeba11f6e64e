//! The plan of a program in the words of all engines.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use ide::{
    Cause, Caveat, ChangeKind, Changed, ChangedAttribute, Former, ObjectChange, PlannedObject,
    ValueText,
};
use pulumi::caveat::Caveat as Reason;
use pulumi::engine::drift::OutsideChange;
use pulumi::evaluate::Binding;
use pulumi::expr::{Expr, ExprKind};
use pulumi::functions::json;
use pulumi::path::{Path, PathStep};
use pulumi::plan::Step;
use pulumi::program::{Declared, Program, ResourceDecl};
use pulumi::step::Op;
use pulumi::urn::{STACK_TYPE, Urn};
use pulumi::value::{Object, Value};
use text::{Span, TextRange};

use crate::rename;
use crate::session::PlannedProject;

/// Objects of earlier plans, by their steps.
#[derive(Default)]
pub(crate) struct Objects {
    known: HashMap<usize, CachedObject>,
}

struct CachedObject {
    step: Arc<Step>,
    object: PlannedObject,
    values: Vec<(Span, String)>,
}

/// The word of `pulumi preview` for values that are known only after the update.
const UNKNOWN: &str = "[unknown]";

/// Longer values are not shown on a line.
const LONG: usize = 200;

impl Objects {
    /// Everything that is planned, with the values of expressions that don't show them.
    pub(crate) fn of(
        &mut self,
        planned: &PlannedProject,
    ) -> (Vec<PlannedObject>, Vec<(Span, String)>) {
        let PlannedProject { plan, program, .. } = planned;
        let is_state_unread = planned.unread.is_some();
        let unread = planned.unread.as_ref().map(|why| Caveat {
            is_of_errors: false,
            brief: String::new(),
            whole: rename::existing_unknown(why),
        });
        let declared = program.resources.iter();
        let declared: HashMap<Span, &Arc<Declared<ResourceDecl>>> =
            declared.map(|it| (it.place(), it)).collect();
        let with_errors = plan.problems.iter().filter(|it| it.problem.is_error());
        let with_errors: Vec<_> = with_errors.filter_map(|it| it.urn.as_ref()).collect();
        let (mut objects, mut values) = (Vec::new(), Vec::new());
        let mut known = HashMap::new();
        for step in plan.steps.iter().filter(|it| is_shown(it)) {
            let key = Arc::as_ptr(step) as usize;
            let entry = self.known.remove(&key).unwrap_or_else(|| {
                let declared = step.declared.as_ref().and_then(|it| declared.get(it));
                let (object, values) = object(step, declared.map(|it| &***it));
                CachedObject {
                    step: step.clone(),
                    object,
                    values,
                }
            });
            let declared = step.declared.as_ref().and_then(|it| declared.get(it));
            let has_failed = |it: &Reason| match it {
                Reason::Failed(name) => declared.is_some_and(|it| it.name == *name),
                _ => false,
            };
            let has_errors =
                with_errors.contains(&&step.urn) || step.caveats.iter().any(has_failed);
            let mut object = PlannedObject {
                has_errors,
                is_state_unread,
                outside: outside(step, declared.map(|it| &***it), &planned.refreshed.changes),
                ..entry.object.clone()
            };
            if declared.is_some_and(|it| it.is_of_earlier_text()) && object.caveat.is_none() {
                object.caveat = Some(Caveat {
                    is_of_errors: true,
                    brief: String::new(),
                    whole: "planned as it was before the text had errors".to_owned(),
                });
            }
            if object.caveat.is_none() {
                object.caveat.clone_from(&unread);
            }
            objects.push(object);
            values.extend(entry.values.iter().cloned());
            known.insert(Arc::as_ptr(&entry.step) as usize, entry);
        }
        self.known = known;
        for declared in program.variables.iter().chain(&program.outputs) {
            let value = match plan.names.get(&declared.name).map(|it| &**it) {
                Some(Binding::Value(value)) if is_variable(program, declared) => &value.value,
                _ => match plan.outputs.get(&declared.name) {
                    Some(value) if !is_variable(program, declared) => value,
                    _ => continue,
                },
            };
            let span = |range| declared.span(range);
            shown_values(&declared.decl, value, &span, &mut values, &mut Vec::new());
        }
        (objects, values)
    }
}

fn is_variable(program: &Program, declared: &Arc<Declared<Expr>>) -> bool {
    program.variables.iter().any(|it| Arc::ptr_eq(it, declared))
}

pub(crate) fn kind(op: Op) -> ChangeKind {
    match op {
        Op::Same => ChangeKind::NoOp,
        Op::Create => ChangeKind::Create,
        Op::Update => ChangeKind::Update,
        Op::Replace {
            deletes_first: true,
        } => ChangeKind::DeleteThenCreate,
        Op::Replace {
            deletes_first: false,
        } => ChangeKind::CreateThenDelete,
        Op::Delete => ChangeKind::Delete,
        Op::Read => ChangeKind::Read,
        Op::Discard => ChangeKind::Forget,
        Op::Import => ChangeKind::Import,
    }
}

/// A resource that waits for its plugin.
pub(crate) fn waiting(declared: &Declared<ResourceDecl>) -> PlannedObject {
    let why = format!("waiting for {}", declared.decl.package());
    PlannedObject {
        address: declared.name.clone(),
        place: Some(declared.place()),
        instances: 1,
        caveat: Some(Caveat {
            is_of_errors: false,
            whole: format!("{} is not planned: {why}", declared.name),
            brief: why,
        }),
        ..PlannedObject::default()
    }
}

fn is_shown(step: &Step) -> bool {
    step.urn.type_name() != STACK_TYPE && !(step.is_default_provider && step.caveats.is_empty())
        || matches!(step.op, Op::Delete | Op::Discard)
}

fn object(
    step: &Step,
    declared: Option<&Declared<ResourceDecl>>,
) -> (PlannedObject, Vec<(Span, String)>) {
    let kind = kind(step.op);
    let address = step.urn.name().to_owned();
    let mut object = PlannedObject {
        address: address.clone(),
        place: step.declared.clone(),
        instances: 1,
        ..PlannedObject::default()
    };
    let mut values = Vec::new();
    let caveats: Vec<String> = step.caveats.iter().map(ToString::to_string).collect();
    if !caveats.is_empty() {
        let why = caveats.join("; ");
        object.caveat = Some(Caveat {
            is_of_errors: false,
            brief: caveats[0].clone(),
            whole: match step.is_planned() {
                true => format!("{address} is a guess: {why}"),
                false => format!("{address} is not planned: {why}"),
            },
        });
    }
    if !step.is_planned() {
        return (object, values);
    }
    let mut change = ObjectChange::new(address, kind);
    if kind != ChangeKind::NoOp {
        change.details = pulumi::render::step(step);
        change.attributes = attributes(step);
    }
    let former = step.old.as_ref().filter(|old| old.urn != step.urn);
    change.former = former.map(|old| Former {
        instance: old.urn.name().to_owned(),
        object: old.urn.name().to_owned(),
    });
    let properties = declared.and_then(|it| it.decl.properties.as_ref());
    if let Some((declared, new)) = declared.zip(step.new.as_ref()) {
        let span = |range| declared.span(range);
        if kind.is_replace() {
            change.causes = causes(step, properties, &span, &forcing(step));
            change.why = why(step).map(Into::into);
        }
        change.changed = causes(step, properties, &span, &changing(step));
        if let Some(properties) = properties {
            let inputs = Value::Object(new.inputs.clone());
            shown_values(properties, &inputs, &span, &mut values, &mut object.unknown);
        }
    }
    object.changes.push(change);
    (object, values)
}

/// Why something is replaced, where no property is the cause.
fn why(step: &Step) -> Option<&'static str> {
    let keys: Vec<&str> = step.replace_keys.iter().map(String::as_str).collect();
    Some(match keys.as_slice() {
        ["provider"] => "its provider is replaced",
        ["id"] => "a replacement was requested",
        ["replaceWith"] => "a resource of its `replaceWith` is replaced",
        ["deletedWith"] => "the resource of its `deletedWith` is replaced",
        [] if step.detailed.is_some() => return None,
        [] if step
            .old
            .as_ref()
            .is_some_and(|it| it.is_pending_replacement) =>
        {
            "its replacement was not finished"
        }
        [] => "its `replacementTrigger` changes, or a dependency is deleted first",
        _ => return None,
    })
}

/// The paths that force the replacement.
fn forcing(step: &Step) -> Vec<Path> {
    let detailed = step.detailed.iter().flatten();
    let detailed = detailed.filter(|(_, diff)| diff.kind.is_replace());
    let paths = detailed.filter_map(|(path, _)| Path::parse(path).ok());
    let mut paths: Vec<Path> = paths.collect();
    for key in &step.replace_keys {
        let is_known = paths.iter().any(|path| path.root() == Some(key));
        if !is_known && !["provider", "id", "replaceWith", "deletedWith"].contains(&&**key) {
            paths.push(Path::name(key));
        }
    }
    paths
}

/// The other paths that differ.
fn changing(step: &Step) -> Vec<Path> {
    let Some(detailed) = &step.detailed else {
        let keys = step.diff_keys.iter();
        let keys = keys.filter(|key| !step.replace_keys.contains(key));
        return keys.map(|key| Path::name(key)).collect();
    };
    let others = detailed.iter().filter(|(_, diff)| !diff.kind.is_replace());
    others
        .filter_map(|(path, _)| Path::parse(path).ok())
        .collect()
}

/// The inputs that change.
fn attributes(step: &Step) -> Vec<ChangedAttribute> {
    let forcing = forcing(step);
    let all = |inputs: &Object| {
        // Pulumi keeps its own entries among the inputs.
        let names = inputs.keys().filter(|it| !it.starts_with("__"));
        names.map(|it| Path::name(it)).collect()
    };
    let (old, new) = (step.old.as_ref(), step.new.as_ref());
    let paths = match (old, new) {
        (Some(_), Some(_)) => [forcing.clone(), changing(step)].concat(),
        (Some(old), None) => all(&old.inputs),
        (None, Some(new)) => all(&new.inputs),
        (None, None) => Vec::new(),
    };
    let told = |value: &Value| value_text(Some(value));
    let attributes = paths.iter().map(|path| ChangedAttribute {
        path: path.to_string(),
        before: old
            .and_then(|it| before(path, &it.inputs, &it.outputs))
            .map(told),
        after: new.and_then(|it| path.get(&it.inputs)).map(told),
        forces_replacement: forcing.contains(path),
    });
    attributes.collect()
}

/// The differences at these paths, by place in the text.
fn causes(
    step: &Step,
    properties: Option<&Expr>,
    span: &dyn Fn(TextRange) -> Span,
    paths: &[Path],
) -> Vec<Cause> {
    let (Some(old), Some(new)) = (&step.old, &step.new) else {
        return Vec::new();
    };
    let mut causes: Vec<Cause> = Vec::new();
    for path in paths {
        let found = properties.map(|it| find(it, path));
        let Some(found) = found.filter(|it| it.depth > 0) else {
            continue;
        };
        let changed = Changed {
            path: path.to_string(),
            name: path.0.last().map(step_name).unwrap_or_default(),
            before: value_text(before(path, &old.inputs, &old.outputs)),
            after: value_text(path.get(&new.inputs)),
            is_own_place: found.depth == path.0.len(),
        };
        let at = span(found.at);
        match causes.iter_mut().find(|it| it.span == at) {
            Some(cause) => cause.changed.push(changed),
            None => causes.push(Cause {
                span: at,
                argument: None,
                changed: vec![changed],
            }),
        }
    }
    causes
}

fn before<'a>(path: &Path, inputs: &'a Object, outputs: &'a Object) -> Option<&'a Value> {
    path.get(inputs).or_else(|| path.get(outputs))
}

fn step_name(step: &PathStep) -> String {
    match step {
        PathStep::Name(name) => name.clone(),
        PathStep::Index(index) => format!("[{index}]"),
        PathStep::Any | PathStep::AnyKey => "[*]".to_owned(),
    }
}

/// What happened to the object of a step outside.
fn outside(
    step: &Step,
    declared: Option<&Declared<ResourceDecl>>,
    changes: &BTreeMap<Urn, OutsideChange>,
) -> Vec<ide::OutsideChange> {
    let urn = step.old.as_ref().map_or(&step.urn, |old| &old.urn);
    let Some(OutsideChange { before, after }) = changes.get(urn) else {
        return Vec::new();
    };
    let mut found = ide::OutsideChange {
        address: step.urn.name().to_owned(),
        is_deleted: after.is_none(),
        places: Vec::new(),
        elsewhere: Vec::new(),
    };
    let after = after.as_ref().unwrap_or(before);
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    for name in names {
        let (before, after) = (before.get(name), after.get(name));
        if before.map(Value::revealed) == after.map(Value::revealed) {
            continue;
        }
        let is_secret = before.into_iter().chain(after).any(Value::has_secret);
        let told = |value: Option<&Value>| match is_secret {
            true => ValueText::Masked,
            false => value_text(value),
        };
        let changed = Changed {
            path: name.clone(),
            name: name.clone(),
            before: told(before),
            after: told(after),
            is_own_place: true,
        };
        let place = declared.and_then(|declared| {
            let properties = declared.decl.properties.as_ref()?;
            let place = find(properties, &Path::name(name));
            (place.depth > 0).then(|| declared.span(place.at))
        });
        match place {
            Some(span) => found.places.push(Cause {
                span,
                argument: None,
                changed: vec![changed],
            }),
            None => found.elsewhere.push(changed),
        }
    }
    vec![found]
}

/// The narrowest expression around a path.
struct NearestExpression {
    at: TextRange,
    /// How many steps of the path lead to it.
    depth: usize,
}

fn find(properties: &Expr, path: &Path) -> NearestExpression {
    let mut found = NearestExpression {
        at: properties.at,
        depth: 0,
    };
    let mut expr = properties;
    for step in &path.0 {
        let next = match (&expr.kind, step) {
            (ExprKind::Object(properties), PathStep::Name(name)) => properties
                .iter()
                .find(|it| it.key.as_str() == Some(name))
                .map(|it| (&it.value, it.key.at)),
            (ExprKind::List(elements), PathStep::Index(index)) => {
                elements.get(*index).map(|it| (it, it.at))
            }
            _ => None,
        };
        let Some((value, at)) = next else {
            break;
        };
        let is_compound = matches!(value.kind, ExprKind::Object(_) | ExprKind::List(_));
        found = NearestExpression {
            // A value of several lines is shown at its key.
            at: if is_compound || value.at.is_empty() {
                at
            } else {
                value.at
            },
            depth: found.depth + 1,
        };
        expr = value;
    }
    found
}

pub(crate) fn value_text(value: Option<&Value>) -> ValueText {
    let Some(value) = value else {
        return ValueText::Known("null".to_owned());
    };
    match value {
        Value::Secret(_) => ValueText::Masked,
        _ if value.has_unknown() => ValueText::Unknown(UNKNOWN.to_owned()),
        _ => {
            let text = json(&masked(value));
            match text.chars().count() <= LONG {
                true => ValueText::Known(text),
                false => ValueText::Long,
            }
        }
    }
}

/// Without secrets, wherever they are.
pub(crate) fn masked(value: &Value) -> Value {
    match value {
        Value::Secret(_) => Value::from("[secret]"),
        Value::Array(elements) => Value::Array(elements.iter().map(masked).collect()),
        Value::Object(object) => {
            let object = object.iter();
            Value::Object(
                object
                    .map(|(key, value)| (key.clone(), masked(value)))
                    .collect(),
            )
        }
        other => other.clone(),
    }
}

/// The values of references, and unknown values.
fn shown_values(
    expr: &Expr,
    value: &Value,
    span: &dyn Fn(TextRange) -> Span,
    values: &mut Vec<(Span, String)>,
    unknown: &mut Vec<(Span, &'static str)>,
) {
    match (&expr.kind, value) {
        (ExprKind::Object(properties), Value::Object(object)) => {
            for property in properties {
                let name = property.key.as_str();
                if let Some(value) = name.and_then(|it| object.get(it)) {
                    shown_values(&property.value, value, span, values, unknown);
                }
            }
        }
        (ExprKind::List(elements), Value::Array(found)) => {
            for (element, value) in elements.iter().zip(found) {
                shown_values(element, value, span, values, unknown);
            }
        }
        (ExprKind::Access(_) | ExprKind::Template(_) | ExprKind::Call(_), value) => {
            let is_short = |text: &String| text.chars().count() <= 40;
            match value_text(Some(value)) {
                _ if value.has_secret() => {}
                ValueText::Unknown(_) => unknown.push((span(expr.at), UNKNOWN)),
                ValueText::Known(text) if is_short(&text) => values.push((span(expr.at), text)),
                ValueText::Known(_) | ValueText::Masked | ValueText::Long => {}
            }
        }
        _ => {}
    }
}
