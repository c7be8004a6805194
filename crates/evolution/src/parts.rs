//! KS101, KS102 and KS106 for the members and scores of structures, which are parts of stored keys.
//!
//! A record escapes its score unless all scores have one length. If that condition changes, the new
//! layout reads no old score.

use crate::{
    compare::{Answer, Comparison, Direction},
    correspondence::is_unchanged,
    diff::{Context, answered},
    report::{Fault, Finding, ForwardFault, Part, Readings, Rule, Unknown},
};
use keyscape_layout::{
    Layout,
    model::{Field, Keyspace, KeyspaceId, Segment, Type},
};
use keyscape_prover::Row;
use std::sync::Arc;

/// The only keyspace of a layout that consists of one part.
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

/// The answers about a part: whether a value is not read, and whether it is read differently.
type Answers = (Result<Option<Answer<Row>>, Unknown>, Result<Option<Answer<Readings>>, Unknown>);

/// Checks KS101 and KS102 for stored parts, or KS106 for parts that the new program writes.
pub(crate) fn check(context: &Context<'_>, direction: Direction) -> Vec<Finding> {
    let mut findings = Vec::new();
    // Many structures of a layout have the same members or scores.
    let mut compared: Vec<(&Arc<Type>, &Arc<Type>, Part, Answers)> = Vec::new();
    for old in context.old.keyspace_ids() {
        let Some(new) = context.correspondence.new_keyspace(old) else { continue };
        for part in [Part::Member, Part::Score] {
            let types = (
                part_of(context.old.keyspace(old), part),
                part_of(context.new.keyspace(new), part),
            );
            let (Some(own), Some(theirs)) = types else { continue };
            if is_unchanged(own, theirs) {
                continue;
            }
            let is_it = |(a, b, of, _): &&(&Arc<Type>, &Arc<Type>, Part, Answers)| {
                *of == part && is_repeated(a, own) && is_repeated(b, theirs)
            };
            let (unread, misread) = match compared.iter().find(is_it) {
                Some((.., answers)) => answers.clone(),
                None => {
                    let answers = compare(context, direction, (old, own), (new, theirs), part);
                    compared.push((own, theirs, part, answers.clone()));
                    answers
                }
            };
            let ids = (Some(old), Some(new));
            if direction == Direction::Forward {
                let lost = |row| Fault::Forward(ForwardFault::Unread { part, row });
                let reread = |readings| Fault::Forward(ForwardFault::Misread { part, readings });
                let found = answered(Rule::Forward, ids, unread, lost);
                findings.extend(found.or_else(|| answered(Rule::Forward, ids, misread, reread)));
                continue;
            }
            findings.extend(answered(Rule::Lost, ids, unread, |row| Fault::Lost { part, row }));
            let fault = |readings| Fault::Reread { part, readings };
            findings.extend(answered(Rule::Reread, ids, misread, fault));
        }
    }
    findings
}

/// Whether two types of one layout are the same named type, or have the same codec.
fn is_repeated(a: &Arc<Type>, b: &Arc<Type>) -> bool {
    Arc::ptr_eq(a, b) || matches!((&**a, &**b), (Type::Leaf(a), Type::Leaf(b)) if a.has_codec_of(b))
}

/// Compares a part of an old keyspace with that of its counterpart.
fn compare(
    context: &Context<'_>,
    direction: Direction,
    (old, own): (KeyspaceId, &Arc<Type>),
    (new, theirs): (KeyspaceId, &Arc<Type>),
    part: Part,
) -> Answers {
    let a = layout_of(context.old, old, name(part), &[own]);
    let b = layout_of(context.new, new, name(part), &[theirs]);
    let comparison = Comparison::new(&a, &b, context.comparison.budget);
    let question = comparison.question(direction, PART, Some(PART));
    // An empty list of readers makes every score lost.
    let is_moved =
        part == Part::Score && own.fixed_length().is_none() != theirs.fixed_length().is_none();
    let readers: &[KeyspaceId] = if is_moved { &[] } else { &[PART] };
    let misread = comparison.first_misread(&question, readers);
    (comparison.unread(&question, readers, &[]), misread)
}
