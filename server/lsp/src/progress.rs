//! Shows the progress of long work.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use ide::Progress;
use serde_json::{Value, json};

use crate::client::Question;
use crate::event::{Event, Events, ProgressChange};
use crate::shown::message;
use crate::state::State;

/// Shows that something takes its time, until the answer is dropped.
pub(crate) fn begin(events: &Events, title: &str) -> Progress {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let token = NEXT.fetch_add(1, Ordering::Relaxed);
    events.send(Event::Progress {
        change: ProgressChange::Begin {
            token,
            title: title.to_string(),
        },
    });
    let events = events.clone();
    Progress::until(move || {
        events.send(Event::Progress {
            change: ProgressChange::End { token },
        });
    })
}

/// The work in progress, by token.
#[derive(Default)]
pub(crate) struct ProgressBars(BTreeMap<u64, ProgressBar>);

struct ProgressBar {
    title: String,
    /// The client knows the token.
    is_shown: bool,
}

impl State {
    pub(crate) fn show_progress(&mut self, change: ProgressChange) {
        match change {
            ProgressChange::Begin { token, title }
                if self.capabilities.progress && !self.client.is_behind() =>
            {
                self.progress.0.insert(
                    token,
                    ProgressBar {
                        title,
                        is_shown: false,
                    },
                );
                let params = json!({ "token": name(token) });
                let question = Question::CreateProgress { token };
                self.client
                    .ask("window/workDoneProgress/create", params, question);
            }
            ProgressChange::Begin { .. } => {}
            ProgressChange::End { token } => {
                if self
                    .progress
                    .0
                    .remove(&token)
                    .is_some_and(|bar| bar.is_shown)
                {
                    self.send_progress(token, json!({ "kind": "end" }));
                }
            }
        }
    }

    pub(crate) fn progress_created(&mut self, token: u64, is_accepted: bool) {
        // Work that has ended meanwhile is not shown at all.
        let Some(bar) = self.progress.0.get_mut(&token) else {
            return;
        };
        if is_accepted {
            bar.is_shown = true;
            let begin = json!({ "kind": "begin", "title": message(&bar.title) });
            self.send_progress(token, begin);
        } else {
            self.progress.0.remove(&token);
        }
    }

    fn send_progress(&self, token: u64, value: Value) {
        self.client.notify(
            "$/progress",
            json!({ "token": name(token), "value": value }),
        );
    }
}

fn name(token: u64) -> String {
    format!("planlens/{token}")
}
