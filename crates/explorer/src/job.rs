//! Work in the background: at most one run at a time, with its progress.

use std::{
    ops::ControlFlow,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// A kind of work whose result is an `R`.
#[derive(Debug)]
pub(crate) struct Job<R> {
    state: Mutex<State<R>>,
    rows: AtomicU64,
    is_cancelled: AtomicBool,
}

/// The report of an audit, or the error that ended it.
pub(crate) type AuditJob = Result<keyscape_inspect::audit::Report, String>;
/// The numbers of all rows, or the error that ended the count.
pub(crate) type CountJob = Result<crate::count::Counts, String>;

#[derive(Debug)]
struct State<R> {
    began: Option<Instant>,
    done: Option<Arc<Done<R>>>,
}

/// A result with the time that it took.
#[derive(Debug)]
pub(crate) struct Done<R> {
    pub(crate) result: R,
    pub(crate) took: Duration,
    pub(crate) ended: Instant,
    pub(crate) was_cancelled: bool,
}

/// The progress of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Running {
    pub(crate) rows: u64,
    pub(crate) elapsed: Duration,
}

impl<R> Default for Job<R> {
    fn default() -> Self {
        let state = Mutex::new(State { began: None, done: None });
        Self { state, rows: AtomicU64::new(0), is_cancelled: AtomicBool::new(false) }
    }
}

impl<R: Send + Sync + 'static> Job<R> {
    /// Starts a run, unless one is running. `work` calls its argument for each row, and ends early
    /// if the call breaks.
    pub(crate) fn start(
        self: &Arc<Self>,
        work: impl FnOnce(&mut dyn FnMut() -> ControlFlow<()>) -> R + Send + 'static,
    ) {
        let mut state = self.lock();
        if state.began.is_some() {
            return;
        }
        let began = Instant::now();
        self.rows.store(0, Ordering::Relaxed);
        self.is_cancelled.store(false, Ordering::Relaxed);
        let job = Arc::clone(self);
        let run = move || {
            let mut on_row = || {
                job.rows.fetch_add(1, Ordering::Relaxed);
                match job.is_cancelled.load(Ordering::Relaxed) {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                }
            };
            let result = work(&mut on_row);
            let was_cancelled = job.is_cancelled.load(Ordering::Relaxed);
            let (took, ended) = (began.elapsed(), Instant::now());
            let done = Some(Arc::new(Done { result, took, ended, was_cancelled }));
            *job.lock() = State { began: None, done };
        };
        if thread::Builder::new().stack_size(8 << 20).spawn(run).is_ok() {
            state.began = Some(began);
        }
    }

    /// Ends the current run at its next row.
    pub(crate) fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
    }

    /// Returns the progress of the current run.
    pub(crate) fn running(&self) -> Option<Running> {
        let elapsed = self.lock().began?.elapsed();
        Some(Running { rows: self.rows.load(Ordering::Relaxed), elapsed })
    }

    /// Returns the result of the last run.
    pub(crate) fn done(&self) -> Option<Arc<Done<R>>> {
        self.lock().done.clone()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State<R>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
