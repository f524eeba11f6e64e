//! Sets: what counts as the same element, and the order of iteration.

use std::cmp::Ordering;
use std::collections::HashMap;

use crate::{Path, Type, Value, budget, text};

/// Elements without repetition, in the order of iteration. Unknown ones are never the same.
pub(crate) fn distinct(elements: Vec<Value>) -> Vec<Value> {
    let mut kept = Members::default();
    elements.into_iter().for_each(|element| {
        kept.insert(element);
    });
    kept.into_ordered()
}

/// Values with their hashes, in the order they came.
#[derive(Default)]
struct Members {
    values: Vec<(Key, Value)>,
    by_hash: HashMap<u32, Vec<usize>>,
}

/// What decides the order: the hashed bytes of a value, and their hash.
struct Key {
    bytes: Vec<u8>,
    hash: u32,
}

impl Key {
    fn of(value: &Value) -> Key {
        let mut bytes = Vec::new();
        hash_bytes(value, &mut bytes);
        budget::allocate(bytes.len());
        Key {
            hash: crc32fast::hash(&bytes),
            bytes,
        }
    }
}

impl Members {
    fn insert(&mut self, value: Value) -> bool {
        let key = Key::of(&value);
        let bucket = self.by_hash.entry(key.hash).or_default();
        if bucket
            .iter()
            .any(|at| self.values[*at].1.equals(&value).as_true())
        {
            return false;
        }
        bucket.push(self.values.len());
        self.values.push((key, value));
        true
    }

    fn contains(&self, value: &Value) -> bool {
        let bucket = self.by_hash.get(&Key::of(value).hash);
        bucket.is_some_and(|bucket| {
            bucket
                .iter()
                .any(|at| self.values[*at].1.equals(value).as_true())
        })
    }

    fn into_ordered(mut self) -> Vec<Value> {
        self.values.sort_by(|(x, a), (y, b)| order(x, a, y, b));
        self.values.into_iter().map(|(_, value)| value).collect()
    }
}

/// Known values before unknown ones before null. Strings by bytes, numbers by value, false before
/// true, everything else by its hashed bytes; what these do not tell apart stays in the order it came.
fn order(x: &Key, a: &Value, y: &Key, b: &Value) -> Ordering {
    let class = |value: &Value| (value.is_null(), !value.is_known());
    class(a)
        .cmp(&class(b))
        .then_with(|| match (a.as_number(), b.as_number()) {
            (Some(a), Some(b)) => a.compare(b),
            _ => match (a.as_str(), b.as_str()) {
                (Some(a), Some(b)) => a.cmp(b),
                _ => x.bytes.cmp(&y.bytes),
            },
        })
}

/// The bytes that stand for a value in the hash of a set: different for different values, but for
/// numbers that agree in ten digits.
pub(crate) fn hash_bytes(value: &Value, bytes: &mut Vec<u8>) {
    if !value.is_known() {
        return bytes.push(b'?');
    }
    if value.is_null() {
        return bytes.push(b'~');
    }
    let value = &value.unmark().0;
    if let Some(text) = value.as_str() {
        bytes.extend(text::quote(text).into_bytes());
    } else if let Some(number) = value.as_number() {
        bytes.extend(number.to_general(Some(10)).into_bytes());
    } else if let Some(value) = value.as_bool() {
        bytes.push(if value { b'T' } else { b'F' });
    } else if value.can_iterate() {
        let [open, close] = match value.ty() {
            Type::Map(_) => b"{}",
            Type::List(_) | Type::Set(_) => b"[]",
            _ => b"<>",
        };
        bytes.push(*open);
        for (key, element) in value.elements() {
            if value.ty().is_map() {
                hash_bytes(&key, bytes);
                bytes.push(b':');
            }
            hash_bytes(element, bytes);
            bytes.push(b';');
        }
        bytes.push(*close);
    } else {
        bytes.extend("«?»".as_bytes());
    }
}

/// `==` of two sets: unknown while an element is, else whether each holds what the other holds.
pub(crate) fn equals(a: &[Value], b: &[Value]) -> Option<bool> {
    if a.iter().chain(b).any(|element| !element.is_known()) {
        return None;
    }
    if a.len() != b.len() {
        return Some(false);
    }
    if a.iter().all(Value::is_wholly_known) && a == b {
        return Some(true);
    }
    Some(holds_all(a, b) && holds_all(b, a))
}

/// Whether every one of `elements` is in the set.
fn holds_all(set: &[Value], elements: &[Value]) -> bool {
    let mut members = Members::default();
    set.iter().for_each(|element| {
        members.insert(element.clone());
    });
    elements.iter().all(|element| members.contains(element))
}

/// Whether a value is certainly in a set.
pub(crate) fn holds(set: &[Value], element: &Value) -> bool {
    let key = Key::of(element);
    set.iter()
        .any(|member| Key::of(member).hash == key.hash && member.equals(element).as_true())
}

/// A growing set of unmarked values of one type.
#[derive(Default)]
pub struct ValueSet(Members);

impl ValueSet {
    pub fn new() -> ValueSet {
        ValueSet::default()
    }

    /// Adds a value; false if it was there. Unknown values are never there.
    pub fn insert(&mut self, value: Value) -> bool {
        self.0.insert(value)
    }

    pub fn contains(&self, value: &Value) -> bool {
        self.0.contains(value)
    }

    /// The elements in their order of iteration.
    pub fn into_elements(self) -> Vec<Value> {
        self.0.into_ordered()
    }
}

/// A set of paths, in the order they came.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PathSet {
    paths: Vec<Path>,
}

impl PathSet {
    pub fn new() -> PathSet {
        PathSet::default()
    }

    /// Adds a path; false if it was there.
    pub fn insert(&mut self, path: Path) -> bool {
        let is_new = !self.contains(&path);
        if is_new {
            self.paths.push(path);
        }
        is_new
    }

    pub fn contains(&self, path: &Path) -> bool {
        self.paths.contains(path)
    }

    pub fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    pub fn len(&self) -> usize {
        self.paths.len()
    }

    pub fn iter(&self) -> impl Iterator<Item = &Path> {
        self.paths.iter()
    }
}
