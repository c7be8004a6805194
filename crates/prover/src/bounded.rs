//! KS006: no key is longer than the backend allows, and none is empty if the backend rejects empty
//! keys.
//!
//! Only the lengths of the parts of a key matter, so the search adds sets of lengths. It then
//! constructs the shortest key above the limit. In a store of structures, the records of the
//! structures count, unless the backend has structures of its own.

use crate::{
    context::Context,
    replay,
    verdict::{Fault, Row, StoredRecord, Unknown, Verdict},
};
use keyscape_automata::OverBudget;
use keyscape_layout::{
    Backend, Datum, RECORD_FIELD, RECORD_KEY, Record, Side,
    machine::{LONGEST_SPELLED, Machine},
    model::KeyspaceId,
};

pub(crate) fn check(
    context: &Context<'_>,
    keyspace: KeyspaceId,
    backend: &'static Backend,
) -> Verdict {
    let store = context.layout.store(context.layout.keyspace(keyspace).store);
    if store.structures && !backend.has_structures {
        return of_records(context, keyspace, backend);
    }
    let ids = [keyspace];
    let empty = match backend.empty_key {
        true => Ok(None),
        false => refused(context, &ids, &empty_key, &<[u8]>::is_empty),
    };
    match (empty, too_long(context, &ids, backend)) {
        (Ok(Some((row, minimal))), long) => {
            // A key that is too long to construct is replaced by a shorter one, which fits.
            let long = long.ok().flatten().filter(|long| long.row.key.len() == long.length);
            let long = long.map(|long| long.row);
            let fault = Fault::Bounded { backend, row, length: 0, long, record: None };
            Verdict::refuted(fault, minimal)
        }
        (_, Ok(Some(TooLong { row, length, minimal }))) => {
            let fault = Fault::Bounded { backend, row, length, long: None, record: None };
            Verdict::refuted(fault, minimal)
        }
        (Ok(None), Ok(None)) => Verdict::Proved,
        (Err(unknown), _) | (_, Err(unknown)) => Verdict::Unknown(unknown),
    }
}

/// Decides KS006 for the records of a keyspace, which are never empty.
fn of_records(context: &Context<'_>, keyspace: KeyspaceId, backend: &'static Backend) -> Verdict {
    let Some(records) = context.layout.records(keyspace) else {
        let limit = context.config.budget.states;
        return Verdict::Unknown(Unknown::Budget(OverBudget { what: "automaton states", limit }));
    };
    let inner = context.beside(&records);
    let ids: Vec<KeyspaceId> = records.keyspace_ids().collect();
    let TooLong { row: found, length, minimal } = match too_long(&inner, &ids, backend) {
        Ok(None) => return Verdict::Proved,
        Ok(Some(found)) => found,
        Err(unknown) => return Verdict::Unknown(unknown),
    };
    let form = records.keyspace(found.keyspace).name.clone();
    let mut rest = Record::default();
    let mut fields = Record::default();
    for (name, datum) in found.fields.0 {
        match datum {
            Datum::Record(key) if name == RECORD_KEY => fields = key,
            Datum::Record(field) if name == RECORD_FIELD => rest.0.extend(field.0),
            datum => rest.set(name, datum),
        }
    }
    let Ok(key) = context.layout.keyspace(keyspace).encode(&fields) else {
        return Verdict::Unknown(Unknown::Bug { key: found.key });
    };
    let row = Row { key, keyspace, fields };
    let record = Some(StoredRecord { bytes: found.key, form, rest });
    Verdict::refuted(Fault::Bounded { backend, row, length, long: None, record }, minimal)
}

/// A key above the limit.
struct TooLong {
    /// The key, or a shorter one if the key is too long to construct.
    row: Row,
    length: usize,
    /// Whether no key above the limit is shorter.
    minimal: bool,
}

/// If the shortest key above the limit is too long to construct, a key of at least this many bytes
/// is shown instead.
const SHOWN: usize = 1024;

/// Returns a shortest key above the limit.
fn too_long(
    context: &Context<'_>,
    ids: &[KeyspaceId],
    backend: &Backend,
) -> Result<Option<TooLong>, Unknown> {
    let (max_length, budget) = (backend.longest_key, context.budget());
    let least = max_length.saturating_add(1);
    let length = |side| {
        let machine = context.reader.machine(ids, side).map_err(Unknown::Budget)?;
        if machine.longest().is_some_and(|longest| longest <= max_length) {
            return Ok(None);
        }
        machine.least_length(least, budget).map_err(Unknown::Budget)
    };
    let Some(shortest) = length(Side::Over)? else { return Ok(None) };
    let spell = |least: usize| {
        let find = |machine: &Machine| machine.key_of_length(least, budget);
        refused(context, ids, &find, &|key| key.len() >= least)
    };
    if shortest <= LONGEST_SPELLED {
        let found = spell(least)?;
        return Ok(found.map(|(row, minimal)| TooLong { length: row.key.len(), row, minimal }));
    }
    // The lengths of encodings are known without their bytes.
    let codecs = context.reader.inexact(ids);
    let real = if codecs.is_empty() { Some(shortest) } else { length(Side::Under)? };
    let (Some(length), Some((row, _))) = (real, spell(SHOWN)?) else {
        return Err(Unknown::Inexact { codecs });
    };
    Ok(Some(TooLong { row, length, minimal: length == shortest }))
}

/// The result of a search for a key.
type Searched = Result<Option<Vec<u8>>, OverBudget>;

fn empty_key(machine: &Machine) -> Searched {
    Ok((machine.nearest(machine.start()) == 0).then(Vec::new))
}

/// Returns a row of some keyspaces whose key the backend rejects, and whether it is minimal. `find`
/// searches for such a key in an automaton.
fn refused(
    context: &Context<'_>,
    ids: &[KeyspaceId],
    find: &dyn Fn(&Machine) -> Searched,
    is_refused: &dyn Fn(&[u8]) -> bool,
) -> Result<Option<(Row, bool)>, Unknown> {
    let find = |side| find(&*context.reader.machine(ids, side)?);
    replay::search(context, ids, find, |key, side| {
        // Correcting derived bytes can change the length of the key.
        let mut rows = ids.iter().flat_map(|&id| context.reader.rows(key, id));
        let row = rows.find(|row| is_refused(&row.key))?;
        let minimal = side == Side::Over && row.key.len() <= key.len();
        Some((row, minimal))
    })
}
