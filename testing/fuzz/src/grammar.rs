//! A generator of costly layouts from the grammar. It prefers repetitions that multiply the work.

use crate::Mutator;
use keyscape_layout::{Built, NoImports, read_beside};
use std::fmt::Write;

/// Repetition counts near typical limits.
const COUNTS: &[usize] =
    &[0, 1, 2, 3, 7, 16, 63, 64, 65, 255, 256, 300, 512, 1000, 1024, 4095, 4096];

/// Generates a layout of at most about `max_bytes` bytes. Usually omits declarations with errors,
/// because a layout with an error is not proved.
pub fn layout(random: &mut Mutator, max_bytes: usize) -> String {
    let backends = ["", "", " on lmdb", " on postgresql", " on redb", " structures"];
    let mut out = format!("store s{}\n", backends[random.below(backends.len())]);
    let max_bytes = 1 + random.below(max_bytes);
    let checked = random.below(8) != 0;
    let alike = random.below(3) == 0;
    let shape = random.below(SHAPES.len());
    // Each declaration is read with all types before it.
    let built = Built::default();
    let mut types = Vec::new();
    let mut index = 0;
    while out.len() < max_bytes && index < 4096 {
        let ty = format!("type T{index} = {}\n", type_of(random, 2, &types));
        if !checked || is_layout(&built, &format!("store s\n{ty}map m = {{x: T{index}}} -> empty"))
        {
            types.push(ty);
        }
        let of = if alike { shape } else { random.below(SHAPES.len()) };
        let mut key = String::new();
        SHAPES[of](random, &types, &mut key);
        let name =
            if random.below(8) == 0 { String::new() } else { format!("0x{:04x} ", index % 3) };
        let scans =
            ["", "    scan all\n", "    scan a\n", "    scan a by b\n", "    scan all by a\n"];
        let scan = scans[random.below(scans.len())];
        let map = format!("map m{index} = {name}{key} -> empty\n{scan}");
        if !checked || is_layout(&built, &format!("store s\n{}{map}", types.concat())) {
            out.push_str(&map);
        }
        index += 1;
        if random.below(6) == 0 {
            break;
        }
    }
    out + &types.concat()
}

fn is_layout(built: &Built, text: &str) -> bool {
    read_beside(built, "part.keys", text, &mut NoImports).is_ok()
}

/// Names of declared types that a key may use.
type Types = [String];

type Shape = fn(&mut Mutator, &Types, &mut String);

const SHAPES: &[Shape] =
    &[few_fields, many_fields, options, guards, variants, lists, wraps, lengths];

fn few_fields(random: &mut Mutator, types: &Types, key: &mut String) {
    for name in ["a", "b", "c", "d"].iter().take(1 + random.below(4)) {
        let _ = write!(key, "{{{name}: {}}} ", type_of(random, 3, types));
        if random.below(2) == 0 {
            key.push_str("\"/\" ");
        }
    }
}

fn many_fields(random: &mut Mutator, types: &Types, key: &mut String) {
    let same = type_of(random, 1, types);
    for at in 0..count(random).min(1000) {
        let ty = if random.below(8) == 0 { type_of(random, 1, types) } else { same.clone() };
        let _ = write!(key, "{{f{at}: {ty}}} ");
    }
    key.push_str("{a: u8} {b: u8}");
}

fn options(random: &mut Mutator, types: &Types, key: &mut String) {
    key.push_str("{a: u8} ");
    for at in 0..random.below(40) {
        let _ = write!(key, "[{{o{at}: {}}}] ", type_of(random, 1, types));
    }
    key.push_str("{b: u8}");
}

fn guards(random: &mut Mutator, types: &Types, key: &mut String) {
    key.push_str("{a: u32be} {b: dec(u16)} {k: \"x\" | \"y\" | \"z\"} ");
    let conditions =
        ["a in 5..=90", "b in ..=9", "k is \"x\"", "k is not \"y\"", "a in 7.. and b in 1..=3"];
    for at in 0..random.below(12) {
        let condition = conditions[random.below(conditions.len())];
        let _ = write!(key, "[{{g{at}: {}}} if {condition}] ", type_of(random, 1, types));
    }
}

fn variants(random: &mut Mutator, types: &Types, key: &mut String) {
    key.push_str("{a: ");
    let arms = 1 + count(random).min(200);
    for at in 0..arms {
        let _ = write!(key, "| v{at} \"{at}\" {{x: {}}} ", type_of(random, 1, types));
    }
    key.push_str("} {b: ");
    let texts: Vec<String> = (0..=count(random).min(300)).map(|at| format!("\"t{at}\"")).collect();
    let _ = write!(key, "{}}}", texts.join(" | "));
}

fn lists(random: &mut Mutator, types: &Types, key: &mut String) {
    let (first, second) = (count(random), count(random).min(64));
    let element = type_of(random, 1, types);
    let _ = write!(
        key,
        "{{a: list({element})[0..={first}]}} {{b: list(list({element})[..=3])[..={second}]}}"
    );
}

fn wraps(random: &mut Mutator, types: &Types, key: &mut String) {
    let names = ["hex", "escaped01", "complement", "groups8", "escaped"];
    let deep = 1 + random.below(6);
    for _ in 0..deep {
        let _ = write!(key, "wrap {}(", names[random.below(names.len())]);
    }
    let _ =
        write!(key, "{{a: {}}} {{b: {}}}", type_of(random, 1, types), type_of(random, 2, types));
    key.push_str(&")".repeat(deep));
}

fn lengths(random: &mut Mutator, _: &Types, key: &mut String) {
    for name in ["a", "b", "c", "d", "e", "f"].iter().take(1 + random.below(6)) {
        let _ = write!(key, "{{{name}: {}}} ", prefixed(random));
    }
}

fn prefixed(random: &mut Mutator) -> String {
    let names = ["len8", "len16", "len16le", "len32", "len32le", "lenvar"];
    let name = names[random.below(names.len())];
    let max = if name == "len8" { count(random).min(255) } else { count(random) };
    match random.below(4) {
        0 => format!("{name}(text[..={max}])"),
        1 => format!("{name}(text(r\"{}\")[..={max}])", pattern(random, 1)),
        2 => format!("{name}(hex(bytes[..={}]))", max / 2),
        _ => format!("{name}(bytes[..={max}])"),
    }
}

/// Generates a type with at most `depth` levels of nesting.
fn type_of(random: &mut Mutator, depth: usize, types: &Types) -> String {
    let around = ["hex", "desc", "escaped01", "nul", "groups8", "rev", "complement"];
    match random.below(12) {
        0 | 1 => {
            let depth = random.below(depth + 1);
            format!("text(r\"{}\")", pattern(random, depth))
        }
        2 => format!("text(r\"{}\", not r\"{}\")", pattern(random, depth), pattern(random, 1)),
        3 => format!("text[{}..={}]", count(random) / 2, count(random) + 2048),
        4 => format!("bytes[..={}]", count(random)),
        5 | 6 => prefixed(random),
        7 if depth > 0 => {
            let inner = type_of(random, depth - 1, types);
            format!("{}({inner})", around[random.below(around.len())])
        }
        8 => format!("dec(u64) in {}..={}", count(random), 4096 + count(random) * 1_000_003),
        9 if !types.is_empty() => {
            let of = &types[random.below(types.len())];
            of.split(' ').nth(1).unwrap_or("u8").to_owned()
        }
        10 => format!("truncate(bytes[..={}])[{}]", 1 + count(random), 1 + count(random)),
        _ => [
            "u64be",
            "u32le",
            "dec(u128)",
            "bech32(\"cosmos\", bytes[20])",
            "f64",
            "text[1..]",
            "leb128(u64)",
        ][random.below(7)]
        .to_owned(),
    }
}

/// Generates a regular expression with at most `depth` levels of nesting.
fn pattern(random: &mut Mutator, depth: usize) -> String {
    let atoms = [
        ".",
        "[a-z]",
        "[a-z0-9_-]",
        "a",
        "ab?",
        "(a|b|ab)",
        "[^/]",
        "\\\\d",
        "\\\\W",
        "/",
        "é",
        "[^a]",
    ];
    let mut out = String::new();
    for _ in 0..=random.below(3) {
        let part = match random.below(4) {
            0 if depth > 0 => format!("({})", pattern(random, depth - 1)),
            1 if depth > 0 => {
                let arms: Vec<String> =
                    (0..=random.below(5)).map(|_| pattern(random, depth - 1)).collect();
                format!("({})", arms.join("|"))
            }
            _ => atoms[random.below(atoms.len())].replace("\\\\", "\\"),
        };
        out.push_str(&part);
        let (low, high) = (count(random), count(random));
        match random.below(5) {
            0 => {
                let _ = write!(out, "{{{},{}}}", low.min(high), low.max(high));
            }
            1 => {
                let _ = write!(out, "{{0,{high}}}");
            }
            2 => out.push('*'),
            _ => {}
        }
    }
    out
}

fn count(random: &mut Mutator) -> usize {
    COUNTS[random.below(COUNTS.len())]
}

/// Changes the numbers of a layout, or repeats one of its lines.
pub fn mutate(random: &mut Mutator, text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut digits = String::new();
    for c in text.chars().chain([' ']) {
        if c.is_ascii_digit() {
            digits.push(c);
            continue;
        }
        if !digits.is_empty() {
            match random.below(8) {
                0 => out.push_str(&count(random).to_string()),
                _ => out.push_str(&digits),
            }
            digits.clear();
        }
        out.push(c);
    }
    if random.below(3) == 0 {
        let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("map")).collect();
        if !lines.is_empty() {
            let line = lines[random.below(lines.len())];
            for copy in 0..random.below(64) {
                let renamed = line.replacen("map m", &format!("map c{copy}_"), 1);
                out.push_str(&renamed);
                out.push('\n');
            }
        }
    }
    out
}
