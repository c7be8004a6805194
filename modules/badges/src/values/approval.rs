//! Approvals, and the trackers of their use.

use super::{Balance, UintRange, one_range};
use crate::Range;

messages! {
    /// An approval of the collection level.
    CollectionApproval {
        /// The list of addresses that badges may come from.
        string from_list_id = 1;
        /// The list of addresses that badges may go to.
        string to_list_id = 2;
        /// The list of addresses that may initiate the transfer.
        string initiated_by_list_id = 3;
        /// The times at which transfers are approved, in milliseconds.
        repeated UintRange transfer_times = 4;
        /// The badges that are approved.
        repeated UintRange badge_ids = 5;
        /// The ownership times that are approved, in milliseconds.
        repeated UintRange ownership_times = 6;
        /// A link.
        string uri = 9;
        /// Free data.
        string custom_data = 10;
        /// The id, unique among the approvals of one level and approver.
        string approval_id = 11;
        /// Further conditions.
        optional ApprovalCriteria approval_criteria = 12;
        /// The number of changes since the approval was created. The keeper sets it.
        string version = 13;
        /// Whether trackers may exceed the limits, because an edit lowered the limits, or the
        /// approval was removed and created again. The origin does not have this field.
        bool limits_lowered = 1000;
    }

    /// An approval of a user for transfers from or to that user: `UserOutgoingApproval` or
    /// `UserIncomingApproval` of BitBadges, which have the same bytes.
    UserApproval {
        /// The list of addresses on the other side: the recipients of an outgoing approval, or the
        /// senders of an incoming one.
        string other_list_id = 1;
        /// The list of addresses that may initiate the transfer.
        string initiated_by_list_id = 2;
        /// The times at which transfers are approved, in milliseconds.
        repeated UintRange transfer_times = 3;
        /// The badges that are approved.
        repeated UintRange badge_ids = 4;
        /// The ownership times that are approved, in milliseconds.
        repeated UintRange ownership_times = 5;
        /// A link.
        string uri = 8;
        /// Free data.
        string custom_data = 9;
        /// The id, unique among the approvals of one level and approver.
        string approval_id = 10;
        /// Further conditions.
        optional UserApprovalCriteria approval_criteria = 11;
        /// The number of changes since the approval was created. The keeper sets it.
        string version = 12;
        /// Whether trackers may exceed the limits, because an edit lowered the limits, or the
        /// approval was removed and created again. The origin does not have this field.
        bool limits_lowered = 1000;
    }

    /// Conditions of an approval of the collection level.
    ApprovalCriteria {
        /// Merkle trees of which a leaf must be proved.
        repeated MerkleChallenge merkle_challenges = 1;
        /// The only balances that may be transferred.
        optional PredeterminedBalances predetermined_balances = 2;
        /// Limits on amounts.
        optional ApprovalLimits approval_amounts = 3;
        /// Limits on the number of transfers.
        optional ApprovalLimits max_num_transfers = 4;
        /// Whether the recipient must be the initiator.
        bool require_to_equals_initiated_by = 6;
        /// Whether the sender must be the initiator.
        bool require_from_equals_initiated_by = 7;
        /// Whether the recipient must not be the initiator.
        bool require_to_does_not_equal_initiated_by = 8;
        /// Whether the sender must not be the initiator.
        bool require_from_does_not_equal_initiated_by = 9;
        /// Whether the transfer needs no outgoing approval of the sender.
        bool overrides_from_outgoing_approvals = 10;
        /// Whether the transfer needs no incoming approval of the recipient.
        bool overrides_to_incoming_approvals = 11;
        /// Dynamic stores whose value for the initiator must be true.
        repeated DynamicStoreChallenge dynamic_store_challenges = 15;
    }

    /// Conditions of an approval of a user.
    UserApprovalCriteria {
        /// Merkle trees of which a leaf must be proved.
        repeated MerkleChallenge merkle_challenges = 1;
        /// The only balances that may be transferred.
        optional PredeterminedBalances predetermined_balances = 2;
        /// Limits on amounts.
        optional ApprovalLimits approval_amounts = 3;
        /// Limits on the number of transfers.
        optional ApprovalLimits max_num_transfers = 4;
        /// Whether the other side must be the initiator.
        bool require_other_equals_initiated_by = 6;
        /// Whether the other side must not be the initiator.
        bool require_other_does_not_equal_initiated_by = 7;
        /// Dynamic stores whose value for the initiator must be true.
        repeated DynamicStoreChallenge dynamic_store_challenges = 10;
    }

    /// A Merkle tree of which a leaf must be proved.
    MerkleChallenge {
        /// The root, as lower-case hexadecimal.
        string root = 1;
        /// The number of aunts in a proof.
        string expected_proof_length = 2;
        /// Whether the leaf is the address of the initiator.
        bool use_creator_address_as_leaf = 3;
        /// The number of times that a leaf may be used; 0 is unlimited.
        string max_uses_per_leaf = 4;
        /// A link.
        string uri = 5;
        /// Free data.
        string custom_data = 6;
        /// The id of the tracker of used leaves.
        string challenge_tracker_id = 7;
    }

    /// A dynamic store whose value for the initiator must be true.
    DynamicStoreChallenge {
        /// The id of the store.
        string store_id = 1;
    }

    /// Limits on the amount of each badge at each time, or on the number of transfers:
    /// `ApprovalAmounts` or `MaxNumTransfers` of BitBadges, which have the same bytes.
    ApprovalLimits {
        /// The limit for all transfers together; 0 is unlimited.
        string overall = 1;
        /// The limit for each recipient; 0 is unlimited.
        string per_to_address = 2;
        /// The limit for each sender; 0 is unlimited.
        string per_from_address = 3;
        /// The limit for each initiator; 0 is unlimited.
        string per_initiated_by_address = 4;
        /// The id of the tracker. The limits on amounts and on transfers may share one tracker.
        string amount_tracker_id = 6;
        /// The intervals after which the tracker starts again from 0.
        optional ResetTimeIntervals reset_time_intervals = 7;
    }

    /// Intervals after which a tracker starts again from 0.
    ResetTimeIntervals {
        /// The start of the first interval, in milliseconds; 0 disables the resets.
        string start_time = 1;
        /// The length of an interval, in milliseconds; 0 disables the resets.
        string interval_length = 2;
    }

    /// The only balances that an approval lets pass, selected by a number that increases with each
    /// transfer, or by a leaf index.
    PredeterminedBalances {
        /// The balances of the numbers 0, 1 and so on.
        repeated ManualBalances manual_balances = 1;
        /// Balances that move up with the number, if `manual_balances` is empty.
        optional IncrementedBalances incremented_balances = 2;
        /// The number that selects the balances.
        optional OrderCalculationMethod order_calculation_method = 3;
    }

    /// The balances of one number.
    ManualBalances {
        /// The balances.
        repeated Balance balances = 1;
    }

    /// Balances that move up with a number.
    IncrementedBalances {
        /// The balances of the number 0.
        repeated Balance start_balances = 1;
        /// The increment of badge ids for each number.
        string increment_badge_ids_by = 2;
        /// The increment of ownership times for each number, in milliseconds.
        string increment_ownership_times_by = 3;
    }

    /// The number that selects predetermined balances. Exactly one flag is set.
    OrderCalculationMethod {
        /// The number of earlier transfers.
        bool use_overall_num_transfers = 1;
        /// The number of earlier transfers to the recipient.
        bool use_per_to_address_num_transfers = 2;
        /// The number of earlier transfers from the sender.
        bool use_per_from_address_num_transfers = 3;
        /// The number of earlier transfers of the initiator.
        bool use_per_initiated_by_address_num_transfers = 4;
        /// The index of the proved leaf.
        bool use_merkle_challenge_leaf_index = 5;
        /// The challenge whose leaf index is used.
        string challenge_tracker_id = 6;
    }

    /// The use of an approval so far.
    ApprovalTracker {
        /// The number of transfers.
        string num_transfers = 1;
        /// The amounts, normalised.
        repeated Balance amounts = 2;
        /// The time of the last change, in milliseconds.
        string last_updated_at = 3;
    }
}

impl CollectionApproval {
    /// Returns an approval of all badges at all times, without conditions. The lists are those of
    /// the senders, the recipients and the initiators.
    #[must_use]
    pub fn of_all(id: &str, from: &str, to: &str, initiated_by: &str) -> CollectionApproval {
        CollectionApproval {
            from_list_id: from.to_owned(),
            to_list_id: to.to_owned(),
            initiated_by_list_id: initiated_by.to_owned(),
            transfer_times: one_range(Range::ALL),
            badge_ids: one_range(Range::ALL),
            ownership_times: one_range(Range::ALL),
            approval_id: id.to_owned(),
            ..CollectionApproval::default()
        }
    }
}

impl UserApproval {
    /// Returns an approval of all badges at all times, without conditions. The lists are those of
    /// the other side and of the initiators.
    #[must_use]
    pub fn of_all(id: &str, other: &str, initiated_by: &str) -> UserApproval {
        UserApproval {
            other_list_id: other.to_owned(),
            initiated_by_list_id: initiated_by.to_owned(),
            transfer_times: one_range(Range::ALL),
            badge_ids: one_range(Range::ALL),
            ownership_times: one_range(Range::ALL),
            approval_id: id.to_owned(),
            ..UserApproval::default()
        }
    }
}
