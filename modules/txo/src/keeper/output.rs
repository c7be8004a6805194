//! Outputs and their events.

use super::{confirm, spend, topics};
use crate::{
    error::{Dotted, Error},
    event,
    layout::txo::{
        Address, EVENTS, Event, MerkleState, Name, OUTPUT, OUTPUT_DATA, OUTPUT_EVENTS, Outpoint,
        OutputData, OutputEvents, OutputMerkle, SATOSHIS_AMOUNT, SatoshisAmount, Score, Txid,
    },
    score, symbol,
    undo::{Recorder, bytes_of},
};
use keyscape::store::{Read, Tx};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// An output to save.
#[derive(Clone, Debug, PartialEq)]
pub struct NewOutput {
    /// The outpoint.
    pub outpoint: Outpoint,
    /// The amount.
    pub satoshis: u64,
    /// The position of its transaction in the chain, or its arrival time.
    pub score: Score,
    /// The owners; each one adds an event `own:`.
    pub owners: Vec<Address<'static>>,
    /// Further events. The event `txid:` is always added.
    pub events: Vec<NewEvent>,
    /// Data of parsers, by tag. Tags are any text, see [`symbol`].
    pub data: Vec<(String, Value)>,
}

impl NewOutput {
    /// Creates an output without owners, further events or data.
    #[must_use]
    pub fn new(outpoint: Outpoint, satoshis: u64, score: Score) -> NewOutput {
        let (owners, events, data) = Default::default();
        NewOutput { outpoint, satoshis, score, owners, events, data }
    }
}

/// An event from a parser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NewEvent {
    /// An event built from its parts. It is rejected and reported if [`event::verify`] fails.
    Event(Event<'static>),
    /// The text of an event, such as `sym:` and any symbol. It is parsed by [`event::read`]; an
    /// invalid text is rejected and reported, and the rest is saved.
    Text(String),
}

impl From<Event<'static>> for NewEvent {
    fn from(event: Event<'static>) -> Self {
        NewEvent::Event(event)
    }
}

impl From<&str> for NewEvent {
    fn from(text: &str) -> Self {
        NewEvent::Text(text.to_owned())
    }
}

/// The result of saving an output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Saved {
    /// The events under which it is now listed.
    pub events: Vec<Event<'static>>,
    /// Events and tags that were rejected.
    pub rejected: Vec<Rejected>,
    /// Whether the output was unknown before.
    pub is_new: bool,
    /// The transaction that spends it, if the spend was saved first.
    pub spender: Option<Txid>,
}

/// A rejected event or tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejected {
    /// `event` or `tag`.
    pub what: &'static str,
    /// Its text.
    pub text: String,
    /// The reason.
    pub why: String,
}

/// Saves an output. If it is known, the given events and data replace the old ones, and stale
/// entries are deleted. Applies a spend that was saved first.
///
/// The output gets the score of its transaction, if that is known, unless a position in the chain
/// is given: then the whole transaction moves there, as with [`confirm()`](super::confirm()). A
/// later arrival time moves nothing. Only [`unconfirm`](super::unconfirm) and rollbacks make a
/// transaction unconfirmed.
///
/// # Errors
/// [`Error::OtherAmount`] if it is known with another amount.
pub fn save_output(tx: &mut Tx<'_>, new: &NewOutput) -> Result<Saved, Error> {
    let outpoint = new.outpoint;
    let (mut events, data, rejected) = parse(&new.events, &new.data);
    events.insert(event::txid(outpoint.txid));
    events.extend(new.owners.iter().cloned().map(|owner| Event::Own { owner }));
    tx.attempt(|tx| {
        let stored = SATOSHIS_AMOUNT.get(tx, (), outpoint)?;
        if let Some(stored) = stored.filter(|stored| *stored != new.satoshis) {
            return Err(Error::OtherAmount { outpoint, stored, given: new.satoshis });
        }
        let score = confirm::settle(tx, outpoint.txid, new.score)?;
        let mut unit = Recorder::begin(tx, "save_output", outpoint.txid);
        let satoshis = new.satoshis.to_be_bytes();
        unit.field::<SatoshisAmount>((), outpoint, Some(&satoshis))?;
        let stale = list(&mut unit, outpoint, &events, score)?;
        put_score(&mut unit, outpoint, score)?;
        let tags = OUTPUT_DATA.all(outpoint).to_vec(unit.state())?;
        for tag in tags.into_iter().map(|row| row.field.tag) {
            if !data.contains_key(&tag) {
                unit.field::<OutputData>(outpoint, tag, None)?;
            }
        }
        put_data(&mut unit, outpoint, &data)?;
        unit.finish()?;
        let spender = spend::list_spend(tx, outpoint, &stale, &events)?;
        let events = events.into_iter().collect();
        Ok(Saved { events, rejected, is_new: stored.is_none(), spender })
    })
}

/// Adds events and data to a known output, and keeps the existing ones.
///
/// # Errors
/// [`Error::UnknownOutput`].
pub fn add_events(
    tx: &mut Tx<'_>,
    outpoint: Outpoint,
    found: &[NewEvent],
    data: &[(String, Value)],
) -> Result<Saved, Error> {
    let (mut events, data, rejected) = parse(found, data);
    tx.attempt(|tx| {
        let score = score_of(tx, outpoint)?.ok_or(Error::UnknownOutput(outpoint))?;
        events.extend(events_of(tx, outpoint)?);
        let mut unit = Recorder::begin(tx, "add_events", outpoint.txid);
        list(&mut unit, outpoint, &events, score)?;
        put_data(&mut unit, outpoint, &data)?;
        unit.finish()?;
        let spender = spend::list_spend(tx, outpoint, &[], &events)?;
        Ok(Saved { events: events.into_iter().collect(), rejected, is_new: false, spender })
    })
}

type Tags = BTreeMap<Name<'static>, Value>;

/// Parses the events and the tags of a parser, and collects those that are rejected.
fn parse(
    found: &[NewEvent],
    data: &[(String, Value)],
) -> (BTreeSet<Event<'static>>, Tags, Vec<Rejected>) {
    let (mut events, mut tags, mut rejected) = (BTreeSet::new(), Tags::new(), Vec::new());
    for found in found {
        let (text, event) = match found {
            NewEvent::Event(event) => (event::print(event), event::verify(event.clone())),
            NewEvent::Text(text) => (text.clone(), event::read(text)),
        };
        match event {
            Ok(event) => drop(events.insert(event)),
            Err(why) => rejected.push(Rejected { what: "event", text, why: why.to_string() }),
        }
    }
    for (tag, value) in data {
        match symbol::escape(tag) {
            Ok(name) => drop(tags.insert(name, value.clone())),
            Err(why) => {
                rejected.push(Rejected { what: "tag", text: tag.clone(), why: why.to_string() });
            }
        }
    }
    (events, tags, rejected)
}

/// Writes the list of events and an entry for each, and returns the events that are no longer
/// listed.
fn list(
    unit: &mut Recorder<'_, '_>,
    outpoint: Outpoint,
    events: &BTreeSet<Event<'static>>,
    score: Score,
) -> Result<Vec<Event<'static>>, Error> {
    let mut stale = events_of(unit.state(), outpoint)?;
    stale.retain(|event| !events.contains(event));
    for event in &stale {
        unit.score(&EVENTS, event, outpoint, None)?;
    }
    for event in events {
        unit.score(&EVENTS, event, outpoint, Some(score))?;
    }
    let texts: Vec<Value> = events.iter().map(|event| event::print(event).into()).collect();
    unit.field::<OutputEvents>(outpoint, (), Some(Value::from(texts).to_string().as_bytes()))?;
    Ok(stale)
}

fn put_data(unit: &mut Recorder<'_, '_>, outpoint: Outpoint, data: &Tags) -> Result<(), Error> {
    for (tag, value) in data {
        unit.field::<OutputData>(outpoint, Name::from(tag), Some(value.to_string().as_bytes()))?;
    }
    Ok(())
}

/// Writes the score of an output in every set that contains its outpoint, except sets of spends,
/// and its block.
pub(super) fn put_score(
    unit: &mut Recorder<'_, '_>,
    outpoint: Outpoint,
    score: Score,
) -> Result<(), Error> {
    for event in events_of(unit.state(), outpoint)? {
        unit.score(&EVENTS, &event, outpoint, Some(score))?;
    }
    topics::put_score(unit, outpoint, score)?;
    let merkle = score::position(score).map(|at| bytes_of::<MerkleState>(&at)).transpose()?;
    unit.field::<OutputMerkle>(outpoint, (), merkle.as_deref())
}

/// A stored output.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredOutput {
    /// The outpoint.
    pub outpoint: Outpoint,
    /// The amount.
    pub satoshis: u64,
    /// Its position in the chain, or its arrival time.
    pub score: Score,
    /// The events under which it is listed.
    pub events: Vec<Event<'static>>,
    /// Data of parsers, by tag; see [`symbol::unescape`].
    pub data: Vec<(Name<'static>, Value)>,
    /// The transaction that spends it.
    pub spender: Option<Txid>,
}

/// Returns a stored output.
///
/// # Errors
/// If the store fails or contains invalid values.
pub fn output(read: &impl Read, outpoint: Outpoint) -> Result<Option<StoredOutput>, Error> {
    let Some(score) = score_of(read, outpoint)? else { return Ok(None) };
    let data = OUTPUT_DATA.all(outpoint).to_vec(read)?;
    Ok(Some(StoredOutput {
        outpoint,
        satoshis: SATOSHIS_AMOUNT.get(read, (), outpoint)?.unwrap_or_default(),
        score,
        events: events_of(read, outpoint)?,
        data: data.into_iter().map(|row| (row.field.tag, row.value)).collect(),
        spender: spend::spender(read, outpoint)?,
    }))
}

/// Returns the known outputs of a transaction, by index.
///
/// # Errors
/// If the store fails.
pub fn outputs_of(read: &impl Read, txid: Txid) -> Result<Vec<Outpoint>, Error> {
    let keys = OUTPUT.prefix_outpoint_txid(txid).structures(read)?;
    keys.map(|key| Ok(key?.outpoint)).collect()
}

/// Returns the score of an output: its position in the chain, or its arrival time.
///
/// # Errors
/// If the store fails.
pub fn score_of(read: &impl Read, outpoint: Outpoint) -> Result<Option<Score>, Error> {
    Ok(EVENTS.score(read, event::txid(outpoint.txid), outpoint)?)
}

/// Returns the events of an output; empty if it is unknown.
///
/// # Errors
/// [`Error::Corrupt`] if the stored list is invalid.
pub fn events_of(read: &impl Read, outpoint: Outpoint) -> Result<Vec<Event<'static>>, Error> {
    let corrupt =
        |why: String| Error::corrupt(format_args!("the events of {}", Dotted(outpoint)), why);
    match OUTPUT_EVENTS.get(read, outpoint, ())? {
        None => Ok(Vec::new()),
        Some(Value::Array(texts)) => texts
            .iter()
            .map(|text| {
                let text = text.as_str().ok_or_else(|| corrupt(format!("{text} is no text")))?;
                event::parse(text).map_err(|why| corrupt(format!("`{text}`: {why}")))
            })
            .collect(),
        Some(other) => Err(corrupt(format!("{other} is no list"))),
    }
}
