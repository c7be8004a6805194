//! The queries of the system, for programs that render them.

use crate::{
    Amounts, Error, keeper,
    layout::badges::{Address, COLLECTIONS, Id},
};
use keyscape::store::Read;
use keyscape_query::{AFTER, Answer, Argument, Arguments, Form, LIMIT, Query, QueryError, text};

const COLLECTION: Argument =
    Argument::new("COLLECTION", Form::Required, "The id of the collection");

/// The queries.
pub const QUERIES: &[Query] = &[
    Query::read("collections", "List the collections", collections)
        .with_arguments(&[LIMIT, AFTER])
        .with_columns(&["collection", "created by", "deleting"])
        .with_example("--limit 10"),
    Query::read("balance", "Print the badges of a user in a collection, by ids and times", balance)
        .with_arguments(&[
            COLLECTION,
            Argument::new("ADDRESS", Form::Required, "The address of the user"),
        ])
        .with_columns(&["badges", "times", "amount"])
        .with_example("1 bb1…"),
    Query::read("total", "Print the badges of all users in a collection, by ids and times", total)
        .with_arguments(&[COLLECTION])
        .with_columns(&["badges", "times", "amount"])
        .with_example("1"),
    Query::read("manager", "Print the manager of a collection at a time", manager)
        .with_arguments(&[
            COLLECTION,
            Argument::new("TIME", Form::Required, "The time in milliseconds since 1970"),
        ])
        .with_columns(&["manager", "archived"])
        .with_example("1 1700000000000"),
];

impl From<Error> for QueryError {
    fn from(error: Error) -> QueryError {
        QueryError::failed(error)
    }
}

fn id(arguments: &Arguments) -> Result<Id, QueryError> {
    Ok(Id(arguments.parse("COLLECTION")?))
}

fn collections(state: &dyn Read, arguments: &Arguments) -> Result<Answer, QueryError> {
    arguments.listing(
        COLLECTIONS.prefix_all().scan(state)?,
        |(key, _)| key.collection.to_string(),
        |(key, collection)| {
            let deleting = collection.deleting.into();
            Ok(vec![text(key.collection), text(collection.created_by), deleting])
        },
    )
}

/// Returns the id of an existing collection.
fn existing(state: &dyn Read, arguments: &Arguments) -> Result<Id, QueryError> {
    let id = id(arguments)?;
    match COLLECTIONS.contains(state, id)? {
        true => Ok(id),
        false => Err(QueryError::Missing(format!("there is no collection {id}"))),
    }
}

fn amounts(amounts: &Amounts) -> Answer {
    let row = |(ids, times, amount)| vec![text(ids), text(times), text(amount)];
    Answer::rows(amounts.iter().map(row))
}

fn balance(state: &dyn Read, arguments: &Arguments) -> Result<Answer, QueryError> {
    let user: Address<'static> = arguments.parse("ADDRESS")?;
    Ok(amounts(&keeper::amounts(state, existing(state, arguments)?, &user)?))
}

fn total(state: &dyn Read, arguments: &Arguments) -> Result<Answer, QueryError> {
    Ok(amounts(&keeper::total(state, existing(state, arguments)?)?))
}

fn manager(state: &dyn Read, arguments: &Arguments) -> Result<Answer, QueryError> {
    let (id, time) = (existing(state, arguments)?, arguments.parse("TIME")?);
    let manager = keeper::manager(state, id, time)?.unwrap_or_default();
    Ok(Answer::row([text(manager), keeper::is_archived(state, id, time)?.into()]))
}
