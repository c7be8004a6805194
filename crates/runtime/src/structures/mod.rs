//! Typed structures: hashes, sets, sorted sets and queues. The [engine](crate::engine) writes their
//! records.

mod describe;
mod hash;
mod listing;
mod queue;
mod records;
mod scan;
mod set;
mod zset;

pub use describe::{
    Counting, EntryError, HashField, HashKeyspace, Members, QueueKeyspace, Scores, SetKeyspace,
    Structure, ZsetKeyspace,
};
pub use hash::{FieldRow, FieldRows, Hash, HashEntry, HashFieldOf, HashFields, OwnedEntry};
pub use listing::{Listing, MembersByBytes, MembersByScore, MembersByTime, Scored, Sorted, Timed};
pub use queue::{Acked, Backoff, Claim, Failed, Pushed, Queue, QueueCounts, QueueMember};
pub use records::{RecordScan, Records};
pub use scan::StructureScan;
pub use set::Set;
pub use zset::Zset;

use crate::{
    BadValue, Buffer, Error, Field, IntoField, access,
    engine::{Location, StructureRecords},
    record::Family,
};
use keyscape_store::{Read, Tx};

/// A member of a structure.
type MemberOf<'m, K> = <<K as Members>::Member as Field>::View<'m>;

/// The score of a member.
type ScoreOf<'s, K> = <<K as Scores>::Score as Field>::View<'s>;

/// Returns the records of the structure with this key.
fn records_of<K: Structure>(key: &K::Key<'_>) -> Result<StructureRecords, Error> {
    let key = access::encoded::<K>(key)?;
    Ok(StructureRecords::new(Location::of::<K>(), K::KIND, key.written()?))
}

/// Encodes a member or a score.
fn bytes_of<F: Field>(view: &F::View<'_>) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::with_capacity(48);
    F::encode(view, &mut bytes)?;
    Ok(bytes)
}

/// Decodes the score of a member, which the record of this family holds.
fn decode_score<K: Scores>(
    records: &StructureRecords,
    family: Family,
    member: &[u8],
    score: &[u8],
) -> Result<ScoreOf<'static, K>, Error> {
    K::Score::decode(score)
        .map(K::Score::into_owned)
        .map_err(|source| records.corrupt(family, member, BadValue::from(source)))
}

/// Implements the operations that are the same for all kinds of structures.
macro_rules! shared_operations {
    ($($handle:ident),*) => {$(
        impl<K: Structure> $handle<K> {
            /// Whether the structure has no field and no member.
            ///
            /// # Errors
            /// See [`ErrorKind`](crate::ErrorKind).
            pub fn is_empty<'k>(
                &self,
                state: &(impl Read + ?Sized),
                key: impl IntoField<K::Key<'k>>,
            ) -> Result<bool, Error> {
                Ok(!records_of::<K>(&key.into_field()?)?.exists(state)?)
            }

            /// Deletes the structure, except the token of a queue. Returns the number of deleted
            /// records. Claims of the members of a queue are lost.
            ///
            /// # Errors
            /// See [`ErrorKind`](crate::ErrorKind). Then nothing has changed.
            pub fn delete<'k>(
                &self,
                tx: &mut Tx<'_>,
                key: impl IntoField<K::Key<'k>>,
            ) -> Result<u64, Error> {
                records_of::<K>(&key.into_field()?)?.delete_all(tx)
            }
        }
    )*};
}

shared_operations!(Hash, Queue, Set, Zset);
