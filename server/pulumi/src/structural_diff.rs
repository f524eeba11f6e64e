//! The difference of two objects, where a provider has no opinion.

use crate::ask::{Changes, Detailed, DiffKind, Diffed, PropertyDiff};
use crate::path::{Path, PathStep};
use crate::value::{Object, Secret, Value};

/// The differences between old and new inputs, without the paths in `ignored`.
pub fn structural(old: &Object, new: &Object, ignored: &[Path]) -> Diffed {
    let mut found = Vec::new();
    objects(old, new, None, &mut found);
    found.retain(|(path, _)| !ignored.iter().any(|it| it.contains(path)));
    let mut diffs: Vec<String> = Vec::new();
    let mut detailed = Detailed::new();
    for (path, kind) in found {
        if let Some(root) = path.root()
            && !diffs.iter().any(|it| it == root)
        {
            diffs.push(root.to_owned());
        }
        let diff = PropertyDiff {
            kind,
            is_of_inputs: true,
        };
        detailed.insert(path.to_string(), diff);
    }
    Diffed {
        changes: match diffs.is_empty() {
            true => Changes::None,
            false => Changes::Some,
        },
        diffs,
        detailed: Some(detailed),
        ..Diffed::default()
    }
}

fn objects(old: &Object, new: &Object, at: Option<&Path>, found: &mut Vec<(Path, DiffKind)>) {
    let place = |key: &String| match at {
        Some(path) => path.then(PathStep::Name(key.clone())),
        None => Path::name(key),
    };
    for (key, value) in old {
        match new.get(key) {
            Some(new) => values(value, new, &place(key), found),
            None if *value == Value::Null => {}
            None => found.push((place(key), DiffKind::Delete)),
        }
    }
    let is_new =
        |(key, value): &(&String, &Value)| !old.contains_key(*key) && **value != Value::Null;
    found.extend(
        new.iter()
            .filter(is_new)
            .map(|(key, _)| (place(key), DiffKind::Add)),
    );
}

fn values(old: &Value, new: &Value, at: &Path, found: &mut Vec<(Path, DiffKind)>) {
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => objects(old, new, Some(at), found),
        (Value::Array(old), Value::Array(new)) => {
            for index in 0..old.len().max(new.len()) {
                let at = at.then(PathStep::Index(index));
                match (old.get(index), new.get(index)) {
                    (Some(old), Some(new)) => values(old, new, &at, found),
                    (Some(_), None) => found.push((at, DiffKind::Delete)),
                    (None, _) => found.push((at, DiffKind::Add)),
                }
            }
        }
        (Value::Null, Value::Null) => {}
        (Value::Null, _) => found.push((at.clone(), DiffKind::Add)),
        (_, Value::Null) => found.push((at.clone(), DiffKind::Delete)),
        _ if old == new => {}
        _ => found.push((at.clone(), DiffKind::Update)),
    }
}

/// `new` with the old value at a path. If only one of them has the parent of that path, `new` is unchanged.
///
/// Source: `PropertyPath.reset` in `properties_path.go` of Pulumi.
pub fn with_old(new: &mut Object, old: &Object, path: &Path) {
    in_object(new, Some(old), &path.0, Around::default());
}

/// Whether what is looked at was, and is, inside of a secret.
#[derive(Clone, Copy, Default)]
struct Around {
    was_secret: bool,
    is_secret: bool,
}

impl Around {
    /// A former value, secret if its place no longer makes it that.
    fn before(self, value: &Value) -> Value {
        match self.was_secret && !self.is_secret {
            true => Value::secret(value.clone()),
            false => value.clone(),
        }
    }
}

fn in_object(new: &mut Object, old: Option<&Object>, path: &[PathStep], around: Around) {
    let before = |value: &Value| around.before(value);
    match (path.split_first(), old) {
        (Some((PathStep::Name(name), [])), old) => match old.and_then(|it| it.get(name)) {
            Some(value) => drop(new.insert(name.clone(), before(value))),
            None => drop(new.remove(name)),
        },
        (Some((PathStep::Name(name), rest)), Some(old)) => {
            if let Some(new) = new.get_mut(name) {
                inside(new, old.get(name).unwrap_or(&Value::Null), rest, around);
            }
        }
        (Some((PathStep::Any | PathStep::AnyKey, [])), Some(old)) => {
            let olds = old.iter().map(|(key, it)| (key.clone(), before(it)));
            *new = olds.collect();
        }
        (Some((PathStep::Any | PathStep::AnyKey, rest)), Some(old)) => {
            for (key, value) in new.iter_mut() {
                if let Some(old) = old.get(key) {
                    inside(value, old, rest, around);
                }
            }
        }
        (Some((PathStep::Index(_), _)) | None, _) | (_, None) => {}
    }
}

/// The path has another step.
fn inside(new: &mut Value, old: &Value, path: &[PathStep], around: Around) {
    let around = Around {
        was_secret: around.was_secret || matches!(old, Value::Secret(_)),
        is_secret: around.is_secret || matches!(new, Value::Secret(_)),
    };
    let old = old.revealed();
    match new {
        Value::Secret(Secret::Known(new)) => inside(new, old, path, around),
        Value::Object(new) => {
            let old = match old {
                Value::Object(old) => Some(old),
                _ => None,
            };
            in_object(new, old, path, around);
        }
        Value::Array(new) => {
            if let (Value::Array(old), Some((first, rest))) = (old, path.split_first()) {
                let is_meant = |at: usize| match first {
                    PathStep::Index(index) => *index == at,
                    PathStep::Any | PathStep::AnyKey => true,
                    PathStep::Name(_) => false,
                };
                let pairs = new.iter_mut().zip(old).enumerate();
                for (_, (new, old)) in pairs.filter(|(at, _)| is_meant(*at)) {
                    match rest {
                        [] => *new = around.before(old),
                        rest => inside(new, old, rest, around),
                    }
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::json::object_from_json;

    fn object(json: serde_json::Value) -> Object {
        object_from_json(json.as_object().unwrap(), &|_| None)
    }

    #[test]
    fn differences_are_named_by_path() {
        let old = object(json!({ "a": 1, "b": [1, 2], "c": { "d": 1, "e.f": 2 }, "g": 1 }));
        let new = object(json!({ "a": 1, "b": [1, 3, 4], "c": { "e.f": 3 }, "h": 1 }));
        let diff = structural(&old, &new, &[]);
        let found: Vec<_> = diff
            .detailed
            .unwrap()
            .iter()
            .map(|(path, diff)| format!("{path} {}", diff.kind.name()))
            .collect();
        assert_eq!(
            found,
            [
                "b[1] update",
                "b[2] add",
                "c.d delete",
                "c[\"e.f\"] update",
                "g delete",
                "h add"
            ]
        );
        assert_eq!(diff.diffs, ["b", "c", "g", "h"]);
        assert_eq!(structural(&old, &old, &[]).changes, Changes::None);
    }

    #[test]
    fn ignored_paths_keep_old_values() {
        let old = object(json!({ "a": 1, "b": [{ "c": 1, "d": 1 }] }));
        for (path, expected) in [
            (
                "a",
                json!({ "a": 1, "b": [{ "c": 2, "d": 2 }, { "c": 3 }] }),
            ),
            (
                "b[*].c",
                json!({ "a": 2, "b": [{ "c": 1, "d": 2 }, { "c": 3 }] }),
            ),
            (
                "b[0]",
                json!({ "a": 2, "b": [{ "c": 1, "d": 1 }, { "c": 3 }] }),
            ),
            (
                "x",
                json!({ "a": 2, "b": [{ "c": 2, "d": 2 }, { "c": 3 }] }),
            ),
        ] {
            let mut new = object(json!({ "a": 2, "b": [{ "c": 2, "d": 2 }, { "c": 3 }] }));
            with_old(&mut new, &old, &Path::parse(path).unwrap());
            assert_eq!(new, object(expected), "{path}");
        }
    }
}
