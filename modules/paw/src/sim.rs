//! A simulation: blocks of random operations over the whole keeper.
//!
//! A block depends only on the seed, its height and the state, so a stopped run can continue. A
//! valid operation must succeed, or be rejected for a reason that follows from the state. An
//! invalid operation must be rejected with its error. A rejected operation must write nothing.
//! Every block ends with [`end_block`](crate::keeper::end_block), after which no counter may be
//! lower.

mod compute;
mod dex;
mod draw;
mod oracle;

use crate::{
    Error, ErrorKind, invariants,
    keeper::{
        self,
        ibc::{self, Packet, Part},
    },
};
use draw::Draw;
use keyscape::store::Tx;
use keyscape_bank::Address;
use keyscape_sim::{Fault, Tally, attempt, check, is};

/// The channels and senders of packets.
const CHANNELS: [&str; 2] = ["channel-0", "channel-10"];
const SENDERS: [&str; 3] = ["cosmos1abc", "transfer/channel-0/evil", "a"];

/// Writes the state before the first block: parameters, and accounts with coins.
///
/// # Errors
/// [`Unexpected`](keyscape_sim::Unexpected) if an operation had the wrong outcome.
pub fn begin(tx: &mut Tx<'_>, seed: u64) -> Result<(), Fault> {
    let draw = Draw::new(seed, 0);
    keeper::initialize(tx, &draw.params()?)?;
    let owners = (0..draw::ACCOUNTS)
        .map(|index| Ok(Address::new(draw.account_at(index)?.as_bytes().to_vec())?))
        .collect::<Result<Vec<_>, Fault>>()?;
    let coins = draw::TOKENS.map(|token| format!("{}{token}", draw::FUNDS)).join(",");
    Ok(keyscape_bank::sim::fund(tx, &owners, &coins.parse()?)?)
}

/// Runs a block of 16 to 40 operations.
///
/// # Errors
/// [`Unexpected`](keyscape_sim::Unexpected) if an operation had the wrong outcome.
pub fn block(tx: &mut Tx<'_>, seed: u64, height: u64) -> Result<Tally, Fault> {
    let mut draw = Draw::new(seed, height);
    let before = invariants::counters(tx)?;
    let mut tally = Tally::default();
    for _ in 0..16 + draw.below(25) {
        let is_done = match draw.below(20) {
            0..8 => compute::operation(tx, &mut draw)?,
            8..13 => dex::operation(tx, &mut draw)?,
            13..19 => oracle::operation(tx, &mut draw)?,
            _ => packet(tx, &mut draw)?,
        };
        match is_done {
            Some(true) => tally.done += 1,
            Some(false) => tally.refused += 1,
            None => {}
        }
    }
    keeper::end_block(tx, draw.block)?;
    let broken = invariants::counters_never_fall(&before, &invariants::counters(tx)?, draw.block);
    check("end of block", broken.is_empty(), || format!("{broken:?}"))?;
    Ok(tally)
}

/// Whether an operation succeeded or was rejected, or `None` if the state does not allow to try it.
type Done = Result<Option<bool>, Fault>;

/// Runs an operation that must succeed, or be rejected with an allowed error.
fn run<T>(
    tx: &mut Tx<'_>,
    operation: &'static str,
    may_refuse: impl Fn(&ErrorKind) -> bool,
    act: impl FnOnce(&mut Tx<'_>) -> Result<T, Error>,
) -> Done {
    Ok(Some(attempt(tx, operation, may_refuse, act)?.is_some()))
}

/// Runs an operation that must be rejected for this reason.
fn refused<T>(
    tx: &mut Tx<'_>,
    operation: &'static str,
    reason: impl Fn(&ErrorKind) -> bool,
    act: impl FnOnce(&mut Tx<'_>) -> Result<T, Error>,
) -> Done {
    keyscape_sim::refused(tx, operation, reason, act).map(|()| Some(false))
}

/// Whether an account cannot pay.
fn is_poor(kind: &ErrorKind) -> bool {
    matches!(kind, ErrorKind::Bank(_))
}

/// Returns `false`, because no rejection is expected.
fn never(_: &ErrorKind) -> bool {
    false
}

/// Receives or sends a packet of any part.
fn packet(tx: &mut Tx<'_>, draw: &mut Draw) -> Done {
    let part = draw.pick(&Part::ALL).unwrap_or(Part::Dex);
    let channel = draw.pick(&CHANNELS).unwrap_or("channel-0");
    let sender = draw.pick(&SENDERS).unwrap_or("a");
    if draw.chance(2) {
        return outgoing(tx, part, channel, sender);
    }
    let last = ibc::last_packet(tx, part, channel, sender)?.map_or(0, |last| last.nonce);
    let (block, now) = (draw.block, draw.block.time);
    let good = Packet { channel, sender, nonce: last + 1 + draw.below(3), timestamp: now };
    let old = Packet { timestamp: now - ibc::MAX_AGE - 1, ..good };
    let early = Packet { timestamp: now + ibc::MAX_AHEAD + 1, ..good };
    match draw.below(6) {
        0 => refused(tx, "replay", is!(Replay), |tx| {
            ibc::receive(tx, block, part, &Packet { nonce: last, ..good })
        }),
        1 => refused(tx, "old packet", is!(Timestamp), |tx| ibc::receive(tx, block, part, &old)),
        2 => {
            refused(tx, "early packet", is!(Timestamp), |tx| ibc::receive(tx, block, part, &early))
        }
        _ => run(tx, "receive", never, |tx| ibc::receive(tx, block, part, &good)),
    }
}

fn outgoing(tx: &mut Tx<'_>, part: Part, channel: &str, sender: &str) -> Done {
    let last = ibc::last_sent(tx, part, channel, sender)?;
    let next = ibc::send(tx, part, channel, sender)?;
    check("send", next == last + 1, || format!("{next} follows {last}"))?;
    Ok(Some(true))
}
