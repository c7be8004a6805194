//! Collections, user balances, address lists and dynamic stores.

use super::{
    Balance, CollectionApproval, CollectionPermissions, UintRange, UserApproval, UserPermissions,
};

messages! {
    /// A collection with its metadata, permissions, approvals and default balances.
    BadgeCollection {
        /// The id, equal to that of the key.
        string collection_id = 1;
        /// Metadata of the collection over time.
        repeated CollectionMetadataTimeline collection_metadata_timeline = 2;
        /// Metadata of badges over time.
        repeated BadgeMetadataTimeline badge_metadata_timeline = 3;
        /// The kind of balances: always `Standard`.
        string balances_type = 4;
        /// Free data over time.
        repeated CustomDataTimeline custom_data_timeline = 7;
        /// The manager over time.
        repeated ManagerTimeline manager_timeline = 8;
        /// The updates that the manager may still make.
        optional CollectionPermissions collection_permissions = 9;
        /// The approvals of the collection level, in the order in which they are tried.
        repeated CollectionApproval collection_approvals = 10;
        /// Standards that the collection follows, over time.
        repeated StandardsTimeline standards_timeline = 11;
        /// Whether the collection is archived, over time. An archived collection accepts no
        /// transfers, and updates only of this field.
        repeated IsArchivedTimeline is_archived_timeline = 12;
        /// The record of users without a row.
        optional UserBalanceStore default_balances = 13;
        /// The address that created the collection.
        string created_by = 14;
        /// The ids of badges that may exist.
        repeated UintRange valid_badge_ids = 15;
        /// The module address of the mint escrow, derived from the id.
        string mint_escrow_address = 16;
        /// Whether the rows of the collection are being deleted. The origin does not have this
        /// field.
        bool deleting = 1000;
    }

    /// The badges and the approvals of one user in one collection.
    UserBalanceStore {
        /// The amounts, normalised.
        repeated Balance balances = 1;
        /// Approvals for transfers from the user, in the order in which they are tried.
        repeated UserApproval outgoing_approvals = 2;
        /// Approvals for transfers to the user, in the order in which they are tried.
        repeated UserApproval incoming_approvals = 3;
        /// Whether transfers that the user initiates need no outgoing approval.
        bool auto_approve_self_initiated_outgoing_transfers = 4;
        /// Whether transfers that the user initiates need no incoming approval.
        bool auto_approve_self_initiated_incoming_transfers = 5;
        /// Whether all transfers to the user are approved.
        bool auto_approve_all_incoming_transfers = 6;
        /// The updates that the user may still make. Present in every stored row, so a stored row
        /// is never empty.
        optional UserPermissions user_permissions = 7;
    }

    /// A list of addresses that approvals refer to. It never changes.
    AddressList {
        /// The id, equal to that of the key.
        string list_id = 1;
        /// Addresses, or `Mint`.
        repeated string addresses = 2;
        /// Whether the list consists of its addresses, or of all others.
        bool whitelist = 3;
        /// A link to more about the list.
        string uri = 4;
        /// Free data.
        string custom_data = 5;
        /// The address that created the list.
        string created_by = 6;
    }

    /// A store of one boolean per address, which approvals can require.
    DynamicStore {
        /// The id, equal to that of the key.
        string store_id = 1;
        /// The address that may change the store.
        string created_by = 2;
        /// The value of addresses without a row.
        bool default_value = 3;
        /// Whether the values of the store are being deleted. The origin does not have this field.
        bool deleting = 1000;
    }

    /// Metadata of a collection.
    CollectionMetadata {
        /// A link.
        string uri = 1;
        /// Free data.
        string custom_data = 2;
    }

    /// Metadata of some badges.
    BadgeMetadata {
        /// A link.
        string uri = 1;
        /// Free data.
        string custom_data = 2;
        /// The badges.
        repeated UintRange badge_ids = 3;
    }

    /// Metadata of a collection for some times.
    CollectionMetadataTimeline {
        /// The metadata.
        optional CollectionMetadata collection_metadata = 1;
        /// The times for which the entry holds, in milliseconds.
        repeated UintRange timeline_times = 2;
    }

    /// Metadata of badges for some times.
    BadgeMetadataTimeline {
        /// The metadata; the first entry that contains a badge counts.
        repeated BadgeMetadata badge_metadata = 1;
        /// The times for which the entry holds, in milliseconds.
        repeated UintRange timeline_times = 2;
    }

    /// Free data for some times.
    CustomDataTimeline {
        /// The data.
        string custom_data = 1;
        /// The times for which the entry holds, in milliseconds.
        repeated UintRange timeline_times = 2;
    }

    /// A manager for some times.
    ManagerTimeline {
        /// The address of the manager.
        string manager = 1;
        /// The times for which the entry holds, in milliseconds.
        repeated UintRange timeline_times = 2;
    }

    /// Whether a collection is archived, for some times.
    IsArchivedTimeline {
        /// Whether it is archived.
        bool is_archived = 1;
        /// The times for which the entry holds, in milliseconds.
        repeated UintRange timeline_times = 2;
    }

    /// Standards for some times.
    StandardsTimeline {
        /// The standards.
        repeated string standards = 1;
        /// The times for which the entry holds, in milliseconds.
        repeated UintRange timeline_times = 2;
    }
}
