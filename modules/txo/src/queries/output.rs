//! The query of one output.

use super::{cells, key};
use crate::{
    error::{Error, Shown},
    event, keeper,
    layout::txo::Outpoint,
    symbol,
};
use keyscape::store::Read;
use keyscape_query::{Answer, Arguments, QueryError, text};
use serde_json::{Map, Value, json};

pub(super) fn output(state: &dyn Read, given: &Arguments) -> Result<Answer, QueryError> {
    let at = key::outpoint("OUTPUT", given.text("OUTPUT").unwrap_or_default())?;
    let Some(found) = keeper::output(&state, at)? else {
        return Err(QueryError::Missing(format!("output `{}` is unknown", Shown(&at))));
    };
    let mut row = vec![text(Shown(&at)), text(found.satoshis)];
    row.extend(cells(found.score));
    row.push(found.spender.map_or(Value::Null, text));
    row.push(found.events.iter().map(|event| text(event::print(event))).collect());
    row.push(topics(&state, at)?);
    let data = found.data.into_iter().map(|(tag, value)| {
        (symbol::unescape(&tag).unwrap_or_else(|| tag.as_str().to_owned()), value)
    });
    row.push(Value::Object(data.collect::<Map<_, _>>()));
    Ok(Answer::row(row))
}

/// Returns the topics that have admitted an output, with their data about it.
fn topics(state: &impl Read, at: Outpoint) -> Result<Value, Error> {
    let mut topics = Vec::new();
    for topic in keeper::topics_of(state, at)? {
        let admission = keeper::admission(state, &topic, at)?.unwrap_or_default();
        let inputs = admission.inputs.iter().map(|input| Shown(input).to_string());
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
