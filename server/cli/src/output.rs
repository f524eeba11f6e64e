//! Writing to the terminal, or to whoever reads in its place.

use std::io::Write;

/// Writes to stdout. A reader that has left is no error. After a signal nothing is said: what comes then is of what ended.
pub(crate) fn say(text: &str) {
    process::stay_if_interrupted();
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
}

/// Writes a line to stderr.
pub(crate) fn fail(text: &str) {
    process::stay_if_interrupted();
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}
