//! Segments of keys, types and `as` clauses, and their guards.

use super::{Resolver, codecs::int_bounds};
use crate::{
    Diagnostic, Span,
    diagnostic::did_you_mean,
    guard::Guard,
    model::{self, Field, OptionSegment, Segment, Type, fields},
    syntax::ast,
};
use keyscape_codec::{IntRange, Loss};
use std::{collections::BTreeMap, sync::Arc};

/// The fields of one list of segments by name, collected before the list is built.
pub(super) type FieldTable = BTreeMap<String, FieldEntry>;

pub(super) struct FieldEntry {
    span: Span,
    ty: Option<Arc<Type>>,
    is_optional: bool,
    was: Option<String>,
}

impl Resolver<'_> {
    /// Resolves a list of segments. Fields without a type inherit it from the field with the same
    /// name in `inherit`.
    pub(super) fn segments(
        &mut self,
        segs: &[ast::Seg],
        inherit: Option<&[Segment]>,
    ) -> Option<Vec<Segment>> {
        let mut table = FieldTable::default();
        let mut fine = self.enter_fields(segs, inherit, false, &mut table);
        let segments = self.build_segments(segs, &table);
        fine &= table.values().all(|entry| entry.ty.is_some());
        segments.filter(|_| fine)
    }

    fn enter_fields(
        &mut self,
        segs: &[ast::Seg],
        inherit: Option<&[Segment]>,
        is_optional: bool,
        table: &mut FieldTable,
    ) -> bool {
        let mut fine = true;
        for seg in segs {
            match seg {
                ast::Seg::Lit(_) | ast::Seg::Derived(_) => {}
                ast::Seg::Option(option) => {
                    fine &= self.enter_fields(&option.segs, inherit, true, table);
                }
                ast::Seg::Wrap(wrap) => {
                    fine &= self.enter_fields(&wrap.segs, inherit, is_optional, table);
                }
                ast::Seg::Field(field) => {
                    let name = &field.name;
                    if let Some(first) = table.get(&name.text) {
                        let error = Diagnostic::error(
                            name.span,
                            format!("field `{}` occurs twice", name.text),
                        );
                        self.report(error.related(first.span, "first here"));
                        fine = false;
                        continue;
                    }
                    let others = table.values().map(|other| (other.was.as_deref(), other.span));
                    self.check_was(name, field.was.as_ref(), others);
                    let ty = self.field_type(field, inherit);
                    let was = field.was.as_ref().map(|was| was.text.clone());
                    let entry = FieldEntry { span: name.span, ty, is_optional, was };
                    table.insert(name.text.clone(), entry);
                }
            }
        }
        fine
    }

    fn field_type(&mut self, field: &ast::Field, inherit: Option<&[Segment]>) -> Option<Arc<Type>> {
        if let Some(expr) = &field.ty {
            let ty = self.type_expr(expr)?;
            if let Some(map) = inherit.filter(|_| field.from_value.is_none()) {
                self.check_carried(field, &ty, map);
            }
            return Some(ty);
        }
        let name = &field.name.text;
        if name.is_empty() {
            // The parser has reported the missing name.
            return None;
        }
        let Some(inherit) = inherit else {
            let error = Diagnostic::error(field.span, format!("field `{name}` has no type"));
            return self.reject(error.help(format!("write `{{{name}: TYPE}}`")));
        };
        if let Some(found) = model::field(inherit, name) {
            return Some(found.declared.clone());
        }
        let message =
            format!("field `{name}` has no type, and no field `{name}` exists to take it from");
        let help = did_you_mean(name, fields(inherit).iter().map(|f| f.name.as_str()))
            .unwrap_or_else(|| format!("write `{{{name}: TYPE}}`"));
        self.reject(Diagnostic::error(field.span, message).help(help))
    }

    fn build_segments(&mut self, segs: &[ast::Seg], table: &FieldTable) -> Option<Vec<Segment>> {
        let mut segments = Some(Vec::with_capacity(segs.len()));
        for seg in segs {
            let segment = match seg {
                ast::Seg::Lit(lit) => self.literal(lit).map(Segment::Literal),
                ast::Seg::Derived(derived) => self.derived(derived, table).map(Segment::Derived),
                ast::Seg::Wrap(wrap) => {
                    let inside = self.build_segments(&wrap.segs, table);
                    match (inside.and_then(|inside| self.wrap(wrap, inside)), &mut segments) {
                        (Some(wrapped), Some(list)) => list.extend(wrapped),
                        _ => segments = None,
                    }
                    continue;
                }
                ast::Seg::Field(field) => {
                    table.get(&field.name.text).and_then(|entry| entry.ty.clone()).map(|ty| {
                        Segment::Field(Field {
                            name: field.name.text.clone(),
                            was: field.was.as_ref().map(|was| was.text.clone()),
                            declared: ty.clone(),
                            wraps: Vec::new(),
                            ty,
                            from_value: field.from_value.clone(),
                            span: field.span,
                            ty_span: field.ty.as_ref().map(|expr| expr.span),
                        })
                    })
                }
                ast::Seg::Option(option) => self.option(option, table).map(Segment::Option),
            };
            match (segment, &mut segments) {
                (Some(segment), Some(list)) => list.push(segment),
                _ => segments = None,
            }
        }
        segments
    }

    fn option(&mut self, option: &ast::OptionSeg, table: &FieldTable) -> Option<OptionSegment> {
        let segments = self.build_segments(&option.segs, table)?;
        if !segments.iter().any(|s| matches!(s, Segment::Field(_))) {
            let error = Diagnostic::error(option.span, "an optional part needs a field of its own");
            return self
                .reject(error.help("add a field, whose value shows that the part is present"));
        }
        let guard = match &option.guard {
            Some(cond) => Some(self.guard(cond, table)?),
            None => None,
        };
        Some(OptionSegment { segments, guard, span: option.span })
    }

    fn guard(&mut self, cond: &ast::Cond, table: &FieldTable) -> Option<Guard> {
        match cond {
            ast::Cond::And(parts) | ast::Cond::Or(parts) => {
                let guards: Vec<Guard> =
                    parts.iter().map(|part| self.guard(part, table)).collect::<Option<_>>()?;
                Some(match cond {
                    ast::Cond::And(_) => Guard::All(guards),
                    _ => Guard::Any(guards),
                })
            }
            ast::Cond::Is { field, negated, value } => {
                let ty = self.guarded_type(field, table)?;
                let Some(names) = ty.choices() else {
                    let message =
                        format!("`is` needs an enum or a variant, and `{}` is neither", field.text);
                    return self.fail(field.span, message);
                };
                let Some(index) = names.iter().position(|name| *name == value.text) else {
                    let message = format!("`{}` has no value `{}`", field.text, value.text);
                    let error = Diagnostic::error(value.span, message);
                    return self.reject(error.suggest_or_list(&value.text, &names));
                };
                let choices = (0..names.len()).filter(|&i| (i == index) != *negated).collect();
                Some(Guard::Is { field: field.text.clone(), choices })
            }
            ast::Cond::In { field, range } => {
                let ty = self.guarded_type(field, table)?;
                let integers = ty.leaf().and_then(|leaf| Some((leaf, leaf.codec.integers()?)));
                let Some((leaf, whole)) = integers else {
                    let message = format!("`in` needs integers, and `{}` has none", field.text);
                    return self.fail(field.span, message);
                };
                if leaf.codec.lossless() != Loss::None {
                    let message = format!(
                        "two values of `{}` have the same bytes, so no guard can depend on it",
                        field.text
                    );
                    return self.fail(field.span, message);
                }
                let range = self.int_range(range, whole)?;
                Some(Guard::In { field: field.text.clone(), range })
            }
        }
    }

    fn guarded_type(&mut self, field: &ast::Name, table: &FieldTable) -> Option<Arc<Type>> {
        self.required_field(field, table, "no guard can depend on it", "this part")
    }

    /// Returns the type of a field of the same list that every key has. If the field may be absent,
    /// `not_possible` is the consequence. `beside` describes the segment that names the field.
    pub(super) fn required_field(
        &mut self,
        field: &ast::Name,
        table: &FieldTable,
        not_possible: &str,
        beside: &str,
    ) -> Option<Arc<Type>> {
        let name = &field.text;
        let Some(entry) = table.get(name) else {
            let message = format!("there is no field `{name}` beside {beside}");
            let names = table.keys().map(String::as_str);
            return self.reject(Diagnostic::error(field.span, message).suggest(name, names));
        };
        if entry.is_optional {
            let message = format!("`{name}` may be absent itself, so {not_possible}");
            let error = Diagnostic::error(field.span, message);
            return self.reject(error.related(entry.span, "optional here"));
        }
        entry.ty.clone()
    }

    /// Returns the intersection of a declared range with the integers of a type. Reports an empty
    /// intersection.
    pub(super) fn int_range(&mut self, range: &ast::Range, whole: IntRange) -> Option<IntRange> {
        let cut = whole.within(&int_bounds(range));
        if cut.is_none() {
            self.error(range.span, "this range contains no value of the field");
        }
        cut
    }
}
