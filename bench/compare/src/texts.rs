//! Keys of an address of 43 characters, a pool (`u64`) and a denomination of 8 characters, in this
//! order.

mod hand;
mod ours;
mod rivals;

use crate::consume_keys;
use keyscape_bench::{
    Entry, Group, Side,
    dynamic::{ByLayout, record},
    inputs::{random, text},
    side::{agree, check},
};
use keyscape_codec::Value;
use keyscape_layout::Record;

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
}

impl<T: AsRef<str>> PartialEq<Texts> for (T, u64, T) {
    fn eq(&self, texts: &Texts) -> bool {
        (self.0.as_ref(), self.1, self.2.as_ref()) == texts.borrowed()
    }
}

#[inline]
fn owned((owner, pool, denom): Borrowed<'_>) -> Owned {
    (owner.to_owned(), pool, denom.to_owned())
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

fn records() -> Vec<Record> {
    let fields = |Texts { owner, pool, denom }: Texts| {
        let (owner, pool, denom) =
            (Value::Text(owner), Value::Uint(pool.into()), Value::Text(denom));
        record([("owner", owner), ("pool", pool), ("denom", denom)])
    };
    values().into_iter().map(fields).collect()
}

fn by_layout() -> ByLayout {
    ByLayout::new(
        "map texts = {owner: nul(text(r\"[a-z0-9]{1,64}\"))} {pool: u64be} \
         {denom: text(r\"[a-z0-9]{1,16}\")} -> empty",
    )
}

fn encode() -> Group {
    agree(&mut ours::Nul, &mut hand::Nul, &values());
    agree(&mut ours::Nul, &mut hand::Array, &values());
    agree(&mut ours::Nul, &mut ours::Stack, &values());
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
        Side::encode(by_layout(), records()).with_note(
            "a new vector; fields are found by name, texts checked against their domains",
        ),
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
    let sides = vec![
        Side::decode(ours::Owned, &values()),
        Side::decode(hand::Owned, &values()),
        Side::decode(rivals::StorekeyOwned, &values()),
        Side::decode(rivals::Memcomparable, &values()),
        Side::decode(rivals::FoundationDbOwned, &values()),
        consume_keys::<Owned>(check(&mut rivals::CwStoragePlus, &values())),
        Side::decode(by_layout(), &records()).with_note(
            "owned values with the names of their fields; texts checked against their domains",
        ),
    ];
    Group { title: "(text of 43, `u64`, text of 8), decode, owned".to_owned(), sides }
}
