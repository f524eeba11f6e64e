//! How much may be printed. A value of a megabyte has gigabytes of text where it stands deep, or beside a long name.
//!
//! Bytes are counted, each once for every level that it is inside of.

use std::cell::Cell;

/// Of one change.
const CHANGE: usize = 64 << 20;
/// Of one hover.
const HOVER: usize = 8 << 20;
/// Of all that an editor gets at once.
const MESSAGE: usize = 128 << 20;
/// Of all that a command prints.
const COMMAND: usize = 1 << 30;

/// The bytes that are left for a text.
#[derive(Debug)]
pub struct Room {
    left: Cell<usize>,
    is_full: Cell<bool>,
}

impl Room {
    pub fn of_hover() -> Room {
        Room::new(HOVER)
    }

    pub fn of_message() -> Room {
        Room::new(MESSAGE)
    }

    pub(super) fn of_command() -> Room {
        Room::new(COMMAND)
    }

    fn new(bytes: usize) -> Room {
        Room {
            left: Cell::new(bytes),
            is_full: Cell::new(false),
        }
    }

    /// Takes room for these bytes, and answers whether there was enough. After a text that was too long, there is none.
    pub(super) fn take(&self, bytes: usize) -> bool {
        let left = self.left.get().checked_sub(bytes);
        self.is_full.set(self.is_full.get() || left.is_none());
        self.left.set(left.unwrap_or_default());
        !self.is_full.get()
    }

    pub(super) fn is_full(&self) -> bool {
        self.is_full.get()
    }

    /// The text that `print` makes of one change, with a note if there is more of it.
    pub(super) fn change(&self, print: impl FnOnce(&Room) -> String) -> String {
        let size = CHANGE.min(self.left.get());
        let own = Room::new(size);
        let text = print(&own);
        self.take(size - own.left.get());
        if own.is_full() && size < CHANGE {
            self.is_full.set(true);
        }
        match own.is_full() {
            true => text + "\n  # (the rest of this change is too long to be shown)",
            false => text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_a_line_without_room_nothing_has_room() {
        let room = Room::new(10);
        assert!(room.take(6) && !room.take(6) && !room.take(1));
        let room = Room::new(10);
        let print = |own: &Room| (if own.take(6) { "abcd" } else { "" }).to_owned();
        assert_eq!(room.change(print), "abcd");
        let note = room.change(print);
        assert!(note.contains("too long to be shown"), "{note}");
        assert!(room.is_full());
    }
}
