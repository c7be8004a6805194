//! Keys of a `u64` and an `i64` that sort like the pair.

mod ours;
mod rivals;

use crate::Consume;
use cw_storage_plus::KeyDeserialize;
use keyscape_bench::{
    Entry, Group, Side,
    inputs::random,
    side::{agree, check},
};

/// The fields of a key.
type Pair = (u64, i64);

/// Returns the groups of this module.
#[must_use]
pub fn entries() -> Vec<Entry> {
    vec![
        Entry { id: "pair encode".to_owned(), build: encode },
        Entry { id: "pair decode".to_owned(), build: decode },
    ]
}

fn values() -> Vec<Pair> {
    random(|rng| (rng.u64(..), rng.i64(..)))
}

fn encode() -> Group {
    agree(&mut ours::Static, &mut ours::Hand, &values());
    let by_layout = ours::ByLayout::new();
    let records = values().iter().map(ours::record).collect();
    let sides = vec![
        Side::encode(ours::Static, values()),
        Side::encode(ours::Hand, values()),
        Side::encode(rivals::Storekey, values()),
        Side::encode(rivals::Memcomparable, values()),
        Side::encode(rivals::FoundationDb, values()),
        Side::encode(rivals::CwStoragePlus, values()),
        Side::encode(by_layout, records),
    ];
    Group { title: "(`u64`, `i64`), encode".to_owned(), sides }
}

fn decode() -> Group {
    let records: Vec<_> = values().iter().map(ours::record).collect();
    let cosmwasm = Consume::new(check(&mut rivals::CwStoragePlus, &values()), |key| {
        <Pair as KeyDeserialize>::from_vec(key).ok()
    });
    let sides = vec![
        Side::decode(ours::Static, &values()),
        Side::decode(ours::Hand, &values()),
        Side::decode(rivals::Storekey, &values()),
        Side::decode(rivals::Memcomparable, &values()),
        Side::decode(rivals::FoundationDb, &values()),
        Side::new("cw-storage-plus", "takes the key as a vector, made before the clock", cosmwasm),
        Side::decode(ours::ByLayout::new(), &records),
    ];
    Group { title: "(`u64`, `i64`), decode".to_owned(), sides }
}
