//! KS104: the value form of rows changed, and the new layout does not read the old one.
//!
//! Forms that the program defines are compared by name. Forms that the layouts define are compared
//! like keys: every value that could be written must be read as the same value.

use crate::{
    compare::{Answer, Comparison, Direction},
    correspondence::is_unchanged,
    diff::{Context, answered, is_index},
    parts::layout_of,
    report::{Fault, Finding, Readings, Rule, Unknown, ValueExample, ValueFault},
};
use keyscape_codec::hex::digits;
use keyscape_layout::model::{Keyspace, KeyspaceId, RowValue, Type};
use keyscape_prover::{KeyReader, Row};
use std::sync::Arc;

pub(crate) fn check(context: &Context<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for old in context.old.keyspace_ids().filter(|&id| !is_index(context.old, id)) {
        let Some(new) = context.correspondence.new_keyspace(old) else { continue };
        let keyspace = context.old.keyspace(old);
        let written = [keyspace.value.as_ref(), keyspace.reads.as_ref()];
        for form in written.into_iter().flatten() {
            let answer = unread(context, Direction::Backward, (old, new), form);
            findings.extend(answered(Rule::Value, (Some(old), Some(new)), answer, Fault::Value));
        }
    }
    findings
}

/// Returns a value that one keyspace writes and the other does not read as the same value, if there
/// is one. Returns `None` if the reading keyspace declares no value.
pub(crate) fn unread(
    context: &Context<'_>,
    direction: Direction,
    (writer, reader): (KeyspaceId, KeyspaceId),
    form: &RowValue,
) -> Result<Option<Answer<ValueFault>>, Unknown> {
    let (writing, reading) = direction.oriented(context.old, context.new);
    let forms: Vec<&RowValue> = read_forms(reading.keyspace(reader)).collect();
    let Some(&declared) = forms.first() else { return Ok(None) };
    // Bytes that fit both forms are read as the declared form.
    let earlier = match forms.iter().position(|read| is_read_by(direction, form, read)) {
        Some(0) => return Ok(None),
        Some(at) => {
            let own = writing.keyspace(writer).value.as_ref();
            let is_unchanged = own.is_some_and(|own| is_read_by(direction, own, declared));
            if is_unchanged || known_type(form).is_none() || known_type(declared).is_none() {
                return Ok(None);
            }
            &forms[..at]
        }
        None => &forms,
    };
    let read = forms.iter().map(|form| text(form)).collect();
    let fault = |example| {
        let of = ValueFault { written: text(form), read, example };
        Some(Answer { of, minimal: false })
    };
    let readers: Vec<&Arc<Type>> = earlier.iter().filter_map(|form| known_type(form)).collect();
    let readable = layout_of(reading, reader, "value", &readers);
    let ids: Vec<KeyspaceId> = readable.keyspace_ids().collect();
    let budget = context.comparison.budget;
    let is_read = |bytes: &[u8], ids: &[KeyspaceId]| {
        let rows = KeyReader::new(&readable, budget).readings(bytes, ids);
        rows.is_some_and(|rows| !rows.is_empty())
    };
    if let Some(bytes) = fixed_bytes(form) {
        return Ok(if is_read(bytes, &ids) { None } else { fault(None) });
    }
    let (Some(ty), false) = (known_type(form), ids.is_empty()) else { return Ok(fault(None)) };
    let writable = layout_of(writing, writer, "value", &[ty]);
    let (old, new) = direction.oriented(&writable, &readable);
    let comparison = Comparison::new(old, new, budget);
    let question = |same| comparison.question(direction, KeyspaceId(0), Some(same));
    let example =
        |row: Row, read| fault(Some(ValueExample { bytes: row.key, written: row.fields, read }));
    if earlier.len() == forms.len()
        && let Some(found) = comparison.unread(&question(ids[0]), &ids, &[])?
    {
        return Ok(example(found.of, None));
    }
    for (at, &id) in ids.iter().enumerate() {
        let mut found = comparison.first_misread(&question(id), &[id])?;
        if found.is_none() && direction == Direction::Backward {
            // As for keys in KS102, the new layout may have another reading beside the same one.
            let written = KeyspaceId(0);
            let question = comparison.question(direction.opposite(), id, Some(written));
            found = comparison.first_misread(&question, &[written])?;
        }
        let Some(Answer { of: Readings { old, new }, .. }) = found else { continue };
        let (written, read) = direction.oriented(old, new);
        return match is_read(&written.key, &ids[..at]) {
            true => Err(Unknown::Values),
            false => Ok(example(written, Some(read.fields))),
        };
    }
    Ok(None)
}

/// Returns the bytes of a form with only one value.
pub(crate) fn fixed_bytes(form: &RowValue) -> Option<&[u8]> {
    match form {
        RowValue::Empty => Some(&[]),
        RowValue::Const(bytes) => Some(bytes),
        _ => None,
    }
}

/// Returns the forms that a keyspace reads.
fn read_forms(keyspace: &Keyspace) -> impl Iterator<Item = &RowValue> {
    [keyspace.value.as_ref(), keyspace.reads.as_ref()].into_iter().flatten()
}

/// Returns the type of a form that stores exactly the bytes of the type.
fn known_type(form: &RowValue) -> Option<&Arc<Type>> {
    match form {
        RowValue::Typed(typed) if typed.wrapper.is_none() => Some(&typed.ty),
        _ => None,
    }
}

/// Whether both forms are the same, or the second one by definition reads all values of the first.
/// The direction selects the form of the new layout, whose `was` applies.
pub(crate) fn is_read_by(direction: Direction, written: &RowValue, read: &RowValue) -> bool {
    match (written, read) {
        (RowValue::Empty, RowValue::Empty) | (RowValue::Json(_), RowValue::Json(None)) => true,
        (RowValue::Const(a), RowValue::Const(b)) => a == b,
        (RowValue::Json(a), RowValue::Json(b)) => a == b,
        (RowValue::Proto(a), RowValue::Proto(b)) => a.name == b.name,
        (RowValue::Own(a), RowValue::Own(b)) => a == b,
        (RowValue::Typed(a), RowValue::Typed(b)) => {
            let (old, new) = direction.oriented(&a.ty, &b.ty);
            a.wrapper.map(|wrapper| wrapper.name()) == b.wrapper.map(|wrapper| wrapper.name())
                && is_unchanged(old, new)
        }
        _ => false,
    }
}

/// Returns a form as layouts write it.
pub(crate) fn text(form: &RowValue) -> String {
    match form {
        RowValue::Empty => "empty".to_owned(),
        RowValue::Const(bytes) => format!("const 0x{}", digits(bytes)),
        RowValue::Json(None) => "json".to_owned(),
        RowValue::Json(Some(name)) => format!("json {name}"),
        RowValue::Proto(message) => format!("proto {}", message.name),
        RowValue::Typed(typed) => typed.text.clone(),
        RowValue::Own(name) => name.clone(),
    }
}
