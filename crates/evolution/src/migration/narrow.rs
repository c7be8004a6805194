//! Rows of one piece: the key of a keyspace, narrowed to the rows that a condition selects.

use super::{
    Migration, Piece,
    claim::{MovedPiece, Undecided},
    make::set_part,
    row::OldRow,
};
use crate::{correspondence::ELEMENT, sample};
use keyscape_automata::Budget;
use keyscape_layout::{
    Datum, Layout, Record, Side,
    guard::{Case, Class, Guard, cases_of},
    machine::Walk,
    model::{Enum, KeyspaceId, Leaf, List, OptionSegment, Segment, Type},
};
use keyscape_prover::{KeyReader, Row};
use std::sync::Arc;

/// The maximum number of cases for the conditions of a keyspace.
const MAX_CASES: usize = 1024;
/// The keyspace of a layout that has only one.
const ALONE: KeyspaceId = KeyspaceId(0);

/// Returns the segments of the rows of one case.
fn narrowed(segments: &[Segment], case: &Case) -> Vec<Segment> {
    let narrow = |segment: &Segment| match segment {
        Segment::Field(field) => {
            let mut field = field.clone();
            if let Some(class) = case.class(&field.name) {
                field.ty = Arc::new(narrowed_type(&field.ty, class));
            }
            Segment::Field(field)
        }
        Segment::Option(option) => Segment::Option(OptionSegment {
            segments: narrowed(&option.segments, case),
            guard: option.guard.as_ref().map(|guard| renumbered(guard, case)),
            span: option.span,
        }),
        segment => segment.clone(),
    };
    segments.iter().map(narrow).collect()
}

/// Returns a guard that refers to the choices of the narrowed types by their new numbers.
fn renumbered(guard: &Guard, case: &Case) -> Guard {
    let all = |parts: &[Guard]| parts.iter().map(|part| renumbered(part, case)).collect();
    match guard {
        Guard::Is { field, choices } => match case.class(field) {
            Some(Class::Choices(left)) => {
                let left = left.iter().enumerate().filter(|(_, old)| choices.contains(old));
                Guard::Is { field: field.clone(), choices: left.map(|(at, _)| at).collect() }
            }
            _ => guard.clone(),
        },
        Guard::In { .. } => guard.clone(),
        Guard::All(parts) => Guard::All(all(parts)),
        Guard::Any(parts) => Guard::Any(all(parts)),
    }
}

/// Returns a type with the values of a class only.
pub(super) fn narrowed_type(ty: &Type, class: &Class) -> Type {
    match (ty, class) {
        (Type::Enum(of), Class::Choices(choices)) => Type::Enum(Enum {
            texts: choices.iter().filter_map(|&at| of.texts.get(at).cloned()).collect(),
            bytes: choices.iter().filter_map(|&at| of.bytes.get(at).cloned()).collect(),
        }),
        (Type::Variant(arms), Class::Choices(choices)) => {
            Type::Variant(choices.iter().filter_map(|&at| arms.get(at).cloned()).collect())
        }
        (Type::Leaf(leaf), Class::Integers(range)) => {
            let narrow = leaf.codec.restrict(range).and_then(|codec| {
                let language = codec.language(Budget::default()).ok()?;
                Some(Leaf { codec, language, ..leaf.clone() })
            });
            Type::Leaf(narrow.unwrap_or_else(|| leaf.clone()))
        }
        _ => ty.clone(),
    }
}

/// Returns the segments of rows that have a part: the optional parts around it are present, and its
/// arms are taken. Conditions handle the choices of the outermost fields.
fn through(segments: &[Segment], path: &[String]) -> Vec<Segment> {
    let Some((first, rest)) = path.split_first() else { return segments.to_vec() };
    let mut found = Vec::new();
    for segment in segments {
        match segment {
            Segment::Field(field) if field.name == *first => {
                let mut field = field.clone();
                field.ty = Arc::new(through_type(&field.ty, rest));
                found.push(Segment::Field(field));
            }
            Segment::Option(option)
                if keyscape_layout::fields(&option.segments).iter().any(|f| f.name == *first) =>
            {
                found.extend(through(&option.segments, path));
            }
            segment => found.push(segment.clone()),
        }
    }
    found
}

/// Returns a type whose values have a part, as in [`through`].
pub(super) fn through_type(ty: &Type, path: &[String]) -> Type {
    match (ty, path) {
        (_, []) => ty.clone(),
        (Type::Composite(segments), path) => Type::Composite(through(segments, path)),
        (Type::Variant(arms), [name, rest @ ..]) => {
            let arms = arms.iter().filter(|arm| arm.name == *name).cloned().map(|mut arm| {
                arm.segments = through(&arm.segments, rest);
                arm
            });
            Type::Variant(arms.collect())
        }
        (Type::List(list), [name, rest @ ..]) if name == ELEMENT => Type::List(List {
            element: Arc::new(through_type(&list.element, rest)),
            min: list.min.max(1),
            max: list.max,
        }),
        _ => ty.clone(),
    }
}

/// Returns a type whose values lack a part: the optional part around it is absent, or another arm
/// is taken. Returns `None` if all values have the part.
pub(super) fn type_without(ty: &Type, path: &[String]) -> Option<Type> {
    match (ty, path) {
        (Type::Composite(segments), path) => segments_without(segments, path).map(Type::Composite),
        (Type::Variant(arms), [name, rest @ ..]) => {
            let mut arms = arms.clone();
            if let [only] = &mut arms[..] {
                only.segments = segments_without(&only.segments, rest)?;
            } else {
                arms.retain(|arm| arm.name != *name);
            }
            Some(Type::Variant(arms))
        }
        _ => None,
    }
}

fn segments_without(segments: &[Segment], path: &[String]) -> Option<Vec<Segment>> {
    let (first, rest) = path.split_first()?;
    let mut segments = segments.to_vec();
    let has_field =
        |segment: &Segment| keyscape_layout::field(std::slice::from_ref(segment), first).is_some();
    let at = segments.iter().position(has_field)?;
    match &mut segments[at] {
        Segment::Field(field) => field.ty = Arc::new(type_without(&field.ty, rest)?),
        _ => drop(segments.remove(at)),
    }
    Some(segments)
}

/// Returns the conditions under which rows have a part: the guards of optional parts around it, and
/// the arm that an outermost field takes.
fn conditions_of(segments: &[Segment], path: &[String]) -> Vec<Guard> {
    let mut found = Vec::new();
    let Some((first, rest)) = path.split_first() else { return found };
    for segment in segments {
        match segment {
            Segment::Field(field) if field.name == *first => {
                if let (Type::Variant(arms), Some(name)) = (&*field.ty, rest.first())
                    && let Some(at) = arms.iter().position(|arm| arm.name == *name)
                {
                    found.push(Guard::Is { field: first.clone(), choices: vec![at] });
                }
            }
            Segment::Option(option)
                if keyscape_layout::fields(&option.segments).iter().any(|f| f.name == *first) =>
            {
                found.extend(option.guard.clone());
                found.extend(conditions_of(&option.segments, path));
            }
            _ => {}
        }
    }
    found
}

/// Returns the shortest row of some segments; `None` if no row exists.
fn shortest(
    layout: &Layout,
    at: KeyspaceId,
    segments: Vec<Segment>,
    budget: Budget<'_>,
) -> Result<Option<Row>, Undecided> {
    let alone = layout.with_keys(vec![("row".to_owned(), segments)], at);
    let reader = KeyReader::new(&alone, budget);
    let machine = reader.machine(&[ALONE], Side::Over)?;
    if machine.nearest(machine.start()) == u64::MAX {
        return Ok(None);
    }
    let key = Walk::new(&machine).shortest(machine.start());
    let row = reader.rows(&key, ALONE).into_iter().next();
    row.map(|row| Some(Row { keyspace: at, ..row })).ok_or_else(Undecided::inexact)
}

/// Whether the condition of a piece holds for the rows of a case.
fn holds(piece: &Piece, case: &Case) -> bool {
    piece.condition.as_ref().is_none_or(|guard| case.satisfies(guard))
}

impl Migration<'_> {
    /// Whether a piece applies to the rows of a case: its condition holds, and no earlier condition
    /// does.
    fn is_in(&self, piece: &Piece, case: &Case) -> bool {
        let first = self.pieces_of(piece.from).find(|piece| holds(piece, case));
        first.is_some_and(|first| std::ptr::eq(first, piece))
    }

    /// Whether some piece applies to the rows of a case.
    pub(super) fn is_covered(&self, from: KeyspaceId, case: &Case) -> bool {
        self.pieces_of(from).any(|piece| holds(piece, case))
    }

    /// Divides the rows of a keyspace into cases by the conditions of its pieces and by `more`. In
    /// each case, every condition holds for all rows or for none.
    pub(super) fn cases(&self, from: KeyspaceId, more: &[Guard]) -> Result<Vec<Case>, Undecided> {
        let own = self.pieces_of(from).filter_map(|piece| piece.condition.as_ref());
        let guards: Vec<&Guard> = own.chain(more).collect();
        let cases = cases_of(&self.old_type(from).identity, &guards, MAX_CASES);
        cases.ok_or_else(|| Undecided::because("the conditions make too many cases"))
    }

    /// Returns the shortest row of some cases that has a part.
    pub(super) fn shortest_row(
        &self,
        from: KeyspaceId,
        cases: &[Case],
        path: &[String],
        budget: Budget<'_>,
    ) -> Result<Option<Row>, Undecided> {
        let identity = &self.old_type(from).identity;
        let mut best: Option<Row> = None;
        for case in cases {
            let segments = through(&narrowed(identity, case), path);
            let row = shortest(self.old, from, segments, budget)?;
            if let Some(row) = row
                && best.as_ref().is_none_or(|best| row.key.len() < best.key.len())
            {
                best = Some(row);
            }
        }
        Ok(best)
    }
}

impl MovedPiece<'_> {
    /// Returns the cases of the piece in which all of `conditions` hold.
    pub(super) fn cases(&self, conditions: &[Guard]) -> Result<Vec<Case>, Undecided> {
        let mut cases = self.migration.cases(self.piece.from, conditions)?;
        cases.retain(|case| {
            self.migration.is_in(self.piece, case)
                && conditions.iter().all(|guard| case.satisfies(guard))
        });
        Ok(cases)
    }

    /// Returns the shortest row of the piece that has a part.
    pub(super) fn row_with(&self, path: &[String]) -> Result<Option<Row>, Undecided> {
        let cases = self.cases(&conditions_of(&self.old_type().identity, path))?;
        self.migration.shortest_row(self.piece.from, &cases, path, self.budget)
    }

    /// Returns the row with another value of a part, if the result is a row of the piece.
    pub(super) fn row_where(&self, base: &Row, path: &[String], value: Datum) -> Option<Row> {
        let mut fields: Record = base.fields.clone();
        set_part(&mut fields, path, value).then_some(())?;
        self.row_of(fields)
    }

    /// Returns the row with these fields, if the row belongs to the piece.
    pub(super) fn row_of(&self, fields: Record) -> Option<Row> {
        let from = self.piece.from;
        let key = self.migration.old_identity(from, &fields).ok()?;
        let is_own = std::ptr::eq(self.migration.piece_of(from, &fields)?, self.piece);
        is_own.then_some(Row { key, keyspace: from, fields })
    }

    /// Returns some rows of the piece.
    pub(super) fn sample_rows(&self) -> Vec<Row> {
        let identity = self.old_type().identity.clone();
        let alone =
            self.migration.old.with_keys(vec![("row".to_owned(), identity)], self.piece.from);
        let records = sample::records(&KeyReader::new(&alone, self.budget), ALONE, &[]);
        records.into_iter().filter_map(|fields| self.row_of(fields)).collect()
    }

    /// Returns the new key of an old row.
    pub(super) fn new_key(&self, row: &Row) -> Option<Vec<u8>> {
        let old = OldRow::unread(row.keyspace, row.fields.clone());
        let image = self.migration.image(self.moved, &old).ok()?;
        self.migration.new_identity(image.keyspace, &image.fields).ok()
    }
}
