//! The keys of the module against the vectors of the origin.

use crate::setup::{Outcome, token};
use keyscape::{store::Mode, traits::Keyspace};
use keyscape_paw::{Account, layout::paw, sim};
use keyscape_testkit::{hex, unhex};
use serde_json::Value;
use std::collections::BTreeSet;

const VECTORS: &str = include_str!("../../../../testing/corpus/golden/paw.json");

fn key<'k, K: Keyspace>(key: impl Into<K::Key<'k>>) -> String {
    let mut bytes = Vec::new();
    K::encode(&key.into(), &mut bytes).expect("a key");
    assert!(K::decode(&bytes).is_ok());
    hex(&bytes)
}

fn text<'v>(vector: &'v Value, name: &str) -> &'v str {
    vector[name].as_str().unwrap_or_default()
}

/// The simulation writes under every prefix of the state document but the two that left their
/// range.
#[test]
fn every_prefix_of_the_document_is_written() -> Outcome {
    let layouts = [&paw::LAYOUT, &keyscape_bank::layout::bank::LAYOUT];
    let db = keyscape::memory_with(&layouts)?;
    let mut written = BTreeSet::new();
    for height in 0..150 {
        let mut tx = db.begin(Mode::Write)?;
        if height == 0 {
            sim::begin(&mut tx, 3)?;
        } else {
            sim::block(&mut tx, 3, height)?;
        }
        // Locks are written and deleted in one block, so only the changes contain them.
        let rows = tx.changes().iter().filter(|row| row.name == "paw");
        written.extend(rows.map(|row| hex(&row.key[..2])));
        tx.commit()?;
    }
    let vectors: Vec<Value> = serde_json::from_str(VECTORS)?;
    let documented = vectors.iter().filter(|vector| {
        let is_listed = text(vector, "variant").starts_with("doc/types");
        is_listed && vector["fields"].as_object().is_some_and(|fields| fields.is_empty())
    });
    let prefixes: Vec<&str> = documented.map(|vector| text(vector, "key_hex")).collect();
    assert_eq!(prefixes.len(), 33);
    let missing: Vec<&&str> = prefixes.iter().filter(|key| !written.contains(**key)).collect();
    assert_eq!(missing, [&"0216", &"030d"], "packets have 0228 and 0328");
    assert!(written.contains("0228") && written.contains("0328"));
    Ok(())
}

/// Every vector with fields and a documented key is a key of the module.
#[test]
fn keys_are_those_of_the_vectors() -> Outcome {
    let vectors: Vec<Value> = serde_json::from_str(VECTORS)?;
    let bytes = |text: &str| unhex(text).ok_or("digits");
    let mut checked = 0;
    for vector in &vectors {
        let fields = &vector["fields"];
        let pool = fields["pool_id"].as_u64().unwrap_or_default();
        let provider = Account::new(bytes(text(fields, "provider_hex"))?);
        let (channel, sender) = (text(fields, "channel_id"), text(fields, "sender"));
        let encoded = match (text(vector, "entry"), text(vector, "variant")) {
            ("dex.GetPoolLPFeeKey", _) => {
                key::<paw::PoolFees>((pool, token(text(fields, "token"))))
            }
            ("dex.GetProtocolFeeKey", _) if !text(fields, "token").is_empty() => {
                key::<paw::ProtocolFees>(token(text(fields, "token")))
            }
            ("dex.GetLiquidityShareKey", _) => key::<paw::Shares>((pool, provider?)),
            ("dex.LiquidityKey", _) => key::<paw::Liquidity>((pool, provider?)),
            ("dex.LastLiquidityActionKey", _) => key::<paw::LastActions>((pool, provider?)),
            ("dex.PoolKey", _) => key::<paw::Pools>(pool),
            ("dex.CircuitBreakerKey", _) => key::<paw::CircuitBreakers>(pool),
            ("dex.ReentrancyLockKey", "doc-literal (poolID)") => key::<paw::Locks>(pool),
            ("oracle.GetPriceKey", _) => key::<paw::Prices>(token(text(fields, "asset"))),
            ("compute.GetIBCPacketNonceKey", _) if !channel.is_empty() => {
                let pair = (paw::Channel::new(channel)?, paw::Sender::new(sender)?);
                key::<paw::ComputePackets>(pair)
            }
            _ => continue,
        };
        assert_eq!(encoded, text(vector, "key_hex"), "{vector}");
        checked += 1;
    }
    assert_eq!(checked, 14);
    Ok(())
}
