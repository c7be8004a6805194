//! Replays counterexamples with the codecs before they are reported.

use crate::{
    context::Context,
    scan_query::Interval,
    verdict::{Collision, Fault, Row, ScanFault, ScannedRow, Unknown, Verdict},
};
use keyscape_automata::OverBudget;
use keyscape_codec::Value;
use keyscape_layout::{
    Datum, Record, Side, compare, compare_records, is_present,
    model::{KeyspaceId, Scan, Segment, Type, type_at},
};
use std::cmp::Ordering;

/// Decides a claim: [searches](search) a fault and whether it is minimal. If the automata do not
/// decide, `trial` may decide the claim on real rows.
pub(crate) fn decide<K: Into<Vec<u8>>>(
    context: &Context<'_>,
    keyspaces: &[KeyspaceId],
    find: impl Fn(Side) -> Result<Option<K>, OverBudget>,
    replay: impl Fn(&K, Side) -> Option<(Fault, bool)>,
    trial: impl FnOnce() -> Option<Verdict>,
) -> Verdict {
    match search(context, keyspaces, find, replay) {
        Ok(None) => Verdict::Proved,
        Ok(Some((fault, minimal))) => Verdict::refuted(fault, minimal),
        Err(reason @ Unknown::Inexact { .. }) => trial().unwrap_or(Verdict::Unknown(reason)),
        Err(reason) => Verdict::Unknown(reason),
    }
}

/// Searches for a counterexample with `find`, and replays it. Returns `None` if the upper bound of
/// the languages of the keyspaces contains no counterexample, so none exists.
pub(crate) fn search<K: Into<Vec<u8>>, T>(
    context: &Context<'_>,
    keyspaces: &[KeyspaceId],
    find: impl Fn(Side) -> Result<Option<K>, OverBudget>,
    replay: impl Fn(&K, Side) -> Option<T>,
) -> Result<Option<T>, Unknown> {
    let Some(found) = find(Side::Over).map_err(Unknown::Budget)? else { return Ok(None) };
    confirm(context, keyspaces, found, || find(Side::Under), replay).map(Some)
}

/// Replays a counterexample of the upper bound. If it is not real because a codec has no exact
/// automaton, replays the one that `lower` finds in the lower bound. `replay` gets the side of the
/// counterexample, which is a shortest one only in the upper bound.
pub(crate) fn confirm<K: Into<Vec<u8>>, T>(
    context: &Context<'_>,
    keyspaces: &[KeyspaceId],
    found: K,
    lower: impl FnOnce() -> Result<Option<K>, OverBudget>,
    replay: impl Fn(&K, Side) -> Option<T>,
) -> Result<T, Unknown> {
    if let Some(real) = replay(&found, Side::Over) {
        return Ok(real);
    }
    let codecs = context.reader.inexact(keyspaces);
    if codecs.is_empty() {
        return Err(context.unreplayed(found.into(), keyspaces));
    }
    let found = lower().ok().flatten();
    found.and_then(|found| replay(&found, Side::Under)).ok_or(Unknown::Inexact { codecs })
}

pub(crate) fn collision(
    context: &Context<'_>,
    key: &[u8],
    a: KeyspaceId,
    b: KeyspaceId,
) -> Option<Collision> {
    let both = |key: &[u8]| {
        let here = context.reader.exact_rows(key, a).into_iter().next()?;
        let there = context.reader.exact_rows(key, b).into_iter().next()?;
        Some(Collision { here, there })
    };
    both(key).or_else(|| {
        let mut rows = [a, b].into_iter().flat_map(|id| context.reader.corrected_rows(key, id));
        rows.find_map(|row| both(&row.key))
    })
}

pub(crate) fn two_readings(
    context: &Context<'_>,
    key: &[u8],
    keyspace: KeyspaceId,
) -> Option<Fault> {
    two_real(context, key, keyspace).or_else(|| {
        let mut rows = context.reader.corrected_rows(key, keyspace).into_iter();
        rows.find_map(|row| two_real(context, &row.key, keyspace))
    })
}

/// Returns a fault with two readings of a key, without correcting derived bytes.
pub(crate) fn two_real(context: &Context<'_>, key: &[u8], keyspace: KeyspaceId) -> Option<Fault> {
    let mut rows = context.reader.exact_rows(key, keyspace).into_iter();
    let (a, b) = (rows.next()?, rows.next()?);
    (a.fields != b.fields).then_some(Fault::Unambiguous { a, b })
}

/// A claim about a scan.
#[derive(Clone, Copy)]
pub(crate) struct ScanClaim<'a> {
    pub(crate) context: &'a Context<'a>,
    pub(crate) keyspace: KeyspaceId,
    pub(crate) scan: &'a Scan,
}

/// Two values of a leaf that its codec sorts wrongly, or that have the same encoding.
#[derive(Clone, Debug)]
pub(crate) struct Values {
    pub(crate) path: String,
    pub(crate) lower: Value,
    pub(crate) higher: Value,
}

impl ScanClaim<'_> {
    /// Returns a row of KS003 if it is at fault for requested leading fields and their interval.
    pub(crate) fn scanned(
        &self,
        asked: &Record,
        interval: &Interval,
        row: &Row,
    ) -> Option<ScannedRow> {
        let inside = interval.contains(&row.key);
        let own = row.keyspace == self.keyspace && row.fields.select(&self.scan.leading) == *asked;
        let fault = match (own, inside) {
            (false, true) if !self.is_allowed(asked, row) => ScanFault::Foreign,
            (true, false) => ScanFault::Missed,
            _ => return None,
        };
        let (asked, interval, row) = (asked.clone(), interval.clone(), row.clone());
        Some(ScannedRow { fault, asked, interval, row })
    }

    /// Whether a row belongs to an `also` keyspace and its fields with the names of leading fields
    /// have the requested values. An absent field matches a request for an absent field.
    fn is_allowed(&self, asked: &Record, row: &Row) -> bool {
        let other = self.context.layout.keyspace(row.keyspace);
        row.keyspace != self.keyspace
            && self.scan.also.contains(&row.keyspace)
            && self.scan.leading.iter().all(|path| {
                type_at(&other.key, path).is_none()
                    || row.fields.get_path(path) == asked.get_path(path)
            })
    }

    /// Returns KS004's fault if the first of two rows is lower by the `by` fields of the scan but
    /// not by its bytes. The rows must be equal before the `by` fields.
    pub(crate) fn misordered(&self, lower: &Row, higher: &Row) -> Option<Fault> {
        if lower.key < higher.key {
            return None;
        }
        let key = &self.context.layout.keyspace(lower.keyspace).key;
        let order = by_order(key, self.scan, &lower.fields, &higher.fields);
        let (lower, higher) = (lower.clone(), higher.clone());
        (order == Some(Ordering::Less)).then_some(Fault::Ordered { lower, higher })
    }

    /// Returns the fault of the rows of two keys.
    pub(crate) fn disorder(&self, low: &[u8], high: &[u8]) -> Option<Fault> {
        let rows = |key| self.context.reader.rows(key, self.keyspace);
        self.first_misordered(&rows(low), &rows(high))
    }

    fn first_misordered(&self, lowers: &[Row], highers: &[Row]) -> Option<Fault> {
        let mut pairs = lowers.iter().flat_map(|low| highers.iter().map(move |high| (low, high)));
        pairs.find_map(|(lower, higher)| self.misordered(lower, higher))
    }

    /// Returns the fault of the rows of two keys with given values in a leaf. A lossy codec may
    /// decode their bytes to other values, but a program can write these values.
    pub(crate) fn disorder_of(&self, low: &[u8], high: &[u8], values: &Values) -> Option<Fault> {
        let path: Vec<&str> = values.path.split('.').collect();
        let encoder = self.context.layout.keyspace(self.keyspace);
        // In a list, each element contains the leaf.
        let written = |key: &[u8], value: &Value| {
            let mut found = Vec::new();
            for mut row in self.context.reader.rows(key, self.keyspace) {
                for at in 0..leaves(&mut row.fields, &path).len() {
                    let mut row = row.clone();
                    if let Some(leaf) = leaves(&mut row.fields, &path).get_mut(at) {
                        **leaf = value.clone();
                    }
                    let is_real = encoder.encode(&row.fields).as_ref() == Ok(&row.key);
                    found.extend(is_real.then_some(row));
                }
            }
            found
        };
        self.first_misordered(&written(low, &values.lower), &written(high, &values.higher))
    }
}

/// Returns the values of a leaf inside composites, arms and lists.
fn leaves<'r>(record: &'r mut Record, path: &[&str]) -> Vec<&'r mut Value> {
    let Some((first, rest)) = path.split_first() else { return Vec::new() };
    let datum = record.0.iter_mut().find(|(name, _)| name == first);
    datum.map(|(_, datum)| leaves_of(datum, rest)).unwrap_or_default()
}

fn leaves_of<'r>(datum: &'r mut Datum, path: &[&str]) -> Vec<&'r mut Value> {
    match (datum, path) {
        (Datum::Leaf(value), []) => vec![value],
        (Datum::Record(inner), path) => leaves(inner, path),
        (Datum::Arm(arm, inner), [name, rest @ ..]) if arm == name => leaves(inner, rest),
        (Datum::List(elements), path) => {
            elements.iter_mut().flat_map(|element| leaves_of(element, path)).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the order of two rows by the `by` fields, or `None` if they differ before these fields.
fn by_order(key: &[Segment], scan: &Scan, a: &Record, b: &Record) -> Option<Ordering> {
    let mut walk = ByOrder { scan, place: 0, order: Ordering::Equal, differs_before: false };
    walk.list(key, a, b);
    (!walk.differs_before).then_some(walk.order)
}

struct ByOrder<'a> {
    scan: &'a Scan,
    place: u32,
    order: Ordering,
    differs_before: bool,
}

impl ByOrder<'_> {
    fn list(&mut self, segments: &[Segment], a: &Record, b: &Record) {
        for segment in segments {
            let end = self.place + segment.places();
            self.segment(segment, a, b, end);
            self.place = end;
        }
    }

    fn segment(&mut self, segment: &Segment, a: &Record, b: &Record, end: u32) {
        let (from, to) = (self.scan.end.0, self.scan.by_end.0);
        let straddles = self.place < from && end > from || self.place < to && end > to;
        match segment {
            // If the `by` fields begin or end inside a composite, compare its parts.
            Segment::Field(field) if straddles => {
                if let (Type::Composite(inner), Some(Datum::Record(a)), Some(Datum::Record(b))) =
                    (&*field.ty, a.get(&field.name), b.get(&field.name))
                {
                    self.list(inner, a, b);
                    return;
                }
            }
            Segment::Option(option) if straddles => {
                let is_in = |record| is_present(&option.segments, record);
                self.order = self.order.then(is_in(a).cmp(&is_in(b)));
                if is_in(a) && is_in(b) {
                    self.place += 1;
                    self.list(&option.segments, a, b);
                }
                return;
            }
            _ => {}
        }
        if self.place >= to {
            return;
        }
        let order = match segment {
            Segment::Literal(_) | Segment::Derived(_) => Ordering::Equal,
            Segment::Field(field) => match (a.get(&field.name), b.get(&field.name)) {
                (Some(a), Some(b)) => compare(&field.ty, a, b),
                _ => Ordering::Equal,
            },
            Segment::Option(_) => compare_records(std::slice::from_ref(segment), a, b),
        };
        if self.place < from {
            self.differs_before |= order != Ordering::Equal;
        } else {
            self.order = self.order.then(order);
        }
    }
}
