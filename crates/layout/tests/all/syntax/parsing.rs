//! Syntax trees of files without errors.

use crate::syntax::{examples, outline};
use keyscape_codec::Uint;
use keyscape_layout::{
    FileId,
    syntax::{
        ast::{ClauseKind, Decl, Seg},
        decode_utf8, parse,
    },
};

fn tree(source: &str) -> String {
    let (file, diagnostics) = parse(source, FileId(0));
    assert!(diagnostics.is_empty(), "{source}\n{diagnostics:#?}");
    outline::file(&file)
}

fn check(cases: &[(&str, &str)]) {
    for (source, expected) in cases {
        assert_eq!(tree(source), *expected, "{source}");
    }
}

#[test]
fn declarations_around_keyspaces() {
    check(&[
        ("", ""),
        (r#"import "a.keys""#, "(import a.keys)"),
        (r#"import "a.keys" as a"#, "(import a.keys as=a)"),
        ("store s", "(store s)"),
        ("store s structures on redis version 3", "(store s structures on=redis version=3)"),
        ("family f { type A = u8 family g {} }", "(family f: (type A u8) (family g: ))"),
        (
            r#"namespace n = 0x01 "x" { allocate low 0x00 ..= 0x0F reserve 0x10 "r" deprecated "d" "s" }"#,
            r#"(namespace n [0x01 "x"]: (allocate low 0x00 0x0f) (reserve 0x10 "r") (deprecated "d" "s"))"#,
        ),
    ]);
}

#[test]
fn types() {
    check(&[
        ("type A = u8", "(type A u8)"),
        ("type A = x . Y ( )", "(type A x.Y)"),
        ("type A = bytes[32]", "(type A bytes[32..=32])"),
        ("type A = bytes[..4] in -1.. shown as f", "(type A bytes[..4]<-1..>~f())"),
        ("type A = u8 in 1_0..=2__0", "(type A u8<10..=20>)"),
        ("type A = u32 in 0..1e9", "(type A u32<0..1000000000>)"),
        ("type A = f(u32, u32 in 0..=7, 1e9)", "(type A f(u32 u32<0..=7> 1000000000))"),
        (
            r#"type A = f(r"a", br"b", not r"c", not 0x01, n = "v", "l", g(h))"#,
            r#"(type A f(/a/ b/b/ !/c/ !0x01 n="v" "l" g(h)))"#,
        ),
        (r##"type A = text(r#"say "hi""#)"##, r#"(type A text(/say "hi"/))"#),
        (r###"type A = text(br##"a"#b"##)"###, r##"(type A text(b/a"#b/))"##),
        (
            &format!("type A = u256 in 2_5e0..={}", Uint::MAX),
            &format!("(type A u256<25..={}>)", Uint::MAX),
        ),
        (r#"type A = u8 shown as f(0x01, "b")"#, r#"(type A u8~f(0x01 "b"))"#),
        (r#"type A = "a""#, r#"(type A enum["a"])"#),
        (r#"type A = "a" | "b" type B = u8"#, "(type A enum[\"a\" \"b\"])\n(type B u8)"),
        (r#"type A = "a" "b""#, r#"(type A composite["a" "b"])"#),
        (r#"type A = "a" {b}"#, r#"(type A composite["a" {b}])"#),
        ("type A = [0x00]", "(type A composite[option[0x00]])"),
        (r#"type A = | a "" | type {x: u8}"#, r#"(type A variant[a[""] type[{x:u8}]])"#),
    ]);
}

#[test]
fn keys() {
    check(&[
        ("item a = 0x0B 0x00_01", "(Item a key=[0x0b 0x0001])"),
        ("item a = 0xdead_BE_ef", "(Item a key=[0xdeadbeef])"),
        (
            r#"map a = "a\"\\\n\t\r\0\xFF\u{e9}é" """#,
            "(Map a key=[0x61225c0a090d00ffc3a9c3a9 \"\"])",
        ),
        (
            "map a = {b from value}{c: u8 from value}",
            "(Map a key=[{b from value} {c:u8 from value}])",
        ),
        ("map a = {from from value} {value: from}", "(Map a key=[{from from value} {value:from}])"),
        (
            "index a of b = {t: T from value each meta . tags}{d from value optional}{each from value 3.1}",
            "(Index a of=b key=[{t:T from value each meta.tags} {d from value optional} {each from value 3.1}])",
        ),
        (
            r#"index a of b = {t from value "each"."due-date"}{e from value each "optional"}"#,
            r#"(Index a of=b key=[{t from value "each"."due-date"} {e from value each "optional"}])"#,
        ),
        ("map a = [{x} if y is not n]", r#"(Map a key=[option[{x} if=y!="n"]])"#),
        (
            r#"map a = [0x01 if a is b or c is "d e" and (f in 3 or g in ..2)]"#,
            r#"(Map a key=[option[0x01 if=or(a=="b" and(c=="d e" or(f in 3..=3 g in ..2)))]])"#,
        ),
        ("map a = [[0x01] 0x02]", "(Map a key=[option[option[0x01] 0x02]])"),
        (
            r#"map a = twox128("System") f ( 0x01 ) {w: u8}"#,
            r#"(Map a key=[twox128("System") f(0x01) {w:u8}])"#,
        ),
        (
            "map a = wrap hex(0x01 [{x}] wrap escaped({wrap})) {wrap: wrap}",
            "(Map a key=[wrap hex[0x01 option[{x}] wrap escaped[{wrap}]] {wrap:wrap}])",
        ),
        (
            "map a = {= sha256(x, y)[4]} {= f(if)} [{z} if (x is y)]",
            r#"(Map a key=[{=sha256(x y) =4..=4} {=f(if)} option[{z} if=x=="y"]])"#,
        ),
        (
            r#"type A = f("x") type B = f("x")[4] type C = "a" f("b")"#,
            "(type A composite[f(\"x\")])\n(type B f(\"x\")[4..=4])\n(type C composite[\"a\" f(\"b\")])",
        ),
    ]);
}

#[test]
fn values_and_clauses() {
    check(&[
        ("map a = 0x00 -> empty", "(Map a key=[0x00] value=empty)"),
        (
            "map a = 0x00 -> const 0x01 reads json",
            "(Map a key=[0x00] value=const:0x01 reads=json:)",
        ),
        ("map a = 0x00 -> json reads json T", "(Map a key=[0x00] value=json: reads=json:T)"),
        (
            "map a = 0x00 -> json field x = 0x00 -> json map b = 0x01",
            "(Map a key=[0x00] value=json: (field x [0x00] json:))\n(Map b key=[0x01])",
        ),
        ("map a = 0x00 -> proto Coin", "(Map a key=[0x00] value=proto:Coin)"),
        ("map a = 0x00 -> u8 in 0..5 in core", "(Map a key=[0x00] value=u8<0..5> (in core))"),
        ("map a = 0x00 in core scan all", "(Map a key=[0x00] (in core) (scan))"),
        ("map a = 0x00 scan x.y, z by p, q", "(Map a key=[0x00] (scan on=[x.y z] by=[p q]))"),
        (
            "map a = 0x00 scan x as 0x00 {x} .. 0x01 also b, c",
            "(Map a key=[0x00] (scan on=[x] as=[0x00 {x} .. 0x01] also=[b c]))",
        ),
        (
            "set a = 0x00 member t score u unique counted ranked",
            "(Set a key=[0x00] (member t) (score u) (unique) (counted) (ranked))",
        ),
        (
            r#"map a = 0x00 accept KS001 "r" accept KS003 scan x.y with b "s""#,
            r#"(Map a key=[0x00] (accept KS001 "r") (accept KS003 scan=x.y with=b "s"))"#,
        ),
        (
            r#"map a = 0x00 {split: u8} {first: at} "|" scan split split at "|" split at first 0x7C split at last "|""#,
            r#"(Map a key=[0x00 {split:u8} {first:at} "|"] (scan on=[split]) (split every "|") (split first 0x7c) (split last "|"))"#,
        ),
    ]);
}

#[test]
fn keywords_are_names_where_nothing_starts_with_them() {
    check(&[
        ("store on on on", "(store on on=on)"),
        ("store version version 1", "(store version version=1)"),
        ("map map = {index: type}", "(Map map key=[{index:type}])"),
        ("index of of of = {scan}", "(Index of of=of key=[{scan}])"),
        ("type A = map map a = 0x00", "(type A map)\n(Map a key=[0x00])"),
        ("type A = map index of = 0x00", "(type A map)\n(Index of key=[0x00])"),
        ("map a = 0x00 scan index by score", "(Map a key=[0x00] (scan on=[index] by=[score]))"),
        ("map a = 0x00 scan scan scan by", "(Map a key=[0x00] (scan on=[scan]) (scan on=[by]))"),
        ("map a = 0x00 in set scan of by x", "(Map a key=[0x00] (in set) (scan on=[of] by=[x]))"),
        (
            "map a = 0x00 -> json T scan of by x",
            "(Map a key=[0x00] value=json:T (scan on=[of] by=[x]))",
        ),
        ("map a = 0x00 -> scan scan all", "(Map a key=[0x00] value=scan (scan))"),
        ("map a = 0x00 -> reads reads reads", "(Map a key=[0x00] value=reads reads=reads)"),
        ("map a = 0x00 -> proto item", "(Map a key=[0x00] value=proto:item)"),
        (
            "map a = [0x00 if if is is and in is not not]",
            r#"(Map a key=[option[0x00 if=and(if=="is" in!="not")]])"#,
        ),
        (
            "hash a = 0x00 field field = 0x00 -> field",
            "(Hash a key=[0x00] (field field [0x00] field))",
        ),
    ]);
}

#[test]
fn documentation_belongs_to_the_next_declaration() {
    check(&[
        ("//! one\n// two\n//!three\nstore s", "!one\n!three\n(store s)"),
        ("/// a\n///  b\n// c\nstore s", "/a/ / b/ (store s)"),
        ("//// a\nstore s", "(store s)"),
        ("store s /// after\nmap a = 0x00", "(store s)\n(Map a key=[0x00])"),
        ("store s\n//! late\nmap a = 0x00", "(store s)\n(Map a key=[0x00])"),
        ("map /// inside\n a = 0x00\n /// scan\n scan all", "(Map a key=[0x00] (scan))"),
        (
            "hash a = 0x00\n/// f\nfield f = 0x01 -> u8",
            "(Hash a key=[0x00] /f/ (field f [0x01] u8))",
        ),
        ("/// t\r\ntype A = u8", "/t/ (type A u8)"),
        (
            "/// f\nfamily f {\n/// n\nnamespace n = 0x00 {} }",
            "/f/ (family f: /n/ (namespace n [0x00]: ))",
        ),
    ]);
}

#[test]
fn white_space_and_a_byte_order_mark_mean_nothing() {
    let expected = tree("map a = 0x00 {x: u8 in 0..5} -> u8 scan x");
    for source in [
        "\u{feff}map a=0x00{x:u8 in 0..5}->u8 scan x",
        "map\na\r\n=\t0x00\n{\nx\n:\nu8\nin\n0\n..\n5\n}\n->\nu8\nscan\nx",
        "map//\na//\n=//\n0x00//\n{//\nx//\n://\nu8//\nin//\n0//\n..//\n5//\n}//\n->//\nu8//\nscan//\nx//",
    ] {
        assert_eq!(tree(source), expected, "{source}");
    }
}

#[test]
fn the_rest_of_the_grammar_parses_to_the_expected_tree() {
    let expected = r#"!Second line of the file's documentation.
(import common.keys)
(import other/types.keys as=other)
/Rows of everything./ (store rest structures on=redis version=1000)
(family hot: /A counter./ (Sequence next_id key=["seq"] value=u64be) (family inner: (Item params key=[0x00] value=const:"p")))
(type Height other.Height<..=9999>~hex(0x00 "x"))
(type One enum["only"])
(type Joined composite["a" 0xbeefcafe option[{x:u8} "," if=and(or(x in 1.. y=="odd one") z=="none")]])
(type Masked bytes(b/\x00"+/ !/a.*/ !0x00)[2..=8])
(type Signed i64(u8 "w")<-5..=-1>)
(type Call nothing)
(namespace outer [0x01 "o"]: (reserve 0x00 "why \"not\"") (namespace nested ["n"]: (Index by_height of=rows key=[{height:Height from value} {id}] (unique) (counted) (ranked) (scan on=[height.low id] by=[id height] as=[{height} 0x00 .. {height} 0x01] also=[rows params]) (accept KS003 scan=height.id with=rows "known since 1990"))))
(Set members key=[0x09 {group:u8}] (member other.Id))
(Queue jobs key=[0x0a] value=json: reads=Job[..8] (scan as=[0x0a]))
(Hash record key=[0x0b] /How many there are./ (field count ["n"] u64be<0..5>) (field other [{name:Id}] json:Thing))"#;
    assert_eq!(tree(examples::REST), expected);
}

#[test]
fn every_place_is_the_place_of_its_text() {
    let source =
        "map a = 0x00 [{x: u8 in -5..=9} if k is \"v\"] -> u8 scan x.y as {x} accept R \"w\"";
    let (file, _) = parse(source, FileId(7));
    let Some(Decl::Keyspace(map)) = file.decls.first() else { panic!() };
    let at = |span: keyscape_layout::Span| {
        assert_eq!(span.file, FileId(7));
        &source[span.start as usize..span.end as usize]
    };
    assert_eq!(at(map.span), source);
    assert_eq!(at(map.name.span), "a");
    let [Seg::Lit(lit), Seg::Option(option)] = &map.key[..] else { panic!() };
    assert_eq!(at(lit.span), "0x00");
    assert_eq!(at(option.span), "[{x: u8 in -5..=9} if k is \"v\"]");
    let Some(Seg::Field(field)) = option.segs.first() else { panic!() };
    assert_eq!(at(field.span), "{x: u8 in -5..=9}");
    let ty = field.ty.as_ref().unwrap();
    assert_eq!(at(ty.span), "u8 in -5..=9");
    assert_eq!(at(ty.domain.as_ref().unwrap().span), "-5..=9");
    assert_eq!(at(ty.domain.as_ref().unwrap().low.unwrap().span), "-5");
    assert_eq!(at(map.value.as_ref().unwrap().span), "u8");
    let [first, second] = &map.clauses[..] else { panic!() };
    let (ClauseKind::Scan(scan), ClauseKind::Accept(accept)) = (&first.kind, &second.kind) else {
        panic!()
    };
    assert_eq!((at(first.span), at(second.span)), (at(scan.span), at(accept.span)));
    assert_eq!(at(scan.span), "scan x.y as {x}");
    assert_eq!(at(scan.leading[0].span), "x.y");
    assert_eq!(at(scan.asked.as_ref().unwrap().span), "as {x}");
    assert_eq!(at(accept.span), "accept R \"w\"");
}

#[test]
fn a_file_that_is_not_utf8_is_rejected_with_the_offset() {
    assert_eq!(decode_utf8("é".as_bytes(), FileId(0)), Ok("é"));
    let cut = decode_utf8(b"ab\xe2\x82", FileId(3)).unwrap_err();
    assert_eq!(cut.message, "the file is not UTF-8: byte `0xe2` at offset 2");
    assert_eq!((cut.span.file, cut.span.start, cut.span.end), (FileId(3), 2, 4));
}
