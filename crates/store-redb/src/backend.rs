//! A storage backend that completes the recoveries of redb.
//!
//! The process that recovers a file may be killed as well. redb then leaves a file that is marked
//! as closed, and may contain a newer commit that the recovery rolled back. The same bytes result
//! from damage to the header of a sound file. Therefore the backend removes the newer commit in the
//! same write that marks the file as closed.

use crate::header;
use redb::{BackendError, StorageBackend};
use std::{io, ops::Bound};

#[derive(Debug)]
pub(crate) struct Backend<B> {
    inner: B,
    /// Whether redb may create a database in an empty storage.
    may_be_empty: bool,
}

impl<B: StorageBackend> Backend<B> {
    pub(crate) fn new(inner: B) -> Backend<B> {
        Backend { inner, may_be_empty: true }
    }

    /// A backend that contains a database already.
    pub(crate) fn existing(inner: B) -> Backend<B> {
        Backend { inner, may_be_empty: false }
    }
}

impl<B: StorageBackend> StorageBackend for Backend<B> {
    fn len(&self) -> io::Result<u64> {
        match self.inner.len()? {
            0 if !self.may_be_empty => Err(io::ErrorKind::UnexpectedEof.into()),
            bytes => Ok(bytes),
        }
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        if offset == 0
            && let Some((header, rest)) = data.split_first_chunk()
        {
            let mut header = *header;
            header::end_recovery(&mut header, |written| self.inner.read(0, written))?;
            return self.inner.write(0, &[&header, rest].concat());
        }
        self.inner.write(offset, data)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.inner.read(offset, out)
    }

    fn set_len(&self, bytes: u64) -> io::Result<()> {
        self.inner.set_len(bytes)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.inner.sync_data()
    }

    fn close(&self) -> io::Result<()> {
        self.inner.close()
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.inner.try_lock_range(start, end)
    }

    fn try_lock_shared_range(
        &self,
        start: Bound<u64>,
        end: Bound<u64>,
    ) -> Result<bool, BackendError> {
        self.inner.try_lock_shared_range(start, end)
    }

    fn lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.inner.lock_range(start, end)
    }

    fn lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.inner.lock_shared_range(start, end)
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.inner.unlock_range(start, end)
    }

    fn query_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.inner.query_lock_range(start, end)
    }
}
