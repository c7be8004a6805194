//! KS007: keyspaces use the prefixes that their namespaces allocate.

use crate::{
    context::Context,
    one_key::{self, Found, Wanted},
    scan_query::Interval,
    verdict::{AllocationFault, Counterexample, Fault, Unknown, Verdict},
};
use keyscape_layout::model::{AllocatedRange, Keyspace, KeyspaceId, Namespace};

/// `None` if no namespace around the keyspace says anything about prefixes.
pub(crate) fn check(context: &Context<'_>, id: KeyspaceId) -> Option<Verdict> {
    let keyspace = context.layout.keyspace(id);
    let store = context.layout.store(keyspace.store);
    let around: Vec<(usize, &Namespace)> = store.namespaces_around(keyspace).collect();
    let (outermost, _) = *around.iter().rfind(|(_, namespace)| namespace.has_rules())?;
    if keyspace.hash.is_some() {
        return None;
    }
    let fault = match fault(context, id, &around) {
        Ok(None) => comparable(context, id, outermost),
        found => found,
    };
    Some(match fault {
        Ok(Some((fault, Found { row, is_shortest }))) => {
            Verdict::Refuted(Box::new(Counterexample {
                fault: Fault::Allocated { fault, row },
                minimal: is_shortest,
                fixes: Vec::new(),
            }))
        }
        Ok(None) => Verdict::Proved,
        Err(reason) => Verdict::Unknown(reason),
    })
}

type Faulty = Result<Option<(AllocationFault, Found)>, Unknown>;

/// A key that breaks a rule of the namespaces around, which come from the inside.
fn fault(context: &Context<'_>, id: KeyspaceId, around: &[(usize, &Namespace)]) -> Faulty {
    let find = |fault: AllocationFault, interval: &Interval, wanted: Wanted| {
        let found = one_key::find(context, id, interval, wanted)?;
        Ok(found.map(|found| (fault, found)))
    };
    let mut nested: Option<(usize, &Namespace)> = None;
    for &(index, namespace) in around {
        let found = match nested {
            Some((inner, nested)) if in_no_range(namespace, nested) => {
                let fault = AllocationFault::Nested { namespace: index, nested: inner };
                find(fault, &Interval::all(), Wanted::Inside)?
            }
            Some(_) => None,
            None => {
                let range = context.layout.keyspace(id).allocated.unwrap_or(0);
                let outside = |allocated: &AllocatedRange| {
                    let fault = AllocationFault::OutsideRange { range };
                    find(fault, &interval(namespace, allocated), Wanted::Outside)
                };
                namespace.ranges.get(range).map(outside).transpose()?.flatten()
            }
        };
        if found.is_some() {
            return Ok(found);
        }
        for (retired, entry) in namespace.retired.iter().enumerate() {
            let fault = AllocationFault::Retired { namespace: index, retired };
            let prefix = [&namespace.prefix[..], &entry.prefix].concat();
            let found = find(fault, &Interval::starting_with(&prefix), Wanted::Inside)?;
            if found.is_some() {
                return Ok(found);
            }
        }
        nested = Some((index, namespace));
    }
    Ok(None)
}

/// The keys of a range.
fn interval(namespace: &Namespace, range: &AllocatedRange) -> Interval {
    let behind = |prefix: &[u8]| [&namespace.prefix[..], prefix].concat();
    let high = Interval::starting_with(&behind(&range.high)).high;
    Interval { low: behind(&range.low), high }
}

/// Whether a namespace gives out prefixes, and none of its ranges holds all that begins with the
/// prefix of the nested one.
fn in_no_range(namespace: &Namespace, nested: &Namespace) -> bool {
    let whole = Interval::starting_with(&nested.prefix);
    let holds = |range: &AllocatedRange| {
        let Interval { low, high } = interval(namespace, range);
        let ends = high.is_none_or(|high| whole.high.as_ref().is_some_and(|end| *end <= high));
        low <= whole.low && ends
    };
    !namespace.ranges.is_empty() && !namespace.ranges.iter().any(holds)
}

/// A keyspace in the same namespace, or below it, whose literal prefix begins with this one's, or
/// the reverse; a key of the one that has the longer prefix shows it. Scans that say `also` know of
/// each other.
fn comparable(context: &Context<'_>, id: KeyspaceId, namespace: usize) -> Faulty {
    let layout = context.layout;
    let keyspace = layout.keyspace(id);
    let store = layout.store(keyspace.store);
    let own = keyspace.literal_prefix();
    let longer = layout.keyspace_ids().find_map(|other_id| {
        let other = layout.keyspace(other_id);
        let beside = other_id != id
            && other.store == keyspace.store
            && other.space == keyspace.space
            && store.namespaces_around(other).any(|(index, _)| index == namespace);
        if !beside || knows(keyspace, other_id) || knows(other, id) {
            return None;
        }
        let theirs = other.literal_prefix();
        if theirs.starts_with(&own) {
            Some((other_id, other_id))
        } else if own.starts_with(&theirs) {
            Some((other_id, id))
        } else {
            None
        }
    });
    let Some((other, longer)) = longer else { return Ok(None) };
    let found = one_key::find(context, longer, &Interval::all(), Wanted::Inside)?;
    Ok(found.map(|found| (AllocationFault::Comparable { other }, found)))
}

fn knows(keyspace: &Keyspace, other: KeyspaceId) -> bool {
    keyspace.scans.iter().any(|scan| scan.also.contains(&other))
}
