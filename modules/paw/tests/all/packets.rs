//! Replay protection of packets.

use crate::setup::{Outcome, at, in_paw, refused, refused_for};
use keyscape_paw::{
    Block, ErrorKind,
    keeper::{
        self,
        ibc::{self, MAX_AGE, MAX_AHEAD, PRUNED_PER_BLOCK, Packet, Part, RETENTION},
    },
    layout::paw::{COMPUTE_PACKETS, Channel, DEX_SENT, Sender},
};
use keyscape_sim::is;

#[test]
fn nonces_rise_per_channel_and_sender_in_every_part() -> Outcome {
    in_paw(|tx| {
        let now = at(1);
        for part in Part::ALL {
            let packet =
                Packet { channel: "channel-0", sender: "eve", nonce: 5, timestamp: now.time };
            ibc::receive(tx, now, part, &packet)?;
            for nonce in [0, 4, 5] {
                let replay =
                    refused(tx, |tx| ibc::receive(tx, now, part, &Packet { nonce, ..packet }));
                assert!(matches!(replay.kind(), ErrorKind::Replay { last: 5, .. }));
            }
            ibc::receive(tx, now, part, &Packet { nonce: 6, ..packet })?;
            // Other channels and other senders have their own counters.
            ibc::receive(tx, now, part, &Packet { channel: "channel-1", nonce: 1, ..packet })?;
            ibc::receive(tx, now, part, &Packet { sender: "eve/", nonce: 1, ..packet })?;
            let slash = Packet { channel: "channel-0/", ..packet };
            refused_for(tx, is!(Name), |tx| ibc::receive(tx, now, part, &slash));
        }
        Ok(())
    })
}

#[test]
fn packets_are_neither_old_nor_early() -> Outcome {
    in_paw(|tx| {
        let now = at(1);
        let packet =
            |nonce, timestamp| Packet { channel: "channel-0", sender: "a", nonce, timestamp };
        for timestamp in [now.time - MAX_AGE - 1, now.time + MAX_AHEAD + 1, 0, u64::MAX] {
            refused_for(tx, is!(Timestamp), |tx| {
                ibc::receive(tx, now, Part::Dex, &packet(1, timestamp))
            });
        }
        ibc::receive(tx, now, Part::Dex, &packet(1, now.time - MAX_AGE))?;
        ibc::receive(tx, now, Part::Dex, &packet(2, now.time + MAX_AHEAD))?;
        Ok(())
    })
}

#[test]
fn the_end_of_a_block_prunes_a_bounded_number_and_opens_no_gap() -> Outcome {
    in_paw(|tx| {
        let now = at(1);
        let count = PRUNED_PER_BLOCK + 7;
        let senders: Vec<String> = (0..count).map(|number| format!("s/{number}/x")).collect();
        for sender in &senders {
            let packet = Packet { channel: "channel-0", sender, nonce: 9, timestamp: now.time };
            ibc::receive(tx, now, Part::Compute, &packet)?;
        }
        let after = |seconds| Block { height: 2, time: now.time + seconds };
        assert_eq!(keeper::end_block(tx, after(RETENTION))?.packets, 0);
        let late = after(RETENTION + 1);
        assert_eq!(keeper::end_block(tx, late)?.packets, PRUNED_PER_BLOCK);
        assert_eq!(keeper::end_block(tx, late)?.packets, 7);
        assert_eq!(COMPUTE_PACKETS.prefix_all().count(tx)?, 0);
        // The old packet is too old to be played again.
        let old = Packet { channel: "channel-0", sender: "s/0/x", nonce: 9, timestamp: now.time };
        refused_for(tx, is!(Timestamp), |tx| ibc::receive(tx, late, Part::Compute, &old));
        Ok(())
    })
}

/// As in the origin, a packet without a sender is a packet of the part itself.
#[test]
fn an_empty_sender_is_the_part_itself() -> Outcome {
    in_paw(|tx| {
        let now = at(1);
        for part in Part::ALL {
            let packet = Packet { channel: "channel-0", sender: "", nonce: 5, timestamp: now.time };
            ibc::receive(tx, now, part, &packet)?;
            let own = ibc::last_packet(tx, part, "channel-0", part.name())?;
            assert_eq!(own.map(|packet| packet.nonce), Some(5));
            let named = Packet { sender: part.name(), ..packet };
            let replay = refused(tx, |tx| ibc::receive(tx, now, part, &named));
            assert!(matches!(replay.kind(), ErrorKind::Replay { nonce: 5, last: 5 }));
            assert_eq!(ibc::send(tx, part, "channel-0", "")?, 1);
            assert_eq!(ibc::last_sent(tx, part, "channel-0", part.name())?, 1);
        }
        Ok(())
    })
}

#[test]
fn the_last_nonce_is_not_accepted() -> Outcome {
    in_paw(|tx| {
        let (now, nonce) = (at(1), u64::MAX);
        let packet = Packet { channel: "channel-0", sender: "a", nonce, timestamp: now.time };
        let last = refused(tx, |tx| ibc::receive(tx, now, Part::Dex, &packet));
        assert!(matches!(last.kind(), ErrorKind::Overflow("nonce")));
        let key = (Channel::new("channel-0")?, Sender::new("a")?);
        DEX_SENT.put(tx, key, u64::MAX - 2)?;
        assert_eq!(ibc::send(tx, Part::Dex, "channel-0", "a")?, u64::MAX - 1);
        let last = refused(tx, |tx| ibc::send(tx, Part::Dex, "channel-0", "a"));
        assert!(matches!(last.kind(), ErrorKind::Overflow("nonce")));
        Ok(())
    })
}
