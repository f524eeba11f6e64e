//! A limit of the work for one text. Each mistake may make the parser read far ahead, so many of them together could
//! take time that grows with the square of the length, or faster.

use std::cell::Cell;

/// How much of a text may be read, counted in bytes each time that they are read.
pub(crate) struct Effort {
    left: Cell<usize>,
}

impl Effort {
    /// Reading a valid text once or twice always fits, and so does a far look ahead for each of a few mistakes.
    pub fn for_file(len: usize) -> Effort {
        Effort::of(len.saturating_mul(4).saturating_add(512 << 10))
    }

    /// For an expression or a template, of which a file in JSON syntax may have many.
    pub fn for_expression(len: usize) -> Effort {
        Effort::of(len.saturating_mul(8).saturating_add(64 << 10))
    }

    /// For a text that was parsed within its limit before.
    pub fn unlimited() -> Effort {
        Effort::of(usize::MAX)
    }

    fn of(bytes: usize) -> Effort {
        Effort {
            left: Cell::new(bytes),
        }
    }

    pub fn spend(&self, bytes: usize) {
        self.left.set(self.left.get().saturating_sub(bytes));
    }

    pub fn is_spent(&self) -> bool {
        self.left.get() == 0
    }

    /// What is left, in bytes. [`Effort::reset`] takes back what was spent since.
    pub fn left(&self) -> usize {
        self.left.get()
    }

    pub fn reset(&self, left: usize) {
        self.left.set(left);
    }
}
