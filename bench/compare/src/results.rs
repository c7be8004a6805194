//! What was measured.

use crate::{
    bank::counts,
    machine::Machine,
    probes::Counts,
    scale::{self, Point},
    systems,
    typed::{CACHE, growth},
};
use keyscape_bench::{Entry, Group, rounds, rounds::Plan, statistics::Median};
use serde_json::{Value, json};

/// One side of a group.
#[derive(Clone, Debug)]
pub struct SideResult {
    /// Who it is.
    pub name: &'static str,
    /// What a reader must know about it.
    pub note: &'static str,
    /// Nanoseconds of one operation.
    pub nanoseconds: Median,
    /// Its time divided by that of the first side.
    pub to_first: Median,
    /// Allocations of one operation.
    pub allocations: Option<f64>,
    /// Instructions of one operation.
    pub instructions: Option<f64>,
}

/// One group.
#[derive(Clone, Debug)]
pub struct GroupResult {
    /// Its name.
    pub id: String,
    /// What the work is.
    pub title: String,
    /// Who does it.
    pub sides: Vec<SideResult>,
}

/// A whole run.
#[derive(Clone, Debug)]
pub struct Run {
    /// Where and when.
    pub machine: Machine,
    /// How much.
    pub plan: Plan,
    /// Which part of all groups was asked for.
    pub part: Option<String>,
    /// What came out.
    pub groups: Vec<GroupResult>,
    /// How proving grows.
    pub proving: Vec<Point>,
    /// How structures grow.
    pub growth: Vec<growth::Point>,
    /// What a send of the bank costs.
    pub bank: Vec<counts::Point>,
    /// The cost of operations of the systems.
    pub systems: Vec<systems::Point>,
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

fn interval(median: Median) -> Value {
    json!({"median": median.value, "low": median.low, "high": median.high})
}

impl Run {
    /// The run for programs.
    #[must_use]
    pub fn json(&self) -> Value {
        let groups = self.groups.iter().map(|group| {
            let sides = group.sides.iter().map(|side| {
                json!({
                    "name": side.name,
                    "note": side.note,
                    "nanoseconds": interval(side.nanoseconds),
                    "to_first": interval(side.to_first),
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
        })
    }

    /// The name of its files.
    #[must_use]
    pub fn name(&self) -> String {
        let part = self.part.as_ref().map_or(String::new(), |part| format!("-{part}"));
        format!("{}-{}{part}", self.machine.date, self.machine.commit)
    }
}
