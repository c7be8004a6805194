//! Messages about errors in layouts.

use crate::model::{layout, lines, mistakes};
use keyscape_automata::Total;
use keyscape_layout::{NoImports, read, read_again};

fn key(key: &str) -> String {
    mistakes(&format!("store s\nmap m = {key} -> empty"))
}

#[test]
fn an_unknown_display_form_names_those_that_exist() {
    assert_eq!(
        key("{x: bytes[1] shown as hexx}"),
        "there is no display form `hexx` @ shown as hexx (did you mean `hex`?)"
    );
    assert_eq!(
        key("{x: bytes[1] shown as roman}"),
        "there is no display form `roman` @ shown as roman \
         (it is one of bech32, base58check, hex, reversed_hex, utf8)"
    );
}

#[test]
fn unknown_names_come_with_suggestions() {
    assert_eq!(
        key("{x: u64bee}"),
        "there is no type or codec `u64bee` @ u64bee (did you mean `u64be`?)"
    );
    assert_eq!(
        mistakes("store s map m = {x: u8} -> u46be"),
        "`u46be` is not a form of a value @ u46be (did you mean `u64be`? \
         (a type of the program begins with a capital letter))"
    );
    assert_eq!(
        mistakes("store s map m = {x: u8} -> jsno"),
        "`jsno` is not a form of a value @ jsno (did you mean `json`? \
         (a type of the program begins with a capital letter))"
    );
    assert_eq!(mistakes("store s map m = {x: u8} -> U46be map n = \"n\" {x: u8} -> amino"), "none");
    assert_eq!(
        mistakes("store s type Adress = u8 map m = {x: Address} -> empty"),
        "there is no type or codec `Address` @ Address (did you mean `Adress`?)"
    );
    assert_eq!(
        mistakes("store s map m = {owner: u8} -> empty scan ower"),
        "`m` has no field `ower` @ ower (did you mean `owner`?)"
    );
    assert_eq!(
        mistakes("store s map m = {x: u8} -> empty index i of n = {x} -> empty"),
        "there is no map `n` in this store @ n\n\
         field `x` has no type @ {x} (write `{x: TYPE}`)"
    );
}

#[test]
fn an_integer_needs_a_byte_order() {
    assert_eq!(key("{x: u64}"), "`u64` needs a byte order: `u64be` or `u64le` @ u64");
}

#[test]
fn text_and_bytes_must_declare_their_domain() {
    assert!(key("{x: text}").starts_with("`text` must declare its domain"), "{}", key("{x: text}"));
    assert_eq!(
        key(r#"{x: text(r"[a-z]", r"[0-9]")}"#),
        "`text(r\"[a-z]\", r\"[0-9]\")` has no values: no value satisfies all conditions \
         @ text(r\"[a-z]\", r\"[0-9]\")"
    );
    assert_eq!(key("{x: bytes[5..=2]}"), "this range contains no length @ 5..=2");
    assert_eq!(
        key("{x: bytes[99999999999999999999]}"),
        "a length is at most 4294967295 @ 99999999999999999999"
    );
    assert!(key("{x: dec(u8) in 300..=400}").contains("300 is not in the range"));
}

#[test]
fn a_mistake_in_a_regular_expression_is_pointed_at() {
    for pattern in [r#"text(r"[a-z]+(b")"#, r##"text(r#"a(b"#)"##, r#"text(r"a", not r"a(b")"#] {
        assert_eq!(key(&format!("{{x: {pattern}}}")), "unclosed group @ (", "{pattern}");
    }
    assert_eq!(key(r###"{x: bytes(br##"a(b"##)}"###), "unclosed group @ (");
    assert!(key(r#"{x: text(r"a{5000}")}"#).starts_with("a count of 5000 is above the limit"));
    assert!(key(r#"{x: text(r"([a-z]{1,4096}){1,4096}")}"#).contains("too large"));
}

/// At the limit of a layout, all further domains are too large. This is one error.
#[test]
fn domains_that_are_too_large_together_are_one_mistake() {
    let domain = |n: u32| format!("map m{n} = {{x: text(r\"(a|b|ab){{0,40}}c{{0,{n}}}\")}}\n");
    let text = (0..40).map(domain).fold("store s\n".to_owned(), |text, map| text + &map);
    // A layout with the limit of `read` takes seconds.
    let total = Total::new("units", 1 << 14);
    let rejected = read_again(&layout("store s item i = 0x01 -> empty"), &text, &total);
    let mistakes = lines(&rejected.unwrap_err());
    assert!(mistakes.starts_with("the domains of this layout are too large together: more than "));
    assert!(
        mistakes.ends_with("(use smaller counts in the largest domains, or divide the layout)")
    );
    assert_eq!(mistakes.lines().count(), 1, "{mistakes}");
}

#[test]
fn every_mistake_is_reported_and_each_once() {
    let text = "store s
        type A = u65be
        map m = {x: A} {y: A} {x: u8} -> empty
        map m = {z: u8} -> empty";
    assert_eq!(
        mistakes(text),
        "there is no type or codec `u65be` @ u65be (did you mean `u64be`?)\n\
         field `x` occurs twice @ x\n\
         keyspace `m` is declared twice @ m"
    );
}

#[test]
fn types_that_contain_themselves_are_rejected() {
    assert_eq!(
        mistakes("store s type A = {b: B} type B = {a: A} 0x00 map m = {x: A} -> empty"),
        "type `A` contains itself @ A"
    );
}

#[test]
fn types_that_double_at_every_step_are_bounded() {
    let types: String =
        (1..40).map(|n| format!("type T{n} = {{a: T{}}} {{b: T{}}}\n", n - 1, n - 1)).collect();
    let found = mistakes(&format!("store s\ntype T0 = u8\n{types}map m = {{x: T39}} -> empty"));
    assert_eq!(found, "type `T13` has more than 4096 parts @ T13");
}

#[test]
fn guards_name_fields_of_the_same_list() {
    let level = r#"store s type Level = "a" | "b" map m = "#;
    let guard = |key: &str| mistakes(&format!("{level} {key} -> empty"));
    assert_eq!(guard("{level: Level} [{x: u8} if level is a]"), "none");
    assert_eq!(guard("[{x: u8} if level is not b] {level: Level}"), "none");
    assert_eq!(
        guard("{level: Level} [{x: u8} if level is c]"),
        "`level` has no value `c` @ c (it is one of a, b)"
    );
    assert_eq!(
        guard("[{level: Level}] [{x: u8} if level is a]"),
        "`level` may be absent itself, so no guard can depend on it @ level"
    );
    assert_eq!(
        guard("{n: u8} [{x: u8} if n in 300..=400]"),
        "this range contains no value of the field @ 300..=400"
    );
    let ends = "-170141183460469231731687303715884105729";
    assert_eq!(
        guard(&format!("{{n: i128be}} [{{x: u8}} if n in ..={ends}]")),
        format!("this range contains no value of the field @ ..={ends}")
    );
    assert_eq!(
        guard("{n: i128be} [{x: u8} if n in 170141183460469231731687303715884105728..]"),
        "this range contains no value of the field @ 170141183460469231731687303715884105728.."
    );
    assert_eq!(
        guard("{level: Level} [\"x\" if level is a]"),
        "an optional part needs a field of its own @ [\"x\" if level is a] \
         (add a field, whose value shows that the part is present)"
    );
}

#[test]
fn scans_name_the_first_fields_in_order() {
    let scan = |scan: &str| {
        mistakes(&format!(
            "store s map m = {{a: u8}} {{b: u8}} [{{c: u8}} {{d: u8}}] -> empty {scan}"
        ))
    };
    assert_eq!(scan("scan a, b by c"), "none");
    assert_eq!(
        scan("scan b"),
        "`b` is not the next leading field of `m` @ b \
         (name the first fields of the key in order; the next one is `a`)"
    );
    assert_eq!(
        scan("scan a by c"),
        "`c` is not the next field of the key @ c (the next field is `b`)"
    );
    assert_eq!(
        scan("scan a, b, c"),
        "the leading part of this scan ends inside an optional part @ c (end it before or after that part)"
    );
    assert_eq!(scan("scan a, b by c, d"), "none");
    assert_eq!(
        scan("scan a, b by d"),
        "`d` is not the next field of the key @ d (the next field is `c`)"
    );
    assert_eq!(scan("scan a by z"), "the key has no field `z` @ z");
    assert_eq!(scan("scan a scan a"), "scan `a` is declared twice @ scan a");
    assert_eq!(scan("scan a as {b}"), "`b` is not a leading field of this scan @ {b}");
    assert_eq!(scan("accept KS03 \"x\""), "there is no rule `KS03` @ KS03 (did you mean `KS003`?)");
}

#[test]
fn a_type_of_another_language_suggests_a_codec() {
    for (name, codec) in [
        ("string", "text"),
        ("String", "text"),
        ("uint64", "u64be"),
        ("u9", "u16be"),
        ("int", "i64be"),
        ("u7", "u8"),
        ("float", "f64"),
        ("tetx", "text"),
    ] {
        let found = mistakes(&format!("store s map m = {{x: {name}}} -> empty"));
        let expected =
            format!("there is no type or codec `{name}` @ {name} (did you mean `{codec}`?)");
        assert_eq!(found, expected);
    }
}

#[test]
fn a_name_means_the_whole_field_and_a_path_a_part_of_it() {
    let scan = |scan: &str| {
        mistakes(&format!(
            r#"store s type P = "p" {{x: u8}} {{n: u8}} type Q = {{a: u8}} {{p: P}}
            map m = "a" {{x: P}} {{q: Q}} {{n: u8}} -> empty {scan}"#
        ))
    };
    for ok in
        ["all by x, q, n", "all by x.x, x.n, q", "x by q.a, q.p", "x, q.a by p", "x, q.a by q.p.x"]
    {
        assert_eq!(scan(&format!("scan {ok}")), "none", "{ok}");
    }
    assert_eq!(
        scan("scan x by a"),
        "`a` is not the next field of the key @ a (write `q.a` for that part of `q`)"
    );
    assert_eq!(
        scan("scan x.x by n"),
        "`n` is not the next field of the key @ n (the next field is `x.n`)",
        "the key has a field `n` of its own"
    );
    assert_eq!(
        scan("scan all by x.n"),
        "`n` is not the first part of this field @ n (the first part is `x`)"
    );
}

#[test]
fn each_kind_requires_its_clauses() {
    assert_eq!(
        mistakes("store s set a = \"k\" member u8"),
        "`a` is a structure, but store `s` holds rows @ a (write `store NAME structures`, or describe the rows as maps)"
    );
    assert_eq!(
        mistakes("store s structures zset a = \"k\" member u8"),
        "`a` does not declare its scores @ a (add `score TYPE`)"
    );
    assert_eq!(
        mistakes("store s item a = {x: u8} -> empty"),
        "item `a` is one row, so its key has no fields @ a (use `map` for a row per value of a field)"
    );
    assert_eq!(
        mistakes("map m = {x: u8} -> empty"),
        "this declaration precedes every `store` @ m (begin the layout with `store NAME`)"
    );
    assert_eq!(mistakes(""), "the layout has no `store` @  (begin the layout with `store NAME`)");
}

#[test]
fn each_clause_belongs_to_its_kinds_and_occurs_once() {
    let structure = |text: &str| mistakes(&format!("store s structures {text}"));
    let help = "(remove this clause)";
    for (text, message, clause) in [
        (
            "map a = 0x01 {x: u8} member u8",
            "only a set, a zset or a queue has members",
            "member u8",
        ),
        ("set a = 0x01 member u8 score u8", "only a zset or a queue has scores", "score u8"),
        (
            "queue a = 0x01 member u8 score u8 counted",
            "only a set or a zset can be `counted`",
            "counted",
        ),
        ("set a = 0x01 member u8 ranked", "only a zset can be `ranked`", "ranked"),
        ("map a = 0x01 {x: u8} unique", "only an index can be `unique`", "unique"),
        (
            "map a = 0x01 {x: u8} field f = 0x01 -> u8",
            "only a hash has fields of this kind",
            "field f = 0x01 -> u8",
        ),
    ] {
        assert_eq!(structure(text), format!("{message} @ {clause} {help}"));
    }
    assert_eq!(
        structure("set a = 0x01 -> u8 member u8 member u16be"),
        "`a` is a structure, which has no value of its own @ a (remove `->` and the value)\n\
         `member` is declared twice @ member u16be"
    );
    assert_eq!(
        structure(
            "hash h = 0x01 {x: u8} field a was c = 0x01 -> u8 field a = 0x02 -> u8
             field b was c = 0x03 -> u8"
        ),
        "field `a` is declared twice @ a\n`c` is the old name of another part @ c"
    );
}

/// An empty literal once was part of all keys of such a namespace.
#[test]
fn a_namespace_for_the_whole_store_adds_no_literal() {
    let layout = layout("store s namespace n = \"\" { map m = \"a\" {x: u8} -> empty }");
    assert_eq!(layout.keyspaces[0].key.len(), 2);
    assert_eq!(layout.stores[0].namespaces[0].prefix, b"");
}

/// The number of prefixes of a range once overflowed.
#[test]
fn wide_ranges_are_counted_up_to_a_limit() {
    let sizes = |low: &str, high: &str| {
        let text = format!("store s namespace n = 0x01 {{ allocate r 0x{low} ..= 0x{high} }}");
        layout(&text).stores[0].namespaces[0].ranges[0].size()
    };
    let (zeros, ones) = ("00".repeat(16), "ff".repeat(16));
    assert_eq!(sizes("05", "0f"), 11);
    assert_eq!(sizes("00ff", "0100"), 2);
    assert_eq!(sizes(&zeros, &format!("{}fe", "ff".repeat(15))), u128::MAX);
    assert_eq!(sizes(&zeros, &ones), u128::MAX);
    assert_eq!(sizes(&format!("00{ones}"), &format!("01{zeros}")), 2);
    assert_eq!(sizes(&format!("00{zeros}"), &format!("01{zeros}")), u128::MAX);
}

#[test]
fn allocation_names_declared_ranges() {
    let found = mistakes(
        "store s namespace n = 0x01 { allocate core 0x01 ..= 0x0f allocate back 0x09 ..= 0x02
         map m = 0x02 {x: u8} -> empty in cor }",
    );
    assert_eq!(
        found,
        "range `back` does not run from low to high @ allocate back 0x09 ..= 0x02 \
         (write two ends of one length, the lower one first)\n\
         namespace `n` allocates no range `cor` @ cor (did you mean `core`?)"
    );
}

#[test]
fn a_place_that_does_not_parse_is_reported_once() {
    assert_eq!(key("0x1 {x: u8}").lines().count(), 1, "{}", key("0x1 {x: u8}"));
    assert_eq!(key("[] {x: u8}").lines().count(), 1, "{}", key("[] {x: u8}"));
}

#[test]
fn rows_of_another_keyspace_are_compared_by_fields_of_one_type() {
    assert_eq!(
        mistakes(
            "store s type B = {y: u8} map a = {x: B} -> empty map b = {x: u8} -> empty scan x also a"
        ),
        "`x` of `a` has another type than here @ a (give both fields one type, or different names)"
    );
}

#[test]
fn a_digest_of_several_values_is_derived() {
    let pair = |codec: &str| {
        mistakes(&format!(
            "store s type Pair = {{a: u8}} {{b: u8}} map m = {{x: {codec}(Pair)}} -> empty"
        ))
    };
    assert_eq!(
        pair("twox_64_concat"),
        "`Pair` is not a single value, so no codec can hold it @ Pair \
         (derive the digest from the fields: `type Pair = {= twox64(a, b)} {a: …} {b: …}`)"
    );
    assert_eq!(
        pair("sha256"),
        "`Pair` is not a single value, so no codec can hold it @ Pair \
         (write `sha256(bytes[0..])`: the values of a digest are digests)"
    );
    assert_eq!(pair("hex"), "`Pair` is not a single value, so no codec can hold it @ Pair");
}

#[test]
fn omitted_mistakes_are_all_counted() {
    // 1,000 numbers and a missing store. The parser shows 200 mistakes, the layout 20.
    let text = "map a = 0x1\n".repeat(1000);
    let rejected = read("test.keys", &text, &mut NoImports).unwrap_err();
    assert_eq!(rejected.diagnostics[20].message, "981 more mistakes are not shown");
    assert_eq!(rejected.mistakes(), 1001);
}

#[test]
fn similar_names_are_found_among_many() {
    let names: Vec<String> = (0..300).map(|n| format!("part{n}")).collect();
    let names = names.iter().map(String::as_str).chain(["orders"]);
    assert_eq!(keyscape_layout::most_similar("ordres", names), Some("orders"));
}
