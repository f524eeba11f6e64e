//! Plan files: archives, in which the state that the plan was made from is a member.
//!
//! Follows `internal/plans/planfile` of OpenTofu; the archive is a zip file as PKWARE's APPNOTE.TXT describes it.

use std::io::Read;

use flate2::read::DeflateDecoder;

use crate::StateError;

/// What a plan file begins with, as text.
const MAGIC: &str = "PK\u{3}\u{4}";

/// The member that is the state as it was refreshed for the plan.
const STATE: &[u8] = b"tfstate";

/// More than any state has, so that a broken file can't ask for all memory.
const MAX_SIZE: u64 = 1 << 30;

/// Whether a text that was read as a state is a plan file.
pub fn is_plan_file(text: &str) -> bool {
    text.starts_with(MAGIC)
}

/// The text of the state in a plan file.
pub fn state_of_plan_file(bytes: &[u8]) -> Result<String, StateError> {
    member(bytes, STATE).ok_or_else(|| StateError::Invalid {
        what: "the plan file".to_owned(),
        why: "it has no state that can be read".to_owned(),
    })
}

fn member(bytes: &[u8], name: &[u8]) -> Option<String> {
    // The directory of the members is told at the end, before a comment of any length.
    let end = bytes.windows(4).rposition(|it| it == b"PK\x05\x06")?;
    let count = number(bytes, end + 10, 2)?;
    let mut at = usize::try_from(number(bytes, end + 16, 4)?).ok()?;
    for _ in 0..count {
        if bytes.get(at..at + 4)? != b"PK\x01\x02" {
            return None;
        }
        let length = |offset| usize::try_from(number(bytes, at + offset, 2)?).ok();
        let (named, extra, comment) = (length(28)?, length(30)?, length(32)?);
        if bytes.get(at + 46..at + 46 + named)? == name {
            let header = usize::try_from(number(bytes, at + 42, 4)?).ok()?;
            let size = usize::try_from(number(bytes, at + 20, 4)?).ok()?;
            let skipped = number(bytes, header + 26, 2)? + number(bytes, header + 28, 2)?;
            let start = header + 30 + usize::try_from(skipped).ok()?;
            return content(
                number(bytes, at + 10, 2)?,
                bytes.get(start..start.checked_add(size)?)?,
            );
        }
        at += 46 + named + extra + comment;
    }
    None
}

fn content(method: u64, stored: &[u8]) -> Option<String> {
    let mut text = String::new();
    let read = match method {
        0 => stored.take(MAX_SIZE).read_to_string(&mut text),
        8 => DeflateDecoder::new(stored)
            .take(MAX_SIZE)
            .read_to_string(&mut text),
        _ => return None,
    };
    read.ok().map(|_| text)
}

/// A little-endian number of some bytes.
fn number(bytes: &[u8], at: usize, size: usize) -> Option<u64> {
    let bytes = bytes.get(at..at.checked_add(size)?)?;
    let digits = bytes.iter().rev();
    Some(digits.fold(0, |number, byte| number << 8 | u64::from(*byte)))
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
