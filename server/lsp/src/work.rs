//! Work beside the main loop.

use tokio::task::AbortHandle;

/// Work that runs elsewhere. Dropped, it is cancelled at its next wait.
pub(crate) struct Work(AbortHandle);

impl Work {
    pub(crate) fn spawn(work: impl Future<Output = ()> + Send + 'static) -> Work {
        Work(tokio::spawn(work).abort_handle())
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        self.0.abort();
    }
}
