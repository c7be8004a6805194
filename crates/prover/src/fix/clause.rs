//! Fixes of clauses: another form of a scan, another cut of a split, another allocated range.

use super::{
    edit::{Edit, head},
    expr::literal_text,
    literal::namespace,
    problem::Problem,
};
use crate::verdict::{Fault, Rule, ScanFault, ScannedRow};
use keyscape_layout::{
    Span, fields,
    model::{Asked, Cut, Segment, Type},
    syntax::ast::{ClauseKind, Keyspace},
};

/// Removes `as` from the scan. The interval is then derived.
pub(super) fn derived(problem: &Problem<'_>) -> Option<Vec<Edit>> {
    let asked = problem.scan()?.asked.as_ref()?;
    let before = problem.layout.text().get(..asked.span.start as usize)?.trim_end();
    Some(vec![Edit::remove(Span { start: before.len() as u32, ..asked.span })])
}

/// Removes `as` from the scan of KS003 before other edits of the key, which `as` does not follow.
pub(super) fn derived_first(problem: &Problem<'_>) -> Option<Vec<Edit>> {
    if problem.subject.rule == Rule::ScanExact { derived(problem) } else { None }
}

/// Proposes other prefixes if the foreign row belongs to another keyspace. Also removes `as`, which
/// contains the old prefix.
pub(super) fn derived_with(
    problem: &Problem<'_>,
    prefixes: fn(&Problem<'_>) -> Vec<Vec<Edit>>,
) -> Vec<Vec<Edit>> {
    match problem.fault {
        Fault::ScanExact(ScannedRow { row, .. }) if row.keyspace != problem.subject.keyspace => {}
        _ => return Vec::new(),
    }
    let derived = derived(problem).unwrap_or_default();
    prefixes(problem).into_iter().map(|edits| [edits, derived.clone()].concat()).collect()
}

/// Extends the interval by the next literals of the key.
pub(super) fn extended(problem: &Problem<'_>) -> Option<Vec<Edit>> {
    let Asked { start, end: None, span } = problem.scan()?.asked.as_ref()? else { return None };
    let Segment::Field(last) = start.last()? else { return None };
    let key = &problem.keyspace().key;
    let at = key.iter().position(|s| matches!(s, Segment::Field(f) if f.name == last.name))?;
    let literals = key.get(at + 1..)?.iter().map_while(|segment| match segment {
        Segment::Literal(literal) => Some(format!(" {}", literal_text(&literal.bytes))),
        Segment::Field(_) | Segment::Option(_) | Segment::Derived(_) => None,
    });
    let literals: String = literals.collect();
    (!literals.is_empty()).then(|| vec![Edit::after(*span, literals)])
}

/// Adds the keyspace of the foreign row to `also`. If the two keyspaces share a key, their rows
/// cannot be distinguished, and `also` would hide the fault.
pub(super) fn also(problem: &Problem<'_>) -> Option<Vec<Edit>> {
    let Fault::ScanExact(ScannedRow { fault: ScanFault::Foreign, row, .. }) = problem.fault else {
        return None;
    };
    let scan = problem.scan()?;
    let other = problem.layout.keyspace(row.keyspace);
    if row.keyspace == problem.subject.keyspace
        || scan.also.contains(&row.keyspace)
        || !problem.is_disjoint
    {
        return None;
    }
    let lead = if scan.also.is_empty() { " also" } else { "," };
    Some(vec![Edit::after(scan.span, format!("{lead} {}", other.name))])
}

/// Cuts at the first or the last occurrence, if the key has only one separator after its literal
/// prefix.
pub(super) fn other_cut(problem: &Problem<'_>) -> Vec<Vec<Edit>> {
    let Some(split) = problem.split() else { return Vec::new() };
    let keyspace = problem.keyspace();
    let prefix = keyspace.literal_prefix().len() as u32;
    let separators = split.separators(&keyspace.key);
    let is_repeated = fields(&keyspace.key).iter().any(|f| matches!(*f.ty, Type::List(_)));
    if is_repeated || separators.iter().filter(|place| place.0 >= prefix).count() != 1 {
        return Vec::new();
    }
    let cuts = [(Cut::First, "first"), (Cut::Last, "last")];
    let others = cuts.into_iter().filter(|(cut, _)| *cut != split.cut);
    let edit = |word| Edit::replace(split.span, format!("split at {word} {}", split.written));
    others.map(|(_, word)| vec![edit(word)]).collect()
}

/// Proposes the other ranges of the namespace, one of which may contain the prefix.
pub(super) fn other_range(problem: &Problem<'_>) -> Vec<Vec<Edit>> {
    let (Some(namespace), Some(tree)) = (namespace(problem), problem.declaration()) else {
        return Vec::new();
    };
    let declared = tree.clauses.iter().find_map(|clause| match &clause.kind {
        ClauseKind::In(name) => Some(name.span),
        _ => None,
    });
    let edit = |name: &str| match declared {
        Some(span) => Edit::replace(span, name),
        None => clause_after(tree, &format!("in {name}")),
    };
    namespace.ranges.iter().map(|range| vec![edit(&range.name)]).collect()
}

/// Adds a clause after the key and the value.
pub(super) fn clause_after(tree: &Keyspace, clause: &str) -> Edit {
    Edit::after(head(tree), format!(" {clause}"))
}
