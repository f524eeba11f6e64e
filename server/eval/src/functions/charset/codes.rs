//! The encodings of Chinese, Japanese and Korean, whose characters have codes of up to four bytes.
//!
//! The character of a code is read from the tables of the WHATWG's standard by decoding it. Terraform's differences
//! from that standard follow golang.org/x/text: it encodes all that can be decoded, takes characters of
//! JIS X 0212 and half-width katakana as they are, and replaces no character that has no code by a similar one.

use std::sync::LazyLock;

use encoding_rs::{BIG5, EUC_JP, EUC_KR, Encoding, SHIFT_JIS};

use super::chinese;

#[derive(Clone, Copy)]
pub enum Codes {
    Big5,
    EucJp,
    EucKr,
    Gb18030,
    Gbk,
    HzGb2312,
    Iso2022Jp,
    ShiftJis,
}

impl Codes {
    /// The charset with this IANA name.
    pub fn of(name: &str) -> Option<Codes> {
        Some(match name {
            "Big5" => Codes::Big5,
            "Extended_UNIX_Code_Packed_Format_for_Japanese" => Codes::EucJp,
            "EUC-KR" => Codes::EucKr,
            "GB18030" => Codes::Gb18030,
            "GBK" => Codes::Gbk,
            "HZ-GB-2312" => Codes::HzGb2312,
            "ISO-2022-JP" => Codes::Iso2022Jp,
            "Shift_JIS" => Codes::ShiftJis,
            _ => return None,
        })
    }

    /// `None` where a character has no code.
    pub fn encode(self, text: &str) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        let mut mode = ShiftState::Ascii;
        for character in text.chars() {
            match self {
                Codes::Big5 => put(&mut out, code(&BIG5_CODES, character)?),
                Codes::EucKr => put(&mut out, code(&KOREAN_CODES, character)?),
                Codes::Gbk if character == '€' => out.push(0x80),
                Codes::Gbk => put(&mut out, chinese::gbk_code(character)?),
                Codes::Gb18030 => chinese::put_gb18030(&mut out, character),
                Codes::HzGb2312 if character == '~' => out.extend_from_slice(b"~~"),
                Codes::HzGb2312 => {
                    let code = chinese::gbk_code(character)?;
                    if code < 0x80 {
                        mode.change(ShiftState::Ascii, b"~}", &mut out);
                        put(&mut out, code);
                    } else {
                        let [.., row @ 0xa1..=0xfd, cell @ 0xa1..=0xfe] = code.to_be_bytes() else {
                            return None;
                        };
                        mode.change(ShiftState::TwoBytes, b"~{", &mut out);
                        out.extend_from_slice(&[row & 0x7f, cell & 0x7f]);
                    }
                }
                Codes::EucJp => put(&mut out, code(&JAPANESE_CODES, character)?),
                Codes::ShiftJis => match code(&JAPANESE_CODES, character)?.to_be_bytes() {
                    [0, 0, 0, ascii] => out.push(ascii),
                    [0, 0, 0x8e, katakana] => out.push(katakana),
                    [0, 0, row, cell] => {
                        let (row, cell) = (row - 0xa1, cell - 0xa1);
                        out.push(row / 2 + if row <= 61 { 0x81 } else { 0xc1 });
                        out.push(match row % 2 {
                            0 => cell + cell / 63 + 0x40,
                            _ => cell + 0x9f,
                        });
                    }
                    _ => return None,
                },
                Codes::Iso2022Jp => match code(&JAPANESE_CODES, character)?.to_be_bytes() {
                    [0, 0, 0, ascii] => {
                        mode.change(ShiftState::Ascii, b"\x1b(B", &mut out);
                        out.push(ascii);
                    }
                    [0, 0, 0x8e, katakana] => {
                        mode.change(ShiftState::Katakana, b"\x1b(I", &mut out);
                        out.push(katakana & 0x7f);
                    }
                    [0, 0, row, cell] => {
                        mode.change(ShiftState::TwoBytes, b"\x1b$B", &mut out);
                        out.extend_from_slice(&[row & 0x7f, cell & 0x7f]);
                    }
                    _ => return None,
                },
            }
        }
        if matches!(self, Codes::Iso2022Jp) {
            mode.change(ShiftState::Ascii, b"\x1b(B", &mut out);
        }
        Some(out)
    }

    /// `None` where bytes stand for nothing.
    pub fn decode(self, bytes: &[u8]) -> Option<String> {
        match self {
            Codes::Big5 => decoded(BIG5, bytes),
            Codes::EucJp => decoded(EUC_JP, bytes),
            Codes::EucKr => decoded(EUC_KR, bytes),
            Codes::Gb18030 => chinese::decode(bytes, true),
            Codes::Gbk => chinese::decode(bytes, false),
            Codes::HzGb2312 => chinese::decode(&chinese::gbk_of_hz(bytes)?, false),
            Codes::Iso2022Jp => decoded(EUC_JP, &euc_of_iso_2022(bytes)?),
            // The range that the web reserves for private characters is not in Go's table.
            Codes::ShiftJis => decoded(SHIFT_JIS, bytes)
                .filter(|text| !text.contains(|c| matches!(c, '\u{e000}'..='\u{f8ff}'))),
        }
    }
}

/// The meaning of the bytes that follow, in encodings that switch in between.
#[derive(Clone, Copy, PartialEq)]
enum ShiftState {
    Ascii,
    Katakana,
    TwoBytes,
    /// Of JIS X 0212.
    Supplement,
}

impl ShiftState {
    fn change(&mut self, wanted: ShiftState, sign: &[u8], out: &mut Vec<u8>) {
        if *self != wanted {
            *self = wanted;
            out.extend_from_slice(sign);
        }
    }
}

pub fn decoded(encoding: &'static Encoding, bytes: &[u8]) -> Option<String> {
    let text = encoding.decode_without_bom_handling_and_without_replacement(bytes)?;
    Some(text.into_owned())
}

fn euc_of_iso_2022(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut mode = ShiftState::Ascii;
    let mut rest = bytes;
    loop {
        rest = match (rest, mode) {
            ([], _) => return Some(out),
            ([0x1b, sign @ ..], _) => {
                let (changed, rest) = match sign {
                    [b'$', b'@' | b'B', rest @ ..] => (ShiftState::TwoBytes, rest),
                    [b'$', b'(', b'D', rest @ ..] => (ShiftState::Supplement, rest),
                    [b'(', b'B' | b'J', rest @ ..] => (ShiftState::Ascii, rest),
                    [b'(', b'I', rest @ ..] => (ShiftState::Katakana, rest),
                    _ => return None,
                };
                mode = changed;
                rest
            }
            ([byte @ 0..=0x7f, rest @ ..], ShiftState::Ascii) => {
                out.push(*byte);
                rest
            }
            ([byte @ 0x21..=0x5f, rest @ ..], ShiftState::Katakana) => {
                out.extend_from_slice(&[0x8e, byte | 0x80]);
                rest
            }
            ([b'\n', rest @ ..], ShiftState::TwoBytes | ShiftState::Supplement) => {
                mode = ShiftState::Ascii;
                out.push(b'\n');
                rest
            }
            (
                [row @ 0x21..=0x7f, cell, rest @ ..],
                ShiftState::TwoBytes | ShiftState::Supplement,
            ) => {
                // A cell beyond its row is one of the rows after it.
                let place = usize::from(row - 0x21) * 94 + usize::from(cell.wrapping_sub(0x21));
                let row = u8::try_from(place / 94).ok().filter(|row| *row < 94)?;
                let cell = u8::try_from(place % 94).ok()?;
                if mode == ShiftState::Supplement {
                    out.push(0x8f);
                }
                out.extend_from_slice(&[row + 0xa1, cell + 0xa1]);
                rest
            }
            _ => return None,
        };
    }
}

/// Characters in order, with their codes.
pub type Table = Vec<(char, u32)>;

static BIG5_CODES: LazyLock<Table> = LazyLock::new(|| {
    // Of several codes for a character the last is the usual one.
    table(codes(BIG5, &[]).into_iter().rev())
});
static KOREAN_CODES: LazyLock<Table> = LazyLock::new(|| table(codes(EUC_KR, &[])));
/// As in EUC-JP: katakana of half the width behind 8E, JIS X 0212 behind 8F.
static JAPANESE_CODES: LazyLock<Table> = LazyLock::new(|| {
    let supplement = codes(EUC_JP, &[0x8f]);
    table(codes(EUC_JP, &[]).into_iter().chain(supplement))
});

/// All codes of these bytes and two more that stand for one character.
pub fn codes(encoding: &'static Encoding, begin: &[u8]) -> Vec<(char, u32)> {
    let mut codes = Vec::new();
    for lead in 0x81..=0xfe_u8 {
        for trail in 0x40..=0xfe_u8 {
            let bytes = [begin, &[lead, trail]].concat();
            let text = encoding.decode_without_bom_handling_and_without_replacement(&bytes);
            let mut characters = text.as_deref().unwrap_or_default().chars();
            if let (Some(character), None) = (characters.next(), characters.next()) {
                let code = bytes
                    .iter()
                    .fold(0, |code, byte| code << 8 | u32::from(*byte));
                codes.push((character, code));
            }
        }
    }
    codes
}

/// Of several codes for a character the first is taken.
pub fn table(codes: impl IntoIterator<Item = (char, u32)>) -> Table {
    let mut table: Table = codes.into_iter().collect();
    table.sort_by_key(|(character, _)| *character);
    table.dedup_by_key(|(character, _)| *character);
    table
}

pub fn code(table: &[(char, u32)], wanted: char) -> Option<u32> {
    if wanted.is_ascii() {
        return Some(u32::from(wanted));
    }
    let place = table.binary_search_by_key(&wanted, |(character, _)| *character);
    Some(table[place.ok()?].1)
}

/// Without leading zeros.
pub fn put(out: &mut Vec<u8>, code: u32) {
    let bytes = code.to_be_bytes();
    let begin = bytes.iter().position(|byte| *byte != 0).unwrap_or(3);
    out.extend_from_slice(&bytes[begin..]);
}
