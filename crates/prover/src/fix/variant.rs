//! Fixes of variants: distinct tags and the order of arms.

use super::{
    change::Change,
    site::{Site, other_parting, parting},
    view::View,
};
use keyscape_layout::{
    Length, Span, fields,
    model::{Arm, Literal, Segment, Type},
    syntax::ast::{self, Decl, TypeBody, TypeDecl, all_decls},
    traverse::{ItemKind, Step, traverse},
};

/// Adds a byte before each arm of the first differing variant: the length of the arm if all arms
/// have a fixed length, otherwise its number.
pub(super) fn tagged(view: &View<'_>) -> Option<Vec<Change>> {
    let of = |site: Site<'_>| tags(view, site.leaf.span);
    parting(view).and_then(of).or_else(|| other_parting(view).and_then(of))
}

/// Adds a byte before each arm of a variant in the `by` fields: the number of the arm in the
/// declared order.
pub(super) fn numbered(view: &View<'_>) -> Vec<Vec<Change>> {
    let numbered =
        sorting(view).filter_map(|arms| before_arms(declaration(view, arms)?, numbers(arms)?));
    numbered.collect()
}

/// Sorts the first bytes of the arms of variants in the `by` fields in the declared order of the
/// arms.
pub(super) fn retagged(view: &View<'_>) -> Vec<Vec<Change>> {
    let retagged = sorting(view).filter_map(|arms| {
        declaration(view, arms)?;
        let tags = arms.iter().map(|arm| match arm.segments.first() {
            Some(Segment::Literal(tag)) if !tag.is_text => Some(tag),
            _ => None,
        });
        let tags: Vec<&Literal> = tags.collect::<Option<_>>()?;
        let mut sorted = tags.clone();
        sorted.sort_by(|a, b| a.bytes.cmp(&b.bytes));
        let moved = tags.iter().zip(sorted).filter(|(here, there)| here.span != there.span);
        let written = |tag: &Literal| view.layout.sources.text(tag.span);
        Some(moved.map(|(here, there)| Change::replace(here.span, written(there))).collect())
    });
    retagged.collect()
}

/// Yields the variants in the `by` fields.
fn sorting<'a>(view: &View<'a>) -> impl Iterator<Item = &'a [Arm]> {
    let scan = view.scan();
    let by = fields(&view.keyspace().key).into_iter();
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
fn before_arms(arms: &[ast::Arm], tags: Vec<u8>) -> Option<Vec<Change>> {
    let starts: Option<Vec<Span>> =
        arms.iter().map(|arm| arm.segs.first().map(ast::Seg::span)).collect();
    let changes = starts?.into_iter().zip(tags);
    Some(changes.map(|(start, tag)| Change::before(start, format!("0x{tag:02x} "))).collect())
}

/// Returns the tags for the variant that contains the leaf at a place.
fn tags(view: &View<'_>, leaf: Span) -> Option<Vec<Change>> {
    let arms = arms(&view.keyspace().key, leaf)?;
    let tree = declaration(view, arms)?;
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
fn declaration<'a>(view: &View<'a>, arms: &[Arm]) -> Option<&'a [ast::Arm]> {
    let are_same = |written: &[ast::Arm]| {
        written.iter().map(|arm| arm.span).eq(arms.iter().map(|arm| arm.span))
    };
    all_decls(view.layout.decls()).into_iter().find_map(|decl| match decl {
        Decl::Type(TypeDecl { body: TypeBody::Variant(written), .. }) => {
            are_same(written).then_some(written.as_slice())
        }
        _ => None,
    })
}
