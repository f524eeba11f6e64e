//! The log of servers, on standard error.

use anyhow::Context;
use ide::LogLevel;
use tracing_subscriber::prelude::*;
use tracing_subscriber::{fmt, reload};

/// Starts the log with warnings. The result sets its level.
pub(crate) fn start() -> anyhow::Result<impl Fn(LogLevel) + Send + Sync> {
    let (filter, handle) = reload::Layer::new(lsp::log_filter(LogLevel::Warn));
    let layer = fmt::layer().with_writer(std::io::stderr).with_ansi(false);
    tracing_subscriber::registry()
        .with(filter)
        .with(layer)
        .try_init()
        .context("setting up the log")?;
    Ok(move |level| {
        // The filter lives as long as the process.
        let _ = handle.reload(lsp::log_filter(level));
    })
}
