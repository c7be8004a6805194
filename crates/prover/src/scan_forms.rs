//! The two forms of a scan, and the intervals of keys that scans read. The plain form reads all
//! keys with its prefix. The tight form reads only keys whose bytes can follow the leading part.

use crate::{
    cache::{Cache, CacheView},
    check::{Config, Decision},
    context::Context,
    replay::ScanClaim,
    scan_exact::decide,
    scan_query::{Interval, Query, declared, tight},
    scan_trial,
    verdict::{ScannedRow, Unknown, Verdict},
};
use keyscape_automata::OverBudget;
use keyscape_codec::{Uint, Value};
use keyscape_layout::{
    Datum, EncodeError, Layout, Record, Side, encode_segments, field,
    machine::Walk,
    model::{Asked, Keyspace, KeyspaceId, Scan, Segment},
};

/// Decides a scan in its plain form, and if that fails, in its tight form.
pub(crate) fn check(claim: ScanClaim<'_>) -> Decision {
    let Some(query) = declared(claim.context.layout.keyspace(claim.keyspace), claim.scan) else {
        return scan_trial::check(claim).into();
    };
    let plain = decide(claim, &query);
    if claim.scan.asked.is_some() || matches!(plain, Verdict::Proved) {
        return plain.into();
    }
    let query = match tight_query(claim) {
        Ok(Some(query)) => query,
        Ok(None) => return plain.into(),
        Err(over) => return Verdict::Unknown(Unknown::Budget(over)).into(),
    };
    match decide(claim, &query) {
        // If both forms fail, the counterexample of the plain form is easier to read.
        Verdict::Refuted(_) => plain.into(),
        Verdict::Proved => {
            let plain = match plain {
                Verdict::Refuted(counterexample) => Some(counterexample),
                _ => None,
            };
            Decision { tight: Some(query.interval), plain, ..Verdict::Proved.into() }
        }
        unknown => unknown.into(),
    }
}

/// Returns the tight form of a scan.
fn tight_query(claim: ScanClaim<'_>) -> Result<Option<Query>, OverBudget> {
    let machine = claim.context.space_machine(claim.keyspace, Side::Over)?;
    let Some(track) = machine.track(claim.keyspace) else { return Ok(None) };
    tight(&mut Walk::new(&machine), track, claim.scan)
}

/// Returns the interval that a scan reads for the given leading fields: all keys that start with
/// its leading part, its tight form if only that is exact, or the interval of `as`.
///
/// # Errors
/// [`EncodeError`] if a leading field is missing or wrong.
pub fn scan_interval(
    layout: &Layout,
    keyspace: KeyspaceId,
    scan: &Scan,
    leading: &Record,
) -> Result<Interval, EncodeError> {
    let cache = Cache::default();
    let config = Config::default();
    let (cache, total) = (CacheView::new(&cache), config.total(layout));
    let context = Context::new(layout, config, &cache, &total);
    let of = layout.keyspace(keyspace);
    // Report a wrong value before deciding the forms.
    let plain = interval_of(of, scan, None, leading)?;
    if scan.asked.is_some() {
        return Ok(plain);
    }
    match check(ScanClaim { context: &context, keyspace, scan }).tight {
        None => Ok(plain),
        tight => interval_of(of, scan, tight.as_ref(), leading),
    }
}

/// Returns the interval that a scan reads for the leading fields of a row, with the [tight
/// form](crate::Claim::tight) of its claim KS003.
///
/// # Errors
/// [`EncodeError`] if a leading field is missing or wrong.
pub fn interval_of(
    keyspace: &Keyspace,
    scan: &Scan,
    tight: Option<&Interval>,
    row: &Record,
) -> Result<Interval, EncodeError> {
    if let Some(asked) = &scan.asked {
        return asked_interval(asked, row);
    }
    let prefix = keyspace.encode_until(row, scan.end)?;
    Ok(match tight {
        Some(form) => form.prefixed_with(&prefix),
        None => Interval::starting_with(&prefix),
    })
}

/// Returns the interval of an `as` clause for the values of a row.
pub(crate) fn asked_interval(asked: &Asked, row: &Record) -> Result<Interval, EncodeError> {
    let bytes = |segments: &[Segment]| {
        let is_known = |name: &str| field(segments, name).is_some();
        let own = row.0.iter().filter(|(name, _)| is_known(name)).cloned().collect();
        let mut bytes = Vec::new();
        encode_segments(segments, &Record(own), &mut bytes).map(|()| bytes)
    };
    let low = bytes(&asked.start)?;
    Ok(match &asked.end {
        None => Interval::starting_with(&low),
        Some(end) => Interval { low, high: Some(bytes(end)?) },
    })
}

/// Yields the value of a leading field in a foreign row of a scan, then the next integers as long
/// as the interval contains the rows that have them instead. Ends before the requested value.
pub fn foreign_values(
    keyspace: &Keyspace,
    path: &[String],
    found: &ScannedRow,
) -> impl Iterator<Item = Datum> {
    let ScannedRow { asked, interval, row, .. } = found;
    let is_foreign = move |value: &Datum| {
        let mut fields = row.fields.clone();
        fields.set_path(path, value.clone());
        asked.get_path(path) != Some(value)
            && keyspace.encode(&fields).is_ok_and(|key| interval.contains(&key))
    };
    let first = row.fields.get_path(path).cloned();
    std::iter::successors(first, move |value| next_integer(value).filter(is_foreign))
}

fn next_integer(datum: &Datum) -> Option<Datum> {
    let Datum::Leaf(value) = datum else { return None };
    let next = match value {
        Value::Uint(number) => Value::Uint(number.checked_add(Uint::ONE)?),
        Value::Int(number) => Value::Int(number.checked_add(1)?),
        _ => return None,
    };
    Some(Datum::Leaf(next))
}
