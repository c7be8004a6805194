//! The laws of codecs.

use crate::{codec, description, membership, order, specimens::Specimens};
use keyscape_automata::Budget;
use keyscape_codec::{Codec, IntRange, Loss, Uint, Value};

/// Checks that `codec` satisfies every law of the contract: round trips, membership in both
/// directions, order, loss, lengths, narrower domains, and its description.
///
/// # Panics
/// If a law does not hold.
pub fn laws(codec: &dyn Codec) {
    let mut specimens = Specimens::of(codec);
    names_itself(&specimens);
    description::holds(&specimens);
    round_trips(&specimens);
    other_kinds_are_refused(&specimens);
    membership::every_word_is_an_encoding(&mut specimens);
    membership::near_misses_are_rejected_consistently(&mut specimens);
    order::holds(&specimens);
    lengths_hold(&specimens);
    narrower_domains_hold(&specimens);
}

/// Checks that a codec can be built again from its text.
fn names_itself(specimens: &Specimens<'_>) {
    assert_eq!(codec(&specimens.text).text(), specimens.text);
    assert!(!specimens.codec.allowed().is_empty());
}

fn round_trips(specimens: &Specimens<'_>) {
    let Specimens { codec, text, .. } = specimens;
    let lossless = codec.lossless();
    for (value, bytes) in &specimens.encoded {
        let back = codec.decode(bytes);
        if lossless == Loss::None {
            assert_eq!(back.as_ref(), Ok(value), "{text}: a value does not come back");
        }
        let mut again = Vec::from(*b"before");
        let encoded = back.map(|value| codec.encode(&value, &mut again));
        assert_eq!(encoded, Ok(Ok(())), "{text}: {value:?}");
        assert_eq!(&again[6..], bytes, "{text}: bytes do not come back");
    }
    if let Loss::Lossy { a, b } = lossless {
        let (mut left, mut right) = (Vec::new(), Vec::new());
        let encoded = (codec.encode(&a, &mut left), codec.encode(&b, &mut right));
        assert_eq!(encoded, (Ok(()), Ok(())), "{text}: the lossy pair does not encode");
        assert!(a != b && left == right, "{text}: the lossy pair is not one");
    }
}

fn other_kinds_are_refused(specimens: &Specimens<'_>) {
    let Specimens { codec, text, .. } = specimens;
    let others = [
        Value::uint(1),
        Value::Int(1),
        Value::Float(1.0),
        Value::Text("a".into()),
        Value::Bytes(b"a".to_vec()),
        Value::Bool(true),
        Value::Pair(Uint::ONE, Uint::ONE),
    ];
    let mine = specimens.encoded.first().map(|(value, _)| std::mem::discriminant(value));
    for other in others.iter().filter(|other| Some(std::mem::discriminant(*other)) != mine) {
        let mut out = b"before".to_vec();
        assert!(codec.encode(other, &mut out).is_err(), "{text}: {other:?} is accepted");
        assert_eq!(out, b"before", "{text}: something is written on an error");
    }
}

fn lengths_hold(specimens: &Specimens<'_>) {
    let Specimens { codec, text, .. } = specimens;
    let longest = codec.longest();
    for (value, bytes) in &specimens.encoded {
        let fits = longest.is_none_or(|longest| bytes.len() <= longest);
        assert!(fits, "{text}: {value:?} is longer than {longest:?}");
    }
    if specimens.exact() {
        assert_eq!(longest, specimens.over.longest(), "{text}");
    }
    lengths_are_those_of_encodings(specimens);
}

/// Lengths up to this are compared with encodings.
const MAX_LENGTH: usize = 12;

/// Checks that a codec has an encoding of each length that it reports, and reports all lengths if
/// its language is exact.
fn lengths_are_those_of_encodings(specimens: &Specimens<'_>) {
    let Specimens { codec, text, .. } = specimens;
    let budget = Budget::default();
    let lengths = codec.lengths(MAX_LENGTH as u64, budget);
    let lengths = lengths.unwrap_or_else(|error| panic!("{text}: {error}"));
    for length in (0..MAX_LENGTH).chain(lengths.reaching().map(|length| length as usize)) {
        let found = codec.of_length(length, budget);
        let found = found.unwrap_or_else(|error| panic!("{text}: {error}"));
        if lengths.contains(length as u64) {
            assert!(found.is_some(), "{text}: no encoding has {length} bytes");
        }
        if let Some(encoding) = found {
            let decodes = codec.decode(&encoding).is_ok();
            assert!(encoding.len() == length && decodes, "{text}: {length} {encoding:02x?}");
        }
    }
    if specimens.exact() {
        for (value, bytes) in specimens.encoded.iter().filter(|(_, b)| b.len() < MAX_LENGTH) {
            assert!(lengths.contains(bytes.len() as u64), "{text}: the length of {value:?}");
        }
    }
}

fn narrower_domains_hold(specimens: &Specimens<'_>) {
    let Specimens { codec, text, .. } = specimens;
    let Some(range) = codec.integers() else { return };
    assert_eq!(codec.restrict(&range).map(|same| same.text()).as_ref(), Some(text));
    for (value, encoding) in specimens.encoded.iter().step_by(37).take(6) {
        let only = match *value {
            Value::Uint(n) => IntRange::Unsigned { low: n, high: n },
            Value::Int(n) => IntRange::Signed { low: n, high: n },
            _ => panic!("{text}: {value:?} is not an integer"),
        };
        let Some(narrow) = codec.restrict(&only) else { panic!("{text}: {value:?} is left out") };
        let mut out = Vec::new();
        assert_eq!(narrow.encode(value, &mut out), Ok(()), "{text}: {value:?}");
        assert_eq!(&out, encoding, "{text}: the encoding depends on the domain");
        for (other, bytes) in specimens.encoded.iter().filter(|(other, _)| other != value) {
            assert!(narrow.encode(other, &mut out).is_err(), "{text}: {other:?}");
            // Two values of a lossy codec can share an encoding.
            let shared = bytes == encoding;
            assert!(shared || narrow.decode(bytes).is_err(), "{text}: {other:?}");
        }
    }
}
