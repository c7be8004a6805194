//! Tasks of several tenants: numbers, due dates, tags, and a queue of reminders.

keyscape::layout!("tasks.keys");

use keyscape::{
    Backoff, Error, Extracted,
    store::{Read, Tx},
};
use serde::{Deserialize, Serialize};
use tasks::{BY_DUE, BY_TAG, NUMBERS, REMINDERS, TASKS, Tag};

/// A task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// The text that users see.
    pub title: String,
    /// The due date, in the unit of the program.
    pub due: Option<u64>,
    /// The tags.
    pub tags: Vec<String>,
}

impl tasks::ByDueFields for Task {
    fn due(&self) -> Extracted<Option<u64>> {
        Ok(self.due)
    }
}

impl tasks::ByTagFields for Task {
    fn tag(&self) -> Extracted<Vec<Tag<'_>>> {
        self.tags.iter().map(|tag| Ok(Tag::new(tag.as_str())?)).collect()
    }
}

/// Adds a task, with a reminder if it has a due date. Returns its number.
///
/// # Errors
/// Errors of the database, or a tenant or tag outside its domain. Then nothing is written.
pub fn add(tx: &mut Tx<'_>, tenant: &str, task: &Task) -> Result<u64, Error> {
    tx.attempt(|tx| {
        let id = NUMBERS.next_of(tx, tenant)?;
        TASKS.put(tx, (tenant, id), task)?;
        if let Some(due) = task.due {
            REMINDERS.push(tx, tenant, id, due)?;
        }
        Ok(id)
    })
}

/// Deletes a task. Returns whether it existed.
///
/// # Errors
/// Errors of the database.
pub fn remove(tx: &mut Tx<'_>, tenant: &str, id: u64) -> Result<bool, Error> {
    tx.attempt(|tx| {
        REMINDERS.remove(tx, tenant, id)?;
        Ok(TASKS.take(tx, (tenant, id))?.is_some())
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

/// Returns the tasks of a tenant with a tag.
///
/// # Errors
/// Errors of the database.
pub fn tagged(state: &impl Read, tenant: &str, tag: &str) -> Result<Vec<(u64, Task)>, Error> {
    let rows = BY_TAG.prefix_tenant_tag(tenant, tag).rows(state)?;
    rows.map(|row| row.map(|(key, task)| (key.id, task))).collect()
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
        REMINDERS.fail(tx, tenant, &claim, now, &Backoff { first: 60, max: 3_600, attempts: 5 })?;
    }
    Ok(Some(claim.member))
}
