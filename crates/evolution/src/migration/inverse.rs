//! KS115: the inverse migration exists.
//!
//! The inverse is written as a declaration. It computes each part of an old row from the new row,
//! or sets a constant if the part has only one value. To check it, the declaration is read again,
//! and rows are converted to the new layout and back.

use super::{
    Action, FormPlan, Migration, Piece,
    assign_value::form_of_other_bytes,
    claim::{MigrationFault, MovedPiece, Undecided, Verdict},
    constant::{constant_text, is_one_of},
    convert::Convert,
    injective::{are_apart, makes_apart},
    make::{Flow, MadeField, Make, child},
    resolve::written_name,
    row::{OldRow, SCORE, VALUE, fields_with_presence},
};
use crate::{
    compare::Direction::Forward,
    correspondence::{ELEMENT, is_symmetric},
    value::is_read_by,
};
use keyscape_automata::Budget;
use keyscape_layout::{
    Datum, Record, direct_field, fields,
    model::{RowValue, Segment, Type},
};
use std::fmt::Write;

/// Returns the verdict for rows that are dropped.
fn dropped(reason: &str) -> Verdict {
    Verdict::Refuted(MigrationFault::Dropped { reason: reason.to_owned() })
}

/// Returns the verdict for a part that cannot be computed from the new row.
fn lost(field: &str) -> Verdict {
    Verdict::Refuted(MigrationFault::Lost { field: field.to_owned() })
}

/// Returns the verdict for a part whose inverse no declaration expresses.
fn unwritten(field: &str) -> Verdict {
    let reason = format!("the inverse of the field `{field}` cannot be written");
    Verdict::Unknown(Undecided::Because(reason))
}

/// Returns the verdict for rows of a keyspace whose inverse no declaration expresses.
fn unwritten_rows(keyspace: &str) -> Verdict {
    let reason = format!("the inverse for rows of `{keyspace}` cannot be written");
    Verdict::Unknown(Undecided::Because(reason))
}

/// A result, or the verdict about a piece that has no inverse.
type Inverse<T> = Result<T, Box<Verdict>>;

/// Writes the inverse of a migration. Returns the verdict of each piece that moves or drops rows,
/// and the text if all are proved.
pub(super) fn check<'m>(
    migration: &'m Migration<'_>,
    budget: Budget<'_>,
) -> (Vec<(&'m Piece, Verdict)>, Option<String>) {
    let mut verdicts = Vec::new();
    let mut statements: Vec<(bool, String)> = Vec::new();
    for piece in &migration.pieces {
        let verdict = match &piece.action {
            Action::Derive { .. } => continue,
            Action::Drop { reason } => dropped(reason),
            Action::Move(moved) => {
                match (MovedPiece { migration, piece, moved, budget }).statement() {
                    Ok(statement) => {
                        statements.extend(statement);
                        Verdict::Proved
                    }
                    Err(verdict) => *verdict,
                }
            }
        };
        verdicts.push((piece, verdict));
    }
    if verdicts.iter().any(|(_, verdict)| *verdict != Verdict::Proved) {
        return (verdicts, None);
    }
    // Statements with a condition come first, because the first one that holds applies.
    statements.sort_by_key(|(is_whole, _)| *is_whole);
    let written: String = statements.into_iter().map(|(_, statement)| statement).collect();
    let inverse = Migration::read(&written, migration.new, migration.old).ok();
    for (piece, verdict) in &mut verdicts {
        let Action::Move(moved) = &piece.action else { continue };
        let of = MovedPiece { migration, piece, moved, budget };
        if !inverse.as_ref().is_some_and(|inverse| of.is_inverted_by(inverse)) {
            *verdict = unwritten_rows(&migration.old.keyspace(piece.from).name);
        }
    }
    let is_proved = verdicts.iter().all(|(_, verdict)| *verdict == Verdict::Proved);
    (verdicts, is_proved.then_some(written))
}

/// Checks that the inverse does not create a field of an optional part for rows that lack the part.
/// An assignment that does not depend on the new row would create it.
fn check_optional(
    path: &[String],
    is_optional: bool,
    lines: &[String],
    flows: &[Flow],
) -> Inverse<()> {
    let is_of_field = |flow: &Flow| flow.source.starts_with(path);
    match is_optional && !lines.is_empty() && !flows.iter().any(is_of_field) {
        true => Err(Box::new(unwritten(&path.join(".")))),
        false => Ok(()),
    }
}

impl MovedPiece<'_> {
    /// Whether an inverse migration restores sample rows of the piece.
    fn is_inverted_by(&self, inverse: &Migration<'_>) -> bool {
        self.sample_rows().into_iter().all(|row| {
            let mut fields = row.fields;
            if let Some(score) = &self.old_type().score {
                fields.0.extend(score.example().map(|score| (SCORE.to_owned(), score)));
            }
            let old = OldRow::unread(self.piece.from, fields);
            let Ok(image) = self.migration.image(self.moved, &old) else { return true };
            let back = inverse.piece_of(image.keyspace, &image.fields);
            let Some(Action::Move(back)) = back.map(|piece| &piece.action) else { return false };
            let image = OldRow::unread(image.keyspace, image.fields);
            inverse.image(back, &image).is_ok_and(|back| {
                let is_same = |name: &str| back.fields.get(name) == old.fields.get(name);
                back.keyspace == old.keyspace
                    && back.fields.0.len() == old.fields.0.len()
                    && old.fields.0.iter().all(|(name, _)| is_same(name))
            })
        })
    }

    /// Returns the statement, and whether it has no condition. Returns `None` if the default move
    /// to the counterpart is enough.
    fn statement(&self) -> Inverse<Option<(bool, String)>> {
        if let Some(reason) = &self.moved.otherwise {
            return Err(Box::new(dropped(reason)));
        }
        let condition = self.condition()?;
        let mut lines = Vec::new();
        self.inner(&self.old_type().parts, &[], &self.flows(), &mut lines)?;
        self.value_lines(&mut lines)?;
        let (from, to) = (self.piece.from, self.moved.to);
        let (old, new) = (self.migration.old, self.migration.new);
        let is_default = lines.is_empty()
            && condition.is_none()
            && old.keyspace(from).name == new.keyspace(to).name
            && old.store(old.keyspace(from).store).name == new.store(new.keyspace(to).store).name;
        if is_default {
            return Ok(None);
        }
        let mut written = format!("move {}", written_name(new, to));
        if let Some(condition) = &condition {
            let _ = write!(written, " where {condition}");
        }
        let _ = write!(written, " to {}", written_name(old, from));
        if !lines.is_empty() {
            let _ = write!(written, " {{\n    {}\n}}", lines.join("\n    "));
        }
        written.push('\n');
        Ok(Some((condition.is_none(), written)))
    }

    /// Returns the condition that selects the rows of the piece among those of the new keyspace.
    fn condition(&self) -> Inverse<Option<String>> {
        let others = self.migration.moved_pieces(self.budget).filter(|other| {
            !std::ptr::eq(other.piece, self.piece) && other.moved.to == self.moved.to
        });
        let others: Vec<MovedPiece<'_>> = others.collect();
        let Some(first) = others.first() else { return Ok(None) };
        if others.iter().any(|other| !are_apart(*other, *self)) {
            let merged = MigrationFault::Merged { other: first.piece.from };
            return Err(Box::new(Verdict::Refuted(merged)));
        }
        let (mut conditions, mut undistinguished) = (Vec::new(), others);
        for MadeField { name, make, .. } in &self.moved.fields {
            let Some(field) = direct_field(&self.new_type().identity, name) else { continue };
            if !self.new_type().is_in_key(name) {
                continue;
            }
            let condition = match (self.choices(make), make) {
                (Some(names), _) => is_one_of(name, &names, &field.ty),
                (None, Make::Constant(datum @ Datum::Leaf(_))) if matches!(&*field.ty, Type::Leaf(leaf) if leaf.codec.integers().is_some()) => {
                    constant_text(datum).map(|number| format!("{name} in {number}..={number}"))
                }
                _ => None,
            };
            let Some(condition) = condition else { continue };
            conditions.push(condition);
            undistinguished.retain(|other| {
                let theirs = MadeField::find(&other.moved.fields, name);
                !theirs.is_some_and(|theirs| makes_apart((*self, make), (*other, theirs)))
            });
        }
        match undistinguished.is_empty() {
            true => Ok(Some(conditions.join(" and "))),
            false => {
                let name = &self.migration.old.keyspace(self.piece.from).name;
                Err(Box::new(unwritten_rows(name)))
            }
        }
    }

    /// Adds the assignments of an old part, except those that are the default.
    fn lines(
        &self,
        ty: &Type,
        path: &[String],
        flows: &[Flow],
        lines: &mut Vec<String>,
    ) -> Inverse<()> {
        let written = path.join(".");
        let lost = || Box::new(lost(&written));
        let narrowed = self.narrowed(ty, path);
        let ty = narrowed.as_ref().unwrap_or(ty);
        if let Some(flow) = flows.iter().find(|flow| flow.source == path) {
            let target = flow.target.join(".");
            let kind = match &*flow.from {
                Type::Leaf(leaf) => leaf.codec.kind(),
                _ => keyscape_codec::Kind::Bytes,
            };
            let inverse = flow.convert.inverse(kind).ok_or_else(lost)?;
            let function = Convert::FUNCTIONS.iter().find(|(_, convert)| *convert == inverse);
            match function {
                None if target == written => {}
                None => lines.push(format!("{written} = {target}")),
                Some((name, _)) => lines.push(format!("{written} = {name}({target})")),
            }
            return match flow.convert {
                Convert::Value if !is_symmetric(&flow.from, &flow.to) => {
                    Err(Box::new(unwritten(&written)))
                }
                Convert::Value => self.check_inside(ty, path, flows),
                _ => Ok(()),
            };
        }
        match ty {
            Type::Composite(segments) => self.inner(segments, path, flows, lines),
            Type::Variant(arms) if arms.len() == 1 && only_value(ty).is_none() => {
                arms.iter().try_for_each(|arm| {
                    self.inner(&arm.segments, &child(path, &arm.name), flows, lines)
                })
            }
            _ => {
                let constant = only_value(ty).and_then(|value| constant_text(&value));
                lines.push(format!("{written} = {}", constant.ok_or_else(lost)?));
                Ok(())
            }
        }
    }

    fn inner(
        &self,
        segments: &[Segment],
        path: &[String],
        flows: &[Flow],
        lines: &mut Vec<String>,
    ) -> Inverse<()> {
        for (field, is_optional) in fields_with_presence(segments) {
            let path = child(path, &field.name);
            let mut own = Vec::new();
            self.lines(&field.ty, &path, flows, &mut own)?;
            check_optional(&path, is_optional, &own, flows)?;
            lines.extend(own);
        }
        Ok(())
    }

    /// Checks that all parts inside a variant or list are restored together with it, because a
    /// declaration cannot assign a part of one arm among several.
    fn check_inside(&self, ty: &Type, path: &[String], flows: &[Flow]) -> Inverse<()> {
        // Parts of corresponding arms correspond in both directions.
        let inside = flows.iter().filter(|flow| flow.source.starts_with(path));
        let flows: Vec<Flow> =
            inside.map(|flow| Flow { target: flow.source.clone(), ..flow.clone() }).collect();
        let flows = flows.as_slice();
        let mut lines = Vec::new();
        match ty {
            Type::Variant(arms) => {
                for arm in arms {
                    self.inner(&arm.segments, &child(path, &arm.name), flows, &mut lines)?;
                }
            }
            Type::List(list) => {
                self.lines(&list.element, &child(path, ELEMENT), flows, &mut lines)?;
            }
            Type::Leaf(_) | Type::Enum(_) | Type::Composite(_) => {}
        }
        if lines.is_empty() { Ok(()) } else { Err(Box::new(unwritten(&path.join(".")))) }
    }

    /// Adds the assignments of the old value.
    fn value_lines(&self, lines: &mut Vec<String>) -> Inverse<()> {
        let lost = || Err(Box::new(lost(VALUE)));
        let old = self.migration.old.keyspace(self.piece.from);
        let new = self.migration.new.keyspace(self.moved.to);
        let has_reads = old.reads.is_some();
        match (&self.moved.value.declared, &self.moved.value.reads) {
            (FormPlan::Keep, FormPlan::Keep) => {
                let olds = [&old.value, &old.reads];
                let news = [&new.value, &new.reads];
                let is_read = |form: &RowValue| {
                    olds.into_iter().flatten().any(|read| is_read_by(Forward, form, read))
                };
                let is_default =
                    news.into_iter().flatten().all(is_read) || old.value.is_none() && !has_reads;
                // No value is lost, but a declaration applies to all values of the new form.
                let means_field =
                    [self.old_type(), self.new_type()].iter().any(|rows| rows.is_in_key(VALUE));
                if !is_default && (means_field || form_of_other_bytes(new, old).is_some()) {
                    return Err(Box::new(unwritten(VALUE)));
                }
                if !is_default {
                    lines.push(format!("{VALUE} = same_bytes({VALUE})"));
                }
                Ok(())
            }
            (FormPlan::Fixed, _) if !has_reads => Ok(()),
            (FormPlan::Make(make), _) if !has_reads && !matches!(make, Make::Program) => {
                let Some(ty) = &self.old_type().value else { return lost() };
                self.lines(ty, &[VALUE.to_owned()], &make.flows(VALUE), lines)
            }
            _ => lost(),
        }
    }
}

/// Returns the value of a type that has only one value and no fields.
fn only_value(ty: &Type) -> Option<Datum> {
    match ty {
        Type::Leaf(leaf) => {
            let word = leaf.language.over().few_words(1)?.into_iter().next()?;
            leaf.codec.decode(&word).ok().map(Datum::Leaf)
        }
        Type::Enum(of) => match &of.texts[..] {
            [only] => Some(Datum::Name(only.clone())),
            _ => None,
        },
        Type::Variant(arms) => match &arms[..] {
            [only] if fields(&only.segments).is_empty() => {
                Some(Datum::Arm(only.name.clone(), Record::default()))
            }
            _ => None,
        },
        Type::Composite(_) | Type::List(_) => None,
    }
}
