//! Documents that an editor has open: their text, and the words in it.

use text::Document;

#[test]
fn a_word_is_found_wherever_the_text_is_divided() {
    let word = "module";
    for before in (0..4_000).chain([100_000]) {
        let document = Document::new(1, &format!("{}é{word}é", "x".repeat(before)));
        assert!(document.contains(word), "after {before} bytes");
        assert!(!document.contains("modules"));
    }
    assert!(!Document::new(1, "").contains(word));
}

#[test]
fn a_document_has_its_text_alone() {
    let text = "é".repeat(5_000);
    let document = Document::new(1, &text);
    assert_eq!(document.text(), text);
    assert!(document.has_text(&text));
    assert!(!document.has_text(&text[2..]));
}
