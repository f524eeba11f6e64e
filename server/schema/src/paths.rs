//! Where in a value attributes of a kind are: sensitive ones, write-only ones.

use cty::{Path, PathMarks, Value};

use crate::{Attribute, Block, NestedBlock, NestedType, Nesting};

impl Block {
    /// The places in `value` that the schema says are sensitive. Null and unknown values count, too.
    pub fn sensitive_paths(&self, value: &Value) -> Vec<Path> {
        self.paths_of(value, |attribute| attribute.sensitive)
    }

    /// `value` with these marks, and with what the schema says is sensitive marked.
    pub fn mark_sensitive(
        &self,
        value: &Value,
        marks: impl IntoIterator<Item = PathMarks>,
    ) -> Value {
        let sensitive = self.sensitive_paths(&value.unmark_deep().0);
        let sensitive = sensitive.into_iter().map(PathMarks::sensitive);
        let marks: Vec<PathMarks> = marks.into_iter().chain(sensitive).collect();
        value.mark_with_paths(&marks)
    }

    /// The places in `value` of write-only attributes: none where the whole value is null or unknown.
    pub fn write_only_paths(&self, value: &Value) -> Vec<Path> {
        if value.is_null() || !value.is_known() {
            return Vec::new();
        }
        self.paths_of(value, |attribute| attribute.write_only)
    }

    pub fn has_sensitive(&self) -> bool {
        self.has(|attribute| attribute.sensitive)
    }

    pub fn has_write_only(&self) -> bool {
        self.has(|attribute| attribute.write_only)
    }

    fn paths_of(&self, value: &Value, select: Select) -> Vec<Path> {
        let mut paths = Vec::new();
        collect_block(self, value, &Path::new(), select, &mut paths);
        paths
    }

    fn has(&self, select: Select) -> bool {
        self.attributes
            .values()
            .any(|attribute| attribute_has(attribute, select))
            || self
                .block_types
                .values()
                .any(|nested| nested.block.has(select))
    }
}

impl NestedType {
    pub fn has_sensitive(&self) -> bool {
        nested_type_has(self, |attribute| attribute.sensitive)
    }
}

type Select = fn(&Attribute) -> bool;

fn attribute_has(attribute: &Attribute, select: Select) -> bool {
    let within = |nested_type: &NestedType| nested_type_has(nested_type, select);
    select(attribute) || attribute.nested_type.as_ref().is_some_and(within)
}

fn nested_type_has(nested_type: &NestedType, select: Select) -> bool {
    nested_type
        .attributes
        .values()
        .any(|attribute| attribute_has(attribute, select))
}

fn collect_block(block: &Block, value: &Value, at: &Path, select: Select, paths: &mut Vec<Path>) {
    for (name, attribute) in &block.attributes {
        if select(attribute) {
            paths.push(at.attr(name));
        }
        if let (Some(nested_type), Some(value)) = (&attribute.nested_type, member(value, name)) {
            collect_nested_type(nested_type, &value, &at.attr(name), select, paths);
        }
    }
    for (name, nested) in &block.block_types {
        if let Some(value) = member(value, name).filter(|_| nested.block.has(select)) {
            collect_blocks(nested, &value, &at.attr(name), select, paths);
        }
    }
}

fn collect_blocks(
    nested: &NestedBlock,
    value: &Value,
    at: &Path,
    select: Select,
    paths: &mut Vec<Path>,
) {
    match nested.nesting {
        Nesting::Single | Nesting::Group => {
            collect_block(&nested.block, value, at, select, paths);
        }
        Nesting::List | Nesting::Set | Nesting::Map => {
            for (key, element) in value.elements() {
                collect_block(&nested.block, element, &at.index(key), select, paths);
            }
        }
    }
}

fn collect_nested_type(
    nested_type: &NestedType,
    value: &Value,
    at: &Path,
    select: Select,
    paths: &mut Vec<Path>,
) {
    if !nested_type_has(nested_type, select) {
        return;
    }
    match nested_type.nesting {
        Nesting::Single | Nesting::Group => {
            collect_attributes(nested_type, value, at, select, paths);
        }
        Nesting::List | Nesting::Set | Nesting::Map => {
            for (key, element) in value.elements() {
                collect_attributes(nested_type, element, &at.index(key), select, paths);
            }
        }
    }
}

fn collect_attributes(
    nested_type: &NestedType,
    value: &Value,
    at: &Path,
    select: Select,
    paths: &mut Vec<Path>,
) {
    for (name, attribute) in &nested_type.attributes {
        if select(attribute) {
            paths.push(at.attr(name));
        } else if let (Some(inner), Some(value)) = (&attribute.nested_type, member(value, name)) {
            collect_nested_type(inner, &value, &at.attr(name), select, paths);
        }
    }
}

/// An attribute of an object, where there is one to look into.
fn member(value: &Value, name: &str) -> Option<Value> {
    let (value, _) = value.unmark();
    let member = value.get(name)?;
    let (member, _) = member.unmark();
    (!member.is_null() && member.is_known()).then_some(member)
}
