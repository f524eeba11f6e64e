//! Words are for people: where nobody can read the summaries, details and caveats, the same edits and lenses are
//! offered, and the same duplicates are hidden.

use std::collections::BTreeMap;

use ide::{Action, ActionKind, CODES, CodeLens, Effect};
use refactor::Edits;
use text::{Fault, Severity, TextRange};

use crate::support::Opened;

#[derive(PartialEq, Debug)]
struct Shown {
    /// Where, how loud, which, and the fault as data.
    diagnostics: Vec<(TextRange, Severity, &'static str, Fault)>,
    /// By title, with how many diagnostics each mends.
    actions: BTreeMap<String, (ActionKind, bool, Effect, usize)>,
    all_fixes: Option<Edits>,
    lenses: Vec<CodeLens>,
}

fn shown(text: &str) -> (Shown, Vec<String>) {
    let opened = Opened::new(text);
    let diagnostics = opened.diagnostics();
    let (snapshot, open) = (&opened.snapshot, &opened.open);
    let whole = TextRange::up_to(text::TextSize::of(opened.files.0[open.path()].as_str()));
    let actions = snapshot.actions(open, whole, &opened.files, &|_| true);
    let described = |it: Action| {
        let fixed = it.fixes.len();
        (it.title, (it.kind, it.is_preferred, it.effect, fixed))
    };
    let words = diagnostics.iter().map(|it| it.message()).collect();
    let mut diagnostics: Vec<_> = diagnostics
        .into_iter()
        .map(|it| {
            (
                it.range,
                it.diagnostic.severity,
                it.diagnostic.code,
                it.diagnostic.fault,
            )
        })
        .collect();
    // Those at one place are in the order of their words.
    diagnostics.sort_by_key(|(range, _, code, fault)| {
        (range.start(), range.end(), *code, format!("{fault:?}"))
    });
    let shown = Shown {
        diagnostics,
        actions: actions.into_iter().map(described).collect(),
        all_fixes: snapshot.resolve_action(open, ActionKind::FixAll),
        lenses: snapshot.code_lenses(open),
    };
    (shown, words)
}

/// A fixture shows the same when nobody can read its words.
pub fn check_scrambled(text: &str) {
    let (plain, words) = shown(text);
    let (scrambled, hidden) = text::scrambled(|| shown(text));
    assert_eq!(plain, scrambled, "{text}");
    for word in hidden.iter().filter(|it| !it.is_empty()) {
        assert!(word.chars().all(|c| c.is_ascii_hexdigit()), "{word}");
        assert!(!words.contains(word), "{word}");
    }
    assert_eq!(words.len(), hidden.len());
}

#[test]
fn nothing_reads_the_words_of_a_diagnostic() {
    let examples = CODES.iter().filter_map(|code| code.example.as_deref());
    let mut count = 0;
    for example in examples {
        check_scrambled(example);
        count += 1;
    }
    assert!(count > 100, "{count} examples");
}

#[test]
fn nothing_reads_the_words_of_a_caveat() {
    for text in [
        "resource \"random_pet\" \"a\" {\n}\n\nresource \"random_pet\" \"b\" {\n  count = terraform_data.a.id\n}\n\n\
         resource \"terraform_data\" \"a\" {\n}\n",
        "resource \"terraform_data\" \"a\" {\n  input = terraform_data.b.id\n}\n\n\
         resource \"terraform_data\" \"b\" {\n  input = terraform_data.a.id\n}\n",
        "resource \"terraform_data\" \"a\" {\n  for_each = [\"x\"]\n}\n\n\
         resource \"terraform_data\" \"b\" {\n  input = terraform_data.a\n}\n",
        "data \"random_pet\" \"a\" {\n}\n\nterraform {\n  backend \"s3\" {\n  }\n}\n",
    ] {
        check_scrambled(text);
        let lenses = shown(text).0.lenses;
        assert!(
            lenses.iter().any(|lens| lens.title.starts_with('?')),
            "{text}{lenses:#?}"
        );
    }
}
