//! Colours. They repeat what the text says: output without them loses nothing.

use anstyle::{AnsiColor, Color, Style};
use std::fmt::Display;

const fn colour(colour: AnsiColor) -> Style {
    Style::new().fg_color(Some(Color::Ansi(colour)))
}

/// A claim that is refuted, or a mistake.
pub const ERROR: Style = colour(AnsiColor::BrightRed).bold();
/// A claim that is not decided, or a warning.
pub const UNKNOWN: Style = colour(AnsiColor::Yellow).bold();
/// A claim that is accepted.
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
