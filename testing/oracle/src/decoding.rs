//! The comparison of encoding and decoding with the oracle.

use crate::oracle::Oracle;
use keyscape_automata::Budget;
use keyscape_layout::{Decoder, Machine, Record, Side, model::KeyspaceId};
use std::collections::BTreeSet;

/// The highest number of rows of a space to decode.
const MAX_DECODED: usize = 200;

/// Encodes the values of every row, and decodes the keys of some.
///
/// # Errors
/// Returns the first row whose key or readings differ from the oracle's.
pub(crate) fn compare(oracle: &Oracle<'_>) -> Result<(), String> {
    let layout = oracle.layout;
    for id in layout.keyspace_ids() {
        for row in oracle.rows(id) {
            let encoded = layout.keyspace(id).encode(&row.fields);
            if encoded.as_ref() != Ok(&row.key) {
                return Err(format!(
                    "{:?} is encoded as {encoded:?}, not {:?}",
                    row.fields, row.key
                ));
            }
        }
    }
    for space in &layout.spaces {
        let machine = Machine::build(layout, &space.keyspaces, Side::Over, Budget::default())
            .map_err(|over| over.to_string())?;
        let mut decoder = Decoder::new(layout, &machine);
        let Some(&first) = space.keyspaces.first() else { continue };
        let rows = oracle.space_rows(first);
        for row in rows.iter().step_by(rows.len() / MAX_DECODED + 1) {
            let decoded = decoder.decode(&row.key);
            let readings: Vec<(KeyspaceId, Record)> =
                decoded.readings.into_iter().map(|r| (r.keyspace, r.fields)).collect();
            let known: Vec<(KeyspaceId, &Record)> = rows
                .iter()
                .filter(|other| other.key == row.key)
                .map(|other| (other.keyspace, &other.fields))
                .collect();
            let real = readings.iter().all(|(id, fields)| {
                let encoded = || layout.keyspace(*id).encode(fields);
                known.contains(&(*id, fields))
                    || !oracle.is_complete(*id) && encoded().as_ref() == Ok(&row.key)
            });
            // A lossy codec has one reading for several values.
            let read: BTreeSet<_> = rows
                .iter()
                .filter(|other| other.key == row.key)
                .map(|other| (other.keyspace, other.reading()))
                .collect();
            let complete = oracle.is_space_complete(first);
            let enough = match complete {
                true => readings.len() == read.len(),
                false => readings.len() >= read.len(),
            };
            if !real || !(decoded.more || enough) {
                let key = &row.key;
                return Err(format!("{key:?} is decoded as {readings:?}, and should be {known:?}"));
            }
        }
    }
    Ok(())
}
