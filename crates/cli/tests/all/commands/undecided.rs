//! Claims with the verdict unknown.

use crate::harness::check;
use insta::assert_snapshot;

#[test]
fn a_scan_with_another_codec_that_shows_no_fault_stays_unknown() {
    let layout = r#"store shop
map orders = 0x09 {user: text(r"[a-z]{2}")} -> text
    scan user as 0x09 {user: text(r"[a-z]{2,2}")}
"#;
    assert_snapshot!(check(layout), @r#"
    --- stdout
    unknown[KS003]: it is not known whether scan `user` of `orders` returns its rows and no others
     --> layout.keys:3:5
    3 |     scan user as 0x09 {user: text(r"[a-z]{2,2}")}
      |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      reason: the scan asks with other bytes than the key has, and 132 values that were tried show no fault
      help: ask with the bytes of the key (leave out `as`), or `accept KS003 scan user "reason"`
    shop: 1 keyspace, 1 scan: 3 proved, 0 refuted, 1 unknown, 0 accepted (N ms)
    --- exit 1
    "#);
}

#[test]
fn checksummed_text_without_an_end_may_stay_unknown() {
    let layout = r#"store shop
map owners = 0x01 {owner: bech32("c", bytes[1..=4])} {rest: text(r"[a-z0-9]+")} -> text
    scan owner
"#;
    assert_snapshot!(check(layout), @r#"
    --- stdout
    unknown[KS002]: it is not known whether every key of `owners` has one reading
     --> layout.keys:2:5
    2 | map owners = 0x01 {owner: bech32("c", bytes[1..=4])} {rest: text(r"[a-z0-9]+")} -> text
      |     ^^^^^^
      reason: no automaton has exactly the encodings of `bech32("c", bytes[1..=4])`, and no real key was found that settles it
      help: add a literal after the field that no encoding can contain, or `accept KS002 "reason"`

    unknown[KS003]: it is not known whether scan `owner` of `owners` returns its rows and no others
     --> layout.keys:3:5
    3 |     scan owner
      |     ^^^^^^^^^^
      reason: no automaton has exactly the encodings of `bech32("c", bytes[1..=4])`, and no real key was found that settles it
      help: add a literal after the field that no encoding can contain, or `accept KS003 scan owner "reason"`
    shop: 1 keyspace, 1 scan: 3 proved, 0 refuted, 2 unknown, 0 accepted (N ms)
    --- exit 1
    "#);
}

#[test]
fn an_unknown_claim_can_be_accepted() {
    let layout = r#"store shop
map orders = 0x09 {user: text(r"[a-z]{2}")} -> text
    scan user as 0x09 {user: text(r"[a-z]{2,2}")}
    accept KS003 scan user "the same bytes, written twice"
"#;
    assert_snapshot!(check(layout), @r#"
    --- stdout
    accepted[KS003]: it is not known whether scan `user` of `orders` returns its rows and no others: the same bytes, written twice
     --> layout.keys:3:5
    3 |     scan user as 0x09 {user: text(r"[a-z]{2,2}")}
      |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    shop: 1 keyspace, 1 scan: 3 proved, 0 refuted, 0 unknown, 1 accepted (N ms)
    --- exit 0
    "#);
}
