//! Schemas: the attributes and nested blocks that the body of one resource type may hold.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::{LazyLock, OnceLock};

use cty::Type;
use smol_str::SmolStr;

/// The schema of one type of object: a resource type, a data source, a provider configuration.
#[derive(Debug)]
pub struct Schema {
    /// Of the stored form; state of a lower version must be upgraded by the provider.
    pub version: i64,
    /// Of `block`, which is not read for it.
    pub about: TypeSummary,
    pub block: LazyBlock,
    implied_type: OnceLock<Type>,
}

/// What a list of types says of each.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TypeSummary {
    pub description: SmolStr,
    pub deprecated: bool,
}

impl Schema {
    pub fn new(version: i64, block: Block) -> Schema {
        let about = TypeSummary {
            description: block.description.clone(),
            deprecated: block.deprecated,
        };
        Schema::lazy(version, about, move || block)
    }

    /// A schema whose block is read when it is first looked at: providers have up to thousands of types, of which a
    /// module uses few.
    pub fn lazy(
        version: i64,
        about: TypeSummary,
        read: impl FnOnce() -> Block + Send + 'static,
    ) -> Schema {
        Schema {
            version,
            about,
            block: LazyBlock(LazyLock::new(Box::new(read))),
            implied_type: OnceLock::new(),
        }
    }

    /// The type of every value of this schema. Computed once: large schemas have thousands of attributes.
    pub fn implied_type(&self) -> &Type {
        self.implied_type.get_or_init(|| self.block.implied_type())
    }
}

impl PartialEq for Schema {
    fn eq(&self, other: &Schema) -> bool {
        self.version == other.version && *self.block == *other.block
    }
}

/// A block that is read when it is first looked at.
#[derive(Debug)]
pub struct LazyBlock(LazyLock<Block, Box<dyn FnOnce() -> Block + Send>>);

impl Deref for LazyBlock {
    type Target = Block;

    fn deref(&self) -> &Block {
        &self.0
    }
}

/// What a body may hold: attributes, and nested blocks by their type name.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Block {
    pub attributes: BTreeMap<SmolStr, Attribute>,
    pub block_types: BTreeMap<SmolStr, NestedBlock>,
    pub description: SmolStr,
    pub description_kind: DescriptionKind,
    pub deprecated: bool,
    pub deprecation_message: SmolStr,
}

/// An attribute. It is an argument too unless it is only `computed`.
#[derive(Debug, Clone, PartialEq)]
pub struct Attribute {
    /// As the provider gives it; where `nested_type` is given, the type that it implies.
    pub ty: Type,
    /// An attribute whose value is itself described attribute by attribute (protocol 6).
    pub nested_type: Option<NestedType>,
    pub required: bool,
    pub optional: bool,
    pub computed: bool,
    pub sensitive: bool,
    /// Only ever sent to the provider: always null in plan and state.
    pub write_only: bool,
    pub deprecated: bool,
    pub deprecation_message: SmolStr,
    pub description: SmolStr,
    pub description_kind: DescriptionKind,
}

impl Attribute {
    /// An attribute of type `ty` that is neither required, optional nor computed yet.
    pub fn new(ty: Type) -> Attribute {
        Attribute {
            ty,
            nested_type: None,
            required: false,
            optional: false,
            computed: false,
            sensitive: false,
            write_only: false,
            deprecated: false,
            deprecation_message: SmolStr::default(),
            description: SmolStr::default(),
            description_kind: DescriptionKind::Plain,
        }
    }

    pub fn nested(nested_type: NestedType) -> Attribute {
        Attribute {
            nested_type: Some(nested_type.clone()),
            ..Attribute::new(nested_type.implied_type())
        }
    }

    pub fn required(self) -> Attribute {
        Attribute {
            required: true,
            ..self
        }
    }

    pub fn optional(self) -> Attribute {
        Attribute {
            optional: true,
            ..self
        }
    }

    pub fn computed(self) -> Attribute {
        Attribute {
            computed: true,
            ..self
        }
    }

    pub fn sensitive(self) -> Attribute {
        Attribute {
            sensitive: true,
            ..self
        }
    }

    pub fn write_only(self) -> Attribute {
        Attribute {
            write_only: true,
            ..self
        }
    }

    /// Whether a configuration may give it.
    pub fn is_argument(&self) -> bool {
        self.required || self.optional
    }
}

/// The attributes of an attribute's value. `nesting` is never [`Nesting::Group`].
#[derive(Debug, Clone, PartialEq)]
pub struct NestedType {
    pub attributes: BTreeMap<SmolStr, Attribute>,
    pub nesting: Nesting,
}

/// Blocks of one type within a block.
#[derive(Debug, Clone, PartialEq)]
pub struct NestedBlock {
    pub block: Block,
    pub nesting: Nesting,
    pub min_items: u64,
    /// 0: no limit.
    pub max_items: u64,
}

/// How the blocks or objects of one name form a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Nesting {
    /// One object, or null where the block is absent.
    Single,
    /// One object, with its attributes null where the block is absent.
    Group,
    List,
    Set,
    /// By the block's one label.
    Map,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum DescriptionKind {
    #[default]
    Plain,
    Markdown,
}
