//! Sides take turns, so that what disturbs the machine disturbs all of them.

use crate::{Group, Side, inputs::COUNT, statistics::Median, statistics::median};
use std::time::Duration;

/// How much is measured.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// How often each side gets its turn.
    pub rounds: usize,
    /// How long a turn is, roughly.
    pub turn: Duration,
}

/// What was measured of one side.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// Nanoseconds of one operation.
    pub nanoseconds: Median,
    /// The time of this side divided by the time of the first side in the same round.
    pub to_first: Median,
}

/// Measures all sides of a group.
pub fn measure(group: &mut Group, plan: Plan) -> Vec<Times> {
    let batches: Vec<u32> =
        group.sides.iter_mut().map(|side| calibrated(side, plan.turn)).collect();
    let count = group.sides.len();
    let mut rounds: Vec<Vec<f64>> = Vec::with_capacity(plan.rounds);
    for round in 0..plan.rounds {
        let mut times = vec![0.0; count];
        for turn in 0..count {
            // Another side begins each round, and every second round goes backwards.
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

/// How many batches fill a turn. The fastest of a few tries counts: the others were disturbed.
fn calibrated(side: &mut Side, turn: Duration) -> u32 {
    // What many batches use up would not fit the cache, which the others do not suffer.
    if side.prepares() {
        return 1;
    }
    side.time(2);
    let fastest = (0..5).map(|_| side.time(2)).min().unwrap_or_default() / 2;
    let batches = turn.as_nanos() / fastest.as_nanos().max(1);
    u32::try_from(batches).unwrap_or(u32::MAX).clamp(1, 1 << 16)
}
