//! Declarations by name.

use std::hash::Hash;
use std::ops::{Index, Range};
use std::sync::Arc;

use indexmap::{Equivalent, IndexSet};
use text::Chunks;

/// Declarations by name, in source order. A clone costs nothing, and versions of which one has another declaration
/// under a name share nearly everything.
#[derive(Clone, Debug)]
pub struct Table<K, D> {
    keys: Arc<IndexSet<K>>,
    /// In the order of `keys`.
    declarations: Chunks<Arc<D>>,
}

impl<K: Eq + Hash, D> Table<K, D> {
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    pub fn get<Q: Hash + Equivalent<K> + ?Sized>(&self, key: &Q) -> Option<&Arc<D>> {
        self.declarations.get(self.keys.get_index_of(key)?)
    }

    pub fn get_mut<Q: Hash + Equivalent<K> + ?Sized>(&mut self, key: &Q) -> Option<&mut Arc<D>> {
        self.declarations.get_mut(self.keys.get_index_of(key)?)
    }

    pub fn contains_key<Q: Hash + Equivalent<K> + ?Sized>(&self, key: &Q) -> bool {
        self.keys.contains(key)
    }

    /// Whether both have declarations of the same names, in the same order.
    pub fn has_same_keys(&self, other: &Table<K, D>) -> bool {
        Arc::ptr_eq(&self.keys, &other.keys) || self.keys().eq(other.keys())
    }

    /// Whether both have the same declarations, in the same order.
    pub fn is_same(&self, other: &Table<K, D>) -> bool {
        let (gone, come) = self.difference(other);
        gone.is_empty() && come.is_empty()
    }

    pub fn keys(&self) -> impl ExactSizeIterator<Item = &K> {
        self.keys.iter()
    }

    /// In source order.
    pub fn declarations(&self) -> &Chunks<Arc<D>> {
        &self.declarations
    }

    pub fn values(&self) -> impl Iterator<Item = &Arc<D>> {
        self.declarations.iter()
    }

    pub fn iter(&self) -> impl Iterator<Item = (&K, &Arc<D>)> {
        self.range(0..self.len())
    }

    /// Those at some positions.
    pub fn range(&self, range: Range<usize>) -> impl Iterator<Item = (&K, &Arc<D>)> {
        let keys = self.keys.get_range(range.clone());
        let keys = keys.into_iter().flatten();
        keys.zip(self.declarations.range(range))
    }

    /// The declarations that are gone and those that have come in `after`, by position and in one piece each: the same beginning and end are
    /// left out.
    pub fn difference(&self, after: &Table<K, D>) -> (Range<usize>, Range<usize>) {
        let is_same = |before: &Arc<D>, after: &Arc<D>| Arc::ptr_eq(before, after);
        self.declarations.difference(&after.declarations, is_same)
    }
}

impl<K: Clone + Eq + Hash, D> Table<K, D> {
    /// Adds a declaration, unless there is one with this key: then answers that.
    pub fn insert(&mut self, key: K, declaration: Arc<D>) -> Option<&Arc<D>> {
        if let Some(index) = self.keys.get_index_of(&key) {
            return self.declarations.get(index);
        }
        Arc::make_mut(&mut self.keys).insert(key);
        self.declarations.push(declaration);
        None
    }
}

impl<K, D> Default for Table<K, D> {
    fn default() -> Table<K, D> {
        Table {
            keys: Arc::default(),
            declarations: Chunks::default(),
        }
    }
}

impl<K: Eq + Hash, D, Q: Hash + Equivalent<K> + ?Sized> Index<&Q> for Table<K, D> {
    type Output = Arc<D>;

    fn index(&self, key: &Q) -> &Arc<D> {
        self.get(key).expect("the key of a declaration")
    }
}

impl<'a, K: Eq + Hash, D> IntoIterator for &'a Table<K, D> {
    type Item = (&'a K, &'a Arc<D>);
    type IntoIter = Box<dyn Iterator<Item = (&'a K, &'a Arc<D>)> + 'a>;

    fn into_iter(self) -> Self::IntoIter {
        Box::new(self.iter())
    }
}

impl<K: Eq + Hash, D: PartialEq> PartialEq for Table<K, D> {
    fn eq(&self, other: &Table<K, D>) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}
