//! Programs that planlens starts: each in a session of its own, ended with everything that it started, whatever becomes of
//! planlens. Knows nothing about what they are for.

mod limits;
mod lines;
mod plugin;
mod private_dir;
mod registry;
mod run;
mod session;
mod signals;
mod supervised;
mod unix;
mod variables;
mod watcher;

pub use limits::{Needs, address_space};
pub use lines::Lines;
pub use plugin::{Greeting, Launch, Plugin, Starting};
pub use private_dir::{PrivateDir, sweep};
pub use registry::{begin_to_end, end_all};
pub use run::{Limits, Printed, run};
pub use session::interrupt;
pub use signals::stay_if_interrupted;
pub use supervised::{Start, Supervised};
pub use unix::{is_executable, memory};
pub use variables::Variables;
pub use watcher::{WATCH_ARGUMENT, watch, watch_with_this_program};
