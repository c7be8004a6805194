//! Text with the colours of a terminal as HTML.

use maud::{Markup, html};

/// Renders text with escape sequences of colours; other sequences are left out.
pub(crate) fn render(text: &str) -> Markup {
    let mut pieces = text.trim_end().split("\u{1b}[");
    let first = pieces.next().unwrap_or_default();
    let mut class = String::new();
    let mut runs = vec![(String::new(), first.to_owned())];
    for piece in pieces {
        let Some((codes, rest)) = piece.split_once('m') else { continue };
        for code in codes.split(';') {
            match name(code) {
                Some(name) => class = format!("{class} {name}").trim().to_owned(),
                None => class.clear(),
            }
        }
        if !rest.is_empty() {
            runs.push((class.clone(), rest.to_owned()));
        }
    }
    html! {
        pre.drawing tabindex="0" {
            @for (class, text) in &runs {
                @if class.is_empty() { (printable(text)) } @else { span class=(class) { (printable(text)) } }
            }
        }
    }
}

/// Returns the class of a code; `None` for the code that ends all styles.
fn name(code: &str) -> Option<&'static str> {
    Some(match code {
        "1" => "t-bold",
        "2" => "t-faint",
        "31" | "91" => "t-red",
        "32" | "92" => "t-green",
        "33" | "93" => "t-yellow",
        "34" | "94" => "t-blue",
        "35" | "95" => "t-magenta",
        "36" | "96" => "t-cyan",
        _ => return None,
    })
}

/// Replaces control characters except ends of lines.
fn printable(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(super::text::clean).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::render;

    #[test]
    fn colours_become_classes_and_text_stays_text() {
        let page = render("a \u{1b}[1m\u{1b}[91m<b>\u{1b}[0m c\u{1b}[2J\n").into_string();
        assert!(page.contains(">a <span class=\"t-bold t-red\">&lt;b&gt;</span> c"), "{page}");
        assert!(!page.contains('\u{1b}'));
    }
}
