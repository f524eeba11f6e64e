//! Edits: what did not change is not parsed again, and what comes out is what a fresh parse would give.

use support::{Random, corpus, mutate};
use syntax::dump::dump_file;
use syntax::{File, parse};

mod support;

/// A file of at least 10,000 lines. Without the part in which a heredoc holds the start of another one: whether
/// it is one depends on what follows.
fn long_file() -> String {
    let mut text = String::new();
    for n in 0.. {
        if text.lines().count() >= 10_000 {
            break;
        }
        for (_, file) in corpus()
            .iter()
            .filter(|(name, _)| name.starts_with("generated") && !name.contains("31"))
        {
            text.push_str(&format!("# part {n}\n"));
            text.push_str(file);
        }
    }
    text
}

/// What a version of a file says, segment by segment.
fn facts(file: &File) -> Vec<String> {
    let mut facts: Vec<String> = file
        .segments()
        .map(|segment| {
            let parsed = &segment.parsed;
            let (id, offset) = (segment.id, segment.offset);
            format!("{id:?} {offset:?} {:?} {:?}", parsed.items, parsed.errors)
        })
        .collect();
    facts.push(dump_file(file.body()));
    facts
}

fn edited(text: &str, at: usize, len: usize, insert: &str) -> String {
    format!("{}{insert}{}", &text[..at], &text[at + len..])
}

#[test]
fn an_edit_in_a_long_file_parses_one_segment() {
    let text = long_file();
    let file = parse(&text);
    assert!(text.lines().count() >= 10_000);
    assert!(file.errors().next().is_none());
    let places: Vec<usize> = text.match_indices("= ").map(|(at, _)| at + 2).collect();
    for at in places.iter().step_by(places.len() / 40) {
        let (edited, parsed) = file.reparse(&edited(&text, *at, 0, "null == "));
        assert_eq!(parsed, 1, "at {at}");
        assert_eq!(edited.errors().count(), 0);
        let segments: Vec<_> = edited.segments().collect();
        let mut pairs = segments.windows(2);
        assert!(pairs.all(|pair| pair[0].range().end() == pair[1].offset));
    }
}

#[test]
fn an_edit_that_breaks_a_block_of_a_long_file_parses_its_lines_alone() {
    let text = long_file();
    let file = parse(&text);
    let places: Vec<usize> = text.match_indices(" = ").map(|(at, _)| at + 3).collect();
    let mut counts = Vec::new();
    for at in places.iter().step_by(places.len() / 40) {
        for insert in ["x", "[", "{", "\"", "f(", "${"] {
            counts.push(file.reparse(&edited(&text, *at, 0, insert)).1);
        }
    }
    let single = counts.iter().filter(|count| **count == 1).count();
    assert!(single * 100 >= counts.len() * 90, "{counts:?}");
    assert!(counts.iter().all(|count| *count <= 20), "{counts:?}");
}

#[test]
fn nothing_is_parsed_when_nothing_changed() {
    let text = long_file();
    assert_eq!(parse(&text).reparse(&text).1, 0);
}

#[test]
fn a_new_block_is_parsed_alone_and_a_deleted_one_not_at_all() {
    let text = long_file();
    let file = parse(&text);
    let at = text.len() / 2;
    let at = at + text[at..].find("\nresource").unwrap() + 1;
    let (longer, parsed) = file.reparse(&edited(
        &text,
        at,
        0,
        "variable \"new\" {\n  default = 1\n}\n\n",
    ));
    assert_eq!(parsed, 1);
    assert_eq!(longer.reparse(&text).1, 0);
}

#[test]
fn an_edit_keeps_the_ids_of_other_segments() {
    let before = parse("a {\n}\n\nb {\n}\n\nc {\n}\n");
    let (after, _) = before.reparse("a {\n}\n\nb {\n  x = 1\n}\n\nc {\n}\n");
    let ids = |file: &File| -> Vec<_> { file.segments().map(|segment| segment.id).collect() };
    let (before_ids, after_ids) = (ids(&before), ids(&after));
    assert_eq!(before_ids[0], after_ids[0]);
    assert_ne!(before_ids[1], after_ids[1]);
    assert_eq!(before_ids[2], after_ids[2]);
    assert_eq!(after.offset_of(after_ids[2]).map(u32::from), Some(21));
    assert_eq!(after.offset_of(before_ids[1]), None);
}

#[test]
fn a_reparse_is_a_parse() {
    let mut random = Random(3);
    let corpus = corpus();
    for (name, original) in &corpus {
        let mut file = parse(original);
        for step in 0..7 {
            // Broken ever more, and mended from time to time.
            let text = match step % 6 {
                5 => original.clone(),
                _ => mutate(file.text(), &mut random),
            };
            let (next, _) = file.reparse(&text);
            let fresh = parse(&text);
            for (own, fresh) in facts(&next).iter().zip(facts(&fresh)) {
                assert_eq!(
                    *own, fresh,
                    "{name}, step {step}:
{text}"
                );
            }
            assert_eq!(next.segment_count(), fresh.segment_count());
            let green: String = next
                .segments()
                .map(|segment| segment.parsed.syntax().text().to_string())
                .collect();
            assert_eq!(green, text, "{name}, step {step}");
            file = next;
        }
    }
}

#[test]
fn a_text_with_too_many_far_looks_ahead_is_read_to_the_limit() {
    type Line = fn(usize) -> String;
    let evil: [(&str, Line); 5] = [
        ("heredocs", |n| format!("a{n} = <<X{n}\n")),
        ("strings over lines", |n| format!("a{n} = \"${{<<X\n")),
        ("other strings over lines", |n| {
            format!("a{n} = \"${{<<X{n}\n")
        }),
        ("comments", |n| format!("a{n} = 1 /*\n")),
        ("objects", |_| "a = {\n".into()),
    ];
    for (name, line) in evil {
        let text: String = (0..20_000).map(line).collect();
        let text = format!("first = 1\n{text}");
        let file = parse(&text);
        assert!(is_unread_at_its_end(&file), "{name}");
        assert_eq!(**file.text(), *text, "{name}");
        // Edits go on as a first reading does, over the limit and back below it.
        let mut edited_file = file;
        let mut current = text.clone();
        let cut = current.floor_char_boundary(2_000);
        let steps: [String; 4] = [
            edited(&current, 8, 1, "22"),
            current[..cut].to_owned(),
            format!("{}last = 2\n", &current[..cut]),
            text.clone(),
        ];
        for step in steps {
            edited_file = edited_file.reparse(&step).0;
            current = step;
            let fresh = parse(&current);
            assert_eq!(facts(&edited_file), facts(&fresh), "{name}");
        }
    }
}

#[test]
fn the_limit_of_a_text_counts_what_stands_behind_an_edit() {
    // Together the two halves are too much to read, and each alone is not.
    let half = |names: &str| -> String {
        (0..70)
            .map(|n| format!("{names}{n} = <<X{names}{n}\n"))
            .collect()
    };
    let padding = "# padding\n".repeat(100);
    let (first, second) = (half("a"), half("b"));
    let texts = [
        (second.clone(), false),
        (format!("{first}{padding}{second}"), true),
        (format!("{padding}{second}"), false),
        (format!("{first}{padding}"), false),
        (format!("{first}{padding}{second}{padding}{first}"), true),
    ];
    let mut file = parse("");
    for (text, is_unread) in &texts {
        file = file.reparse(text).0;
        assert_eq!(is_unread_at_its_end(&file), *is_unread);
        assert_eq!(facts(&file), facts(&parse(text)));
    }
}

#[test]
fn a_long_block_has_one_token() {
    let long = format!("a = [{}]\n", "1, ".repeat(400_000));
    let file = parse(&format!("{long}b = 1\n"));
    assert_eq!(file.errors().count(), 0);
    assert_eq!(file.body().attributes().count(), 2);
    let tokens = |segment: syntax::Segment<'_>| {
        let tree = segment.parsed.syntax();
        let elements = tree.descendants_with_tokens();
        elements.filter_map(|element| element.into_token()).count()
    };
    let counts: Vec<usize> = file.segments().map(tokens).collect();
    assert_eq!(counts, [1, 6]);
}

fn is_unread_at_its_end(file: &File) -> bool {
    let mut errors = file.errors();
    errors.any(|(_, error)| error.summary == "Too many syntax errors")
}
