//! One seed: draws a layout, compares all claims, and shrinks the layout after a disagreement.

use crate::{
    compare::Outcome,
    examine::{Disagreement, Examined, examine, report},
    generate::generate,
    leaf::Words,
    shrink::{candidates, shrink},
    sketch::Sketch,
};
use keyscape_layout::{Built, Layout, NoImports, Rejected, read_beside};
use keyscape_prover::Rule;
use std::sync::LazyLock;

/// The number of sizes of layouts. Consecutive seeds cycle through them.
const SIZES: u64 = 5;

/// The result for one seed, with the answers by rule or claim.
#[derive(Debug)]
pub enum Compared<A> {
    /// A drawn text is not a layout. Contains the first error and the text.
    Rejected(String),
    /// A layout has too many rows. For pairs, also if not all rows can be listed or a codec is
    /// lossy.
    TooLarge,
    /// The answers agree with the enumeration for every subject.
    Agreed(Vec<A>),
    /// An answer and the enumeration disagree. Contains the report on the smallest layout found.
    Disagreed(String),
}

impl<A> Compared<A> {
    /// Adds the result of another comparison. A disagreement of the first one suffices.
    pub(crate) fn and(self, other: impl FnOnce() -> Self) -> Self {
        match (self, other) {
            (Self::Disagreed(why), _) => Self::Disagreed(why),
            (Self::Agreed(mut agreed), other) => match other() {
                Self::Disagreed(why) => Self::Disagreed(why),
                Self::Agreed(more) => {
                    agreed.extend(more);
                    Self::Agreed(agreed)
                }
                Self::Rejected(_) | Self::TooLarge => Self::Agreed(agreed),
            },
            (Self::Rejected(_) | Self::TooLarge, other) => other(),
        }
    }
}

/// Reads a drawn text. All drawn layouts share their codecs and automata, because few codecs are
/// drawn.
pub(crate) fn read(text: &str) -> Result<Layout, Rejected> {
    static BUILT: LazyLock<Built> = LazyLock::new(Built::default);
    read_beside(&BUILT, "random.keys", text, &mut NoImports)
}

/// Draws the layout of a seed and compares every claim. The result depends on the seed alone.
pub fn compare_seed(seed: u64, words: &mut Words) -> Compared<(Rule, Outcome)> {
    let sketch = generate(seed, (seed % SIZES) as usize);
    let text = sketch.to_string();
    match examine(&text, sketch.setting(), words) {
        Examined::Rejected(why) => Compared::Rejected(format!("{why}\n{text}")),
        Examined::TooLarge => Compared::TooLarge,
        Examined::Compared { agreed, disagreed } => match disagreed.first() {
            None => Compared::Agreed(agreed),
            Some(first) => {
                let smallest = smallest(&sketch, first.rule, words);
                Compared::Disagreed(format!("seed {seed}, {smallest}"))
            }
        },
    }
}

/// Returns the report on the smallest layout with a disagreement about the same rule.
fn smallest(sketch: &Sketch, rule: Option<Rule>, words: &mut Words) -> String {
    let smallest = shrink(sketch, candidates, |candidate| {
        disagreements(candidate, words).iter().any(|found| found.rule == rule)
    });
    let backend = smallest.backend.map_or("none", |backend| backend.name);
    let report = report(&smallest.to_string(), &disagreements(&smallest, words));
    format!("backend {backend}\n{report}")
}

fn disagreements(sketch: &Sketch, words: &mut Words) -> Vec<Disagreement> {
    match examine(&sketch.to_string(), sketch.setting(), words) {
        Examined::Compared { disagreed, .. } => disagreed,
        Examined::Rejected(_) | Examined::TooLarge => Vec::new(),
    }
}
