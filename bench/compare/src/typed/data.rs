//! The stored rows, and their bytes in handwritten code.

use super::Note;
use fastrand::Rng;
use keyscape_bench::inputs::COUNT;

/// The number of users.
pub const USERS: u64 = 6_400;
/// The number of rows of a user.
pub const EACH: u64 = 10;
/// The length of a value in bytes.
pub const VALUE: usize = 64;
/// The number of rows that a dirty transaction has written.
const PENDING: usize = 1_000;

/// The key of a row: a user and an order.
pub type Key = (u64, u64);
/// The bytes of a key.
pub type KeyBytes = [u8; 18];

/// Returns the id of a user. Consecutive users are not adjacent in the store. The last byte is
/// never FF, because storey 0.5 cannot scan below such a prefix.
fn user(number: u64) -> u64 {
    number.wrapping_mul(0x9e37_79b9_7f4a_7c15) & !1
}

/// Returns all keys, unsorted.
pub fn keys() -> impl Iterator<Item = Key> {
    (0..USERS).flat_map(|number| (0..EACH).map(move |order| (user(number), order * 1_000)))
}

/// Returns the keys of a batch: random existing rows, the same for every side.
#[must_use]
pub fn some_keys() -> Vec<Key> {
    random_keys(COUNT, 0x726f_7773)
}

/// Returns the keys of a batch with their values.
#[must_use]
pub fn some_rows() -> Vec<(Key, [u8; VALUE])> {
    some_keys().into_iter().map(|key| (key, value(key))).collect()
}

/// Returns the keys that a dirty transaction has written. Few of them are in [`some_keys`].
#[must_use]
pub fn pending_keys() -> Vec<Key> {
    random_keys(PENDING, 0x6469_7274)
}

/// Returns the keys of a batch with values in JSON.
#[must_use]
pub fn some_notes() -> Vec<(Key, Note)> {
    some_keys().into_iter().map(|key| (key, Note::of(key))).collect()
}

fn random_keys(count: usize, seed: u64) -> Vec<Key> {
    let mut rng = Rng::with_seed(seed);
    let key = |rng: &mut Rng| (user(rng.u64(..USERS)), rng.u64(..EACH) * 1_000);
    (0..count).map(|_| key(&mut rng)).collect()
}

/// Returns the value for a key.
#[must_use]
pub fn value((user, order): Key) -> [u8; VALUE] {
    let mut rng = Rng::with_seed(user ^ order);
    std::array::from_fn(|_| rng.u8(..))
}

/// Encodes a key with handwritten code.
#[must_use]
pub fn by_hand(prefix: u8, (first, second): Key) -> KeyBytes {
    let mut key = [0; 18];
    key[0] = prefix;
    key[1] = b'/';
    key[2..10].copy_from_slice(&first.to_be_bytes());
    key[10..].copy_from_slice(&second.to_be_bytes());
    key
}

/// Decodes a key with handwritten code.
#[must_use]
pub fn read_by_hand(key: &[u8]) -> Option<Key> {
    let rest: &[u8; 16] = key.strip_prefix(b"o/")?.try_into().ok()?;
    let number = u128::from_be_bytes(*rest);
    Some(((number >> 64) as u64, number as u64))
}

/// Returns the inclusive lower and the exclusive upper bound of the keys of a user.
#[must_use]
pub fn bounds_by_hand(user: u64) -> ([u8; 10], [u8; 10]) {
    let bound = |user: u64| {
        let mut key = *b"o/........";
        key[2..].copy_from_slice(&user.to_be_bytes());
        key
    };
    // No user has the greatest id, so this does not overflow.
    (bound(user), bound(user + 1))
}
