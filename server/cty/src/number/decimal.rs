//! Decimal digits of a binary number, and their rounding.

use num_bigint::BigUint;

/// `0.DIGITS` times ten to the power of `point`; no zeros at the end.
pub(super) struct Decimal {
    digits: Vec<u8>,
    point: i64,
}

impl Decimal {
    pub(super) fn zero() -> Decimal {
        Decimal {
            digits: Vec::new(),
            point: 0,
        }
    }

    /// The digits of `mantissa` times two to the power of `exponent`, exactly.
    pub(super) fn new(mantissa: &BigUint, exponent: i64) -> Decimal {
        let shift = exponent.unsigned_abs();
        let (whole, decimals) = match exponent >= 0 {
            true => (mantissa << shift, 0),
            // Division by two is multiplication by five, one decimal further right.
            false => (
                mantissa * BigUint::from(5u8).pow(shift as u32),
                shift as i64,
            ),
        };
        let digits = whole.to_radix_be(10);
        let point = digits.len() as i64 - decimals;
        let mut decimal = Decimal { digits, point };
        decimal.trim();
        decimal
    }

    /// How many digits there are.
    pub(super) fn digits(&self) -> usize {
        self.digits.len()
    }

    /// Where the point is, counted from before the first digit.
    pub(super) fn point(&self) -> i64 {
        self.point
    }

    /// Keeps the first `count` digits, rounded to nearest, ties to even.
    pub(super) fn round(&mut self, count: i64) {
        let Ok(at) = usize::try_from(count) else {
            *self = Decimal::zero();
            return;
        };
        let Some(&next) = self.digits.get(at) else {
            return;
        };
        let is_tie = next == 5 && at + 1 == self.digits.len();
        let up = match is_tie {
            true => at > 0 && self.digits[at - 1] % 2 == 1,
            false => next >= 5,
        };
        match up {
            true => self.round_up(at),
            false => self.round_down(at),
        }
    }

    fn round_down(&mut self, count: usize) {
        self.digits.truncate(count);
        self.trim();
    }

    fn round_up(&mut self, count: usize) {
        self.digits.truncate(count);
        while let Some(digit) = self.digits.last_mut() {
            if *digit < 9 {
                *digit += 1;
                return;
            }
            self.digits.pop();
        }
        self.digits.push(1);
        self.point += 1;
    }

    fn trim(&mut self) {
        while self.digits.last() == Some(&0) {
            self.digits.pop();
        }
        if self.digits.is_empty() {
            self.point = 0;
        }
    }

    /// The fewest digits between two bounds, which are `inclusive` or not.
    pub(super) fn shorten(&mut self, lower: &Decimal, upper: &Decimal, inclusive: bool) {
        let at = |bound: &Decimal, i: usize| bound.digits.get(i).copied().unwrap_or(0);
        for i in 0..self.digits.len() {
            let (digit, l, u) = (self.digits[i], at(lower, i), at(upper, i));
            let down = l != digit || inclusive && i + 1 == lower.digits.len();
            let up = digit != u && (inclusive || digit + 1 < u || i + 1 < upper.digits.len());
            match (down, up) {
                (true, true) => return self.round(i as i64 + 1),
                (true, false) => return self.round_down(i + 1),
                (false, true) => return self.round_up(i + 1),
                (false, false) => {}
            }
        }
    }

    /// Digits around a point, with `decimals` after it.
    pub(super) fn fixed(&self, decimals: usize) -> String {
        let mut text = String::new();
        match self.point > 0 {
            true => (0..self.point).for_each(|i| text.push(self.digit(i))),
            false => text.push('0'),
        }
        if decimals > 0 {
            text.push('.');
            (0..decimals as i64).for_each(|i| text.push(self.digit(self.point + i)));
        }
        text
    }

    /// One digit, `decimals` after the point, and an exponent of at least two digits.
    pub(super) fn scientific(&self, decimals: usize) -> String {
        let mut text = String::from(self.digit(0));
        if decimals > 0 {
            text.push('.');
            (1..=decimals as i64).for_each(|i| text.push(self.digit(i)));
        }
        let exponent = if self.digits.is_empty() {
            0
        } else {
            self.point - 1
        };
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{text}e{sign}{:02}", exponent.abs())
    }

    /// Fixed or scientific, by the exponent; `digits` is what it was rounded to, if it was.
    pub(super) fn general(&self, digits: Option<usize>) -> String {
        let count = self.digits.len();
        let exponent = self.point - 1;
        let limit = digits.map_or(6, |digits| digits.max(1) as i64);
        match exponent < -4 || exponent >= limit {
            true if count > 0 => self.scientific(count.saturating_sub(1)),
            _ => self.fixed((count as i64 - self.point).max(0) as usize),
        }
    }

    fn digit(&self, at: i64) -> char {
        let digit = usize::try_from(at).ok().and_then(|at| self.digits.get(at));
        char::from(b'0' + digit.copied().unwrap_or(0))
    }
}
