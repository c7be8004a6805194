//! Arms of variants that begin with a byte of their own.

use super::{
    change::Change,
    site::{Site, other_parting, parting},
    view::View,
    written::each_decl,
};
use keyscape_codec::Language;
use keyscape_layout::{
    Span, fields, literal_prefix,
    model::{Arm, Segment, Type},
    syntax::ast::{self, Decl, TypeBody, TypeDecl},
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
    let lengths: Option<Vec<u8>> = arms.iter().map(|arm| one_length(&arm.segments)).collect();
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

/// The arms of the innermost variant around a leaf.
fn arms(segments: &[Segment], leaf: Span) -> Option<&[Arm]> {
    segments.iter().find_map(|segment| match segment {
        Segment::Literal(_) | Segment::Derived(_) => None,
        Segment::Option(option) => arms(&option.segments, leaf),
        Segment::Field(field) => arms_of_type(&field.ty, leaf),
    })
}

fn arms_of_type(ty: &Type, leaf: Span) -> Option<&[Arm]> {
    match ty {
        Type::Leaf(_) | Type::Enum(_) => None,
        Type::List(list) => arms_of_type(&list.element, leaf),
        Type::Composite(segments) => arms(segments, leaf),
        Type::Variant(all) => all
            .iter()
            .find_map(|arm| arms(&arm.segments, leaf))
            .or_else(|| all.iter().any(|arm| has(&arm.segments, leaf)).then_some(all.as_slice())),
    }
}

fn has(segments: &[Segment], leaf: Span) -> bool {
    segments.iter().any(|segment| match segment {
        Segment::Literal(_) | Segment::Derived(_) => false,
        Segment::Option(option) => has(&option.segments, leaf),
        Segment::Field(field) => match &*field.ty {
            Type::Leaf(known) => known.span == leaf,
            Type::Composite(segments) => has(segments, leaf),
            Type::Enum(_) | Type::List(_) | Type::Variant(_) => false,
        },
    })
}

/// Where the arms are declared.
fn declaration<'a>(view: &View<'a>, arms: &[Arm]) -> Option<&'a [ast::Arm]> {
    let mut found = None;
    each_decl(&view.tree.decls, &mut |decl| {
        if let Decl::Type(TypeDecl { body: TypeBody::Variant(written), .. }) = decl
            && written.iter().map(|arm| arm.span).eq(arms.iter().map(|arm| arm.span))
        {
            found = Some(written.as_slice());
        }
    });
    found
}

/// The length of some segments, if they have one length only.
fn one_length(segments: &[Segment]) -> Option<u8> {
    let lengths = segments.iter().map(|segment| match segment {
        Segment::Literal(literal) => Some(literal.bytes.len()),
        Segment::Derived(_) | Segment::Option(_) => None,
        Segment::Field(field) => match &*field.ty {
            Type::Leaf(leaf) => {
                let (Language::Exact(dfa) | Language::Between { over: dfa, .. }) = &leaf.language;
                leaf.codec.longest().filter(|&longest| dfa.shortest() == Some(longest))
            }
            _ => None,
        },
    });
    u8::try_from(lengths.sum::<Option<usize>>()?).ok()
}
