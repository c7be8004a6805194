//! Plausible values of a field, derived from its name.
//!
//! A name is only a hint. A value is used only if the codec encodes it and decodes it again.

use crate::model::Leaf;
use keyscape_codec::{Kind, Shown, Value, Values};

/// The first second of 2026, in seconds since 1970.
const NEW_YEAR: u64 = 1_767_225_600;

/// Words in field names, separated by spaces, and texts that such fields contain.
const TEXTS: &[(&str, &[&str])] = &[
    (
        "account address approver author buyer client creator customer friend issuer login member \
         name owner payer person player provider receiver recipient requester seller sender \
         spender trader user username validator voter",
        &["alice", "bob", "carol", "dave", "erin"],
    ),
    ("coin currency denom denomination", &["uatom", "uosmo", "stake"]),
    ("asset symbol ticker", &["ATOM", "OSMO", "atom", "osmo"]),
    ("email mail", &["alice@example.org", "bob@example.org"]),
    ("channel queue room stream topic", &["news", "sport", "news-channel"]),
    ("category group label tag", &["urgent", "home", "later"]),
    ("metric sensor series", &["cpu.load", "disk.used", "cpu", "disk"]),
    ("domain host hostname server", &["db1.example.org", "db2.example.org", "db1"]),
    ("ip", &["192.0.2.1", "198.51.100.7"]),
    ("link uri url", &["https://example.org/", "example.org"]),
    ("file folder path", &["docs/readme.md", "docs", "readme"]),
    ("company organisation organization shop tenant", &["acme", "globex"]),
    ("city place", &["Paris", "Lima", "paris"]),
    ("country region", &["FR", "PE", "fr"]),
    ("lang language locale", &["en", "fr"]),
    ("body comment message note text title", &["hello", "goodbye"]),
    ("state status", &["open", "closed"]),
    ("version", &["1.4.2", "1.5.0"]),
];

/// Words in field names, separated by spaces, and numbers that such fields contain.
const NUMBERS: &[(&str, &[u64])] = &[
    ("block height slot", &[1200, 1201]),
    (
        "amount balance bytes fee price quantity size stake supply total value volume weight",
        &[2500, 100, 25],
    ),
    ("year", &[2026]),
    ("month", &[3]),
    // The first number counts since 1970. The second one is within a month, a day or an hour.
    ("day", &[NEW_YEAR / 86_400, 15]),
    ("hour", &[NEW_YEAR / 3_600, 14]),
    ("minute", &[NEW_YEAR / 60, 30]),
    ("millis milliseconds ms", &[NEW_YEAR * 1_000]),
    ("micros microseconds us", &[NEW_YEAR * 1_000_000]),
    ("nanos nanoseconds ns", &[NEW_YEAR * 1_000_000_000]),
    (
        "at created date deadline due end expires expiry seconds seen since start time timeout \
         timestamp until updated",
        &[NEW_YEAR, NEW_YEAR + 3_600],
    ),
    ("port", &[8080, 443]),
    ("percent score", &[50, 75]),
];

/// Words in names of fields that contain digests.
const DIGESTS: &[&str] = &["checksum", "digest", "hash", "leaf", "proof", "root", "txid"];

/// Returns a value for a field with this name. Avoids the values in `used`, so the fields of
/// one example differ.
pub(super) fn value(name: &str, leaf: &Leaf, used: &[Value]) -> Option<Value> {
    let fitting: Vec<Value> =
        candidates(name, leaf).into_iter().filter(|value| fits(leaf, value)).collect();
    let fresh = fitting.iter().find(|value| !used.contains(value));
    fresh.or(fitting.first()).cloned()
}

/// Whether a codec can encode a value and decodes the same value.
fn fits(leaf: &Leaf, value: &Value) -> bool {
    let bytes = leaf.codec.encoding(value);
    bytes.is_ok_and(|bytes| leaf.codec.decode(&bytes).as_ref() == Ok(value))
}

fn candidates(name: &str, leaf: &Leaf) -> Vec<Value> {
    match leaf.codec.kind() {
        Kind::Uint => numbers(name).into_iter().map(|number| Value::uint(number.into())).collect(),
        Kind::Int => {
            // A codec with its own domain of integers stores nanoseconds since 1970.
            let is_time = leaf.codec.describe().base().values == Values::Own;
            let time = is_time.then_some(i128::from(NEW_YEAR) * 1_000_000_000);
            time.into_iter()
                .chain(numbers(name).into_iter().map(i128::from))
                .map(Value::Int)
                .collect()
        }
        Kind::Float => {
            let numbers = numbers(name).into_iter().filter_map(|number| u32::try_from(number).ok());
            numbers.map(|number| Value::Float(number.into())).collect()
        }
        Kind::Text => texts(name).into_iter().map(Value::Text).collect(),
        Kind::Bytes if leaf.shown == Some(Shown::Utf8) => {
            texts(name).into_iter().map(|text| Value::Bytes(text.into_bytes())).collect()
        }
        Kind::Bytes => binary(name),
        Kind::Bool => vec![Value::Bool(true)],
        Kind::Pair => Vec::new(),
    }
}

/// Returns the entry for the last word of a name that the table contains.
fn find<T>(table: &[(&str, &'static [T])], name: &str) -> &'static [T] {
    let entry =
        |word: &str| table.iter().find(|(words, _)| words.split(' ').any(|known| known == word));
    name.split('_').rev().find_map(entry).map_or(&[], |(_, values)| *values)
}

fn numbers(name: &str) -> Vec<u64> {
    // Small numbers are plausible ids, positions and counts.
    find(NUMBERS, name).iter().copied().chain(1..=9).collect()
}

fn texts(name: &str) -> Vec<String> {
    let mut texts: Vec<String> = find(TEXTS, name).iter().map(|text| (*text).to_owned()).collect();
    let plain = name.replace('_', "");
    texts.extend((1..=3).map(|number| format!("{plain}{number}")));
    texts.push(name.to_owned());
    texts.extend(numbers(name).iter().map(u64::to_string));
    // Add digests and identifiers as text.
    texts.extend((1..=3).map(|seed| keyscape_codec::hex::digits(&scattered(32, seed))));
    texts
}

fn binary(name: &str) -> Vec<Value> {
    let is_digest = name.split('_').any(|word| DIGESTS.contains(&word));
    // These are the lengths of digests, addresses, addresses after a version byte, and small ids.
    let lengths: [usize; 6] =
        if is_digest { [32, 20, 64, 16, 8, 4] } else { [20, 21, 8, 4, 32, 16] };
    let of_length = |length: usize| {
        (1..=3).map(move |seed| {
            let mut bytes = scattered(length, seed);
            if let (21, Some(version)) = (length, bytes.first_mut()) {
                *version = 0;
            }
            Value::Bytes(bytes)
        })
    };
    lengths.into_iter().flat_map(of_length).collect()
}

/// Returns bytes that look like a digest.
fn scattered(length: usize, seed: u64) -> Vec<u8> {
    // Uses a linear congruential generator. Only its upper bits look random.
    let mut state = seed;
    let next = || {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        state.to_be_bytes()[0]
    };
    std::iter::repeat_with(next).take(length).collect()
}
