//! The values of rows: protobuf messages with the names and field numbers of BitBadges at 040c5856.
//! Messages of the origin that have the same bytes are one type.
//!
//! Numbers of 256 bits are decimal text in every message, as the origin writes them. These fields
//! are ours and have numbers far above the origin's: [`BadgeCollection::deleting`] and
//! [`DynamicStore::deleting`] mark records whose rows are being deleted in batches, and
//! [`CollectionApproval::limits_lowered`] and its counterparts mark approvals whose trackers may
//! exceed their limits.

mod approval;
mod collection;
mod permission;

pub use approval::{
    ApprovalCriteria, ApprovalLimits, ApprovalTracker, CollectionApproval, DynamicStoreChallenge,
    IncrementedBalances, ManualBalances, MerkleChallenge, OrderCalculationMethod,
    PredeterminedBalances, ResetTimeIntervals, UserApproval, UserApprovalCriteria,
};
pub use collection::{
    AddressList, BadgeCollection, BadgeMetadata, BadgeMetadataTimeline, CollectionMetadata,
    CollectionMetadataTimeline, CustomDataTimeline, DynamicStore, IsArchivedTimeline,
    ManagerTimeline, StandardsTimeline, UserBalanceStore,
};
pub use permission::{
    ActionPermission, BadgeIdsActionPermission, CollectionApprovalPermission,
    CollectionPermissions, TimedUpdatePermission, TimedUpdateWithBadgeIdsPermission,
    UserApprovalPermission, UserPermissions,
};

use crate::{BadRange, Range, Ranges};
use keyscape::{U256, ValueForm, forms::Dec};

/// A range of ids or times: first and last number, as decimal text.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct UintRange {
    /// The first number.
    #[prost(string, tag = "1")]
    pub start: String,
    /// The last number.
    #[prost(string, tag = "2")]
    pub end: String,
}

/// An amount of some badges at some times.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Balance {
    /// The amount, as decimal text.
    #[prost(string, tag = "1")]
    pub amount: String,
    /// The times at which the badges are owned, in milliseconds.
    #[prost(message, repeated, tag = "2")]
    pub ownership_times: Vec<UintRange>,
    /// The ids of the badges.
    #[prost(message, repeated, tag = "3")]
    pub badge_ids: Vec<UintRange>,
}

/// A message with a malformed number or range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadMessage {
    /// A number is malformed.
    #[error("`{0}` is not a decimal number of 256 bits")]
    Number(String),
    /// A range is empty or starts at 0.
    #[error(transparent)]
    Range(#[from] BadRange),
    /// Amounts of one badge add up to more than 256 bits.
    #[error("the amounts of a badge add up to more than 2^256 - 1")]
    Overflow,
}

/// Parses a number in its canonical decimal form. The empty text is 0, as in the origin.
pub(crate) fn number(text: &str) -> Result<U256, BadMessage> {
    if text.is_empty() {
        return Ok(U256::ZERO);
    }
    Dec::<U256>::decode(text.as_bytes()).map_err(|_| BadMessage::Number(text.to_owned()))
}

/// Returns a number as decimal text.
pub(crate) fn decimal(number: U256) -> String {
    let mut text = Vec::new();
    // A decimal has no domain, and its digits are ASCII: neither step fails.
    let _ = Dec::<U256>::encode(number, &mut text);
    String::from_utf8(text).unwrap_or_default()
}

/// Parses ranges in any order into a set.
pub(crate) fn ranges(messages: &[UintRange]) -> Result<Ranges, BadMessage> {
    let parsed = messages
        .iter()
        .map(|message| Ok(Range::new(number(&message.start)?, number(&message.end)?)?));
    parsed.collect()
}

/// Returns a set of ranges as messages.
#[must_use]
pub fn ranges_message(ranges: &Ranges) -> Vec<UintRange> {
    let message =
        |range: Range| UintRange { start: decimal(range.start()), end: decimal(range.end()) };
    ranges.iter().map(message).collect()
}

/// Returns one range as a message list, for fields that hold several.
#[must_use]
pub fn one_range(range: Range) -> Vec<UintRange> {
    ranges_message(&range.into())
}
