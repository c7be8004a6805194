//! The simulation reaches every state.

use crate::setup::Outcome;
use keyscape_paw::{
    layout::paw::{CIRCUIT_BREAKERS, ESCROWS, JOB_STATUS, LAYOUT, SLASHES},
    sim,
};
use std::collections::BTreeSet;

/// A run reaches every status, every state of an escrow, a pause of the breaker and a penalty.
#[test]
fn a_run_reaches_every_state() -> Outcome {
    let layouts = [&LAYOUT, &keyscape_bank::layout::bank::LAYOUT];
    let db = keyscape::memory_with(&layouts)?;
    db.write(|tx| sim::begin(tx, 5))?;
    let (mut statuses, mut escrows) = (BTreeSet::new(), BTreeSet::new());
    let (mut tripped, mut slashed) = (false, false);
    for height in 1..=250 {
        db.write(|tx| sim::block(tx, 5, height))?;
        let state = db.read()?;
        for row in JOB_STATUS.scan_all(&state)? {
            statuses.insert(row?.1.status);
        }
        for row in ESCROWS.scan_all(&state)? {
            escrows.insert(row?.1.state);
        }
        for row in CIRCUIT_BREAKERS.scan_all(&state)? {
            tripped |= row?.1.paused_until > 0;
        }
        slashed |= SLASHES.prefix_all().count(&state)? > 0;
    }
    assert_eq!((statuses.len(), escrows.len()), (7, 5), "{statuses:?} {escrows:?}");
    assert!(tripped && slashed);
    Ok(())
}
