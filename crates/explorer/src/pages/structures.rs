//! Structures: hashes, sets, zsets and queues.

use crate::{
    ask::Ask,
    link,
    part::text::{clean, code, prose, runs, table},
    reply::{Problem, Reply},
};
use keyscape_diagnostics::{
    bytes::hex,
    datum::{Extent, line, scalar},
};
use keyscape_inspect::{
    database::{Entry, listing_family, structures},
    document::prose::first,
};
use keyscape_layout::{
    Datum, Record, field, kind_name,
    model::{KeyspaceId, Segment, Type},
};
use maud::html;
use serde_json::{Value, json};
use std::ops::ControlFlow;

/// The number of structures on a page.
const SIZE: usize = 50;

/// Lists the keyspaces of structures.
pub(super) fn all(ask: &Ask) -> Result<Reply, Problem> {
    let layout = ask.layout();
    let is_structure = |id: &KeyspaceId| {
        let keyspace = layout.keyspace(*id);
        keyspace.hash.is_none() && listing_family(keyspace.kind).is_some()
    };
    let ids: Vec<KeyspaceId> = layout.keyspace_ids().filter(is_structure).collect();
    if ask.wants_json {
        let list = ids.iter().map(|id| {
            let keyspace = layout.keyspace(*id);
            let store = &layout.store(keyspace.store).name;
            json!({"store": store, "keyspace": keyspace.name, "kind": kind_name(keyspace.kind)})
        });
        return Ok(Reply::Json(list.collect()));
    }
    let row = |id: &KeyspaceId| {
        let keyspace = layout.keyspace(*id);
        let store = &layout.store(keyspace.store).name;
        [
            html! { a.strong href=(link::structures(&ask.base, store, &keyspace.name)) { (clean(&keyspace.name)) } },
            html! { (kind_name(keyspace.kind)) },
            html! { (clean(store)) },
            runs(&first(&keyspace.doc)),
        ]
    };
    let body = html! {
        header.top { p.eyebrow { "Database" } h1 { "Structures" }
            p.lead { "Hashes, sets, zsets and queues. Each has a key of its own and any number of fields or members." } }
        @if ids.is_empty() { p.empty { "The layout has no structures." } }
        (table("all", ["keyspace", "kind", "store", "purpose"], ids.iter().map(row)))
    };
    Ok(Reply::page("Structures", body))
}

/// Lists the structures of a keyspace.
pub(super) fn show(ask: &Ask) -> Result<Reply, Problem> {
    let id = ask.keyspace()?;
    let layout = ask.layout();
    let keyspace = layout.keyspace(id);
    let base = ask.database();
    let after = ask.key("after")?;
    let found = structures(&base, id, after.as_deref(), SIZE + 1, || match ask.is_late() {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    })?;
    let next = found.get(SIZE).and_then(|_| found.get(SIZE - 1)).map(|(_, start)| start.clone());
    let found = found.get(..SIZE).unwrap_or(&found);
    let here = link::structures(&ask.base, ask.segment(0), ask.segment(1));
    let next =
        next.map(|start| format!("{here}{}", link::query([("after", hex(&start).as_str())])));
    if ask.wants_json {
        let list: Vec<Value> = found
            .iter()
            .map(|(entry, start)| {
                json!({
                    "key": line(&keyspace.key, &entry.key, Extent::Whole),
                    "records": hex(start),
                    "contents": contents(ask, id, entry),
                })
            })
            .collect();
        return Ok(Reply::Json(json!({"structures": list, "next": next})));
    }
    let row = |(entry, start): &(Entry, Vec<u8>)| {
        let text = line(&keyspace.key, &entry.key, Extent::Whole);
        let name = html! { a.strong href=(contents(ask, id, entry)) { (clean(&text)) } };
        [name, code(&hex(start))]
    };
    let body = html! {
        header.top {
            p.eyebrow { a href=(format!("{}/structures", ask.base)) { "Structures" } " · " (kind_name(keyspace.kind)) }
            h1 { (clean(&keyspace.name)) }
            (prose(&keyspace.doc, "lead"))
            p { a href=(link::keyspace(&ask.base, layout, id)) { "All contents, with the form of the keyspace" } }
        }
        @if found.is_empty() { p.empty { "There are no structures." } }
        (table("data", ["structure", "records begin with"], found.iter().map(row)))
        nav.pager aria-label="Pages of structures" {
            @if after.is_some() { a href=(here) { "First page" } }
            @match &next { Some(next) => { a rel="next" href=(next) { "Next →" } }, None => { span.off { "Next →" } } }
        }
    };
    Ok(Reply::page(keyspace.name.clone(), body))
}

/// Returns the address of the contents of a structure.
fn contents(ask: &Ask, id: KeyspaceId, entry: &Entry) -> String {
    let layout = ask.layout();
    let mut pairs = Vec::new();
    fill(&layout.keyspace(id).key, &entry.key, "f.", &mut pairs);
    let pairs: Vec<(&str, &str)> =
        pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    format!("{}{}", link::keyspace(&ask.base, layout, id), link::query(pairs))
}

/// Lists the fields of a key as the form takes them.
fn fill(segments: &[Segment], record: &Record, outer: &str, out: &mut Vec<(String, String)>) {
    for (name, datum) in &record.0 {
        let ty = field(segments, name).map(|field| &*field.ty);
        match (ty, datum) {
            (Some(Type::Composite(inner)), Datum::Record(record)) => {
                fill(inner, record, &format!("{outer}{name}."), out);
            }
            (ty, Datum::Leaf(_) | Datum::Name(_)) => {
                out.push((format!("{outer}{name}"), scalar(ty, datum, Extent::Whole)));
            }
            (ty, datum) => {
                let mut text = Vec::new();
                keyscape_diagnostics::json::put_datum(ty, datum, &mut text);
                out.push((format!("{outer}{name}"), String::from_utf8_lossy(&text).into_owned()));
            }
        }
    }
}
