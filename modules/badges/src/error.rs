//! Errors of the module.

use crate::{
    AmountsError, Range, Ranges,
    keeper::Refusal,
    layout::badges::{Id, Level},
    values::BadMessage,
};
use keyscape::DomainError;

/// A failed operation, which has written nothing. The type is one pointer wide.
///
/// ```
/// use keyscape_badges::{Error, ErrorKind};
///
/// let error = Error::from(ErrorKind::NoRecipient);
/// assert_eq!(error.to_string(), "a transfer needs at least one recipient");
/// assert_eq!(size_of::<Error>(), size_of::<usize>());
/// ```
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct Error(Box<ErrorKind>);

/// The reason why an operation failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Typed access failed: the database failed, or a row is corrupt.
    #[error(transparent)]
    Access(#[from] keyscape::Error),
    /// A number or a range in a message is malformed.
    #[error(transparent)]
    Message(#[from] BadMessage),
    /// A text is not an id: it contains a dash, for example.
    #[error("`{name}` cannot be the id of {subject}: {source}")]
    Name {
        /// The kind of id.
        subject: &'static str,
        /// The text.
        name: String,
        /// The reason.
        source: DomainError,
    },
    /// A text is not an address.
    #[error("`{0}` is not an address: expected bech32 with the prefix `bb`, or `Mint` in a list")]
    Address(String),
    /// The collection does not exist.
    #[error("collection {0} does not exist")]
    NoCollection(Id),
    /// The collection is being deleted.
    #[error("collection {0} is being deleted")]
    CollectionDeleting(Id),
    /// Only the manager may do this.
    #[error("`{caller}` is not the manager of collection {collection} at this time")]
    NotManager {
        /// The collection.
        collection: Id,
        /// The address that called the operation.
        caller: String,
    },
    /// The collection is archived.
    #[error("collection {0} is archived")]
    Archived(Id),
    /// A permission forbids the update permanently.
    #[error("{subject} cannot be changed any more: a permission forbids it at this time")]
    Forbidden {
        /// The part that the update would change.
        subject: &'static str,
    },
    /// A permanent permission cannot be changed.
    #[error("the permission for {subject} is fixed and cannot be changed")]
    PermissionFixed {
        /// The part that the permission is about.
        subject: &'static str,
    },
    /// Amounts, permissions, approvals or timelines have too many entries or pieces.
    #[error("too many entries or overlaps in {subject}: at most {limit} are allowed")]
    TooComplex {
        /// The part with too many entries or pieces.
        subject: &'static str,
        /// The largest number of entries or pieces.
        limit: usize,
    },
    /// A timeline or a permission contradicts itself.
    #[error("{subject} overlap: {ranges}")]
    Overlap {
        /// The entries that overlap.
        subject: &'static str,
        /// The numbers that occur twice.
        ranges: Ranges,
    },
    /// The id of an approval is reserved.
    #[error("`{0}` is a reserved approval id")]
    ReservedApproval(String),
    /// Two approvals of one list have the same id.
    #[error("two approvals have the id `{0}`")]
    DuplicateApproval(String),
    /// Two challenges of one approval have the same id.
    #[error("two challenges of approval `{approval}` have the id `{challenge}`")]
    DuplicateChallenge {
        /// The approval.
        approval: String,
        /// The challenge.
        challenge: String,
    },
    /// A challenge that no proof can satisfy.
    #[error("challenge `{challenge}` of approval `{approval}` can never be met: {why}")]
    Challenge {
        /// The approval.
        approval: String,
        /// The challenge.
        challenge: String,
        /// The reason.
        why: &'static str,
    },
    /// Predetermined balances without exactly one method that selects them, or without exactly one
    /// of a list and increments.
    #[error("the predetermined balances of approval `{approval}` are malformed: {why}")]
    Predetermined {
        /// The approval.
        approval: String,
        /// The reason.
        why: &'static str,
    },
    /// The address list does not exist.
    #[error("address list `{0}` does not exist")]
    NoList(String),
    /// The address list exists already, or its id is reserved.
    #[error("address list `{0}` exists already or is reserved")]
    ListExists(String),
    /// The dynamic store does not exist.
    #[error("dynamic store {0} does not exist")]
    NoStore(Id),
    /// The dynamic store is being deleted.
    #[error("dynamic store {0} is being deleted")]
    StoreDeleting(Id),
    /// Only the creator of a dynamic store may do this.
    #[error("`{caller}` did not create dynamic store {store}")]
    NotCreator {
        /// The store.
        store: Id,
        /// The address that called the operation.
        caller: String,
    },
    /// A transfer has no recipient.
    #[error("a transfer needs at least one recipient")]
    NoRecipient,
    /// A transfer has no amounts.
    #[error("a transfer needs at least one badge")]
    NoBadges,
    /// A transfer from `Total`.
    #[error("`Total` is a sum and owns nothing")]
    FromTotal,
    /// A transfer from an address to itself.
    #[error("`{0}` cannot transfer to itself")]
    ToSelf(String),
    /// Badges that the collection does not have.
    #[error("badges {ids} are not valid in this collection")]
    InvalidBadges {
        /// The ids of these badges.
        ids: Ranges,
    },
    /// The owner has less than the transfer needs, or would own more than 256 bits can represent.
    #[error("the balance of `{owner}` does not allow this: {source}")]
    Amounts {
        /// The sender, the recipient or `Total`.
        owner: String,
        /// The shortage or the overflow.
        source: AmountsError,
    },
    /// No approval lets the transfer pass.
    #[error("no {level} approval{} lets {ids} pass{}", whose(.approver), tried(.refusals))]
    NotApproved {
        /// The level.
        level: Level,
        /// The user, unless the level is that of the collection.
        approver: Option<String>,
        /// The first ids that are not approved.
        ids: Range,
        /// The approvals that were tried, with the reason why each did not apply.
        refusals: Vec<(String, Refusal)>,
    },
    /// A prioritized approval has changed, or does not exist.
    #[error("approval `{approval}` does not exist in version {version}")]
    Version {
        /// The approval.
        approval: String,
        /// The version that the transfer names.
        version: String,
    },
}

fn whose(approver: &Option<String>) -> String {
    approver.as_ref().map_or_else(String::new, |name| format!(" of `{name}`"))
}

/// Returns the reasons of the first refusals, and the number of further ones.
fn tried(refusals: &[(String, Refusal)]) -> String {
    const LISTED: usize = 5;
    let mut text = String::new();
    for (index, (approval, refusal)) in refusals.iter().take(LISTED).enumerate() {
        let start = if index == 0 { ": " } else { "; " };
        text.push_str(&format!("{start}`{approval}`: {refusal}"));
    }
    match refusals.len().saturating_sub(LISTED) {
        0 => text,
        more => format!("{text}; and {more} more"),
    }
}

/// Rejects a number of entries or pieces above its limit.
pub(crate) fn check_limit(subject: &'static str, count: usize, limit: usize) -> Result<(), Error> {
    if count <= limit { Ok(()) } else { Err(ErrorKind::TooComplex { subject, limit }.into()) }
}

keyscape_sim::boxed_error!(Error, ErrorKind);

impl Error {
    /// Whether the operation is not possible in this state. Otherwise the database failed or a row
    /// is corrupt.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        self.access().is_none()
    }
}
