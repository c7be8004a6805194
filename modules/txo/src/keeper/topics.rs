//! Topics: admitted outputs and applied transactions.

use super::{merkle, output, transactions};
use crate::{
    error::{Dotted, Error},
    layout::txo::{
        ADMITTED, DEPENDENTS, Dependent, Listing, MERKLE, Name, OUTPUT_DEPS, OUTPUT_INPUTS,
        Outpoint, OutputDeps, OutputInputs, Score, TOPIC_TXS, TOPICS, Txid, TxidText,
    },
    undo::Recorder,
    values::{OUTPOINT, TXID, pack, unpack},
};
use keyscape::store::{Read, Tx};
use std::collections::BTreeSet;

/// The data of a topic about an admitted output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Admission {
    /// The consumed outputs.
    pub inputs: Vec<Outpoint>,
    /// The transactions that must be applied first.
    pub deps: Vec<Txid>,
}

impl Admission {
    /// Returns the transactions that the output needs: its dependencies, and those whose outputs it
    /// consumes.
    fn needs(&self) -> BTreeSet<Txid> {
        self.deps.iter().copied().chain(self.inputs.iter().map(|input| input.txid)).collect()
    }
}

/// Admits an output to a topic, with the output's own score. Admitting it again replaces the data.
/// Returns whether it is new.
///
/// # Errors
/// [`Error::UnknownOutput`]; if the topic has applied the transaction of the output,
/// [`Error::NotReady`] and [`Error::MissingInput`] as in [`apply`].
pub fn admit(
    tx: &mut Tx<'_>,
    topic: &Name<'_>,
    outpoint: Outpoint,
    admission: &Admission,
) -> Result<bool, Error> {
    tx.attempt(|tx| {
        let score = output::score_of(tx, outpoint)?.ok_or(Error::UnknownOutput(outpoint))?;
        let stale = self::admission(tx, topic, outpoint)?.unwrap_or_default().needs();
        let needs = admission.needs();
        let mut unit = Recorder::begin(tx, "admit", outpoint.txid);
        let before = unit.score(&TOPICS, topic, outpoint, Some(score))?;
        unit.member(&ADMITTED, outpoint, topic, true)?;
        put_data(&mut unit, topic, outpoint, admission)?;
        for txid in stale.difference(&needs) {
            put_dependent(&mut unit, *txid, topic, outpoint, false)?;
        }
        for txid in &needs {
            put_dependent(&mut unit, *txid, topic, outpoint, true)?;
        }
        merkle::follow(&mut unit, topic, outpoint, score)?;
        unit.finish()?;
        if applied(tx, topic, outpoint.txid)?.is_some() {
            check_ready(tx, topic, outpoint.txid)?;
        }
        Ok(before.is_none())
    })
}

/// Removes an output from a topic, from its merkle state, and deletes the topic's data about it.
/// Returns whether it was a member.
///
/// # Errors
/// [`Error::Needed`] if the topic has applied a transaction that consumes the output.
pub fn remove_from_topic(
    tx: &mut Tx<'_>,
    topic: &Name<'_>,
    outpoint: Outpoint,
) -> Result<bool, Error> {
    check_not_needed(tx, topic, outpoint.txid, |own| own.inputs.contains(&outpoint))?;
    remove_released(tx, topic, outpoint)
}

/// Removes an output from a topic, even if others consume it.
pub(crate) fn remove_released(
    tx: &mut Tx<'_>,
    topic: &Name<'_>,
    outpoint: Outpoint,
) -> Result<bool, Error> {
    tx.attempt(|tx| {
        let mut unit = Recorder::begin(tx, "remove_from_topic", outpoint.txid);
        let was_there = delete(&mut unit, topic, outpoint)?;
        unit.finish()?;
        Ok(was_there)
    })
}

/// Deletes all rows of a topic about an output. Returns whether it was a member.
pub(super) fn delete(
    unit: &mut Recorder<'_, '_>,
    topic: &Name<'_>,
    outpoint: Outpoint,
) -> Result<bool, Error> {
    let state = merkle::merkle_state(unit.state(), topic, outpoint)?;
    let needs = admission(unit.state(), topic, outpoint)?.unwrap_or_default().needs();
    let before = unit.score(&TOPICS, topic, outpoint, None)?;
    unit.member(&ADMITTED, outpoint, topic, false)?;
    put_data(unit, topic, outpoint, &Admission::default())?;
    if let Some(state) = state {
        unit.score(&MERKLE, (topic, state), outpoint, None)?;
    }
    for txid in needs {
        put_dependent(unit, txid, topic, outpoint, false)?;
    }
    Ok(before.is_some())
}

/// Writes the data of a topic about an output. An empty list has no field.
fn put_data(
    unit: &mut Recorder<'_, '_>,
    topic: &Name<'_>,
    outpoint: Outpoint,
    admission: &Admission,
) -> Result<(), Error> {
    let inputs = (!admission.inputs.is_empty()).then(|| pack(&admission.inputs)).transpose()?;
    unit.field::<OutputInputs>(outpoint, Name::from(topic), inputs.as_deref())?;
    let deps = (!admission.deps.is_empty()).then(|| pack(&admission.deps)).transpose()?;
    unit.field::<OutputDeps>(outpoint, Name::from(topic), deps.as_deref())
}

/// Adds an output to the dependents of a transaction, or removes it.
fn put_dependent(
    unit: &mut Recorder<'_, '_>,
    txid: Txid,
    topic: &Name<'_>,
    outpoint: Outpoint,
    is_dependent: bool,
) -> Result<(), Error> {
    let dependent = Dependent { topic: Name::from(topic), outpoint };
    unit.member(&DEPENDENTS, TxidText(txid.0), dependent, is_dependent)
}

/// Returns the dependencies of a transaction in a topic that the topic has not applied: the
/// transactions that its admitted outputs name, and those whose outputs they consume. The
/// transaction can be applied if there are none, and no [`missing_inputs`].
///
/// # Errors
/// If the store fails or contains invalid values.
pub fn missing_dependencies(
    read: &impl Read,
    topic: &Name<'_>,
    txid: Txid,
) -> Result<Vec<Txid>, Error> {
    let mut missing = BTreeSet::new();
    for admission in admissions(read, topic, txid)? {
        for needed in admission.needs() {
            if needed != txid && applied(read, topic, needed)?.is_none() {
                missing.insert(needed);
            }
        }
    }
    Ok(missing.into_iter().collect())
}

/// Returns the outputs that a transaction consumes in a topic and that the topic has not admitted.
///
/// # Errors
/// If the store fails or contains invalid values.
pub fn missing_inputs(
    read: &impl Read,
    topic: &Name<'_>,
    txid: Txid,
) -> Result<Vec<Outpoint>, Error> {
    let mut missing = BTreeSet::new();
    for input in admissions(read, topic, txid)?.into_iter().flat_map(|own| own.inputs) {
        if !ADMITTED.contains(read, input, topic)? {
            missing.insert(input);
        }
    }
    Ok(missing.into_iter().collect())
}

/// Returns the data of a topic about each admitted output of a transaction.
fn admissions(read: &impl Read, topic: &Name<'_>, txid: Txid) -> Result<Vec<Admission>, Error> {
    let outputs = output::outputs_of(read, txid)?.into_iter();
    outputs.filter_map(|outpoint| admission(read, topic, outpoint).transpose()).collect()
}

fn check_ready(read: &impl Read, topic: &Name<'_>, txid: Txid) -> Result<(), Error> {
    let name = || topic.as_str().to_owned();
    if let Some(missing) = missing_dependencies(read, topic, txid)?.first() {
        return Err(Error::NotReady { topic: name(), txid, missing: *missing });
    }
    match missing_inputs(read, topic, txid)?.first() {
        Some(input) => Err(Error::MissingInput { topic: name(), txid, input: *input }),
        None => Ok(()),
    }
}

/// Checks that the topic has applied no other transaction with an admitted output that needs a
/// transaction, as `needs` decides.
fn check_not_needed(
    read: &impl Read,
    topic: &Name<'_>,
    txid: Txid,
    needs: impl Fn(&Admission) -> bool,
) -> Result<(), Error> {
    for dependent in dependents_of(read, txid)? {
        let by = dependent.outpoint.txid;
        if dependent.topic == *topic
            && by != txid
            && admission(read, topic, dependent.outpoint)?.is_some_and(|own| needs(&own))
            && applied(read, topic, by)?.is_some()
        {
            return Err(Error::Needed { topic: topic.as_str().to_owned(), txid, by });
        }
    }
    Ok(())
}

/// Returns the admitted outputs that need a transaction: they name it as a dependency, or consume
/// one of its outputs.
///
/// # Errors
/// If the store fails.
pub fn dependents_of(read: &impl Read, txid: Txid) -> Result<Vec<Dependent<'static>>, Error> {
    Ok(DEPENDENTS.members(TxidText(txid.0)).to_vec(read)?)
}

/// Records that a topic has applied a transaction, which gets its score as an output does in
/// [`save_output`](super::save_output). Returns whether it is new.
///
/// # Errors
/// [`Error::NotReady`] if the topic has not applied a dependency or a transaction whose output is
/// consumed, [`Error::MissingInput`] if it has not admitted that output.
pub fn apply(tx: &mut Tx<'_>, topic: &Name<'_>, txid: Txid, score: Score) -> Result<bool, Error> {
    check_ready(tx, topic, txid)?;
    let listing = Listing::Topic { topic: topic.into() };
    Ok(transactions::set_listing(tx, "apply", &listing, txid, Some(score))?.is_none())
}

/// Removes the record that a topic has applied a transaction. Returns whether it existed.
///
/// # Errors
/// [`Error::Needed`] if an applied transaction depends on it or consumes one of its outputs.
pub fn unapply(tx: &mut Tx<'_>, topic: &Name<'_>, txid: Txid) -> Result<bool, Error> {
    check_not_needed(tx, topic, txid, |_| true)?;
    unapply_released(tx, topic, txid)
}

/// Removes the record that a topic has applied a transaction, even if others depend on it.
pub(crate) fn unapply_released(
    tx: &mut Tx<'_>,
    topic: &Name<'_>,
    txid: Txid,
) -> Result<bool, Error> {
    let listing = Listing::Topic { topic: topic.into() };
    Ok(transactions::set_listing(tx, "unapply", &listing, txid, None)?.is_some())
}

/// Returns the score of an applied transaction in a topic; `None` if the topic has not applied it.
///
/// # Errors
/// If the store fails.
pub fn applied(read: &impl Read, topic: &Name<'_>, txid: Txid) -> Result<Option<Score>, Error> {
    Ok(TOPIC_TXS.score(read, topic, txid)?)
}

/// Returns the number of outputs in a topic. The count is stored, so this reads one row.
///
/// # Errors
/// If the store fails.
pub fn topic_count(read: &impl Read, topic: &Name<'_>) -> Result<u64, Error> {
    Ok(TOPICS.count(read, topic)?)
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
    if !ADMITTED.contains(read, outpoint, topic)? {
        return Ok(None);
    }
    let inputs = OUTPUT_INPUTS.get(read, outpoint, topic)?.unwrap_or_default();
    let deps = OUTPUT_DEPS.get(read, outpoint, topic)?.unwrap_or_default();
    let corrupt = |what: &'static str| {
        move || {
            let place = format_args!("{what} of {}", Dotted(outpoint));
            Error::corrupt(place, "its length is not that of a list")
        }
    };
    Ok(Some(Admission {
        inputs: unpack(&inputs, OUTPOINT).ok_or_else(corrupt("the inputs"))?,
        deps: unpack(&deps, TXID).ok_or_else(corrupt("the dependencies"))?,
    }))
}

/// Returns the topics that have admitted an output, in order of their names.
///
/// # Errors
/// If the store fails.
pub fn topics_of(read: &impl Read, outpoint: Outpoint) -> Result<Vec<Name<'static>>, Error> {
    Ok(ADMITTED.members(outpoint).to_vec(read)?)
}

/// Returns the topics that have admitted outputs, with the number of outputs of each.
///
/// # Errors
/// If the store fails.
pub fn topics(read: &impl Read) -> Result<Vec<(Name<'static>, u64)>, Error> {
    let keys = TOPICS.prefix_all().structures(read)?;
    keys.map(|key| {
        let topic = key?.topic;
        let count = topic_count(read, &topic)?;
        Ok((topic, count))
    })
    .collect()
}

/// Writes the score of an output in each topic that has admitted it, and its merkle state there.
pub(super) fn put_score(
    unit: &mut Recorder<'_, '_>,
    outpoint: Outpoint,
    score: Score,
) -> Result<(), Error> {
    for topic in topics_of(unit.state(), outpoint)? {
        unit.score(&TOPICS, &topic, outpoint, Some(score))?;
        merkle::follow(unit, &topic, outpoint, score)?;
    }
    Ok(())
}
