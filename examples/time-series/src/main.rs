//! A day of measurements: ranges, the latest point, averages, retention.
#![expect(clippy::print_stdout, reason = "the example shows its result")]

use keyscape_example_time_series::{
    averages, latest,
    metrics::{LAYOUT, Series},
    range, record, retain,
};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args().nth(1).unwrap_or_else(|| "metrics.redb".to_owned());
    let db = keyscape_store_redb::open_or_create(&file, &LAYOUT)?;
    let series = Series::new("room.temperature")?;
    db.write(|tx| {
        // One point each ten minutes, in thousandths of a degree.
        (0..144_i64).try_for_each(|step| {
            let value = 20_000 + (step % 36 - 18).abs() * 100;
            record(tx, &series, step.unsigned_abs() * 600_000, value)
        })
    })?;
    let state = db.read()?;
    println!("first hour: {:?}", range(&state, &series, 0..3_600_000)?);
    println!("latest: {:?}", latest(&state, &series)?);
    println!("averages: {:?}", averages(&state, &series)?.get(..3));
    println!("{} points deleted", retain(&db, &series, 12 * 3_600_000)?);
    Ok(())
}
