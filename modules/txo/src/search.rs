//! Finding outputs.
//!
//! What a search costs:
//! - A union reads as many members as it returns, of all its sets together, and for each a row of every other
//!   set.
//! - An intersection or difference reads the **first** set from its beginning, and for each member a row of the
//!   others until one rules it out. So what it costs depends on the size of the first set between the
//!   bounds, and not on how much it finds: name the smallest set first. The order is not chosen here, because the
//!   first set also says by which score outputs are sorted, and only topics keep a count.
//! - A search for unspent outputs reads one more row for each member that the rest of the query finds, those that
//!   are spent included. Where most are spent, as with `own:` events of busy addresses, it goes through all of
//!   them. Bounds on the scores are what keeps it short.
//! - [`balance()`] is a search for unspent outputs to its end, and reads one more row for each.

mod balance;
mod cursor;
mod merge;

pub use balance::{Balance, balance};
pub use cursor::{BadCursor, Cursor};
pub use merge::Results;

use crate::{
    error::Error,
    layout::txo::{
        EVENTS, Event, MERKLE, Name, Outpoint, SPENT, SPENT_BY, Score, TOPICS, Txid, TxidText,
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
    /// Those of them that are spent, by when they were spent.
    Spent(Event<'static>),
    /// The outputs that a topic admitted.
    Topic(Name<'static>),
    /// The outputs of a topic in a merkle state.
    Merkle(Name<'static>, u32),
    /// The outputs that a transaction spends.
    SpentBy(Txid),
}

impl Key {
    /// The score of an output in the set.
    ///
    /// # Errors
    /// If the store fails.
    pub fn score(&self, read: &impl Read, outpoint: Outpoint) -> Result<Option<Score>, Error> {
        Ok(match self {
            Key::Event(event) => EVENTS.score(read, Event::from(event), outpoint)?,
            Key::Spent(event) => SPENT.score(read, Event::from(event), outpoint)?,
            Key::Topic(topic) => TOPICS.score(read, Name::from(topic), outpoint)?,
            Key::Merkle(topic, state) => {
                MERKLE.score(read, (Name::from(topic), *state), outpoint)?
            }
            Key::SpentBy(spender) => SPENT_BY.score(read, TxidText(spender.0), outpoint)?,
        })
    }
}

/// How the sets of a query are joined. Members are compared, scores are not: an output may have
/// another score in each set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Join {
    /// Outputs in any of the sets, each once, with the score by which it comes first.
    #[default]
    Union,
    /// Outputs of the first set that are in all others, with their score in the first.
    Intersect,
    /// Outputs of the first set that are in none of the others.
    Difference,
}

/// What to look for.
///
/// ```
/// use keyscape_txo::{event, layout::txo::Txid, score, search::{Join, Key, Query}};
///
/// let of_transaction = Key::Event(event::txid(Txid([7; 32])));
/// let pepe = Key::Event(event::sym("PEPE")?);
/// let query = Query::of(of_transaction).and(pepe).joined(Join::Intersect)
///     .from(score::from_height(800_000)).unspent().reverse().limit(10);
/// assert_eq!(query.keys.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// The sets.
    pub keys: Vec<Key>,
    /// How they are joined.
    pub join: Join,
    /// The lowest score. Bounds are those of the sets that are scanned: all of a union, the first of
    /// an intersection or difference.
    pub from: Bound<Score>,
    /// The highest score.
    pub to: Bound<Score>,
    /// Highest scores first.
    pub reverse: bool,
    /// Without outputs that are spent. They do not count for the limit.
    pub unspent: bool,
    /// How many outputs at most, on all pages together: a cursor says how many of them are left.
    pub limit: Option<u64>,
    /// Where a page before ended.
    pub after: Option<Cursor>,
}

impl Query {
    /// All of one set.
    #[must_use]
    pub fn of(key: Key) -> Query {
        Query {
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

    /// With one more set.
    #[must_use]
    pub fn and(mut self, key: Key) -> Query {
        self.keys.push(key);
        self
    }

    /// Joined in this way.
    #[must_use]
    pub fn joined(self, join: Join) -> Query {
        Query { join, ..self }
    }

    /// From this score on, included.
    #[must_use]
    pub fn from(self, score: Score) -> Query {
        Query { from: Bound::Included(score), ..self }
    }

    /// Up to this score, included.
    #[must_use]
    pub fn to(self, score: Score) -> Query {
        Query { to: Bound::Included(score), ..self }
    }

    /// Highest scores first.
    #[must_use]
    pub fn reverse(self) -> Query {
        Query { reverse: true, ..self }
    }

    /// Without outputs that are spent.
    #[must_use]
    pub fn unspent(self) -> Query {
        Query { unspent: true, ..self }
    }

    /// So many outputs at most.
    #[must_use]
    pub fn limit(self, outputs: u64) -> Query {
        Query { limit: Some(outputs), ..self }
    }

    /// Behind the last output of a page.
    #[must_use]
    pub fn after(self, cursor: Cursor) -> Query {
        Query { after: Some(cursor), ..self }
    }

    /// How many outputs the limit leaves: the one of the query, or what its cursor says is left of it.
    fn left(&self) -> Option<u64> {
        let after = self.after.and_then(|cursor| cursor.left);
        [self.limit, after].into_iter().flatten().min()
    }
}

/// An output that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Which one.
    pub outpoint: Outpoint,
    /// Its score in the set in which it was found.
    pub score: Score,
}

/// Outputs and where the next page begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// The outputs.
    pub hits: Vec<Hit>,
    /// The cursor for [`Query::after`]; `None` if there are no more.
    pub next: Option<Cursor>,
}

/// Looks for outputs, one at a time: sets are read as far as it takes, and what is held in memory
/// does not grow with them.
///
/// # Errors
/// [`Error::NoKeys`]; [`Error::ForeignCursor`].
pub fn search<'t, R: Read>(read: &'t R, query: &'t Query) -> Result<Results<'t, R>, Error> {
    Results::new(read, query)
}

/// The first outputs of a query, up to `size`, and where the next page begins, if there is one. A page
/// of size 0 has one output. The limit of a query is that of all its pages together.
///
/// ```
/// # use keyscape::store::{Db, Layout, Memory};
/// # use keyscape_txo::layout::txo;
/// use keyscape_txo::{
///     error::Error,
///     event,
///     keeper::{NewOutput, save_output},
///     layout::txo::{Outpoint, Txid},
///     score,
///     search::{Cursor, Key, Query, page},
/// };
///
/// # let db = Db::new(Memory::new(Layout::spaces_of(&[&txo::LAYOUT])?));
/// let txid = Txid([7; 32]);
/// db.write(|tx| {
///     for vout in 0..9 {
///         save_output(tx, &NewOutput::new(Outpoint { txid, vout }, 1, score::seen(1)))?;
///     }
///     Ok::<(), Error>(())
/// })?;
///
/// let (state, query) = (db.read()?, Query::of(Key::Event(event::txid(txid))).limit(5));
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
pub fn page(read: &impl Read, query: &Query, size: usize) -> Result<Page, Error> {
    let size = size.max(1);
    let mut page = Page::default();
    for hit in search(read, query)? {
        let hit = hit?;
        if page.hits.len() == size {
            let left = query.left().map(|left| left.saturating_sub(size as u64));
            page.next = page.hits.last().map(|last| Cursor::behind(*last, query.reverse, left));
            break;
        }
        page.hits.push(hit);
    }
    Ok(page)
}
