//! One connection to the server.

use crate::{
    address::split_hosts,
    error::{Fault, advice, can_connect_later, connect_error},
    options::Options,
    server::{OLDEST_POSTGRES, Server},
};
use keyscape_store::{Revision, StoreError};
use keyscape_store_remote::{EventLoop, NoAnswer, connect_detached};
use std::{
    future::Future,
    hash::{BuildHasher as _, Hasher as _, RandomState},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};
use tokio::runtime::Builder;
#[cfg(feature = "tls")]
use tokio_postgres::config::SslMode;
use tokio_postgres::{
    Client, Config, NoTls, SimpleQueryMessage, Socket, Statement, config::LoadBalanceHosts,
    tls::MakeTlsConnect,
};

const SHORTEST_ATTEMPT: Duration = Duration::from_millis(100);

/// The statements of one table. They are prepared on demand. The last parameter of a statement that
/// returns several rows is the maximum length of a value. Longer values are returned as null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sql {
    Get,
    GetMany,
    /// Selects rows from a key up to another key.
    Up,
    /// Selects rows from a key to the end of the table.
    UpAll,
    Down,
    DownAll,
    Put,
    Delete,
    Any,
    /// Writes the id of a commit to the table of commits.
    Mark,
}

impl Sql {
    const COUNT: usize = 10;

    fn text(self, table: &str) -> String {
        let from = |longest: &str, columns: &str| {
            let value = format!("case when octet_length(value) <= {longest}::int8 then value end");
            format!("select key, {value}{columns} from {table} where key")
        };
        let rows = |longest: &str| from(longest, "");
        match self {
            Sql::Get => format!("select value from {table} where key = $1"),
            Sql::GetMany => {
                format!("{} = any($1)", from("$2", ", octet_length(value)::int8"))
            }
            Sql::Up => format!("{} >= $1 and key < $2 order by key limit $3", rows("$4")),
            Sql::UpAll => format!("{} >= $1 order by key limit $2", rows("$3")),
            Sql::Down => format!("{} >= $1 and key < $2 order by key desc limit $3", rows("$4")),
            Sql::DownAll => format!("{} >= $1 order by key desc limit $2", rows("$3")),
            Sql::Put => format!(
                "insert into {table} (key, value) select * from unnest($1::bytea[], $2::bytea[]) \
                 on conflict (key) do update set value = excluded.value"
            ),
            Sql::Delete => format!("delete from {table} where key = any($1)"),
            Sql::Any => format!("select 1 from {table} where key >= $1 and key <= $2 limit 1"),
            Sql::Mark => format!("insert into {table} (id) values ($1)"),
        }
    }
}

/// A connection with its own event loop, its prepared statements and its commit ids.
pub(crate) struct Link {
    pub(crate) server: Server,
    pub(crate) client: Client,
    events: EventLoop,
    /// Indexed by the slot of the space. The table of commits follows the spaces.
    statements: Mutex<Vec<[Option<Statement>; Sql::COUNT]>>,
    /// Random bytes from the server. The ids of this connection's commits begin with them.
    name: Box<str>,
    /// The process id of the server and its start time. Process ids are reused.
    pub(crate) process: (i32, String),
    commits: AtomicU64,
    /// Ids of acknowledged commits, which can be deleted.
    acknowledged: Mutex<Vec<Vec<u8>>>,
    is_lost: AtomicBool,
    patience: Duration,
}

impl Link {
    /// Connects. Tries again while the server starts, until the timeout.
    pub(crate) fn connect(config: &Config, options: &Options) -> Result<Link, StoreError> {
        connect_detached(crate::ENGINE, || Link::connect_here(config, options))
    }

    fn connect_here(config: &Config, options: &Options) -> Result<Link, StoreError> {
        let begin = Instant::now();
        let mut pause = Duration::from_millis(5);
        loop {
            let left = options.connect_timeout.saturating_sub(begin.elapsed());
            // Limit each attempt, so that one that hangs leaves time for another one.
            let attempt = left.min(options.connect_timeout / 3).max(SHORTEST_ATTEMPT);
            match Link::try_connect(config, options, attempt) {
                Ok(link) => return Ok(link),
                Err(Failed::Permanently(error)) => return Err(error),
                Err(Failed::Temporarily(error)) if left.is_zero() => return Err(error),
                Err(Failed::Temporarily(_)) => thread::sleep(pause.min(left)),
            }
            pause = (pause * 2).min(Duration::from_millis(250));
        }
    }

    /// Tries each host once. The hosts share the time, so a silent host leaves time for the next
    /// one.
    fn try_connect(config: &Config, options: &Options, time: Duration) -> Result<Link, Failed> {
        let mut hosts = split_hosts(config);
        if config.get_load_balance_hosts() == LoadBalanceHosts::Random {
            let places = hosts.len().max(1) as u64;
            let random = RandomState::new().build_hasher().finish() % places;
            hosts.rotate_left(usize::try_from(random).unwrap_or_default());
        }
        let time = time / u32::try_from(hosts.len()).unwrap_or(u32::MAX).max(1);
        let mut failed = None;
        for mut host in hosts {
            if host.get_connect_timeout().is_none() {
                // A host may have several addresses, so each gets half of the time.
                host.connect_timeout(time / 2);
            }
            match (Link::connect_to_host(&host, options, time), &failed) {
                (Ok(link), _) => return Ok(link),
                // If one host may answer later, another attempt is made.
                (Err(Failed::Permanently(_)), Some(Failed::Temporarily(_))) => {}
                (Err(error), _) => failed = Some(error),
            }
        }
        Err(failed.unwrap_or_else(|| Failed::Temporarily(Link::no_answer(options))))
    }

    fn connect_to_host(config: &Config, options: &Options, time: Duration) -> Result<Link, Failed> {
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Failed::Permanently(StoreError::backend(crate::ENGINE, error)))?;
        let events = EventLoop::new(runtime);
        #[cfg(feature = "tls")]
        let (server, client) = match config.get_ssl_mode() {
            SslMode::Require => {
                let tls = crate::tls::connector(options).map_err(Failed::Permanently)?;
                Link::connect_with(&events, config, options, time, tls)?
            }
            _ => Link::connect_with(&events, config, options, time, NoTls)?,
        };
        #[cfg(not(feature = "tls"))]
        let (server, client) = Link::connect_with(&events, config, options, time, NoTls)?;
        let mut link = Link {
            server,
            client,
            events,
            statements: Mutex::default(),
            name: "".into(),
            process: Default::default(),
            commits: AtomicU64::new(0),
            acknowledged: Mutex::default(),
            is_lost: AtomicBool::new(false),
            patience: options.patience(),
        };
        link.set_up(options, time).map_err(|fault| match fault.is_lost() {
            true => Failed::Temporarily(fault.into_error()),
            false => Failed::Permanently(fault.into_error()),
        })?;
        Ok(link)
    }

    fn no_answer(options: &Options) -> StoreError {
        advice(
            format!("the server does not answer within {:?}", options.connect_timeout),
            "start the server, or correct the address",
        )
        .into()
    }

    fn connect_with<T>(
        events: &EventLoop,
        config: &Config,
        options: &Options,
        time: Duration,
        tls: T,
    ) -> Result<(Server, Client), Failed>
    where
        T: MakeTlsConnect<Socket>,
        T::Stream: Send + 'static,
    {
        let (client, connection) = match events.run_here(time, config.connect(tls)) {
            Some(Ok(connected)) => connected,
            Some(Err(error)) if can_connect_later(&error) => {
                return Err(Failed::Temporarily(connect_error(error)));
            }
            Some(Err(error)) => return Err(Failed::Permanently(connect_error(error))),
            None => return Err(Failed::Temporarily(Link::no_answer(options))),
        };
        let server = match connection.parameter("crdb_version") {
            Some(_) => Server::Cockroach,
            None => Server::Postgres,
        };
        if let (Server::Postgres, Some(version)) = (server, connection.parameter("server_version"))
        {
            check_version(version).map_err(Failed::Permanently)?;
        }
        events.spawn(async {
            // The statements report the errors of the connection.
            let _ = connection.await;
        });
        Ok((server, client))
    }

    fn set_up(&mut self, options: &Options, time: Duration) -> Result<(), Fault> {
        let settings = self.server.settings(options.statement_timeout.as_millis());
        let query = format!(
            "{settings} select gen_random_uuid(), pg_backend_pid(), (select extract(epoch from \
             backend_start)::text from pg_stat_activity where pid = pg_backend_pid())"
        );
        let answer = self.run_within(time, self.client.simple_query(&query))?;
        let row = answer.iter().rev().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => Some(row),
            _ => None,
        });
        if let Some(row) = row {
            self.name = row.get(0).unwrap_or_default().into();
            let number = row.get(1).and_then(|process| process.parse().ok()).unwrap_or_default();
            self.process = (number, row.get(2).unwrap_or_default().to_owned());
        }
        Ok(())
    }

    /// Runs statements to completion. A connection that does not answer in time is marked as lost.
    pub(crate) fn run<T: Send, E: Into<Fault> + Send>(
        &self,
        work: impl Future<Output = Result<T, E>> + Send,
    ) -> Result<T, Fault> {
        self.run_within(self.patience, work)
    }

    pub(crate) fn run_within<T: Send, E: Into<Fault> + Send>(
        &self,
        patience: Duration,
        work: impl Future<Output = Result<T, E>> + Send,
    ) -> Result<T, Fault> {
        let outcome = match self.events.run(patience, work) {
            Ok(outcome) => outcome.map_err(Into::into),
            Err(NoAnswer::TimedOut) => Err(Fault::Silent(patience)),
            Err(NoAnswer::NoThread(error)) => Err(Fault::NoThread(error)),
        };
        if outcome.as_ref().is_err_and(Fault::is_lost) {
            self.give_up();
        }
        outcome
    }

    pub(crate) fn patience(&self) -> Duration {
        self.patience
    }

    /// Runs statements without parameters in one round trip.
    pub(crate) fn ask(&self, query: &str) -> Result<Vec<SimpleQueryMessage>, Fault> {
        self.run(self.client.simple_query(query))
    }

    /// Runs statements without parameters, and returns the number of the resulting state.
    pub(crate) fn state(&self, patience: Duration, query: &str) -> Result<Revision, Fault> {
        let query = format!("{query} {}", self.server.state());
        let answer = self.run_within(patience, self.client.simple_query(&query))?;
        let state = last_value(&answer);
        state.and_then(|state| self.server.revision(state)).ok_or(Fault::NoState)
    }

    /// Returns a prepared statement of a table.
    pub(crate) fn statement(&self, slot: usize, sql: Sql, table: &str) -> Result<Statement, Fault> {
        let prepared = lock(&self.statements).get(slot).and_then(|all| all[sql as usize].clone());
        if let Some(statement) = prepared {
            return Ok(statement);
        }
        let statement = self.run(self.client.prepare(&sql.text(table)))?;
        let mut statements = lock(&self.statements);
        if statements.len() <= slot {
            statements.resize_with(slot + 1, Default::default);
        }
        statements[slot][sql as usize] = Some(statement.clone());
        Ok(statement)
    }

    /// Returns an id that no other commit uses.
    pub(crate) fn next_id(&self) -> Vec<u8> {
        let number = self.commits.fetch_add(1, Ordering::Relaxed);
        [self.name.as_bytes(), &number.to_be_bytes()].concat()
    }

    /// Returns the ids of acknowledged commits.
    pub(crate) fn acknowledged(&self) -> MutexGuard<'_, Vec<Vec<u8>>> {
        lock(&self.acknowledged)
    }

    pub(crate) fn is_usable(&self) -> bool {
        !self.is_lost.load(Ordering::Relaxed) && !self.client.is_closed()
    }

    /// Marks the connection as lost. It is not used again.
    pub(crate) fn give_up(&self) {
        self.is_lost.store(true, Ordering::Relaxed);
    }
}

/// Returns the first column of the last row of an answer.
pub(crate) fn last_value(answer: &[SimpleQueryMessage]) -> Option<&str> {
    answer.iter().rev().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0),
        _ => None,
    })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A failed attempt to connect.
enum Failed {
    /// A later attempt may succeed.
    Temporarily(StoreError),
    /// No later attempt will succeed.
    Permanently(StoreError),
}

fn check_version(version: &str) -> Result<(), StoreError> {
    let digits: String = version.chars().take_while(char::is_ascii_digit).collect();
    match digits.parse::<u32>() {
        Ok(major) if major < OLDEST_POSTGRES => Err(advice(
            format!("the server is PostgreSQL {version}"),
            "use PostgreSQL 15 or later, or CockroachDB",
        )
        .into()),
        _ => Ok(()),
    }
}
