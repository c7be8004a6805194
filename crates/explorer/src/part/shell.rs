//! The parts that every HTML page has.

use super::text::clean;
use maud::{Markup, PreEscaped, html};

/// Puts a head and a body into an HTML page. `class` is that of the body.
pub(crate) fn render(class: &str, title: &str, head: &Markup, body: &Markup) -> Markup {
    html! {
        (PreEscaped("<!doctype html>"))
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (clean(title)) }
                (head)
            }
            body class=(class) {
                a.skip href="#main" { "Skip to the content" }
                (body)
            }
        }
    }
}
