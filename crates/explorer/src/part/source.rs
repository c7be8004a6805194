//! Source text of layouts, with colours and links to types.

use super::text::anchor;
use maud::{Markup, html};

/// The words of the language in keys, types and values.
const KEYWORDS: &[&str] = &["as", "const", "empty", "if", "json", "list", "proto", "shown", "wrap"];

/// Renders a piece of a layout. Names in `types` link to their declarations.
pub(crate) fn render(text: &str, types: &[&str]) -> Markup {
    html! {
        code.source {
            @for (kind, piece) in pieces(&super::text::clean(text)) {
                @match kind {
                    Kind::Word if types.contains(&piece.as_str()) => {
                        a.type href=(format!("#{}", anchor("type", &piece))) { (piece) }
                    },
                    Kind::Word if KEYWORDS.contains(&piece.as_str()) => { span.s-word { (piece) } },
                    Kind::Text => { span.s-text { (piece) } },
                    Kind::Number => { span.s-number { (piece) } },
                    Kind::Word | Kind::Other => { (piece) },
                }
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Word,
    Text,
    Number,
    Other,
}

/// Splits text into words, texts, numbers and the rest.
fn pieces(text: &str) -> Vec<(Kind, String)> {
    let mut pieces: Vec<(Kind, String)> = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(first) = chars.next() {
        let mut piece = String::from(first);
        let kind = match first {
            '"' => {
                let mut escaped = false;
                for char in chars.by_ref() {
                    piece.push(char);
                    if char == '"' && !escaped {
                        break;
                    }
                    escaped = char == '\\' && !escaped;
                }
                Kind::Text
            }
            first if first.is_alphanumeric() || first == '_' => {
                while let Some(char) = chars.next_if(|char| char.is_alphanumeric() || *char == '_')
                {
                    piece.push(char);
                }
                if first.is_ascii_digit() { Kind::Number } else { Kind::Word }
            }
            _ => Kind::Other,
        };
        pieces.push((kind, piece));
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::render;

    #[test]
    fn types_are_linked_and_texts_are_not() {
        let page = render("{a: Id} \"Id<\\\"\" 0x01 Identity", &["Id"]).into_string();
        assert_eq!(page.matches("href").count(), 1, "{page}");
        assert!(page.contains("<a class=\"type\" href=\"#type-Id\">Id</a>"), "{page}");
        assert!(
            page.contains("<span class=\"s-text\">&quot;Id&lt;\\&quot;&quot;</span>"),
            "{page}"
        );
        assert!(page.contains("<span class=\"s-number\">0x01</span>"), "{page}");
    }
}
