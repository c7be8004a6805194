//! The law that the language is exactly what encode produces and decode accepts.

use crate::{hex, specimens::Specimens};

/// Checks that words of the language decode and encode to themselves, and that encodings are words.
pub(crate) fn every_word_is_an_encoding(specimens: &mut Specimens<'_>) {
    for (value, bytes) in &specimens.encoded {
        assert!(specimens.over.accepts(bytes), "{}: {value:?} is no word", specimens.text);
    }
    let mut words = specimens.words.clone();
    words.extend(specimens.walks());
    for word in words {
        let text = &specimens.text;
        let value = match specimens.codec.decode(&word) {
            Ok(value) => value,
            Err(error) => panic!("{text}: the word {} does not decode: {error}", hex(&word)),
        };
        let mut again = Vec::new();
        assert_eq!(specimens.codec.encode(&value, &mut again), Ok(()), "{text}: {}", hex(&word));
        assert!(again == word, "{text}: {} comes back as {}", hex(&word), hex(&again));
    }
}

/// Checks that for bytes that are almost an encoding, decode and the automaton agree.
pub(crate) fn near_misses_are_rejected_consistently(specimens: &mut Specimens<'_>) {
    let step = specimens.encoded.len().div_ceil(24);
    let originals: Vec<Vec<u8>> =
        specimens.encoded.iter().step_by(step).map(|(_, bytes)| bytes.clone()).collect();
    for word in originals {
        let many = word.len().div_ceil(24).max(1);
        for at in (0..=word.len()).step_by(many) {
            changed(&word, at).iter().for_each(|miss| judged_alike(specimens, miss));
        }
    }
    for _ in 0..200 {
        let noise = specimens.noise(0..24);
        judged_alike(specimens, &noise);
    }
}

/// Returns `word` with a byte removed, inserted or changed at one position.
fn changed(word: &[u8], at: usize) -> Vec<Vec<u8>> {
    let (head, tail) = word.split_at(at);
    let mut misses = Vec::new();
    for byte in [0x00, 0x01, b'-', b'0', b'1', b'A', b'a', b'f', 0x7f, 0x80, 0xc3, 0xff] {
        misses.push([head, &[byte], tail].concat());
        misses.push([head, &[byte], tail.get(1..).unwrap_or_default()].concat());
    }
    if let Some((&byte, rest)) = tail.split_first() {
        misses.push([head, rest].concat());
        misses.push([head, &[byte.wrapping_add(1)], rest].concat());
        misses.push([head, &[byte.wrapping_sub(1)], rest].concat());
        misses.push([head, &[byte ^ 0x20], rest].concat());
    }
    misses.push(head.to_vec());
    misses
}

fn judged_alike(specimens: &Specimens<'_>, word: &[u8]) {
    let Specimens { codec, text, over, under, .. } = specimens;
    match codec.decode(word) {
        Ok(value) => {
            let mut again = Vec::new();
            let encoded = codec.encode(&value, &mut again);
            assert_eq!(encoded, Ok(()), "{text}: {} decodes to {value:?}", hex(word));
            let two = again != *word;
            assert!(!two, "{text}: {value:?} has two encodings: {} {}", hex(word), hex(&again));
            assert!(over.accepts(word), "{text}: {} decodes but is no word", hex(word));
        }
        Err(_) => assert!(!under.accepts(word), "{text}: the word {} is refused", hex(word)),
    }
}
