//! Example keys: values that fit the names of their fields, or samples of the codecs.

mod plausible;

use crate::{
    Datum, Decoder, EncodeError, EncodeReason, Layout, Machine, Part, Record, Side, encode_type,
    guard::guarded_fields,
    model::{Keyspace, KeyspaceId, Leaf, Segment, SpaceId, StoreId, Type, fields},
};
use keyscape_automata::Budget;
use keyscape_codec::Value;
use std::collections::BTreeMap;

/// A key that a keyspace may have, encoded and decoded again.
#[derive(Clone, Debug)]
pub struct Example {
    /// The values of the key.
    pub fields: Record,
    /// The encoded key.
    pub key: Vec<u8>,
    /// The number of readings of the key in its space, or in its keyspace alone if the automaton of
    /// the space is too large. `None` if that one is too large as well.
    pub readings: Option<usize>,
    /// The parts of the reading that has the encoded values, if one has.
    pub parts: Option<Vec<Part>>,
}

impl Layout {
    /// Returns an example of each keyspace of a store, or the reason for which it has none. Decodes
    /// the examples with all keyspaces of their space, or alone if that automaton is too large.
    #[must_use]
    pub fn examples(&self, store: StoreId) -> Vec<(KeyspaceId, Result<Example, String>)> {
        let build = |keyspaces: &[KeyspaceId]| {
            Machine::build(self, keyspaces, Side::Over, Budget::default()).ok()
        };
        let mut spaces: BTreeMap<SpaceId, Option<Machine>> = BTreeMap::new();
        let is_own = |id: &KeyspaceId| self.keyspace(*id).store == store;
        let example = |id: KeyspaceId| {
            let space = self.keyspace(id).space;
            let all = spaces.entry(space).or_insert_with(|| build(&self.space(space).keyspaces));
            let alone = if all.is_none() { build(&[id]) } else { None };
            (id, self.decoded_example(id, all.as_ref().or(alone.as_ref())))
        };
        self.keyspace_ids().filter(is_own).map(example).collect()
    }

    fn decoded_example(
        &self,
        id: KeyspaceId,
        machine: Option<&Machine>,
    ) -> Result<Example, String> {
        let (fields, key) = self.keyspace(id).example()?;
        let decoded = machine.map(|machine| Decoder::new(self, machine).explain(&key).readings);
        let readings = decoded.as_ref().map(Vec::len);
        let mut decoded = decoded.into_iter().flatten();
        let own = decoded.find(|found| found.keyspace == id && found.fields == fields);
        Ok(Example { fields, key, readings, parts: own.map(|reading| reading.parts) })
    }
}

/// The choices of one example.
#[derive(Default)]
struct Choice {
    /// The text of enums and the arm of variants.
    arm: usize,
    /// Whether the values are only samples, because plausible values make no key.
    only_samples: bool,
    /// The values of the leaves so far. Each leaf gets another value if it has one.
    used: Vec<Value>,
}

/// The name of a value in errors.
const VALUE: &str = "value";

/// The number of texts and arms to try if parts of the key depend on them.
const TRIES: usize = 8;

impl Keyspace {
    /// Returns the values of an example row and their key. If guards decide which fields a row has,
    /// tries several rows and returns one with many fields.
    ///
    /// # Errors
    /// Returns the reason if no key was found.
    pub fn example(&self) -> Result<(Record, Vec<u8>), String> {
        self.example_of(false).or_else(|_| self.example_of(true))
    }

    fn example_of(&self, only_samples: bool) -> Result<(Record, Vec<u8>), String> {
        let tries = if guarded_fields(&self.key).is_empty() { 1 } else { TRIES };
        let mut best: Option<(Record, Vec<u8>)> = None;
        let mut reason = String::new();
        for arm in 0..tries {
            let mut choice = Choice { arm, only_samples, used: Vec::new() };
            let record = record(&self.key, &mut choice);
            let Some(record) = record else { return Err("a codec has no sample".to_owned()) };
            match repaired(self, record) {
                Ok(found) if best.as_ref().is_none_or(|(old, _)| old.0.len() < found.0.0.len()) => {
                    best = Some(found);
                }
                Ok(_) => {}
                Err(error) => reason = error.to_string(),
            }
        }
        best.ok_or(reason)
    }
}

impl Type {
    /// Returns an example value.
    #[must_use]
    pub fn example(&self) -> Option<Datum> {
        self.example_of("")
    }

    /// Returns an example value of a field with this name.
    #[must_use]
    pub fn example_of(&self, name: &str) -> Option<Datum> {
        datum(name, self, &mut Choice::default())
    }

    /// Yields examples with different texts of enums and arms of variants. Guards may reject some
    /// of their optional parts: [`Self::repaired`] removes these.
    pub fn examples(&self) -> impl Iterator<Item = Datum> {
        (0..TRIES).filter_map(|arm| datum("", self, &mut Choice { arm, ..Choice::default() }))
    }

    /// Returns a value without the fields that its guards make absent. Returns `None` if the type
    /// does not have this value.
    #[must_use]
    pub fn repaired(&self, value: Datum) -> Option<Datum> {
        let mut record = Record(vec![(VALUE.to_owned(), value)]);
        loop {
            let error = encode_type(self, VALUE, record.get(VALUE)?, &mut Vec::new()).err();
            let Some(error) = error else { return record.0.pop().map(|(_, value)| value) };
            let path: Vec<&str> = error.field.split('.').collect();
            if error.reason != EncodeReason::Absent || !remove(&mut record, &path) {
                return None;
            }
        }
    }
}

/// Returns the key of a record, without the fields that its guards make absent.
fn repaired(keyspace: &Keyspace, mut record: Record) -> Result<(Record, Vec<u8>), EncodeError> {
    loop {
        match keyspace.encode(&record) {
            Ok(key) => return Ok((record, key)),
            Err(error) => {
                let path: Vec<&str> = error.field.split('.').collect();
                if error.reason != EncodeReason::Absent || !remove(&mut record, &path) {
                    return Err(error);
                }
            }
        }
    }
}

/// Removes a field, which may be inside composites and arms.
fn remove(record: &mut Record, path: &[&str]) -> bool {
    match path {
        [] => false,
        [name] => {
            let before = record.0.len();
            record.0.retain(|(found, _)| found != name);
            record.0.len() < before
        }
        [name, rest @ ..] => {
            let found = record.0.iter_mut().find(|(found, _)| found == name);
            match (found.map(|(_, datum)| datum), rest) {
                (Some(Datum::Record(inner)), rest) => remove(inner, rest),
                (Some(Datum::Arm(arm, inner)), [name, rest @ ..]) if arm == name => {
                    remove(inner, rest)
                }
                _ => false,
            }
        }
    }
}

fn record(segments: &[Segment], choice: &mut Choice) -> Option<Record> {
    let values = fields(segments).into_iter().map(|field| {
        let datum = datum(&field.name, &field.ty, choice)?;
        Some((field.name.clone(), datum))
    });
    values.collect::<Option<_>>().map(Record)
}

fn datum(name: &str, ty: &Type, choice: &mut Choice) -> Option<Datum> {
    match ty {
        Type::Leaf(leaf) => {
            let plausible = match choice.only_samples || name.is_empty() {
                true => None,
                false => plausible::value(name, leaf, &choice.used),
            };
            let value = plausible.or_else(|| sample(leaf, choice.used.len()))?;
            choice.used.push(value.clone());
            Some(Datum::Leaf(value))
        }
        Type::Enum(of) => {
            of.texts.get(choice.arm % of.texts.len().max(1)).cloned().map(Datum::Name)
        }
        Type::Composite(segments) => record(segments, choice).map(Datum::Record),
        Type::Variant(arms) => {
            let arm = arms.get(choice.arm % arms.len().max(1))?;
            Some(Datum::Arm(arm.name.clone(), record(&arm.segments, choice)?))
        }
        Type::List(list) => {
            let count = 2.clamp(list.min, list.max);
            let elements = (0..count).map(|_| datum(name, &list.element, choice));
            elements.collect::<Option<_>>().map(Datum::List)
        }
    }
}

/// Returns the `nth` readable sample of a leaf.
fn sample(leaf: &Leaf, nth: usize) -> Option<Value> {
    let samples = leaf.codec.samples();
    let nice: Vec<&Value> = samples.iter().filter(|value| is_nice(value)).collect();
    if !nice.is_empty() {
        return nice.get(nth % nice.len()).copied().cloned();
    }
    let is_varied = |value: &&Value| matches!(value, Value::Text(text) if text.len() > 8 && distinct(text.as_bytes()) > 4);
    let varied = samples.iter().find(is_varied);
    varied.or_else(|| samples.iter().find(|value| !is_nothing(value))).or(samples.first()).cloned()
}

fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Uint(number) => *number == 0,
        Value::Int(number) => *number == 0,
        Value::Float(number) => *number == 0.0,
        Value::Bool(is) => !is,
        Value::Pair(a, b) => *a == 0 || *b == 0,
        Value::Text(text) => text.is_empty(),
        Value::Bytes(bytes) => bytes.is_empty(),
    }
}

/// Counts the different bytes.
fn distinct(bytes: &[u8]) -> usize {
    let mut distinct = bytes.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    distinct.len()
}

/// Whether a value looks realistic.
fn is_nice(value: &Value) -> bool {
    let varied = |bytes: &[u8]| distinct(bytes) * 2 > bytes.len();
    match value {
        Value::Uint(_) | Value::Int(_) | Value::Float(_) | Value::Bool(_) | Value::Pair(..) => {
            !is_nothing(value)
        }
        Value::Text(text) => {
            let plain = text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
            plain && (3..=8).contains(&text.len()) && varied(text.as_bytes())
        }
        Value::Bytes(bytes) => (4..=64).contains(&bytes.len()) && varied(bytes),
    }
}
