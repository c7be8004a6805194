//! The style of the formatter.

use crate::syntax::examples;
use keyscape_layout::syntax::format;

fn check(cases: &[(&str, &str)]) {
    for (source, expected) in cases {
        let formatted = format(source).unwrap();
        assert_eq!(formatted, *expected, "{source}");
        assert_eq!(format(&formatted).as_deref(), Ok(*expected), "again: {source}");
    }
}

#[test]
fn every_declaration_and_clause_has_its_own_line() {
    check(&[
        ("", ""),
        ("\u{feff} \r\n", ""),
        ("store s  structures on redis version 1", "store s structures on redis version 1\n"),
        (
            r#"import "a"as b store s type A=u8 type B="x"|"y" item a=0x00"#,
            "import \"a\" as b\nstore s\ntype A = u8\ntype B = \"x\" | \"y\"\nitem a = 0x00\n",
        ),
        (
            "zset a=\"z\"{e:E}member M score S unique counted ranked in core scan all",
            "zset a = \"z\" {e: E}\n    member M\n    score S\n    unique\n    counted\n    ranked\n    \
             in core\n    scan all\n",
        ),
        (
            "family f{family g{}namespace n=0x01{allocate a 0x01..=0x02 reserve 0x03\"r\"map m=0x04 scan all}}",
            "family f {\n    family g {\n    }\n    namespace n = 0x01 {\n        \
             allocate a 0x01 ..= 0x02\n        reserve 0x03 \"r\"\n        map m = 0x04\n            \
             scan all\n    }\n}\n",
        ),
    ]);
}

#[test]
fn spaces_depend_on_the_kinds_of_tokens() {
    check(&[
        (
            "map a=[{x:f . g ( h ,n=0x01 , not\"s\" ) [ .. 8 ]in - 5 ..= - 1 shown as d ( 0x01,0x02 )from value}\"-\"if(x is not y or(z in 1 .. and w in ..=3))]->json T reads const\"\\x00\"",
            "map a =\n    [{x: f.g(h, n = 0x01, not \"s\")[..8] in -5..=-1 shown as d(0x01, 0x02) from value} \"-\" \
             if (x is not y or (z in 1.. and w in ..=3))]\n    -> json T reads const \"\\x00\"\n",
        ),
        (
            "map a=0x01 scan x . y ,z by p,q as 0x01{x}..0x02 also b , c accept R scan x . y with b\"r\"",
            "map a = 0x01\n    scan x.y, z by p, q as 0x01 {x} .. 0x02 also b, c\n    accept R scan x.y with b \"r\"\n",
        ),
        (
            "map a=0x01{b:u8}\"-\"->json split at\"-\"split at first 0x2D split at last\"-\"",
            "map a = 0x01 {b: u8} \"-\" -> json\n    split at \"-\"\n    split at first 0x2D\n    split at last \"-\"\n",
        ),
    ]);
}

#[test]
fn wraps_digests_and_derived_bytes_have_no_inner_spaces() {
    check(&[(
        "map a=twox128 ( \"System\" )wrap hex ( 0x01{x : u8}[ {y:u8} ] ){ = sha256 ( x ,y ) [ 4 ] }",
        "map a = twox128(\"System\") wrap hex(0x01 {x: u8} [{y: u8}]) {= sha256(x, y)[4]}\n",
    )]);
}

#[test]
fn comments_stay_where_they_are() {
    check(&[
        (
            "//! doc\n\n\n// one\n  // two   \nstore s // three\n\n\n\n/// four\nmap a = 0x01 // five\n// six\nscan all // seven\n// eight\n\n// nine",
            "//! doc\n\n// one\n// two\nstore s  // three\n\n/// four\nmap a = 0x01  // five\n    // six\n    scan all  // seven\n// eight\n\n// nine\n",
        ),
        (
            "namespace n = 0x01 { // one\n\n // two\n map a = 0x02 // three\n\n // four\n\n } // five",
            "namespace n = 0x01 {  // one\n    // two\n    map a = 0x02  // three\n\n    // four\n}  // five\n",
        ),
        (
            "map // one\na\n// two\n\n= // three\n0x01 {x // four\n: u8}\n",
            "map  // one\n    a\n    // two\n    =  // three\n    0x01 {x  // four\n    : u8}\n",
        ),
        (
            "type A = // one\n\"a\" // two\n| \"b\" | \"c\"",
            "type A =  // one\n    \"a\"  // two\n       | \"b\"\n       | \"c\"\n",
        ),
        (
            "type A = | a 0x01 // one\n // two\n | b 0x02",
            "type A = | a 0x01  // one\n         // two\n         | b 0x02\n",
        ),
    ]);
}

#[test]
fn single_blank_lines_between_lines_are_kept() {
    check(&[
        (
            "\n\nstore s\n\n\nfamily f {\n\n\nmap a = 0x01\n\nscan all\n\n\nmap b = 0x02\nmap c\n\n= 0x03\n\n\n}\n\n\n",
            "store s\n\nfamily f {\n    map a = 0x01\n\n        scan all\n\n    map b = 0x02\n    map c = 0x03\n}\n",
        ),
        ("map a = 0x01 map b = 0x02", "map a = 0x01\nmap b = 0x02\n"),
    ]);
}

#[test]
fn lines_that_are_too_wide_wrap_before_a_segment() {
    let long = "a".repeat(60);
    let source =
        format!("map {long} = {{{long}: u8}} 0x01 {{x: u8}} -> u8 scan {long} as {{{long}}} 0x01");
    let expected = format!(
        "map {long} =\n    {{{long}: u8}} 0x01 {{x: u8}} -> u8\n    scan {long}\n        as {{{long}}} 0x01\n"
    );
    check(&[(&source, &expected)]);
}

#[test]
fn alternatives_that_are_too_wide_have_their_own_lines() {
    let (a, b) = ("a".repeat(50), "b".repeat(50));
    let variant = format!("type T = | {a} 0x01 {{x: u8}} | {b} {{{a}: u8}} {{{b}: u8}}");
    let texts = format!("type Texts = \"{a}\" | \"{b}\" | \"c\"");
    check(&[
        (
            &variant,
            &format!(
                "type T = | {a} 0x01 {{x: u8}}\n         | {b}\n             {{{a}: u8}}\n             {{{b}: u8}}\n"
            ),
        ),
        (&texts, &format!("type Texts = \"{a}\"\n           | \"{b}\"\n           | \"c\"\n")),
    ]);
}

#[test]
fn the_badges_layout_is_formatted_like_this() {
    let expected = r#"store badges
type Level = "collection" | "incoming" | "outgoing"
type Kind = "overall" | "to" | "from" | "initiated"
type Bech = text(r"bb1[02-9ac-hj-np-z]{38}")
type Id = text(r"[A-Za-z0-9_]{1,64}")
map approval_trackers = 0x07 {collection: dec(u256)} "-"
    [{approver: Bech} if level is not collection] "-" {approval: Id} "-" {tracker: Id} "-"
    {level: Level} "-" {kind: Kind} "-" [{address: Bech} if kind is not overall]
    -> proto ApprovalTracker
    scan collection
"#;
    check(&[(examples::BADGES, expected)]);
}

#[test]
fn a_file_with_mistakes_is_not_formatted() {
    let diagnostics = format("map a = 0x1\nmap b").unwrap_err();
    let messages: Vec<_> = diagnostics.iter().map(|it| it.message.as_str()).collect();
    assert_eq!(messages[0], "`0x1` has an odd number of hex digits");
    assert_eq!(messages.len(), 2);
}
