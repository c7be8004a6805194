//! KS007: keyspaces use the prefixes that their namespaces allocate.

use crate::{
    accept::{self, Partner, Partners},
    check::Decision,
    context::Context,
    one_key::{self, FoundKey, Goal},
    scan_query::Interval,
    verdict::{AllocationFault, Fault, Rule, Unknown, Verdict},
};
use keyscape_layout::model::{AllocatedRange, Keyspace, KeyspaceId, Namespace};

/// The highest number of comparable keyspaces in which the shortest key is searched.
const MAX_COMPARED: usize = 16;

/// The number of keyspaces whose prefixes one unit of work compares.
const KEYSPACES_PER_UNIT: usize = 4;

/// Decides KS007 of a keyspace. Returns `None` if no namespace around it has rules about prefixes.
pub(crate) fn check(context: &Context<'_>, id: KeyspaceId) -> Option<Decision> {
    let keyspace = context.layout.keyspace(id);
    let store = context.layout.store(keyspace.store);
    let around: Vec<(usize, &Namespace)> = store.namespaces_around(keyspace).collect();
    let (outermost, _) = *around.iter().rfind(|(_, namespace)| namespace.has_rules())?;
    if keyspace.hash.is_some() {
        return None;
    }
    let own = faults(context, id, &around);
    let mut partners = Vec::new();
    partners.extend(own.shortest.is_some().then(|| Partner::refuted(None)));
    partners.extend(own.undecided.iter().map(|reason| Partner::undecided(None, reason.clone())));
    let beside = comparable(context, id, outermost);
    let mut of_beside = Partners::default();
    for &(other, _) in &beside {
        let is_accepted = accept::is_accepted(context.layout, id, Rule::Allocated, other);
        of_beside.add(Partner::refuted(Some(other)), is_accepted);
    }
    partners.extend(of_beside.sorted());
    let verdict = verdict(own, comparable_fault(context, id, &beside));
    Some(Decision { partners, ..verdict.into() })
}

/// Combines the faults to a verdict. A fault of the keyspace itself is shown before a fault of a
/// pair, even if its key is longer.
fn verdict(own: Faults, beside: Faults) -> Verdict {
    let length = |found: &(AllocationFault, FoundKey)| found.1.row.key.len();
    let shortest = beside.shortest.as_ref().map(length);
    let is_decided = own.undecided.is_none() && beside.undecided.is_none();
    if let Some((fault, FoundKey { row, is_shortest })) = own.shortest.or(beside.shortest) {
        let no_shorter = shortest.is_none_or(|shortest| row.key.len() <= shortest);
        let minimal = is_shortest && is_decided && no_shorter;
        return Verdict::refuted(Fault::Allocated { fault, row }, minimal);
    }
    own.undecided.or(beside.undecided).map_or(Verdict::Proved, Verdict::Unknown)
}

/// The faults that were found.
#[derive(Default)]
struct Faults {
    /// The shortest key found with a fault. It is minimal only if each search found its shortest
    /// key.
    shortest: Option<(AllocationFault, FoundKey)>,
    /// The reason for which a possible fault is not decided.
    undecided: Option<Unknown>,
}

impl Faults {
    fn add(&mut self, fault: AllocationFault, found: Result<Option<FoundKey>, Unknown>) {
        let mut found = match found {
            Ok(Some(found)) => found,
            Ok(None) => return,
            Err(reason) => {
                self.undecided.get_or_insert(reason);
                return;
            }
        };
        if let Some((_, known)) = &mut self.shortest {
            let both = known.is_shortest && found.is_shortest;
            (known.is_shortest, found.is_shortest) = (both, both);
            if known.row.key.len() <= found.row.key.len() {
                return;
            }
        }
        self.shortest = Some((fault, found));
    }
}

/// Returns the violations of the rules of the enclosing namespaces, innermost first.
fn faults(context: &Context<'_>, id: KeyspaceId, around: &[(usize, &Namespace)]) -> Faults {
    let mut faults = Faults::default();
    let mut add = |fault: AllocationFault, interval: &Interval, goal: Goal| {
        faults.add(fault, one_key::find(context, id, interval, goal));
    };
    let mut nested: Option<(usize, &Namespace)> = None;
    for &(index, namespace) in around {
        match nested {
            Some((inner, nested)) if in_no_range(namespace, nested) => {
                let fault = AllocationFault::Nested { namespace: index, nested: inner };
                add(fault, &Interval::all(), Goal::Inside);
            }
            Some(_) => {}
            None => {
                let range = context.layout.keyspace(id).allocated.unwrap_or(0);
                if let Some(allocated) = namespace.ranges.get(range) {
                    let fault = AllocationFault::OutsideRange { range };
                    add(fault, &interval(namespace, allocated), Goal::Outside);
                }
            }
        }
        for (retired, entry) in namespace.retired.iter().enumerate() {
            let fault = AllocationFault::Retired { namespace: index, retired };
            let prefix = [&namespace.prefix[..], &entry.prefix].concat();
            add(fault, &Interval::starting_with(&prefix), Goal::Inside);
        }
        nested = Some((index, namespace));
    }
    faults
}

/// Returns the interval of the keys of a range.
fn interval(namespace: &Namespace, range: &AllocatedRange) -> Interval {
    let inside = |prefix: &[u8]| [&namespace.prefix[..], prefix].concat();
    let high = Interval::starting_with(&inside(&range.high)).high;
    Interval { low: inside(&range.low), high }
}

/// Whether a namespace allocates ranges, but none of them contains all keys with the prefix of the
/// nested namespace.
fn in_no_range(namespace: &Namespace, nested: &Namespace) -> bool {
    let whole = Interval::starting_with(&nested.prefix);
    let holds = |range: &AllocatedRange| {
        let Interval { low, high } = interval(namespace, range);
        let ends = high.is_none_or(|high| whole.high.as_ref().is_some_and(|end| *end <= high));
        low <= whole.low && ends
    };
    !namespace.ranges.is_empty() && !namespace.ranges.iter().any(holds)
}

/// Returns the keyspaces of the same namespace, or below it, whose literal prefix extends this
/// one's, or the reverse. Each comes with the keyspace that has the longer prefix. Omits keyspaces
/// that a scan names with `also`.
fn comparable(
    context: &Context<'_>,
    id: KeyspaceId,
    namespace: usize,
) -> Vec<(KeyspaceId, KeyspaceId)> {
    let layout = context.layout;
    let keyspace = layout.keyspace(id);
    let store = layout.store(keyspace.store);
    let prefixes = context.literal_prefixes();
    let prefix = |id: KeyspaceId| prefixes.get(id.0 as usize).map_or(&[][..], Vec::as_slice);
    let own = prefix(id);
    context.charge(layout.keyspaces.len() / KEYSPACES_PER_UNIT);
    let longer = layout.keyspace_ids().filter_map(|other_id| {
        let other = layout.keyspace(other_id);
        let beside = other_id != id
            && other.store == keyspace.store
            && other.space == keyspace.space
            && store.namespaces_around(other).any(|(index, _)| index == namespace);
        if !beside || allows_with_also(keyspace, other_id) || allows_with_also(other, id) {
            return None;
        }
        let theirs = prefix(other_id);
        if theirs.starts_with(own) {
            Some((other_id, other_id))
        } else {
            own.starts_with(theirs).then_some((other_id, id))
        }
    });
    longer.collect()
}

/// Returns a shortest key with a comparable prefix. Prefers partners that are not accepted.
fn comparable_fault(
    context: &Context<'_>,
    id: KeyspaceId,
    beside: &[(KeyspaceId, KeyspaceId)],
) -> Faults {
    let is_accepted = |&&(other, _): &&(KeyspaceId, KeyspaceId)| {
        accept::is_accepted(context.layout, id, Rule::Allocated, other)
    };
    let mut shown: Vec<_> = beside.iter().collect();
    shown.sort_by_key(is_accepted);
    let open = shown.iter().take_while(|pair| !is_accepted(pair)).count();
    if open > 0 {
        shown.truncate(open);
    }
    let is_whole = shown.len() == beside.len() && shown.len() <= MAX_COMPARED;
    let mut faults = Faults::default();
    for &&(other, longer) in shown.iter().take(MAX_COMPARED) {
        let found = one_key::find(context, longer, &Interval::all(), Goal::Inside);
        faults.add(AllocationFault::Comparable { other }, found);
    }
    if let Some((_, found)) = &mut faults.shortest {
        found.is_shortest &= is_whole;
    }
    faults
}

fn allows_with_also(keyspace: &Keyspace, other: KeyspaceId) -> bool {
    keyspace.scans.iter().any(|scan| scan.also.contains(&other))
}
