//! Why the plan of a resource is missing or a guess, as data and in the words of each place where it is shown.

use std::fmt;

use config::{InstanceKey, ProviderAddr, ResourceInstanceAddr};
use eval::Unexpanded;
use provider::ProviderError;
use state::StateUnavailable;

/// Addresses are those of the object, so that each object has its own caveat.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Caveat {
    StateNotRead(StateUnavailable),
    /// The number of instances of a resource or module is known only after apply.
    CountUnknown {
        addr: String,
    },
    /// The expression for the instance keys has errors.
    InstancesUnknown {
        addr: String,
    },
    Unevaluated {
        addr: String,
        why: Unevaluated,
    },
    /// Of a module call whose instances are unknown because of it.
    UnevaluatedCall {
        addr: String,
        why: Unevaluated,
    },
    /// The provider's configuration can't be evaluated: the text of the error.
    UnevaluatedProvider {
        error: String,
        why: Unevaluated,
    },
    MissingProvider {
        provider: String,
    },
    Provider(ProviderError),
    NoResourceType {
        provider: String,
        r#type: String,
    },
    Unconfigured(Unconfigured),
    /// The provider fails to plan it without its configuration.
    NeedsConfiguration {
        provider: String,
    },
    /// Nothing of the provider is planned.
    NotTargeted,
    NotImported {
        addr: ResourceInstanceAddr,
    },
    /// A data source.
    NotRead {
        addr: String,
        /// Whether the values from the state are used instead.
        is_known: bool,
        /// A refresh reads it.
        is_readable: bool,
    },
    /// It depends on a data source that only a refresh reads.
    BehindUnread {
        addr: String,
    },
    Waiting {
        provider: String,
    },
    BehindFailure {
        cause: String,
    },
    /// It depends on a variable that nothing gives a value.
    NoValue {
        variable: String,
    },
    /// It is planned as before there were errors, in its dependencies or else in itself.
    AsBefore {
        cause: Option<String>,
    },
    /// Its dependencies are valid, but something else is not, so nothing of it would be done.
    ErrorsElsewhere,
}

/// Why an object can't be evaluated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Unevaluated {
    Cyclic,
    TooCostly,
}

/// Why a provider has not been given its configuration.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Unconfigured {
    HasErrors,
    NotTrusted,
    NotSaved,
}

/// A command by which the user ends a caveat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cure {
    Init,
    Trust,
    Refresh,
}

/// The provider that a caveat is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AboutProvider {
    NotInstalled,
    LockMismatch,
    Other,
}

impl Caveat {
    /// Of a resource or module whose instances are unknown.
    pub(crate) fn unexpanded(why: Unexpanded, addr: &impl fmt::Display) -> Caveat {
        let addr = addr.to_string();
        match why {
            Unexpanded::Unknown => Caveat::CountUnknown { addr },
            Unexpanded::Invalid => Caveat::InstancesUnknown { addr },
        }
    }

    /// Whether it may be that of a resource or module whose instances are unknown.
    pub(crate) fn is_about_instances(&self) -> bool {
        matches!(
            self,
            Caveat::CountUnknown { .. }
                | Caveat::InstancesUnknown { .. }
                | Caveat::BehindUnread { .. }
        )
    }

    /// Whether the configuration as it stands could not be planned.
    pub fn is_of_errors(&self) -> bool {
        matches!(
            self,
            Caveat::BehindFailure { .. } | Caveat::AsBefore { .. } | Caveat::ErrorsElsewhere
        )
    }

    /// The command by which the user can end it.
    pub fn cure(&self) -> Option<Cure> {
        match self {
            Caveat::Provider(
                ProviderError::NotInstalled { .. } | ProviderError::LockMismatch { .. },
            ) => Some(Cure::Init),
            Caveat::Provider(
                ProviderError::NotTrusted { .. } | ProviderError::NotApproved { .. },
            )
            | Caveat::Unconfigured(Unconfigured::NotTrusted) => Some(Cure::Trust),
            Caveat::StateNotRead(_)
            | Caveat::NotRead {
                is_readable: true, ..
            }
            | Caveat::Provider(ProviderError::AsksService { .. })
            | Caveat::BehindUnread { .. } => Some(Cure::Refresh),
            _ => None,
        }
    }

    /// Whether its sentence calls the object that is not planned "it".
    pub fn is_about_object(&self) -> bool {
        matches!(
            self,
            Caveat::BehindUnread { .. }
                | Caveat::BehindFailure { .. }
                | Caveat::NotTargeted
                | Caveat::ErrorsElsewhere
        )
    }

    /// `None`: it is not about a provider.
    pub fn about_provider(&self) -> Option<AboutProvider> {
        match self {
            Caveat::Provider(ProviderError::NotInstalled { .. }) => {
                Some(AboutProvider::NotInstalled)
            }
            Caveat::Provider(ProviderError::LockMismatch { .. }) => {
                Some(AboutProvider::LockMismatch)
            }
            Caveat::Provider(ProviderError::AsksService { .. }) => None,
            Caveat::Provider(_)
            | Caveat::MissingProvider { .. }
            | Caveat::NoResourceType { .. } => Some(AboutProvider::Other),
            Caveat::StateNotRead(_)
            | Caveat::CountUnknown { .. }
            | Caveat::InstancesUnknown { .. }
            | Caveat::Unevaluated { .. }
            | Caveat::UnevaluatedCall { .. }
            | Caveat::UnevaluatedProvider { .. }
            | Caveat::Unconfigured(_)
            | Caveat::NeedsConfiguration { .. }
            | Caveat::NotTargeted
            | Caveat::NotImported { .. }
            | Caveat::NotRead { .. }
            | Caveat::BehindUnread { .. }
            | Caveat::Waiting { .. }
            | Caveat::BehindFailure { .. }
            | Caveat::NoValue { .. }
            | Caveat::AsBefore { .. }
            | Caveat::ErrorsElsewhere => None,
        }
    }

    /// In a few words, beside the object that it is about: without the address and without advice.
    pub fn brief(&self) -> String {
        match self.with_short_names() {
            Caveat::StateNotRead(_) => "state not read".to_owned(),
            // The error itself reports it there.
            Caveat::AsBefore { cause: None } => String::new(),
            Caveat::UnevaluatedCall { addr, why } => format!("{addr} {why}"),
            Caveat::UnevaluatedProvider { error, why } => match why {
                Unevaluated::Cyclic => "Cycle".to_owned(),
                Unevaluated::TooCostly => error,
            },
            Caveat::Provider(error) => error.brief(),
            // The provider reports it once for all.
            Caveat::Unconfigured(_) => String::new(),
            Caveat::NotImported { addr } if addr.key == InstanceKey::None => {
                NOT_IMPORTED.to_owned()
            }
            Caveat::NotRead { .. } => "not read".to_owned(),
            Caveat::BehindUnread { addr } => format!("{addr} is not read"),
            other @ (Caveat::CountUnknown { .. }
            | Caveat::InstancesUnknown { .. }
            | Caveat::Unevaluated { .. }
            | Caveat::MissingProvider { .. }
            | Caveat::NoResourceType { .. }
            | Caveat::NeedsConfiguration { .. }
            | Caveat::NotTargeted
            | Caveat::NotImported { .. }
            | Caveat::Waiting { .. }
            | Caveat::BehindFailure { .. }
            | Caveat::NoValue { .. }
            | Caveat::AsBefore { .. }
            | Caveat::ErrorsElsewhere) => other.sentence(),
        }
    }

    /// As a sentence beside the text, in which providers have short names.
    pub fn beside_text(&self) -> String {
        self.with_short_names().to_string()
    }

    fn with_short_names(&self) -> Caveat {
        // The names of most providers begin with it, and nobody needs to read it.
        let short = |name: &str| {
            let rest = name.strip_prefix(ProviderAddr::DEFAULT_HOST);
            let rest = rest.and_then(|rest| rest.strip_prefix('/'));
            rest.unwrap_or(name).to_owned()
        };
        match self.clone() {
            Caveat::MissingProvider { provider } => Caveat::MissingProvider {
                provider: short(&provider),
            },
            Caveat::Provider(error) => {
                let name = short(error.provider());
                Caveat::Provider(error.about(name))
            }
            Caveat::NeedsConfiguration { provider } => Caveat::NeedsConfiguration {
                provider: short(&provider),
            },
            Caveat::NoResourceType { provider, r#type } => Caveat::NoResourceType {
                provider: short(&provider),
                r#type,
            },
            other => other,
        }
    }
}

const NOT_IMPORTED: &str = "to be imported, but its object is not read yet";

/// The whole sentence.
impl fmt::Display for Caveat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&text::for_people(self.sentence()))
    }
}

impl Caveat {
    fn sentence(&self) -> String {
        match self {
            Caveat::StateNotRead(why) => why.to_string(),
            Caveat::CountUnknown { addr } => {
                format!("the number of instances of {addr} is known only after apply")
            }
            Caveat::InstancesUnknown { addr } => {
                format!("the instances of {addr} cannot be determined")
            }
            Caveat::Unevaluated { addr, why } => format!("{addr} {why}"),
            Caveat::UnevaluatedCall { addr, why } => format!("{addr}: it {why}"),
            Caveat::UnevaluatedProvider { error, .. } => error.clone(),
            Caveat::MissingProvider { provider } => format!("provider {provider} is not installed"),
            Caveat::Provider(error) => error.to_string(),
            Caveat::NoResourceType { provider, r#type } => {
                format!("provider {provider} has no resource type {type}")
            }
            Caveat::Unconfigured(why) => {
                let why = match why {
                    Unconfigured::HasErrors => "the configuration has errors",
                    Unconfigured::NotTrusted => "this workspace is not trusted",
                    Unconfigured::NotSaved => "a file is not saved",
                };
                format!("planned without its provider's configuration: {why}")
            }
            Caveat::NeedsConfiguration { provider } => {
                format!("provider {provider} must be configured before it can plan this resource")
            }
            Caveat::NotTargeted => "it is not among the targets of the plan".to_owned(),
            Caveat::NotImported { addr } => format!("{addr} is {NOT_IMPORTED}"),
            Caveat::NotRead {
                addr,
                is_known,
                is_readable,
            } => {
                let yet = match is_readable {
                    true => " yet",
                    false => "",
                };
                let values = match is_known {
                    true => "are those of the state",
                    false => "are unknown in this plan",
                };
                format!("{addr} is not read{yet}: its values {values}")
            }
            Caveat::BehindUnread { addr } => {
                format!("it depends on {addr}, which is not read yet")
            }
            Caveat::Waiting { provider } => format!("waiting for {provider}"),
            Caveat::BehindFailure { cause } => {
                format!("it depends on {cause}, which has errors")
            }
            Caveat::NoValue { variable } => format!("{variable} has no value"),
            Caveat::AsBefore { cause: Some(cause) } => {
                format!("as planned before {cause} had errors")
            }
            Caveat::AsBefore { cause: None } => "as planned before it had errors".to_owned(),
            Caveat::ErrorsElsewhere => {
                "planlens plans it after the errors elsewhere are fixed".to_owned()
            }
        }
    }
}

impl fmt::Display for Unevaluated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unevaluated::Cyclic => "refers to itself through other objects",
            Unevaluated::TooCostly => "costs too much to evaluate",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caveat_has_words_for_each_place() {
        let caveat = Caveat::Provider(ProviderError::LockMismatch {
            provider: "registry.terraform.io/acme/disk".to_owned(),
            package: "/code/.terraform/providers/registry.terraform.io/acme/disk".into(),
            reason: "it has none of the hashes".to_owned(),
        });
        let is = "doesn't match the lock file .terraform.lock.hcl";
        let why = "it has none of the hashes (/code/.terraform/providers/registry.terraform.io/acme/disk)";
        assert_eq!(caveat.brief(), format!("provider acme/disk {is}"));
        assert_eq!(
            caveat.beside_text(),
            format!("provider acme/disk {is}: {why}")
        );
        assert_eq!(
            caveat.to_string(),
            format!("provider registry.terraform.io/acme/disk {is}: {why}")
        );
    }

    #[test]
    fn an_address_in_a_caveat_may_look_like_words() {
        let caveat = Caveat::NotImported {
            addr: r#"fake_disk.a["x is y: z"]"#.parse().unwrap(),
        };
        assert_eq!(caveat.brief(), caveat.to_string());
        let caveat = Caveat::CountUnknown {
            addr: r#"module.m["a: b"].fake_disk.a"#.to_owned(),
        };
        assert_eq!(caveat.brief(), caveat.to_string());
    }
}
