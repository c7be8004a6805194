//! Transfers of badges among few and many badges, owners, collections and uses of an approval.

use super::{Point, SIZES, point};
use crate::typed::data::ok;
use keyscape::store::{Db, Layout, Memory, Tx};
use keyscape_badges::{
    Address, Amounts, Error, Id, Owner, Range,
    keeper::{self, CollectionChanges, Transfer},
    layout::badges::{LAYOUT, NEXT_COLLECTION},
    values::{
        ApprovalAmounts, ApprovalCriteria, CollectionApproval, UserBalanceStore, one_range,
    },
};

const SYSTEM: &str = "badges";
/// The number of collections or owners that one transaction adds.
const FILLED_AT_ONCE: u64 = 10_000;
/// Ids of equal length, so that bytes can be compared.
const FIRST: u64 = 10_000_000;

/// Measures all operations.
pub(super) fn measure() -> Vec<Point> {
    let mut points = Vec::new();
    for size in SIZES {
        eprintln!("measuring badges at {size}");
        let db = empty();
        let id = ok(db.write(|tx| collection(tx, size)));
        let all = amounts(FIRST, size);
        ok(db.write(|tx| mint(tx, id, &user(1), all.clone())));
        points.push(point(SYSTEM, "send all badges, by their number", size, &db, |tx| {
            send(tx, id, all.clone());
        }));
    }
    for size in SIZES {
        eprintln!("measuring badges among {size} owners");
        let db = empty();
        let id = ok(db.write(|tx| collection(tx, 1_000)));
        ok(db.write(|tx| mint(tx, id, &user(1), amounts(FIRST, 1_000))));
        in_batches(&db, size, |tx, place| mint(tx, id, &user(place + 10), amounts(FIRST, 1)));
        points.push(point(SYSTEM, "send ten badges, by owners and uses", size, &db, |tx| {
            send(tx, id, amounts(FIRST + 100, 10));
        }));
        points.push(point(SYSTEM, "mint ten badges, by owners and uses", size, &db, |tx| {
            ok(mint(tx, id, &user(2), amounts(FIRST + 100, 10)));
        }));
    }
    for size in SIZES {
        eprintln!("measuring badges among {size} collections");
        let db = empty();
        let id = ok(db.write(|tx| collection(tx, 1_000)));
        ok(db.write(|tx| mint(tx, id, &user(1), amounts(FIRST, 1_000))));
        in_batches(&db, size, |tx, _| collection(tx, 1_000).map(drop));
        points.push(point(SYSTEM, "send ten badges, by collections", size, &db, |tx| {
            send(tx, id, amounts(FIRST + 100, 10));
        }));
    }
    points
}

fn empty() -> Db {
    let db = Db::new(Memory::new(ok(Layout::spaces_of(&[&LAYOUT]))));
    ok(db.write(|tx| NEXT_COLLECTION.set(tx, FIRST.into())));
    db
}

fn in_batches(db: &Db, size: u64, fill: impl Fn(&mut Tx<'_>, u64) -> Result<(), Error>) {
    for start in (0..size).step_by(FILLED_AT_ONCE as usize) {
        ok(db.write(|tx| {
            (start..size.min(start + FILLED_AT_ONCE)).try_for_each(|place| fill(tx, place))
        }));
    }
}

fn user(place: u64) -> Address<'static> {
    ok(Address::new(format!("user {place:015}").into_bytes()))
}

fn amounts(first: u64, count: u64) -> Amounts {
    Amounts::of(1_u64, ok(Range::new(first, first + count - 1)), Range::ALL)
}

/// A collection in which everybody mints up to a limit, and sends what belongs to the initiator.
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
        approval_amounts: Some(ApprovalAmounts {
            overall_approval_amount: "10000000".to_owned(),
            ..ApprovalAmounts::default()
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
