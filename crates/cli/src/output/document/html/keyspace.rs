//! One keyspace as HTML.

use super::{
    claims, diagram, names, table,
    text::{anchor, code, escape, prose, runs},
};
use crate::output::{
    bytes::hex,
    document::{
        facts::{KeyspaceFacts, ScanFacts},
        words,
    },
};

pub(super) fn render(store: &str, facts: &KeyspaceFacts) -> String {
    let proved = facts.claims.iter().filter(|claim| claim.verdict == "proved").count();
    let mut text = format!(
        "<article id=\"{}\" data-name=\"{name}\">\n<header><h3>{name}</h3> <span class=\"kind\">{}\
         </span> <span class=\"chip {}\">{proved} of {} proved</span></header>\n",
        anchor(store, &facts.name),
        facts.kind,
        claims::worst(&facts.claims).word(),
        words::counted(facts.claims.len(), "claim"),
        name = escape(&facts.name),
    );
    text.push_str(&prose(&facts.doc, "doc"));
    if let Some(reason) = &facts.deprecated {
        let reason = escape(reason);
        text.push_str(&format!("<p class=\"note\">Deprecated: {reason}</p>\n"));
    }
    text.push_str(&about(facts));
    text.push_str(&diagram::boxes(&facts.parts));
    match &facts.example {
        Ok(example) => text.push_str(&diagram::example(example, &facts.parts)),
        Err(reason) => {
            let reason = escape(reason);
            text.push_str(&format!("<p class=\"note\">There is no example: {reason}.</p>\n"));
        }
    }
    let mut rows = Vec::new();
    diagram::rows(&facts.parts, 0, &mut rows);
    text.push_str(&table("parts", &["part", "at", "bytes", "codec", "allowed"], &rows));
    text.push_str(&separators(facts));
    let scans: Vec<Vec<String>> = facts.scans.iter().map(scan).collect();
    let heads = ["scan", "reads", "for the example", "rows exact", "in order"];
    text.push_str(&table("scans", &heads, &scans));
    text.push_str(&claims::render(&facts.claims));
    text.push_str("</article>\n");
    text
}

/// The length of keys, what a row holds, and what the keyspace belongs to.
fn about(facts: &KeyspaceFacts) -> String {
    let mut parts = vec![format!("keys of {}", words::bytes_long(facts.length))];
    for (word, text) in facts.holds() {
        parts.push(format!("{word} {}", code(text)));
    }
    for (word, name) in
        [("index of", &facts.of), ("field of", &facts.hash), ("family", &facts.family)]
    {
        parts.extend(name.as_ref().map(|name| format!("{word} {}", code(name))));
    }
    parts.extend(facts.namespace.as_ref().map(|name| format!("namespace {}", code(name))));
    parts.extend(facts.range.as_ref().map(|name| format!("range {}", code(name))));
    for (is, word) in
        [(facts.unique, "unique"), (facts.counted, "counted"), (facts.ranked, "ranked")]
    {
        parts.extend(is.then(|| word.to_owned()));
    }
    format!("<p class=\"about\">{}</p>\n", parts.join(" · "))
}

fn separators(facts: &KeyspaceFacts) -> String {
    if facts.separators.is_empty() {
        return String::new();
    }
    let items: String = facts
        .separators
        .iter()
        .map(|separator| {
            let (safe, why) = words::split(separator);
            let (class, lead) =
                if safe { ("safe", "Safe to split here") } else { ("unsafe", "Do not split here") };
            format!("<li class=\"{class}\"><b>{lead}:</b> {}.</li>\n", runs(&why))
        })
        .collect();
    format!("<ul class=\"separators\">\n{items}</ul>\n")
}

fn scan(scan: &ScanFacts) -> Vec<String> {
    let mut reads = runs(&words::interval(scan));
    if !scan.also.is_empty() {
        reads.push_str(&format!("; rows of {} may lie between", names(&scan.also)));
    }
    let interval = scan.reads.as_ref().map(|reads| {
        let low = code(&hex(&reads.low));
        match &reads.high {
            Some(high) => format!("{low} to below {}", code(&hex(high))),
            None if reads.low.is_empty() => "all".to_owned(),
            None => format!("{low} to the end"),
        }
    });
    let order =
        scan.ordered.map(|outcome| format!("by {} {}", names(&scan.by), claims::chip(outcome)));
    vec![
        code(&scan.name),
        reads,
        interval.unwrap_or_default(),
        claims::chip(scan.exact),
        order.unwrap_or_default(),
    ]
}
