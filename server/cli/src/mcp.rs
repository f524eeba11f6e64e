//! `planlens mcp`: the engine for coding agents.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use ide::Planners;

use crate::args::Args;
use crate::{Outcome, log, root};

pub(crate) fn run(args: &Args) -> Outcome {
    let folder = root::existing(args.dir().map_or(Path::new("."), Path::new))?;
    let _ = log::start()?;
    let terraform = host::EnginePlanner::new(root::planner_config());
    let options = mcp::Options {
        planner: Arc::new(Planners::new(vec![Arc::new(terraform)])),
        folder,
        is_trusted: args.flag("trust"),
        state_dir: root::state_dir(),
        variable: |name| std::env::var_os(name),
    };
    let runtime = root::runtime()?;
    runtime.block_on(mcp::serve(options))?;
    // A read of stdin can't be called off.
    runtime.shutdown_background();
    Ok(ExitCode::SUCCESS)
}
