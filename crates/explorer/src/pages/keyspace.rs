//! A keyspace: its key, a form of its scans, and a page of rows.

mod form;
mod query;

use crate::{
    ask::Ask,
    document, link,
    part::{
        claims, diagram,
        text::{clean, many, number, prose},
    },
    reply::{Problem, Reply},
};
use axum::http::StatusCode;
use keyscape_diagnostics::bytes::hex;
use keyscape_inspect::{
    database::{Entry, Page, space_name},
    document::facts::{Document, KeyspaceFacts, Outcome},
    entry_cells, entry_json,
};
use keyscape_layout::{Layout, model::KeyspaceId};
use maud::{Markup, html};
use query::Query;
use serde_json::{Value, json};

pub(super) use query::PARAMETERS;

/// Shows a keyspace.
pub(super) fn show(ask: &Ask) -> Result<Reply, Problem> {
    let id = ask.keyspace()?;
    let document = ask.shared.document(ask.deadline);
    let facts = document.as_deref().and_then(|document| facts(document, ask.layout(), id));
    let found = Query::new(ask, id).and_then(|query| {
        let page = query.page(ask)?;
        Ok((query, page))
    });
    if ask.wants_json {
        let (query, page) = found?;
        return Ok(Reply::Json(as_json(ask, id, &query, &page)));
    }
    let layout = ask.layout();
    let keyspace = layout.keyspace(id);
    let body = html! {
        header.top {
            p.eyebrow {
                a href=(format!("{}/", ask.base)) { (clean(&layout.store(keyspace.store).name)) }
                " · " @if let Some(facts) = facts { (facts.kind) }
            }
            h1 { (clean(&keyspace.name)) }
        }
        @if let Some(facts) = facts { (head(facts)) }
        section.rows aria-label="Rows" {
            h2 { "Rows" }
            (form::render(ask, id, facts))
            @match &found {
                Ok((query, page)) => { (rows(ask, id, query, page)) },
                Err(problem) => { (problem.inline()) },
            }
        }
        @if let Some(facts) = facts {
            details.about-key open[!facts.claims.is_empty() && claims::worst(&facts.claims) != Outcome::Proved] {
                summary { "Everything about this keyspace" }
                (document::body(facts, &[]))
                (claims::render(&facts.claims))
            }
        }
    };
    let status = found.as_ref().err().map_or(StatusCode::OK, Problem::status);
    Ok(Reply::page(keyspace.name.clone(), body).with_status(status))
}

/// Finds the facts of a keyspace.
pub(super) fn facts<'d>(
    document: &'d Document,
    layout: &Layout,
    id: KeyspaceId,
) -> Option<&'d KeyspaceFacts> {
    let keyspace = layout.keyspace(id);
    let store = layout.store(keyspace.store);
    let facts = document.stores.iter().find(|facts| facts.name == store.name)?;
    facts.keyspaces.iter().find(|facts| facts.name == keyspace.name)
}

fn head(facts: &KeyspaceFacts) -> Markup {
    html! {
        (prose(&facts.doc, "lead"))
        @if let Some(reason) = &facts.deprecated { p.note { "Deprecated: " (clean(reason)) } }
        (document::about(facts, &[]))
        (diagram::boxes(&facts.parts))
        @if let Ok(example) = &facts.example { (diagram::example(example, &facts.parts)) }
    }
}

fn rows(ask: &Ask, id: KeyspaceId, query: &Query, page: &Page) -> Markup {
    let layout = ask.layout();
    let space = space_name(layout, id);
    let heads = entry_cells::head(layout, &query.filter);
    html! {
        @if page.rows.is_empty() {
            p.empty { @if page.is_cut { "No matching rows among the " (number(page.read)) " that were read." } @else { "No rows." } }
        } @else {
            div.scroll role="region" aria-label="Rows" tabindex="0" {
                table.data {
                    thead { tr { @for head in &heads { th scope="col" { (clean(head)) } } th scope="col" { "key" } } }
                    tbody {
                        @for (key, entry) in &page.rows {
                            tr {
                                @for cell in entry_cells::cells(layout, &query.filter, entry) { td { (cut(&cell)) } }
                                td { a.key-link href=(link::row(&ask.base, &space, key)) { code { (short(key)) } } }
                            }
                        }
                    }
                }
            }
        }
        @if page.is_cut && !page.rows.is_empty() { p.note { "The page ends early: " (many(page.read, "row")) " read." } }
        @if page.faults.unknown > 0 { p.warning { "Rows between these that fit no keyspace: " (number(page.faults.unknown)) "." } }
        (pager(ask, query, page))
    }
}

/// Renders at most 120 characters of a cell. The page of the row shows the rest.
fn cut(cell: &str) -> Markup {
    const MAX: usize = 120;
    match cell.char_indices().nth(MAX) {
        Some((at, _)) => html! { (clean(cell.get(..at).unwrap_or(cell))) "…" },
        None => html! { (clean(cell)) },
    }
}

/// Returns both ends of a long key.
pub(super) fn short(key: &[u8]) -> String {
    match (key.get(..10), key.get(key.len().saturating_sub(4)..)) {
        (Some(head), Some(tail)) if key.len() > 16 => format!("{}…{}", hex(head), hex(tail)),
        _ if key.is_empty() => "(empty)".to_owned(),
        _ => hex(key),
    }
}

/// Links to the next and the previous page. They contain keys, so they stay right while rows are
/// written.
fn pager(ask: &Ask, query: &Query, page: &Page) -> Markup {
    let (previous, next) = query.neighbours(page);
    html! {
        nav.pager aria-label="Pages of rows" {
            @match previous {
                Some(key) => { a rel="prev" href=(query.address(ask, "before", &key)) { "← Previous" } },
                None => { span.off { "← Previous" } },
            }
            @if query.has_cursor() { a href=(query.first(ask)) { "First page" } }
            @match next {
                Some(key) => { a rel="next" href=(query.address(ask, "after", &key)) { "Next →" } },
                None => { span.off { "Next →" } },
            }
        }
    }
}

fn as_json(ask: &Ask, id: KeyspaceId, query: &Query, page: &Page) -> Value {
    let layout = ask.layout();
    let space = space_name(layout, id);
    let rows = page.rows.iter().map(|(key, entry)| {
        let mut row = entry_value(layout, entry);
        row["key"] = json!(hex(key));
        row["row"] = json!(link::row(&ask.base, &space, key));
        row
    });
    let rows: Vec<Value> = rows.collect();
    let (previous, next) = query.neighbours(page);
    json!({
        "store": layout.store(layout.keyspace(id).store).name,
        "keyspace": layout.keyspace(id).name,
        "rows": rows,
        "next": next.map(|key| query.address(ask, "after", &key)),
        "previous": previous.map(|key| query.address(ask, "before", &key)),
        "read": page.read,
        "complete": !page.is_cut,
    })
}

/// Returns an entry as JSON, in the format of `export`.
pub(super) fn entry_value(layout: &Layout, entry: &Entry) -> Value {
    let mut line = Vec::new();
    entry_json::put_line(layout, entry, &mut line);
    serde_json::from_slice(&line).unwrap_or_default()
}
