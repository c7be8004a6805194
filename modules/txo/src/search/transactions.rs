//! Searches for whole transactions, in logs and in the applied transactions of topics.

use crate::{
    error::Error,
    layout::txo::{LogName, Logs, Name, Score, TopicTxs, Txid},
};
use keyscape::{Page, PageCursor, Zset, listings::Scored, store::Read, traits::ZsetKeyspace};
use std::ops::Bound;

/// A sorted set of transactions.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TxKey {
    /// The transactions of a log.
    Log(LogName<'static>),
    /// The transactions that a topic has applied.
    Applied(Name<'static>),
}

/// A search for transactions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TxQuery {
    /// The set.
    pub key: TxKey,
    /// The lower bound of scores.
    pub from: Bound<Score>,
    /// The upper bound of scores.
    pub to: Bound<Score>,
    /// Whether the highest scores come first.
    pub reverse: bool,
    /// The end of the previous page.
    pub after: Option<PageCursor>,
}

impl TxQuery {
    /// Creates a query for all transactions of a set.
    #[must_use]
    pub fn of(key: TxKey) -> TxQuery {
        let (from, to) = (Bound::Unbounded, Bound::Unbounded);
        TxQuery { key, from, to, reverse: false, after: None }
    }

    /// Sets the lowest score, included.
    #[must_use]
    pub fn from(self, score: Score) -> TxQuery {
        TxQuery { from: Bound::Included(score), ..self }
    }

    /// Sets the highest score, included.
    #[must_use]
    pub fn to(self, score: Score) -> TxQuery {
        TxQuery { to: Bound::Included(score), ..self }
    }

    /// Reverses the order: highest scores first.
    #[must_use]
    pub fn reverse(self) -> TxQuery {
        TxQuery { reverse: true, ..self }
    }
}

/// Returns the first `size` transactions of a query, at least one, and the cursor of the next page.
///
/// ```
/// # use keyscape_txo::layout::txo;
/// use keyscape_txo::{
///     keeper::log,
///     layout::txo::{LogName, Txid},
///     score,
///     search::{TxKey, TxQuery, transactions},
/// };
///
/// # let db = keyscape::memory(&txo::LAYOUT)?;
/// let name = LogName::new("tx:pending")?;
/// db.write(|tx| {
///     (1..=3).try_for_each(|n| log(tx, &name, Txid([n; 32]), score::seen(n.into())).map(drop))
/// })?;
/// let query = TxQuery::of(TxKey::Log(name)).to(score::seen(2)).reverse();
/// let page = transactions(&db.read()?, &query, 1)?;
/// assert_eq!(page.rows[0].member, Txid([2; 32]));
/// assert!(page.next.is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the cursor belongs to another search, or the store fails.
pub fn transactions(
    read: &impl Read,
    query: &TxQuery,
    size: usize,
) -> Result<Page<Scored<Txid, Score>>, Error> {
    match &query.key {
        TxKey::Log(log) => page::<Logs>(read, LogName::from(log).into(), query, size),
        TxKey::Applied(topic) => page::<TopicTxs>(read, Name::from(topic).into(), query, size),
    }
}

fn page<K: ZsetKeyspace<Score = Score, Member = Txid>>(
    read: &impl Read,
    key: K::Key<'_>,
    query: &TxQuery,
    size: usize,
) -> Result<Page<Scored<Txid, Score>>, Error> {
    let mut members = Zset::<K>::new().members(key).range((query.from, query.to));
    if query.reverse {
        members = members.reverse();
    }
    if let Some(cursor) = &query.after {
        members = members.after(cursor);
    }
    Ok(members.page(read, size)?)
}
