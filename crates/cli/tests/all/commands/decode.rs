//! `keyscape decode`

use crate::harness::{BANK, Folder, VARIED, printed, refuted, rejected};
use insta::assert_snapshot;

fn bank(args: &[&str], stdin: &str) -> String {
    let folder = Folder::new().file("bank.keys", BANK);
    folder.run_with(&[&["decode", "bank.keys"], args].concat(), stdin)
}

#[test]
fn keys_are_arguments_or_lines() {
    assert_snapshot!(printed(bank(&["02036162637561746f6d"], "")), @r#"{"key":"02036162637561746f6d","readings":[{"store":"bank","keyspace":"balances","fields":{"owner":"cosmos1v93xxypu0r4","denom":"uatom"}}]}"#);
    assert_snapshot!(printed(bank(&[], "0x02036162637561746F6D\r\n\n  03756174000161\n")), @r#"
    {"key":"02036162637561746f6d","readings":[{"store":"bank","keyspace":"balances","fields":{"owner":"cosmos1v93xxypu0r4","denom":"uatom"}}]}
    {"key":"03756174000161","readings":[{"store":"bank","keyspace":"holders","fields":{"denom":"uat","owner":"cosmos1vyl8dkts"}}]}
    "#);
    assert_snapshot!(printed(bank(&["--input", "base64", "AgNhYmN1YXRvbQ=="], "")), @r#"{"key":"02036162637561746f6d","readings":[{"store":"bank","keyspace":"balances","fields":{"owner":"cosmos1v93xxypu0r4","denom":"uatom"}}]}"#);
}

#[test]
fn an_unknown_key_gets_the_nearest_readings() {
    assert_snapshot!(refuted(bank(&["0203", "99", "037561740100", ""], "")), @r#"
    {"key":"0203","readings":[],"nearest":[{"store":"bank","keyspace":"balances","offset":2,"expected":"{owner: len8(bytes[1..=255])}"},{"store":"bank","keyspace":"holders","offset":0,"expected":"0x03"}]}
    {"key":"99","readings":[],"nearest":[{"store":"bank","keyspace":"balances","offset":0,"expected":"0x02"},{"store":"bank","keyspace":"holders","offset":0,"expected":"0x03"}]}
    {"key":"037561740100","readings":[],"nearest":[{"store":"bank","keyspace":"holders","offset":4,"expected":"0x00"},{"store":"bank","keyspace":"balances","offset":0,"expected":"0x02"}]}
    {"key":"","readings":[],"nearest":[{"store":"bank","keyspace":"balances","offset":0,"expected":"0x02"},{"store":"bank","keyspace":"holders","offset":0,"expected":"0x03"}]}
    "#);
}

#[test]
fn malformed_lines_are_reported_and_the_others_decoded() {
    assert_snapshot!(bank(&[], "0203616\nzz\n02036162637561746f6d\n0é\n"), @r#"
    --- stdout
    {"key":"02036162637561746f6d","readings":[{"store":"bank","keyspace":"balances","fields":{"owner":"cosmos1v93xxypu0r4","denom":"uatom"}}]}
    --- stderr
    error: line 1: an odd number of hexadecimal digits (7); a byte has two
    error: line 2: `z` at position 1 is not a hexadecimal digit
    error: line 4: `é` at position 2 is not a hexadecimal digit
    --- exit 2
    "#);
    assert_snapshot!(rejected(bank(&["--input", "base64"], "AgNhYmN1YXRvbQ\n!!!!\n")), @"
    error: line 1: invalid base64: wrong length or padding
    error: line 2: `!` at position 1 is not a base64 character
    ");
    assert_snapshot!(rejected(bank(&["0203616"], "")), @"error: key 1: an odd number of hexadecimal digits (7); a byte has two");
}

#[test]
fn bytes_that_are_not_utf8_are_reported() {
    let folder = Folder::new().file("bank.keys", BANK);
    assert_snapshot!(rejected(folder.run_with(&["decode", "bank.keys"], b"02\xff\xfe\n")), @r"error: line 1: `\xff` at position 3 is not a hexadecimal digit");
}

#[test]
fn a_key_with_several_readings_has_them_all() {
    let layout = "store s\nmap pairs = {a: text(r\"[a-z]+\")} {b: text(r\"[a-z]+\")} -> text\n";
    let folder = Folder::new().file("s.keys", layout);
    assert_snapshot!(printed(folder.run(&["decode", "s.keys", "616263"])), @r#"{"key":"616263","readings":[{"store":"s","keyspace":"pairs","fields":{"a":"a","b":"bc"}},{"store":"s","keyspace":"pairs","fields":{"a":"ab","b":"c"}}]}"#);
    let many = "61".repeat(20);
    let text = folder.run(&["decode", "s.keys", &many]);
    assert!(text.contains(r#"],"more":true}"#), "{text}");
}

#[test]
fn values_of_all_shapes_are_json() {
    let folder = Folder::new().file("v.keys", VARIED);
    let keys = [
        "010b2f377c6c6f77",
        "010c7c686967683a616263",
        "02040302015f39",
        "03ff00200000000000007fffffffffffffff4000000000000000",
        "0300002000000000000180000000000000004000000000000000",
        "0430783431",
        "04ff",
        "0422090a5c",
    ];
    assert_snapshot!(printed(folder.run(&[&["decode", "v.keys"], &keys[..]].concat())), @r#"
    {"key":"010b2f377c6c6f77","readings":[{"store":"varied","keyspace":"shares","fields":{"name":{"spread":{"pool":7}},"level":"low"}}]}
    {"key":"010c7c686967683a616263","readings":[{"store":"varied","keyspace":"shares","fields":{"name":{"none":{}},"level":"high","note":"abc"}}]}
    {"key":"02040302015f39","readings":[{"store":"varied","keyspace":"outputs","fields":{"outpoint":{"txid":"01020304","vout":9}}}]}
    {"key":"03ff00200000000000007fffffffffffffff4000000000000000","readings":[{"store":"varied","keyspace":"numbers","fields":{"small":255,"big":9007199254740992,"signed":-1,"ratio":-1.9999999999999998}}]}
    {"key":"0300002000000000000180000000000000004000000000000000","readings":[{"store":"varied","keyspace":"numbers","fields":{"small":0,"big":"9007199254740993","signed":0,"ratio":-1.9999999999999998}}]}
    {"key":"0430783431","readings":[{"store":"varied","keyspace":"blobs","fields":{"raw":"0x30783431"}}]}
    {"key":"04ff","readings":[{"store":"varied","keyspace":"blobs","fields":{"raw":"0xff"}}]}
    {"key":"0422090a5c","readings":[{"store":"varied","keyspace":"blobs","fields":{"raw":"\"\t\n\\"}}]}
    "#);
}

#[test]
fn a_store_can_be_chosen() {
    let layout = "store a\nmap m = 0x01 {i: u8} -> text\nstore b\nmap n = 0x01 {j: u8} -> text\n";
    let folder = Folder::new().file("l.keys", layout);
    assert_snapshot!(printed(folder.run(&["decode", "l.keys", "0105"])), @r#"{"key":"0105","readings":[{"store":"a","keyspace":"m","fields":{"i":5}},{"store":"b","keyspace":"n","fields":{"j":5}}]}"#);
    assert_snapshot!(printed(folder.run(&["decode", "l.keys", "--store", "b", "0105"])), @r#"{"key":"0105","readings":[{"store":"b","keyspace":"n","fields":{"j":5}}]}"#);
    assert_snapshot!(rejected(folder.run(&["decode", "l.keys", "--store", "c", "0105"])), @"
    error: there is no store `c`
      help: stores: `a`, `b`
    ");
    assert_snapshot!(rejected(folder.run(&["decode", "l.keys", "--fields-of", "m", "0105"])), @"
    error: `m` is of kind `map`, not `hash`
      help: the layout has no keyspace of kind `hash`
    ");
}

/// Few values have an exact automaton, which stops at a byte of the digest.
#[test]
fn a_wrong_digest_is_named_in_a_list_too() {
    let layout = "store s\nmap m = 0x01 {x: list(blake2_128_concat(u8))[1..=2]}\n\
        map n = 0x02 {id: bytes[2]} {= sha256(id)[4]}\n";
    let folder = Folder::new().file("s.keys", layout);
    let decode = |key: &str| folder.run(&["decode", "s.keys", key]);
    let wrong = decode("010000000000000000000000000000000005");
    let expected = r#""offset":1,"expected":"{x: blake2_128_concat(u8)}: the digest does not match the bytes that follow it""#;
    assert!(wrong.contains(expected), "{wrong}");
    let cut = decode("02010203");
    assert!(cut.contains(r#""offset":4,"expected":"{= sha256(id)[4]}""#), "{cut}");
}
