//! The read set of an optimistic transaction.

use crate::{Direction, KeyRange, StoreId};
use std::ops::Bound;

/// The keys and ranges that an optimistic transaction has read, whether rows exist or not.
///
/// ```
/// use keyscape_store::{KeyRange, ReadSet, StoreId};
///
/// const SHOP: StoreId = StoreId::of("shop");
/// let mut reads = ReadSet::new();
/// reads.add_key(SHOP, b"ink");
/// reads.add_range(SHOP, &KeyRange::prefix(b"pen/"));
/// assert_eq!(reads.iter().filter(|(_, range)| range.contains(b"pen/red")).count(), 1);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadSet {
    keys: Vec<(StoreId, Box<[u8]>)>,
    spans: Vec<Span>,
    /// Full ranges of open cursors. A leaked cursor stays in the read set.
    open: Vec<Option<Span>>,
    /// The number of keys at which duplicates are removed next.
    clean_at: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Span {
    store: StoreId,
    start: Bound<Box<[u8]>>,
    end: Bound<Box<[u8]>>,
    direction: Direction,
}

/// Above this number, ranges are merged to one per store. Merging may add conflicts, but hides
/// none.
const MAX_SPANS: usize = 4096;
const MIN_CLEANING: usize = 1024;

/// The number of an open range.
#[derive(Debug)]
pub(crate) struct OpenSpan(usize);

/// The position that a cursor has reached.
pub(crate) enum Seen<'a> {
    Nothing,
    To(&'a [u8]),
    All,
}

impl ReadSet {
    /// Creates an empty read set.
    #[must_use]
    pub fn new() -> ReadSet {
        ReadSet::default()
    }

    /// Whether the read set is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }

    /// Lists the read set as ranges, in no order. Ranges may overlap.
    pub fn iter(&self) -> impl Iterator<Item = (StoreId, KeyRange<'_>)> {
        let keys = self.keys.iter().map(|(store, key)| {
            (*store, KeyRange::new(Bound::Included(key), Bound::Included(key)))
        });
        let spans =
            self.spans.iter().chain(self.open.iter().flatten()).map(|span| {
                (span.store, KeyRange::new(as_slice(&span.start), as_slice(&span.end)))
            });
        keys.chain(spans)
    }

    /// Adds a key.
    pub fn add_key(&mut self, store: StoreId, key: &[u8]) {
        self.keys.push((store, key.into()));
        if self.keys.len() >= self.clean_at.max(MIN_CLEANING) {
            self.keys.sort_unstable();
            self.keys.dedup();
            self.clean_at = self.keys.len() * 2;
        }
    }

    /// Adds a range.
    pub fn add_range(&mut self, store: StoreId, range: &KeyRange<'_>) {
        self.push(Span::of(store, range));
    }

    pub(crate) fn open(&mut self, store: StoreId, range: &KeyRange<'_>) -> OpenSpan {
        let span = Some(Span::of(store, range));
        let free = self.open.iter().position(Option::is_none);
        let place = free.unwrap_or(self.open.len());
        match free {
            Some(place) => self.open[place] = span,
            None => self.open.push(span),
        }
        OpenSpan(place)
    }

    pub(crate) fn close(&mut self, open: &OpenSpan, seen: Seen<'_>) {
        let Some(mut span) = self.open.get_mut(open.0).and_then(Option::take) else { return };
        match (seen, span.direction) {
            (Seen::Nothing, _) => return,
            (Seen::To(key), Direction::Forward) => span.end = Bound::Included(key.into()),
            (Seen::To(key), Direction::Backward) => span.start = Bound::Included(key.into()),
            (Seen::All, _) => {}
        }
        self.push(span);
    }

    fn push(&mut self, span: Span) {
        self.spans.push(span);
        if self.spans.len() > MAX_SPANS {
            self.spans.sort_unstable_by_key(|span| span.store);
            self.spans.dedup_by(|later, first| {
                let is_same = later.store == first.store;
                if is_same {
                    (first.start, first.end) = (Bound::Unbounded, Bound::Unbounded);
                }
                is_same
            });
        }
    }
}

impl Span {
    fn of(store: StoreId, range: &KeyRange<'_>) -> Span {
        Span {
            store,
            start: range.start().map(Into::into),
            end: range.end().map(Into::into),
            direction: range.direction(),
        }
    }
}

fn as_slice(bound: &Bound<Box<[u8]>>) -> Bound<&[u8]> {
    bound.as_ref().map(|key| &**key)
}
