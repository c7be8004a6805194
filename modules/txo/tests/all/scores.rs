//! Exact scores, and the ranges of documented ones.

use keyscape::traits::Field;
use keyscape_txo::{
    layout::txo::{MerkleState, Score},
    score::{BadScore, Documented, confirmed, documented, seen},
};
use proptest::prelude::*;
use serde_json::Value;
use std::{fs, path::Path};

fn vectors() -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = path.join("../../testing/corpus/golden/onesat_scores.json");
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn bits(vector: &Value) -> Option<f64> {
    let bits = vector["score_f64_bits"].as_str()?;
    Some(f64::from_bits(u64::from_str_radix(bits, 16).unwrap()))
}

#[test]
fn documented_scores_are_those_of_the_vectors_and_read_back() {
    let (mut exact, mut ambiguous) = (0, 0);
    for vector in vectors() {
        let Some(float) = bits(&vector) else { continue };
        let score = match (vector["height"].as_u64(), vector["unix_nano"].as_u64()) {
            (Some(height), _) => {
                confirmed(u32::try_from(height).unwrap(), vector["idx"].as_u64().unwrap())
            }
            (None, Some(nanoseconds)) => seen(nanoseconds),
            (None, None) => panic!("{vector}"),
        };
        assert_eq!(documented(score).to_bits(), float.to_bits(), "{vector}");
        match (Documented::read(float).unwrap(), score) {
            (Documented::Confirmed { first, last }, Score::Confirmed { at }) => {
                assert!(first <= at && at <= last, "{vector}");
            }
            (Documented::Seen { first, last }, Score::Unconfirmed { nanoseconds }) => {
                assert!(first <= nanoseconds && nanoseconds <= last, "{vector}");
                assert!(last - first > 100, "a time is known to some 238 nanoseconds");
            }
            // The document distinguishes heights from times by their size.
            (Documented::Seen { .. }, Score::Confirmed { at }) => {
                assert_eq!(at.height, u32::MAX, "{vector}");
            }
            (known, _) => panic!("{vector}: {known:?}"),
        }
        match Documented::read(float).unwrap().exact() {
            Ok(known) => {
                assert_eq!(known, score, "{vector}");
                exact += 1;
            }
            Err(_) => ambiguous += 1,
        }
    }
    assert_eq!((exact, ambiguous), (7, 6));
}

#[test]
fn indexes_that_share_a_documented_score_are_an_error_that_names_them() {
    let error = Documented::read(8_388_608.000_000_002).unwrap().exact().unwrap_err();
    let BadScore::Ambiguous(Documented::Confirmed { first, last }) = error else {
        panic!("{error}")
    };
    assert_eq!((first.height, last.height), (8_388_608, 8_388_608));
    assert!(first.index <= 1 && last.index >= 2, "{error}");
    for nothing in [f64::NAN, f64::INFINITY, -1.0, -0.0, 0.0, 0.5] {
        assert!(matches!(Documented::read(nothing), Err(BadScore::Nothing(_))), "{nothing}");
    }
}

fn any_score() -> impl Strategy<Value = Score> {
    prop_oneof![
        (any::<u32>(), any::<u64>()).prop_map(|(height, index)| confirmed(height, index)),
        any::<u64>().prop_map(seen),
        (0..3_u32, 0..3_u64).prop_map(|(height, index)| confirmed(height, index)),
        (0..3_u64).prop_map(seen),
    ]
}

fn bytes(score: Score) -> Vec<u8> {
    let mut out = Vec::new();
    Score::encode(&score, &mut out).unwrap();
    out
}

proptest! {
    #[test]
    fn every_score_comes_back_and_bytes_are_in_the_order_of_scores(
        a in any_score(),
        b in any_score(),
    ) {
        prop_assert_eq!(Score::decode(&bytes(a)).unwrap(), a);
        prop_assert_eq!(bytes(a).cmp(&bytes(b)), a.cmp(&b));
    }

    #[test]
    fn confirmed_comes_before_unconfirmed(
        height in any::<u32>(), index in any::<u64>(), nanoseconds in any::<u64>(),
    ) {
        prop_assert!(bytes(confirmed(height, index)) < bytes(seen(nanoseconds)));
    }

    #[test]
    fn documented_scores_of_heights_that_floats_can_tell_are_exact(
        height in 1..8_388_608_u32, index in 0..1_000_000_000_u64,
    ) {
        let known = Documented::read(documented(confirmed(height, index))).unwrap();
        prop_assert_eq!(known.exact().unwrap(), Score::Confirmed { at: MerkleState { height, index } });
    }
}
