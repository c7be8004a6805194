//! Transfers of badges as badges, owners, uses of an approval and collections grow.

use super::{Growing, Point, SIZES};
use crate::fixture::{memory, ok};
use keyscape::store::{Db, Tx};
use keyscape_badges::{
    Address, Amounts, Error, Id, Owner, Range,
    keeper::{self, CollectionChanges, Transfer},
    layout::badges::{LAYOUT, NEXT_COLLECTION},
    values::{ApprovalCriteria, ApprovalLimits, CollectionApproval, UserBalanceStore, one_range},
};

const SYSTEM: &str = "badges";
/// The first id. All ids have the same number of digits, so the byte counts are comparable.
const FIRST: u64 = 10_000_000;
/// The number of badges in collections of a fixed size.
const BADGES: u64 = 1_000;

/// Measures all operations.
pub(super) fn measure() -> Vec<Point> {
    [by_badges(), by_owners(), by_collections()].concat()
}

fn by_badges() -> Vec<Point> {
    let measured = SIZES.map(|size| {
        let (db, id) = minted(size);
        let mut state = Growing { size, ..Growing::new(SYSTEM, "badges", db) };
        state.measure("send all badges", |tx| send(tx, id, amounts(FIRST, size)));
        state.points
    });
    measured.concat()
}

/// Measures with a growing number of owners. Every owner has used the approval to mint once, and
/// has a tracker of this use.
fn by_owners() -> Vec<Point> {
    let (db, id) = minted(BADGES);
    let mut state = Growing::new(SYSTEM, "owners and uses of an approval", db);
    for size in SIZES {
        state.fill(size, |tx, place| mint(tx, id, &user(place + 10), amounts(FIRST, 1)));
        state.measure("send ten badges", |tx| send(tx, id, amounts(FIRST + 100, 10)));
        state.measure("mint ten badges", |tx| {
            ok(mint(tx, id, &user(2), amounts(FIRST + 100, 10)));
        });
    }
    state.points
}

fn by_collections() -> Vec<Point> {
    let (db, id) = minted(BADGES);
    let mut state = Growing::new(SYSTEM, "collections", db);
    for size in SIZES {
        state.fill(size, |tx, _| collection(tx, BADGES).map(drop));
        state.measure("send ten badges", |tx| send(tx, id, amounts(FIRST + 100, 10)));
    }
    state.points
}

/// Creates a database with one collection whose badges all belong to the first user.
fn minted(badges: u64) -> (Db, Id) {
    let db = memory(&[&LAYOUT]);
    let id = ok(db.write(|tx| {
        NEXT_COLLECTION.set(tx, FIRST.into())?;
        let id = collection(tx, badges)?;
        mint(tx, id, &user(1), amounts(FIRST, badges))?;
        Ok::<_, Error>(id)
    }));
    (db, id)
}

fn user(place: u64) -> Address<'static> {
    ok(Address::new(format!("user {place:015}").into_bytes()))
}

fn amounts(first: u64, count: u64) -> Amounts {
    Amounts::of(1_u64, ok(Range::new(first, first + count - 1)), Range::ALL)
}

/// Creates a collection in which all users mint up to a limit, and send only their own badges.
fn collection(tx: &mut Tx<'_>, badges: u64) -> Result<Id, Error> {
    let rule = |id: &str, from: &str, criteria| CollectionApproval {
        from_list_id: from.to_owned(),
        to_list_id: "All".to_owned(),
        initiated_by_list_id: "All".to_owned(),
        transfer_times: one_range(Range::ALL),
        badge_ids: one_range(Range::ALL),
        ownership_times: one_range(Range::ALL),
        approval_id: id.to_owned(),
        approval_criteria: Some(criteria),
        ..CollectionApproval::default()
    };
    let own = ApprovalCriteria {
        require_from_equals_initiated_by: true,
        overrides_from_outgoing_approvals: true,
        overrides_to_incoming_approvals: true,
        ..ApprovalCriteria::default()
    };
    let limited = ApprovalCriteria {
        require_from_equals_initiated_by: false,
        approval_amounts: Some(ApprovalLimits {
            overall: "10000000".to_owned(),
            per_initiated_by_address: "10000000".to_owned(),
            ..ApprovalLimits::default()
        }),
        ..own.clone()
    };
    let changes = CollectionChanges {
        valid_badge_ids: Some(ok(Range::new(FIRST, FIRST + badges)).into()),
        approvals: Some(vec![rule("mint", "Mint", limited), rule("move", "!Mint", own)]),
        ..CollectionChanges::default()
    };
    keeper::create_collection(tx, &user(0), &UserBalanceStore::default(), changes)
}

fn mint(tx: &mut Tx<'_>, id: Id, to: &Address<'static>, amounts: Amounts) -> Result<(), Error> {
    keeper::transfer(tx, 1, to, id, &[Transfer::new(Owner::Mint, to.clone(), amounts)]).map(drop)
}

fn send(tx: &mut Tx<'_>, id: Id, amounts: Amounts) {
    let transfer = Transfer::new(Owner::User { address: user(1) }, user(2), amounts);
    ok(keeper::transfer(tx, 1, &user(1), id, &[transfer]));
}
