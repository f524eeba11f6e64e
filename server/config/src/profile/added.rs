//! Which release brought what.
//!
//! Sources: the changelogs of both products, `internal/configs` of `opentofu/opentofu` at the tags of its releases, and
//! Terraform's upgrade guides.

use super::{Product, Profile};

/// The first releases of the language that have something; `None`: that product has not got it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Since {
    /// The minor version of Terraform 1.
    pub terraform: Option<u64>,
    /// The minor version of OpenTofu 1.
    pub opentofu: Option<u64>,
}

impl Since {
    pub const ALWAYS: Since = both(0, 0);

    /// What needs both.
    pub fn and(self, other: Since) -> Since {
        Since {
            terraform: self.terraform.zip(other.terraform).map(|(a, b)| a.max(b)),
            opentofu: self.opentofu.zip(other.opentofu).map(|(a, b)| a.max(b)),
        }
    }

    pub fn is_in(self, profile: Profile) -> bool {
        let version = profile.version;
        self.of(profile.product)
            .is_some_and(|minor| (version.major, version.minor) >= (1, minor))
    }

    /// Why `profile` has not got it, as the end of a sentence about it. `None`: it has.
    pub fn missing_in(self, profile: Profile) -> Option<String> {
        if self.is_in(profile) {
            return None;
        }
        let (product, other) = match profile.product {
            Product::Terraform => (Product::Terraform, Product::OpenTofu),
            Product::OpenTofu => (Product::OpenTofu, Product::Terraform),
        };
        let asked = format!(
            "this configuration is for {product} {}",
            profile.version.release()
        );
        Some(match (self.of(product), self.of(other)) {
            (Some(minor), _) => format!("was added in {product} 1.{minor}; {asked}"),
            (None, Some(minor)) => format!("is only in {other}, since 1.{minor}; {asked}"),
            (None, None) => format!("is not available; {asked}"),
        })
    }

    fn of(self, product: Product) -> Option<u64> {
        match product {
            Product::Terraform => self.terraform,
            Product::OpenTofu => self.opentofu,
        }
    }
}

impl Profile {
    pub fn has(self, since: Since) -> bool {
        since.is_in(self)
    }
}

const fn both(terraform: u64, opentofu: u64) -> Since {
    Since {
        terraform: Some(terraform),
        opentofu: Some(opentofu),
    }
}

const fn terraform(minor: u64) -> Since {
    Since {
        terraform: Some(minor),
        opentofu: None,
    }
}

const fn opentofu(minor: u64) -> Since {
    Since {
        terraform: None,
        opentofu: Some(minor),
    }
}

/// What evaluation, loading and planning ask for by name.
pub mod feature {
    use super::{Since, both, opentofu};

    /// An unknown value may be known not to be null, to begin with a prefix, to be in a range.
    pub const REFINEMENTS: Since = both(6, 6);
    /// `nonsensitive` takes values that are not sensitive.
    pub const REDUNDANT_NONSENSITIVE: Since = both(7, 7);
    /// `core::upper`, `provider::name::function`.
    pub const NAMESPACED_FUNCTIONS: Since = both(8, 7);
    /// The branch that a condition does not choose still gives its marks to the result.
    pub const CONDITIONAL_MARKS: Since = both(10, 10);
    /// An operand that decides a `&&` or `||` makes the other one irrelevant, even if that is unknown or wrong.
    pub const SHORT_CIRCUIT: Since = both(12, 10);
    /// `convert(value, type)`
    pub const CONVERT: Since = both(15, 13);
    /// A comparison with null takes no marks from inside the other operand (go-cty 1.18).
    pub const SHALLOW_NULL_COMPARISON: Since = both(15, 12);
    /// `element` counts negative indices from the end.
    pub const NEGATIVE_ELEMENT: Since = both(10, 10);
    /// `format` knows a text for a null of no type.
    pub const FORMATTED_NULL: Since = both(12, 10);
    /// Conversion errors say what type the value has.
    pub const CONVERSION_NAMES_TYPE: Since = both(13, 10);
    /// `templatefile` may be called from templates, up to a depth.
    pub const TEMPLATE_RECURSION: Since = opentofu(7);
    /// Whether an unknown value is sensitive is unknown.
    pub const ISSENSITIVE_OF_UNKNOWN: Since = both(8, 11);
    /// `yamldecode` merges sequences of mappings.
    pub const YAML_MERGE_SEQUENCE: Since = opentofu(12);
    /// `main.tofu` beside and in the place of `main.tf`.
    pub const TOFU_FILES: Since = opentofu(8);
    /// `tofu.workspace`
    pub const TOFU_OBJECT: Since = opentofu(9);
    /// `required_version` counts in files named for OpenTofu only.
    pub const OWN_REQUIRED_VERSION: Since = opentofu(12);
    /// The condition of a `validation` block may refer to other objects.
    pub const VALIDATION_REFERENCES: Since = both(9, 9);
    /// `enabled` in `lifecycle`, of resources and of modules.
    pub const ENABLED: Since = opentofu(11);
    /// `destroy` in the `lifecycle` of a resource.
    pub const LIFECYCLE_DESTROY: Since = opentofu(12);
    /// An expression for `prevent_destroy` in the `lifecycle` of a resource.
    pub const DYNAMIC_PREVENT_DESTROY: Since = opentofu(12);
    /// Expressions as instance keys in the `to` of an `import` block without `for_each`.
    pub const DYNAMIC_IMPORT_KEYS: Since = opentofu(7);
    /// Creating an object is a change that `replace_triggered_by` looks at.
    pub const CREATION_TRIGGERS: Since = opentofu(12);
    /// `for_each` of a provider configuration.
    pub const PROVIDER_FOR_EACH: Since = opentofu(9);
    /// Variables and local values in `source` and `version` of modules, and in backends.
    pub const STATIC_EVALUATION: Since = both(15, 8);
}

/// Since when a block of the language may have an argument or block in it; the outermost block is `""`.
pub(crate) fn item(block: &str, item: &str) -> Since {
    let entry = ADDED
        .iter()
        .find(|(in_block, name, _)| *in_block == block && *name == item);
    entry.map_or(Since::ALWAYS, |(_, _, since)| *since)
}

const ADDED: &[(&str, &str, Since)] = &[
    ("", "removed", both(7, 7)),
    ("", "ephemeral", both(10, 11)),
    ("", "action", terraform(14)),
    ("", "language", opentofu(12)),
    ("import", "for_each", both(7, 7)),
    ("import", "identity", both(12, 12)),
    ("removed", "connection", both(9, 10)),
    ("removed", "lifecycle", both(7, 10)),
    ("removed", "provisioner", both(9, 10)),
    ("lifecycle", "action_trigger", terraform(14)),
    ("lifecycle", "enabled", opentofu(11)),
    ("output", "deprecated", both(15, 10)),
    ("output", "ephemeral", both(10, 11)),
    ("output", "type", terraform(15)),
    ("terraform", "encryption", opentofu(7)),
    ("variable", "const", both(15, 12)),
    ("variable", "deprecated", both(15, 10)),
    ("variable", "ephemeral", both(10, 11)),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_release_has_not_got_is_explained() {
        let since = both(8, 7);
        assert!(since.is_in(Profile::terraform(1, 8, 0)));
        assert!(since.is_in(Profile::terraform(2, 0, 0)));
        assert_eq!(
            since.missing_in(Profile::terraform(1, 5, 7)).as_deref(),
            Some("was added in Terraform 1.8; this configuration is for Terraform 1.5")
        );
        assert_eq!(
            opentofu(7).missing_in(Profile::TERRAFORM_1_11).as_deref(),
            Some("is only in OpenTofu, since 1.7; this configuration is for Terraform 1.11")
        );
    }
}
