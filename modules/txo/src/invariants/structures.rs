//! The invariant that the records of each structure are consistent: members with scores, counts
//! with members.

use super::{Broken, broken::Breaches};
use crate::{error::Error, layout::txo, undo::key_of};
use keyscape::{
    Hash, Prefix, Queue, Set, StructureReport, Zset,
    store::Read,
    traits::{HashKeyspace, QueueKeyspace, ScanRows, SetKeyspace, Structure, ZsetKeyspace},
};

/// Checks every structure: sorted sets, their counts, queues, sets and hashes.
///
/// # Errors
/// If the store fails.
pub fn structures(read: &impl Read) -> Result<Vec<Broken>, Error> {
    let mut found = Breaches::of("structures");
    zsets(read, &txo::EVENTS.prefix_all(), &mut found)?;
    zsets(read, &txo::SPENT.prefix_all(), &mut found)?;
    zsets(read, &txo::TOPICS.prefix_all(), &mut found)?;
    zsets(read, &txo::TOPIC_TXS.prefix_all(), &mut found)?;
    zsets(read, &txo::LOGS.prefix_all(), &mut found)?;
    zsets(read, &txo::MERKLE.prefix_all(), &mut found)?;
    zsets(read, &txo::SPENT_BY.prefix_all(), &mut found)?;
    queues(read, &txo::SUBSCRIPTIONS.prefix_all(), &mut found)?;
    queues(read, &txo::TOKENS.prefix_all(), &mut found)?;
    set::<txo::Whitelist>(read, &(), &mut found)?;
    set::<txo::Blacklist>(read, &(), &mut found)?;
    sets(read, &txo::LISTED.prefix_all(), &mut found)?;
    sets(read, &txo::ADMITTED.prefix_all(), &mut found)?;
    sets(read, &txo::DEPENDENTS.prefix_all(), &mut found)?;
    sets(read, &txo::SETS.prefix_all(), &mut found)?;
    hash::<txo::Satoshis>(read, &(), &mut found)?;
    hash::<txo::Spends>(read, &(), &mut found)?;
    hash::<txo::Progress>(read, &(), &mut found)?;
    let mut scan = txo::OUTPUT.prefix_all().structures(read)?;
    while let Some(key) = scan.next_key()? {
        hash::<txo::Output>(read, &key, &mut found)?;
    }
    Ok(found.reported())
}

fn zsets<K: ZsetKeyspace, B: ScanRows<K>>(
    read: &impl Read,
    prefix: &Prefix<K, B>,
    found: &mut Breaches,
) -> Result<(), Error> {
    let mut scan = prefix.structures(read)?;
    while let Some(key) = scan.next_key()? {
        let report = Zset::<K>::new().check(read, key.clone())?;
        note::<K>(&key, &report, found)?;
    }
    Ok(())
}

fn queues<K: QueueKeyspace, B: ScanRows<K>>(
    read: &impl Read,
    prefix: &Prefix<K, B>,
    found: &mut Breaches,
) -> Result<(), Error> {
    let mut scan = prefix.structures(read)?;
    while let Some(key) = scan.next_key()? {
        let report = Queue::<K>::new().check(read, key.clone())?;
        note::<K>(&key, &report, found)?;
    }
    Ok(())
}

fn sets<K: SetKeyspace, B: ScanRows<K>>(
    read: &impl Read,
    prefix: &Prefix<K, B>,
    found: &mut Breaches,
) -> Result<(), Error> {
    let mut scan = prefix.structures(read)?;
    while let Some(key) = scan.next_key()? {
        set::<K>(read, &key, found)?;
    }
    Ok(())
}

fn set<K: SetKeyspace>(
    read: &impl Read,
    key: &K::Key<'_>,
    found: &mut Breaches,
) -> Result<(), Error> {
    note::<K>(key, &Set::<K>::new().check(read, key.clone())?, found)
}

fn hash<K: HashKeyspace>(
    read: &impl Read,
    key: &K::Key<'_>,
    found: &mut Breaches,
) -> Result<(), Error> {
    note::<K>(key, &Hash::<K>::new().check(read, key.clone())?, found)
}

fn note<K: Structure>(
    key: &K::Key<'_>,
    report: &StructureReport,
    found: &mut Breaches,
) -> Result<(), Error> {
    if !report.is_sound() {
        found.add(Broken::Structure {
            keyspace: K::NAME,
            key: key_of::<K>(key)?.escape_ascii().to_string(),
            faults: report.faults,
            what: report.first.first().map_or("see the records", |fault| fault.what),
        });
    }
    Ok(())
}
