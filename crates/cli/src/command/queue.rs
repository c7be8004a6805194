//! `keyscape queue`

use super::target::{Target, not_written};
use crate::{
    database::{
        Additions, Body, DatabaseError, Entry, OpenDatabase, Part, QueueItem, RowFilter,
        space_name, writer,
    },
    failure::{Exit, Failure},
    input::name,
    output::{entry_json, stderr, stdout},
};
use clap::{Args, Subcommand};
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
/// Proves the layout and verifies the checksums of the whole file first. Exit status: 1 if there is
/// nothing to claim or revive, or if the claim is lost.
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
        #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
        max: u64,
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
            Operation::Claim { target, now, until, max } => claim(&target, now, until, max)?,
            Operation::Ack(Claimed { target, token }) => {
                let acked = on_member(&target, Some(token), |tx, queue, member| {
                    queue.ack(tx, member, token)
                })?;
                if acked == Acked::Again {
                    stderr::line("the member was pushed during the lease, and is ready again");
                }
            }
            Operation::Retry { claimed: Claimed { target, token }, at } => {
                on_member(&target, Some(token), |tx, queue, member| {
                    queue.retry(tx, member, token, at)
                })?;
            }
            Operation::Extend { claimed: Claimed { target, token }, until } => {
                on_member(&target, Some(token), |tx, queue, member| {
                    queue.extend(tx, member, token, until)
                })?;
            }
            Operation::Bury(Claimed { target, token }) => {
                on_member(&target, Some(token), |tx, queue, member| queue.bury(tx, member, token))?;
            }
            Operation::Revive { target } => {
                if !on_member(&target, None, |tx, queue, member| queue.revive(tx, member))? {
                    return Err(Failure::refuted("the queue has no dead member of this name"));
                }
            }
        }
        Ok(Exit::Fine)
    }
}

/// Claims members, and prints their items.
fn claim(target: &Target, now: u64, until: u64, max: u64) -> Result<(), Failure> {
    if until <= now {
        return Err(Failure::input(
            format!("the lease would end at {until}, which is not after {now}"),
            "give a later `--until`",
        ));
    }
    let max = usize::try_from(max).unwrap_or(usize::MAX);
    let layout = target.database.load()?;
    let claims = in_queue(target, &layout, None, |base, tx, filter| {
        let id = filter.keyspace;
        let mut claims = Vec::new();
        for claim in writer(base).queue(id, &filter.key)?.claim(tx, now, until, max)? {
            let record = |why| {
                let name = &layout.keyspace(id).name;
                DatabaseError::without_help(format!("a record of `{name}` cannot be read: {why}"))
            };
            let member = base.reader.member(id, &claim.member).map_err(record)?;
            let score = base.reader.score(id, &claim.score).map_err(record)?;
            let (state, attempts, token) = (State::Leased(until), claim.attempts, claim.token);
            let item = QueueItem { state, attempts, token, score, again: None };
            let body = Body::Part { family: Family::Item, part: Part::Item { member, item } };
            claims.push(Entry { keyspace: id, key: filter.key.clone(), body });
        }
        Ok(claims)
    })?;
    let mut lines = Vec::new();
    claims.iter().for_each(|entry| entry_json::put_listed(&layout, entry, &mut lines));
    stdout::print_data(&lines)?;
    if claims.is_empty() { Err(Failure::refuted("there is nothing to claim")) } else { Ok(()) }
}

/// Runs an operation on the member that the arguments name. If the operation needs a claim, `token`
/// is its token.
fn on_member<T>(
    target: &Target,
    token: Option<u64>,
    mut run: impl FnMut(&mut Tx<'_>, &QueueRecords, &[u8]) -> Result<T, Error>,
) -> Result<T, Failure> {
    let layout = target.database.load()?;
    in_queue(target, &layout, token, |base, tx, filter| {
        let writer = writer(base);
        let member = writer.member(filter.keyspace, filter.member.as_ref())?;
        Ok(run(tx, &writer.queue(filter.keyspace, &filter.key)?, &member)?)
    })
}

/// Runs an operation on the queue that the arguments name, in one commit.
fn in_queue<T>(
    target: &Target,
    layout: &Layout,
    token: Option<u64>,
    mut run: impl FnMut(&OpenDatabase<'_>, &mut Tx<'_>, &RowFilter) -> Result<T, DatabaseError>,
) -> Result<T, Failure> {
    let id = name::keyspace_of_kind(layout, &target.keyspace, KeyspaceKind::Queue)?;
    let filter = target.row_filter(layout)?;
    let base = target.database.open(layout, Additions::default())?;
    base.db.write(|tx| run(&base, tx, &filter)).map_err(|error| match (&error, token) {
        (DatabaseError::Access(access), Some(token)) => match access.kind() {
            ErrorKind::ClaimLost { key, .. } => lost(&base, id, key, token).unwrap_or(error.into()),
            _ => error.into(),
        },
        _ => not_written(layout, &filter, error),
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
        Some((State::Leased(until), current)) => (
            format!("`{token}` is not the token of the lease, which is {current} until {until}"),
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
