//! Declarations to migrations.

use super::{
    Action, FormPlan, Migration, Moved, Piece, ValuePlan,
    convert::Convert,
    make::{Counterparts, Make, Mismatch},
    narrow::cells,
    text,
    view::{VALUE, View},
};
use crate::{
    correspondence::Correspondence,
    value::{is_read_by, text as form_text},
};
use keyscape_codec::{Kind, Uint, Value};
use keyscape_layout::{
    Datum, Diagnostic, FileId, Layout, Span, did_you_mean, encode_type,
    guard::{Case, Guard, find_field},
    integers_in,
    model::{KeyspaceId, KeyspaceKind, RowValue, Segment, Type, same_segments},
    syntax::{
        ast::{Assign, AssignSource, Cond, Int, MigrationFile, Move, Name, Statement},
        parse_migration,
    },
};
use std::sync::Arc;

impl<'a> Migration<'a> {
    /// Reads a migration between two layouts.
    ///
    /// # Errors
    /// Every mistake that was found, in source order. Their file is `FileId(0)`.
    pub fn read(
        text: &str,
        old: &'a Layout,
        new: &'a Layout,
    ) -> Result<Self, Vec<Diagnostic>> {
        let (file, mut diagnostics) = parse_migration(text, FileId(0));
        let resolver = Resolver::new(old, new);
        let (migration, found) = resolver.resolve(&file);
        diagnostics.extend(found);
        diagnostics.sort_by_key(|diagnostic| diagnostic.span.start);
        if diagnostics.is_empty() { Ok(migration) } else { Err(diagnostics) }
    }
}

struct Resolver<'a> {
    old: &'a Layout,
    new: &'a Layout,
    forward: Correspondence,
    backward: Correspondence,
    old_views: Vec<View>,
    new_views: Vec<View>,
    diagnostics: Vec<Diagnostic>,
}

impl<'a> Resolver<'a> {
    fn new(old: &'a Layout, new: &'a Layout) -> Self {
        Self {
            old,
            new,
            forward: Correspondence::new(old, new),
            backward: Correspondence::new(new, old),
            old_views: View::all(old),
            new_views: View::all(new),
            diagnostics: Vec::new(),
        }
    }

    fn resolve(mut self, file: &MigrationFile) -> (Migration<'a>, Vec<Diagnostic>) {
        let mut pieces = Vec::new();
        for statement in &file.statements {
            let piece = match statement {
                Statement::Move(given) => self.moved(given),
                Statement::Drop { from, condition, reason, span } => {
                    self.dropped(from, condition.as_ref(), reason, *span)
                }
            };
            pieces.extend(piece);
        }
        self.add_defaults(&mut pieces);
        let Self { old, new, old_views, new_views, diagnostics, .. } = self;
        (Migration { old, new, pieces, old_views, new_views }, diagnostics)
    }

    /// Adds pieces for rows that no statement is about: they move to the counterpart of their keyspace.
    fn add_defaults(&mut self, pieces: &mut Vec<Piece>) {
        for from in self.old.keyspace_ids() {
            let keyspace = self.old.keyspace(from);
            // The fields of a hash have pieces; the hash itself has no rows.
            let has_rows = keyspace.kind != KeyspaceKind::Hash && !is_index(self.old, from);
            if !has_rows || self.is_complete(from, pieces) {
                continue;
            }
            let Some(to) = self.counterpart(from) else { continue };
            let before = self.diagnostics.len();
            let moved = self.make(from, to, &[], (keyspace.name_span, None));
            // If statements select rows and the others cannot move, KS111 shows one of them.
            if pieces.iter().any(|piece| piece.from == from) {
                self.diagnostics.truncate(before);
            }
            pieces.extend(moved.map(|moved| Piece {
                from,
                condition: None,
                action: Action::Move(moved),
                span: None,
            }));
        }
        let ids: Vec<KeyspaceId> =
            self.old.keyspace_ids().filter(|&id| is_index(self.old, id)).collect();
        for from in ids {
            let kept = self.kept_index(from, pieces);
            pieces.push(Piece { from, condition: None, action: Action::Derive { kept }, span: None });
        }
    }

    /// Whether the statements about a keyspace select all of its rows.
    fn is_complete(&self, from: KeyspaceId, pieces: &[Piece]) -> bool {
        let own: Vec<&Piece> = pieces.iter().filter(|piece| piece.from == from).collect();
        let guards: Vec<&Guard> = own.iter().filter_map(|piece| piece.condition.as_ref()).collect();
        let selects = |case: &Case| {
            own.iter().any(|piece| piece.condition.as_ref().is_none_or(|g| case.satisfies(g)))
        };
        let cases = cells(&View::at(&self.old_views, from).identity, &guards);
        !own.is_empty() && cases.is_ok_and(|cases| cases.iter().all(selects))
    }

    /// Returns the new index that has the entries of an old one: the same bytes, in the same place, of a
    /// map whose rows all stay.
    fn kept_index(&self, from: KeyspaceId, pieces: &[Piece]) -> Option<KeyspaceId> {
        let (to, old) = (self.counterpart(from)?, self.old.keyspace(from));
        let new = self.new.keyspace(to);
        let map = old.of?;
        let stays = |piece: &Piece| match &piece.action {
            Action::Move(moved) => moved.keeps_all() && Some(moved.to) == new.of,
            _ => false,
        };
        let mut of_map = pieces.iter().filter(|piece| piece.from == map).peekable();
        // Other maps may not get new rows in the map of the index.
        let gets_others = pieces.iter().any(|piece| {
            piece.from != map
                && matches!(&piece.action, Action::Move(moved) if Some(moved.to) == new.of)
        });
        let same_values = match (&old.value, &new.value) {
            (Some(a), Some(b)) => is_read_by(a, b),
            (None, None) => true,
            _ => false,
        };
        let same_sources = keyscape_layout::fields(&old.key)
            .iter()
            .zip(keyscape_layout::fields(&new.key))
            .all(|(a, b)| a.from_value == b.from_value);
        let is_kept = of_map.peek().is_some()
            && of_map.all(stays)
            && !gets_others
            && same_segments(&old.key, &new.key)
            && same_sources
            && same_values
            && old.unique == new.unique
            && space(self.old, from) == space(self.new, to);
        is_kept.then_some(to)
    }

    fn counterpart(&self, from: KeyspaceId) -> Option<KeyspaceId> {
        let backward = || {
            let to = self.backward.old_keyspace(from)?;
            self.forward.old_keyspace(to).is_none().then_some(to)
        };
        self.forward.new_keyspace(from).or_else(backward)
    }

    fn error(&mut self, span: Span, message: impl Into<String>, help: Option<String>) {
        let mut diagnostic = Diagnostic::error(span, message);
        diagnostic.help = help;
        self.diagnostics.push(diagnostic);
    }

    fn keyspace(&mut self, layout: &'a Layout, name: &Name, age: &str) -> Option<KeyspaceId> {
        let mut found = layout.find(&name.text);
        if let (true, Some((store, rest))) = (found.is_empty(), name.text.split_once('.')) {
            found = layout.find(&format!("{store}/{rest}"));
        }
        match found[..] {
            [id] if layout.keyspace(id).kind == KeyspaceKind::Hash => {
                let help = "move each of its fields: `hash.field`".to_owned();
                let message = format!("`{}` is a hash, whose rows are its fields", name.text);
                self.error(name.span, message, Some(help));
                None
            }
            [id] if is_index(layout, id) => {
                let message = format!("`{}` is an index, whose entries follow from its map", name.text);
                self.error(name.span, message, Some("leave the statement out".to_owned()));
                None
            }
            [id] => Some(id),
            [] => {
                let names = layout.keyspaces.iter().map(|keyspace| keyspace.name.as_str());
                let help = did_you_mean(&name.text, names);
                let message = format!("the {age} layout has no keyspace `{}`", name.text);
                self.error(name.span, message, help);
                None
            }
            [first, ..] => {
                let store = &layout.store(layout.keyspace(first).store).name;
                let message = format!("several stores have a keyspace `{}`", name.text);
                let help = format!("write the store before it: `{store}.{}`", name.text);
                self.error(name.span, message, Some(help));
                None
            }
        }
    }

    fn dropped(
        &mut self,
        from: &Name,
        condition: Option<&Cond>,
        reason: &str,
        span: Span,
    ) -> Option<Piece> {
        let from = self.keyspace(self.old, from, "old")?;
        let condition = self.condition(from, condition)?;
        let action = Action::Drop { reason: reason.to_owned() };
        Some(Piece { from, condition, action, span: Some(span) })
    }

    fn moved(&mut self, given: &Move) -> Option<Piece> {
        let from = self.keyspace(self.old, &given.from, "old")?;
        let to = match &given.to {
            Some(name) => Some(self.keyspace(self.new, name, "new")?),
            None => self.counterpart(from),
        };
        let Some(to) = to else {
            let message = format!("the new layout has no counterpart of `{}`", given.from.text);
            let help = format!("name the new keyspace: `move {} to …`", given.from.text);
            self.error(given.from.span, message, Some(help));
            return None;
        };
        let condition = self.condition(from, given.condition.as_ref())?;
        let mut moved = self.make(from, to, &given.assigns, (given.from.span, Some(given)))?;
        moved.otherwise.clone_from(&given.otherwise);
        Some(Piece { from, condition, action: Action::Move(moved), span: Some(given.span) })
    }

    /// Returns the condition of a statement; `None` after a mistake.
    fn condition(&mut self, from: KeyspaceId, cond: Option<&Cond>) -> Option<Option<Guard>> {
        match cond {
            Some(cond) => self.guard(from, cond).map(Some),
            None => Some(None),
        }
    }

    fn guard(&mut self, from: KeyspaceId, cond: &Cond) -> Option<Guard> {
        let (field, span) = match cond {
            Cond::And(parts) | Cond::Or(parts) => {
                let parts: Option<Vec<Guard>> =
                    parts.iter().map(|part| self.guard(from, part)).collect();
                let is_all = matches!(cond, Cond::And(_));
                return parts.map(|parts| if is_all { Guard::All(parts) } else { Guard::Any(parts) });
            }
            Cond::Is { field, .. } | Cond::In { field, .. } => (&field.text, field.span),
        };
        let view = View::at(&self.old_views, from).clone();
        let Some(ty) = find_field(&view.identity, field) else {
            let is_optional = view.slots().iter().any(|slot| slot.name == field);
            let message = match is_optional {
                true => format!("rows may lack `{field}`, so no condition can ask for it"),
                false => format!("the old keyspace has no field `{field}`"),
            };
            let help = did_you_mean(field, view.names());
            self.error(span, message, help);
            return None;
        };
        match cond {
            Cond::Is { negated, value, .. } => {
                let Some(names) = ty.choices() else {
                    let message =
                        format!("`is` needs an enum or a variant, and `{field}` is neither");
                    self.error(span, message, None);
                    return None;
                };
                let Some(index) = names.iter().position(|name| *name == value.text) else {
                    let help = did_you_mean(&value.text, names.iter().copied())
                        .unwrap_or_else(|| format!("it is one of {}", names.join(", ")));
                    let message = format!("`{field}` has no value `{}`", value.text);
                    self.error(value.span, message, Some(help));
                    return None;
                };
                let choices = (0..names.len()).filter(|&at| (at == index) != *negated).collect();
                Some(Guard::Is { field: field.clone(), choices })
            }
            Cond::In { range, .. } => {
                let whole = match ty {
                    Type::Leaf(leaf) => leaf.codec.integers(),
                    _ => None,
                };
                let Some(whole) = whole else {
                    let message = format!("`in` needs integers, and `{field}` has none");
                    self.error(span, message, None);
                    return None;
                };
                let Some(range) = integers_in(range, whole) else {
                    self.error(range.span, "this range contains no value of the field", None);
                    return None;
                };
                Some(Guard::In { field: field.clone(), range })
            }
            Cond::And(_) | Cond::Or(_) => None,
        }
    }

    /// Returns how rows of an old keyspace become rows of a new one.
    fn make(
        &mut self,
        from: KeyspaceId,
        to: KeyspaceId,
        assigns: &[Assign],
        (span, statement): (Span, Option<&Move>),
    ) -> Option<Moved> {
        let before = self.diagnostics.len();
        let (old, new) =
            (View::at(&self.old_views, from).clone(), View::at(&self.new_views, to).clone());
        let (a, b) = (self.old.keyspace(from), self.new.keyspace(to));
        let at = statement.map_or(Span::default(), |_| span);
        if record_class(self.old, from) != record_class(self.new, to) {
            let message = format!("rows of `{}` cannot become rows of `{}`", a.name, b.name);
            self.error(at, message, Some("drop the rows with a reason".to_owned()));
            return None;
        }
        let targets = self.targets(assigns, &new);
        let pairs = Counterparts::new(&old.identity, &new.identity);
        let mut fields = Vec::new();
        for slot in new.slots() {
            let own: Vec<&Target<'_>> =
                targets.iter().filter(|target| target.path.first() == Some(&slot.name)).collect();
            let make = if own.is_empty() {
                let other = match pairs.old(slot.name) {
                    Some(other) => Some(other),
                    None => (slot.name == super::view::SCORE && old.score.is_some())
                        .then_some(super::view::SCORE),
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
        let value = value?;
        let is_plain = assigns.is_empty();
        let keeps_key = is_plain
            && space(self.old, from) == space(self.new, to)
            && same_segments(&old.identity, &new.identity)
            && keyscape_layout::fields(&new.identity)
                .iter()
                .all(|field| pairs.old(&field.name) == Some(field.name.as_str()));
        let same_score = match (&old.score, &new.score) {
            (Some(a), Some(b)) => a.is_same(b) && is_plain,
            (None, None) => true,
            _ => false,
        };
        let keeps_value = matches!(
            (&value.declared, &value.reads),
            (FormPlan::Keep, FormPlan::Keep)
        ) && same_score
            && (a.counted, a.ranked) == (b.counted, b.ranked);
        Some(Moved { to, otherwise: None, keeps_key, keeps_value, fields, value })
    }

    /// Returns the assignments by the path of their target, without those of fields that do not exist.
    fn targets<'s>(&mut self, assigns: &'s [Assign], new: &View) -> Vec<Target<'s>> {
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

    /// Returns the value of a field that no assignment is about.
    fn default(
        &mut self,
        other: Option<&str>,
        old: &View,
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

    /// Returns how a value becomes the same value of another type.
    fn same(
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
                let help = conversion(from, to).map(|function| {
                    format!("convert it: `{name} = {function}({path})`")
                });
                (format!("`{path}` and `{name}` have values of different kinds"), help)
            }
            Mismatch::Shape => {
                let help = format!("if the bytes are the same, write `{name} = same_bytes({path})`");
                (format!("`{path}` and `{name}` have types of different shapes"), Some(help))
            }
            Mismatch::Missing(part) => {
                let help = format!("write `{name}.{part} = …`: an old field, or a constant");
                (format!("the part `{part}` of `{name}` has no value"), Some(help))
            }
        };
        self.error(at, message, help);
        None
    }

    /// Returns the value of a field, or of a part of it, from its assignments. `depth` is the length of
    /// the part's path.
    fn assigned(
        &mut self,
        targets: &[&Target<'_>],
        depth: usize,
        ty: &Arc<Type>,
        old: &View,
    ) -> Option<Make> {
        if let [only] = targets
            && only.path.len() == depth
        {
            return self.source(only.assign, ty, old);
        }
        let first = targets.first()?;
        if let Some(whole) = targets.iter().find(|target| target.path.len() == depth) {
            let message = format!("`{}` has a value as a whole and in parts", whole.assign.target.text);
            self.error(whole.assign.target.span, message, None);
            return None;
        }
        let step = first.path.get(depth).copied().unwrap_or_default();
        let (segments, arm, depth) = match &**ty {
            Type::Composite(segments) => (segments, None, depth),
            Type::Variant(arms) => {
                let Some(arm) = arms.iter().find(|arm| arm.name == step) else {
                    let names = arms.iter().map(|arm| arm.name.as_str());
                    let help = did_you_mean(step, names);
                    self.error(first.assign.target.span, format!("there is no arm `{step}`"), help);
                    return None;
                };
                if let Some(other) = targets.iter().find(|t| t.path.get(depth) != Some(&step)) {
                    let message = format!("a value has one arm, and `{step}` is set already");
                    self.error(other.assign.target.span, message, None);
                    return None;
                }
                (&arm.segments, Some(arm.name.clone()), depth + 1)
            }
            Type::Leaf(_) | Type::Enum(_) | Type::List(_) => {
                let message = format!("`{}` is not a part of the field", first.assign.target.text);
                self.error(first.assign.target.span, message, None);
                return None;
            }
        };
        let fields = self.assigned_fields(targets, depth, segments, old)?;
        Some(match arm {
            Some(arm) => Make::Arm { arm, fields },
            None => Make::Composite { fields },
        })
    }

    fn assigned_fields(
        &mut self,
        targets: &[&Target<'_>],
        depth: usize,
        segments: &[Segment],
        old: &View,
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
            self.error(unknown.assign.target.span, format!("there is no field `{name}`"), help);
            return None;
        }
        let mut fields = Vec::new();
        for segment in segments {
            for field in keyscape_layout::fields(std::slice::from_ref(segment)) {
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
                let is_optional = matches!(segment, Segment::Option(_));
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
                        self.error(first.assign.target.span, message, Some(help));
                        return None;
                    }
                }
            }
        }
        Some(fields)
    }

    /// Returns the value of an assignment to a part of this type.
    fn source(&mut self, assign: &Assign, ty: &Arc<Type>, old: &View) -> Option<Make> {
        let name = &assign.target.text;
        match &assign.source {
            AssignSource::Path(path) => {
                let from = self.old_type(path, old)?;
                self.same((&path.text, &from), (name, ty), path.span)
            }
            AssignSource::Call { function, argument } => {
                let Some(convert) = Convert::find(&function.text) else {
                    let names = Convert::FUNCTIONS.map(|(name, _)| name);
                    let help = did_you_mean(&function.text, names)
                        .unwrap_or_else(|| format!("it is one of {}", names.join(", ")));
                    let message = format!("there is no function `{}`", function.text);
                    self.error(function.span, message, Some(help));
                    return None;
                };
                let from = self.old_type(argument, old)?;
                let is_allowed = convert == Convert::SameBytes
                    || matches!((&*from, &**ty), (Type::Leaf(a), Type::Leaf(b))
                        if convert.takes(a.codec.kind(), b.codec.kind()));
                if !is_allowed {
                    let message = format!(
                        "`{}` does not make `{name}` of `{}`",
                        function.text, argument.text
                    );
                    self.error(function.span, message, None);
                    return None;
                }
                let path = argument.text.split('.').map(str::to_owned).collect();
                Some(Make::from(path, &from, ty, convert))
            }
            constant => {
                let datum = constant_of(constant, ty);
                let fits = datum
                    .filter(|datum| encode_type(ty, name, datum, &mut Vec::new()).is_ok());
                let Some(datum) = fits else {
                    let message = format!("this is not a value of `{name}`");
                    let help = ty.choices().map(|names| format!("it is one of {}", names.join(", ")));
                    self.error(constant.span(), message, help);
                    return None;
                };
                Some(Make::Constant { datum })
            }
        }
    }

    fn old_type(&mut self, path: &Name, old: &View) -> Option<Arc<Type>> {
        let names: Vec<String> = path.text.split('.').map(str::to_owned).collect();
        let found = old.type_at(&names);
        if found.is_none() {
            let message = format!("the old keyspace has no field `{}`", path.text);
            self.error(path.span, message, did_you_mean(&path.text, old.names()));
        }
        found
    }

    /// Returns how the value of a row is made.
    fn value(
        &mut self,
        from: KeyspaceId,
        to: KeyspaceId,
        targets: &[Target<'_>],
        (old, at): (&View, Span),
    ) -> Option<ValuePlan> {
        let own: Vec<&Target<'_>> = targets
            .iter()
            .filter(|target| target.path.first() == Some(&VALUE))
            .collect();
        let (a, b) = (self.old.keyspace(from), self.new.keyspace(to));
        if let [only] = own[..]
            && let AssignSource::Call { function, argument } = &only.assign.source
            && (function.text.as_str(), argument.text.as_str()) == ("same_bytes", VALUE)
            && only.path.len() == 1
            && !matches!((&a.value, &b.value), (Some(RowValue::Typed(_)), Some(RowValue::Typed(_))))
        {
            return Some(ValuePlan { declared: FormPlan::Keep, reads: FormPlan::Keep });
        }
        if !own.is_empty() {
            let Some(ty) = View::at(&self.new_views, to).value.clone() else {
                let span = own.first().map_or(at, |target| target.assign.target.span);
                let message = format!("the layout does not know the values of `{}`", b.name);
                let help = "if the bytes are the same, write `value = same_bytes(value)`";
                self.error(span, message, Some(help.to_owned()));
                return None;
            };
            let make = self.assigned(&own, 1, &ty, old)?;
            return Some(ValuePlan {
                declared: FormPlan::Make(make.clone()),
                reads: FormPlan::Make(make),
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
        let new = self.new.keyspace(to);
        let forms: Vec<&RowValue> = [&new.value, &new.reads].into_iter().flatten().collect();
        let fixed = |form: &RowValue| matches!(form, RowValue::Empty | RowValue::Const(_));
        let Some(form) = form else {
            // Structures and keyspaces without a form have no value to convert.
            if forms.is_empty() {
                return Some(FormPlan::Keep);
            }
            let message = format!("the old layout does not say what values of `{}` are", new.name);
            let help = "if the bytes are the same, write `value = same_bytes(value)`";
            self.error(at, message, Some(help.to_owned()));
            return None;
        };
        if forms.is_empty() || forms.iter().any(|read| is_read_by(form, read)) {
            return Some(FormPlan::Keep);
        }
        if fixed(form) && new.value.as_ref().is_some_and(fixed) {
            return Some(FormPlan::Fixed);
        }
        let new_type = View::at(&self.new_views, to).value.clone();
        if let (Some(from), Some(to)) = (ty, new_type) {
            return self.same((VALUE, from), (VALUE, &to), at).map(FormPlan::Make);
        }
        let read: Vec<String> = forms.iter().map(|form| form_text(form)).collect();
        let message = format!(
            "values of `{}` change from `{}` to `{}`",
            new.name,
            form_text(form),
            read.join("` or `")
        );
        let help = "if the bytes are the same, write `value = same_bytes(value)`; only a program can \
                    convert its own types";
        self.error(at, message, Some(help.to_owned()));
        None
    }
}

/// An assignment, and the path of its target.
struct Target<'s> {
    path: Vec<&'s str>,
    assign: &'s Assign,
}

/// Returns the value of a constant for a type.
fn constant_of(source: &AssignSource, ty: &Type) -> Option<Datum> {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).ok();
    match (source, ty) {
        (AssignSource::Int(int), Type::Leaf(leaf)) => {
            number(int, leaf.codec.kind()).map(Datum::Leaf)
        }
        (AssignSource::Literal(literal), Type::Leaf(leaf)) => {
            Some(Datum::Leaf(match leaf.codec.kind() {
                Kind::Text if literal.is_text => Value::Text(text(&literal.bytes)?),
                Kind::Bytes => Value::Bytes(literal.bytes.clone()),
                Kind::Bool if literal.is_text => Value::Bool(text(&literal.bytes)?.parse().ok()?),
                _ => return None,
            }))
        }
        (AssignSource::Literal(literal), Type::Enum(_)) => {
            text(&literal.bytes).filter(|_| literal.is_text).map(Datum::Name)
        }
        (AssignSource::Literal(literal), Type::Variant(_)) => {
            let name = text(&literal.bytes).filter(|_| literal.is_text)?;
            Some(Datum::Arm(name, keyscape_layout::Record::default()))
        }
        _ => None,
    }
}

fn number(int: &Int, kind: Kind) -> Option<Value> {
    match kind {
        Kind::Uint if !int.negative || int.magnitude == Uint::ZERO => {
            Some(Value::Uint(int.magnitude))
        }
        Kind::Int => {
            let magnitude = i128::try_from(int.magnitude).ok()?;
            Some(Value::Int(if int.negative { -magnitude } else { magnitude }))
        }
        _ => None,
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

fn is_index(layout: &Layout, id: KeyspaceId) -> bool {
    layout.keyspace(id).kind == KeyspaceKind::Index
}

/// The kind of record that a keyspace has; fields of hashes are their own kind.
fn record_class(layout: &Layout, id: KeyspaceId) -> (keyscape_codec::record::Kind, bool) {
    let keyspace = layout.keyspace(id);
    (keyscape_layout::record_kind(keyspace.kind), keyspace.hash.is_some())
}

/// Returns the space of a keyspace: its store, or `store/family`; and whether it has structures.
pub(super) fn space(layout: &Layout, id: KeyspaceId) -> (String, bool) {
    let keyspace = layout.keyspace(id);
    let store = layout.store(keyspace.store);
    let name = match &keyspace.family {
        Some(family) => format!("{}/{family}", store.name),
        None => store.name.clone(),
    };
    (name, store.structures)
}

/// Returns the name by which a migration can refer to a keyspace.
pub(super) fn written_name(layout: &Layout, id: KeyspaceId) -> String {
    let keyspace = layout.keyspace(id);
    match layout.find(&keyspace.name).len() {
        1 => keyspace.name.clone(),
        _ => text::dotted(&layout.store(keyspace.store).name, &keyspace.name),
    }
}
