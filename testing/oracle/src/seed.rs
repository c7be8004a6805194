//! One seed: draws a layout, compares all claims, and shrinks the layout after a disagreement.

use crate::{
    compare::Outcome,
    examine::{Examined, examine, report},
    generate::generate,
    leaf::Words,
    shrink::shrink,
    sketch::Sketch,
};
use keyscape_prover::Rule;

/// The number of sizes of layouts. Consecutive seeds cycle through them.
const SIZES: u64 = 5;

/// The result for one seed.
#[derive(Debug)]
pub enum Seeded {
    /// The drawn text is not a layout. Contains the first error and the text.
    Rejected(String),
    /// The layout has too many rows.
    TooLarge,
    /// The prover and the oracle agree on every claim.
    Agreed(Vec<(Rule, Outcome)>),
    /// The prover and the oracle disagree.
    Disagreed(Disagreed),
}

/// A layout on which the prover and the oracle disagree.
#[derive(Debug)]
pub struct Disagreed {
    seed: u64,
    sketch: Sketch,
    rule: Option<Rule>,
}

impl Disagreed {
    /// Returns the report on the smallest layout with a disagreement about the same rule.
    #[must_use]
    pub fn smallest(&self, words: &mut Words) -> String {
        let disagreed = |candidate: &Sketch, words: &mut Words| match examine(
            &candidate.to_string(),
            candidate.setting(),
            words,
        ) {
            Examined::Compared { disagreed, .. } => disagreed,
            Examined::Rejected(_) | Examined::TooLarge => Vec::new(),
        };
        let smallest = shrink(&self.sketch, |candidate| {
            disagreed(candidate, words).iter().any(|d| d.rule == self.rule)
        });
        let backend = smallest.backend.map_or("none", |backend| backend.name);
        let report = report(&smallest.to_string(), &disagreed(&smallest, words));
        format!("seed {}, backend {backend}\n{report}", self.seed)
    }
}

/// Draws the layout of a seed and compares every claim. The result depends on the seed alone.
pub fn compare_seed(seed: u64, words: &mut Words) -> Seeded {
    let sketch = generate(seed, (seed % SIZES) as usize);
    let text = sketch.to_string();
    match examine(&text, sketch.setting(), words) {
        Examined::Rejected(why) => Seeded::Rejected(format!("{why}\n{text}")),
        Examined::TooLarge => Seeded::TooLarge,
        Examined::Compared { agreed, disagreed } => match disagreed.first() {
            None => Seeded::Agreed(agreed),
            Some(first) => Seeded::Disagreed(Disagreed { seed, rule: first.rule, sketch }),
        },
    }
}
