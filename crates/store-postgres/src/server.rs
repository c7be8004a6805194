//! The kinds of servers, and the statements that differ between them.

use keyscape_store::{Limits, Revision};

/// The kind of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Server {
    Postgres,
    Cockroach,
}

/// The oldest tested version.
pub(crate) const OLDEST_POSTGRES: u32 = 15;

impl Server {
    pub(crate) fn limits(self) -> Limits {
        match self {
            // An entry of a B-tree has at most a third of a page: 2,704 bytes, including 12 bytes
            // of headers.
            Server::Postgres => {
                Limits { longest_key: 2692, longest_value: 512 << 20, ..Limits::NONE }
            }
            // A message of a client has at most 16 MiB.
            Server::Cockroach => {
                Limits { longest_key: 100_000, longest_value: 15 << 20, ..Limits::NONE }
            }
        }
    }

    /// Returns the settings of a new connection. Reads must use the index: a scan of the table
    /// would conflict with every writer of the table.
    pub(crate) fn settings(self, statement_millis: u128) -> String {
        let timeout = format!("set statement_timeout = {statement_millis};");
        match self {
            Server::Postgres => format!(
                "{timeout} set default_transaction_isolation = 'read committed'; set lock_timeout = 0; set client_min_messages = warning; set jit = off; \
                 set plan_cache_mode = force_generic_plan; set enable_seqscan = off; \
                 set enable_bitmapscan = off; set enable_sort = off; \
                 select set_config('synchronous_commit', 'on', false) \
                 where current_setting('synchronous_commit') = 'off';"
            ),
            Server::Cockroach => timeout,
        }
    }

    /// Returns the query whose answer [`Server::revision`] reads.
    pub(crate) fn state(self) -> &'static str {
        match self {
            Server::Postgres => "select pg_current_snapshot()",
            Server::Cockroach => "select (extract(epoch from now()) * 1000000)::int8",
        }
    }

    /// Returns the number of a state.
    ///
    /// A snapshot of PostgreSQL is `xmin:xmax:running,…`. The number of ended transactions is
    /// `xmax` minus the number of running ones. It grows with each commit, and equal numbers mean
    /// equal states. CockroachDB returns its clock in microseconds.
    pub(crate) fn revision(self, state: &str) -> Option<Revision> {
        match self {
            Server::Cockroach => state.parse().ok().map(Revision),
            Server::Postgres => {
                let mut parts = state.splitn(3, ':').skip(1);
                let end: u64 = parts.next()?.parse().ok()?;
                let running = parts.next()?.split(',').filter(|xid| !xid.is_empty()).count();
                end.checked_sub(running as u64).map(Revision)
            }
        }
    }

    /// Returns the statement that blocks other writers until the transaction ends. The statement
    /// must not take a snapshot before it waits.
    pub(crate) fn exclude_writers(self, commits: &str) -> String {
        match self {
            Server::Postgres => format!("lock table {commits} in exclusive mode;"),
            Server::Cockroach => {
                format!("select 1 from {commits} where id = '\\x'::bytea for update;")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_revision_counts_the_transactions_that_have_ended() {
        let revision = |state| Server::Postgres.revision(state).map(|revision| revision.0);
        assert_eq!(revision("10:10:"), Some(10));
        assert_eq!(revision("5:7:5"), Some(6));
        assert_eq!(revision("5:7:"), Some(7));
        assert_eq!(revision("5:9:5,7,8"), Some(6));
        assert_eq!(revision("5"), None);
    }
}
