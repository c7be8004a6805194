//! Notification of saved outputs.

use super::{Hit, Key};
use crate::{
    error::Error,
    layout::txo::{EVENTS, MERKLE, Outpoint, SPENT, SPENT_BY, Score, TOPICS, TxidText},
};
use keyscape::{
    listings::{ListingChanges, Scored},
    store::{Db, Revision},
};
use std::time::Duration;

/// A subscription to one set of outputs; see [`Key::watch`].
#[derive(Debug)]
pub struct Watch(keyscape::Watch<ListingChanges<Scored<Outpoint, Score>>>);

/// The changes of a set in one commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrived {
    /// The revision of the state after the commit.
    pub revision: Revision,
    /// The outputs that were saved in the set, or that have a new score there, in order of score.
    pub hits: Vec<Hit>,
    /// The number of outputs that left the set, or their old score.
    pub removed: u64,
}

impl Key {
    /// Subscribes to the outputs that are saved in the set, without polling.
    ///
    /// ```
    /// # use keyscape_txo::layout::txo;
    /// use keyscape_txo::{
    ///     event,
    ///     keeper::{NewOutput, save_output},
    ///     layout::txo::{Outpoint, Txid},
    ///     score,
    ///     search::Key,
    /// };
    /// use std::time::Duration;
    ///
    /// # let db = keyscape::memory(&txo::LAYOUT)?;
    /// let watch = Key::Event(event::sym("PEPE")?).watch(&db)?;
    /// let mut new = NewOutput::new(Outpoint { txid: Txid([7; 32]), vout: 0 }, 1, score::seen(1));
    /// new.events.push("sym:PEPE".into());
    /// db.write(|tx| save_output(tx, &new))?;
    ///
    /// let arrived = watch.next(Duration::from_secs(1))?.ok_or("nothing was saved")?;
    /// assert_eq!(arrived.hits[0].outpoint, new.outpoint);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the engine has no subscriptions.
    pub fn watch(&self, db: &Db) -> Result<Watch, Error> {
        Ok(Watch(match self {
            Key::Event(event) => EVENTS.members(event).watch(db)?,
            Key::Spent(event) => SPENT.members(event).watch(db)?,
            Key::Topic(topic) => TOPICS.members(topic).watch(db)?,
            Key::Merkle(topic, state) => MERKLE.members((topic, *state)).watch(db)?,
            Key::SpentBy(spender) => SPENT_BY.members(TxidText(spender.0)).watch(db)?,
        }))
    }
}

impl Watch {
    /// Waits for the next commit that changes the set. Returns `None` if no commit changes it
    /// within `timeout`.
    ///
    /// # Errors
    /// As [`keyscape::Watch::next`]. If the subscription lost commits, search the set again.
    pub fn next(&self, timeout: Duration) -> Result<Option<Arrived>, Error> {
        let Some(changes) = self.0.next(timeout)? else { return Ok(None) };
        let hit = |row: Scored<Outpoint, Score>| Hit { outpoint: row.member, score: row.score };
        let hits = changes.added.into_iter().map(hit).collect();
        Ok(Some(Arrived { revision: changes.revision, hits, removed: changes.removed }))
    }
}
