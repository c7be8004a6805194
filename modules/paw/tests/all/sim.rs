//! The simulation calls every operation and reaches every state.

use crate::setup::Outcome;
use keyscape_paw::{
    layout::paw::{CIRCUIT_BREAKERS, ESCROWS, JOB_STATUS, LAYOUT, SLASHES},
    sim,
};
use std::collections::BTreeSet;

/// Returns the public functions of the keeper: part and name.
fn operations() -> Vec<String> {
    let parts = [
        ("compute", include_str!("../../src/keeper/compute.rs")),
        ("dex", include_str!("../../src/keeper/dex.rs")),
        ("oracle", include_str!("../../src/keeper/oracle.rs")),
        ("ibc", include_str!("../../src/keeper/ibc.rs")),
    ];
    let mut calls = Vec::new();
    for (part, text) in parts {
        let lists = text.split("\npub use ").skip(1).filter_map(|rest| rest.split(';').next());
        let names = lists.filter_map(|list| list.split_once("::")).flat_map(|(_, names)| {
            names.split(|sign: char| sign != '_' && !sign.is_ascii_alphanumeric())
        });
        let names = names.filter(|name| name.starts_with(|sign: char| sign.is_ascii_lowercase()));
        calls.extend(names.map(|name| format!("{part}::{name}(")));
        let own = text.split("\npub fn ").skip(1).filter_map(|rest| rest.split('(').next());
        calls.extend(own.map(|name| format!("{part}::{name}(")));
    }
    calls
}

#[test]
fn every_operation_is_in_the_simulation() {
    const SIM: [&str; 4] = [
        include_str!("../../src/sim/compute.rs"),
        include_str!("../../src/sim/dex.rs"),
        include_str!("../../src/sim/oracle.rs"),
        include_str!("../../src/sim.rs"),
    ];
    let calls = operations();
    assert!(calls.len() > 50, "{calls:?}");
    let missing: Vec<&String> =
        calls.iter().filter(|call| !SIM.iter().any(|text| text.contains(*call))).collect();
    // The tally calls the two functions of medians, and the end of a block prunes packets.
    assert_eq!(missing, ["oracle::is_outlier_of(", "oracle::weighted_median(", "ibc::prune("]);
}

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
