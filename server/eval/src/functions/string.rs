//! Strings. A character is a grapheme cluster, except in `trim` and `title`.

use std::collections::HashSet;

use cty::{Number, Type, Value, budget};
use unicode_segmentation::UnicodeSegmentation;

use super::{elements, strings, text, whole};
use crate::function::{CallContext, CallError, Function, Implementation, Param};

pub(super) fn functions() -> Vec<Function> {
    vec![
        Function::string("chomp", |args, _, _| {
            Ok(Value::string(text(&args[0]).trim_end_matches(['\r', '\n'])))
        })
        .takes(Param::string("str")),
        Function::predicate("endswith", |args, _, _| {
            Ok(Value::bool(text(&args[0]).ends_with(text(&args[1]))))
        })
        .takes(Param::string("str"))
        .takes(Param::string("suffix")),
        Function::string("indent", indent)
            .takes(Param::number("spaces"))
            .takes(Param::string("str")),
        Function::string("join", join)
            .takes(Param::string("separator"))
            .takes_more(Param::new("lists", Type::list(Type::String))),
        Function::string("lower", |args, _, _| Ok(changed(text(&args[0]), lower)))
            .takes(Param::string("str").or_dynamic()),
        Function::new("split", split)
            .takes(Param::string("separator"))
            .takes(Param::string("str"))
            .returns(Type::list(Type::String))
            .not_null(),
        Function::predicate("startswith", startswith)
            .takes(Param::string("str").or_unknown())
            .takes(Param::string("prefix")),
        Function::new("strcontains", |args, _, _| {
            Ok(Value::bool(text(&args[0]).contains(text(&args[1]))))
        })
        .takes(Param::string("str"))
        .takes(Param::string("substr"))
        .returns(Type::Bool),
        Function::string("strrev", |args, _, _| {
            Ok(Value::string(
                text(&args[0]).graphemes(true).rev().collect::<String>(),
            ))
        })
        .takes(Param::string("str").or_dynamic()),
        Function::string("substr", substr)
            .takes(Param::string("str").or_dynamic())
            .takes(Param::number("offset").or_dynamic())
            .takes(Param::number("length").or_dynamic()),
        Function::string("title", title).takes(Param::string("str")),
        Function::string("trim", |args, _, _| {
            let cutset: HashSet<char> = text(&args[1]).chars().collect();
            Ok(Value::string(
                text(&args[0]).trim_matches(|c| cutset.contains(&c)),
            ))
        })
        .takes(Param::string("str"))
        .takes(Param::string("cutset")),
        Function::string("trimprefix", |args, _, _| {
            let string = text(&args[0]);
            Ok(Value::string(
                string.strip_prefix(text(&args[1])).unwrap_or(string),
            ))
        })
        .takes(Param::string("str"))
        .takes(Param::string("prefix")),
        Function::string("trimspace", |args, _, _| {
            Ok(Value::string(text(&args[0]).trim()))
        })
        .takes(Param::string("str")),
        Function::string("trimsuffix", |args, _, _| {
            let string = text(&args[0]);
            Ok(Value::string(
                string.strip_suffix(text(&args[1])).unwrap_or(string),
            ))
        })
        .takes(Param::string("str"))
        .takes(Param::string("suffix")),
        Function::string("upper", |args, _, _| Ok(changed(text(&args[0]), upper)))
            .takes(Param::string("str").or_dynamic()),
    ]
}

impl Function {
    /// A function that returns a string, never null.
    pub(super) fn string(name: &'static str, implementation: Implementation) -> Function {
        Function::new(name, implementation)
            .returns(Type::String)
            .not_null()
    }

    /// A function that says whether something is so.
    pub(super) fn predicate(name: &'static str, implementation: Implementation) -> Function {
        Function::new(name, implementation)
            .returns(Type::Bool)
            .not_null()
    }
}

/// The number of characters of a string that may be unknown.
pub(super) fn length(string: &Value) -> Value {
    let count = |text: &str| i64::try_from(text.graphemes(true).count()).unwrap_or(i64::MAX);
    match string.as_str() {
        Some(text) => Value::int(count(text)),
        None => Value::unknown(Type::Number)
            .refine()
            .not_null()
            .number_lower_bound(Number::from(count(&string.range().string_prefix())), true)
            .build(),
    }
}

/// More than this is a mistake, and would cost all memory.
pub(super) const MAX_PADDING: i64 = 1 << 20;

fn indent(args: &[Value], _: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    let spaces = whole(&args[0])?;
    let Some(spaces) = usize::try_from(spaces)
        .ok()
        .filter(|_| spaces <= MAX_PADDING)
    else {
        return Err(CallError::argument(
            0,
            format!("must be between 0 and {MAX_PADDING}"),
        ));
    };
    let indented = format!("\n{}", " ".repeat(spaces));
    Ok(Value::string(replaced(text(&args[1]), "\n", &indented)))
}

/// `string` with every `wanted` replaced, charged before it is made.
pub(super) fn replaced(string: &str, wanted: &str, replacement: &str) -> String {
    let places = string.matches(wanted).count();
    budget::allocate(string.len() + places.saturating_mul(replacement.len()));
    string.replace(wanted, replacement)
}

fn join(args: &[Value], _: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    let Some((separator, lists)) = args.split_first().filter(|(_, lists)| !lists.is_empty()) else {
        return Err("at least one list is required".into());
    };
    if !lists.iter().all(Value::is_wholly_known) {
        return Ok(Value::unknown(Type::String));
    }
    let mut items = Vec::new();
    for (list_index, list) in lists.iter().enumerate() {
        for (index, element) in elements(list).iter().enumerate() {
            let Some(item) = element.as_str() else {
                let of_list = match lists.len() {
                    1 => String::new(),
                    _ => format!(" of list {}", list_index + 1),
                };
                let message =
                    format!("element {index}{of_list} is null; cannot concatenate null values");
                return Err(CallError::argument(list_index + 1, message));
            };
            items.push(item);
        }
    }
    let separator = text(separator);
    budget::allocate(items.iter().map(|item| item.len() + separator.len()).sum());
    Ok(Value::string(items.join(separator)))
}

fn split(args: &[Value], _: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    let (separator, string) = (text(&args[0]), text(&args[1]));
    Ok(match separator {
        "" => strings(string.chars().map(String::from)),
        _ => strings(string.split(separator)),
    })
}

fn startswith(args: &[Value], _: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    let prefix = text(&args[1]);
    if let Some(string) = args[0].as_str() {
        return Ok(Value::bool(string.starts_with(prefix)));
    }
    // The known prefix may be enough.
    let known = args[0].range().string_prefix();
    if known.starts_with(prefix) {
        Ok(Value::bool(true))
    } else if known.len() >= prefix.len() {
        Ok(Value::bool(false))
    } else {
        Ok(Value::unknown(Type::Bool))
    }
}

fn substr(args: &[Value], _: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    let string = text(&args[0]);
    let (mut offset, length) = (whole(&args[1])?, whole(&args[2])?);
    if offset < 0 {
        offset += i64::try_from(string.graphemes(true).count()).unwrap_or(i64::MAX);
    } else if length == 0 {
        return Ok(Value::string(""));
    }
    let rest = string
        .graphemes(true)
        .skip(usize::try_from(offset).unwrap_or(0));
    // A length of zero after a negative offset takes the rest, as in Terraform.
    let taken: String = match usize::try_from(length) {
        Ok(length) if length > 0 => rest.take(length).collect(),
        Ok(_) | Err(_) => rest.collect(),
    };
    Ok(Value::string(taken))
}

fn title(args: &[Value], _: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    let mut titled = String::new();
    let mut starts_word = true;
    for c in text(&args[0]).chars() {
        titled.push(if starts_word { title_case(c) } else { c });
        starts_word = match c {
            '_' => false,
            c if c.is_alphanumeric() => false,
            c => c.is_ascii() || c.is_whitespace(),
        };
    }
    Ok(Value::string(titled))
}

fn changed(text: &str, change: fn(char) -> char) -> Value {
    Value::string(text.chars().map(change).collect::<String>())
}

/// Unicode's simple upper case mapping: always one character.
fn upper(c: char) -> char {
    let shifted = |by: u32| char::from_u32(c as u32 + by).unwrap_or(c);
    match c {
        '\u{1f80}'..='\u{1f87}' | '\u{1f90}'..='\u{1f97}' | '\u{1fa0}'..='\u{1fa7}' => shifted(8),
        '\u{1fb3}' | '\u{1fc3}' | '\u{1ff3}' => shifted(9),
        c => only(c.to_uppercase()).unwrap_or(c),
    }
}

/// Unicode's simple lower case mapping: always one character.
fn lower(c: char) -> char {
    match c {
        '\u{130}' => 'i',
        c => only(c.to_lowercase()).unwrap_or(c),
    }
}

/// Unicode's simple title case mapping, which is the upper case but for a few.
fn title_case(c: char) -> char {
    match c {
        '\u{1c4}'..='\u{1c6}' => '\u{1c5}',
        '\u{1c7}'..='\u{1c9}' => '\u{1c8}',
        '\u{1ca}'..='\u{1cc}' => '\u{1cb}',
        '\u{1f1}'..='\u{1f3}' => '\u{1f2}',
        '\u{10d0}'..='\u{10ff}' => c,
        c => upper(c),
    }
}

fn only(mut chars: impl Iterator<Item = char>) -> Option<char> {
    let first = chars.next()?;
    chars.next().is_none().then_some(first)
}
