//! Plan files: archives, in which the state that the plan was made from is a member.
//!
//! Follows `internal/plans/planfile` of OpenTofu.

use std::io::{Cursor, Read as _};

use zip::ZipArchive;

use crate::StateError;

/// What a plan file begins with, as text.
const MAGIC: &str = "PK\u{3}\u{4}";

/// The member that is the state as it was refreshed for the plan.
const STATE: &str = "tfstate";

/// More than any state has, so that a broken file can't ask for all memory.
const MAX_SIZE: u64 = 1 << 30;

/// Whether a text that was read as a state is a plan file.
pub fn is_plan_file(text: &str) -> bool {
    text.starts_with(MAGIC)
}

/// The text of the state in a plan file.
pub fn state_of_plan_file(bytes: &[u8]) -> Result<String, StateError> {
    state(bytes).ok_or_else(|| StateError::Invalid {
        what: "the plan file".to_owned(),
        why: "it has no state that can be read".to_owned(),
    })
}

fn state(bytes: &[u8]) -> Option<String> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).ok()?;
    let mut text = String::new();
    let member = archive.by_name(STATE).ok()?;
    member.take(MAX_SIZE).read_to_string(&mut text).ok()?;
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_archive_has_no_state() {
        for bytes in [
            &b""[..],
            b"PK\x03\x04",
            b"PK\x05\x06\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
        ] {
            assert!(state_of_plan_file(bytes).is_err());
        }
    }
}
