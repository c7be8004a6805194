//! Growth of accumulators inside and outside of a range.

use crate::{
    Error,
    keeper::accumulators::{Growth, UptimeGrowths, Uptimes, strict},
    values::{AccumulatorContent, Pool, TickInfo},
};

/// Returns the growth of the spread accumulator.
pub(super) fn spread(
    pool: &Pool,
    (lower, upper): (i64, i64),
    ends: (&TickInfo, &TickInfo),
    content: &AccumulatorContent,
) -> Result<Growth, Error> {
    let value = &content.value;
    let side = |info: &TickInfo, is_current: bool| {
        if is_current { strict(value.minus(&info.spread)?) } else { Ok(info.spread.clone()) }
    };
    let above = side(ends.1, pool.tick >= upper)?;
    let below = side(ends.0, pool.tick < lower)?;
    let outside = above.plus(&below)?;
    Ok(Growth { inside: value.minus(&outside)?, outside })
}

/// Returns the growth of the accumulators of all uptimes.
pub(super) fn uptimes(
    pool: &Pool,
    (lower, upper): (i64, i64),
    ends: (&TickInfo, &TickInfo),
    contents: &Uptimes,
) -> Result<UptimeGrowths, Error> {
    let mut all = UptimeGrowths::default();
    let sides = ends.0.uptimes.iter().zip(&ends.1.uptimes);
    for ((growth, content), (below, above)) in all.iter_mut().zip(contents).zip(sides) {
        let inside = if pool.tick < lower {
            below.minus(above)?
        } else if pool.tick < upper {
            strict(content.value.minus(above)?)?.minus(below)?
        } else {
            above.minus(below)?
        };
        let outside = strict(content.value.minus(&inside)?)?;
        *growth = Growth { inside, outside };
    }
    Ok(all)
}
