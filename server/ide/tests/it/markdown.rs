//! Markdown of anything, read by a CommonMark parser.

use fixture::hostile::PIECES;
use fixture::protocol::links;
use ide::Markdown;

use crate::random::Random;

/// Some strings of pieces that mean something together.
fn strings() -> impl Iterator<Item = String> {
    let mut random = Random(0);
    let string = move || {
        let count = 1 + random.below(16);
        (0..count).map(|_| *random.pick(PIECES)).collect()
    };
    std::iter::repeat_with(string).take(4_000)
}

#[test]
fn documentation_has_no_links_but_to_https_pages() {
    for source in strings() {
        let markdown = Markdown::documentation(&source).to_markdown();
        let found = links(&markdown).unwrap_or_else(|live| panic!("{live}\nfrom {source:?}"));
        let is_page = |link: &String| link.starts_with("https://");
        assert!(found.iter().all(is_page), "{found:?} from {source:?}");
    }
}

#[test]
fn text_and_code_have_no_links() {
    for source in strings() {
        let mut all = Markdown::heading(source.clone());
        all.push(Markdown::text(source.clone()));
        all.push(Markdown::code(source.clone()));
        all.push(Markdown::code_block("terraform", source.clone()));
        all.push(Markdown::diff(source.clone()));
        all.push(Markdown::text("the end"));
        let markdown = all.to_markdown();
        assert_eq!(links(&markdown), Ok(Vec::new()), "{source:?}");
        // Nothing in it swallows what follows.
        assert!(markdown.ends_with("\n\nthe end"), "{markdown:?}");
    }
}

/// Cases that parsers other than ours read otherwise.
#[test]
fn ambiguous_markdown_is_not_written() {
    let check = |source: &str, expected: &str| {
        assert_eq!(Markdown::documentation(source).to_markdown(), expected);
    };
    // A run of tildes and backticks.
    check("~~`![](x)` <b>~~", r"\~\~`![](x)` \~\~");
    // Brackets in the text of a link.
    check(
        r"[a\]\[b\](command:c)](https://a.example)",
        "[a&#93;&#91;b&#93;(command:c)](https://a.example)",
    );
    // An address that is whole once what stands in it is lost.
    check(
        "www</b>.a.example http:</b>//a.example",
        r"www\.a.example http:\//a.example",
    );
}
