//! The merkle state of a topic's output: the state of the proof that its transaction is in a block.
//!
//! An admitted output is [`UNMINED`] or [`VALIDATED`]. Confirming its transaction makes it
//! validated, and removing the transaction from its block makes it unmined. A program can set the
//! other states, and its own states above [`IMMUTABLE`], which confirmation does not change.

use super::output::score_of;
use crate::{
    error::Error,
    layout::txo::{MERKLE, Name, Outpoint, Score, TOPICS},
    score,
    undo::Recorder,
};
use keyscape::store::{Read, Tx};

/// The state of an output that is not in a block.
pub const UNMINED: u32 = 0;
/// The state of an output with a valid proof.
pub const VALIDATED: u32 = 1;
/// The state of an output with an invalid proof.
pub const INVALIDATED: u32 = 2;
/// The state of an output in a block that is too deep to be replaced.
pub const IMMUTABLE: u32 = 3;

/// Returns why an output with a score cannot be in a state.
pub(crate) fn contradiction(score: Score, state: u32) -> Option<&'static str> {
    match (score::position(score), state) {
        (None, VALIDATED | IMMUTABLE) => Some("is not confirmed"),
        (Some(_), UNMINED) => Some("is confirmed"),
        _ => None,
    }
}

/// Moves an output of a topic to the merkle state that its score implies, with that score.
pub(super) fn follow(
    unit: &mut Recorder<'_, '_>,
    topic: &Name<'_>,
    outpoint: Outpoint,
    score: Score,
) -> Result<(), Error> {
    let before = merkle_state(unit.state(), topic, outpoint)?;
    let state = match (score::position(score), before) {
        (_, Some(state)) if state > IMMUTABLE => state,
        (Some(_), Some(state @ (VALIDATED | IMMUTABLE))) => state,
        (Some(_), _) => VALIDATED,
        (None, _) => UNMINED,
    };
    put_state(unit, topic, outpoint, (before, state), score)
}

/// Moves an output of a topic from a merkle state to another one.
fn put_state(
    unit: &mut Recorder<'_, '_>,
    topic: &Name<'_>,
    outpoint: Outpoint,
    (before, after): (Option<u32>, u32),
    score: Score,
) -> Result<(), Error> {
    if let Some(before) = before.filter(|before| *before != after) {
        unit.score(&MERKLE, (topic, before), outpoint, None)?;
    }
    unit.score(&MERKLE, (topic, after), outpoint, Some(score))?;
    Ok(())
}

/// Moves an output of a topic to a merkle state, with the output's own score, and returns the
/// previous state. An output has at most one state in a topic.
///
/// # Errors
/// [`Error::NotInTopic`]; [`Error::MerkleState`] if the state contradicts the score of the output.
pub fn set_merkle_state(
    tx: &mut Tx<'_>,
    topic: &Name<'_>,
    outpoint: Outpoint,
    state: u32,
) -> Result<Option<u32>, Error> {
    tx.attempt(|tx| {
        if TOPICS.score(tx, topic, outpoint)?.is_none() {
            return Err(Error::NotInTopic { topic: topic.as_str().to_owned(), outpoint });
        }
        let score = score_of(tx, outpoint)?.ok_or(Error::UnknownOutput(outpoint))?;
        if let Some(why) = contradiction(score, state) {
            return Err(Error::MerkleState { outpoint, state, why });
        }
        let before = merkle_state(tx, topic, outpoint)?;
        let mut unit = Recorder::begin(tx, "set_merkle_state", outpoint.txid);
        put_state(&mut unit, topic, outpoint, (before, state), score)?;
        unit.finish()?;
        Ok(before)
    })
}

/// Moves an output of a topic to the merkle state that its score implies, [`VALIDATED`] or
/// [`UNMINED`], and returns the previous state. An admitted output always has a state.
///
/// # Errors
/// As [`set_merkle_state`]; [`Error::UnknownOutput`].
pub fn reset_merkle_state(
    tx: &mut Tx<'_>,
    topic: &Name<'_>,
    outpoint: Outpoint,
) -> Result<Option<u32>, Error> {
    let score = score_of(tx, outpoint)?.ok_or(Error::UnknownOutput(outpoint))?;
    let state = if score::position(score).is_some() { VALIDATED } else { UNMINED };
    set_merkle_state(tx, topic, outpoint, state)
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
    Ok(merkle_entry(read, topic, outpoint)?.map(|(state, _)| state))
}

/// Returns the merkle state of a topic's output, and the score of the output there.
pub(crate) fn merkle_entry(
    read: &impl Read,
    topic: &Name<'_>,
    outpoint: Outpoint,
) -> Result<Option<(u32, Score)>, Error> {
    for state in merkle_states(read, topic)? {
        if let Some(score) = MERKLE.score(read, (topic, state), outpoint)? {
            return Ok(Some((state, score)));
        }
    }
    Ok(None)
}

/// Returns the merkle states of a topic that contain outputs.
///
/// # Errors
/// If the store fails.
pub fn merkle_states(read: &impl Read, topic: &Name<'_>) -> Result<Vec<u32>, Error> {
    let keys = MERKLE.prefix_topic(topic).structures(read)?;
    keys.map(|key| Ok(key?.state)).collect()
}
