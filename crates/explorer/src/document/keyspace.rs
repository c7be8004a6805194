//! One keyspace as HTML.

use crate::part::{
    claims, diagram, source,
    text::{anchor, clean, code, names, prose, runs, table},
};
use keyscape_diagnostics::bytes::hex;
use keyscape_inspect::document::{
    facts::{KeyspaceFacts, ScanFacts},
    words,
};
use maud::{Markup, html};

pub(super) fn render(store: &str, facts: &KeyspaceFacts, types: &[&str]) -> Markup {
    let proved = facts.claims.iter().filter(|claim| claim.verdict == "proved").count();
    let name = clean(&facts.name);
    let chip = format!("chip {}", claims::worst(&facts.claims).word());
    html! {
        article id=(anchor(store, &facts.name)) data-name=(name) {
            header {
                h3 { (name) } " " span.kind { (facts.kind) } " "
                span class=(chip) { (proved) " of " (words::counted(facts.claims.len(), "claim")) " proved" }
            }
            (body(facts, types))
            (claims::render(&facts.claims))
        }
    }
}

/// Renders everything about a keyspace except its name and its claims.
pub(crate) fn body(facts: &KeyspaceFacts, types: &[&str]) -> Markup {
    let mut rows = Vec::new();
    diagram::rows(&facts.parts, 0, &mut rows);
    let heads = ["scan", "reads", "for the example", "rows exact", "in order"];
    html! {
        (prose(&facts.doc, "doc"))
        @if let Some(reason) = &facts.deprecated { p.note { "Deprecated: " (clean(reason)) } }
        (about(facts, types))
        (diagram::boxes(&facts.parts))
        @match &facts.example {
            Ok(example) => { (diagram::example(example, &facts.parts)) },
            Err(reason) => { p.note { "There is no example: " (clean(reason)) "." } },
        }
        p.written { (source::render(&facts.written, types)) }
        (table("parts", ["part", "at", "bytes", "codec", "allowed"], rows))
        (separators(facts))
        (table("scans", heads, facts.scans.iter().map(scan)))
    }
}

/// Renders the length of keys, the value of a row, and the declarations that the keyspace belongs
/// to.
pub(crate) fn about(facts: &KeyspaceFacts, types: &[&str]) -> Markup {
    let mut parts = vec![html! { "keys of " (words::bytes_long(facts.length)) }];
    for (word, text) in facts.holds() {
        parts.push(html! { (word) " " (source::render(text, types)) });
    }
    for (word, name) in [
        ("index of", &facts.of),
        ("field of", &facts.hash),
        ("family", &facts.family),
        ("namespace", &facts.namespace),
        ("range", &facts.range),
    ] {
        parts.extend(name.as_ref().map(|name| html! { (word) " " (code(name)) }));
    }
    for (is, word) in
        [(facts.unique, "unique"), (facts.counted, "counted"), (facts.ranked, "ranked")]
    {
        parts.extend(is.then(|| html! { (word) }));
    }
    html! { p.about { @for (index, part) in parts.iter().enumerate() { @if index > 0 { " · " } (part) } } }
}

/// Renders the separators at which a split is safe or not.
fn separators(facts: &KeyspaceFacts) -> Markup {
    html! {
        @if !facts.separators.is_empty() {
            ul.separators {
                @for separator in &facts.separators {
                    @let (safe, why) = words::split(separator);
                    @let (class, lead) =
                        if safe { ("safe", "Safe to split here") } else { ("unsafe", "Do not split here") };
                    li class=(class) { b { (lead) ":" } " " (runs(&why)) "." }
                }
            }
        }
    }
}

fn scan(scan: &ScanFacts) -> [Markup; 5] {
    let reads = html! {
        (runs(&words::interval(scan)))
        @if !scan.also.is_empty() { "; rows of " (names(&scan.also)) " may be among them" }
    };
    let interval = scan.reads.as_ref().map(|reads| {
        let low = code(&hex(&reads.low));
        match &reads.high {
            Some(high) => html! { (low) " to below " (code(&hex(high))) },
            None if reads.low.is_empty() => html! { "all" },
            None => html! { (low) " to the end" },
        }
    });
    let order =
        scan.ordered.map(|outcome| html! { "by " (names(&scan.by)) " " (claims::chip(outcome)) });
    [
        code(&scan.name),
        reads,
        interval.unwrap_or_default(),
        claims::chip(scan.exact),
        order.unwrap_or_default(),
    ]
}
