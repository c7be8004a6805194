//! Compares the order and the loss that the prover claims for codecs of integers with arithmetic on
//! the values and on the encoded bytes, over wide ranges.
//!
//! Bytes are totally ordered, so a codec is ordered on a range if and only if the encodings of each
//! integer and its successor are ordered. If only the last digit changes between an integer and its
//! successor, the digits before it do not matter, so one pair represents all such pairs. In the
//! remaining pairs, a digit carries over in base 2 or 10, or the form of the encoding changes at a
//! power or at zero. The test tries the first and the last carry of each length in the range, and
//! every power. Two integers with the same encoding differ by a power of the base, or are adjacent.

use keyscape_codec::{IntRange, Uint, Value};
use keyscape_layout::{Datum, Layout, NoImports, Record, model::Segment, model::Type, read};
use keyscape_oracle::Random;
use keyscape_prover::{Config, Fault, Row, Rule, Verdict, check};
use std::collections::BTreeSet;

/// Codecs of unsigned integers. `T` is the type of the integers, and `R` their range.
const UNSIGNED: &[&str] = &[
    "Tbe in R",
    "Tle in R",
    "dec(T) in R",
    "desc(Tbe) in R",
    "desc(Tle) in R",
    "desc(desc(Tbe)) in R",
    "desc(dec(T)) in R",
    "hex(Tbe) in R",
    "hex(desc(Tbe)) in R",
    "escaped(desc(Tbe)) in R",
    "escaped01(Tbe) in R",
    "groups8(Tbe) in R",
    "rune(desc(Tbe)) in R",
    "nibbles(Tle) in R",
    "complement(Tbe) in R",
    "rev(Tle) in R",
    "rev(Tbe) in R",
    "len8(dec(T)) in R",
    "len8(desc(dec(T))) in R",
    "nul(dec(T)) in R",
    "dec0(T)[80] in R",
    "leb128(T) in R",
    "compact(T) in R",
    "compact_size(T) in R",
    "uvarint_ordered(T) in R",
    "varint_msb(T) in R",
    "f64_of(T) in R",
    "fdb_int(T) in R",
    "truncate(Tbe in R)[1]",
    "truncate(Tbe in R)[3]",
    "truncate(Tle in R)[3]",
    "rev(truncate(Tle in R)[3])",
    "rev(truncate(Tle in R)[1])",
    "truncate(rev(Tle in R))[2]",
    "truncate(dec(T) in R)[2]",
    "pad_right(dec(T) in R)[3]",
    "pad_right(dec(T) in R)[20]",
    "desc(truncate(Tbe in R)[2])",
];
const SIGNED: &[&str] = &[
    "Tbe in R",
    "Tle in R",
    "dec(T) in R",
    "desc(Tbe) in R",
    "desc(dec(T)) in R",
    "flip(T) in R",
    "desc(flip(T)) in R",
    "hex(flip(T)) in R",
    "hex(desc(Tbe)) in R",
    "rev(Tbe) in R",
    "rev(Tle) in R",
    "sign_i64(neg = 0x05, pos = 0x06) in R",
    "f64_of(T) in R",
    "fdb_int(T) in R",
    "truncate(Tbe in R)[1]",
    "rev(truncate(Tle in R)[3])",
];
/// Codecs for which the verdict about the order may be unknown.
const UNDECIDED: &[&str] = &["len8(desc(dec("];
const BITS: &[u32] = &[8, 16, 32, 64, 128, 256];
/// Integers other than powers at which encodings with several forms change their form.
const TURNS: &[u64] = &[240, 253, 2288, 67_824, 16_512, 2_113_664, 270_549_120];
const LAYOUTS: u64 = 2500;
const RANDOM: usize = 20;

/// Adds the integers from `low` to `high` at which encodings can change, their neighbours, and some
/// random integers.
fn turns(low: Uint, high: Uint, random: &mut Random, found: &mut Vec<Uint>) {
    let mut add = |n: Option<Uint>| {
        let Some(n) = n else { return };
        let around = [n.checked_sub(Uint::ONE), Some(n), n.checked_add(Uint::ONE)];
        found.extend(around.into_iter().flatten().filter(|n| low <= *n && *n <= high));
    };
    add(Some(low));
    add(Some(high));
    TURNS.iter().for_each(|&turn| add(Some(Uint::from(turn))));
    for base in [2_u8, 10].map(Uint::from) {
        let mut power = Some(Uint::ONE);
        while let Some(p) = power {
            add(Some(p));
            add(low.checked_add(p));
            add(high.checked_sub(p));
            // The first and the last multiple.
            add((low / p).checked_add(Uint::ONE).and_then(|n| n.checked_mul(p)));
            add(Some(high / p * p));
            power = p.checked_mul(base);
        }
    }
    for _ in 0..RANDOM {
        let bits = random.below(256) as u32;
        let drawn = Uint::from(random.integer(0, 1 << 31).unsigned_abs());
        add(Some(low.wrapping_add((drawn << (bits / 2)) % (high - low).max(Uint::ONE))));
    }
    found.sort();
    found.dedup();
}

/// Returns the integers of a range at which encodings can change, in ascending order.
fn integers(range: &IntRange, random: &mut Random) -> Vec<Value> {
    match *range {
        IntRange::Unsigned { low, high } => {
            let mut found = Vec::new();
            turns(low, high, random, &mut found);
            found.into_iter().map(Value::Uint).collect()
        }
        IntRange::Signed { low, high } => {
            let distance = |n: i128| Uint::from(n.unsigned_abs());
            let mut values = Vec::new();
            let mut found = Vec::new();
            if low < 0 {
                turns(distance(high.min(-1)), distance(low), random, &mut found);
                let negative = |n: &Uint| Value::Int(0_i128.wrapping_sub_unsigned(n.as_u128()));
                values.extend(found.iter().rev().map(negative));
                found.clear();
            }
            if high >= 0 {
                turns(distance(low.max(0)), distance(high), random, &mut found);
                values.extend(found.iter().map(|n| Value::Int(n.as_i128())));
            }
            values
        }
    }
}

/// Returns a range of a type in the notation of layouts.
fn range(bits: u32, signed: bool, random: &mut Random) -> String {
    let draw = |random: &mut Random, bits: u32| {
        let bits = random.below(bits as usize) as u32;
        let low = Uint::from(random.integer(0, (1 << 31) - 1).unsigned_abs());
        let near =
            (Uint::ONE << bits).wrapping_add(low % Uint::from(5_u8)).wrapping_sub(Uint::from(2_u8));
        let any = (low << 224) >> (255 - bits);
        if random.percent(50) { near.min(Uint::MAX >> 1) } else { any }
    };
    let bits = if signed { bits - 1 } else { bits };
    let most = Uint::MAX >> (256 - bits);
    let (a, b) = (draw(random, bits).min(most), draw(random, bits).min(most));
    match random.below(if signed { 5 } else { 3 }) {
        0 => format!("{}..={}", a.min(b), a.max(b)),
        1 => format!("{a}..={}", a.saturating_add(Uint::from(random.below(400) as u64)).min(most)),
        2 => format!("{a}.."),
        3 => format!("-{a}..={b}"),
        _ => format!("-{}..=-{}", a.max(b), a.min(b)),
    }
}

fn encode(layout: &Layout, value: &Value) -> Vec<u8> {
    let record = Record(vec![("x".to_owned(), Datum::Leaf(value.clone()))]);
    layout.keyspaces[0].encode(&record).unwrap()
}

fn less(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Uint(a), Value::Uint(b)) => a < b,
        (Value::Int(a), Value::Int(b)) => a < b,
        _ => panic!("{a:?} and {b:?} are not integers of one type"),
    }
}

fn value(row: &Row) -> &Value {
    match row.fields.get("x") {
        Some(Datum::Leaf(value)) => value,
        other => panic!("{other:?}"),
    }
}

/// The results of arithmetic on one codec, and the verdicts that differ from them.
struct Compared {
    ordered: bool,
    lossless: bool,
    /// Verdicts that differ from the arithmetic, and counterexamples that do not replay.
    wrong: Vec<String>,
}

/// Compares one codec on one range. Returns `None` if the codec does not support these integers.
fn compare(codec: &str, random: &mut Random) -> Option<Compared> {
    let text = format!("store s map m = {{x: {codec}}} -> empty scan all by x");
    let layout = read("integers.keys", &text, &mut NoImports).ok()?;
    let Segment::Field(field) = &layout.keyspaces[0].key[0] else { panic!("{text}") };
    let Type::Leaf(leaf) = &*field.ty else { panic!("{text}") };
    let values = integers(&leaf.codec.integers().unwrap(), random);
    let words: Vec<Vec<u8>> = values.iter().map(|value| encode(&layout, value)).collect();
    let descends = codec.matches("desc(").count() % 2 == 1;
    let ordered = words.windows(2).all(|pair| match descends {
        true => pair[0] > pair[1],
        false => pair[0] < pair[1],
    });
    let lossless = words.iter().collect::<BTreeSet<_>>().len() == words.len();
    let report = check(&layout, Config { fixes: false, ..Config::default() });
    let mut wrong = Vec::new();
    for claim in &report.claims {
        let holds = match claim.rule {
            Rule::Ordered => ordered,
            Rule::Lossless => lossless,
            _ => continue,
        };
        let is_right = match &claim.verdict {
            Verdict::Proved => holds,
            Verdict::Refuted(shown) => !holds && is_shown(&layout, &shown.fault, descends),
            Verdict::Unknown(_) => {
                claim.rule == Rule::Ordered && UNDECIDED.iter().any(|c| codec.starts_with(c))
            }
        };
        if !is_right {
            wrong.push(format!("{text}\n{:?} is {holds}: {:?}", claim.rule, claim.verdict));
        }
    }
    Some(Compared { ordered, lossless, wrong })
}

/// Whether a counterexample shows the disorder or the loss that it claims.
fn is_shown(layout: &Layout, fault: &Fault, descends: bool) -> bool {
    match fault {
        Fault::Ordered { lower, higher } => {
            let (low, high) = (value(lower), value(higher));
            let bytes = (encode(layout, low), encode(layout, high));
            less(low, high) != descends
                && low != high
                && (&bytes.0, &bytes.1) == (&lower.key, &higher.key)
                && bytes.0 >= bytes.1
        }
        Fault::Lossless { a: Datum::Leaf(a), b: Datum::Leaf(b), bytes } => {
            a != b && encode(layout, a) == *bytes && encode(layout, b) == *bytes
        }
        _ => false,
    }
}

#[test]
fn the_prover_and_arithmetic_agree_on_wide_ranges() {
    let mut counts = [0; 4];
    let mut wrong = Vec::new();
    for seed in 0..LAYOUTS {
        let random = &mut Random::new(seed);
        let signed = random.percent(30);
        let codec = *random.pick(if signed { SIGNED } else { UNSIGNED });
        let bits = *random.pick(&BITS[..if signed { 5 } else { 6 }]);
        let ty = format!("{}{bits}", if signed { 'i' } else { 'u' });
        let range = range(bits, signed, random);
        let mut codec = codec.replace("T", &ty).replace("R", &range);
        for byte in ["u8", "i8"] {
            codec = codec.replace(&format!("{byte}be"), byte).replace(&format!("{byte}le"), byte);
        }
        if let Some(compared) = compare(&codec, random) {
            counts[usize::from(compared.ordered)] += 1;
            counts[2 + usize::from(compared.lossless)] += 1;
            wrong.extend(compared.wrong);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(counts.iter().all(|&count| count > 300), "{counts:?}");
}
