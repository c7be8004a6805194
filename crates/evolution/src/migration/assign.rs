//! The fields and values of a `move`, from counterparts and from assignments.

use super::{
    FormPlan, Migration, Moved,
    constant::constant_of,
    convert::Convert,
    make::{How, MadeField, Make, Mismatch, Parts},
    resolve::{Resolver, has_structures, is_same_space, record_class},
    row::{RowType, SCORE, VALUE, fields_with_presence},
};
use crate::{
    alike::same_bytes,
    correspondence::{Fields, is_unchanged},
};
use keyscape_layout::{
    Span, did_you_mean, encode_type, field, fields,
    model::{Field, KeyspaceId, Segment, Type, same_segments},
    syntax::ast::{Assign, AssignSource, Move, Name},
};
use std::sync::Arc;

impl Resolver<'_> {
    /// Resolves a move of rows of an old keyspace to a new one.
    pub(super) fn make(
        &mut self,
        from: KeyspaceId,
        to: KeyspaceId,
        statement: Option<&Move>,
    ) -> Option<Moved> {
        let before = self.diagnostics.len();
        let (old_layout, new_layout) = (self.migration.old, self.migration.new);
        let (a, b) = (old_layout.keyspace(from), new_layout.keyspace(to));
        let old = self.migration.old_type(from).clone();
        let new = self.migration.new_type(to).clone();
        let at = statement.map_or(Span::default(), |statement| statement.from.span);
        if record_class(old_layout, from) != record_class(new_layout, to) {
            let message = format!("rows of `{}` cannot become rows of `{}`", a.name, b.name);
            return self.fail(at, message, Some("drop the rows with a reason".to_owned()));
        }
        let targets = self.targets(statement.map_or(&[], |statement| &statement.assigns), &new);
        self.check_program(&targets, from);
        let pairs = Fields::either_way(&old.identity, &new.identity);
        let mut made = Vec::new();
        for (field, is_optional) in fields_with_presence(&new.parts) {
            let name = field.name.as_str();
            let own: Vec<&Target<'_>> =
                targets.iter().filter(|target| target.path.first() == Some(&name)).collect();
            let make = if own.is_empty() {
                let score = || (name == SCORE && old.score.is_some()).then_some(SCORE);
                let other = pairs.old_path(name).or_else(score);
                self.default(other, &old, (field, is_optional), at, &b.name)
            } else {
                self.assigned(&own, 1, &field.ty, &old)
            };
            let name = name.to_owned();
            made.extend(make.map(|make| MadeField { name, is_optional, make }));
        }
        let value = self.value(from, to, &targets, (&old, at));
        if self.diagnostics.len() > before {
            // A piece without a statement has no position in the file, so the message names its
            // keyspace.
            for found in self.diagnostics.iter_mut().skip(before).filter(|_| statement.is_none()) {
                found.message = format!("rows of `{}`: {}", a.name, found.message);
            }
            return None;
        }
        let value = Box::new(value?);
        let is_plain = targets.iter().all(|target| target.path.first() == Some(&VALUE));
        let same_types = same_segments(&old.identity, &new.identity) && pairs.keep_names();
        // The bytes of a structure depend on the kinds of all records in its store.
        let are_rows = !has_structures(old_layout, from) && !has_structures(new_layout, to);
        let keeps_key = is_plain
            && is_same_space((old_layout, from), (new_layout, to))
            && (same_types || are_rows && same_bytes(&old.identity, &new.identity, &pairs));
        let same_score = match (&old.score, &new.score) {
            (Some(a), Some(b)) => is_unchanged(a, b) && is_plain,
            (None, None) => true,
            _ => false,
        };
        let is_kept = matches!((&value.declared, &value.reads), (FormPlan::Keep, FormPlan::Keep));
        let same_records = (a.counted, a.ranked) == (b.counted, b.ranked);
        let keeps_value = is_kept && same_score && same_records;
        let is_identical = keeps_key && keeps_value && same_types;
        if !is_identical {
            self.check_names(from, to, at)?;
        }
        let otherwise = statement.and_then(|statement| statement.otherwise.clone());
        Some(Moved { to, otherwise, keeps_key, keeps_value, is_identical, fields: made, value })
    }

    /// Reports rows in which two parts have the same name, and returns `None`. Such rows can only
    /// keep their bytes.
    pub(super) fn check_names(&mut self, from: KeyspaceId, to: KeyspaceId, at: Span) -> Option<()> {
        let Migration { old, new, .. } = &self.migration;
        let sides = [
            (old.keyspace(from), self.migration.old_type(from)),
            (new.keyspace(to), self.migration.new_type(to)),
        ];
        let repeated = sides.into_iter().find_map(|(keyspace, rows)| {
            let name = rows.repeated_name()?;
            Some(format!("rows of `{}` have two parts `{name}`", keyspace.name))
        });
        let Some(message) = repeated else { return Some(()) };
        let help = "rename the field of the key with `was` in a layout of its own".to_owned();
        self.fail(at, message, Some(help))
    }

    /// Returns the assignments to existing fields, with the path of each target.
    fn targets<'s>(&mut self, assigns: &'s [Assign], new: &RowType) -> Vec<Target<'s>> {
        let mut targets: Vec<Target<'s>> = Vec::new();
        for assign in assigns {
            let path: Vec<&str> = assign.target.text.split('.').collect();
            let root = assign.target.text.split('.').next().unwrap_or_default();
            if root != VALUE && field(&new.parts, root).is_none() {
                let message = format!("the new keyspace has no field `{}`", assign.target.text);
                let help = did_you_mean(&assign.target.text, new.names());
                self.error(assign.target.span, message, help);
                continue;
            }
            if targets.iter().any(|other| other.path == path) {
                let message = format!("`{}` has two values", assign.target.text);
                self.error(assign.target.span, message, None);
                continue;
            }
            targets.push(Target { path, assign });
        }
        targets
    }

    /// Checks that `program()` makes only whole fields, and only of plain rows.
    fn check_program(&mut self, targets: &[Target<'_>], from: KeyspaceId) {
        let class = record_class(self.migration.old, from);
        for target in targets {
            let AssignSource::Program(span) = target.assign.source else { continue };
            if target.path.len() > 1 {
                let help = format!("write `{} = program()`", target.step(0));
                self.error(span, "a program makes whole fields", Some(help));
            } else if class != (keyscape_codec::record::Kind::Row, false) {
                let help = "move the rows of a structure field by field".to_owned();
                self.error(span, "a program makes rows of maps, items and sequences", Some(help));
            }
        }
    }

    /// Returns the value of a field without an assignment, from an old field.
    fn default(
        &mut self,
        other: Option<&str>,
        old: &RowType,
        (field, is_optional): (&Field, bool),
        at: Span,
        keyspace: &str,
    ) -> Option<Make> {
        let name = &field.name;
        let Some(other) = other.and_then(|other| keyscape_layout::field(&old.parts, other)) else {
            if !is_optional {
                let message = format!("the field `{name}` of `{keyspace}` has no value");
                let help = format!("write `{name} = …`: an old field, or a constant");
                self.error(at, message, Some(help));
            }
            return None;
        };
        self.same((&other.name, &other.ty), (name, &field.ty), at)
    }

    /// Returns the rule that keeps a value and changes its type.
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
        let step = first.step(depth);
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
            None => Make::Composite(parts),
        })
    }

    fn assigned_fields(
        &mut self,
        targets: &[&Target<'_>],
        depth: usize,
        segments: &[Segment],
        old: &RowType,
    ) -> Option<Vec<MadeField>> {
        let first = targets.first()?;
        let at = first.assign.target.span;
        let unknown = targets.iter().find(|target| field(segments, target.step(depth)).is_none());
        if let Some(unknown) = unknown {
            let name = unknown.step(depth);
            let names = fields(segments).into_iter().map(|field| field.name.as_str());
            let help = did_you_mean(name, names);
            let message = format!("there is no field `{name}`");
            return self.fail(unknown.assign.target.span, message, help);
        }
        let mut made = Vec::new();
        for (field, is_optional) in fields_with_presence(segments) {
            let own: Vec<&Target<'_>> =
                targets.iter().copied().filter(|target| target.step(depth) == field.name).collect();
            let make = if own.is_empty() {
                // The part of the same path in the old row.
                let path = [&first.path[..depth], &[&field.name]].concat();
                let written = path.join(".");
                match old.type_at(&path) {
                    Some(from) => self.same((&written, &from), (&written, &field.ty), at)?,
                    None if is_optional => continue,
                    None => {
                        let message = format!("the part `{written}` has no value");
                        return self.fail(at, message, Some(format!("write `{written} = …`")));
                    }
                }
            } else {
                self.assigned(&own, depth + 1, &field.ty, old)?
            };
            made.push(MadeField { name: field.name.clone(), is_optional, make });
        }
        Some(made)
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
                Some(Make::From { path, from, to: Arc::clone(ty), how: How::Whole(convert) })
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
                Some(Make::Constant(datum))
            }
        }
    }

    fn type_of_old(&mut self, path: &Name, old: &RowType) -> Option<Arc<Type>> {
        let names: Vec<&str> = path.text.split('.').collect();
        old.type_at(&names).or_else(|| {
            let message = format!("the old keyspace has no field `{}`", path.text);
            self.fail(path.span, message, did_you_mean(&path.text, old.names()))
        })
    }
}

/// An assignment, and the path of its target.
pub(super) struct Target<'s> {
    pub(super) path: Vec<&'s str>,
    pub(super) assign: &'s Assign,
}

impl<'s> Target<'s> {
    /// Returns a name of the path, or the empty name after its end.
    fn step(&self, depth: usize) -> &'s str {
        self.path.get(depth).copied().unwrap_or_default()
    }
}

/// Returns the function that converts values of one leaf to values of another.
fn conversion(from: &Type, to: &Type) -> Option<&'static str> {
    let (Type::Leaf(from), Type::Leaf(to)) = (from, to) else { return None };
    let takes = |(_, convert): &&(&str, Convert)| {
        *convert != Convert::SameBytes && convert.takes(from.codec.kind(), to.codec.kind())
    };
    Convert::FUNCTIONS.iter().find(takes).map(|(name, _)| *name)
}
