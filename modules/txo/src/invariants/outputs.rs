//! Invariants of outputs and the sets that contain them.

use super::each_member;
use crate::{
    error::{Dotted, Error},
    event::{self, Text},
    keeper::{admission, applied, contradiction, events_of, merkle_entry, merkle_states, score_of},
    layout::txo::{
        ADMITTED, DEPENDENTS, Dependent, EVENTS, Event, MERKLE, Name, OUTPUT, OUTPUT_DATA,
        OUTPUT_DEPS, OUTPUT_INPUTS, OUTPUT_MERKLE, Outpoint, SATOSHIS_AMOUNT, Score, TOPICS, Txid,
        TxidText,
    },
    score, symbol,
    values::{OUTPOINT, TXID, unpack},
};
use keyscape::store::Read;
use keyscape_sim::{Breaches, Broken, readable};
use std::fmt::Display;

/// Returns the events of an output; empty if they cannot be read, which [`outputs`] reports.
pub(super) fn known_events(read: &impl Read, of: Outpoint) -> Result<Vec<Event<'static>>, Error> {
    Ok(readable(events_of(read, of))?.unwrap_or_default())
}

/// Whether an output has an event, or its events cannot be read, which [`outputs`] reports.
pub(super) fn lists(read: &impl Read, of: Outpoint, event: &Event<'_>) -> Result<bool, Error> {
    Ok(readable(events_of(read, of))?.is_none_or(|events| events.contains(event)))
}

/// Checks that every output is listed under each of its events and in each of its topics, and has a
/// merkle state in each topic, always with its own score; that it has satoshis, and is in a block
/// exactly if its score is a position in the chain; that its lists can be read and their
/// transactions list it as a dependent; and that its tags are escaped texts.
///
/// # Errors
/// If the store fails, or a row does not fit the layout.
pub fn outputs(read: &impl Read) -> Result<Vec<Broken>, Error> {
    let mut found = Breaches::of("outputs");
    let mut scan = OUTPUT.prefix_all().structures(read)?;
    while let Some(key) = scan.next_key()? {
        output(read, key.outpoint, &mut found)?;
    }
    Ok(found.reported())
}

fn output(read: &impl Read, outpoint: Outpoint, found: &mut Breaches) -> Result<(), Error> {
    let own = event::txid(outpoint.txid);
    let expected = score_of(read, outpoint)?;
    let events =
        found.take(events_of(read, outpoint), || format!("output {}", Dotted(outpoint)))?;
    let events = events.unwrap_or_else(|| vec![own.clone()]);
    if !events.contains(&own) {
        found.add(format_args!(
            "output {} does not list the event of its transaction",
            Dotted(outpoint)
        ));
    }
    for event in &events {
        let score = EVENTS.score(read, event, outpoint)?;
        listed(found, outpoint, Text(event), score, expected);
    }
    for topic in ADMITTED.members(outpoint).to_vec(read)? {
        let score = TOPICS.score(read, &topic, outpoint)?;
        listed(found, outpoint, format_args!("tp:{topic}"), score, expected);
        let score = merkle_entry(read, &topic, outpoint)?.map(|(_, score)| score);
        listed(found, outpoint, format_args!("merkle:{topic}"), score, expected);
    }
    needs(read, outpoint, found)?;
    for data in OUTPUT_DATA.all(outpoint).to_vec(read)? {
        let tag = &data.field.tag;
        if symbol::unescape(tag).is_none() {
            found.add(format_args!(
                "`dt:{tag}` of output {}: the tag is not the escaped form of a text",
                Dotted(outpoint)
            ));
        }
    }
    if let Some(score) = expected {
        let stated = OUTPUT_MERKLE.get(read, outpoint, ())?;
        if stated != score::position(score) {
            let stated = stated.map(|at| Score::Confirmed { at });
            other_score(found, outpoint, Text(&own), score, stated);
        }
    }
    if !SATOSHIS_AMOUNT.contains(read, (), outpoint)? {
        found.add(format_args!("output {} is known, but its satoshis are not", Dotted(outpoint)));
    }
    Ok(())
}

/// Checks the score of an output in a set that should contain it.
fn listed(
    found: &mut Breaches,
    outpoint: Outpoint,
    set: impl Display,
    score: Option<Score>,
    expected: Option<Score>,
) {
    match score {
        None => unlisted(found, outpoint, set),
        Some(score) if Some(score) != expected => {
            other_score(found, outpoint, set, score, expected);
        }
        Some(_) => {}
    }
}

/// Reports a set that contains an output without a record of it.
pub(super) fn orphan(found: &mut Breaches, set: impl Display, outpoint: Outpoint, why: &str) {
    found.add(format_args!("`{set}` has output {}, which {why}", Dotted(outpoint)));
}

/// Reports an output with a record of a set that does not contain it.
pub(super) fn unlisted(found: &mut Breaches, outpoint: Outpoint, set: impl Display) {
    found.add(format_args!("output {} is not in `{set}`, where it should be", Dotted(outpoint)));
}

/// Reports an output in a set with another score than its transaction.
pub(super) fn other_score(
    found: &mut Breaches,
    outpoint: Outpoint,
    set: impl Display,
    score: Score,
    expected: Option<Score>,
) {
    found.add(format_args!(
        "output {} has the score {score:?} in `{set}` instead of {expected:?}",
        Dotted(outpoint)
    ));
}

/// Checks that the lists of inputs and dependencies of an output can be read, belong to a topic
/// that has admitted it, and that the transactions in them list the output as a dependent.
fn needs(read: &impl Read, outpoint: Outpoint, found: &mut Breaches) -> Result<(), Error> {
    let inputs = OUTPUT_INPUTS.all(outpoint).to_vec(read)?.into_iter().map(|row| {
        let txids = unpack::<Outpoint>(&row.value, OUTPOINT)
            .map(|inputs| inputs.into_iter().map(|input| input.txid).collect());
        ("in", row.field.topic, txids)
    });
    let deps = OUTPUT_DEPS.all(outpoint).to_vec(read)?.into_iter();
    let deps = deps.map(|row| ("dp", row.field.topic, unpack(&row.value, TXID)));
    for (field, topic, txids) in inputs.chain(deps) {
        let txids: Option<Vec<Txid>> = txids;
        if !ADMITTED.contains(read, outpoint, &topic)? {
            unlisted(found, outpoint, format_args!("tp:{topic}"));
        }
        let Some(txids) = txids.filter(|txids| !txids.is_empty()) else {
            found.add(format_args!(
                "`{field}:{topic}` of output {}: its length is not that of a list",
                Dotted(outpoint)
            ));
            continue;
        };
        for txid in txids {
            let dependent = Dependent { topic: Name::from(&topic), outpoint };
            if !DEPENDENTS.contains(read, TxidText(txid.0), dependent)? {
                unlisted(found, outpoint, format_args!("dp:{txid}"));
            }
        }
    }
    Ok(())
}

/// Checks that every dependent names its transaction, and that no topic has applied a transaction
/// without its dependencies and the outputs that it consumes.
///
/// # Errors
/// If the store fails, or a row does not fit the layout.
pub fn dependents(read: &impl Read) -> Result<Vec<Broken>, Error> {
    let mut found = Breaches::of("dependents");
    let mut scan = DEPENDENTS.prefix_all().structures(read)?;
    while let Some(key) = scan.next_key()? {
        let txid = Txid(key.txid.0);
        for Dependent { topic, outpoint } in DEPENDENTS.members(key.txid).to_vec(read)? {
            // `outputs` reports a list that cannot be read.
            let Some(own) = readable(admission(read, &topic, outpoint))? else { continue };
            let own = own.unwrap_or_default();
            let is_dep = own.deps.contains(&txid);
            if !is_dep && own.inputs.iter().all(|input| input.txid != txid) {
                let set = format_args!("dp:{txid}");
                orphan(&mut found, set, outpoint, "does not need the transaction");
                continue;
            }
            if txid == outpoint.txid || applied(read, &topic, outpoint.txid)?.is_none() {
                continue;
            }
            let by = outpoint.txid;
            if applied(read, &topic, txid)?.is_none() {
                found.add(format_args!(
                    "topic `{topic}` has applied {by}, but not {txid}, which it needs"
                ));
            }
            for input in own.inputs.into_iter().filter(|input| input.txid == txid) {
                if !ADMITTED.contains(read, input, &topic)? {
                    found.add(format_args!(
                        "topic `{topic}` has applied {by}, but has not admitted output {}, \
                         which it consumes",
                        Dotted(input)
                    ));
                }
            }
        }
    }
    Ok(found.reported())
}

/// Checks that every member of an event is an output with this event. [`outputs`] checks its score.
///
/// # Errors
/// If the store fails, or a row does not fit the layout.
pub fn events(read: &impl Read) -> Result<Vec<Broken>, Error> {
    let mut found = Breaches::of("events");
    each_member(read, &EVENTS.prefix_all(), |key, row| {
        if !lists(read, row.member, &key.event)? {
            orphan(&mut found, Text(&key.event), row.member, "does not list this event");
        }
        Ok(())
    })?;
    Ok(found.reported())
}

/// Checks that satoshis belong to outputs.
///
/// # Errors
/// If the store fails, or a row does not fit the layout.
pub fn satoshis(read: &impl Read) -> Result<Vec<Broken>, Error> {
    let mut found = Breaches::of("satoshis");
    let mut rows = SATOSHIS_AMOUNT.all(()).scan(read)?;
    while let Some(row) = rows.next_row()? {
        let outpoint = row.field.outpoint;
        if score_of(read, outpoint)?.is_none() {
            found.add(format_args!(
                "output {} is unknown, but its satoshis are not",
                Dotted(outpoint)
            ));
        }
    }
    Ok(found.reported())
}

/// Checks that every member of a topic is an output that records it, and that every output with a
/// record of a topic is known. [`outputs`] checks the scores.
///
/// # Errors
/// If the store fails, or a row does not fit the layout.
pub fn topics(read: &impl Read) -> Result<Vec<Broken>, Error> {
    let mut found = Breaches::of("topics");
    each_member(read, &TOPICS.prefix_all(), |key, row| {
        if !ADMITTED.contains(read, row.member, &key.topic)? {
            let set = format_args!("tp:{}", key.topic);
            orphan(&mut found, set, row.member, "does not know the topic");
        }
        Ok(())
    })?;
    let mut scan = ADMITTED.prefix_all().structures(read)?;
    while let Some(key) = scan.next_key()? {
        if score_of(read, key.outpoint)?.is_none() {
            orphan(&mut found, "s:tp", key.outpoint, "is unknown");
        }
    }
    Ok(found.reported())
}

/// Checks that every member of a merkle state is in the topic and in one state only, and that the
/// state does not contradict its score. [`outputs`] checks the score.
///
/// # Errors
/// If the store fails, or a row does not fit the layout.
pub fn merkle(read: &impl Read) -> Result<Vec<Broken>, Error> {
    let mut found = Breaches::of("merkle");
    let mut scan = MERKLE.prefix_all().structures(read)?;
    while let Some(key) = scan.next_key()? {
        let (topic, a) = (&key.topic, key.state);
        let others = merkle_states(read, topic)?;
        let mut members = MERKLE.members((topic, a)).scan(read)?;
        while let Some(row) = members.next_row()? {
            let (outpoint, set) = (row.member, format_args!("merkle:{topic}:{a}"));
            if TOPICS.score(read, topic, outpoint)?.is_none() {
                orphan(&mut found, set, outpoint, "is not in the topic");
            }
            for b in others.iter().copied().filter(|b| *b > a) {
                if MERKLE.score(read, (topic, b), outpoint)?.is_some() {
                    found.add(format_args!(
                        "output {} is in the merkle states {a} and {b} of topic `{topic}`",
                        Dotted(outpoint)
                    ));
                }
            }
            if let Some(why) = contradiction(row.score, a) {
                orphan(&mut found, set, outpoint, why);
            }
        }
    }
    Ok(found.reported())
}
