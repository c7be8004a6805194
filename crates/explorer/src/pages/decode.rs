//! Decodes a pasted key: every reading, or the nearest keyspaces.

use crate::{
    ask::Ask,
    link,
    part::{
        key,
        text::{clean, code, prose_line},
    },
    reply::{Problem, Reply},
};
use keyscape_inspect::{
    expected,
    input::key::{read_base64, read_hex},
};
use keyscape_layout::{Decoded, NearMiss};
use keyscape_report::bytes::hex;
use maud::{Markup, html};
use serde_json::{Value, json};

/// The longest key, in bytes.
const LONGEST: usize = 64 << 10;
/// The number of near misses.
const NEAREST: usize = 5;
const FORMS: [(&str, &str); 4] =
    [("", "any"), ("hex", "hexadecimal"), ("base64", "base64"), ("text", "text")];

/// A text as bytes, and what they are.
struct Attempt<'r> {
    form: &'static str,
    bytes: Vec<u8>,
    found: Vec<(&'r str, Decoded)>,
    nearest: Vec<NearMiss>,
}

/// Shows the form, and the readings of the key in the query.
pub(super) fn show(ask: &Ask) -> Result<Reply, Problem> {
    let base = ask.database();
    let form = ask.get("form").unwrap_or_default();
    let given = ask.get("key").map(str::trim).unwrap_or_default();
    if given.len() > 2 * LONGEST {
        return Err(Problem::input(format!("the key is longer than {LONGEST} bytes"), None));
    }
    let mut attempts: Vec<Attempt<'_>> = Vec::new();
    let mut problem = None;
    if !given.is_empty() {
        let read = bytes(given, form);
        match read {
            Ok(all) => {
                for (form, bytes) in all {
                    let found = base.reader.explain_everywhere(&bytes);
                    let nearest = base.reader.nearest_everywhere(&bytes, NEAREST);
                    let nearest = if found.is_empty() { nearest } else { Vec::new() };
                    attempts.push(Attempt { form, bytes, found, nearest });
                }
            }
            Err(error) => problem = Some(error),
        }
    }
    // Readings first: text is often hexadecimal by accident.
    attempts.sort_by_key(|attempt| attempt.found.is_empty());
    if attempts.iter().any(|attempt| !attempt.found.is_empty()) {
        attempts.retain(|attempt| !attempt.found.is_empty());
    }
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
            label { "Key" textarea name="key" rows="2" spellcheck="false" autocomplete="off" placeholder="0x02…, base64 or text" { (given) } }
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
    Ok(Reply::page("Decode", body))
}

/// Returns the bytes of a text in each form that fits.
fn bytes(text: &str, form: &str) -> Result<Vec<(&'static str, Vec<u8>)>, Problem> {
    let digits: String = text.chars().filter(|char| !char.is_whitespace()).collect();
    let mut found = Vec::new();
    let mut failure = None;
    for (name, is_wanted) in
        [("hex", form != "base64" && form != "text"), ("base64", form != "hex" && form != "text")]
    {
        if !is_wanted {
            continue;
        }
        let mut bytes = Vec::new();
        let read = if name == "hex" {
            read_hex(digits.as_bytes(), &mut bytes)
        } else {
            read_base64(digits.as_bytes(), &mut bytes)
        };
        match read {
            Ok(()) => found.push((name, bytes)),
            Err(error) if form == name => {
                failure = Some(Problem::input(format!("the key is not {name}: {error}"), None));
            }
            Err(_) => {}
        }
    }
    if form.is_empty() || form == "text" {
        found.push(("text", text.as_bytes().to_vec()));
    }
    match failure {
        Some(failure) => Err(failure),
        None if found.is_empty() => Err(Problem::input(format!("there is no form `{form}`"), None)),
        None => Ok(found),
    }
}

fn render(ask: &Ask, attempt: &Attempt<'_>) -> Markup {
    let layout = ask.layout();
    html! {
        section.reading {
            h2 { "As " (attempt.form) }
            p.copy { code.whole data-copy="" { "0x" (hex(&attempt.bytes)) } " " span.note { (attempt.bytes.len()) " bytes" } }
            @for (space, decoded) in &attempt.found {
                @if decoded.too_ambiguous { p.warning { "The key is too ambiguous to be decoded in " (code(space)) "." } }
                @for reading in &decoded.readings {
                    h3 {
                        (clean(space)) " · "
                        a href=(link::keyspace(&ask.base, layout, reading.keyspace)) { (clean(&layout.keyspace(reading.keyspace).name)) }
                    }
                    (key::render(layout, &attempt.bytes, reading))
                }
                @if decoded.more { p.note { "There are more readings." } }
                p { a href=(link::row(&ask.base, space, &attempt.bytes)) { "Look up the row in " (clean(space)) } }
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

fn as_json(ask: &Ask, attempt: &Attempt<'_>) -> Value {
    let layout = ask.layout();
    let readings = attempt.found.iter().flat_map(|(_, decoded)| &decoded.readings);
    let readings: Vec<Value> =
        readings.map(|reading| key::json(layout, &attempt.bytes, reading)).collect();
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
