//! The elements of a map, or the attributes of an object.

use std::collections::BTreeMap;
use std::iter;
use std::mem;
use std::slice;

use smol_str::SmolStr;

use super::Value;

/// Values by name, in the order of their names. They are made once and never changed, and a state has hundreds of
/// thousands of them, so they take no more memory than they fill.
#[derive(Clone, PartialEq, Hash, Default)]
pub struct Entries(Box<[(SmolStr, Value)]>);

/// In the order of the names.
pub type EntriesIter<'a> = iter::Map<
    slice::Iter<'a, (SmolStr, Value)>,
    fn(&'a (SmolStr, Value)) -> (&'a SmolStr, &'a Value),
>;

impl Entries {
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn get(&self, name: &str) -> Option<&Value> {
        Some(self.get_key_value(name)?.1)
    }

    pub fn get_key_value(&self, name: &str) -> Option<(&SmolStr, &Value)> {
        let index = self.0.binary_search_by(|(own, _)| own.as_str().cmp(name));
        let (name, value) = &self.0[index.ok()?];
        Some((name, value))
    }

    pub fn contains_key(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    pub fn iter(&self) -> EntriesIter<'_> {
        self.0.iter().map(|(name, value)| (name, value))
    }

    pub fn keys(&self) -> impl ExactSizeIterator<Item = &SmolStr> + DoubleEndedIterator {
        self.0.iter().map(|(name, _)| name)
    }

    pub fn values(&self) -> impl ExactSizeIterator<Item = &Value> + DoubleEndedIterator {
        self.0.iter().map(|(_, value)| value)
    }

    /// Of names that are in order already, and each there once.
    pub(super) fn in_order(entries: impl Iterator<Item = (SmolStr, Value)>) -> Entries {
        Entries(entries.collect())
    }
}

/// In any order. Of a name that is there twice, the last value counts.
impl From<Vec<(SmolStr, Value)>> for Entries {
    fn from(mut entries: Vec<(SmolStr, Value)>) -> Entries {
        if !entries.is_sorted_by(|(one, _), (next, _)| one < next) {
            entries.sort_by(|(one, _), (other, _)| one.cmp(other));
            entries.dedup_by(|next, kept| {
                let is_same = next.0 == kept.0;
                if is_same {
                    mem::swap(next, kept);
                }
                is_same
            });
        }
        Entries(entries.into())
    }
}

/// To be changed.
impl From<&Entries> for BTreeMap<SmolStr, Value> {
    fn from(entries: &Entries) -> BTreeMap<SmolStr, Value> {
        entries.0.iter().cloned().collect()
    }
}

impl<'a> IntoIterator for &'a Entries {
    type Item = (&'a SmolStr, &'a Value);
    type IntoIter = EntriesIter<'a>;

    fn into_iter(self) -> EntriesIter<'a> {
        self.iter()
    }
}

impl IntoIterator for Entries {
    type Item = (SmolStr, Value);
    type IntoIter = std::vec::IntoIter<(SmolStr, Value)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_vec().into_iter()
    }
}
