//! Searches for outputs.
//!
//! Costs:
//! - A union reads as many members as it returns, of all its sets together, and for each member a
//!   row of every other set.
//! - An intersection or difference reads the **first** set, and for each member a row of the other
//!   sets until one excludes it. Its cost depends on the size of the first set between the bounds,
//!   not on the number of results: name the smallest set first. The search does not choose the
//!   order, because the first set also defines the scores of the results, and only topics store a
//!   count.
//! - A search for unspent outputs reads one more row for each member that the rest of the query
//!   finds, including spent ones. If most are spent, as with `own:` events of busy addresses, it
//!   reads all of them. Use bounds on the scores to limit it.
//! - [`balance()`] is a complete search for unspent outputs, and reads one more row for each.

mod cursor;
mod merge;
mod watch;

pub use cursor::{BadCursor, Cursor};
pub use merge::Results;
pub use watch::Watch;

use crate::{
    error::Error,
    layout::txo::{
        EVENTS, Event, MERKLE, Name, Outpoint, SATOSHIS_AMOUNT, SPENT, SPENT_BY, Score, TOPICS,
        Txid, TxidText,
    },
};
use keyscape::store::Read;
use std::ops::Bound;

/// A sorted set of outputs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Key {
    /// The outputs with an event.
    Event(Event<'static>),
    /// The spent outputs with an event, by the time of spending.
    Spent(Event<'static>),
    /// The outputs that a topic admitted.
    Topic(Name<'static>),
    /// The outputs of a topic in a merkle state.
    Merkle(Name<'static>, u32),
    /// The outputs that a transaction spends.
    SpentBy(Txid),
}

impl Key {
    /// Returns the score of an output in the set.
    ///
    /// # Errors
    /// If the store fails.
    pub fn score(&self, read: &impl Read, outpoint: Outpoint) -> Result<Option<Score>, Error> {
        Ok(match self {
            Key::Event(event) => EVENTS.score(read, event, outpoint)?,
            Key::Spent(event) => SPENT.score(read, event, outpoint)?,
            Key::Topic(topic) => TOPICS.score(read, topic, outpoint)?,
            Key::Merkle(topic, state) => MERKLE.score(read, (topic, *state), outpoint)?,
            Key::SpentBy(spender) => SPENT_BY.score(read, TxidText(spender.0), outpoint)?,
        })
    }
}

/// A join of sets. Members are compared, scores are not: an output may have another score in each
/// set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Join {
    /// Outputs in any of the sets, each once, with the score at which it is first found.
    #[default]
    Union,
    /// Outputs of the first set that are in all others, with their score in the first.
    Intersect,
    /// Outputs of the first set that are in none of the others.
    Difference,
}

/// A search query.
///
/// ```
/// use keyscape_txo::{event, layout::txo::Txid, score, search::{Join, Key, OutputQuery}};
///
/// let of_transaction = Key::Event(event::txid(Txid([7; 32])));
/// let pepe = Key::Event(event::sym("PEPE")?);
/// let query = OutputQuery::of(of_transaction).and(pepe).joined(Join::Intersect)
///     .from(score::from_height(800_000)).unspent().reverse().limit(10);
/// assert_eq!(query.keys.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputQuery {
    /// The sets.
    pub keys: Vec<Key>,
    /// The join.
    pub join: Join,
    /// The lower bound of scores. Bounds apply to the scanned sets: all sets of a union, the first
    /// set of an intersection or difference.
    pub from: Bound<Score>,
    /// The upper bound of scores.
    pub to: Bound<Score>,
    /// Whether the highest scores come first.
    pub reverse: bool,
    /// Whether to exclude spent outputs. They do not count towards the limit.
    pub unspent: bool,
    /// The maximum number of outputs, over all pages: a cursor contains the remaining number.
    pub limit: Option<u64>,
    /// The end of the previous page.
    pub after: Option<Cursor>,
}

impl OutputQuery {
    /// Creates a query for all members of one set.
    #[must_use]
    pub fn of(key: Key) -> OutputQuery {
        OutputQuery {
            keys: vec![key],
            join: Join::default(),
            from: Bound::Unbounded,
            to: Bound::Unbounded,
            reverse: false,
            unspent: false,
            limit: None,
            after: None,
        }
    }

    /// Adds a set.
    #[must_use]
    pub fn and(mut self, key: Key) -> OutputQuery {
        self.keys.push(key);
        self
    }

    /// Sets the join.
    #[must_use]
    pub fn joined(self, join: Join) -> OutputQuery {
        OutputQuery { join, ..self }
    }

    /// Sets the lowest score, included.
    #[must_use]
    pub fn from(self, score: Score) -> OutputQuery {
        OutputQuery { from: Bound::Included(score), ..self }
    }

    /// Sets the highest score, included.
    #[must_use]
    pub fn to(self, score: Score) -> OutputQuery {
        OutputQuery { to: Bound::Included(score), ..self }
    }

    /// Reverses the order: highest scores first.
    #[must_use]
    pub fn reverse(self) -> OutputQuery {
        OutputQuery { reverse: true, ..self }
    }

    /// Excludes spent outputs.
    #[must_use]
    pub fn unspent(self) -> OutputQuery {
        OutputQuery { unspent: true, ..self }
    }

    /// Sets the maximum number of outputs.
    #[must_use]
    pub fn limit(self, outputs: u64) -> OutputQuery {
        OutputQuery { limit: Some(outputs), ..self }
    }

    /// Continues after the last output of a page.
    #[must_use]
    pub fn after(self, cursor: Cursor) -> OutputQuery {
        OutputQuery { after: Some(cursor), ..self }
    }

    /// Returns the remaining limit: the smaller one of the query and its cursor.
    fn left(&self) -> Option<u64> {
        let after = self.after.and_then(|cursor| cursor.left);
        [self.limit, after].into_iter().flatten().min()
    }
}

/// A found output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The outpoint.
    pub outpoint: Outpoint,
    /// Its score in the set in which it was found.
    pub score: Score,
}

/// A page of outputs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// The outputs.
    pub hits: Vec<Hit>,
    /// The cursor for [`OutputQuery::after`]; `None` on the last page.
    pub next: Option<Cursor>,
}

/// Searches for outputs lazily: reads sets only as far as needed, with bounded memory.
///
/// # Errors
/// [`Error::NoKeys`]; [`Error::ForeignCursor`].
pub fn search<'t, R: Read>(read: &'t R, query: &'t OutputQuery) -> Result<Results<'t, R>, Error> {
    Results::new(read, query)
}

/// Returns the first `size` outputs of a query, and the cursor of the next page, if any. A page of
/// size 0 has one output. The limit of a query applies to all its pages together.
///
/// ```
/// # use keyscape_txo::layout::txo;
/// use keyscape_txo::{
///     error::Error,
///     event,
///     keeper::{NewOutput, save_output},
///     layout::txo::{Outpoint, Txid},
///     score,
///     search::{Cursor, Key, OutputQuery, page},
/// };
///
/// # let db = keyscape::memory(&txo::LAYOUT)?;
/// let txid = Txid([7; 32]);
/// db.write(|tx| {
///     for vout in 0..9 {
///         save_output(tx, &NewOutput::new(Outpoint { txid, vout }, 1, score::seen(1)))?;
///     }
///     Ok::<(), Error>(())
/// })?;
///
/// let (state, query) = (db.read()?, OutputQuery::of(Key::Event(event::txid(txid))).limit(5));
/// let first = page(&state, &query, 3)?;
/// let cursor = first.next.ok_or("there are more")?.to_string(); // for a client to send back
/// let second = page(&state, &query.after(cursor.parse::<Cursor>()?), 3)?;
/// assert_eq!((first.hits.len(), second.hits.len(), second.next), (3, 2, None));
/// assert_eq!(second.hits[0].outpoint.vout, 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`search`].
pub fn page(read: &impl Read, query: &OutputQuery, size: usize) -> Result<Page, Error> {
    let size = size.max(1);
    let mut page = Page::default();
    for hit in search(read, query)? {
        let hit = hit?;
        if page.hits.len() == size {
            let left = query.left().map(|left| left.saturating_sub(size as u64));
            page.next = page.hits.last().map(|last| Cursor::after(*last, query.reverse, left));
            break;
        }
        page.hits.push(hit);
    }
    Ok(page)
}

/// The balance of unspent outputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Balance {
    /// The sum of their satoshis.
    pub satoshis: u128,
    /// The number of outputs.
    pub outputs: u64,
}

/// Returns the balance of the unspent outputs of a query, even if the query includes spent ones.
///
/// # Errors
/// As [`search`]; [`Error::Overflow`].
pub fn balance(read: &impl Read, query: &OutputQuery) -> Result<Balance, Error> {
    let query = query.clone().unspent();
    let mut balance = Balance::default();
    for hit in search(read, &query)? {
        let held = SATOSHIS_AMOUNT.get(read, (), hit?.outpoint)?.unwrap_or_default();
        let sum = balance.satoshis.checked_add(u128::from(held));
        balance.satoshis = sum.ok_or(Error::Overflow("the balance"))?;
        balance.outputs += 1;
    }
    Ok(balance)
}
