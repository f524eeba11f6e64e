//! Positions and edits, against a model that counts character by character.

use text::{Document, Edit, LineIndex, Position, PositionEncoding, TextSize};

const ENCODINGS: [PositionEncoding; 3] = [
    PositionEncoding::Utf8,
    PositionEncoding::Utf16,
    PositionEncoding::Utf32,
];

#[test]
fn each_encoding_counts_its_own_units() {
    let lines = LineIndex::new("ab\nö𝄞x\n");
    let x = TextSize::new(3 + 2 + 4);
    for (encoding, character) in ENCODINGS.into_iter().zip([6, 3, 2]) {
        assert_eq!(
            lines.position(x, encoding),
            Position::new(1, character),
            "{encoding:?}"
        );
        assert_eq!(
            lines.offset(Position::new(1, character), encoding),
            x,
            "{encoding:?}"
        );
    }
}

#[test]
fn positions_outside_the_text_mean_the_nearest_place() {
    let lines = LineIndex::new("ab\r\ncd");
    for encoding in ENCODINGS {
        let at =
            |line, character| u32::from(lines.offset(Position::new(line, character), encoding));
        assert_eq!(at(0, 2), 2);
        assert_eq!(at(0, 3), 2, "a line break is not part of its line");
        assert_eq!(at(0, u32::MAX), 2);
        assert_eq!(at(1, u32::MAX), 6);
        assert_eq!(at(2, 0), 6);
        assert_eq!(at(u32::MAX, u32::MAX), 6);
    }
}

#[test]
fn a_position_inside_a_character_is_its_start() {
    let lines = LineIndex::new("𝄞");
    assert_eq!(
        lines.offset(Position::new(0, 1), PositionEncoding::Utf16),
        TextSize::new(0)
    );
    assert_eq!(
        lines.offset(Position::new(0, 3), PositionEncoding::Utf8),
        TextSize::new(0)
    );
    assert_eq!(
        lines.position(TextSize::new(2), PositionEncoding::Utf16),
        Position::new(0, 0)
    );
}

#[test]
fn unicode_separators_do_not_end_a_line() {
    let lines = LineIndex::new("a\u{2028}b\u{85}c\u{b}d\re");
    let end = lines.position(lines.len(), PositionEncoding::Utf32);
    assert_eq!(end, Position::new(1, 1));
}

#[test]
fn an_edit_whose_ends_are_swapped_applies_between_them() {
    let mut document = Document::new(1, "abcd");
    let range = Some((Position::new(0, 3), Position::new(0, 1)));
    document.edit(
        &Edit {
            range,
            text: "-".into(),
        },
        PositionEncoding::Utf16,
    );
    assert_eq!(document.text(), "a-d");
}

#[test]
fn offsets_and_positions_agree_with_the_model_on_random_texts() {
    let mut random = Random(7);
    for _ in 0..2_000 {
        let text = random.text(40);
        let lines = LineIndex::new(&text);
        for encoding in ENCODINGS {
            for (offset, _) in text.char_indices().chain([(text.len(), ' ')]) {
                let position = lines.position(TextSize::new(offset as u32), encoding);
                assert_eq!(
                    position,
                    model_position(&text, offset, encoding),
                    "{text:?} {offset}"
                );
            }
            for _ in 0..10 {
                let position = random.position();
                let offset = usize::from(lines.offset(position, encoding));
                assert_eq!(
                    offset,
                    model_offset(&text, position, encoding),
                    "{text:?} {position:?} {encoding:?}"
                );
            }
        }
    }
}

#[test]
fn positions_in_a_long_text_are_those_of_the_model() {
    let mut random = Random(13);
    for _ in 0..4 {
        let text: String = (0..40).map(|_| random.text(100) + "abc\n").collect();
        let lines = LineIndex::new(&text);
        for encoding in ENCODINGS {
            for (offset, _) in text.char_indices().step_by(7) {
                let position = lines.position(TextSize::new(offset as u32), encoding);
                assert_eq!(
                    position,
                    model_position(&text, offset, encoding),
                    "{offset}"
                );
            }
        }
    }
}

#[test]
fn random_edits_leave_the_text_that_the_model_has() {
    let mut random = Random(11);
    for _ in 0..300 {
        let encoding = ENCODINGS[random.below(3)];
        let mut text = random.text(60);
        let mut document = Document::new(0, &text);
        for _ in 0..30 {
            let range = (random.below(12) > 0).then(|| (random.position(), random.position()));
            let edit = Edit {
                range,
                text: random.text(8),
            };
            let (before, text_before) = (document.clone(), text.clone());
            document.edit(&edit, encoding);
            match edit.range {
                None => text = edit.text,
                Some((a, b)) => {
                    let (a, b) = (
                        model_offset(&text, a, encoding),
                        model_offset(&text, b, encoding),
                    );
                    text.replace_range(a.min(b)..a.max(b), &edit.text);
                }
            }
            assert_eq!(document.text(), text);
            assert!(document == *text.as_str());
            let (changed, with) = document.changed_since(&before);
            let (start, end) = (changed.start().into(), changed.end().into());
            let (head, tail): (&str, &str) = (&text_before[..start], &text_before[end..]);
            assert_eq!(format!("{head}{with}{tail}"), text, "{text_before:?}");
        }
    }
}

fn units(c: char, encoding: PositionEncoding) -> u32 {
    match encoding {
        PositionEncoding::Utf8 => c.len_utf8() as u32,
        PositionEncoding::Utf16 => c.len_utf16() as u32,
        PositionEncoding::Utf32 => 1,
    }
}

/// Whether the character at `offset` ends a line.
fn ends_line(text: &str, offset: usize) -> bool {
    text[offset..].starts_with('\n')
        || text[offset..].starts_with('\r') && !text[offset..].starts_with("\r\n")
}

fn model_position(text: &str, offset: usize, encoding: PositionEncoding) -> Position {
    let mut position = Position::default();
    for (at, c) in text[..offset].char_indices() {
        if ends_line(text, at) {
            position = Position::new(position.line + 1, 0);
        } else {
            position.character += units(c, encoding);
        }
    }
    position
}

fn model_offset(text: &str, position: Position, encoding: PositionEncoding) -> usize {
    let mut here = Position::default();
    for (at, c) in text.char_indices() {
        if here.line == position.line {
            let next = here.character + units(c, encoding);
            if matches!(c, '\n' | '\r') || next > position.character {
                return at;
            }
        }
        if ends_line(text, at) {
            here = Position::new(here.line + 1, 0);
        } else {
            here.character += units(c, encoding);
        }
    }
    text.len()
}

/// Xorshift: the same numbers in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n
    }

    fn text(&mut self, up_to: usize) -> String {
        const CHARS: [char; 12] = [
            'a', '=', '"', '\n', '\r', ' ', 'ö', '字', '𝄞', '\u{301}', '\u{2028}', '\0',
        ];
        (0..self.below(up_to + 1))
            .map(|_| CHARS[self.below(CHARS.len())])
            .collect()
    }

    fn position(&mut self) -> Position {
        let wild = [u32::MAX, i32::MAX as u32, 1_000];
        let mut number = |n| match self.below(20) {
            0 => wild[self.below(3)],
            _ => self.below(n) as u32,
        };
        Position::new(number(6), number(12))
    }
}
