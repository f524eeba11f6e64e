//! What is wrong, as data: all that code may read of a diagnostic. Its words may be a provider's or the user's.

use crate::Suggestion;

#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
pub enum Fault {
    /// One that only its words describe.
    #[default]
    Other,
    /// A name that nothing has; perhaps this one was meant.
    Misspelt {
        meant: String,
    },
    /// An argument that is set again.
    ArgumentRedefined,
    Missing(Missing),
    InstanceKey(InstanceKeyFault),
    /// A provider that is used without an entry in `required_providers`.
    MissingRequirement {
        provider: Box<str>,
        source: Box<str>,
    },
    /// A value that can't be converted.
    WrongType {
        wanted: WantedType,
    },
    /// Something that a provider deprecates, and the only replacement that its schema names.
    Deprecated {
        instead: Option<String>,
    },
    /// An argument that a function can't be called with.
    FunctionArgument,
    /// A value that has to be known before the apply.
    UnknownUntilApply,
    /// A list or tuple as the value of `for_each`.
    SequenceForEach,
    Moved(MovedFault),
}

/// What is wrong with a `moved` block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MovedFault {
    /// What it moves away is still declared.
    StillDeclared,
    /// It leads to where it starts.
    Redundant,
    /// No object is where it starts.
    Idle,
}

/// What a body must have.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Missing {
    Argument(String),
    Block(String),
}

/// What is wrong with the instance key of a reference to a resource.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum InstanceKeyFault {
    /// The resource has a single instance.
    Unexpected,
    /// The resource has `count`.
    MissingIndex,
    /// The resource has `for_each`.
    MissingKey,
}

/// The type that a value should have as a whole.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum WantedType {
    String,
    Number,
    Bool,
    List,
    Set,
}

impl From<Suggestion<'_>> for Fault {
    fn from(suggestion: Suggestion<'_>) -> Fault {
        match suggestion.0 {
            Some(name) => Fault::Misspelt {
                meant: name.to_owned(),
            },
            None => Fault::Other,
        }
    }
}

impl From<MovedFault> for Fault {
    fn from(fault: MovedFault) -> Fault {
        Fault::Moved(fault)
    }
}

impl From<Missing> for Fault {
    fn from(missing: Missing) -> Fault {
        Fault::Missing(missing)
    }
}
