//! Text in HTML, such that nothing that a layout says is markup.

use crate::output::document::prose::{Run, clean, paragraphs};

/// Text for an element or an attribute in double quotes.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::new();
    for char in clean(text).chars() {
        match char {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            char => escaped.push(char),
        }
    }
    escaped
}

/// Code.
pub(super) fn code(text: &str) -> String {
    format!("<code>{}</code>", escape(text))
}

/// Words and code.
pub(super) fn runs(runs: &[Run]) -> String {
    runs.iter()
        .map(|run| match run {
            Run::Text(text) => escape(text),
            Run::Code(text) => code(text),
        })
        .collect()
}

/// The paragraphs of a doc comment.
pub(super) fn prose(doc: &[String], class: &str) -> String {
    let paragraph = |found: &Vec<Run>| format!("<p class=\"{class}\">{}</p>\n", runs(found));
    paragraphs(doc).iter().map(paragraph).collect()
}

/// The name of an anchor: letters, digits and few signs, whatever the names are.
pub(super) fn anchor(store: &str, name: &str) -> String {
    let plain = |text: &str| -> String {
        text.chars()
            .map(|char| if char.is_alphanumeric() || "._-".contains(char) { char } else { '-' })
            .collect()
    };
    format!("{}-{}", plain(store), plain(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_becomes_text() {
        assert_eq!(
            escape("<a href=\"x\" onclick='y'>&amp;</a>"),
            "&lt;a href=&quot;x&quot; onclick=&#39;y&#39;&gt;&amp;amp;&lt;/a&gt;"
        );
        assert_eq!(anchor("a\"b", "<c>"), "a-b--c-");
    }
}
