//! `planlens lsp`: the language server.

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use ide::Planners;
use process::Variables;
use pulumi_host::ProgramPlanner;
use tracing_subscriber::prelude::*;
use tracing_subscriber::{EnvFilter, fmt, reload};

use crate::{Outcome, root};

pub(crate) fn run() -> Outcome {
    let filter = EnvFilter::new(lsp::log_directives(ide::LogLevel::Warn));
    let (filter, handle) = reload::Layer::new(filter);
    let layer = fmt::layer().with_writer(std::io::stderr).with_ansi(false);
    tracing_subscriber::registry()
        .with(filter)
        .with(layer)
        .try_init()
        .context("setting up the log")?;
    let terraform = host::EnginePlanner::new(root::planner_config());
    let programs = ProgramPlanner::new(Variables::of_this_process());
    let options = lsp::Options {
        planner: Arc::new(Planners::new(vec![Arc::new(programs), Arc::new(terraform)])),
        set_log_level: Arc::new(move |level| {
            // The filter lives as long as the process.
            let _ = handle.reload(EnvFilter::new(lsp::log_directives(level)));
        }),
        state_dir: root::state_dir(),
        ..lsp::Options::default()
    };
    lsp::serve(options)?;
    Ok(ExitCode::SUCCESS)
}
