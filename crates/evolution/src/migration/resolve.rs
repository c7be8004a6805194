//! Declarations to migrations.

use super::{Action, Migration, Piece, narrow::cases_of_conditions, row::RowType};
use crate::{correspondence::Correspondence, diff::is_index, value::is_read_by};
use keyscape_layout::{
    Diagnostic, FileId, Layout, Span, did_you_mean, direct_field,
    guard::{Case, Guard},
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
    /// Every mistake that was found, in source order. Their file is `FileId(0)`.
    pub fn read(text: &str, old: &'a Layout, new: &'a Layout) -> Result<Self, Vec<Diagnostic>> {
        let (file, mut diagnostics) = parse_migration(text, FileId(0));
        let resolver = Resolver::new(old, new);
        let (migration, found) = resolver.resolve(&file);
        diagnostics.extend(found);
        diagnostics.sort_by_key(|diagnostic| diagnostic.span.start);
        if diagnostics.is_empty() { Ok(migration) } else { Err(diagnostics) }
    }
}

pub(super) struct Resolver<'a> {
    pub(super) old: &'a Layout,
    pub(super) new: &'a Layout,
    forward: Correspondence,
    backward: Correspondence,
    pub(super) old_types: Vec<RowType>,
    pub(super) new_types: Vec<RowType>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl<'a> Resolver<'a> {
    fn new(old: &'a Layout, new: &'a Layout) -> Self {
        Self {
            old,
            new,
            forward: Correspondence::new(old, new),
            backward: Correspondence::new(new, old),
            old_types: RowType::all(old),
            new_types: RowType::all(new),
            diagnostics: Vec::new(),
        }
    }

    fn resolve(mut self, file: &MigrationFile) -> (Migration<'a>, Vec<Diagnostic>) {
        let (mut pieces, mut ambiguous) = (Vec::new(), None);
        for statement in &file.statements {
            let piece = match statement {
                Statement::Move(given) => self.moved(given),
                Statement::Drop { from, condition, reason, span } => {
                    self.dropped(from, condition.as_ref(), reason, *span)
                }
                Statement::Ambiguous { reason, .. } => {
                    ambiguous = Some(reason.clone());
                    None
                }
            };
            pieces.extend(piece);
        }
        let names = file.statements.iter().filter_map(|statement| match statement {
            Statement::Move(Move { from, .. }) | Statement::Drop { from, .. } => Some(from),
            Statement::Ambiguous { .. } => None,
        });
        // A statement with a mistake mentions its keyspace as well.
        let mentioned: Vec<KeyspaceId> =
            names.flat_map(|name| find(self.old, &name.text)).collect();
        self.add_defaults(&mut pieces, &mentioned);
        let Self { old, new, old_types, new_types, diagnostics, .. } = self;
        (Migration { old, new, ambiguous, pieces, old_types, new_types }, diagnostics)
    }

    /// Adds pieces for rows that no statement is about: they move to the counterpart of their
    /// keyspace.
    fn add_defaults(&mut self, pieces: &mut Vec<Piece>, mentioned: &[KeyspaceId]) {
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
            if mentioned.contains(&from) {
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
            pieces.push(Piece {
                from,
                condition: None,
                action: Action::Derive { kept },
                span: None,
            });
        }
    }

    /// Whether the statements about a keyspace select all of its rows.
    fn is_complete(&self, from: KeyspaceId, pieces: &[Piece]) -> bool {
        let own: Vec<&Piece> = pieces.iter().filter(|piece| piece.from == from).collect();
        let guards: Vec<&Guard> = own.iter().filter_map(|piece| piece.condition.as_ref()).collect();
        let selects = |case: &Case| {
            own.iter().any(|piece| piece.condition.as_ref().is_none_or(|g| case.satisfies(g)))
        };
        let cases = cases_of_conditions(&RowType::at(&self.old_types, from).identity, &guards);
        !own.is_empty() && cases.is_ok_and(|cases| cases.iter().all(selects))
    }

    /// Returns the new index that has the entries of an old one: the same bytes, in the same place,
    /// of a map whose rows all stay.
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
        let same_values = match &old.value {
            Some(form) => {
                [&new.value, &new.reads].into_iter().flatten().any(|read| is_read_by(form, read))
            }
            None => new.value.is_none(),
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
            return self.fail(given.from.span, message, Some(help));
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
                return parts
                    .map(|parts| if is_all { Guard::All(parts) } else { Guard::Any(parts) });
            }
            Cond::Is { field, .. } | Cond::In { field, .. } => (&field.text, field.span),
        };
        let view = RowType::at(&self.old_types, from).clone();
        let Some(ty) = direct_field(&view.identity, field).map(|field| &*field.ty) else {
            let is_optional = view.slots().iter().any(|slot| slot.name == field);
            let message = match is_optional {
                true => format!("rows may lack `{field}`, so no condition can ask for it"),
                false => format!("the old keyspace has no field `{field}`"),
            };
            let help = did_you_mean(field, view.names());
            return self.fail(span, message, help);
        };
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

/// Finds keyspaces by name: `orders`, `output.data`, or after the store `shop.orders`.
fn find(layout: &Layout, name: &str) -> Vec<KeyspaceId> {
    let found = layout.find(name);
    match name.split_once('.') {
        Some((store, rest)) if found.is_empty() => layout.find(&format!("{store}/{rest}")),
        _ => found,
    }
}

/// The kind of record that a keyspace has; fields of hashes are their own kind.
pub(super) fn record_class(
    layout: &Layout,
    id: KeyspaceId,
) -> (keyscape_codec::record::Kind, bool) {
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
        _ => format!("{}.{}", layout.store(keyspace.store).name, keyspace.name),
    }
}
