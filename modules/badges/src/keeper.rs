//! The operations of the module.
//!
//! Every operation is atomic: if it fails, it has written nothing, and the transaction can
//! continue. `now` is the time of the block, in milliseconds of Unix time.
//!
//! A transfer reads and writes the rows of the collection, of the two users, of `Total` for new
//! badges, and of the trackers of the approvals that it uses, and reads the address lists and
//! dynamic stores of the approvals that it tries. The number of rows does not depend on how many
//! collections, users or badges exist. It grows with the number of approvals of the collection and
//! of the two users, which is limited.
//!
//! A user's badges are one row, as in BitBadges. Its bytes grow with the number of ranges that the
//! user holds. The work of a transfer grows with the ranges of the transfer, which are limited,
//! multiplied by the ranges of the user. The sizes of address lists and of the metadata of a
//! collection are not limited: a caller must bound the size of its messages.

mod approvals;
mod balances;
mod collections;
mod conditions;
mod dynamic;
mod lists;
mod permissions;
mod plan;
mod rule;
mod timelines;
mod transfer;
mod users;

pub use approvals::{ApprovalRef, Approver, get_version};
pub use balances::{amounts, get_user, total};
pub use collections::{
    CollectionChanges, Deleted, create_collection, delete_collection, get_collection, is_archived,
    manager, update_collection,
};
pub use dynamic::{
    create_dynamic_store, delete_dynamic_store, get_dynamic_store, get_dynamic_value,
    set_dynamic_value, update_dynamic_store,
};
pub use lists::{NewList, create_list, get_list, resolve};
pub use plan::{get_tracker, get_uses};
pub use rule::{Refusal, predetermined};
pub use transfer::{Transfer, UsedApproval, transfer};
pub use users::{UserChanges, update_user};

pub(crate) use balances::parse_user;
pub(crate) use plan::Usage;
pub(crate) use rule::Rule;
pub(crate) use transfer::rules_of;

use crate::{
    Error, ErrorKind,
    layout::badges::{Address, Approval, Tracker},
};
use keyscape::U256;

/// Returns the time of a block as a number for ranges, which start at 1.
fn at(now: u64) -> U256 {
    U256::from(now.max(1))
}

/// Parses an address.
pub(crate) fn address(text: &str) -> Result<Address<'static>, Error> {
    text.parse().map_err(|_| ErrorKind::Address(text.to_owned()).into())
}

/// Parses the id of an approval.
pub(crate) fn approval_id(text: &str) -> Result<Approval<'static>, Error> {
    Approval::new(text.to_owned()).map_err(|source| {
        ErrorKind::Name { subject: "an approval", name: text.to_owned(), source }.into()
    })
}

/// Parses the id of a tracker or a challenge.
pub(crate) fn tracker_id(text: &str) -> Result<Tracker<'static>, Error> {
    Tracker::new(text.to_owned()).map_err(|source| {
        ErrorKind::Name { subject: "a tracker", name: text.to_owned(), source }.into()
    })
}

/// Takes the next number of a counter. Counters start at 1, and a counter without a row is at 1.
macro_rules! next {
    ($sequence:expr, $tx:expr) => {{
        let next = $sequence.peek($tx)?.max(U256::ONE);
        let after = next.checked_add(U256::ONE).ok_or(crate::values::BadMessage::Overflow)?;
        $sequence.set($tx, after)?;
        next
    }};
}
use next;
