//! Text components. All text of layouts and rows is escaped.

use keyscape_inspect::document::prose::{self, Run, paragraphs};
use maud::{Markup, html};

pub(crate) use keyscape_inspect::document::prose::clean;

/// Renders code on one line.
pub(crate) fn code(text: &str) -> Markup {
    html! { code { (clean(text)) } }
}

/// Renders words and code.
pub(crate) fn runs(runs: &[Run]) -> Markup {
    html! {
        @for run in runs {
            @match run {
                Run::Text(text) => { (clean(text)) },
                Run::Code(text) => { (code(text)) },
            }
        }
    }
}

/// Renders text with code between backquotes.
pub(crate) fn prose_line(text: &str) -> Markup {
    runs(&prose::runs(text))
}

/// Renders the paragraphs of a doc comment.
pub(crate) fn prose(doc: &[String], class: &str) -> Markup {
    html! { @for paragraph in paragraphs(doc) { p class=(class) { (runs(&paragraph)) } } }
}

/// Renders names as code, separated by commas.
pub(crate) fn names(names: &[String]) -> Markup {
    html! { @for (index, name) in names.iter().enumerate() { @if index > 0 { ", " } (code(name)) } }
}

/// Renders a table with a head, or nothing if it has no rows. It scrolls on a narrow screen.
pub(crate) fn table<const N: usize>(
    class: &str,
    heads: [&str; N],
    rows: impl IntoIterator<Item = [Markup; N]>,
) -> Markup {
    let mut rows = rows.into_iter().peekable();
    html! {
        @if rows.peek().is_some() {
            div.scroll role="region" aria-label=(format!("Table of {}", heads.join(", "))) tabindex="0" {
                table class=(class) {
                    thead { tr { @for head in heads { th scope="col" { (head) } } } }
                    tbody { @for cells in rows { tr { @for cell in cells { td { (cell) } } } } }
                }
            }
        }
    }
}

/// Makes the name of an anchor: letters, digits and few signs.
pub(crate) fn anchor(store: &str, name: &str) -> String {
    let plain = |text: &str| -> String {
        text.chars()
            .map(|char| if char.is_alphanumeric() || "._-".contains(char) { char } else { '-' })
            .collect()
    };
    format!("{}-{}", plain(store), plain(name))
}

/// Formats a number with thin spaces between groups of three digits.
pub(crate) fn number(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// Formats a number with its noun: `1 row`, `2 rows`.
pub(crate) fn many(count: u64, noun: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{} {noun}{ending}", number(count))
}

/// Formats a number of bytes with a unit.
pub(crate) fn size(bytes: u64) -> String {
    let units = [("GiB", 30), ("MiB", 20), ("KiB", 10)];
    match units.into_iter().find(|(_, shift)| bytes >> shift > 0) {
        Some((unit, shift)) => {
            let tenths = (u128::from(bytes) * 10) >> shift;
            format!("{}.{} {unit}", tenths / 10, tenths % 10)
        }
        None => format!("{bytes} B"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_becomes_text() {
        let page = html! { a title=("\"x") { (code("<b>&amp;\u{202e}</b>")) } };
        let expected = "<a title=\"&quot;x\"><code>&lt;b&gt;&amp;amp;\u{fffd}&lt;/b&gt;</code></a>";
        assert_eq!(page.into_string(), expected);
        assert_eq!(anchor("a\"b", "<c>"), "a-b--c-");
    }

    #[test]
    fn numbers_are_grouped() {
        assert_eq!([1, 2000].map(|count| many(count, "row")), ["1 row", "2\u{202f}000 rows"]);
        assert_eq!(
            [7, 1234, 1_234_567].map(number),
            ["7", "1\u{202f}234", "1\u{202f}234\u{202f}567"]
        );
        assert_eq!([7, 1023, 1024, 1_572_864].map(size), ["7 B", "1023 B", "1.0 KiB", "1.5 MiB"]);
    }
}
