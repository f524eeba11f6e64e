//! Equal values in memory once.

use std::collections::HashSet;
use std::sync::Arc;

use super::{Data, Entries, Mapping, Sequence, Value};

impl Value {
    /// The same value, made of parts of `other` wherever both have the same at the same place. Of values that are kept and
    /// mostly equal, such as an object before and after, one takes the memory.
    pub fn sharing_with(&self, other: &Value) -> Value {
        let data = match (&self.data, &other.data) {
            (Data::Mapping(one), Data::Mapping(another)) => {
                Data::Mapping(one.sharing_with(another))
            }
            (Data::Sequence(one), Data::Sequence(another)) => {
                Data::Sequence(one.sharing_with(another))
            }
            (Data::String(one), Data::String(another)) if one == another => other.data.clone(),
            (own, _) => own.clone(),
        };
        let marks = match self.marks == other.marks {
            true => other.marks.clone(),
            false => self.marks.clone(),
        };
        Value { data, marks }
    }

    /// Whether nothing is gained by putting `other` in the place of this, or all.
    fn is_shared(&self, other: &Value) -> bool {
        self.marks == other.marks
            && match (&self.data, &other.data) {
                (Data::Mapping(one), Data::Mapping(another)) => Arc::ptr_eq(one, another),
                (Data::Sequence(one), Data::Sequence(another)) => Arc::ptr_eq(one, another),
                (_, _) => self.raw_equals(other),
            }
    }
}

/// Parts of values that others may share, wherever in them they stand: an object often has one text in several attributes.
#[derive(Default)]
pub struct Parts(HashSet<Value>);

impl Parts {
    /// The same value, made of what was shared before.
    pub fn share(&mut self, value: &Value) -> Value {
        if !value.is_apart() {
            return value.clone();
        }
        if let Some(same) = self.0.get(value) {
            return same.clone();
        }
        let mut is_same = true;
        let mut share = |part: &Value| {
            let shared = self.share(part);
            is_same &= shared.is_in_same_place(part);
            shared
        };
        let data = match &value.data {
            Data::Mapping(own) => {
                let entries = own.entries.iter();
                let entries = entries.map(|(name, value)| (name.clone(), share(value)));
                Data::Mapping(Arc::new(Mapping {
                    ty: own.ty.clone(),
                    entries: Entries::in_order(entries),
                    inside: own.inside,
                }))
            }
            Data::Sequence(own) => Data::Sequence(Arc::new(Sequence {
                ty: own.ty.clone(),
                elements: own.elements.iter().map(share).collect(),
                inside: own.inside,
            })),
            other => other.clone(),
        };
        let marks = value.marks.clone();
        let shared = match is_same {
            true => value.clone(),
            false => Value { data, marks },
        };
        self.0.insert(shared.clone());
        shared
    }
}

impl Value {
    /// Whether a clone refers to memory of its own for a content of any length.
    fn is_apart(&self) -> bool {
        match &self.data {
            Data::String(text) => text.is_heap_allocated(),
            Data::Sequence(_) | Data::Mapping(_) => true,
            Data::Null(_)
            | Data::Unknown(_)
            | Data::Refined(_)
            | Data::Bool(_)
            | Data::Number(_)
            | Data::Capsule(_) => false,
        }
    }

    /// Of two equal values.
    fn is_in_same_place(&self, other: &Value) -> bool {
        match (&self.data, &other.data) {
            (Data::Mapping(one), Data::Mapping(another)) => Arc::ptr_eq(one, another),
            (Data::Sequence(one), Data::Sequence(another)) => Arc::ptr_eq(one, another),
            (Data::String(one), Data::String(another)) if one.is_heap_allocated() => {
                one.as_ptr() == another.as_ptr()
            }
            _ => true,
        }
    }
}

impl Mapping {
    fn sharing_with(self: &Arc<Mapping>, other: &Arc<Mapping>) -> Arc<Mapping> {
        if Arc::ptr_eq(self, other) {
            return self.clone();
        }
        let mut is_same = self.ty == other.ty && self.entries.len() == other.entries.len();
        let entries = self.entries.iter().map(|(name, value)| {
            let counterpart = other.entries.get_key_value(name);
            let Some((name, counterpart)) = counterpart else {
                is_same = false;
                return (name.clone(), value.clone());
            };
            let value = value.sharing_with(counterpart);
            is_same &= value.is_shared(counterpart);
            (name.clone(), value)
        });
        let entries = Entries::in_order(entries);
        if is_same {
            return other.clone();
        }
        Arc::new(Mapping {
            ty: match self.ty == other.ty {
                true => other.ty.clone(),
                false => self.ty.clone(),
            },
            entries,
            inside: self.inside,
        })
    }
}

impl Sequence {
    fn sharing_with(self: &Arc<Sequence>, other: &Arc<Sequence>) -> Arc<Sequence> {
        if Arc::ptr_eq(self, other) {
            return self.clone();
        }
        let mut is_same = self.ty == other.ty && self.elements.len() == other.elements.len();
        let mut elements = self.elements.clone();
        for (element, counterpart) in elements.iter_mut().zip(&other.elements) {
            *element = element.sharing_with(counterpart);
            is_same &= element.is_shared(counterpart);
        }
        if is_same {
            return other.clone();
        }
        Arc::new(Sequence {
            ty: match self.ty == other.ty {
                true => other.ty.clone(),
                false => self.ty.clone(),
            },
            elements,
            inside: self.inside,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Mark, Type};

    fn object(name: &str, tag: Value) -> Value {
        let list = Value::list(Type::String, vec![Value::string("a"), tag]);
        Value::object([
            ("name", Value::string(name)),
            ("tags", Value::object([("list", list)])),
            ("same", Value::object([("x", Value::int(1))])),
        ])
    }

    fn address(value: &Value, name: &str) -> *const Mapping {
        match &value.get_attr(name).unwrap().data {
            Data::Mapping(mapping) => Arc::as_ptr(mapping),
            _ => panic!("no mapping"),
        }
    }

    #[test]
    fn a_value_that_shares_parts_stays_equal() {
        let secret = Value::string("b").mark(Mark::Sensitive);
        let values = [
            object("one", Value::string("b")),
            object("two", Value::string("b")),
            object("two", secret),
            object("two", Value::unknown(Type::String)),
            Value::null(Type::String),
            Value::tuple(vec![object("one", Value::string("b"))]),
            Value::tuple(vec![Value::string("b"), Value::int(2)]),
        ];
        for one in &values {
            for other in &values {
                let shared = one.sharing_with(other);
                assert!(shared.raw_equals(one), "{one:?} {other:?}");
                assert_eq!(shared.contains_marked(), one.contains_marked());
                assert_eq!(shared.is_wholly_known(), one.is_wholly_known());
            }
        }
    }

    #[test]
    fn equal_parts_are_in_memory_once() {
        let one = object("one", Value::string("b"));
        let two = object("two", Value::string("b"));
        let shared = two.sharing_with(&one);
        for part in ["tags", "same"] {
            assert_eq!(address(&shared, part), address(&one, part));
        }
        let other = object("two", Value::string("c")).sharing_with(&one);
        assert_ne!(address(&other, "tags"), address(&one, "tags"));
        assert_eq!(address(&other, "same"), address(&one, "same"));
    }

    #[test]
    fn equal_parts_at_different_places_are_in_memory_once() {
        let text = || Value::string("longer than what a value holds by itself");
        let named = |name: &str| Value::object([(name, Value::list(Type::String, vec![text()]))]);
        let value = Value::object([
            ("one", named("a")),
            ("other", named("a")),
            ("text", text()),
            ("third", named("b")),
            ("marked", text().mark(Mark::Sensitive)),
        ]);
        let shared = Parts::default().share(&value);
        assert!(shared.raw_equals(&value));
        assert_eq!(address(&shared, "one"), address(&shared, "other"));
        assert_ne!(address(&shared, "one"), address(&shared, "third"));
        let place = |value: &Value| value.as_str().unwrap().as_ptr();
        let listed = shared.get("third").unwrap().get("b").unwrap().as_slice();
        assert_eq!(
            place(&listed.unwrap()[0]),
            place(shared.get("text").unwrap())
        );
        let again = Parts::default().share(&shared);
        assert!(again.is_in_same_place(&shared));
    }
}
