//! KS009: each row of a map has its own entries in an index.
//!
//! A row has one entry, or with `each` and `optional` any number of them. An entry contains one
//! value of each field from the value, so both forms change nothing here: the search tries any
//! value. Equal entries of one row are one entry. `spec/theorems.md` has the argument.
//!
//! The claim holds if the index is `unique`, or if its key contains every field of the map's key,
//! for every row, with a lossless codec. Otherwise the search looks for two rows with the same
//! entry among real values. None exist if the missing fields have only one value, or if all rows
//! have been tried, each with all values of the fields that come from the value.
//!
//! The claim is not proved if a row could have no entry for a value, or several. Entries are
//! computed from the written values, so values with the same row key must have the same entry. The
//! index must accept every value and every combination of optional parts ([`presence`]).

use crate::{
    context::Context,
    presence,
    sample::{all_of_type, has_only_samples, sample_rows, sample_type},
    verdict::{EntryFault, Fault, Row, Unknown, Verdict},
};
use keyscape_automata::{Meter, rank};
use keyscape_codec::{Loss, Uint, Value};
use keyscape_layout::{
    Datum, Record, direct_field, encode_type, fields,
    guard::Guard,
    model::{Field, Keyspace, KeyspaceId, RowValue, Segment, Type},
    traverse::{ItemKind, traverse_type},
};
use std::{cell::OnceCell, collections::HashMap};

/// The highest number of values to try for each field from the value, and the highest number of
/// entries per row.
const FROM_VALUE: usize = 3;
const MAX_ENTRIES: usize = 64;
/// The highest number of values to examine, because guards may reject the first ones.
const MAX_TRIED: usize = 256;
/// The highest number of entries of all rows with all values.
const MAX_ALL_ENTRIES: usize = 1 << 14;
/// The elementary steps to encode an entry.
const STEPS_PER_ENTRY: usize = 256;

/// Decides KS009. Returns `None` if the keyspace is not an index.
pub(crate) fn check(context: &Context<'_>, id: KeyspaceId) -> Option<Verdict> {
    let index = context.layout.keyspace(id);
    let map = index.of?;
    let key = &context.layout.keyspace(map).key;
    let some_values = TakenValues::some(index, key);
    let all_rows = OnceCell::new();
    let entries = Entries { context, index, map, key, fields: fields(key), some_values, all_rows };
    Some(match entries.decide() {
        // Without a value, the entries of a row are not defined.
        Verdict::Proved if index.entry_value().is_none() => Verdict::Unknown(Unknown::EntryValue),
        Verdict::Proved => entries
            .without_entry()
            .or_else(|| ambiguous(context, id, map))
            .or_else(|| ambiguous_value(context, id, map))
            .map_or(Verdict::Proved, Verdict::Unknown),
        // If the index contains the field but rejects values, report the rejected values instead.
        Verdict::Unknown(unknown) => Verdict::Unknown(entries.without_entry().unwrap_or(unknown)),
        verdict => verdict,
    })
}

/// Returns the reason if the key of the index or of its map is not proved to be unambiguous: two
/// rows could have the same entry, or one row several. The key of a `unique` index may be
/// ambiguous, because a write compares keys first.
fn ambiguous(context: &Context<'_>, index: KeyspaceId, map: KeyspaceId) -> Option<Unknown> {
    let own = (!context.layout.keyspace(index).unique).then_some(index);
    let is_proved = |id: &KeyspaceId| matches!(context.unambiguous(*id), Verdict::Proved);
    let keyspace = own.into_iter().chain([map]).find(|id| !is_proved(id))?;
    Some(Unknown::Ambiguous { keyspace })
}

/// Returns the reason if the index takes a field from a described value that could have several
/// readings. The entries of a row would then depend on the program that reads it.
fn ambiguous_value(context: &Context<'_>, index: KeyspaceId, map: KeyspaceId) -> Option<Unknown> {
    let layout = context.layout;
    let value = layout.keyspace(map).value.as_ref();
    let Some(RowValue::Typed(typed)) = value else { return None };
    let is_part = |field: &&Field| field.value_source(value).is_some();
    fields(&layout.keyspace(index).key).into_iter().find(is_part)?;
    let whole = Field::new("value", typed.ty.clone(), layout.keyspace(map).span);
    let values = layout.with_keys(vec![("value".to_owned(), vec![Segment::Field(whole)])], map);
    match context.beside(&values).unambiguous(KeyspaceId(0)) {
        Verdict::Proved => None,
        _ => Some(Unknown::AmbiguousValue { map }),
    }
}

/// The entries of an index.
struct Entries<'a> {
    context: &'a Context<'a>,
    index: &'a Keyspace,
    map: KeyspaceId,
    /// The segments of the map's key.
    key: &'a [Segment],
    /// The fields of the map's key.
    fields: Vec<&'a Field>,
    /// A few values of the fields that come from the value.
    some_values: TakenValues<'a>,
    /// All rows of the map and all values, once computed.
    all_rows: OnceCell<Option<(Vec<Row>, TakenValues<'a>)>>,
}

/// Values to try for the fields of an index that come from the value of a row.
struct TakenValues<'a> {
    /// The name of each such field, with its values. `None` is an absent field.
    fields: Vec<(&'a str, Vec<Option<Datum>>)>,
    /// The highest number of entries per row.
    limit: usize,
}

impl<'a> TakenValues<'a> {
    /// Returns a few values of each field, and its absence. Encoding rejects the absence of a
    /// required field.
    fn some(index: &'a Keyspace, map: &[Segment]) -> Self {
        let values = taken(index, map).into_iter().map(|field| {
            let some = sample_type(&field.ty, MAX_TRIED).into_iter();
            let some = some.filter(|datum| fits(field, datum)).take(FROM_VALUE);
            (field.name.as_str(), some.map(Some).chain([None]).collect())
        });
        Self { fields: values.collect(), limit: MAX_ENTRIES }
    }

    /// Returns all values of each field, if they are few. A field in an optional part could be
    /// absent, and then no list of values is complete.
    fn all(index: &'a Keyspace, map: &[Segment]) -> Option<Self> {
        let mut all = Self { fields: Vec::new(), limit: 1 };
        for field in taken(index, map) {
            if !field.is_from_value() || direct_field(&index.key, &field.name).is_none() {
                return None;
            }
            let values = all_of_type(&field.ty)?;
            let values: Vec<Option<Datum>> =
                values.into_iter().filter(|datum| fits(field, datum)).map(Some).collect();
            let limit = all.limit.checked_mul(values.len());
            all.limit = limit.filter(|limit| (1..=MAX_ALL_ENTRIES).contains(limit))?;
            all.fields.push((field.name.as_str(), values));
        }
        Some(all)
    }
}

/// Returns the fields of an index that it does not take from the key of its map.
fn taken<'a>(index: &'a Keyspace, map: &[Segment]) -> Vec<&'a Field> {
    let map = fields(map);
    let is_carried =
        |field: &Field| !field.is_from_value() && map.iter().any(|f| f.name == field.name);
    fields(&index.key).into_iter().filter(|field| !is_carried(field)).collect()
}

/// Whether a field can have a value.
fn fits(field: &Field, datum: &Datum) -> bool {
    encode_type(&field.ty, &field.name, datum, &mut Vec::new()).is_ok()
}

impl<'a> Entries<'a> {
    /// Decides whether the index distinguishes all rows of the map.
    fn decide(&self) -> Verdict {
        let missing = self.missing();
        if self.index.unique || missing.is_empty() {
            return Verdict::Proved;
        }
        let names: Vec<&str> = missing.iter().map(|field| field.name.as_str()).collect();
        let mut tried = 0;
        let sample = |name| sample_rows(self.context, self.map, &[name]).unwrap_or_default();
        let sampled: Vec<Vec<Row>> = names.iter().copied().map(sample).collect();
        // Rows that differ in one field are the easiest to read.
        for (name, rows) in names.iter().zip(&sampled) {
            tried += rows.len();
            if let Some(verdict) = self.refute(rows, &self.some_values, Some(name)) {
                return verdict;
            }
        }
        let refute = |rows: &Vec<Row>| self.refute(rows, &self.some_values, None);
        if let Some(verdict) = sampled.iter().find_map(refute) {
            return verdict;
        }
        if self.determines_missing(self.key) {
            return Verdict::Proved;
        }
        match self.all_rows() {
            Some((rows, values)) => self.refute(rows, values, None).unwrap_or(Verdict::Proved),
            None => Verdict::Unknown(Unknown::Rows { tried }),
        }
    }

    /// Returns all rows of the map and all values of the fields that come from the value, if they
    /// are few and each row has an entry for each value.
    fn all_rows(&self) -> Option<&(Vec<Row>, TakenValues<'a>)> {
        self.all_rows.get_or_init(|| self.list_all_rows()).as_ref()
    }

    fn list_all_rows(&self) -> Option<(Vec<Row>, TakenValues<'a>)> {
        if !has_only_samples(self.key) {
            return None;
        }
        let values = TakenValues::all(self.index, self.key)?;
        let names: Vec<&str> = self.fields.iter().map(|field| field.name.as_str()).collect();
        let rows = sample_rows(self.context, self.map, &names).ok()?;
        let total = rows.len().checked_mul(values.limit);
        let total = total.filter(|&total| total <= MAX_ALL_ENTRIES)?;
        Meter::new(self.context.budget()).steps(total * STEPS_PER_ENTRY).ok()?;
        let is_full = |row: &Row| self.entries(&row.fields, &values).len() == values.limit;
        rows.iter().all(is_full).then_some((rows, values))
    }

    /// Returns the reason for which a row of the map could have no entry, or several.
    fn without_entry(&self) -> Option<Unknown> {
        let misfit = self.fields.iter().find_map(|field| {
            let own = self.carried(&field.name)?;
            // Guards cannot name a lossy field, so only its own bytes matter.
            let fault = if !is_lossless(&field.declared) && !own.declared.is_same(&field.declared) {
                EntryFault::Several
            } else if takes_all(own, field) || self.all_rows().is_some() {
                return None;
            } else {
                EntryFault::Rejected
            };
            Some((field.name.clone(), fault))
        });
        let (field, fault) = match misfit {
            Some(found) => found,
            None => match presence::without_entry(self.key, &self.index.key) {
                Ok(None) => return None,
                Ok(Some(_)) | Err(_) if self.all_rows().is_some() => return None,
                Ok(Some(field)) => (field, EntryFault::Absent),
                Err(over) => return Some(Unknown::Budget(over)),
            },
        };
        let row = self.row_without_entry(&field, fault).map(Box::new);
        Some(Unknown::Entry { field, fault, row })
    }

    /// Returns a row of the map that has no entry for any value.
    fn row_without_entry(&self, name: &str, fault: EntryFault) -> Option<Row> {
        let is_without: &dyn Fn(&Row) -> bool = match fault {
            EntryFault::Several => return None,
            EntryFault::Rejected => {
                let own = self.carried(name)?;
                &move |row| {
                    row.fields.get(name).is_some_and(|datum| {
                        encode_type(&own.ty, name, datum, &mut Vec::new()).is_err()
                    })
                }
            }
            // Fields from the value could make a part present.
            EntryFault::Absent if fields(&self.index.key).iter().any(|f| f.is_from_value()) => {
                return None;
            }
            EntryFault::Absent => &|row| self.entries(&row.fields, &self.some_values).is_empty(),
        };
        let all: Vec<&str> = self.fields.iter().map(|field| field.name.as_str()).collect();
        let find = |wide: &[&str]| {
            sample_rows(self.context, self.map, wide).ok()?.into_iter().find(is_without)
        };
        find(&[name]).or_else(|| find(&all))
    }

    /// Returns the field of the index that takes a field of the map's key.
    fn carried(&self, name: &str) -> Option<&Field> {
        let own =
            fields(&self.index.key).into_iter().find(|f| f.name == name && !f.is_from_value());
        own.filter(|_| self.fields.iter().any(|field| field.name == name))
    }

    /// Returns the fields of the map's key that the index lacks, or does not distinguish
    /// completely.
    fn missing(&self) -> Vec<&Field> {
        let is_carried =
            |field: &Field| self.carried(&field.name).is_some_and(|own| holds_all(own, field));
        self.fields.iter().copied().filter(|field| !is_carried(field)).collect()
    }

    /// Whether the fields in the index determine the missing ones: each missing field has a single
    /// value, and its presence is known.
    fn determines_missing(&self, segments: &[Segment]) -> bool {
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
                (shown || known) && self.determines_missing(&option.segments)
            }
        })
    }

    /// Whether the fields in the index determine a guard.
    fn is_known(&self, guard: &Guard) -> bool {
        match guard {
            Guard::Is { field, .. } | Guard::In { field, .. } => {
                let carried = self.carried(field).is_some_and(|own| is_lossless(&own.ty));
                carried || self.fields.iter().any(|f| f.name == *field && is_single(&f.ty))
            }
            Guard::All(parts) | Guard::Any(parts) => parts.iter().all(|part| self.is_known(part)),
        }
    }

    /// Refutes the claim with two rows that have the same entry and the same reading of it. With
    /// `alone`, they differ only in this field.
    fn refute(
        &self,
        rows: &[Row],
        values: &TakenValues<'_>,
        alone: Option<&str>,
    ) -> Option<Verdict> {
        let mut known: HashMap<(Vec<u8>, Carried, String), &Row> = HashMap::new();
        // Rows that are easy to read are shown rather than others.
        let mut rows: Vec<&Row> = rows.iter().collect();
        rows.sort_by_cached_key(|row| {
            let fields = &row.fields.0;
            (fields.len(), fields.iter().map(|(_, datum)| value_rank(datum)).collect::<Vec<_>>())
        });
        for row in rows {
            let Some(carried) = self.bytes(&row.fields) else { continue };
            let others = alone.map_or_else(String::new, |alone| {
                let others = row.fields.0.iter().filter(|(name, _)| name != alone);
                format!("{:?}", others.collect::<Vec<_>>())
            });
            for (entry, values) in self.entries(&row.fields, values) {
                let same = (entry.clone(), carried.clone(), others.clone());
                let other = *known.entry(same).or_insert(row);
                if other.key == row.key {
                    continue;
                }
                let differs =
                    |field: &&&Field| other.fields.get(&field.name) != row.fields.get(&field.name);
                let missing = self.fields.iter().find(differs)?.name.clone();
                let others = self.missing().into_iter().map(|field| field.name.clone());
                let others = others.filter(|name| *name != missing).collect();
                let (a, b) = (other.clone(), row.clone());
                let fault = Fault::Indexed { missing, others, a, b, entry, values };
                return Some(Verdict::refuted(fault, false));
            }
        }
        None
    }

    /// Returns the bytes of each field of a row in the index, or `None` if the index rejects a
    /// value.
    fn bytes(&self, row: &Record) -> Option<Carried> {
        let own = self.fields.iter().filter_map(|field| self.carried(&field.name));
        own.map(|field| {
            let Some(datum) = row.get(&field.name) else { return Some(None) };
            let mut bytes = Vec::new();
            encode_type(&field.ty, &field.name, datum, &mut bytes).ok()?;
            Some(Some(bytes))
        })
        .collect()
    }

    /// Returns the entries of a row for some values, each with its fields that come from the value.
    fn entries(&self, row: &Record, values: &TakenValues<'_>) -> Vec<(Vec<u8>, Record)> {
        let mut records = vec![Record::default()];
        for field in fields(&self.index.key) {
            let taken = values.fields.iter().find(|(name, _)| *name == field.name);
            let choices: Vec<Option<Datum>> = match taken {
                Some((_, choices)) => choices.clone(),
                None => vec![row.get(&field.name).cloned()],
            };
            let mut longer = Vec::new();
            for record in &records {
                for choice in &choices {
                    let mut record = record.clone();
                    record.0.extend(choice.clone().map(|datum| (field.name.clone(), datum)));
                    longer.push(record);
                }
            }
            longer.truncate(values.limit);
            records = longer;
        }
        let entry = |record: Record| {
            let entry = self.index.encode(&record).ok()?;
            let mut values = record;
            values.0.retain(|(name, _)| self.carried(name).is_none());
            Some((entry, values))
        };
        records.into_iter().filter_map(entry).collect()
    }
}

/// The rank of a value: small integers, then short texts and bytes of readable characters.
fn value_rank(datum: &Datum) -> (Uint, Vec<u8>) {
    let of_words = |bytes: &[u8]| {
        let length = Uint::new(bytes.len() as u128);
        (length, bytes.iter().map(|&byte| rank(byte)).collect())
    };
    match datum {
        Datum::Leaf(Value::Uint(number)) => (*number, Vec::new()),
        Datum::Leaf(Value::Int(number)) => (Uint::new(number.unsigned_abs()), Vec::new()),
        Datum::Leaf(Value::Text(text)) => of_words(text.as_bytes()),
        Datum::Leaf(Value::Bytes(bytes)) => of_words(bytes),
        _ => (Uint::ZERO, Vec::new()),
    }
}

/// The bytes of the fields in an index, `None` for an absent field.
type Carried = Vec<Option<Vec<u8>>>;

/// Whether a field of an index accepts every value of the map's field and distinguishes all values
/// that the map distinguishes.
fn holds_all(own: &Field, field: &Field) -> bool {
    own.ty.is_same(&field.ty) || takes_all(own, field) && is_lossless(&own.ty)
}

/// Whether a field of an index accepts every value of the map's field. The map's field must be
/// lossless or have the same type.
fn takes_all(own: &Field, field: &Field) -> bool {
    if own.declared.is_same(&field.declared) {
        return true;
    }
    match (&*own.declared, &*field.declared) {
        (Type::Leaf(own), Type::Leaf(field)) => own.takes_all_of(field),
        _ => false,
    }
}

fn is_lossless(ty: &Type) -> bool {
    traverse_type(ty).all(|item| match item.kind {
        ItemKind::Leaf(leaf) => matches!(leaf.codec.lossless(), Loss::None),
        _ => true,
    })
}

/// Whether a type has a single value.
fn is_single(ty: &Type) -> bool {
    traverse_type(ty).all(|item| match item.kind {
        ItemKind::Leaf(leaf) => {
            let one = leaf.language.exact().is_some_and(|dfa| dfa.count_words(2) == 1);
            one && matches!(leaf.codec.lossless(), Loss::None)
        }
        ItemKind::Enum(of) => of.texts.len() == 1,
        ItemKind::List(list) => list.min == list.max,
        ItemKind::Variant(arms) => arms.len() == 1,
        ItemKind::Option(_) => false,
        ItemKind::Literal { .. } | ItemKind::Derived(_) | ItemKind::Field(_) | ItemKind::Arm(_) => {
            true
        }
    })
}
