//! The frame of every page: head, navigation and search.

use crate::{ask::Ask, part::text};
use maud::{Markup, PreEscaped, html};

/// The style sheet of all pages and documents.
pub(crate) const STYLE: &str = include_str!("style.css");
/// The script: conveniences that no page depends on.
pub(crate) const SCRIPT: &str = include_str!("script.js");

/// The pages of the navigation.
const PAGES: [(&str, &str); 5] = [
    ("/", "Overview"),
    ("/structures", "Structures"),
    ("/decode", "Decode"),
    ("/audit", "Audit"),
    ("/diff", "Diff"),
];

/// Puts a body into the frame.
pub(crate) fn page(ask: &Ask, title: &str, body: &Markup, is_live: bool) -> Markup {
    let base = &ask.base;
    let name = ask.shared.name();
    let wanted = if ask.page == "/search" { ask.get("q").unwrap_or_default() } else { "" };
    let head = html! {
        @if is_live { meta http-equiv="refresh" content="1"; }
        link rel="stylesheet" href=(format!("{base}/style.css"));
        script src=(format!("{base}/script.js")) defer {}
    };
    let body = html! {
        header.bar {
            a.brand href=(format!("{base}/")) { span.mark aria-hidden="true" { "K" } (text::clean(&name)) }
            nav aria-label="Pages" {
                @for (path, word) in PAGES {
                    a href=(format!("{base}{path}")) aria-current=[(ask.page == path).then_some("page")] { (word) }
                }
            }
            form.search action=(format!("{base}/search")) role="search" {
                input type="search" name="q" value=(wanted) placeholder="Search" aria-label="Search keyspaces, fields and types";
            }
        }
        main id="main" { (body) }
    };
    shell("explorer", &format!("{title} · {name}"), &head, &body)
}

/// Renders the body of a page that reports a problem.
pub(crate) fn problem(title: &str, help: Option<&str>) -> Markup {
    html! {
        header.top { h1 { "This page cannot be shown" } }
        (inline_problem(title, help))
    }
}

/// Renders a problem as a part of a page.
pub(crate) fn inline_problem(title: &str, help: Option<&str>) -> Markup {
    html! {
        section.problem role="alert" {
            p { b { "error: " } (text::prose_line(title)) }
            @if let Some(help) = help { p.help { b { "help: " } (text::prose_line(help)) } }
        }
    }
}

/// Puts a head and a body into an HTML page. `class` is that of the body.
pub(crate) fn shell(class: &str, title: &str, head: &Markup, body: &Markup) -> Markup {
    html! {
        (PreEscaped("<!doctype html>"))
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (text::clean(title)) }
                (head)
            }
            body class=(class) {
                a.skip href="#main" { "Skip to the content" }
                (body)
            }
        }
    }
}
