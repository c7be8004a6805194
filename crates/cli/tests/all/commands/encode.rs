//! `keyscape encode`

use crate::harness::{BANK, Folder, VARIED};
use insta::assert_snapshot;

fn bank(args: &[&str]) -> String {
    let folder = Folder::new().file("bank.keys", BANK);
    folder.run(&[&["encode", "bank.keys"], args].concat())
}

fn varied(args: &[&str]) -> String {
    let folder = Folder::new().file("varied.keys", VARIED);
    folder.run(&[&["encode", "varied.keys"], args].concat())
}

#[test]
fn values_become_a_key() {
    assert_snapshot!(bank(&["balances", "owner=0x616263", "denom=uatom"]), @"
    --- stdout
    02036162637561746f6d
    --- exit 0
    ");
    assert_snapshot!(bank(&["bank/balances", "denom=uatom", "owner=cosmos1v93xxypu0r4"]), @"
    --- stdout
    02036162637561746f6d
    --- exit 0
    ");
    assert_snapshot!(
        bank(&["balances", "--json", r#"{"owner": "0x616263"}"#, "denom=uatom", "--format", "base64"]),
        @"
    --- stdout
    AgNhYmN1YXRvbQ==
    --- exit 0
    "
    );
}

#[test]
fn a_scan_takes_its_leading_fields_only() {
    assert_snapshot!(bank(&["balances", "--scan", "owner", "owner=0x616263"]), @"
    --- stdout
    0203616263
    --- exit 0
    ");
    assert_snapshot!(bank(&["holders", "--scan", "denom", "denom=uatom"]), @"
    --- stdout
    037561746f6d00
    --- exit 0
    ");
    assert_snapshot!(bank(&["balances", "--scan", "owner", "owner=0x61", "denom=uatom"]), @"
    --- stderr
    error: `denom` is not a leading field of scan `owner`
      help: this scan takes `owner`
    --- exit 2
    ");
    assert_snapshot!(bank(&["balances", "--scan", "ownr"]), @"
    --- stderr
    error: there is no scan `ownr`
      help: did you mean `owner`?
    --- exit 2
    ");
    assert_snapshot!(bank(&["balances", "--scan", "owner"]), @"
    --- stderr
    error: field `owner` is missing
      help: fields: `owner`
    --- exit 2
    ");
    assert_snapshot!(varied(&["numbers", "--scan", "all"]), @"
    --- stdout
    03
    --- exit 0
    ");
    assert_snapshot!(varied(&["outputs", "--scan", "outpoint.txid", "outpoint.txid=01020304"]), @"
    --- stdout
    02040302015f
    --- exit 0
    ");
}

#[test]
fn composites_variants_and_options_are_dotted_or_json() {
    assert_snapshot!(varied(&["shares", "name.spread.pool=7", "level=low"]), @"
    --- stdout
    010b2f377c6c6f77
    --- exit 0
    ");
    assert_snapshot!(varied(&["shares", r#"name={"spread": {"pool": 7}}"#, "level=low"]), @"
    --- stdout
    010b2f377c6c6f77
    --- exit 0
    ");
    assert_snapshot!(varied(&["shares", "name=none", "level=high", "note=abc"]), @"
    --- stdout
    010c7c686967683a616263
    --- exit 0
    ");
    assert_snapshot!(varied(&["outputs", "outpoint.txid=01020304", "outpoint.vout=9"]), @"
    --- stdout
    02040302015f39
    --- exit 0
    ");
    assert_snapshot!(
        varied(&["outputs", "--json", r#"{"outpoint": {"txid": "0x04030201"}}"#, "outpoint.vout=9"]),
        @"
    --- stdout
    02040302015f39
    --- exit 0
    "
    );
    assert_snapshot!(varied(&["numbers", "small=1", "big=2", "signed=-3", "ratio=-1.5"]), @"
    --- stdout
    030100000000000000027ffffffffffffffd4007ffffffffffff
    --- exit 0
    ");
}

#[test]
fn names_that_do_not_exist_get_a_suggestion() {
    assert_snapshot!(bank(&["balance"]), @"
    --- stderr
    error: there is no keyspace `balance`
      help: did you mean `balances`?
    --- exit 2
    ");
    assert_snapshot!(bank(&["bnk/balances"]), @"
    --- stderr
    error: there is no keyspace `bnk/balances`
      help: did you mean `bank/balances`?
    --- exit 2
    ");
    assert_snapshot!(bank(&["x"]), @"
    --- stderr
    error: there is no keyspace `x`
      help: keyspaces: `balances`, `holders`
    --- exit 2
    ");
    assert_snapshot!(bank(&["balances", "ownr=0x61"]), @"
    --- stderr
    error: there is no field `ownr`
      help: did you mean `owner`?
    --- exit 2
    ");
    assert_snapshot!(bank(&["balances", "q=0x61"]), @"
    --- stderr
    error: there is no field `q`
      help: fields: `owner`, `denom`
    --- exit 2
    ");
    assert_snapshot!(varied(&["shares", "name.sprea.pool=7"]), @"
    --- stderr
    error: field `name`: `sprea` is not one of its arms
      help: did you mean `spread`?
    --- exit 2
    ");
    assert_snapshot!(varied(&["shares", "level=lo"]), @"
    --- stderr
    error: field `level`: `lo` is not one of its texts
      help: did you mean `low`?
    --- exit 2
    ");
}

#[test]
fn a_name_that_several_stores_use_must_say_which() {
    let layout = "store a\nmap m = 0x01 {i: u8} -> text\nstore b\nmap m = 0x02 {i: u8} -> text\n";
    let folder = Folder::new().file("l.keys", layout);
    assert_snapshot!(folder.run(&["encode", "l.keys", "m", "i=1"]), @"
    --- stderr
    error: several stores have a keyspace `m`
      help: choose one of `a/m`, `b/m`
    --- exit 2
    ");
    assert_snapshot!(folder.run(&["encode", "l.keys", "b/m", "i=1"]), @"
    --- stdout
    0201
    --- exit 0
    ");
}

#[test]
fn missing_and_doubled_fields_are_named() {
    assert_snapshot!(bank(&["balances"]), @"
    --- stderr
    error: field `owner` is missing
      help: fields: `owner`, `denom`
    --- exit 2
    ");
    assert_snapshot!(bank(&["balances", "owner=0x61", "owner=0x62"]), @"
    --- stderr
    error: field `owner` is given twice
    --- exit 2
    ");
    assert_snapshot!(varied(&["outputs", "outpoint.txid=01020304"]), @"
    --- stderr
    error: field `outpoint.vout` is missing
      help: fields: `outpoint.txid`, `outpoint.vout`
    --- exit 2
    ");
    assert_snapshot!(bank(&["balances", "owner"]), @"
    --- stderr
    error: `owner` is not of the form `field=value`
      help: for example `owner=cosmos1djp22cktszx3p43jh6yus5f7hakf98e53qxht8`
    --- exit 2
    ");
}

#[test]
fn wrong_digits_are_pointed_at() {
    assert_snapshot!(bank(&["balances", "owner=0x616", "denom=uatom"]), @"
    --- stderr
    error: field `owner`: `0x616`: an odd number of hexadecimal digits (3); a byte has two
    --- exit 2
    ");
    assert_snapshot!(bank(&["balances", "owner=0x61é1", "denom=uatom"]), @"
    --- stderr
    error: field `owner`: `0x61é1`: `é` at position 5 is not a hexadecimal digit
    --- exit 2
    ");
    assert_snapshot!(varied(&["numbers", "small=1x"]), @"
    --- stderr
    error: field `small`: `1x` is not an integer: `x` at position 2 is not a digit
      help: expected an integer from 0 to 255
    --- exit 2
    ");
    assert_snapshot!(varied(&["numbers", "small="]), @"
    --- stderr
    error: field `small`: the value is empty
      help: expected an integer from 0 to 255
    --- exit 2
    ");
    assert_snapshot!(varied(&["numbers", "small=256"]), @"
    --- stderr
    error: field `small`: `256` is outside its domain
      help: expected an integer from 0 to 255
    --- exit 2
    ");
    assert_snapshot!(varied(&["numbers", "small=-1"]), @"
    --- stderr
    error: field `small`: `-1` is outside its domain
      help: expected an integer from 0 to 255
    --- exit 2
    ");
    assert_snapshot!(varied(&["numbers", "ratio=abc"]), @"
    --- stderr
    error: field `ratio`: `abc` is not a number
      help: expected a number
    --- exit 2
    ");
    assert_snapshot!(varied(&["numbers", "ratio=NaN"]), @"
    --- stderr
    error: field `ratio`: `NaN` is outside its domain
      help: expected a number other than NaN and -0
    --- exit 2
    ");
    assert_snapshot!(varied(&["numbers", "--json", r#"{"small": 1.5}"#]), @"
    --- stderr
    error: field `small`: `1.5` is not written as an integer
      help: expected an integer from 0 to 255, without a fraction or an exponent
    --- exit 2
    ");
    assert_snapshot!(varied(&["numbers", "--json", r#"{"big": 1e30}"#]), @"
    --- stderr
    error: field `big`: `1e+30` is not an integer that JSON represents exactly
      help: expected an integer from 0 to 18446744073709551615; write a large integer as text, in quotes
    --- exit 2
    ");
}

#[test]
fn values_outside_of_their_domain_are_refused_with_what_is_allowed() {
    assert_snapshot!(bank(&["balances", "owner=0x61", "denom=u!x"]), @"
    --- stderr
    error: field `denom`: `!` at position 2 of `u!x` is not allowed
      help: expected text matching `[a-zA-Z][a-zA-Z0-9/:._-]{2,127}`
    --- exit 2
    ");
    assert_snapshot!(bank(&["balances", "owner=0x61", "denom=u"]), @"
    --- stderr
    error: field `denom`: `u` ends too early
      help: expected text matching `[a-zA-Z][a-zA-Z0-9/:._-]{2,127}`
    --- exit 2
    ");
    assert_snapshot!(bank(&["balances", "owner=0x", "denom=uatom"]), @"
    --- stderr
    error: field `owner`: `0x` ends too early
      help: expected 1 to 255 bytes
    --- exit 2
    ");
    assert_snapshot!(bank(&["balances", "owner=cosmos1xx", "denom=uatom"]), @"
    --- stderr
    error: field `owner`: `cosmos1xx`: expected bech32 text: text is not bech32 or its checksum is wrong
      help: bytes can also be written as `0x` and hexadecimal digits
    --- exit 2
    ");
    assert_snapshot!(varied(&["outputs", "outpoint.txid=0102", "outpoint.vout=1"]), @"
    --- stderr
    error: field `outpoint.txid`: `0102` ends too early
      help: expected 4 bytes
    --- exit 2
    ");
}

#[test]
fn shapes_that_do_not_fit_are_refused() {
    assert_snapshot!(varied(&["outputs", "outpoint=5"]), @"
    --- stderr
    error: field `outpoint`: expected an object with `txid`, `vout`, got text
    --- exit 2
    ");
    assert_snapshot!(varied(&["shares", "name.spread.pool=1", "name.none={}"]), @r#"
    --- stderr
    error: field `name`: expected an object with the name of one arm, such as {"spread": {…}}, got an object with several names
    --- exit 2
    "#);
    assert_snapshot!(varied(&["shares", "--json", r#"{"level": 3}"#]), @"
    --- stderr
    error: field `level`: expected one of its texts, got a number
    --- exit 2
    ");
    assert_snapshot!(varied(&["numbers", "--json", r#"{"small": null}"#]), @"
    --- stderr
    error: field `small`: expected an integer from 0 to 255, got `null`
    --- exit 2
    ");
    assert_snapshot!(varied(&["numbers", "--json", "[1]"]), @r#"
    --- stderr
    error: `--json` is not an object
      help: for example `{"small": …}`
    --- exit 2
    "#);
    assert_snapshot!(varied(&["numbers", "--json", "{"]), @"
    --- stderr
    error: `--json` is not JSON: EOF while parsing an object at line 1 column 1
    --- exit 2
    ");
}

#[test]
fn a_part_that_its_guard_leaves_out_must_be_left_out() {
    let layout = r#"store g
type Kind = "all" | "one"
map m = {kind: Kind} "-" [{who: dec(u8)} if kind is one] -> text
"#;
    let folder = Folder::new().file("g.keys", layout);
    assert_snapshot!(folder.run(&["encode", "g.keys", "m", "kind=all", "who=1"]), @"
    --- stderr
    error: field `who` must be left out here: its part of the key is absent for these values
    --- exit 2
    ");
    assert_snapshot!(folder.run(&["encode", "g.keys", "m", "kind=one"]), @"
    --- stderr
    error: field `who` is missing
      help: fields: `kind`, `who`
    --- exit 2
    ");
    assert_snapshot!(folder.run(&["encode", "g.keys", "m", "kind=one", "who=1"]), @"
    --- stdout
    6f6e652d31
    --- exit 0
    ");
}

#[test]
fn fields_of_a_hash_are_encoded_by_their_full_name() {
    let layout = r#"store s structures
hash output = "h:" {id: u8}
    field events = "ev" -> json
    field data = "dt:" {tag: text(r"[a-z]+")} -> json
"#;
    let folder = Folder::new().file("s.keys", layout);
    assert_snapshot!(folder.run(&["encode", "s.keys", "output.data", "tag=x"]), @"
    --- stdout
    64743a78
    --- exit 0
    ");
    assert_snapshot!(folder.run(&["encode", "s.keys", "output.events"]), @"
    --- stdout
    6576
    --- exit 0
    ");
    assert_snapshot!(folder.run(&["decode", "s.keys", "--fields-of", "output", "64743a78"]), @r#"
    --- stdout
    {"key":"64743a78","readings":[{"store":"s","keyspace":"output.data","fields":{"tag":"x"}}]}
    --- exit 0
    "#);
    assert_snapshot!(folder.run(&["decode", "s.keys", "64743a78"]), @r#"
    --- stdout
    {"key":"64743a78","readings":[],"nearest":[{"store":"s","keyspace":"output","offset":0,"expected":"0x68"}]}
    --- exit 1
    "#);
}

#[test]
fn a_pair_is_an_array_of_two_integers() {
    let layout = "store s map sums = 0x01 {at: f64_sum(u32, u32 in 0..1e9, 1e9)}";
    let folder = Folder::new().file("sums.keys", layout);
    let encode = |args: &[&str]| folder.run(&[&["encode", "sums.keys", "sums"], args].concat());
    let key = "--- stdout\n01c129f0a000000421\n--- exit 0\n";
    assert_eq!(encode(&["at=[850000,123]"]), key);
    assert_eq!(encode(&["--json", r#"{"at": [850000, "123"]}"#]), key);
    for wrong in ["at=7", "at=[1]", "at=[1,2,3]", r#"at=[1,"x"]"#, "at=[1,-2]", "at=[true,2]"] {
        let error = encode(&[wrong]);
        assert!(error.contains("expected a pair of an integer from 0 to"), "{wrong}: {error}");
        assert!(error.contains("such as [1, 2]"), "{wrong}: {error}");
    }
    assert_snapshot!(encode(&["at=[1,1000000000]"]), @"
    --- stderr
    error: field `at`: `[1,1000000000]` is outside its domain
      help: expected a pair of an integer from 0 to 4294967295 and an integer from 0 to 999999999
    --- exit 2
    ");
    assert_snapshot!(encode(&["at=[1,0.5]"]), @"
    --- stderr
    error: field `at`: `0.5` is not written as an integer
      help: expected a pair of an integer from 0 to 4294967295 and an integer from 0 to 999999999, without a fraction or an exponent
    --- exit 2
    ");
}

/// The leading part ends inside the literal with which the next field begins.
#[test]
fn a_scan_may_end_in_a_literal_of_the_next_field() {
    let folder = Folder::new().file(
        "l.keys",
        "store s\ntype T = \"x\" {z: u8}\nmap k = \"c\" {a: u8} {f: T} {g: u8}\n    scan a\n    scan all\n    scan a, f.z\n",
    );
    let encode = |args: &[&str]| folder.run(&[&["encode", "l.keys", "k"], args].concat());
    assert_snapshot!(encode(&["--scan", "a", "a=1"]), @"
    --- stdout
    630178
    --- exit 0
    ");
    assert_snapshot!(encode(&["--scan", "all"]), @"
    --- stdout
    63
    --- exit 0
    ");
    assert_snapshot!(encode(&["--scan", "a,f.z", "a=1"]), @"
    --- stderr
    error: field `f` is missing
      help: fields: `a`, `f.z`
    --- exit 2
    ");
}

#[test]
fn what_was_given_instead_is_said_in_short() {
    assert_snapshot!(bank(&["balances", "--json", r#"{"owner":null,"denom":"uatom"}"#]), @"
    --- stderr
    error: field `owner`: expected 1 to 255 bytes, got `null`
    --- exit 2
    ");
    assert_snapshot!(varied(&["numbers", "small=1", "big=[1]", "signed=0", "ratio=0"]), @"
    --- stderr
    error: field `big`: `[1]` is not an integer: `[` at position 1 is not a digit
      help: expected an integer from 0 to 18446744073709551615
    --- exit 2
    ");
    let long = format!("owner=0x{}g", "61".repeat(300));
    assert_snapshot!(bank(&["balances", &long, "denom=uatom"]), @"
    --- stderr
    error: field `owner`: `0x6161616161…161g`: `g` at position 603 is not a hexadecimal digit
    --- exit 2
    ");
    let digits = ["numbers", "small=1", "big=1", "signed=0", "ratio=1e400"];
    assert_snapshot!(varied(&digits), @"
    --- stderr
    error: field `ratio`: `1e400` is outside its domain
      help: expected a number other than NaN and -0
    --- exit 2
    ");
    assert_snapshot!(varied(&["numbers", "small=1", "big=1", "signed=0", "ratio=inf"]), @"
    --- stdout
    030100000000000000018000000000000000fff0000000000000
    --- exit 0
    ");
}
