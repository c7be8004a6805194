//! Shared setup of the tests.

use keyscape::{
    record::{self, Family, Item, Kind},
    store::{Db, KeyRange, Read, StoreId, Tx},
    traits::{IntoField, Keyspace},
};
use keyscape_txo::{
    error::Error,
    keeper::{self, NewOutput},
    layout::txo::{
        self, Address, LogName, Name, Outpoint, Score, Subscription, TokenId, Txid, TxidText,
    },
};
use std::collections::BTreeMap;

pub(crate) fn memory() -> Db {
    keyscape::memory(&txo::LAYOUT).unwrap()
}

/// Runs a test in one transaction of an empty database.
#[track_caller]
pub(crate) fn in_transaction(test: impl FnMut(&mut Tx<'_>) -> Result<(), Error>) {
    memory().write(test).unwrap();
}

/// Saves output 0 of a transaction.
pub(crate) fn save(tx: &mut Tx<'_>, number: u8, score: Score) -> Result<(), Error> {
    keeper::save_output(tx, &NewOutput::new(outpoint(number, 0), 5, score)).map(drop)
}

/// Creates a database in a file, and returns the directory that must outlive it.
pub(crate) fn redb() -> (Db, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("txo.redb");
    (keyscape_store_redb::create(path, &txo::LAYOUT).unwrap(), folder)
}

pub(crate) fn txid(number: u8) -> Txid {
    let mut bytes = [number; 32];
    bytes[31] = 0xee;
    Txid(bytes)
}

pub(crate) fn outpoint(number: u8, vout: u32) -> Outpoint {
    Outpoint { txid: txid(number), vout }
}

/// Returns the text of an outpoint in messages.
pub(crate) fn dotted(number: u8, vout: u32) -> String {
    format!("{}.{vout}", txid(number))
}

pub(crate) fn address(number: u8) -> Address<'static> {
    let mut bytes = vec![number; 21];
    bytes[0] = 0;
    Address::new(bytes).unwrap()
}

pub(crate) fn token(number: u8) -> TokenId {
    TokenId { txid: TxidText(txid(number).0), vout: 0 }
}

pub(crate) fn name(text: &str) -> Name<'static> {
    Name::new(text.to_owned()).unwrap()
}

pub(crate) fn log_name(text: &str) -> LogName<'static> {
    LogName::new(text.to_owned()).unwrap()
}

pub(crate) fn subscription(text: &str) -> Subscription<'static> {
    Subscription::new(text.to_owned()).unwrap()
}

/// Encodes a key of a keyspace.
pub(crate) fn key<'k, K: Keyspace>(_: K, key: impl IntoField<K::Key<'k>>) -> Vec<u8> {
    let mut bytes = Vec::new();
    K::encode(&key.into_field().unwrap(), &mut bytes).unwrap();
    bytes
}

/// Returns everything that a rollback restores: the rows of the index, and the members of its
/// queues with the score of their next claim.
pub(crate) fn state(read: &impl Read) -> BTreeMap<Vec<u8>, Vec<u8>> {
    let mut rows = read.rows(StoreId::of("txo"), KeyRange::all()).unwrap();
    let mut state = BTreeMap::new();
    while let Some(row) = rows.next().unwrap() {
        let parts = record::split(row.key).unwrap();
        match (parts.kind, parts.family) {
            (Kind::Queue, Some(Family::Item)) => {
                let item = Item::read(row.value, None).unwrap();
                let score = item.again.unwrap_or(item.score);
                state.insert(row.key.to_vec(), score.into_owned());
            }
            (Kind::Queue, _) => {}
            _ => drop(state.insert(row.key.to_vec(), row.value.to_vec())),
        }
    }
    state
}

/// Returns the violations of all invariants.
pub(crate) fn violations(read: &impl Read) -> Vec<String> {
    let broken = keyscape_txo::invariants::check(read).unwrap();
    broken.iter().map(ToString::to_string).collect()
}

/// Checks that no invariant is violated.
#[track_caller]
pub(crate) fn assert_sound(read: &impl Read) {
    assert_eq!(violations(read), [""; 0]);
}

/// Checks that there is one violation for each text, in order, and that it contains the text.
#[track_caller]
pub(crate) fn assert_all(found: &[String], texts: &[&str]) {
    assert_eq!(found.len(), texts.len(), "{found:?}");
    for (found, text) in found.iter().zip(texts) {
        assert!(found.contains(text), "{text}: {found}");
    }
}

/// Checks that a violation contains a text.
#[track_caller]
pub(crate) fn assert_any(found: &[String], text: &str) {
    assert!(found.iter().any(|found| found.contains(text)), "{text}: {found:?}");
}
