//! Invariants of outputs and the sets that contain them.

use super::{Breaches, Broken, each_member};
use crate::{
    error::Error,
    event,
    keeper::{admission, applied, contradiction, events_of, merkle_state, merkle_states, score_of},
    layout::txo::{
        ADMITTED, DEPENDENTS, Dependent, EVENTS, Event, MERKLE, Name, OUTPUT, OUTPUT_DATA,
        OUTPUT_DEPS, OUTPUT_INPUTS, OUTPUT_MERKLE, Outpoint, SATOSHIS_AMOUNT, Score, TOPICS, Txid,
        TxidText,
    },
    score, symbol,
    values::{OUTPOINT, TXID, unpack},
};
use keyscape::store::Read;

/// Separates unreadable rows (inner error) from failures of the store (outer error).
fn readable<T>(read: Result<T, Error>) -> Result<Result<T, String>, Error> {
    match read {
        Ok(value) => Ok(Ok(value)),
        Err(error) if error.is_corrupt() => Ok(Err(error.to_string())),
        Err(error) => Err(error),
    }
}

/// Returns the events of an output; empty if they cannot be read, which [`outputs`] reports.
pub(super) fn known_events(read: &impl Read, of: Outpoint) -> Result<Vec<Event<'static>>, Error> {
    Ok(readable(events_of(read, of))?.unwrap_or_default())
}

/// Whether an output has an event, or its events cannot be read, which [`outputs`] reports.
pub(super) fn lists(read: &impl Read, of: Outpoint, event: &Event<'_>) -> Result<bool, Error> {
    Ok(readable(events_of(read, of))?.map_or(true, |events| events.contains(event)))
}

/// Checks that every output is listed under each of its events and in each of its topics, has a
/// merkle state in each topic, has satoshis, is in a block exactly if its score says so, has
/// readable lists whose transactions list it as a dependent, and that its tags are escaped texts.
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
    let unlisted = |set| Broken::Unlisted { outpoint, set };
    let field = |what, why| Broken::Field { outpoint, what, why };
    let events = match readable(events_of(read, outpoint))? {
        Ok(events) => events,
        Err(why) => {
            found.add(field("the events".to_owned(), why));
            vec![event::txid(outpoint.txid)]
        }
    };
    if !events.contains(&own) {
        found.add(Broken::Orphan {
            set: event::print(&own),
            outpoint,
            why: "does not list the event of its transaction",
        });
    }
    for event in &events {
        if EVENTS.score(read, event, outpoint)?.is_none() {
            found.add(unlisted(event::print(event)));
        }
    }
    for topic in ADMITTED.members(outpoint).to_vec(read)? {
        if TOPICS.score(read, &topic, outpoint)?.is_none() {
            found.add(unlisted(format!("tp:{topic}")));
        }
        if merkle_state(read, &topic, outpoint)?.is_none() {
            found.add(unlisted(format!("merkle:{topic}")));
        }
    }
    needs(read, outpoint, found)?;
    for data in OUTPUT_DATA.all(outpoint).to_vec(read)? {
        let tag = &data.field.tag;
        if symbol::unescape(tag).is_none() {
            let why = "the tag is not the escaped form of a text".to_owned();
            found.add(field(format!("`dt:{tag}`"), why));
        }
    }
    if let Some(score) = score_of(read, outpoint)? {
        let stated = OUTPUT_MERKLE.get(read, outpoint, ())?;
        if stated != score::place(score) {
            let expected = stated.map(|at| Score::Confirmed { at });
            found.add(Broken::Score { outpoint, set: event::print(&own), found: score, expected });
        }
    }
    if !SATOSHIS_AMOUNT.contains(read, (), outpoint)? {
        found.add(Broken::Satoshis { outpoint, why: "it is known, and its satoshis are not" });
    }
    Ok(())
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
            found.add(Broken::Unlisted { outpoint, set: format!("tp:{topic}") });
        }
        let Some(txids) = txids.filter(|txids| !txids.is_empty()) else {
            let why = "its length is not that of a list".to_owned();
            found.add(Broken::Field { outpoint, what: format!("`{field}:{topic}`"), why });
            continue;
        };
        for txid in txids {
            let dependent = Dependent { topic: Name::from(&topic), outpoint };
            if !DEPENDENTS.contains(read, TxidText(txid.0), dependent)? {
                found.add(Broken::Unlisted { outpoint, set: format!("dp:{txid}") });
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
            let own = match readable(admission(read, &topic, outpoint))? {
                Ok(own) => own.unwrap_or_default(),
                // `outputs` reports a list that cannot be read.
                Err(_) => continue,
            };
            let is_dep = own.deps.contains(&txid);
            if !is_dep && own.inputs.iter().all(|input| input.txid != txid) {
                let (set, why) = (format!("dp:{txid}"), "does not need the transaction");
                found.add(Broken::Orphan { set, outpoint, why });
                continue;
            }
            if txid == outpoint.txid || applied(read, &topic, outpoint.txid)?.is_none() {
                continue;
            }
            let (name, by) = (topic.as_str().to_owned(), outpoint.txid);
            if applied(read, &topic, txid)?.is_none() {
                found.add(Broken::Dangling { topic: name.clone(), txid: by, missing: txid });
            }
            for input in own.inputs.into_iter().filter(|input| input.txid == txid) {
                if !ADMITTED.contains(read, input, &topic)? {
                    found.add(Broken::MissingInput { topic: name.clone(), txid: by, input });
                }
            }
        }
    }
    Ok(found.reported())
}

/// Checks that every member of an event is an output with this event and the output's own score.
///
/// # Errors
/// If the store fails, or a row does not fit the layout.
pub fn events(read: &impl Read) -> Result<Vec<Broken>, Error> {
    let mut found = Breaches::of("events");
    each_member(read, &EVENTS.prefix_all(), |key, row| {
        let set = || event::print(&key.event);
        if !lists(read, row.member, &key.event)? {
            let why = "does not list this event";
            found.add(Broken::Orphan { set: set(), outpoint: row.member, why });
        }
        agree(read, row.member, row.score, set, &mut found)
    })?;
    Ok(found.reported())
}

/// Checks that the score of an output in a set is its own.
fn agree(
    read: &impl Read,
    outpoint: Outpoint,
    found: Score,
    set: impl FnOnce() -> String,
    broken: &mut Breaches,
) -> Result<(), Error> {
    let expected = score_of(read, outpoint)?;
    if expected != Some(found) {
        broken.add(Broken::Score { outpoint, set: set(), found, expected });
    }
    Ok(())
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
            let why = "its satoshis are known, and it is not";
            found.add(Broken::Satoshis { outpoint, why });
        }
    }
    Ok(found.reported())
}

/// Checks that every member of a topic is an output that records it, with the output's own score,
/// and that every output with a record of a topic is known.
///
/// # Errors
/// If the store fails, or a row does not fit the layout.
pub fn topics(read: &impl Read) -> Result<Vec<Broken>, Error> {
    let mut found = Breaches::of("topics");
    each_member(read, &TOPICS.prefix_all(), |key, row| {
        let set = || format!("tp:{}", key.topic);
        if !ADMITTED.contains(read, row.member, &key.topic)? {
            let why = "does not know the topic";
            found.add(Broken::Orphan { set: set(), outpoint: row.member, why });
        }
        agree(read, row.member, row.score, set, &mut found)
    })?;
    let mut scan = ADMITTED.prefix_all().structures(read)?;
    while let Some(key) = scan.next_key()? {
        if score_of(read, key.outpoint)?.is_none() {
            let (set, why) = ("s:tp".to_owned(), "is unknown");
            found.add(Broken::Orphan { set, outpoint: key.outpoint, why });
        }
    }
    Ok(found.reported())
}

/// Checks that every member of a merkle state is in the topic, in one state only, with the output's
/// own score, and that the state does not contradict the score.
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
            let (outpoint, set) = (row.member, || format!("merkle:{topic}:{a}"));
            if TOPICS.score(read, topic, outpoint)?.is_none() {
                let why = "is not in the topic";
                found.add(Broken::Orphan { set: set(), outpoint, why });
            }
            for b in others.iter().copied().filter(|b| *b > a) {
                if MERKLE.score(read, (topic, b), outpoint)?.is_some() {
                    let topic = topic.as_str().to_owned();
                    found.add(Broken::TwoStates { outpoint, topic, a, b });
                }
            }
            if let Some(why) = contradiction(row.score, a) {
                found.add(Broken::Orphan { set: set(), outpoint, why });
            }
            agree(read, outpoint, row.score, set, &mut found)?;
        }
    }
    Ok(found.reported())
}
