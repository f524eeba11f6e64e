//! Text forms of values and bytes: Base64, JSON, CSV, URL.

use std::collections::BTreeMap;
use std::io::Read as _;

use base64::Engine as _;
use base64::alphabet;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig, STANDARD};
use cty::{Type, Value, budget, json};
use flate2::read::MultiGzDecoder;

use super::gzip::gzip;
use super::{quoted, redacted, text};
use crate::function::{CallContext, CallError, Function, Param};

pub(super) fn functions() -> Vec<Function> {
    vec![
        Function::string("base64decode", base64decode)
            .takes(Param::string("str").or_marked_throughout()),
        Function::string("base64encode", |args, _, _| {
            Ok(Value::string(STANDARD.encode(text(&args[0]))))
        })
        .takes(Param::string("str")),
        Function::string("base64gunzip", base64gunzip)
            .takes(Param::string("str").or_marked_throughout()),
        Function::string("base64gzip", |args, _, _| {
            Ok(Value::string(
                STANDARD.encode(gzip(text(&args[0]).as_bytes())),
            ))
        })
        .takes(Param::string("str")),
        Function::new("csvdecode", csvdecode)
            .takes(Param::string("str"))
            .returns_of(csvdecode_type)
            .not_null(),
        Function::new("jsondecode", jsondecode)
            .takes(Param::string("str"))
            .returns_of(jsondecode_type),
        Function::string("jsonencode", jsonencode)
            .takes(Param::any("val").or_unknown().or_dynamic().or_null()),
        Function::string("urldecode", urldecode).takes(Param::string("str")),
        Function::string("urlencode", urlencode).takes(Param::string("str")),
    ]
}

/// The bytes of standard Base64 with padding. Line breaks are passed over, and bits after the last
/// byte may be anything.
pub(super) fn decode_base64(text: &str) -> Option<Vec<u8>> {
    const LENIENT: GeneralPurpose = GeneralPurpose::new(
        &alphabet::STANDARD,
        GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true),
    );
    LENIENT.decode(text.replace(['\r', '\n'], "")).ok()
}

fn base64decode(args: &[Value], _: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    let (encoded, marks) = args[0].unmark();
    let encoded = text(&encoded);
    let Some(decoded) = decode_base64(encoded) else {
        return Err(format!(
            "failed to decode base64 data {}",
            redacted(quoted(encoded), &marks)
        )
        .into());
    };
    match String::from_utf8(decoded) {
        Ok(decoded) => Ok(Value::string(decoded).mark_all(&marks)),
        Err(_) => Err("the result of decoding the provided string is not valid UTF-8".into()),
    }
}

/// The limit of an unpacked text. Beyond that the result is not computed.
const MAX_UNPACKED: u64 = 64 << 20;
const UNPACKED_AT_ONCE: usize = 1 << 16;

fn base64gunzip(args: &[Value], ty: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    let (encoded, marks) = args[0].unmark();
    let encoded = text(&encoded);
    let Some(packed) = decode_base64(encoded) else {
        let shown = redacted(quoted(encoded), &marks);
        return Err(format!("failed to decode base64 data {shown}").into());
    };
    if !packed.starts_with(&[0x1f, 0x8b, 8]) {
        let why = match packed.len() {
            0 => "EOF",
            1..10 => "unexpected EOF",
            _ => "gzip: invalid header",
        };
        return Err(format!("failed to gunzip bytestream: {why}").into());
    }
    let mut unpacked = Vec::new();
    let mut content = MultiGzDecoder::new(packed.as_slice()).take(MAX_UNPACKED + 1);
    let mut part = vec![0; UNPACKED_AT_ONCE];
    loop {
        let read = content
            .read(&mut part)
            .map_err(|error| format!("failed to read gunzip raw data: {error}"))?;
        if read == 0 {
            break;
        }
        budget::allocate(read);
        unpacked.extend_from_slice(&part[..read]);
    }
    let unpacked = match unpacked.len() as u64 > MAX_UNPACKED {
        true => None,
        false => String::from_utf8(unpacked).ok(),
    };
    // Bytes that are no text are a string for OpenTofu, but for no provider.
    let result = unpacked.map_or_else(|| Value::unknown(ty.clone()), Value::string);
    Ok(result.mark_all(&marks))
}

fn urldecode(args: &[Value], ty: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    let mut decoded = Vec::new();
    let mut rest = text(&args[0]).as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        decoded.push(match byte {
            b'+' => b' ',
            b'%' => match after {
                [high, low, after @ ..] if [high, low].iter().all(|c| c.is_ascii_hexdigit()) => {
                    rest = after;
                    let digit = |c: &u8| char::from(*c).to_digit(16).unwrap_or_default() as u8;
                    digit(high) << 4 | digit(low)
                }
                _ => {
                    let escape = &after[..after.len().min(2)];
                    let escape = quoted(&format!("%{}", String::from_utf8_lossy(escape)));
                    let message = format!("failed to decode URL '': invalid URL escape {escape}");
                    return Err(message.into());
                }
            },
            byte => *byte,
        });
    }
    let decoded = String::from_utf8(decoded).ok();
    Ok(decoded.map_or_else(|| Value::unknown(ty.clone()), Value::string))
}

fn urlencode(args: &[Value], _: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    let mut encoded = String::new();
    for byte in text(&args[0]).bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                encoded.push(char::from(byte));
            }
            b' ' => encoded.push('+'),
            byte => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    Ok(Value::string(encoded))
}

fn jsonencode(args: &[Value], ty: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    let value = &args[0];
    if value.is_wholly_known() {
        return Ok(Value::string(
            json::encode_simple(value).map_err(CallError::call)?,
        ));
    }
    let unknown = Value::unknown(ty.clone());
    if value.range().could_be_null() {
        return Ok(unknown);
    }
    // The first character decides the type.
    let first = match value.ty() {
        Type::String => "\"",
        Type::Object(_) | Type::Map(_) => "{",
        Type::Tuple(_) | Type::List(_) | Type::Set(_) => "[",
        Type::Dynamic | Type::Number | Type::Bool | Type::Capsule(_) => return Ok(unknown),
    };
    Ok(unknown.refine().string_prefix_full(first).build())
}

fn jsondecode_type(args: &[Value]) -> Result<Type, CallError> {
    if let Some(text) = args[0].as_str() {
        return json::implied_type(text).map_err(CallError::call);
    }
    let prefix = args[0].range().string_prefix();
    match prefix.trim_start().chars().next() {
        Some('"') => Ok(Type::String),
        Some('t' | 'f') => Ok(Type::Bool),
        Some('-' | '.' | '0'..='9') => Ok(Type::Number),
        Some('{' | '[' | 'n') | None => Ok(Type::Dynamic),
        Some(c) => {
            let message = format!("a JSON document cannot begin with the character '{c}'");
            Err(CallError::argument(0, message))
        }
    }
}

fn jsondecode(args: &[Value], ty: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    json::decode_str(text(&args[0]), ty).map_err(CallError::call)
}

fn csvdecode_type(args: &[Value]) -> Result<Type, CallError> {
    let Some(text) = args[0].as_str() else {
        return Ok(Type::Dynamic);
    };
    let Some(header) = CsvReader::new(text).next() else {
        return Err("missing header line".into());
    };
    let mut columns: BTreeMap<String, Type> = BTreeMap::new();
    for name in header?.fields {
        budget::spend(1);
        if columns.contains_key(&name) {
            return Err(format!("duplicate column name {}", quoted(&name)).into());
        }
        columns.insert(name, Type::String);
    }
    Ok(Type::list(Type::object(columns)))
}

fn csvdecode(args: &[Value], ty: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    let mut records = CsvReader::new(text(&args[0]));
    let Some(header) = records.next().transpose()? else {
        return Err("missing header line".into());
    };
    let mut rows = Vec::new();
    for record in records {
        let record = record?;
        if record.fields.len() != header.fields.len() {
            return Err(csv_error(record.line, "wrong number of fields"));
        }
        let columns = header.fields.iter().zip(record.fields);
        rows.push(Value::object(
            columns.map(|(name, field)| (name, Value::string(field))),
        ));
    }
    Ok(Value::list(
        ty.element_type().cloned().unwrap_or(Type::Dynamic),
        rows,
    ))
}

/// Reads CSV as Go's `encoding/csv`: quotes are checked strictly, empty lines are passed over.
struct CsvReader<'a> {
    rest: &'a str,
    /// Of the line before `rest`, from one.
    line: usize,
}

struct CsvRecord {
    fields: Vec<String>,
    /// Where it starts.
    line: usize,
}

fn csv_error(line: usize, what: &str) -> CallError {
    CallError::call(format!("CSV parse error on line {line}: {what}"))
}

impl<'a> CsvReader<'a> {
    fn new(text: &'a str) -> CsvReader<'a> {
        CsvReader {
            rest: text,
            line: 0,
        }
    }

    /// The next line without its end, and whether it had one.
    fn read_line(&mut self) -> Option<(&'a str, bool)> {
        if self.rest.is_empty() {
            return None;
        }
        self.line += 1;
        let (line, rest, has_end) = match self.rest.split_once('\n') {
            Some((line, rest)) => (line, rest, true),
            None => (self.rest, "", false),
        };
        self.rest = rest;
        Some((line.strip_suffix('\r').unwrap_or(line), has_end))
    }

    fn record(&mut self, first: (&'a str, bool)) -> Result<Vec<String>, CallError> {
        const BAD_QUOTE: &str = "extraneous or missing \" in quoted-field";
        let (mut line, mut has_end) = first;
        let mut fields = Vec::new();
        loop {
            let Some(after_quote) = line.strip_prefix('"') else {
                let (field, rest) = match line.split_once(',') {
                    Some((field, rest)) => (field, Some(rest)),
                    None => (line, None),
                };
                if field.contains('"') {
                    return Err(csv_error(self.line, "bare \" in non-quoted-field"));
                }
                fields.push(field.to_owned());
                match rest {
                    Some(rest) => line = rest,
                    None => return Ok(fields),
                }
                continue;
            };
            line = after_quote;
            let mut field = String::new();
            loop {
                let Some((inside, after)) = line.split_once('"') else {
                    field.push_str(line);
                    if has_end {
                        field.push('\n');
                    }
                    (line, has_end) = self
                        .read_line()
                        .ok_or_else(|| csv_error(self.line, BAD_QUOTE))?;
                    continue;
                };
                field.push_str(inside);
                line = after;
                if let Some(after) = line.strip_prefix('"') {
                    field.push('"');
                    line = after;
                } else if line.is_empty() {
                    fields.push(field);
                    return Ok(fields);
                } else if let Some(after) = line.strip_prefix(',') {
                    fields.push(field);
                    line = after;
                    break;
                } else {
                    return Err(csv_error(self.line, BAD_QUOTE));
                }
            }
        }
    }
}

impl Iterator for CsvReader<'_> {
    type Item = Result<CsvRecord, CallError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let first = self.read_line()?;
            if !first.0.is_empty() {
                let line = self.line;
                return Some(self.record(first).map(|fields| CsvRecord { fields, line }));
            }
        }
    }
}
