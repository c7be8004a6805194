//! KS113: every moved value is in the domain of the new field.
//!
//! Each value that becomes a part of a new row is checked on its own, leaf by leaf. Only values
//! that the condition of its piece selects are considered. A value that does not fit is put into a
//! shortest row, and the row is converted to confirm the finding.

use super::{
    FormPlan,
    claim::{MigrationFault, MovedPiece, Undecided, Verdict},
    convert::Convert,
    make::{Flow, How, MadeField, Make, PartPath, Parts, is_single, part, set_in},
    narrow::{narrowed_type, through_type, type_without},
    row::{OldRow, OldValue, SCORE, VALUE, fields_with_presence},
    unfitting::{uncertain, uncertain_value, unfitting},
};
use keyscape_layout::{
    Datum, RowDatum, ValueReader, direct_field, encode_value, field, fields,
    guard::{Class, Guard},
    model::{Field, OptionSegment, RowValue, Segment, Type},
    traverse::{ItemKind, traverse_type},
};
use keyscape_prover::Row;
use std::sync::Arc;

/// Decides the claim for one piece.
pub(super) fn check(of: MovedPiece<'_>) -> Verdict {
    let moved = of.moved;
    if moved.otherwise.is_some() || moved.is_identical {
        return Verdict::Proved;
    }
    let by_program = moved.made_by_program().next();
    let mut unknown = None;
    let mut flows = of.flows();
    if of.has_older_form() {
        // A field of the key that is made from the value must fit for the older form as well.
        let is_other = |flow: &&Flow| !of.is_same_in_older_form(flow);
        unknown = flows.iter().find(is_other).map(uncertain);
    }
    let mut older = Vec::new();
    for (plan, flows) in [(&moved.value.declared, &mut flows), (&moved.value.reads, &mut older)] {
        match plan {
            FormPlan::Make(make) => flows.extend(make.flows(VALUE)),
            FormPlan::Unfit if of.has_older_form() => {
                unknown = unknown.or_else(|| Some(uncertain_value(VALUE)));
            }
            FormPlan::Keep | FormPlan::Fixed | FormPlan::Unfit => {}
        }
    }
    let declared = flows.iter().map(|flow| of.flow(flow, false));
    let found = declared.chain(older.iter().map(|flow| of.flow(flow, true)));
    for found in found.chain(std::iter::once_with(|| of.presence())) {
        match found {
            Ok(None) => {}
            Ok(Some(fault)) if by_program.is_none() => return Verdict::Refuted(fault),
            // The fault cannot be confirmed, because only the program makes a whole row.
            Ok(Some(_)) => {
                let reason = "it is not certain that every row fits without the program's fields";
                unknown = unknown.or_else(|| Some(Undecided::because(reason)));
            }
            Err(undecided) => unknown = unknown.or(Some(undecided)),
        }
    }
    match (unknown, by_program) {
        (None, None) => Verdict::Proved,
        (None, Some(field)) => Verdict::Unknown(Undecided::Program { field: field.to_owned() }),
        (Some(undecided), Some(_)) => Verdict::Unknown(undecided),
        (Some(undecided), None) => match of.sampled() {
            Some(fault) => Verdict::Refuted(fault),
            None => Verdict::Unknown(undecided),
        },
    }
}

/// A part of a row outside of its key.
enum Other {
    Nothing,
    Score(Datum),
    Value(OldValue),
}

impl MovedPiece<'_> {
    /// Whether a value has the same type in rows with the older form of values.
    fn is_same_in_older_form(&self, flow: &Flow) -> bool {
        let Some((root, rest)) = flow.source.split_first() else { return true };
        if root != VALUE || field(&self.old_type().parts, root).is_some() {
            return true;
        }
        let older = self.old_type().reads.as_ref().and_then(|ty| ty.type_at(rest));
        older.is_some_and(|ty| ty.is_same(&flow.from))
    }

    /// Checks one value of the rows. `is_older` means a part of a value in the older form.
    fn flow(&self, flow: &Flow, is_older: bool) -> Result<Option<MigrationFault>, Undecided> {
        for from in self.sources(flow)? {
            let unfitting = unfitting(*self, &from, flow)?;
            if unfitting.values.is_empty() {
                continue;
            }
            for value in unfitting.values {
                let fault = match is_older {
                    true => self.confirm_older(flow, value)?,
                    false => self.confirm(flow, value, unfitting.is_shortest)?,
                };
                if fault.is_some() {
                    return Ok(fault);
                }
            }
            return Err(uncertain(flow));
        }
        Ok(None)
    }

    /// Returns the types of the old part in the cases of the piece. The list is empty if no row of
    /// the piece has the part.
    fn sources(&self, flow: &Flow) -> Result<Vec<Arc<Type>>, Undecided> {
        let Some(first) = flow.source.first() else { return Ok(Vec::new()) };
        let mut classes: Vec<Option<Class>> = Vec::new();
        for case in self.cases(&[])? {
            let class = case.class(first).cloned();
            if !classes.contains(&class) {
                classes.push(class);
            }
        }
        let outer = self.old_type().type_at(std::slice::from_ref(first));
        let types = classes.into_iter().filter_map(|class| match (class, flow.source.get(1)) {
            (None, _) => Some(Arc::clone(&flow.from)),
            (Some(class), None) => Some(Arc::new(narrowed_type(&flow.from, &class))),
            (Some(Class::Choices(choices)), Some(arm)) => {
                let names = outer.as_ref().and_then(|ty| ty.choices())?;
                let is_left = choices.iter().any(|&at| names.get(at) == Some(&arm.as_str()));
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
        let is_in_key = flow.source.first().is_some_and(|root| self.old_type().is_in_key(root));
        if let (false, Some((root, rest))) = (is_in_key, flow.source.split_first()) {
            let other = match root == VALUE {
                true => self.declared_value(Some((rest, value.clone()))),
                false => self.score_with(rest, value.clone()).map(Other::Score),
            };
            let row = self.row_with(&[])?;
            let fault = row
                .zip(other)
                .and_then(|(row, other)| self.fault_of(row, other, Some(value), is_shortest));
            return Ok(fault);
        }
        let row = self.row_with(&flow.source)?;
        let row = row.and_then(|base| self.row_where(&base, &flow.source, value));
        Ok(row.and_then(|row| self.fault_of(row, Other::Nothing, None, is_shortest)))
    }

    /// Returns the fault of a row with the part in a value of the older form, if the row does not
    /// fit.
    fn confirm_older(
        &self,
        flow: &Flow,
        value: Datum,
    ) -> Result<Option<MigrationFault>, Undecided> {
        let Some((_, rest)) = flow.source.split_first() else { return Ok(None) };
        let Some(other) = self.older_value(Some((rest, value.clone()))) else {
            return Ok(None);
        };
        let row = self.row_with(&[])?;
        Ok(row.and_then(|row| self.fault_of(row, other, Some(value), false)))
    }

    /// Returns a value of the older form, with a part that is given by its path in the value. The
    /// declared form must not read the bytes, because bytes of both forms are read in the declared
    /// one.
    fn older_value(&self, part: Option<(&[String], Datum)>) -> Option<Other> {
        let keyspace = self.migration.old.keyspace(self.piece.from);
        let declared = ValueReader::new(keyspace.value.as_ref(), self.budget).ok()?;
        let mut values = examples_with(self.old_type().reads.as_ref()?, part);
        values.find_map(|value| {
            let (value, bytes) = encoded(keyspace.reads.as_ref(), value)?;
            declared.read(&bytes).is_err().then_some(Other::Value(OldValue::Reads(value)))
        })
    }

    /// Returns a value of the declared form, with a part that is given by its path in the value.
    fn declared_value(&self, part: Option<(&[String], Datum)>) -> Option<Other> {
        let mut values = examples_with(self.old_type().value.as_ref()?, part);
        values.find_map(|value| self.declared(value))
    }

    /// Returns a value of the declared form without the part at a path in the value.
    fn declared_value_without(&self, path: &[String]) -> Option<Other> {
        let ty = self.old_type().value.as_ref()?;
        let values = type_without(ty, path)?;
        values
            .examples()
            .filter_map(|value| ty.repaired(value))
            .find_map(|value| self.declared(value))
    }

    /// Returns the value if the declared form has it.
    fn declared(&self, value: Datum) -> Option<Other> {
        let form = self.migration.old.keyspace(self.piece.from).value.as_ref();
        encoded(form, value).map(|(value, _)| Other::Value(OldValue::Declared(value)))
    }

    /// Returns a score with a part that is given by its path in the score.
    fn score_with(&self, path: &[String], part: Datum) -> Option<Datum> {
        examples_with(self.old_type().score.as_ref()?, Some((path, part))).next()
    }

    /// Converts a row, and returns the fault if it does not fit. `shown` is the part of the value
    /// that does not fit. If the key is made from the value, a row without a value gets an example.
    fn fault_of(
        &self,
        row: Row,
        other: Other,
        shown: Option<Datum>,
        minimal: bool,
    ) -> Option<MigrationFault> {
        let mut fields = row.fields.clone();
        let other = match other {
            Other::Nothing if self.makes_key_from_value() => self.declared_value(None)?,
            other => other,
        };
        let (score, value) = match other {
            Other::Nothing => (None, OldValue::Unread),
            Other::Score(score) => (Some(score), OldValue::Unread),
            Other::Value(value) => (None, value),
        };
        if let Some(score) = score {
            fields.set(SCORE, score);
        } else if let (Some(ty), None) = (&self.old_type().score, fields.get(SCORE)) {
            fields.set(SCORE, ty.example()?);
        }
        let old = OldRow { keyspace: self.piece.from, fields, value };
        let unfit = self.migration.image(self.moved, &old).err()?;
        let (field, reason) = (unfit.field, unfit.reason);
        Some(MigrationFault::Unfit { row, value: shown, field, reason, minimal })
    }

    /// Looks for rows whose optional parts are present or absent in a way that the new layout does
    /// not allow.
    fn presence(&self) -> Result<Option<MigrationFault>, Undecided> {
        let undecided = |field: &str| {
            Err(Undecided::Because(format!(
                "it is not certain that the optional part with `{field}` fits every row"
            )))
        };
        let made = self.moved.fields.iter().map(|field| (field.name.as_str(), &field.make));
        let mut made = made.chain(self.values().map(|make| (VALUE, make)));
        if let Some((name, _)) = made.find(|(_, make)| may_be_incomplete(make)) {
            return undecided(name);
        }
        let lacking = |name: &str, make: &Make| {
            let Some(path) = self.may_lack(make) else { return Ok(None) };
            let (row, other) = match self.path_in_value(&path) {
                Some(rest) if self.is_always_in_declared_form(rest) => {
                    (self.row_with(&[])?, self.older_value(None))
                }
                Some(rest) => (self.row_with(&[])?, self.declared_value_without(rest)),
                None => (self.row_without(&path)?, Some(Other::Nothing)),
            };
            let fault =
                row.zip(other).and_then(|(row, other)| self.fault_of(row, other, None, false));
            match fault {
                Some(fault) => Ok(Some(fault)),
                None => undecided(name),
            }
        };
        for segment in &self.new_type().parts {
            match segment {
                Segment::Field(field) => {
                    let make = MadeField::find(&self.moved.fields, &field.name);
                    if let Some(fault) = make.map_or(Ok(None), |make| lacking(&field.name, make))? {
                        return Ok(Some(fault));
                    }
                }
                Segment::Option(option) => {
                    let inside = fields(&option.segments);
                    let make = |field: &Field| MadeField::find(&self.moved.fields, &field.name);
                    let by_program = |field: &&Field| matches!(make(field), Some(Make::Program));
                    let is_decided = match &inside[..] {
                        inside if inside.iter().any(by_program) => true,
                        [field] if is_single(option) => make(field).is_none_or(|make| {
                            !is_assembled(make) || self.may_lack(make).is_none()
                        }),
                        _ => self.has_counterpart(option),
                    };
                    if !is_decided {
                        return undecided(inside.first().map_or("", |field| &field.name));
                    }
                }
                Segment::Literal(_) | Segment::Derived(_) => {}
            }
        }
        let mut values = self.values().map(|make| lacking(VALUE, make));
        values.find(|found| !matches!(found, Ok(None))).unwrap_or(Ok(None))
    }

    /// Yields the rules that make the value of a row, for each form that the old value may have.
    fn values(&self) -> impl Iterator<Item = &Make> {
        let plans = [&self.moved.value.declared, &self.moved.value.reads];
        let forms = if self.has_older_form() { 2 } else { 1 };
        plans.into_iter().take(forms).filter_map(|plan| match plan {
            FormPlan::Make(make) => Some(make),
            FormPlan::Keep | FormPlan::Fixed | FormPlan::Unfit => None,
        })
    }

    /// Whether values of old rows may have the form after `reads`.
    fn has_older_form(&self) -> bool {
        self.migration.old.keyspace(self.piece.from).reads.is_some()
    }

    /// Returns an old part that a value is made from and that a row of the piece may lack.
    fn may_lack(&self, make: &Make) -> Option<PartPath> {
        make.sources().into_iter().find(|path| !self.has_always(path))
    }

    /// Returns the rest of a path that begins at the value of a row.
    fn path_in_value<'p>(&self, path: &'p [String]) -> Option<&'p [String]> {
        let (root, rest) = path.split_first()?;
        field(&self.old_type().parts, root).is_none().then_some(rest)
    }

    /// Whether every value in the declared form has the part at a path in the value.
    fn is_always_in_declared_form(&self, path: &[String]) -> bool {
        self.old_type().value.as_ref().is_some_and(|ty| has_part(ty, path, None))
    }

    /// Whether a field of the new key or the new score is made from the value.
    fn makes_key_from_value(&self) -> bool {
        let mut sources = self.moved.fields.iter().flat_map(|field| field.make.sources());
        sources.any(|path| self.path_in_value(&path).is_some())
    }

    /// Whether every row of the piece has a part.
    fn has_always(&self, path: &[String]) -> bool {
        let Some((root, rest)) = path.split_first() else { return true };
        let rows = self.old_type();
        if field(&rows.parts, root).is_none() {
            // A part of the value, in each form.
            return [&rows.value, &rows.reads]
                .into_iter()
                .flatten()
                .all(|ty| has_part(ty, rest, None));
        }
        let only = match self.allowed(root) {
            Some(Class::Choices(choices)) if choices.len() == 1 => choices.first().copied(),
            _ => None,
        };
        direct_field(&rows.parts, root).is_some_and(|field| has_part(&field.ty, rest, only))
    }

    /// Whether an optional part of the new key is present exactly if a part of the old key is. Both
    /// parts must have the same fields under the same guard, and all fields must keep their names
    /// and choices.
    fn has_counterpart(&self, new: &OptionSegment) -> bool {
        let keeps_name = |name: &str| match MadeField::find(&self.moved.fields, name) {
            Some(Make::From { path, how, .. }) => {
                let is_same = !matches!(how, How::Whole(convert) if *convert != Convert::Value);
                is_same && path[..] == [name.to_owned()]
            }
            _ => false,
        };
        let has_options = new.segments.iter().any(|part| matches!(part, Segment::Option(_)));
        let names = |option: &OptionSegment| -> Vec<(String, bool)> {
            let fields = fields_with_presence(&option.segments);
            fields.map(|(field, is_optional)| (field.name.clone(), is_optional)).collect()
        };
        !has_options
            && names(new).iter().all(|(name, _)| keeps_name(name))
            && self.old_type().identity.iter().any(|segment| match segment {
                Segment::Option(old) => {
                    names(old) == names(new)
                        && self.same_guard(old.guard.as_ref(), new.guard.as_ref(), &keeps_name)
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
        keeps_name: &dyn Fn(&str) -> bool,
    ) -> bool {
        let (Some(old), Some(new)) = (old, new) else { return old.is_none() && new.is_none() };
        let same_choices = |field: &str| {
            let path = [field.to_owned()];
            let (a, b) = (self.old_type().type_at(&path), self.new_type().type_at(&path));
            a.as_ref().map(|ty| ty.choices()) == b.as_ref().map(|ty| ty.choices())
        };
        let same_field = |field: &str| keeps_name(field) && same_choices(field);
        old == new && new.conditions().iter().all(|(field, _)| same_field(field))
    }

    /// Returns a row of the piece without a part.
    fn row_without(&self, path: &[String]) -> Result<Option<Row>, Undecided> {
        let lacks = |row: &Row| part(&row.fields, path).is_none();
        let rows = self.sample_rows().into_iter().filter(lacks);
        match rows.min_by_key(|row| row.key.len()) {
            Some(row) => Ok(Some(row)),
            None => Ok(self.row_with(&[])?.filter(lacks)),
        }
    }

    /// Tries some rows of the piece, with an example of their value.
    fn sampled(&self) -> Option<MigrationFault> {
        self.sample_rows().into_iter().find_map(|row| {
            let other = self.declared_value(None).unwrap_or(Other::Nothing);
            self.fault_of(row, other, None, false)
        })
    }
}

/// Whether a value is made from several old parts. Such a value exists even if those parts are
/// absent.
const fn is_assembled(make: &Make) -> bool {
    matches!(make, Make::Composite(_) | Make::Arm { .. })
}

/// Whether every value of a type has a part. `only` is the only arm that the value can have.
fn has_part(ty: &Type, path: &[String], only: Option<usize>) -> bool {
    let in_list = |segments: &[Segment], path: &[String]| match path.split_first() {
        None => true,
        Some((name, rest)) => {
            direct_field(segments, name).is_some_and(|field| has_part(&field.ty, rest, None))
        }
    };
    match (ty, path) {
        (_, []) => true,
        (Type::Composite(segments), path) => in_list(segments, path),
        (Type::Variant(arms), [arm, rest @ ..]) => {
            let is_only = |at: usize| arms.len() == 1 || only == Some(at);
            let mut arms = arms.iter().enumerate();
            arms.any(|(at, other)| {
                other.name == *arm && is_only(at) && in_list(&other.segments, rest)
            })
        }
        _ => false,
    }
}

/// Whether a made value may lack a part that its type requires, or may have only some fields of an
/// optional part.
fn may_be_incomplete(make: &Make) -> bool {
    let has_options =
        |ty: &Type| traverse_type(ty).any(|item| matches!(item.kind, ItemKind::Option(_)));
    let incomplete = |parts: &Parts| {
        !parts.is_complete || parts.fields.iter().any(|field| may_be_incomplete(&field.make))
    };
    match make {
        Make::Constant(_) | Make::Program => false,
        Make::Composite(parts) | Make::Arm { parts, .. } => incomplete(parts),
        Make::From { from, to, how, .. } => match how {
            How::Whole(Convert::SameBytes) => false,
            How::Whole(_) => (has_options(from) || has_options(to)) && !from.is_same(to),
            How::Fields(parts) => incomplete(parts),
            How::Arms(arms) => arms.iter().any(|(_, parts)| incomplete(parts)),
            How::Elements(element) => may_be_incomplete(element),
        },
    }
}

/// Yields values of a type, with a part that is given by its path.
fn examples_with(ty: &Type, part: Option<(&[String], Datum)>) -> impl Iterator<Item = Datum> {
    let narrowed = through_type(ty, part.as_ref().map_or(&[], |(path, _)| path));
    let examples: Vec<Datum> = narrowed.examples().collect();
    examples.into_iter().filter_map(move |mut value| {
        let Some((path, part)) = &part else { return ty.repaired(value) };
        set_in(&mut value, path, part.clone()).then_some(())?;
        let value = ty.repaired(value)?;
        // A guard may have removed the part.
        let mut with_part = value.clone();
        (set_in(&mut with_part, path, part.clone()) && with_part == value).then_some(value)
    })
}

/// Returns a value with its bytes, if the form has the value.
fn encoded(form: Option<&RowValue>, value: Datum) -> Option<(RowDatum, Vec<u8>)> {
    let (value, mut bytes) = (RowDatum::Datum(value), Vec::new());
    encode_value(form, &value, &mut bytes).ok()?;
    Some((value, bytes))
}
