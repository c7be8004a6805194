//! Parallel work with results in order.

use std::{
    num::NonZero,
    panic::resume_unwind,
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
/// earlier ones are done.
///
/// The calling thread works too, so the tasks complete even if no other thread can be started.
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
    let begun = AtomicUsize::new(0);
    let next = || begin.get(begun.fetch_add(1, Ordering::Relaxed)).map(|&at| (at, work(at)));
    let mut waiting: Vec<Option<T>> = begin.iter().map(|_| None).collect();
    let mut taken = 0;
    let mut hand_over = |(at, outcome): (usize, T)| {
        waiting[at] = Some(outcome);
        while let Some(outcome) = waiting.get_mut(taken).and_then(Option::take) {
            taken += 1;
            take(outcome)?;
        }
        Ok(())
    };
    thread::scope(|scope| {
        let (send, done) = mpsc::channel();
        let others = (1..threads.min(begin.len())).map_while(|_| {
            let (send, next) = (send.clone(), &next);
            let work = move || {
                // After an error, the receiver is gone and no work is left.
                while next().is_some_and(|outcome| send.send(outcome).is_ok()) {}
            };
            thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work).ok()
        });
        let others: Vec<_> = others.collect();
        drop(send);
        let mut listen = || {
            while let Some(outcome) = next() {
                hand_over(outcome)?;
                done.try_iter().try_for_each(&mut hand_over)?;
            }
            done.iter().try_for_each(&mut hand_over)
        };
        let outcome = listen();
        begun.store(begin.len(), Ordering::Relaxed);
        for other in others {
            // Propagates a panic of the worker thread.
            other.join().unwrap_or_else(|panic| resume_unwind(panic));
        }
        outcome
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
    fn outcomes_come_in_order_whoever_does_the_work() {
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
    fn a_panic_of_any_thread_is_one_of_the_caller() {
        for bad in 0..4 {
            let work = |at| {
                thread::sleep(Duration::from_millis(1));
                assert_ne!(at, bad, "a bad piece");
            };
            let run = || on_threads(2, &[0, 1, 2, 3], work, |()| -> Result<(), ()> { Ok(()) });
            let panic = catch_unwind(AssertUnwindSafe(run)).unwrap_err();
            assert!(panic.downcast_ref::<String>().unwrap().contains("a bad piece"));
        }
    }
}
