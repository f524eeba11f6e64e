//! GBK, GB18030 and HZ-GB-2312.
//!
//! The standard's tables are of 2022, those of golang.org/x/text older: its characters that were given codes of two bytes
//! later, and all that are for private use, have four bytes in GB18030 and no code in GBK.

use std::ops::RangeInclusive;
use std::sync::LazyLock;

use encoding_rs::GB18030;

use super::codes::{Table, code, codes, decoded, put, table};

static TWO_BYTES: LazyLock<Table> = LazyLock::new(|| {
    let codes = codes(GB18030, &[]).into_iter();
    table(codes.filter(|(character, _)| !is_late(*character)))
});

/// The later and the private characters, by the distance of a character from the number of its code of four bytes.
const LATE: &[(RangeInclusive<char>, u32)] = &[
    ('\u{1e3f}'..='\u{1e3f}', 286),
    ('\u{9fb4}'..='\u{9fbb}', 21827),
    ('\u{e000}'..='\u{e76b}', 21827),
    ('\u{e76c}'..='\u{e7c7}', 25775),
    ('\u{e7c8}'..='\u{e7e6}', 25866),
    ('\u{e7e7}'..='\u{e814}', 25896),
    ('\u{e815}'..='\u{e818}', 25929),
    ('\u{e819}'..='\u{e81e}', 25932),
    ('\u{e81f}'..='\u{e826}', 25933),
    ('\u{e827}'..='\u{e82c}', 25934),
    ('\u{e82d}'..='\u{e832}', 25936),
    ('\u{e833}'..='\u{e83b}', 25938),
    ('\u{e83c}'..='\u{e843}', 25939),
    ('\u{e844}'..='\u{e855}', 25940),
    ('\u{e856}'..='\u{e864}', 25942),
    ('\u{e865}'..='\u{f8ff}', 25943),
    ('\u{fe10}'..='\u{fe19}', 25964),
];

fn is_late(character: char) -> bool {
    LATE.iter().any(|(range, _)| range.contains(&character))
}

/// The code of two bytes, or of one for ASCII.
pub fn gbk_code(character: char) -> Option<u32> {
    code(&TWO_BYTES, character)
}

pub fn put_gb18030(out: &mut Vec<u8>, character: char) {
    if let Some(code) = gbk_code(character) {
        return put(out, code);
    }
    if let Some((_, distance)) = LATE.iter().find(|(range, _)| range.contains(&character)) {
        let number = u32::from(character) - distance;
        let digit = |value: u32, begin: u8| begin + u8::try_from(value).unwrap_or_default();
        return out.extend_from_slice(&[
            digit(number / 12600, 0x81),
            digit(number / 1260 % 10, 0x30),
            digit(number / 10 % 126, 0x81),
            digit(number % 10, 0x30),
        ]);
    }
    let mut buffer = [0; 4];
    out.extend_from_slice(&GB18030.encode(character.encode_utf8(&mut buffer)).0);
}

/// `None` where bytes stand for nothing.
pub fn decode(bytes: &[u8], has_four_bytes: bool) -> Option<String> {
    let mut text = String::new();
    let mut rest = bytes;
    while let [first, after @ ..] = rest {
        let length = match (first, after) {
            (0..=0x80, _) => 1,
            (_, [0x30..=0x39, ..]) => 4,
            _ => 2,
        };
        let (code, after) = rest.split_at_checked(length)?;
        rest = after;
        match code {
            [lead, tens, cell, ones] => {
                let digit = |byte: &u8, begin: u8| byte.checked_sub(begin).map(u32::from);
                let number = (digit(lead, 0x81)? * 10 + digit(tens, 0x30)?) * 1260
                    + digit(cell, 0x81)? * 10
                    + digit(ones, 0x30)?;
                let late = LATE.iter().find_map(|(range, distance)| {
                    let is_private = matches!(range.start(), '\u{e000}'..='\u{f8ff}');
                    char::from_u32(number + distance)
                        .filter(|late| !is_private && range.contains(late))
                });
                match late {
                    _ if !has_four_bytes => return None,
                    Some(late) => text.push(late),
                    None => text.push_str(&decoded(GB18030, code)?),
                }
            }
            _ => text.push_str(&decoded(GB18030, code).filter(|it| !it.contains(is_late))?),
        }
    }
    Some(text)
}

/// The same text in GBK.
pub fn gbk_of_hz(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut is_ascii = true;
    let mut rest = bytes;
    loop {
        rest = match rest {
            [] => return Some(out),
            [b'~', sign, rest @ ..] => {
                match sign {
                    b'{' => is_ascii = false,
                    b'}' => is_ascii = true,
                    b'~' => out.push(b'~'),
                    b'\n' => (),
                    _ => return None,
                }
                rest
            }
            [byte @ 0..=0x7f, rest @ ..] if is_ascii && *byte != b'~' => {
                out.push(*byte);
                rest
            }
            [row @ 0x21..=0x7d, cell @ 0x21..=0x7e, rest @ ..] if !is_ascii => {
                out.extend_from_slice(&[row | 0x80, cell | 0x80]);
                rest
            }
            _ => return None,
        };
    }
}
