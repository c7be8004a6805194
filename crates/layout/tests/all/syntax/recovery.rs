//! Recovery: after an error, the rest of the file is parsed normally.

use crate::syntax::mistakes::check;

#[test]
fn each_of_many_mistakes_is_reported_once() {
    check(&[
        (
            "map a = 12ab 0x01 {x: f(|)} foo {y: u8 in x} -> u8 ? 3",
            &[
                "`12ab` is not a number | 12ab | expected digits only | help: hex literals start with `0x`",
                "expected an argument, found `|` | | | expected an argument",
                "unexpected `foo` in a key | foo | expected a segment, `->`, a clause or a declaration | help: write a field in braces: `{foo}`",
                "unexpected `in` in the field `y` | in | expected `}` | `{` at 32: opened here",
                "stray `?` | ? | this is not part of the language",
            ],
        ),
        (
            r#"map a = 0x01 foo("x") bar {x: u8) -> u8 scan x"#,
            &[
                "unexpected `bar` in a key | bar | expected a segment, `->`, a clause or a declaration | help: write a field in braces: `{bar}`",
                "unexpected `)` in the field `x` | ) | expected `}` | `{` at 26: opened here",
            ],
        ),
        (
            "namespace n = 0x01 {\n  map a = 0x1 {x: u8\n  map b = 0x02 scan\n  reserve \"x\"\n}\nmap = 0x03",
            &[
                "`0x1` has an odd number of hex digits | 0x1 | expected two digits for each byte, found 1 in all | help: is it `0x01`?",
                "the field `x` is not closed | map | expected `}` before this | `{` at 35: opened here",
                "`scan` without fields | scan | expected the leading fields after this | help: for all keys of the keyspace, write `scan all`",
                "expected the reason in quotes, found `}` | } | expected the reason in quotes",
                "expected the name of the keyspace, found `=` | = | expected the name of the keyspace",
            ],
        ),
        (
            "store bank version one\ntype Address = len8(bytes[1..=])\nmpa balances 0x02 {owner Address} {denom: Denom -> dec\n    scan owner bye denom\nindex holders of = 0x03 {denom} [] {owner}\n    scan\n",
            &[
                "expected a version number, found `one` | one | expected a version number",
                "expected the upper end of the range, found `]` | ] | expected the upper end of the range",
                "expected a declaration, found `mpa` | mpa | expected a declaration | help: did you mean `map`?",
                "missing `=` in `balances` | 0x02 | expected `=` before this",
                "missing `:` in the field `owner` | Address | expected `:` before the type | help: write `{owner: Address}`",
                "the field `denom` is not closed | -> | expected `}` before this | `{` at 90: opened here",
                "expected a clause or a declaration, found `bye` | bye | expected a clause or a declaration",
                "expected the name of the map, found `=` | = | expected the name of the map",
                "an option without segments | [] | expected a literal or a field",
                "`scan` without fields | scan | expected the leading fields after this | help: for all keys of the keyspace, write `scan all`",
            ],
        ),
    ]);
}

#[test]
fn a_misspelt_keyword_is_parsed_as_the_suggested_one() {
    check(&[
        (
            "mpa a = 0x01\n    scna x\n    unqiue",
            &[
                "expected a declaration, found `mpa` | mpa | expected a declaration | help: did you mean `map`?",
                "expected a clause or a declaration, found `scna` | scna | expected a clause or a declaration | help: did you mean `scan`?",
                "expected a clause or a declaration, found `unqiue` | unqiue | expected a clause or a declaration | help: did you mean `unique`?",
            ],
        ),
        (
            "MAP a = 0x01",
            &[
                "expected a declaration, found `MAP` | MAP | expected a declaration | help: did you mean `map`?",
            ],
        ),
        (
            "nmespace n = 0x01 {\n  map a = 0x02\n}",
            &[
                "expected a declaration, found `nmespace` | nmespace | expected a declaration | help: did you mean `namespace`?",
            ],
        ),
        (
            "group n = 0x01 {\n  map a = 0x02\n  map b = 0x02\n}",
            &[
                "expected a declaration, found `group` | group | expected a declaration | help: did you mean `namespace`?",
            ],
        ),
        (
            "table a = 0x01 {x: u8} scan x",
            &[
                "unknown kind of keyspace `table` | table | expected a declaration | help: the kinds are `item`, `map`, `index`, `sequence`, `hash`, `set`, `zset` and `queue`",
            ],
        ),
        (
            "foo\nmap a = 0x01",
            &["expected a declaration, found `foo` | foo | expected a declaration"],
        ),
        (
            "map a = 0x01 -> dec reeds proto Coin\n   scan x",
            &[
                "expected a clause or a declaration, found `reeds` | reeds | expected a clause or a declaration | help: did you mean `reads`?",
            ],
        ),
        (
            "store s verison 2\nmap b = 0x01",
            &[
                "expected a declaration, found `verison` | verison | expected a declaration | help: did you mean `version`?",
            ],
        ),
        (
            "type A = u8 shwon as hex",
            &[
                "expected a declaration, found `shwon` | shwon | expected a declaration | help: did you mean `shown`?",
            ],
        ),
        (
            "namespace n = 0x01 { alocate a 0x01 ..= 0x02 }",
            &[
                "expected a declaration, found `alocate` | alocate | expected a declaration | help: did you mean `allocate`?",
            ],
        ),
        (
            "map a = [0x01 if x iz y]",
            &[
                "expected `is` or `in` after `x`, found `iz` | iz | expected `is` or `in` | help: write a condition such as `x is not none`",
            ],
        ),
    ]);
}
