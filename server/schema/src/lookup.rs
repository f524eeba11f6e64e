//! Attributes by their place.

use cty::{Path, PathStep};

use crate::{Attribute, Block, NestedType};

impl Block {
    /// The attribute at a path. Steps into elements are passed over: all elements have the same attributes.
    pub fn attribute_at(&self, path: &Path) -> Option<&Attribute> {
        let mut block = self;
        let mut names = names(path);
        while let Some(name) = names.next() {
            if let Some(attribute) = block.attributes.get(name) {
                return within(attribute, names);
            }
            block = &block.block_types.get(name)?.block;
        }
        None
    }
}

impl NestedType {
    pub fn attribute_at(&self, path: &Path) -> Option<&Attribute> {
        let mut names = names(path);
        within(self.attributes.get(names.next()?)?, names)
    }
}

fn names(path: &Path) -> impl Iterator<Item = &str> {
    path.steps().iter().filter_map(|step| match step {
        PathStep::GetAttr(name) => Some(name.as_str()),
        PathStep::Index(_) => None,
    })
}

fn within<'a, 'n>(
    attribute: &'a Attribute,
    names: impl Iterator<Item = &'n str>,
) -> Option<&'a Attribute> {
    let mut attribute = attribute;
    for name in names {
        attribute = attribute.nested_type.as_ref()?.attributes.get(name)?;
    }
    Some(attribute)
}
