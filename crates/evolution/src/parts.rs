//! KS101 and KS102 for the members and scores of structures, which are parts of stored keys.
//!
//! In records, a score is escaped unless all scores have one length. So all scores are lost if that
//! changes.

use crate::{
    compare::{Answer, Comparison, Direction},
    diff::{Context, answered},
    report::{Fault, Finding, Part, Readings, Rule, Unknown},
};
use keyscape_layout::{
    Layout,
    model::{Field, Keyspace, KeyspaceId, Segment, Type},
};
use keyscape_prover::Row;
use std::{collections::HashMap, sync::Arc};

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

/// The answers about a part: whether a value is lost, and whether it is read differently.
type Answers = (Result<Option<Answer<Row>>, Unknown>, Result<Option<Answer<Readings>>, Unknown>);

pub(crate) fn check(context: &Context<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    // Many structures of a layout have the same scores.
    let mut answers_by_codecs: HashMap<(String, String, Part), Answers> = HashMap::new();
    for old in context.old.keyspace_ids() {
        let Some(new) = context.correspondence.new_keyspace(old) else { continue };
        for part in [Part::Member, Part::Score] {
            let types = (
                part_of(context.old.keyspace(old), part),
                part_of(context.new.keyspace(new), part),
            );
            let (Some(own), Some(theirs)) = types else { continue };
            if own.is_same(theirs) {
                continue;
            }
            let compare = || compare(context, (old, own), (new, theirs), part);
            let (lost, reread) = match (&**own, &**theirs) {
                (Type::Leaf(a), Type::Leaf(b)) => {
                    let codecs = (a.codec.text(), b.codec.text(), part);
                    answers_by_codecs.entry(codecs).or_insert_with(compare).clone()
                }
                _ => compare(),
            };
            let ids = (Some(old), Some(new));
            findings.extend(answered(Rule::Lost, ids, lost, |row| Fault::Lost { part, row }));
            let fault = |readings| Fault::Reread { part, readings };
            findings.extend(answered(Rule::Reread, ids, reread, fault));
        }
    }
    findings
}

/// Compares a part of an old keyspace with that of its counterpart.
fn compare(
    context: &Context<'_>,
    (old, own): (KeyspaceId, &Arc<Type>),
    (new, theirs): (KeyspaceId, &Arc<Type>),
    part: Part,
) -> Answers {
    let a = layout_of(context.old, old, name(part), &[own]);
    let b = layout_of(context.new, new, name(part), &[theirs]);
    let comparison = Comparison::new(&a, &b, context.comparison.budget);
    let question = comparison.question(Direction::Backward, PART, Some(PART));
    // Without readers, every score is lost.
    let is_moved =
        part == Part::Score && own.fixed_length().is_none() != theirs.fixed_length().is_none();
    let readers: &[KeyspaceId] = if is_moved { &[] } else { &[PART] };
    let reread = comparison.first_misread(&question, readers);
    (comparison.unread(&question, readers, &[]), reread)
}
