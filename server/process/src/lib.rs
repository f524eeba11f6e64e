//! Programs that planlens starts: each in a session of its own, ended with all its children, however planlens
//! ends. Knows nothing about their purpose.

mod limits;
mod lines;
mod plugin;
#[cfg(unix)]
mod private_dir;
mod program;
mod registry;
mod run;
#[cfg(unix)]
mod session;
#[cfg(unix)]
mod signals;
mod supervised;
#[cfg(unix)]
mod unix;
mod variables;
#[cfg(unix)]
mod watcher;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as system;
#[cfg(windows)]
use windows as system;

pub use limits::{Needs, address_space};
pub use lines::Lines;
pub use plugin::{Greeting, Launch, Plugin, Starting};
pub use program::find;
pub use registry::{begin_to_end, end_all};
pub use run::{Limits, Printed, run, run_with_input};
pub use supervised::{Start, Supervised};
pub use system::{PrivateDir, interrupt, is_executable, memory, stay_if_interrupted, sweep};
pub use system::{WATCH_ARGUMENT, watch, watch_with_this_program};
pub use variables::Variables;
