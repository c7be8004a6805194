//! Tests that the simulation preserves all invariants.

use crate::setup::{Outcome, empty, sound};
use keyscape::store::Mode;
use keyscape_bank::{Account, layout::acc::ACCOUNTS, sim};

/// The run includes module accounts that are created late, and accounts of unknown types.
#[test]
fn a_simulation_keeps_all_invariants() -> Outcome {
    let db = empty();
    db.write(|tx| sim::begin(tx, 7))?;
    for height in 1..=60 {
        db.write(|tx| sim::block(tx, 7, height))?;
    }
    let tx = db.begin(Mode::Write)?;
    sound(&tx);
    let mut unknown = 0;
    for row in ACCOUNTS.scan_all(&tx)? {
        let account: Account = row?.1;
        unknown += u32::from(account.type_url() == "/ethermint.types.v1.EthAccount");
    }
    assert!(unknown > 3, "{unknown}");
    Ok(())
}
