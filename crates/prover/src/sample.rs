//! Real rows and values to try, for claims that automata do not decide.

use crate::{context::Context, leaf_order::encode, verdict::Row};
use keyscape_automata::{Budget, Meter, OverBudget};
use keyscape_codec::{Loss, Value};
use keyscape_layout::{
    Datum, Record, field,
    model::{KeyspaceId, Leaf, Segment, Type},
};

/// The highest number of values of a field, and of rows of a keyspace.
const MAX_TRIED: usize = 4096;
/// The highest number of values of a field that is not varied.
const FOLLOWING: usize = 3;
/// The highest number of encodings of a field to try, and their greatest length.
const WORDS: usize = 1024;
const SHORT: usize = 8;

/// The elementary steps to copy or encode a value, or to find a sample.
pub(crate) const STEPS_PER_VALUE: usize = 48;

/// Returns real rows of a keyspace with the shortest encodings of one field.
pub(crate) fn rows_by_words(context: &Context<'_>, id: KeyspaceId, name: &str) -> Vec<Row> {
    let keyspace = context.layout.keyspace(id);
    let Some(Type::Leaf(leaf)) = field(&keyspace.key, name).map(|field| &*field.ty) else {
        return Vec::new();
    };
    let dfa = leaf.language.over();
    // Long keys would have too many readings.
    let words = dfa.words(WORDS).into_iter().filter(|word| word.len() <= SHORT);
    let values: Vec<Value> = words.filter_map(|word| leaf.codec.decode(&word).ok()).collect();
    let mut rows = Vec::new();
    let meter = &mut Meter::new(context.budget());
    let bases = sample_rows(context, id, &[]).unwrap_or_default();
    for base in bases.into_iter().take(FOLLOWING) {
        for value in &values {
            // The charge includes decoding the row.
            if meter.steps(4 * STEPS_PER_VALUE * base.fields.0.len()).is_err() {
                return rows;
            }
            let mut fields = base.fields.clone();
            let Some((_, datum)) = fields.0.iter_mut().find(|(known, _)| known == name) else {
                break;
            };
            *datum = Datum::Leaf(value.clone());
            let key = keyspace.encode(&fields).ok();
            rows.extend(key.map(|key| Row { key, keyspace: id, fields }));
        }
    }
    rows
}

/// Returns real rows of a keyspace, with many values of the fields in `wide` and few of the others.
///
/// # Errors
/// [`OverBudget`] if the work exceeds the budget.
pub(crate) fn sample_rows(
    context: &Context<'_>,
    id: KeyspaceId,
    wide: &[&str],
) -> Result<Vec<Row>, OverBudget> {
    let keyspace = context.layout.keyspace(id);
    let meter = &mut Meter::new(context.budget());
    let records = sample_list(&keyspace.key, wide, meter)?;
    let mut rows = Vec::with_capacity(records.len());
    for fields in records {
        meter.steps(STEPS_PER_VALUE * fields.0.len())?;
        let key = keyspace.encode(&fields).ok();
        rows.extend(key.map(|key| Row { key, keyspace: id, fields }));
    }
    Ok(rows)
}

/// The elementary steps to list the samples of a codec. Integers have a thousand samples.
const STEPS_PER_SAMPLING: usize = 8192;

fn sample_list(
    segments: &[Segment],
    wide: &[&str],
    meter: &mut Meter<'_>,
) -> Result<Vec<Record>, OverBudget> {
    let mut records = vec![Record::default()];
    for segment in segments {
        let choices: Vec<Record> = match segment {
            Segment::Literal(_) | Segment::Derived(_) => continue,
            Segment::Field(field) => {
                let limit = if wide.contains(&field.name.as_str()) { MAX_TRIED } else { FOLLOWING };
                samples(&field.ty, limit, meter)?
                    .into_iter()
                    .map(|datum| Record(vec![(field.name.clone(), datum)]))
                    .collect()
            }
            Segment::Option(option) => {
                let mut present = sample_list(&option.segments, wide, meter)?;
                // Encoding rejects records that contradict the guard.
                present.insert(0, Record::default());
                present
            }
        };
        if let [only] = choices.as_slice() {
            meter.steps(STEPS_PER_VALUE * records.len())?;
            records.iter_mut().for_each(|record| record.0.extend(only.0.iter().cloned()));
            continue;
        }
        let mut next = Vec::new();
        'fill: for record in &records {
            for choice in &choices {
                if next.len() == MAX_TRIED {
                    break 'fill;
                }
                meter.steps(STEPS_PER_VALUE * (record.0.len() + 1))?;
                let mut record = record.clone();
                record.0.extend(choice.0.iter().cloned());
                next.push(record);
            }
        }
        records = next;
    }
    Ok(records)
}

/// Returns at most `limit` values of a type. Returns no values if the work exceeds the budget.
pub(crate) fn sample_type(ty: &Type, limit: usize) -> Vec<Datum> {
    samples(ty, limit, &mut Meter::new(Budget::default())).unwrap_or_default()
}

fn samples(ty: &Type, limit: usize, meter: &mut Meter<'_>) -> Result<Vec<Datum>, OverBudget> {
    let all: Vec<Datum> = match ty {
        Type::Leaf(leaf) => {
            meter.steps(STEPS_PER_SAMPLING)?;
            let samples = leaf_samples(leaf);
            meter.steps(STEPS_PER_VALUE * samples.len())?;
            samples.into_iter().map(Datum::Leaf).collect()
        }
        Type::Enum(of) => of.texts.iter().cloned().map(Datum::Name).collect(),
        Type::List(list) => {
            let elements = samples(&list.element, FOLLOWING, meter)?;
            let counts = [list.min, (list.min + 1).min(list.max), list.max];
            let lists = counts.iter().flat_map(|&count| {
                elements.iter().map(move |e| Datum::List(vec![e.clone(); count as usize]))
            });
            lists.collect()
        }
        Type::Composite(segments) => {
            sample_list(segments, &[], meter)?.into_iter().map(Datum::Record).collect()
        }
        Type::Variant(arms) => {
            let mut all = Vec::new();
            for arm in arms {
                let records = sample_list(&arm.segments, &[], meter)?.into_iter();
                all.extend(records.map(|record| Datum::Arm(arm.name.clone(), record)));
            }
            all
        }
    };
    Ok(all.into_iter().take(limit).collect())
}

/// Returns samples of a leaf, one per encoding, because rows are distinguished by their bytes.
fn leaf_samples(leaf: &Leaf) -> Vec<Value> {
    let mut samples = leaf.codec.samples();
    if leaf.codec.lossless() != Loss::None {
        samples.retain(|value| {
            let bytes = encode(&*leaf.codec, value);
            bytes.is_some_and(|bytes| leaf.codec.decode(&bytes).as_ref() == Ok(value))
        });
    }
    samples
}

/// Whether [`sample_rows`] with all fields in `wide` returns all rows of a key.
pub(crate) fn has_only_samples(key: &[Segment]) -> bool {
    count(key, MAX_TRIED).is_some_and(|count| count <= MAX_TRIED)
}

/// Returns all values of a type, if they are few. For a lossy codec, one value per encoding.
pub(crate) fn all_of_type(ty: &Type) -> Option<Vec<Datum>> {
    let count = count_type(ty).filter(|&count| count <= MAX_TRIED)?;
    let all = sample_type(ty, MAX_TRIED);
    (all.len() == count).then_some(all)
}

/// Returns the number of records of a list of segments, if [`sample_list`] yields all of them.
/// `limit` applies to each field.
fn count(segments: &[Segment], limit: usize) -> Option<usize> {
    segments.iter().try_fold(1_usize, |before, segment| {
        let here = match segment {
            Segment::Literal(_) | Segment::Derived(_) => 1,
            Segment::Field(field) => count_type(&field.ty).filter(|&count| count <= limit)?,
            Segment::Option(option) => count(&option.segments, limit)? + 1,
        };
        before.checked_mul(here).filter(|&count| count <= MAX_TRIED)
    })
}

fn count_type(ty: &Type) -> Option<usize> {
    match ty {
        Type::Leaf(leaf) => {
            let count = leaf_samples(leaf).len();
            let words = leaf.language.exact()?;
            (words.count_words(count + 1) == count).then_some(count)
        }
        Type::Enum(of) => Some(of.texts.len()),
        // Samples of lists repeat one element, so they are incomplete.
        Type::List(_) => None,
        Type::Composite(segments) => count(segments, FOLLOWING),
        Type::Variant(arms) => arms.iter().map(|arm| count(&arm.segments, FOLLOWING)).sum(),
    }
}
