//! A client that notices lost and repeated commits, for tests with faults.

use keyscape_store::{
    CommitId, Db, KeyRange, Read, ReadExt as _, StoreError, StoreErrorKind, StoreId,
};
use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

/// A client with a counter and an append-only list, which nobody else writes.
///
/// The client checks after every error whether the commit has happened. An acknowledged commit has.
/// After [`CommitUnknown`](StoreErrorKind::CommitUnknown) the commit id shows it. After any other
/// error the commit has not happened.
#[derive(Debug)]
pub struct Ledger<'a> {
    db: &'a Db,
    store: StoreId,
    client: u8,
    /// The number of entries that exist for certain.
    entries: u64,
    /// The outcomes so far.
    pub report: Report,
}

/// The outcomes of a client's commits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Acknowledged commits.
    pub acknowledged: u64,
    /// Commits that failed, and were not written.
    pub failed: u64,
    /// Commits with unknown outcome, which the commit id resolved.
    pub unknown: u64,
}

/// The number of attempts to read the state after an error.
const READ_ATTEMPTS: u32 = 600;

/// Runs three clients while `disturb` runs, and checks everything that they have written.
///
/// # Errors
/// The violation of a client.
pub fn run_while(db: &Db, store: StoreId, disturb: impl FnOnce()) -> Result<Vec<Report>, String> {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let clients: Vec<_> = (0..3)
            .map(|client| {
                let is_over = &is_over;
                scope.spawn(move || {
                    let mut ledger = Ledger::new(db, store, client);
                    while !is_over.load(Ordering::SeqCst) {
                        ledger.add()?;
                    }
                    ledger.check().map(|()| ledger.report)
                })
            })
            .collect();
        disturb();
        is_over.store(true, Ordering::SeqCst);
        let join = |client: thread::ScopedJoinHandle<'_, Result<Report, String>>| {
            client.join().unwrap_or_else(|_| Err("a client panicked".to_owned()))
        };
        clients.into_iter().map(join).collect()
    })
}

impl<'a> Ledger<'a> {
    /// Begins a ledger without entries.
    #[must_use]
    pub fn new(db: &'a Db, store: StoreId, client: u8) -> Ledger<'a> {
        Ledger { db, store, client, entries: 0, report: Report::default() }
    }

    /// Writes the next entry, in one attempt. Returns whether it was acknowledged.
    ///
    /// # Errors
    /// The violation: a lost, repeated or partial commit.
    pub fn add(&mut self) -> Result<bool, String> {
        let number = self.entries + 1;
        let id = self.id(number);
        let written = self.db.write(|tx| {
            let next = counter(tx, self.store, self.client)? + 1;
            tx.put(self.store, &[self.client], &next.to_be_bytes())?;
            tx.put(self.store, &entry(self.client, next), &next.to_be_bytes())?;
            id.put(tx)
        });
        let is_written = match written {
            Ok(()) => {
                self.report.acknowledged += 1;
                self.entries = number;
                return Ok(true);
            }
            Err(error) if error.kind() == StoreErrorKind::CommitUnknown => {
                self.report.unknown += 1;
                self.read(|state| id.is_in(state))?
            }
            Err(error) => {
                self.report.failed += 1;
                if self.read(|state| id.is_in(state))? {
                    return Err(format!(
                        "entry {number} was written although it failed: {error:?}"
                    ));
                }
                false
            }
        };
        self.entries += u64::from(is_written);
        self.check()?;
        Ok(is_written)
    }

    /// Compares the rows with the acknowledged commits.
    ///
    /// # Errors
    /// The violation.
    pub fn check(&self) -> Result<(), String> {
        let (client, entries) = (self.client, self.entries);
        let (count, rows) = self.read(|state| {
            let count = counter(state, self.store, client)?;
            let prefix = [client, b'/'];
            Ok((count, state.rows(self.store, KeyRange::prefix(&prefix))?.to_vec()?))
        })?;
        if count != entries {
            return Err(format!("client {client}: the counter is {count} after {entries} commits"));
        }
        let expected =
            (1..=entries).map(|number| (entry(client, number), number.to_be_bytes().to_vec()));
        if !rows.into_iter().eq(expected) {
            return Err(format!(
                "client {client}: the list does not have the entries 1 to {entries}"
            ));
        }
        Ok(())
    }

    /// Reads the state, again and again while the database fails.
    fn read<T>(&self, read: impl Fn(&dyn Read) -> Result<T, StoreError>) -> Result<T, String> {
        let mut attempts = 0;
        loop {
            match self.db.read().and_then(|state| read(&state)) {
                Ok(answer) => return Ok(answer),
                Err(error) if attempts >= READ_ATTEMPTS => {
                    return Err(format!(
                        "client {}: the state cannot be read: {error:?}",
                        self.client
                    ));
                }
                Err(_) => {
                    attempts += 1;
                    thread::sleep(Duration::from_millis(u64::from(attempts.min(100) / 2)));
                }
            }
        }
    }

    fn id(&self, number: u64) -> CommitId {
        let mut id = [0; 16];
        id[0] = self.client;
        id[8..].copy_from_slice(&number.to_be_bytes());
        CommitId(id)
    }
}

fn counter(state: &(impl Read + ?Sized), store: StoreId, client: u8) -> Result<u64, StoreError> {
    let bytes = state.get_with(store, &[client], |value| value.try_into().unwrap_or_default())?;
    Ok(bytes.map_or(0, u64::from_be_bytes))
}

fn entry(client: u8, number: u64) -> Vec<u8> {
    [&[client, b'/'][..], &number.to_be_bytes()].concat()
}
