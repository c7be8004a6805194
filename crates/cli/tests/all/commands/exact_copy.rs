//! Tests that an export and import copies any database byte for byte.

use crate::harness::Folder;
use keyscape_layout::{
    Datum, Layout, NoImports, Record, RowDatum, encode_type, encode_value,
    model::{KeyspaceId, KeyspaceKind, RowValue, Segment, Type},
    read,
};
use keyscape_runtime::record::{self, Family, Item, Kind, State};
use keyscape_store::{Db, KeyRange, Read, StoreId};
use keyscape_store_redb::Options;
use proptest::{
    prelude::*,
    test_runner::{RngAlgorithm, TestRng},
};
use std::path::Path;

const BANK: &str = include_str!("../../../../../layouts/bank/sound.keys");
const ONESAT: &str = include_str!("../../../../../layouts/onesat/sound.keys");
/// The number of databases whose rows are drawn, and copied as one.
const DRAWS: u64 = 6;

type Row = (String, Vec<u8>, Vec<u8>);

/// Draws values of a layout.
struct Draw<'l> {
    layout: &'l Layout,
    rng: TestRng,
}

impl Draw<'_> {
    fn below(&mut self, end: usize) -> usize {
        self.rng.random_range(0..end.max(1))
    }

    fn bytes(&mut self, max: usize) -> Vec<u8> {
        let length = self.below(max + 1);
        (0..length).map(|_| self.rng.random()).collect()
    }

    fn record(&mut self, segments: &[Segment]) -> Record {
        let mut record = Record::default();
        for segment in segments {
            match segment {
                Segment::Field(field) => record.set(field.name.clone(), self.datum(&field.ty)),
                Segment::Option(option) => {
                    if self.rng.random() {
                        record.0.extend(self.record(&option.segments).0);
                    }
                }
                Segment::Literal(_) | Segment::Derived(_) => {}
            }
        }
        record
    }

    fn datum(&mut self, ty: &Type) -> Datum {
        match ty {
            Type::Leaf(leaf) => {
                let samples = leaf.codec.samples();
                let drawn = self.below(samples.len());
                Datum::Leaf(samples[drawn].clone())
            }
            Type::Enum(of) => {
                let drawn = self.below(of.texts.len());
                Datum::Name(of.texts[drawn].clone())
            }
            Type::Composite(segments) => Datum::Record(self.record(segments)),
            Type::Variant(arms) => {
                let arm = &arms[self.below(arms.len())];
                Datum::Arm(arm.name.clone(), self.record(&arm.segments))
            }
            Type::List(list) => {
                let count = (list.min as usize).max(1);
                Datum::List((0..count).map(|_| self.datum(&list.element)).collect())
            }
        }
    }

    fn encoded(&mut self, ty: &Type) -> Vec<u8> {
        let (datum, mut out) = (self.datum(ty), Vec::new());
        encode_type(ty, "drawn", &datum, &mut out).unwrap();
        out
    }

    /// Draws a value of the declared form, or occasionally another one.
    fn value(&mut self, id: KeyspaceId) -> Vec<u8> {
        let keyspace = self.layout.keyspace(id);
        if self.below(8) == 0 {
            return self.bytes(6);
        }
        let reads = keyspace.reads.is_some() && self.below(3) == 0;
        let form = if reads { &keyspace.reads } else { &keyspace.value };
        let datum = match form {
            Some(RowValue::Empty | RowValue::Const(_)) => RowDatum::Nothing,
            Some(RowValue::Json(_)) => {
                let texts =
                    ["null", "{\"a\": [1,  2]}", "\"0x\\u0000\"", " 1", "{\n}", "1e400", "[", ""];
                RowDatum::Json(texts[self.below(texts.len())].to_owned())
            }
            Some(RowValue::Typed(typed)) => RowDatum::Datum(self.datum(&typed.ty)),
            Some(RowValue::Proto(_) | RowValue::Own(_)) | None => RowDatum::Bytes(self.bytes(9)),
        };
        let mut out = Vec::new();
        encode_value(form.as_ref(), &datum, &mut out).unwrap();
        out
    }

    /// Draws rows of a keyspace with their index entries.
    fn rows(&mut self, id: KeyspaceId, rows: &mut Vec<Row>) {
        let keyspace = self.layout.keyspace(id);
        let space = self.layout.store(keyspace.store).name.clone();
        let structures = self.layout.store(keyspace.store).structures;
        for number in 0..self.below(6) {
            let fields = self.record(&keyspace.key);
            let Ok(key) = keyspace.encode(&fields) else { continue };
            match keyspace.kind {
                // Entries are drawn with the rows of their map.
                KeyspaceKind::Index => {}
                KeyspaceKind::Hash
                | KeyspaceKind::Set
                | KeyspaceKind::Zset
                | KeyspaceKind::Queue => {
                    self.records(id, &key, &space, rows);
                }
                _ if keyspace.hash.is_some() => {}
                _ => {
                    let value = self.value(id);
                    let stored = if structures { record::row(&key) } else { key };
                    rows.push((space.clone(), stored, value));
                    self.entries(id, &fields, number, &space, rows);
                }
            }
        }
    }

    fn entries(
        &mut self,
        map: KeyspaceId,
        fields: &Record,
        number: usize,
        space: &str,
        rows: &mut Vec<Row>,
    ) {
        for index in self.layout.keyspaces.iter().filter(|index| index.of == Some(map)) {
            let owner = self.layout.keyspace(map);
            let mut entry = Record::default();
            for field in keyscape_layout::fields(&index.key) {
                let number = Datum::Leaf(keyscape_codec::Value::uint(number as u128));
                entry.set(field.name.clone(), fields.get(&field.name).cloned().unwrap_or(number));
            }
            let value = match (index.unique, self.below(2)) {
                (true, _) => owner.encode(fields).unwrap().split_off(1),
                // The form after `reads`.
                (false, 0) => vec![0],
                (false, _) => Vec::new(),
            };
            rows.push((space.to_owned(), index.encode(&entry).unwrap(), value));
        }
    }

    /// Draws records of one structure; they need not be consistent.
    fn records(&mut self, id: KeyspaceId, structure: &[u8], space: &str, rows: &mut Vec<Row>) {
        let layout = self.layout;
        let keyspace = layout.keyspace(id);
        let width = keyspace.score.as_ref().and_then(|score| score.fixed_length());
        let member = keyspace.member.as_ref().map(|ty| self.encoded(ty)).unwrap_or_default();
        let score = keyspace.score.as_ref().map(|ty| self.encoded(ty)).unwrap_or_default();
        let mut sorted = Vec::new();
        record::put_score(&score, width, &mut sorted);
        sorted.extend_from_slice(&member);
        let at: u64 = self.rng.random();
        let timed = [&at.to_be_bytes()[..], &member].concat();
        let number = at.to_be_bytes().to_vec();
        let mut put = |kind, family, rest: &[u8], value: Vec<u8>| {
            let mut key = Vec::new();
            record::begin(kind, structure, family, &mut key);
            key.extend_from_slice(rest);
            rows.push((space.to_owned(), key, value));
        };
        match keyspace.kind {
            KeyspaceKind::Set => {
                put(Kind::Set, Family::Member, &member, Vec::new());
                put(Kind::Set, Family::Count, &[], number);
            }
            KeyspaceKind::Zset => {
                put(Kind::Zset, Family::Member, &member, score);
                put(Kind::Zset, Family::Score, &sorted, Vec::new());
                put(Kind::Zset, Family::Count, &[], number.clone());
                put(Kind::Zset, Family::Rank, &[1, 2, 3], [number.clone(), number].concat());
            }
            KeyspaceKind::Queue => {
                let state = [State::Ready, State::Waiting(at), State::Leased(at), State::Dead];
                let again = at.is_multiple_of(2).then(|| score.clone().into());
                let token = at / 3;
                for state in state {
                    let (again, score) = (again.clone(), score.clone().into());
                    let item = Item { state, attempts: at as u32, token, score, again };
                    let rest = [&member[..], &[]].concat();
                    put(Kind::Queue, Family::Item, &rest, item.bytes(width));
                }
                put(Kind::Queue, Family::Ready, &sorted, Vec::new());
                put(Kind::Queue, Family::Waiting, &timed, Vec::new());
                put(Kind::Queue, Family::Leased, &timed, Vec::new());
                put(Kind::Queue, Family::Dead, &member, Vec::new());
                put(Kind::Queue, Family::Token, &[], number);
            }
            _ => {
                let own =
                    layout.keyspace_ids().filter(|&field| layout.keyspace(field).hash == Some(id));
                let fields: Vec<(Vec<u8>, Vec<u8>)> = own
                    .filter_map(|field| {
                        let fields = self.record(&layout.keyspace(field).key);
                        Some((layout.keyspace(field).encode(&fields).ok()?, self.value(field)))
                    })
                    .collect();
                fields
                    .into_iter()
                    .for_each(|(rest, value)| put(Kind::Hash, Family::Field, &rest, value));
            }
        }
    }

    /// Draws all rows of a database; some fit no keyspace.
    fn database(&mut self) -> Vec<Row> {
        let mut rows = Vec::new();
        for id in self.layout.keyspace_ids() {
            self.rows(id, &mut rows);
        }
        for _ in 0..self.below(5) {
            let store = &self.layout.stores[self.below(self.layout.stores.len())];
            let (mut key, value) = (self.bytes(12), self.bytes(5));
            if let Some((_, near, _)) = rows.iter().find(|(space, ..)| *space == store.name) {
                let cut = self.below(near.len());
                key = [&near[..cut], &key].concat();
            }
            // A row of a map would need its entries; an unused first byte avoids that.
            key.insert(0, 0xfe);
            rows.push((store.name.clone(), key, value));
        }
        rows
    }
}

/// Returns all rows of a file, including the metadata of its layout.
fn all_rows(file: &Path) -> Vec<Row> {
    let db = Db::new(Options::new().open_all_spaces(file).unwrap());
    let state = db.read().unwrap();
    let mut rows = Vec::new();
    for (id, space) in db.spaces().iter() {
        let found = state.rows(id, KeyRange::all()).unwrap().to_vec().unwrap();
        rows.extend(found.into_iter().map(|(key, value)| (space.to_owned(), key, value)));
    }
    rows
}

fn copies_are_exact(text: &str, seed: u8) {
    let layout = read("l.keys", text, &mut NoImports).unwrap();
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32]);
    let mut draw = Draw { layout: &layout, rng };
    let rows: Vec<Row> = (0..DRAWS).flat_map(|_| draw.database()).collect();
    let folder = Folder::new().database("a", text);
    let file = folder.path().join("a.redb");
    let names: Vec<&str> = layout.stores.iter().map(|store| store.name.as_str()).collect();
    folder.write("a.redb", &names, |tx| {
        rows.iter().try_for_each(|(space, key, value)| tx.put(StoreId::of(space), key, value))
    });
    let lines = folder.stdout(&["export", "a.redb", "--layout", "a.keys"]);
    // Most rows must be decoded, otherwise the test covers little.
    let exported = lines.lines().count();
    let as_bytes = lines.lines().filter(|line| line.contains("\"key\":")).count();
    assert!(exported > 50 && as_bytes * 4 < exported, "{as_bytes} of {exported} lines are bytes");
    let import = ["import", "--create", "b.redb", "--layout", "a.keys"];
    let answer = folder.run_with(&import, lines);
    // Random records are inconsistent, and the import reports that.
    let is_whole =
        answer.ends_with("--- exit 0\n") || answer.contains("rows with these findings\n");
    assert!(is_whole, "{answer}");
    assert_eq!(all_rows(&folder.path().join("b.redb")), all_rows(&file));
}

#[test]
fn a_copy_of_a_bank_is_exact() {
    copies_are_exact(BANK, 7);
}

#[test]
fn a_copy_of_a_store_of_structures_is_exact() {
    copies_are_exact(ONESAT, 8);
}
