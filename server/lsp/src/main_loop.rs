//! The one path of all messages.

use std::ops::ControlFlow;

use tokio::sync::mpsc;

use crate::event::Event;
use crate::state::State;

/// Handles events until the client leaves. Answers whether it left as the protocol asks.
pub(crate) async fn run(mut state: State, mut events: mpsc::UnboundedReceiver<Event>) -> bool {
    loop {
        if events.is_empty() {
            state.settle();
        }
        let Some(event) = events.recv().await else {
            return false;
        };
        if let ControlFlow::Break(was_shut_down) = state.handle(event) {
            return was_shut_down;
        }
    }
}
