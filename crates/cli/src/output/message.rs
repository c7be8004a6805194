//! One thing to say: a title, places in the layout, and what follows from them.

use super::{
    snippet,
    style::{self, paint},
};
use anstyle::Style;
use keyscape_layout::{Sources, Span};
use std::fmt::Write;

/// How a message begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    Error,
    Warning,
    Unknown,
    Accepted,
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

    pub(crate) const fn style(self) -> Style {
        match self {
            Self::Error | Self::Bug => style::ERROR,
            Self::Warning | Self::Unknown => style::UNKNOWN,
            Self::Accepted => style::ACCEPTED,
        }
    }
}

/// Something to say at a place of the layout.
#[derive(Clone, Debug)]
pub(crate) struct Label {
    pub(crate) span: Span,
    pub(crate) text: String,
    /// Whether it is the place that the message is about.
    pub(crate) primary: bool,
}

/// One thing to say.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    pub(crate) level: Level,
    /// The rule that it is about.
    pub(crate) code: Option<&'static str>,
    pub(crate) title: String,
    /// The first is the place that the message is about.
    pub(crate) labels: Vec<Label>,
    /// What follows below, line by line, in colours.
    pub(crate) body: Vec<String>,
    pub(crate) help: Option<String>,
}

impl Message {
    pub(crate) fn new(level: Level, title: impl Into<String>) -> Self {
        let (title, body) = (title.into(), Vec::new());
        Self { level, code: None, title, labels: Vec::new(), body, help: None }
    }

    pub(crate) fn error(title: impl Into<String>) -> Self {
        Self::new(Level::Error, title)
    }

    pub(crate) fn code(mut self, code: &'static str) -> Self {
        self.code = Some(code);
        self
    }

    /// With the place that the message is about.
    pub(crate) fn at(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.insert(0, Label { span, text: text.into(), primary: true });
        self
    }

    /// With another place that matters.
    pub(crate) fn beside(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into(), primary: false });
        self
    }

    pub(crate) fn help_maybe(mut self, help: Option<String>) -> Self {
        self.help = help;
        self
    }

    pub(crate) fn line(&mut self, line: impl Into<String>) {
        self.body.push(line.into());
    }

    /// The whole message, in colours.
    pub(crate) fn render(&self, sources: Option<&Sources>) -> String {
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
