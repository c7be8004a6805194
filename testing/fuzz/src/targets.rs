//! The fuzz targets. Each checks one property.

use crate::{Mutator, cost, grammar};
use keyscape_automata::Budget;
use keyscape_codec::{Arg, Call, Codec, Language, LengthRange};
use keyscape_layout::{
    Decoder, FileId, Layout, Machine, NoImports, Side, encode_segments, fields, model::Type, read,
    syntax,
};
use keyscape_prover::{Config, Unknown, Verdict, check};
use std::sync::{Arc, OnceLock};

/// A property that must hold for every input.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The name of the target and of its folder of regressions.
    pub name: &'static str,
    /// Returns the initial inputs.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Returns a changed copy of an input, sometimes with a part of another one.
    pub mutate: fn(&mut Mutator, &[u8], &[u8]) -> Vec<u8>,
    /// Panics if the property does not hold.
    pub run: fn(&[u8]),
}

/// All targets.
pub const TARGETS: &[Target] = &[
    Target { name: "parse", seeds: layout_seeds, mutate: Mutator::mutate, run: parse },
    Target { name: "format", seeds: layout_seeds, mutate: Mutator::mutate, run: format },
    Target { name: "check", seeds: layout_seeds, mutate: Mutator::mutate, run: check_layout },
    Target { name: "codecs", seeds: key_seeds, mutate: Mutator::mutate, run: codecs },
    Target { name: "matcher", seeds: key_seeds, mutate: Mutator::mutate, run: matcher },
    Target { name: "cost", seeds: layout_seeds, mutate: costly, run: cost_of_layout },
];

const EXAMPLES: &str = include_str!("examples.keys");

fn layout_seeds() -> Vec<Vec<u8>> {
    let whole = EXAMPLES.as_bytes().to_vec();
    let stores = EXAMPLES.split("\n\n").map(|part| part.as_bytes().to_vec());
    std::iter::once(whole).chain(stores).collect()
}

fn key_seeds() -> Vec<Vec<u8>> {
    let mut seeds: Vec<Vec<u8>> = vec![
        b"o/10/0".to_vec(),
        b"\x02\x03abcuatom".to_vec(),
        b"7-alice-a-b-incoming".to_vec(),
        b"\xc1\x29\xf0\xa0\0\0\x04\x21".to_vec(),
        b"cosmos1qqqsyqcyq5rqwzqfpg9scrgwpugpzysnzs23v9".to_vec(),
    ];
    for keyspace in &examples().0.keyspaces {
        // Only the first literal. The mutator adds bytes for the fields.
        let mut key = Vec::new();
        let literals = keyspace.key.iter().filter(|s| s.span().end > 0).take(1).cloned();
        if encode_segments(&literals.collect::<Vec<_>>(), &Default::default(), &mut key).is_ok() {
            seeds.push(key);
        }
    }
    seeds
}

/// Any bytes are parsed, or rejected with diagnostics whose spans are in the input.
fn parse(input: &[u8]) {
    match syntax::decode_utf8(input, FileId(0)) {
        Err(diagnostic) => assert!(diagnostic.span.end as usize <= input.len()),
        Ok(text) => {
            let (_, diagnostics) = syntax::parse(text, FileId(0));
            for diagnostic in diagnostics {
                let span = diagnostic.span.start as usize..diagnostic.span.end as usize;
                assert!(text.get(span).is_some(), "a place outside the text: {diagnostic:?}");
            }
        }
    }
}

/// Formatting preserves the syntax tree and is idempotent.
fn format(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let Ok(once) = syntax::format(text) else { return };
    let twice = syntax::format(&once);
    assert_eq!(twice.as_deref(), Ok(once.as_str()), "formatting is not idempotent");
    let (before, after) = (tokens_of(text), tokens_of(&once));
    assert_eq!(before, after, "formatting changed the meaning");
}

/// Formats the syntax tree without its spans.
fn tokens_of(text: &str) -> String {
    let (tree, _) = syntax::parse(text, FileId(0));
    let tree = std::format!("{tree:?}");
    let mut out = String::with_capacity(tree.len());
    let mut rest = tree.as_str();
    while let Some(at) = rest.find("Span {") {
        out.push_str(&rest[..at]);
        rest = rest[at..].find('}').map_or("", |end| &rest[at + end + 1..]);
        // A span contains `FileId(0)`, in some forms with its own brace.
        rest = rest.strip_prefix(" }").unwrap_or(rest);
    }
    out.push_str(rest);
    out
}

/// Any layout is decided or rejected, and every counterexample replays.
fn check_layout(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let Ok(layout) = read("fuzz.keys", text, &mut NoImports) else { return };
    let budget = Budget { states: 1 << 12, pairs: 1 << 12, ..Budget::default() };
    let report = check(&layout, Config { budget, fixes: false, ..Config::default() });
    for claim in report.claims {
        if let Verdict::Unknown(Unknown::Bug { key }) = claim.verdict {
            panic!("{} does not replay: {key:02x?}", claim.rule.code());
        }
    }
}

/// A layout of at most 100,000 bytes is decided or rejected with bounded work and memory.
fn cost_of_layout(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    if text.len() <= cost::MAX_BYTES {
        cost::of_layout(text).0.assert_bounded();
    }
}

/// Generates a costly layout, or changes the counts of an earlier one.
fn costly(random: &mut Mutator, input: &[u8], _: &[u8]) -> Vec<u8> {
    let max_bytes = [300, 2_000, 20_000, cost::MAX_BYTES][random.below(4)];
    match std::str::from_utf8(input) {
        Ok(text) if random.below(3) == 0 => grammar::mutate(random, text),
        _ => grammar::layout(random, max_bytes),
    }
    .into_bytes()
}

/// Decoding accepts exactly the language, and encoding returns the same bytes.
fn codecs(input: &[u8]) {
    for (codec, language) in all_codecs() {
        let decoded = codec.decode(input);
        match language {
            Language::Exact(dfa) => {
                assert_eq!(decoded.is_ok(), dfa.accepts(input), "{} on {input:02x?}", codec.text());
            }
            Language::Between { over, under, .. } => {
                assert!(decoded.is_err() || over.accepts(input), "{} {input:02x?}", codec.text());
                assert!(decoded.is_ok() || !under.accepts(input), "{} {input:02x?}", codec.text());
            }
        }
        if let Ok(value) = decoded {
            let mut again = Vec::new();
            let encoded = codec.encode(&value, &mut again);
            assert_eq!((encoded, again.as_slice()), (Ok(()), input), "{}", codec.text());
        }
    }
}

/// Every reading of a key encodes to that key.
fn matcher(input: &[u8]) {
    let (layout, machines) = examples();
    for machine in machines {
        let mut decoder = Decoder::new(layout, machine);
        let decoded = decoder.explain(input);
        for reading in &decoded.readings {
            let keyspace = layout.keyspace(reading.keyspace);
            assert_eq!(keyspace.encode(&reading.fields).as_deref(), Ok(input));
            let covered: usize = reading.parts.iter().map(|part| part.bytes.len()).sum();
            assert_eq!(covered, input.len(), "parts do not cover the key");
        }
        if decoded.readings.is_empty() {
            for miss in decoder.near_misses(input, 3) {
                assert!(miss.offset <= input.len());
            }
        }
    }
}

/// Returns the example layout with one automaton per space, built once.
fn examples() -> &'static (Layout, Vec<Machine>) {
    static BUILT: OnceLock<(Layout, Vec<Machine>)> = OnceLock::new();
    BUILT.get_or_init(|| {
        let layout = read("examples.keys", EXAMPLES, &mut NoImports);
        let layout = layout.unwrap_or_else(|r| panic!("examples.keys: {:#?}", r.diagnostics));
        let machines = layout.spaces.iter().map(|space| {
            Machine::build(&layout, &space.keyspaces, Side::Over, Budget::default())
                .unwrap_or_else(|over| panic!("examples.keys: {over}"))
        });
        let machines = machines.collect();
        (layout, machines)
    })
}

type Built = (Arc<dyn Codec>, Language);

/// Returns one instance of every codec, and some nested codecs.
fn all_codecs() -> &'static [Built] {
    static BUILT: OnceLock<Vec<Built>> = OnceLock::new();
    BUILT.get_or_init(|| {
        let mut found: Vec<Built> = Vec::new();
        for keyspace in &examples().0.keyspaces {
            for field in fields(&keyspace.key) {
                if let Type::Leaf(leaf) = &*field.ty {
                    found.push((leaf.codec.clone(), leaf.language.clone()));
                }
            }
        }
        // Each name alone, with an integer type, around bytes, and around bytes with a length.
        // Invalid combinations are skipped.
        let length = Some(LengthRange { min: 0, max: Some(40) });
        let bytes = keyscape_codec::build(Call { length, ..Call::new("bytes") }).ok();
        let number = keyscape_codec::int_type("u64").map(Arg::Int);
        let width = Some(LengthRange { min: 20, max: Some(20) });
        for name in keyscape_codec::names() {
            let inner = bytes.clone().map(Arg::Codec);
            for arg in [None, number.clone(), inner] {
                for length in [None, width] {
                    let args = arg.iter().cloned().collect();
                    let call = Call { args, length, ..Call::new(name) };
                    if let Ok(codec) = keyscape_codec::build(call)
                        && let Ok(language) = codec.language(Budget::default())
                    {
                        found.push((codec, language));
                    }
                }
            }
        }
        found
    })
}
