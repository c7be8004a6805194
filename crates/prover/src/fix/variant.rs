//! Arms of variants that begin with a byte of their own.

use super::{
    change::Change,
    site::{Site, other_parting, parting},
    view::View,
};
use keyscape_layout::{
    Length, Span, fields, literal_prefix,
    model::{Arm, Segment, Type},
    syntax::ast::{self, Decl, TypeBody, TypeDecl, each_decl},
    traverse::{ItemKind, Step, traverse},
};

/// A byte before each arm of the variant in which two rows part: its length where all arms have
/// one, or else its number.
pub(super) fn tagged(view: &View<'_>) -> Option<Vec<Change>> {
    let of = |site: Site<'_>| tags(view, site.leaf.span);
    parting(view).and_then(of).or_else(|| other_parting(view).and_then(of))
}

/// Variants of the fields in whose order rows come, with their arms in the order of their literals.
pub(super) fn sorted(view: &View<'_>) -> Vec<Vec<Change>> {
    let Some(scan) = view.scan() else { return Vec::new() };
    let by = fields(&view.keyspace().key).into_iter().filter(|f| scan.by.contains(&f.name));
    let variants = by.filter_map(|field| match &*field.ty {
        Type::Variant(arms) => Some(arms),
        _ => None,
    });
    let sorted = variants.filter_map(|arms| {
        let mut order: Vec<&Arm> = arms.iter().collect();
        order.sort_by_key(|arm| literal_prefix(&arm.segments));
        declaration(view, arms)?;
        let written = |arm: &Arm| view.layout.sources.text(arm.span);
        let moved = arms.iter().zip(order).filter(|(here, there)| here.name != there.name);
        Some(moved.map(|(here, there)| Change::replace(here.span, written(there))).collect())
    });
    sorted.collect()
}

/// The tags for the variant that has a leaf at this place.
fn tags(view: &View<'_>, leaf: Span) -> Option<Vec<Change>> {
    let arms = arms(&view.keyspace().key, leaf)?;
    let tree = declaration(view, arms)?;
    let starts: Option<Vec<Span>> =
        tree.iter().map(|arm| arm.segs.first().map(ast::Seg::span)).collect();
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
        None => (0..u8::try_from(arms.len()).ok()?).collect(),
    };
    let changes = starts?.into_iter().zip(tags);
    Some(changes.map(|(start, tag)| Change::before(start, format!("0x{tag:02x} "))).collect())
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
    let mut found = None;
    each_decl(view.layout.decls(), &mut |decl| {
        if let Decl::Type(TypeDecl { body: TypeBody::Variant(written), .. }) = decl
            && written.iter().map(|arm| arm.span).eq(arms.iter().map(|arm| arm.span))
        {
            found = Some(written.as_slice());
        }
    });
    found
}
