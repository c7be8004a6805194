//! The invariant that all rows fit the layout.

use super::{Broken, broken::Breaches};
use crate::{
    error::Error,
    layout::{txo, txo_undo},
};
use keyscape::{
    ValueForm,
    record::{self, Kind},
    store::{KeyRange, Read, Row, StoreId},
    traits::{Keyspace, Rows},
};

/// Checks that every row of both stores belongs to a keyspace of the layout.
/// [`structures`](super::structures()) checks the contents of records.
///
/// # Errors
/// If the store fails.
pub fn rows(read: &impl Read) -> Result<Vec<Broken>, Error> {
    let mut found = Breaches::of("rows");
    let mut note = |store, key: &[u8], why: String| {
        found.add(Broken::Row { store, key: key.escape_ascii().to_string(), why });
    };
    let store = <txo::Events as Keyspace>::SPACE;
    let mut scan = read.rows(StoreId::of(store), KeyRange::all())?;
    // The records of a structure are consecutive, so its key is checked once.
    let mut last: Option<(Kind, Vec<u8>)> = None;
    while let Some(row) = scan.next()? {
        let record = match record::split(row.key) {
            Ok(record) => record,
            Err(why) => {
                note(store, row.key, why.to_string());
                continue;
            }
        };
        let is_known = last
            .as_ref()
            .is_some_and(|(kind, key)| *kind == record.kind && **key == *record.structure);
        if is_known {
            continue;
        }
        if is_structure(record.kind, &record.structure) {
            last = Some((record.kind, record.structure.into_owned()));
        } else {
            note(store, row.key, "it is of no structure of the layout".to_owned());
        }
    }
    let store = <txo_undo::Units as Keyspace>::SPACE;
    let mut scan = read.rows(StoreId::of(store), KeyRange::all())?;
    while let Some(row) = scan.next()? {
        if let Err(why) = fits_undo(row) {
            note(store, row.key, why);
        }
    }
    Ok(found.reported())
}

fn is_structure(kind: Kind, key: &[u8]) -> bool {
    match kind {
        Kind::Zset => {
            is::<txo::Events>(key)
                || is::<txo::Spent>(key)
                || is::<txo::Topics>(key)
                || is::<txo::TopicTxs>(key)
                || is::<txo::Merkle>(key)
                || is::<txo::SpentBy>(key)
                || is::<txo::Logs>(key)
        }
        Kind::Queue => is::<txo::Tokens>(key) || is::<txo::Subscriptions>(key),
        Kind::Set => {
            is::<txo::Whitelist>(key)
                || is::<txo::Blacklist>(key)
                || is::<txo::Listed>(key)
                || is::<txo::Admitted>(key)
                || is::<txo::Dependents>(key)
                || is::<txo::Sets>(key)
        }
        Kind::Hash => {
            is::<txo::Satoshis>(key)
                || is::<txo::Spends>(key)
                || is::<txo::Progress>(key)
                || is::<txo::Output>(key)
        }
        Kind::Row => false,
    }
}

fn is<K: Keyspace>(key: &[u8]) -> bool {
    K::decode(key).is_ok()
}

fn fits_undo(row: Row<'_>) -> Result<(), String> {
    match row.key.first() {
        Some(b'n') => fits::<txo_undo::NextUnit>(row),
        Some(b'u') => fits::<txo_undo::Units>(row),
        Some(b'r') => fits::<txo_undo::Rows>(row),
        Some(b't') => fits::<txo_undo::OfTxid>(row),
        Some(b'b') => fits::<txo_undo::Blocks>(row),
        Some(b'f') => fits::<txo_undo::Floor>(row),
        _ => Err("it belongs to no keyspace of the layout".to_owned()),
    }
}

fn fits<K: Rows>(row: Row<'_>) -> Result<(), String> {
    K::decode(row.key).map_err(|why| format!("the key does not belong to `{}`: {why}", K::NAME))?;
    let value = K::Value::decode(row.value);
    value.map(drop).map_err(|why| format!("the value does not belong to `{}`: {why}", K::NAME))
}
