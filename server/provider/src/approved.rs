//! Which plugins may start: the user's approvals.

use std::collections::BTreeSet;
use std::sync::Arc;

use config::ProviderAddr;

use crate::find::{Origin, matches};

/// A package of a provider. One with another content is another package.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Package {
    pub provider: ProviderAddr,
    /// `h1:` of the package that would run, as the lock file has it; of a provider that is being developed `sha256:` of its executable.
    pub hash: String,
}

/// The plugins that may start.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Approved {
    /// Those that the lock file selects: the user has asked for a plan of this folder.
    All,
    /// No plugin, not even one of the user.
    #[default]
    Nothing,
    /// Those that the user approved, and the user's own: reattached, or overridden in a CLI configuration that lies in
    /// no workspace.
    These(Arc<Approvals>),
}

/// The user's approvals.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Approvals {
    /// Addresses like `hashicorp/random`, whatever the package; `*` stands for any part. Without a host they are on a
    /// public registry.
    pub patterns: Vec<String>,
    pub packages: BTreeSet<Package>,
}

impl Approved {
    /// Whether some package of this provider may start.
    pub fn names(&self, addr: &ProviderAddr) -> bool {
        match self {
            Approved::All => true,
            Approved::Nothing => false,
            Approved::These(these) => {
                these.has_pattern(addr) || these.packages.iter().any(|it| it.provider == *addr)
            }
        }
    }

    /// Whether `other` leaves out something that this takes.
    pub fn takes_more_than(&self, other: &Approved) -> bool {
        match (self, other) {
            (_, Approved::All) | (Approved::Nothing, _) => false,
            (Approved::All | Approved::These(_), Approved::Nothing)
            | (Approved::All, Approved::These(_)) => true,
            (Approved::These(these), Approved::These(others)) => {
                let has = |pattern| others.patterns.contains(pattern);
                !these.patterns.iter().all(has) || !these.packages.is_subset(&others.packages)
            }
        }
    }

    /// Whether the found package may start.
    pub(crate) fn takes(&self, origin: &Origin, package: &Package) -> bool {
        let these = match self {
            Approved::All => return true,
            Approved::Nothing => return false,
            Approved::These(these) => these,
        };
        origin.is_of_user() || these.take(package)
    }
}

impl Approvals {
    pub fn take(&self, package: &Package) -> bool {
        self.has_pattern(&package.provider) || self.packages.contains(package)
    }

    fn has_pattern(&self, addr: &ProviderAddr) -> bool {
        self.patterns.iter().any(|pattern| matches(pattern, addr))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(address: &str, hash: &str) -> Package {
        Package {
            provider: address.parse().unwrap(),
            hash: hash.to_owned(),
        }
    }

    fn these(patterns: &[&str], packages: &[Package]) -> Approved {
        Approved::These(Arc::new(Approvals {
            patterns: patterns.iter().map(|it| (*it).to_owned()).collect(),
            packages: packages.iter().cloned().collect(),
        }))
    }

    #[test]
    fn a_revoked_approval_is_noticed() {
        let [good, other] = ["acme/good", "acme/other"].map(|it| package(it, "h1:1"));
        let both = these(&[], &[good.clone(), other]);
        let one = these(&[], std::slice::from_ref(&good));
        let changed = these(&[], &[package("acme/good", "h1:2")]);
        let by_name = these(&["acme/*"], &[]);
        for (before, after, is_more) in [
            (&Approved::All, &both, true),
            (&Approved::All, &Approved::Nothing, true),
            (&both, &Approved::All, false),
            (&both, &one, true),
            (&one, &both, false),
            (&one, &changed, true),
            (&by_name, &both, true),
            (&one, &Approved::Nothing, true),
            (&Approved::Nothing, &one, false),
        ] {
            assert_eq!(
                before.takes_more_than(after),
                is_more,
                "{before:?} {after:?}"
            );
        }
        assert!(one.names(&good.provider) && by_name.names(&good.provider));
        assert!(!by_name.names(&"example.com/acme/good".parse().unwrap()));
    }
}
