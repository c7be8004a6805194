//! KS112: no two old rows get the same new key.
//!
//! The new layout is proved, so its keys determine their fields. A piece is therefore injective if
//! every part of the old key can be computed from the new fields, or has only one value. Pieces
//! with the same target must differ in a field. If neither is certain, rows are tried.

use super::{
    claim::{MigrationFault, MovedPiece, Undecided, Verdict},
    convert::Convert,
    make::{Flow, How, MadeField, Make, child},
    narrow::narrowed_type,
    resolve::space_name,
    row::fields_with_presence,
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

/// Decides the claim for one piece, alone and against the earlier pieces with the same target.
pub(super) fn check(of: MovedPiece<'_>) -> Verdict {
    if !of.moved.is_identical
        && let Err(field) = recovered(of)
    {
        let undecided = || {
            let field = field.join(".");
            Verdict::Unknown(Undecided::Because(format!(
                "the new key does not determine the old field `{field}`, but no collision was found"
            )))
        };
        return within(of, &field).map_or_else(undecided, Verdict::Refuted);
    }
    let pieces = of.migration.moved_pieces(of.budget);
    let before = pieces.take_while(|other| !std::ptr::eq(other.piece, of.piece));
    let mut verdict = Verdict::Proved;
    for other in before.filter(|other| other.moved.to == of.moved.to && !are_apart(*other, of)) {
        if let Some((first, second, key)) = between(other, of) {
            return Verdict::Refuted(MigrationFault::Collision { first, second, key });
        }
        verdict = Verdict::Unknown(Undecided::because(
            "rows of two statements move to one keyspace, but no collision was found",
        ));
    }
    verdict
}

/// Checks that the new key determines every part of the old key.
///
/// # Errors
/// The path of a part that is not determined.
fn recovered(of: MovedPiece<'_>) -> Result<(), Vec<String>> {
    let mut flows = of.flows();
    flows.retain(|flow| {
        flow.target.first().is_some_and(|root| of.new_type().is_in_key(root))
            && flow.source.first().is_some_and(|root| of.old_type().is_in_key(root))
    });
    Recovered { of, flows }.list(&of.old_type().identity, &[])
}

struct Recovered<'m> {
    of: MovedPiece<'m>,
    flows: Vec<Flow>,
}

impl Recovered<'_> {
    fn list(&self, segments: &[Segment], at: &[String]) -> Result<(), Vec<String>> {
        for (field, is_optional) in fields_with_presence(segments) {
            let path = child(at, &field.name);
            self.ty(&field.ty, &path)?;
            // Only its fields show whether an optional part is present.
            if is_optional && !self.flows.iter().any(|flow| flow.source.starts_with(&path)) {
                return Err(path);
            }
        }
        Ok(())
    }

    fn ty(&self, ty: &Type, path: &[String]) -> Result<(), Vec<String>> {
        let narrowed = self.of.narrowed(ty, path);
        let ty = narrowed.as_ref().unwrap_or(ty);
        let convert = self.flows.iter().find(|flow| flow.source == path).map(|flow| flow.convert);
        let is_recovered = match convert {
            // The new layout is proved, so it reads different bytes as different values.
            Some(Convert::SameBytes) => return Ok(()),
            // Each number has one text, and each accepted text has one number.
            Some(Convert::Value | Convert::Number | Convert::Text | Convert::Bytes) => true,
            Some(Convert::First | Convert::Second) | None => false,
        };
        let lost = || Err(path.to_vec());
        match ty {
            Type::Leaf(leaf) => {
                let is_single = || leaf.language.over().few_words(1).is_some();
                if is_recovered || is_single() { Ok(()) } else { lost() }
            }
            Type::Enum(of) if is_recovered || of.texts.len() <= 1 => Ok(()),
            Type::Composite(segments) => self.list(segments, path),
            // The choice is recovered; the fields of each arm must be recovered as well.
            Type::Variant(arms) if is_recovered || arms.len() <= 1 => {
                arms.iter().try_for_each(|arm| self.list(&arm.segments, &child(path, &arm.name)))
            }
            Type::List(list) if is_recovered => self.ty(&list.element, &child(path, ELEMENT)),
            Type::Enum(_) | Type::Variant(_) | Type::List(_) => lost(),
        }
    }
}

impl MovedPiece<'_> {
    /// Returns the type of an outermost field, narrowed to the values that the condition of the
    /// piece allows. Returns `None` for a part of a field, or if no condition narrows the field.
    pub(super) fn narrowed(&self, ty: &Type, path: &[String]) -> Option<Type> {
        let [name] = path else { return None };
        self.allowed(name).map(|class| narrowed_type(ty, &class))
    }

    /// Returns the values of an outermost field that the condition of the piece allows, if these
    /// are some choices or one range of integers.
    pub(super) fn allowed(&self, field: &str) -> Option<Class> {
        let mut found: Option<Class> = None;
        for case in self.cases(&[]).ok()? {
            let class = case.class(field)?.clone();
            found = Some(match (found, class) {
                (None, class) => class,
                (Some(Class::Choices(mut choices)), Class::Choices(more)) => {
                    choices.extend(more);
                    choices.sort_unstable();
                    choices.dedup();
                    Class::Choices(choices)
                }
                (Some(found), class) if found == class => found,
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
            Make::Constant(Datum::Name(name) | Datum::Arm(name, _)) => Some(vec![name.clone()]),
            Make::Arm { arm, .. } => Some(vec![arm.clone()]),
            Make::From { path, from, how: How::Whole(Convert::Value) | How::Arms(_), .. } => {
                names(self.narrowed(from, path).as_ref().unwrap_or(from))
            }
            _ => None,
        }
    }

    /// Returns the type of the old leaf if its value does not change.
    fn source_leaf(&self, make: &Make) -> Option<Arc<Type>> {
        let Make::From { path, from, how: How::Whole(Convert::Value), .. } = make else {
            return None;
        };
        Some(self.narrowed(from, path).map_or_else(|| Arc::clone(from), Arc::new))
    }

    /// Whether a value that is made from an old field certainly differs from this constant.
    fn excludes(&self, make: &Make, constant: &Datum) -> bool {
        let Some(ty) = self.source_leaf(make) else { return false };
        let fits = encode_type(&ty, "value", constant, &mut Vec::new());
        matches!(&*ty, Type::Leaf(_)) && fits.is_err()
    }
}

/// Whether the new keys of two pieces certainly differ, because the values of a field differ.
pub(super) fn are_apart(a: MovedPiece<'_>, b: MovedPiece<'_>) -> bool {
    let in_key = a.moved.fields.iter().filter(|field| a.new_type().is_in_key(&field.name));
    fields_apart((a, in_key), (b, &b.moved.fields))
}

/// Whether the values of a field are certainly different.
fn fields_apart<'f>(
    (a, mut firsts): (MovedPiece<'_>, impl Iterator<Item = &'f MadeField>),
    (b, seconds): (MovedPiece<'_>, &[MadeField]),
) -> bool {
    firsts.any(|MadeField { name, is_optional, make }| {
        let Some(second) = MadeField::find(seconds, name) else { return false };
        // Rows that lack an optional part do not differ in it.
        let is_constant = |make: &Make| matches!(make, Make::Constant(_));
        let may_lack = *is_optional && !is_constant(make) && !is_constant(second);
        !may_lack && makes_apart((a, make), (b, second))
    })
}

/// Whether two values are certainly different.
pub(super) fn makes_apart(
    (a, first): (MovedPiece<'_>, &Make),
    (b, second): (MovedPiece<'_>, &Make),
) -> bool {
    if let (Some(first), Some(second)) = (a.choices(first), b.choices(second))
        && first.iter().all(|name| !second.contains(name))
    {
        return true;
    }
    match (first, second) {
        (Make::Constant(a), Make::Constant(b)) => a != b,
        (Make::Composite(firsts), Make::Composite(seconds))
        | (Make::Arm { parts: firsts, .. }, Make::Arm { parts: seconds, .. }) => {
            fields_apart((a, firsts.fields.iter()), (b, &seconds.fields))
        }
        (Make::Constant(datum), make) => b.excludes(make, datum),
        (make, Make::Constant(datum)) => a.excludes(make, datum),
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
fn within(of: MovedPiece<'_>, path: &[String]) -> Option<MigrationFault> {
    let collision =
        |first: &Row, second: &Row| {
            let key = of.new_key(first)?;
            (first.key != second.key && of.new_key(second)? == key).then(|| {
                MigrationFault::Collision { first: first.clone(), second: second.clone(), key }
            })
        };
    if let Some(base) = of.row_with(path).ok()? {
        let ty = type_at(&of.old_type().identity, path);
        for value in ty.map(|ty| values(ty)).unwrap_or_default() {
            let other = of.row_where(&base, path, value);
            if let Some(found) = other.and_then(|other| collision(&base, &other)) {
                return Some(found);
            }
        }
    }
    // Compare rows that lack the part with other rows.
    let rows = of.sample_rows();
    let mut by_key: HashMap<Vec<u8>, &Row> = HashMap::new();
    rows.iter().find_map(|row| {
        let first = by_key.insert(of.new_key(row)?, row)?;
        collision(first, row)
    })
}

/// Looks for a row of each of two pieces with the same new key. Returns the shortest ones.
fn between(a: MovedPiece<'_>, b: MovedPiece<'_>) -> Option<(Row, Row, Vec<u8>)> {
    let mut by_key: HashMap<Vec<u8>, Vec<Row>> = HashMap::new();
    for row in a.sample_rows() {
        if let Some(key) = a.new_key(&row) {
            by_key.entry(key).or_default().push(row);
        }
    }
    // Two readings of one stored key count as one row.
    let space = |of: MovedPiece<'_>| space_name(of.migration.old, of.piece.from);
    let same_space = space(a) == space(b);
    let found = b.sample_rows().into_iter().filter_map(|row| {
        let key = b.new_key(&row)?;
        let mut firsts = by_key.get(&key)?.iter();
        let first = firsts.find(|first| !same_space || first.key != row.key)?;
        Some((first.clone(), row, key))
    });
    found.min_by_key(|(first, second, _)| first.key.len() + second.key.len())
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
