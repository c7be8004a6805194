//! Balances by owner and denomination, for counting allocations: decoded keys borrow their text.

keyscape::layout!(
    r#"
    store bank
    type Denom = text(r"[a-z]{1,16}")
    map numbers = "n" {owner: u64be} {denom: Denom} -> u64be
        scan owner by denom
    map texts = "t" {owner: u64be} {denom: Denom} -> text
        scan owner by denom
    "#
);

pub use bank::*;
