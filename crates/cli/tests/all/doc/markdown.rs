//! The complete document as Markdown.

use super::harness::{BANK, MODULE, doc, layout};

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
fn a_document_warns_about_separators_inside_fields() {
    let text =
        doc(concat!(env!("CARGO_MANIFEST_DIR"), "/../../layouts/bank/documented.keys"), "markdown");
    assert!(
        text.contains("- **Do not split here**: `\"/\"` can be part of `address`, as in `\"/\"`."),
        "{text}"
    );
    assert!(text.contains("**Not every claim holds:** 5 proved, 2 refuted"), "{text}");
    assert!(text.contains("| KS002 unambiguous | every key has one reading | **refuted**: key 0x"));
}

#[test]
fn parts_of_a_wrap_have_the_codecs_that_are_written() {
    let text = "store s\nmap rows = 0x01 wrap groups8({a: u16be} {b: u8} {c: text[0..=20]}) {d: groups8(text[0..=9])}\n";
    let (_directory, path) = layout("wrap.keys", text);
    for format in ["markdown", "html", "json"] {
        let text = doc(&path, format);
        assert!(!text.contains("groups8_"), "{text}");
        assert_eq!(text.matches("in groups of eight bytes").count() % 3, 0, "{text}");
    }
    let text = doc(&path, "markdown");
    assert!(text.contains("an integer from 0 to 65535, in groups of eight bytes"), "{text}");
    assert!(text.contains("`groups8(text[0..=9])`"), "{text}");
    assert_eq!(text.matches("in groups of eight bytes").count(), 3, "{text}");
}

#[test]
fn types_and_wraps_are_documented_as_they_are_written() {
    let text = r#"store s
/// The account that owns the row.
///
/// Never empty.
type Owner =
    len8(bytes[1..=20])
type Odd = text(r"[`|<>]+")
namespace n = 0x02 {
    map rows = "b" wrap escaped({x: Owner} "/" {y: text[0..=4]}) [wrap hex({z: u8} 0x01)]
}
map plain = 0x01 {x: Owner}
"#;
    let (_directory, path) = layout("types.keys", text);
    let markdown = doc(&path, "markdown");
    for line in [
        "## Types",
        "| `Owner` | `len8(bytes[1..=20])` | The account that owns the row.<br>Never empty. |",
        "<code>text(r&#34;&#91;&#96;&#124;&#60;&#62;&#93;&#43;&#34;)</code>",
        "`0x02 \"b\" wrap escaped({x} \"/\" {y}) [wrap hex({z} 0x01)]`",
        "`0x01 {x}`",
    ] {
        assert!(markdown.contains(line), "{line}\n{markdown}");
    }
    let html = doc(&path, "html");
    assert!(html.contains("<title>s</title>"), "{html}");
    assert!(html.contains("<p class=\"purpose\">The account that owns the row.</p>"), "{html}");
    assert!(html.contains("wrap escaped({x} &quot;/&quot; {y})"), "{html}");
    let json: serde_json::Value = serde_json::from_str(&doc(&path, "json")).unwrap();
    assert_eq!(json["types"][0]["name"], "Owner");
    assert_eq!(json["types"][0]["doc"], "The account that owns the row.\n\nNever empty.");
    assert_eq!(json["types"][0]["is"], "len8(bytes[1..=20])");
}
