//! KS112: no two old rows get the same new key.
//!
//! The new layout is proved, so its keys determine their fields. Then a piece is injective if every
//! part of the old key can be computed from the new fields, or has one value only. Pieces with the
//! same target must differ in a field. If neither is certain, rows are tried.

use super::{
    claim::{MigrationFault, MovedPiece, Undecided, Verdict},
    convert::Convert,
    fitting::rows_of,
    make::{Flow, Make},
    narrow::narrowed_type,
    resolve::space,
    row::{SCORE, VALUE, fields_with_presence},
};
use crate::correspondence::ELEMENT;
use keyscape_layout::{
    Datum, encode_type,
    guard::Class,
    model::{Segment, Type},
    type_at,
};
use keyscape_prover::Row;
use std::{collections::HashMap, sync::Arc};

/// Decides the claim for one piece, and for it and the pieces before it with the same target.
pub(super) fn check(of: MovedPiece<'_, '_>) -> Verdict {
    if let Err(field) = recovered(of) {
        return match within(of, &field) {
            Some(fault) => Verdict::Refuted(fault),
            None => Verdict::Unknown(Undecided::Field { field: field.join(".") }),
        };
    }
    let pieces = of.migration.moved_pieces(of.budget);
    let before = pieces.take_while(|other| !std::ptr::eq(other.piece, of.piece));
    let mut unknown = None;
    for other in before.filter(|other| other.moved.to == of.moved.to && !are_apart(*other, of)) {
        match between(other, of) {
            Some((first, second, key)) => {
                return Verdict::Refuted(MigrationFault::Collision { first, second, key });
            }
            None => unknown = Some(Undecided::Pair { other: other.piece.from }),
        }
    }
    unknown.map_or(Verdict::Proved, Verdict::Unknown)
}

/// Checks that the parts of the old key follow from the new one.
///
/// # Errors
/// The path of a part that does not.
fn recovered(of: MovedPiece<'_, '_>) -> Result<(), Vec<String>> {
    let flows: Vec<Flow> = of
        .moved
        .fields
        .iter()
        .filter(|(name, _)| name != SCORE)
        .flat_map(|(name, make)| make.flows(name))
        .filter(|flow| flow.source.first().is_some_and(|root| root != VALUE))
        .collect();
    Recovered { of, flows }.list(&of.migration.old_type(of.piece.from).identity, &[])
}

struct Recovered<'m, 'a> {
    of: MovedPiece<'m, 'a>,
    flows: Vec<Flow>,
}

impl Recovered<'_, '_> {
    fn list(&self, segments: &[Segment], at: &[String]) -> Result<(), Vec<String>> {
        for (field, is_optional) in fields_with_presence(segments) {
            let path = [at, std::slice::from_ref(&field.name)].concat();
            self.ty(&field.ty, &path)?;
            // The presence of a part follows from that of its fields.
            if is_optional && !self.flows.iter().any(|flow| flow.source.starts_with(&path)) {
                return Err(path);
            }
        }
        Ok(())
    }

    fn ty(&self, ty: &Type, path: &[String]) -> Result<(), Vec<String>> {
        let narrowed = self.of.narrowed(ty, path);
        let ty = narrowed.as_ref().unwrap_or(ty);
        if self.flow(path).is_some_and(|flow| self.is_injective(flow)) {
            match ty {
                // The choice is recovered; the fields of each arm must be as well.
                Type::Variant(_) | Type::List(_) => {}
                Type::Leaf(_) | Type::Enum(_) | Type::Composite(_) => return Ok(()),
            }
        } else {
            match ty {
                Type::Leaf(leaf) => {
                    let dfa = leaf.language.over();
                    let is_single = dfa.few_words(1).is_some_and(|words| words.len() <= 1);
                    return if is_single { Ok(()) } else { Err(path.to_vec()) };
                }
                Type::Enum(of) if of.texts.len() <= 1 => return Ok(()),
                Type::Variant(arms) if arms.len() <= 1 => {}
                Type::Composite(_) => {}
                Type::Enum(_) | Type::Variant(_) | Type::List(_) => return Err(path.to_vec()),
            }
        }
        if self.flow(path).is_some_and(|flow| flow.convert == Convert::SameBytes) {
            return Ok(());
        }
        match ty {
            Type::Composite(segments) => self.list(segments, path),
            Type::Variant(arms) => arms.iter().try_for_each(|arm| {
                let path = [path, std::slice::from_ref(&arm.name)].concat();
                self.list(&arm.segments, &path)
            }),
            Type::List(list) => {
                let path = [path, &[ELEMENT.to_owned()]].concat();
                self.ty(&list.element, &path)
            }
            Type::Leaf(_) | Type::Enum(_) => Ok(()),
        }
    }

    fn flow(&self, path: &[String]) -> Option<&Flow> {
        self.flows.iter().find(|flow| flow.source == path)
    }

    /// Whether two values do not become one. The encodings of the new layout are lossless.
    fn is_injective(&self, flow: &Flow) -> bool {
        match flow.convert {
            // Texts of numbers, and numbers of texts, are written in one way only.
            Convert::Value | Convert::Number | Convert::Text | Convert::Bytes => true,
            // Bytes have one reading, because the new layout is proved, and different bytes are of
            // different values.
            Convert::SameBytes => true,
            Convert::First | Convert::Second => false,
        }
    }
}

impl MovedPiece<'_, '_> {
    /// Returns the type of an outermost field with the values that the condition of the piece
    /// leaves; `None` for a part of a field, or without such a condition.
    pub(super) fn narrowed(&self, ty: &Type, path: &[String]) -> Option<Type> {
        let [name] = path else { return None };
        self.allowed(name).map(|class| narrowed_type(ty, &class))
    }

    /// Returns the values of an outermost field that the condition of the piece leaves, if it
    /// leaves only some choices, or one range of integers.
    pub(super) fn allowed(&self, field: &str) -> Option<Class> {
        let cases = self.migration.cases(self.piece.from, &[]).ok()?;
        let mut found: Option<Class> = None;
        for case in cases.iter().filter(|case| self.migration.is_in(self.piece, case)) {
            let class = case.class(field)?.clone();
            found = Some(match (found, class) {
                (None, class) => class,
                (Some(Class::Choices(mut known)), Class::Choices(more)) => {
                    known.extend(more);
                    known.sort_unstable();
                    known.dedup();
                    Class::Choices(known)
                }
                (Some(known), class) if known == class => known,
                _ => return None,
            });
        }
        found
    }

    /// Returns the names of the texts or arms that a value can have, if it has any.
    pub(super) fn choices(&self, make: &Make) -> Option<Vec<String>> {
        let names = |ty: &Type| {
            ty.choices().map(|names| names.into_iter().map(str::to_owned).collect::<Vec<_>>())
        };
        match make {
            Make::Constant { datum: Datum::Name(name) | Datum::Arm(name, _) } => {
                Some(vec![name.clone()])
            }
            Make::Arm { arm, .. } => Some(vec![arm.clone()]),
            Make::From { path, from, convert: Convert::Value, .. }
            | Make::Arms { path, from, .. } => {
                names(self.narrowed(from, path).as_ref().unwrap_or(from))
            }
            _ => None,
        }
    }

    /// Returns the type of the old leaf whose value stays the same.
    fn source_leaf(&self, make: &Make) -> Option<Arc<Type>> {
        let Make::From { path, from, convert: Convert::Value, .. } = make else { return None };
        Some(self.narrowed(from, path).map_or_else(|| Arc::clone(from), Arc::new))
    }

    /// Whether a value that is made of an old field is certainly not this constant.
    fn excludes(&self, make: &Make, constant: &Datum) -> bool {
        let Some(ty) = self.source_leaf(make) else { return false };
        let fits = encode_type(&ty, "value", constant, &mut Vec::new());
        matches!(&*ty, Type::Leaf(_)) && fits.is_err()
    }
}

/// Whether no row of one piece has the new key of a row of another: the values of a field differ.
pub(super) fn are_apart(a: MovedPiece<'_, '_>, b: MovedPiece<'_, '_>) -> bool {
    let slots = a.migration.new_type(a.moved.to).slots();
    let of_key = slots.iter().filter(|slot| slot.name != SCORE);
    fields_apart(
        (a, &a.moved.fields),
        (b, &b.moved.fields),
        of_key.map(|slot| (slot.name, slot.is_optional)),
    )
}

/// Whether the values of a field are certainly different. `fields` are the names of the new fields,
/// and whether each is in an optional part.
fn fields_apart<'n>(
    (a, firsts): (MovedPiece<'_, '_>, &[(String, Make)]),
    (b, seconds): (MovedPiece<'_, '_>, &[(String, Make)]),
    mut fields: impl Iterator<Item = (&'n str, bool)>,
) -> bool {
    fields.any(|(name, is_optional)| {
        let first = firsts.iter().find(|(known, _)| known == name);
        let second = seconds.iter().find(|(known, _)| known == name);
        let (Some((_, first)), Some((_, second))) = (first, second) else { return false };
        // Rows without an optional part do not differ in it.
        let is_constant = |make: &Make| matches!(make, Make::Constant { .. });
        let may_lack = is_optional && !is_constant(first) && !is_constant(second);
        !may_lack && makes_apart((a, first), (b, second))
    })
}

/// Whether two values are certainly different.
fn makes_apart(
    (a, first): (MovedPiece<'_, '_>, &Make),
    (b, second): (MovedPiece<'_, '_>, &Make),
) -> bool {
    if let (Some(first), Some(second)) = (a.choices(first), b.choices(second))
        && first.iter().all(|name| !second.contains(name))
    {
        return true;
    }
    match (first, second) {
        (Make::Constant { datum: a }, Make::Constant { datum: b }) => a != b,
        (Make::Composite { parts: firsts }, Make::Composite { parts: seconds })
        | (Make::Arm { parts: firsts, .. }, Make::Arm { parts: seconds, .. }) => {
            let fields = firsts.names.iter().map(|(name, is_optional)| (&**name, *is_optional));
            fields_apart((a, &firsts.fields), (b, &seconds.fields), fields)
        }
        (Make::Constant { datum }, make) => b.excludes(make, datum),
        (make, Make::Constant { datum }) => a.excludes(make, datum),
        (first, second) => {
            match (a.source_leaf(first).as_deref(), b.source_leaf(second).as_deref()) {
                (Some(Type::Leaf(a)), Some(Type::Leaf(b))) => {
                    a.takes_none_of(b) && b.takes_none_of(a)
                }
                _ => false,
            }
        }
    }
}

/// The number of values of a part to try.
const TRIED: usize = 16;

/// Looks for two rows of a piece that differ in a part of the old key and have the same new key.
fn within(of: MovedPiece<'_, '_>, path: &[String]) -> Option<MigrationFault> {
    let MovedPiece { migration, piece, moved, budget } = of;
    let collision = |first: &Row, second: &Row| {
        let key = migration.new_key(moved, first)?;
        (first.key != second.key && migration.new_key(moved, second)? == key).then(|| {
            MigrationFault::Collision { first: first.clone(), second: second.clone(), key }
        })
    };
    if let Some(base) = migration.row_with(piece, path, budget).ok()? {
        let identity = &migration.old_type(piece.from).identity;
        for value in type_at(identity, path).map(|ty| values(ty)).unwrap_or_default() {
            let other = migration.row_where(piece, &base, &path.to_vec(), value);
            if let Some(found) = other.and_then(|other| collision(&base, &other)) {
                return Some(found);
            }
        }
    }
    // Rows that lack the part, and others.
    let rows = rows_of(of);
    let mut known: HashMap<Vec<u8>, &Row> = HashMap::new();
    for row in &rows {
        let Some(key) = migration.new_key(moved, row) else { continue };
        if let Some(first) = known.insert(key, row)
            && let Some(found) = collision(first, row)
        {
            return Some(found);
        }
    }
    None
}

/// Looks for a row of each of two pieces with the same new key.
fn between(a: MovedPiece<'_, '_>, b: MovedPiece<'_, '_>) -> Option<(Row, Row, Vec<u8>)> {
    let migration = a.migration;
    let mut known: HashMap<Vec<u8>, Vec<Row>> = HashMap::new();
    for row in rows_of(a) {
        if let Some(key) = migration.new_key(a.moved, &row) {
            known.entry(key).or_default().push(row);
        }
    }
    // Two readings of one stored key are one row.
    let same_space = space(migration.old, a.piece.from).0 == space(migration.old, b.piece.from).0;
    let are_two = |first: &Row, second: &Row| !same_space || first.key != second.key;
    let mut found: Option<(Row, Row, Vec<u8>)> = None;
    for row in rows_of(b) {
        let Some(key) = migration.new_key(b.moved, &row) else { continue };
        let mut firsts = known.get(&key).into_iter().flatten();
        let Some(first) = firsts.find(|first| are_two(first, &row)) else { continue };
        let is_shorter = found
            .as_ref()
            .is_none_or(|(a, b, _)| first.key.len() + row.key.len() < a.key.len() + b.key.len());
        if is_shorter {
            found = Some((first.clone(), row, key));
        }
    }
    found
}

/// Returns some values of a type.
fn values(ty: &Type) -> Vec<Datum> {
    match ty {
        Type::Leaf(leaf) => {
            let dfa = leaf.language.over();
            let words = dfa.words(TRIED).into_iter();
            words.filter_map(|word| leaf.codec.decode(&word).ok()).map(Datum::Leaf).collect()
        }
        Type::Enum(of) => of.texts.iter().cloned().map(Datum::Name).collect(),
        Type::Variant(arms) => {
            arms.iter().filter_map(|arm| Type::Variant(vec![arm.clone()]).example()).collect()
        }
        Type::List(list) => {
            let element = list.element.example();
            let lists = element.map(|element| {
                let counts = list.min..=list.max.min(list.min.saturating_add(2));
                counts.map(|count| Datum::List(vec![element.clone(); count as usize])).collect()
            });
            lists.unwrap_or_default()
        }
        Type::Composite(_) => ty.example().into_iter().collect(),
    }
}
