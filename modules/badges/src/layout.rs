//! The keyspaces of the module, from the layout in `layouts/bitbadges`.
//!
//! The keeper writes only through these keyspaces. They are public for tools and tests.

use crate::values::{
    AddressList, ApprovalTracker, BadgeCollection, DynamicStore, UserBalanceStore,
};

keyscape::layout!("../../layouts/bitbadges/sound.keys");
