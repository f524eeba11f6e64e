//! References into objects, checked by schema alone: whether what they name can exist.

use cty::{PathStep, Type};
use smol_str::SmolStr;

use crate::{Block, NestedBlock, Nesting};

/// How far the schema knows a reference.
#[derive(Debug, Clone, PartialEq)]
pub struct Traversed {
    /// What the first `steps` steps lead to. The rest apply to a value of this type.
    pub ty: Type,
    pub steps: usize,
    pub deprecated: Option<DeprecatedStep>,
}

/// The step to a deprecated attribute.
#[derive(Debug, Clone, PartialEq)]
pub struct DeprecatedStep {
    pub step: usize,
    pub attribute: SmolStr,
    /// The provider's advice; empty if it has none.
    pub message: SmolStr,
}

/// A reference that can't lead anywhere. The texts are Terraform's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraversalError {
    /// The step that is wrong.
    pub step: usize,
    pub summary: &'static str,
    pub detail: String,
    /// A name that was perhaps meant.
    pub meant: Option<SmolStr>,
}

impl Block {
    /// Follows `steps` from an object of this block to an attribute, or to the end. Finds no fault in what only
    /// evaluation can tell.
    pub fn traverse(&self, steps: &[PathStep]) -> Result<Traversed, TraversalError> {
        self.traverse_from(steps, 0)
    }

    fn traverse_from(&self, steps: &[PathStep], at: usize) -> Result<Traversed, TraversalError> {
        let name = match steps.get(at) {
            None => {
                return Ok(Traversed {
                    ty: self.implied_type(),
                    steps: steps.len(),
                    deprecated: None,
                });
            }
            Some(PathStep::GetAttr(name)) => name,
            Some(PathStep::Index(key)) => {
                let detail = match key.as_str().filter(|name| is_identifier(name)) {
                    Some(name) => format!(
                        "Only attribute access is allowed here. Did you mean to access attribute \"{name}\" using the dot operator?"
                    ),
                    None => "Only attribute access is allowed here, using the dot operator.".into(),
                };
                return Err(TraversalError {
                    step: at,
                    summary: "Invalid index operation",
                    detail,
                    meant: None,
                });
            }
        };
        if let Some(attribute) = self.attributes.get(name) {
            return Ok(Traversed {
                ty: attribute.implied_type(),
                steps: at + 1,
                deprecated: attribute.deprecated.then(|| DeprecatedStep {
                    step: at,
                    attribute: name.clone(),
                    message: attribute.deprecation_message.clone(),
                }),
            });
        }
        if let Some(nested) = self.block_types.get(name) {
            return nested.traverse_from(name, steps, at + 1);
        }
        let mut names: Vec<&SmolStr> = self
            .attributes
            .keys()
            .chain(self.block_types.keys())
            .collect();
        names.sort();
        let meant = text::first_similar(name, names);
        let suggestion = match meant {
            Some(name) => format!(" Did you mean \"{name}\"?"),
            None => String::new(),
        };
        Err(TraversalError {
            step: at,
            summary: "Unsupported attribute",
            detail: format!(
                "This object has no argument, nested block, or exported attribute named \"{name}\".{suggestion}"
            ),
            meant: meant.cloned(),
        })
    }
}

impl NestedBlock {
    fn traverse_from(
        &self,
        name: &str,
        steps: &[PathStep],
        at: usize,
    ) -> Result<Traversed, TraversalError> {
        match (self.nesting, steps.get(at)) {
            (Nesting::Single | Nesting::Group, _) => self.block.traverse_from(steps, at),
            (_, None) => Ok(Traversed {
                ty: self.implied_type(),
                steps: at,
                deprecated: None,
            }),
            (Nesting::List, Some(PathStep::Index(_))) | (Nesting::Map, Some(_)) => {
                self.block.traverse_from(steps, at + 1)
            }
            (Nesting::List, Some(PathStep::GetAttr(_))) => Err(TraversalError {
                step: at,
                summary: "Invalid operation",
                detail: format!(
                    "Block type \"{name}\" is represented by a list of objects, so it must be indexed using a numeric key, like .{name}[0]."
                ),
                meant: None,
            }),
            (Nesting::Set, Some(_)) => Err(TraversalError {
                step: at,
                summary: "Cannot index a set value",
                detail: format!(
                    "Block type \"{name}\" is represented by a set of objects, and set elements do not have addressable keys. To find elements matching specific criteria, use a \"for\" expression with an \"if\" clause."
                ),
                meant: None,
            }),
        }
    }
}

fn is_identifier(text: &str) -> bool {
    let mut chars = text.chars();
    chars
        .next()
        .is_some_and(|first| first.is_alphabetic() || first == '_')
        && chars.all(|char| char.is_alphanumeric() || char == '_' || char == '-')
}
