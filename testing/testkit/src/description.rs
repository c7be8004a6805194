//! The law that the description of a codec is true.

use crate::specimens::Specimens;
use keyscape_automata::Budget;
use keyscape_codec::{Codec, Description, Direction, Kind, Value};
use std::{cmp::Ordering, sync::Arc};

/// The number of values that are compared with each other.
const COMPARED: usize = 120;

pub(crate) fn holds(specimens: &Specimens<'_>) {
    let (codec, text) = (specimens.codec, &specimens.text);
    let described = codec.describe();
    assert_eq!(described.to_string(), *text);
    let again = built(&described, text);
    assert_eq!(again.text(), *text);
    for (value, bytes) in &specimens.encoded {
        let mut out = Vec::new();
        assert_eq!(again.encode(value, &mut out), Ok(()), "{text}: {value:?}");
        assert_eq!(out, *bytes, "{text}: another codec is built");
    }
    takes_the_values_of_its_base(specimens, &described);
    let direction = described.direction();
    let values: Vec<&Value> = specimens.encoded.iter().map(|(value, _)| value).collect();
    for a in values.iter().take(COMPARED) {
        for b in values.iter().rev().take(COMPARED) {
            let natural = natural(a, b);
            let order = match direction {
                Direction::Ascending => natural,
                Direction::Descending => natural.reverse(),
            };
            assert_eq!(codec.compare(a, b), order, "{text} is {direction:?}: {a:?} {b:?}");
        }
    }
    let is_integer = matches!(codec.kind(), Kind::Uint | Kind::Int);
    assert!(is_integer || described.int_type().is_none(), "{text}");
}

fn takes_the_values_of_its_base(specimens: &Specimens<'_>, described: &Description) {
    let (codec, text) = (specimens.codec, &specimens.text);
    let base = built(described.base(), text);
    assert_eq!(base.kind(), codec.kind(), "{text}");
    for (value, _) in &specimens.encoded {
        let mut bytes = Vec::new();
        assert_eq!(base.encode(value, &mut bytes), Ok(()), "{text}: {} and {value:?}", base.text());
        let own = match value {
            Value::Text(text) => text.as_bytes(),
            Value::Bytes(bytes) => bytes,
            _ => continue,
        };
        let plain = described.base().is_plain();
        assert!(!plain || bytes == own, "{text}: {value:?} is not its own encoding");
    }
    for value in base.samples() {
        assert_eq!(codec.encode(&value, &mut Vec::new()), Ok(()), "{text}: {value:?}");
    }
}

fn built(described: &Description, text: &str) -> Arc<dyn Codec> {
    let built = described.build(Budget::default());
    built.unwrap_or_else(|error| panic!("{text}: {described} is not built: {error}"))
}

/// Compares two values of one kind in natural order.
fn natural(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Uint(a), Value::Uint(b)) => a.cmp(b),
        (Value::Int(a), Value::Int(b)) => a.cmp(b),
        (Value::Float(a), Value::Float(b)) => a.total_cmp(b),
        (Value::Text(a), Value::Text(b)) => a.cmp(b),
        (Value::Bytes(a), Value::Bytes(b)) => a.cmp(b),
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        (Value::Pair(a, b), Value::Pair(c, d)) => (a, b).cmp(&(c, d)),
        _ => panic!("{a:?} and {b:?} are of different kinds"),
    }
}
