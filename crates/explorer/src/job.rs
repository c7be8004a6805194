//! Work in the background: at most one run at a time, with its progress.

use std::{
    ops::ControlFlow,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Condvar, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// A kind of work whose result is an `R`, or the error that ended it.
#[derive(Debug)]
pub(crate) struct Job<R> {
    state: Mutex<State<R>>,
    ended: Condvar,
    rows: AtomicU64,
    is_cancelled: AtomicBool,
}

#[derive(Debug)]
struct State<R> {
    began: Option<Instant>,
    done: Option<Arc<Done<R>>>,
}

/// A result with the time that it took.
#[derive(Debug)]
pub(crate) struct Done<R> {
    pub(crate) result: Result<R, String>,
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
        let (ended, rows, is_cancelled) = Default::default();
        Self { state, ended, rows, is_cancelled }
    }
}

impl<R: Send + Sync + 'static> Job<R> {
    /// Starts a run, unless one is running. `work` calls its argument for each row, and ends early
    /// if the call breaks. A panic of `work` ends the run with an error.
    pub(crate) fn start(
        self: &Arc<Self>,
        work: impl FnOnce(&mut dyn FnMut() -> ControlFlow<()>) -> Result<R, String> + Send + 'static,
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
            // No state of the work is used after a panic.
            let result = catch_unwind(AssertUnwindSafe(|| work(&mut on_row)))
                .unwrap_or_else(|_| Err("the work failed: a bug in Keyscape".to_owned()));
            job.lock().end(began, result, job.is_cancelled.load(Ordering::Relaxed));
            job.ended.notify_all();
        };
        match thread::Builder::new().stack_size(8 << 20).spawn(run) {
            Ok(_) => state.began = Some(began),
            Err(error) => {
                state.end(began, Err(format!("no thread can be started: {error}")), false);
            }
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

    /// Returns the result of the last run. Waits for the end of the first run, at most `limit`.
    pub(crate) fn wait(&self, limit: Duration) -> Option<Arc<Done<R>>> {
        let state = self.lock();
        let waited = self.ended.wait_timeout_while(state, limit, |state| state.done.is_none());
        waited.unwrap_or_else(PoisonError::into_inner).0.done.clone()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State<R>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<R> State<R> {
    fn end(&mut self, began: Instant, result: Result<R, String>, was_cancelled: bool) {
        let (took, ended) = (began.elapsed(), Instant::now());
        let done = Some(Arc::new(Done { result, took, ended, was_cancelled }));
        *self = Self { began: None, done };
    }
}

#[cfg(test)]
mod tests {
    use super::Job;
    use std::{sync::Arc, time::Duration};

    #[test]
    fn a_panic_ends_the_run_with_an_error() {
        let job = Arc::<Job<()>>::default();
        job.start(|_| panic!("a bug"));
        let done = job.wait(Duration::from_secs(60)).expect("the run did not end");
        assert_eq!(done.result, Err("the work failed: a bug in Keyscape".to_owned()));
        assert!(job.running().is_none());
    }
}
