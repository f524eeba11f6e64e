//! Why a state could not be read.

use smol_str::SmolStr;

/// A state file that can't be used. Without it nothing is known about existing objects.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, thiserror::Error)]
pub enum StateError {
    #[error("the state file {path} could not be read: {why}")]
    Unreadable { path: String, why: String },
    /// The program that knows the backend can't get it; `why` is for a person to read.
    #[error("`{command}` failed: {why}")]
    NotPulled {
        command: String,
        why: String,
        /// It asks for `init`.
        needs_init: bool,
    },
    #[error("the state file ends too early at line {line}; is it still being written?")]
    Truncated { line: usize },
    #[error("the state file is not valid JSON at line {line}, column {column}: {why}")]
    Syntax {
        line: usize,
        column: usize,
        why: String,
    },
    #[error("the file is not a state file: it has no format version")]
    NotState,
    /// Documents of `terraform show -json` lack what providers keep for themselves in a state.
    #[error(
        "the file is output of `terraform show -json`, which is not a complete state; name the state file, or the plan file that was shown"
    )]
    Shown,
    #[error("the state file is encrypted and can not be read without an encryption configuration")]
    Encrypted,
    /// `why` holds no part of a secret.
    #[error("the state file could not be decrypted: {why}")]
    NotDecrypted { why: String },
    #[error(
        "the state file has format version {version}, and planlens reads version 4; run terraform refresh with Terraform 0.12 or newer to upgrade it"
    )]
    TooOld { version: u64 },
    #[error(
        "the state file has format version {version}, which is newer than this planlens understands"
    )]
    TooNew { version: u64 },
    /// `what` names the part of the file.
    #[error("the state file is not valid: {what}: {why}")]
    Invalid { what: String, why: String },
}

impl StateError {
    /// Whether the message has the path of the file.
    pub fn names_file(&self) -> bool {
        matches!(self, StateError::Unreadable { .. })
    }
}

/// Why nothing is known about existing objects.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, thiserror::Error)]
pub enum StateUnavailable {
    #[error("state not read: it is in the backend \"{0}\"")]
    InBackend(SmolStr),
    #[error("state not read: {0}")]
    Failed(StateError),
}

impl StateUnavailable {
    /// Whether `init` was asked for.
    pub fn needs_init(&self) -> bool {
        matches!(
            self,
            StateUnavailable::Failed(StateError::NotPulled {
                needs_init: true,
                ..
            })
        )
    }
}
