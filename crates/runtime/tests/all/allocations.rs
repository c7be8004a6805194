//! Tests that typed access allocates no more than the same calls on the store, and nothing for
//! keys.

use allocation_counter::measure;
use keyscape_codec::{KeyBuf, Malformed, Sink, fixed};
use keyscape_runtime::{
    Be, By, DomainError, Field, Keyspace, Map, MapRows, Prefix, Rows, ScanRows, Text, ValueForm,
};
use keyscape_store::{Db, KeyRange, Memory, Mode, Read, Spaces, StoreId, Tx};
use std::marker::PhantomData;

const STORE: StoreId = StoreId::of("bank");
const ROWS: u64 = 1_000;

/// `map … = "b" {owner: u64be} {denom: text(…)} -> …`: the denomination is borrowed from the key.
#[derive(Debug)]
struct Balances<V>(PhantomData<V>);

impl<V> Clone for Balances<V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<V> Copy for Balances<V> {}

trait Form: ValueForm + std::fmt::Debug + Send + Sync {}

impl Form for Be<u64> {}
impl Form for Text {}

impl<V: Form> Keyspace for Balances<V> {
    const NAME: &'static str = "balances";
    const SPACE: &'static str = "bank";
    type Buffer = KeyBuf<64>;
    type Key<'k> = (u64, &'k str);

    fn encode(key: &(u64, &str), out: &mut impl Sink) -> Result<(), DomainError> {
        out.put(b"b");
        fixed::put_be(key.0, out);
        out.put(key.1.as_bytes());
        Ok(())
    }

    fn decode(bytes: &[u8]) -> Result<(u64, &str), Malformed> {
        let mut rest = bytes.strip_prefix(b"b").ok_or(Malformed { reason: "not such a key" })?;
        let owner = fixed::take_be(&mut rest)?;
        let denom = str::from_utf8(rest).map_err(|_| Malformed { reason: "not UTF-8" })?;
        Ok((owner, denom))
    }

    fn into_owned((owner, _): (u64, &str)) -> (u64, &'static str) {
        (owner, "")
    }
}

impl<V: Form> Rows for Balances<V> {
    type Value = V;
}

impl<V: Form> MapRows for Balances<V> {
    const PREFIX: &'static [u8] = b"b";
    type Indexes = ();
}

struct ByOwner;

impl<V: Form> ScanRows<Balances<V>> for ByOwner {
    const NAME: &'static str = "owner";
}

struct Denom;

impl Field for Denom {
    type View<'k> = &'k str;

    fn encode(view: &&str, out: &mut impl Sink) -> Result<(), DomainError> {
        out.put(view.as_bytes());
        Ok(())
    }

    fn decode(bytes: &[u8]) -> Result<&str, Malformed> {
        str::from_utf8(bytes).map_err(|_| Malformed { reason: "not UTF-8" })
    }

    fn into_owned(_: &str) -> &'static str {
        ""
    }
}

impl<V: Form> By<Balances<V>> for ByOwner {
    type Field = Denom;
    const LAST: bool = true;
}

const NUMBERS: Map<Balances<Be<u64>>> = Map::new();
const TEXTS: Map<Balances<Text>> = Map::new();

fn of_owner<V: Form>(owner: u64) -> Prefix<Balances<V>, ByOwner> {
    Prefix::<Balances<V>, ByOwner>::new(|out| {
        out.put(b"b");
        fixed::put_be(owner, out);
        Ok(())
    })
}

fn key(owner: u64) -> Vec<u8> {
    [b"b", &owner.to_be_bytes()[..], b"atom"].concat()
}

fn database() -> Db {
    Db::new(Memory::new(Spaces::new(["bank"]).expect("a name")))
}

fn allocations(run: impl FnOnce()) -> u64 {
    measure(run).count_total
}

/// Returns the number of allocations of one write to each row, all in one transaction.
fn writing(db: &Db, mut write: impl FnMut(&mut Tx<'_>, u64)) -> u64 {
    let mut tx = db.begin(Mode::Write).expect("a transaction");
    // The first write is not counted, because it registers the store and fills reused buffers.
    write(&mut tx, ROWS);
    allocations(|| (0..ROWS).for_each(|owner| write(&mut tx, owner)))
}

#[test]
fn a_put_allocates_for_the_write_set_alone() {
    let db = database();
    let keys: Vec<Vec<u8>> = (0..=ROWS).map(key).collect();
    let raw = writing(&db, |tx, owner| {
        tx.put(STORE, &keys[owner as usize], &owner.to_be_bytes()).expect("a put");
    });
    let typed = writing(&db, |tx, owner| NUMBERS.put(tx, (owner, "atom"), owner).expect("a put"));
    assert_eq!(typed, raw);
    // One allocation per value. The rest are nodes of the write set, which contain short keys
    // inline.
    assert!((ROWS..ROWS + ROWS / 4).contains(&typed), "{typed}");
    let long = "x".repeat(500);
    let typed = writing(&db, |tx, owner| TEXTS.put(tx, (owner, "atom"), &long).expect("a put"));
    assert_eq!(typed, raw);
}

#[test]
fn a_delete_allocates_for_the_write_set_alone() {
    let db = database();
    let keys: Vec<Vec<u8>> = (0..=ROWS).map(key).collect();
    let raw = writing(&db, |tx, owner| tx.delete(STORE, &keys[owner as usize]).expect("a delete"));
    let typed = writing(&db, |tx, owner| NUMBERS.delete(tx, (owner, "atom")).expect("a delete"));
    assert_eq!(typed, raw);
}

#[test]
fn a_get_allocates_nothing() {
    let db = database();
    db.write(|tx| (0..ROWS).try_for_each(|owner| NUMBERS.put(tx, (owner, "atom"), owner)))
        .expect("rows");
    let state = db.read().expect("a state");
    let get = allocations(|| {
        for owner in 0..ROWS {
            let there = NUMBERS.get(&state, (owner, "atom")).expect("a get");
            assert_eq!(there, Some(owner));
            assert!(!NUMBERS.contains(&state, (owner, "osmo")).expect("a get"));
        }
    });
    assert_eq!(get, 0);

    let db = database();
    db.write(|tx| TEXTS.put(tx, (1, "atom"), "seven")).expect("a row");
    let state = db.read().expect("a state");
    let borrowed = allocations(|| {
        let length = TEXTS.get_with(&state, (1, "atom"), str::len).expect("a get");
        assert_eq!(length, Some(5));
    });
    assert_eq!(borrowed, 0);
}

#[test]
fn a_scan_allocates_as_much_as_the_cursor_of_the_engine() {
    let db = database();
    db.write(|tx| {
        for denom in ["atom", "ion", "osmo", "usdc"] {
            (0..ROWS).try_for_each(|owner| TEXTS.put(tx, (owner, denom), denom))?;
        }
        Ok::<(), keyscape_runtime::Error>(())
    })
    .expect("rows");
    let state = db.read().expect("a state");
    let (start, end) = (key(7), [b"b", &8_u64.to_be_bytes()[..]].concat());
    let raw = |range: KeyRange<'_>| {
        allocations(|| {
            let mut rows = state.rows(STORE, range).expect("rows");
            while rows.next().expect("a row").is_some() {}
        })
    };
    let typed = |prefix: fn() -> Prefix<Balances<Text>, ByOwner>, count: usize| {
        allocations(|| {
            let mut scan = prefix().scan(&state).expect("a scan");
            let mut seen = 0;
            while let Some(row) = scan.next_row().expect("a row") {
                assert_eq!(row.key.1, row.value().expect("a value"));
                seen += 1;
            }
            assert_eq!(seen, count);
        })
    };
    use std::ops::Bound::{Excluded, Included};
    let one = raw(KeyRange::new(Included(&start[..9]), Excluded(&end)));
    assert_eq!(typed(|| of_owner(7), 4), one);
    assert_eq!(typed(|| of_owner(7).range("b"..="osmo"), 2), one);
    assert_eq!(typed(|| of_owner(7).reverse().limit(3), 3), one);
}
