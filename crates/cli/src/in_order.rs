//! Parallel work with results in order.

use std::{
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    thread,
};

/// The stack size of a typical main thread.
const STACK: usize = 8 << 20;

/// Runs the tasks on threads, started in the order of `begin`, which contains each number from 0 on
/// once. Passes the results to `take` in the order of their numbers, each as soon as all earlier
/// ones are done. A panic of a task becomes a panic of the caller.
///
/// # Errors
/// Returns the first error of `take`; no further task is started then.
pub(crate) fn in_order<T: Send, E>(
    threads: usize,
    begin: &[usize],
    work: impl Fn(usize) -> T + Sync,
    mut take: impl FnMut(T) -> Result<(), E>,
) -> Result<(), E> {
    let (senders, receivers): (Vec<_>, Vec<_>) = begin.iter().map(|_| mpsc::channel()).unzip();
    let begun = AtomicUsize::new(0);
    let run = || {
        while let Some(&task) = begin.get(begun.fetch_add(1, Ordering::Relaxed)) {
            let outcome = catch_unwind(AssertUnwindSafe(|| work(task)));
            // After an error, nobody receives.
            let _ = senders[task].send(outcome);
        }
    };
    thread::scope(|scope| {
        let spawn = |_| thread::Builder::new().stack_size(STACK).spawn_scoped(scope, run).ok();
        let started = (0..threads.min(begin.len())).map_while(spawn).count();
        if started == 0 {
            run();
        }
        let stop = || begun.store(begin.len(), Ordering::Relaxed);
        receivers.iter().try_for_each(|receiver| match receiver.recv() {
            Ok(Ok(outcome)) => take(outcome).inspect_err(|_| stop()),
            Ok(Err(panic)) => {
                stop();
                resume_unwind(panic)
            }
            // Every sender outlives the receivers.
            Err(mpsc::RecvError) => Ok(()),
        })
    })
}
