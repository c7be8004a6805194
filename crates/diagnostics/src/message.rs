//! Messages with a title, places in the layout, and further lines.

use super::{
    escape::escaped,
    snippet,
    style::{self, paint},
    table::Table,
};
use anstyle::Style;
use keyscape_layout::{Diagnostic, Rejected, Sources, Span};
use std::fmt::{Display, Write};

/// The severity of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// A refuted claim, or an error.
    Error,
    /// A possible error.
    Warning,
    /// An undecided claim.
    Unknown,
    /// A failing claim that the layout accepts.
    Accepted,
    /// A bug of Keyscape.
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

    /// Returns the colour of the severity.
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
    /// The place in the layout.
    pub span: Span,
    /// The text at the place, possibly empty.
    pub text: String,
    /// Whether this is the main place of the message.
    pub primary: bool,
}

/// A message about a layout.
#[derive(Clone, Debug)]
pub struct Message {
    /// The severity.
    pub level: Level,
    /// The code of the rule.
    pub code: Option<&'static str>,
    /// The problem, on one line.
    pub title: String,
    /// The labels. The first one is the main place.
    pub labels: Vec<Label>,
    /// The lines below the snippet, with colours. Text from layouts in them is escaped.
    pub body: Vec<String>,
    /// The advice after `help:`.
    pub help: Option<String>,
}

impl Message {
    /// Creates a message with only a title.
    pub fn new(level: Level, title: impl Into<String>) -> Self {
        let (title, body) = (title.into(), Vec::new());
        Self { level, code: None, title, labels: Vec::new(), body, help: None }
    }

    /// Creates an error with only a title.
    pub fn error(title: impl Into<String>) -> Self {
        Self::new(Level::Error, title)
    }

    /// Sets the code of the rule.
    #[must_use]
    pub fn code(mut self, code: &'static str) -> Self {
        self.code = Some(code);
        self
    }

    /// Adds the main place.
    #[must_use]
    pub fn at(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.insert(0, Label { span, text: text.into(), primary: true });
        self
    }

    /// Adds a further place.
    #[must_use]
    pub fn beside(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into(), primary: false });
        self
    }

    /// Sets the help line.
    #[must_use]
    pub fn with_help(mut self, help: Option<String>) -> Self {
        self.help = help;
        self
    }

    /// Adds the lines of a table below the snippet.
    pub fn table(&mut self, table: &Table) {
        self.body.extend(table.lines(self.level.style()));
    }

    /// Adds a line with a lead in bold: `in practice: …`.
    pub fn note(&mut self, lead: &str, text: impl Display) {
        self.line(format!("{} {text}", paint(style::TITLE, format_args!("{lead}:"))));
    }

    /// Adds a line below the snippet.
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
        let title = escaped(&self.title);
        let mut text = format!("{word}{}\n", paint(style::TITLE, format_args!(": {title}")));
        if let (Some(sources), false) = (sources, self.labels.is_empty()) {
            snippet::render(&self.labels, sources, self.level.style(), &mut text);
        }
        for line in &self.body {
            let _ = writeln!(text, "  {}", line.trim_end());
        }
        if let Some(help) = &self.help {
            let _ = writeln!(text, "  {} {}", paint(style::HELP, "help:"), escaped(help));
        }
        text
    }
}

impl From<&Diagnostic> for Message {
    fn from(diagnostic: &Diagnostic) -> Self {
        let mut message = Self::error(&diagnostic.message).at(diagnostic.span, &diagnostic.label);
        for (span, label) in &diagnostic.related {
            message = message.beside(*span, label);
        }
        message.with_help(diagnostic.help.clone())
    }
}

/// Describes all errors of a layout.
#[must_use]
pub fn rejected(rejected: &Rejected) -> String {
    let mut text = String::new();
    for found in &rejected.diagnostics {
        text.push_str(&Message::from(found).render(Some(&rejected.sources)));
        text.push('\n');
    }
    let count = rejected.mistakes();
    let path = rejected.sources.files().first().map_or("", |file| file.path.as_str());
    let mistakes = if count == 1 { "1 mistake" } else { &format!("{count} mistakes") };
    text.push_str(&format!("{path}: {mistakes}\n"));
    text
}

/// Removes the colours of a text.
#[must_use]
pub fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}
