//! The invariants that all rows fit the layout, and that the records of each structure are
//! consistent: members with scores, counts with members.

use crate::{
    error::Error,
    layout::{txo, txo_undo},
    undo::key_of,
};
use keyscape::{
    Misfit, StructureReport,
    record::{self, Kind},
    store::{KeyRange, Read, StoreId},
    traits::{Keyspace, Structure},
};
use keyscape_sim::{Breaches, Broken};
use std::fmt::Display;

/// Checks that every row of both stores belongs to a keyspace of the layout.
/// [`structures`] checks the contents of records.
///
/// # Errors
/// If the store fails.
pub fn rows(read: &impl Read) -> Result<Vec<Broken>, Error> {
    let mut found = Breaches::of("rows");
    let mut note = |store: &str, key: &[u8], why: &dyn Display| {
        let key = key.escape_ascii();
        found.add(format_args!("the row `{key}` of the store `{store}`: {why}"));
    };
    let store = <txo::Events as Keyspace>::SPACE;
    let mut scan = read.rows(StoreId::of(store), KeyRange::all())?;
    // The records of a structure are consecutive, so its key is checked once.
    let mut last: Option<(Kind, Vec<u8>)> = None;
    while let Some(row) = scan.next()? {
        let record = match record::split(row.key) {
            Ok(record) => record,
            Err(why) => {
                note(store, row.key, &why);
                continue;
            }
        };
        let is_known = last
            .as_ref()
            .is_some_and(|(kind, key)| *kind == record.kind && **key == *record.structure);
        if is_known {
            continue;
        }
        match txo::fits(store, row.key, row.value) {
            Err(Misfit::Key) => note(store, row.key, &"no structure of the layout has this key"),
            _ => last = Some((record.kind, record.structure.into_owned())),
        }
    }
    let store = <txo_undo::Units as Keyspace>::SPACE;
    let mut scan = read.rows(StoreId::of(store), KeyRange::all())?;
    while let Some(row) = scan.next()? {
        if let Err(why) = txo_undo::fits(store, row.key, row.value) {
            note(store, row.key, &why);
        }
    }
    Ok(found.reported())
}

/// Checks every structure: sorted sets, their counts, queues, sets and hashes.
///
/// # Errors
/// If the store fails.
pub fn structures(read: &impl Read) -> Result<Vec<Broken>, Error> {
    let mut found = Breaches::of("structures");
    // A family of structures, and its keyspace.
    macro_rules! families {
        ($($family:ident $keyspace:ident,)*) => {$(
            let mut scan = txo::$family.prefix_all().structures(read)?;
            while let Some(key) = scan.next_key()? {
                let report = txo::$family.check(read, key.clone())?;
                note::<txo::$keyspace>(&key, &report, &mut found)?;
            }
        )*};
    }
    // A single structure, and its keyspace.
    macro_rules! singles {
        ($($structure:ident $keyspace:ident,)*) => {$(
            let report = txo::$structure.check(read, ())?;
            note::<txo::$keyspace>(&(), &report, &mut found)?;
        )*};
    }
    families!(
        EVENTS Events,
        SPENT Spent,
        TOPICS Topics,
        TOPIC_TXS TopicTxs,
        LOGS Logs,
        MERKLE Merkle,
        SPENT_BY SpentBy,
        SUBSCRIPTIONS Subscriptions,
        TOKENS Tokens,
    );
    singles!(WHITELIST Whitelist, BLACKLIST Blacklist,);
    families!(LISTED Listed, ADMITTED Admitted, DEPENDENTS Dependents, SETS Sets,);
    singles!(SATOSHIS Satoshis, SPENDS Spends, PROGRESS Progress,);
    families!(OUTPUT Output,);
    Ok(found.reported())
}

fn note<K: Structure>(
    key: &K::Key<'_>,
    report: &StructureReport,
    found: &mut Breaches,
) -> Result<(), Error> {
    if !report.is_sound() {
        found.add(format_args!(
            "`{}` at `{}`: {} records do not agree; the first: {}",
            K::NAME,
            key_of::<K>(key)?.escape_ascii(),
            report.faults,
            report.first.first().map_or("see the records", |fault| fault.what),
        ));
    }
    Ok(())
}
