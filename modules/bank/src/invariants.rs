//! Invariants of the bank: each as a function, and all of them together.
//!
//! They read rows in order with bounded memory, so they run on states of any size. Each reports its
//! first violations and the number of further ones.

mod accounts;
mod rows;
mod supply;
mod warnings;

pub use accounts::{account_numbers, accounts, delegated_vesting, next_number};
pub use rows::rows;
pub use supply::supply;
pub use warnings::warnings;

use crate::{Error, layout::bank};
use keyscape::{IndexReport, store::Read};
pub use keyscape_sim::Broken;
use keyscape_sim::{Breaches, joined};

/// Checks all invariants.
///
/// # Errors
/// Errors of the database. A corrupt row is a [`Broken`], not an error: checks that need the row
/// are skipped, and all others run.
pub fn check(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    joined([
        ("row", rows(state)),
        ("holders", holders(state)),
        ("supply", supply(state)),
        ("account_numbers", account_numbers(state)),
        ("account number", next_number(state)),
        ("account", accounts(state)),
        ("delegated vesting", delegated_vesting(state)),
    ])
}

/// Checks that the index of holders has an entry for each balance and no other.
///
/// # Errors
/// Errors of the database.
pub fn holders(state: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    Ok(index("holders", &bank::HOLDERS.check(state)?))
}

fn index(index: &str, report: &IndexReport) -> Vec<Broken> {
    let mut breaches = Breaches::of("index");
    breaches.add_index(index, report);
    breaches.reported()
}
