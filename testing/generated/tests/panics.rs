//! User code that panics inside a typed write, with a caller that catches the panic: the
//! transaction contains nothing of that write, continues, and commits whole rows.
//!
//! Every step runs repeatedly, and panics at its first, second, third … call of user code, until no
//! call is left.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use keyscape::{
    Backoff, BadValue, DomainError, Error, ErrorKind, ValueForm,
    store::{
        Db, KeyRange, Layout, Memory, Meter, Mode, Operation, OverBudget, OwnedRow, Read, StoreId,
        Tx,
    },
    traits::IntoField,
};
use keyscape_store_redb::Options;
use redb::backends::InMemoryBackend;
use std::{
    cell::{Cell, RefCell},
    collections::BTreeSet,
    error,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::Arc,
};

type Outcome = Result<(), Box<dyn error::Error>>;

thread_local! {
    /// The number of calls of user code before a panic.
    static LEFT: Cell<u64> = const { Cell::new(u64::MAX) };
    /// The callbacks that have panicked.
    static PANICKED: RefCell<BTreeSet<&'static str>> = const { RefCell::new(BTreeSet::new()) };
}

/// Panics if the countdown has ended. Every callback calls this function. The panic prints no
/// message.
fn user_code(callback: &'static str) {
    let left = LEFT.get();
    if left == 0 {
        LEFT.set(u64::MAX);
        PANICKED.with_borrow_mut(|panicked| panicked.insert(callback));
        resume_unwind(Box::new(callback));
    }
    LEFT.set(left - 1);
}

/// A value with its own form.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Order {
    ticket: u8,
    kind: u8,
}

impl ValueForm for Order {
    type View<'v> = Order;
    type Owned = Order;
    type Input<'v> = Order;

    fn encode(input: Order, out: &mut Vec<u8>) -> Result<(), DomainError> {
        user_code("encode");
        out.extend([input.ticket, input.kind]);
        Ok(())
    }

    fn as_bytes(_: &Order) -> Option<&[u8]> {
        user_code("as_bytes");
        None
    }

    fn decode(bytes: &[u8]) -> Result<Order, BadValue> {
        user_code("decode");
        match *bytes {
            [ticket, kind] => Ok(Order { ticket, kind }),
            _ => Err(BadValue::new("not two bytes")),
        }
    }

    fn into_owned(view: Order) -> Order {
        user_code("into_owned");
        view
    }

    fn encode_owned(owned: &Order, out: &mut Vec<u8>) -> Result<(), DomainError> {
        user_code("encode_owned");
        out.extend([owned.ticket, owned.kind]);
        Ok(())
    }
}

keyscape::layout!(
    r#"
store shop
map orders = "o/" {user: u8} {order: u8} -> Order
    scan all
    scan user by order
index by_order of orders = "n/" {order} {user} -> empty
index by_ticket of orders = "t/" {ticket: u8 from value} -> bytes
    unique
index by_kind of orders = "k/" {kind: u8 from value} {user} {order} -> empty
item best = "b" -> Order
sequence numbers = "s" -> u64be

store things structures
zset board = "z:" {game: u8}
    member u64be
    score u64be
    counted
    ranked
hash totals = "h:" {game: u8}
    field best = "b" -> Order
    field of = "o" {user: u8} -> Order
set seen = "n:" {game: u8}
    member u64be
    counted
queue jobs = "q:" {game: u8}
    member u64be
    score u64be
"#
);

use shop::{BEST, BY_KIND, BY_ORDER, BY_TICKET, NUMBERS, ORDERS, OrdersKey};
use things::{BOARD, JOBS, SEEN, TOTALS, TOTALS_BEST, TOTALS_OF};

impl shop::ByTicketFields for Order {
    fn ticket(&self) -> keyscape::Extracted<u8> {
        user_code("ticket");
        Ok(self.ticket)
    }
}

impl shop::ByKindFields for Order {
    fn kind(&self) -> keyscape::Extracted<u8> {
        user_code("kind");
        Ok(self.kind)
    }
}

/// A key type of the program.
struct Place(u8, u8);

impl IntoField<OrdersKey> for Place {
    fn into_field(self) -> Result<OrdersKey, DomainError> {
        user_code("into key");
        (self.0, self.1).into_field()
    }
}

struct Tripwire;

impl Meter for Tripwire {
    fn charge(&self, _: Operation, _: u64) -> Result<(), OverBudget> {
        user_code("meter");
        Ok(())
    }
}

fn order(ticket: u8, kind: u8) -> Order {
    Order { ticket, kind }
}

type Step = fn(&mut Tx<'_>) -> Result<(), Error>;

/// Atomic writes, each one call of the runtime.
const STEPS: &[(&str, Step)] = &[
    ("put a new row", |tx| ORDERS.put(tx, Place(1, 50), order(50, 1))),
    ("put over a row", |tx| ORDERS.put(tx, (1, 1), order(51, 2))),
    ("delete a row", |tx| ORDERS.delete(tx, (1, 1))),
    ("take a row", |tx| ORDERS.take(tx, (1, 1)).map(drop)),
    ("update a row", |tx| {
        ORDERS.update(tx, (1, 1), |old| {
            user_code("update");
            Ok::<_, Error>(old.map(|old| Order { ticket: 52, ..old }))
        })
    }),
    ("update a row away", |tx| {
        ORDERS.update(tx, (1, 1), |_| {
            user_code("update");
            Ok::<_, Error>(None)
        })
    }),
    ("delete a scan", |tx| ORDERS.prefix_user(1).delete(tx).map(drop)),
    ("rebuild an index", |tx| BY_KIND.rebuild(tx).map(drop)),
    ("put an item", |tx| BEST.put(tx, order(1, 1))),
    ("update an item", |tx| {
        BEST.update(tx, |old| {
            user_code("update");
            Ok::<_, Error>(old.map(|old| Order { kind: 9, ..old }))
        })
    }),
    ("take an item", |tx| BEST.take(tx).map(drop)),
    ("take a number", |tx| NUMBERS.next(tx).map(drop)),
    ("an attempt of several writes", |tx| {
        tx.attempt(|tx| {
            ORDERS.delete(tx, (1, 2))?;
            user_code("attempt");
            BOARD.add(tx, 1, 2_u64, 7_u64)?;
            user_code("attempt");
            ORDERS.put(tx, (2, 2), order(53, 3))
        })
    }),
    ("an attempt with a walk", |tx| {
        tx.attempt(|tx| {
            ORDERS.prefix_user(1).walk(tx, |tx, row| {
                user_code("walk");
                let value = row.value()?;
                ORDERS.put(tx, row.key, Order { kind: value.kind + 1, ..value })
            })?;
            Ok(())
        })
    }),
    ("put a field", |tx| TOTALS_OF.put(tx, 1, 7, order(1, 1))),
    ("delete a field", |tx| TOTALS_BEST.delete(tx, 1, ())),
    ("delete a hash", |tx| TOTALS.delete(tx, 1).map(drop)),
    ("add to a set", |tx| SEEN.add(tx, 1, 99_u64).map(drop)),
    ("remove from a set", |tx| SEEN.remove(tx, 1, 1_u64).map(drop)),
    ("delete a set", |tx| SEEN.delete(tx, 1).map(drop)),
    ("add to a zset", |tx| BOARD.add(tx, 1, 99_u64, 5_u64).map(drop)),
    ("move in a zset", |tx| BOARD.increment(tx, 1, 3_u64, 100).map(drop)),
    ("remove from a zset", |tx| BOARD.remove(tx, 1, 3_u64).map(drop)),
    ("delete a zset", |tx| BOARD.delete(tx, 1).map(drop)),
    ("push a new member", |tx| JOBS.push(tx, 1, 99_u64, 5_u64).map(drop)),
    ("push a member again", |tx| JOBS.push(tx, 1, 3_u64, 50_u64).map(drop)),
    ("claim members", |tx| JOBS.claim(tx, 1, 200, 10, 3).map(drop)),
    ("remove a member", |tx| JOBS.remove(tx, 1, 3_u64).map(drop)),
    ("delete a queue", |tx| JOBS.delete(tx, 1).map(drop)),
];

/// Writes to a claim of member 0, which the base leaves leased.
const CLAIMED: &[(&str, Step)] = &[
    ("ack", |tx| JOBS.ack(tx, 1, &claim(tx)?).map(drop)),
    ("retry", |tx| JOBS.retry(tx, 1, &claim(tx)?, 100, 5).map(drop)),
    ("fail", |tx| {
        let backoff = Backoff { first: 5, max: 50, attempts: 3 };
        JOBS.fail(tx, 1, &claim(tx)?, 100, &backoff).map(drop)
    }),
    ("bury", |tx| JOBS.bury(tx, 1, &claim(tx)?)),
    ("extend", |tx| JOBS.extend(tx, 1, &claim(tx)?, 100, 90).map(drop)),
    ("revive", |tx| JOBS.revive(tx, 1, 9_u64).map(drop)),
];

/// Returns the claim of member 0 in the base.
fn claim(tx: &Tx<'_>) -> Result<keyscape::Claim<things::Jobs>, Error> {
    let known = JOBS.get(tx, 1, 0_u64)?.unwrap();
    let keyscape::record::State::Leased(deadline) = known.state else { unreachable!() };
    Ok(keyscape::Claim { member: 0, score: known.score, token: 1, attempts: 1, deadline })
}

fn fill(tx: &mut Tx<'_>) -> Result<(), Error> {
    for number in 0..6 {
        ORDERS.put(tx, (1, number), order(number, number % 2))?;
        TOTALS_OF.put(tx, 1, number, order(number, 0))?;
    }
    BEST.put(tx, order(3, 3))?;
    TOTALS_BEST.put(tx, 1, (), order(3, 3))?;
    for number in 0..40_u64 {
        BOARD.add(tx, 1, number, number % 5)?;
    }
    for number in 0..10_u64 {
        SEEN.add(tx, 1, number)?;
        JOBS.push(tx, 1, number, number)?;
    }
    JOBS.claim(tx, 1, 100, 50, 1)?;
    // The last member is dead.
    for number in 1..9_u64 {
        JOBS.remove(tx, 1, number)?;
    }
    let last = JOBS.claim(tx, 1, 100, 50, 1)?;
    JOBS.bury(tx, 1, &last[0])?;
    (1..9_u64).try_for_each(|number| JOBS.push(tx, 1, number, number).map(drop))
}

type Engine = fn() -> Db;

const ENGINES: [Engine; 2] = [
    || Db::new(Memory::new(Layout::spaces_of(&[&shop::LAYOUT]).unwrap())),
    || {
        let spaces = Layout::spaces_of(&[&shop::LAYOUT]).unwrap();
        Db::new(Options::new().create_on(InMemoryBackend::new(), spaces).unwrap())
    },
];

fn filled(engine: Engine) -> Result<Db, Error> {
    let db = engine();
    db.write(fill)?;
    Ok(db)
}

fn dump(db: &Db) -> Result<Vec<OwnedRow>, Box<dyn error::Error>> {
    let state = db.read()?;
    let mut rows = Vec::new();
    for space in shop::LAYOUT.spaces {
        rows.extend(state.rows(StoreId::of(space), KeyRange::all())?.to_vec()?);
    }
    for report in [BY_ORDER.check(&state)?, BY_TICKET.check(&state)?, BY_KIND.check(&state)?] {
        assert!(report.is_sound(), "{report:?}");
    }
    let structures = [
        TOTALS.check(&state, 1)?,
        SEEN.check(&state, 1)?,
        BOARD.check(&state, 1)?,
        JOBS.check(&state, 1)?,
    ];
    for report in structures {
        assert!(report.is_sound(), "{report:?}");
    }
    Ok(rows)
}

/// Writes rows that a panic in a later step must not roll back.
fn earlier(tx: &mut Tx<'_>) -> Result<(), Error> {
    ORDERS.put(tx, (9, 9), order(90, 9))
}

/// Runs a step with a panic at each call of user code. Returns the number of panics.
fn panics_everywhere(engine: Engine, (name, step): (&str, Step), metered: bool) -> u64 {
    let db = filled(engine).unwrap();
    let expected = {
        let mut tx = db.begin(Mode::Write).unwrap();
        earlier(&mut tx).and_then(|()| step(&mut tx)).unwrap();
        tx.changes().clone()
    };
    for calls in 0.. {
        let mut tx = db.begin(Mode::Write).unwrap();
        earlier(&mut tx).unwrap();
        let before = tx.changes().clone();
        tx.set_meter(metered.then(|| Arc::new(Tripwire) as Arc<dyn Meter>));
        LEFT.set(calls);
        let outcome = catch_unwind(AssertUnwindSafe(|| step(&mut tx)));
        LEFT.set(u64::MAX);
        tx.set_meter(None);
        let Err(_) = outcome else {
            assert!(matches!(outcome, Ok(Ok(()))), "{name}: {outcome:?}");
            return calls;
        };
        assert_eq!(tx.changes(), &before, "{name}, call {calls}: a part was left");
        step(&mut tx).unwrap();
        assert_eq!(tx.changes(), &expected, "{name}, call {calls}: it cannot go on");
    }
    unreachable!()
}

/// Runs a step that panics once, runs it again in the same transaction, and commits.
fn commits_after_a_panic(engine: Engine, (name, step): (&str, Step), calls: u64) {
    let db = filled(engine).unwrap();
    db.write(|tx| {
        earlier(tx)?;
        tx.set_meter(Some(Arc::new(Tripwire)));
        LEFT.set(calls);
        let outcome = catch_unwind(AssertUnwindSafe(|| step(tx)));
        LEFT.set(u64::MAX);
        assert!(outcome.is_err(), "{name} has no call {calls}");
        step(tx)
    })
    .unwrap();
    let expected = filled(engine).unwrap();
    expected.write(|tx| earlier(tx).and_then(|()| step(tx))).unwrap();
    assert_eq!(dump(&db).unwrap(), dump(&expected).unwrap(), "{name}, call {calls}");
}

#[test]
fn a_panic_of_user_code_leaves_nothing_of_a_write() {
    for engine in ENGINES {
        for step in STEPS.iter().chain(CLAIMED) {
            panics_everywhere(engine, *step, false);
        }
    }
    let panicked: Vec<_> = PANICKED.with_borrow(|panicked| panicked.iter().copied().collect());
    let callbacks = [
        "as_bytes",
        "attempt",
        "decode",
        "encode",
        "encode_owned",
        "into key",
        "into_owned",
        "kind",
        "ticket",
        "update",
        "walk",
    ];
    assert_eq!(panicked, callbacks);
}

/// A meter is called for every row that is read or written, so this panics between all of them.
#[test]
fn a_panic_of_a_meter_leaves_nothing_of_a_write() {
    for engine in ENGINES {
        for step in STEPS.iter().chain(CLAIMED) {
            let panics = panics_everywhere(engine, *step, true);
            assert!(panics > 0, "{}: no operation was charged", step.0);
            commits_after_a_panic(engine, *step, panics / 2);
            commits_after_a_panic(engine, *step, panics - 1);
        }
    }
}

/// A walk guarantees no more than its closure: written rows stay, each one complete.
#[test]
fn a_panic_in_a_walk_leaves_whole_rows() -> Outcome {
    for engine in ENGINES {
        for calls in 0..20 {
            let db = filled(engine)?;
            db.write(|tx| {
                LEFT.set(calls);
                let walk = AssertUnwindSafe(|| {
                    ORDERS.prefix_all().walk(tx, |tx, row| {
                        user_code("walk");
                        let value = row.value()?;
                        ORDERS.put(tx, row.key, Order { kind: 7, ..value })
                    })
                });
                assert!(catch_unwind(walk).is_err());
                LEFT.set(u64::MAX);
                Ok::<(), Error>(())
            })?;
            dump(&db)?;
        }
    }
    Ok(())
}

/// A score that cannot be decoded is detected before the write that returns it.
#[test]
fn a_damaged_score_refuses_the_write_that_would_return_it() -> Outcome {
    let db = filled(ENGINES[0])?;
    let things = StoreId::of("things");
    let rows = db.read()?.rows(things, KeyRange::all())?.to_vec()?;
    let score = 3_u64.to_be_bytes();
    let member = rows.iter().find(|(key, value)| key.ends_with(&score) && **value == score);
    let (member, _) = member.ok_or("no record of the member 3")?;
    let mut tx = db.begin(Mode::Write)?;
    tx.put(things, member, b"no score")?;
    tx.put(things, member, b"none")?;
    let before = tx.changes().clone();
    for refused in [BOARD.add(&mut tx, 1, 3_u64, 9_u64), BOARD.remove(&mut tx, 1, 3_u64)] {
        let error = refused.err().ok_or("it was written")?;
        assert!(matches!(error.kind(), ErrorKind::CorruptValue { .. }), "{error}");
    }
    assert_eq!(tx.changes(), &before);
    Ok(())
}
