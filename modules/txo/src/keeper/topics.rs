//! Topics: admitted outputs and applied transactions.

use super::{confirm, merkle, output};
use crate::{
    error::Error,
    layout::txo::{
        Listed, Listing, Name, OUTPUT_DEPS, OUTPUT_INPUTS, Outpoint, OutputDeps, OutputInputs,
        Score, TOPIC_TXS, TOPICS, TopicTxs, Txid, TxidText,
    },
    undo::{Cell, Recorder, Space},
    values::{pack, unpack},
};
use keyscape::store::{Read, Tx};

/// The data of a topic about an admitted output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Admission {
    /// The consumed outputs.
    pub inputs: Vec<Outpoint>,
    /// The transactions that must be applied first.
    pub deps: Vec<Txid>,
}

/// Admits an output to a topic, with the output's own score. Admitting it again replaces the data.
/// Returns whether it is new.
///
/// # Errors
/// [`Error::UnknownOutput`].
pub fn admit(
    tx: &mut Tx<'_>,
    topic: &Name<'_>,
    outpoint: Outpoint,
    admission: &Admission,
) -> Result<bool, Error> {
    tx.attempt(|tx| {
        let score = output::score_of(tx, outpoint)?.ok_or(Error::UnknownOutput(outpoint))?;
        let mut unit = Recorder::begin(tx, "admit", outpoint.txid);
        let before = unit.score(Cell::topic(topic, outpoint)?, Some(score))?;
        // The field exists for each topic, even without inputs, because it lists the topics of an
        // output.
        unit.set(inputs_cell(topic, outpoint)?, Some(&pack(&admission.inputs)))?;
        let deps = (!admission.deps.is_empty()).then(|| pack(&admission.deps));
        unit.set(deps_cell(topic, outpoint)?, deps.as_deref())?;
        unit.finish()?;
        Ok(before.is_none())
    })
}

/// Removes an output from a topic, from its merkle state, and deletes the topic's data about it.
/// Returns whether it was a member.
///
/// # Errors
/// If the store fails.
pub fn remove_from_topic(
    tx: &mut Tx<'_>,
    topic: &Name<'_>,
    outpoint: Outpoint,
) -> Result<bool, Error> {
    tx.attempt(|tx| {
        let state = merkle::merkle_state(tx, topic, outpoint)?;
        let mut unit = Recorder::begin(tx, "remove_from_topic", outpoint.txid);
        let before = unit.score(Cell::topic(topic, outpoint)?, None)?;
        unit.set(inputs_cell(topic, outpoint)?, None)?;
        unit.set(deps_cell(topic, outpoint)?, None)?;
        if let Some(state) = state {
            unit.score(Cell::merkle(topic, state, outpoint)?, None)?;
        }
        unit.finish()?;
        Ok(before.is_some())
    })
}

/// Records that a topic has applied a transaction, which gets its score as an output does in
/// [`save_output`](super::save_output). Returns whether it is new.
///
/// # Errors
/// If the store fails.
pub fn apply(tx: &mut Tx<'_>, topic: &Name<'_>, txid: Txid, score: Score) -> Result<bool, Error> {
    tx.attempt(|tx| {
        let score = confirm::settle(tx, txid, score)?;
        let mut unit = Recorder::begin(tx, "apply", txid);
        let before = unit.score(applied_cell(topic, txid)?, Some(score))?;
        unit.set(listing_cell(&Listing::Topic { topic: topic.into() }, txid)?, Some(&[]))?;
        unit.finish()?;
        Ok(before.is_none())
    })
}

/// Removes the record that a topic has applied a transaction. Returns whether it existed.
///
/// # Errors
/// If the store fails.
pub fn unapply(tx: &mut Tx<'_>, topic: &Name<'_>, txid: Txid) -> Result<bool, Error> {
    tx.attempt(|tx| {
        let mut unit = Recorder::begin(tx, "unapply", txid);
        let before = unit.score(applied_cell(topic, txid)?, None)?;
        unit.set(listing_cell(&Listing::Topic { topic: topic.into() }, txid)?, None)?;
        unit.finish()?;
        Ok(before.is_some())
    })
}

/// Returns the score of an applied transaction in a topic; `None` if the topic has not applied it.
///
/// # Errors
/// If the store fails.
pub fn applied(read: &impl Read, topic: &Name<'_>, txid: Txid) -> Result<Option<Score>, Error> {
    Ok(TOPIC_TXS.score(read, Name::from(topic), txid)?)
}

/// Returns the number of outputs in a topic. The count is stored, so this reads one row.
///
/// # Errors
/// If the store fails.
pub fn topic_count(read: &impl Read, topic: &Name<'_>) -> Result<u64, Error> {
    Ok(TOPICS.count(read, Name::from(topic))?)
}

/// Returns the data of a topic about an output; `None` if the topic has not admitted it.
///
/// # Errors
/// If the store fails or contains invalid values.
pub fn admission(
    read: &impl Read,
    topic: &Name<'_>,
    outpoint: Outpoint,
) -> Result<Option<Admission>, Error> {
    let Some(inputs) = OUTPUT_INPUTS.get(read, outpoint, Name::from(topic))? else {
        return Ok(None);
    };
    let deps = OUTPUT_DEPS.get(read, outpoint, Name::from(topic))?.unwrap_or_default();
    let corrupt = |what| {
        move || Error::Corrupt { what, outpoint, why: "its length is that of no list".to_owned() }
    };
    Ok(Some(Admission {
        inputs: unpack(&inputs).ok_or_else(corrupt("the inputs"))?,
        deps: unpack(&deps).ok_or_else(corrupt("the dependencies"))?,
    }))
}

/// Returns the topics that have admitted an output, in order of their names.
///
/// # Errors
/// If the store fails.
pub fn topics_of(read: &impl Read, outpoint: Outpoint) -> Result<Vec<Name<'static>>, Error> {
    let rows = OUTPUT_INPUTS.all(outpoint).to_vec(read)?;
    Ok(rows.into_iter().map(|row| row.field.topic).collect())
}

/// Writes the score of an output in each topic that has admitted it, and in its merkle state there.
pub(super) fn place(
    unit: &mut Recorder<'_, '_>,
    outpoint: Outpoint,
    score: Score,
) -> Result<(), Error> {
    for topic in topics_of(unit.state(), outpoint)? {
        unit.score(Cell::topic(&topic, outpoint)?, Some(score))?;
        if let Some(state) = merkle::merkle_state(unit.state(), &topic, outpoint)? {
            unit.score(Cell::merkle(&topic, state, outpoint)?, Some(score))?;
        }
    }
    Ok(())
}

pub(super) fn applied_cell(topic: &Name<'_>, txid: Txid) -> Result<Cell, Error> {
    Cell::new::<TopicTxs, Txid>(Space::TopicTxs, &Name::from(topic).into(), &txid)
}

/// Returns the row that records a listing of a whole transaction.
pub(super) fn listing_cell(listing: &Listing<'_>, txid: Txid) -> Result<Cell, Error> {
    Cell::new::<Listed, Listing<'static>>(Space::Listed, &TxidText(txid.0).into(), listing)
}

fn inputs_cell(topic: &Name<'_>, outpoint: Outpoint) -> Result<Cell, Error> {
    Cell::output::<OutputInputs>(outpoint, &Name::from(topic).into())
}

fn deps_cell(topic: &Name<'_>, outpoint: Outpoint) -> Result<Cell, Error> {
    Cell::output::<OutputDeps>(outpoint, &Name::from(topic).into())
}
