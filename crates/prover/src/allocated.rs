//! KS007: keyspaces use the prefixes that their namespace allocates.

use crate::{
    context::Context,
    one_key::{self, Wanted},
    scan_query::Interval,
    verdict::{AllocationFault, Counterexample, Fault, Row, Verdict},
};
use keyscape_layout::model::{Keyspace, KeyspaceId, Namespace, Segment};

/// `None` if the keyspace is in no namespace that says anything about prefixes.
pub(crate) fn check(context: &Context<'_>, id: KeyspaceId) -> Option<Verdict> {
    let keyspace = context.layout.keyspace(id);
    let namespaces = &context.layout.store(keyspace.store).namespaces;
    let namespace = namespaces.get(keyspace.namespace?)?;
    if namespace.ranges.is_empty() && namespace.retired.is_empty() || keyspace.hash.is_some() {
        return None;
    }
    Some(decide(context, id, namespace))
}

fn decide(context: &Context<'_>, id: KeyspaceId, namespace: &Namespace) -> Verdict {
    let keyspace = context.layout.keyspace(id);
    let range = keyspace.allocated.unwrap_or(0);
    if let Some(allocated) = namespace.ranges.get(range) {
        let high = Interval::starting_with(&[&namespace.prefix[..], &allocated.high].concat()).high;
        let low = [&namespace.prefix[..], &allocated.low].concat();
        match one_key::find(context, id, &Interval { low, high }, Wanted::Outside) {
            Ok(Some(row)) => return refuted(AllocationFault::OutsideRange { range }, row),
            Ok(None) => {}
            Err(reason) => return Verdict::Unknown(reason),
        }
    }
    for (retired, entry) in namespace.retired.iter().enumerate() {
        let interval = Interval::starting_with(&[&namespace.prefix[..], &entry.prefix].concat());
        match one_key::find(context, id, &interval, Wanted::Inside) {
            Ok(Some(row)) => return refuted(AllocationFault::Retired { retired }, row),
            Ok(None) => {}
            Err(reason) => return Verdict::Unknown(reason),
        }
    }
    match comparable(context, id) {
        Some((other, longer)) => {
            match one_key::find(context, longer, &Interval::all(), Wanted::Inside) {
                Ok(Some(row)) => refuted(AllocationFault::Comparable { other }, row),
                Ok(None) => Verdict::Proved,
                Err(reason) => Verdict::Unknown(reason),
            }
        }
        None => Verdict::Proved,
    }
}

fn refuted(fault: AllocationFault, row: Row) -> Verdict {
    Verdict::Refuted(Box::new(Counterexample {
        fault: Fault::Allocated { fault, row },
        minimal: true,
        fixes: Vec::new(),
    }))
}

/// A keyspace of the same namespace whose literal prefix begins with this one's, or the reverse,
/// and which of the two has the longer prefix. Scans that say `also` know of each other.
fn comparable(context: &Context<'_>, id: KeyspaceId) -> Option<(KeyspaceId, KeyspaceId)> {
    let layout = context.layout;
    let keyspace = layout.keyspace(id);
    let own = literal_prefix(keyspace);
    layout.keyspace_ids().find_map(|other_id| {
        let other = layout.keyspace(other_id);
        let beside = other_id != id
            && other.store == keyspace.store
            && other.namespace == keyspace.namespace
            && other.space == keyspace.space;
        if !beside || knows(keyspace, other_id) || knows(other, id) {
            return None;
        }
        let theirs = literal_prefix(other);
        if theirs.starts_with(&own) {
            Some((other_id, other_id))
        } else if own.starts_with(&theirs) {
            Some((other_id, id))
        } else {
            None
        }
    })
}

fn knows(keyspace: &Keyspace, other: KeyspaceId) -> bool {
    keyspace.scans.iter().any(|scan| scan.also.contains(&other))
}

/// The bytes with which every key begins.
fn literal_prefix(keyspace: &Keyspace) -> Vec<u8> {
    let literals = keyspace.key.iter().map_while(|segment| match segment {
        Segment::Literal(literal) => Some(literal.bytes.as_slice()),
        Segment::Field(_) | Segment::Option(_) | Segment::Derived(_) => None,
    });
    literals.collect::<Vec<_>>().concat()
}
