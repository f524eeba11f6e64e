//! Plan files: archives, in which the state that the plan was made from is a member.
//!
//! Follows `internal/plans/planfile` of OpenTofu.

use std::io::{Cursor, Read as _};

use disk::Limit;
use zip::ZipArchive;

use crate::StateError;

/// What a plan file begins with.
pub(crate) const MAGIC: &[u8] = b"PK\x03\x04";

/// The member that is the state as it was refreshed for the plan.
const STATE: &str = "tfstate";

/// The text of the state in a plan file.
pub(crate) fn state_of_plan_file(bytes: &[u8]) -> Result<String, StateError> {
    let limit = Limit::STATE;
    let invalid = |why: String| StateError::Invalid {
        what: "the plan file".to_owned(),
        why,
    };
    let text = state(bytes, limit.bytes());
    let text = text.ok_or_else(|| invalid("it has no state that can be read".to_owned()))?;
    match text.len() as u64 > limit.bytes() {
        true => Err(invalid(format!(
            "its state is larger than {limit}, the limit for a state"
        ))),
        false => Ok(text),
    }
}

/// One byte more than the limit at most: an archive may hold much more than it is long.
fn state(bytes: &[u8], limit: u64) -> Option<String> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).ok()?;
    let member = archive.by_name(STATE).ok()?;
    let mut text = String::with_capacity(member.size().min(limit) as usize);
    member.take(limit + 1).read_to_string(&mut text).ok()?;
    Some(text)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use zip::write::{SimpleFileOptions, ZipWriter};

    use super::*;

    #[test]
    fn an_archive_is_unpacked_no_further_than_the_limit() {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        writer
            .start_file(STATE, SimpleFileOptions::default())
            .unwrap();
        writer.write_all(&[b' '; 10_000]).unwrap();
        let archive = writer.finish().unwrap().into_inner();
        assert!(archive.len() < 1000);
        assert_eq!(state(&archive, 10_000).unwrap().len(), 10_000);
        assert_eq!(state(&archive, 99).unwrap().len(), 100);
    }

    #[test]
    fn an_invalid_plan_file_has_no_state() {
        for bytes in [
            &b""[..],
            b"PK\x03\x04",
            b"PK\x05\x06\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
        ] {
            assert!(state_of_plan_file(bytes).is_err());
        }
    }
}
