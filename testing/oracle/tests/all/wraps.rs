//! The prover agrees with enumeration on random keys with wraps. Other tests compare the bytes of
//! wraps with expected bytes.

use keyscape_oracle::{Examined, Outcome, Random, Setting, Words, examine, report};
use keyscape_prover::Rule;
use std::collections::BTreeMap;

const LAYOUTS: u64 = 1500;
const WRAPS: [&str; 6] = ["hex", "nibbles", "complement", "escaped", "escaped01", "groups8"];
const LEAVES: [&str; 9] = [
    "u8 in 0..=2",
    "u8 in 254..=255",
    "desc(u8 in 0..=2)",
    r#"bytes(br"[\x00a]{0,2}")"#,
    r#"bytes(br"[\x00\x01\xff]{0,1}")"#,
    r#"text(r"[ab]{0,2}")"#,
    "dec(u8) in 8..=11",
    "Level",
    "Pair",
];

struct Keys {
    random: Random,
    fields: usize,
    depth: usize,
}

impl Keys {
    fn segments(&mut self, most: usize) -> String {
        let count = self.random.between(1, most);
        (0..count).map(|_| self.segment()).collect::<Vec<_>>().join(" ")
    }

    fn segment(&mut self) -> String {
        match self.random.below(10) {
            0 | 1 => (*self.random.pick(&["0x00", "\"a\"", "0x01", "0xFF"])).to_owned(),
            2..=4 if self.depth < 2 => {
                self.depth += 1;
                let inside = self.segments(3);
                self.depth -= 1;
                format!("wrap {}({inside})", self.random.pick(&WRAPS))
            }
            5 => {
                let field = self.field();
                let guard = if self.random.percent(50) { " if level is low" } else { "" };
                format!("[0x00 {field}{guard}]")
            }
            _ => self.field(),
        }
    }

    fn field(&mut self) -> String {
        self.fields += 1;
        format!("{{f{}: {}}}", self.fields, self.random.pick(&LEAVES))
    }

    /// Draws a map whose key has a field that guards may name.
    fn map(&mut self, name: &str) -> String {
        self.fields = 0;
        let prefix = *self.random.pick(&["", "\"a\"", "0x00", "wrap hex(0x61)"]);
        let (front, back) = (self.segments(3), self.segments(2));
        let mut map = format!("map {name} = {prefix} {front} {{level: Level}} {back} -> empty\n");
        let names: Vec<String> = (1..=self.fields).map(|n| format!("f{n}")).collect();
        map.push_str("  scan all\n");
        let leading = self.random.below(self.fields.min(3) + 1);
        if leading > 0 {
            map.push_str(&format!("  scan {}", names[..leading].join(", ")));
            if let Some(by) = names.get(leading).filter(|_| self.random.percent(70)) {
                map.push_str(&format!(" by {by}"));
            }
            map.push('\n');
        }
        map
    }
}

#[test]
fn the_prover_and_the_oracle_agree_on_wraps() {
    let mut words = Words::default();
    let mut counts: BTreeMap<(Rule, bool), usize> = BTreeMap::new();
    for seed in 0..LAYOUTS {
        let mut keys = Keys { random: Random::new(seed), fields: 0, depth: 0 };
        let types = "type Level = \"low\" | \"\" | \"lo\"\n\
                     type Pair = {a: u8 in 0..=1} \"\\x00\" {b: bytes(br\"[\\x00\\xff]{0,1}\")}\n";
        let mut text = format!("store s\n{types}{}", keys.map("a"));
        match keys.random.below(3) {
            0 => text.push_str(&keys.map("b")),
            1 => {
                let k = r#"{k: bytes(br"[\x00\x01a\xfe\xff]{0,3}")}"#;
                let (wrap, end) = *keys.random.pick(&[
                    ("", ""),
                    ("wrap escaped(", ")"),
                    ("wrap complement(", ")"),
                    ("wrap hex(", ")"),
                ]);
                let last = *keys.random.pick(&["", "{level: Level}", "0x00"]);
                text.push_str(&format!("map b = {wrap}{k}{end} {last} -> empty scan k\n"));
            }
            _ => {}
        }
        let Examined::Compared { agreed, disagreed } =
            examine(&text, Setting::default(), &mut words)
        else {
            continue;
        };
        assert!(disagreed.is_empty(), "seed {seed}\n{}", report(&text, &disagreed));
        for (rule, outcome) in agreed {
            let refuted = matches!(outcome, Outcome::Refuted | Outcome::RefutedNotMinimal);
            *counts.entry((rule, refuted)).or_default() += 1;
        }
    }
    // Agreement is evidence only if both verdicts are common.
    for rule in [Rule::Disjoint, Rule::Unambiguous, Rule::ScanExact, Rule::Ordered] {
        let count = |refuted| counts.get(&(rule, refuted)).copied().unwrap_or_default();
        let (proved, refuted) = (count(false), count(true));
        assert!(proved.min(refuted) > 20, "{rule:?}: {proved} proved, {refuted} refuted");
    }
}
