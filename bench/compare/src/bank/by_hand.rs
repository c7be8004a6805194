//! The same transfers in handwritten code on redb, which reads, parses, checks and writes the same
//! rows.

use super::{
    ACCOUNTS, Transfer,
    ours::{self, StoredRow},
    transfers,
};
use crate::{
    fixture::{leaked, ok, some},
    typed::redb::{begin_write, empty, sync},
};
use keyscape::U256;
use keyscape_bench::{Batch, Work};
use redb::{Database, ReadableDatabase, ReadableTable, Table, TableDefinition};
use std::{collections::BTreeMap, hint::black_box, io::Write};

type Bytes = &'static [u8];
const BANK: TableDefinition<'static, Bytes, Bytes> = TableDefinition::new("bank");
const AUTH: TableDefinition<'static, Bytes, Bytes> = TableDefinition::new("acc");

/// Creates a redb file with the rows of [`ours::filled`].
#[must_use]
pub fn filled(accounts: u32) -> Database {
    let file = empty();
    let tx = ok(file.begin_write());
    {
        let (mut bank, mut auth) = (ok(tx.open_table(BANK)), ok(tx.open_table(AUTH)));
        for (store, key, value) in ours::rows(&ours::filled(accounts)) {
            let table = if store == "bank" { &mut bank } else { &mut auth };
            ok(table.insert(&key[..], &value[..]));
        }
    }
    ok(tx.commit());
    file
}

/// Returns all rows of both tables.
#[must_use]
pub fn rows(file: &Database) -> Vec<StoredRow> {
    let tx = ok(file.begin_read());
    let mut all = Vec::new();
    for (name, table) in [("acc", AUTH), ("bank", BANK)] {
        for row in ok(ok(tx.open_table(table)).iter()) {
            let (key, value) = ok(row);
            all.push((name, key.value().to_vec(), value.value().to_vec()));
        }
    }
    all
}

/// Access to the table of balances.
trait Balances {
    /// Passes the value of a key to `found` and returns the result.
    fn get<T>(&self, key: &[u8], found: impl FnOnce(&[u8]) -> T) -> Option<T>;

    /// Inserts or replaces a row.
    fn put(&mut self, key: &[u8], value: &[u8]);

    /// Deletes a row.
    fn delete(&mut self, key: &[u8]);

    /// Writes all pending changes to the table.
    fn close(self);
}

/// Writes every change to the table immediately.
struct Direct<'tx>(Table<'tx, Bytes, Bytes>);

impl Balances for Direct<'_> {
    fn get<T>(&self, key: &[u8], found: impl FnOnce(&[u8]) -> T) -> Option<T> {
        ok(self.0.get(key)).map(|value| found(value.value()))
    }

    fn put(&mut self, key: &[u8], value: &[u8]) {
        ok(self.0.insert(key, value));
    }

    fn delete(&mut self, key: &[u8]) {
        ok(self.0.remove(key));
    }

    fn close(self) {}
}

/// Collects changes, and writes them to the table in key order at the end.
struct Sorted<'tx> {
    table: Table<'tx, Bytes, Bytes>,
    pending: BTreeMap<Vec<u8>, Option<Vec<u8>>>,
}

impl Balances for Sorted<'_> {
    fn get<T>(&self, key: &[u8], found: impl FnOnce(&[u8]) -> T) -> Option<T> {
        match self.pending.get(key) {
            Some(value) => value.as_deref().map(found),
            None => ok(self.table.get(key)).map(|value| found(value.value())),
        }
    }

    fn put(&mut self, key: &[u8], value: &[u8]) {
        self.pending.insert(key.to_vec(), Some(value.to_vec()));
    }

    fn delete(&mut self, key: &[u8]) {
        self.pending.insert(key.to_vec(), None);
    }

    fn close(mut self) {
        for (key, value) in self.pending {
            match value {
                Some(value) => drop(ok(self.table.insert(&key[..], &value[..]))),
                None => drop(ok(self.table.remove(&key[..]))),
            }
        }
    }
}

/// Runs transfers in one transaction.
pub fn run(file: &Database, batch: &[Transfer], is_sorted: bool, durable: bool) {
    let tx = begin_write(file, durable);
    {
        let (auth, table) = (ok(tx.open_table(AUTH)), ok(tx.open_table(BANK)));
        match is_sorted {
            true => send_all(&auth, Sorted { table, pending: BTreeMap::new() }, batch),
            false => send_all(&auth, Direct(table), batch),
        }
    }
    ok(tx.commit());
}

fn send_all(auth: &Table<'_, Bytes, Bytes>, mut bank: impl Balances, batch: &[Transfer]) {
    let mut keys = Keys::default();
    for transfer in batch {
        send(auth, &mut bank, &mut keys, transfer);
    }
    bank.close();
}

/// Returns the work that runs batches of transfers.
pub fn work(is_sorted: bool, durable: bool) -> impl Work {
    let file = leaked(filled(ACCOUNTS));
    let batch = transfers(ACCOUNTS);
    let run = move || run(file, black_box(&batch), is_sorted, durable);
    Batch { before: move || sync(file), run }
}

/// Buffers that are reused for all keys and values.
#[derive(Default)]
struct Keys {
    key: Vec<u8>,
    value: Vec<u8>,
}

fn send(
    auth: &Table<'_, Bytes, Bytes>,
    bank: &mut impl Balances,
    keys: &mut Keys,
    transfer: &Transfer,
) {
    let Transfer { from, to, denom, amount } = transfer;
    assert!((1..=255).contains(&from.len()) && (1..=255).contains(&to.len()), "no address");
    assert!(is_denom(denom), "no denomination");
    let amount = some(parsed(amount.as_bytes()));
    assert!(amount > 0, "nothing");

    account_key(from, &mut keys.key);
    if let Some(account) = ok(auth.get(&keys.key[..])) {
        let locks = some(can_lock(account.value()));
        assert!(!locks, "this data has no vesting accounts");
    }
    balance_key(from, denom, &mut keys.key);
    let balance = some(bank.get(&keys.key, parsed)).unwrap_or_else(|| panic!("no number"));
    assert!(balance >= amount, "not enough");
    change(bank, keys, from, denom, true, balance - amount);

    balance_key(to, denom, &mut keys.key);
    let balance = bank.get(&keys.key, parsed);
    let had = balance.is_some();
    let balance = balance.map_or(U256::ZERO, some);
    change(bank, keys, to, denom, had, some(balance.checked_add(amount)));

    account_key(to, &mut keys.key);
    assert!(ok(auth.get(&keys.key[..])).is_some(), "everybody has an account in this data");
}

/// Writes a balance whose key is in the buffer. Adds or removes its holder if the balance was or
/// becomes zero.
fn change(
    bank: &mut impl Balances,
    keys: &mut Keys,
    owner: &[u8],
    denom: &str,
    had: bool,
    balance: U256,
) {
    if balance == U256::ZERO {
        bank.delete(&keys.key);
        holder_key(owner, denom, &mut keys.key);
        bank.delete(&keys.key);
        return;
    }
    keys.value.clear();
    // Most amounts fit in 128 bits, and formatting a `u128` is faster.
    let written = match u128::try_from(balance) {
        Ok(small) => write!(keys.value, "{small}"),
        Err(_) => write!(keys.value, "{balance}"),
    };
    ok(written);
    bank.put(&keys.key, &keys.value);
    if !had {
        holder_key(owner, denom, &mut keys.key);
        bank.put(&keys.key, b"");
    }
}

fn account_key(address: &[u8], key: &mut Vec<u8>) {
    key.clear();
    key.push(0x01);
    key.extend_from_slice(address);
}

fn balance_key(owner: &[u8], denom: &str, key: &mut Vec<u8>) {
    key.clear();
    key.extend_from_slice(&[0x02, owner.len() as u8]);
    key.extend_from_slice(owner);
    key.extend_from_slice(denom.as_bytes());
}

fn holder_key(owner: &[u8], denom: &str, key: &mut Vec<u8>) {
    key.clear();
    key.push(0x03);
    key.extend_from_slice(denom.as_bytes());
    key.extend_from_slice(&[0x00, owner.len() as u8]);
    key.extend_from_slice(owner);
}

fn is_denom(text: &str) -> bool {
    let rest = |byte: u8| byte.is_ascii_alphanumeric() || b"/:._-".contains(&byte);
    (3..=128).contains(&text.len())
        && text.as_bytes()[0].is_ascii_alphabetic()
        && text.bytes().all(rest)
}

/// Parses an amount from decimal digits without leading zeros.
fn parsed(text: &[u8]) -> Option<U256> {
    if text.is_empty() || (text[0] == b'0' && text.len() > 1) {
        return None;
    }
    if text.len() > 38 {
        return U256::from_str_radix(std::str::from_utf8(text).ok()?, 10).ok();
    }
    let mut number = 0_u128;
    for byte in text {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        number = number * 10 + u128::from(digit);
    }
    Some(number.into())
}

/// Whether the type of an account allows locked coins. The type is the URL in the message.
fn can_lock(message: &[u8]) -> Option<bool> {
    let rest = message.strip_prefix(&[0x0a])?;
    let (length, rest) = rest.split_first()?;
    let (type_url, rest) = rest.split_at_checked(usize::from(*length))?;
    let (tag, _) = rest.split_first()?;
    let known: [&[u8]; 2] =
        [b"/cosmos.auth.v1beta1.BaseAccount", b"/cosmos.auth.v1beta1.ModuleAccount"];
    (*tag == 0x12).then(|| !known.contains(&type_url))
}
