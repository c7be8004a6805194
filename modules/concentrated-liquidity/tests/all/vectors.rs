//! Arithmetic against results of the Osmosis code.

use crate::replay::vectors;
use keyscape_testkit::corpus;
use serde_json::{Value, json};
use std::collections::BTreeMap;

#[test]
fn all_vectors_have_the_results_of_the_origin() {
    let mut count = BTreeMap::<String, u32>::new();
    for vector in corpus::lines::<Value>("cl/vectors.jsonl.gz") {
        assert_eq!(vectors::difference(&vector), None);
        *count.entry(vector["f"].to_string()).or_default() += 1;
    }
    assert_eq!(count.values().sum::<u32>(), 17_310);
    assert_eq!(count.len(), 45, "{count:?}");
}

/// A runner that cannot find a difference would prove nothing.
#[test]
fn changed_vectors_differ() {
    let vector = json!({"f": "tick_to_price", "in": {"tick": 1}, "out": {"price": "1.000001"}});
    assert_eq!(vectors::difference(&vector), None);
    for (place, value) in [
        ("/out/price", json!("1.000002")),
        ("/out", json!({})),
        ("/in", json!({})),
        ("/in/tick", json!(400_000_000)),
        ("/f", json!("tick_to_nothing")),
        ("/f", json!(5)),
    ] {
        let mut changed = vector.clone();
        *changed.pointer_mut(place).unwrap() = value;
        assert!(vectors::difference(&changed).is_some(), "{changed}");
    }
    let error = json!({"f": "tick_to_price", "in": {"tick": 1}, "err": "PriceBoundError"});
    assert!(vectors::difference(&error).is_some());
}
