//! Large and deep files: linear time, bounded depth, a bounded number of diagnostics.

use keyscape_layout::{
    FileId,
    syntax::{format, parse},
};
use std::time::{Duration, Instant};

/// Returns files of 256 KiB that stress the lexer, the parser or its recovery.
fn adversarial_files() -> Vec<(&'static str, String)> {
    let fill = |unit: &str| unit.repeat((1 << 18) / unit.len());
    [
        "{",
        "[",
        "(",
        "}",
        "]",
        ")",
        "\"",
        "'",
        "`",
        "#",
        "r#",
        "br#\"",
        "\\",
        "„a",
        "‘a",
        "/* ",
        "|",
        "=",
        "-",
        "->",
        ".",
        "..",
        "0x",
        "9",
        "_",
        "é",
        "\u{0}",
        "a ",
        "map ",
        "scan ",
        "scan\n",
        "in ",
        "map a = ",
        "map a = {",
        "map a = [",
        "map a = 0x00 -> f(",
        "map a = [0x00 if (",
        "type A = | ",
        "type A = \"a\" | ",
        "namespace n = 0x00 {",
        "namespace n = {\n",
        "family f {\n",
        "}\n",
        "mpa a = ",
        "mpa\n",
        "group n = 0x00 ",
        "x n = \"a\" ",
        "\"a\" ",
        "store s {\n",
        "; ",
        "{a: ",
        "{a: f(b,",
        "map a = 0x00 foo\n",
        "map a = 0x00 scna x\n",
        "// comment\n",
        "/// doc\n",
        "allocate ",
        "reserve 0x00 ",
    ]
    .into_iter()
    .map(|unit| (unit, fill(unit)))
    .chain([
        ("r####", format!("type A = text(r{}\"{}", "#".repeat(1 << 17), "\"#".repeat(1 << 16))),
        ("literals", format!("x n = {}", fill("0x00 "))),
        ("one name", fill("a")),
    ])
    .collect()
}

#[test]
fn adversarial_files_take_linear_time() {
    for (name, source) in adversarial_files() {
        let start = Instant::now();
        let (_, diagnostics) = parse(&source, FileId(0));
        let _ = format(&source);
        let elapsed = start.elapsed();
        assert!(diagnostics.len() <= 201, "{name}: {}", diagnostics.len());
        assert!(elapsed < Duration::from_secs(5), "{name:?} took {elapsed:?}");
    }
}

#[test]
fn many_mistakes_are_counted_but_not_all_shown() {
    let (_, diagnostics) = parse(&"map a = 0x1\n".repeat(1000), FileId(0));
    assert_eq!(diagnostics.len(), 201);
    assert_eq!(diagnostics[200].message, "800 more mistakes are not shown");
    let (_, diagnostics) = parse(&"map a = 0x1\n".repeat(201), FileId(0));
    assert_eq!(diagnostics[200].message, "1 more mistake is not shown");
}

#[test]
fn the_first_mistakes_of_tokens_and_of_the_grammar_are_shown() {
    let line = "map a 0x1\n";
    let (_, diagnostics) = parse(&line.repeat(300), FileId(0));
    assert_eq!(diagnostics.len(), 201);
    for (n, pair) in diagnostics[..200].chunks(2).enumerate() {
        for diagnostic in pair {
            assert_eq!(diagnostic.span.start as usize, n * line.len() + 6, "{diagnostic:?}");
        }
        assert_ne!(pair[0].message, pair[1].message);
    }
    assert_eq!(diagnostics[200].message, "400 more mistakes are not shown");
}

#[test]
fn nesting_has_a_limit_and_the_rest_is_parsed() {
    let nested = |open: &str, close: &str, depth: usize| {
        format!("{}{}", open.repeat(depth), close.repeat(depth))
    };
    let options = |depth| format!("map a = {}", nested("[0x00", "]", depth));
    let types = |depth| format!("type A = {}", nested("f(u8, g", ")", depth).replace("g)", "g())"));
    let conditions =
        |depth| format!("map a = [0x00 if {}x is y{}]", "(".repeat(depth), ")".repeat(depth));
    let bodies = |depth| nested("namespace n = 0x00 {", "}", depth);
    for (name, make) in [
        ("options", &options as &dyn Fn(usize) -> String),
        ("types", &types),
        ("bodies", &bodies),
        ("conditions", &|depth| conditions(depth - 1)),
    ] {
        let messages = |depth| -> Vec<String> {
            parse(&make(depth), FileId(0)).1.into_iter().map(|it| it.message).collect()
        };
        assert_eq!(messages(64 - usize::from(name == "types")), [""; 0], "{name}");
        assert_eq!(messages(100), ["nested too deeply"], "{name}");
        assert_eq!(messages(100_000), ["nested too deeply"], "{name}");
    }
}
