//! Verdicts: one mark for each claim that is proved, and a counterexample for each that is not.

use super::{
    terminal,
    text::{clean, prose_line},
};
use keyscape_inspect::document::{
    facts::{ClaimFacts, Document, Outcome, VerdictCounts},
    words,
};
use maud::{Markup, html};

/// Returns the verdict that matters most.
pub(crate) fn worst(claims: &[ClaimFacts]) -> Outcome {
    let has = |outcome| claims.iter().any(|claim| claim.outcome == outcome);
    [Outcome::Refuted, Outcome::Unknown, Outcome::Accepted]
        .into_iter()
        .find(|&outcome| has(outcome))
        .unwrap_or(Outcome::Proved)
}

/// Renders a verdict as one word.
pub(crate) fn chip(outcome: Outcome) -> Markup {
    html! { span class=(format!("chip {}", outcome.word())) { (outcome.word()) } }
}

/// Renders the verdict on a layout, with the number of claims per verdict.
pub(crate) fn standing(document: &Document) -> Markup {
    let class = if document.holds { "proved" } else { "refuted" };
    html! {
        p.standing { strong class=(class) { (words::verdict(document)) } " " (tally(document.tally)) }
    }
}

/// Renders the number of claims per verdict. Zeros are pale.
pub(crate) fn tally(tally: VerdictCounts) -> Markup {
    let VerdictCounts { proved, refuted, unknown, accepted } = tally;
    let counts = [
        (proved, Outcome::Proved),
        (refuted, Outcome::Refuted),
        (unknown, Outcome::Unknown),
        (accepted, Outcome::Accepted),
    ];
    html! {
        span.chips {
            @for (count, outcome) in counts {
                @let class = if count == 0 { "none" } else { outcome.word() };
                span class=(format!("chip {class}")) { (count) " " (outcome.word()) } " "
            }
        }
    }
}

/// Renders the claims of a keyspace: first those that are not proved, with their reasons.
pub(crate) fn render(claims: &[ClaimFacts]) -> Markup {
    let (proved, open): (Vec<&ClaimFacts>, Vec<&ClaimFacts>) =
        claims.iter().partition(|claim| claim.outcome == Outcome::Proved);
    html! {
        @if !open.is_empty() { ul.open { @for claim in &open { (item(claim)) } } }
        @if !proved.is_empty() {
            details.claims {
                summary { (words::counted(proved.len(), "claim")) " proved: " (rules(&proved)) }
                ul { @for claim in &proved { (item(claim)) } }
            }
        }
    }
}

/// Returns the rules of some claims, each once.
fn rules(claims: &[&ClaimFacts]) -> String {
    let mut rules: Vec<&str> = claims.iter().map(|claim| claim.rule).collect();
    rules.sort_unstable();
    rules.dedup();
    rules.join(", ")
}

fn item(claim: &ClaimFacts) -> Markup {
    let lead =
        if claim.accepted.is_some() { format!("{}: ", claim.verdict) } else { String::new() };
    html! {
        li {
            (chip(claim.outcome)) " "
            span.rule { (claim.rule) " " (claim.name) } " "
            (prose_line(&claim.says))
            @if let Some(reason) = &claim.accepted {
                br; span.because { "Accepted: " (clean(reason)) }
            }
            @if let Some(because) = &claim.because {
                br; span.because { (lead) (prose_line(because)) }
            }
            @if let Some(drawing) = &claim.drawing { (terminal::render(drawing)) }
        }
    }
}
