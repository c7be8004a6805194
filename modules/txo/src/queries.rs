//! The queries of the index, for programs that render them.

mod key;
mod list;

use crate::{
    error::{Dotted, Error},
    event, keeper,
    layout::txo::{Outpoint, Score, Txid},
    score,
    search::{self, Join, OutputQuery},
    symbol, undo,
};
use keyscape::store::{Read, Tx};
use keyscape_query::{
    AFTER, Answer, Argument, Arguments, Form, LIMIT, Query, QueryError, REVERSE, text,
};
use serde_json::{Map, Value, json};
use std::ops::Bound;

const FROM: Argument = Argument::new("from", Form::Option("HEIGHT"), "The lowest block");
const TO: Argument = Argument::new("to", Form::Option("HEIGHT"), "The highest block");
const TOPIC: Argument = Argument::new("TOPIC", Form::Required, "The topic");

/// The queries and operations.
pub const QUERIES: &[Query] = &[
    Query::read("search", "Search for outputs by events, topics and spends", outputs)
        .with_arguments(&[
            Argument::new(
                "KEY",
                Form::Repeated,
                "An event as `output` prints it: `own:ADDRESS`, `id:TXID_INDEX`, `sym:SYMBOL`, \
                 `p2pkh:ADDRESS:TXID_INDEX`, `cos:ADDRESS:TXID_INDEX`, `ltm:TXID_INDEX`, \
                 `pow20:TXID_INDEX`, `list:[ADDRESS:]TXID_INDEX`, `txid:TXID` or `app:TEXT`; or \
                 `tp:TOPIC`, `merkle:TOPIC:STATE`, or `by:TXID` for the outputs that a transaction \
                 spends. Symbols and texts need no escapes",
            ),
            Argument::new(
                "join",
                Form::OneOf(&["union", "intersect", "difference"]),
                "How several keys are joined",
            ),
            Argument::new("unspent", Form::Flag, "Exclude spent outputs"),
            Argument::new(
                "spent",
                Form::Flag,
                "Search the spent outputs of events, by the time of spending",
            ),
            FROM,
            TO,
            LIMIT,
            AFTER,
            REVERSE,
        ])
        .with_columns(&["output", "satoshis", "height", "index", "seen", "spent by"])
        .with_example("own:1A1z… sym:PEPE --join intersect --unspent"),
    Query::read("balance", "Print the satoshis of the unspent outputs of a key", balance)
        .with_arguments(&[Argument::new("KEY", Form::Required, "A key, as for `search`")])
        .with_columns(&["satoshis", "outputs"])
        .with_example("own:1A1z…"),
    Query::read("output", "Print an output with its events, topics and data", output)
        .with_arguments(&[Argument::new(
            "OUTPUT",
            Form::Required,
            "The output: `TXID.INDEX` or `TXID_INDEX`",
        )])
        .with_columns(&[
            "output", "satoshis", "height", "index", "seen", "spent by", "events", "topics", "data",
        ])
        .with_example("4a5e….0")
        .as_record(),
    Query::read("topics", "List the topics with the number of their outputs", list::topics)
        .with_arguments(&[LIMIT, AFTER])
        .with_columns(&["topic", "outputs"])
        .with_example("--format json"),
    Query::read(
        "merkle",
        "List the merkle states of a topic with the number of their outputs",
        list::merkle,
    )
    .with_arguments(&[TOPIC])
    .with_columns(&["state", "name", "outputs"])
    .with_example("tm_bsv21"),
    Query::read("applied", "List the transactions that a topic has applied", list::applied)
        .with_arguments(&[TOPIC, FROM, TO, LIMIT, AFTER, REVERSE])
        .with_columns(&["txid", "height", "index", "seen"])
        .with_example("tm_bsv21 --from 850000"),
    Query::read("log", "List the transactions of a log", list::log)
        .with_arguments(&[
            Argument::new("LOG", Form::Required, "The log"),
            FROM,
            TO,
            LIMIT,
            AFTER,
            REVERSE,
        ])
        .with_columns(&["txid", "height", "index", "seen"])
        .with_example("tx:pending --reverse"),
    Query::read(
        "progress",
        "List the heights that subscriptions and owners have reached",
        list::progress,
    )
    .with_arguments(&[LIMIT, AFTER])
    .with_columns(&["source", "name", "height"])
    .with_example("--format json"),
    Query::read("peers", "List the last interactions with peers", list::peers)
        .with_arguments(&[LIMIT, AFTER])
        .with_columns(&["topic", "host", "nanoseconds"])
        .with_example("--format json"),
    Query::read(
        "dead",
        "List the dead outputs in the queue of a token, or the dead transactions of a \
                subscription",
        list::dead,
    )
    .with_arguments(&[
        Argument::new("TOKEN", Form::Optional, "The token: `TXID_INDEX`"),
        Argument::new("subscription", Form::Option("NAME"), "The subscription instead of a token"),
        LIMIT,
        AFTER,
    ])
    .with_columns(&["member"])
    .with_example("4a5e…_0"),
    Query::read("lists", "List the tokens that are always or never followed", list::lists)
        .with_arguments(&[LIMIT, AFTER])
        .with_columns(&["list", "token"])
        .with_example("--format json"),
    Query::read("sets", "List the general sets, or the members of one", list::sets)
        .with_arguments(&[
            Argument::new("SET", Form::Optional, "The set; default: all"),
            LIMIT,
            AFTER,
        ])
        .with_columns(&["set", "member"])
        .with_example("watched"),
    Query::write(
        "rollback",
        "Roll back a transaction, or remove the blocks above a height",
        rollback,
    )
    .with_arguments(&[
        Argument::new("TXID", Form::Optional, "The transaction"),
        Argument::new("to", Form::Option("HEIGHT"), "Remove the blocks above this height instead"),
        Argument::new(
            "time",
            Form::Option("NANOSECONDS"),
            "The arrival time of orphaned transactions, in nanoseconds since 1970; default: \
                 now",
        ),
    ])
    .with_columns(&["what", "name", "effect"])
    .with_example("--to 850000"),
];

impl From<Error> for QueryError {
    fn from(error: Error) -> QueryError {
        QueryError::failed(error)
    }
}

fn bounds(given: &Arguments) -> Result<(Bound<Score>, Bound<Score>), QueryError> {
    let bound = |height: Option<u32>, score: fn(u32) -> Score| {
        height.map_or(Bound::Unbounded, |height| Bound::Included(score(height)))
    };
    let from = bound(given.parse_optional(FROM.name)?, score::from_height);
    Ok((from, bound(given.parse_optional(TO.name)?, score::to_height)))
}

/// Returns the cells of a score: height, index, arrival time.
fn cells(score: Score) -> [Value; 3] {
    match score {
        Score::Confirmed { at } => [at.height.into(), at.index.into(), Value::Null],
        Score::Unconfirmed { nanoseconds } => [Value::Null, Value::Null, text(nanoseconds)],
    }
}

fn outputs(state: &dyn Read, given: &Arguments) -> Result<Answer, QueryError> {
    let is_spent = given.has("spent");
    if is_spent && given.has("unspent") {
        let why = "expected either `--spent` or `--unspent`";
        return Err(QueryError::Usage(why.to_owned()));
    }
    let keys = given.all("KEY").iter().map(|text| key::read(&state, text, is_spent));
    let join = match given.text("join") {
        Some("intersect") => Join::Intersect,
        Some("difference") => Join::Difference,
        _ => Join::Union,
    };
    let (from, to) = bounds(given)?;
    let query = OutputQuery {
        keys: keys.collect::<Result<Vec<_>, _>>()?,
        join,
        from,
        to,
        reverse: given.has(REVERSE.name),
        unspent: given.has("unspent"),
        limit: None,
        after: given.parse_optional(AFTER.name)?,
    };
    let page = search::page(&state, &query, given.limit()?)?;
    let mut rows = Vec::with_capacity(page.hits.len());
    for hit in page.hits {
        let stored = keeper::output(&state, hit.outpoint)?;
        let mut row = vec![text(Dotted(hit.outpoint))];
        row.push(stored.as_ref().map_or(Value::Null, |output| text(output.satoshis)));
        row.extend(cells(hit.score));
        let spender = keeper::spender(&state, hit.outpoint)?;
        row.push(spender.map_or(Value::Null, text));
        rows.push(row);
    }
    Ok(Answer::rows(rows).with_next(page.next))
}

fn balance(state: &dyn Read, given: &Arguments) -> Result<Answer, QueryError> {
    let key = key::read(&state, given.text("KEY").unwrap_or_default(), false)?;
    let balance = search::balance(&state, &OutputQuery::of(key))?;
    Ok(Answer::row([text(balance.satoshis), balance.outputs.into()]))
}

fn output(state: &dyn Read, given: &Arguments) -> Result<Answer, QueryError> {
    let at = key::outpoint("OUTPUT", given.text("OUTPUT").unwrap_or_default())?;
    let Some(found) = keeper::output(&state, at)? else {
        return Err(QueryError::Missing(format!("output `{}` is unknown", Dotted(at))));
    };
    let mut row = vec![text(Dotted(at)), text(found.satoshis)];
    row.extend(cells(found.score));
    row.push(found.spender.map_or(Value::Null, text));
    row.push(found.events.iter().map(|event| text(event::print(event))).collect());
    row.push(admissions(&state, at)?);
    let data = found.data.into_iter().map(|(tag, value)| {
        (symbol::unescape(&tag).unwrap_or_else(|| tag.as_str().to_owned()), value)
    });
    row.push(Value::Object(data.collect::<Map<_, _>>()));
    Ok(Answer::row(row))
}

/// Returns the topics that have admitted an output, with their data about it.
fn admissions(state: &impl Read, at: Outpoint) -> Result<Value, Error> {
    let mut topics = Vec::new();
    for topic in keeper::topics_of(state, at)? {
        let admission = keeper::admission(state, &topic, at)?.unwrap_or_default();
        let inputs = admission.inputs.iter().map(|input| Dotted(*input).to_string());
        let deps = admission.deps.iter().map(ToString::to_string);
        topics.push(json!({
            "topic": topic.as_str(),
            "merkle_state": keeper::merkle_state(state, &topic, at)?,
            "inputs": inputs.collect::<Vec<_>>(),
            "deps": deps.collect::<Vec<_>>(),
        }));
    }
    Ok(topics.into())
}

fn rollback(tx: &mut Tx<'_>, given: &Arguments) -> Result<Answer, QueryError> {
    let row = |what: &str, name: Value, effect: &str| vec![text(what), name, text(effect)];
    let txid = given.text("TXID").map(|text| key::txid("TXID", text, text)).transpose()?;
    match (txid, given.parse_optional::<u32>(TO.name)?) {
        (Some(_), None) if given.has("time") => {
            Err(QueryError::Usage("`--time` does not apply to one transaction".to_owned()))
        }
        (Some(txid), None) => {
            let taken = undo::rollback(tx, txid)?;
            let gone = taken.transactions.iter();
            let gone = gone.map(|txid: &Txid| row("transaction", text(txid), "rolled back"));
            let released = taken.released.iter().map(|(topic, outpoint)| {
                row("output", text(Dotted(*outpoint)), &format!("left topic {topic}"))
            });
            Ok(Answer::rows(gone.chain(released)))
        }
        (None, Some(height)) => {
            let removed = undo::rollback_to(tx, height, given.nanoseconds("time")?)?;
            let mut rows = vec![row("blocks", text(removed.blocks), "removed")];
            let orphaned = removed.orphaned.iter();
            rows.extend(orphaned.map(|txid| row("transaction", text(txid), "unconfirmed")));
            Ok(Answer::rows(rows))
        }
        _ => {
            let why = "expected either a transaction, or `--to` and a height";
            Err(QueryError::Usage(why.to_owned()))
        }
    }
}
