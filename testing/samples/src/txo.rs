//! Structures: hashes, sets, sorted sets and queues of a transaction-output index.

use keyscape::store::{Db, Memory, Spaces, Tx};

keyscape::layout!(
    r#"
    store txo structures
    type Name = text(not ":")[1..=255]
    type Event = text(r"[a-z:]{1,20}")
    type Outpoint = {txid: bytes[32]} {vout: u32be}
    type Score = | confirmed 0x00 {height: u32be} {index: u64be} | unconfirmed 0x01 {nanoseconds: u64be}

    zset events = "e:" {event: Event} member Outpoint score Score
    zset topics = "z:tp:" {topic: Name} member Outpoint score Score counted
    zset board = "b:" {game: u8} member Name score u64be counted ranked
    queue tokens = "q:tok:" {token: Name} member Outpoint score Score
        scan all
    queue jobs = "q:job:" {game: u8} member Name score u64be
    set whitelist = "s:bsv21:whitelist" member Name
    set friends = "f:" {of: Name} member Name counted
    hash output = "h:" {outpoint: Outpoint}
        field merkle = "ms" -> u64be
        field data = "dt:" {tag: Name} -> bytes
        scan outpoint.txid by vout
        scan all also satoshis
    hash satoshis = "h:sats"
        field amount = {outpoint: Outpoint} -> u64be
    hash profile = "p:" {of: Name}
        field nick = "n" -> text
        field note = "n:" {tag: Name} -> text
    "#
);

pub use txo::*;

/// Runs an example in a transaction on an empty database.
///
/// # Errors
/// Errors of the example and of the database.
pub fn example(
    run: impl FnMut(&mut Tx<'_>) -> Result<(), Box<dyn std::error::Error>>,
) -> Result<(), Box<dyn std::error::Error>> {
    db()?.write(run)
}

/// Returns an empty database for the layout.
///
/// # Errors
/// Errors of the database.
pub fn db() -> Result<Db, Box<dyn std::error::Error>> {
    Ok(Db::new(Memory::new(Spaces::new(["txo"])?)))
}
