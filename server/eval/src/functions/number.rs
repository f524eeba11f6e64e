//! Numbers.

use cty::{Number, Type, Value, budget, convert};
use num_bigint::BigInt;

use super::{elements, float, quoted, redacted, whole};
use crate::function::{CallContext, CallError, Function, Implementation, Param};

pub(super) fn functions() -> Vec<Function> {
    vec![
        Function::number("abs", |args, _, _| {
            args[0].abs().map_err(|error| CallError::argument(0, error))
        })
        .takes(Param::number("num").or_dynamic().or_marked()),
        Function::number("ceil", |args, _, _| Ok(mapped(&args[0], Number::ceil)))
            .takes(Param::number("num")),
        Function::number("floor", |args, _, _| Ok(mapped(&args[0], Number::floor)))
            .takes(Param::number("num")),
        Function::number("log", log)
            .takes(Param::number("num"))
            .takes(Param::number("base")),
        Function::number("max", |args, _, _| {
            extreme(args, |number, most| number > most)
        })
        .takes_more(Param::number("numbers").or_dynamic()),
        Function::number("min", |args, _, _| {
            extreme(args, |number, least| number < least)
        })
        .takes_more(Param::number("numbers").or_dynamic()),
        Function::number("parseint", parseint)
            .takes(Param::any("number").or_dynamic().or_marked_throughout())
            .takes(Param::number("base").or_marked_throughout())
            .returns_of(parseint_type),
        Function::number("pow", pow)
            .takes(Param::number("num"))
            .takes(Param::number("power")),
        Function::number("signum", |args, _, _| {
            Ok(Value::int(whole(&args[0])?.signum()))
        })
        .takes(Param::number("num")),
        Function::number("sum", sum).takes(Param::any("list")),
    ]
}

impl Function {
    /// A function that returns a number, never null.
    pub(super) fn number(name: &'static str, implementation: Implementation) -> Function {
        Function::new(name, implementation)
            .returns(Type::Number)
            .not_null()
    }
}

fn mapped(arg: &Value, map: fn(&Number) -> Number) -> Value {
    match arg.as_number() {
        Some(number) => Value::number(map(number)),
        None => Value::unknown(Type::Number),
    }
}

fn extreme(args: &[Value], is_better: fn(&Number, &Number) -> bool) -> Result<Value, CallError> {
    let numbers = args.iter().filter_map(Value::as_number);
    match numbers.reduce(|best, number| {
        if is_better(number, best) {
            number
        } else {
            best
        }
    }) {
        Some(best) => Ok(Value::number(best.clone())),
        None => Err("must pass at least one number".into()),
    }
}

fn from_float(float: f64) -> Result<Value, CallError> {
    match Number::try_from(float) {
        Ok(number) => Ok(Value::number(number)),
        Err(()) => Err("the result is not a number".into()),
    }
}

fn log(args: &[Value], _: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    from_float(ln(float(&args[0])?) / ln(float(&args[1])?))
}

fn pow(args: &[Value], _: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    from_float(power(float(&args[0])?, float(&args[1])?))
}

fn parseint_type(args: &[Value]) -> Result<Type, CallError> {
    match args[0].ty() {
        Type::String | Type::Dynamic => Ok(Type::Number),
        ty => {
            let message = format!(
                "first argument must be a string, not {}",
                ty.friendly_name()
            );
            Err(CallError::argument(0, message))
        }
    }
}

fn parseint(args: &[Value], _: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    let (number, mut marks) = args[0].unmark();
    let (base, base_marks) = args[1].unmark();
    let shown_base = redacted(
        base.as_number().map(Number::to_string).unwrap_or_default(),
        &base_marks,
    );
    let base = whole(&base).map_err(|error| CallError::argument(1, error))?;
    let Some(base) = u32::try_from(base)
        .ok()
        .filter(|base| (2..=62).contains(base))
    else {
        return Err(CallError::argument(
            1,
            "base must be a whole number between 2 and 62 inclusive",
        ));
    };
    let digits = number.as_str().unwrap_or_default();
    let Some(parsed) = parse_integer(digits, base) else {
        let message = format!(
            "cannot parse {} as a base {shown_base} integer",
            redacted(quoted(digits), &marks)
        );
        return Err(CallError::argument(0, message));
    };
    marks.extend(base_marks);
    Ok(Value::number(Number::from(parsed)).mark_all(&marks))
}

/// Above base 36, upper case letters are digits of their own.
fn parse_integer(text: &str, base: u32) -> Option<BigInt> {
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let mut integer = BigInt::from(0);
    for (length, digit) in digits.bytes().enumerate() {
        budget::spend(1 + length / 64);
        let value = match digit {
            b'0'..=b'9' => digit - b'0',
            b'a'..=b'z' => digit - b'a' + 10,
            b'A'..=b'Z' if base <= 36 => digit - b'A' + 10,
            b'A'..=b'Z' => digit - b'A' + 36,
            _ => return None,
        };
        if u32::from(value) >= base {
            return None;
        }
        integer = integer * base + value;
    }
    match (digits.is_empty(), is_negative) {
        (true, _) => None,
        (false, true) => Some(-integer),
        (false, false) => Some(integer),
    }
}

fn sum(args: &[Value], _: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    let no_numbers =
        || CallError::argument(0, "argument must be list, set, or tuple of number values");
    let list = &args[0];
    match list.ty() {
        Type::List(_) | Type::Set(_) | Type::Tuple(_) if elements(list).is_empty() => {
            return Err(CallError::argument(0, "cannot sum an empty list"));
        }
        Type::List(_) | Type::Set(_) | Type::Tuple(_) => {}
        Type::Map(_) | Type::Object(_) if list.as_map().is_some_and(|map| map.is_empty()) => {
            return Err(CallError::argument(0, "cannot sum an empty list"));
        }
        ty @ (Type::Map(_) | Type::Object(_)) => {
            let message = format!(
                "argument must be list, set, or tuple. Received {}",
                ty.friendly_name()
            );
            return Err(CallError::argument(0, message));
        }
        Type::Dynamic | Type::String | Type::Number | Type::Bool | Type::Capsule(_) => {
            return Err(CallError::argument(0, "cannot sum noniterable"));
        }
    }
    if !list.is_wholly_known() {
        return Ok(Value::unknown(Type::Number));
    }
    let mut total: Option<Number> = None;
    for element in elements(list) {
        budget::spend(1);
        let element = convert(element, &Type::Number).map_err(|_| no_numbers())?;
        let number = element.as_number().ok_or_else(no_numbers)?;
        total = Some(match total {
            Some(total) => total
                .add(number)
                .ok_or("can't compute sum of opposing infinities")?,
            None => number.clone(),
        });
    }
    total.map(Value::number).ok_or_else(no_numbers)
}

/// The natural logarithm after FreeBSD's `e_log.c`, whose last bit the platform's may not agree with.
#[expect(clippy::excessive_precision, reason = "the constants as published")]
fn ln(x: f64) -> f64 {
    const LN2_HIGH: f64 = 6.931_471_803_691_238_164_90e-01;
    const LN2_LOW: f64 = 1.908_214_929_270_587_700_02e-10;
    const L: [f64; 7] = [
        6.666_666_666_666_735_130e-01,
        3.999_999_999_940_941_908e-01,
        2.857_142_874_366_239_149e-01,
        2.222_219_843_214_978_396e-01,
        1.818_357_216_161_805_012e-01,
        1.531_383_769_920_937_332e-01,
        1.479_819_860_511_658_591e-01,
    ];
    if x.is_nan() || x < 0.0 {
        return f64::NAN;
    }
    if x == 0.0 {
        return f64::NEG_INFINITY;
    }
    if x.is_infinite() {
        return x;
    }
    let (mut fraction, mut exponent) = frexp(x);
    if fraction < std::f64::consts::FRAC_1_SQRT_2 {
        fraction *= 2.0;
        exponent -= 1;
    }
    let f = fraction - 1.0;
    let k = f64::from(exponent);
    let s = f / (2.0 + f);
    let s2 = s * s;
    let s4 = s2 * s2;
    let odd = s2 * (L[0] + s4 * (L[2] + s4 * (L[4] + s4 * L[6])));
    let even = s4 * (L[1] + s4 * (L[3] + s4 * L[5]));
    let half_square = 0.5 * f * f;
    k * LN2_HIGH - ((half_square - (s * (half_square + (odd + even)) + k * LN2_LOW)) - f)
}

/// `x` to the power of `y` by repeated squaring, as Go's `math.Pow` does it.
fn power(x: f64, y: f64) -> f64 {
    if y == 0.5 {
        return x.sqrt();
    }
    if y == -0.5 {
        return 1.0 / x.sqrt();
    }
    if x == 0.0 || !x.is_finite() || !y.is_finite() || y.abs() >= 9_223_372_036_854_775_808.0 {
        return x.powf(y);
    }
    let mut whole = y.abs().trunc();
    let mut rest = y.abs().fract();
    if rest != 0.0 && x < 0.0 {
        return f64::NAN;
    }
    let mut result = 1.0;
    let mut result_exponent = 0_i64;
    if rest != 0.0 {
        if rest > 0.5 {
            rest -= 1.0;
            whole += 1.0;
        }
        result = (rest * ln(x)).exp();
    }
    let (mut factor, exponent) = frexp(x);
    let mut exponent = i64::from(exponent);
    let mut remaining = whole as u64;
    while remaining != 0 {
        if !(-4096..=4096).contains(&exponent) {
            // Far beyond the range of a float.
            result_exponent += exponent;
            break;
        }
        if remaining & 1 == 1 {
            result *= factor;
            result_exponent += exponent;
        }
        factor *= factor;
        exponent <<= 1;
        if factor < 0.5 {
            factor += factor;
            exponent -= 1;
        }
        remaining >>= 1;
    }
    if y < 0.0 {
        result = 1.0 / result;
        result_exponent = -result_exponent;
    }
    ldexp(result, result_exponent)
}

/// A fraction in [0.5, 1) and the exponent of two that make `x` together. `x` is finite and not zero.
fn frexp(x: f64) -> (f64, i32) {
    let bits = x.to_bits();
    let exponent = ((bits >> 52) & 0x7ff) as i32;
    if exponent == 0 {
        let (fraction, exponent) = frexp(x * 18_014_398_509_481_984.0);
        return (fraction, exponent - 54);
    }
    (
        f64::from_bits((bits & !(0x7ff << 52)) | (1022 << 52)),
        exponent - 1022,
    )
}

/// `x` times two to the power of `exponent`, rounded once.
fn ldexp(x: f64, exponent: i64) -> f64 {
    if x == 0.0 || !x.is_finite() {
        return x;
    }
    let (fraction, own) = frexp(x);
    match i64::from(own) + exponent {
        total if total > 1024 => f64::INFINITY.copysign(x),
        total if total < -1075 => 0.0_f64.copysign(x),
        total if total > 0 => fraction * 2.0 * 2.0_f64.powi(total as i32 - 1),
        total if total >= -1021 => fraction * 2.0_f64.powi(total as i32),
        total => fraction * 2.0_f64.powi(total as i32 + 60) * 2.0_f64.powi(-60),
    }
}
