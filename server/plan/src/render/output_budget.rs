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

/// The bytes that are left for a text; `None` once there were too few.
#[derive(Debug)]
pub struct OutputBudget(Cell<Option<usize>>);

impl OutputBudget {
    pub fn of_hover() -> OutputBudget {
        OutputBudget::new(HOVER)
    }

    pub fn of_message() -> OutputBudget {
        OutputBudget::new(MESSAGE)
    }

    pub(super) fn of_command() -> OutputBudget {
        OutputBudget::new(COMMAND)
    }

    fn new(bytes: usize) -> OutputBudget {
        OutputBudget(Cell::new(Some(bytes)))
    }

    /// Takes these bytes from the budget. False if there are too few; then none are left.
    pub(super) fn take(&self, bytes: usize) -> bool {
        let left = self.0.get().and_then(|left| left.checked_sub(bytes));
        self.0.set(left);
        left.is_some()
    }

    pub(super) fn is_full(&self) -> bool {
        self.0.get().is_none()
    }

    /// The text that `print` makes of one change, with a note if there is more of it.
    pub(super) fn change(&self, print: impl FnOnce(&OutputBudget) -> String) -> String {
        let size = CHANGE.min(self.0.get().unwrap_or_default());
        let own = OutputBudget::new(size);
        let text = print(&own);
        match own.0.get() {
            Some(left) => {
                self.take(size - left);
                text
            }
            None => {
                // One that fills less than a change may have fills all.
                self.take(if size < CHANGE { usize::MAX } else { size });
                text + "\n  # (the rest of this change is too long to be shown)"
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_a_line_without_room_nothing_has_room() {
        let budget = OutputBudget::new(10);
        assert!(budget.take(6) && !budget.take(6) && !budget.take(1));
        let budget = OutputBudget::new(10);
        let print = |own: &OutputBudget| (if own.take(6) { "abcd" } else { "" }).to_owned();
        assert_eq!(budget.change(print), "abcd");
        let note = budget.change(print);
        assert!(note.contains("too long to be shown"), "{note}");
        assert!(budget.is_full());
    }
}
