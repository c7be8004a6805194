//! The updates that a manager or a user may still make.
//!
//! An entry permanently permits or forbids an update at some times. An update that no entry
//! matches is permitted, and may be fixed later. If several entries match, the first one applies.

use super::UintRange;

/// Permissions of the manager of a collection.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct CollectionPermissions {
    /// Deleting the collection.
    #[prost(message, repeated, tag = "1")]
    pub can_delete_collection: Vec<ActionPermission>,
    /// Archiving the collection.
    #[prost(message, repeated, tag = "2")]
    pub can_archive_collection: Vec<TimedUpdatePermission>,
    /// Changing the standards.
    #[prost(message, repeated, tag = "4")]
    pub can_update_standards: Vec<TimedUpdatePermission>,
    /// Changing the free data.
    #[prost(message, repeated, tag = "5")]
    pub can_update_custom_data: Vec<TimedUpdatePermission>,
    /// Changing the manager.
    #[prost(message, repeated, tag = "6")]
    pub can_update_manager: Vec<TimedUpdatePermission>,
    /// Changing the metadata of the collection.
    #[prost(message, repeated, tag = "7")]
    pub can_update_collection_metadata: Vec<TimedUpdatePermission>,
    /// Changing the ids that are valid.
    #[prost(message, repeated, tag = "8")]
    pub can_update_valid_badge_ids: Vec<BadgeIdsActionPermission>,
    /// Changing the metadata of badges.
    #[prost(message, repeated, tag = "9")]
    pub can_update_badge_metadata: Vec<TimedUpdateWithBadgeIdsPermission>,
    /// Changing the approvals.
    #[prost(message, repeated, tag = "10")]
    pub can_update_collection_approvals: Vec<CollectionApprovalPermission>,
}
/// Permissions of a user.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct UserPermissions {
    /// Changing outgoing approvals.
    #[prost(message, repeated, tag = "1")]
    pub can_update_outgoing_approvals: Vec<UserApprovalPermission>,
    /// Changing incoming approvals.
    #[prost(message, repeated, tag = "2")]
    pub can_update_incoming_approvals: Vec<UserApprovalPermission>,
    /// Changing the flag for self-initiated outgoing transfers.
    #[prost(message, repeated, tag = "3")]
    pub can_update_auto_approve_self_initiated_outgoing_transfers: Vec<ActionPermission>,
    /// Changing the flag for self-initiated incoming transfers.
    #[prost(message, repeated, tag = "4")]
    pub can_update_auto_approve_self_initiated_incoming_transfers: Vec<ActionPermission>,
    /// Changing the flag for all incoming transfers.
    #[prost(message, repeated, tag = "5")]
    pub can_update_auto_approve_all_incoming_transfers: Vec<ActionPermission>,
}
/// Permission of one action.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct ActionPermission {
    /// The times at which the update is permanently permitted.
    #[prost(message, repeated, tag = "1")]
    pub permanently_permitted_times: Vec<UintRange>,
    /// The times at which the update is permanently forbidden.
    #[prost(message, repeated, tag = "2")]
    pub permanently_forbidden_times: Vec<UintRange>,
}
/// Permission of changes to a timeline.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct TimedUpdatePermission {
    /// The times at which the update is permanently permitted.
    #[prost(message, repeated, tag = "1")]
    pub permanently_permitted_times: Vec<UintRange>,
    /// The times at which the update is permanently forbidden.
    #[prost(message, repeated, tag = "2")]
    pub permanently_forbidden_times: Vec<UintRange>,
    /// The times of the timeline that the entry is about.
    #[prost(message, repeated, tag = "3")]
    pub timeline_times: Vec<UintRange>,
}
/// Permission of changes to some badges.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct BadgeIdsActionPermission {
    /// The badges.
    #[prost(message, repeated, tag = "1")]
    pub badge_ids: Vec<UintRange>,
    /// The times at which the update is permanently permitted.
    #[prost(message, repeated, tag = "2")]
    pub permanently_permitted_times: Vec<UintRange>,
    /// The times at which the update is permanently forbidden.
    #[prost(message, repeated, tag = "3")]
    pub permanently_forbidden_times: Vec<UintRange>,
}
/// Permission of changes to some badges in a timeline.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct TimedUpdateWithBadgeIdsPermission {
    /// The badges.
    #[prost(message, repeated, tag = "1")]
    pub badge_ids: Vec<UintRange>,
    /// The times at which the update is permanently permitted.
    #[prost(message, repeated, tag = "2")]
    pub permanently_permitted_times: Vec<UintRange>,
    /// The times at which the update is permanently forbidden.
    #[prost(message, repeated, tag = "3")]
    pub permanently_forbidden_times: Vec<UintRange>,
    /// The times of the timeline that the entry is about.
    #[prost(message, repeated, tag = "4")]
    pub timeline_times: Vec<UintRange>,
}
/// Permission of changes to approvals of the collection.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct CollectionApprovalPermission {
    /// The list of senders.
    #[prost(string, tag = "1")]
    pub from_list_id: String,
    /// The list of recipients.
    #[prost(string, tag = "2")]
    pub to_list_id: String,
    /// The list of initiators.
    #[prost(string, tag = "3")]
    pub initiated_by_list_id: String,
    /// The transfer times.
    #[prost(message, repeated, tag = "4")]
    pub transfer_times: Vec<UintRange>,
    /// The badges.
    #[prost(message, repeated, tag = "5")]
    pub badge_ids: Vec<UintRange>,
    /// The ownership times.
    #[prost(message, repeated, tag = "6")]
    pub ownership_times: Vec<UintRange>,
    /// The id of the approval, or `All`.
    #[prost(string, tag = "9")]
    pub approval_id: String,
    /// The times at which the update is permanently permitted.
    #[prost(message, repeated, tag = "10")]
    pub permanently_permitted_times: Vec<UintRange>,
    /// The times at which the update is permanently forbidden.
    #[prost(message, repeated, tag = "11")]
    pub permanently_forbidden_times: Vec<UintRange>,
}
/// Permission of changes to approvals of a user: `UserOutgoingApprovalPermission` or
/// `UserIncomingApprovalPermission` of BitBadges, which have the same bytes.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct UserApprovalPermission {
    /// The list of recipients for outgoing approvals, or of senders for incoming ones.
    #[prost(string, tag = "1")]
    pub other_list_id: String,
    /// The list of initiators.
    #[prost(string, tag = "2")]
    pub initiated_by_list_id: String,
    /// The transfer times.
    #[prost(message, repeated, tag = "3")]
    pub transfer_times: Vec<UintRange>,
    /// The badges.
    #[prost(message, repeated, tag = "4")]
    pub badge_ids: Vec<UintRange>,
    /// The ownership times.
    #[prost(message, repeated, tag = "5")]
    pub ownership_times: Vec<UintRange>,
    /// The id of the approval, or `All`.
    #[prost(string, tag = "8")]
    pub approval_id: String,
    /// The times at which the update is permanently permitted.
    #[prost(message, repeated, tag = "9")]
    pub permanently_permitted_times: Vec<UintRange>,
    /// The times at which the update is permanently forbidden.
    #[prost(message, repeated, tag = "10")]
    pub permanently_forbidden_times: Vec<UintRange>,
}
