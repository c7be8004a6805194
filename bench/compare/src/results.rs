//! The results of a run.

use crate::{
    bank::counts,
    evolution,
    fixture::CACHE,
    machine::Machine,
    probes::Counts,
    scale::{self, Point},
    systems,
    typed::growth,
};
use keyscape_bench::{Entry, Group, rounds, rounds::Plan, statistics::Median};
use serde_json::{Value, json};

/// The result of one side of a group.
#[derive(Clone, Debug)]
pub struct SideResult {
    /// The name of the side.
    pub name: &'static str,
    /// A remark for readers of the numbers.
    pub note: &'static str,
    /// The nanoseconds of one operation.
    pub nanoseconds: Median,
    /// The time of this side divided by the time of the first side.
    pub to_first: Median,
    /// The number of allocations of one operation, if counted.
    pub allocations: Option<f64>,
    /// The number of instructions of one operation, if counted.
    pub instructions: Option<f64>,
}

/// The result of one group.
#[derive(Clone, Debug)]
pub struct GroupResult {
    /// The name of the group.
    pub id: String,
    /// A description of the work.
    pub title: String,
    /// The results of the sides, in the order of the group.
    pub sides: Vec<SideResult>,
}

/// A whole run.
#[derive(Clone, Debug)]
pub struct Run {
    /// The machine and the date.
    pub machine: Machine,
    /// The number and the length of the rounds.
    pub plan: Plan,
    /// The selected part of the groups, or `None` for all.
    pub part: Option<String>,
    /// The results of the groups.
    pub groups: Vec<GroupResult>,
    /// The cost of proving by the size of a layout.
    pub proving: Vec<Point>,
    /// The cost of structures by their size.
    pub growth: Vec<growth::Point>,
    /// The cost of a send of the bank.
    pub bank: Vec<counts::Point>,
    /// The cost of operations of the systems.
    pub systems: Vec<systems::Point>,
    /// The cost of changes of layouts.
    pub evolution: Vec<evolution::Point>,
}

/// Measures one group.
pub fn measure(entry: &Entry, plan: Plan, counts: &Counts) -> GroupResult {
    let mut group: Group = (entry.build)();
    let times = rounds::measure(&mut group, plan);
    let sides = group.sides.iter().zip(times).enumerate();
    let sides = sides.map(|(at, (side, times))| SideResult {
        name: side.name,
        note: side.note,
        nanoseconds: times.nanoseconds,
        to_first: times.to_first,
        allocations: counts.allocations(&entry.id, at),
        instructions: counts.instructions(&entry.id, at),
    });
    GroupResult { id: entry.id.clone(), title: group.title.clone(), sides: sides.collect() }
}

/// Returns a median as JSON.
#[must_use]
pub fn interval(median: &Median) -> Value {
    json!({"median": median.value, "low": median.low, "high": median.high})
}

impl Run {
    /// Returns the run as JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        let groups = self.groups.iter().map(|group| {
            let sides = group.sides.iter().map(|side| {
                json!({
                    "name": side.name,
                    "note": side.note,
                    "nanoseconds": interval(&side.nanoseconds),
                    "to_first": interval(&side.to_first),
                    "allocations": side.allocations,
                    "instructions": side.instructions,
                })
            });
            let sides: Vec<Value> = sides.collect();
            json!({"id": group.id, "title": group.title, "sides": sides})
        });
        let groups: Vec<Value> = groups.collect();
        json!({
            "date": self.machine.date,
            "commit": self.machine.commit,
            "processor": self.machine.processor,
            "cores": self.machine.cores,
            "load": self.machine.load,
            "compiler": self.machine.compiler,
            "filesystem": self.machine.filesystem,
            "sync_microseconds": self.machine.sync.as_micros() as u64,
            "redb_cache_bytes": CACHE,
            "rounds": self.plan.rounds,
            "turn_microseconds": self.plan.turn.as_micros() as u64,
            "confidence": 0.95,
            "groups": groups,
            "proving": scale::json(&self.proving),
            "structures": growth::json(&self.growth),
            "sends": counts::json(&self.bank),
            "systems": systems::json(&self.systems),
            "evolution": evolution::json(&self.evolution),
        })
    }

    /// Returns the common name of the files of this run, without extensions.
    #[must_use]
    pub fn name(&self) -> String {
        let part = self.part.as_ref().map_or(String::new(), |part| format!("-{part}"));
        format!("{}-{}{part}", self.machine.date, self.machine.commit)
    }
}
