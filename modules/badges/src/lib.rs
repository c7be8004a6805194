//! Badges on Keyscape, with the keys of the BitBadges state document.
//!
//! A collection has badges with 256-bit ids. A user owns an amount of each badge for each
//! millisecond of time; amounts are stored as ranges of ids and times, so a million badges
//! cost as much as one. Transfers need approvals of the collection, of the sender and of the
//! recipient, with limits that trackers count, Merkle challenges and dynamic stores.
//!
//! ```
//! use keyscape_badges::{
//!     Address, Amounts, Error, Owner, Range,
//!     keeper::{self, CollectionChanges, Transfer},
//!     layout::badges::LAYOUT,
//!     values::{ApprovalCriteria, CollectionApproval, UserBalanceStore},
//! };
//!
//! let db = keyscape::memory(&LAYOUT)?;
//! let ann = Address::new(vec![1; 20])?;
//! let bob = Address::new(vec![2; 20])?;
//! let now = 1_700_000_000_000;
//! // Ann may mint every badge; nothing else is approved.
//! let mint = CollectionApproval {
//!     approval_criteria: Some(ApprovalCriteria {
//!         overrides_from_outgoing_approvals: true,
//!         overrides_to_incoming_approvals: true,
//!         ..ApprovalCriteria::default()
//!     }),
//!     ..CollectionApproval::of_all("mint", "Mint", "All", &ann.to_string())
//! };
//! let changes = CollectionChanges {
//!     valid_badge_ids: Some(Range::new(1_u64, 1_000_000_u64)?.into()),
//!     approvals: Some(vec![mint]),
//!     ..CollectionChanges::default()
//! };
//! let tickets = Amounts::of(1_u64, Range::new(1_u64, 1_000_000_u64)?, Range::ALL);
//! let one = Amounts::of(1_u64, Range::new(7_u64, 7_u64)?, Range::ALL);
//! let mint = [Transfer::new(Owner::Mint, bob.clone(), tickets)];
//! let back = [Transfer::new(Owner::User { address: bob.clone() }, ann.clone(), one)];
//! let defaults = UserBalanceStore::default();
//! let id = db.write(|tx| {
//!     let id = keeper::create_collection(tx, &ann, &defaults, changes.clone())?;
//!     keeper::transfer(tx, now, &ann, id, &mint)?;
//!     // A rejected operation writes nothing, and the transaction continues.
//!     let refused = keeper::transfer(tx, now, &bob, id, &back);
//!     assert!(refused.is_err_and(|error| error.is_refusal()));
//!     Ok::<_, Error>(id)
//! })?;
//! let state = db.read()?;
//! assert_eq!(keeper::amounts(&state, id, &bob)?.at(999_999_u64, now), 1_u128);
//! assert_eq!(keyscape_badges::invariants::check(&state)?, []);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - [`layout`]: the keyspaces; [`values`]: the messages that rows hold.
//! - [`Range`], [`Ranges`], [`Amounts`]: interval arithmetic.
//! - [`MerkleTree`], [`MerkleProof`]: proofs.
//! - [`keeper`]: the operations.
//! - [`invariants`]: the invariants of a state.
//! - [`sim`]: random operations, checked.
//!
//! # Differences from BitBadges
//!
//! - Ids of collections, badges and leaves have 256 bits everywhere. BitBadges cuts collection ids
//!   in keys to 8 digits.
//! - Ids of approvals, trackers and challenges contain no dash, so two approvals never share a
//!   tracker by accident.
//! - `Total` is stored, and is the sum of the badges of all users with a row.
//! - Deleting a collection or a dynamic store deletes everything that belongs to it, in batches.
//! - An amount is counted in the tracker of amounts and a transfer in that of transfers, never in
//!   both.
//! - Any approval that matches is used, including approvals with trackers or challenges. BitBadges
//!   uses those only if the transfer prioritizes them in their current version.
//! - The approvals of a user are checked once for all badges of a transfer. BitBadges checks them
//!   once for each approval of the collection that lets a part of the badges pass.
//! - A challenge that no proof can satisfy is rejected. A node that is joined with itself is the
//!   left child, so a leaf of a padded tree has one index.
//! - Transfers, default balances, predetermined balances and approvals have at most 4,096 pieces,
//!   each a range of ids and a range of times.
//! - These are not implemented, and the messages have no fields for them: coin transfers,
//!   royalties, signatures of leaves, required badges of other collections, automatic deletion of
//!   approvals, and balances that depend on the time of the transfer.
//!
//! As in BitBadges, trackers, leaves and versions outlive their approval. An approval that is
//! created again with the same id continues with the counts of the removed one. Deleting the
//! trackers would be unbounded work, because an approval can have a tracker for every address.

mod amounts;
mod error;
pub mod invariants;
pub mod keeper;
pub mod layout;
mod merkle;
mod names;
pub mod queries;
mod ranges;
pub mod sim;
pub mod values;

pub use amounts::{Amounts, AmountsError};
pub use error::{Error, ErrorKind};
pub use layout::badges::{Address, Id, Kind, Level, Owner, Party};
pub use merkle::{Aunt, MerkleProof, MerkleTree};
pub use names::{Names, owner_name};
pub use ranges::{BadRange, Range, Ranges};
