//! Ranges of fields: `due=100..200`, `due=..=200`, `due=100..`.

use super::{Body, Entry, filter::SCORE};
use crate::input::{
    InputError,
    argument::{Argument, Parts},
    value,
};
use keyscape_codec::{Kind, Order, Value};
use keyscape_layout::{
    Datum, Layout, Record, field, fields,
    model::{Keyspace, KeyspaceId, KeyspaceKind, Leaf, Type},
};
use keyscape_store::prefix_end;
use std::{cmp::Ordering, ops::Bound};

/// A range of a numeric field of the key, or of the score.
#[derive(Clone, Debug)]
pub struct FieldRange {
    field: String,
    leaf: Leaf,
    /// The smallest value, if there is one.
    low: Option<Value>,
    high: Bound<Value>,
}

impl FieldRange {
    /// Removes the ranges from the parts. Text and bytes have no ranges, because their values may
    /// contain `..`.
    pub(super) fn take(
        layout: &Layout,
        id: KeyspaceId,
        parts: &mut Parts,
    ) -> Result<Vec<FieldRange>, InputError> {
        let keyspace = layout.keyspace(id);
        let mut ranges = Vec::new();
        let mut rest = Parts::new();
        for (name, given) in std::mem::take(parts) {
            match (&given, numeric(keyspace, &name)) {
                (Argument::Text(text), Some(leaf)) if text.contains("..") => {
                    ranges.push(FieldRange::parse(name, leaf, text)?);
                }
                _ => rest.push((name, given)),
            }
        }
        *parts = rest;
        Ok(ranges)
    }

    fn parse(field: String, leaf: &Leaf, text: &str) -> Result<FieldRange, InputError> {
        let (low, high) = text.split_once("..").unwrap_or((text, ""));
        let end = |text: &str| {
            let given = Argument::Text(text.to_owned());
            value::value(leaf, given).map_err(|error| error.in_field(&field))
        };
        let low = if low.is_empty() { None } else { Some(end(low)?) };
        let high = match (high, high.strip_prefix('=')) {
            ("", _) => Bound::Unbounded,
            (_, Some(high)) => Bound::Included(end(high)?),
            (high, None) => Bound::Excluded(end(high)?),
        };
        Ok(FieldRange { field, leaf: leaf.clone(), low, high })
    }

    /// Whether the field of an entry is in the range.
    pub(super) fn contains(&self, entry: &Entry) -> bool {
        let found = match &entry.body {
            Body::Row(_) => entry.key.get(&self.field),
            Body::Field { fields, .. } => {
                entry.key.get(&self.field).or_else(|| fields.get(&self.field))
            }
            Body::Part { part, .. } => entry.key.get(&self.field).or_else(|| match &*self.field {
                SCORE => part.score(),
                _ => None,
            }),
        };
        let Some(Datum::Leaf(found)) = found else { return false };
        let is_above = match &self.low {
            Some(low) => compare(found, low).is_some_and(Ordering::is_ge),
            None => true,
        };
        let is_below = match &self.high {
            Bound::Included(high) => compare(found, high).is_some_and(Ordering::is_le),
            Bound::Excluded(high) => compare(found, high).is_some_and(Ordering::is_lt),
            Bound::Unbounded => true,
        };
        is_above && is_below
    }

    /// Returns the interval of stored keys below a prefix that contains every row of the range, if
    /// the bytes after the prefix are those of the field and sort like its values.
    fn narrow(&self, prefix: &[u8]) -> Option<(Vec<u8>, Option<Vec<u8>>)> {
        let is_fixed = self.leaf.length().is_fixed();
        if !is_fixed || !matches!(self.leaf.codec.order(), Order::Ordered { .. }) {
            return None;
        }
        let key = |value: &Value| {
            let mut key = prefix.to_vec();
            self.leaf.codec.encode(value, &mut key).ok().map(|()| key)
        };
        let low = match &self.low {
            Some(low) => key(low)?,
            None => prefix.to_vec(),
        };
        let high = match &self.high {
            Bound::Included(high) => prefix_end(&key(high)?),
            Bound::Excluded(high) => Some(key(high)?),
            Bound::Unbounded => prefix_end(prefix),
        };
        Some((low, high))
    }
}

/// Returns the interval of stored keys that a listing reads below a prefix.
pub(super) fn interval(
    layout: &Layout,
    id: KeyspaceId,
    given: &Record,
    ranges: &[FieldRange],
    prefix: &[u8],
) -> (Vec<u8>, Option<Vec<u8>>) {
    let keyspace = layout.keyspace(id);
    let next = next_field(layout, keyspace, given);
    let range = ranges.iter().find(|range| Some(&*range.field) == next.as_deref());
    range
        .and_then(|range| range.narrow(prefix))
        .unwrap_or_else(|| (prefix.to_vec(), prefix_end(prefix)))
}

/// Returns the field whose bytes follow the prefix in stored keys.
fn next_field(layout: &Layout, keyspace: &Keyspace, given: &Record) -> Option<String> {
    let missing = fields(&keyspace.key).into_iter().find(|f| given.get(&f.name).is_none());
    match (layout.store(keyspace.store).structures, missing) {
        (false, missing) => missing.map(|field| field.name.clone()),
        (true, None) if keyspace.kind == KeyspaceKind::Zset => Some(SCORE.to_owned()),
        (true, _) => None,
    }
}

/// Returns a numeric field of the key, or the score.
fn numeric<'l>(keyspace: &'l Keyspace, name: &str) -> Option<&'l Leaf> {
    let ty = match field(&keyspace.key, name) {
        Some(field) => &*field.ty,
        None if name == SCORE => keyspace.score.as_deref()?,
        None => return None,
    };
    match ty {
        Type::Leaf(leaf) if matches!(leaf.codec.kind(), Kind::Uint | Kind::Int | Kind::Float) => {
            Some(leaf)
        }
        _ => None,
    }
}

fn compare(one: &Value, other: &Value) -> Option<Ordering> {
    match (one, other) {
        (Value::Uint(one), Value::Uint(other)) => Some(one.cmp(other)),
        (Value::Int(one), Value::Int(other)) => Some(one.cmp(other)),
        (Value::Float(one), Value::Float(other)) => one.partial_cmp(other),
        _ => None,
    }
}
