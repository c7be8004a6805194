//! Keys of an address of 43 characters, a pool (`u64`) and a denomination of 8 characters, in this
//! order.

mod hand;
mod ours;
mod rivals;

use crate::Consume;
use cw_storage_plus::KeyDeserialize;
use keyscape_bench::{
    Entry, Group, Side,
    inputs::{random, text},
    side::{agree, check},
};

/// The fields of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Texts {
    owner: String,
    pool: u64,
    denom: String,
}

/// The values of a key, borrowed from the key.
type Borrowed<'a> = (&'a str, u64, &'a str);
/// The values of a key, copied out of the key.
type Owned = (String, u64, String);

impl Texts {
    fn borrowed(&self) -> Borrowed<'_> {
        (&self.owner, self.pool, &self.denom)
    }

    fn is(&self, owner: &str, pool: u64, denom: &str) -> bool {
        self.borrowed() == (owner, pool, denom)
    }
}

/// Returns the groups of this module.
#[must_use]
pub fn entries() -> Vec<Entry> {
    vec![
        Entry { id: "texts encode".to_owned(), build: encode },
        Entry { id: "texts decode borrowed".to_owned(), build: decode_borrowed },
        Entry { id: "texts decode owned".to_owned(), build: decode_owned },
    ]
}

fn values() -> Vec<Texts> {
    random(|rng| Texts { owner: text(rng, 43), pool: rng.u64(..), denom: text(rng, 8) })
}

fn encode() -> Group {
    agree(&mut ours::Nul, &mut hand::Nul, &values());
    agree(&mut ours::Nul, &mut hand::Array, &values());
    agree(&mut ours::Nul, &mut ours::Stack, &values());
    let records = values().iter().map(ours::record).collect();
    let sides = vec![
        Side::encode(ours::Nul, values()),
        Side::encode(ours::Stack, values()),
        Side::encode(ours::Len8, values()),
        Side::encode(hand::Array, values()),
        Side::encode(hand::Nul, values()),
        Side::encode(rivals::Storekey, values()),
        Side::encode(rivals::Memcomparable, values()),
        Side::encode(rivals::FoundationDb, values()),
        Side::encode(rivals::CwStoragePlus, values()),
        Side::encode(ours::ByLayout::new(), records),
    ];
    Group { title: "(text of 43, `u64`, text of 8), encode".to_owned(), sides }
}

fn decode_borrowed() -> Group {
    let sides = vec![
        Side::decode(ours::Nul, &values()),
        Side::decode(ours::Len8, &values()),
        Side::decode(hand::Nul, &values()),
        Side::decode(rivals::Storekey, &values()),
        Side::decode(rivals::FoundationDb, &values()),
    ];
    Group { title: "(text of 43, `u64`, text of 8), decode, borrowed".to_owned(), sides }
}

fn decode_owned() -> Group {
    let records: Vec<_> = values().iter().map(ours::record).collect();
    let cosmwasm = Consume::new(check(&mut rivals::CwStoragePlus, &values()), |key| {
        <Owned as KeyDeserialize>::from_vec(key).ok()
    });
    let sides = vec![
        Side::decode(ours::Owned, &values()),
        Side::decode(hand::Owned, &values()),
        Side::decode(rivals::StorekeyOwned, &values()),
        Side::decode(rivals::Memcomparable, &values()),
        Side::decode(rivals::FoundationDbOwned, &values()),
        Side::new("cw-storage-plus", "takes the key as a vector, made before the clock", cosmwasm),
        Side::decode(ours::ByLayout::new(), &records),
    ];
    Group { title: "(text of 43, `u64`, text of 8), decode, owned".to_owned(), sides }
}
