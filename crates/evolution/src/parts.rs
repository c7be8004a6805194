//! The members and scores of structures, which are parts of stored keys.
//!
//! In records, a score is escaped unless all scores have one length. So all scores are lost if that
//! changes.

use crate::{
    compare::{Answer, Comparison, Direction},
    diff::{Context, answered},
    report::{Fault, Finding, Part, Readings, Rule, Unknown},
};
use hashbrown::HashMap;
use keyscape_layout::{
    Layout,
    model::{Field, Keyspace, KeyspaceId, Segment, Type},
};
use keyscape_prover::Row;
use std::{cell::RefCell, sync::Arc};

/// The keyspace of a layout that consists of one part.
const PART: KeyspaceId = KeyspaceId(0);

fn part_of(keyspace: &Keyspace, part: Part) -> Option<&Arc<Type>> {
    match part {
        Part::Key => None,
        Part::Member => keyspace.member.as_ref(),
        Part::Score => keyspace.score.as_ref(),
    }
}

fn name(part: Part) -> &'static str {
    match part {
        Part::Key => "key",
        Part::Member => "member",
        Part::Score => "score",
    }
}

/// Returns a layout whose keys are the values of some types, in the field `name`.
pub(crate) fn layout_of(
    layout: &Layout,
    at: KeyspaceId,
    name: &str,
    types: &[&Arc<Type>],
) -> Layout {
    let span = layout.keyspace(at).key_span;
    let key = |ty: &&Arc<Type>| {
        let field = Field::new(name, Arc::clone(ty), span);
        (name.to_owned(), vec![Segment::Field(field)])
    };
    layout.with_keys(types.iter().map(key).collect(), at)
}

/// The findings about a part of a keyspace.
#[derive(Clone)]
struct PartFindings {
    lost: Result<Option<Answer<Row>>, Unknown>,
    reread: Result<Option<Answer<Readings>>, Unknown>,
}

/// The results for parts with single values, by the texts of both codecs. Many structures of a
/// layout have the same scores.
#[derive(Default)]
pub(crate) struct PartCache(RefCell<HashMap<(String, String, Part), PartFindings>>);

/// Compares a part of an old keyspace with that of its counterpart; `None` if it does not differ.
fn compared(
    context: &Context<'_>,
    old: KeyspaceId,
    part: Part,
) -> Option<(KeyspaceId, PartFindings)> {
    let new = context.correspondence.new_keyspace(old)?;
    let own = part_of(context.old.keyspace(old), part)?;
    let theirs = part_of(context.new.keyspace(new), part)?;
    if own.is_same(theirs) {
        return None;
    }
    let texts = match (&**own, &**theirs) {
        (Type::Leaf(a), Type::Leaf(b)) => Some((a.codec.text(), b.codec.text(), part)),
        _ => None,
    };
    let known = &context.parts.0;
    if let Some(found) = texts.as_ref().and_then(|texts| known.borrow().get(texts).cloned()) {
        return Some((new, found));
    }
    let a = layout_of(context.old, old, name(part), &[own]);
    let b = layout_of(context.new, new, name(part), &[theirs]);
    let comparison = Comparison::new(&a, &b, context.comparison.budget);
    let asked = comparison.asked(Direction::Backward, PART, Some(PART));
    // Without readers, every score is lost.
    let is_moved =
        part == Part::Score && own.fixed_length().is_none() != theirs.fixed_length().is_none();
    let readers: &[KeyspaceId] = if is_moved { &[] } else { &[PART] };
    let found = PartFindings {
        reread: comparison.first_misread(&asked, readers),
        lost: comparison.unread(&asked, readers, &[]),
    };
    if let Some(texts) = texts {
        known.borrow_mut().insert(texts, found.clone());
    }
    Some((new, found))
}

pub(crate) fn lost(context: &Context<'_>, id: KeyspaceId, part: Part) -> Option<Finding> {
    let (new, found) = compared(context, id, part)?;
    answered(Rule::Lost, (Some(id), Some(new)), found.lost, |row| Fault::Lost { part, row })
}

pub(crate) fn reread(context: &Context<'_>, id: KeyspaceId, part: Part) -> Option<Finding> {
    let (new, found) = compared(context, id, part)?;
    let fault = |readings| Fault::Reread { part, readings };
    answered(Rule::Reread, (Some(id), Some(new)), found.reread, fault)
}
