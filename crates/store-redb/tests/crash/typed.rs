//! Typed writes: maps with indexes, sequences and structures.

use crate::{Outcome, WRITERS, Work, beside};
use keyscape::{Backoff, Error};
use keyscape_store::{Db, KeyRange, Layout, Memory, Read, Spaces, StoreId, Tx};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The value of a row of `orders`.
#[expect(unreachable_pub, reason = "it must be as public as generated code")]
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Order {
    ticket: u64,
    text: String,
}

keyscape::layout!(
    r#"
store shop
map orders = "o/" {writer: u8} {order: u64be} -> json Order
    scan all
    scan writer by order
/// From the key.
index by_order of orders = "n/" {order} {writer} -> empty
/// From the value, one for each.
index by_ticket of orders = "t/" {writer} {ticket: u64be from value} -> bytes
    unique
/// From the value, many for each.
index by_kind of orders = "k/" {kind: u8 from value} {writer} {order} -> empty
sequence numbers = "s" {writer: u8} -> u64be

store things structures
zset board = "z:" {writer: u8}
    member u64be
    score u64be
    counted
    ranked
hash totals = "h:" {writer: u8}
    field count = "c" -> u64be
    field of = "o" {order: u64be} -> text
set seen = "n:" {writer: u8}
    member u64be
queue jobs = "q:" {writer: u8}
    member u64be
    score u64be
"#
);

use shop::{BY_KIND, BY_ORDER, BY_TICKET, NUMBERS, ORDERS};
use things::{BOARD, JOBS, SEEN, TOTALS_COUNT, TOTALS_OF};

impl shop::ByTicketFields for Order {
    fn ticket(&self) -> keyscape::Extracted<u64> {
        Ok(self.ticket)
    }
}

impl shop::ByKindFields for Order {
    fn kind(&self) -> keyscape::Extracted<u8> {
        Ok((self.ticket % 7) as u8)
    }
}

/// Runs the next commit of a writer. The commit depends only on its number and on earlier commits
/// of the writer. Returns the number of commits.
fn commit(tx: &mut Tx<'_>, writer: u8) -> Result<u64, Error> {
    let number = NUMBERS.next_of(tx, writer)?;
    let order = |ticket| Order { ticket, text: "x".repeat((number % 97 * 31) as usize) };
    ORDERS.put(tx, (writer, number), &order(2 * number))?;
    // The ticket changes, so index entries move.
    let older = (writer, number / 2);
    if ORDERS.contains(tx, older)? {
        ORDERS.put(tx, older, &order(2 * number + 1))?;
    }
    if number > 0 && number % 3 == 0 {
        ORDERS.delete(tx, (writer, number * 2 / 3))?;
    }
    // Enough members for more than one rank record.
    for step in 0..4 {
        BOARD.add(tx, writer, (number * 31 + step) % 300, number * 7919 % 1000)?;
    }
    BOARD.increment(tx, writer, number % 300, 5)?;
    BOARD.remove(tx, writer, number * 17 % 300)?;
    SEEN.add(tx, writer, number % 40)?;
    SEEN.remove(tx, writer, number * 3 % 40)?;
    TOTALS_COUNT.put(tx, writer, (), number)?;
    TOTALS_OF.put(tx, writer, number % 20, &number.to_string())?;
    TOTALS_OF.delete(tx, writer, number * 7 % 20)?;
    JOBS.push(tx, writer, number % 30, number * 13 % 100)?;
    let backoff = Backoff { first: 2, max: 16, attempts: 3 };
    for claim in JOBS.claim(tx, writer, number, 4, 3)? {
        match (claim.member + number) % 4 {
            0 => drop(JOBS.ack(tx, writer, &claim)?),
            1 => drop(JOBS.fail(tx, writer, &claim, number, &backoff)?),
            2 => drop(JOBS.push(tx, writer, claim.member, 1_u64)?),
            // The lease ends some commits later.
            _ => {}
        }
    }
    JOBS.revive(tx, writer, number % 30)?;
    Ok(number + 1)
}

/// The commits of all writers, repeated in an in-memory database.
pub(crate) struct Typed {
    model: Db,
    done: [u64; WRITERS as usize],
}

impl Work for Typed {
    const NAME: &'static str = "typed";

    fn new() -> Result<Self, Box<dyn std::error::Error>> {
        Ok(Typed { model: Db::new(Memory::new(Self::spaces()?)), done: [0; WRITERS as usize] })
    }

    fn spaces() -> Result<Spaces, Box<dyn std::error::Error>> {
        Ok(Layout::spaces_of(&[&shop::LAYOUT])?)
    }

    fn create(file: &Path) -> Outcome {
        drop(keyscape_store_redb::create(file, &shop::LAYOUT)?);
        Ok(())
    }

    fn write_until_killed(file: &Path) -> Outcome {
        let db = keyscape_store_redb::open(file, &shop::LAYOUT)?;
        beside(|writer| {
            loop {
                let run = |tx: &mut Tx<'_>| commit(tx, writer);
                let number = if writer == 0 { db.write(run)? } else { db.optimistic(100, run)? };
                // A commit is acknowledged only after it has returned. `println!` writes the line
                // at once.
                println!("{writer} {number}.");
            }
        })
    }

    fn check(&mut self, file: &Path, acknowledged: &[u64]) -> Outcome {
        let db = keyscape_store_redb::open(file, &shop::LAYOUT)?;
        let state = db.read()?;
        for (writer, acknowledged) in (0..WRITERS).zip(acknowledged) {
            let there = NUMBERS.peek_of(&state, writer)?;
            assert!(
                there >= *acknowledged,
                "writer {writer}: {acknowledged} acknowledged, {there} there"
            );
            let done = &mut self.done[usize::from(writer)];
            while *done < there {
                *done = self.model.write(|tx| commit(tx, writer))?;
            }
            for report in [BOARD.check(&state, writer)?, JOBS.check(&state, writer)?] {
                assert!(report.is_sound(), "{report:?}");
            }
            assert!(SEEN.check(&state, writer)?.is_sound());
        }
        for report in [BY_ORDER.check(&state)?, BY_TICKET.check(&state)?, BY_KIND.check(&state)?] {
            assert!(report.is_sound(), "{report:?}");
            assert!(report.rows > 0, "there are no orders");
        }
        // Each writer has its own keys, so the order of their commits does not matter.
        let model = self.model.read()?;
        for space in shop::LAYOUT.spaces {
            let (mut rows, mut wanted) = (
                state.rows(StoreId::of(space), KeyRange::all())?,
                model.rows(StoreId::of(space), KeyRange::all())?,
            );
            while let Some(wanted) = wanted.next()? {
                let row = rows.next()?.ok_or("a row of a commit is not there")?;
                assert_eq!((row.key, row.value), (wanted.key, wanted.value));
            }
            assert_eq!(rows.next()?, None, "a row of no commit is there");
        }
        Ok(())
    }
}
