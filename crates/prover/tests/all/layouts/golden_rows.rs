//! Rows that the original programs stored. Keys and values decode with our layouts and encode to
//! the same bytes.

use crate::layouts::{files::open, golden::keyspace};
use crate::{repository::text, values};
use keyscape_automata::Budget;
use keyscape_layout::{
    Decoder, Layout, Machine, Reading, RowDatum, Side, ValueReader, encode_value,
    model::{Keyspace, RowValue, Space},
};
use keyscape_testkit::corpus::{self, StoredRow};
use serde::Deserialize;
use serde_json::Value as Json;
use std::collections::BTreeMap;

/// A layout with one automaton for each of its spaces.
struct Rows {
    layout: &'static Layout,
    machines: Vec<Machine>,
}

impl Rows {
    fn of(file: &str) -> Rows {
        let layout = open(file);
        let machine = |space: &Space| {
            Machine::build(layout, &space.keyspaces, Side::Over, Budget::default()).unwrap()
        };
        Rows { layout, machines: layout.spaces.iter().map(machine).collect() }
    }

    /// Returns the only reading of a key in a store, after checking that it encodes to the key.
    fn reading(&self, store: &str, key: &[u8]) -> Reading {
        let spaces = self.layout.spaces.iter().zip(&self.machines);
        let readings: Vec<Reading> = spaces
            .filter(|(space, _)| self.layout.store(space.store).name == store)
            .flat_map(|(_, machine)| Decoder::new(self.layout, machine).decode(key).readings)
            .collect();
        let [reading] = readings.try_into().unwrap_or_else(|found| panic!("{key:02x?}: {found:?}"));
        let again = self.layout.keyspace(reading.keyspace).encode(&reading.fields);
        assert_eq!(again.as_deref(), Ok(key), "{reading:?}");
        reading
    }
}

/// Decodes a value, and checks that it encodes to the same bytes.
fn value(keyspace: &Keyspace, bytes: &[u8]) -> RowDatum {
    let form = keyspace.value.as_ref();
    let reader = ValueReader::new(form, Budget::default()).unwrap();
    let datum = reader
        .read(bytes)
        .unwrap_or_else(|error| panic!("{} {bytes:02x?}: {error}", keyspace.name));
    let mut again = Vec::new();
    encode_value(form, &datum, &mut again).unwrap();
    assert_eq!(again, bytes, "{}", keyspace.name);
    datum
}

/// Compares a value with the value that the original program reports.
fn compare(keyspace: &Keyspace, datum: &RowDatum, expected: &Json) {
    let Some(RowValue::Typed(typed)) = &keyspace.value else {
        panic!("{}: the layout does not know its values", keyspace.name);
    };
    let expected = RowDatum::Datum(values::datum(&typed.ty, expected).unwrap());
    assert_eq!(*datum, expected, "{}", keyspace.name);
}

fn check(rows: &[StoredRow], file: &str) {
    let read = Rows::of(file);
    let mut covered = BTreeMap::<&str, u32>::new();
    for row in rows {
        let id = keyspace(read.layout, &format!("{}/{}", row.store, row.keyspace));
        let found = read.layout.keyspace(id);
        let record = values::record(&found.key, &row.fields).unwrap();
        assert_eq!(found.encode(&record).as_deref(), Ok(&*row.key), "{row:?}");
        let reading = read.reading(&row.store, &row.key);
        assert_eq!((reading.keyspace, &reading.fields), (id, &record), "{row:?}");
        let datum = value(found, &row.bytes);
        if let Some(expected) = &row.value {
            compare(found, &datum, expected);
        }
        *covered.entry(&row.keyspace).or_default() += 1;
    }
    let left = read.layout.keyspaces.iter().filter(|found| !covered.contains_key(&*found.name));
    let left: Vec<&str> = left.map(|keyspace| keyspace.name.as_str()).collect();
    // The versions in the corpus did not write these rows.
    assert!(left.iter().all(|name| *name == "unordered_nonces"), "{file}: no rows of {left:?}");
}

#[test]
fn every_row_of_the_cosmos_sdk_is_read_and_written_again() {
    let rows = corpus::lines::<StoredRow>("golden/bank_rows.jsonl.gz");
    check(&rows, "bank/deployed.keys");
    check(&rows, "bank/sound.keys");
}

#[test]
fn every_row_of_the_osmosis_keys_is_read_and_written_again() {
    check(&corpus::lines("golden/cl_rows.jsonl.gz"), "osmosis-cl/deployed.keys");
}

/// A row of a store that the concentrated-liquidity module of Osmosis filled.
#[derive(Deserialize)]
struct RawRow {
    #[serde(deserialize_with = "corpus::bytes")]
    key: Vec<u8>,
    #[serde(deserialize_with = "corpus::bytes")]
    value: Vec<u8>,
    /// The type of the value.
    #[serde(rename = "type")]
    form: String,
    json: Json,
}

/// Returns the name of a value form in the corpus.
fn form_name(value: Option<&RowValue>) -> &str {
    match value {
        Some(RowValue::Const(bytes)) if bytes == &[1] => "one",
        Some(RowValue::Proto(message)) => &message.name,
        Some(RowValue::Typed(typed)) if typed.text == "dec" => "int",
        Some(RowValue::Typed(typed)) => typed.text.trim_start_matches("proto "),
        _ => "unknown",
    }
}

#[test]
fn every_row_of_a_running_osmosis_module_is_of_the_form_that_the_layout_says() {
    let read = Rows::of("osmosis-cl/deployed.keys");
    let rows: Vec<RawRow> = corpus::lines("cl/rows.jsonl.gz");
    assert!(rows.len() > 5_000);
    let mut covered = BTreeMap::<&str, u32>::new();
    for row in &rows {
        let reading = read.reading("concentratedliquidity", &row.key);
        let found = read.layout.keyspace(reading.keyspace);
        assert_eq!(form_name(found.value.as_ref()), row.form, "{}", found.name);
        let datum = value(found, &row.value);
        if matches!(found.value, Some(RowValue::Typed(_))) {
            compare(found, &datum, &row.json);
        }
        *covered.entry(&found.name).or_default() += 1;
    }
    let left = read.layout.keyspaces.iter().map(|found| &*found.name);
    let left: Vec<&str> = left.filter(|name| !covered.contains_key(name)).collect();
    // No program writes the first keyspace, and the recorded chain had no contracts.
    assert_eq!(left, ["balancer_full_range", "hooks"]);
}

/// A value that does not occur in the recorded rows, computed by the original code.
#[derive(Deserialize)]
struct ValueVector {
    layouts: Vec<String>,
    keyspace: String,
    /// Absent for constants, empty values and JSON.
    value: Option<Json>,
    #[serde(deserialize_with = "corpus::bytes")]
    value_hex: Vec<u8>,
    source: String,
}

#[test]
fn every_golden_value_is_of_the_form_that_the_layouts_say() {
    let vectors: Vec<ValueVector> =
        serde_json::from_str(&text("testing/corpus/golden/values.json")).unwrap();
    for vector in &vectors {
        assert!(!vector.layouts.is_empty() && !vector.source.is_empty());
        for file in &vector.layouts {
            let layout = open(file);
            let found = layout.keyspace(keyspace(layout, &vector.keyspace));
            let datum = value(found, &vector.value_hex);
            match &vector.value {
                Some(expected) => compare(found, &datum, expected),
                // A form of plain bytes accepts everything and would test nothing.
                None => assert!(!matches!(datum, RowDatum::Bytes(_)), "{file} {}", found.name),
            }
        }
    }
}
