//! The cost of proving by the number of keyspaces.

use crate::plot::{Chart, Line};
use keyscape_bench::prove::{self, Proved, SIZES, Shape};
use serde_json::{Value, json};
use std::{fmt::Write, fs, process::Command};

/// The number of repetitions of each measurement. The fastest counts.
const TIMES: usize = 3;

/// One measurement.
#[derive(Clone, Debug)]
pub struct Point {
    /// The title of the layouts that were proved.
    pub what: String,
    /// The number of keyspaces, for a generated layout.
    pub keyspaces: Option<usize>,
    /// The milliseconds of reading and proving.
    pub milliseconds: f64,
    /// The peak memory of the process in MiB, if the system provides it.
    pub mebibytes: Option<f64>,
    /// The number of claims.
    pub claims: usize,
    /// The number of proved claims.
    pub proved: usize,
}

/// Measures proving of the project's layouts and of generated layouts.
///
/// # Errors
/// Returns a message if a process fails.
pub fn measure() -> Result<Vec<Point>, String> {
    let mut points = vec![
        best("sound layouts of the project", None, &["sound"])?,
        best("all layouts of the project", None, &["all"])?,
    ];
    for shape in Shape::ALL {
        for size in SIZES {
            eprintln!("proving {size} keyspaces, {}", shape.title());
            points.push(best(shape.title(), Some(size), &[shape.name(), &size.to_string()])?);
        }
    }
    Ok(points)
}

fn best(what: &str, keyspaces: Option<usize>, args: &[&str]) -> Result<Point, String> {
    let mut best: Option<Point> = None;
    for _ in 0..TIMES {
        let point = in_own_process(what, keyspaces, args)?;
        if best.as_ref().is_none_or(|known| point.milliseconds < known.milliseconds) {
            best = Some(point);
        }
    }
    best.ok_or_else(|| "nothing was measured".to_owned())
}

fn in_own_process(what: &str, keyspaces: Option<usize>, args: &[&str]) -> Result<Point, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new(own).arg("--prove").args(args).output();
    let output = output.map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut parts = said.split_whitespace().map(str::parse::<f64>);
    let (Some(Ok(milliseconds)), Some(Ok(kibibytes)), Some(Ok(claims)), Some(Ok(proved))) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return Err(format!("proving {what} said `{said}`"));
    };
    Ok(Point {
        what: what.to_owned(),
        keyspaces,
        milliseconds,
        mebibytes: (kibibytes > 0.0).then_some(kibibytes / 1024.0),
        claims: claims as usize,
        proved: proved as usize,
    })
}

/// Proves the layouts that `args` select, and returns one line with the cost. [`measure`] runs
/// this function in a separate process.
///
/// # Errors
/// Returns a message if `args` select nothing.
pub fn probe(args: &[String]) -> Result<String, String> {
    let Proved { time, claims, proved } = match args {
        [which] if which == "sound" || which == "all" => prove::project(which == "sound")?,
        [shape, size] => {
            let shape = Shape::ALL.into_iter().find(|known| known.name() == shape);
            let size = size.parse().ok();
            let (shape, size) = shape.zip(size).ok_or("there is no such shape or size")?;
            prove::generated(shape, size)?
        }
        _ => return Err("say what to prove".to_owned()),
    };
    Ok(format!("{} {} {claims} {proved}", time.as_secs_f64() * 1e3, peak_memory()))
}

/// Returns the peak memory of this process in KiB, or 0 if the system does not provide it.
fn peak_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|line| line.split_whitespace().next());
    number.and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// Appends the measurements and the targets as Markdown.
pub fn markdown(points: &[Point], plot: Option<&str>, text: &mut String) {
    text.push_str(
        "\n## Proving\n\nReading a layout and deciding every claim, fixes included; each in a \
         process of its own, the fastest of three. A generated keyspace has a text, a number and \
         a scan in order.\n\n\
         | layout | keyspaces | ms | ms a keyspace | MiB at most | claims | proved |\n\
         |---|---:|---:|---:|---:|---:|---:|\n",
    );
    for point in points {
        let count = |count: Option<usize>| count.map_or("–".to_owned(), |n| n.to_string());
        let number = |value: Option<f64>, digits| {
            value.map_or("–".to_owned(), |value| format!("{value:.digits$}"))
        };
        let each = point.keyspaces.map(|keyspaces| point.milliseconds / keyspaces as f64);
        let _ = writeln!(
            text,
            "| {} | {} | {:.0} | {} | {} | {} | {} |",
            point.what,
            count(point.keyspaces),
            point.milliseconds,
            number(each, 3),
            number(point.mebibytes, 0),
            point.claims,
            point.proved,
        );
    }
    if let Some(plot) = plot {
        let _ = writeln!(text, "\n![Time of proving by number of keyspaces]({plot})");
    }
    text.push('\n');
    for (name, met, is) in targets(points) {
        let verdict = if met { "Met" } else { "Missed" };
        let _ = writeln!(text, "- {name}: {is}. {verdict}.");
    }
}

fn targets(points: &[Point]) -> Vec<(String, bool, String)> {
    let mut found = Vec::new();
    for point in points {
        let limits = match point.keyspaces {
            None => Some((100.0, f64::INFINITY)),
            Some(500) => Some((1e3, f64::INFINITY)),
            Some(5000) => Some((1e4, 1024.0)),
            Some(_) => None,
        };
        let Some((most, memory)) = limits else { continue };
        let held = point.mebibytes.unwrap_or(f64::INFINITY);
        let mut name = point.keyspaces.map_or(String::new(), |n| format!("{n} keyspaces, "));
        let _ = write!(name, "{}, in less than {most:.0} ms", point.what);
        let mut is = format!("{:.0} ms", point.milliseconds);
        let met = point.milliseconds < most && (memory.is_infinite() || held < memory);
        if memory.is_finite() {
            name.push_str(" and 1 GiB");
            let _ = write!(is, " and {held:.0} MiB");
        }
        found.push((name, met, is));
    }
    found
}

/// Returns the plot of the measurements.
#[must_use]
pub fn chart(points: &[Point]) -> Chart {
    let line = |shape: Shape| {
        let of_shape = points.iter().filter(move |point| point.what == shape.title());
        let point = |point: &Point| Some((point.keyspaces? as f64, point.milliseconds));
        Line { title: shape.title().to_owned(), points: of_shape.filter_map(point).collect() }
    };
    Chart {
        across: "keyspaces",
        unit: "milliseconds",
        marks: SIZES.map(|size| size as f64).to_vec(),
        lines: Shape::ALL.into_iter().map(line).collect(),
    }
}

/// Returns the measurements as JSON.
#[must_use]
pub fn json(points: &[Point]) -> Value {
    let points = points.iter().map(|point| {
        json!({
            "what": point.what,
            "keyspaces": point.keyspaces,
            "milliseconds": point.milliseconds,
            "mebibytes": point.mebibytes,
            "claims": point.claims,
            "proved": point.proved,
        })
    });
    points.collect()
}
