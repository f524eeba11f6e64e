//! Writing to the terminal, or to whoever reads in its place.

use std::io::Write;

/// Writes to stdout. A reader that has left is no error.
pub(crate) fn say(text: &str) {
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
}

/// Writes a line to stderr.
pub(crate) fn fail(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}
