// Collections to test with. The examples in the documentation include this file, and an included
// file cannot begin with the documentation of a module.

use keyscape::store::{Db, Layout, Memory, Mode, Tx};
use keyscape_badges::{
    Address, Amounts, Error, ErrorKind, Id, Owner, Range,
    keeper::{self, CollectionChanges, Transfer},
    layout::badges::LAYOUT,
    values::{
        ApprovalCriteria, ApprovalLimits, CollectionApproval, MerkleChallenge, UserBalanceStore,
    },
};

pub(crate) type Outcome = Result<(), keyscape_sim::Fault>;

/// Creates an empty database in memory.
pub(crate) fn badges() -> Db {
    let spaces = Layout::spaces_of(&[&LAYOUT]).expect("the layout has names");
    Db::new(Memory::new(spaces))
}

pub(crate) fn begin(db: &Db) -> Tx<'_> {
    db.begin(Mode::Write).expect("nobody else writes")
}

/// Returns the address of 20 equal bytes.
pub(crate) fn address(byte: u8) -> Address<'static> {
    Address::new(vec![byte; 20]).expect("20 bytes are an address")
}

pub(crate) fn owner(byte: u8) -> Owner<'static> {
    Owner::User { address: address(byte) }
}

pub(crate) fn range(start: u64, end: u64) -> Range {
    Range::new(start, end).expect("a range")
}

/// Returns an amount of some ids at all times.
pub(crate) fn some(amount: u64, start: u64, end: u64) -> Amounts {
    Amounts::of(amount, range(start, end), Range::ALL)
}

/// Returns an approval of all transfers between all parties, which overrides the approvals of
/// users.
pub(crate) fn approval(id: &str, from: &str, by: &str) -> CollectionApproval {
    CollectionApproval {
        approval_criteria: Some(ApprovalCriteria {
            overrides_from_outgoing_approvals: true,
            overrides_to_incoming_approvals: true,
            ..ApprovalCriteria::default()
        }),
        ..CollectionApproval::of_all(id, from, "All", by)
    }
}

/// Returns an approval to mint by everybody, with changed conditions.
pub(crate) fn minting(change: impl FnOnce(&mut ApprovalCriteria)) -> CollectionApproval {
    let mut minting = approval("mint", "Mint", "All");
    change(minting.approval_criteria.get_or_insert_default());
    minting
}

/// Returns a limit for all transfers together.
pub(crate) fn overall(limit: u64, tracker: &str) -> ApprovalLimits {
    ApprovalLimits {
        overall: limit.to_string(),
        amount_tracker_id: tracker.to_owned(),
        ..ApprovalLimits::default()
    }
}

/// Returns a challenge with the id `codes`.
pub(crate) fn challenge(root: &str, proof_length: &str, uses: &str) -> MerkleChallenge {
    MerkleChallenge {
        root: root.to_owned(),
        expected_proof_length: proof_length.to_owned(),
        max_uses_per_leaf: uses.to_owned(),
        challenge_tracker_id: "codes".to_owned(),
        ..MerkleChallenge::default()
    }
}

/// Creates a collection with these approvals. All ids up to a million are valid.
pub(crate) fn collection(
    tx: &mut Tx<'_>,
    manager: &Address<'_>,
    approvals: Vec<CollectionApproval>,
) -> Result<Id, Error> {
    let changes = CollectionChanges {
        valid_badge_ids: Some(range(1, 1_000_000).into()),
        approvals: Some(approvals),
        ..CollectionChanges::default()
    };
    keeper::create_collection(tx, manager, &UserBalanceStore::default(), changes)
}

/// Creates a collection in which the manager mints, and all initiators transfer their own badges.
pub(crate) fn open_collection(tx: &mut Tx<'_>, manager: &Address<'_>) -> Result<Id, Error> {
    let mut movable = approval("move", "!Mint", "All");
    if let Some(criteria) = &mut movable.approval_criteria {
        criteria.require_from_equals_initiated_by = true;
    }
    collection(tx, manager, vec![approval("mint", "Mint", &manager.to_string()), movable])
}

pub(crate) fn mint(
    tx: &mut Tx<'_>,
    by: &Address<'_>,
    id: Id,
    to: &Address<'static>,
    amounts: Amounts,
) -> Result<(), Error> {
    keeper::transfer(tx, 1, by, id, &[Transfer::new(Owner::Mint, to.clone(), amounts)]).map(drop)
}

/// Transfers badges of the initiator.
pub(crate) fn send(
    tx: &mut Tx<'_>,
    now: u64,
    id: Id,
    from: &Address<'static>,
    to: &Address<'static>,
    amounts: Amounts,
) -> Result<(), Error> {
    let owner = Owner::User { address: from.clone() };
    keeper::transfer(tx, now, from, id, &[Transfer::new(owner, to.clone(), amounts)]).map(drop)
}

/// Runs an operation that must fail and write nothing.
#[track_caller]
pub(crate) fn refused<'db, T: std::fmt::Debug>(
    tx: &mut Tx<'db>,
    run: impl FnOnce(&mut Tx<'db>) -> Result<T, Error>,
) -> Error {
    let before = tx.changes().clone();
    let error = run(tx).expect_err("the operation must be rejected");
    assert!(tx.changes().iter().eq(before.iter()), "a rejected operation has written rows");
    assert!(error.is_refusal(), "{error}");
    error
}

/// Runs an operation that must fail for this reason and write nothing.
#[track_caller]
pub(crate) fn refused_for<'db, T: std::fmt::Debug>(
    tx: &mut Tx<'db>,
    reason: impl FnOnce(&ErrorKind) -> bool,
    run: impl FnOnce(&mut Tx<'db>) -> Result<T, Error>,
) {
    let error = refused(tx, run);
    assert!(reason(error.kind()), "{error}");
}

/// Asserts that all invariants hold.
#[track_caller]
pub(crate) fn sound(tx: &Tx<'_>) {
    let broken = keyscape_badges::invariants::check(tx).expect("the state can be read");
    assert_eq!(broken, []);
}
