//! Resolves declarations to migrations.

use super::{
    Action, Migration, Piece,
    row::{MEMBER, RowType},
};
use crate::{
    compare::Direction::Backward,
    correspondence::{Correspondence, Fields},
    diff::is_index,
    value::is_read_by,
};
use keyscape_layout::{
    Diagnostic, FileId, Layout, Span, did_you_mean, direct_field, fields,
    guard::Guard,
    int_bounds,
    model::{KeyspaceId, KeyspaceKind, Type, same_segments},
    syntax::{
        ast::{Cond, MigrationFile, Move, Name, Statement},
        parse_migration,
    },
};

impl<'a> Migration<'a> {
    /// Reads a migration between two layouts.
    ///
    /// # Errors
    /// Every mistake that was found, in source order. All spans refer to `FileId(0)`.
    pub fn read(text: &str, old: &'a Layout, new: &'a Layout) -> Result<Self, Vec<Diagnostic>> {
        let (file, diagnostics) = parse_migration(text, FileId(0));
        let (old_types, new_types) = (RowType::all(old), RowType::all(new));
        let mut resolver = Resolver {
            migration: Self { old, new, ambiguous: None, pieces: Vec::new(), old_types, new_types },
            correspondence: Correspondence::either_way(old, new),
            diagnostics,
        };
        resolver.resolve(&file);
        let Resolver { migration, mut diagnostics, .. } = resolver;
        diagnostics.sort_by_key(|diagnostic| diagnostic.span.start);
        if diagnostics.is_empty() { Ok(migration) } else { Err(diagnostics) }
    }
}

pub(super) struct Resolver<'a> {
    pub(super) migration: Migration<'a>,
    correspondence: Correspondence,
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl<'a> Resolver<'a> {
    fn resolve(&mut self, file: &MigrationFile) {
        // A statement with a mistake counts as mentioning its keyspace.
        let mut mentioned = Vec::new();
        for statement in &file.statements {
            let piece = match statement {
                Statement::Move(statement) => {
                    mentioned.extend(find(self.migration.old, &statement.from.text));
                    self.moved(statement)
                }
                Statement::Drop { from, condition, reason, span } => {
                    mentioned.extend(find(self.migration.old, &from.text));
                    self.dropped(from, condition.as_ref(), reason, *span)
                }
                Statement::Ambiguous { reason, .. } => {
                    self.migration.ambiguous = Some(reason.clone());
                    None
                }
            };
            self.migration.pieces.extend(piece);
        }
        self.add_defaults(&mentioned);
    }

    /// Adds pieces for rows that no statement selects. They move to the counterpart of their
    /// keyspace.
    fn add_defaults(&mut self, mentioned: &[KeyspaceId]) {
        let old = self.migration.old;
        let piece = |from, action| Piece { from, condition: None, action, span: None };
        for from in old.keyspace_ids() {
            // The fields of a hash have pieces; the hash itself has no rows.
            let kind = old.keyspace(from).kind;
            let has_rows = kind != KeyspaceKind::Hash && kind != KeyspaceKind::Index;
            if !has_rows || self.is_complete(from) {
                continue;
            }
            let Some(to) = self.correspondence.new_keyspace(from) else { continue };
            let before = self.diagnostics.len();
            let moved = self.make(from, to, None);
            // If statements select only some rows and the other rows cannot move, KS111 reports one
            // of them.
            if mentioned.contains(&from) {
                self.diagnostics.truncate(before);
            }
            self.migration.pieces.extend(moved.map(|moved| piece(from, Action::Move(moved))));
        }
        self.rebuild_shared_records();
        for from in old.keyspace_ids().filter(|&id| is_index(old, id)) {
            let kept = self.kept_index(from);
            self.migration.pieces.push(piece(from, Action::Derive { kept }));
        }
    }

    /// Marks records that a structure has once, such as its count, to be built again. This is
    /// necessary if conditions divide the members, or if the structure gets members of another
    /// structure.
    fn rebuild_shared_records(&mut self) {
        let Migration { old, new, pieces, .. } = &mut self.migration;
        let divides = |piece: &Piece| {
            let mut names = piece.condition.iter().flat_map(Guard::conditions);
            names.any(|(name, _)| name == MEMBER)
        };
        let divided: Vec<KeyspaceId> =
            pieces.iter().filter(|piece| divides(piece)).map(|piece| piece.from).collect();
        let targets: Vec<(KeyspaceId, KeyspaceId)> = pieces
            .iter()
            .filter_map(|piece| match &piece.action {
                Action::Move(moved) => Some((piece.from, moved.to)),
                Action::Drop { .. } | Action::Derive { .. } => None,
            })
            .collect();
        let mut rebuilt = Vec::new();
        for Piece { from, action, span, .. } in pieces {
            let Action::Move(moved) = action else { continue };
            let has_shared_records = [old.keyspace(*from), new.keyspace(moved.to)]
                .iter()
                .any(|of| of.counted || of.ranked || of.kind == KeyspaceKind::Queue);
            let is_shared = targets.iter().any(|target| target.1 == moved.to && target.0 != *from);
            if has_shared_records && (is_shared || divided.contains(from)) {
                if moved.is_identical {
                    rebuilt.push((*from, moved.to, span.unwrap_or_default()));
                }
                (moved.keeps_value, moved.is_identical) = (false, false);
            }
        }
        for (from, to, at) in rebuilt {
            self.check_names(from, to, at);
        }
    }

    /// Whether the statements about a keyspace select all of its rows.
    fn is_complete(&self, from: KeyspaceId) -> bool {
        let migration = &self.migration;
        migration.pieces_of(from).next().is_some()
            && migration
                .cases(from, &[])
                .is_ok_and(|cases| cases.iter().all(|case| migration.is_covered(from, case)))
    }

    /// Returns the new index that keeps the entries of an old one. It must have the same bytes in
    /// the same space, and all rows of its map must stay.
    fn kept_index(&self, from: KeyspaceId) -> Option<KeyspaceId> {
        let Migration { old: old_layout, new: new_layout, pieces, .. } = &self.migration;
        let to = self.correspondence.new_keyspace(from)?;
        let (old, new) = (old_layout.keyspace(from), new_layout.keyspace(to));
        let map = old.of?;
        // All rows of the map stay, and no other keyspace moves rows into it.
        let stays = |piece: &Piece| match &piece.action {
            Action::Move(moved) => moved.keeps_all() && Some(moved.to) == new.of,
            _ => false,
        };
        let gets_rows = |piece: &Piece| match &piece.action {
            Action::Move(moved) => Some(moved.to) == new.of,
            _ => false,
        };
        let is_same_map = pieces.iter().any(|piece| piece.from == map)
            && pieces.iter().all(|piece| match piece.from == map {
                true => stays(piece),
                false => !gets_rows(piece),
            });
        let same_values = match &old.value {
            Some(form) => {
                let mut forms = [&new.value, &new.reads].into_iter().flatten();
                forms.any(|read| is_read_by(Backward, form, read))
            }
            None => new.value.is_none(),
        };
        let in_maps =
            Fields::either_way(&old_layout.keyspace(map).key, &new_layout.keyspace(new.of?).key);
        let same_sources = fields(&old.key).iter().zip(fields(&new.key)).all(|(a, b)| {
            a.from_value == b.from_value
                && (a.from_value.is_some() || !in_maps.moves(&a.name, &b.name))
        });
        let is_kept = is_same_map
            && same_segments(&old.key, &new.key)
            && same_sources
            && same_values
            && old.unique == new.unique
            && is_same_space((old_layout, from), (new_layout, to));
        is_kept.then_some(to)
    }

    pub(super) fn error(&mut self, span: Span, message: impl Into<String>, help: Option<String>) {
        let mut diagnostic = Diagnostic::error(span, message);
        diagnostic.help = help;
        self.diagnostics.push(diagnostic);
    }

    /// Reports a mistake, and returns `None`.
    pub(super) fn fail<T>(
        &mut self,
        span: Span,
        message: impl Into<String>,
        help: Option<String>,
    ) -> Option<T> {
        self.error(span, message, help);
        None
    }

    fn keyspace(&mut self, layout: &'a Layout, name: &Name, age: &str) -> Option<KeyspaceId> {
        let found = find(layout, &name.text);
        match found[..] {
            [id] if layout.keyspace(id).kind == KeyspaceKind::Hash => {
                let help = "move each of its fields: `hash.field`".to_owned();
                let message = format!("`{}` is a hash, whose rows are its fields", name.text);
                self.fail(name.span, message, Some(help))
            }
            [id] if is_index(layout, id) => {
                let message =
                    format!("`{}` is an index, whose entries follow from its map", name.text);
                self.fail(name.span, message, Some("leave the statement out".to_owned()))
            }
            [id] => Some(id),
            [] => {
                let names = layout.keyspaces.iter().map(|keyspace| keyspace.name.as_str());
                let help = did_you_mean(&name.text, names);
                let message = format!("the {age} layout has no keyspace `{}`", name.text);
                self.fail(name.span, message, help)
            }
            [first, ..] => {
                let store = &layout.store(layout.keyspace(first).store).name;
                let message = format!("several stores have a keyspace `{}`", name.text);
                let help = format!("write the store before it: `{store}.{}`", name.text);
                self.fail(name.span, message, Some(help))
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
        let from = self.keyspace(self.migration.old, from, "old")?;
        let condition = self.condition(from, condition)?;
        let action = Action::Drop { reason: reason.to_owned() };
        Some(Piece { from, condition, action, span: Some(span) })
    }

    fn moved(&mut self, statement: &Move) -> Option<Piece> {
        let name = &statement.from;
        let from = self.keyspace(self.migration.old, name, "old")?;
        let to = match &statement.to {
            Some(name) => Some(self.keyspace(self.migration.new, name, "new")?),
            None => self.correspondence.new_keyspace(from),
        };
        let Some(to) = to else {
            let message = format!("the new layout has no counterpart of `{}`", name.text);
            let help = format!("name the new keyspace: `move {} to …`", name.text);
            return self.fail(name.span, message, Some(help));
        };
        let condition = self.condition(from, statement.condition.as_ref())?;
        let moved = self.make(from, to, Some(statement))?;
        Some(Piece { from, condition, action: Action::Move(moved), span: Some(statement.span) })
    }

    /// Returns the condition of a statement. The outer `None` means a mistake, which is reported.
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
                return parts
                    .map(|parts| if is_all { Guard::All(parts) } else { Guard::Any(parts) });
            }
            Cond::Is { field, .. } | Cond::In { field, .. } => (&field.text, field.span),
        };
        let rows = self.migration.old_type(from).clone();
        let Some(ty) = direct_field(&rows.identity, field).map(|field| &*field.ty) else {
            let message = match keyscape_layout::field(&rows.parts, field) {
                Some(_) => format!("rows may lack `{field}`, so no condition can ask for it"),
                None => format!("the old keyspace has no field `{field}`"),
            };
            let help = did_you_mean(field, rows.names());
            return self.fail(span, message, help);
        };
        if fields(&rows.parts).iter().filter(|part| part.name == *field).count() > 1 {
            let message = format!("rows have two parts `{field}`, so a condition would mean both");
            return self.fail(span, message, None);
        }
        match cond {
            Cond::Is { negated, value, .. } => {
                let Some(names) = ty.choices() else {
                    let message =
                        format!("`is` needs an enum or a variant, and `{field}` is neither");
                    return self.fail(span, message, None);
                };
                let Some(index) = names.iter().position(|name| *name == value.text) else {
                    let help = did_you_mean(&value.text, names.iter().copied())
                        .unwrap_or_else(|| format!("it is one of {}", names.join(", ")));
                    let message = format!("`{field}` has no value `{}`", value.text);
                    return self.fail(value.span, message, Some(help));
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
                    return self.fail(span, message, None);
                };
                let Some(range) = whole.within(&int_bounds(range)) else {
                    return self.fail(
                        range.span,
                        "this range contains no value of the field",
                        None,
                    );
                };
                Some(Guard::In { field: field.clone(), range })
            }
            Cond::And(_) | Cond::Or(_) => None,
        }
    }
}

/// Finds keyspaces by name: `orders`, `output.data`, or with the store `shop.orders`.
fn find(layout: &Layout, name: &str) -> Vec<KeyspaceId> {
    let found = layout.find(name);
    match name.split_once('.') {
        Some((store, rest)) if found.is_empty() => layout.find(&format!("{store}/{rest}")),
        _ => found,
    }
}

/// Returns the kind of record that a keyspace has. Fields of hashes have a kind of their own.
pub(super) fn record_class(
    layout: &Layout,
    id: KeyspaceId,
) -> (keyscape_codec::record::Kind, bool) {
    let keyspace = layout.keyspace(id);
    (keyscape_layout::record_kind(keyspace.kind), keyspace.hash.is_some())
}

/// Returns the name of the space of a keyspace: its store, or `store/family`.
pub(super) fn space_name(layout: &Layout, id: KeyspaceId) -> String {
    let keyspace = layout.keyspace(id);
    let store = &layout.store(keyspace.store).name;
    match &keyspace.family {
        Some(family) => format!("{store}/{family}"),
        None => store.clone(),
    }
}

/// Whether two keyspaces of two layouts are in the same space: the names are equal, and both stores
/// have structures or neither has.
pub(super) fn is_same_space(
    (old, from): (&Layout, KeyspaceId),
    (new, to): (&Layout, KeyspaceId),
) -> bool {
    space_name(old, from) == space_name(new, to)
        && has_structures(old, from) == has_structures(new, to)
}

/// Whether the store of a keyspace has structures.
pub(super) fn has_structures(layout: &Layout, id: KeyspaceId) -> bool {
    layout.store(layout.keyspace(id).store).structures
}

/// Returns the name by which a migration can refer to a keyspace.
pub(super) fn written_name(layout: &Layout, id: KeyspaceId) -> String {
    let keyspace = layout.keyspace(id);
    match layout.find(&keyspace.name).len() {
        1 => keyspace.name.clone(),
        _ => format!("{}.{}", layout.store(keyspace.store).name, keyspace.name),
    }
}
