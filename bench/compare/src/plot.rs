//! Growth as a picture: both axes logarithmic, so that a straight line of slope one is linear.

use crate::scale::Point;
use keyscape_bench::prove::{SIZES, Shape};
use std::fmt::Write;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 30.0;
const BOTTOM: f64 = 50.0;
const COLOURS: [&str; 2] = ["#1b6ca8", "#c2571a"];

/// Both axes, from the smallest to the largest value.
struct Axes {
    keyspaces: (f64, f64),
    milliseconds: (f64, f64),
}

impl Axes {
    fn at(&self, keyspaces: f64, milliseconds: f64) -> (f64, f64) {
        let part = |value: f64, (low, high): (f64, f64)| (value / low).ln() / (high / low).ln();
        let x = LEFT + part(keyspaces, self.keyspaces) * (WIDTH - LEFT - RIGHT);
        let y = HEIGHT - BOTTOM - part(milliseconds, self.milliseconds) * (HEIGHT - TOP - BOTTOM);
        (x, y)
    }
}

/// The picture; `None` if nothing was generated.
#[must_use]
pub fn svg(points: &[Point]) -> Option<String> {
    let generated = || points.iter().filter(|point| point.keyspaces.is_some());
    let times: Vec<f64> = generated().map(|point| point.milliseconds).collect();
    let least = times.iter().copied().reduce(f64::min)?;
    let most = times.iter().copied().reduce(f64::max)?;
    // Whole decades, so that each end has a label.
    let milliseconds = (10_f64.powf(least.log10().floor()), 10_f64.powf(most.log10().ceil()));
    let axes = Axes { keyspaces: (100.0, 5000.0), milliseconds };
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n"
    );
    grid(&axes, &mut text);
    for (index, shape) in Shape::ALL.into_iter().enumerate() {
        let of_shape = generated().filter(|point| point.what == shape.title());
        line(&axes, of_shape, COLOURS[index], &mut text);
        let y = TOP + 16.0 * (index as f64 + 1.0);
        let _ = writeln!(
            text,
            "<text x=\"{}\" y=\"{y}\" fill=\"{}\">{}</text>",
            LEFT + 12.0,
            COLOURS[index],
            shape.title()
        );
    }
    text.push_str("</svg>\n");
    Some(text)
}

fn grid(axes: &Axes, text: &mut String) {
    let bottom = HEIGHT - BOTTOM;
    for size in SIZES {
        let (x, _) = axes.at(size as f64, axes.milliseconds.0);
        let _ = writeln!(
            text,
            "<path d=\"M{x:.1} {TOP}V{bottom}\" stroke=\"#ddd\"/>\
             <text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{size}</text>",
            bottom + 18.0
        );
    }
    let mut decade = axes.milliseconds.0;
    while decade <= axes.milliseconds.1 * 1.01 {
        let (_, y) = axes.at(axes.keyspaces.0, decade);
        let _ = writeln!(
            text,
            "<path d=\"M{LEFT} {y:.1}H{}\" stroke=\"#ddd\"/>\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{decade} ms</text>",
            WIDTH - RIGHT,
            LEFT - 8.0,
            y + 4.0
        );
        decade *= 10.0;
    }
    let _ = writeln!(
        text,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">keyspaces</text>",
        LEFT + (WIDTH - LEFT - RIGHT) / 2.0,
        HEIGHT - 10.0
    );
}

fn line<'a>(axes: &Axes, points: impl Iterator<Item = &'a Point>, colour: &str, text: &mut String) {
    let mut path = String::new();
    for point in points {
        let Some(keyspaces) = point.keyspaces else { continue };
        let (x, y) = axes.at(keyspaces as f64, point.milliseconds);
        let _ = write!(path, "{}{x:.1} {y:.1}", if path.is_empty() { "M" } else { "L" });
        let _ = writeln!(text, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>");
    }
    let _ =
        writeln!(text, "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>");
}
