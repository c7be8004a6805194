//! `keyscape encode`

use crate::harness::{BANK, Folder, VARIED, printed, refuted, rejected};
use insta::assert_snapshot;

fn bank(args: &[&str]) -> String {
    let folder = Folder::new().file("bank.keys", BANK);
    folder.run(&[&["encode", "bank.keys"], args].concat())
}

fn varied(args: &[&str]) -> String {
    let folder = Folder::new().file("varied.keys", VARIED);
    folder.run(&[&["encode", "varied.keys"], args].concat())
}

/// Checks the keys that commands print.
fn check_keys(run: fn(&[&str]) -> String, cases: &[(&[&str], &str)]) {
    for (args, key) in cases {
        assert_eq!(printed(run(args)), format!("{key}\n"), "{args:?}");
    }
}

#[test]
fn values_become_a_key() {
    let json = r#"{"owner": "0x616263"}"#;
    check_keys(
        bank,
        &[
            (&["balances", "owner=0x616263", "denom=uatom"], "02036162637561746f6d"),
            (&["bank/balances", "denom=uatom", "owner=cosmos1v93xxypu0r4"], "02036162637561746f6d"),
            (
                &["balances", "--json", json, "denom=uatom", "--format", "base64"],
                "AgNhYmN1YXRvbQ==",
            ),
        ],
    );
}

#[test]
fn a_scan_takes_its_leading_fields_only() {
    check_keys(
        bank,
        &[
            (&["balances", "--scan", "owner", "owner=0x616263"], "0203616263"),
            (&["holders", "--scan", "denom", "denom=uatom"], "037561746f6d00"),
        ],
    );
    check_keys(
        varied,
        &[
            (&["numbers", "--scan", "all"], "03"),
            (&["outputs", "--scan", "outpoint.txid", "outpoint.txid=01020304"], "02040302015f"),
        ],
    );
    assert_snapshot!(rejected(bank(&["balances", "--scan", "owner", "owner=0x61", "denom=uatom"])), @"
    error: `denom` is not a leading field of scan `owner`
      help: this scan takes `owner`
    ");
    assert_snapshot!(rejected(bank(&["balances", "--scan", "ownr"])), @"
    error: there is no scan `ownr`
      help: did you mean `owner`?
    ");
    assert_snapshot!(rejected(bank(&["balances", "--scan", "owner"])), @"
    error: field `owner` is missing
      help: fields: `owner`
    ");
}

#[test]
fn composites_variants_and_options_are_dotted_or_json() {
    let outpoint = r#"{"outpoint": {"txid": "0x04030201"}}"#;
    let numbers = ["numbers", "small=1", "big=2", "signed=-3", "ratio=-1.5"];
    check_keys(
        varied,
        &[
            (&["shares", "name.spread.pool=7", "level=low"], "010b2f377c6c6f77"),
            (&["shares", r#"name={"spread": {"pool": 7}}"#, "level=low"], "010b2f377c6c6f77"),
            (&["shares", "name=none", "level=high", "note=abc"], "010c7c686967683a616263"),
            (&["outputs", "outpoint.txid=01020304", "outpoint.vout=9"], "02040302015f39"),
            (&["outputs", "--json", outpoint, "outpoint.vout=9"], "02040302015f39"),
            (&numbers, "030100000000000000027ffffffffffffffd4007ffffffffffff"),
        ],
    );
}

#[test]
fn names_that_do_not_exist_get_a_suggestion() {
    assert_snapshot!(rejected(bank(&["balance"])), @"
    error: there is no keyspace `balance`
      help: did you mean `balances`?
    ");
    assert_snapshot!(rejected(bank(&["bnk/balances"])), @"
    error: there is no keyspace `bnk/balances`
      help: did you mean `bank/balances`?
    ");
    assert_snapshot!(rejected(bank(&["x"])), @"
    error: there is no keyspace `x`
      help: keyspaces: `balances`, `holders`
    ");
    assert_snapshot!(rejected(bank(&["balances", "ownr=0x61"])), @"
    error: there is no field `ownr`
      help: did you mean `owner`?
    ");
    assert_snapshot!(rejected(bank(&["balances", "q=0x61"])), @"
    error: there is no field `q`
      help: fields: `owner`, `denom`
    ");
    assert_snapshot!(rejected(varied(&["shares", "name.sprea.pool=7"])), @"
    error: field `name`: `sprea` is not one of its arms
      help: did you mean `spread`?
    ");
    assert_snapshot!(rejected(varied(&["shares", "level=lo"])), @"
    error: field `level`: `lo` is not one of its texts
      help: did you mean `low`?
    ");
}

#[test]
fn an_ambiguous_keyspace_needs_its_store() {
    let layout = "store a\nmap m = 0x01 {i: u8} -> text\nstore b\nmap m = 0x02 {i: u8} -> text\n";
    let folder = Folder::new().file("l.keys", layout);
    assert_snapshot!(rejected(folder.run(&["encode", "l.keys", "m", "i=1"])), @"
    error: several stores have a keyspace `m`
      help: choose one of `a/m`, `b/m`
    ");
    assert_snapshot!(printed(folder.run(&["encode", "l.keys", "b/m", "i=1"])), @"0201");
}

#[test]
fn missing_and_repeated_fields_are_reported() {
    assert_snapshot!(rejected(bank(&["balances"])), @"
    error: field `owner` is missing
      help: fields: `owner`, `denom`
    ");
    assert_snapshot!(rejected(bank(&["balances", "owner=0x61", "owner=0x62"])), @"error: field `owner` is given twice");
    assert_snapshot!(rejected(varied(&["outputs", "outpoint.txid=01020304"])), @"
    error: field `outpoint.vout` is missing
      help: fields: `outpoint.txid`, `outpoint.vout`
    ");
    assert_snapshot!(rejected(bank(&["balances", "owner"])), @"
    error: `owner` is not of the form `field=value`
      help: for example `owner=cosmos1djp22cktszx3p43jh6yus5f7hakf98e53qxht8`
    ");
}

#[test]
fn wrong_digits_are_reported_with_their_position() {
    assert_snapshot!(rejected(bank(&["balances", "owner=0x616", "denom=uatom"])), @"error: field `owner`: `0x616`: an odd number of hexadecimal digits (3); a byte has two");
    assert_snapshot!(rejected(bank(&["balances", "owner=0x61é1", "denom=uatom"])), @"error: field `owner`: `0x61é1`: `é` at position 5 is not a hexadecimal digit");
    assert_snapshot!(rejected(varied(&["numbers", "small=1x"])), @"
    error: field `small`: `1x` is not an integer: `x` at position 2 is not a digit
      help: expected an integer from 0 to 255
    ");
    assert_snapshot!(rejected(varied(&["numbers", "small="])), @"
    error: field `small`: the value is empty
      help: expected an integer from 0 to 255
    ");
    assert_snapshot!(rejected(varied(&["numbers", "small=256"])), @"
    error: field `small`: `256` is outside its domain
      help: expected an integer from 0 to 255
    ");
    assert_snapshot!(rejected(varied(&["numbers", "small=-1"])), @"
    error: field `small`: `-1` is outside its domain
      help: expected an integer from 0 to 255
    ");
    assert_snapshot!(rejected(varied(&["numbers", "ratio=abc"])), @"
    error: field `ratio`: `abc` is not a number
      help: expected a number
    ");
    assert_snapshot!(rejected(varied(&["numbers", "ratio=NaN"])), @"
    error: field `ratio`: `NaN` is outside its domain
      help: expected a number other than NaN and -0
    ");
    assert_snapshot!(rejected(varied(&["numbers", "--json", r#"{"small": 1.5}"#])), @"
    error: field `small`: `1.5` is not written as an integer
      help: expected an integer from 0 to 255, without a fraction or an exponent
    ");
    assert_snapshot!(rejected(varied(&["numbers", "--json", r#"{"big": 1e30}"#])), @"
    error: field `big`: `1e+30` is not an integer that JSON represents exactly
      help: expected an integer from 0 to 18446744073709551615; write a large integer as text, in quotes
    ");
}

#[test]
fn values_outside_their_domain_are_rejected_with_the_domain() {
    assert_snapshot!(rejected(bank(&["balances", "owner=0x61", "denom=u!x"])), @"
    error: field `denom`: `!` at position 2 of `u!x` is not allowed
      help: expected text matching `[a-zA-Z][a-zA-Z0-9/:._-]{2,127}`
    ");
    assert_snapshot!(rejected(bank(&["balances", "owner=0x61", "denom=u"])), @"
    error: field `denom`: `u` ends too early
      help: expected text matching `[a-zA-Z][a-zA-Z0-9/:._-]{2,127}`
    ");
    assert_snapshot!(rejected(bank(&["balances", "owner=0x", "denom=uatom"])), @"
    error: field `owner`: `0x` ends too early
      help: expected 1 to 255 bytes
    ");
    assert_snapshot!(rejected(bank(&["balances", "owner=cosmos1xx", "denom=uatom"])), @"
    error: field `owner`: `cosmos1xx`: expected bech32 text: text is not bech32 or its checksum is wrong
      help: bytes can also be written as `0x` and hexadecimal digits
    ");
    assert_snapshot!(rejected(varied(&["outputs", "outpoint.txid=0102", "outpoint.vout=1"])), @"
    error: field `outpoint.txid`: `0102` ends too early
      help: expected 4 bytes
    ");
}

#[test]
fn values_of_the_wrong_shape_are_rejected() {
    assert_snapshot!(rejected(varied(&["outputs", "outpoint=5"])), @"error: field `outpoint`: expected an object with `txid`, `vout`, got text");
    assert_snapshot!(rejected(varied(&["shares", "name.spread.pool=1", "name.none={}"])), @r#"error: field `name`: expected an object with the name of one arm, such as {"spread": {…}}, got an object with several names"#);
    assert_snapshot!(rejected(varied(&["shares", "--json", r#"{"level": 3}"#])), @"error: field `level`: expected one of its texts, got a number");
    assert_snapshot!(rejected(varied(&["numbers", "--json", r#"{"small": null}"#])), @"error: field `small`: expected an integer from 0 to 255, got `null`");
    assert_snapshot!(rejected(varied(&["numbers", "--json", "[1]"])), @r#"
    error: `--json` is not an object
      help: for example `{"small": …}`
    "#);
    assert_snapshot!(rejected(varied(&["numbers", "--json", "{"])), @"error: `--json` is not JSON: EOF while parsing an object at line 1 column 1");
}

#[test]
fn a_part_that_its_guard_leaves_out_must_be_left_out() {
    let layout = r#"store g
type Kind = "all" | "one"
map m = {kind: Kind} "-" [{who: dec(u8)} if kind is one] -> text
"#;
    let folder = Folder::new().file("g.keys", layout);
    assert_snapshot!(rejected(folder.run(&["encode", "g.keys", "m", "kind=all", "who=1"])), @"error: field `who` must be left out here: its part of the key is absent for these values");
    assert_snapshot!(rejected(folder.run(&["encode", "g.keys", "m", "kind=one"])), @"
    error: field `who` is missing
      help: fields: `kind`, `who`
    ");
    assert_snapshot!(printed(folder.run(&["encode", "g.keys", "m", "kind=one", "who=1"])), @"6f6e652d31");
}

#[test]
fn fields_of_a_hash_are_encoded_by_their_full_name() {
    let layout = r#"store s structures
hash output = "h:" {id: u8}
    field events = "ev" -> json
    field data = "dt:" {tag: text(r"[a-z]+")} -> json
"#;
    let folder = Folder::new().file("s.keys", layout);
    assert_snapshot!(printed(folder.run(&["encode", "s.keys", "output.data", "tag=x"])), @"64743a78");
    assert_snapshot!(printed(folder.run(&["encode", "s.keys", "output.events"])), @"6576");
    assert_snapshot!(printed(folder.run(&["decode", "s.keys", "--fields-of", "output", "64743a78"])), @r#"{"key":"64743a78","readings":[{"store":"s","keyspace":"output.data","fields":{"tag":"x"}}]}"#);
    assert_snapshot!(refuted(folder.run(&["decode", "s.keys", "64743a78"])), @r#"{"key":"64743a78","readings":[],"nearest":[{"store":"s","keyspace":"output","offset":0,"expected":"0x68"}]}"#);
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
    assert_snapshot!(rejected(encode(&["at=[1,1000000000]"])), @"
    error: field `at`: `[1,1000000000]` is outside its domain
      help: expected a pair of an integer from 0 to 4294967295 and an integer from 0 to 999999999
    ");
    assert_snapshot!(rejected(encode(&["at=[1,0.5]"])), @"
    error: field `at`: `0.5` is not written as an integer
      help: expected a pair of an integer from 0 to 4294967295 and an integer from 0 to 999999999, without a fraction or an exponent
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
    assert_snapshot!(printed(encode(&["--scan", "a", "a=1"])), @"630178");
    assert_snapshot!(printed(encode(&["--scan", "all"])), @"63");
    assert_snapshot!(rejected(encode(&["--scan", "a,f.z", "a=1"])), @"
    error: field `f` is missing
      help: fields: `a`, `f.z`
    ");
}

#[test]
fn long_wrong_values_are_shortened() {
    assert_snapshot!(rejected(bank(&["balances", "--json", r#"{"owner":null,"denom":"uatom"}"#])), @"error: field `owner`: expected 1 to 255 bytes, got `null`");
    assert_snapshot!(rejected(varied(&["numbers", "small=1", "big=[1]", "signed=0", "ratio=0"])), @"
    error: field `big`: `[1]` is not an integer: `[` at position 1 is not a digit
      help: expected an integer from 0 to 18446744073709551615
    ");
    let long = format!("owner=0x{}g", "61".repeat(300));
    assert_snapshot!(rejected(bank(&["balances", &long, "denom=uatom"])), @"error: field `owner`: `0x6161616161…161g`: `g` at position 603 is not a hexadecimal digit");
    let digits = ["numbers", "small=1", "big=1", "signed=0", "ratio=1e400"];
    assert_snapshot!(rejected(varied(&digits)), @"
    error: field `ratio`: `1e400` is outside its domain
      help: expected a number other than NaN and -0
    ");
    assert_snapshot!(printed(varied(&["numbers", "small=1", "big=1", "signed=0", "ratio=inf"])), @"030100000000000000018000000000000000fff0000000000000");
}
