//! The document as Markdown, as a whole.

use super::harness::{BANK, MODULE, doc};

#[test]
fn the_bank_reads_like_a_document() {
    insta::assert_snapshot!(doc(BANK, "markdown"));
}

#[test]
fn namespaces_options_and_lists_read_like_a_document() {
    insta::assert_snapshot!(doc(MODULE, "markdown"));
}

#[test]
fn a_document_is_the_same_every_time() {
    for format in ["markdown", "html", "json"] {
        assert_eq!(doc(MODULE, format), doc(MODULE, format), "{format}");
    }
}

#[test]
fn a_separator_that_a_field_may_hold_is_not_to_be_split_at() {
    let text =
        doc(concat!(env!("CARGO_MANIFEST_DIR"), "/../../layouts/bank/documented.keys"), "markdown");
    assert!(
        text.contains("- **Do not split here**: `\"/\"` can be part of `address`, as in `\"/\"`."),
        "{text}"
    );
    assert!(text.contains("**Not every claim holds:** 5 proved, 2 refuted"), "{text}");
    assert!(text.contains("| KS002 unambiguous | every key has one reading | **refuted**: key 0x"));
}
