//! Rounds in which all sides take turns. A disturbance of the machine then affects all sides.

use crate::{Group, Side, inputs::COUNT, statistics::Median, statistics::median};
use std::time::Duration;

/// The extent of a measurement.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The number of turns of each side.
    pub rounds: usize,
    /// The approximate length of a turn.
    pub turn: Duration,
}

/// The times of one side.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// The nanoseconds of one operation.
    pub nanoseconds: Median,
    /// The time of this side divided by the time of the first side in the same round.
    pub to_first: Median,
}

/// Measures all sides of a group in turns.
pub fn measure(group: &mut Group, plan: Plan) -> Vec<Times> {
    let batches: Vec<u32> =
        group.sides.iter_mut().map(|side| calibrated(side, plan.turn)).collect();
    let count = group.sides.len();
    let mut rounds: Vec<Vec<f64>> = Vec::with_capacity(plan.rounds);
    for round in 0..plan.rounds {
        let mut times = vec![0.0; count];
        for turn in 0..count {
            // Rotate the first side every two rounds, and reverse the order in every second round.
            let at = (round / 2 + turn) % count;
            let at = if round % 2 == 0 { at } else { count - 1 - at };
            let elapsed = group.sides[at].time(batches[at]);
            times[at] = elapsed.as_nanos() as f64 / f64::from(batches[at]) / COUNT as f64;
        }
        rounds.push(times);
    }
    let of = |value: &dyn Fn(&[f64]) -> f64| median(rounds.iter().map(|r| value(r)).collect());
    (0..count)
        .map(|at| Times { nanoseconds: of(&|r| r[at]), to_first: of(&|r| r[at] / r[0]) })
        .collect()
}

/// Returns the number of batches in a turn. The fastest of five trials counts, because the others
/// were disturbed.
fn calibrated(side: &mut Side, turn: Duration) -> u32 {
    // The prepared input of many batches would not fit in the cache, a penalty for this side only.
    if side.prepares() {
        return 1;
    }
    side.time(2);
    let fastest = (0..5).map(|_| side.time(2)).min().unwrap_or_default() / 2;
    let batches = turn.as_nanos() / fastest.as_nanos().max(1);
    u32::try_from(batches).unwrap_or(u32::MAX).clamp(1, 1 << 16)
}
