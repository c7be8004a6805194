//! The simulation finds a damaged state, and rejects heights that no block has.

use crate::world::memory;
use keyscape_sim::Unexpected;
use keyscape_txo::{
    event,
    layout::txo::{EVENTS, OUTPUT},
    sim,
};

#[test]
fn a_simulation_finds_a_damaged_state() {
    let db = memory();
    db.write(|tx| sim::begin(tx, 3)).unwrap();
    for height in 1..=8 {
        db.write(|tx| sim::block(tx, 3, height)).unwrap();
    }
    // Outputs keep their rows but are no longer listed under their transactions.
    db.write(|tx| {
        let outputs = OUTPUT.prefix_all().structures(tx)?.collect::<Result<Vec<_>, _>>()?;
        outputs
            .iter()
            .try_for_each(|key| EVENTS.delete(tx, event::txid(key.outpoint.txid)).map(drop))
    })
    .unwrap();
    let error = (9..=20).find_map(|height| db.write(|tx| sim::block(tx, 3, height)).err());
    let error = error.unwrap();
    let found = error.downcast_ref();
    assert!(
        matches!(found, Some(Unexpected::Wrong { .. } | Unexpected::Accepted { .. })),
        "{error}"
    );
}

#[test]
fn blocks_without_a_valid_height_are_refused() {
    let db = memory();
    for height in [0, u64::MAX] {
        let error = db.write(|tx| sim::block(tx, 1, height)).unwrap_err();
        let expected = format!("block {height} is higher than blocks can be");
        assert_eq!(error.to_string(), expected);
    }
}
