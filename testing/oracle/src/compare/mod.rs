//! The comparison of the prover's answers with the oracle's.

mod accepts;
mod counterexample;
mod declared;
mod fixes;
mod scans;
mod splits;

pub(crate) use {
    accepts::accepts,
    counterexample::values,
    fixes::{Fixed, apply, lost_claim, narrowing_is_last},
};

use crate::{oracle::Oracle, rows::Row};
use keyscape_layout::{Backend, derived_places, model::KeyspaceId};
use keyscape_prover::{Claim, Collision, Counterexample, Fault, Partner, Rule, Unknown, Verdict};
use std::collections::BTreeMap;

/// Codecs with at most this many values have exact automata.
const MANY: usize = 256;
/// The oracle does not list longer keys and values, because their rows would exhaust the memory.
const LONG: usize = 4096;

/// The verdict on a claim, if both agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// Proved in the plain form.
    Proved,
    /// Proved with the tight form of a scan.
    ProvedTight,
    /// Refuted with a smallest counterexample.
    Refuted,
    /// Refuted with a counterexample that may not be smallest.
    RefutedNotMinimal,
    /// Not decided by the prover: an `also` keyspace has its fields at other places.
    AlsoElsewhere,
    /// Not decided by the prover: the automata of some codecs accept more than the encodings.
    Inexact,
    /// Not decided by the prover: the order of a codec is unknown.
    OrderUnknown,
    /// Not decided by the prover: the scan encodes a field with another codec than the key.
    OtherCodec,
    /// Not decided by the prover: a key that exceeds the limit has too many readings.
    ManyReadings,
    /// Not decided by the prover: the index distinguishes all rows of the map that were tried.
    RowsTried,
}

/// Compares one claim.
///
/// # Errors
/// Returns both answers if they disagree.
pub(crate) fn claim(
    oracle: &Oracle<'_>,
    claim: &Claim,
    backend: Option<&'static Backend>,
) -> Result<Outcome, String> {
    let refuted = match &claim.verdict {
        Verdict::Proved => None,
        Verdict::Refuted(counterexample) => Some(&**counterexample),
        Verdict::Unknown(reason) => return undecided(oracle, claim, reason),
    };
    match (claim.rule, claim.scan) {
        (Rule::Disjoint, _) => disjoint(oracle, claim, refuted, &oracle.collisions(claim.keyspace)),
        (Rule::Unambiguous, _) => unambiguous(oracle, claim, refuted),
        (Rule::ScanExact, Some(scan)) => scans::scan_exact(oracle, claim, scan, refuted),
        (Rule::Ordered, Some(scan)) => scans::ordered(oracle, claim, scan, refuted),
        (Rule::Lossless, _) => declared::lossless(oracle, claim, refuted),
        (Rule::Bounded, _) => declared::bounded(oracle, claim, backend, refuted),
        (Rule::Allocated, _) => declared::allocated(oracle, claim, refuted),
        (Rule::StructureTyped, _) => {
            disjoint(oracle, claim, refuted, &oracle.mistyped(claim.keyspace))
        }
        (Rule::Indexed, _) => declared::indexed(oracle, claim, refuted),
        (Rule::Splittable, _) => splits::splittable(oracle, claim, refuted),
        _ => Err("a claim about a scan names none".into()),
    }
}

/// Checks the reason for which the prover did not decide a claim.
fn undecided(oracle: &Oracle<'_>, claim: &Claim, reason: &Unknown) -> Result<Outcome, String> {
    let keyspaces = match claim.rule {
        // KS008 compares keyspaces of all kinds.
        Rule::StructureTyped => oracle.layout.keyspace_ids().collect(),
        _ => oracle.space(claim.keyspace),
    };
    let mut singles = keyspaces.iter().flat_map(|&id| oracle.singles(id));
    let derives =
        keyspaces.iter().any(|&id| !derived_places(&oracle.layout.keyspace(id).key).is_empty());
    match (claim.rule, reason) {
        (Rule::ScanExact, Unknown::AlsoElsewhere { .. }) => Ok(Outcome::AlsoElsewhere),
        (Rule::ScanExact, Unknown::OtherCodec { .. }) => Ok(Outcome::OtherCodec),
        (Rule::Indexed, Unknown::Entry { row: Some(row), .. }) => {
            declared::without_entry(oracle, claim, row)
        }
        (
            Rule::Indexed,
            Unknown::Rows { .. }
            | Unknown::Entry { .. }
            | Unknown::Ambiguous { .. }
            | Unknown::AmbiguousValue { .. },
        ) => Ok(Outcome::RowsTried),
        (_, Unknown::Inexact { .. })
            if derives || singles.any(|s| !s.all || s.words.len() > MANY) =>
        {
            Ok(Outcome::Inexact)
        }
        (Rule::Bounded, Unknown::Readings { key }) if key.len() > LONG => Ok(Outcome::ManyReadings),
        (Rule::Ordered, Unknown::Order { .. }) => Ok(Outcome::OrderUnknown),
        _ => Err(format!("the prover does not know: {reason:?}")),
    }
}

/// Whether the prover has exact automata for all keys of the layout.
fn is_exact(oracle: &Oracle<'_>) -> bool {
    let few = |id| oracle.singles(id).iter().all(|single| single.all && single.words.len() <= MANY);
    let mut ids = oracle.layout.keyspace_ids();
    ids.all(|id| few(id) && derived_places(&oracle.layout.keyspace(id).key).is_empty())
}

fn is_proved(claim: &Claim) -> bool {
    matches!(claim.verdict, Verdict::Proved)
}

fn outcome(counterexample: &Counterexample) -> Outcome {
    if counterexample.minimal { Outcome::Refuted } else { Outcome::RefutedNotMinimal }
}

/// Returns an error unless both answers are equal.
fn same<T: PartialEq + std::fmt::Debug>(what: &str, prover: &T, oracle: &T) -> Result<(), String> {
    if prover == oracle {
        return Ok(());
    }
    Err(format!("{what}: the prover says {prover:?}, the oracle {oracle:?}"))
}

/// Returns an error unless the condition holds.
fn ensure_true(is: bool, message: &str) -> Result<(), String> {
    ensure(is, || message.to_owned())
}

/// Like [`ensure_true`], but formats the message only on failure, because values can be long.
fn ensure(is: bool, message: impl FnOnce() -> String) -> Result<(), String> {
    if is { Ok(()) } else { Err(message()) }
}

/// Returns the oracle's row for a row that the prover shows.
fn find_row<'o>(oracle: &'o Oracle<'_>, shown: &keyscape_prover::Row) -> Result<&'o Row, String> {
    let rows = oracle.rows(shown.keyspace);
    let found = rows.iter().find(|row| row.key == shown.key && row.fields == shown.fields);
    found.ok_or_else(|| format!("the prover shows a row that does not exist: {shown:?}"))
}

/// Compares KS001 or KS008. `shortest` contains the length of the shortest common key with each
/// other keyspace.
fn disjoint(
    oracle: &Oracle<'_>,
    claim: &Claim,
    refuted: Option<&Counterexample>,
    shortest: &BTreeMap<KeyspaceId, usize>,
) -> Result<Outcome, String> {
    let Some(counterexample) = refuted else {
        same("keyspaces with common keys", &0, &shortest.len())?;
        return Ok(Outcome::Proved);
    };
    let Fault::Disjoint { collisions: shown, more } = &counterexample.fault else {
        return Err("a fault of another rule".into());
    };
    collisions(oracle, claim, shown, counterexample.minimal && *more == 0, shortest)?;
    Ok(outcome(counterexample))
}

/// Checks the reported common keys, one for each other keyspace. `shortest` contains the expected
/// lengths.
fn collisions(
    oracle: &Oracle<'_>,
    claim: &Claim,
    shown: &[Collision],
    minimal: bool,
    shortest: &BTreeMap<KeyspaceId, usize>,
) -> Result<(), String> {
    let mut partners = BTreeMap::new();
    for Collision { here, there } in shown {
        same("the keyspace of a collision", &here.keyspace, &claim.keyspace)?;
        same("both keys of a collision", &here.key, &there.key)?;
        find_row(oracle, here)?;
        find_row(oracle, there)?;
        ensure_true(
            shortest.contains_key(&there.keyspace),
            "the other keyspace has no common key",
        )?;
        partners.insert(there.keyspace, here.key.len());
    }
    if minimal {
        // The prover shows no keys of pairs that it has not decided.
        let open = |other: &KeyspaceId| {
            let of = |partner: &&Partner| partner.keyspace.as_ref() == Some(other);
            claim.partners.iter().find(of).is_some_and(|partner| partner.undecided.is_some())
        };
        let mut shortest = shortest.clone();
        shortest.retain(|other, _| !open(other));
        same("the shortest common keys", &partners, &shortest)?;
        let lengths: Vec<usize> = shown.iter().map(|c| c.here.key.len()).collect();
        ensure_true(lengths.is_sorted(), "the first collision is not the shortest")?;
    }
    Ok(())
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
    let (known_a, known_b) = (find_row(oracle, a)?, find_row(oracle, b)?);
    ensure_true(known_a.reading() != known_b.reading(), "the two readings are one")?;
    if counterexample.minimal {
        same("the shortest ambiguous key", &Some(a.key.len()), &shortest)?;
    }
    Ok(outcome(counterexample))
}
