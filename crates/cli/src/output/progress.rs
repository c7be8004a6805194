//! The progress of long operations: on stderr, on a terminal only.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::{
    io::IsTerminal,
    time::{Duration, Instant},
};

/// The number of rows between two updates.
const STEP: u64 = 1024;

/// A line that counts rows. It disappears at the end.
#[derive(Debug)]
pub(crate) struct Progress {
    bar: ProgressBar,
    rows: u64,
}

impl Progress {
    /// Counts rows; `what` is done to them.
    pub(crate) fn new(what: &'static str) -> Self {
        Self::with_template(what, "{spinner} {msg} {human_pos} rows ({per_sec})")
    }

    /// Counts printed rows. On a terminal the rows themselves show the progress.
    pub(crate) fn beside_output(what: &'static str) -> Self {
        let progress = Self::new(what);
        if std::io::stdout().is_terminal() {
            progress.bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        progress
    }

    /// Makes a line for work without rows.
    pub(crate) fn without_rows(what: &'static str) -> Self {
        Self::with_template(what, "{spinner} {msg} {elapsed}")
    }

    fn with_template(what: &'static str, template: &str) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template(template);
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        bar.set_message(what);
        bar.enable_steady_tick(Duration::from_millis(200));
        Self { bar, rows: 0 }
    }

    /// Names the current part of the work.
    pub(crate) fn set_phase(&self, what: &'static str) {
        self.bar.set_message(what);
    }

    /// Counts a row.
    pub(crate) fn row(&mut self) {
        self.rows += 1;
        if self.rows.is_multiple_of(STEP) {
            self.bar.set_position(self.rows);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// A bar of blocks. It disappears at the end.
#[derive(Debug)]
pub(crate) struct Blocks {
    bar: ProgressBar,
    began: Instant,
    /// The operations up to the first reported block.
    before: Option<u64>,
}

impl Blocks {
    /// Makes a bar for the blocks of a system up to the last.
    pub(crate) fn new(system: &'static str, last: u64) -> Self {
        let bar = ProgressBar::with_draw_target(Some(last), ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template(
            "{prefix} {bar:40} block {human_pos} of {human_len} ({per_sec}), {msg}",
        );
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_prefix(system);
        Self { bar, began: Instant::now(), before: None }
    }

    /// Reports a finished block and the number of operations so far.
    pub(crate) fn at(&mut self, height: u64, operations: u64) {
        let before = *self.before.get_or_insert(operations);
        let millis = self.began.elapsed().as_millis().max(1);
        let rate = u128::from(operations - before) * 1000 / millis;
        self.bar.set_message(format!("{rate} operations a second"));
        self.bar.set_position(height);
    }
}

impl Drop for Blocks {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
