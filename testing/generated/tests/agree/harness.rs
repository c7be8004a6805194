//! Keys of a layout, edge values first, and bytes that are almost keys.

use fastrand::Rng;
use keyscape::{
    rt::text::{self, Datum as TextDatum, Textual},
    traits::{Buffer, Keyspace},
};
use keyscape_automata::Budget;
use keyscape_codec::Value;
use keyscape_diagnostics::{datum, json};
use keyscape_layout::{
    Datum, Decoder, Layout, Loader, Machine, NoImports, Record, Side,
    model::{KeyspaceId, Segment, Type},
    read,
};
use std::collections::BTreeMap;

/// The number of keys per keyspace.
const KEYS: usize = 200;

/// A layout with its source.
pub(crate) struct Agreement {
    layout: Layout,
    covered: Vec<KeyspaceId>,
}

struct Files;

impl Loader for Files {
    fn load(&mut self, path: &str, from: &str) -> Result<(String, Vec<u8>), String> {
        let path = std::path::Path::new(from).parent().unwrap().join(path);
        let bytes = std::fs::read(&path).map_err(|error| error.to_string())?;
        Ok((path.display().to_string(), bytes))
    }
}

impl Agreement {
    pub(crate) fn of_file(path: &str) -> Self {
        let path = format!("{}/{path}", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).unwrap();
        let layout = read(&path, &text, &mut Files).unwrap_or_else(|_| panic!("{path} is wrong"));
        Self { layout, covered: Vec::new() }
    }

    pub(crate) fn of_text(text: &str) -> Self {
        let layout = read("test.keys", text, &mut NoImports)
            .unwrap_or_else(|rejected| panic!("{}", rejected.diagnostics[0].message));
        Self { layout, covered: Vec::new() }
    }

    /// Compares the generated keyspace `K` with the keyspace of the same name in a store.
    pub(crate) fn check<K: Keyspace>(&mut self, store: &str)
    where
        for<'k> K::Key<'k>: Textual,
    {
        let store = store.trim_start_matches("r#");
        let id = self.layout.find(&format!("{store}/{}", K::NAME))[0];
        self.covered.push(id);
        let machine = Machine::build(&self.layout, &[id], Side::Over, Budget::default()).unwrap();
        let mut decoder = Decoder::new(&self.layout, &machine);
        let keys = self.keys(id);
        assert!(!keys.is_empty(), "{}: no key could be made", K::NAME);
        let mut numbers = Rng::with_seed(7);
        for (index, key) in keys.iter().enumerate() {
            assert_eq!(rewritten::<K>(key).as_deref(), Some(&**key), "{}: {key:02x?}", K::NAME);
            let readings = decoder.decode(key).readings;
            self.check_text::<K>(id, key, &readings[0].fields);
            let other = &keys[numbers.usize(..keys.len())];
            for almost in mutations(key, other, &mut numbers, index) {
                let expected = !decoder.decode(&almost).readings.is_empty();
                let found = rewritten::<K>(&almost);
                assert_eq!(found.is_some(), expected, "{}: {almost:02x?}", K::NAME);
                assert!(found.is_none_or(|found| found == almost), "{}: {almost:02x?}", K::NAME);
            }
        }
    }

    /// Compares the text and the JSON of a key with those of the CLI, and reads them again.
    fn check_text<K: Keyspace>(&self, id: KeyspaceId, bytes: &[u8], fields: &Record)
    where
        for<'k> K::Key<'k>: Textual,
    {
        let segments = &self.layout.keyspace(id).key;
        let datum = K::decode(bytes).unwrap().to_datum();
        let line = text::show(&datum).to_string();
        assert_eq!(line, datum::line(segments, fields, datum::Extent::Whole), "{}", K::NAME);
        let mut json = Vec::new();
        json::put_record(segments, fields, &mut json);
        let value: serde_json::Value = serde_json::from_slice(&json).unwrap();
        assert_eq!(serde_json::to_value(&datum).unwrap(), value, "{}", K::NAME);
        let from_json: TextDatum = serde_json::from_slice(&json).unwrap();
        let read = [text::parse::<K::Key<'_>>(&line), K::Key::from_datum(from_json)];
        for key in read {
            let key = key.unwrap_or_else(|error| panic!("{}: {line}: {error}", K::NAME));
            let mut again = Vec::new();
            K::encode(&key, &mut again).unwrap();
            assert_eq!(again, bytes, "{}: {line}", K::NAME);
        }
    }

    /// Checks that no keyspace was left out.
    pub(crate) fn finish(&self) {
        let left = self.layout.keyspace_ids().filter(|id| !self.covered.contains(id));
        let left: Vec<&str> = left.map(|id| self.layout.keyspace(id).name.as_str()).collect();
        assert_eq!(left, [""; 0], "not compared");
    }

    fn keys(&self, id: KeyspaceId) -> Vec<Vec<u8>> {
        let keyspace = self.layout.keyspace(id);
        let numbers = Rng::with_seed(u64::from(id.0) + 1);
        let mut values = Values { numbers, samples: BTreeMap::new() };
        let mut keys = Vec::new();
        for round in 0..KEYS * 4 {
            let record = values.record(&keyspace.key, round);
            if let Ok(key) = keyspace.encode(&record) {
                keys.push(key);
            }
            if keys.len() >= KEYS {
                break;
            }
        }
        keys.sort();
        keys.dedup();
        keys
    }
}

/// Decodes a key with generated code and encodes it again, twice: as decoded, and owned.
fn rewritten<K: Keyspace>(bytes: &[u8]) -> Option<Vec<u8>> {
    let key = K::decode(bytes).ok()?;
    let mut buffer = K::Buffer::default();
    K::encode(&key, &mut buffer).unwrap_or_else(|error| panic!("{}: {error}", K::NAME));
    let written = buffer.written().unwrap().to_vec();
    let mut again = Vec::new();
    K::encode(&K::into_owned(key), &mut again).unwrap();
    assert_eq!(again, written, "{}: owned keys differ", K::NAME);
    Some(written)
}

/// Random values of fields.
struct Values {
    numbers: Rng,
    /// The samples of each codec, by its text. To compute them takes longer than to encode a key.
    samples: BTreeMap<String, Vec<Value>>,
}

impl Values {
    /// Returns values for all fields; simple and extreme ones first.
    fn record(&mut self, segments: &[Segment], round: usize) -> Record {
        let mut record = Record::default();
        self.fill(segments, round, &mut record);
        record
    }

    fn fill(&mut self, segments: &[Segment], round: usize, record: &mut Record) {
        for segment in segments {
            match segment {
                Segment::Literal(_) | Segment::Derived(_) => {}
                Segment::Field(field) => {
                    record.set(field.name.clone(), self.sample(&field.ty, round));
                }
                Segment::Option(option) => {
                    if self.numbers.bool() {
                        self.fill(&option.segments, round, record);
                    }
                }
            }
        }
    }

    fn sample(&mut self, ty: &Type, round: usize) -> Datum {
        let numbers = &mut self.numbers;
        match ty {
            Type::Leaf(leaf) => {
                let text = leaf.codec.text();
                let samples = self.samples.entry(text).or_insert_with(|| leaf.codec.samples());
                let index = if round < 4 { round } else { numbers.usize(..samples.len()) };
                Datum::Leaf(samples[index.min(samples.len() - 1)].clone())
            }
            Type::Enum(of) => Datum::Name(of.texts[numbers.usize(..of.texts.len())].clone()),
            Type::Composite(segments) => Datum::Record(self.record(segments, round)),
            Type::Variant(arms) => {
                let arm = &arms[numbers.usize(..arms.len())];
                Datum::Arm(arm.name.clone(), self.record(&arm.segments, round))
            }
            Type::List(list) => {
                let count = list.min as usize + numbers.usize(..=(list.max - list.min) as usize);
                Datum::List((0..count).map(|_| self.sample(&list.element, round)).collect())
            }
        }
    }
}

/// Returns bytes that are almost a key.
fn mutations(key: &[u8], other: &[u8], numbers: &mut Rng, index: usize) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    let at = numbers.usize(..key.len().max(1));
    found.push(key[..at].to_vec());
    found.push([key, &[0]].concat());
    found.push([key, b"-"].concat());
    if !key.is_empty() {
        let mut flipped = key.to_vec();
        flipped[at] ^= 1 << numbers.u8(..8);
        found.push(flipped);
        let mut replaced = key.to_vec();
        replaced[at] = b"\x00\xff/:-_0a"[index % 8];
        found.push(replaced);
        let mut shorter = key.to_vec();
        shorter.remove(at);
        found.push(shorter);
        let mut longer = key.to_vec();
        longer.insert(at, key[numbers.usize(..key.len())]);
        found.push(longer);
    }
    let cut = numbers.usize(..other.len().max(1)).min(other.len());
    found.push([&key[..at.min(key.len())], &other[cut..]].concat());
    found
}
