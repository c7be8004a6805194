//! Collections, user balances, address lists and dynamic stores.

use super::{
    Balance, CollectionApproval, CollectionPermissions, UintRange, UserApproval, UserPermissions,
};

/// A collection with its metadata, permissions, approvals and default balances.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct BadgeCollection {
    /// The id, equal to that of the key.
    #[prost(string, tag = "1")]
    pub collection_id: String,
    /// Metadata of the collection over time.
    #[prost(message, repeated, tag = "2")]
    pub collection_metadata_timeline: Vec<CollectionMetadataTimeline>,
    /// Metadata of badges over time.
    #[prost(message, repeated, tag = "3")]
    pub badge_metadata_timeline: Vec<BadgeMetadataTimeline>,
    /// The kind of balances. This module supports only `Standard`.
    #[prost(string, tag = "4")]
    pub balances_type: String,
    /// Free data over time.
    #[prost(message, repeated, tag = "7")]
    pub custom_data_timeline: Vec<CustomDataTimeline>,
    /// The manager over time.
    #[prost(message, repeated, tag = "8")]
    pub manager_timeline: Vec<ManagerTimeline>,
    /// The updates that the manager may still make.
    #[prost(message, optional, tag = "9")]
    pub collection_permissions: Option<CollectionPermissions>,
    /// The approvals of the collection level, in the order in which they are tried.
    #[prost(message, repeated, tag = "10")]
    pub collection_approvals: Vec<CollectionApproval>,
    /// Standards that the collection follows, over time.
    #[prost(message, repeated, tag = "11")]
    pub standards_timeline: Vec<StandardsTimeline>,
    /// Whether the collection is archived, over time. An archived collection accepts no transfers,
    /// and updates only of this field.
    #[prost(message, repeated, tag = "12")]
    pub is_archived_timeline: Vec<IsArchivedTimeline>,
    /// The record of users without a row.
    #[prost(message, optional, tag = "13")]
    pub default_balances: Option<UserBalanceStore>,
    /// The address that created the collection.
    #[prost(string, tag = "14")]
    pub created_by: String,
    /// The ids of badges that may exist.
    #[prost(message, repeated, tag = "15")]
    pub valid_badge_ids: Vec<UintRange>,
    /// The module address of the mint escrow, derived from the id.
    #[prost(string, tag = "16")]
    pub mint_escrow_address: String,
    /// Whether the rows of the collection are being deleted. Ours; the origin has no such field.
    #[prost(bool, tag = "1000")]
    pub deleting: bool,
}
/// The badges and the approvals of one user in one collection.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct UserBalanceStore {
    /// The amounts, normalised.
    #[prost(message, repeated, tag = "1")]
    pub balances: Vec<Balance>,
    /// Approvals for transfers from the user, in the order in which they are tried.
    #[prost(message, repeated, tag = "2")]
    pub outgoing_approvals: Vec<UserApproval>,
    /// Approvals for transfers to the user, in the order in which they are tried.
    #[prost(message, repeated, tag = "3")]
    pub incoming_approvals: Vec<UserApproval>,
    /// Whether transfers that the user initiates need no outgoing approval.
    #[prost(bool, tag = "4")]
    pub auto_approve_self_initiated_outgoing_transfers: bool,
    /// Whether transfers that the user initiates need no incoming approval.
    #[prost(bool, tag = "5")]
    pub auto_approve_self_initiated_incoming_transfers: bool,
    /// Whether all transfers to the user are approved.
    #[prost(bool, tag = "6")]
    pub auto_approve_all_incoming_transfers: bool,
    /// The updates that the user may still make. Always present in a stored row: a row
    /// must not be empty.
    #[prost(message, optional, tag = "7")]
    pub user_permissions: Option<UserPermissions>,
}
/// A list of addresses that approvals refer to. It never changes.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct AddressList {
    /// The id, equal to that of the key.
    #[prost(string, tag = "1")]
    pub list_id: String,
    /// Addresses, or `Mint`.
    #[prost(string, repeated, tag = "2")]
    pub addresses: Vec<String>,
    /// Whether the list consists of its addresses, or of all others.
    #[prost(bool, tag = "3")]
    pub whitelist: bool,
    /// A link to more about the list.
    #[prost(string, tag = "4")]
    pub uri: String,
    /// Free data.
    #[prost(string, tag = "5")]
    pub custom_data: String,
    /// The address that created the list.
    #[prost(string, tag = "6")]
    pub created_by: String,
}
/// A store of one boolean per address, which approvals can require.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct DynamicStore {
    /// The id, equal to that of the key.
    #[prost(string, tag = "1")]
    pub store_id: String,
    /// The address that may change the store.
    #[prost(string, tag = "2")]
    pub created_by: String,
    /// The value of addresses without a row.
    #[prost(bool, tag = "3")]
    pub default_value: bool,
    /// Whether the values of the store are being deleted. Ours; the origin has no such field.
    #[prost(bool, tag = "1000")]
    pub deleting: bool,
}
/// Metadata of a collection.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct CollectionMetadata {
    /// A link.
    #[prost(string, tag = "1")]
    pub uri: String,
    /// Free data.
    #[prost(string, tag = "2")]
    pub custom_data: String,
}
/// Metadata of some badges.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct BadgeMetadata {
    /// A link.
    #[prost(string, tag = "1")]
    pub uri: String,
    /// Free data.
    #[prost(string, tag = "2")]
    pub custom_data: String,
    /// The badges.
    #[prost(message, repeated, tag = "3")]
    pub badge_ids: Vec<UintRange>,
}
/// Metadata of a collection for some times.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct CollectionMetadataTimeline {
    /// The metadata.
    #[prost(message, optional, tag = "1")]
    pub collection_metadata: Option<CollectionMetadata>,
    /// The times for which the entry holds, in milliseconds.
    #[prost(message, repeated, tag = "2")]
    pub timeline_times: Vec<UintRange>,
}
/// Metadata of badges for some times.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct BadgeMetadataTimeline {
    /// The metadata; the first entry that contains a badge counts.
    #[prost(message, repeated, tag = "1")]
    pub badge_metadata: Vec<BadgeMetadata>,
    /// The times for which the entry holds, in milliseconds.
    #[prost(message, repeated, tag = "2")]
    pub timeline_times: Vec<UintRange>,
}
/// Free data for some times.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct CustomDataTimeline {
    /// The data.
    #[prost(string, tag = "1")]
    pub custom_data: String,
    /// The times for which the entry holds, in milliseconds.
    #[prost(message, repeated, tag = "2")]
    pub timeline_times: Vec<UintRange>,
}
/// A manager for some times.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct ManagerTimeline {
    /// The address of the manager.
    #[prost(string, tag = "1")]
    pub manager: String,
    /// The times for which the entry holds, in milliseconds.
    #[prost(message, repeated, tag = "2")]
    pub timeline_times: Vec<UintRange>,
}
/// Whether a collection is archived, for some times.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct IsArchivedTimeline {
    /// Whether it is archived.
    #[prost(bool, tag = "1")]
    pub is_archived: bool,
    /// The times for which the entry holds, in milliseconds.
    #[prost(message, repeated, tag = "2")]
    pub timeline_times: Vec<UintRange>,
}
/// Standards for some times.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct StandardsTimeline {
    /// The standards.
    #[prost(string, repeated, tag = "1")]
    pub standards: Vec<String>,
    /// The times for which the entry holds, in milliseconds.
    #[prost(message, repeated, tag = "2")]
    pub timeline_times: Vec<UintRange>,
}
