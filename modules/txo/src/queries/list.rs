//! Listings.

use super::{bounds, cells, key};
use crate::{
    error::Dotted,
    event,
    keeper::{self, ProgressSource},
    layout::txo::{
        BLACKLIST, LogName, Logs, MERKLE, Name, SETS, SUBSCRIPTIONS, Score, SetName, Subscription,
        TOKENS, TokenId, TopicTxs, Txid, WHITELIST,
    },
};
use keyscape::{PageCursor, Zset, store::Read, traits::ZsetKeyspace};
use keyscape_query::{AFTER, Answer, Arguments, QueryError, REVERSE, text};
use serde_json::Value;

/// Returns items that were read without an error.
fn read_items<T>(items: Vec<T>) -> impl Iterator<Item = Result<T, QueryError>> {
    items.into_iter().map(Ok)
}

pub(super) fn topics(state: &dyn Read, given: &Arguments) -> Result<Answer, QueryError> {
    let topics = read_items(keeper::topics(&state)?);
    let cursor = |(topic, _): &(Name<'static>, u64)| topic.to_string();
    given.listing(topics, cursor, |(topic, count)| Ok(vec![text(topic), count.into()]))
}

pub(super) fn merkle(state: &dyn Read, given: &Arguments) -> Result<Answer, QueryError> {
    let topic = key::known_topic(&state, given.parse("TOPIC")?)?;
    let mut rows = Vec::new();
    for number in keeper::merkle_states(&state, &topic)? {
        let name = match number {
            keeper::UNMINED => text("unmined"),
            keeper::VALIDATED => text("validated"),
            keeper::INVALIDATED => text("invalidated"),
            keeper::IMMUTABLE => text("immutable"),
            _ => Value::Null,
        };
        let members = MERKLE.members((&topic, number));
        let mut members = members.scan(&state)?;
        let mut count = 0_u64;
        while members.next_row()?.is_some() {
            count += 1;
        }
        rows.push(vec![number.into(), name, count.into()]);
    }
    Ok(Answer::rows(rows))
}

/// Lists the transactions of a set; an empty set is `missing`.
fn transactions<K: ZsetKeyspace<Score = Score, Member = Txid>>(
    state: &dyn Read,
    key: K::Key<'_>,
    given: &Arguments,
    missing: String,
) -> Result<Answer, QueryError> {
    let set = Zset::<K>::new();
    if set.members(key.clone()).limit(1).to_vec(&state)?.is_empty() {
        return Err(QueryError::Missing(missing));
    }
    let mut members = set.members(key).range(bounds(given)?);
    if given.has(REVERSE.name) {
        members = members.reverse();
    }
    let after: Option<PageCursor> = given.parse_optional(AFTER.name)?;
    if let Some(cursor) = &after {
        members = members.after(cursor);
    }
    let page = members.page(&state, given.limit()?)?;
    let rows = page.rows.into_iter().map(|found| {
        let mut row = vec![text(found.member)];
        row.extend(cells(found.score));
        row
    });
    Ok(Answer::rows(rows).with_next(page.next))
}

pub(super) fn applied(state: &dyn Read, given: &Arguments) -> Result<Answer, QueryError> {
    let topic: Name<'static> = given.parse("TOPIC")?;
    let missing = format!("the topic `{topic}` has applied no transaction");
    transactions::<TopicTxs>(state, topic.into(), given, missing)
}

pub(super) fn log(state: &dyn Read, given: &Arguments) -> Result<Answer, QueryError> {
    let log: LogName<'static> = given.parse("LOG")?;
    let missing = format!("the log `{log}` has no transactions");
    transactions::<Logs>(state, log.into(), given, missing)
}

pub(super) fn progress(state: &dyn Read, given: &Arguments) -> Result<Answer, QueryError> {
    let parts = |source: &ProgressSource| match source {
        ProgressSource::Subscription(name) => ("subscription", name.to_string()),
        ProgressSource::Owner(owner) => ("owner", owner.to_string()),
    };
    let sources = read_items(keeper::sources(&state)?);
    let cursor = |(source, _): &(ProgressSource, u32)| {
        let (kind, name) = parts(source);
        format!("{kind}/{name}")
    };
    given.listing(sources, cursor, |(source, height)| {
        let (kind, name) = parts(&source);
        Ok(vec![text(kind), text(name), height.into()])
    })
}

pub(super) fn peers(state: &dyn Read, given: &Arguments) -> Result<Answer, QueryError> {
    let peers = read_items(keeper::peers(&state)?);
    let cursor = |peer: &keeper::Peer| format!("{}/{}", peer.topic, peer.host);
    given.listing(peers, cursor, |peer| {
        Ok(vec![text(peer.topic), text(peer.host), text(peer.nanoseconds)])
    })
}

pub(super) fn dead(state: &dyn Read, given: &Arguments) -> Result<Answer, QueryError> {
    let subscription: Option<Subscription<'static>> = given.parse_optional("subscription")?;
    let members: Vec<String> = match (given.text("TOKEN"), subscription) {
        (Some(token), None) => {
            let dead = TOKENS.dead(key::token("TOKEN", token)?).to_vec(&state)?;
            dead.iter().map(|outpoint| Dotted(*outpoint).to_string()).collect()
        }
        (None, Some(subscription)) => {
            let dead = SUBSCRIPTIONS.dead(subscription).to_vec(&state)?;
            dead.iter().map(ToString::to_string).collect()
        }
        _ => {
            let why = "expected either a token, or `--subscription` and a name";
            return Err(QueryError::Usage(why.to_owned()));
        }
    };
    given.listing(read_items(members), Clone::clone, |member| Ok(vec![text(member)]))
}

pub(super) fn lists(state: &dyn Read, given: &Arguments) -> Result<Answer, QueryError> {
    let mut all: Vec<(&str, TokenId)> = Vec::new();
    let white = WHITELIST.members(()).to_vec(&state)?;
    all.extend(white.into_iter().map(|token| ("white", token)));
    let black = BLACKLIST.members(()).to_vec(&state)?;
    all.extend(black.into_iter().map(|token| ("black", token)));
    let cursor = |(list, token): &(&str, TokenId)| format!("{list}/{}", event::print_token(*token));
    given.listing(read_items(all), cursor, |(list, token)| {
        Ok(vec![text(list), text(event::print_token(token))])
    })
}

pub(super) fn sets(state: &dyn Read, given: &Arguments) -> Result<Answer, QueryError> {
    match given.parse_optional::<SetName<'static>>("SET")? {
        None => {
            let sets = SETS.prefix_all().structures(&state)?.map(|key| key.map(|key| key.name));
            given.listing(sets, ToString::to_string, |set| Ok(vec![text(set), Value::Null]))
        }
        Some(set) => {
            let members = SETS.members(&set).to_vec(&state)?;
            if members.is_empty() {
                return Err(QueryError::Missing(format!("there is no set `{set}`")));
            }
            given.listing(read_items(members), ToString::to_string, |member| {
                Ok(vec![text(&set), text(member)])
            })
        }
    }
}
