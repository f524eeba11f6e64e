//! Writing to the terminal, or to whoever reads in its place.

use std::io::Write;

use text::visible;

/// Writes to stdout. A reader that has left is no error. After a signal nothing is written: it would be about a program that has ended.
pub(crate) fn say(text: &str) {
    process::stay_if_interrupted();
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
}

/// Writes text for a person to stdout: characters that would act on a terminal or hide in it are escaped.
pub(crate) fn show(text: &str) {
    say(&visible(text));
}

/// The same for a plan with colours, in which all of these are ours.
pub(crate) fn show_colored(text: &str) {
    say(&colored(text));
}

/// Writes a line for a person to stderr.
pub(crate) fn fail(text: &str) {
    process::stay_if_interrupted();
    let _ = writeln!(std::io::stderr().lock(), "{}", visible(text));
}

fn colored(text: &str) -> String {
    const COLOR: &str = "\x1b[";
    let mut pieces = text.split(COLOR);
    let mut shown = visible(pieces.next().unwrap_or_default()).into_owned();
    for piece in pieces {
        let digits = piece.bytes().take_while(u8::is_ascii_digit).count();
        let (color, rest) = match piece[digits..].strip_prefix('m') {
            Some(rest) => (format!("{COLOR}{}m", &piece[..digits]), rest),
            None => (visible(COLOR).into_owned(), piece),
        };
        shown.push_str(&color);
        shown.push_str(&visible(rest));
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::colored;

    #[test]
    fn escape_sequences_are_shown_and_colours_stay() {
        assert_eq!(
            colored("\x1b[31m-\x1b[0m a\x1b[2J\x1b]0;t\x07 \u{202e}b\r\n\tc"),
            "\x1b[31m-\x1b[0m a\\x1b[2J\\x1b]0;t\\a \\u202eb\r\n\tc"
        );
    }
}
