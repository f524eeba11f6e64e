//! The events of the main loop.

use std::collections::BTreeMap;
use std::path::PathBuf;

use disk::Stamp;
use ide::{PlanUpdate, Revision, Untrusted};
use serde_json::Value;
use text::FileId;
use tokio::sync::{mpsc, oneshot};
use tower_lsp_server::jsonrpc::{Id, Result};

use crate::findings::Findings;

pub(crate) enum Event {
    Request {
        id: Id,
        method: String,
        params: Value,
        reply: Reply,
    },
    Notification {
        method: String,
        params: Value,
    },
    /// The client's answer to a question of ours.
    Answer {
        id: Id,
        answer: Result<Value>,
    },
    /// The client has read everything that was sent.
    CaughtUp,
    /// The time that is left after the end of the input is over.
    GraceIsOver,

    Computed {
        ticket: Ticket,
        answer: Result<Value>,
    },
    /// A held request has waited long enough.
    HoldIsOver {
        ticket: Ticket,
    },
    /// Diagnostics have waited long enough for the checks of a text.
    LookIsDue,
    /// The files of open and planned folders as they are now.
    LookedAtDisk {
        on_disk: OnDisk,
        look: DiskCheck,
    },
    Found {
        findings: Findings,
    },
    /// A plan has begun, of root modules with these open files.
    PlanBegan {
        revision: Revision,
        roots: BTreeMap<PathBuf, Vec<FileId>>,
    },
    Planned {
        update: PlanUpdate,
    },
    /// No plan was complete for a while.
    PlanIsSlow,
    /// The work on a plan ended, by itself or by a panic.
    PlanEnded {
        revision: Revision,
    },
    /// `terraform init` ended, with why it failed.
    Initialized {
        command: String,
        result: std::result::Result<(), String>,
    },
    /// Something was read of the world, beside a plan.
    WorldRead,
    Progress {
        change: ProgressChange,
    },
    /// Something that the user should read.
    Warning {
        message: String,
    },
    /// The root module in `dir` needs something that only the user can give.
    TrustNeeded {
        dir: PathBuf,
        needed: Untrusted,
    },
}

/// When the server looks at the files on disk.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum DiskCheck {
    Now,
    /// After a while, and so on.
    Again,
}

/// The files of folders that a plan may read, by folder and path.
pub(crate) type OnDisk = BTreeMap<PathBuf, BTreeMap<PathBuf, Stamp>>;

/// Of something that takes its time.
pub(crate) enum ProgressChange {
    Begin { token: u64, title: String },
    End { token: u64 },
}

/// A request in the main loop, by the order of arrival. A client may use the same id twice; a ticket is unique.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Ticket(pub(crate) u64);

/// Where the one answer to a request goes. Dropped, it answers that the request was cancelled.
pub(crate) struct Reply(oneshot::Sender<Result<Value>>);

impl Reply {
    pub(crate) fn new() -> (Reply, oneshot::Receiver<Result<Value>>) {
        let (sender, receiver) = oneshot::channel();
        (Reply(sender), receiver)
    }

    pub(crate) fn send(self, answer: Result<Value>) {
        // The receiver is gone when the connection is: then no one waits.
        let _ = self.0.send(answer);
    }
}

/// The way into the main loop. Sending never waits.
#[derive(Clone)]
pub(crate) struct Events(mpsc::UnboundedSender<Event>);

impl Events {
    pub(crate) fn new() -> (Events, mpsc::UnboundedReceiver<Event>) {
        let (sender, receiver) = mpsc::unbounded_channel();
        (Events(sender), receiver)
    }

    pub(crate) fn send(&self, event: Event) {
        // The loop is gone when the server is about to end: then nothing is left to do.
        let _ = self.0.send(event);
    }
}
