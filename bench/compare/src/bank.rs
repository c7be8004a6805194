//! The bank: transfers against the same work by hand, and what a send costs as an account holds more.

pub mod by_hand;
pub mod counts;
pub mod ours;
pub mod record;

use crate::typed::data::ok;
use keyscape_bench::{Entry, Group, Side, inputs::random};
use std::sync::OnceLock;

/// How many accounts there are. Each has all denominations.
pub const ACCOUNTS: u32 = 20_000;
/// How many denominations there are.
pub const DENOMS: u32 = 4;

/// How much longer than by hand a transfer may take.
pub const GOAL: f64 = 1.15;

/// What a transfer is asked for with: nothing of it has been checked.
#[derive(Clone, Debug)]
pub struct Transfer {
    /// Who pays.
    pub from: Vec<u8>,
    /// Who is paid.
    pub to: Vec<u8>,
    /// The denomination.
    pub denom: String,
    /// How much, in decimal digits.
    pub amount: String,
}

/// The address of an account; neighbours in number are not neighbours in the store.
#[must_use]
pub fn address(number: u32) -> Vec<u8> {
    let mixed = u64::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes();
    [&mixed[..], &mixed, &number.to_be_bytes()].concat()
}

/// A denomination, as long as those that came over IBC.
#[must_use]
pub fn denom(number: u32) -> String {
    format!("ibc/{}", format!("{number:08X}").repeat(8))
}

/// A batch of transfers between the first accounts, of amounts that they have.
#[must_use]
pub fn transfers(accounts: u32) -> Vec<Transfer> {
    random(|rng| Transfer {
        from: address(rng.u32(..accounts)),
        to: address(rng.u32(..accounts)),
        denom: denom(rng.u32(..DENOMS)),
        amount: rng.u32(1..1_000).to_string(),
    })
}

/// The groups.
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
        Side::lazy("by hand", "writes as they come", move || {
            by_hand::work::<by_hand::Direct<'_>>(durable)
        }),
        Side::lazy("by hand, sorted", "writes held back and sorted", move || {
            by_hand::work::<by_hand::Sorted<'_>>(durable)
        }),
    ];
    Group { title: title.to_owned(), sides }
}

/// Makes sure that all sides read and write the same, with a few accounts.
fn agree() {
    let accounts = 100;
    let batch = transfers(accounts);
    let ours = ours::filled(accounts);
    ours::run(&ours, &batch);
    let expected = ours::rows(&ours);
    let direct = by_hand::filled(accounts);
    by_hand::run::<by_hand::Direct<'_>>(&direct, &batch, false);
    assert!(by_hand::rows(&direct) == expected, "by hand differs");
    let sorted = by_hand::filled(accounts);
    by_hand::run::<by_hand::Sorted<'_>>(&sorted, &batch, false);
    assert!(by_hand::rows(&sorted) == expected, "by hand, sorted, differs");
    ok(keyscape_bank::genesis::verify(&ok(ours.read())));
}
