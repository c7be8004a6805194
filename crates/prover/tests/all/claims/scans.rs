//! KS003.

use crate::claims::check;
use keyscape_layout::{NoImports, read};
use keyscape_prover::{Config, Fault, Rule};

#[test]
fn a_scan_that_stops_before_the_separator_bleeds_and_the_derived_one_does_not() {
    let orders =
        r#"store shop map orders = "o/" {user: dec(u64)} "/" {order: dec(u64)} -> text scan user"#;
    assert_eq!(
        check(&format!(r#"{orders} as "o/" {{user}}"#)),
        "KS003 orders.user: Foreign user=1 o/1: o/10/0 orders(user=10 order=0)"
    );
    assert_eq!(check(orders), "proved");
}

#[test]
fn scanning_everything_meets_a_neighbour_with_a_longer_prefix() {
    let verdict = check(
        r#"store s
        map a = "val" {id: text(r"[a-z_]{1,9}")} -> empty  scan all
        map b = "val_idx" {id: u8 in 48..=57} -> empty  scan all"#,
    );
    assert_eq!(
        verdict, "KS003 a.all: Foreign  val: val_idx0 b(id=48)",
        "the scan of `b` is exact once it starts at a digit"
    );
}

#[test]
fn a_neighbour_whose_key_is_the_prefix_itself_is_foreign() {
    assert_eq!(
        check(
            r#"store s
            map a = 0x37 {x: u8 in 0..=9} -> empty  scan all
            item b = 0x37 -> empty"#
        ),
        "proved",
        "the tight interval starts after the neighbour"
    );
    assert_eq!(
        check(
            r#"store s
            map a = 0x37 {x: text(r"[a-z]{0,3}")} -> empty  scan all
            map b = 0x37 0x61 {y: u8} -> empty"#
        ),
        "KS001 a: 7aa a(x=aa) = 7aa b(y=97) (+0)\n\
         KS003 a.all: Foreign  7: 7a\\x00 b(y=0)\n\
         KS001 b: 7aa b(y=97) = 7aa a(x=aa) (+0)"
    );
}

#[test]
fn bytes_that_cannot_follow_the_leading_part_are_outside_the_interval() {
    // A name can contain NUL, so `a` NUL is a prefix of `a` NUL NUL. The next byte decides.
    assert_eq!(
        check(
            r#"store s map m = {name: text(r"[a\x00]{1,2}")} 0x00 {kind: u8 in 1..=9} -> empty
            scan name"#
        ),
        "proved"
    );
}

#[test]
fn a_scan_may_end_inside_a_composite_field() {
    let verdict = check(
        r#"store txo structures
        type Outpoint = {txid: rev(bytes[32])} {vout: u32be}
        hash output = "h:" {outpoint: Outpoint}
            scan outpoint.txid by vout
            field events = "ev" -> json"#,
    );
    assert_eq!(verdict, "proved");
}

#[test]
fn asking_with_another_codec_misses_rows_or_is_unknown() {
    let verdict = check(
        r#"store s map confirms = "k" {nonce: u64be} {validator: bytes[2]} -> empty
           scan nonce as "k" {nonce: u64le}"#,
    );
    assert_eq!(
        verdict,
        "KS003 confirms.nonce: Missed nonce=1 k\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00: \
         k\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x01aa \
         confirms(nonce=1 validator=aa)"
    );
    let same_bytes = |last: u32| {
        check(&format!(
            r#"store s map confirms = "k" {{nonce: u64be in 0..={last}}} {{validator: bytes[2]}} -> empty
               scan nonce as "k" {{nonce: u64be}}"#
        ))
    };
    assert!(same_bytes(999).contains("unknown OtherCodec"), "{}", same_bytes(999));
    assert_eq!(same_bytes(9), "proved");
}

#[test]
fn an_interval_of_as_is_read_as_declared() {
    let orders = r#"store s map m = "m" {id: dec(u8)} "/" {n: u8} -> empty scan id as "#;
    assert_eq!(check(&format!(r#"{orders} "m" {{id}} "/" .. "m" {{id}} "0""#)), "proved");
    assert_eq!(
        check(&format!(r#"{orders} "m" {{id}} "/" .. "m" {{id}} "/~""#)),
        "KS003 m.id: Missed id=0 m0/: m0/~ m(id=0 n=126)"
    );
    assert_eq!(
        check(&format!(r#"{orders} "m" {{id}} "x""#)),
        "KS003 m.id: Missed id=0 m0x: m0/\\x00 m(id=0 n=0)"
    );
    let orders = r#"store s map m = 0x05 {user: u16be} {order: u16be} -> empty scan user"#;
    assert_eq!(
        check(&format!("{orders} as 0x05 {{user}} 0x01")),
        "KS003 m.user: Missed user=0 \\x05\\x00\\x00\\x01: \
         \\x05\\x00\\x00\\x00\\x00 m(user=0 order=0)",
        "no missed row has a smaller order"
    );
}

#[test]
fn rows_of_an_also_keyspace_are_allowed_if_their_fields_agree() {
    let layout = |second: &str, also: &str| {
        check(&format!(
            r#"store s
            map a = 0x02 {{owner: len8(bytes[1..=9])}} 0x01 {{x: u8}} -> empty  scan owner as 0x02 {{owner}} {also}
            map b = 0x02 {second} -> empty"#
        ))
    };
    let same = "{owner: len8(bytes[1..=9])} 0x02 {y: u8}";
    assert!(layout(same, "").starts_with("KS003 a.owner: Foreign"));
    assert_eq!(layout(same, "also b"), "proved");
    let renamed = "{other: len8(bytes[1..=9])} 0x02 {owner: len8(bytes[1..=9])}";
    let verdict = layout(renamed, "also b");
    assert!(verdict.starts_with("KS003 a.owner: Foreign"), "another owner's rows: {verdict}");
}

#[test]
fn rows_that_an_empty_interval_misses_are_found_in_nodes_that_keyspaces_share() {
    let verdict = check(
        r#"store s
        map a = "B" {y: dec(u8) in 0..=12} -> empty
        map b = "B" {y: dec(u8) in 0..=12} -> empty  scan all as "B" .. "B""#,
    );
    assert!(verdict.contains("KS003 b.all: Missed  B: B0 b(y=0)"), "{verdict}");
}

#[test]
fn families_are_never_compared() {
    assert_eq!(
        check(
            r#"store s
            family one { map a = {x: bytes[1..=4]} -> empty scan all }
            family two { map b = {x: bytes[1..=4]} -> empty scan all }"#
        ),
        "proved"
    );
}

#[test]
fn a_very_ambiguous_key_is_still_replayed() {
    let verdict = check(
        r#"store s
        type A = | m0 {x: text(r"a?")} | m1 [{x: u8 in 97..=98}]
        type B = {y: A}
        map m = {y: text(r"a?")} [{z: text(r"a?")}] {w: B} {v: A} -> empty  scan y"#,
    );
    assert!(verdict.contains("KS003 m.y: Foreign y= : a m(y=a"), "{verdict}");
}

#[test]
fn very_long_texts_and_prefixes_do_not_overflow_anything() {
    let long = "0".repeat(1000);
    let fields: String = (0..300).map(|n| format!("{{f{n}: F}} ")).collect();
    let verdict = check(&format!(
        "store s type F = \"{long}\" map m = {{a: text(r\"[a-z]+\")}} {{b: text(r\"[a-z]+\")}} {fields} -> empty"
    ));
    assert!(verdict.starts_with("KS002 m: aaa"), "{}", &verdict[..60]);
    let end = "a".repeat(4000);
    let verdict = check(&format!(
        r#"store s map m = "k" {{x: text(r"a*")}} -> empty scan all as "k" .. "k{end}""#
    ));
    assert!(verdict.starts_with("KS003 m.all: Missed"), "{}", &verdict[..60]);
}

#[test]
fn values_with_the_same_bytes_are_asked_for_together() {
    let said = check(
        r#"store s
        type Cut = | some {y: desc(truncate(text(r"[ab]{1,2}"))[1])}
        map rows = "a" {x: Cut} -> empty scan x also more
        map more = "a" {x: Cut} -> empty"#,
    );
    assert!(!said.contains("KS003 rows.x: Foreign"), "{said}");
}

#[test]
fn a_long_field_after_its_length_has_one_end() {
    // No automaton counts so far, but the encodings are prefix-free.
    for long in
        ["len32(bytes[0..=100000])", "lenvar(bytes[0..=100000])", "len32le(text[1..=99999])"]
    {
        let text = format!(
            "store s\nmap a = \"a\" {{x: {long}}} {{y: {long}}} {{z: u8}} -> empty\n  scan x\n  scan x, y\n"
        );
        assert_eq!(check(&text), "proved", "{text}");
    }
    // Without its length, `x` can end inside the length of `y`.
    let open =
        "store s\nmap a = \"a\" {x: bytes[1..]} {y: len32(bytes[0..=100000])} -> empty\n  scan x\n";
    assert_ne!(check(open), "proved");
}

/// All values of a small domain are checked, so the claim is decided.
#[test]
fn a_scan_that_asks_with_another_codec_is_decided_for_few_values() {
    let scan = |key: &str, asked: &str| {
        check(&format!("store s map m = {key} -> empty scan x as {asked}"))
    };
    assert_eq!(scan("\"d\" {x: u8 in 5} {y: u8}", "\"d\" .. \"e\""), "proved");
    assert_eq!(scan("\"h\" {x: u16be in 257} {y: u8}", "\"h\" {x: u16le}"), "proved");
    assert_eq!(scan("\"h\" {x: u16be in 0..=255} {y: u8}", "\"h\" 0x00 {x: u8}"), "proved");
    let said = scan("\"h\" {x: u16be in 256..=257} {y: u8}", "\"h\" {x: u16le}");
    assert!(said.starts_with("KS003 m.x: "), "{said}");
    let said = scan("\"d\" {x: u8 in 5..=6} {y: u8}", "\"d\" .. \"e\"");
    assert!(said.starts_with("KS003 m.x: Foreign"), "{said}");
    let two = "store s
        map m = \"d\" {x: u8 in 5} {y: u8} -> empty scan x as \"d\" .. \"e\"
        map n = \"d\" 0xff {a: bytes[30..]} -> empty";
    assert!(check(two).starts_with("KS003 m.x: Foreign"), "{}", check(two));
}

/// Rows of another keyspace were once undecided after a variant, although both keys begin alike.
#[test]
fn rows_of_another_keyspace_are_compared_after_a_variant_too() {
    let layout = |theirs: &str| {
        check(&format!(
            r#"store s
            type Id = | number 0x00 {{n: u32be}} | name 0x01 {{name: nul(text(r"[a-z]+"))}}
            map posts = "p" {{id: Id}} {{post: u8}} -> empty
                scan id also comments
            map comments = "p" {theirs} "c" {{comment: u8}} -> empty"#
        ))
    };
    assert_eq!(layout("{id: Id}"), "proved");
    assert_eq!(layout("{other: Id}"), "proved", "no field is called like a leading one");
    let elsewhere = layout("{x: u8 in 0..=1} {id: Id}");
    assert!(elsewhere.contains("KS003 posts.id:"), "{elsewhere}");
}

/// A scan that is exact only in its tight form shows a row that the plain prefix returns too.
#[test]
fn a_tight_scan_shows_a_row_that_its_plain_prefix_returns() {
    let text = r#"store s map m = "b" {name: text(r"[a-z]+")} [":" {n: dec(u8)}] -> empty
        scan name"#;
    let layout = read("l.keys", text, &mut NoImports).unwrap();
    let report = keyscape_prover::check(&layout, Config::default());
    assert!(report.holds());
    let claim = report.claims.iter().find(|claim| claim.rule == Rule::ScanExact).unwrap();
    assert!(claim.tight.is_some());
    let Fault::ScanExact(found) = &claim.plain.as_ref().unwrap().fault else { panic!("{claim:?}") };
    assert_eq!(found.row.key, b"baa");
}
