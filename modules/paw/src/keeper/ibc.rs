//! Replay protection of IBC packets, for all three parts.
//!
//! The nonces of a sender on a channel rise strictly. The last nonce of a sender is deleted after 7
//! days. This allows no replay, because a packet must not be older than 24 hours. The counter of
//! outgoing packets is a row of its own, which is never deleted.
//!
//! A packet without a sender counts as a packet of the part itself, as in the origin. An empty
//! sender has the counters of the sender `compute`, `dex` or `oracle`.

use super::{Block, require};
use crate::{
    Error, ErrorKind,
    layout::paw::{
        COMPUTE_PACKETS, COMPUTE_PACKETS_BY_TIME, COMPUTE_SENT, Channel, DEX_PACKETS,
        DEX_PACKETS_BY_TIME, DEX_SENT, ORACLE_PACKETS, ORACLE_PACKETS_BY_TIME, ORACLE_SENT, Sender,
    },
    number::rising,
    values::PacketState,
};
use keyscape::store::{Read, Tx};

/// The largest age of a packet, in seconds.
pub const MAX_AGE: u64 = 24 * 3_600;
/// The number of seconds by which a packet may be ahead of the block.
pub const MAX_AHEAD: u64 = 300;
/// The number of seconds for which the last nonce of a sender is retained.
pub const RETENTION: u64 = 7 * 24 * 3_600;
/// The largest number of packets of each part that the end of a block deletes.
pub const PRUNED_PER_BLOCK: u64 = 100;

/// A part of the module that receives packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The compute market.
    Compute,
    /// The exchange.
    Dex,
    /// The oracle.
    Oracle,
}

impl Part {
    /// All parts.
    pub const ALL: [Part; 3] = [Part::Compute, Part::Dex, Part::Oracle];

    /// Returns the name, which is also that of the bank account.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Part::Compute => super::compute::MODULE,
            Part::Dex => super::dex::MODULE,
            Part::Oracle => super::oracle::MODULE,
        }
    }

    /// Returns the key of a sender on a channel. An empty sender is the part itself.
    fn key<'a>(
        self,
        channel: &'a str,
        sender: &'a str,
    ) -> Result<(Channel<'a>, Sender<'a>), Error> {
        let sender = if sender.is_empty() { self.name() } else { sender };
        Ok((Channel::new(channel)?, Sender::new(sender)?))
    }
}

/// A received packet.
#[derive(Clone, Copy, Debug)]
pub struct Packet<'a> {
    /// The channel.
    pub channel: &'a str,
    /// The sender; it may contain `/`, and it may be empty.
    pub sender: &'a str,
    /// The nonce.
    pub nonce: u64,
    /// The second in which the packet was sent.
    pub timestamp: u64,
}

/// Evaluates an expression with the keyspace of one part.
macro_rules! on {
    ($part:expr, [$compute:ident, $dex:ident, $oracle:ident], |$map:ident| $call:expr) => {
        match $part {
            Part::Compute => {
                let $map = $compute;
                $call
            }
            Part::Dex => {
                let $map = $dex;
                $call
            }
            Part::Oracle => {
                let $map = $oracle;
                $call
            }
        }
    };
}

/// Returns the last packet of a sender on a channel.
///
/// # Errors
/// [`Name`](ErrorKind::Name).
pub fn last_packet(
    state: &(impl Read + ?Sized),
    part: Part,
    channel: &str,
    sender: &str,
) -> Result<Option<PacketState>, Error> {
    let key = part.key(channel, sender)?;
    Ok(on!(part, [COMPUTE_PACKETS, DEX_PACKETS, ORACLE_PACKETS], |map| map.get(state, key)?))
}

/// Accepts a packet, once.
///
/// # Errors
/// [`Replay`](ErrorKind::Replay), [`Timestamp`](ErrorKind::Timestamp), [`Name`](ErrorKind::Name),
/// [`Overflow`](ErrorKind::Overflow).
pub fn receive(
    tx: &mut Tx<'_>,
    block: Block,
    part: Part,
    packet: &Packet<'_>,
) -> Result<(), Error> {
    let Packet { channel, sender, nonce, timestamp } = *packet;
    let now = block.time;
    let in_time =
        timestamp.saturating_add(MAX_AGE) >= now && timestamp <= now.saturating_add(MAX_AHEAD);
    require(in_time, || ErrorKind::Timestamp { timestamp, now })?;
    let last = last_packet(tx, part, channel, sender)?.map_or(0, |last| last.nonce);
    rising(nonce, last)?;
    let state = PacketState { nonce, seen: now };
    let key = part.key(channel, sender)?;
    on!(part, [COMPUTE_PACKETS, DEX_PACKETS, ORACLE_PACKETS], |map| map.put(tx, key, &state)?);
    Ok(())
}

/// Returns the nonce of the last packet that was sent, or 0.
///
/// # Errors
/// [`Name`](ErrorKind::Name).
pub fn last_sent(
    state: &(impl Read + ?Sized),
    part: Part,
    channel: &str,
    sender: &str,
) -> Result<u64, Error> {
    let key = part.key(channel, sender)?;
    Ok(on!(part, [COMPUTE_SENT, DEX_SENT, ORACLE_SENT], |map| map.get(state, key)?).unwrap_or(0))
}

/// Returns the nonce of the next outgoing packet, and increments the counter. Nonces start at 1 and
/// never decrease.
///
/// # Errors
/// [`Overflow`](ErrorKind::Overflow), [`Name`](ErrorKind::Name).
pub fn send(tx: &mut Tx<'_>, part: Part, channel: &str, sender: &str) -> Result<u64, Error> {
    let last = last_sent(tx, part, channel, sender)?;
    let nonce = last.saturating_add(1);
    require(nonce < u64::MAX, || ErrorKind::Overflow("nonce"))?;
    let key = part.key(channel, sender)?;
    on!(part, [COMPUTE_SENT, DEX_SENT, ORACLE_SENT], |map| map.put(tx, key, nonce)?);
    Ok(nonce)
}

/// Deletes the oldest packets whose retention has ended, up to [`PRUNED_PER_BLOCK`] of each part.
/// Returns their number.
///
/// # Errors
/// Errors of the database.
pub fn prune(tx: &mut Tx<'_>, block: Block) -> Result<u64, Error> {
    let before = block.time.saturating_sub(RETENTION);
    /// Deletes the packets of one part.
    macro_rules! prune {
        ($index:ident, $map:ident) => {
            $index
                .prefix_all()
                .range(..before)
                .limit(PRUNED_PER_BLOCK)
                .walk(tx, |tx, row| $map.delete(tx, row.owner()?))?
        };
    }
    let compute = prune!(COMPUTE_PACKETS_BY_TIME, COMPUTE_PACKETS);
    let dex = prune!(DEX_PACKETS_BY_TIME, DEX_PACKETS);
    Ok(compute + dex + prune!(ORACLE_PACKETS_BY_TIME, ORACLE_PACKETS))
}
