//! The fixes that are offered for refuted claims, best first.

use keyscape_layout::{Layout, Loader, NoImports, read};
use keyscape_prover::{Config, Effect, Rule, Verdict};

/// Returns the fixes of all refuted claims of a rule, one per line, with their effect on stored
/// bytes.
pub(crate) fn fixes(rule: Rule, text: &str) -> String {
    let layout = read("test.keys", text, &mut NoImports)
        .unwrap_or_else(|rejected| panic!("{:?}", rejected.diagnostics));
    fixes_of(rule, &layout)
}

fn fixes_of(rule: Rule, layout: &Layout) -> String {
    let report = keyscape_prover::check(layout, Config::default());
    let mut lines = Vec::new();
    for claim in report.claims.iter().filter(|claim| claim.rule == rule) {
        if let Verdict::Refuted(counterexample) = &claim.verdict {
            let name = &layout.keyspace(claim.keyspace).name;
            if counterexample.fixes.is_empty() {
                lines.push(format!("{name}: none"));
            }
            for fix in &counterexample.fixes {
                let effect = match fix.effect {
                    Effect::NothingStored => "same",
                    Effect::BytesAdded => "added",
                    Effect::TypeChanged => "changed",
                    Effect::Narrowed => "narrowed",
                };
                lines.push(format!("{name} {effect}: {}", fix.text.replace('\n', " / ")));
            }
        }
    }
    lines.join("\n")
}

#[test]
fn a_scan_that_asks_for_too_little_asks_for_the_separator_too() {
    assert_eq!(
        fixes(
            Rule::ScanExact,
            r#"store shop
            map orders = "o/" {user: dec(u64)} "/" {order: dec(u64)} -> text
                scan user as "o/" {user}"#
        ),
        "orders same: scan user\n\
         orders same: scan user as \"o/\" {user} \"/\""
    );
}

#[test]
fn a_leading_field_without_an_end_gets_one() {
    assert_eq!(
        fixes(
            Rule::ScanExact,
            r#"store s map m = {a: text(r"[a-z/]{1,9}")} "/" {b: u8} -> empty scan a"#
        ),
        r#"m added: map m = {a: text(r"[a-z/]{1,9}")} 0x00 "/" {b: u8} -> empty
m changed: map m = {a: len8(text(r"[a-z/]{1,9}"))} "/" {b: u8} -> empty"#
    );
    assert_eq!(
        fixes(Rule::ScanExact, "store s map m = {a: dec(u16)} {b: u8} -> empty scan a as {a}"),
        "m added: map m = {a: dec(u16)} 0x00 {b: u8} -> empty / scan a\n\
         m changed: map m = {a: len8(dec(u16))} {b: u8} -> empty / scan a"
    );
}

#[test]
fn ambiguous_fields_get_a_domain_a_separator_or_a_length() {
    assert_eq!(
        fixes(
            Rule::Unambiguous,
            r#"store s map m = {a: text(r"[a-z:]{1,9}")} "::" {b: text(r"[a-z:]{1,9}")} -> empty"#
        ),
        r#"m added: map m = {a: text(r"[a-z:]{1,9}")} 0x00 "::" {b: text(r"[a-z:]{1,9}")} -> empty
m changed: map m = {a: len8(text(r"[a-z:]{1,9}"))} "::" {b: text(r"[a-z:]{1,9}")} -> empty"#
    );
    assert_eq!(
        fixes(
            Rule::Unambiguous,
            r#"store s map m = {a: text(r"[!-~]{1,9}")} "::" {b: text(r"[!-~]{1,9}")} -> empty"#
        )
        .lines()
        .last(),
        Some(
            r#"m narrowed: map m = {a: text(r"[!-~]{1,9}", not ":")} "::" {b: text(r"[!-~]{1,9}")} -> empty"#
        ),
        "to exclude \"::\" is not enough: `a:` may be followed by `::`"
    );
    assert_eq!(
        fixes(Rule::Unambiguous, "store s map m = {a: dec(u64)} {b: dec(u64)} -> empty"),
        "m added: map m = {a: dec(u64)} 0x00 {b: dec(u64)} -> empty\n\
         m changed: map m = {a: len8(dec(u64))} {b: dec(u64)} -> empty"
    );
    assert_eq!(
        fixes(Rule::Unambiguous, "store s map m = {a: dec(u8) in 0..=99} {b: dec(u8)} -> empty")
            .lines()
            .last(),
        Some("m narrowed: map m = {a: dec(u8) in 0..=10} {b: dec(u8)} -> empty"),
        "10 is no 1 before another number: decimals do not begin with 0"
    );
}

#[test]
fn one_idea_is_repeated_until_the_claim_holds() {
    assert_eq!(
        fixes(
            Rule::Unambiguous,
            r#"store s type N = text(r"[a-z]{1,9}") map m = {a: N} {b: N} {c: N} -> empty"#
        ),
        "m added: map m = {a: N} 0x00 {b: N} 0x00 {c: N} -> empty\n\
         m changed: map m = {a: N} {b: len8(N)} {c: N} -> empty"
    );
}

#[test]
fn a_domain_is_changed_where_it_is_declared() {
    assert_eq!(
        fixes(
            Rule::Unambiguous,
            r#"store s
            type Name = text[1..=9]
            map m = {a: Name} "/" {b: Name} -> empty"#
        ),
        "m changed: map m = {a: len8(Name)} \"/\" {b: Name} -> empty\n\
         m changed: map m = {a: escaped(Name)} \"/\" {b: Name} -> empty\n\
         m narrowed: type Name = text(not \"/\")[1..=9]"
    );
}

#[test]
fn order_is_restored_by_a_bound_or_another_codec() {
    let by = |ty: &str| {
        fixes(Rule::Ordered, &format!("store s map m = {{x: {ty}}} -> empty scan all by x"))
    };
    assert_eq!(
        by("dec(u64)"),
        "m changed: map m = {x: u64be} -> empty\n\
         m changed: map m = {x: dec0(u64)[20]} -> empty"
    );
    assert_eq!(
        by("dec(u256)"),
        "m changed: map m = {x: u256be} -> empty\n\
         m changed: map m = {x: dec0(u256)[78]} -> empty"
    );
    assert_eq!(by("u64le in 256..=9999"), "m changed: map m = {x: u64be in 256..=9999} -> empty");
    assert_eq!(
        by("i64be"),
        "m changed: map m = {x: flip(i64)} -> empty\nm narrowed: map m = {x: i64be in 0..} -> empty"
    );
    assert_eq!(
        by(r#"len8(text(r"[a-z]{1,3}"))"#),
        r#"m changed: map m = {x: nul(text(r"[a-z]{1,3}"))} -> empty"#
    );
    assert_eq!(by("desc(dec(u32))"), "m changed: map m = {x: desc(u32be)} -> empty");
}

#[test]
fn order_is_restored_by_a_terminator_or_by_numbers() {
    assert_eq!(
        fixes(
            Rule::Ordered,
            r#"store s map m = {x: text(r"[a-z]{1,3}")} "~" {n: u8} -> empty scan all by x"#
        ),
        r#"m added: map m = {x: text(r"[a-z]{1,3}")} 0x00 "~" {n: u8} -> empty"#
    );
    assert_eq!(
        fixes(
            Rule::Ordered,
            r#"store s type T = "b" | "a" map m = {t: T} {n: u8} -> empty scan all by t"#
        ),
        "m changed: type T = | b 0x00 | a 0x01"
    );
    assert_eq!(
        fixes(
            Rule::Ordered,
            r#"store s type T = | b "b" {x: u8} | a "a" {y: u8} map m = {t: T} -> empty scan all by t"#
        ),
        r#"m added: type T = | b 0x00 "b" {x: u8} | a 0x01 "a" {y: u8}"#
    );
}

/// The name of an arm cannot be any text, and another name would be another value.
#[test]
fn an_enum_whose_texts_are_not_names_keeps_its_values() {
    for texts in [r#""a" | "-""#, r#""in-progress" | "done""#, r#""b c" | "a""#] {
        let text = format!("store s type T = {texts} map m = {{t: T}} -> empty scan all by t");
        assert_eq!(fixes(Rule::Ordered, &text), "m: none", "{texts}");
    }
    assert_eq!(
        fixes(
            Rule::Ordered,
            r#"store s type T = "in_progress" | "done" map m = {t: T} -> empty scan all by t"#
        ),
        "m changed: type T = | in_progress 0x00 | done 0x01"
    );
}

/// `u32be` would collide with `wide`, so another type of integers is used, with the old range.
#[test]
fn a_wider_type_of_integers_keeps_the_range() {
    let narrow = |ty: &str| {
        let wide = "map wide = {x: u8} {y: truncate(bytes[8])[3]} -> empty accept KS005 \"cut\"";
        fixes(Rule::Lossless, &format!("store s map m = {{z: {ty}}} -> empty {wide}"))
    };
    let said = narrow("truncate(u32be)[3]");
    assert!(
        said.starts_with("m changed: map m = {z: u128be in 0..=4294967295} -> empty"),
        "{said}"
    );
    let said = narrow("truncate(u32be in 5..)[3]");
    assert!(
        said.starts_with("m changed: map m = {z: u128be in 5..=4294967295} -> empty"),
        "{said}"
    );
    let said = narrow("truncate(u32be)[3] in 5..");
    assert!(!said.contains("u128be"), "{said}");
}

#[test]
fn keyspaces_become_disjoint_by_a_literal_or_by_excluded_values() {
    let both = r#"store s
        map event = "z:" {event: text(r"[a-z:]{1,64}")} -> empty
        map spent = "z:" {event: text(r"[a-z:]{1,64}")} ":spnd" -> empty"#;
    assert_eq!(
        fixes(Rule::Disjoint, both),
        r#"event added: map event = "z:/" {event: text(r"[a-z:]{1,64}")} -> empty
event added: map spent = "z:/" {event: text(r"[a-z:]{1,64}")} ":spnd" -> empty
event narrowed: map event = "z:" {event: text(r"[a-z:]{1,64}", not ":spnd")} -> empty
spent added: map spent = "z:/" {event: text(r"[a-z:]{1,64}")} ":spnd" -> empty
spent added: map event = "z:/" {event: text(r"[a-z:]{1,64}")} -> empty
spent narrowed: map event = "z:" {event: text(r"[a-z:]{1,64}", not ":spnd")} -> empty"#
    );
    assert_eq!(
        fixes(
            Rule::StructureTyped,
            r#"store s structures
            set lists = "k:" {x: text(r"[a-z]{1,4}")} member u8
            zset scores = "k:" {y: text(r"[a-z]{2,4}")} member u8 score f64"#
        ),
        r#"lists added: set lists = "k:/" {x: text(r"[a-z]{1,4}")}
lists added: zset scores = "k:/" {y: text(r"[a-z]{2,4}")}
scores added: zset scores = "k:/" {y: text(r"[a-z]{2,4}")}
scores added: set lists = "k:/" {x: text(r"[a-z]{1,4}")}"#
    );
}

#[test]
fn keys_are_made_to_fit_the_backend() {
    assert_eq!(
        fixes(
            Rule::Bounded,
            r#"store s on lmdb map m = {id: text(r"[a-z]{1,600}")} {n: u64be} -> json"#
        ),
        r#"m narrowed: map m = {id: text(r"[a-z]{1,600}")[..=503]} {n: u64be} -> json"#
    );
    assert_eq!(
        fixes(Rule::Bounded, r#"store s on lmdb map m = "p" {id: bytes[1..]} -> json"#),
        r#"m narrowed: map m = "p" {id: bytes[1..=510]} -> json"#
    );
    assert_eq!(
        fixes(Rule::Bounded, r#"store s on lmdb map m = {id: text(r"[a-z]{0,6}")} -> json"#),
        r#"m narrowed: map m = {id: text(r"[a-z]{0,6}")[1..]} -> json"#
    );
}

#[test]
fn prefixes_are_moved_to_where_they_are_allocated() {
    let namespace = |keyspaces: &str| {
        fixes(
            Rule::Allocated,
            &format!(
                r#"store paw
                namespace dex = 0x02 {{
                  allocate core 0x01 ..= 0x0f  allocate cross_module 0x20 ..= 0x2f
                  reserve 0x0c "was the rate limit"
                  {keyspaces}
                }}"#
            ),
        )
    };
    assert_eq!(
        namespace("map m = 0x26 {n: u8} -> empty"),
        "m same: map m = 0x26 {n: u8} -> empty in cross_module\n\
         m changed: map m = 0x01 {n: u8} -> empty"
    );
    assert_eq!(
        namespace("map m = 0x06 {n: u8} -> empty in cross_module"),
        "m same: in core\nm changed: map m = 0x20 {n: u8} -> empty"
    );
    assert_eq!(
        namespace("map a = 0x01 {n: u8} -> empty map m = 0x0c {n: u8} -> empty"),
        "m changed: map m = 0x0d {n: u8} -> empty"
    );
    assert_eq!(
        namespace("map a = 0x01 {n: u8} -> empty map b = 0x01 0x05 {m: u16be} -> empty"),
        "a changed: map a = 0x02 {n: u8} -> empty\n\
         b changed: map b = 0x02 0x05 {m: u16be} -> empty"
    );
    assert_eq!(
        namespace("map m = {n: u8 in 1..=13} -> empty"),
        "m added: map m = 0x01 {n: u8 in 1..=13} -> empty\n\
         m narrowed: map m = {n: u8 in 1..=11} -> empty"
    );
}

#[test]
fn an_index_gets_its_missing_fields() {
    let index = |index: &str| {
        fixes(
            Rule::Indexed,
            &format!(
                "store s map rows = 0x01 {{owner: u16be}} {{id: u8}} -> json
                index other of rows = 0x02 {index}"
            ),
        )
    };
    assert_eq!(
        index("{id} -> bytes"),
        "other same: index other of rows = 0x02 {id} -> bytes unique"
    );
    assert_eq!(
        index("{pool: u8 from value} -> empty"),
        "other added: index other of rows = 0x02 {pool: u8 from value} {owner} {id} -> empty"
    );
}

#[test]
fn a_fix_that_breaks_another_claim_is_not_offered() {
    // With `0x00` between the fields, `m` would have the keys of `other`.
    assert_eq!(
        fixes(
            Rule::Unambiguous,
            r#"store s
            type N = text(r"[a-z]{1,2}")
            map m = {a: N} {b: N} -> empty
            map other = {a: N} 0x00 {b: N} -> empty"#
        ),
        "m added: map m = {a: N} \"/\" {b: N} -> empty\n\
         m changed: map m = {a: len8(N)} {b: N} -> empty"
    );
}

/// Without `truncate`, a value of `rows` has several readings, and the index takes a field from it.
#[test]
fn a_fix_that_makes_values_ambiguous_is_not_offered() {
    let layout = |day: &str| {
        fixes(
            Rule::Lossless,
            &format!(
                r#"store s
                type Cut = truncate(text(r"[ab]{{2,3}}"))[2]
                type Value = {{c: Cut}} {{day: {day}}}
                map other = "o" {{c: Cut}} -> empty
                map rows = "m" {{x: u8}} -> Value
                index days of rows = "d" {{x}} {{day: {day} from value}} -> empty"#
            ),
        )
    };
    let unwrapped = r#"other changed: type Cut = text(r"[ab]{2,3}")"#;
    assert!(layout("u8").starts_with(unwrapped), "{}", layout("u8"));
    let offered = layout(r#"text(r"[ab]*")"#);
    assert!(!offered.contains(unwrapped), "{offered}");
}

#[test]
fn both_readings_of_an_optional_part_are_fixed() {
    assert_eq!(
        fixes(
            Rule::Unambiguous,
            r#"store s map m = {a: u8} [{b: text(r"[a-z]")}] {c: text(r"[a-z]{1,2}")} -> empty"#
        ),
        r#"m added: map m = {a: u8} [{b: text(r"[a-z]")} 0x00] {c: text(r"[a-z]{1,2}")} -> empty
m changed: map m = {a: u8} [{b: text(r"[a-z]")}] {c: len8(text(r"[a-z]{1,2}"))} -> empty"#
    );
}

#[test]
fn sums_of_two_integers_end_where_they_are_kept_apart() {
    let sums = |sums: &str| fixes(Rule::Lossless, &format!("store s map m = {{x: {sums}}}"));
    assert_eq!(
        sums("f64_sum(u32, u32 in 0..1e9, 1e9)"),
        "m narrowed: map m = {x: f64_sum(u32 in 0..=8388607, u32 in 0..1e9, 1e9)}"
    );
    assert_eq!(
        sums("f64_sum(u32 in 1.., u32, 1e9)"),
        "m narrowed: map m = {x: f64_sum(u32 in 1..=8388607, u32 in 0..=999999999, 1e9)}"
    );
    assert_eq!(
        sums("f64_sum(u16, u16 in 0..=1000, 1e3)"),
        "m narrowed: map m = {x: f64_sum(u16, u16 in 0..=999, 1e3)}"
    );
    // No whole part is small enough.
    assert_eq!(sums("f64_sum(u32 in 8388608.., u32 in 0..1e9, 1e9)"), "m: none");
    for lost in
        ["f64_sum(u32 in 0..=8388608, u32 in 0..1e9, 1e9)", "f64_sum(u16, u16 in 0..=1000, 1e3)"]
    {
        assert!(
            crate::claims::check(&format!("store s map m = {{x: {lost}}}")).starts_with("KS005 m")
        );
    }
}

#[test]
fn loss_is_ended_by_a_bound_or_a_fixed_width() {
    let of = |ty: &str| fixes(Rule::Lossless, &format!("store s map m = {{x: {ty}}} -> empty"));
    assert_eq!(
        of("f64_of(u64)"),
        "m changed: map m = {x: u64be} -> empty\n\
         m narrowed: map m = {x: f64_of(u64) in 0..=9007199254740992} -> empty",
        "2^53 + 1 is the first integer that no double is"
    );
    assert_eq!(
        of("pad_right(dec(u64))[8]"),
        "m changed: map m = {x: u64be} -> empty\n\
         m narrowed: map m = {x: pad_right(dec(u64))[8] in 0..=99999999} -> empty"
    );
}

struct Types;

impl Loader for Types {
    fn load(&mut self, path: &str, from: &str) -> Result<(String, Vec<u8>), String> {
        assert_eq!((path, from), ("types.keys", "a/main.keys"));
        Ok(("a/types.keys".to_owned(), b"type Id = dec(u64)".to_vec()))
    }
}

#[test]
fn imported_types_are_replaced_where_they_are_used() {
    let text = "import \"types.keys\" as t store s map m = {id: t.Id} -> empty scan all by id";
    let layout = read("a/main.keys", text, &mut Types).unwrap();
    assert_eq!(fixes_of(Rule::Ordered, &layout), "m changed: map m = {id: u64be} -> empty");
}

/// `in -2..=2` once became `in 0..`, which allows new values.
#[test]
fn a_bound_keeps_the_declared_end() {
    let fixes = |ty: &str| {
        fixes(Rule::Ordered, &format!(r#"store s map a = "a" {{x: {ty}}} -> empty scan all by x"#))
    };
    let last = |ty: &str| fixes(ty).lines().last().unwrap().to_owned();
    assert_eq!(last("i8 in -2..=2"), r#"a narrowed: map a = "a" {x: i8 in 0..=2} -> empty"#);
    assert_eq!(last("i16le in -2..=2"), r#"a narrowed: map a = "a" {x: i16le in 0..=2} -> empty"#);
    assert_eq!(last("i8"), r#"a narrowed: map a = "a" {x: i8 in 0..} -> empty"#);
}

#[test]
fn a_declaration_with_a_comment_is_shown_line_by_line() {
    let text = "store s\nmap a = \"a\" // first\n    {x: dec(u64)}\n    scan all by x\n";
    let offered = fixes(Rule::Ordered, text);
    assert!(offered.starts_with("a changed: map a = \"a\" // first / {x: u64be}\n"), "{offered}");
}

/// A fix with a lossless codec once omitted `desc` and the declared range.
#[test]
fn a_fix_keeps_the_direction_and_the_range() {
    assert_eq!(
        fixes(
            Rule::Lossless,
            "store s map m = {x: desc(pad_right(dec(u32) in 1..=1000)[2])} -> empty"
        )
        .lines()
        .filter(|line| line.starts_with("m changed"))
        .collect::<Vec<_>>(),
        ["m changed: map m = {x: desc(u32be in 1..=1000)} -> empty"]
    );
    let ordered =
        fixes(Rule::Ordered, "store s map m = {x: desc(dec(u64))} -> empty scan all by x");
    assert!(ordered.lines().all(|line| line.contains("desc(")), "{ordered}");
}

/// Lengths above 255 were once not tried.
#[test]
fn the_weakest_length_of_a_field_may_be_large() {
    let offered =
        fixes(Rule::Lossless, "store s map m = {x: truncate(bytes[1..=512])[511]} -> empty");
    let last = offered.lines().last().unwrap();
    assert_eq!(last, "m narrowed: map m = {x: truncate(bytes[1..=511])[511]} -> empty");
}

#[test]
fn a_fix_makes_no_key_longer_that_the_backend_does_not_take_anyway() {
    let layout = |backend: &str| {
        format!(
            r#"store s {backend}
            map a = {{x: text(r"[a-z]{{510,600}}")}} -> empty
            map b = {{y: text(r"[a-z]{{511}}")}} -> empty"#
        )
    };
    assert!(fixes(Rule::Disjoint, &layout("")).contains("a added"));
    let offered = fixes(Rule::Disjoint, &layout("on lmdb"));
    assert!(!offered.contains("added"), "{offered}");
}

/// Each of these fixes would be proved. `effect::is_absurd` explains why it is not offered.
#[test]
fn absurd_fixes_are_not_offered() {
    for (rule, text, absurd) in [
        (Rule::Unambiguous, "[{x: len8(u8)}] [{y: len8(u8)}] {z: u8}", "len8(len8("),
        (Rule::Unambiguous, "{a: text(r\"a*\")} \"a\" {b: text(r\"a*\")}", "not \"a\""),
        (Rule::Ordered, "{x: bech32(\"a\", u8)} -> empty scan all by x", " in 0..=1}"),
        (Rule::Ordered, "{x: dec(u64)} scan all by x", " in "),
        (Rule::Ordered, "{x: i64le} scan all by x", " in "),
        (Rule::Unambiguous, "{a: dec(u64)} {b: dec(u8)}", " in "),
        (Rule::ScanExact, "{a: dec(u64)} {b: dec(u8)} scan a", " in "),
        (Rule::Ordered, "{x: len8(bytes[1..=255])} scan all by x", "[255]"),
        (Rule::Unambiguous, "{a: text[1..]} \"x\" {b: text[1..]}", "not \"x\""),
        (Rule::Unambiguous, "{a: text(r\"[a-z/]+\")} \"/\" {b: text(r\"[a-z/]+\")}", "not \"/\""),
        (Rule::Unambiguous, "{a: bytes[1..=9]} \"/\" {b: bytes[1..=9]}", "not \"/\""),
        (Rule::Unambiguous, "{a: text[1..=9]} \"/\" {b: text[1..=9]}", "0xc0"),
    ] {
        let offered = fixes(rule, &format!("store s map m = {text}"));
        assert!(!offered.is_empty() && !offered.contains(absurd), "{text}: {offered}");
    }
    // One that keeps more than a sixteenth is large enough.
    let digits = fixes(Rule::Ordered, "store s map m = {x: dec(u8) in 0..=99} scan all by x");
    assert!(digits.ends_with("m narrowed: map m = {x: dec(u8) in 0..=9}"), "{digits}");
}

/// An idle acceptance is an error, so a fix names the acceptances that it makes idle.
#[test]
fn a_fix_names_the_acceptances_that_it_makes_idle() {
    let text = r#"store s
        map a = "m" {x: dec(u8)} -> empty
            accept KS001 with b "one is read at a time"
        map b = "m" {x: text(r"[0-9a-f]{1,3}")} -> empty"#;
    let layout = read("test.keys", text, &mut NoImports).unwrap();
    let report = keyscape_prover::check(&layout, Config::default());
    let refuted = report.claims.iter().filter_map(|claim| match &claim.verdict {
        Verdict::Refuted(found) if claim.accepted.is_none() => Some(found),
        _ => None,
    });
    let fixes: Vec<_> = refuted.flat_map(|found| &found.fixes).collect();
    assert!(!fixes.is_empty());
    for fix in fixes {
        assert_eq!(fix.idle_accepts, ["`accept KS001 with b` of `a`"], "{}", fix.text);
        let mut fixed = text.to_owned();
        fixed.replace_range(fix.replaces.start as usize..fix.replaces.end as usize, &fix.edit);
        let layout = read("test.keys", &fixed, &mut NoImports).unwrap();
        let report = keyscape_prover::check(&layout, Config::default());
        assert_eq!(report.idle_accepts.len(), 1, "{fixed}");
    }
}

/// The bytes of a value of `y` stay the same, but a row gets another value.
#[test]
fn a_field_from_the_key_instead_of_the_value_changes_stored_keys() {
    let with = |ty: &str| {
        let map = "map m = \"m\" {x: u8} {y: dec(u8) in 0..=1} -> empty";
        let index = format!("index i of m = \"i\" {{y: {ty} from value}} {{x}} -> empty");
        fixes(Rule::Indexed, &format!("store s {map} {index}"))
    };
    for ty in ["dec(u8) in 0..=1", "dec(u8) in 0..=9", "dec(u8) in 1..=1"] {
        let said = with(ty);
        assert_eq!(said, "i changed: index i of m = \"i\" {y} {x} -> empty", "{ty}");
    }
    // The type of the map would reverse the order.
    assert_eq!(with("desc(dec(u8) in 0..=1)"), "i: none");
}
