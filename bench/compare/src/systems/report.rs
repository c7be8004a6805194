//! Measurements of the systems as tables, plots and JSON.

use super::{Point, SIZES};
use crate::{
    plot::{Chart, Line},
    results::interval,
};
use keyscape::store::Count;
use serde_json::{Value, json};
use std::fmt::Write;

/// The identity of a table row: a system, an operation, and the unit of the size.
type Row = [&'static str; 3];

/// The quantities that are plotted.
#[derive(Clone, Copy)]
enum Quantity {
    Rows,
    Time,
}

impl Quantity {
    const ALL: [Quantity; 2] = [Quantity::Rows, Quantity::Time];

    fn unit(self) -> &'static str {
        match self {
            Quantity::Rows => "rows read and written",
            Quantity::Time => "µs an operation",
        }
    }

    fn of(self, point: &Point) -> f64 {
        let Count { gets, rows, puts, deletes, .. } = point.count;
        match self {
            Quantity::Rows => (gets + rows + puts + deletes) as f64,
            Quantity::Time => point.nanoseconds.value / 1e3,
        }
    }

    /// Returns the suffix of the file name of a plot.
    fn plot(self, system: &str) -> String {
        let quantity = match self {
            Quantity::Rows => "rows",
            Quantity::Time => "time",
        };
        format!("-{system}-{quantity}")
    }
}

fn systems(points: &[Point]) -> Vec<&'static str> {
    let mut systems: Vec<_> = points.iter().map(|point| point.system).collect();
    systems.dedup();
    systems
}

/// Returns the table rows of a system in the order of measurement.
fn rows(points: &[Point], system: &str) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for point in points.iter().filter(|point| point.system == system) {
        let row = [point.system, point.operation, point.by];
        if !rows.contains(&row) {
            rows.push(row);
        }
    }
    rows
}

fn of(points: &[Point], row: Row) -> impl Iterator<Item = &Point> {
    points.iter().filter(move |point| [point.system, point.operation, point.by] == row)
}

/// Appends the measurements as Markdown. `plot` returns the file of a plot, if plots are saved.
pub fn markdown(points: &[Point], plot: impl Fn(&str) -> Option<String>, text: &mut String) {
    text.push_str(
        "\n## Operations of the systems as their states grow\n\nOne operation in a transaction on \
         the memory engine, without the commit. Rows: read by key, read by cursors, written. \
         Bytes: read, written.\n",
    );
    for system in systems(points) {
        let sizes = SIZES.map(|size| size.to_string()).join(" | ");
        let _ = write!(
            text,
            "\n### {system}\n\n| operation | by | cost | {sizes} |\n|---|---|---|{}\n",
            "---:|".repeat(SIZES.len()),
        );
        for row in rows(points, system) {
            line(points, row, "rows", rows_cell, text);
            line(points, row, "bytes", bytes_cell, text);
            line(points, row, "µs", time_cell, text);
        }
        for quantity in Quantity::ALL {
            if let Some(plot) = plot(&quantity.plot(system)) {
                let _ = writeln!(text, "\n![{system}: {}]({plot})", quantity.unit());
            }
        }
    }
}

fn line(points: &[Point], row: Row, cost: &str, cell: fn(&Point) -> String, text: &mut String) {
    let [_, operation, by] = row;
    let cells: Vec<String> = of(points, row).map(cell).collect();
    let _ = writeln!(text, "| {operation} | {by} | {cost} | {} |", cells.join(" | "));
}

fn rows_cell(point: &Point) -> String {
    let Count { gets, rows, puts, deletes, .. } = point.count;
    format!("{gets}, {rows}, {}", puts + deletes)
}

fn bytes_cell(point: &Point) -> String {
    format!("{}, {}", point.count.bytes_read, point.count.bytes_written)
}

fn time_cell(point: &Point) -> String {
    format!("{:.1}", point.nanoseconds.times(1e-3))
}

/// Returns the plots with the suffixes of their file names.
#[must_use]
pub fn charts(points: &[Point]) -> Vec<(String, Chart)> {
    let mut charts = Vec::new();
    for system in systems(points) {
        for quantity in Quantity::ALL {
            let line = |row: Row| Line {
                title: format!("{}, by {}", row[1], row[2]),
                points: of(points, row)
                    .map(|point| (point.size as f64, quantity.of(point)))
                    .collect(),
            };
            let chart = Chart {
                across: "size",
                unit: quantity.unit(),
                marks: SIZES.map(|size| size as f64).to_vec(),
                lines: rows(points, system).into_iter().map(line).collect(),
            };
            charts.push((quantity.plot(system), chart));
        }
    }
    charts
}

/// Returns the measurements as JSON.
#[must_use]
pub fn json(points: &[Point]) -> Value {
    let points = points.iter().map(|point| {
        json!({
            "system": point.system,
            "operation": point.operation,
            "by": point.by,
            "size": point.size,
            "gets": point.count.gets,
            "puts": point.count.puts,
            "deletes": point.count.deletes,
            "cursors": point.count.seeks,
            "cursor_rows": point.count.rows,
            "bytes_read": point.count.bytes_read,
            "bytes_written": point.count.bytes_written,
            "nanoseconds": interval(&point.nanoseconds),
        })
    });
    points.collect()
}
