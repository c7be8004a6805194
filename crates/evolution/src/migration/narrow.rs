//! Rows of one piece: the key of a keyspace, narrowed to the rows that a condition selects.

use super::{
    Migration, Piece,
    claim::Undecided,
    make::{PartPath, set_part},
};
use crate::correspondence::ELEMENT;
use keyscape_automata::Budget;
use keyscape_layout::{
    Datum, Layout, Record, Side,
    guard::{Case, Class, Guard, cases_of},
    machine::Walk,
    model::{Enum, KeyspaceId, Leaf, List, OptionSegment, Segment, Type},
};
use keyscape_prover::{KeyReader, Row};
use std::sync::Arc;

/// The highest number of cases of the conditions of a keyspace.
const MAX_CASES: usize = 1024;
/// The keyspace of a layout that consists of one key.
const ALONE: KeyspaceId = KeyspaceId(0);

/// Returns the cases of some conditions: in each, every condition holds for all rows or for none.
pub(super) fn cases_of_conditions(
    segments: &[Segment],
    guards: &[&Guard],
) -> Result<Vec<Case>, Undecided> {
    cases_of(segments, guards, MAX_CASES).ok_or(Undecided::Cases)
}

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

/// Returns a guard with the choices that the case leaves, by their new numbers.
fn renumbered(guard: &Guard, case: &Case) -> Guard {
    let all = |parts: &[Guard]| parts.iter().map(|part| renumbered(part, case)).collect();
    match guard {
        Guard::Is { field, choices } => match case.class(field) {
            Some(Class::Choices(kept)) => {
                let left = kept.iter().enumerate().filter(|(_, old)| choices.contains(old));
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
        (Type::Enum(of), Class::Choices(kept)) => Type::Enum(Enum {
            texts: kept.iter().filter_map(|&at| of.texts.get(at).cloned()).collect(),
            bytes: kept.iter().filter_map(|&at| of.bytes.get(at).cloned()).collect(),
        }),
        (Type::Variant(arms), Class::Choices(kept)) => {
            Type::Variant(kept.iter().filter_map(|&at| arms.get(at).cloned()).collect())
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
/// arms are taken. Choices of the outermost fields are left to conditions.
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

fn through_type(ty: &Type, path: &[String]) -> Type {
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

/// Returns the conditions under which rows have a part: those of optional parts around it, and the
/// arm that an outermost field takes.
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

/// Returns the shortest row of some segments; `None` if they have none.
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
    row.map(|row| Some(Row { keyspace: at, ..row })).ok_or(Undecided::Inexact)
}

impl Migration<'_> {
    /// Whether the conditions of a piece hold for the rows of a case: its own, and none of those
    /// before.
    pub(super) fn is_in(&self, piece: &Piece, case: &Case) -> bool {
        let holds = |piece: &Piece| piece.condition.as_ref().is_none_or(|g| case.satisfies(g));
        let mut before =
            self.pieces_of(piece.from).take_while(|other| !std::ptr::eq(*other, piece));
        holds(piece) && !before.any(holds)
    }

    /// Returns the cases of the conditions of a keyspace, with further conditions.
    pub(super) fn cases(&self, from: KeyspaceId, more: &[Guard]) -> Result<Vec<Case>, Undecided> {
        let own = self.pieces_of(from).filter_map(|piece| piece.condition.as_ref());
        let guards: Vec<&Guard> = own.chain(more).collect();
        cases_of_conditions(&self.old_type(from).identity, &guards)
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

    /// Returns the shortest row of a piece that has a part.
    pub(super) fn row_with(
        &self,
        piece: &Piece,
        path: &[String],
        budget: Budget<'_>,
    ) -> Result<Option<Row>, Undecided> {
        let identity = &self.old_type(piece.from).identity;
        let needed = conditions_of(identity, path);
        let mut cases = self.cases(piece.from, &needed)?;
        cases.retain(|case| {
            self.is_in(piece, case) && needed.iter().all(|guard| case.satisfies(guard))
        });
        self.shortest_row(piece.from, &cases, path, budget)
    }

    /// Returns the row of a piece with another value of a part, if it is a row of the piece.
    pub(super) fn row_where(
        &self,
        piece: &Piece,
        base: &Row,
        path: &PartPath,
        value: Datum,
    ) -> Option<Row> {
        let mut fields: Record = base.fields.clone();
        set_part(&mut fields, path, value).then_some(())?;
        self.row_of(piece, fields)
    }
}
