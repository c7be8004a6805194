//! Fixes of variants: distinct tags and the order of arms.

use super::{
    edit::Edit,
    problem::Problem,
    site::{Site, differing_site, other_differing_site},
};
use keyscape_layout::{
    Length, Span, fields,
    model::{Arm, Literal, Segment, Type},
    syntax::ast::{self, TypeBody},
    traverse::{ItemKind, Step, traverse},
};

/// Adds a byte before each arm of the first differing variant: the length of the arm if all arms
/// have a fixed length, otherwise its number.
pub(super) fn tagged(problem: &Problem<'_>) -> Option<Vec<Edit>> {
    let of = |site: Site<'_>| tags(problem, site.leaf.span);
    differing_site(problem).and_then(of).or_else(|| other_differing_site(problem).and_then(of))
}

/// Adds a byte before each arm of a variant in the `by` fields: the number of the arm in the
/// declared order.
pub(super) fn numbered(problem: &Problem<'_>) -> Vec<Vec<Edit>> {
    let numbered = sorting(problem)
        .filter_map(|arms| before_arms(declaration(problem, arms)?, numbers(arms)?));
    numbered.collect()
}

/// Sorts the first bytes of the arms of variants in the `by` fields in the declared order of the
/// arms.
pub(super) fn retagged(problem: &Problem<'_>) -> Vec<Vec<Edit>> {
    let retagged = sorting(problem).filter_map(|arms| {
        declaration(problem, arms)?;
        let tags = arms.iter().map(|arm| match arm.segments.first() {
            Some(Segment::Literal(tag)) if !tag.is_text => Some(tag),
            _ => None,
        });
        let tags: Vec<&Literal> = tags.collect::<Option<_>>()?;
        let mut sorted = tags.clone();
        sorted.sort_by(|a, b| a.bytes.cmp(&b.bytes));
        let moved = tags.iter().zip(sorted).filter(|(here, there)| here.span != there.span);
        let written = |tag: &Literal| problem.layout.sources.text(tag.span);
        Some(moved.map(|(here, there)| Edit::replace(here.span, written(there))).collect())
    });
    retagged.collect()
}

/// Yields the variants in the `by` fields.
fn sorting<'a>(problem: &Problem<'a>) -> impl Iterator<Item = &'a [Arm]> {
    let scan = problem.scan();
    let by = fields(&problem.keyspace().key).into_iter();
    let by = by.filter(move |field| scan.is_some_and(|scan| scan.by.contains(&field.name)));
    by.filter_map(|field| match &*field.ty {
        Type::Variant(arms) => Some(arms.as_slice()),
        _ => None,
    })
}

/// Returns the numbers of arms in the declared order.
fn numbers(arms: &[Arm]) -> Option<Vec<u8>> {
    Some((0..u8::try_from(arms.len()).ok()?).collect())
}

/// Adds a byte before each arm.
fn before_arms(arms: &[ast::Arm], tags: Vec<u8>) -> Option<Vec<Edit>> {
    let starts: Option<Vec<Span>> =
        arms.iter().map(|arm| arm.segs.first().map(ast::Seg::span)).collect();
    let edits = starts?.into_iter().zip(tags);
    Some(edits.map(|(start, tag)| Edit::before(start, format!("0x{tag:02x} "))).collect())
}

/// Returns the tags for the variant that contains the leaf at a place.
fn tags(problem: &Problem<'_>, leaf: Span) -> Option<Vec<Edit>> {
    let arms = arms(&problem.keyspace().key, leaf)?;
    let tree = declaration(problem, arms)?;
    let begins_alone = |arm: &ast::Arm| matches!(arm.segs.first(), Some(ast::Seg::Lit(_)));
    if tree.iter().all(begins_alone) {
        return None;
    }
    let lengths: Option<Vec<u8>> =
        arms.iter().map(|arm| u8::try_from(Length::of(&arm.segments).fixed()?).ok()).collect();
    let differ = |lengths: &Vec<u8>| {
        lengths.iter().enumerate().all(|(at, length)| !lengths[..at].contains(length))
    };
    let tags = match lengths.filter(differ) {
        Some(lengths) => lengths,
        None => numbers(arms)?,
    };
    before_arms(tree, tags)
}

/// Returns the arms of the innermost variant around a leaf, unless a list is between the two.
fn arms(segments: &[Segment], leaf: Span) -> Option<&[Arm]> {
    traverse(segments).find_map(|item| {
        let is_it = matches!(item.kind, ItemKind::Leaf(found) if found.span == leaf);
        let inner = item.path.steps().iter().rev().find(|step| !matches!(step, Step::Field(_)));
        match inner.filter(|_| is_it)? {
            Step::Arm { arms, .. } => Some(*arms),
            Step::Field(_) | Step::Element => None,
        }
    })
}

/// Returns the declaration of arms.
fn declaration<'a>(problem: &Problem<'a>, arms: &[Arm]) -> Option<&'a [ast::Arm]> {
    let mut declared = problem.types().filter_map(|decl| match &decl.body {
        TypeBody::Variant(written) => Some(written.as_slice()),
        _ => None,
    });
    declared.find(|written| written.iter().map(|arm| arm.span).eq(arms.iter().map(|arm| arm.span)))
}
