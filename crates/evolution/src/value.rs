//! KS104: the value form of rows changed, and the new layout does not read the old one.
//!
//! Forms that the program defines are compared by name. Forms that the layouts know are compared
//! like keys: every value that could be written must be read as the same value.

use crate::{
    compare::{Asked, Comparison, Direction, Misread},
    correspondence::Fields,
    diff::{Context, finding, is_index, undecided},
    parts::layout_of,
    report::{Fault, Finding, Unknown, ValueExample, ValueFault},
    rule::Rule,
};
use keyscape_codec::hex::digits;
use keyscape_layout::{
    Layout,
    model::{Keyspace, KeyspaceId, RowValue, Type},
};
use keyscape_prover::Row;
use std::sync::Arc;

pub(crate) fn check(context: &Context<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for old in context.old.keyspace_ids().filter(|&id| !is_index(context.old, id)) {
        let Some(new) = context.correspondence.new_keyspace(old) else { continue };
        let keyspace = context.old.keyspace(old);
        let written = [keyspace.value.as_ref(), keyspace.reads.as_ref()];
        for form in written.into_iter().flatten() {
            let ids = (Some(old), Some(new));
            let forms = Forms { writing: (context.old, old), reading: (context.new, new) };
            match forms.fault(context, Direction::Backward, form) {
                Ok(None) => {}
                Ok(Some(fault)) => {
                    findings.push(finding(Rule::Value, ids, Fault::Value(fault), false));
                }
                Err(reason) => findings.push(undecided(Rule::Value, ids, reason)),
            }
        }
    }
    findings
}

/// The keyspace that writes values and the one that reads them.
#[derive(Clone, Copy)]
pub(crate) struct Forms<'a> {
    pub(crate) writing: (&'a Layout, KeyspaceId),
    pub(crate) reading: (&'a Layout, KeyspaceId),
}

impl Forms<'_> {
    /// Returns a value of a form that is not read, if there is one. Nothing is known about the
    /// values of a keyspace that declares none.
    pub(crate) fn fault(
        &self,
        context: &Context<'_>,
        direction: Direction,
        form: &RowValue,
    ) -> Result<Option<ValueFault>, Unknown> {
        let reader = self.reading.0.keyspace(self.reading.1);
        let forms: Vec<&RowValue> = read_forms(reader).collect();
        if forms.is_empty() || forms.iter().any(|read| is_read_by(form, read)) {
            return Ok(None);
        }
        let read = forms.iter().map(|form| text(form)).collect();
        let fault = |example| ValueFault { written: text(form), read, example };
        let readers: Vec<&Arc<Type>> = forms.iter().filter_map(|form| known_type(form)).collect();
        let readable = layout_of(self.reading.0, self.reading.1, "value", &readers);
        let ids: Vec<KeyspaceId> = readable.keyspace_ids().collect();
        let fixed = match form {
            RowValue::Empty => Some(&[][..]),
            RowValue::Const(bytes) => Some(bytes.as_slice()),
            _ => None,
        };
        if let Some(bytes) = fixed {
            let comparison = Comparison::new(&readable, &readable, context.comparison.budget);
            let is_read = comparison.old.readings(bytes, &ids).is_some_and(|rows| !rows.is_empty());
            return Ok((!is_read).then(|| fault(None)));
        }
        let (Some(ty), Some(&same)) = (known_type(form), ids.first()) else {
            return Ok(Some(fault(None)));
        };
        let writable = layout_of(self.writing.0, self.writing.1, "value", &[ty]);
        let example = differing(context, direction, (&writable, &readable), (same, &ids))?;
        Ok(example.map(|example| fault(Some(example))))
    }
}

/// Returns a value of the only keyspace of one layout that the other does not read as the same
/// value.
fn differing(
    context: &Context<'_>,
    direction: Direction,
    (writing, reading): (&Layout, &Layout),
    (same, readers): (KeyspaceId, &[KeyspaceId]),
) -> Result<Option<ValueExample>, Unknown> {
    let written = KeyspaceId(0);
    let (a, b) = (&writing.keyspace(written).key, &reading.keyspace(same).key);
    let budget = context.comparison.budget;
    let (comparison, fields) = match direction {
        Direction::Backward => (Comparison::new(writing, reading, budget), Fields::new(a, b)),
        Direction::Forward => (Comparison::new(reading, writing, budget), Fields::new(b, a)),
    };
    let asked = Asked { direction, keyspace: written, same: Some(same), fields: &fields };
    let example = |row: Row, read| ValueExample { bytes: row.key, written: row.fields, read };
    if let Some(found) = comparison.unread(asked, readers, &[])? {
        return Ok(Some(example(found.of, None)));
    }
    let (answers, unknown) = comparison.misread(asked, readers);
    match (answers.into_iter().next(), unknown) {
        (Some(found), _) => {
            let Misread { row, other } = found.of;
            Ok(Some(example(row, Some(other.fields))))
        }
        (None, Some(reason)) => Err(reason),
        (None, None) => Ok(None),
    }
}

/// Returns the forms that a keyspace reads.
fn read_forms(keyspace: &Keyspace) -> impl Iterator<Item = &RowValue> {
    [keyspace.value.as_ref(), keyspace.reads.as_ref()].into_iter().flatten()
}

/// Returns the type of a form whose bytes are those of the type.
fn known_type(form: &RowValue) -> Option<&Arc<Type>> {
    match form {
        RowValue::Typed(typed) if typed.wrapper.is_none() => Some(&typed.ty),
        _ => None,
    }
}

/// Whether two forms are written alike, or the second reads all of the first by its definition.
pub(crate) fn is_read_by(written: &RowValue, read: &RowValue) -> bool {
    match (written, read) {
        (RowValue::Empty, RowValue::Empty) | (RowValue::Json(_), RowValue::Json(None)) => true,
        (RowValue::Const(a), RowValue::Const(b)) => a == b,
        (RowValue::Json(a), RowValue::Json(b)) => a == b,
        (RowValue::Proto(a), RowValue::Proto(b)) => a.name == b.name,
        (RowValue::Own(a), RowValue::Own(b)) => a == b,
        (RowValue::Typed(a), RowValue::Typed(b)) => {
            a.wrapper.map(|wrapper| wrapper.name()) == b.wrapper.map(|wrapper| wrapper.name())
                && a.ty.is_same(&b.ty)
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
