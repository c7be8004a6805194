//! Random choices, and the collections and users to choose from.

use crate::{
    Address, Amounts, Id, MerkleProof, MerkleTree, Owner, Range, Ranges,
    keeper::{self, CollectionChanges},
    layout::badges::{NEXT_COLLECTION, NEXT_DYNAMIC_STORE},
    values::{ApprovalCriteria, ApprovalLimits, CollectionApproval, MerkleChallenge, one_range},
};
use keyscape::{U256, store::Read};
use keyscape_sim::{Fault, Hex, Random};
use sha2::{Digest as _, Sha256};

/// The maximum amount of each badge that the approval `mint` allows.
pub(super) const SUPPLY: u64 = 1_000;
/// The number of uses of each leaf.
pub(super) const USES: u64 = 2;
/// The number of leaves of the tree of codes.
const LEAVES: u64 = 6;
/// The badges that are claimed with a code.
const CLAIMED: (u64, u64) = (901, 999);
/// The number of badge ids in a cell of the grid.
const IDS: u64 = 50;
/// The number of milliseconds in a cell of the grid.
const TIMES: u64 = 25_000;
/// The largest id of a badge.
const MOST: u64 = 1_000;

/// The random choices of a block.
pub(super) struct Draw {
    random: Random,
    seed: u64,
    height: u64,
}

impl Draw {
    pub(super) fn new(seed: u64, height: u64) -> Draw {
        Draw { random: Random::new(seed, height), seed, height }
    }

    /// Returns a number below `bound`, or 0 if `bound` is 0.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.random.below(bound)
    }

    /// Returns the time of the block, in milliseconds.
    pub(super) fn now(&self) -> u64 {
        self.height.saturating_add(1).saturating_mul(1_000)
    }

    /// Returns the address of a user: 20 bytes, or 32 for every eighth user.
    pub(super) fn address_at(&self, index: u64) -> Result<Address<'static>, Fault> {
        let digest: [u8; 32] = Sha256::new()
            .chain_update(self.seed.to_be_bytes())
            .chain_update(index.to_be_bytes())
            .finalize()
            .into();
        let length = if index % 8 == 7 { 32 } else { 20 };
        let bytes: Vec<u8> = digest.iter().take(length).copied().collect();
        Ok(Address::new(bytes)?)
    }

    pub(super) fn address(&mut self) -> Result<Address<'static>, Fault> {
        let users = (12 + self.height / 16).min(500);
        let index = self.below(users);
        self.address_at(index)
    }

    /// Returns a user other than `not`.
    pub(super) fn other(&mut self, not: &Address<'_>) -> Result<Address<'static>, Fault> {
        loop {
            let address = self.address()?;
            if address != *not {
                return Ok(address);
            }
        }
    }

    /// Returns a collection that is not being deleted. At least one always exists.
    pub(super) fn collection(&mut self, state: &impl Read) -> Result<Id, Fault> {
        let next = small(NEXT_COLLECTION.peek(state)?);
        let first = self.below(next);
        for offset in 0..next {
            let id = Id(((first + offset) % next).into());
            if keeper::get_collection(state, id)?.is_some_and(|row| !row.deleting) {
                return Ok(id);
            }
        }
        Err(crate::ErrorKind::NoCollection(Id(U256::ZERO)).into())
    }

    /// Returns the id of a dynamic store, which may be deleted.
    pub(super) fn store(&mut self, state: &impl Read) -> Result<Id, Fault> {
        let next = small(NEXT_DYNAMIC_STORE.peek(state)?);
        Ok(Id((1 + self.below(next.saturating_sub(1))).into()))
    }

    /// Returns the manager of a collection at the time of the block.
    pub(super) fn manager(&self, state: &impl Read, id: Id) -> Result<Address<'static>, Fault> {
        let name = keeper::manager(state, id, self.now())?.unwrap_or_default();
        Ok(keeper::address(&name)?)
    }

    /// Returns a range of one to three adjacent cells of a grid. Using cells limits the number of
    /// ranges that a user has.
    fn cells(&mut self, size: u64, count: u64) -> Result<Range, Fault> {
        let first = self.below(count);
        let last = (first + self.below(3)).min(count - 1);
        Ok(Range::new(first * size + 1, (last + 1) * size)?)
    }

    /// Returns amounts for up to three rectangles of badges and times, to be minted.
    pub(super) fn amounts(&mut self) -> Result<Amounts, Fault> {
        let mut amounts = Amounts::default();
        for _ in 0..=self.below(3) {
            let times = match self.below(3) {
                0 => Ranges::all(),
                _ => self.cells(TIMES, 4)?.into(),
            };
            let one = Amounts::of(1 + self.below(5), self.cells(IDS, 18)?, times);
            amounts = amounts.checked_add(&one)?;
        }
        Ok(amounts)
    }

    /// Returns a part of some amounts: some ids and times, with at most their amount.
    pub(super) fn part(&mut self, of: &Amounts) -> Result<Amounts, Fault> {
        let rectangles: Vec<_> = of.iter().collect();
        let mut part = Amounts::default();
        for _ in 0..=self.below(2) {
            let Some((ids, times, amount)) = self.random.pick(&rectangles) else { continue };
            let (ids, times) = (self.inside(ids, IDS)?, self.inside(times, TIMES)?);
            let amount = U256::from(1 + self.below(small(amount)));
            part = part.checked_add(&Amounts::of(amount, ids, times))?;
        }
        Ok(part.min(of))
    }

    /// Returns a part of a range: all of it, or its first or last cell.
    fn inside(&mut self, range: Range, cell: u64) -> Result<Range, Fault> {
        let length = (range.end() - range.start()).min(U256::from(cell - 1));
        Ok(match self.below(3) {
            0 => range,
            1 => Range::new(range.start(), range.start() + length)?,
            _ => Range::new(range.end() - length, range.end())?,
        })
    }

    /// Returns the tree of codes of this run. All collections share the tree; each counts its own
    /// uses.
    fn tree(&self) -> MerkleTree {
        MerkleTree::new((0..LEAVES).map(|leaf| format!("code {leaf} of {}", self.seed)))
    }

    /// Draws a code. Returns the index of its leaf, and its proof.
    pub(super) fn code(&mut self) -> (u64, Option<MerkleProof>) {
        let leaf = self.below(LEAVES);
        (leaf, usize::try_from(leaf).ok().and_then(|leaf| self.tree().proof(leaf)))
    }

    /// Returns one badge that can be claimed.
    pub(super) fn claimed(&mut self) -> Result<Amounts, Fault> {
        let id = CLAIMED.0 + self.below(5);
        Ok(Amounts::of(1_u64, Range::new(id, id)?, Range::ALL))
    }

    /// Returns the approvals of a new collection: minting up to the supply, claims with a code,
    /// transfers by the owner, and transfers that users approve.
    pub(super) fn template(&self, manager: &Address<'_>) -> CollectionChanges {
        let tree = self.tree();
        let rule =
            |id: &str, from: &str, by: &str, criteria: ApprovalCriteria| CollectionApproval {
                approval_criteria: Some(criteria),
                ..CollectionApproval::of_all(id, from, "All", by)
            };
        let forced = ApprovalCriteria {
            overrides_from_outgoing_approvals: true,
            overrides_to_incoming_approvals: true,
            ..ApprovalCriteria::default()
        };
        let mint = ApprovalCriteria {
            approval_amounts: Some(ApprovalLimits {
                overall: SUPPLY.to_string(),
                amount_tracker_id: "supply".to_owned(),
                ..ApprovalLimits::default()
            }),
            ..forced.clone()
        };
        let claim = ApprovalCriteria {
            merkle_challenges: vec![MerkleChallenge {
                root: Hex(&tree.root()).to_string(),
                expected_proof_length: tree.depth().to_string(),
                max_uses_per_leaf: USES.to_string(),
                challenge_tracker_id: "codes".to_owned(),
                ..MerkleChallenge::default()
            }],
            max_num_transfers: Some(ApprovalLimits {
                overall: (LEAVES * USES).to_string(),
                amount_tracker_id: "claims".to_owned(),
                ..ApprovalLimits::default()
            }),
            ..forced.clone()
        };
        let own = ApprovalCriteria { require_from_equals_initiated_by: true, ..forced };
        let mut claim = rule("claim", "Mint", "All", claim);
        if let Ok(range) = Range::new(CLAIMED.0, CLAIMED.1) {
            claim.badge_ids = one_range(range);
        }
        CollectionChanges {
            valid_badge_ids: Range::new(1_u64, MOST).ok().map(Ranges::from),
            approvals: Some(vec![
                rule("mint", "Mint", &manager.to_string(), mint),
                claim,
                rule("move", "!Mint", "All", own),
                rule("open", "!Mint", "All", ApprovalCriteria::default()),
            ]),
            ..CollectionChanges::default()
        }
    }
}

/// Returns a user as an owner.
pub(super) fn owner(address: &Address<'static>) -> Owner<'static> {
    Owner::User { address: address.clone() }
}

/// Converts a number that is small in the simulation.
fn small(number: U256) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
