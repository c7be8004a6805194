//! Texts of a layout that must be escaped.

use super::{
    harness::{doc, layout},
    html,
};
use serde_json::Value;

const TEXT: &str = r##"//! <script>alert(1)</script> # not a title
//!
//! [click](javascript:alert(2)) | a cell | ![](x) </p></main>
store s
type Odd = "<b>" | "a|b" | "`" | "\"'&"
/// "><img onerror=alert(3)> `code | </code><script>` **bold** <!-- -->
namespace n = 0x01 {
  allocate all 0x00 ..= 0xFF
  reserve 0x02 "</title></svg><script>alert(4)</script> | *x*"
  /// - a list | `unclosed
  map m = 0x01 {odd: Odd} "</div>|" {re: text(r#"[<>"'&|`]{1,3}"#)} "<" {last: u8} -> empty
    scan odd
    accept KS002 "<i>why</i> | not"
}"##;

#[test]
fn no_text_of_a_layout_becomes_markup_of_the_page() {
    let (_directory, path) = layout("<img onload=x>&\"'.keys", TEXT);
    let page = doc(&path, "html");
    assert_eq!(html::check(&page), Ok(()));
    assert_eq!(page.matches("<script>").count(), 1, "only the filter");
    for markup in ["<img", "<b>\"", "<!-- ", "</p></main>", "<i>why", "alert(1)</script>"] {
        assert!(!page.contains(markup), "{markup}");
    }
    for text in [
        "&lt;script&gt;alert(1)&lt;/script&gt;",
        "&lt;/title&gt;&lt;/svg&gt;&lt;script&gt;alert(4)",
        "&lt;img onload=x&gt;&amp;&quot;'.keys",
    ] {
        assert!(page.contains(text), "{text}");
    }
}

#[test]
fn no_text_of_a_layout_becomes_markup_of_the_markdown() {
    let (_directory, path) = layout("odd.keys", TEXT);
    let text = doc(&path, "markdown");
    for markup in ["<script>alert(1)", "[click](", "| a cell |", "![](", "<img", "<!--", "**bold**"]
    {
        assert!(!text.contains(markup), "{markup}\n{text}");
    }
    // All rows of a table have as many cells as its head.
    let mut cells = 0;
    for line in text.lines() {
        let count = line.replace("\\|", "").matches('|').count();
        if line.starts_with('|') && cells > 0 {
            assert_eq!(count, cells, "{line}");
        }
        cells = if line.starts_with('|') { count } else { 0 };
    }
}

#[test]
fn markup_is_escaped_in_text_and_in_code() {
    let (_directory, path) = layout(
        "marks.keys",
        r##"//! # <script>*a* [x](javascript:1) | c ![i](u) &lt; $m$ ~~s~~ a_b
//!
//! 1. one
//!
//! - a
//! - b
store s
type Tick = "a`b" | "`"
type Stroke = text(r"[`|<]+\|")
map m = 0x01 {tick: Tick} "|" {stroke: Stroke} -> empty
"##,
    );
    let text = doc(&path, "markdown");
    for escaped in [
        "\\# &lt;script&gt;\\*a\\* \\[x\\](javascript:1) \\| c \\!\\[i\\](u) &amp;lt; \\$m\\$ \
         \\~\\~s\\~\\~ a\\_b\n",
        "\n1\\. one\n",
        "\n\\- a - b\n",
        "``a`b``, `` ` ``",
        "<code>text(r&#34;&#91;&#96;&#124;&#60;&#93;&#43;&#92;&#124;&#34;)</code>",
    ] {
        assert!(text.contains(escaped), "{escaped}\n{text}");
    }
}

#[test]
fn texts_are_whole_in_json() {
    let (_directory, path) = layout("odd.keys", TEXT);
    let document: Value = serde_json::from_str(&doc(&path, "json")).unwrap();
    assert!(document["doc"].as_str().unwrap().starts_with("<script>alert(1)</script>"));
    let retired = &document["stores"][0]["namespaces"][0]["retired"][0];
    assert_eq!(retired["reason"], "</title></svg><script>alert(4)</script> | *x*");
}
