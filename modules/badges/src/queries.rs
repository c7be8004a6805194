//! The queries of the system, for programs that render them.

use crate::{
    Amounts, Error, keeper,
    layout::badges::{Address, COLLECTIONS, Id},
};
use keyscape::store::Read;
use keyscape_query::{
    AFTER, Answer, Argument, Arguments, LIMIT, Query, QueryError, Run, Shape, text,
};

const COLLECTION: Argument = Argument::required("COLLECTION", "The id of the collection");

/// The queries.
pub const QUERIES: &[Query] = &[
    Query {
        name: "collections",
        about: "List the collections",
        arguments: &[LIMIT, AFTER],
        columns: &["collection", "created by", "deleting"],
        shape: Shape::Table,
        example: "--limit 10",
        run: Run::Read(collections),
    },
    Query {
        name: "balance",
        about: "Print the badges of a user in a collection, by ids and times",
        arguments: &[COLLECTION, Argument::required("ADDRESS", "The address of the user")],
        columns: &["badges", "times", "amount"],
        shape: Shape::Table,
        example: "1 bb1…",
        run: Run::Read(balance),
    },
    Query {
        name: "total",
        about: "Print the badges of all users in a collection, by ids and times",
        arguments: &[COLLECTION],
        columns: &["badges", "times", "amount"],
        shape: Shape::Table,
        example: "1",
        run: Run::Read(total),
    },
    Query {
        name: "manager",
        about: "Print the manager of a collection at a time",
        arguments: &[COLLECTION, Argument::required("TIME", "The time in milliseconds since 1970")],
        columns: &["manager", "archived"],
        shape: Shape::Table,
        example: "1 1700000000000",
        run: Run::Read(manager),
    },
];

impl From<Error> for QueryError {
    fn from(error: Error) -> QueryError {
        QueryError::failed(error)
    }
}

fn id(given: &Arguments) -> Result<Id, QueryError> {
    Ok(Id(given.integer("COLLECTION")?))
}

fn collections(state: &dyn Read, given: &Arguments) -> Result<Answer, QueryError> {
    let rows = COLLECTIONS.prefix_all().scan(state).map_err(QueryError::failed)?;
    let rows = rows.map(|row| row.map_err(QueryError::failed));
    given.listing(
        rows,
        |(key, _)| key.collection.to_string(),
        |(key, collection)| {
            let deleting = collection.deleting.into();
            Ok(vec![text(key.collection), text(collection.created_by), deleting])
        },
    )
}

/// Returns the id of an existing collection.
fn known(state: &dyn Read, given: &Arguments) -> Result<Id, QueryError> {
    let id = id(given)?;
    match COLLECTIONS.contains(state, id).map_err(QueryError::failed)? {
        true => Ok(id),
        false => Err(QueryError::Missing(format!("there is no collection {id}"))),
    }
}

fn amounts(amounts: &Amounts) -> Answer {
    let row = |(ids, times, amount)| vec![text(ids), text(times), text(amount)];
    Answer::rows(amounts.iter().map(row))
}

fn balance(state: &dyn Read, given: &Arguments) -> Result<Answer, QueryError> {
    let user: Address<'static> = given.parse("ADDRESS")?;
    Ok(amounts(&keeper::amounts(state, known(state, given)?, &user)?))
}

fn total(state: &dyn Read, given: &Arguments) -> Result<Answer, QueryError> {
    Ok(amounts(&keeper::total(state, known(state, given)?)?))
}

fn manager(state: &dyn Read, given: &Arguments) -> Result<Answer, QueryError> {
    let (id, time) = (known(state, given)?, given.integer("TIME")?);
    let manager = keeper::manager(state, id, time)?.unwrap_or_default();
    Ok(Answer::row([text(manager), keeper::is_archived(state, id, time)?.into()]))
}
