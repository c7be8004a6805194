//! The document of a layout as Markdown.

mod keyspace;
mod text;

use super::{
    bytes::hex,
    document::{
        facts::{
            Document, KeyspaceFacts, NamespaceFacts, RangeFacts, StoreFacts, TypeFacts,
            VerdictCounts,
        },
        prose, words,
    },
};
use keyscape_layout::prefix_map::{Cell, PrefixMap};
use text::{code, runs, table};

/// Renders a document as Markdown.
pub(crate) fn render(document: &Document) -> String {
    let mut out = format!("# Layout {}\n\n", code(&document.layout));
    paragraphs(&document.doc, &mut out);
    out.push_str(&format!("{}\n\n", verdict(document)));
    out.push_str(
        "Everything below is computed from the layout by `keyscape doc`: no count, example or \
         verdict is written by hand.\n\n",
    );
    for facts in &document.stores {
        store(facts, &mut out);
    }
    types(&document.types, &mut out);
    let end = out.trim_end().len();
    out.truncate(end);
    out.push('\n');
    out
}

fn types(types: &[TypeFacts], out: &mut String) {
    let row = |facts: &TypeFacts| {
        let purpose: Vec<String> =
            prose::paragraphs(&facts.doc).iter().map(|paragraph| runs(paragraph)).collect();
        vec![code(&facts.name), code(&facts.text), purpose.join("<br>")]
    };
    let rows: Vec<Vec<String>> = types.iter().map(row).collect();
    if !rows.is_empty() {
        out.push_str("## Types\n\n");
        out.push_str(&table(&["type", "is", "purpose"], &rows));
    }
}

fn verdict(document: &Document) -> String {
    format!("**{}:** {}.", text::text(&words::verdict(document)), tally(document.tally))
}

fn tally(tally: VerdictCounts) -> String {
    let VerdictCounts { proved, refuted, unknown, accepted } = tally;
    format!("{proved} proved, {refuted} refuted, {unknown} unknown, {accepted} accepted")
}

fn paragraphs(doc: &[String], out: &mut String) {
    for paragraph in prose::paragraphs(doc) {
        out.push_str(&runs(&paragraph));
        out.push_str("\n\n");
    }
}

fn store(store: &StoreFacts, out: &mut String) {
    out.push_str(&format!("## Store {}\n\n", code(&store.name)));
    paragraphs(&store.doc, out);
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut row = |name: &str, text: String| rows.push(vec![name.to_owned(), text]);
    if let Some(version) = store.version {
        row("version", version.to_string());
    }
    let backend = store.backend.map_or("none is named".to_owned(), |backend| {
        format!("{}: {}", code(backend.name), text::text(backend.because))
    });
    row("backend", backend);
    let counts = &store.counts;
    row("keyspaces", format!("{}: {}", counts.keyspaces, words::joined_counts(&counts.kinds)));
    for (name, count) in [
        ("hash fields", counts.hash_fields),
        ("families", counts.families),
        ("namespaces", counts.namespaces),
    ] {
        if count > 0 {
            row(name, count.to_string());
        }
    }
    row("scans", format!("{}, {} of them in order", counts.scans, counts.ordered_scans));
    row("claims", tally(store.tally));
    let of_family = |map: &PrefixMap| match &map.family {
        Some(family) => format!(" of family {}", code(family)),
        None => String::new(),
    };
    for map in &store.maps {
        let usage = map.usage();
        let bytes = format!("{} used, {} free", usage.used, usage.free);
        row(&format!("first bytes{}", of_family(map)), bytes);
    }
    out.push_str(&table(&["", ""], &rows));
    for map in &store.maps {
        out.push_str(&format!("### First bytes{}\n\n", of_family(map)));
        prefixes(map, out);
    }
    for facts in &store.namespaces {
        namespace(facts, out);
    }
    overview(&store.keyspaces, out);
    for facts in &store.keyspaces {
        keyspace::render(facts, out);
    }
}

fn namespace(facts: &NamespaceFacts, out: &mut String) {
    let NamespaceFacts { name, prefix, keyspaces, map, .. } = facts;
    out.push_str(&format!("### Namespace {} = `0x{}`\n\n", code(name), hex(prefix)));
    paragraphs(&facts.doc, out);
    let usage = map.usage();
    out.push_str(&format!(
        "{} in it. Of the 256 bytes that may follow the prefix: {} used, {} reserved, {} \
         deprecated, {} free.\n\n",
        words::counted(*keyspaces, "keyspace"),
        usage.used,
        usage.reserved,
        usage.deprecated,
        usage.free,
    ));
    let ranges: Vec<Vec<String>> = facts.ranges.iter().map(range).collect();
    let heads = ["range", "prefixes", "allocated", "used", "reserved", "deprecated", "free"];
    out.push_str(&table(&heads, &ranges));
    let retired: Vec<Vec<String>> = facts
        .retired
        .iter()
        .map(|entry| {
            let prefix = format!("`0x{}`", hex(&entry.prefix));
            vec![prefix, entry.word().to_owned(), text::text(&entry.reason)]
        })
        .collect();
    out.push_str(&table(&["prefix", "is", "because"], &retired));
    prefixes(map, out);
}

fn range(range: &RangeFacts) -> Vec<String> {
    let mut cells = vec![
        code(&range.name),
        format!("`0x{}` to `0x{}`", hex(&range.low), hex(&range.high)),
        range.size.to_string(),
    ];
    match range.usage {
        Some(usage) => cells.extend(
            [usage.used, usage.reserved, usage.deprecated, usage.free].map(|n| n.to_string()),
        ),
        None => cells.extend(["not counted"; 4].map(str::to_owned)),
    }
    cells
}

/// Renders the bytes in use, grouped by their use.
fn prefixes(map: &PrefixMap, out: &mut String) {
    let is_same = |a: &Cell, b: &Cell| {
        (a.status, &a.keyspaces, &a.namespaces) == (b.status, &b.keyspaces, &b.namespaces)
    };
    let byte = |cell: &Cell| match cell.byte.is_ascii_graphic() {
        true => format!("`0x{:02x}` {}", cell.byte, code(&char::from(cell.byte).to_string())),
        false => format!("`0x{:02x}`", cell.byte),
    };
    let list =
        |names: &[String]| names.iter().map(|name| code(name)).collect::<Vec<_>>().join(", ");
    let is_in_namespace = |cell: &Cell| !cell.keyspaces.is_empty() && !cell.namespaces.is_empty();
    let has_namespaces = map.cells.iter().any(is_in_namespace);
    let mut rows: Vec<Vec<String>> = Vec::new();
    for chunk in map.cells.chunk_by(is_same) {
        let (Some(first), Some(last)) = (chunk.first(), chunk.last()) else { continue };
        if first.keyspaces.is_empty() {
            continue;
        }
        let bytes = match first.byte == last.byte {
            true => byte(first),
            false => format!("{} to {}", byte(first), byte(last)),
        };
        let mut row = vec![bytes, list(&first.keyspaces)];
        row.extend(has_namespaces.then(|| list(&first.namespaces)));
        rows.push(row);
    }
    let heads = ["byte", "keyspaces", "namespace"];
    out.push_str(&table(if has_namespaces { &heads } else { &heads[..2] }, &rows));
}

fn overview(keyspaces: &[KeyspaceFacts], out: &mut String) {
    let rows: Vec<Vec<String>> = keyspaces
        .iter()
        .map(|facts| {
            vec![
                code(&facts.name),
                facts.kind.to_owned(),
                code(&facts.pattern),
                code(&facts.brief),
                runs(&prose::first(&facts.doc)),
            ]
        })
        .collect();
    out.push_str("### Keyspaces\n\n");
    out.push_str(&table(&["keyspace", "kind", "key", "value", "purpose"], &rows));
}
