//! Zip archives: what is in them, read from memory.
//!
//! Follows APPNOTE.TXT of the ZIP format, without its 64-bit extensions.

use std::io::{self, Read as _, Write};

use flate2::read::DeflateDecoder;

const END: &[u8] = b"PK\x05\x06";
const END_LENGTH: usize = 22;
const LISTED: &[u8] = b"PK\x01\x02";
const LISTED_LENGTH: usize = 46;
const LOCAL_LENGTH: usize = 30;

/// A file or folder in an archive.
pub struct Member<'a> {
    archive: &'a [u8],
    /// Where its entry in the directory is.
    listed: usize,
    /// With `/` between folders, and at the end of a folder's own.
    pub name: &'a str,
}

/// What an archive lists, in its order. None: it is no archive, or a broken one.
pub fn members(archive: &[u8]) -> Option<Vec<Member<'_>>> {
    // A comment of at most 64 KiB may stand behind the end record.
    let tail = archive.len().saturating_sub(END_LENGTH + (1 << 16));
    let end = archive[tail..]
        .windows(END.len())
        .rposition(|it| it == END)?
        + tail;
    let count = short(archive, end + 10)?;
    let mut listed = long(archive, end + 16)?;
    let mut members = Vec::new();
    for _ in 0..count {
        if !archive.get(listed..)?.starts_with(LISTED) {
            return None;
        }
        let (begin, length) = (listed + LISTED_LENGTH, short(archive, listed + 28)?);
        let name = std::str::from_utf8(archive.get(begin..begin + length)?).ok()?;
        members.push(Member {
            archive,
            listed,
            name,
        });
        listed = begin + length + short(archive, listed + 30)? + short(archive, listed + 32)?;
    }
    Some(members)
}

impl Member<'_> {
    /// How long it is unpacked, in bytes, as the archive says.
    pub fn size(&self) -> Option<usize> {
        long(self.archive, self.listed + 24)
    }

    /// Unpacks it. None: it can't be, or is not as long as the archive says; never more than a byte beyond that is written.
    pub fn unpack(&self, to: &mut impl Write) -> Option<()> {
        let (archive, listed) = (self.archive, self.listed);
        let packed = long(archive, listed + 20)?;
        let local = long(archive, listed + 42)?;
        let begin =
            local + LOCAL_LENGTH + short(archive, local + 26)? + short(archive, local + 28)?;
        let mut packed = archive.get(begin..begin.checked_add(packed)?)?;
        let size = self.size()? as u64;
        let length = match short(archive, listed + 10)? {
            0 => io::copy(&mut packed, to).ok()?,
            8 => io::copy(&mut DeflateDecoder::new(packed).take(size + 1), to).ok()?,
            _ => return None,
        };
        (length == size).then_some(())
    }
}

fn short(bytes: &[u8], at: usize) -> Option<usize> {
    let bytes = bytes.get(at..)?.first_chunk()?;
    Some(u16::from_le_bytes(*bytes).into())
}

fn long(bytes: &[u8], at: usize) -> Option<usize> {
    let bytes = bytes.get(at..)?.first_chunk()?;
    u32::from_le_bytes(*bytes).try_into().ok()
}
