//! Long runs: `cargo run --release -p keyscape-oracle -- --layouts N --seed S`.
#![expect(clippy::print_stdout, reason = "this is a program for people")]

use keyscape_oracle::{Examined, Outcome, Words, examine, generate, report, shrink};
use keyscape_prover::Rule;
use std::{collections::BTreeMap, process::ExitCode};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    let number = |name: &str, otherwise: u64| {
        let at = arguments.iter().position(|argument| argument == name);
        at.and_then(|at| arguments.get(at + 1)?.parse().ok()).unwrap_or(otherwise)
    };
    let (layouts, first) = (number("--layouts", 10_000), number("--seed", 1));
    let most_shown = number("--show", 10);
    let fixed_size = arguments.iter().any(|a| a == "--size").then(|| number("--size", 3));
    let mut words = Words::default();
    let mut counts: BTreeMap<(Rule, Outcome), usize> = BTreeMap::new();
    let (mut rejected, mut large, mut failed) = (0, 0, 0);
    for seed in first..first + layouts {
        // Small layouts first, so that the first failures are small.
        let size = fixed_size.unwrap_or((seed - first) * 5 / layouts) as usize;
        let sketch = generate(seed, size);
        match examine(&sketch.to_string(), sketch.backend, &mut words) {
            Examined::Rejected(why) => {
                rejected += 1;
                if arguments.iter().any(|a| a == "--rejected") {
                    println!("{why}\n{sketch}");
                }
            }
            Examined::TooLarge => large += 1,
            Examined::Compared { agreed, disagreed } => {
                for outcome in agreed {
                    *counts.entry(outcome).or_default() += 1;
                }
                if disagreed.is_empty() {
                    continue;
                }
                failed += 1;
                if failed <= most_shown {
                    let rule = disagreed[0].rule;
                    let smallest = shrink(&sketch, |candidate| {
                        let text = candidate.to_string();
                        matches!(examine(&text, candidate.backend, &mut words),
                            Examined::Compared { disagreed, .. }
                            if disagreed.iter().any(|d| d.rule == rule))
                    });
                    let text = smallest.to_string();
                    let examined = examine(&text, smallest.backend, &mut words);
                    if let Examined::Compared { disagreed, .. } = examined {
                        let backend = smallest.backend.map_or("none", |backend| backend.name);
                        println!("seed {seed}, backend {backend}\n{}", report(&text, &disagreed));
                    }
                }
            }
        }
    }
    for ((rule, outcome), count) in counts {
        println!("{} {outcome:?}: {count}", rule.code());
    }
    println!("{layouts} layouts: {rejected} rejected, {large} too large, {failed} disagreements");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
