//! Names of resources: `urn:pulumi:STACK::PROJECT::[PARENTTYPES$]TYPE::NAME`.

use std::fmt;
use std::sync::Arc;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Urn(Arc<str>);

/// The prefix of all URNs of a stack.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StackName {
    pub stack: String,
    pub project: String,
}

/// The type of the root of all resources.
pub const STACK_TYPE: &str = "pulumi:pulumi:Stack";

/// The type of references to other stacks.
pub const STACK_REFERENCE: &str = "pulumi:pulumi:StackReference";

/// A type of a provider is this and the name of its package.
pub const PROVIDER_PREFIX: &str = "pulumi:providers:";

impl Urn {
    pub fn new(text: &str) -> Urn {
        Urn(Arc::from(text))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn is_valid(text: &str) -> bool {
        text.starts_with("urn:pulumi:") && text.splitn(4, "::").count() == 4
    }

    /// The types of all parents but the stack, and its own, joined by `$`.
    pub fn qualified_type(&self) -> &str {
        self.0.split("::").nth(2).unwrap_or_default()
    }

    pub fn type_name(&self) -> &str {
        let qualified = self.qualified_type();
        qualified.rsplit('$').next().unwrap_or(qualified)
    }

    /// The package that it is a provider of, if it is one.
    pub fn package_of_provider(&self) -> Option<&str> {
        self.type_name().strip_prefix(PROVIDER_PREFIX)
    }

    pub fn name(&self) -> &str {
        self.0.splitn(4, "::").nth(3).unwrap_or_default()
    }
}

impl StackName {
    /// The resource of the stack itself.
    pub fn root(&self) -> Urn {
        let name = format!("{}-{}", self.project, self.stack);
        self.urn(None, STACK_TYPE, &name)
    }

    pub fn urn(&self, parent: Option<&Urn>, type_name: &str, name: &str) -> Urn {
        let parent = parent
            .map(Urn::qualified_type)
            .filter(|it| *it != STACK_TYPE && !it.is_empty());
        let parent = parent.map(|it| format!("{it}$")).unwrap_or_default();
        let StackName { stack, project } = self;
        Urn(format!("urn:pulumi:{stack}::{project}::{parent}{type_name}::{name}").into())
    }
}

impl fmt::Display for Urn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Urn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parent_counts_in_the_type_unless_it_is_the_stack() {
        let stack = StackName {
            stack: "dev".to_owned(),
            project: "shop".to_owned(),
        };
        let root = stack.root();
        assert_eq!(
            root.as_str(),
            "urn:pulumi:dev::shop::pulumi:pulumi:Stack::shop-dev"
        );
        let a = stack.urn(Some(&root), "lens:index:Item", "a");
        assert_eq!(a.as_str(), "urn:pulumi:dev::shop::lens:index:Item::a");
        let b = stack.urn(Some(&a), "lens:index:Item", "b::c");
        assert_eq!(
            b.as_str(),
            "urn:pulumi:dev::shop::lens:index:Item$lens:index:Item::b::c"
        );
        assert_eq!((b.type_name(), b.name()), ("lens:index:Item", "b::c"));
    }
}
