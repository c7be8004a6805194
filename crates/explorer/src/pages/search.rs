//! Search over stores, keyspaces, fields and types.

use crate::{
    ask::Ask,
    link,
    part::text::{clean, code, runs},
    reply::{Problem, Reply},
};
use keyscape_inspect::document::{
    facts::type_text,
    prose::{Run, first},
};
use keyscape_layout::traverse::{ItemKind, traverse};
use maud::html;
use serde_json::{Value, json};

/// The maximum number of results.
const MAX_HITS: usize = 200;

struct Hit {
    what: &'static str,
    name: String,
    /// The keyspace or the definition that the hit belongs to.
    of: String,
    address: Option<String>,
    doc: Vec<Run>,
}

/// Shows the names that contain the words of the query.
pub(super) fn show(ask: &Ask) -> Result<Reply, Problem> {
    let wanted = ask.get("q").unwrap_or_default().trim().to_lowercase();
    let mut hits = if wanted.is_empty() { Vec::new() } else { find(ask, &wanted) };
    // Names that begin with the words come first.
    hits.sort_by_key(|hit| !hit.name.to_lowercase().starts_with(&wanted));
    let more = hits.len().saturating_sub(MAX_HITS);
    hits.truncate(MAX_HITS);
    if ask.wants_json {
        let list: Vec<Value> = hits
            .iter()
            .map(|hit| json!({"what": hit.what, "name": hit.name, "of": hit.of, "address": hit.address}))
            .collect();
        return Ok(Reply::Json(json!(list)));
    }
    let body = html! {
        header.top { p.eyebrow { "Search" } h1 { @if wanted.is_empty() { "Search" } @else { "“" (clean(&wanted)) "”" } } }
        @if hits.is_empty() {
            p.empty { @if wanted.is_empty() { "Type the name of a keyspace, a field or a type." } @else { "Nothing has this name." } }
        }
        ul.hits {
            @for hit in &hits {
                li {
                    span.kind { (hit.what) } " "
                    @match &hit.address {
                        Some(address) => { a.strong href=(address) { (clean(&hit.name)) } },
                        None => { b { (clean(&hit.name)) } },
                    }
                    @if !hit.of.is_empty() { " " (code(&hit.of)) }
                    @if !hit.doc.is_empty() { p.note { (runs(&hit.doc)) } }
                }
            }
        }
        @if more > 0 { p.note { "and " (more) " more" } }
    };
    Ok(Reply::page("Search", body))
}

fn find(ask: &Ask, wanted: &str) -> Vec<Hit> {
    let layout = ask.layout();
    let has = |text: &str| text.to_lowercase().contains(wanted);
    let mut hits = Vec::new();
    for id in layout.keyspace_ids() {
        let keyspace = layout.keyspace(id);
        let store = &layout.store(keyspace.store).name;
        let address = Some(link::keyspace(&ask.base, layout, id));
        if has(&format!("{store}/{}", keyspace.name)) || keyspace.doc.iter().any(|line| has(line)) {
            let (name, of, doc) = (keyspace.name.clone(), store.clone(), first(&keyspace.doc));
            hits.push(Hit { what: "keyspace", name, of, address: address.clone(), doc });
        }
        for item in traverse(&keyspace.key) {
            let path = item.path.text();
            if matches!(item.kind, ItemKind::Field(_)) && has(&path) {
                let of = format!("{store}/{}", keyspace.name);
                let doc = Vec::new();
                hits.push(Hit { what: "field", name: path, of, address: address.clone(), doc });
            }
        }
    }
    for ty in layout.types.iter().filter(|ty| has(&ty.name) || ty.doc.iter().any(|line| has(line)))
    {
        let (name, of, doc) = (ty.name.clone(), type_text(&ty.ty), first(&ty.doc));
        hits.push(Hit { what: "type", name, of, address: None, doc });
    }
    hits
}
