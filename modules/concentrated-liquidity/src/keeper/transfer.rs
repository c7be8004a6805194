//! Transferring positions.

use crate::{
    Error, ErrorKind,
    keeper::{accounts, locks, positions::get_position, queries},
    layout::concentratedliquidity::POSITIONS,
    values::Position,
};
use keyscape::store::Tx;
use keyscape_bank::Address;
use std::collections::BTreeSet;

/// The sender of a transfer.
#[derive(Clone, Copy, Debug)]
pub enum Authority<'a> {
    /// The owner of the positions.
    Owner(&'a Address<'a>),
    /// Governance, which may transfer any position.
    Governance,
}

/// Transfers positions to another owner. They keep their ids, ages and rewards.
///
/// # Errors
/// [`DuplicatePosition`](ErrorKind::DuplicatePosition),
/// [`PositionNotFound`](ErrorKind::PositionNotFound), [`OwnerMismatch`](ErrorKind::OwnerMismatch),
/// [`Locked`](ErrorKind::Locked), [`LastPosition`](ErrorKind::LastPosition).
pub fn transfer_positions(
    tx: &mut Tx<'_>,
    now: i64,
    authority: Authority<'_>,
    positions: &[u64],
    to: &Address<'_>,
) -> Result<(), Error> {
    let mut seen = BTreeSet::new();
    if let Some(position) = positions.iter().copied().find(|position| !seen.insert(*position)) {
        return Err(ErrorKind::DuplicatePosition { position }.into());
    }
    let owner = accounts::owner(to)?;
    tx.attempt(|tx| {
        for &position in positions {
            let found = get_position(tx, position)?;
            let is_allowed = match authority {
                Authority::Owner(sender) => found.owner.as_bytes() == sender.as_bytes(),
                Authority::Governance => true,
            };
            if !is_allowed {
                return Err(ErrorKind::OwnerMismatch { position }.into());
            }
            if let Some(lock) = locks::active(tx, now, position)? {
                return Err(ErrorKind::Locked { position, lock }.into());
            }
            if queries::count_up_to(tx, found.pool, 2)? < 2 {
                return Err(ErrorKind::LastPosition { position, pool: found.pool }.into());
            }
            POSITIONS.put(tx, position, &Position { owner: owner.clone(), ..found })?;
        }
        Ok(())
    })
}
