//! The cost of operations in logical reads and writes, which depends only on the touched rows.

use crate::setup::{FULL, NOW, address, create, swap, with_pools};
use keyscape::store::{Count, Db, Tx};
use keyscape_concentrated_liquidity::{
    Error, keeper,
    layout::concentratedliquidity::{POSITIONS, TICKS},
    math::Dec,
    values::{Position, TickInfo},
};

/// Creates a pool with a full-range position, positions at ten ticks below the price, and `far`
/// distant positions with their own ticks. The distant positions are written as rows.
fn pool(far: i64) -> Db {
    let db = with_pools(&[1], 1, "0.003");
    db.write(|tx| {
        create(tx, 1, 1, "1000000000000eth,1000000000000usdc", FULL)?;
        for step in 1..=10 {
            create(tx, 2, 1, "1000000usdc", (-200_000 - step * 10, -step * 10))?;
        }
        let model = keeper::get_position(tx, 2)?;
        let tick = |net| TickInfo { gross: Dec::ONE, net, ..TickInfo::default() };
        for number in 0..far {
            let (lower, upper) = (1_000_000 + number * 2, 1_000_001 + number * 2);
            let id = 1_000 + u64::try_from(number).unwrap();
            let position = Position { id, lower, upper, liquidity: Dec::ONE, ..model.clone() };
            POSITIONS.put(tx, id, &position)?;
            TICKS.put(tx, (1, lower), &tick(Dec::ONE))?;
            TICKS.put(tx, (1, upper), &tick(Dec::ONE.negated()))?;
        }
        Ok::<(), Error>(())
    })
    .unwrap();
    db
}

/// Counts the reads and writes of an operation without committing it.
fn count<T>(db: &Db, run: impl FnOnce(&mut Tx<'_>) -> Result<T, Error>) -> (Count, T) {
    let (count, result) = keyscape_testkit::count(db, run).unwrap();
    (count, result.unwrap())
}

/// Returns the numbers of logical operations: reads of keys, starts of scans, rows of scans, writes
/// and deletions.
fn shape(count: &Count) -> [u64; 5] {
    [count.gets, count.seeks, count.rows, count.puts, count.deletes]
}

#[test]
fn the_cost_of_a_swap_does_not_depend_on_other_positions() {
    let mut all = Vec::new();
    for far in [0, 10, 1_000, 20_000] {
        let db = pool(far);
        let swaps = ["1000eth", "750000eth", "6000000eth"].map(|coin| {
            let coin = coin.parse().unwrap();
            count(&db, |tx| swap(tx, 3, 1, &coin, "usdc"))
        });
        let crossed = swaps.iter().map(|(_, swapped)| swapped.crossed.len()).collect::<Vec<_>>();
        let (made, created) =
            count(&db, |tx| create(tx, 3, 1, "1000eth,1000usdc", (-50_000, 50_000)));
        let (gone, _) = count(&db, |tx| {
            let position = keeper::get_position(tx, 1)?;
            keeper::withdraw_position(tx, NOW, &address(1), 1, position.liquidity)
        });
        assert!(created.liquidity.is_positive());
        let shapes =
            swaps.iter().map(|(count, _)| shape(count)).chain([shape(&made), shape(&gone)]);
        all.push((crossed, shapes.collect::<Vec<_>>()));
    }
    let (crossed, shapes) = &all[0];
    assert_eq!(crossed, &[0, 1, 10], "{shapes:?}");
    for other in &all {
        assert_eq!(other, &all[0]);
    }
    // Each crossed tick is one row of the scan and one write.
    let [none, one, ten] = [shapes[0], shapes[1], shapes[2]];
    assert_eq!((ten[2] - one[2], ten[3] - one[3]), (9, 9), "{none:?} {one:?} {ten:?}");
    assert_eq!(none[1], 1, "{none:?}");
}
