//! Text in other character encodings than UTF-8, under their IANA names.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use cty::{Type, Value};

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

#[derive(Clone, Copy)]
enum Charset {
    Ascii,
    Utf8,
    /// Big-endian behind a byte order mark; what is read follows its own mark.
    Utf16,
    Utf16Be,
    Utf16Le,
    /// One byte for each character: ASCII and this upper half, in which U+FFFD stands for nothing.
    Bytes(&'static str),
}

const LATIN_1: &str = "\u{80}\u{81}\u{82}\u{83}\u{84}\u{85}\u{86}\u{87}\u{88}\u{89}\u{8a}\u{8b}\u{8c}\u{8d}\u{8e}\u{8f}\
     \u{90}\u{91}\u{92}\u{93}\u{94}\u{95}\u{96}\u{97}\u{98}\u{99}\u{9a}\u{9b}\u{9c}\u{9d}\u{9e}\u{9f}\
     \u{a0}¡¢£¤¥¦§¨©ª«¬\u{ad}®¯°±²³´µ¶·¸¹º»¼½¾¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ";
const WINDOWS_1252: &str = "€\u{fffd}‚ƒ„…†‡ˆ‰Š‹Œ\u{fffd}Ž\u{fffd}\u{fffd}‘’“”•–—˜™š›œ\u{fffd}žŸ\
     \u{a0}¡¢£¤¥¦§¨©ª«¬\u{ad}®¯°±²³´µ¶·¸¹º»¼½¾¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ";
const IBM_437: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐\
     └┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}";

/// Encodings with their names, the first of which is the one to show.
const CHARSETS: &[(Charset, &[&str])] = &[
    (Charset::Utf8, &["UTF-8", "csUTF8"]),
    (Charset::Utf16, &["UTF-16", "csUTF16"]),
    (Charset::Utf16Be, &["UTF-16BE", "csUTF16BE"]),
    (Charset::Utf16Le, &["UTF-16LE", "csUTF16LE"]),
    (
        Charset::Ascii,
        &[
            "US-ASCII",
            "iso-ir-6",
            "ANSI_X3.4-1968",
            "ANSI_X3.4-1986",
            "ISO_646.irv:1991",
            "ISO646-US",
            "us",
            "IBM367",
            "cp367",
            "csASCII",
        ],
    ),
    (
        Charset::Bytes(LATIN_1),
        &[
            "ISO_8859-1:1987",
            "iso-ir-100",
            "ISO_8859-1",
            "ISO-8859-1",
            "latin1",
            "l1",
            "IBM819",
            "CP819",
            "csISOLatin1",
        ],
    ),
    (
        Charset::Bytes(WINDOWS_1252),
        &["windows-1252", "cswindows1252"],
    ),
    (
        Charset::Bytes(IBM_437),
        &["IBM437", "cp437", "437", "csPC8CodePage437"],
    ),
];

/// How the names begin of further encodings that Terraform knows. Of their results we know those that are
/// ASCII, as all of these extend it.
const EXTENSIONS_OF_ASCII: &[&str] = &[
    "big5",
    "cp8",
    "cp936",
    "euc-",
    "gb",
    "ibm8",
    "iso-2022-jp",
    "iso-8859-",
    "iso_8859-",
    "koi8-",
    "latin",
    "mac",
    "shift_jis",
    "windows-",
];

/// `None`: Terraform has this encoding, but we do not.
fn charset(
    name: &str,
    context: &CallContext<'_>,
) -> Result<Option<(Charset, &'static str)>, CallError> {
    let found = CHARSETS
        .iter()
        .find(|(_, names)| names.iter().any(|known| known.eq_ignore_ascii_case(name)));
    if let Some((charset, names)) = found {
        return Ok(Some((*charset, names[0])));
    }
    let lower = name.to_ascii_lowercase();
    match EXTENSIONS_OF_ASCII
        .iter()
        .any(|prefix| lower.starts_with(prefix))
    {
        true => Ok(None),
        false => Err(CallError::argument(
            1,
            format!(
                "{} is not a supported IANA encoding name or alias in this {} version",
                quoted(name),
                context.profile.product
            ),
        )),
    }
}

fn textencodebase64(
    args: &[Value],
    ty: &Type,
    context: &CallContext<'_>,
) -> Result<Value, CallError> {
    let (charset, name) = match charset(text(&args[1]), context)? {
        Some(found) => found,
        None if text(&args[0]).is_ascii() => (Charset::Ascii, ""),
        None => return Ok(Value::unknown(ty.clone())),
    };
    match encode(text(&args[0]), charset) {
        Some(bytes) => Ok(Value::string(STANDARD.encode(bytes))),
        None => Err(CallError::argument(
            0,
            format!("the given string contains characters that cannot be represented in {name}"),
        )),
    }
}

fn textdecodebase64(
    args: &[Value],
    ty: &Type,
    context: &CallContext<'_>,
) -> Result<Value, CallError> {
    let found = charset(text(&args[1]), context)?;
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
    let (charset, name) = match found {
        Some(found) => found,
        None if bytes.is_ascii() => (Charset::Ascii, ""),
        None => return Ok(Value::unknown(ty.clone())),
    };
    match decode(&bytes, charset).filter(|decoded| !decoded.contains('\u{fffd}')) {
        Some(decoded) => Ok(Value::string(decoded)),
        None => Err(CallError::argument(
            0,
            format!("the given string contains symbols that are not defined for {name}"),
        )),
    }
}

fn encode(text: &str, charset: Charset) -> Option<Vec<u8>> {
    match charset {
        Charset::Ascii => text.is_ascii().then(|| text.as_bytes().to_vec()),
        Charset::Utf8 => Some(text.as_bytes().to_vec()),
        Charset::Utf16 => {
            let marked = std::iter::once(0xfeff).chain(text.encode_utf16());
            Some(marked.flat_map(u16::to_be_bytes).collect())
        }
        Charset::Utf16Be => Some(text.encode_utf16().flat_map(u16::to_be_bytes).collect()),
        Charset::Utf16Le => Some(text.encode_utf16().flat_map(u16::to_le_bytes).collect()),
        Charset::Bytes(upper) => text
            .chars()
            .map(|c| match u8::try_from(c) {
                Ok(byte) if byte.is_ascii() => Some(byte),
                _ => {
                    let place = upper
                        .chars()
                        .position(|other| other == c && c != '\u{fffd}')?;
                    u8::try_from(place + 0x80).ok()
                }
            })
            .collect(),
    }
}

fn decode(bytes: &[u8], charset: Charset) -> Option<String> {
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
        (Charset::Bytes(upper), _) => {
            let upper: Vec<char> = upper.chars().collect();
            bytes
                .iter()
                .map(|byte| match byte {
                    byte @ 0..=0x7f => Some(char::from(*byte)),
                    byte => upper.get(usize::from(byte - 0x80)).copied(),
                })
                .collect()
        }
    }
}
