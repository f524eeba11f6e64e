//! What a scalar stands for, as Go's yaml.v3 resolves it for Pulumi: integers become numbers, and dates stay strings.

use crate::{Scalar, Style, Tagged};

#[derive(Clone, PartialEq, Debug)]
pub enum Resolved {
    Null,
    Bool(bool),
    Number(f64),
    String,
}

impl Scalar {
    pub fn resolve(&self) -> Resolved {
        let is_text = self.style != Style::Plain && self.tagged != Tagged::Value;
        if is_text || self.tagged == Tagged::Text {
            return Resolved::String;
        }
        match &*self.text {
            "" | "~" | "null" | "Null" | "NULL" => return Resolved::Null,
            "true" | "True" | "TRUE" => return Resolved::Bool(true),
            "false" | "False" | "FALSE" => return Resolved::Bool(false),
            ".nan" | ".NaN" | ".NAN" => return Resolved::Number(f64::NAN),
            ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => {
                return Resolved::Number(f64::INFINITY);
            }
            "-.inf" | "-.Inf" | "-.INF" => return Resolved::Number(f64::NEG_INFINITY),
            _ => {}
        }
        number(&self.text).map_or(Resolved::String, Resolved::Number)
    }
}

/// Only what begins like a number is one, and an underscore between digits means nothing.
fn number(text: &str) -> Option<f64> {
    if !text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c)) {
        return None;
    }
    let plain = text.replace('_', "");
    integer(&plain).or_else(|| float(&plain))
}

/// With the prefixes of Go's literals; a leading zero alone means octal.
fn integer(text: &str) -> Option<f64> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1.0, digits),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    let prefixes = [
        ("0x", 16),
        ("0X", 16),
        ("0o", 8),
        ("0O", 8),
        ("0b", 2),
        ("0B", 2),
    ];
    let prefixed = prefixes.iter().find_map(|(prefix, radix)| {
        let digits = digits.strip_prefix(prefix)?;
        Some((digits, *radix))
    });
    let (digits, radix) = match prefixed {
        Some(found) => found,
        None if digits.len() > 1 && digits.starts_with('0') => (&digits[1..], 8),
        None => (digits, 10),
    };
    if !digits.starts_with(|c: char| c.is_digit(radix)) {
        return None;
    }
    let value = u64::from_str_radix(digits, radix).ok()?;
    let fits = sign > 0.0 || value <= 1 << 63;
    // An integer has no negative zero.
    fits.then_some(sign * value as f64 + 0.0)
}

/// `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`
fn float(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let is_digits = |text: &str| text.bytes().all(|c| c.is_ascii_digit());
    let is_mantissa = match mantissa.split_once('.') {
        Some(("", fraction)) => !fraction.is_empty() && is_digits(fraction),
        Some((whole, fraction)) => is_digits(whole) && is_digits(fraction),
        None => !mantissa.is_empty() && is_digits(mantissa),
    };
    let is_exponent = exponent.is_none_or(|exponent| {
        let digits = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
        !digits.is_empty() && is_digits(digits)
    });
    let is_float = is_mantissa && is_exponent;
    let number: f64 = text.parse().ok().filter(|_| is_float)?;
    // A number that is too large is a text.
    number.is_finite().then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Resolved) {
        let scalar = Scalar {
            text: text.into(),
            style: Style::Plain,
            tagged: Tagged::No,
        };
        assert_eq!(scalar.resolve(), expected, "{text}");
    }

    #[test]
    fn scalars_are_resolved_as_the_language_host_does() {
        for (text, number) in [
            ("1", 1.0),
            ("+1", 1.0),
            ("-7", -7.0),
            ("017", 15.0),
            ("0o17", 15.0),
            ("08", 8.0),
            ("0x1F", 31.0),
            ("0b101", 5.0),
            ("1_000", 1000.0),
            ("-0", 0.0),
            ("1e3", 1000.0),
            ("1.5", 1.5),
            (".5", 0.5),
            ("5.", 5.0),
            ("-1.5e-1", -0.15),
            ("0", 0.0),
            ("9007199254740993", 9007199254740992.0),
        ] {
            check(text, Resolved::Number(number));
        }
        for text in [
            "yes",
            "on",
            "off",
            "no",
            "y",
            "n",
            "2001-01-01",
            "1:30",
            "1.2.3",
            "0x",
            "0xg",
            "-",
            "1e",
            "e3",
            ".",
            "tRUE",
            "nULL",
            "12abc",
            "<<",
            "=",
            "10m",
        ] {
            check(text, Resolved::String);
        }
        check("", Resolved::Null);
        check("~", Resolved::Null);
        check("NULL", Resolved::Null);
        check("True", Resolved::Bool(true));
        check("FALSE", Resolved::Bool(false));
        check("-.INF", Resolved::Number(f64::NEG_INFINITY));
    }

    #[test]
    fn quoted_scalars_are_strings() {
        let scalar = Scalar {
            text: "1".into(),
            style: Style::DoubleQuoted,
            tagged: Tagged::No,
        };
        assert_eq!(scalar.resolve(), Resolved::String);
    }
}
