//! Prefixes: the key interval of a declared scan.

use crate::{
    Buffer, By, DomainError, Error, Field, Keyspace, OwnedRow, Page, PageCursor, RowView, Rows,
    Scan, ScanRows, access, engine::Location,
};
use keyscape_codec::{Overflow, Sink};
use keyscape_store::{Direction, KeyRange, Read};
use std::{
    cmp::Ordering,
    fmt,
    marker::PhantomData,
    ops::{Bound, RangeBounds},
};

/// The rows of a declared scan, to be read, counted, walked or deleted. A prefix is not a key, and
/// cannot be passed as one.
///
/// ```
/// # use keyscape_samples::shop::{Order, layout::{ORDERS, Ticket}};
/// # use keyscape_store::{Db, Memory, Spaces};
/// # let db = Db::new(Memory::new(Spaces::new(["shop"])?));
/// db.write(|tx| {
///     for (order, ticket) in ["a", "b", "c", "d"].into_iter().enumerate() {
///         let value = Order { ticket: Ticket::new(ticket)?, amount: 3 };
///         ORDERS.put(tx, (7, order as u32), &value)?;
///     }
///     Ok::<(), keyscape_runtime::Error>(())
/// })?;
/// let snapshot = db.read()?;
/// let mut scan = ORDERS.prefix_user(7).range(1..).reverse().limit(2).scan(&snapshot)?;
/// assert_eq!(scan.next_row()?.map(|row| row.key.order), Some(3));
/// assert_eq!(scan.next_row()?.map(|row| row.key.order), Some(2));
/// assert!(scan.next_row()?.is_none());
/// assert_eq!(ORDERS.prefix_user(7).range(..=1).count(&snapshot)?, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "a prefix reads nothing by itself"]
pub struct Prefix<K: Keyspace, B> {
    /// The encoded leading fields, with the literals after them.
    lead: K::Buffer,
    /// The start of the interval. Unbounded means the first key that begins with `lead`.
    start: Bound<K::Buffer>,
    /// The end of the interval. Unbounded means the last key that begins with `lead`.
    end: Bound<K::Buffer>,
    /// Whether the bounds exclude every key.
    is_empty: bool,
    pub(crate) direction: Direction,
    pub(crate) max_rows: u64,
    after: Option<PageCursor>,
    /// An error in the leading fields or a bound, which reads report. Reads report keys that are
    /// too long as well.
    fault: Option<DomainError>,
    marker: PhantomData<fn() -> B>,
}

/// The end of the interval that a bound narrows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Start,
    End,
}

impl<K: Keyspace, B: ScanRows<K>> Prefix<K, B> {
    /// Selects all keys that begin with the bytes that `lead` writes: the leading fields and the
    /// literals up to the next field. Reads report errors of `lead`. For generated code.
    pub fn new(lead: impl FnOnce(&mut K::Buffer) -> Result<(), DomainError>) -> Self {
        let mut prefix = Self {
            lead: K::Buffer::default(),
            start: Bound::Unbounded,
            end: Bound::Unbounded,
            is_empty: false,
            direction: Direction::Forward,
            max_rows: u64::MAX,
            after: None,
            fault: None,
            marker: PhantomData,
        };
        let written = lead(&mut prefix.lead);
        prefix.note(written);
        prefix
    }

    /// Selects the keys of the prefix that `make` returns. Reads report errors of `make`. For
    /// generated code.
    pub fn defer_errors(make: impl FnOnce() -> Result<Self, DomainError>) -> Self {
        make().unwrap_or_else(|error| Self::new(|_| Err(error)))
    }

    /// Keeps the keys that continue after the leading fields with `low` or above, and below `high`.
    /// For generated code, if only the tight interval is exact.
    pub fn within(mut self, low: &[u8], high: Option<&[u8]>) -> Self {
        self.narrow(Side::Start, Bound::Included(self.after_lead(low)));
        if let Some(high) = high {
            self.narrow(Side::End, Bound::Excluded(self.after_lead(high)));
        }
        self
    }

    /// Selects all keys from `start` to before `end` instead. For generated code, if the layout
    /// states another interval.
    pub fn between(
        mut self,
        start: impl FnOnce(&mut K::Buffer) -> Result<(), DomainError>,
        end: impl FnOnce(&mut K::Buffer) -> Result<(), DomainError>,
    ) -> Self {
        let (mut low, mut high) = (K::Buffer::default(), K::Buffer::default());
        let written = start(&mut low).and_then(|()| end(&mut high));
        self.note(written);
        self.start = Bound::Included(low);
        self.end = Bound::Excluded(high);
        self
    }

    /// Reverses the direction.
    pub fn reverse(mut self) -> Self {
        self.direction = self.direction.reversed();
        self
    }

    /// Returns at most this number of rows.
    pub fn limit(mut self, rows: u64) -> Self {
        self.max_rows = self.max_rows.min(rows);
        self
    }

    /// Continues after the page that the cursor was returned with. Reads check that the cursor
    /// belongs to this scan.
    pub fn after(mut self, cursor: &PageCursor) -> Self {
        self.after = Some(cursor.clone());
        self
    }

    fn note(&mut self, outcome: Result<(), DomainError>) {
        if let Err(fault) = outcome {
            self.fault.get_or_insert(fault);
        }
    }

    /// Returns the leading fields followed by `tail`.
    fn after_lead(&self, tail: &[u8]) -> K::Buffer {
        let mut key = K::Buffer::default();
        key.put(self.lead.written().unwrap_or_default());
        key.put(tail);
        key
    }

    /// Takes a bound if it is narrower than the current one, or too long.
    fn narrow(&mut self, side: Side, bound: Bound<K::Buffer>) {
        let current = if side == Side::Start { &mut self.start } else { &mut self.end };
        let is_narrower = match (as_bytes(current), as_bytes(&bound)) {
            (Err(_), _) | (_, Ok(Bound::Unbounded)) => false,
            (Ok(Bound::Unbounded), _) | (_, Err(_)) => true,
            (
                Ok(Bound::Included(now) | Bound::Excluded(now)),
                Ok(Bound::Included(new) | Bound::Excluded(new)),
            ) => match (new.cmp(now), side) {
                (Ordering::Equal, _) => matches!(bound, Bound::Excluded(_)),
                (Ordering::Greater, Side::Start) | (Ordering::Less, Side::End) => true,
                _ => false,
            },
        };
        if is_narrower {
            *current = bound;
        }
    }

    /// Returns the first byte string above all keys that begin with the leading fields, if there is
    /// one.
    pub(crate) fn above(&self) -> Result<Option<K::Buffer>, Error> {
        match &self.fault {
            Some(fault) => Err(fault.clone().into()),
            None => Ok(access::successor(self.lead.written()?)),
        }
    }

    /// Returns the interval, after the cursor if there is one. `above` is the result of
    /// [`Prefix::above`].
    pub(crate) fn interval<'a>(
        &'a self,
        above: Option<&'a K::Buffer>,
    ) -> Result<KeyRange<'a>, Error> {
        let start = match as_bytes(&self.start)? {
            Bound::Unbounded => Bound::Included(self.lead.written()?),
            start => start,
        };
        let end = match (as_bytes(&self.end)?, above) {
            _ if self.is_empty => Bound::Excluded(&[][..]),
            (Bound::Unbounded, Some(above)) => Bound::Excluded(above.written()?),
            (end, _) => end,
        };
        let range = KeyRange::new(start, end).with_direction(self.direction);
        match &self.after {
            None => Ok(range),
            Some(cursor) => {
                let key = cursor.check::<K>(&range, |key| K::decode(key).is_ok())?;
                Ok(range.after(key))
            }
        }
    }
}

fn as_bytes<T: Buffer>(bound: &Bound<T>) -> Result<Bound<&[u8]>, Overflow> {
    Ok(match bound {
        Bound::Unbounded => Bound::Unbounded,
        Bound::Included(key) => Bound::Included(key.written()?),
        Bound::Excluded(key) => Bound::Excluded(key.written()?),
    })
}

impl<K: Keyspace, B: By<K>> Prefix<K, B> {
    /// Keeps the keys whose next field is between the bounds. Bounds compare values, even if
    /// greater values have smaller keys.
    ///
    /// ```
    /// # use keyscape_samples::shop::{Order, layout::{ORDERS, Ticket}};
    /// # use keyscape_store::{Db, Memory, Spaces};
    /// # let db = Db::new(Memory::new(Spaces::new(["shop"])?));
    /// db.write(|tx| {
    ///     ["a", "b", "c"].iter().zip(1..).try_for_each(|(ticket, number)| {
    ///         let order = Order { ticket: Ticket::new(*ticket)?, amount: 3 };
    ///         ORDERS.put(tx, (7, number), &order)
    ///     })
    /// })?;
    /// assert_eq!(ORDERS.prefix_user(7).range(2..).count(&db.read()?)?, 2);
    /// assert_eq!(ORDERS.prefix_user(7).range(..=1).count(&db.read()?)?, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn range<'b>(mut self, bounds: impl RangeBounds<<B::Field as Field>::View<'b>>) -> Self {
        let (low, high) =
            if B::DESCENDING { (Side::End, Side::Start) } else { (Side::Start, Side::End) };
        let narrowed = self
            .narrow_by(low, bounds.start_bound())
            .and_then(|()| self.narrow_by(high, bounds.end_bound()));
        self.note(narrowed);
        self
    }

    fn narrow_by(
        &mut self,
        side: Side,
        bound: Bound<&<B::Field as Field>::View<'_>>,
    ) -> Result<(), DomainError> {
        let (field, included) = match bound {
            Bound::Unbounded => return Ok(()),
            Bound::Included(field) => (field, true),
            Bound::Excluded(field) => (field, false),
        };
        let mut key = self.after_lead(b"");
        B::Field::encode(field, &mut key)?;
        key.put(B::AFTER);
        // All rows with this field begin with `key`. If it is the last field, their key is `key`.
        let bound = match (side, included) {
            (Side::Start, true) => Bound::Included(key),
            (Side::End, false) => Bound::Excluded(key),
            (Side::Start, false) if B::LAST => Bound::Excluded(key),
            (Side::End, true) if B::LAST => Bound::Included(key),
            _ => match (key.written().map(access::successor), side) {
                (Err(_), _) => Bound::Included(key),
                (Ok(Some(above)), Side::Start) => Bound::Included(above),
                (Ok(Some(above)), Side::End) => Bound::Excluded(above),
                (Ok(None), _) => {
                    self.is_empty |= side == Side::Start;
                    return Ok(());
                }
            },
        };
        self.narrow(side, bound);
        Ok(())
    }
}

impl<K: Rows, B: ScanRows<K>> Prefix<K, B> {
    /// Starts a scan over the rows.
    ///
    /// # Errors
    /// [`ForeignCursor`](crate::ErrorKind::ForeignCursor) if the cursor belongs to another scan;
    /// see [`ErrorKind`](crate::ErrorKind).
    pub fn scan<'t>(&self, state: &'t (impl Read + ?Sized)) -> Result<Scan<'t, K, B>, Error> {
        self.scan_to(state, self.max_rows)
    }

    /// Starts a scan with another limit.
    pub(crate) fn scan_to<'t>(
        &self,
        state: &'t (impl Read + ?Sized),
        limit: u64,
    ) -> Result<Scan<'t, K, B>, Error> {
        let above = self.above()?;
        let range = self.interval(above.as_ref())?;
        let range = match usize::try_from(limit) {
            Ok(rows) if limit != u64::MAX => range.expecting(rows),
            _ => range,
        };
        Ok(Scan::new(Location::of::<K>().rows(state, range)?, limit))
    }

    /// Returns the first row, owned. With [`Prefix::reverse`], the last.
    ///
    /// ```
    /// # use keyscape_samples::shop::{Order, layout::{ORDERS, Ticket}};
    /// # use keyscape_store::{Db, Memory, Spaces};
    /// # let db = Db::new(Memory::new(Spaces::new(["shop"])?));
    /// db.write(|tx| {
    ///     ["a", "b", "c"].iter().zip(1..).try_for_each(|(ticket, number)| {
    ///         let order = Order { ticket: Ticket::new(*ticket)?, amount: 3 };
    ///         ORDERS.put(tx, (7, number), &order)
    ///     })
    /// })?;
    /// let first = ORDERS.prefix_user(7).first(&db.read()?)?.ok_or("no order")?;
    /// let last = ORDERS.prefix_user(7).reverse().first(&db.read()?)?.ok_or("no order")?;
    /// assert_eq!((first.0.order, last.0.order), (1, 3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Prefix::scan`] and [`Scan::next_row`].
    pub fn first(&self, state: &(impl Read + ?Sized)) -> Result<Option<OwnedRow<K>>, Error> {
        let mut scan = self.scan_to(state, self.max_rows.min(1))?;
        scan.next_row()?.map(RowView::into_owned).transpose()
    }

    /// Counts the rows. Scans all of them.
    ///
    /// # Errors
    /// As [`Scan::next_row`].
    pub fn count(&self, state: &(impl Read + ?Sized)) -> Result<u64, Error> {
        let mut scan = self.scan(state)?;
        access::count_steps(|| scan.step())
    }

    /// Reads the first rows, at least one if there is one and at most `rows`, and the cursor of the
    /// next page. The cursor pins no state: a row that exists throughout is returned exactly once.
    ///
    /// ```
    /// # use keyscape_samples::shop::{Order, layout::{ORDERS, Ticket}};
    /// # use keyscape_store::{Db, Memory, Spaces};
    /// # let db = Db::new(Memory::new(Spaces::new(["shop"])?));
    /// # db.write(|tx| {
    /// #     ORDERS.put(tx, (7, 1), &Order { ticket: Ticket::new("a")?, amount: 3 })?;
    /// #     ORDERS.put(tx, (7, 2), &Order { ticket: Ticket::new("b")?, amount: 4 })
    /// # })?;
    /// let first = ORDERS.prefix_user(7).page(&db.read()?, 1)?;
    /// let cursor = first.next.ok_or("there is a second page")?;
    /// let second = ORDERS.prefix_user(7).after(&cursor).page(&db.read()?, 1)?;
    /// assert_eq!(second.rows[0].0.order, 2);
    /// assert!(second.next.is_none());
    /// assert!(ORDERS.prefix_user(8).after(&cursor).page(&db.read()?, 1).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Prefix::scan`] and [`Scan::next_row`].
    pub fn page(
        &self,
        state: &(impl Read + ?Sized),
        rows: usize,
    ) -> Result<Page<OwnedRow<K>>, Error> {
        let next = |scan: &mut Scan<'_, K, B>, key: &mut Vec<u8>| {
            let Some(row) = scan.next_row()? else { return Ok(None) };
            row.key_bytes().clone_into(key);
            row.into_owned().map(Some)
        };
        let size = (rows, self.max_rows, self.direction);
        Page::read::<K, _>(size, |limit| self.scan_to(state, limit), next, Scan::step)
    }
}

impl<K: Keyspace, B: ScanRows<K>> fmt::Debug for Prefix<K, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prefix")
            .field("keyspace", &K::NAME)
            .field("scan", &B::NAME)
            .field("direction", &self.direction)
            .finish_non_exhaustive()
    }
}
