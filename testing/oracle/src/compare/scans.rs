//! KS003 and KS004.

use super::{Outcome, ensure_true, find_row, outcome, same};
use crate::{
    oracle::Oracle,
    order,
    rows::Row,
    scan::{Form, Interval, Leading, ScanAnswer, Wrong, equal_before},
};
use keyscape_layout::{
    derived_places,
    model::{KeyspaceId, Scan},
};
use keyscape_prover::{Claim, Counterexample, Fault, ScanFault, ScannedRow};

pub(super) fn scan_exact(
    oracle: &Oracle<'_>,
    claim: &Claim,
    scan: usize,
    refuted: Option<&Counterexample>,
) -> Result<Outcome, String> {
    let answer = oracle.scan(claim.keyspace, scan);
    let scan = &oracle.layout.keyspace(claim.keyspace).scans[scan];
    let Some(counterexample) = refuted else {
        return match answer {
            // A row that is not listed may require the tight form, or contain further bytes.
            _ if claim.tight.is_some() && !sees_all(oracle, claim.keyspace) => {
                tight_of_some(oracle, claim, scan)
            }
            // The prover may choose the tight form if it cannot show that a scan may read all
            // `also` rows.
            ScanAnswer::Exact if claim.tight.is_some() && !scan.also.is_empty() => {
                tight(oracle, claim, scan)
            }
            ScanAnswer::Exact => {
                same("the tight form", &claim.tight, &None)?;
                Ok(Outcome::Proved)
            }
            ScanAnswer::Tight => tight(oracle, claim, scan),
            ScanAnswer::Wrong(..) => Err(format!("the prover has a proof, the oracle {answer:?}")),
        };
    };
    let Fault::ScanExact(ScannedRow { fault, asked, interval: shown, row }) = &counterexample.fault
    else {
        return Err("a fault of another rule".into());
    };
    let wrong = match fault {
        ScanFault::Foreign => Wrong::Foreign,
        ScanFault::Missed => Wrong::Missed,
    };
    let known = find_row(oracle, row)?;
    let form = Form::declared(oracle, claim.keyspace, scan);
    let real = form.asked.iter().any(|(leading, interval)| {
        leading.rows.iter().any(|row| row.fields.select(&scan.leading) == *asked)
            && (&interval.low, &interval.high) == (&shown.low, &shown.high)
            && form.wrong(leading, interval, known) == Some(wrong)
    });
    if !real {
        let fault = &counterexample.fault;
        return Err(format!("the oracle sees no such fault: {fault:?}; it says {answer:?}"));
    }
    // A row that is not listed may make the tight form inexact.
    let open = answer == ScanAnswer::Tight && !sees_all(oracle, claim.keyspace);
    if counterexample.minimal && !open {
        let shown = ScanAnswer::Wrong(row.key.len(), shown.low.len());
        same("the row and the start of the interval", &shown, &answer)?;
    }
    Ok(outcome(counterexample))
}

/// Whether the oracle lists all rows that a scan could read, and the prover knows their bytes. The
/// prover treats derived bytes as arbitrary.
fn sees_all(oracle: &Oracle<'_>, id: KeyspaceId) -> bool {
    let derives = |id| !derived_places(&oracle.layout.keyspace(id).key).is_empty();
    oracle.is_space_complete(id) && !oracle.space(id).into_iter().any(derives)
}

/// Checks a proof of the tight form of a scan.
fn tight(oracle: &Oracle<'_>, claim: &Claim, scan: &Scan) -> Result<Outcome, String> {
    let following = claim.tight.as_ref().ok_or("the prover has a proof of the plain form")?;
    let form = Form::tight(oracle, claim.keyspace, scan);
    same("the shortest row at fault", &None, &form.shortest_fault())?;
    for (leading, interval) in form.asked {
        let shown = following.prefixed_with(leading.prefix);
        same("the tight form", &(shown.low, shown.high), &(interval.low, interval.high))?;
    }
    Ok(Outcome::ProvedTight)
}

/// Checks a proof of the tight form on the listed rows only.
fn tight_of_some(oracle: &Oracle<'_>, claim: &Claim, scan: &Scan) -> Result<Outcome, String> {
    let following = claim.tight.as_ref().ok_or("the prover has a proof of the plain form")?;
    let form = Form::with(oracle, claim.keyspace, scan, |leading| {
        let shown = following.prefixed_with(leading.prefix);
        Some(Interval { low: shown.low, high: shown.high })
    });
    same("the shortest row at fault", &None, &form.shortest_fault())?;
    Ok(Outcome::ProvedTight)
}

pub(super) fn ordered(
    oracle: &Oracle<'_>,
    claim: &Claim,
    scan: usize,
    refuted: Option<&Counterexample>,
) -> Result<Outcome, String> {
    let least = oracle.least_disorder(claim.keyspace, scan);
    let keyspace = oracle.layout.keyspace(claim.keyspace);
    let by = order::by_places(keyspace, &keyspace.scans[scan]);
    let Some(counterexample) = refuted else {
        same("the least sum of two keys", &None, &least)?;
        return Ok(Outcome::Proved);
    };
    let Fault::Ordered { lower, higher } = &counterexample.fault else {
        return Err("a fault of another rule".into());
    };
    let (low, high) = (find_row(oracle, lower)?, find_row(oracle, higher)?);
    let group = |row: &Row| {
        let groups = equal_before(oracle.rows(claim.keyspace), by.start);
        let holds = |leading: &Leading<'_>| leading.rows.iter().any(|r| std::ptr::eq(*r, row));
        groups.iter().position(holds)
    };
    ensure_true(group(low) == group(high), "the rows differ before the fields")?;
    ensure_true(order::by(&by, low, high).is_lt(), "the lower row is not lower")?;
    ensure_true(low.key >= high.key, "the keys are in order")?;
    if counterexample.minimal {
        let sum = lower.key.len() + higher.key.len();
        same("the least sum of two keys", &Some(sum), &least)?;
    }
    Ok(outcome(counterexample))
}
