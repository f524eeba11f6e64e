//! Signals by which users and editors end planlens: its programs end first.

use std::io;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use crate::{registry, unix, watcher};

static IS_INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// From the first program on. Before that, and in the tests of a library, signals have their usual effect.
pub(crate) fn handle() {
    static HANDLED: Once = Once::new();
    HANDLED.call_once(|| {
        if watcher::is_wanted()
            && let Err(error) = try_handle()
        {
            tracing::warn!(%error, "signals are not handled");
        }
    });
}

fn try_handle() -> io::Result<()> {
    let ending = [SIGHUP, SIGINT, SIGTERM].into_iter();
    let mut signals = Signals::new(ending.filter(|signal| !unix::is_ignored(*signal)))?;
    thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || {
            for signal in signals.forever() {
                interrupted(signal);
            }
        })?;
    Ok(())
}

/// A second signal doesn't wait for anything.
fn interrupted(signal: i32) {
    let end = move || {
        registry::end_all();
        let _ = emulate_default_handler(signal);
    };
    let is_first = !IS_INTERRUPTED.swap(true, Ordering::SeqCst);
    let ending = is_first && thread::Builder::new().spawn(end).is_ok();
    if !ending {
        registry::kill_all();
        let _ = emulate_default_handler(signal);
    }
}

/// Doesn't return after a signal has come: the process ends by that signal, without another word.
pub fn stay_if_interrupted() {
    while IS_INTERRUPTED.load(Ordering::SeqCst) {
        thread::park();
    }
}
