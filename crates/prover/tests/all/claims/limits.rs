//! KS005 to KS009.

use crate::claims::{check, counterexample};
use keyscape_layout::{NoImports, read};
use keyscape_prover::{Config, Fault, Rule, Verdict};

#[test]
fn keys_longer_than_the_backend_allows_are_shown_at_their_shortest() {
    let layout = |length: u32| {
        check(&format!(
            r#"store docs on lmdb map doc = {{id: text(r"[a-z]{{1,{length}}}")}} -> json"#
        ))
    };
    assert_eq!(layout(511), "proved");
    let verdict = layout(512);
    assert!(verdict.starts_with("KS006 doc: lmdb 512 aaaa"), "{verdict}");
    assert_eq!(
        check(r#"store s on lmdb map m = {x: text(r"[a-z]{0,3}")} -> empty"#),
        "KS006 m: lmdb 0  m(x=)"
    );
}

#[test]
fn a_key_that_is_empty_and_one_that_is_too_long_are_both_shown() {
    let found = counterexample(Rule::Bounded, "store s on lmdb map m = {x: bytes[0..=600]}");
    let Fault::Bounded { row, long: Some(long), .. } = &found.fault else { panic!("{found:?}") };
    assert_eq!((row.key.len(), long.key.len()), (0, 512));
}

/// A key of more than 1.5 MiB is not constructed. A shorter one would not be too long.
#[test]
fn only_a_key_above_the_limit_is_shown_beside_an_empty_one() {
    let found = counterexample(Rule::Bounded, "store s on etcd map m = {x: bytes[0..]}");
    let Fault::Bounded { row, long: None, .. } = &found.fault else { panic!("{found:?}") };
    assert!(row.key.is_empty());
}

/// Checks a store of structures on LMDB, whose keys have at most 511 bytes.
fn structures(keyspace: &str) -> String {
    check(&format!("store s structures on lmdb {keyspace}"))
}

/// Each form of a record at the maximal length, and one byte longer.
#[test]
fn records_of_structures_fit_the_backend() {
    // A record: kind, key, `00 01`, family and the rest.
    for (fits, too_long) in [
        ("map m = \"m\" {x: bytes[509]} -> empty", "map m = \"m\" {x: bytes[510]} -> empty"),
        ("set s = \"s\" member bytes[0..=506]", "set s = \"s\" member bytes[0..=507]"),
        (
            "hash h = \"h\" {n: text[0..=400]} field f = \"f\" {k: bytes[105]} -> text",
            "hash h = \"h\" {n: text(r\"[a-z]{0,400}\")} field f = \"f\" {k: bytes[106]} -> text",
        ),
        (
            "zset z = \"z\" member bytes[0..=6] score bytes[500]",
            "zset z = \"z\" member bytes[0..=7] score bytes[500]",
        ),
        (
            "zset z = \"z\" member bytes[0..=6] score text(r\"[a-z]{0,498}\")",
            "zset z = \"z\" member bytes[0..=6] score text(r\"[a-z]{0,499}\")",
        ),
        (
            "zset z = \"z\" member bytes[0..=5] score bytes[500] ranked",
            "zset z = \"z\" member bytes[0..=6] score bytes[500] ranked",
        ),
        (
            "queue q = \"q\" member bytes[0..=498] score u8",
            "queue q = \"q\" member bytes[0..=499] score u8",
        ),
    ] {
        let said = structures(too_long);
        assert!(said.contains(": lmdb ") && said.contains(" 512 "), "{too_long}: {said}");
        // Escaping doubles the length of zero bytes. Text without zero bytes fits.
        let fits = fits.replace("text[0..=400]", "text(r\"[a-z]{0,400}\")");
        assert_eq!(structures(&fits), "proved", "{fits}");
    }
}

#[test]
fn zero_bytes_of_a_structures_key_count_twice() {
    assert_eq!(structures("set s = \"s\" {n: bytes[252]} member u8"), "proved");
    let said = structures("set s = \"s\" {n: bytes[253]} member u8");
    assert!(said.starts_with("KS006 s: lmdb member 512 "), "{said}");
    assert_eq!(structures("set s = \"s\" {n: text(r\"[a-z]{505}\")} member u8"), "proved");
}

/// Redis has structures of its own, so only their keys count.
#[test]
fn records_count_where_the_backend_has_no_structures() {
    let text = "store s structures on redis set s = \"s\" member bytes[0..=600]";
    assert_eq!(check(text), "proved");
    let lmdb = keyscape_layout::Backend::find("lmdb");
    let config = Config { backend: lmdb, fixes: false, ..Config::default() };
    assert!(crate::claims::check_with(text, config).starts_with("KS006 s: lmdb member 512 s s()"));
}

#[test]
fn a_key_without_an_upper_length_is_too_long_somewhere() {
    let verdict = check(r#"store s on foundationdb map m = "k" {x: text(r"[a-z]*")} -> empty"#);
    assert!(verdict.starts_with("KS006 m: foundationdb 10001 kaaa"), "{}", &verdict[..40]);
}

/// Returns the length of the shortest key above the limit of a backend, and whether it is minimal.
/// The length is 0 if every key fits.
fn too_long(backend: &str, ty: &str) -> (usize, bool) {
    let text = format!("store s on {backend} map m = \"m\" {{x: {ty}}} -> empty");
    let Ok(layout) = read("s.keys", &text, &mut NoImports) else { panic!("{text}") };
    let config = Config { fixes: false, ..Config::default() };
    let report = keyscape_prover::check(&layout, config);
    let mut claims = report.claims.iter().filter(|claim| claim.rule == Rule::Bounded);
    let Some(claim) = claims.next() else { panic!("{text}") };
    match &claim.verdict {
        Verdict::Proved => (0, true),
        Verdict::Refuted(found) => {
            let Fault::Bounded { length, row, .. } = &found.fault else { panic!("{found:?}") };
            assert!(row.key.len() >= 512, "{ty}: {row:?}");
            (*length, found.minimal)
        }
        unknown => panic!("{backend} {ty}: {unknown:?}"),
    }
}

/// The lengths are derived without an automaton of all encodings.
#[test]
fn the_length_of_a_key_that_is_too_long_is_known_for_every_codec() {
    for (backend, limit) in [("redb", 768 << 20), ("rocksdb", 8 << 20), ("redis", 512 << 20)] {
        for ty in [
            "text[..]",
            "bytes[0..=4294967295]",
            "len32(bytes[0..=4294967295])",
            "lenvar(text[0..=4294967295])",
            "rune(bytes[0..])",
            "rune(bytes[0..=4294967295])",
            "escaped(bytes[0..=4294967295])",
            "blake2_128_concat(bytes[0..])",
            "twox_64_concat(text[..])",
            "twox_64_concat(len32(bytes[0..=4294967295]))",
            "blake2_128_concat(text(r\"[0-9]+\"))",
            "desc(nul(twox_64_concat(text(r\"[a-z]+\"))))",
        ] {
            assert_eq!(too_long(backend, ty), (limit + 1, true), "{backend} {ty}");
        }
        // Two bytes for each byte.
        assert_eq!(too_long(backend, "hex(blake2_128_concat(bytes[0..]))"), (limit + 1, true));
        assert_eq!(too_long(backend, "nibbles(bytes[0..=4294967295])"), (limit + 1, true));
        for ty in [
            "text[0..=100000]",
            "rune(bytes[0..=100000])",
            "escaped01(text[0..=100000])",
            "groups8(bytes[0..=100000])",
            "lenvar(blake2_128_concat(bytes[0..=100000]))",
            "nibbles(len32(bytes[0..=1000000]))",
        ] {
            assert_eq!(too_long(backend, ty), (0, true), "{backend} {ty}");
        }
    }
    // The literal, a length of two bytes, and an even number of bytes.
    let pairs = "lenvar(text(r\"(ab)*\")[0..=100000])";
    assert_eq!(too_long("lmdb", pairs).0, 513);
    assert_eq!(too_long("redb", "len32(text(r\"(abc)*\")[0..=4294967295])").0 % 3, 2);
}

/// A wider domain never changes a refutation into another verdict.
#[test]
fn longer_values_do_not_turn_a_refutation_into_something_else() {
    for codec in ["", "len32", "lenvar", "rune", "twox_64_concat"] {
        let lengths = [400_u32, 510, 600, 4096, 4097, 100_000, u32::MAX];
        let found = lengths.map(|length| {
            too_long(
                "lmdb",
                &match codec {
                    "" => format!("bytes[0..={length}]"),
                    codec => format!("{codec}(bytes[0..={length}])"),
                },
            )
            .0
        });
        let first = found.iter().position(|&length| length > 0).unwrap();
        assert!(found[first..].iter().all(|&length| length == 512), "{codec}: {found:?}");
    }
}

#[test]
fn prefixes_outside_their_range_or_retired_are_found_by_language() {
    let namespace = |keyspaces: &str| {
        check(&format!(
            r#"store paw
            namespace dex = 0x02 {{
              allocate core 0x01 ..= 0x0f  allocate cross_module 0x20 ..= 0x2f
              reserve 0x0c "was the rate limit"
              {keyspaces}
            }}"#
        ))
    };
    assert_eq!(namespace("map pools = 0x01 {pool: u64be} -> json"), "proved");
    assert_eq!(
        namespace("map nonces = 0x16 {n: u8} -> u64be in cross_module"),
        "KS007 nonces: OutsideRange { range: 1 } \\x02\\x16\\x00 nonces(n=0)"
    );
    assert_eq!(
        namespace("map rates = 0x0c {n: u8} -> u64be"),
        "KS007 rates: Retired { namespace: 0, retired: 0 } \\x02\\x0c\\x00 rates(n=0)"
    );
    assert_eq!(
        namespace("map free = {n: u8 in 1..=13} -> u64be"),
        "KS007 free: Retired { namespace: 0, retired: 0 } \\x02\\x0c free(n=12)"
    );
    assert_eq!(
        namespace("map a = 0x01 {n: u8} -> empty  map b = 0x01 0x05 {m: u16be} -> empty"),
        "KS007 a: Comparable { other: KeyspaceId(1) } \\x02\\x01\\x05\\x00\\x00 b(m=0)\n\
         KS007 b: Comparable { other: KeyspaceId(0) } \\x02\\x01\\x05\\x00\\x00 b(m=0)"
    );
}

#[test]
fn the_rules_of_a_namespace_apply_to_nested_ones() {
    let nested = |prefix: &str, keyspace: &str| {
        check(&format!(
            r#"store paw
            namespace dex = 0x02 {{
              allocate core 0x01 ..= 0x0f  allocate wide 0x2000 ..= 0x21ff
              reserve 0x0c "was the rate limit"
              deprecated 0x0b07 "old fees"
              map pools = 0x01 {{pool: u64be}} -> json
              namespace fees = {prefix} {{ {keyspace} }}
            }}"#
        ))
    };
    let total = "item total = 0x00 -> empty";
    assert_eq!(nested("0x0b", total), "proved");
    assert_eq!(nested("0x21", total), "proved");
    assert_eq!(
        nested("0x16", total),
        "KS007 total: Nested { namespace: 0, nested: 1 } \\x02\\x16\\x00 total()"
    );
    assert_eq!(
        nested("0x0c", total),
        "KS007 total: Retired { namespace: 0, retired: 0 } \\x02\\x0c\\x00 total()"
    );
    assert_eq!(
        nested("0x0b", "map all = {n: u8} -> empty"),
        "KS007 all: Retired { namespace: 0, retired: 1 } \\x02\\x0b\\x07 all(n=7)"
    );
    assert_eq!(
        nested("0x01", total),
        "KS007 pools: Comparable { other: KeyspaceId(1) } \\x02\\x01\\x00 total()\n\
         KS007 total: Comparable { other: KeyspaceId(0) } \\x02\\x01\\x00 total()"
    );
}

#[test]
fn a_range_must_contain_all_keys_with_a_nested_prefix() {
    let nested = |range: &str, prefix: &str| {
        check(&format!(
            "store s namespace a = 0x02 {{ allocate r {range} namespace b = {prefix} {{ \
             namespace c = 0x01 {{ item i = 0x00 -> empty }} }} }}"
        ))
    };
    assert_eq!(nested("0x0d00 ..= 0x0f05", "0x0e"), "proved");
    assert_eq!(nested("0x0d00 ..= 0x0f05", "0x0f05"), "proved");
    assert_eq!(nested("0x0d00 ..= 0x0fff", "0x0f"), "proved");
    assert_eq!(nested("0xfe00 ..= 0xffff", "0xff"), "proved");
    // The key `0x0d` is below the range.
    for (range, prefix) in [("0x0d00 ..= 0x0f05", "0x0f"), ("0x0d00 ..= 0x0f05", "0x0d")] {
        assert!(nested(range, prefix).starts_with("KS007 i: Nested { namespace: 0, nested: 1 }"));
    }
}

#[test]
fn literals_of_a_leading_composite_are_part_of_the_prefix() {
    assert_eq!(
        check(
            "store s type Tag = 0x01 0x02  type Id = {tag: Tag} 0x03 {n: u8} \
             namespace a = 0x02 { reserve 0x09 \"\" \
             map x = {id: Id} -> empty  map y = 0x01 0x02 0x04 {n: u8} -> empty }"
        ),
        "proved"
    );
}

#[test]
fn a_key_used_with_two_kinds_is_found() {
    assert_eq!(
        check(
            r#"store s structures
            set lists = "k:" {x: text(r"[a-z]{1,4}")}  member u8
            zset scores = "k:" {y: text(r"[a-z]{2,4}")}  member u8  score f64"#
        ),
        "KS008 lists: k:aa lists(x=aa) = k:aa scores(y=aa) (+0)\n\
         KS008 scores: k:aa scores(y=aa) = k:aa lists(x=aa) (+0)"
    );
}

#[test]
fn an_index_that_drops_a_field_of_the_key_cannot_tell_rows_apart() {
    let index = |index: &str| {
        check(&format!(
            r#"store s
            map positions = 0x01 {{owner: u16be}} {{id: u8}} -> json
            index by_id of positions = 0x02 {index}"#
        ))
    };
    assert_eq!(index("{id} {owner} -> empty"), "proved");
    assert_eq!(index("{pool: u8 from value} {id} {owner} -> empty"), "proved");
    assert_eq!(index("{id} -> bytes unique"), "proved");
    assert_eq!(
        index("{id} -> empty"),
        "KS009 by_id: owner \\x01\\x00\\x00\\x00 positions(owner=0 id=0) and \
         \\x01\\x00\\x01\\x00 positions(owner=1 id=0) at \\x02\\x00"
    );
    assert!(index("{id} {owner: u16be from value} -> empty").starts_with("KS009 by_id: owner"));
}

/// The shown key was once that of the first retired prefix.
#[test]
fn the_shortest_key_of_all_retired_prefixes_is_shown() {
    let text = r#"store s
        namespace n = 0x01 {
            reserve 0xff "old"
            reserve "a" "old"
            map k = {x: text(r"a?")} {y: Y}
        }
        type Y = | long {n: bytes(br"\xff{9}")} {z: bytes[1]} | short "b""#;
    let found = counterexample(Rule::Allocated, text);
    let Fault::Allocated { row, .. } = &found.fault else { panic!("{found:?}") };
    assert_eq!((row.key.as_slice(), found.minimal), (&b"\x01ab"[..], true));
}
