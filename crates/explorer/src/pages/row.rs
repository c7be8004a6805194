//! A row: every byte of its key named, its value, its index entries and its neighbours.

use super::keyspace::{entry_value, short};
use crate::{
    ask::Ask,
    link,
    part::{
        key,
        text::{clean, many, prose_line},
    },
    reply::{Problem, Reply},
};
use keyscape_diagnostics::bytes::hex;
use keyscape_inspect::{
    database::{Body, DatabaseError, DynamicIndex, Entry, OpenDatabase, Stored, space_name},
    document::words,
    entry_cells, expected,
    input::key::read_hex,
};
use keyscape_layout::{Decoded, Layout, model::KeyspaceId};
use keyscape_store::{KeyRange, Read, ReadExt, Snapshot, StoreId};
use maud::{Markup, html};
use serde_json::{Value, json};

/// The maximum number of bytes of a value that a page shows in hexadecimal.
const MAX_BYTES: usize = 1024;
/// The length of the longest value on one line.
const MAX_LINE: usize = 200;

/// A stored row with the rows that it refers to.
struct StoredRow<'a> {
    space: &'a str,
    key: Vec<u8>,
    value: Vec<u8>,
    /// `None` if no keyspace has the key.
    entry: Option<Entry>,
    related: Vec<Related>,
    /// The key of the row before this one.
    previous: Option<Vec<u8>>,
    next: Option<Vec<u8>>,
}

/// An index entry of a row, or the row of an entry.
struct Related {
    keyspace: String,
    space: String,
    key: Vec<u8>,
    /// Whether the row exists, or the reason why its key cannot be computed.
    state: Result<bool, String>,
}

/// Shows a row.
pub(super) fn show(ask: &Ask) -> Result<Reply, Problem> {
    let base = ask.database();
    let space = ask.segment(0);
    let mut key = Vec::new();
    read_hex(ask.segment(1).as_bytes(), &mut key).map_err(|error| {
        Problem::input(format!("`{}` is not a key: {error}", ask.segment(1)), None)
    })?;
    if !base.db.spaces().iter().skip(1).any(|(_, known)| known == space) {
        return Err(Problem::missing(format!("the database has no store `{space}`"), None));
    }
    let state = base.db.read()?;
    let store = StoreId::of(space);
    let Some(value) = state.get(store, &key)? else {
        let help =
            Some("it may have been deleted; its keyspace lists the rows that exist".to_owned());
        return Err(Problem::missing(
            format!("store `{space}` has no row `0x{}`", hex(&key)),
            help,
        ));
    };
    let entry = base.reader.read(space, &key, &value).ok();
    let related = match &entry {
        Some(entry) => related(&base, &state, entry, &value)?,
        None => Vec::new(),
    };
    let neighbour = |range: KeyRange<'_>| -> Result<Option<Vec<u8>>, Problem> {
        let mut rows = state.rows(store, range.after(&key).expecting(1))?;
        Ok(rows.next()?.map(|row| row.key.to_vec()))
    };
    let (previous, next) = (neighbour(KeyRange::all().backward())?, neighbour(KeyRange::all())?);
    let row = StoredRow { space, key, value, entry, related, previous, next };
    match ask.wants_json {
        true => Ok(Reply::Json(row.as_json(ask, &base))),
        false => Ok(row.render(ask, &base)),
    }
}

impl StoredRow<'_> {
    fn render(&self, ask: &Ask, base: &OpenDatabase<'_>) -> Reply {
        let Self { space, key, value, entry, related, previous, next } = self;
        let layout = ask.layout();
        let explained = base.reader.explain(space, key);
        let record = record(base, entry.as_ref(), key);
        let body = html! {
            header.top {
                p.eyebrow {
                    a href=(format!("{}/", ask.base)) { (clean(space)) }
                    @if let Some(entry) = entry {
                        " · " a href=(link::keyspace(&ask.base, layout, entry.keyspace)) { (clean(&layout.keyspace(entry.keyspace).name)) }
                    }
                }
                h1.hex-title { "0x" (short(key)) }
            }
            section {
                h2 { "Key" }
                p.copy { code.whole data-copy="" { "0x" (hex(key)) } " " span.note { (many(key.len() as u64, "byte")) } }
                @match (&record, &explained) {
                    (Some((records, decoded)), _) => {
                        @for reading in &decoded.readings { (key::render_record(records, key, reading)) }
                    },
                    (None, Some((read, decoded))) if !decoded.readings.is_empty() => {
                        @for reading in &decoded.readings {
                            @if decoded.readings.len() > 1 { h3 { (clean(&layout.keyspace(reading.keyspace).name)) } }
                            (key::render(layout, read, reading))
                        }
                        @if read != key { p.note { "The stored key has further bytes around this key of a structure." } }
                    },
                    (None, Some((read, _))) => {
                        p.warning { "No keyspace has this key. "
                            @if let Some((_, miss)) = base.reader.nearest(space, key) { "Nearest: " (prose_line(&expected::sentence(layout, read, &miss))) } }
                    },
                    (None, None) => { p.warning { "No keyspace of the layout has keys of this form." } },
                }
            }
            section {
                h2 { "Value" }
                @if let Some(entry) = entry { (value_of(ask, entry)) }
                (raw(value))
            }
            @if !related.is_empty() {
                section { h2 { "Leads to" } ul.related { @for one in related { (lead(ask, one)) } } }
            }
            nav.pager aria-label="Neighbours" {
                @for (word, rel, found) in [("← Previous row", "prev", previous), ("Next row →", "next", next)] {
                    @match found {
                        Some(key) => { a rel=(rel) href=(link::row(&ask.base, space, key)) { (word) " " code { (short(key)) } } },
                        None => { span.off { (word) } },
                    }
                }
            }
        };
        let title = match entry {
            Some(entry) => format!("{} {}", layout.keyspace(entry.keyspace).name, short(key)),
            None => short(key),
        };
        Reply::page(title, body)
    }

    fn as_json(&self, ask: &Ask, base: &OpenDatabase<'_>) -> Value {
        let Self { space, key, value, entry, related, previous, next } = self;
        let layout = ask.layout();
        let readings: Vec<Value> =
            base.reader.explain(space, key).map_or_else(Vec::new, |(read, decoded)| {
                decoded.readings.iter().map(|reading| key::json(layout, &read, reading)).collect()
            });
        let record = record(base, entry.as_ref(), key).and_then(|(records, decoded)| {
            Some(key::record_json(&records, key, decoded.readings.first()?))
        });
        let related: Vec<Value> = related
            .iter()
            .map(|one| {
                json!({
                    "keyspace": one.keyspace,
                    "key": hex(&one.key),
                    "exists": one.state.as_ref().ok(),
                    "problem": one.state.as_ref().err(),
                })
            })
            .collect();
        json!({
            "space": space,
            "key": hex(key),
            "value": hex(value),
            "entry": entry.as_ref().map(|entry| entry_value(layout, entry)),
            "readings": readings,
            "record": record,
            "related": related,
            "previous": previous.as_ref().map(|key| link::row(&ask.base, space, key)),
            "next": next.as_ref().map(|key| link::row(&ask.base, space, key)),
        })
    }
}

/// Decodes all bytes of a record of a structure. Fails for a rank, which has no member of its own.
fn record(base: &OpenDatabase<'_>, entry: Option<&Entry>, key: &[u8]) -> Option<(Layout, Decoded)> {
    let (records, decoded) = base.reader.explain_record(entry?.keyspace, key)?;
    (!decoded.readings.is_empty()).then_some((records, decoded))
}

fn value_of(ask: &Ask, entry: &Entry) -> Markup {
    let layout = ask.layout();
    let json = entry_value(layout, entry);
    let (id, stored) = (entry.value_keyspace(), entry.value());
    let is_nested = json.get("value").is_some_and(|value| value.is_object() || value.is_array());
    let is_shown = |(name, _): &(&String, &Value)| match name.as_str() {
        "store" | "keyspace" | "fields" | "family" => false,
        "value" => is_nested,
        _ => true,
    };
    let members = json.as_object().into_iter().flatten().filter(is_shown);
    html! {
        @if matches!(stored, Some(Stored::Raw(_))) && layout.keyspace(id).value.is_some() {
            p.warning { "The value does not have the form that the layout declares." }
        }
        @if matches!(stored, Some(Stored::Reads(_))) { p.note { "The value has the older form that the layout still reads." } }
        @if let (Some(stored), false) = (stored, is_nested) {
            @let text = entry_cells::stored(layout, id, stored);
            @if !text.is_empty() && text.len() <= MAX_LINE { p.value-line { (clean(&text)) } }
            @else if !text.is_empty() { pre.json { (clean(&text)) } }
        }
        dl.counts {
            @for (name, value) in members {
                dt { (name) }
                dd { @match value {
                    Value::Object(_) | Value::Array(_) => { pre.json { (serde_json::to_string_pretty(value).unwrap_or_default()) } },
                    Value::String(text) => { (clean(text)) },
                    other => { (other.to_string()) },
                } }
            }
        }
    }
}

fn raw(value: &[u8]) -> Markup {
    let shown = value.get(..MAX_BYTES).unwrap_or(value);
    html! {
        details.raw {
            summary { (many(value.len() as u64, "byte")) " as stored" }
            pre.bytes-dump { @for (index, line) in shown.chunks(16).enumerate() {
                (format!("{:6}  {:48} {}\n", index * 16, words::spaced(line), words::characters(line)))
            } @if shown.len() < value.len() { "…" } }
        }
    }
}

/// Returns the entries of a row of a map, or the row of an entry.
fn related(
    base: &OpenDatabase<'_>,
    state: &Snapshot<'_>,
    entry: &Entry,
    value: &[u8],
) -> Result<Vec<Related>, DatabaseError> {
    let layout = base.layout;
    let mut found = Vec::new();
    let mut add = |id: KeyspaceId, key: Result<Vec<u8>, String>| -> Result<(), DatabaseError> {
        let space = space_name(layout, id);
        let (key, state) = match key {
            Ok(key) => {
                let exists = state.contains(StoreId::of(&space), &key)?;
                (key, Ok(exists))
            }
            Err(reason) => (Vec::new(), Err(reason)),
        };
        found.push(Related { keyspace: layout.keyspace(id).name.clone(), space, key, state });
        Ok(())
    };
    if !matches!(entry.body, Body::Row(_)) {
        return Ok(found);
    }
    for index in DynamicIndex::of_map(&base.reader, entry.keyspace) {
        let entries = base.refuse_unbuilt(index.id());
        match entries.and_then(|()| index.entries(&entry.key, value)) {
            Ok(entries) => entries.keys.into_iter().try_for_each(|key| add(index.id(), Ok(key)))?,
            Err(error) => add(index.id(), Err(error.to_string()))?,
        }
    }
    if let Some(index) = DynamicIndex::new(&base.reader, entry.keyspace)
        && let Some(key) = index.owner_key(&entry.key, value)
    {
        add(index.map(), Ok(key))?;
    }
    Ok(found)
}

fn lead(ask: &Ask, related: &Related) -> Markup {
    html! {
        li {
            b { (clean(&related.keyspace)) } " "
            @match &related.state {
                Ok(true) => { a href=(link::row(&ask.base, &related.space, &related.key)) { code { (short(&related.key)) } } },
                Ok(false) => { span.chip.refuted { "missing" } " " code { (short(&related.key)) } },
                Err(reason) => { span.note { (prose_line(reason)) } },
            }
        }
    }
}
