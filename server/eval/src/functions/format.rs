//! `format` and `formatlist`: text made from values by verbs.

use config::language_release::feature;
use cty::{Number, Type, Value, budget, convert};
use unicode_segmentation::UnicodeSegmentation;

use super::string::MAX_PADDING;
use super::{elements, quoted, text};
use crate::function::{CallContext, CallError, Function, Param};

pub(super) fn functions() -> Vec<Function> {
    let args = || Param::any("args").or_null().or_unknown().or_dynamic();
    vec![
        Function::string("format", format)
            .takes(Param::string("format"))
            .takes_more(args()),
        Function::new("formatlist", formatlist)
            .takes(Param::string("format"))
            .takes_more(args())
            .returns(Type::list(Type::String))
            .not_null(),
    ]
}

fn format(args: &[Value], _: &Type, context: &CallContext<'_>) -> Result<Value, CallError> {
    let Some((format, args)) = args.split_first() else {
        return Ok(Value::unknown(Type::String));
    };
    if is_refused(args, context) {
        return Ok(Value::dynamic());
    }
    let format = text(format);
    if args.iter().all(Value::is_wholly_known) {
        return Ok(Value::string(formatted(format, args)?));
    }
    // Up to the first verb the result is known.
    Ok(match format.split_once('%') {
        Some((prefix, _)) if !prefix.is_empty() => Value::unknown(Type::String)
            .refine()
            .string_prefix(prefix)
            .build(),
        _ => Value::unknown(Type::String),
    })
}

fn formatlist(args: &[Value], ty: &Type, context: &CallContext<'_>) -> Result<Value, CallError> {
    let Some((format, args)) = args.split_first() else {
        return Ok(Value::unknown(ty.clone()));
    };
    if is_refused(args, context) {
        return Ok(Value::dynamic());
    }
    let mut length: Option<(usize, usize)> = None;
    let mut has_unknown = false;
    for (index, arg) in args.iter().enumerate() {
        if !is_list(arg) {
            has_unknown |=
                !arg.is_known() && arg.ty().is_dynamic() && !arg.range().definitely_not_null();
            continue;
        }
        let this = match arg.ty().tuple_elements() {
            Some(types) => types.len(),
            None => match arg.length_int() {
                Some(length) => length,
                None => {
                    has_unknown = true;
                    continue;
                }
            },
        };
        has_unknown |= !arg.is_known();
        match length {
            Some((first, length)) if length != this => {
                let (number, first) = (index + 1, first + 1);
                return Err(CallError::argument(
                    number,
                    format!(
                        "argument {number} has length {this}, which is inconsistent with argument \
                         {first} of length {length}"
                    ),
                ));
            }
            Some(_) => {}
            None => length = Some((index, this)),
        }
    }
    if has_unknown {
        return Ok(Value::unknown(ty.clone()));
    }
    let mut results = Vec::new();
    for iteration in 0..length.map_or(1, |(_, length)| length) {
        budget::spend(args.len());
        let args: Vec<Value> = args
            .iter()
            .map(|arg| match is_list(arg) {
                true => elements(arg).get(iteration).unwrap_or(arg).clone(),
                false => arg.clone(),
            })
            .collect();
        results.push(match args.iter().all(Value::is_wholly_known) {
            true => Value::string(formatted(text(format), &args).map_err(
                |error| match length {
                    Some(_) | None if args.is_empty() => error,
                    _ => CallError::call(format!("error on format iteration {iteration}: {error}")),
                },
            )?),
            false => Value::unknown(Type::String).refine_not_null(),
        });
    }
    Ok(Value::list(Type::String, results))
}

/// Whether an argument has no type yet, which older releases do not look into: not even into a null.
fn is_refused(args: &[Value], context: &CallContext<'_>) -> bool {
    args.iter().any(|arg| arg.ty().is_dynamic()) && !context.profile.has(feature::FORMATTED_NULL)
}

/// Whether `formatlist` goes through the argument's elements instead of taking it as a whole.
fn is_list(arg: &Value) -> bool {
    (arg.ty().is_list() || arg.ty().is_set() || arg.ty().is_tuple()) && !arg.is_null()
}

/// One verb: `%` flags width precision argument letter.
#[derive(Debug, Default)]
struct Verb<'a> {
    raw: &'a str,
    offset: usize,
    has_zero: bool,
    has_sharp: bool,
    has_plus: bool,
    has_minus: bool,
    has_space: bool,
    width: Option<usize>,
    precision: Option<usize>,
    /// From one.
    argument: usize,
    letter: char,
}

fn formatted(format: &str, args: &[Value]) -> Result<String, CallError> {
    budget::allocate(format.len());
    let mut out = String::new();
    let mut position = 0;
    let mut next_argument = 1;
    let mut last_argument = 0;
    while let Some(percent) = format[position..].find('%') {
        let start = position + percent;
        out.push_str(&format[position..start]);
        if format[start + 1..].starts_with('%') {
            out.push('%');
            position = start + 2;
            continue;
        }
        let verb = scan(format, start, next_argument)?;
        last_argument = last_argument.max(verb.argument);
        append(&mut out, &verb, args)?;
        next_argument = verb.argument + 1;
        position = start + verb.raw.len();
    }
    out.push_str(&format[position..]);
    if last_argument >= args.len() {
        return Ok(out);
    }
    let used = match last_argument {
        0 => "no verbs in format string".to_owned(),
        _ => format!("only {last_argument} used by format string"),
    };
    Err(CallError::argument(
        last_argument + 1,
        format!("too many arguments; {used}"),
    ))
}

fn scan(format: &str, start: usize, next_argument: usize) -> Result<Verb<'_>, CallError> {
    let mut verb = Verb {
        offset: start,
        argument: next_argument,
        ..Verb::default()
    };
    let bytes = format.as_bytes();
    let mut position = start + 1;
    loop {
        match bytes.get(position) {
            Some(b'0') => verb.has_zero = true,
            Some(b'#') => verb.has_sharp = true,
            Some(b'-') => verb.has_minus = true,
            Some(b'+') => verb.has_plus = true,
            Some(b' ') => verb.has_space = true,
            _ => break,
        }
        position += 1;
    }
    let number = |position: &mut usize| -> Result<Option<usize>, CallError> {
        let from = *position;
        while bytes.get(*position).is_some_and(u8::is_ascii_digit) {
            *position += 1;
        }
        let digits = &format[from..*position];
        match digits.parse::<usize>() {
            Ok(number) if number as u64 <= MAX_PADDING as u64 => Ok(Some(number)),
            Err(_) if digits.is_empty() => Ok(None),
            Ok(_) | Err(_) => Err(CallError::argument(
                0,
                format!("number {digits} at offset {from} is too large"),
            )),
        }
    };
    verb.width = number(&mut position)?;
    if bytes.get(position) == Some(&b'.') {
        position += 1;
        verb.precision = Some(number(&mut position)?.unwrap_or(0));
    }
    if bytes.get(position) == Some(&b'[')
        && bytes
            .get(position + 1)
            .is_some_and(|c| matches!(c, b'1'..=b'9'))
    {
        position += 1;
        verb.argument = number(&mut position)?.unwrap_or(0);
        if bytes.get(position) != Some(&b']') {
            return Err(unexpected(format, position));
        }
        position += 1;
    } else if bytes.get(position) == Some(&b'[') {
        return Err(unexpected(format, position + 1));
    }
    match bytes.get(position) {
        Some(letter) if letter.is_ascii_alphabetic() => {
            verb.letter = char::from(*letter);
            verb.raw = &format[start..=position];
            Ok(verb)
        }
        _ => Err(unexpected(format, position)),
    }
}

fn unexpected(format: &str, position: usize) -> CallError {
    match format.get(position..).and_then(|rest| rest.chars().next()) {
        Some(c) => CallError::call(format!(
            "unrecognized format character {} at offset {position}",
            quoted_char(c)
        )),
        None => CallError::call(format!(
            "invalid format string starting at offset {position}"
        )),
    }
}

fn quoted_char(c: char) -> String {
    match c {
        '\'' => "'\\''".to_owned(),
        '"' => "'\"'".to_owned(),
        c => {
            let quoted = quoted(&c.to_string());
            format!("'{}'", &quoted[1..quoted.len() - 1])
        }
    }
}

fn append(out: &mut String, verb: &Verb<'_>, args: &[Value]) -> Result<(), CallError> {
    let unsupported = |reason: &dyn std::fmt::Display| {
        CallError::call(format!(
            "unsupported value for {} at {}: {reason}",
            quoted(verb.raw),
            verb.offset
        ))
    };
    let Some(arg) = verb
        .argument
        .checked_sub(1)
        .and_then(|index| args.get(index))
    else {
        return Err(CallError::call(format!(
            "not enough arguments for {} at {}: need index {} but have {} total",
            quoted(verb.raw),
            verb.offset,
            verb.argument,
            args.len()
        )));
    };
    if verb.letter != 'v' && arg.is_null() {
        return Err(unsupported(&"null value cannot be formatted"));
    }
    let wanted = match verb.letter {
        'v' => Type::Dynamic,
        't' => Type::Bool,
        'b' | 'd' | 'o' | 'x' | 'X' | 'e' | 'E' | 'f' | 'g' | 'G' => Type::Number,
        's' | 'q' => Type::String,
        letter => {
            return Err(CallError::call(format!(
                "unsupported format verb '{letter}' in {} at offset {}",
                quoted(verb.raw),
                verb.offset
            )));
        }
    };
    let arg = convert(arg, &wanted).map_err(|error| unsupported(&error))?;
    match verb.letter {
        'v' => match (arg.as_str(), arg.as_number()) {
            (Some(text), _) if !verb.has_sharp => pad(out, verb, text),
            (_, Some(number)) if !verb.has_sharp => pad(out, verb, &general(number, None)),
            _ => match cty::json::encode_simple(&arg) {
                Ok(json) => pad(out, verb, &json),
                Err(error) => return Err(unsupported(&error)),
            },
        },
        't' => out.push_str(if arg.as_true() { "true" } else { "false" }),
        's' | 'q' => {
            let text = text(&arg);
            let text: String = match verb.precision {
                Some(precision) if precision > 0 => text.graphemes(true).take(precision).collect(),
                Some(_) | None => text.to_owned(),
            };
            match verb.letter {
                'q' => pad(out, verb, &cty::json::quote(&text)),
                _ => pad(out, verb, &text),
            }
        }
        _ => {
            let Some(number) = arg.as_number() else {
                return Err(unsupported(&"a number is required"));
            };
            match verb.letter {
                'e' | 'E' | 'f' | 'g' | 'G' => append_float(out, verb, number),
                _ => append_integer(out, verb, number)
                    .ok_or_else(|| unsupported(&"an integer is required"))?,
            }
        }
    }
    Ok(())
}

/// Pads to the verb's width, counted in characters.
fn pad(out: &mut String, verb: &Verb<'_>, text: &str) {
    let missing = verb
        .width
        .unwrap_or(0)
        .saturating_sub(text.graphemes(true).count());
    budget::allocate(missing + text.len());
    let padding = if verb.has_zero { "0" } else { " " }.repeat(missing);
    match verb.has_minus {
        true => out.extend([text, &padding]),
        false => out.extend([&padding, text]),
    }
}

/// As Go's `big.Int` formats itself.
fn append_integer(out: &mut String, verb: &Verb<'_>, number: &Number) -> Option<()> {
    let integer = number.to_bigint()?;
    let (radix, prefix) = match verb.letter {
        'b' => (2, "0b"),
        'o' => (8, "0"),
        'x' => (16, "0x"),
        'X' => (16, "0X"),
        _ => (10, ""),
    };
    let prefix = if verb.has_sharp { prefix } else { "" };
    let mut digits = integer.magnitude().to_str_radix(radix);
    if verb.letter == 'X' {
        digits.make_ascii_uppercase();
    }
    if digits == "0" && verb.precision == Some(0) {
        return Some(());
    }
    // Zero has no sign, whatever the number was cut from.
    let sign = sign(verb, integer.sign() == num_bigint::Sign::Minus);
    let mut zeros = verb.precision.unwrap_or(0).saturating_sub(digits.len());
    let length = sign.len() + prefix.len() + zeros + digits.len();
    let (mut left, mut right) = (0, 0);
    let missing = verb.width.unwrap_or(0).saturating_sub(length);
    if missing > 0 {
        match (verb.has_minus, verb.has_zero && verb.precision.is_none()) {
            (true, _) => right = missing,
            (false, true) => zeros = missing,
            (false, false) => left = missing,
        }
    }
    out.extend([
        &" ".repeat(left),
        sign,
        prefix,
        &"0".repeat(zeros),
        &digits,
        &" ".repeat(right),
    ]);
    Some(())
}

/// As Go's `big.Float` formats itself.
fn append_float(out: &mut String, verb: &Verb<'_>, number: &Number) {
    let magnitude = number.abs();
    let mut text = match verb.letter {
        _ if number.is_infinite() => "Inf".to_owned(),
        'f' => magnitude.to_fixed(verb.precision.unwrap_or(6)),
        'e' | 'E' => magnitude.to_scientific(Some(verb.precision.unwrap_or(6))),
        _ => general(&magnitude, verb.precision),
    };
    if matches!(verb.letter, 'E' | 'G') {
        text = text.replace('e', "E");
    }
    let sign = match number.is_infinite() && !number.is_negative() && !verb.has_space {
        true => "+",
        false => sign(verb, number.is_negative()),
    };
    let missing = verb
        .width
        .unwrap_or(0)
        .saturating_sub(sign.len() + text.len());
    if verb.has_zero && !number.is_infinite() {
        out.extend([sign, &"0".repeat(missing), &text]);
    } else if verb.has_minus {
        out.extend([sign, &text, &" ".repeat(missing)]);
    } else {
        out.extend([&" ".repeat(missing), sign, &text]);
    }
}

fn sign(verb: &Verb<'_>, is_negative: bool) -> &'static str {
    match (is_negative, verb.has_plus, verb.has_space) {
        (true, _, _) => "-",
        (false, true, _) => "+",
        (false, false, true) => " ",
        (false, false, false) => "",
    }
}

/// `%g`: as an integer or fraction while that is short, else with an exponent. `precision` counts
/// significant digits; without it there are as many as it takes.
fn general(number: &Number, precision: Option<usize>) -> String {
    if number.is_infinite() {
        return if number.is_negative() { "-Inf" } else { "+Inf" }.to_owned();
    }
    let precision = precision.map(|precision| precision.max(1));
    let scientific = number
        .abs()
        .to_scientific(precision.map(|precision| precision - 1));
    let sign = if number.is_negative() { "-" } else { "" };
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i64 = exponent.parse().unwrap_or(0);
    let mut digits = mantissa.replace('.', "");
    let significant = digits.trim_end_matches('0').len().max(1);
    digits.truncate(significant);
    let threshold = match precision {
        None => 6,
        Some(precision) if precision > digits.len() && digits.len() as i64 > exponent => {
            digits.len() as i64
        }
        Some(precision) => precision as i64,
    };
    if exponent < -4 || exponent >= threshold {
        let fraction = if digits.len() > 1 {
            format!(".{}", &digits[1..])
        } else {
            String::new()
        };
        let exponent_sign = if exponent < 0 { '-' } else { '+' };
        return format!(
            "{sign}{}{fraction}e{exponent_sign}{:02}",
            &digits[..1],
            exponent.abs()
        );
    }
    match usize::try_from(exponent) {
        Ok(whole) if digits.len() <= whole + 1 => {
            format!("{sign}{digits}{}", "0".repeat(whole + 1 - digits.len()))
        }
        Ok(whole) => format!("{sign}{}.{}", &digits[..=whole], &digits[whole + 1..]),
        Err(_) => {
            format!(
                "{sign}0.{}{digits}",
                "0".repeat(usize::try_from(-exponent - 1).unwrap_or(0))
            )
        }
    }
}
