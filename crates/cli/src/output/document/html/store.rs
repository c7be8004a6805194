//! One store as HTML: its counts, its prefix space, its namespaces and its keyspaces.

use super::{
    keyspace, prefix_map, table, tally,
    text::{anchor, code, escape, prose, runs},
};
use crate::output::{
    bytes::hex,
    document::{
        facts::{KeyspaceFacts, NamespaceFacts, RangeFacts, StoreFacts},
        prose, words,
    },
};
use keyscape_layout::prefix_map::{PrefixMap, Status};

pub(super) fn render(store: &StoreFacts) -> String {
    let mut text = format!(
        "<section class=\"store\" id=\"{}\">\n<p class=\"eyebrow\">Store</p>\n<h2>{}</h2>\n{}",
        anchor("store", &store.name),
        escape(&store.name),
        prose(&store.doc, "lead"),
    );
    let maps: String = store.maps.iter().map(|map| first_bytes(store, map)).collect();
    text.push_str(&format!("<div class=\"overview\">\n{}{maps}</div>\n", counts(store)));
    for facts in &store.namespaces {
        text.push_str(&namespace(store, facts));
    }
    text.push_str(&overview(store));
    for facts in &store.keyspaces {
        text.push_str(&keyspace::render(&store.name, facts));
    }
    text.push_str("</section>\n");
    text
}

fn counts(store: &StoreFacts) -> String {
    let counts = &store.counts;
    let mut rows: Vec<(String, String)> = Vec::new();
    let mut row = |name: &str, text: String| rows.push((name.to_owned(), text));
    if let Some(version) = store.version {
        row("version", version.to_string());
    }
    let backend = store.backend.map_or("none is named".to_owned(), |backend| {
        format!("{}: {}", code(backend.name), escape(backend.because))
    });
    row("backend", backend);
    let kinds = words::listed(&counts.kinds);
    row("keyspaces", format!("<b>{}</b>: {kinds}", counts.keyspaces));
    for (name, count) in [
        ("hash fields", counts.hash_fields),
        ("families", counts.families),
        ("namespaces", counts.namespaces),
    ] {
        if count > 0 {
            row(name, format!("<b>{count}</b>"));
        }
    }
    row("scans", format!("<b>{}</b>, {} of them in order", counts.scans, counts.ordered_scans));
    row("claims", tally(store.tally));
    let rows: String =
        rows.iter().map(|(name, text)| format!("<dt>{name}</dt><dd>{text}</dd>\n")).collect();
    format!("<dl class=\"counts\">\n{rows}</dl>\n")
}

fn first_bytes(store: &StoreFacts, map: &PrefixMap) -> String {
    let family = map.family.as_ref().map(|family| format!(", family {}", code(family)));
    format!(
        "<figure>\n{}<figcaption>The first byte of keys{}{}</figcaption></figure>\n",
        prefix_map::render(&store.name, map, None),
        family.unwrap_or_default(),
        prefix_map::legend(map, &[])
    )
}

fn namespace(store: &StoreFacts, facts: &NamespaceFacts) -> String {
    let map = &facts.map;
    let sentence = format!(
        "{} in it. Of the 256 bytes that may follow the prefix: {} used, {} reserved, {} \
         deprecated, {} free.",
        words::counted(facts.keyspaces, "keyspace"),
        map.used(),
        map.count(Status::Reserved),
        map.count(Status::Deprecated),
        map.free(),
    );
    let ranges: String =
        facts.ranges.iter().enumerate().map(|(index, found)| range(index, found)).collect();
    let retired: Vec<Vec<String>> = facts
        .retired
        .iter()
        .map(|entry| {
            let word = if entry.deprecated { "deprecated" } else { "reserved" };
            let prefix = code(&format!("0x{}", hex(&entry.prefix)));
            vec![prefix, word.to_owned(), escape(&entry.reason)]
        })
        .collect();
    format!(
        "<section class=\"namespace\" id=\"{}\">\n<p class=\"eyebrow\">Namespace</p>\n\
         <h3>{} <code>0x{}</code></h3>\n{}<div class=\"overview\">\n<div>\n<p>{sentence}</p>\n\
         {ranges}{}</div>\n<figure>\n{}<figcaption>The byte behind <code>0x{}</code>{}</figcaption>\
         </figure>\n</div>\n</section>\n",
        anchor(&store.name, &format!("namespace-{}", facts.name)),
        escape(&facts.name),
        hex(&facts.prefix),
        prose(&facts.doc, "doc"),
        table("retired", &["prefix", "is", "because"], &retired),
        prefix_map::render(&store.name, map, Some(facts)),
        hex(&facts.prefix),
        prefix_map::legend(map, &facts.ranges),
    )
}

/// A range with a bar: how much of it is used, retired and left.
fn range(index: usize, range: &RangeFacts) -> String {
    let (low, high) = (hex(&range.low), hex(&range.high));
    let (bar, words) = match range.usage {
        Some(usage) => {
            let total = (usage.used + usage.reserved + usage.deprecated + usage.free).max(1);
            let part = |count: usize, class: &str| {
                let per_mille = count * 1000 / total;
                let (whole, tenth) = (per_mille / 10, per_mille % 10);
                format!("<i class=\"{class}\" style=\"width:{whole}.{tenth}%\"></i>")
            };
            let bar = [
                part(usage.used, "used"),
                part(usage.reserved, "reserved"),
                part(usage.deprecated, "deprecated"),
            ];
            let mut words = vec![format!("{} used", usage.used)];
            for (count, word) in [(usage.reserved, "reserved"), (usage.deprecated, "deprecated")] {
                words.extend((count > 0).then(|| format!("{count} {word}")));
            }
            words.push(format!("{} free", usage.free));
            (bar.concat(), words.join(", "))
        }
        None => (String::new(), "not counted".to_owned()),
    };
    format!(
        "<div class=\"range r{}\"><p><b>{}</b> <code>0x{low}</code> to <code>0x{high}</code> \
         <span>{} allocated: {words}</span></p><div class=\"bar\">{bar}</div></div>\n",
        index % 4,
        escape(&range.name),
        range.size,
    )
}

/// Code, if there is any.
fn brief(text: &str) -> String {
    if text.is_empty() { String::new() } else { code(text) }
}

fn overview(store: &StoreFacts) -> String {
    let rows: Vec<Vec<String>> = store
        .keyspaces
        .iter()
        .map(|facts: &KeyspaceFacts| {
            let id = anchor(&store.name, &facts.name);
            vec![
                format!("<a href=\"#{id}\">{}</a>", escape(&facts.name)),
                facts.kind.to_owned(),
                code(&facts.pattern),
                brief(&facts.brief),
                runs(&prose::first(&facts.doc)),
            ]
        })
        .collect();
    table("all", &["keyspace", "kind", "key", "value", "purpose"], &rows)
}
