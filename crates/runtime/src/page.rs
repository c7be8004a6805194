//! Pages of scans, and their cursors.

use crate::{Error, ErrorKind, Keyspace};
use keyscape_codec::hex;
use keyscape_store::{Direction, Hex, KeyRange};
use std::{fmt, str::FromStr};

/// A page of a scan or of a listing; see [`Prefix::page`](crate::Prefix::page).
///
/// ```
/// # use keyscape_samples::shop::{Order, layout::{ORDERS, Ticket}};
/// # use keyscape_store::{Db, Memory, Spaces};
/// # let db = Db::new(Memory::new(Spaces::new(["shop"])?));
/// # db.write(|tx| ORDERS.put(tx, (7, 1), &Order { ticket: Ticket::new("a")?, amount: 3 }))?;
/// let page = ORDERS.prefix_user(7).page(&db.read()?, 10)?;
/// assert_eq!((page.rows.len(), page.next), (1, None));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Page<T> {
    /// The rows of this page.
    pub rows: Vec<T>,
    /// The cursor of the next page; `None` on the last page.
    pub next: Option<PageCursor>,
}

impl<T> Page<T> {
    /// Reads at least one row, and at most `rows` or `limit`. `open` starts a scan with a limit.
    /// `next` returns the next row, and copies its key to the buffer. `has_more` returns whether
    /// another row follows.
    pub(crate) fn read<K: Keyspace, S>(
        (rows, limit, direction): (usize, u64, Direction),
        open: impl FnOnce(u64) -> Result<S, Error>,
        mut next: impl FnMut(&mut S, &mut Vec<u8>) -> Result<Option<T>, Error>,
        has_more: impl FnOnce(&mut S) -> Result<bool, Error>,
    ) -> Result<Self, Error> {
        let size = (rows as u64).max(1).min(limit);
        let mut page = Self { rows: Vec::new(), next: None };
        if size == 0 {
            return Ok(page);
        }
        let mut scan = open(size.saturating_add(1))?;
        let mut last = Vec::new();
        while (page.rows.len() as u64) < size {
            let Some(row) = next(&mut scan, &mut last)? else { return Ok(page) };
            page.rows.push(row);
        }
        if has_more(&mut scan)? {
            page.next = Some(PageCursor::of(K::SPACE, K::NAME, direction, last));
        }
        Ok(page)
    }
}

/// The end of a page: keyspace, direction and last key. A cursor pins no state. It can be stored,
/// or sent as text and parsed. Reads reject a cursor that is not inside their scan.
///
/// ```
/// use keyscape_runtime::PageCursor;
///
/// let text = "shop/orders>6f2f00";
/// let cursor: PageCursor = text.parse()?;
/// assert_eq!(cursor.key(), b"o/\0");
/// assert_eq!(cursor.to_string(), text);
/// assert!("shop/orders=6f2f00".parse::<PageCursor>().is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageCursor {
    /// The space and the name of the keyspace, joined with `/`.
    keyspace: Box<str>,
    direction: Direction,
    key: Box<[u8]>,
}

/// The error for text that is not a page cursor.
///
/// ```
/// use keyscape_runtime::{BadCursor, PageCursor};
///
/// assert_eq!("page 2".parse::<PageCursor>(), Err(BadCursor));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a cursor: expected the keyspace, `>` or `<`, and a key in hexadecimal")]
pub struct BadCursor;

impl PageCursor {
    /// Creates a cursor after a key, for tools without generated code. `space` is the space of the
    /// keyspace.
    ///
    /// ```
    /// use keyscape_runtime::PageCursor;
    /// use keyscape_store::Direction;
    ///
    /// let cursor = PageCursor::of("shop", "orders", Direction::Forward, &b"o/"[..]);
    /// assert_eq!(cursor.to_string(), "shop/orders>6f2f");
    /// assert!(cursor.is_of("shop", "orders", Direction::Forward));
    /// ```
    #[must_use]
    pub fn of(space: &str, name: &str, direction: Direction, key: impl Into<Box<[u8]>>) -> Self {
        Self { keyspace: format!("{space}/{name}").into(), direction, key: key.into() }
    }

    /// Whether the cursor belongs to this keyspace and direction.
    #[must_use]
    pub fn is_of(&self, space: &str, name: &str, direction: Direction) -> bool {
        self.is_in(space, name) && self.direction == direction
    }

    fn is_in(&self, space: &str, name: &str) -> bool {
        let rest = self.keyspace.strip_suffix(name).and_then(|rest| rest.strip_suffix('/'));
        rest == Some(space)
    }

    /// Returns the last key, encoded.
    #[must_use]
    pub fn key(&self) -> &[u8] {
        &self.key
    }

    /// Returns the last key if the cursor belongs to a scan of `K` over `range`. `is_key` returns
    /// whether the scan can return a key.
    pub(crate) fn check<K: Keyspace>(
        &self,
        range: &KeyRange<'_>,
        is_key: impl FnOnce(&[u8]) -> bool,
    ) -> Result<&[u8], Error> {
        let why = if !self.is_in(K::SPACE, K::NAME) {
            "it belongs to another keyspace"
        } else if self.direction != range.direction() {
            "it goes in the other direction"
        } else if !range.contains(&self.key) {
            "its key is outside the scan"
        } else if !is_key(&self.key) {
            "its key does not belong to the keyspace"
        } else {
            return Ok(&self.key);
        };
        Err(ErrorKind::ForeignCursor { keyspace: K::NAME.into(), why }.into())
    }
}

impl fmt::Display for PageCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = match self.direction {
            Direction::Forward => '>',
            Direction::Backward => '<',
        };
        write!(f, "{}{sign}{}", self.keyspace, Hex(&self.key))
    }
}

impl FromStr for PageCursor {
    type Err = BadCursor;

    fn from_str(text: &str) -> Result<Self, BadCursor> {
        let at = text.rfind(['<', '>']).ok_or(BadCursor)?;
        let (keyspace, rest) = text.split_at(at);
        let direction =
            if rest.starts_with('<') { Direction::Backward } else { Direction::Forward };
        let mut key = Vec::new();
        let digits = rest.get(1..).ok_or(BadCursor)?;
        hex::parse(digits.as_bytes(), &mut key).map_err(|_| BadCursor)?;
        Ok(Self { keyspace: keyspace.into(), direction, key: key.into() })
    }
}
