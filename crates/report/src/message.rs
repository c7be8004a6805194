//! A message: a title, places in the layout, and the lines below.

use super::{
    snippet,
    style::{self, paint},
};
use anstyle::Style;
use keyscape_layout::{Sources, Span};
use std::fmt::Write;

/// The severity of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// A claim is refuted, or something is a mistake.
    Error,
    /// Something may be a mistake.
    Warning,
    /// A claim is not decided.
    Unknown,
    /// A claim does not hold, and the layout says so.
    Accepted,
    /// Keyscape itself is wrong.
    Bug,
}

impl Level {
    const fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Unknown => "unknown",
            Self::Accepted => "accepted",
            Self::Bug => "bug",
        }
    }

    /// Returns its colour.
    #[must_use]
    pub const fn style(self) -> Style {
        match self {
            Self::Error | Self::Bug => style::ERROR,
            Self::Warning | Self::Unknown => style::UNKNOWN,
            Self::Accepted => style::ACCEPTED,
        }
    }
}

/// A text at a place of the layout.
#[derive(Clone, Debug)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// The text; may be empty.
    pub text: String,
    /// Whether it is the place that the message is about.
    pub primary: bool,
}

/// A message about a layout.
#[derive(Clone, Debug)]
pub struct Message {
    /// The severity.
    pub level: Level,
    /// The rule that it is about.
    pub code: Option<&'static str>,
    /// The problem, on one line.
    pub title: String,
    /// The first is the place that the message is about.
    pub labels: Vec<Label>,
    /// The lines below the snippet, with colours.
    pub body: Vec<String>,
    /// The advice after `help:`.
    pub help: Option<String>,
}

impl Message {
    /// A message with a title only.
    pub fn new(level: Level, title: impl Into<String>) -> Self {
        let (title, body) = (title.into(), Vec::new());
        Self { level, code: None, title, labels: Vec::new(), body, help: None }
    }

    /// An error with a title only.
    pub fn error(title: impl Into<String>) -> Self {
        Self::new(Level::Error, title)
    }

    /// With the rule that it is about.
    #[must_use]
    pub fn code(mut self, code: &'static str) -> Self {
        self.code = Some(code);
        self
    }

    /// With the place that the message is about.
    #[must_use]
    pub fn at(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.insert(0, Label { span, text: text.into(), primary: true });
        self
    }

    /// With another place that matters.
    #[must_use]
    pub fn beside(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into(), primary: false });
        self
    }

    /// With a help line, if there is one.
    #[must_use]
    pub fn with_help(mut self, help: Option<String>) -> Self {
        self.help = help;
        self
    }

    /// Adds a line below.
    pub fn line(&mut self, line: impl Into<String>) {
        self.body.push(line.into());
    }

    /// Renders the message with colours.
    #[must_use]
    pub fn render(&self, sources: Option<&Sources>) -> String {
        let mut word = self.level.word().to_owned();
        if let Some(code) = self.code {
            word.push_str(&format!("[{code}]"));
        }
        let word = paint(self.level.style(), word);
        let mut text = format!("{word}{}\n", paint(style::TITLE, format_args!(": {}", self.title)));
        if let (Some(sources), false) = (sources, self.labels.is_empty()) {
            snippet::render(&self.labels, sources, self.level.style(), &mut text);
        }
        for line in &self.body {
            let _ = writeln!(text, "  {}", line.trim_end());
        }
        if let Some(help) = &self.help {
            let _ = writeln!(text, "  {} {help}", paint(style::HELP, "help:"));
        }
        text
    }
}
