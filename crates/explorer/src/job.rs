//! Work in the background: at most one run at a time, with its progress.

use std::{
    io,
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

/// The function that work calls for each row. Work ends early if the call breaks.
type OnRow<'a> = &'a mut dyn FnMut() -> ControlFlow<()>;

/// The size of the stack of a run in bytes.
const STACK: usize = 8 << 20;

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
    /// if the call breaks. A panic of `work`, or a thread that cannot be started, ends the run with
    /// an error.
    pub(crate) fn start(
        self: &Arc<Self>,
        work: impl FnOnce(OnRow<'_>) -> Result<R, String> + Send + 'static,
    ) {
        if let Err(error) = self.spawn(STACK, work) {
            let result = Err(format!("no thread can be started: {error}"));
            self.lock().end(Instant::now(), result, false);
        }
    }

    /// Starts a run as [`start`](Self::start). If no thread can be started, does the work before it
    /// returns.
    pub(crate) fn start_or_run(
        self: &Arc<Self>,
        work: impl FnOnce(OnRow<'_>) -> Result<R, String> + Clone + Send + 'static,
    ) {
        self.start_or_run_with(STACK, work);
    }

    fn start_or_run_with(
        self: &Arc<Self>,
        stack: usize,
        work: impl FnOnce(OnRow<'_>) -> Result<R, String> + Clone + Send + 'static,
    ) {
        if self.spawn(stack, work.clone()).is_err() {
            self.run(Instant::now(), work);
        }
    }

    /// Starts a run on a thread with a stack of this size.
    fn spawn(
        self: &Arc<Self>,
        stack: usize,
        work: impl FnOnce(OnRow<'_>) -> Result<R, String> + Send + 'static,
    ) -> io::Result<()> {
        let mut state = self.lock();
        if state.began.is_some() {
            return Ok(());
        }
        let began = Instant::now();
        self.rows.store(0, Ordering::Relaxed);
        self.is_cancelled.store(false, Ordering::Relaxed);
        let job = Arc::clone(self);
        thread::Builder::new().stack_size(stack).spawn(move || job.run(began, work))?;
        state.began = Some(began);
        Ok(())
    }

    /// Does the work on this thread.
    fn run(&self, began: Instant, work: impl FnOnce(OnRow<'_>) -> Result<R, String>) {
        let mut on_row = || {
            self.rows.fetch_add(1, Ordering::Relaxed);
            match self.is_cancelled.load(Ordering::Relaxed) {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        };
        // No state of the work is used after a panic.
        let result = catch_unwind(AssertUnwindSafe(|| work(&mut on_row))).unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<&str>().copied();
            let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
            let text = text.unwrap_or("a panic");
            Err(format!("the work failed, which is a bug in Keyscape: {text}"))
        });
        self.lock().end(began, result, self.is_cancelled.load(Ordering::Relaxed));
        self.ended.notify_all();
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
        let error = "the work failed, which is a bug in Keyscape: a bug";
        assert_eq!(done.result, Err(error.to_owned()));
        assert!(job.running().is_none());
    }

    #[test]
    fn work_runs_in_place_if_no_thread_can_be_started() {
        let job = Arc::<Job<u8>>::default();
        job.start_or_run_with(usize::MAX >> 8, |_| Ok(7));
        assert_eq!(job.done().expect("the run did not end").result, Ok(7));
        assert!(job.running().is_none());
    }
}
