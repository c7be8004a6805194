//! The cost of a transfer depends only on the ranges that it touches.

use crate::setup::{address, approval, badges, collection, mint, minting, overall, owner, range};
use keyscape::store::{Count, Db, Tx};
use keyscape_badges::{
    Amounts, Error, Id, Owner, Range,
    keeper::{self, Transfer},
    layout::badges::NEXT_COLLECTION,
};

/// Returns a state with this many owners, collections and uses of the approval.
fn filled(size: u64) -> Result<Db, Error> {
    let db = badges();
    db.write(|tx| {
        let ann = address(1);
        let rule = minting(|criteria| criteria.approval_amounts = Some(overall(1_000_000, "")));
        // Ids of equal length, to compare bytes too.
        NEXT_COLLECTION.set(tx, 1_000_000_u64.into())?;
        let id = collection(tx, &ann, vec![rule, approval("move", "!Mint", "All")])?;
        let badges = || Amounts::of(1_u64, range(1_000, 999_999), Range::ALL);
        mint(tx, &ann, id, &address(2), badges())?;
        for index in 0..size {
            let user =
                keyscape_badges::Address::new(format!("somebody else {index:06}").into_bytes());
            let user = user.map_err(keyscape::Error::from)?;
            let one = Amounts::of(1_u64, range(1, 1), Range::ALL);
            mint(tx, &ann, id, &user, one)?;
            collection(tx, &ann, vec![approval("move", "!Mint", "All")])?;
        }
        Ok::<(), Error>(())
    })?;
    Ok(db)
}

fn cost(db: &Db, run: impl FnOnce(&mut Tx<'_>) -> Result<(), Error>) -> Count {
    let (count, done) = keyscape_testkit::count(db, run).expect("nobody else writes");
    done.expect("it is possible");
    count
}

#[test]
fn a_transfer_costs_the_same_among_few_and_among_many() {
    let id = Id(1_000_000_u64.into());
    let costs = |size: u64| {
        let db = filled(size).expect("it can be filled");
        let send = cost(&db, |tx| {
            let part = Amounts::of(1_u64, range(5_000, 5_999), Range::ALL);
            let transfer = Transfer::new(owner(2), address(3), part);
            keeper::transfer(tx, 5, &address(2), id, &[transfer]).map(drop)
        });
        let mint = cost(&db, |tx| {
            let part = Amounts::of(1_u64, range(5_000, 5_999), Range::ALL);
            let transfer = Transfer::new(Owner::Mint, address(3), part);
            keeper::transfer(tx, 5, &address(2), id, &[transfer]).map(drop)
        });
        (send, mint)
    };
    let (send, mint) = costs(10);
    assert_eq!(
        [(send.gets, send.puts, send.deletes), (mint.gets, mint.puts, mint.deletes)],
        // The collection, two users and, for new badges, the total and a tracker.
        [(3, 3, 0), (5, 4, 0)]
    );
    assert_eq!((send.seeks, mint.seeks), (0, 0));
    for size in [100, 1_000] {
        let (more_send, more_mint) = costs(size);
        assert_eq!(more_send, send, "{size}");
        assert_eq!(
            (more_mint.gets, more_mint.puts, more_mint.seeks),
            (mint.gets, mint.puts, mint.seeks),
            "{size}"
        );
    }
}

#[test]
fn a_million_badges_cost_as_much_as_ten() {
    let send = |badges: u64| {
        let db = badges_of(badges).expect("it can be filled");
        cost(&db, |tx| {
            let all = Amounts::of(1_u64, range(100_000, 100_000 + badges - 1), Range::ALL);
            let transfer = Transfer::new(owner(2), address(3), all);
            keeper::transfer(tx, 5, &address(2), Id(1_u64.into()), &[transfer]).map(drop)
        })
    };
    let few = send(10);
    for badges in [1_000, 100_000, 900_000] {
        assert_eq!(send(badges), few, "{badges}");
    }
}

fn badges_of(badges: u64) -> Result<Db, Error> {
    let db = crate::setup::badges();
    db.write(|tx| {
        let ann = address(1);
        let id = crate::setup::open_collection(tx, &ann)?;
        let all = Amounts::of(1_u64, range(100_000, 100_000 + badges - 1), Range::ALL);
        mint(tx, &ann, id, &address(2), all)
    })?;
    Ok(db)
}
