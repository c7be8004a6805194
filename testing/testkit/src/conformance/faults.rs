//! Clients of an engine that fails.

use super::{A, Factory, Outcome};
use crate::{Failing, Fault, ledger::Ledger};
use keyscape_store::{Database, Db, Limits, Spaces};
use std::{sync::Arc, thread};

const CLIENTS: u8 = 3;
const ENTRIES: u64 = 12;

/// Each client keeps a counter and a list while every few calls fail, before or after the write.
pub(super) fn ledgers(factory: Factory<'_>) -> Outcome {
    for (fault, calls) in [(Fault::Before, 12), (Fault::After, 12), (Fault::After, 9)] {
        let setup = super::Setup { spaces: Spaces::new(["a"])?, limits: Limits::NONE };
        let engine: Arc<dyn Database> = Arc::from(factory(setup));
        let db = Db::new(Failing::every(Arc::clone(&engine), calls, fault));
        thread::scope(|scope| -> Outcome {
            let db = &db;
            let clients: Vec<_> = (0..CLIENTS)
                .map(|client| scope.spawn(move || add_entries(Ledger::new(db, A, client))))
                .collect();
            for client in clients {
                client.join().map_err(|_| "a client panicked")??;
            }
            Ok(())
        })?;
    }
    Ok(())
}

fn add_entries(mut ledger: Ledger<'_>) -> Result<(), String> {
    let mut added = 0;
    while added < ENTRIES {
        added += u64::from(ledger.add()?);
    }
    ledger.check()
}
