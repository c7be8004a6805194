//! Refutations of KS003.

use crate::harness::{check, refuted};
use insta::assert_snapshot;

#[test]
fn a_scan_that_stops_inside_a_decimal_returns_other_users() {
    let layout = r#"store shop
map orders = "o/" {user: dec(u64)} "/" {order: dec(u64)} -> text
    scan user as "o/" {user}
"#;
    assert_snapshot!(refuted(check(layout)), @r#"
    error[KS003]: scan `user` of `orders` returns rows with another `user`
     --> layout.keys:3:5
    2 | map orders = "o/" {user: dec(u64)} "/" {order: dec(u64)} -> text
      |                                    --- in a key, `user` ends here
    3 |     scan user as "o/" {user}
      |     ^^^^^^^^^^^^^^^^^^^^^^^^ this does not include the end of `user`
      asked   user=1            6f 2f 31            o/1
      got     user=10 order=0   6f 2f 31 30 2f 30   o/10/0
                                         ^^ still `user`
      in practice: listing, counting or deleting user 1 also touches user 10, 11, 12, …
      fix, proved, no stored byte changes:   scan user
      fix, proved, no stored byte changes:   scan user as "o/" {user} "/"
    shop: 1 keyspace, 1 scan: 4 proved, 1 refuted, 0 unknown, 0 accepted (N ms)
    "#);
}

#[test]
fn only_values_with_rows_in_the_scan_are_listed() {
    let layout = r#"store shop
map orders = "o/" {user: dec(u8) in 0..=11} "/" {order: dec(u64)} -> text
    scan user as "o/" {user}
"#;
    assert_snapshot!(refuted(check(layout)), @r#"
    error[KS003]: scan `user` of `orders` returns rows with another `user`
     --> layout.keys:3:5
    2 | map orders = "o/" {user: dec(u8) in 0..=11} "/" {order: dec(u64)} -> text
      |                                             --- in a key, `user` ends here
    3 |     scan user as "o/" {user}
      |     ^^^^^^^^^^^^^^^^^^^^^^^^ this does not include the end of `user`
      asked   user=1            6f 2f 31            o/1
      got     user=10 order=0   6f 2f 31 30 2f 30   o/10/0
                                         ^^ still `user`
      in practice: listing, counting or deleting user 1 also touches user 10, 11
      fix, proved, no stored byte changes:   scan user
      fix, proved, no stored byte changes:   scan user as "o/" {user} "/"
    shop: 1 keyspace, 1 scan: 4 proved, 1 refuted, 0 unknown, 0 accepted (N ms)
    "#);
}

#[test]
fn a_scan_on_a_text_prefix_returns_longer_texts() {
    let layout = r#"store shop
map names = "n/" {owner: text(r"[a-z]+")} "/" {item: u8} -> text
    scan owner as "n/" {owner}
"#;
    assert_snapshot!(refuted(check(layout)), @r#"
    error[KS003]: scan `owner` of `names` returns rows with another `owner`
     --> layout.keys:3:5
    2 | map names = "n/" {owner: text(r"[a-z]+")} "/" {item: u8} -> text
      |                                           --- in a key, `owner` ends here
    3 |     scan owner as "n/" {owner}
      |     ^^^^^^^^^^^^^^^^^^^^^^^^^^ this does not include the end of `owner`
      asked   owner=a           6e 2f 61            n/a
      got     owner=aa item=0   6e 2f 61 61 2f 00   n/aa/·
                                         ^^ still `owner`
      in practice: listing, counting or deleting owner a also touches owner aa
      fix, proved, no stored byte changes:   scan owner
      fix, proved, no stored byte changes:   scan owner as "n/" {owner} "/"
    shop: 1 keyspace, 1 scan: 4 proved, 1 refuted, 0 unknown, 0 accepted (N ms)
    "#);
}

#[test]
fn a_separator_inside_a_field_does_not_end_it() {
    let layout = r#"store shop
map names = "n/" {owner: text(r"[a-z/]+")} "/" {item: u8} -> text
    scan owner
"#;
    assert_snapshot!(refuted(check(layout)), @r#"
    error[KS003]: scan `owner` of `names` returns rows with another `owner`
     --> layout.keys:3:5
    2 | map names = "n/" {owner: text(r"[a-z/]+")} "/" {item: u8} -> text
      |                  ------------------------- a longer `owner` can begin with the same bytes
    3 |     scan owner
      |     ^^^^^^^^^^ reads all keys that begin alike
      asked   owner=a           6e 2f 61 2f         n/a/
      got     owner=a/ item=0   6e 2f 61 2f 2f 00   n/a//·
                                         ^^ still `owner`
      in practice: listing, counting or deleting owner a also touches owner a/
      fix, proved, bytes are added to stored keys:   map names = "n/" {owner: text(r"[a-z/]+")} 0x00 "/" {item: u8} -> text
    shop: 1 keyspace, 1 scan: 4 proved, 1 refuted, 0 unknown, 0 accepted (N ms)
    "#);
}

#[test]
fn a_field_without_an_end_returns_other_values() {
    let layout = r#"store shop
map names = "n/" {owner: text(r"[a-z]+")} {item: text(r"[a-z]+")} -> text
    accept KS002 "shown by the other tests"
    scan owner
"#;
    assert_snapshot!(refuted(check(layout)), @r#"
    accepted[KS002]: a key of `names` has two readings: shown by the other tests
     --> layout.keys:2:5
    2 | map names = "n/" {owner: text(r"[a-z]+")} {item: text(r"[a-z]+")} -> text
      |     ^^^^^

    error[KS003]: scan `owner` of `names` returns rows with another `owner`
     --> layout.keys:4:5
    2 | map names = "n/" {owner: text(r"[a-z]+")} {item: text(r"[a-z]+")} -> text
      |                  ------------------------ a longer `owner` can begin with the same bytes
    3 |     accept KS002 "shown by the other tests"
    4 |     scan owner
      |     ^^^^^^^^^^ reads all keys that begin alike
      asked   owner=a           6e 2f 61         n/a
      got     owner=aa item=a   6e 2f 61 61 61   n/aaa
                                         ^^ still `owner`
      in practice: listing, counting or deleting owner a also touches owner aa
      fix, proved, bytes are added to stored keys:   map names = "n/" {owner: text(r"[a-z]+")} 0x00 {item: text(r"[a-z]+")} -> text
          then remove `accept KS002` of `names`, which would match nothing
    shop: 1 keyspace, 1 scan: 3 proved, 1 refuted, 0 unknown, 1 accepted (N ms)
    "#);
}

#[test]
fn a_scan_can_contain_rows_of_another_keyspace() {
    let layout = r#"store shop
map orders = "o/" {user: u8} -> text
    scan all
map others = "o/x/" {id: u8} -> text
"#;
    assert_snapshot!(refuted(check(layout)), @r#"
    error[KS003]: scan `all` of `orders` also returns rows of `others`
     --> layout.keys:3:5
    3 |     scan all
      |     ^^^^^^^^ is meant to read rows of `orders` only
    4 | map others = "o/x/" {id: u8} -> text
      |     ------ keys of this keyspace are inside the scan
      asked   all             6f 2f            o/
      got     `others` id=0   6f 2f 78 2f 00   o/x/·
                              ^^^^^ starts like the scan
      in practice: listing, counting or deleting all of `orders` also touches `others`
      fix, proved, no stored byte changes:   scan all also others
    shop: 2 keyspaces, 1 scan: 6 proved, 1 refuted, 0 unknown, 0 accepted (N ms)
    "#);
}

#[test]
fn a_leading_field_can_name_the_prefix_of_another_keyspace() {
    let layout = r#"store shop
map orders = "o" {user: text(r"[a-z]+")} "/" {order: u8} -> text
    scan user
map open = "open/" {day: u16be} -> text
"#;
    assert_snapshot!(refuted(check(layout)), @r#"
    error[KS003]: scan `user` of `orders` also returns rows of `open`
     --> layout.keys:3:5
    3 |     scan user
      |     ^^^^^^^^^ is meant to read rows of `orders` only
    4 | map open = "open/" {day: u16be} -> text
      |     ---- keys of this keyspace are inside the scan
      asked   user=pen       6f 70 65 6e 2f         open/
      got     `open` day=0   6f 70 65 6e 2f 00 00   open/··
                             ^^^^^^^^^^^^^^ starts like the scan
      in practice: listing, counting or deleting user pen also touches `open`
      fix, proved, no stored byte changes:   scan user also open
    shop: 2 keyspaces, 1 scan: 7 proved, 1 refuted, 0 unknown, 0 accepted (N ms)
    "#);
}

#[test]
fn a_scan_that_asks_for_too_much_misses_rows() {
    let layout = r#"store shop
map orders = 0x05 {user: u16be} {order: u16be} -> text
    scan user as 0x05 {user} 0x01
"#;
    assert_snapshot!(refuted(check(layout)), @"
    error[KS003]: scan `user` of `orders` misses rows that it asks for
     --> layout.keys:3:5
    3 |     scan user as 0x05 {user} 0x01
      |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ rows with these leading fields are outside
      asked    user=0           05 00 00 01      ····
      missed   user=0 order=0   05 00 00 00 00   ·····
                                         ^^ sorts before the scan starts
      in practice: listing, counting or deleting user 0 leaves this row out
      fix, proved, no stored byte changes:   scan user
    shop: 1 keyspace, 1 scan: 4 proved, 1 refuted, 0 unknown, 0 accepted (N ms)
    ");
}

#[test]
fn an_interval_shows_both_ends() {
    let layout = r#"store shop
map orders = 0x06 {user: u16be} {order: u16be} -> text
    scan user as 0x06 {user} 0x00 .. 0x06 {user} 0xff
"#;
    assert_snapshot!(refuted(check(layout)), @"
    error[KS003]: scan `user` of `orders` misses rows that it asks for
     --> layout.keys:3:5
    3 |     scan user as 0x06 {user} 0x00 .. 0x06 {user} 0xff
      |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ rows with these leading fields are outside
      from     user=0               06 00 00 00      ····
      below                         06 00 00 ff      ····
      missed   user=0 order=65280   06 00 00 ff 00   ·····
                                                ^^ sorts after the end of the scan
      in practice: listing, counting or deleting user 0 leaves this row out
      fix, proved, no stored byte changes:   scan user
    shop: 1 keyspace, 1 scan: 4 proved, 1 refuted, 0 unknown, 0 accepted (N ms)
    ");
}

#[test]
fn a_scan_that_asks_with_another_codec_is_tried_with_real_values() {
    let layout = r#"store shop
map orders = 0x09 {user: u64be} -> text
    scan user as 0x09 {user: dec(u64)}
"#;
    assert_snapshot!(refuted(check(layout)), @"
    error[KS003]: scan `user` of `orders` misses rows that it asks for
     --> layout.keys:3:5
    3 |     scan user as 0x09 {user: dec(u64)}
      |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ rows with these leading fields are outside
      asked    user=0   09 30                        ·0
      missed   user=0   09 00 00 00 00 00 00 00 00   ·········
                           ^^ sorts before the scan starts
      in practice: listing, counting or deleting user 0 leaves this row out
      fix, proved, no stored byte changes:   scan user
    shop: 1 keyspace, 1 scan: 3 proved, 1 refuted, 0 unknown, 0 accepted (N ms)
    ");
}

#[test]
fn several_leading_fields_are_shown_together() {
    let layout = r#"store shop
map rows = 0x01 {shop: u8} {user: dec(u64)} "/" {day: u8} -> text
    scan shop, user as 0x01 {shop} {user}
"#;
    assert_snapshot!(refuted(check(layout)), @r#"
    error[KS003]: scan `shop,user` of `rows` returns rows with another `user`
     --> layout.keys:3:5
    2 | map rows = 0x01 {shop: u8} {user: dec(u64)} "/" {day: u8} -> text
      |                                             --- in a key, `user` ends here
    3 |     scan shop, user as 0x01 {shop} {user}
      |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ this does not include the end of `user`
      asked   shop=0 user=1          01 00 31            ··1
      got     shop=0 user=10 day=0   01 00 31 30 2f 00   ··10/·
                                              ^^ still `user`
      in practice: listing, counting or deleting shop=0 user=1 also touches shop=0 user=10
      fix, proved, no stored byte changes:   scan shop, user
      fix, proved, no stored byte changes:   scan shop, user as 0x01 {shop} {user} "/"
    shop: 1 keyspace, 1 scan: 5 proved, 1 refuted, 0 unknown, 0 accepted (N ms)
    "#);
}

#[test]
fn a_part_of_a_field_can_lead() {
    let layout = r#"store txo
type TokenId = {txid: text(r"[a-z_]{1,8}")} "_" {vout: dec(u32)}
map tokens = "t:" {token: TokenId} -> text
    scan token.txid as "t:"
"#;
    assert_snapshot!(refuted(check(layout)), @r#"
    error[KS003]: scan `token.txid` of `tokens` returns rows with another `txid`
     --> layout.keys:4:5
    3 | map tokens = "t:" {token: TokenId} -> text
      |                   ---------------- in a key, `token.txid` ends in here
    4 |     scan token.txid as "t:"
      |     ^^^^^^^^^^^^^^^^^^^^^^^ this does not include the end of `token.txid`
      asked   token.txid=a                74 3a            t:
      got     token.txid=_ token.vout=0   74 3a 5f 5f 30   t:__0
                                                ^^ another `token.txid`
      in practice: listing, counting or deleting txid a also touches txid _
      fix, proved, no stored byte changes:   scan token.txid
    txo: 1 keyspace, 1 scan: 4 proved, 1 refuted, 0 unknown, 0 accepted (N ms)
    "#);
}

#[test]
fn a_scan_can_confuse_arms() {
    let layout = r#"store cl
type Share = | pos "p" {position: dec(u64)} | pool "po" {pool: dec(u64)}
map shares = 0x01 {share: Share} -> text
    scan share
"#;
    assert_snapshot!(refuted(check(layout)), @r#"
    error[KS003]: scan `share` of `shares` returns rows with another `share`
     --> layout.keys:4:5
    3 | map shares = 0x01 {share: Share} -> text
      |                   -------------- a longer `share.pos.position` can begin with the same bytes
    4 |     scan share
      |     ^^^^^^^^^^ reads all keys that begin alike
      asked   share.pos.position=1    01 70 31      ·p1
      got     share.pos.position=10   01 70 31 30   ·p10
                                               ^^ still `share.pos.position`
      in practice: listing, counting or deleting share.pos.position=1 also touches share.pos.position=10
      fix, proved, bytes are added to stored keys:   type Share = | pos "p" {position: dec(u64)} 0x00 | pool "po" {pool: dec(u64)} 0x00
      fix, proved, stored keys change:   type Share = | pos "p" {position: len8(dec(u64))} | pool "po" {pool: len8(dec(u64))}
    cl: 1 keyspace, 1 scan: 4 proved, 1 refuted, 0 unknown, 0 accepted (N ms)
    "#);
}
