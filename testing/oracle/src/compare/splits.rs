//! KS010.

use super::{Outcome, ensure_true, find_row, outcome, same};
use crate::oracle::Oracle;
use keyscape_prover::{Claim, Counterexample, Fault};

pub(super) fn splittable(
    oracle: &Oracle<'_>,
    claim: &Claim,
    refuted: Option<&Counterexample>,
) -> Result<Outcome, String> {
    let Some(split) = claim.split else { return Err("a claim about a split names none".into()) };
    let shortest = oracle.shortest_missplit(claim.keyspace, split);
    let Some(counterexample) = refuted else {
        same("the shortest key that is split wrongly", &None, &shortest)?;
        return Ok(Outcome::Proved);
    };
    let Fault::Splittable { row, cuts, separators } = &counterexample.fault else {
        return Err("a fault of another rule".into());
    };
    let shown = find_row(oracle, row)?;
    let (known_cuts, known_separators) = oracle.cuts(shown, split);
    same("where the key is cut", cuts, &known_cuts)?;
    same("where its separators are", separators, &known_separators)?;
    ensure_true(cuts != separators, "the key is split as it should be")?;
    if counterexample.minimal {
        same("the shortest key that is split wrongly", &Some(row.key.len()), &shortest)?;
    }
    Ok(outcome(counterexample))
}
