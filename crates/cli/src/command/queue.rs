//! `keyscape queue`

use super::target::{Target, not_written};
use crate::{
    database::{
        Additions, Body, DatabaseError, Entry, OpenDatabase, Part, QueueItem, Writer, space_name,
    },
    failure::{Exit, Failure},
    input::InputError,
    output::{entry_json, message::Message, stderr, stdout},
};
use clap::{Args, Subcommand};
use keyscape_diagnostics::suggestion;
use keyscape_layout::{
    Layout,
    model::{KeyspaceId, KeyspaceKind},
};
use keyscape_runtime::{
    Acked, Error, ErrorKind,
    engine::QueueRecords,
    record::{Family, State},
};
use keyscape_store::{ReadExt, StoreId, Tx};

/// Work on the members of a queue
///
/// `put` pushes a member and `delete` removes one. A claim leases members to you and prints them
/// with their tokens, as `scan --format json` does. Acknowledge, retry or bury each member with its
/// token before the lease ends; `bury` makes it dead. Times are integers in the unit that the
/// program uses.
///
/// The checksums of the whole file are verified first, and the layout is proved. Exit status: 1 if
/// there is nothing to claim or revive, or if the claim is lost.
#[derive(Args, Debug)]
#[command(after_help = "\
EXAMPLES
  keyscape put game.redb jobs game=1 member=ann -- 5
  keyscape queue claim game.redb jobs game=1 --now 100 --until 130
  keyscape queue ack game.redb jobs game=1 member=ann --token 1")]
pub(crate) struct Queue {
    #[command(subcommand)]
    operation: Operation,
}

#[derive(Debug, Subcommand)]
enum Operation {
    /// Claim members that are ready, due, or whose lease has ended
    #[command(after_help = "\
EXAMPLES
  keyscape queue claim game.redb jobs game=1 --now 100 --until 130
  keyscape queue claim game.redb jobs game=1 --now 100 --until 130 --max 10")]
    Claim {
        #[command(flatten)]
        target: Target,
        /// The current time
        #[arg(long, value_name = "TIME")]
        now: u64,
        /// The end of the lease
        #[arg(long, value_name = "TIME")]
        until: u64,
        /// The maximum number of members
        #[arg(long, value_name = "N", default_value_t = 1, value_parser = at_least_one)]
        max: usize,
    },
    /// Acknowledge finished work: remove the member, or queue it again if it was pushed meanwhile
    #[command(after_help = "\
EXAMPLES
  keyscape queue ack game.redb jobs game=1 member=ann --token 1")]
    Ack(Claimed),
    /// Retry failed work later
    #[command(after_help = "\
EXAMPLES
  keyscape queue retry game.redb jobs game=1 member=ann --token 1 --at 200")]
    Retry {
        #[command(flatten)]
        claimed: Claimed,
        /// The time at which the member is due
        #[arg(long, value_name = "TIME")]
        at: u64,
    },
    /// Extend a lease
    #[command(after_help = "\
EXAMPLES
  keyscape queue extend game.redb jobs game=1 member=ann --token 1 --until 160")]
    Extend {
        #[command(flatten)]
        claimed: Claimed,
        /// The new end of the lease
        #[arg(long, value_name = "TIME")]
        until: u64,
    },
    /// Make a member dead: it cannot be claimed until it is revived
    #[command(after_help = "\
EXAMPLES
  keyscape queue bury game.redb jobs game=1 member=ann --token 1")]
    Bury(Claimed),
    /// Make a dead member ready
    #[command(after_help = "\
EXAMPLES
  keyscape queue revive game.redb jobs game=1 member=ann")]
    Revive {
        #[command(flatten)]
        target: Target,
    },
}

fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("expected a number from 1".to_owned()),
        Ok(number) => Ok(number),
    }
}

#[derive(Args, Debug)]
struct Claimed {
    #[command(flatten)]
    target: Target,
    /// The token of the claim
    #[arg(long, value_name = "N")]
    token: u64,
}

impl Queue {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        match self.operation {
            Operation::Claim { target, now, until, max } => claim(&target, now, until, max),
            Operation::Ack(claimed) => {
                let token = claimed.token;
                let acked = on_member(&claimed.target, Some(token), |tx, queue, member| {
                    queue.ack(tx, member, token)
                })?;
                if acked == Acked::Again {
                    stderr::line("the member was pushed during the lease, and is ready again");
                }
                Ok(Exit::Fine)
            }
            Operation::Retry { claimed: Claimed { target, token }, at } => {
                on_member(&target, Some(token), |tx, queue, member| {
                    queue.retry(tx, member, token, at)
                })?;
                Ok(Exit::Fine)
            }
            Operation::Extend { claimed: Claimed { target, token }, until } => {
                on_member(&target, Some(token), |tx, queue, member| {
                    queue.extend(tx, member, token, until)
                })?;
                Ok(Exit::Fine)
            }
            Operation::Bury(Claimed { target, token }) => {
                on_member(&target, Some(token), |tx, queue, member| queue.bury(tx, member, token))?;
                Ok(Exit::Fine)
            }
            Operation::Revive { target } => {
                if on_member(&target, None, |tx, queue, member| queue.revive(tx, member))? {
                    return Ok(Exit::Fine);
                }
                stderr::say(&Message::error("there is no dead member of this name"));
                Ok(Exit::Refuted)
            }
        }
    }
}

/// Claims members, and prints their items.
fn claim(target: &Target, now: u64, until: u64, max: usize) -> Result<Exit, Failure> {
    if until <= now {
        return Err(Failure::input(
            format!("the lease would end at {until}, which is not after {now}"),
            "give a later `--until`",
        ));
    }
    let layout = target.database.load()?;
    let wanted = target.row_filter(&layout)?;
    let id = queue_id(&layout, wanted.keyspace)?;
    let base = target.database.open(&layout, Additions::default())?;
    let writer = Writer { reader: &base.reader, with_entries: false };
    let claims = base.db.write(|tx| {
        let queue = writer.queue(id, &wanted.key)?;
        let mut claims = Vec::new();
        for claim in queue.claim(tx, now, until, max)? {
            let record = |why| {
                let name = &layout.keyspace(id).name;
                DatabaseError::without_help(format!("a record of `{name}` cannot be read: {why}"))
            };
            let member = base.reader.member(id, &claim.member).map_err(record)?;
            let score = base.reader.score(id, &claim.score).map_err(record)?;
            let (state, attempts, token) = (State::Leased(until), claim.attempts, claim.token);
            let item = QueueItem { state, attempts, token, score, again: None };
            let body = Body::Part { family: Family::Item, part: Part::Item { member, item } };
            claims.push(Entry { keyspace: id, key: wanted.key.clone(), body });
        }
        Ok(claims)
    });
    let claims = claims.map_err(|error| not_written(&layout, &wanted, error))?;
    let mut lines = Vec::new();
    claims.iter().for_each(|entry| entry_json::put_listed(&layout, entry, &mut lines));
    stdout::print_data(&lines)?;
    if claims.is_empty() {
        stderr::say(&Message::error("there is nothing to claim"));
        return Ok(Exit::Refuted);
    }
    Ok(Exit::Fine)
}

/// Runs an operation on the member that the arguments name.
fn on_member<T>(
    target: &Target,
    token: Option<u64>,
    mut run: impl FnMut(&mut Tx<'_>, &QueueRecords, &[u8]) -> Result<T, Error>,
) -> Result<T, Failure> {
    let layout = target.database.load()?;
    let wanted = target.row_filter(&layout)?;
    let id = queue_id(&layout, wanted.keyspace)?;
    let base = target.database.open(&layout, Additions::default())?;
    let writer = Writer { reader: &base.reader, with_entries: false };
    let outcome = base.db.write(|tx| {
        let member = writer.member(id, wanted.member.as_ref())?;
        Ok(run(tx, &writer.queue(id, &wanted.key)?, &member)?)
    });
    outcome.map_err(|error| match (&error, token) {
        (DatabaseError::Access(access), Some(token)) => match access.kind() {
            ErrorKind::ClaimLost { key, .. } => lost(&base, id, key, token).unwrap_or(error.into()),
            _ => error.into(),
        },
        _ => not_written(&layout, &wanted, error),
    })
}

/// Returns the error of a claim that is lost, with the state of the member. `key` is the stored key
/// of its item.
fn lost(base: &OpenDatabase<'_>, id: KeyspaceId, key: &[u8], token: u64) -> Option<Failure> {
    let space = space_name(base.layout, id);
    let value = base.db.read().ok()?.get(StoreId::of(&space), key).ok()?;
    let item = match value {
        None => None,
        Some(value) => match base.reader.read(&space, key, &value).ok()?.body {
            Body::Part { part: Part::Item { item, .. }, .. } => Some(item),
            _ => return None,
        },
    };
    let claim = "claim it with `keyscape queue claim`";
    let (problem, help) = match item.map(|item| (item.state, item.token)) {
        None => (
            "the queue does not contain this member".to_owned(),
            "it was acknowledged or deleted; `keyscape scan` lists the members",
        ),
        Some((State::Leased(until), known)) => (
            format!("`{token}` is not the token of the lease, which is {known} until {until}"),
            "use the token that `keyscape queue claim` printed; a later claim has another token",
        ),
        Some((State::Ready, _)) => {
            ("the member is not leased: it is ready to be claimed".to_owned(), claim)
        }
        Some((State::Waiting(at), _)) => {
            (format!("the member is not leased: it waits until {at}"), claim)
        }
        Some((State::Dead, _)) => (
            "the member is not leased: it is dead".to_owned(),
            "make it ready with `keyscape queue revive`",
        ),
    };
    Some(Failure::described(problem, Some(help.to_owned()), Exit::Refuted))
}

/// Checks that a keyspace is a queue.
fn queue_id(layout: &Layout, id: KeyspaceId) -> Result<KeyspaceId, InputError> {
    if layout.keyspace(id).kind == KeyspaceKind::Queue {
        return Ok(id);
    }
    let queues = layout.keyspaces.iter().filter(|other| other.kind == KeyspaceKind::Queue);
    let queues: Vec<&str> = queues.map(|queue| queue.name.as_str()).collect();
    let given = &layout.keyspace(id).name;
    let help = suggestion::help(given, "queues", &queues);
    Err(InputError::new(format!("`{given}` is not a queue"), help))
}
