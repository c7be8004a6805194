//! Plots of growth. Both axes are logarithmic, so linear growth is a straight line of slope one.

use std::fmt::Write;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 90.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 30.0;
const BOTTOM: f64 = 50.0;
/// The height of one line of the legend.
const NAMES: f64 = 16.0;
const COLOURS: [&str; 8] =
    ["#1b6ca8", "#c2571a", "#3a7d34", "#7a3f98", "#0d9aa6", "#a3283b", "#8a7a12", "#4b5563"];

/// The data of a plot.
#[derive(Clone, Debug)]
pub struct Chart {
    /// The quantity of the horizontal axis.
    pub across: &'static str,
    /// The unit of the vertical axis.
    pub unit: &'static str,
    /// The marks of the horizontal axis, in ascending order.
    pub marks: Vec<f64>,
    /// The lines to draw.
    pub lines: Vec<Line>,
}

/// One line of a plot.
#[derive(Clone, Debug)]
pub struct Line {
    /// The name of the line in the legend.
    pub title: String,
    /// The points of the line, horizontal coordinate first.
    pub points: Vec<(f64, f64)>,
}

/// The smallest and the largest value of both axes, and the vertical position of their upper end.
struct Axes {
    across: (f64, f64),
    up: (f64, f64),
    top: f64,
}

impl Axes {
    fn at(&self, (across, up): (f64, f64)) -> (f64, f64) {
        let part = |value: f64, (low, high): (f64, f64)| (value / low).ln() / (high / low).ln();
        let x = LEFT + part(across, self.across) * (WIDTH - LEFT - RIGHT);
        let y = HEIGHT - BOTTOM - part(up, self.up) * (HEIGHT - self.top - BOTTOM);
        (x, y)
    }
}

/// Draws a plot as SVG. Returns `None` if the chart has no points or no marks.
#[must_use]
pub fn svg(chart: &Chart) -> Option<String> {
    let values = || chart.lines.iter().flat_map(|line| &line.points).map(|point| point.1);
    let (least, most) = (values().reduce(f64::min)?, values().reduce(f64::max)?);
    // Whole decades, because only whole decades have labels.
    let up = (10_f64.powf(least.log10().floor()), 10_f64.powf(most.log10().ceil()));
    let top = TOP + NAMES * chart.lines.len() as f64;
    let axes = Axes { across: (*chart.marks.first()?, *chart.marks.last()?), up, top };
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n"
    );
    grid(chart, &axes, &mut text);
    for (index, line) in chart.lines.iter().enumerate() {
        let colour = COLOURS[index % COLOURS.len()];
        draw(&axes, line, colour, &mut text);
        let (x, y) = (LEFT + 12.0, NAMES * (index as f64 + 1.0));
        let title = &line.title;
        let _ = writeln!(text, "<text x=\"{x}\" y=\"{y}\" fill=\"{colour}\">{title}</text>");
    }
    text.push_str("</svg>\n");
    Some(text)
}

fn grid(chart: &Chart, axes: &Axes, text: &mut String) {
    let (top, bottom) = (axes.top, HEIGHT - BOTTOM);
    for mark in &chart.marks {
        let (x, _) = axes.at((*mark, axes.up.0));
        let _ = writeln!(
            text,
            "<path d=\"M{x:.1} {top}V{bottom}\" stroke=\"#ddd\"/>\
             <text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{mark}</text>",
            bottom + 18.0
        );
    }
    let mut decade = axes.up.0;
    while decade <= axes.up.1 * 1.01 {
        let (_, y) = axes.at((axes.across.0, decade));
        let _ = writeln!(
            text,
            "<path d=\"M{LEFT} {y:.1}H{}\" stroke=\"#ddd\"/>\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{decade}</text>",
            WIDTH - RIGHT,
            LEFT - 8.0,
            y + 4.0
        );
        decade *= 10.0;
    }
    let _ = writeln!(
        text,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}, by {}</text>",
        LEFT + (WIDTH - LEFT - RIGHT) / 2.0,
        HEIGHT - 10.0,
        chart.unit,
        chart.across,
    );
}

fn draw(axes: &Axes, line: &Line, colour: &str, text: &mut String) {
    let mut path = String::new();
    for point in &line.points {
        let (x, y) = axes.at(*point);
        let _ = write!(path, "{}{x:.1} {y:.1}", if path.is_empty() { "M" } else { "L" });
        let _ = writeln!(text, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>");
    }
    let _ =
        writeln!(text, "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>");
}
