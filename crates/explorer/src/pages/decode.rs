//! Decodes a pasted key: every reading, or the nearest keyspaces.

use crate::{
    ask::Ask,
    link,
    part::{
        key,
        text::{clean, code, many, prose_line},
    },
    reply::{Problem, Reply},
};
use axum::http::StatusCode;
use keyscape_diagnostics::bytes::hex;
use keyscape_inspect::{
    database::OpenDatabase,
    expected,
    input::key::{read_base64, read_hex},
};
use keyscape_layout::{Decoded, NearMiss, record_kind};
use keyscape_runtime::record;
use maud::{Markup, html};
use serde_json::{Value, json};
use std::cmp::Reverse;

/// The length of the longest key, in bytes.
const LONGEST: usize = 64 << 10;
/// The maximum number of near misses.
const NEAREST: usize = 5;
const FORMS: [(&str, &str); 4] =
    [("", "any"), ("hex", "hexadecimal"), ("base64", "base64"), ("text", "text")];

/// A text as bytes, with their readings.
struct Attempt {
    form: &'static str,
    bytes: Vec<u8>,
    found: Vec<Found>,
    nearest: Vec<NearMiss>,
}

/// The readings of a key in a space.
struct Found {
    space: String,
    /// The bytes that were read: the key, or that of the structure of a stored record.
    key: Vec<u8>,
    decoded: Decoded,
    /// The stored key of the row, unless the key is that of a whole structure.
    row: Option<Vec<u8>>,
}

/// Shows the form, and the readings of the key in the query.
pub(super) fn show(ask: &Ask) -> Result<Reply, Problem> {
    let base = ask.database();
    let form = ask.get("form").unwrap_or_default();
    let given = ask.get("key").map(str::trim).unwrap_or_default();
    if !FORMS.iter().any(|(name, _)| *name == form) {
        let help = "use `hex`, `base64` or `text`, or leave `form` out";
        return Err(Problem::input(format!("there is no form `{form}`"), Some(help.to_owned())));
    }
    if given.len() > 2 * LONGEST {
        return Err(Problem::input(format!("the key is longer than {LONGEST} bytes"), None));
    }
    let mut attempts: Vec<Attempt> = Vec::new();
    let mut problem = None;
    match bytes(given, form) {
        _ if given.is_empty() => {}
        Ok(all) => attempts.extend(all.into_iter().map(|(form, bytes)| {
            let found = find(&base, &bytes);
            let nearest = match found.is_empty() {
                true => base.reader.nearest_everywhere(&bytes, NEAREST),
                false => Vec::new(),
            };
            Attempt { form, bytes, found, nearest }
        })),
        Err(error) => problem = Some(error),
    }
    // Text is often hexadecimal by accident, so only forms with readings count. Without any,
    // hexadecimal digits are the likeliest form, then the one that a keyspace reads furthest.
    let furthest = |attempt: &Attempt| attempt.nearest.iter().map(|miss| miss.offset).max();
    attempts.sort_by_key(|attempt| {
        (attempt.found.is_empty(), attempt.form != "hex", Reverse(furthest(attempt)))
    });
    let is_known = attempts.first().is_some_and(|attempt| !attempt.found.is_empty());
    let mut rank = 0..;
    attempts.retain(|attempt| !attempt.found.is_empty() || !is_known && rank.next() == Some(0));
    if ask.wants_json {
        return match problem {
            Some(problem) => Err(problem),
            None => Ok(Reply::Json(json!(
                attempts.iter().map(|one| as_json(ask, one)).collect::<Vec<_>>()
            ))),
        };
    }
    let body = html! {
        header.top { p.eyebrow { "Tool" } h1 { "Decode a key" } }
        form.decode method="get" action=(format!("{}/decode", ask.base)) {
            label { "Key" textarea name="key" rows=(rows(given)) spellcheck="false" autocomplete="off" placeholder="0x02…, base64 or text" { (given) } }
            div.options {
                label { "Written as"
                    select name="form" {
                        @for (value, word) in FORMS { option value=(value) selected[value == form] { (word) } }
                    }
                }
                button { "Decode" }
            }
        }
        @if let Some(problem) = &problem { (problem.inline()) }
        @for attempt in &attempts { (render(ask, attempt)) }
    };
    let status = problem.as_ref().map_or(StatusCode::OK, Problem::status);
    Ok(Reply::page("Decode", body).with_status(status))
}

/// Returns the number of lines that show a key.
fn rows(given: &str) -> usize {
    (given.len() / 90 + 1).clamp(2, 8)
}

/// Decodes a key, or a stored record of a structure, in every space.
fn find(base: &OpenDatabase<'_>, bytes: &[u8]) -> Vec<Found> {
    let layout = base.layout;
    let row_of = |space: &str, decoded: &Decoded| {
        if !base.reader.has_structures(space) {
            return Some(bytes.to_vec());
        }
        let kind = layout.keyspace(decoded.readings.first()?.keyspace).kind;
        (record_kind(kind) == record::Kind::Row).then(|| record::row(bytes))
    };
    let mut found: Vec<Found> = base
        .reader
        .explain_everywhere(bytes)
        .into_iter()
        .map(|(space, decoded)| Found {
            space: space.to_owned(),
            key: bytes.to_vec(),
            row: row_of(space, &decoded),
            decoded,
        })
        .collect();
    for (_, space) in base.db.spaces().iter().filter(|(_, name)| base.reader.has_structures(name)) {
        let read = base.reader.explain(space, bytes);
        if let Some((key, decoded)) = read.filter(|(_, decoded)| !decoded.readings.is_empty()) {
            let row = Some(bytes.to_vec());
            found.push(Found { space: space.to_owned(), key, decoded, row });
        }
    }
    found
}

/// Returns the bytes of a text in each form that fits; in `form`, unless it is empty.
fn bytes(text: &str, form: &str) -> Result<Vec<(&'static str, Vec<u8>)>, Problem> {
    let digits: String = text.chars().filter(|char| !char.is_whitespace()).collect();
    let hex = || {
        let mut bytes = Vec::new();
        read_hex(digits.as_bytes(), &mut bytes).or_else(|error| {
            bytes.clear();
            let spaced = text.replace(char::is_whitespace, " ");
            read_hex(spaced.as_bytes(), &mut bytes).map_err(|_| error)
        })?;
        Ok(bytes)
    };
    let base64 = || {
        let mut bytes = Vec::new();
        read_base64(digits.as_bytes(), &mut bytes).map(|()| bytes)
    };
    let wrong = |error| Problem::input(format!("the key is not {form}: {error}"), None);
    Ok(match form {
        "hex" => vec![("hex", hex().map_err(wrong)?)],
        "base64" => vec![("base64", base64().map_err(wrong)?)],
        "text" => vec![("text", text.as_bytes().to_vec())],
        _ => {
            let read = [("hex", hex().ok()), ("base64", base64().ok())];
            let read = read.into_iter().filter_map(|(name, bytes)| Some((name, bytes?)));
            read.chain([("text", text.as_bytes().to_vec())]).collect()
        }
    })
}

fn render(ask: &Ask, attempt: &Attempt) -> Markup {
    let layout = ask.layout();
    html! {
        section.reading {
            h2 { "As " (attempt.form) }
            p.copy { code.whole data-copy="" { "0x" (hex(&attempt.bytes)) } " " span.note { (many(attempt.bytes.len() as u64, "byte")) } }
            @for found in &attempt.found {
                @if found.decoded.too_ambiguous { p.warning { "The key is too ambiguous to be decoded in " (code(&found.space)) "." } }
                @for reading in &found.decoded.readings {
                    h3 {
                        (clean(&found.space)) " · "
                        a href=(link::keyspace(&ask.base, layout, reading.keyspace)) { (clean(&layout.keyspace(reading.keyspace).name)) }
                    }
                    @if found.key != attempt.bytes { p.note { "A stored record of this structure:" } }
                    (key::render(layout, &found.key, reading))
                }
                @if found.decoded.more { p.note { "There are more readings." } }
                @if let Some(row) = &found.row {
                    p { a href=(link::row(&ask.base, &found.space, row)) { "Look up the row in " (clean(&found.space)) } }
                }
            }
            @if attempt.found.is_empty() {
                p.warning { "No keyspace has this key." }
                @if !attempt.nearest.is_empty() {
                    h3 { "Nearest" }
                    ul.related { @for miss in &attempt.nearest { li { (prose_line(&expected::sentence(layout, &attempt.bytes, miss))) } } }
                }
            }
        }
    }
}

fn as_json(ask: &Ask, attempt: &Attempt) -> Value {
    let layout = ask.layout();
    let readings = attempt.found.iter().flat_map(|found| {
        let readings = found.decoded.readings.iter();
        readings.map(|reading| {
            let mut reading = key::json(layout, &found.key, reading);
            reading["row"] =
                json!(found.row.as_ref().map(|row| link::row(&ask.base, &found.space, row)));
            reading
        })
    });
    let readings: Vec<Value> = readings.collect();
    let nearest = attempt.nearest.iter().map(|miss| {
        json!({
            "keyspace": layout.keyspace(miss.keyspace).name,
            "offset": miss.offset,
            "expected": expected::words(&miss.expected),
        })
    });
    json!({
        "form": attempt.form,
        "key": hex(&attempt.bytes),
        "readings": readings,
        "nearest": nearest.collect::<Vec<_>>(),
    })
}
