//! The queries of the system, for programs that render them.

use crate::{
    Amounts, Error, keeper,
    layout::badges::{Address, COLLECTIONS, Id},
};
use keyscape::store::Read;
use keyscape_query::{Answer, Argument, Given, LIMIT, Query, QueryError, Run, text};

const COLLECTION: Argument = Argument::required("COLLECTION", "The id of the collection");

/// The queries.
pub const QUERIES: &[Query] = &[
    Query {
        name: "collections",
        about: "List the collections",
        arguments: &[LIMIT],
        columns: &["collection", "created by", "deleting"],
        example: "--limit 10",
        run: Run::Read(collections),
    },
    Query {
        name: "balance",
        about: "Print the badges of a user in a collection, by ids and times",
        arguments: &[COLLECTION, Argument::required("ADDRESS", "The address of the user")],
        columns: &["badges", "times", "amount"],
        example: "1 bb1…",
        run: Run::Read(balance),
    },
    Query {
        name: "total",
        about: "Print the badges of all users in a collection, by ids and times",
        arguments: &[COLLECTION],
        columns: &["badges", "times", "amount"],
        example: "1",
        run: Run::Read(total),
    },
    Query {
        name: "manager",
        about: "Print the manager of a collection at a time",
        arguments: &[COLLECTION, Argument::required("TIME", "The time in milliseconds since 1970")],
        columns: &["manager", "archived"],
        example: "1 1700000000000",
        run: Run::Read(manager),
    },
];

impl From<Error> for QueryError {
    fn from(error: Error) -> QueryError {
        QueryError::failed(error)
    }
}

fn id(given: &Given) -> Result<Id, QueryError> {
    Ok(Id(given.parse("COLLECTION")?))
}

fn collections(state: &dyn Read, given: &Given) -> Result<Answer, QueryError> {
    let limit = given.parse("limit")?;
    let rows = COLLECTIONS.prefix_all().limit(limit).scan(state).map_err(QueryError::failed)?;
    let mut answer = Answer::default();
    for row in rows {
        let (key, collection) = row.map_err(QueryError::failed)?;
        let deleting = collection.deleting.into();
        answer.rows.push(vec![text(key.collection), text(collection.created_by), deleting]);
    }
    Ok(answer)
}

fn amounts(amounts: &Amounts) -> Answer {
    let row = |(ids, times, amount)| vec![text(ids), text(times), text(amount)];
    Answer::rows(amounts.iter().map(row))
}

fn balance(state: &dyn Read, given: &Given) -> Result<Answer, QueryError> {
    let user: Address<'static> = given.parse("ADDRESS")?;
    Ok(amounts(&keeper::amounts(state, id(given)?, &user)?))
}

fn total(state: &dyn Read, given: &Given) -> Result<Answer, QueryError> {
    Ok(amounts(&keeper::total(state, id(given)?)?))
}

fn manager(state: &dyn Read, given: &Given) -> Result<Answer, QueryError> {
    let (id, time) = (id(given)?, given.parse("TIME")?);
    let manager = keeper::manager(state, id, time)?.unwrap_or_default();
    Ok(Answer::row([text(manager), keeper::is_archived(state, id, time)?.into()]))
}
