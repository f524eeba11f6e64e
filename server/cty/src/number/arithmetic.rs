//! Arithmetic, rounded as the precision of the operands asks.

use std::cmp::Ordering;

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::{One, Zero};

use super::{EXPONENTS, Float, Number, NumberKind, Repr, TEXT_PRECISION, charge_square};

impl Number {
    /// Sum. `None`: infinities of opposite sign.
    pub fn add(&self, other: &Number) -> Option<Number> {
        if let Some(small) = self.small_with(other, i64::checked_add) {
            return Some(small);
        }
        let (a, b) = (self.float(), other.float());
        let precision = a.precision.max(b.precision);
        let sum = |negative, kind| {
            Some(
                Float {
                    negative,
                    precision,
                    kind,
                }
                .into(),
            )
        };
        match (&a.kind, &b.kind) {
            (NumberKind::Infinity, NumberKind::Infinity) if a.negative != b.negative => None,
            (NumberKind::Infinity, _) => sum(a.negative, NumberKind::Infinity),
            (_, NumberKind::Infinity) => sum(b.negative, NumberKind::Infinity),
            (NumberKind::Zero, NumberKind::Zero) => sum(a.negative && b.negative, NumberKind::Zero),
            (NumberKind::Zero, _) => sum(b.negative, b.kind),
            (_, NumberKind::Zero) => sum(a.negative, a.kind),
            (_, _) if a.negative == b.negative => sum(
                a.negative,
                combine(&a.kind, &b.kind, precision, |x, y| x + y),
            ),
            (_, _) => match compare_magnitudes(&a.kind, &b.kind) {
                Ordering::Equal => sum(false, NumberKind::Zero),
                Ordering::Greater => sum(
                    a.negative,
                    combine(&a.kind, &b.kind, precision, |x, y| x - y),
                ),
                Ordering::Less => sum(
                    b.negative,
                    combine(&b.kind, &a.kind, precision, |x, y| x - y),
                ),
            },
        }
    }

    /// Difference. `None`: infinities of the same sign.
    pub fn sub(&self, other: &Number) -> Option<Number> {
        match self.small_with(other, i64::checked_sub) {
            Some(small) => Some(small),
            None => self.add(&other.neg()),
        }
    }

    /// Product, with as many bits as it needs up to 512. `None`: zero by infinity.
    pub fn mul(&self, other: &Number) -> Option<Number> {
        let product_of = |a: i64, b: i64| match a == 0 || b == 0 {
            // Slowly, for the sign of the zero.
            true => None,
            false => a.checked_mul(b),
        };
        if let Some(small) = self.small_with(other, product_of) {
            return Some(small);
        }
        let (a, b) = (self.float(), other.float());
        let kind = match (&a.kind, &b.kind) {
            (NumberKind::Infinity, NumberKind::Zero) | (NumberKind::Zero, NumberKind::Infinity) => {
                return None;
            }
            (NumberKind::Infinity, _) | (_, NumberKind::Infinity) => NumberKind::Infinity,
            (NumberKind::Zero, _) | (_, NumberKind::Zero) => NumberKind::Zero,
            (x, y) => product(x, y, TEXT_PRECISION),
        };
        let needed = match &kind {
            NumberKind::Finite { mantissa, .. } => mantissa.bits() as u32,
            NumberKind::Zero | NumberKind::Infinity => 0,
        };
        let precision = a.precision.max(b.precision).max(needed);
        Some(
            Float {
                negative: a.negative != b.negative,
                precision,
                kind,
            }
            .into(),
        )
    }

    /// Quotient; a finite number by zero is infinite. `None`: zero by zero, infinity by infinity.
    pub fn div(&self, other: &Number) -> Option<Number> {
        let (a, b) = (self.float(), other.float());
        let precision = a.precision.max(b.precision);
        let kind = match (&a.kind, &b.kind) {
            (NumberKind::Zero, NumberKind::Zero) | (NumberKind::Infinity, NumberKind::Infinity) => {
                return None;
            }
            (NumberKind::Zero, _) | (_, NumberKind::Infinity) => NumberKind::Zero,
            (NumberKind::Infinity, _) | (_, NumberKind::Zero) => NumberKind::Infinity,
            (x, y) => quotient(x, y, precision),
        };
        Some(
            Float {
                negative: a.negative != b.negative,
                precision,
                kind,
            }
            .into(),
        )
    }

    /// Remainder of the division truncated toward zero; by zero the number itself. `None`: the
    /// quotient is not a number, or cannot be held.
    pub fn rem(&self, other: &Number) -> Option<Number> {
        if other.is_zero() {
            return Some(self.clone());
        }
        if let (
            Repr::Small {
                value: a,
                precision,
            },
            Repr::Small { value: b, .. },
        ) = (&self.0, &other.0)
            && *precision >= 64
            && other.precision() >= 64
        {
            return Some(Number(Repr::Small {
                value: a.wrapping_rem(*b),
                precision: *precision,
            }));
        }
        if self.is_infinite() || other.is_infinite() {
            return self.mul(other);
        }
        let precision = self.precision();
        let whole = self.div(other)?.trunc();
        let whole = Number::from(whole.to_bigint()?).with_precision(precision);
        let (a, b) = (whole.float(), other.float());
        let kind = match (&a.kind, &b.kind) {
            (NumberKind::Zero, _) | (_, NumberKind::Zero) => NumberKind::Zero,
            (x, y) => product(x, y, precision),
        };
        let multiple = Float {
            negative: a.negative != b.negative,
            precision,
            kind,
        };
        self.sub(&multiple.into())
    }

    pub fn neg(&self) -> Number {
        match &self.0 {
            Repr::Small { value, precision } if *value != 0 && *value != i64::MIN => {
                Number(Repr::Small {
                    value: -value,
                    precision: *precision,
                })
            }
            _ => {
                let float = self.float();
                Float {
                    negative: !float.negative,
                    ..float
                }
                .into()
            }
        }
    }

    pub fn abs(&self) -> Number {
        if self.is_negative() {
            self.neg()
        } else {
            self.clone()
        }
    }

    /// Largest integer not above. Infinities stay.
    pub fn floor(&self) -> Number {
        self.to_integer(|negative| negative)
    }

    /// Smallest integer not below. Infinities stay.
    pub fn ceil(&self) -> Number {
        self.to_integer(|negative| !negative)
    }

    /// Integer part, toward zero. Infinities stay.
    pub fn trunc(&self) -> Number {
        self.to_integer(|_| false)
    }

    /// Cuts the fraction off; `away` says for a sign whether the magnitude then grows by one.
    fn to_integer(&self, away: impl Fn(bool) -> bool) -> Number {
        if self.is_integer() {
            return self.clone();
        }
        let Float {
            negative,
            precision,
            kind,
        } = self.float();
        let NumberKind::Finite { mantissa, exponent } = kind else {
            return self.clone();
        };
        let whole = match exponent.unsigned_abs() {
            shift if shift >= mantissa.bits() => BigUint::ZERO,
            shift => mantissa >> shift,
        };
        let whole = if away(negative) { whole + 1u8 } else { whole };
        let negative = negative && !whole.is_zero();
        Float {
            negative,
            precision,
            kind: round(whole, 0, false, precision),
        }
        .into()
    }

    /// The number rounded to this many bits.
    pub fn with_precision(&self, precision: u32) -> Number {
        let Float { negative, kind, .. } = self.float();
        let kind = match kind {
            NumberKind::Finite { mantissa, exponent } => {
                round(mantissa, exponent, false, precision)
            }
            other => other,
        };
        Float {
            negative,
            precision,
            kind,
        }
        .into()
    }

    /// The result for two integers in words, if it is one that the precision holds.
    fn small_with(&self, other: &Number, op: impl Fn(i64, i64) -> Option<i64>) -> Option<Number> {
        match (&self.0, &other.0) {
            (
                Repr::Small {
                    value: a,
                    precision: p,
                },
                Repr::Small {
                    value: b,
                    precision: q,
                },
            ) => {
                let precision = *p.max(q);
                let value = op(*a, *b)?;
                let bits = 64 - value.unsigned_abs().leading_zeros();
                (bits <= u32::from(precision)).then_some(Number(Repr::Small { value, precision }))
            }
            _ => None,
        }
    }
}

/// Brings a magnitude into form: at most `precision` bits, to nearest, ties to even; `sticky` says
/// that it is a little more than `mantissa`.
pub(super) fn round(mantissa: BigUint, exponent: i64, sticky: bool, precision: u32) -> NumberKind {
    let (mut mantissa, mut exponent) = (mantissa, exponent);
    let excess = mantissa.bits().saturating_sub(u64::from(precision));
    if excess > 0 {
        let half = mantissa.bit(excess - 1);
        let below = sticky
            || mantissa
                .trailing_zeros()
                .is_some_and(|zeros| zeros < excess - 1);
        mantissa >>= excess;
        exponent += excess as i64;
        if half && (below || mantissa.is_odd()) {
            mantissa += 1u8;
        }
    }
    let Some(zeros) = mantissa.trailing_zeros() else {
        return NumberKind::Zero;
    };
    mantissa >>= zeros;
    exponent += zeros as i64;
    match exponent + mantissa.bits() as i64 {
        top if top > *EXPONENTS.end() => NumberKind::Infinity,
        top if top < *EXPONENTS.start() => NumberKind::Zero,
        _ => NumberKind::Finite { mantissa, exponent },
    }
}

pub(super) fn compare_magnitudes(a: &NumberKind, b: &NumberKind) -> Ordering {
    match (a, b) {
        (NumberKind::Infinity, NumberKind::Infinity) | (NumberKind::Zero, NumberKind::Zero) => {
            Ordering::Equal
        }
        (NumberKind::Infinity, _) | (_, NumberKind::Zero) => Ordering::Greater,
        (_, NumberKind::Infinity) | (NumberKind::Zero, _) => Ordering::Less,
        (
            NumberKind::Finite {
                mantissa: m,
                exponent: e,
            },
            NumberKind::Finite {
                mantissa: n,
                exponent: f,
            },
        ) => (e + m.bits() as i64)
            .cmp(&(f + n.bits() as i64))
            .then_with(|| {
                // The highest bits stand at the same place, so the shift is at most a mantissa long.
                match e >= f {
                    true => (m << (e - f)).cmp(n),
                    false => m.cmp(&(n << (f - e))),
                }
            }),
    }
}

/// `op` of two finite magnitudes, the first not less than the second.
fn combine(
    a: &NumberKind,
    b: &NumberKind,
    precision: u32,
    op: impl Fn(BigUint, BigUint) -> BigUint,
) -> NumberKind {
    let (
        NumberKind::Finite {
            mantissa: m,
            exponent: e,
        },
        NumberKind::Finite {
            mantissa: n,
            exponent: f,
        },
    ) = (a, b)
    else {
        return a.clone();
    };
    let (mut low, mut low_exponent) = (n.clone(), *f);
    let (mut high, mut high_exponent) = (m.clone(), *e);
    // A magnitude that is far below the other's last bit counts only as "a little more (or less)".
    let room = i64::from(precision) + 2;
    if f + n.bits() as i64 + room < *e {
        (low, low_exponent) = (BigUint::one(), e - room);
    } else if e + m.bits() as i64 + room < *f {
        (high, high_exponent) = (BigUint::one(), f - room);
    }
    let exponent = low_exponent.min(high_exponent);
    high <<= high_exponent - exponent;
    low <<= low_exponent - exponent;
    round(op(high, low), exponent, false, precision)
}

pub(super) fn product(a: &NumberKind, b: &NumberKind, precision: u32) -> NumberKind {
    match (a, b) {
        (
            NumberKind::Finite {
                mantissa: m,
                exponent: e,
            },
            NumberKind::Finite {
                mantissa: n,
                exponent: f,
            },
        ) => {
            charge_square(m.bits().max(n.bits()));
            round(m * n, e + f, false, precision)
        }
        (NumberKind::Zero, _) | (_, NumberKind::Zero) => NumberKind::Zero,
        (NumberKind::Infinity, _) | (_, NumberKind::Infinity) => NumberKind::Infinity,
    }
}

pub(super) fn quotient(a: &NumberKind, b: &NumberKind, precision: u32) -> NumberKind {
    match (a, b) {
        (
            NumberKind::Finite {
                mantissa: m,
                exponent: e,
            },
            NumberKind::Finite {
                mantissa: n,
                exponent: f,
            },
        ) => {
            charge_square(m.bits().max(n.bits()) + u64::from(precision));
            let shift = (u64::from(precision) + 2 + n.bits()).saturating_sub(m.bits());
            let (whole, rest) = (m << shift).div_rem(n);
            // One more bit stands for the rest, which cannot be a tie then.
            let whole = (whole << 1u8) + u8::from(!rest.is_zero());
            round(whole, e - f - shift as i64 - 1, false, precision)
        }
        (NumberKind::Zero, _) | (_, NumberKind::Infinity) => NumberKind::Zero,
        (NumberKind::Infinity, _) | (_, NumberKind::Zero) => NumberKind::Infinity,
    }
}

/// Five to the power of `n`, rounded step by step: first what fits a word, then by squaring.
pub(super) fn power_of_five(n: u64, precision: u32) -> NumberKind {
    const IN_WORD: u64 = 27;
    let finite = |mantissa: u64, precision| round(BigUint::from(mantissa), 0, false, precision);
    let mut result = finite(5u64.pow(n.min(IN_WORD) as u32), precision);
    let mut square = finite(5, precision + 64);
    let mut rest = n.saturating_sub(IN_WORD);
    while rest > 0 {
        if rest & 1 == 1 {
            result = product(&result, &square, precision);
        }
        square = product(&square, &square, precision + 64);
        rest >>= 1;
    }
    result
}
