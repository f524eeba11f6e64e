//! The inputs of the server from the process around it.

use std::path::PathBuf;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use ide::{LogLevel, NoPlanner, Planner};

/// The inputs of the server from the process around it.
#[derive(Clone)]
pub struct Options {
    /// Makes the plans.
    pub planner: Arc<dyn Planner>,
    /// Called with the setting `log.level`, at the start and when it changes.
    pub set_log_level: Arc<dyn Fn(LogLevel) + Send + Sync>,
    /// Where answers of the user are kept. None: nowhere.
    pub state_dir: Option<PathBuf>,
    /// Called when the client says that it leaves, and when it has left. Doesn't wait.
    pub leaving: fn(),
    #[doc(hidden)]
    pub hooks: Hooks,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            planner: Arc::new(NoPlanner),
            set_log_level: Arc::new(|_| ()),
            state_dir: None,
            leaving: || (),
            hooks: Hooks::default(),
        }
    }
}

/// Places where tests take hold of the server.
#[doc(hidden)]
#[derive(Clone, Default)]
pub struct Hooks {
    /// Awaited, with the method's name, before a request is computed.
    pub before_request: Option<Arc<Gate>>,
    /// A hover where nothing is known answers the word that is there, so that it tells which text the server has.
    pub hovers_on_words: bool,
    /// Requests wait for the plan that they show as long as it takes, so that a slow machine answers the same.
    pub is_patient: bool,
}

#[doc(hidden)]
pub type Gate = dyn Fn(&str) -> BoxFuture<'static, ()> + Send + Sync;
