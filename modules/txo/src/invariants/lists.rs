//! The invariant of topics and logs that list whole transactions.

use super::{Broken, broken::Breaches};
use crate::{
    error::Error,
    layout::txo::{LISTED, LOGS, Listing, LogName, Name, TOPIC_TXS, Txid, TxidText},
};
use keyscape::store::Read;

/// Checks that a topic or a log contains a transaction exactly if the transaction's own list
/// contains the topic or log.
///
/// # Errors
/// If the store fails, or a row does not fit the layout.
pub fn listings(read: &impl Read) -> Result<Vec<Broken>, Error> {
    let mut found = Breaches::of("listings");
    let why = "the transaction's own list does not say so";
    let mut scan = TOPIC_TXS.prefix_all().structures(read)?;
    while let Some(key) = scan.next_key()? {
        let mut members = TOPIC_TXS.members(&key.topic).scan(read)?;
        while let Some(row) = members.next_row()? {
            let listing = Listing::Topic { topic: Name::from(&key.topic) };
            if !LISTED.contains(read, TxidText(row.member.0), listing)? {
                let set = format!("tp:{}:tx", key.topic);
                found.add(Broken::Listing { txid: row.member, set, why });
            }
        }
    }
    let mut scan = LOGS.prefix_all().structures(read)?;
    while let Some(key) = scan.next_key()? {
        let mut members = LOGS.members(&key.log).scan(read)?;
        while let Some(row) = members.next_row()? {
            let listing = Listing::Log { log: LogName::from(&key.log) };
            if !LISTED.contains(read, TxidText(row.member.0), listing)? {
                let set = key.log.as_str().to_owned();
                found.add(Broken::Listing { txid: row.member, set, why });
            }
        }
    }
    own_lists(read, &mut found)?;
    Ok(found.reported())
}

fn own_lists(read: &impl Read, found: &mut Breaches) -> Result<(), Error> {
    let mut scan = LISTED.prefix_all().structures(read)?;
    while let Some(key) = scan.next_key()? {
        let txid = Txid(key.txid.0);
        for listing in LISTED.members(key.txid).to_vec(read)? {
            let (set, score) = match listing {
                Listing::Topic { topic } => {
                    (format!("tp:{topic}:tx"), TOPIC_TXS.score(read, topic, txid)?)
                }
                Listing::Log { log } => (log.as_str().to_owned(), LOGS.score(read, log, txid)?),
            };
            if score.is_none() {
                let why = "the transaction's own list says that it is there";
                found.add(Broken::Listing { txid, set, why });
            }
        }
    }
    Ok(())
}
