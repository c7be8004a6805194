//! Parses the keys of searches and the ids in arguments.

use crate::{
    event, keeper,
    layout::txo::{Name, Outpoint, TokenId, Txid},
    search::Key,
};
use keyscape::store::Read;
use keyscape_query::QueryError;

/// Parses a transaction id in upper or lower case.
pub(super) fn txid(name: &'static str, all: &str, id: &str) -> Result<Txid, QueryError> {
    let wrong = |_| QueryError::argument(name, all, "expected 64 hexadecimal digits");
    id.to_ascii_lowercase().parse().map_err(wrong)
}

/// Parses an outpoint: `txid.vout` or `txid_vout`.
pub(super) fn outpoint(name: &'static str, all: &str) -> Result<Outpoint, QueryError> {
    let wrong = |why: &str| QueryError::argument(name, all, why);
    let parts = all.split_once('.').or_else(|| all.split_once('_'));
    let (id, index) = parts.ok_or_else(|| wrong("expected `TXID.INDEX`"))?;
    let vout = index.parse().ok().filter(|vout: &u32| vout.to_string() == index);
    let vout = vout.ok_or_else(|| wrong("expected an index after the transaction, such as `2`"))?;
    Ok(Outpoint { txid: txid(name, all, id)?, vout })
}

/// Parses the id of a token in upper or lower case.
pub(super) fn token(name: &'static str, text: &str) -> Result<TokenId, QueryError> {
    let token = event::parse_token(&text.to_ascii_lowercase());
    token.map_err(|why| QueryError::argument(name, text, why))
}

/// Parses the key of a set: its text after `z:`. A symbol may have its escaped form, as `output`
/// prints it, or any other. An unknown topic or transaction is an error.
pub(super) fn read(state: &impl Read, given: &str, is_spent: bool) -> Result<Key, QueryError> {
    let wrong = |why: &str| QueryError::argument("KEY", given, why);
    if let Some((kind, rest)) = given.split_once(':')
        && matches!(kind, "tp" | "merkle" | "by")
    {
        if is_spent {
            return Err(wrong("`--spent` applies to events only"));
        }
        return match kind {
            "tp" => topic(state, given, rest).map(Key::Topic),
            "merkle" => merkle(state, given, rest),
            _ => spent_by(state, given, rest),
        };
    }
    let text = lower_ids(given);
    let event = event::parse(&text).or_else(|_| event::read(&text)).map_err(|why| {
        match given.ends_with(":spnd") {
            true => wrong("`--spent` searches spent outputs; give the event without `:spnd`"),
            false => wrong(&why.to_string()),
        }
    })?;
    Ok(if is_spent { Key::Spent(event) } else { Key::Event(event) })
}

/// Parses a topic that has outputs.
fn topic(state: &impl Read, given: &str, topic: &str) -> Result<Name<'static>, QueryError> {
    if let Some(topic) = topic.strip_suffix(":tx") {
        let why = format!("`txo applied DB {topic}` lists the transactions of a topic");
        return Err(QueryError::argument("KEY", given, why));
    }
    let name = Name::new(topic.to_owned());
    let name = name.map_err(|why| QueryError::argument("KEY", given, why))?;
    known_topic(state, name)
}

/// Returns a topic if it has outputs.
pub(super) fn known_topic(
    state: &impl Read,
    topic: Name<'static>,
) -> Result<Name<'static>, QueryError> {
    match keeper::topic_count(state, &topic)? {
        0 => Err(QueryError::Missing(format!("the topic `{topic}` has no outputs"))),
        _ => Ok(topic),
    }
}

fn merkle(state: &impl Read, given: &str, rest: &str) -> Result<Key, QueryError> {
    let wrong = || QueryError::argument("KEY", given, "expected `merkle:TOPIC:STATE`");
    let (name, number) = rest.rsplit_once(':').ok_or_else(wrong)?;
    let number = number.parse().map_err(|_| wrong())?;
    Ok(Key::Merkle(topic(state, given, name)?, number))
}

fn spent_by(state: &impl Read, given: &str, rest: &str) -> Result<Key, QueryError> {
    let by = txid("KEY", given, rest)?;
    match keeper::transaction_score(state, by)? {
        Some(_) => Ok(Key::SpentBy(by)),
        None => Err(QueryError::Missing(format!("transaction {by} is unknown"))),
    }
}

/// Converts the ids of transactions in an event to lower case. Addresses are case-sensitive.
fn lower_ids(text: &str) -> String {
    let (start, id) = match text.split_once(':') {
        Some(("txid" | "id" | "ltm" | "pow20", _)) => text.split_at(text.find(':').unwrap_or(0)),
        Some(("p2pkh" | "cos" | "list", _)) => text.split_at(text.rfind(':').unwrap_or(0)),
        _ => return text.to_owned(),
    };
    format!("{start}{}", id.to_ascii_lowercase())
}
