//! Outputs, and the sets that have them.

use super::Broken;
use crate::{
    error::Error,
    event,
    keeper::{events_of, merkle_states, score_of, topics_of},
    layout::txo::{
        EVENTS, Event, MERKLE, Name, OUTPUT, OUTPUT_DEPS, OUTPUT_INPUTS, OUTPUT_MERKLE, Outpoint,
        SATOSHIS_AMOUNT, Score, TOPICS,
    },
    score,
};
use keyscape::store::Read;

/// Every output is listed under each of its events and in each of its topics, holds satoshis, and is
/// in a block exactly if its score says so.
///
/// # Errors
/// If the store fails, or a row does not fit the layout.
pub fn outputs(read: &impl Read) -> Result<Vec<Broken>, Error> {
    let mut found = Vec::new();
    let mut scan = OUTPUT.prefix_all().structures(read)?;
    while let Some(key) = scan.next()? {
        output(read, key.outpoint, &mut found)?;
    }
    Ok(found)
}

fn output(read: &impl Read, outpoint: Outpoint, found: &mut Vec<Broken>) -> Result<(), Error> {
    let own = event::txid(outpoint.txid);
    let events = events_of(read, outpoint)?;
    let unlisted = |set| Broken::Unlisted { outpoint, set };
    if !events.contains(&own) {
        found.push(Broken::Orphan {
            set: event::print(&own),
            outpoint,
            why: "does not list the event of its transaction",
        });
    }
    for event in &events {
        if EVENTS.score(read, Event::from(event), outpoint)?.is_none() {
            found.push(unlisted(event::print(event)));
        }
    }
    for topic in topics_of(read, outpoint)? {
        if TOPICS.score(read, Name::from(&topic), outpoint)?.is_none() {
            found.push(unlisted(format!("tp:{topic}")));
        }
    }
    for deps in OUTPUT_DEPS.all(outpoint).to_vec(read)? {
        if !OUTPUT_INPUTS.contains(read, outpoint, Name::from(&deps.field.topic))? {
            found.push(unlisted(format!("tp:{}", deps.field.topic)));
        }
    }
    if let Some(score) = score_of(read, outpoint)? {
        let stated = OUTPUT_MERKLE.get(read, outpoint, ())?;
        if stated != score::place(score) {
            let expected = stated.map(|at| Score::Confirmed { at });
            found.push(Broken::Score { outpoint, set: event::print(&own), found: score, expected });
        }
    }
    if !SATOSHIS_AMOUNT.contains(read, (), outpoint)? {
        found.push(Broken::Satoshis { outpoint, why: "it is known, and its satoshis are not" });
    }
    Ok(())
}

/// Whatever an event lists is an output with this event and the output's own score.
///
/// # Errors
/// If the store fails, or a row does not fit the layout.
pub fn events(read: &impl Read) -> Result<Vec<Broken>, Error> {
    let mut found = Vec::new();
    let mut scan = EVENTS.prefix_all().structures(read)?;
    while let Some(key) = scan.next()? {
        let mut members = EVENTS.members(Event::from(&key.event)).scan(read)?;
        while let Some(row) = members.next()? {
            let set = || event::print(&key.event);
            if !events_of(read, row.member)?.contains(&key.event) {
                let why = "does not list this event";
                found.push(Broken::Orphan { set: set(), outpoint: row.member, why });
            }
            agree(read, row.member, row.score, set, &mut found)?;
        }
    }
    Ok(found)
}

/// The score of an output in a set is its own.
fn agree(
    read: &impl Read,
    outpoint: Outpoint,
    found: Score,
    set: impl FnOnce() -> String,
    broken: &mut Vec<Broken>,
) -> Result<(), Error> {
    let expected = score_of(read, outpoint)?;
    if expected != Some(found) {
        broken.push(Broken::Score { outpoint, set: set(), found, expected });
    }
    Ok(())
}

/// Whatever holds satoshis is an output.
///
/// # Errors
/// If the store fails, or a row does not fit the layout.
pub fn satoshis(read: &impl Read) -> Result<Vec<Broken>, Error> {
    let mut found = Vec::new();
    let mut rows = SATOSHIS_AMOUNT.all(()).scan(read)?;
    while let Some(row) = rows.next()? {
        let outpoint = row.field.outpoint;
        if score_of(read, outpoint)?.is_none() {
            let why = "its satoshis are known, and it is not";
            found.push(Broken::Satoshis { outpoint, why });
        }
    }
    Ok(found)
}

/// Whatever a topic has is an output that says so, with the output's own score.
///
/// # Errors
/// If the store fails, or a row does not fit the layout.
pub fn topics(read: &impl Read) -> Result<Vec<Broken>, Error> {
    let mut found = Vec::new();
    let mut scan = TOPICS.prefix_all().structures(read)?;
    while let Some(key) = scan.next()? {
        let mut members = TOPICS.members(Name::from(&key.topic)).scan(read)?;
        while let Some(row) = members.next()? {
            let set = || format!("tp:{}", key.topic);
            if !OUTPUT_INPUTS.contains(read, row.member, Name::from(&key.topic))? {
                let why = "does not know the topic";
                found.push(Broken::Orphan { set: set(), outpoint: row.member, why });
            }
            agree(read, row.member, row.score, set, &mut found)?;
        }
    }
    Ok(found)
}

/// Whatever is in a merkle state is in the topic, in one state only, with the output's own score.
///
/// # Errors
/// If the store fails, or a row does not fit the layout.
pub fn merkle(read: &impl Read) -> Result<Vec<Broken>, Error> {
    let mut found = Vec::new();
    let mut scan = MERKLE.prefix_all().structures(read)?;
    while let Some(key) = scan.next()? {
        let (topic, a) = (&key.topic, key.state);
        let others = merkle_states(read, topic)?;
        let mut members = MERKLE.members((Name::from(topic), a)).scan(read)?;
        while let Some(row) = members.next()? {
            let (outpoint, set) = (row.member, || format!("merkle:{topic}:{a}"));
            if TOPICS.score(read, Name::from(topic), outpoint)?.is_none() {
                let why = "is not in the topic";
                found.push(Broken::Orphan { set: set(), outpoint, why });
            }
            for b in others.iter().copied().filter(|b| *b > a) {
                if MERKLE.score(read, (Name::from(topic), b), outpoint)?.is_some() {
                    let topic = topic.as_str().to_owned();
                    found.push(Broken::TwoStates { outpoint, topic, a, b });
                }
            }
            agree(read, outpoint, row.score, set, &mut found)?;
        }
    }
    Ok(found)
}
