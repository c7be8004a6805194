//! Blocking calls of an asynchronous client.

use keyscape_store_remote::{EventLoop, NoAnswer};
use std::{io, time::Duration};
use tokio::runtime::Builder;

#[test]
fn requests_run_outside_and_inside_another_runtime() -> io::Result<()> {
    let runtime = || Builder::new_current_thread().enable_all().build();
    let events = EventLoop::new(runtime()?);
    let answer = || events.run(Duration::from_secs(60), async { 7 });
    assert!(matches!(answer(), Ok(7)));
    assert!(matches!(runtime()?.block_on(async { answer() }), Ok(7)));
    let silent = events.run(Duration::from_millis(1), std::future::pending::<()>());
    assert!(matches!(silent, Err(NoAnswer::TimedOut)));
    Ok(())
}
