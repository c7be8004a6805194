//! KS009: an index tells all rows of its map apart.
//!
//! Its key carries every field of the map's key, for every row, with a codec that loses nothing, or it
//! is `unique`. Where it does not, two rows with one entry are made from real values. There are none
//! if what is missing has one value only, or if all rows have been tried.
//!
//! Nothing is proved if a row could have no entry, or several: entries are made of the values that are
//! written, so values that are one row of the map have to be one entry as well.

use crate::{
    context::Context,
    scan_trial::{has_only_samples, sample_rows, sample_type},
    verdict::{Counterexample, Fault, Row, Unknown, Verdict},
};
use keyscape_codec::{IntRange, Language, Loss};
use keyscape_layout::{
    Datum, Record, encode_type, fields,
    guard::Guard,
    model::{Field, Keyspace, KeyspaceId, Segment, Type},
};
use std::collections::HashMap;

/// How many values of each field that the map's key does not have are tried, and how many entries of
/// one row.
const FROM_VALUE: usize = 3;
const MAX_ENTRIES: usize = 64;
/// Of so many values that are looked at, since guards may refuse the first ones.
const MAX_TRIED: usize = 256;

/// `None` if the keyspace is no index.
pub(crate) fn check(context: &Context<'_>, id: KeyspaceId) -> Option<Verdict> {
    let index = context.layout.keyspace(id);
    let map = index.of?;
    let key = &context.layout.keyspace(map).key;
    let apart = Apart { index, key, map: fields(key) };
    Some(match apart.decide(context, map) {
        Verdict::Proved => apart.strays(context, map).map_or(Verdict::Proved, Verdict::Unknown),
        verdict => verdict,
    })
}

struct Apart<'a> {
    index: &'a Keyspace,
    /// The map's key.
    key: &'a [Segment],
    /// The fields of the map's key.
    map: Vec<&'a Field>,
}

/// Why a row may have several entries, or none.
const SEVERAL: &str = "values of it that are one row of the map can be several entries";
const NONE: &str = "the index does not take every value that it has in the map";

impl Apart<'_> {
    /// Whether all rows of the map are told apart.
    fn decide(&self, context: &Context<'_>, map: KeyspaceId) -> Verdict {
        let missing = self.missing();
        if self.index.unique || missing.is_empty() {
            return Verdict::Proved;
        }
        let names: Vec<&str> = missing.iter().map(|field| field.name.as_str()).collect();
        let mut tried = 0;
        let sampled: Vec<Vec<Row>> =
            names.iter().map(|name| sample_rows(context, map, &[name])).collect();
        // Rows that differ in one field alone are the easiest to read.
        for (name, rows) in names.iter().zip(&sampled) {
            tried += rows.len();
            if let Some(verdict) = self.refute(rows, Some(name)) {
                return verdict;
            }
        }
        if let Some(verdict) = sampled.iter().find_map(|rows| self.refute(rows, None)) {
            return verdict;
        }
        if self.is_told(self.key) {
            return Verdict::Proved;
        }
        match self.all_rows(context, map) {
            Some(rows) => self.refute(&rows, None).unwrap_or(Verdict::Proved),
            None => Verdict::Unknown(Unknown::Rows { tried }),
        }
    }

    /// All rows of the map, if they are few and each has an entry. A row without one says nothing: other
    /// values might have given it one.
    fn all_rows(&self, context: &Context<'_>, map: KeyspaceId) -> Option<Vec<Row>> {
        if !has_only_samples(self.key) {
            return None;
        }
        let all: Vec<&str> = self.map.iter().map(|field| field.name.as_str()).collect();
        let rows = sample_rows(context, map, &all);
        rows.iter().all(|row| !self.entries(&row.fields).is_empty()).then_some(rows)
    }

    /// Why a row of the map could have no entry, several, or one that only another program can write.
    fn strays(&self, context: &Context<'_>, map: KeyspaceId) -> Option<Unknown> {
        if self.index.entry_value().is_none() {
            return Some(Unknown::EntryValue);
        }
        self.map.iter().find_map(|field| {
            let because = |reason| Some(Unknown::Entry { field: field.name.clone(), reason });
            let own = self.carried(&field.name);
            if !is_lossless(&field.declared) {
                // No guard asks for such a field, so that only its own bytes matter.
                let alike = own.is_none_or(|own| own.declared.is_same(&field.declared));
                if !alike {
                    return because(SEVERAL);
                }
            }
            let own = own?;
            let taken = takes_all(own, field) && self.is_there_with(&field.name) == Some(true);
            if taken || self.all_rows(context, map).is_some() { None } else { because(NONE) }
        })
    }

    /// The field of the index that is the like-named field of the map's key.
    fn carried(&self, name: &str) -> Option<&Field> {
        let own = fields(&self.index.key).into_iter().find(|f| f.name == name && !f.from_value);
        own.filter(|_| self.map.iter().any(|field| field.name == name))
    }

    /// The fields of the map that the index does not carry, for every row, as well as the map does.
    fn missing(&self) -> Vec<&Field> {
        let is_carried = |field: &Field| {
            self.carried(&field.name).is_some_and(|own| {
                holds_all(own, field) && self.is_there_with(&field.name) == Some(true)
            })
        };
        self.map.iter().copied().filter(|field| !is_carried(field)).collect()
    }

    /// Whether the index has a field wherever the map has it, and takes it to be absent wherever it is
    /// absent. An option without a guard follows the row; one with a guard has to be the map's.
    fn is_there_with(&self, name: &str) -> Option<bool> {
        let in_index = guards_around(&self.index.key, name)?;
        let in_map = guards_around(self.key, name)?;
        let follows = in_map.is_empty() || !in_index.is_empty();
        Some(follows && in_index.iter().flatten().all(|guard| self.is_guard_of(guard, &in_map)))
    }

    /// Whether a guard of the index stands around the field in the map as well, and asks for fields
    /// that both have with the same choices.
    fn is_guard_of(&self, guard: &Guard, in_map: &[Option<&Guard>]) -> bool {
        let mut same = in_map.contains(&Some(guard));
        guard.each_condition(&mut |name, _| {
            let map = self.map.iter().find(|field| field.name == *name);
            let own = self.carried(name);
            same &= own.zip(map).is_some_and(|(own, map)| own.declared.is_same(&map.declared));
        });
        same
    }

    /// Whether the fields that an index carries leave one way to have the others: each of them has a
    /// single value, and whether it is there is known.
    fn is_told(&self, segments: &[Segment]) -> bool {
        let missing = self.missing();
        let is_missing = |name: &str| missing.iter().any(|field| field.name == name);
        segments.iter().all(|segment| match segment {
            Segment::Literal(_) | Segment::Derived(_) => true,
            Segment::Field(field) => !is_missing(&field.name) || is_single(&field.ty),
            Segment::Option(option) => {
                let shown = option.segments.iter().any(
                    |segment| matches!(segment, Segment::Field(field) if !is_missing(&field.name)),
                );
                let known = option.guard.as_ref().is_some_and(|guard| self.is_known(guard));
                (shown || known) && self.is_told(&option.segments)
            }
        })
    }

    /// Whether the fields that an index carries say if a guard holds.
    fn is_known(&self, guard: &Guard) -> bool {
        match guard {
            Guard::Is { field, .. } | Guard::In { field, .. } => {
                let carried = self.carried(field).is_some_and(|own| is_lossless(&own.ty));
                carried || self.map.iter().any(|f| f.name == *field && is_single(&f.ty))
            }
            Guard::All(parts) | Guard::Any(parts) => parts.iter().all(|part| self.is_known(part)),
        }
    }

    /// Two of these rows that have one entry, read in one way, and differ in one field `alone`.
    fn refute(&self, rows: &[Row], alone: Option<&str>) -> Option<Verdict> {
        let mut known: HashMap<(Vec<u8>, Carried, String), &Row> = HashMap::new();
        for row in rows {
            let Some(carried) = self.bytes(&row.fields) else { continue };
            let others = alone.map_or_else(String::new, |alone| {
                let others = row.fields.0.iter().filter(|(name, _)| name != alone);
                format!("{:?}", others.collect::<Vec<_>>())
            });
            for entry in self.entries(&row.fields) {
                let same = (entry.clone(), carried.clone(), others.clone());
                let other = *known.entry(same).or_insert(row);
                if other.key == row.key {
                    continue;
                }
                let differs =
                    |field: &&&Field| other.fields.get(&field.name) != row.fields.get(&field.name);
                let missing = self.map.iter().find(differs)?.name.clone();
                let (a, b) = (other.clone(), row.clone());
                let fault = Fault::Indexed { missing, a, b, entry };
                let counterexample = Counterexample { fault, minimal: false, fixes: Vec::new() };
                return Some(Verdict::Refuted(Box::new(counterexample)));
            }
        }
        None
    }

    /// The bytes that the index has for each field of a row; `None` if it cannot have one of them.
    fn bytes(&self, row: &Record) -> Option<Carried> {
        let own = self.map.iter().filter_map(|field| self.carried(&field.name));
        own.map(|field| {
            let Some(datum) = row.get(&field.name) else { return Some(None) };
            let mut bytes = Vec::new();
            encode_type(&field.ty, &field.name, datum, &mut bytes).ok()?;
            Some(Some(bytes))
        })
        .collect()
    }

    /// The entries of a row: fields of the map's key by name, and a few values of others.
    fn entries(&self, row: &Record) -> Vec<Vec<u8>> {
        let mut records = vec![Record::default()];
        for field in fields(&self.index.key) {
            let choices: Vec<Option<Datum>> = match self.carried(&field.name) {
                Some(_) => vec![row.get(&field.name).cloned()],
                // Absent as well: encoding refuses that where it may not be.
                None => {
                    let fits = |datum: &Datum| {
                        encode_type(&field.ty, &field.name, datum, &mut Vec::new()).is_ok()
                    };
                    let some = sample_type(&field.ty, MAX_TRIED).into_iter().filter(fits);
                    some.take(FROM_VALUE).map(Some).chain([None]).collect()
                }
            };
            let mut longer = Vec::new();
            for record in &records {
                for choice in &choices {
                    let mut record = record.clone();
                    record.0.extend(choice.clone().map(|datum| (field.name.clone(), datum)));
                    longer.push(record);
                }
            }
            longer.truncate(MAX_ENTRIES);
            records = longer;
        }
        records.iter().filter_map(|record| self.index.encode(record).ok()).collect()
    }
}

/// The bytes of fields that an index carries; `None` for a field that is absent.
type Carried = Vec<Option<Vec<u8>>>;

/// The guards of the options around a field, from the outside; `None` if there is no such field.
fn guards_around<'a>(segments: &'a [Segment], name: &str) -> Option<Vec<Option<&'a Guard>>> {
    segments.iter().find_map(|segment| match segment {
        Segment::Field(field) => (field.name == name).then(Vec::new),
        Segment::Option(option) => {
            let mut guards = guards_around(&option.segments, name)?;
            guards.insert(0, option.guard.as_ref());
            Some(guards)
        }
        Segment::Literal(_) | Segment::Derived(_) => None,
    })
}

/// The most values that are tried one by one.
const FEW: usize = 64;

/// Whether a field of an index holds every value of the map's field, and tells all of them apart that
/// the map tells apart.
fn holds_all(own: &Field, field: &Field) -> bool {
    own.ty.is_same(&field.ty) || takes_all(own, field) && is_lossless(&own.ty)
}

/// Whether a field of an index takes every value of the map's field, which loses nothing unless it is of
/// the same type.
fn takes_all(own: &Field, field: &Field) -> bool {
    if own.declared.is_same(&field.declared) {
        return true;
    }
    let (Type::Leaf(own), Type::Leaf(field)) = (&*own.declared, &*field.declared) else {
        return false;
    };
    if own.codec.kind() != field.codec.kind() {
        return false;
    }
    match (own.codec.integers(), field.codec.integers()) {
        (
            Some(IntRange::Unsigned { low, high }),
            Some(IntRange::Unsigned { low: least, high: most }),
        ) => low <= least && most <= high,
        (
            Some(IntRange::Signed { low, high }),
            Some(IntRange::Signed { low: least, high: most }),
        ) => low <= least && most <= high,
        _ if own.codec.describe().base() == field.codec.describe().base() => true,
        _ => {
            let Language::Exact(words) = &field.language else { return false };
            words.few_words(FEW).is_some_and(|words| {
                words.iter().all(|word| {
                    let value = field.codec.decode(word);
                    value.is_ok_and(|value| own.codec.encode(&value, &mut Vec::new()).is_ok())
                })
            })
        }
    }
}

fn is_lossless(ty: &Type) -> bool {
    match ty {
        Type::Leaf(leaf) => matches!(leaf.codec.lossless(), Loss::None),
        Type::Enum(_) => true,
        Type::List(list) => is_lossless(&list.element),
        Type::Composite(segments) => fields(segments).iter().all(|field| is_lossless(&field.ty)),
        Type::Variant(arms) => {
            arms.iter().all(|arm| fields(&arm.segments).iter().all(|field| is_lossless(&field.ty)))
        }
    }
}

/// Whether a type has a single value.
fn is_single(ty: &Type) -> bool {
    let all = |segments: &[Segment]| {
        segments.iter().all(|segment| match segment {
            Segment::Literal(_) | Segment::Derived(_) => true,
            Segment::Field(field) => is_single(&field.ty),
            Segment::Option(_) => false,
        })
    };
    match ty {
        Type::Leaf(leaf) => {
            let one = matches!(&leaf.language, Language::Exact(dfa) if dfa.count_words(2) == 1);
            one && is_lossless(ty)
        }
        Type::Enum(of) => of.texts.len() == 1,
        Type::List(list) => list.min == list.max && is_single(&list.element),
        Type::Composite(segments) => all(segments),
        Type::Variant(arms) => matches!(&arms[..], [arm] if all(&arm.segments)),
    }
}
