//! Outputs and the events that list them.

use super::{confirm, spend, topics};
use crate::{
    error::Error,
    event,
    layout::txo::{
        Address, EVENTS, Event, MerkleState, Name, OUTPUT, OUTPUT_DATA, OUTPUT_EVENTS, Outpoint,
        OutputData, OutputEvents, OutputMerkle, SATOSHIS_AMOUNT, Satoshis, SatoshisAmount, Score,
        Txid,
    },
    score, symbol,
    undo::{Cell, Recorder, Space, bytes_of},
};
use keyscape::store::{Read, Tx};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// An output to be saved.
#[derive(Clone, Debug, PartialEq)]
pub struct NewOutput {
    /// Which one.
    pub outpoint: Outpoint,
    /// How much it holds.
    pub satoshis: u64,
    /// Where its transaction is, or when it was seen.
    pub score: Score,
    /// Who owns it; each owner is an event `own:`.
    pub owners: Vec<Address<'static>>,
    /// What else it is listed under. The event `txid:` is always there.
    pub events: Vec<Found>,
    /// What parsers found, by tag. Tags are any text, see [`symbol`].
    pub data: Vec<(String, Value)>,
}

impl NewOutput {
    /// An output without owners, further events or data.
    #[must_use]
    pub fn new(outpoint: Outpoint, satoshis: u64, score: Score) -> NewOutput {
        let (owners, events, data) = Default::default();
        NewOutput { outpoint, satoshis, score, owners, events, data }
    }
}

/// An event as a parser gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// One that is made of its parts. It is rejected and reported if [`event::verify`] refuses it.
    Event(Event<'static>),
    /// The text of one, such as `sym:` and whatever somebody called a token. It is read by
    /// [`event::read`]; what cannot be read is rejected and reported, and the rest is saved.
    Text(String),
}

impl From<Event<'static>> for Found {
    fn from(event: Event<'static>) -> Self {
        Found::Event(event)
    }
}

impl From<&str> for Found {
    fn from(text: &str) -> Self {
        Found::Text(text.to_owned())
    }
}

/// What saving an output did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Saved {
    /// The events that it is listed under now.
    pub events: Vec<Event<'static>>,
    /// What was left out because the keys cannot hold it.
    pub rejected: Vec<Rejected>,
    /// Whether the output was not known before.
    pub is_new: bool,
    /// The transaction that spends it, if it arrived first.
    pub spender: Option<Txid>,
}

/// Something that a parser found and that was left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejected {
    /// What it was: `event` or `tag`.
    pub what: &'static str,
    /// Its text.
    pub text: String,
    /// Why the keys cannot hold it.
    pub why: String,
}

/// Saves an output. If it is known, its events and data become those that are given, and entries
/// that are no longer right go. A spend that arrived first is taken up.
///
/// The output gets the score of its transaction, if anything is known of that, unless a place in the chain is
/// given: then all of the transaction moves there, as with [`confirm()`](super::confirm()). Being seen once
/// more moves nothing, and only [`unconfirm`](super::unconfirm) and rollbacks make a transaction unconfirmed.
///
/// # Errors
/// [`Error::OtherAmount`] if it is known with another number of satoshis.
pub fn save_output(tx: &mut Tx<'_>, new: &NewOutput) -> Result<Saved, Error> {
    let outpoint = new.outpoint;
    let (mut events, rejected_events) = read_events(&new.events);
    events.insert(event::txid(outpoint.txid));
    events.extend(new.owners.iter().cloned().map(event::own));
    let (data, rejected_tags) = read_tags(&new.data);
    tx.attempt(|tx| {
        let stored = SATOSHIS_AMOUNT.get(tx, (), outpoint)?;
        if let Some(stored) = stored.filter(|stored| *stored != new.satoshis) {
            return Err(Error::OtherAmount { outpoint, stored, given: new.satoshis });
        }
        let score = confirm::settle(tx, outpoint.txid, new.score)?;
        let mut unit = Recorder::begin(tx, "save_output", outpoint.txid);
        let sats = Cell::lookup::<Satoshis, SatoshisAmount>(Space::Satoshis, &outpoint.into())?;
        unit.set(sats, Some(&new.satoshis.to_be_bytes()))?;
        let stale = list(&mut unit, outpoint, &events, score)?;
        place(&mut unit, outpoint, score)?;
        let tags = OUTPUT_DATA.all(outpoint).to_vec(unit.state())?;
        for tag in tags.into_iter().map(|row| row.field.tag) {
            if !data.contains_key(&tag) {
                unit.set(Cell::output::<OutputData>(outpoint, &tag.into())?, None)?;
            }
        }
        put_data(&mut unit, outpoint, &data)?;
        unit.finish()?;
        let spender = spend::take_up(tx, outpoint, &stale, &events)?;
        Ok(Saved {
            events: events.into_iter().collect(),
            rejected: [rejected_events, rejected_tags].concat(),
            is_new: stored.is_none(),
            spender,
        })
    })
}

/// Adds events and data to an output that is known; what it has stays.
///
/// # Errors
/// [`Error::UnknownOutput`].
pub fn add_events(
    tx: &mut Tx<'_>,
    outpoint: Outpoint,
    found: &[Found],
    data: &[(String, Value)],
) -> Result<Saved, Error> {
    let (mut events, rejected_events) = read_events(found);
    let (data, rejected_tags) = read_tags(data);
    tx.attempt(|tx| {
        let score = score_of(tx, outpoint)?.ok_or(Error::UnknownOutput(outpoint))?;
        events.extend(events_of(tx, outpoint)?);
        let mut unit = Recorder::begin(tx, "add_events", outpoint.txid);
        list(&mut unit, outpoint, &events, score)?;
        put_data(&mut unit, outpoint, &data)?;
        unit.finish()?;
        let spender = spend::take_up(tx, outpoint, &[], &events)?;
        Ok(Saved {
            events: events.into_iter().collect(),
            rejected: [rejected_events, rejected_tags].concat(),
            is_new: false,
            spender,
        })
    })
}

fn read_events(found: &[Found]) -> (BTreeSet<Event<'static>>, Vec<Rejected>) {
    let (mut events, mut rejected) = (BTreeSet::new(), Vec::new());
    for found in found {
        let (text, event) = match found {
            Found::Event(event) => (event::print(event), event::verify(event.clone())),
            Found::Text(text) => (text.clone(), event::read(text)),
        };
        match event {
            Ok(event) => drop(events.insert(event)),
            Err(why) => rejected.push(Rejected { what: "event", text, why: why.to_string() }),
        }
    }
    (events, rejected)
}

type Tags = BTreeMap<Name<'static>, Value>;

fn read_tags(data: &[(String, Value)]) -> (Tags, Vec<Rejected>) {
    let (mut tags, mut rejected) = (Tags::new(), Vec::new());
    for (tag, value) in data {
        match symbol::escape(tag) {
            Ok(name) => drop(tags.insert(name, value.clone())),
            Err(why) => {
                rejected.push(Rejected { what: "tag", text: tag.clone(), why: why.to_string() });
            }
        }
    }
    (tags, rejected)
}

/// Writes the list of events and an entry for each, and returns those that are no longer listed.
fn list(
    unit: &mut Recorder<'_, '_>,
    outpoint: Outpoint,
    events: &BTreeSet<Event<'static>>,
    score: Score,
) -> Result<Vec<Event<'static>>, Error> {
    let mut stale = events_of(unit.state(), outpoint)?;
    stale.retain(|event| !events.contains(event));
    for event in &stale {
        unit.score(Cell::event(event, outpoint)?, None)?;
    }
    for event in events {
        unit.score(Cell::event(event, outpoint)?, Some(score))?;
    }
    let texts: Vec<Value> = events.iter().map(|event| event::print(event).into()).collect();
    let cell = Cell::output::<OutputEvents>(outpoint, &())?;
    unit.set(cell, Some(Value::from(texts).to_string().as_bytes()))?;
    Ok(stale)
}

fn put_data(unit: &mut Recorder<'_, '_>, outpoint: Outpoint, data: &Tags) -> Result<(), Error> {
    for (tag, value) in data {
        let cell = Cell::output::<OutputData>(outpoint, &Name::from(tag).into())?;
        unit.set(cell, Some(value.to_string().as_bytes()))?;
    }
    Ok(())
}

/// Gives an output its score in every set that has its outpoint as a member, apart from what spends
/// it, and the block that it is in.
pub(super) fn place(
    unit: &mut Recorder<'_, '_>,
    outpoint: Outpoint,
    score: Score,
) -> Result<(), Error> {
    for event in events_of(unit.state(), outpoint)? {
        unit.score(Cell::event(&event, outpoint)?, Some(score))?;
    }
    topics::place(unit, outpoint, score)?;
    let merkle = score::place(score).map(|at| bytes_of::<MerkleState>(&at)).transpose()?;
    unit.set(Cell::output::<OutputMerkle>(outpoint, &())?, merkle.as_deref())?;
    Ok(())
}

/// What is known of an output.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredOutput {
    /// Which one.
    pub outpoint: Outpoint,
    /// How much it holds.
    pub satoshis: u64,
    /// Where it is, or when it was seen.
    pub score: Score,
    /// The events that it is listed under.
    pub events: Vec<Event<'static>>,
    /// What parsers found, by tag; see [`symbol::unescape`].
    pub data: Vec<(Name<'static>, Value)>,
    /// The transaction that spends it.
    pub spender: Option<Txid>,
}

/// What is known of an output.
///
/// # Errors
/// If the store fails or holds what operations do not write.
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

/// The outputs of a transaction that are known, in order.
///
/// # Errors
/// If the store fails.
pub fn outputs_of(read: &impl Read, txid: Txid) -> Result<Vec<Outpoint>, Error> {
    let keys = OUTPUT.prefix_outpoint_txid(txid).structures(read)?.keys();
    keys.map(|key| Ok(key?.outpoint)).collect()
}

/// Where an output is, or when it was seen: its score as one of its transaction's outputs.
///
/// # Errors
/// If the store fails.
pub fn score_of(read: &impl Read, outpoint: Outpoint) -> Result<Option<Score>, Error> {
    Ok(EVENTS.score(read, event::txid(outpoint.txid), outpoint)?)
}

/// The events that an output is listed under; none if it is not known.
///
/// # Errors
/// [`Error::Corrupt`] if the list is none that operations write.
pub fn events_of(read: &impl Read, outpoint: Outpoint) -> Result<Vec<Event<'static>>, Error> {
    let corrupt = |why: String| Error::Corrupt { what: "the events", outpoint, why };
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
