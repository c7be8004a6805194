//! The bank: transfers compared with handwritten code, and the cost of a send by the number of
//! denominations that the payer holds.

pub mod by_hand;
pub mod counts;
pub mod ours;
pub mod record;

use crate::fixture::ok;
use keyscape_bench::{Entry, Group, Side, inputs::random};
use std::sync::OnceLock;

/// The number of accounts. Each holds all denominations.
pub const ACCOUNTS: u32 = 20_000;
/// The number of denominations.
pub const DENOMS: u32 = 4;

/// The highest acceptable ratio of the time of a transfer to the time of handwritten code.
pub const GOAL: f64 = 1.15;

/// The unchecked arguments of a transfer.
#[derive(Clone, Debug)]
pub struct Transfer {
    /// The address of the payer.
    pub from: Vec<u8>,
    /// The address of the payee.
    pub to: Vec<u8>,
    /// The denomination of the coin.
    pub denom: String,
    /// The amount in decimal digits.
    pub amount: String,
}

/// Returns the address of an account. Accounts with adjacent numbers are not adjacent in the store.
#[must_use]
pub fn address(number: u32) -> Vec<u8> {
    let mixed = u64::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes();
    [&mixed[..], &mixed, &number.to_be_bytes()].concat()
}

/// Returns a denomination as long as those of IBC transfers.
#[must_use]
pub fn denom(number: u32) -> String {
    format!("ibc/{}", format!("{number:08X}").repeat(8))
}

/// Returns a batch of random transfers between the first `accounts` accounts. Every payer can pay.
#[must_use]
pub fn transfers(accounts: u32) -> Vec<Transfer> {
    random(|rng| Transfer {
        from: address(rng.u32(..accounts)),
        to: address(rng.u32(..accounts)),
        denom: denom(rng.u32(..DENOMS)),
        amount: rng.u32(1..1_000).to_string(),
    })
}

/// Returns the groups of this module.
#[must_use]
pub fn entries() -> Vec<Entry> {
    let entry = |id: &str, build| Entry { id: format!("bank redb {id}"), build };
    vec![
        entry("transfer", || group("transfer, 1,024 a transaction, not synced", false)),
        entry("transfer-durable", || group("transfer, 1,024 a transaction, synced", true)),
    ]
}

fn group(title: &str, durable: bool) -> Group {
    static AGREED: OnceLock<()> = OnceLock::new();
    AGREED.get_or_init(agree);
    let sides = vec![
        Side::lazy("Keyscape", "the module `bank`", move || ours::work(durable)),
        Side::lazy("by hand", "writes as they come", move || by_hand::work(false, durable)),
        Side::lazy("by hand, sorted", "writes held back and sorted", move || {
            by_hand::work(true, durable)
        }),
    ];
    Group { title: title.to_owned(), sides }
}

/// Checks with a few accounts that all sides write the same rows.
fn agree() {
    let accounts = 100;
    let batch = transfers(accounts);
    let ours = ours::filled(accounts);
    ours::run(&ours, &batch);
    let expected = ours::rows(&ours);
    for is_sorted in [false, true] {
        let by_hand = by_hand::filled(accounts);
        by_hand::run(&by_hand, &batch, is_sorted, false);
        assert!(by_hand::rows(&by_hand) == expected, "by hand differs, sorted: {is_sorted}");
    }
    assert_eq!(ok(keyscape_bank::invariants::check(&ok(ours.read()))), []);
}
