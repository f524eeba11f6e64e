//! Where in a configuration the values are that force a replacement, are changed, or changed outside.

use config::{Body, Resource};
use cty::{Mark, Path, PathStep, Type, Value};
use plan::{Action, ResourceInstanceChange, ResourceResult};
use text::Span;

use super::value_text;
use crate::any_engine::MASKED;
use crate::{Cause, Changed, ChangedAttribute, OutsideChange, ValueText};

/// The causes of the replacement of an instance, as deep in the configuration as possible.
pub(super) fn causes(
    resource: &ResourceResult,
    config: &Resource,
    change: &ResourceInstanceChange,
) -> Vec<Cause> {
    let mut found = LocatedCauses::default();
    let (shown_before, shown_after) = change.shown();
    for path in change.forcing_paths() {
        let before = at(path, &shown_before);
        let after = at(path, &shown_after);
        for difference in narrowed(resource, change, path.clone(), before, after) {
            found.add(config, change, difference);
        }
    }
    found.places
}

/// How the values at `path` differ. Some providers plan a whole map as unknown where one element is; the configuration
/// tells which.
fn narrowed(
    resource: &ResourceResult,
    change: &ResourceInstanceChange,
    path: Path,
    before: Option<Value>,
    after: Option<Value>,
) -> Vec<Difference> {
    let schema = change.schema.block.attribute_at(&path);
    let is_masked = schema.is_none_or(super::may_mask);
    let given = || at(&path, resource.config_value(&change.addr.key)?);
    let after = match after {
        Some(after) if !after.is_known() && !after.contains_marked() && !is_masked => {
            given().or(Some(after))
        }
        after => after,
    };
    differences(path, before, after)
}

/// The values that a configuration gives an instance and that it does not have yet, but for those that force a
/// replacement.
pub(super) fn changed(
    resource: &ResourceResult,
    config: &Resource,
    change: &ResourceInstanceChange,
) -> Vec<Cause> {
    let mut found = LocatedCauses::default();
    let (before, after) = change.shown();
    let all = differences(Path::new(), Some(before), Some(after)).into_iter();
    let not_forcing = all.filter(|it| !change.is_forced_by(&it.path));
    let narrowed =
        not_forcing.flat_map(|it| narrowed(resource, change, it.path, it.before, it.after));
    for mut difference in narrowed {
        let (before, after) = (difference.before.as_ref(), difference.after.as_ref());
        let is_new = before.is_none_or(Value::is_null)
            && after.is_none_or(|it| !it.is_known() || it.is_null());
        let plain = |value: &Value| value.unmark_deep().0;
        let is_same = before
            .zip(after)
            .is_some_and(|(a, b)| plain(a).raw_equals(&plain(b)));
        if is_new || is_same {
            // There is nothing to compare.
            continue;
        }
        let schema = change.schema.block.attribute_at(&difference.path);
        if schema.is_some_and(super::may_mask) {
            let mask = |value: Value| value.mark(Mark::Sensitive);
            difference.before = difference.before.map(mask);
            difference.after = difference.after.map(mask);
        }
        found.add(config, change, difference);
    }
    found.places
}

/// Every value of an instance that a plan changes.
pub(super) fn attributes(
    resource: &ResourceResult,
    change: &ResourceInstanceChange,
) -> Vec<ChangedAttribute> {
    let (before, after) = change.shown();
    let [before, after] = [before, after].map(|it| change.with_schema_marks(&it));
    let all = match change.action {
        Action::NoOp | Action::Forget => Vec::new(),
        Action::Create | Action::Read => parts(Path::new(), after, |value| (None, Some(value))),
        Action::Delete => parts(Path::new(), before, |value| (Some(value), None)),
        Action::Update
        | Action::DeleteThenCreate
        | Action::CreateThenDelete
        | Action::ForgetThenCreate => differences(Path::new(), Some(before), Some(after)),
    };
    let given = resource.config_value(&change.addr.key);
    let is_given = |path: &Path| {
        given
            .and_then(|it| at(path, it))
            .is_some_and(|it| !it.is_null())
    };
    // A whole object differs in its marks alone: none of its values does.
    let all = all.into_iter().filter(|it| !it.path.is_empty());
    let narrowed = all.flat_map(|it| match is_given(&it.path) {
        true => narrowed(resource, change, it.path, it.before, it.after),
        false => vec![it],
    });
    let schema = &change.schema.block;
    let told = |value: &Option<Value>, path: &Path| {
        let value = value.as_ref().filter(|it| !it.is_null())?;
        let is_block = schema.attribute_at(path).is_none();
        (!is_block || value.length_int() != Some(0)).then(|| value_text(Some(value)))
    };
    let attributes = narrowed.map(|it| ChangedAttribute {
        path: argument(&it.path),
        before: told(&it.before, &it.path),
        after: told(&it.after, &it.path),
        forces_replacement: change.is_forced_by(&it.path),
    });
    let has_value = |it: &ChangedAttribute| it.before.is_some() || it.after.is_some();
    attributes.filter(has_value).collect()
}

/// The attributes of an object that is new or deleted, and what is inside of those that are known in part.
fn parts(
    path: Path,
    value: Value,
    sides: fn(Value) -> (Option<Value>, Option<Value>),
) -> Vec<Difference> {
    let is_whole = !path.is_empty()
        && (!value.is_known() || value.is_wholly_known() || value.has_mark(&Mark::Sensitive));
    let elements = match is_whole {
        true => None,
        false => elements(&value),
    };
    let Some(elements) = elements else {
        let (before, after) = sides(value);
        return vec![Difference {
            path,
            before,
            after,
        }];
    };
    elements
        .into_iter()
        .flat_map(|(step, value)| parts(path.step(step), value, sides))
        .collect()
}

/// Those of maps, objects and lists, with the steps to them.
fn elements(value: &Value) -> Option<Vec<(PathStep, Value)>> {
    match value.ty() {
        Type::Object(_) | Type::Map(_) => {
            let is_object = value.ty().is_object();
            let step = |key: &smol_str::SmolStr| match is_object {
                true => PathStep::GetAttr(key.clone()),
                false => PathStep::Index(Value::string(key)),
            };
            let elements = value.as_map()?.iter();
            Some(elements.map(|(key, it)| (step(key), it.clone())).collect())
        }
        Type::List(_) | Type::Tuple(_) => {
            let elements = value.as_slice()?.iter().enumerate();
            let step = |at: usize| Some(PathStep::Index(Value::int(i64::try_from(at).ok()?)));
            elements
                .map(|(at, it)| Some((step(at)?, it.clone())))
                .collect()
        }
        _ => None,
    }
}

/// How an instance differs from the last apply.
pub(super) fn outside(config: &Resource, drift: &ResourceInstanceChange) -> OutsideChange {
    let mut found = LocatedCauses::default();
    for difference in differences_outside(drift) {
        found.add(config, drift, difference);
    }
    OutsideChange {
        address: drift.addr.to_string(),
        is_deleted: drift.action == Action::Delete,
        places: found.places,
        elsewhere: found.elsewhere,
    }
}

/// Whether an object was changed or deleted outside. Many providers read null as an empty value, which nobody changed.
pub(super) fn is_reported(drift: &ResourceInstanceChange) -> bool {
    drift.action == Action::Delete || !differences_outside(drift).is_empty()
}

fn differences_outside(drift: &ResourceInstanceChange) -> Vec<Difference> {
    if drift.action != Action::Update {
        return Vec::new();
    }
    let (before, after) = drift.shown();
    let mut found = differences(Path::new(), Some(before), Some(after));
    found.retain(|it| !is_nothing(it.before.as_ref()) || !is_nothing(it.after.as_ref()));
    found
}

fn is_nothing(value: Option<&Value>) -> bool {
    value.is_none_or(|value| {
        let value = value.unmark_deep().0;
        value.is_null() || value.as_str() == Some("") || value.length_int() == Some(0)
    })
}

/// A value that differs, no element of which differs alone.
struct Difference {
    path: Path,
    before: Option<Value>,
    after: Option<Value>,
}

fn differences(path: Path, before: Option<Value>, after: Option<Value>) -> Vec<Difference> {
    let elements = changed_elements(before.as_ref(), after.as_ref()).unwrap_or_default();
    match elements.is_empty() {
        true => vec![Difference {
            path,
            before,
            after,
        }],
        false => {
            let elements = elements.into_iter();
            elements
                .flat_map(|(step, before, after)| differences(path.step(step), before, after))
                .collect()
        }
    }
}

/// Values that differ.
#[derive(Default)]
struct LocatedCauses {
    /// Those that a configuration gives.
    places: Vec<Cause>,
    elsewhere: Vec<Changed>,
}

impl LocatedCauses {
    fn add(&mut self, config: &Resource, change: &ResourceInstanceChange, difference: Difference) {
        let Difference {
            path,
            before,
            after,
        } = difference;
        let locate = |path: &Path| eval::locate(&config.body, &change.schema.block, path);
        let span = locate(&path);
        let (_, around) = path.steps().split_last().unwrap_or((&NOTHING, &[]));
        let around = around
            .iter()
            .fold(Path::new(), |path, step| path.step(step.clone()));
        let changed = Changed {
            is_own_place: around.is_empty() || locate(&around) != span,
            path: argument(&path),
            name: name(&path),
            before: value_text(before.as_ref()),
            after: value_text(after.as_ref()),
        };
        let Some(span) = span else {
            self.elsewhere.push(changed);
            return;
        };
        match self.places.iter_mut().find(|place| place.span == span) {
            Some(place) => place.changed.push(changed),
            None => self.places.push(Cause {
                span,
                argument: argument_of(&eval::content(&config.body, &change.schema.block), &path),
                changed: vec![changed],
            }),
        }
    }
}

/// The last step of a path.
fn name(path: &Path) -> String {
    match path.steps().last() {
        Some(PathStep::GetAttr(name)) => name.to_string(),
        Some(PathStep::Index(key)) => key.as_str().map_or_else(
            || value_text::short(key, 60).unwrap_or_default(),
            str::to_owned,
        ),
        None => String::new(),
    }
}

fn value_text(value: Option<&Value>) -> ValueText {
    const MUCH: usize = 1000;
    let Some(value) = value else {
        return ValueText::Known("null".to_owned());
    };
    match value_text::short(value, MUCH) {
        None => ValueText::Long,
        Some(text) if !value.is_known() => ValueText::Unknown(text),
        Some(text) if text == MASKED => ValueText::Masked,
        Some(text) => ValueText::Known(text),
    }
}

const NOTHING: PathStep = PathStep::GetAttr(smol_str::SmolStr::new_static(""));

type ChangedElement = (PathStep, Option<Value>, Option<Value>);

/// The elements in which two maps, objects or equally long lists differ; `None` for values of other types.
fn changed_elements(before: Option<&Value>, after: Option<&Value>) -> Option<Vec<ChangedElement>> {
    let (before, after) = (before?, after?);
    let differs = |a: Option<&Value>, b: Option<&Value>| match (a, b) {
        (Some(a), Some(b)) => !a.unmark_deep().0.raw_equals(&b.unmark_deep().0),
        (a, b) => a.is_some() != b.is_some(),
    };
    let mut changed = Vec::new();
    match after.ty() {
        Type::Object(_) | Type::Map(_) => {
            let is_object = after.ty().is_object();
            let (before, after) = (before.as_map()?, after.as_map()?);
            let keys: std::collections::BTreeSet<_> = before.keys().chain(after.keys()).collect();
            for key in keys {
                let step = match is_object {
                    true => PathStep::GetAttr(key.clone()),
                    false => PathStep::Index(Value::string(key)),
                };
                let (before, after) = (before.get(key), after.get(key));
                if differs(before, after) {
                    changed.push((step, before.cloned(), after.cloned()));
                }
            }
        }
        Type::List(_) | Type::Tuple(_) => {
            let (before, after) = (before.as_slice()?, after.as_slice()?);
            if before.len() != after.len() {
                return None;
            }
            for (index, (before, after)) in before.iter().zip(after).enumerate() {
                if differs(Some(before), Some(after)) {
                    let index = Value::int(i64::try_from(index).ok()?);
                    let step = PathStep::Index(index);
                    changed.push((step, Some(before.clone()), Some(after.clone())));
                }
            }
        }
        _ => return None,
    }
    Some(changed)
}

fn argument_of(body: &Body, path: &Path) -> Option<Span> {
    match path.steps().first()? {
        PathStep::GetAttr(name) => Some(body.attribute(name)?.expr().span()),
        PathStep::Index(_) => None,
    }
}

fn at(path: &Path, value: &Value) -> Option<Value> {
    path.apply(value).ok()
}

/// A path as it reads in a configuration: without the dot in front.
pub(super) fn argument(path: &Path) -> String {
    let mut text = String::new();
    for step in path.steps() {
        match step {
            PathStep::GetAttr(name) if text.is_empty() => text.push_str(name),
            PathStep::GetAttr(name) if is_name(name) => text.extend([".", name]),
            PathStep::GetAttr(name) => text.extend(["[", &cty::quote(name), "]"]),
            PathStep::Index(key) => match key.as_str().filter(|key| is_name(key)) {
                Some(key) => text.extend([".", key]),
                None => {
                    let key = value_text::short(key, 60).unwrap_or_else(|| "…".to_owned());
                    text.extend(["[", &key, "]"]);
                }
            },
        }
    }
    text
}

fn is_name(key: &str) -> bool {
    let mut chars = key.chars();
    chars.next().is_some_and(char::is_alphabetic)
        && chars.all(|c| c.is_alphanumeric() || c == '_' || c == '-')
}
