//! Approvals, and the trackers of their use.

use super::{Balance, UintRange};

/// An approval of the collection level.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct CollectionApproval {
    /// The list of addresses that badges may come from.
    #[prost(string, tag = "1")]
    pub from_list_id: String,
    /// The list of addresses that badges may go to.
    #[prost(string, tag = "2")]
    pub to_list_id: String,
    /// The list of addresses that may initiate the transfer.
    #[prost(string, tag = "3")]
    pub initiated_by_list_id: String,
    /// The times at which transfers are approved, in milliseconds.
    #[prost(message, repeated, tag = "4")]
    pub transfer_times: Vec<UintRange>,
    /// The badges that are approved.
    #[prost(message, repeated, tag = "5")]
    pub badge_ids: Vec<UintRange>,
    /// The ownership times that are approved, in milliseconds.
    #[prost(message, repeated, tag = "6")]
    pub ownership_times: Vec<UintRange>,
    /// A link.
    #[prost(string, tag = "9")]
    pub uri: String,
    /// Free data.
    #[prost(string, tag = "10")]
    pub custom_data: String,
    /// The id, unique among the approvals of one level and approver.
    #[prost(string, tag = "11")]
    pub approval_id: String,
    /// Further conditions.
    #[prost(message, optional, tag = "12")]
    pub approval_criteria: Option<ApprovalCriteria>,
    /// The number of changes since the approval was created. The keeper sets it.
    #[prost(string, tag = "13")]
    pub version: String,
    /// Whether trackers may exceed the limits, because an edit lowered them or the approval was
    /// removed in between. Ours; the origin has no such field.
    #[prost(bool, tag = "1000")]
    pub limits_lowered: bool,
}
/// An approval of a user for transfers from or to that user: `UserOutgoingApproval` or
/// `UserIncomingApproval` of BitBadges, which have the same bytes.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct UserApproval {
    /// The list of addresses on the other side: the recipients of an outgoing approval, or the
    /// senders of an incoming one.
    #[prost(string, tag = "1")]
    pub other_list_id: String,
    /// The list of addresses that may initiate the transfer.
    #[prost(string, tag = "2")]
    pub initiated_by_list_id: String,
    /// The times at which transfers are approved, in milliseconds.
    #[prost(message, repeated, tag = "3")]
    pub transfer_times: Vec<UintRange>,
    /// The badges that are approved.
    #[prost(message, repeated, tag = "4")]
    pub badge_ids: Vec<UintRange>,
    /// The ownership times that are approved, in milliseconds.
    #[prost(message, repeated, tag = "5")]
    pub ownership_times: Vec<UintRange>,
    /// A link.
    #[prost(string, tag = "8")]
    pub uri: String,
    /// Free data.
    #[prost(string, tag = "9")]
    pub custom_data: String,
    /// The id, unique among the approvals of one level and approver.
    #[prost(string, tag = "10")]
    pub approval_id: String,
    /// Further conditions.
    #[prost(message, optional, tag = "11")]
    pub approval_criteria: Option<UserApprovalCriteria>,
    /// The number of changes since the approval was created. The keeper sets it.
    #[prost(string, tag = "12")]
    pub version: String,
    /// Whether trackers may exceed the limits, because an edit lowered them or the approval was
    /// removed in between. Ours; the origin has no such field.
    #[prost(bool, tag = "1000")]
    pub limits_lowered: bool,
}
/// Conditions of an approval of the collection level.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct ApprovalCriteria {
    /// Merkle trees of which a leaf must be proved.
    #[prost(message, repeated, tag = "1")]
    pub merkle_challenges: Vec<MerkleChallenge>,
    /// The only balances that may be transferred, one after the other.
    #[prost(message, optional, tag = "2")]
    pub predetermined_balances: Option<PredeterminedBalances>,
    /// Limits on amounts.
    #[prost(message, optional, tag = "3")]
    pub approval_amounts: Option<ApprovalLimits>,
    /// Limits on the number of transfers.
    #[prost(message, optional, tag = "4")]
    pub max_num_transfers: Option<ApprovalLimits>,
    /// Whether the recipient must be the initiator.
    #[prost(bool, tag = "6")]
    pub require_to_equals_initiated_by: bool,
    /// Whether the sender must be the initiator.
    #[prost(bool, tag = "7")]
    pub require_from_equals_initiated_by: bool,
    /// Whether the recipient must not be the initiator.
    #[prost(bool, tag = "8")]
    pub require_to_does_not_equal_initiated_by: bool,
    /// Whether the sender must not be the initiator.
    #[prost(bool, tag = "9")]
    pub require_from_does_not_equal_initiated_by: bool,
    /// Whether the transfer needs no outgoing approval of the sender.
    #[prost(bool, tag = "10")]
    pub overrides_from_outgoing_approvals: bool,
    /// Whether the transfer needs no incoming approval of the recipient.
    #[prost(bool, tag = "11")]
    pub overrides_to_incoming_approvals: bool,
    /// Dynamic stores whose value for the initiator must be true.
    #[prost(message, repeated, tag = "15")]
    pub dynamic_store_challenges: Vec<DynamicStoreChallenge>,
}
/// Conditions of an approval of a user.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct UserApprovalCriteria {
    /// Merkle trees of which a leaf must be proved.
    #[prost(message, repeated, tag = "1")]
    pub merkle_challenges: Vec<MerkleChallenge>,
    /// The only balances that may be transferred, one after the other.
    #[prost(message, optional, tag = "2")]
    pub predetermined_balances: Option<PredeterminedBalances>,
    /// Limits on amounts.
    #[prost(message, optional, tag = "3")]
    pub approval_amounts: Option<ApprovalLimits>,
    /// Limits on the number of transfers.
    #[prost(message, optional, tag = "4")]
    pub max_num_transfers: Option<ApprovalLimits>,
    /// Whether the other side must be the initiator.
    #[prost(bool, tag = "6")]
    pub require_other_equals_initiated_by: bool,
    /// Whether the other side must not be the initiator.
    #[prost(bool, tag = "7")]
    pub require_other_does_not_equal_initiated_by: bool,
    /// Dynamic stores whose value for the initiator must be true.
    #[prost(message, repeated, tag = "10")]
    pub dynamic_store_challenges: Vec<DynamicStoreChallenge>,
}
/// A Merkle tree of which a leaf must be proved.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct MerkleChallenge {
    /// The root, as lower-case hexadecimal.
    #[prost(string, tag = "1")]
    pub root: String,
    /// The number of aunts in a proof.
    #[prost(string, tag = "2")]
    pub expected_proof_length: String,
    /// Whether the leaf is the address of the initiator.
    #[prost(bool, tag = "3")]
    pub use_creator_address_as_leaf: bool,
    /// The number of times that a leaf may be used; 0 is unlimited.
    #[prost(string, tag = "4")]
    pub max_uses_per_leaf: String,
    /// A link.
    #[prost(string, tag = "5")]
    pub uri: String,
    /// Free data.
    #[prost(string, tag = "6")]
    pub custom_data: String,
    /// The id of the tracker of used leaves.
    #[prost(string, tag = "7")]
    pub challenge_tracker_id: String,
}
/// A dynamic store whose value for the initiator must be true.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct DynamicStoreChallenge {
    /// The id of the store.
    #[prost(string, tag = "1")]
    pub store_id: String,
}
/// Limits on the amount of each badge at each time, or on the number of transfers:
/// `ApprovalAmounts` or `MaxNumTransfers` of BitBadges, which have the same bytes.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct ApprovalLimits {
    /// The limit of all transfers together; 0 is unlimited.
    #[prost(string, tag = "1")]
    pub overall: String,
    /// The limit for each recipient; 0 is unlimited.
    #[prost(string, tag = "2")]
    pub per_to_address: String,
    /// The limit for each sender; 0 is unlimited.
    #[prost(string, tag = "3")]
    pub per_from_address: String,
    /// The limit for each initiator; 0 is unlimited.
    #[prost(string, tag = "4")]
    pub per_initiated_by_address: String,
    /// The id of the tracker, which may be shared with the other limits of the approval.
    #[prost(string, tag = "6")]
    pub amount_tracker_id: String,
    /// The intervals after which the tracker starts again from 0.
    #[prost(message, optional, tag = "7")]
    pub reset_time_intervals: Option<ResetTimeIntervals>,
}
/// Intervals after which a tracker starts again from 0.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct ResetTimeIntervals {
    /// The start of the first interval, in milliseconds; 0 is never.
    #[prost(string, tag = "1")]
    pub start_time: String,
    /// The length of an interval, in milliseconds; 0 is never.
    #[prost(string, tag = "2")]
    pub interval_length: String,
}
/// The only balances that an approval lets pass, by a number that counts up.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct PredeterminedBalances {
    /// The balances of each number.
    #[prost(message, repeated, tag = "1")]
    pub manual_balances: Vec<ManualBalances>,
    /// Balances that move up with the number, if none are listed.
    #[prost(message, optional, tag = "2")]
    pub incremented_balances: Option<IncrementedBalances>,
    /// The number that selects the balances.
    #[prost(message, optional, tag = "3")]
    pub order_calculation_method: Option<OrderCalculationMethod>,
}
/// The balances of one number.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct ManualBalances {
    /// The balances.
    #[prost(message, repeated, tag = "1")]
    pub balances: Vec<Balance>,
}
/// Balances that move up with a number.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct IncrementedBalances {
    /// The balances of the number 0.
    #[prost(message, repeated, tag = "1")]
    pub start_balances: Vec<Balance>,
    /// The increment of badge ids for each number.
    #[prost(string, tag = "2")]
    pub increment_badge_ids_by: String,
    /// The increment of ownership times for each number, in milliseconds.
    #[prost(string, tag = "3")]
    pub increment_ownership_times_by: String,
}
/// The number that selects predetermined balances. Exactly one flag is set.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct OrderCalculationMethod {
    /// The number of all transfers before.
    #[prost(bool, tag = "1")]
    pub use_overall_num_transfers: bool,
    /// The number of transfers to the recipient before.
    #[prost(bool, tag = "2")]
    pub use_per_to_address_num_transfers: bool,
    /// The number of transfers from the sender before.
    #[prost(bool, tag = "3")]
    pub use_per_from_address_num_transfers: bool,
    /// The number of transfers of the initiator before.
    #[prost(bool, tag = "4")]
    pub use_per_initiated_by_address_num_transfers: bool,
    /// The index of the proved leaf.
    #[prost(bool, tag = "5")]
    pub use_merkle_challenge_leaf_index: bool,
    /// The challenge whose leaf index is used.
    #[prost(string, tag = "6")]
    pub challenge_tracker_id: String,
}
/// The use of an approval so far.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct ApprovalTracker {
    /// The number of transfers.
    #[prost(string, tag = "1")]
    pub num_transfers: String,
    /// The amounts, normalised.
    #[prost(message, repeated, tag = "2")]
    pub amounts: Vec<Balance>,
    /// The time of the last change, in milliseconds.
    #[prost(string, tag = "3")]
    pub last_updated_at: String,
}
