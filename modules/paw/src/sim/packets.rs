//! Packets of all parts.

use super::{Done, check, draw::Draw, is, never, refused, run};
use crate::{
    ErrorKind,
    keeper::ibc::{self, Packet, Part},
};
use keyscape::store::Tx;

const CHANNELS: [&str; 2] = ["channel-0", "channel-10"];
const SENDERS: [&str; 3] = ["cosmos1abc", "transfer/channel-0/evil", "a"];

pub(super) fn operation(tx: &mut Tx<'_>, draw: &mut Draw) -> Done {
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
