//! The automata of keyspaces, and the readings of keys by the codecs.

use crate::{memo::Memo, verdict::Row};
use keyscape_automata::{Budget, OverBudget};
use keyscape_layout::{
    Decoded, Decoder, Layout, Reading, Record, Side, derived_places,
    machine::Machine,
    model::{Keyspace, KeyspaceId},
};
use std::rc::Rc;

/// The units of work to decode a key, and for each of its readings.
const UNITS_PER_KEY: usize = 32;
const UNITS_PER_READING: usize = 16;

/// The highest number of readings of one key.
const MAX_READINGS: usize = 4096;
/// The highest number of bytes of all readings of a long key together.
const MAX_BYTES: usize = 1 << 22;
/// A key of more bytes than this is long.
const LONG: usize = 4096;
/// The highest number of readings of a key whose derived bytes are corrected.
const MAX_CORRECTED: usize = 64;

/// The results of building automata.
type Machines = Memo<(Vec<KeyspaceId>, Side), Result<Rc<Machine>, OverBudget>>;

/// The automata of a layout, built once, and the codecs. Proofs use the automata, and the codecs
/// confirm their counterexamples.
#[derive(Debug)]
pub struct KeyReader<'a> {
    /// The layout.
    pub layout: &'a Layout,
    /// The budget of each construction and decoding.
    pub budget: Budget<'a>,
    machines: Machines,
}

impl<'a> KeyReader<'a> {
    /// Creates a reader without automata.
    #[must_use]
    pub fn new(layout: &'a Layout, budget: Budget<'a>) -> Self {
        Self { layout, budget, machines: Memo::default() }
    }

    /// Returns a keyspace of the layout.
    #[must_use]
    pub fn keyspace(&self, id: KeyspaceId) -> &'a Keyspace {
        self.layout.keyspace(id)
    }

    /// Returns the automaton of some keyspaces.
    ///
    /// # Errors
    /// [`OverBudget`] if its construction exceeds the budget.
    pub fn machine(&self, keyspaces: &[KeyspaceId], side: Side) -> Result<Rc<Machine>, OverBudget> {
        self.machines.get_or((keyspaces.to_vec(), side), || {
            Machine::build(self.layout, keyspaces, side, self.budget).map(Rc::new)
        })
    }

    /// Returns the codecs of some keyspaces that have no exact automaton.
    #[must_use]
    pub fn inexact(&self, keyspaces: &[KeyspaceId]) -> Vec<String> {
        let mut codecs = Vec::new();
        for &keyspace in keyspaces {
            if let Ok(machine) = self.machine(&[keyspace], Side::Over) {
                codecs.extend(machine.tracks().flat_map(|track| machine.inexact_codecs(track)));
            }
        }
        codecs.sort();
        codecs.dedup();
        codecs
    }

    /// Decodes a key and charges the work. `verifies` says whether derived bytes must be correct.
    /// Without an automaton, there may be any readings.
    fn decode(&self, key: &[u8], keyspaces: &[KeyspaceId], verifies: bool) -> Decoded {
        let Ok(machine) = self.machine(keyspaces, Side::Over) else {
            return Decoded { more: true, ..Decoded::default() };
        };
        let max_readings = match key.len() {
            length if verifies && length > LONG => (MAX_BYTES / length).max(2),
            _ => MAX_READINGS,
        };
        let decoder = Decoder::new(self.layout, &machine).with_limit(max_readings);
        let mut decoder = if verifies { decoder } else { decoder.without_verifying() };
        let decoded = decoder.decode(key);
        let readings = decoded.readings.len().saturating_mul(UNITS_PER_READING);
        let units = UNITS_PER_KEY.saturating_add(readings).saturating_add(decoder.work());
        // If too little is left, nothing is left, and the next search fails.
        let _ = self.budget.total.map(|total| total.take(units));
        decoded
    }

    /// Whether a key has more readings than are listed.
    pub(crate) fn has_more_readings(&self, key: &[u8], keyspace: KeyspaceId) -> bool {
        self.decode(key, &[keyspace], true).more
    }

    /// Returns the readings of a key in some keyspaces, or `None` if there may be more of them.
    #[must_use]
    pub fn readings(&self, key: &[u8], keyspaces: &[KeyspaceId]) -> Option<Vec<Row>> {
        if keyspaces.is_empty() {
            return Some(Vec::new());
        }
        let decoded = self.decode(key, keyspaces, true);
        let row = |Reading { keyspace, fields, .. }| Row { key: key.to_vec(), keyspace, fields };
        let is_complete = !decoded.more && !decoded.too_ambiguous;
        is_complete.then(|| decoded.readings.into_iter().map(row).collect())
    }

    /// Returns the readings of a key in one keyspace that encode to the key.
    pub(crate) fn exact_rows(&self, key: &[u8], id: KeyspaceId) -> Vec<Row> {
        self.encoded(self.decode(key, &[id], true), id).filter(|row| row.key == key).collect()
    }

    /// Returns the rows of a key with corrected derived bytes. Automata accept arbitrary derived
    /// bytes, so the keys of these rows may differ from the key.
    pub(crate) fn corrected_rows(&self, key: &[u8], id: KeyspaceId) -> Vec<Row> {
        if derived_places(&self.keyspace(id).key).is_empty() {
            return Vec::new();
        }
        let mut decoded = self.decode(key, &[id], false);
        decoded.readings.truncate(MAX_CORRECTED);
        self.encoded(decoded, id).collect()
    }

    /// Returns the rows of a key in one keyspace, each encoded again. If the key has none, returns
    /// its rows with corrected derived bytes.
    #[must_use]
    pub fn rows(&self, key: &[u8], id: KeyspaceId) -> Vec<Row> {
        let rows = self.exact_rows(key, id);
        if rows.is_empty() { self.corrected_rows(key, id) } else { rows }
    }

    /// Encodes the readings of one keyspace again.
    fn encoded(&self, decoded: Decoded, id: KeyspaceId) -> impl Iterator<Item = Row> {
        let encoder = self.keyspace(id);
        let row = move |fields: Record| {
            Some(Row { key: encoder.encode(&fields).ok()?, keyspace: id, fields })
        };
        decoded.readings.into_iter().filter_map(move |reading| row(reading.fields))
    }
}
