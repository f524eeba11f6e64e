//! The first release of each behaviour; blocks and arguments have theirs in `schemas/language.json`.
//!
//! Sources: the changelogs of both products, `internal/configs` of `opentofu/opentofu` at the tags of its releases, and
//! Terraform's upgrade guides.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use schema::{LanguageBlock, LanguageSchema};
use smol_str::SmolStr;

use super::{Product, Profile, Version};

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

    /// The first release with both.
    pub fn and(self, other: Since) -> Since {
        Since {
            terraform: self.terraform.zip(other.terraform).map(|(a, b)| a.max(b)),
            opentofu: self.opentofu.zip(other.opentofu).map(|(a, b)| a.max(b)),
        }
    }

    /// The first release with either.
    fn or(self, other: Since) -> Since {
        let first = |a: Option<u64>, b: Option<u64>| a.into_iter().chain(b).min();
        Since {
            terraform: first(self.terraform, other.terraform),
            opentofu: first(self.opentofu, other.opentofu),
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

/// Behaviour that evaluation, loading and planning ask for by name.
pub mod feature {
    use super::{Since, both, opentofu, terraform};

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
    /// A sensitive output of a module is sensitive for its caller. Terraform 1.8 to 1.12 forget it.
    pub const SENSITIVE_MODULE_OUTPUTS: Since = both(13, 0);
    /// `convert(value, type)`
    pub const CONVERT: Since = both(15, 13);
    /// A comparison with null takes no marks from inside the other operand (go-cty 1.18). Terraform 1.15.0 and OpenTofu
    /// 1.12.6 still take them.
    pub const SHALLOW_NULL_COMPARISON: Since = both(16, 13);
    /// A plan shows a diagnostic once that several instances have.
    pub const EQUAL_DIAGNOSTICS_ONCE: Since = terraform(12);
    /// Warnings about attributes of objects that the type of a variable drops.
    pub const IGNORED_ATTRIBUTES: Since = opentofu(11);
    /// A warning of a deprecated attribute follows its value, rather than the reference.
    pub const DEPRECATED_VALUES: Since = both(15, 12);
    /// Validation takes a called module for an object, with the types that its outputs declare.
    pub const CALLED_OBJECTS: Since = terraform(15);
    /// Validation knows the types of a resource's attributes, unless it has `count` or `for_each`.
    pub const RESOURCE_TYPES_IN_VALIDATION: Since = both(15, 12);
    /// The arguments of module calls are compared with the variables before the lock file is read.
    pub const CALLS_BEFORE_LOCK_FILE: Since = terraform(15);
    /// An `import` block that lacks its `id` counts as one for its resource.
    pub const IMPORTS_OF_NOTHING: Since = terraform(15);
    /// `validate` looks at the arguments of the backend.
    pub const VALIDATED_BACKENDS: Since = terraform(15);
    /// Errors of several backends name the blocks in quotes.
    pub const QUOTED_BACKENDS: Since = terraform(15);
    /// The relevant attributes of a plan are named no further than the schema goes.
    pub const RELEVANT_WITHIN_SCHEMA: Since = terraform(15);
    /// A refresh alone of objects that only moved is nothing to apply.
    pub const MOVES_ARE_NO_REFRESH: Since = both(15, 0);
    /// The JSON form of a configuration has ephemeral resources, and says which variables and outputs are ephemeral.
    pub const EPHEMERAL_IN_JSON: Since = opentofu(11);
    /// The JSON form of a plan has the identities of objects.
    pub const IDENTITIES_IN_JSON: Since = both(12, 12);
    /// It has the types of variables, and the functions of providers among the references.
    pub const TYPES_IN_JSON: Since = opentofu(12);
    /// A refresh alone is no change where it reads a number again. Terraform 1.11 compares their precision.
    pub const NUMBERS_READ_AGAIN: Since = both(12, 6);
    /// `element` counts negative indices from the end.
    pub const NEGATIVE_ELEMENT: Since = both(10, 10);
    /// It does so in a tuple too. Before, go-cty fails there.
    pub const NEGATIVE_ELEMENT_OF_TUPLE: Since = both(12, 10);
    /// `format` knows a text for a null of no type.
    pub const FORMATTED_NULL: Since = both(12, 10);
    /// The name of an attribute in brackets is checked although the value of the object is unknown (`Index` of hcl 2.24).
    pub const INDEX_OF_UNKNOWN_OBJECT: Since = terraform(13);
    /// Conversion errors name the type of the value.
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
    /// An `import` block in a called module is ignored, not refused.
    pub const IMPORTS_IN_MODULES: Since = terraform(15);
    /// OpenTofu's own sentence about a reference to a resource that is not declared.
    pub const UNDEFINED_RESOURCES: Since = opentofu(12);
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
///
/// A type of block that stands in several others, as `lifecycle` does, has the arguments of all of them.
pub(crate) fn item(block: &str, item: &str) -> Since {
    static ADDED: LazyLock<BTreeMap<SmolStr, Vec<(SmolStr, Since)>>> = LazyLock::new(|| {
        let mut found = BTreeMap::new();
        collect("", &LanguageSchema::get().blocks, &mut found);
        let mut added: BTreeMap<SmolStr, Vec<(SmolStr, Since)>> = BTreeMap::new();
        for ((block, item), since) in found {
            let is_refused = REFUSED.contains(&(block.as_str(), item.as_str()));
            if since != Since::ALWAYS && !is_refused {
                added.entry(block).or_default().push((item, since));
            }
        }
        added
    });
    let added = ADDED.get(block).map(Vec::as_slice).unwrap_or_default();
    let entry = added.iter().find(|(name, _)| name == item);
    entry.map_or(Since::ALWAYS, |(_, since)| *since)
}

/// Blocks that Terraform refuses with words of its own where it reads them.
const REFUSED: [(&str, &str); 2] = [("module", "lifecycle"), ("provider", "for_each")];

fn collect(
    around: &str,
    blocks: &BTreeMap<SmolStr, LanguageBlock>,
    found: &mut BTreeMap<(SmolStr, SmolStr), Since>,
) {
    let mut add = |block: &str, item: &SmolStr, since: &schema::Since| {
        let since = Since::from(since);
        let known = found.entry((block.into(), item.clone())).or_insert(since);
        *known = known.or(since);
    };
    for (name, block) in blocks {
        add(around, name, &block.since);
        for (argument, it) in &block.arguments {
            add(name, argument, &it.since);
        }
    }
    for (name, block) in blocks {
        collect(name, &block.blocks, found);
    }
}

impl From<&schema::Since> for Since {
    fn from(since: &schema::Since) -> Since {
        let minor = |version: &Option<SmolStr>| Some(Version::parse(version.as_ref()?)?.minor);
        match (minor(&since.terraform), minor(&since.opentofu)) {
            (None, None) => Since::ALWAYS,
            (terraform, opentofu) => Since {
                terraform,
                opentofu,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_and_arguments_have_the_releases_of_the_schema() {
        assert_eq!(item("", "action").terraform, Some(14));
        assert_eq!(item("lifecycle", "enabled"), opentofu(11));
        assert_eq!(item("removed", "lifecycle"), both(7, 10));
        assert_eq!(item("output", "type").opentofu, None);
        // A `removed` block always had it in its own.
        assert_eq!(item("lifecycle", "destroy"), Since::ALWAYS);
        assert_eq!(item("resource", "count"), Since::ALWAYS);
        assert_eq!(item("provider", "for_each"), Since::ALWAYS);
    }

    #[test]
    fn a_feature_missing_from_a_release_is_explained() {
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
