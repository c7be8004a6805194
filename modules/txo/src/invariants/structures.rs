//! The invariant that the records of each structure are consistent: members with scores, counts
//! with members.

use super::{Broken, broken::Breaches};
use crate::{error::Error, layout::txo, undo::key_of};
use keyscape::{StructureReport, store::Read, traits::Structure};

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
        found.add(Broken::Structure {
            keyspace: K::NAME,
            key: key_of::<K>(key)?.escape_ascii().to_string(),
            faults: report.faults,
            what: report.first.first().map_or("see the records", |fault| fault.what),
        });
    }
    Ok(())
}
