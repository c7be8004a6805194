//! The updates that a manager or a user may still make.
//!
//! An entry permanently permits or forbids an update at some times. An update that no entry
//! matches is permitted, and may be fixed later. If several entries match, the first one applies.

use super::UintRange;

messages! {
    /// Permissions of the manager of a collection.
    CollectionPermissions {
        /// Deleting the collection.
        repeated ActionPermission can_delete_collection = 1;
        /// Archiving the collection.
        repeated TimedUpdatePermission can_archive_collection = 2;
        /// Changing the standards.
        repeated TimedUpdatePermission can_update_standards = 4;
        /// Changing the free data.
        repeated TimedUpdatePermission can_update_custom_data = 5;
        /// Changing the manager.
        repeated TimedUpdatePermission can_update_manager = 6;
        /// Changing the metadata of the collection.
        repeated TimedUpdatePermission can_update_collection_metadata = 7;
        /// Changing the ids that are valid.
        repeated BadgeIdsActionPermission can_update_valid_badge_ids = 8;
        /// Changing the metadata of badges.
        repeated TimedUpdateWithBadgeIdsPermission can_update_badge_metadata = 9;
        /// Changing the approvals.
        repeated CollectionApprovalPermission can_update_collection_approvals = 10;
    }

    /// Permissions of a user.
    UserPermissions {
        /// Changing outgoing approvals.
        repeated UserApprovalPermission can_update_outgoing_approvals = 1;
        /// Changing incoming approvals.
        repeated UserApprovalPermission can_update_incoming_approvals = 2;
        /// Changing the flag for self-initiated outgoing transfers.
        repeated ActionPermission can_update_auto_approve_self_initiated_outgoing_transfers = 3;
        /// Changing the flag for self-initiated incoming transfers.
        repeated ActionPermission can_update_auto_approve_self_initiated_incoming_transfers = 4;
        /// Changing the flag for all incoming transfers.
        repeated ActionPermission can_update_auto_approve_all_incoming_transfers = 5;
    }

    /// Permission of one action.
    ActionPermission {
        /// The times at which the update is permanently permitted.
        repeated UintRange permanently_permitted_times = 1;
        /// The times at which the update is permanently forbidden.
        repeated UintRange permanently_forbidden_times = 2;
    }

    /// Permission of changes to a timeline.
    TimedUpdatePermission {
        /// The times at which the update is permanently permitted.
        repeated UintRange permanently_permitted_times = 1;
        /// The times at which the update is permanently forbidden.
        repeated UintRange permanently_forbidden_times = 2;
        /// The times of the timeline that the entry is about.
        repeated UintRange timeline_times = 3;
    }

    /// Permission of changes to some badges.
    BadgeIdsActionPermission {
        /// The badges.
        repeated UintRange badge_ids = 1;
        /// The times at which the update is permanently permitted.
        repeated UintRange permanently_permitted_times = 2;
        /// The times at which the update is permanently forbidden.
        repeated UintRange permanently_forbidden_times = 3;
    }

    /// Permission of changes to some badges in a timeline.
    TimedUpdateWithBadgeIdsPermission {
        /// The badges.
        repeated UintRange badge_ids = 1;
        /// The times at which the update is permanently permitted.
        repeated UintRange permanently_permitted_times = 2;
        /// The times at which the update is permanently forbidden.
        repeated UintRange permanently_forbidden_times = 3;
        /// The times of the timeline that the entry is about.
        repeated UintRange timeline_times = 4;
    }

    /// Permission of changes to approvals of the collection.
    CollectionApprovalPermission {
        /// The list of senders.
        string from_list_id = 1;
        /// The list of recipients.
        string to_list_id = 2;
        /// The list of initiators.
        string initiated_by_list_id = 3;
        /// The transfer times.
        repeated UintRange transfer_times = 4;
        /// The badges.
        repeated UintRange badge_ids = 5;
        /// The ownership times.
        repeated UintRange ownership_times = 6;
        /// The id of the approval, or `All`.
        string approval_id = 9;
        /// The times at which the update is permanently permitted.
        repeated UintRange permanently_permitted_times = 10;
        /// The times at which the update is permanently forbidden.
        repeated UintRange permanently_forbidden_times = 11;
    }

    /// Permission of changes to approvals of a user: `UserOutgoingApprovalPermission` or
    /// `UserIncomingApprovalPermission` of BitBadges, which have the same bytes.
    UserApprovalPermission {
        /// The list of recipients for outgoing approvals, or of senders for incoming ones.
        string other_list_id = 1;
        /// The list of initiators.
        string initiated_by_list_id = 2;
        /// The transfer times.
        repeated UintRange transfer_times = 3;
        /// The badges.
        repeated UintRange badge_ids = 4;
        /// The ownership times.
        repeated UintRange ownership_times = 5;
        /// The id of the approval, or `All`.
        string approval_id = 8;
        /// The times at which the update is permanently permitted.
        repeated UintRange permanently_permitted_times = 9;
        /// The times at which the update is permanently forbidden.
        repeated UintRange permanently_forbidden_times = 10;
    }
}
