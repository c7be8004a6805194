//! Examples of encoding and decoding.

use crate::values;
use keyscape_automata::Budget;
use keyscape_layout::{
    Decoder, Layout, Machine, Reading, Record, Side,
    model::{Keyspace, KeyspaceId},
};
use keyscape_testkit::unhex;
use serde_json::{Map, Value as Json};

/// Runs a line such as `encode orders user=1 => "o/1"`. Returns the difference as an error.
pub(crate) fn run(layout: &Layout, line: &str) -> Result<(), String> {
    let (asked, expected) = line.split_once(" => ").ok_or("`=>` is missing")?;
    let words = words(asked);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["encode", name, values @ ..] => {
            let keyspace = layout.keyspace(find(layout, name)?);
            same(encoded(keyspace, values, |record| keyspace.encode(record)), expected)
        }
        ["scan", name, scan, values @ ..] => {
            let keyspace = layout.keyspace(find(layout, name)?);
            let scan = keyspace.scans.iter().find(|found| found.name == *scan);
            let end = scan.ok_or("there is no such scan")?.end;
            same(encoded(keyspace, values, |record| keyspace.encode_until(record, end)), expected)
        }
        ["decode", key @ ..] => decode(layout, &key.join(" "), expected),
        _ => Err("an example starts with `encode`, `scan` or `decode`".to_owned()),
    }
}

fn find(layout: &Layout, name: &str) -> Result<KeyspaceId, String> {
    match layout.find(name).as_slice() {
        [id] => Ok(*id),
        found => Err(format!("{} keyspaces are called `{name}`", found.len())),
    }
}

fn encoded<E: ToString>(
    keyspace: &Keyspace,
    values: &[&str],
    encode: impl Fn(&Record) -> Result<Vec<u8>, E>,
) -> Result<Vec<u8>, String> {
    encode(&record(keyspace, values)?).map_err(|error| error.to_string())
}

fn same(found: Result<Vec<u8>, String>, expected: &str) -> Result<(), String> {
    match (expected.strip_prefix("error: "), found) {
        (Some(part), Err(error)) if error.contains(part) => Ok(()),
        (None, Ok(found)) if bytes(expected).as_ref() == Some(&found) => Ok(()),
        (_, found) => Err(format!("expected {expected}, found {found:02x?}")),
    }
}

fn decode(layout: &Layout, key: &str, expected: &str) -> Result<(), String> {
    let key = bytes(key).ok_or_else(|| format!("`{key}` are no bytes"))?;
    let mut found: Vec<Reading> = Vec::new();
    for space in &layout.spaces {
        let machine = Machine::build(layout, &space.keyspaces, Side::Over, Budget::default())
            .map_err(|over| over.to_string())?;
        found.extend(Decoder::new(layout, &machine).decode(&key).readings);
    }
    let readings = expected.split(" | ").filter(|reading| *reading != "nothing");
    for reading in readings {
        let words = words(reading);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let (name, values) = words.split_first().ok_or("a reading starts with a keyspace")?;
        let id = find(layout, name)?;
        let record = record(layout.keyspace(id), values)?;
        let index = found.iter().position(|r| r.keyspace == id && r.fields == record);
        drop(found.remove(index.ok_or_else(|| format!("`{reading}` is not among {found:?}"))?));
    }
    if found.is_empty() { Ok(()) } else { Err(format!("there is also {found:?}")) }
}

fn record(keyspace: &Keyspace, values: &[&str]) -> Result<Record, String> {
    let mut object = Map::new();
    for value in values {
        let (field, text) =
            value.split_once('=').ok_or_else(|| format!("`{value}` is not `field=value`"))?;
        let json = serde_json::from_str(text).ok().filter(|json| !matches!(json, Json::Number(_)));
        object.insert(field.to_owned(), json.unwrap_or_else(|| Json::String(text.to_owned())));
    }
    values::record(&keyspace.key, &Json::Object(object))
}

/// Parses bytes that are written as quoted text and hexadecimal digits: `02 "abc" 00`.
pub(crate) fn bytes(text: &str) -> Option<Vec<u8>> {
    let mut found = Vec::new();
    for word in words(text) {
        match word.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
            Some(quoted) => found.extend(quoted.bytes()),
            None => found.extend(unhex(word.strip_prefix("0x").unwrap_or(&word))?),
        }
    }
    Some(found)
}

/// Splits a line at spaces outside quotes and braces.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let (mut quoted, mut depth) = (false, 0_u32);
    for character in line.chars() {
        match character {
            '"' => quoted = !quoted,
            '{' if !quoted => depth += 1,
            '}' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
        match words.last_mut() {
            Some(word) if character != ' ' || quoted || depth > 0 => word.push(character),
            _ => words.push(String::new()),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}
