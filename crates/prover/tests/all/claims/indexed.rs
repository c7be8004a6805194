//! KS009: indexes without some fields of their map's key.

use super::check;

/// Checks a map with an index.
fn index(map: &str, key: &str) -> String {
    check(&format!(
        "store s
        type Kind = \"a\" | \"b\"
        map rows = 0x01 {map} -> empty
        index by of rows = 0x02 {key} -> empty"
    ))
}

#[test]
fn a_part_that_may_be_absent_has_to_be_carried_though_it_has_one_value() {
    assert_eq!(
        index("[{x: u8 in 7}] {y: u8}", "{y}"),
        "KS009 by: x \\x01\\x00 rows(y=0) and \\x01\\x07\\x00 rows(x=7 y=0) at \\x02\\x00"
    );
    assert_eq!(index("{x: u8 in 7} {y: u8}", "{y}"), "proved");
    assert_eq!(index("[{x: u8 in 7}] {y: u8}", "[{x}] {y}"), "proved");
}

/// A row with several entries, or none, is distinguished from other rows like one with one entry.
#[test]
fn lists_and_optional_values_are_claimed_for_every_entry() {
    for take in ["", " each", " optional"] {
        let day = format!("{{day: u8 from value{take}}}");
        assert_eq!(index("{x: u8} {y: u8}", &format!("{day} {{y}} {{x}}")), "proved", "{take}");
        assert_eq!(
            index("{x: u8} {y: u8}", &format!("{day} {{y}}")),
            "KS009 by: x \\x01\\x00\\x00 rows(x=0 y=0) and \\x01\\x01\\x00 rows(x=1 y=0) \
             at \\x02\\x00\\x00",
            "{take}"
        );
        let kind = format!("{{kind: Kind from value{take}}}");
        let said = index("{x: u8} {y: u8}", &format!("{kind} {{x}} [{{y}} if kind is a]"));
        assert!(said.starts_with("KS009 by: unknown"), "{take}: {said}");
        // The map loses a part of the value that the index keeps.
        let said = index(
            "{x: truncate(text(r\"[ab]{2}\"))[1]}",
            &format!("{day} {{x: text(r\"[ab]{{2}}\")}}"),
        );
        assert!(said.contains("KS009 by: unknown Entry"), "{take}: {said}");
        // The end of the element is not known.
        let word = format!("{{word: text(r\"a?\") from value{take}}} {{x}}");
        let said = index("{x: text(r\"a?\")}", &word);
        assert!(said.contains("KS009 by: unknown Ambiguous"), "{take}: {said}");
    }
}

/// The map has few rows, and the index takes few values, so all entries are compared.
#[test]
fn few_rows_are_tried_with_all_values() {
    let map = "{x: Kind} [{y: u8 in 0..=1} if x is a]";
    for take in ["", " each", " optional"] {
        // The presence of `y` shows the value of `x`.
        let kind = format!("{{kind: Kind from value{take}}} \"/\"");
        assert_eq!(index(map, &format!("{kind} [{{y}}]")), "proved", "{take}");
        // More values than three, of which the last one matters.
        let day = format!("{{day: u8 in 0..=9 from value{take}}}");
        assert_eq!(index(map, &format!("{day} [{{y}}]")), "proved", "{take}");
        let said = index(map, &format!("{day} [{{y}} if day in 0..=8]"));
        assert!(said.starts_with("KS009 by: unknown"), "{take}: {said}");
        let many = format!("{{day: u64be from value{take}}}");
        let said = index(map, &format!("{many} [{{y}}]"));
        assert!(said.starts_with("KS009 by: unknown Rows"), "{take}: {said}");
    }
    // A field in an optional part could be absent.
    let said = index(map, "[{y} {day: u8 in 0..=1 from value}]");
    assert!(said.starts_with("KS009 by: unknown"), "{said}");
}

/// A row with `x = b` and the value `x = a` needs `y`, which it does not have.
#[test]
fn a_guard_on_a_field_from_the_value_does_not_test_the_key() {
    for take in ["", " each", " optional"] {
        let said = check(&format!(
            "store s
            type Kind = \"a\" | \"b\"
            map rows = 0x01 {{x: Kind}} [{{y: u8}} if x is a] -> bytes
            index by of rows = 0x02 {{x: Kind from value{take}}} [{{y}} if x is a] -> bytes unique"
        ));
        assert!(said.starts_with("KS009 by: unknown Entry"), "{take}: {said}");
    }
}

/// The entries of a row must not depend on the program that reads its value.
#[test]
fn a_value_with_several_readings_is_no_source_of_fields() {
    let said = |value: &str, from: &str| {
        check(&format!(
            "store s
            type Value = {value}
            map rows = 0x01 {{x: u8}} -> Value
            index by of rows = 0x02 {{day: text(r\"a?\") from value{from}}} 0x00 {{x}} -> empty"
        ))
    };
    let unknown = "KS009 by: unknown AmbiguousValue { map: KeyspaceId(0) }";
    assert_eq!(said("{day: text(r\"a?\")} {b: text(r\"a?\")}", ""), unknown);
    assert_eq!(said("{day: text(r\"a?\")} 0x00 {b: text(r\"a?\")}", ""), "proved");
    assert_eq!(said("{n: text(r\"a*\")} [{day: text(r\"a?\")}]", " optional"), unknown);
    assert_eq!(said("{n: u8} [0x01 {day: text(r\"a?\")}]", " optional"), "proved");
    // Only the program takes the field, from the one reading that it knows.
    assert_eq!(said("{a: text(r\"a?\")} {b: text(r\"a?\")}", ""), "proved");
}

#[test]
fn fields_that_only_differ_together_are_missing() {
    let guarded = "{kind: Kind} [{x: u8 in 7} if kind is b]";
    assert_eq!(
        index(guarded, "{day: u8 from value}"),
        "KS009 by: kind \\x01a rows(kind=a) and \\x01b\\x07 rows(kind=b x=7) at \\x02\\x00"
    );
    assert_eq!(index(guarded, "{kind}"), "proved");
    assert_eq!(index(guarded, "[{x}]"), "proved");
}

#[test]
fn an_entry_has_only_fields_of_its_row() {
    assert_eq!(
        index("[{x: u8}] {z: u8}", "[{x}]"),
        "KS009 by: z \\x01\\x00 rows(z=0) and \\x01\\x01 rows(z=1) at \\x02"
    );
    assert_eq!(
        index("[{x: u8}] {y: u8}", "{x}"),
        "KS009 by: y \\x01\\x00\\x00 rows(x=0 y=0) and \\x01\\x00\\x01 rows(x=0 y=1) at \\x02\\x00"
    );
}

#[test]
fn values_that_a_guard_refuses_are_not_the_only_ones_that_are_tried() {
    let parts = "type Day = [{a: u8} {b: u8} if n in 9] {n: u8}";
    let said = check(&format!(
        "store s {parts}
        map rows = 0x01 {{y: u8}} -> empty
        index by of rows = 0x02 {{day: Day from value}} -> empty"
    ));
    assert!(said.starts_with("KS009 by: y \\x01\\x00 rows(y=0) and"), "{said}");
}

#[test]
fn an_index_may_lose_what_its_map_loses() {
    let cut = "{x: truncate(dec(u8) in 8..=11)[1]} {y: u8}";
    let said = index(cut, "{y} {x}");
    assert!(!said.contains("KS009"), "{said}");
    let said = index("{x: dec(u8) in 8..=11}", "{x: truncate(dec(u8) in 8..=11)[1]}");
    assert!(said.contains("KS009 by: x \\x0110 rows(x=10) and \\x0111 rows(x=11)"), "{said}");
}

#[test]
fn an_index_that_can_have_no_entry_is_not_proved() {
    // The index accepts some texts and rejects others.
    let said = index("{x: text(r\"[a-z]+\")} {y: u8}", "{x: text(r\"[A-Z]+|b\")} {y}");
    let rejected = "KS009 by: unknown Entry { field: \"x\", fault: Rejected, row: Some(";
    assert!(said.starts_with(rejected), "{said}");
}

/// A row that the index rejects has no entry, so the claim is not proved.
#[test]
fn rows_without_an_entry_are_no_proof() {
    let kinds = "{kind: Kind} {x: u8}";
    let undecided = |map: &str, key: &str| {
        let said = index(map, key);
        assert!(said.starts_with("KS009 by: unknown"), "{map} / {key}: {said}");
    };
    undecided(kinds, "{kind} [{x} if kind is a]");
    undecided("[{x: u8}] 0x00", "{x}");
    undecided("{x: u8}", "{x: u8 in 0..=5}");
    assert_eq!(index(kinds, "{x} {kind}"), "proved");
    assert_eq!(index("{kind: Kind} [{x: u8} if kind is a]", "[{x} if kind is a] {kind}"), "proved");
    assert_eq!(index("{x: u8 in 0..=5}", "{x: u16le}"), "proved");
    let said = check(
        "store s
        type Both = {x: u8} {y: u8}
        type First = {x: u8} 0x00
        map rows = 0x01 {p: Both} -> empty
        index by of rows = 0x02 {p: First} -> empty",
    );
    assert!(said.starts_with("KS009 by: unknown"), "{said}");
}

/// Entries are computed from the written values. Values with the same row key must have the same
/// entry.
#[test]
fn an_index_must_lose_what_its_map_loses() {
    let said = |map: &str, key: &str| {
        let said = index(map, key);
        said.lines().find(|line| line.starts_with("KS009")).unwrap_or("proved").to_owned()
    };
    let short = "{f: truncate(text(r\"[a-c]{2}\"))[1]}";
    let several = "KS009 by: unknown Entry { field: \"f\", fault: Several, row: None }";
    assert_eq!(said(short, "{f: text(r\"[a-c]{2}\")}"), several);
    assert_eq!(said(short, "{f: len8(text(r\"[a-c]{2}\"))}"), several);
    assert_eq!(said(short, "{f}"), "proved");
    assert_eq!(said(short, "wrap hex({f})"), "proved");
    // Not every value of the map has an entry.
    assert_eq!(
        said("{f: pad_right(hex(text(r\"[ab]\")))[1]}", "{f: len16le(text(r\"[a-]{1,2}\"))}"),
        several
    );
}

/// An entry is computed from the written value, not from its digest. A digest codec accepts only
/// bytes of the length of the digest, regardless of its inner and outer codecs.
#[test]
fn a_digest_does_not_take_the_values_that_it_is_a_digest_of() {
    let digests = ["sha256", "keccak256", "blake2_128", "blake2_256", "twox_64", "twox_256"];
    let wraps = ["hex", "rev", "desc", "escaped", "blake2_128_concat"];
    for digest in digests {
        let digest = format!("{digest}(bytes[1..=40])");
        let wrapped = wraps.map(|wrap| format!("{wrap}({digest})"));
        for codec in [digest].iter().chain(&wrapped) {
            let said = index("{id: bytes[1..=40]}", &format!("{{id: {codec}}}"));
            assert!(said.contains("KS009 by: unknown"), "{codec}: {said}");
        }
    }
    // Bytes as long as a digest are stored unchanged in the entry.
    assert_eq!(index("{id: bytes[32]}", "{id: sha256(bytes[32])}"), "proved");
    assert_eq!(index("{id: bytes[32]}", "{id: hex(keccak256(u8))}"), "proved");
    assert_eq!(index("{id: sha256(u8)}", "{id: hex(sha256(u8))}"), "proved");
    assert_eq!(index("{id: hex(rev(u32be))}", "{id: len8(desc(u32be))}"), "proved");
}

/// The domains of text and bytes are compared as languages, regardless of the outer codecs.
#[test]
fn a_wider_domain_takes_every_value() {
    let said = |key: &str| index("{id: len8(text(r\"[a-z]{1,40}\"))}", key);
    assert_eq!(said("{id: text(r\"[a-z]{1,60}\")}"), "proved");
    assert_eq!(said("{id: desc(nul(text[0..=40]))}"), "proved");
    assert!(said("{id: text(r\"[a-z]{1,39}\")}").contains("KS009 by: unknown"));
    assert!(said("{id: text(r\"[a-y]{1,40}\")}").contains("KS009 by: unknown"));
}

/// In each of these maps, a combination of optional parts has no entry.
#[test]
fn every_combination_of_optional_parts_needs_an_entry() {
    let cases = [
        ("{k: u8} [{a: u8}]", "[{k} {a}]", "a"),
        ("[{a: u8}] \"/\" [{b: u16be}]", "[{a} {b}]", "b"),
        (
            "[{y: u8} [{x: u8} if w in 1..=2]] {w: u8 in 0..=2}",
            "[{y}] [{x} if w in 1..=2] {w}",
            "x",
        ),
        ("{k: u8 in 0..=1} [{a: u8} [{b: u8}]]", "[{b} [{a}]] {k}", "b"),
        ("{k: u8} [{a: u8}]", "{k} {a}", "a"),
        ("{k: u8} [{a: u8} if k in 0..=9]", "{k} [{a} if k in 0..=8]", "a"),
        ("{k: u8} [{a: u8} if k in 0..=9]", "{k} [{a} if k in 0..=10]", "a"),
        ("{k: Kind} [{a: u8}]", "{k} [{a} if k is a]", "a"),
        ("{k: Kind} {j: Kind} [{a: u8} if k is a]", "{k} {j} [{a} if k is a and j is a]", "a"),
    ];
    for (map, key, field) in cases {
        let said = index(map, key);
        let expected =
            format!("KS009 by: unknown Entry {{ field: \"{field}\", fault: Absent, row: Some(");
        assert!(said.contains(&expected), "{map} / {key}: {said}");
    }
    for (map, key) in [
        ("{k: u8} [{a: u8}]", "[{a}] \"/\" {k}"),
        ("{k: u8} [{a: u8} [{b: u8}]]", "{k} [{a} [{b}]]"),
        ("{k: u8} [{a: u8} if k in 0..=9]", "{k} [{a}]"),
        ("{k: u8} [{a: u8} if k in 0..=9]", "{k} [{a} if k in 0..=5 or k in 6..=9]"),
        (
            "{k: Kind} [{a: u8} if k is a] [{b: u8} if k is b]",
            "{k} [{a} if k is a] [{b} if k is b]",
        ),
        ("{k: Kind} [{a: u8} if k is a]", "{day: u8 from value} {k} [{a} if k is not b]"),
    ] {
        let said = index(map, key);
        assert!(!said.contains("KS009"), "{map} / {key}: {said}");
    }
}

/// The index contains a field with a smaller domain. A row outside the domain has no entry.
#[test]
fn a_row_outside_the_domain_of_the_index_is_shown() {
    for (map, key, row) in [
        ("{n: u8}", "{n: u8 in 0..=254}", "Uint(255)"),
        ("{n: u64be}", "{n: u64be in 1..}", "Uint(0)"),
        ("{n: text(r\"[a-c]{1,2}\")}", "{n: text(r\"[a-c]{2}|[a-b]\")}", "Text(\"c\")"),
    ] {
        let said = index(map, key);
        let fault = "KS009 by: unknown Entry { field: \"n\", fault: Rejected, row: Some(Row {";
        assert!(said.contains(fault) && said.contains(row), "{key}: {said}");
    }
}

/// The rows `("a", "")` and `("", "a")` have the same entry.
#[test]
fn an_ambiguous_key_is_no_proof() {
    let said = index("{a: text(r\"a?\")} \"/\" {b: text(r\"a?\")}", "{a} {b}");
    assert!(said.contains("KS009 by: unknown Ambiguous"), "{said}");
    let said = index("{a: text(r\"a?\")} {b: text(r\"a?\")}", "{b} \"/\" {a}");
    assert!(said.contains("KS009 by: unknown Ambiguous"), "{said}");
    let said = index("{a: text(r\"a?\")} \"/\" {b: text(r\"a?\")}", "{b} \"/\" {a}");
    assert_eq!(said, "proved");
}

#[test]
fn a_unique_index_takes_every_value_too() {
    let unique = |key: &str| {
        check(&format!(
            "store s
            map rows = 0x01 {{a: u8}} {{b: u8}} -> json
            index by of rows = 0x02 {key} unique"
        ))
    };
    assert_eq!(unique("{a} -> bytes"), "proved");
    assert_eq!(unique("{a: u16be} -> bytes"), "proved");
    assert!(unique("{a: u8 in 0..=9} -> bytes").starts_with("KS009 by: unknown Entry"));
    assert_eq!(unique("{day: u8 from value} -> bytes"), "proved");
}

#[test]
fn entries_with_unknown_values_are_not_proved() {
    let said = |value: &str| {
        check(&format!(
            "store s
            map rows = 0x01 {{a: u8}} {{b: u8}} -> json
            index by of rows = 0x02 {{b}} {{a}} {value}"
        ))
    };
    for value in ["-> u64be", "-> bytes", "-> empty unique", "-> const 0x00 unique", "-> json"] {
        assert_eq!(said(value), "KS009 by: unknown EntryValue", "{value}");
    }
    for value in ["", "unique", "-> empty", "-> const 0x01", "-> bytes unique"] {
        assert_eq!(said(value), "proved", "{value}");
    }
    assert!(said("-> u64be accept KS009 \"another program writes it\"").contains("(accepted)"));
}
