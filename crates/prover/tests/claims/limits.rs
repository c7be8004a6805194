//! KS005 to KS009.

use crate::check;

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
fn a_key_without_an_upper_length_is_too_long_somewhere() {
    let verdict = check(r#"store s on foundationdb map m = "k" {x: text(r"[a-z]*")} -> empty"#);
    assert!(verdict.starts_with("KS006 m: foundationdb 10001 kaaa"), "{}", &verdict[..40]);
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
        "KS007 nonces: OutsideRange { range: 1 } \\x02\\x16a nonces(n=97)"
    );
    assert_eq!(
        namespace("map rates = 0x0c {n: u8} -> u64be"),
        "KS007 rates: Retired { retired: 0 } \\x02\\x0ca rates(n=97)"
    );
    assert_eq!(
        namespace("map free = {n: u8 in 1..=13} -> u64be"),
        "KS007 free: Retired { retired: 0 } \\x02\\x0c free(n=12)"
    );
    assert_eq!(
        namespace("map a = 0x01 {n: u8} -> empty  map b = 0x01 0x05 {m: u16be} -> empty"),
        "KS007 a: Comparable { other: KeyspaceId(1) } \\x02\\x01\\x05aa b(m=24929)\n\
         KS007 b: Comparable { other: KeyspaceId(0) } \\x02\\x01\\x05aa b(m=24929)"
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
    assert_eq!(index("{id} -> u16be unique"), "proved");
    assert_eq!(
        index("{id} -> u16be"),
        "KS009 by_id: owner \\x01\\x00\\x00\\x00 positions(owner=0 id=0) and \
         \\x01\\x00\\x01\\x00 positions(owner=1 id=0) at \\x02\\x00"
    );
    assert!(index("{id} {owner: u16be from value} -> empty").starts_with("KS009 by_id: owner"));
}
