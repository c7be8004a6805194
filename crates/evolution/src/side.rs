//! One of two layouts that are compared: its machines, and the readings of keys by its codecs.

use hashbrown::HashMap;
use keyscape_automata::{Budget, OverBudget};
use keyscape_layout::{
    Decoded, Decoder, Layout, Reading, Record, Side as Bound, derived_places,
    machine::Machine,
    model::{Keyspace, KeyspaceId},
    traverse::{ItemKind, traverse},
};
use keyscape_prover::Row;
use std::{cell::RefCell, rc::Rc};

/// The most readings of one key that are looked at.
const REPLAYED: usize = 1024;
/// The most readings of a key whose derived bytes are corrected.
const CORRECTED: usize = 64;
/// The units of work to decode a key, and for each of its readings.
const UNITS_OF_REPLAY: usize = 32;
const UNITS_PER_READING: usize = 16;

type Machines = HashMap<(Vec<KeyspaceId>, Bound), Result<Rc<Machine>, OverBudget>>;

/// One of two layouts that are compared.
pub(crate) struct Side<'a> {
    pub(crate) layout: &'a Layout,
    budget: Budget<'a>,
    machines: RefCell<Machines>,
}

impl<'a> Side<'a> {
    pub(crate) fn new(layout: &'a Layout, budget: Budget<'a>) -> Self {
        Self { layout, budget, machines: RefCell::default() }
    }

    pub(crate) fn keyspace(&self, id: KeyspaceId) -> &'a Keyspace {
        self.layout.keyspace(id)
    }

    /// Returns the machine of some keyspaces.
    pub(crate) fn machine(
        &self,
        keyspaces: &[KeyspaceId],
        bound: Bound,
    ) -> Result<Rc<Machine>, OverBudget> {
        let key = (keyspaces.to_vec(), bound);
        if let Some(known) = self.machines.borrow().get(&key) {
            return known.clone();
        }
        let built = Machine::build(self.layout, keyspaces, bound, self.budget).map(Rc::new);
        self.machines.borrow_mut().insert(key, built.clone());
        built
    }

    /// Whether some codec of a keyspace has no exact automaton, or bytes of its keys are derived.
    pub(crate) fn is_inexact(&self, id: KeyspaceId) -> bool {
        !derived_places(&self.keyspace(id).key).is_empty() || !self.inexact(&[id]).is_empty()
    }

    /// Whether a field of a keyspace may have an empty encoding, which has no place of its own.
    pub(crate) fn has_empty_values(&self, id: KeyspaceId) -> bool {
        traverse(&self.keyspace(id).key).any(|item| match item.kind {
            ItemKind::Leaf(leaf) => {
                let dfa = leaf.language.over();
                dfa.accepts(b"")
            }
            _ => false,
        })
    }

    /// Returns the codecs of some keyspaces that have no exact automaton, and derived bytes.
    pub(crate) fn inexact(&self, keyspaces: &[KeyspaceId]) -> Vec<String> {
        let mut codecs = Vec::new();
        for &id in keyspaces {
            let derived = derived_places(&self.keyspace(id).key);
            codecs.extend(derived.iter().map(|place| place.derived.text()));
            if let Ok(machine) = self.machine(&[id], Bound::Over) {
                codecs.extend(machine.tracks().flat_map(|track| machine.inexact_codecs(track)));
            }
        }
        codecs.sort();
        codecs.dedup();
        codecs
    }

    fn decode(&self, key: &[u8], keyspaces: &[KeyspaceId], verifies: bool) -> Decoded {
        let Ok(machine) = self.machine(keyspaces, Bound::Over) else {
            return Decoded { more: true, ..Decoded::default() };
        };
        let decoder = Decoder::new(self.layout, &machine).with_limit(REPLAYED);
        let mut decoder = if verifies { decoder } else { decoder.without_verifying() };
        let decoded = decoder.decode(key);
        let units = UNITS_OF_REPLAY + decoded.readings.len() * UNITS_PER_READING + decoder.work();
        // If too little is left, nothing is left, and the next search reports it.
        let _ = self.budget.total.map(|total| total.take(units));
        decoded
    }

    /// Returns the readings of a key in some keyspaces; `None` if there may be more of them.
    pub(crate) fn readings(&self, key: &[u8], keyspaces: &[KeyspaceId]) -> Option<Vec<Row>> {
        if keyspaces.is_empty() {
            return Some(Vec::new());
        }
        let decoded = self.decode(key, keyspaces, true);
        let row = |Reading { keyspace, fields, .. }| Row { key: key.to_vec(), keyspace, fields };
        let is_complete = !decoded.more && !decoded.too_ambiguous;
        is_complete.then(|| decoded.readings.into_iter().map(row).collect())
    }

    /// Decodes a key of one keyspace to its rows, and encodes each of them again. Wrong derived
    /// bytes are corrected first.
    pub(crate) fn rows(&self, key: &[u8], id: KeyspaceId) -> Vec<Row> {
        let encoder = self.keyspace(id);
        let row =
            |fields: Record| Some(Row { key: encoder.encode(&fields).ok()?, keyspace: id, fields });
        let found = self.decode(key, &[id], true).readings.into_iter();
        let rows: Vec<Row> =
            found.filter_map(|reading| row(reading.fields)).filter(|row| row.key == key).collect();
        if !rows.is_empty() || derived_places(&encoder.key).is_empty() {
            return rows;
        }
        let found = self.decode(key, &[id], false).readings.into_iter().take(CORRECTED);
        found.filter_map(|reading| row(reading.fields)).collect()
    }
}
