//! Refutations of KS001, KS002 and KS004, accepted claims, and the summary.

use crate::harness::{BANK, Folder, check, printed, refuted, rejected};
use insta::assert_snapshot;

#[test]
fn a_sound_layout_is_proved() {
    assert_snapshot!(printed(check(BANK)), @"bank: 2 keyspaces, 2 scans: 12 proved, 0 refuted, 0 unknown, 0 accepted (N ms)");
}

#[test]
fn two_keyspaces_that_share_keys_are_shown_once() {
    let layout = r#"store shop
map orders = "o/" {user: dec(u64)} "/" {order: dec(u64)} -> text
map paths = "o/" {path: text(r"[0-9/]+")} -> text
"#;
    assert_snapshot!(refuted(check(layout)), @r#"
    error[KS001]: keyspaces `orders` and `paths` share keys
     --> layout.keys:2:5
    2 | map orders = "o/" {user: dec(u64)} "/" {order: dec(u64)} -> text
      |     ^^^^^^ a key of `orders` …
    3 | map paths = "o/" {path: text(r"[0-9/]+")} -> text
      |     ----- … can be a key of `paths`
      key                       6f 2f 30 2f 30   o/0/0
      orders   user=0 order=0   6f 2f|30|2f|30
      paths    path=0/0         6f 2f|30 2f 30
                                      ^^ `user` in `orders`, `path` in `paths`
      in practice: writing `orders` user=0 order=0 replaces `paths` path=0/0, and deleting either deletes both
      fix, proved, bytes are added to stored keys:   map orders = "o/:" {user: dec(u64)} "/" {order: dec(u64)} -> text
      fix, proved, bytes are added to stored keys:   map paths = "o/:" {path: text(r"[0-9/]+")} -> text
    shop: 2 keyspaces, 0 scans: 5 proved, 2 refuted, 0 unknown, 0 accepted (N ms)
    "#);
}

#[test]
fn keyspaces_without_fields_share_a_key_too() {
    let layout = "store shop\nitem params = 0x01 -> text\nmap rows = {id: u8} -> text\n";
    assert_snapshot!(refuted(check(layout)), @"
    error[KS001]: keyspaces `params` and `rows` share keys
     --> layout.keys:2:6
    2 | item params = 0x01 -> text
      |      ^^^^^^ a key of `params` …
    3 | map rows = {id: u8} -> text
      |     ---- … can be a key of `rows`
      key                    01   ·
      params   (no fields)   01
      rows     id=1          01
                             ^^ the literal 0x01 in `params`, `id` in `rows`
      in practice: writing `params` replaces `rows` id=1, and deleting either deletes both
      fix, proved, bytes are added to stored keys:   item params = 0x0100 -> text
      fix, proved, bytes are added to stored keys:   map rows = 0x00 {id: u8} -> text
    shop: 2 keyspaces, 0 scans: 3 proved, 2 refuted, 0 unknown, 0 accepted (N ms)
    ");
}

#[test]
fn a_keyspace_that_shares_keys_with_several_others_lists_them() {
    let layout = r#"store shop
map any = {path: bytes[1..=3]} -> text
map one = 0x01 {a: u8} -> text
map two = 0x02 {b: dec(u8)} -> text
"#;
    assert_snapshot!(refuted(check(layout)), @"
    error[KS001]: keyspace `any` shares keys with 2 others: `one`, `two`
     --> layout.keys:2:5
    2 | map any = {path: bytes[1..=3]} -> text
      |     ^^^ a key of `any` …
    3 | map one = 0x01 {a: u8} -> text
      |     --- … can be a key of `one`
    4 | map two = 0x02 {b: dec(u8)} -> text
      |     --- … can be a key of `two`
      key                 01 61   ·a
      any   path=0x0161   01 61
      one   a=97          01|61
                          ^^ `path` in `any`, the literal 0x01 in `one`
      key                 02 30   ·0
      any   path=0x0230   02 30
      two   b=0           02|30
                          ^^ `path` in `any`, the literal 0x02 in `two`
      in practice: writing `any` path=0x0161 replaces `one` a=97, and deleting either deletes both
      fix, proved, bytes are added to stored keys:   map any = 0x00 {path: bytes[1..=3]} -> text
    shop: 3 keyspaces, 0 scans: 6 proved, 3 refuted, 0 unknown, 0 accepted (N ms)
    ");
}

#[test]
fn a_key_with_two_readings_is_cut_in_two_ways() {
    let layout = r#"store paw
map pools = 0x03 {a: text(r"[a-z]+")} {b: text(r"[a-z]+")} -> u64be
"#;
    assert_snapshot!(refuted(check(layout)), @r#"
    error[KS002]: a key of `pools` has two readings
     --> layout.keys:2:5
    2 | map pools = 0x03 {a: text(r"[a-z]+")} {b: text(r"[a-z]+")} -> u64be
      |     ^^^^^        -------------------- `a` can end in two places of one key
      key                03 61 61 61   ·aaa
      one     a=a b=aa   03|61|61 61
      other   a=aa b=a   03|61 61|61
                               ^^ `b` in the one, still `a` in the other
      in practice: both rows have this key: writing one replaces the other, and no reader can tell them apart
      fix, proved, bytes are added to stored keys:   map pools = 0x03 {a: text(r"[a-z]+")} 0x00 {b: text(r"[a-z]+")} -> u64be
    paw: 1 keyspace, 0 scans: 3 proved, 1 refuted, 0 unknown, 0 accepted (N ms)
    "#);
}

#[test]
fn an_option_that_can_be_taken_for_a_field_has_two_readings() {
    let layout = r#"store badges
map trackers = 0x07 [{approver: text(r"[a-z]+")} "-"] {id: text(r"[a-z-]+")} -> text
"#;
    assert_snapshot!(refuted(check(layout)), @r#"
    error[KS002]: a key of `trackers` has two readings
     --> layout.keys:2:5
    2 | map trackers = 0x07 [{approver: text(r"[a-z]+")} "-"] {id: text(r"[a-z-]+")} -> text
      |     ^^^^^^^^         ---------------------------      ---------------------- the readings differ here
      |                      the readings differ here
      key                       07 61 2d 61   ·a-a
      one     id=a-a            07|61 2d 61
      other   approver=a id=a   07|61|2d|61
                                   ^^ `id` in the one, `approver` in the other
      in practice: both rows have this key: writing one replaces the other, and no reader can tell them apart
      fix, proved, bytes are added to stored keys:   map trackers = 0x07 [{approver: text(r"[a-z]+")} 0x00 "-"] {id: text(r"[a-z-]+")} -> text
    badges: 1 keyspace, 0 scans: 3 proved, 1 refuted, 0 unknown, 0 accepted (N ms)
    "#);
}

#[test]
fn arms_that_begin_alike_have_two_readings() {
    let layout = r#"store cl
type Name = | old "p/" {pool: dec(u64)} | new "p/" {pair: text(r"[a-z0-9]+")}
map shares = 0x01 {name: Name} -> text
"#;
    assert_snapshot!(refuted(check(layout)), @r#"
    error[KS002]: a key of `shares` has two readings
     --> layout.keys:3:5
    3 | map shares = 0x01 {name: Name} -> text
      |     ^^^^^^        ------------ the readings differ here
      key                       01 70 2f 30   ·p/0
      one     name.old.pool=0   01|70 2f|30
      other   name.new.pair=0   01|70 2f|30
                                         ^^ `name.old.pool` in the one, `name.new.pair` in the other
      in practice: both rows have this key: writing one replaces the other, and no reader can tell them apart
      fix, proved, bytes are added to stored keys:   type Name = | old "p/" {pool: dec(u64)} 0x00 | new "p/" {pair: text(r"[a-z0-9]+")}
      fix, proved, stored keys change:   type Name = | old "p/" {pool: len8(dec(u64))} | new "p/" {pair: text(r"[a-z0-9]+")}
    cl: 1 keyspace, 0 scans: 3 proved, 1 refuted, 0 unknown, 0 accepted (N ms)
    "#);
}

#[test]
fn decimals_do_not_sort_by_value() {
    let layout = r#"store shop
map orders = "o/" {user: u64be} "/" {order: dec(u64)} -> text
    scan user by order
"#;
    assert_snapshot!(refuted(check(layout)), @r#"
    error[KS004]: scan `user` of `orders` does not return rows in order of `order`
     --> layout.keys:3:18
    2 | map orders = "o/" {user: u64be} "/" {order: dec(u64)} -> text
      |                                     ----------------- these bytes sort in another order
    3 |     scan user by order
      |                  ^^^^^ rows do not sort by this
      smaller   user=0 order=2    6f 2f 00 00 00 00 00 00 00 00 2f 32      o/········/2
      larger    user=0 order=10   6f 2f 00 00 00 00 00 00 00 00 2f 31 30   o/········/10
                                                                   ^^ 31 sorts before 32
      in practice: the scan returns order=10 before order=2
      fix, proved, stored keys change:   map orders = "o/" {user: u64be} "/" {order: u64be} -> text
      fix, proved, stored keys change:   map orders = "o/" {user: u64be} "/" {order: dec0(u64)[20]} -> text
    shop: 1 keyspace, 1 scan: 5 proved, 1 refuted, 0 unknown, 0 accepted (N ms)
    "#);
}

#[test]
fn little_endian_numbers_do_not_sort_by_value() {
    let layout = "store s\nmap blocks = {height: u32le} -> text\n    scan all by height\n";
    assert_snapshot!(refuted(check(layout)), @"
    error[KS004]: scan `all` of `blocks` does not return rows in order of `height`
     --> layout.keys:3:17
    2 | map blocks = {height: u32le} -> text
      |              --------------- these bytes sort in another order
    3 |     scan all by height
      |                 ^^^^^^ rows do not sort by this
      smaller   height=1     01 00 00 00   ····
      larger    height=256   00 01 00 00   ····
                             ^^ 00 sorts before 01
      in practice: the scan returns height=256 before height=1
      fix, proved, stored keys change:   map blocks = {height: u32be} -> text
    s: 1 keyspace, 1 scan: 4 proved, 1 refuted, 0 unknown, 0 accepted (N ms)
    ");
}

#[test]
fn a_length_byte_sorts_first() {
    let layout = BANK.replace("scan denom\n", "scan denom by owner\n");
    assert_snapshot!(refuted(check(&layout)), @r#"
    error[KS004]: scan `denom` of `holders` does not return rows in order of `owner`
      --> layout.keys:13:19
    12 | index holders of balances = 0x03 {denom} 0x00 {owner} -> empty
       |                                               ------- these bytes sort in another order
    13 |     scan denom by owner
       |                   ^^^^^ rows do not sort by this
      smaller   denom=aaa owner=cosmos1v9ssun64ly   03 61 61 61 00 02 61 61   ·aaa··aa
      larger    denom=aaa owner=cosmos1vgwetu6h     03 61 61 61 00 01 62      ·aaa··b
                                                                   ^^ 01 sorts before 02
      in practice: the scan returns owner=cosmos1vgwetu6h before owner=cosmos1v9ssun64ly
      fix, proved, stored keys change:   type Address = escaped(bytes[1..=255]) shown as bech32("cosmos")
    bank: 2 keyspaces, 2 scans: 12 proved, 1 refuted, 0 unknown, 0 accepted (N ms)
    "#);
}

#[test]
fn a_key_sorts_before_its_extensions() {
    let layout = r#"store shop
type Tag = "ab" | "a"
map tags = 0x01 {tag: Tag} -> text
    scan all by tag
"#;
    assert_snapshot!(refuted(check(layout)), @"
    error[KS004]: scan `all` of `tags` does not return rows in order of `tag`
     --> layout.keys:4:17
    3 | map tags = 0x01 {tag: Tag} -> text
      |                 ---------- `tag` can continue where it has ended in another row
    4 |     scan all by tag
      |                 ^^^ rows do not sort by this
      smaller   tag=ab   01 61 62   ·ab
      larger    tag=a    01 61      ·a
                               ^^ the shorter key sorts first
      in practice: the scan returns tag=a before tag=ab
      fix, proved, stored keys change:   type Tag = | ab 0x00 | a 0x01
    shop: 1 keyspace, 1 scan: 3 proved, 1 refuted, 0 unknown, 0 accepted (N ms)
    ");
}

#[test]
fn fields_without_an_end_are_out_of_order() {
    let layout = r#"store shop
map words = 0x01 {a: text(r"[a-z]+")} {b: text(r"[a-z]+")} -> text
    accept KS002 "known"
    scan all by a, b
"#;
    assert_snapshot!(refuted(check(layout)), @r#"
    accepted[KS002]: a key of `words` has two readings: known
     --> layout.keys:2:5
    2 | map words = 0x01 {a: text(r"[a-z]+")} {b: text(r"[a-z]+")} -> text
      |     ^^^^^

    error[KS004]: scan `all` of `words` does not return rows in order of `a`, `b`
     --> layout.keys:4:17
    2 | map words = 0x01 {a: text(r"[a-z]+")} {b: text(r"[a-z]+")} -> text
      |                  -------------------- `a` can continue where it has ended in another row
    3 |     accept KS002 "known"
    4 |     scan all by a, b
      |                 ^^^^ rows do not sort by this
      smaller   a=a b=b    01 61 62      ·ab
      larger    a=aa b=a   01 61 61 61   ·aaa
                                 ^^ 61 sorts before 62
      in practice: the scan returns a=aa b=a before a=a b=b
      fix, proved, bytes are added to stored keys:   map words = 0x01 {a: text(r"[a-z]+")} 0x00 {b: text(r"[a-z]+")} -> text
          then remove `accept KS002` of `words`, which would match nothing
    shop: 1 keyspace, 1 scan: 4 proved, 1 refuted, 0 unknown, 1 accepted (N ms)
    "#);
}

#[test]
fn colliding_structures_are_one_structure() {
    let layout = r#"store txo structures
zset events = "z:" {event: text(r"[a-z:]+")}
    member u8
    score f64
zset spent = "z:" {event: text(r"[a-z:]+")} ":spnd"
    member u8
    score f64
"#;
    assert_snapshot!(refuted(check(layout)), @r#"
    error[KS001]: keyspaces `events` and `spent` share keys
     --> layout.keys:2:6
    2 | zset events = "z:" {event: text(r"[a-z:]+")}
      |      ^^^^^^ a key of `events` …
    ...
    5 | zset spent = "z:" {event: text(r"[a-z:]+")} ":spnd"
      |      ----- … can be a key of `spent`
      key                     7a 3a 61 3a 73 70 6e 64   z:a:spnd
      events   event=a:spnd   7a 3a|61 3a 73 70 6e 64
      spent    event=a        7a 3a|61|3a 73 70 6e 64
                                       ^^ still `event` in `events`, the literal ":spnd" in `spent`
      in practice: `events` event=a:spnd and `spent` event=a are one zset, and deleting either deletes both
      fix, proved, bytes are added to stored keys:   zset events = "z:/" {event: text(r"[a-z:]+")}
      fix, proved, bytes are added to stored keys:   zset spent = "z:/" {event: text(r"[a-z:]+")} ":spnd"
      fix, proved, no stored byte changes; values outside are rejected:   zset events = "z:" {event: text(r"[a-z:]+", not ":spnd")}
    txo: 2 keyspaces, 0 scans: 10 proved, 2 refuted, 0 unknown, 0 accepted (N ms)
    "#);
}

#[test]
fn an_order_inside_a_composite_names_that_part() {
    let layout = r#"store txo
type Outpoint = {txid: bytes[2]} {vout: u16le}
map outputs = "h:" {outpoint: Outpoint} -> text
    scan outpoint.txid by vout
"#;
    assert_snapshot!(refuted(check(layout)), @r#"
    error[KS004]: scan `outpoint.txid` of `outputs` does not return rows in order of `outpoint.vout`
     --> layout.keys:4:27
    3 | map outputs = "h:" {outpoint: Outpoint} -> text
      |                    -------------------- these bytes sort in another order
    4 |     scan outpoint.txid by vout
      |                           ^^^^ rows do not sort by this
      smaller   outpoint.txid=0x6161 outpoint.vout=1     68 3a 61 61 01 00   h:aa··
      larger    outpoint.txid=0x6161 outpoint.vout=256   68 3a 61 61 00 01   h:aa··
                                                                     ^^ 00 sorts before 01
      in practice: the scan returns outpoint.vout=256 before outpoint.vout=1
      fix, proved, stored keys change:   type Outpoint = {txid: bytes[2]} {vout: u16be}
    txo: 1 keyspace, 1 scan: 5 proved, 1 refuted, 0 unknown, 0 accepted (N ms)
    "#);
}

#[test]
fn a_part_that_is_absent_sorts_where_it_should_not() {
    let layout = r#"store s
map m = 0x01 ["-" {note: text(r"[a-z]")}] "." {id: u8} -> text
    scan all by note
map n = 0x02 ["/" {note: text(r"[a-z]")}] "." {id: u8} -> text
    scan all by note
"#;
    assert_snapshot!(refuted(check(layout)), @"
    error[KS004]: scan `all` of `m` does not return rows in order of `note`
     --> layout.keys:3:17
    3 |     scan all by note
      |                 ^^^^ rows do not sort by this
      smaller   id=0          01 2e 00         ·.·
      larger    note=a id=0   01 2d 61 2e 00   ·-a.·
                                 ^^ 2d sorts before 2e
      in practice: the scan returns note=a before a row without `note`
      no fix: no single change that was tried proves it
    s: 2 keyspaces, 2 scans: 11 proved, 1 refuted, 0 unknown, 0 accepted (N ms)
    ");
}

#[test]
fn rows_that_tie_are_shown_as_one_key() {
    let layout = r#"store shop
map words = 0x01 {a: text(r"a{1,3}")} {b: text(r"a{1,3}")} -> text
    accept KS002 "known"
    scan all by a
"#;
    assert_snapshot!(refuted(check(layout)), @r#"
    accepted[KS002]: a key of `words` has two readings: known
     --> layout.keys:2:5
    2 | map words = 0x01 {a: text(r"a{1,3}")} {b: text(r"a{1,3}")} -> text
      |     ^^^^^

    error[KS004]: scan `all` of `words` does not return rows in order of `a`
     --> layout.keys:4:17
    4 |     scan all by a
      |                 ^ rows do not sort by this
      smaller   a=a b=aa   01 61 61 61   ·aaa
      larger    a=aa b=a   01 61 61 61   ·aaa
                           ^^^^^^^^^^^ the same bytes
      in practice: rows with a=a and a=aa have one key: writing one replaces the other
      fix, proved, bytes are added to stored keys:   map words = 0x01 {a: text(r"a{1,3}")} 0x00 {b: text(r"a{1,3}")} -> text
          then remove `accept KS002` of `words`, which would match nothing
    shop: 1 keyspace, 1 scan: 4 proved, 1 refuted, 0 unknown, 1 accepted (N ms)
    "#);
}

#[test]
fn long_keys_and_values_are_cut_in_the_middle() {
    let layout = r#"store txo
map outputs = "h:" {txid: hex(bytes[32])} "_" {vout: dec(u32)} {kind: dec(u8)} -> text
"#;
    assert_snapshot!(refuted(check(layout)), @r#"
    error[KS002]: a key of `outputs` has two readings
     --> layout.keys:2:5
    2 | map outputs = "h:" {txid: hex(bytes[32])} "_" {vout: dec(u32)} {kind: dec(u8)} -> text
      |     ^^^^^^^                                   ---------------- `vout` can end in two places of one key
      key                                             68 3a 36 31 36 31 … 31 5f 31 31 30   h:6161…1_110
      one     txid=0x6161616161…6161 vout=1 kind=10   68 3a|36 31 36 31 … 31|5f|31|31 30
      other   txid=0x6161616161…6161 vout=11 kind=0   68 3a|36 31 36 31 … 31|5f|31 31|30
                                                                                   ^^ `kind` in the one, still `vout` in the other
      in practice: both rows have this key: writing one replaces the other, and no reader can tell them apart
      fix, proved, bytes are added to stored keys:   map outputs = "h:" {txid: hex(bytes[32])} "_" {vout: dec(u32)} 0x00 {kind: dec(u8)} -> text
      fix, proved, stored keys change:   map outputs = "h:" {txid: hex(bytes[32])} "_" {vout: len8(dec(u32))} {kind: dec(u8)} -> text
    txo: 1 keyspace, 0 scans: 4 proved, 1 refuted, 0 unknown, 0 accepted (N ms)
    "#);
}

#[test]
fn accepted_claims_are_shown_with_their_reason() {
    let layout = r#"store shop
map orders = "o/" {user: dec(u64)} "/" {order: dec(u64)} -> text
    scan user as "o/" {user}
    accept KS003 scan user "the caller filters"
"#;
    assert_snapshot!(printed(check(layout)), @r#"
    accepted[KS003]: scan `user` of `orders` returns rows with another `user`: the caller filters
     --> layout.keys:3:5
    3 |     scan user as "o/" {user}
      |     ^^^^^^^^^^^^^^^^^^^^^^^^
    shop: 1 keyspace, 1 scan: 4 proved, 0 refuted, 0 unknown, 1 accepted (N ms)
    "#);
}

#[test]
fn an_accept_that_matches_nothing_is_an_error() {
    let layout = r#"store shop
map orders = "o/" {user: dec(u64)} "/" {order: dec(u64)} -> text
    scan user
    accept KS003 scan user "was needed once"
    accept KS001 "was needed too"
"#;
    assert_snapshot!(refuted(check(layout)), @r#"
    error: this accepts KS003 of `orders` for scan `user`, and no such claim fails
     --> layout.keys:4:5
    4 |     accept KS003 scan user "was needed once"
      |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ matches nothing
      help: remove it; `check` then reports the claim if it fails again

    error: this accepts KS001 of `orders`, and no such claim fails
     --> layout.keys:5:5
    5 |     accept KS001 "was needed too"
      |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ matches nothing
      help: remove it; `check` then reports the claim if it fails again
    shop: 1 keyspace, 1 scan: 5 proved, 0 refuted, 0 unknown, 0 accepted (N ms)
    "#);
}

#[test]
fn quiet_leaves_out_the_summary_and_what_is_accepted() {
    let layout = r#"store shop
map orders = "o/" {user: dec(u64)} "/" {order: dec(u64)} -> text
    scan user as "o/" {user}
    accept KS003 scan user "the caller filters"
"#;
    let folder = Folder::new().file("layout.keys", layout);
    assert_snapshot!(folder.run(&["check", "--quiet", "layout.keys"]), @"--- exit 0");
}

#[test]
fn each_store_has_a_line_and_a_hash_counts_its_fields() {
    let layout = r#"store first
map a = 0x01 {id: u8} -> text
    scan all
store second structures
hash output = "h:" {id: u8}
    field events = "ev" -> json
    field data = "dt:" {tag: text(r"[a-z]+")} -> json
"#;
    assert_snapshot!(printed(check(layout)), @"
    first: 1 keyspace, 1 scan: 4 proved, 0 refuted, 0 unknown, 0 accepted
    second: 1 keyspace, 2 hash fields, 0 scans: 9 proved, 0 refuted, 0 unknown, 0 accepted (N ms for all)
    ");
}

#[test]
fn every_file_is_checked_and_the_worst_status_counts() {
    let folder = Folder::new()
        .file("sound.keys", "store a\nmap m = 0x01 {id: u8} -> text\n")
        .file("broken.keys", "store b\nmap m = 0x01 {id: nope} -> text\n")
        .file("refuted.keys", "store c\nmap m = {id: u8} -> text\nmap n = {id: u8} -> text\n");
    assert_snapshot!(folder.run(&["check", "broken.keys", "refuted.keys", "sound.keys"]), @"
    --- stdout
    error[KS001]: keyspaces `m` and `n` share keys
     --> refuted.keys:2:5
    2 | map m = {id: u8} -> text
      |     ^ a key of `m` …
    3 | map n = {id: u8} -> text
      |     - … can be a key of `n`
      key          00   ·
      m     id=0   00
      n     id=0   00
      in practice: writing `m` id=0 replaces `n` id=0, and deleting either deletes both
      fix, proved, bytes are added to stored keys:   map m = 0x00 {id: u8} -> text
      fix, proved, bytes are added to stored keys:   map n = 0x00 {id: u8} -> text
    refuted.keys: c: 2 keyspaces, 0 scans: 4 proved, 2 refuted, 0 unknown, 0 accepted (N ms)
    sound.keys: a: 1 keyspace, 0 scans: 3 proved, 0 refuted, 0 unknown, 0 accepted (N ms)
    --- stderr
    error: there is no type or codec `nope`
     --> broken.keys:2:19
    2 | map m = 0x01 {id: nope} -> text
      |                   ^^^^
      help: declare it with `type NAME = …`, or use a codec

    broken.keys: 1 mistake
    --- exit 2
    ");
}

/// Two long values can have the same beginning and end.
#[test]
fn values_that_differ_do_not_look_the_same() {
    assert_snapshot!(refuted(check("store s\nmap t = {prefix: truncate(bytes[32])[8]}\n")), @"
    error[KS005]: two values of `prefix` of `t` have the same bytes
     --> layout.keys:2:9
    2 | map t = {prefix: truncate(bytes[32])[8]}
      |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ values are lost here
      one     prefix=0x6161616161…61616161…6161   61 61 61 61 61 61 61 61   aaaaaaaa
      other   prefix=0x6161616161…61616261…6161   61 61 61 61 61 61 61 61   aaaaaaaa
                                      ^^ they differ here
      in practice: 0x6161616161…61616161…6161 and 0x6161616161…61616261…6161 are stored as the same bytes, so no reader can tell them apart
      fix, proved, stored keys change:   map t = {prefix: bytes[32]}
    s: 1 keyspace, 0 scans: 2 proved, 1 refuted, 0 unknown, 0 accepted (N ms)
    ");
    assert_snapshot!(refuted(check("store s\nmap t = \"t\" {a: bytes[20..=32]} {b: text(r\"[a-z]{1,64}\")}\n")), @r#"
    error[KS002]: a key of `t` has two readings
     --> layout.keys:2:5
    2 | map t = "t" {a: bytes[20..=32]} {b: text(r"[a-z]{1,64}")}
      |     ^       ------------------- `a` can end in two places of one key
      key                                 74 61 61 61 61 61 61 61 61 61 61 61 61 61 61 61 61 61 61 61 61 61 61   taaaaaaaaaaaaaaaaaaaaaa
      one     a=0x6161616161…6161 b=aa    74|61 61 61 61 61 61 61 61 61 61 61 61 61 61 61 61 61 61 61 61|61 61
      other   a=0x6161616161…616161 b=a   74|61 61 61 61 61 61 61 61 61 61 61 61 61 61 61 61 61 61 61 61 61|61
                                                                                                         ^^ `b` in the one, still `a` in the other
      in practice: both rows have this key: writing one replaces the other, and no reader can tell them apart
      fix, proved, stored keys change:   map t = "t" {a: len8(bytes[20..=32])} {b: text(r"[a-z]{1,64}")}
      fix, proved, stored keys change:   map t = "t" {a: escaped(bytes[20..=32])} {b: text(r"[a-z]{1,64}")}
    s: 1 keyspace, 0 scans: 3 proved, 1 refuted, 0 unknown, 0 accepted (N ms)
    "#);
}

#[test]
fn a_place_of_several_lines_is_marked_at_both_ends() {
    assert_snapshot!(rejected(check("store s\nmap b = \"b\" {x: u8 in 5..=\n    3}\n")), @r#"
    error: the range `5..=3` is empty: its ends are reversed
     --> layout.keys:2:17
    2 | map b = "b" {x: u8 in 5..=
      |                 ^^^^^^^^^^
    3 |     3}
      |     ^

    layout.keys: 1 mistake
    "#);
}
