//! Why a request to a provider has no answer.

use std::path::PathBuf;
use std::time::Duration;

/// A request to a provider failed. Planning goes on without what was asked about. `doing` is the name of the call.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ProviderError {
    #[error("provider {provider} may not start: this workspace is not trusted")]
    NotTrusted { provider: String },
    #[error("provider {provider} may not start: it is not approved")]
    NotApproved { provider: String },
    #[error("provider {provider} is not installed: run `terraform init`")]
    NotInstalled { provider: String },
    #[error(
        "provider {provider} doesn't match the lock file .terraform.lock.hcl: {reason} ({})",
        package.display()
    )]
    LockMismatch {
        provider: String,
        package: PathBuf,
        reason: String,
    },
    #[error(
        "provider {provider} isn't selected, as the lock file .terraform.lock.hcl can't be read: {reason}"
    )]
    LockUnreadable { provider: String, reason: String },
    #[error("provider {provider} did not start: {reason}")]
    Start { provider: String, reason: String },
    /// The request doesn't fit the provider's schema.
    #[error("provider {provider} can't be asked for {doing}: {reason}")]
    Request {
        provider: String,
        doing: &'static str,
        reason: String,
    },
    #[error("provider {provider} did not answer {doing} within {after:?}")]
    Timeout {
        provider: String,
        doing: &'static str,
        after: Duration,
    },
    #[error("provider {provider} stopped during {doing}")]
    Stopped {
        provider: String,
        doing: &'static str,
    },
    #[error(
        "provider {provider} was ended during {doing}, as it held more than {limit_mib} MiB of memory"
    )]
    TooLarge {
        provider: String,
        doing: &'static str,
        limit_mib: u64,
    },
    #[error(
        "provider {provider} crashed {times} times on {type_name}, so it isn't asked about it any more"
    )]
    CrashesOn {
        provider: String,
        type_name: String,
        times: u32,
    },
    #[error("provider {provider} has no {kind} {name}")]
    UnknownType {
        provider: String,
        kind: &'static str,
        name: String,
    },
    #[error("provider {provider} doesn't support {doing}")]
    Unsupported {
        provider: String,
        doing: &'static str,
    },
    #[error("provider {provider} gave an answer to {doing} that can't be read: {reason}")]
    Protocol {
        provider: String,
        doing: &'static str,
        reason: String,
    },
}

impl ProviderError {
    /// Whether no package is installed that the lock file selects: what `init` sees to.
    pub fn is_not_installed(&self) -> bool {
        matches!(
            self,
            ProviderError::NotInstalled { .. }
                | ProviderError::LockMismatch { .. }
                | ProviderError::LockUnreadable { .. }
        )
    }

    /// Whether the provider never ran: no request of any kind would have an answer.
    pub fn is_before_start(&self) -> bool {
        match self {
            ProviderError::NotTrusted { .. }
            | ProviderError::NotApproved { .. }
            | ProviderError::NotInstalled { .. }
            | ProviderError::LockMismatch { .. }
            | ProviderError::LockUnreadable { .. }
            | ProviderError::Start { .. } => true,
            ProviderError::Request { .. }
            | ProviderError::Timeout { .. }
            | ProviderError::Stopped { .. }
            | ProviderError::TooLarge { .. }
            | ProviderError::CrashesOn { .. }
            | ProviderError::UnknownType { .. }
            | ProviderError::Unsupported { .. }
            | ProviderError::Protocol { .. } => false,
        }
    }
}
