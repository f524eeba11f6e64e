//! Words that many messages share: the nearest of some names, and why a value can't be converted.

use cty::ConvertError;

pub(crate) use text::{did_you_mean, similar as suggest};

/// As `why`, after the place in the value: `[0]: a number is required`. Keys are shown.
pub(crate) fn why_at(error: &ConvertError) -> String {
    match error.path.steps() {
        [] => why(error).to_owned(),
        _ => format!("{}: {}", error.path, why(error)),
    }
}

/// Why a value can't be converted, in the words of Terraform 1.11. Later releases add what type it has.
pub(crate) fn why(error: &ConvertError) -> &str {
    match error.message.rfind(", but have ") {
        Some(end) => &error.message[..end],
        None => &error.message,
    }
}
