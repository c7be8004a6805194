//! Scores: the floating-point numbers of the 1Sat store, and the exact ones that replace them.

use crate::layouts::{
    files::prove,
    golden::{bytes, keyspace},
};
use crate::{
    repository::{layout, text},
    values,
};
use keyscape_layout::Layout;
use keyscape_prover::{Rule, Verdict};
use serde_json::{Value as Json, json};

/// Returns a layout with scores as keys, which makes the claims about keys apply to scores.
fn as_keys(types: &str, score: &str) -> Layout {
    let source = format!(
        "import \"layouts/onesat/{types}\"\nstore scores\n\
         map scores = {{score: {score}}} {{member: Outpoint}} scan all by score, member"
    );
    layout("scores.keys", &source)
}

fn vectors() -> Vec<Json> {
    serde_json::from_str(&text("testing/corpus/golden/onesat_scores.json")).unwrap()
}

/// Encodes a score, and returns its key without the member.
fn encode(layout: &Layout, score: &Json) -> Result<Vec<u8>, String> {
    let found = layout.keyspace(keyspace(layout, "scores"));
    let outpoint = json!({"txid": "00".repeat(32), "vout": 0});
    let record = values::record(&found.key, &json!({"score": score, "member": outpoint}))?;
    let key = found.encode(&record).map_err(|error| error.to_string())?;
    Ok(key[..key.len() - 36].to_vec())
}

/// Returns the score that the original computes: the height plus a billionth for each index, or
/// seconds.
#[expect(clippy::cast_precision_loss, reason = "the loss is what these vectors show")]
fn origin(vector: &Json) -> f64 {
    let number = |name: &str| vector[name].as_u64();
    match (number("height"), number("idx"), number("unix_nano")) {
        (Some(height), Some(index), _) => height as f64 + index as f64 / 1e9,
        (_, _, Some(nanoseconds)) => nanoseconds as f64 / 1e9,
        _ => vector["score"].as_str().unwrap().parse().unwrap(),
    }
}

/// Returns the two integers of a score that is a sum.
fn pair(vector: &Json) -> Option<Json> {
    const SECOND: u64 = 1_000_000_000;
    match vector["unix_nano"].as_u64() {
        Some(nanoseconds) => Some(json!([nanoseconds / SECOND, nanoseconds % SECOND])),
        None => Some(json!([vector.get("height")?, vector.get("idx")?])),
    }
}

#[test]
fn every_golden_score_has_its_bytes_except_minus_zero() {
    let sums = ["documented.keys", "deployed.keys"].map(|types| as_keys(types, "HeightScore"));
    let numbers = as_keys("documented.keys", "f64");
    let (mut pairs, mut refused) = (0, Vec::new());
    for vector in vectors() {
        let score = origin(&vector);
        if let Some(bits) = vector.get("score_f64_bits") {
            assert_eq!(score.to_bits().to_be_bytes().to_vec(), bytes(bits), "{vector}");
        }
        let expected = bytes(&vector["badger_sortable_hex"]);
        match encode(&numbers, &json!(score.to_string())) {
            Ok(key) => assert_eq!(key, expected, "{vector}"),
            // The original decodes these bytes as NaN, which has no order.
            Err(_) => refused.push(vector["score"].clone()),
        }
        if let Some(pair) = pair(&vector) {
            for layout in &sums {
                assert_eq!(encode(layout, &pair).as_ref(), Ok(&expected), "{vector}");
                pairs += 1;
            }
        }
    }
    assert_eq!(refused, ["-0.0"]);
    assert_eq!(pairs, 26, "ten heights and three times, in both layouts");
}

#[test]
fn scores_of_the_sound_layout_are_proved_to_sort_and_those_of_the_origin_refuted() {
    let report = prove(&as_keys("sound.keys", "Score"));
    assert!(report.claims.iter().all(|c| matches!(c.verdict, Verdict::Proved)), "{report:#?}");
    for types in ["documented.keys", "deployed.keys"] {
        let report = prove(&as_keys(types, "HeightScore"));
        let refuted = |rule| {
            let mut claims = report.claims.iter().filter(|claim| claim.rule == rule);
            claims.any(|claim| matches!(claim.verdict, Verdict::Refuted(_)))
        };
        assert!(refuted(Rule::Lossless) && refuted(Rule::Ordered), "{types}: {report:#?}");
        assert!(!refuted(Rule::Disjoint) && !refuted(Rule::Unambiguous), "{types}: {report:#?}");
    }
}

#[test]
fn scores_that_the_origin_cannot_tell_apart_are_apart_and_in_order_in_the_sound_layout() {
    let layout = as_keys("sound.keys", "Score");
    let confirmed = |vector: &Json| {
        let at = json!({"height": vector["height"], "index": vector["idx"]});
        vector.get("height").map(|_| json!({"confirmed": {"at": at}}))
    };
    let unconfirmed = |vector: &Json| {
        let nanoseconds = vector.get("unix_nano")?;
        Some(json!({"unconfirmed": {"nanoseconds": nanoseconds}}))
    };
    let place = |vector: &Json| {
        let number = |name: &str| vector[name].as_u64();
        (number("unix_nano"), number("height"), number("idx"))
    };
    let mut scores: Vec<Json> =
        vectors().into_iter().filter(|v| place(v) != (None, None, None)).collect();
    scores.sort_by_key(place);
    let keys: Vec<Vec<u8>> = scores
        .iter()
        .map(|v| encode(&layout, &confirmed(v).or_else(|| unconfirmed(v)).unwrap()).unwrap())
        .collect();
    assert!(keys.is_sorted_by(|a, b| a < b));
    let lost = scores.windows(2).filter(|pair| origin(&pair[0]) == origin(&pair[1])).count();
    assert_eq!(lost, 2, "one pair of indexes and one pair of times");
}
