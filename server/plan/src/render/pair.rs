//! A place in two values: one before, one after.

use std::collections::BTreeSet;

use cty::{Entries, Mark, PathStep, Type, Value};
use smol_str::SmolStr;

use super::align::{self, Aligned};
use crate::Action;

/// A place before and after.
#[derive(Clone)]
pub(super) struct Pair<'a> {
    pub before: Option<Value>,
    pub after: Option<Value>,
    /// The rest of the ways to the cause of the replacement, of those that lead through this place.
    pub replace: Vec<&'a [PathStep]>,
    /// Null is a value, rather than the lack of one.
    pub is_element: bool,
    /// The provider cannot tell an empty string from none, so neither is shown.
    pub is_legacy: bool,
}

impl<'a> Pair<'a> {
    pub(super) fn attribute(before: Value, after: Value) -> Pair<'a> {
        let present = |value: Value| (!value.is_null() || value.is_marked()).then_some(value);
        Pair {
            before: present(before),
            after: present(after),
            replace: Vec::new(),
            is_element: false,
            is_legacy: true,
        }
    }

    pub(super) fn element(before: Option<Value>, after: Option<Value>) -> Pair<'a> {
        Pair {
            before,
            after,
            replace: Vec::new(),
            is_element: true,
            is_legacy: true,
        }
    }

    /// An element of a map or an attribute.
    pub(super) fn named(&self, name: &str, is_element: bool) -> Pair<'a> {
        let child = |value: &Option<Value>| value.as_ref()?.get(name).cloned();
        let (before, after) = (child(&self.before), child(&self.after));
        let pair = match is_element {
            true => Pair::element(before, after),
            false => {
                let null = || Value::null(Type::Dynamic);
                Pair::attribute(before.unwrap_or_else(null), after.unwrap_or_else(null))
            }
        };
        let is_step = |step: &PathStep| match step {
            PathStep::GetAttr(attribute) => attribute == name,
            PathStep::Index(key) => key.as_str() == Some(name),
        };
        self.child(pair, is_step)
    }

    /// An element of a sequence.
    pub(super) fn at(&self, place: Aligned) -> Pair<'a> {
        let child = |value: &Option<Value>, at: Option<usize>| slice(value).get(at?).cloned();
        let before = child(&self.before, place.before());
        let after = child(&self.after, place.after());
        let index = place
            .before()
            .or(place.after())
            .and_then(|at| i64::try_from(at).ok());
        let is_step = |step: &PathStep| match step {
            PathStep::GetAttr(_) => false,
            PathStep::Index(key) => key.as_i64() == index,
        };
        self.child(Pair::element(before, after), is_step)
    }

    fn child(&self, pair: Pair<'a>, is_step: impl Fn(&PathStep) -> bool) -> Pair<'a> {
        let through = |path: &&'a [PathStep]| {
            let (first, rest) = path.split_first()?;
            is_step(first).then_some(rest)
        };
        Pair {
            replace: self.replace.iter().filter_map(through).collect(),
            is_legacy: self.is_legacy,
            ..pair
        }
    }

    pub(super) fn forces_replacement(&self) -> bool {
        self.replace.iter().any(|path| path.is_empty())
    }

    /// The action on a container, whatever happens inside.
    pub(super) fn default_action(&self) -> Action {
        match (is_absent(&self.before), is_absent(&self.after)) {
            (true, false) => Action::Create,
            (false, true) => Action::Delete,
            (true, true) | (false, false) => Action::NoOp,
        }
    }

    pub(super) fn sensitivity(&self) -> (bool, bool) {
        let is_sensitive = |value: &Option<Value>| {
            value
                .as_ref()
                .is_some_and(|value| value.has_mark(&Mark::Sensitive))
        };
        (is_sensitive(&self.before), is_sensitive(&self.after))
    }

    pub(super) fn without_marks(self) -> Pair<'a> {
        let unmarked = |value: Option<Value>| {
            let value = value?.unmark().0;
            (self.is_element || !value.is_null()).then_some(value)
        };
        let (before, after) = (unmarked(self.before), unmarked(self.after));
        Pair {
            before,
            after,
            ..self
        }
    }

    pub(super) fn without_empty_string(self) -> Pair<'a> {
        if !self.is_legacy {
            return self;
        }
        let null = self.is_element.then(|| Value::null(Type::String));
        let without = |value: Option<Value>| match value.as_ref().and_then(Value::as_str) {
            Some("") => null.clone(),
            _ => value,
        };
        let (before, after) = (without(self.before), without(self.after));
        Pair {
            before,
            after,
            ..self
        }
    }

    /// The names in a map or object, whichever it is.
    pub(super) fn names(&self) -> BTreeSet<&SmolStr> {
        let values = [&self.before, &self.after].into_iter().flatten();
        values
            .filter_map(Value::as_map)
            .flat_map(Entries::keys)
            .collect()
    }

    /// The elements of a list. Those that are `similar` can become each other.
    pub(super) fn list_places(&self, similar: impl Fn(&Value, &Value) -> bool) -> Vec<Aligned> {
        let (before, after) = (slice(&self.before), slice(&self.after));
        let is_gone = |element: &Value| !after.iter().any(|other| same(element, other));
        let are_equal = || before.iter().zip(after).all(|(old, new)| same(old, new));
        // As long as before, and not only in another order: elements were replaced in their places.
        match before.len() == after.len() && (are_equal() || before.iter().any(is_gone)) {
            true => self.positions(),
            false => align::by_content(before, after, same, similar),
        }
    }

    /// The elements of a list by their positions.
    pub(super) fn positions(&self) -> Vec<Aligned> {
        align::by_position(slice(&self.before).len(), slice(&self.after).len())
    }

    /// The elements of a set: those that were there, then those that are new.
    pub(super) fn set_places(&self) -> Vec<Aligned> {
        let (before, after) = (slice(&self.before), slice(&self.after));
        let mut new: Vec<usize> = (0..after.len()).collect();
        let mut places = Vec::new();
        for (old, element) in before.iter().enumerate() {
            let found = new.iter().position(|&new| same(element, &after[new]));
            places.push(match found {
                Some(found) => Aligned::Both(old, new.remove(found)),
                None => Aligned::Before(old),
            });
        }
        places.extend(new.into_iter().map(Aligned::After));
        places
    }
}

pub(super) fn is_absent(value: &Option<Value>) -> bool {
    value.as_ref().is_none_or(Value::is_null)
}

fn slice(value: &Option<Value>) -> &[Value] {
    value.as_ref().and_then(Value::as_slice).unwrap_or_default()
}

/// Whether two values would be written the same: marks and the kinds of containers make no
/// difference. An unknown value is like no other.
pub(super) fn same(a: &Value, b: &Value) -> bool {
    let (a, b) = (a.unmark().0, b.unmark().0);
    if !a.is_known() || !b.is_known() || a.is_null() || b.is_null() {
        return a.is_null() && b.is_null();
    }
    match (a.as_slice(), b.as_slice(), a.as_map(), b.as_map()) {
        (Some(a), Some(b), ..) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (.., Some(a), Some(b)) => {
            let is_same = |((a_name, a), (b_name, b))| a_name == b_name && same(a, b);
            a.len() == b.len() && a.iter().zip(b).all(is_same)
        }
        _ => a == b,
    }
}
