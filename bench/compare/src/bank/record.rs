//! The design that ADR-004 replaced: one record per account with all of its coins.

use crate::fixture::{memory, ok, some};
use keyscape::{
    U256,
    store::{Db, Tx},
};
use keyscape_bank::values::CoinMessage;

/// The record of an account.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Record {
    /// The address of the account.
    #[prost(bytes = "vec", tag = "1")]
    pub address: Vec<u8>,
    /// All coins of the account, sorted by denomination.
    #[prost(message, repeated, tag = "2")]
    pub coins: Vec<CoinMessage>,
    /// The number of the account.
    #[prost(uint64, tag = "3")]
    pub account_number: u64,
    /// The number of transactions that the account has signed.
    #[prost(uint64, tag = "4")]
    pub sequence: u64,
}

keyscape::layout!(
    r#"
store record
map records = 0x01 {address: bytes[1..=255]} -> proto Record
"#
);

use record::{RECORDS, RecordsAddress};

/// Creates an empty database in memory.
#[must_use]
pub fn empty() -> Db {
    memory(&[&record::LAYOUT])
}

/// Writes an account.
pub fn put(tx: &mut Tx<'_>, address: &[u8], coins: Vec<CoinMessage>) {
    let record = Record { address: address.to_vec(), coins, ..Record::default() };
    ok(RECORDS.put(tx, ok(RecordsAddress::new(address)), &record));
}

fn read(tx: &Tx<'_>, address: &[u8]) -> Record {
    some(ok(RECORDS.get(tx, ok(RecordsAddress::new(address)))))
}

fn amount(coins: &mut [CoinMessage], denom: &str) -> (usize, U256) {
    let place = ok(coins.binary_search_by(|coin| coin.denom.as_str().cmp(denom)));
    (place, ok(U256::from_str_radix(&coins[place].amount, 10)))
}

/// Sends a coin between two accounts that hold its denomination.
pub fn send(tx: &mut Tx<'_>, from: &[u8], to: &[u8], denom: &str, sent: U256) {
    let mut payer = read(tx, from);
    let (place, balance) = amount(&mut payer.coins, denom);
    payer.coins[place].amount = some(balance.checked_sub(sent)).to_string();
    ok(RECORDS.put(tx, ok(RecordsAddress::new(from)), &payer));
    let mut payee = read(tx, to);
    let (place, balance) = amount(&mut payee.coins, denom);
    payee.coins[place].amount = some(balance.checked_add(sent)).to_string();
    ok(RECORDS.put(tx, ok(RecordsAddress::new(to)), &payee));
}
