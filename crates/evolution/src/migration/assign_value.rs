//! The values of the rows of a `move`.

use super::{
    FormPlan, ValuePlan,
    assign::Target,
    make::Make,
    resolve::Resolver,
    row::{RowType, VALUE},
};
use crate::{
    compare::Direction::Backward,
    value::{fixed_bytes, is_read_by, text as form_text},
};
use keyscape_automata::Budget;
use keyscape_layout::{
    Span, ValueReader, field,
    model::{Keyspace, KeyspaceId, RowValue, Type},
    syntax::ast::AssignSource,
};
use std::sync::Arc;

impl Resolver<'_> {
    /// Returns the conversions of the value of a row.
    pub(super) fn value(
        &mut self,
        from: KeyspaceId,
        to: KeyspaceId,
        targets: &[Target<'_>],
        (old, at): (&RowType, Span),
    ) -> Option<ValuePlan> {
        let own: Vec<&Target<'_>> =
            targets.iter().filter(|target| target.path.first() == Some(&VALUE)).collect();
        let (a, b) = (self.migration.old.keyspace(from), self.migration.new.keyspace(to));
        let plan = self.value_plan((from, to), &own, (old, at))?;
        let has_field = |rows: &RowType| field(&rows.parts, VALUE).is_some();
        let is_made = |plan: &FormPlan| matches!(plan, FormPlan::Make(_));
        if (is_made(&plan.declared) || is_made(&plan.reads) || !own.is_empty())
            && (has_field(old) || has_field(self.migration.new_type(to)))
        {
            let span = own.first().map_or(at, |target| target.assign.target.span);
            let message = format!(
                "`value` means a field of the key of `{}`, so the value of a row cannot be converted",
                if has_field(old) { &a.name } else { &b.name }
            );
            return self.fail(
                span,
                message,
                Some("rename the field in a layout of its own".to_owned()),
            );
        }
        Some(plan)
    }

    fn value_plan(
        &mut self,
        (from, to): (KeyspaceId, KeyspaceId),
        own: &[&Target<'_>],
        (old, at): (&RowType, Span),
    ) -> Option<ValuePlan> {
        let (a, b) = (self.migration.old.keyspace(from), self.migration.new.keyspace(to));
        if let [only] = own[..]
            && let AssignSource::Call { function, argument } = &only.assign.source
            && (function.text.as_str(), argument.text.as_str()) == ("same_bytes", VALUE)
            && only.path.len() == 1
            && !matches!((&a.value, &b.value), (Some(RowValue::Typed(_)), Some(RowValue::Typed(_))))
        {
            if let Some(form) = form_of_other_bytes(a, b) {
                let message = format!("{}, with other bytes", change(form, b));
                return self.fail(only.assign.target.span, message, None);
            }
            return Some(ValuePlan { declared: FormPlan::Keep, reads: FormPlan::Keep });
        }
        if let [only] = own[..]
            && matches!(only.assign.source, AssignSource::Program(_))
        {
            let plan = FormPlan::Make(Make::Program);
            return Some(ValuePlan { declared: plan.clone(), reads: plan });
        }
        if !own.is_empty() {
            let Some(ty) = self.migration.new_type(to).value.clone() else {
                let span = own.first().map_or(at, |target| target.assign.target.span);
                let message = format!("the layout does not know the values of `{}`", b.name);
                let help = "if the bytes are the same, write `value = same_bytes(value)`";
                return self.fail(span, message, Some(help.to_owned()));
            };
            let declared = FormPlan::Make(self.assigned(own, 1, &ty, old)?);
            // Apply the same assignments to values of the older form.
            let before = self.diagnostics.len();
            let old = RowType { value: old.reads.clone(), ..old.clone() };
            let make = self.assigned(own, 1, &ty, &old);
            self.diagnostics.truncate(before);
            return Some(ValuePlan {
                declared,
                reads: make.map_or(FormPlan::Unfit, FormPlan::Make),
            });
        }
        let declared = self.form(a.value.as_ref(), old.value.as_ref(), to, at)?;
        let reads = match &a.reads {
            Some(form) => self.form(Some(form), old.reads.as_ref(), to, at)?,
            None => FormPlan::Keep,
        };
        Some(ValuePlan { declared, reads })
    }

    fn form(
        &mut self,
        form: Option<&RowValue>,
        ty: Option<&Arc<Type>>,
        to: KeyspaceId,
        at: Span,
    ) -> Option<FormPlan> {
        let new = self.migration.new.keyspace(to);
        let forms: Vec<&RowValue> = [&new.value, &new.reads].into_iter().flatten().collect();
        let fixed = |form: &RowValue| fixed_bytes(form).is_some();
        let Some(form) = form else {
            // Structures and keyspaces without a form have no value to convert.
            if forms.is_empty() {
                return Some(FormPlan::Keep);
            }
            let message = format!("the old layout does not say what values of `{}` are", new.name);
            let help = "if the bytes are the same, write `value = same_bytes(value)`";
            return self.fail(at, message, Some(help.to_owned()));
        };
        if forms.is_empty() || forms.iter().any(|read| is_read_by(Backward, form, read)) {
            return Some(FormPlan::Keep);
        }
        if fixed(form) && new.value.as_ref().is_some_and(fixed) {
            return Some(FormPlan::Fixed);
        }
        let new_type = self.migration.new_type(to).value.clone();
        if let (Some(from), Some(to)) = (ty, new_type) {
            return self.same((VALUE, from), (VALUE, &to), at).map(FormPlan::Make);
        }
        let message = change(form, new);
        let help = "if the bytes are the same, write `value = same_bytes(value)`; if a program converts \
                    them, write `value = program()`";
        self.fail(at, message, Some(help.to_owned()))
    }
}

/// Returns the forms that a keyspace reads.
fn forms_of(keyspace: &Keyspace) -> impl Iterator<Item = &RowValue> {
    [&keyspace.value, &keyspace.reads].into_iter().flatten()
}

/// Describes the change of values of an old form.
fn change(form: &RowValue, new: &Keyspace) -> String {
    let read: Vec<String> = forms_of(new).map(form_text).collect();
    let (name, form, read) = (&new.name, form_text(form), read.join("` or `"));
    format!("values of `{name}` change from `{form}` to `{read}`")
}

/// Returns a form of the old keyspace whose bytes differ from those of every form of the new one.
/// With such a form, `value = same_bytes(value)` is a mistake. Returns `None` for two typed forms,
/// because each value is converted.
pub(super) fn form_of_other_bytes<'k>(old: &'k Keyspace, new: &Keyspace) -> Option<&'k RowValue> {
    let are_typed =
        matches!((&old.value, &new.value), (Some(RowValue::Typed(_)), Some(RowValue::Typed(_))));
    if are_typed || forms_of(new).next().is_none() {
        return None;
    }
    forms_of(old).find(|form| !forms_of(new).any(|read| may_have_bytes_of(read, form)))
}

/// Whether the values of an old form may have the bytes of a new form. The layout does not define
/// the bytes of a form that belongs to the program.
fn may_have_bytes_of(new: &RowValue, old: &RowValue) -> bool {
    match (fixed_bytes(old), fixed_bytes(new)) {
        (Some(bytes), _) => match ValueReader::new(Some(new), Budget::default()) {
            Ok(reader) => reader.read(bytes).is_ok(),
            Err(_) => true,
        },
        (None, Some(_)) => !matches!(old, RowValue::Typed(_)),
        (None, None) => true,
    }
}
