//! Colours. The text contains the same information without them.

use anstyle::{AnsiColor, Color, Style};
use std::fmt::Display;

const fn colour(colour: AnsiColor) -> Style {
    Style::new().fg_color(Some(Color::Ansi(colour)))
}

/// A refuted claim, or an error.
pub const ERROR: Style = colour(AnsiColor::BrightRed).bold();
/// An undecided claim, or a warning.
pub const UNKNOWN: Style = colour(AnsiColor::Yellow).bold();
/// An accepted claim.
pub const ACCEPTED: Style = colour(AnsiColor::Cyan).bold();
/// The frame of a snippet.
pub const FRAME: Style = colour(AnsiColor::BrightBlue).bold();
/// A help line.
pub const HELP: Style = colour(AnsiColor::Green).bold();
/// A title.
pub const TITLE: Style = Style::new().bold();
/// Less important text.
pub const FAINT: Style = Style::new().dimmed();

/// The colours of the parts of a key, in turn.
pub const PARTS: [Style; 6] = [
    colour(AnsiColor::Cyan),
    colour(AnsiColor::Yellow),
    colour(AnsiColor::Green),
    colour(AnsiColor::Magenta),
    colour(AnsiColor::BrightBlue),
    colour(AnsiColor::BrightRed),
];

/// Returns text in a style.
pub fn paint(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}
