//! How two values differ, part by part.
//!
//! Source: `sdk/go/common/resource/properties_diff.go` and `pkg/engine/diff.go` of Pulumi's engine.

use std::collections::{BTreeMap, BTreeSet};

use crate::ask::{Detailed, DiffKind};
use crate::path::{Path, PathStep};
use crate::value::{Object, Value};

/// The difference of two objects, or of two lists, whose keys are positions.
#[derive(Debug, Default)]
pub(super) struct Difference {
    pub is_list: bool,
    pub parts: BTreeMap<Key, ElementDiff>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Key {
    Index(usize),
    Name(String),
}

#[derive(Debug)]
pub(super) enum ElementDiff {
    Same(Value),
    Add(Value),
    Delete(Value),
    Update(Update),
}

#[derive(Debug)]
pub(super) enum Update {
    Inside(Difference),
    Whole { old: Value, new: Value },
}

/// Compares, and hides values that must not be shown.
#[derive(Default)]
pub(super) struct Differing {
    hide: Vec<Path>,
    hidden: BTreeSet<String>,
}

impl Differing {
    pub(super) fn hiding(hide: Vec<Path>) -> Differing {
        Differing {
            hide,
            hidden: BTreeSet::new(),
        }
    }

    /// The paths that hide a difference.
    pub(super) fn hidden(self) -> Vec<String> {
        self.hidden.into_iter().collect()
    }

    fn hides(&mut self, path: &Path) -> bool {
        let found = self.hide.iter().find(|it| it.contains(path));
        self.hidden.extend(found.map(Path::printed));
        found.is_some()
    }

    pub(super) fn objects(&mut self, old: &Object, new: &Object, at: &Path) -> Option<Difference> {
        let keys: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
        let mut parts = BTreeMap::new();
        for key in keys.into_iter().filter(|key| !key.starts_with("__")) {
            let path = at.then(PathStep::Name(key.clone()));
            if self.hides(&path) {
                continue;
            }
            let part = match (old.get(key), new.get(key)) {
                (Some(old), Some(new)) => match self.values(old, new, &path) {
                    None => ElementDiff::Same(old.clone()),
                    Some(_) if *old == Value::Null => ElementDiff::Add(new.clone()),
                    Some(_) if *new == Value::Null => ElementDiff::Delete(old.clone()),
                    Some(update) => ElementDiff::Update(update),
                },
                (Some(old), None) if *old != Value::Null => ElementDiff::Delete(old.clone()),
                (None, Some(new)) if *new != Value::Null => ElementDiff::Add(new.clone()),
                _ => continue,
            };
            parts.insert(Key::Name(key.clone()), part);
        }
        Difference {
            is_list: false,
            parts,
        }
        .if_any()
    }

    fn lists(&mut self, old: &[Value], new: &[Value], at: &Path) -> Option<Difference> {
        let mut parts = BTreeMap::new();
        for index in 0..old.len().max(new.len()) {
            let path = at.then(PathStep::Index(index));
            let part = match (old.get(index), new.get(index)) {
                (Some(old), Some(new)) => match self.values(old, new, &path) {
                    None => ElementDiff::Same(old.clone()),
                    Some(update) => ElementDiff::Update(update),
                },
                (Some(old), None) => ElementDiff::Delete(old.clone()),
                (None, Some(new)) => ElementDiff::Add(new.clone()),
                (None, None) => continue,
            };
            parts.insert(Key::Index(index), part);
        }
        Difference {
            is_list: true,
            parts,
        }
        .if_any()
    }

    pub(super) fn values(&mut self, old: &Value, new: &Value, at: &Path) -> Option<Update> {
        match (old, new) {
            (Value::Array(old), Value::Array(new)) => self.lists(old, new, at).map(Update::Inside),
            (Value::Object(old), Value::Object(new)) => {
                self.objects(old, new, at).map(Update::Inside)
            }
            // Secrets are masked before they are compared.
            (Value::Secret(_), Value::Secret(_)) => None,
            _ if old == new => None,
            _ => Some(Update::Whole {
                old: old.clone(),
                new: new.clone(),
            }),
        }
    }
}

impl Difference {
    fn if_any(self) -> Option<Difference> {
        let is_change = |part: &ElementDiff| !matches!(part, ElementDiff::Same(_));
        self.parts.values().any(is_change).then_some(self)
    }

    /// Of the details that a provider gives, and the paths that hide some of them.
    pub(super) fn detailed(
        detailed: &Detailed,
        inputs: &Object,
        outputs: &Object,
        news: &Object,
        hide: &[Path],
    ) -> (Option<Difference>, Vec<String>) {
        let (mut root, mut hidden) = (None, BTreeSet::new());
        for (text, diff) in detailed {
            let path = Path::parse(text).unwrap_or_else(|_| Path::name(text));
            if let Some(found) = hide.iter().find(|it| it.contains(&path)) {
                hidden.insert(found.printed());
                continue;
            }
            let olds = match diff.is_of_inputs {
                true => inputs,
                false => outputs,
            };
            let root = root.get_or_insert_with(Difference::default);
            let (olds, news) = (Value::Object(olds.clone()), Value::Object(news.clone()));
            root.add(&path.0, diff.kind, &olds, &news);
        }
        (root, hidden.into_iter().collect())
    }

    fn add(&mut self, path: &[PathStep], kind: DiffKind, olds: &Value, news: &Value) {
        let Some((step, rest)) = path.split_first() else {
            return;
        };
        let key = match step {
            PathStep::Index(index) => Key::Index(*index),
            PathStep::Name(name) => Key::Name(name.clone()),
            PathStep::Any | PathStep::AnyKey => Key::Name("*".to_owned()),
        };
        self.is_list = matches!(key, Key::Index(_));
        let (old, new) = (inside(olds, &key), inside(news, &key));
        let known = |value: Option<&Value>| value.cloned().unwrap_or(Value::Unknown);
        let value = |value: Option<&Value>| value.cloned().unwrap_or_default();
        let part = match (rest, kind) {
            ([], DiffKind::Add | DiffKind::AddReplace) => ElementDiff::Add(known(new)),
            ([], DiffKind::Delete | DiffKind::DeleteReplace) => ElementDiff::Delete(known(old)),
            ([], DiffKind::Update | DiffKind::UpdateReplace) => {
                let (old, new) = (value(old), value(new));
                let found = Differing::default().values(&old, &new, &Path(Vec::new()));
                ElementDiff::Update(found.unwrap_or(Update::Whole { old, new }))
            }
            _ => match (value(old), value(new)) {
                (Value::Null, new) if new != Value::Null => ElementDiff::Add(new),
                (old, Value::Null) if old != Value::Null => ElementDiff::Delete(old),
                (old, new) => {
                    let mut inner = match self.parts.remove(&key) {
                        Some(ElementDiff::Update(Update::Inside(inner))) => inner,
                        _ => Difference::default(),
                    };
                    inner.add(rest, kind, &old, &new);
                    ElementDiff::Update(Update::Inside(inner))
                }
            },
        };
        self.parts.insert(key, part);
    }

    pub(super) fn without_unknown_updates(mut self) -> Difference {
        self.parts.retain(|_, part| {
            !matches!(
                part,
                ElementDiff::Update(Update::Whole {
                    new: Value::Unknown,
                    ..
                })
            )
        });
        self
    }
}

/// A part of a value. An opaque value is its own part.
fn inside<'a>(value: &'a Value, key: &Key) -> Option<&'a Value> {
    match (value, key) {
        (Value::Array(elements), Key::Index(index)) => elements.get(*index),
        (Value::Object(object), Key::Name(name)) => object.get(name),
        (Value::Unknown | Value::Secret(_), _) => Some(value),
        _ => None,
    }
}
