//! The one path of all messages.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use tokio::sync::mpsc;

use crate::event::Event;
use crate::state::State;

/// Handles events until the client leaves. Answers whether it left as the protocol asks. A panic costs the event that it
/// was in, and the requests without an answer are answered with an error.
pub(crate) async fn run(mut state: State, mut events: mpsc::UnboundedReceiver<Event>) -> bool {
    loop {
        if events.is_empty() {
            caught(&mut state, State::settle);
        }
        let Some(event) = events.recv().await else {
            return false;
        };
        if let Some(ControlFlow::Break(was_shut_down)) =
            caught(&mut state, |state| state.handle(event))
        {
            return was_shut_down;
        }
    }
}

fn caught<T>(state: &mut State, work: impl FnOnce(&mut State) -> T) -> Option<T> {
    let done = catch_unwind(AssertUnwindSafe(|| work(state)));
    if done.is_err() {
        tracing::error!("an event failed");
        state.requests.fail_all();
    }
    done.ok()
}
