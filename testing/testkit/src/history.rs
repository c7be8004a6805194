//! Checks that a history of concurrent transactions is serializable.
//!
//! Every value is the list of the transactions that have written the row, and a write appends to
//! it. So each value shows the order of all writes before it. The checker derives which transaction
//! must precede which, and searches for a cycle.

use std::{
    collections::{BTreeMap, VecDeque},
    fmt,
};

/// A row: the number of its store, and its key.
pub type RowId = (u8, u8);

/// A transaction of a history.
#[derive(Clone, Debug)]
pub struct Transaction {
    /// The id, unique in the history.
    pub id: u32,
    /// The times before its begin and after its end, on one clock for all clients.
    pub span: (u64, u64),
    /// The lists that it has read; empty if the row did not exist.
    pub reads: Vec<(RowId, Vec<u32>)>,
    /// The rows that it has appended itself to.
    pub writes: Vec<RowId>,
    /// Whether its commit was acknowledged. Otherwise nothing may be written.
    pub is_committed: bool,
}

/// The reason for which one transaction precedes another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Because {
    /// The other one has read its write.
    WasRead(RowId),
    /// The other one has overwritten its write.
    WasOverwritten(RowId),
    /// It has not seen the write of the other one.
    MissedWrite(RowId),
    /// It had ended when the other one began.
    EndedBefore,
}

impl fmt::Display for Because {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Because::WasRead(row) => write!(f, "wrote {row:?} for"),
            Because::WasOverwritten(row) => write!(f, "wrote {row:?} before"),
            Because::MissedWrite(row) => write!(f, "read {row:?} before the write of"),
            Because::EndedBefore => f.write_str("ended before the begin of"),
        }
    }
}

type Edges = BTreeMap<u32, Vec<(u32, Because)>>;

/// Checks a history against the rows that are left at its end.
///
/// # Errors
/// The first violation: a lost, repeated or forbidden write, or the shortest cycle.
pub fn check(transactions: &[Transaction], end: &BTreeMap<RowId, Vec<u32>>) -> Result<(), String> {
    check_writes(transactions, end)?;
    let mut edges = Edges::new();
    for transaction in transactions.iter().filter(|transaction| transaction.is_committed) {
        for (row, seen) in &transaction.reads {
            let all = end.get(row).map(Vec::as_slice).unwrap_or_default();
            if !all.starts_with(seen) {
                let id = transaction.id;
                return Err(format!(
                    "{id} has read {seen:?} at {row:?}, but its writers are {all:?}"
                ));
            }
            if let Some(writer) = seen.last() {
                add(&mut edges, *writer, transaction.id, Because::WasRead(*row));
            }
            if let Some(next) = all.get(seen.len()) {
                add(&mut edges, transaction.id, *next, Because::MissedWrite(*row));
            }
        }
    }
    for (row, writers) in end {
        for pair in writers.windows(2) {
            add(&mut edges, pair[0], pair[1], Because::WasOverwritten(*row));
        }
    }
    add_times(&mut edges, transactions);
    shortest_cycle(&edges).map_or(Ok(()), Err)
}

/// Checks that exactly the acknowledged writes exist, each once.
fn check_writes(
    transactions: &[Transaction],
    end: &BTreeMap<RowId, Vec<u32>>,
) -> Result<(), String> {
    for Transaction { id, writes, is_committed, .. } in transactions {
        for (row, writers) in end {
            let found = writers.iter().filter(|writer| *writer == id).count();
            let expected = usize::from(*is_committed && writes.contains(row));
            if found != expected {
                return Err(format!(
                    "{id} has written {row:?} {found} times instead of {expected}"
                ));
            }
        }
        if let Some(lost) = writes.iter().find(|row| *is_committed && !end.contains_key(row)) {
            return Err(format!("the write of {id} to {lost:?} is lost"));
        }
    }
    Ok(())
}

fn add(edges: &mut Edges, from: u32, to: u32, because: Because) {
    if from != to {
        edges.entry(from).or_default().push((to, because));
    }
}

/// Adds the order of transactions that did not overlap.
fn add_times(edges: &mut Edges, transactions: &[Transaction]) {
    let committed = || transactions.iter().filter(|transaction| transaction.is_committed);
    for one in committed() {
        for other in committed().filter(|other| one.span.1 < other.span.0) {
            add(edges, one.id, other.id, Because::EndedBefore);
        }
    }
}

/// Returns the shortest cycle as text.
fn shortest_cycle(edges: &Edges) -> Option<String> {
    let cycles = edges.keys().filter_map(|start| cycle_of(edges, *start));
    let cycle = cycles.min_by_key(Vec::len)?;
    let steps: Vec<String> =
        cycle.iter().map(|(from, to, because)| format!("{from} {because} {to}")).collect();
    Some(format!("the history is not serializable: {}", steps.join(", ")))
}

/// Returns the shortest cycle through a transaction.
fn cycle_of(edges: &Edges, start: u32) -> Option<Vec<(u32, u32, Because)>> {
    let mut came: BTreeMap<u32, (u32, Because)> = BTreeMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(at) = queue.pop_front() {
        for (next, because) in edges.get(&at).into_iter().flatten() {
            if came.contains_key(next) {
                continue;
            }
            came.insert(*next, (at, *because));
            if *next == start {
                return Some(path_to(&came, start));
            }
            queue.push_back(*next);
        }
    }
    None
}

fn path_to(came: &BTreeMap<u32, (u32, Because)>, start: u32) -> Vec<(u32, u32, Because)> {
    let mut path = Vec::new();
    let mut at = start;
    while let Some((from, because)) = came.get(&at) {
        path.push((*from, at, *because));
        at = *from;
        if at == start {
            break;
        }
    }
    path.reverse();
    path
}
