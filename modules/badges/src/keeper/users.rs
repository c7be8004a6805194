//! The approvals and permissions of users.

use super::{
    Approver, approvals, at, balances, collections,
    permissions::{action, approval_entries, check_update, entries},
};
use crate::{
    Amounts, Error,
    layout::badges::{Address, Id, Owner},
    values::{UserApproval, UserBalanceStore, UserPermissions},
};
use keyscape::store::Tx;

/// New values for the parts of a user's record. `None` leaves a part as it is.
#[derive(Clone, Debug, Default)]
pub struct UserChanges {
    /// Approvals for transfers from the user. Their versions are ignored.
    pub outgoing_approvals: Option<Vec<UserApproval>>,
    /// Approvals for transfers to the user. Their versions are ignored.
    pub incoming_approvals: Option<Vec<UserApproval>>,
    /// Whether transfers that the user initiates need no outgoing approval.
    pub auto_approve_self_initiated_outgoing: Option<bool>,
    /// Whether transfers that the user initiates need no incoming approval.
    pub auto_approve_self_initiated_incoming: Option<bool>,
    /// Whether all transfers to the user are approved.
    pub auto_approve_all_incoming: Option<bool>,
    /// Permissions of the user.
    pub permissions: Option<UserPermissions>,
}

/// Changes the record of a user in a collection.
///
/// # Errors
/// [`Archived`](crate::ErrorKind::Archived), [`Forbidden`](crate::ErrorKind::Forbidden),
/// [`PermissionFixed`](crate::ErrorKind::PermissionFixed), and the checks of approvals.
pub fn update_user(
    tx: &mut Tx<'_>,
    now: u64,
    user: &Address<'_>,
    collection: Id,
    changes: UserChanges,
) -> Result<(), Error> {
    let record = collections::active(tx, collection, now)?;
    tx.attempt(|tx| {
        let (mut old, stored) = balances::stored_or_default(tx, collection, &record, user)?;
        if !stored {
            old = balances::materialise(tx, collection, user, old)?;
        }
        let new = changed(tx, collection, user, &old, changes)?;
        check(tx, now, user, &old, &new)?;
        balances::put(tx, collection, Owner::User { address: user.by_ref() }, &new)
    })
}

/// Applies changes to the record of a user.
fn changed(
    tx: &mut Tx<'_>,
    collection: Id,
    user: &Address<'_>,
    old: &UserBalanceStore,
    changes: UserChanges,
) -> Result<UserBalanceStore, Error> {
    let mut new = old.clone();
    let user = user.clone().into_owned();
    if let Some(approvals) = changes.outgoing_approvals {
        let approver = Approver::Outgoing(user.clone());
        let old = &old.outgoing_approvals;
        new.outgoing_approvals = approvals::replace(tx, collection, &approver, old, approvals)?;
    }
    if let Some(approvals) = changes.incoming_approvals {
        let (approver, old) = (Approver::Incoming(user), &old.incoming_approvals);
        new.incoming_approvals = approvals::replace(tx, collection, &approver, old, approvals)?;
    }
    let flags = [
        (
            &mut new.auto_approve_self_initiated_outgoing_transfers,
            changes.auto_approve_self_initiated_outgoing,
        ),
        (
            &mut new.auto_approve_self_initiated_incoming_transfers,
            changes.auto_approve_self_initiated_incoming,
        ),
        (&mut new.auto_approve_all_incoming_transfers, changes.auto_approve_all_incoming),
    ];
    for (flag, value) in flags {
        *flag = value.unwrap_or(*flag);
    }
    if let Some(permissions) = changes.permissions {
        new.user_permissions = Some(permissions);
    }
    Ok(new)
}

/// Rejects changes that a permission of the user forbids, and malformed permissions.
fn check(
    tx: &Tx<'_>,
    now: u64,
    user: &Address<'_>,
    old: &UserBalanceStore,
    new: &UserBalanceStore,
) -> Result<(), Error> {
    let (now, user) = (at(now), user.clone().into_owned());
    let before = old.user_permissions.clone().unwrap_or_default();
    let after = new.user_permissions.clone().unwrap_or_default();
    macro_rules! flag {
        ($subject:literal, $permission:ident, $flag:ident) => {
            check_update(
                $subject,
                &entries($subject, &before.$permission)?,
                &entries($subject, &after.$permission)?,
                if old.$flag == new.$flag { Vec::new() } else { action() },
                now,
            )?
        };
    }
    flag!(
        "the automatic approval of self-initiated outgoing transfers",
        can_update_auto_approve_self_initiated_outgoing_transfers,
        auto_approve_self_initiated_outgoing_transfers
    );
    flag!(
        "the automatic approval of self-initiated incoming transfers",
        can_update_auto_approve_self_initiated_incoming_transfers,
        auto_approve_self_initiated_incoming_transfers
    );
    flag!(
        "the automatic approval of all incoming transfers",
        can_update_auto_approve_all_incoming_transfers,
        auto_approve_all_incoming_transfers
    );
    macro_rules! approvals {
        ($subject:literal, $approver:expr, $permission:ident, $approvals:ident) => {{
            let approver = $approver;
            let of = |permissions: &UserPermissions| {
                let general = permissions.$permission.iter().map(|entry| entry.general(&approver));
                approval_entries(tx, $subject, &general.collect::<Vec<_>>())
            };
            let changed = approvals::changed(tx, &approver, &old.$approvals, &new.$approvals)?;
            check_update($subject, &of(&before)?, &of(&after)?, changed, now)?;
        }};
    }
    approvals!(
        "the outgoing approvals",
        Approver::Outgoing(user.clone()),
        can_update_outgoing_approvals,
        outgoing_approvals
    );
    approvals!(
        "the incoming approvals",
        Approver::Incoming(user),
        can_update_incoming_approvals,
        incoming_approvals
    );
    Ok(())
}

/// Checks and normalises the default record of a new collection. Its approvals get their versions
/// when the row of a user is created.
pub(super) fn defaults(tx: &Tx<'_>, record: &UserBalanceStore) -> Result<UserBalanceStore, Error> {
    let mut record = record.clone();
    let balances = Amounts::from_new_messages("the default balances", &record.balances)?;
    record.balances = balances.to_messages();
    record.user_permissions.get_or_insert_default();
    // The list of the approver's side contains the user. The checks accept any address as user.
    let anybody = Address::new(vec![0; 20]).map_err(keyscape::Error::from)?;
    approvals::check_all(tx, &Approver::Outgoing(anybody.clone()), &record.outgoing_approvals)?;
    approvals::check_all(tx, &Approver::Incoming(anybody.clone()), &record.incoming_approvals)?;
    let without_permissions = UserBalanceStore { user_permissions: None, ..record.clone() };
    check(tx, 0, &anybody, &without_permissions, &record)?;
    for approval in record.outgoing_approvals.iter_mut().chain(&mut record.incoming_approvals) {
        approval.version = "0".to_owned();
        approval.limits_lowered = false;
    }
    Ok(record)
}
