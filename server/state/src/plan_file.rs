//! Plan files: archives, in which the state that the plan was made from is a member.
//!
//! Follows `internal/plans/planfile` of OpenTofu.

use crate::{StateError, archive};

/// What a plan file begins with, as text.
const MAGIC: &str = "PK\u{3}\u{4}";

/// The member that is the state as it was refreshed for the plan.
const STATE: &str = "tfstate";

/// More than any state has, so that a broken file can't ask for all memory.
const MAX_SIZE: usize = 1 << 30;

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
    let members = archive::members(bytes)?;
    let state = members.iter().find(|member| member.name == STATE)?;
    let mut text = Vec::new();
    if state.size()? > MAX_SIZE {
        return None;
    }
    state.unpack(&mut text)?;
    String::from_utf8(text).ok()
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
