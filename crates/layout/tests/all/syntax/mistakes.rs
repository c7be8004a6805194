//! The diagnostic of each single error: message, underlined text, label, help, related places.

use keyscape_layout::{FileId, Span, syntax::parse};

/// Returns the errors of a file as text, one per line.
pub(crate) fn messages(source: &str) -> Vec<String> {
    let (_, diagnostics) = parse(source, FileId(0));
    let at = |span: Span| &source[span.start as usize..span.end as usize];
    let line = |it: keyscape_layout::Diagnostic| {
        let help = it.help.map(|help| format!(" | help: {help}")).unwrap_or_default();
        let related = it
            .related
            .iter()
            .map(|(span, label)| format!(" | `{}` at {}: {label}", at(*span), span.start));
        format!(
            "{} | {} | {}{help}{}",
            it.message,
            at(it.span),
            it.label,
            related.collect::<String>()
        )
    };
    diagnostics.into_iter().map(line).collect()
}

pub(crate) fn check(cases: &[(&str, &[&str])]) {
    for (source, expected) in cases {
        assert_eq!(messages(source), *expected, "{source}");
    }
}

#[test]
fn missing_names_and_signs() {
    check(&[
        (
            "map",
            &[
                "expected the name of the keyspace, found the end of the file |  | expected the name of the keyspace",
            ],
        ),
        (
            "map = 0x01 scan all",
            &[
                "expected the name of the keyspace, found `=` | = | expected the name of the keyspace",
            ],
        ),
        (
            r#"map "a" = 0x01"#,
            &[
                r#"expected the name of the keyspace, found `"a"` | "a" | expected the name of the keyspace | help: write a name without quotes"#,
            ],
        ),
        ("map a 0x01 {index: u8} -> u8", &["missing `=` in `a` | 0x01 | expected `=` before this"]),
        ("map a: 0x01", &["missing `=` in `a` | : | expected `=` before this"]),
        (
            "map a of = 0x01",
            &["expected the name of the map, found `=` | = | expected the name of the map"],
        ),
        (
            "type A =\nmap b = 0x01",
            &[
                "the type `A` is empty | = | expected a type, segments, texts or alternatives after this",
            ],
        ),
        (
            "type A = 12",
            &[
                "expected a type, segments, texts or alternatives, found `12` | 12 | expected a type, segments, texts or alternatives",
            ],
        ),
        (
            "import foo\nstore s",
            &[
                "expected the path of a file in quotes, found `foo` | foo | expected the path of a file in quotes",
            ],
        ),
        (
            "store s version\nmap a = 0x01",
            &["expected a version number, found `map` | map | expected a version number"],
        ),
        (
            "namespace n = {\n  map a = 0x02\n}",
            &[
                "the namespace `n` has no prefix | { | expected a literal such as `0x02` before this",
            ],
        ),
        (
            "namespace n = 0x01\n  map a = 0x02\n}\nmap b = 0x03",
            &["expected `{`, found `map` | map | expected `{`"],
        ),
        (
            r#"namespace n = 0x01 { allocate a 0x01 .. 0x02 reserve 1 "x" deprecated 0x02 }"#,
            &[
                "expected `..=`, found `..` | .. | expected `..=`",
                "expected the prefix, found `1` | 1 | expected the prefix | help: hex literals start with `0x`",
                "expected the reason in quotes, found `}` | } | expected the reason in quotes",
            ],
        ),
    ]);
}

#[test]
fn keys_that_are_malformed() {
    check(&[
        (
            "map a = -> u8\nscan all",
            &[
                "the key of `a` is empty | = | expected a literal or a field after this | help: write a key such as `0x01 {id: u64be}`",
            ],
        ),
        (
            "map a =\nmap b = 0x01",
            &[
                "the key of `a` is empty | = | expected a literal or a field after this | help: write a key such as `0x01 {id: u64be}`",
            ],
        ),
        (
            "map a = owner -> u8 scan x",
            &[
                "expected a segment, found `owner` | owner | expected a literal such as `0x02`, a field in braces or an option in brackets | help: write a field in braces: `{owner}`",
            ],
        ),
        (
            "map a = 0x01 owner -> u8 scan x",
            &[
                "unexpected `owner` in a key | owner | expected a segment, `->`, a clause or a declaration | help: write a field in braces: `{owner}`",
            ],
        ),
        (
            "map a = (0x01) -> u8",
            &[
                "expected a segment, found `(` | ( | expected a literal such as `0x02`, a field in braces or an option in brackets",
            ],
        ),
        ("map a = [] 0x01", &["an option without segments | [] | expected a literal or a field"]),
        (
            "map a = [if x is y]",
            &["an option without segments | if | expected a literal or a field"],
        ),
        (
            "map a = [foo] 0x01",
            &["expected a segment, found `foo` | foo | expected a literal or a field"],
        ),
        (
            "map a = {} {: u8} {= } {= f} {= f()} {0x01} -> u8\nscan all",
            &[
                "expected the name of a field, found `}` | } | expected the name of a field",
                "expected the name of a field, found `:` | : | expected the name of a field",
                "expected a hash function, found `}` | } | expected a hash function",
                "expected `(` and the fields that are hashed, found `}` | } | expected `(` and the fields that are hashed",
                "expected the name of a field, found `)` | ) | expected the name of a field",
                "expected the name of a field, found `0x01` | 0x01 | expected the name of a field",
            ],
        ),
        (
            "map a = wrap hex() wrap hex({x: u8}\nscan x",
            &[
                "a wrap without segments | ) | expected a literal or a field",
                "the wrap `hex` is not closed | scan | expected `)` before this | `(` at 27: opened here",
            ],
        ),
        (
            r#"map a = twox128() twox128("a" "b") {x: u8}"#,
            &[
                "expected the literal that is hashed, found `)` | ) | expected the literal that is hashed | help: write a literal such as `0x02` or `\"text\"`",
                "unexpected `\"b\"` in the literal under `twox128` | \"b\" | expected `)` | `(` at 25: opened here",
            ],
        ),
        (
            "map a = {owner Address}",
            &[
                "missing `:` in the field `owner` | Address | expected `:` before the type | help: write `{owner: Address}`",
            ],
        ),
        (
            "map a = {owner: Address from map}",
            &["expected `value`, found `map` | map | expected `value`"],
        ),
        (
            "map a = {owner: Address foo bar} 0x01 -> u8",
            &["unexpected `foo` in the field `owner` | foo | expected `}` | `{` at 8: opened here"],
        ),
        (
            "map a = {owner:} -> u8",
            &["expected the type of the field, found `}` | } | expected the type of the field"],
        ),
    ]);
}

#[test]
fn brackets_that_are_not_closed() {
    check(&[
        (
            "namespace n = 0x01 {\n map a = 0x01",
            &[
                "the namespace `n` is not closed |  | expected `}` at the end of the file | `{` at 19: opened here",
            ],
        ),
        (
            "namespace n = 0x01 {\n map a = 0x01\nstore b\nmap c = 0x02\n}",
            &[
                "the namespace `n` is not closed | store | expected `}` before this | help: declare a `store` outside of all braces | `{` at 19: opened here",
            ],
        ),
        (
            "family f {\n namespace n = 0x01 {\n map a = 0x01\n}\n",
            &[
                "the family `f` is not closed |  | expected `}` at the end of the file | `{` at 9: opened here",
            ],
        ),
        (
            "map a = {b: u8\nmap c = 0x01 {d: u8 {e: u8}",
            &[
                "the field `b` is not closed | map | expected `}` before this | `{` at 8: opened here",
                "the field `d` is not closed | { | expected `}` before this | `{` at 28: opened here",
            ],
        ),
        (
            "map a = [{x: u8} -> u8",
            &["the option is not closed | -> | expected `]` before this | `[` at 8: opened here"],
        ),
        (
            "map a = {x: f(g(u8} -> u8",
            &[
                "the list of arguments is not closed | } | expected `,` or `)` before this | `(` at 15: opened here",
            ],
        ),
        (
            "map a = 0x01 {x: u8)} scan x",
            &["unexpected `)` in the field `x` | ) | expected `}` | `{` at 13: opened here"],
        ),
        (
            "map a = [0x01 if (a is b] 0x01",
            &[
                "the condition is not closed | ] | expected `)` before this | `(` at 17: opened here",
            ],
        ),
        (
            "map a = {x: bytes[3} 0x01",
            &["the length is not closed | } | expected `]` before this | `[` at 17: opened here"],
        ),
        ("}\nmap a = 0x01", &["unmatched `}` | } | expected a declaration or the end of the file"]),
        (
            "map a = 0x01 } map b = 0x02",
            &["unmatched `}` | } | expected a declaration or the end of the file"],
        ),
    ]);
}

#[test]
fn types_that_are_malformed() {
    check(&[
        (
            "type A = spread 0x0A | uptime 0x0B\nmap b = 0x01",
            &[
                "unexpected `0x0A` after a type | 0x0A | expected a declaration | help: start each alternative with `|` and its name: `| name 0x01 {id: u64be}`",
            ],
        ),
        (
            "type A = {x: u8} | {y: u8}",
            &[
                "unexpected `|` after a type | | | expected a declaration | help: start each alternative with `|` and its name: `| name 0x01 {id: u64be}`",
            ],
        ),
        (
            "type A = | \"a\" | \"b\"\nmap b = 0x01",
            &[
                r#"an alternative without a name | "a" | expected the name of the alternative | help: write a choice of texts without `|` before the first: `"a" | "b"`"#,
            ],
        ),
        (
            "type A = | none | some {x: u8}",
            &[
                r#"the alternative `none` has no segments | none | expected a literal or a field after this | help: write its bytes, or an optional part instead of an empty alternative | `|` at 16: found this instead"#,
            ],
        ),
        (r#"type A = "a" | b"#, &["expected a text, found `b` | b | expected a text"]),
        (
            "type A = u8 shown hex\nmap b = 0x01",
            &["expected `as` after `shown`, found `hex` | hex | expected `as` after `shown`"],
        ),
        (
            "type A = u8 in\nmap b = 0x01",
            &[
                "`in` without a keyspace | in | expected a declaration | help: write a clause after the keyspace that it belongs to",
            ],
        ),
        (
            "map a = {x: u8 in 0..=0xFF} -> u8",
            &[
                "expected the upper end of the range, found `0xFF` | 0xFF | expected the upper end of the range | help: the numbers of a range are decimal: write 255",
            ],
        ),
        (
            "map a = {x: bytes[0x20]} -> u8",
            &[
                "expected a range such as `0..=9`, found `0x20` | 0x20 | expected a range such as `0..=9` | help: the numbers of a range are decimal: write 32",
            ],
        ),
        (
            "map a = {x: u8 in 0x88..=0xf5} -> u8",
            &[
                "expected a range such as `0..=9`, found `0x88` | 0x88 | expected a range such as `0..=9` | help: the numbers of a range are decimal: write 136",
            ],
        ),
        (
            "map q = 0x41 {t: u8} -> proto\n    scan all by t\nmap r = 0x42 -> proto\nmap s = 0x43 -> u8",
            &[
                "expected the name of a message after `proto`, found `scan` | scan | expected the name of a message after `proto`",
                "expected the name of a message after `proto`, found `map` | map | expected the name of a message after `proto`",
            ],
        ),
        (
            "map a = 0x01 -> f(a b, c) scan x",
            &[
                "unexpected `b` in the list of arguments | b | expected `,` or `)` | `(` at 17: opened here",
            ],
        ),
        (
            "map a = 0x01 -> f(a,) scan x",
            &["expected an argument, found `)` | ) | expected an argument"],
        ),
        (
            "map a = 0x01 -> text(not foo) scan x",
            &[
                r#"expected a regular expression or a literal after `not`, found `foo` | foo | expected a regular expression or a literal after `not` | help: write a literal such as `0x02` or `"text"`"#,
            ],
        ),
        (
            "type A = x.\nmap b = 0x01",
            &["expected a name after the dot, found `map` | map | expected a name after the dot"],
        ),
    ]);
}

#[test]
fn clauses_that_are_malformed() {
    check(&[
        (
            "map a = 0x01 {x: u8}\n    scan\nmap b = 0x02",
            &[
                "`scan` without fields | scan | expected the leading fields after this | help: for all keys of the keyspace, write `scan all`",
            ],
        ),
        (
            "map a = 0x01 scan by x",
            &[
                "`scan` without fields | scan | expected the leading fields after this | help: for all keys of the keyspace, write `scan all`",
            ],
        ),
        (
            "map a = 0x01 scan\n    scan x",
            &[
                "`scan` without fields | scan | expected the leading fields after this | help: for all keys of the keyspace, write `scan all`",
            ],
        ),
        (
            "map a = 0x01 scan x y",
            &[
                "expected a clause or a declaration, found `y` | y | expected a clause or a declaration",
            ],
        ),
        (
            "map a = 0x01 ->\n   scan owner by x\nmap b = 0x02",
            &["expected the value of `a`, found `scan` | scan | expected the value of `a`"],
        ),
        (
            "map a = 0x01 split \"-\"\n    scan all\nmap b = 0x01 split at first\nmap c = 0x01",
            &[
                "expected `at` and a separator, found `\"-\"` | \"-\" | expected `at` and a separator",
                "expected the separator, found `map` | map | expected the separator | help: write a literal such as `0x02` or `\"text\"`",
            ],
        ),
        (
            "map a = 0x01 accept KS001\nmap b = 0x01",
            &["expected the reason in quotes, found `map` | map | expected the reason in quotes"],
        ),
        (
            r#"hash h = 0x01 field x = "a" field y = "b" -> u8"#,
            &[
                "the field `x` has no value | field | expected `->` before this | help: if it holds nothing, write `-> empty`",
            ],
        ),
        (
            "map a = 0x01 scan x as\nmap b = 0x01",
            &[
                "the start of the scan is empty | as | expected a literal or a field after this | help: write a key such as `0x01 {id: u64be}`",
            ],
        ),
        (
            "map a = 0x01 by x",
            &[
                "unexpected `by` in a key | by | expected a segment, `->`, a clause or a declaration",
            ],
        ),
        (
            "map a = 0x01 -> const\n    scan all",
            &[
                r#"expected the constant, found `scan` | scan | expected the constant | help: write a literal such as `0x02` or `"text"`"#,
            ],
        ),
        (
            "scan all\nin b\nmap a = 0x01",
            &[
                "`scan` without a keyspace | scan | expected a declaration | help: write a clause after the keyspace that it belongs to",
            ],
        ),
    ]);
}

#[test]
fn conditions_that_are_malformed() {
    check(&[
        (
            "map a = [{x: u8} if level = collection] -> u8",
            &[
                "expected `is` or `in` after `level`, found `=` | = | expected `is` or `in` | help: write a condition such as `level is not none`",
            ],
        ),
        (
            "map a = [{x: u8} if] -> u8",
            &["expected the name of a field, found `]` | ] | expected the name of a field"],
        ),
        (
            "map a = [{x: u8} if level is] -> u8",
            &["expected a value of the field, found `]` | ] | expected a value of the field"],
        ),
        (
            "map a = [{x: u8} if level in high] -> u8",
            &[
                "expected a range such as `0..=9`, found `high` | high | expected a range such as `0..=9`",
            ],
        ),
        (
            r#"map a = [0x01 if level is "\xff"]"#,
            &[r#"`"\xff"` is not UTF-8 | "\xff" | expected a value of the field"#],
        ),
    ]);
}

#[test]
fn declarations_in_the_wrong_place() {
    check(&[
        (
            r#"namespace n = 0x01 { family f { } import "x" }"#,
            &[
                "`family` is not allowed inside a namespace | family | expected another declaration",
                "`import` is not allowed inside a namespace | import | expected another declaration",
            ],
        ),
        (
            "family f { store x map a = 0x01 }",
            &[
                "the family `f` is not closed | store | expected `}` before this | help: declare a `store` outside of all braces | `{` at 9: opened here",
            ],
        ),
        (
            "allocate a 0x01 ..= 0x02",
            &[
                "`allocate` is not allowed outside a namespace | allocate | expected another declaration",
            ],
        ),
        (
            "store s version 1 structures",
            &[
                "`structures` comes too late or twice | structures | expected the next declaration | help: write `store NAME structures on BACKEND version NUMBER`",
            ],
        ),
        (
            "store s structures structures",
            &[
                "`structures` comes too late or twice | structures | expected the next declaration | help: write `store NAME structures on BACKEND version NUMBER`",
            ],
        ),
    ]);
}
