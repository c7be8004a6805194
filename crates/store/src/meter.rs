//! Metering the operations of transactions.

use crate::{Limited, StoreError};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// An operation of a transaction. Caches and buffers do not change the count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Reading a key; the bytes are those of the key and of the value, if there is one.
    Get,
    /// Putting a row; the bytes are those of key and value.
    Put,
    /// Deleting a row; the bytes are those of the key.
    Delete,
    /// Starting a scan over a range; no bytes.
    Seek,
    /// Reading a row of a range; the bytes are those of key and value.
    Row,
}

/// Charges every operation of a transaction, for gas and for exact cost tests.
///
/// Rolled-back operations stay charged.
///
/// ```
/// use keyscape_store::{Counter, Db, Memory, ReadExt, Spaces, StoreId};
/// use std::sync::Arc;
///
/// const SHOP: StoreId = StoreId::of("shop");
/// let db = Db::new(Memory::new(Spaces::new(["shop"])?));
/// let counter = Arc::new(Counter::new());
/// db.write(|tx| {
///     tx.set_meter(Some(counter.clone()));
///     tx.put(SHOP, b"ink", b"3")?;
///     tx.get(SHOP, b"pen")?;
///     Ok::<(), keyscape_store::StoreError>(())
/// })?;
/// assert_eq!((counter.count().puts, counter.count().gets), (1, 1));
/// assert_eq!(counter.count().bytes_read, 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Meter: Send + Sync {
    /// Charges one operation.
    ///
    /// # Errors
    /// If the budget is exhausted. The operation fails with
    /// [`Limit`](crate::StoreErrorKind::Limit), and nothing is put or deleted by it.
    fn charge(&self, operation: Operation, bytes: u64) -> Result<(), OverBudget>;
}

/// The error for an exhausted budget.
///
/// ```
/// use keyscape_store::{OverBudget, StoreError};
///
/// let error = StoreError::from(OverBudget { what: "gas", limit: 10, actual: 12 });
/// assert!(error.to_string().contains("gas"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OverBudget {
    /// The unit, such as `gas`.
    pub what: &'static str,
    /// The budget.
    pub limit: u64,
    /// The amount that would have been used.
    pub actual: u64,
}

impl From<OverBudget> for StoreError {
    fn from(over: OverBudget) -> StoreError {
        StoreError::limit(Limited::Budget(over.what), over.limit, over.actual)
    }
}

/// A [`Meter`] that counts and never fails.
#[derive(Debug, Default)]
pub struct Counter(Mutex<Count>);

/// The totals of a [`Counter`].
///
/// ```
/// use keyscape_store::{Count, Counter, Db, Memory, Mode, Spaces, StoreId};
/// use std::sync::Arc;
///
/// let db = Db::new(Memory::new(Spaces::new(["shop"])?));
/// let counter = Arc::new(Counter::new());
/// let mut tx = db.begin(Mode::Write)?;
/// tx.set_meter(Some(counter.clone()));
/// tx.put(StoreId::of("shop"), b"ink", b"3")?;
/// assert_eq!(counter.count(), Count { puts: 1, bytes_written: 4, ..Count::default() });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Keys read.
    pub gets: u64,
    /// Rows put.
    pub puts: u64,
    /// Rows deleted.
    pub deletes: u64,
    /// Ranges begun.
    pub seeks: u64,
    /// Rows of ranges read.
    pub rows: u64,
    /// Bytes of keys and values read.
    pub bytes_read: u64,
    /// Bytes of keys and values written.
    pub bytes_written: u64,
}

impl Counter {
    /// Creates a counter at zero.
    #[must_use]
    pub fn new() -> Counter {
        Counter::default()
    }

    /// Returns the totals so far.
    #[must_use]
    pub fn count(&self) -> Count {
        *self.lock()
    }

    fn lock(&self) -> MutexGuard<'_, Count> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Meter for Counter {
    fn charge(&self, operation: Operation, bytes: u64) -> Result<(), OverBudget> {
        let mut count = self.lock();
        let Count { gets, puts, deletes, seeks, rows, bytes_read, bytes_written } = &mut *count;
        let (times, moved) = match operation {
            Operation::Get => (gets, bytes_read),
            Operation::Put => (puts, bytes_written),
            Operation::Delete => (deletes, bytes_written),
            Operation::Seek => (seeks, bytes_read),
            Operation::Row => (rows, bytes_read),
        };
        *times += 1;
        *moved += bytes;
        Ok(())
    }
}
