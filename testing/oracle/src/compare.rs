//! The prover's answers beside the oracle's.

use crate::{
    oracle::Oracle,
    rows::Row,
    scan::{Form, Leading, ScanAnswer, Wrong, equal_before},
};
use keyscape_layout::{Record, model::Scan};
use keyscape_prover::{
    Claim, Collision, Counterexample, Disorder, Fault, Rule, ScanFault, Unknown, Verdict,
};

/// How one claim was decided, where both agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// Proved.
    Proved,
    /// Proved, by the tight form of a scan.
    ProvedTight,
    /// Refuted, by a counterexample than which there is none smaller.
    Refuted,
    /// Refuted, by a counterexample that does not claim to be smallest.
    RefutedNotMinimal,
    /// Not decided by the prover: rows of an `also` keyspace have their fields elsewhere.
    AlsoElsewhere,
}

/// Compares one claim.
///
/// # Errors
/// What the two say, if they disagree.
pub(crate) fn claim(oracle: &Oracle<'_>, claim: &Claim) -> Result<Outcome, String> {
    let refuted = match &claim.verdict {
        Verdict::Proved => None,
        Verdict::Refuted(counterexample) => Some(&**counterexample),
        Verdict::Unknown(Unknown::AlsoElsewhere { .. }) => return Ok(Outcome::AlsoElsewhere),
        Verdict::Unknown(reason) => return Err(format!("the prover does not know: {reason:?}")),
    };
    match (claim.rule, claim.scan) {
        (Rule::Disjoint, _) => disjoint(oracle, claim, refuted),
        (Rule::Unambiguous, _) => unambiguous(oracle, claim, refuted),
        (Rule::ScanExact, Some(scan)) => scan_exact(oracle, claim, scan, refuted),
        (Rule::Ordered, Some(scan)) => ordered(oracle, claim, scan, refuted),
        _ => Err("a claim about a scan names none".into()),
    }
}

fn outcome(counterexample: &Counterexample) -> Outcome {
    if counterexample.minimal { Outcome::Refuted } else { Outcome::RefutedNotMinimal }
}

/// An error unless both sides say the same.
fn same<T: PartialEq + std::fmt::Debug>(what: &str, prover: &T, oracle: &T) -> Result<(), String> {
    if prover == oracle {
        return Ok(());
    }
    Err(format!("{what}: the prover says {prover:?}, the oracle {oracle:?}"))
}

/// An error unless it is so.
fn so(is: bool, message: &str) -> Result<(), String> {
    if is { Ok(()) } else { Err(message.into()) }
}

/// The row that the prover shows, as the oracle has it.
fn known<'o>(oracle: &'o Oracle<'_>, shown: &keyscape_prover::Row) -> Result<&'o Row, String> {
    let rows = oracle.rows(shown.keyspace);
    let found = rows.iter().find(|row| row.key == shown.key && row.fields == shown.fields);
    found.ok_or_else(|| format!("the prover shows a row that does not exist: {shown:?}"))
}

fn disjoint(
    oracle: &Oracle<'_>,
    claim: &Claim,
    refuted: Option<&Counterexample>,
) -> Result<Outcome, String> {
    let shortest = oracle.collisions(claim.keyspace);
    let Some(counterexample) = refuted else {
        same("keyspaces with common keys", &0, &shortest.len())?;
        return Ok(Outcome::Proved);
    };
    let Fault::Disjoint { collisions, more } = &counterexample.fault else {
        return Err("a fault of another rule".into());
    };
    let mut partners = std::collections::BTreeMap::new();
    for Collision { here, there } in collisions {
        same("the keyspace of a collision", &here.keyspace, &claim.keyspace)?;
        same("both keys of a collision", &here.key, &there.key)?;
        known(oracle, here)?;
        known(oracle, there)?;
        partners.insert(there.keyspace, here.key.len());
    }
    if counterexample.minimal && *more == 0 {
        same("the shortest common keys", &partners, &shortest)?;
        let lengths: Vec<usize> = collisions.iter().map(|c| c.here.key.len()).collect();
        so(lengths.is_sorted(), "the first collision is not the shortest")?;
    }
    Ok(outcome(counterexample))
}

fn unambiguous(
    oracle: &Oracle<'_>,
    claim: &Claim,
    refuted: Option<&Counterexample>,
) -> Result<Outcome, String> {
    let shortest = oracle.shortest_ambiguous(claim.keyspace);
    let Some(counterexample) = refuted else {
        same("the shortest ambiguous key", &None, &shortest)?;
        return Ok(Outcome::Proved);
    };
    let Fault::Unambiguous { a, b } = &counterexample.fault else {
        return Err("a fault of another rule".into());
    };
    same("both keys of an ambiguity", &a.key, &b.key)?;
    let (known_a, known_b) = (known(oracle, a)?, known(oracle, b)?);
    so(known_a.reading() != known_b.reading(), "the two readings are one")?;
    if counterexample.minimal {
        same("the shortest ambiguous key", &Some(a.key.len()), &shortest)?;
    }
    Ok(outcome(counterexample))
}

fn scan_exact(
    oracle: &Oracle<'_>,
    claim: &Claim,
    scan: usize,
    refuted: Option<&Counterexample>,
) -> Result<Outcome, String> {
    let answer = oracle.scan(claim.keyspace, scan);
    let scan = &oracle.layout.keyspace(claim.keyspace).scans[scan];
    let Some(counterexample) = refuted else {
        return match answer {
            ScanAnswer::Exact => Ok(Outcome::Proved),
            ScanAnswer::Tight => Ok(Outcome::ProvedTight),
            ScanAnswer::Wrong(..) => Err(format!("the prover has a proof, the oracle {answer:?}")),
        };
    };
    let Fault::ScanExact { fault, asked, start, end, row } = &counterexample.fault else {
        return Err("a fault of another rule".into());
    };
    let wrong = match fault {
        ScanFault::Foreign => Wrong::Foreign,
        ScanFault::Missed => Wrong::Missed,
    };
    let known = known(oracle, row)?;
    let form = Form::declared(oracle, claim.keyspace, scan);
    let real = form.asked.iter().any(|(leading, interval)| {
        asked_for(scan, &leading.rows[0].fields) == *asked
            && interval.low == *start
            && interval.high == *end
            && form.wrong(leading, interval, known) == Some(wrong)
    });
    if !real {
        let fault = &counterexample.fault;
        return Err(format!("the oracle sees no such fault: {fault:?}; it says {answer:?}"));
    }
    if counterexample.minimal {
        let shown = ScanAnswer::Wrong(row.key.len(), start.len());
        same("the row and the start of the interval", &shown, &answer)?;
    }
    Ok(outcome(counterexample))
}

/// The values of the leading fields, as the prover names them.
fn asked_for(scan: &Scan, fields: &Record) -> Record {
    let mut asked = Record::default();
    for path in &scan.leading {
        if let Some(datum) = fields.get_path(path) {
            asked.set(path.join("."), datum.clone());
        }
    }
    asked
}

fn ordered(
    oracle: &Oracle<'_>,
    claim: &Claim,
    scan: usize,
    refuted: Option<&Counterexample>,
) -> Result<Outcome, String> {
    let least = oracle.least_disorder(claim.keyspace, scan);
    let keyspace = oracle.layout.keyspace(claim.keyspace);
    let scan = &keyspace.scans[scan];
    let Some(counterexample) = refuted else {
        same("the least sum of two keys", &None, &least)?;
        return Ok(Outcome::Proved);
    };
    let Fault::Ordered { lower, higher, disorder } = &counterexample.fault else {
        return Err("a fault of another rule".into());
    };
    let (low, high) = (known(oracle, lower)?, known(oracle, higher)?);
    let group = |row: &Row| {
        let groups = equal_before(oracle.rows(claim.keyspace), scan.end.0);
        let holds = |leading: &Leading<'_>| leading.rows.iter().any(|r| std::ptr::eq(*r, row));
        groups.iter().position(holds)
    };
    so(group(low) == group(high), "the rows differ before the fields")?;
    so(crate::order::by(scan, low, high).is_lt(), "the lower row is not lower")?;
    let shown = match disorder {
        Disorder::Reversed => low.key > high.key,
        Disorder::Tied => low.key == high.key,
    };
    so(shown, "the bytes are not as the prover says")?;
    if counterexample.minimal {
        let sum = lower.key.len() + higher.key.len();
        same("the least sum of two keys", &Some(sum), &least)?;
    }
    Ok(outcome(counterexample))
}
