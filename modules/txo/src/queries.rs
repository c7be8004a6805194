//! The queries of the index, for programs that render them.

use crate::{
    error::{Error, Shown},
    event,
    keeper::{self, Source},
    layout::txo::{Name, Outpoint, Score, Tokens, TokensKey, Txid},
    score,
    search::{self, Join, Key, Query as Search, TxKey, TxQuery},
    symbol, undo,
};
use keyscape::store::{Read, Tx};
use keyscape_query::{
    AFTER, Answer, Argument, Given, LIMIT, Query, QueryError, REVERSE, Run, text,
};
use serde_json::Value;
use std::ops::Bound;

const FROM: Argument = Argument::option("from", "The lowest block");
const TO: Argument = Argument::option("to", "The highest block");

/// The queries and operations.
pub const QUERIES: &[Query] = &[
    Query {
        name: "search",
        about: "Search for outputs by events, topics and spends",
        arguments: &[
            Argument::repeated(
                "KEY",
                "An event such as `own:1A1z…`, with `:spnd` for spent outputs, `tp:TOPIC`, \
                 `merkle:TOPIC:STATE`, or `by:TXID` for the outputs that a transaction spends",
            ),
            Argument {
                name: "join",
                about: "`union`, `intersect` or `difference` of the keys",
                form: keyscape_query::Form::Option(Some("union")),
            },
            Argument::flag("unspent", "Exclude spent outputs"),
            FROM,
            TO,
            LIMIT,
            AFTER,
            REVERSE,
        ],
        columns: &["output", "satoshis", "height", "index", "seen", "spent by"],
        example: "own:1A1z… sym:PEPE --join intersect --unspent",
        run: Run::Read(outputs),
    },
    Query {
        name: "balance",
        about: "Print the satoshis of the unspent outputs of a key",
        arguments: &[Argument::required("KEY", "A key, as for `search`")],
        columns: &["satoshis", "outputs"],
        example: "own:1A1z…",
        run: Run::Read(balance),
    },
    Query {
        name: "output",
        about: "Print an output with its events and data",
        arguments: &[Argument::required("OUTPUT", "The output: `TXID.INDEX` or `TXID_INDEX`")],
        columns: &["field", "value"],
        example: "4a5e….0",
        run: Run::Read(output),
    },
    Query {
        name: "topics",
        about: "List the topics with the number of their outputs",
        arguments: &[],
        columns: &["topic", "outputs"],
        example: "--format json",
        run: Run::Read(topics),
    },
    Query {
        name: "applied",
        about: "List the transactions that a topic has applied",
        arguments: &[Argument::required("TOPIC", "The topic"), FROM, TO, LIMIT, AFTER, REVERSE],
        columns: &["txid", "height", "index", "seen"],
        example: "tm_bsv21 --from 850000",
        run: Run::Read(applied),
    },
    Query {
        name: "log",
        about: "List the transactions of a log",
        arguments: &[Argument::required("LOG", "The log"), FROM, TO, LIMIT, AFTER, REVERSE],
        columns: &["txid", "height", "index", "seen"],
        example: "tx:pending --reverse",
        run: Run::Read(log),
    },
    Query {
        name: "progress",
        about: "List the heights that subscriptions and owners have reached",
        arguments: &[],
        columns: &["source", "name", "height"],
        example: "--format json",
        run: Run::Read(progress),
    },
    Query {
        name: "peers",
        about: "List the last interactions with peers",
        arguments: &[],
        columns: &["topic", "host", "nanoseconds"],
        example: "--format json",
        run: Run::Read(peers),
    },
    Query {
        name: "dead",
        about: "List the dead outputs in the queue of a token",
        arguments: &[Argument::required("TOKEN", "The token: `TXID_INDEX`")],
        columns: &["output"],
        example: "4a5e…_0",
        run: Run::Read(dead),
    },
    Query {
        name: "rollback",
        about: "Roll back a transaction, or remove the blocks above a height",
        arguments: &[
            Argument::optional("TXID", "The transaction"),
            Argument::option("to", "Remove the blocks above this height instead"),
            Argument {
                name: "time",
                about: "The arrival time of orphaned transactions, in nanoseconds since 1970",
                form: keyscape_query::Form::Option(Some("0")),
            },
        ],
        columns: &["txid", "effect"],
        example: "--to 850000",
        run: Run::Write(rollback),
    },
];

impl From<Error> for QueryError {
    fn from(error: Error) -> QueryError {
        QueryError::failed(error)
    }
}

/// Parses an outpoint: `txid.vout` or `txid_vout`.
fn outpoint(given: &Given, name: &'static str) -> Result<Outpoint, QueryError> {
    let all = given.text(name).unwrap_or_default();
    let wrong = |why: &str| QueryError::argument(name, all, why);
    let parts = all.split_once('.').or_else(|| all.split_once('_'));
    let (txid, vout) = parts.ok_or_else(|| wrong("expected `TXID.INDEX`"))?;
    Ok(Outpoint {
        txid: txid.parse().map_err(|_| wrong("expected 64 hexadecimal digits"))?,
        vout: vout.parse().map_err(|_| wrong("expected an index after the transaction"))?,
    })
}

/// Parses the key of a set: its text after `z:`, where symbols need no escapes.
fn key(given: &str) -> Result<Key, QueryError> {
    let wrong = |why: &dyn std::fmt::Display| QueryError::argument("KEY", given, why);
    let name = |text: &str| Name::new(text.to_owned()).map_err(|why| wrong(&why));
    if let Some(topic) = given.strip_prefix("tp:") {
        return Ok(Key::Topic(name(topic)?));
    }
    if let Some(txid) = given.strip_prefix("by:") {
        return Ok(Key::SpentBy(txid.parse().map_err(|why| wrong(&why))?));
    }
    if let Some((topic, state)) = given.strip_prefix("merkle:").and_then(|at| at.rsplit_once(':')) {
        return Ok(Key::Merkle(name(topic)?, state.parse().map_err(|why| wrong(&why))?));
    }
    match given.strip_suffix(":spnd") {
        Some(event) => Ok(Key::Spent(event::read(event).map_err(|why| wrong(&why))?)),
        None => Ok(Key::Event(event::read(given).map_err(|why| wrong(&why))?)),
    }
}

fn bounds(given: &Given) -> Result<(Bound<Score>, Bound<Score>), QueryError> {
    let bound = |height: Option<u32>, score: fn(u32) -> Score| {
        height.map_or(Bound::Unbounded, |height| Bound::Included(score(height)))
    };
    let from = bound(given.parse_optional("from")?, score::from_height);
    Ok((from, bound(given.parse_optional("to")?, score::to_height)))
}

/// Returns the cells of a score: height, index, arrival time.
fn cells(score: Score) -> [Value; 3] {
    match score {
        Score::Confirmed { at } => [at.height.into(), at.index.into(), Value::Null],
        Score::Unconfirmed { nanoseconds } => [Value::Null, Value::Null, nanoseconds.into()],
    }
}

fn outputs(state: &dyn Read, given: &Given) -> Result<Answer, QueryError> {
    let keys = given.all("KEY").iter().map(|text| key(text)).collect::<Result<Vec<_>, _>>()?;
    let join = match given.text("join") {
        None | Some("union") => Join::Union,
        Some("intersect") => Join::Intersect,
        Some("difference") => Join::Difference,
        Some(other) => {
            let why = "expected `union`, `intersect` or `difference`";
            return Err(QueryError::argument("join", other, why));
        }
    };
    let (from, to) = bounds(given)?;
    let query = Search {
        keys,
        join,
        from,
        to,
        reverse: given.has("reverse"),
        unspent: given.has("unspent"),
        limit: None,
        after: given.parse_optional("after")?,
    };
    let page = search::page(&state, &query, given.parse("limit")?)?;
    let mut rows = Vec::with_capacity(page.hits.len());
    for hit in page.hits {
        let stored = keeper::output(&state, hit.outpoint)?;
        let mut row = vec![text(Shown(&hit.outpoint))];
        row.push(stored.as_ref().map_or(Value::Null, |output| output.satoshis.into()));
        row.extend(cells(hit.score));
        let spender = keeper::spender(&state, hit.outpoint)?;
        row.push(spender.map_or(Value::Null, text));
        rows.push(row);
    }
    Ok(Answer::rows(rows).with_next(page.next))
}

fn balance(state: &dyn Read, given: &Given) -> Result<Answer, QueryError> {
    let query = Search::of(key(given.text("KEY").unwrap_or_default())?);
    let balance = search::balance(&state, &query)?;
    Ok(Answer::row([text(balance.satoshis), balance.outputs.into()]))
}

fn output(state: &dyn Read, given: &Given) -> Result<Answer, QueryError> {
    let at = outpoint(given, "OUTPUT")?;
    let found = keeper::output(&state, at)?;
    let found =
        found.ok_or_else(|| QueryError::Missing(format!("output `{}` is unknown", Shown(&at))))?;
    let field = |name: &str, value: Value| vec![text(name), value];
    let [height, index, seen] = cells(found.score);
    let mut rows = vec![field("satoshis", found.satoshis.into())];
    match seen {
        Value::Null => rows.extend([field("height", height), field("index", index)]),
        seen => rows.push(field("seen", seen)),
    }
    rows.extend(found.spender.map(|spender| field("spent by", text(spender))));
    rows.extend(found.events.iter().map(|event| field("event", text(event::print(event)))));
    for topic in keeper::topics_of(&state, at)? {
        rows.push(field("topic", text(&topic)));
    }
    for (tag, value) in found.data {
        let tag = symbol::unescape(&tag).unwrap_or_else(|| tag.as_str().to_owned());
        rows.push(field(&format!("data {tag}"), value));
    }
    Ok(Answer::rows(rows))
}

fn topics(state: &dyn Read, _: &Given) -> Result<Answer, QueryError> {
    let topics = keeper::topics(&state)?;
    Ok(Answer::rows(topics.into_iter().map(|(topic, count)| vec![text(topic), count.into()])))
}

fn listed(state: &dyn Read, key: TxKey, given: &Given) -> Result<Answer, QueryError> {
    let (from, to) = bounds(given)?;
    let after = given.parse_optional("after")?;
    let query = TxQuery { key, from, to, reverse: given.has("reverse"), after };
    let page = search::transactions(&state, &query, given.parse("limit")?)?;
    let row = |hit: search::TxHit| {
        let mut row = vec![text(hit.txid)];
        row.extend(cells(hit.score));
        row
    };
    Ok(Answer::rows(page.hits.into_iter().map(row)).with_next(page.next))
}

fn applied(state: &dyn Read, given: &Given) -> Result<Answer, QueryError> {
    listed(state, TxKey::Applied(given.parse("TOPIC")?), given)
}

fn log(state: &dyn Read, given: &Given) -> Result<Answer, QueryError> {
    listed(state, TxKey::Log(given.parse("LOG")?), given)
}

fn progress(state: &dyn Read, _: &Given) -> Result<Answer, QueryError> {
    let row = |(source, height): (Source, u32)| match source {
        Source::Subscription(name) => vec![text("subscription"), text(name), height.into()],
        Source::Owner(owner) => vec![text("owner"), text(owner), height.into()],
    };
    Ok(Answer::rows(keeper::sources(&state)?.into_iter().map(row)))
}

fn peers(state: &dyn Read, _: &Given) -> Result<Answer, QueryError> {
    let peers = keeper::peers(&state)?.into_iter();
    Ok(Answer::rows(
        peers.map(|peer| vec![text(peer.topic), text(peer.host), peer.nanoseconds.into()]),
    ))
}

fn dead(state: &dyn Read, given: &Given) -> Result<Answer, QueryError> {
    let all = given.text("TOKEN").unwrap_or_default();
    let token = event::parse_token(all).map_err(|why| QueryError::argument("TOKEN", all, why))?;
    let dead = keeper::dead::<Tokens>(&state, &TokensKey::from(token))?;
    Ok(Answer::rows(dead.iter().map(|outpoint| vec![text(Shown(outpoint))])))
}

fn rollback(tx: &mut Tx<'_>, given: &Given) -> Result<Answer, QueryError> {
    let row = |txid: Txid, effect: &str| vec![text(txid), text(effect)];
    match (given.parse_optional::<Txid>("TXID")?, given.parse_optional("to")?) {
        (Some(txid), None) => {
            let taken = undo::rollback(tx, txid)?;
            let released = taken.released.into_iter().map(|(topic, outpoint)| {
                row(outpoint.txid, &format!("output {} left topic {topic}", outpoint.vout))
            });
            let gone = taken.transactions.iter().map(|txid| row(*txid, "rolled back"));
            Ok(Answer::rows(gone.chain(released)))
        }
        (None, Some(height)) => {
            let removed = undo::rollback_to(tx, height, given.parse("time")?)?;
            Ok(Answer::rows(removed.orphaned.iter().map(|txid| row(*txid, "unconfirmed"))))
        }
        _ => Err(QueryError::Usage("expected either a transaction, or `--to` and a height")),
    }
}
