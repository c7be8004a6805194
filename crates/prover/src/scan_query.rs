//! The query of a scan: the end of the leading part, and an interval of the bytes after it. Runs
//! over keys of an interval.

use crate::pair::{ANY, Seen, Step};
use keyscape_automata::{ByteSet, OverBudget, preferred_bytes};
use keyscape_layout::{
    fields,
    machine::{State, TrackId, Walk},
    model::{Keyspace, Place, Scan, Segment, same_segments},
};

/// An interval of byte strings: from `low` to below `high`, or everything from `low` on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interval {
    /// The lower end, included.
    pub low: Vec<u8>,
    /// The upper end, excluded.
    pub high: Option<Vec<u8>>,
}

impl Interval {
    /// Returns the interval of all byte strings.
    pub(crate) const fn all() -> Self {
        Self { low: Vec::new(), high: None }
    }

    /// Returns the interval of all byte strings that start with `prefix`.
    #[must_use]
    pub fn starting_with(prefix: &[u8]) -> Self {
        Self { low: prefix.to_vec(), high: successor(prefix) }
    }

    /// Whether the interval contains a byte string.
    #[must_use]
    pub fn contains(&self, key: &[u8]) -> bool {
        *self.low <= *key && self.high.as_deref().is_none_or(|high| key < high)
    }

    /// Returns the interval of `prefix` followed by the strings of this interval.
    #[must_use]
    pub fn prefixed_with(&self, prefix: &[u8]) -> Self {
        let join = |tail: &[u8]| [prefix, tail].concat();
        let high = match &self.high {
            Some(high) => Some(join(high)),
            None => successor(prefix),
        };
        Self { low: join(&self.low), high }
    }
}

/// Returns the first string above all strings that start with `prefix`: drops trailing `FF`, then
/// adds one to the last byte. Returns `None` if the prefix is empty or all `FF`.
fn successor(prefix: &[u8]) -> Option<Vec<u8>> {
    let last = prefix.iter().rposition(|&byte| byte != 0xff)?;
    let mut next = prefix[..=last].to_vec();
    if let Some(last) = next.last_mut() {
        *last += 1;
    }
    Some(next)
}

/// The progress of a run within an [`Interval`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Progress {
    /// The string equals the first bytes of the ends. `None` for an end that is decided.
    Open { low: Option<u32>, high: Option<u32> },
    /// All continuations are inside.
    Inside,
    /// All continuations are outside.
    Outside,
}

impl Progress {
    pub(crate) fn start(interval: &Interval) -> Self {
        if interval.high.as_ref().is_some_and(Vec::is_empty) {
            return Self::Outside;
        }
        Self::settled((!interval.low.is_empty()).then_some(0), interval.high.as_ref().map(|_| 0))
    }

    fn settled(low: Option<u32>, high: Option<u32>) -> Self {
        match (low, high) {
            (None, None) => Self::Inside,
            (low, high) => Self::Open { low, high },
        }
    }

    pub(crate) fn step(self, interval: &Interval, byte: u8) -> Self {
        let Self::Open { low, high } = self else { return self };
        let low = match low {
            None => None,
            Some(at) => match interval.low.get(at as usize) {
                Some(&bound) if byte < bound => return Self::Outside,
                Some(&bound) if byte == bound && at as usize + 1 < interval.low.len() => {
                    Some(at + 1)
                }
                _ => None,
            },
        };
        let bound = interval.high.as_deref().unwrap_or_default();
        let high = match high {
            None => None,
            Some(at) => match bound.get(at as usize) {
                Some(&bound) if byte < bound => None,
                Some(&limit) if byte == limit && at as usize + 1 < bound.len() => Some(at + 1),
                _ => return Self::Outside,
            },
        };
        Self::settled(low, high)
    }

    /// Whether a string that ends here is inside.
    pub(crate) fn ends_inside(self) -> bool {
        match self {
            Self::Inside => true,
            Self::Outside => false,
            // A proper prefix of the lower end is below it. A prefix of the upper end is below it
            // too.
            Self::Open { low, .. } => low.is_none(),
        }
    }
}

/// A step of a run: the number of its bytes, the bytes, the state after them, which is not settled,
/// and the progress.
pub(crate) type Stepped = (u32, Step, State, Progress);

/// Returns the steps of a waiting run, without steps to equal states and progresses. While the
/// interval is undecided, every byte counts; otherwise one byte of each class of the leaf.
pub(crate) fn steps_within(
    walk: &mut Walk<'_>,
    interval: &Interval,
    state: State,
    progress: Progress,
) -> Vec<Stepped> {
    let machine = walk.machine;
    let is_open = matches!(progress, Progress::Open { .. });
    let free = machine.free(state);
    walk.count(if is_open { 256 } else { free as usize });
    if free > 0 && !is_open {
        let to = (0..free).try_fold(state, |at, _| machine.step(at, ANY));
        let step = to.map(|to| (free, Step::Free(state, free), to, progress));
        return step.into_iter().collect();
    }
    let literal = machine.literal_byte(state);
    let classes = (literal.is_none() && !is_open).then(|| walk.next_bytes(state));
    let ascending: [u8; 256] = std::array::from_fn(|byte| byte as u8);
    let bytes: &[u8] = match &classes {
        Some(classes) => classes,
        None if literal.is_some() => literal.as_slice(),
        // Integers are easier to read if they are small.
        None if machine.is_integer(state) => &ascending,
        None => preferred_bytes(),
    };
    let mut seen = Seen::default();
    let step = |&byte: &u8| {
        let (to, progress) = (machine.step(state, byte)?, progress.step(interval, byte));
        seen.is_new((to, progress)).then_some((1, Step::Byte(byte), to, progress))
    };
    bytes.iter().filter_map(step).collect()
}

/// A scan in terms of the automaton: the leading part ends at `place`, and the bytes after it are
/// in `interval`.
#[derive(Clone, Debug)]
pub(crate) struct Query {
    /// The end of the leading part.
    pub(crate) place: Place,
    /// The interval of the bytes after the leading part.
    pub(crate) interval: Interval,
}

/// Returns the declared query of a scan, or `None` if its bytes differ from those of the key.
pub(crate) fn declared(keyspace: &Keyspace, scan: &Scan) -> Option<Query> {
    let Some(asked) = &scan.asked else {
        return Some(Query { place: scan.end, interval: Interval::all() });
    };
    let (place, start) = align(keyspace, scan, &asked.start)?;
    let interval = match &asked.end {
        None => Interval::starting_with(&start),
        Some(end) => {
            let (end_place, end) = align(keyspace, scan, end)?;
            if end_place != place {
                return None;
            }
            Interval { low: start, high: Some(end) }
        }
    };
    Some(Query { place, interval })
}

/// Follows the prefix of an `as` clause along the key. Returns the place after its last field, and
/// the literal bytes of the prefix after this field.
fn align(keyspace: &Keyspace, scan: &Scan, asked: &[Segment]) -> Option<(Place, Vec<u8>)> {
    let fields_asked = fields(asked).len();
    if fields_asked != scan.leading.len() || scan.leading.iter().any(|path| path.len() > 1) {
        return None;
    }
    let is_part = |s: &Segment| matches!(s, Segment::Field(_) | Segment::Derived(_));
    let fixed = asked.iter().rposition(is_part).map_or(0, |at| at + 1);
    let mut key = keyspace.key.iter();
    let mut place = 0;
    let mut literal: Vec<u8> = Vec::new();
    for segment in &asked[..fixed] {
        match segment {
            Segment::Literal(lit) => literal.extend(&lit.bytes),
            Segment::Option(_) => return None,
            Segment::Field(_) | Segment::Derived(_) => {
                let mut expected: Vec<u8> = Vec::new();
                let found = loop {
                    match key.next()? {
                        Segment::Literal(lit) => {
                            expected.extend(&lit.bytes);
                            place += lit.bytes.len() as u32;
                        }
                        Segment::Option(_) => return None,
                        found => break found,
                    }
                };
                let both = [found, segment].map(std::slice::from_ref);
                if !same_segments(both[0], both[1]) || expected != literal {
                    return None;
                }
                place += found.places();
                literal.clear();
            }
        }
    }
    let mut rest = Vec::new();
    for segment in &asked[fixed..] {
        match segment {
            Segment::Literal(lit) => rest.extend(&lit.bytes),
            _ => return None,
        }
    }
    Some((Place(place), rest))
}

/// Returns the tight form of a declared scan, or `None` if it is not smaller.
pub(crate) fn tight(
    walk: &mut Walk<'_>,
    track: TrackId,
    scan: &Scan,
) -> Result<Option<Query>, OverBudget> {
    let machine = walk.machine;
    let mut following = ByteSet::EMPTY;
    let mut may_end = false;
    for &node in machine.nodes_at(track, scan.end) {
        for (_, state) in walk.settle(machine.state_at(node))?.iter() {
            if machine.accepted(state) == Some(track) {
                may_end = true;
            } else if machine.uses(track, state) {
                let bytes = (0..=255).filter(|&byte| machine.step(state, byte).is_some());
                following = following.union(&bytes.collect());
            }
        }
    }
    let low = match following.first() {
        Some(first) if !may_end => vec![first],
        _ => Vec::new(),
    };
    let high = following.last().filter(|&last| last != 0xff).map(|last| vec![last + 1]);
    if (low.is_empty() || low == [0]) && high.is_none() && (may_end || low.is_empty()) {
        return Ok(None);
    }
    Ok(Some(Query { place: scan.end, interval: Interval { low, high } }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_prefix_carries_over_trailing_ff() {
        for (prefix, end) in [
            (&b"\x01\xff"[..], Some(&b"\x02"[..])),
            (b"\x03\xaa\xff", Some(b"\x03\xab")),
            (b"a", Some(b"b")),
            (b"", None),
            (b"\xff\xff", None),
        ] {
            assert_eq!(successor(prefix).as_deref(), end);
        }
    }

    #[test]
    fn progress_agrees_with_comparison() {
        let strings: Vec<Vec<u8>> = {
            let mut all = vec![vec![]];
            for length in 1..=3_u32 {
                for n in 0..3_u32.pow(length) {
                    all.push((0..length).map(|i| (n / 3_u32.pow(i) % 3) as u8).collect());
                }
            }
            all
        };
        for low in &strings {
            for high in strings.iter().map(Some).chain([None]) {
                let interval = Interval { low: low.clone(), high: high.cloned() };
                for key in &strings {
                    let end = key
                        .iter()
                        .fold(Progress::start(&interval), |at, &byte| at.step(&interval, byte));
                    assert_eq!(end.ends_inside(), interval.contains(key), "{interval:?} {key:?}");
                }
            }
        }
    }
}
