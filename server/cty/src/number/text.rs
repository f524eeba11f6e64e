//! Numbers from text and as text.

use std::cmp::Ordering;
use std::fmt;

use num_bigint::BigUint;
use num_traits::Zero;

use super::arithmetic::{power_of_five, product, quotient, round};
use super::decimal::Decimal;
use super::{
    EXPONENTS, Float, Number, NumberKind, Repr, TEXT_PRECISION, WRITABLE_BITS, charge_square,
};

impl Number {
    /// Reads decimal text as the language does: sign, digits, fraction, exponent (of ten after `e`,
    /// of two after `p`), or `Inf`. The result has 512 bits of precision.
    pub fn parse(text: &str) -> Option<Number> {
        let (negative, rest) = match text.as_bytes().first()? {
            b'-' => (true, &text[1..]),
            b'+' => (false, &text[1..]),
            _ => (false, text),
        };
        if rest == "Inf" || rest == "inf" {
            return Some(Number::infinity(negative));
        }
        if rest.len() <= 18
            && rest.bytes().all(|byte| byte.is_ascii_digit())
            && let Ok(value @ 1..) = rest.parse::<i64>()
        {
            let value = if negative { -value } else { value };
            return Some(Number(Repr::Small {
                value,
                precision: TEXT_PRECISION as u16,
            }));
        }
        let (mantissa, exponent) = match rest.find(['e', 'E', 'p', 'P']) {
            Some(at) => (&rest[..at], Some((rest.as_bytes()[at], &rest[at + 1..]))),
            None => (rest, None),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = [whole, fraction].concat();
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let (mut exponent_10, mut exponent_2) = (-i64::try_from(fraction.len()).ok()?, 0i64);
        if let Some((base, digits)) = exponent {
            let unsigned = digits.strip_prefix(['+', '-']).unwrap_or(digits);
            if unsigned.is_empty() || !unsigned.bytes().all(|byte| byte.is_ascii_digit()) {
                return None;
            }
            let exponent: i64 = digits.parse().ok()?;
            match base {
                b'e' | b'E' => exponent_10 = exponent_10.checked_add(exponent)?,
                _ => exponent_2 = exponent,
            }
        }
        charge_square(4 * digits.len() as u64);
        let mantissa = BigUint::parse_bytes(digits.as_bytes(), 10)?;
        if mantissa.is_zero() {
            let kind = NumberKind::Zero;
            return Some(
                Float {
                    negative,
                    precision: TEXT_PRECISION,
                    kind,
                }
                .into(),
            );
        }
        // Ten is five times two: the power of two is exact, the power of five is rounded at 64 bits
        // more than the result.
        exponent_2 = exponent_2.checked_add(exponent_10)?;
        if !EXPONENTS.contains(&exponent_2.checked_add(mantissa.bits() as i64)?) {
            return None;
        }
        let five = power_of_five(exponent_10.unsigned_abs(), TEXT_PRECISION + 64);
        let scaled = NumberKind::Finite {
            mantissa,
            exponent: exponent_2,
        };
        let kind = match exponent_10.cmp(&0) {
            Ordering::Less => quotient(&scaled, &five, TEXT_PRECISION),
            Ordering::Equal => match scaled {
                NumberKind::Finite { mantissa, exponent } => {
                    round(mantissa, exponent, false, TEXT_PRECISION)
                }
                other => other,
            },
            Ordering::Greater => product(&scaled, &five, TEXT_PRECISION),
        };
        Some(
            Float {
                negative,
                precision: TEXT_PRECISION,
                kind,
            }
            .into(),
        )
    }

    /// With `digits` decimals.
    pub fn to_fixed(&self, digits: usize) -> String {
        match self.decimal() {
            Ok(mut decimal) => {
                decimal.round(decimal.point() + digits as i64);
                self.signed(&decimal.fixed(digits))
            }
            Err(text) => text,
        }
    }

    /// Scientific, with `digits` decimals or as many as it takes to read back the same number.
    pub fn to_scientific(&self, digits: Option<usize>) -> String {
        let decimal = match digits {
            Some(digits) => self.decimal().map(|mut decimal| {
                decimal.round(digits as i64 + 1);
                decimal
            }),
            None => self.shortest_decimal(),
        };
        match decimal {
            Ok(decimal) => {
                let digits = digits.unwrap_or_else(|| decimal.digits().saturating_sub(1));
                self.signed(&decimal.scientific(digits))
            }
            Err(text) => text,
        }
    }

    /// With `digits` significant digits, scientific if the exponent is small or large, as C's `%g`.
    /// `None`: as many as it takes.
    pub fn to_general(&self, digits: Option<usize>) -> String {
        let decimal = match digits {
            Some(digits) => self.decimal().map(|mut decimal| {
                decimal.round(digits as i64);
                decimal
            }),
            None => self.shortest_decimal(),
        };
        match decimal {
            Ok(decimal) => self.signed(&decimal.general(digits)),
            Err(text) => text,
        }
    }

    fn signed(&self, magnitude: &str) -> String {
        let sign = if self.is_negative() { "-" } else { "" };
        format!("{sign}{magnitude}")
    }

    /// The exact decimal digits; or the text, of infinities and of numbers too long to write.
    fn decimal(&self) -> Result<Decimal, String> {
        match self.float().kind {
            NumberKind::Zero => Ok(Decimal::zero()),
            NumberKind::Finite { mantissa, exponent } => {
                let bits = exponent.unsigned_abs() + mantissa.bits();
                charge_square(bits.min(WRITABLE_BITS));
                match bits > WRITABLE_BITS {
                    false => Ok(Decimal::new(&mantissa, exponent)),
                    true => Err(self.signed(&shortened(mantissa, exponent))),
                }
            }
            NumberKind::Infinity if self.is_negative() => Err("-Inf".into()),
            NumberKind::Infinity => Err("+Inf".into()),
        }
    }

    /// The fewest digits that lie nearer to this number than to its neighbours in its precision.
    fn shortest_decimal(&self) -> Result<Decimal, String> {
        let mut decimal = self.decimal()?;
        let Float {
            precision,
            kind: NumberKind::Finite { mantissa, exponent },
            ..
        } = self.float()
        else {
            return Ok(decimal);
        };
        // One unit is half the last place; also below a power of two, where neighbours are closer.
        let shift = i64::from(precision) + 1 - mantissa.bits() as i64;
        let doubled = match shift >= 0 {
            true => mantissa << shift,
            false => mantissa >> -shift,
        };
        let exponent = exponent - shift;
        let inclusive = !doubled.bit(1);
        let lower = Decimal::new(&(&doubled - 1u8), exponent);
        let upper = Decimal::new(&(&doubled + 1u8), exponent);
        decimal.shorten(&lower, &upper, inclusive);
        Ok(decimal)
    }
}

/// A number too long to write, with as many digits as it takes to read it back, and an exponent of ten.
fn shortened(mantissa: BigUint, exponent: i64) -> String {
    /// More than a number of 512 bits needs.
    const DIGITS: i64 = 157;
    let bits = exponent + mantissa.bits() as i64;
    let point = (bits as f64 * std::f64::consts::LOG10_2) as i64 - DIGITS;
    // Divided by ten to the power of `point`: by five, and by two.
    let five = power_of_five(point.unsigned_abs(), TEXT_PRECISION + 64);
    let scaled = NumberKind::Finite {
        mantissa,
        exponent: exponent - point,
    };
    let scaled = match point >= 0 {
        true => quotient(&scaled, &five, TEXT_PRECISION + 64),
        false => product(&scaled, &five, TEXT_PRECISION + 64),
    };
    let NumberKind::Finite { mantissa, exponent } = scaled else {
        return "0".into();
    };
    let whole = match exponent >= 0 {
        true => mantissa << exponent.unsigned_abs(),
        false => mantissa >> exponent.unsigned_abs(),
    };
    let mut decimal = Decimal::new(&whole, 0);
    decimal.round(DIGITS - 1);
    let digits = decimal.scientific(decimal.digits().saturating_sub(1));
    let digits = digits
        .split_once('e')
        .map_or(&*digits, |(digits, _)| digits);
    format!("{digits}e{:+}", point + decimal.point() - 1)
}

/// The shortest decimal that reads back as the same number at its precision, never with an exponent.
impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // An integer that is longer than its precision is written shorter, as the nearest to it.
        if let Repr::Small { value, precision } = self.0
            && 64 - value.unsigned_abs().leading_zeros() <= u32::from(precision)
        {
            return value.fmt(f);
        }
        match self.shortest_decimal() {
            Ok(decimal) => {
                let digits = (decimal.digits() as i64 - decimal.point()).max(0) as usize;
                f.write_str(&self.signed(&decimal.fixed(digits)))
            }
            Err(text) => f.write_str(&text),
        }
    }
}

impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
