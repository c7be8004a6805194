//! `keyscape explain`

use crate::harness::{BANK, Folder, VARIED, printed, refuted, rejected};
use insta::assert_snapshot;

fn explain(layout: &str, keys: &[&str]) -> String {
    let folder = Folder::new().file("l.keys", layout);
    folder.run(&[&["explain", "l.keys"], keys].concat())
}

#[test]
fn every_byte_has_its_part() {
    assert_snapshot!(printed(explain(BANK, &["02036162637561746f6d"])), @"
    bank/balances   One balance per account and denomination.
      0  02 03 61 62 63 75 61 74 6f 6d   ··abcuatom
         └┘ └─────────┘ └────────────┘
      at 0   02               (literal)
      at 1   03 61 62 63      owner       cosmos1v93xxypu0r4
      at 5   75 61 74 6f 6d   denom       uatom
    ");
}

#[test]
fn long_keys_take_several_lines() {
    let key = format!("036962632f3132616200{}{}", "20", "61".repeat(32));
    assert_snapshot!(printed(explain(BANK, &[&key])), @"
    bank/holders   The owners of each denomination.
       0  03 69 62 63 2f 31 32 61 62 00 20 61 61 61 61 61   ·ibc/12ab· aaaaa
          └┘ └─────────────────────┘ └┘ └────────────────
      16  61 61 61 61 61 61 61 61 61 61 61 61 61 61 61 61   aaaaaaaaaaaaaaaa
          ───────────────────────────────────────────────
      32  61 61 61 61 61 61 61 61 61 61 61                  aaaaaaaaaaa
          ───────────────────────────────┘
      at 0    03                                   (literal)
      at 1    69 62 63 2f 31 32 61 62              denom       ibc/12ab
      at 9    00                                   (literal)
      at 10   20 61 61 61 61 61 61 61 61 … 61 61   owner       cosmos1v9skzctpv9skzctpv9skzctpv9skzctpv9skzctpv9skzctpv9sss506zq
    ");
}

#[test]
fn parts_of_fields_and_arms_have_their_path() {
    assert_snapshot!(printed(explain(VARIED, &["010b2f377c6c6f77", "02040302015f39", "04"])), @r#"
    varied/shares
      0  01 0b 2f 37 7c 6c 6f 77   ··/7|low
         └┘ └┘ └┘ └┘ └┘ └──────┘
      at 0   01         (literal)
      at 1   0b         (literal)
      at 2   2f         (literal)          "/"
      at 3   37         name.spread.pool   7
      at 4   7c         (literal)          "|"
      at 5   6c 6f 77   level              low

    varied/outputs
      0  02 04 03 02 01 5f 39   ·····_9
         └┘ └─────────┘ └┘ └┘
      at 0   02            (literal)
      at 1   04 03 02 01   outpoint.txid   01020304
      at 5   5f            (literal)       "_"
      at 6   39            outpoint.vout   9

    varied/blobs
      0  04   ·
         └┘
      at 0   04        (literal)
      at 1   (empty)   raw         ""
    "#);
}

#[test]
fn several_readings_are_all_shown() {
    let layout = "store s\nmap pairs = {a: text(r\"[a-z]+\")} {b: text(r\"[a-z]+\")} -> text\n";
    assert_snapshot!(printed(explain(layout, &["616263"])), @"
    this key has 2 readings

    s/pairs
      0  61 62 63   abc
         └┘ └───┘
      at 0   61      a   a
      at 1   62 63   b   bc

    s/pairs
      0  61 62 63   abc
         └───┘ └┘
      at 0   61 62   a   ab
      at 2   63      b   c
    ");
}

/// The key is complete, so the message must not say that it ends too early.
#[test]
fn a_wrong_digest_is_named() {
    let layout = "store s\nmap m = \"c\" {who: twox_64_concat(u64be)} -> empty";
    let said = explain(layout, &["6300000000000000000000000000000007"]);
    let expected = "`m`: bytes 1 to 16 do not fit `who`, twox_64_concat(u64be): \
                    the digest does not match the bytes that follow it";
    assert!(said.contains(expected) && !said.contains("too early"), "{said}");
}

#[test]
fn an_unknown_key_gets_the_byte_where_each_reading_fails() {
    assert_snapshot!(refuted(explain(BANK, &["020361"])), @"
    this key belongs to no keyspace; the nearest keyspaces match it this far:
      02 03 61   ··a
               ^^ `balances`: the key ends too early, in `owner`, len8(bytes[1..=255])
    ");
    assert_snapshot!(refuted(explain(BANK, &["02036162632161746f6d"])), @r#"
    this key belongs to no keyspace; the nearest keyspaces match it this far:
      02 03 61 62 63 21 61 74 6f 6d   ··abc!atom
                     ^^ `balances`: byte 5 (0x21) does not fit `denom`, text(r"[a-zA-Z][a-zA-Z0-9/:._-]{2,127}")
    "#);
    assert_snapshot!(refuted(explain(BANK, &["ff", ""])), @"
    this key belongs to no keyspace; the nearest keyspaces match it this far:
      ff   ·
      ^^ `balances`: byte 0 is 0xff, expected 0x02
      ^^ `holders`: byte 0 is 0xff, expected 0x03

    this key belongs to no keyspace; the nearest keyspaces match it this far:
      (empty)
      ^^ `balances`: the key ends too early, expected 0x02
      ^^ `holders`: the key ends too early, expected 0x03
    ");
    assert_snapshot!(refuted(explain(VARIED, &["010b2f37"])), @"
    this key belongs to no keyspace; the nearest keyspaces match it this far:
      01 0b 2f 37   ··/7
                  ^^ `shares`: the key ends too early, expected 0x7c
    ");
    assert_snapshot!(refuted(explain(VARIED, &["02040302015f3900"])), @"
    this key belongs to no keyspace; the nearest keyspaces match it this far:
      02 04 03 02 01 5f 39 00   ·····_9·
                           ^^ `outputs`: the key should have ended here
    ");
}

#[test]
fn a_malformed_key_does_not_stop_the_others() {
    assert_snapshot!(explain(BANK, &["020", "02036162637561746f6d"]), @"
    --- stdout
    bank/balances   One balance per account and denomination.
      0  02 03 61 62 63 75 61 74 6f 6d   ··abcuatom
         └┘ └─────────┘ └────────────┘
      at 0   02               (literal)
      at 1   03 61 62 63      owner       cosmos1v93xxypu0r4
      at 5   75 61 74 6f 6d   denom       uatom
    --- stderr
    error: key 1: an odd number of hexadecimal digits (3); a byte has two
    --- exit 2
    ");
}

const COMBINED: &str = r#"store s
map account = twox128("System") {who: blake2_128_concat(u8)}
map names = 0x02 wrap escaped01("t" {user: bytes[0..=4]} {n: u8}) {z: u8}
map checked = 0x04 {= sha256(owner, id)[4]} {owner: len8(bytes[0..=20])} {id: u16be}"#;

#[test]
fn hashed_literals_wraps_and_derived_bytes_are_described() {
    assert_snapshot!(printed(explain(COMBINED, &["26aa394eea5630e07c48ae0c9558cef75fef29fe05e030ddcf820ede2856281807", "027400ff0100ff000107", "04686119c60161002a"])), @r#"
    s/account
       0  26 aa 39 4e ea 56 30 e0 7c 48 ae 0c 95 58 ce f7   &·9N·V0·|H···X··
          └─────────────────────────────────────────────┘
      16  5f ef 29 fe 05 e0 30 dd cf 82 0e de 28 56 28 18   _·)···0·····(V(·
          └──────────────────────────────────────────────
      32  07                                                ·
          ─┘
      at 0    26 aa 39 4e ea 56 30 e0 7c … ce f7   (literal)   twox_128("System")
      at 16   5f ef 29 fe 05 e0 30 dd cf … 18 07   who         7

    s/names
      0  02 74 00 ff 01 00 ff 00 01 07   ·t········
         └┘ └┘ └──────┘ └───┘ └───┘ └┘
      at 0   02         (literal)
      at 1   74         (literal)   escaped01("t")
      at 2   00 ff 01   user        0x0001
      at 5   00 ff      n           0
      at 7   00 01      (literal)   end of escaped01
      at 9   07         z           7

    s/checked
      0  04 68 61 19 c6 01 61 00 2a   ·ha···a·*
         └┘ └─────────┘ └───┘ └───┘
      at 0   04            (literal)
      at 1   68 61 19 c6   = sha256(owner, id)[4]   0x686119c6
      at 5   01 61         owner                    0x61
      at 7   00 2a         id                       42
    "#);
}

#[test]
fn a_wrong_digest_is_shown_with_the_right_byte() {
    assert_snapshot!(refuted(explain(COMBINED, &["04686119000161002a"])), @"
    this key belongs to no keyspace; the nearest keyspaces match it this far:
      04 68 61 19 00 01 61 00 2a   ·ha···a·*
                  ^^ `checked`: byte 4 is 0x00, and `= sha256(owner, id)[4]` has 0xc6 there
    ");
}

#[test]
fn bytes_may_be_separated_and_begin_with_0x() {
    let folder = Folder::new().file("bank.keys", BANK);
    let explain = |key: &str| folder.run(&["explain", "bank.keys", key]);
    let plain = explain("020141757374");
    assert!(plain.contains("denom"), "{plain}");
    for key in ["0x020141757374", "02 01 41 75 73 74", "02:01:41:75:73:74", "0x02 0x0141 75 73 74"]
    {
        assert_eq!(explain(key), plain, "{key}");
        let decoded = folder.run(&["decode", "bank.keys", key]);
        assert!(decoded.ends_with("--- exit 0\n"), "{key}: {decoded}");
        let lines = folder.run_with(&["decode", "bank.keys"], key);
        assert!(lines.ends_with("--- exit 0\n"), "{key}: {lines}");
    }
    assert_snapshot!(rejected(explain("02 01 4")), @"error: key 1: `4` has an odd number of hexadecimal digits; a byte has two");
    assert_snapshot!(rejected(explain("02-01")), @"error: key 1: `-` at position 3 is not a hexadecimal digit");
}
