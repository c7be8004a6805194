//! The fields and values of a `move`: from counterparts, and from assignments.

use super::{
    FormPlan, Moved,
    constant::constant_of,
    convert::Convert,
    make::{Counterparts, Make, Mismatch, Parts},
    resolve::{Resolver, record_class, space},
    row::{RowType, SCORE, VALUE, fields_with_presence},
};
use crate::alike::have_same_bytes;
use keyscape_layout::{
    Span, did_you_mean, encode_type,
    model::{KeyspaceId, Segment, Type, same_segments},
    syntax::ast::{Assign, AssignSource, Move, Name},
};
use std::sync::Arc;

impl Resolver<'_> {
    /// Resolves a move of rows of an old keyspace to a new one.
    pub(super) fn make(
        &mut self,
        from: KeyspaceId,
        to: KeyspaceId,
        assigns: &[Assign],
        (span, statement): (Span, Option<&Move>),
    ) -> Option<Moved> {
        let before = self.diagnostics.len();
        let (old, new) =
            (RowType::at(&self.old_types, from).clone(), RowType::at(&self.new_types, to).clone());
        let (a, b) = (self.old.keyspace(from), self.new.keyspace(to));
        let at = statement.map_or(Span::default(), |_| span);
        if record_class(self.old, from) != record_class(self.new, to) {
            let message = format!("rows of `{}` cannot become rows of `{}`", a.name, b.name);
            return self.fail(at, message, Some("drop the rows with a reason".to_owned()));
        }
        let targets = self.targets(assigns, &new);
        self.check_program(&targets, from);
        let pairs = Counterparts::new(&old.identity, &new.identity);
        let mut fields = Vec::new();
        for slot in new.slots() {
            let own: Vec<&Target<'_>> =
                targets.iter().filter(|target| target.path.first() == Some(&slot.name)).collect();
            let make = if own.is_empty() {
                let other = match pairs.old(slot.name) {
                    Some(other) => Some(other),
                    None => (slot.name == SCORE && old.score.is_some()).then_some(SCORE),
                };
                self.default(other, &old, (slot.name, slot.ty, slot.is_optional), at, &b.name)
            } else {
                self.assigned(&own, 1, slot.ty, &old)
            };
            fields.extend(make.map(|make| (slot.name.to_owned(), make)));
        }
        let value = self.value(from, to, &targets, (&old, at));
        if self.diagnostics.len() > before {
            // A piece without a statement has no place in the file, so its keyspace is named.
            for found in self.diagnostics.iter_mut().skip(before).filter(|_| statement.is_none()) {
                found.message = format!("rows of `{}`: {}", a.name, found.message);
            }
            return None;
        }
        let value = Box::new(value?);
        let is_of_value = |target: &Target<'_>| target.path.first() == Some(&VALUE);
        let is_plain = targets.iter().all(is_of_value);
        let same_space = space(self.old, from) == space(self.new, to);
        let has_same_names = keyscape_layout::fields(&new.identity)
            .iter()
            .all(|field| pairs.old(&field.name) == Some(field.name.as_str()));
        let same_types = same_segments(&old.identity, &new.identity) && has_same_names;
        let keeps_key = is_plain
            && same_space
            && (same_types
                || self.has_same_bytes(from, to) && keep_bytes(&old.identity, &new.identity));
        let same_score = match (&old.score, &new.score) {
            (Some(a), Some(b)) => a.is_same(b) && is_plain,
            (None, None) => true,
            _ => false,
        };
        let is_kept = matches!((&value.declared, &value.reads), (FormPlan::Keep, FormPlan::Keep));
        let same_records = (a.counted, a.ranked) == (b.counted, b.ranked);
        let keeps_value = is_kept && same_score && same_records;
        let is_identical = keeps_key && keeps_value && same_types;
        let otherwise = None;
        Some(Moved { to, otherwise, keeps_key, keeps_value, is_identical, fields, value })
    }

    /// Whether both keyspaces have rows: the bytes of structures depend on the kinds of all
    /// records.
    fn has_same_bytes(&self, from: KeyspaceId, to: KeyspaceId) -> bool {
        !space(self.old, from).1 && !space(self.new, to).1
    }

    /// Returns the assignments by the path of their target, without those of fields that do not
    /// exist.
    fn targets<'s>(&mut self, assigns: &'s [Assign], new: &RowType) -> Vec<Target<'s>> {
        let mut targets: Vec<Target<'s>> = Vec::new();
        for assign in assigns {
            let path: Vec<&str> = assign.target.text.split('.').collect();
            let is_known = new.slots().iter().any(|slot| Some(&slot.name) == path.first())
                || path.first() == Some(&VALUE);
            if !is_known {
                let message = format!("the new keyspace has no field `{}`", assign.target.text);
                let names: Vec<&str> = new.names();
                let help = did_you_mean(&assign.target.text, names);
                self.error(assign.target.span, message, help);
                continue;
            }
            if targets.iter().any(|known| known.path == path) {
                let message = format!("`{}` has two values", assign.target.text);
                self.error(assign.target.span, message, None);
                continue;
            }
            targets.push(Target { path, assign });
        }
        targets
    }

    /// Checks that the program makes whole fields of plain rows only.
    fn check_program(&mut self, targets: &[Target<'_>], from: KeyspaceId) {
        let class = record_class(self.old, from);
        for target in targets {
            let AssignSource::Program(span) = target.assign.source else { continue };
            if target.path.len() > 1 {
                let name = target.path.first().copied().unwrap_or_default();
                let help = format!("write `{name} = program()`");
                self.error(span, "a program makes whole fields", Some(help));
            } else if class != (keyscape_codec::record::Kind::Row, false) {
                let help = "move the rows of a structure field by field".to_owned();
                self.error(span, "a program makes rows of maps, items and sequences", Some(help));
            }
        }
    }

    /// Returns the value of a field without an assignment.
    fn default(
        &mut self,
        other: Option<&str>,
        old: &RowType,
        (name, ty, is_optional): (&str, &Arc<Type>, bool),
        at: Span,
        keyspace: &str,
    ) -> Option<Make> {
        let found = other.and_then(|other| Some((other, old.type_at(&[other.to_owned()])?)));
        let Some((other, from)) = found else {
            if !is_optional {
                let message = format!("the field `{name}` of `{keyspace}` has no value");
                let help = format!("write `{name} = …`: an old field, or a constant");
                self.error(at, message, Some(help));
            }
            return None;
        };
        self.same((other, &from), (name, ty), at)
    }

    /// Returns the rule that keeps a value in another type.
    pub(super) fn same(
        &mut self,
        (path, from): (&str, &Arc<Type>),
        (name, to): (&str, &Arc<Type>),
        at: Span,
    ) -> Option<Make> {
        let names = path.split('.').map(str::to_owned).collect();
        let mismatch = match Make::same(names, from, to) {
            Ok(make) => return Some(make),
            Err(mismatch) => mismatch,
        };
        let (message, help) = match mismatch {
            Mismatch::Kind => {
                let help = conversion(from, to)
                    .map(|function| format!("convert it: `{name} = {function}({path})`"));
                (format!("`{path}` and `{name}` have values of different kinds"), help)
            }
            Mismatch::Shape => {
                let help =
                    format!("if the bytes are the same, write `{name} = same_bytes({path})`");
                (format!("`{path}` and `{name}` have types of different shapes"), Some(help))
            }
            Mismatch::Missing(part) => {
                let help = format!("write `{name}.{part} = …`: an old field, or a constant");
                (format!("the part `{part}` of `{name}` has no value"), Some(help))
            }
        };
        self.fail(at, message, help)
    }

    /// Returns the value of a field, or of a part of it, from its assignments. `depth` is the
    /// length of the part's path.
    pub(super) fn assigned(
        &mut self,
        targets: &[&Target<'_>],
        depth: usize,
        ty: &Arc<Type>,
        old: &RowType,
    ) -> Option<Make> {
        if let [only] = targets
            && only.path.len() == depth
        {
            return self.source(only.assign, ty, old);
        }
        let first = targets.first()?;
        if let Some(whole) = targets.iter().find(|target| target.path.len() == depth) {
            let message =
                format!("`{}` has a value as a whole and in parts", whole.assign.target.text);
            return self.fail(whole.assign.target.span, message, None);
        }
        let step = first.path.get(depth).copied().unwrap_or_default();
        let (segments, arm, depth) = match &**ty {
            Type::Composite(segments) => (segments, None, depth),
            Type::Variant(arms) => {
                let Some(arm) = arms.iter().find(|arm| arm.name == step) else {
                    let names = arms.iter().map(|arm| arm.name.as_str());
                    let help = did_you_mean(step, names);
                    return self.fail(
                        first.assign.target.span,
                        format!("there is no arm `{step}`"),
                        help,
                    );
                };
                if let Some(other) = targets.iter().find(|t| t.path.get(depth) != Some(&step)) {
                    let message = format!("a value has one arm, and `{step}` is set already");
                    return self.fail(other.assign.target.span, message, None);
                }
                (&arm.segments, Some(arm.name.clone()), depth + 1)
            }
            Type::Leaf(_) | Type::Enum(_) | Type::List(_) => {
                let message = format!("`{}` is not a part of the field", first.assign.target.text);
                return self.fail(first.assign.target.span, message, None);
            }
        };
        let fields = self.assigned_fields(targets, depth, segments, old)?;
        let parts = Parts::new(fields, segments);
        Some(match arm {
            Some(arm) => Make::Arm { arm, parts },
            None => Make::Composite { parts },
        })
    }

    fn assigned_fields(
        &mut self,
        targets: &[&Target<'_>],
        depth: usize,
        segments: &[Segment],
        old: &RowType,
    ) -> Option<Vec<(String, Make)>> {
        let known = keyscape_layout::fields(segments);
        let first = targets.first()?;
        let unknown = targets.iter().find(|target| {
            let name = target.path.get(depth).copied().unwrap_or_default();
            known.iter().all(|field| field.name != name)
        });
        if let Some(unknown) = unknown {
            let name = unknown.path.get(depth).copied().unwrap_or_default();
            let help = did_you_mean(name, known.iter().map(|field| field.name.as_str()));
            return self.fail(
                unknown.assign.target.span,
                format!("there is no field `{name}`"),
                help,
            );
        }
        let mut fields = Vec::new();
        for (field, is_optional) in fields_with_presence(segments) {
            let own: Vec<&Target<'_>> = targets
                .iter()
                .copied()
                .filter(|target| target.path.get(depth) == Some(&field.name.as_str()))
                .collect();
            if !own.is_empty() {
                let make = self.assigned(&own, depth + 1, &field.ty, old)?;
                fields.push((field.name.clone(), make));
                continue;
            }
            // The part of the same path in the old row.
            let path: Vec<String> = first.path[..depth]
                .iter()
                .map(|step| (*step).to_owned())
                .chain([field.name.clone()])
                .collect();
            match old.type_at(&path) {
                Some(from) => {
                    let at = first.assign.target.span;
                    let make =
                        self.same((&path.join("."), &from), (&path.join("."), &field.ty), at)?;
                    fields.push((field.name.clone(), make));
                }
                None if is_optional => {}
                None => {
                    let message = format!("the part `{}` has no value", path.join("."));
                    let help = format!("write `{} = …`", path.join("."));
                    return self.fail(first.assign.target.span, message, Some(help));
                }
            }
        }
        Some(fields)
    }

    /// Returns the value of an assignment to a part of this type.
    fn source(&mut self, assign: &Assign, ty: &Arc<Type>, old: &RowType) -> Option<Make> {
        let name = &assign.target.text;
        match &assign.source {
            AssignSource::Path(path) => {
                let from = self.type_of_old(path, old)?;
                self.same((&path.text, &from), (name, ty), path.span)
            }
            AssignSource::Call { function, argument } => {
                let Some(convert) = Convert::find(&function.text) else {
                    let names = Convert::FUNCTIONS.map(|(name, _)| name);
                    let help = did_you_mean(&function.text, names)
                        .unwrap_or_else(|| format!("it is one of {}", names.join(", ")));
                    let message = format!("there is no function `{}`", function.text);
                    return self.fail(function.span, message, Some(help));
                };
                let from = self.type_of_old(argument, old)?;
                let is_allowed = convert == Convert::SameBytes
                    || matches!((&*from, &**ty), (Type::Leaf(a), Type::Leaf(b))
                        if convert.takes(a.codec.kind(), b.codec.kind()));
                if !is_allowed {
                    let message = format!(
                        "`{}` does not make `{name}` of `{}`",
                        function.text, argument.text
                    );
                    return self.fail(function.span, message, None);
                }
                let path = argument.text.split('.').map(str::to_owned).collect();
                Some(Make::from(path, &from, ty, convert))
            }
            AssignSource::Program(_) => Some(Make::Program),
            constant => {
                let datum = constant_of(constant, ty);
                let fits =
                    datum.filter(|datum| encode_type(ty, name, datum, &mut Vec::new()).is_ok());
                let Some(datum) = fits else {
                    let message = format!("this is not a value of `{name}`");
                    let help =
                        ty.choices().map(|names| format!("it is one of {}", names.join(", ")));
                    return self.fail(constant.span(), message, help);
                };
                Some(Make::Constant { datum })
            }
        }
    }

    fn type_of_old(&mut self, path: &Name, old: &RowType) -> Option<Arc<Type>> {
        let names: Vec<String> = path.text.split('.').map(str::to_owned).collect();
        old.type_at(&names).or_else(|| {
            let message = format!("the old keyspace has no field `{}`", path.text);
            self.fail(path.span, message, did_you_mean(&path.text, old.names()))
        })
    }
}

/// Whether a row of one key has the same bytes in another: the keys differ in the domains of their
/// fields only.
fn keep_bytes(old: &[Segment], new: &[Segment]) -> bool {
    let counterparts = Counterparts::new(old, new);
    let same = |(a, b): (&Segment, &Segment)| match (a, b) {
        (Segment::Literal(a), Segment::Literal(b)) => a.bytes == b.bytes,
        (Segment::Field(a), Segment::Field(b)) => {
            counterparts.old(&b.name) == Some(a.name.as_str())
                && match (&*a.ty, &*b.ty) {
                    (Type::Leaf(a), Type::Leaf(b)) => have_same_bytes(a, b),
                    (a, b) => a.is_same(b),
                }
        }
        _ => same_segments(std::slice::from_ref(a), std::slice::from_ref(b)),
    };
    old.len() == new.len() && old.iter().zip(new).all(same)
}

/// An assignment, and the path of its target.
pub(super) struct Target<'s> {
    pub(super) path: Vec<&'s str>,
    pub(super) assign: &'s Assign,
}

/// Returns the function that converts values of one leaf to values of another.
fn conversion(from: &Type, to: &Type) -> Option<&'static str> {
    let (Type::Leaf(from), Type::Leaf(to)) = (from, to) else { return None };
    let takes = |(_, convert): &&(&str, Convert)| {
        *convert != Convert::SameBytes && convert.takes(from.codec.kind(), to.codec.kind())
    };
    Convert::FUNCTIONS.iter().find(takes).map(|(name, _)| *name)
}
