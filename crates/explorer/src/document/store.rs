//! One store as HTML: its counts, its prefix space, its namespaces and its keyspaces.

use super::keyspace;
use crate::part::{
    claims, prefix_map,
    text::{anchor, clean, code, prose, runs, table},
};
use keyscape_diagnostics::bytes::hex;
use keyscape_inspect::document::{
    facts::{KeyspaceFacts, NamespaceFacts, RangeFacts, StoreFacts},
    prose, words,
};
use keyscape_layout::prefix_map::Cell;
use maud::{Markup, html};

pub(super) fn render(store: &StoreFacts, types: &[&str]) -> Markup {
    html! {
        section.store id=(anchor("store", &store.name)) {
            p.eyebrow { "Store" }
            h2 { (clean(&store.name)) }
            (prose(&store.doc, "lead"))
            div.overview {
                (counts(store))
                @for map in &store.maps { (prefix_map::first_bytes(map, &|cell| target(store, cell))) }
            }
            @for facts in &store.namespaces { (namespace(store, facts)) }
            (overview(store))
            @for facts in &store.keyspaces { (keyspace::render(&store.name, facts, types)) }
        }
    }
}

fn counts(store: &StoreFacts) -> Markup {
    let counts = &store.counts;
    html! {
        dl.counts {
            @if let Some(version) = store.version { dt { "version" } dd { (version) } }
            dt { "backend" }
            dd {
                @match store.backend {
                    Some(backend) => { (code(backend.name)) ": " (clean(backend.because)) },
                    None => { "none is named" },
                }
            }
            dt { "keyspaces" }
            dd { b { (counts.keyspaces) } ": " (words::joined_counts(&counts.kinds)) }
            @for (name, count) in [
                ("hash fields", counts.hash_fields),
                ("families", counts.families),
                ("namespaces", counts.namespaces),
            ] {
                @if count > 0 { dt { (name) } dd { b { (count) } } }
            }
            dt { "scans" }
            dd { b { (counts.scans) } ", " (counts.ordered_scans) " of them in order" }
            dt { "claims" }
            dd { (claims::tally(store.tally)) }
        }
    }
}

/// Returns the anchor that a square leads to.
fn target(store: &StoreFacts, cell: &Cell) -> Option<String> {
    let id = match (cell.namespaces.first(), cell.keyspaces.as_slice()) {
        (Some(name), _) => anchor(&store.name, &format!("namespace-{name}")),
        (None, [name, ..]) => anchor(&store.name, name),
        (None, []) => return None,
    };
    Some(format!("#{id}"))
}

fn namespace(store: &StoreFacts, facts: &NamespaceFacts) -> Markup {
    let map = &facts.map;
    let retired = facts.retired.iter().map(|entry| {
        let prefix = code(&format!("0x{}", hex(&entry.prefix)));
        [prefix, html! { (entry.word()) }, html! { (clean(&entry.reason)) }]
    });
    let usage = map.usage();
    html! {
        section.namespace id=(anchor(&store.name, &format!("namespace-{}", facts.name))) {
            p.eyebrow { "Namespace" }
            h3 { (clean(&facts.name)) " " code { "0x" (hex(&facts.prefix)) } }
            (prose(&facts.doc, "doc"))
            div.overview {
                div {
                    p {
                        (words::counted(facts.keyspaces, "keyspace")) " in it. Of the 256 bytes that may follow the prefix: "
                        (usage.used) " used, " (usage.reserved) " reserved, "
                        (usage.deprecated) " deprecated, " (usage.free) " free."
                    }
                    @for (index, found) in facts.ranges.iter().enumerate() { (range(index, found)) }
                    (table("retired", ["prefix", "is", "because"], retired))
                }
                figure {
                    (prefix_map::render(map, Some(facts), &|cell| target(store, cell)))
                    figcaption {
                        "The byte after " code { "0x" (hex(&facts.prefix)) }
                        (prefix_map::legend(map, &facts.ranges))
                    }
                }
            }
        }
    }
}

/// Renders a range with a bar that shows how much of it is used, retired and left.
fn range(index: usize, range: &RangeFacts) -> Markup {
    let (parts, words) = match range.usage {
        Some(usage) => {
            let total = (usage.used + usage.reserved + usage.deprecated + usage.free).max(1);
            let mut x = 0;
            let mut part = |class: &'static str, count: usize| {
                let width = count * 1000 / total;
                x += width;
                (class, x - width, width)
            };
            let parts = [
                part("used", usage.used),
                part("reserved", usage.reserved),
                part("deprecated", usage.deprecated),
            ];
            let mut words = vec![format!("{} used", usage.used)];
            for (count, word) in [(usage.reserved, "reserved"), (usage.deprecated, "deprecated")] {
                words.extend((count > 0).then(|| format!("{count} {word}")));
            }
            words.push(format!("{} free", usage.free));
            (parts.to_vec(), words.join(", "))
        }
        None => (Vec::new(), "not counted".to_owned()),
    };
    html! {
        div class=(format!("range r{}", index % 4)) {
            p {
                b { (clean(&range.name)) } " " code { "0x" (hex(&range.low)) } " to "
                code { "0x" (hex(&range.high)) } " " span { (range.size) " allocated: " (words) }
            }
            svg.bar viewBox="0 0 1000 8" preserveAspectRatio="none" aria-hidden="true" {
                @for (class, x, width) in parts {
                    rect class=(class) x=(x) y="0" width=(width) height="8" {}
                }
            }
        }
    }
}

fn overview(store: &StoreFacts) -> Markup {
    let row = |facts: &KeyspaceFacts| {
        [
            html! { a href=(format!("#{}", anchor(&store.name, &facts.name))) { (clean(&facts.name)) } },
            html! { (facts.kind) },
            code(&facts.pattern),
            html! { @if !facts.brief.is_empty() { (code(&facts.brief)) } },
            runs(&prose::first(&facts.doc)),
        ]
    };
    let heads = ["keyspace", "kind", "key", "value", "purpose"];
    table("all", heads, store.keyspaces.iter().map(row))
}
