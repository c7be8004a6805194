//! Tasks of several tenants: numbers, due dates, tags, and a queue of reminders.

keyscape::layout!("tasks.keys");

use keyscape::{
    Backoff, Error,
    store::{Read, Tx},
};
use serde::{Deserialize, Serialize};
use tasks::{BY_DUE, NUMBERS, REMINDERS, TAGGED, TASKS};

/// A task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// The text that users see.
    pub title: String,
    /// The due date, in the unit of the program.
    pub due: u64,
    /// The tags.
    pub tags: Vec<String>,
}

impl tasks::ByDueFields for Task {
    fn due(&self) -> u64 {
        self.due
    }
}

/// Adds a task with its tags and its reminder. Returns its number.
///
/// # Errors
/// Errors of the database, or a tenant or tag outside its domain. Then nothing is written.
pub fn add(tx: &mut Tx<'_>, tenant: &str, task: &Task) -> Result<u64, Error> {
    tx.attempt(|tx| {
        let id = NUMBERS.next_of(tx, tenant)?;
        TASKS.put(tx, (tenant, id), task)?;
        for tag in &task.tags {
            TAGGED.add(tx, (tenant, tag), id)?;
        }
        REMINDERS.push(tx, tenant, id, task.due)?;
        Ok(id)
    })
}

/// Deletes a task. Returns whether it existed.
///
/// # Errors
/// Errors of the database.
pub fn remove(tx: &mut Tx<'_>, tenant: &str, id: u64) -> Result<bool, Error> {
    tx.attempt(|tx| {
        let Some(task) = TASKS.take(tx, (tenant, id))? else { return Ok(false) };
        for tag in &task.tags {
            TAGGED.remove(tx, (tenant, tag), id)?;
        }
        REMINDERS.remove(tx, tenant, id)?;
        Ok(true)
    })
}

/// Returns the tasks of a tenant that are due before a date, the earliest first.
///
/// # Errors
/// Errors of the database.
pub fn due(state: &impl Read, tenant: &str, before: u64) -> Result<Vec<(u64, Task)>, Error> {
    let rows = BY_DUE.prefix_tenant(tenant).range(..before).rows(state)?;
    rows.map(|row| row.map(|(key, task)| (key.id, task))).collect()
}

/// Returns the numbers of the tasks of a tenant with a tag.
///
/// # Errors
/// Errors of the database.
pub fn tagged(state: &impl Read, tenant: &str, tag: &str) -> Result<Vec<u64>, Error> {
    TAGGED.members((tenant, tag)).to_vec(state)
}

/// Sends the reminder of the task that is due first. Returns its number, or `None` if no reminder
/// waits. A reminder that cannot be sent is retried later.
///
/// # Errors
/// Errors of the database.
pub fn remind(
    tx: &mut Tx<'_>,
    tenant: &str,
    now: u64,
    send: impl FnOnce(&Task) -> bool,
) -> Result<Option<u64>, Error> {
    let Some(claim) = REMINDERS.claim(tx, tenant, now, 60, 1)?.pop() else { return Ok(None) };
    let task = TASKS.get(tx, (tenant, claim.member))?;
    if task.is_none_or(|task| send(&task)) {
        REMINDERS.ack(tx, tenant, &claim)?;
    } else {
        REMINDERS.fail(
            tx,
            tenant,
            &claim,
            now,
            &Backoff { first: 60, most: 3_600, attempts: 5 },
        )?;
    }
    Ok(Some(claim.member))
}
