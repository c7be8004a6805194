//! A row by its address, and the only function that writes it.

use crate::{error::Error, layout::txo};
use keyscape::{
    Malformed, Pushed, Queue, Set, Zset,
    record::{self, Family, Item, Kind},
    store::{ReadExt, StoreId, Tx},
    traits::{Field, HashKeyspace, Keyspace, QueueKeyspace, SetKeyspace, ZsetKeyspace},
};
use txo::{Event, Name, Outpoint, Score, Txid, TxidText};

/// Declares the keyspaces: their numbers, names, and the functions that write their rows.
macro_rules! spaces {
    ($($space:ident = $number:literal $name:literal $write:ident,)*) => {
        /// The keyspaces whose rows operations write. The numbers are stored.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Space {
            $(#[doc = concat!("`", $name, "`")] $space = $number,)*
        }

        impl Space {
            const ALL: &[Space] = &[$(Space::$space),*];
        }

        impl Cell {
            /// Writes or deletes the row, and returns its previous value.
            pub(crate) fn replace(
                &self,
                tx: &mut Tx<'_>,
                value: Option<&[u8]>,
            ) -> Result<Option<Vec<u8>>, Error> {
                match self.space {
                    $(Space::$space => $write::<txo::$space>(tx, self, value),)*
                }
            }
        }
    };
}

spaces! {
    Events = 1 "events" zset,
    Spent = 2 "spent" zset,
    Topics = 3 "topics" zset,
    TopicTxs = 4 "topic_txs" zset,
    Logs = 5 "logs" zset,
    Merkle = 6 "merkle" zset,
    SpentBy = 7 "spent_by" zset,
    Subscriptions = 8 "subscriptions" queue,
    Tokens = 9 "tokens" queue,
    Admitted = 10 "admitted" set,
    Dependents = 11 "dependents" set,
    Listed = 12 "listed" set,
    Output = 13 "output" field,
    Satoshis = 14 "satoshis" field,
    Spends = 15 "spends" field,
    Progress = 16 "progress" field,
}

impl Space {
    /// Returns the keyspace with this number.
    #[must_use]
    pub fn of(number: u32) -> Option<Space> {
        Space::ALL.iter().copied().find(|space| space.number() == number)
    }

    /// Whether a rollback restores the previous value of a row. All other rows of a transaction are
    /// found and deleted without it.
    pub(crate) fn is_restored(self) -> bool {
        matches!(self, Space::Subscriptions | Space::Tokens | Space::Progress)
    }

    /// Returns its number.
    #[must_use]
    pub fn number(self) -> u32 {
        u32::from(self as u8)
    }
}

/// One row: a member of a set or a field of a hash.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Cell {
    pub(crate) space: Space,
    pub(crate) structure: Vec<u8>,
    pub(crate) member: Vec<u8>,
}

impl Cell {
    /// Creates the address of a row of a keyspace.
    pub(crate) fn new<K: Keyspace, M: Field>(
        space: Space,
        key: &K::Key<'_>,
        member: &M::View<'_>,
    ) -> Result<Cell, Error> {
        Ok(Cell { space, structure: key_of::<K>(key)?, member: bytes_of::<M>(member)? })
    }

    pub(crate) fn event(event: &Event<'_>, outpoint: Outpoint) -> Result<Cell, Error> {
        Cell::new::<txo::Events, Outpoint>(Space::Events, &Event::from(event).into(), &outpoint)
    }

    pub(crate) fn spent(event: &Event<'_>, outpoint: Outpoint) -> Result<Cell, Error> {
        Cell::new::<txo::Spent, Outpoint>(Space::Spent, &Event::from(event).into(), &outpoint)
    }

    pub(crate) fn spent_by(spender: Txid, outpoint: Outpoint) -> Result<Cell, Error> {
        let key = TxidText(spender.0).into();
        Cell::new::<txo::SpentBy, Outpoint>(Space::SpentBy, &key, &outpoint)
    }

    pub(crate) fn topic(topic: &Name<'_>, outpoint: Outpoint) -> Result<Cell, Error> {
        Cell::new::<txo::Topics, Outpoint>(Space::Topics, &Name::from(topic).into(), &outpoint)
    }

    pub(crate) fn merkle(topic: &Name<'_>, state: u32, outpoint: Outpoint) -> Result<Cell, Error> {
        let key = (Name::from(topic), state).into();
        Cell::new::<txo::Merkle, Outpoint>(Space::Merkle, &key, &outpoint)
    }

    /// Creates the address of a field of an output.
    pub(crate) fn output<F: Keyspace>(
        outpoint: Outpoint,
        field: &F::Key<'_>,
    ) -> Result<Cell, Error> {
        let structure = key_of::<txo::Output>(&outpoint.into())?;
        Ok(Cell { space: Space::Output, structure, member: key_of::<F>(field)? })
    }

    /// Creates the address of a field of a hash without a key.
    pub(crate) fn lookup<H, F>(space: Space, field: &F::Key<'_>) -> Result<Cell, Error>
    where
        H: for<'k> Keyspace<Key<'k> = ()>,
        F: Keyspace,
    {
        Ok(Cell { space, structure: key_of::<H>(&())?, member: key_of::<F>(field)? })
    }
}

/// Encodes a member or score.
pub(crate) fn bytes_of<F: Field>(view: &F::View<'_>) -> Result<Vec<u8>, Error> {
    let mut out = Vec::new();
    F::encode(view, &mut out)?;
    Ok(out)
}

/// Encodes a key.
pub(crate) fn key_of<K: Keyspace>(key: &K::Key<'_>) -> Result<Vec<u8>, Error> {
    let mut out = Vec::new();
    K::encode(key, &mut out)?;
    Ok(out)
}

fn bad<K: Keyspace>(source: Malformed) -> Error {
    Error::BadRow { keyspace: K::NAME, why: source.to_string() }
}

fn zset<K: ZsetKeyspace<Score = Score>>(
    tx: &mut Tx<'_>,
    cell: &Cell,
    value: Option<&[u8]>,
) -> Result<Option<Vec<u8>>, Error> {
    let key = K::decode(&cell.structure).map_err(bad::<K>)?;
    let member = K::Member::decode(&cell.member).map_err(bad::<K>)?;
    let before = match value {
        Some(score) => {
            let score = Score::decode(score).map_err(bad::<K>)?;
            Zset::<K>::new().add(tx, key, member, score)?
        }
        None => Zset::<K>::new().remove(tx, key, member)?,
    };
    before.map(|score| bytes_of::<Score>(&score)).transpose()
}

fn set<K: SetKeyspace>(
    tx: &mut Tx<'_>,
    cell: &Cell,
    value: Option<&[u8]>,
) -> Result<Option<Vec<u8>>, Error> {
    let key = K::decode(&cell.structure).map_err(bad::<K>)?;
    let member = K::Member::decode(&cell.member).map_err(bad::<K>)?;
    let was_there = match value {
        Some(_) => !Set::<K>::new().add(tx, key, member)?,
        None => Set::<K>::new().remove(tx, key, member)?,
    };
    Ok(was_there.then(Vec::new))
}

/// For a queue, the recorded state of a member is its presence and the score of its next claim.
fn queue<K: QueueKeyspace<Score = Score>>(
    tx: &mut Tx<'_>,
    cell: &Cell,
    value: Option<&[u8]>,
) -> Result<Option<Vec<u8>>, Error> {
    let queue = Queue::<K>::new();
    let key = K::decode(&cell.structure).map_err(bad::<K>)?;
    let member = K::Member::decode(&cell.member).map_err(bad::<K>)?;
    let known = queue.get(tx, key.clone(), member.clone())?;
    let before = known.map(|known| known.again.unwrap_or(known.score));
    match value {
        Some(score) => {
            let value = Score::decode(score).map_err(bad::<K>)?;
            let is_other = before != Some(value);
            // A push does not change a dead member.
            if is_other && queue.push(tx, key, member, value)? == Pushed::Dead {
                rescore::<K>(tx, cell, score)?;
            }
        }
        None => drop(queue.remove(tx, key, member)?),
    }
    before.map(|score| bytes_of::<Score>(&score)).transpose()
}

/// Changes the score of a dead member. It stays dead: the record of a dead member has no score, so
/// only its item changes.
fn rescore<K: QueueKeyspace>(tx: &mut Tx<'_>, cell: &Cell, score: &[u8]) -> Result<(), Error> {
    let mut row = Vec::new();
    record::begin(Kind::Queue, &cell.structure, Family::Item, &mut row);
    row.extend_from_slice(&cell.member);
    let store = StoreId::of(K::SPACE);
    let value = tx.get(store, &row)?.unwrap_or_default();
    let mut item = Item::read(&value, K::SCORE_WIDTH).map_err(bad::<K>)?;
    item.score = score.into();
    Ok(tx.put(store, &row, &item.bytes(K::SCORE_WIDTH))?)
}

fn field<H: HashKeyspace>(
    tx: &mut Tx<'_>,
    cell: &Cell,
    value: Option<&[u8]>,
) -> Result<Option<Vec<u8>>, Error> {
    H::decode(&cell.structure).map_err(bad::<H>)?;
    let mut row = Vec::new();
    record::begin(Kind::Hash, &cell.structure, Family::Field, &mut row);
    row.extend_from_slice(&cell.member);
    let store = StoreId::of(H::SPACE);
    let before = tx.get(store, &row)?;
    match value {
        Some(value) => {
            let entry = H::entry(&cell.member, value);
            entry.map_err(|why| Error::BadRow { keyspace: H::NAME, why: why.to_string() })?;
            tx.put(store, &row, value)?;
        }
        None => tx.delete(store, &row)?,
    }
    Ok(before)
}
