//! Text in other character encodings than UTF-8, under their IANA names.

mod bytes;
mod chinese;
mod codes;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use cty::{Type, Value};

use self::bytes::Bytes;
use self::codes::Codes;
use super::encoding::decode_base64;
use super::{quoted, text};
use crate::function::{CallContext, CallError, Function, Param};

pub(super) fn functions() -> Vec<Function> {
    vec![
        Function::string("textdecodebase64", textdecodebase64)
            .takes(Param::string("source"))
            .takes(Param::string("encoding")),
        Function::string("textencodebase64", textencodebase64)
            .takes(Param::string("string"))
            .takes(Param::string("encoding")),
    ]
}

enum Charset {
    Ascii,
    Utf8,
    /// Big-endian behind a byte order mark; input follows its own mark.
    Utf16,
    Utf16Be,
    Utf16Le,
    Bytes(Bytes),
    Codes(Codes),
}

/// The charsets that Terraform knows, one to a line, each with its names in IANA's registry, the first of which is shown.
/// Source: `ianaindex` of golang.org/x/text.
const NAMES: &str = include_str!("charset/names.txt");

/// A charset and the name to show.
fn charset(name: &str, context: &CallContext<'_>) -> Result<(Charset, &'static str), CallError> {
    let names = NAMES.lines().map(|line| line.split(' ').collect());
    let wanted = name.trim();
    let found = names
        .filter(|names: &Vec<&'static str>| {
            let mut names = names.iter();
            names.any(|known| known.eq_ignore_ascii_case(wanted))
        })
        .find_map(|names| {
            let charset = match names[0] {
                "US-ASCII" => Charset::Ascii,
                "UTF-8" => Charset::Utf8,
                "UTF-16" => Charset::Utf16,
                "UTF-16BE" => Charset::Utf16Be,
                "UTF-16LE" => Charset::Utf16Le,
                name => match Codes::of(name) {
                    Some(codes) => Charset::Codes(codes),
                    None => Charset::Bytes(Bytes::of(name, &names)?),
                },
            };
            Some((charset, names[0]))
        });
    found.ok_or_else(|| {
        CallError::argument(
            1,
            format!(
                "{} is not a supported IANA encoding name or alias in this {} version",
                quoted(name),
                context.profile.product
            ),
        )
    })
}

fn textencodebase64(
    args: &[Value],
    _: &Type,
    context: &CallContext<'_>,
) -> Result<Value, CallError> {
    let (charset, name) = charset(text(&args[1]), context)?;
    match encode(text(&args[0]), &charset) {
        Some(bytes) => Ok(Value::string(STANDARD.encode(bytes))),
        None => Err(CallError::argument(
            0,
            format!("the given string contains characters that cannot be represented in {name}"),
        )),
    }
}

fn textdecodebase64(
    args: &[Value],
    _: &Type,
    context: &CallContext<'_>,
) -> Result<Value, CallError> {
    let (charset, name) = charset(text(&args[1]), context)?;
    let source = text(&args[0]);
    let Some(bytes) = decode_base64(source) else {
        let is_symbol = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'+' | b'/');
        let offset = match source.bytes().position(|c| !is_symbol(c) && c != b'=') {
            Some(offset) => offset,
            None => source.len() / 4 * 4,
        };
        return Err(CallError::argument(
            0,
            format!("the given value is has an invalid base64 symbol at offset {offset}"),
        ));
    };
    match decode(&bytes, &charset).filter(|decoded| !decoded.contains('\u{fffd}')) {
        Some(decoded) => Ok(Value::string(decoded)),
        None => Err(CallError::argument(
            0,
            format!("the given string contains symbols that are not defined for {name}"),
        )),
    }
}

fn encode(text: &str, charset: &Charset) -> Option<Vec<u8>> {
    match charset {
        Charset::Ascii => text.is_ascii().then(|| text.as_bytes().to_vec()),
        Charset::Utf8 => Some(text.as_bytes().to_vec()),
        Charset::Utf16 => {
            let marked = std::iter::once(0xfeff).chain(text.encode_utf16());
            Some(marked.flat_map(u16::to_be_bytes).collect())
        }
        Charset::Utf16Be => Some(text.encode_utf16().flat_map(u16::to_be_bytes).collect()),
        Charset::Utf16Le => Some(text.encode_utf16().flat_map(u16::to_le_bytes).collect()),
        Charset::Bytes(table) => table.encode(text),
        Charset::Codes(codes) => codes.encode(text),
    }
}

fn decode(bytes: &[u8], charset: &Charset) -> Option<String> {
    let utf16 = |bytes: &[u8], unit: fn([u8; 2]) -> u16| {
        let (units, rest) = bytes.as_chunks::<2>();
        let units: Vec<u16> = units.iter().map(|bytes| unit(*bytes)).collect();
        String::from_utf16(&units).ok().filter(|_| rest.is_empty())
    };
    match (charset, bytes) {
        (Charset::Ascii, _) => String::from_utf8(bytes.to_vec())
            .ok()
            .filter(|text| text.is_ascii()),
        (Charset::Utf8, _) => String::from_utf8(bytes.to_vec()).ok(),
        (Charset::Utf16, [0xff, 0xfe, rest @ ..]) => utf16(rest, u16::from_le_bytes),
        (Charset::Utf16, [0xfe, 0xff, rest @ ..]) => utf16(rest, u16::from_be_bytes),
        (Charset::Utf16 | Charset::Utf16Be, _) => utf16(bytes, u16::from_be_bytes),
        (Charset::Utf16Le, _) => utf16(bytes, u16::from_le_bytes),
        (Charset::Bytes(table), _) => Some(table.decode(bytes)),
        (Charset::Codes(codes), _) => codes.decode(bytes),
    }
}
