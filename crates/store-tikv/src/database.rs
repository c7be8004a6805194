//! An open database in a cluster.

use crate::{
    ENGINE, Options,
    address::Address,
    client::{Cluster, LARGEST_ANSWER},
    error::{Fault, FaultKind, advice},
    ids::Ids,
    names::{Names, stored},
    session::TikvSession,
};
use keyscape_store::{
    Database, Limits, Mode, Session, Spaces, StoreError, StoreErrorKind, StoreId, WriteGate,
};
use keyscape_store_remote::{check_spaces, pause};
use std::{fmt, sync::Arc};
use tikv_client::{KvPair, Timestamp, TimestampExt as _, Transaction};

/// The maximum number of keys in one request.
pub(crate) const KEYS_AT_ONCE: u32 = 200;
/// The maximum number of rows in one answer. Rows of the largest size must fit into the largest
/// answer.
pub(crate) const ROWS_AT_ONCE: u32 = 60;
const _: () = assert!(
    ROWS_AT_ONCE as u64 * (LIMITS.longest_value + 2 * LIMITS.longest_key) < LARGEST_ANSWER as u64
);
/// TiKV rejects keys above 4 KiB in its own encoding, which adds an eighth. The prefix with the
/// names takes at most 138 bytes. An entry of TiKV's log has at most 8 MiB.
const LIMITS: Limits = Limits { longest_key: 3_400, longest_value: 4 << 20, ..Limits::NONE };
/// The age in milliseconds at which a commit id is deleted. An id is needed until the commit is
/// acknowledged.
const OLD: i64 = 24 * 60 * 60 * 1_000;

/// A database in a TiKV cluster.
///
/// [`Options`] creates it; [`Db::new`](keyscape_store::Db::new) takes it.
pub struct Tikv {
    pub(crate) cluster: Cluster,
    pub(crate) names: Names,
    pub(crate) spaces: Arc<Spaces>,
    pub(crate) limits: Limits,
    pub(crate) options: Options,
    pub(crate) gate: WriteGate,
    pub(crate) is_read_only: bool,
    name: String,
    acknowledged: Arc<Ids>,
}

impl Options {
    /// Whether the cluster contains the database of the address.
    ///
    /// # Errors
    /// If the cluster cannot be reached.
    pub fn exists(&self, address: &str) -> Result<bool, StoreError> {
        let database = Tikv::connect_without_spaces(address, self)?;
        database.exists().map_err(Fault::into_error)
    }

    /// Creates a database.
    ///
    /// # Errors
    /// If the database exists, and errors of the cluster.
    pub fn create(&self, address: &str, spaces: Spaces) -> Result<Tikv, StoreError> {
        let database = Tikv::connect(address, spaces, self, false)?;
        if !database.add_spaces(|exists| !exists).map_err(Fault::into_error)? {
            return Err(advice(
                format!("the cluster already contains a database `{}`", database.name),
                "open it, or choose another name: tikv://HOST:PORT/NAME",
            )
            .into());
        }
        Ok(database)
    }

    /// Opens all spaces of a database for reading.
    ///
    /// # Errors
    /// As [`Options::open`].
    pub fn open_all_spaces(&self, address: &str) -> Result<Tikv, StoreError> {
        let database = Tikv::connect_without_spaces(address, self)?;
        database.check_exists()?;
        let ((mut start, end), prefix) = database.names.spaces();
        let at = database.cluster.now().map_err(Fault::into_error)?;
        let mut names = Vec::new();
        loop {
            let range = (start.clone(), end.clone());
            let page =
                database.scan(&at, &range, false, KEYS_AT_ONCE).map_err(Fault::into_error)?;
            let keys = page.into_iter().map(|pair| Vec::from(pair.into_key()));
            let mut keys: Vec<Vec<u8>> = keys.collect();
            let Some(last) = keys.last() else { break };
            start = [last, &[0][..]].concat();
            names.extend(keys.iter_mut().map(|key| key.split_off(prefix)));
        }
        let names = names.into_iter().filter_map(|name| String::from_utf8(name).ok());
        self.open_read_only(address, Spaces::stored(ENGINE, names)?)
    }

    pub(crate) fn open_with_mode(
        &self,
        address: &str,
        spaces: Spaces,
        is_read_only: bool,
    ) -> Result<Tikv, StoreError> {
        let database = Tikv::connect(address, spaces, self, is_read_only)?;
        database.check_exists()?;
        if !is_read_only {
            database.add_spaces(|exists| exists).map_err(Fault::into_error)?;
            if let Err(fault) = database.forget_old() {
                tracing::debug!(?fault, "old ids of commits could not be deleted");
            }
        }
        Ok(database)
    }
}

impl Tikv {
    fn connect(
        address: &str,
        spaces: Spaces,
        options: &Options,
        is_read_only: bool,
    ) -> Result<Tikv, StoreError> {
        let address = Address::parse(address)?;
        let _span = tracing::info_span!("open", engine = ENGINE, name = address.name).entered();
        check_spaces(ENGINE, &spaces)?;
        let options = options.adjusted();
        Ok(Tikv {
            cluster: Cluster::connect(&address, &options)?,
            names: Names::new(&address.name),
            spaces: Arc::new(spaces),
            limits: options.limits.and(Limits { rows: options.rows, ..LIMITS }),
            options,
            gate: WriteGate::new(),
            is_read_only,
            name: address.name,
            acknowledged: Arc::default(),
        })
    }

    fn connect_without_spaces(address: &str, options: &Options) -> Result<Tikv, StoreError> {
        Tikv::connect(address, Spaces::stored(ENGINE, [])?, options, true)
    }

    fn exists(&self) -> Result<bool, Fault> {
        let at = self.cluster.now()?;
        Ok(self.get(&at, &self.names.marker())?.is_some())
    }

    fn check_exists(&self) -> Result<(), StoreError> {
        if self.exists().map_err(Fault::into_error)? {
            return Ok(());
        }
        let problem = format!("the cluster contains no Keyscape database `{}`", self.name);
        Err(advice(problem, "create it first, or correct the address").into())
    }

    /// Adds the marker of the database and its spaces, unless they exist. Calls `is_allowed` with
    /// whether the marker exists. If it returns false, writes nothing and returns false.
    fn add_spaces(&self, is_allowed: impl Fn(bool) -> bool + Sync) -> Result<bool, Fault> {
        let mut keys = vec![self.names.marker()];
        keys.extend(self.spaces.iter().map(|(_, name)| self.names.space(name)));
        let mut attempt = 1;
        loop {
            let mut tx = self.cluster.begin_locking()?;
            let outcome = self.cluster.run(async {
                let mut found = tx.batch_get_for_update(keys.clone()).await?;
                found.retain(|pair| !pair.value().is_empty());
                let exists =
                    |key: &Vec<u8>| found.iter().any(|pair| <&[u8]>::from(pair.key()) == key);
                if !is_allowed(exists(&keys[0])) {
                    tx.rollback().await?;
                    return Ok(false);
                }
                for key in keys.iter().filter(|key| !exists(key)) {
                    tx.put(key.clone(), stored(&[])).await?;
                }
                tx.commit().await.map(|_| true)
            });
            match outcome {
                Ok(is_allowed) => return Ok(is_allowed),
                Err(fault) => {
                    self.roll_back(tx);
                    if fault.kind != FaultKind::Conflict || attempt >= self.options.attempts {
                        return Err(fault);
                    }
                }
            }
            pause(attempt);
            attempt += 1;
        }
    }

    /// Deletes ids of programs that ended before they could delete their ids.
    fn forget_old(&self) -> Result<(), Fault> {
        let now = self.cluster.now()?;
        let before = Timestamp { physical: now.physical - OLD, logical: 0, ..now };
        let range = self.names.commits_before(before.version());
        let old = self.scan(&now, &range, false, KEYS_AT_ONCE)?;
        if old.is_empty() {
            return Ok(());
        }
        self.cluster.delete(old.into_iter().map(|pair| pair.into_key().into()).collect())
    }

    pub(crate) fn get(&self, at: &Timestamp, key: &[u8]) -> Result<Option<Vec<u8>>, Fault> {
        self.cluster.repeat(|| {
            let (mut state, key) = (self.cluster.state(at), key.to_vec());
            // Unistore returns an empty value for a missing key. No stored value is empty.
            async move { Ok(state.get(key).await?.filter(|value| !value.is_empty())) }
        })
    }

    pub(crate) fn get_many(&self, at: &Timestamp, keys: &[Vec<u8>]) -> Result<Vec<KvPair>, Fault> {
        let mut found = Vec::new();
        for keys in keys.chunks(ROWS_AT_ONCE as usize) {
            found.extend(self.cluster.repeat(|| {
                let (mut state, keys) = (self.cluster.state(at), keys.to_vec());
                async move { state.batch_get(keys).await.map(Vec::from_iter) }
            })?);
        }
        found.retain(|pair| !pair.value().is_empty());
        Ok(found)
    }

    pub(crate) fn scan(
        &self,
        at: &Timestamp,
        range: &(Vec<u8>, Vec<u8>),
        is_backward: bool,
        rows: u32,
    ) -> Result<Vec<KvPair>, Fault> {
        self.cluster.repeat(|| {
            let (mut state, range) = (self.cluster.state(at), range.0.clone()..range.1.clone());
            async move {
                match is_backward {
                    true => state.scan_reverse(range, rows).await.map(Vec::from_iter),
                    false => state.scan(range, rows).await.map(Vec::from_iter),
                }
            }
        })
    }

    /// Releases the locks of a transaction. If that fails, they expire.
    pub(crate) fn roll_back(&self, mut tx: Transaction) {
        if let Err(fault) = self.cluster.run(tx.rollback()) {
            tracing::debug!(?fault, "locks are left to expire");
        }
    }

    pub(crate) fn name(&self, store: StoreId) -> Result<&str, StoreError> {
        self.spaces.name(store).ok_or_else(|| StoreErrorKind::UnknownStore(store).into())
    }

    /// Records an acknowledged transaction. Deletes the ids of such transactions from time to time,
    /// without waiting for the deletion.
    pub(crate) fn acknowledge(&self, start: u64) {
        let old = self.acknowledged.add(start);
        if old.is_empty() {
            return;
        }
        let ids = Arc::clone(&self.acknowledged);
        let keys = old.iter().map(|start| self.names.commit(*start)).collect();
        self.cluster.delete_later(keys, move |is_deleted| {
            ids.finish(if is_deleted { &[] } else { &old });
        });
    }
}

impl Database for Tikv {
    fn engine(&self) -> &'static str {
        ENGINE
    }

    fn spaces(&self) -> &Arc<Spaces> {
        &self.spaces
    }

    fn limits(&self) -> Limits {
        self.limits
    }

    fn begin(&self, mode: Mode) -> Result<Box<dyn Session + '_>, StoreError> {
        Ok(Box::new(TikvSession::begin(self, mode)?))
    }

    /// Does nothing, because every commit is replicated before it is acknowledged.
    fn sync(&self) -> Result<(), StoreError> {
        Ok(())
    }

    fn write_attempts(&self) -> u32 {
        self.options.attempts.max(2)
    }

    fn pause(&self, attempt: u32) {
        pause(attempt);
    }
}

impl fmt::Debug for Tikv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tikv")
            .field("name", &self.name)
            .field("spaces", &self.spaces)
            .field("read_only", &self.is_read_only)
            .finish_non_exhaustive()
    }
}
