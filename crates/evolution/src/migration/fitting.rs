//! KS113: every moved value is in the domain of the new field.
//!
//! Each value that becomes a part of a new row is checked on its own: leaf by leaf, with the values
//! that the condition of its piece leaves. A value that does not fit is put into a shortest
//! row with that part, and the row is converted to confirm the finding.

use super::{
    FormPlan,
    claim::{MigrationFault, MovedPiece, Undecided, Verdict},
    convert::Convert,
    make::{Flow, Make, PartPath, Parts, is_single, part},
    narrow::narrowed_type,
    row::{OldRow, OldValue, SCORE, VALUE, fields_with_presence},
    unfitting::unfitting,
};
use crate::{correspondence::ELEMENT, sample};
use keyscape_layout::{
    Datum, Record, RowDatum, direct_field,
    guard::{Class, Guard},
    model::{KeyspaceId, Segment, Type},
};
use keyscape_prover::{KeyReader, Row};
use std::sync::Arc;

/// Decides the claim for one piece.
pub(super) fn check(of: MovedPiece<'_, '_>) -> Verdict {
    let moved = of.moved;
    if moved.otherwise.is_some() || moved.is_identical {
        return Verdict::Proved;
    }
    if let Some(field) = moved.made_by_program().next() {
        return Verdict::Unknown(Undecided::Program { field: field.to_owned() });
    }
    let mut unknown = None;
    let flows = moved.fields.iter().flat_map(|(name, make)| make.flows(name));
    let plans = [&moved.value.declared, &moved.value.reads];
    let of_value = plans.into_iter().flat_map(|plan| match plan {
        FormPlan::Make(make) => make.flows(VALUE),
        _ => Vec::new(),
    });
    let flows = flows.chain(of_value).map(|flow| of.flow(&flow));
    for found in flows.chain(std::iter::once_with(|| of.presence())) {
        match found {
            Ok(None) => {}
            Ok(Some(fault)) => return Verdict::Refuted(fault),
            Err(undecided) => unknown = unknown.or(Some(undecided)),
        }
    }
    match unknown {
        None => Verdict::Proved,
        Some(undecided) => match of.sampled() {
            Some(fault) => Verdict::Refuted(fault),
            None => Verdict::Unknown(undecided),
        },
    }
}

impl MovedPiece<'_, '_> {
    /// Checks one value of the rows.
    fn flow(&self, flow: &Flow) -> Result<Option<MigrationFault>, Undecided> {
        for from in self.sources(flow)? {
            let Some(unfitting) = unfitting(*self, &from, flow)? else { continue };
            for value in unfitting.values {
                if let Some(fault) = self.confirm(flow, value, unfitting.is_shortest)? {
                    return Ok(Some(fault));
                }
            }
            return Err(Undecided::Values { field: flow.target.join(".") });
        }
        Ok(None)
    }

    /// Returns the types of the old part in the cases of the piece; none if no row of it has the
    /// part.
    fn sources(&self, flow: &Flow) -> Result<Vec<Arc<Type>>, Undecided> {
        let Some(first) = flow.source.first() else { return Ok(Vec::new()) };
        let cases = self.migration.cases(self.piece.from, &[])?;
        let mut classes: Vec<Option<Class>> = Vec::new();
        for case in cases.iter().filter(|case| self.migration.is_in(self.piece, case)) {
            let class = case.class(first).cloned();
            if !classes.contains(&class) {
                classes.push(class);
            }
        }
        let outer = self.migration.old_type(self.piece.from).type_at(std::slice::from_ref(first));
        let types = classes.into_iter().filter_map(|class| match (class, flow.source.get(1)) {
            (None, _) => Some(Arc::clone(&flow.from)),
            (Some(class), None) => Some(Arc::new(narrowed_type(&flow.from, &class))),
            (Some(Class::Choices(kept)), Some(arm)) => {
                let names = outer.as_ref().and_then(|ty| ty.choices())?;
                let is_left = kept.iter().any(|&at| names.get(at) == Some(&arm.as_str()));
                is_left.then(|| Arc::clone(&flow.from))
            }
            (Some(_), Some(_)) => Some(Arc::clone(&flow.from)),
        });
        Ok(types.collect())
    }

    /// Returns the fault of a row with the value, if the row does not fit.
    fn confirm(
        &self,
        flow: &Flow,
        value: Datum,
        is_shortest: bool,
    ) -> Result<Option<MigrationFault>, Undecided> {
        let root = flow.source.first().map(String::as_str);
        let is_of_key = self
            .migration
            .old_type(self.piece.from)
            .slots()
            .iter()
            .any(|slot| Some(slot.name) == root && slot.name != SCORE);
        let path = if is_of_key { flow.source.as_slice() } else { &[] };
        let Some(base) = self.migration.row_with(self.piece, path, self.budget)? else {
            return Ok(None);
        };
        let (row, other) = if is_of_key {
            match self.migration.row_where(self.piece, &base, &flow.source, value) {
                Some(row) => (row, None),
                None => return Ok(None),
            }
        } else {
            (base, Some((flow.source.clone(), value)))
        };
        Ok(self.fault_of(row, other, is_shortest))
    }

    /// Converts a row, and returns what does not fit.
    fn fault_of(
        &self,
        row: Row,
        other: Option<(Vec<String>, Datum)>,
        minimal: bool,
    ) -> Option<MigrationFault> {
        let mut fields = row.fields.clone();
        let mut value = OldValue::Unread;
        let mut shown = None;
        match other {
            Some((path, datum)) if path.first().is_some_and(|name| name == VALUE) => {
                let whole = whole_value(&path, datum.clone())?;
                (value, shown) = (OldValue::Declared(RowDatum::Datum(whole)), Some(datum));
            }
            Some((path, datum)) => {
                fields.set(path.first()?.clone(), whole_value(&path, datum.clone())?);
                shown = Some(datum);
            }
            None => {}
        }
        if fields.get(SCORE).is_none()
            && let Some(score) = &self.migration.old_type(self.piece.from).score
        {
            fields.set(SCORE, score.example()?);
        }
        let old = OldRow { keyspace: self.piece.from, fields, value };
        let unfit = self.migration.image(self.moved, &old).err()?;
        let (field, reason) = (unfit.field, unfit.reason);
        Some(MigrationFault::Unfit { row, value: shown, field, reason, minimal })
    }

    /// Looks for rows whose optional parts are absent or present against the new layout.
    fn presence(&self) -> Result<Option<MigrationFault>, Undecided> {
        let new = self.migration.new_type(self.moved.to);
        let undecided = |field: &str| Err(Undecided::Presence { field: field.to_owned() });
        for (name, make) in &self.moved.fields {
            if may_be_incomplete(make) {
                return undecided(name);
            }
        }
        let make_of = |name: &str| self.moved.fields.iter().find(|(known, _)| known == name);
        for segment in &new.identity {
            match segment {
                Segment::Field(field) => {
                    let Some((_, make)) = make_of(&field.name) else { continue };
                    let Some(lacking) = self.may_lack(make) else { continue };
                    let fault = self.row_without(&lacking)?;
                    return match fault.and_then(|row| self.fault_of(row, None, false)) {
                        Some(fault) => Ok(Some(fault)),
                        None => undecided(&field.name),
                    };
                }
                Segment::Option(option) => {
                    let inside = keyscape_layout::fields(&option.segments);
                    let is_decided = match &inside[..] {
                        [field] if is_single(option) => {
                            make_of(&field.name).is_none_or(|(_, make)| {
                                !is_assembled(make) || self.may_lack(make).is_none()
                            })
                        }
                        _ => self.has_counterpart(segment),
                    };
                    if !is_decided {
                        return undecided(inside.first().map_or("", |field| &field.name));
                    }
                }
                Segment::Literal(_) | Segment::Derived(_) => {}
            }
        }
        Ok(None)
    }

    /// Returns an old part that a value is made of, and that a row of the piece may lack.
    fn may_lack(&self, make: &Make) -> Option<Vec<String>> {
        let view = self.migration.old_type(self.piece.from);
        sources(make).into_iter().find(|path| {
            let Some(root) = path.first() else { return false };
            let only = match self.allowed(root) {
                Some(Class::Choices(kept)) => match &kept[..] {
                    [only] => Some(*only),
                    _ => None,
                },
                _ => None,
            };
            !is_always_present(&view.identity, path, only)
        })
    }

    /// Whether an optional part of the new key is present exactly if one of the old key is: both
    /// have the same fields under the same guard, and all of them keep their names and choices.
    fn has_counterpart(&self, part: &Segment) -> bool {
        let Segment::Option(new) = part else { return false };
        let old = self.migration.old_type(self.piece.from);
        let same_name = |name: &str| {
            let make = self.moved.fields.iter().find(|(known, _)| known == name);
            make.is_some_and(|(_, make)| match make {
                Make::From { path, convert, .. } => {
                    path[..] == [name.to_owned()] && *convert == Convert::Value
                }
                Make::Within { path, .. } | Make::Arms { path, .. } | Make::Each { path, .. } => {
                    path[..] == [name.to_owned()]
                }
                _ => false,
            })
        };
        let shape = |segments: &[Segment]| -> Vec<(String, bool)> {
            let fields = fields_with_presence(segments);
            fields.map(|(field, is_optional)| (field.name.clone(), is_optional)).collect()
        };
        let has_inner_options =
            new.segments.iter().any(|segment| matches!(segment, Segment::Option(_)));
        let names = shape(&new.segments);
        old.identity.iter().any(|segment| match segment {
            Segment::Option(other) => {
                let same_fields = shape(&other.segments) == names
                    && names.iter().all(|(name, _)| same_name(name))
                    && !has_inner_options;
                same_fields && self.same_guard(other.guard.as_ref(), new.guard.as_ref(), &same_name)
            }
            _ => false,
        })
    }

    /// Whether two guards hold for the same rows: the same conditions on fields with the same
    /// choices.
    fn same_guard(
        &self,
        old: Option<&Guard>,
        new: Option<&Guard>,
        same_name: &dyn Fn(&str) -> bool,
    ) -> bool {
        let (Some(old), Some(new)) = (old, new) else { return old.is_none() && new.is_none() };
        let view = |is_old: bool| match is_old {
            true => self.migration.old_type(self.piece.from),
            false => self.migration.new_type(self.moved.to),
        };
        let mut same = old == new;
        new.each_condition(&mut |field, _| {
            let choices = |is_old| {
                let ty = view(is_old).type_at(&[field.to_owned()]);
                ty.and_then(|ty| {
                    ty.choices()
                        .map(|names| names.into_iter().map(str::to_owned).collect::<Vec<_>>())
                })
            };
            same &= same_name(field) && choices(true) == choices(false);
        });
        same
    }

    /// Returns a row of the piece without a part.
    fn row_without(&self, path: &[String]) -> Result<Option<Row>, Undecided> {
        let rows = rows_of(*self);
        let mut lacking: Vec<Row> =
            rows.into_iter().filter(|row| part(&row.fields, path).is_none()).collect();
        lacking.sort_by_key(|row| row.key.len());
        if lacking.is_empty() {
            let row = self.migration.row_with(self.piece, &[], self.budget)?;
            return Ok(row.filter(|row| part(&row.fields, path).is_none()));
        }
        Ok(lacking.into_iter().next())
    }

    /// Tries some rows of the piece.
    fn sampled(&self) -> Option<MigrationFault> {
        rows_of(*self).into_iter().find_map(|row| self.fault_of(row, None, false))
    }
}

/// Returns some rows of a piece.
pub(super) fn rows_of(of: MovedPiece<'_, '_>) -> Vec<Row> {
    let MovedPiece { migration, piece, budget, .. } = of;
    let identity = migration.old_type(piece.from).identity.clone();
    let alone = migration.old.with_keys(vec![("row".to_owned(), identity)], piece.from);
    let records = sample::records(&KeyReader::new(&alone, budget), KeyspaceId(0), &[]);
    records.into_iter().filter_map(|fields| migration.row_of(piece, fields)).collect()
}

/// Returns the old parts that a value is made of.
fn sources(make: &Make) -> Vec<PartPath> {
    match make {
        Make::From { path, .. }
        | Make::Within { path, .. }
        | Make::Arms { path, .. }
        | Make::Each { path, .. } => vec![path.clone()],
        Make::Constant { .. } | Make::Program => Vec::new(),
        Make::Composite { parts } | Make::Arm { parts, .. } => {
            parts.fields.iter().flat_map(|(_, make)| sources(make)).collect()
        }
    }
}

/// Whether a value is put together from several old parts, so that it is made even without them.
const fn is_assembled(make: &Make) -> bool {
    matches!(make, Make::Composite { .. } | Make::Arm { .. })
}

/// Whether every row has a part. `only` is the only arm that the first field of the path can have.
/// The value and the score of a row are not in its key, and always present.
fn is_always_present(segments: &[Segment], path: &[String], only: Option<usize>) -> bool {
    let Some((name, rest)) = path.split_first() else { return true };
    let Some(field) = direct_field(segments, name) else {
        return keyscape_layout::field(segments, name).is_none();
    };
    match (&*field.ty, rest) {
        (_, []) => true,
        (Type::Composite(inner), rest) => is_always_present(inner, rest, None),
        (Type::Variant(arms), [arm, rest @ ..]) => {
            let is_only = |at: usize| arms.len() == 1 || only == Some(at);
            arms.iter().enumerate().any(|(at, known)| {
                known.name == *arm
                    && is_only(at)
                    && (rest.is_empty() || is_always_present(&known.segments, rest, None))
            })
        }
        _ => false,
    }
}

/// Whether a value may lack a part that its type requires, or have only some fields of an optional
/// part.
fn may_be_incomplete(make: &Make) -> bool {
    let has_options = |ty: &Type| {
        keyscape_layout::traverse::traverse_type(ty)
            .any(|item| matches!(item.kind, keyscape_layout::traverse::ItemKind::Option(_)))
    };
    let incomplete = |parts: &Parts| {
        !parts.is_complete || parts.fields.iter().any(|(_, make)| may_be_incomplete(make))
    };
    match make {
        Make::From { from, to, convert, .. } => {
            *convert != Convert::SameBytes
                && (has_options(from) || has_options(to))
                && !from.is_same(to)
        }
        Make::Constant { .. } | Make::Program => false,
        Make::Each { element, .. } => may_be_incomplete(element),
        Make::Arms { arms, .. } => arms.iter().any(|(_, parts)| incomplete(parts)),
        Make::Within { parts, .. } | Make::Composite { parts } | Make::Arm { parts, .. } => {
            incomplete(parts)
        }
    }
}

/// Puts a value into the value or score of a row, if the path has no arms or fields on the way.
fn whole_value(path: &[String], datum: Datum) -> Option<Datum> {
    let (_, rest) = path.split_first()?;
    let mut whole = datum;
    for name in rest.iter().rev() {
        if name == ELEMENT {
            whole = Datum::List(vec![whole]);
        } else {
            whole = Datum::Record(Record(vec![(name.clone(), whole)]));
        }
    }
    Some(whole)
}
