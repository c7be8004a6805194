//! Spends.

use super::{
    confirm,
    output::{events_of, score_of},
};
use crate::{
    error::Error,
    layout::txo::{
        Event, Outpoint, SPENDS_SPENDER, SPENT, SPENT_BY, Score, Spends, SpendsSpender, Txid,
        TxidText,
    },
    score,
    undo::{self, Recorder, RolledBack, bad, key_of},
};
use keyscape::{
    record::{self, Family, Kind},
    store::{KeyRange, Read, Rows, StoreId, Tx},
    traits::{Field, Keyspace},
};
use std::collections::BTreeSet;

/// The result of saving a spend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spend {
    /// Whether this transaction did not spend the output before.
    pub is_new: bool,
    /// Whether the output is known. If not, the spend is applied when the output is saved.
    pub output_is_known: bool,
    /// The rollback of the unconfirmed transaction that spent the output before; empty if there was
    /// none.
    pub replaced: RolledBack,
}

/// Records that a transaction spends an output, which need not be known. The spend gets the score
/// of the spending transaction, as an output does in [`save_output`](super::save_output). Saving it
/// again only updates the position of that transaction.
///
/// A confirmed spend replaces an unconfirmed one: the other transaction can never be confirmed, so
/// it is rolled back, with every transaction that depends on it.
///
/// ```
/// # use keyscape_txo::layout::txo;
/// use keyscape_txo::{
///     error::Error,
///     keeper::{save_spend, spender},
///     layout::txo::{Outpoint, Txid},
///     score,
/// };
///
/// # let db = keyscape::memory(&txo::LAYOUT)?;
/// let at = Outpoint { txid: Txid([1; 32]), vout: 0 };
/// let (first, second) = (Txid([2; 32]), Txid([3; 32]));
/// db.write(|tx| {
///     save_spend(tx, at, first, score::seen(5))?;
///     let spent = save_spend(tx, at, second, score::seen(6));
///     assert!(matches!(spent, Err(Error::AlreadySpent { .. })));
///     let spend = save_spend(tx, at, second, score::confirmed(850_000, 7))?;
///     assert_eq!(spend.replaced.transactions, [first]);
///     assert_eq!(spender(tx, at)?, Some(second));
///     Ok::<(), Error>(())
/// })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Error::AlreadySpent`] if another transaction spends it, and this one is unconfirmed or both
/// are confirmed; [`Error::OwnOutput`]; [`Error::Cycle`]; [`Error::UnconfirmedParent`] and
/// [`Error::SpendBeforeOutput`]; [`Error::Final`] if the given score would move a final
/// transaction.
pub fn save_spend(
    tx: &mut Tx<'_>,
    outpoint: Outpoint,
    spender: Txid,
    score: Score,
) -> Result<Spend, Error> {
    if outpoint.txid == spender {
        return Err(Error::OwnOutput(outpoint));
    }
    tx.attempt(|tx| {
        let score = confirm::settle(tx, spender, score)?;
        let known = self::spender(tx, outpoint)?;
        let mut replaced = RolledBack::default();
        if let Some(by) = known.filter(|by| *by != spender) {
            if score::position(score).is_none() || confirm::is_confirmed(tx, by)? {
                return Err(Error::AlreadySpent { outpoint, by, given: spender });
            }
            replaced = undo::rollback(tx, by)?;
            if replaced.transactions.contains(&spender) {
                return Err(Error::SpendBeforeOutput { parent: by, spender });
            }
        }
        confirm::check_follows(tx, outpoint.txid, spender, score)?;
        // Positions order confirmed transactions, so only unconfirmed ones can form a cycle.
        if score::position(score).is_none() && descends(tx, outpoint.txid, spender)? {
            return Err(Error::Cycle { outpoint, spender });
        }
        let mut unit = Recorder::begin(tx, "save_spend", spender);
        unit.field::<SpendsSpender>((), outpoint, Some(&spender.0))?;
        put_score(&mut unit, outpoint, spender, score)?;
        unit.finish()?;
        let output_is_known = score_of(tx, outpoint)?.is_some();
        Ok(Spend { is_new: known != Some(spender), output_is_known, replaced })
    })
}

/// Whether an unconfirmed transaction spends outputs of another one, transitively. Confirmed
/// transactions have no unconfirmed ancestors.
fn descends(read: &impl Read, txid: Txid, ancestor: Txid) -> Result<bool, Error> {
    // Most transactions are saved before their spenders: nothing descends from them.
    if spends_of(read, ancestor)?.next()?.is_none() {
        return Ok(false);
    }
    let mut work = vec![txid];
    let mut seen = BTreeSet::from([txid]);
    while let Some(current) = work.pop() {
        for (parent, score) in spent_by(read, current)? {
            if parent.txid == ancestor {
                return Ok(true);
            }
            if score::position(score).is_none() && seen.insert(parent.txid) {
                work.push(parent.txid);
            }
        }
    }
    Ok(false)
}

/// Writes the score of a spend, in the list of the spending transaction and under each event of the
/// output.
pub(super) fn put_score(
    unit: &mut Recorder<'_, '_>,
    outpoint: Outpoint,
    spender: Txid,
    score: Score,
) -> Result<Option<Score>, Error> {
    for event in events_of(unit.state(), outpoint)? {
        unit.score(&SPENT, &event, outpoint, Some(score))?;
    }
    unit.score(&SPENT_BY, TxidText(spender.0), outpoint, Some(score))
}

/// Lists a spend under the current events of its output. This is a unit of the spending
/// transaction: after its rollback, the output remains and is unspent.
pub(super) fn list_spend(
    tx: &mut Tx<'_>,
    outpoint: Outpoint,
    stale: &[Event<'static>],
    events: &BTreeSet<Event<'static>>,
) -> Result<Option<Txid>, Error> {
    let Some(spender) = spender(tx, outpoint)? else { return Ok(None) };
    let score = SPENT_BY.score(tx, TxidText(spender.0), outpoint)?;
    let mut unit = Recorder::begin(tx, "take_up_spend", spender);
    for event in stale {
        unit.score(&SPENT, event, outpoint, None)?;
    }
    for event in events {
        unit.score(&SPENT, event, outpoint, score)?;
    }
    unit.finish()?;
    Ok(Some(spender))
}

/// Returns the transaction that spends an output; `None` if it is unspent.
///
/// # Errors
/// If the store fails.
pub fn spender(read: &impl Read, outpoint: Outpoint) -> Result<Option<Txid>, Error> {
    Ok(SPENDS_SPENDER.get(read, (), outpoint)?)
}

/// Returns the transactions that spend outputs of a transaction, even of unknown outputs, in order
/// of the outputs.
///
/// # Errors
/// If the store fails or contains invalid values.
pub fn spenders_of(read: &impl Read, txid: Txid) -> Result<Vec<Txid>, Error> {
    let mut rows = spends_of(read, txid)?;
    let mut spenders = Vec::new();
    while let Some(row) = rows.next()? {
        spenders.push(Txid::decode(row.value).map_err(bad::<Spends>)?);
    }
    Ok(spenders)
}

/// Returns the rows of the spends of a transaction's outputs. A value is the spending transaction.
fn spends_of(read: &impl Read, txid: Txid) -> Result<Rows<'_>, Error> {
    // Fields are in byte order, and their bytes begin with the transaction.
    let mut prefix = Vec::new();
    record::begin(Kind::Hash, &key_of::<Spends>(&())?, Family::Field, &mut prefix);
    prefix.extend_from_slice(&txid.0);
    Ok(read.rows(StoreId::of(Spends::SPACE), KeyRange::prefix(&prefix))?)
}

/// Returns a transaction and, transitively, the transactions that spend outputs of one of them, if
/// `is_included` accepts them. A work list replaces recursion, because chains of transactions are
/// long.
pub(crate) fn with_descendants(
    read: &impl Read,
    txid: Txid,
    is_included: impl Fn(Txid) -> Result<bool, Error>,
) -> Result<Vec<Txid>, Error> {
    let mut order = vec![txid];
    let mut seen = BTreeSet::from([txid]);
    let mut next = 0;
    while let Some(current) = order.get(next).copied() {
        next += 1;
        for spender in spenders_of(read, current)? {
            if is_included(spender)? && seen.insert(spender) {
                order.push(spender);
            }
        }
    }
    Ok(order)
}

/// Returns the outputs that a transaction spends, with the score of each spend.
///
/// # Errors
/// If the store fails.
pub fn spent_by(read: &impl Read, spender: Txid) -> Result<Vec<(Outpoint, Score)>, Error> {
    let rows = SPENT_BY.members(TxidText(spender.0)).to_vec(read)?;
    Ok(rows.into_iter().map(|row| (row.member, row.score)).collect())
}
