//! Messages about errors inside tokens and about invalid tokens.

use crate::syntax::mistakes::check;

#[test]
fn literals_that_are_malformed() {
    check(&[
        (
            "map a = 0x123",
            &[
                "`0x123` has an odd number of hex digits | 0x123 | expected two digits for each byte, found 3 in all | help: is it `0x0123`?",
            ],
        ),
        ("map a = 0x", &["`0x` has no digits | 0x | expected at least two hex digits"]),
        (
            "map a = 0x0G",
            &["`G` is not a hex digit | G | expected one of `0` to `9`, `a` to `f`, `A` to `F`"],
        ),
        ("map a = 0X01", &["`0X01` starts with an upper-case `X` | 0X | expected `0x`"]),
        (
            "map a = 0x_01",
            &["misplaced `_` in `0x_01` | 0x_01 | `_` is allowed only between digits"],
        ),
        (
            "map a = 12ab",
            &[
                "`12ab` is not a number | 12ab | expected digits only | help: hex literals start with `0x`",
            ],
        ),
        (
            "type A = u8 in 0..1e",
            &[
                "`1e` is not a number | 1e | expected digits only | help: hex literals start with `0x`",
            ],
        ),
        (
            "type A = u8 in 0..1e99",
            &["the number `1e99` is too large | 1e99 | expected at most 2^256 - 1"],
        ),
        (
            "map a = 01",
            &[
                "expected a segment, found `01` | 01 | expected a literal such as `0x02`, a field in braces or an option in brackets | help: hex literals start with `0x`",
            ],
        ),
        (
            "store a version 1_",
            &["misplaced `_` in `1_` | 1_ | `_` is allowed only between digits"],
        ),
        (
            "store a version 99999999999999999999",
            &[
                "the number `99999999999999999999` is too large | 99999999999999999999 | expected at most 2^64 - 1",
            ],
        ),
        (
            "type A = u8 in 0..115792089237316195423570985008687907853269984665640564039457584007913129639936",
            &[
                "the number `1157920892373161954235709850086879078532…` is too large | 115792089237316195423570985008687907853269984665640564039457584007913129639936 | expected at most 2^256 - 1",
            ],
        ),
    ]);
}

#[test]
fn texts_that_are_malformed() {
    check(&[
        (
            r#"map a = "a\qb""#,
            &[
                r#"unknown escape `\q` | \q | not an escape | help: the escapes are `\"`, `\\`, `\n`, `\t`, `\r`, `\0`, `\xHH` and `\u{…}`"#,
            ],
        ),
        (
            r#"map a = "a\x0""#,
            &[r#"incomplete escape `\x` | \x | expected two hex digits after `\x`"#],
        ),
        (
            r#"map a = "a\u{110000}" "\u{}""#,
            &[
                r#"`\u{110000}` is not a character | \u{110000} | expected the number of a Unicode character"#,
                r#"malformed escape `\u` | \u | expected `\u{…}` with one to six hex digits"#,
            ],
        ),
        (
            "map a = \"abc\nmap b = 0x01",
            &[r#"the text is not closed | "abc | expected `"` on this line"#],
        ),
        (
            "map a = 0x01 {x: text(\"foo)} -> u8\n   scan x",
            &[r#"the text is not closed | "foo)} -> u8 | expected `"` on this line"#],
        ),
        (
            "map a = \"abc\\\nmap b = 0x02",
            &[r#"the text is not closed | "abc\ | expected `"` on this line"#],
        ),
        (
            "type A = text(r#\"abc\")\nmap b = 0x01",
            &[r##"the regular expression is not closed | r#"abc") | expected `"#` on this line"##],
        ),
        (
            "map a = 'x' -> u8",
            &[r#"a text in the wrong quotes | 'x' | expected straight double quotes: `"…"`"#],
        ),
        (
            "map a = “x” -> u8",
            &[r#"a text in the wrong quotes | “x” | expected straight double quotes: `"…"`"#],
        ),
        (
            r#"import "\xff""#,
            &[r#"`"\xff"` is not UTF-8 | "\xff" | expected the path of a file in quotes"#],
        ),
        (r#"type A = "\xff" | "b""#, &[r#"`"\xff"` is not UTF-8 | "\xff" | expected a text"#]),
    ]);
}

#[test]
fn characters_that_belong_to_no_token() {
    check(&[
        (
            "map a = 0x01; map b = 0x02",
            &[
                "stray `;` | ; | this is not part of the language | help: leave it out: a declaration ends where the next one starts",
            ],
        ),
        (
            "map a = 0x01 # note",
            &["stray `#` | # | this is not part of the language | help: start a comment with `//`"],
        ),
        (
            "/* note */ map a = 0x01",
            &[
                "a block comment | /* | not part of the language | help: start each line of the comment with `//`",
            ],
        ),
        (
            "map a = 0x01 /* note",
            &[
                "stray `/*` | /* | this is not part of the language | help: start a comment with `//`",
            ],
        ),
        (
            "map größe = 0x01",
            &["`größe` is not a name | größe | expected ASCII letters, digits and `_`"],
        ),
        ("map a = 0x01 => u8", &["`=>` is not an arrow | => | expected `->`"]),
        ("map a @ 0x01", &["stray `@` | @ | this is not part of the language"]),
        (
            "map a = 0x01 'x",
            &[
                r#"stray `'` | ' | this is not part of the language | help: write a text in straight double quotes: `"…"`"#,
            ],
        ),
        (
            "map a = 0x01 \u{0}\u{feff}",
            &["stray `\\u{0}\\u{feff}` | \u{0}\u{feff} | this is not part of the language"],
        ),
    ]);
}
