//! The defects of the origin, each shown to be absent.

use crate::setup::{
    Outcome, account, at, ballot, begin, completed, fund, has, in_paw, in_paw_with, market, params,
    paw, pool, provider, refused, refused_for, request, sound, swap, token, u, validator, vote,
};

use keyscape_paw::{
    Account, Block, ErrorKind,
    keeper::{
        self,
        compute::{self, NewRequest},
        dex::{self, Amounts, Outcome as Swapped},
        ibc::{self, Packet, Part, RETENTION},
        oracle,
    },
    layout::paw::{
        COMPUTE_PACKETS, LIQUIDITY, LOCKS, PAUSE, PROVIDER_NONCES, Party, REQUESTS_BY_REQUESTER,
        SHARES, SNAPSHOTS,
    },
    values::{EscrowState, PoolOperation},
};
use keyscape_sim::is;
use std::collections::BTreeSet;

const LAYOUT: &str = include_str!("../../../../layouts/paw/sound.keys");

/// Returns the prefixes of each namespace of the layout, in order: name of the keyspace and byte.
fn prefixes() -> Vec<Vec<(String, u8)>> {
    let mut spaces: Vec<Vec<(String, u8)>> = Vec::new();
    for line in LAYOUT.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if words.first() == Some(&"namespace") {
            spaces.push(Vec::new());
        }
        let is_keyspace = matches!(words.first(), Some(&"item" | &"map" | &"index" | &"sequence"));
        let byte = words.iter().skip_while(|word| **word != "=").nth(1);
        let byte = byte.and_then(|byte| u8::from_str_radix(byte.strip_prefix("0x")?, 16).ok());
        if let (true, Some(space), Some(byte)) = (is_keyspace, spaces.last_mut(), byte) {
            space.push((words[1].to_owned(), byte));
        }
    }
    spaces
}

/// P1: the cached voting power had the key of the pause, so the next block ended the pause.
#[test]
fn p1_nothing_overwrites_the_pause() -> Outcome {
    in_paw(|tx| {
        validator(tx, &account(1), 1_000_000)?;
        oracle::emergency_pause(tx, at(1), &crate::setup::governance(), "stop")?;
        let before = PAUSE.get(tx)?;
        for height in 1..400 {
            keeper::end_block(tx, at(height))?;
        }
        assert!(oracle::is_paused(tx)?);
        assert_eq!(PAUSE.get(tx)?, before);
        Ok(())
    })
}

/// P2 and P12: two families shared prefixes, so the cleanup of one family read rows of the other.
#[test]
fn p2_every_prefix_has_one_keyspace() {
    let spaces = prefixes();
    assert_eq!(spaces.len(), 3);
    for space in &spaces {
        let distinct: BTreeSet<u8> = space.iter().map(|(_, byte)| *byte).collect();
        assert_eq!(distinct.len(), space.len(), "{space:?}");
    }
}

/// P3: the counts of the document were wrong, and two packet prefixes were outside their range.
#[test]
fn p3_prefixes_are_in_their_ranges() {
    let counts: Vec<usize> = prefixes().iter().map(Vec::len).collect();
    assert_eq!(counts, [19, 14, 17]);
    for (name, byte) in prefixes().concat() {
        let expected = match name.as_str() {
            name if name.contains("packets") || name.ends_with("_sent") => 0x20..=0x2F,
            "snapshots" => 0x30..=0xFF,
            name if name.contains("_by_") && name != "pool_by_tokens" => 0x10..=0x1F,
            _ => 0x01..=0x0F,
        };
        assert!(expected.contains(&byte), "{name}: {byte:02x}");
    }
    assert!(LAYOUT.contains("reserve 0x16") && LAYOUT.contains("reserve 0x0D"));
}

/// P4: two pairs of tokens had the same key.
#[test]
fn p4_pairs_of_tokens_do_not_meet() -> Outcome {
    in_paw(|tx| {
        let ann = account(1);
        let pairs = [("aaa/b", "ccc"), ("aaa", "bbb/ccc"), ("aaab", "ccc"), ("aaa", "bccc")];
        let tokens = ["aaa", "aaa/b", "aaab", "bbb/ccc", "bccc", "ccc"];
        fund(tx, &ann, &tokens.map(|token| format!("5000{token}")).join(","))?;
        for (id, (one, other)) in (1..).zip(pairs) {
            let (one, other) = (token(one), token(other));
            let made = dex::create_pool(tx, at(1), &ann, (&one, u(1_000)), (&other, u(1_000)))?;
            assert_eq!(made.0, id);
            assert_eq!(dex::find_pool(tx, &one, &other)?, Some(id));
        }
        Ok(())
    })
}

/// P5: the snapshots of BTC included those of BTCUSD.
#[test]
fn p5_snapshots_belong_to_one_asset() -> Outcome {
    in_paw(|tx| {
        let ann = account(1);
        validator(tx, &ann, 1_000_000)?;
        ballot(tx, 0, &[(ann.clone(), vote(&[("BTC", 100), ("BTCUSD", 9_000)]))])?;
        ballot(tx, 2, &[(ann, vote(&[("BTC", 200), ("BTCUSD", 9_000)]))])?;
        assert_eq!(SNAPSHOTS.prefix_denom(token("BTC")).count(tx)?, 2);
        let of = |asset: &str| oracle::average_price(tx, at(39), &token(asset), 100);
        assert_eq!((of("BTC")?, of("BTCUSD")?), (u(100), u(9_000)));
        assert_eq!(SNAPSHOTS.prefix_denom(token("BTC")).delete(tx)?, 2);
        assert_eq!(SNAPSHOTS.prefix_denom(token("BTCUSD")).count(tx)?, 2);
        Ok(())
    })
}

/// P6: the pause of the circuit breaker was rolled back, and a pool that had tripped once was
/// blocked permanently.
#[test]
fn p6_the_breaker_pauses_for_its_time() -> Outcome {
    let db = paw();
    let (ann, paused) = (account(1), at(4));
    let id = db.write(|tx| pool(tx, &ann))?;
    // Each swap moves the price by less than the threshold; within a window they add up.
    let mut until = None;
    for height in 1..=4 {
        if let Swapped::Paused { until: end } =
            db.write(|tx| swap(tx, at(height), id, &ann, 80_000))?
        {
            assert_eq!(height, 2);
            until = Some(end);
            break;
        }
    }
    assert_eq!(until, Some(at(2).time + 3_600));
    // The transaction and the pause are committed. The swap has made no other changes.
    let mut tx = begin(&db);
    let tx = &mut tx;
    assert_eq!(dex::get_breaker(tx, id)?.paused_until, at(2).time + 3_600);
    assert_eq!(has(tx, &ann, "uatom"), 1_000_000 - 80_000);
    sound(tx);
    let most = Amounts { a: u(10), b: u(10) };
    for error in [
        refused(tx, |tx| swap(tx, paused, id, &ann, 1_000)),
        refused(tx, |tx| dex::add_liquidity(tx, paused, id, &ann, most, u(1))),
        refused(tx, |tx| dex::remove_liquidity(tx, paused, id, &ann, u(1), Amounts::default())),
    ] {
        assert!(matches!(error.kind(), ErrorKind::PoolPaused { .. }), "{error}");
    }
    // The pause ends, and the price at its end is the new reference.
    let end = Block { height: 5, time: at(2).time + 3_600 };
    assert!(matches!(swap(tx, end, id, &ann, 80_000)?, Swapped::Done(_)));
    Ok(())
}

/// P7: fees were recorded in one ledger and claimed from another, were not backed by coins, and
/// were a fraction of the fee instead of the amount.
#[test]
fn p7_fees_are_claimed_from_the_ledger_that_earned_them() -> Outcome {
    in_paw(|tx| {
        let ann = account(1);
        let id = pool(tx, &ann)?;
        assert_eq!(SHARES.prefix_pool(id).count(tx)?, LIQUIDITY.prefix_pool(id).count(tx)?);
        let before = has(tx, &ann, "uatom");
        assert!(matches!(swap(tx, at(1), id, &ann, 40_000)?, Swapped::Done(_)));
        // 0.25 % of the amount in, not of the fee. Rounding leaves one coin in the pool.
        assert_eq!(dex::claim_fees(tx, at(1), id, &ann)?.a, u(99));
        assert_eq!(has(tx, &ann, "uatom"), before - 40_000 + 99);
        sound(tx);
        Ok(())
    })
}

/// P8: a challenged escrow that expired could neither be released nor refunded, and a normal
/// request had no escrow.
#[test]
fn p8_a_challenged_escrow_that_expires_is_settled() -> Outcome {
    in_paw(|tx| {
        let [ann, node] = market(tx, "100000upaw")?;
        let id = completed(tx, at(1), &ann, &node, 1)?;
        let late = Block { height: 2, time: at(1).time + 10 * 24 * 3_600 };
        assert_eq!(keeper::end_block(tx, late)?.escrows, 1);
        assert_eq!(compute::get_escrow(tx, id)?.state, EscrowState::Released);
        assert_eq!(keeper::end_block(tx, late)?.escrows, 0, "it is not visited again");
        assert_eq!(has(tx, &node, "upaw"), 3_010_000);
        // A dispute of a normal request finds its escrow.
        let id = completed(tx, late, &ann, &node, 2)?;
        compute::dispute(tx, late, &ann, id)?;
        compute::resolve(tx, late, &crate::setup::governance(), id, false)?;
        assert_eq!(compute::get_escrow(tx, id)?.state, EscrowState::Refunded);
        sound(tx);
        Ok(())
    })
}

/// P9: a penalty was capped at 0.1 % and then raised to the minimum of 5 %.
#[test]
fn p9_the_cap_of_a_penalty_is_the_last_word() -> Outcome {
    let mut params = params();
    (params.oracle.window, params.oracle.max_misses) = (3, 1);
    assert_eq!((params.oracle.slash_bp, params.oracle.slash_cap_bp), (500, 10));
    in_paw_with(&params, |tx| {
        let ann = account(1);
        validator(tx, &ann, 10_000_000)?;
        for period in 0..3 {
            keeper::end_block(tx, at(period * 10 + 9))?;
        }
        assert_eq!(oracle::get_stake(tx, &ann)?, u(9_990_000));
        sound(tx);
        Ok(())
    })
}

/// P10: the lock had the operation in its key, so a swap could run inside another operation on the
/// pool.
#[test]
fn p10_one_lock_excludes_every_operation() -> Outcome {
    in_paw(|tx| {
        let ann = account(1);
        let id = pool(tx, &ann)?;
        dex::flash_loan(tx, at(1), id, &ann, &token("uatom"), u(10), |tx| {
            assert_eq!(LOCKS.get(tx, id)?.map(|lock| lock.operation), Some(PoolOperation::Loan));
            refused_for(tx, is!(PoolLocked), |tx| swap(tx, at(1), id, &ann, 1_000));
            Ok(())
        })?;
        assert_eq!(LOCKS.get(tx, id)?, None);
        assert!(matches!(swap(tx, at(1), id, &ann, 1_000)?, Swapped::Done(_)));
        Ok(())
    })
}

/// P11: pruning deleted the outgoing counter, and never pruned a sender with a slash.
#[test]
fn p11_pruning_keeps_the_outgoing_counter_and_knows_slashes() -> Outcome {
    in_paw(|tx| {
        let sender = "transfer/channel-9/eve";
        for part in Part::ALL {
            for expected in 1..=3 {
                assert_eq!(ibc::send(tx, part, "channel-0", sender)?, expected);
            }
            let packet = Packet { channel: "channel-0", sender, nonce: 8, timestamp: at(1).time };
            ibc::receive(tx, at(1), part, &packet)?;
        }
        let late = Block { height: 2, time: at(1).time + RETENTION + 1 };
        assert_eq!(keeper::end_block(tx, late)?.packets, 3);
        assert_eq!(COMPUTE_PACKETS.prefix_all().count(tx)?, 0);
        for part in Part::ALL {
            assert_eq!(ibc::last_packet(tx, part, "channel-0", sender)?, None);
            assert_eq!(ibc::send(tx, part, "channel-0", sender)?, 4);
        }
        Ok(())
    })
}

/// P12: the ids of escrows were a counter mixed with random bits, and votes were never cleaned up.
#[test]
fn p12_ids_are_counted_and_votes_are_cleaned_up() -> Outcome {
    in_paw(|tx| {
        let [ann, _] = market(tx, "1000000upaw")?;
        for expected in 1..=20 {
            assert_eq!(compute::submit(tx, at(1), &ann, &request(expected))?, expected);
            assert_eq!(compute::get_escrow(tx, expected)?.amount, u(15_000));
        }
        validator(tx, &account(3), 1_000_000)?;
        ballot(tx, 0, &[(account(3), vote(&[("BTC", 100)]))])?;
        assert_eq!(keyscape_paw::layout::paw::VOTES.prefix_all().count(tx)?, 0);
        Ok(())
    })
}

/// P13: an address of another length before an id ran into it.
#[test]
fn p13_addresses_of_several_lengths_do_not_meet() -> Outcome {
    in_paw(|tx| {
        let short = account(7);
        // The long address is the short one followed by the bytes of request 1.
        let long = Account::new([short.as_bytes(), &1_u64.to_be_bytes()].concat())?;
        for who in [&short, &long] {
            provider(tx, who)?;
            fund(tx, who, "100000upaw")?;
        }
        let by = |provider: &Account<'static>, nonce| NewRequest {
            provider: Some(provider.clone()),
            ..request(nonce)
        };
        let first = compute::submit(tx, at(1), &short, &by(&short, 1))?;
        let second = compute::submit(tx, at(1), &long, &by(&long, 1))?;
        for (who, id) in [(&short, first), (&long, second)] {
            let party = Party::new(who.as_bytes().to_vec())?;
            let rows = REQUESTS_BY_REQUESTER.scan_requester(tx, party.by_ref())?;
            let ids =
                rows.map(|row| Ok(row?.0.request)).collect::<Result<Vec<_>, keyscape::Error>>()?;
            assert_eq!(ids, [id]);
            compute::assign(tx, at(1), who, id)?;
            compute::start(tx, at(1), who, id, 5)?;
            assert_eq!(PROVIDER_NONCES.prefix_provider(party).count(tx)?, 1);
        }
        sound(tx);
        Ok(())
    })
}
