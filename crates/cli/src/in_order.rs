//! Parallel work with results in order.

use std::{
    num::NonZero,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    thread,
};

/// The stack size of a typical main thread.
const STACK: usize = 8 << 20;

/// Runs the tasks on several threads, started in the order of `begin`, which contains each number
/// from 0 on once. Passes the results to `take` in the order of their numbers, each as soon as all
/// earlier ones are done. A panic of a task becomes a panic of the caller.
///
/// # Errors
/// Returns the first error of `take`; no further task is started then.
pub(crate) fn in_order<T: Send, E>(
    begin: &[usize],
    work: impl Fn(usize) -> T + Sync,
    take: impl FnMut(T) -> Result<(), E>,
) -> Result<(), E> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    on_threads(threads, begin, work, take)
}

fn on_threads<T: Send, E>(
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

#[cfg(test)]
mod tests {
    use super::on_threads;
    use std::{
        panic::{AssertUnwindSafe, catch_unwind},
        sync::atomic::{AtomicUsize, Ordering},
        thread,
        time::Duration,
    };

    #[test]
    fn outcomes_are_in_order_on_any_number_of_threads() {
        for threads in [1, 2, 3, 20] {
            for begin in [vec![], vec![0], vec![4, 3, 2, 1, 0], vec![1, 0, 2, 4, 3]] {
                let work = |at: usize| {
                    thread::sleep(Duration::from_millis(at as u64 % 3));
                    at
                };
                let mut taken = Vec::new();
                let outcome = on_threads(threads, &begin, work, |at| -> Result<(), ()> {
                    taken.push(at);
                    Ok(())
                });
                assert_eq!(outcome, Ok(()));
                assert_eq!(taken, (0..begin.len()).collect::<Vec<usize>>(), "{threads} {begin:?}");
            }
        }
    }

    #[test]
    fn an_error_ends_the_work() {
        let begin: Vec<usize> = (0..1000).collect();
        for threads in [1, 3] {
            let done = AtomicUsize::new(0);
            let work = |at| {
                done.fetch_add(1, Ordering::Relaxed);
                thread::sleep(Duration::from_millis(1));
                at
            };
            let mut taken = 0;
            let outcome = on_threads(threads, &begin, work, |at| {
                taken += 1;
                if at == 2 { Err("enough") } else { Ok(()) }
            });
            assert_eq!((outcome, taken), (Err("enough"), 3));
            assert!(done.load(Ordering::Relaxed) < 1000);
        }
    }

    #[test]
    fn a_panic_of_a_task_is_a_panic_of_the_caller() {
        for bad in 0..4 {
            let work = |at| {
                thread::sleep(Duration::from_millis(1));
                assert_ne!(at, bad, "a bad task");
            };
            let run = || on_threads(2, &[0, 1, 2, 3], work, |()| -> Result<(), ()> { Ok(()) });
            let panic = catch_unwind(AssertUnwindSafe(run)).unwrap_err();
            assert!(panic.downcast_ref::<String>().unwrap().contains("a bad task"));
        }
    }
}
