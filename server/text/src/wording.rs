//! The end of every wording. A test scrambles it, to show that no code reads what is for people.

/// Diagnostic text for people. The feature `scramble` makes it unreadable.
#[cfg(not(feature = "scramble"))]
pub fn for_people(words: String) -> String {
    words
}

/// `1 error`, `2 errors`
pub fn counted(count: usize, thing: &str) -> String {
    match count {
        1 => format!("1 {thing}"),
        count => format!("{count} {thing}s"),
    }
}

#[cfg(feature = "scramble")]
pub use scrambled::{for_people, scrambled};

#[cfg(feature = "scramble")]
mod scrambled {
    use std::cell::Cell;
    use std::fmt::Write;

    thread_local! {
        static IS_ON: Cell<bool> = const { Cell::new(false) };
    }

    pub fn for_people(words: String) -> String {
        if words.is_empty() || !IS_ON.get() {
            return words;
        }
        // Equal words stay equal, and others differ.
        let mut hidden = String::new();
        for byte in words.bytes() {
            let _ = write!(hidden, "{byte:02x}");
        }
        hidden
    }

    /// Runs `work`, all of whose words nobody can read. It has to stay on this thread.
    pub fn scrambled<T>(work: impl FnOnce() -> T) -> T {
        IS_ON.set(true);
        let result = work();
        IS_ON.set(false);
        result
    }
}
