//! KS112: no two old rows get the same new key.
//!
//! The new layout is proved, so its keys determine their fields. Then a piece is injective if every
//! part of the old key can be computed from the new fields, or has one value only. Pieces with the
//! same target must differ in a field. If neither is certain, rows are tried.

use super::{
    Action, Migration, Moved, Piece,
    claim::{MigrationFault, Undecided, Verdict},
    collision,
    convert::Convert,
    make::{Flow, Make},
    view::{SCORE, VALUE},
};
use crate::correspondence::ELEMENT;
use keyscape_automata::Budget;
use keyscape_layout::{
    guard::Class,
    model::{Segment, Type},
};
use std::sync::Arc;

/// Decides the claim for one piece, and for it and the pieces before it with the same target.
pub(super) fn check(
    migration: &Migration<'_>,
    piece: &Piece,
    moved: &Moved,
    budget: Budget<'_>,
) -> Verdict {
    if let Err(field) = recovered(migration, piece, moved) {
        return match collision::within(migration, piece, moved, &field, budget) {
            Some(fault) => Verdict::Refuted(fault),
            None => Verdict::Unknown(Undecided::Field { field: field.join(".") }),
        };
    }
    let before = migration.pieces.iter().take_while(|other| !std::ptr::eq(*other, piece));
    let mut unknown = None;
    for other in before {
        let Action::Move(theirs) = &other.action else { continue };
        if theirs.to != moved.to || are_apart(migration, (other, theirs), (piece, moved)) {
            continue;
        }
        match collision::between(migration, (other, theirs), (piece, moved), budget) {
            Some((first, second, key)) => {
                return Verdict::Refuted(MigrationFault::Collision { first, second, key });
            }
            None => unknown = Some(Undecided::Pair { other: other.from }),
        }
    }
    unknown.map_or(Verdict::Proved, Verdict::Unknown)
}

/// Checks that the parts of the old key follow from the new one.
///
/// # Errors
/// The path of a part that does not.
pub(super) fn recovered(
    migration: &Migration<'_>,
    piece: &Piece,
    moved: &Moved,
) -> Result<(), Vec<String>> {
    let flows: Vec<Flow> = moved
        .fields
        .iter()
        .filter(|(name, _)| name != SCORE)
        .flat_map(|(name, make)| make.flows(name))
        .filter(|flow| flow.source.first().is_some_and(|root| root != VALUE))
        .collect();
    let view = migration.old_view(piece.from);
    let found = Recovered { migration, piece, flows };
    found.list(&view.identity, &[])
}

struct Recovered<'m, 'a> {
    migration: &'m Migration<'a>,
    piece: &'m Piece,
    flows: Vec<Flow>,
}

impl Recovered<'_, '_> {
    fn list(&self, segments: &[Segment], at: &[String]) -> Result<(), Vec<String>> {
        for segment in segments {
            for field in keyscape_layout::fields(std::slice::from_ref(segment)) {
                let path = [at, std::slice::from_ref(&field.name)].concat();
                self.ty(&field.ty, &path)?;
                // The presence of a part follows from that of its fields.
                let is_optional = matches!(segment, Segment::Option(_));
                if is_optional && self.flow(&path).is_none() && !self.has_inner_flow(&path) {
                    return Err(path);
                }
            }
        }
        Ok(())
    }

    fn ty(&self, ty: &Type, path: &[String]) -> Result<(), Vec<String>> {
        let narrowed = self.narrowed(ty, path);
        let ty = narrowed.as_deref().unwrap_or(ty);
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

    fn has_inner_flow(&self, path: &[String]) -> bool {
        self.flows.iter().any(|flow| flow.source.starts_with(path))
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

    /// Returns the type of an outermost field with the values that the condition of the piece
    /// leaves.
    fn narrowed(&self, ty: &Type, path: &[String]) -> Option<Arc<Type>> {
        let [name] = path else { return None };
        allowed(self.migration, self.piece, name)
            .map(|class| Arc::new(super::narrow::narrowed_type(ty, &class)))
    }
}

/// Returns the values of an outermost field that the condition of a piece leaves, if it leaves only
/// some choices, or one range of integers.
pub(super) fn allowed(migration: &Migration<'_>, piece: &Piece, field: &str) -> Option<Class> {
    let cases = migration.cells_of(piece.from, &[]).ok()?;
    let mut found: Option<Class> = None;
    for case in cases.iter().filter(|case| migration.is_in(piece, case)) {
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

/// Whether no row of one piece has the new key of a row of another: the values of a field differ.
pub(super) fn are_apart(
    migration: &Migration<'_>,
    (a, from_a): (&Piece, &Moved),
    (b, from_b): (&Piece, &Moved),
) -> bool {
    let slots = migration.new_view(from_a.to).slots();
    let optional: Vec<&str> =
        slots.iter().filter(|slot| slot.is_optional).map(|slot| slot.name).collect();
    let pairs = from_a.fields.iter().filter(|(name, _)| name != SCORE);
    for (name, make) in pairs {
        let Some((_, other)) = from_b.fields.iter().find(|(known, _)| known == name) else {
            continue;
        };
        // Rows without an optional part do not differ in it.
        let is_constant = |make: &Make| matches!(make, Make::Constant { .. });
        let may_lack = optional.contains(&name.as_str());
        if may_lack && !is_constant(make) && !is_constant(other) {
            continue;
        }
        if makes_apart(migration, (a, make), (b, other)) {
            return true;
        }
    }
    false
}

/// Whether two values are certainly different.
fn makes_apart(
    migration: &Migration<'_>,
    (a, first): (&Piece, &Make),
    (b, second): (&Piece, &Make),
) -> bool {
    let both = (choices(migration, a, first), choices(migration, b, second));
    if let (Some(first), Some(second)) = &both
        && first.iter().all(|name| !second.contains(name))
    {
        return true;
    }
    match (first, second) {
        (Make::Constant { datum: a, .. }, Make::Constant { datum: b, .. }) => a != b,
        (Make::Composite { parts: firsts }, Make::Composite { parts: seconds })
        | (Make::Arm { parts: firsts, .. }, Make::Arm { parts: seconds, .. }) => {
            firsts.fields.iter().any(|(name, make)| {
                let other = seconds.fields.iter().find(|(known, _)| known == name);
                other.is_some_and(|(_, other)| makes_apart(migration, (a, make), (b, other)))
            })
        }
        (Make::Constant { datum, .. }, make) => excludes(migration, (b, make), datum),
        (make, Make::Constant { datum, .. }) => excludes(migration, (a, make), datum),
        (first, second) => {
            let leaf = |piece, make| source_leaf(migration, piece, make);
            match (leaf(a, first), leaf(b, second)) {
                (Some(a), Some(b)) => match (&*a, &*b) {
                    (Type::Leaf(a), Type::Leaf(b)) => a.takes_none_of(b) && b.takes_none_of(a),
                    _ => false,
                },
                _ => false,
            }
        }
    }
}

/// Returns the names of the texts or arms that a value can have, if it has any.
pub(super) fn choices(
    migration: &Migration<'_>,
    piece: &Piece,
    make: &Make,
) -> Option<Vec<String>> {
    let names = |ty: &Type| {
        ty.choices().map(|names| names.into_iter().map(str::to_owned).collect::<Vec<_>>())
    };
    match make {
        Make::Constant { datum: keyscape_layout::Datum::Name(name), .. }
        | Make::Constant { datum: keyscape_layout::Datum::Arm(name, _), .. } => {
            Some(vec![name.clone()])
        }
        Make::Arm { arm, .. } => Some(vec![arm.clone()]),
        Make::From { path, from, convert: Convert::Value, .. } | Make::Arms { path, from, .. } => {
            let class = match &path[..] {
                [name] => allowed(migration, piece, name),
                _ => None,
            };
            match class {
                Some(class) => names(&super::narrow::narrowed_type(from, &class)),
                None => names(from),
            }
        }
        _ => None,
    }
}

/// Returns the type of the old leaf whose value stays the same.
fn source_leaf(migration: &Migration<'_>, piece: &Piece, make: &Make) -> Option<Arc<Type>> {
    let Make::From { path, from, convert: Convert::Value, .. } = make else { return None };
    let class = match &path[..] {
        [name] => allowed(migration, piece, name),
        _ => None,
    };
    Some(match class {
        Some(class) => Arc::new(super::narrow::narrowed_type(from, &class)),
        None => Arc::clone(from),
    })
}

/// Whether a value that is made of an old field is certainly not this constant.
fn excludes(
    migration: &Migration<'_>,
    (piece, make): (&Piece, &Make),
    constant: &keyscape_layout::Datum,
) -> bool {
    let Some(ty) = source_leaf(migration, piece, make) else { return false };
    let fits = keyscape_layout::encode_type(&ty, "value", constant, &mut Vec::new());
    matches!(&*ty, Type::Leaf(_)) && fits.is_err()
}
