//! Several statements in one round trip.

use std::{
    future::{Future, poll_fn},
    pin::Pin,
    task::Poll,
};
use tokio_postgres::Error;

/// A statement that is sent at the first poll.
pub(crate) type Step<'a> = Pin<Box<dyn Future<Output = Result<String, Error>> + Send + 'a>>;

/// Sends all statements in order without waiting for answers, and then waits for all answers.
/// Returns them in order.
pub(crate) async fn in_one_flight(steps: Vec<Step<'_>>) -> Vec<Result<String, Error>> {
    let mut steps: Vec<(Step<'_>, Option<Result<String, Error>>)> =
        steps.into_iter().map(|step| (step, None)).collect();
    poll_fn(|context| {
        let mut is_over = true;
        for (step, answer) in &mut steps {
            if answer.is_some() {
                continue;
            }
            match step.as_mut().poll(context) {
                Poll::Ready(result) => *answer = Some(result),
                Poll::Pending => is_over = false,
            }
        }
        if is_over { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    steps.into_iter().filter_map(|(_, answer)| answer).collect()
}
