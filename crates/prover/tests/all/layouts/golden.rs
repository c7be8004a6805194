//! Golden vectors: keys that other programs write, mapped to records of our layouts.

use crate::layouts::{
    files::open, golden_bank, golden_bitbadges, golden_onesat, golden_osmosis, golden_paw,
};
use crate::{repository::text, values};
use keyscape_automata::Budget;
use keyscape_layout::{
    Decoder, EncodeError, Layout, Machine, Reading, Record, Side, encode_segments,
    model::{Keyspace, KeyspaceId},
};
use serde_json::Value as Json;

/// The mapping of the vectors of one entry and variant.
pub(crate) struct Mapping {
    pub(crate) entry: &'static str,
    pub(crate) variant: &'static str,
    /// The fields of the vector that must have these values. The records must use all other fields.
    pub(crate) given: &'static [(&'static str, &'static str)],
    pub(crate) places: &'static [Place],
}

/// The record of a vector in some layouts. `fields` is JSON, in which `${name}` is replaced by a
/// field of the vector.
pub(crate) struct Place {
    layouts: &'static [&'static str],
    keyspace: &'static str,
    fields: &'static str,
    form: Form,
}

enum Form {
    /// A key with this number of readings. In an unsound layout, a key can have several.
    Key { readings: usize },
    /// A key that decodes to another record, because a codec is lossy.
    Lost,
    /// The start of a scan's interval.
    Prefix { scan: &'static str },
    /// The start of a scan that the layout rejects.
    Refused { scan: &'static str, why: &'static str },
    /// Neither a key nor a prefix.
    NoKey { why: &'static str },
}

/// Maps a vector to a key with one reading.
pub(crate) const fn key(
    layouts: &'static [&'static str],
    keyspace: &'static str,
    fields: &'static str,
) -> Place {
    ambiguous(layouts, keyspace, fields, 1)
}

/// Maps a vector to one of several readings of its key.
pub(crate) const fn ambiguous(
    layouts: &'static [&'static str],
    keyspace: &'static str,
    fields: &'static str,
    readings: usize,
) -> Place {
    Place { layouts, keyspace, fields, form: Form::Key { readings } }
}

/// Maps a vector to a key that does not decode to the record.
pub(crate) const fn lost(
    layouts: &'static [&'static str],
    keyspace: &'static str,
    fields: &'static str,
) -> Place {
    Place { layouts, keyspace, fields, form: Form::Lost }
}

/// Maps a vector to the start of a scan.
pub(crate) const fn prefix(
    layouts: &'static [&'static str],
    keyspace: &'static str,
    scan: &'static str,
    fields: &'static str,
) -> Place {
    Place { layouts, keyspace, fields, form: Form::Prefix { scan } }
}

/// Maps a vector to a scan that the layout rejects, with the reason.
pub(crate) const fn refused(
    layouts: &'static [&'static str],
    keyspace: &'static str,
    scan: &'static str,
    fields: &'static str,
    why: &'static str,
) -> Place {
    Place { layouts, keyspace, fields, form: Form::Refused { scan, why } }
}

/// Maps a vector to no key of any layout, with the reason.
pub(crate) const fn no_key(why: &'static str) -> Place {
    Place { layouts: &[], keyspace: "", fields: "", form: Form::NoKey { why } }
}

/// Maps all vectors of an entry and variant. The records must use every field.
pub(crate) const fn of(
    entry: &'static str,
    variant: &'static str,
    places: &'static [Place],
) -> Mapping {
    Mapping { entry, variant, given: &[], places }
}

#[test]
fn every_golden_vector_of_the_bank_is_a_record_of_its_layouts() {
    check("testing/corpus/golden/bank.json", golden_bank::MAPPINGS);
}

#[test]
fn every_golden_vector_of_the_1sat_store_is_a_record_of_its_layouts() {
    check("testing/corpus/golden/onesat.json", golden_onesat::MAPPINGS);
}

#[test]
fn every_golden_vector_of_concentrated_liquidity_is_a_record_of_its_layouts() {
    check("testing/corpus/golden/osmosis_cl.json", golden_osmosis::MAPPINGS);
}

#[test]
fn every_golden_vector_of_bitbadges_is_a_record_of_its_layouts() {
    check("testing/corpus/golden/bitbadges.json", golden_bitbadges::MAPPINGS);
}

#[test]
fn every_golden_vector_of_the_paw_chain_is_a_record_of_its_layouts() {
    check("testing/corpus/golden/paw.json", golden_paw::MAPPINGS);
}

fn check(file: &str, mappings: &[Mapping]) {
    let vectors: Vec<Json> = serde_json::from_str(&text(file)).unwrap();
    let mut used = vec![false; mappings.len()];
    for vector in &vectors {
        let found = mappings.iter().position(|mapping| fits(mapping, vector));
        let index = found.unwrap_or_else(|| panic!("{file}: nothing says what this is: {vector}"));
        used[index] = true;
        assert!(!mappings[index].places.is_empty(), "{vector}");
        for place in mappings[index].places {
            if let Form::NoKey { why } = place.form {
                assert!(!why.is_empty(), "{vector}");
            }
            for file in place.layouts {
                check_place(file, place, vector);
            }
        }
    }
    let idle: Vec<_> =
        mappings.iter().zip(used).filter(|(_, used)| !used).map(|(m, _)| m.entry).collect();
    assert!(idle.is_empty(), "{file} has no vector for {idle:?}");
}

/// Whether a mapping uses exactly the fields of a vector.
fn fits(mapping: &Mapping, vector: &Json) -> bool {
    let fields = vector["fields"].as_object().unwrap();
    let given = |name: &str| mapping.given.iter().find(|(given, _)| *given == name);
    let used = |name: &str| {
        mapping.places.iter().all(|place| {
            place.fields.contains(&placeholder(name)) || matches!(place.form, Form::NoKey { .. })
        })
    };
    vector["entry"] == mapping.entry
        && vector["variant"] == mapping.variant
        && mapping.given.iter().all(|(name, _)| fields.contains_key(*name))
        && fields.iter().all(|(name, value)| match given(name) {
            Some((_, wanted)) => plain(value) == *wanted,
            None => used(name),
        })
}

fn check_place(file: &str, place: &Place, vector: &Json) {
    let layout = open(file);
    let about = format!("{file} {} {vector}", place.keyspace);
    let id = keyspace(layout, place.keyspace);
    let found = layout.keyspace(id);
    let record = values::record(&found.key, &fill(place.fields, &vector["fields"]))
        .unwrap_or_else(|error| panic!("{about}: {error}"));
    let bytes = bytes(&vector["key_hex"]);
    match &place.form {
        Form::Key { readings: count } => {
            assert_eq!(found.encode(&record).as_deref(), Ok(&*bytes), "{about}");
            let readings = decode(layout, id, &bytes);
            let own = |reading: &&Reading| reading.keyspace == id && reading.fields == record;
            assert_eq!(readings.iter().filter(own).count(), 1, "{about}: {readings:#?}");
            assert_eq!(readings.len(), *count, "{about}: {readings:#?}");
        }
        Form::Lost => {
            assert_eq!(found.encode(&record).as_deref(), Ok(&*bytes), "{about}");
            let readings = decode(layout, id, &bytes);
            assert!(readings.len() == 1 && readings[0].fields != record, "{about}: {readings:#?}");
        }
        Form::Prefix { scan } => {
            assert_eq!(start(found, scan, &record).as_deref(), Ok(&*bytes), "{about}");
        }
        Form::Refused { scan, why } => {
            assert!(
                start(found, scan, &record).is_err(),
                "{about} can be written: no longer {why}"
            );
        }
        Form::NoKey { why } => panic!("{about}: {why}, and yet it has a layout"),
    }
}

/// Returns a keyspace of a layout by its name.
pub(crate) fn keyspace(layout: &Layout, name: &str) -> KeyspaceId {
    match layout.find(name).as_slice() {
        [id] => *id,
        found => panic!("{} keyspaces are called `{name}`", found.len()),
    }
}

/// Returns the start of a scan's interval, from its `as` clause if it has one.
pub(crate) fn start(
    keyspace: &Keyspace,
    scan: &str,
    record: &Record,
) -> Result<Vec<u8>, EncodeError> {
    let scan = keyspace.scans.iter().find(|found| found.name == scan).unwrap();
    match &scan.asked {
        Some(asked) => {
            let mut start = Vec::new();
            encode_segments(&asked.start, record, &mut start)?;
            Ok(start)
        }
        None => keyspace.encode_until(record, scan.end),
    }
}

/// Returns all readings of a key in the space of a keyspace.
pub(crate) fn decode(layout: &Layout, keyspace: KeyspaceId, key: &[u8]) -> Vec<Reading> {
    let space = layout.space(layout.keyspace(keyspace).space);
    let machine = Machine::build(layout, &space.keyspaces, Side::Over, Budget::default()).unwrap();
    Decoder::new(layout, &machine).decode(key).readings
}

/// Decodes a string of hexadecimal digits.
pub(crate) fn bytes(json: &Json) -> Vec<u8> {
    keyscape_testkit::unhex(json.as_str().unwrap()).unwrap()
}

fn plain(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn placeholder(name: &str) -> String {
    format!("${{{name}}}")
}

fn fill(template: &str, fields: &Json) -> Json {
    let filled =
        fields.as_object().unwrap().iter().fold(template.to_owned(), |text, (name, value)| {
            text.replace(&placeholder(name), &plain(value))
        });
    serde_json::from_str(&filled).unwrap_or_else(|error| panic!("{filled}: {error}"))
}
