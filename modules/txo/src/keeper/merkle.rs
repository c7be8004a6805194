//! The proof state of a topic's output. The program defines the meaning of the numbers.

use super::output::score_of;
use crate::{
    error::Error,
    layout::txo::{MERKLE, Name, Outpoint, TOPICS},
    undo::{Cell, Recorder},
};
use keyscape::store::{Read, Tx};

/// Moves an output of a topic to a merkle state, with the output's own score, and returns the
/// previous state. An output has at most one state in a topic.
///
/// # Errors
/// [`Error::NotInTopic`].
pub fn set_merkle_state(
    tx: &mut Tx<'_>,
    topic: &Name<'_>,
    outpoint: Outpoint,
    state: u32,
) -> Result<Option<u32>, Error> {
    tx.attempt(|tx| {
        let not_in = || Error::NotInTopic { topic: topic.as_str().to_owned(), outpoint };
        if TOPICS.score(tx, Name::from(topic), outpoint)?.is_none() {
            return Err(not_in());
        }
        let score = score_of(tx, outpoint)?.ok_or(Error::UnknownOutput(outpoint))?;
        let before = merkle_state(tx, topic, outpoint)?;
        let mut unit = Recorder::begin(tx, "set_merkle_state", outpoint.txid);
        if let Some(before) = before.filter(|before| *before != state) {
            unit.score(Cell::merkle(topic, before, outpoint)?, None)?;
        }
        unit.score(Cell::merkle(topic, state, outpoint)?, Some(score))?;
        unit.finish()?;
        Ok(before)
    })
}

/// Removes an output of a topic from its merkle state, and returns that state.
///
/// # Errors
/// If the store fails.
pub fn unset_merkle_state(
    tx: &mut Tx<'_>,
    topic: &Name<'_>,
    outpoint: Outpoint,
) -> Result<Option<u32>, Error> {
    tx.attempt(|tx| {
        let Some(before) = merkle_state(tx, topic, outpoint)? else { return Ok(None) };
        let mut unit = Recorder::begin(tx, "unset_merkle_state", outpoint.txid);
        unit.score(Cell::merkle(topic, before, outpoint)?, None)?;
        unit.finish()?;
        Ok(Some(before))
    })
}

/// Returns the merkle state of a topic's output. Looks into each state of the topic; there are few.
///
/// # Errors
/// If the store fails.
pub fn merkle_state(
    read: &impl Read,
    topic: &Name<'_>,
    outpoint: Outpoint,
) -> Result<Option<u32>, Error> {
    for state in merkle_states(read, topic)? {
        if MERKLE.score(read, (Name::from(topic), state), outpoint)?.is_some() {
            return Ok(Some(state));
        }
    }
    Ok(None)
}

/// Returns the merkle states of a topic that contain outputs.
///
/// # Errors
/// If the store fails.
pub fn merkle_states(read: &impl Read, topic: &Name<'_>) -> Result<Vec<u32>, Error> {
    let keys = MERKLE.prefix_topic(Name::from(topic)).structures(read)?.keys();
    keys.map(|key| Ok(key?.state)).collect()
}
