//! Commits, and commits whose answer was lost.

use crate::{
    error::{Fault, advice},
    flight::{Step, in_one_flight},
    link::{Link, Sql, last_value},
    server::Server,
    session::{PgSession, begin_on},
};
use keyscape_store::{
    Commit, Durability, Mode, Revision, Session as _, StoreChanges, StoreError, StoreErrorKind,
};
use keyscape_store_remote::{pause, retry_until};
use std::{iter, pin::pin};
use tokio_postgres::{Statement, binary_copy::BinaryCopyInWriter, types::Type};

/// The maximum numbers of rows and bytes in one statement.
const STATEMENT_ROWS: usize = 10_000;
const STATEMENT_BYTES: usize = 8 << 20;
/// From this number of new rows on, `COPY` is faster than `INSERT`.
const COPY_ROWS: usize = 1_000;
/// After this number of acknowledged commits, their ids are deleted.
const MAX_IDS: usize = 256;

impl PgSession<'_> {
    /// Writes the changes and commits. A transaction without reads is valid on any state, so this
    /// function repeats it after a conflict.
    pub(crate) fn write(&self, commit: &Commit) -> Result<Revision, StoreError> {
        let is_blind = self.mode == Mode::Optimistic && commit.reads.is_empty();
        let attempts = self.database.pool.options.attempts;
        let mut attempt = 1;
        loop {
            match self.try_write(commit) {
                Err(error)
                    if is_blind
                        && error.kind() == StoreErrorKind::Conflict
                        && attempt < attempts =>
                {
                    pause(attempt);
                    attempt += 1;
                    let lost = |fault: Fault| fault.into_error();
                    self.lease.ask("rollback").map_err(lost)?;
                    let patience = self.lease.patience();
                    begin_on(&self.lease, self.database, self.mode, patience).map_err(lost)?;
                }
                written => return written,
            }
        }
    }

    fn try_write(&self, commit: &Commit) -> Result<Revision, StoreError> {
        let link = &*self.lease;
        let id = link.next_id();
        let plan = self.plan(commit, &id)?;
        let statements = u32::try_from(plan.len()).unwrap_or(u32::MAX);
        let patience = link.patience().saturating_mul(statements);
        let answers = link.run_within(patience, async {
            let steps = plan.iter().map(|step| step.send(link));
            Ok::<_, Fault>(in_one_flight(steps.collect()).await)
        });
        let fault = match answers {
            Ok(answers) => {
                let commit = answers.len().saturating_sub(1);
                // The number of the state after the commit. If it is missing, the next number is a
                // lower bound.
                let state = answers.last().and_then(|last| last.as_ref().ok());
                let state = state.and_then(|state| link.server.revision(state));
                let failed = answers.into_iter().enumerate().find_map(|(place, answer)| {
                    answer.err().map(|error| (place, Fault::from(error)))
                });
                match failed {
                    None => {
                        self.has_ended.set(true);
                        self.forget(id);
                        let next = Revision(self.revision().0 + 1);
                        return Ok(state.unwrap_or(next).max(next));
                    }
                    // After an error, the server rolls back at the commit.
                    Some((place, fault)) if place < commit && !fault.is_lost() => {
                        return Err(match plan.get(place) {
                            Some(Planned::Mark { .. }) => fault.into_waiting_error(),
                            _ => fault.into_error(),
                        });
                    }
                    Some((_, fault)) if fault.aborts_commit() => return Err(fault.into_error()),
                    Some((_, fault)) => fault,
                }
            }
            Err(fault @ Fault::NoThread(_)) => return Err(fault.into_error()),
            Err(fault) => fault,
        };
        link.give_up();
        self.has_ended.set(true);
        match self.resolve(&id) {
            Ok(Some(revision)) => Ok(revision),
            // The server cancelled the commit after the timeout. Another attempt would take as
            // long.
            Ok(None) if fault.is_cancelled() => Err(fault.into_error()),
            Ok(None) => Err(expired(fault)),
            Err(error) => Err(StoreError::new(StoreErrorKind::CommitUnknown).because(error)),
        }
    }

    /// Lists the statements of a commit. The id comes first: other writers wait there for an
    /// exclusive writer, before they hold locks on rows.
    fn plan<'c>(&self, commit: &'c Commit, id: &'c [u8]) -> Result<Vec<Planned<'c>>, StoreError> {
        let failed = Fault::into_error;
        let (link, database) = (&*self.lease, self.database);
        let mut plan = Vec::new();
        if commit.durability == Durability::Buffered && link.server == Server::Postgres {
            plan.push(Planned::Plain("set local synchronous_commit = off"));
        }
        let commits_slot = database.spaces.len();
        let mark = link.statement(commits_slot, Sql::Mark, &database.commits);
        let mark = mark.map_err(Fault::into_waiting_error)?;
        let mut is_marked = false;
        for store in commit.changes.stores() {
            let slot = database.spaces.try_slot(store.id())?;
            let table = database.table(slot);
            let (keys, values, deleted) = split(store);
            if self.can_copy(slot, &keys).map_err(failed)? {
                if !is_marked {
                    let marked = link.run(link.client.execute(&mark, &[&id]));
                    marked.map_err(Fault::into_waiting_error)?;
                    is_marked = true;
                }
                self.copy(table, &keys, &values).map_err(failed)?;
            } else {
                for (keys, values) in chunks(&keys, &values) {
                    let statement = link.statement(slot, Sql::Put, table).map_err(failed)?;
                    plan.push(Planned::Put { statement, keys, values });
                }
            }
            for keys in key_chunks(&deleted) {
                let statement = link.statement(slot, Sql::Delete, table).map_err(failed)?;
                plan.push(Planned::Delete { statement, keys: keys.to_vec() });
            }
        }
        if !is_marked {
            plan.insert(0, Planned::Mark { statement: mark, id });
        }
        plan.push(Planned::Commit);
        Ok(plan)
    }

    /// Whether all keys are new, so that `COPY` can write them. `COPY` cannot replace rows.
    fn can_copy(&self, slot: usize, keys: &[&[u8]]) -> Result<bool, Fault> {
        let (Some(first), Some(last)) = (keys.first(), keys.last()) else { return Ok(false) };
        if keys.len() < COPY_ROWS || self.lease.server != Server::Postgres {
            return Ok(false);
        }
        let link = &*self.lease;
        let statement = link.statement(slot, Sql::Any, self.database.table(slot))?;
        Ok(link.run(link.client.query_opt(&statement, &[first, last]))?.is_none())
    }

    fn copy(&self, table: &str, keys: &[&[u8]], values: &[&[u8]]) -> Result<(), Fault> {
        let link = &*self.lease;
        let bytes: usize = values.iter().map(|value| value.len()).sum();
        let statements = u32::try_from(1 + bytes / STATEMENT_BYTES).unwrap_or(u32::MAX);
        link.run_within(link.patience().saturating_mul(statements), async {
            let text = format!("copy {table} (key, value) from stdin (format binary)");
            let sink = link.client.copy_in(&text).await?;
            let mut writer = pin!(BinaryCopyInWriter::new(sink, &[Type::BYTEA, Type::BYTEA]));
            for (key, value) in keys.iter().zip(values) {
                writer.as_mut().write(&[key, value]).await?;
            }
            writer.finish().await
        })
        .map(drop)
    }

    /// Deletes ids of acknowledged commits from time to time. The deletion runs outside
    /// serializable transactions, and gives up after 20 milliseconds if an exclusive writer holds
    /// the lock.
    fn forget(&self, id: Vec<u8>) {
        let link = &*self.lease;
        let mut ids = link.acknowledged();
        ids.push(id);
        if !ids.len().is_multiple_of(MAX_IDS) {
            return;
        }
        let query = format!("delete from {} where id = any($1)", self.database.commits);
        let old: Vec<&[u8]> = ids.iter().map(Vec::as_slice).collect();
        let deleted = link.run(async {
            link.client.batch_execute("begin; set local lock_timeout = 20").await?;
            let deleted = link.client.execute(&query, &[&old]).await;
            link.client.batch_execute("commit").await?;
            deleted
        });
        // If deletions keep failing, leave the ids to the next opening of the database.
        if deleted.is_ok() || ids.len() >= 4 * MAX_IDS {
            ids.clear();
        }
    }

    /// Determines whether the commit with an id has happened, and prevents a later commit with it.
    /// Returns a state after the commit.
    fn resolve(&self, id: &[u8]) -> Result<Option<Revision>, StoreError> {
        let _span = tracing::info_span!("resolve", engine = crate::ENGINE).entered();
        let timeout = self.database.pool.options.resolve_timeout;
        let attempt = || {
            let link = self.database.pool.connect()?;
            self.fence(&link, id).map_err(Fault::into_error)
        };
        retry_until(timeout, |_| true, attempt)
    }

    /// Inserts the id. The insert waits for a transaction that has inserted the same id.
    fn fence(&self, link: &Link, id: &[u8]) -> Result<Option<Revision>, Fault> {
        let commits = &self.database.commits;
        if link.server == Server::Postgres {
            // The old server process may still hold locks while it waits for a client that is gone.
            let end = "select pg_terminate_backend(pid) from pg_stat_activity \
                       where pid = $1 and extract(epoch from backend_start)::text = $2";
            let (process, started) = &self.lease.process;
            link.run(link.client.query(end, &[process, started]))?;
        }
        let insert = format!(
            "insert into {commits} (id, fence) values ($1, true) on conflict (id) do nothing"
        );
        link.run(link.client.execute(&insert, &[&id]))?;
        let query = format!("select fence from {commits} where id = $1");
        let row = link.run(link.client.query_one(&query, &[&id]))?;
        match row.try_get::<_, bool>(0)? {
            true => Ok(None),
            false => link.state(link.patience(), "").map(Some),
        }
    }
}

/// A statement of a commit.
enum Planned<'c> {
    Plain(&'static str),
    Mark {
        statement: Statement,
        id: &'c [u8],
    },
    Put {
        statement: Statement,
        keys: Vec<&'c [u8]>,
        values: Vec<&'c [u8]>,
    },
    Delete {
        statement: Statement,
        keys: Vec<&'c [u8]>,
    },
    /// Commits, and reads the number of the state after the commit.
    Commit,
}

impl Planned<'_> {
    fn send<'s>(&'s self, link: &'s Link) -> Step<'s> {
        let client = &link.client;
        Box::pin(async move {
            match self {
                Planned::Plain(text) => client.batch_execute(text).await?,
                Planned::Mark { statement, id } => drop(client.execute(statement, &[id]).await?),
                Planned::Put { statement, keys, values } => {
                    client.execute(statement, &[keys, values]).await?;
                }
                Planned::Delete { statement, keys } => {
                    client.execute(statement, &[keys]).await?;
                }
                Planned::Commit => {
                    let query = format!("commit; {}", link.server.state());
                    let answer = client.simple_query(&query).await?;
                    return Ok(last_value(&answer).unwrap_or_default().to_owned());
                }
            }
            Ok(String::new())
        })
    }
}

type Bytes<'c> = Vec<&'c [u8]>;

/// Separates the rows that are put from the keys that are deleted.
fn split(store: &StoreChanges) -> (Bytes<'_>, Bytes<'_>, Bytes<'_>) {
    let (mut keys, mut values, mut deleted) = (Vec::new(), Vec::new(), Vec::new());
    for (key, value) in store.iter() {
        match value {
            Some(value) => {
                keys.push(key);
                values.push(value);
            }
            None => deleted.push(key),
        }
    }
    (keys, values, deleted)
}

/// Splits rows into statements of bounded size.
fn chunks<'c>(keys: &[&'c [u8]], values: &[&'c [u8]]) -> Vec<(Bytes<'c>, Bytes<'c>)> {
    let mut chunks: Vec<(Bytes<'c>, Bytes<'c>)> = Vec::new();
    let mut bytes = usize::MAX;
    for (key, value) in keys.iter().zip(values) {
        let row = key.len() + value.len();
        match chunks.last_mut() {
            Some((keys, values))
                if keys.len() < STATEMENT_ROWS && bytes.saturating_add(row) <= STATEMENT_BYTES =>
            {
                keys.push(key);
                values.push(value);
                bytes += row;
            }
            _ => {
                chunks.push((vec![key], vec![value]));
                bytes = row;
            }
        }
    }
    chunks
}

/// Splits keys into lists of bounded size.
pub(crate) fn key_chunks<'k, 'c>(mut keys: &'k [&'c [u8]]) -> impl Iterator<Item = &'k [&'c [u8]]> {
    iter::from_fn(move || {
        let mut bytes = 0_usize;
        let mut fits = |key: &&[u8]| {
            bytes = bytes.saturating_add(key.len());
            bytes <= STATEMENT_BYTES
        };
        let max = keys.len().min(STATEMENT_ROWS);
        let count = keys[..max].iter().take_while(|key| fits(key)).count();
        let (chunk, rest) = keys.split_at(count.max(1).min(keys.len()));
        keys = rest;
        (!chunk.is_empty()).then_some(chunk)
    })
}

/// Returns the error for a lost connection, if nothing was written.
fn expired(fault: Fault) -> StoreError {
    let error = fault.into_error();
    match error.kind() {
        StoreErrorKind::SnapshotExpired => error,
        _ => {
            let advice = advice(format!("the commit failed: {error}"), "run it again");
            StoreError::new(StoreErrorKind::SnapshotExpired).because(advice.because(error))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_keys_are_bounded_in_number_and_bytes() {
        let sizes = |count: usize, length: usize| -> Vec<usize> {
            let key = vec![0; length];
            let keys = vec![&key[..]; count];
            key_chunks(&keys).map(<[_]>::len).collect()
        };
        assert!(sizes(0, 1).is_empty());
        assert_eq!(sizes(25_000, 10), [10_000, 10_000, 5_000]);
        assert_eq!(sizes(200, 100_000), [83, 83, 34]);
        assert_eq!(sizes(2, STATEMENT_BYTES + 1), [1, 1]);
    }
}
