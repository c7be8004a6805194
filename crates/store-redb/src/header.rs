//! The part of the redb header that no checksum covers.
//!
//! A file has two commit slots, and a bit of its tenth byte selects the current one. No checksum
//! covers that bit. redb trusts it in a file that was closed cleanly, so a flipped bit silently
//! selects the previous commit, whose pages may be intact. In such a file, the current slot has the
//! larger transaction id. This module compares the ids.
//!
//! A recovery of redb marks the file as closed, and then ends with a commit of the same contents.
//! If the recovery is interrupted between these steps, the newer slot has the same contents as the
//! current one, and either may be read. The newer slot can also contain a commit that the recovery
//! rolled back. [`end_recovery`] removes that commit. An interrupted recovery by another program
//! leaves it, and the file looks like one with a flipped bit.
//!
//! The offsets are those of file format 3 (`docs/design.md` of redb).

use std::{
    fs::File,
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    path::Path,
};

const FLAGS: usize = 9;
const SECOND_IS_CURRENT: u8 = 1;
const NOT_CLOSED: u8 = 2;
const TWO_PHASES: u8 = 4;
const SLOTS: [usize; 2] = [64, 192];
/// The offset of the transaction id in its slot. The roots of the commit precede it.
const ID: usize = 104;
/// The length of a slot with its checksum.
const SLOT: usize = 128;
pub(crate) const LENGTH: usize = 320;

/// Whether a file that was closed cleanly has a newer commit with other contents in the slot that
/// is not current.
pub(crate) fn has_newer_commit(path: &Path) -> io::Result<bool> {
    let mut bytes = [0; LENGTH];
    File::open(path)?.read_exact(&mut bytes)?;
    let [first, second] = SLOTS.map(|slot| &bytes[slot..slot + ID]);
    Ok(is_closed(&bytes) && is_newer_commit_unselected(&bytes) && first != second)
}

/// Removes a commit that a recovery rolled back from the header that ends the recovery. `read`
/// returns the header of the file.
///
/// redb marks the file as closed after it has verified the current commit. The commit that follows
/// overwrites the other slot, so redb never reads a newer commit in that slot again.
pub(crate) fn end_recovery(
    next: &mut [u8; LENGTH],
    read: impl FnOnce(&mut [u8; LENGTH]) -> io::Result<()>,
) -> io::Result<()> {
    if !is_closed(next) || !is_newer_commit_unselected(next) {
        return Ok(());
    }
    let mut written = [0; LENGTH];
    read(&mut written)?;
    let [current, other] = slots(next);
    // A slot with other bytes is a new commit.
    if !is_closed(&written) && next[other..other + SLOT] == written[other..other + SLOT] {
        next.copy_within(current..current + SLOT, other);
    }
    Ok(())
}

fn is_closed(header: &[u8; LENGTH]) -> bool {
    header[FLAGS] & NOT_CLOSED == 0
}

fn is_newer_commit_unselected(header: &[u8; LENGTH]) -> bool {
    let [current, other] = slots(header).map(|slot| {
        let id = header[slot + ID..].first_chunk().copied().unwrap_or_default();
        u64::from_le_bytes(id)
    });
    other > current
}

/// Returns the offsets of the current slot and of the other one.
fn slots(header: &[u8; LENGTH]) -> [usize; 2] {
    let [first, second] = SLOTS;
    if header[FLAGS] & SECOND_IS_CURRENT == 0 { [first, second] } else { [second, first] }
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
