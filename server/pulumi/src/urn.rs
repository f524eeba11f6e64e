//! Names of resources: `urn:pulumi:STACK::PROJECT::[PARENTTYPES$]TYPE::NAME`.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;

/// The types of all parents stand in it, so it may be as long as a program: its text is read once.
#[derive(Clone)]
pub struct Urn(Arc<Parsed>);

struct Parsed {
    text: Box<str>,
    hash: u64,
    /// Of the types of all parents but the stack, and its own.
    types: Range<usize>,
    /// Of its own type.
    own_type: Range<usize>,
    /// Of its name.
    name: Range<usize>,
}

impl Parsed {
    fn of(text: Box<str>) -> Parsed {
        let end = text.len();
        let behind = |from: usize| text[from..].find("::").map(|at| from + at);
        let project = behind(0).map(|at| at + 2);
        let types_at = project.and_then(behind).map_or(end, |at| at + 2);
        let types_end = behind(types_at).unwrap_or(end);
        let own_at = text[types_at..types_end].rfind('$');
        let mut hasher = DefaultHasher::new();
        hasher.write(text.as_bytes());
        Parsed {
            hash: hasher.finish(),
            types: types_at..types_end,
            own_type: own_at.map_or(types_at, |at| types_at + at + 1)..types_end,
            name: (types_end + 2).min(end)..end,
            text,
        }
    }
}

impl PartialEq for Urn {
    fn eq(&self, other: &Urn) -> bool {
        let (a, b) = (&self.0, &other.0);
        Arc::ptr_eq(a, b) || a.hash == b.hash && a.text == b.text
    }
}

impl Eq for Urn {}

impl PartialOrd for Urn {
    fn partial_cmp(&self, other: &Urn) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Urn {
    fn cmp(&self, other: &Urn) -> Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl Hash for Urn {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        hasher.write_u64(self.0.hash);
    }
}

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
        Urn(Arc::new(Parsed::of(text.into())))
    }

    pub fn as_str(&self) -> &str {
        &self.0.text
    }

    pub fn is_valid(text: &str) -> bool {
        text.starts_with("urn:pulumi:") && text.splitn(4, "::").count() == 4
    }

    /// The types of all parents but the stack, and its own, joined by `$`.
    pub fn qualified_type(&self) -> &str {
        &self.0.text[self.0.types.clone()]
    }

    pub fn type_name(&self) -> &str {
        &self.0.text[self.0.own_type.clone()]
    }

    /// The package that it is a provider of, if it is one.
    pub fn package_of_provider(&self) -> Option<&str> {
        self.type_name().strip_prefix(PROVIDER_PREFIX)
    }

    pub fn name(&self) -> &str {
        &self.0.text[self.0.name.clone()]
    }

    /// A child of it, in its stack and project.
    ///
    /// Source: `CreateURN` in `alias.go` of Pulumi's Go SDK.
    pub fn child(&self, type_name: &str, name: &str) -> Urn {
        let text = self.as_str();
        let parent = text.rfind("::").map_or(text, |end| &text[..end]);
        Urn::new(&format!("{parent}${type_name}::{name}"))
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
        let text = format!("urn:pulumi:{stack}::{project}::{parent}{type_name}::{name}");
        Urn(Arc::new(Parsed::of(text.into())))
    }
}

impl fmt::Display for Urn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Urn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
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
