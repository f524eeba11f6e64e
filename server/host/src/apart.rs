//! Work that evaluates, in threads of its own: however long it takes, messages, timers and other work don't wait for it.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

use cty::budget::{Cancel, cancellable};
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

/// Runs `work` to its end in a thread of its own. Dropped, its evaluation is cancelled, and the work is dropped at its
/// next wait. `None`: it was cancelled, or it panicked.
pub(crate) async fn apart<T, F>(work: impl FnOnce(Cancel) -> F + Send + 'static) -> Option<T>
where
    T: Send + 'static,
    F: Future<Output = T>,
{
    let stop = Stop::default();
    let (cancel, dropped) = (stop.cancel.clone(), stop.dropped.clone());
    let runtime = Handle::current();
    let run = move || {
        runtime.block_on(async {
            let mut work = pin!(work(cancel.clone()));
            let work =
                poll_fn(
                    |context| match cancellable(&cancel, || work.as_mut().poll(context)) {
                        Ok(polled) => polled.map(Some),
                        Err(_) => Poll::Ready(None),
                    },
                );
            dropped.run_until_cancelled(work).await.flatten()
        })
    };
    tokio::task::spawn_blocking(run).await.ok().flatten()
}

/// Stops work when it is dropped.
#[derive(Default)]
struct Stop {
    /// Checked between awaits.
    cancel: Cancel,
    /// Cancels a pending await.
    dropped: CancellationToken,
}

impl Drop for Stop {
    fn drop(&mut self) {
        self.cancel.cancel();
        self.dropped.cancel();
    }
}
