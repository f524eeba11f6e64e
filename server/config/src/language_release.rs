//! Whose language a configuration is written in, and of which release: names, blocks, functions and evaluation differ.

mod added;
mod choose;

use std::fmt;

use text::Diagnostic;

use crate::addr::ProviderAddr;

pub(crate) use added::item;
pub use added::{Since, feature};
pub use choose::{Choice, Constraint, Signs, choose};

/// Product and release: decides everything that differs between releases of the language.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Profile {
    pub product: Product,
    pub version: Version,
}

#[derive(Default, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Product {
    #[default]
    Terraform,
    OpenTofu,
}

/// A released version. A prerelease has the language of its release.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Version {
    pub major: u64,
    pub minor: u64,
    pub patch: u64,
}

impl Version {
    pub const fn new(major: u64, minor: u64, patch: u64) -> Version {
        Version {
            major,
            minor,
            patch,
        }
    }

    /// `1.11`, without the patch.
    pub fn release(self) -> String {
        format!("{}.{}", self.major, self.minor)
    }

    /// Reads `v1`, `1.11` or `1.11.4-rc1`; missing parts are zero.
    pub fn parse(text: &str) -> Option<Version> {
        let text = text.trim();
        let numbers = text.strip_prefix('v').unwrap_or(text);
        let numbers = numbers.split(['-', '+']).next()?;
        let mut parsed = numbers.split('.').map(str::parse);
        let mut next = || parsed.next().transpose().ok();
        let (major, minor, patch) = (next()??, next()?.unwrap_or(0), next()?.unwrap_or(0));
        next()?
            .is_none()
            .then_some(Version::new(major, minor, patch))
    }
}

impl Product {
    /// The releases of the language that are known, each by its newest patch.
    pub fn releases(self) -> &'static [Version] {
        match self {
            Product::Terraform => &TERRAFORM,
            Product::OpenTofu => &OPENTOFU,
        }
    }

    /// The registry that a provider's address means which names none.
    pub fn registry(self) -> &'static str {
        match self {
            Product::Terraform => ProviderAddr::DEFAULT_HOST,
            Product::OpenTofu => "registry.opentofu.org",
        }
    }

    /// What it calls itself.
    pub fn name(self) -> &'static str {
        match self {
            Product::Terraform => "Terraform",
            Product::OpenTofu => "OpenTofu",
        }
    }

    /// The name of its program.
    pub fn command(self) -> &'static str {
        match self {
            Product::Terraform => "terraform",
            Product::OpenTofu => "tofu",
        }
    }

    /// The detail of a diagnostic as the product says it: OpenTofu puts its own name into the sentences that it took over from
    /// Terraform. All other sentences stay.
    pub fn detail_of(self, diagnostic: &Diagnostic) -> String {
        let is_of_others = diagnostic.address.is_some() || OF_OTHERS.contains(&diagnostic.code);
        match self {
            Product::OpenTofu if !is_of_others => {
                let text = diagnostic.detail.replace("Terraform", self.name());
                text.replace(&Product::Terraform.init(true), &self.init(true))
            }
            _ => diagnostic.detail.clone(),
        }
    }

    /// The command that makes a folder ready to be planned, and `with_backend` its state ready to be read.
    pub fn init(self, with_backend: bool) -> String {
        let without = match with_backend {
            true => "",
            false => " -backend=false",
        };
        format!("{} init{without}", self.command())
    }
}

/// Diagnostics with sentences of providers, of authors of modules, and of ours about the releases of both products.
const OF_OTHERS: [&str; 10] = [
    "condition-failed",
    "deprecated-attribute",
    "deprecated-output",
    "deprecated-variable",
    "invalid-variable-value",
    "provider",
    "provider-failed",
    "unknown-function",
    "unsupported-argument",
    "unsupported-block",
];

const TERRAFORM: [Version; 11] = [
    Version::new(1, 5, 7),
    Version::new(1, 6, 6),
    Version::new(1, 7, 5),
    Version::new(1, 8, 5),
    Version::new(1, 9, 8),
    Version::new(1, 10, 5),
    Version::new(1, 11, 4),
    Version::new(1, 12, 2),
    Version::new(1, 13, 5),
    Version::new(1, 14, 9),
    Version::new(1, 15, 3),
];

const OPENTOFU: [Version; 7] = [
    Version::new(1, 6, 3),
    Version::new(1, 7, 10),
    Version::new(1, 8, 11),
    Version::new(1, 9, 4),
    Version::new(1, 10, 10),
    Version::new(1, 11, 14),
    Version::new(1, 12, 6),
];

impl Profile {
    /// The release that recorded the answers in the tests.
    pub const TERRAFORM_1_11: Profile = Profile::terraform(1, 11, 4);
    pub const NEWEST_TERRAFORM: Profile = Profile {
        product: Product::Terraform,
        version: TERRAFORM[TERRAFORM.len() - 1],
    };
    pub const NEWEST_OPENTOFU: Profile = Profile {
        product: Product::OpenTofu,
        version: OPENTOFU[OPENTOFU.len() - 1],
    };

    pub const fn terraform(major: u64, minor: u64, patch: u64) -> Profile {
        Profile {
            product: Product::Terraform,
            version: Version::new(major, minor, patch),
        }
    }

    pub const fn opentofu(major: u64, minor: u64, patch: u64) -> Profile {
        Profile {
            product: Product::OpenTofu,
            version: Version::new(major, minor, patch),
        }
    }

    pub fn is_opentofu(self) -> bool {
        self.product == Product::OpenTofu
    }
}

/// The default where nothing says otherwise.
impl Default for Profile {
    fn default() -> Profile {
        Profile::NEWEST_TERRAFORM
    }
}

impl fmt::Display for Product {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Product::Terraform => "Terraform",
            Product::OpenTofu => "OpenTofu",
        })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.product, self.version)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_as_people_write_them() {
        let parsed = |text| Version::parse(text).map(|version| version.to_string());
        assert_eq!(parsed("1.11.4").as_deref(), Some("1.11.4"));
        assert_eq!(parsed("v1.5").as_deref(), Some("1.5.0"));
        assert_eq!(parsed(" 1.6.0-beta1+x ").as_deref(), Some("1.6.0"));
        assert_eq!(parsed("2").as_deref(), Some("2.0.0"));
        for wrong in ["", "x", "1.x", "1.2.3.4", "-1"] {
            assert_eq!(parsed(wrong), None, "{wrong}");
        }
    }
}
