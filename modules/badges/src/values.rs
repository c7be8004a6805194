//! The values of rows: protobuf messages with the names and field numbers of BitBadges at 040c5856.
//! Messages of the origin that have the same bytes are one type.
//!
//! Numbers of 256 bits are decimal text in every message, as the origin writes them. The fields
//! with number 1000 do not exist in the origin. [`BadgeCollection::deleting`] and
//! [`DynamicStore::deleting`] mark records whose rows are being deleted in batches.
//! [`CollectionApproval::limits_lowered`] and [`UserApproval::limits_lowered`] mark approvals whose
//! trackers may exceed their limits.

/// Declares messages with the fields of protobuf: kind, type, name and number.
macro_rules! messages {
    ($($(#[$about:meta])* $name:ident { $($fields:tt)* })*) => {
        $(message! { [$(#[$about])* $name] [] $($fields)* })*
    };
}

/// Declares one message. Moves its fields into the second list one by one: a rule for each kind of
/// field adds the arguments for `prost` and the Rust type, and the last rule moves the field.
macro_rules! message {
    ([$(#[$about:meta])* $name:ident] [$($fields:tt)*]) => {
        $(#[$about])*
        #[derive(Clone, PartialEq, Eq, prost::Message)]
        pub struct $name {
            $($fields)*
        }
    };
    ($head:tt $done:tt $(#[$doc:meta])* string $field:ident = $($rest:tt)*) => {
        message! { $head $done $(#[$doc])* (string) (String) $field = $($rest)* }
    };
    ($head:tt $done:tt $(#[$doc:meta])* bool $field:ident = $($rest:tt)*) => {
        message! { $head $done $(#[$doc])* (bool) (bool) $field = $($rest)* }
    };
    ($head:tt $done:tt $(#[$doc:meta])* repeated string $field:ident = $($rest:tt)*) => {
        message! { $head $done $(#[$doc])* (string, repeated) (Vec<String>) $field = $($rest)* }
    };
    ($head:tt $done:tt $(#[$doc:meta])* repeated $type:ident $field:ident = $($rest:tt)*) => {
        message! { $head $done $(#[$doc])* (message, repeated) (Vec<$type>) $field = $($rest)* }
    };
    ($head:tt $done:tt $(#[$doc:meta])* optional $type:ident $field:ident = $($rest:tt)*) => {
        message! { $head $done $(#[$doc])* (message, optional) (Option<$type>) $field = $($rest)* }
    };
    (
        $head:tt [$($done:tt)*]
        $(#[$doc:meta])* ($($kind:tt)*) ($($type:tt)*) $field:ident = $tag:tt; $($rest:tt)*
    ) => {
        message! {
            $head
            [$($done)* $(#[$doc])* #[prost($($kind)*, tag = $tag)] pub $field: $($type)*,]
            $($rest)*
        }
    };
}

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

messages! {
    /// A range of ids or times: first and last number, as decimal text.
    UintRange {
        /// The first number.
        string start = 1;
        /// The last number.
        string end = 2;
    }

    /// An amount of some badges at some times.
    Balance {
        /// The amount, as decimal text.
        string amount = 1;
        /// The times at which the badges are owned, in milliseconds.
        repeated UintRange ownership_times = 2;
        /// The ids of the badges.
        repeated UintRange badge_ids = 3;
    }
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
    /// A sum exceeds 256 bits: of amounts, or of a counter and its increment.
    #[error("a number would exceed 2^256 - 1")]
    Overflow,
}

/// Parses a number in its canonical decimal form. The empty text is 0, as in the origin.
pub(crate) fn number(text: &str) -> Result<U256, BadMessage> {
    if text.is_empty() {
        return Ok(U256::ZERO);
    }
    Dec::<U256>::decode(text.as_bytes()).map_err(|_| BadMessage::Number(text.to_owned()))
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
        |range: Range| UintRange { start: range.start().to_string(), end: range.end().to_string() };
    ranges.iter().map(message).collect()
}

/// Returns one range as a list of messages, for fields that contain several ranges.
#[must_use]
pub fn one_range(range: Range) -> Vec<UintRange> {
    ranges_message(&range.into())
}
