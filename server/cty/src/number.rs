//! Numbers: binary floating point with up to 512 bits of precision, rounded to nearest even.

mod arithmetic;
mod decimal;
mod text;

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use num_bigint::{BigInt, BigUint, Sign};
use num_traits::{One, ToPrimitive};

use crate::budget;
use arithmetic::{compare_magnitudes, round};

/// A number as the language has it: a binary floating-point number whose precision depends on where
/// it comes from: 512 bits from text, 64 from an integer, 53 from a float. A result has the
/// precision of its larger operand. There is no NaN; the infinities and negative zero exist.
///
/// `==` is the language's: integers are equal as such, other numbers when they have the same decimal
/// text, so that 0.1 from text and 0.1 from a float are equal. `compare` is exact.
#[derive(Clone)]
pub struct Number(Repr);

#[derive(Clone)]
enum Repr {
    /// An integer that fits the word. Zero is positive zero.
    Small {
        value: i64,
        precision: u16,
    },
    Big(Arc<Float>),
}

/// Any number.
#[derive(Clone)]
struct Float {
    negative: bool,
    precision: u32,
    kind: NumberKind,
}

#[derive(Clone, PartialEq, Eq)]
enum NumberKind {
    Zero,
    /// `mantissa` times two to the power of `exponent`; the mantissa is odd.
    Finite {
        mantissa: BigUint,
        exponent: i64,
    },
    Infinity,
}

/// Precision of numbers read from text, and of products before they are cut to what they need.
const TEXT_PRECISION: u32 = 512;

/// The exponents that a number may have, counting its mantissa as less than one.
const EXPONENTS: std::ops::RangeInclusive<i64> = i32::MIN as i64..=i32::MAX as i64;

/// Above this many bits a number is not written out in digits, nor turned into an integer: one line
/// of input must not cost gigabytes, nor minutes.
const WRITABLE_BITS: u64 = 400_000;

/// Charges an operation whose costs grow with the square of its bits, such as writing a long number in digits.
fn charge_square(bits: u64) {
    let words = bits / 64;
    budget::spend((words * words / 16) as usize);
}

/// Making numbers.
impl Number {
    /// Positive or negative infinity.
    pub fn infinity(negative: bool) -> Number {
        Float {
            negative,
            precision: TEXT_PRECISION,
            kind: NumberKind::Infinity,
        }
        .into()
    }
}

impl From<i64> for Number {
    fn from(value: i64) -> Number {
        Number(Repr::Small {
            value,
            precision: 64,
        })
    }
}

impl From<i32> for Number {
    fn from(value: i32) -> Number {
        Number::from(i64::from(value))
    }
}

impl From<u64> for Number {
    fn from(value: u64) -> Number {
        Number::from(BigInt::from(value))
    }
}

impl From<usize> for Number {
    fn from(value: usize) -> Number {
        Number::from(value as u64)
    }
}

/// All bits are kept: the precision is at least 64, and more for longer integers.
impl From<BigInt> for Number {
    fn from(value: BigInt) -> Number {
        let (sign, mantissa) = value.into_parts();
        let precision = u32::try_from(mantissa.bits().max(64)).unwrap_or(u32::MAX);
        Float {
            negative: sign == Sign::Minus,
            precision,
            kind: round(mantissa, 0, false, precision),
        }
        .into()
    }
}

/// Fails on NaN.
impl TryFrom<f64> for Number {
    type Error = ();

    fn try_from(value: f64) -> Result<Number, ()> {
        let (negative, precision) = (value.is_sign_negative(), 53);
        let kind = if value.is_nan() {
            return Err(());
        } else if value.is_infinite() {
            NumberKind::Infinity
        } else {
            let (mantissa, exponent, _) = num_traits::float::FloatCore::integer_decode(value);
            round(
                BigUint::from(mantissa),
                i64::from(exponent),
                false,
                precision,
            )
        };
        Ok(Float {
            negative,
            precision,
            kind,
        }
        .into())
    }
}

/// Looking at numbers.
impl Number {
    /// The integer, if the number is one and fits.
    pub fn as_i64(&self) -> Option<i64> {
        match &self.0 {
            Repr::Small { value, .. } => Some(*value),
            Repr::Big(float) if float.kind == NumberKind::Zero => Some(0),
            Repr::Big(_) => None,
        }
    }

    /// The integer, if the number is one and fits.
    pub fn as_u64(&self) -> Option<u64> {
        match self.as_i64() {
            Some(value) => u64::try_from(value).ok(),
            None if self.magnitude_bits() <= 64 => self.to_bigint()?.to_u64(),
            None => None,
        }
    }

    /// The nearest float; may be infinite.
    pub fn to_f64(&self) -> f64 {
        let float = match &self.0 {
            Repr::Small { value, .. } => return *value as f64,
            Repr::Big(float) => float,
        };
        let magnitude = match &float.kind {
            NumberKind::Zero => 0.0,
            NumberKind::Infinity => f64::INFINITY,
            NumberKind::Finite { mantissa, exponent } => {
                let top = exponent + mantissa.bits() as i64;
                // A float below 2^-1022 has fewer bits.
                let precision = (top + 1074).clamp(0, 53) as u32;
                match precision {
                    _ if top > 1024 => f64::INFINITY,
                    _ if top < -1074 => 0.0,
                    // Between zero and the smallest float, which half of it does not reach.
                    0 => match mantissa.is_one() {
                        true => 0.0,
                        false => f64::from_bits(1),
                    },
                    _ => match round(mantissa.clone(), *exponent, false, precision) {
                        NumberKind::Finite { mantissa, exponent } => {
                            let mantissa = mantissa.to_u64().unwrap_or(u64::MAX) as f64;
                            // Two steps, since 2^-1074 is no quotient of normal floats.
                            let half = exponent / 2;
                            mantissa * power_of_two(half) * power_of_two(exponent - half)
                        }
                        NumberKind::Zero | NumberKind::Infinity => f64::INFINITY,
                    },
                }
            }
        };
        if float.negative {
            -magnitude
        } else {
            magnitude
        }
    }

    /// The exact integer, if the number is one (and not absurdly large).
    pub fn to_bigint(&self) -> Option<BigInt> {
        match &self.0 {
            Repr::Small { value, .. } => Some(BigInt::from(*value)),
            Repr::Big(float) => match &float.kind {
                NumberKind::Zero => Some(BigInt::ZERO),
                NumberKind::Finite { mantissa, exponent }
                    if *exponent >= 0 && self.magnitude_bits() <= WRITABLE_BITS =>
                {
                    charge_square(self.magnitude_bits());
                    let sign = if float.negative {
                        Sign::Minus
                    } else {
                        Sign::Plus
                    };
                    Some(BigInt::from_biguint(sign, mantissa << exponent))
                }
                NumberKind::Finite { .. } | NumberKind::Infinity => None,
            },
        }
    }

    /// Whether there is no fraction. Infinities are no integers.
    pub fn is_integer(&self) -> bool {
        match &self.0 {
            Repr::Small { .. } => true,
            Repr::Big(float) => match float.kind {
                NumberKind::Zero => true,
                NumberKind::Finite { exponent, .. } => exponent >= 0,
                NumberKind::Infinity => false,
            },
        }
    }

    pub fn is_zero(&self) -> bool {
        self.signum() == 0
    }

    pub fn is_infinite(&self) -> bool {
        matches!(&self.0, Repr::Big(float) if float.kind == NumberKind::Infinity)
    }

    /// Whether the sign is minus; negative zero has one.
    pub fn is_negative(&self) -> bool {
        match &self.0 {
            Repr::Small { value, .. } => *value < 0,
            Repr::Big(float) => float.negative,
        }
    }

    /// -1, 0 or 1; of a negative zero 0.
    pub fn signum(&self) -> i32 {
        match &self.0 {
            Repr::Small { value, .. } => value.signum() as i32,
            Repr::Big(float) if float.kind == NumberKind::Zero => 0,
            Repr::Big(float) if float.negative => -1,
            Repr::Big(_) => 1,
        }
    }

    /// Bits of the mantissa: 512, 64, 53; or what an integer or product needed.
    pub fn precision(&self) -> u32 {
        match &self.0 {
            Repr::Small { precision, .. } => u32::from(*precision),
            Repr::Big(float) => float.precision,
        }
    }

    /// The exact order. Zeros are the same.
    pub fn compare(&self, other: &Number) -> Ordering {
        if let (Repr::Small { value: a, .. }, Repr::Small { value: b, .. }) = (&self.0, &other.0) {
            return a.cmp(b);
        }
        let signs = self.signum().cmp(&other.signum());
        if signs.is_ne() || self.signum() == 0 {
            return signs;
        }
        let magnitudes = compare_magnitudes(&self.float().kind, &other.float().kind);
        if self.signum() < 0 {
            magnitudes.reverse()
        } else {
            magnitudes
        }
    }

    /// Bits before the binary point.
    fn magnitude_bits(&self) -> u64 {
        match &self.0 {
            Repr::Small { value, .. } => u64::from(64 - value.unsigned_abs().leading_zeros()),
            Repr::Big(float) => match &float.kind {
                NumberKind::Zero => 0,
                NumberKind::Finite { mantissa, exponent } => {
                    (mantissa.bits() as i64 + exponent).max(0) as u64
                }
                NumberKind::Infinity => u64::MAX,
            },
        }
    }

    fn float(&self) -> Float {
        match &self.0 {
            Repr::Small { value, precision } => Float {
                negative: *value < 0,
                precision: u32::from(*precision),
                kind: round(BigUint::from(value.unsigned_abs()), 0, false, u32::MAX),
            },
            Repr::Big(float) => Float::clone(float),
        }
    }
}

impl From<Float> for Number {
    fn from(float: Float) -> Number {
        let small = match &float.kind {
            NumberKind::Zero if !float.negative => Some(0),
            NumberKind::Finite {
                mantissa,
                exponent: exponent @ 0..=63,
            } if mantissa.bits() <= 63 => {
                // The sign is in front of the shift, so that the least integer is found too.
                let signed = i128::from(mantissa.to_u64().unwrap_or(0)) << exponent;
                i64::try_from(if float.negative { -signed } else { signed }).ok()
            }
            _ => None,
        };
        match (small, u16::try_from(float.precision)) {
            (Some(value), Ok(precision)) => Number(Repr::Small { value, precision }),
            _ => Number(Repr::Big(Arc::new(float))),
        }
    }
}

/// Two to a power between -1022 and 1023.
fn power_of_two(exponent: i64) -> f64 {
    f64::from_bits(((exponent + 1023).clamp(1, 2046) as u64) << 52)
}

impl PartialEq for Number {
    fn eq(&self, other: &Number) -> bool {
        match self.is_integer() && other.is_integer() {
            true => self.compare(other).is_eq(),
            false => {
                self.signum() == other.signum()
                    && self.is_integer() == other.is_integer()
                    && (self.precision() == other.precision() && self.compare(other).is_eq()
                        || self.to_string() == other.to_string())
            }
        }
    }
}

impl Eq for Number {}

/// As `compare`, but equal when `==`: numbers with the same text have no order, whatever their bits.
impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Number) -> Option<Ordering> {
        match self.compare(other) {
            _ if self == other => Some(Ordering::Equal),
            Ordering::Equal => None,
            order => Some(order),
        }
    }
}

impl Hash for Number {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match &self.0 {
            Repr::Small { value, .. } => value.hash(state),
            Repr::Big(float) if float.kind == NumberKind::Zero => 0i64.hash(state),
            // Integers are equal as such, but the same one may have a different text in another
            // precision; its value needs no text.
            Repr::Big(float) => match &float.kind {
                NumberKind::Finite {
                    mantissa,
                    exponent: exponent @ 0..,
                } => (float.negative, mantissa, exponent).hash(state),
                _ => self.to_string().hash(state),
            },
        }
    }
}
