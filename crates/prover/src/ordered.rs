//! KS004: the byte order of keys is the order of their `by` fields.
//!
//! Two rows agree up to a decision. This is a leaf with different bytes (the codec decides), a leaf
//! that one row leaves while the other continues, two arms, or a part that only one row has. After
//! the decision, the lower row is known, and the rest of the keys is arbitrary. The claim fails if
//! the lower row can have the larger byte, if the higher row can end first, or if both can end
//! together.

use crate::{
    order_product::{DisorderedKeys, search},
    replay::{self, ScanClaim},
    sample::sample_rows,
    verdict::{Fault, Unknown, Verdict},
};
use keyscape_layout::{Side, derived_places};
use std::cell::Cell;

pub(crate) fn check(claim: ScanClaim<'_>) -> Verdict {
    let ScanClaim { context, keyspace, scan } = claim;
    let ahead = ahead_of_inputs(claim);
    let unknown = Cell::new(None);
    let find = |side| {
        let (keys, reason) = search(context, keyspace, scan, side)?;
        if side == Side::Over {
            unknown.set(reason);
        }
        Ok(keys)
    };
    let found = replay::search(context, &[keyspace], find, |keys: &DisorderedKeys, side| {
        let minimal = side == Side::Over && keys.minimal && ahead.is_none();
        if let Some(fault) = claim.disorder(&keys.low, &keys.high) {
            // Correcting derived bytes can make the keys longer.
            let total = keys.low.len() + keys.high.len();
            let is_short = matches!(&fault, Fault::Ordered { lower, higher, .. }
                if lower.key.len() + higher.key.len() <= total);
            return Some((fault, minimal && is_short));
        }
        let fault = claim.disorder_of(&keys.low, &keys.high, keys.values.as_ref()?)?;
        Some((fault, minimal))
    });
    let reason = match found {
        Ok(Some((fault, minimal))) => return Verdict::refuted(fault, minimal),
        Ok(None) => match ahead {
            Some(codec) => {
                let reason = "a digest says nothing about the order of what it is derived from";
                Unknown::Order { codec, reason }
            }
            None => return unknown.take().map_or(Verdict::Proved, Verdict::Unknown),
        },
        Err(reason @ Unknown::Inexact { .. }) => reason,
        Err(reason) => return Verdict::Unknown(reason),
    };
    by_trial(claim).unwrap_or(Verdict::Unknown(reason))
}

/// Returns derived bytes among the `by` fields that precede one of their inputs. There, two rows
/// can differ before any value differs, which a product search cannot detect.
fn ahead_of_inputs(claim: ScanClaim<'_>) -> Option<String> {
    let ScanClaim { context, keyspace, scan } = claim;
    let derived = derived_places(&context.layout.keyspace(keyspace).key).into_iter();
    let mut ahead = derived.filter(|d| {
        (scan.end..scan.by_end).contains(&d.place) && d.inputs.iter().any(|i| i.start > d.place)
    });
    ahead.next().map(|found| found.derived.text())
}

/// Searches for a refutation among real rows of a key with derived bytes.
fn by_trial(claim: ScanClaim<'_>) -> Option<Verdict> {
    let ScanClaim { context, keyspace, scan } = claim;
    if derived_places(&context.layout.keyspace(keyspace).key).is_empty() {
        return None;
    }
    // Samples vary whole fields.
    let by: Vec<&str> = scan.by.iter().filter_map(|path| path.split('.').next()).collect();
    let mut rows = sample_rows(context, keyspace, &by).ok()?;
    rows.truncate(MAX_ROWS);
    let mut pairs = rows.iter().flat_map(|low| rows.iter().map(move |high| (low, high)));
    pairs
        .find_map(|(low, high)| claim.misordered(low, high))
        .map(|fault| Verdict::refuted(fault, false))
}

/// The highest number of rows to try in pairs.
const MAX_ROWS: usize = 256;
