//! Group commit.
//!
//! An optimistic commit is queued and waits at the gate. The session that passes the gate takes all
//! queued commits, including its own, writes them in one redb transaction and syncs once. The other
//! sessions find their commits done. A [`Mode::Write`](keyscape_store::Mode::Write) session holds
//! the gate until it commits, and then writes the commits that were queued meanwhile.

use crate::{
    database::{File, Redb, Table},
    error::{SharedError, catch, commit_error, store_error},
    revision,
};
use keyscape_store::{
    Changes, Commit, Durability, LogGuard, Revision, StoreError, StoreErrorKind, WritePass,
};
use redb::WriteTransaction;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

type Outcome = Result<Revision, StoreError>;

/// The queued commits, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Queue(Mutex<Vec<Arc<Ticket>>>);

/// A queued commit. It is checked against all commits after `read_at`.
#[derive(Debug)]
struct Ticket {
    read_at: Revision,
    commit: Commit,
    outcome: Mutex<Option<Outcome>>,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Ticket>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ticket {
    fn outcome(&self) -> MutexGuard<'_, Option<Outcome>> {
        self.outcome.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Redb {
    /// Commits a session that holds the gate, and then the queued commits.
    pub(crate) fn commit_alone(&self, pass: WritePass<'_>, commit: &Commit) -> Outcome {
        self.check(&commit.changes)?;
        let own = self.write(Some(commit));
        drop(pass);
        own.unwrap_or_else(|| Err(StoreErrorKind::CommitUnknown.into()))
    }

    /// Commits an optimistic session.
    pub(crate) fn commit_beside_others(
        &self,
        guard: LogGuard<'_>,
        read_at: Revision,
        commit: Commit,
    ) -> Outcome {
        self.check(&commit.changes)?;
        let ticket = Arc::new(Ticket { read_at, commit, outcome: Mutex::default() });
        self.queue.lock().push(Arc::clone(&ticket));
        match self.gate.enter_unless(|| ticket.outcome().is_some()) {
            Ok(Some(_pass)) => {
                self.write(None);
            }
            Ok(None) => {}
            Err(error) => {
                self.queue.lock().retain(|waiting| !Arc::ptr_eq(waiting, &ticket));
                return Err(error);
            }
        }
        // The log must contain the commits since `read_at` until the outcome is known.
        drop(guard);
        // A session took the ticket and panicked, so the ticket has no outcome.
        let outcome = ticket.outcome().take();
        outcome.unwrap_or_else(|| Err(StoreErrorKind::CommitUnknown.into()))
    }

    /// Makes buffered commits durable.
    pub(crate) fn flush(&self) -> Result<(), StoreError> {
        let File::Writable(_) = &self.file else { return Ok(()) };
        let _pass = self.gate.enter()?;
        finish(self.begin_write(Durability::Durable)?)
    }

    /// Checks that all stores are known.
    fn check(&self, changes: &Changes) -> Result<(), StoreError> {
        changes.stores().try_for_each(|store| self.spaces.try_slot(store.id()).map(drop))
    }

    /// Writes all queued commits together, and `alone` before them. The caller holds a pass of the
    /// gate.
    fn write(&self, alone: Option<&Commit>) -> Option<Outcome> {
        let waiting = std::mem::take(&mut *self.queue.lock());
        let mut next = self.revisions.next();
        let mut number = |changes: &Changes| {
            let revision = next;
            next.0 += 1;
            self.log.record(revision, changes);
            revision
        };
        let mut batch: Vec<(&Commit, Revision)> = Vec::with_capacity(waiting.len() + 1);
        batch.extend(alone.map(|commit| (commit, number(&commit.changes))));
        let mut tickets = Vec::with_capacity(waiting.len());
        for ticket in &waiting {
            // Earlier commits of the batch are in the log already.
            match self.log.check(ticket.read_at, &ticket.commit.reads) {
                Ok(()) => {
                    let revision = number(&ticket.commit.changes);
                    batch.push((&ticket.commit, revision));
                    tickets.push((ticket, revision));
                }
                Err(error) => *ticket.outcome() = Some(Err(error)),
            }
        }
        // Also after a failure: the numbers are in the log and must not be reused.
        self.revisions.begin(Revision(next.0 - 1));
        let written = self.write_batch(&batch);
        match &written {
            Ok(()) => batch.iter().for_each(|(commit, revision)| {
                self.watchers.select(*revision, &commit.changes).publish();
            }),
            Err(error) if error.kind() == StoreErrorKind::CommitUnknown => {
                self.watchers.lose(batch.len() as u64);
            }
            Err(_) => {}
        }
        let written = written.map_err(SharedError::new);
        let outcome = |revision| written.as_ref().map(|()| revision).map_err(SharedError::one);
        for (ticket, revision) in tickets {
            *ticket.outcome() = Some(outcome(revision));
        }
        let alone = alone.and(batch.first());
        alone.map(|(_, revision)| outcome(*revision))
    }

    fn write_batch(&self, batch: &[(&Commit, Revision)]) -> Result<(), StoreError> {
        let Some((_, last)) = batch.last() else { return Ok(()) };
        let durable = batch.iter().any(|(commit, _)| commit.durability == Durability::Durable);
        let durability = if durable { Durability::Durable } else { Durability::Buffered };
        let span = tracing::debug_span!("group", commits = batch.len(), ?durability);
        let _entered = span.enter();
        let transaction = self.begin_write(durability)?;
        let applied = catch(|| {
            batch.iter().try_for_each(|(commit, _)| self.apply(&transaction, &commit.changes))?;
            revision::write(&transaction, *last)
        });
        if let Err(error) = applied {
            // Keep this separate from the work that failed: a second panic during the first one
            // would abort the process.
            let _ = catch(|| {
                drop(transaction);
                Ok(())
            });
            return Err(error);
        }
        finish(transaction)?;
        self.revisions.end(*last);
        Ok(())
    }

    fn apply(&self, transaction: &WriteTransaction, changes: &Changes) -> Result<(), StoreError> {
        for store in changes.stores() {
            let named = |error: StoreError| error.in_store(store.name().to_owned());
            let table = transaction.open_table(Table::new(store.name()));
            let mut table = table.map_err(store_error).map_err(named)?;
            for (key, value) in store.iter() {
                let changed = match value {
                    Some(value) => table.insert(key, value).map(drop),
                    None => table.remove(key).map(drop),
                };
                changed.map_err(|error| named(store_error(error)).at_key(key))?;
            }
        }
        Ok(())
    }

    fn begin_write(&self, durability: Durability) -> Result<WriteTransaction, StoreError> {
        let File::Writable(file) = &self.file else { return Err(StoreErrorKind::ReadOnly.into()) };
        let mut transaction = catch(|| file.file()?.begin_write().map_err(store_error))?;
        if durability == Durability::Buffered {
            transaction.set_durability(redb::Durability::None).map_err(store_error)?;
        } else {
            transaction.set_two_phase_commit(true);
            transaction.set_quick_repair(self.quick_repair);
        }
        Ok(transaction)
    }
}

/// Commits. After a panic of redb, it is unknown whether the file contains the commit.
fn finish(transaction: WriteTransaction) -> Result<(), StoreError> {
    catch(|| transaction.commit().map_err(commit_error)).map_err(|error| match error.kind() {
        StoreErrorKind::Corrupt { .. } => {
            StoreError::new(StoreErrorKind::CommitUnknown).because(error)
        }
        _ => error,
    })
}
