//! The part of the redb header that no checksum covers.
//!
//! A file has two commit slots, and a bit of its tenth byte selects the current one. No checksum
//! covers that bit. redb trusts it in a file that was closed cleanly, so a flipped bit silently
//! selects the previous commit, whose pages may be intact. In such a file, the current slot has the
//! larger transaction id. This module compares the ids.
//!
//! A recovery of redb marks the file as closed, and then ends with a commit of the same contents.
//! An interrupted recovery therefore leaves a newer slot as well. Either the slot has the contents
//! of the current one, and either may be read. Or redb was stopped before it selected the commit in
//! that slot, and the current one is right, see [`verify`](crate::verify()).
//!
//! The offsets are those of file format 3 (`docs/design.md` of redb).

use std::{
    fs::File,
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    path::Path,
};

pub(crate) const FLAGS: usize = 9;
pub(crate) const SECOND_IS_CURRENT: u8 = 1;
const NOT_CLOSED: u8 = 2;
const TWO_PHASES: u8 = 4;
const SLOTS: [usize; 2] = [64, 192];
/// The offset of the transaction id in its slot. The roots of the commit precede it.
const ID: usize = 104;
const LENGTH: usize = 320;

/// Whether a file that was closed cleanly has a newer commit with other contents in the slot that
/// is not current.
pub(crate) fn has_newer_commit(path: &Path) -> io::Result<bool> {
    let mut bytes = [0; LENGTH];
    File::open(path)?.read_exact(&mut bytes)?;
    let flags = bytes[FLAGS];
    let ids = SLOTS.map(|slot| {
        let id = bytes[slot + ID..].first_chunk().copied().unwrap_or_default();
        u64::from_le_bytes(id)
    });
    let [first, second] = ids;
    let is_newer = if flags & SECOND_IS_CURRENT == 0 { second > first } else { first > second };
    let [first, second] = SLOTS.map(|slot| &bytes[slot..slot + ID]);
    Ok(flags & NOT_CLOSED == 0 && is_newer && first != second)
}

/// A change of the flags of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flags {
    /// Marks the file as not closed. redb then selects the newest intact commit.
    NotClosed,
    /// Marks the file as closed. redb then reads the current commit without a repair.
    Closed,
    /// Marks the file as closed, and selects the other commit.
    OtherCommit,
}

pub(crate) fn set(path: &Path, change: Flags) -> io::Result<()> {
    let mut file = File::options().read(true).write(true).open(path)?;
    let mut flags = [0];
    file.seek(SeekFrom::Start(FLAGS as u64))?;
    file.read_exact(&mut flags)?;
    let [flags] = flags;
    file.seek(SeekFrom::Start(FLAGS as u64))?;
    let flags = match change {
        Flags::NotClosed => (flags | NOT_CLOSED) & !TWO_PHASES,
        Flags::Closed => flags & !NOT_CLOSED,
        Flags::OtherCommit => (flags ^ SECOND_IS_CURRENT) & !NOT_CLOSED,
    };
    file.write_all(&[flags])
}
