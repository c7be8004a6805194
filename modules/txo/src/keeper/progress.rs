//! The progress of sources.

use crate::{
    error::Error,
    layout::txo::{
        Address, Name, PROGRESS_OWNER, PROGRESS_PEER, PROGRESS_SUBSCRIPTION, ProgressOwner,
        ProgressPeerHost, ProgressSubscription, Subscription,
    },
    undo::{Recorder, key_of},
};
use keyscape::store::{Read, Tx};

/// A source that is read block by block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProgressSource {
    /// A subscription.
    Subscription(Subscription<'static>),
    /// The outputs of an owner.
    Owner(Address<'static>),
}

impl ProgressSource {
    /// Returns the bytes of the field of the source.
    fn field(&self) -> Result<Vec<u8>, Error> {
        match self {
            ProgressSource::Subscription(name) => {
                key_of::<ProgressSubscription>(&Subscription::from(name).into())
            }
            ProgressSource::Owner(owner) => key_of::<ProgressOwner>(&Address::from(owner).into()),
        }
    }
}

/// Returns the height up to which a source has been read.
///
/// # Errors
/// If the store fails.
pub fn progress(read: &impl Read, source: &ProgressSource) -> Result<Option<u32>, Error> {
    Ok(match source {
        ProgressSource::Subscription(name) => PROGRESS_SUBSCRIPTION.get(read, (), name)?,
        ProgressSource::Owner(owner) => PROGRESS_OWNER.get(read, (), owner)?,
    })
}

/// Records that a source has been read up to a height. A lower height changes nothing; only
/// [`rollback_to`](crate::undo::rollback_to) lowers it. Returns whether it changed.
///
/// # Errors
/// If the store fails.
pub fn advance(tx: &mut Tx<'_>, source: &ProgressSource, height: u32) -> Result<bool, Error> {
    if progress(tx, source)?.is_some_and(|reached| height <= reached) {
        return Ok(false);
    }
    tx.attempt(|tx| {
        let mut unit = Recorder::begin(tx, "advance", None);
        unit.progress(source.field()?, height)?;
        unit.finish()?;
        Ok(true)
    })
}

/// Returns the block from which a subscription continues: the one after `done`, but none within
/// `depth` of the tip, where blocks may still be replaced.
#[must_use]
pub fn next_block(done: u32, tip: u32, depth: u32) -> u32 {
    done.saturating_add(1).min(tip.saturating_sub(depth))
}

/// Records the time of an interaction with a peer about a topic, in nanoseconds since 1970. An
/// earlier time changes nothing, and no rollback changes it. Returns whether it changed.
///
/// # Errors
/// If the store fails.
pub fn met_peer(
    tx: &mut Tx<'_>,
    topic: &Name<'_>,
    host: &ProgressPeerHost<'_>,
    nanoseconds: u64,
) -> Result<bool, Error> {
    if last_met(tx, topic, host)?.is_some_and(|known| nanoseconds <= known) {
        return Ok(false);
    }
    PROGRESS_PEER.put(tx, (), (topic, host), nanoseconds)?;
    Ok(true)
}

/// Returns the time of the last interaction with a peer about a topic, in nanoseconds since 1970.
///
/// # Errors
/// If the store fails.
pub fn last_met(
    read: &impl Read,
    topic: &Name<'_>,
    host: &ProgressPeerHost<'_>,
) -> Result<Option<u64>, Error> {
    Ok(PROGRESS_PEER.get(read, (), (topic, host))?)
}

/// Returns all sources with the heights up to which they have been read.
///
/// # Errors
/// If the store fails.
pub fn sources(read: &impl Read) -> Result<Vec<(ProgressSource, u32)>, Error> {
    let mut sources = Vec::new();
    for row in PROGRESS_SUBSCRIPTION.all(()).to_vec(read)? {
        sources.push((ProgressSource::Subscription(row.field.subscription), row.value));
    }
    for row in PROGRESS_OWNER.all(()).to_vec(read)? {
        sources.push((ProgressSource::Owner(row.field.owner), row.value));
    }
    Ok(sources)
}

/// The last interaction with a peer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peer {
    /// The topic.
    pub topic: Name<'static>,
    /// The host.
    pub host: String,
    /// The time, in nanoseconds since 1970.
    pub nanoseconds: u64,
}

/// Returns all peers, by topic and host.
///
/// # Errors
/// If the store fails.
pub fn peers(read: &impl Read) -> Result<Vec<Peer>, Error> {
    let rows = PROGRESS_PEER.all(()).to_vec(read)?;
    let peer = rows.into_iter().map(|row| Peer {
        topic: row.field.topic,
        host: row.field.host.as_str().to_owned(),
        nanoseconds: row.value,
    });
    Ok(peer.collect())
}
