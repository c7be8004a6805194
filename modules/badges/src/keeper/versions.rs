//! Versions of approvals. They start at 0, increase with every change and never decrease.

use super::{Approver, approval_id};
use crate::{
    Error,
    layout::badges::{APPROVAL_VERSIONS, ApprovalVersionsKey, Id},
    values::BadMessage,
};
use keyscape::{
    U256,
    store::{Read, Tx},
};

fn key<'k>(
    collection: Id,
    approver: &'k Approver,
    approval: &str,
) -> Result<ApprovalVersionsKey<'k>, Error> {
    Ok(ApprovalVersionsKey {
        collection,
        level: approver.level(),
        approver: approver.address().map(|address| address.by_ref()),
        approval: approval_id(approval)?,
    })
}

/// Returns the version of an approval, or `None` if it never existed. The version outlives its
/// approval.
///
/// # Errors
/// [`Name`](crate::ErrorKind::Name).
pub fn get_version(
    state: &(impl Read + ?Sized),
    collection: Id,
    approver: &Approver,
    approval: &str,
) -> Result<Option<U256>, Error> {
    Ok(APPROVAL_VERSIONS.get(state, key(collection, approver, approval)?)?)
}

/// Records a change of an approval and returns its new version.
pub(super) fn touch(
    tx: &mut Tx<'_>,
    collection: Id,
    approver: &Approver,
    approval: &str,
) -> Result<U256, Error> {
    let key = key(collection, approver, approval)?;
    let mut version = U256::ZERO;
    APPROVAL_VERSIONS.update(tx, &key, |before| {
        if let Some(before) = before {
            version = before.checked_add(U256::ONE).ok_or(BadMessage::Overflow)?;
        }
        Ok::<_, Error>(Some(version))
    })?;
    Ok(version)
}
