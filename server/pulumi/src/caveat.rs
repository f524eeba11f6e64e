//! Reasons why something is not planned.

use std::fmt;

/// Why a value is unknown, or an operation not certain, although an update would know.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Caveat {
    /// A function of a provider is not called.
    Invoke(String),
    /// The outputs of another stack are not read.
    StackReference(String),
    /// Only its provider knows the children of a component.
    Component(String),
    /// An object that exists already is not read.
    Read(String),
    Import(String),
    /// A file is not read, as it may be outside of a workspace that is not trusted.
    Outside(String),
    /// The content of a remote file, or of an archive in another form, is not looked at.
    Content,
    /// A text contains an output with secrets inside.
    SecretText,
    /// A text contains a whole resource.
    ResourceText(String),
    /// A secret cannot be decrypted, for this reason.
    Sealed(String),
    /// Values of an environment are not known here.
    Environment,
    /// The stack's file sets this key by two names.
    SetTwice(String),
    /// The backend may have policies, which are not checked here.
    Policies,
    /// The provider is not available, for this reason.
    Provider {
        name: String,
        why: String,
    },
    /// Something that it depends on has failed.
    Failed(String),
}

impl Caveat {
    pub(crate) fn is_provider(&self) -> bool {
        matches!(self, Caveat::Provider { .. })
    }
}

impl fmt::Display for Caveat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Caveat::Invoke(token) => write!(f, "the function {token} is not called"),
            Caveat::StackReference(stack) => write!(f, "outputs of the stack {stack} are not read"),
            Caveat::Component(name) => write!(f, "the component {name} is not planned"),
            Caveat::Read(name) => write!(f, "{name} is not read"),
            Caveat::Import(name) => write!(f, "{name} is not imported"),
            Caveat::Outside(path) => write!(
                f,
                "{path} is not read until you trust this workspace: it is outside of the project, or behind a link"
            ),
            Caveat::Content => {
                f.write_str("the content of an archive or a remote file is not read")
            }
            Caveat::SecretText => f.write_str(
                "a string that contains a secret output is not known: Pulumi would not mask it",
            ),
            Caveat::ResourceText(name) => write!(
                f,
                "{name} is a whole resource, and its text is not known: use a property, such as {name}.id"
            ),
            Caveat::Sealed(why) => write!(f, "secrets are not decrypted: {why}"),
            Caveat::Policies => {
                f.write_str("policies that the backend may have for the stack are not checked")
            }
            Caveat::SetTwice(key) => write!(
                f,
                "the stack file sets {key} under two names: Pulumi may use either value"
            ),
            Caveat::Environment => f.write_str("values of environments are not read"),
            Caveat::Provider { name, why } => write!(f, "provider {name}: {why}"),
            Caveat::Failed(name) => write!(f, "{name} has errors"),
        }
    }
}
