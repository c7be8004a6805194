//! The document of a layout as one HTML page that needs nothing else: no files, no network, and no
//! script except for the filter.

mod keyspace;
mod store;

use crate::{
    frame::{SCRIPT, STYLE, shell},
    part::{
        claims, prefix_map, source,
        text::{anchor, clean, prose, table},
    },
};
use keyscape_inspect::document::facts::{Document, KeyspaceFacts, StoreFacts, TypeFacts};
use maud::{Markup, PreEscaped, html};

pub(crate) use keyspace::{about, body};

/// Renders a document.
pub fn render(document: &Document) -> String {
    let names: Vec<&str> = document.types.iter().map(|facts| facts.name.as_str()).collect();
    let body = html! {
        (prefix_map::patterns())
        (contents(document))
        main id="main" {
            (head(document))
            @for facts in &document.stores { (store::render(facts, &names)) }
            (types(&document.types, &names))
            footer {
                "Computed from the layout by " code { "keyscape doc" }
                ": no count, example or verdict on this page is written by hand."
            }
        }
        script { (PreEscaped(SCRIPT)) }
    };
    let style = html! { style { (PreEscaped(STYLE)) } };
    shell("document", &title(document), &style, &body).into_string() + "\n"
}

/// Returns the name of the system: its stores.
fn title(document: &Document) -> String {
    let stores: Vec<&str> = document.stores.iter().map(|store| store.name.as_str()).collect();
    if stores.is_empty() { document.layout.clone() } else { stores.join(", ") }
}

/// Renders the declared types.
fn types(types: &[TypeFacts], names: &[&str]) -> Markup {
    let row = |facts: &TypeFacts| {
        let id = anchor("type", &facts.name);
        [
            html! { code id=(id) { (clean(&facts.name)) } },
            source::render(&facts.text, names),
            prose(&facts.doc, "purpose"),
        ]
    };
    html! {
        @if !types.is_empty() {
            section #types { h2 { "Types" } (table("types", ["type", "is", "purpose"], types.iter().map(row))) }
        }
    }
}

fn head(document: &Document) -> Markup {
    html! {
        header.top {
            p.eyebrow { (clean(&document.layout)) }
            h1 { (clean(&title(document))) }
            (prose(&document.doc, "lead"))
            (claims::standing(document))
        }
    }
}

/// Renders the list of all stores and keyspaces, with the filter.
fn contents(document: &Document) -> Markup {
    html! {
        nav.contents aria-label="Keyspaces" {
            details open {
                summary { "Keyspaces" }
                p.filter hidden {
                    input #filter type="search" placeholder="Filter keyspaces" aria-label="Filter keyspaces";
                }
                @for store in &document.stores {
                    h2 { a href=(format!("#{}", anchor("store", &store.name))) { (clean(&store.name)) } }
                    ul { @for keyspace in &store.keyspaces { (entry(store, keyspace)) } }
                }
                @if !document.types.is_empty() { h2 { a href="#types" { "Types" } } }
            }
        }
    }
}

fn entry(store: &StoreFacts, keyspace: &KeyspaceFacts) -> Markup {
    let worst = claims::worst(&keyspace.claims);
    let name = clean(&keyspace.name);
    html! {
        li.inner[keyspace.hash.is_some()] data-name=(name) {
            a href=(format!("#{}", anchor(&store.name, &keyspace.name))) {
                span class=(format!("dot {}", worst.word())) title=(worst.word()) role="img" aria-label=(worst.word()) {} (name)
            }
        }
    }
}
