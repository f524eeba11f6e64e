//! Aliases and merge keys, as Go's YAML decodes them.

use std::collections::{HashMap, HashSet};

use text::{Problem, TextRange};

use crate::parse::{error_at, repeated};
use crate::{MappingEntry, Node, NodeKind, Style, Tagged};

/// What Go says of a merge key with another value.
pub const MERGES: &str = "map merge requires map or sequence of maps as the value";

/// A text whose aliases stand for more than this is no configuration.
const MAX_SIZE: usize = 100_000;

/// Nor is one whose anchors and aliases take more memory, in bytes.
const MAX_BYTES: usize = 64 << 20;

/// What stands behind the anchors of a text, by their numbers.
#[derive(Default)]
pub(crate) struct Anchors {
    found: HashMap<usize, Node>,
    /// How many keys and values aliases stand for.
    size: usize,
    /// The memory of what anchors and aliases stand for.
    bytes: usize,
}

impl Anchors {
    /// The target of an alias.
    pub(crate) fn alias(&mut self, anchor: usize, at: TextRange) -> Result<Node, Problem> {
        let Some(node) = self.found.get(&anchor) else {
            return Err(error_at(at, "an anchor contains itself"));
        };
        self.size += node.size();
        self.bytes += node.bytes();
        match self.is_excessive() {
            true => Err(excessive(at)),
            false => Ok(node.clone()),
        }
    }

    fn is_excessive(&self) -> bool {
        self.size > MAX_SIZE || self.bytes > MAX_BYTES
    }

    /// Merges the keys of a node that is complete, and notes what its anchor stands for. 0 is none.
    pub(crate) fn finish(&mut self, node: &mut Node, anchor: usize) -> Result<(), Problem> {
        unique(node)?;
        merge(node)?;
        if anchor > 0 {
            self.bytes += node.bytes();
            if self.is_excessive() {
                return Err(excessive(node.range));
            }
            self.found.insert(anchor, node.clone());
        }
        Ok(())
    }
}

fn excessive(at: TextRange) -> Problem {
    error_at(at, "document contains excessive aliasing")
}

/// Whether a key says that others come from its value.
fn is_merge(key: &Node) -> bool {
    key.scalar()
        .is_some_and(|it| &*it.text == "<<" && it.style == Style::Plain && it.tagged == Tagged::No)
}

/// Whether an entry is a merge of something that is no mapping.
pub fn is_refused(entry: &MappingEntry) -> bool {
    is_merge(&entry.key) && !is_mergeable(&entry.value)
}

fn is_mergeable(value: &Node) -> bool {
    match &value.kind {
        NodeKind::Mapping(_) => true,
        NodeKind::Sequence(elements) => {
            let mut elements = elements.iter();
            elements.all(|it| matches!(it.kind, NodeKind::Mapping(_)))
        }
        // Refused itself.
        NodeKind::Alias => true,
        NodeKind::Scalar(_) => false,
    }
}

/// Refuses a key that its mapping has already. All keys that are not scalars count as one.
fn unique(node: &Node) -> Result<(), Problem> {
    let mut known = HashSet::new();
    for MappingEntry { key, .. } in node.entries() {
        if !known.insert(key.text()) {
            return Err(repeated(key));
        }
    }
    Ok(())
}

/// Keys of the mapping itself count before those that it merges, and of these the first.
fn merge(node: &mut Node) -> Result<(), Problem> {
    let NodeKind::Mapping(entries) = &mut node.kind else {
        return Ok(());
    };
    let Some(at) = entries.iter().position(|it| is_merge(&it.key)) else {
        return Ok(());
    };
    let MappingEntry { key, value } = entries.remove(at);
    if !is_mergeable(&value) {
        return Err(error_at(key.range, MERGES));
    }
    let maps = match value.kind {
        NodeKind::Sequence(elements) => elements,
        _ => vec![value],
    };
    let name = |it: &MappingEntry| it.key.text().map(str::to_owned);
    let mut names: HashSet<Option<String>> = entries.iter().map(name).collect();
    let merged = maps.into_iter().flat_map(Node::into_entries);
    entries.extend(merged.filter(|it| names.insert(name(it))));
    Ok(())
}
