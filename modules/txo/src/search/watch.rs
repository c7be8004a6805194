//! Notification of saved outputs.

use super::Key;
use crate::{
    error::Error,
    layout::txo::{EVENTS, MERKLE, Outpoint, SPENT, SPENT_BY, Score, TOPICS, TxidText},
};
use keyscape::{
    listings::{ListingChanges, Scored},
    store::Db,
};

/// A subscription to one set of outputs; see [`Key::watch`].
pub type Watch = keyscape::Watch<ListingChanges<Scored<Outpoint, Score>>>;

impl Key {
    /// Subscribes to the outputs that are saved in the set, without polling. If the subscription
    /// loses commits, search the set again.
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
    /// let changes = watch.next(Duration::from_secs(1))?.ok_or("nothing was saved")?;
    /// assert_eq!(changes.added[0].member, new.outpoint);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the engine has no subscriptions.
    pub fn watch(&self, db: &Db) -> Result<Watch, Error> {
        Ok(match self {
            Key::Event(event) => EVENTS.members(event).watch(db)?,
            Key::Spent(event) => SPENT.members(event).watch(db)?,
            Key::Topic(topic) => TOPICS.members(topic).watch(db)?,
            Key::Merkle(topic, state) => MERKLE.members((topic, *state)).watch(db)?,
            Key::SpentBy(spender) => SPENT_BY.members(TxidText(spender.0)).watch(db)?,
        })
    }
}
