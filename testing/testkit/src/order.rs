//! The law of order.

use crate::{hex, specimens::Specimens};
use keyscape_codec::{Loss, Order, PrefixOrder, Value};
use std::cmp::Ordering;

/// The number of values, and of shortest words, that are compared with each other.
const COMPARED: usize = 140;

/// A value and its encoding.
type Row = (Value, Vec<u8>);

/// The claims of a codec that are compared with pairs of rows.
struct Claims {
    order: Order,
    lossless: bool,
    /// The total length of a misordered pair that claims to be the shortest.
    least: usize,
}

pub(crate) fn holds(specimens: &Specimens<'_>) {
    let rows = rows(specimens);
    let order = specimens.codec.order();
    let lossless = specimens.codec.lossless() == Loss::None;
    let mut least = 0;
    match &order {
        Order::Misordered { lower, higher, minimal } => {
            let total = misordered_bytes(specimens, lower, higher);
            least = if *minimal { total } else { 0 };
        }
        Order::Tied { lower, higher } => {
            assert_eq!(
                specimens.codec.compare(lower, higher),
                Ordering::Less,
                "{}",
                specimens.text
            );
            let (low, high) = (encoding(specimens, lower), encoding(specimens, higher));
            assert_eq!(hex(&low), hex(&high), "{}: {lower:?} {higher:?}", specimens.text);
        }
        Order::Ordered { .. } => {
            assert!(lossless, "{}: a tie", specimens.text);
        }
        Order::Unknown(_) => {}
    }
    let claims = Claims { order, lossless, least };
    for (index, a) in rows.iter().enumerate() {
        assert_eq!(specimens.codec.compare(&a.0, &a.0), Ordering::Equal, "{}", specimens.text);
        for b in rows.iter().skip(index) {
            pair_holds(specimens, &claims, a, b);
        }
    }
}

/// Returns sample values, random values, and the shortest words.
fn rows(specimens: &Specimens<'_>) -> Vec<Row> {
    let encoded = &specimens.encoded;
    let mut rows: Vec<Row> = encoded.iter().take(COMPARED / 2).cloned().collect();
    rows.extend(encoded.iter().rev().take(COMPARED / 2).cloned());
    for word in specimens.words.iter().take(COMPARED) {
        if let Ok(value) = specimens.codec.decode(word) {
            rows.push((value, word.clone()));
        }
    }
    rows
}

fn encoding(specimens: &Specimens<'_>, value: &Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    let encoded = specimens.codec.encode(value, &mut bytes);
    assert_eq!(encoded, Ok(()), "{}: {value:?}", specimens.text);
    bytes
}

/// Compares encodings at their first different byte.
fn at_a_byte(a: &[u8], b: &[u8]) -> Option<Ordering> {
    a.iter().zip(b).map(|(a, b)| a.cmp(b)).find(|order| order.is_ne())
}

/// Checks a misordered pair. Returns the total length of its encodings.
fn misordered_bytes(specimens: &Specimens<'_>, lower: &Value, higher: &Value) -> usize {
    let Specimens { codec, text, .. } = specimens;
    assert_eq!(codec.compare(lower, higher), Ordering::Less, "{text}: {lower:?} {higher:?}");
    let (low, high) = (encoding(specimens, lower), encoding(specimens, higher));
    assert_eq!(at_a_byte(&low, &high), Some(Ordering::Greater), "{text}: {lower:?} {higher:?}");
    low.len() + high.len()
}

fn pair_holds(specimens: &Specimens<'_>, claims: &Claims, a: &Row, b: &Row) {
    let Specimens { codec, text, .. } = specimens;
    let ((x, left), (y, right)) = (a, b);
    let logical = codec.compare(x, y);
    assert_eq!(logical.reverse(), codec.compare(y, x), "{text}: {x:?} {y:?}");
    let equal = if claims.lossless { left == right } else { x == y };
    assert_eq!(logical.is_eq(), equal, "{text}: {x:?} {y:?}");
    let nested = left != right && (left.starts_with(right) || right.starts_with(left));
    assert!(!(nested && specimens.prefix_free), "{text}: {x:?} {y:?} are not prefix-free");
    match logical {
        Ordering::Less => lower_holds(specimens, claims, a, b),
        Ordering::Greater => lower_holds(specimens, claims, b, a),
        Ordering::Equal => {}
    }
}

/// Checks the order of a lower and a higher value.
fn lower_holds(specimens: &Specimens<'_>, claims: &Claims, a: &Row, b: &Row) {
    let text = &specimens.text;
    let ((x, left), (y, right)) = (a, b);
    match (at_a_byte(left, right), &claims.order) {
        (Some(Ordering::Greater), Order::Ordered { .. }) => {
            panic!("{text}: {x:?} is below {y:?}, but {} is above {}", hex(left), hex(right))
        }
        (Some(Ordering::Greater), Order::Misordered { lower, higher, .. }) => {
            let total = left.len() + right.len();
            let shorter = total < claims.least;
            assert!(!shorter, "{text}: {x:?} {y:?} are shorter than {lower:?} {higher:?}");
        }
        (None, Order::Ordered { prefix }) if left != right => {
            let shorter_first = left.len() < right.len();
            let said = *prefix == PrefixOrder::ShorterFirst;
            assert_eq!(shorter_first, said, "{text}: {x:?} is below {y:?}, {prefix:?}");
        }
        _ => {}
    }
}
