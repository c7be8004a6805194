//! The facts that reports state about random layouts agree with enumeration: the bytes that keys
//! begin with, the places at which keys can be split, the readings of examples, and the other
//! values whose rows a scan reads.

use keyscape_automata::Budget;
use keyscape_codec::{Uint, Value};
use keyscape_layout::{
    Datum, Machine, NoImports, Side, derived_places,
    model::{KeyspaceId, StoreId},
    prefix_map::Prefixes,
    read,
    traverse::{ItemKind, traverse},
};
use keyscape_oracle::{Oracle, Words, generate};
use keyscape_prover::{
    Claim, Config, Fault, Occurrence, ScanFault, ScannedRow, Separator, Verdict, check,
    foreign_values, separators,
};
use std::{collections::BTreeSet, sync::LazyLock};

const LAYOUTS: u64 = 150;
const MAX_ROWS: usize = 4_000;
/// The least number of facts of each sort that the test compares.
const ENOUGH: usize = 15;

/// Returns the rows of random layouts, listed once.
fn oracles() -> &'static [Oracle<'static>] {
    static LISTED: LazyLock<Vec<Oracle<'static>>> = LazyLock::new(|| {
        let mut words = Words::default();
        let texts = (0..LAYOUTS).map(|seed| generate(seed, 4).to_string());
        let read = texts.filter_map(|text| read("random.keys", &text, &mut NoImports).ok());
        read.filter_map(|layout| {
            Oracle::new(Box::leak(Box::new(layout)), &mut words, &[], MAX_ROWS).ok()
        })
        .collect()
    });
    &LISTED
}

/// Whether the rows of a keyspace are all rows, and its automaton has no other words.
fn is_exact(oracle: &Oracle<'_>, id: KeyspaceId) -> bool {
    let layout = oracle.layout;
    let machine = Machine::build(layout, &[id], Side::Over, Budget::default());
    let Ok(machine) = machine else { return false };
    oracle.is_complete(id)
        && derived_places(&layout.keyspace(id).key).is_empty()
        && machine.tracks().all(|track| machine.inexact_codecs(track).is_empty())
}

#[test]
fn prefix_maps_have_the_first_bytes_of_all_keys() {
    let (mut exact, mut through_fields) = (0, 0);
    for oracle in oracles() {
        let layout = oracle.layout;
        for store in (0..layout.stores.len() as u32).map(StoreId) {
            let maps = Prefixes::new(layout, store).maps();
            for id in layout.keyspace_ids() {
                let keyspace = layout.keyspace(id);
                if keyspace.store != store || keyspace.hash.is_some() {
                    continue;
                }
                let map = maps.iter().find(|map| map.family == keyspace.family).unwrap();
                let marked =
                    map.cells.iter().filter(|cell| cell.keyspaces.contains(&keyspace.name));
                let marked: BTreeSet<u8> = marked.map(|cell| cell.byte).collect();
                let firsts = oracle.rows(id).iter().filter_map(|row| row.key.first().copied());
                let firsts: BTreeSet<u8> = firsts.collect();
                let text = layout.text();
                assert!(
                    firsts.is_subset(&marked),
                    "{} {firsts:x?} {marked:x?}\n{text}",
                    keyspace.name
                );
                if is_exact(oracle, id) {
                    assert_eq!(firsts, marked, "{}\n{text}", keyspace.name);
                    exact += 1;
                    through_fields += usize::from(firsts.len() > 1);
                }
            }
        }
    }
    assert!(exact >= ENOUGH && through_fields >= ENOUGH, "{exact} {through_fields}");
}

/// Returns the length of the shortest part before a separator in which the separator begins too
/// early.
fn shortest_early(oracle: &Oracle<'_>, id: KeyspaceId, separator: &Separator) -> Option<usize> {
    let early = |row: &keyscape_oracle::Row| {
        let at = |place: u32| {
            let mut steps = row.steps.iter().filter(|step| step.place == place);
            steps.next().map(|step| step.from).filter(|_| steps.next().is_none())
        };
        let part = row.key.get(at(separator.start.0)?..at(separator.place.0)?)?;
        let word = [part, &separator.bytes].concat();
        let first = word.windows(separator.bytes.len()).position(|w| w == separator.bytes)?;
        (first < part.len()).then_some(part.len())
    };
    oracle.rows(id).iter().filter_map(early).min()
}

#[test]
fn keys_can_be_split_where_documents_say_so() {
    let (mut safe, mut unsafe_) = (0, 0);
    for oracle in oracles() {
        let layout = oracle.layout;
        for id in layout.keyspace_ids() {
            let key = &layout.keyspace(id).key;
            if traverse(key).any(|item| matches!(item.kind, ItemKind::List(_))) {
                continue;
            }
            for separator in separators(layout, id) {
                let early = shortest_early(oracle, id, &separator);
                let text = layout.text();
                match &separator.occurrence {
                    Occurrence::Never => {
                        assert_eq!(early, None, "{separator:?}\n{text}");
                        safe += 1;
                    }
                    Occurrence::Inside(word) | Occurrence::Across(word) => {
                        if is_exact(oracle, id) {
                            assert_eq!(early, Some(word.len()), "{separator:?}\n{text}");
                            unsafe_ += 1;
                        }
                    }
                    Occurrence::Perhaps => {}
                }
            }
        }
    }
    assert!(safe >= ENOUGH && unsafe_ >= ENOUGH, "{safe} {unsafe_}");
}

#[test]
fn examples_have_the_readings_of_their_keys() {
    let (mut one, mut several) = (0, 0);
    for oracle in oracles() {
        let layout = oracle.layout;
        for store in (0..layout.stores.len() as u32).map(StoreId) {
            for (id, example) in layout.examples(store) {
                let Ok(example) = example else { continue };
                if !oracle.is_space_complete(id) {
                    continue;
                }
                let space = &layout.space(layout.keyspace(id).space).keyspaces;
                let rows =
                    space.iter().flat_map(|&id| oracle.rows(id).iter().map(move |r| (id, r)));
                let rows: Vec<_> = rows.filter(|(_, row)| row.key == example.key).collect();
                let readings: BTreeSet<_> =
                    rows.iter().map(|(id, row)| (*id, row.reading())).collect();
                let text = layout.text();
                assert_eq!(example.readings, Some(readings.len()), "{example:?}\n{text}");
                // If a codec loses a part of a value, the reading has another value.
                let is_lossy = rows.len() > readings.len();
                assert!(example.parts.is_some() || is_lossy, "{example:?}\n{text}");
                *if readings.len() > 1 { &mut several } else { &mut one } += 1;
            }
        }
    }
    assert!(one >= ENOUGH && several >= ENOUGH, "{one} {several}");
}

/// Compares the values of the foreign row of a claim with all rows of the oracle. Returns the
/// number of values, or `None` if the claim has no such row.
fn compare_foreign_values(oracle: &Oracle<'_>, claim: &Claim) -> Option<usize> {
    let keyspace = oracle.layout.keyspace(claim.keyspace);
    let Verdict::Refuted(found) = &claim.verdict else { return None };
    let Fault::ScanExact(found) = &found.fault else { return None };
    let ScannedRow { fault: ScanFault::Foreign, asked, interval, row } = found else {
        return None;
    };
    let path = &keyspace.scans[claim.scan?].leading[0];
    let is_foreign = |value: &Datum| {
        let mut fields = row.fields.clone();
        fields.set_path(path, value.clone());
        asked.get_path(path) != Some(value)
            && oracle
                .rows(claim.keyspace)
                .iter()
                .any(|known| known.fields == fields && interval.contains(&known.key))
    };
    let Datum::Leaf(Value::Uint(first)) = row.fields.get_path(path)? else { return None };
    let numbers = std::iter::successors(Some(*first), |number| number.checked_add(Uint::ONE));
    let data = numbers.map(|number| Datum::Leaf(Value::Uint(number)));
    let expected: Vec<Datum> = data.take_while(is_foreign).collect();
    let values: Vec<Datum> = foreign_values(keyspace, path, found).collect();
    assert_eq!(values, expected, "{claim:?}\n{}", oracle.layout.text());
    Some(values.len())
}

#[test]
fn reported_values_are_those_whose_rows_a_scan_also_reads() {
    let mut counts = BTreeSet::new();
    for codec in ["u8", "desc(u8)", "dec(u8)", "dec(u8) in 9..=120", "dec0(u8)[3]", "hex(u8)"] {
        for scan in ["a as \"o/\" {a}", "a as \"o/\"", "a as \"o/\" {a} .. \"o/5\""] {
            let text = format!(
                "store s map m = \"o/\" {{a: {codec}}} \"/\" {{n: u8 in 0..=1}} -> empty scan {scan}"
            );
            let layout = read("scan.keys", &text, &mut NoImports).unwrap();
            let mut words = Words::default();
            let oracle = Oracle::new(&layout, &mut words, &[], MAX_ROWS).unwrap();
            assert!(oracle.is_complete(KeyspaceId(0)));
            let report = check(&layout, Config { fixes: false, ..Config::default() });
            counts.extend(report.claims.iter().filter_map(|c| compare_foreign_values(&oracle, c)));
        }
    }
    assert!(counts.len() > 5);
}
