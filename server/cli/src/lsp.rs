//! `planlens lsp`: the language server.

use std::process::ExitCode;
use std::sync::Arc;

use ide::Planners;
use process::Variables;
use pulumi_host::ProgramPlanner;

use crate::{Outcome, log, root};

pub(crate) fn run() -> Outcome {
    let set_log_level = log::start()?;
    let terraform = host::EnginePlanner::new(root::planner_config());
    let programs = ProgramPlanner::new(Variables::of_this_process());
    let options = lsp::Options {
        planner: Arc::new(Planners::new(vec![Arc::new(programs), Arc::new(terraform)])),
        set_log_level: Arc::new(set_log_level),
        state_dir: root::state_dir(),
        ..lsp::Options::default()
    };
    lsp::serve(options)?;
    Ok(ExitCode::SUCCESS)
}
