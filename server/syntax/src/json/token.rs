//! The tokens of JSON, cut as loosely as HCL cuts them: their reader reports the errors inside.

use text::{TextRange, TextSize};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TokenKind {
    OpenBrace,
    CloseBrace,
    OpenBracket,
    CloseBracket,
    Comma,
    Colon,
    /// Only for those who are used to native syntax.
    Equal,
    Keyword,
    String,
    Number,
    Invalid,
    End,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Token {
    pub kind: TokenKind,
    pub range: TextRange,
    /// Of the line that it begins in, in bytes.
    pub indentation: usize,
    pub is_first_of_line: bool,
}

impl Token {
    pub(super) fn end(at: TextSize) -> Token {
        Token {
            kind: TokenKind::End,
            range: TextRange::empty(at),
            indentation: 0,
            is_first_of_line: false,
        }
    }
}

/// All tokens of a text; the last one is its end.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::with_capacity(bytes.len() / 8);
    let (mut at, mut line) = (0, 0);
    let mut indentation = None;
    while let Some(&first) = bytes.get(at) {
        if matches!(first, b' ' | b'\n' | b'\r' | b'\t') {
            at += 1;
            if first == b'\n' {
                (line, indentation) = (at, None);
            }
            continue;
        }
        let is_first_of_line = indentation.is_none();
        let indentation = *indentation.get_or_insert(at - line);
        let rest = &bytes[at..];
        let count = |is_part: fn(&u8) -> bool| rest.iter().take_while(|byte| is_part(byte)).count();
        let (kind, len) = match first {
            b'{' => (TokenKind::OpenBrace, 1),
            b'}' => (TokenKind::CloseBrace, 1),
            b'[' => (TokenKind::OpenBracket, 1),
            b']' => (TokenKind::CloseBracket, 1),
            b',' => (TokenKind::Comma, 1),
            b':' => (TokenKind::Colon, 1),
            b'=' => (TokenKind::Equal, 1),
            b'"' => (TokenKind::String, string_len(rest)),
            b'-' | b'+' | b'.' | b'0'..=b'9' => (
                TokenKind::Number,
                count(|byte| matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9')),
            ),
            b'a'..=b'z' | b'A'..=b'Z' => (
                TokenKind::Keyword,
                count(|byte| byte.is_ascii_alphabetic() || *byte == b'_'),
            ),
            _ => {
                let len = text[at..].chars().next().map_or(1, char::len_utf8);
                (TokenKind::Invalid, len)
            }
        };
        let range = TextRange::at(size(at), size(len));
        tokens.push(Token {
            kind,
            range,
            indentation,
            is_first_of_line,
        });
        at += len;
    }
    tokens.push(Token::end(size(at)));
    tokens
}

/// A string ends with its quote, or before a control character, which it may not contain.
fn string_len(bytes: &[u8]) -> usize {
    let mut is_escaped = false;
    for (at, &byte) in bytes.iter().enumerate().skip(1) {
        match byte {
            b'\\' => is_escaped = !is_escaped,
            b'"' if !is_escaped => return at + 1,
            0..32 => return at,
            _ => is_escaped = false,
        }
    }
    bytes.len()
}

pub(super) fn size(offset: usize) -> TextSize {
    TextSize::try_from(offset).unwrap_or(TextSize::new(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::{TokenKind, tokens};

    /// The kinds of a text's tokens with their texts.
    fn cut(text: &str) -> Vec<(TokenKind, &str)> {
        let tokens = tokens(text).into_iter();
        tokens
            .map(|token| (token.kind, &text[token.range]))
            .collect()
    }

    #[test]
    fn tokens_are_cut_loosely() {
        use TokenKind::*;
        assert_eq!(
            cut("{\"a\\\"b\": tru_e}\n-1.e+ \"x\ny"),
            [
                (OpenBrace, "{"),
                (String, "\"a\\\"b\""),
                (Colon, ":"),
                (Keyword, "tru_e"),
                (CloseBrace, "}"),
                (Number, "-1.e+"),
                (String, "\"x"),
                (Keyword, "y"),
                (End, ""),
            ]
        );
    }

    /// The cases of HCL's scanner, where their folder is at hand.
    #[test]
    #[allow(clippy::print_stdout)]
    fn tokens_are_cut_as_in_the_table_of_hcl_json() {
        let folder = match std::env::var_os("PLANLENS_CONFORMANCE") {
            Some(folder) => folder.into(),
            None => {
                std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/conformance")
            }
        };
        let Ok(table) = std::fs::read_to_string(folder.join("tables/hcl_json.jsonl")) else {
            return println!("SKIPPED: no conformance tables");
        };
        let mut passed = 0;
        for line in table.lines().filter(|line| line.contains("TestScan")) {
            let record: serde_json::Value = serde_json::from_str(line).unwrap();
            let input = record["case"]["Input"].as_str().unwrap_or_default();
            let wanted = record["case"]["Want"].as_array().unwrap().iter();
            let wanted: Vec<_> = wanted
                .map(|token| token["Bytes"].as_str().unwrap_or_default())
                .collect();
            let got: Vec<_> = cut(input).into_iter().map(|(_, text)| text).collect();
            assert_eq!(got, wanted, "{input}");
            passed += 1;
        }
        println!("TestScan: {passed} passed");
    }
}
