//! What is stored, and the bytes of it that code by hand would write.

use fastrand::Rng;
use std::fmt::Debug;

/// How many users there are.
pub const USERS: u64 = 6_400;
/// How many rows a user has.
pub const EACH: u64 = 10;
/// How many bytes a value has.
pub const VALUE: usize = 64;
/// How many rows a dirty transaction has written.
const PENDING: usize = 1_000;

/// The key of a row.
pub type Key = (u64, u64);
/// Its bytes.
pub type KeyBytes = [u8; 18];

/// The number of a user; neighbours in time are not neighbours in the store. It never ends with FF,
/// because storey 0.5 cannot scan below such a prefix.
fn user(number: u64) -> u64 {
    number.wrapping_mul(0x9e37_79b9_7f4a_7c15) & !1
}

/// All keys, in no order.
pub fn keys() -> impl Iterator<Item = Key> {
    (0..USERS).flat_map(|number| (0..EACH).map(move |order| (user(number), order * 1_000)))
}

/// Some keys of rows that are there, the same ones for every side.
#[must_use]
pub fn some_keys(count: usize) -> Vec<Key> {
    random_keys(count, 0x726f_7773)
}

/// The keys that a dirty transaction has written: few of those that are asked for are among them.
#[must_use]
pub fn pending_keys() -> Vec<Key> {
    random_keys(PENDING, 0x6469_7274)
}

fn random_keys(count: usize, seed: u64) -> Vec<Key> {
    let mut rng = Rng::with_seed(seed);
    let key = |rng: &mut Rng| (user(rng.u64(..USERS)), rng.u64(..EACH) * 1_000);
    (0..count).map(|_| key(&mut rng)).collect()
}

/// The value of a row.
#[must_use]
pub fn value((user, order): Key) -> [u8; VALUE] {
    let mut rng = Rng::with_seed(user ^ order);
    std::array::from_fn(|_| rng.u8(..))
}

/// A key as one would write it by hand.
#[must_use]
pub fn by_hand(prefix: u8, (first, second): Key) -> KeyBytes {
    let mut key = [0; 18];
    key[0] = prefix;
    key[1] = b'/';
    key[2..10].copy_from_slice(&first.to_be_bytes());
    key[10..].copy_from_slice(&second.to_be_bytes());
    key
}

/// What a key says, as one would read it by hand; `None` if it is none.
#[must_use]
pub fn read_by_hand(key: &[u8]) -> Option<Key> {
    let rest: &[u8; 16] = key.strip_prefix(b"o/")?.try_into().ok()?;
    let number = u128::from_be_bytes(*rest);
    Some(((number >> 64) as u64, number as u64))
}

/// Where the keys of a user begin, and what is above them.
#[must_use]
pub fn bounds_by_hand(user: u64) -> ([u8; 10], [u8; 10]) {
    let bound = |user: u64| {
        let mut key = *b"o/........";
        key[2..].copy_from_slice(&user.to_be_bytes());
        key
    };
    // No user has the greatest number.
    (bound(user), bound(user + 1))
}

/// What must not fail: a comparison in which something fails compares nothing.
pub fn ok<T, E: Debug>(result: Result<T, E>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("{error:?}"),
    }
}

/// What must be there.
pub fn there<T>(value: Option<T>) -> T {
    match value {
        Some(value) => value,
        None => panic!("a row is missing"),
    }
}

/// Something that lives as long as the program, since what is measured borrows from it.
pub fn kept<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}
