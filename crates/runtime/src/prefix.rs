//! Prefixes: the key interval of a declared scan.

use crate::{
    Buffer, By, DomainError, Error, ErrorKind, Field, Keyspace, OwnedRow, Page, PageCursor,
    RowView, Rows, Scan, ScanRows, access,
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
    nothing: bool,
    direction: Direction,
    limit: u64,
    after: Option<PageCursor>,
    /// An error in the leading fields or a bound, which reads report.
    fault: Option<Fault>,
    marker: PhantomData<fn() -> B>,
}

#[derive(Clone, Debug)]
enum Fault {
    Domain(DomainError),
    Overflow(Overflow),
}

impl From<Fault> for ErrorKind {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Domain(error) => error.into(),
            Fault::Overflow(error) => error.into(),
        }
    }
}

impl From<DomainError> for Fault {
    fn from(error: DomainError) -> Self {
        Self::Domain(error)
    }
}

impl From<Overflow> for Fault {
    fn from(error: Overflow) -> Self {
        Self::Overflow(error)
    }
}

/// The end of the interval that a bound narrows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Start,
    End,
}

impl<K: Keyspace, B: ScanRows<K>> Prefix<K, B> {
    /// Selects all keys that begin with the bytes that `lead` writes: the leading fields and the
    /// literals up to the next field. For generated code. Reads report errors of `lead`.
    pub fn new(lead: impl FnOnce(&mut K::Buffer) -> Result<(), DomainError>) -> Self {
        let mut prefix = Self {
            lead: K::Buffer::default(),
            start: Bound::Unbounded,
            end: Bound::Unbounded,
            nothing: false,
            direction: Direction::Forward,
            limit: u64::MAX,
            after: None,
            fault: None,
            marker: PhantomData,
        };
        let written = lead(&mut prefix.lead);
        prefix.noting(written.map_err(Fault::from));
        prefix
    }

    /// Selects the keys of the prefix that `make` returns. For generated code. Reads report errors
    /// of `make`.
    pub fn given(make: impl FnOnce() -> Result<Self, DomainError>) -> Self {
        make().unwrap_or_else(|error| Self::new(|_| Err(error)))
    }

    /// Keeps the keys that continue after the leading fields with `low` or above, and below `high`.
    /// For generated code, if only the tight interval is exact.
    pub fn within(mut self, low: &[u8], high: Option<&[u8]>) -> Self {
        let narrowed = self.narrow_behind(Side::Start, Bound::Included(low));
        self.noting(narrowed);
        if let Some(high) = high {
            let narrowed = self.narrow_behind(Side::End, Bound::Excluded(high));
            self.noting(narrowed);
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
        self.noting(written.map_err(Fault::from));
        self.start = Bound::Included(low);
        self.end = Bound::Excluded(high);
        self
    }

    /// Reverses the direction.
    pub fn reverse(mut self) -> Self {
        self.direction = match self.direction {
            Direction::Forward => Direction::Backward,
            Direction::Backward => Direction::Forward,
        };
        self
    }

    /// Returns at most this number of rows.
    pub fn limit(mut self, rows: u64) -> Self {
        self.limit = self.limit.min(rows);
        self
    }

    /// Continues after the page that the cursor was returned with. Reads check that the cursor
    /// belongs to this scan.
    pub fn after(mut self, cursor: &PageCursor) -> Self {
        self.after = Some(cursor.clone());
        self
    }

    fn noting(&mut self, outcome: Result<(), Fault>) {
        if let Err(fault) = outcome {
            self.fault.get_or_insert(fault);
        }
    }

    fn narrow_behind(&mut self, side: Side, tail: Bound<&[u8]>) -> Result<(), Fault> {
        let tail = match tail {
            Bound::Unbounded => return Ok(()),
            Bound::Included(tail) => Bound::Included(self.behind_lead(tail)?),
            Bound::Excluded(tail) => Bound::Excluded(self.behind_lead(tail)?),
        };
        self.narrow(side, tail)
    }

    fn behind_lead(&self, tail: &[u8]) -> Result<K::Buffer, Fault> {
        let mut key = K::Buffer::default();
        key.put(self.lead.written()?);
        key.put(tail);
        Ok(key)
    }

    /// Takes a bound if it is narrower than the current one.
    fn narrow(&mut self, side: Side, bound: Bound<K::Buffer>) -> Result<(), Fault> {
        let current = if side == Side::Start { &mut self.start } else { &mut self.end };
        let narrower = match (bytes(current)?, bytes(&bound)?) {
            (_, None) => false,
            (None, Some(_)) => true,
            (Some((now, _)), Some((new, excluded))) => match (new.cmp(now), side) {
                (Ordering::Equal, _) => excluded,
                (Ordering::Greater, Side::Start) | (Ordering::Less, Side::End) => true,
                _ => false,
            },
        };
        if narrower {
            *current = bound;
        }
        Ok(())
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
        let start = match bytes(&self.start)? {
            None => Bound::Included(self.lead.written()?),
            Some((start, false)) => Bound::Included(start),
            Some((start, true)) => Bound::Excluded(start),
        };
        let end = match (bytes(&self.end)?, above) {
            _ if self.nothing => Bound::Excluded(&[][..]),
            (Some((end, false)), _) => Bound::Included(end),
            (Some((end, true)), _) => Bound::Excluded(end),
            (None, Some(above)) => Bound::Excluded(above.written()?),
            (None, None) => Bound::Unbounded,
        };
        let range = KeyRange::new(start, end).with_direction(self.direction);
        match &self.after {
            None => Ok(range),
            Some(cursor) => {
                let key = cursor.check::<K>(&range)?;
                Ok(range.after(key))
            }
        }
    }

    pub(crate) fn direction(&self) -> Direction {
        self.direction
    }

    pub(crate) fn most(&self) -> u64 {
        self.limit
    }
}

/// Returns the bytes of a bound, and whether they are excluded.
fn bytes<T: Buffer>(bound: &Bound<T>) -> Result<Option<(&[u8], bool)>, Overflow> {
    Ok(match bound {
        Bound::Unbounded => None,
        Bound::Included(key) => Some((key.written()?, false)),
        Bound::Excluded(key) => Some((key.written()?, true)),
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
        self.noting(narrowed);
        self
    }

    fn narrow_by(
        &mut self,
        side: Side,
        bound: Bound<&<B::Field as Field>::View<'_>>,
    ) -> Result<(), Fault> {
        let (field, included) = match bound {
            Bound::Unbounded => return Ok(()),
            Bound::Included(field) => (field, true),
            Bound::Excluded(field) => (field, false),
        };
        let mut key = self.behind_lead(b"")?;
        B::Field::encode(field, &mut key)?;
        key.put(B::AFTER);
        // All rows with this field begin with `key`. If it is the last field, their key is `key`.
        let bound = match (side, included) {
            (Side::Start, true) => Bound::Included(key),
            (Side::End, false) => Bound::Excluded(key),
            (Side::Start, false) if B::LAST => Bound::Excluded(key),
            (Side::End, true) if B::LAST => Bound::Included(key),
            (Side::Start, false) => match access::successor(key.written()?) {
                Some(above) => Bound::Included(above),
                None => {
                    self.nothing = true;
                    return Ok(());
                }
            },
            (Side::End, true) => match access::successor(key.written()?) {
                Some(above) => Bound::Excluded(above),
                None => return Ok(()),
            },
        };
        self.narrow(side, bound)
    }
}

impl<K: Rows, B: ScanRows<K>> Prefix<K, B> {
    /// Starts a scan over the rows.
    ///
    /// # Errors
    /// [`ForeignCursor`](ErrorKind::ForeignCursor) if the cursor belongs to another scan; see
    /// [`ErrorKind`].
    pub fn scan<'t>(&self, state: &'t (impl Read + ?Sized)) -> Result<Scan<'t, K, B>, Error> {
        self.scan_to(state, self.limit)
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
        let rows = state.rows(access::space::<K>(), range).map_err(access::failed::<K>)?;
        Ok(Scan::new(rows, limit))
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
        let mut scan = self.scan_to(state, self.limit.min(1))?;
        scan.next_row()?.map(RowView::into_owned).transpose()
    }

    /// Counts the rows. Scans all of them.
    ///
    /// # Errors
    /// As [`Scan::next_row`].
    pub fn count(&self, state: &(impl Read + ?Sized)) -> Result<u64, Error> {
        let mut scan = self.scan(state)?;
        let mut count = 0;
        while scan.step()? {
            count += 1;
        }
        Ok(count)
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
    pub fn page(&self, state: &(impl Read + ?Sized), rows: usize) -> Result<Page<K>, Error> {
        Page::read(self, state, rows)
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
